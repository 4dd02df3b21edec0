"""Training of the English-to-German translator of chapter 6 on Multi30k: sizes, data, and a `fit` that can be stopped.

Data: Elliott et al. 2016, arXiv:1605.00459. Recipe: Vaswani et al. 2017, sections 5 and 6.1; pre-norm instead of
post-norm.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from course_lib.data.public import load_public
from course_lib.data.records import ParallelPair, Sentence
from course_lib.device import seed_everything
from course_lib.evaluation.losses import mean_loss
from course_lib.files import atomic_file
from course_lib.models.transformer import TransformerConfig
from course_lib.models.translator import Translator
from course_lib.text.joiners import joined_words
from course_lib.text.pieces import TOKENIZER_FILE, Pieces
from course_lib.training import fit
from course_lib.training.averaging import LastCheckpoints
from course_lib.training.history import History
from course_lib.training.resume import HISTORY, find_state
from course_lib.training.schedules import inverse_sqrt_warmup

NAME = "multi30k"


@dataclass(frozen=True)
class Sizes:
    """What two CPU cores can train in half an hour: seven times over the 29,000 pairs on one core gave BLEU 34.

    rate      factor of the paper's equation 3: the largest learning rate is rate / sqrt(d_model * warmup), here 1.5e-3
    max_steps the training ends here if the minutes do not end it: more epochs only learn the captions by heart
    every     steps from one of the averaged checkpoints to the next, `keep` of them
    """

    transformer: TransformerConfig = field(
        default_factory=lambda: TransformerConfig(
            d_model=256, n_heads=4, n_layers=3, d_ff=512, dropout=0.2, max_units=256, norm="pre"
        )
    )
    pieces: int = 5_000  # of both languages together
    tokens: int = 2_000  # places of the longer side in a batch
    rate: float = 0.7
    warmup: int = 800
    max_steps: int = 10_000
    every: int = 150
    keep: int = 5


@dataclass(frozen=True)
class Corpus:
    """train, held_out: words with joiners. test: sentences as they are written."""

    train: Sequence[ParallelPair]
    held_out: Sequence[ParallelPair]
    test: Sequence[ParallelPair]

    @classmethod
    def public(cls) -> Corpus:
        """Raises CourseError if the set is not there."""
        train, held_out, test = (load_public(NAME, split) for split in ("train", "val", "test_2016_flickr"))
        return cls([joined(pair) for pair in train], [joined(pair) for pair in held_out], list(test))


def joined(pair: ParallelPair) -> ParallelPair:
    return ParallelPair(*(Sentence.of(joined_words(side.text)) for side in (pair.source, pair.target)))


def train(corpus: Corpus, sizes: Sizes, folder: Path, minutes: float, seed: int) -> tuple[Translator, History]:
    """The translator after `minutes` in all, over the calls that share `folder`; in eval mode."""
    seed_everything(seed)
    model = Translator(sizes.transformer, _pieces(corpus, sizes.pieces, folder / TOKENIZER_FILE))
    history = fit(
        model,
        model.batches(corpus.train, tokens=sizes.tokens, seed=seed),
        steps=sizes.max_steps,
        minutes=minutes,
        learning_rate=sizes.rate,
        schedule=lambda step, total: inverse_sqrt_warmup(step + 1, sizes.transformer.d_model, sizes.warmup),
        betas=(0.9, 0.98),
        seed=seed,
        folder=folder / "state",
        save_every=120,
        watchers=[averaged(model, sizes, folder)],
        evaluate=partial(_held_out, pairs=corpus.held_out, tokens=sizes.tokens),
        evaluate_every=500,
    )
    return model.eval(), history


def averaged(model: Translator, sizes: Sizes, folder: Path) -> LastCheckpoints:
    """The watcher that keeps the weights to average, and reads them again."""
    return LastCheckpoints(model, folder / "weights", keep=sizes.keep, every=sizes.every)


def minutes_used(folder: Path) -> float:
    """Minutes of training in the state that `train` keeps in `folder`; 0 if there is none."""
    found = find_state(folder / "state", resume=True)
    return 0.0 if found is None else History.from_json(found.files[HISTORY].read_text(encoding="utf-8")).seconds / 60


def _held_out(model: Translator, pairs: Sequence[ParallelPair], tokens: int) -> dict[str, float]:
    device = model.embedding.tokens.weight.device
    batches = (batch.to(device) for batch in model.batches(pairs, tokens=tokens)(0))
    return {"held-out perplexity": math.exp(mean_loss(model, batches, "cross_entropy"))}


def _pieces(corpus: Corpus, size: int, path: Path) -> Pieces:
    """Learned once and kept: a training that goes on must number the pieces as before."""
    if not path.exists():
        learned = Pieces.bpe((side.words for pair in corpus.train for side in (pair.source, pair.target)), size)
        with atomic_file(path, "w") as file:
            file.write(learned.files()[TOKENIZER_FILE])
    return Pieces.from_files({TOKENIZER_FILE: path})
