const pctOf = x => x > 0 && x < .0005 ? `< 0.1${PERCENT}` : (100 * x).toFixed(1) + PERCENT;

export default {
  render({ model, el }) {
    const layers = model.get("layers"),
      steps = model.get("steps"),
      n = layers.length,
      TRAITS = ["opens", "factor", "cut", "ratio"];
    const { get, under } = reader(model),
      set = setter(model),
      t = teller(model);
    const st = stage(el, t("Who learns when?"));
    st.root.classList.add("cw-rates");
    const triangle = (t, cut = get("cut"), ratio = get("ratio")) => {
      const top = Math.floor(steps * cut),
        p = t < top ? t / top : 1 - (t - top) / (top ? top * (1 / cut - 1) : steps);
      return (1 + Math.max(0, p) * (ratio - 1)) / ratio;
    };
    const share = i => get("factor") ** -(n - 1 - i),
      rate = (i, t) => t >= get("opens")[i] ? share(i) * triangle(t) : 0;
    const areas = () => {
      const after = new Float64Array(steps + 1); // of the triangle, from each step to the end
      for (let t = steps - 1; t >= 0; t--) after[t] = after[t + 1] + triangle(t);
      const raw = layers.map((_, i) => share(i) * after[get("opens")[i]]),
        sum = Math.max(raw.reduce((a, b) => a + b, 0), 1e-12);
      return raw.map(v => v / sum);
    };
    const finding = (shares = areas()) => {
      const opens = get("opens"),
        trained = layers.map((_, i) => i).filter(i => opens[i] < steps);
      if (!trained.length) return t("All layers are frozen: nothing learns.");
      const most = shares.indexOf(Math.max(...shares)),
        frozen = n - trained.length,
        first = trained[0];
      const values = { layer: layers[most], share: pctOf(shares[most]), frozen, n };
      Object.assign(values, { first: layers[first], little: pctOf(shares[first]) });
      if (frozen)
        return t("“{layer}” may do {share} of the moving; {frozen} of {n} layers stay as they were.", values);
      const says = first !== most
        ? t("“{layer}” may do {share} of the moving, “{first}” {little}: "
          + "what it knows of the language is kept.", values)
        : t("“{layer}” may do {share} of the moving: the lowest layer moves most, and forgets first.", values);
      const late = { step: many(Math.max(...opens)), steps: many(steps) };
      return `${says} ${
        new Set(opens).size > 1 ? t("The last layer to open does so at step {step} of {steps}.", late)
          : t("All layers open at once.")
      }`;
    };

    const factor = traitSlider(st, model, "factor", {
      label: t("each layer below: rate ÷"),
      scale: 10,
      min: 10,
      max: 50,
      show: x => x.toFixed(1),
      ticks: [1, 2, 3, 4, 5]
    });
    const cutAt = traitSlider(st, model, "cut", {
      label: t("rising part of the triangle"),
      scale: 100,
      min: 1,
      max: 90,
      show: x => Math.round(100 * x) + PERCENT
    });
    const ratio = traitSlider(st, model, "ratio", { label: t("highest rate ÷ lowest"), min: 1, max: 64 });
    for (const c of [factor, cutAt, ratio]) c.node.style.width = "200px";
    const gradual = layers.map((_, i) => Math.floor(steps * (n - 1 - i) / (2 * n)));
    const paper = { factor: 2.6, cut: .1, ratio: 32 },
      start = stateOf(model, TRAITS);
    const presets = [
      [t("paper"), { opens: gradual, ...paper }],
      [t("all at once"), { opens: layers.map(() => 0), ...paper }],
      [t("all at once, one rate"), { opens: layers.map(() => 0), factor: 1, cut: .1, ratio: 1 }],
      [t("last only"), { opens: layers.map((_, i) => i === n - 1 ? 0 : steps), ...paper }]
    ];
    st.root.append(h("div", { class: "row" }, factor.node, cutAt.node, ratio.node),
      h("div", { class: "row", style: "margin-top:8px" },
        presets.map(([name, state]) => button(name, () => set(state))), button(t("reset"), () => set(start))));
    const svg = s("svg", {});
    st.root.append(h("div", { class: "body" }, svg),
      h("p", { class: "note" },
        t("Height: learning rate, as a share of the highest. "
          + "Area: how far a layer may move, drawn at the right as its share of all. "
          + "Red marks: the step at which a layer opens; drag them, or Tab to one and use the arrow keys. "
          + "At the right end a layer stays frozen.")));

    const ROW = 44,
      TOP = 8,
      LEFT = Math.min(150, 20 + Math.max(...layers.map(l => width(l))));
    let W = 0,
      m = null;

    function build() {
      const right = W < 560 ? 64 : 150,
        plot = W - LEFT - right,
        X = t => LEFT + t / steps * plot;
      svg.replaceChildren();
      attrs(svg, { width: W, height: TOP + n * ROW + 40 });
      m = { X, plot, rows: [], barW: right - 80 };
      for (let k = 0; k <= 4; k++)
        svg.append(rule("grid", X(k * steps / 4), TOP, X(k * steps / 4), TOP + n * ROW),
          letters(many(Math.round(k * steps / 4)), X(k * steps / 4), TOP + n * ROW + 16, "middle", "soft"));
      svg.append(letters(t("step"), X(steps / 2), TOP + n * ROW + 33, "middle", "soft"));
      for (let i = n - 1; i >= 0; i--) {
        const base = TOP + (n - i) * ROW - 4,
          r = { i, base };
        r.shade = box("frozen", LEFT, base - ROW + 8, 0, ROW - 8);
        r.area = s("path", { class: "area" });
        r.num = letters("", W - 4, base - 12, "end", "b");
        r.bar = box("bar", LEFT + plot + 12, base - 22, 0, 12, { rx: 2 });
        r.mark = handle({
            label: t("opens {layer}", { layer: layers[i] }),
            min: 0,
            max: steps,
            now: () => get("opens")[i],
            steps: [.01, .1].map(part => Math.max(1, Math.round(part * steps))),
            at: event => (event.clientX - svg.getBoundingClientRect().left - LEFT) / plot * steps,
            put: step => set({ opens: get("opens").map((old, k) => k === i ? step : old) })
          }, box("hit", -14, -ROW + 4, 28, ROW), rule(null, 0, -ROW + 10, 0, 0),
          s("circle", { class: "dot", r: 6, cy: -ROW + 12 }));
        const name = letters(cut(layers[i], LEFT - 14), LEFT - 10, base - 12, "end");
        name.append(s("title", {}, layers[i]));
        svg.append(r.shade, r.area, rule("base", LEFT, base, LEFT + plot, base), name, r.bar, r.num, r.mark);
        m.rows.push(r);
      }
      m.W = W;
    }

    function draw() {
      if (!W) return;
      if (!m || m.W !== W) build();
      const opens = get("opens"),
        shares = areas(),
        H = ROW - 10;
      for (const r of m.rows) {
        const from = opens[r.i],
          y = t => r.base - H * rate(r.i, t);
        const ts = [
          ...new Set([
            from,
            ...Array.from({ length: 121 }, (_, k) => Math.round(k * (steps - 1) / 120)),
            Math.floor(steps * get("cut"))
          ])
        ].filter(t => t >= from && t < steps).sort((a, b) => a - b);
        r.area.setAttribute("d", ts.length ? `M${m.X(ts[0])} ${r.base}`
          + `${ts.map(t => `L${m.X(t).toFixed(1)} ${y(t).toFixed(2)}`).join("")}L${m.X(steps)} ${r.base}Z` : "");
        r.shade.setAttribute("width", m.X(from) - LEFT);
        attrs(r.mark, {
          transform: `translate(${m.X(from)},${r.base})`,
          "aria-valuenow": from,
          "aria-valuetext": from === steps ? t("never") : t("step {n}", { n: many(from) })
        });
        r.num.textContent = pctOf(shares[r.i]);
        r.num.dataset.share = shares[r.i].toPrecision(8);
        r.num.dataset.layer = r.i;
        r.bar.setAttribute("width", Math.max(0, m.barW * shares[r.i] / Math.max(...shares)));
      }
      st.tell(finding(shares));
    }
    return st.live(model, TRAITS, draw, now => {
      W = now;
      draw();
    }, () => under([...presets.map(([, state]) => state), start], finding));
  }
};
