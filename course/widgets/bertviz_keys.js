// In BertViz's frame: what answers the mouse (d3 keeps its listeners in __on) is named and reached by Tab, one of each
// kind; arrows go to the next, Enter and Space press, and the word that has the focus is pointed at.
function reachable() { // [what can be pressed, what can be pointed at]
  const hears = ({ __on: on }, type) => on?.some(one => one.type === type),
    seen = [...document.querySelectorAll("svg rect, svg g")].filter(node => node.__on &&
      getComputedStyle(node).visibility !== "hidden"),
    answers = type => seen.filter(node => hears(node, type) && (type === "click" || !hears(node, "click"))),
    kinds = [answers("click"), answers("mouseover")];
  kinds.forEach((nodes, kind) => {
    const focused = nodes.indexOf(document.activeElement),
      stop = Math.max(0, focused < 0 ? nodes.findIndex(node => node.tabIndex === 0) : focused);
    nodes.forEach((node, i) => {
      const under = node.parentNode.firstChild, // in the model view, of a head's picture
        [, layer, head] = under.id?.match(/^attn_background_(\d+)_(\d+)$/) ?? [],
        isSquare = typeof node.__data__ === "boolean", // in the head view
        word = node.closest("g:has(text)")?.querySelector("text").textContent;
      node.setAttribute("tabindex", i === stop ? 0 : -1);
      node.setAttribute("role", kind ? "img" : "button");
      node.setAttribute("aria-label", layer || isSquare ? HEAD.replace("#", layer ? `${layer}.${head}` : i) : word);
      if (layer || isSquare) node.ariaPressed = layer ? under.getAttribute("stroke-opacity") > 0 : node.__data__;
    });
  });
  for (const select of document.querySelectorAll("select")) {
    const { textContent: says } = select.previousElementSibling ?? select.previousSibling; // "Layer: "
    select.ariaLabel = says.replace(/:\s*$/, "").trim();
  }
  return kinds;
}
const send = (node, type) => node.dispatchEvent(new MouseEvent(type, { bubbles: true }));

addEventListener("click", () => setTimeout(reachable));
addEventListener("load", () => {
  reachable();
  new MutationObserver(reachable).observe(document.body, { childList: true, subtree: true });
});
addEventListener("keydown", event => {
  const nodes = reachable().find(kind => kind.includes(event.target)),
    at = nodes?.indexOf(event.target),
    to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Enter: at, " ": at } [event.key];
  if (!nodes?.[to]) return;
  event.preventDefault();
  if (to === at) send(event.target, "click");
  const next = to === at ? reachable()[0][at] : nodes[to]; // a press may draw all anew
  next?.focus();
  reachable();
});
addEventListener("focusin", ({ target }) => target.role === "img" && send(target, "mouseover"));
addEventListener("focusout", ({ target }) => target.role === "img" && send(target, "mouseleave"));
