"""The page "Ask BERT" of the site, and the modules of live pages as a script each: ask.js for that page, and live.js
for those of the course, whose widgets ask it.

A page opened from the disk may load classic scripts, no ES modules: the files stand one after the other in a function.
Nothing of a model is loaded before a text asks for it.
"""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from collections.abc import Sequence
from html import escape
from pathlib import Path

from course.catalogue import texts
from course.live.checkpoint_scripts import write_model
from course.sources.handmade import handmade_senses
from course.widgets.base import FOLDER, percent, sentences, small, style
from course_lib.files import atomic_file
from course_lib.language import language, speaking
from course_lib.models.shipped import load

HERE = Path(__file__).parent
A_SENSE = 6  # sentences beside which Ask BERT sets the reader's
MODELS = ("tensors", "linear", "words", "pieces", "bert", "bilm", "lists", "heads", "loader", "answers")
PAGES = {  # behind the kit of all widgets
    "live": ("kernel", "yours"),
    "ask": ("kernel", "own", "ask_text", "ask_guesses", "ask_heads", "ask_bert"),
}
WIDGETS = (  # titles of those that kernel.js answers
    "What does it expect here?",
    "One word through the generations",
    "Which layers does a task want?",
    "Which words are near?",
    "Which words of a review weigh?",
)
ASKED = ("bert-en", "bert-ko", "minilm-en")  # by "Ask BERT"
NAMES = (  # what window.course.live can load
    *ASKED,
    "bilm-en",
    "bilm-ko",
    "skipgram-en",
    "skipgram-ko",
    "reviews-en",
    "heads-en",
)


def script(page: str = "") -> str:
    """The models' modules, linear.wasm in them as base64, and behind them `page`, in one function."""
    text = "\n".join((HERE / f"{name}.js").read_text(encoding="utf-8") for name in MODELS)
    wasm = base64.b64encode((HERE / "linear.wasm").read_bytes()).decode()
    return '(() => {\n"use strict";\n' + small(text.replace("@@linear.wasm@@", wasm) + page) + "})();\n"


def sense_sentences() -> dict[str, list[tuple[Sequence[str], int, str]]]:
    """Ambiguous English words in sentences written by hand, of each sense as many: (words, the word's place, sense)."""
    found: dict[str, list[tuple[Sequence[str], int, str]]] = {}
    taken: Counter[tuple[str, str]] = Counter()
    for example in handmade_senses("en", "test"):
        taken[example.word, example.sense] += 1
        if taken[example.word, example.sense] <= A_SENSE:
            found.setdefault(example.word, []).append((example.sentence.words, example.position, example.sense))
    return found


def ask_bert(own: str = "") -> str:
    """The body of the page "Ask BERT" in the language spoken now. own: the name of the reader's network that it opens
    with."""
    file = HERE / f"ask_{'own' if own else 'bert'}{'.ko' * (language() == 'ko')}.html"
    return file.read_text(encoding="utf-8").replace("@@name", escape(own))


def opening_guesses(k: int = 3) -> tuple[list[str], list[tuple[str, float, str]]]:
    """The first sentence of "Ask BERT" in the language spoken now, split at its gap, and the model's `k` guesses."""
    examples = re.findall(r'^  "(.*\{.*\}.*)",?$', (HERE / "kernel.js").read_text(encoding="utf-8"), re.M)
    sides = re.split(r"\{.*\}", examples[-1 if language() == "ko" else 0])
    (guesses,) = load(f"bert-{language()}").fill("[MASK]".join(sides), k)
    return sides, [(token, p, percent(p)) for token, p in guesses]


def write_live(out: Path, checkpoints: Path, pages: Sequence[str] = tuple(PAGES)) -> None:
    """Write the scripts of `pages`, ask.css and models/ into `out`. Ask BERT alone needs no other models."""
    names = ASKED if pages == ("ask",) else NAMES
    megabytes = {name: write_model(out / "models" / name, checkpoints / name) / 1e6 for name in names}
    files = {"ask.css": style("ask_bert", HERE)}
    for name in pages:
        page = "".join(
            path.read_text("utf-8") for path in (FOLDER / "kit.js", *(HERE / f"{n}.js" for n in PAGES[name]))
        )
        with speaking("ko"):
            known = {"megabytes": megabytes, "texts": texts(sentences(script(page)))}
        if name == "ask":
            known["senses"] = sense_sentences()
        numbers = "".join(f"live.{key} = {json.dumps(values, ensure_ascii=False)};\n" for key, values in known.items())
        files[f"{name}.js"] = script(numbers + page)
    for name, text in files.items():
        with atomic_file(out / name, "w") as file:
            file.write(text)
