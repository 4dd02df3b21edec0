"""Build 3.B: TagLM of the reader's parts: two language models, their states, and a tagger that ends in a CRF.

On a text of the reader's own there are the language models alone: the roles stay the world's, and states of models that
read another kind of text do not help there (F1 58.9 with them, 60.4 without: a novel; 72.7 and 69.5: a Korean
encyclopedia; both after 400 steps).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log
from types import SimpleNamespace

import torch
from torch import Tensor, nn

from course.check.build import Build, Ran
from course.lab.roles import BOUNDARY, NONE, Thread, one_clause, padded, thread
from course.lab.word_classes import typed_words, with_unknown
from course.world.sentence import WorldSentence
from course_lib.language import t, t_label
from course_lib.progress import Progress

MODELS, TAGGERS, RIGHT = "your language models", "your taggers", "right"  # these and the next are also in texts.toml
SAYS = "your tagger, with the states", "the same tagger without them"
TITLE, STEP = "Who does what, to whom, where?", "tagger"
OWN_SAYS = "bits of each word, from the left", "bits of each word, from the right"
OWN_NOTE = "Roles are known for sentences of the course's world alone: the taggers and the CRF are left out here."
OWN_TITLE, OWN_STEP = "How surprising is each word?", "language model"
DIM, HIDDEN, RATE = 64, 32, 1e-2
LM_STEPS, LM_BATCH, STEPS, BATCH, LABELLED = 400, 32, 100, 16, 20  # these and the bars were chosen on `thread.dev`
BARS = {"sides": 0.9, "roles": 6}  # share of the states that move, points of F1 more than without states
BIGRAM = 10, 0.85  # its smoothing, and the share of its perplexity that is the bar
# on a text of one's own: chosen on a novel and a Korean encyclopedia, 30 as the bigram's best of 3, 10, 30, 100, 300,
# then tried on two other texts
OWN_LM_STEPS, OWN_BIGRAM = 600, (30, 0.92)
Words = Sequence[Sequence[str]]


class LSTM(nn.Module):
    """The reader's step, from the left to the right: vectors [sentence, position, dim] -> states."""

    def __init__(self, step: Callable, dim: int, hidden: int):
        super().__init__()
        self.step, self.hidden = step, hidden
        drawn = ((2 * torch.rand(4 * hidden, *columns) - 1) / hidden**0.5 for columns in ([dim], [hidden], []))
        self.w_input, self.w_state, self.bias = map(nn.Parameter, drawn)

    def forward(self, x: Tensor, real: Tensor) -> Tensor:
        h = c = x.new_zeros(len(x), self.hidden)
        states = []
        for k in range(x.shape[1]):
            h, c = self.step(x[:, k], h, c, real[:, k], self.w_input, self.w_state, self.bias)
            states.append(h)
        return torch.stack(states, dim=1)


class OneWay(nn.Module):
    """A language model: ids, real [sentence, position] -> states; `output` makes logits of them."""

    def __init__(self, step: Callable, n_words: int):
        super().__init__()
        self.table, self.lstm, self.output = nn.Embedding(n_words, DIM), LSTM(step, DIM, DIM), nn.Linear(DIM, n_words)

    def forward(self, ids: Tensor, real: Tensor) -> Tensor:
        return self.lstm(self.table(ids), real)


class Tagger(nn.Module):
    """A biLSTM reads the words; its states and those of the language models give the emissions."""

    def __init__(self, step: Callable, n_words: int, n_roles: int, lm_dim: int):
        super().__init__()
        self.lm_dim, self.table, self.dropout = lm_dim, nn.Embedding(n_words, DIM), nn.Dropout(0.25)
        self.ways = nn.ModuleList(LSTM(step, DIM, HIDDEN) for _ in range(2))
        self.output = nn.Linear(2 * HIDDEN + lm_dim, n_roles)
        self.crf = nn.ParameterList(torch.zeros(shape) for shape in ((n_roles, n_roles), n_roles, n_roles))

    def forward(self, ids: Tensor, real: Tensor, lm_states: Tensor) -> Tensor:
        x = self.dropout(self.table(ids))
        ahead, back = self.ways[0](x, real), self.ways[1](x.flip(1), real.flip(1)).flip(1)
        return self.output(self.dropout(torch.cat([ahead, back, lm_states[..., : self.lm_dim]], dim=-1)))


