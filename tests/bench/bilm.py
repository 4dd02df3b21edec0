"""A training step of the biLM against an LSTM with projection that reads word by word, as AllenNLP's does.

AllenNLP is no dependency of the course, so `PeerLSTM` is its algorithm (modules/lstm_cell_with_projection.py), written
down once more, with the same weights. Its best setting multiplies the inputs of all words at once.
"""

from __future__ import annotations

from functools import partial
from itertools import islice

import torch
from torch import Tensor, nn

from course_lib.data.streams import TwoWayStreams
from course_lib.models.lstm_lm import SPECIALS, UNKNOWN, BiLM, BiLMConfig
from course_lib.text.vocabulary import Vocabulary
from tests.bench.measure import Options, figures, main, middle, rounds_of, row

VOCAB_SIZE, N_LAYERS = 10_000, 2
ROW_SIZES = {
    "bilm-cpu": {"hidden": 512, "projection": 128, "step": 64, "batch": 32},
    "bilm-cpu-course": {"hidden": 256, "projection": 128, "step": 32, "batch": 128},
}
STEPS, WARM_UP = 5, 2
SIDES = ("ours", "word by word", "word by word, inputs at once")


class PeerLSTM(nn.Module):
    """One layer that reads word by word and lays its outputs into a tensor; it takes over the weights of `lstm`."""

    def __init__(self, lstm: nn.LSTM, at_once: bool):
        super().__init__()
        self.hidden, self.width, self.at_once = lstm.hidden_size, lstm.proj_size, at_once
        self.input_linearity = nn.Linear(lstm.input_size, 4 * self.hidden, bias=False)
        self.state_linearity = nn.Linear(self.width, 4 * self.hidden)
        self.state_projection = nn.Linear(self.hidden, self.width, bias=False)
        with torch.no_grad():
            self.input_linearity.weight.copy_(lstm.weight_ih_l0)
            self.state_linearity.weight.copy_(lstm.weight_hh_l0)
            self.state_linearity.bias.copy_(lstm.bias_ih_l0 + lstm.bias_hh_l0)
            self.state_projection.weight.copy_(lstm.weight_hr_l0)

    def forward(self, inputs: Tensor, state: tuple[Tensor, Tensor] | None) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        n_rows, n_words, _ = inputs.shape
        hidden = inputs.new_zeros(n_rows, self.width) if state is None else state[0][0]
        memory = inputs.new_zeros(n_rows, self.hidden) if state is None else state[1][0]
        outputs = inputs.new_zeros(n_rows, n_words, self.width)
        all_at_once = self.input_linearity(inputs) if self.at_once else None
        for word in range(n_words):
            of_input = self.input_linearity(inputs[:, word]) if all_at_once is None else all_at_once[:, word]
            take, forget, new, show = (of_input + self.state_linearity(hidden)).chunk(4, dim=1)
            memory = torch.sigmoid(take) * torch.tanh(new) + torch.sigmoid(forget) * memory
            hidden = self.state_projection(torch.sigmoid(show) * torch.tanh(memory))
            outputs[:, word] = hidden
        return outputs, (hidden[None], memory[None])


def model_of(side: str, name: str) -> BiLM:
    """All sides are the same network from the same weights with the same loss; only the LSTM layers differ."""
    torch.manual_seed(0)
    words = [*SPECIALS, *(f"w{number}" for number in range(VOCAB_SIZE - len(SPECIALS)))]
    sizes = {size: ROW_SIZES[name][size] for size in ("hidden", "projection")}
    config = BiLMConfig(VOCAB_SIZE, n_layers=N_LAYERS, softmax="adaptive", cutoffs=(1000, 4000), **sizes)
    model = BiLM(config, Vocabulary(words, unknown=UNKNOWN)).train()
    for stack in model.lstms.values():
        if side != "ours":
            stack.layers = nn.ModuleList(PeerLSTM(lstm, side == SIDES[2]) for lstm in stack.layers)
        else:  # AllenNLP has one bias for each gate, PyTorch two that are added: Adam would move their sum twice as far
            for lstm in stack.layers:
                lstm.bias_hh_l0.requires_grad_(False)
    return model


def run(side: str, name: str, threads: int) -> dict[str, float]:
    """Words of text per second, each read in both directions; the last loss per direction."""
    torch.set_num_threads(threads)
    model, (batch_size, n_words) = model_of(side, name), (ROW_SIZES[name]["batch"], ROW_SIZES[name]["step"])
    # frequent words often, as in text (the logarithm of the id is uniform): the adaptive softmax leans on it
    generator = torch.Generator().manual_seed(0)
    drawn = torch.rand((WARM_UP + STEPS) * batch_size * n_words + batch_size, generator=generator)
    text = (VOCAB_SIZE**drawn).long().clamp(2, VOCAB_SIZE - 1).tolist()
    batches = list(islice(TwoWayStreams([text], batch_size, n_words)(), WARM_UP + STEPS))
    torch.manual_seed(1)  # dropout: as many draws on all sides, but laid out otherwise in memory, so other masks
    words = batch_size * n_words
    found = figures(model, model.loss, batches, WARM_UP, lambda one: words, learning_rate=1e-3, betas=(0.9, 0.99))
    return {**found, "cross_entropy": found["loss"] / 2}


def bilm_cpu(options: Options, *, name: str) -> dict:
    results = rounds_of(__name__, SIDES, options, name)
    speeds = {side: round(middle(results[side])) for side in SIDES}
    best = max(SIDES[1:], key=speeds.get)
    what = (
        "biLM, words of running text per second of training steps, each read in both directions, against "
        f"AllenNLP's LSTM with projection in the faster of two settings ({best}). Quality: cross-entropy per word and "
        f"direction after {WARM_UP + STEPS} steps on random words, from the same weights"
    )
    sizes = {"vocab_size": VOCAB_SIZE, "n_layers": N_LAYERS, **ROW_SIZES[name], "words/s": speeds}
    both = results["ours"], results[best]
    return row(*both, options, what=what, unit="words/s", sizes=sizes, quality="cross_entropy")


ROWS = {name: partial(bilm_cpu, name=name) for name in ROW_SIZES}


if __name__ == "__main__":
    main(run)
