const jacobianOf = y => y.map((a, i) => y.map((b, j) => (i === j ? a : 0) - a * b));
const normOf = y => Math.sqrt(jacobianOf(y).flat().reduce((t, v) => t + v * v, 0));
const UP = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const small = x => {
  if (x >= .0005 || x === 0) return x.toFixed(3);
  const [digits, power] = x.toExponential(1).split("e");
  return `${digits}·10${[...String(+power)].map(c => c === "-" ? "⁻" : UP[c]).join("")}`;
};
const percent = x =>
  (x > .9995 && x < 1 ? "> 99.9" : x > 0 && x < .0005 ? "< 0.1" : (100 * x).toFixed(1)) + PERCENT;
const signed = (x, n = 2) => x.toFixed(n).replace("-", "−");

export default {
  render({ model, el }) {
    const grid = model.get("grid"),
      factors = model.get("factors"),
      spreads = model.get("spreads"),
      norms = model.get("norms"),
      tokens = model.get("tokens");
    const bytes = model.get("paths"),
      NOTES = [.3, .4],
      TRAITS = ["source", "d_k", "factor", "scaled", "temperature", "shift", "draw"];
    const path = (draw, key, place) => bytes.getFloat32(4 * ((draw * 8 + key) * grid.length + place), true);
    const { get, under } = reader(model),
      notes = () => get("source") === "notes",
      words = () => tokens[get("source")];
    const set = setter(model),
      t = teller(model);
    const axis = () => notes() ? factors : grid,
      place = () => axis().indexOf(notes() ? get("factor") : get("d_k"));
    const rawAt = i =>
      (notes() ? NOTES.map(v => v * factors[i]) : words().map((_, k) => path(get("draw"), k, i)))
      .map(v => v + get("shift"));
    const divisor = (i, on = get("scaled")) => (on && !notes() ? Math.sqrt(grid[i]) : 1) * get("temperature");
    const weightsNow = () => softmaxOf(rawAt(place()).map(v => v / divisor(place())));
    const st = stage(el, t("Why divide by √d_k? The softmax stops listening"));
    st.root.classList.add("cw-sat");

    const finding = (y = weightsNow(), N = normOf(y)) => {
      const names = words(),
        top = y.indexOf(Math.max(...y)),
        d = get("d_k"),
        root = Math.sqrt(d).toFixed(1),
        values = { word: names[top], share: percent(y[top]), size: small(N), d, root };
      if (get("shift"))
        return t("+{shift} on every score moves no weight: “{word}” keeps {share}, ‖J‖ stays {size}. "
          + "A softmax sees only differences between scores.", { ...values, shift: get("shift") });
      if (notes()) {
        const state = N > .2 ? t("both keys are heard, and the gradient passes")
          : N > .01 ? t("one key is taking over, and the gradient shrinks")
          : t("one key has everything, and the gradient is all but gone");
        const weights = y.map(v => v > .999 && v < 1 ? v.toFixed(5) : small(v)).join(", ");
        Object.assign(values, { factor: get("factor"), weights, state });
        return t("[0.3, 0.4] × {factor} gives the weights [{weights}]: {state} (‖J‖ = {size}).", values);
      }
      values.heard = Math.exp(-y.reduce((sum, v) => sum + (v > 0 ? v * Math.log(v) : 0), 0)).toFixed(1);
      values.heat = get("temperature").toFixed(2);
      if (get("scaled") && N > .1)
        return t("Divided by √{d} = {root}, the scores keep a spread near 1: attention is shared by {heard} words, "
          + "and the gradient passes (‖J‖ = {size}).", values);
      if (get("scaled"))
        return t("Divided by √{d} = {root}, but sharp again: “{word}” takes {share} at temperature {heat} "
          + "(‖J‖ = {size}).", values);
      if (N > .15)
        return t("Without scaling at d_k = {d} the softmax still listens to {heard} words (‖J‖ = {size}). "
          + "Move d_k to the right.", values);
      const ratio = normOf(softmaxOf(rawAt(place()).map(v => v / divisor(place(), true)))) / Math.max(N, 1e-300);
      values.times = ratio > 1e4 ? t("over 10,000") : many(Math.max(1, Math.floor(ratio + .5)));
      return t("Without scaling at d_k = {d}, “{word}” takes {share} and the gradient falls to {size}: "
        + "{times} times smaller than with ÷ √d_k.", values);
    };

    // controls
    const group = unique(),
      radios = {};
    const choice = h("fieldset", { class: "ctl" }, h("legend", { class: "lab" }, t("scores from")),
      h("div", { class: "seg" },
        [["en", t("8 words")], ["ko", "낱말 8개"], ["notes", "[0.3, 0.4]"]].map(([v, text]) =>
          h("label", {}, radios[v] = h("input", {
            type: "radio",
            name: group,
            value: v,
            checked: v === get("source"),
            ...KEYS,
            onchange: () => set({ source: v, shift: 0 })
          }), text)
        )));
    const dk = traitSlider(st, model, "d_k", {
      label: t("d_k, entries of q and k"),
      values: grid,
      ticks: [1, 6, 32, 181, 1024]
    });
    const times = traitSlider(st, model, "factor", {
      label: t("both scores times"),
      values: factors,
      show: x => `× ${x}`,
      ticks: factors
    });
    const scale = traitToggle(st, model, "scaled", t("divide by √d_k"));
    const heat = st.shows(slider({
      label: t("temperature"),
      min: -20,
      max: 20,
      value: 0,
      show: v => (10 ** (v / 20)).toFixed(2),
      ticks: [.1, 1, 10],
      oninput: v => set({ temperature: v ? Math.min(10, Math.max(.1, 10 ** (v / 20))) : 1 })
    }), () => Math.round(20 * Math.log10(get("temperature"))));
    const more = button(t("+5 to all scores"), () => set({ shift: get("shift") >= 20 ? 0 : get("shift") + 5 }));
    const again = button(t("another draw"), () => set({ draw: (get("draw") + 1) % 4 }));
    const start = stateOf(model, TRAITS);
    const reset = button(t("reset"), () => set(start));
    st.root.append(h("div", { class: "row" }, choice, dk.node, times.node, scale.node, heat.node, more, again, reset));

    for (const c of [dk, times]) c.node.classList.add("dk");
    heat.node.classList.add("heat");
    const panel = title => {
      const p = { svg: s("svg", {}), head: h("h5", {}, title), sub: h("p", {}) };
      p.node = h("div", { class: "panel" }, p.head, p.sub, p.svg);
      return p;
    };
    const P = [
      panel(t("1 Scores")),
      panel(t("2 Weights")),
      panel(t("3 Gradient")),
      panel(),
      panel()
    ];
    const read = h("p", { class: "read", "aria-live": "polite" }),
      note = h("p", { class: "note" });
    st.root.append(h("div", { class: "panels" }, P.map(p => p.node)), read, note);

    const TOP = 6;
    let ROW, CH; // heights of a row and of a chart
    const sx = (v, half) => half * Math.asinh(v) / Math.asinh(130);
    let W = 0,
      marks = null,
      cell = null,
      hot = -1;
    const line = (X, Y, values) =>
      values.map((v, q) => `${q ? "L" : "M"}${X(q).toFixed(1)} ${Y(v).toFixed(1)}`).join("");

    function point(to) { // at a cell of the gradient, or at none
      [cell, hot] = [to, to ? to[0] : -1];
      draw();
    }

    function build() { // what changes with width or source only
      const n = words().length,
        low = W >= 560 && W < 860, // as on a slide: all five panels in few pixels
        names = Math.min(70, 12 + Math.max(...words().map(w => width(w))));
      ROW = (low ? 112 : 224) / n;
      CH = low ? 56 : 160;
      const H = n * ROW,
        rest = W - names - H - 32;
      const widths = W >= 860 ? [.37, .27, .30, .48, .48].map(f => f * W - 8)
        : low ? [.56 * rest, .44 * rest, names + H, W / 2 - 8, W / 2 - 8] : Array(5).fill(W);
      st.root.classList.toggle("low", low);
      P.forEach((p, k) => {
        p.node.style.width = `${widths[k]}px`;
        p.w = widths[k];
        p.svg.replaceChildren();
        p.svg.setAttribute("width", p.w);
      });
      const [p1, p2, p3, p4, p5] = P;
      const half = (p1.w - names - 12) / 2,
        mid = names + half + 2,
        size = Math.min(ROW, (p3.w - names) / n),
        thick = low ? 10 : 16,
        m = { n, half, mid, size, names, rows: [] };
      for (const { svg } of [p1, p2, p3]) svg.setAttribute("height", TOP + H + 22);
      for (const v of p1.w > 330 ? [-100, -10, -1, 0, 1, 10, 100] : [-100, -10, 0, 10, 100]) {
        const x = mid + sx(v, half);
        p1.svg.append(rule(v ? "axis" : "axis zero", x, TOP, x, TOP + H),
          letters(signed(v, 0), x, TOP + H + 15, "middle", "soft"));
      }
      m.band = box("band", 0, TOP, 0, H, { rx: 2 });
      p1.svg.append(m.band);
      m.barX = names;
      m.barW = p2.w - names - 62;
      p2.svg.append(rule("axis zero", names, TOP, names, TOP + H));
      words().forEach((word, k) => {
        const y = TOP + (k + .5) * ROW,
          r = {};
        r.bg = box(null, 0, TOP + k * ROW, p1.w, ROW, { fill: "transparent" });
        r.pull = s("line", { class: "pull", y1: y, y2: y });
        r.raw = s("circle", { class: "raw", r: 4.5, cy: y });
        r.z = s("circle", { class: "z", r: 5.5, cy: y });
        r.bar = box("bar", names, y - thick / 2, 0, thick);
        r.num = letters("", p2.w - 2, y + 4, "end");
        const label = (at = y) => letters(cut(word, names - 8), names - 8, at + 4, "end");
        p1.svg.append(r.bg, label(), r.pull, r.raw, r.z);
        p2.svg.append(label(), r.bar, r.num);
        r.cells = words().map((_, j) =>
          box(null, names + j * size + 1, TOP + k * size + 1, size - 2, size - 2, { rx: 2 }));
        p3.svg.append(label(TOP + (k + .5) * size), ...r.cells);
        m.rows.push(r);
      });
      m.cursor = box("here", 0, 0, size, size, { rx: 3, visibility: "hidden" });
      m.size3 = letters("", names + n * size, TOP + n * size + 16, "end", "b");
      const whole = [names, TOP, n * size, n * size],
        hit = box(null, ...whole, {
          fill: "transparent",
          ...played(t("Jacobian. Arrow keys go from cell to cell, Escape leaves."))
        });
      p3.svg.append(box("box", ...whole, { rx: 3 }), m.cursor, m.size3, hit);
      hit.addEventListener("pointermove", e => {
        const b = hit.getBoundingClientRect();
        point([Math.floor((e.clientY - b.top) / size), Math.floor((e.clientX - b.left) / size)]
          .map(v => Math.min(n - 1, Math.max(0, v))));
      });
      hit.addEventListener("pointerleave", () => point(null));
      onArrows(hit, (...by) => point(cell ? cell.map((v, a) => (v + by[a] + n) % n) : [0, 0]), {
        Escape: () => point(null)
      });
      // over d_k
      const ax = axis(),
        lo = Math.log(ax[0]),
        hi = Math.log(ax.at(-1)),
        ticks = notes() ? [1, 3, 10, 30, 100] : [1, 4, 16, 64, 256, 1024];
      const X = p => q => 38 + (Math.log(ax[q]) - lo) / (hi - lo) * (p.w - 58);
      m.X4 = X(p4);
      m.X5 = X(p5);
      m.Y4 = v => 8 + CH / 2 - sx(v, CH / 2);
      m.Y5 = v => 8 + (-Math.log10(Math.max(1e-8, v))) / 8 * CH;
      for (const [p, XX] of [[p4, m.X4], [p5, m.X5]]) {
        p.svg.setAttribute("height", CH + 28);
        ticks.forEach(t => p.svg.append(letters(t, XX(ax.indexOf(t)), CH + 24, "middle", "soft")));
      }
      for (const v of low ? [-100, 0, 100] : [-100, -10, 0, 10, 100])
        p4.svg.append(rule(v ? "axis" : "axis zero", 38, m.Y4(v), p4.w - 20, m.Y4(v)),
          letters(signed(v, 0), 33, m.Y4(v) + 4, "end", "soft"));
      for (const e of low ? [0, 4, 8] : [0, 2, 4, 6, 8])
        p5.svg.append(rule("axis", 38, m.Y5(10 ** -e), p5.w - 20, m.Y5(10 ** -e)),
          letters(e ? `10⁻${UP[e]}` : "1", 33, m.Y5(10 ** -e) + 4, "end", "soft"));
      m.law = s("path", { class: "band" });
      m.paths = words().map(() => s("path", { class: "path" }));
      m.dots = words().map(() => s("circle", { class: "now", r: 3 }));
      m.bands = [s("path", { class: "onb" }), s("path", { class: "offb" })];
      m.lines = [s("path", { class: "on" }), s("path", { class: "off" })];
      m.bars = [p4, p5].map(p => {
        const bar = rule("cursor", 0, 8, 0, 8 + CH);
        p.svg.append(bar);
        return bar;
      });
      m.now = s("circle", { class: "now", r: 6 });
      m.nowT = letters("", 0, 0, "middle", "b");
      m.tags = ["onT", "offT"].map(look => letters("", 0, 0, "end", look));
      p4.svg.append(m.law, ...m.paths, ...m.dots);
      p5.svg.append(...m.bands, ...m.lines, m.now, ...m.tags, m.nowT);
      marks = m;
    }
    const typical = (spread, c) => {
      const at = Math.min(spreads.length - 1.001, Math.max(0, 4 * (Math.log2(spread) + 4))),
        k = Math.floor(at),
        f = at - k;
      return Math.exp((1 - f) * Math.log(norms[k][c] + 1e-300) + f * Math.log(norms[k + 1][c] + 1e-300));
    };

    function draw() {
      if (!W) return;
      if (!marks || marks.source !== get("source") || marks.W !== W) {
        [cell, hot] = [null, -1];
        build();
        marks.source = get("source");
        marks.W = W;
      }
      const m = marks,
        i = place(),
        T = get("temperature"),
        raw = rawAt(i),
        div = divisor(i),
        z = raw.map(v => v / div),
        y = softmaxOf(z),
        J = jacobianOf(y),
        N = normOf(y),
        ax = axis(),
        top = y.indexOf(Math.max(...y));
      st.root.classList.toggle("calm", get("scaled") || notes());
      radios[get("source")].checked = true;
      again.disabled = scale.input.disabled = dk.node.hidden = notes();
      times.node.hidden = !notes();
      P[0].sub.textContent = notes()
        ? `● z = ${t("score")} × ${ax[i]}${get("shift") ? ` + ${get("shift")}` : ""}`
        + `${T === 1 ? "" : ` ÷ ${T.toFixed(2)}`}`
        : get("scaled") ? `○ q·k   ● z = q·k ÷ √${ax[i]}${T === 1 ? "" : ` ÷ ${T.toFixed(2)}`}`
        : `○ q·k   ● z${T === 1 ? " = q·k" : ` = q·k ÷ ${T.toFixed(2)}`}`;
      P[1].sub.textContent = t("softmax of z, together 100 %");
      P[2].sub.textContent = t("∂yᵢ/∂zⱼ = yᵢ(δᵢⱼ − yⱼ): green +, purple −");
      const b = notes() ? 0 : sx(Math.sqrt(ax[i]) / div, m.half);
      attrs(m.band, { x: m.mid - b, width: 2 * b });
      m.rows.forEach((r, k) => {
        const xr = m.mid + sx(raw[k], m.half),
          xz = m.mid + sx(z[k], m.half);
        attrs(r.raw, { cx: xr });
        attrs(r.z, { cx: xz, "data-z": z[k].toFixed(6) });
        attrs(r.pull, { x1: xr, x2: xz });
        attrs(r.bar, { width: Math.max(.5, y[k] * m.barW), "data-y": y[k].toPrecision(8) });
        r.num.textContent = percent(y[k]);
        r.num.classList.toggle("b", k === top);
        r.bg.setAttribute("class", hot === k ? "hot" : "");
        r.bg.setAttribute("fill", hot === k ? "" : "transparent");
        r.cells.forEach((c, j) => {
          c.setAttribute("class", J[k][j] < 0 ? "neg" : "pos");
          c.style.fillOpacity = Math.sqrt(Math.min(1, Math.abs(J[k][j]) / .25)).toFixed(3);
          c.dataset.v = J[k][j].toPrecision(8);
        });
        m.paths[k].setAttribute("class", hot === k ? "path hotp" : "path");
        m.paths[k].setAttribute("d", line(m.X4, m.Y4, ax.map((_, q) => rawAt(q)[k] / divisor(q))));
        attrs(m.dots[k], { cx: m.X4(i), cy: m.Y4(z[k]) });
      });
      attrs(m.cursor,
        cell ? { visibility: "visible", x: m.names + cell[1] * m.size, y: TOP + cell[0] * m.size }
        : { visibility: "hidden" });
      m.size3.textContent = t("its size ‖J‖ = {size}", { size: small(N) });
      const spread = (q, on) => (on ? 1 : Math.sqrt(ax[q])) / T,
        shut = (X, Y, up, down) =>
        `${line(X, Y, up)}L${line(q => X(ax.length - 1 - q), Y, down.toReversed()).slice(1)}Z`;
      P[3].head.textContent = notes() ? t("4 Scores over the factor") : t("4 Scores over d_k");
      P[4].head.textContent = notes() ? t("5 Gradient over the factor") : t("5 Gradient over d_k");
      P[3].sub.textContent = notes() ? t("both grow, and so does their gap")
        : get("scaled") ? t("kept together by ÷ √d_k (band: ± one spread)")
        : t("they drift apart as √d_k (band: ± one spread)");
      P[4].sub.textContent = notes() ? t("size of the Jacobian")
        : t("‖J‖: typical, and 10 to 90 % of draws");
      const law = ax.map((d, q) => Math.sqrt(d) / divisor(q));
      m.law.setAttribute("d", notes() ? "" : shut(m.X4, m.Y4, law, law.map(v => -v)));
      [true, false].forEach((on, k) => {
        const at = c =>
          ax.map((d, q) => notes() ? normOf(softmaxOf(NOTES.map(v => v * d / T))) : typical(spread(q, on), c)),
          middle = at(1);
        m.lines[k].setAttribute("d", notes() && k ? "" : line(m.X5, m.Y5, middle));
        m.bands[k].setAttribute("d", notes() ? "" : shut(m.X5, m.Y5, at(2), at(0)));
        m.tags[k].textContent = notes() ? "" : on ? "÷ √d_k" : t("no scaling");
        const q = on ? ax.length - 1 : grid.indexOf(512),
          lift = on ? 16 : 0;
        if (!notes())
          attrs(m.tags[k], { x: m.X5(q) - (on ? 0 : 8), y: Math.min(CH + 4, m.Y5(middle[q]) + lift + (on ? 0 : 12)) });
      });
      attrs(m.bars[0], { x1: m.X4(i), x2: m.X4(i) });
      attrs(m.bars[1], { x1: m.X5(i), x2: m.X5(i) });
      attrs(m.now, { cx: m.X5(i), cy: m.Y5(N), "data-norm": N.toPrecision(8) });
      const right = m.X5(i) < P[4].w * .75;
      m.nowT.textContent = small(N);
      attrs(m.nowT, {
        x: m.X5(i) + (right ? 10 : -10),
        y: m.Y5(N) + (m.Y5(N) > CH - 10 ? -9 : 18),
        "text-anchor": right ? "start" : "end"
      });
      const at = cell && { weight: words()[cell[0]], score: words()[cell[1]], value: signed(J[cell[0]][cell[1]], 5) };
      read.textContent = !cell ? t("Point at a cell of the gradient, or go there with Tab and arrows, to read it.")
        : cell[0] === cell[1]
        ? t("weight of “{weight}” with the score of “{score}”: +{value}, on the diagonal: plus", at)
        : t("weight of “{weight}” with the score of “{score}”: {value}, off the diagonal: minus", at);
      note.textContent = about();
      st.tell(finding(y, N));
    }
    const about = () =>
      notes() ? t("Two scores by hand. Each row of the gradient sums to 0: what one weight gains, the other loses.")
      : t("The words only name the keys; q and k are independent random entries, mean 0, variance 1. "
        + "Score axes are even near 0 and logarithmic far out.");
    const others = [];
    for (const source of Object.keys(tokens))
      for (const d_k of [64, 1024])
        for (const state of [{ shift: 5 }, {}, { scaled: true }]) others.push({ source, d_k, factor: 20, ...state });
    return st.live(model, TRAITS, draw, now => {
      W = now;
      hold(note, ...under(others, about).map(says => () => note.textContent = says));
      draw();
    }, () => under(others, finding));
  }
};
