"""The field against the list of all tag sequences, which is short for short sentences."""

from itertools import pairwise, product

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.models.crf import LinearChainCRF, forbidden_bio
from tests.mistakes import mistakes

LENGTHS = st.lists(st.integers(1, 5), min_size=1, max_size=3)


def field(n_tags, lengths, seed, dtype=torch.float64):
    """A field with random numbers, emissions [batch, unit, tag] and a mask."""
    generator = torch.Generator().manual_seed(seed)
    crf = LinearChainCRF(n_tags).to(dtype)
    for parameter in crf.parameters():
        parameter.data = torch.randn(parameter.shape, generator=generator, dtype=dtype)
    emissions = torch.randn(len(lengths), max(lengths), n_tags, generator=generator, dtype=dtype)
    return crf, emissions, torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]


def scores(crf, emissions):
    """{path: score} over all tag sequences of one sentence, emissions [unit, tag]: the formula, word by word."""
    found, last = {}, len(emissions) - 1
    start, end, transitions, rows = (x.tolist() for x in (crf.start, crf.end, crf.transitions, emissions))
    for path in product(range(len(crf.start)), repeat=len(rows)):
        words = sum(rows[unit][tag] for unit, tag in enumerate(path))
        steps = sum(transitions[path[unit]][path[unit + 1]] for unit in range(last))
        found[path] = start[path[0]] + words + steps + end[path[last]]
    return found


@given(n_tags=st.integers(1, 3), lengths=LENGTHS, seed=st.integers(0, 99))
def test_equals_the_list_of_all_paths(n_tags, lengths, seed):
    crf, emissions, mask = field(n_tags, lengths, seed)
    paths = crf.decode(emissions, mask)
    tags = torch.randint(n_tags, mask.shape, generator=torch.Generator().manual_seed(seed))
    likelihood = crf.log_likelihood(emissions, tags, mask)
    marginals = crf.marginals(emissions, mask)
    assert likelihood.shape == (len(lengths),)
    for row, length in enumerate(lengths):
        found = scores(crf, emissions[row, :length])
        assert tuple(paths[row]) == max(found, key=found.get)
        probability = dict(zip(found, torch.tensor(list(found.values())).double().softmax(0).tolist(), strict=True))
        asked = tuple(tags[row, :length].tolist())
        assert likelihood[row].exp().item() == pytest.approx(probability[asked], rel=1e-5)
        for unit, tag in product(range(length), range(n_tags)):
            expected = sum(p for path, p in probability.items() if path[unit] == tag)
            assert marginals[row, unit, tag].item() == pytest.approx(expected, abs=1e-6)
        assert not marginals[row, length:].any()


@settings(max_examples=25)
@given(lengths=LENGTHS, seed=st.integers(0, 99))
def test_what_stands_at_padding_changes_nothing(lengths, seed):
    crf, emissions, mask = field(3, [*lengths, 5], seed)
    tags = torch.ones(mask.shape, dtype=torch.long)
    dirty, wild = emissions.clone(), tags.clone()
    dirty[~mask], wild[~mask] = torch.nan, -100
    expected = crf.log_likelihood(emissions, tags, mask)
    assert crf.log_likelihood(dirty, wild, mask).tolist() == expected.tolist()
    assert crf.decode(dirty, mask) == crf.decode(emissions, mask)
    for row, length in enumerate(lengths):
        alone = crf.log_likelihood(emissions[row : row + 1, :length], tags[:1, :length], mask[row : row + 1, :length])
        torch.testing.assert_close(alone[0], expected[row])


def test_long_sentences_stay_finite():
    crf, emissions, mask = field(3, [997], seed=0, dtype=torch.float32)
    likelihood = crf.log_likelihood(100 * emissions, torch.zeros(1, 997, dtype=torch.long), mask)
    assert torch.isfinite(likelihood).all()
    assert likelihood < -1000


def test_ties_go_to_the_smallest_last_tag_then_backwards():
    crf, mask = LinearChainCRF(3), torch.ones(1, 2, dtype=torch.bool)
    assert crf.decode(torch.zeros(1, 2, 3), mask) == [[0, 0]]
    crf.transitions.data[0, 2] = crf.transitions.data[2, 1] = crf.transitions.data[1, 1] = 1.0
    assert crf.decode(torch.zeros(1, 2, 3), mask) == [[1, 1]]


def test_forbidden_steps_are_never_decoded_and_do_not_touch_the_likelihood():
    labels = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
    steps = forbidden_bio(labels)
    assert steps == [(None, 2), (0, 2), (3, 2), (4, 2), (None, 4), (0, 4), (1, 4), (2, 4)]
    crf, emissions, mask = field(5, [4, 2, 3, 4, 4], seed=0)
    tags = torch.zeros(5, 4, dtype=torch.long)
    before = crf.log_likelihood(emissions, tags, mask)
    for step in steps:
        crf.forbid(*step)
    assert crf.log_likelihood(emissions, tags, mask).tolist() == before.tolist()
    changed = 0
    for row, path in enumerate(crf.decode(emissions, mask)):
        everything = scores(crf, emissions[row, : len(path)])
        allowed = {p: s for p, s in everything.items() if not {(None, p[0]), *pairwise(p)} & set(steps)}
        assert tuple(path) == max(allowed, key=allowed.get)
        changed += tuple(path) != max(everything, key=everything.get)
    assert changed  # the rule did something


def likelihood_of(emissions, tags, mask):
    return lambda: LinearChainCRF(2).log_likelihood(torch.zeros(emissions), torch.tensor(tags), torch.tensor(mask) > 0)


def nothing_allowed():
    crf = LinearChainCRF(1)
    crf.forbid(None, 0)
    crf.decode(torch.zeros(1, 3, 1), torch.ones(1, 3, dtype=torch.bool))


test_errors_name_the_fault = mistakes(
    (likelihood_of((1, 3, 2), [[0, 0, 0]], [[1, 0, 1]]), "True values first"),
    (likelihood_of((1, 3, 2), [[0, 0, 0]], [[0, 0, 0]]), "Drop empty sentences"),
    (nothing_allowed, "row 0 has no allowed tag sequence"),
)
