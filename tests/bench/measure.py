"""Measuring two sides fairly: interleaved rounds, each run in a process of its own, with its peak memory.

A row's module is called as `python -m tests.bench.MODULE SIDE ... THREADS` for one timed run; `main` answers.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from course_lib.config import project_dir
from course_lib.errors import CourseError
from course_lib.training import adamw
from course_lib.training.fit import detach, hand_on


@dataclass(frozen=True)
class Options:
    """What the command line says; a row uses what concerns it."""

    data: Path  # a mirror of the public sets
    pairs: int = 5  # rounds: in each every side runs once
    words: int = 10_000_000  # size of a text corpus
    threads: int = 2

    def dataset(self, name: str) -> Path:
        """The folder of a public set. Raises CourseError if it is not in the mirror."""
        if not (self.data / name).is_dir():
            raise CourseError(
                f"This row needs the data set {name!r}, looked for in {self.data}. "
                "COURSE_DATA_DIR names a mirror of the data sets."
            )
        return self.data / name


def run_alone(module: str, *arguments: object) -> dict:
    """`python -m module arguments` in a fresh process; the JSON object that its last printed line holds."""
    command = [sys.executable, "-m", module, *map(str, arguments)]
    done = subprocess.run(command, cwd=project_dir(), capture_output=True, text=True, check=False)
    if done.returncode:
        raise CourseError(f"{' '.join(command[1:])} failed:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def main(run: Callable[..., dict]) -> None:
    """One timed run: `run` with the command line's arguments, whole numbers as such; prints what it gives."""
    print(json.dumps(run(*(int(text) if text.isdecimal() else text for text in sys.argv[1:]))))


def timed(
    step: Callable[[Any], dict], batches: Iterable, warm_up: int, wait: Callable[[], object] = lambda: None
) -> tuple[float, dict]:
    """Seconds of the steps after the first `warm_up`, and what the last one gave. `wait`: until a GPU is done."""
    started, last = 0.0, {}
    for number, batch in enumerate(batches):
        if number == warm_up:
            wait()
            started = time.perf_counter()
        last = step(batch)
    wait()
    return time.perf_counter() - started, last


def peak_megabytes() -> float:
    """The largest memory this process has held so far; 0 where the system does not say (Windows)."""
    try:
        import resource
    except ImportError:
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1 << 20 if sys.platform == "darwin" else 1 << 10), 1)


def matrix_peak(device: str = "cpu", size: int = 1536, rounds: int = 8, dtype: torch.dtype = torch.float32) -> float:
    """FLOP/s of one large product with the threads in use: the best of a few rounds."""
    left, right = torch.randn(2, size, size, device=device, dtype=dtype)
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        (left @ right).sum().item()  # .item() waits for a GPU
        best = min(best, time.perf_counter() - start)
    return 2 * size**3 / best


def lstm_flops(words: Sequence[int], w_input: Sequence[int], w_state: Sequence[int], *_, **__) -> int:
    """Of one LSTM layer, by the shapes [T, B, I], [4 H, I], [4 H, H]: each word meets both matrices."""
    return 2 * prod(words[:-1]) * (prod(w_input) + prod(w_state))


# An LSTM on the CPU is one operator, which PyTorch's counter does not know; backward takes each product twice.
LSTM_FLOPS = {
    torch.ops.aten.mkldnn_rnn_layer: lstm_flops,
    torch.ops.aten.mkldnn_rnn_layer_backward: lambda *shapes, **_: 2 * lstm_flops(*shapes),
}


