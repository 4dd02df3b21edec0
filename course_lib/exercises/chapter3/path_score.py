"""Exercise 3.3: the score of a tag sequence in a linear-chain CRF. Source: Lample et al. 2016, arXiv:1603.01360,
section 2.2."""

import torch

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def path_score(
    emissions: torch.Tensor,
    transitions: torch.Tensor,
    start: torch.Tensor,
    end: torch.Tensor,
    tags: torch.Tensor,
    mask: torch.Tensor,
) -> torch.Tensor:
    """Score of each row's tag sequence, [batch]. emissions [batch, word, tag], transitions [from, to], start [tag],
    end [tag], tags [batch, word], mask [batch, word]: True at real words, padding after them."""
    scores = []
    for row, length in enumerate(mask.sum(dim=1)):
        path = tags[row, :length]
        words = emissions[row, range(length), path].sum()
        steps = transitions[path[:-1], path[1:]].sum()
        scores.append(start[path[0]] + words + steps + end[path[-1]])
    return torch.stack(scores)


def _score(
    emissions, transitions, start, end, tags, mask, *, words_mask=True, steps_mask=True, end_at_last=True, parts="swte"
):
    """`parts` names what is added: start, words, transitions, end."""
    words = emissions.gather(2, tags[..., None])[..., 0]
    steps = transitions[tags[:, :-1], tags[:, 1:]]
    last = tags.gather(1, mask.sum(1, keepdim=True) - 1)[:, 0] if end_at_last else tags[:, -1]
    every = {
        "s": start[tags[:, 0]],
        "w": (words * mask if words_mask else words).sum(1),
        "t": (steps * mask[:, 1:] if steps_mask else steps).sum(1),
        "e": end[last],
    }
    return sum(every[part] for part in parts)


def fixed_numbers(*shape, step):
    """Fixed numbers between -3 and 3 with nothing special about them."""
    return (torch.arange(torch.Size(shape).numel()) * step % 13 - 6.0).reshape(shape) / 2


def _probe(shows, tags, lengths, step):
    tags = torch.tensor(tags)
    batch, word = tags.shape
    mask = torch.arange(word) < torch.tensor(lengths)[:, None]
    emissions, transitions = fixed_numbers(batch, word, 3, step=step), fixed_numbers(3, 3, step=step + 1)
    start, end = fixed_numbers(3, step=step + 2) + 1, fixed_numbers(3, step=step + 3) - 1
    return Probe(shows, (emissions, transitions, start, end, tags, mask))


EXERCISE = Exercise(
    id="3.3",
    title="The score of a tag sequence",
    difficulty=3,
    importance=4,
    minutes=12,
    question="""
        A linear-chain CRF scores a whole tag sequence $y_1 \\ldots y_n$: an **emission** $P_{i, y_i}$ for each word, a
        **transition** $A_{y_i, y_{i+1}}$ for each step from a tag to the next one, a score for the first tag and one
        for the last: $start_{y_1} + \\sum_i P_{i, y_i} + \\sum_i A_{y_i, y_{i+1}} + end_{y_n}$. Write it for a batch.
        What stands at padding must not count.
        Before you run it: how many transitions has a sentence of one word?
    """,
    solution=path_score,
    why="n words have n emissions and n - 1 transitions; a single word has none. The last tag is that of the last real "
    "word: the tag in the last column may be padding.",
    hints=(
        "Take one row first, and cut it to its real words. What is left has no padding at all.",
        "Indexing with two lists picks one number per pair: rows from the first list, columns from the second.",
        "The tags without their last one and the tags without their first one, side by side, are the steps.",
    ),
    probes=(
        _probe("one sentence, no padding", [[0, 1, 2, 0]], [4], 5),
        _probe("two sentences, one of them padded", [[2, 1, 1, 0, 2], [1, 2, 0, 1, 1]], [5, 3], 3),
        _probe("a sentence of one word", [[2, 1, 1], [0, 1, 2]], [1, 3], 7),
    ),
    mistakes=(
        Mistake(
            "padding counts",
            "The score changes when a sentence is padded: emissions at padding are in the sum.",
            model=lambda *a: _score(*a, words_mask=False, steps_mask=False, end_at_last=False),
        ),
        Mistake(
            "emissions at padding count",
            "The score changes with the numbers at padding. The steps are right.",
            model=lambda *a: _score(*a, words_mask=False),
        ),
        Mistake(
            "steps into padding count",
            "A transition from the last real word into padding is in the sum.",
            model=lambda *a: _score(*a, steps_mask=False),
        ),
        Mistake(
            "the last column is taken for the last tag",
            "In a padded row the last column is no word. Where does the row really end?",
            model=lambda *a: _score(*a, end_at_last=False),
        ),
        Mistake(
            "the transitions are turned round",
            "A row of the table is the tag before, a column the tag after.",
            model=lambda emissions, transitions, *a: _score(emissions, transitions.T, *a),
        ),
        Mistake("start is missing", "The first tag has a score of its own.", lambda *a: _score(*a, parts="wte")),
        Mistake("end is missing", "The last tag has a score of its own.", lambda *a: _score(*a, parts="swt")),
        Mistake("start and end are missing", "The ends have scores too.", lambda *a: _score(*a, parts="wt")),
        Mistake(
            "the transitions are missing",
            "Without them each word is judged alone, and the CRF is a softmax per word.",
            model=lambda *a: _score(*a, parts="swe"),
        ),
        Mistake(
            "a probability instead of a score",
            "The exponential comes later, with the sum over all sequences. Here only the score is asked for.",
            model=lambda *a: path_score(*a).exp(),
        ),
        Mistake(
            "one score for the whole batch",
            "The rows are added up. Each row is a sentence with its own score.",
            model=lambda *a: path_score(*a).sum(),
        ),
    ),
)
