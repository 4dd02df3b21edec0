"""The embedding layer as a lookup against the one-hot product, and what each costs as the vocabulary grows."""

from __future__ import annotations

from functools import partial

import torch

from course_lib.models.embedding import LookupEmbedding, OneHotEmbedding
from tests.bench.measure import Options, growth, main, middle, peak_megabytes, rounds_of, row, timed

DIM = 100
SIDES = ("lookup", "lookup, sparse gradient", "one-hot", "torch.nn.Embedding")
VOCABULARY, BATCH, LENGTH = 30_000, 64, 64
VOCABULARIES = (3_125, 12_500, 50_000, 200_000)
GROWTH_BATCH, GROWTH_LENGTH = 16, 16  # at |V| = 200,000 the one-hot rows of 16 x 16 words take 205 MB
STEPS, ONE_HOT_STEPS = 100, 3


def run(side: str, vocabulary: int, batch: int, length: int, threads: int) -> dict[str, float]:
    """Words per second of forward and backward, after one step to warm up."""
    layers = {
        "lookup": LookupEmbedding,
        "lookup, sparse gradient": partial(LookupEmbedding, sparse=True),
        "one-hot": OneHotEmbedding,
        "torch.nn.Embedding": torch.nn.Embedding,
    }
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    before = peak_megabytes()
    layer = layers[side](vocabulary, DIM)
    ids, upstream = torch.randint(vocabulary, (batch, length)), torch.randn(batch, length, DIM)

    def step(_: int) -> None:
        layer.weight.grad = None
        layer(ids).backward(upstream)

    steps = ONE_HOT_STEPS if side == "one-hot" else STEPS
    seconds, _ = timed(step, range(1 + steps), 1)
    return {"speed": steps * batch * length / seconds, "peak_mb": peak_megabytes(), "before_mb": before}


def lookup_one_hot(options: Options) -> dict:
    results = rounds_of(__name__, SIDES, options, VOCABULARY, BATCH, LENGTH)
    return row(
        results["lookup"],
        results["one-hot"],
        options,
        what="embedding layer, forward and backward, words per second: lookup (ours) against the one-hot product; "
        "the speeds of all sides and the memory of the process before the layer are among the sizes",
        unit="words/s",
        sizes={
            **{"vocabulary": VOCABULARY, "batch": BATCH, "length": LENGTH, "dim": DIM},
            "words/s": {name: round(middle(rounds)) for name, rounds in results.items()},
            "peak MB": {name: middle(rounds, "peak_mb") for name, rounds in results.items()},
            "MB before": middle(results["lookup"], "before_mb"),
        },
    )


def grows_vocabulary(options: Options) -> dict:
    by_size = []
    for size in VOCABULARIES:
        print(f"  |V| = {size}", flush=True)
        by_size.append(rounds_of(__name__, SIDES, options, size, GROWTH_BATCH, GROWTH_LENGTH))
    speeds = {name: [round(middle(results[name])) for results in by_size] for name in SIDES}
    exponents = {name: growth(VOCABULARIES, each) for name, each in speeds.items()}
    sparse, one_hot = by_size[-1]["lookup, sparse gradient"], by_size[-1]["one-hot"]
    measured = row(
        sparse,
        one_hot,
        options,
        what=f"embedding layer, time of forward and backward against |V|, {VOCABULARIES[0]} to {VOCABULARIES[-1]}: "
        "exponent for the lookup with a sparse gradient (ours) and for the one-hot product (theirs); the full gradient "
        "of the plain lookup has |V| rows to clear; the ratio is the speed at the largest |V|",
        unit="exponent",
        sizes={
            **{"vocabulary": list(VOCABULARIES), "batch": GROWTH_BATCH, "length": GROWTH_LENGTH, "dim": DIM},
            **{"words/s": speeds, "exponents": exponents},
        },
    )
    return {**measured, "ours": exponents["lookup, sparse gradient"], "theirs": exponents["one-hot"]}


ROWS = {"lookup-one-hot": lookup_one_hot, "grows-vocabulary": grows_vocabulary}

if __name__ == "__main__":
    main(run)
