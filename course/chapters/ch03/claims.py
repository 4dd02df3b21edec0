"""The claims of chapter 3: states of a language model, and of a translation encoder, as features of a tagger."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from random import Random

import numpy as np

from course.lab.controls import Text, shuffled_text, untrained, window_means
from course.lab.kept_states import KeptStates
from course.lab.learning import learn
from course.lab.linear_probe import probe
from course.lab.lm_taggers import TaggerBench, checkpoints, quality, rank_products, span_task
from course.lab.probes import SIDES, WAYS, accuracy_by_side, one_sided
from course.lab.tasks import Task, parts_of_speech
from course.lab.world_models import shipped_cove, train_bilm, world_bilm, world_cove, world_text
from course.ledger import Measurement, by_seed, claim, means
from course_lib.evaluation import accuracy
from course_lib.models.encoder import ContextEncoder
from course_lib.models.lstm_lm import BiLM
from course_lib.models.shipped import load
from course_lib.models.skip_gram import SkipGramConfig
from course_lib.models.skip_gram_trainer import train_skip_gram
from course_lib.models.word_vectors import WordVectors

SEEDS = 5
PROBED = 2_000  # labelled sentences that a probe learns from


@claim("C3.1", full={"source": "conll2000", "lm": "bilm-en", "n_labels": 500, "also": (100, 2_000)})
def lm_states_raise_f1(
    *, source: str = "world", lm: str = "", n_labels: int = 100, also: Sequence[int] = (), n_seeds: int = SEEDS
) -> Measurement:
    """TagLM with minus without a frozen LM's top states; the control reads the same LM untrained.

    lm    a checkpoint; "" trains one on the world
    also  other numbers of labelled sentences, whose scores are parts
    """
    model, fresh = (load(lm), untrained(load(lm))) if lm else (world_bilm(), world_bilm(steps=0))
    models = {"with language-model states": model, "without": None, "with an untrained one's": fresh}
    parts: dict[str, float | Measurement] = {}
    for n in sorted({n_labels, *also}):
        bench = TaggerBench(span_task(source), word_vectors(source), n_labels=n, steps=200)
        runs = {name: bench.scores(encoder, n_seeds) for name, encoder in models.items()}
        found = {name: run[:, 0] for name, run in runs.items()} | {"dictionary": np.array(bench.dictionary(n_seeds))}
        parts |= means(f"{n} sentences, {{}}: span F1 in %", found)
        if n == n_labels:
            judged, asked = found, runs
    for name, run in asked.items():
        parts[f"right tags of span words never seen in training, {name}, in %"] = float(run[:, 1].mean())
    none = judged["without"]
    return by_seed(
        judged["with language-model states"] - none,
        "F1 points",
        control=by_seed(judged["with an untrained one's"] - none, "F1 points"),
        baselines={
            "dictionary of training names: span F1 in %": judged["dictionary"].mean(),
            "static vectors with the same tagger: span F1 in %": none.mean(),
            "the same language model untrained: span F1 in %": judged["with an untrained one's"].mean(),
        },
        parts=parts,
        data=f"{bench.task.name}, {n_labels:,} labelled sentences",
    )


def word_vectors(source: str) -> WordVectors:
    """The taggers' initial word vectors: learned from the world's text without labels, or the shipped ones."""
    if source != "world":
        return load("skipgram-en").word_vectors()
    config = SkipGramConfig(dim=64, window=2, epochs=5, min_count=2)
    return train_skip_gram(unlabelled(source), config, seed=0, progress=False).word_vectors()


def unlabelled(source: str) -> Text:
    """Text of the task's domain: of the world, or all training sentences of a public task, without their labels."""
    if source == "world":
        return [list(words) for words in world_text(60_000)]
    return [list(record.sentence.words) for record in span_task(source).train]


