"""SequenceClassifier and TokenTagger: what they compute, by hand and on a tiny task."""

import pytest
import torch
from torch.nn import functional

from course_lib.errors import CourseError
from course_lib.models.encoder import RandomEncoder, StaticVectors
from course_lib.models.heads import SequenceClassifier, TokenTagger
from course_lib.training import fit
from tests.models.head_samples import (
    ENCODERS,
    LABELS,
    SENTENCES,
    SETTINGS,
    TAGGED,
    TEXTS,
    TOLERANCE,
    UPOS,
    build,
    records_of,
)
from tests.models.small_berts import small_bert


@pytest.fixture(params=[(kind, name) for kind in ENCODERS for name in SETTINGS], ids=" ".join)
def head(request):
    return build(*request.param)


def test_alone_equals_in_a_padded_batch(head):
    head.eval()
    together = head(head.batch(SENTENCES))
    for row, sentence in enumerate(SENTENCES):
        alone = head(head.batch([sentence]))[0]
        own = together[row] if alone.dim() == 1 else together[row, : len(sentence)]
        torch.testing.assert_close(own, alone, **TOLERANCE)


def test_what_stands_at_padding_changes_neither_loss_nor_count(head):
    head.eval()
    short = records_of(head)[:1]
    long = max(records_of(head), key=lambda record: len(head._texts([record])[0]))
    apart = [head.loss(head.batch([record])) for record in (short[0], long)]
    together = head.loss(head.batch([short[0], long]))
    counts = [int(part["count"]) for part in apart]
    assert int(together["count"]) == sum(counts)
    weighted = sum(part["loss"] * count for part, count in zip(apart, counts, strict=True)) / sum(counts)
    torch.testing.assert_close(together["loss"], weighted, **TOLERANCE)


def test_count_is_texts_or_real_words():
    classifier, tagger = build("static", "mean"), build("static", "tagger")
    assert int(classifier.loss(classifier.batch(TEXTS[:5]))["count"]) == 5
    batch = tagger.batch([["not", "bad"], ["the", "film", "was"]], [["ADV", "ADJ"], ["DET", "NOUN", "VERB"]])
    adjective, adverb, determiner, noun, verb = map(UPOS.index, ["ADJ", "ADV", "DET", "NOUN", "VERB"])
    assert batch.labels["labels"].tolist() == [[adverb, adjective, -100], [determiner, noun, verb]]
    assert int(tagger.loss(batch)["count"]) == 5


@pytest.mark.parametrize("kind", ENCODERS)
@pytest.mark.parametrize("name", ["bilstm", "tagger"])
def test_learns_a_tiny_task(kind, name):
    head = build(kind, name)
    records = records_of(head)
    fit(head, head.batches(records, 9), epochs=12, learning_rate=0.05, groups=head.groups(), show=False)
    expected = [text.label for text in TEXTS] if name == "bilstm" else [list(r.tags["upos"]) for r in TAGGED]
    assert head.predict(records, batch_size=7) == expected


def test_pooling_by_hand():
    table = torch.tensor([[1.0, 5.0], [3.0, 2.0]])
    for pooling, vector in [("sentence", [2.0, 3.5]), ("mean", [2.0, 3.5]), ("max", [3.0, 5.0])]:
        head = SequenceClassifier(StaticVectors(["a", "b"], table), LABELS, pooling=pooling).eval()
        logits = head(head.batch([["a", "b"], ["a"] * 3]))[0]
        torch.testing.assert_close(logits, head.output(torch.tensor(vector)))


def test_mean_and_max_of_the_bilstm_by_hand():
    head = build("random", "bilstm").eval()
    states = torch.as_tensor(head.encoder.encode([["the", "film"]], layer=-1)[0])
    hidden = head.lstm(states[None])[0][0]
    expected = head.output(torch.cat([hidden.mean(0), hidden.amax(0)]))
    torch.testing.assert_close(head(head.batch([["the", "film"], ["bad"] * 5]))[0], expected, **TOLERANCE)


