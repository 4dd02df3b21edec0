"""Claims C6.1, C6.2, C6.8 and C6.9: what a sequence costs, how far back is reached, what mask and positions do."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from random import Random
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from course.lab.world_models import Text, lm_text, new_lm, train_lm
from course.ledger import Exact, Measurement, claim, means
from course_lib.data.batch import length_mask, pad
from course_lib.data.bucketing import Buckets
from course_lib.data.streams import StreamBatch
from course_lib.data.world import World
from course_lib.data.world.distances import LONGEST
from course_lib.device import choose_device, seed_everything
from course_lib.evaluation import accuracy
from course_lib.evaluation.probes import probe
from course_lib.models.attention import MultiHeadAttention
from course_lib.models.left_to_right_lm import LeftToRightLM
from course_lib.models.transformer import PositionedEmbedding, TransformerConfig, TransformerEncoder
from course_lib.text.vocabulary import Vocabulary
from course_lib.training import fit
from course_lib.training.schedules import linear_decay, warmup_linear

TIMED = ("LSTM", "attention", "feed-forward")


@claim("C6.1", full={"width": 512, "tokens": 8192, "n_rounds": 15, "lengths": (32, 64, 128, 256, 512, 1024)})
def recurrence_is_serial(
    *,
    width: int = 256,
    tokens: int = 2048,
    lengths: Sequence[int] = (32, 256, 1024),
    n_rounds: int = 5,
    device: str | None = None,
    seed: int = 0,
) -> Measurement:
    """log2 of t(last length) / t(first length), LSTM minus attention; a round times every net at every length.

    tokens  in a batch, whatever the length. A step is one layer forward and backward, without an optimizer.
    """
    where = choose_device(device)
    seed_everything(seed)
    nets = _nets(width, where)
    inputs = {length: torch.randn(tokens // length, length, width, device=where) for length in lengths}
    cases = [(name, length) for name in TIMED for length in lengths]
    rounds = [  # the first call of a kernel pays for its preparation: a round that is not counted
        [_seconds(nets[name], inputs[length], where) for name, length in cases] for _ in range(1 + n_rounds)
    ]
    times = dict(zip(cases, np.array(rounds[1:]).T, strict=True))
    first, last = lengths[0], lengths[-1]
    growth = {name: np.log2(times[name, last] / times[name, first]) for name in TIMED}
    by_hand = {name: _by_hand(name, width) for name in TIMED[:2]}
    return Measurement(
        growth["LSTM"] - growth["attention"],
        "doublings of time",
        seeds=True,
        baselines={"feed-forward layer: doublings of time": float(np.median(growth["feed-forward"]))},
        parts={f"{name}: doublings of time from {first} to {last} words": np.median(growth[name]) for name in TIMED[:2]}
        | {f"{name}, {length} words: ms per step": 1e3 * np.median(found) for (name, length), found in times.items()}
        | {
            f"{name}: operations that must wait for one another, {n} words": sequential_depth(net, n, width)
            for name, net in by_hand.items()
            for n in (16, 32)
        },
        data=f"{tokens:,} words per batch, width {width}, {where.type.upper()}",
    )


def sequential_depth(net: Callable[[Tensor], Tensor], n_words: int, width: int) -> int:
    """The longest chain of operations of which each waits for the one before, from input to output.

    Read off the graph that PyTorch keeps for the gradient; it has a node for each operation.
    """
    output = net(torch.randn(1, n_words, width, requires_grad=True))
    depth: dict[object, int] = {}
    waiting = [output.grad_fn]
    while waiting:  # a stack instead of recursion: a chain may be thousands of operations long
        node = waiting[-1]
        before = [other for other, _ in node.next_functions if other is not None]
        if missing := [other for other in before if other not in depth]:
            waiting += missing
            continue
        depth[node] = 1 + max((depth[other] for other in before), default=0)
        waiting.pop()
    return depth[output.grad_fn]


def _nets(width: int, device: torch.device) -> dict[str, Callable[[Tensor], Tensor]]:
    """One layer each, of equal width; attention and LSTM as fast as PyTorch has them."""
    lstm, attention = nn.LSTM(width, width, batch_first=True), MultiHeadAttention(width, n_heads=8)
    feed_forward = nn.Sequential(nn.Linear(width, 4 * width), nn.ReLU(), nn.Linear(4 * width, width))
    for net in (lstm, attention, feed_forward):
        net.to(device)
    return {"LSTM": lambda x: lstm(x)[0], "attention": lambda x: attention(x)[0], "feed-forward": feed_forward}


def _by_hand(name: str, width: int) -> Callable[[Tensor], Tensor]:
    """The same layers in single operations: the fast LSTM is one node of the graph, whatever it does inside."""
    if name == "attention":
        attention = MultiHeadAttention(width, n_heads=8)
        return lambda x: attention(x, need_weights=True)[0]
    cell = nn.LSTMCell(width, width)

    def unrolled(x: Tensor) -> Tensor:
        state = None
        for word in x.unbind(1):
            state = cell(word, state)
        return state[0]

    return unrolled


def _seconds(net: Callable[[Tensor], Tensor], inputs: Tensor, device: torch.device) -> float:
    """Wall time of a step: on a GPU a call returns before its work is done, so both ends wait for it."""
    wait = (lambda: torch.cuda.synchronize(device)) if device.type == "cuda" else (lambda: None)
    wait()
    start = time.perf_counter()
    net(inputs).sum().backward()
    wait()
    return time.perf_counter() - start


WORLD_SEED = 31  # of the training sentences; dev and test have the next two
NEAR, FAR = tuple(range(4)), tuple(range(16, LONGEST + 1))
TASKS = ("agreement", "copying")
NETS = ("attention", "LSTM")


@dataclass(frozen=True)
class Asked:
    """What stands before a word, that word, and the word that must not be likelier ("" where all others compete)."""

    task: str
    distance: int
    before: tuple[str, ...]
    word: str
    wrong: str = ""


@claim("C6.2", full={"n_train": 300, "steps": 600, "n_seeds": 8, "longer": 3})
def attention_reaches_far(
    *,
    n_train: int = 150,
    n_test: int = 40,
    steps: int = 200,
    rates: Sequence[float] = (2e-3, 6e-3, 2e-2),
    width: int = 64,
    n_seeds: int = 5,
    longer: int = 0,
) -> Measurement:
    """Accuracy at distances 16-20, mean of the two tasks, attention minus LSTM, per seed; the control: at 0-3.

    A network that has not learned to copy at all fails near and far alike, which says nothing about distance.

    n_train, n_test  sentences per task and distance
    rates            learning rates; each network has the one that is better on dev, with a seed of its own
    longer           the LSTM once more with so many times the steps, among the parts; 0: not
    """
    train, dev, test = splits(n_train, n_test)
    words = Vocabulary.from_sentences(
        [(*item.before, item.word, item.wrong or item.word) for item in train], min_count=1
    )
    train, dev, test = (
        [one for one in part if all(word in words for word in (*one.before, one.word))] for part in (train, dev, test)
    )
    right, untrained, n_parameters, rate_of = {}, {}, {}, {}

    def hits(net: str, steps: int) -> np.ndarray:
        """bool [seed, item]"""
        models = (learned(net, words, train, width, steps, rate_of[net], seed) for seed in range(n_seeds))
        return np.stack([model.right(test) for model in models])

    for net in NETS:
        rate_of[net] = max(
            rates, key=lambda rate: far(dev, learned(net, words, train, width, steps, rate, -1).right(dev))
        )
        right[net] = hits(net, steps)
        fresh = learned(net, words, train, width, 0, 1.0, 0)
        untrained[net] = far(test, fresh.right(test))
        n_parameters[net] = sum(p.numel() for p in fresh.parameters())
    if longer:
        right[f"LSTM, {longer} times the steps"] = hits("LSTM", longer * steps)
    majority = Counter((item.task, item.word) for item in train)
    best = {task: max((w for t, w in majority if t == task), key=lambda w: majority[task, w]) for task in TASKS}

    def gap(distances: Sequence[int]) -> Measurement:
        both = zip(right["attention"], right["LSTM"], strict=True)
        return Measurement(
            [far(test, ours, distances) - far(test, theirs, distances) for ours, theirs in both], "points", seeds=True
        )

    return replace(
        gap(FAR),
        control=gap(NEAR),
        baselines={
            "commonest word of the task, in %": far(test, np.array([one.word == best[one.task] for one in test])),
            **means("{} untrained, in %", untrained),
        },
        parts={
            f"{net}, {task}, distance {low}-{high}: accuracy in %": 100
            * right[net][:, [one.task == task and low <= one.distance <= high for one in test]].mean()
            for task in TASKS
            for net in right
            for low, high in ((0, 3), (4, 9), (10, 15), (FAR[0], FAR[-1]))
        }
        | means("{}: parameters", n_parameters)
        | means("{}: learning rate", rate_of),
        data="sentences of the world, distances 0-20",
    )


def splits(n_train: int, n_test: int) -> list[list[Asked]]:
    """Train, dev, test: no beginning of a sentence is in two of them. Short sentences run out of new ones: fewer."""
    seen: set[tuple[str, ...]] = set()
    parts = []
    for number, n in enumerate((n_train, n_test, n_test)):
        new = [one for one in items(World(WORLD_SEED + number), n) if (*one.before, one.word) not in seen]
        seen |= {(*one.before, one.word) for one in new}
        parts.append(new)
    return parts


def items(world: World, n: int) -> Iterator[Asked]:
    """`n` of each task and distance."""
    for distance in range(LONGEST + 1):
        for found in islice(world.agreement(distance), n):
            yield Asked("agreement", distance, found.sentence.words[: found.verb], found.right, found.wrong)
        for found in islice(world.copying(distance), n):
            words = found.sentence.words
            yield Asked("copying", distance, words[: found.second], words[found.second])


def far(asked: Sequence[Asked], right: np.ndarray, distances: Sequence[int] = FAR) -> float:
    """Accuracy in % at these distances: the mean of the tasks' accuracies."""
    shares = [right[[one.task == task and one.distance in distances for one in asked]].mean() for task in TASKS]
    return 100 * float(np.mean(shares))


