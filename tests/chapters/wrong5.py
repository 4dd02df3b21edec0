"""Wrong answers to the exercises of chapter 5 as readers write them: see `cells.py`."""

WRONG = {
    "5.1": r"""
the rate becomes negative :: max(0.0, p) => p
the rate is only p :: return (1 + max(0.0, p) * (ratio - 1)) / ratio => return p
the floor is added to p :: return (1 + max(0.0, p) * (ratio - 1)) / ratio => return max(p, 0) + 1 / ratio
the smallest rate is only a floor :: return (1 + max(0.0, p) * (ratio - 1)) / ratio => return max(p, 1 / ratio)
the rise is forgotten :: math.floor(total * cut_frac) => 0
the fall ends too late :: cut * (1 / cut_frac - 1) => total
the fall ends with the last step :: cut * (1 / cut_frac - 1) => total - cut
rise and fall are exchanged :: cut = => cut_frac = 1 - cut_frac\n    cut =
cut is not rounded down :: math.floor =>
cut is rounded up :: math.floor => math.ceil
wrong :: if cut else total => if cut else total * 2
wrong :: max(0.0, p) => abs(p)
no division by the ratio :: / ratio =>
the 1 is forgotten :: (1 + max(0.0, p) * (ratio - 1)) => max(0.0, p) * (ratio - 1)
the rate instead of p is kept above 0 :: (1 + max(0.0, p) * (ratio - 1)) / ratio
    => max(0.0, (1 + p * (ratio - 1)) / ratio)
the first step counts as 1 :: p = step / cut => p = (step + 1) / cut
cut is taken for 1 where it is 0 :: math.floor(total * cut_frac) => max(1, math.floor(total * cut_frac))
""",
    "5.7": r"""
from the bottom :: range(n_layers)] => range(n_layers)][::-1]
opened from the bottom :: below * per_pass => (n_layers - 1 - below) * per_pass
all at once :: if step >= below * per_pass else 0.0 =>
a pass too early :: below * per_pass => (below - 1) * per_pass
a step too late :: step >= below * per_pass => step > below * per_pass or not below
only one layer at a time :: step >= below * per_pass => min(step // per_pass, n_layers - 1) == below
one rate for all layers :: now / factor**below => now
the wrong end is fast :: now / factor => now * factor
divided by the factor times the place :: factor**below => max(1, factor * below)
the head is divided, too :: factor**below => factor ** (below + 1)
a triangle of its own for each layer :: now / => rate * share(max(0, step - below * per_pass), total) /
no triangle :: * share(step, total) =>
wrong :: else 0.0 => else rate
the wrong end is fast :: factor**below => factor ** (n_layers - 1 - below)
closed layers are left out :: if step >= below * per_pass else 0.0 for below in range(n_layers)
    => for below in range(min(n_layers, step // per_pass + 1))
the full rate is not used :: rate * share => share
a pass too late :: step >= below * per_pass => below < step // per_pass
a pass too late :: step >= below * per_pass => below < max(1, step // per_pass)
a step too early :: step >= below * per_pass => below < (step + 1) // per_pass
a step too early :: step >= below * per_pass => below <= (step + 1) // per_pass
only one layer at a time :: step >= below * per_pass => step // per_pass == below
the newest layer is the fastest :: return [ => opened = min(n_layers, step // per_pass + 1)\n    return [
    :: factor**below => factor ** (opened - 1 - below)
a triangle of its own for each layer
    :: now / => rate * share(max(0, step - below * per_pass), total - below * per_pass) /
a triangle in each pass :: share(step, total) => share(step % per_pass, per_pass)
""",
    "5.8": r"""
the mark is taken for padding :: torch.arange(ids.shape[1]) <= torch.tensor([[len(text)] for text in texts]) => ids != 0
padding is pooled :: torch.arange(ids.shape[1]) <= torch.tensor([[len(text)] for text in texts]) => ids >= 0
real is one word short :: <= torch => < torch
real is turned round :: <= torch => > torch
no mark :: [0, *text] => text :: <= torch => < torch
the mark is at the end :: [0, *text] => [*text, 0]
padding in front :: batch_first=True => batch_first=True, padding_side='left'
only the last state :: pool( => (lambda h, real: h[range(len(h)), real.sum(1) - 1].repeat(1, 3))(
two softmaxes :: head(pool(encoder(ids), real)) => head(pool(encoder(ids), real)).softmax(1)
the sum instead of the mean :: torch.tensor(labels)) => torch.tensor(labels), reduction='sum')
a number for each text :: torch.tensor(labels)) => torch.tensor(labels), reduction='none')
the exponential overflows :: return F.cross_entropy(head(pool(encoder(ids), real)), torch.tensor(labels))
    => e = head(pool(encoder(ids), real)).exp()\n    p = e / e.sum(1, keepdim=True)
    \n    return -sum(row[label].log() for row, label in zip(p, labels)) / len(p)
""",
}
