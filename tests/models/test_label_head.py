"""Texts and labels to batches, and predicting many texts."""

import numpy as np
import pytest
import torch

from course_lib.data.records import LabelledText, Sentence, TaggedSentence
from course_lib.errors import CourseError
from course_lib.models.heads import TokenTagger
from tests.models.head_samples import ENCODERS, LABELS, SENTENCES, SETTINGS, TAGGED, TEXTS, UPOS, build


@pytest.fixture(params=[(kind, name) for kind in ENCODERS for name in SETTINGS], ids=" ".join)
def head(request):
    return build(*request.param)


def test_probabilities_and_predictions_agree_and_keep_input_order(head):
    texts = [*SENTENCES, ["the"] * 7, ["good"]]
    one = [head.predict([text])[0] for text in texts]
    assert head.predict(texts, batch_size=2) == one
    for found, text, label in zip(head.probabilities(texts, batch_size=2), texts, one, strict=True):
        rows = found[None] if found.ndim == 1 else found
        np.testing.assert_allclose(rows.sum(1), 1, rtol=1e-5)
        if isinstance(head, TokenTagger):
            assert rows.shape == (len(text), len(UPOS))
            assert [UPOS[i] for i in rows.argmax(1)] == label
        else:
            assert LABELS[rows.argmax()] == label


def test_predicting_is_without_dropout_and_puts_every_mode_back():
    head = build("random", "bilstm", dropout=0.5).train()
    head.encoder.eval()
    modes = [module.training for module in head.modules()]
    np.testing.assert_array_equal(head.probabilities(SENTENCES), head.probabilities(SENTENCES))
    assert [module.training for module in head.modules()] == modes
    assert torch.is_grad_enabled()
    batch = head.batch(SENTENCES)
    assert not head(batch).equal(head(batch))  # and training has dropout


def test_records_texts_and_words_give_the_same_batch():
    head = build("static", "sentence")
    batches = [
        head.batch([LabelledText("not bad", "yes")]),
        head.batch(["not bad"], ["yes"]),
        head.batch([["not", "bad"]], ["yes"]),
        head.batch([LabelledText("not bad", "no")], ["yes"]),  # labels given by hand win
    ]
    for batch in batches:
        assert batch.labels["labels"].tolist() == [0]
        assert batch.ids["words"].equal(batches[0].ids["words"])
    assert head.batch(["not bad"]).labels == {}
    assert head.batch(iter(TEXTS)).labels["labels"].equal(head.batch(TEXTS).labels["labels"])


def test_a_record_with_several_tag_layers_needs_a_name():
    record = TaggedSentence(Sentence.of(["the", "film"]), {"upos": ("DET", "NOUN"), "ner": ("O", "B")})
    encoder = ENCODERS["static"]()
    with pytest.raises(CourseError, match=r"upos, ner.*tags="):
        TokenTagger(encoder, ["O", "B"]).batch([record])
    with pytest.raises(CourseError, match=r"'pos'.*upos, ner"):
        TokenTagger(encoder, ["O", "B"], tags="pos").batch([record])
    assert TokenTagger(encoder, ["O", "B"], tags="ner").batch([record]).labels["labels"].tolist() == [[0, 1]]


def test_batches_hold_every_record_once_with_its_own_label_and_are_shuffled():
    head = build("static", "tagger")
    words = head.encoder.index

    def pairs(epoch):
        found = []
        for batch in make(epoch):
            assert len(batch) <= 4
            for ids, tags, mask in zip(batch.ids["words"], batch.labels["labels"], batch.mask, strict=True):
                found.append((tuple(ids[mask].tolist()), tuple(tags[mask].tolist())))
        return found

    make = head.batches(TAGGED, 4, seed=3)
    expected = sorted(
        (tuple(words[w] for w in r.sentence.words), tuple(UPOS.index(t) for t in r.tags["upos"])) for r in TAGGED
    )
    first, second = pairs(0), pairs(1)
    assert sorted(first) == sorted(second) == expected
    assert first != second
    assert first == pairs(0)
    assert len(make(0)) == len(list(make(0))) == 7  # 27 records by 4


def test_opening_an_epoch_leaves_the_global_generator_alone():
    make = build("static", "mean").batches(TEXTS, 5)
    before = torch.get_rng_state()
    assert len(list(make(0))) == 6
    assert torch.get_rng_state().equal(before)


@pytest.mark.parametrize(
    ("sentences", "labels", "words"),
    [
        (["good", "bad"], ["yes", "nope"], "sentence 1 has the label 'nope'.*yes, no, maybe"),
        (["good", "bad"], ["yes"], "1 labels for 2 sentences"),
        ([LabelledText("good", "yes"), "bad"], None, "sentence 1 has the label None"),
        (["good"], [["yes"]], r"sentence 0 has the label \['yes'\]"),
        ("good", None, "one str. Put it in"),
        (["good", ""], ["yes", "no"], "sentence 1 of 2 is empty"),
    ],
)
def test_bad_texts_and_labels_are_named(sentences, labels, words):
    with pytest.raises(CourseError, match=words):
        build("static", "mean").batch(sentences, labels)


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ([["ADV", "ADJ"], ["ADJ", "X"]], "sentence 1, word 1, has the label 'X'.*ADJ, ADV, DET"),
        ([["ADV", "ADJ"], ["ADJ"]], "sentence 1 has 2 words but 1 labels"),
        ([["ADV", "ADJ"], "ADJ"], "sentence 1 has 2 words but the label 'ADJ'"),
        ([["ADV", "ADJ"]], "1 labels for 2 sentences"),
    ],
)
def test_bad_tags_are_named(labels, words):
    with pytest.raises(CourseError, match=words):
        build("static", "tagger").batch([["not", "bad"], ["good", "."]], labels)


def test_other_mistakes_are_named():
    head = build("static", "mean")
    with pytest.raises(CourseError, match="no labels to learn from"):
        head.batches(["good"], 2)
    with pytest.raises(CourseError, match=r"the batch has no labels.*batch\(sentences, labels\)"):
        head.loss(head.batch(["good"]))
    with pytest.raises(CourseError, match="sentence 27 has the label 'nope'"):
        head.batches([*TEXTS, LabelledText("good", "nope")], 2)
    with pytest.raises(CourseError, match=r"no layer group 'biLSTM'.*word, head"):
        head.freeze(["biLSTM"])
    with pytest.raises(CourseError, match="no layer group 'biLSTM'"):
        head.groups(slow={"biLSTM": 0.1})
    with pytest.raises(CourseError, match="'word' is -1"):
        head.groups(slow={"word": -1})
    with pytest.raises(CourseError, match="batch_size=0"):
        head.predict(["good"], batch_size=0)
