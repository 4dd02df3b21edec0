"""Claims C4.1, C4.2 and C4.7: a biLM's two directions are apart, its characters carry it, and it saves labels.

Beside C4.1 a network that cannot be a language model: a stacked bidirectional LSTM trained to predict its neighbours.
Its second layer reads both directions of the first. So its forward state at word k knows word k + 1, which it has to
predict, and the loss falls although nothing about language is learned.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from random import Random
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from course.lab.controls import opened, opened_table, untrained
from course.lab.kept_states import KeptStates
from course.lab.learning import PLAIN, comes_to, for_task, learn
from course.lab.linear_probe import probe
from course.lab.lm_taggers import span_task
from course.lab.probes import SenseSplit, top_score
from course.lab.tasks import parts_of_speech
from course.lab.world_models import world_bilm
from course.ledger import Exact, Measurement, by_seed, claim, means
from course.sources.handmade import handmade_names
from course.world import World
from course_lib.data.batch import Batch
from course_lib.device import seed_everything
from course_lib.models.elmo import ELMo
from course_lib.models.encoder import ContextEncoder, RandomEncoder, StaticVectors
from course_lib.models.lstm_lm import BiLM
from course_lib.models.shipped import load
from course_lib.models.taglm import TagLM
from course_lib.models.word_vectors import WordVectors
from course_lib.text.characters import Characters
from course_lib.text.vocabulary import Vocabulary
from course_lib.training import fit


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
    fresh = RandomEncoder(model.encoder.dim, seed=seed)
    return {
        "stacked bidirectional network: perplexity": model.perplexity(held_out),
        "stacked bidirectional network: balanced sense accuracy, in %": top_score(model.encoder, split),
        "the same network untrained: balanced sense accuracy, in %": top_score(fresh, split),
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


class LeakyRNN(nn.Module):
    """Top forward states predict the next word, top backward states the one before, as if they had not seen it."""

    def __init__(self, vocabulary: Vocabulary, dim: int = 64, seed: int = 0):
        super().__init__()
        self.vocabulary, self.encoder = vocabulary, RandomEncoder(dim, seed=seed)
        self.softmax = nn.Linear(dim // 2, len(vocabulary))

    def batch(self, sentences: Sequence[Sequence[str]]) -> Batch:
        batch = self.encoder.batch(sentences)
        targets = [torch.tensor(self.vocabulary.encode(words)) for words in sentences]
        batch.labels["words"] = nn.utils.rnn.pad_sequence(targets, batch_first=True)
        return batch

    def forward(self, batch: Batch) -> tuple[Float[Tensor, "target vocab"], Float[Tensor, "target vocab"]]:
        """Logits of each word that has one before it, and of each that has one after it."""
        forward, backward = self.encoder.states(batch).layers[-1].chunk(2, dim=-1)
        has_left = batch.mask[:, 1:]
        return self.softmax(forward[:, :-1][has_left]), self.softmax(backward[:, 1:][has_left])

    def loss(self, batch: Batch) -> dict[str, Any]:
        """Mean -log p in nats over the predictions of both directions."""
        words, has_left = batch.labels["words"], batch.mask[:, 1:]
        targets = torch.cat([words[:, 1:][has_left], words[:, :-1][has_left]])
        return {"loss": F.cross_entropy(torch.cat(self(batch)), targets), "count": len(targets)}

    @torch.no_grad()
    def perplexity(self, sentences: Sequence[Sequence[str]]) -> float:
        """exp(mean -log p) per prediction."""
        return float(self.loss(self.batch(sentences))["loss"].exp())


def train_leaky_rnn(sentences: Sequence[Sequence[str]], *, steps: int, dim: int = 64, seed: int = 0) -> LeakyRNN:
    """Trained on sentences of at least two words. In eval mode."""
    seed_everything(seed)
    model = LeakyRNN(Vocabulary.from_sentences(sentences, min_count=1), dim, seed)
    batches = [model.batch(sentences[at : at + 32]) for at in range(0, len(sentences), 32)]
    fit(model, batches, steps=steps, learning_rate=2e-2, seed=seed, show=False)
    return model.eval()


LONGEST = 4  # characters of an n-gram, as many as the shipped CNNs read at a time
SHOWN = 5  # unseen forms whose neighbours are shown


@dataclass(frozen=True)
class UnseenWords:
    """Tagged words to learn from, and test words of types that training never showed."""

    words: list[str]
    tags: list[str]
    test_words: list[str]
    test_tags: list[str]

    def right(self, guesses: Sequence[str]) -> Bool[np.ndarray, " occurrence"]:
        return np.array([guess == gold for guess, gold in zip(guesses, self.test_tags, strict=True)])

    def by_probe(self, vectors: dict[str, np.ndarray]) -> Bool[np.ndarray, " occurrence"]:
        """Right or wrong by the linear probe on one vector per word type."""
        train, test = (np.stack([vectors[word] for word in part]) for part in (self.words, self.test_words))
        return self.right(probe(train, self.tags, test))

    def by_ngrams(self, mode: str = "character") -> Bool[np.ndarray, " occurrence"]:
        """By logistic regression on which runs of 1 to 4 characters (mode "jamo": letters of Hangul) a word has.

        The probe's penalty, but each run stays 0 or 1: scaled, the rarest would be the largest.
        """
        from sklearn.feature_extraction.text import CountVectorizer
        from sklearn.linear_model import LogisticRegression

        cut = Characters((), mode)
        runs = CountVectorizer(
            preprocessor=lambda word: f"<{cut.symbols(word)}>",
            analyzer="char",
            ngram_range=(1, LONGEST),
            binary=True,
            min_df=2,
        )
        model = LogisticRegression(max_iter=1_000).fit(runs.fit_transform(self.words), self.tags)
        return self.right(model.predict(runs.transform(self.test_words)))

    def by_suffix(self, length: int = 3) -> Bool[np.ndarray, " occurrence"]:
        """By the commonest tag of the training words with the same last letters, fewer where there are none."""
        counts: dict[str, Counter] = defaultdict(Counter)
        for word, tag in zip(self.words, self.tags, strict=True):
            for ending in _endings(word, length):
                counts[ending][tag] += 1
        known = [next(ending for ending in _endings(word, length) if ending in counts) for word in self.test_words]
        return self.right([counts[ending].most_common(1)[0][0] for ending in known])

    def by_unknown(self) -> Bool[np.ndarray, " occurrence"]:
        """One vector for all unseen words knows one tag: the commonest among words that training shows once."""
        seen = Counter(self.words)
        once = Counter(tag for word, tag in zip(self.words, self.tags, strict=True) if seen[word] == 1)
        return self.right([once.most_common(1)[0][0]] * len(self.test_words))

    @property
    def types(self) -> list[str]:
        return list(dict.fromkeys([*self.words, *self.test_words]))


def unseen_words(train: Sequence, test: Sequence, known: Sequence[str] = ()) -> UnseenWords:
    """Training words, and test words whose type (in any case) is neither among them nor among the `known`."""
    words, tags = _flat(train)
    seen = {word.lower() for word in (*words, *known)}
    new = [(word, tag) for word, tag in zip(*_flat(test), strict=True) if word.lower() not in seen]
    return UnseenWords(words, tags, [word for word, _ in new], [tag for _, tag in new])


@claim("C4.2", full={"source": "ud_english_ewt", "n_train": 2_000})
def characters_carry_unknown_words(
    *, source: str = "handmade", n_train: int | None = None, encoder: BiLM | str = "bilm-en"
) -> dict[str, Measurement]:
    """Part-of-speech accuracy on types that neither the tagged sentences nor the biLM's vocabulary show."""
    encoder = opened(encoder)
    task = parts_of_speech(source)
    data = unseen_words(list(task.train)[:n_train], task.test, encoder.vocabulary.words)
    by_cnn = data.by_probe(spelled(encoder, data.types))
    by_ngrams, by_suffix = data.by_ngrams(), data.by_suffix()
    shared = {
        "unit": "points",
        "clusters": data.test_words,
        "data": f"{task.name}, {len(data.test_words)} unseen words",
    }
    return {
        "over suffixes": Measurement(
            100 * (by_cnn.astype(float) - by_suffix),
            baselines={
                "majority tag of the last three letters, in %": 100 * by_suffix.mean(),
                "one UNK vector, in %": 100 * data.by_unknown().mean(),
            },
            parts={
                "character CNN, in %": 100 * by_cnn.mean(),
                "nearest known words": neighbours(encoder, data.test_words),
            },
            **shared,
        ),
        "over n-grams": Measurement(
            100 * (by_cnn.astype(float) - by_ngrams),
            baselines={"character n-grams, in %": 100 * by_ngrams.mean()},
            parts={"Korean, n-grams of jamo minus of syllables": _jamo_against_syllables()},
            **shared,
        ),
    }


