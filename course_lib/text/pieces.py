"""Words <-> pieces: one door for models that read whole words (Vocabulary) or sub-words (a trained `tokenizers` file).

Sub-words: Sennrich et al. 2016, arXiv:1508.07909 (BPE); `Pieces.bpe` trains them with the tokenizers library.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from course_lib.text.vocabulary import Vocabulary, words_of
from course_lib.text.words import seen

PADDING, UNKNOWN, BEGIN, END = SPECIALS = ("[PAD]", "[UNK]", "[BOS]", "[EOS]")
WORD_END = "</w>"
VOCABULARY_FILE, TOKENIZER_FILE = "vocabulary.json", "tokenizer.json"


class Pieces:
    """The ids of words' pieces, and back.

    tokenizer  a Vocabulary (every word is one piece) or a tokenizers.Tokenizer; both hold the four SPECIALS
    padding, unknown, begin, end   the ids of the SPECIALS
    """

    def __init__(self, tokenizer: Any):
        self.tokenizer = tokenizer
        self.whole_words = isinstance(tokenizer, Vocabulary)
        index = tokenizer.index if self.whole_words else tokenizer.get_vocab()
        self.padding, self.unknown, self.begin, self.end = (index[special] for special in SPECIALS)

    @classmethod
    def words(cls, sentences: Iterable[Sequence[str]]) -> Pieces:
        """The whole words of `sentences` (lists of words, or records with `.words`)."""
        return cls(Vocabulary.from_sentences(sentences, specials=SPECIALS, unknown=UNKNOWN))

    @classmethod
    def bpe(cls, sentences: Iterable[Sequence[str]], size: int) -> Pieces:
        """Byte-pair encoding with `size` pieces in all, learned inside the words of `sentences`.

        A piece that ends a word ends in </w>, so pieces join to words again.
        """
        from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

        tokenizer = Tokenizer(models.BPE(unk_token=UNKNOWN, end_of_word_suffix=WORD_END, fuse_unk=True))
        tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        tokenizer.decoder = decoders.BPEDecoder(suffix=WORD_END)
        trainer = trainers.BpeTrainer(
            vocab_size=size, special_tokens=list(SPECIALS), end_of_word_suffix=WORD_END, show_progress=False
        )
        lines = (" ".join(words_of(sentence, number)) for number, sentence in enumerate(sentences))
        tokenizer.train_from_iterator(lines, trainer)
        return cls(tokenizer)

    def __len__(self) -> int:
        return len(self.tokenizer) if self.whole_words else self.tokenizer.get_vocab_size()

    def split(self, words: Sequence[str]) -> list[list[tuple[int, int, int]]]:
        """For each word its pieces, at least one, as (id, start, end): the characters of the word it stands for.

        What is not seen of a word is left out.
        """
        words = words_of(words)
        reserved = {self.padding, self.begin, self.end}  # a word of the text that is spelt like one is unknown
        both = [found if (found := seen(word))[0] else (word, range(len(word))) for word in words]
        shown, places = [word for word, _ in both], [at for _, at in both]
        if self.whole_words:
            ids = [self.unknown if i in reserved else i for i in self.tokenizer.encode(shown)]
            return [[(i, 0, len(word))] for i, word in zip(ids, words, strict=True)]
        found = zip(pieces_of(self.tokenizer, shown, self.unknown), places, strict=True)
        return [
            [(self.unknown if i in reserved else i, at[start], at[end - 1] + 1) for i, start, end in word]
            for word, at in found
        ]

    def ids(self, words: Sequence[str]) -> list[int]:
        """The pieces of all words in one row."""
        return [i for pieces in self.split(words) for i, _, _ in pieces]

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """The pieces as text, as they stand in the tokenizer's list."""
        ids = list(ids)
        return self.tokenizer.decode(ids) if self.whole_words else [self.tokenizer.id_to_token(i) for i in ids]

    def text(self, ids: Iterable[int]) -> str:
        """Words with a space between them, specials left out."""
        specials = {self.padding, self.begin, self.end}
        ids = [i for i in ids if i not in specials]
        if self.whole_words:
            return " ".join(self.tokenizer.decode(ids))
        return self.tokenizer.decode(ids, skip_special_tokens=False).strip()

    def files(self) -> dict[str, str]:
        """What a checkpoint keeps: file name -> content. `from_files` reads it."""
        if self.whole_words:
            return {VOCABULARY_FILE: self.tokenizer.to_json()}
        return {TOKENIZER_FILE: self.tokenizer.to_str()}

    @classmethod
    def from_files(cls, files: Mapping[str, str]) -> Pieces:
        if VOCABULARY_FILE in files:
            return cls(Vocabulary.from_json(files[VOCABULARY_FILE]))
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_str(files[TOKENIZER_FILE])
        assert max(tokenizer.get_vocab().values()) < tokenizer.get_vocab_size()
        return cls(tokenizer)


def pieces_of(tokenizer: Any, words: Sequence[str], unknown: int) -> list[list[tuple[int, int, int]]]:
    """The pieces of each word, (id, start, end), by a `tokenizers` file; a word of which nothing is left is unknown."""
    encoded = tokenizer.encode(list(words_of(words)), is_pretokenized=True, add_special_tokens=False)
    found: list[list[tuple[int, int, int]]] = [[] for _ in words]
    for i, word, (start, end) in zip(encoded.ids, encoded.word_ids, encoded.offsets, strict=True):
        found[word].append((i, start, end))
    return [pieces or [(unknown, 0, len(word))] for pieces, word in zip(found, words, strict=True)]
