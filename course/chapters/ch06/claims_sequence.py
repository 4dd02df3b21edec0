"""Claims C6.1, C6.2, C6.8, C6.9, C6.11: what a sequence costs, how much is kept apart, what mask and positions do."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import islice
from random import Random
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from course.lab.linear_probe import probe
from course.lab.recall import ASKED_OF, LOADS, Net, Recall, answered, guessing, trained
from course.lab.world_models import Text, lm_text, new_lm, train_lm
from course.ledger import Exact, Measurement, by_seed, claim, means
from course.world import World
from course_lib.data.streams import StreamBatch
from course_lib.device import choose_device, seed_everything
from course_lib.evaluation import accuracy
from course_lib.models.attention import MultiHeadAttention
from course_lib.models.transformer import LeftToRightLM, PositionedEmbedding, TransformerConfig, TransformerEncoder
from course_lib.training.schedules import linear_decay

NETS = ("attention", "LSTM")
DEV = 1_000  # seed of questions; those of the trainings are small
TIMED = ("LSTM", "attention", "feed-forward")


TIMED_FULLY = {"width": 512, "tokens": 8192, "n_rounds": 15, "lengths": (32, 64, 128, 256, 512, 1024)}


@claim("C6.1", full=TIMED_FULLY)
def recurrence_is_serial(
    *,
    width: int = 256,
    tokens: int = 2048,
    lengths: Sequence[int] = (32, 256, 1024),
    n_rounds: int = 5,
    device: str = "cpu",
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
    return by_seed(
        growth["LSTM"] - growth["attention"],
        "doublings of time",
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


@claim("C6.11", full=TIMED_FULLY)
def recurrence_waits_on_a_gpu(
    *,
    width: int = 256,
    tokens: int = 2048,
    lengths: Sequence[int] = (32, 256, 1024),
    n_rounds: int = 5,
    device: str = "cuda",
) -> Measurement:
    """C6.1's measurement, on a GPU."""
    return recurrence_is_serial(width=width, tokens=tokens, lengths=lengths, n_rounds=n_rounds, device=device)


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
    return {"LSTM": lambda x: lstm(x)[0], "attention": attention, "feed-forward": feed_forward}


def _by_hand(name: str, width: int) -> Callable[[Tensor], Tensor]:
    """The same layers in single operations: the fast LSTM is one node of the graph, whatever it does inside."""
    if name == "attention":
        attention = MultiHeadAttention(width, n_heads=8)

        def read(x: Tensor) -> Tensor:
            found = attention.weights(x) @ attention.heads(attention.value(x))
            return attention.output(found.transpose(1, 2).flatten(2))

        return read
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


@claim("C6.2", full={"steps": 1_500, "n_seeds": 6})
def attention_keeps_apart(
    *, steps: int = 1_000, rates: Sequence[float] = (5e-3, 1e-2, 2e-2), n_seeds: int = 5
) -> Measurement:
    """How far attention is ahead of the LSTM with the most pairs, less that with the fewest; the control: by distance.

    rates  each network has the one that is best over all loads, with a seed of its own
    """
    few, many = min(LOADS), max(LOADS)
    known: dict[Net, dict[int, np.ndarray]] = {}  # [seed]: % right, as share of what guessing leaves
    by_age: dict[Net, dict[str, np.ndarray]] = {}  # [seed], newest quarter first
    rate_of = {}
    for net in NETS:
        tried = {rate: trained(net, steps, rate, seed=n_seeds) for rate in rates}
        rate_of[net] = max(rates, key=lambda rate: sum(answered(tried[rate], load, DEV)[0].sum() for load in LOADS))
        models = [trained(net, steps, rate_of[net], seed) for seed in range(n_seeds)]
        known[net] = {
            load: np.array([beyond_guessing(answered(m, load, seed=1)[0], load) for m in models]) for load in LOADS
        }
        answers = [answered(model, ASKED_OF, seed=1, n=8_000) for model in models]
        by_age[net] = {
            f"{4 * q + 1} to {4 * q + 4} pairs ago": np.array(
                [100 * hits[ago // 4 == q].mean() for hits, ago in answers]
            )
            for q in range(ASKED_OF // 4)
        }
    gap = {load: known["attention"][load] - known["LSTM"][load] for load in LOADS}
    newest, *_, oldest = (by_age["attention"][age] - by_age["LSTM"][age] for age in by_age["LSTM"])
    return by_seed(
        gap[many] - gap[few],
        control=by_seed((oldest - newest) / (1 - guessing(ASKED_OF))),
        positive_control=by_seed(known["LSTM"][few]),
        baselines={f"one of {load} values read, blindly, in %": 100 * guessing(load) for load in (few, many)},
        parts={
            f"{net}, {load} pairs: right, in %": 100 * guessing(load) + (1 - guessing(load)) * values.mean()
            for net in NETS
            for load, values in known[net].items()
        }
        | {
            f"{net}, {ASKED_OF} pairs, {age}: right, in %": shares.mean()
            for net in NETS
            for age, shares in by_age[net].items()
        }
        | {f"{net}: parameters": sum(p.numel() for p in Recall(net).parameters()) for net in NETS}
        | means("{}: learning rate", rate_of),
        data=f"pairs of a key and a value, {steps:,} steps",
    )


def beyond_guessing(right: np.ndarray, load: int) -> float:
    """Share of right answers in points, 0 for one of the values read, taken blindly: else 2 pairs would flatter."""
    return 100 * (right.mean() - guessing(load)) / (1 - guessing(load))


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
