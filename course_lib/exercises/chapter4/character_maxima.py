"""Exercise 4.2: a word as characters, and the maximum over them. Source: Kim et al. 2016, arXiv:1508.06615, section
2.2 (maximum over time; here with filters one character wide)."""

import torch

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def character_maxima(
    words: list[str], ids: dict[str, int], filters: torch.Tensor
) -> tuple[list[list[int]], torch.Tensor]:
    """(rows [word, character], maxima [word, filter]). filters [filter, id]: what each filter answers to each id.
    A row: 2 (begin), the ids of the characters (1 if unknown), 3 (end), then 0 (padding) up to the longest row."""
    rows = [[2, *(ids.get(character, 1) for character in word), 3] for word in words]
    maxima = torch.stack([filters[:, row].amax(dim=1) for row in rows])
    width = max(map(len, rows))
    return [row + [0] * (width - len(row)) for row in rows], maxima


def _answers(rows, filters, counts=lambda row: [c for c in row if c != 0]):
    return rows, torch.stack([filters[:, counts(row)].amax(1) for row in rows])


def _zero_at_padding(rows, filters):
    table = filters.clone()
    table[:, 0] = 0
    return rows, table[:, torch.tensor(rows)].amax(2).T


def _rows(words, ids, begin=(2,), end=(3,), unknown=(1,), fill=lambda row, padding: row + padding):
    rows = [[*begin, *(i for c in word for i in ([ids[c]] if c in ids else unknown)), *end] for word in words]
    width = max(map(len, rows))
    return [fill(row, [0] * (width - len(row))) for row in rows]


_FILTERS = torch.tensor(
    [
        [0.9, -0.8, -0.5, -0.7, -0.2, -0.9, -0.4, -0.6],  # highest at padding, below 0 elsewhere
        [-0.3, 0.8, -0.1, -0.6, 0.1, 0.4, -0.9, 0.2],  # highest at an unknown character
        [0.5, -0.4, 0.7, -0.2, 0.3, -0.5, 0.6, -0.1],  # highest at the begin
        [0.1, -0.9, -0.7, 0.9, -0.3, 0.2, -0.1, 0.8],  # highest at the end
    ]
)
EXERCISE = Exercise(
    id="4.2",
    title="Characters in, the strongest answer out",
    difficulty=3,
    importance=4,
    minutes=15,
    question="""
        ELMo reads a word as characters between two marks: *begin* and *end*. So *s* at the end of a word is not the
        *s* within it. Make rows of ids with the numbers of the docstring. Then a filter runs over the row. Ours is one
        character wide, so `filters` simply holds its answer to each id. Keep the highest answer of each filter, over
        all characters of the word and both marks. Padding must never win.
        Before you run it: a filter gives -0.2 to every character, and padding counts as 0. What would it report?
    """,
    solution=character_maxima,
    why="Padding must not be in the maximum at all. As a 0 it would win against every negative answer, and a word's "
    "vector would depend on the longest word beside it.",
    hints=(
        "Two steps. The rows first: print them, and count the ids of one word by hand.",
        "When you take the maximum, padding need not be there yet. Or give its places an answer that cannot win.",
        "`filters[:, row]` is a table [filter, character of the row]. One maximum per filter is left.",
    ),
    probes=(
        Probe("words of different lengths", (["dogs", "do", "g"], {"d": 4, "o": 5, "g": 6, "s": 7}, _FILTERS)),
        Probe("an unknown character", (["먹다", "먹었다"], {"먹": 4, "다": 6}, _FILTERS)),
        Probe("one word: no padding", (["good"], {"g": 7, "o": 4, "d": 6}, _FILTERS[:3])),
    ),
    mistakes=(
        Mistake(
            "padding wins",
            "The rows are right. A filter that likes id 0 reports padding: add a longer word beside it, and the "
            "result changes.",
            model=lambda w, ids, f: _answers(_rows(w, ids), f, lambda row: row),
        ),
        Mistake(
            "padding counts as 0",
            "The rows are right. Where all answers are below 0, a 0 at padding wins.",
            model=lambda w, ids, f: _zero_at_padding(_rows(w, ids), f),
        ),
        Mistake(
            "the marks are left out of the maximum",
            "The rows are right. Begin and end are characters too: a filter may look for them.",
            model=lambda w, ids, f: _answers(_rows(w, ids), f, lambda row: [c for c in row if c not in (0, 2, 3)]),
        ),
        Mistake(
            "the mean instead of the maximum",
            "The rows are right. Take each filter's strongest answer, wherever it stands in the word.",
            model=lambda w, ids, f: (
                _rows(w, ids),
                torch.stack([f[:, [c for c in r if c]].mean(1) for r in _rows(w, ids)]),
            ),
        ),
        Mistake(
            "the axes are exchanged",
            "The maxima should be [word, filter]: one row per word.",
            model=lambda *a: (character_maxima(*a)[0], character_maxima(*a)[1].T),
        ),
        Mistake(
            "the marks are missing",
            "A row begins with 2 and has a 3 after its last character.",
            model=lambda w, ids, f: _answers(_rows(w, ids, begin=(), end=()), f),
        ),
        Mistake(
            "the end is missing",
            "A row has a 3 after its last character.",
            model=lambda w, ids, f: _answers(_rows(w, ids, end=()), f),
        ),
        Mistake(
            "the end comes after the padding",
            "The end belongs right after the last character. Otherwise it says how long the longest word is.",
            model=lambda w, ids, f: _answers(_rows(w, ids, fill=lambda r, padding: r[:-1] + padding + [3]), f),
        ),
        Mistake(
            "padding on the left",
            "The padding comes after the end, not before the begin.",
            model=lambda w, ids, f: _answers(_rows(w, ids, fill=lambda r, padding: padding + r), f),
        ),
        Mistake(
            "unknown characters are dropped",
            "A character that has no id takes the id 1. Left out, the word becomes another word.",
            model=lambda w, ids, f: _answers(_rows(w, ids, unknown=()), f),
        ),
        Mistake(
            "unknown characters become padding",
            "A character that has no id takes the id 1. The id 0 says: here is nothing.",
            model=lambda w, ids, f: _answers(_rows(w, ids, unknown=(0,)), f),
        ),
        Mistake(
            "the rows are not padded",
            "The maxima are right. All rows should be as long as the longest one.",
            model=lambda w, ids, f: _answers(_rows(w, ids, fill=lambda row, padding: row), f),
        ),
    ),
)
