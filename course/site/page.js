// Light or dark: the reader's choice, else the system's. And frames as high as what they show.
const root = document.documentElement;
const system = matchMedia("(prefers-color-scheme: dark)");
const wide = matchMedia("(min-width: 1280px)");
let chosen = null; // "light", "dark", or null: as the system
try {
  chosen = localStorage.getItem("course-theme");
} catch { /* a browser that keeps nothing */ }

function show() {
  const theme = chosen ?? (system.matches ? "dark" : "light");
  root.dataset.theme = theme;
  document.querySelector("button.theme")?.setAttribute("aria-pressed", theme === "dark");
}

root.classList.add("js");
show();
system.addEventListener("change", show);
addEventListener("DOMContentLoaded", () => {
  show();
  document.querySelector("button.theme").addEventListener("click", () => {
    chosen = root.dataset.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem("course-theme", chosen);
    } catch { /* then it holds for this page */ }
    show();
  });
  const other = document.querySelector("a.language"); // the same page in the other language, at the same place
  other?.addEventListener("click", () => {
    const passed = JSON.parse(other.dataset.places).filter(([here]) =>
      document.getElementById(here)?.getBoundingClientRect().top < innerHeight / 3
    );
    other.hash = scrollY > 0 && passed.length ? passed.at(-1)[1] : "";
  });
  for (const open of document.querySelectorAll("li button.open")) // a card shows its widget, or else the page's first
    open.addEventListener("click", () => {
      const card = open.closest("li"),
        copy = Object.assign(document.createElement("div"), { className: "widget" });
      copy.append(document.querySelector("iframe")?.cloneNode() ?? "");
      card.append(open.nextElementSibling?.content.cloneNode(true) ?? copy);
      open.remove();
      const frame = card.querySelector("iframe");
      frame.focus();
      frame.scrollIntoView({ block: "nearest" }); // else it may begin at the window's lower edge
    });
  const contents = document.querySelector(".toc details");
  const unfold = () => {
    if (contents) contents.open = wide.matches;
  };
  unfold();
  wide.addEventListener("change", unfold);
  const entries = [...document.querySelectorAll(".toc a")];
  const mark = () => { // where the reader is
    const here = entries.findLast(a =>
      document.getElementById(decodeURIComponent(a.hash.slice(1))).getBoundingClientRect().top < 90
    );
    if (here?.getAttribute("aria-current")) return;
    entries.forEach(a => a.removeAttribute("aria-current"));
    here?.setAttribute("aria-current", "location");
    if (wide.matches) here?.scrollIntoView({ block: "nearest" });
  };
  mark();
  addEventListener("scroll", mark, { passive: true });
});
addEventListener("message", event => {
  const height = event.data?.courseFrameHeight;
  if (!Number.isFinite(height) || height < 40 || height > 6000) return;
  for (const frame of document.querySelectorAll(".widget iframe"))
    if (frame.contentWindow === event.source) frame.style.height = `${height}px`;
});
