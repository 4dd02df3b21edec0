"""The claims of chapter 5: labels saved, fine-tuning the language model, the tricks, and what is forgotten."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float, Int

from course.lab.baselines import bag_of_words
from course.lab.controls import untrained
from course.lab.learning import comes_to
from course.lab.swapped import swapped_task
from course.lab.tasks import Task, target_texts
from course.lab.ulmfit_stages import (
    FROM_SCRATCH,
    Documents,
    Tricks,
    classifier,
    for_target,
    general_documents,
    general_lm,
    language_loss,
    percent_right,
    tuned,
)
from course.ledger import Measurement, by_seed, claim, means
from course_lib.data.records import LabelledText
from course_lib.models.awd_lstm import AWDLSTM

SCRATCH, PRE_TRAINED = "from scratch", "pre-trained"
BAG = "bag of words"
N_WORDS = 80  # the last ones of a text are read
OTHER_DRAWS = (100, 101)  # on which rates are chosen
WAYS = {"all at once": "at once", "gradual": "gradual"}  # of opening layers


@claim(
    "C5.1",
    full={
        "source": "trec6",
        "lm": "awd-lstm-en",
        "sizes": (250, 1_000, 4_000),
        "few": 500,
        "min_steps": 200,
        "max_steps": 600,
        "epochs": 8,
        "batch_size": 32,
        "first_seed": 10,
        "n_seeds": 10,
    },
)
def few_labels_do_the_work_of_many(
    *,
    source: str = "handmade",
    lm: AWDLSTM | str = "",
    sizes: Sequence[int] = (25, 50, 100, 200),
    few: int = 50,
    min_steps: int = 30,
    max_steps: int = 60,
    epochs: int = 2,
    batch_size: int = 16,
    first_seed: int = 0,
    n_seeds: int = 5,
) -> Measurement:
    """log2 of the labels from scratch that reach the score of `few` labels with pre-training, over `few`.

    Where the curve from scratch never reaches it, its largest size counts: the factor is then at least so large.
    """
    seeds = range(first_seed, first_seed + n_seeds)
    texts = target_texts(source, n_words=N_WORDS, n_train=max(sizes))
    start = for_target(general_lm(lm), texts.unlabelled)

    def scores(system: str, sizes: Sequence[int], seed: int) -> list[float]:
        """Both systems: same network, same draws, same steps: `epochs` over the labels within min_steps and max_steps.

        From scratch all layers learn at one constant rate.
        """
        model, tricks = (untrained(start, seed), FROM_SCRATCH) if system == SCRATCH else (start, Tricks())
        found = []
        for n in sizes:
            steps = min(max_steps, max(min_steps, epochs * math.ceil(n / batch_size)))
            settings = {"steps": steps, "seed": seed, "tricks": tricks, "batch_size": batch_size}
            trained = classifier(model, texts.draw(n, seed), texts.labels, **settings)
            found.append(percent_right(trained, texts.test))
        return found

    bag = [[bag_of_words(texts.draw(n, seed), texts.test) for seed in seeds] for n in sizes]
    scratch = np.array([scores(SCRATCH, sizes, seed) for seed in seeds])  # [seed, size]
    reached = [scores(PRE_TRAINED, (few,), seed)[0] for seed in seeds]
    needed = [comes_to(score, sizes, own, sizes[-1]) for own, score in zip(scratch, reached, strict=True)]
    capped = sum(own.max() < score for own, score in zip(scratch, reached, strict=True))
    return by_seed(
        np.array(needed) - math.log2(few),
        "doublings of the labels",
        positive_control=by_seed(scratch[:, -1] - texts.majority()),
        baselines=means("{}, {:,} labels: accuracy in %", {BAG: bag, SCRATCH: scratch.T}, sizes),
        parts={
            **means(f"{{}}, {few:,} labels: accuracy in %", {PRE_TRAINED: reached}),
            f"draws whose score {max(sizes):,} labels from scratch do not reach": float(capped),
        },
        data=f"{texts.name}; up to {max(sizes):,} labels",
        note=f"In {capped} of {n_seeds} draws the factor is at least the one counted." if capped else "",
    )


@claim(
    "C5.2",
    full={
        "source": "imdb",
        "general": "enwiki2015",
        "lm": "awd-lstm-en",
        "n_labels": 200,
        "lm_steps": 60,
        "steps": 60,
        "n_general": 60_000,
    },
)
def fine_tuning_the_lm_adds(
    *,
    source: str = "handmade",
    general: str = "world",
    lm: AWDLSTM | str = "",
    n_labels: int = 100,
    lm_steps: int = 40,
    steps: int = 40,
    n_general: int = 30_000,
    n_seeds: int = 5,
) -> Measurement:
    """One classifier on three language models: as it is, after steps on target text, after as many on general text.

    All three have the vocabulary of the target text. The language model is tuned anew with every seed.
    """
    texts = target_texts(source, n_words=N_WORDS)
    start = for_target(general_lm(lm), texts.unlabelled)
    other = general_documents(general, n_general)
    held_out = [record.text.split() for record in texts.dev]
    scores: dict[str, list[float]] = {"none": [], "target": [], "general": []}
    losses: dict[str, list[float]] = {"target": [], "general": []}
    for seed in range(n_seeds):
        models = {"none": start}
        for name, documents in (("target", texts.unlabelled), ("general", other)):
            models[name] = tuned(start, documents, steps=lm_steps, seed=seed)
            losses[name].append(language_loss(models[name], held_out))
        records = texts.draw(n_labels, seed)
        for name, model in models.items():
            trained = classifier(model, records, texts.labels, steps=steps, seed=seed)
            scores[name].append(percent_right(trained, texts.test))
    found = {name: np.array(values) for name, values in scores.items()}
    return by_seed(
        found["target"] - found["none"],
        control=by_seed(found["general"] - found["none"]),
        baselines={
            **_bag(texts, n_labels, n_seeds, texts.test),
            "no language-model fine-tuning: accuracy in %": found["none"].mean(),
        },
        parts={
            "target perplexity before": math.exp(language_loss(start, held_out)),
            "target perplexity after steps on target text": math.exp(np.mean(losses["target"])),
            "target perplexity after steps on general text": math.exp(np.mean(losses["general"])),
            "fine-tuned on target text: accuracy in %": found["target"].mean(),
            "fine-tuned on general text: accuracy in %": found["general"].mean(),
        },
        data=f"{texts.name}, {n_labels:,} labels, texts cut to their last {N_WORDS} words",
    )


@claim(
    "C5.3",
    full={
        "lm": "awd-lstm-en",
        "n_labels": 800,
        "steps": 200,
        "rates": (3e-4, 1e-3, 3e-3, 1e-2),
        "n_seeds": 8,
        "leave_out": 5,
    },
)
def tricks_beat_plain_fine_tuning(
    *,
    lm: AWDLSTM | str = "",
    n_labels: int = 100,
    steps: int = 48,
    rates: Sequence[float] = (3e-3, 1e-2),
    n_seeds: int = 5,
    leave_out: int = 0,
) -> Measurement:
    """All tricks minus none, each with the rate that is best on dev over two other draws.

    leave_out  show as parts, of so many seeds, what remains without each trick
    """
    texts = swapped_task()
    start = for_target(general_lm(lm), texts.unlabelled, min_count=1)

    def accuracies(
        tricks: Tricks, seeds: Sequence[int], part: str = "test", begin: Callable[[int], AWDLSTM] = lambda seed: start
    ) -> np.ndarray:
        """In %, by seed."""
        settings = {"steps": steps, "tricks": tricks}
        models = (classifier(begin(s), texts.draw(n_labels, s), texts.labels, seed=s, **settings) for s in seeds)
        return np.array([percent_right(trained, getattr(texts, part)) for trained in models])

    seeds, chosen = range(n_seeds), {}
    for name, make in (("all tricks", Tricks), ("no trick", Tricks.none)):
        chosen[name] = max(rates, key=lambda rate, make=make: accuracies(make(rate), OTHER_DRAWS, "dev").mean())
    whole, plain = Tricks(chosen["all tricks"]), Tricks.none(chosen["no trick"])
    scores = {"all tricks": accuracies(whole, seeds), "no trick": accuracies(plain, seeds)}
    parts: dict[str, float | Measurement] = {}
    for name, values in scores.items():
        parts |= {f"{name}: accuracy in %": values.mean(), f"{name}: best rate on dev": chosen[name]}
    for name, tricks in whole.without().items() if leave_out else ():  # another rate might suit these better
        lost = accuracies(tricks, seeds[:leave_out]) - scores["all tricks"][:leave_out]
        parts[f"without {name}: accuracy minus all tricks"] = by_seed(lost)
    few = seeds[:5]
    return by_seed(
        scores["all tricks"] - scores["no trick"],
        positive_control=by_seed(scores["no trick"] - texts.majority()),
        baselines={
            **_bag(texts, n_labels, n_seeds, texts.test),
            "from scratch, no trick: accuracy in %": accuracies(
                FROM_SCRATCH, few, begin=lambda seed: untrained(start, seed)
            ).mean(),
            "last layer only: accuracy in %": accuracies(replace(whole, opens="last layer"), few).mean(),
        },
        parts=parts,
        data=f"{texts.name}, {n_labels:,} labels, {steps} steps",
    )


@dataclass(frozen=True)
class Forgetting:
    """One fine-tuning, watched: at `steps`, accuracy on target texts in % and loss on general text in nats per word."""

    steps: Int[np.ndarray, " place"]
    accuracy: Float[np.ndarray, " place"]
    loss: Float[np.ndarray, " place"]

    def loss_at(self, wanted: float) -> float:
        """The loss where the accuracy first reaches `wanted` (it does), on the straight line between two places."""
        place = int(np.argmax(self.accuracy >= wanted))
        if place == 0:
            return float(self.loss[0])
        (low, high), (before, after) = self.accuracy[place - 1 : place + 1], self.loss[place - 1 : place + 1]
        return float(before + (after - before) * (wanted - low) / (high - low))


@claim(
    "C5.4",
    full={
        "general": "enwiki2015",
        "lm": "awd-lstm-en",
        "n_labels": 800,
        "steps": 200,
        "every": 25,
        "n_general": 2_000,
    },
)
def all_at_once_forgets(
    *,
    general: str = "world",
    lm: AWDLSTM | str = "",
    n_labels: int = 200,
    steps: int = 48,
    every: int = 4,
    n_general: int = 2_000,
    n_seeds: int = 5,
) -> Measurement:
    """General-text loss, all layers at once minus gradual, both where they first reach the accuracy that both reach.

    Both have discriminative rates, the slanted triangle, the same steps and the same labels. The vocabulary is that of
    the language model, so that its old head still fits.
    """
    texts = swapped_task()
    model = general_lm(lm)
    documents = general_documents(general, n_general)
    runs = {
        name: [
            forgetting(texts, model, documents, Tricks(1e-2, opens=opens), n_labels, steps, every, seed)
            for seed in range(n_seeds)
        ]
        for name, opens in {**WAYS, "last layer only": "last layer"}.items()
    }
    pairs = list(zip(runs["all at once"], runs["gradual"], strict=True))
    equal = [min(run.accuracy.max() for run in pair) for pair in pairs]
    losses = np.array([[run.loss_at(level) for run in pair] for pair, level in zip(pairs, equal, strict=True)])
    before, watched = language_loss(model, documents), {}
    for name in WAYS:
        largest = np.mean([run.accuracy.max() for run in runs[name]])
        watched[f"{name}, largest target accuracy in %"] = largest
        lost = np.mean([run.loss[-1] - before for run in runs[name]])
        watched[f"{name}, loss at the end, less the one before, in nats per word"] = lost
    for name in WAYS:
        over = np.mean([run.loss for run in runs[name]], axis=0)
        watched[f"{name}, loss over the steps {runs[name][0].steps.tolist()}"] = ", ".join(f"{x:.2f}" for x in over)
    return by_seed(
        losses[:, 0] - losses[:, 1],
        "nats per word",
        baselines={
            "the language model before fine-tuning: loss in nats per word": before,
            "last layer only: loss in nats per word": np.mean([run.loss[-1] for run in runs["last layer only"]]),
            "last layer only: accuracy in %": np.mean([run.accuracy.max() for run in runs["last layer only"]]),
            **_bag(texts, n_labels, n_seeds, texts.dev),
        },
        parts={"equal target accuracy, in %": np.mean(equal)} | watched,
        data=f"{texts.name}, {n_labels:,} labels; general text of {general}, {sum(map(len, documents)):,} words",
    )


def forgetting(
    texts: Task,
    lm: AWDLSTM,
    documents: Documents,
    tricks: Tricks,
    n_labels: int = 200,
    steps: int = 48,
    every: int = 4,
    seed: int = 0,
) -> Forgetting:
    """A fine-tuning watched at step 0 and at every `every`-th: dev accuracy, general loss with the old head."""
    found: list[tuple[int, float, float]] = []

    def watch(step: int, model) -> None:
        if step % every == 0 or step == steps:
            loss = language_loss(model.encoder, documents, head=lm)
            found.append((step, percent_right(model, texts.dev), loss))

    classifier(lm, texts.draw(n_labels, seed), texts.labels, steps=steps, tricks=tricks, seed=seed, watch=watch)
    gold = [record.label for record in texts.dev]
    chance = 100 * max(gold.count(label) / len(gold) for label in texts.labels)
    rows = np.array([(0, chance, language_loss(lm, documents)), *found])
    return Forgetting(rows[:, 0].astype(int), rows[:, 1], rows[:, 2])


def _bag(texts: Task, n_labels: int, n_seeds: int, test: Sequence[LabelledText]) -> dict[str, float]:
    """The baseline of every claim here: a bag of words, which learns from the same draws."""
    scores = [bag_of_words(texts.draw(n_labels, seed), test) for seed in range(n_seeds)]
    return means("{}, logistic regression: accuracy in %", {BAG: scores})
