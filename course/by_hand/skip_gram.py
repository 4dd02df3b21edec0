"""Skip-gram with negative sampling: Mikolov et al. 2013, arXiv:1310.4546, equation 4."""

import torch
from torch import nn
from torch.nn import functional as F


def pairs(words, window):
    """(centre, context) for every word and each neighbour at most `window` away."""
    found = []
    for i, centre in enumerate(words):
        for j in range(max(0, i - window), min(len(words), i + window + 1)):
            if j != i:
                found.append((centre, words[j]))
    return found


class SkipGram(nn.Module):
    """Two tables with a row for each word: v for the word as a centre, u for the word as a context."""

    def __init__(self, n_words, dim):
        super().__init__()
        self.v, self.u = nn.Embedding(n_words, dim), nn.Embedding(n_words, dim)
        nn.init.uniform_(self.v.weight, -0.5 / dim, 0.5 / dim)
        nn.init.zeros_(self.u.weight)

    def forward(self, centre, context, negatives):
        """The loss in nats. centre, context: word ids [pair]; negatives: word ids [pair, K]"""
        v = self.v(centre)  # [pair, dim]
        true = (self.u(context) * v).sum(-1)  # [pair]: one dot product each
        false = torch.einsum("pkd,pd->pk", self.u(negatives), v)  # [pair, K]
        return -(F.logsigmoid(true) + F.logsigmoid(-false).sum(-1)).mean()


def train(model, pairs, counts, epochs, batch_size=1024, n_negatives=5, lr=1e-2):
    """Every pair once an epoch. pairs: word ids [pair, 2]; counts: how often each word occurs. Returns the losses."""
    noise = counts.float() ** 0.75
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    losses = []
    for _ in range(epochs):
        for batch in pairs[torch.randperm(len(pairs))].split(batch_size):
            centre, context = batch.T
            negatives = torch.multinomial(noise, n_negatives * len(batch), replacement=True).view(len(batch), -1)
            loss = model(centre, context, negatives)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    return losses
