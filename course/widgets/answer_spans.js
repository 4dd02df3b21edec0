const FLOOR = -8; // log-probability that has no bar any more: 0.03 %
const LISTED = 5,
  MOST_REFUSED = 3;
const signed = v => {
  const size = Math.floor(100 * Math.abs(v) + .5) / 100;
  return `${v < 0 && size ? "−" : ""}${size.toFixed(2)}`;
};
const joined = words => words.join(" ").replaceAll(" ##", "");
const logs = scores => {
  const top = Math.max(...scores),
    sum = Math.log(scores.reduce((a, v) => a + Math.exp(v - top), 0));
  return scores.map(v => v - top - sum);
};

export default {
  render({ model, el }) {
    const { get, under } = reader(model),
      tokens = get("tokens"),
      n = tokens.length,
      most = get("max_answer"),
      none = get("null"),
      bytes = get("scores");
    const set = setter(model),
      t = teller(model);
    const [S, E] = [0, 1].map(row => tokens.map((_, i) => bytes.getFloat32(4 * (row * n + i), true))),
      [P, Q] = [logs(S), logs(E)];
    const valid = [],
      wrong = []; // [start, end, score], best first; of equal ones the leftmost and shortest
    for (let i = 0; i < n; i++)
      for (let j = i; j < Math.min(n, i + most); j++) valid.push([i, j, S[i] + E[j]]);
    valid.sort((a, b) => b[2] - a[2]);
    const top = valid[0];
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++)
        if ((j < i || j >= i + most) && S[i] + E[j] > top[2]) wrong.push([i, j, S[i] + E[j]]);
    wrong.sort((a, b) => b[2] - a[2]);
    const listed = valid.slice(0, LISTED),
      refused = wrong.slice(0, MOST_REFUSED);
    const argmax = scores => scores.indexOf(Math.max(...scores));

    const text = (i, j) => {
      if (j < i) return `${tokens[i]} … ${tokens[j]}`;
      const words = tokens.slice(i, j + 1);
      return words.length <= 7 ? joined(words) : `${joined(words.slice(0, 4))} … ${joined(words.slice(-2))}`;
    };
    const quoted = (i, j) => `“${text(i, j)}”`,
      log = (i, j) => `${signed(P[i] + Q[j])} (${share(Math.exp(P[i] + Q[j]))})`;
    const best = t("{span} with {log}", { span: quoted(top[0], top[1]), log: log(top[0], top[1]) });

    function finding() {
      const i = get("start"),
        j = get("end"),
        score = S[i] + E[j],
        fits = i <= j && j < i + most;
      const values = { start: tokens[i], end: tokens[j], span: quoted(i, j), n: j - i + 1, most };
      const rank = 1 + valid.filter(span => span[2] > score).length;
      Object.assign(values, { log: log(i, j), best, rank: many(rank), all: many(valid.length) });
      const says = [];
      if (j < i)
        says.push(score > top[2]
          ? t("Start “{start}”, end “{end}”: the end stands before the start, no answer, though its log-probability "
            + "{log} is higher than that of the best answer, {best}.", values)
          : t("Start “{start}”, end “{end}”: the end stands before the start, no answer, and its log-probability "
            + "{log} is not higher than that of the best answer, {best}.", values));
      else if (!fits)
        says.push(score > top[2]
          ? t("{span} has {n} tokens, and an answer at most {most}, though its log-probability {log} is higher than "
            + "that of the best answer, {best}.", values)
          : t("{span} has {n} tokens, and an answer at most {most}, and its log-probability {log} is not higher than "
            + "that of the best answer, {best}.", values));
      else if (rank > 1)
        says.push(t("{span} has log-probability {log}: number {rank} of {all} valid spans. The best is {best}.",
          values));
      else if (valid.length > 1)
        says.push(t("{span} has log-probability {log}: the best of all {all} valid spans.", values));
      else says.push(t("{span} has log-probability {log}: the only valid span.", values));
      const both = { none: signed(none ?? 0), score: signed(top[2]) };
      if (none !== null)
        says.push(none > top[2]
          ? t("“No answer” scores {none}, the best span {score}: the model does not answer.", both)
          : t("“No answer” scores {none}, the best span {score}: the model answers.", both));
      return says.join(" ");
    }

    const st = stage(el, t("Why this answer?"));
    st.root.classList.add("cw-spans");
    const TRAITS = ["start", "end", "linear"],
      begin = stateOf(model, TRAITS);
    const linear = traitToggle(st, model, "linear", t("bars show probabilities, not their logarithms"));
    st.root.append(get("question") ? h("p", { class: "question" }, get("question")) : "",
      h("div", { class: "row" }, button(t("best answer"), () => set({ start: top[0], end: top[1] })),
        button(t("best start and best end, apart"), () => set({ start: argmax(S), end: argmax(E) })),
        button(t("reset"), () => set(begin)), linear.node));
    const svg = s("svg", { class: "passage" }),
      read = h("p", { class: "read" }, t("Point at a token to read its scores."));
    const list = h("div", { class: "list" });
    st.root.append(svg, read, h("h5", {}, t("The best spans")), list,
      h("p", { class: "note" },
        t("Above a token: its score as the start, below: as the end. "
          + "Bars are log-probabilities from −8 (none) to 0 (full), "
          + "so the joint one is the sum of two bars; or probabilities. "
          + "Click above or below a token, drag the marks, or go to them with Tab and use the arrow keys.")));

    // the list: the best spans, with "no answer" where its score puts it, then what is refused
    const row = (rank, name, score, p, rest) =>
      h(rest.onclick ? "button" : "div", {
          type: rest.onclick ? "button" : null,
          "data-score": score.toPrecision(8),
          ...rest
        }, h("span", { class: "rank" }, rank), h("span", { class: "name" }, name), h("span", {}, signed(score)),
        h("b", {}, p));
    const pick = ([i, j], rank) => ({
      ...KEYS,
      "data-start": i,
      "data-end": j,
      title: j < i ? null : joined(tokens.slice(i, j + 1)),
      "aria-label": t("{span}: score {score}, log-probability {log}", {
        span: `${rank} ${text(i, j)}`,
        score: signed(S[i] + E[j]),
        log: log(i, j)
      }),
      onclick: () => set({ start: i, end: j })
    });
    const entries = listed.map((span, at) => [
      span[2],
      row(`${at + 1}`, text(span[0], span[1]), span[2], share(Math.exp(P[span[0]] + Q[span[1]])), {
        class: "span",
        ...pick(span, `${at + 1}.`)
      })
    ]);
    if (none !== null)
      entries.splice(entries.filter(([score]) => score >= none).length, 0, [
        none,
        row("", t("no answer"), none, "", { class: "span none" })
      ]);
    list.append(
      h("div", { class: "span head" }, h("span", {}), h("span", {}, t("span")), h("span", {}, t("score")),
        h("b", {}, t("probability"))),
      ...entries.map(([, node]) => node),
      refused.length ? h("p", { class: "soft" }, t("Struck through: scores higher than the best answer, but is none."))
      : "",
      ...refused.map(span => {
        const why = span[1] < span[0] ? t("end before start") : t("{n} tokens", { n: span[1] - span[0] + 1 });
        return row("✗", [h("s", {}, text(span[0], span[1])), h("em", {}, " ", why)], span[2],
          share(Math.exp(P[span[0]] + Q[span[1]])), { class: "span refused", ...pick(span, `✗ ${why},`) });
      })
    );

    const UP = 34,
      WORD = 22,
      LABEL = 15,
      LANE = 16;
    let W = 0,
      m = null;
    const tell = i => {
      const values = { token: tokens[i], a: signed(S[i]), b: signed(P[i]), c: share(Math.exp(P[i])) };
      Object.assign(values, { d: signed(E[i]), e: signed(Q[i]), f: share(Math.exp(Q[i])) });
      read.textContent = t("“{token}” as start: score {a}, log-probability {b} ({c}). As end: {d}, {e} ({f}).", values);
    };

    function build() {
      svg.replaceChildren();
      const lines = [[]],
        wide = tokens.map(token => Math.min(110, Math.max(28, width(token, 12) + 12)));
      let x = 2;
      const place = tokens.map((_, i) => {
        if (x + wide[i] > W - 2 && lines.at(-1).length) {
          lines.push([]);
          x = 2;
        }
        lines.at(-1).push(i);
        x += wide[i];
        return { x: x - wide[i], w: wide[i], line: lines.length - 1 };
      });
      let y = 0;
      const tops = lines.map(line => {
        const mine = listed.filter(([i, j]) => i <= line.at(-1) && j >= line[0]),
          t = y;
        y += LABEL + UP + WORD + UP + LABEL + LANE * mine.length + 6;
        mine.forEach(([i, j], lane) => { // a bracket; open where the span goes on in another line
          const a = place[Math.max(i, line[0])].x + 2,
            last = place[Math.min(j, line.at(-1))],
            b = last.x + last.w - 2,
            low = t + LABEL + 2 * UP + WORD + LABEL + LANE * lane + 12;
          svg.append(
            s("path", {
              class: "bracket",
              "data-span": `${i},${j}`,
              d: `M${a} ${low - (i >= line[0] ? 5 : 0)}V${low}H${b}V${low - (j <= line.at(-1) ? 5 : 0)}`
            }),
            letters(1 + listed.findIndex(one => one[0] === i && one[1] === j), (a + b) / 2, low - 2, "middle", "soft")
          );
        });
        return t;
      });
      svg.setAttribute("width", W);
      svg.setAttribute("height", y);
      m = { W, place, tops, lines, ups: [], downs: [], spans: lines.map(() => s("rect", { class: "chosen", rx: 3 })) };
      svg.prepend(...m.spans);
      tokens.forEach((token, i) => {
        const p = place[i],
          t = tops[p.line] + LABEL,
          bar = name => box(`bar ${name}`, p.x + 4, 0, p.w - 8, 0, { "data-token": i, rx: 1 });
        m.ups.push(bar("start"));
        m.downs.push(bar("end"));
        const hit = (name, top) => box("hit", p.x, top, p.w, UP + WORD / 2, {
          "data-hit": `${name} ${i}`,
          onclick: () => set({
            [name]: i
          }),
          onpointerenter: () => tell(i)
        });
        const name = letters(cut(token, p.w - 6), p.x + p.w / 2, t + UP + 15, "middle");
        name.append(s("title", {}, token));
        svg.append(m.ups[i], m.downs[i], attrs(name, { "data-text": token }), hit("start", t),
          hit("end", t + UP + WORD / 2));
      });
      m.marks = ["start", "end"].map(name => {
        const left = name === "start",
          tall = UP + WORD,
          says = left ? t("start") : t("end");
        const mark = handle({
            label: says,
            min: 1,
            max: n,
            now: () => get(name) + 1,
            steps: [1, 10],
            put: number => set({
              [name]: number - 1
            }),
            at: ({ clientX, clientY }) => {
              const { left, top } = svg.getBoundingClientRect(),
                line = lines[Math.max(0, tops.findLastIndex(t => t <= clientY - top))];
              return 1 + (line.findLast(i => place[i].x <= clientX - left) ?? line[0]);
            }
          }, box("grip", -14, left ? -LABEL : 0, 28, tall + LABEL),
          s("path", { d: left ? `M6 0H0V${tall}H6` : `M-6 0H0V${tall}H-6` }),
          letters(says, left ? -2 : 2, left ? -3 : tall + 11, left ? "start" : "end"));
        mark.dataset.mark = name;
        mark.addEventListener("focus", () => tell(get(name)));
        svg.append(mark);
        return mark;
      });
    }

    function draw() {
      if (!W) return;
      if (!m || m.W !== W) build();
      const i = get("start"),
        j = get("end"),
        fits = i <= j && j < i + most,
        size = v => Math.max(0, UP * (get("linear") ? Math.exp(v) : 1 - v / FLOOR));
      tokens.forEach((_, k) => {
        const t = m.tops[m.place[k].line] + LABEL,
          up = size(P[k]),
          down = size(Q[k]);
        for (const [bar, y, tall, on, v] of [
            [m.ups[k], t + UP - up, up, k === i, P[k]],
            [m.downs[k], t + UP + WORD, down, k === j, Q[k]]
          ]) {
          attrs(bar, { y, height: tall, "data-log": v.toPrecision(8) }).classList.toggle("on", on);
        }
      });
      m.lines.forEach((line, at) => {
        const a = Math.max(Math.min(i, j), line[0]),
          b = Math.min(Math.max(i, j), line.at(-1)),
          on = a <= b;
        const box = on ? {
          x: m.place[a].x,
          y: m.tops[at] + LABEL + UP,
          width: m.place[b].x + m.place[b].w - m.place[a].x,
          height: WORD
        } : { width: 0, height: 0 };
        attrs(m.spans[at], box).classList.toggle("wrong", !fits);
      });
      for (const [mark, k, v, right] of [[m.marks[0], i, P[i], 0], [m.marks[1], j, Q[j], 1]]) {
        const p = m.place[k];
        attrs(mark, {
          transform: `translate(${p.x + (right ? p.w - 1 : 1)},${m.tops[p.line] + LABEL + (right ? UP : 0)})`,
          "aria-valuenow": k + 1,
          "aria-valuetext": t("{token}, log-probability {log}", { token: tokens[k], log: signed(v) })
        });
        if (mark === svg.querySelector(":focus")) tell(k);
      }
      for (const node of list.querySelectorAll("[data-start]"))
        node.setAttribute("aria-pressed", String(+node.dataset.start === i && +node.dataset.end === j));
      for (const node of svg.querySelectorAll(".bracket"))
        node.classList.toggle("on", node.dataset.span === `${i},${j}`);
      st.tell(finding());
    }
    return st.live(model, TRAITS, draw, now => {
      W = now;
      draw();
    }, () => under([...listed, ...refused, [argmax(S), argmax(E)], [get("start"), get("end")]]
      .map(([start, end]) => ({ start, end })), finding));
  }
};
