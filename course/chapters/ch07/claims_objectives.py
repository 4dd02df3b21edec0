"""Claims C7.4 to C7.6: what the next-sentence question adds, and masked networks against those that read one way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import islice

import numpy as np
import torch
from jaxtyping import Float

from course.lab.controls import WHOLE, untrained
from course.lab.learning import DEV_SEED, best_rate, comes_to
from course.lab.linear_probe import probe
from course.lab.probes import (
    PROBE_SEED,
    PosProbe,
    by_side,
    layer_rows,
    sense_hits,
    sense_split,
    window_rows,
    world_probe,
)
from course.lab.world_bert import (
    BATCH,
    LEAKY,
    MASKED,
    RATE,
    Asked,
    Row,
    Shares,
    new_bert,
    pair_rows,
    rise,
    train_bert,
    whole_words,
    world_bert,
    world_rows,
)
from course.lab.world_models import TEXT_SEED, world_text
from course.ledger import Measurement, by_seed, claim, means
from course.world import World
from course_lib.data.records import LabelledText, SenseExample, Sentence, SentencePair
from course_lib.evaluation import accuracy
from course_lib.models.bert import Bert
from course_lib.models.encoder import masked_mean
from course_lib.models.shipped import load

Features = Callable[[Sequence], Float[np.ndarray, "record dim"]]
PAIRS = {"same topic": "same_topic", "another topic": "any_topic"}


@claim("C7.4", full={"steps": 1_500, "batch": 64, "n_documents": 4_000, "n_train": 1_000, "n_test": 1_000})
def next_sentence_helps_pairs(
    *,
    steps: int = 120,
    n_documents: int = 800,
    n_train: int = 300,
    n_test: int = 300,
    n_seeds: int = 5,
    batch: int = BATCH,
) -> dict[str, Measurement]:
    """Linear probes on frozen states, with minus without the next-sentence question, per seed.

    Both networks read the same pairs and are asked for the same hidden words. A text or a pair is [CLS]'s state and the
    mean of its words' states; in pre-training the wrong second sentence is of another topic, as BERT's mostly is.
    """
    documents = world_documents(n_documents)
    pieces = whole_words(tuple(words for document, _ in documents for words in document) + world_text(60_000))
    rows = pair_rows(*zip(*documents, strict=True), pieces)
    world = World(PROBE_SEED)
    pairs = {
        name: cut(list(islice(world.next_sentences(negatives=kind), n_train + 2 * n_test)), n_train, n_test)
        for name, kind in PAIRS.items()
    }
    texts, pos = cut(list(islice(world.reviews(), n_train + 2 * n_test)), n_train, n_test), world_probe()

    def scores(model: Bert) -> dict[str, float]:
        features = partial(vectors, model)
        return {f"pairs, {name}": right(found, features) for name, found in pairs.items()} | {
            "sentences": right(texts, features),
            "tagging": pos.of(model).score,
        }

    found, follows, learned = {}, np.zeros(n_seeds), np.zeros(n_seeds)
    for name, nsp in (("with", True), ("without", False)):
        settings = {"steps": steps, "nsp": nsp, "batch": batch}
        models = [train_bert(new_bert(pieces, seed), rows, seed, **settings) for seed in range(n_seeds)]
        found[name] = [scores(model) for model in models]
        if nsp:
            follows = np.array([next_right(model, pairs["another topic"][2]) for model in models])
            learned = np.array([next_right_of(model, rows[:1_000]) for model in models])
    before = scores(new_bert(pieces, 0))

    def measured(task: str, baselines: dict[str, float], parts: dict[str, float | Measurement]) -> Measurement:
        scores = {name: np.array([one[task] for one in runs]) for name, runs in found.items()}
        return by_seed(
            scores["with"] - scores["without"],
            positive_control=by_seed(follows - 50),
            baselines=baselines | {f"{task}, untrained, in %": before[task]},
            parts=means(f"{task}, {{}}, in %", scores) | parts,
            data=f"the world, {steps:,} steps of {batch} pairs",
        )

    same = pairs["same topic"]
    other = measured("pairs, another topic", {}, {})
    return {
        "pairs": measured(
            "pairs, same topic",
            {"word overlap, in %": right(same, overlap)},
            {
                "negatives of another topic, with minus without": by_seed(other.values),
                **other.parts,
                "its own question in new pairs, another topic: right, in %": follows.mean(),
                "its own question in pairs that it has read: right, in %": learned.mean(),
            },
        ),
        "sentences": measured("sentences", {"bag of words, in %": right(texts, bag_of(texts[0]))}, {}),
        "tagging": measured("tagging", {"majority tag per word, in %": pos.majority}, {}),
    }


@lru_cache(maxsize=2)
def world_documents(n: int) -> tuple[tuple[tuple[tuple[str, ...], ...], str], ...]:
    """(sentences, topic) of documents; half are of the test split, as in `world_text`."""
    worlds = [World(TEXT_SEED, split=split).documents() for split in ("train", "test")]
    found = [document for world in worlds for document in islice(world, n // 2)]
    return tuple((tuple(s.words for s in document.sentences("en")), document.topic) for document in found)


def cut(records: list, n_train: int, n_test: int) -> tuple[list, list, list]:
    """Train, dev, test. No record is in two of them."""
    new = list(dict.fromkeys(records))
    return new[:n_train], new[n_train : n_train + n_test], new[n_train + n_test :]


@torch.no_grad()
def vectors(model: Bert, records: Sequence[SentencePair] | Sequence[LabelledText]) -> Float[np.ndarray, "record dim"]:
    """[CLS] and the mean of the words, from the top layer."""
    found = []
    for start in range(0, len(records), 64):
        part = records[start : start + 64]
        if isinstance(part[0], SentencePair):
            batch = model.batch([record.first for record in part], [record.second for record in part])
        else:
            batch = model.batch([record.text for record in part])
        states = model.states(batch)
        found.append(torch.cat([states.sentence, masked_mean(states.layers[-1], batch.mask)], -1).numpy())
    return np.concatenate(found)


def right(parts: Sequence[Sequence], features: Features) -> float:
    """A probe on any features, learned from the first part, in % of the last."""
    train, test = parts[0], parts[-1]
    guesses = probe(features(train), [record.label for record in train], features(test))
    return 100 * accuracy(guesses, [record.label for record in test])


@torch.no_grad()
def other_scores(model: Bert, pairs: Sequence[SentencePair]) -> Float[np.ndarray, " pair"]:
    """The network's own answer to "does it follow?": how much more it is for "no" than for "yes" (logits)."""
    batch = model.batch([pair.first for pair in pairs], [pair.second for pair in pairs])
    logits = model.nsp(model(batch.ids["pieces"], batch.ids["segments"], batch.ids["real"]).pooled)
    return (logits[:, 1] - logits[:, 0]).numpy()


