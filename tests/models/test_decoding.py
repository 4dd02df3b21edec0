"""Search against listing every sentence, with and without the cache, alone and in a padded batch."""

from itertools import product

import pytest
import torch

from course_lib.errors import CourseError
from course_lib.models.attention import KeyValueCache
from course_lib.models.decoding import beam_search, greedy, length_penalty
from course_lib.models.translator import Translator
from course_lib.text.pieces import Pieces
from tests.models.small_transformers import small_config

SOURCES = [["a", "b", "c", "d", "e"], ["c"], ["e", "a", "a"]]


def loud_translator(words="abcdefg", seed=3, **settings) -> Translator:
    """Untrained, but sure of itself: its guesses depend on the source and it ends after some steps."""
    torch.manual_seed(seed)
    model = Translator(small_config(**settings), Pieces.words([list(words)]))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(2.0) if parameter.ndim > 1 else parameter.add_(torch.randn_like(parameter) * 0.3)
    return model


@pytest.mark.parametrize("settings", [{}, {"norm": "pre", "positions": "learned"}])
@pytest.mark.parametrize("beam", [0, 1, 2, 5])
def test_cached_equals_uncached_token_for_token(settings, beam):
    model = loud_translator(**settings)
    if beam:
        found = [beam_search(model, SOURCES, beam=beam, max_steps=11, cache=cache) for cache in (True, False)]
    else:
        found = [greedy(model, SOURCES, max_steps=11, cache=cache) for cache in (True, False)]
    assert [h.ids for h in found[0]] == [h.ids for h in found[1]]
    assert [h.score for h in found[0]] == pytest.approx([h.score for h in found[1]], rel=1e-4)
    assert len({h.ids for h in found[0]}) > 1


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("max_steps", [1, 13])
def test_beam_1_is_greedy(seed, max_steps):
    model = loud_translator(seed=seed)
    one, straight = (
        beam_search(model, SOURCES, beam=1, alpha=0, max_steps=max_steps),
        greedy(model, SOURCES, max_steps=max_steps),
    )
    assert [(h.ids, h.text, h.ended) for h in one] == [(h.ids, h.text, h.ended) for h in straight]
    assert [h.score for h in one] == pytest.approx([h.score for h in straight], rel=1e-4)
    penalised = beam_search(model, SOURCES, beam=1, alpha=0.6, max_steps=max_steps)
    assert [h.ids for h in penalised] == [h.ids for h in straight]


def every_score(model: Translator, source: list[str], max_steps: int, alpha: float) -> dict[tuple[int, ...], float]:
    """Score of every sentence of up to max_steps pieces; the longest need not end."""
    begin, end = model.pieces.begin, model.pieces.end
    others = [i for i in range(len(model.pieces)) if i not in (begin, end, model.pieces.padding)]
    ids, mask = model.source([source])
    found = {}
    for length in range(max_steps + 1):
        rows = [row if length == max_steps else (*row, end) for row in product(others, repeat=length)]
        read = torch.tensor([[begin, *row[:-1]] for row in rows])
        logits = model(ids.expand(len(rows), -1), mask.expand(len(rows), -1), read)
        logits[..., [begin, model.pieces.padding]] = -torch.inf
        chosen = logits.log_softmax(-1).gather(2, torch.tensor(rows)[..., None]).sum((1, 2))
        for row, total in zip(rows, chosen.tolist(), strict=True):
            found[row[:length]] = total / length_penalty(len(row), alpha)
    return found


@pytest.mark.parametrize("alpha", [0.0, 0.6, 2.0])
@torch.no_grad()
def test_a_beam_as_wide_as_everything_finds_the_best_of_all(alpha):
    model = loud_translator("ab").eval()
    for source in (["a", "b", "b"], ["b"]):
        scores = every_score(model, source, 3, alpha)
        (found,) = beam_search(model, [source], beam=4**3, alpha=alpha, max_steps=3)
        assert found.ids == max(scores, key=scores.get)
        assert found.score == pytest.approx(scores[found.ids], rel=1e-4)


@torch.no_grad()
def test_a_narrow_beam_says_the_true_score_of_what_it_found():
    model = loud_translator("ab").eval()
    scores = every_score(model, ["a", "b"], 3, 0.6)
    for beam in (1, 2, 3):
        (found,) = beam_search(model, [["a", "b"]], beam=beam, max_steps=3)
        assert found.score == pytest.approx(scores[found.ids], rel=1e-4)
    (found,) = greedy(model, [["a", "b"]], max_steps=3)
    assert found.score == pytest.approx(every_score(model, ["a", "b"], 3, 0.0)[found.ids], rel=1e-4)


@pytest.mark.parametrize("search", [greedy, beam_search])
def test_a_sentence_is_translated_as_if_alone(search):
    model = loud_translator()
    together = search(model, SOURCES, max_steps=13)
    for source, found in zip(SOURCES, together, strict=True):
        (alone,) = search(model, [source], max_steps=13)
        assert alone.ids == found.ids
        assert alone.score == pytest.approx(found.score, rel=1e-4)


def test_length_penalty_by_hand_and_its_direction():
    assert length_penalty(7, 0.5) == pytest.approx(2**0.5)
    assert length_penalty(7, 0.0) == 1.0
    model = loud_translator()
    lengths = [sum(len(h.ids) for h in beam_search(model, SOURCES, alpha=alpha, max_steps=13)) for alpha in (0, 5)]
    assert lengths[0] < lengths[1]


def test_the_limit_is_the_input_length_and_fifty_more():
    model = loud_translator()
    with torch.no_grad():
        model.decoder.layers[-1].feed_forward_residual.norm.bias.sub_(
            99 * model.embedding.tokens.weight[model.pieces.end]  # [EOS] is never likely
        )
    found = greedy(model, SOURCES)
    assert [len(h.ids) for h in found] == [5 + 1 + 50, 1 + 1 + 50, 3 + 1 + 50]
    assert not any(h.ended for h in found)


def test_a_step_with_the_cache_computes_one_position(monkeypatch):
    model, widths = loud_translator(), []
    append = KeyValueCache.append
    monkeypatch.setattr(
        KeyValueCache, "append", lambda self, keys, values: widths.append(keys.shape) or append(self, keys, values)
    )
    beam_search(model, SOURCES, beam=2, max_steps=5)
    assert set(widths) == {(3 * 2, 3, 1, 4)}


def test_the_mode_is_put_back():
    model = loud_translator().train()
    first, second = greedy(model, SOURCES), greedy(model, SOURCES)
    assert model.training
    assert first == second


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"beam": 0}, "beam=0"),
        ({"alpha": -1.0}, "alpha=-1.0"),
        ({"max_steps": 0}, "max_steps=0"),
        ({"source": []}, "no sentence"),
        ({"source": [["a"], []]}, "sentence 1 of 2 is empty"),
        ({"source": "a b"}, r"Put it in \[ \]"),
    ],
)
def test_bad_arguments_are_named(wrong, words):
    with pytest.raises(CourseError, match=words):
        beam_search(loud_translator(), **{"source": SOURCES, **wrong})
