"""Exercise 8.1: how many parameters are new for a task. Source: Devlin et al. 2019, arXiv:1810.04805, sections 4.1 and
4.2; a pair read apart: Conneau et al. 2017, arXiv:1705.02364, section 3.1."""

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def head_size(task: str, n_labels: int, width: int, n_pieces: int, n_body: int) -> int:
    """How many parameters a head has. task: "sentence", "pair", "pair apart", "tokens" or "span"; width: numbers of a
    state; n_pieces: the longest row; n_body: parameters of the body. A span has no labels: n_labels is 0 there"""
    n_outputs = 2 if task == "span" else n_labels
    n_inputs = 4 * width if task == "pair apart" else width
    return n_outputs * (n_inputs + 1)


def _size(outputs=None, vectors=None, bias=lambda n: n, more=lambda width, n_body: 0):
    """outputs, vectors: what is taken for some tasks, as {task: f(n_labels, n_pieces)}; bias(outputs) numbers."""

    def model(task, n_labels, width, n_pieces, n_body):
        usual = 2 if task == "span" else n_labels
        n = outputs[task](n_labels, n_pieces) if outputs and task in outputs else usual
        parts = {"pair apart": 4, **(vectors or {})}.get(task, 1)
        return n * parts * width + bias(n) + more(width, n_body)

    return model


_TASKS = ("sentence", "pair", "pair apart", "tokens")
EXERCISE = Exercise(
    id="8.1",
    title="How small is a head?",
    difficulty=1,
    importance=4,
    minutes=8,
    question="""
        A head is one linear layer **with biases**. For a `sentence`, and for a `pair` that is read in one pass, it
        reads one vector, that of `[CLS]`. For a `pair apart` it reads $[u; v; |u - v|; u * v]$, with $u$ and $v$ the
        vectors of the two sides. For `tokens` it reads each state by itself, always with the same weights. These four
        give a number for each label. For a `span` it says of each state how well the answer starts there and how well
        it ends there. How many parameters are new? Not all that you are given is needed.
        Before you run it: two sides of a pair are read apart, each with a vector of 768 numbers. How many parameters
        has the head for two labels?
    """,
    solution=head_size,
    why="6,146 = 2 (4 · 768 + 1): four vectors side by side, and still only two biases. Read in one pass it would be "
    "1,538 = 2 (768 + 1). That is all that starts at random; the rest of the network only moves on from where "
    "pre-training left it. Neither the length of a row nor the size of the body counts: only the width of a state "
    "and the number of outputs.",
    hints=(
        "Two numbers decide: how many numbers the layer reads, and how many it gives. Which of them does the task set?",
        "For a span there are two outputs for each state. For a pair read apart, four vectors stand side by side.",
        "Each output has a weight for each number that is read, and one bias.",
    ),
    probes=(
        Probe("two labels for a sentence", ("sentence", 2, 768, 512, 109_482_240)),
        Probe("nine tags for names", ("tokens", 9, 768, 512, 109_482_240)),
        Probe("a span", ("span", 0, 768, 384, 109_482_240)),
        Probe("a pair in one pass", ("pair", 3, 1024, 128, 335_141_888)),
        Probe("a pair read apart", ("pair apart", 3, 128, 31, 1_700_000)),
        Probe("a small body", ("tokens", 5, 7, 11, 1_301)),
    ),
    mistakes=(
        Mistake(
            "the biases are missing",
            "Each output has one number more than it reads.",
            model=_size(bias=lambda n: 0),
        ),
        Mistake(
            "one bias for all outputs",
            "The outputs share a bias. Each has its own.",
            model=_size(bias=lambda n: 1),
        ),
        Mistake(
            "the body is counted",
            "The parameters of the body are in it. They were trained before: asked is what is new.",
            model=_size(more=lambda width, n_body: n_body),
        ),
        Mistake(
            "the pooler is counted",
            "A layer from a state to a state is in it. BERT's pooler has been pre-trained and belongs to the body.",
            model=_size(more=lambda width, n_body: width * (width + 1)),
        ),
        Mistake(
            "weights for each place",
            "More pieces give more parameters. One layer reads all places, each by itself.",
            model=_size({"tokens": lambda k, n: k * n, "span": lambda k, n: 2 * n}),
        ),
        Mistake(
            "weights for each place of a tagged row",
            "For tokens, more pieces give more parameters. One layer reads all places, each by itself.",
            model=_size({"tokens": lambda k, n: k * n}),
        ),
        Mistake(
            "a span has as many outputs as places",
            "The start is chosen among all places, but each place gets its score from the same weights.",
            model=_size({"span": lambda k, n: 2 * n}),
        ),
        Mistake(
            "a span has labels",
            "n_labels is used for the span. A span asks two things of each state, whatever the text.",
            model=_size({"span": lambda k, n: k}),
        ),
        Mistake(
            "one output for a span",
            "One number for each state cannot say where the answer starts and where it ends.",
            model=_size({"span": lambda k, n: 1}),
        ),
        Mistake(
            "start, end and inside",
            "A third output for a span. What lies between start and end needs no score.",
            model=_size({"span": lambda k, n: 3}),
        ),
        Mistake(
            "a pair apart is one vector",
            "The head for a pair read apart is as small as that for a sentence. It reads four vectors side by side.",
            model=_size(vectors={"pair apart": 1}),
        ),
        Mistake(
            "a pair apart is two vectors",
            "For a pair read apart, only u and v are counted. Difference and product are read as well.",
            model=_size(vectors={"pair apart": 2}),
        ),
        Mistake(
            "every pair is four vectors",
            "A pair in one pass has one [CLS], which has read both sides.",
            model=_size(vectors={"pair": 4}),
        ),
        Mistake(
            "a bias for each of the four vectors",
            "For a pair read apart there are too many biases. The four vectors are one long input.",
            model=lambda task, k, width, n, body: (
                4 * k * (width + 1) if task == "pair apart" else head_size(task, k, width, n, body)
            ),
        ),
        Mistake(
            "one label fewer",
            "The last label has no weights. It could do without, but this head gives each label a score.",
            model=_size({task: lambda k, n: k - 1 for task in _TASKS}),
        ),
        Mistake(
            "two labels share an output",
            "Two labels have one score, as before a sigmoid. Here each label has its own, for the softmax.",
            model=_size({task: lambda k, n: 1 if k == 2 else k for task in _TASKS}),
        ),
    ),
)
