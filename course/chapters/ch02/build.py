"""Build 2.B: a classifier of the reader's parts, trained under three strategies on twenty labelled sentences."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import islice

import torch
from torch import nn
from torch.nn import functional as F

from course import kept
from course.by_hand.skip_gram import SkipGram
from course.check.build import Build, Ran
from course.lab.roles import NONE, Thread, one_clause, padded
from course.lab.word_classes import typed_words, with_unknown
from course.world.sentence import WorldSentence
from course_lib.language import language, t_label
from course_lib.progress import Progress

DIM, HIDDEN = 64, 32
LABELLED, STEPS, BATCH, RATE = 20, 200, 16, 1e-2
SEEN, KNOWN = 2, 5  # times in the text: for a row of its own; for a vector of chapter 1
STRATEGIES = ("initial", "frozen", "slow")  # as in section 2.4
RANDOM, RIGHT = "random", "right"  # the control; what is so
PLAYED = 8  # new sentences to look at
BARS = {"counting": 20, "random": 2}  # points of F1 above them, chosen on `thread.dev`


class _Rows(torch.autograd.Function):
    """The embedding layer: a look-up, and backward the reader's gradient."""

    @staticmethod
    def forward(context, ids, table, row_gradient):
        context.save_for_backward(ids)
        context.n_words, context.row_gradient = len(table), row_gradient
        return table[ids]

    @staticmethod
    def backward(context, gradient):
        (ids,) = context.saved_tensors
        return None, context.row_gradient(ids, gradient, context.n_words), None


