"""`recall(1)`: a chapter's recall questions, answered in the page, with feedback for each option.

They are read from the chapter's `recall.toml`; the reader's choices are kept under answers/. One display gives three
pictures: in JupyterLab a widget that keeps the choices; in a stored or exported page the same module in a closed frame,
without kernel or network (choices last as long as the page); and where frames and styles are taken away (a notebook
that is not trusted), a list whose options unfold into their feedback.
"""

from __future__ import annotations

import html
import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import traitlets

from course.chapters import FOLDER
from course.check import store
from course.check.registry import chapters_with
from course.widgets.base import CourseWidget, module, style
from course_lib.errors import CourseError
from course_lib.language import key, t

_HERE = Path(__file__).parent
_ON_A_PAGE = key("Choices last as long as this page is open. In a running notebook they are kept.")


@dataclass(frozen=True)
class Option:
    text: str
    because: str  # feedback: why this is right, or what it mistakes
    right: bool = False


@dataclass(frozen=True)
class Question:
    key: str  # a name that stays when the wording or the order changes
    chapter: int  # where it was taught
    text: str
    options: tuple[Option, ...]


def recall_file(chapter: int) -> Path:
    """Where a chapter's recall questions are written. Raises CourseError if it has none."""
    path = FOLDER / f"ch{chapter:02}" / "recall.toml"
    if not path.is_file():
        listed = ", ".join(map(str, chapters_with("recall.toml")))
        says = t("Chapter {chapter} has no recall questions. Chapters that have: {all}.", chapter=chapter, all=listed)
        raise CourseError(says)
    return path


def questions(chapter: int) -> tuple[Question, ...]:
    """A chapter's questions in their order. Raises CourseError if it has none."""
    rows = tomllib.loads(recall_file(chapter).read_text(encoding="utf-8"))["question"]
    return tuple(Question(q["key"], q["chapter"], q["text"], tuple(Option(**o) for o in q["option"])) for q in rows)


def said(question: Question) -> Question:
    """The same question in the reader's language."""
    options = tuple(Option(t(o.text), t(o.because), o.right) for o in question.options)
    return Question(question.key, question.chapter, t(question.text), options)


def kept_choices(chapter: int) -> list[int]:
    """Per question the option chosen earlier, or -1. A question or option that no longer exists is left open."""
    items, _ = store.read(f"recall-{chapter}", is_choice)
    kept = {item["question"]: item["option"] for item in items}
    texts = [(q.key, [option.text for option in q.options]) for q in questions(chapter)]
    return [options.index(kept[key]) if kept.get(key) in options else -1 for key, options in texts]


def keep_choices(chapter: int, before: list[int], after: list[int]) -> str:
    """Keep what changed from `before` to `after` (another kernel may have kept the rest); returns a note, or ""."""
    changed = {
        q.key: q.options[new].text if new >= 0 else None
        for q, old, new in zip(questions(chapter), before, after, strict=True)
        if old != new
    }

    def merge(items: list) -> list:
        kept = {item["question"]: item["option"] for item in items} | changed
        return [{"question": key, "option": option} for key, option in kept.items() if option is not None]

    return store.update(f"recall-{chapter}", is_choice, merge)


def is_choice(item: Any) -> bool:
    return isinstance(item, dict) and all(isinstance(item.get(key), str) for key in ("question", "option"))


class Recall(CourseWidget):
    _esm, _css = module("recall", _HERE), style("recall", _HERE)
    height = 450  # the longest question with its feedback; on a phone the frame scrolls
    title = traitlets.Unicode().tag(sync=True)
    questions = traitlets.List().tag(sync=True)  # [{text, options: [{text, because, right}]}]
    chosen = traitlets.List(traitlets.Int()).tag(sync=True)  # per question: index of the option, -1 = open
    note = traitlets.Unicode().tag(sync=True)  # why choices are not kept, if they are not

    def __init__(self, chapter: int):
        """Raises CourseError if the chapter has no questions."""
        self.chapter, self._asked = chapter, tuple(map(said, questions(chapter)))  # kept by their English
        super().__init__(
            title=t("Recall: {n} questions on chapter {chapter}", n=len(self._asked), chapter=chapter),
            questions=[asdict(q) for q in self._asked],
            chosen=kept_choices(chapter),
        )
        self.observe(self._keep, "chosen")

    @traitlets.validate("chosen")
    def _valid(self, proposal):
        counts = [len(q.options) for q in self._asked]
        chosen = proposal["value"]
        if len(chosen) != len(counts) or any(not -1 <= c < n for c, n in zip(chosen, counts, strict=False)):
            raise CourseError(
                f"recall({self.chapter}).chosen is {chosen}. Give {len(counts)} options, each from 0, or -1."
            )
        return chosen

    def _keep(self, change) -> None:
        self.note = keep_choices(self.chapter, change["old"], change["new"])

    def __repr__(self) -> str:
        """The questions without their answers: what a terminal shows. The same on every machine."""
        lines = [self.title]
        for n, question in enumerate(self._asked, start=1):
            lines += ["", f"{n}. {question.text}", *(f"   - {option.text}" for option in question.options)]
        return "\n".join(lines)

    def page(self) -> str:
        """The questions, unanswered: a page in a frame, or a plain list where frame and style are stripped."""
        look, open_ = f"width:100%;max-width:776px;height:{self.height}px;border:0", [-1] * len(self._asked)
        plain = f"recall-plain-{self.chapter}"
        return (
            f"<style>.{plain}{{display:none}}</style>{self.framed(look, chosen=open_, note=t(_ON_A_PAGE))}"
            f'<div class="{plain}"><p><strong>{html.escape(self.title)}</strong> '
            f"({html.escape(t('open an option to see whether it is right'))})</p><ol>"
            f"{''.join(map(_plain, self._asked))}</ol></div>"
        )


def _plain(question: Question) -> str:
    """One question of the list: each option unfolds into its feedback (native HTML: no script, no style)."""
    options = "".join(
        f"<details><summary>{html.escape(o.text)}</summary><p>"
        f"{html.escape(t('✓ Right.') if o.right else t('✗ Not so.'))} "
        f"{html.escape(o.because)}</p></details>"
        for o in question.options
    )
    return f'<li style="margin:0 0 12px">{html.escape(question.text)}{options}</li>'
