"""The encoder-decoder: its loss by the formula, what it may see, and that it learns to turn a sentence round."""

from itertools import product

import pytest
import torch
from torch.nn import functional as F

from course_lib.data.records import ParallelPair, Sentence
from course_lib.errors import CourseError
from course_lib.models.decoding import beam_search, greedy, length_penalty
from course_lib.models.shipped import load
from course_lib.models.translator import Translator, smoothed_cross_entropy
from course_lib.text.pieces import Pieces
from course_lib.training import fit
from tests.mistakes import mistakes
from tests.models.small_transformers import small_config

LETTERS = list("abcdefg")


def pair(source: str, target: str) -> ParallelPair:
    return ParallelPair(Sentence.of(list(source)), Sentence.of(list(target)))


PAIRS = [pair("abcde", "edc"), pair("g", "gfgfg"), pair("caf", "f")]


def small_translator(**settings) -> Translator:
    return Translator(small_config(**settings), Pieces.words([LETTERS]))


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_label_smoothing_equals_torch(smoothing):
    logits, targets = torch.randn(5, 7), torch.tensor([3, 0, 6, 3, 1])
    smooth, plain = smoothed_cross_entropy(logits, targets, smoothing)
    torch.testing.assert_close(smooth, F.cross_entropy(logits, targets, label_smoothing=smoothing))
    torch.testing.assert_close(plain, F.cross_entropy(logits, targets))


def test_batch_by_hand():
    model = small_translator()
    batch = model.batch(PAIRS[:2])
    tokens = [model.pieces.tokens(row) for row in batch.target.tolist()]
    assert tokens[0] == ["[BOS]", "e", "d", "c", "[EOS]", "[PAD]", "[PAD]"]
    assert batch.target_mask.sum(1).tolist() == [5, 7]
    assert model.pieces.tokens(batch.source[1].tolist()) == ["g", "[EOS]", *["[PAD]"] * 4]
    assert batch.source_mask.sum(1).tolist() == [6, 2]
    with pytest.raises(CourseError, match="sentence 1 of 2 is empty"):
        model.batch([PAIRS[0], pair("a", "")])


def test_loss_is_the_mean_over_real_target_pieces():
    model = small_translator(label_smoothing=0.2).eval()
    parts = [model.loss(model.batch([one])) for one in PAIRS]
    together = model.loss(model.batch(PAIRS))
    assert [part["count"] for part in parts] == [4, 6, 2]
    for name in ("loss", "cross_entropy"):
        mean = sum(part[name] * part["count"] for part in parts) / 12
        torch.testing.assert_close(together[name], mean)


@pytest.mark.parametrize("k", [0, 2, 4])
def test_logits_see_the_whole_source_and_no_later_target(k):
    model, mask = small_translator().eval(), torch.ones(2, 7, dtype=torch.bool)
    source, target = torch.randint(4, 11, (2, 7)), torch.randint(4, 11, (2, 5))
    before, later = model(source, mask, target), [[False] * k + [True] * (5 - k), [False] * 5]
    for ids, moved in ((target, later), (source, [[True] * 5, [False] * 5])):
        old = int(ids[0, k])
        ids[0, k] = 4 + (old - 3) % 7  # the next letter
        assert (model(source, mask, target) != before).any(-1).tolist() == moved
        ids[0, k] = old


def test_batches_hold_every_pair_once_and_keep_the_limit():
    make = small_translator().batches(PAIRS * 5, tokens=14, seed=1)
    batches, again = list(make(0)), list(make(0))
    assert sum(len(batch) for batch in batches) == 15
    assert all(max(batch.source.numel(), batch.target.numel()) <= 14 for batch in batches)
    assert all(a.target.equal(b.target) for a, b in zip(batches, again, strict=True))


