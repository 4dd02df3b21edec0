"""What all heads share: groups, freezing, files."""

import numpy as np
import pytest
import torch

from course_lib.errors import CourseError
from course_lib.models.encoder import RandomEncoder, StaticVectors
from course_lib.models.heads import HEADS, SequenceClassifier, TokenTagger, load_head
from course_lib.models.shipped import class_at, load
from course_lib.training import fit
from tests.models.head_samples import ENCODERS, LABELS, SENTENCES, SETTINGS, TEXTS, UPOS, WORDS, build, records_of


@pytest.fixture(params=[(kind, name) for kind in ENCODERS for name in SETTINGS], ids=" ".join)
def head(request):
    return build(*request.param)


def gradients(head):
    head.train().zero_grad()
    head.loss(head.batch(records_of(head)[:5]))["loss"].backward()
    return {n: any(p.grad is not None and p.grad.any() for p in ps) for n, ps in head.layer_groups()}


def test_groups_cover_every_parameter_once(head):
    names = [name for name, _ in head.layer_groups()]
    assert names == [*head.encoder.layer_names, "head"]
    for groups in (head.layer_groups(), head.groups()):
        grouped = sorted(id(parameter) for group in groups for parameter in group[1])
        assert grouped == sorted(id(parameter) for parameter in head.parameters())


@pytest.mark.parametrize("kind", ENCODERS)
def test_gradients_reach_what_is_not_frozen(kind):
    head = build(kind, "mix")
    names = [name for name, _ in head.layer_groups()]
    assert gradients(head) == dict.fromkeys(names, True)
    head.freeze(["word"])
    assert head.frozen == ("word",)
    assert gradients(head) == {name: name != "word" for name in names}
    head.freeze()
    assert head.frozen == tuple(names)
    head.unfreeze("head")
    assert gradients(head) == {name: name == "head" for name in names}
    head.unfreeze()
    assert head.frozen == ()
    assert gradients(head) == dict.fromkeys(names, True)
    head.freeze("head")
    assert gradients(head) == {name: name != "head" for name in names}


def test_a_wholly_frozen_encoder_is_read_without_gradient():
    head = build("random", "mean")
    batch = head.batch(SENTENCES)
    head.freeze(["word", "biLSTM 1"])
    assert head.encoder.states(batch).layers.requires_grad  # its last layer still learns
    head.freeze(["biLSTM 2"])
    assert not head.encoder.states(batch).layers.requires_grad
    assert head(batch).requires_grad


def test_a_frozen_head_has_no_dropout_in_training():
    head = build("static", "bilstm", dropout=0.5).train()
    head.freeze("head")
    batch = head.batch(SENTENCES)
    assert head(batch).equal(head(batch))
    head.train()
    assert head(batch).equal(head(batch))
    head.unfreeze("head")
    assert not head(batch).equal(head(batch))


def test_three_ways_to_reuse_vectors():
    for way, moves in [("initial", 1.0), ("slow", 0.1), ("frozen", 0.0)]:
        head = SequenceClassifier(StaticVectors(WORDS, torch.ones(len(WORDS), 11)), LABELS, dropout=0, seed=1)
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


def test_save_and_load_predict_the_same(head, tmp_path):
    head.save(tmp_path / "saved", card="A test.")
    again = load_head(tmp_path / "saved")
    assert type(again) is type(head)
    assert not again.training
    assert again.labels == head.labels
    for mine, other in zip(head.probabilities(SENTENCES), again.probabilities(SENTENCES), strict=True):
        np.testing.assert_array_equal(mine, other)


def test_every_kind_of_head_is_found_by_its_own_name():
    assert [class_at(place).kind for place in HEADS.values()] == list(HEADS)


def test_half_precision_is_close(tmp_path):
    head = build("random", "mean")
    head.save(tmp_path / "saved", half=True)
    again = load_head(tmp_path / "saved").probabilities(SENTENCES)
    np.testing.assert_allclose(again, head.probabilities(SENTENCES), atol=1e-2)
    assert not np.array_equal(again, head.probabilities(SENTENCES))


def test_an_encoder_is_no_head_and_a_head_no_encoder(tmp_path):
    head = build("random", "tagger")
    head.encoder.save(tmp_path / "encoder")
    head.save(tmp_path / "head")
    with pytest.raises(CourseError, match=r"'random-encoder'.*course_lib\.load"):
        load_head(tmp_path / "encoder")
    with pytest.raises(CourseError, match="'token-tagger'"):
        load(tmp_path / "head")


def test_a_head_on_an_unknown_encoder_is_named(tmp_path):
    head = build("random", "tagger")
    head.encoder.kind = "crystal-ball"
    head.save(tmp_path / "saved")
    with pytest.raises(CourseError, match=r"config\.json does not describe a TokenTagger.*crystal-ball"):
        load_head(tmp_path / "saved")
