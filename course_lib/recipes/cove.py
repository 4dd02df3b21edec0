"""Recipe of the CoVe encoder that ships with the course: English to German, captions of pictures (Multi30k)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

import torch

from course_lib.config import data_dir, settings
from course_lib.data.public import load_public
from course_lib.data.records import ParallelPair
from course_lib.data.registry import find
from course_lib.evaluation import bleu
from course_lib.experiments.provenance import provenance
from course_lib.models.cove import CoVe, CoVeConfig
from course_lib.models.seq2seq import Seq2Seq, Seq2SeqConfig, target_vocabulary
from course_lib.models.shipped import load
from course_lib.models.word_vectors import WordVectors
from course_lib.training import fit
from course_lib.training.history import History
from course_lib.training.schedules import cosine


@dataclass(frozen=True)
class CoVeRecipe:
    """minutes: the training ends then, if its epochs have not ended it before; None: no limit."""

    name: str
    data: str = "multi30k"
    word_vectors: str = "skipgram-en"
    words: int = 9_000  # table size: all that the data hold, then the most frequent others
    min_count: int = 2  # target words seen less often are one unknown word
    encoder: CoVeConfig = field(default_factory=CoVeConfig.small)
    decoder: Seq2SeqConfig = field(default_factory=Seq2SeqConfig.small)
    batch_size: int = 64
    epochs: int = 8
    learning_rate: float = 2e-3
    minutes: float | None = None

    def run(self, out: Path) -> Path:
        """From sentence pairs to the checkpoint `out`/NAME, with its card. A stopped training goes on where it was.

        Raises CourseError if the pairs or the word vectors are not there.
        """
        train, held_out = (list(load_public(self.data, split)) for split in ("train", "val"))
        model, seed = self.build(train), settings().seed
        history = fit(
            model,
            model.batches(train, self.batch_size, seed),
            epochs=self.epochs,
            minutes=self.minutes,
            learning_rate=self.learning_rate,
            schedule=partial(cosine, floor=0.02),
            seed=seed,
            folder=out / f"{self.name}.training",
            evaluate=lambda model: {"held-out loss": held_out_loss(model, held_out)},
            evaluate_every=math.ceil(len(train) / self.batch_size),
        )
        folder = out / self.name
        card = self.card(train, history, evaluate(model.eval(), held_out))
        model.encoder.save(folder, half=True, int8=True, card=card)
        load(folder)  # what was written can be read
        return folder

    def build(self, train: Sequence[ParallelPair]) -> Seq2Seq:
        """The untrained model over these pairs. The word vectors are frozen, as in the paper."""
        torch.manual_seed(settings().seed)
        vectors = WordVectors.load(data_dir("checkpoints") / self.word_vectors)
        table = choose_words(vectors, train, self.words)
        encoder = CoVe.from_word_vectors(table, self.encoder)
        encoder.freeze(["word"])
        return Seq2Seq(encoder, target_vocabulary(train, min_count=self.min_count), self.decoder)

    def card(self, train: Sequence[ParallelPair], history: History, scores: dict[str, str]) -> str:
        public = find(self.data)
        n_epochs = len(history.steps) / math.ceil(len(train) / self.batch_size)
        rows = {
            "model": f"encoder of an attentional translation model, {self.words:,} words (int8 rows), weights float16",
            "data": f"{public.title}, {len(train):,} pairs; word vectors of `{self.word_vectors}`, not trained further",
            "tokens": f"{sum(len(p.source) for p in train):,} English and {sum(len(p.target) for p in train):,} German "
            f"words, {n_epochs:.1f} of {self.epochs} epochs",
            "settings": ", ".join(f"{key} {value}" for key, value in asdict(self.encoder).items())
            + f"; decoder: {', '.join(f'{key} {value}' for key, value in asdict(self.decoder).items())}"
            + f"; batch {self.batch_size}, learning rate {self.learning_rate}, cosine",
            "device": provenance()["device"],
            "minutes": f"{history.seconds / 60:.1f}",
            **scores,
            "licence": f"data: {public.licence}; {public.conditions}. No sentence of it is in this folder. "
            "Word vectors: CC BY 4.0",
            "command": f"`python -m course_lib.recipes {self.name}`",
        }
        return "# English words in context, from translation (CoVe)\n\n| | |\n| --- | --- |\n" + "".join(
            f"| {key} | {value} |\n" for key, value in rows.items()
        )


def choose_words(vectors: WordVectors, pairs: Sequence[ParallelPair], size: int) -> WordVectors:
    """`size` rows of the table: the words of the source sides, then the most frequent others; order of the table."""
    seen = {word.lower() for pair in pairs for word in pair.source.words}
    first = sorted(range(len(vectors)), key=lambda row: vectors.words[row] not in seen)[:size]  # stable: by frequency
    rows = sorted(first)
    return WordVectors([vectors.words[row] for row in rows], vectors.vectors[rows])


@torch.no_grad()
def held_out_loss(model: Seq2Seq, pairs: Sequence[ParallelPair]) -> float:
    """Mean negative log-likelihood of a target word, in nats. The model is in eval mode."""
    total = count = 0.0
    for batch in model.batches(pairs)(0):
        losses = model.loss(batch.to(model.encoder.device))
        total += float(losses["loss"] * losses["count"])
        count += float(losses["count"])
    return total / count


def evaluate(model: Seq2Seq, pairs: Sequence[ParallelPair]) -> dict[str, str]:
    """For the card: perplexity per German word, and BLEU of the greedy translations over the course's words."""
    found = model.translate([pair.source for pair in pairs])
    score = bleu([" ".join(words) for words in found], [" ".join(pair.target.words) for pair in pairs])
    return {
        "held-out perplexity": f"{math.exp(held_out_loss(model, pairs)):.2f} ({len(pairs):,} pairs)",
        "held-out BLEU": f"{score:.1f} (greedy, cased, split by course_lib.text.words)",
    }


RECIPES = (CoVeRecipe("cove-en"),)
