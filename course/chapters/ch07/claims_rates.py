"""Claims C7.3 and C7.7: how much of the text is hidden, and what stands in its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import islice

import numpy as np
import torch
from jaxtyping import Float

from course.lab.probes import PROBE_SEED, trained, world_probe
from course.lab.world_bert import MASKED, Asked, Row, Shares, sentence_rows, world_bert
from course.lab.world_models import lm_text
from course.ledger.measurement import Measurement, claim
from course_lib.data.world import World
from course_lib.evaluation import accuracy
from course_lib.evaluation.losses import mean_loss
from course_lib.evaluation.probes import probe
from course_lib.models.bert import Bert

MASK_RATES = (0.05, 0.15, 0.3, 0.5, 0.9)
APART = Shares(corrupt=0.15, predict=0.05)
MISMATCH = Shares(to_mask=1.0, to_random=0.0)
Place = tuple[tuple[str, ...], int]  # a sentence's words and which one is asked


@claim("C7.3", full={"steps": 300, "n_test": 200, "search": True})
def mask_rate_is_a_trade_off(
    *, steps: int = 100, n_test: int = 60, n_seeds: int = 5, search: bool = False
) -> dict[str, Measurement]:
    """Best rate between the ends (by the mean over seeds on dev) minus the lowest, minus the highest; equal tokens.

    search  choose a learning rate for each mask rate, on dev; else all have the same
    """
    pos, untrained = world_probe(n_test=n_test), world_bert(0, steps=0)
    settings = {_masked(rate): Shares(corrupt=rate) for rate in MASK_RATES}
    settings["15 % masked, 5 % asked"] = APART
    dev_rows = sentence_rows(lm_text(200, part=1), untrained.pieces)
    score, dev, loss, rates = {}, {}, {}, {}
    for name, shares in settings.items():
        models, rates[name] = _trained(shares, steps, lambda model: pos.of(model).dev, n_seeds, search)
        probed = [pos.of(model) for model in models]
        score[name] = np.array([one.score for one in probed])
        dev[name] = float(np.mean([one.dev for one in probed]))
        loss[name] = float(np.mean([masked_loss(model, dev_rows) for model in models]))
    low, *inner, high = list(settings)[: len(MASK_RATES)]
    best = max(inner, key=dev.get)
    fifteen = _masked(0.15)
    parts = {
        f"{fifteen} minus the best rate on dev, in points ({best})": float((score[fifteen] - score[best]).mean()),
        f"15 % masked, 5 % asked, minus {fifteen}, in points": Measurement(
            score["15 % masked, 5 % asked"] - score[fifteen], "points", seeds=True
        ),
    }
    for name in settings:
        parts |= {
            f"{name}: probe, in %": float(score[name].mean()),
            f"{name}: loss on dev with 15 % masked, in nats": loss[name],
            f"{name}: learning rate": rates[name],
        }
    shared = {"seeds": True, "data": f"sentences of the world, {steps} steps of 32 sentences"}
    return {
        "low end": Measurement(
            score[best] - score[low],
            "points",
            baselines={"the same network untrained, in %": pos.of(untrained).score},
            parts=parts,
            **shared,
        ),
        "high end": Measurement(score[best] - score[high], "points", **shared),
    }


def _masked(rate: float) -> str:
    return f"{100 * rate:g} % masked"


def _trained(shares: Shares, steps: int, on_dev: Callable, n_seeds: int, search: bool) -> tuple[list[Bert], float]:
    """Networks with these shares, and their learning rate, as `trained` chooses it."""
    return trained(lambda seed, rate: world_bert(seed, steps=steps, shares=shares, rate=rate), on_dev, n_seeds, search)


def masked_loss(model: Bert, rows: Sequence[Row], shares: Shares = MASKED) -> float:
    """Nats per hidden piece of held-out rows; the same pieces are hidden for every network."""
    return mean_loss(model, Asked(rows, model.pieces, shares=shares)())


@claim(
    "C7.7",
    full={
        "steps": 400,
        "more": (Shares(to_random=0.2), Shares(to_mask=0.0, to_random=1.0)),
        "n_seeds": 5,
        "search": True,
    },
)
def mask_token_makes_a_mismatch(
    *,
    steps: int = 200,
    n_types: int = 150,
    n_each: int = 3,
    more: Sequence[Shares] = (),
    n_seeds: int = 5,
    search: bool = False,
) -> Measurement:
    """Which word is it? A probe on the top layer at unmasked places, 80/10/10 minus 100/0/0, per seed.

    n_types, n_each  the most frequent words; occurrences of each to learn from, and to test on
    more             other shares of [MASK], random and same words, as parts
    search           choose a learning rate for each, by the loss at [MASK] on dev; else all have the same
    """
    train, test = occurrences(n_types, n_each)
    untrained = world_bert(0, steps=0)
    dev_rows = sentence_rows(lm_text(200, part=1), untrained.pieces)
    found, parts = {}, {}
    for shares in (MASKED, MISMATCH, *more):
        models, rate = _trained(shares, steps, lambda model: -masked_loss(model, dev_rows, MISMATCH), n_seeds, search)
        for hidden, places in ((False, "unmasked"), (True, "masked")):
            scores = np.array([identity(model, train, test, hidden=hidden) for model in models])
            found[shares, hidden], parts[f"{_name(shares)}, {places} places: in %"] = scores, float(scores.mean())
        losses = [masked_loss(model, dev_rows, MISMATCH) for model in models]
        parts |= {
            f"{_name(shares)}: loss at [MASK] on dev, in nats": float(np.mean(losses)),
            f"{_name(shares)}: learning rate": rate,
        }
    return Measurement(
        found[MASKED, False] - found[MISMATCH, False],
        "points",
        seeds=True,
        baselines={
            "the same network untrained, in %": identity(untrained, train, test),
            "token layer (keeps all), in %": identity(untrained, train, test, layer=0),
        },
        parts=parts
        | {
            "masked places, 80/10/10 minus 100/0/0": Measurement(
                found[MASKED, True] - found[MISMATCH, True], "points", seeds=True
            )
        },
        data=f"the {n_types} most frequent words of the world",
    )


def _name(shares: Shares) -> str:
    """[MASK] / the same / a random piece, in percent: the order of the paper's table 8."""
    same = max(0.0, 1 - shares.to_mask - shares.to_random)  # rounding may leave a little less than nothing
    return "/".join(f"{100 * share:.0f}" for share in (shares.to_mask, same, shares.to_random))


