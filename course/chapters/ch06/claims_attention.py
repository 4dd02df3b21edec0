"""Claims C6.3 to C6.6: why scores are divided by sqrt(d_k), and why two look-ups at once need two heads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from course.lab.world_models import TRANSLATOR, translator, unseen_pairs, world_bleu
from course.ledger import Exact, Measurement, by_seed, claim, means
from course_lib.device import seed_everything
from course_lib.models.attention import MultiHeadAttention
from course_lib.training import fit
from course_lib.training.schedules import cosine

CHUNK = 1_000  # draws held in memory together
N_SYMBOLS, N_SLOTS, N_VALUES = 32, 8, 8  # of the look-ups
QUESTIONS, LEARNED, SMOOTHED = 64, 0.9, 8  # in a batch; accuracy to reach, as the mean over so many batches
RULES, RATES = ("divided", "undivided", "rescaled"), (3e-3, 1e-2, 3e-2, 1e-1, 3e-1)


@claim("C6.3")
def variance_of_scores(*, widths: Sequence[int] = (16, 64, 256, 1024), n_draws: int = 100_000) -> Exact:
    """Largest relative error of var(q.k) = d_k sigma^4; entries of mean 1 must break it.

    The draws of one width serve all sigmas, multiplied by each: the products are then measured, not their formula.
    """
    generator, sigmas = torch.Generator().manual_seed(0), (0.5, 1.0, 2.0)
    errors, ratios, shifted = [], [], 0.0
    for width in widths:
        # Room for all products is made first: small results between large draws would keep the memory from being freed.
        cases = [*((0.0, sigma) for sigma in sigmas), (1.0, 1.0)]
        found = {case: torch.empty(n_draws, dtype=torch.float64) for case in cases}
        for start in range(0, n_draws, CHUNK):
            query, key = torch.randn(2, min(CHUNK, n_draws - start), width, generator=generator)
            for (mean, sigma), scores in found.items():
                products = (sigma * query + mean) * (sigma * key + mean)
                scores[start : start + CHUNK] = products.sum(-1)
        for sigma in sigmas:
            scores = found[0.0, sigma]
            errors.append(abs(float(scores.var()) / (width * sigma**4) - 1))
            ratios.append(float(scores.square().mean().sqrt()) / (width**0.5 * sigma**2))
        shifted = max(shifted, abs(float(found[1.0, 1.0].var()) / width - 1))
    return Exact(
        max(errors),
        "relative error",
        holds=shifted > 0.5,
        detail=f"{n_draws:,} draws for each d_k; with entries of mean 1 the formula is off by {shifted:.2f}",
        parts={
            "entries of mean 1: relative error of the formula": shifted,
            "root mean square of q.k over sqrt(d_k) sigma^2, largest": max(ratios),
        },
        data="normal draws",
    )


@claim("C6.4")
def differences_saturate() -> Exact:
    """softmax([0.3, 0.4]) and of 100 times that, the Jacobian, and what 1000 added to all scores changes."""
    scores = torch.tensor([0.3, 0.4], dtype=torch.float64)
    stated = {1.0: [0.47502, 0.52498], 100.0: [0.00004540, 0.99995460]}
    errors = [
        float((torch.softmax(factor * scores, 0) - torch.tensor(values, dtype=torch.float64)).abs().max())
        for factor, values in stated.items()
    ]
    norms, minus, plus = [], [], []
    factors = (1, 3, 10, 30, 100)
    for factor in factors:
        jacobian = torch.autograd.functional.jacobian(lambda s: torch.softmax(s, 0), factor * scores)
        weights = torch.softmax(factor * scores, 0)
        formula = torch.diag(weights) - torch.outer(weights, weights)
        minus.append(float((jacobian - formula).abs().max()))
        # the notes' sign: the same on the diagonal, turned off it
        plus.append(float((jacobian - (2 * torch.diag(formula.diag()) - formula)).abs().max()))
        norms.append(float(jacobian.norm()))
    moved = float((torch.softmax(scores + 1000, 0) - torch.softmax(scores, 0)).abs().max())
    falls = bool(np.all(np.diff(norms) < 0))
    return Exact(
        max(*errors, *minus, moved),
        "largest error",
        holds=falls,
        detail="the norm of the Jacobian falls with every factor" if falls else "the norm rises",
        parts={
            **{f"norm of the Jacobian, scores times {factor:g}": n for factor, n in zip(factors, norms, strict=True)},
            "Jacobian with plus off the diagonal, as in the notes: largest error": max(plus),
        },
        data="the scores [0.3, 0.4] and multiples of them",
    )


@claim("C6.5", full={"widths": (16, 64, 256, 1024), "max_steps": 1_500, "n_seeds": 8})
def division_keeps_learning(
    *, widths: Sequence[int] = (16, 128, 1024), max_steps: int = 600, n_seeds: int = 5
) -> Measurement:
    """Slope of log2(steps to 90 %) over log2(d_k), undivided minus divided scores, per seed.

    Each way has, for each d_k, the best of RATES (chosen by one more seed). The control keeps the scores divided and
    multiplies the rates by sqrt(d_k): what the missing division does to the size of the gradient, without its
    saturation. A run that does not get there counts with the most steps, so a slope can only be underrated.
    """

    def measure(rule: str) -> tuple[Float[np.ndarray, "width seed"], list[float], list[float]]:
        """(steps to 90 %, best rate, largest rate that learns or nan) of each width.

        All seeds of one width and rate train side by side; the last of them only chooses the rate.
        """
        steps, best_rates, largest_rates = [], [], []
        for width in widths:
            factor = width**0.5 if rule == "rescaled" else 1.0
            scale = 1.0 if rule == "undivided" else width**-0.5
            ways = (steps_to_learn(width, scale, factor * rate, n_seeds + 1, max_steps) for rate in RATES)
            tried = np.stack(list(ways))  # [rate, seed]
            best = int(tried[:, -1].argmin())
            steps.append(tried[best, :-1])
            best_rates.append(factor * RATES[best])
            learns = (np.median(tried[:, :-1], axis=1) < max_steps).nonzero()[0]
            largest_rates.append(factor * RATES[learns[-1]] if len(learns) else float("nan"))
        return np.stack(steps), best_rates, largest_rates

    found = {rule: measure(rule) for rule in RULES}
    slopes = {rule: np.polyfit(np.log2(widths), np.log2(steps), 1)[0] for rule, (steps, *_) in found.items()}
    shown = {
        "steps to 90 %": {rule: np.median(steps, axis=1) for rule, (steps, *_) in found.items()},
        "largest rate of those tried at which it learns": {rule: largest for rule, (*_, largest) in found.items()},
        "best rate": {rule: best for rule, (_, best, _) in found.items()},
    }
    of_width = {}
    for what, rows in shown.items():
        of_width |= means(f"{{}}, d_k {{}}: {what}", rows, widths)
    cut = {f"{rule}: runs cut at {max_steps:,} steps": int((found[rule][0] == max_steps).sum()) for rule in RULES}
    return by_seed(
        slopes["undivided"] - slopes["divided"],
        "doublings per doubling",
        control=by_seed(slopes["rescaled"] - slopes["divided"], "doublings per doubling"),
        baselines={"divided scores: doublings per doubling": float(slopes["divided"].mean())},
        parts={name: value for name, value in (of_width | cut).items() if not np.isnan(value)},
        data="look-ups in a table, one attention head",
    )


class LookUps(nn.Module):
    """`n` networks side by side, each with one head: find the slot whose symbol is asked for, and say its value.

    Queries and keys of symbols start with independent entries of variance 1, so that q.k has variance d_k.
    """

    def __init__(self, n: int, d_k: int, scale: float, d_value: int = 32):
        super().__init__()
        self.scale = scale
        self.query, self.key = (nn.Parameter(torch.randn(n, N_SYMBOLS, d_k)) for _ in range(2))
        self.value = nn.Parameter(torch.randn(n, N_VALUES, d_value))
        self.output = nn.Parameter(torch.randn(n, d_value, N_VALUES) / d_value**0.5)

    def forward(
        self,
        asked: Int[Tensor, "net batch"],
        symbols: Int[Tensor, "net batch slot"],
        values: Int[Tensor, "net batch slot"],
    ) -> Float[Tensor, "net batch value"]:
        """Logits. The scores of all symbols with all are computed once and looked up: it is the same, and faster."""
        nets = torch.arange(len(asked))[:, None]
        table = self.query @ self.key.transpose(1, 2) * self.scale  # [net, asked, symbol]
        weights = table[nets[..., None], asked[..., None], symbols].softmax(-1)
        attended = (weights[..., None] * self.value[nets[..., None], values]).sum(-2)
        return attended @ self.output


def steps_to_learn(d_k: int, scale: float, rate: float, n: int, max_steps: int) -> Float[np.ndarray, " net"]:
    """Steps until the mean accuracy on the last SMOOTHED batches, all of them new, is 90 %; at most max_steps."""
    seed_everything(0)
    nets = LookUps(n, d_k, scale)
    optimizer = torch.optim.Adam(nets.parameters(), lr=rate, betas=(0.9, 0.98))
    recent: list[Tensor] = []
    reached = np.full(n, float(max_steps))
    for step in range(1, max_steps + 1):
        symbols = torch.rand(n, QUESTIONS, N_SYMBOLS).argsort(-1)[..., :N_SLOTS]
        values = torch.randint(N_VALUES, (n, QUESTIONS, N_SLOTS))
        # the slots are in random order, so the first one may always be the one that is asked for
        asked, gold = symbols[..., 0], values[..., 0]
        logits = nets(asked, symbols, values)
        loss = F.cross_entropy(logits.flatten(0, 1), gold.flatten()) * n  # a net's gradient is that of its own mean
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        recent = [*recent[1 - SMOOTHED :], (logits.argmax(-1) == gold).float().mean(-1)]
        if len(recent) == SMOOTHED:
            learned = (torch.stack(recent).mean(0) >= LEARNED).numpy()
            reached[learned & (reached == max_steps)] = step
            if (reached < max_steps).all():
                break
    return reached


# With 16, 8 and 6 every network has all answers right, with 64, 16 and 16 none gets beyond chance in these steps.
PAIR_SYMBOLS, PAIR_SLOTS, PAIR_VALUES = 64, 16, 8
LookUpBatch = dict[str, Tensor]


@claim("C6.6", full={"steps": 600, "n_seeds": 8, "bleu_steps": 300})
def heads_look_up_together(*, steps: int = 400, n_seeds: int = 5, bleu_steps: int = 0) -> Measurement:
    """Accuracy with the most heads minus that with the fewest, per seed; both look-ups must be right, and in order.

    bleu_steps  steps of a world translator for each number of heads, as a part; 0 leaves it out
    """
    width = 32
    found = {
        (n_heads, asked): np.array([accuracy(n_heads, asked, width, steps, 5e-3, s) for s in range(n_seeds)])
        for n_heads, asked in ((1, 2), (2, 2), (4, 2), (1, 1), (4, 1))
    }
    parts = {
        f"{n_heads} head{'s' * (n_heads > 1)}, {asked} look-up{'s' * (asked > 1)}: accuracy in %": values.mean()
        for (n_heads, asked), values in found.items()
    }
    if bleu_steps:
        pairs = [pair.parallel() for pair in unseen_pairs(300, 1)]
        for n_heads in (1, 2, 4):
            config = replace(TRANSLATOR, n_heads=n_heads)
            score = world_bleu(translator(0, steps=bleu_steps, config=config), pairs)
            parts[f"translator of the world, {n_heads} head{'s' * (n_heads > 1)}: BLEU"] = score
    return by_seed(
        found[4, 2] - found[1, 2],
        baselines={"chance, in %": 100 / PAIR_VALUES**2, "best answer from one look-up, in %": 100 / PAIR_VALUES},
        parts=parts,
        data=f"look-ups in a table, one attention layer of width {width}",
    )


class TwoLookUps(nn.Module):
    """One attention layer reads slots (a symbol and its value); the query asks for one symbol, or for two in order.

    The answer is the value, or the pair of values. Nothing but the attention's output reaches it.
    """

    def __init__(self, width: int, n_heads: int, n_asked: int):
        super().__init__()
        self.symbols, self.values = nn.Embedding(PAIR_SYMBOLS, width), nn.Embedding(PAIR_VALUES, width)
        self.asked = nn.ModuleList(nn.Embedding(PAIR_SYMBOLS, width) for _ in range(n_asked))
        self.attention = MultiHeadAttention(width, n_heads)
        self.answer = nn.Linear(width, PAIR_VALUES**n_asked)

    def forward(self, batch: LookUpBatch) -> Float[Tensor, "batch answer"]:
        """Logits of all answers."""
        slots = self.symbols(batch["symbols"]) + self.values(batch["values"])
        query = sum(table(batch["symbols"][:, i]) for i, table in enumerate(self.asked))
        return self.answer(self.attention(query[:, None], slots)[:, 0])

    def gold(self, batch: LookUpBatch) -> Int[Tensor, " batch"]:
        """The number of the right answer: value of the first slot asked for * PAIR_VALUES + that of the second."""
        number = batch["values"][:, 0]
        for i in range(1, len(self.asked)):
            number = number * PAIR_VALUES + batch["values"][:, i]
        return number

    def loss(self, batch: LookUpBatch) -> dict[str, Any]:
        """Cross-entropy per question, in nats."""
        return {"loss": F.cross_entropy(self(batch), self.gold(batch)), "count": len(batch["values"])}


def questions(n: int, seed: int) -> LookUpBatch:
    """Slots in random order, so the first ones may be those that are asked for."""
    generator = torch.Generator().manual_seed(seed)
    symbols = torch.rand(n, PAIR_SYMBOLS, generator=generator).argsort(-1)[:, :PAIR_SLOTS]
    return {"symbols": symbols, "values": torch.randint(PAIR_VALUES, (n, PAIR_SLOTS), generator=generator)}


def accuracy(n_heads: int, n_asked: int, width: int, steps: int, learning_rate: float, seed: int) -> float:
    """Right answers to new questions after training, in %."""
    seed_everything(seed)
    model = TwoLookUps(width, n_heads, n_asked)

    def new(epoch: int):
        return (questions(128, seed=1_000_003 * (seed + 1) + step) for step in range(steps))

    fit(model, new, steps=steps, learning_rate=learning_rate, schedule=cosine, seed=seed, show=False)
    test = questions(2_000, seed=-1 - seed)
    with torch.no_grad():
        return 100 * float((model(test).argmax(-1) == model.gold(test)).float().mean())
