// A mark of a drawing that is a slider: keys move it by one, by ten, to an end; dragged, it goes to `at(event)`.
function handle({ label, min, max, now, steps: [one, ten], at, put }, ...marks) {
  const part = { tabindex: 0, role: "slider", "aria-label": label, "aria-valuemin": min, "aria-valuemax": max },
    node = s("g", { class: "mark", ...KEYS, ...part }, marks),
    go = to => put(Math.min(max, Math.max(min, Math.round(to))));
  onKeys(node, () => {
    const [up, down] = [now() + one, now() - one],
    far = { PageUp: now() + ten, PageDown: now() - ten, Home: min, End: max };
    return { ArrowRight: up, ArrowUp: up, ArrowLeft: down, ArrowDown: down, ...far };
  }, go);
  node.addEventListener("pointerdown", event => {
    node.setPointerCapture(event.pointerId);
    event.preventDefault();
    node.focus();
  });
  node.addEventListener("pointermove", event => {
    if (node.hasPointerCapture(event.pointerId)) go(at(event));
  });
  return node;
}
