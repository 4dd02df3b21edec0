"""A head that is switched off."""

from itertools import islice

import pytest
import torch

from course.lab.head_weights import ablation, switched_off, translation_loss
from course_lib.data.world import World
from course_lib.models.attention import MultiHeadAttention
from course_lib.models.transformer import TransformerConfig
from course_lib.models.translator import Translator
from course_lib.text.pieces import Pieces


def test_nothing_of_the_head_is_left_and_all_of_it_comes_back():
    attention = MultiHeadAttention(15, 3)
    states = torch.randn(2, 5, 15)
    before = attention(states)[0]
    weight = attention.output.weight.detach().clone()
    with switched_off(attention, 1):
        without = attention(states)[0]
        with torch.no_grad():
            attention.value.weight[5:10] += 1  # what the head reads does not matter any more
        torch.testing.assert_close(attention(states)[0], without)
        with torch.no_grad():
            attention.value.weight[5:10] -= 1
    assert (without - before).abs().max() > 1e-3
    assert torch.equal(attention.output.weight, weight)


def test_comes_back_after_an_error():
    attention = MultiHeadAttention(6, 2)
    weight = attention.output.weight.detach().clone()
    with pytest.raises(RuntimeError), switched_off(attention, 0):
        raise RuntimeError
    assert torch.equal(attention.output.weight, weight)


@pytest.mark.parametrize("cross", [False, True])
def test_ablation_is_of_the_layer_and_head_asked_for(cross):
    pairs = list(islice(World(5).pairs(), 70))  # more than one batch
    config = TransformerConfig(d_model=12, n_heads=3, n_layers=2, d_ff=17, dropout=0.0)
    model = Translator(config, Pieces.words(pair[side].words for pair in pairs for side in ("en", "ko"))).eval()
    found = ablation(model, pairs, 1, 2, cross=cross)
    layer = model.decoder.layers[1].cross_attention if cross else model.encoder.layers[1].attention
    with switched_off(layer, 2):
        assert translation_loss(model, pairs) == pytest.approx(found["loss without the chosen head"])
    assert translation_loss(model, pairs) == pytest.approx(found["loss with all heads, in nats"])
    with torch.no_grad():
        whole = float(model.loss(model.batch([pair.parallel() for pair in pairs]))["cross_entropy"])
    assert found["loss with all heads, in nats"] == pytest.approx(whole, rel=1e-5)
    assert found["loss without another head of its layer, mean"] != found["loss without the chosen head"]
