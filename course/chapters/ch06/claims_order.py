"""Claims C6.8 and C6.9: what the causal mask hides, and what is left of a sentence without positions."""

from __future__ import annotations

from itertools import islice
from random import Random
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from course.lab.world_models import Text, lm_text, new_lm, train_lm
from course.ledger.measurement import Exact, claim
from course_lib.data.streams import StreamBatch
from course_lib.data.world import World
from course_lib.device import seed_everything
from course_lib.evaluation import accuracy
from course_lib.evaluation.probes import probe
from course_lib.models.left_to_right_lm import LeftToRightLM
from course_lib.models.transformer import PositionedEmbedding, TransformerConfig, TransformerEncoder
from course_lib.training.schedules import linear_decay

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
    reversed_roles = {
        name: [
            _sentence_distance(reader, *(torch.tensor([[index[w] for w in words]]) for words in pair)) for pair in pairs
        ]
        for name, reader in (("without positions", bare), ("with positions", placed))
    }
    return Exact(
        max(change["bare"]),
        "largest difference",
        holds=min(change["placed"]) > 1e-3,
        detail=f"{n_sentences} sentences; with positions the rows differ by at least {min(change['placed']):.2g}",
        parts={
            f"A sees B / B sees A, {name}: largest difference of the mean vector": max(values)
            for name, values in reversed_roles.items()
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


def _sentence_distance(reader: Reader, first: Tensor, second: Tensor) -> float:
    return float((reader(first).mean(1) - reader(second).mean(1)).abs().max())
