"""WordPiece: a word is cut into the longest pieces that the vocabulary has; ## marks a piece that goes on a word.

Source: Wu et al. 2016, arXiv:1609.08144, section 4.1, as used by Devlin et al. 2018, arXiv:1810.04805, section 3. The
cutting, and before it BERT's cleaning (lower case, accents, punctuation, Chinese characters), is the tokenizers
library's, so ids are those of published models.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from course_lib.errors import CourseError
from course_lib.files import read_json, small_text
from course_lib.text.pieces import pieces_of
from course_lib.text.vocabulary import words_of

PADDING, UNKNOWN, CLS, SEP, MASK = SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
VOCABULARY_FILE, SETTINGS_FILE = "vocab.txt", "tokenizer_config.json"
SETTINGS = {  # ours -> that file's
    "lowercase": "do_lower_case",
    "strip_accents": "strip_accents",
    "chinese_characters": "tokenize_chinese_chars",
}


class WordPieces:
    """The ids of words' pieces, and back.

    vocabulary          pieces in the order of their ids, the five SPECIALS among them
    lowercase           the model knows lower case only
    strip_accents       é is e; None: as `lowercase` (which takes Hangul apart into jamo: use False with lowercase)
    chinese_characters  each Chinese character is a word of its own
    padding, unknown, cls, sep, mask, special_ids   the ids of the SPECIALS, one by one and together
    begin, end          for a language model: the same as cls and sep
    """

    def __init__(
        self,
        vocabulary: Sequence[str],
        *,
        lowercase: bool = True,
        strip_accents: bool | None = None,
        chinese_characters: bool = True,
    ):
        from tokenizers import Tokenizer, models, pre_tokenizers

        self.vocabulary = tuple(vocabulary)
        self.lowercase, self.strip_accents, self.chinese_characters = lowercase, strip_accents, chinese_characters
        index = {piece: number for number, piece in enumerate(self.vocabulary)}
        if missing := [special for special in SPECIALS if special not in index]:
            raise CourseError(
                f"WordPieces: the vocabulary of {len(self.vocabulary)} pieces has no {missing[0]}. "
                f"BERT needs {', '.join(SPECIALS)}: use the vocab.txt of a BERT model, or WordPieces.train."
            )
        self.padding, self.unknown, self.cls, self.sep, self.mask = (index[special] for special in SPECIALS)
        self.special_ids = (self.padding, self.unknown, self.cls, self.sep, self.mask)
        self.begin, self.end = self.cls, self.sep
        self._tokenizer = Tokenizer(models.WordPiece(index, unk_token=UNKNOWN))
        self._tokenizer.normalizer = _normalizer(lowercase, strip_accents, chinese_characters)
        self._tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()

    @classmethod
    def train(
        cls, sentences: Iterable[Sequence[str]], size: int, *, lowercase: bool = True, max_characters: int = 1_000
    ) -> WordPieces:
        """At most `size` pieces, specials included, from the words of `sentences` (lists, or records with `.words`).

        The tokenizers library joins the most frequent pair of pieces, as BPE does; Wu et al. join the pair that makes
        the text most probable. The `max_characters` most frequent characters are pieces of their own, with ## and
        without: a word that is made of them is never unknown.
        """
        from tokenizers import Tokenizer, models, pre_tokenizers, trainers

        normalizer, cut = _normalizer(lowercase, None, True), pre_tokenizers.BertPreTokenizer()
        given: Counter[str] = Counter()
        for number, sentence in enumerate(sentences):
            given.update(words_of(sentence, number))
        words: Counter[str] = Counter()
        for word, count in given.items():
            for part, _ in cut.pre_tokenize_str(normalizer.normalize_str(word)):
                words[part] += count
        characters: Counter[str] = Counter()
        for word, count in words.items():
            characters.update(dict.fromkeys(word, count))
        kept = sorted(characters, key=lambda c: (-characters[c], c))[:max_characters]
        # The library numbers ## characters in an order that changes from run to run. Given as specials, they stay.
        fixed = [*SPECIALS, *sorted(kept), *sorted(f"##{c}" for c in kept)]
        if size < len(fixed):
            raise CourseError(
                f"WordPieces.train: size={size} has no room for {len(fixed)} specials and characters. "
                "Use a larger size, or smaller max_characters."
            )
        tokenizer = Tokenizer(models.WordPiece(unk_token=UNKNOWN))
        tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        trainer = trainers.WordPieceTrainer(
            vocab_size=size, special_tokens=fixed, initial_alphabet=kept, limit_alphabet=len(kept), show_progress=False
        )
        lines = (" ".join([word] * count) for word, count in sorted(words.items()))
        tokenizer.train_from_iterator(lines, trainer)
        index = tokenizer.get_vocab()
        return cls(sorted(index, key=index.get), lowercase=lowercase)

    def __len__(self) -> int:
        return len(self.vocabulary)

    def split(self, words: Sequence[str]) -> list[list[tuple[int, int, int]]]:
        """For each word its pieces, at least one, as (id, start, end): the characters of the word it stands for.

        A word of the text that is spelt like a special is cut like any other word: text never turns into [MASK].
        """
        whole = [word.encode(errors="replace").decode() for word in words_of(words)]  # half a letter is a question mark
        return pieces_of(self._tokenizer, whole, self.unknown)

    def ids(self, words: Sequence[str]) -> list[int]:
        """The pieces of all words in one row, without [CLS] and [SEP]."""
        return [i for pieces in self.split(words) for i, _, _ in pieces]

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """The pieces as text, as they stand in the vocabulary."""
        return [self.vocabulary[i] for i in ids]

    def text(self, ids: Iterable[int]) -> str:
        """Words with a space between them; [PAD], [CLS] and [SEP] are left out."""
        silent = {self.padding, self.cls, self.sep}
        return " ".join(self.tokens(i for i in ids if i not in silent)).replace(" ##", "")

    def files(self) -> dict[str, str]:
        """What a checkpoint keeps, by file name, in the layout of published models. `from_files` reads it."""
        settings = {"tokenizer_class": "BertTokenizer"}
        settings |= {theirs: getattr(self, ours) for ours, theirs in SETTINGS.items()}
        return {
            VOCABULARY_FILE: "".join(f"{piece}\n" for piece in self.vocabulary),
            SETTINGS_FILE: json.dumps(settings, indent=1) + "\n",
        }

    @classmethod
    def from_files(cls, files: Mapping[str, Path]) -> WordPieces:
        """From vocab.txt, one piece a line, and tokenizer_config.json; without the latter BERT's defaults hold."""
        if VOCABULARY_FILE not in files:
            raise CourseError(
                f"There is no {VOCABULARY_FILE} beside the model, so its pieces are unknown. "
                "Fetch it from the model's page: every BERT has one."
            )
        pieces = small_text(files[VOCABULARY_FILE], "Fetch it again.").split("\n")
        pieces = pieces[:-1] if pieces[-1] == "" else pieces
        settings = _settings(files[SETTINGS_FILE]) if SETTINGS_FILE in files else {}
        try:
            return cls(pieces, **settings)
        except CourseError as error:
            raise CourseError(f"{files[VOCABULARY_FILE]}: {error}") from error


def _settings(path: Path) -> dict[str, bool | None]:
    """Of tokenizer_config.json what changes the pieces, under our names."""
    found = read_json(path, "Fetch it again.")
    for name in SETTINGS.values():
        if not isinstance(found.get(name), bool | None):
            raise CourseError(f"{path}: {name} is {found[name]!r}. Make it true or false.")
    # null for strip_accents means "as lower case", for the others "the default"
    return {ours: found[theirs] for ours, theirs in SETTINGS.items() if found.get(theirs) is not None}


def _normalizer(lowercase: bool, strip_accents: bool | None, chinese_characters: bool):
    from tokenizers import normalizers

    return normalizers.BertNormalizer(
        clean_text=True, handle_chinese_chars=chinese_characters, strip_accents=strip_accents, lowercase=lowercase
    )
