"""A pre-training step of BERT against transformers' BertForPreTraining: full rows, and rows of mixed lengths."""

from __future__ import annotations

import tempfile
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
from tests.bench import measure
from tests.bench.measure import PEAK_SHARE, Options, main

SIZES = {"vocab_size": 8_192, "d_model": 256, "n_heads": 4, "n_layers": 4, "d_ff": 1_024}
BATCH, LENGTH, SHORTEST = 32, 128, 8
STEPS = {"bert-cpu": 6, "bert-mixed-lengths-cpu": 10}
WARM_UP = 2
SIDES = ("ours", "transformers, no dropout", "transformers, as it comes")
LossOf = Callable[[MaskedPairs], dict]


def our_model(side: str) -> Bert:
    """Weights are the same on all sides. The course's recipes train without dropout."""
    torch.manual_seed(0)
    dropout = 0.1 if side == SIDES[2] else 0.0
    pieces = WordPieces([*SPECIALS, *(f"w{number}" for number in range(SIZES["vocab_size"] - len(SPECIALS)))])
    return Bert(BertConfig(**SIZES, max_units=LENGTH, dropout=dropout, attention_dropout=dropout), pieces)


def peer_of(model: Bert) -> tuple[nn.Module, LossOf]:
    """transformers' class with the same weights: logits at every place, loss at those with a label."""
    from transformers import BertForPreTraining

    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(Path(folder))
        peer = BertForPreTraining.from_pretrained(folder).train()

    def loss(one: MaskedPairs) -> dict:
        labels = torch.full_like(one.input_ids, -100)
        labels[one.rows, one.columns] = one.answers
        output = peer(
            input_ids=one.input_ids,
            attention_mask=None if one.attention_mask is None else one.attention_mask.long(),
            token_type_ids=one.token_type_ids,
            labels=labels,
            next_sentence_label=(~one.next).long(),  # theirs: 0 means that it follows
        )
        return {"loss": output.loss}

    return peer, loss


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
    hidden = masking(ids, torch.ones_like(ids, dtype=torch.bool) if real is None else real, generator)
    segments = (torch.arange(ids.shape[1]) >= ids.shape[1] // 2).long().expand_as(ids)
    follows = torch.arange(len(ids)) % 2 == 0
    return MaskedPairs(hidden.ids, hidden.rows, hidden.columns, hidden.answers, segments, real, follows)


def run(side: str, name: str, threads: int) -> dict[str, float]:
    """Real pieces per second of whole training steps, the first WARM_UP left out; the last loss; the peak memory."""
    torch.set_num_threads(threads)
    model = our_model(side).train()
    model, loss_of = (model, model.loss) if side == SIDES[0] else peer_of(model)
    fused = torch.optim.AdamW(model.parameters(), 1e-4, weight_decay=0.0, fused=True) if side == SIDES[1] else None
    usual = torch.optim.AdamW(model.parameters(), 1e-4, weight_decay=0.0) if side == SIDES[2] else None
    step = measure.training_step(model, loss_of, learning_rate=1e-4, optimizer=fused or usual)
    if name == "bert-cpu":
        batches = full_rows(WARM_UP + STEPS[name])
    else:
        batches = full_rows(WARM_UP) + mixed_rows(STEPS[name], sort=side == SIDES[0])
    seconds, losses = measure.timed(step, batches, WARM_UP)
    pieces = sum(real_pieces(one) for one in batches[WARM_UP:])
    loss = losses["loss"].item()
    share = sum(measure.matrix_flops(partial(step, one)) for one in batches[WARM_UP:]) / seconds / measure.matrix_peak()
    return {"speed": pieces / seconds, "loss": loss, "peak_share": share, "peak_mb": measure.peak_megabytes()}


def real_pieces(one: MaskedPairs) -> int:
    return one.input_ids.numel() if one.attention_mask is None else int(one.attention_mask.sum())


def measured(name: str, what: str, options: Options) -> dict:
    ours, best, usual = measure.rounds_of(__name__, SIDES, options, name).values()
    sizes = {
        **{**SIZES, "batch": BATCH, "length": LENGTH},
        "against transformers as it comes (dropout 0.1)": measure.ratios(ours, usual)["ratio"],
        PEAK_SHARE: [round(measure.middle(results, "peak_share"), 2) for results in (ours, best)],
    }
    return measure.row(ours, best, options, what=what, unit="real pieces/s", sizes=sizes, quality="loss")


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
    main(run)
