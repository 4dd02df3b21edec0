export default {
  render({ model, el }) {
    const words = model.get("words"),
      matrix = model.get("matrix"),
      sizes = model.get("sizes");
    const n = words.length,
      m = matrix[0].length,
      TRAITS = ["word", "backward", "times", "size"];
    const set = setter(model),
      t = teller(model),
      { get, under } = reader(model);
    const st = stage(el, t("What does the product do? A one-hot vector times a table"));
    st.root.classList.add("cw-row");

    const finding = () => {
      const w = get("word"),
        times = get("times");
      if (get("backward")) {
        const values = { word: words[w], times, zeros: n - 1, n };
        return times === 1 ? t("Backward: only the row of “{word}” gets the gradient, because the word stands "
            + "1 time in the batch. {zeros} of {n} rows get zeros.", values)
          : t("Backward: only the row of “{word}” gets the sum of {times} gradients, because the word stands "
            + "{times} times in the batch. {zeros} of {n} rows get zeros.", values);
      }
      const size = sizes[get("size")];
      const values = { word: words[w], place: w + 1, n, zeros: n - 1, m };
      return t(
        "“{word}” is a 1 at place {place} of {n}: the other {zeros} rows are multiplied by 0, and its row "
        + "comes out as it is. With {size} words that is {products} multiplications, to copy {m} numbers.",
        Object.assign(values, { size: many(size), products: many(size * m) })
      );
    };

    const start = stateOf(model, TRAITS),
      find = st.shows(wordBox({ label: t("find a word"), words, value: start.word, onword: word => set({ word }) }),
        () => model.get("word"));
    const way = traitToggle(st, model, "backward", t("backward"));
    const often = traitSlider(st, model, "times", { label: t("times in the batch"), min: 1, max: 3, ticks: [1, 2, 3] });
    const grow = traitSlider(st, model, "size", {
      label: t("words in the vocabulary"),
      max: sizes.length - 1,
      show: i => many(sizes[i]),
      ticks: sizes.map(x => x >= 1000 ? `${x / 1000}k` : x)
    });
    const reset = button(t("reset"), () => set(start));
    find.node.style.width = "150px";
    often.node.style.width = grow.node.style.width = "220px";
    st.root.append(h("div", { class: "row" }, find.node, way.node, often.node, grow.node, reset));

    // one line per word: its name, its 0 or 1, its row; under them what comes out
    const cells = words.map(() => matrix[0].map(() => h("span", { class: "cell" })));
    const bits = words.map(() => h("span", { class: "bit" }));
    const lines = words.map((word, i) =>
      h("div", {
          class: "line",
          role: "option",
          id: unique(),
          title: word,
          "data-word": word,
          onclick: () => set({ word: i })
        }, h("span", { class: "name" }, cut(word, 110)), bits[i],
        h("span", { class: "sign", "aria-hidden": "true" }, "×"), ...cells[i])
    );
    const list = h("div", {
      class: "lines",
      role: "listbox",
      tabindex: 0,
      ...KEYS,
      "aria-label": t("Words. Up and down arrows choose one.")
    }, lines);
    const sums = matrix[0].map(() => h("span", { class: "cell" })),
      sumName = h("span", { class: "name" });
    const out = h("div", { class: "line out" }, sumName, h("span", { class: "bit" }), h("span", { class: "sign" }, "="),
      ...sums);
    const heads = [h("h5", {}), h("h5", {}, t("What it costs"))];
    const bar = label => {
      const fill0 = h("i", {}),
        text = h("b", {});
      return {
        node: h("div", { class: "cost" }, h("span", {}, label), h("span", { class: "track" }, fill0), text),
        fill0,
        text
      };
    };
    const product = bar(t("product: multiplications")),
      lookup = bar(t("look-up: numbers copied"));
    const body = h("div", { class: "panels" }, h("div", { class: "table" }, heads[0], list, out),
      h("div", { class: "costs" }, heads[1], product.node, lookup.node,
        h("p", { class: "note" }, t("Bars are on a logarithmic scale. Real vectors are 50 to 1,000 numbers wide."))));
    st.root.append(body);

    const say = x => (Math.abs(x) < .005 ? "0" : x.toFixed(2)).replace("-", "−");

    function draw() {
      const w = model.get("word"),
        back = model.get("backward"),
        times = model.get("times"),
        size = sizes[model.get("size")];
      heads[0].textContent = back ? t("The gradient of the table") : t("One-hot vector × table");
      words.forEach((word, i) => {
        const on = i === w;
        lines[i].classList.toggle("on", on);
        lines[i].setAttribute("aria-selected", on);
        bits[i].textContent = on ? "1" : "0";
        cells[i].forEach((cell, j) => {
          cell.textContent = back ? (on ? (times === 1 ? "g" : `${times}g`) : "0") : say(matrix[i][j]);
        });
      });
      list.setAttribute("aria-activedescendant", lines[w].id);
      sumName.textContent = back ? t("g: what flows in") : t("the product");
      sums.forEach((cell, j) => {
        cell.textContent = back ? "g" : say(matrix[w][j]);
      });
      st.root.classList.toggle("back", back);
      often.node.hidden = !back;
      grow.node.hidden = back;
      for (const [part, value] of [[product, size * m], [lookup, m]]) {
        part.fill0.style.width = `${100 * Math.log10(value) / Math.log10(sizes[sizes.length - 1] * m)}%`;
        part.text.textContent = many(value);
        part.node.dataset.value = value;
      }
      list.dataset.word = words[w];
      st.tell(finding());
    }
    onKeys(list, () => ({ ArrowDown: model.get("word") + 1, ArrowUp: model.get("word") - 1, Home: 0, End: n - 1 }),
      to => {
        if (to >= 0 && to < n) set({ word: to });
      });
    return st.live(model, TRAITS, draw, now => body.classList.toggle("wide", now >= 640), () => {
      const word = words.indexOf(words.toSorted((a, b) => width(b) - width(a))[0]);
      return under([{ word, size: sizes.length - 1 }, { word, backward: true, times: 3 }], finding);
    });
  }
};
