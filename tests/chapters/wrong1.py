"""Wrong answers to the exercises of chapter 1 as readers write them: see `cells.py`."""

import torch


def pair_by_pair(inputs, outputs, gradients, centre, context, negatives, rate):
    inputs, outputs = inputs.clone(), outputs.clone()
    for c, o, drawn in zip(centre, context, negatives, strict=True):
        ids = torch.cat([o[None], drawn])
        to_v, to_u = gradients(inputs[c][None], outputs[ids][None])
        inputs[c] -= rate * to_v[0]
        for k, i in enumerate(ids):
            outputs[i] -= rate * to_u[0, k]
    return inputs, outputs


WRONG = {
    "1.2": r"""
divides by the vocabulary size :: / total => / len(counts)
divides by the vocabulary size :: count**power / total => (count / len(counts)) ** power
the power is missing :: count**power => count * power
the power comes after the shares :: count**power / total => (count / sum(counts.values())) ** power
divides by the total of the plain counts :: sum(count**power => sum(count
the power is fixed :: **power => **0.75
softmax :: count**power => math.exp(count**power)
no division at all :: / total =>
rare words become the most frequent :: **power => **-power
""",
    "1.3": r"""
keep and drop are swapped :: max(0.0, 1 - math => min(1.0, math
negative probabilities :: max(0.0, => (
counts instead of frequencies :: * total =>
the square root is missing :: math.sqrt =>
the root is taken of one part alone :: math.sqrt(threshold * total / count) => math.sqrt(threshold) * total / count
the root is taken of one part alone :: math.sqrt(threshold * total / count) => threshold / math.sqrt(count / total)
rare words are always dropped :: max(0.0, 1 - => (lambda p: p if p >= 0 else 1.0)(1 -
the fraction is upside down :: threshold * total / count => count / total / threshold
the formula of the C program :: / count) => / count) - threshold * total / count
divides by the vocabulary size :: sum(counts.values()) => len(counts)
""",
    "1.5": r"""
the dot product is not normalised :: / vectors.norm(dim=1, keepdim=True) =>
the word itself is in the list :: cosine[word] = -torch.inf =>
the furthest words :: unit @ unit[word] => -unit @ unit[word]
the furthest words :: tolist() => tolist()[::-1]
one neighbour too few :: cosine[word] = -torch.inf => :: .tolist() => [1:].tolist()
one neighbour too few :: cosine[word] = -torch.inf => :: cosine.topk(k).indices.tolist()
    => [i for i in cosine.topk(k).indices.tolist() if i != word]
Euclidean distance :: unit @ unit[word] => -torch.cdist(vectors, vectors[[word]])[:, 0]
similarities instead of ids :: indices => values
the word itself is in the list :: cosine[word] = -torch.inf => :: .topk(k).indices => .topk(k + 1).indices[1:]
the word itself is in the list :: cosine[word] = -torch.inf => :: cosine.topk(k).indices
    => (-cosine).argsort(stable=True)[1 : k + 1]
the word itself can win again :: -torch.inf => 0
the word itself can win again :: -torch.inf => -1
the ids are those of a shorter table :: cosine[word] = -torch.inf
    => cosine = torch.cat([cosine[:word], cosine[word + 1 :]])
words that point the same way are left out :: cosine[word] => cosine[(vectors == vectors[word]).all(1)]
words that point the same way are left out :: cosine[word] => cosine[cosine > 1 - 1e-6]
normalised along the wrong axis :: dim=1 => dim=0
the sign of the cosine is lost :: unit @ unit[word] => (unit @ unit[word]).abs()
""",
    "1.6": r"""
the sign is swapped: b - a + c :: unit[a] - unit[b] => unit[b] - unit[a]
the sign is swapped: a + b - c :: unit[b] + unit[c] => unit[c] + unit[b]
the inputs are not excluded :: cosine[[a, b, c]] = -torch.inf =>
only one input is excluded :: [[a, b, c]] => [c]
only one input is excluded :: [[a, b, c]] => [b]
only two inputs are excluded :: [[a, b, c]] => [[a, b]]
only two inputs are excluded :: [[a, b, c]] => [[a, c]]
only two inputs are excluded :: [[a, b, c]] => [[b, c]]
the inputs can win again :: -torch.inf => 0
the inputs can win again :: -torch.inf => -1
the id is that of a shorter table :: cosine[[a, b, c]] = -torch.inf
    => cosine = torch.stack([x for i, x in enumerate(cosine) if i not in (a, b, c)])
the sign of the cosine is lost :: cosine[[a, b, c]] = -torch.inf => cosine[[a, b, c]] = 0 :: cosine.arg
    => cosine.abs().arg
the vectors are not brought to length 1 before the sum :: (unit[a] - unit[b] + unit[c])
    => (vectors[a] - vectors[b] + vectors[c])
the dot product is not normalised :: / vectors.norm(dim=1, keepdim=True) =>
the least similar word :: argmax => argmin :: -torch.inf => torch.inf
a similarity instead of an id :: int(cosine.argmax()) => float(cosine.max())
""",
    "1.8": r"""
dropped words leave a gap :: return pairs
    => return [(words[i], words[j]) for i in left for j in left if 0 < abs(i - j) <= reach[i]]
nothing is dropped :: if stays] => ]
the dropped words stay :: if stays] => if not stays]
dropped words are centres :: return pairs
    => return [(word, words[j]) for i, word in enumerate(words) for j in left if 0 < abs(i - j) <= reach[i]]
dropped words are contexts :: return pairs
    => return [(words[i], w) for i in left for j, w in enumerate(words) if 0 < abs(i - j) <= reach[i]]
the reach of another word :: reach[i] => reach[place]
the reach of the context :: return pairs
    => return [(c, o) for p, i in enumerate(left) for q, j in enumerate(left) for c, o in [(words[i], words[j])] if p !=
    q and abs(p - q) <= reach[j]]
one reach for all :: reach[i] => max(reach)
the centre is paired with itself :: if other != place: => if True:
one side only :: other != place => other > place
one side only :: other != place => other < place
the window is one too small :: reach[i] + 1) => reach[i])
the window is one too large :: place - reach[i] => place - reach[i] - 1 :: + 1) => + 2)
the order is (context, centre) :: (words[i], words[left[other]]) => (words[left[other]], words[i])
a repeated word is dropped :: other != place => words[left[other]] != words[i]
a pair is listed once only :: return pairs => return list({pair: None for pair in pairs})
a slice starts at a negative position :: pairs = [] => pairs, all = [], list(range(len(left)))
    :: range(max(0, place - reach[i]), min(len(left), place + reach[i] + 1))
    => all[place - reach[i] : place] + all[place + 1 : place + 1 + reach[i]]
a word is looked up by its first place :: reach[i] => reach[words.index(words[i])]
all occurrences of a dropped word are dropped :: if stays] => if (words[i], False) not in zip(words, kept)]
another order of the pairs :: return pairs => return sorted(pairs)
the window is one too large :: place + reach[i] + 1 => place + reach[i] + 2
the window is one too large :: place - reach[i]) => place - reach[i] - 1)
""",
    "1.9": r"""
uphill :: error[:, 0] -= 1 => error = torch.eye(error.shape[1])[0] - error
every answer is no :: error[:, 0] -= 1 =>
every answer is yes :: error[:, 0] -= 1 => error -= 1
yes and no are swapped :: error[:, 0] -= 1 => error[:, 1:] -= 1
the context is taken for the last :: error[:, 0] => error[:, -1]
the sigmoid is missing :: .sigmoid() =>
the slope of the sigmoid is multiplied in :: error[:, 0] -= 1 => slope = error * (1 - error)\n    error[:, 0] -= 1
    \n    error = error * slope
what is answered well moves most :: error[:, 0] -= 1 => error[:, 0] *= -1
what is answered well moves most :: error[:, 0] -= 1 => error = 1 - error\n    error[:, 0] *= -1
what is answered well moves most :: error[:, 0] -= 1 => error[:, 0] *= -1\n    error[:, 1:] = 1 - error[:, 1:]
a softmax over the drawn words :: .sigmoid() => .softmax(-1)
the mean over the questions :: error[:, 0] -= 1 => error[:, 0] -= 1\n    error /= u.shape[1]
the mean over the questions :: error[:, 0] -= 1 => error[:, 0] -= 1\n    error[:, 1:] /= u.shape[1] - 1
the mean over the questions :: torch.einsum("pk,pkd->pd", error, u) => (error[..., None] * u).mean(1)
the mean over the pairs :: error[:, 0] -= 1 => error[:, 0] -= 1\n    error /= len(v)
one kind of question moves the centre :: "pk,pkd->pd", error, u => "p,pd->pd", error[:, 0], u[:, 0]
one kind of question moves the centre :: error, u) => error[:, 1:], u[:, 1:])
a row is moved along itself :: torch.einsum("pk,pd->pkd", error, v) => error[..., None] * u
a row is moved along itself :: "pk,pkd->pd", error, u => "pk,pd->pd", error, v
the pairs are added up :: torch.einsum("pk,pd->pkd", error, v) => error.T @ v
the pairs are added up :: "pk,pkd->pd" => "pk,pkd->d"
the two results are swapped :: return torch => return tuple(reversed((torch :: , error, v) => , error, v))))
the exponential overflows :: .sigmoid() => .exp()\n    error = error / (1 + error)
""",
    "1.10": r"""
uphill :: alpha=-rate => alpha=rate
a repeated word moves once :: moved = inputs => inputs, outputs = inputs.clone(), outputs.clone()
    \n    inputs[centre] -= rate * to_v\n    outputs[asked] -= rate * to_u\n    return inputs, outputs
    \n    moved = inputs
a repeated word moves by the mean :: moved = inputs => to_v = to_v / centre.bincount()[centre][:, None]
    \n    to_u = to_u / asked.flatten().bincount()[asked][..., None]\n    moved = inputs
one pair after the other :: = pair_by_pair
one table moves before the other is asked :: return moved => to_u = gradients(moved[centre], outputs[asked])[1]
    \n    return moved
the context comes last :: [context[:, None], negatives] => [negatives, context[:, None]]
the rows come from the wrong tables :: gradients(inputs[centre], outputs[asked])
    => gradients(outputs[centre], inputs[asked])
one table stays as it was :: outputs.index_add(0, asked.flatten(), to_u.flatten(0, 1), alpha=-rate) => outputs
one table stays as it was :: inputs.index_add(0, centre, to_v, alpha=-rate) => inputs
one kind of context stays as it was :: asked.flatten(), to_u.flatten(0, 1) => context, to_u[:, 0]
one kind of context stays as it was :: asked.flatten(), to_u.flatten(0, 1)
    => negatives.flatten(), to_u[:, 1:].flatten(0, 1)
the learning rate is missing :: alpha=-rate => alpha=-1
divided by the number of pairs :: alpha=-rate => alpha=-rate / len(centre)
the changes instead of the tables :: inputs.index_add => torch.zeros_like(inputs).index_add :: outputs.index_add
    => torch.zeros_like(outputs).index_add
the two tables are swapped :: return moved, outputs.index_add(0, asked.flatten(), to_u.flatten(0, 1), alpha=-rate)
    => return outputs.index_add(0, asked.flatten(), to_u.flatten(0, 1), alpha=-rate), moved
a repeated word moves once :: moved = inputs => inputs, outputs = inputs.clone(), outputs.clone()
    \n    inputs[centre] -= rate * to_v\n    outputs[context] -= rate * to_u[:, 0]
    \n    outputs[negatives] -= rate * to_u[:, 1:]\n    return inputs, outputs\n    moved = inputs
a repeated word moves once :: inputs.index_add(0, centre, to_v, alpha=-rate)
    => inputs.index_put((centre,), inputs[centre] - rate * to_v)
a repeated word moves once :: outputs.index_add(0, asked.flatten(), to_u.flatten(0, 1), alpha=-rate)
    => outputs.index_put((asked,), outputs[asked] - rate * to_u)
the rows come from the wrong tables :: outputs[asked] => inputs[asked]
the rows come from the wrong tables :: inputs[centre] => outputs[centre]
a change reaches another word :: asked.flatten() => asked.T.flatten()
a change reaches another word :: asked.flatten() => torch.cat([context, negatives.flatten()])
nothing has moved :: to_v, to_u = gradients(inputs[centre], outputs[asked]) => v, u = inputs[centre], outputs[asked]
    \n    to_v, to_u = gradients(v, u)\n    v -= rate * to_v\n    u -= rate * to_u\n    return inputs, outputs
a repeated word moves once :: moved = inputs => inputs, outputs = inputs.clone(), outputs.clone()
    \n    inputs[centre] -= rate * to_v\n    for k in range(asked.shape[1]):
    \n        outputs[asked[:, k]] -= rate * to_u[:, k]\n    return inputs, outputs\n    moved = inputs
""",
}
