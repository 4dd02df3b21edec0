"""Training skip-gram fast, with matrix products only: a million words a second on two cores.

word2vec.c goes pair by pair, and a processor waits for memory all the time. The same sums in large pieces keep it busy:

1. Thin the epoch out once (subsampling): one long row of word ids, each with the number of its sentence.
2. A *chunk* is 16 neighbouring centres. Their contexts are a view of the chunk's tokens and `window` more on either
   side. They share 16 drawn negatives, each counted negatives / 16 times per pair: the same expected gradient. So a
   chunk is one matrix of scores, centres x (contexts + negatives), and a matrix of 0 and 1 says which contexts count.
3. A *step* does 32 chunks; two threads write to the same tables without waiting for each other (Hogwild, Niu et al.
   2011, arXiv:1106.5730). The result then depends on who writes first; one thread and a seed give the same bits.

A step adds up many pairs that start from the same old vectors, so a row with hundreds of them would overshoot: rows
that expect more than ROW_CAP terms in a step are slowed down to what ROW_CAP terms do. The full softmax has no sigma
that flattens out for large scores: there a row's move is cut off at LONGEST_MOVE, too.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, repeat

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor

from course_lib.data.records import Sentence
from course_lib.device import Movable, choose_device
from course_lib.errors import CourseError
from course_lib.language import key, t
from course_lib.models.skip_gram import SkipGram, SkipGramConfig, keep_probability, negative_distribution
from course_lib.progress import Progress
from course_lib.text.vocabulary import Vocabulary, words_of

Tokens = tuple[Int[Tensor, " token"], Int[Tensor, " token"]]  # ids, and the number of the sentence each belongs to


@dataclass(frozen=True)
class Layout:
    """How a step's tokens are cut: `chunks` of `chunk` centres; contexts reach `window` tokens beyond a chunk."""

    chunks: int
    chunk: int
    window: int

    @property
    def centres(self) -> int:
        return self.chunks * self.chunk


@dataclass(frozen=True)
class Blocks(Movable):
    """An epoch's text in equal pieces, one for each step. Block k: its centres and `window` tokens on either side."""

    ids: Int[Tensor, " token"]
    sentence: Int[Tensor, " token"]
    layout: Layout

    def __len__(self) -> int:
        return (len(self.ids) - 2 * self.layout.window) // self.layout.centres

    def __getitem__(self, number: int) -> Tokens:
        start = number * self.layout.centres
        end = start + self.layout.centres + 2 * self.layout.window
        return self.ids[start:end].long(), self.sentence[start:end]  # long: index_add_ is twice as fast with it


def encode_sentences(sentences: Iterable[Sequence[str] | Sentence], vocabulary: Vocabulary) -> Tokens:
    """All known words of a text in order. Unknown ones are gone before windows are laid, as in word2vec."""
    rows = [words_of(sentence, number) for number, sentence in enumerate(sentences)]
    # map, chain and fromiter loop in C: 4 times as fast as a list of ids per sentence.
    ids = map(dict(vocabulary.index).get, chain.from_iterable(rows), repeat(-1))
    ids = torch.from_numpy(np.fromiter(ids, dtype=np.int32))
    lengths = torch.tensor([len(row) for row in rows], dtype=torch.long)
    sentence = torch.repeat_interleave(torch.arange(len(rows), dtype=torch.int32), lengths)
    known = ids >= 0
    return ids[known], sentence[known]


def thin_out(text: Tokens, keep: Float[Tensor, " word"], layout: Layout, generator: torch.Generator) -> Blocks:
    """Drop tokens at random (`keep`: probability to stay, per word), then cut the rest into blocks of the layout.

    What is left moves together, as in word2vec: windows reach further past dropped words.
    """
    ids, sentence = text
    kept = torch.rand(len(ids), generator=generator) < keep[ids]
    ids, sentence = ids[kept], sentence[kept]
    to_fill = -len(ids) % layout.centres
    before, after = layout.window, to_fill + layout.window
    # Each token of the filling is a sentence of its own (negative number), so that no pair holds one.
    filling = -1 - torch.arange(before + after, dtype=sentence.dtype)
    return Blocks(F.pad(ids, (before, after)), torch.cat([filling[:before], sentence, filling[before:]]), layout)


Centres, Targets = Float[Tensor, "chunk centre dim"], Float[Tensor, "chunk target dim"]
Pairs = Float[Tensor, "chunk centre context"]  # 1 where a centre and a context are one, else 0
Rows, Table, Counts = Float[Tensor, "row dim"], Float[Tensor, "word dim"], Float[Tensor, "row word"]

