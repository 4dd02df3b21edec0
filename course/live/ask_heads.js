// All heads small, each with the name of what it does with this sentence, and the chosen one large.
const pc = x => (100 * x < .5 ? "< 1" : Math.round(100 * x)) + PERCENT.replace(" ", "\u00a0");
const HABITS = [ // the first five by how far the piece looked at stands behind the one that looks, from -2
  [t("2 back"), t("two pieces back")],
  [t("piece|previous"), t("at the previous piece")],
  [t("piece|itself"), t("at the piece itself")],
  [t("piece|next"), t("at the next piece")],
  [t("2 on"), t("two pieces on")],
  ["[CLS]", t("at [CLS]")],
  ["[SEP]", t("at [SEP]")],
  [t("gap"), t("at the gap")]
];
const [CLS, SEP, GAP] = [5, 6, 7];
const LEAST_HABIT = .3; // of the weight: with less on one relation, a head is called spread

// What a head does: the relation that takes most of its weight on average over the pieces; and over how many pieces it
// spreads: exp of the mean entropy.
function habit(weights, n, gaps) {
  const sums = new Float64Array(HABITS.length), // at every key, for every head: no lists and maps in here
    asked = Math.max(1, n - 2);
  let entropy = 0;
  for (let q = 1; q < n - 1; q++) {
    for (let k = 0; k < n; k++) {
      const weight = weights[q * n + k] / asked;
      if (weight > 0) entropy -= weight * Math.log(weight * asked);
      if (k === 0) sums[CLS] += weight;
      else if (k === n - 1) sums[SEP] += weight;
      else if (Math.abs(k - q) <= 2) sums[k - q + 2] += weight;
    }
    for (const k of gaps)
      if (k !== q) sums[GAP] += weights[q * n + k] / asked;
  }
  const most = mostOf(sums),
    [name, where] = sums[most] >= LEAST_HABIT ? HABITS[most] : [];
  return { name, where, share: name ? sums[most] : 0, pieces: Math.exp(entropy).toFixed(1) };
}
const mostOf = row => row.reduce((top, weight, i) => weight > row[top] ? i : top, 0);

