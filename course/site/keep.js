// What a reader has done, kept in this browser and nowhere else: {read: {page: [numbers of sections]}, recall: {page:
// {key, chosen, right, all}}, at: {page, section}, exercises: {id: {source, right}}, code, sentence}. Or, where none is
// kept, by the page.
const KEPT = "course-kept";
let kept = {};

function recollect() {
  try {
    kept = { ...kept, ...JSON.parse(localStorage.getItem(KEPT)) };
  } catch { /* nothing is kept, or it is damaged */ }
}

function keep(change) {
  recollect(); // another page may be open
  change(kept);
  try {
    localStorage.setItem(KEPT, JSON.stringify(kept));
  } catch { /* as above */ }
}
const listOf = value => Array.isArray(value) ? value : [];
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
recollect();
root.classList.toggle("returns", !!kept.at); // before the first picture, so that nothing moves
const noteSentence = () => root.dataset.told = !kept.sentence ? "" : /[가-힣]/.test(kept.sentence) ? "ko" : "en";
noteSentence();

const SEEN = 4000; // ms in a section whose end has come into the window: it is read
function watchSections(page) {
  const headings = [...document.querySelectorAll("main h2")];
  let here = -1,
    since = 0;
  const look = () => {
    const tops = headings.map(heading => heading.getBoundingClientRect().top),
      now = tops.findLastIndex(top => top < innerHeight / 3),
      end = tops[now + 1] ?? document.querySelector("main").getBoundingClientRect().bottom;
    if (now !== here) {
      here = now;
      since = Date.now();
      setTimeout(look, SEEN + 100);
      if (here >= 0)
        keep(all => {
          all.at = { page, section: here };
        });
    } else if (here >= 0 && end <= innerHeight + 1 && Date.now() - since > SEEN) {
      const read = listOf(kept.read?.[page]);
      if (!read.includes(here))
        keep(all => {
          all.read = { ...all.read, [page]: [...read, here] };
        });
    }
  };
  addEventListener("scroll", look, { passive: true });
  look();
}

function tellScore(page) {
  const told = document.querySelector(".end .score"),
    { right, all } = kept.recall?.[page] ?? {};
  if (told && all) told.querySelector("a").textContent = filled(told.dataset.score, { right, all });
}

// A recall widget says {courseAsk: its state} when it opens and at each choice; the first brings what is kept.
const opened = new WeakSet();

function keepRecall(page, frame, { chosen, questions }) {
  const rights = questions.map(({ options }) => options.findIndex(option => option.right)),
    key = rights.join("."), // of the same questions, in either language
    old = kept.recall?.[page];
  if (!opened.has(frame)) {
    opened.add(frame);
    const answer = { note: document.body.dataset.note, ...(old?.key === key ? { chosen: listOf(old.chosen) } : {}) };
    frame.postMessage({ courseAnswer: answer }, "*");
    return;
  }
  const right = chosen.filter((option, i) => option === rights[i]).length;
  keep(all => {
    all.recall = { ...all.recall, [page]: { key, chosen, right, all: rights.length } };
  });
  tellScore(page);
}

function showProgress() { // on the front page: a ring for each chapter, and the way to where the reader was
  for (const row of document.querySelectorAll(".map li")) {
    const { page } = row.dataset,
      sections = JSON.parse(row.dataset.sections),
      read = listOf(kept.read?.[page]).length,
      recall = kept.recall?.[page],
      exercises = JSON.parse(row.dataset.exercises),
      solved = exercises.filter(id => kept.exercises?.[id]?.right === true).length,
      done = row.querySelector(".done"),
      says = [
        read && filled(done.dataset.read, { n: read, all: sections.length }),
        recall?.all && filled(done.dataset.recall, recall),
        solved && filled(done.dataset.solved, { n: solved, all: exercises.length })
      ];
    row.style.setProperty("--p", `${100 * (read + solved) / (sections.length + exercises.length)}%`);
    done.textContent = says.filter(Boolean).join(" · ");
    if (kept.at?.page !== page || !(kept.at.section in sections)) continue;
    const go = document.querySelector(".go a"),
      place = sections[kept.at.section];
    go.href = `${page}.html#${place}`;
    const section = place.match(/^\w+\.\d+/)?.[0] ?? row.querySelector("a").textContent;
    go.textContent = filled(go.dataset.go, { section });
  }
  document.querySelector(".forget")?.addEventListener("click", () => {
    try {
      for (const name of [KEPT, "course-theme"]) localStorage.removeItem(name);
    } catch { /* nothing was kept */ }
    location.reload();
  });
}

function foldCode() { // all code of the page, as the reader wants it; on paper all of it
  const folds = [...document.querySelectorAll("details.fold")],
    shows = document.querySelector("button.shows");
  let before = [];
  const unfold = open => folds.forEach(fold => {
    fold.open = open;
  });
  addEventListener("beforeprint", () => {
    before = folds.map(fold => fold.open);
    unfold(true);
  });
  addEventListener("afterprint", () => folds.forEach((fold, i) => {
    fold.open = before[i];
  }));
  if (!shows) return;
  const tell = () => {
    shows.setAttribute("aria-pressed", !!kept.code);
    unfold(!!kept.code);
  };
  if (kept.code) tell();
  shows.addEventListener("click", () => {
    keep(all => {
      all.code = !all.code;
    });
    tell();
  });
}

addEventListener("DOMContentLoaded", () => {
  const { page } = document.body.dataset;
  showProgress();
  foldCode();
  if (!page) return;
  tellScore(page);
  watchSections(page);
});
addEventListener("message", ({ data, source }) => {
  const asked = data?.courseAsk,
    { page } = document.body.dataset,
    ours = [...document.querySelectorAll(".widget iframe")].some(frame => frame.contentWindow === source);
  if (ours && page && Array.isArray(asked?.chosen) && Array.isArray(asked.questions)) keepRecall(page, source, asked);
});
