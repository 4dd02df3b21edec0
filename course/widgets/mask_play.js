const MASKED = "[MASK]",
  WAIT = 5000; // ms without an answer: the kernel is gone
const copy = value => JSON.parse(JSON.stringify(value));
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// What is said of a side: {tokens, masked, unknown, guesses}
const around = (side, at) => {
  const shown = side.tokens.map((token, i) => side.masked.includes(i) ? MASKED : token),
    middle = side.masked[at] ?? 0;
  let first = Math.max(0, middle - 6),
    end = middle + 7;
  while (first && shown[first].startsWith("##")) first--; // whole words
  while (shown[end]?.startsWith("##")) end++;
  return `“${first ? "… " : ""}${shown.slice(first, end).join(" ").replaceAll(" ##", "")}`
    + `${end < shown.length ? " …" : ""}”`;
};
const said = (name, side, at) => {
  const guesses = side.guesses[at],
    [[piece, p]] = guesses,
    whole = share(guesses.reduce((sum, [, p]) => sum + p, 0));
  return { name, around: around(side, at), best: `“${piece}” (${share(p)})`, n: guesses.length, share: whole };
};
const stood = (t, side, at) => {
  const token = side.tokens[side.masked[at]],
    rank = side.guesses[at].findIndex(([other]) => other === token);
  if (token === MASKED) return "";
  if (rank < 0) return t("“{token}”, hidden here, is not among them.", { token });
  const of = { token, rank: rank + 1, share: share(side.guesses[at][rank][1]) };
  return t("“{token}”, hidden here, is guess {rank} ({share}).", of);
};
const alike = sides => sides.every(side => same(side.tokens, sides[0].tokens) && same(side.masked, sides[0].masked));

function finding(t, names, sides, at) {
  if (!sides.some(side => side.masked.length))
    return t("Nothing is hidden in {around}. Choose a token to hide it.", { around: around(sides[0], 0) });
  if (!alike(sides))
    return sides.map((side, m) =>
      side.masked.length
      ? t("{name}, {around}: {best}; the first {n} cover {share}.", said(names[m], side, at[m]))
      : t("{name}: nothing is hidden.", { name: names[m] })
    ).join(" ");
  const [first, second] = sides.map((side, m) => said(names[m], side, at[m]));
  if (!second) {
    const says = t("For the gap in {around}, {name} expects {best}; the first {n} cover {share}.", first);
    return `${says} ${stood(t, sides[0], at[0])}`.trim();
  }
  const [one, two] = sides.map((side, m) => side.guesses[at[m]].map(([token]) => token)),
    both = one.filter(token => two.includes(token)).length;
  const of = { ...first, other: second.name, second: second.best, covered: second.share, both };
  return t("For the gap in {around}, {name} expects {best}, {other} {second}. Their first {n} cover {share} and "
    + "{covered}; {both} stand in both lists.", of);
}