@claim("C3.2", full={"source": "ud_english_ewt", "width": 128, "steps": 250})
def two_directions_beat_one(
    *, source: str = "world", width: int = 64, steps: int = 120, cue_steps: int = 120, n_seeds: int = SEEDS
) -> Measurement:
    """Both directions minus forward alone of the same width, each word tagged from its own vector and its top state.

    On the world the words to tag are ambiguous and a cue on one side tells their sense: the mean over English and
    Korean, left and right. With another source its parts of speech are judged, and the world's cues are parts.
    """
    by_side = accuracy_by_side(60_000, cue_steps, n_seeds)
    parts = {
        f"{language}, cue {side}, {ways}: sense accuracy in %": by_side[language, side, ways].mean()
        for language in ("en", "ko")
        for side in SIDES
        for ways in WAYS
    }
    if source == "world":
        judged = {ways: one_sided(by_side, ways) for ways in WAYS}
        # a word's own vector is the same everywhere: its senses tie (claim C1.4)
        baselines = {"static vectors, words of two senses, in %": 50.0}
        data = "ambiguous words of the world, English and Korean, cue left or right"
    else:
        task = parts_of_speech(source)
        judged = {ways: _probed(task, ways, steps, width, n_seeds) for ways in WAYS}
        baselines, data = {"each word's commonest tag, in %": task.baseline(task.train[:PROBED])}, task.name
    return by_seed(
        judged["both"] - judged["forward"],
        positive_control=by_seed(judged["both"] - max(baselines.values())),
        baselines=baselines | {"forward alone at equal total width, in %": judged["forward"].mean()},
        parts=parts,
        data=data,
    )


def _probed(task: Task, ways: str, steps: int, width: int, n_seeds: int) -> np.ndarray:
    """Accuracy in %, by seed, of a linear probe on [word vector; top state] of a language model of the task's text."""
    text = [list(record.sentence.words) for record in task.train]
    parts = (task.train[:PROBED], task.test)
    tags, gold = ([tag for record in part for tag in record.tags[task.tags]] for part in parts)
    found = []
    for seed in range(n_seeds):
        model = train_bilm(text, seed, steps=steps, directions=ways, width=width, min_count=2)
        states = KeptStates(model, beside=(0, -1), spread=([record.sentence for record in parts[0]], None))
        rows, asked = (np.concatenate(states.encode([r.sentence for r in part], layer=-1)) for part in parts)
        found.append(100 * accuracy(probe(rows, tags, asked), gold))
    return np.array(found)


@claim("C3.3", full={"source": "conll2000", "marks": (20, 60, 150, 300, 600), "width": 64, "n_labels": 200})
def better_lm_helps_more(
    *,
    source: str = "world",
    marks: Sequence[int] = (5, 15, 30, 60, 120),
    width: int = 64,
    n_labels: int = 100,
    steps: int = 100,
    n_seeds: int = 8,
) -> Measurement:
    """Within each tagger seed: rank correlation of F1 with minus log perplexity of the task's test sentences.

    marks  a checkpoint is taken after so many steps on the task's text without labels
    """
    bench = TaggerBench(span_task(source), word_vectors(source), n_labels=n_labels, steps=steps)
    asked = [list(record.sentence.words) for record in bench.task.test]

    def measure(models: Sequence[BiLM]) -> tuple[Measurement, np.ndarray, list[float]]:
        scores = np.array([bench.scores(model, n_seeds)[:, 0] for model in models])  # [model, seed]
        qualities = [quality(model, asked) for model in models]
        products = rank_products(scores, qualities)
        return Measurement(products.ravel(), "rho", np.repeat(range(n_seeds), len(models))), scores, qualities

    text = unlabelled(source)
    real, scores, qualities = measure(checkpoints(text, marks, width))
    parts = {}
    for mark, row, good in zip(marks, scores, qualities, strict=True):
        parts[f"after {mark:,} steps: perplexity"] = math.exp(-good)
        parts[f"after {mark:,} steps: span F1 in %"] = row.mean()
    return replace(
        real,
        control=measure(checkpoints(shuffled_text(text, 0), marks, width))[0],
        baselines={"tagger without language-model states: span F1 in %": bench.scores(None, n_seeds)[:, 0].mean()},
        parts=parts,
        data=f"{bench.task.name}, {n_labels:,} labelled sentences",
    )


