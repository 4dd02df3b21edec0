"""ULMFiT's third stage: a pre-trained language model becomes a classifier. Howard and Ruder 2018, arXiv:1801.06146."""

import torch
from torch import nn
from torch.nn import functional as F


class Encoder(nn.Module):
    """A language model without its softmax. dims: the width of its word vectors, then of each LSTM"""

    def __init__(self, n_words, dims):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dims[0])
        widths = [(dims[i], dims[i + 1]) for i in range(len(dims) - 1)]  # what each LSTM reads, and what it gives
        self.lstms = nn.ModuleList(nn.LSTM(*width, batch_first=True) for width in widths)
        self.layers = [*reversed(self.lstms), self.embedding]  # what can be trained, from the top down

    def forward(self, ids):
        """Word ids [text, word] -> the states of the top layer [text, word, dim]"""
        x = self.embedding(ids)
        for lstm in self.lstms:
            x, _ = lstm(x)
        return x


def from_shipped(theirs):
    """An Encoder with the weights of a shipped AWD-LSTM, each found by its name there; no dropout."""
    encoder = Encoder(len(theirs.embedding.weight), theirs.dims)
    weights = {their_name.replace(".lstm.", "."): w for their_name, w in theirs.state_dict().items()}
    weights.pop("softmax.bias")  # the one part of the softmax that is not the word table once more
    encoder.load_state_dict(weights)
    return encoder


def concat_pool(states, real):
    """A text's last state, the maximum and the mean over its words. The paper's section 3.3.
    states [text, word, dim], real: True at words, False at padding -> [text, 3 dim]"""
    last = states[torch.arange(len(states)), real.sum(1) - 1]
    highest = states.masked_fill(~real[..., None], -torch.inf).amax(1)
    mean = (states * real[..., None]).sum(1) / real.sum(1, keepdim=True)
    return torch.cat([last, highest, mean], dim=-1)


def new_head(dim, n_labels, hidden=50):
    """What is new in the third stage, and random at first: from 3 dim numbers to a logit for each label."""
    return nn.Sequential(nn.BatchNorm1d(3 * dim), nn.Linear(3 * dim, hidden), nn.ReLU(), nn.Linear(hidden, n_labels))


def slanted_triangle(step, steps, cut=0.1, ratio=32):
    """The share of the full rate at a step: up in the first tenth, then slowly down. The paper's equation 3."""
    up, down = step / (cut * steps), (steps - step) / ((1 - cut) * steps)
    return (1 + min(up, down) * (ratio - 1)) / ratio


def fine_tune(lm, head, ids, real, labels, steps=300, lr=1e-2, factor=2.6, gradual=True):
    """Discriminative rates: each layer below learns factor times more slowly. Gradual unfreezing: one after the other.
    lm: ids -> states [text, word, dim], with `.layers`, its trainable parts from the top down. Returns the losses."""
    parts = [head, *lm.layers]
    groups = [{"params": part.parameters(), "lr": lr / factor**k} for k, part in enumerate(parts)]
    optimizer = torch.optim.Adam(groups, betas=(0.7, 0.99))
    losses = []
    for step in range(steps):
        for k, part in enumerate(parts):
            part.requires_grad_(not gradual or step >= k * steps / 10)  # the head at once, the word table last
        for k, group in enumerate(optimizer.param_groups):
            group["lr"] = lr / factor**k * slanted_triangle(step, steps)
        batch = torch.randint(len(ids), (16,))
        loss = F.cross_entropy(head(concat_pool(lm(ids[batch]), real[batch])), labels[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