class NextWord(nn.Module):
    """Reads the beginning of a sentence, predicts its next word; `net` is "attention" or "LSTM".

    Two layers of `width`: with a feed-forward layer twice as wide as the rest, both have 16 width^2 weights.
    """

    def __init__(self, net: str, words: Vocabulary, width: int):
        super().__init__()
        self.words, self.net = words, net
        config = TransformerConfig(
            d_model=width,
            n_heads=4,
            n_layers=2,
            d_ff=2 * width,
            dropout=0.0,
            norm="pre",
            positions="sinusoidal" if net == "attention" else "none",  # an LSTM counts by itself
        )
        self.embedding = PositionedEmbedding(len(words), config)
        self.body = TransformerEncoder(config) if net == "attention" else nn.LSTM(width, width, 2, batch_first=True)

    def forward(self, ids: Int[Tensor, "batch seq"], lengths: Int[Tensor, " batch"]) -> Float[Tensor, "batch vocab"]:
        """Logits after the last word of each row. Padding stands on the right, where neither network looks."""
        states = self.embedding(ids)
        states = self.body(states, causal=True) if self.net == "attention" else self.body(states)[0]
        last = states[torch.arange(len(ids), device=ids.device), lengths - 1]
        return last @ self.embedding.tokens.weight.T

    def batch(self, asked: Sequence[Asked]) -> dict[str, Tensor]:
        rows = [self.words.encode(one.before) for one in asked]
        return {
            "ids": pad(rows),
            "lengths": length_mask([len(row) for row in rows]).sum(1),
            "word": torch.tensor(self.words.encode([one.word for one in asked])),
        }

    def loss(self, batch: dict[str, Tensor]) -> dict[str, Any]:
        """Cross-entropy of the next word, in nats."""
        return {
            "loss": F.cross_entropy(self(batch["ids"], batch["lengths"]), batch["word"]),
            "count": len(batch["word"]),
        }

    @torch.no_grad()
    def right(self, asked: Sequence[Asked]) -> np.ndarray:
        """bool [item]: the word is likelier than the wrong one; where there is none, than all other words."""
        batch = self.batch(asked)
        logits = self(batch["ids"], batch["lengths"])
        wrong = torch.tensor(self.words.encode([one.wrong or one.word for one in asked]))
        rows = torch.arange(len(asked))
        against = torch.tensor([bool(one.wrong) for one in asked])
        word = logits[rows, batch["word"]]
        return torch.where(against, word > logits[rows, wrong], logits.argmax(-1) == batch["word"]).numpy()


