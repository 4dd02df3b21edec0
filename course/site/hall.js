// In a widget's frame on a slide: letters for the last row, one part after the other where all at once is too much,
// and the keys of the presenter, which go on to the deck after a click in here. slides.js is the other end.
const WIDE = 924, // px of the frame where its letters of 13 px are of 18 on the slide
  LEAST = 13;
const SIZES = [1, 1.08, 1.16, 1.24, 1.32]; // of the frame, in turn until all fits in
const SMALLER = [.56, .62, .7, .8, .9]; // first, where there is little to show: it is enlarged the more
const LITTLE = ["cw-strip", "cw-recall", "cw-row"];
const PARTS = { // by the widget's class: what is shown one after the other
  "cw-heads": [".small, .large", ":scope > h5, :scope > h5 + svg"],
  "cw-map": [".side > :first-child", ".sum"],
  "cw-mix": [".left", ".right"],
  "cw-sat": [".panel:nth-child(-n+3)", ".panel:nth-child(n+4)"],
  "cw-spans": [".passage", ":scope > h5, .list"]
};
const REMOTE = ["PageDown", "PageUp", "F5"],
  LETTERS = ["b", "B", ".", "f", "F"],
  MOVES = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", " "];
let root = null,
  parts = [],
  sizes = SIZES;

const tell = said => parent.postMessage(said, "*");
const ask = () => tell({ courseParts: parts.length, courseSize: sizes[0] });

function enlarge() {
  const least = LEAST * innerWidth / WIDE;
  for (const node of document.body.querySelectorAll("*")) {
    if (![...node.childNodes].some(child => child.nodeType === Node.TEXT_NODE && child.data.trim())) continue;
    const own = parseFloat(getComputedStyle(node).fontSize),
      drawn = node.getScreenCTM?.(), // of an SVG that is shown smaller
      px = own * (drawn ? Math.hypot(drawn.a, drawn.b) : 1);
    if (px > 0 && px < least - .05) node.style.fontSize = `${own * least / px}px`;
  }
}

function settle() {
  enlarge();
  const over = () => root?.scrollHeight > root?.clientHeight + 1;
  document.body.classList.remove("tight");
  document.body.classList.toggle("tight", over()); // without the small print
  if (Math.abs(innerWidth - WIDE * sizes[0]) > 2) return; // the deck has not done so yet
  if (!over() || sizes.length === 1) return;
  sizes = sizes.slice(1);
  ask();
}

function show(part) {
  parts.forEach((one, i) => root.querySelectorAll(one).forEach(node => node.toggleAttribute("data-later", i !== part)));
  root.querySelectorAll(".views button").forEach((tab, i) => tab.setAttribute("aria-pressed", i === part));
  settle();
}

function begin() {
  const names = [...root.classList];
  parts = PARTS[names.find(name => name in PARTS)] ?? [];
  if (names.some(name => LITTLE.includes(name))) sizes = [...SMALLER, ...SIZES];
  const tabs = root.appendChild(document.createElement("nav"));
  tabs.className = "views";
  parts.forEach((_, i) => {
    const tab = tabs.appendChild(document.createElement("button"));
    Object.assign(tab, { type: "button", textContent: i + 1, className: "plain" });
    tab.addEventListener("click", () => tell({ coursePart: i }));
  });
  ask();
  show(0);
}

addEventListener("DOMContentLoaded", () => {
  document.body.classList.add("hall");
  new MutationObserver(() => {
    if (root) return settle();
    root = document.querySelector(".cw");
    if (root) begin();
  }).observe(document.body, { childList: true, subtree: true, characterData: true });
  addEventListener("resize", () => requestAnimationFrame(() => requestAnimationFrame(settle))); // after the widget
  settle();
});
addEventListener("message", ({ source, data }) => {
  if (source !== parent || !root || !Number.isInteger(data?.coursePart)) return;
  if (data.courseSeen) ask(); // what was said before the deck listened is said again
  show(data.coursePart);
});
addEventListener("keydown", event => {
  const { key, target } = event,
  typing = target.matches?.("textarea, select, input:not([type=checkbox], [type=radio], [type=range])"),
    used = target.matches?.(`input, select, textarea${key === " " ? ", button, summary, a" : ""}`);
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const goesOn = REMOTE.includes(key) || key === "Escape" || (LETTERS.includes(key) && !typing) ||
    (MOVES.includes(key) && !used && !event.defaultPrevented);
  if (!goesOn) return;
  event.preventDefault();
  tell({ courseKey: key });
});
