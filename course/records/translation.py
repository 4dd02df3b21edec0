"""Recorded translators: how they are scored, and what is kept of them and shown, one file each in `data/recorded`.

record = recorded_translation("multi30k")        # None if nothing was recorded; a notebook draws it as two tables

Source: Post 2018, arXiv:1804.08771 (sacreBLEU); Koehn 2004, "Statistical Significance Tests for Machine Translation
Evaluation", EMNLP (resampling sentences).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import chain, count, islice

import numpy as np

from course.records.store import Store
from course_lib.data.bucketing import by_length
from course_lib.data.records import Sentence
from course_lib.errors import CourseError
from course_lib.evaluation.intervals import Interval, bootstrap_interval
from course_lib.language import key, t, t_label
from course_lib.models.decoding import beam_search
from course_lib.models.translator import TranslationBatch, Translator

COMMANDS = {
    "multi30k": "python -m course.records.multi30k --minutes 40",
    "world-ko-en": "python -m course.records.world_ko_en",
}
BEAM = 4
AT_ONCE = 100  # sentences decoded together
_CELL = "text-align:left;vertical-align:top;padding:2px 10px 2px 0"


@dataclass(frozen=True)
class Score:
    """BLEU on the test set with its 95 % interval. weights: "last", or "mean of the last 5"; decoding: "greedy" ..."""

    weights: str
    decoding: str
    bleu: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.bleu:.1f} [{self.low:.1f}, {self.high:.1f}]"


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
        scores = (f"  {t_label(s.weights)}, {t_label(s.decoding)}: {s}" for s in self.scores)
        lines = [self._head(), *scores, self._origin()]
        for sample in self.samples:
            names = t(self.languages[0]), t("translation|model"), t("translation|right")
            named = zip(names, vars(sample).values(), strict=True)
            lines += ["", *(f"  {name}: {text}" for name, text in named)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Whatever stands in the record is text, never markup."""
        source, target = map(t, self.languages)
        scores = [[t_label(score.weights), t_label(score.decoding), str(score)] for score in self.scores]
        samples = [[sample.source, sample.translation, sample.reference] for sample in self.samples]
        model = t("{language}: the model ({label})", language=target, label=t(self.label))
        parts = [
            f"<p><b>{escape(self._head())}</b></p>",
            _table([t("weights"), t("decoding"), t("BLEU [95 % interval]")], scores),
            f"<p>{escape(self._origin())}</p>",
            _table([source, model, t("{language}: the reference", language=target)], samples),
        ]
        return "".join(parts)

    def _head(self) -> str:
        names = {"title": t(self.title), "label": t(self.label)}
        return t("{title}: {label}, {n} test sentences", n=f"{self.n_test:,}", **names)

    def _origin(self) -> str:
        facts = ", ".join(t("{n} {what}", n=f"{value:,}", what=t(what)) for what, value in self.facts.items())
        run = {name: self.run[name] for name in ("date", "device", "command")}
        return f"{facts}. {t(self.note)} {t('Recorded {date} on {device}: {command}', **run)} ({self.signature})"


def _table(heads: list[str], rows: list[list[str]]) -> str:
    def line(tag: str, cells: list[str]) -> str:
        return "<tr>" + "".join(f'<{tag} style="{_CELL}">{escape(cell)}</{tag}>' for cell in cells) + "</tr>"

    return f"<table>{line('th', heads)}{''.join(line('td', row) for row in rows)}</table>"


# a record that cannot be said is damaged
STORES = {name: Store(f"{name}.json", TranslationRecord, command, repr) for name, command in COMMANDS.items()}


def recorded_translation(name: str) -> TranslationRecord | None:
    """The record, or None if nothing was recorded."""
    if name not in STORES:
        raise CourseError(f"There is no recorded translator {name!r}. There are: {', '.join(STORES)}.")
    return STORES[name].read()


# Scores


def scored(
    translate: Callable[[int], list[str]],
    references: Sequence[str],
    weights: str = key("last"),
    *,
    tokenize: str = "13a",
) -> tuple[list[Score], list[str], str]:
    """Greedy and with a beam: both scores, the translations with the beam, and sacreBLEU's signature.

    translate  width of the beam (1: greedy) -> a translation for each of `references`
    """
    scores = []
    for beam in (1, BEAM):
        hypotheses = translate(beam)
        interval, signature = sacre_bleu(hypotheses, references, tokenize=tokenize)
        decoding = key("greedy") if beam == 1 else key("beam #").replace("#", str(beam))
        scores.append(
            Score(weights, decoding, *(round(x, 2) for x in (interval.estimate, interval.low, interval.high)))
        )
    return scores, hypotheses, signature


def translations(model: Translator, sources: Sequence[Sentence], *, beam: int) -> list[str]:
    """Pieces joined to words, in the order of `sources`; beam=1 is greedy. Sentences of like lengths go together."""
    texts: dict[int, str] = {}
    for part in by_length([len(source) for source in sources], AT_ONCE):
        hypotheses = beam_search(model, [sources[i] for i in part], beam=beam)
        texts |= {i: one.text for i, one in zip(part, hypotheses, strict=True)}
    return [texts[i] for i in range(len(sources))]


def sacre_bleu(
    hypotheses: Sequence[str], references: Sequence[str], *, tokenize: str = "13a", n: int = 2_000, seed: int = 0
) -> tuple[Interval, str]:
    """Corpus BLEU (0 to 100, cased, one reference) with the bootstrap interval over sentences, and its signature.

    tokenize  sacreBLEU's name: "13a" for text as it is written, "none" for words between spaces. n: resamples
    """
    try:
        from sacrebleu.metrics import BLEU
    except ImportError:
        raise CourseError("sacreBLEU is not installed. Install it: pip install sacrebleu") from None
    options = {"tokenize": tokenize, "force": tokenize == "none"}  # force: no warning about spaced points
    metric, alone = BLEU(**options), BLEU(**options, effective_order=True)  # of `alone` only the counts are used
    score = metric.corpus_score(list(hypotheses), [list(references)])
    each = [alone.sentence_score(ours, [right]) for ours, right in zip(hypotheses, references, strict=True)]
    counts = [[*one.counts, *one.totals, one.sys_len, one.ref_len] for one in each]

    def of_counts(rows: np.ndarray) -> float:
        sums = rows.sum(0).astype(int).tolist()
        return float(metric.compute_bleu(sums[:4], sums[4:8], *sums[8:], smooth_method=metric.smooth_method).score)

    interval = bootstrap_interval(np.array(counts), n=n, seed=seed, statistic=of_counts)
    return Interval(interval.low, interval.high, float(score.score), interval.level), str(metric.get_signature())


def target_pieces(batches: Callable[[int], Iterable[TranslationBatch]], steps: int) -> int:
    """Target pieces in the first `steps` batches: the predictions that the training was scored on."""
    stream = islice(chain.from_iterable(map(batches, count())), steps)
    return sum(int(batch.target_mask[:, 1:].sum()) for batch in stream)
