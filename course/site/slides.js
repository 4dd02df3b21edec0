// Start the deck: what does not fit on a slide goes on on the next, and then each is shown as large as there is room.
const WIDTH = 1280,
  HEIGHT = 720,
  INNER = 1200,
  ROOM = 660; // px; INNER x ROOM: what a slide's content may take
const CODE_COLUMNS = 108; // characters of code in a line at zoom 1
const PLOT = 1.5, // zoom of a picture, if there is room: its letters of 14 px are of 21, and those of 12 px of 18
  BROAD = 1264, // px of the slide's width that a picture may take
  HEADING = 62, // px above a picture
  TABLE = .8; // zoom at which a table's letters are of 18 px
// [zoom of text and code, of outputs, of pictures]: the first that fits is taken; at 1 no letter is under 18 px
const ZOOMS = [[1.2, 1.5, 1.8], [1.2, 1.5, 1.65], [1.2, 1.5], [1.2, 1.35], [1.1, 1.35], [1.1, 1.2], [1, 1.2], [1, 1.1],
  [1, 1]];

const FOLDED = ".code:not(:has(> pre))",
  LEADS = `:scope > :is(.said:has(> :is(h1, h2, h3):last-child), ${FOLDED}):not(:has(~ :not(.notes)))`;

function fit(slide) {
  const sheet = slide?.querySelector(":scope > .sheet");
  if (!sheet || slide.classList.contains("alone")) return;
  slide.classList.toggle("long", !ZOOMS.find(zooms => fits(sheet, zooms))); // of opened code
}

function fits(sheet, [text, output, picture = PLOT]) {
  const [texts, codes, outputs] = [".said", ".code", ".out"].map(kind => [...sheet.querySelectorAll(kind)]);
  const columns = Math.max(1, ...[...sheet.querySelectorAll(".code > pre, [open] > pre")].flatMap(
    code => code.textContent.split("\n").map(line => line.length)
  ));
  const squeeze = Number(sheet.dataset.squeeze ?? 1); // of code that is longer than a slide
  texts.forEach(each => each.style.zoom = text);
  sheet.querySelectorAll(".formula").forEach(narrow);
  codes.forEach(each => each.style.zoom = Math.min(text, Math.max(1, CODE_COLUMNS / columns)) * squeeze);
  const heading = sheet.querySelector(":scope:not(:has(.tall)) :is(h1, h2, h3)"),
    room = ROOM - (heading ? HEADING * text : 0);
  outputs.forEach(each => {
    const { naturalWidth: width, naturalHeight: height } = each.querySelector(":scope > img") ?? {},
      zoom = width ? Math.min(picture, BROAD / width, room / (height + 20)) : output;
    each.style.zoom = zoom;
    for (const plot of each.querySelectorAll("[style*=border-left] img")) // of a card: its letters of 12 px are of 18
      plot.style.minWidth = `${plot.naturalWidth * PLOT / zoom}px`;
    each.style.marginLeft = width ? `${Math.min(0, (INNER / zoom - width) / 2)}px` : "";
  });
  for (const table of sheet.querySelectorAll(".out table")) {
    table.style.zoom = 1;
    const { width } = table.getBoundingClientRect();
    table.style.zoom = Math.max(TABLE, Math.min(1, sheet.getBoundingClientRect().width / width));
  }
  const box = sheet.getBoundingClientRect(),
    wide = outputs.some(each => each.getBoundingClientRect().right > box.right + 1);
  return !(wide && output > 1) && box.height / (box.width / INNER) <= ROOM;
}

function split(slide) { // into slides that fit
  const sheet = slide.querySelector(":scope > .sheet");
  for (const each of [slide, slide.parentElement]) each.classList.add("measured");
  if (!fits(sheet, ZOOMS.at(-1))) { // what would appear step by step has slides instead
    sheet.querySelectorAll(".fragment").forEach(each => each.replaceWith(...each.children));
    for (const list of sheet.querySelectorAll(".said > :is(ol, ul)")) // a long list goes on, too
      list.replaceWith(...[...list.children].map((item, i) => {
        const one = Object.assign(list.cloneNode(false), { start: (list.start ?? 1) + i });
        one.append(item);
        return one;
      }));
    const next = slide.cloneNode(false),
      rest = next.appendChild(sheet.cloneNode(false));
    while (!fits(sheet, ZOOMS.at(-1)) && pass(sheet, rest));
    while (sheet.querySelector(LEADS) && pass(sheet, rest)); // they go with what comes after
    for (let squeeze = .95; squeeze > .7 && !fits(sheet, ZOOMS.at(-1)); squeeze -= .05) sheet.dataset.squeeze = squeeze;
    if (rest.childElementCount) {
      slide.after(next);
      split(next);
    }
  }
  for (const each of [slide, slide.parentElement]) each.classList.remove("measured");
}

