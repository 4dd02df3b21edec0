"""PairClassifier: what it computes for encoders that read pairs and for those that do not; files; learning."""

import numpy as np
import pytest
import torch

from course_lib.data.records import Sentence, SentencePair
from course_lib.errors import CourseError
from course_lib.models.encoder import StaticVectors
from course_lib.models.heads import PairClassifier, load_head
from course_lib.training import fit
from tests.models.head_samples import ENCODERS as APART
from tests.models.head_samples import TOLERANCE, WORDS
from tests.models.small_berts import small_bert

LABELS = ["same", "other"]
PAIRS = [
    SentencePair(f"the {a} was {b}", f"{c} .", "same" if b == c else "other")
    for a in ["film", "bad film", "film film"]
    for b in ["good", "bad", "not"]
    for c in ["good", "bad", "not"]
][:20]
ENCODERS = {**APART, "bert": lambda: small_bert(WORDS, dropout=0.0)}
SETTINGS = {
    "sentence": {},
    "mean": {"pooling": "mean", "layer": 0},
    "max": {"pooling": "max", "layer": "mix"},
    "bilstm": {"body": "bilstm", "hidden": 5},
}


def build(kind, name="sentence", **more):
    return PairClassifier(ENCODERS[kind](), LABELS, seed=1, **SETTINGS[name], **more)


@pytest.fixture(params=[(kind, name) for kind in ENCODERS for name in SETTINGS], ids=" ".join)
def head(request):
    return build(*request.param)


def test_alone_equals_in_a_padded_batch(head):
    head.eval()
    pairs = [("the film was good .", "bad"), ("bad", "the film was not bad ."), ("not", "bad")]
    together = head(head.batch(pairs))
    for row, pair in zip(together, pairs, strict=True):
        torch.testing.assert_close(row, head(head.batch([pair]))[0], **TOLERANCE)


def test_the_order_of_the_sides_matters_and_probabilities_sum_to_one(head):
    one, turned = (head.probabilities([pair])[0] for pair in [("the film", "bad ."), ("bad .", "the film")])
    assert not np.allclose(one, turned, rtol=0, atol=1e-7)
    assert one.sum() == pytest.approx(1, abs=1e-6)


def test_predictions_keep_input_order(head):
    found = head.predict(PAIRS, batch_size=7)
    assert found == [head.predict([pair])[0] for pair in PAIRS]
    assert [LABELS[row.argmax()] for row in head.probabilities(PAIRS)] == found


def test_sides_read_apart_by_hand():
    table = torch.tensor([[1.0, 5.0], [3.0, 2.0]])
    for pooling, u in [("sentence", [2.0, 3.5]), ("mean", [2.0, 3.5]), ("max", [3.0, 5.0])]:
        head = PairClassifier(StaticVectors(["a", "b"], table), LABELS, pooling=pooling).eval()
        v = [3.0, 2.0]
        vector = [*u, *v, abs(u[0] - v[0]), abs(u[1] - v[1]), u[0] * v[0], u[1] * v[1]]
        logits = head(head.batch([(["a", "b"], ["b"]), (["a"], ["a"] * 3)]))[0]
        torch.testing.assert_close(logits, head.output(torch.tensor(vector)))


def test_the_body_reads_each_side_by_itself():
    head = build("random", "bilstm").eval()
    sides = [torch.as_tensor(head.encoder.encode([side], layer=-1)[0]) for side in ("the film", "bad .")]
    hidden = [head.lstm(side[None])[0][0] for side in sides]
    u, v = (torch.cat([states.mean(0), states.amax(0)]) for states in hidden)
    expected = head.output(torch.cat([u, v, (u - v).abs(), u * v]))
    batch = head.batch([("the film", "bad ."), ("bad", "not bad . . .")])
    torch.testing.assert_close(head(batch)[0], expected, **TOLERANCE)


def test_bert_reads_both_in_one_pass():
    head = build("bert").eval()
    bert, pieces = head.encoder, head.encoder.pieces
    a, b = pieces.ids(["the", "film"]), pieces.ids(["bad"])
    ids = torch.tensor([[pieces.cls, *a, pieces.sep, *b, pieces.sep]])
    segments = torch.tensor([[0] * (len(a) + 2) + [1] * (len(b) + 1)])
    cls = bert(ids, segments).hidden_states[-1][:, 0]
    torch.testing.assert_close(head(head.batch([("the film", "bad")])), head.output(cls), **TOLERANCE)
    assert head.output.in_features == bert.sentence_dim


