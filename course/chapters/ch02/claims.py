"""The claims of chapter 2: look-up, reused word vectors over the number of labels, unknown words."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import islice

import numpy as np
import torch

from course.lab.company import text
from course.lab.controls import shuffled_text
from course.lab.learning import REUSE, curve
from course.lab.matching import Matcher, NameQuestion, name_questions, renamed, train_matcher
from course.lab.tasks import Task, names, parts_of_speech, reviews
from course.lab.unknown_vectors import UnknownVectors
from course.ledger import Exact, Measurement, by_seed, claim, means
from course.world import World
from course_lib.models.embedding import LookupEmbedding, OneHotEmbedding
from course_lib.models.encoder import StaticVectors
from course_lib.models.shipped import load
from course_lib.models.skip_gram import SkipGramConfig
from course_lib.models.skip_gram_trainer import train_skip_gram
from course_lib.models.word_vectors import WordVectors

SEEDS = 5


@claim("C2.1", full={"vocabulary_size": 30_000})
def product_is_lookup(*, vocabulary_size: int = 2_000) -> Exact:
    """The same ids through both layers: outputs, weight gradients, and who gets a gradient at all."""
    generator, dim = torch.Generator().manual_seed(0), 100
    ids = torch.randint(vocabulary_size // 2, (8, 16), generator=generator)  # the upper half is never used
    product, lookup = (layer(vocabulary_size, dim) for layer in (OneHotEmbedding, LookupEmbedding))
    product.load_state_dict(lookup.state_dict())
    pull = torch.randn(*ids.shape, dim, generator=generator)
    outputs, seconds = [], {}
    for name, layer in (("product", product), ("look-up", lookup)):
        started = time.perf_counter()
        outputs.append(layer(ids))
        (outputs[-1] * pull).sum().backward()
        seconds[name] = time.perf_counter() - started
    difference = [outputs[0] - outputs[1], product.weight.grad - lookup.weight.grad]
    used = torch.zeros(vocabulary_size, dtype=torch.bool)
    used[ids.flatten()] = True
    moved = [bool(layer.weight.grad[used].abs().sum(1).gt(0).all()) for layer in (product, lookup)]
    still = [bool(layer.weight.grad[~used].eq(0).all()) for layer in (product, lookup)]
    return Exact(
        max(float(part.detach().abs().max()) for part in difference),
        "largest error",
        holds=all(moved) and all(still),
        detail=f"{int(used.sum())} of {vocabulary_size:,} rows used; no other row gets a gradient",
        parts={
            "rows that Adam moves in a second step that does not use them": _moved_by_adam(),
            f"time of product / look-up at |V| = {vocabulary_size:,}": seconds["product"] / seconds["look-up"],
        },
        data="random ids, float32",
    )


def _moved_by_adam() -> float:
    """Adam steps on row 0, then on row 1: how many of the first row's numbers move in the second step (a share)."""
    layer = LookupEmbedding(3, 4)
    optimizer = torch.optim.Adam(layer.parameters(), lr=0.1)
    for row in (0, 1):
        before = layer.weight.detach().clone()
        optimizer.zero_grad()
        layer(torch.tensor([row])).sum().backward()
        optimizer.step()
    return float((layer.weight.detach()[0] != before[0]).float().mean())


@claim("C2.2", full={"review_source": "sst2", "tag_source": "ud_english_ewt", "sizes": (50, 200, 1_000, 5_000)})
def reuse_helps_where_labels_are_few(
    *,
    review_source: str = "handmade",
    tag_source: str = "handmade",
    sizes: Sequence[int] = (25, 200),
    n_seeds: int = SEEDS,
) -> dict[str, Measurement]:
    """Gain of reused vectors that are trained further over random ones, at the fewest and at the most labels."""
    vectors, measured = load("skipgram-en").word_vectors(), {}
    for name, task in (("reviews", reviews(review_source)), ("tagging", parts_of_speech(tag_source))):
        scores = curve(task, vectors, ("random", "initial"), sizes, n_seeds, body="bilstm", hidden=48)
        items, most = "sentences" if task.tagged else "texts", sizes[-1]
        if task.tagged:
            baselines = {"each word's commonest tag, all training sentences, in %": task.baseline()}
        else:
            bag = f"mean of the static vectors, logistic regression, {most:,} texts, in %"
            baselines = {"majority, in %": task.majority(), bag: _bag_of_vectors(task, vectors, most)}
        shown = {"baselines": baselines, "parts": means(f"{{}} at {{:,}} labelled {items}, in %", scores, sizes)}
        for where, place in (("fewest", 0), ("most", -1)):
            measured[f"{name}, {where} labels"] = by_seed(
                scores["initial"][place] - scores["random"][place],
                data=f"{task.name}, {sizes[place]:,} labelled {items}",
                **(shown if place == 0 else {}),
            )
    return measured


