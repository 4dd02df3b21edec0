"""Exercise 5.4: concat pooling. Source: Howard & Ruder 2018, arXiv:1801.06146, section 3.3."""

import torch

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def concat_pooling(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """[last, maximum, mean] of each text, [text, 3 * dim]. states [text, word, dim]; mask [text, word]: True where a
    word is real; the real words come first"""
    lengths = mask.sum(dim=1)
    real = mask[..., None]
    last = states[torch.arange(len(states)), lengths - 1]
    largest = states.masked_fill(~real, -torch.inf).amax(dim=1)
    mean = (states * real).sum(dim=1) / lengths[:, None]
    return torch.cat([last, largest, mean], dim=1)


def _parts(states, mask):
    return concat_pooling(states, mask).chunk(3, dim=1)


def _with(states, mask, **changed):
    names = ("last", "largest", "mean")
    return torch.cat([changed.get(n, p) for n, p in zip(names, _parts(states, mask), strict=True)], dim=1)


def _probe(shows, lengths, dim, step, shift):
    longest = max(lengths)
    numbers = (torch.arange(len(lengths) * longest * dim) * step % 17 - shift) / 4
    mask = torch.arange(longest) < torch.tensor(lengths)[:, None]
    return Probe(shows, (numbers.reshape(len(lengths), longest, dim), mask))


EXERCISE = Exercise(
    id="5.4",
    title="Concat pooling",
    difficulty=3,
    importance=4,
    minutes=12,
    question="""
        The word that decides a review may stand anywhere. So ULMFiT gives its classifier three views of the top
        layer's states: the state of the **last** word, the **maximum** and the **mean** of each dimension over all
        words, one beside the other. Padding must not take part in any of them: states at padding hold numbers, too.
        Before you run it: all states of a text are below 0, and its row is padded. What is the maximum if the padding
        was set to 0?
    """,
    solution=concat_pooling,
    why="With zeros at the padding the maximum would be 0, a number that no word has. The result would then depend on "
    "the longest text of the batch. A text must get the same vector alone and in company.",
    hints=(
        "Look at each of the three apart, for a text that is shorter than its row.",
        "For the maximum, padding needs a value that can never win. For the mean, count the real words.",
        "The mask must get a third axis to meet the states. The last real word stands at the length minus one.",
    ),
    probes=(
        _probe("two texts, one of them padded", (4, 2), 3, 5, 8.0),
        _probe("all states below 0", (2, 5, 1), 2, 7, 30.0),
        _probe("one text without padding", (3,), 5, 11, 8.0),
    ),
    mistakes=(
        Mistake(
            "padding counts everywhere",
            "The mask has no influence on the result.",
            model=lambda states, mask: concat_pooling(states, torch.ones_like(mask)),
        ),
        Mistake(
            "the last column instead of the last word",
            "The first part of a short text is the state at its padding.",
            model=lambda states, mask: _with(states, mask, last=states[:, -1]),
        ),
        Mistake(
            "padding wins the maximum",
            "The second part can come from padding.",
            model=lambda states, mask: _with(states, mask, largest=states.amax(1)),
        ),
        Mistake(
            "padding is 0 in the maximum",
            "Where all states are below 0, the maximum of a padded text is 0.",
            model=lambda states, mask: _with(states, mask, largest=(states * mask[..., None]).amax(1)),
        ),
        Mistake(
            "the mean is over the whole row",
            "The sum is divided by the length of the row. A text in a longer row gets a smaller mean.",
            model=lambda states, mask: _with(states, mask, mean=(states * mask[..., None]).mean(1)),
        ),
        Mistake(
            "padding is part of the mean",
            "The states at padding are added up with the others.",
            model=lambda states, mask: _with(states, mask, mean=states.mean(1)),
        ),
        Mistake(
            "one word too far",
            "The first part is the state after the last word. Places count from 0.",
            model=lambda states, mask: _with(
                states,
                mask,
                last=states[torch.arange(len(states)), mask.sum(1).clamp(max=states.shape[1] - 1)],
            ),
        ),
        Mistake(
            "another order",
            "The three parts are right. Their order is last, maximum, mean.",
            seen=lambda got, expected, states, mask: torch.allclose(
                got.sort(dim=1).values, expected.sort(dim=1).values
            ),
        ),
        Mistake(
            "only one view",
            "The result is as wide as one state. Three views stand side by side.",
            seen=lambda got, expected, *_: got.ndim == 2 and 3 * got.shape[-1] == expected.shape[-1],
        ),
    ),
)
