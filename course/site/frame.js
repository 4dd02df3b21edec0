// In each widget's frame: tell the page how high the content is, once the widget has drawn.
let telling;
new ResizeObserver(() => {
  clearTimeout(telling);
  telling = setTimeout(() => {
    const { marginTop, marginBottom } = getComputedStyle(document.body);
    const height = document.body.scrollHeight + parseFloat(marginTop) + parseFloat(marginBottom);
    parent.postMessage({ courseFrameHeight: Math.ceil(height) }, "*");
  }, 60);
}).observe(document.documentElement);
// And the page as its kernel, where it holds the models (course/live/kernel.js): what the widget asks, it answers.
// A recall's choices the page keeps (keep.js): it asks for them at once.
globalThis.courseModel = (model, state) => {
  const question = ["request", "typed", "chosen"].find(name => name in state),
    ask = () => parent.postMessage({ courseAsk: state }, "*");
  let asked = state[question];
  model.save_changes = () => {
    if (state[question] === asked) return;
    asked = state[question];
    ask();
  };
  addEventListener("message", ({ source, data }) => {
    if (source !== parent || !data?.courseAnswer) return;
    for (const [name, value] of Object.entries(data.courseAnswer)) model.set(name, value);
  });
  if (question === "chosen") ask();
};
// The reader's own sentence, offered by the page (course/live/yours.js), as if it were typed.
function typeIn(text, tries = 50) {
  const field = document.querySelector("input[maxlength], textarea[maxlength]");
  if (!field) return tries && setTimeout(typeIn, 100, text, tries - 1); // it is not drawn yet
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
}
addEventListener("message", ({ source, data }) => {
  if (source === parent && typeof data?.courseSentence === "string") typeIn(data.courseSentence);
});