def spelled(encoder: BiLM, words: Sequence[str]) -> dict[str, np.ndarray]:
    """The character CNN's vector of each word: layer 0, which reads nothing else. [dim]"""
    half = encoder.dim // len(encoder.lstms)  # layer 0 stands there once per direction
    rows = encoder.encode([[word] for word in words], layer=0, batch_size=256)
    return {word: row[0, :half] for word, row in zip(words, rows, strict=True)}


def neighbours(encoder: BiLM, words: Sequence[str]) -> str:
    """For some of the words, the words of the biLM's vocabulary that its character CNN reads as most alike."""
    known = [word for word in encoder.vocabulary.words if word.isalpha()]
    shown = sorted({word for word in words if word.isalpha() and word.islower()}, key=lambda w: (-len(w), w))[:SHOWN]
    vectors = spelled(encoder, [*known, *shown])
    table = WordVectors(vectors, np.stack(list(vectors.values())))
    lines = []
    for word in shown:
        near = [other for other, _ in table.neighbours(word, 3 + SHOWN) if other not in shown][:3]
        lines.append(f"{word}: {', '.join(near)}")
    return "; ".join(lines)


def _jamo_against_syllables() -> Measurement:
    """The same classifier on n-grams of Korean words, cut into letters or into syllables."""
    data = unseen_words(*(handmade_names("ko", split) for split in ("train", "test")))
    jamo, syllables = (data.by_ngrams(mode) for mode in ("jamo", "character"))
    return Measurement(100 * (jamo.astype(float) - syllables), "points", clusters=data.test_words)


