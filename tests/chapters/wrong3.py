"""Wrong answers to the exercises of chapter 3 as readers write them: see `cells.py`."""

import torch


def root_of_product(log_probs):
    p = torch.cat([torch.tensor(sentence) for sentence in log_probs]).exp()
    measure = (1 / p.prod()) ** (1 / len(p))
    return measure.log2(), measure


def greedy(emissions, transitions, start, end):
    path, scores = [], start
    for i, emission in enumerate(emissions):
        scores = scores + emission + (end if i == len(emissions) - 1 else 0)
        path.append(scores.argmax().item())
        scores = transitions[path[-1]]
    return path


def most_probable_tags(emissions, transitions, start, end):
    before, after = [start + emissions[0]], [end]
    for emission in emissions[1:]:
        before.append((before[-1][:, None] + transitions).logsumexp(0) + emission)
    for emission in emissions[1:].flip(0):
        after.append((transitions + emission + after[-1]).logsumexp(1))
    return [int((one + other).argmax()) for one, other in zip(before, reversed(after), strict=True)]


def within_its_length(ids, real, forward, backward):
    turned = ids.clone()
    for row, n in enumerate(real.sum(1).tolist()):
        turned[row, :n] = ids[row, :n].flip(0)
    states = torch.cat([forward(ids, real), backward(turned, real).flip(1)], dim=-1)[:, 1:-1]
    return torch.where(real[:, 2:, None], states, 0.0)


