"""Embedding layer, RNN, softmax: a label for each word. Elman 1990, "Finding structure in time"."""

import torch
from torch import nn
from torch.nn import functional as F


class RNN(nn.Module):
    """h_k = tanh(W x_k + b + U h_{k-1}): each state is made from a word's vector and the state before it."""

    def __init__(self, dim, hidden):
        super().__init__()
        self.W, self.U = nn.Linear(dim, hidden), nn.Linear(hidden, hidden, bias=False)

    def forward(self, x):
        """x: vectors [sentence, position, dim] -> states [sentence, position, hidden]"""
        h, states = x.new_zeros(len(x), self.U.in_features), []
        for k in range(x.shape[1]):
            h = torch.tanh(self.W(x[:, k]) + self.U(h))
            states.append(h)
        return torch.stack(states, dim=1)


class Classifier(nn.Module):
    """A label for each word: from its row of the table alone (hidden=0), or from an RNN over these rows."""

    def __init__(self, n_words, dim, n_labels, hidden=0):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.rnn = RNN(dim, hidden) if hidden else nn.Identity()
        self.output = nn.Linear(hidden or dim, n_labels)

    def forward(self, ids):
        """Word ids [sentence, position] -> logits [sentence, position, label], before a softmax"""
        return self.output(self.rnn(self.embedding(ids)))


def train(model, x, labels, groups=None, steps=400, lr=1e-2):
    """x: what the model reads, one row a sentence; labels: label ids [sentence, position], -100 where there is none.
    groups: the optimizer's parameter groups, each with a learning rate of its own if it names one. Returns the losses.
    """
    optimizer = torch.optim.Adam(groups or [p for p in model.parameters() if p.requires_grad], lr=lr)
    losses = []
    for _ in range(steps):
        batch = torch.randint(len(x), (16,))
        loss = F.cross_entropy(model(x[batch]).flatten(0, 1), labels[batch].flatten(), ignore_index=-100)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
