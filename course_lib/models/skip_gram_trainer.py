"""Training skip-gram fast, with matrix products only: a million words a second on two cores.

word2vec.c goes pair by pair: read two rows of 100 numbers, one dot product, change both. A processor then waits for
memory all the time. The same sums in large pieces keep it busy:

1. Thin the epoch out once (subsampling), leaving one long row of word ids, each with the number of its sentence.
2. A *chunk* is 16 neighbouring centres. All their contexts lie among the chunk's tokens and `window` more on either
   side: that row of tokens is a view, cut out without copying, and its output vectors are fetched once for 16 centres.
3. The 16 centres share 16 drawn negatives, each counted negatives / 16 times per pair: the same expected gradient.
4. So a chunk is one small matrix of scores, centres x (contexts + negatives). Which contexts count (distance within a
   random window, same sentence, not the word itself) is a matrix of 0 and 1. The gradients are two products more.
5. A *step* does 32 chunks at once; two threads do steps at the same time and write to the same tables without waiting
   for each other (Hogwild, Niu et al. 2011, arXiv:1106.5730): two steps seldom change the same row, and if they do,
   a little of one is lost. PyTorch releases Python's lock inside its operations, so threads suffice.

The price of 5: the result depends on who writes first. One thread and a seed give the same bits every time.
"""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager

import torch

from course_lib.data.records import Sentence
from course_lib.device import choose_device
from course_lib.errors import CourseError
from course_lib.models.skip_gram import SkipGram, SkipGramConfig, keep_probability
from course_lib.models.skip_gram_steps import NegativeSamplingStep, SoftmaxStep
from course_lib.models.skip_gram_text import Blocks, TokenRow, encode_sentences, thin_out
from course_lib.progress import Progress
from course_lib.text.vocabulary import Vocabulary

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
    keep_interrupted: bool = False,
) -> SkipGram:
    """Train skip-gram on sentences (lists of str, or records with `.words`); pairs never cross sentences.

    vocabulary  default: counted from the sentences with the config's min_count and max_size
    device      default: COURSE_DEVICE, else the best there is
    threads     on the CPU; with 1 the same seed gives the same vectors, bit for bit. GPUs get one stream.
    progress    False: no bar
    Ctrl-C ends it with KeyboardInterrupt. With `keep_interrupted` it warns instead and returns the model as far as it
    got: `model.trained_epochs` says how far. Raises CourseError if there is nothing to train on.
    """
    config = SkipGramConfig() if config is None else config
    device = choose_device(None if device is None else str(device))
    if threads < 1:
        raise CourseError(f"train_skip_gram: threads={threads}. Use 1 (reproducible) or the number of cores.")
    if isinstance(sentences, str) or iter(sentences) is sentences:
        sentences = list(sentences)  # read twice: to count and to encode. A str fails below, with a clear message
    if vocabulary is None:
        vocabulary = Vocabulary.from_sentences(sentences, min_count=config.min_count, max_size=config.max_size)
    with torch.random.fork_rng(devices=[]):  # the caller's random numbers are left as they were
        torch.manual_seed(seed)
        model = SkipGram(config, vocabulary).to(device)
    text = encode_sentences(sentences, vocabulary)
    with _one_thread_per_operation(device):
        n_threads = threads if device.type == "cpu" else 1
        _train(model, text, torch.Generator().manual_seed(seed), n_threads, progress, keep_interrupted)
    if not model.input.weight.isfinite().all() or not model.output.weight.isfinite().all():
        raise CourseError(
            f"Training diverged: the vectors hold NaN or infinity. Use a learning_rate below {config.learning_rate}."
        )
    return model


def _train(
    model: SkipGram,
    text: TokenRow,
    generator: torch.Generator,
    threads: int,
    progress: bool | str,
    keep_interrupted: bool,
) -> None:
    config, n_words = model.config, len(text)
    keep = keep_probability(torch.tensor(model.vocabulary.counts), config.sample)
    step = (NegativeSamplingStep if config.objective == "negative" else SoftmaxStep)(model, keep)
    seeds = torch.randint(2**62, (threads,), generator=generator).tolist()
    generators = [torch.Generator(step.device).manual_seed(seed) for seed in seeds]  # one per worker
    work, started = _Work(step), time.perf_counter()
    total = config.epochs * n_words
    with ThreadPoolExecutor(threads) as pool, Progress("skip-gram", total=total, unit="words", show=progress) as bar:
        try:
            for epoch in range(config.epochs):
                work.prepare(epoch, thin_out(text, keep, step.layout, generator).to(step.device), generator)
                running = [pool.submit(work.run, own) for own in generators]
                while running:
                    done, running = wait(running, timeout=REFRESH)
                    for future in done:
                        future.result()  # raises what the worker raised
                    words = work.epochs_done * n_words
                    speed = f"{words / (time.perf_counter() - started):,.0f} words/s"
                    bar.update(words, loss=work.loss, speed=speed)
        except KeyboardInterrupt:
            if not keep_interrupted:
                raise
            warnings.warn(
                f"Training was interrupted after {work.epochs_done:.2f} of {config.epochs} epochs. "
                "The model is returned as far as it got.",
                stacklevel=3,
            )
        finally:
            work.stop.set()  # whatever happened: no thread goes on by itself
            model.trained_epochs = work.epochs_done


class _Work:
    """What the workers share: the steps of the epoch that nobody has taken yet, and how far they are."""

    def __init__(self, step: NegativeSamplingStep | SoftmaxStep):
        self.step, self.config = step, step.model.config
        self.stop = threading.Event()
        self.epochs_done, self.loss = 0.0, None

    def prepare(self, epoch: int, blocks: Blocks, generator: torch.Generator) -> None:
        self.epoch, self.blocks = epoch, blocks
        # A random order, so that a long article does not pull the vectors its way at one learning rate.
        self.waiting = enumerate(torch.randperm(len(blocks), generator=generator).tolist())

    def run(self, generator: torch.Generator) -> None:
        """Take step after step until none is left, or `stop` is set. next() on `waiting` is one act between threads."""
        for place, block in self.waiting:
            if self.stop.is_set():
                return
            self.epochs_done = self.epoch + place / len(self.blocks)
            rate = self.config.learning_rate * max(FINAL_RATE, 1 - self.epochs_done / self.config.epochs)
            loss = self.step(*self.blocks[block], rate, generator, want_loss=place % LOSS_EVERY == 0)
            self.loss = self.loss if loss is None else loss
        self.epochs_done = self.epoch + 1.0


@contextmanager
def _one_thread_per_operation(device: torch.device) -> Iterator[None]:
    """On the CPU the workers are the parallel part; operations this small lose by being split further."""
    before = torch.get_num_threads()
    try:
        if device.type == "cpu":
            torch.set_num_threads(1)
        yield
    finally:
        torch.set_num_threads(before)
