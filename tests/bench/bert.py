"""A pre-training step of BERT against transformers' BertForPreTraining: full rows, rows of mixed lengths, and BERT base
with 512 pieces in bfloat16 on a GPU, where both are compiled."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
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
from tests.bench.measure import Options, main

SHORTEST = 8  # pieces of a row
SIDES = ("ours", "transformers, its best", "transformers, as it comes")
LossOf = Callable[[MaskedPairs], dict]


@dataclass(frozen=True)
class Setting:
    """What is measured. mixed: rows of SHORTEST pieces to the longest, else full ones."""

    what: str
    config: BertConfig
    steps: int
    warm_up: int = 2
    batch: int = 32
    mixed: bool = False
    device: str = "cpu"


# The course's recipes train without dropout: on a CPU the peer as it comes (0.1) is measured beside that.
COURSE = BertConfig(
    8_192, d_model=256, n_heads=4, n_layers=4, d_ff=1_024, max_units=128, dropout=0.0, attention_dropout=0.0
)
SETTINGS = {
    "bert-cpu": Setting(
        "a pre-training step (masked language model and next sentence), pieces per second, against BertForPreTraining "
        "without dropout, fused AdamW on both sides. Quality: loss after the last step on random pieces, from the same "
        "weights",
        COURSE,
        steps=6,
    ),
    "bert-mixed-lengths-cpu": Setting(
        f"the same with rows of {SHORTEST} to {COURSE.max_units} pieces: ours sorted into batches of like length, "
        "theirs padded in the order they come; as many rows in a step. Quality: the loss of each side's last batch, "
        "another one",
        COURSE,
        steps=10,
        mixed=True,
    ),
    "bert-base-gpu": Setting(
        "a pre-training step of BERT base on one GPU, pieces per second, against BertForPreTraining: both compiled, "
        "dropout 0.1. Quality: loss after the last step on random pieces, from the same weights",
        BertConfig.paper(),
        steps=20,
        warm_up=5,
        device="cuda",
    ),
}


def of_side(side: str, setting: Setting) -> tuple[nn.Module, LossOf]:
    """The model in training, with the same weights on all sides, and its losses."""
    torch.manual_seed(0)
    config = setting.config
    if side == SIDES[2]:
        config = replace(config, dropout=0.1, attention_dropout=0.1)
    words = (f"w{number}" for number in range(config.vocab_size - len(SPECIALS)))
    ours = Bert(config, WordPieces([*SPECIALS, *words]))
    model, loss_of = (ours, ours.loss) if side == "ours" else peer_of(ours)
    return model.train().to(setting.device), loss_of


def peer_of(model: Bert) -> tuple[nn.Module, LossOf]:
    """transformers' class with the same weights: logits at every place, loss at those with a label."""
    from transformers import BertForPreTraining

    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(Path(folder))
        peer = BertForPreTraining.from_pretrained(folder)

    def loss(one: MaskedPairs) -> dict:
        labels = torch.full_like(one.input_ids, -100)
        labels[one.rows, one.columns] = one.labels
        output = peer(
            input_ids=one.input_ids,
            attention_mask=None if one.attention_mask is None else one.attention_mask.long(),
            token_type_ids=one.token_type_ids,
            labels=labels,
            next_sentence_label=(~one.is_next).long(),  # theirs: 0 means that it follows
        )
        return {"loss": output.loss}

    return peer, loss


def batches_of(setting: Setting, sort: bool) -> list[MaskedPairs]:
    """Full rows to warm up, then those that count; sort: rows of like length together, as many in each batch."""
    generator, (longest, vocab_size) = (
        torch.Generator().manual_seed(1),
        (setting.config.max_units, setting.config.vocab_size),
    )

    def drawn(*size: int) -> Tensor:
        return torch.randint(5, vocab_size, size, generator=generator)

    n_full = setting.warm_up + (0 if setting.mixed else setting.steps)
    batches = [masked(drawn(setting.batch, longest), None, vocab_size) for _ in range(n_full)]
    if setting.mixed:
        lengths = torch.randint(SHORTEST, longest + 1, (setting.steps * setting.batch,), generator=generator).tolist()
        rows = [drawn(length).tolist() for length in lengths]
        order = (
            Buckets(lengths, size=setting.batch, seed=0)(0) if sort else torch.arange(len(rows)).split(setting.batch)
        )
        for numbers in order:
            part = [rows[number] for number in numbers]
            batches.append(masked(pad(part), length_mask([len(row) for row in part]), vocab_size))
    return [one.to(setting.device) for one in batches]


def masked(ids: Tensor, real: Tensor | None, vocab_size: int) -> MaskedPairs:
    """15 % of the pieces hidden: how many places that is differs from batch to batch."""
    masking, generator = Masking(vocab_size, 4, range(5)), torch.Generator().manual_seed(2)
    hidden = masking(ids, torch.ones_like(ids, dtype=torch.bool) if real is None else real, generator)
    segments = (torch.arange(ids.shape[1]) >= ids.shape[1] // 2).long().expand_as(ids)
    follows = torch.arange(len(ids)) % 2 == 0
    return MaskedPairs(hidden.ids, hidden.rows, hidden.columns, hidden.answers, segments, real, follows)


def figures(side: str, setting: Setting) -> dict[str, float]:
    """Real pieces per second of whole training steps, the last loss, share of the matrix peak, peak memory."""
    model, plain = of_side(side, setting)
    on_gpu, usual = setting.device == "cuda", side == SIDES[2]

    def loss_of(one: MaskedPairs) -> dict:
        with torch.autocast("cuda", torch.bfloat16, enabled=on_gpu):
            return {"loss": plain(one)["loss"]}

    return measure.figures(
        model,
        torch.compile(loss_of) if on_gpu and not usual else loss_of,
        batches_of(setting, sort=side == "ours"),
        setting.warm_up,
        lambda one: one.input_ids.numel() if one.attention_mask is None else int(one.attention_mask.sum()),
        learning_rate=1e-4,
        optimizer=torch.optim.AdamW(model.parameters(), 1e-4, weight_decay=0.0) if usual else None,
        counted=loss_of,
        device=setting.device,
    )


def run(side: str, name: str, threads: int) -> dict[str, float]:
    torch.set_num_threads(threads)
    return figures(side, SETTINGS[name])


def measured(options: Options, *, name: str) -> dict:
    setting = SETTINGS[name]
    ours, best, usual = measure.rounds_of(__name__, SIDES, options, name).values()
    config, on_gpu = setting.config, setting.device == "cuda"
    sizes = {
        **{size: getattr(config, size) for size in ("vocab_size", "d_model", "n_heads", "n_layers", "d_ff")},
        **{"batch": setting.batch, "length": config.max_units},
        **({"gpu": torch.cuda.get_device_name()} if on_gpu else {}),
        "against transformers as it comes (dropout 0.1)": measure.ratios(ours, usual)["ratio"],
    }
    precision = "bfloat16 (autocast), weights float32" if on_gpu else "float32"
    return measure.row(
        ours, best, options, what=setting.what, unit="real pieces/s", sizes=sizes, quality="loss", precision=precision
    )


ROWS = {
    name: partial(measured, name=name)
    for name, setting in SETTINGS.items()
    if setting.device == "cpu" or torch.cuda.is_available()
}


if __name__ == "__main__":
    main(run)
