"""Chapter 4's reference solutions against the library and by hand."""

import pytest
import torch
from torch import nn

from course.check import registry
from course_lib.models.char_cnn import CharCNN, CharCNNConfig, Highway
from course_lib.models.elmo import ScalarMix
from course_lib.text.characters import Characters


def layer_of(stacked, layer, x):
    """(forward, backward) states [word, hidden] of `layer` from x [word, dim]: real LSTMs with random weights."""
    width, hidden = x.shape[1], 3
    if stacked:
        states, _ = nn.LSTM(width, hidden, num_layers=layer, bidirectional=True)(x)
        return states.split(hidden, dim=1)
    forward, backward = (nn.LSTM(width, hidden, num_layers=layer) for _ in range(2))
    return forward(x)[0], backward(x.flip(0))[0].flip(0)


@pytest.mark.parametrize("stacked", [False, True])
@pytest.mark.parametrize("layer", [1, 2])
def test_the_words_seen_are_those_that_get_a_gradient(stacked, layer):
    torch.manual_seed(5)
    x = torch.randn(7, 2, requires_grad=True)
    for k in (0, 4):
        seen = []
        for states in layer_of(stacked, layer, x):
            (gradient,) = torch.autograd.grad(states[k].sum(), x, retain_graph=True)
            seen.append(set(gradient.abs().sum(dim=1).nonzero()[:, 0].tolist()))
        assert registry.find("4.1").solution(7, k, layer, stacked) == tuple(seen)


def test_the_character_rows_are_those_of_the_library():
    words = ["먹다", "먹었다", "x"]
    characters = Characters(["다", "먹", "었"], "character")
    ids = {character: characters.ids(character)[1] for character in "다먹었"}
    rows, _ = registry.find("4.2").solution(words, ids, torch.zeros(1, len(characters)))
    assert rows == characters.table(words)


def test_the_maxima_do_not_change_beside_a_longer_word():
    filters = torch.tensor([[0.0, -1, -2, -3, -4, -5], [3.0, -2, -1, -4, 2, 1]])
    maxima = [registry.find("4.2").solution(words, {"a": 4, "b": 5}, filters)[1][0] for words in (["b"], ["b", "abab"])]
    assert [row.tolist() for row in maxima] == [[-2, 1]] * 2


def test_the_highway_layer_is_the_library_s():
    layer, x = Highway(5), torch.randn(3, 5)
    weights = (p.detach() for linear in (layer.transform, layer.carry) for p in (linear.weight, linear.bias))
    torch.testing.assert_close(registry.find("4.3").solution(x, *weights), layer(x).detach())


def test_the_elmo_vector_is_the_library_s_mix():
    x, forward, backward, raw = torch.randn(3, 5), torch.randn(2, 3, 5), torch.randn(2, 3, 5), torch.randn(3)
    mix = ScalarMix(3)
    mix.raw.data, mix.gamma.data = raw, torch.tensor([1.7])
    layers = torch.stack([torch.hstack(pair) for pair in [(x, x), *zip(forward, backward, strict=True)]])
    vector = registry.find("4.4").solution(x, forward, backward, raw, 1.7)
    torch.testing.assert_close(vector, mix(layers[:, None])[0].detach())


def test_the_count_is_that_of_the_library_s_network():
    config = CharCNNConfig(11, char_dim=3, filters=((1, 2), (4, 5)), n_highway=2, out_dim=13)
    parameters = sum(parameter.numel() for parameter in CharCNN(config).parameters())
    counted = registry.find("4.5").solution(11, 3, [(1, 2), (4, 5)], 2, 13, 17)
    assert counted == (parameters, 17 * 13)


def test_always_the_frequent_sense_is_at_chance():
    known, test = torch.tensor([[1.0, 0.0], [-1.0, 0.0]]), torch.ones(10, 2)
    assert registry.find("4.6").solution(known, [0, 1], test, [0] * 9 + [1]) == pytest.approx(1 / 2)
