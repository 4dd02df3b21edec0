"""The claims of chapter 8: sizes of heads; pre-trained against from scratch; fine-tuned against frozen; one recipe."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from time import process_time

import numpy as np
import torch
from jaxtyping import Float
from torch import nn

from course.lab.controls import opened, untrained
from course.lab.kept_states import KeptStates
from course.lab.learning import DEV_SEED, Recipe, best_rate, fine_tune, learn
from course.lab.tasks import Task, four_tasks, names
from course.ledger import Exact, Measurement, by_seed, claim, means
from course_lib.errors import CourseError
from course_lib.models.bert import Bert, BertConfig
from course_lib.models.encoder import ContextEncoder
from course_lib.models.head_base import seeded
from course_lib.models.heads import PairClassifier, SequenceClassifier, SpanExtractor, TokenTagger
from course_lib.text.word_pieces import SPECIALS, WordPieces

TWO = ("no", "yes")
BIO = ("O", *(f"{place}-{kind}" for kind in ("PER", "LOC", "ORG", "MISC") for place in "BI"))  # CoNLL-2003's labels
HEAD, POOLER = 2 * 768 + 2, 768 * 768 + 768  # K H + K: a weight per label and number, a bias per label; H H + H
PRE_TRAINED, SCRATCH, STATIC = "pre-trained", "from scratch", "static vectors"
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


@claim(
    "C8.2",
    full={
        "source": "public",
        "sizes": (200, 800),  # from fewer names no tagger learns anything, which leaves nothing to compare
        "rates": (3e-4, 1e-3),
        "static_rates": (1e-2, 1e-1),
        "recipe": Recipe(min_steps=60, max_steps=80),
        "static_recipe": Recipe(min_steps=200, max_steps=200),
        "n_dev": 100,
        "n_test": 300,
        "n_spans": 150,
    },
)
def pre_trained_beats_scratch(
    *,
    encoder: ContextEncoder | str = "bert-en",
    static: ContextEncoder | str = "skipgram-en",
    source: str = "handmade",
    sizes: Sequence[int] = (16, 64),
    rates: Sequence[float] = (1e-3,),
    static_rates: Sequence[float] = (3e-2,),
    recipe: Recipe = Recipe(min_steps=8, max_steps=14, batch_size=8),  # noqa: B008 (frozen)
    static_recipe: Recipe = Recipe(min_steps=100, max_steps=100),  # noqa: B008
    n_dev: int = 30,
    n_test: int = 40,
    n_spans: int = 30,
    n_seeds: int = 5,
) -> dict[str, Measurement]:
    """Area under the curve of each task, pre-trained minus from scratch, by seed.

    A seed draws labels, head and, from scratch, the whole network. Each system has the best of `rates`, chosen on
    dev with the most labels. Static vectors stay frozen below the same head, take more (and cheaper) steps, and are
    scored with the most labels only.
    n_test, n_spans  test records; fewer spans, for they are read beside whole sentences
    """
    model, table = opened(encoder), opened(static)
    measured = {}
    for kind, whole in four_tasks(source, n_dev=n_dev, n_test=n_test).items():
        task = whole.fitting(model).limited(n_test=n_spans if kind == "span" else n_test)
        curves, chosen = {}, {}
        for system in (PRE_TRAINED, SCRATCH):
            curves[system], chosen[system] = curve(task, model, system, sizes, rates, recipe, n_seeds)
        curves[STATIC], _ = curve(task, table, STATIC, sizes[-1:], static_rates, static_recipe, n_seeds)
        measured[kind] = _measured(task, sizes, curves, chosen)
    return measured


def curve(
    task: Task,
    encoder: ContextEncoder,
    system: str,
    sizes: Sequence[int],
    rates: Sequence[float],
    recipe: Recipe,
    n_seeds: int,
) -> tuple[Float[np.ndarray, "size seed"], float]:
    """Test scores in %, and the rate of all these trainings: the best on dev with the most labels."""
    frozen = system == STATIC

    def start(seed: int) -> ContextEncoder:
        return untrained(encoder, seed) if system == SCRATCH else encoder

    def score(n_labels: int, seed: int, rate: float, part: str = "test") -> float:
        return task.score(fine_tune(task, start(seed), n_labels, seed, recipe.at(rate), frozen=frozen), part)

    rate = best_rate(rates, lambda rate: score(sizes[-1], DEV_SEED, rate, "dev"))
    return np.array([[score(n_labels, seed, rate) for seed in range(n_seeds)] for n_labels in sizes]), rate


def area(sizes: Sequence[int], scores: Float[np.ndarray, "size seed"]) -> Float[np.ndarray, " seed"]:
    """Area under the curve of scores over log2 of the labels, divided by its width: the mean score per doubling.

    Between two sizes the score grows evenly with the logarithm. Raises CourseError unless at least two sizes rise.
    """
    if len(sizes) < 2 or any(b <= a for a, b in pairwise(sizes)):
        raise CourseError(f"A learning curve needs at least two rising numbers of labels, not {list(sizes)}.")
    places = np.log2(np.asarray(sizes, dtype=np.float64))
    return np.trapezoid(scores, places, axis=0) / (places[-1] - places[0])


def _measured(task: Task, sizes: Sequence[int], curves: dict[str, np.ndarray], rates: dict[str, float]) -> Measurement:
    unit, kind, most, majority = task.unit, task.kind, sizes[-1], task.majority()
    drawn = [task.draw(most, seed) for seed in range(curves[PRE_TRAINED].shape[1])]
    return by_seed(
        area(sizes, curves[PRE_TRAINED]) - area(sizes, curves[SCRATCH]),
        positive_control=by_seed(curves[SCRATCH][-1] - majority),
        baselines={
            f"majority ({kind}): {unit}": majority,
            f"{task.baseline_name} ({kind}), {most:,} labels: {unit}": np.mean(list(map(task.baseline, drawn))),
            f"{STATIC} ({kind}), {most:,} labels: {unit}": curves[STATIC].mean(),
            f"{SCRATCH} ({kind}), {most:,} labels: {unit}": curves[SCRATCH][-1].mean(),
        },
        parts=means(
            f"the learning curves ({kind}): {{}}, {{:,}} labels: {unit}",
            {system: curves[system] for system in (PRE_TRAINED, SCRATCH)},
            sizes,
        )
        | means(f"learning rate ({kind}), {{}}", rates),
        data=f"{task.name}, {sizes[0]:,} to {most:,} labels",
    )


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
    """Span F1 in % by seed; the chosen rate; CPU seconds of one training (median), states that are kept not counted."""

    f1: np.ndarray
    rate: float
    seconds: float


@claim(
    "C8.3",
    full={
        "source": "public",
        "n_labels": 800,
        "rates": (3e-4, 1e-3),
        "frozen_rates": (3e-3, 1e-2),
        "recipe": Recipe(min_steps=50, max_steps=100),
        "frozen_recipe": Recipe(epochs=8, min_steps=200, max_steps=400),
        "hidden": 64,
        "n_dev": 200,
        "n_test": 400,
        "n_layer_seeds": 5,
    },
)
def fine_tuning_beats_frozen(
    *,
    encoder: ContextEncoder | str = "bert-en",
    source: str = "handmade",
    n_labels: int = 100,
    rates: Sequence[float] = (1e-3,),
    frozen_rates: Sequence[float] = (1e-2,),
    recipe: Recipe = Recipe(min_steps=20, max_steps=30),  # noqa: B008 (frozen)
    frozen_recipe: Recipe = Recipe(min_steps=200, max_steps=200),  # noqa: B008
    hidden: int = 32,
    n_dev: int = 40,
    n_test: int = 80,
    n_seeds: int = 5,
    n_layer_seeds: int = 2,
) -> Measurement:
    """Span F1 by seed: fine-tuned with a linear head minus frozen with the two-layer LSTM on joined layers.

    Devlin et al. 2019, arXiv:1810.04805, section 5.3 and table 7. A frozen network says the same in each epoch, so its
    states are kept.
    Same labels and seeds. Each system has the best of its rates on dev; heads on kept states take more steps:
    a step is cheap, and an LSTM that begins from nothing finds no name in the first hundred.
    n_layer_seeds  seeds of each single layer, which is shown and not judged
    """
    model = opened(encoder)
    task = names(source).limited(n_dev=n_dev, n_test=n_test).fitting(model)
    labels = task.labels

    def tuned(seed: int, rate: float, start: ContextEncoder = model) -> TokenTagger:
        return fine_tune(task, start, n_labels, seed, recipe.at(rate))

    def on(states: ContextEncoder, linear: bool = False) -> Callable[[int, float], TokenTagger]:
        def trained(seed: int, rate: float) -> TokenTagger:
            def make_head() -> TokenTagger:
                return task.head(states, seed) if linear else two_layer_tagger(states, labels, hidden, seed)

            return learn(make_head, task.draw(n_labels, seed), seed, frozen_recipe.at(rate))

        return trained

    layers = [KeptStates(model, layer) for layer in range(len(model.dims))]
    fine = scored(task, tuned, rates, n_seeds)
    frozen = scored(task, on(KeptStates(model, beside=range(len(layers))[-N_JOINED:])), frozen_rates, n_seeds)
    linear = scored(task, on(layers[-1], linear=True), frozen_rates, n_seeds)
    single = {
        name: scored(task, on(kept), frozen_rates, n_layer_seeds).f1
        for name, kept in zip(model.layer_names, layers, strict=True)
    }
    scratch = scored(task, lambda seed, rate: tuned(seed, rate, untrained(model, seed)), rates, n_seeds)
    before = process_time()
    model.encode([record.sentence for record in task.draw(n_labels, 0)])
    seconds = process_time() - before
    drawn = [task.draw(n_labels, seed) for seed in range(n_seeds)]
    return by_seed(
        fine.f1 - frozen.f1,
        "F1 points",
        baselines={
            "dictionary of training names: span F1 in %": np.mean([task.baseline(records) for records in drawn]),
            "frozen with a linear head: span F1 in %": linear.f1.mean(),
            "from scratch: span F1 in %": scratch.f1.mean(),
        },
        parts={
            "fine-tuned with a linear head: span F1 in %": fine.f1.mean(),
            f"frozen with a 2-layer biLSTM head on {N_JOINED} layers: span F1 in %": frozen.f1.mean(),
            "frozen with a linear head, fine-tuned minus it": by_seed(fine.f1 - linear.f1, "F1 points"),
            **means("each single layer frozen, {}, biLSTM head: span F1 in %", single),
            "time of both, fine-tuned: CPU seconds of one training": fine.seconds,
            "time of both, frozen: CPU seconds of one training": frozen.seconds + seconds,
            "time of both, of it reading the states once: CPU seconds": seconds,
            "learning rate, fine-tuned": fine.rate,
            "learning rate, frozen": frozen.rate,
        },
        data=f"{task.name}, {n_labels:,} labelled sentences",
    )


def scored(task: Task, trained: Callable[[int, float], TokenTagger], rates: Sequence[float], n_seeds: int) -> Scored:
    """trained: (seed, rate) -> tagger. The rate is the better one on dev, with a seed that is not measured."""
    rate = best_rate(rates, lambda rate: task.score(trained(DEV_SEED, rate), "dev"))
    f1, seconds = [], []
    for seed in range(n_seeds):
        before = process_time()
        head = trained(seed, rate)
        seconds.append(process_time() - before)
        f1.append(task.score(head))
    # the median: kept states that are met for the first time are read during one of these trainings
    return Scored(np.array(f1), rate, float(np.median(seconds)))


def two_layer_tagger(states: ContextEncoder, labels: Sequence[str], hidden: int, seed: int) -> TokenTagger:
    """A tagger with two layers of bidirectional LSTM between states and labels, where heads have one."""
    head = TokenTagger(states, labels, body="bilstm", hidden=hidden, tags="ner", seed=seed)
    with seeded(seed):
        head.lstm = nn.LSTM(
            states.dims[-1], hidden, num_layers=2, dropout=0.1, batch_first=True, bidirectional=True
        ).to(states.device)
    return head
