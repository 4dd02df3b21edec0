"""`python -m tests.bench.latency`: from a key press to the next painted frame, for each widget that the browser draws.

The widgets are those of the stored chapters, with the chapters' numbers, in headless Chromium without a kernel. Time
runs from the first listener of the key press (performance.now) to the message that is posted in the next animation
frame and so arrives when that frame is painted. A frame can wait for the beat of the screen: up to 16.7 ms of the time.
Printed and kept in bench.json, never judged by a test: machines are noisy.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median, quantiles

from course_lib.config import project_dir
from tests.bench.report import keep_latency
from tests.notebooks.lab import browser
from tests.notebooks.stored import open_widget

BAR_MS = 20.0
INPUTS = 40  # at least 30 for a median that counts
WATCH = """() => {
  window.times = [];
  window.addEventListener("keydown", () => {
    const pressed = performance.now();
    requestAnimationFrame(() => {
      const after = new MessageChannel();           // a message sent in a frame arrives after that frame is painted
      after.port1.onmessage = () => window.times.push(performance.now() - pressed);
      after.port2.postMessage(0);
    });
  }, true); }"""


@dataclass(frozen=True)
class Case:
    """A control of a widget, and the keys that change its state there and back."""

    widget: str
    chapter: str
    title: str
    control: str  # selector in the widget
    keys: tuple[str, str]


RANGE = ("ArrowRight", "ArrowLeft")
CASES = (
    Case("embedding_map", "01_word_vectors", "What does the window decide?", "input[type=range]", RANGE),
    Case("one_hot_row", "02_embedding_layer", "What does the product do?", "[role=listbox]", ("ArrowDown", "ArrowUp")),
    Case("scalar_mix", "04_elmo", "Which layers does a task want?", "input[type=range]", RANGE),
    Case("rate_designer", "05_ulmfit", "Who learns when?", "input[type=range]", RANGE),
    Case("softmax_saturation", "06_transformer", "Why divide by", "input[type=range]", RANGE),
    Case("token_strip", "06_transformer", "Which pair is joined next?", "input[type=range]", RANGE),
    Case("attention_heatmap", "06_transformer", "What does this head look at?", "svg[role=application]", ("]", "[")),
    Case("fill_mask", "07_bert", "What does it expect here?", "select", ("ArrowDown", "ArrowUp")),
    Case("span_explorer", "08_heads", "Why this answer?", "[data-mark=end]", RANGE),
)


def measure(chromium, case: Case, inputs: int = INPUTS) -> dict[str, object]:
    """Milliseconds from key to painted frame over `inputs` presses, there and back.

    Raises CourseError if the chapter does not show the widget.
    """
    page, frame = open_widget(chromium, case.chapter, case.title)
    control = frame.locator(case.control).locator("visible=true").first
    control.focus()
    seen = set()
    frame.evaluate(WATCH)
    for press in range(inputs):
        control.press(case.keys[press % 2])
        frame.wait_for_function("n => window.times.length > n", arg=press)
        seen.add(frame.locator(".say").inner_text())
        page.wait_for_timeout(50 + 7 * (press % 5))  # no press stands always at the same place of the screen's beat
    times = frame.evaluate("() => window.times")
    page.context.close()
    if len(seen) < 2:
        raise AssertionError(f"{case.widget} of {case.chapter}: {case.keys} move nothing in {case.control!r}.")
    shown = {"widget": case.widget, "chapter": case.chapter, "inputs": inputs}
    return {**shown, "median_ms": round(median(times), 1), "p95_ms": round(quantiles(times, n=20)[-1], 1)}


def main() -> None:
    rows = []
    print(f"{'widget':<20}{'chapter':<20}{'median ms':>10}{'95 %':>8}   bar {BAR_MS:.0f} ms")
    with browser() as chromium:
        for case in CASES:
            rows.append(row := measure(chromium, case))
            kept = "kept" if row["median_ms"] <= BAR_MS else "missed"
            line = f"{row['widget']:<20}{row['chapter']:<20}{row['median_ms']:>10}{row['p95_ms']:>8}   {kept}"
            print(line, flush=True)
    keep_latency(
        project_dir() / "bench.json",
        {"what": "ms from a key press to the painted frame", "bar_ms": BAR_MS, "rows": rows},
    )


if __name__ == "__main__":
    main()
