// The page as the kernel of its widgets. Their frames are closed and hold no model, but ask as they ask Python: a frame
// says {courseAsk: its state}, the page {courseAnswer: {trait: value}} (frame.js of course/site).
const MOST_TOKENS = 40,
  LARGE = "minilm-en", // comes when a button is pressed
  SWITCH = "the shipped BERT"; // shipped_model() of course.lab.widget_inputs: the text says which
const KOREAN = document.documentElement.lang === "ko",
  t = teller({ get: () => KOREAN ? live.texts : {} }); // as in the widgets; their sentences stand in live.js
const EXAMPLES = [ // in braces: what is hidden at first
  "Mary lost her keys because {she} was in a hurry.",
  "The band released {their} second album in 1995.",
  "He scored two {goals} in the last game of the season.",
  "아버지 와 {어머니} 는 함께 살았다 .",
  "그 는 배 를 타고 {북쪽} 으로 갔다 ."
];
if (KOREAN) EXAMPLES.reverse();
const plainText = example => example.replace(/[{}]/g, "");
const onItsWay = (name, part) => {
  const now = { name, percent: Math.round(100 * part), size: live.megabytes[name].toFixed(1) };
  return t("{name} is on its way: {percent} % of {size} MB, once.", now);
};
const arrived = (name, says) => part => {
  says.textContent = onItsWay(name, part);
};
const askLarge = go =>
  button(t("ask {name}, too ({size} MB, loaded once)", { name: LARGE, size: live.megabytes[LARGE].toFixed(1) }), go);
const ANSWERS = { // title of a widget -> its answer
  "What does it expect here?": fillMask,
  "One word through the generations": placeSentence,
  "Which layers does a task want?": mixSentence,
  "Which words are near?": askWords,
  "Which words of a review weigh?": askReview
};

// fill_mask: as course/widgets/gap_model.py reads a text and guesses.
function readSide(text, { name, pieces }) {
  const tokens = readText(text, pieces),
    strange = part => readText(part, pieces).some(({ id }) => id === pieces.unknown);
  if (!tokens.length) throw new Error(t("fill_mask: the text is empty. Type a sentence."));
  const of = { name, n: tokens.length, most: MOST_TOKENS };
  if (of.n > of.most)
    throw new Error(t("fill_mask: {name} cuts this text into {n} tokens; at most {most} fit. Shorten it.", of));
  const gaps = tokens.flatMap((token, i) => token.typed ? [i] : []);
  return {
    tokens: tokens.map(({ piece }) => piece),
    masked: gaps.length ? gaps : [tokens.length >> 1],
    unknown: [...new Set(text.replaceAll(MASK, " ").split(/\s+/).filter(strange).join(""))].filter(strange)
  };
}

async function fillMask({ request, names, k, gap, answer }, open) {
  const { id, text, sides = names.map(() => ({ text })) } = request;
  const answered = async (side, m) => {
    const said = side.text ?? [...side.tokens, ...side.unknown ?? []].join(" "),
      model = await open(names[m] === SWITCH ? languageModel(said) : names[m]),
      { pieces, forward } = model,
      { tokens, masked, unknown = [] } = side.text === undefined ? side : readSide(side.text, model),
      isGap = (_, i) => masked.includes(i),
      row = tokens.map(token => ({ id: pieces.index.get(token) ?? pieces.unknown })),
      found = forward(rowOf(row, pieces, isGap), masked.map(i => i + 1)).probabilities;
    return { tokens, masked, unknown, guesses: found.map(p => best(p, k).map(id => [pieces.vocabulary[id], p[id]])) };
  };
  try {
    const found = await Promise.all(sides.map(answered));
    return { gap: text === undefined ? gap : found.map(() => 0), answer: { id, error: "", sides: found } };
  } catch (error) {
    return { answer: { id, error: error.message, sides: answer.sides } };
  }
}

// word_generations: where a sentence lies at the systems that the page has, as course/widgets/word_stories.py says.
const SYSTEMS = { // names on the slider, course/lab/generations.py -> model, by language
  "ELMo, ours": { en: "bilm-en", ko: "bilm-ko" },
  "BERT, ours": { en: "bert-en", ko: "bert-ko" },
  "MiniLM, published": { en: LARGE }
};
const PARTICLES = "가|이|는|은|를|을|에|에서|에는|로|으로|와|과|도|의|만|처럼",
  ONE_DOT = 1e-5,
  MAP_SCALE = 999;
const minus = (a, b) => a.map((value, i) => value - b[i]),
  inner = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0),
  meanOf = rows => rows[0].map((_, i) => rows.reduce((sum, row) => sum + row[i], 0) / rows.length);