class TagLM(nn.Module):
    """Two language models and two taggers, one of which reads their states; of a text of the reader's own no taggers.
    do: the reader's parts, by their names"""

    def __init__(self, thread: Thread, do: SimpleNamespace):
        super().__init__()
        self.thread, self.do, n_words = thread, do, len(thread.words)
        self.models = nn.ModuleList(OneWay(do.lstm_step, n_words) for _ in range(2))
        sizes = () if thread.own else (2 * DIM, 0)
        self.taggers = nn.ModuleList(Tagger(do.lstm_step, n_words, len(thread.roles), n) for n in sizes)

    def pairs(self, sentences: Words, way: int) -> list[Tensor]:
        """For each sentence the ids [pair, 2] of words read and to predict; way 0 from the left, 1 from the right"""
        rows = (self.thread.ids(words) for words in sentences)
        rows = (row.flip(0) if way else row for row in rows)
        return [torch.stack([row[:-1], row[1:]], dim=1) for row in rows]

    def log_probs(self, rows: Sequence[Tensor], way: int) -> Sequence[Tensor]:
        """ln p of the words to predict, for each sentence [pair]"""
        (read, following), real, model = padded(rows).unbind(-1), _real(rows), self.models[way]
        found = model.output(model(read, real)).log_softmax(-1).gather(2, following[..., None])[..., 0]
        return found[real].split([len(row) for row in rows])

    @torch.no_grad()
    def states(self, sentences: Words) -> Tensor:
        """Of both language models [sentence, word, 2 DIM]: no gradient reaches them"""
        rows = [self.thread.ids(words) for words in sentences]
        return self.do.both_states(padded(rows), _real(rows), *self.models)

    def loss(self, tagger: Tagger, ids: Tensor, tags: Tensor, states: Tensor) -> Tensor:
        """-ln p of the right sequences [sentence]; tags: -100 at padding"""
        real = tags >= 0
        emissions = tagger(ids, real, states)
        sums = [self.do.log_partition(row[own], *tagger.crf) for row, own in zip(emissions, real, strict=True)]
        return torch.stack(sums) - self.do.path_score(emissions, *tagger.crf, tags.clamp(min=0), real)

    @torch.no_grad()
    def roles(self, tagger: Tagger, sentences: Words) -> Tensor:
        """The best sequences [sentence, word], filled up with 0"""
        rows = [self.thread.ids(words)[1:-1] for words in sentences]
        real = _real(rows)
        emissions = tagger(padded(rows), real, self.states(sentences))
        best = (self.do.viterbi(row[own], *tagger.crf) for row, own in zip(emissions, real, strict=True))
        return padded([torch.tensor([int(tag) for tag in path]) for path in best])


def _real(rows: Sequence[Tensor]) -> Tensor:
    """True where rows of these lengths are not filled up [row, position]"""
    lengths = torch.tensor([len(row) for row in rows])
    return torch.arange(int(lengths.max())) < lengths[:, None]


def run(train: bool, perplexity, lstm_step, both_states, path_score, log_partition, viterbi) -> Ran:
    do = SimpleNamespace(lstm_step=lstm_step, both_states=both_states)
    do.path_score, do.log_partition, do.viterbi = path_score, log_partition, viterbi
    text = thread()
    network = TagLM(text, do)

    def made(n_new: int) -> Ran:
        ran = Ran({"own-taglm": network.eval()}, play=lambda *sentences: _play(network, sentences))
        if n_new:
            _prove_models(ran, network, perplexity, text.new[:n_new])
            if network.taggers:
                _prove_roles(ran, network, text.test[:n_new])
            else:
                ran.shows = f"{t_label(OWN_NOTE)}\n" + "".join(_lines(_read(network, words)) for words in text.new[:3])
        return ran

    if train:
        network.log_probs(network.pairs(text.text[:2], 0), 0)  # a part that fails in these lines
        for tagger in network.taggers:  # should do so before the training
            network.loss(tagger, *_labelled(network, 2))
        made(2)
        _learn(network.train())
    return made(len(text.test) if train else 0)


def _labelled(network: TagLM, n: int) -> tuple[Tensor, Tensor, Tensor]:
    drawn = network.thread.sample(n, seed=0)
    return *network.thread.batch(drawn), network.states([sentence.words for sentence in drawn])


def _learn(network: TagLM) -> None:
    text = sorted(network.thread.text, key=len)
    for way, model in enumerate(network.models):
        rows = network.pairs(text, way)

        def of_text(rows: Sequence[Tensor] = rows, way: int = way) -> Tensor:
            start = int(torch.randint(len(rows) - LM_BATCH, ()))
            return -torch.cat(network.log_probs(rows[start : start + LM_BATCH], way))  # rows of one length, nearly

        _train(MODELS, model, of_text, OWN_LM_STEPS if network.thread.own else LM_STEPS)
    given = _labelled(network, LABELLED)
    for tagger in network.taggers:

        def of_labelled(tagger: Tagger = tagger) -> Tensor:
            chosen = torch.randperm(LABELLED)[:BATCH]
            return network.loss(tagger, *(one[chosen] for one in given))

        _train(TAGGERS, tagger, of_labelled, STEPS)


def _train(name: str, model: nn.Module, losses: Callable[[], Tensor], steps: int) -> None:
    optimizer, shown = torch.optim.Adam(model.parameters(), lr=RATE), []
    with Progress(name, total=steps) as bar:
        for step in range(1, steps + 1):
            loss = losses().mean()
            optimizer.param_groups[0]["lr"] = RATE * (1 - (step - 1) / steps)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            shown = [*shown[-49:], loss.item()]
            bar.update(step, loss=sum(shown) / len(shown))  # one batch's jumps


