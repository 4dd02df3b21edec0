"""Exercise 2.2: the gradient of the table of an embedding layer."""

import torch

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def row_gradient(ids: torch.Tensor, output_gradient: torch.Tensor, vocabulary_size: int) -> torch.Tensor:
    """The gradient of the table, [word, dim]. ids [*place]: the rows that were looked up;
    output_gradient [*place, dim]: the gradient of the loss for each looked-up vector."""
    gradient = output_gradient.new_zeros(vocabulary_size, output_gradient.shape[-1])
    return gradient.index_add(0, ids.flatten(), output_gradient.flatten(0, -2))


def _places(ids, output_gradient):
    return zip(ids.flatten().tolist(), output_gradient.flatten(0, -2), strict=True)


def _last_one_stays(ids, output_gradient, vocabulary_size):
    table = torch.zeros(vocabulary_size, output_gradient.shape[-1])
    for i, row in _places(ids, output_gradient):
        table[i] = row
    return table


def _mean(ids, output_gradient, vocabulary_size):
    counts = ids.flatten().bincount(minlength=vocabulary_size).clamp(min=1)
    return row_gradient(ids, output_gradient, vocabulary_size) / counts[:, None]


def _without_row_0(*inputs):
    table = row_gradient(*inputs)
    table[0] = 0
    return table


def _gradient(*shape):
    """Gradients with nothing special about them; no two numbers are alike."""
    numbers = torch.arange(1.0, 1 + torch.Size(shape).numel())
    return (numbers.sqrt() - 2.5).reshape(shape)


EXERCISE = Exercise(
    id="2.2",
    title="Which rows learn",
    difficulty=3,
    importance=5,
    minutes=10,
    question="""
        In a training step the rows of some words are looked up, and backpropagation hands you the gradient of the loss
        for each **looked-up vector**. The optimizer needs the gradient of the **table**. Write the function that makes
        one from the other, without `backward`. The ids may be one sentence `[unit]` or a batch `[batch, unit]`.
        Before you run it: "the" stands three times in the batch, "pear" never. What reaches each of their two rows?
    """,
    solution=row_gradient,
    why="A row that is used three times changes the loss in three places, and the derivative is their sum. Words that "
    "are not in the batch get zeros, and plain SGD leaves them where they are. (Adam still moves a row that was used "
    "before: it remembers past gradients.)",
    hints=(
        "Begin with a table of zeros. Which rows of it change, and how often can one row be met?",
        "Every place of the text brings its gradient to the row of its word. What is there already must not be lost.",
        "`table[ids] += ...` writes each row once only, even if an id is repeated. PyTorch's index_add adds every "
        "time; it wants one axis of ids, so flatten a batch first.",
    ),
    probes=(
        Probe("three different words", (torch.tensor([4, 1, 6]), _gradient(3, 5), 7)),
        Probe("a word that occurs three times", (torch.tensor([2, 5, 2, 3, 2]), _gradient(5, 3), 7)),
        Probe(
            "a batch in which two sentences share a word", (torch.tensor([[1, 4, 3], [4, 2, 1]]), _gradient(2, 3, 5), 7)
        ),
        Probe("the word with id 0", (torch.tensor([0, 3]), _gradient(2, 3), 5)),
    ),
    mistakes=(
        Mistake(
            "the last occurrence overwrites the others",
            "A word that occurs several times gets the gradient of its last place alone. Indexing with a list of ids "
            "assigns each row once, with += as well. The gradients of a row must add up.",
            model=_last_one_stays,
        ),
        Mistake(
            "only the first occurrence counts",
            "A word that occurs several times gets the gradient of its first place alone. They must add up.",
            model=lambda ids, g, n: _last_one_stays(ids.flatten().flip(0), g.flatten(0, -2).flip(0), n),
        ),
        Mistake(
            "the mean over the occurrences",
            "A frequent word gets the mean of its gradients. A row acts in all its places, so the gradients add up.",
            model=_mean,
        ),
        Mistake(
            "divided by the number of places",
            "Every number is too small by one factor. If the loss is a mean, the gradients you are given hold that "
            "division already.",
            model=lambda ids, *a: row_gradient(ids, *a) / ids.numel(),
        ),
        Mistake(
            "unused rows are left out",
            "The result has one row per word of the batch. The table has one per word of the vocabulary: rows that "
            "were not used are zeros.",
            model=lambda ids, *a: row_gradient(ids, *a)[ids.unique()],
        ),
        Mistake(
            "every row gets the whole gradient",
            "All rows are alike, those of absent words included. A gradient belongs to the row that was looked up.",
            model=lambda *a: row_gradient(*a).sum(dim=0).expand(a[-1], -1),
        ),
        Mistake(
            "row 0 gets no gradient",
            "The row of id 0 stays at 0. That is right for a padding row only, and here id 0 is a word.",
            model=_without_row_0,
        ),
        Mistake(
            "the sign is turned",
            "This is the direction in which SGD moves the rows. The gradient points the other way.",
            model=lambda *a: -row_gradient(*a),
        ),
    ),
)
