"""Claims C7.1 and C7.2: a network that sees its answer, and what hiding it is good for."""

from __future__ import annotations

from dataclasses import replace

import torch

from course.lab.probes import static_baselines, world_probe
from course.lab.world_bert import LEAKY, Asked, Row, Shares, world_bert, world_rows
from course.ledger.measurement import Exact, Measurement, claim
from course_lib.device import seed_everything
from course_lib.models.attention import attend
from course_lib.models.bert import Bert
from course_lib.models.shipped import load

HIDDEN = Shares(to_mask=1.0, to_random=0.0)


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
            parts={
                f"{name}, {layer}: in %": score
                for name, one in found.items()
                for layer, score in zip(nets[name].layer_names, one.layers, strict=True)
            },
        ),
        "over leaky": gain("leaky"),
    }
