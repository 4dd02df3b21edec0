// The reader's one sentence: typed on the front page or in a chapter, kept by the browser (keep.js of course/site),
// offered to every widget that can be asked, and read by the systems of the course, each when it comes into view.
const LONGEST_SENTENCE = 200,
  MOST_READ = 30, // words of it
  FIRST = 5, // a word is expected where it is among so many guesses
  HERE = document.body.dataset.page; // of a chapter; the front page has none
const sentence = () => typeof kept.sentence === "string" ? kept.sentence.slice(0, LONGEST_SENTENCE) : "";
const inKorean = text => HANGUL.test(text),
  isWord = word => /\p{L}/u.test(word),
  sizeOf = name => `${name}, ${live.megabytes[name].toFixed(1)} MB`;

// A row of words, under each how probable it was: [[word, p, the best guess, its rank], ...]
const isMet = ([, , , rank]) => rank <= FIRST;
const likelyRow = (label, rows) => {
  const of = { label, n: rows.filter(isMet).length, all: rows.length, k: FIRST };
  const says = t("{label}: {n} of {all} are among the first {k} guesses", of);
  const title = ([word, p, guess]) => t("{word}: {share}; first guess: {guess}", { word, share: share(p), guess });
  return h("div", { class: "likely" }, h("b", {}, says), h("p", {}, rows.map(row =>
    h("span", { style: `--p:${(100 * row[1]).toFixed(1)}%`, "data-p": row[1], title: title(row) }, row[0]))));
};
const judged = (word, id, p, names) => [word, p[id] ?? 0, names[best(p, 1)[0]], id in p ? rankOf(p, id) : Infinity];
const askLink = text => h("p", {}, h("a", { href: `ask_bert.html#${new URLSearchParams({ text })}` },
  t("Where do its heads look? Ask BERT →")));

function typedRow(says, attributes, label, go) { // a field, and a button that does what Enter does
  const field = textField({ maxlength: LONGEST_SENTENCE, ...attributes });
  onKeys(field, () => ({ Enter: field.value }), go);
  return h("div", { class: "row" }, h("label", {}, h("span", {}, says), field), button(label, () => go(field.value)));
}

const NAMES = { // of the heads' tags, without B- and I-
  ...{ person: t("name|person"), location: t("name|place"), group: t("name|group") },
  ...{ corporation: t("name|company"), product: t("name|product"), "creative-work": t("name|work") }
};
const named = tags => tags.flatMap(([word, tag, p], i) => {
  const kind = tag.slice(2), // nothing of O
    hue = 60 * Object.keys(NAMES).indexOf(kind);
  return [h("span", { class: kind && "name", style: `--hue:${hue}`, title: `${NAMES[kind] ?? "–"}, ${share(p)}` }, word,
    kind && tags[i - 1]?.[1].slice(2) !== kind ? h("small", {}, ` ${NAMES[kind]}`) : null), " "];
});

const LABELS = { pos: t("positive"), neg: t("negative"), answers: t("yes"), other: t("no") };
const judgement = ([[label, p]]) => ({ label: LABELS[label], share: share(p) });

