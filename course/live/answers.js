// What a text is to the models that read pieces.
const MASK = "[MASK]",
  HANGUL = /[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]/;
const languageModel = text => HANGUL.test(text) ? "bert-ko" : "bert-en";

// The pieces of a text: [{id, piece, start, end, word, typed}], start and end in the text, word: the number of its
// word, typed: a [MASK] of the reader. As Bert.fill reads a text, which a tokeniser would cut at the brackets.
// The particle that a word of Hangul ends in, else "": as course/lab/word_classes.py.
const AFTER_CONSONANT = /^(은|이|을|과|으로|이나|이랑)$/,
  AFTER_VOWEL = /^(는|가|를|와|로|나|랑)$/,
  PARTICLE = /^(의|에|도|만|에서|에게|에는|에도|께서|한테|까지|부터|처럼|보다|마저|조차|밖에|에서는|으로는)$/,
  VERB_ENDING = /^(다|고|며|면|서|지|게|요|까|자|던|니다|니까|면서|지만|는데|려고|도록|어서|아서|세요|어요|아요|거나)$/,
  RIEUL = 8,
  FINALS = 28;

function particleOf(word) {
  for (let n = /^[가-힣]+$/.test(word) ? Math.min(3, word.length - 1) : 0; n; n--) {
    const suffix = word.slice(-n),
      final = (word.charCodeAt(word.length - n - 1) - "가".charCodeAt()) % FINALS,
      open = !final || final === RIEUL && suffix === "로",
      long = word.length > 2;
    if ((open ? AFTER_VOWEL : AFTER_CONSONANT).test(suffix) || long && PARTICLE.test(suffix)) return suffix;
    if (long && VERB_ENDING.test(suffix)) return "";
  }
  return "";
}

function readText(text, pieces) {
  const tokens = [];
  let from = 0,
    word = 0;
  const add = (id, start, end, typed = false) =>
    tokens.push({ id, piece: pieces.vocabulary[id], start: from + start, end: from + end, word, typed });
  text.split(MASK).forEach((part, i) => {
    if (i) {
      add(pieces.mask, 0, MASK.length, true);
      from += MASK.length;
      word++;
    }
    const spans = wordSpans(part).flatMap(([word, start, end]) => { // a particle is a word of its own: 배가 -> 배 가
      const n = pieces.index.has(word) ? 0 : particleOf(word).length;
      return n ? [[word.slice(0, -n), start, end - n], [word.slice(-n), end - n, end]] : [[word, start, end]];
    });
    pieces.split(spans.map(([spelt]) => spelt)).forEach((found, number) => {
      const begin = spans[number][1];
      for (const [id, start, end] of found) add(id, begin + start, begin + end);
      word++;
    });
    from += part.length;
  });
  return tokens;
}
const rowOf = (tokens, pieces, isGap = token => token.typed) => // ids with [CLS] and [SEP]
  [pieces.cls, ...tokens.map((token, i) => isGap(token, i) ? pieces.mask : token.id), pieces.sep];

function best(probabilities, k) { // the ids of the k largest, best first
  const found = [];
  for (let id = 0; id < probabilities.length; id++) {
    let place = found.length;
    if (place === k && probabilities[id] <= probabilities[found[k - 1]]) continue;
    while (place && probabilities[found[place - 1]] < probabilities[id]) place--;
    found.splice(place, 0, id);
    found.length = Math.min(found.length, k);
  }
  return found;
}
const rankOf = (probabilities, id) => 1 + probabilities.reduce((sum, p) => sum + (p > probabilities[id]), 0);

Object.assign(live, { load });
