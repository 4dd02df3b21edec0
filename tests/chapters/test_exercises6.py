"""Chapter 6's reference solutions against the library and by hand."""

import pytest
import torch
from torch import nn

from course.by_hand.transformer import Translator, translate
from course.check import registry
from course.lab.byte_pairs import merged, pair_counts
from course_lib.models.attention import attend, causal_mask, padding_mask


def test_cross_attention_is_torch_s():
    theirs, (x, states) = nn.MultiheadAttention(6, 3, bias=False, batch_first=True), torch.randn(2, 2, 5, 6)
    x, real = x[:, :4], torch.tensor([[True] * 5, [True] * 2 + [False] * 3])
    matrices = [*theirs.in_proj_weight.detach().chunk(3), theirs.out_proj.weight.detach()]
    found = registry.find("6.8").solution(x, states, real, 3, *(matrix.T for matrix in matrices))
    expected = theirs(x, states, states, key_padding_mask=~real, average_attn_weights=False)
    torch.testing.assert_close(found, tuple(part.detach() for part in expected))


@pytest.mark.parametrize("real", [[True] * 3 + [False] * 2, [False] * 2 + [True] * 3])
def test_masked_weights_are_the_library_s_wherever_padding_stands(real):
    query, key = torch.randn(1, 5, 3), torch.randn(1, 5, 3)
    real = torch.tensor([real])
    found = registry.find("6.4").solution(query @ key.mT / 3**0.5, real)
    torch.testing.assert_close(found, attend(query, key, key, causal_mask(5) & padding_mask(real))[1])


def test_each_merge_joins_the_most_frequent_pair_and_of_equal_ones_the_first():
    words = {"an": 8, "ban": 4, "banned": 3, "aaaaa": 2, "nab": 3, "den": 3}
    text, merges = {word: (tuple(word), count) for word, count in words.items()}, []
    while counts := pair_counts(text):
        merges.append(min(counts, key=lambda pair: (-counts[pair], pair)))
        text = {word: (merged(pieces, *merges[-1]), count) for word, (pieces, count) in text.items()}
    assert len(merges) > 9
    for k in (1, 5, 99):
        assert registry.find("6.12").solution(words, k) == merges[:k]


def test_loss_and_words_are_those_of_the_chapter_s_translator():
    torch.manual_seed(5)  # of a model that closes some sentences, and others not
    model = Translator(7, dim=4, n_heads=2, n_layers=1)
    source, target = torch.tensor([[5, 4, 2, 0], [3, 6, 6, 2]]), torch.tensor([[1, 3, 6, 5, 2], [1, 4, 2, 0, 0]])
    loss = registry.find("6.9").solution([[5, 4], [3, 6, 6]], [[3, 6, 5], [4]], model)
    nats = -model(source, target[:, :-1]).log_softmax(-1).gather(2, target[:, 1:, None])[..., 0]
    torch.testing.assert_close(loss, nats[target[:, 1:] > 0].mean())
    source = torch.randint(3, 7, (50, 4))
    rows = translate(model, source, 9).tolist()
    assert 0 < sum(2 in row for row in rows) < 50
    found = registry.find("6.11").solution(source, model, 9)
    assert found == [row[: row.index(2)] if 2 in row else row for row in rows]