def figures(
    model: nn.Module,
    loss_of: Callable[[Any], dict],
    batches: Sequence,
    warm_up: int,
    items: Callable[[Any], int],
    *,
    learning_rate: float,
    betas: tuple[float, float] = (0.9, 0.999),
    optimizer: torch.optim.Optimizer | None = None,
    counted: Callable[[Any], dict] | None = None,
    device: str = "cpu",
) -> dict[str, float]:
    """Whole training steps (losses, gradients, clipping, Adam; a carry goes on), the first `warm_up` left out.

    speed: items per second; the last step's losses; peak_mb; peak_share of the matrix peak: the matrix products of the
    losses that `counted` gives (`loss_of`, not compiled).
    """
    groups = [{"name": "all", "params": list(model.parameters()), "lr": learning_rate}]
    optimizer = optimizer or adamw(groups, betas=betas)
    on_gpu, carry = device == "cuda", None

    def step(batch: Any) -> dict:
        nonlocal carry
        losses = loss_of(hand_on(batch, carry))
        optimizer.zero_grad()
        losses["loss"].backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        carry = detach(losses.get("carry"))
        return losses

    seconds, losses = timed(step, batches, warm_up, torch.cuda.synchronize if on_gpu else lambda: None)
    found = {name: value.item() for name, value in losses.items() if isinstance(value, Tensor) and value.numel() == 1}
    found["speed"] = sum(map(items, batches[warm_up:])) / seconds
    found["peak_mb"] = round(torch.cuda.max_memory_allocated() / (1 << 20)) if on_gpu else peak_megabytes()
    with FlopCounterMode(display=False, custom_mapping=LSTM_FLOPS) as counter:
        for batch in batches[warm_up:]:
            (counted or loss_of)(batch)["loss"].backward()
    peak = matrix_peak(device, 8_192, dtype=torch.bfloat16) if on_gpu else matrix_peak()
    found["peak_share"] = counter.get_total_flops() / seconds / peak
    return found


def interleaved(sides: Mapping[str, Callable[[int], dict]], pairs: int) -> dict[str, list[dict]]:
    """Run every side once per round, in turn, so that a slow minute of the machine hits all of them. side -> results.

    Every second round goes backwards: no side always runs first. Each function gets the number of the round.
    """
    results: dict[str, list[dict]] = {name: [] for name in sides}
    for number in range(pairs):
        for name in list(sides)[:: -1 if number % 2 else 1]:
            results[name].append(sides[name](number))
            print(f"  round {number + 1}/{pairs}  {name}: {results[name][-1]['speed']:,.0f}")
    return results


def rounds_of(module: str, sides: Iterable[str], options: Options, *more: object) -> dict[str, list[dict]]:
    """`interleaved` over `python -m module SIDE more... THREADS`."""

    runs = {name: lambda _, name=name: run_alone(module, name, *more, options.threads) for name in sides}
    return interleaved(runs, options.pairs)


def ratios(ours: Sequence[dict], theirs: Sequence[dict]) -> dict[str, float]:
    """ours / theirs by round: median, smallest and largest. Speeds: above 1, ours is faster."""
    each = [a["speed"] / b["speed"] for a, b in zip(ours, theirs, strict=True)]
    spread = {"ratio": median(each), "ratio_min": min(each), "ratio_max": max(each)}
    return {**{name: round(value, 3) for name, value in spread.items()}, "pairs": len(each)}


def middle(results: Sequence[dict], key: str = "speed") -> float:
    return float(median(result[key] for result in results))


def row(
    ours: Sequence[dict],
    theirs: Sequence[dict],
    options: Options,
    *,
    what: str,
    unit: str,
    sizes: Mapping[str, object],
    quality: str = "",
    precision: str = "float32",
) -> dict:
    """A row of bench.json from the results of two sides, each a dict of speed, peak_mb and what `quality` names."""
    both = {"ours": ours, "theirs": theirs}
    speeds = {name: round(middle(results)) for name, results in both.items()}
    scores = {name: {quality: round(middle(results, quality), 3)} for name, results in both.items() if quality}
    shares = [round(middle(results, "peak_share"), 2) for results in both.values() if "peak_share" in results[0]]
    sizes = {**sizes, **({"share of the matrix peak, ours and theirs": shares} if shares else {})}
    measured = {"what": what, **speeds, "unit": unit, **ratios(ours, theirs), "quality": scores, "sizes": sizes}
    peaks = [middle(results, "peak_mb") for results in both.values()]
    return {**measured, "threads": options.threads, "precision": precision, "peak_mb": peaks}


def growth(sizes: Sequence[int], speeds: Sequence[float]) -> float:
    """b in time = a * size ** b: the slope of a straight line through the logarithms."""
    return round(-float(np.polyfit(np.log(sizes), np.log(speeds), 1)[0]), 3)