def test_it_learns_to_turn_a_sentence_round():
    torch.manual_seed(2)
    generator = torch.Generator().manual_seed(0)
    rows = ["".join(LETTERS[i] for i in torch.randint(7, (n,), generator=generator)) for n in [2, 3] * 90]
    model = Translator(small_config(d_model=30, d_ff=61, n_layers=1, dropout=0.0, norm="pre"), Pieces.words([LETTERS]))
    pairs = [pair(row, row[::-1]) for row in rows]
    fit(model, model.batches(pairs, tokens=128), steps=160, learning_rate=1e-2, seed=0, show=False)
    unseen = ["ag", "bdf", "gca"]
    assert [h.text for h in greedy(model, [list(row) for row in unseen])] == [" ".join(row[::-1]) for row in unseen]
    assert model.translate([list("bdf")]) == ["f d b"]


def test_cross_attentions_name_both_sides():
    model = small_translator().eval()
    weights, targets, sources = model.cross_attentions(model.batch(PAIRS))
    assert [tuple(weight.shape) for weight in weights] == [(3, 3, 7, 6)] * 2
    assert targets[2] == ["[BOS]", "f", "[EOS]"]
    assert sources[2] == ["c", "a", "f", "[EOS]"]
    for weight in weights:
        torch.testing.assert_close(weight.sum(-1), torch.ones(3, 3, 7))
        assert not weight[1, :, :, 2:].any()


def test_save_and_load(tmp_path):
    model = small_translator().eval()
    model.save(tmp_path / "saved")
    again = Translator.load(tmp_path / "saved")
    source = [list("abc"), list("g")]
    assert greedy(again, source) == greedy(model, source)
    with pytest.raises(CourseError, match="'translator'"):
        load(tmp_path / "saved")


# -- Search against listing every sentence, with and without the cache, alone and in a padded batch
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
@pytest.mark.parametrize("beam", [1, 2, 5])
def test_cached_equals_uncached_token_for_token(settings, beam):
    model = loud_translator(**settings)
    found = [beam_search(model, SOURCES, beam=beam, max_steps=11, cache=cache) for cache in (True, False)]
    assert [h.ids for h in found[0]] == [h.ids for h in found[1]]
    assert [h.score for h in found[0]] == pytest.approx([h.score for h in found[1]], rel=1e-4)
    assert len({h.ids for h in found[0]}) > 1


@torch.no_grad()
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("max_steps", [1, 13])
def test_greedy_takes_the_likeliest_piece_each_time(seed, max_steps):
    model = loud_translator(seed=seed).eval()
    for source, found in zip(SOURCES, greedy(model, SOURCES, max_steps=max_steps), strict=True):
        row, total = [model.pieces.begin], 0.0
        while len(row) <= max_steps and row[-1] != model.pieces.end:
            logits = model(*model.source([source]), torch.tensor([row]))[0, -1]
            logits[[model.pieces.begin, model.pieces.padding]] = -torch.inf
            log_p, best = logits.log_softmax(-1).max(-1)
            row, total = [*row, int(best)], total + float(log_p)
        assert found.ended is (row[-1] == model.pieces.end)
        assert found.ids == tuple(row[1:-1] if found.ended else row[1:])
        assert found.score == pytest.approx(total, rel=1e-4)


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
def test_a_beam_as_wide_as_everything_finds_the_best_of_all_and_a_narrow_one_says_the_true_score(alpha):
    model = loud_translator("ab").eval()
    for source in (["a", "b", "b"], ["b"]):
        scores = every_score(model, source, 3, alpha)
        for beam in (1, 2, 3, 4**3):
            (found,) = beam_search(model, [source], beam=beam, alpha=alpha, max_steps=3)
            assert found.score == pytest.approx(scores[found.ids], rel=1e-4)
        assert found.ids == max(scores, key=scores.get)


@pytest.mark.parametrize("beam", [1, 4])
def test_a_sentence_is_translated_as_if_alone(beam):
    model = loud_translator()
    for source, found in zip(SOURCES, beam_search(model, SOURCES, beam=beam, max_steps=13), strict=True):
        (alone,) = beam_search(model, [source], beam=beam, max_steps=13)
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


test_bad_arguments_are_named = mistakes(
    ({"source": [["a"], []]}, "sentence 1 of 2 is empty"),
    ({"source": "a b"}, r"Put it in \[ \]"),
    of=lambda wrong: beam_search(loud_translator(), **{"source": SOURCES, **wrong}),
)
