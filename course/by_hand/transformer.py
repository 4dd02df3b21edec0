"""The Transformer: attention, its two kinds of stack, a language model, a translator. Vaswani et al. 2017."""

import torch
from torch import nn
from torch.nn import functional as F


class Attention(nn.Module):
    """Each position of x takes what it needs of the context, by several heads. The paper's section 3.2, equation 1."""

    def __init__(self, dim, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.query, self.key, self.value, self.output = (nn.Linear(dim, dim) for _ in range(4))

    def forward(self, x, context, allowed):
        """x [sentence, query, dim], context [sentence, key, dim], allowed: True where a query may look at a key."""
        q, k, v = self.query(x), self.key(context), self.value(context)
        q, k, v = (part.unflatten(-1, (self.n_heads, -1)).transpose(1, 2) for part in (q, k, v))
        scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5  # [sentence, head, query, key]
        self.weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1)
        return self.output((self.weights @ v).transpose(1, 2).flatten(-2))  # the heads side by side again


def causal(n):
    """Query k may look at the keys 0 .. k, and at nothing that comes after it [query, key]."""
    return torch.ones(n, n, dtype=torch.bool).tril()


class Block(nn.Module):
    """Attention, in a decoder attention to the source, and a feed-forward network, each added to what was there.
    pre_norm: the layer norm is before each part, as in most models of today; else after the sum, as in 2017."""

    def __init__(self, dim, n_heads, inner, cross=False, pre_norm=True, activation=nn.ReLU, eps=1e-5):
        super().__init__()
        self.pre_norm = pre_norm
        self.attention, self.norm_1 = Attention(dim, n_heads), nn.LayerNorm(dim, eps)
        self.feed_forward = nn.Sequential(nn.Linear(dim, inner), activation(), nn.Linear(inner, dim))
        self.norm_2 = nn.LayerNorm(dim, eps)
        if cross:
            self.cross, self.norm_3 = Attention(dim, n_heads), nn.LayerNorm(dim, eps)

    def add(self, x, norm, part):
        return x + part(norm(x)) if self.pre_norm else norm(x + part(x))

    def forward(self, x, allowed, source=None, source_allowed=None):
        x = self.add(x, self.norm_1, lambda y: self.attention(y, y, allowed))
        if source is not None:
            x = self.add(x, self.norm_3, lambda y: self.cross(y, source, source_allowed))
        return self.add(x, self.norm_2, self.feed_forward)


def sinusoids(n, dim):
    """A vector for each of n positions [position, dim]: waves of many lengths. The paper's section 3.5."""
    angle = torch.arange(n)[:, None] / 10_000 ** (torch.arange(0, dim, 2) / dim)
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1)


class LanguageModel(nn.Module):
    """Chapter 3's language model with another body: blocks of attention in the place of LSTMs."""

    def __init__(self, n_words, dim=64, n_heads=4, n_layers=2):
        super().__init__()
        self.embedding, self.norm = nn.Embedding(n_words, dim), nn.LayerNorm(dim)
        self.blocks = nn.ModuleList(Block(dim, n_heads, 4 * dim) for _ in range(n_layers))
        self.output = nn.Linear(dim, n_words)

    def layers(self, ids):
        """Word ids [sentence, position] -> [layer, sentence, position, dim]"""
        states = [self.embedding(ids) + sinusoids(ids.shape[1], self.embedding.embedding_dim)]
        for block in self.blocks:
            states.append(block(states[-1], causal(ids.shape[1])))
        return torch.stack([*states[:-1], self.norm(states[-1])])

    def forward(self, ids):
        return self.output(self.layers(ids)[-1])


class Translator(nn.Module):
    """Encoder and decoder over one table of words; id 0 is padding, 1 begins a sentence, 2 ends it."""

    def __init__(self, n_words, dim=128, n_heads=4, n_layers=2):
        super().__init__()
        self.embedding, self.dim = nn.Embedding(n_words, dim), dim
        nn.init.normal_(self.embedding.weight, std=dim**-0.5)
        self.encoder = nn.ModuleList(Block(dim, n_heads, 4 * dim) for _ in range(n_layers))
        self.decoder = nn.ModuleList(Block(dim, n_heads, 4 * dim, cross=True) for _ in range(n_layers))
        self.source_norm, self.target_norm = nn.LayerNorm(dim), nn.LayerNorm(dim)

    def embed(self, ids):
        return self.embedding(ids) * self.dim**0.5 + sinusoids(ids.shape[1], self.dim)

    def forward(self, source, target):
        """Word ids [sentence, position] -> logits of the word that follows each target word"""
        x, real = self.embed(source), (source != 0)[:, None, None]  # [sentence, head, query, key]
        for block in self.encoder:
            x = block(x, real)
        y, source_states = self.embed(target), self.source_norm(x)
        for block in self.decoder:
            y = block(y, causal(target.shape[1]), source_states, real)
        return F.linear(self.target_norm(y), self.embedding.weight)


@torch.no_grad()
def translate(model, source, most=30):
    """Greedy: the most probable next word, again and again -> word ids [sentence, most]"""
    target = torch.ones(len(source), 1, dtype=torch.long)
    for _ in range(most):
        target = torch.cat([target, model(source, target)[:, -1:].argmax(-1)], dim=1)
    return target[:, 1:]