CHUNK = 16  # centres that share contexts and negatives; 8 to 32 are about equally fast
SHARED = 16  # negatives drawn per chunk, at least
CHUNKS = 32  # chunks in a step, at most
CHUNKS_ON_GPU = 128  # larger steps, for there each operation has its price, however small
ROW_CAP = 50  # terms
LONGEST_MOVE = 0.3  # of a row in one step, for the full softmax only; vectors are about 2 long


def random_windows(
    sentence: Int[Tensor, " token"], layout: Layout, generator: torch.Generator
) -> Bool[Tensor, "chunk centre context"]:
    """True where a centre and a token form a pair: the layout's contexts are a chunk and `window` tokens either side.

    Each centre draws its reach from 1 ... window, so a context at distance k counts with probability
    (window - k + 1) / window: near words weigh more. A pair lies within one sentence; a token is not its own context.
    """
    chunk, window, device = layout.chunk, layout.window, sentence.device
    shape = (layout.chunks, chunk, 1)
    reach = torch.randint(1, window + 1, shape, generator=generator, dtype=torch.int16, device=device)
    sentences = sentence.unfold(0, chunk + 2 * window, chunk)  # [chunk, context], a view
    same_sentence = sentences[:, None, :] == sentences[:, window : window + chunk, None]
    return (_distances(chunk, window, device) <= reach).logical_and_(same_sentence)


@lru_cache
def _distances(chunk: int, window: int, device: torch.device) -> Int[Tensor, "centre context"]:
    """From each centre to each token of its chunk's row; to itself it is out of everyone's reach."""
    centre = torch.arange(window, window + chunk)
    distance = (torch.arange(chunk + 2 * window) - centre[:, None]).abs()
    return distance.masked_fill(distance == 0, window + 1).to(device, torch.int16)


def sampled_loss(centres: Centres, targets: Targets, pairs: Pairs, negatives: int) -> Float[Tensor, ""]:
    """Negative sampling, summed over all pairs. `targets`: the contexts' output vectors, then the n shared negatives'.

    Each of the n is weighted with negatives / n.
    """
    scores = centres @ targets.transpose(1, 2)
    true, drawn = scores.split([pairs.shape[2], targets.shape[1] - pairs.shape[2]], dim=2)
    weight = pairs.sum(2, keepdim=True) * negatives / drawn.shape[2]
    return -(pairs * F.logsigmoid(true)).sum() - (weight * F.logsigmoid(-drawn)).sum()


def sampled_gradients(centres: Centres, targets: Targets, pairs: Pairs, negatives: int) -> tuple[Centres, Targets]:
    """Gradients of `sampled_loss`. Per score: sigma(score) - 1 for a pair, sigma(score) for a drawn word."""
    n_contexts, n_drawn = pairs.shape[2], targets.shape[1] - pairs.shape[2]
    error = torch.bmm(centres, targets.transpose(1, 2)).sigmoid_()  # [chunk, centre, target], changed in place below
    error[:, :, :n_contexts].sub_(1).mul_(pairs)
    error[:, :, n_contexts:].mul_(pairs.sum(2, keepdim=True).mul_(negatives / n_drawn))
    return torch.bmm(error, targets), torch.bmm(error.transpose(1, 2), centres)


def softmax_loss(centres: Rows, output: Table, counts: Counts) -> Float[Tensor, ""]:
    """Full softmax, summed over all pairs: counts[i, j] pairs have row i's word as centre and word j as context."""
    return -(counts * (centres @ output.T).log_softmax(1)).sum()


def softmax_gradients(centres: Rows, output: Table, counts: Counts) -> tuple[Rows, Table]:
    """The gradients of `softmax_loss`. Per score: pairs expected by the model minus pairs seen."""
    error = (centres @ output.T).softmax(1).mul_(counts.sum(1, keepdim=True)).sub_(counts)
    return error @ output, error.T @ centres


