// Recall questions, one at a time. In: title, note, questions [{text, options: [{text, because, right}]}].
// In and out: chosen, per question the index of an option or -1.
const keyed = (key, attributes, ...children) => // keeps its focus when it is drawn anew
  h("button", { type: "button", "data-key": key, ...KEYS, ...attributes }, ...children);

export default {
  render({ model, el }) {
    const questions = model.get("questions"),
      set = setter(model),
      t = teller(model),
      body = h("div");
    const st = stage(el, model.get("title"));
    st.root.classList.add("cw-recall");
    st.root.append(body);
    let at = Math.max(0, model.get("chosen").indexOf(-1)),
      said = "";

    const chosen = () => questions.map((_, i) => model.get("chosen")[i] ?? -1);
    const verdict = i => {
      const option = questions[i].options[chosen()[i]];
      return option ? (option.right ? "right" : "wrong") : "open";
    };
    const progress = () => {
      const verdicts = questions.map((_, i) => verdict(i)),
        answered = verdicts.filter(v => v !== "open").length;
      const right = verdicts.filter(v => v === "right").length;
      return t("{n} of {all} answered, {right} right.", { n: answered, all: questions.length, right });
    };
    const feedback = option => `${option.right ? t("✓ Right.") : t("✗ Not so.")} ${option.because}`;

    const go = to => {
      at = Math.min(Math.max(to, 0), questions.length - 1);
      said = "";
      draw();
    };
    const choose = option => {
      said = `${feedback(questions[at].options[option])} `;
      set({ chosen: chosen().map((old, i) => i === at ? option : old) });
    };
    const reset = () => {
      set({ chosen: questions.map(() => -1) });
      go(0);
    };

    function draw() {
      const focused = st.root.getRootNode().activeElement?.closest?.("[data-key]")?.dataset.key;
      const words = { open: t("not answered"), right: t("answered, right"), wrong: t("answered, not right") };
      const marks = { open: "", right: " ✓", wrong: " ✗" };
      const numbers = questions.map((_, i) =>
        keyed(`q${i}`, {
          class: "number",
          "data-state": verdict(i),
          "aria-current": i === at ? "true" : null,
          "aria-label": t("Question {i}, {state}", { i: i + 1, state: words[verdict(i)] }),
          onclick: () => go(i)
        }, `${i + 1}${marks[verdict(i)]}`)
      );
      const options = questions[at].options.map((option, i) =>
        keyed(`o${i}`, { class: "option", "aria-pressed": String(chosen()[at] === i), onclick: () => choose(i) },
          option.text)
      );
      const rows = options.map((option, i) =>
        h("li", {}, option,
          chosen()[at] === i
          ? h("p", { class: "because", "data-state": verdict(at) }, feedback(questions[at].options[i])) : null)
      );
      const group = h("div", { role: "group", "aria-label": t("Question {i}", { i: at + 1 }) },
        h("p", { class: "question" }, `${at + 1}. ${questions[at].text}`), h("ul", {}, rows));
      onKeys(group, event => { // the arrows move, they do not choose
        const i = options.indexOf(event.target);
        return i < 0 ? {} : { ArrowDown: i + 1, ArrowUp: i - 1 };
      }, to => options[(to + options.length) % options.length].focus());
      body.replaceChildren(...[
        h("div", { class: "numbers", role: "group", "aria-label": t("Questions") }, numbers),
        group,
        h("div", { class: "numbers" }, keyed("back", { onclick: () => go(at - 1), disabled: at === 0 }, t("Back")),
          keyed("next", { onclick: () => go(at + 1), disabled: at === questions.length - 1 }, t("Next")),
          keyed("reset", { onclick: reset }, t("Start again"))),
        model.get("note") ? h("p", { class: "note" }, model.get("note")) : null
      ].filter(node => node));
      if (focused)
        (body.querySelector(`[data-key="${focused}"]:not(:disabled)`) ?? body.querySelector(`[data-key="q${at}"]`))
        .focus();
      st.tell(progress(), said + progress());
    }
    return st.live(model, ["chosen", "note"], draw);
  }
};
