// Recall questions, one at a time. In: title, note, questions [{text, options: [{text, because, right}]}].
// In and out: chosen, per question the index of an option or -1.
const h = (tag, attributes, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value != null) node.setAttribute(name, value);
  }
  node.append(...children.flat().filter(child => child != null));          // strings become text, never markup
  return node;
};

function button(key, attributes, ...children) {                            // Lab must not take the keys of a focused element
  return h("button", { type: "button", "data-key": key, "data-lm-suppress-shortcuts": "true", ...attributes }, ...children);
}

export default {
  render({ model, el }) {
    const title = model.get("title"), questions = model.get("questions");
    const body = h("div"), live = h("p", { class: "sr", "aria-live": "polite" });
    const root = el.appendChild(h("section", { class: "recall", "aria-label": title }, h("h4", {}, title), live, body));
    let at = Math.max(0, model.get("chosen").indexOf(-1)), calm;

    const chosen = () => questions.map((_, i) => model.get("chosen")[i] ?? -1);
    const verdict = i => { const option = questions[i].options[chosen()[i]]; return option ? (option.right ? "right" : "wrong") : "open"; };
    const progress = () => {
      const verdicts = questions.map((_, i) => verdict(i)), answered = verdicts.filter(v => v !== "open").length;
      return `${answered} of ${questions.length} answered, ${verdicts.filter(v => v === "right").length} right.`;
    };
    const tell = text => { clearTimeout(calm); calm = setTimeout(() => { live.textContent = text; }, 600); };
    const feedback = option => `${option.right ? "✓ Right." : "✗ Not so."} ${option.because}`;

    const go = to => { at = Math.min(Math.max(to, 0), questions.length - 1); draw(); };
    const choose = option => {
      const next = chosen();
      next[at] = option;
      model.set("chosen", next);
      model.save_changes();
      tell(`${feedback(questions[at].options[option])} ${progress()}`);
    };
    const reset = () => {
      model.set("chosen", questions.map(() => -1));
      model.save_changes();
      go(0);
      tell(progress());
    };
    const arrows = event => {                                              // the arrows move, they do not choose
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key], list = [...body.querySelectorAll(".option")];
      if (!step || !list.includes(event.target)) return;
      event.preventDefault();
      list[(list.indexOf(event.target) + step + list.length) % list.length].focus();
    };

    function draw() {
      const focused = root.getRootNode().activeElement?.closest?.("[data-key]")?.dataset.key;
      const words = { open: "not answered", right: "answered, right", wrong: "answered, not right" };
      const marks = { open: "", right: " ✓", wrong: " ✗" };
      const numbers = questions.map((_, i) => button(`q${i}`, { class: "number", "data-state": verdict(i),
        "aria-current": i === at ? "true" : null, "aria-label": `Question ${i + 1}, ${words[verdict(i)]}`, onclick: () => go(i) }, `${i + 1}${marks[verdict(i)]}`));
      const options = questions[at].options.map((option, i) => {
        const picked = chosen()[at] === i;
        return h("li", {}, button(`o${i}`, { class: "option", "aria-pressed": String(picked), onclick: () => choose(i) }, option.text),
          picked ? h("p", { class: "because", "data-state": verdict(at) }, feedback(option)) : null);
      });
      body.replaceChildren(...[
        h("p", { class: "say" }, progress()),
        h("div", { class: "numbers", role: "group", "aria-label": "Questions" }, numbers),
        h("div", { role: "group", "aria-label": `Question ${at + 1}`, onkeydown: arrows },
          h("p", { class: "question" }, `${at + 1}. ${questions[at].text}`), h("ul", {}, options)),
        h("div", { class: "numbers" },
          button("back", { class: "plain", onclick: () => go(at - 1), disabled: at === 0 ? "" : null }, "Back"),
          button("next", { class: "plain", onclick: () => go(at + 1), disabled: at === questions.length - 1 ? "" : null }, "Next"),
          button("reset", { class: "plain", onclick: reset }, "Start again")),
        model.get("note") ? h("p", { class: "note" }, model.get("note")) : null].filter(node => node));
      if (focused) (root.querySelector(`[data-key="${focused}"]:not(:disabled)`) ?? root.querySelector(`[data-key="q${at}"]`)).focus();
    }

    const watched = ["change:chosen", "change:note"];
    watched.forEach(name => model.on(name, draw));
    draw();
    return () => { clearTimeout(calm); watched.forEach(name => model.off(name, draw)); };
  },
};