const noWord = words =>
  t("None of this picture's words stands in that sentence. Use one of: {words}.", { words: words.join(", ") });
const charted = new Map(); // word and system -> its vectors' mean, two directions, and the mean of each sense

function chart({ sentences, senses }, { places }, { encode }) { // the directions, found again from the stored places
  const vectors = sentences.map(([before, word, after]) => {
    const left = before.split(" ").filter(Boolean);
    return Array.from(encode([...left, word, ...after.split(" ").filter(Boolean)]).at(-1)[left.length]);
  });
  const centre = meanOf(vectors),
    rows = vectors.map(vector => minus(vector, centre)),
    along = [0, 1].map(axis => centre.map((_, i) => rows.reduce((sum, row, n) => sum + row[i] * places[n][axis], 0))),
    gram = [0, 1].map(a => [0, 1].map(b => places.reduce((sum, place) => sum + place[a] * place[b], 0))),
    [[p, q], [, r]] = [0, 1].map(a => [0, 1].map(b => inner(along[a], along[b]))),
    turn = (a, b) => (gram[a][b] * (a ? p : r) - gram[1 - a][b] * q) / (p * r - q * q), // (along' along)^-1 gram
    directions = [0, 1].map(b => centre.map((_, i) => along[0][i] * turn(0, b) + along[1][i] * turn(1, b))),
    means = senses.map((_, sense) => meanOf(vectors.filter((_, i) => sentences[i][3] === sense)));
  return { centre, directions, means };
}

function placed(vector, { centre, directions, means }) { // -> {place, kind}
  const out = minus(vector, centre),
    limit = x => Math.round(Math.max(-MAP_SCALE, Math.min(MAP_SCALE, x))),
    cosines = means.map(mean => inner(mean, vector) / Math.hypot(...mean) / Math.hypot(...vector)),
    most = Math.max(...cosines);
  return {
    place: directions.map(direction => limit(inner(out, direction))),
    kind: most - Math.min(...cosines) > ONE_DOT ? cosines.indexOf(most) : -1
  };
}

const wordsWith = (text, word) => splitWords(visible(text).toLowerCase()).join(" ") // a particle behind it is cut off
  .replace(RegExp(`(?<![\\p{L}\\p{N}_])(${word})(?=(${PARTICLES})(?![\\p{L}\\p{N}_]))`, "gu"), "$1 ").split(" ");

async function placeSentence({ stories, typed, own, stop: shown }, open) {
  if (!typed.trim()) return { own: [], trouble: "" };
  const number = stories.findIndex(({ word }) => wordsWith(typed, word).includes(word));
  if (number < 0) throw new Error(noWord(stories.map(({ word }) => word)));
  const story = stories[number],
    { word } = story,
    before = own.filter(one => one.word === number && one.text !== typed).slice(-1),
    at = async (stop, text) => { // an untrained network and the like are not in the page
      if (stop.one) return { place: [0, 0], kind: -1 };
      const name = SYSTEMS[stop.name]?.[HANGUL.test(word) ? "ko" : "en"],
        model = name ? await open(name) : null;
      if (!model) return { place: null, kind: null };
      const key = `${word} ${name}`,
        words = wordsWith(text, word);
      if (!charted.has(key)) charted.set(key, chart(story, stop, model));
      return placed(Array.from(model.encode(words).at(-1)[words.indexOf(word)]), charted.get(key));
    };
  const found = await Promise.all([...before.map(({ text }) => text), typed].map(async text => {
    const stops = await Promise.all(story.stops.map(stop => at(stop, text)));
    return { word: number, text, places: stops.map(({ place }) => place), kinds: stops.map(({ kind }) => kind) };
  }));
  const { kinds } = found.at(-1), // where the system that is shown has no place for it, the last that has one is shown
    stop = kinds[shown] == null ? kinds.findLastIndex(kind => kind != null) : shown;
  return { word: number, stop, own: found, trouble: "" };
}

// scalar_mix: the products of a sentence's layers with those of the occurrences, as course/widgets/sense_mix.py.
const mixed = new Map(); // name and sentences -> the layers of each occurrence

