"""TagLM: a tagger that reads the states of language models beside its words. Peters et al. 2017, arXiv:1705.00108."""

import torch
from torch import nn
from torch.nn import functional as F


class Tagger(nn.Module):
    """Two biLSTMs; the second one also reads the language models' states, if it is given any."""

    def __init__(self, n_words, n_tags, lm_dim=0, dim=64, hidden=32):
        super().__init__()
        self.embedding, self.dropout = nn.Embedding(n_words, dim), nn.Dropout(0.25)
        self.first = nn.LSTM(dim, hidden, batch_first=True, bidirectional=True)
        self.second = nn.LSTM(2 * hidden + lm_dim, hidden, batch_first=True, bidirectional=True)
        self.output = nn.Linear(2 * hidden, n_tags)

    def forward(self, ids, lm_states):
        """Word ids [word] and states [word, lm_dim] of one sentence -> logits [word, tag]"""
        x, _ = self.first(self.dropout(self.embedding(ids)))
        x = torch.cat([x, lm_states], dim=-1)  # what the labels taught, and what the text taught
        x, _ = self.second(self.dropout(x))
        return self.output(self.dropout(x))


def train_tagger(model, sentences, epochs=12, lr=3e-3):
    """sentences: a list of (ids [word], lm_states [word, lm_dim], tags [word]); one sentence a step."""
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    for _ in range(epochs):
        for i in torch.randperm(len(sentences)).tolist():
            ids, lm_states, tags = sentences[i]
            loss = F.cross_entropy(model(ids, lm_states), tags)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return model.eval()
