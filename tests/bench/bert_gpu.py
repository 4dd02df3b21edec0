"""A pre-training step of BERT base, 512 pieces, bfloat16, against transformers' BertForPreTraining on one GPU.

Both are compiled and drop out as the paper does.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import nn

from course_lib.models.bert import Bert, BertConfig, MaskedPairs
from course_lib.text.word_pieces import SPECIALS, WordPieces
from tests.bench import measure
from tests.bench.bert import LossOf, masked, peer_of
from tests.bench.measure import PEAK_SHARE, Options, main

SIDES = ("ours", "transformers, compiled", "transformers, as it comes")
WARM_UP, STEPS = 5, 20


@dataclass(frozen=True)
class Setting:
    """What is measured; a test measures a small one on a CPU."""

    config: BertConfig = field(default_factory=BertConfig.paper)
    batch: int = 32
    device: str = "cuda"
    compiled: bool = True
    steps: int = STEPS

    def model(self) -> Bert:
        """The same weights on all sides."""
        torch.manual_seed(0)
        rest = range(self.config.vocab_size - len(SPECIALS))
        return Bert(self.config, WordPieces([*SPECIALS, *(f"w{number}" for number in rest)]))

    def batches(self) -> list[MaskedPairs]:
        """Full rows, 15 % of them hidden: how many places that is differs from batch to batch."""
        generator = torch.Generator().manual_seed(1)
        size = (self.batch, self.config.max_units)
        rows = [
            torch.randint(5, self.config.vocab_size, size, generator=generator) for _ in range(WARM_UP + self.steps)
        ]
        return [masked(ids, None, self.config.vocab_size).to(self.device) for ids in rows]


def of_side(side: str, setting: Setting) -> tuple[nn.Module, LossOf]:
    """The model in training, and its losses."""
    model, loss_of = (ours := setting.model()).train(), ours.loss
    if side != SIDES[0]:
        model, loss_of = peer_of(ours)
    return model.to(setting.device), loss_of


def run(side: str, threads: int = 0, setting: Setting | None = None) -> dict[str, float]:
    """Pieces per second of whole training steps, the loss of the last one, share of the matrix peak, peak memory."""
    setting = setting or Setting()
    model, loss_of = of_side(side, setting)
    batches = setting.batches()
    kind = torch.device(setting.device).type

    def amp(one: MaskedPairs) -> dict:
        with torch.autocast(kind, torch.bfloat16):
            return {"loss": loss_of(one)["loss"]}

    flops = measure.matrix_flops(lambda: amp(batches[0])["loss"].backward())
    model.zero_grad()
    compiled = setting.compiled and side != SIDES[2]
    step = measure.training_step(model, torch.compile(amp) if compiled else amp, learning_rate=1e-4)
    wait = torch.cuda.synchronize if kind == "cuda" else lambda: None
    seconds, losses = measure.timed(step, batches, WARM_UP, wait)
    peak = measure.matrix_peak(setting.device, 8_192 if kind == "cuda" else 512, dtype=torch.bfloat16)
    return {
        "speed": setting.steps * batches[0].input_ids.numel() / seconds,
        "loss": losses["loss"].item(),
        "peak_share": setting.steps * flops / seconds / peak,
        "peak_mb": round(torch.cuda.max_memory_allocated() / (1 << 20)) if kind == "cuda" else 0.0,
    }


def bert_base_gpu(options: Options) -> dict:
    config, batch = Setting().config, Setting().batch
    ours, compiled, usual = measure.rounds_of(__name__, SIDES, options).values()
    what = (
        "a pre-training step of BERT base on one GPU, pieces per second, against BertForPreTraining: both "
        f"compiled, dropout 0.1. Quality: loss after {WARM_UP + STEPS} steps on random pieces, from the same weights"
    )
    sizes = {
        **{"d_model": config.d_model, "n_layers": config.n_layers, "batch": batch, "length": config.max_units},
        "gpu": torch.cuda.get_device_name(),
        "against transformers as it comes": measure.ratios(ours, usual)["ratio"],
        PEAK_SHARE: [round(measure.middle(results, "peak_share"), 2) for results in (ours, compiled)],
    }
    precision = "bfloat16 (autocast), weights float32"
    measured = measure.row(
        ours, compiled, options, what=what, unit="pieces/s", sizes=sizes, quality="loss", precision=precision
    )
    return {**measured, "threads": torch.get_num_threads()}


ROWS = {"bert-base-gpu": bert_base_gpu} if torch.cuda.is_available() else {}


if __name__ == "__main__":
    main(run)
