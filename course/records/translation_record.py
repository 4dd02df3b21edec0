"""Recorded translators: their scores and a few translations, one file each in `data/recorded`.

record = recorded_translation("multi30k")        # None if nothing was recorded; a notebook draws it as two tables
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path

from course.records.recorded import read_recorded, write_recorded
from course_lib.config import data_dir
from course_lib.errors import CourseError

FORMAT = 1
COMMANDS = {
    "multi30k": "python -m course.records.multi30k --minutes 40",
    "world-ko-en": "python -m course.records.world_ko_en",
}
_CELL = "text-align:left;vertical-align:top;padding:2px 10px 2px 0"


@dataclass(frozen=True)
class Score:
    """BLEU on the test set with its 95 % interval. weights: "last", or "mean of the last 5"; decoding: "greedy" ..."""

    weights: str
    decoding: str
    bleu: float
    low: float
    high: float


@dataclass(frozen=True)
class Sample:
    source: str
    translation: str
    reference: str


@dataclass(frozen=True)
class TranslationRecord:
    """label: the scale, e.g. "CPU-scale", shown wherever the scores are; note: what they must not be compared with.

    languages  of source and target. sizes: of model and training. facts: numbers by what they count
    scores     the last one is what the samples were translated with. signature: sacreBLEU's
    run        command, date, device, commit ...
    """

    name: str
    title: str
    label: str
    note: str
    languages: tuple[str, str]
    n_test: int
    sizes: Mapping[str, float | int | str]
    facts: Mapping[str, float | int]
    scores: tuple[Score, ...]
    signature: str
    samples: tuple[Sample, ...]
    run: Mapping[str, str]

    def __repr__(self) -> str:
        lines = [self._head(), *(f"  {s.weights}, {s.decoding}: {_bleu(s)}" for s in self.scores), self._origin()]
        for sample in self.samples:
            named = zip((self.languages[0], "model", "right"), vars(sample).values(), strict=True)
            lines += ["", *(f"  {name}: {text}" for name, text in named)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Whatever stands in the record is text, never markup."""
        rows = [[score.weights, score.decoding, _bleu(score)] for score in self.scores]
        source, target = self.languages
        found = [[sample.source, sample.translation, sample.reference] for sample in self.samples]
        parts = [
            f"<p><b>{escape(self._head())}</b></p>",
            _table(["weights", "decoding", "BLEU [95 % interval]"], rows),
            f"<p>{escape(self._origin())}</p>",
            _table([source, f"{target}: the model ({self.label})", f"{target}: the reference"], found),
        ]
        return "".join(parts)

    def _head(self) -> str:
        return f"{self.title}: {self.label}, {self.n_test:,} test sentences"

    def _origin(self) -> str:
        facts = ", ".join(f"{value:,} {what}" for what, value in self.facts.items())
        run = f"Recorded {self.run['date']} on {self.run['device']}: {self.run['command']}"
        return f"{facts}. {self.note} {run} ({self.signature})"


def translation_path(name: str) -> Path:
    return data_dir("recorded", f"{name}.json")


def recorded_translation(name: str) -> TranslationRecord | None:
    """The record, or None. Raises CourseError for an unknown name and a file that is damaged or of another format."""
    if name not in COMMANDS:
        raise CourseError(f"There is no recorded translator {name!r}. There are: {', '.join(COMMANDS)}.")

    def build(document: dict) -> TranslationRecord:
        scores = tuple(Score(**score) for score in document.pop("scores"))
        samples = tuple(Sample(**sample) for sample in document.pop("samples"))
        languages = tuple(document.pop("languages"))
        record = TranslationRecord(**document, languages=languages, scores=scores, samples=samples)
        if record.name != name or not scores or len(languages) != 2:
            raise ValueError(f"it holds {record.name!r}, {len(scores)} scores, {len(languages)} languages")
        repr(record)  # a record that cannot be said is damaged
        return record

    return read_recorded(translation_path(name), FORMAT, COMMANDS[name], build)


def write_translation(record: TranslationRecord) -> Path:
    """Replace the record, whole or not at all. BLEU keeps two digits."""
    document = {"format": FORMAT, **asdict(record)}
    for score in document["scores"]:
        score |= {key: round(score[key], 2) for key in ("bleu", "low", "high")}
    write_recorded(translation_path(record.name), document)
    return translation_path(record.name)


def _bleu(score: Score) -> str:
    return f"{score.bleu:.1f} [{score.low:.1f}, {score.high:.1f}]"


def _table(heads: list[str], rows: list[list[str]]) -> str:
    def line(tag: str, cells: list[str]) -> str:
        return "<tr>" + "".join(f'<{tag} style="{_CELL}">{escape(cell)}</{tag}>' for cell in cells) + "</tr>"

    return f"<table>{line('th', heads)}{''.join(line('td', row) for row in rows)}</table>"
