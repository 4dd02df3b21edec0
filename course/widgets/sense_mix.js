// the same numbers as sense_mix.py, from the same products
const pairsOf = n => Array.from({ length: n }, (_, a) => Array.from({ length: n - a }, (_, d) => [a, a + d])).flat();

function senseAccuracy(G, n, senses) {
  let size = 0;
  for (let i = 0; i < n; i++) size += G[i * n + i] / n;
  const slack = 1e-5 * Math.max(size, 1e-12),
    hits = new Map();
  for (let i = 0; i < n; i++) {
    const far = senses.map((_, j) => j === i ? Infinity : G[i * n + i] + G[j * n + j] - 2 * G[i * n + j]),
      least = Math.min(...far);
    const guesses = new Set(senses.filter((_, j) => far[j] <= least + slack));
    const row = hits.get(senses[i]) ?? hits.set(senses[i], []).get(senses[i]);
    row.push(guesses.has(senses[i]) ? 1 / guesses.size : 0);
  }
  const means = [...hits.values()].map(row => row.reduce((a, b) => a + b, 0) / row.length);
  return means.reduce((a, b) => a + b, 0) / means.length;
}
// Two main directions of the centred products by power iteration.
// It starts from the last picture, so dots move and do not flip.
function places(G, n, start) {
  const mean = new Float64Array(n),
    B = new Float64Array(n * n);
  let all = 0;
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) {
      mean[i] += G[i * n + j] / n;
      all += G[i * n + j] / (n * n);
    }
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) B[i * n + j] = G[i * n + j] - mean[i] - mean[j] + all;
  const found = [];
  for (let axis = 0; axis < 2; axis++) {
    let v = start[axis].slice(),
      value = 0;
    for (let round = 0; round < 120; round++) {
      const w = new Float64Array(n);
      for (let i = 0; i < n; i++) {
        let t = 0;
        for (let j = 0; j < n; j++) t += B[i * n + j] * v[j];
        w[i] = t;
      }
      if (axis) {
        let dot = 0;
        for (let i = 0; i < n; i++) dot += w[i] * found[0].v[i];
        for (let i = 0; i < n; i++) w[i] -= dot * found[0].v[i];
      }
      const norm = Math.hypot(...w);
      value = norm;
      if (norm < 1e-12) break;
      let moved = 0;
      for (let i = 0; i < n; i++) {
        const next = w[i] / norm;
        moved = Math.max(moved, Math.abs(next - v[i]));
        v[i] = next;
      }
      if (moved < 1e-7) break;
    }
    found.push({ v, value });
  }
  return found;
}

