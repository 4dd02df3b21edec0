"""TagLM: what it reads and what learns. What every head must do: test_heads.py."""

import pytest
import torch

from course_lib.data.records import Sentence, TaggedSentence
from course_lib.models.elmo import ELMo
from course_lib.models.encoder import RandomEncoder, StaticVectors
from course_lib.models.taglm import TagLM
from course_lib.text.characters import Characters
from course_lib.training.fit import fit
from tests.mistakes import mistakes

LABELS = ["O", "B-PER", "I-PER"]
TEXTS = ["Ann Lee met Bo .", "we met .", "Bo paid Ann Lee the sum .", "the mud"]
NAMES = {"Ann": "B-PER", "Lee": "I-PER", "Bo": "B-PER"}
RECORDS = [
    TaggedSentence(Sentence.of(text.split()), {"ner": tuple(NAMES.get(word, "O") for word in text.split())})
    for text in TEXTS
]
WORDS = sorted({word for text in TEXTS for word in text.split()})


def words():
    return StaticVectors(WORDS, torch.randn(len(WORDS), 5, generator=torch.Generator().manual_seed(0)))


def characters():
    return Characters.from_words(WORDS, min_count=1)


def language_model():
    return RandomEncoder(6, n_layers=2, buckets=97)


VARIANTS = {
    "baseline": lambda: TagLM(LABELS, words(), hidden=3, seed=0),
    "no characters": lambda: TagLM(LABELS, words(), None, language_model(), hidden=3, seed=0),
    "all": lambda: TagLM(LABELS, words(), characters(), language_model(), hidden=3, char_dim=11, seed=0),
    "elmo": lambda: TagLM(LABELS, words(), characters(), ELMo(language_model(), ("input", "output")), hidden=3, seed=0),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_every_parameter_learns_but_the_language_model_s(name):
    tagger = VARIANTS[name]()
    tagger.loss(tagger.batch(RECORDS))["loss"].backward()
    assert [name for name, p in tagger.named_parameters() if p.grad is None] == []
    if (lm := tagger.encoder.lm) is not None:
        assert all(parameter.grad is None for parameter in lm.encoder.parameters())


def test_it_learns_a_tiny_task():
    tagger = VARIANTS["elmo"]()
    fit(tagger, tagger.batches(RECORDS, batch_size=4), epochs=40, learning_rate=0.05, seed=0, show=False)
    assert tagger.predict(TEXTS) == [list(record.tags["ner"]) for record in RECORDS]


@pytest.mark.parametrize("name", ["no characters", "elmo"])
def test_the_language_model_is_read_at_its_place(name):
    tagger = VARIANTS[name]().eval()
    batch = tagger.batch(RECORDS)
    before = tagger.encoder.states(batch).layers
    batch.ids["lm"] = batch.ids["lm"] + 1
    moved = [bool((a != b).any()) for a, b in zip(before, tagger.encoder.states(batch).layers, strict=True)]
    assert moved == [False, name == "elmo", True]


def test_the_top_layer_of_the_language_model_is_what_it_reads():
    expected = language_model().encode([TEXTS[1].split()], layer=-1)[0]
    found = TagLM(LABELS, words(), lm=language_model(), hidden=3).batch([RECORDS[1]]).ids["lm"]
    assert found[0, :, 0].numpy() == pytest.approx(expected, abs=1e-6)


def test_a_word_without_a_vector_is_told_apart_by_its_characters():
    for name, same in [("no characters", True), ("all", False)]:
        tagger = VARIANTS[name]().eval()
        layers = tagger.encoder.states(tagger.batch([["unseen", "mudded"]])).layers[0, 0]
        assert layers[0].equal(layers[1]) is same


def test_the_word_vectors_that_came_in_stay_as_they_are():
    table = words()
    before = table.embedding.weight.clone()
    tagger = TagLM(LABELS, table, hidden=3)
    fit(tagger, tagger.batches(RECORDS, batch_size=2), steps=2, learning_rate=0.1, show=False)
    assert table.embedding.weight.equal(before)
    assert not tagger.encoder.words.embedding.weight.equal(before)


test_mistakes_are_named = mistakes(
    (lambda: TagLM(LABELS, words()).batch([["Bo"]], [["B-LOC"]]), "B-LOC"),
    (lambda: VARIANTS["baseline"]().save("tagger"), "state_dict"),
)
