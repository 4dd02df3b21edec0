"""What chapter 4's claims are measured with, on models small enough to know the answer."""

from random import Random

import numpy as np
import pytest
import torch

from course.chapters.ch04 import claims_bilm, claims_layers
from course.lab import linear_probe
from course.lab.probes import Rows, TaggedWords, tagged_words, window_word_rows, word_rows
from course.lab.tasks import Task
from course.ledger import judge
from course.sources.handmade import handmade_names, handmade_senses
from course_lib.data.records import Sentence, TaggedSentence
from course_lib.models.word_vectors import WordVectors
from course_lib.text.vocabulary import Vocabulary
from tests.models.bilms import small_bilm

WORDS = sorted({w for lang in ("en", "ko") for e in handmade_senses(lang) for w in e.sentence.words})


@pytest.fixture(scope="module")
def bilm():
    torch.manual_seed(0)
    return small_bilm(WORDS, characters=True).eval()


@pytest.fixture(scope="module")
def vectors():
    return WordVectors(WORDS, torch.randn(len(WORDS), 7, generator=torch.Generator().manual_seed(0)))


def tagged(words, tags):
    return TaggedSentence(Sentence.of(words), {"upos": tuple(tags)})


def test_blindness_is_exact_and_the_own_state_moves(bilm):
    sentences = [list(e.sentence.words) for e in handmade_senses("en")[:5]]
    still, moved = claims_bilm.largest_changes(bilm, sentences)
    assert still <= 1e-6
    assert moved > 1e-4


