"""Exercise 4.3: a highway layer. Source: Srivastava et al. 2015, arXiv:1505.00387, section 2."""

import torch

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def highway(
    x: torch.Tensor,
    transform: torch.Tensor,
    transform_bias: torch.Tensor,
    carry: torch.Tensor,
    carry_bias: torch.Tensor,
) -> torch.Tensor:
    """[word, dim]. x [word, dim]; transform, carry [out, in]: weights of two linear layers, stored as in nn.Linear;
    transform_bias, carry_bias [out]"""
    gate = torch.sigmoid(x @ carry.T + carry_bias)
    return gate * x + (1 - gate) * torch.relu(x @ transform.T + transform_bias)


def _layer(x, transform, transform_bias, carry, carry_bias, *, squash=torch.sigmoid, bend=torch.relu, mix=None):
    gate = squash(x @ carry.T + carry_bias)
    new = bend(x @ transform.T + transform_bias)
    return mix(gate, x, new) if mix else gate * x + (1 - gate) * new


def _probe(shows, word, dim, step):
    total = word * dim + 2 * dim * dim + 2 * dim
    numbers = (torch.arange(total) * step % 17 - 8.0) / 5
    x, transform, transform_bias, carry, carry_bias = numbers.split([word * dim, dim * dim, dim, dim * dim, dim])
    return Probe(
        shows, (x.reshape(word, dim), transform.reshape(dim, dim), transform_bias, carry.reshape(dim, dim), carry_bias)
    )


EXERCISE = Exercise(
    id="4.3",
    title="A highway layer",
    difficulty=2,
    importance=3,
    minutes=8,
    question="""
        After the maximum over characters come highway layers. Each one may change a number, or let it pass. A linear
        layer and a sigmoid give the **carry gate** $c$, one number between 0 and 1 per dimension. A second linear layer
        and a ReLU give the new value $t$. The output is $c \\odot x + (1 - c) \\odot t$, dimension by dimension.
        Write it in PyTorch; the weights are stored as in `nn.Linear`, [out, in].
        Before you run it: the carry bias is very large. What does the layer do?
    """,
    solution=highway,
    why="With a large carry bias every gate is 1 and the layer copies its input. That is a good start for training: "
    "the layer changes little at first. What ELMo's code calls carry is the other gate, 1 - c.",
    hints=(
        "Name the three vectors: what came in, what the gate says, what the layer would put in its place.",
        "`nn.Linear` stores [out, in]. On which side does the weight stand, and is it turned round?",
        "Gate times input, plus the rest of the gate times the new value. Only the new value has a ReLU.",
    ),
    probes=(
        _probe("three words of four dimensions", 3, 4, 5),
        _probe("two words of five dimensions", 2, 5, 7),
        _probe("one word", 1, 3, 11),
    ),
    mistakes=(
        Mistake(
            "the gate is turned round",
            "Where the carry gate is 1 the input should pass unchanged. Here it is replaced.",
            model=lambda *a: _layer(*a, mix=lambda gate, x, new: gate * new + (1 - gate) * x),
        ),
        Mistake(
            "the gate has no sigmoid",
            "The gate is not between 0 and 1, so the output is no mixture.",
            model=lambda *a: _layer(*a, squash=lambda z: z),
        ),
        Mistake(
            "the gate is a softmax",
            "The dimensions compete for one gate. Each has a gate of its own: a sigmoid.",
            model=lambda *a: _layer(*a, squash=lambda z: z.softmax(-1)),
        ),
        Mistake(
            "the ReLU is missing",
            "The new value can be below 0. Without the bend two layers are little more than one.",
            model=lambda *a: _layer(*a, bend=lambda z: z),
        ),
        Mistake(
            "the ReLU is around everything",
            "No output is below 0, although the input may pass with its sign. The ReLU belongs to the new value only.",
            model=lambda *a: _layer(*a, bend=lambda z: z).relu(),
        ),
        Mistake(
            "a residual connection",
            "The input is added whole, whatever the gate says. What the new value takes, the input gives up.",
            model=lambda *a: _layer(*a, mix=lambda gate, x, new: x + (1 - gate) * new),
        ),
        Mistake(
            "a residual connection",
            "The new value is added whole, whatever the gate says. Its share is what the gate leaves.",
            model=lambda *a: _layer(*a, mix=lambda gate, x, new: gate * x + new),
        ),
        Mistake(
            "the weights are not turned round",
            "The weights are stored as [out, in]. Multiplied from the right they need the other order.",
            model=lambda x, transform, tb, carry, cb: _layer(x, transform.T, tb, carry.T, cb),
        ),
        Mistake(
            "the biases are missing",
            "With a large carry bias the layer should copy its input, and does not.",
            model=lambda x, transform, tb, carry, cb: _layer(x, transform, tb * 0, carry, cb * 0),
        ),
        Mistake(
            "both gates come from the same layer",
            "The gate uses the transform's weights. It has weights of its own.",
            model=lambda x, transform, tb, carry, cb: _layer(x, transform, tb, transform, tb),
        ),
    ),
)