function pass(from, to) { // the last part of what is too long; false: there is one part only
  const last = [...from.children].findLast(child => child.matches(":not(.notes)")),
    notes = [...from.children].slice([...from.children].indexOf(last) + 1);
  const parts = last.matches(".said, .outs") ? [...last.children] : [];
  const seen = [...from.children].find(child => !child.matches(FOLDED));
  if (parts.length < 2 && last === seen) return cut(last, from, to);
  to.prepend(...notes);
  if (parts.length < 2) return to.prepend(last) ?? true;
  const [first] = to.children;
  const home = first?.className === last.className && !notes.length ? first : last.cloneNode(false);
  if (home !== first) to.prepend(home);
  home.prepend(parts.at(-1));
  return true;
}

function cut(one, from, to) { // the last line of a long text, row of a long table, part of a long card
  const kind = ["pre.text", "tbody", "[style*=border-left]"].find(each => one.querySelector(each)),
    long = one.querySelector(kind),
    lines = kind === "pre.text" ? long.textContent.split("\n") : [...long?.children ?? []];
  if (lines.length < 2) return false;
  let [home] = to.children;
  if (!home?.goesOn) {
    home = one.cloneNode(true);
    home.goesOn = true;
    home.querySelector(kind).replaceChildren();
    to.prepend(home);
  }
  home.querySelector(kind).prepend(kind === "pre.text" ? `${lines.at(-1)}\n` : lines.at(-1));
  if (kind === "pre.text") long.textContent = lines.slice(0, -1).join("\n");
  return true;
}

function narrow(formula) { // a formula cannot be cut into lines
  formula.style.fontSize = "";
  const wide = formula.getBoundingClientRect().width / formula.closest(".sheet").getBoundingClientRect().width;
  if (wide > 1) formula.style.fontSize = `${1.1 / wide * 0.99}em`;
}

const fitCurrent = () => fit(Reveal.getCurrentSlide());

const KEYS = { // of the presenter, with Reveal's numbers
  PageUp: 33,
  PageDown: 34,
  " ": 32,
  ArrowLeft: 37,
  ArrowUp: 38,
  ArrowRight: 39,
  ArrowDown: 40,
  f: 70,
  F5: 70,
  b: 66,
  ".": 190
};
addEventListener("message", ({ source, data }) => { // from a widget's frame: hall.js
  const frame = [...document.querySelectorAll(".stage iframe")].find(each => each.contentWindow === source);
  if (!frame || !data) return;
  const { courseKey: key, courseSize: size, courseParts: parts, coursePart: part } = data,
  slide = frame.closest("section");
  if (key === "Escape") frame.blur();
  else if (typeof key === "string") Reveal.triggerKey(KEYS[key] ?? KEYS[key.toLowerCase()]);
  if (size > .5 && size < 1.5) frame.style.setProperty("--size", size);
  if (Number.isInteger(part)) Reveal.navigateFragment(part - 1);
  if (parts > slide.querySelectorAll(".fragment").length + 1) { // PageDown goes through them as through fragments
    for (let n = 1; n < Math.min(parts, 9); n++)
      slide.append(Object.assign(document.createElement("i"), { className: "fragment" }));
    showPart(slide);
  }
});

function showPart(slide, courseSeen = false) {
  const coursePart = slide.querySelectorAll(".fragment.visible").length;
  slide.querySelector(".stage iframe")?.contentWindow.postMessage({ coursePart, courseSeen }, "*");
}
document.addEventListener("toggle", fitCurrent, true); // folded code was opened

Promise.allSettled([...document.images].map(picture => picture.decode())).then(() => {
  for (const outs of document.querySelectorAll(".outs:has(> .out:only-child > img)")) {
    const { naturalWidth, naturalHeight } = outs.querySelector("img");
    outs.classList.toggle("tall", naturalHeight > naturalWidth);
    if (naturalHeight > naturalWidth) outs.parentElement.prepend(outs); // its heading stands beside it, too
  }
  document.querySelectorAll(".slides > section > section:not(.alone)").forEach(split);
  for (const slide of document.querySelectorAll("section:has(> .sheet .code)")) {
    const folded = slide.appendChild(Object.assign(document.createElement("div"), { className: "folded" }));
    folded.append(...slide.querySelector(".sheet").querySelectorAll(FOLDED));
  }
  return Reveal.initialize({
    width: WIDTH,
    height: HEIGHT,
    margin: 0,
    center: false,
    hash: true,
    navigationMode: "linear", // a remote's "right" leads to the next slide, too
    slideNumber: "c/t",
    transition: "none",
    plugins: [RevealNotes]
  });
}).then(() => {
  fitCurrent();
  showPart(Reveal.getCurrentSlide(), true);
});
Reveal.on("slidechanged", ({ currentSlide }) => {
  fit(currentSlide);
  showPart(currentSlide, true);
});
for (const moved of ["fragmentshown", "fragmenthidden"]) Reveal.on(moved, () => showPart(Reveal.getCurrentSlide()));
Reveal.on("resize", fitCurrent);
