// A field for a reader's own sentence: it goes to the trait `typed`, and Python answers, or the page of the site that
// stands in for it (course/site/frame.js; class live). Where nobody answers, there is no field.
function ownSentence(model, label, set) {
  const text = textField({ maxlength: 300 }),
    send = () => set({ typed: text.value }),
    t = teller(model),
    on = name => document.body.classList.contains(name);
  onKeys(text, () => ({ Enter: 1 }), send);
  const hidden = !on("live") && (on("alone") || !model.get("reads"));
  return h("div", { class: "row own", hidden }, labelled(label, text), button(t("place it"), send));
}