class _Step:
    """What both objectives share: tables, layout, caps. `keep`: the share of each word that stays in the text."""

    def __init__(self, model: SkipGram, keep: Float[Tensor, " word"]):
        self.model, config = model, model.config
        self.input, self.output = model.input.weight.detach(), model.output.weight.detach()  # same memory, no autograd
        self.device = self.input.device
        counts = torch.tensor(model.vocabulary.counts)
        share = counts * keep
        share = share / share.sum()  # of the thinned text
        negative = config.objective == "negative"
        terms_per_pair = 1 + config.negatives if negative else 2
        # A centre has window + 1 contexts on average: twice the mean reach (window + 1) / 2.
        terms = CHUNK * (config.window + 1) * terms_per_pair  # per chunk, all words together
        # As many chunks as an average token's row can bear: a small vocabulary is trained in small steps.
        most = CHUNKS if self.device.type == "cpu" else CHUNKS_ON_GPU
        chunks = min(most, max(1, int(ROW_CAP / (terms * float(share @ share)))))
        self.layout = Layout(chunks, CHUNK, config.window)
        # A drawn word gets its terms in one burst: one for each pair of the chunk, times negatives / shared.
        self.shared = max(SHARED, math.ceil(CHUNK * (config.window + 1) * config.negatives / ROW_CAP))
        drawn = negative_distribution(counts, config.power) if negative else share
        as_output = (share + drawn * (terms_per_pair - 1)) / terms_per_pair
        self.input_cap = (ROW_CAP / (chunks * terms * share)).clamp(max=1).to(self.device)
        self.output_cap = (ROW_CAP / (chunks * terms * as_output)).clamp(max=1).to(self.device)


class NegativeSamplingStep(_Step):
    def __call__(self, block: Tokens, rate: float, generator: torch.Generator, want_loss: bool) -> float | None:
        """Learn from one block. Returns the loss per pair before the step if `want_loss`, else None."""
        ids, sentence = block
        chunks, chunk, window = self.layout.chunks, self.layout.chunk, self.layout.window
        contexts = ids.unfold(0, chunk + 2 * window, chunk)  # [chunk, context]: overlapping views, no copy
        centre_ids = ids[window : window + self.layout.centres]
        drawn = self.model.draw_negatives((chunks, self.shared), generator)
        target_ids = torch.cat([contexts, drawn], dim=1).flatten()
        pairs = random_windows(sentence, self.layout, generator).float()

        centres = self.input.index_select(0, centre_ids).view(chunks, chunk, -1)
        targets = self.output.index_select(0, target_ids).view(chunks, -1, centres.shape[2])
        negatives, loss = self.model.config.negatives, None
        if want_loss:
            loss = float(sampled_loss(centres, targets, pairs, negatives) / pairs.sum().clamp(min=1))
        centre_gradient, target_gradient = sampled_gradients(centres, targets, pairs, negatives)
        _descend(self.input, centre_ids, centre_gradient.flatten(0, 1), self.input_cap, rate)
        _descend(self.output, target_ids, target_gradient.flatten(0, 1), self.output_cap, rate)
        return loss


class SoftmaxStep(_Step):
    """Pairs with the same centre word share a row of scores: a step costs (different centres) x |V|."""

    def __call__(self, block: Tokens, rate: float, generator: torch.Generator, want_loss: bool) -> float | None:
        """As for negative sampling."""
        ids, sentence = block
        chunk, window, n_words = self.layout.chunk, self.layout.window, len(self.output)
        contexts = ids.unfold(0, chunk + 2 * window, chunk)
        in_chunk, centre, context = random_windows(sentence, self.layout, generator).nonzero(as_tuple=True)
        context_ids = contexts[in_chunk, context]
        centre_ids, row = contexts[in_chunk, centre + window].unique(return_inverse=True)
        counts = torch.bincount(row * n_words + context_ids, minlength=len(centre_ids) * n_words)
        counts = counts.view(-1, n_words).to(self.output.dtype)  # [different centre, word]

        centres, loss = self.input.index_select(0, centre_ids), None
        if want_loss:
            loss = float(softmax_loss(centres, self.output, counts) / max(len(row), 1))
        centre_gradient, output_gradient = softmax_gradients(centres, self.output, counts)
        centre_move = centre_gradient.mul_(self.input_cap.index_select(0, centre_ids).mul_(-rate)[:, None])
        self.input.index_add_(0, centre_ids, _cut_off(centre_move))
        self.output.add_(_cut_off(output_gradient.mul_(self.output_cap[:, None] * -rate)))
        return loss


def _cut_off(move: Rows) -> Rows:
    return move.mul_((LONGEST_MOVE / move.norm(dim=1, keepdim=True)).clamp_(max=1))


def _descend(table: Table, ids: Int[Tensor, " row"], gradient: Rows, cap: Float[Tensor, " word"], rate: float) -> None:
    """table[ids] -= rate * cap[ids] * gradient, where an id may stand several times. Changes `gradient` too.

    index_add_ without its factor `alpha`, and index_select in place of [ids], are several times as fast on CPUs.
    """
    table.index_add_(0, ids, gradient.mul_(cap.index_select(0, ids).mul_(-rate)[:, None]))


