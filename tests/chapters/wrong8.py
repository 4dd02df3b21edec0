"""Wrong answers to the exercises of chapter 8 as readers write them: see `cells.py`."""

import math

import torch


def on_pieces(text):
    """text(chosen pieces); their start is right."""

    def answer(passage, pieces, n_question, first, last):
        row = [None] * (1 + n_question + 1) + list(pieces)
        return text([piece for piece, _, _ in row[first : last + 1]]), row[first][1]

    return answer


def placed(windows):
    """[score, start, end] in the passage, in the order of windows."""
    return [[score, begins + start, begins + end] for begins, spans in windows for score, start, end in spans]


def ranked(windows):
    return [(start, end) for _, start, end in sorted(placed(windows), reverse=True)]


def silenced(decide):
    """decide(which windows have no answer of their own): has none of them?"""

    def answer(windows, threshold):
        silent = [max(spans)[0] - null <= threshold for null, spans in windows]
        return (0, 0) if decide(silent) else max(span for _, spans in windows for span in spans)[1:]

    return answer


def softmaxes(windows):
    """The same windows, a softmax over all scores of each."""
    found = []
    for first, spans in windows:
        p = torch.tensor([first, *(score for score, _, _ in spans)], dtype=torch.float64).softmax(0).tolist()
        found.append((p[0], [(q, start, end) for q, (_, start, end) in zip(p[1:], spans, strict=True)]))
    return found


def softmax_first(windows, threshold):
    lowest = min(null for null, _ in softmaxes(windows))
    score, start, end = max(span for _, spans in softmaxes(windows) for span in spans)
    return (start, end) if score > lowest + threshold else (0, 0)


def softmax_of_spans(windows, n):
    rated = softmaxes([(-math.inf, spans) for _, spans in windows])
    found = ranked([(at, spans) for (at, _), (_, spans) in zip(windows, rated, strict=True)])
    return list(dict.fromkeys(found))[:n]


def without_overlap(windows, n):
    found = []
    for start, end in ranked(windows):
        if not any(start < right and left < end for left, right in found):
            found.append((start, end))
    return found[:n]


def share(hits):
    return sum(hits) / len(hits)


