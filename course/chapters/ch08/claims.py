"""The claims of chapter 8: sizes of heads; pre-trained against from scratch; fine-tuned against frozen; one recipe."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from time import process_time

import numpy as np
import torch
from torch import nn

from course.lab.controls import opened, untrained
from course.lab.kept_states import KeptStates
from course.lab.learning import DEV_SEED, Recipe, fine_tune, learn
from course.lab.tasks import Task, four_tasks, names, parts_of_speech
from course.ledger import Exact, Measurement, by_seed, claim
from course.records.curve_tasks import MOST_LABELS, korean_names, tagged
from course_lib.models.bert import Bert, BertConfig
from course_lib.models.encoder import ContextEncoder
from course_lib.models.head_base import seeded
from course_lib.models.heads import PairClassifier, SequenceClassifier, SpanExtractor, TokenTagger
from course_lib.text.word_pieces import SPECIALS, WordPieces

TWO = ("no", "yes")
BIO = ("O", *(f"{place}-{kind}" for kind in ("PER", "LOC", "ORG", "MISC") for place in "BI"))  # CoNLL-2003's labels
HEAD, POOLER = 2 * 768 + 2, 768 * 768 + 768  # K H + K: a weight per label and number, a bias per label; H H + H
PRE_TRAINED, SCRATCH = "pre-trained", "from scratch"
N_JOINED = 4  # layers side by side


@claim("C8.1")
def a_head_is_tiny() -> Exact:
    """BERT base is built without its numbers (on PyTorch's device "meta") and counted, and with it each head.

    The other side: a network of another width, with numbers, and another number of labels follows the formula, too.
    """
    bert, n_labels, width = paper_bert(), 3, 60
    heads = {
        "sentence, 2 labels": SequenceClassifier(bert, TWO),
        "pair, 2 labels": PairClassifier(bert, TWO),
        f"tokens, {len(BIO)} labels": TokenTagger(bert, BIO),
        "span, start and end": SpanExtractor(bert),
    }
    sizes = {name: counted(head) - counted(bert) for name, head in heads.items()}
    head, pooler = sizes["sentence, 2 labels"], counted(bert.pooler)

    small = Bert(
        BertConfig(vocab_size=31, d_model=width, n_heads=3, n_layers=1, d_ff=17, max_units=11), WordPieces(SPECIALS)
    )
    own = counted(SequenceClassifier(small, [str(label) for label in range(n_labels)])) - counted(small)
    follows = own == n_labels * width + n_labels and counted(small.pooler) == width * width + width
    return Exact(
        float(max(abs(head - HEAD), abs(pooler - POOLER))),
        "difference in parameters",
        holds=follows and own != head,
        detail=f"{head:,} and {pooler:,}; with {n_labels} labels at width {width} {own:,}, as K H + K says",
        parts={
            "share of all parameters, head for two classes, in %": 100 * head / (head + counted(bert)),
            "share of all parameters, pooler, in %": 100 * pooler / counted(bert),
            "all parameters of the network": float(counted(bert)),
        }
        | {f"parameters of each of the four heads, {name}": float(size) for name, size in sizes.items()},
        data="BERT base, uncased",
    )


def counted(module: nn.Module) -> int:
    """Trainable numbers, a shared one once."""
    return sum(parameter.numel() for parameter in module.parameters())


def paper_bert() -> Bert:
    """BERT base with shapes and without numbers: nothing is allocated, nothing can be computed."""
    with torch.device("meta"):
        return Bert(BertConfig.paper(), WordPieces(SPECIALS))


# Tasks in which each word has a label, and each task's network. From scratch it learns something in all of them from a
# few hundred labelled sentences (label curves in 8.9), so that there is something to compare with.
NETWORKS = {"chunks": "bert-en", "tags": "bert-en", "Korean names": "bert-ko"}
FRESH = 10  # the first seed: the label curves have 0 to 2


@lru_cache(maxsize=len(NETWORKS))
def word_task(name: str, source: str, n_dev: int, n_test: int) -> tuple[Task, Bert]:
    """A task of NETWORKS and its pre-trained network. source: "public"; in "handmade" names stand for the chunks."""
    model = opened(NETWORKS[name])
    if source == "handmade":
        task = {"chunks": names, "tags": parts_of_speech, "Korean names": partial(names, language="ko")}[name]()
        return task.fitting(model).limited(n_dev=n_dev, n_test=n_test), model
    public = {"chunks": ("conll2000", "tokens", "chunk"), "tags": ("ud_english_ewt", "words", "upos")}
    task = tagged(*public[name]) if name in public else korean_names()
    task = task.fitting(model).limited(n_train=MOST_LABELS, n_test=n_test)  # in an order of their own
    return replace(task, train=task.train[n_dev:], dev=task.train[:n_dev]), model


@lru_cache(maxsize=1_000)
def tuned_score(
    name: str, source: str, n_dev: int, n_test: int, *, scratch: bool, n_labels: int, seed: int, recipe: Recipe
) -> tuple[float, float]:
    """Score in % on test of the network fine-tuned under a linear head, pre-trained or from scratch; CPU seconds."""
    task, model = word_task(name, source, n_dev, n_test)
    before = process_time()
    head = fine_tune(task, untrained(model, seed) if scratch else model, n_labels, seed, recipe)
    seconds = process_time() - before
    return task.score(head), seconds


TUNED = {
    "source": "public",
    "n_labels": 300,
    "recipe": Recipe(5e-4, min_steps=150, max_steps=150),  # rate and batch are those of the label curves
    "n_dev": 200,
    "n_test": 400,
}
QUICK = Recipe(min_steps=8, max_steps=14, batch_size=8)


@claim("C8.2", full=TUNED)
def pre_trained_beats_scratch(
    *,
    source: str = "handmade",
    n_labels: int = 64,
    recipe: Recipe = QUICK,
    n_dev: int = 30,
    n_test: int = 40,
    n_seeds: int = 5,
) -> dict[str, Measurement]:
    """Score with `n_labels` labelled sentences, pre-trained minus from scratch, by seed.

    A seed draws labels, head and, from scratch, the whole network. Everything moves, by one recipe for both.
    """
    measured = {}
    for name in NETWORKS:
        task, _ = word_task(name, source, n_dev, n_test)
        settings = {"n_labels": n_labels, "recipe": recipe}
        scores = {
            system: np.array(
                [
                    tuned_score(name, source, n_dev, n_test, scratch=system == SCRATCH, seed=seed, **settings)[0]
                    for seed in range(FRESH, FRESH + n_seeds)
                ]
            )
            for system in (PRE_TRAINED, SCRATCH)
        }
        alone = [task.baseline(task.draw(n_labels, seed)) for seed in range(FRESH, FRESH + n_seeds)]
        measured[name] = by_seed(
            scores[PRE_TRAINED] - scores[SCRATCH],
            baselines={
                f"majority ({name}): {task.unit}": task.majority(),
                f"{task.baseline_name} ({name}): {task.unit}": np.mean(alone),
                f"{SCRATCH} ({name}): {task.unit}": scores[SCRATCH].mean(),
            },
            parts={
                f"{PRE_TRAINED} ({name}): {task.unit}": scores[PRE_TRAINED].mean(),
                f"{SCRATCH} minus the majority ({name})": by_seed(scores[SCRATCH] - task.majority()),
                f"{PRE_TRAINED} minus its baseline ({name})": by_seed(scores[PRE_TRAINED] - alone),
            },
            data=f"{task.name}, {n_labels:,} labelled sentences, {recipe.steps(n_labels):,} steps",
        )
    return measured


@claim(
    "C8.4",
    full={
        "source": "public",
        "n_labels": 800,
        "recipe": Recipe(min_steps=50, max_steps=80),
        "n_dev": 150,
        "n_test": 400,
        "n_spans": 200,
    },
)
def one_recipe_serves_four_tasks(
    *,
    encoder: ContextEncoder | str = "bert-en",
    source: str = "handmade",
    n_labels: int = 64,
    rates: Sequence[float] = (1e-4, 3e-4, 1e-3),
    recipe: Recipe = Recipe(min_steps=8, max_steps=14, batch_size=8),  # noqa: B008 (frozen)
    n_dev: int = 30,
    n_test: int = 40,
    n_spans: int = 30,
    n_seeds: int = 5,
) -> Measurement:
    """What the one recipe costs, by seed: best settings per task minus the one recipe, mean of the four tasks.

    The one recipe has the rate with the best mean of the four scores on dev; a task's best settings have the rate that
    is best for it alone (its cost is 0 where that is the same). Head, optimizer, schedule, batch size and epochs are
    the same for all.
    n_test, n_spans  test records; fewer spans, for they are read beside whole sentences
    """
    model = opened(encoder)
    tasks = {
        kind: task.fitting(model).limited(n_test=n_spans if kind == "span" else n_test)
        for kind, task in four_tasks(source, n_dev=n_dev, n_test=n_test).items()
    }
    on_dev = {
        kind: {rate: task.score(fine_tune(task, model, n_labels, DEV_SEED, recipe.at(rate)), "dev") for rate in rates}
        for kind, task in tasks.items()
    }
    shared = best_for_all(on_dev)

    def scores(task: Task, rate: float) -> np.ndarray:
        """[seed], in %."""
        trained = (fine_tune(task, model, n_labels, seed, recipe.at(rate)) for seed in range(n_seeds))
        return np.array([task.score(head) for head in trained])

    costs, baselines, parts = [], {}, {}
    for kind, task in tasks.items():
        alone = np.array([task.baseline(task.draw(n_labels, seed)) for seed in range(n_seeds)])
        one = scores(task, shared)
        own = max(on_dev[kind], key=on_dev[kind].get)
        best = one if own == shared else scores(task, own)
        costs.append(best - one)
        baselines[f"{task.baseline_name} ({kind}): {task.unit}"] = alone.mean()
        parts |= {
            f"the one recipe ({kind}), rate {shared:g}: {task.unit}": one.mean(),
            f"best settings per task ({kind}), rate {own:g}: {task.unit}": best.mean(),
            f"the one recipe minus its baseline ({kind})": by_seed(one - alone),
        }
    data = "; ".join(task.name for task in tasks.values()) + f"; {n_labels:,} labels each"
    return by_seed(np.mean(costs, axis=0), baselines=baselines, parts=parts, data=data)


def best_for_all(on_dev: Mapping[str, Mapping[float, float]]) -> float:
    """The rate with the highest mean score over the tasks; of equal ones the first. on_dev: {task: {rate: score}}."""
    rates = list(next(iter(on_dev.values())))
    return max(rates, key=lambda rate: np.mean([scores[rate] for scores in on_dev.values()]))


@dataclass(frozen=True)
class Scored:
    """Scores in % by seed; the chosen rate and its score on dev; CPU seconds of one training (median), states that are
    kept not counted."""

    scores: np.ndarray
    rate: float
    dev: float
    seconds: float


@claim(
    "C8.3",
    full=TUNED | {"frozen_rates": (3e-3, 1e-2), "frozen_recipe": Recipe(min_steps=300, max_steps=300), "hidden": 64},
)
def fine_tuning_beats_frozen(
    *,
    source: str = "handmade",
    n_labels: int = 64,
    recipe: Recipe = QUICK,
    frozen_rates: Sequence[float] = (1e-2,),
    frozen_recipe: Recipe = Recipe(min_steps=30, max_steps=30),  # noqa: B008 (frozen)
    hidden: int = 32,
    n_dev: int = 30,
    n_test: int = 40,
    n_seeds: int = 5,
) -> dict[str, Measurement]:
    """Score by seed: fine-tuned with a linear head minus frozen with the same head on the layer that is best on dev.

    A frozen network says the same in each epoch, so its states are kept. Same labels and seeds. The frozen one has the
    best of its rates on dev, and more steps: a step is cheap.
    hidden  of a larger head for the frozen network, which is shown and not judged: a two-layer LSTM on joined layers
            (Devlin et al. 2019, arXiv:1810.04805, section 5.3 and table 7)
    """
    measured, seeds = {}, range(FRESH, FRESH + n_seeds)
    for name in ("chunks", "tags"):
        task, model = word_task(name, source, n_dev, n_test)
        settings = {"n_labels": n_labels, "recipe": recipe}
        fine, scratch = (
            np.array([tuned_score(name, source, n_dev, n_test, scratch=s, seed=n, **settings) for n in seeds]).T
            for s in (False, True)
        )
        layers = [KeptStates(model, layer) for layer in range(len(model.dims))]
        joined = KeptStates(model, beside=range(len(layers))[-N_JOINED:])

        def on(make_head: Callable[..., TokenTagger], *, of: Sequence[int] = seeds, task: Task = task) -> Scored:
            def trained(seed: int, rate: float) -> TokenTagger:
                return learn(partial(make_head, seed=seed), task.draw(n_labels, seed), seed, frozen_recipe.at(rate))

            return scored(task, trained, frozen_rates, of)

        on_dev = [on(partial(task.head, kept), of=()).dev for kept in layers]
        best = int(np.argmax(on_dev))
        linear = on(partial(task.head, layers[best]))
        top = linear if best == len(layers) - 1 else on(partial(task.head, layers[-1]))
        large = on(partial(two_layer_tagger, joined, task, hidden))
        drawn = [task.draw(n_labels, n) for n in seeds]
        measured[name] = by_seed(
            fine[0] - linear.scores,
            baselines={
                f"{task.baseline_name} ({name}): {task.unit}": np.mean([task.baseline(records) for records in drawn]),
                f"frozen with a linear head on its best layer ({name}): {task.unit}": linear.scores.mean(),
                f"{SCRATCH} ({name}): {task.unit}": scratch[0].mean(),
            },
            parts={
                f"fine-tuned with a linear head ({name}): {task.unit}": fine[0].mean(),
                f"frozen with a linear head on its top layer ({name}): {task.unit}": top.scores.mean(),
                f"frozen with a 2-layer biLSTM head on {N_JOINED} layers ({name}): {task.unit}": large.scores.mean(),
                f"fine-tuned with a linear head minus frozen with the biLSTM head ({name})": by_seed(
                    fine[0] - large.scores
                ),
            }
            | {
                f"each single layer frozen, {layer}, linear head, on dev ({name}): {task.unit}": score
                for layer, score in zip(model.layer_names, on_dev, strict=True)
            }
            | {
                f"CPU seconds of one training, fine-tuned ({name})": float(np.median(fine[1])),
                f"CPU seconds of one training, frozen with a linear head ({name})": linear.seconds,
                f"CPU seconds of one training, frozen with the biLSTM head ({name})": large.seconds,
            },
            data=f"{task.name}, {n_labels:,} labelled sentences",
        )
    return measured


def scored(
    task: Task, trained: Callable[[int, float], TokenTagger], rates: Sequence[float], seeds: Sequence[int]
) -> Scored:
    """trained: (seed, rate) -> tagger. The rate is the best on dev, with a seed that is not measured."""
    on_dev = {rate: task.score(trained(DEV_SEED, rate), "dev") for rate in rates}
    rate = max(on_dev, key=on_dev.get)
    scores, seconds = [], []
    for seed in seeds:
        before = process_time()
        head = trained(seed, rate)
        seconds.append(process_time() - before)
        scores.append(task.score(head))
    # the median: kept states that are met for the first time are read during one of these trainings
    return Scored(np.array(scores), rate, on_dev[rate], float(np.median(seconds or [0.0])))


def two_layer_tagger(states: ContextEncoder, task: Task, hidden: int, seed: int) -> TokenTagger:
    """A tagger with two layers of bidirectional LSTM between states and labels, where heads have one."""
    head = task.head(states, seed, body="bilstm", hidden=hidden)
    with seeded(seed):
        head.lstm = nn.LSTM(
            states.dims[-1], hidden, num_layers=2, dropout=0.1, batch_first=True, bidirectional=True
        ).to(states.device)
    return head
