const TRAITS = ["typed", "answer", "trouble"],
  LONGEST = 2000;

export default {
  render({ model, el }) {
    const given = model.get("given"),
      stored = model.get("stored"),
      set = setter(model),
      { classList } = document.body,
      alone = classList.contains("alone") && !classList.contains("live");
    const t = teller(model),
      st = stage(el, model.get("heading"));
    st.root.classList.add("cw-typed");

    function ask(typed) { // a given text has its answer at hand
      const known = stored[given.indexOf(typed)];
      set({ typed, ...(known ? { answer: known, trouble: "" } : {}) });
    }
    const lines = model.get("lines");
    const text = textField({
      rows: lines,
      maxlength: LONGEST,
      readonly: alone,
      oninput: () => ask(text.value)
    }, lines > 1 ? "textarea" : "input");
    text.value = model.get("answer").text;
    const pick = given.map(one => button(one, () => {
      text.value = one;
      ask(one);
    }));
    const trouble = h("p", { class: "trouble", role: "status" }),
      list = h("ol", { "aria-label": t("words with their numbers") });
    st.root.append(labelled(model.get("label"), text),
      h("div", { class: "given", role: "group", "aria-label": t("given texts") }, pick), trouble, list);
    if (alone)
      st.root.append(h("p", { class: "note" },
        t("Nobody answers here: pick a given text. In JupyterLab and on the course's website you can type your own.")));

    function draw() {
      const { rows, says } = model.get("answer"),
        most = Math.max(...rows.map(([, number]) => Math.abs(number)), 1e-9);
      trouble.textContent = model.get("trouble");
      list.classList.toggle("stale", trouble.textContent !== "");
      list.replaceChildren(...rows.map(([word, number]) =>
        h("li", { class: number < 0 ? "minus" : null, "data-word": word, "data-number": number }, h("span", {}, word),
          h("span", {}, h("i", { style: `width:${100 * Math.abs(number) / most}%` })),
          h("span", {}, number.toFixed(2).replace("-", "−")))));
      pick.forEach((one, i) => one.classList.toggle("on", given[i] === text.value));
      st.tell(says);
    }
    return st.live(model, TRAITS, draw, undefined, () => stored.map(answer => answer.says));
  }
};
