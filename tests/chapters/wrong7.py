"""Wrong answers to the exercises of chapter 7 as readers write them: see `cells.py`."""

from itertools import pairwise

import torch


def alone(x, real, n_heads, query, key, value, output, inner, outer):
    """One head."""
    q, k, v = x @ query, x @ key, x @ value
    weights = (q @ k.mT / x.shape[-1] ** 0.5).masked_fill(~real[:, None], float("-inf")).softmax(-1)
    between = torch.nn.functional.layer_norm(x + weights @ v @ output, x.shape[-1:], eps=1e-12)
    fed = torch.nn.functional.gelu(between @ inner) @ outer
    return torch.nn.functional.layer_norm(between + fed, x.shape[-1:], eps=1e-12)


def one_long_text(documents, coins, draws):
    text = [(number, sentence) for number, document in enumerate(documents) for sentence in document]
    pairs = []
    for ((own, first), (_, true)), coin, draw in zip(pairwise(text), coins, draws, strict=False):
        others = [sentence for number, sentence in text if number != own and sentence != true]
        pairs.append((first, true if coin < 0.5 else others[int(len(others) * draw)], coin < 0.5))
    return pairs


WRONG = {
    "7.1": r"""
all chosen pieces become [MASK] :: (fate < 0.8) => (fate < 1)
no chosen piece stays :: (fate < 0.9) => (fate < 1)
nothing is replaced at random :: (fate < 0.9) => (fate < 0.8)
a loss on all pieces :: torch.where(chosen, ids, -100) => ids.clone()
a loss on all ordinary pieces :: torch.where(chosen, ids => torch.where(ids > 4, ids
a loss at [MASK] only :: torch.where(chosen, ids => torch.where(read == 4, ids
a loss at [MASK] only :: torch.where(chosen, ids => torch.where(hidden, ids
no loss where the piece stayed :: torch.where(chosen, ids => torch.where(read != ids, ids
the labels are what is read :: torch.where(chosen, ids => torch.where(chosen, read
0 where nothing is asked :: ids, -100) => ids, 0)
special pieces and padding are chosen :: & (ids > 4) =>
special pieces are chosen :: ids > 4 => ids != 0
padding is chosen :: (ids > 4) => ((ids > 4) | (ids == 0))
[UNK] is chosen :: (ids > 4) => (ids != 0) & (ids != 2) & (ids != 3) & (ids != 4)
[MASK] is chosen :: ids > 4 => ids > 3
a random piece may be special :: 5 + (draw * (vocab_size - 5)).long() => (draw * vocab_size).long()
[MASK] is overwritten :: where(hidden, 4, torch.where(replaced, others, ids))
    => where(chosen & (fate < 0.9), others, ids)
[UNK] and [MASK] are chosen :: (ids > 4) => (ids != 0) & (ids != 2) & (ids != 3)
a random piece beyond the vocabulary :: (vocab_size - 5) => vocab_size
a random piece beyond the vocabulary :: 5 + (draw * (vocab_size - 5)).long()
    => torch.floor(draw * (vocab_size - 5) + 5).long()
no loss where the piece stayed :: torch.where(chosen, ids, -100) => torch.where(hidden | replaced, ids, -100)
80, 10 and 10 % of all pieces :: hidden = chosen => hidden = (ids > 4) :: = chosen => = (ids > 4)
changes its input :: torch.where(hidden, 4, => ids.masked_fill_(hidden, 4).where(~replaced,
    :: torch.where(replaced, others, ids)) => others)
a number on the border is below it :: choose < 0.15 => choose <= 0.15
a number on the border is below it :: fate < 0.8 => fate <= 0.8
a number on the border is below it :: choose < 0.15 => choose <= 0.15 :: fate < 0.8 => fate <= 0.8
wrong :: chosen & (fate < 0.8) => chosen & (fate >= 0.2) :: (fate < 0.9) => (fate < 0.1)
""",
    "7.5": r"""
divided by all places :: .mean() => .sum() / labels.numel()
the sum instead of the mean :: .mean() => .sum()
each row counts the same :: return - => losses = :: .mean() => .split(asked.sum(1).tolist())
    \n    return torch.stack([-row.mean() for row in losses if len(row)]).mean()
-100 is asked, too :: asked = => labels = labels.clamp(min=0)\n    asked =
piece 0 is left out :: labels != -100 => labels > 0
softmax over places :: dim=-1 => dim=0
softmax over the places of a row :: logits.log_softmax(dim=-1) => (states @ table.T + bias).log_softmax(dim=1)[asked]
two softmaxes :: logits.log_softmax => logits.softmax(dim=-1).log_softmax
no bias :: + bias =>
the bias comes after the softmax :: + bias => :: softmax(dim=-1) => softmax(dim=-1) + bias
the sign :: return - => return +
no logarithm :: log_softmax => softmax :: return - => return +
the logarithm of the mean :: log_softmax => softmax :: .mean() => .mean().log()
bits instead of nats :: (dim=-1) => (dim=-1) / torch.tensor(2.0).log()
the logarithm of 0 :: log_softmax(dim=-1) => softmax(dim=-1).log()
the logarithm of 0 :: logits.log_softmax(dim=-1) => (logits.exp() / logits.exp().sum(1, keepdim=True)).log()
a number for each place :: .mean() => [:, 0]
wrong :: .mean() => .mean()[None].expand(3)
each row counts the same :: return - => losses = :: .mean() => .split(asked.sum(1).tolist())
    \n    return -sum(row.mean() for row in losses if len(row)) / len(labels)
""",
    "7.6": r"""
the changes pile up :: changed = ids.clone() => pass :: moved = => changed = ids.clone()\n    moved =
all pieces from k on are changed :: changed[k] = (ids[k] => changed[k:] = (ids[k:]
all pieces but k are changed :: changed[k] = (ids[k] + 1) % vocab_size
    => changed = torch.where(torch.arange(len(ids)) == k, ids, (ids + 1) % vocab_size)
changed to piece 0 :: (ids[k] + 1) % vocab_size => 0
changed to the last piece :: (ids[k] + 1) % vocab_size => vocab_size - 1
rows and columns are exchanged :: return moved => return moved.T.tolist()
only a piece's own state is looked at :: moved[:, k] = (network(changed) != before)
    => moved[k, k] = (network(changed) != before)[k]
the diagonal is left out :: return moved => return moved.fill_diagonal_(False)
True means that nothing moved :: return moved => return ~moved
all numbers must move :: .any(dim=-1) => .all(dim=-1)
a look at the first number only :: .any(dim=-1) => [:, 0]
a look at the last number only :: .any(dim=-1) => [:, -1]
the sum of a state is compared :: (changed) != before).any(dim=-1) => (changed) - before).sum(1) != 0
a tolerance hides a faint trace :: network(changed) != before => ~torch.isclose(network(changed), before)
amounts instead of True and False :: , dtype=torch.bool => :: (network(changed) != before).any(dim=-1)
    => (network(changed) - before).abs().amax(1)
1 and 0 instead of True and False :: return moved => return moved.int()
wrong :: return moved => return moved.T.float()
one row instead of a table :: return moved => return moved.any(0)
changes its input :: ids.clone() => ids
error :: (ids[k] + 1) % vocab_size => vocab_size
error :: % vocab_size =>
error :: (ids[k] + 1) % vocab_size => ids[k] - 1
error :: = lambda network, ids, n: torch.autograd.functional.jacobian(network, ids.float()).abs().sum(1) > 0
only upward moves count :: != before => > before
True means that nothing moved :: != before => == before
""",
    "7.7": r"""
negatives from the same document
    :: [s for other, sentences in enumerate(documents) if other != own for s in sentences if s != true]
    => [s for s in document if s not in (first, true)] or document
negatives from anywhere :: if other != own for s in sentences if s != true => for s in sentences
negatives from the next document only :: for other, sentences in enumerate(documents) if other != own for s in sentences
    => for s in documents[(own + 1) % len(documents)]
a negative reads like the true next one :: if s != true] => ]
negatives from anywhere but the true one
    :: [s for other, sentences in enumerate(documents) if other != own for s in sentences if s != true]
    => [s for sentences in documents for s in sentences if s != true]
an equal document is left out :: if other != own => if sentences != document
always the same negative :: pool[int(draw * len(pool))] => pool[0]
the draws are counted apart :: draws[len(pairs)] => draws[sum(not follows for *_, follows in pairs)]
the label is turned round :: second, coin < 0.5 => second, coin >= 0.5
the coin is turned round :: coin < 0.5 => coin >= 0.5
every label is True :: second, coin < 0.5 => second, True
the true next sentence every time :: true if coin < 0.5 else pool[int(draw * len(pool))] => true
taking turns :: coins[len(pairs)] => len(pairs) % 2
across the border of a document :: = one_long_text
both pairs for each sentence :: coins[len(pairs)], draws[len(pairs)] => 0, draws[len(pairs) // 2] :: coin < 0.5))
    => True))\n            pairs.append((first, pool[int(draw * len(pool))], False))
0 and 1 instead of True and False :: second, coin < 0.5 => second, int(coin < 0.5)
only one that reads the same is left out :: for s in sentences if s != true] => for s in sentences]
    \n            if true in pool:\n                pool.remove(true)
the last of the pool is never drawn :: len(pool))] => (len(pool) - 1))]
each document begins with the first number :: for first, true in pairwise(document):
    => for i, (first, true) in enumerate(pairwise(document)): :: coins[len(pairs)], draws[len(pairs)]
    => coins[i], draws[i]
equal sentences of the pool count once :: second = => pool = list(dict.fromkeys(pool))\n            second =
equal sentences of the pool count once :: second = => pool = sorted(set(pool))\n            second =
""",
    "7.8": r"""
norm before each part :: (x @ matrix) => (norm(x) @ matrix) :: between = norm(x => between = (x
    :: return norm(between + F.gelu(between => return (between + F.gelu(norm(between)
the way around takes the normed value :: scores = => x = norm(x)\n    scores = :: between = norm(x + taken)
    => between = norm(x + taken) :: norm(between + F.gelu(between @ inner) @ outer)
    => between + F.gelu(between @ inner) @ outer
only what is added is normed :: norm(x + taken) => x + norm(taken) :: norm(between + F.gelu(between @ inner) @ outer)
    => between + norm(F.gelu(between @ inner) @ outer)
no way around :: norm(x + => norm( :: norm(between + => norm(
no way around :: norm(x + => norm(
no way around :: norm(between + => norm(
the second way around begins at the block's input :: norm(between + => norm(x +
the second way around begins at the block's input :: between = norm(x + taken) => between = x
the feed-forward network reads the block's input :: gelu(between @ => gelu(x @
no norm :: F.layer_norm(states, states.shape[-1:], eps=1e-12) => states
one norm is missing :: norm(x + taken) => x + taken
one norm is missing :: return norm( => return (
norm over the wrong axis :: F.layer_norm(states, states.shape[-1:], eps=1e-12)
    => F.layer_norm(states.mT, states.shape[1:2], eps=1e-12).mT
norm over the wrong axis :: states.shape[-1:] => states.shape[1:]
the variance divides by d - 1 :: F.layer_norm(states, states.shape[-1:], eps=1e-12)
    => (states - states.mean(-1, keepdim=True)) / (states.std(-1, keepdim=True) + 1e-12)
the mask is turned round :: ~real => real
the mask is turned round :: ~real[:, None, None], -torch.inf => real[:, None, None], -1e9
padding is read :: .masked_fill(~real[:, None, None], -torch.inf) =>
rows instead of columns :: real[:, None, None] => real[:, None, :, None]
rows instead of columns :: real[:, None, None], -torch.inf => real[:, None, :, None], -1e9
later places are hidden :: ~real[:, None, None] => ~(real[:, None, None] & torch.ones_like(scores).tril().bool())
hidden after the softmax :: scores.masked_fill(~real[:, None, None], -torch.inf).softmax(dim=-1)
    => scores.softmax(dim=-1).masked_fill(~real[:, None, None], 0)
softmax over the queries :: dim=-1 => dim=2
softmax over the queries :: -torch.inf).softmax(dim=-1) => -1e9).softmax(dim=-2)
softmax over the heads :: dim=-1 => dim=1
heads are mixed with places :: .unflatten(-1, (n_heads, -1)).transpose(1, 2)
    => .view(x.shape[0], n_heads, x.shape[1], -1)
heads are mixed with places :: .transpose(1, 2).flatten(2) => .reshape(x.shape)
heads are mixed with places :: .unflatten(-1, (n_heads, -1)).transpose(1, 2)
    => .view(x.shape[0], n_heads, x.shape[1], -1) :: .transpose(1, 2).flatten(2) => .reshape(x.shape)
one head for all :: = alone
one head for all :: unflatten(-1, (n_heads, -1)) => unflatten(-1, (1, -1))
divided by the root of the whole width :: (x.shape[-1] / n_heads) => x.shape[-1]
not divided :: / (x.shape[-1] / n_heads) ** 0.5 =>
divided without a root :: ** 0.5 =>
queries and keys are exchanged :: heads(query) @ heads(key).mT => heads(key) @ heads(query).mT
no output matrix :: @ output =>
no activation :: F.gelu(between @ inner) => (between @ inner)
another activation :: F.gelu => torch.relu
another activation :: F.gelu => torch.tanh
another activation :: between @ inner) => between @ inner, approximate="tanh")
changes its input :: between = norm(x + taken) => between = norm(x.add_(taken))
error :: unflatten(-1, (n_heads, -1)) => unflatten(-1, (-1, n_heads, 7))
the mask is turned round :: scores.masked_fill(~real[:, None, None], -torch.inf).softmax(dim=-1) => ~real[:, None, None]
    :: (weights @ heads(value)) => F.scaled_dot_product_attention(heads(query), heads(key), heads(value),
    attn_mask=weights)
another eps :: , eps=1e-12 =>
padding may not ask :: ~real[:, None, None] => ~(real[:, None, None] & real[:, None, :, None])
the matrices are transposed :: (x @ matrix) => (x @ matrix.T) :: @ output => @ output.T
the exponential overflows :: scores.masked_fill(~real[:, None, None], -torch.inf).softmax(dim=-1)
    => (e := scores.exp() * real[:, None, None]) / e.sum(-1, keepdim=True)
""",
    "7.9": r"""
the network reads the answers :: network(read => network(ids
the mask is drawn twice :: read, labels = mask(ids) => read, labels = mask(ids)[0], mask(ids)[1]
the mask is drawn twice :: read, labels = mask(ids) => labels, read = mask(ids)[1], mask(ids)[0]
the mask is turned round :: ids != 0 => ids == 0
padding may be read :: ids != 0 => ids >= 0
special pieces may not be read :: ids != 0 => ids > 4
blanks may not be read :: ids != 0 => read > 4
blanks may not be read :: ids != 0 => (ids != 0) & (read != 4)
a loss at every piece :: asked = labels != -100 => labels = ids\n    asked = ids != 0
a loss at every piece :: asked = labels != -100 => labels, asked = ids, ids > 4
padding in the loss :: asked = labels != -100 => labels, asked = ids, torch.ones_like(ids).bool()
-100 is asked, too :: asked = labels != -100 => labels = labels.clamp(min=0)\n    asked = labels >= 0
a loss at [MASK] only :: labels != -100 => read == 4
a loss where the piece has changed :: labels != -100 => read != ids
the labels are what is read :: labels[asked] => read[asked]
labels shifted by one :: asked = labels => states, labels = states[:, :-1], labels[:, 1:]\n    asked = labels
labels shifted by one :: asked = labels => states, labels = states[:, 1:], labels[:, :-1]\n    asked = labels
no [CLS] :: [2, *sentence, 3] => [*sentence, 3]
no [SEP] :: [2, *sentence, 3] => [2, *sentence]
neither [CLS] nor [SEP] :: [2, *sentence, 3] => sentence
[SEP] comes after the padding :: [2, *sentence, 3] + [0] * (longest - len(sentence))
    => [2, *sentence] + [0] * (longest - len(sentence)) + [3]
padding in front :: [2, *sentence, 3] + [0] * (longest - len(sentence))
    => [0] * (longest - len(sentence)) + [2, *sentence, 3]
two softmaxes :: + bias => + bias\n    scores = scores.softmax(1)
no bias :: + bias =>
the sum instead of the mean :: labels[asked]) => labels[asked], reduction="sum")
each row counts the same :: return F.cross_entropy(scores, labels[asked])
    => losses = [F.cross_entropy(row @ table.T + bias, own) for row, own in zip(states, labels, strict=True)]
    \n    return sum(losses) / len(losses)
a number for each place :: labels[asked]) => labels[asked], reduction='none')
error :: ids != 0) => (ids != 0).sum(1))
real is made of the labels :: ids != 0 => labels == -100
real is made of the labels :: ids != 0 => labels != -100
divided by all places :: labels[asked]) => labels[asked], reduction='sum') / labels.numel()
""",
}
