"""Claim C6.1: what a longer sequence costs when the number of words stays the same."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from course.ledger import Measurement, claim
from course_lib.device import choose_device, seed_everything
from course_lib.models.attention import MultiHeadAttention

Step = Callable[[], None]
NETS = ("LSTM", "attention", "feed-forward")


@claim("C6.1", full={"width": 512, "tokens": 8192, "n_rounds": 15, "lengths": (32, 64, 128, 256, 512, 1024)})
def recurrence_is_serial(
    *,
    width: int = 256,
    tokens: int = 2048,
    lengths: Sequence[int] = (32, 256, 1024),
    n_rounds: int = 5,
    device: str | None = None,
    seed: int = 0,
) -> Measurement:
    """log2 of t(last length) / t(first length), LSTM minus attention; a round times every net at every length.

    tokens  in a batch, whatever the length. A step is one layer forward and backward, without an optimizer.
    """
    where = choose_device(device)
    seed_everything(seed)
    nets = _nets(width, where)
    inputs = {length: torch.randn(tokens // length, length, width, device=where) for length in lengths}
    steps = {(name, length): _step(nets[name], inputs[length]) for name in NETS for length in lengths}
    for step in steps.values():
        step()  # the first call of a kernel pays for its preparation
    seconds = {key: [] for key in steps}
    for _ in range(n_rounds):
        for key, step in steps.items():
            seconds[key].append(_seconds(step, where))
    times = {key: np.array(found) for key, found in seconds.items()}
    first, last = lengths[0], lengths[-1]
    growth = {name: np.log2(times[name, last] / times[name, first]) for name in NETS}
    depth = {name: {n: sequential_depth(_by_hand(name, width), n, width) for n in (16, 32)} for name in NETS[:2]}
    return Measurement(
        growth["LSTM"] - growth["attention"],
        "doublings of time",
        seeds=True,
        baselines={"feed-forward layer: doublings of time": float(np.median(growth["feed-forward"]))},
        parts={
            f"{name}: doublings of time from {first} to {last} words": float(np.median(growth[name]))
            for name in NETS[:2]
        }
        | {
            f"{name}, {length} words: ms per step": 1e3 * float(np.median(times[name, length]))
            for name in NETS
            for length in lengths
        }
        | {
            f"{name}: operations that must wait for one another, {n} words": depth[name][n]
            for name in NETS[:2]
            for n in (16, 32)
        },
        data=f"{tokens:,} words per batch, width {width}, {where.type.upper()}",
    )


def sequential_depth(net: Callable[[Tensor], Tensor], n_words: int, width: int) -> int:
    """The longest chain of operations of which each waits for the one before, from input to output.

    Read off the graph that PyTorch keeps for the gradient; it has a node for each operation.
    """
    output = net(torch.randn(1, n_words, width, requires_grad=True))
    depth: dict[object, int] = {}
    waiting = [output.grad_fn]
    while waiting:  # a stack instead of recursion: a chain may be thousands of operations long
        node = waiting[-1]
        before = [other for other, _ in node.next_functions if other is not None]
        if missing := [other for other in before if other not in depth]:
            waiting += missing
            continue
        depth[node] = 1 + max((depth[other] for other in before), default=0)
        waiting.pop()
    return depth[output.grad_fn]


def _nets(width: int, device: torch.device) -> dict[str, Callable[[Tensor], Tensor]]:
    """One layer each, of equal width; attention and LSTM as fast as PyTorch has them."""
    lstm, attention = nn.LSTM(width, width, batch_first=True), MultiHeadAttention(width, n_heads=8)
    feed_forward = nn.Sequential(nn.Linear(width, 4 * width), nn.ReLU(), nn.Linear(4 * width, width))
    for net in (lstm, attention, feed_forward):
        net.to(device)
    return {"LSTM": lambda x: lstm(x)[0], "attention": lambda x: attention(x)[0], "feed-forward": feed_forward}


def _by_hand(name: str, width: int) -> Callable[[Tensor], Tensor]:
    """The same layers in single operations: the fast LSTM is one node of the graph, whatever it does inside."""
    if name == "attention":
        attention = MultiHeadAttention(width, n_heads=8)
        return lambda x: attention(x, need_weights=True)[0]
    cell = nn.LSTMCell(width, width)

    def unrolled(x: Tensor) -> Tensor:
        state = None
        for word in x.unbind(1):
            state = cell(word, state)
        return state[0]

    return unrolled


def _step(net: Callable[[Tensor], Tensor], inputs: Tensor) -> Step:
    return lambda: net(inputs).sum().backward()


def _seconds(step: Step, device: torch.device) -> float:
    """Wall time: on a GPU a call returns before its work is done, so both ends wait for it."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    start = time.perf_counter()
    step()
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return time.perf_counter() - start
