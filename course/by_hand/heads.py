"""One encoder, four heads, and the loop that moves them all. Devlin et al. 2019, arXiv:1810.04805, section 4."""

import torch
from torch import nn
from torch.nn import functional as F


class SentenceHead(nn.Module):
    """A label for a text, or for a pair of texts, from the state of [CLS]."""

    def __init__(self, dim, n_labels):
        super().__init__()
        self.output = nn.Linear(dim, n_labels)

    def forward(self, states):
        """[sentence, position, dim] -> logits [sentence, label]"""
        return self.output(states[:, 0])

    def loss(self, states, labels):
        return F.cross_entropy(self(states), labels)


class TokenHead(nn.Module):
    """A label for each word, from the state of its first token; -100 where a token has none."""

    def __init__(self, dim, n_labels):
        super().__init__()
        self.output = nn.Linear(dim, n_labels)

    def forward(self, states):
        """[sentence, position, dim] -> logits [sentence, position, label]"""
        return self.output(states)

    def loss(self, states, labels):
        return F.cross_entropy(self(states).flatten(0, 1), labels.flatten(), ignore_index=-100)


def fine_tune(encoder, head, inputs, answers, steps=60, lr=3e-3, head_lr=1e-2, batch_size=16):
    """Everything moves: the head reads the encoder's top states of the inputs, head.loss(states, *answers) judges.
    lr: of the encoder; 0 freezes it. inputs, answers: tuples of tensors, a row for each sentence."""
    groups = [{"params": head.parameters(), "lr": head_lr}, {"params": encoder.parameters(), "lr": lr}]
    optimizer = torch.optim.AdamW(groups, fused=True)  # one pass over all parameters: faster
    losses = []
    for _ in range(steps):
        batch = torch.randint(len(inputs[0]), (batch_size,))
        with torch.set_grad_enabled(lr > 0):
            states = encoder.states(*(part[batch] for part in inputs))[-1]
        loss = head.loss(states, *(part[batch] for part in answers))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


class SpanHead(nn.Module):
    """Where an answer begins and where it ends: two softmaxes over the positions of the passage."""

    def __init__(self, dim):
        super().__init__()
        self.output = nn.Linear(dim, 2)

    def forward(self, states, allowed):
        """allowed: True where an answer may be -> log-probabilities of begin and end [2, sentence, position]"""
        scores = self.output(states).movedim(-1, 0)
        return scores.masked_fill(~allowed, -torch.inf).log_softmax(-1)

    def loss(self, states, spans, allowed):
        """spans: the answers' first and last position [sentence, 2]"""
        return F.nll_loss(self(states, allowed).flatten(0, 1), spans.T.flatten())

    def best(self, states, allowed, longest=30):
        """The valid span with the highest probability: its end is not before its begin [sentence, 2]"""
        begin, end = self(states, allowed)
        scores = begin[:, :, None] + end[:, None]  # [sentence, begin, end]
        n = scores.shape[-1]
        valid = torch.ones(n, n, dtype=torch.bool).triu().tril(longest - 1)
        flat = scores.masked_fill(~valid, -torch.inf).flatten(1).argmax(1)
        return torch.stack([flat // n, flat % n], dim=1)
