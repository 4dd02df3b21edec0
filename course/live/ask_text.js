// The reader's sentence while it changes: where hidden places go, and how a guess is put in.
// For a network of the reader's own: of the invented world, and of words that most texts have.
const OWN_EXAMPLES = ["Yuna did {not} call her brother .", "it was {not} in the house and he was .",
      "유나 는 새벽 {에} 포구 에 갔다 .", "그 는 집 {에} 있다 ."];
// For a model that has no guesses: a sentence whose sense it can judge, and how one with such a word is known.
const JUDGED = "We rested on the grassy bank of the river.",
  SENSED = RegExp(`(?<![\\p{L}\\p{N}])(${Object.keys(live.senses).join("|")})(?![\\p{L}\\p{N}])`, "iu");

// Where places among the old tokens are among the new ones: what stands before and after the change stays.
function moved(places, old, now) {
  const least = Math.min(old.length, now.length);
  let before = 0,
    after = 0;
  while (before < least && old[before].id === now[before].id) before++;
  while (after < least - before && old.at(-1 - after).id === now.at(-1 - after).id) after++;
  const to = i => i < before ? [i] : i >= old.length - after ? [i + now.length - old.length] : [];
  return new Set([...places].flatMap(to));
}

// The whole words around a place of a row of pieces.
function around(names, place) {
  const within = i => names[i].startsWith("##");
  let first = Math.max(1, place - 5),
    end = Math.min(names.length - 1, place + 6);
  while (within(first)) first--;
  while (within(end)) end++;
  return names.slice(first, end).join(" ").replaceAll(" ##", "");
}

// The text with the piece at a place replaced: one with ## goes on the word before it, one without begins a word.
function withPiece(text, { start, end, piece: old }, piece) {
  let before = text.slice(0, start);
  if (piece.startsWith("##")) before = before.trimEnd();
  else if (old.startsWith("##")) before += " ";
  return before + piece.replace("##", "") + text.slice(end);
}
