"""Exercise 7.5: the loss of masked language modelling. Source: Devlin et al. 2018, arXiv:1810.04805, section 3.1, task
1; one table for input and output: Press & Wolf 2017, arXiv:1608.05859."""

import torch

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def masked_loss(states: torch.Tensor, labels: torch.Tensor, table: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """Nats for each place that is asked, one number. states [batch, piece, d_model]; labels [batch, piece]: the right
    piece, or -100 where nothing is asked; table [vocab, d_model]: the token table; bias [vocab]"""
    asked = labels != -100
    logits = states[asked] @ table.T + bias
    log_probabilities = logits.log_softmax(dim=-1)
    return -log_probabilities.gather(1, labels[asked][:, None]).mean()


def _logits(states, table, bias):
    return states @ table.T + bias


def _nats(logits, labels):
    """-log p of each label, in the shape of labels; an answer of -100 counts as piece 0."""
    return -logits.log_softmax(-1).gather(-1, labels.clamp(min=0)[..., None])[..., 0]


def _loss(logits=_logits, mean=lambda nats, asked: nats[asked].mean(), nats=_nats):
    """logits(states, table, bias); nats(logits, labels); mean(nats, asked), both [batch, piece]."""

    def model(states, labels, table, bias):
        return mean(nats(logits(states, table, bias), labels), labels != -100)

    return model


def _probability(logits, labels):
    return (-_nats(logits, labels)).exp()


def _over_places(logits, labels):
    """The softmax runs over all places of all rows that are asked."""
    asked = labels != -100
    spread = torch.zeros_like(logits)
    spread[asked] = logits[asked].log_softmax(0)
    return -spread.gather(-1, labels.clamp(min=0)[..., None])[..., 0]


def _over_row(logits, labels):
    return -logits.log_softmax(1).gather(-1, labels.clamp(min=0)[..., None])[..., 0]


def _bias_last(states, labels, table, bias):
    asked = labels != -100
    return (_nats(states @ table.T, labels)[asked] - bias[labels[asked]]).mean()


def _probe(shows, labels, d_model, vocab, step):
    labels = torch.tensor(labels)
    sizes = [labels.numel() * d_model, vocab * d_model, vocab]
    states, table, bias = ((torch.arange(sum(sizes)) * step % 31 - 14.0) / 12).split(sizes)
    return Probe(shows, (states.reshape(*labels.shape, d_model), labels, table.reshape(vocab, d_model), bias))


EXERCISE = Exercise(
    id="7.5",
    title="The loss where something is asked",
    difficulty=2,
    importance=5,
    minutes=12,
    question="""
        For each place that is asked, score all pieces: the product of the state with each row of the **token table**,
        the same table that is used as input, plus a bias for each piece. The softmax over pieces makes probabilities of
        it. The loss is the mean of $-\\log p(\\text{right piece})$ over all places of the batch with a label other than
        -100.
        (BERT's head has a dense layer and a layer norm before it; they are left out.)
        Before you run it: all states and biases are 0, and there are 8,192 pieces. What is the loss?
    """,
    solution=masked_loss,
    why="ln 8192 = 9.01: all pieces are equally probable. If the bias of each piece is the logarithm of its frequency, "
    "the loss begins at the entropy of single pieces instead, some nats lower. Scores at the chosen places only cost "
    "less than scores everywhere: in this course's BERT that saves a third of a training step.",
    hints=(
        "How many places are asked? Choose their states first: what shape is left?",
        "A product with the table turned on its side gives one score for each piece. Along which axis do probabilities "
        "sum to 1?",
        "A comparison picks places. Then: product plus bias, logarithm of the softmax over pieces, the entry of each "
        "label, minus the mean. torch's cross_entropy does the last three in one.",
    ),
    probes=(
        _probe("one place is asked", [[-100, 4, -100]], 3, 7, 5),
        _probe("two rows, unequally many", [[-100, 6, 2, -100, 9], [1, -100, -100, -100, -100]], 5, 11, 7),
        _probe("three rows, one of them without a question", [[3, -100], [-100, -100], [0, 4]], 2, 5, 3),
    ),
    mistakes=(
        Mistake(
            "divided by all places",
            "The sum is right, but it is divided by all places. The loss depends on how many are not asked.",
            model=_loss(mean=lambda nats, asked: nats[asked].sum() / asked.numel()),
        ),
        Mistake(
            "the sum instead of the mean",
            "A batch with more questions has a larger loss. Divide by their number.",
            model=_loss(mean=lambda nats, asked: nats[asked].sum()),
        ),
        Mistake(
            "each row counts the same",
            "The mean is taken in each row and then over rows. Each place that is asked counts the same.",
            model=_loss(
                mean=lambda nats, asked: torch.stack(
                    [row[own].mean() for row, own in zip(nats, asked, strict=True) if own.any()]
                ).mean()
            ),
        ),
        Mistake(
            "-100 is asked, too",
            "Places without a question take part, with piece 0 as the answer.",
            model=_loss(mean=lambda nats, asked: nats.mean()),
        ),
        Mistake(
            "piece 0 is left out",
            "An answer of 0 is dropped. Only -100 means that nothing is asked.",
            model=lambda states, labels, table, bias: _nats(_logits(states, table, bias), labels)[labels > 0].mean(),
        ),
        Mistake(
            "softmax over places",
            "The places that are asked compete with one another. At each place the pieces should compete.",
            model=_loss(nats=_over_places),
        ),
        Mistake(
            "softmax over the places of a row",
            "The places of a row compete with one another. At each place the pieces should compete.",
            model=_loss(nats=_over_row),
        ),
        Mistake(
            "two softmaxes",
            "Probabilities are treated as scores. cross_entropy and log_softmax want the scores themselves.",
            model=_loss(logits=lambda *a: _logits(*a).softmax(-1)),
        ),
        Mistake(
            "no bias",
            "The bias has no influence.",
            model=_loss(logits=lambda states, table, bias: states @ table.T),
        ),
        Mistake(
            "the bias comes after the softmax",
            "The bias is added to log probabilities, which then belong to no distribution. It is part of the score.",
            model=_bias_last,
        ),
        Mistake(
            "the sign",
            "The loss is below 0 and would be made smaller without end. A log probability needs a minus.",
            model=_loss(mean=lambda nats, asked: -nats[asked].mean()),
        ),
        Mistake(
            "no logarithm",
            "The mean of probabilities is returned. The loss is a mean of logarithms.",
            model=_loss(nats=_probability),
        ),
        Mistake(
            "the logarithm of the mean",
            "Probabilities are averaged first. One answer of probability 0 would then hardly matter.",
            model=_loss(nats=_probability, mean=lambda p, asked: -p[asked].mean().log()),
        ),
        Mistake(
            "bits instead of nats",
            "The logarithm is that of base 2. Here it is the natural one.",
            model=_loss(mean=lambda nats, asked: nats[asked].mean() / torch.tensor(2.0).log()),
        ),
        Mistake(
            "a number for each place",
            "There should be one number for the whole batch.",
            seen=lambda got, expected, *_: torch.as_tensor(got).ndim > 0,
        ),
    ),
)