def test_records_texts_and_words_give_the_same_batch():
    head = build("static")
    batches = [
        head.batch([SentencePair("not bad", "good", "other")]),
        head.batch([("not bad", "good")], ["other"]),
        head.batch([(["not", "bad"], Sentence.of("good"))], ["other"]),
        head.batch([SentencePair("not bad", "good", "same")], ["other"]),  # labels given by hand win
    ]
    for batch in batches:
        assert batch.labels["labels"].tolist() == [1]
        assert batch.sides[0].ids["words"].equal(batches[0].sides[0].ids["words"])
    assert head.batch([("not bad", "good")]).labels == {}


def test_batches_hold_every_pair_once_with_its_own_label():
    head = build("static")
    words = head.encoder.index
    found = []
    for batch in head.batches(PAIRS, 4, seed=3)(0):
        rows = zip(batch.sides[0].ids["words"], batch.sides[1].ids["words"], batch.labels["labels"], strict=True)
        found += [(tuple(a[a > 0].tolist()), tuple(b[b > 0].tolist()), int(label)) for a, b, label in rows]
    expected = [
        (*(tuple(words[w] for w in side.split()) for side in (pair.first, pair.second)), LABELS.index(pair.label))
        for pair in PAIRS
    ]
    assert sorted(found) == sorted(expected)


@pytest.mark.parametrize("kind", ENCODERS)
def test_groups_and_freezing(kind):
    head = build(kind, "mean")
    grouped = sorted(id(parameter) for _, group in head.layer_groups() for parameter in group)
    assert grouped == sorted(id(parameter) for parameter in head.parameters())
    head.freeze([name for name, _ in head.encoder.layer_groups()])
    head.loss(head.batch(PAIRS[:5]))["loss"].backward()
    assert [name for name, p in head.named_parameters() if p.grad is not None] == ["output.weight", "output.bias"]


def test_save_and_load_predict_the_same(head, tmp_path):
    head.save(tmp_path / "saved", card="A test.")
    again = load_head(tmp_path / "saved")
    assert isinstance(again, PairClassifier)
    np.testing.assert_array_equal(again.probabilities(PAIRS), head.probabilities(PAIRS))


@pytest.mark.parametrize(("kind", "rate"), [("bert", 0.003), ("random", 0.05)])
def test_learns_to_compare_two_words(kind, rate):
    wide = small_bert(WORDS, d_model=48, d_ff=97, dropout=0.0, attention_dropout=0.0)
    head = PairClassifier(wide if kind == "bert" else ENCODERS[kind](), LABELS, dropout=0, seed=1)
    fit(head, [head.batch(PAIRS)], steps=60, learning_rate=rate, groups=head.groups(), show=False)
    assert float(head.loss(head.batch(PAIRS))["loss"].detach()) < 0.2
    assert head.predict(PAIRS) == [pair.label for pair in PAIRS]


@pytest.mark.parametrize(
    ("pairs", "labels", "words"),
    [
        ([("good", "bad"), "good"], None, r"item 1 is 'good', not a pair.*\(first, second\)"),
        ([("good", "bad", "not")], None, "item 0 is .*not a pair"),
        ([("good", "bad"), ("good", "")], None, "second sentences of the pairs: .*sentence 1 of 2 is empty"),
        ([("", "bad")], None, "first sentences of the pairs"),
        ([("good", "bad")], ["nope"], "pair 0 has the label 'nope'.*same, other"),
        ([("good", "bad")], ["same", "same"], "2 labels for 1 pairs"),
        ([], None, "no sentence"),
        (("good", "bad"), None, "item 0 is 'good', not a pair"),
        ("good", None, "one str. Put it in"),
    ],
)
def test_bad_pairs_are_named(pairs, labels, words):
    with pytest.raises(CourseError, match=words):
        build("static").batch(pairs, labels)


def test_a_pair_too_long_for_bert_and_one_without_a_label_are_named():
    head = PairClassifier(small_bert(WORDS, max_units=13), LABELS)
    assert len(head.batch([(["the"] * 5, ["bad"] * 5)])) == 1
    with pytest.raises(CourseError, match="pair 1 has 11 pieces; at most 10 fit"):
        head.batch([("good", "bad"), (["the"] * 5, ["bad"] * 6)])
    with pytest.raises(CourseError, match=r"no labels to learn from.*SentencePair for pairs"):
        head.batches([("good", "bad")], 2)
    with pytest.raises(CourseError, match=r'PairClassifier: pooling="sentence".*layer=0 would be ignored'):
        PairClassifier(small_bert(WORDS), LABELS, layer=0)