function headPanels(state, { choose, ask }) {
  const ink = h("span", { class: "amount", hidden: true }), // its colour is that of weights
    grid = h("div", { class: "grid" }),
    read = h("p", { class: "read" }),
    title = h("h5", {});
  const canvas = h("canvas", played(t("Weights of this head. Arrow keys move the cell, brackets change the head.")));
  const small = h("div", { class: "all" }, h("h5", {}, t("2 · All heads")), grid),
    large = h("div", { class: "large" }, title, canvas, read, ink),
    off = document.createElement("canvas");
  let cells = [],
    place = null; // of the large picture's cells: {x, y, size}

  const colour = () => getComputedStyle(ink).color.match(/[\d.]+/g).slice(0, 3).map(Number);
  const rowOfQuery = () => {
    const { answer: { n }, heads, layer, head, query } = state;
    return heads[layer][head].weights.subarray(query * n, (query + 1) * n);
  };
  const told = does => does.name ? `${does.name} ${pc(does.share)}` : t("spread over {pieces} pieces", does);

  function paint(on, weights, n, [red, green, blue]) { // a pixel a cell
    const image = new ImageData(n, n),
      { data } = image;
    for (let i = 0, to = 0; i < n * n; i++) {
      data[to++] = red;
      data[to++] = green;
      data[to++] = blue;
      data[to++] = 255 * weights[i];
    }
    if (on.width !== n) on.width = on.height = n;
    on.getContext("2d").putImageData(image, 0, 0);
  }

  function buildGrid() {
    cells = state.heads.map((row, l) => row.map((_, i) => {
      const picture = h("canvas", { "aria-hidden": "true" }),
        caption = h("span", {}),
        much = h("b", {});
      const of = { type: "button", ...KEYS, onclick: () => choose(l, i) };
      return { picture, caption, much, cell: h("button", of, picture, caption, h("i", {}, much)) };
    }));
    grid.style.setProperty("--heads", cells[0].length);
    const label = l => h("span", { class: "lab" }, t("layer {n}", { n: l + 1 }));
    grid.replaceChildren(...cells.flatMap((row, l) => [label(l), ...row.map(({ cell }) => cell)]));
  }
  onArrows(grid, (down, on) => {
    const layer = state.layer + down,
      head = state.head + on;
    if (!cells[layer]?.[head]) return;
    choose(layer, head);
    cells[layer][head].cell.focus();
  });

  function drawGrid() {
    const { answer, heads } = state,
    rgb = colour();
    if (cells.length !== heads.length || cells[0].length !== heads[0].length) buildGrid();
    heads.forEach((row, l) => row.forEach(({ weights, habit: does }, i) => {
      const { picture, caption, much, cell } = cells[l][i],
        on = l === state.layer && i === state.head,
        of = { ...does, head: `${l + 1}.${i + 1}`, share: pc(does.share) },
        says = does.name ? t("head {head}: {share} of its weight {where}; spread over {pieces} pieces", of) :
        t("head {head}: spread over {pieces} pieces", of);
      paint(picture, weights, answer.n, rgb);
      caption.textContent = does.name ?? t("spread");
      much.style.width = `${100 * does.share}%`;
      attrs(cell, { title: says, "aria-label": says, "aria-pressed": String(on), tabindex: on ? 0 : -1 });
    }));
  }

  function drawLarge() {
    const { answer: { n, names }, heads, layer, head, query, key } = state,
    weights = heads[layer][head].weights,
      does = heads[layer][head].habit,
      avail = canvas.parentElement.clientWidth,
      ratio = devicePixelRatio || 1;
    title.textContent = t("3 · Head {head}: {does}", { head: `${layer + 1}.${head + 1}`, does: told(does) });
    if (!avail) return;
    const longest = Math.max(...names.map(name => width(name, 12))),
      x = Math.min(92, longest + 12),
      y = Math.min(70, .82 * Math.min(84, longest) + 12),
      size = Math.min(30, (avail - x - 26) / n),
      side = size * n,
      wide = Math.min(avail, x + side + 26),
      high = y + side + 2;
    place = { x, y, size };
    [canvas.width, canvas.height] = [wide * ratio, high * ratio];
    attrs(canvas, { style: `width:${wide}px;height:${high}px` });
    const c = canvas.getContext("2d"),
      { color: letters, fontFamily: family } = getComputedStyle(title),
      fine = size < 8, // then only the two names that matter have room
      faint = (alpha, draw) => {
        c.globalAlpha = alpha;
        draw();
        c.globalAlpha = 1;
      };
    c.scale(ratio, ratio);
    [c.fillStyle, c.strokeStyle, c.imageSmoothingEnabled] = [`rgb(${colour()})`, letters, false];
    faint(.1, () => c.fillRect(0, y + query * size, x + side, size));
    paint(off, weights, n, colour());
    if (fine) c.drawImage(off, x, y, side, side);
    else
      weights.forEach((weight, i) => {
        const [left, top] = [x + i % n * size + .5, y + Math.floor(i / n) * size + .5];
        if (weight > .004) faint(Math.min(1, weight), () => c.fillRect(left, top, size - 1, size - 1));
      });
    faint(.25, () => c.strokeRect(x + .5, y + .5, side, side));
    const row = rowOfQuery(),
      most = key ?? mostOf(row),
      font = fine ? 11 : Math.max(7, Math.min(12, .76 * size));
    c.textBaseline = "middle";
    c.fillStyle = letters;
    names.forEach((name, i) => {
      const write = (bold, room, dx, dy, turn, align) => {
        if (fine && !bold) return;
        c.save();
        c.globalAlpha = bold ? 1 : .72;
        c.font = `${bold ? 700 : 400} ${font}px ${family}`;
        c.textAlign = align;
        c.translate(dx, dy);
        c.rotate(turn);
        c.fillText(cut(name, room, font), 0, 0);
        c.restore();
      };
      write(i === query, x - 8, x - 5, y + (i + .5) * size, 0, "right");
      write(i === most, 76, x + (i + .5) * size, y - 5, -1, "left");
    });
    c.lineWidth = 2;
    c.strokeRect(x + most * size, y + query * size, size, size);
    const order = [...row.keys()].filter(k => row[k] >= .005).sort((a, b) => row[b] - row[a]).slice(0, 5),
      cell = key !== null && { word: names[query], source: names[key], share: (100 * row[key]).toFixed(1) },
      chosen = cell ? t("Cell: {word} → {source}, {share} %.", cell) : "";
    read.textContent = `${names[query]} → ${order.map(k => `${names[k]} ${pc(row[k])}`).join(", ")}. ${chosen}`;
  }

  const cellAt = ({ clientX, clientY }) => {
    const box = canvas.getBoundingClientRect(),
      k = Math.floor((clientX - box.left - place.x) / place.size),
      q = Math.floor((clientY - box.top - place.y) / place.size),
      { n } = state.answer;
    return q >= 0 && q < n && k < n ? [q, k >= 0 ? k : null] : null;
  };
  for (const kind of ["pointermove", "pointerdown"])
    canvas.addEventListener(kind, event => {
      const found = place && (kind === "pointerdown" || event.pointerType === "mouse") && cellAt(event);
      if (found) ask(...found);
    });
  const turn = step => () => {
    const { heads, layer, head } = state,
    wide = heads[0].length,
      all = heads.length * wide,
      to = (layer * wide + head + step + all) % all;
    choose(Math.floor(to / wide), to % wide);
  };
  onArrows(canvas, (down, right) => {
    const { answer: { n }, query, key } = state,
    q = query + down,
      k = (key ?? mostOf(rowOfQuery())) + right;
    if (q >= 0 && q < n && k >= 0 && k < n) ask(q, k);
  }, { "[": turn(-1), "]": turn(1) });
  return { drawGrid, drawLarge, rowOfQuery, small, large };
}
