"""The other direction of chapter 6's translator, Korean to English, trained as the live one is, scored and recorded.

python -m course.records.world_ko_en         about a minute on one core
"""

from __future__ import annotations

import time
from dataclasses import asdict

from course.lab.world_translator import CONFIG, N_PAIRS, translator, unseen_pairs, world_pairs
from course.ledger.records import provenance
from course.records.translation_record import COMMANDS, Sample, Score, TranslationRecord, write_translation
from course.records.translation_scores import sacre_bleu, target_pieces, translations
from course_lib.errors import CourseError
from course_lib.models.transformer import TransformerConfig

NAME = "world-ko-en"
STEPS, TOKENS = 450, 512  # of the live training in chapter 6
N_TEST, TEST_SEED = 150, 5  # the sentences that chapter 6 scores on
BEAM, N_SAMPLES = 4, 10
NOTE = "The world is tiny: this BLEU cannot be compared with one on real sentences."


def record(
    *,
    steps: int = STEPS,
    n_test: int = N_TEST,
    n_pairs: int = N_PAIRS,
    config: TransformerConfig = CONFIG,
    seed: int = 0,
) -> TranslationRecord:
    """Train, translate unseen sentences greedily and with a beam, replace the record. Text is words and spaces."""
    origin, start, used = provenance(), time.perf_counter(), time.process_time()
    model = translator(seed, steps=steps, source="ko", target="en", n_pairs=n_pairs, config=config, tokens=TOKENS)
    trained, trained_used = time.perf_counter() - start, time.process_time() - used
    test = [pair.parallel("ko") for pair in unseen_pairs(n_test, TEST_SEED, n_pairs=n_pairs)]
    sources, references = [pair.source for pair in test], [" ".join(pair.target.words) for pair in test]
    scores, start = [], time.perf_counter()
    for beam in (1, BEAM):
        found = translations(model, sources, beam=beam)
        interval, signature = sacre_bleu(found, references, tokenize="none")
        decoding = "greedy" if beam == 1 else f"beam {beam}"
        scores.append(Score("last", decoding, interval.estimate, interval.low, interval.high))
    pairs = [pair.parallel("ko") for pair in world_pairs(n_pairs)]
    result = TranslationRecord(
        NAME,
        "The invented world, Korean to English",
        "CPU-scale",
        NOTE,
        ("Korean", "English"),
        len(test),
        asdict(model.config) | {"words": len(model.pieces), "training pairs": n_pairs, "tokens": TOKENS, "seed": seed},
        {
            "parameters": sum(p.numel() for p in model.parameters()),
            "target words": target_pieces(model.batches(pairs, tokens=TOKENS, seed=seed), steps),
            "steps": steps,
            "seconds of training": round(trained),
            "seconds of processor time for it": round(trained_used),
            "seconds of decoding, both ways": round(time.perf_counter() - start),
        },
        tuple(scores),
        signature,
        tuple(
            Sample(" ".join(pair.source.words), text, reference)
            for pair, text, reference in list(zip(test, found, references, strict=True))[:N_SAMPLES]
        ),
        {"command": COMMANDS[NAME], **origin},
    )
    write_translation(result)
    return result


def main() -> None:
    """Train and record; prints what was recorded."""
    try:
        print(record())
    except CourseError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