def occurrences(n_types: int, n_each: int, n_sentences: int = 4_000) -> tuple[list[Place], list[Place]]:
    """Places of the most frequent words, the same number of each; no sentence is in both parts."""
    sentences = [sentence.words for sentence in islice(World(PROBE_SEED).sentences(), n_sentences)]
    parts = sentences[::2], [words for words in sentences[1::2] if words not in set(sentences[::2])]
    counts = [Counter(word for words in part for word in set(words)) for part in parts]
    common = (counts[0] & counts[1]).most_common()
    types = {word for word, n in common if n >= n_each and word.isalpha()}
    types = {word for word, _ in [entry for entry in common if entry[0] in types][:n_types]}
    chosen: tuple[list[Place], list[Place]] = [], []
    for part, kept in zip(parts, chosen, strict=True):
        left = Counter(dict.fromkeys(types, n_each))
        for words in part:
            for place, word in enumerate(words):
                if left[word] > 0:
                    left[word] -= 1
                    kept.append((words, place))
    return chosen


def identity(
    model: Bert, train: Sequence[Place], test: Sequence[Place], *, hidden: bool = False, layer: int = -1
) -> float:
    """In % of the test places: a probe on a layer's states names the word. hidden: [MASK] stands there, in both."""
    rows = [states_at(model, part, hidden, layer) for part in (train, test)]
    asked, gold = ([words[place] for words, place in part] for part in (train, test))
    return 100 * accuracy(probe(rows[0], asked, rows[1]), gold)


@torch.no_grad()
def states_at(model: Bert, places: Sequence[Place], hidden: bool, layer: int) -> Float[np.ndarray, "place dim"]:
    found = []
    for start in range(0, len(places), 128):
        part = places[start : start + 128]
        batch = model.batch([words for words, _ in part])
        rows, columns = torch.arange(len(part)), torch.tensor([place for _, place in part])
        if hidden:
            batch.ids["pieces"][rows, batch.ids["places"][rows, columns]] = model.pieces.mask
        found.append(model.states(batch).layers[layer, rows, columns].numpy())
    return np.concatenate(found)
