"""A small left-to-right Transformer language model of the invented world, for the claims of chapter 6."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import islice

from course.lab.world_bilm import TEXT_SEED
from course_lib.data.streams import TextStreams
from course_lib.data.world import World
from course_lib.device import seed_everything
from course_lib.models.left_to_right_lm import LeftToRightLM
from course_lib.models.transformer import TransformerConfig
from course_lib.text.pieces import Pieces
from course_lib.training import fit

Schedule = Callable[[int, int], float]
Text = Sequence[Sequence[str]]


@lru_cache(maxsize=8)
def lm_text(n_sentences: int, part: int = 0) -> tuple[tuple[str, ...], ...]:
    """Sentences to read; parts 1, 2 ... are other ones, for dev and test."""
    return tuple(sentence.words for sentence in islice(World(TEXT_SEED + part).sentences(), n_sentences))


def new_lm(config: TransformerConfig, text: Text, seed: int) -> LeftToRightLM:
    """Untrained, for the words of `text`."""
    seed_everything(seed)
    return LeftToRightLM(config, Pieces.words(text))


def streams(model: LeftToRightLM, text: Text, seed: int) -> TextStreams:
    """Running text of whole sentences, each between [BOS] and [EOS]."""
    pieces = model.pieces
    rows = [[pieces.begin, *pieces.ids(words), pieces.end] for words in text]
    return TextStreams(rows, batch_size=16, length=24, seed=seed)


def train_lm(
    model: LeftToRightLM,
    text: Text,
    seed: int,
    *,
    steps: int,
    rate: float,
    schedule: Schedule,
) -> LeftToRightLM:
    """In eval mode. Raises CourseError if the loss stops being a number."""
    fit(
        model,
        streams(model, text, seed),
        steps=steps,
        learning_rate=rate,
        schedule=schedule,
        betas=(0.9, 0.98),
        show=False,
    )
    return model.eval()
