"""Exercise 7.1: what BERT reads and what it is asked. Source: Devlin et al. 2018, arXiv:1810.04805, section 3.1, task
1, and appendix A.1."""

import torch

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def mask_tokens(
    ids: torch.Tensor, choose: torch.Tensor, fate: torch.Tensor, draw: torch.Tensor, vocab_size: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """(what is read, labels), both [batch, piece]; a label is -100 where nothing is asked. ids [batch, piece]: 0 to 4
    are [PAD], [UNK], [CLS], [SEP], [MASK]; choose, fate, draw [batch, piece]: random numbers, 0 or more and below 1"""
    chosen = (choose < 0.15) & (ids > 4)
    hidden = chosen & (fate < 0.8)
    replaced = chosen & ~hidden & (fate < 0.9)
    others = 5 + (draw * (vocab_size - 5)).long()
    read = torch.where(hidden, 4, torch.where(replaced, others, ids))
    return read, torch.where(chosen, ids, -100)


def _ordinary(ids):
    return ids > 4


def _drawn(draw, vocab_size):
    return 5 + (draw * (vocab_size - 5)).long()


def _masked(may=_ordinary, to_mask=0.8, to_random=0.1, drawn=_drawn, damaged=None, asked=None, nothing=-100):
    """may(ids): places that can be chosen; damaged(chosen, may), asked(chosen, hidden, read, ids): places."""

    def model(ids, choose, fate, draw, vocab_size):
        chosen = may(ids) & (choose < 0.15)
        places = damaged(chosen, may(ids)) if damaged else chosen
        hidden = places & (fate < to_mask)
        replaced = places & ~hidden & (fate < to_mask + to_random - 1e-6)  # 0.8 + 0.1 is a little more than 0.9
        read = ids.masked_fill(hidden, 4).where(~replaced, drawn(draw, vocab_size))
        return read, ids.where(asked(chosen, hidden, read, ids) if asked else chosen, torch.tensor(nothing))

    return model


def _labels_of_what_is_read(ids, *dice):
    read, labels = _masked()(ids, *dice)
    return read, read.where(labels != -100, labels)


def _probe(shows, ids, choose, fate, draw, vocab_size):
    return Probe(shows, (torch.tensor(ids), *map(torch.tensor, (choose, fate, draw)), vocab_size))


_LOW, _HIGH = 0.02, 0.6
EXERCISE = Exercise(
    id="7.1",
    title="Masking by hand",
    difficulty=3,
    importance=5,
    minutes=15,
    question="""
        BERT is asked for **15 %** of the pieces. A place is chosen if its number in `choose` is below 0.15. Special
        pieces (ids 0 to 4) are never chosen. The number in `fate` says what is read at a chosen place: below 0.8
        `[MASK]`, below 0.9 a piece at random, else the piece itself. The random piece is never a special one: cut the
        range from 0 to 1 into equal parts, one for each ordinary piece in the order of ids, and look in which part
        `draw` falls. Labels are the pieces that stood at **all chosen** places, and -100 everywhere else.
        Before you run it: how many of 1,000 ordinary pieces become `[MASK]`, and for how many is there a loss?
    """,
    solution=mask_tokens,
    why="120 and 150, on average. The 30 between are asked too: 15 of them show another piece, 15 the right one. So a "
    "word in sight may be wrong, and the network must have something to say at every place, not only at [MASK]. "
    "-100 is the label that torch's cross_entropy leaves out.",
    hints=(
        "There are three tables of True and False: chosen, hidden, replaced. Which of them lie inside which?",
        "A place is chosen by its own number and by its id. Its fate is looked at only then. How many ordinary pieces "
        "are there, and which id has the first?",
        "Make the three tables with & and comparisons, then torch.where: one inside another for what is read, one for "
        "the labels. A whole number comes from .long().",
    ),
    probes=(
        _probe(
            "each fate",
            [[2, 7, 11, 6, 9, 13, 8, 3]],
            [[_HIGH, 0.10, 0.90, 0.05, 0.14, _HIGH, 0.01, _HIGH]],
            [[0.50, 0.30, 0.10, 0.85, 0.95, 0.85, 0.79, 0.50]],
            [[0.52, 0.22, 0.72, 0.63, 0.33, 0.43, 0.82, 0.12]],
            25,
        ),
        _probe(
            "special pieces and padding have low numbers, too",
            [[2, 12, 1, 4, 3, 7, 3, 0, 0], [2, 9, 8, 3, 10, 3, 0, 0, 0]],
            [[_LOW, _LOW, _LOW, _LOW, _LOW, 0.2, _LOW, _LOW, _HIGH], [_LOW, _HIGH, _LOW, _LOW, 0.16, _LOW, _LOW, 0, 0]],
            [[0.10, 0.40, 0.20, 0.1, 0.85, 0.91, 0.95, 0.3, 0.83], [0.83, 0.85, 0.93, 0.10, 0.2, 0.7, 0.82, 0.6, 0.1]],
            [[0.55, 0.10, 0.35, 0.2, 0.65, 0.9, 0.45, 0.7, 0.30], [0.27, 0.15, 0.60, 0.80, 0.4, 0.3, 0.77, 0.5, 0.9]],
            17,
        ),
        _probe(
            "the first and the last piece are drawn",
            [[5, 6, 7, 8, 9]],
            [[0.12, 0.03, 0.149, 0.151, 0.08]],
            [[0.81, 0.89, 0.85, 0.85, 0.88]],
            [[0.0, 0.99, 0.5, 0.5, 0.1]],
            11,
        ),
    ),
    mistakes=(
        Mistake(
            "all chosen pieces become [MASK]",
            "Of the chosen ones a tenth becomes another piece and a tenth stays. `fate` decides.",
            model=_masked(to_mask=1.0),
        ),
        Mistake(
            "no chosen piece stays",
            "What is not [MASK] is always replaced. From 0.9 on the piece itself should be read.",
            model=_masked(to_random=0.3),
        ),
        Mistake(
            "nothing is replaced at random",
            "Chosen pieces are hidden or stay. Between 0.8 and 0.9 another piece should be read.",
            model=_masked(to_random=0.0),
        ),
        Mistake(
            "a loss on all pieces",
            "Every place has a label. Where nothing was chosen, the piece is in sight and is only to be copied.",
            model=_masked(asked=lambda chosen, hidden, read, ids: torch.ones_like(chosen)),
        ),
        Mistake(
            "a loss on all ordinary pieces",
            "Places that were not chosen have a label. There the piece is in sight and is only to be copied.",
            model=_masked(asked=lambda chosen, hidden, read, ids: ids > 4),
        ),
        Mistake(
            "a loss at [MASK] only",
            "Chosen places that show a piece are asked, too. Otherwise a piece in sight could always be trusted.",
            model=_masked(asked=lambda chosen, hidden, read, ids: hidden),
        ),
        Mistake(
            "a loss at [MASK] only",
            "Chosen places that show a piece are asked, too; and a [MASK] that stood there before is not.",
            model=_masked(asked=lambda chosen, hidden, read, ids: read == 4),
        ),
        Mistake(
            "no loss where the piece stayed",
            "A chosen piece that stays has a label, too: the network does not know that it is the right one.",
            model=_masked(asked=lambda chosen, hidden, read, ids: read != ids),
        ),
        Mistake(
            "the labels are what is read",
            "The label at a hidden place is [MASK]. Asked is the piece that stood there before.",
            model=_labels_of_what_is_read,
        ),
        Mistake(
            "0 where nothing is asked",
            "0 is a piece, [PAD], and would be asked for. -100 is the mark that cross_entropy leaves out.",
            model=_masked(nothing=0),
        ),
        Mistake(
            "special pieces and padding are chosen",
            "`choose` alone decides. [CLS], [SEP], [UNK] and [PAD] must stay what they are.",
            model=_masked(may=lambda ids: torch.ones_like(ids, dtype=torch.bool)),
        ),
        Mistake(
            "special pieces are chosen",
            "Padding is spared, but [CLS], [SEP] or [UNK] is not.",
            model=_masked(may=lambda ids: ids != 0),
        ),
        Mistake(
            "padding is chosen",
            "[CLS] and [SEP] are spared, but padding is not. It would be asked for [PAD].",
            model=_masked(may=lambda ids: (ids > 4) | (ids == 0)),
        ),
        Mistake(
            "[UNK] is chosen",
            "[UNK] is special, too: behind it are many words, and none of them is an answer.",
            model=_masked(may=lambda ids: (ids > 4) | (ids == 1)),
        ),
        Mistake(
            "[MASK] is chosen",
            "Id 4 is special, too: the ordinary pieces begin after it.",
            model=_masked(may=lambda ids: ids >= 4),
        ),
        Mistake(
            "a random piece may be special",
            "The draw covers the whole vocabulary, so that [CLS] or [PAD] may turn up inside a sentence.",
            model=_masked(drawn=lambda draw, vocab_size: (draw * vocab_size).long()),
        ),
        Mistake(
            "80, 10 and 10 % of all pieces",
            "Places are damaged that were not chosen. The shares are shares of the chosen 15 %.",
            model=_masked(damaged=lambda chosen, may: may),
        ),
    ),
)
