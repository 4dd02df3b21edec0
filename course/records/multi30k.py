"""The Transformer on real sentences: English to German captions of pictures, trained, averaged, scored and recorded.

    python -m course.records.multi30k --minutes 40

It goes on where it was stopped, also by `kill -9`. The state lies in the cache folder, the record in `data/recorded`.
Data: Elliott et al. 2016, arXiv:1605.00459. Recipe: Vaswani et al. 2017, sections 5 and 6.1; pre-norm instead of
post-norm.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

from course.lab.averaging import LastCheckpoints
from course.lab.losses import mean_loss
from course.ledger.records import provenance
from course.records.joiners import joined_words, written
from course.records.store import in_a_sentence
from course.records.translation import BEAM, STORES, Sample, TranslationRecord, scored, target_pieces, translations
from course.sources.public import load_public
from course_lib.config import settings
from course_lib.data.records import ParallelPair, Sentence
from course_lib.device import choose_device, seed_everything
from course_lib.files import atomic_file
from course_lib.language import key
from course_lib.models.transformer import TransformerConfig
from course_lib.models.translator import Translator
from course_lib.text.pieces import TOKENIZER_FILE, Pieces
from course_lib.training import History, adamw, fit
from course_lib.training.schedules import inverse_sqrt_warmup

NAME = "multi30k"
NOTE = key("Short captions, and a small set of them: this BLEU cannot be compared with the paper's, of news.")
# Written for the course, in the manner of the set, whose own sentences are not ours to print.
SAMPLES = tuple(
    ParallelPair(Sentence.of(english), Sentence.of(german))
    for english, german in (
        ("A man is playing a guitar.", "Ein Mann spielt Gitarre."),
        ("Two dogs are running through the snow.", "Zwei Hunde laufen durch den Schnee."),
        ("A woman in a red coat waits for the bus.", "Eine Frau in einem roten Mantel wartet auf den Bus."),
        ("Three children are sitting on a wooden bench.", "Drei Kinder sitzen auf einer Holzbank."),
        ("An old man reads a newspaper in a café.", "Ein alter Mann liest in einem Café eine Zeitung."),
        ("A boy who has lost his shoe is crying.", "Ein Junge, der seinen Schuh verloren hat, weint."),
        ("The girl with the umbrella is looking at a boat.", "Das Mädchen mit dem Regenschirm sieht ein Boot an."),
        ("Nobody is swimming, because the lake is frozen.", "Niemand schwimmt, weil der See zugefroren ist."),
    )
)


# Training


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
        optimizer=partial(adamw, betas=(0.9, 0.98)),
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
    return Pieces.from_files({TOKENIZER_FILE: path.read_text(encoding="utf-8")})


# Recording


def record(
    minutes: float = 40,
    *,
    corpus: Corpus | None = None,
    sizes: Sizes | None = None,
    folder: Path | None = None,
    seed: int = 0,
) -> TranslationRecord:
    """Train for so many minutes in all, score on the test set, and replace the record; the state lies in `folder`."""
    sizes, corpus = sizes or Sizes(), corpus or Corpus.public()
    folder = folder or settings().cache_dir / NAME
    origin = provenance()  # of the code as it is when the call starts
    model, history = train(corpus, sizes, folder, minutes, seed)
    last = averaged(model, sizes, folder)
    mean_of = key("mean of the last #").replace("#", str(len(last.steps())))
    start, scores, references = time.perf_counter(), [], [pair.target.text for pair in corpus.test]
    for weights, values in ((key("last"), None), (mean_of, last.mean())):
        if values is not None:
            model.load_state_dict(values)
        two, _, signature = scored(lambda beam: _translate(model, corpus.test, beam), references, weights)
        scores += two
    on_cpu = choose_device().type == "cpu"
    pieces = target_pieces(model.batches(corpus.train, tokens=sizes.tokens, seed=seed), len(history.steps))
    result = TranslationRecord(
        name=NAME,
        title=key("Multi30k, English to German"),
        label=key("CPU-scale") if on_cpu else key("CPU-scale sizes, on a GPU"),
        note=NOTE,
        languages=(key("English"), key("German")),
        n_test=len(corpus.test),
        sizes={key: value for part in (asdict(sizes.transformer), asdict(sizes)) for key, value in part.items()}
        | {"transformer": "encoder-decoder", "training pairs": len(corpus.train), "seed": seed},
        facts={
            key("parameters"): sum(p.numel() for p in model.parameters()),
            key("target pieces"): pieces,
            key("epochs"): round(pieces / sum(len(model.pieces.ids(p.target.words)) + 1 for p in corpus.train), 1),
            key("steps"): len(history.steps),
            key("minutes of training"): round(history.seconds / 60, 1),
            key("seconds of decoding, four times"): round(time.perf_counter() - start),
            key("held-out perplexity of a piece"): round(history.evaluations[-1]["held-out perplexity"], 2),
        },
        scores=tuple(scores),
        signature=signature,
        samples=tuple(
            Sample(pair.source.text, translation, pair.target.text)
            for pair, translation in zip(SAMPLES, _translate(model, SAMPLES, BEAM), strict=True)
        ),
        run={"command": f"python -m course.records.multi30k --minutes {minutes:g}", **origin},
    )
    STORES[NAME].write(result)
    return result


def _translate(model: Translator, test: Sequence[ParallelPair], beam: int) -> list[str]:
    sources = [Sentence.of(joined_words(pair.source.text)) for pair in test]
    return [written(text) for text in translations(model, sources, beam=beam)]


@in_a_sentence()
def main() -> None:
    """Train and record the translator of chapter 6; stopped, the same command goes on."""
    from argparse import ArgumentParser

    parser = ArgumentParser(prog="python -m course.records.multi30k", description=main.__doc__)
    parser.add_argument("--minutes", type=float, default=40, help="of training, all in all")
    print(record(parser.parse_args().minutes))


if __name__ == "__main__":
    main()