def test_a_model_that_looks_ahead_is_caught(bilm, monkeypatch):
    def swapped(sentences):  # the forward half is the backward one
        rows = type(bilm).encode(bilm, sentences)
        return [np.roll(row, bilm.dim // 2, axis=2) for row in rows]

    monkeypatch.setattr(bilm, "encode", swapped)
    assert claims_bilm.largest_changes(bilm, [list(e.sentence.words) for e in handmade_senses("en")[:5]])[0] > 1e-3


def noise(n, seed):
    """Sentences in which no word tells anything about another: no language model can beat perplexity 11."""
    draw = Random(seed)
    return [[f"w{draw.randrange(11)}" for _ in range(draw.choice([5, 7]))] for _ in range(n)]


def test_a_network_that_sees_its_answer_predicts_pure_chance():
    model = claims_bilm.train_leaky_rnn(noise(320, 0), steps=100, dim=32)
    assert model.perplexity(noise(97, 1)) < 2


def test_the_forward_half_predicts_the_next_word_and_the_backward_half_the_one_before():
    model = claims_bilm.LeakyRNN(Vocabulary([f"w{i}" for i in range(11)]), dim=6).eval()
    sentences = [["w1", "w2", "w3"], ["w4", "w5"]]
    batch = model.batch(sentences)
    states = model.encoder.states(batch).layers[-1]
    forward, backward = model(batch)
    torch.testing.assert_close(forward, model.softmax(torch.stack([states[0, 0], states[0, 1], states[1, 0]])[:, :3]))
    torch.testing.assert_close(backward, model.softmax(torch.stack([states[0, 1], states[0, 2], states[1, 1]])[:, 3:]))
    targets = torch.tensor([2, 3, 5, 1, 2, 4])
    expected = torch.nn.functional.cross_entropy(torch.cat([forward, backward]), targets)
    losses = model.loss(batch)
    torch.testing.assert_close(losses["loss"], expected)
    assert losses["count"] == 6


def test_a_stacked_network_copies(monkeypatch):
    split = claims_bilm._leak_split(0)
    monkeypatch.setattr(claims_bilm, "_leak_split", lambda seed: split.only(split.words[:1]))
    leak = claims_bilm.leak(steps=60)
    assert next(iter(leak.values())) < 1.5
    assert len(leak) == 3
    assert all(np.isfinite(value) for value in leak.values())


def test_words_and_tags_stay_together(bilm):
    words = tagged_words("handmade", n_train=11)
    assert len(words.train_tags) == len(words.words("train")) == len(word_rows(bilm, words)[0].train)
    assert words.sentences[-1] == 98
    last = words.task.test[-1]
    rows = word_rows(bilm, words)[2].test[-len(last.sentence) :]
    np.testing.assert_allclose(rows, bilm.encode([last.sentence], layer=2)[0], atol=1e-6)


def test_windows_leave_their_own_word_out(vectors):
    words = vectors.words[3:6]
    task = Task("made up", "words", [tagged(words, "ABC")], [], [tagged(words[:2], "AB")], tags="upos")
    rows = window_word_rows(vectors, TaggedWords(task, list("ABC"), list("AB")))
    np.testing.assert_allclose(rows.train[1], (vectors[words[0]] + vectors[words[2]]) / 2, rtol=1e-6)
    np.testing.assert_allclose(rows.test[0], vectors[words[1]], rtol=1e-6)


def test_random_tags_are_one_per_type():
    words = tagged_words("handmade", n_train=50)
    control = words.random_tags(seed=1)
    of_type = dict(zip(control.words("train"), control.train_tags, strict=True))
    assert all(of_type[w] == tag for w, tag in zip(control.words("train"), control.train_tags, strict=True))
    assert all(of_type.get(w, tag) == tag for w, tag in zip(control.words("test"), control.test_tags, strict=True))
    assert control.train_tags != words.train_tags
    assert set(control.train_tags) <= set(words.train_tags)


def test_the_sum_of_the_two_differences_by_hand():
    rows = np.array([[10.0, 1, 0], [30, 1, 0], [8, 0.5, 1], [2, 0.25, 1]])
    assert claims_layers.sum_of_means(rows) == pytest.approx(20 + (4 + 0.5) / 0.75)


def test_signs_lower_layers_tags_and_upper_layers_senses(bilm):
    """A lower layer that knows tags only and an upper one that knows senses only give +, exchanged -."""
    words = tagged_words("handmade")
    split = claims_layers.sense_split("handmade")
    tags, senses = sorted(set(words.train_tags)), sorted({e.sense for e in split.train})
    knows = Rows(*(np.eye(len(tags))[[tags.index(t) for t in part]] for part in (words.train_tags, words.test_tags)))
    clear = Rows(*(np.eye(len(senses))[[senses.index(e.sense) for e in part]] for part in (split.train, split.test)))
    blind, dark = (Rows(np.ones_like(rows.train), np.ones_like(rows.test)) for rows in (knows, clear))
    rows = claims_layers.divided(words, [blind, knows, blind], split, [dark, dark, clear])
    exchanged = claims_layers.divided(words, [blind, blind, knows], split, [dark, clear, dark])
    assert claims_layers.sum_of_means(rows) > 50
    assert claims_layers.sum_of_means(exchanged) == pytest.approx(-claims_layers.sum_of_means(rows))


def test_unseen_words_by_hand():
    train = [tagged(["Running", "is", "fun"], ["VERB", "VERB", "NOUN"]), tagged(["sing", "is"], ["VERB", "VERB"])]
    test = [tagged(["running", "jumping", "gun", "known", "zz"], ["VERB", "VERB", "NOUN", "X", "VERB"])]
    data = claims_bilm.unseen_words(train, test, known=["Known"])
    assert data.test_words == ["jumping", "gun", "zz"]
    assert data.by_suffix().tolist() == [True, True, True]  # -ing; -un; none: the commonest tag of all
    assert data.by_suffix(0).tolist() == [True, False, True]
    assert data.by_unknown().tolist() == [True, False, True]  # seen once: Running, fun, sing


def test_ngrams_tell_endings_apart_and_jamo_see_inside_syllables():
    train = [tagged([w], [t]) for w, t in (("walking", "V"), ("talking", "V"), ("happily", "A"), ("sadly", "A"))]
    data = claims_bilm.unseen_words(train, [tagged(["running", "badly"], ["V", "A"])])
    assert data.by_ngrams().all()
    went = [("갔다", "went"), ("갔어", "went"), ("밥", "rice"), ("법", "rice"), ("벼", "rice")]
    data = claims_bilm.unseen_words([tagged([w], [t]) for w, t in went], [tagged(["가고"], ["went"])])
    assert data.by_ngrams("jamo").all()
    assert not data.by_ngrams().any()


@pytest.mark.parametrize(
    ("without", "added", "expected"),
    [
        ([10, 20, 30, 40], [20, 30, 40, 50], 1),  # 40 at 80 without, at 40 with
        ([10, 20, 30, 40], [40, 50, 60, 70], 3),  # at the smallest size
        ([10, 20, 30, 40], [0, 0, 0, 39], -1),  # never
        ([10, 40, 30, 20], [0, 0, 40, 0], -1),  # best before the end
        ([0, 0, 0, 40], [0, 0, 30, 50], 0.5),  # halfway between two sizes, on the logarithm
    ],
)
def test_saved_labels_by_hand(without, added, expected):
    assert claims_bilm.saved_labels((10, 20, 40, 80), without, added) == pytest.approx(expected)


def test_small_runs_return_what_the_rules_ask_for(bilm, vectors, monkeypatch):
    monkeypatch.setattr(linear_probe, "_STEPS", 2)
    with_words = {"encoder": bilm, "vectors": vectors}
    measured = {
        "C4.3": claims_layers.mix_beats_the_top(n_train=40, **with_words),
        "C4.4": claims_layers.layers_divide_the_work(n_train=40, **with_words),
    }
    verdicts = {name: judge(name, found) for name, found in measured.items()}
    assert verdicts["C4.3"].findings[0].n == len([w for s in handmade_names("en", "test") for w in s.sentence.words])


def test_unknown_words_and_labels_run_small(bilm, vectors, monkeypatch):
    monkeypatch.setattr(linear_probe, "_STEPS", 2)
    few = Task("few", "tokens", *(handmade_names("en", split)[:7] for split in ("train", "dev", "test")))
    monkeypatch.setattr(claims_bilm, "span_task", lambda source: few)
    found = claims_bilm.characters_carry_unknown_words(n_train=60, encoder=small_bilm(["the"], characters=True))
    assert len(judge("C4.2", found).findings) == 2
    curves = claims_bilm.elmo_needs_fewer_labels(
        sizes=(3, 7), n_seeds=2, steps=2, hidden=5, encoder=bilm, vectors=vectors
    )
    assert curves.seeds
    assert len(curves.values) == len(curves.control.values) == len(curves.positive_control.values) == 2
    assert sum(name.startswith("ELMo at") for name in curves.parts) == 3
