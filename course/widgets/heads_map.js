const SPECIALS = new Set(["[CLS]", "[SEP]", "[BOS]", "[EOS]", "[PAD]", "<s>", "</s>"]);
// halves to even, as Python
const pc = x =>
  (Math.abs(100 * x - Math.trunc(100 * x)) === .5 ? 2 * Math.round(50 * x) : (100 * x).toFixed(0)) + PERCENT;
const offsetName = (o, t) =>
  ({ "-1": t("the previous word"), 0: t("the same place"), 1: t("the next word") })[o]
  ?? (o < 0 ? t("{n} words to the left", { n: -o }) : t("{n} words to the right", { n: o }));

export default {
  render({ model, el }) {
    const [L, H, Q, K] = model.get("shape"),
      bytes = model.get("weights"),
      exact = model.get("exact"),
      tokens = model.get("tokens"),
      sources = model.get("sources");
    const gold = model.get("gold"),
      tested = model.get("tested"),
      kind = model.get("kind"),
      TRAITS = ["layer", "head", "query", "key", "relation", "hide"];
    const { get, under } = reader(model),
      set = setter(model),
      t = teller(model);
    const at = (l, d, q, k) => {
      const i = ((l * H + d) * Q + q) * K + k;
      return exact ? bytes.getFloat32(4 * i, true) : bytes.getUint8(i) / 255;
    };
    const range = n => Array.from({ length: n }, (_, i) => i),
      row = (l, d, q) => range(K).map(k => at(l, d, q, k));
    const top = values => values.reduce((best, v, i) => v > values[best] ? i : best, 0);
    const st = stage(el, t("What does this head look at?"));
    st.root.classList.add("cw-heads");

    // per head: words looked at, and agreement with each relation
    const words = range(L).map(l =>
      range(H).map(d => {
        let sum = 0,
          n = 0;
        for (let q = 0; q < Q; q++) {
          const r = row(l, d, q),
            total = r.reduce((a, b) => a + b, 0);
          if (total > 0) {
            n++;
            for (const v of r)
              if (v > 0) sum -= v / total * Math.log(v / total);
          }
        }
        return Math.exp(sum / Math.max(n, 1));
      })
    );
    const relations = Object.fromEntries(Object.entries(gold).map(([name, pairs]) => {
      const answers = new Map();
      for (const [q, k] of pairs)
        (answers.get(q) ?? answers.set(q, new Set()).get(q)).add(k);
      const share = test => [...answers].filter(([q, ks]) => test(q, ks)).length / answers.size;
      const agreement = range(L).map(l => range(H).map(d => share((q, ks) => ks.has(top(row(l, d, q))))));
      const offsets = [...new Set(pairs.map(([q, k]) => k - q))].sort((a, b) => Math.abs(a) - Math.abs(b) || a - b);
      const shares = offsets.map(o => share((q, ks) => ks.has(q + o))),
        best = top(shares);
      const flat = (tested[name]?.agreement ?? agreement).flat(),
        place = top(flat);
      return [name, {
        answers,
        agreement,
        offset: offsets[best],
        share: shares[best],
        best: [Math.floor(place / H), place % H]
      }];
    }));
    const shownKeys = () => range(K).filter(k => !(get("hide") && SPECIALS.has(sources[k])));
    const shownQueries = () => range(Q).filter(q => !(get("hide") && SPECIALS.has(tokens[q])));

    const finding = () => {
      const l = get("layer"),
        d = get("head"),
        q = get("query"),
        r = row(l, d, q),
        keys = shownKeys(),
        relation = get("relation"),
        values = { head: `${l + 1}.${d + 1}`, word: tokens[q], relation: t(relation) };
      if (!r.some(v => v) || !keys.length) return t("Head {head}: “{word}” may look at nothing here.", values);
      const best = keys.reduce((b, k) => r[k] > r[b] ? k : b, keys[0]);
      Object.assign(values, { best: sources[best], share: pc(r[best]) });
      values.taken = pc(r.reduce((a, b) => a + b, 0) - keys.reduce((a, k) => a + r[k], 0));
      const says = [
        get("hide") && keys.length < K
        ? t("Head {head}: “{word}” looks most at “{best}” ({share}), after {taken} for the hidden special tokens.",
          values) : t("Head {head}: “{word}” looks most at “{best}” ({share}).", values),
        t("It looks at {n} words on average.", { n: words[l][d].toFixed(1) })
      ];
      if (relation) {
        const { answers, agreement, offset, share } = relations[relation], mine = answers.get(q);
        values.gold = gold[relation].filter(p => p[0] === q).map(p => `“${sources[p[1]]}”`).join(", ");
        Object.assign(values, { agrees: pc(agreement[l][d]), offset: offsetName(offset, t), alone: pc(share) });
        if (mine)
          says.push(mine.has(top(r)) ? t("Right: the {relation} is {gold}.", values)
            : t("Wrong: the {relation} is {gold}.", values));
        if (answers.size > 1) // some offset always finds the only one
          says.push(t("In this sentence it finds {agrees} of these links; {offset} alone would find {alone}.", values));
        if (tested[relation]) {
          values.against = Object.entries(tested[relation].baselines).map(([n, v]) => `${n} ${pc(v)}`).join(", ");
          values.tested = pc(tested[relation].agreement[l][d]);
          says.push(values.against ? t("Over the test sentences: {tested} ({against}).", values)
            : t("Over the test sentences: {tested}.", values));
        }
      }
      return says.join(" ");
    };

    // controls
    const names = Object.keys(gold);
    const pick = names.length
      ? h("select", { ...KEYS, "aria-label": t("gold links"), onchange: () => set({ relation: pick.value }) },
        h("option", { value: "" }, t("none")), names.map(n => h("option", { value: n }, t(n)))) : null;
    const hide = sources.concat(tokens).some(token => SPECIALS.has(token))
      ? traitToggle(st, model, "hide", t("hide special tokens")) : null;
    const start = stateOf(model, TRAITS);
    const reset = button(t("reset"), () => {
      pinned = false;
      set(start);
    });
    st.root.append(
      h("div", { class: "row" },
        pick ? labelled(t("outline the gold"), pick) : null, hide?.node, reset,
        h("span", { class: "scale" }, t("weight 0"), h("i", {}), "1"),
        pick ? h("span", { class: "scale" }, t("bar: agreement with the gold; outlined: the best head")) : null)
    );

    // all heads, small
    const buttons = [],
      grid = h("div", { class: "grid", style: `grid-template-columns:auto repeat(${H},auto)` });
    grid.append(h("span", {}),
      ...range(H).map(d => h("span", { class: "lab", style: "text-align:center" }, String(d + 1))));
    for (let l = 0; l < L; l++) {
      grid.append(h("span", { class: "lab" }, String(l + 1)));
      for (let d = 0; d < H; d++) {
        const canvas = h("canvas", { width: K, height: Q, "aria-hidden": "true" }),
          bar = h("b", {});
        const b = h("button", {
          type: "button",
          ...KEYS,
          "aria-label": t("head {head}", { head: `${l + 1}.${d + 1}` }),
          onclick: () => set({ layer: l, head: d })
        }, canvas, names.length ? h("i", {}, bar) : null);
        buttons.push({ b, canvas, bar, l, d });
        grid.append(b);
      }
    }

    const looked = ({ l, d }) => ({ head: `${l + 1}.${d + 1}`, n: words[l][d].toFixed(1) });

    function paint() { // thumbnails take the theme's colour
      const probe = getComputedStyle(st.root).getPropertyValue("--amount").trim(),
        rgb = [1, 3, 5].map(i => parseInt(probe.slice(i, i + 2), 16));
      for (const { canvas, l, d } of buttons) {
        const context = canvas.getContext("2d"),
          image = context.createImageData(K, Q);
        for (let q = 0; q < Q; q++)
          for (let k = 0; k < K; k++) image.data.set([...rgb, Math.round(255 * at(l, d, q, k))], 4 * (q * K + k));
        context.putImageData(image, 0, 0);
      }
    }
    const svg = s("svg", played(t("Attention of this head. Arrow keys move the cell, brackets change the head, "
      + "braces the layer, g the gold, Enter holds the cell.")));
    const arcs = s("svg", { "aria-hidden": "true" }),
      read = h("p", { class: "read" }),
      head5 = h("h5", {}),
      arc5 = h("h5", {});
    const small = h("div", { class: "small" }, h("h5", {}, t("All heads, a row for each layer")), grid),
      large = h("div", { class: "large" }, head5, svg);
    const body = h("div", { class: "panels" }, small, large);
    st.root.append(body, arc5, arcs, read,
      h("p", { class: "note" },
        [
          t("Rows ask, columns are looked at."),
          kind === "decoder" ? t("Hatched: later words, which may not be seen.") : "",
          exact ? "" : t("Weights are stored in steps of 1/255."),
          t("A weight says where a head looks, not what it does with what it finds there."),
          t("Keys: arrows, [ ] head, { } layer, g gold, Enter holds.")
        ].filter(Boolean).join(" ")));

    let W = 0,
      built = "",
      m = null,
      pinned = false;

    function build() {
      const qs = shownQueries(),
        ks = shownKeys(),
        wide = W >= 860,
        smallW = wide ? Math.min(Math.max(360, 26 + H * 33), 30 + H * 62) : Math.min(W, 30 + H * 62),
        gap = W < 560 ? 2 : 5;
      body.classList.toggle("wide", wide);
      small.style.width = `${smallW}px`;
      const side = Math.max(22, Math.min(56, (smallW - 26) / H - gap));
      grid.style.columnGap = `${gap}px`;
      buttons.forEach(({ b }) => {
        b.style.width = `${side}px`;
      });
      const avail = wide ? W - smallW - 28 : W,
        nameW = Math.min(96, 14 + Math.max(...qs.map(q => width(tokens[q]))));
      const size = Math.min(34, (avail - nameW - 34) / ks.length),
        headH = Math.min(78, 10 + .85 * Math.max(...ks.map(k => width(sources[k]))));
      svg.replaceChildren(
        s("defs", {}, s("pattern", {
          id: "hatch",
          width: 5,
          height: 5,
          patternUnits: "userSpaceOnUse",
          patternTransform: "rotate(45)"
        }, s("line", { class: "hatch", x1: 0, x2: 0, y1: 0, y2: 5 })))
      );
      attrs(svg, { width: nameW + size * ks.length + 34, height: headH + size * qs.length + 4 });
      const X = i => nameW + size * i,
        Y = i => headH + size * i;
      m = { qs, ks, size, X, Y, cells: [], rows: [], cols: [] }; // of names that would overlap, each second or third
      m.rowmark = box("rowmark", 0, 0, nameW + size * ks.length, size);
      const whole = [nameW, headH, size * ks.length, size * qs.length];
      svg.append(m.rowmark, box("ground", ...whole, { fill: "none" }));
      qs.forEach((q, i) => {
        const label = letters(cut(tokens[q], nameW - 8), nameW - 6, Y(i) + size / 2 + 4, "end");
        label.append(s("title", {}, tokens[q]));
        m.rows.push(label);
        svg.append(label);
        m.cells.push(ks.map((k, j) => {
          const look = kind === "decoder" && k > q ? "no" : "cellrect",
            cell = box(look, X(j) + .5, Y(i) + .5, size - 1, size - 1, { rx: 1.5, "data-q": q, "data-k": k });
          svg.append(cell);
          return cell;
        }));
      });
      ks.forEach((k, j) => {
        const label = s("text", {
          transform: `translate(${X(j) + size / 2 + 4},${headH - 6}) rotate(-55)`
        }, cut(sources[k], 82), s("title", {}, sources[k]));
        m.cols.push(label);
        svg.append(label);
      });
      m.gold = s("g", {});
      m.here = box("here", 0, 0, size, size, { rx: 2 });
      svg.append(m.gold, m.here);
      const hit = box(null, ...whole, { fill: "transparent" });
      const cellOf = e => {
        const b = hit.getBoundingClientRect(),
          i = Math.floor((e.clientY - b.top) / size),
          j = Math.floor((e.clientX - b.left) / size);
        return [qs[Math.min(qs.length - 1, Math.max(0, i))], ks[Math.min(ks.length - 1, Math.max(0, j))]];
      };
      hit.addEventListener("pointermove", e => {
        if (!pinned) {
          const [q, k] = cellOf(e);
          if (q !== get("query") || k !== get("key")) set({ query: q, key: k });
        }
      });
      hit.addEventListener("click", e => {
        const [q, k] = cellOf(e);
        pinned = !(pinned && q === get("query") && k === get("key"));
        set({ query: q, key: k });
        draw();
      });
      svg.append(hit);
      // the sentence for the arcs: one line, or two for cross attention
      let fits = true;
      const two = kind === "cross",
        spread = words => { // the middles of words that share the line
          const wide = words.map(word => width(word) + 10),
            room = (W - wide.reduce((a, b) => a + b, 0)) / words.length;
          let x = 0;
          fits &&= room >= 0;
          return wide.map(one => (x += one + room) - (one + room) / 2);
        },
        middles = [spread(ks.map(k => sources[k])), spread(qs.map(q => tokens[q]))];
      arcs.style.display = arc5.style.display = fits ? "" : "none";
      attrs(arcs, { width: W, height: 120 });
      m.xk = j => middles[0][j];
      m.xq = i => (two ? middles[1][i] : m.xk(ks.indexOf(qs[i])));
      m.arcs = s("g", {});
      const line = (list, names, x, y) =>
        list.map((n, i) => {
          const t = letters(names[n], x(i), y, "middle");
          arcs.append(t);
          return t;
        });
      arcs.replaceChildren(m.arcs);
      m.lowK = line(ks, sources, m.xk, two ? 14 : 112);
      m.lowQ = two ? line(qs, tokens, m.xq, 112) : m.lowK;
    }

    function draw() {
      if (!W) return;
      const state = [W, get("hide")].join();
      if (built !== state) {
        build();
        paint();
        built = state;
      }
      const l = get("layer"),
        d = get("head"),
        relation = get("relation"),
        r = relation ? relations[relation] : null;
      let q = get("query");
      if (!m.qs.includes(q)) q = m.qs[0] ?? 0;
      const values = row(l, d, q),
        k = m.ks.includes(get("key")) ? get("key") : m.ks.reduce((b, x) => values[x] > values[b] ? x : b, m.ks[0]);
      m.qs.forEach((a, i) =>
        m.ks.forEach((b, j) => {
          if (!(kind === "decoder" && b > a)) {
            const v = at(l, d, a, b),
              c = m.cells[i][j];
            c.setAttribute("fill-opacity", v.toFixed(3));
            c.dataset.v = v.toFixed(6);
          }
        })
      );
      const i = m.qs.indexOf(q),
        j = m.ks.indexOf(k);
      attrs(m.rowmark, { y: m.Y(i) });
      attrs(m.here, { x: m.X(j), y: m.Y(i) });
      for (const [names, here, room] of [[m.rows, i, 13], [m.cols, j, 15]]) {
        const every = Math.ceil(room / m.size);
        names.forEach((name, n) => {
          name.classList.toggle("b", n === here);
          const shown = n === here || n % every === 0 && Math.abs(n - here) >= every;
          name.style.display = shown ? "" : "none";
        });
      }
      m.gold.replaceChildren(
        ...(relation ? gold[relation] : []).filter(([a, b]) => m.qs.includes(a) && m.ks.includes(b)).map(([a, b]) => {
          const at = [m.X(m.ks.indexOf(b)) + 1, m.Y(m.qs.indexOf(a)) + 1];
          return box("goldcell", ...at, m.size - 2, m.size - 2, { "data-pair": `${a},${b}`, rx: 2 });
        })
      );
      for (const part of buttons) {
        const on = part.l === l && part.d === d,
          found = r ? (tested[relation]?.agreement ?? r.agreement)[part.l][part.d] : 0;
        part.b.setAttribute("aria-pressed", on);
        part.b.classList.toggle("best", !!r && r.best[0] === part.l && r.best[1] === part.d);
        part.bar.style.width = `${100 * found}%`;
        part.b.dataset.agreement = r ? r.agreement[part.l][part.d].toFixed(6) : "";
        part.b.title = r
          ? t("head {head}: looks at {n} words, agrees with {share}", { ...looked(part), share: pc(found) })
          : t("head {head}: looks at {n} words", looked(part));
      }
      head5.textContent = t("Head {head}", { head: `${l + 1}.${d + 1}` });
      const five = m.ks.filter(x => values[x] > .005).sort((a, b) => values[b] - values[a]).slice(0, 5),
        mine = r?.answers.get(q),
        xq = m.xq(i);
      arc5.textContent = t("Where “{word}” looks", { word: cut(tokens[q], 120) });
      m.arcs.replaceChildren(...five.map(x => {
        const to = m.xk(m.ks.indexOf(x)),
          lift = Math.min(88, 16 + Math.abs(to - xq) * .4);
        const path = kind === "cross" ? `M${xq} 98C${xq} 62 ${to} 54 ${to} 20`
          : Math.abs(to - xq) < 1 ? `M${xq - 7} 98C${xq - 16} 72 ${xq + 16} 72 ${xq + 7} 98`
          : `M${xq} 98C${xq} ${98 - lift} ${to} ${98 - lift} ${to} 98`;
        return s("path", {
          class: "arc" + (mine?.has(x) ? " gold" : ""),
          d: path,
          "stroke-width": 1 + 7 * values[x],
          "stroke-opacity": .35 + .6 * values[x]
        });
      }));
      m.lowQ.forEach((t, n) => t.classList.toggle("b", n === (kind === "cross" ? i : m.ks.indexOf(q))));
      const here = { word: tokens[q], source: sources[k], share: (100 * values[k]).toFixed(1) };
      read.textContent = `${tokens[q]} → `
        + `${five.map(x => `${sources[x]} ${pc(values[x])}`).join(", ") || t("nothing")}. `
        + (pinned ? t("Cell: {word} → {source}, {share} %, held.", here)
          : t("Cell: {word} → {source}, {share} %.", here));
      if (pick) pick.value = relation;
      st.tell(finding());
    }
    const turn = step => () => {
      const p = (get("layer") * H + get("head") + step + L * H) % (L * H);
      set({ layer: Math.floor(p / H), head: p % H });
    };
    const goldNames = ["", ...names];
    onArrows(svg, (down, right) => {
      const { qs, ks } = m,
      values = row(get("layer"), get("head"), get("query")),
        key = ks.includes(get("key")) ? get("key") : ks.reduce((b, x) => values[x] > values[b] ? x : b, ks[0]),
        query = qs[qs.indexOf(get("query")) + down],
        to = ks[ks.indexOf(key) + right];
      if (query !== undefined && to !== undefined) set({ query, key: to });
    }, {
      "[": turn(-1),
      "]": turn(1),
      "{": turn(-H),
      "}": turn(H),
      g: () => set({ relation: goldNames[(goldNames.indexOf(get("relation")) + 1) % goldNames.length] }),
      Enter: () => {
        pinned = !pinned;
        draw();
      }
    });
    const theme = new MutationObserver(paint),
      dark = matchMedia("(prefers-color-scheme:dark)");
    theme.observe(document.body, { attributeFilter: ["data-jp-theme-light"] });
    dark.addEventListener("change", paint);
    const leave = st.live(model, TRAITS, draw, now => {
      W = now;
      draw();
      if (hide) hold(large, ...[true, false].map(on => () => under([{ hide: on }], build)));
      built = "";
      draw();
    }, () => under([
      ...buttons.map(({ l, d }) => ({ layer: l, head: d })),
      ...tokens.map((_, query) => ({ query })),
      ...tokens.map((_, query) => ({ query, hide: true })),
      ...names.map(relation => ({ relation }))
    ], finding));
    return () => {
      theme.disconnect();
      dark.removeEventListener("change", paint);
      leave();
    };
  }
};
