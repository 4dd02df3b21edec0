"""Wrong answers to the exercises of chapter 4 as readers write them: see `cells.py`."""

WRONG = {
    "4.6": r"""
not balanced :: sum(sum(shares) / len(shares) for shares in hits.values()) / len(hits)
    => sum(map(sum, hits.values())) / len(test)
senses without a test are averaged in :: / len(hits) => / (max(known_senses) + 1)
senses without a test are averaged in :: / len(hits) => / (max(test_senses) + 1)
a sense that is never hit is left out :: return => hits = {sense: found for sense, found in hits.items() if any(found)}
    \n    return
the number of an occurrence is taken for its sense :: known_senses[nearest] == => nearest ==
the shares are taken by guess :: setdefault(sense => setdefault(known_senses[nearest]
the dot product is not normalised :: torch.nn.functional.cosine_similarity => (lambda a, b, dim: (a * b).sum(dim))
Euclidean distance :: torch.nn.functional.cosine_similarity => (lambda a, b, dim: -(a - b).norm(dim=dim))
the sign of the cosine is lost :: cosine.argmax => cosine.abs().argmax
the furthest occurrence :: argmax => argmin
the mean of a sense instead of its occurrences :: cosine = torch
    => labels, known_senses = torch.tensor(known_senses), sorted(set(known_senses))
    \n    known = torch.stack([known[labels == sense].mean(0) for sense in known_senses])\n    cosine = torch
a share above 1 :: sum(sum(shares) / len(shares) => sum(sum(shares)
the shares are added up :: / len(hits) =>
100 times too large :: return sum => return 100 * sum
wrong :: return sum(sum(shares) / len(shares) for shares in hits.values()) / len(hits)
    => return [sum(shares) / len(shares) for shares in hits.values()]
""",
    "4.7": r"""
padding is read :: row[:n] => row :: max(0, width - n) => max(0, width - len(row))
padding is read :: row[:n], (0, 0, 0, max(0, width - n)) => row, (0, 0, 0, width - 1) :: range(len(word) - width + 1)
    => range(n)
padding is read :: row[:n] => row[: max(n, width)] :: max(0, width - n) => max(0, width - len(row))
padding counts as zeros :: max(0, width - n) => max(len(row), width) - n
padding counts as zeros :: F.pad(row[:n], (0, 0, 0, max(0, width - n)))
    => F.pad(row * (torch.arange(len(row)) < n)[:, None], (0, 0, 0, width - 1))
the answers outside a word are 0 :: .amax(dim=1) + bias) => .amax(dim=1) + bias)\n        if len(row) > max(n, width):
    \n            answers[-1] = answers[-1].clamp(min=0)
the answers outside a word are 0 :: .amax(dim=1)
    => .amax(dim=1).clamp(min=0 if len(row) > max(n, width) else -torch.inf)
a short word gets no answer :: + bias => + bias - (torch.inf if n < width else 0)
a short word gets no answer :: return torch.stack(answers)
    => return torch.stack([a if n >= width else bias for a, n in zip(answers, lengths.tolist())])
a short word is filled up from both sides :: (0, 0, 0, max(0, width - n))
    => (0, 0, max(0, width - n) // 2, (max(0, width - n) + 1) // 2)
a short word is filled up on the left :: (0, 0, 0, max(0, width - n)) => (0, 0, max(0, width - n), 0)
every word is filled up :: max(0, width - n) => width - 1
every word is filled up :: (0, 0, 0, max(0, width - n)) => (0, 0, (width - 1) // 2, width // 2)
a short word gets no answer :: return torch.stack(answers)
    => return torch.stack([a * (n >= width) for a, n in zip(answers, lengths.tolist())])
the mean instead of the maximum :: amax(dim=1) => mean(dim=1)
the sum instead of the maximum :: amax(dim=1) => sum(dim=1)
only the beginning of a word is read :: .amax(dim=1) => [:, 0]
the last window is left out :: len(word) - width + 1 => max(1, len(word) - width)
negative answers become 0 :: torch.stack(answers) => torch.stack(answers).clamp(min=0)
no bias :: + bias =>
the filter runs backwards :: windows, filters) => windows, filters.flip(-1))
characters are mixed with their numbers :: torch.einsum("pwd,fdw->fp", windows, filters)
    => (filters.flatten(1) @ windows.flatten(1).T)
the axes are exchanged :: torch.stack(answers) => torch.stack(answers, dim=1)
error :: pwd,fdw => pwd,fwd
""",
    "4.8": r"""
the sum is returned, but not read :: x = torch.stack(read) + (x if states else 0) => below, x = x, torch.stack(read)
    :: append(x) => append(x + below if states else x)
all layers read the words :: states = [] => states, words = [], x :: in x: => in words: :: (x if states
    => (words if states
the state before is not read :: + w_state @ h =>
the cell state begins anew at each word :: f.sigmoid() * c + =>
no bias :: + bias =>
no residual connection :: + (x if states else 0) =>
a residual connection around the first layer, too :: (x if states else 0) => x
the words are what is added :: states = [] => states, words = [], x :: (x if states => (words if states
only the words are added, in every layer :: states = [] => states, words = [], x :: (x if states else 0) => words
what is added comes into the next step :: c.tanh()) => c.tanh()) + (row if states else 0) :: + (x if states else 0) =>
the sum is read, but not returned :: x = torch.stack(read) + (x if states else 0)\n        states.append(x)
    => x = torch.stack(read) + (x if states else 0)\n        states.append(torch.stack(read))
all layers read the words :: x = torch.stack(read) + (x if states else 0)\n        states.append(x)
    => states.append(torch.stack(read))
a layer goes on from the end of the one below :: states = []
    => states, h, c = [], x.new_zeros(layers[0][3].shape[0]), x.new_zeros(layers[0][3].shape[1])
    :: h, c, read = x.new_zeros(projection.shape[0]), x.new_zeros(projection.shape[1]), [] => read = []
the state is shown without tanh :: c.tanh() => c
the gates are taken in another order :: i, f, g, o = => f, i, g, o =
the gates are taken in another order :: i, f, g, o = => i, f, o, g =
the gates are taken in another order :: i, f, g, o = => i, g, f, o =
the layers are in the opposite order :: torch.stack(states) => torch.stack(states[::-1])
read from the end :: states = [] => states, x = [], x.flip(0) :: torch.stack(states) => torch.stack(states).flip(1)
the top layer only :: torch.stack(states) => states[-1]
error :: projection @ ( => (projection.T @
""",
    "4.9": r"""
the competition of the weights is left out :: * (along - mean) => * along
only the diagonal of the softmax :: (along - mean) => (1 - s) * along
the gradient by the weights after the softmax :: gamma * s * (along - mean) => gamma * along
the layer's own weight is missing :: gamma * s * (along => gamma * (along
only the first word counts :: "wjd,wd->j", layers, grad => "jd,d->j", layers[0], grad[0]
the plain mean is taken off :: (along - mean) => (along - along.mean())
gamma is missing by raw :: gamma * s * => s *
gamma is still there by gamma :: , mean => , gamma * mean
gamma's gradient without the weights :: , mean => , along.sum()
no softmax :: raw.softmax(dim=0) => raw
the mean over the words :: "wjd,wd->j", layers, grad) => "wjd,wd->j", layers, grad) / len(grad)
the sign is turned round :: return gamma * s * (along - mean), mean => return -gamma * s * (along - mean), -mean
the two gradients are exchanged :: return gamma * s * (along - mean), mean => return mean, gamma * s * (along - mean)
error :: wjd,wd->j => wjd,w->j
""",
}
