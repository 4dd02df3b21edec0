"""A language model of two LSTM layers, and what its states know of a sentence: Peters et al. 2017, section 2.3."""

import torch
from torch import nn
from torch.nn import functional as F


class LanguageModel(nn.Module):
    """The probability of each next word, from the words so far."""

    def __init__(self, n_words, dim=64):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.lstms = nn.ModuleList(nn.LSTM(dim, dim, batch_first=True) for _ in range(2))
        self.output = nn.Linear(dim, n_words)

    def layers(self, ids):
        """Word ids [sentence, position] -> the table's rows and both LSTMs' states [layer, sentence, position, dim]"""
        x = self.embedding(ids)
        first, _ = self.lstms[0](x)
        second, _ = self.lstms[1](first)
        return torch.stack([x, first, second])

    def forward(self, ids):
        """Word ids [sentence, position] -> logits of the word that follows [sentence, position, word]"""
        return self.output(self.layers(ids)[-1])


def train(model, text, steps=600, batch_size=16, length=24, lr=1e-2):
    """text: the word ids of a whole text, one after the other. Returns the losses, in nats a word."""
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    losses = []
    for step in range(steps):
        starts = torch.randint(len(text) - length, (batch_size,)).tolist()
        rows = torch.stack([text[start : start + length + 1] for start in starts])
        read, following = rows[:, :-1], rows[:, 1:]  # the text is its own label, shifted by one
        loss = F.cross_entropy(model(read).flatten(0, 1), following.flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.param_groups[0]["lr"] = lr * (1 - step / steps)  # smaller and smaller steps
        optimizer.step()
        losses.append(loss.item())
    return losses


@torch.no_grad()
def both_ways(forward, backward, ids):
    """States of two language models side by side [layer, word, 2 dim]; ids: one sentence between two boundaries."""
    ahead = forward.layers(ids[None])[:, 0]  # [layer, position, dim]
    back = backward.layers(ids.flip(0)[None])[:, 0].flip(1)  # read from the end, put back into the sentence's order
    return torch.cat([ahead, back], dim=-1)[:, 1:-1]
