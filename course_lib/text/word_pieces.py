"""WordPiece: a word is cut into the longest pieces that the vocabulary has; ## marks a piece that goes on a word.

Source: Wu et al. 2016, arXiv:1609.08144, section 4.1, as used by Devlin et al. 2018, arXiv:1810.04805, section 3. The
cutting, and before it BERT's cleaning (lower case, accents, punctuation, Chinese characters), is the tokenizers
library's, so a word's ids are those of published models. What a word is, the course says (text/words.py): it cuts
don't into do and n't, where published models read don, ' and t.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from course_lib.files import json_table
from course_lib.language import t
from course_lib.text.pieces import Pieces, pieces_of
from course_lib.text.vocabulary import words_of

PADDING, UNKNOWN, CLS, SEP, MASK = SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
VOCABULARY_FILE, TOKENIZER_FILE, SETTINGS_FILE = "vocab.txt", "tokenizer.json", "tokenizer_config.json"
TOKENIZER_FILES = (VOCABULARY_FILE, TOKENIZER_FILE, SETTINGS_FILE)
SETTINGS = {  # ours -> that of tokenizer_config.json, that of tokenizer.json's normalizer
    "lowercase": ("do_lower_case", "lowercase"),
    "strip_accents": ("strip_accents", "strip_accents"),
    "chinese_characters": ("tokenize_chinese_chars", "handle_chinese_chars"),
}
ADDED = "added_tokens_decoder"  # in tokenizer_config.json: id -> token
ADDED_RULES = ("single_word", "lstrip", "rstrip", "normalized", "special")  # how such a token is found
GENERIC = ("PreTrainedTokenizerFast", "TokenizersBackend")  # classes of transformers that do what tokenizer.json says
SENTENCE_PIECE = "\u2581"  # what SentencePiece writes for a space: its pieces mark where a word begins
_MARK = re.compile(r"\[.+\]|<.+>")  # [CLS], [unused1], <S>: no text is meant to give them


class WordPieces(Pieces):
    """The ids of words' pieces, and back, as BERT reads them.

    vocabulary          pieces in the order of their ids, the five SPECIALS among them
    lowercase           the model knows lower case only
    strip_accents       é is e; None: as `lowercase` (which takes Hangul apart into jamo: use False with lowercase)
    chinese_characters  each Chinese character is a word of its own
    added               pieces that were added to a published vocabulary: they are found inside words before WordPiece
                        cuts; id -> rules, as in tokenizer_config.json
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
        added: Mapping[int, Mapping[str, bool]] | None = None,
    ):
        from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

        self.vocabulary = tuple(vocabulary)
        self.lowercase, self.strip_accents, self.chinese_characters = lowercase, strip_accents, chinese_characters
        index = {piece: number for number, piece in enumerate(self.vocabulary)}
        if missing := [special for special in SPECIALS if special not in index]:
            raise ValueError(
                f"WordPieces: the vocabulary of {len(self.vocabulary)} pieces has no {missing[0]}. "
                f"BERT needs {', '.join(SPECIALS)}: use the vocab.txt of a BERT model, or WordPieces.train."
            )
        self.padding, self.unknown, self.cls, self.sep, self.mask = (index[special] for special in SPECIALS)
        self.special_ids = (self.padding, self.unknown, self.cls, self.sep, self.mask)
        self.begin, self.end = self.cls, self.sep
        self.tokenizer = Tokenizer(models.WordPiece(index, unk_token=UNKNOWN))
        self.tokenizer.normalizer = _normalizer(lowercase, strip_accents, chinese_characters)
        self.tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        self.tokenizer.decoder, self.whole_words = decoders.WordPiece(prefix="##", cleanup=False), False
        self.added = dict(sorted((added or {}).items()))
        self.tokenizer.add_tokens([AddedToken(self.vocabulary[i], **rules) for i, rules in self.added.items()])

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
        assert size >= len(fixed), f"size={size} has no room for {len(fixed)} specials and characters"
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
        return pieces_of(self.tokenizer, whole, self.unknown)

    def tokens(self, ids: Iterable[int]) -> list[str]:
        return [self.vocabulary[i] for i in ids]

    def files(self) -> dict[str, str]:
        """What a checkpoint keeps, by file name, in the layout of published models. `from_files` reads it."""
        settings: dict[str, Any] = {"tokenizer_class": "BertTokenizer"}
        settings |= {theirs: getattr(self, ours) for ours, (theirs, _) in SETTINGS.items()}
        if self.added:
            settings[ADDED] = {str(i): {"content": self.vocabulary[i], **rules} for i, rules in self.added.items()}
        return {
            VOCABULARY_FILE: "".join(f"{piece}\n" for piece in self.vocabulary),
            SETTINGS_FILE: json.dumps(settings, indent=1) + "\n",
        }

    @classmethod
    def from_files(cls, files: Mapping[str, str]) -> WordPieces:
        """From texts by name: tokenizer.json, else vocab.txt, one piece a line; and tokenizer_config.json.

        Of lower case, accents and Chinese characters tokenizer_config.json has the last word, as in transformers; where
        it is silent or names no class of BERT's, tokenizer.json has it; else BERT's defaults hold. Raises ValueError
        for a vocabulary that is none of WordPiece, and for one of which the cleaning leaves little.
        """
        said = json_table(files[SETTINGS_FILE], SETTINGS_FILE, "Fetch it again.") if SETTINGS_FILE in files else {}
        if TOKENIZER_FILE in files:
            path, published = TOKENIZER_FILE, _published(files[TOKENIZER_FILE])
            vocabulary, tokens = _by_id(published.get_vocab()), published.get_added_tokens_decoder()
            added = {i: {rule: getattr(token, rule) for rule in ADDED_RULES} for i, token in tokens.items()}
        else:
            path, published = VOCABULARY_FILE, None
            vocabulary = files[path].removesuffix("\n").split("\n")
            tokens = said[ADDED] if isinstance(said.get(ADDED), dict) else {}
            tokens = {i: tokens.get(str(i)) for i in range(len(vocabulary))}
            added = {
                i: {rule: bool(token.get(rule, False)) for rule in ADDED_RULES}
                for i, token in tokens.items()
                if isinstance(token, dict) and token.get("content") == vocabulary[i] != ""
            }
        added = {i: rules for i, rules in added.items() if vocabulary[i] not in SPECIALS}  # text turns into none
        marked = sum(piece.startswith(SENTENCE_PIECE) and len(piece) > 1 for piece in vocabulary)
        if marked > sum(piece.startswith("##") for piece in vocabulary):
            raise ValueError(
                f"{path}: {marked} pieces begin with {SENTENCE_PIECE} (U+2581), so they are SentencePiece's, and "
                "WordPiece would read almost every word as [UNK]."
            )
        pieces = cls(vocabulary, added=added, **_settings(said, published))
        cut = pieces.split([piece.removeprefix("##") for piece in pieces.unreachable()])
        lost = sum(any(i == pieces.unknown for i, _, _ in word) for word in cut)
        if 3 * lost > sum(not _MARK.fullmatch(piece) for piece in vocabulary):
            raise ValueError(f"{path}: {pieces.misfit()} Most words would be read as [UNK].")
        return pieces

    def unreachable(self) -> list[str]:
        """The pieces that no text can give, because the cleaning changes them: capitals under `lowercase` and such."""
        clean = self.tokenizer.normalizer.normalize_str
        plain = (p for p in self.vocabulary if not (p.isascii() and p == p.lower()) and not _MARK.fullmatch(p))
        return [p for p in plain if clean(p.removeprefix("##")).strip() != p.removeprefix("##")]

    def misfit(self) -> str:
        """What a reader should know of a vocabulary that is not made for this cleaning; empty where it is."""
        unreachable = self.unreachable()
        if 20 * len(unreachable) < len(self):
            return ""
        how = "lowercase" if self.lowercase else "strip_accents" if self.strip_accents else "chinese_characters"
        return t(
            "{n} of {all} pieces, such as {piece}, can never be met: the text is cleaned first ({how}). If the model "
            "was trained without that, say so in {file} beside it: {example}.",
            n=len(unreachable),
            all=len(self),
            piece=repr(unreachable[0]),
            how=how,
            file=SETTINGS_FILE,
            example=json.dumps({SETTINGS[how][0]: False}),
        )


