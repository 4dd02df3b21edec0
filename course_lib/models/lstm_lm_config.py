"""Sizes of the LSTM language models, and the check that sizes, vocabulary and characters belong together."""

from __future__ import annotations

from dataclasses import dataclass, replace

from course_lib.errors import CourseError
from course_lib.models.char_cnn import CharCNNConfig
from course_lib.text.characters import Characters
from course_lib.text.elmo_bytes import ElmoBytes
from course_lib.text.vocabulary import Vocabulary

UNKNOWN, BOUNDARY = "<unk>", "</s>"
SPECIALS = (UNKNOWN, BOUNDARY)  # Vocabulary.from_sentences(..., specials=SPECIALS, unknown=UNKNOWN)
DIRECTIONS = {"both": ("forward", "backward"), "forward": ("forward",), "backward": ("backward",)}


@dataclass(frozen=True)
class LSTMLMConfig:
    vocab_size: int  # words the softmax knows: the first ids of the vocabulary
    projection: int = 128  # numbers per word and direction, in every layer
    hidden: int = 512  # LSTM cells
    n_layers: int = 2
    dropout: float = 0.1  # before each LSTM layer and before the softmax
    softmax: str | None = "full"  # "full", "adaptive", "sampled"; None: a BiLM that only encodes
    cutoffs: tuple[int, ...] = ()  # of the adaptive softmax
    n_samples: int = 8192  # of the sampled softmax

    @classmethod
    def paper(cls, vocab_size: int) -> LSTMLMConfig:
        return cls(vocab_size, projection=512, hidden=4096, softmax="sampled")

    @classmethod
    def small(cls, vocab_size: int) -> LSTMLMConfig:
        return cls(vocab_size, projection=32, hidden=64)


@dataclass(frozen=True)
class BiLMConfig(LSTMLMConfig):
    directions: str = "both"  # or "forward", "backward": half as wide; double `projection` for an equal width
    characters: CharCNNConfig | None = None  # None: a table of words
    clip: float | None = None  # bound of cells and states; 3.0 for ELMo's published weights, see ProjectedLSTM

    def __post_init__(self):
        if self.directions not in DIRECTIONS:
            raise CourseError(f"BiLM: directions={self.directions!r}. Use one of: {', '.join(DIRECTIONS)}.")
        if self.characters is not None and self.characters.out_dim != self.projection:
            raise CourseError(
                f"BiLM: the character CNN gives {self.characters.out_dim} numbers per word, the LSTMs read "
                f"projection={self.projection}. Use CharCNNConfig(..., out_dim={self.projection})."
            )

    @classmethod
    def paper(cls, vocab_size: int, n_characters: int | None = None) -> BiLMConfig:
        """ELMo's sizes; with `n_characters` = len(Characters) its 2048 filters, else a table of words."""
        config = super().paper(vocab_size)
        return config if n_characters is None else replace(config, characters=CharCNNConfig.paper(n_characters))

    @classmethod
    def small(cls, vocab_size: int, n_characters: int | None = None) -> BiLMConfig:
        """Sizes that learn the invented world in seconds."""
        config = super().small(vocab_size)
        if n_characters is None:
            return config
        cnn = CharCNNConfig(n_characters, filters=((1, 16), (2, 32), (3, 64)), out_dim=config.projection)
        return replace(config, characters=cnn)


def check_fit(config: BiLMConfig, vocabulary: Vocabulary, characters: Characters | ElmoBytes | None) -> None:
    """CourseError where a BiLM of this config cannot read or predict these words."""
    if vocabulary.unknown is None or BOUNDARY not in vocabulary:
        raise CourseError(
            f"BiLM: the vocabulary needs {BOUNDARY!r} and a word for all unknown ones. Build it with "
            "Vocabulary.from_sentences(sentences, specials=SPECIALS, unknown=UNKNOWN) of models.lstm_lm_config."
        )
    least = 1 + max(vocabulary.index[BOUNDARY], vocabulary.index[vocabulary.unknown])
    if not least <= config.vocab_size <= len(vocabulary):
        raise CourseError(
            f"BiLM: vocab_size={config.vocab_size}, but the vocabulary has {len(vocabulary)} words. "
            f"Use {least} to {len(vocabulary)}."
        )
    n_known = None if characters is None else len(characters)
    n_read = None if config.characters is None else config.characters.n_characters
    if n_known != n_read:
        raise CourseError(
            f"BiLM: config.characters is made for {n_read} character ids, `characters` has {n_known}. "
            "Give both or neither, with CharCNNConfig(n_characters=len(characters), ...)."
        )
