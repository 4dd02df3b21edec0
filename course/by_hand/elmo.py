"""ELMo: characters, two language models, all their layers, mixed. Peters et al. 2018, arXiv:1802.05365, section 3."""

import torch
from torch import nn


class Highway(nn.Module):
    """c * x + (1 - c) * relu(W x + b): the carry gate c passes the old value or a new one. Srivastava et al. 2015."""

    def __init__(self, dim):
        super().__init__()
        self.transform, self.carry = nn.Linear(dim, dim), nn.Linear(dim, dim)

    def forward(self, x):
        c = self.carry(x).sigmoid()
        return c * x + (1 - c) * self.transform(x).relu()


class CharCNN(nn.Module):
    """words: the character ids of each [character] -> their vectors [word, dim]. Kim et al. 2016."""

    def __init__(self, n_characters, filters, dim):
        super().__init__()
        self.char_embedding = nn.Embedding(n_characters, 16)
        self.convolutions = nn.ModuleList(nn.Conv1d(16, n, width) for width, n in filters)
        n_filters = sum(n for _, n in filters)
        self.highways, self.projection = nn.Sequential(Highway(n_filters)), nn.Linear(n_filters, dim)

    def forward(self, words):
        strongest = []
        for x in [self.char_embedding(ids).T for ids in words]:  # [16, character]
            for filters in self.convolutions:
                missing = max(0, filters.kernel_size[0] - x.shape[1])  # a shorter word is filled up with 0
                strongest.append(filters(nn.functional.pad(x, (0, missing))).amax(1))  # [filter], wherever in the word
        return self.projection(self.highways(torch.cat(strongest).view(len(words), -1).relu()))  # from [word, filter]


class Direction(nn.Module):
    """One of the two language models without its softmax; the second LSTM adds to what the first one found."""

    def __init__(self, dim, cells):
        super().__init__()
        self.lstms = nn.ModuleList(nn.LSTM(dim, cells, proj_size=dim) for _ in range(2))

    def forward(self, x):
        first, _ = self.lstms[0](x)  # [position, dim]: `cells` numbers of memory, projected to `dim`
        second, _ = self.lstms[1](first)
        return torch.stack([first, first + second])


class ELMo(nn.Module):
    """spell: gives the character ids of a word, with the marks of its beginning and its end."""

    def __init__(self, spell, n_characters, filters, dim, cells):
        super().__init__()
        self.spell, self.characters = spell, CharCNN(n_characters, filters, dim)
        self.forward_lm, self.backward_lm = Direction(dim, cells), Direction(dim, cells)

    @torch.no_grad()
    def states(self, words):
        """The three layers of a sentence [layer, word, 2 dim]: characters, first LSTMs, second LSTMs"""
        x = self.characters([torch.tensor(self.spell(word)) for word in ["</s>", *words]])
        ahead = self.forward_lm(x)[:, 1:]
        back = self.backward_lm(torch.cat([x[:1], x[1:].flip(0)]))[:, 1:].flip(1)
        return torch.cat([torch.cat([x[None, 1:], way]) for way in (ahead, back)], dim=-1)


def from_shipped(name):
    """An ELMo with the weights of a shipped biLM, "bilm-en" or "bilm-ko": each is found by its name in their file."""
    import course_lib

    theirs = course_lib.load(name)
    c, weights = theirs.config.characters, theirs.state_dict()
    elmo = ELMo(theirs.characters.ids, c.n_characters, c.filters, c.out_dim, theirs.config.hidden)
    their_names = {f"{way}_lm.lstms": f"lstms.{way}_lstm.layers" for way in ("forward", "backward")}
    for my_name, their_name in [("characters", "token.cnn"), *their_names.items()]:
        part = {name.removeprefix(f"{their_name}."): w for name, w in weights.items() if name.startswith(their_name)}
        elmo.get_submodule(my_name).load_state_dict(part)
    return elmo.eval()


class Mix(nn.Module):
    """gamma * sum_j s_j h_j over the layers j, s = softmax(w): equation 1. [..., layer, dim] -> [..., dim]"""

    def __init__(self, n_layers):
        super().__init__()
        self.w, self.gamma = nn.Parameter(torch.zeros(n_layers)), nn.Parameter(torch.ones(()))

    def forward(self, layers):
        return self.gamma * torch.einsum("j,...jd->...d", self.w.softmax(0), layers)
