"""BERT reads both sides, and learns to fill gaps. Devlin et al. 2019, arXiv:1810.04805, section 3."""

import torch
from torch import nn
from torch.nn import functional as F

from course.by_hand.transformer import Block


class Encoder(nn.Module):
    """Three tables added, and blocks without a causal mask: each position looks at both sides, in every layer."""

    def __init__(self, n_tokens, dim=64, n_heads=4, n_layers=2, inner=256, n_positions=64, pre_norm=True):
        super().__init__()
        self.tokens, self.positions, self.segments = (nn.Embedding(n, dim) for n in (n_tokens, n_positions, 2))
        for table in (self.tokens, self.positions, self.segments):
            nn.init.normal_(table.weight, std=dim**-0.5)  # none of the three is louder than the others
        self.norm, self.top_norm = (nn.LayerNorm(dim, 1e-12) for _ in range(2))
        blocks = (Block(dim, n_heads, inner, pre_norm=pre_norm, activation=nn.GELU, eps=1e-12) for _ in range(n_layers))
        self.blocks, self.pre_norm = nn.ModuleList(blocks), pre_norm

    def states(self, ids, segments=None, visible=True):
        """Token ids [sentence, position], 0 is padding -> [layer, sentence, position, dim].
        visible: True where a query may look at a key [query, key]; nobody looks at padding."""
        segments = torch.zeros_like(ids) if segments is None else segments
        x = self.tokens(ids) + self.positions.weight[: ids.shape[1]] + self.segments(segments)
        layers, allowed = [self.norm(x)], (ids != 0)[:, None, None] & visible  # [sentence, head, query, key]
        for block in self.blocks:
            layers.append(block(layers[-1], allowed))
        if self.pre_norm:
            layers[-1] = self.top_norm(layers[-1])
        return torch.stack(layers)


class Bert(Encoder):
    """The encoder, and an output layer for masked tokens, which is the table of tokens once more."""

    def __init__(self, n_tokens, dim=64, *sizes, **settings):
        super().__init__(n_tokens, dim, *sizes, **settings)
        self.transform = nn.Sequential(nn.Linear(dim, dim), nn.GELU(), nn.LayerNorm(dim, 1e-12))
        self.bias = nn.Parameter(torch.zeros(n_tokens))

    def forward(self, states):
        """States of the top layer [..., dim] -> logits of the token that belongs there [..., token]"""
        return F.linear(self.transform(states), self.tokens.weight, self.bias)

    @torch.no_grad()
    def fill(self, text, k=5):
        """The k most probable tokens for each [MASK] of a text, with their probabilities"""
        p = self.pieces
        ids = [id for word in text.split() for id in ([p.mask] if word == "[MASK]" else p.ids([word]))]
        ids = torch.tensor([[p.cls, *ids, p.sep]])
        best = self(self.states(ids)[-1][ids == p.mask]).softmax(-1).topk(k)  # [mask, k]
        rows = zip(best.indices.tolist(), best.values.tolist(), strict=True)
        return [[(p.vocabulary[token], share) for token, share in zip(*row, strict=True)] for row in rows]


def masked(ids, mask, n_special, n_tokens, share=0.15):
    """Of each row a share is to be predicted: 80 % of these are masked, 10 % a random token, 10 % as they were.
    Ids below n_special are never predicted. -> what the model reads, and True where it must predict"""
    predict = (torch.rand(ids.shape) < share) & (ids >= n_special)
    fate, read = torch.rand(ids.shape), ids.clone()
    read[predict & (fate < 0.8)] = mask
    random = predict & (fate >= 0.8) & (fate < 0.9)
    read[random] = torch.randint(n_special, n_tokens, (int(random.sum()),))
    return read, predict


def pretrain(model, ids, mask, n_special, steps=2000, batch_size=64, lr=3e-3):
    """ids [sentence, position], padded with 0, the shortest sentences first. Returns the losses, in nats a token."""
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    losses = []
    for step in range(steps):
        start = torch.randint(len(ids) - batch_size, ()).item()
        batch = ids[start : start + batch_size]  # sentences of one length, nearly
        batch = batch[:, : int((batch != 0).sum(1).max())]
        read, predict = masked(batch, mask, n_special, len(model.bias))
        loss = F.cross_entropy(model(model.states(read)[-1][predict]), batch[predict])
        optimizer.param_groups[0]["lr"] = lr * min(1, (step + 1) / 50) * (1 - step / steps)  # warm-up, then down
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def from_shipped(name):
    """A Bert with the weights of a shipped one, "bert-en", "bert-ko" or "minilm-en"."""
    import course_lib

    theirs = course_lib.load(name)
    c, weights = theirs.config, theirs.state_dict()
    sizes = (c.vocab_size, c.d_model, c.n_heads, c.n_layers, c.d_ff, c.max_units)
    bert = Bert(*sizes, pre_norm=c.norm == "pre")
    renamed = {"embedding.norm": "norm", "embedding.": "", "stack.layers": "blocks", "stack.norm": "top_norm"}
    renamed |= {"feed_forward.inner": "feed_forward.0", "feed_forward.outer": "feed_forward.2"}
    renamed |= {"attention_residual.norm": "norm_1", "feed_forward_residual.norm": "norm_2"}
    renamed |= {"mlm.dense": "transform.0", "mlm.norm": "transform.2", "mlm.bias": "bias"}
    for their_name, weight in weights.items():
        my_name = their_name
        for theirs_part, mine in renamed.items():
            my_name = my_name.replace(theirs_part, mine)
        if my_name in bert.state_dict():
            bert.get_parameter(my_name).data.copy_(weight)
    bert.pieces = theirs.pieces
    return bert.eval()
