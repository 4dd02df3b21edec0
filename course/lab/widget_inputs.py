"""What widgets are given in the chapters: merges, longest matches, masks, the beginnings of a beam, a BERT to ask."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from course.catalogue import wrapped
from course.lab.byte_pairs import Merge, apply
from course.lab.word_classes import typed_words
from course.widgets.gap_model import FillModel, LanguageSwitch
from course.widgets.strip import Frame, Token
from course_lib.data.masking import Masking
from course_lib.data.records import Sentence
from course_lib.errors import CourseError
from course_lib.language import key, t
from course_lib.models.bert import Bert, guesses
from course_lib.models.decoding import DecoderState, length_penalty
from course_lib.models.encoder import ContextEncoder
from course_lib.models.shipped import load


def merge_frames(words: Sequence[str], merges: Sequence[Merge]) -> list[Frame]:
    """The words after no merge, after the first, and so on; the pieces of the last merge are marked."""
    frames = [_merged(words, merges[:0], t("Characters; </w> marks the end of a word."))]
    for number, merge in enumerate(merges, start=1):
        says = t(
            "Merge {n}: {pair} were neighbours {times} times; no other pair was more frequent.",
            n=number,
            pair=f"{merge.left} + {merge.right}",
            times=merge.count,
        )
        frames.append(_merged(words, merges[:number], says))
    return frames


def _merged(words: Sequence[str], merges: Sequence[Merge], says: str) -> Frame:
    new = merges[-1].left + merges[-1].right if merges else None
    return Frame([Token(p, "new" if p == new else "") for word in words for p in apply(word, merges)], says)


def longest_match_frames(word: str, vocabulary: Sequence[str], *, prefix: str = "##") -> list[Frame]:
    """WordPiece by hand: from the left the longest piece, the rest behind `prefix`; [UNK] for all if nothing fits."""
    known, done, start, frames = set(vocabulary), [], 0, []
    while start < len(word):
        for end in range(len(word), start, -1):
            piece = (prefix if start else "") + word[start:end]
            if piece in known:
                done.append(piece)
                tokens = [Token(p, "new" if i == len(done) - 1 else "") for i, p in enumerate(done)]
                says = t("The longest piece that fits is {piece}.", piece=repr(piece))
                if rest := word[end:]:
                    says = t(
                        "The longest piece that fits is {piece}; {rest} is left.", piece=repr(piece), rest=repr(rest)
                    )
                frames.append(Frame(tokens, says))
                start = end
                break
        else:
            rest = repr(word[start:])
            says = t("No piece of the vocabulary begins {rest}: the whole word is unknown.", rest=rest)
            return [*frames, Frame([Token("[UNK]", "wrong")], says)]
    return frames


def mask_frames(
    tokens: Sequence[str],
    ids: Sequence[int],
    names: Sequence[str],
    masking: Masking,
    *,
    draws: int = 20,
    counted: int = 1_000,
    seed: int = 0,
) -> list[Frame]:
    """Draws of masked-language-model inputs for one sentence, with counts over all draws so far and 1,000 in all.

    tokens, ids  the sentence; names: text of every id. Bars: shares in % of the pieces that may be chosen.
    """
    generator = torch.Generator().manual_seed(seed)
    row = torch.tensor([list(ids)])
    may = [i not in masking.special_ids for i in ids]

    def states(n: int) -> tuple[list[list[int]], list[list[str]]]:
        """What is read, and the state of each piece, in `n` copies of the sentence."""
        masked = masking(row.repeat(n, 1), torch.ones(n, len(ids), dtype=torch.bool), generator)
        read = masked.ids.tolist()
        rows = zip(read, masked.corrupted.tolist(), strict=True)
        return read, [[_state(*one, masking) for one in zip(ids, may, *row, strict=True)] for row in rows]

    seen = Counter(state for found in states(counted)[1] for state in found)
    total = counted * sum(may)
    left = 1 - masking.to_mask - masking.to_random
    counts = [
        (name, 100 * seen[state] / total, 100 * masking.corrupt * share)
        for name, state, share in (
            (t("[MASK], in %"), "hidden", masking.to_mask),
            (t("at random, in %"), "random", masking.to_random),
            (t("left as it is, in %"), "kept", left),
        )
    ]
    frames = []
    for draw in range(1, draws + 1):
        [read], [found] = states(1)
        shown = [
            Token(names[r], s, t("was {token}", token=token)) if s in ("hidden", "random") else Token(token, s)
            for token, r, s in zip(tokens, read, found, strict=True)
        ]
        n = sum(state in ("hidden", "random", "kept") for state in found)
        says = t(
            "Draw {draw}: chosen, and asked for: {n} of {all} pieces. Bars: over {counted} draws.",
            draw=draw,
            n=n,
            all=sum(may),
            counted=f"{counted:,}",
        )
        frames.append(Frame(shown, says, counts))
    return frames


def _state(id: int, may: bool, read: int, chosen: bool, masking: Masking) -> str:
    if not may:
        return "special"
    if not chosen:
        return ""
    return "hidden" if read == masking.mask_id else "kept" if read == id else "random"


# Beam search


class Beginning(NamedTuple):
    """`piece` after the beginning number `parent` of the step before; log_p of all its pieces, in nats.

    score  log_p over the length penalty; ended: its last piece is [EOS]
    """

    piece: str
    parent: int
    log_p: float
    score: float
    ended: bool


@torch.no_grad()
def beam_tree(model: Any, sentence: Any, *, beam: int = 3, steps: int = 5, alpha: float = 0.6) -> list[list[Beginning]]:
    """For each step the `beam` best beginnings, best first. An ended one stays in its place and is not continued.

    Simpler than decoding.beam_search: one sentence, and nothing stops early. Raises CourseError for beam or steps < 1.
    """
    if min(beam, steps) < 1:
        raise CourseError(f"beam_tree: beam={beam}, steps={steps}. Use 1 or more for both.")
    state = DecoderState(model, [sentence], width=beam)
    ids = torch.full((beam,), state.pieces.begin)
    scores = torch.full((beam,), -torch.inf)
    scores[0] = 0.0  # all rows begin alike: one of them is enough
    levels = []
    for step in range(1, steps + 1):
        log_p = scores[:, None] + state.step(ids).log_softmax(-1)
        scores, places = log_p.flatten().topk(beam)
        parents, ids = places // log_p.shape[1], places % log_p.shape[1]
        ended = ids == state.pieces.end
        levels.append(
            [
                Beginning(piece, parent, score, score / length_penalty(step, alpha), end)
                for piece, parent, score, end in zip(
                    state.pieces.tokens(ids.tolist()), parents.tolist(), scores.tolist(), ended.tolist(), strict=True
                )
            ]
        )
        scores = scores.masked_fill(ended, -torch.inf)
        if ended.all():
            break
        state.reorder(parents)
    return levels


def sentence_reader(
    encoder: ContextEncoder, known: Sequence[str]
) -> Callable[[str], tuple[tuple[str, ...], int, np.ndarray]]:
    """For `scalar_mix`: a typed sentence -> its words, the place of the first `known` one, its vector in each layer."""
    known = list(dict.fromkeys(word.lower() for word in known))

    def read(text: str) -> tuple[tuple[str, ...], int, np.ndarray]:
        sentence = Sentence.of(text)
        for place, word in enumerate(sentence.words):
            if word.lower() in known:
                return sentence.words, place, encoder.encode([sentence])[0][:, place]
        listed = ", ".join(known)
        raise CourseError(t("None of this picture's words stands in that sentence. Use one of: {words}.", words=listed))

    return read


# Gaps to fill

ENGLISH, KOREAN = "bert-en", "bert-ko"
# Particles stand alone, as in the text that bert-ko has read.
KOREAN_SENTENCES = (
    "배우 들 의 연기 가 좋았다 .",
    "아버지 와 어머니 는 함께 살았다 .",
    "그 섬 은 북쪽 에 있다 .",
    "바다 멀리 하얀 배 가 보였다 .",
    "과수원 에서 딴 배 는 달고 맛있다 .",
)


def fill_model(bert: Bert, name: str) -> FillModel:
    """The model under the name that stands above its guesses, which are as `Bert.fill`'s, but of pieces: a gap can be
    a part of a word. What cannot be made of the vocabulary's pieces is [UNK]."""
    pieces = bert.pieces
    known = {piece: number for number, piece in enumerate(pieces.vocabulary)}

    def fill(tokens: Sequence[str], masked: Sequence[int], k: int) -> list[list[tuple[str, float]]]:
        ids = [pieces.cls, *(known.get(token, pieces.unknown) for token in tokens), pieces.sep]
        columns = [1 + place for place in masked]
        for column in columns:
            ids[column] = pieces.mask
        return guesses(bert, ids, columns, min(k, len(pieces)))

    def tokenize(text: str) -> list[str]:
        return pieces.tokens(pieces.ids(typed_words(text, known)))

    return FillModel(name, tokenize, fill)


def shipped_model(english: Bert | None = None, name: str = ENGLISH) -> FillModel | LanguageSwitch:
    """bert-en and bert-ko behind a switch: a text with Hangul is read by bert-ko.

    english  bert-en, if it is loaded already; or another BERT with its `name`, which then reads everything
    """
    usual = fill_model(english or load(ENGLISH), name)
    if name != ENGLISH:
        return usual
    return LanguageSwitch(key("the shipped BERT"), usual, fill_model(load(KOREAN), KOREAN))


def example_sentences(english: Sequence[str]) -> list[str]:
    """For `shipped_model`: the English sentences, and Korean ones."""
    return [*english, *KOREAN_SENTENCES]


def language_note(name: str = ENGLISH) -> str:
    """What `shipped_model` makes of Korean, in a sentence for the reader."""
    if name != ENGLISH:
        return t("{name} reads every sentence, the Korean ones too.", name=name)
    says = t(
        "{korean} reads texts with Hangul. It has learned particles as words of their own, so they are cut off here: "
        "배가 is read as 배 가. The cut goes by sounds alone: in one of ten places it is wrong, as in 싶 은.",
        korean=KOREAN,
    )
    return "\n".join(wrapped(says, 100))