def test_mix_by_hand():
    head = build("random", "mix").eval()
    raw, gamma = torch.tensor([0.0, 1.0, -2.0]), 1.5
    with torch.no_grad():
        head.mix.gamma.fill_(gamma)
        for parameter in head.mix.parameters():
            if parameter is not head.mix.gamma:
                parameter.copy_(raw)
    layers = torch.as_tensor(head.encoder.encode([["not", "bad"]])[0])
    share = raw.exp() / raw.exp().sum()
    mixed = gamma * (share[0] * layers[0] + share[1] * layers[1] + share[2] * layers[2])
    torch.testing.assert_close(head(head.batch([["not", "bad"]]))[0], head.output(mixed.mean(0)), **TOLERANCE)


def test_a_word_s_label_belongs_to_its_first_piece_in_any_script():
    words = ["서울에서", "👩‍🚀", "film", "cafe\u0301", "바다가", "."]
    bert = small_bert(["서울", "##에서", "👩", "##🚀"])
    cut = bert.pieces.split(words)
    assert [len(pieces) for pieces in cut] == [2, 2, 4, 1, 3, 1]  # cafe\u0301 is unknown
    head = TokenTagger(bert, UPOS).eval()
    batch = head.batch([words, ["."]], [UPOS[:6], UPOS[:1]])
    assert batch.labels["labels"].tolist() == [[0, 1, 2, 3, 4, 5], [0, *[-100] * 5]]
    ids = [bert.pieces.cls, *bert.pieces.ids(words), bert.pieces.sep]
    states = bert(torch.tensor([ids])).hidden_states[-1][0]
    first = [1 + sum(len(pieces) for pieces in cut[:number]) for number in range(len(words))]
    torch.testing.assert_close(head(batch)[0], head.output(states[first]), **TOLERANCE)
    expected = functional.cross_entropy(head.output(states[first]), torch.arange(6))
    found = head.loss(head.batch([words], [UPOS[:6]]))  # pieces that go on a word are no part of it
    torch.testing.assert_close(found["loss"], expected, **TOLERANCE)
    assert int(found["count"]) == len(words)
    assert [len(tags) for tags in head.predict([words, ["."]])] == [6, 1]


def test_a_number_of_layer_reads_that_layer_in_its_true_width():
    class Narrow(RandomEncoder):
        """Layer 0 is shown to be 3 wide, filled up with zeros."""

        def _states(self, batch):
            encoding = super()._states(batch)
            encoding.layers[0, ..., 3:] = 0
            return encoding

    encoder = Narrow(14, n_layers=1, buckets=97)
    encoder.dims = (3, 14)
    head = TokenTagger(encoder, UPOS, layer=0).eval()
    assert head.output.in_features == 3
    states = torch.as_tensor(encoder.encode([["not", "bad"]], layer=0)[0][:, :3])
    torch.testing.assert_close(head(head.batch([["not", "bad"]]))[0], head.output(states), **TOLERANCE)


def test_a_head_without_a_body_has_k_times_h_plus_1_numbers():
    head = SequenceClassifier(RandomEncoder(768, n_layers=0, buckets=2), ["yes", "no"])
    assert sum(parameter.numel() for parameter in dict(head.layer_groups())["head"]) == 1_538


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"labels": ["one"]}, "at least two"),
        ({"labels": ["a", "b", "a"]}, "each once"),
        ({"labels": "pos"}, "at least two"),
        ({"body": "gru"}, "none, bilstm"),
        ({"hidden": 0}, "hidden=0"),
        ({"dropout": 1.0}, r"dropout=1\.0"),
        ({"layer": 3, "pooling": "mean"}, "no layer 3.*0 word, 1 biLSTM 1, 2 biLSTM 2"),
        ({"layer": "top", "pooling": "mean"}, "no layer 'top'"),
        ({"pooling": "median"}, "sentence, mean, max"),
        ({"layer": 0}, "layer=0 would be ignored"),
        ({"layer": "mix"}, "layer='mix' would be ignored"),
    ],
)
def test_bad_settings_are_named(arguments, words):
    with pytest.raises(CourseError, match=words):
        SequenceClassifier(ENCODERS["random"](), **{"labels": LABELS, **arguments})
