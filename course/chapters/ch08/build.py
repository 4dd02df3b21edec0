"""Build 8.B: a span head of the reader's parts, on the frozen encoder of the shipped heads, scored by the reader.

Passages are English in every edition, as in the chapter: the encoder that ships has read no Korean.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import nn

from course.check.build import Build, Ran
from course.lab.heads_on_body import load_heads
from course.lab.tasks import Task, answers
from course_lib.data.records import Passage, Sentence
from course_lib.evaluation import squad_scores
from course_lib.language import t, t_label
from course_lib.progress import Progress

NAME = "your span head"  # also in texts.toml, for its Korean
WIDTH, STRIDE = 64, 32  # pieces of a window, and from one to the next
STEPS, BATCH, RATE, LONGEST = 300, 64, 0.1, 15  # chosen on the development part, as are the bars
BARS = {"more": 8}  # points of F1 more than the overlap window
SAME = 12  # questions that both heads answer
QUESTION = "From how far away can it be seen?"
PASSAGE = (
    "The lighthouse was built in 1853 by Anna Berg, a young engineer. It stands on a small island north of the "
    "harbour. In 1911 the lamp was replaced by an electric light, which can be seen from forty kilometres away."
)
Spans = list[tuple[float, int, int]]  # (score, start, end)


class OwnHead(nn.Module):
    """The two vectors of start and end, and their biases."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.weight, self.bias = (nn.Parameter(torch.zeros(*size), requires_grad=False) for size in ((2, dim), (2,)))


@dataclass
class _Row:
    """[CLS] question [SEP] window of the passage [SEP]. pieces: (piece, start, end), from the window's begin."""

    ids: list[int]
    text: str
    n_question: int
    pieces: list[tuple[str, int, int]]
    begin: int
    states: torch.Tensor | None = None

    def span(self, answer: tuple[str, int]) -> tuple[int, int] | None:
        """The places of the answer (text, character of the passage); (0, 0) if it is not here, None if it is cut."""
        start, end = answer[1] - self.begin, answer[1] - self.begin + len(answer[0])
        inside = [k for k, (_, a, b) in enumerate(self.pieces, self.n_question + 2) if a < end and b > start]
        whole = start >= 0 and end <= len(self.text)
        return (0, 0) if not inside else (inside[0], inside[-1]) if whole else None


