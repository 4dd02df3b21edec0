"""A word as ELMo's published models read it: the bytes of its UTF-8 form between two marks, 50 places for every word.

Source: allenai/bilm-tf, bilm/data.py, and allenai/allennlp, data/token_indexers/elmo_indexer.py. Ids here are as in
AllenNLP: one higher than in the files, because 0 stays free for "no word".
"""

from __future__ import annotations

from collections.abc import Sequence

from course_lib.text.vocabulary import words_of

BEGIN_SENTENCE, END_SENTENCE, BEGIN_WORD, END_WORD, FILL = 257, 258, 259, 260, 261  # a byte b has the id b + 1


class ElmoBytes:
    """Reads any word: Latin letters take one byte, Hangul syllables three.

    boundaries  what the forward and the backward direction read before the first word; in a text the two words
                <S> and </S> mean them too, as in AllenNLP
    max_length  ids of every word. The places after a word hold FILL, which the filters see like a letter
    len(...)    number of ids, 0 included: `n_characters` of a CharCNN
    """

    boundaries = ("<S>", "</S>")
    max_length = 50

    def ids(self, word: str) -> list[int]:
        """BEGIN_WORD, the first 48 bytes, END_WORD, FILL: always 50 ids. A lone surrogate has no bytes: dropped."""
        if word in self.boundaries:
            inside = [(BEGIN_SENTENCE, END_SENTENCE)[self.boundaries.index(word)]]
        else:
            inside = [byte + 1 for byte in word.encode("utf-8", "ignore")[: self.max_length - 2]]
        ids = [BEGIN_WORD, *inside, END_WORD]
        return ids + [FILL] * (self.max_length - len(ids))

    def table(self, words: Sequence[str]) -> list[list[int]]:
        """`ids` of each word: [word, 50]."""
        return [self.ids(word) for word in words_of(words)]

    def __len__(self) -> int:
        return FILL + 1