def _published(text: str) -> Any:
    """The tokenizer of a tokenizer.json. Raises ValueError for what is none, or cuts otherwise than BERT."""
    from tokenizers import Tokenizer, models

    try:
        tokenizer = Tokenizer.from_str(text)
    except Exception as error:  # it raises no other kind
        raise ValueError(f"{TOKENIZER_FILE} is not readable: {error!s:.200}.") from error
    kind, prefix = type(tokenizer.model).__name__, getattr(tokenizer.model, "continuing_subword_prefix", None)
    if not isinstance(tokenizer.model, models.WordPiece) or prefix != "##":
        raise ValueError(
            f"{TOKENIZER_FILE} is a tokenizer of the kind {kind}, prefix {prefix!r:.40}, not WordPiece with ##."
        )
    return tokenizer


def _by_id(vocabulary: Mapping[str, int]) -> list[str]:
    """The pieces in the order of their ids. An id without a piece, or with one that no file of lines holds, gets a
    name."""
    by_id = {i: piece for piece, i in vocabulary.items()}
    if len(by_id) < len(vocabulary) or max(by_id, default=0) > 2 * len(by_id) + 1_000:
        raise ValueError(f"{TOKENIZER_FILE}: two pieces have one id, or most ids have none.")
    pieces = [by_id.get(i, "\n") for i in range(max(by_id, default=-1) + 1)]
    return [f"[no piece {i}]" if "\n" in piece or "\r" in piece else piece for i, piece in enumerate(pieces)]


def _settings(said: dict, published: Any) -> dict[str, bool]:
    """What changes the pieces, under our names; what is not said, or null, is left out."""
    from tokenizers import normalizers, pre_tokenizers

    normalizer, cutter = (getattr(published, part, None) for part in ("normalizer", "pre_tokenizer"))
    as_bert = isinstance(normalizer, normalizers.BertNormalizer)
    generic = published is not None and said.get("tokenizer_class") in GENERIC
    if generic and not (as_bert and isinstance(cutter, pre_tokenizers.BertPreTokenizer)):
        raise ValueError(
            f"{TOKENIZER_FILE}: text is cleaned by {type(normalizer).__name__} and cut by {type(cutter).__name__}, not "
            "as BERT does (BertNormalizer, BertPreTokenizer)."
        )
    found = {ours: getattr(normalizer, theirs) for ours, (_, theirs) in SETTINGS.items()} if as_bert else {}
    if not generic:
        found |= {ours: said[theirs] for ours, (theirs, _) in SETTINGS.items() if said.get(theirs) is not None}
    if wrong := [ours for ours, value in found.items() if not isinstance(value, bool | None)]:
        raise ValueError(f"{SETTINGS_FILE}: {SETTINGS[wrong[0]][0]} is {found[wrong[0]]!r:.40}, not true or false.")
    return found


def _normalizer(lowercase: bool, strip_accents: bool | None, chinese_characters: bool):
    from tokenizers import normalizers

    return normalizers.BertNormalizer(
        clean_text=True, handle_chinese_chars=chinese_characters, strip_accents=strip_accents, lowercase=lowercase
    )