def next_right(model: Bert, pairs: Sequence[SentencePair]) -> float:
    """Its answers that are right, in %."""
    return 100 * float(np.mean((other_scores(model, pairs) > 0) == [pair.label == "other" for pair in pairs]))


@torch.no_grad()
def next_right_of(model: Bert, rows: Sequence[Row]) -> float:
    """The same of rows of its training, in %."""
    right = []
    for batch in Asked(rows, model.pieces, shares=LEAKY, nsp=True)():  # nothing is hidden
        logits = model.nsp(model(batch.input_ids, batch.token_type_ids, batch.attention_mask).pooled)
        right += ((logits[:, 0] > logits[:, 1]) == batch.is_next).tolist()
    return 100 * float(np.mean(right))


def overlap(pairs: Sequence[SentencePair]) -> Float[np.ndarray, "pair 1"]:
    """How many words the two sentences share."""
    sides = [[set(Sentence.of(text).words) for text in (pair.first, pair.second)] for pair in pairs]
    return np.array([[len(first & second)] for first, second in sides], dtype=np.float32)


def bag_of(train: Sequence[LabelledText]) -> Features:
    """A function that counts the words of texts, those of `train`."""
    from sklearn.feature_extraction.text import CountVectorizer

    counter = CountVectorizer(analyzer=lambda record: Sentence.of(record.text).words, dtype=np.float32).fit(train)
    return lambda records: counter.transform(records).toarray()


OBJECTIVES = {
    "left-to-right": ("left-to-right", MASKED),
    "left-to-right, 15 % asked": ("left-to-right", Shares(predict=0.15)),
    "masked": ("masked", MASKED),
}


