"""`python -m tests.bench.live`: what a reader of "Ask BERT" waits for, in the built site, opened from the disk.

Bytes: of the page, its scripts and bert-en, gzipped as a host sends them. First answer: from the navigation's start to
the first guesses on the page, a fresh context each. A key: at so many pieces, the forward pass, and from the press to
the painted frame (as in latency.py: the screen's beat is up to 16.7 ms of it). Printed, never judged by a test.
"""

from __future__ import annotations

import gzip
from pathlib import Path
from statistics import median

from course_lib.config import project_dir
from tests.bench.latency import WATCH
from tests.notebooks.lab import browser

BARS = {"MB": 6.0, "first answer, ms": 1000.0, "a key at 12 pieces, ms": 20.0, "a key at 64 pieces, ms": 60.0}
SENTENCE = "the king and the city in the north of the river "  # each word is one piece
ANSWERED = "() => course.live.state?.().answer && performance.now()"
PASS = """() => {
  const { model, answer: { ids } } = course.live.state(), start = performance.now();
  model.forward(ids, [1]);
  return performance.now() - start;
}"""


def megabytes(site: Path) -> float:
    """Of all that the page loads to answer in English, each file gzipped."""
    names = ["ask_bert.html", "style.css", "ask.css", "page.js", "ask.js"]
    files = [*(site / name for name in names), *sorted((site / "models" / "bert-en").glob("*.js"))]
    return sum(len(gzip.compress(path.read_bytes(), 6)) for path in files) / 1e6


def first_answer(chromium, address: str) -> float:
    context = chromium.new_context()
    page = context.new_page()
    page.goto(address)
    found = page.wait_for_function(ANSWERED, polling="raf").json_value()
    context.close()
    return found


def keys(chromium, address: str, pieces: int, presses: int = 40) -> tuple[list[float], list[float]]:
    """(forward passes, presses to painted frames) in ms, at `pieces` pieces with [CLS] and [SEP], or one fewer."""
    context = chromium.new_context(viewport={"width": 1100, "height": 900})
    page = context.new_page()
    page.goto(address)
    page.wait_for_function(ANSWERED)
    words = (SENTENCE * 8).split()[: pieces - 3]
    page.locator("textarea").fill(" ".join(words))
    page.wait_for_function("n => course.live.state().answer.n === n", arg=pieces - 1)
    page.evaluate(WATCH)
    page.locator("textarea").press("End")
    times = []
    for press in range(presses + 5):  # the first ones, while the engine compiles, do not count
        page.keyboard.press("Backspace" if press % 2 else ".")
        times.append(
            page.wait_for_function("n => window.times.length > n && window.times[n]", arg=press + 1).json_value()
        )
        page.wait_for_timeout(50 + 7 * (press % 5))
    passes = [page.evaluate(PASS) for _ in range(presses)]
    context.close()
    return passes, times[5:]


def main() -> None:
    site = project_dir() / "build" / "site"
    address = (site / "ask_bert.html").resolve().as_uri()
    rows = [("MB", megabytes(site), "")]
    with browser() as chromium:
        waits = [first_answer(chromium, address) for _ in range(7)]
        rows.append(("first answer, ms", median(waits), f"{min(waits):.0f} to {max(waits):.0f}"))
        for pieces in (12, 64):
            passes, painted = keys(chromium, address, pieces)
            says = f"to the painted frame {median(painted):.1f}, least pass {min(passes):.1f}"
            rows.append((f"a key at {pieces} pieces, ms", median(passes), says))
    for name, value, says in rows:
        print(
            f"{name:<24}{value:>8.1f}   bar {BARS[name]:>6.0f}  {'kept' if value <= BARS[name] else 'missed':<7} {says}"
        )


if __name__ == "__main__":
    main()