// title; models: their names; pages: the chapters that show it, its own first; read: how many of how many it reached,
// that in words, and what to show
const SYSTEMS_READ = [{
  title: t("A table of word vectors: each word's nearest word"),
  models: text => [inKorean(text) ? "skipgram-ko" : "skipgram-en"],
  pages: ["01_word_vectors", "02_embedding_layer"],
  read: (words, [{ row, nearest }]) => {
    const letters = [...new Set(words)].filter(isWord),
      known = letters.filter(word => row(word) !== undefined),
      near = known.map(word => `${word} → ${nearest([[1, row(word)]], 1)[0][0]}`).join(" · "),
      strange = letters.filter(word => !known.includes(word)).join(", "),
      of = { n: known.length, all: letters.length };
    return [of, t("{n} of {all} words are in its table", of), h("p", {}, near),
      h("p", {}, strange && t("Not in its table: {words}.", { words: strange }))];
  }
}, {
  title: t("A language model in each direction, as in TagLM and ELMo: which word comes next?"),
  models: text => [inKorean(text) ? "bilm-ko" : "bilm-en"],
  pages: ["04_elmo", "03_taglm_and_cove", "05_ulmfit"],
  read: (words, [{ expect, words: names }]) => {
    const rows = expect(words).map(found => // the first of its names is that of unknown words
        words.map((word, i) => judged(word, names.indexOf(word) || -1, found[i], names))),
      of = { n: words.filter((_, i) => rows.some(row => isMet(row[i]))).length, all: words.length };
    return [of, t("{n} of {all} words are expected from one side at least", of),
      likelyRow(t("from the left"), rows[0]), likelyRow(t("from the right"), rows[1]),
      HERE === "05_ulmfit" ? t("ULMFiT's own network is not in this page. It reads from the left, too.") : ""];
  }
}, {
  title: t("Attention: where a head of BERT looks most, the next words aside"),
  models: text => [languageModel(text)],
  pages: ["06_transformer"],
  read: (words, [{ config: { n_heads }, wordWeights }], text) => {
    const [m, top] = [words.length, words.map(() => [0])]; // its largest weight, the head, the other word
    wordWeights(words).forEach((weight, i) => {
      const [head, a, b] = [Math.floor(i / m / m), Math.floor(i / m) % m, i % m],
      name = `${Math.floor(head / n_heads) + 1}.${head % n_heads + 1}`;
      if (Math.abs(a - b) > 1 && isWord(words[b]) && weight > top[a][0]) top[a] = [weight, name, words[b]];
    });
    const all = words.flatMap((word, a) => isWord(word) && top[a][0] ? [[word, ...top[a]]] : []),
      of = { n: all.filter(([, weight]) => weight > .5).length, all: all.length },
      where = ([, weight, name], i) => `${i ? name : t("head {head}", { head: name })}, ${share(weight)}`,
      listed = all.map((one, i) => `${one[0]} → ${one[3]} (${where(one, i)})`).join(" · ");
    return [of, t("{n} of {all} words have a head that gives half of its weight to one far word", of),
      h("p", {}, listed), askLink(text)];
  }
}, {
  title: t("BERT: each piece hidden in turn, and read from both sides"),
  models: text => [languageModel(text)],
  pages: ["07_bert"],
  read: (words, [{ pieces, forward }], text) => {
    const tokens = readText(text, pieces).slice(0, MOST_READ);
    const rows = tokens.map(({ id, piece }, i) => judged(piece, id,
      forward(rowOf(tokens, pieces, (_, place) => place === i), [i + 1]).probabilities[0], pieces.vocabulary));
    const of = { n: rows.filter(isMet).length, all: rows.length };
    return [of, t("{n} of {all} pieces are expected", of), likelyRow(t("from both sides"), rows), askLink(text)];
  }
}, {
  title: t("A list of words judges it as a review"),
  models: () => ["reviews-en"],
  pages: ["08_heads"],
  read: async (words, [{ read }], text) => {
    const { answer } = await askReview({ typed: text, given: [] }, load), letters = words.filter(isWord),
      of = { n: letters.filter(word => read(word).votes.length).length, all: letters.length };
    return [of, t("{n} of {all} words are in its list", of), h("p", {}, answer.says)];
  }
}, {
  title: t("Four heads on one BERT: names, a verdict, and your question"),
  models: text => inKorean(text) ? [] : [LARGE, "heads-en"],
  pages: ["08_heads"],
  read: (words, [, heads], text) => {
    if (!heads) return [{}, t("These heads have learned English only.")];
    const tags = heads.tag(text),
      of = { n: tags.filter(([, , p]) => p >= .9).length, all: tags.length },
      said = h("p", { role: "status" });
    const ask = question => { // the span head, and the pair head
      if (!splitWords(question).length) return;
      const { start, end } = heads.answer(question, text), does = judgement(heads.classify("pair", question, text));
      said.replaceChildren(text.slice(0, start), h("mark", {}, text.slice(start, end)), text.slice(end), " ",
        t("The pair head: does it answer the question? {label}, {share}.", does));
    };
    return [of, t("{n} of {all} tags are given with at least 90 %", of), h("p", {}, named(tags)),
      h("p", {}, t("The sentence head: {label}, {share}.", judgement(heads.classify("sentence", text)))),
      typedRow(t("a question about it, in English"), { placeholder: "Who was it?" }, t("ask"), ask), said];
  }
}];