WRONG = {
    "8.3": r"""
pieces are joined, ## and all :: = on_pieces(" ".join)
pieces are glued to words :: = on_pieces(lambda pieces: " ".join(pieces).replace(" ##", "").removeprefix("##"))
pieces are glued without spaces :: = on_pieces(lambda pieces: "".join(pieces).replace("##", ""))
whole words :: return passage => while start > 0 and passage[start - 1] != " ":\n        start -= 1
    \n    while end < len(passage) and passage[end] != " ":\n        end += 1\n    return passage
the question is not taken off :: n_question + 2 => 0
[CLS] and [SEP] are not taken off :: n_question + 2 => n_question
one special piece is not taken off :: n_question + 2 => n_question + 1
one special piece too many is taken off :: n_question + 2 => n_question + 3
one character too many :: passage[start:end] => passage[start : end + 1]
one character too few :: passage[start:end] => passage[start : end - 1]
the last piece is missing :: pieces[last - begins][2] => pieces[last - begins][1]
only the first piece :: pieces[last - begins][2] => pieces[first - begins][2]
bytes instead of characters :: passage[start:end] => str(passage.encode()[start:end], "utf-8", "replace")
the first place with the same text :: [start:end], start => [start:end], passage.find(passage[start:end])
the place in the row :: return passage[start:end], start => return passage[start:end], first
pieces are glued to words :: = on_pieces(lambda pieces: " ".join(pieces).replace(" ##", ""))
bytes instead of characters :: passage[start:end] => str(passage.encode()[start:end], "utf-8", "ignore")
cut piece by piece and joined :: passage[start:end]
    => ' '.join(passage[a:b] for _, a, b in pieces[first - begins : last - begins + 1])
only the text :: return passage[start:end], start => return passage[start:end]
pieces are joined, ## and all :: = on_pieces("".join)
pieces are glued to words :: = on_pieces(lambda pieces: " ".join(pieces).replace("##", ""))
the question's own pieces are not taken off :: n_question + 2 => 2
the last piece is missing :: pieces[last - begins] => pieces[last - begins - 1]
""",
    "8.4": r"""
start and end apart :: i <= j < i + max_pieces => True
start and end apart, over all places :: if inside] => ] :: i <= j < i + max_pieces => True
start and end apart, then exchanged :: i <= j < i + max_pieces => True :: max( => sorted(max( :: ]]) => ]]))
the best start, then its best end :: start[span[0]] + end[span[1]] => (start[span[0]], end[span[1]])
the best end, then its best start :: start[span[0]] + end[span[1]] => (end[span[1]], start[span[0]])
no limit on the length :: < i + max_pieces =>
one piece too long :: j < i + max_pieces => j <= i + max_pieces
one piece too short :: j < i + max_pieces => j < i + max(1, max_pieces - 1)
the end may come before the start :: i <= j < i + max => i - max_pieces < j < i + max
the answer may lie in the question :: if inside] => ]
the answer may reach the last [SEP] :: if inside] => if place >= in_passage.index(True)]
only spans of one piece :: i <= j < i + max_pieces => i == j
the product of the logits :: start[span[0]] + end => start[span[0]] * end
the product of two sigmoids :: start[span[0]] + end[span[1]]
    => 1 / ((1 + math.exp(-start[span[0]])) * (1 + math.exp(-end[span[1]])))
the sum of two sigmoids :: start[span[0]] + end[span[1]]
    => 1 / (1 + math.exp(-start[span[0]])) + 1 / (1 + math.exp(-end[span[1]]))
probabilities are added :: start[span[0]] + end[span[1]] => math.exp(start[span[0]]) + math.exp(end[span[1]])
the answer may lie in the question :: for i in places => for i in range(len(start))
the answer may reach the last [SEP] :: for j in places => for j in range(len(start))
places are counted in the passage :: return => return tuple(place - places[0] for place in :: ]]) => ]]))
one past the end :: return max( => return (lambda span: (span[0], span[1] + 1))(max( :: [1]]) => [1]]))
the score instead of the places :: spans, key=lambda span: => :: [1]]) => [1]] for span in spans)
the end may come before the start :: i <= j < i + max => j < i + max
the best score begins at 0 :: return max(spans, key=lambda span: start[span[0]] + end[span[1]])
    => best = max([*spans, (0, 0)], key=lambda s: start[s[0]] + end[s[1]] if s in spans else 0)\n    return best
""",
    "8.5": r"""
each word once :: bags.append(Counter( => bags.append(Counter(dict.fromkeys( :: .split()) => .split(), 1))
right words once :: (ours & theirs).total() => len(ours & theirs)
a word is right as often as it is said :: (ours & theirs) => Counter({w: n for w, n in ours.items() if w in theirs})
articles are kept :: re.sub(r"\b(a|an|the)\b", " ", kept) => kept
articles are dropped inside words :: r"\b(a|an|the)\b", " " => "the|an|a", ""
articles are dropped first :: re.sub(r"\b(a|an|the)\b", " ", kept) => kept :: text.lower()
    => re.sub(r"\b(a|an|the)\b", " ", text.lower())
capitals count :: text.lower() => text
punctuation is kept :: if character not in string.punctuation =>
punctuation becomes a space :: character for character in text.lower() if character not in string.punctuation
    => ' ' if character in string.punctuation else character for character in text.lower()
punctuation goes at the ends of words only :: text.lower() if character not in string.punctuation
    => " ".join(word.strip(string.punctuation) for word in text.lower().split())
wrong :: text.lower() if => text if :: (a|an|the)\b => (a|an|the)\b :: .split() => .lower().split()
error :: if not ours or not theirs: => if not guess or not truth:
wrong :: return 2 * => return guess in truth or 2 *
no normalisation :: re.sub(r"\b(a|an|the)\b", " ", kept) => text
precision only :: 2 * => :: (ours.total() + theirs.total()) => ours.total()
recall only :: 2 * => :: (ours.total() + theirs.total()) => theirs.total()
the arithmetic mean :: 2 * => :: / (ours.total() + theirs.total()) => * (1 / ours.total() + 1 / theirs.total()) / 2
shared words over all words :: 2 * => :: (ours.total() + theirs.total()) => (ours | theirs).total()
exact match :: Counter( => list( :: 2 * (ours & theirs).total() / (ours.total() + theirs.total())
    => float(ours == theirs)
characters instead of words :: .split() => .replace(" ", "")
two empty answers disagree :: float(ours == theirs) => 0.0
an empty answer is always right :: float(ours == theirs) => 1.0
error :: if not ours or not theirs: => if False:
0 divided by 0 :: float(ours == theirs) => math.nan
100 times too large :: return 2 * => return 200 * :: return float => return 100 * float
wrong :: (a|an|the) => the
wrong :: (a|an|the) => (a|the)
wrong :: \b(a|an|the) => ^(a|an|the)
articles are kept :: r"\b(a|an|the)\b" => " (a|an|the) "
wrong :: character not in string.punctuation => re.match("[a-z0-9 ]", character)
wrong :: character not in string.punctuation => re.match(r"[\w\s]", character)
a word is right as often as it is said :: (ours & theirs).total() => sum(theirs[word] for word in ours)
articles are dropped inside words :: re.sub(r"\b(a|an|the)\b", " ", kept)
    => kept.replace("the", " ").replace("an", " ").replace("a", " ")
not doubled :: 2 * (ours => (ours
articles are dropped inside words :: re.sub(r"\b(a|an|the)\b", " ", kept)
    => kept.replace("a ", " ").replace("an ", " ").replace("the ", " ")
articles are dropped inside words :: re.sub(r"\b(a|an|the)\b", " ", kept)
    => kept.replace("a ", "").replace("an ", "").replace("the ", "")
there are empty words :: .split() => .split(" ")
there are empty words :: re.sub(r"\b(a|an|the)\b", " ", kept).split()
    => word for word in kept.split(" ") if word not in {"a", "an", "the"}
""",
    "8.6": r"""
places are not shifted :: begins + start, begins + end => start, end
only the start is shifted :: begins + end => end
shifted to the left :: begins + start, begins + end => start - begins, end - begins
one answer is listed twice :: = lambda windows, n: ranked(windows)[:n]
merged after cutting off :: = lambda windows, n: list(dict.fromkeys(ranked(windows)[:n]))
the mean over windows :: best[place] = max(score, best.get(place, score)) => best.setdefault(place, []).append(score)
    :: best.get, => lambda place: sum(best[place]) / len(best[place]),
the sum over windows :: max(score, best.get(place, score)) => score + best.get(place, 0)
the last window wins :: max(score, best.get(place, score)) => score
the first window wins :: max(score, best.get(place, score)) => best.get(place, score)
the lowest score counts :: max(score => min(score
a softmax in each window :: = softmax_of_spans
window after window :: = lambda windows, n: list(dict.fromkeys(p for w in windows for p in ranked([w])))[:n]
only the best of each window :: in spans: => in [max(spans)]:
only the last window :: in windows: => in windows[-1:]:
the worst come first :: , reverse=True =>
n is ignored :: [:n] =>
overlapping answers are dropped :: = without_overlap
scores below 0 are lost :: in spans: => in (span for span in spans if span[0] > 0):
scores are in the list :: sorted(best, key=best.get, => sorted([(best[place], *place) for place in best],
wrong :: [:n] => [:0]
the first n spans of each window :: in spans: => in spans[:n]:
the best score begins at 0 :: best.get(place, score) => best.get(place, 0)
wrong :: [:n] => [:n] + [(0, 0)] * (n - len(best))
""",
    "8.7": r"""
the highest null score :: min( => max(
the mean null score :: min(score for score, _ in => sum(score for score, _ in windows) / len(
windows without spans are left out :: score for score, _ in windows => score for score, spans in windows if spans
the null score of the first window :: min(score for score, _ in windows) => windows[0][0]
the null score of the last window :: min(score for score, _ in windows) => windows[-1][0]
null score and span from the same window :: min(score for score, _ in windows)
    => max(windows, key=lambda window: max(window[1]))[0]
each window decides by itself :: lowest =
    => found = [max(spans) for null, spans in windows if max(spans)[0] - null > threshold]
    \n    return max(found)[1:] if found else (0, 0)\n    lowest =
one window says no for all :: = silenced(any)
the windows vote :: = silenced(lambda silent: silent.count(True) > silent.count(False))
the threshold has the wrong sign :: lowest + threshold => lowest - threshold
the threshold is not used :: lowest + threshold => lowest
the null score is not used :: lowest + threshold => threshold
the distance to the null score :: best > lowest + threshold => abs(best - lowest) > threshold
exactly the threshold is enough :: best > lowest => best >= lowest
it answers always :: best > lowest + threshold => True
it never answers :: best > lowest + threshold => False
the comparison is turned round :: best > lowest => best <= lowest
probabilities are compared :: = softmax_first
only the last window :: lowest = => windows = windows[-1:]\n    lowest =
only the first window :: lowest = => windows = windows[:1]\n    lowest =
the best span of the last window :: for _, spans in windows for span in spans => for span in windows[-1][1]
the lowest null score begins at 0 :: min(score for score, _ in windows) => min(0, *(score for score, _ in windows))
the first window that answers :: lowest = => for null, spans in windows:\n        score, start, end = max(spans)
    \n        if score > null + threshold:\n            return start, end\n    return 0, 0\n    lowest =
margins are compared :: lowest =
    => lead, start, end = max((score - null, a, b) for null, spans in windows for score, a, b in spans)
    \n    return (start, end) if lead > threshold else (0, 0)\n    lowest =
only the first span of each window :: for span in spans) => for span in spans[:1])
True and False :: (start, end) if best > lowest + threshold else (0, 0) => best > lowest + threshold
the best score begins at 0 :: max(span for _, spans in windows for span in spans)
    => max([(0.0, 0, 0), *(span for _, spans in windows for span in spans)])
""",
    "8.8": r"""
the question may answer :: n_seps == 1 => n_seps <= 1
padding may answer :: n_seps == 1 => n_seps >= 1
the first [SEP] may answer :: & (ids != sep) =>
the last [SEP] may answer :: (ids == sep).cumsum(dim=1) => (ids == sep).cumsum(dim=1) - (ids == sep).int()
    :: & (ids != sep) => & (ids != 0)
every [SEP] may answer :: allowed[:, 0] = True => allowed[:, 0] = True\n    allowed |= ids == sep
only padding is hidden :: allowed = (n_seps == 1) & (ids != sep) => allowed = ids > 0
nothing is hidden :: allowed = (n_seps == 1) & (ids != sep) => allowed = ids >= 0
no place for no answer :: allowed[:, 0] = True => pass
the mask is turned round :: masked_fill(~allowed => masked_fill(allowed
the mask is turned round :: allowed[:, 0] = True => pass :: masked_fill(~allowed => masked_fill(allowed
the question instead of the passage :: n_seps == 1 => n_seps < 1
the first row's mask for all :: ~allowed, - => ~allowed[0], -
hidden by a zero :: -torch.inf => 0
a large number instead of infinity :: -torch.inf => -1e9
a large number instead of infinity :: -torch.inf => torch.finfo(states.dtype).min
plus infinity :: -torch.inf => torch.inf
0 times minus infinity :: .masked_fill(~allowed, -torch.inf) => + (~allowed).float() * float('-inf')
no bias :: + bias =>
one bias for both :: + bias => + bias[0]
start and end are exchanged :: weight.T + bias => weight.flip(0).T + bias.flip(0)
only the start :: weight.T + bias => weight[:1].T + bias[:1] :: movedim(-1, 0) => squeeze(-1)
the weight is reshaped :: weight.T => weight.view(-1, 2)
start and end stand last :: .movedim(-1, 0).masked_fill(~allowed => .masked_fill(~allowed[..., None]
start and end stand second :: movedim(-1, 0).masked_fill(~allowed => movedim(-1, 1).masked_fill(~allowed[:, None]
probabilities instead of logits :: -torch.inf) => -torch.inf).softmax(2)
probabilities instead of logits :: -torch.inf) => -torch.inf).softmax(2).log()
all behind the first [SEP] may answer :: (n_seps == 1) & (ids != sep) => (n_seps - (ids == sep).long()) > 0
a token of the passage is hidden :: & (ids != sep) => & (ids != sep) & (ids.roll(-1, 1) != sep)
a token of the passage is hidden :: & (ids != sep) => & (ids != sep) & (ids.roll(1, 1) != sep)
the logits are reshaped :: logits.movedim(-1, 0) => logits.reshape(2, *ids.shape)
the first row's mask for all :: (n_seps == 1) & (ids != sep)
    => (torch.arange(ids.shape[1]) > n_seps[0].tolist().index(1)) & (n_seps < 2) & (ids != sep)
""",
    "8.9": r"""
the step goes uphill :: weight - rate => weight + rate
the gradient instead of the new numbers :: weight - rate * gradient, bias - rate * => gradient,
the change instead of the new numbers :: weight - rate => -rate :: bias - rate => -rate
the rate is not used :: rate * gradient => gradient
the sum over rows :: (2 * n) => 2
start and end are added :: (2 * n) => n
the sum over rows, start and end :: error = error / (2 * n) => # error / (2 * n)
the mean over places, too :: (2 * n) => error.numel()
the right place is not taken off :: ] -= 1 => ] -= 0
only the right place :: logits.softmax(dim=-1) => torch.zeros_like(logits)
the end learns the start's place :: spans[:, 1] => spans[:, 0]
the start learns the end's place :: spans[:, 0] => spans[:, 1]
start and end are exchanged :: error[0, => error[_, :: error[1, => error[0, :: error[_, => error[1,
one gradient for both :: rpd->kd => rpd->d
softmax over the rows :: dim=-1 => dim=1
softmax over start and end :: dim=-1 => dim=0
hidden places take part :: logits.softmax => logits.clamp(min=0).where(logits.isinf(), logits).softmax
a sigmoid instead of a softmax :: logits.softmax(dim=-1) => 1 / (1 + (-logits).exp())
log-probabilities :: softmax(dim => log_softmax(dim
logits instead of probabilities :: logits.softmax(dim=-1) => logits.clone()
softmax over rows and places :: logits.softmax(dim=-1)
    => torch.stack([side.flatten().softmax(0).view(side.shape) for side in logits])
the gradient of squared probabilities :: error = error / (2 * n) => p = logits.softmax(-1)\n    error *= p
    \n    error = (error - p * error.sum(-1, keepdim=True)) / n
the bias has another gradient :: error.sum(dim=(1, 2)) => error.abs().sum(dim=(1, 2))
the first row alone :: gradient = => error[:, 1:] = 0\n    gradient =
hidden places take part :: logits.softmax(dim=-1) => (states @ weight.T + bias).movedim(-1, 0).softmax(dim=-1)
the exponential overflows :: logits.softmax(dim=-1) => logits.exp() / logits.exp().sum(-1, keepdim=True)
""",
    "8.10": r"""
words instead of names :: if mark != "O" and not kind => if mark != "O" :: start, kind = place, own
    => found.add((row, place, tag)) :: if kind and ( => if False and (
the share of right tags :: found, there =
    => hits = [a == b for one, other in zip(guesses, truths, strict=True) for a, b in zip(one, other, strict=True)]
    \n    return sum(hits) / len(hits)\n    found, there =
the end does not count :: (row, start, place, kind) => (row, start, kind)
the beginning does not count :: (row, start, place, kind) => (row, place, kind)
the kind does not count :: (row, start, place, kind) => (row, start, place)
the sentence does not count :: (row, start, place, kind) => (start, place, kind)
the mean over sentences :: found, there = => if len(guesses) > 1:
    \n        return sum(names_f1([a], [b]) for a, b in zip(guesses, truths, strict=True)) / len(guesses)
    \n    found, there = :: if right else 0.0 => if found or there else 1.0
the sentences are one text :: enumerate(rows) => enumerate([sum(rows, [])])
B- goes on :: mark != "I" or own != kind => own != kind
I- begins nothing :: if mark != "O" => if mark == "B"
I- of another kind goes on :: or own != kind =>
every I- begins a name :: if kind and (mark != "I" or own != kind) => if kind
a name at the end is lost :: [*tags, "O"] => tags :: enumerate(rows): => enumerate(rows):\n            kind = ""
O is a kind :: [*tags, "O"] => [*tags, "-"] :: tag.partition("-")
    => (tag if "-" in tag else "I-O" if place and tags[place - 1] == "O" else "B-O").partition("-")
    :: if mark != "O" and not kind => if not kind
precision only :: 2 * right / (len(found) + len(there)) => right / len(found)
recall only :: 2 * right / (len(found) + len(there)) => right / len(there)
the arithmetic mean :: 2 * right / (len(found) + len(there)) => 0.5 * (right / len(found) + right / len(there))
shared names over all names :: 2 * right / (len(found) + len(there)) => right / len(found | there)
not doubled :: 2 * right => right
100 times too large :: 2 * right => 200 * right
error :: if right else 0.0 =>
wrong :: if right else 0.0 => if right else float(not found and not there)
""",
}
