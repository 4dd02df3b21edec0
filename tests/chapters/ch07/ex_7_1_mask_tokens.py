"""Wrong answers to exercise 7.1 as readers write them, each with the mistake that must be named."""

import torch

PAD, UNK, CLS, SEP, MASK = range(5)


def ordinary(ids):
    return ~torch.isin(ids, torch.tensor([PAD, UNK, CLS, SEP, MASK]))


def random_piece(draw, vocab_size):
    return torch.arange(5, vocab_size)[(draw * (vocab_size - 5)).floor().long()]


def damage(ids, places, fate, draw, vocab_size):
    read = ids.clone()
    read[places & (fate < 0.8)] = MASK
    replaced = places & (fate >= 0.8) & (fate < 0.9)
    read[replaced] = random_piece(draw, vocab_size)[replaced]
    return read


def labels_at(places, ids, nothing=-100):
    labels = torch.full_like(ids, nothing)
    labels[places] = ids[places]
    return labels


def always_mask(ids, choose, fate, draw, vocab_size):
    chosen = ordinary(ids) & (choose < 0.15)
    return ids.masked_fill(chosen, MASK), labels_at(chosen, ids)


def one_dice_for_both(ids, choose, fate, draw, vocab_size):
    chosen = ordinary(ids) & (choose < 0.15)
    return damage(ids, chosen, choose, draw, vocab_size), labels_at(chosen, ids)


def else_random(ids, choose, fate, draw, vocab_size):
    chosen = ordinary(ids) & (choose < 0.15)
    read = torch.where(chosen, random_piece(draw, vocab_size), ids)
    read[chosen & (fate < 0.8)] = MASK
    return read, labels_at(chosen, ids)


def else_kept(ids, choose, fate, draw, vocab_size):
    chosen = ordinary(ids) & (choose < 0.15)
    return ids.masked_fill(chosen & (fate < 0.8), MASK), labels_at(chosen, ids)


def ask_all(ids, choose, fate, draw, vocab_size):
    chosen = ordinary(ids) & (choose < 0.15)
    return damage(ids, chosen, fate, draw, vocab_size), ids.clone()


def ask_all_words(ids, choose, fate, draw, vocab_size):
    chosen = ordinary(ids) & (choose < 0.15)
    return damage(ids, chosen, fate, draw, vocab_size), labels_at(ordinary(ids), ids)


def ask_masks(ids, choose, fate, draw, vocab_size):
    chosen = ordinary(ids) & (choose < 0.15)
    read = damage(ids, chosen, fate, draw, vocab_size)
    return read, labels_at(read == MASK, ids)


def ask_hidden(ids, choose, fate, draw, vocab_size):
    chosen = ordinary(ids) & (choose < 0.15)
    return damage(ids, chosen, fate, draw, vocab_size), labels_at(chosen & (fate < 0.8), ids)


def ask_changes(ids, choose, fate, draw, vocab_size):
    chosen = ordinary(ids) & (choose < 0.15)
    read = damage(ids, chosen, fate, draw, vocab_size)
    return read, labels_at(read.ne(ids), ids)


def labels_too_late(ids, choose, fate, draw, vocab_size):
    chosen = ordinary(ids) & (choose < 0.15)
    read = damage(ids, chosen, fate, draw, vocab_size)
    return read, labels_at(chosen, read)


def zero_is_nothing(ids, choose, fate, draw, vocab_size):
    chosen = ordinary(ids) & (choose < 0.15)
    return damage(ids, chosen, fate, draw, vocab_size), ids * chosen


def by_number_alone(ids, choose, fate, draw, vocab_size):
    chosen = choose < 0.15
    return damage(ids, chosen, fate, draw, vocab_size), labels_at(chosen, ids)


def not_padding(ids, choose, fate, draw, vocab_size):
    chosen = (choose < 0.15) & (ids != PAD)
    return damage(ids, chosen, fate, draw, vocab_size), labels_at(chosen, ids)


def padding_too(ids, choose, fate, draw, vocab_size):
    chosen = (choose < 0.15) & ~torch.isin(ids, torch.tensor([UNK, CLS, SEP, MASK]))
    return damage(ids, chosen, fate, draw, vocab_size), labels_at(chosen, ids)


def unknown_too(ids, choose, fate, draw, vocab_size):
    chosen = (choose < 0.15) & (ids != PAD) & (ids != CLS) & (ids != SEP) & (ids != MASK)
    return damage(ids, chosen, fate, draw, vocab_size), labels_at(chosen, ids)


def from_4_on(ids, choose, fate, draw, vocab_size):
    chosen = (choose < 0.15) & ~(ids < MASK)
    return damage(ids, chosen, fate, draw, vocab_size), labels_at(chosen, ids)


def whole_vocabulary(ids, choose, fate, draw, vocab_size):
    chosen = ordinary(ids) & (choose < 0.15)
    read = damage(ids, chosen, fate, draw, vocab_size)
    replaced = chosen & (fate >= 0.8) & (fate < 0.9)
    return torch.where(replaced, (vocab_size * draw).floor().long(), read), labels_at(chosen, ids)


def shares_of_all(ids, choose, fate, draw, vocab_size):
    chosen = ordinary(ids) & (choose < 0.15)
    return damage(ids, ordinary(ids), fate, draw, vocab_size), labels_at(chosen, ids)


def in_place(ids, choose, fate, draw, vocab_size):
    chosen = ordinary(ids) & (choose < 0.15)
    labels = labels_at(chosen, ids)
    ids[chosen & (fate < 0.8)] = MASK
    return ids, labels


WRONG = [
    (always_mask, "all chosen pieces become [MASK]"),
    (one_dice_for_both, "all chosen pieces become [MASK]"),
    (else_random, "no chosen piece stays"),
    (else_kept, "nothing is replaced at random"),
    (ask_all, "a loss on all pieces"),
    (ask_all_words, "a loss on all ordinary pieces"),
    (ask_masks, "a loss at [MASK] only"),
    (ask_hidden, "a loss at [MASK] only"),
    (ask_changes, "no loss where the piece stayed"),
    (labels_too_late, "the labels are what is read"),
    (zero_is_nothing, "0 where nothing is asked"),
    (by_number_alone, "special pieces and padding are chosen"),
    (not_padding, "special pieces are chosen"),
    (padding_too, "padding is chosen"),
    (unknown_too, "[UNK] is chosen"),
    (from_4_on, "[MASK] is chosen"),
    (whole_vocabulary, "a random piece may be special"),
    (shares_of_all, "80, 10 and 10 % of all pieces"),
    (in_place, "changes its input"),
]
