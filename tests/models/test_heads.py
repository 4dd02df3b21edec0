"""SequenceClassifier, TokenTagger, PairClassifier: what they compute, by hand and on tasks; batches and labels.

And what every head must do: padding, one and many, groups, files. A new head joins by its line in HEADS.
"""

from functools import partial
from itertools import product

import numpy as np
import pytest
import torch

from course_lib.data.records import LabelledText, Sentence, SentencePair, TaggedSentence
from course_lib.errors import CourseError
from course_lib.models.encoder import RandomEncoder, StaticVectors
from course_lib.models.heads import SequenceClassifier, TokenTagger, load_head
from course_lib.models.shipped import load
from course_lib.training import fit
from tests.mistakes import mistakes
from tests.models import span_samples, test_taglm, test_ulmfit
from tests.models.head_samples import (
    BARE,
    CASES,
    ENCODERS,
    LABELS,
    RECORDS,
    SENTENCES,
    SETTINGS,
    TAGGED,
    TEXTS,
    TOLERANCE,
    UPOS,
    WORDS,
    build,
)
from tests.models.small_berts import small_bert

ANSWERS = LABELS[SequenceClassifier]
HEADS = {}  # how a head is made, records it learns from, and what it is asked
for kind, name in CASES:
    of = SETTINGS[name][0]
    HEADS[f"{kind} {name}"] = partial(build, kind, name), RECORDS[of], BARE[of]
for name, make in test_taglm.VARIANTS.items():
    HEADS[name] = make, test_taglm.RECORDS, test_taglm.TEXTS
for kind, name in product(span_samples.ENCODERS, span_samples.SETTINGS):
    asked = [(passage.questions[0].question, passage.text) for passage in span_samples.PASSAGES[:3]]
    HEADS[f"spans, {kind} {name}"] = partial(span_samples.build, kind, name), span_samples.PASSAGES, asked
for direction in ("forward", "backward"):
    make = partial(test_ulmfit.small, direction=direction, max_len=4)
    HEADS[f"ulmfit, {direction}"] = make, test_ulmfit.RECORDS, test_ulmfit.TEXTS


@pytest.fixture(params=HEADS)
def every(request):
    """A head in eval mode, records it learns from, and what it is asked."""
    make, records, asked = HEADS[request.param]
    return make().eval(), records, asked


# -- what they compute
def by_hand(head, text):
    """Logits of one text or pair, from what the encoder says of it alone."""
    batch, vectors = head.batch([text]), []
    for encoding in map(head.encoder.states, batch.sides or [batch]):
        layers, n_layers = encoding.layers[:, 0], len(head.encoder.dims)
        if head.layer == "mix":
            share = head.mix.raw.exp() / head.mix.raw.exp().sum()
            words = head.mix.gamma * sum(share[i] * layers[i] for i in range(n_layers))
        else:
            words = layers[head.layer]
        if head.lstm is not None:
            words = head.lstm(words[None])[0][0]
        mean, largest = words.sum(0) / len(words), words.max(0).values
        whole = encoding.sentence[0] if head.lstm is None else torch.cat([mean, largest])
        vectors.append({"mean": mean, "max": largest, "sentence": whole, None: words}[head.pooling])
    if len(vectors) == 2:
        u, v = vectors
        vectors = [torch.cat([u, v, (u - v).abs(), u * v])]
    return head.output(vectors[0])


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_logits_by_hand_of_each_text_of_a_padded_batch(kind, name):
    head = build(kind, name).eval()
    if head.mix is not None:
        head.mix.gamma.data.fill_(1.5)
        torch.nn.init.normal_(head.mix.raw)
    texts = BARE[type(head)]
    for row, text in zip(head(head.batch(texts)), texts, strict=True):
        expected = by_hand(head, text)
        torch.testing.assert_close(row if row.dim() == 1 else row[: len(text)], expected, **TOLERANCE)


def test_what_stands_at_padding_changes_neither_loss_nor_count(every):
    head, records, _ = every
    records = [records[0], *records[-4:]]
    apart = [head.loss(head.batch([record])) for record in records]
    together = head.loss(head.batch(records))
    counts = [int(part["count"]) for part in apart]
    assert int(together["count"]) == sum(counts)
    weighted = sum(part["loss"] * count for part, count in zip(apart, counts, strict=True)) / sum(counts)
    torch.testing.assert_close(together["loss"], weighted, **TOLERANCE)


