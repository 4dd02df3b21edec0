"""BERTs of a few thousand numbers for tests."""

from collections.abc import Sequence

from course_lib.models.bert import Bert, BertConfig
from course_lib.text.word_pieces import SPECIALS, WordPieces

LETTERS = "abcdefghijklmnopqrstuvwxyz<>.,'바다멀리배가떠있"


def small_pieces(words: Sequence[str] = (), *, lowercase: bool = False) -> WordPieces:
    """Whole words of the list (in lower case with `lowercase`), and letters for all others."""
    words = [word.lower() if lowercase else word for word in words]
    letters = [piece for letter in LETTERS for piece in (letter, f"##{letter}")]
    return WordPieces(tuple(dict.fromkeys([*SPECIALS, *letters, *words])), lowercase=lowercase)


def small_config(**settings) -> BertConfig:
    sizes = {"vocab_size": 131, "d_model": 12, "n_heads": 3, "n_layers": 2, "d_ff": 17, "max_units": 317}
    return BertConfig(**(sizes | settings))


def small_bert(words: Sequence[str] = (), *, lowercase: bool = False, **settings) -> Bert:
    return Bert(small_config(**settings), small_pieces(words, lowercase=lowercase))
