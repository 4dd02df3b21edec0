"""The other direction of chapter 6's translator, Korean to English, trained as the live one is, scored and recorded.

python -m course.records.world_ko_en         about a minute on one core
"""

from __future__ import annotations

import time
from argparse import ArgumentParser
from dataclasses import asdict

from course.lab.world_models import N_PAIRS, TRANSLATOR, translator, unseen_pairs, world_pairs
from course.ledger.records import provenance
from course.records.store import in_a_sentence
from course.records.translation import COMMANDS, STORES, Sample, TranslationRecord, scored, target_pieces, translations
from course_lib.language import key
from course_lib.models.transformer import TransformerConfig

NAME = "world-ko-en"
STEPS, TOKENS = 450, 512  # of the live training in chapter 6
N_TEST, TEST_SEED = 150, 5  # the sentences that chapter 6 scores on
N_SAMPLES = 10


def record(
    *,
    steps: int = STEPS,
    n_test: int = N_TEST,
    n_pairs: int = N_PAIRS,
    config: TransformerConfig = TRANSLATOR,
    seed: int = 0,
) -> TranslationRecord:
    """Train, translate unseen sentences greedily and with a beam, replace the record. Text is words and spaces."""
    origin, start, used = provenance(), time.perf_counter(), time.process_time()
    model = translator(seed, steps=steps, source="ko", n_pairs=n_pairs, config=config, tokens=TOKENS)
    trained, trained_used = time.perf_counter() - start, time.process_time() - used
    test = [pair.parallel("ko") for pair in unseen_pairs(n_test, TEST_SEED, n_pairs=n_pairs)]
    sources, references = [pair.source for pair in test], [" ".join(pair.target.words) for pair in test]
    start = time.perf_counter()
    scores, texts, signature = scored(lambda beam: translations(model, sources, beam=beam), references, tokenize="none")
    pairs = [pair.parallel("ko") for pair in world_pairs(n_pairs)]
    samples = zip((" ".join(source.words) for source in sources), texts, references, strict=True)
    result = TranslationRecord(
        name=NAME,
        title=key("The invented world, Korean to English"),
        label=key("CPU-scale"),
        note=key("The world is tiny: this BLEU cannot be compared with one on real sentences."),
        languages=(key("Korean"), key("English")),
        n_test=len(test),
        sizes=asdict(model.config)
        | {"words": len(model.pieces), "training pairs": n_pairs, "tokens": TOKENS, "seed": seed},
        facts={
            key("parameters"): sum(p.numel() for p in model.parameters()),
            key("target words"): target_pieces(model.batches(pairs, tokens=TOKENS, seed=seed), steps),
            key("steps"): steps,
            key("seconds of training"): round(trained),
            key("seconds of processor time for it"): round(trained_used),
            key("seconds of decoding, both ways"): round(time.perf_counter() - start),
        },
        scores=tuple(scores),
        signature=signature,
        samples=tuple(Sample(*texts) for texts in samples)[:N_SAMPLES],
        run={"command": COMMANDS[NAME], **origin},
    )
    STORES[NAME].write(result)
    return result


@in_a_sentence()
def main() -> None:
    """Train and record; prints what was recorded."""
    ArgumentParser(prog=COMMANDS[NAME], description=main.__doc__).parse_args()
    print(record())


if __name__ == "__main__":
    main()
