"""ULMFiT's classifier: pooling, long texts, what gets a gradient, freezing, and the mean of two directions."""

import pytest
import torch

from course_lib.data.records import LabelledText
from course_lib.models.ulmfit import BatchNorm, ULMFiTClassifier, concat_pool
from course_lib.training import fit
from tests.models import fastai_awd_lstm as fastai
from tests.models.awd_lstms import small_awd_lstm
from tests.models.test_awd_lstm import CLOSE, NO_DROPOUT, load_fastai_weights, stored

LABELS = ["good", "bad", "so so"]
TEXTS = [[*"abcdefghijabc"], [*"fg"], [*"ca"], [*"hgfedcb"]]
RECORDS = [
    LabelledText(" ".join(text), label) for text, label in zip(TEXTS, ["good", "bad", "bad", "so so"], strict=True)
]


def small(**changes) -> ULMFiTClassifier:
    settings = {"hidden": 11, "bptt": 3, "max_len": 100, "seed": 0} | changes
    return ULMFiTClassifier(small_awd_lstm(direction=settings.pop("direction", "forward")), LABELS, **settings).eval()


def test_pooling_equals_fastai():
    model, ids = load_fastai_weights(), fastai.ids()
    states = torch.zeros(fastai.BATCH, fastai.STEP, fastai.EMB)
    mask = torch.zeros(fastai.BATCH, fastai.STEP, dtype=torch.bool)
    for row, length in enumerate(fastai.LENGTHS):
        states[row, :length] = model(ids[row : row + 1, -length:])[0][-1]
        mask[row, :length] = True
    torch.testing.assert_close(concat_pool(states, mask), stored("pooled", fastai.BATCH, 3 * fastai.EMB), **CLOSE)


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_reading_in_chunks_changes_no_number_and_padding_neither(direction):
    chunked, whole = small(bptt=3, direction=direction), small(bptt=1000)
    whole.encoder = chunked.encoder
    together = chunked.pooled(chunked.batch(TEXTS))
    torch.testing.assert_close(together, whole.pooled(whole.batch(TEXTS)))
    for row, text in enumerate(TEXTS):
        torch.testing.assert_close(chunked.pooled(chunked.batch([text]))[0], together[row])
    states = chunked.encoder.states(chunked.batch(TEXTS))
    torch.testing.assert_close(together[:, :5], states.sentence)
    last = -1 if direction == "forward" else 0
    real = [top[mask] for top, mask in zip(states.layers[-1, ..., :5], states.mask, strict=True)]
    by_hand = [torch.cat([top[last], top.amax(0), top.mean(0)]) for top in real]
    torch.testing.assert_close(together, torch.stack(by_hand))


def test_only_the_last_max_len_words_are_pooled_whatever_else_is_in_the_batch():
    classifier = small(max_len=5)
    expected = []
    for text in TEXTS:
        top = classifier.encoder.states(classifier.batch([text])).layers[-1, 0, -5:, :5]
        expected.append(torch.cat([top[-1], top.amax(0), top.mean(0)]))
    torch.testing.assert_close(classifier.pooled(classifier.batch(TEXTS)), torch.stack(expected))


def words_with_gradient(classifier: ULMFiTClassifier, text: list[str], part: slice = slice(None)) -> list[bool]:
    vectors = []
    hook = classifier.encoder.embedding.register_forward_hook(
        lambda module, inputs, output: vectors.append(output.requires_grad_()) or output.retain_grad()
    )
    classifier.pooled(classifier.batch([text]))[:, part].sum().backward()
    hook.remove()
    gradients = [v.new_zeros(v.shape) if v.grad is None else v.grad for v in vectors]
    return (torch.cat(gradients, 1)[0].abs().sum(1) > 0).tolist()[1:]  # without the begin mark


def test_the_gradient_ends_with_the_chunks_that_are_pooled():
    text = [*"abcdefghij"]  # chunks: (begin) a b | c d e | f g h | i j
    assert words_with_gradient(small(max_len=100), text) == [True] * 10
    last = slice(0, 5)  # the last state alone: the chunks before its own are behind a detached state
    assert words_with_gradient(small(max_len=100), text, last) == [False] * 8 + [True] * 2
    assert words_with_gradient(small(max_len=3), text) == [False] * 5 + [True] * 5  # pooled: h i j; f, g by their chunk
    assert words_with_gradient(small(max_len=2), text) == [False] * 8 + [True] * 2


def test_learns_from_few_texts_and_leaves_the_language_model_alone():
    language_model = small_awd_lstm(emb_dim=13, n_layers=1, **NO_DROPOUT)
    before = {name: value.clone() for name, value in language_model.state_dict().items()}
    classifier = ULMFiTClassifier(language_model, LABELS, bptt=5, dropout=0.0, block_dropout=0.0, seed=0)
    texts = [*TEXTS, [*"ab"], [*"afg"], ["b"]]
    labels = [LABELS["a" in text] for text in texts]
    fit(classifier, [classifier.batch(texts, labels)], steps=60, learning_rate=0.02, show=False)
    assert classifier.predict(texts) == labels
    assert all(value.equal(before[name]) for name, value in language_model.state_dict().items())
    assert not classifier.encoder.softmax.bias.any()
    assert all(p.requires_grad for p in language_model.parameters())


def test_running_averages_start_from_the_first_batches():
    norm, batches = BatchNorm(3), torch.randn(23, 7, 3) * 0.01 + 5
    for count, rows in enumerate(batches[:10], 1):
        norm(rows)
        torch.testing.assert_close(norm.running_mean, batches[:count].mean((0, 1)))
        torch.testing.assert_close(norm.running_var, batches[:count].var(1).mean(0))
    peer = torch.nn.BatchNorm1d(3)  # once they have a past, they are PyTorch's, which fastai takes
    peer.load_state_dict(norm.state_dict())
    for rows in batches[10:]:
        torch.testing.assert_close(norm(rows), peer(rows))
    torch.testing.assert_close(norm.state_dict(), peer.state_dict())
    torch.testing.assert_close(norm.eval()(batches[0]), peer.eval()(batches[0]))


def test_a_batch_of_one_text_trains_on_the_running_averages():
    classifier = small(dropout=0.0).train()
    losses = classifier.loss(classifier.batch(TEXTS[:1], LABELS[:1]))
    assert losses["count"] == 1
    assert torch.isfinite(losses["loss"])
    assert not classifier.output[0].running_mean.any()


def test_a_frozen_head_keeps_its_running_averages():
    classifier = small()
    classifier.freeze(["head"])
    classifier.train()
    before = classifier.output[0].running_mean.clone()
    classifier(classifier.batch(TEXTS))
    assert classifier.output[0].running_mean.equal(before)
    classifier.unfreeze()
    classifier(classifier.batch(TEXTS))
    assert not classifier.output[0].running_mean.equal(before)
    assert not classifier.encoder.softmax.bias.requires_grad
