"""Exercise 8.1: how many parameters are new for a task. Source: Devlin et al. 2019, arXiv:1810.04805, sections 4.1 and
4.2; a pair read apart: Conneau et al. 2017, arXiv:1705.02364, section 3.1."""

from course.check.exercise import Exercise, Probe


def head_size(task: str, n_labels: int, width: int, n_pieces: int, n_body: int) -> int:
    """How many parameters a head has. task: "sentence", "pair", "pair apart", "tokens" or "span"; width: numbers of a
    state; n_pieces: the longest row; n_body: parameters of the body. A span has no labels: n_labels is 0 there.
    head_size("sentence", 3, 10, 128, 1_000_000) -> 33"""
    n_outputs = 2 if task == "span" else n_labels
    n_inputs = 4 * width if task == "pair apart" else width
    return n_outputs * (n_inputs + 1)


def _size(outputs=None, vectors=None, bias=lambda n, task: n, more=lambda task, width, n_body: 0):
    """outputs, vectors: what is taken for some tasks, as {task: f(n_labels, n_pieces)}; bias(outputs, task) numbers."""

    def model(task, n_labels, width, n_pieces, n_body):
        usual = 2 if task == "span" else n_labels
        n = outputs[task](n_labels, n_pieces) if outputs and task in outputs else usual
        parts = {"pair apart": 4, **(vectors or {})}.get(task, 1)
        return n * parts * width + bias(n, task) + more(task, width, n_body)

    return model


def _pooled(tasks):
    return _size(more=lambda task, width, n_body: width * (width + 1) * (task in tasks))


_TASKS = ("sentence", "pair", "pair apart", "tokens")
PROBES = [
    Probe("two labels for a sentence", "sentence", 2, 768, 512, 109_482_240),
    Probe("nine tags for names", "tokens", 9, 768, 512, 109_482_240),
    Probe("a span", "span", 0, 768, 384, 109_482_240),
    Probe("a pair in one pass", "pair", 3, 1024, 128, 335_141_888),
    Probe("a pair read apart", "pair apart", 3, 128, 31, 1_700_000),
    Probe("a small body", "tokens", 5, 7, 11, 1_301),
]
MISTAKES = [
    ("the biases are missing", _size(bias=lambda n, task: 0)),
    (
        "one bias for all outputs",
        _size(bias=lambda n, task: 1),
        _size(bias=lambda n, task: n if task == "span" else 1),
    ),
    ("a span has one bias", _size(bias=lambda n, task: 1 if task == "span" else n)),
    ("the body is counted", _size(more=lambda task, width, n_body: n_body)),
    ("the pooler is counted", *map(_pooled, [(*_TASKS, "span"), ("sentence",), ("sentence", "pair")])),
    ("weights for each place", _size({"tokens": lambda k, n: k * n, "span": lambda k, n: 2 * n})),
    ("weights for each place of a tagged row", _size({"tokens": lambda k, n: k * n})),
    ("a span has as many outputs as places", _size({"span": lambda k, n: 2 * n})),
    ("a span has labels", _size({"span": lambda k, n: k})),
    ("one output for a span", _size({"span": lambda k, n: 1})),
    ("start, end and inside", _size({"span": lambda k, n: 3})),
    ("a pair apart is one vector", _size(vectors={"pair apart": 1})),
    ("a pair apart is two vectors", _size(vectors={"pair apart": 2})),
    ("a pair in one pass is two vectors", _size(vectors={"pair": 2})),
    ("every pair is four vectors", _size(vectors={"pair": 4})),
    (
        "a bias for each of the four vectors",
        lambda task, k, *a: head_size(task, k, *a) + 3 * k * (task == "pair apart"),
    ),
    ("one label fewer", _size({task: lambda k, n: k - 1 for task in _TASKS})),
    ("two labels share an output", _size({task: lambda k, n: 1 if k == 2 else k for task in _TASKS})),
]
EXERCISE = Exercise("8.1", head_size, PROBES, MISTAKES, difficulty=1, importance=4, minutes=8)
