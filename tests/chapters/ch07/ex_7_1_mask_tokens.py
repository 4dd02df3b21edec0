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


def labels_at(places, ids):
    return torch.full_like(ids, -100).masked_scatter(places, ids[places])


def choosing(may):
    """may(ids): what can be chosen."""

    def answer(ids, choose, fate, draw, vocab_size):
        chosen = may(ids) & (choose < 0.15)
        return damage(ids, chosen, fate, draw, vocab_size), labels_at(chosen, ids)

    return answer


def reading(damaged):
    """damaged(ids, chosen, fate, draw, vocab_size): what is read."""

    def answer(ids, choose, *dice):
        chosen = ordinary(ids) & (choose < 0.15)
        return damaged(ids, chosen, *dice), labels_at(chosen, ids)

    return answer


def asking(labels):
    """labels(ids, chosen, fate, read)."""

    def answer(ids, choose, fate, *dice):
        chosen = ordinary(ids) & (choose < 0.15)
        read = damage(ids, chosen, fate, *dice)
        return read, labels(ids, chosen, fate, read)

    return answer


def else_random(ids, chosen, fate, *dice):
    return torch.where(chosen, random_piece(*dice), ids).masked_fill(chosen & (fate < 0.8), MASK)


def whole_vocabulary(ids, chosen, fate, draw, vocab_size):
    replaced = chosen & (fate >= 0.8) & (fate < 0.9)
    return (vocab_size * draw).floor().long().where(replaced, damage(ids, chosen, fate, draw, vocab_size))


def in_place(ids, choose, fate, draw, vocab_size):
    chosen = ordinary(ids) & (choose < 0.15)
    labels = labels_at(chosen, ids)
    ids[chosen & (fate < 0.8)] = MASK
    return ids, labels


WRONG = [
    (reading(lambda ids, chosen, *dice: ids.masked_fill(chosen, MASK)), "all chosen pieces become [MASK]"),
    (reading(else_random), "no chosen piece stays"),
    (reading(lambda ids, chosen, f, *dice: ids.masked_fill(chosen & (f < 0.8), MASK)), "nothing is replaced at random"),
    (asking(lambda ids, *_: ids.clone()), "a loss on all pieces"),
    (asking(lambda ids, *_: labels_at(ordinary(ids), ids)), "a loss on all ordinary pieces"),
    (asking(lambda ids, chosen, fate, read: labels_at(read == MASK, ids)), "a loss at [MASK] only"),
    (asking(lambda ids, chosen, fate, read: labels_at(chosen & (fate < 0.8), ids)), "a loss at [MASK] only"),
    (asking(lambda ids, chosen, fate, read: labels_at(read.ne(ids), ids)), "no loss where the piece stayed"),
    (asking(lambda ids, chosen, fate, read: labels_at(chosen, read)), "the labels are what is read"),
    (asking(lambda ids, chosen, *_: ids * chosen), "0 where nothing is asked"),
    (choosing(lambda ids: ids >= PAD), "special pieces and padding are chosen"),
    (choosing(lambda ids: ids != PAD), "special pieces are chosen"),
    (choosing(lambda ids: ~torch.isin(ids, torch.tensor([UNK, CLS, SEP, MASK]))), "padding is chosen"),
    (choosing(lambda ids: (ids != PAD) & (ids != CLS) & (ids != SEP) & (ids != MASK)), "[UNK] is chosen"),
    (choosing(lambda ids: ~(ids < MASK)), "[MASK] is chosen"),
    (reading(whole_vocabulary), "a random piece may be special"),
    (reading(lambda ids, chosen, *dice: damage(ids, ordinary(ids), *dice)), "80, 10 and 10 % of all pieces"),
    (in_place, "changes its input"),
]
