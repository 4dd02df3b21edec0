"""Small biLMs for tests; sizes are different primes."""

from dataclasses import replace

from course_lib.models.char_cnn import CharCNNConfig
from course_lib.models.lstm_lm import SPECIALS, UNKNOWN, BiLM, BiLMConfig
from course_lib.text.characters import Characters
from course_lib.text.vocabulary import Vocabulary

PROJECTION, HIDDEN = 5, 11


def small_bilm(words, *, characters=False, vocab_size=None, **changes):
    """A biLM for these words, the first most frequent; `changes` are fields of BiLMConfig."""
    vocabulary = Vocabulary([*SPECIALS, *words], range(len(words) + 2, 0, -1), unknown=UNKNOWN)
    config = BiLMConfig(vocab_size or len(vocabulary), PROJECTION, HIDDEN, **changes)
    if not characters:
        return BiLM(config, vocabulary)
    known = Characters.from_words([word for word in words for _ in range(5)])
    cnn = CharCNNConfig(len(known), char_dim=3, filters=((1, 2), (3, 7)), out_dim=PROJECTION)
    return BiLM(replace(config, characters=cnn), vocabulary, known)