@pytest.mark.parametrize(
    ("kind", "name", "rate"),
    [
        ("static", "bilstm", 0.05),
        ("static", "tagger", 0.05),
        ("random", "pair", 0.05),
        ("bert", "pair", 0.003),
    ],
)
def test_learns_a_tiny_task(kind, name, rate, monkeypatch):
    wide = small_bert(WORDS, d_model=48, d_ff=97, dropout=0.0, attention_dropout=0.0)
    monkeypatch.setitem(ENCODERS, "bert", lambda: wide)
    head = build(kind, name, dropout=0 if name == "pair" else 0.1)
    records = RECORDS[type(head)]
    batches = [head.batch(records)] if name == "pair" else head.batches(records, 9)
    epochs = 60 if name == "pair" else 12
    fit(head, batches, epochs=epochs, learning_rate=rate, groups=head.groups(), show=False)
    expected = [list(r.tags["upos"]) if name == "tagger" else r.label for r in records]
    assert head.predict(records, batch_size=7) == expected


# -- texts and labels to batches, and predicting many texts
@pytest.mark.parametrize("name", [name for name in HEADS if "spans" not in name])
def test_probabilities_and_predictions_agree_and_keep_input_order(name):
    make, records, asked = HEADS[name]
    head, texts = make(), records[:7] + asked
    one = [head.predict([text])[0] for text in texts]
    assert head.predict(texts, batch_size=2) == one
    for row, label in zip(head.probabilities(texts, batch_size=2), one, strict=True):
        np.testing.assert_allclose(row.sum(-1), 1, rtol=1e-5)
        best = [head.labels[i] for i in row.argmax(-1).reshape(-1)]
        assert best == (label if isinstance(head, TokenTagger) else [label])


SIDES = SentencePair("not bad", "good", "other"), ("not bad", "good"), (["not", "bad"], Sentence.of("good"))


@pytest.mark.parametrize(
    ("name", "label", "same"),
    [("sentence", 0, (LabelledText("not bad", "yes"), "not bad", ["not", "bad"])), ("pair", 1, SIDES)],
)
def test_records_texts_and_words_give_the_same_batch(name, label, same):
    head, (record, *bare) = build("static", name), same
    first, *others = head.batch([record]), *(head.batch([text], [head.labels[label]]) for text in bare)
    by_hand = head.batch([record], [head.labels[1 - label]])  # labels that are given go before the record's
    assert by_hand.labels["labels"].tolist() == [1 - label]
    for batch in (first, *others):
        assert batch.labels["labels"].tolist() == [label]
        for side, same_side in zip(batch.sides or [batch], first.sides or [first], strict=True):
            assert side.ids["words"].equal(same_side.ids["words"])
    assert head.batch(bare[:1]).labels == {}
    records = RECORDS[type(head)]
    assert head.batch(iter(records)).labels["labels"].equal(head.batch(records).labels["labels"])


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
    make, before = head.batches(TAGGED, 4, seed=3), torch.get_rng_state()

    def pairs(batches):
        rows = [row for b in batches for row in zip(b.ids["words"], b.labels["labels"], b.mask, strict=True)]
        return [(tuple(ids[mask].tolist()), tuple(tags[mask].tolist())) for ids, tags, mask in rows]

    first, second = pairs(make(0)), pairs(make(1))
    assert sorted(first) == sorted(second) == sorted(pairs([head.batch([record]) for record in TAGGED]))
    assert first == pairs(make(0)) != second
    assert [len(batch) for batch in make(0)].count(4) == 6  # 27 records by 4
    assert len(make(0)) == 7
    assert torch.get_rng_state().equal(before)


# -- groups, freezing, files
def test_groups_cover_every_parameter_that_learns_once(every):
    head = every[0]
    of_encoder = [name for name, _ in head.encoder.layer_groups() if name not in head.encoder.frozen]
    assert [name for name, _ in head.layer_groups()] == [*of_encoder, "head"]
    for groups in (head.layer_groups(), head.groups()):
        grouped = sorted(id(parameter) for group in groups for parameter in group[1])
        assert grouped == sorted(id(parameter) for parameter in head.parameters() if parameter.requires_grad)


def test_a_frozen_head_has_no_dropout_in_training():
    head = build("static", "bilstm", dropout=0.5).train()
    head.freeze("head")
    batch = head.batch(SENTENCES)
    assert head.train()(batch).equal(head(batch))
    head.unfreeze("head")
    assert not head(batch).equal(head(batch))


