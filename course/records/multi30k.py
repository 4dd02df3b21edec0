"""The Transformer on real sentences: English to German captions of pictures, trained, averaged, scored and recorded.

    python -m course.records.multi30k --minutes 40 [--device cuda] [--piece 9]

It goes on where it was stopped, also by `kill -9`. The state lies in the cache folder, the record in `data/recorded`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from course.ledger.records import provenance
from course.records.multi30k_training import NAME, Corpus, Sizes, averaged, minutes_used, train
from course.records.translation_record import Sample, Score, TranslationRecord, write_translation
from course.records.translation_scores import sacre_bleu, target_pieces, translations
from course_lib.config import settings
from course_lib.data.records import ParallelPair, Sentence
from course_lib.device import choose_device
from course_lib.errors import CourseError
from course_lib.files import atomic_file
from course_lib.models.translator import Translator
from course_lib.text.joiners import joined_words, written

BEAM = 4
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
NOTE = "Short captions, and a small set of them: this BLEU cannot be compared with the paper's, of news."


def record(
    minutes: float = 40,
    *,
    piece: float | None = None,
    corpus: Corpus | None = None,
    sizes: Sizes | None = None,
    folder: Path | None = None,
    seed: int = 0,
) -> TranslationRecord | None:
    """Train for so many minutes in all, score on the test set, and replace the record.

    piece   end this call after so many minutes of training; the same call goes on from there
    folder  where state, averaged weights and translations are kept; default: the cache folder
    None if the training has not reached its end. Raises CourseError for data that are not there and a foreign state.
    """
    sizes, corpus = sizes or Sizes(), corpus or Corpus.public()
    folder = folder or settings().cache_dir / NAME
    origin = provenance()  # of the code as it is when the call starts
    limit = minutes if piece is None else min(minutes, minutes_used(folder) + piece)
    model, history = train(corpus, sizes, folder, limit, seed)
    ended = len(history.steps) >= sizes.max_steps or history.seconds >= 60 * minutes
    if not ended:
        return None
    last = averaged(model, sizes, folder)
    start, scores = time.perf_counter(), []
    for weights, values in (("last", None), (f"mean of the last {len(last.steps())}", last.mean())):
        if values is not None:
            model.load_state_dict(values)
        for beam in (1, BEAM):
            found = _translate(model, corpus.test, beam)
            interval, signature = sacre_bleu(found, [pair.target.text for pair in corpus.test])
            decoding = "greedy" if beam == 1 else f"beam {beam}"
            scores.append(Score(weights, decoding, interval.estimate, interval.low, interval.high))
    with atomic_file(outputs_path(folder), "w") as file:
        file.writelines(f"{line}\n" for line in found)
    on_cpu = choose_device().type == "cpu"
    command = f"python -m course.records.multi30k --minutes {minutes:g}{'' if on_cpu else ' --device cuda'}"
    pieces = target_pieces(model.batches(corpus.train, tokens=sizes.tokens, seed=seed), len(history.steps))
    result = TranslationRecord(
        NAME,
        "Multi30k, English to German",
        "CPU-scale" if on_cpu else "CPU-scale sizes, on a GPU",
        NOTE,
        ("English", "German"),
        len(corpus.test),
        {key: value for part in (asdict(sizes.transformer), asdict(sizes)) for key, value in part.items()}
        | {"transformer": "encoder-decoder", "training pairs": len(corpus.train), "seed": seed},
        {
            "parameters": sum(p.numel() for p in model.parameters()),
            "target pieces": pieces,
            "epochs": round(pieces / sum(len(model.pieces.ids(p.target.words)) + 1 for p in corpus.train), 1),
            "steps": len(history.steps),
            "minutes of training": round(history.seconds / 60, 1),
            "seconds of decoding, four times": round(time.perf_counter() - start),
            "held-out perplexity of a piece": round(history.evaluations[-1]["held-out perplexity"], 2),
        },
        tuple(scores),
        signature,
        tuple(
            Sample(pair.source.text, translation, pair.target.text)
            for pair, translation in zip(SAMPLES, _translate(model, SAMPLES, BEAM), strict=True)
        ),
        {"command": command, **origin},
    )
    write_translation(result)
    return result


def outputs_path(folder: Path) -> Path:
    """The translations of the test set that the record's last score is about, a line each."""
    return folder / f"translations-beam-{BEAM}.txt"


def _translate(model: Translator, test: Sequence[ParallelPair], beam: int) -> list[str]:
    sources = [Sentence.of(joined_words(pair.source.text)) for pair in test]
    return [written(text) for text in translations(model, sources, beam=beam)]


def main() -> None:
    """Train and record the translator of chapter 6; stopped, the same command goes on."""
    from argparse import ArgumentParser

    parser = ArgumentParser(prog="python -m course.records.multi30k", description=main.__doc__)
    parser.add_argument("--minutes", type=float, default=40, help="of training, all in all")
    parser.add_argument("--piece", type=float, help="end this call after so many minutes of training")
    parser.add_argument("--device", help="auto, cpu or cuda; default: COURSE_DEVICE")
    given = parser.parse_args()
    if given.device:
        os.environ["COURSE_DEVICE"] = given.device  # for all that asks, the record's origin too
    try:
        found = record(given.minutes, piece=given.piece)
    except CourseError as error:
        raise SystemExit(str(error)) from None
    print("Not trained to its end yet. The same command goes on from here." if found is None else found)


if __name__ == "__main__":
    main()