export default {
  render({ model, el }) {
    const t = teller(model),
      names = model.get("names").map(name => t(name)),
      sentences = model.get("sentences"),
      live = document.body.classList.contains("live"), // the page answers, once what is stored does not
      alone = document.body.classList.contains("alone") && !live;
    const stored = JSON.parse(new TextDecoder().decode(model.get("stored")));
    const gone = t("The kernel does not answer: start it and run the cell again."),
      onlyGiven = t("This page has no kernel. Without one, the given sentences can be explored, one hidden token "
        + "at a time; for all else open the notebook.");
    const st = stage(el, t("What does it expect here?"));
    st.root.classList.add("cw-fill");
    let sides = copy(model.get("answer").sides),
      last = sides; // what is shown; the last that was answered
    let past = [],
      asked = null,
      typing = false,
      most = 0, // guesses of one gap so far: their room is kept
      timer, problem = model.get("answer").error,
      focusOn = null;

    const gapOf = m => Math.max(0, Math.min(model.get("gap")[m], sides[m].masked.length - 1));
    const recall = (side, m) => { // the stored answer for this side, or none
      if (!side.masked.length) return [];
      const text = stored.find(s => same(s[m].tokens, side.tokens));
      const rows = text?.[m].guesses[side.masked.join(",")]; // token, probability in 1/10,000, next token, ...
      return rows?.map(row => row.flatMap((token, i) => i % 2 ? [] : [[token, row[i + 1] / 10000]])) ?? null;
    };
    const snapshot = () => ({ sides: copy(sides), gap: [...model.get("gap")] });

    function ask(request) {
      clearTimeout(timer);
      asked = unique();
      typing = false;
      model.set("request", { id: asked, ...request });
      if (!live) // a page says itself that a model is on its way
        timer = setTimeout(() => {
          problem = gone;
          draw();
        }, WAIT);
      try {
        model.save_changes();
      } catch { // a closed connection throws
        clearTimeout(timer);
        problem = gone;
      }
    }

    function go(next, gap) { // to a state that is known: its tokens and gaps
      sides = next.map((side, m) => ({
        tokens: side.tokens,
        masked: side.masked,
        unknown: side.unknown,
        guesses: side.guesses ?? recall(side, m)
      }));
      const full = sides.every(side => side.guesses);
      if (full) last = sides;
      problem = alone && !full ? onlyGiven : "";
      model.set("gap", gap);
      if (alone || live && full) model.save_changes();
      else ask({ sides: sides.map(({ tokens, masked, unknown }) => ({ tokens, masked, unknown })) });
      draw();
    }
    const change = (next, gap) => {
      past.push(snapshot());
      go(next, gap);
    };
    const given = i =>
      change(stored[i].map(({ tokens, masked, unknown }) => ({ tokens, masked, unknown })), names.map(() => 0));

    function typed() {
      const i = sentences.indexOf(text.value);
      if (i >= 0) given(i);
      else if (alone) {
        problem = onlyGiven;
        draw();
      } else {
        problem = "";
        past.push(snapshot());
        ask({ text: text.value });
        typing = true;
        draw();
      }
    }

    function each(m, edit) { // of this side, or of both where one strip serves both
      const together = alike(sides),
        gap = [...model.get("gap")];
      const next = sides.map((side, n) => {
        if (!together && n !== m) return side;
        const changed = { ...side, tokens: [...side.tokens], masked: [...side.masked], guesses: null };
        gap[n] = edit(changed, gapOf(n));
        return changed;
      });
      change(next, gap);
    }
    const flip = (m, place) =>
      each(m, (side, at) => {
        const was = side.masked.includes(place);
        side.masked = (was ? side.masked.filter(i => i !== place) : [...side.masked, place]).sort((a, b) => a - b);
        return was ? Math.max(0, Math.min(at, side.masked.length - 1)) : side.masked.indexOf(place);
      });
    const insert = (m, piece) =>
      each(m, (side, at) => {
        const place = side.masked[at];
        side.tokens[place] = piece;
        side.masked = side.masked.filter(i => i !== place);
        focusOn = [alike(sides) ? 0 : m, place];
        return Math.max(0, Math.min(at, side.masked.length - 1));
      });
    const look = (m, at) => {
      model.set("gap", model.get("gap").map((old, n) => alike(sides) || n === m ? at : old));
      model.save_changes();
    };

    const pick = h("select", {
        class: "word",
        ...KEYS,
        "aria-label": t("given sentence"),
        onchange: () => {
          if (pick.value !== "") given(+pick.value);
        }
      }, h("option", { value: "" }, t("(your own)")),
      sentences.map((sentence, i) => h("option", { value: i }, cut(sentence, 420))));
    const text = textField({
      "aria-label": t("or type a sentence"),
      placeholder: "the [MASK] barked",
      maxlength: 400
    });
    onKeys(text, () => ({ Enter: true }), typed);
    const undo = button(t("undo"), () => {
      const state = past.pop();
      if (state) go(state.sides, state.gap);
    });
    const reset = button(t("reset"), () => {
      text.value = "";
      given(0);
      past = [];
      undo.disabled = true;
    });
    const trouble = h("p", { class: "trouble", role: "alert" }), // stands where the note does
      strip = h("div", {}),
      panels = h("div", { class: "panels" });
    const hint = h("div", { class: "hint" }, trouble, h("p", { class: "note" },
      t("Click a token, or go there with the arrow keys and press Enter, to hide or show it; "
        + "click a guess to put it in. ✓ the token that is hidden. "
        + "One [MASK] is one token: a longer word cannot be guessed.")));
    st.root.append(
      h("div", { class: "row" }, labelled(t("sentence"), pick), labelled(t("or type one"), text),
        button(t("ask"), typed), undo, reset),
      hint,
      strip,
      panels
    );

    const tokens = m => {
      const side = sides[m],
        list = h("div", { class: "tokens", role: "group", "aria-label": t("tokens") });
      side.tokens.forEach((token, place) => {
        const hidden = side.masked.includes(place),
          number = side.masked.indexOf(place) + 1;
        list.append(
          h("button", {
            type: "button",
            class: `token${hidden ? " hidden" : ""}${hidden && number - 1 === gapOf(m) ? " at" : ""}`
              + `${token === "[UNK]" ? " odd" : ""}`,
            ...KEYS,
            tabindex: place ? -1 : 0,
            "data-place": place,
            "data-side": m,
            "data-text": token,
            "aria-pressed": String(hidden),
            title: width(token, 13) > 150 ? token : null,
            "aria-label": hidden ? t("gap {n}", { n: number }) : token,
            onclick: () => {
              focusOn = [m, place];
              if (token === MASKED) look(m, number - 1);
              else flip(m, place);
            }
          }, hidden ? (side.masked.length > 1 ? `${MASKED} ${number}` : MASKED) : cut(token, 150, 13))
        );
      });
      onList(list, token => token.focus());
      const what = side.unknown.slice(0, 20).join(" ") || t("a word here"),
        odd = alike(sides) && names.length > 1
        ? t("Not known: {what}. A word with what is not known is [UNK].", { what })
        : t("{name} does not know: {what}. A word with what is not known is [UNK].", { name: names[m], what });
      return [
        list,
        side.tokens.includes("[UNK]") ? h("p", { class: "soft" }, odd) : null
      ];
    };

    function panel(m, together) {
      const side = sides[m],
        now = side.guesses !== null,
        from = now ? side : last[m],
        at = now ? gapOf(m) : 0,
        gaps = now ? from.guesses[at] ?? [] : from.guesses[0] ?? [];
      most = Math.max(most, gaps.length);
      const tabs = now && side.masked.length > 1
        ? h("div", { class: "gaps", role: "group", "aria-label": t("gap") }, side.masked.map((_, i) =>
          h("button", {
            type: "button",
            class: `plain tab${i === gapOf(m) ? " on" : ""}`,
            ...KEYS,
            "aria-pressed": String(i === gapOf(m)),
            onclick: () => look(m, i)
          }, t("gap {n}", { n: i + 1 }))
        )) : null;
      const rows = gaps.map(([piece, p], rank) => {
        const right = now && piece === side.tokens[side.masked[at]];
        return h("button", {
            type: "button",
            class: `guess${right ? " right" : ""}`,
            ...KEYS,
            disabled: !now,
            "data-piece": piece,
            "data-p": p,
            "aria-label": right ? t("put in “{piece}”, {share}, the token that is hidden", { piece, share: share(p) })
              : t("put in “{piece}”, {share}", { piece, share: share(p) }),
            onclick: () => insert(m, piece)
          }, h("span", { class: "rank" }, `${rank + 1}`),
          h("span", { class: "piece", title: width(piece, 13) > 118 ? piece : null }, cut(piece, 112, 13),
            right ? " ✓" : ""), h("span", { class: "track" }, h("i", { style: `width:${100 * p}%` })),
          h("b", {}, share(p)));
      });
      return h("div", { class: `panel${now ? "" : " stale"}`, "data-model": names[m], "data-now": String(now) },
        h("div", { class: "head" }, h("h5", {}, cut(names[m], 300, 13)), tabs,
          now ? null : h("p", { class: "soft old" }, t("The last answer, to {around}", { around: around(from, 0) }))),
        together ? null : tokens(m),
        h("div", { style: `min-height:${28 * most}px` },
          gaps.length ? rows : h("p", { class: "soft" }, t("Nothing is hidden."))));
    }

    function draw() {
      const held = st.root.querySelector(".token:focus"),
        together = alike(sides);
      const to = focusOn ?? (held ? [+held.dataset.side, +held.dataset.place] : null);
      focusOn = null;
      strip.replaceChildren(...(together ? tokens(0).filter(Boolean) : []));
      panels.replaceChildren(...names.map((_, m) => panel(m, together)));
      if (to) st.root.querySelector(`.token[data-side="${to[0]}"][data-place="${to[1]}"]`)?.focus();
      trouble.textContent = problem;
      undo.disabled = !past.length;
      const i = stored.findIndex(s => s.every((side, m) => same(side.tokens, sides[m].tokens)));
      pick.value = i < 0 ? "" : String(i);
      if (sides.every(side => side.guesses)) st.tell(finding(t, names, sides, names.map((_, m) => gapOf(m))));
      else if (problem)
        st.tell(t("No answer yet to {around}. Below stand the last ones.", { around: around(sides[0], gapOf(0)) }));
    }

    function heard() {
      const answer = model.get("answer");
      if (asked !== null && answer.id !== asked) return; // to an older question
      clearTimeout(timer);
      asked = null;
      problem = answer.error;
      if (!problem) sides = last = copy(answer.sides);
      else if (typing) past.pop();
      draw();
    }
    model.on("change:answer", heard);
    // of each given sentence: the widest line of tokens with one more gap, and what is said of each gap
    const shown = [sides, ...stored.map(texts => texts.map(side => ({ ...side, guesses: null })))];
    const widest = all => all.map(side => {
      const thin = side.tokens.reduce((best, token, i) => width(token) < width(side.tokens[best]) ? i : best, 0);
      return { ...side, masked: [...new Set([...side.masked, thin])].sort((a, b) => a - b) };
    });
    const fills = shown.map(widest).filter(alike).map(all => () => {
      const kept = sides;
      sides = all;
      strip.replaceChildren(...tokens(0).filter(Boolean));
      sides = kept;
    });
    const findings = () => stored.flatMap(texts => texts[0].tokens.map((_, place) => {
      const all = texts.map(side => ({ ...side, masked: [place] }));
      all.forEach((side, m) => {
        side.guesses = recall(side, m);
      });
      return all.every(side => side.guesses?.[0]?.length) ? finding(t, names, all, names.map(() => 0)) : "";
    }));
    const leave = st.live(model, ["gap"], draw, () => {
      hold(strip, ...fills, () => strip.replaceChildren());
      hold(hint, () => {
        trouble.textContent = alone ? onlyGiven : gone;
      });
      draw();
    }, findings);
    return () => {
      leave();
      clearTimeout(timer);
      model.off("change:answer", heard);
    };
  }
};
