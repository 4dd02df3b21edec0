"""Language models of two directions that learn in seconds, for the claims of chapters 3 and 4.

model = world_bilm(seed=0)      # a BiLM of the invented world, in eval mode: model.encode([["The", "bank", ...]])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice

from course_lib.data.streams import TwoWayStreams
from course_lib.data.world import World
from course_lib.device import seed_everything
from course_lib.models.lstm_lm import DIRECTIONS, SPECIALS, UNKNOWN, BiLM, BiLMConfig
from course_lib.text.characters import Characters
from course_lib.text.vocabulary import Vocabulary
from course_lib.training import fit
from course_lib.training.schedules import cosine

TEXT_SEED = 23  # of the text without labels; the labelled sentences of the experiments have other seeds
_DOCUMENT = 16  # sentences that stay together when the text is shuffled
SENTENCES_PER_CUE = 2  # plain sentences for each one with a word whose sense a cue on one side tells


def world_bilm(
    seed: int = 0,
    *,
    n_words: int = 60_000,
    steps: int = 150,
    directions: str = "both",
    language: str = "en",
) -> BiLM:
    """A BiLM trained on `n_words` words of the world, about 3 s on one core; other arguments as for `train_bilm`.

    seed      of the weights and of the order of the text; the text itself is always the same
    """
    text = [list(words) for words in world_text(n_words, language)]
    return train_bilm(text, seed, steps=steps, directions=directions)


@lru_cache(maxsize=4)
def world_text(n_words: int, language: str = "en") -> tuple[tuple[str, ...], ...]:
    """Sentences without labels. Half are of the test split: text from the wild has words that the labelled ones lack.

    One in three has an ambiguous word with a cue on its left or on its right.
    """
    worlds = [World(TEXT_SEED, split=split) for split in ("train", "test")]
    plain = [world.sentences(language) for world in worlds]
    cued = [world.senses(language, side=side) for world in worlds for side in ("left", "right")]
    found: list[tuple[str, ...]] = []
    total = 0
    while total < n_words:
        new = [sentence.words for stream in plain for sentence in islice(stream, 2 * SENTENCES_PER_CUE)]
        new += [next(stream).sentence.words for stream in cued]
        found += new
        total += sum(map(len, new))
    return tuple(found)


def train_bilm(
    text: Sequence[Sequence[str]],
    seed: int = 0,
    *,
    steps: int,
    directions: str = "both",
    characters: bool = False,
    width: int = 64,
    min_count: int = 1,
    batch_size: int = 16,
    length: int = 24,
    watchers: Sequence[Callable[[int, dict], object]] = (),
    model: BiLM | None = None,
) -> BiLM:
    """A BiLM trained for `steps` steps of batch_size x length words in each direction; steps=0: the same untrained.

    directions  "both", "forward", "backward"
    width       of a layer's state, all directions together: one direction alone is as wide as two side by side
    characters  words are read by a character CNN, not looked up in a table
    min_count   rarer words are read and predicted as unknown (with characters: only predicted so)
    watchers    as for `fit`; they may save the model given in `model` on the way
    """
    seed_everything(seed)
    if model is None:
        model = new_bilm(text, directions=directions, characters=characters, width=width, min_count=min_count)
    if steps:
        documents = [model.document(text[at : at + _DOCUMENT]) for at in range(0, len(text), _DOCUMENT)]
        streams = TwoWayStreams(documents, batch_size, length, seed=seed)
        fit(
            model,
            streams,
            steps=steps,
            learning_rate=8e-3,
            schedule=cosine,
            betas=(0.9, 0.98),
            watchers=watchers,
            show=False,
        )
    return model.eval()


def new_bilm(
    text: Sequence[Sequence[str]],
    *,
    directions: str = "both",
    characters: bool = False,
    width: int = 64,
    min_count: int = 1,
) -> BiLM:
    """An untrained BiLM for the words of a text; arguments as for `train_bilm`."""
    vocabulary = Vocabulary.from_sentences(text, min_count=min_count, specials=SPECIALS, unknown=UNKNOWN)
    spelled = Characters.from_words(vocabulary.words, min_count=1) if characters else None
    config = BiLMConfig.small(len(vocabulary), None if spelled is None else len(spelled))
    projection = width // len(DIRECTIONS[directions])
    cnn = config.characters if spelled is None else replace(config.characters, out_dim=projection)
    config = replace(config, directions=directions, projection=projection, hidden=2 * projection, characters=cnn)
    return BiLM(config, vocabulary, spelled)