class _Reader:
    """The frozen encoder, and the parts on top of it."""

    def __init__(self, span_logits, best_span, piece_offsets_to_answer, merge_windows, no_answer) -> None:
        self.shipped = load_heads("heads-en")["span"]
        self.encoder, self.pieces = self.shipped.encoder, self.shipped.encoder.pieces
        self.logits_of, self.best, self.offsets = span_logits, best_span, piece_offsets_to_answer
        self.merge, self.decide = merge_windows, no_answer

    def rows(self, question: str, text: str, width: int = WIDTH) -> list[_Row]:
        asked, sentence = self.pieces.ids(Sentence.of(question).words), Sentence.of(text)
        split = zip(sentence.spans, self.pieces.split(sentence.words), strict=True)
        places = [(i, start + a, start + b) for (start, _), parts in split for i, a, b in parts]
        made = []
        for first in range(0, max(1, len(places) - width + STRIDE), STRIDE):
            window = places[first : first + width]
            begin, names = window[0][1], self.pieces.tokens([i for i, _, _ in window])
            pieces = [(name, a - begin, b - begin) for name, (_, a, b) in zip(names, window, strict=True)]
            ids = [self.pieces.cls, *asked, self.pieces.sep, *(i for i, _, _ in window), self.pieces.sep]
            made.append(_Row(ids, text[begin : window[-1][2]], len(asked), pieces, begin))
        return made

    @torch.no_grad()
    def read(self, rows: Sequence[_Row], batch: int = 32) -> None:
        rows = sorted(rows, key=lambda row: len(row.ids))
        with Progress(t_label("reading passages"), total=len(rows)) as bar:
            for first in range(0, len(rows), batch):
                chosen = rows[first : first + batch]
                ids = self.ids(chosen)
                side = torch.tensor(
                    [[0] * (r.n_question + 2) + [1] * (ids.shape[1] - r.n_question - 2) for r in chosen]
                )
                states = self.encoder(ids, side * (ids != 0), attention_mask=ids != 0).hidden_states[-1]
                for row, own in zip(chosen, states, strict=True):
                    row.states = own[: len(row.ids)].clone()
                bar.update(min(first + batch, len(rows)))

    def ids(self, rows: Sequence[_Row]) -> torch.Tensor:
        return nn.utils.rnn.pad_sequence([torch.tensor(row.ids) for row in rows], batch_first=True)

    def logits(self, rows: Sequence[_Row], weight: torch.Tensor, bias: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """The states of the rows, filled up, and what the head says of them [2, row, place]."""
        states = nn.utils.rnn.pad_sequence([row.states for row in rows], batch_first=True)
        return states, self.logits_of(states, self.ids(rows), self.pieces.sep, weight, bias)

    def windows(self, rows: Sequence[_Row], weight: torch.Tensor, bias: torch.Tensor, longest: int = LONGEST):
        """Of each row: its begin, the score of "no answer", and its best span, in characters of the window."""
        _, logits = self.logits(rows, weight, bias)
        found = []
        for row, start, end in zip(rows, *logits.tolist(), strict=True):
            before = row.n_question + 2
            inside = [before <= place < before + len(row.pieces) for place in range(len(start))]
            first, last = self.best(start, end, inside, longest)
            text, begin = self.offsets(row.text, row.pieces, row.n_question, first, last)
            found.append((row.begin, start[0] + end[0], [(start[first] + end[last], begin, begin + len(text))]))
        return found

    def answers(self, windows, n: int = 1) -> list[tuple[int, int]]:
        return self.merge([(begin, spans) for begin, _, spans in windows], n)

    def answer_or_none(self, windows, threshold: float) -> tuple[int, int]:
        moved = [(null, [(s, begin + a, begin + b) for s, a, b in spans]) for begin, null, spans in windows]
        return self.decide(moved, threshold)


def run(
    train: bool, span_logits, best_span, piece_offsets_to_answer, merge_windows, no_answer, answer_f1, span_step
) -> Ran:
    reader = _Reader(span_logits, best_span, piece_offsets_to_answer, merge_windows, no_answer)
    head = OwnHead(reader.encoder.dim)
    ran = Ran(
        {"own-span-head": head}, play=lambda question=QUESTION, passage=PASSAGE: _play(reader, head, question, passage)
    )
    if not train:
        return ran
    task = answers(n_words=1_000)  # whole passages

    def read(part: Sequence[Passage]) -> list[list[_Row]]:
        rows = [reader.rows(record.questions[0].question, record.text) for record in part]
        reader.read([row for of_question in rows for row in of_question])
        return rows

    # A part that fails there fails early. Random scores: of equal ones nobody says which is the higher.
    few, drawn = task.dev[:3], OwnHead(reader.encoder.dim)
    drawn.weight.copy_(torch.randn(drawn.weight.shape, generator=torch.Generator().manual_seed(0)))
    _prove(Ran({}, play=print), reader, drawn, task, few, read(few), answer_f1)
    _learn(reader, head, task, read(task.train), span_step)
    _prove(ran, reader, head, task, task.test, read(task.test), answer_f1)
    return ran


def _learn(reader: _Reader, head: OwnHead, task: Task, rows: list[list[_Row]], span_step: Callable) -> None:
    """On all windows but those that cut an answer; those without it say (0, 0)."""
    pairs = zip(rows, task.train, strict=True)
    labelled = [(row, row.span(record.questions[0].answers[0])) for of_question, record in pairs for row in of_question]
    labelled = [(row, span) for row, span in labelled if span]
    with Progress(t_label(NAME), total=STEPS) as bar:
        for step in range(1, STEPS + 1):
            drawn = [labelled[i] for i in torch.randint(len(labelled), (BATCH,)).tolist()]
            spans = torch.tensor([span for _, span in drawn])
            states, logits = reader.logits([row for row, _ in drawn], head.weight, head.bias)
            rate = RATE * (1 - (step - 1) / STEPS)
            weight, bias = span_step(states, logits, spans, head.weight.clone(), head.bias.clone(), rate)
            head.weight.copy_(weight)
            head.bias.copy_(bias)
            loss = nn.functional.nll_loss(logits.log_softmax(-1).flatten(0, 1), spans.T.flatten())
            bar.update(step, loss=loss.item())


def _prove(ran: Ran, reader: _Reader, head: OwnHead, task: Task, part, rows: list[list[_Row]], answer_f1) -> None:
    windows = [reader.windows(of_question, head.weight, head.bias) for of_question in rows]
    best = [reader.answers(of_question, 2) for of_question in windows]
    given = [record.text[slice(*spans[0])] for record, spans in zip(part, best, strict=True)]
    truths = [[text for text, _ in record.questions[0].answers] for record in part]
    own = sum(max(answer_f1(guess, one) for one in right) for guess, right in zip(given, truths, strict=True))
    own, library = 100 * own / len(part), squad_scores(given, truths)["f1"]
    ran.prove("score", abs(own - library) < 1e-6, own=f"{own:.2f}", library=f"{library:.2f}", n=len(part))
    overlap, first = task.baseline(), task.majority()
    said = {"own": f"{own:.0f}", "overlap": f"{overlap:.0f}", "first": f"{first:.0f}", "n": len(part)}
    ran.prove("head", own >= overlap + BARS["more"], **said, bar=f"{overlap + BARS['more']:.0f}")

    asked = [(of_question, True) for of_question in windows]  # and once more, without what holds any of the answer
    for found, of_question, record in zip(windows, rows, part, strict=True):
        without = [
            w for w, r in zip(found, of_question, strict=True) if r.span(record.questions[0].answers[0]) == (0, 0)
        ]
        asked += [(without, False)] if without else []
    right = {there: [] for _, there in asked}
    for found, there in asked:
        right[there].append((reader.answer_or_none(found, 0.0) != (0, 0)) == there)
    shares = [100 * sum(one) / len(one) for one in right.values()]
    mean = sum(shares) / len(shares)
    counts = {"n": len(right[True]), "without": len(right.get(False, []))}
    none = t(BUILD.texts["says"]["none"], **counts, mean=f"{mean:.0f}")  # too near chance for a proof

    chosen = part[:SAME]
    whole = [row for r in chosen for row in reader.rows(r.questions[0].question, r.text, width=1_000)]
    reader.read(whole)
    numbers = reader.shipped.output.weight.detach(), reader.shipped.output.bias.detach()
    ours = [reader.answers([window])[0] for window in reader.windows(whole, *numbers, longest=30)]
    theirs = [(answer.start, answer.end) for answer in reader.shipped.predict(chosen)]
    same = sum(map(tuple.__eq__, map(tuple, ours), theirs))
    ran.prove("shipped", same == len(chosen), same=same, n=len(chosen))
    apart = max(1, len(part) // 5)  # neighbours are of one passage
    lines = [_shown(record, spans) for record, spans in list(zip(part, best, strict=True))[::apart][:5]]
    ran.shows = "\n".join([t(BUILD.texts["says"]["samples"], n=len(lines), apart=apart), *lines, "", none])


def _shown(record: Passage, spans: list[tuple[int, int]]) -> str:
    question, found = record.questions[0], " | ".join(repr(record.text[a:b]) for a, b in spans)
    return f"{question.question}\n    {found}   {t('right: {answer}', answer=repr(question.answers[0][0]))}"


def _play(reader: _Reader, head: OwnHead, question: str, passage: str):
    from course.widgets import span_explorer

    row = reader.rows(question, passage, width=200)[0]  # no more than the widget shows
    reader.read([row])
    _, logits = reader.logits([row], head.weight, head.bias)
    start, end = logits[:, 0].tolist()
    places = slice(row.n_question + 2, -1)
    names = [piece for piece, _, _ in row.pieces]
    return span_explorer(names, start[places], end[places], question, null=start[0] + end[0], max_answer=LONGEST)


BUILD = Build("8.B", ("8.8", "8.4", "8.3", "8.6", "8.7", "8.5", "8.9"), run, importance=5, minutes=45)