async function mixSentence({ sentences, positions, products, typed }, open) {
  if (!typed.trim()) return { own: {}, trouble: "" };
  const known = [...new Set(sentences.map((words, i) => words[positions[i]].toLowerCase()))],
    words = splitWords(typed),
    position = words.findIndex(word => known.includes(word.toLowerCase())),
    name = HANGUL.test(known.join("")) ? "bilm-ko" : "bilm-en",
    n = sentences.length;
  if (position < 0) throw new Error(noWord(known));
  const { encode } = await open(name),
    layersOf = (sentence, at) => encode(sentence).map(layer => layer[at]),
    key = JSON.stringify([name, sentences]);
  if (!mixed.has(key)) mixed.set(key, sentences.map((sentence, i) => layersOf(sentence, positions[i])));
  const rows = mixed.get(key),
    mine = layersOf(words, position),
    last = rows[0].at(-1),
    stored = products.getFloat32(products.byteLength - 2 * n * (n + 1), true); // the first one's, in the top layer
  if (Math.abs(inner(last, last) - stored) > .001 * stored)
    throw new Error(
      t("The vectors of this picture are not those of {name}, the one that this page can ask.", { name }));
  const cross = mine.map(a => mine.map((_, b) => rows.map(row => inner(a, row[b]))));
  return { own: { words, position, cross, self: mine.map(a => mine.map(b => inner(a, b))) }, trouble: "" };
}

// ask_words, ask_review: as course/widgets/typed_words.py says. A given text has its answer stored.
const MOST_WORDS_LISTED = 10;

async function askWords({ typed, given }, open) {
  if (!typed.trim() || given.includes(typed)) return { trouble: "" };
  const { words, row, nearest } = await open(HANGUL.test(typed) ? "skipgram-ko" : "skipgram-en"),
    terms = [];
  let sign = 1;
  for (const part of visible(typed).replaceAll("+", " + ").trim().split(/\s+/)) {
    if (["+", "-", "−"].includes(part)) {
      sign = part === "+" ? 1 : -1;
      continue;
    }
    const of = { word: part.slice(0, 60), n: many(words.length) };
    if (row(part) === undefined) throw new Error(t("“{word}” is not among the {n} words of this table.", of));
    terms.push([sign, row(part)]);
    sign = 1;
  }
  if (!terms.length) throw new Error(t("Type a word."));
  const rows = nearest(terms, MOST_WORDS_LISTED),
    asked = terms.map(([s, r]) => `${s > 0 ? "+" : "−"} ${words[r]}`).join(" ").replace(/^\+ /, ""),
    said = rows.slice(0, 2).map(([word, cosine]) => `“${word}” (${cosine.toFixed(2)})`).join(t("list| and "));
  return { answer: { text: typed, says: t("Nearest to {asked}: {said}.", { asked, said }), rows }, trouble: "" };
}

async function askReview({ typed, given }, open) {
  if (!typed.trim() || given.includes(typed)) return { trouble: "" };
  const { labels, read } = await open("reviews-en"), { score, votes } = read(visible(typed)),
    name = labels[Number(score >= 0)],
    label = { neg: t("negative"), pos: t("positive") } [name] ?? name,
    judged = { label, share: share(1 / (1 + Math.exp(-Math.abs(score)))) },
    rows = votes.sort((a, b) => Math.abs(b[1]) - Math.abs(a[1])).slice(0, MOST_WORDS_LISTED),
    signed = weight => `${weight < 0 ? "−" : "+"}${Math.abs(weight).toFixed(2)}`,
    said = rows.slice(0, 2).map(([term, weight]) => `“${term}” (${signed(weight)})`).join(t("list| and "));
  const says = rows.length ? t("{label}, {share}. What weighs most: {said}.", { ...judged, said })
    : t("{label}, {share}: it knows no word of this, and only its leaning speaks.", judged);
  return { answer: { text: typed, says, rows }, trouble: "" };
}

const latest = new Map(); // frame -> what it asked last: an older question is not answered any more

function statusOf(frame) { // a line under it
  frame.after(frame.parentNode.querySelector(".loads") ?? h("p", { class: "loads", role: "status" }));
  return frame.nextSibling;
}

async function reply(frame, asked) {
  latest.set(frame, asked);
  const says = statusOf(frame);
  let missing = "";
  const open = async name => {
    if (name !== LARGE || name in opened) return load(name, arrived(name, says));
    missing = name;
    return null;
  };
  const answered = await ANSWERS[widgetOf(frame)](asked, open).catch(({ message }) => ({ trouble: message }));
  if (latest.get(frame) !== asked) return;
  frame.contentWindow.postMessage({ courseAnswer: answered }, "*");
  says.textContent = "";
  if (missing) says.append(askLarge(() => {
    load(missing, arrived(missing, says)).catch(() => {});
    reply(frame, asked);
  }));
}
const widgetOf = frame => frame.dataset.widget ?? frame.title; // a Korean page has another title
addEventListener("message", ({ data, source }) => {
  const frame = [...document.querySelectorAll(".widget iframe")].find(one => one.contentWindow === source);
  if (frame && ANSWERS[widgetOf(frame)] && data?.courseAsk) reply(frame, data.courseAsk);
});