def learned(
    net: str, words: Vocabulary, train: Sequence[Asked], width: int, steps: int, rate: float, seed: int
) -> NextWord:
    """Trained on batches of like lengths, the same ones in the same order for both networks."""
    seed_everything(seed + 1_000)
    model = NextWord(net, words, width)
    buckets = Buckets([len(one.before) for one in train], tokens=1024, seed=seed)

    def batches(epoch: int) -> Iterator[dict[str, Tensor]]:
        return (model.batch([train[i] for i in rows]) for rows in buckets(epoch))

    if steps:
        fit(
            model,
            batches,
            steps=steps,
            learning_rate=rate,
            schedule=lambda step, total: warmup_linear(step, total, warmup=total // 10),
            betas=(0.9, 0.98),
            show=False,
        )
    return model.eval()


CONFIG = TransformerConfig(d_model=64, n_heads=4, n_layers=2, d_ff=128, dropout=0.0, norm="pre")


@claim("C6.8", full={"n_changes": 200, "steps": 1_000, "n_sentences": 6_000})
def future_is_hidden(*, n_changes: int = 40, steps: int = 150, n_sentences: int = 500, seed: int = 0) -> Exact:
    """Tokens after k are changed, logits up to k compared; then the same network trained without the mask."""
    text, held_out = lm_text(n_sentences), lm_text(n_changes, part=1)
    untrained = new_lm(CONFIG, text, seed)
    first, last = (new_lm(CONFIG, text, seed) for _ in range(2))
    masked = train_lm(first, text, seed, steps=steps, rate=5e-3, schedule=linear_decay)
    train_lm(SeesTheFuture(last), text, seed, steps=steps, rate=5e-3, schedule=linear_decay)
    seeing = last.eval()
    found = [largest_changes(model.eval(), held_out, seed) for model in (untrained, masked)]
    return Exact(
        max(still for still, _ in found),
        "largest change",
        holds=min(moved for _, moved in found) > 0,
        detail=f"{len(held_out)} sentences, trained or not; row k moved by {min(m for _, m in found):.2g} or more",
        parts={
            f"{name}: {what}": value
            for name, model, causal in (("with the mask", masked, True), ("without the mask", seeing, False))
            for what, value in masked_or_not(model, held_out, causal).items()
        },
        data="sentences of the world",
    )


@torch.no_grad()
def largest_changes(model: LeftToRightLM, sentences: Text, seed: int = 0) -> tuple[float, float]:
    """(largest change of a logit before place k, smallest over sentences of row k's) when tokens from k on change."""
    draw, still, moved = Random(seed), 0.0, []
    words = range(len(model.pieces))
    for sentence in sentences:
        ids = [model.pieces.begin, *model.pieces.ids(sentence)]
        place = draw.randrange(1, len(ids))
        changed = ids[:place] + [draw.choice([i for i in words if i != old]) for old in ids[place:]]
        # same shapes: another length may be computed by another kernel, whose rounding differs
        before, after = model(torch.tensor([ids])), model(torch.tensor([changed]))
        change = (after - before).abs().amax(-1)[0]
        still = max(still, float(change[:place].max()))
        moved.append(float(change[place]))
    return still, min(moved)


class SeesTheFuture(nn.Module):
    """A left-to-right language model without its mask: the word to predict is one of those it reads."""

    def __init__(self, model: LeftToRightLM):
        super().__init__()
        self.model, self.pieces = model, model.pieces

    def loss(self, batch: StreamBatch) -> dict[str, Any]:
        logits = unmasked(self.model, batch.ids)
        return {"loss": F.cross_entropy(logits.flatten(0, 1), batch.targets.flatten()), "count": batch.targets.numel()}


def unmasked(model: LeftToRightLM, ids: Int[Tensor, "batch seq"]) -> Float[Tensor, "batch seq vocab"]:
    """The same network, but every position looks at all."""
    return model.stack(model.embedding(ids)) @ model.embedding.tokens.weight.T


@torch.no_grad()
def masked_or_not(model: LeftToRightLM, sentences: Text, causal: bool) -> dict[str, float]:
    """Next words found while the whole sentence is there, and where it ends before them, as in decoding."""
    whole, losses, alone = [], [], []
    for sentence in sentences:
        ids = torch.tensor([[model.pieces.begin, *model.pieces.ids(sentence), model.pieces.end]])
        logits = model(ids) if causal else unmasked(model, ids)
        losses.append(F.cross_entropy(logits[0, :-1], ids[0, 1:], reduction="none"))
        whole += (logits[0, :-1].argmax(-1) == ids[0, 1:]).tolist()
        for end in range(1, ids.shape[1]):
            last = (model(ids[:, :end]) if causal else unmasked(model, ids[:, :end]))[0, -1]
            alone.append(int(last.argmax()) == int(ids[0, end]))
    return {
        "loss in nats": float(torch.cat(losses).mean()),
        "next words right, sentence complete, in %": 100 * float(np.mean(whole)),
        "next words right, sentence cut before them, in %": 100 * float(np.mean(alone)),
    }


@claim("C6.9", full={"n_sentences": 500})
def order_needs_positions(*, n_sentences: int = 60, seed: int = 0) -> Exact:
    """An encoder reads permuted words; its rows, permuted likewise, are compared with those of the sentence."""
    seed_everything(seed)
    pairs = [tuple(p.en.words for p in pair) for pair in islice(World(seed).role_reversals(), n_sentences)]
    sentences = [list(words) for words in lm_text(n_sentences)]
    vocabulary = sorted({word for words in (*sentences, *(w for pair in pairs for w in pair)) for word in words})
    index = {word: i for i, word in enumerate(vocabulary)}
    bare, placed = (Reader(len(index), positions) for positions in ("none", "sinusoidal"))
    placed.load_state_dict(bare.state_dict())
    draw = Random(seed)
    change: dict[str, list[float]] = {"bare": [], "placed": []}
    for words in sentences:
        order = list(range(len(words)))
        while order == sorted(order):
            draw.shuffle(order)
        ids = torch.tensor([[index[word] for word in words]])
        for name, reader in (("bare", bare), ("placed", placed)):
            change[name].append(float((reader(ids)[:, order] - reader(ids[:, order])).abs().max()))

    def swapped(reader: Reader) -> float:
        """Largest difference of the mean vector between the two sentences of a pair."""
        both = ([reader(torch.tensor([[index[w] for w in words]])).mean(1) for words in pair] for pair in pairs)
        return max(float((first - second).abs().max()) for first, second in both)

    return Exact(
        max(change["bare"]),
        "largest difference",
        holds=min(change["placed"]) > 1e-3,
        detail=f"{n_sentences} sentences; with positions the rows differ by at least {min(change['placed']):.2g}",
        parts={
            f"A sees B / B sees A, {name}: largest difference of the mean vector": swapped(reader)
            for name, reader in (("without positions", bare), ("with positions", placed))
        }
        | {
            f"{name}: places told from the states, in % (chance {100 / PLACES:.0f})": places_found(bare, causal, seed)
            for name, causal in (("encoder without positions", False), ("causal decoder without positions", True))
        },
        data="sentences of the world",
    )


PLACES = 10


class Reader(nn.Module):
    """An untrained encoder over an embedding: ids [batch, seq] -> states."""

    def __init__(self, n_words: int, positions: str):
        super().__init__()
        config = TransformerConfig(d_model=32, n_heads=4, n_layers=2, d_ff=64, dropout=0.0, positions=positions)
        self.embedding, self.encoder = PositionedEmbedding(n_words, config), TransformerEncoder(config)

    @torch.no_grad()
    def forward(self, ids: Int[Tensor, "batch seq"], causal: bool = False) -> Float[Tensor, "batch seq dim"]:
        return self.encoder(self.embedding(ids), causal=causal)


def places_found(reader: Reader, causal: bool, seed: int) -> float:
    """A linear probe on the states of sequences that repeat one word: in % of places. Untrained, no position vectors.

    All begin with the same word, as with [BOS]: a causal reader sees a smaller share of it the more words it has read.
    """
    draw = Random(seed)
    n_words = len(reader.embedding.tokens.weight)
    rows = torch.tensor([[0] + [draw.randrange(1, n_words)] * PLACES for _ in range(60)])
    states = reader(rows, causal).numpy()
    train, test = (part[:, 1:].reshape(-1, states.shape[-1]) for part in (states[:30], states[30:]))
    labels = list(range(PLACES)) * 30
    return 100 * accuracy(probe(train, labels, test), labels)
