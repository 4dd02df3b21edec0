"""What `token_strip` shows in the chapters: byte-pair merges, longest matches, and draws of masks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import torch

from course_lib.data.masking import Masking
from course_lib.text.byte_pairs import Merge, apply
from course_lib.widgets.strip import Frame, Token


def merge_frames(words: Sequence[str], merges: Sequence[Merge]) -> list[Frame]:
    """The words after no merge, after the first, and so on; the pieces of the last merge are marked."""
    frames = [_merged(words, merges[:0], "Characters; </w> marks the end of a word.")]
    for number, merge in enumerate(merges, start=1):
        pair = f"{merge.left} + {merge.right}"
        says = f"Merge {number}: {pair} were neighbours {merge.count} times; no other pair was more frequent."
        frames.append(_merged(words, merges[:number], says))
    return frames


def _merged(words: Sequence[str], merges: Sequence[Merge], says: str) -> Frame:
    new = merges[-1].left + merges[-1].right if merges else None
    return Frame([Token(p, "new" if p == new else "") for word in words for p in apply(word, merges)], says)


def longest_match_frames(word: str, vocabulary: Sequence[str], *, prefix: str = "##") -> list[Frame]:
    """WordPiece by hand: from the left, the longest piece of the vocabulary; the rest starts with `prefix`.

    If nothing fits the whole word is [UNK].
    """
    known, done, start, frames = set(vocabulary), [], 0, []
    while start < len(word):
        for end in range(len(word), start, -1):
            piece = (prefix if start else "") + word[start:end]
            if piece in known:
                done.append(piece)
                rest = f"; {word[end:]!r} is left" if end < len(word) else ""
                tokens = [Token(p, "new" if i == len(done) - 1 else "") for i, p in enumerate(done)]
                frames.append(Frame(tokens, f"The longest piece that fits is {piece!r}{rest}."))
                start = end
                break
        else:
            says = f"No piece of the vocabulary begins {word[start:]!r}: the whole word is unknown."
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
            ("[MASK], in %", "hidden", masking.to_mask),
            ("at random, in %", "random", masking.to_random),
            ("left as it is, in %", "kept", left),
        )
    ]
    frames = []
    for draw in range(1, draws + 1):
        [read], [found] = states(1)
        shown = [
            Token(names[r], s, f"was {t}") if s in ("hidden", "random") else Token(t, s)
            for t, r, s in zip(tokens, read, found, strict=True)
        ]
        n = sum(state in ("hidden", "random", "kept") for state in found)
        says = f"Draw {draw}: chosen, and asked for: {n} of {sum(may)} pieces."
        frames.append(Frame(shown, f"{says} Bars: over {counted:,} draws.", counts))
    return frames


def _state(id: int, may: bool, read: int, chosen: bool, masking: Masking) -> str:
    if not may:
        return "special"
    if not chosen:
        return ""
    return "hidden" if read == masking.mask_id else "kept" if read == id else "random"
