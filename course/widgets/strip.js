export default {
  render({ model, el }) {
    const frames = model.get("frames"),
      states = model.get("states"),
      step = model.get("step_name"),
      n = frames.length,
      t = teller(model);
    const set = setter(model),
      put = value => {
        if (value >= 0 && value < n) set({ frame: value });
      };
    const st = stage(el, model.get("heading"));
    st.root.classList.add("cw-strip");
    const at = traitSlider(st, model, "frame", {
      label: step,
      max: n - 1,
      show: v => t("{i} of {n}", { i: v + 1, n })
    });
    at.node.style.width = "220px";
    const back = button(t("back"), () => put(model.get("frame") - 1)),
      next = button(t("next"), () => put(model.get("frame") + 1));
    const start = model.get("frame"),
      reset = button(t("reset"), () => put(start));
    if (n > 1) st.root.append(h("div", { class: "row" }, at.node, back, next, reset));
    const list = h("div", { class: "tokens", role: "list" }),
      read = h("p", { class: "read", "aria-live": "polite" }),
      bars = h("div", { class: "bars" }),
      legend = h("p", { class: "note" });
    st.root.append(list, read, bars, legend);
    const round = x => Math.abs(x) >= 100 ? many(Math.round(x)) : +x.toFixed(2);
    let hot = -1;

    const longest = (part, size) => frames.map(part).sort((a, b) => size(b) - size(a))[0];
    const stands = [...new Set(frames.flatMap(([tokens]) => tokens.map(token => token[1])))].filter(Boolean);

    function fillIn([tokens, , counts], used = tokens.map(token => token[1])) {
      const tell = i => {
        hot = i;
        const [text, state, note] = tokens[i];
        read.textContent = [text, states[state][1], note].filter(Boolean).join(" · ");
      };
      list.replaceChildren(...tokens.map(([text, state, note], i) => {
        const word = h("span", { class: "text" }, cut(text, 150)),
          sign = states[state][0];
        return h("span", {
          class: `token ${state}`,
          role: "listitem",
          tabindex: i === Math.max(0, hot) ? 0 : -1,
          "data-state": state,
          "data-text": text,
          ...KEYS,
          title: note,
          "aria-label": [text, states[state][1], note].filter(Boolean).join(", "),
          onfocus: () => tell(i),
          onpointerenter: () => tell(i)
        }, sign ? h("i", { "aria-hidden": "true" }, sign) : null, word);
      }));
      const most = Math.max(1e-9, ...counts.flatMap(([, a, b]) => [a, b]));
      bars.replaceChildren(
        ...counts.map(([name, seen, expected]) =>
          h("div", { class: "bar", "data-seen": seen }, h("span", {}, name),
            h("span", { class: "track" }, h("i", { style: `width:${100 * seen / most}%` }),
              h("em", { style: `left:${100 * expected / most}%` })), h("b", {}, `${round(seen)}`),
            h("span", { class: "soft" }, t("expected {n}", { n: round(expected) })))
        )
      );
      const seen = stands.filter(state => used.includes(state));
      legend.textContent = seen.map(s => `${states[s][0]} ${states[s][1]}`).join("   ")
        + (counts.length ? (seen.length ? ".   " : "") + t("Bars: counted; the mark: expected.") : "");
    }

    function draw() {
      const frame = frames[model.get("frame")];
      hot = Math.min(hot, frame[0].length - 1);
      fillIn(frame);
      read.textContent = hot < 0 ? t("Point at a token, or go there with Tab and arrows.") : read.textContent;
      back.disabled = model.get("frame") === 0;
      next.disabled = model.get("frame") === n - 1;
      st.tell(frame[1]);
    }
    onList(list, box => {
      for (const other of list.children) other.tabIndex = other === box ? 0 : -1;
      box.focus();
    });
    return st.live(model, ["frame"], draw, () => {
      const tokens = longest(frame => frame[0], all => all.reduce((sum, [text, state]) =>
        sum + Math.min(150, width(text, 13)) + 26 + (state ? 18 : 0), 0));
      const fullest = () => fillIn([tokens, "", longest(frame => frame[2], all => all.length)], stands);
      for (const node of [list, bars, legend]) hold(node, fullest);
      draw();
    }, () => frames.map(frame => frame[1]));
  }
};