@pytest.mark.parametrize(("way", "moves"), [("initial", 1.0), ("slow", 0.1), ("frozen", 0.0)])
def test_three_ways_to_reuse_vectors(way, moves):
    head = SequenceClassifier(StaticVectors(WORDS, torch.ones(len(WORDS), 11)), ANSWERS, dropout=0, seed=1)
    if way == "frozen":
        head.freeze(["word"])
    groups = head.groups(slow={"word": 0.1} if way == "slow" else None)
    assert ("word" in [name for name, *_ in groups]) is (way != "frozen")
    before = head.encoder.embedding.weight.detach().clone()
    fit(head, [head.batch(TEXTS)], steps=1, learning_rate=0.01, groups=groups, show=False)
    moved = (head.encoder.embedding.weight.detach() - before).abs().max()
    assert float(moved) == pytest.approx(0.01 * moves, rel=1e-3)  # Adam's first step is the learning rate


def test_a_seed_fixes_the_new_weights_and_leaves_the_generator_alone():
    before = torch.get_rng_state()
    encoder = RandomEncoder(14, buckets=97)
    one, same, other = (TokenTagger(encoder, UPOS, body="bilstm", seed=seed) for seed in (3, 3, 4))
    assert torch.get_rng_state().equal(before)
    for name in ("output.weight", "lstm.weight_ih_l0"):
        assert one.get_parameter(name).equal(same.get_parameter(name))
        assert not one.get_parameter(name).equal(other.get_parameter(name))


@pytest.mark.parametrize("name", [name for name in HEADS if name not in test_taglm.VARIANTS])  # they have no file
def test_save_and_load_predict_the_same(name, tmp_path):
    make, _, asked = HEADS[name]
    head = make()
    head.save(tmp_path / "saved")
    again = load_head(tmp_path / "saved")
    assert type(again) is type(head)
    assert not again.training
    assert again.predict(asked) == head.predict(asked)
    for mine, other in zip(again.named_parameters(), head.named_parameters(), strict=True):
        assert (mine[0], mine[1].requires_grad, mine[1].equal(other[1])) == (other[0], other[1].requires_grad, True)


def test_an_encoder_is_no_head_and_a_head_no_encoder(tmp_path):
    head = build("random", "tagger")
    head.encoder.save(tmp_path / "encoder")
    head.save(tmp_path / "head")
    head.encoder.kind = "crystal-ball"
    head.save(tmp_path / "unknown")
    with pytest.raises(CourseError, match=r"unknown does not hold a TokenTagger.*crystal-ball"):
        load_head(tmp_path / "unknown")
    with pytest.raises(CourseError, match=r"'random-encoder'.*course_lib\.load"):
        load_head(tmp_path / "encoder")
    with pytest.raises(CourseError, match="'token-tagger'"):
        load(tmp_path / "head")


# -- mistakes
test_bad_settings_are_named = mistakes(
    ({"labels": ["a", "b", "a"]}, "each once"),
    ({"layer": 3, "pooling": "mean"}, "no layer 3.*0 word, 1 biLSTM 1, 2 biLSTM 2"),
    ({"layer": "mix"}, "layer='mix' would be ignored"),
    of=lambda arguments: SequenceClassifier(ENCODERS["random"](), **{"labels": ANSWERS, **arguments}),
)
test_bad_texts_and_labels_are_named = mistakes(
    (("mean", ["good", "bad"], ["yes", "nope"]), "sentence 1 has the label 'nope'.*yes, no, maybe"),
    (("mean", ["good", "bad"], ["yes"]), "1 labels for 2 sentences"),
    (("mean", [LabelledText("good", "yes"), "bad"]), "sentence 1 has the label None"),
    (("mean", "good"), "one str. Put it in"),
    (("tagger", ["not bad", "good ."], [["ADV", "ADJ"], ["ADJ", "X"]]), "sentence 1, word 1, has the label 'X'"),
    (("tagger", ["not bad", "good ."], [["ADV", "ADJ"], ["ADJ"]]), "sentence 1 has 2 words but 1 labels"),
    (("pair", [("good", "bad"), "good"]), r"item 1 is 'good', not a pair.*\(first, second\)"),
    (("pair", [("good", "bad"), ("good", "")]), "sentence 1 of 2 is empty"),
    of=lambda row: build("static", row[0]).batch(*row[1:]),
)
test_other_mistakes_are_named = mistakes(
    (lambda head: head.batches(["good"], 2), "sentence 0 has the label None"),
    (lambda head: head.freeze(["biLSTM"]), r"no layer group 'biLSTM'.*word, head"),
    (lambda head: head.predict(["good"], batch_size=0), "batch_size=0"),
    of=lambda call: call(build("static", "mean")),
)
