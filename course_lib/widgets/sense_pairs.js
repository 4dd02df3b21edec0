
export default { render({ model, el }) {
  const systems = model.get("systems"), sentences = model.get("sentences"), positions = model.get("positions"), senses = model.get("senses");
  const n = senses.length, bytes = model.get("table");
  const value = (k, i, j) => bytes.getInt8((k * n + i) * n + j) / 100;
  const put = (name, v) => { model.set(name, v); model.save_changes(); };
  const st = stage(el, "Is it one word or two?");
  st.root.classList.add("cw-pairs");

  const means = k => {
    let same = 0, other = 0, a = 0, b = 0;
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) {
      if (senses[i] !== senses[j]) { other += value(k, i, j); b++; } else if (i !== j) { same += value(k, i, j); a++; }
    }
    return [same / a, other / b];
  };
  const two = x => (Math.round(x * 100 + (x < 0 ? -1e-9 : 1e-9)) / 100);
  const finding = () => {
    const k = model.get("system"), [same, other] = means(k), gap = two(same) - two(other);
    const said = gap < .05 - 1e-9 ? "one word: the senses do not part" : gap < .2 - 1e-9 ? "two words, in part" : "two words";
    return `${systems[k]}: ${n} sentences with “${sentences[0][positions[0]]}”. Same sense ${same.toFixed(2)}, other sense ${other.toFixed(2)}, `
      + `a gap of ${gap.toFixed(2)}: ${said}.`;
  };

  const tabs = systems.map((name, k) => h("button", { class: "plain tab", type: "button", role: "tab", ...KEYS, onclick: () => put("system", k) }, cut(name, 170)));
  const start = { system: model.get("system"), cell: model.get("cell") };
  const reset = button("reset", () => { for (const name in start) model.set(name, start[name]); model.save_changes(); });
  st.root.append(h("div", { class: "row tabs", role: "tablist" }, tabs, reset));

  const svg = s("svg", { class: "grid", tabindex: 0, role: "application", ...KEYS, "aria-label": "Similarity of each pair. Arrow keys move from pair to pair." });
  const cells = Array.from({ length: n * n }, (_, q) => {
    const [i, j] = [Math.floor(q / n), q % n];
    const cell = s("rect", { class: "pair", onclick: () => put("cell", [i, j]) });
    svg.append(cell);
    return cell;
  });
  const starts = senses.map((sense, i) => i).filter(i => i === 0 || senses[i] !== senses[i - 1]);
  const rules = starts.slice(1).flatMap(() => [s("line", { class: "rule" }), s("line", { class: "rule" })]);
  const names = starts.flatMap(i => [s("text", { class: "soft" }, cut(senses[i], 120)), s("text", { class: "soft", "text-anchor": "end" }, cut(senses[i], 110))]);
  const focus = s("rect", { class: "focus" });
  svg.append(...rules, ...names, focus);
  const said = h("div", { class: "said", "aria-live": "polite" }), pair = [h("p", {}), h("p", {})], number = h("p", { class: "number" });
  said.append(number, ...pair);
  const gauge = h("div", { class: "gauge" });
  const body = h("div", { class: "panels" }, svg, h("div", { class: "side" }, h("h5", {}, "The two sentences"), said, h("h5", {}, "Mean similarity of all pairs"), gauge));
  st.root.append(body, h("p", { class: "note" }, "Cosine of the two vectors of the word: empty = 0 or less, full = 1. Arrow keys move; [ and ] change the system."));

  let W = 0;
  function layout() {
    const side = Math.min(W >= 680 ? W - 330 : W, 470), left = 112, top = 22, step = (side - left) / n;
    svg.setAttribute("width", side); svg.setAttribute("height", top + n * step + 4); svg.setAttribute("viewBox", `0 0 ${side} ${top + n * step + 4}`);
    body.classList.toggle("wide", W >= 680);
    cells.forEach((cell, q) => {
      cell.setAttribute("x", left + (q % n) * step); cell.setAttribute("y", top + Math.floor(q / n) * step);
      cell.setAttribute("width", step); cell.setAttribute("height", step);
    });
    starts.slice(1).forEach((i, at) => {
      const [a, b] = [rules[2 * at], rules[2 * at + 1]], x = left + i * step, y = top + i * step;
      a.setAttribute("x1", x); a.setAttribute("x2", x); a.setAttribute("y1", top); a.setAttribute("y2", top + n * step);
      b.setAttribute("y1", y); b.setAttribute("y2", y); b.setAttribute("x1", left); b.setAttribute("x2", left + n * step);
    });
    starts.forEach((i, at) => {
      const end = starts[at + 1] ?? n, room = (end - i) * step - 6;
      names[2 * at].textContent = cut(senses[i], room); names[2 * at].setAttribute("x", left + i * step + 2); names[2 * at].setAttribute("y", 15);
      names[2 * at + 1].setAttribute("x", left - 8); names[2 * at + 1].setAttribute("y", top + (i + end) / 2 * step + 4);
    });
    const [i, j] = model.get("cell");
    for (const [name, v] of [["x", left + j * step], ["y", top + i * step], ["width", step], ["height", step]]) focus.setAttribute(name, v);
  }
  function draw() {
    const k = model.get("system"), [i, j] = model.get("cell"), [same, other] = means(k);
    cells.forEach((cell, q) => { const v = value(k, Math.floor(q / n), q % n); cell.style.fillOpacity = Math.max(0, v); cell.dataset.value = v.toFixed(2); });
    tabs.forEach((tab, at) => { tab.setAttribute("aria-selected", at === k); tab.classList.toggle("on", at === k); });
    [i, j].forEach((row, at) => pair[at].replaceChildren(h("small", {}, cut(senses[row], 240)), h("br", {}),
      ...sentences[row].flatMap((word, w) => [w === positions[row] ? h("b", {}, word) : word, " "])));
    number.textContent = i === j ? "an occurrence with itself" : `${value(k, i, j).toFixed(2)} ${senses[i] === senses[j] ? "same sense" : "other sense"}`;
    gauge.replaceChildren(...[["same sense", same], ["other sense", other]].map(([name, v]) =>
      h("div", { class: "bar", "data-value": v.toFixed(4) }, h("span", {}, name), h("span", { class: "track" }, h("i", { style: `width:${Math.max(0, v) * 100}%` })), h("b", {}, v.toFixed(2)))));
    svg.dataset.cell = `${i},${j}`; svg.dataset.system = systems[k];
    if (W) layout();
    st.tell(finding());
  }
  svg.addEventListener("keydown", event => {
    const [i, j] = model.get("cell"), k = model.get("system"), keep = x => Math.min(n - 1, Math.max(0, x));
    const to = { ArrowUp: [i - 1, j], ArrowDown: [i + 1, j], ArrowLeft: [i, j - 1], ArrowRight: [i, j + 1] }[event.key];
    const turn = { "[": -1, "]": 1 }[event.key];
    if (!to && !turn) return;
    event.preventDefault();
    if (to) put("cell", to.map(keep)); else put("system", (k + turn + systems.length) % systems.length);
  });
  model.on("change:system change:cell", draw);
  const leave = st.watch(now => { W = now; layout(); });
  draw();
  return () => { leave(); model.off("change:system change:cell", draw); };
} };
