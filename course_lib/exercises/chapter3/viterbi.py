"""Exercise 3.4: the best tag sequence. Source: Viterbi 1967; Rabiner 1989, section III.B (with backpointers)."""

import torch

from course_lib.exercises.chapter3.log_partition import log_partition
from course_lib.exercises.exercise import Exercise, Mistake, Probe


def viterbi(emissions: torch.Tensor, transitions: torch.Tensor, start: torch.Tensor, end: torch.Tensor) -> list[int]:
    """The tag sequence with the highest score. emissions [word, tag], transitions [from, to], start [tag], end [tag]"""
    best = start + emissions[0]
    pointers = []
    for emission in emissions[1:]:
        best, before = (best[:, None] + transitions).max(dim=0)
        best = best + emission
        pointers.append(before)
    path = [int((best + end).argmax())]
    for before in reversed(pointers):
        path.append(int(before[path[-1]]))
    return path[::-1]


def _left_to_right(emissions, transitions, start, end):
    """Decides each word when it comes: no way back."""
    path, before = [], start
    for emission, after in zip(emissions, [0] * (len(emissions) - 1) + [end], strict=True):
        path.append(int((before + emission + after).argmax()))
        before = transitions[path[-1]]
    return path


def _best_per_word(emissions, transitions, start, end):
    """Right scores, but the path is read off word by word, without backpointers."""
    best = [start + emissions[0]]
    for emission in emissions[1:]:
        best.append((best[-1][:, None] + transitions).amax(dim=0) + emission)
    best[-1] = best[-1] + end
    return [int(scores.argmax()) for scores in best]


def _marginal(emissions, transitions, start, end):
    """The most probable tag of each word, all other tags summed over."""
    with torch.enable_grad():
        emissions = emissions.clone().requires_grad_()
        total = log_partition(emissions, transitions, start, end)
        return torch.autograd.grad(total, emissions)[0].argmax(dim=1).tolist()


_BIO = torch.tensor([[0.0, 0.0, -9.0], [0.0, -1.0, 2.0], [0.0, -1.0, 1.0]])  # O, B-PER, I-PER: no I-PER after O
_OPEN = torch.tensor([[0.5, -1.0, 1.0], [2.0, 0.0, -1.5], [-1.0, 1.5, 0.5]])
EXERCISE = Exercise(
    id="3.4",
    title="Viterbi: the best tag sequence",
    difficulty=4,
    importance=4,
    minutes=20,
    question="""
        Three tags, a hundred words: $3^{100}$ sequences, and one has the highest score (exercise 3.3, for one sentence
        without padding). **Viterbi** finds it in one pass. For each tag keep the best score of all beginnings that end
        in it, and a **backpointer**: the tag before it in that beginning. At the end choose the best last tag, and walk
        back along the pointers.
        Before you run it: with the tags O, B-PER, I-PER, what can go wrong if each word takes its own best tag?
    """,
    solution=viterbi,
    why="The best beginning depends on the tag it ends in, and on nothing after. So one number and one pointer per tag "
    "are enough. Each word's own best tag can give O I-PER, a name that begins in its middle.",
    hints=(
        "Take two words and two tags, and list all four sequences. Which two beginnings can you drop after word two?",
        "At each word make a table [from, to]: the best score so far of the tag before, plus the transition.",
        "`max` along the axis `from` gives both what you need: the scores to go on with, and the pointers to keep. "
        "The scores of the last tag come in before you choose it.",
    ),
    probes=(
        Probe(
            "tags O, B-PER, I-PER; a step from O to I-PER costs 9",
            (torch.tensor([[1.0, 0.6, 0.0], [0.2, 0.5, 1.5], [1.5, 0.1, 0.0]]), _BIO, torch.zeros(3), torch.zeros(3)),
        ),
        Probe(
            "four words, scores at both ends",
            (
                torch.tensor([[0.0, 1.0, 0.5], [1.0, 0.0, 0.5], [0.2, 0.9, 1.0], [1.0, 0.3, 0.9]]),
                _OPEN,
                torch.tensor([2.0, 0.0, -1.0]),
                torch.tensor([-3.0, 0.0, 1.0]),
            ),
        ),
        Probe(
            "five words, scores at both ends",
            (
                torch.tensor([[0.5, 0.0, 0.4], [0.0, 2.0, 1.0], [1.5, 1.0, 0.0], [0.0, 0.3, 0.8], [0.7, 0.6, 0.1]]),
                _OPEN.roll(1, 0),
                torch.tensor([-1.0, 1.5, 0.0]),
                torch.tensor([-0.5, 2.5, -1.0]),
            ),
        ),
        Probe(
            "one word only",
            (torch.tensor([[1.0, 0.0, 0.5]]), _OPEN, torch.tensor([0.0, 0.0, 1.0]), torch.tensor([0.0, 2.0, 0.4])),
        ),
    ),
    mistakes=(
        Mistake(
            "each word takes its own best tag",
            "The transitions change nothing. Then O I-PER can come out, a name that begins in its middle.",
            model=lambda emissions, transitions, start, end: emissions.argmax(dim=1).tolist(),
        ),
        Mistake(
            "each word is decided when it comes",
            "A tag is chosen before the words after it are seen. A start that looks worse may win later.",
            model=_left_to_right,
        ),
        Mistake(
            "the path is read without backpointers",
            "Each word gets the tag with the best score so far. These tags may belong to different beginnings.",
            model=_best_per_word,
        ),
        Mistake(
            "the most probable tag of each word",
            "You sum over sequences where you should compare them. The best tags one by one are another question.",
            model=_marginal,
        ),
        Mistake(
            "the transitions are turned round",
            "A row of the table is the tag before, a column the tag after. Along which axis is the maximum?",
            model=lambda emissions, transitions, start, end: viterbi(emissions, transitions.T, start, end),
        ),
        Mistake(
            "start and end are missing",
            "The first and the last tag have scores of their own.",
            model=lambda emissions, transitions, start, end: viterbi(emissions, transitions, start * 0, end * 0),
        ),
        Mistake(
            "start is missing",
            "The first tag has a score of its own.",
            model=lambda emissions, transitions, start, end: viterbi(emissions, transitions, start * 0, end),
        ),
        Mistake(
            "end is missing",
            "The last tag has a score of its own: it comes in before the last tag is chosen.",
            model=lambda emissions, transitions, start, end: viterbi(emissions, transitions, start, end * 0),
        ),
        Mistake(
            "the path is not turned round",
            "You walk from the last word to the first. The result should begin with the first.",
            model=lambda *a: viterbi(*a)[::-1],
        ),
        Mistake(
            "the worst sequence",
            "This is the sequence with the lowest score.",
            model=lambda emissions, transitions, start, end: viterbi(-emissions, -transitions, -start, -end),
        ),
    ),
)