def _endings(word: str, length: int) -> list[str]:
    """The last `length` letters, then fewer, down to none."""
    return [word[max(0, len(word) - n) :] for n in range(length, -1, -1)]


def _flat(records: Sequence) -> tuple[list[str], list[str]]:
    return (
        [word for record in records for word in record.sentence.words],
        [tag for record in records for tag in record.tags["upos"]],
    )


PLACEMENTS = {"input": ("input",), "output": ("output",), "both": ("input", "output")}


@claim("C4.7", full={"source": "conll2000", "sizes": (100, 400, 1_600), "steps": 200})
def elmo_needs_fewer_labels(
    *,
    source: str = "handmade",
    sizes: Sequence[int] = (25, 75, 200),
    n_seeds: int = 5,
    steps: int = 80,
    hidden: int = 32,
    encoder: ContextEncoder | str = "bilm-en",
    vectors: WordVectors | str = "skipgram-en",
) -> Measurement:
    """Learning curves of one tagger of spans with and without ELMo: same labels, same seeds."""
    encoder, vectors = opened(encoder), opened_table(vectors)
    task = span_task(source).limited(n_test=1_000)
    table = for_task(vectors, task)
    learned, random = (KeptStates(model, layer=None) for model in (encoder, untrained(encoder)))

    def f1(states: KeptStates | None, places: Sequence[str], n_labels: int, seed: int) -> float:
        def make_head() -> TagLM:
            elmo = None if states is None else ELMo(states, places, dropout=0.25)
            words = StaticVectors.from_word_vectors(table)
            return TagLM(task.labels, words, lm=elmo, hidden=hidden, tags=task.tags, seed=seed)

        return task.score(learn(make_head, task.sample(n_labels, seed), seed, replace(PLAIN, min_steps=steps)))

    def curve(states: KeptStates | None, at: Sequence[int], places: Sequence[str] = ("input",)) -> np.ndarray:
        """Span F1 in %: [size, seed]."""
        return np.array([[f1(states, places, n, seed) for seed in range(n_seeds)] for n in at])

    without, added, control = curve(None, sizes), curve(learned, sizes), curve(random, sizes)
    placed = {name: curve(learned, sizes[-1:], places)[0] for name, places in PLACEMENTS.items() if name != "input"}
    placed["input"] = added[-1]

    def saved(scores: np.ndarray) -> list[float]:
        return [saved_labels(sizes, *pair) for pair in zip(without.T, scores.T, strict=True)]

    return by_seed(
        saved(added),
        "halvings of the labels",
        control=by_seed(saved(control), "halvings of the labels"),
        positive_control=by_seed(without[-1] - without[0], "F1 points"),
        baselines={f"static vectors, span F1 in % at {sizes[-1]:,} sentences": without[-1].mean()},
        parts=means(
            "{} ELMo, span F1 in % at {:,} sentences",
            {"with": added, "with an untrained": control, "without": without},
            sizes,
        )
        | means("ELMo at {}, span F1 in % at all labels", placed),
        data=f"{task.name}, up to {sizes[-1]:,} labelled sentences",
    )


def saved_labels(sizes: Sequence[int], without: Sequence[float], added: Sequence[float]) -> float:
    """log2(labels that `without` needs for its best score / labels that `added` needs for the same score).

    Between two sizes the score grows evenly with the logarithm of the size. A score that `added` never reaches counts
    as reached at twice all labels; one that it reaches at the smallest size, as reached there: it may need fewer.
    """
    needed = [comes_to(max(without), sizes, scores, 2 * sizes[-1]) for scores in (without, added)]
    return needed[0] - needed[1]
