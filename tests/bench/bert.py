"""A pre-training step of BERT against transformers' BertForPreTraining: full rows, and rows of mixed lengths.

`python -m tests.bench.bert ROW SIDE THREADS` is one timed run in its own process.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch
from torch import Tensor, nn

from course_lib.data.batch import length_mask, pad
from course_lib.data.bucketing import Buckets
from course_lib.data.masking import Masking
from course_lib.models.bert import Bert, BertConfig, MaskedPairs
from course_lib.text.word_pieces import SPECIALS, WordPieces
from course_lib.training.groups import adamw
from tests.bench.measure import (
    PEAK_SHARE,
    Options,
    interleaved,
    matrix_flops,
    matrix_peak,
    middle,
    peak_megabytes,
    ratios,
    run_alone,
)

SIZES = {"vocab_size": 8_192, "d_model": 256, "n_heads": 4, "n_layers": 4, "d_ff": 1_024}
BATCH, LENGTH, SHORTEST = 32, 128, 8
STEPS = {"bert-cpu": 6, "bert-mixed-lengths-cpu": 10}
WARM_UP = 2
SIDES = ("ours", "transformers, no dropout", "transformers, as it comes")
Step = Callable[[MaskedPairs], Tensor]


def our_model(side: str) -> Bert:
    """Weights are the same on all sides. The course's recipes train without dropout."""
    torch.manual_seed(0)
    dropout = 0.1 if side == SIDES[2] else 0.0
    pieces = WordPieces([*SPECIALS, *(f"w{number}" for number in range(SIZES["vocab_size"] - len(SPECIALS)))])
    return Bert(BertConfig(**SIZES, max_units=LENGTH, dropout=dropout, attention_dropout=dropout), pieces)


def our_step(model: Bert) -> Step:
    groups = [{"name": "all", "params": list(model.parameters()), "lr": 1e-4}]
    return stepping(model, adamw(groups, weight_decay=0.0, betas=(0.9, 0.999)), lambda one: model.loss(one)["loss"])


def peer_step(side: str) -> Step:
    """Logits at every place, loss at those with a label: what the class does. Without dropout: AdamW fused, too."""
    from transformers import BertForPreTraining

    with tempfile.TemporaryDirectory() as folder:
        our_model(side).save_pretrained(Path(folder))
        model = BertForPreTraining.from_pretrained(folder)
    model.train()

    def loss(one: MaskedPairs) -> Tensor:
        labels = torch.full_like(one.input_ids, -100)
        labels[one.rows, one.columns] = one.answers
        return model(
            input_ids=one.input_ids,
            attention_mask=None if one.attention_mask is None else one.attention_mask.long(),
            token_type_ids=one.token_type_ids,
            labels=labels,
            next_sentence_label=(~one.next).long(),  # theirs: 0 means that it follows
        ).loss

    optimizer = torch.optim.AdamW(model.parameters(), 1e-4, weight_decay=0.0, fused=side == SIDES[1])
    return stepping(model, optimizer, loss)


def stepping(model: nn.Module, optimizer: torch.optim.Optimizer, loss_of: Callable[[MaskedPairs], Tensor]) -> Step:
    def step(one: MaskedPairs) -> Tensor:
        loss = loss_of(one)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss.detach()

    return step


def full_rows(n: int) -> list[MaskedPairs]:
    generator = torch.Generator().manual_seed(1)
    return [masked(torch.randint(5, SIZES["vocab_size"], (BATCH, LENGTH), generator=generator), None) for _ in range(n)]


def mixed_rows(n: int, sort: bool) -> list[MaskedPairs]:
    """n batches of rows of SHORTEST to LENGTH pieces; sort: rows of like length together, as many in each batch."""
    generator = torch.Generator().manual_seed(1)
    lengths = torch.randint(SHORTEST, LENGTH + 1, (n * BATCH,), generator=generator).tolist()
    rows = [torch.randint(5, SIZES["vocab_size"], (length,), generator=generator).tolist() for length in lengths]
    order = list(Buckets(lengths, size=BATCH, seed=0)(0)) if sort else torch.arange(len(rows)).split(BATCH)
    chosen = [[rows[i] for i in numbers] for numbers in order]
    return [masked(pad(part), length_mask([len(row) for row in part])) for part in chosen]


