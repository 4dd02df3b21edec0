"""The embedding layer as a lookup against the one-hot product, and what each costs as the vocabulary grows.

`python -m tests.bench.lookup SIDE VOCABULARY BATCH LENGTH STEPS THREADS` is one timed run in a process of its own.
"""

from __future__ import annotations

import json
import sys
import time
from functools import partial

from tests.bench.measure import Options, interleaved, middle, peak_megabytes, ratios, run_alone

DIM = 100
SIDES = ("lookup", "lookup, sparse gradient", "one-hot", "torch.nn.Embedding")
VOCABULARY, BATCH, LENGTH = 30_000, 64, 64
VOCABULARIES = (3_125, 12_500, 50_000, 200_000)
GROWTH_BATCH, GROWTH_LENGTH = 16, 16  # at |V| = 200,000 the one-hot rows of 16 x 16 words take 205 MB
STEPS = {"one-hot": 3}  # the others: 100


def run_side(side: str, vocabulary: int, batch: int, length: int, steps: int, threads: int) -> dict[str, float]:
    """Forward and backward `steps` times, after one step to warm up; seconds for one step."""
    import torch

    from course_lib.models.embedding import LookupEmbedding, OneHotEmbedding

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

    def step() -> None:
        layer.weight.grad = None
        layer(ids).backward(upstream)

    step()
    started = time.perf_counter()
    for _ in range(steps):
        step()
    seconds = (time.perf_counter() - started) / steps
    return {"seconds": seconds, "speed": batch * length / seconds, "peak_mb": peak_megabytes(), "before_mb": before}


def measured(vocabulary: int, batch: int, length: int, options: Options) -> dict[str, list[dict]]:
    """side -> one result per round"""

    def side(name: str):
        return lambda _: run_alone(__name__, name, vocabulary, batch, length, STEPS.get(name, 100), options.threads)

    return interleaved({name: side(name) for name in SIDES}, options.pairs)


def lookup_one_hot(options: Options) -> dict:
    results = measured(VOCABULARY, BATCH, LENGTH, options)
    return {
        "what": "embedding layer, forward and backward, words per second: lookup (ours) against the one-hot product; "
        "the speeds of all sides and the memory of the process before the layer are among the sizes",
        "ours": round(middle(results["lookup"])),
        "theirs": round(middle(results["one-hot"])),
        "unit": "words/s",
        **ratios(results["lookup"], results["one-hot"]),
        "quality": {},
        "sizes": {
            **{"vocabulary": VOCABULARY, "batch": BATCH, "length": LENGTH, "dim": DIM},
            "words/s": {name: round(middle(rounds)) for name, rounds in results.items()},
            "peak MB": {name: middle(rounds, "peak_mb") for name, rounds in results.items()},
            "MB before": middle(results["lookup"], "before_mb"),
        },
        "threads": options.threads,
        "precision": "float32",
        "peak_mb": [middle(results[name], "peak_mb") for name in ("lookup", "one-hot")],
    }


def grows_vocabulary(options: Options) -> dict:
    by_size = []
    for size in VOCABULARIES:
        print(f"  |V| = {size}", flush=True)
        by_size.append(measured(size, GROWTH_BATCH, GROWTH_LENGTH, options))
    speeds = {name: [round(middle(results[name])) for results in by_size] for name in SIDES}
    exponents = {name: growth(each) for name, each in speeds.items()}
    largest = by_size[-1]
    return {
        "what": f"embedding layer, time of forward and backward against |V|, {VOCABULARIES[0]} to {VOCABULARIES[-1]}: "
        "exponent for the lookup with a sparse gradient (ours) and for the one-hot product (theirs); the full gradient "
        "of the plain lookup has |V| rows to clear; the ratio is the speed at the largest |V|",
        "ours": exponents["lookup, sparse gradient"],
        "theirs": exponents["one-hot"],
        "unit": "exponent",
        **ratios(largest["lookup, sparse gradient"], largest["one-hot"]),
        "quality": {},
        "sizes": {
            **{"vocabulary": list(VOCABULARIES), "batch": GROWTH_BATCH, "length": GROWTH_LENGTH, "dim": DIM},
            **{"words/s": speeds, "exponents": exponents},
        },
        "threads": options.threads,
        "precision": "float32",
        "peak_mb": [middle(largest[name], "peak_mb") for name in ("lookup, sparse gradient", "one-hot")],
    }


def growth(speeds: list[float]) -> float:
    """b in time = a * |V| ** b: the slope of a straight line through the logarithms."""
    import numpy as np

    return round(-float(np.polyfit(np.log(VOCABULARIES), np.log(speeds), 1)[0]), 3)


ROWS = {"lookup-one-hot": lookup_one_hot, "grows-vocabulary": grows_vocabulary}

if __name__ == "__main__":
    side, *numbers = sys.argv[1:]
    print(json.dumps(run_side(side, *map(int, numbers))))