@claim("C3.4", full={"source": "conll2000", "n_labels": 200, "lm_steps": 300, "width": 64})
def source_or_size(
    *, source: str = "world", n_labels: int = 100, lm_steps: int = 120, width: int = 64, n_seeds: int = SEEDS
) -> dict[str, Measurement]:
    """Taggers whose LM read their own sentences, as many others, or 20 times as many others, all of one domain.

    lm_steps  of each LM at most; a text is read 20 times at most, since a small one is soon known by heart
    """
    bench = TaggerBench(span_task(source), word_vectors(source), n_labels=n_labels, steps=200)
    cells: dict[str, list[float]] = {"none": [], "own-small": [], "other-small": [], "other-20x": []}
    for seed in range(n_seeds):
        order = Random(seed).sample(list(bench.task.train), 22 * n_labels)
        own, small, large = order[:n_labels], order[n_labels : 2 * n_labels], order[2 * n_labels :]
        task = replace(bench.task, train=own)
        cells["none"].append(bench.score(None, task, seed)[0])
        for name, records in (("own-small", own), ("other-small", small), ("other-20x", large)):
            text = [list(record.sentence.words) for record in records]
            limit = 20 * sum(map(len, text)) // (16 * 24)
            model = train_bilm(text, seed, steps=min(lm_steps, limit), characters=True, width=width)
            cells[name].append(bench.score(KeptStates(model), task, seed)[0])
    none = cells.pop("none")
    against = by_seed(np.subtract(cells["own-small"], none), "F1 points")
    parts = means("{}: span F1 in %", cells) | {"language model of the tagger's sentences against none": against}
    data = f"{bench.task.name}, {n_labels:,} labelled sentences"
    source_gap, size_gap = (np.subtract(cells[name], cells["other-small"]) for name in ("own-small", "other-20x"))
    return {
        "source": by_seed(
            source_gap,
            "F1 points",
            baselines={"tagger without language-model states: span F1 in %": np.mean(none)},
            parts=parts,
            data=data,
        ),
        "size": by_seed(size_gap, "F1 points", data=data),
    }


@claim(
    "C3.5",
    full={"source": "ud_english_ewt", "cove": "cove-en", "lm": "bilm-en", "n_labels": 1_000, "n_words": 30_637_395},
)
def translation_adds_to_static_vectors(
    *, source: str = "world", cove: str = "", lm: str = "", n_words: int = 0, n_labels: int = 40, n_seeds: int = SEEDS
) -> Measurement:
    """Parts of speech by one biLSTM tagger over [static; CoVe] minus the same over [static; untrained CoVe].

    cove, lm  checkpoints; "" trains both on the world
    n_words   of Wikipedia that the static vectors of CoVe's width learn from, as those that a shipped CoVe reads
    """
    translator, static = shipped_cove(cove, "enwiki2015", n_words) if cove else world_cove()
    language_model = load(lm) if lm else world_bilm()
    task = parts_of_speech(source)

    def scores(encoder: ContextEncoder, **settings) -> np.ndarray:
        states = KeptStates(encoder, spread=([record.sentence for record in task.train[:400]], None), **settings)

        def score(seed: int) -> float:
            head = learn(lambda: task.head(states, body="bilstm", hidden=32), task.sample(n_labels, seed), seed)
            return task.score(head)

        return np.array([score(seed) for seed in range(n_seeds)])

    found = {
        "static beside CoVe": scores(translator, beside=(0, -1)),
        "static beside the same encoder untrained": scores(untrained(translator), beside=(0, -1)),
        "CoVe alone": scores(translator),
        "static vectors of CoVe's width and text": scores(static),
        "mean of the window's static vectors": scores(static, change=window_means),
        "static beside language-model states": scores(language_model, beside=(0, -1)),
    }
    shown = means("{}, in %", found)
    gain = found["static beside CoVe"] - found["static beside the same encoder untrained"]
    return by_seed(
        gain,
        baselines=dict(list(shown.items())[1:]),
        parts={"static beside CoVe, in %": shown["static beside CoVe, in %"]},
        data=f"{task.name}, parts of speech, {n_labels:,} labelled sentences",
    )
