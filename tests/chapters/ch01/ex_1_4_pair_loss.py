"""Wrong answers to exercise 1.4 as readers write them, each with the mistake that must be named."""

import torch
from torch.nn.functional import cross_entropy


def log_sigmoid(score):
    return torch.where(score < 0, score - torch.log1p(torch.exp(score)), -torch.log1p(torch.exp(-score)))


def of_scores(loss):
    """loss(score of the context, scores of the negatives)"""
    return lambda inputs, outputs, centre, context, negatives: loss(
        outputs[context] @ inputs[centre], outputs[negatives] @ inputs[centre]
    )


def right(context, negatives):
    return -log_sigmoid(context) - log_sigmoid(-negatives).sum()


WRONG = [
    (of_scores(lambda pos, neg: -log_sigmoid(torch.cat([pos[None], neg])).sum()), "the negatives have the wrong sign"),
    (of_scores(lambda pos, neg: -log_sigmoid(pos) - log_sigmoid(-neg).mean()), "the mean over the negatives"),
    (of_scores(lambda pos, neg: right(pos.sigmoid(), -torch.sigmoid(-neg))), "the sigmoid is applied twice"),
    (lambda inputs, outputs, *ids: of_scores(right)(inputs, inputs, *ids), "one table for both"),
    (
        of_scores(lambda pos, neg: cross_entropy(torch.cat([pos[None], neg])[None], torch.tensor([0]))),
        "a softmax over the drawn words",
    ),
    (of_scores(lambda pos, neg: -right(pos, neg)), "the sign of the whole loss"),
    (
        of_scores(lambda pos, neg: -torch.log(torch.sigmoid(pos)) - torch.log(1 - torch.sigmoid(neg)).sum()),
        "the logarithm of a sigmoid that became 0",
    ),
]
