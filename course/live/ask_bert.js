// The page "Ask BERT": type, hide, read the guesses and the heads. The model runs here, at every key.
const SLOW = 40, // ms a pass: from here on it waits for a pause in typing
  LONGEST_TEXT = 10_000,
  PUBLISHED = "minilm-en",
  ENDING = ".safetensors";

function askBert(el) {
  const st = stage(el, t("What does it expect, and where does it look?"));
  st.root.classList.add("cw-ask");
  // query, key: the piece that looks and the one looked at, [CLS] is 0; hidden: places among the tokens
  const state = { text: "", tokens: [], hidden: new Set(), model: null, answer: null, heads: [] };
  Object.assign(state, { query: null, key: null, layer: 3, head: 3 });
  let english = "bert-en", // the model that reads what is not Korean
    own = null, // the reader's network, which reads everything
    wanted = "",
    begins = [], // hide the pieces that begin here, once the pieces are known
    past = [],
    typedAt = 0,
    typedGaps = 0,
    took = 0,
    pace = 0, // ms a piece
    waiting,
    remembering;

  // -- what stands on the page
  const field = textField({
    class: null,
    rows: 1,
    maxlength: LONGEST_TEXT,
    "aria-label": t("your sentence"),
    oninput: () => {
      if (Date.now() - typedAt > 1200) keep();
      typedAt = Date.now();
      change(field.value, null);
    },
    onkeydown: event => { // Enter also ends a syllable of Hangul
      if (event.key === "Enter" && !event.isComposing) event.preventDefault();
    }
  }, "textarea");
  const status = h("span", {}),
    bar = h("progress", { max: 1, value: 0, "aria-label": t("loading") }),
    percent = h("span", {}),
    loading = h("div", { class: "load", hidden: true }, bar, percent),
    trouble = h("p", { class: "trouble", role: "alert" }),
    strip = h("div", { class: "tokens", role: "group", "aria-label": t("pieces: Enter hides or shows one") }),
    unknown = h("p", { class: "soft" });
  const undo = button(t("undo"), () => {
    const last = past.pop();
    if (last) show(last.text, new Set(), last.starts);
  });
  const reset = button(t("reset"), () => given(EXAMPLES[0]));
  const other = button("", () => { // between ours and the published one
    english = english === PUBLISHED ? "bert-en" : PUBLISHED;
    state.query = state.key = null;
    if (english === PUBLISHED && !SENSED.test(state.text)) given(JUDGED);
    else if (english !== PUBLISHED && state.text === JUDGED && past.length) undo.click();
    else change(state.text, new Set(), [...state.hidden].map(i => state.tokens[i].start)); // their pieces differ
  });
  const able = h("span", { class: "soft" }, t("It came without its head for gaps: it guesses nothing, "
    + "but shows 72 heads and the sense in which it reads a word."));
  const offer = h("div", { class: "other", hidden: KOREAN }, other, able);
  const files = { // the reader's own networks, by choice
    one: h("input", { type: "file", hidden: true, accept: ENDING, onchange: event => chosen(event) }),
    folder: h("input", { type: "file", hidden: true, webkitdirectory: "", onchange: event => chosen(event) })
  };
  const back = button(t("ask {name} again", { name: KOREAN ? "bert-ko" : "bert-en" }), () => take(null));
  back.hidden = true;
  const named = h("span", {}),
    refused = h("p", { class: "refused", role: "alert" }),
    mine = h("div", { class: "mine" },
      button(t("open your own network"), () => files.one.click()),
      button(t("or a folder of them"), () => files.folder.click()), named, back,
      files.one, files.folder);
  const chips = EXAMPLES.map(example => {
    const attributes = { type: "button", class: "plain", ...KEYS, title: plainText(example) };
    return h("button", { ...attributes, onclick: () => given(example) }, plainText(example));
  });
  const guesses = guessPanel(state, { insert, timed, given }),
    pictures = headPanels(state, { choose, ask }),
    panels = h("div", { class: "panels", hidden: true }, guesses.node, pictures.small, pictures.large);
  st.root.append(
    h("div", { class: "typed" }, h("div", { class: "lab" }, h("span", {}, t("your sentence")), loading, status), field),
    h("div", { class: "given" }, h("span", { class: "lab" }, t("or take")), chips,
      h("span", { class: "back" }, undo, reset)),
    offer, mine, refused, trouble, strip, unknown, panels,
    h("p", { class: "note" },
      t("Click a piece to hide or show it; click a guess to put it in. Point at a piece: the bars under the others " +
        "say where it looks. ## goes on a word. Keys: arrows, Enter; in the large picture [ and ] change the head."),
      " ",
      t("A weight says where a head looks, not what it does with what it finds there."), " ",
      t("Korean: particles are cut off, as the model has learned them (배가 is read as 배 가).")));

  // -- what changes the state
  const isGap = (token, i) => token.typed || state.hidden.has(i);
  const gaps = () => state.tokens.flatMap((token, i) => isGap(token, i) ? [i] : []);

  function keep() {
    const starts = [...state.hidden].map(i => state.tokens[i]?.start); // the other model's pieces are others
    past = [...past.slice(-99), { text: state.text, starts }];
  }

  function given(example) {
    if (state.text) keep();
    show(plainText(example), new Set(), [example.indexOf("{")]);
  }

  function show(text, hidden, starts) {
    field.value = text;
    state.query = state.key = null;
    change(text, hidden, starts);
  }

  function change(text, hidden, starts = []) { // hidden: null while typing, then the hidden places move with the text
    state.text = text;
    begins = starts;
    wanted = own ? own.name : HANGUL.test(text) ? "bert-ko" : english;
    if (state.model?.name === wanted) update(hidden);
    else fetchModel(hidden ?? new Set()); // of a text in another language nothing is hidden yet
  }

  function busy(now) { // one place for how much has come and for what has read
    loading.hidden = !now;
    status.hidden = now;
  }

  async function fetchModel(hidden) {
    const asked = wanted;
    panels.classList.add("stale");
    trouble.textContent = "";
    const arrived = part => {
      if (asked !== wanted) return;
      busy(part < 1);
      bar.value = part;
      percent.textContent = onItsWay(asked, part);
    };
    try {
      const found = asked === own?.name ? own : await load(asked, arrived);
      if (asked !== wanted) return; // the text has changed its language meanwhile
      if (state.model !== found) Object.assign(state, { model: found, tokens: [], answer: null });
      state.layer = Math.min(state.layer, found.config.n_layers - 1);
      state.head = Math.min(state.head, found.config.n_heads - 1);
      pace = 0;
      update(hidden);
    } catch (error) {
      busy(false);
      trouble.textContent = t("{fault} Type to try again.", { fault: error.message });
      st.tell(t("The model could not be loaded."));
    }
  }

  // -- a network of the reader's own
  function take(model) { // null: back to the course's
    own = model;
    el.style.minHeight = model ? 0 : ""; // the room that is kept is that of the course's models
    refused.textContent = "";
    for (const one of named.children) one.setAttribute("aria-pressed", String(one.textContent === model?.name));
    back.hidden = !model;
    state.query = state.key = null;
    const strange = text => readText(plainText(text), model.pieces).filter(({ id }) => id === model.pieces.unknown),
      texts = [state.text, ...EXAMPLES, ...OWN_EXAMPLES].filter(Boolean), // the first of those with the fewest unknown
      [first] = model ? texts.sort((a, b) => strange(a).length - strange(b).length) : texts;
    if (first === state.text) change(first, new Set(), [...state.hidden].map(i => state.tokens[i].start));
    else given(first);
  }

  function offered(files) { // [name, bytes] of each: those that can be opened, the first of them open; else why not
    const usable = [];
    let fault = null;
    for (const [name, bytes] of files)
      try {
        usable.push(openKept(name, bytes));
      } catch (error) {
        fault ??= error;
      }
    named.replaceChildren(...(files.length > 1 ? usable.map(model => button(model.name, () => take(model))) : []));
    if (usable.length) take(usable[0]);
    else refused.textContent = fault.message;
    return usable.length;
  }

  async function chosen({ target }) {
    const found = [...target.files].filter(({ name }) => name.endsWith(ENDING)),
      small = found.filter(({ size }) => size <= MOST_BYTES),
      read = async file => [ // by its place in the folder that was chosen
        (file.webkitRelativePath.replace(/^[^/]*\//, "") || file.name).replace(ENDING, ""),
        new Uint8Array(await file.arrayBuffer())
      ];
    if (small.length) offered(await Promise.all(small.map(read)));
    else refused.textContent = found.length ? t("{file} is too large for this page.", { file: found[0].name }) :
      t("No file here ends in {ending}. Your networks lie in answers/kept/.", { ending: ENDING });
    target.value = ""; // so that the same one can be chosen again
  }

  function update(hidden) {
    const old = state.tokens,
      tokens = readText(state.text, state.model.pieces),
      { max_units: places } = state.model.config,
      of = { places, most: places - 2 },
      { query } = state;
    trouble.textContent = tokens.length <= of.most ? "" :
      t("Only the first {most} pieces are read: the model has {places} places, and [CLS] and [SEP] take two.", of);
    tokens.length = Math.min(tokens.length, of.most);
    state.hidden = hidden ? new Set([...hidden].filter(i => i < tokens.length)) : moved(state.hidden, old, tokens);
    if (!hidden && query > 0 && query <= old.length) // the piece that looks, too
      state.query = [...moved([query - 1], old, tokens)].map(i => i + 1)[0] ?? null;
    state.tokens = tokens;
    tokens.forEach((token, i) => begins.includes(token.start) && state.hidden.add(i));
    begins = [];
    busy(false);
    drawStrip();
    clearTimeout(waiting);
    guesses.rest();
    const expected = pace * (tokens.length + 2);
    if (hidden || expected <= SLOW) run();
    else {
      panels.classList.add("stale");
      waiting = setTimeout(run, Math.min(250, 2 * expected));
    }
  }

  function timed(ids, columns) {
    const start = performance.now(),
      found = state.model.forward(ids, columns);
    took = performance.now() - start;
    pace = Math.min(took / ids.length, pace ? 1.3 * pace : Infinity); // one slow pass, as the first, counts little
    return found;
  }

  function run() {
    const { model: { pieces, config, hasMlm }, tokens } = state,
    places = gaps(),
      ids = rowOf(tokens, pieces, isGap),
      n = ids.length,
      typed = tokens.filter(token => token.typed).length;
    const found = timed(ids, hasMlm ? places.map(i => i + 1) : []);
    state.answer = { ...found, ids, n, places, names: pieces.tokens(ids) };
    if (typed > typedGaps) state.query = state.key = null; // look at a [MASK] that was typed
    typedGaps = typed;
    if (state.query === null || state.query >= n) {
      const fresh = tokens.findIndex(token => token.typed);
      const judged = hasMlm ? -1 : tokens.findIndex(({ piece }) => Object.hasOwn(live.senses, piece));
      const shown = [fresh, places[0] ?? -1, judged].find(i => i >= 0) ?? 0;
      state.query = Math.min(shown + 1, n - 1);
    }
    if (state.key >= n) state.key = null;
    const weightsOf = (layer, head) => {
      const start = (layer * config.n_heads + head) * n * n;
      return found.attentions.subarray(start, start + n * n);
    };
    state.heads = Array.from({ length: config.n_layers }, (_, l) => Array.from({ length: config.n_heads }, (_, i) => {
      const weights = weightsOf(l, i);
      return { weights, habit: habit(weights, n, places.map(place => place + 1)) };
    }));
    draw();
  }

  function flip(place) {
    keep();
    const hidden = new Set(state.hidden);
    if (!hidden.delete(place)) hidden.add(place);
    Object.assign(state, { query: place + 1, key: null });
    update(hidden);
  }

  function insert(place, piece) {
    keep();
    const { tokens, model: { pieces } } = state,
    left = [...state.hidden].filter(i => i !== place),
      old = tokens.map((token, i) => i === place ? { ...token, id: pieces.index.get(piece) } : token);
    field.value = state.text = withPiece(state.text, tokens[place], piece);
    state.key = null;
    update(moved(left, old, readText(state.text, pieces)));
    strip.children[place + 1]?.focus();
  }

  function ask(query, key = null) { // which piece looks
    const { answer } = state;
    if (!answer || query >= answer.n || query === state.query && key === state.key) return; // the strip can be ahead
    const gap = query !== state.query && answer.places.length > 1 && answer.places.includes(query - 1);
    Object.assign(state, { query, key });
    drawBars();
    pictures.drawLarge();
    tellFinding();
    if (gap) guesses.lean();
  }

  function choose(layer, head) {
    Object.assign(state, { layer, head });
    pictures.drawGrid();
    drawBars();
    pictures.drawLarge();
    tellFinding();
    remember();
  }

  // -- drawing
  function draw() {
    const { model, answer, tokens, heads } = state;
    panels.classList.remove("stale");
    panels.classList.toggle("many", answer.places.length > 1);
    panels.classList.toggle("big", heads[0].length > 4);
    panels.hidden = !tokens.length;
    undo.disabled = !past.length;
    offer.hidden = model === own || model.name === "bert-ko";
    const of = { name: PUBLISHED, size: live.megabytes[PUBLISHED].toFixed(1) };
    able.style.visibility = english === PUBLISHED ? "hidden" : ""; // its place stays
    other.textContent = english === PUBLISHED ? t("ask {name} again", { name: "bert-en" }) :
      t("ask {name}, a published BERT with 72 heads ({size} MB, loaded once)", of);
    const ms = took < 9.95 ? took.toFixed(1) : Math.round(took);
    status.textContent = t("{name} · {n} pieces · {ms} ms in {kind}", { ...model, n: answer.n, ms });
    drawStrip();
    guesses.draw();
    pictures.drawGrid();
    pictures.drawLarge();
    st.tell(finding());
    remember();
  }

  function tellFinding() { // of a text that is not read yet it is told when it is
    if (state.answer.n === state.tokens.length + 2) st.tell(finding());
  }

  function finding() {
    const { tokens, model, answer: { places, probabilities, names }, layer, head, query } = state;
    if (!tokens.length) return t("Type a sentence.");
    const row = pictures.rowOfQuery(),
      most = mostOf(row),
      number = places.indexOf(query - 1),
      gap = places.length > 1 ? t("gap {n}", { n: number + 1 }) : t("the gap"),
      who = number < 0 ? `“${names[query]}”` : gap,
      where = most === query ? t("itself") : `“${names[most]}”`,
      of = { head: `${layer + 1}.${head + 1}`, who, where, share: pc(row[most]) },
      looks = t("In head {head} {who} looks most at {where} ({share}).", of);
    if (!model.hasMlm) return `${looks} ${t("{name} guesses nothing: it came without its head for gaps.", model)}`;
    if (!places.length) return `${t("Nothing is hidden: click a piece.")} ${looks}`;
    const says = places.slice(0, 2).map((place, gap) => {
      const p = probabilities[gap],
        order = best(p, TOP),
        { typed, id, piece: token } = tokens[place],
        covered = share(order.reduce((sum, id) => sum + p[id], 0)),
        first = `“${model.pieces.vocabulary[order[0]]}” (${share(p[order[0]])})`,
        of = { name: model.name, around: `“${around(names, place + 1)}”`, best: first, n: TOP, share: covered },
        expects = gap ? t("For the second gap it expects {best}; the first {n} cover {share}.", of) :
        t("For the gap in {around}, {name} expects {best}; the first {n} cover {share}.", of),
        own = { token, rank: many(rankOf(p, id)), share: share(p[id]) };
      if (typed || id === model.pieces.unknown) return expects;
      return `${expects} ${t("“{token}”, hidden here, is guess {rank} ({share}).", own)}`;
    });
    return [...says, looks].join(" ");
  }

  function drawStrip() {
    const { tokens, model, answer } = state,
    places = gaps(),
      held = [...strip.children].indexOf(document.activeElement);
    const box = (label, i, attributes) => h("button", {
      type: "button",
      ...KEYS,
      tabindex: i === Math.max(0, Math.min(held, tokens.length)) ? 0 : -1,
      title: width(label, 14) > 260 ? label : null,
      onpointerenter: event => {
        if (event.pointerType === "mouse") ask(i);
      },
      onfocus: () => ask(i),
      ...attributes
    }, cut(label, 260, 14), h("i", {}));
    const boxOf = (token, i) => {
      const gap = places.indexOf(i),
        off = gap >= 0,
        of = { n: gap + 1, piece: token.piece },
        name = token.typed ? t("gap {n}", of) : t("gap {n}, hides {piece}", of);
      return box(off ? `${MASK}${places.length > 1 ? ` ${gap + 1}` : ""}` : token.piece, i + 1, {
        class: `token${off ? " hidden" : ""}${token.id === model.pieces.unknown ? " odd" : ""}`,
        "aria-pressed": String(off),
        "aria-label": off ? name : token.piece,
        "data-piece": token.piece,
        onclick: () => token.typed ? ask(i + 1) : flip(i)
      });
    };
    const special = { class: "token special" };
    const ends = [box("[CLS]", 0, special), box("[SEP]", tokens.length + 1, special)];
    strip.replaceChildren(...(tokens.length ? [ends[0], ...tokens.map(boxOf), ends[1]] : []));
    if (held >= 0) strip.children[Math.min(held, strip.children.length - 1)]?.focus({ preventScroll: true });
    const odd = tokens.filter(token => token.id === model.pieces.unknown),
      spelt = [...new Set(odd.map(token => cut(state.text.slice(token.start, token.end), 200)))].slice(0, 8);
    const of = { name: model.name, what: spelt.join(" ") };
    unknown.textContent = odd.length ?
      t("{name} does not know: {what}. A word with what is not known is [UNK].", of) : "";
    if (answer?.n === tokens.length + 2) drawBars();
  }

  function drawBars() { // under each piece: how much the asking one looks at it
    const { answer, query } = state;
    if (!answer || strip.children.length !== answer.n || query >= answer.n) return;
    const row = pictures.rowOfQuery();
    [...strip.children].forEach((box, i) => {
      box.classList.toggle("asks", i === query);
      box.lastChild.style.width = row[i] < .015 ? "0" : `${100 * row[i]}%`;
      box.dataset.weight = row[i].toFixed(6);
    });
  }
  onList(strip, box => {
    for (const child of strip.children) child.tabIndex = child === box ? 0 : -1;
    box.focus();
  });

  // -- the address holds the state, so that a link can be sent
  function address() { // what stands on the page, as the end of its address
    const { text, hidden, layer, head } = state;
    const wish = { text, hide: [...hidden].join("."), head: `${layer + 1}.${head + 1}` };
    if (!wish.hide) delete wish.hide;
    return `#${new URLSearchParams(wish)}`;
  }

  function remember() { // not at each key: Safari allows 100 changes in half a minute
    clearTimeout(remembering);
    remembering = setTimeout(() => {
      try {
        history.replaceState(null, "", address());
      } catch { /* a browser that forbids it for pages from the disk */ }
    }, 400);
  }

  function fromAddress() {
    const wish = new URLSearchParams(location.hash.slice(1)),
      among = (i, first, last) => Number.isInteger(i) && first <= i && i <= last,
      [layer, head] = (wish.get("head") ?? "4.4").split(".").map(Number),
      numbers = (wish.get("hide") ?? "").split(".").filter(Boolean).map(Number),
      text = (wish.get("text") ?? "").slice(0, LONGEST_TEXT);
    if ([layer, head].every(i => among(i, 1, 4))) Object.assign(state, { layer: layer - 1, head: head - 1 });
    if (text) show(text, new Set(numbers.filter(i => among(i, 0, 125))));
    else given(EXAMPLES[0]);
  }

  const repaint = () => {
    if (!state.answer) return;
    pictures.drawGrid();
    pictures.drawLarge();
  };
  new MutationObserver(repaint).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  st.watch(now => {
    panels.classList.toggle("three", now >= 900);
    panels.classList.toggle("two", now >= 560 && now < 900);
    if (state.answer) pictures.drawLarge();
  });
  addEventListener("hashchange", () => {
    const text = new URLSearchParams(location.hash.slice(1)).get("text");
    if (!text || text === state.text) return;
    keep();
    fromAddress();
  });
  document.addEventListener("click", event => { // the reader's own sentence goes along into the other language
    const other = event.target.closest?.("a.language");
    if (other && !EXAMPLES.some(example => plainText(example) === state.text)) other.hash = address();
  });
  busy(true);
  st.tell(t("The model is on its way."));
  const brought = globalThis.courseOwn, // by `course ask`: {name, base64}
    bytes = brought && Uint8Array.from(atob(brought.base64), sign => sign.charCodeAt(0));
  if (!brought || !offered([[brought.name, bytes]])) fromAddress();
  live.state = () => ({ ...state, hidden: [...state.hidden] });
}
const place = document.getElementById("ask-bert");
if (place) askBert(place); // on a chapter's page there is only kernel.js
