"""AWD-LSTM as a language model, and what its dropouts drop; as an encoder it runs the battery in test_encoders.py."""

import json

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from course_lib.data.streams import StreamBatch
from course_lib.models.awd_lstm import AWDLSTM, AWDLSTMConfig, LockedDropout, WeightDropLSTM, WordDropEmbedding
from course_lib.text.vocabulary import Vocabulary
from tests.models import fastai_awd_lstm as fastai
from tests.models.awd_lstms import WORDS, small_awd_lstm

NO_DROPOUT = dict.fromkeys([name for name in AWDLSTMConfig.__dataclass_fields__ if name.endswith("dropout")], 0.0)
CLOSE = {"rtol": 0, "atol": 1e-5}


def load_fastai_weights() -> AWDLSTM:
    model = small_awd_lstm(WORDS[: fastai.VOCAB - 1], emb_dim=fastai.EMB, hidden=fastai.HIDDEN, n_layers=fastai.LAYERS)
    weights = fastai.weights(fastai.shapes())
    named = {"embedding.weight": weights.pop("table"), "softmax.bias": weights.pop("bias")}
    named |= {f"lstms.{name.replace('.', '.lstm.')}": value for name, value in weights.items()}
    model.load_state_dict(named)
    return model.eval()


def stored(name: str, *shape: int) -> torch.Tensor:
    return torch.tensor(json.loads(fastai.STORED.read_text())[name]).view(shape)


def step(model: AWDLSTM, n_streams=3, length=5) -> StreamBatch:
    rows = torch.randint(model.config.vocab_size + 1, (n_streams, length + 1))
    return StreamBatch(rows[:, :-1], rows[:, 1:])


def test_equals_fastai_and_carries_its_state():
    model, ids = load_fastai_weights(), fastai.ids()
    first, carry = model(ids[:, :5])
    second, _ = model(ids[:, 5:], carry)
    logits = torch.cat([model.logits(first[-1]), model.logits(second[-1])], 1)
    torch.testing.assert_close(logits, stored("logits", fastai.BATCH, fastai.STEP, fastai.VOCAB), **CLOSE)
    torch.testing.assert_close(first[-1], stored("states", fastai.BATCH, 5, fastai.EMB), **CLOSE)
    without, _ = model(ids[:, 5:])
    assert (without[-1] - second[-1]).abs().max() > 1e-3


def test_the_backward_model_is_the_forward_one_on_turned_text():
    forward, backward = small_awd_lstm().eval(), small_awd_lstm(direction="backward").eval()
    backward.load_state_dict(forward.state_dict())
    texts = [[*"abcde"], [*"fg"]]
    mine = backward.states(backward.batch(texts))
    other = forward.states(forward.batch([text[::-1] for text in texts]))
    torch.testing.assert_close(mine.layers[:, 0], other.layers[:, 0].flip(1))
    torch.testing.assert_close(mine.layers[:, 1, :2], other.layers[:, 1, :2].flip(1))
    torch.testing.assert_close(mine.sentence, other.sentence)
    torch.testing.assert_close(mine.sentence[1], mine.layers[-1, 1, 0, :5])  # read last: the first word


def test_streams_put_the_begin_mark_first_in_reading_order():
    documents = [[*"abc"], ["d", "Zebra"]]
    rows = {"forward": [0, 2, 3, 4], "backward": [0, 4, 3, 2]}
    for direction, expected in rows.items():
        streams = small_awd_lstm(direction=direction).streams(documents, 1, 100)
        found = [document.tolist() for document in streams.documents]
        assert found == [expected, [0, 5, 1] if direction == "forward" else [0, 1, 5]]
    assert [small_awd_lstm().row(word) for word in ("A", "a", "?", "<unk>")] == [2, 2, 1, 1]


