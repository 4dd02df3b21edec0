"""Claims C7.1 to C7.3 and C7.7: what hiding the answer is good for, how much is hidden, and behind what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

import numpy as np
import torch
from jaxtyping import Float

from course.lab.learning import DEV_SEED, searched_rate
from course.lab.linear_probe import probe
from course.lab.losses import mean_loss
from course.lab.probes import PROBE_SEED, static_baselines, world_probe
from course.lab.world_bert import (
    BATCH,
    LEAKY,
    MASKED,
    RATE,
    Asked,
    Row,
    Shares,
    sentence_rows,
    world_bert,
    world_rows,
)
from course.lab.world_models import lm_text
from course.ledger import Exact, Measurement, by_seed, claim, means
from course.world import World
from course_lib.device import seed_everything
from course_lib.evaluation import accuracy
from course_lib.models.attention import attend
from course_lib.models.bert import Bert
from course_lib.models.shipped import load

HIDDEN = Shares(to_mask=1.0, to_random=0.0)
MASK_RATES = (0.05, 0.15, 0.3, 0.5, 0.9)
APART = "15 % masked, 5 % asked"
Place = tuple[tuple[str, ...], int]  # a sentence's words and which one is asked


@claim("C7.1", full={"n_rows": 500, "steps": 1_000, "n_test": 500})
def answer_is_seen(*, n_rows: int = 30, steps: int = 120, n_test: int = 100, seed: int = 0) -> Exact:
    """A word is changed, and the logits at its own place compared: with the word hidden, and with it in sight.

    Parts: the network trained with the answer in sight; and two layers in which no place looks at itself.
    """
    rows, probe = world_rows(), world_probe(n_test=n_test)
    untrained, leaky = world_bert(seed, steps=0), world_bert(seed, steps=steps, shares=LEAKY)
    hidden, seen = (
        [own_change(model, row, shares, n) for model in (untrained, leaky) for n, row in enumerate(rows[:n_rows])]
        for shares in (HIDDEN, LEAKY)
    )
    with torch.no_grad():
        last = leaky.loss(next(Asked(rows, leaky.pieces, shares=LEAKY, seed=seed + 1)()))
    before, after = probe.of(untrained), probe.of(leaky)
    return Exact(
        max(hidden),
        "largest change",
        holds=min(seen) > 1e-3,
        detail=f"{n_rows} sentences, trained or not; in sight, a word moves its own logits by {min(seen):.2g} or more",
        baselines={"probe of the same network untrained, parts of speech, in %": before.score},
        parts={
            "trained with the answer in sight: loss in nats": float(last["loss"]),
            "trained with the answer in sight: answers right, in %": 100 * float(last["mlm_accuracy"]),
            "its probe, parts of speech, in %": after.score,
            "its probe minus the untrained network's": Measurement(
                100 * (after.right.astype(float) - before.right), "points", clusters=probe.sentences
            ),
        }
        | {
            f"no place looks at itself, {n} layer{'s' * (n > 1)}: largest change at a word's own place": change
            for n, change in enumerate(crosstalk(seed), start=1)
        },
        data="sentences of the world",
    )


@torch.no_grad()
def own_change(model: Bert, row: Row, shares: Shares, seed: int = 0) -> float:
    """A piece that is asked for becomes another one: largest change of the logits at its place."""
    [batch] = Asked([row], model.pieces, shares=shares, seed=seed)()
    place = int(batch.columns[0])
    others = [i for i in range(len(model.pieces)) if i not in (*model.pieces.special_ids, row.ids[place])]
    ids = (*row.ids[:place], others[seed % len(others)], *row.ids[place + 1 :])
    [changed] = Asked([replace(row, ids=ids)], model.pieces, shares=shares, seed=seed)()
    before, after = (
        model.logits(model(b.input_ids).hidden_states[-1], b.rows[:1], b.columns[:1]) for b in (batch, changed)
    )
    return float((after - before).abs().max())


def crosstalk(seed: int = 0, n_words: int = 7, width: int = 16) -> list[float]:
    """The way around: in each of two layers every place attends to all others but not to itself, and keeps nothing of
    its own word. After one layer its own word is out of reach; after two it has come back through the others."""
    seed_everything(seed)
    places, words = torch.randn(2, 1, n_words, width)
    others = ~torch.eye(n_words, dtype=torch.bool)
    changed = words.clone()
    changed[0, 3] += 1
    found = []
    states = [(places, places + read) for read in (words, changed)]  # what asks, what is read
    for _ in range(2):
        outputs = [attend(asks, read, read, others)[0] for asks, read in states]
        found.append(float((outputs[1] - outputs[0])[0, 3].abs().max()))
        states = [(places, output) for output in outputs]
    return found


@claim("C7.2", full={"steps": 1_000, "n_test": 500, "n_train": 20})
def masking_makes_features(
    *, steps: int = 200, n_train: int = 20, n_test: int = 100, seed: int = 0
) -> dict[str, Measurement]:
    """Right or wrong per word, the best layer of the masked network minus that of the same untrained, of the leaky one.

    Both trained networks are asked for 15 % of the pieces; one reads 80 % of them as [MASK], the other as they are.
    """
    probe, vectors = world_probe(n_train, n_test), load("skipgram-en").word_vectors()
    nets = {"masked": world_bert(seed, steps=steps), "leaky": world_bert(seed, steps=steps, shares=LEAKY)}
    nets["untrained"] = world_bert(seed, steps=0)
    found = {name: probe.of(model) for name, model in nets.items()}
    shared = {"clusters": probe.sentences, "data": f"sentences of the world, {n_train} labelled ones"}

    def gain(over: str, **more) -> Measurement:
        values = 100 * (found["masked"].right.astype(float) - found[over].right)
        return Measurement(values, "points", **shared, **more)

    return {
        "over untrained": gain(
            "untrained",
            baselines={
                "majority tag per word, in %": probe.majority,
                **static_baselines(vectors, probe.words, probe.score),
                "the same network untrained, in %": found["untrained"].score,
                "the leaky network, in %": found["leaky"].score,
            },
            parts=means("{}, {}: in %", {name: one.layers for name, one in found.items()}, nets["masked"].layer_names),
        ),
        "over leaky": gain("leaky"),
    }


@claim("C7.3", full={"steps": 1_000, "batch": 64, "n_test": 200})
def mask_rate_is_a_trade_off(
    *, steps: int = 100, batch: int = BATCH, n_test: int = 60, n_seeds: int = 5
) -> dict[str, Measurement]:
    """Best rate between the ends (by the mean over seeds on dev) minus the lowest, minus the highest; equal tokens."""
    pos, untrained = world_probe(n_test=n_test), world_bert(0, steps=0)
    settings = {f"{100 * rate:g} % masked": Shares(corrupt=rate) for rate in MASK_RATES}
    settings[APART] = Shares(corrupt=0.15, predict=0.05)
    dev_rows = sentence_rows(lm_text(200, part=1), untrained.pieces)
    score, dev, loss = {}, {}, {}
    for name, shares in settings.items():
        training = {"steps": steps, "shares": shares, "rate": RATE, "batch": batch}
        models = [world_bert(seed, **training) for seed in range(n_seeds)]
        probed = [pos.of(model) for model in models]
        score[name] = np.array([one.score for one in probed])
        dev[name] = np.mean([one.dev for one in probed])
        loss[name] = np.mean([masked_loss(model, dev_rows) for model in models])
    low, *inner, high = list(settings)[: len(MASK_RATES)]
    best = max(inner, key=dev.get)
    fifteen = "15 % masked"
    parts = {
        f"{fifteen} minus the best rate on dev, in points ({best})": (score[fifteen] - score[best]).mean(),
        f"{APART}, minus {fifteen}, in points": by_seed(score[APART] - score[fifteen]),
    }
    for name in settings:
        parts |= {
            f"{name}: probe, in %": score[name].mean(),
            f"{name}: loss on dev with 15 % masked, in nats": loss[name],
            f"{name}: learning rate": RATE,
        }
    data = f"sentences of the world, {steps:,} steps of {batch} sentences"
    baselines = {"the same network untrained, in %": pos.of(untrained).score}
    return {
        "low end": by_seed(score[best] - score[low], baselines=baselines, parts=parts, data=data),
        "high end": by_seed(score[best] - score[high], data=data),
    }


def _trained(shares: Shares, steps: int, on_dev: Callable, n_seeds: int, search: bool) -> tuple[list[Bert], float]:
    """Networks with these shares, one a seed, and the rate that they share.

    search  choose the rate whose network, of a seed of its own, is best `on_dev`; else it is RATE
    """
    make = partial(world_bert, steps=steps, shares=shares)
    rate = searched_rate(lambda rate: on_dev(make(DEV_SEED, rate=rate))) if search else RATE
    return [make(seed, rate=rate) for seed in range(n_seeds)], rate


def masked_loss(model: Bert, rows: Sequence[Row], shares: Shares = MASKED) -> float:
    """Nats per hidden piece of held-out rows; the same pieces are hidden for every network."""
    return mean_loss(model, Asked(rows, model.pieces, shares=shares)())


@claim("C7.7", full={"steps": 400, "more": (Shares(to_random=0.2), Shares(to_mask=0.0, to_random=1.0)), "search": True})
def mask_token_makes_a_mismatch(
    *, steps: int = 200, more: Sequence[Shares] = (), n_seeds: int = 5, search: bool = False
) -> Measurement:
    """Which word is it? A probe on the top layer at unmasked places, 80/10/10 minus 100/0/0, per seed.

    more    other shares of [MASK], random and same words, as parts
    search  choose a learning rate for each, by the loss at [MASK] on dev; else all have the same
    """
    n_types = 150
    train, test = occurrences(n_types, 3)
    untrained = world_bert(0, steps=0)
    dev_rows = sentence_rows(lm_text(200, part=1), untrained.pieces)
    found, parts = {}, {}
    for shares in (MASKED, HIDDEN, *more):
        name = _name(shares)
        models, rate = _trained(shares, steps, lambda model: -masked_loss(model, dev_rows, HIDDEN), n_seeds, search)
        for hidden, places in ((False, "unmasked"), (True, "masked")):
            scores = np.array([identity(model, train, test, hidden=hidden) for model in models])
            found[shares, hidden], parts[f"{name}, {places} places: in %"] = scores, scores.mean()
        losses = [masked_loss(model, dev_rows, HIDDEN) for model in models]
        parts |= {f"{name}: loss at [MASK] on dev, in nats": np.mean(losses), f"{name}: learning rate": rate}
    at_masks = by_seed(found[MASKED, True] - found[HIDDEN, True])
    return by_seed(
        found[MASKED, False] - found[HIDDEN, False],
        baselines={
            "the same network untrained, in %": identity(untrained, train, test),
            "token layer (keeps all), in %": identity(untrained, train, test, layer=0),
        },
        parts=parts | {"masked places, 80/10/10 minus 100/0/0": at_masks},
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
    types = [word for word, n in common if n >= n_each and word.isalpha()][:n_types]
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
