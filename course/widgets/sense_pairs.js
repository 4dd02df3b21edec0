export default {
  render({ model, el }) {
    const systems = model.get("systems"),
      sentences = model.get("sentences"),
      positions = model.get("positions"),
      senses = model.get("senses");
    const n = senses.length,
      bytes = model.get("table"),
      set = setter(model),
      t = teller(model),
      { get, under } = reader(model),
      TRAITS = ["system", "cell"];
    const value = (k, i, j) => bytes.getInt16(2 * ((k * n + i) * n + j), true) / 10000; // 1 only where exactly alike
    const pairs = senses.flatMap((_, i) => senses.slice(0, i).map((_, j) => [i, j]));
    const range = k => { // of the shown pairs: over it the colour runs
      const shown = pairs.map(([i, j]) => value(k, i, j));
      return [Math.min(...shown), Math.max(...shown)];
    };
    const text = words => JSON.stringify(words),
      sides = i => [text(sentences[i].slice(0, positions[i])), text(sentences[i].slice(positions[i] + 1))];
    const st = stage(el, t("Is it one word or two?"));
    st.root.classList.add("cw-pairs");

    const means = k => {
      let same = 0,
        other = 0,
        a = 0,
        b = 0;
      for (let i = 0; i < n; i++)
        for (let j = 0; j < n; j++) {
          if (senses[i] !== senses[j]) {
            other += value(k, i, j);
            b++;
          } else if (i !== j) {
            same += value(k, i, j);
            a++;
          }
        }
      return [same / a, other / b];
    };
    const two = x => (Math.round(x * 100 + (x < 0 ? -1e-9 : 1e-9)) / 100);
    const finding = () => {
      const k = get("system"),
        [same, other] = means(k),
        gap = two(same) - two(other),
        alike = pairs.filter(([i, j]) => value(k, i, j) === 1).map(pair => pair.map(sides)),
        [before, after] = [1, 0].map(side => alike.filter(([a, b]) => a[side] === b[side] && a + "" !== b + "").length);
      const said = gap < .05 - 1e-9 ? t("one word: the senses do not part")
        : gap < .2 - 1e-9 ? t("two words, in part") : t("two words");
      const values = { system: systems[k], alike: alike.length, all: pairs.length, before, after, said };
      Object.assign(values, { word: sentences[0][positions[0]], same: same.toFixed(2), other: other.toFixed(2) });
      return `${alike.length
        ? t("{system}: {alike} of {all} pairs exactly alike; {before} differ only before “{word}”, "
          + "{after} only after it.", values)
        : t("{system}: none of {all} pairs of “{word}” exactly alike.", values)
      } ${t("Same sense {same}, other sense {other}: {said}.", values)}`;
    };

    const tabs = systems.map((name, k) =>
      h("button", { class: "plain tab", type: "button", role: "tab", ...KEYS, onclick: () => set({ system: k }) },
        cut(name, 170))
    );
    const start = stateOf(model, TRAITS),
      reset = button(t("reset"), () => set(start));
    st.root.append(h("div", { class: "row tabs", role: "tablist" }, tabs, reset));

    const svg = s("svg", {
      class: "grid",
      ...played(t("Similarity of each pair. Arrow keys move from pair to pair."))
    });
    const cells = Array.from({ length: n * n },
      (_, q) => s("rect", { class: "pair", onclick: () => set({ cell: [Math.floor(q / n), q % n] }) }));
    const starts = senses.map((sense, i) => i).filter(i => i === 0 || senses[i] !== senses[i - 1]);
    const rules = starts.slice(1).flatMap(() => [s("line", { class: "rule" }), s("line", { class: "rule" })]);
    const names = starts.flatMap(
      i => [
        s("text", { class: "soft", y: 15 }),
        s("text", { class: "soft", "text-anchor": "end" }, cut(senses[i], 110))
      ]
    );
    const focus = s("rect", { class: "focus" }),
      alike = s("path", { class: "alike" }),
      ends = [h("span", {}), h("span", {})];
    svg.append(...cells, alike, ...rules, ...names, focus);
    const pair = [h("p", {}), h("p", {})],
      number = h("p", { class: "number" });
    const said = h("div", { class: "said", "aria-live": "polite" }, number, pair);
    const gauge = h("div", { class: "gauge" });
    const body = h("div", { class: "panels" }, svg,
      h("div", { class: "side" }, h("h5", {}, t("The two sentences")), said,
        h("h5", {}, t("Mean similarity of all pairs")), gauge));
    st.root.append(body,
      h("p", { class: "scale" }, ends[0], h("i", {}), ends[1], h("b", {}), t("exactly alike")),
      h("p", { class: "note" },
        t("Cosine of the two vectors of the word; the colour runs over the values shown. "
          + "Arrow keys move; [ and ] change the system.")));

    let W = 0;

    function layout() {
      const side = Math.min(W >= 680 ? W - 330 : W, 470),
        left = 112,
        top = 22,
        step = (side - left) / n,
        height = top + n * step + 4;
      const X = i => left + i * step,
        Y = i => top + i * step,
        square = (i, j) => ({ x: X(j), y: Y(i), width: step, height: step });
      attrs(svg, { width: side, height, viewBox: `0 0 ${side} ${height}` });
      body.classList.toggle("wide", W >= 680);
      cells.forEach((cell, q) => attrs(cell, square(Math.floor(q / n), q % n)));
      starts.slice(1).forEach((i, at) => {
        attrs(rules[2 * at], { x1: X(i), x2: X(i), y1: Y(0), y2: Y(n) });
        attrs(rules[2 * at + 1], { x1: X(0), x2: X(n), y1: Y(i), y2: Y(i) });
      });
      starts.forEach((i, at) => {
        const end = starts[at + 1] ?? n;
        attrs(names[2 * at], { x: X(i) + 2 }).textContent = cut(senses[i], (end - i) * step - 6);
        attrs(names[2 * at + 1], { x: left - 8, y: Y((i + end) / 2) + 4 });
      });
      attrs(focus, square(...model.get("cell")));
      attrs(alike, {
        d: pairs.flatMap(([i, j]) => [[i, j], [j, i]]).filter(pair => value(model.get("system"), ...pair) === 1)
          .map(([i, j]) => `M${X(j + .5)} ${Y(i + .5)}h0`).join(""),
        "stroke-width": step / 3
      });
    }

    function draw() {
      const k = model.get("system"),
        [i, j] = model.get("cell"),
        [same, other] = means(k),
        [low, high] = range(k);
      cells.forEach((cell, q) => {
        const v = value(k, Math.floor(q / n), q % n);
        cell.style.fillOpacity = high > low ? Math.min(1, (v - low) / (high - low)) : 1;
        cell.dataset.value = v.toFixed(4);
      });
      [low, high].forEach((end, at) => ends[at].textContent = end.toFixed(3).replace("-", "−"));
      tabs.forEach((tab, at) => {
        tab.setAttribute("aria-selected", at === k);
        tab.classList.toggle("on", at === k);
      });
      [i, j].forEach((row, at) =>
        pair[at].replaceChildren(h("small", {}, cut(senses[row], 240)), h("br", {}),
          ...inBold(sentences[row], positions[row]))
      );
      number.textContent = i === j ? t("an occurrence with itself")
        : `${value(k, i, j).toFixed(4)} ${senses[i] === senses[j] ? t("same sense") : t("other sense")}`;
      gauge.replaceChildren(
        ...[[t("same sense"), same], [t("other sense"), other]].map(([name, v]) =>
          h("div", { class: "bar", "data-value": v.toFixed(4) }, h("span", {}, name),
            h("span", { class: "track" }, h("i", { style: `width:${Math.max(0, v) * 100}%` })),
            h("b", {}, v.toFixed(2)))
        )
      );
      svg.dataset.cell = `${i},${j}`;
      svg.dataset.system = systems[k];
      if (W) layout();
      st.tell(finding());
    }
    const turn = step => () => set({ system: (model.get("system") + step + systems.length) % systems.length });
    onArrows(svg, (down, right) => {
      const [i, j] = model.get("cell");
      set({ cell: [i + down, j + right].map(x => Math.min(n - 1, Math.max(0, x))) });
    }, { "[": turn(-1), "]": turn(1) });
    return st.live(model, TRAITS, draw, now => {
      W = now;
      layout();
    }, () => under(systems.map((_, system) => ({ system })), finding));
  }
};
