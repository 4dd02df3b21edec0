"""15 % and 80/10/10 over a million pieces; specials and padding never chosen, never drawn; one seed, one mask."""

import pytest
import torch

from course_lib.data.masking import Masking
from course_lib.errors import CourseError

PAD, CLS, SEP, MASK = 0, 1, 2, 3
SPECIAL = (PAD, CLS, SEP, MASK)
V = 97


def batch(rows=8_192, width=131, seed=0):
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(4, V, (rows, width), generator=generator)
    lengths = torch.randint(3, width + 1, (rows, 1), generator=generator)
    mask = torch.arange(width) < lengths
    ids[:, 0] = CLS
    ids[torch.arange(rows), lengths.squeeze(1) - 1] = SEP
    return torch.where(mask, ids, PAD), mask


def run(masking, ids, mask, seed=1):
    return masking(ids, mask, torch.Generator().manual_seed(seed))


@pytest.mark.parametrize(("to_mask", "to_random"), [(0.8, 0.1), (1.0, 0.0), (0.8, 0.2), (0.0, 1.0)])
def test_shares_over_more_than_half_a_million_pieces(to_mask, to_random):
    ids, mask = batch(16_384)
    masked = run(Masking(V, MASK, SPECIAL, to_mask=to_mask, to_random=to_random), ids, mask)
    n = (mask & ~torch.isin(ids, torch.tensor(SPECIAL))).sum().item()
    assert n > 1_000_000
    chosen = masked.corrupted
    assert chosen.sum().item() / n == pytest.approx(0.15, abs=0.003)
    hidden = (masked.ids == MASK).sum().item() / chosen.sum().item()
    assert hidden == pytest.approx(to_mask, abs=0.003)
    changed = (chosen & (masked.ids != MASK) & (masked.ids != ids)).sum().item() / chosen.sum().item()
    assert changed == pytest.approx(to_random * (1 - 1 / (V - 4)), abs=0.003)  # a random piece may be the old one


def test_specials_and_padding_are_never_chosen_or_drawn():
    ids, mask = batch()
    masked = run(Masking(V, MASK, SPECIAL, corrupt=0.9, to_mask=0.1, to_random=0.9), ids, mask)
    untouched = ~mask | torch.isin(ids, torch.tensor(SPECIAL))
    assert masked.ids[untouched].equal(ids[untouched])
    assert not (masked.corrupted & untouched).any()
    replaced = masked.ids[masked.corrupted & (masked.ids != MASK)]
    assert not torch.isin(replaced, torch.tensor(SPECIAL)).any()
    assert set(replaced.tolist()) == set(range(4, V))  # every other piece is drawn


def test_a_masker_that_forgets_a_special_is_seen():
    ids, mask = batch(512)
    masked = run(Masking(V, MASK, (PAD, SEP, MASK), corrupt=0.9), ids, mask)
    assert (masked.corrupted & (ids == CLS)).any()


def test_answers_are_what_stood_there_and_nothing_else_is_asked():
    ids, mask = batch(257)
    masked = run(Masking(V, MASK, SPECIAL), ids, mask)
    assert masked.answers.equal(ids[masked.rows, masked.columns])
    asked = torch.zeros_like(mask)
    asked[masked.rows, masked.columns] = True
    assert asked.equal(masked.corrupted)
    assert masked.ids[~asked].equal(ids[~asked])


def test_corruption_and_prediction_are_two_knobs():
    ids, mask = batch(4_096)
    masked = run(Masking(V, MASK, SPECIAL, corrupt=0.15, predict=0.05), ids, mask)
    may = (mask & ~torch.isin(ids, torch.tensor(SPECIAL))).sum().item()
    assert masked.corrupted.sum().item() / may == pytest.approx(0.15, abs=0.003)
    assert len(masked.rows) / may == pytest.approx(0.05, abs=0.003)
    assert masked.corrupted[masked.rows, masked.columns].all()


def test_the_same_state_gives_the_same_masks_and_another_seed_others():
    ids, mask = batch(64)
    masking = Masking(V, MASK, SPECIAL)
    assert run(masking, ids, mask).ids.equal(run(masking, ids, mask).ids)
    assert not run(masking, ids, mask).ids.equal(run(masking, ids, mask, seed=2).ids)


def test_at_least_one_piece_is_asked_for():
    ids, mask = torch.tensor([[CLS, 7, SEP]]), torch.ones(1, 3, dtype=torch.bool)
    for seed in range(50):
        masked = run(Masking(V, MASK, SPECIAL), ids, mask, seed=seed)
        assert masked.columns.tolist() == [1]
        assert masked.answers.tolist() == [7]


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"corrupt": 0.0}, "corrupt=0.0"),
        ({"corrupt": 0.1, "predict": 0.2}, "predict=0.2"),
        ({"to_mask": 0.9, "to_random": 0.2}, "at most 1"),
        ({"special_ids": (0, 1)}, "not among special_ids"),
        ({"special_ids": (3, 500)}, "500 is outside"),
        ({"vocab_size": 4}, "all pieces are special"),
    ],
)
def test_settings_that_cannot_work_are_named(settings, says):
    with pytest.raises(CourseError, match=says):
        Masking(**({"vocab_size": V, "mask_id": MASK, "special_ids": SPECIAL} | settings))


def test_a_batch_of_specials_only_is_named():
    with pytest.raises(CourseError, match="all are special"):
        run(Masking(V, MASK, SPECIAL), torch.tensor([[CLS, SEP]]), torch.ones(1, 2, dtype=torch.bool))