@torch.no_grad()
def _prove_models(ran: Ran, network: TagLM, perplexity: Callable, words: Words) -> None:
    ways = (network.log_probs(network.pairs(words, way), way) for way in (0, 1))
    smoothing, share = OWN_BIGRAM if network.thread.own else BIGRAM
    rows_of = *ways, _bigram(network.thread, words, smoothing)
    ahead, back, bigram = (perplexity([row.tolist() for row in rows])[1] for rows in rows_of)
    bar = share * bigram
    said = {"ahead": f"{ahead:.1f}", "back": f"{back:.1f}", "bigram": f"{bigram:.1f}", "bar": f"{bar:.1f}"}
    ran.prove("perplexity", max(ahead, back) <= bar, n=len(words), **said)

    others = network.states([[*row[:-1], BOUNDARY] for row in words])  # with another last word
    moved = (network.states(words) != others).unflatten(-1, (2, DIM)).any(-1)
    before = _real([row[1:] for row in words])  # of a sentence's words all but the last
    ahead, back = moved[:, : before.shape[1]][before].sum(0).tolist()
    n = int(before.sum())
    ran.prove("sides", ahead == 0 and back >= BARS["sides"] * n, n=n, ahead=ahead, back=back)


@torch.no_grad()
def _prove_roles(ran: Ran, network: TagLM, new: Sequence[WorldSentence]) -> None:
    thread, words = network.thread, [sentence.words for sentence in new]
    guesses = [network.roles(tagger, words) for tagger in network.taggers]
    f1, alone = (thread.f1(guess, new) for guess in guesses)
    said = {"f1": f"{f1:.1f}", "alone": f"{alone:.1f}", "bar": f"{alone + BARS['roles']:.1f}"}
    ran.prove("roles", f1 >= alone + BARS["roles"], labelled=LABELLED, **said)

    labels = thread.batch(new)[1]
    whole, alone = (((guess == labels) | (labels < 0)).all(1) for guess in guesses)
    kinds = {"states": whole & ~alone, "alone": alone & ~whole, "neither": ~(whole | alone)}
    counts = {name: int(kind.sum()) for name, kind in kinds.items()}
    ran.shows = t(BUILD.texts["says"]["shown"], **counts, both=int((whole & alone).sum()), n=len(new)) + "\n"
    clear = torch.tensor([one_clause(sentence) for sentence in new])
    for sentence in (new[int((kind & clear).nonzero()[0])] for kind in kinds.values() if (kind & clear).any()):
        right = RIGHT, _written(sentence.words, thread.labels(sentence))
        ran.shows += _lines([right, *_read(network, sentence.words)])


def _lines(read: Sequence[tuple[str, list[str]]]) -> str:
    return "".join(f"{t_label(says)}: {' '.join(tokens)}\n" for says, tokens in read)


def _bigram(thread: Thread, sentences: Words, k: float) -> list[Tensor]:
    """ln p of each word by the counts of pairs in the text, as section 3.2 smooths them"""
    n_words, stream = len(thread.words), thread.stream
    frequency = torch.bincount(stream, minlength=n_words) + 1.0
    frequency /= frequency.sum()
    counts = torch.zeros(n_words, n_words)
    counts.index_put_((stream[:-1], stream[1:]), torch.ones(len(stream) - 1), accumulate=True)
    table = ((counts + k * frequency) / (counts.sum(1, keepdim=True) + k)).log()
    return [table[ids[:-1], ids[1:]] for ids in map(thread.ids, sentences)]


def _written(words: Sequence[str], labels: Sequence[str]) -> list[str]:
    """Each word with its label, if it has one"""
    return [word if label == NONE else f"{word}/{label}" for word, label in zip(words, labels, strict=True)]


@torch.no_grad()
def _read(network: TagLM, words: Sequence[str]) -> list[tuple[str, list[str]]]:
    """What each tagger says of a sentence; without taggers, how many bits each word has in each language model"""
    if network.taggers:
        found = ([network.thread.roles[i] for i in network.roles(one, [words])[0]] for one in network.taggers)
    else:
        ahead, back = (-network.log_probs(network.pairs([words], way), way)[0][:-1] / log(2) for way in (0, 1))
        found = ([f"{bits:.1f}" for bits in row.tolist()] for row in (ahead, back.flip(0)))
    says = SAYS if network.taggers else OWN_SAYS
    return [(name, _written(words, labels)) for name, labels in zip(says, found, strict=True)]


def _play(network: TagLM, sentences: Sequence[str]):
    from course.widgets import token_strip
    from course.widgets.strip import Frame

    known = network.thread.index
    given = list(filter(None, (typed_words(sentence, known) for sentence in sentences))) or network.thread.new[:1]
    read = ((words, *one) for words in given for one in _read(network, words))
    frames = [Frame(tokens, with_unknown(t_label(says), words, known)) for words, says, tokens in read]
    title, step = (TITLE, STEP) if network.taggers else (OWN_TITLE, OWN_STEP)
    return token_strip(frames, title=title, step=step)


BUILD = Build("3.B", ("3.2", "3.7", "3.8", "3.3", "3.5", "3.4"), run, importance=5, minutes=45, any_text=True)
