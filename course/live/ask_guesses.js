// What the model expects in each gap, and what its first guess leans on: each other piece is hidden, too, in turn, and
// the gap is asked again.
const TOP = 10,
  MOST_LISTS = 6,
  REST = 250, // ms without a key: then what takes many passes is computed
  MOST_ASKED = 64; // pieces: beyond, asking again for each takes too long

function guessPanel(state, { insert, timed, given }) {
  const lists = h("div", { class: "lists" }),
    leans = h("div", { class: "leans" });
  const title = h("h5", {}),
    node = h("div", { class: "gaps" }, title, lists, leans),
    read = new Map(); // word -> its sentences and what the model makes of the word in each

  function guess(place, probabilities, id, rank) {
    const { model: { pieces }, tokens } = state,
    piece = pieces.vocabulary[id],
      p = probabilities[id],
      right = !tokens[place].typed && id === tokens[place].id,
      of = { piece, share: share(p) };
    return h("button", {
        type: "button",
        class: `guess${right ? " right" : ""}${rank > TOP ? " out" : ""}`,
        ...KEYS,
        "data-piece": piece,
        "data-p": p,
        "aria-label": right ? t("put in “{piece}”, {share}, the token that is hidden", of)
          : t("put in “{piece}”, {share}", of),
        onclick: () => insert(place, piece)
      },
      h("span", { class: "rank" }, many(rank)),
      h("span", { class: "piece", title: piece }, piece, right && rank <= TOP ? " ✓" : ""),
      h("span", { class: "track" }, h("i", { style: `width:${100 * p}%` })), h("b", {}, of.share));
  }

  function list(place, gap) {
    const { answer: { places, probabilities }, tokens } = state,
    token = tokens[place],
      first = best(probabilities[gap], TOP),
      rows = first.map((id, i) => guess(place, probabilities[gap], id, i + 1));
    if (!token.typed && !first.includes(token.id))
      rows.push(guess(place, probabilities[gap], token.id, rankOf(probabilities[gap], token.id)));
    const n = gap + 1,
      title = h("h6", {}, t("gap {n}", { n }), token.typed ? "" : ` (${token.piece})`),
      of = { role: "group", "aria-label": t("guesses for gap {n}", { n }) },
      found = h("div", of, places.length > 1 ? title : null, rows);
    onKeys(found, ({ target }) => {
      const i = rows.indexOf(target);
      return { ArrowDown: rows[i + 1], ArrowUp: rows[i - 1], Home: rows[0], End: rows.at(-1) };
    }, to => to?.focus());
    return found;
  }

  function draw() {
    const { model, answer: { places } } = state,
    says = text => lists.append(h("p", { class: "soft" }, text));
    lists.replaceChildren();
    leans.hidden = !model.hasMlm;
    title.textContent = model.hasMlm ? t("1 · What it expects") : t("1 · Which sense it reads");
    if (!model.hasMlm) {
      rest();
      resting = setTimeout(senses, REST);
      return;
    }
    if (!places.length) says(t("Nothing is hidden: click a piece."));
    else lists.append(...places.slice(0, MOST_LISTS).map(list));
    if (places.length > MOST_LISTS)
      says(t("The first {n} of {all} gaps are shown.", { n: MOST_LISTS, all: places.length }));
    lean();
  }

  // The sense of a word of which the course has sentences: the top layer's vector beside the mean of each sense's.
  function senses() {
    const { model, tokens, hidden, answer: { hiddenStates, n } } = state,
    place = tokens.findIndex(({ piece, start, end }, i) => // a word of one piece, which is seen
      Object.hasOwn(live.senses, piece) && !hidden.has(i) && state.text.slice(start, end).toLowerCase() === piece);
    if (place < 0) {
      const words = Object.keys(live.senses).join(", ");
      lists.append(h("p", { class: "soft" }, t("Type a sentence with one of these words: {words}.", { words })),
        button(JUDGED, () => given(JUDGED)));
      return;
    }
    const word = tokens[place].piece,
      top = hiddenStates.at(-1),
      mine = Array.from(top.subarray((place + 1) * top.length / n, (place + 2) * top.length / n));
    if (!read.has(word))
      read.set(word, live.senses[word].map(([words, at, sense]) =>
        ({ words, at, sense, vector: Array.from(model.encode(words).at(-1)[at]) })));
    const cosine = other => inner(mine, other) / Math.hypot(...mine) / Math.hypot(...other),
      rows = read.get(word),
      near = rows.reduce((most, row) => cosine(row.vector) > cosine(most.vector) ? row : most),
      vectorsOf = name => rows.filter(({ sense }) => sense === name).map(({ vector }) => vector),
      names = [...new Set(rows.map(({ sense }) => sense))],
      means = names.map(name => [name, cosine(meanOf(vectorsOf(name)))]);
    means.sort((a, b) => b[1] - a[1]);
    const says = t("How near “{word}” lies to the mean of each sense, in other sentences (cosine):", { word });
    lists.append(h("div", {}, h("h6", {}, says),
      ...means.map(([sense, x]) => h("div", { class: "guess sense", "data-sense": sense, "data-cosine": x },
        h("span", {}), h("span", { class: "piece", title: sense }, sense),
        h("span", { class: "track" }, h("i", { style: `width:${100 * Math.max(0, x)}%` })), h("b", {}, x.toFixed(2)))),
      h("p", { class: "soft" }, t("Nearest:"), " “", ...inBold(near.words, near.at), `”, ${near.sense}.`)));
  }

  let resting;

  function rest() { // what was begun for an older sentence ends
    clearTimeout(resting);
    leans.replaceChildren();
    delete leans.dataset.leans;
  }

  function lean() { // one pass for each other piece, while the reader rests
    rest();
    const { model, tokens, answer: { ids, places, probabilities }, query } = state,
    gap = Math.max(0, places.indexOf(query - 1)),
      others = tokens.map((_, i) => i).filter(i => !places.includes(i));
    if (!probabilities.length || others.length < 2 || ids.length > MOST_ASKED + 2) return;
    const [first] = best(probabilities[gap], 1),
      whole = probabilities[gap][first],
      found = [];
    const step = () => {
      const i = others[found.length];
      if (i === undefined) {
        showLeans(model.pieces.vocabulary[first], whole, found);
        return;
      }
      const changed = ids.map((id, place) => place === i + 1 ? model.pieces.mask : id);
      found.push([tokens[i].piece, timed(changed, [places[gap] + 1]).probabilities[0][first]]);
      resting = setTimeout(step);
    };
    resting = setTimeout(step, REST);
  }

  function showLeans(piece, whole, found) { // the three that move the guess most, by the ratio of the chances
    const moves = found.map(([other, p]) => [other, p, Math.abs(Math.log((p + 1e-6) / (whole + 1e-6)))])
      .sort((a, b) => b[2] - a[2]).slice(0, 3);
    const says = t("“{piece}” has {share}; with one more piece hidden:", { piece, share: share(whole) });
    leans.replaceChildren(h("h6", {}, says),
      ...moves.map(([other, p]) => h("div", { class: "guess without" }, h("span", {}),
        h("span", { class: "piece", title: other }, t("no “{piece}”", { piece: other })),
        h("span", { class: "track" }, h("i", { style: `width:${100 * p}%` }),
          h("em", { style: `left:${100 * whole}%` })),
        h("b", {}, share(p)))));
    leans.dataset.leans = JSON.stringify(moves.map(([other, p]) => [other, p]));
  }
  return { node, draw, lean, rest };
}