def _bag_of_vectors(task: Task, vectors: WordVectors, n_labels: int) -> float:
    """Accuracy in % of a logistic regression on the mean word vector of a text."""
    from sklearn.linear_model import LogisticRegression

    encoder = StaticVectors.from_word_vectors(vectors)
    train = task.train[:: max(1, len(task.train) // n_labels)][:n_labels]

    def vectors_of(texts: Sequence[str]) -> np.ndarray:
        return np.stack([rows.mean(0) for rows in encoder.encode(list(texts), layer=0)])

    model = LogisticRegression(max_iter=2_000).fit(vectors_of([r.text for r in train]), [r.label for r in train])
    return 100 * float(model.score(vectors_of(task.texts()), task.gold()))


@claim(
    "C2.3",
    full={
        "source": "enwiki2015",
        "n_words": 6_000_000,
        "tag_source": "ud_english_ewt",
        "n_labels": 1_000,
        "body": "bilstm",
        "learning_rate": 3e-3,
    },
)
def pretraining_then_training(
    *,
    source: str = "world",
    n_words: int = 80_000,
    tag_source: str = "world",
    n_labels: int = 40,
    n_seeds: int = SEEDS,
    body: str = "none",
    learning_rate: float = 1e-2,
) -> Measurement:
    """A tagger that starts from vectors of unlabelled text, from vectors of the same text shuffled, and from none."""
    sentences = _world_text(n_words) if source == "world" else text(source, n_words)
    config = SkipGramConfig(dim=64, window=2, epochs=15 if source == "world" else 3, min_count=2)
    pretrained, shuffled = (
        train_skip_gram(part, config, seed=0, progress=False).word_vectors()
        for part in (sentences, shuffled_text(sentences, 0))
    )
    task = parts_of_speech(tag_source)
    settings = {"body": body, "hidden": 32, "learning_rate": learning_rate}
    scores = {
        name: curve(task, table, (way,), (n_labels,), n_seeds, **settings)[way][0]
        for name, table, way in (
            ("pre-trained", pretrained, "initial"),
            ("shuffled", shuffled, "initial"),
            ("none", pretrained, "random"),
        )
    }
    parts = means("{} vectors: accuracy in %", scores)
    if tag_source != "world":
        entities = names("wnut17")
        for way in ("random", "initial"):
            found = curve(entities, pretrained, (way,), (n_labels,), n_seeds, **settings)[way][0]
            parts[f"named entities of {entities.name}, {way} vectors: span F1 in %"] = found.mean()
    return by_seed(
        scores["pre-trained"] - scores["none"],
        control=by_seed(scores["shuffled"] - scores["none"]),
        baselines={"majority tag per word, all training sentences, in %": task.baseline()},
        parts=parts,
        data=f"{task.name}, {n_labels:,} labelled sentences; vectors of {sum(map(len, sentences)):,} words of {source}",
    )


def _world_text(n_words: int) -> list[list[str]]:
    """Unlabelled text. Half of it has words that the labelled sentences lack, as text from the wild does."""
    found, total = [], 0
    for pair in zip(World(23).sentences("en"), World(23, split="test").sentences("en"), strict=True):
        found += [[word.lower() for word in sentence.words] for sentence in pair]
        total += sum(map(len, found[-2:]))
        if total >= n_words:
            return found


@claim("C2.4", full={"source": "sst2", "sizes": (100, 400, 1_600, 6_400), "ways": REUSE})
def training_further_needs_labels(
    *,
    source: str = "handmade",
    sizes: Sequence[int] = (30, 240),
    ways: Sequence[str] = ("initial", "frozen"),
    n_seeds: int = SEEDS,
) -> Measurement:
    """Slope of (trained further - frozen) over log2 of the number of labels."""
    task, vectors = reviews(source), load("skipgram-en").word_vectors()
    scores = curve(task, vectors, ways, sizes, n_seeds, learning_rate=1e-2, pooling="mean", dropout=0.0)
    gain = scores["initial"] - scores["frozen"]  # [size, seed]
    slopes = np.polyfit(np.log2(np.array(sizes)), gain, 1)[0]
    parts = means("{} at {:,} labels, in %", scores, sizes)
    if "slow" in ways:
        best = np.max([scores[way].mean(1) for way in ("initial", "frozen", "slow")], 0)
        worst = float((best - scores["slow"].mean(1)).max())
        parts["slow: farthest below the best of the three ways, in points"] = worst
    return by_seed(
        slopes,
        "points per doubling",
        baselines={"majority, in %": task.majority()},
        parts=parts,
        data=f"{task.name}, {sizes[0]:,} to {sizes[-1]:,} labels",
    )


@claim("C2.5", full={"n_train": 4_000, "n_test": 500, "steps": 500, "n_seeds": 8, "more": True})
def own_vector_per_new_word(
    *, n_train: int = 320, n_test: int = 80, steps: int = 100, n_seeds: int = SEEDS, more: bool = False
) -> Measurement:
    """Who is asked about? Four new names in the passage, one of them in the question; new questions for each seed."""
    known = known_words()
    train = name_questions(known, n_train)
    asked = name_questions(known, n_test * n_seeds, split="test")
    tests = [asked[seed::n_seeds] for seed in range(n_seeds)]
    table = torch.randn(len(known), 32, generator=torch.Generator().manual_seed(0)) * 32**-0.5

    def reader(seed: int, **settings) -> Matcher:
        def encoder() -> UnknownVectors:
            made = UnknownVectors(known, table, **settings)
            made.freeze()
            return made

        return train_matcher(encoder, train, seed, steps=steps)

    gains, control, found = [], [], {"own": [], "unk": []}
    for seed, test in enumerate(tests):
        readers = {name: reader(seed, unknown=name) for name in ("own", "unk")}
        own, unk = (readers[name].accuracy(test) for name in ("own", "unk"))
        gains.append(own - unk)
        wrong = renamed(test, seed)
        control.append(readers["own"].accuracy(wrong) - readers["unk"].accuracy(wrong))
        found["own"].append(own)
        found["unk"].append(unk)
        if more:
            again = reader(seed, unknown="own", redraw=False)
            found.setdefault("own, not redrawn in training", []).append(again.accuracy(test))
            seen = name_questions(known, n_test, seed=seed, split="test", made_up=False)
            found.setdefault("random rows in place of a larger table's, at test time", []).append(
                _with_names_of_the_table(readers["own"], seen, seed)
            )
    return by_seed(
        gains,
        control=by_seed(control),
        baselines={"chance, in %": 25.0, "one UNK vector, in %": np.mean(found.pop("unk"))},
        parts=means("{}: accuracy in %", found),
        data=f"the world, {len(asked):,} questions about names never seen in training",
    )


def known_words() -> list[str]:
    """The world's words without its names, in lower case."""
    words: dict[str, None] = {}
    for sentence in islice(World(5).sentences("en"), 3_000):
        words |= {word.lower(): None for word, tag in zip(sentence.words, sentence.ner, strict=True) if tag == "O"}
    return list(words)


def _with_names_of_the_table(matcher: Matcher, questions: Sequence[NameQuestion], seed: int) -> float:
    """The matcher gets a table that has a row for each name of the questions, as a larger pre-trained one would."""
    encoder = matcher.encoder
    words = sorted({question.passage[place] for question in questions for place in question.places})
    generator = torch.Generator().manual_seed(seed)
    rows = torch.randn(len(words), encoder.dim, generator=generator) * encoder.std
    matcher.encoder = encoder.extended(words, rows)
    return matcher.accuracy(questions)