@claim(
    "C7.5",
    full={"points": (31, 62, 125, 250, 500, 1_000, 2_000), "n_test": 200, "batch": 64, "rates": (1e-3, 3e-3, 9e-3)},
)
def masked_converges_more_slowly(
    *,
    points: Sequence[int] = (25, 50, 100),
    n_test: int = 60,
    n_seeds: int = 5,
    batch: int = BATCH,
    rates: Sequence[float] = (RATE,),
) -> Measurement:
    """Doublings of the tokens until half of the untrained network's errors are gone, masked minus left-to-right, per
    seed.

    points  steps at which the probe is asked, each about twice the one before. A step reads as many tokens for all.
    rates   of which each objective has the one with the best mean on dev over the curve without its last point
    """
    pos = world_probe(n_test=n_test)
    before, sizes = pos.of(world_bert(0, steps=0)).score, [len(row.ids) for row in world_rows()]
    goal = (before + 100) / 2
    seen = [tokens(step, sizes, batch) for step in points]
    curves, chosen, doublings = {}, {}, {}
    for name in OBJECTIVES:
        make = partial(curve, name, pos=pos, batch=batch)
        chosen[name] = best_rate(rates, lambda rate, make=make: make(DEV_SEED, rate, points[:-1])[1].mean())
        curves[name] = np.stack([make(seed, chosen[name], points)[0] for seed in range(n_seeds)])  # [seed, point]
        doublings[name] = np.array([comes_to(goal, points, run, points[-1]) for run in curves[name]])
    both = "left-to-right", "masked"
    lead = curves["masked"] - curves["left-to-right"]
    ahead = [place for place in range(len(points)) if (lead.mean(0)[place:] > 0).all()]
    return by_seed(
        doublings["masked"] - doublings["left-to-right"],
        "doublings of the tokens",
        control=by_seed(doublings["masked"] - doublings["left-to-right, 15 % asked"], "doublings of the tokens"),
        baselines={"the same network untrained, in %": before},
        parts=means("{}, {:,} tokens: probe, in %", {name: found.T for name, found in curves.items()}, seen)
        | means("{}: learning rate", chosen)
        | {
            f"{name}: tokens until half of the errors are gone": tokens(2 ** doublings[name].mean(), sizes, batch)
            for name in OBJECTIVES
        }
        | {f"{name}: seeds that did not come so far": float((curves[name].max(1) < goal).sum()) for name in OBJECTIVES}
        | {
            "mean over the curve, left-to-right minus masked (the first rule's), in points": by_seed(
                (curves[both[0]] - curves[both[1]]).mean(1)
            ),
            "at the last point, masked minus left-to-right, in points": by_seed(lead[:, -1]),
            "masked is ahead from": f"{seen[ahead[0]]:,} tokens" if ahead else "no point of the curve",
        },
        data=f"sentences of the world, up to {points[-1]:,} steps of {batch} sentences",
    )


def tokens(steps: float, sizes: Sequence[int], batch: int = BATCH) -> int:
    """Pieces that `steps` steps read, to two digits."""
    n = steps * batch * float(np.mean(sizes))
    return int(float(f"{n:.2g}"))


def curve(
    name: str, seed: int, rate: float, points: Sequence[int], pos: PosProbe, batch: int = BATCH
) -> tuple[np.ndarray, np.ndarray]:
    """The probe's accuracy in % at each point, on test and on dev, in one training at a constant rate."""
    objective, shares = OBJECTIVES[name]
    model = new_bert(world_bert(0, steps=0).pieces, seed, objective=objective)
    found = []

    def ask(step: int) -> None:
        if step in points:
            found.append(pos.of(model))

    rows, last = world_rows(), max(points)
    settings = {"rate": rate, "schedule": rise, "watchers": [ask], "batch": batch}
    train_bert(model, rows, seed, steps=last, objective=objective, shares=shares, **settings)
    return np.array([one.score for one in found]), np.array([one.dev for one in found])


@claim("C7.6")
def what_both_sides_bring(*, two_way: str = "bert-en", one_way: str = "gpt-en") -> dict[str, Measurement]:
    """Right or wrong per occurrence, two-way minus one-way network, by the side on which the clue stands.

    An occurrence gets the sense with the nearest mean, in the top layer. The sentences come in pairs: what stands on
    the clueless side is the same for both senses. Parts: the two-way network again, given nothing after the word.
    """
    split, vectors = sense_split("clue side"), load("skipgram-en").word_vectors()
    nets = {name: load(name) for name in (two_way, one_way)}
    hits = {name: sense_hits(layer_rows(net, split)[-1], split) for name, net in nets.items()}
    cut_off = replace(
        split, **{part: [up_to_the_word(example) for example in getattr(split, part)] for part in ("train", "test")}
    )
    shown = hits | {f"{two_way}, cut off after the word": sense_hits(layer_rows(nets[two_way], cut_off)[-1], cut_off)}
    plain = {
        f"the {name}'s static vectors": sense_hits(window_rows(vectors, split, reach), split)
        for name, reach in (("mean of the window", 5), ("mean of the whole sentence", WHOLE))
    } | {f"{name}, untrained": sense_hits(layer_rows(untrained(net), split)[-1], split) for name, net in nets.items()}
    parts, baselines = (
        {
            f"{name}, clue {side}: senses, in %": score
            for name, one in found.items()
            for side, score in by_side(one, split).items()
        }
        for found in (shown, plain)
    )
    lead = 100 * (hits[two_way] - hits[one_way])
    left, right = (np.array([e.cue == side for e in split.test]) for side in ("left", "right"))
    words = [example.word for example in split.test if example.cue == "right"]  # the left ones, in the same order
    return {
        "clue on the right": Measurement(
            lead[right], "points", clusters=words, baselines=baselines, parts=parts, data=split.name
        ),
        "more than on the left": Measurement(lead[right] - lead[left], "points", clusters=words, data=split.name),
    }


def up_to_the_word(example: SenseExample) -> SenseExample:
    """The same occurrence with nothing after the word."""
    return replace(example, sentence=Sentence.of(example.sentence.words[: example.position + 1]))
