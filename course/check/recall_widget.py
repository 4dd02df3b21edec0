"""`recall(1)`: a chapter's recall questions, answered in the page, with feedback for each option.

One display gives three pictures: in JupyterLab a widget that keeps the choices; in a stored or exported page the same
module in a closed frame, without kernel or network (choices last as long as the page); and where frames and styles are
taken away (a notebook that is not trusted), a list whose options unfold into their feedback.
"""

from __future__ import annotations

import html
from dataclasses import asdict
from pathlib import Path

import traitlets

from course.check.questions import Question, keep_choices, kept_choices, questions
from course_lib.errors import CourseError
from course_lib.widgets.base import CourseWidget, module, style

_HERE = Path(__file__).parent
_ON_A_PAGE = "Choices last as long as this page is open. In a running notebook they are kept."


class Recall(CourseWidget):
    _esm, _css = module("recall", _HERE), style("recall", _HERE)
    height = 450  # the longest question with its feedback; on a phone the frame scrolls
    title = traitlets.Unicode().tag(sync=True)
    questions = traitlets.List().tag(sync=True)  # [{text, options: [{text, because, right}]}]
    chosen = traitlets.List(traitlets.Int()).tag(sync=True)  # per question: index of the option, -1 = open
    note = traitlets.Unicode().tag(sync=True)  # why choices are not kept, if they are not

    def __init__(self, chapter: int):
        """Raises CourseError if the chapter has no questions."""
        self.chapter, self._asked = chapter, questions(chapter)
        super().__init__(
            title=f"Recall: {len(self._asked)} questions on chapter {chapter}",
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
            f"<style>.{plain}{{display:none}}</style>{self.framed(look, chosen=open_, note=_ON_A_PAGE)}"
            f'<div class="{plain}"><p><strong>{html.escape(self.title)}</strong> '
            f"(open an option to see whether it is right)</p><ol>{''.join(map(_plain, self._asked))}</ol></div>"
        )


def _plain(question: Question) -> str:
    """One question of the list: each option unfolds into its feedback (native HTML: no script, no style)."""
    options = "".join(
        f"<details><summary>{html.escape(o.text)}</summary><p>{'✓ Right.' if o.right else '✗ Not so.'} "
        f"{html.escape(o.because)}</p></details>"
        for o in question.options
    )
    return f'<li style="margin:0 0 12px">{html.escape(question.text)}{options}</li>'