class OwnClassifier(nn.Module):
    """Table, an RNN from each side, and a linear layer: a logit for each role of each word."""

    def __init__(self, table: torch.Tensor, n_roles: int, row_gradient: Callable, read_states: Callable) -> None:
        super().__init__()
        self.row_gradient, self.read = row_gradient, read_states
        self.embedding = nn.Embedding.from_pretrained(table.clone(), freeze=False)
        self.sides = nn.ModuleList(nn.ParameterDict(_matrices()) for _ in range(2))
        self.output = nn.Linear(2 * HIDDEN, n_roles)

    def forward(self, ids: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
        """ids, real [sentence, position] -> logits [sentence, position, role]"""
        return self.output(self.states(ids, real))

    def states(self, ids: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
        table = self.embedding.weight
        x = _Rows.apply(ids, table, self.row_gradient) if table.requires_grad else table[ids]
        sides = zip(self.sides, (False, True), strict=True)
        return torch.cat([self.read(x, real, *(side[name] for name in "WUb"), back) for side, back in sides], dim=-1)


def _matrices() -> dict[str, nn.Parameter]:
    W, U = (nn.Parameter(torch.randn(rows, HIDDEN) * rows**-0.5) for rows in (DIM, HIDDEN))
    return {"W": W, "U": U, "b": nn.Parameter(torch.zeros(HIDDEN))}


class _Text:
    """Sentences as ids of the reader's vocabulary; id 0 is [UNK]."""

    def __init__(self, thread: Thread, encode: Callable):
        self.thread = thread
        rows = [*thread.text, *(sentence.words for sentence in (*thread.pool, *thread.test))]
        words = list(dict.fromkeys(word for row in rows for word in row))
        read = list(encode(thread.text, words, SEEN))
        self.vocabulary = list(dict.fromkeys(["[UNK]", *read]))
        self.index = {word: self.vocabulary.index(shown) for word, shown in zip(words, read, strict=True)}

    def ids(self, sentences: Sequence[Sequence[str]]) -> tuple[torch.Tensor, torch.Tensor]:
        """Word ids and real [sentence, position], filled up at the end."""
        rows = [torch.tensor([self.index.get(word, 0) for word in words]) for words in sentences]
        return padded(rows), padded([torch.ones(len(row), dtype=torch.bool) for row in rows])


def run(train: bool, encode, starting_table, row_gradient, parameter_groups, read_states) -> Ran:
    thread = Thread(language())
    text = _Text(thread, encode)
    noise = torch.randn(len(text.vocabulary), DIM)
    tables = dict.fromkeys((RANDOM, *STRATEGIES), noise)
    if train:
        own = starting_table(text.vocabulary, _vectors(thread), noise)
        tables = {RANDOM: noise * own.std(), **dict.fromkeys(STRATEGIES, own)}
    networks = {}
    for name, table in tables.items():
        networks[name] = OwnClassifier(table, len(thread.roles), row_gradient, read_states)
        networks[name].embedding.weight.requires_grad_(name != "frozen")
    ran = Ran(
        {f"own-classifier-{name}": networks[name] for name in STRATEGIES},
        play=lambda *sentences: _play(networks, text, sentences),
    )
    if train:
        _pads(ran, networks["slow"], text)  # a part that fails there should do so before the training
        ran.proofs.clear()
        for name, network in networks.items():
            groups = parameter_groups(network, "embedding", RATE) if name == "slow" else None
            _train(network, text, t_label(name), groups)
        _prove(ran, networks, text)
        ran.shows = _labelled(networks, text, next(filter(one_clause, thread.test)))
    return ran


def _vectors(thread: Thread) -> dict[str, torch.Tensor]:
    """word -> vector: of build 1.B, else those that chapter 1 has kept, else trained now as it does."""
    model = SkipGram(len(thread.words), DIM)
    if not any(kept.restore(name, model) for name in ("own-vectors", "vectors")):
        thread.train_vectors(model)
    rows = zip(thread.words, model.v.weight.detach(), thread.counts.tolist(), strict=True)
    return {word: row for word, row, n in rows if n >= KNOWN}


def _train(network: OwnClassifier, text: _Text, name: str, groups: list[dict] | None) -> None:
    drawn = text.thread.sample(LABELLED, seed=0)
    (ids, real), labels = text.ids([sentence.words for sentence in drawn]), text.thread.batch(drawn)[1]
    optimizer = torch.optim.Adam(groups or [p for p in network.parameters() if p.requires_grad], lr=RATE)
    with Progress(name, total=STEPS) as bar:
        for step in range(1, STEPS + 1):
            batch = torch.randint(len(ids), (BATCH,))
            longest = int(real[batch].sum(1).max())
            logits = network(ids[batch, :longest], real[batch, :longest])
            loss = F.cross_entropy(logits.mT, labels[batch, :longest], ignore_index=-100)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            bar.update(step, loss=loss.item())


@torch.no_grad()
def _prove(ran: Ran, networks: dict[str, OwnClassifier], text: _Text) -> None:
    """F1 on new sentences, beside that of counting, and of the same network above random rows."""
    thread = text.thread
    new = text.ids([sentence.words for sentence in thread.test])
    random, *scores = (thread.f1(network(*new).argmax(-1)) for network in networks.values())
    drawn = thread.sample(LABELLED, seed=0)
    tally = defaultdict(Counter)
    for words, roles in zip(
        text.ids([s.words for s in drawn])[0].tolist(), thread.batch(drawn)[1].tolist(), strict=True
    ):
        for word, role in zip(words, roles, strict=True):
            tally[word][max(role, 0)] += 1
    counted = [[tally[word].most_common(1)[0][0] if word in tally else 0 for word in row] for row in new[0].tolist()]
    control = thread.f1(torch.tensor(counted))
    for name, score in zip(STRATEGIES, scores, strict=True):
        said = {"f1": f"{score:.0f}", "control": f"{control:.0f}", "bar": f"{control + BARS['counting']:.0f}"}
        ran.prove(name, score >= control + BARS["counting"], **said, n=LABELLED, of=len(thread.test))
    mean, bar = sum(scores) / len(scores), random + BARS["random"]
    ran.prove("vectors", mean >= bar, mean=f"{mean:.0f}", random=f"{random:.0f}", bar=f"{bar:.0f}")
    _pads(ran, networks["slow"], text)


@torch.no_grad()
def _pads(ran: Ran, network: OwnClassifier, text: _Text) -> None:
    """Does a short sentence have the same states alone and beside the longest?"""
    rows = sorted((sentence.words for sentence in text.thread.test), key=len)
    alone, beside = (network.states(*text.ids(some))[0, : len(rows[0])] for some in (rows[:1], [rows[0], rows[-1]]))
    difference = (alone - beside).abs().max().item()
    ran.prove("padding", difference < 1e-5, n=len(rows[0]), longest=len(rows[-1]), difference=f"{difference:.1g}")


@torch.no_grad()
def _roles(network: OwnClassifier, text: _Text, words: list[str]) -> list[str]:
    return [text.thread.roles[i] for i in network(*text.ids([words]))[0].argmax(-1).tolist()]


def _labelled(networks: dict[str, OwnClassifier], text: _Text, sentence: WorldSentence) -> str:
    """A sentence with its roles, and with those that each strategy finds, a line for each."""
    found = {RIGHT: text.thread.labels(sentence)}
    found |= {name: _roles(networks[name], text, sentence.words) for name in STRATEGIES}
    lines = []
    for name, roles in found.items():
        pairs = zip(sentence.words, roles, strict=True)
        said = " ".join(word if role == NONE else f"{word}[{role}]" for word, role in pairs)
        lines.append(f"{t_label(name)}: {said}")
    return "\n".join(lines)


def _play(networks: dict[str, OwnClassifier], text: _Text, sentences: Sequence[str]):
    """The roles of typed sentences; of new ones, whose roles are known, what is right and what wrong."""
    from course.widgets import token_strip
    from course.widgets.strip import Frame, Token

    shown = () if sentences else islice(filter(one_clause, text.thread.test), PLAYED)
    new = {tuple(s.words): text.thread.labels(s) for s in shown}
    frames = []
    known = [word for word, number in text.index.items() if number]
    for words in [typed_words(sentence, text.index) for sentence in sentences] or new:
        for name in STRATEGIES:
            tokens = []
            roles = _roles(networks[name], text, words)
            for word, role, own in zip(words, roles, new.get(tuple(words), roles), strict=True):
                state = "" if not new or role == own == NONE else "right" if role == own else "wrong"
                tokens.append(Token(word if role == NONE else f"{word} · {role}", state, own))
            frames.append(Frame(tokens, with_unknown(t_label(name), words, known)))
    return token_strip(frames)


BUILD = Build("2.B", ("2.3", "2.4", "2.2", "2.5", "2.7"), run, importance=5, minutes=40)
