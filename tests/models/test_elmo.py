"""ScalarMix against the formula written out, and what a task network gets from ELMo."""

import pytest
import torch

from course_lib.models.elmo import ELMo, FrozenStates, ScalarMix
from course_lib.models.encoder import RandomEncoder, StaticVectors
from course_lib.models.heads import SequenceClassifier
from course_lib.models.taglm import TagLM
from tests.models.battery import BANK, RIVER

MASK = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])


def mix_of(raw, gamma=1.0, **settings):
    mix = ScalarMix(len(raw), **settings)
    mix.raw.data, mix.gamma.data = torch.tensor(raw), torch.tensor([gamma])
    return mix


def test_by_hand():
    mix = mix_of([0.0, 0.0, 2.0], gamma=3.0)
    s = mix.weights.tolist()
    assert s == pytest.approx([0.1065, 0.1065, 0.7870], abs=1e-4)  # 1, 1 and e^2 over their sum
    layers = torch.tensor([1.0, 10.0, 100.0])[:, None, None, None].expand(3, 2, 5, 7)
    torch.testing.assert_close(ScalarMix(3)(layers), layers.mean(0))  # it starts as the plain mean
    torch.testing.assert_close(mix(layers), torch.full((2, 5, 7), 3 * (s[0] + 10 * s[1] + 100 * s[2])))


def test_layer_norm_takes_one_mean_and_variance_of_the_real_units_of_a_layer():
    layers = torch.randn(3, 2, 5, 7) * torch.tensor([1.0, 10.0, 0.1])[:, None, None, None] + 5
    expected = 0
    for layer, weight in zip(layers, mix_of([0.1, -0.4, 0.9]).weights, strict=True):
        numbers = [number for row, real in zip(layer, [5, 3], strict=True) for number in row[:real].flatten().tolist()]
        mean = sum(numbers) / len(numbers)
        variance = sum((number - mean) ** 2 for number in numbers) / len(numbers)
        expected = expected + weight * (layer - mean) / variance**0.5
    mixed = mix_of([0.1, -0.4, 0.9], layer_norm=True)(layers, MASK)
    torch.testing.assert_close(mixed, expected, rtol=1e-4, atol=1e-4)


@pytest.fixture
def encoder():
    return RandomEncoder(6, n_layers=2, buckets=97)


def test_elmo_mixes_the_encoders_layers_for_each_place(encoder):
    elmo = ELMo(encoder, ("input", "output"), dropout=0)
    elmo.mixes["output"].raw.data = torch.tensor([-50.0, -50.0, 50.0])
    states = elmo.read([BANK, RIVER])
    assert states.shape == (2, 8, 3, 6)
    vectors = elmo(states)
    for row, sentence in enumerate([BANK, RIVER]):
        layers = torch.from_numpy(encoder.encode([sentence])[0])
        torch.testing.assert_close(vectors["input"][row, : len(sentence)], layers.mean(0))
        torch.testing.assert_close(vectors["output"][row, : len(sentence)], layers[2])
    assert not states[1, len(RIVER) :].any()


def test_the_encoder_stays_free_to_learn_elsewhere():
    bank = StaticVectors(["bank"], torch.randn(1, 5))
    head = SequenceClassifier(bank, ["a", "b"])
    before = [name for name, *_ in head.groups()]
    ELMo(bank).train()
    TagLM(["O", "B"], bank, lm=bank).train()
    assert not bank.frozen
    assert [name for name, *_ in head.groups()] == before == ["word", "head"]


def test_the_encoder_goes_along_to_another_device_and_the_states_to_the_mixes(encoder):
    elmo = ELMo(encoder).to("meta")
    assert {parameter.device.type for parameter in encoder.parameters()} == {"meta"}
    assert elmo(torch.zeros(2, 8, 3, 6))["input"].device.type == "meta"


def test_dropout_falls_on_the_mixed_vectors_in_training_only(encoder):
    elmo = ELMo(encoder, dropout=0.5)
    states = elmo.read([BANK])
    zeros = (elmo.train()(states)["input"] == 0).float().mean()
    assert 0.2 < zeros < 0.8
    assert (elmo.eval()(states)["input"] != 0).all()


def test_one_layer_comes_at_its_true_width():
    static = StaticVectors(["the", "bank"], torch.randn(2, 5))
    assert FrozenStates(static, layer=-1).read([BANK]).shape == (1, 8, 1, 5)
    mixed = RandomEncoder(6, n_layers=1, buckets=97)
    mixed.dims = (6, 4)
    assert FrozenStates(mixed, layer=-1).dim == 4
    assert FrozenStates(mixed, layer=-1).read([BANK]).shape == (1, 8, 1, 4)