export default {
  render({ model, el }) {
    const layers = model.get("layers"),
      senses = model.get("senses"),
      sentences = model.get("sentences"),
      positions = model.get("positions");
    const strips = model.get("strips"),
      presets = model.get("presets"),
      n = senses.length,
      L = layers.length,
      bytes = model.get("products");
    const t = teller(model),
      names = [...new Set(senses)],
      kinds = names.map(name => t(name)).join(", "),
      pairs = pairsOf(L);
    const products = pairs.map((_, p) => { // shipped: i <= j only
      const whole = new Float64Array(n * n);
      let at = p * n * (n + 1) / 2;
      for (let i = 0; i < n; i++)
        for (let j = i; j < n; j++) whole[i * n + j] = whole[j * n + i] = bytes.getFloat32(4 * at++, true);
      return whole;
    });
    const set = setter(model),
      { get, under } = reader(model),
      TRAITS = ["raw", "gamma", "chosen", "last", "typed"];
    const mixed = weights => {
      const G = new Float64Array(n * n);
      pairs.forEach(([a, b], p) => {
        const f = (a === b ? 1 : 2) * weights[a] * weights[b];
        if (f) { for (let q = 0; q < n * n; q++) G[q] += f * products[p][q]; }
      });
      return G;
    };
    const alone = layers.map((_, l) => senseAccuracy(mixed(layers.map((_, k) => +(k === l))), n, senses));
    const best = alone.indexOf(Math.max(...alone)),
      pct = x => (100 * x).toFixed(0);
    const st = stage(el, t("Which layers does a task want?"));
    st.root.classList.add("cw-mix");

    const finding = (weights = softmaxOf(get("raw")), score = senseAccuracy(mixed(weights), n, senses)) => {
      if (get("last") === "all")
        return t("The same added to all raw weights moves nothing: the softmax sees only differences. "
          + "{kinds}: still told apart in {score} %.", { kinds, score: pct(score) });
      const g = get("gamma").toFixed(1);
      if (get("last") === "gamma")
        return t("γ = {g}: every dot is {g} times as far out as with γ = 1, and no neighbour has changed: "
          + "the score stands at {score} %.", { g, score: pct(score) });
      const mix = weights.map((s, l) => t("{n} % {layer}", { n: pct(s), layer: t(layers[l]) })).join(", ");
      const values = { mix, kinds, score: pct(score), layer: t(layers[best]), best: pct(alone[best]) };
      return t("{mix}. {kinds}: told apart in {score} % (best layer alone: {layer}, {best} %).", values);
    };

    // controls
    const moved = (l, v) => set({ raw: model.get("raw").map((old, k) => k === l ? v : old), last: "raw" });
    const sliders = layers.map((name, l) =>
      st.shows(slider({
        label: t("w, {layer}", { layer: t(name) }),
        min: -40,
        max: 40,
        value: 0,
        show: v => (v / 10).toFixed(1),
        oninput: v => moved(l, v / 10)
      }), () => Math.round(10 * model.get("raw")[l])));
    const gamma = traitSlider(st, model, "gamma", {
      label: t("γ, the scale"),
      scale: 10,
      min: 1,
      max: 50,
      show: x => x.toFixed(1),
      also: { last: "gamma" }
    });
    const more = button(t("+1 to all"), () =>
      set({
        raw: model.get("raw").map(w => Math.min(4, w + 1)),
        last: model.get("raw").some(w => w > 3) ? "raw" : "all"
      }));
    const start = stateOf(model, TRAITS);
    const reset = button(t("reset"), () => set(start));
    const choices = presets.map(([name, raw]) => button(t(name), () => set({ raw, last: "raw" })));
    st.root.append(h("div", { class: "row sliders" }, sliders.map(x => x.node), gamma.node),
      h("div", { class: "row buttons" }, h("span", { class: "soft" }, t("mix:")), choices, more, reset));

    // the softmax as one bar
    const parts = layers.map((name, l) => h("span", { class: `part p${l}` }));
    const stack = h("div", { class: "stack", role: "img" }, parts);
    // the map
    const svg = s("svg", {
      class: "map",
      ...played(t("Occurrences of the word. Arrow keys go from one to the next."))
    });
    const axes = s("g", {}),
      dotsG = s("g", {}),
      ring = s("g", { class: "ring" }, s("circle", { r: 9 }), s("circle", { r: 3 }));
    svg.append(axes, dotsG, ring);
    const SHAPES = [
      r => `M0 ${-r}A${r} ${r} 0 1 1 -.01 ${-r}Z`,
      r => `M${-r} ${-r}H${r}V${r}H${-r}Z`,
      r => `M0 ${-r * 1.3}L${r * 1.2} ${r}H${-r * 1.2}Z`,
      r => `M0 ${-r * 1.4}L${r * 1.4} 0L0 ${r * 1.4}L${-r * 1.4} 0Z`
    ];
    const dots = senses.map((sense, i) => {
      const k = names.indexOf(sense) % 4,
        dot = s("g", { class: `dot s${k}`, onclick: () => set({ chosen: i }) }, s("circle", { class: "hit", r: 11 }),
          s("path", { d: SHAPES[k](5) }), s("title", {}, sentences[i].join(" ")));
      dotsG.append(dot);
      return dot;
    });
    const legend = h("div", { class: "legend" }, names.map((name, k) => {
      const mark = s("svg", { width: 16, height: 16, viewBox: "-8 -8 16 16" },
        s("g", { class: `dot s${k % 4}` }, s("path", { d: SHAPES[k % 4](5) })));
      return h("span", {}, mark, cut(t(name), 200));
    }));
    const read = h("p", { class: "read", "aria-live": "polite" }),
      says = h("p", { class: "read mine", "aria-live": "polite" }),
      form = ownSentence(model, t("your own sentence with one of these words"), set);
    says.hidden = form.hidden;
    // the gauge
    const filled = h("i", {}),
      value = h("b", {}),
      bestSays = t("best layer ({layer})", { layer: t(layers[best]) });
    const gauge = h("div", { class: "gauge" }, h("span", {}, cut(kinds, 160)), value,
      h("span", { class: "track" }, filled, h("em", {
        class: "best",
        style: `left:${100 * alone[best]}%`,
        title: `${bestSays} ${(100 * alone[best]).toFixed(1)}${PERCENT}`
      })),
      h("span", { class: "soft" },
        h("span", {}, h("em", { class: "best" }), ` ${bestSays} ${pct(alone[best])}${PERCENT} `)));
    // the four steps
    const rows = [...layers.map((name, l) => ({ name: t(name), l })),
      { name: t("sum"), l: -1 }, { name: t("γ × sum"), l: -2 }];
    const numbers = rows.map(() => strips[0][0].map(() => h("span", { class: "cell" }))),
      tags = rows.map(() => h("span", { class: "weight" }));
    const steps = h("div", { class: "steps" }, h("h5", {}, t("How the vector of this occurrence is made")),
      h("p", { class: "soft" },
        t("1 both directions of each layer side by side · 2 times its weight · 3 added up · 4 times γ. "
          + "Of each direction the first numbers are shown.")),
      h("div", { class: "strips" },
        rows.map((row, r) =>
          h("div", { class: "strip" + (row.l < 0 ? " out" : "") },
            h("span", { class: "name", title: row.name }, cut(row.name, 60)), tags[r],
            h("span", { class: "both" }, [0, 1].map(way => h("span", {},
              numbers[r].slice(way * numbers[r].length / 2, (way + 1) * numbers[r].length / 2)))))
        )));
    const left = h("div", { class: "left" },
      h("h5", {}, t("The softmax of the {n} raw weights: always 100 %", { n: L })), stack,
      h("h5", {}, t("Where the word stands in each sentence")), svg, legend, read, form, says);
    const right = h("div", { class: "right" }, h("h5", {}, t("What a probe makes of this mix")), gauge, steps);
    const body = h("div", { class: "panels" }, left, right);
    st.root.append(body,
      h("p", { class: "note" }, t("Distances, map and sense score are exact for every mix."), " ",
        t("The map shows two directions only: what is near on it need not be near in all. "
          + "Numbers on the axes are lengths of vectors.")));

    let last = [0, 1].map(axis =>
      Float64Array.from({ length: n }, (_, i) => Math.sin((axis + 1) * (i + 1)) / Math.sqrt(n / 2))
    );
    let side = 300,
      bar = 300,
      at = [];
    const nice = x => {
      const p = 10 ** Math.floor(Math.log10(x));
      return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map(k => k * p).find(v => v >= x - 1e-12);
    };

    const trouble = () => model.get("trouble") ?? "";

    function placeOwn(weights, G, found, scale) { // from its products with the others, at this mix
      const own = model.get("own");
      if (trouble() || !own?.words) return null;
      const pairs = weights.flatMap((a, i) => weights.map((b, j) => [a * b, own.self[i][j], own.cross[i][j]])),
        with_ = Array.from({ length: n }, (_, i) => pairs.reduce((sum, [f, , row]) => sum + f * row[i], 0)),
        size = pairs.reduce((sum, [f, self]) => sum + f * self, 0);
      let near = 0;
      const far = i => size + G[i * n + i] - 2 * with_[i];
      for (let i = 1; i < n; i++)
        if (far(i) < far(near)) near = i;
      const off = with_.map((value, i) => value - G.subarray(i * n, i * n + n).reduce((a, b) => a + b) / n),
        to = ({ v, value }) => value > 1e-9 ? off.reduce((sum, x, i) => sum + x * v[i], 0) / Math.sqrt(value) : 0;
      return { ...own, near, at: found.map(axis => scale * to(axis)) };
    }

    function draw() {
      const raw = model.get("raw"),
        weights = softmaxOf(raw),
        G = mixed(weights),
        g = model.get("gamma"),
        chosen = model.get("chosen");
      const score = senseAccuracy(G, n, senses),
        found = places(G, n, last);
      last = found.map(f => f.v.slice());
      at = senses.map((_, i) => found.map(f => g * f.v[i] * Math.sqrt(Math.max(0, f.value))));
      const own = placeOwn(weights, G, found, g),
        reach = nice(1.1 * Math.max(...[...at, own?.at ?? []].flat().map(Math.abs), 1e-9)),
        half = side / 2;
      const move = (dot, [x, y]) => {
        dot.style.transform = `translate(${half + x / reach * (half - 14)}px,${half - y / reach * (half - 14)}px)`;
        dot.dataset.x = x.toFixed(5);
        dot.dataset.y = y.toFixed(5);
      };
      dots.forEach((dot, i) => {
        move(dot, at[i]);
        dot.classList.toggle("chosen", i === chosen);
      });
      ring.style.display = own ? "" : "none";
      if (own) move(ring, own.at);
      const near = own && { sentence: sentences[own.near].join(" "), sense: t(senses[own.near]) };
      says.replaceChildren(...own ? [...inBold(own.words, own.position), h("br", {}), h("small", {},
        t("Your sentence, ringed; nearest: “{sentence}”, {sense}.", near))] : [trouble()]);
      axes.replaceChildren(s("path", { class: "axis", d: `M0 ${half}H${side}M${half} 0V${side}` }),
        letters(+reach.toPrecision(2), side - 3, half - 5, "end", "soft"),
        letters(`−${+reach.toPrecision(2)}`, 4, half - 5, "start", "soft"));
      svg.dataset.reach = reach;
      svg.dataset.chosen = chosen;
      parts.forEach((part, l) => {
        part.style.width = `${100 * weights[l]}%`;
        const says = `${cut(t(layers[l]), 80)} ${pct(weights[l])}${PERCENT}`,
          room = weights[l] * bar - 10;
        part.textContent = [says, `${pct(weights[l])}${PERCENT}`, ""].find(text => width(text) <= room || !text);
        part.dataset.value = weights[l].toFixed(6);
      });
      stack.setAttribute("aria-label", weights.map((w, l) => `${t(layers[l])} ${pct(w)}${PERCENT}`).join(", "));
      filled.style.width = `${100 * score}%`;
      value.textContent = `${(100 * score).toFixed(1)}${PERCENT}`;
      gauge.dataset.value = score.toFixed(6);
      read.replaceChildren(h("small", {}, cut(t(senses[chosen]), 300)), h("br", {}),
        ...inBold(sentences[chosen], positions[chosen]));
      rows.forEach(({ l }, r) => {
        const values = strips[0][chosen].map((_, d) =>
          l >= 0 ? strips[l][chosen][d]
          : weights.reduce((t, w, k) => t + w * strips[k][chosen][d], 0) * (l === -2 ? g : 1)
        );
        tags[r].textContent = l >= 0 ? `× ${weights[l].toFixed(2)}` : "=";
        numbers[r].forEach((cell, d) => {
          const v = values[d];
          cell.textContent = v.toFixed(1).replace("-", "−");
          cell.style.setProperty("--a", Math.min(1, Math.abs(v)));
          cell.classList.toggle("minus", v < 0);
        });
      });
      st.tell(finding(weights, score));
    }
    onArrows(svg, (down, right) => set({ chosen: (model.get("chosen") + down + right + n) % n }));
    let waiting = false; // several traits change at once: one picture
    const soon = () => {
      if (!waiting) {
        waiting = true;
        queueMicrotask(() => {
          waiting = false;
          draw();
        });
      }
    };
    return st.live(model, [...TRAITS, "own", "trouble"], soon, now => {
      body.classList.toggle("wide", now >= 720);
      bar = now >= 720 ? now / 2 - 14 : now;
      side = Math.min(bar, 440);
      attrs(svg, { width: side, height: side, viewBox: `0 0 ${side} ${side}` });
      draw();
    }, () => under([{ last: "all" }, { last: "gamma" }, ...presets.map(([, raw]) => ({ raw, last: "raw" }))], finding));
  }
};
