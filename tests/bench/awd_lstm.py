"""A training step of AWD-LSTM against fastai's way of dropping weights, at ULMFiT's size.

fastai is no dependency of the course, so `PeerAWDLSTM` is its algorithm (fastai 2.8, text/models/awdlstm.py), written
down once more: a raw copy of each recurrent matrix beside the LSTM, dropped and set on it before every call; the
embedding dropped as a whole table.
"""

from __future__ import annotations

import warnings

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib.data.streams import StreamBatch
from course_lib.models.awd_lstm import AWDLSTM, AWDLSTMConfig
from course_lib.text.vocabulary import Vocabulary
from tests.bench.measure import Options, figures, main, middle, rounds_of, row

SIZES = {"vocab_size": 10_000, "emb_dim": 400, "hidden": 1152, "n_layers": 3, "batch": 16, "step": 70}
STEPS, WARM_UP = 5, 2
SIDES = ("ours", "fastai's way", "plain LSTM")


def config(side: str) -> AWDLSTMConfig:
    sizes = {name: SIZES[name] for name in ("vocab_size", "emb_dim", "hidden", "n_layers")}
    return AWDLSTMConfig(**sizes, **({"weight_dropout": 0.0} if side == "plain LSTM" else {}))


class PeerWeightDrop(nn.Module):
    """fastai's WeightDropout around one nn.LSTM."""

    def __init__(self, lstm: nn.LSTM, p: float):
        super().__init__()
        raw = lstm.weight_hh_l0
        del lstm.weight_hh_l0
        self.p, self.raw, self.lstm = p, nn.Parameter(raw.data), lstm
        lstm.weight_hh_l0 = raw.data.clone()
        lstm.flatten_parameters = lambda: None

    def forward(self, vectors: Tensor, state: tuple | None) -> tuple:
        self.lstm.weight_hh_l0 = F.dropout(self.raw, self.p, self.training)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", category=UserWarning)
            return self.lstm(vectors, state)


class PeerEmbedding(nn.Module):
    """fastai's EmbeddingDropout: the whole table times the mask, then looked up."""

    def __init__(self, weight: nn.Parameter, p: float):
        super().__init__()
        self.weight, self.p = weight, p

    def forward(self, ids: Tensor) -> Tensor:
        mask = self.weight.new_empty(len(self.weight), 1).bernoulli_(1 - self.p).div_(1 - self.p)
        return F.embedding(ids, self.weight * mask)


def model_of(side: str) -> AWDLSTM:
    """Both sides are the same network with the same loss; only what drops weights and words differs."""
    torch.manual_seed(0)
    words = [f"w{number}" for number in range(SIZES["vocab_size"])]
    model = AWDLSTM(config(side), Vocabulary(words, unknown="w0")).train()
    if side == "fastai's way":
        for number, layer in enumerate(model.lstms):
            model.lstms[number] = PeerWeightDrop(layer.lstm, layer.dropout.p)
        model.embedding = PeerEmbedding(model.embedding.weight, model.embedding.p)
    return model


def run(side: str, threads: int) -> dict[str, float]:
    torch.set_num_threads(threads)
    n_steps, length = WARM_UP + STEPS, SIZES["step"]
    model = model_of(side)
    words = torch.randint(1, SIZES["vocab_size"], (SIZES["batch"], n_steps * length + 1))
    parts = [words[:, at : at + length + 1] for at in range(0, n_steps * length, length)]
    batches = [StreamBatch(part[:, :-1], part[:, 1:]) for part in parts]
    return figures(
        model, model.loss, batches, WARM_UP, lambda one: one.ids.numel(), learning_rate=1e-3, betas=(0.9, 0.99)
    )


def awd_lstm_cpu(options: Options) -> dict:
    ours, theirs, plain = rounds_of(__name__, SIDES, options).values()
    what = (
        "AWD-LSTM, words of running text per second of training steps, against fastai's way of dropping "
        f"weights and words; without weight drop: {middle(plain):,.0f}. Quality: cross-entropy after "
        f"{WARM_UP + STEPS} steps on random words"
    )
    return row(ours, theirs, options, what=what, unit="words/s", sizes=SIZES, quality="cross_entropy")


ROWS = {"awd-lstm-cpu": awd_lstm_cpu}


if __name__ == "__main__":
    main(run)