def masked(ids: Tensor, real: Tensor | None, vocab_size: int = SIZES["vocab_size"]) -> MaskedPairs:
    masking, generator = Masking(vocab_size, 4, range(5)), torch.Generator().manual_seed(2)
    found = masking(ids, torch.ones_like(ids, dtype=torch.bool) if real is None else real, generator)
    segments = (torch.arange(ids.shape[1]) >= ids.shape[1] // 2).long().expand_as(ids)
    follows = torch.arange(len(ids)) % 2 == 0
    return MaskedPairs(found.ids, found.rows, found.columns, found.answers, segments, real, follows)


def run(row: str, side: str, threads: int) -> dict[str, float]:
    """Real pieces per second of whole training steps, the first WARM_UP left out; the last loss; the peak memory."""
    torch.set_num_threads(threads)
    step = our_step(our_model(side).train()) if side == SIDES[0] else peer_step(side)
    if row == "bert-cpu":
        batches = full_rows(WARM_UP + STEPS[row])
    else:
        batches = full_rows(WARM_UP) + mixed_rows(STEPS[row], sort=side == SIDES[0])
    count, started, loss = 0, 0.0, torch.tensor(0.0)
    for number, one in enumerate(batches):
        if number == WARM_UP:
            started = time.perf_counter()
        loss = step(one)
        count += 0 if number < WARM_UP else real_pieces(one)
    seconds = time.perf_counter() - started
    work = sum(matrix_flops(partial(step, one)) for one in batches[WARM_UP:])
    share = work / seconds / matrix_peak()
    return {"speed": count / seconds, "loss": float(loss), "peak_share": share, "peak_mb": peak_megabytes()}


def real_pieces(one: MaskedPairs) -> int:
    return one.input_ids.numel() if one.attention_mask is None else int(one.attention_mask.sum())


def measured(row: str, what: str, options: Options) -> dict:
    def side(name: str) -> Callable[[int], dict]:
        return lambda number: run_alone(__name__, row, name, options.threads)

    results = interleaved({name: side(name) for name in SIDES}, options.pairs)
    ours, best, usual = results.values()
    both = {"ours": ours, "theirs": best}
    return {
        "what": what,
        **{name: round(middle(found)) for name, found in both.items()},
        "unit": "real pieces/s",
        **ratios(ours, best),
        "quality": {name: {"loss": round(middle(found, "loss"), 3)} for name, found in both.items()},
        "sizes": {
            **SIZES, "batch": BATCH, "length": LENGTH,
            "against transformers as it comes (dropout 0.1)": ratios(ours, usual)["ratio"],
            PEAK_SHARE: [round(middle(found, "peak_share"), 2) for found in (ours, best)],
        },
        "threads": options.threads,
        "precision": "float32",
        "peak_mb": [middle(found, "peak_mb") for found in both.values()],
    }  # fmt: skip


def bert_cpu(options: Options) -> dict:
    what = (
        "a pre-training step (masked language model and next sentence), pieces per second, against BertForPreTraining "
        f"without dropout, fused AdamW on both sides. Quality: loss after {WARM_UP + STEPS['bert-cpu']} steps on "
        "random pieces, from the same weights"
    )
    return measured("bert-cpu", what, options)


def bert_mixed_lengths_cpu(options: Options) -> dict:
    what = (
        f"the same with rows of {SHORTEST} to {LENGTH} pieces: ours sorted into batches of like length, theirs padded "
        "in the order they come; as many rows in a step. Quality: the loss of each side's last batch, another one"
    )
    return measured("bert-mixed-lengths-cpu", what, options)


ROWS = {"bert-cpu": bert_cpu, "bert-mixed-lengths-cpu": bert_mixed_lengths_cpu}


if __name__ == "__main__":
    print(json.dumps(run(sys.argv[1], sys.argv[2], int(sys.argv[3]))))