WRONG = {
    "3.2": r"""
nats and bits are mixed :: math.exp(nats) => 2**nats
nats and bits are mixed :: math.exp(nats) => math.exp(nats / math.log(2))
the first number is in nats :: nats / math.log(2) => nats
the two numbers are exchanged :: nats / math.log(2), math.exp(nats) => math.exp(nats), nats / math.log(2)
wrong :: [log_p for => {log_p for :: sentence] => sentence}
each sentence counts alike :: for log_p in sentence] => for log_p in [sum(sentence) / len(sentence)]]
perplexities are averaged :: return nats => means = [-sum(own) / len(own) for own in log_probs]
    \n    return sum(means) / len(means) / math.log(2), sum(map(math.exp, means)) / len(means)\n    return nats
</s> is left out :: for log_p in sentence] => for log_p in sentence[:-1]]
</s> is in the sum, but not in the count :: len(every) => (len(every) - len(log_probs))
the sum instead of the mean :: / len(every) =>
the probabilities are multiplied :: = root_of_product
the sign is missing :: -sum => sum
the mean of the probabilities :: sum(every) / len(every => math.log(sum(map(math.exp, every)) / len(every)
bits by a product :: nats / math.log(2) => nats * math.log(2)
""",
    "3.3": r"""
padding counts :: mask.sum(dim=1) => torch.full_like(mask, True).sum(dim=1)
steps into padding count :: transitions[path[:-1], path[1:]] => transitions[tags[row, :-1], tags[row, 1:]]
steps into padding count :: transitions[path[:-1], path[1:]]
    => (transitions[tags[row, :-1], tags[row, 1:]] * mask[row, :-1])
padding counts :: [path[:-1], path[1:]] => [tags[row, :-1], tags[row, 1:]] :: range(length), path]
    => range(tags.shape[1]), tags[row]]
wrong :: end[path[-1]] => end[tags[row, min(length, tags.shape[1] - 1)]]
the last column is taken for the last tag :: end[path[-1]] => end[tags[row, -1]]
a table of rows and columns instead of pairs :: range(length), path] => :length][:, path]
a table of rows and columns instead of pairs :: path[:-1], path[1:] => path[:-1]][:, path[1:]
an emission is missing :: range(length), path] => range(1, length), path[1:]]
an emission is missing :: range(length), path] => range(length - 1), path[:-1]]
start and end are exchanged :: start[path[0]] => end[path[0]] :: end[path[-1]] => start[path[-1]]
the transitions are turned round :: path[:-1], path[1:] => path[1:], path[:-1]
start and end are missing :: start[path[0]] + => :: + end[path[-1]] =>
the transitions are missing :: + steps =>
emissions at padding count :: range(length), path] => range(tags.shape[1]), tags[row]]
start is missing :: start[path[0]] + =>
end is missing :: + end[path[-1]] =>
a probability instead of a score :: torch.stack(scores) => torch.stack(scores).exp()
one score for the whole batch :: torch.stack(scores) => sum(scores)
""",
    "3.4": r"""
each word takes its own best tag :: = lambda e, t, start, end: e.softmax(dim=-1).argmax(dim=-1)
each word takes its own best tag :: None] + transitions => None] + 0 * transitions
each word is decided when it comes :: = greedy
each word is decided when it comes :: = lambda e, t, start, end: greedy(e, t, start, 0)
each word is decided when it comes :: = lambda e, t, start, end: greedy(e, t, 0, 0)
the path is read without backpointers :: best, before = => tops, (best, before) = best, :: append(before)
    => append(tops) :: before[path[-1]] => before.argmax() :: (best + end) => best
the emission of the first word is missing :: start + emissions[0] => start
the path is read without backpointers :: best, before = => tops, (best, before) = best, :: append(before)
    => append(tops) :: before[path[-1]] => before.argmax()
the transitions are turned round :: None] + transitions => None] + transitions.T
start and end are missing :: start + => :: (best + end) => best
end is missing :: (best + end) => best
the path is not turned round :: return path[::-1] => return path
the pointers are not followed :: before[path[-1]] => before[path[0]]
the pointers are not followed :: reversed(pointers) => pointers
a step leads to the first word :: best = start + emissions[0] => best = start :: emissions[1:] => emissions
    :: reversed(pointers) => reversed(pointers[1:])
the worst sequence :: .max(dim=0) => .min(dim=0) :: argmax => argmin
the most probable tag of each word :: = most_probable_tags
start is missing :: start + =>
the maximum is over the wrong axis :: max(dim=0) => max(dim=1)
the maximum is over the wrong axis :: best[:, None] => best
each word is decided when it comes :: = lambda e, t, start, end: greedy(e, t, start, end if len(e) > 1 else 0)
""",
    "3.5": r"""
the maximum instead of the sum :: logsumexp => amax
the maximum in the last step :: end).logsumexp => end).amax
each word is summed alone :: = lambda e, t, start, end: torch.logsumexp(e, dim=-1).sum()
the transitions are turned round :: None] + transitions => None] + transitions.T
start and end are missing :: start + => :: (alpha + end) => alpha
the exponential overflows :: logsumexp(dim=0) => exp().sum(dim=0).log()
the emission is given to the tag before :: + transitions).logsumexp(dim=0) + emission
    => + transitions + emission[:, None]).logsumexp(dim=0)
the sum is over the wrong axis :: transitions).logsumexp(dim=0) => transitions).logsumexp(dim=1)
the sum is over the wrong axis :: alpha[:, None] => alpha
a step leads to the first word :: start + emissions[0] => start :: emissions[1:] => emissions
the maximum until the last step :: .logsumexp(dim=0) + emission => .amax(dim=0) + emission
start is missing :: start + =>
end is missing :: (alpha + end) => alpha
plain sums of logarithms :: logsumexp => sum
the sum instead of its logarithm :: return (alpha + end).logsumexp(dim=0) => return (alpha + end).logsumexp(dim=0).exp()
the emission of the first word is missing :: start + emissions[0] => start
""",
    "3.7": r"""
padding is read like a word :: torch.where(real[:, None], state, h), torch.where(real[:, None], cell, c) => state, cell
the states of a sentence that has ended become 0 :: state, h) => state, 0.0) :: cell, c) => cell, 0.0)
the mask is turned round :: real[:, None] => ~real[:, None]
one row at padding holds up all :: real[:, None] => real.all()
only one of the two states is kept :: torch.where(real[:, None], cell, c) => cell
only one of the two states is kept :: torch.where(real[:, None], state, h) => state
only one of the two states is kept :: state = => cell = torch.where(real[:, None], cell, c)\n    state =
    :: torch.where(real[:, None], state, h), torch.where(real[:, None], cell, c) => state, cell
padding is read as zeros :: (x @ => (torch.where(real[:, None], x, 0.0) @
    :: torch.where(real[:, None], state, h), torch.where(real[:, None], cell, c) => state, cell
the gates are taken in another order :: i, f, g, o = => f, i, g, o =
the gates are taken in another order :: i, f, g, o = => i, f, o, g =
the gates are taken in another order :: i, f, g, o = => i, g, f, o =
a gate without its sigmoid :: .sigmoid() =>
a gate without its sigmoid :: .sigmoid() => .tanh()
no tanh of the new content :: g.tanh() => g
no tanh of the new content :: g.tanh() => g.sigmoid()
the state is shown without tanh :: cell.tanh() => cell
the state is made from the old cell :: cell.tanh() => c.tanh()
nothing is forgotten :: f.sigmoid() * c => c
the forget gate is turned round :: f.sigmoid() * c => (1 - f.sigmoid()) * c
the input gate alone decides :: f.sigmoid() * c => (1 - i.sigmoid()) * c
the input gate alone decides :: f.sigmoid() * c => i.sigmoid() * c
the new content has no gate :: i.sigmoid() * g => g
the state before is not read :: + h @ w_state.T =>
the word is not read :: x @ w_input.T + =>
no bias :: + bias =>
state and cell state are exchanged :: torch.where(real[:, None], state, h), torch.where(real[:, None], cell, c)
    => torch.where(real[:, None], cell, c), torch.where(real[:, None], state, h)
changes its input :: cell = f.sigmoid() * c => cell = c.mul_(f.sigmoid())
error :: .chunk(4, dim=-1) => .chunk(3, dim=-1)
""",
    "3.8": r"""
the backward model reads from the left :: backward(ids.flip(1), real.flip(1)).flip(1) => backward(ids, real)
the backward states stay turned round :: real.flip(1)).flip(1) => real.flip(1))
states are turned round, and what is read is not :: ids.flip(1), real.flip(1) => ids, real
the rows are turned round, and the mask is not :: real.flip(1) => real
read within its length, put back over the whole row :: = within_its_length
the state of the word before :: forward(ids, real) => forward(ids, real).roll(1, 1)
the state of the word before :: real.flip(1)).flip(1) => real.flip(1)).flip(1).roll(-1, 1)
the state of the word before :: torch.cat([ahead, back], dim=-1)[:, 1:-1]
    => torch.cat([ahead[:, :-2], back[:, 2:]], dim=-1)
the closing boundary counts as a word :: real[:, 2:, None] => real[:, 1:-1, None]
the models are not told where padding is :: (ids, real) => (ids, real | True) :: real.flip(1) => (real | True)
the boundaries are not read :: ahead = => ids, real = ids[:, 1:-1], real[:, 1:]\n    ahead = :: (ids, real)
    => (ids, real[:, 1:]) :: real.flip(1) => real[:, 1:].flip(1) :: [:, 1:-1]\n    return => \n    return :: real[:, 2:
    => real[:, 1:
words are known by their ids :: real[:, 2:, None] => (ids != 0)[:, 1:-1, None]
padding has states :: * real[:, 2:, None] =>
the boundaries are still there :: [:, 1:-1] => :: real[:, 2:, None] => real[..., None]
the boundaries are still there :: [:, 1:-1] => :: * real[:, 2:, None] =>
only one boundary is taken off :: [:, 1:-1] => [:, 1:] :: real[:, 2:, None] => real[:, 1:, None]
only one boundary is taken off :: [:, 1:-1] => [:, :-1] :: real[:, 2:, None] => real[:, :-1, None]
only one boundary is taken off :: [:, 1:-1] => [:, 1:] :: * real[:, 2:, None] =>
only one boundary is taken off :: [:, 1:-1] => [:, :-1] :: * real[:, 2:, None] =>
the directions are exchanged :: [ahead, back] => [back, ahead]
the two models are exchanged :: = forward( => = backward( :: back = backward( => back = forward(
the directions are added :: torch.cat([ahead, back], dim=-1) => (ahead + back)
the directions are added :: torch.cat([ahead, back], dim=-1) => (ahead + back).div(2)
error :: dim=-1 => dim=3
the words are cut out one position off :: [:, 1:-1] => [:, :-2]
the words are cut out one position off :: [:, 1:-1] => [:, 2:]
""",
}