def test_the_loss_is_made_of_its_named_parts():
    model = small_awd_lstm(**NO_DROPOUT, alpha=3.0, beta=0.5)
    batch = step(model)
    losses = model.loss(batch)
    top = model(batch.ids)[0][-1]
    expected = F.cross_entropy(model.logits(top).transpose(1, 2), batch.targets)
    torch.testing.assert_close(losses["cross_entropy"], expected)
    torch.testing.assert_close(losses["activation"], 3.0 * top.pow(2).mean())
    torch.testing.assert_close(losses["temporal_activation"], 0.5 * (top[:, 1:] - top[:, :-1]).pow(2).mean())
    parts = [losses[name] for name in ("cross_entropy", "activation", "temporal_activation")]
    torch.testing.assert_close(losses["loss"], sum(parts))
    assert losses["count"] == 15
    scores = model.eval().loss(batch)
    assert scores.keys() == {"loss", "count", "cross_entropy", "carry"}
    torch.testing.assert_close(scores["loss"], expected)
    assert torch.isfinite(model.train().loss(step(model, length=1))["loss"])  # a step of one word, too


def test_another_vocabulary_keeps_known_words_and_gives_new_ones_the_mean():
    old = small_awd_lstm()
    torch.nn.init.normal_(old.softmax.bias)
    new = old.adapted(Vocabulary(["c", "new", "[UNK]", "a"], unknown="[UNK]"), weight_dropout=0.5)
    assert (new.config.vocab_size, new.config.weight_dropout, new.config.hidden) == (4, 0.5, 7)
    for name in ("embedding.weight", "softmax.bias"):
        before, after = (model.state_dict()[name] for model in (old, new))
        torch.testing.assert_close(after, torch.stack([before[0], before[4], before.mean(0), before[1], before[2]]))
    for mine, other in zip(new.eval().encode([[*"ac?"]]), old.eval().encode([[*"ac?"]]), strict=True):
        np.testing.assert_array_equal(mine, other)
    assert old.adapted().vocabulary is old.vocabulary


# -- the dropouts: what is dropped, how often, and that gradients are those of what was computed
def test_locked_dropout_has_one_mask_for_all_time_steps_and_keeps_the_mean():
    dropped = LockedDropout(0.3)(torch.ones(211, 5, 101))
    assert dropped.eq(dropped[:, :1]).all()
    assert not dropped[0].eq(dropped[1]).all()  # another text, another mask
    kept = dropped[:, 0]
    assert kept.unique().tolist() == pytest.approx([0, 1 / 0.7])
    assert kept.eq(0).float().mean() == pytest.approx(0.3, abs=0.01)  # 21311 draws: 3 standard errors


def test_embedding_dropout_drops_whole_words_wherever_they_stand():
    table = WordDropEmbedding(997, 3, 0.4)
    torch.nn.init.ones_(table.weight)
    ids = torch.arange(997).repeat(2, 2)
    vectors = table(ids)
    first = vectors[0, :997]
    assert vectors.eq(first.repeat(2, 1)).all()  # the same words in all four places
    assert first.eq(first[:, :1]).all()  # all of a word's coordinates together
    assert first.eq(0).all(1).float().mean() == pytest.approx(0.4, abs=0.05)
    assert first.unique().tolist() == pytest.approx([0, 1 / 0.6])
    assert table.weight.eq(1).all()


def test_all_time_steps_use_the_same_thinned_matrix():
    layer, vectors = WeightDropLSTM(3, 5, 0.5).double(), torch.randn(2, 7, 3, dtype=torch.float64)
    plain = torch.nn.LSTM(3, 5, batch_first=True, dtype=torch.float64)
    plain.load_state_dict(layer.lstm.state_dict())
    torch.manual_seed(11)
    plain.weight_hh_l0.data = layer.dropout(layer.lstm.weight_hh_l0.detach())
    torch.manual_seed(11)
    output, state = layer(vectors)
    torch.testing.assert_close((output, state), plain(vectors))
    output.sum().backward()
    assert layer.lstm.weight_hh_l0.grad.any()  # through the mask
    assert not layer(vectors)[0].equal(layer(vectors)[0])  # a new mask with each call
    assert layer.lstm.weight_hh_l0.ne(0).all()  # the matrix itself stays whole