function systemRow({ title, models, pages, read }, number) { // --s0, ...: its room, in style.css
  const says = h("p", { class: "loads", role: "status" }),
    body = h("div", {}),
    link = h(HERE ? "b" : "h3", {}, h("a", { href: `${pages[0]}.html` }, title)),
    node = h("li", { style: `--room:var(--s${number})` }, link, body, says);
  let shown = "";
  async function show(asked) {
    const text = sentence();
    if (!text || text === shown) return;
    const names = models(text),
      words = splitWords(text).slice(0, MOST_READ);
    if (names.includes(LARGE) && !(LARGE in opened) && !asked) return says.replaceChildren(askLarge(() => show(true)));
    shown = text;
    try {
      const found = await Promise.all(names.map(name => load(name, arrived(name, says))));
      says.textContent = names.map(sizeOf).join(" · ");
      const [{ n, all }, reached, ...drawn] = await read(words, found, text);
      const bar = all ? h("s", { style: `--p:${100 * n / all}%` }) : "";
      if (shown === text) body.replaceChildren(h("p", { class: "got" }, bar, reached), ...drawn);
    } catch (error) {
      says.textContent = error.message;
      shown = "";
    }
  }
  const eye = new IntersectionObserver(([entry]) => entry.isIntersecting && show());
  eye.observe(node);
  return { pages, node, again: () => (eye.unobserve(node), eye.observe(node)) };
}

const yours = document.getElementById("yours");
if (yours) {
  const all = SYSTEMS_READ.map(systemRow),
    own = all.filter(({ pages }) => pages.includes(HERE)), // none on the front page and in chapter 9
    rows = own.length ? own : all;
  const send = typed => {
    keep(all => Object.assign(all, { sentence: visible(typed).trim() }));
    noteSentence();
    rows.forEach(({ again }) => again());
    offer();
  };
  yours.append(
    h("p", {}, own.length ? t("What does the system of this chapter make of a sentence of your own?")
      : t("Typed once, kept in this browser, and offered to the widgets of all chapters. "
        + "How far does each system get with it?")),
    typedRow(t("your sentence"), { value: sentence() || plainText(EXAMPLES[0]) }, t("read it"), send),
    h("ol", {}, rows.map(({ node }) => node)));
}

function give(frame, text) {
  const post = () => frame.contentWindow.postMessage({ courseSentence: text }, "*");
  frame.addEventListener("load", post, { once: true }); // it may be on its way
  frame.loading = "eager";
  if (frame.getBoundingClientRect().top < 0) frame.scrollIntoView(); // on a phone the answer would lie above the screen
  post();
}

// The widget of heads is drawn anew, from its stored state with the sentence's weights in it.
const isMap = frame => widgetOf(frame) === "What does this head look at?" && frame.srcdoc.includes('"encoder"'),
  mapModel = text => inKorean(text) ? "bert-ko" : LARGE;
async function giveMap(frame, text) {
  const says = statusOf(frame),
    name = mapModel(text),
    words = splitWords(text).slice(0, MOST_READ);
  try {
    const { config: { n_layers, n_heads }, wordWeights } = await load(name, arrived(name, says));
    const weights = Array.from(new Uint8Array(wordWeights(words).buffer), byte => String.fromCharCode(byte)).join(""),
      shape = [n_layers, n_heads, words.length, words.length],
      changed = { shape, exact: true, tokens: words, sources: words, gold: {}, relation: "", query: 0, key: -1 };
    if (name !== LARGE) Object.assign(changed, { layer: 0, head: 0 });
    frame.srcdoc = frame.srcdoc.replace(/("weights": ")[^"]*/, (_, start) => start + btoa(weights))
      .replace(/(const state = )(\{.*\})(?=, heard)/, (_, start, state) => start +
        JSON.stringify({ ...JSON.parse(state), ...changed }).replaceAll("<", "\\u003c"));
    says.textContent = "";
  } catch (error) {
    says.textContent = error.message;
  }
}

// Under each widget that can be asked (above it the page would jump): the sentence, or its words where a word is asked.
function offer() {
  const text = sentence();
  for (const old of document.querySelectorAll(".offer"))
    if (old.dataset.text !== text) old.remove();
  for (const frame of text ? document.querySelectorAll(".widget iframe") : []) {
    const answers = ANSWERS[widgetOf(frame)];
    if (!(answers || isMap(frame)) || frame.parentNode.querySelector(".offer")) continue;
    const words = [...new Set(splitWords(text))].filter(isWord),
      parts = answers === askWords ? words : [text];
    const offers = parts.slice(0, MOST_READ).map(part => button(part, () => (answers ? give : giveMap)(frame, part)));
    frame.parentNode.append(h("p", { class: "offer", "data-text": text }, t("your sentence"), " ", offers,
      answers ? "" : ` ${sizeOf(mapModel(text))}`));
  }
}
offer();
document.addEventListener("click", () => setTimeout(offer)); // a card of "Play" has opened, or there is a sentence now
