const NEIGHBOURS = 10,
  ANSWERS = 5;

// the same numbers as word_map.py, on the same bytes
const cosines = (rows, target) => {
  const size = row => row.reduce((t, x) => t + x * x, 0),
    mine = size(target);
  return rows.map(row => {
    const norm = Math.sqrt(size(row) * mine);
    return norm > 0 ? row.reduce((t, x, i) => t + x * target[i], 0) / norm : 0;
  });
};
const nearest = (rows, target, k, exclude) =>
  cosines(rows, target).map((cosine, i) => [i, cosine]).filter(([i]) => !exclude.includes(i))
  .sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, k);
const wordSum = (rows, abc) => {
  const unit = abc.map(i => {
    const n = Math.hypot(...rows[i]) || 1;
    return rows[i].map(x => x / n);
  });
  return unit[0].map((x, i) => x - unit[1][i] + unit[2][i]);
};

export default {
  render({ model, el }) {
    const words = model.get("words"),
      windows = model.get("windows"),
      n = words.length;
    const bytes = model.get("table"),
      points = model.get("places");
    const dims = bytes.byteLength / (windows.length * n);
    const tables = windows.map((_, w) =>
      words.map((_, i) => Array.from({ length: dims }, (_, d) => bytes.getInt8((w * n + i) * dims + d)))
    );
    const place = (w, i) => [0, 1].map(axis => points.getInt16(2 * (2 * (w * n + i) + axis), true) / 9999);
    const set = setter(model),
      { get, under } = reader(model),
      TRAITS = ["chosen", "window", "sum", "inputs_may_answer"];
    const t = teller(model),
      st = stage(el, t("What does the window decide? A map of words"));
    st.root.classList.add("cw-map");

    // what is asked
    const known = new Map(); // asked several times in one picture, and again on the way back
    const near = (i = get("chosen"), w = get("window")) => {
      const key = w * n + i;
      if (!known.has(key)) known.set(key, nearest(tables[w], tables[w][i], NEIGHBOURS, [i]));
      return known.get(key);
    };
    const answers = () => {
      const rows = tables[model.get("window")],
        abc = model.get("sum");
      return nearest(rows, wordSum(rows, abc), ANSWERS, model.get("inputs_may_answer") ? [] : abc);
    };
    const finding = () => {
      const i = get("chosen"),
        w = get("window"),
        list = near();
      if (!list.length) return t("“{word}” is the only word here.", { word: words[i] });
      const said = list.slice(0, 2).map(([j, c]) => `“${words[j]}” (${c.toFixed(2)})`).join(t("list| and "));
      const here = { window: windows[w], word: words[i], said };
      let text = list.length === 1 ? t("Window {window}: nearest to “{word}” is {said}.", here)
        : t("Window {window}: nearest to “{word}” are {said}.", here);
      const other = w === 0 ? windows.length - 1 : 0;
      if (other !== w) {
        const there = near(i, other).map(([j]) => j);
        const stay = list.filter(([j]) => there.includes(j)).length;
        text += " " + t("{n} of its {all} neighbours are also there at window {other}.", {
          n: stay,
          all: list.length,
          other: windows[other]
        });
      }
      return text;
    };

    // controls
    const start = { ...stateOf(model, TRAITS), inputs_may_answer: false },
      go = chosen => set({ chosen });
    const reach = traitSlider(st, model, "window", {
      label: t("window: words to either side"),
      max: windows.length - 1,
      show: i => String(windows[i]),
      ticks: windows
    });
    const find = st.shows(wordBox({ label: t("find a word"), words, value: start.chosen, onword: go }),
      () => get("chosen"));
    const reset = button(t("reset"), () => set(start));
    reach.node.style.width = "220px";
    find.node.style.width = "170px";
    if (windows.length < 2) reach.node.hidden = true;
    st.root.append(h("div", { class: "row" }, reach.node, find.node, reset));

    // the map
    const svg = s("svg", {
      class: "map",
      ...played(t("Map of words. Arrow keys go to the next word in that direction."))
    });
    const lines = s("g", {}),
      dots = s("g", {}),
      names = s("g", {});
    svg.append(lines, dots, names);
    const marks = words.map((word, i) => {
      const dot = s("g", { class: "dot", "data-word": word, onclick: () => go(i) },
        s("circle", { class: "hit", r: 9 }), s("circle", { class: "mark", r: 3 }), s("title", {}, word));
      dots.append(dot);
      return dot;
    });
    const labels = words.map(word => {
      const t = s("text", { class: "name" }, cut(word, 110));
      names.append(t);
      return t;
    });
    const threads = Array.from({ length: NEIGHBOURS }, () => {
      const line = s("line", { class: "thread" });
      lines.append(line);
      return line;
    });

    // the lists
    const heading = h("h5", {}),
      list = h("ol", { class: "near" });
    const boxes = ["a", "b", "c"].map((label, at) => {
      const onword = i => set({ sum: model.get("sum").map((old, k) => k === at ? i : old) });
      return st.shows(wordBox({ label, words, value: start.sum[at], onword }), () => model.get("sum")[at]);
    });
    const cheat = traitToggle(st, model, "inputs_may_answer", t("a, b, c may answer"));
    const results = h("ol", { class: "near answers" }),
      claim = h("p", { class: "claim" });
    const sumPanel = h("div", { class: "sum" }, h("h5", {}, "a − b + c"),
      h("div", { class: "abc" }, boxes[0].node, h("b", {}, "−"), boxes[1].node, h("b", {}, "+"), boxes[2].node),
      cheat.node, claim, results);
    const side = h("div", { class: "side" }, h("div", {}, heading, list), sumPanel);
    const body = h("div", { class: "panels" }, svg, side);
    st.root.append(body, h("p", { class: "note" }, model.get("note")));

    const item = ([i, cosine]) =>
      h("li", { "data-word": words[i], "data-cosine": cosine.toFixed(6) },
        h("button", { type: "button", ...KEYS, title: words[i], onclick: () => go(i) },
          cut(words[i], 120)), h("span", { class: "bar", style: `--w:${Math.max(0, cosine) * 100}%` }),
        h("span", {}, cosine.toFixed(2)));

    let W = 0,
      at = [];

    function layout() { // dots to their places, then names where there is room
      const wide = W >= 620,
        side0 = wide ? Math.min(W - 330, 620) : W,
        height = Math.min(side0, 540);
      body.classList.toggle("wide", wide);
      attrs(svg, { width: side0, height, viewBox: `0 0 ${side0} ${height}` });
      const w = model.get("window");
      at = words.map((_, i) => {
        const [x, y] = place(w, i);
        return [side0 / 2 + x * (side0 / 2 - 46), height / 2 - y * (height / 2 - 18)];
      });
      const chosen = model.get("chosen"),
        list0 = near().map(([i]) => i),
        first = [chosen, ...list0];
      const taken = [];
      marks.forEach((dot, i) => {
        dot.style.transform = `translate(${at[i][0]}px,${at[i][1]}px)`;
        dot.setAttribute("class", "dot" + (i === chosen ? " chosen" : list0.includes(i) ? " close" : ""));
        dot.dataset.x = at[i][0].toFixed(1);
        dot.dataset.y = at[i][1].toFixed(1);
      });
      // the chosen word and its neighbours take their room first
      for (const i of new Set([...first, ...words.keys()])) {
        const label = labels[i],
          must = first.includes(i);
        const wide0 = width(label.textContent, i === chosen ? 15 : must ? 13 : 12) + 4,
          left = at[i][0] + wide0 + 8 > side0;
        const box = [left ? at[i][0] - wide0 - 6 : at[i][0] + 6, at[i][1] - 8, wide0, 15];
        const clash = taken.some(b =>
          box[0] < b[0] + b[2] && b[0] < box[0] + box[2] && box[1] < b[1] + b[3] && b[1] < box[1] + box[3]
        );
        const shown = i === chosen || !clash;
        label.setAttribute("class", "name" + (i === chosen ? " chosen" : must ? " close" : ""));
        label.setAttribute("text-anchor", left ? "end" : "start");
        label.style.transform = `translate(${at[i][0] + (left ? -6 : 6)}px,${at[i][1] + 4}px)`;
        label.style.display = shown ? "" : "none"; // hidden text is not painted: half of the time of a frame
        if (shown) taken.push(box);
      }
      threads.forEach((line, k) => {
        const j = list0[k];
        line.style.opacity = j === undefined ? 0 : .4;
        if (j !== undefined)
          ["x1", "y1", "x2", "y2"].forEach((name, q) => line.setAttribute(name, at[q < 2 ? chosen : j][q % 2]));
      });
    }

    function draw() {
      if (W) layout();
      const word = words[model.get("chosen")],
        abc = model.get("sum"),
        found = answers();
      heading.textContent = t("nearest to “{word}”, with cosine", { word: cut(word, 150) });
      list.replaceChildren(...near().map(item));
      results.replaceChildren(...found.map(item));
      claim.textContent = !found.length ? ""
        : abc.includes(found[0][0])
        ? t("“{word}” is one of the three you asked with.", { word: cut(words[found[0][0]], 130) }) : "";
      st.tell(finding());
      svg.dataset.chosen = word;
      svg.dataset.window = windows[model.get("window")];
    }
    onArrows(svg, (down, right) => {
      const from = at[model.get("chosen")];
      let best = -1,
        cost = Infinity;
      at.forEach(([x, y], i) => { // the nearest one that lies more that way than to the side
        const along = (x - from[0]) * right + (y - from[1]) * down,
          across = Math.abs((x - from[0]) * down) + Math.abs((y - from[1]) * right);
        if (along > .5 && along >= across * .7 && along + 2 * across < cost) {
          best = i;
          cost = along + 2 * across;
        }
      });
      if (best >= 0) go(best);
    });
    return st.live(model, TRAITS, draw, now => {
      W = now;
      layout();
    }, () => {
      const shown = new Set(windows.flatMap((_, window) => near(get("chosen"), window).map(([i]) => i)));
      return under([...shown].flatMap(chosen => windows.map((_, window) => ({ chosen, window }))), finding);
    });
  }
};
