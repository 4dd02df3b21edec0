"""Wrong answers to the exercises of chapter 6 as readers write them: see `cells.py`."""

WRONG = {
    "6.4": r"""
padding is seen :: & real[:, None, :] => & torch.ones_like(scores, dtype=torch.bool)
later words are seen :: .tril() =>
earlier words are hidden :: tril => triu
a word does not see itself :: tril() => tril(-1)
rows instead of columns :: real[:, None, :] => real[:, :, None]
rows and columns :: real[:, None, :] => real[:, None, :] & real[:, :, None]
one of the two is enough :: tril() & => tril() |
zeros and ones are added :: hidden.softmax(dim=-1).masked_fill(~may, 0.0) => (scores + may.float()).softmax(dim=-1)
zeros and ones are multiplied :: hidden.softmax(dim=-1).masked_fill(~may, 0.0) => (scores * may).softmax(dim=-1)
hidden after the softmax :: scores.masked_fill(~may, torch.finfo(scores.dtype).min) => scores
equal weights where nothing may be seen :: .masked_fill(~may, 0.0) =>
a word always sees itself :: real[:, None, :] => (real[:, None, :] | torch.eye(len(real[0])).bool())
softmax over the queries :: softmax(dim=-1) => softmax(dim=1)
softmax over the queries :: torch.finfo(scores.dtype).min => -torch.inf :: softmax(dim=-1).masked_fill(~may, 0.0)
    => softmax(dim=1)
lowered scores where nothing may be seen :: hidden.softmax(dim=-1).masked_fill(~may, 0.0)
    => (scores + (~may) * -10_000.0).softmax(dim=-1)
0 times minus infinity :: hidden.softmax(dim=-1).masked_fill(~may, 0.0)
    => (scores + (~may) * -torch.inf).softmax(dim=-1)
earlier words are hidden :: tril => triu :: torch.finfo(scores.dtype).min => -torch.inf :: .masked_fill(~may, 0.0) =>
NaN where nothing may be seen :: torch.finfo(scores.dtype).min => -torch.inf :: .masked_fill(~may, 0.0) =>
softmax over the queries :: hidden.softmax(dim=-1) => hidden.softmax(dim=1)
softmax over the queries :: hidden.softmax(dim=-1).masked_fill(~may, 0.0) => (scores - 1e9 * ~may).softmax(1)
0 times minus infinity :: scores.masked_fill(~may, torch.finfo(scores.dtype).min) => scores + ~may * -torch.inf
the next word is seen :: .tril() => .tril(1)
the mask is turned round :: ~may, torch => may, torch :: .masked_fill(~may, 0.0) =>
the mask of padding is turned round :: & real => & ~real
the exponential overflows :: hidden.softmax(dim=-1).masked_fill(~may, 0.0)
    => (e := scores.exp() * may) / e.sum(-1, keepdim=True).clamp(min=1e-9)
the exponential overflows :: hidden.softmax(dim=-1).masked_fill(~may, 0.0)
    => ((e := scores.exp() * may) / e.sum(-1, keepdim=True)).nan_to_num(0.0)
the exponential overflows :: hidden.softmax(dim=-1).masked_fill(~may, 0.0)
    => (e := (scores - scores.max()).exp() * may) / e.sum(-1, keepdim=True).clamp(min=1e-9)
""",
    "6.8": r"""
the source asks :: heads(x, query) @ heads(states, key) => heads(states, query) @ heads(x, key)
    :: .masked_fill(~real[:, None, None], -torch.inf) => :: heads(states, value) => heads(x, value)
the source asks :: heads(x, query) @ heads(states, key) => heads(states, query) @ heads(x, key)
    :: real[:, None, None], -torch.inf => real[:, None, :, None], -1e9 :: heads(states, value) => heads(x, value)
the written words ask themselves :: def heads => states, real = x, torch.ones(x.shape[:2]).bool()\n\n    def heads
the source asks itself :: heads(x, query) => heads(states, query)
the source asks itself :: heads(x, query) => heads(states, query) :: .masked_fill(~real[:, None, None], -torch.inf) =>
keys instead of values :: heads(states, value) => heads(states, key)
the value matrix is missing :: heads(states, value) => states.unflatten(-1, (n_heads, -1)).transpose(1, 2)
queries and keys are exchanged :: (x, query) => (x, key) :: (states, key) => (states, query)
padding is read :: .masked_fill(~real[:, None, None], -torch.inf) =>
the mask is turned round :: ~real => real
the mask is turned round :: ~real[:, None, None], -torch.inf => real[:, None, None], -1e9
later words of the source are hidden :: ~real[:, None, None]
    => ~(real[:, None, None] & torch.ones_like(scores).tril().bool())
later words of the source are hidden :: weights = scores
    => may = torch.ones_like(scores).tril().bool() if x.shape[1] == states.shape[1] else True
    \n    weights = scores :: ~real[:, None, None] => ~(real[:, None, None] & may)
hidden after the softmax :: scores.masked_fill(~real[:, None, None], -torch.inf).softmax(dim=-1)
    => scores.softmax(dim=-1) * real[:, None, None]
softmax over the queries :: -torch.inf).softmax(dim=-1) => -1e9).softmax(dim=-2)
softmax over the heads :: dim=-1 => dim=1
heads are mixed with words :: .unflatten(-1, (n_heads, -1)).transpose(1, 2)
    => .view(len(rows), n_heads, rows.shape[1], -1)
heads are mixed with words :: .transpose(1, 2).flatten(2) => .reshape(x.shape)
heads are mixed with words :: .unflatten(-1, (n_heads, -1)).transpose(1, 2)
    => .view(len(rows), n_heads, rows.shape[1], -1) :: .transpose(1, 2).flatten(2) => .reshape(x.shape)
one head for all :: def heads => n_heads = 1\n\n    def heads
divided by the root of the whole width :: (x.shape[-1] / n_heads) => x.shape[-1]
not divided :: / (x.shape[-1] / n_heads) ** 0.5 =>
divided without a root :: ** 0.5 =>
no output matrix :: @ output =>
the mean of the heads' weights :: , weights\n => , weights.mean(1)\n
the weights are missing :: , weights\n => \n
error :: real[:, None, None] => real
the heads take turns in the columns :: .unflatten(-1, (n_heads, -1)).transpose(1, 2)
    => .unflatten(-1, (-1, n_heads)).movedim(-1, 1)
the heads take turns in the columns :: .unflatten(-1, (n_heads, -1)).transpose(1, 2)
    => .unflatten(-1, (-1, n_heads)).movedim(-1, 1) :: .transpose(1, 2).flatten(2) => .permute(0, 2, 3, 1).flatten(2)
the key matrix is missing :: heads(states, key) => heads(states, torch.eye(len(key)))
the matrices are transposed :: rows @ matrix => rows @ matrix.T :: @ output => @ output.T
x is added :: @ output, weights => @ output + x, weights
the exponential overflows :: scores.masked_fill(~real[:, None, None], -torch.inf).softmax(dim=-1)
    => (e := scores.exp() * real[:, None, None]) / e.sum(-1, keepdim=True)
""",
    "6.9": r"""
the decoder reads the answer :: [1, *sentence] => [*sentence, 2]
the answer is what is read :: follows = rows([[*sentence, 2] => follows = rows([[1, *sentence]
shifted the wrong way :: network(source, written).mT, follows => network(source, follows).mT, written
the end is never predicted :: follows = rows([[*sentence, 2] => follows = rows([[*sentence, 0]
the end is never predicted :: [1, *sentence] for => [1, *sentence[:-1]] for :: follows = rows([[*sentence, 2]
    => follows = rows([sentence
the source is not closed :: source = rows([[*sentence, 2] => source = rows([sentence
the source begins with 1 :: source = rows([[*sentence, 2] => source = rows([[1, *sentence]
the source begins with 1 :: source = rows([[*sentence, 2] => source = rows([[1, *sentence, 2]
padding in the loss :: , ignore_index=0 =>
padding in front :: batch_first=True => batch_first=True, padding_side='left'
source and target are exchanged :: def rows => sources, targets = targets, sources\n\n    def rows
it reads its own words :: return F.cross_entropy(network(source, written) => own = written[:, :1]
    \n    while own.shape[1] < written.shape[1]:
    \n        own = torch.cat([own, network(source, own)[:, -1:].argmax(-1)], 1)
    \n    return F.cross_entropy(network(source, own)
two softmaxes :: .mT, follows => .softmax(-1).mT, follows
the sum instead of the mean :: ignore_index=0 => ignore_index=0, reduction='sum'
the sum instead of the mean :: ignore_index=0) => ignore_index=0, reduction='sum') / len(sources)
each sentence counts the same :: return F => follows = follows.where(follows > 0, -100)\n    return F
    :: F.cross_entropy(network(source, written).mT, follows, ignore_index=0)
    => sum(map(F.cross_entropy, network(source, written), follows)) / len(follows)
a number for each word :: ignore_index=0 => ignore_index=0, reduction='none'
bits instead of nats :: ignore_index=0) => ignore_index=0) / 0.693147
label smoothing :: ignore_index=0 => ignore_index=0, label_smoothing=0.1
the exponential overflows :: return F.cross_entropy(network(source, written).mT, follows, ignore_index=0)
    => p = (e := network(source, written).exp()) / e.sum(-1, keepdim=True)
    \n    return -p.gather(2, follows[..., None])[..., 0][follows != 0].log().mean()
the exponential overflows :: return F.cross_entropy(network(source, written).mT, follows, ignore_index=0)
    => logits = network(source, written)
    \n    p = (e := (logits - logits.max()).exp()) / e.sum(-1, keepdim=True)
    \n    return -p.gather(2, follows[..., None])[..., 0][follows != 0].log().mean()
""",
    "6.11": r"""
the end is part of the translation :: row.index(2) if => row.index(2) + 1 if
the beginning is part of the translation :: row[1 : => row[0 :
words after the end stay :: row[1 : row.index(2) if 2 in row else None] => row[1:]
words after the end stay :: row[1 : row.index(2) if 2 in row else None] => [word for word in row if word > 2]
cut at the last end :: row.index(2) if => len(row) - 1 - row[::-1].index(2) if
all stop with the first :: dim=1).all() => dim=1).any()
the logits of the first position :: [:, -1] => [:, 0]
only the last word is read :: (source, written) => (source, written[:, -1:])
a word too few :: <= most => < most
a word too many :: <= most => <= most + 1
it begins with another mark :: torch.ones(len(source), 1, dtype=torch.long) => torch.full((len(source), 1), 2)
    :: (written == 2) => (written[:, 1:] == 2) :: row.index(2) if 2 in row => row.index(2, 1) if 2 in row[1:]
it begins with another mark :: torch.ones => torch.zeros
error :: not (written == 2).any(dim=1).all() => True
error :: (written == 2).any(dim=1) => (written[:, -1] == 2)
error :: dtype=torch.long => dtype=torch.float
""",
    "6.12": r"""
types instead of tokens :: counts[pair] += count => counts[pair] += 1
a pair counts once for each word :: for pair in pairwise(pieces) => for pair in set(pairwise(pieces))
overlapping pairs are not counted :: for pair in pairwise(pieces): => row = f"|{'||'.join(pieces)}|"
    \n            for pair in set(pairwise(pieces)): :: += count => += count * row.count(f"|{'||'.join(pair)}|")
the pairs are counted only at the beginning :: counts = Counter()\n        for pieces, count in text.items():
    => counts = Counter()\n        for pieces, count in [(tuple(word), words[word]) for word in words]:
    :: max(sorted(counts), key=counts.get) => sorted(counts, key=lambda pair: (-counts[pair], pair))[len(merges)]
    :: if not counts => if len(merges) == len(counts)
nothing is joined :: text = after => pass
joined once for each word :: == best else => == best and len(joined) == place else
a joined piece is not used up :: place += width => place += 1
the last piece is lost :: while place < len(pieces): => while place < len(pieces) - 1:
joined from the right :: joined, place = [], 0 => joined, place, pieces = [], 0, pieces[::-1] :: == best else
    => == best[::-1] else :: place + width])) => place + width][::-1])) :: tuple(joined) => tuple(joined[::-1])
replaced in a string :: tuple(joined) => tuple(" ".join(pieces).replace(" ".join(best), "".join(best)).split())
a tie is decided otherwise :: max(sorted(counts), key => max(counts, key
a tie is decided otherwise :: max(sorted(counts), key=counts.get) => max((n, p) for p, n in counts.items())[1]
the pieces instead of the pairs :: merges.append(best) => merges.append(''.join(best))
the last merge alone :: return merges => return merges[-1]
error :: if not counts: => if False:
wrong :: tuple(word) => tuple(word.lower())
the end of a word is marked :: tuple(word) => (*word, '</w>')
the end of a word is marked :: tuple(word) => (*word[:-1], word[-1] + '</w>')
across the border of a word :: {tuple(word): count for word, count in words.items()}
    => {tuple("".join(word * count for word, count in words.items())): 1}
""",
}
