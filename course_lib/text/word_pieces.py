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

from course_lib.errors import CourseError
from course_lib.files import json_table
from course_lib.language import t
from course_lib.text.pieces import pieces_of
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
REMEDY = "Fetch it again."
_MARK = re.compile(r"\[.+\]|<.+>")  # [CLS], [unused1], <S>: no text is meant to give them
_NEVER = re.compile("[\r\n\ud800-\udfff]")  # what stands in no word


class WordPieces:
    """The ids of words' pieces, and back.

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
        from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers

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
        self.added = dict(sorted((added or {}).items()))
        self._tokenizer.add_tokens([AddedToken(self.vocabulary[i], **rules) for i, rules in self.added.items()])

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
        it is silent or names no class of BERT's, tokenizer.json has it; else BERT's defaults hold. Raises CourseError
        for a vocabulary that is none of WordPiece, and for one of which the cleaning leaves little.
        """
        said = json_table(files[SETTINGS_FILE], SETTINGS_FILE, REMEDY) if SETTINGS_FILE in files else {}
        path, described = TOKENIZER_FILE if TOKENIZER_FILE in files else VOCABULARY_FILE, {}
        if TOKENIZER_FILE in files:
            described = json_table(files[path], path, REMEDY)
            vocabulary, tokens = _table(described)
        else:
            vocabulary = files[path].removesuffix("\n").split("\n")
            index = {str(i): i for i in range(len(vocabulary))}
            added = said[ADDED].items() if isinstance(said.get(ADDED), dict) else ()
            tokens = [{**token, "id": index[i]} for i, token in added if i in index and isinstance(token, dict)]
            tokens = [token for token in tokens if token.get("content") == vocabulary[token["id"]]]
        marked = sum(piece.startswith(SENTENCE_PIECE) and len(piece) > 1 for piece in vocabulary)
        if marked > sum(piece.startswith("##") for piece in vocabulary):
            raise CourseError(
                f"{path}: {marked} pieces begin with {SENTENCE_PIECE} (U+2581), so they are SentencePiece's, and "
                "WordPiece would read almost every word as [UNK]. Choose a model whose pieces are marked by ##."
            )
        try:
            pieces = cls(vocabulary, added=_added(tokens), **_settings(said, described))
        except CourseError as error:
            raise CourseError(f"{path}: {error}") from error
        cut = pieces.split([piece.removeprefix("##") for piece in pieces.unreachable()])
        lost = sum(any(i == pieces.unknown for i, _, _ in word) for word in cut)
        if 3 * lost > sum(not _MARK.fullmatch(piece) for piece in vocabulary):
            raise CourseError(f"{path}: {pieces.misfit()} Most words would be read as [UNK].")
        return pieces

    def unreachable(self) -> list[str]:
        """The pieces that no text can give, because the cleaning changes them: capitals under `lowercase` and such."""
        clean = self._tokenizer.normalizer.normalize_str
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


def _table(described: dict) -> tuple[list[str], list[dict]]:
    """Of tokenizer.json: the pieces by their ids, and what it says of added ones. An id without a piece gets a name."""
    model, tokens = described.get("model"), described.get("added_tokens") or []
    model = model if isinstance(model, dict) else {}
    prefix = model.get("continuing_subword_prefix", "##" if "type" in model else None)
    vocabulary = model.get("vocab")
    kind = model.get("type", "WordPiece" if prefix and "merges" not in model else "another kind")  # old: says none
    if kind != "WordPiece" or prefix != "##" or not isinstance(vocabulary, dict):
        raise CourseError(
            f"{TOKENIZER_FILE} is a tokenizer of the kind {kind!s:.40}, prefix {prefix!r:.40}; a BERT of this course "
            "reads WordPiece with ##. Choose a model whose tokenizer is BERT's, such as bert-base-uncased or "
            "klue/bert-base."
        )
    if not isinstance(tokens, list) or not all(isinstance(token, dict) for token in tokens):
        raise CourseError(f"{TOKENIZER_FILE}: added_tokens is no list of tokens. {REMEDY}")
    by_id: dict[int, str] = {}
    for piece, i in [*vocabulary.items(), *((token.get("content"), token.get("id")) for token in tokens)]:
        if type(i) is not int or i < 0 or not isinstance(piece, str) or by_id.setdefault(i, piece) != piece:
            raise CourseError(
                f"{TOKENIZER_FILE}: {str(piece)[:40]!r} has the id {i!r:.40}, which is none, or another's. {REMEDY}"
            )
    if len(set(by_id.values())) < len(by_id) or max(by_id, default=0) > 2 * len(by_id) + 1_000:
        raise CourseError(f"{TOKENIZER_FILE}: one piece has two ids, or most ids have none. {REMEDY}")
    pieces = [by_id.get(i, "\n") for i in range(max(by_id, default=-1) + 1)]
    return [f"[no piece {i}]" if _NEVER.search(piece) else piece for i, piece in enumerate(pieces)], tokens


def _added(tokens: Iterable[Mapping[str, Any]]) -> dict[int, dict[str, bool]]:
    """The rules of added tokens by id; without the five SPECIALS, into which text never turns."""
    return {
        token["id"]: {rule: bool(token.get(rule, False)) for rule in ADDED_RULES}
        for token in tokens
        if token["content"] and token["content"] not in SPECIALS
    }


def _settings(said: dict, described: dict) -> dict[str, bool]:
    """What changes the pieces, under our names; null means "as lower case" for accents, for the others "not said"."""
    normalizer, cutter = (described.get(part) or {} for part in ("normalizer", "pre_tokenizer"))
    kinds = tuple(part.get("type") if isinstance(part, dict) else part for part in (normalizer, cutter))
    generic = said.get("tokenizer_class") in GENERIC
    if generic and described and kinds != ("BertNormalizer", "BertPreTokenizer"):
        raise CourseError(
            f"text is cleaned by {kinds[0]!r:.40} and cut by {kinds[1]!r:.40}; this course does it as BERT does "
            "(BertNormalizer, BertPreTokenizer). Choose a model whose tokenizer is BERT's."
        )
    sources = [(normalizer, TOKENIZER_FILE, 1)] if kinds[0] == "BertNormalizer" else []
    if not (generic and described):
        sources.append((said, SETTINGS_FILE, 0))  # the last one holds
    found = {}
    for source, place, which in sources:
        for ours, theirs in SETTINGS.items():
            value = source.get(theirs[which])
            if not isinstance(value, bool | None):
                raise CourseError(f"{place}: {theirs[which]} is {value!r:.40}. Make it true or false.")
            if value is not None:
                found[ours] = value
    return found


def _normalizer(lowercase: bool, strip_accents: bool | None, chinese_characters: bool):
    from tokenizers import normalizers

    return normalizers.BertNormalizer(
        clean_text=True, handle_chinese_chars=chinese_characters, strip_accents=strip_accents, lowercase=lowercase
    )
