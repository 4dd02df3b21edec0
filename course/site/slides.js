// Start the deck, and make each slide fit: the largest type that leaves nothing below the edge.
const WIDTH = 1280,
  HEIGHT = 720,
  INNER = 1200,
  ROOM = 660; // px; INNER x ROOM: what a slide's content may take
const CODE_COLUMNS = 114, // characters of code in a line at zoom 1
  LEAST_CODE = 0.85;
// [zoom of text and code, zoom of outputs]: the first that fits is taken; if none does, the last one scrolls
const ZOOMS = [
  [1.2, 1.5],
  [1.2, 1.35],
  [1.1, 1.35],
  [1.1, 1.2],
  [1, 1.2],
  [1, 1.1],
  [1, 1],
  [1, 0.92],
  [0.92, 0.92],
  [0.92, 0.85],
  [0.85, 0.85],
  [0.85, 0.8],
  [0.8, 0.8],
  [0.8, 0.78],
  [0.75, 0.75],
  [0.7, 0.7],
  [0.7, 0.66]
];

function fit(slide) {
  const sheet = slide?.querySelector(":scope > .sheet");
  if (!sheet) return;
  const [texts, codes, outputs] = [".said", ".code", ".out"].map(kind => [...sheet.querySelectorAll(kind)]);
  const columns = Math.max(1, ...[...sheet.querySelectorAll(".code > pre, [open] > pre")].flatMap(
    code => code.textContent.split("\n").map(line => line.length)
  ));
  outputs.forEach(output => zoom(output, 1));
  const widths = outputs.map(output =>
    Math.max(1, ...[...output.querySelectorAll("img, pre, iframe")].map(part => part.offsetWidth), output.offsetWidth)
  );
  const fits = ([text, output]) => {
    texts.forEach(each => zoom(each, text));
    sheet.querySelectorAll(".formula").forEach(narrow);
    codes.forEach(each => zoom(each, Math.min(text, Math.max(LEAST_CODE, CODE_COLUMNS / columns))));
    outputs.forEach((each, i) => zoom(each, Math.min(output, Math.max(1, 0.98 * INNER / widths[i]))));
    return sheet.getBoundingClientRect().height / Reveal.getScale() <= ROOM;
  };
  const large = slide.classList.contains("large");
  const taken = (large ? [[1, 1.2]] : ZOOMS).find(fits);
  slide.classList.toggle("long", !taken);
  slide.classList.toggle("small", large || !taken || taken[1] < 1);
}

function narrow(formula) { // a formula cannot be cut into lines
  formula.style.fontSize = "";
  const wide = formula.getBoundingClientRect().width / Reveal.getScale() / INNER;
  if (wide > 1) formula.style.fontSize = `${1.1 / wide * 0.99}em`;
}

function zoom(part, factor) {
  if (!part.querySelector("iframe")) {
    part.style.zoom = factor;
    return;
  }
  // Chromium does not always redraw a frame whose zoom changes: scale the finished picture
  part.style.marginBottom = "";
  part.style.transform = `scale(${factor})`;
  part.style.marginBottom = `${(factor - 1) * part.offsetHeight + 8}px`;
}

const fitCurrent = () => fit(Reveal.getCurrentSlide());

const words = document.body.dataset; // larger, smaller: in the deck's language
for (const sheet of document.querySelectorAll(".sheet:has(iframe)")) { // a widget that had to shrink can be enlarged
  const button = sheet.appendChild(document.createElement("button"));
  Object.assign(button, { type: "button", className: "enlarge", textContent: words.larger });
  button.addEventListener("click", () => {
    const large = sheet.parentElement.classList.toggle("large");
    button.textContent = large ? words.smaller : words.larger;
    fitCurrent();
  });
}

addEventListener("message", event => { // a widget's frame says how high it is
  const height = event.data?.courseFrameHeight;
  if (!Number.isFinite(height) || height < 40 || height > 6000) return;
  for (const frame of document.querySelectorAll(".widget iframe"))
    if (frame.contentWindow === event.source) frame.style.height = `${height}px`;
  fitCurrent();
});
document.addEventListener("toggle", fitCurrent, true); // folded code was opened

Reveal.initialize({
  width: WIDTH,
  height: HEIGHT,
  margin: 0,
  center: false,
  hash: true,
  slideNumber: "c/t",
  transition: "none",
  plugins: [RevealNotes]
}).then(fitCurrent);
Reveal.on("slidechanged", fitCurrent);
Reveal.on("resize", fitCurrent);
