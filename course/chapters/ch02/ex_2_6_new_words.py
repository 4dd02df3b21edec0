"""Exercise 2.6: a vector of its own for each new word. Source: Dhingra et al. 2017, arXiv:1703.00993."""

import torch

from course.check.compare import same
from course.check.exercise import Exercise, Probe, Seen


def new_word_vectors(
    passage: list[str], question: list[str], known: dict[str, torch.Tensor], dim: int, seed: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """The vectors of both texts, [token, dim] each. known: word -> vector [dim]; a new word gets a random one,
    drawn with torch.randn and a generator that starts from `seed`."""
    generator = torch.Generator().manual_seed(seed)
    vectors = dict(known)
    for word in passage + question:
        if word not in vectors:
            vectors[word] = torch.randn(dim, generator=generator)
    return tuple(torch.stack([vectors[word] for word in text]) for text in (passage, question))


def _one_per_token(passage, question, known, dim, seed):
    generator = torch.Generator().manual_seed(seed)
    return tuple(
        torch.stack([known[word] if word in known else torch.randn(dim, generator=generator) for word in text])
        for text in (passage, question)
    )


def _one_per_text(passage, question, known, dim, seed):
    """The question's words are marked, so that none of them is the passage's."""
    marked = [word if word in known else f"{word} (question)" for word in question]
    return new_word_vectors(passage, marked, known, dim, seed)


def _each_from_the_seed(passage, question, known, dim, seed):
    first, second = (new_word_vectors(text, text, known, dim, seed)[0] for text in (passage, question))
    return first, second


def _rows(result, passage, question, known, new=True):
    """(word, row) of the new words, or of the known ones."""
    rows = zip(passage + question, [*result[0].tolist(), *result[1].tolist()], strict=True)
    return [(word, row) for word, row in rows if (word not in known) == new]


def _all_alike(got, expected, passage, question, known, dim, seed):
    rows = _rows(got, passage, question, known)
    return len({word for word, _ in rows}) > 1 and all(same(row, rows[0][1]) for _, row in rows)


def _from_a_fixed_seed(got, expected, passage, question, known, dim, seed):
    """Also what an answer gives that keeps its vectors from the first probe."""
    kept = dict(zip(_PASSAGE, new_word_vectors(_PASSAGE, _QUESTION, _KNOWN, 3, _FIRST_SEED)[0], strict=True))
    settings = [(known, fixed) for fixed in (_FIRST_SEED, 0, 1, 42)] + [(kept | known, seed)]
    return any(same(got, new_word_vectors(passage, question, has, dim, start)) for has, start in settings)


def _shared_as_expected(got, expected, passage, question, known, dim, seed):
    """Equal words have equal vectors and different ones different vectors; only the new words' numbers are others."""
    if [part.shape for part in got] != [part.shape for part in expected]:
        return False
    if not all(same(row, known[word]) for word, row in _rows(got, passage, question, known, new=False)):
        return False
    rows = _rows(got, passage, question, known)
    return all((word == other) == same(row, its) for word, row in rows for other, its in rows)


_FIRST_SEED = 3
_PASSAGE = ["Brask", "met", "Olun", "at", "the", "port", "and", "Brask", "left"]
_QUESTION = ["who", "met", "Olun", "?"]
_KNOWN = dict(
    zip(["met", "at", "the", "port", "and", "left", "who", "?"], (torch.arange(24.0) / 8).reshape(8, 3), strict=True)
)
_KOREAN = (["브라스크", "가", "오룬", "을", "만났다"], ["오룬", "이", "만난", "브라스크", "?"])
_KNOWN_KOREAN = dict(
    zip(["가", "을", "이", "만났다", "만난", "?"], (torch.arange(12.0) / 4).reshape(6, 2), strict=True)
)
PROBES = [
    Probe("two new names, each in two places", _PASSAGE, _QUESTION, _KNOWN, 3, _FIRST_SEED),
    Probe("the same texts at another step", _PASSAGE, _QUESTION, _KNOWN, 3, 5),
    Probe("the question has the names in the other order", *_KOREAN, _KNOWN_KOREAN, 2, 7),
    Probe("a name in the question only", ["Olun", "left"], ["who", "met", "Brask", "?"], _KNOWN, 3, 11),
]
MISTAKES = [
    ("one vector per token", _one_per_token),
    ("one vector per text", _one_per_text),
    ("both texts start from the seed", _each_from_the_seed),
    ("known words are drawn too", lambda passage, question, known, *a: new_word_vectors(passage, question, {}, *a)),
    ("all new words share one vector", Seen(_all_alike)),
    ("the same vectors at every step", Seen(_from_a_fixed_seed)),
    ("other random numbers", Seen(_shared_as_expected)),
]
EXERCISE = Exercise("2.6", new_word_vectors, PROBES, MISTAKES, difficulty=4, importance=4, minutes=15)
