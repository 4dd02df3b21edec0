"""The claims of chapter 4: ELMo. C4.1 is here; layers, senses, unknown words and labels have files of their own."""

from __future__ import annotations

from itertools import islice
from random import Random
from statistics import fmean

import numpy as np

from course_lib.data.world import World
from course_lib.experiments.leaky_rnn import train_leaky_rnn
from course_lib.experiments.measurement import Exact, claim
from course_lib.experiments.sense_test import SenseSplit, balanced, layer_rows, sense_hits
from course_lib.experiments.world_bilm import train_bilm, world_bilm
from course_lib.models.baselines import RandomEncoder
from course_lib.models.lstm_lm import BiLM
from course_lib.models.shipped import load


@claim("C4.1", full={"shipped": "bilm-en", "n_changes": 200, "leaky_steps": 400})
def directions_are_blind(*, n_changes: int = 40, leaky_steps: int = 100, shipped: str = "", seed: int = 0) -> Exact:
    """Words on one side are changed, states of the other side compared; then the network for which this fails."""
    sentences = [list(s.words) for s in islice(World(seed, split="test").sentences("en"), n_changes)]
    trained = load(shipped) if shipped else world_bilm(seed, n_words=20_000, steps=60)
    untrained = BiLM(trained.config, trained.vocabulary, trained.characters)
    found = [largest_changes(model, sentences, seed) for model in (untrained, trained)]
    (error, moved), (trained_error, trained_moved) = found
    return Exact(
        error,
        "largest change",
        holds=moved > 0,
        detail=f"{n_changes} sentences; the state of the changed word itself moved by at least {moved:.2g}",
        parts={
            f"trained biLM{f' ({shipped})' if shipped else ''}: largest change on the blind side": trained_error,
            "trained biLM: smallest change of the changed word's own state": trained_moved,
            **leak(leaky_steps, seed),
        },
        data="sentences of the world",
    )


def largest_changes(model: BiLM, sentences: list[list[str]], seed: int = 0) -> tuple[float, float]:
    """(largest change of a state that must not move, smallest of one that must), over sentences and both directions.

    In each sentence all words from a random place on are replaced for the forward states, and all up to it for the
    backward states; the states on the other side must stay, and the state at the place itself must move.
    """
    draw, words = Random(seed), model.vocabulary.words
    half, still, moved = model.dim // 2, [0.0], []
    for sentence in sentences:
        place = draw.randrange(1, len(sentence) - 1)
        other = [draw.choice([w for w in words if w != old]) for old in sentence]
        late, early = sentence[:place] + other[place:], other[: place + 1] + sentence[place + 1 :]
        before, after_late, after_early = (layers[1:] for layers in model.encode([sentence, late, early]))
        for change, blind in (
            (np.abs(after_late - before)[..., :half], slice(0, place)),
            (np.abs(after_early - before)[..., half:], slice(place + 1, None)),
        ):
            still.append(float(change[:, blind].max()))
            moved.append(float(change[:, place].max(-1).min()))
    return max(still), min(moved)


def leak(steps: int, seed: int = 0) -> dict[str, float]:
    """A stacked bidirectional network on a small part of the world: its perplexity, its senses, and those untrained."""
    split = _leak_split(seed)
    text = [list(example.sentence.words) for example in split.train]
    model = train_leaky_rnn(Random(seed).sample(text, len(text)), steps=steps, seed=seed)
    held_out = [e.sentence.words for e in split.test if all(w in model.vocabulary for w in e.sentence.words)]
    untrained = RandomEncoder(model.encoder.dim, seed=seed)
    senses = {
        name: balanced(sense_hits(layer_rows(encoder, split)[-1], split), split)
        for name, encoder in (("trained", model.encoder), ("untrained", untrained))
    }
    return {
        "stacked bidirectional network: perplexity": model.perplexity(held_out),
        "stacked bidirectional network: balanced sense accuracy, in %": senses["trained"],
        "the same network untrained: balanced sense accuracy, in %": senses["untrained"],
    }


def honest(steps: int, seed: int = 0) -> dict[str, float]:
    """The same three numbers for a biLM, whose directions are apart, on the same text."""
    split = _leak_split(seed)
    text = [list(example.sentence.words) for example in split.train]
    trained, untrained = (train_bilm(text, seed, steps=n) for n in (steps, 0))
    senses = [balanced(sense_hits(layer_rows(model, split)[-1], split), split) for model in (trained, untrained)]
    held_out = trained.document([example.sentence.words for example in split.test])
    return {
        "biLM, directions apart: perplexity, mean of the two": fmean(trained.perplexity([held_out]).values()),
        "biLM, directions apart: balanced sense accuracy, in %": senses[0],
        "the same biLM untrained: balanced sense accuracy, in %": senses[1],
    }


def _leak_split(seed: int) -> SenseSplit:
    """Four ambiguous words of the world: few enough word types for the network to learn to copy them in seconds."""
    parts = []
    for split_seed, n in ((seed + 3, 100), (seed + 4, 30)):
        world = World(split_seed)
        words = list(world.ambiguous_words("en"))[:4]
        streams = [world.senses("en", word=word, side=side) for word in words for side in ("left", "right")]
        parts.append([example for stream in streams for example in islice(stream, n)])
    return SenseSplit(*parts, "senses of the world")