FINAL_RATE = 1e-4  # the learning rate ends at this share of its start, as in word2vec.c
LOSS_EVERY = 40  # steps between two points of the live curve: it costs about 1 % so
REFRESH = 0.2  # seconds between two looks of the main thread: at the bar, and for an interrupt


def train_skip_gram(
    sentences: Iterable[Sequence[str] | Sentence],
    config: SkipGramConfig | None = None,
    *,
    vocabulary: Vocabulary | None = None,
    seed: int = 0,
    device: torch.device | str | None = None,
    threads: int = 2,
    progress: bool | str = "auto",
) -> SkipGram:
    """Train on sentences (lists of str, or records with `.words`); pairs never cross sentences.

    vocabulary  default: counted from the sentences with the config's min_count and max_size
    device      default: COURSE_DEVICE, else the best there is
    threads     on the CPU; with 1 the same seed gives the same vectors, bit for bit. GPUs get one stream.
    progress    False: no bar
    """
    config = SkipGramConfig() if config is None else config
    device = choose_device(None if device is None else str(device))
    sentences = list(sentences)  # read twice: to count and to encode
    if vocabulary is None:
        vocabulary = Vocabulary.from_sentences(sentences, min_count=config.min_count, max_size=config.max_size)
    text, before, on_cpu = encode_sentences(sentences, vocabulary), torch.get_num_threads(), device.type == "cpu"
    if not (text[1][1:] == text[1][:-1]).any():
        says = key(
            "Skip-gram has no word to learn: none of {n} sentences holds two of the {words} words of the vocabulary "
            "(min_count={least}). Use longer sentences, a longer text or a smaller min_count."
        )
        raise CourseError(t(says, n=len(sentences), words=len(vocabulary), least=config.min_count))
    with torch.random.fork_rng(devices=[]):  # the caller's random numbers are left as they were
        torch.manual_seed(seed)
        model = SkipGram(config, vocabulary).to(device)
    try:
        if on_cpu:
            torch.set_num_threads(1)  # the workers are the parallel part; operations this small lose by being split
        _train(model, text, torch.Generator().manual_seed(seed), threads if on_cpu else 1, progress)
    finally:
        torch.set_num_threads(before)
    return model


def _train(model: SkipGram, text: Tokens, generator: torch.Generator, threads: int, progress: bool | str) -> None:
    config, n_words = model.config, len(text[0])
    keep = keep_probability(torch.tensor(model.vocabulary.counts), config.sample)
    step = (NegativeSamplingStep if config.objective == "negative" else SoftmaxStep)(model, keep)
    seeds = torch.randint(2**62, (threads,), generator=generator).tolist()
    generators = [torch.Generator(step.device).manual_seed(seed) for seed in seeds]  # one per worker
    stop, started, epochs_done, loss = threading.Event(), time.perf_counter(), 0.0, None

    def work(epoch: int, blocks: Blocks, waiting: Iterator[tuple[int, int]], own: torch.Generator) -> None:
        """Take step after step until none is left, or `stop` is set. next() on `waiting` is one act between threads."""
        nonlocal epochs_done, loss
        for place, block in waiting:
            if stop.is_set():
                return
            epochs_done = epoch + place / len(blocks)
            rate = config.learning_rate * max(FINAL_RATE, 1 - epochs_done / config.epochs)
            found = step(blocks[block], rate, own, want_loss=place % LOSS_EVERY == 0)
            loss = loss if found is None else found
        epochs_done = epoch + 1.0

    total = config.epochs * n_words
    with ThreadPoolExecutor(threads) as pool, Progress("skip-gram", total=total, unit="words", show=progress) as bar:
        try:
            for epoch in range(config.epochs):
                blocks = thin_out(text, keep, step.layout, generator).to(step.device)
                # A random order, so that a long article does not pull the vectors its way at one learning rate.
                waiting = enumerate(torch.randperm(len(blocks), generator=generator).tolist())
                running = [pool.submit(work, epoch, blocks, waiting, own) for own in generators]
                while running:
                    done, running = wait(running, timeout=REFRESH)
                    for future in done:
                        future.result()  # raises what the worker raised
                    words = epochs_done * n_words
                    speed = t("{n} words/s", n=f"{words / (time.perf_counter() - started):,.0f}")
                    bar.update(words, loss=loss, **{key("speed"): speed})
        finally:
            stop.set()  # whatever happened: no thread goes on by itself
