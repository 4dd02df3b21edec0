"""Words that remember where there was no space, so that a translation can be written as people write.

    joined_words("A T-shirt, red.")     ['A', 'T', '￭-￭', 'shirt', '￭,', 'red', '￭.']
    written(" ".join(...))              'A T-shirt, red.'

The mark is that of OpenNMT's tokenizer (Klein et al. 2017, arXiv:1701.02810). It stands at the side of the punctuation,
so that *shirt* is the same word after a hyphen and after a space.
"""

from __future__ import annotations

from itertools import pairwise

from course_lib.text.words import visible, word_spans

JOINER = "￭"  # half-width black square, U+FFED


def joined_words(text: str) -> list[str]:
    """The course's words, with the joiner where a word touches its neighbour, and without invisible characters."""
    spans = word_spans(visible(text))
    words = [word for word, _, _ in spans]
    for place, ((left, _, end), (right, start, _)) in enumerate(pairwise(spans)):
        if start > end:
            continue
        if right[0].isalnum() and not left[-1].isalnum():
            words[place] += JOINER
        else:
            words[place + 1] = JOINER + words[place + 1]
    return words


def written(text: str) -> str:
    """Words between spaces -> the text as it is written: no space on a side that has a joiner, no joiner left."""
    return text.replace(f" {JOINER}", "").replace(f"{JOINER} ", "").replace(JOINER, "")
