"""A pre-training step of BERT base, 512 pieces, bfloat16, against transformers' BertForPreTraining on one GPU.

Both are compiled and drop out as the paper does. `python -m tests.bench.bert_gpu SIDE` is one timed run.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import Tensor, nn

from course_lib.models.bert import Bert, BertConfig, MaskedPairs
from course_lib.text.word_pieces import SPECIALS, WordPieces
from course_lib.training.groups import adamw
from tests.bench.bert import masked, stepping
from tests.bench.measure import (
    PEAK_SHARE,
    Options,
    interleaved,
    matrix_flops,
    matrix_peak,
    middle,
    ratios,
    run_alone,
)

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


def our_loss(setting: Setting) -> tuple[nn.Module, Callable[[MaskedPairs], Tensor]]:
    model = setting.model().to(setting.device).train()
    return model, lambda one: model.loss(one)["loss"]


def peer_loss(setting: Setting) -> tuple[nn.Module, Callable[[MaskedPairs], Tensor]]:
    from transformers import BertForPreTraining

    with tempfile.TemporaryDirectory() as folder:
        setting.model().save_pretrained(Path(folder))
        model = BertForPreTraining.from_pretrained(folder).to(setting.device).train()

    def loss(one: MaskedPairs) -> Tensor:
        labels = torch.full_like(one.input_ids, -100)
        labels[one.rows, one.columns] = one.answers
        return model(
            input_ids=one.input_ids,
            token_type_ids=one.token_type_ids,
            labels=labels,
            next_sentence_label=(~one.next).long(),
        ).loss

    return model, loss


def run(side: str, setting: Setting) -> dict[str, float]:
    """Pieces per second of whole training steps, the loss of the last one, share of the matrix peak, peak memory."""
    model, loss_of = our_loss(setting) if side == SIDES[0] else peer_loss(setting)
    batches = setting.batches()
    kind = torch.device(setting.device).type

    def amp(one: MaskedPairs) -> Tensor:
        with torch.autocast(kind, torch.bfloat16):
            return loss_of(one)

    flops = matrix_flops(lambda: amp(batches[0]).backward())
    model.zero_grad()
    groups = [{"name": "all", "params": list(model.parameters()), "lr": 1e-4}]
    optimizer = adamw(groups, weight_decay=0.0, betas=(0.9, 0.999))
    compiled = setting.compiled and side != SIDES[2]
    step = stepping(model, optimizer, torch.compile(amp) if compiled else amp)
    wait = torch.cuda.synchronize if kind == "cuda" else lambda: None
    started, loss = 0.0, torch.tensor(0.0)
    for number, one in enumerate(batches):
        if number == WARM_UP:
            wait()
            started = time.perf_counter()
        loss = step(one)
    wait()
    seconds = time.perf_counter() - started
    peak = matrix_peak(setting.device, 8_192 if kind == "cuda" else 512, dtype=torch.bfloat16)
    return {
        "speed": setting.steps * batches[0].input_ids.numel() / seconds,
        "loss": float(loss),
        "peak_share": setting.steps * flops / seconds / peak,
        "peak_mb": torch.cuda.max_memory_allocated() / (1 << 20) if kind == "cuda" else 0.0,
    }


def bert_base_gpu(options: Options) -> dict:
    setting = Setting()
    results = interleaved({side: lambda _, side=side: run_alone(__name__, side) for side in SIDES}, options.pairs)
    ours, compiled, usual = results.values()
    both = {"ours": ours, "theirs": compiled}
    return {
        "what": "a pre-training step of BERT base on one GPU, pieces per second, against BertForPreTraining: both "
        f"compiled, dropout 0.1. Quality: loss after {WARM_UP + STEPS} steps on random pieces, from the same weights",
        **{name: round(middle(found)) for name, found in both.items()},
        "unit": "pieces/s",
        **ratios(ours, compiled),
        "quality": {name: {"loss": round(middle(found, "loss"), 3)} for name, found in both.items()},
        "sizes": {
            "d_model": setting.config.d_model, "n_layers": setting.config.n_layers, "batch": setting.batch,
            "length": setting.config.max_units, "gpu": torch.cuda.get_device_name(),
            "against transformers as it comes": ratios(ours, usual)["ratio"],
            PEAK_SHARE: [round(middle(found, "peak_share"), 2) for found in (ours, compiled)],
        },
        "threads": torch.get_num_threads(),
        "precision": "bfloat16 (autocast), weights float32",
        "peak_mb": [round(middle(found, "peak_mb")) for found in both.values()],
    }  # fmt: skip


ROWS = {"bert-base-gpu": bert_base_gpu} if torch.cuda.is_available() else {}


if __name__ == "__main__":
    print(json.dumps(run(sys.argv[1], Setting())))
