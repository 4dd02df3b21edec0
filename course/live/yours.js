// The reader's one sentence: typed on the front page, kept by the browser (keep.js of course/site), offered to every
// widget that can be asked, and read by the systems of the course, each when it comes into view.
const LONGEST_SENTENCE = 200,
  MOST_READ = 30, // words of it
  FIRST = 5; // a word is expected where it is among so many guesses
const sentence = () => typeof kept.sentence === "string" ? kept.sentence.slice(0, LONGEST_SENTENCE) : "";
const inKorean = text => HANGUL.test(text);

// A row of words, under each how probable it was: [[word, p, the best guess, its rank], ...]
const likelyRow = (label, rows) => {
  const met = rows.filter(([, , , rank]) => rank <= FIRST).length;
  const of = { label, n: met, all: rows.length, k: FIRST },
  says = t("{label}: {n} of {all} are among the first {k} guesses", of);
  return h("div", { class: "likely" }, h("b", {}, says), h("p", {}, rows.map(([word, p, guess]) =>
    h("span", {
      style: `--p:${(100 * p).toFixed(1)}%`,
      "data-p": p,
      title: t("{word}: {share}; first guess: {guess}", { word, share: share(p), guess })
    }, word))));
};
const judged = (word, id, p, names) => [word, p[id] ?? 0, names[best(p, 1)[0]], id in p ? rankOf(p, id) : Infinity];

const SYSTEMS_READ = [
  {
    title: t("A table of word vectors: each word's nearest word"),
    models: text => [inKorean(text) ? "skipgram-ko" : "skipgram-en"],
    page: "01_word_vectors",
    read: (words, [{ row, nearest }]) => {
      const letters = [...new Set(words)].filter(word => /\p{L}/u.test(word)),
        unknown = letters.filter(word => row(word) === undefined),
        known = letters.filter(word => row(word) !== undefined),
        near = known.map(word => `${word} → ${nearest([[1, row(word)]], 1)[0][0]}`),
        strange = unknown.join(", ");
      const missing = strange ? t("Not in its table: {words}.", { words: strange }) : t("It knows all words.");
      return [h("p", {}, near.join(" · ")), h("p", {}, missing)];
    }
  },
  {
    title: t("ELMo: each direction expects the next word"),
    models: text => [inKorean(text) ? "bilm-ko" : "bilm-en"],
    page: "04_elmo",
    read: (words, [{ expect, words: names }]) => {
      const ids = words.map(word => names.indexOf(word)),
        found = expect(words);
      return [t("from the left"), t("from the right")].map((label, direction) =>
        likelyRow(label, words.map((word, i) => judged(word, ids[i] > 0 ? ids[i] : -1, found[direction][i], names))));
    }
  },
  {
    title: t("BERT: each piece hidden in turn, and read from both sides"),
    models: text => [languageModel(text)],
    page: "07_bert",
    read: (words, [{ pieces, forward }], text) => {
      const tokens = readText(text, pieces).slice(0, MOST_READ);
      return [likelyRow(t("from both sides"), tokens.map(({ id, piece }, i) => {
        const row = rowOf(tokens, pieces, (_, place) => place === i);
        return judged(piece, id, forward(row, [i + 1]).probabilities[0], pieces.vocabulary);
      })), h("p", {}, h("a", { href: `ask_bert.html#${new URLSearchParams({ text })}` },
        t("Where do its heads look? Ask BERT →")))];
    }
  },
  {
    title: t("A list of words judges it as a review"),
    models: () => ["reviews-en"],
    page: "08_heads",
    read: async (words, models, text) => {
      const { answer, trouble } = await askReview({ typed: text, given: [] }, name => load(name));
      return [h("p", {}, trouble || answer.says)];
    }
  }
];

function systemRow({ title, models, page, read }) {
  const says = h("p", { class: "loads", role: "status" }),
    body = h("div", {}),
    node = h("li", {}, h("h3", {}, h("a", { href: `${page}.html` }, title)), says, body);
  let shown = "";
  async function show() {
    const text = sentence();
    if (!text || text === shown) return;
    shown = text;
    const names = models(text),
      words = splitWords(text).slice(0, MOST_READ);
    try {
      const found = await Promise.all(names.map(name => load(name, part => {
        says.textContent = onItsWay(name, part);
      })));
      says.textContent = names.map(name => `${name}, ${live.megabytes[name].toFixed(1)} MB`).join(" · ");
      const drawn = await read(words, found, text);
      if (shown === text) body.replaceChildren(...drawn);
    } catch (error) {
      says.textContent = error.message;
      shown = "";
    }
  }
  const eye = new IntersectionObserver(([entry]) => {
    if (entry.isIntersecting) show();
  });
  eye.observe(node);
  return { node, again: () => (eye.unobserve(node), eye.observe(node)) };
}

const yours = document.getElementById("yours");
if (yours) {
  const field = h("input", { class: "word", maxlength: LONGEST_SENTENCE, autocomplete: "off", value: sentence() }),
    rows = SYSTEMS_READ.map(systemRow),
    list = h("ol", { hidden: !sentence() }, rows.map(({ node }) => node));
  const send = () => {
    keep(all => {
      all.sentence = visible(field.value).trim();
    });
    list.hidden = !sentence();
    rows.forEach(({ again }) => again());
  };
  onKeys(field, () => ({ Enter: 1 }), send);
  const label = h("label", {}, h("span", {}, t("your sentence")), field);
  yours.append(
    h("p", {}, t("Typed once, kept in this browser, and offered to the widgets of all chapters. "
      + "How far does each system get with it?")),
    h("div", { class: "row" }, label, button(t("read it"), send)), list);
}

function give(frame, text) {
  const post = () => frame.contentWindow.postMessage({ courseSentence: text }, "*");
  frame.addEventListener("load", post, { once: true }); // it may be on its way
  frame.loading = "eager";
  post();
}

// Under each widget that can be asked (above it the page would jump): the sentence, or its words where a word is asked.
function offer() {
  const text = sentence();
  for (const frame of text ? document.querySelectorAll(".widget iframe") : []) {
    const title = widgetOf(frame);
    if (!ANSWERS[title] || frame.parentNode.querySelector(".offer")) continue;
    const words = [...new Set(splitWords(text))].filter(word => /\p{L}/u.test(word)),
      parts = ANSWERS[title] === askWords ? words : [text];
    const offers = parts.slice(0, MOST_READ).map(part => button(part, () => give(frame, part)));
    frame.parentNode.append(h("p", { class: "offer" }, t("your sentence"), " ", offers));
  }
}
offer();
document.addEventListener("click", () => setTimeout(offer)); // a card of "Play" has opened, or there is a sentence now
