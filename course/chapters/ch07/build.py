"""Build 7.B: a BERT of the reader's parts, pre-trained on the text of the course or on one of the reader's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import nn

from course.check.build import Build, Ran
from course.lab.roles import UNKNOWN, Thread, thread
from course.lab.word_classes import typed_words
from course_lib.language import t_label
from course_lib.progress import Progress

NAME = "your BERT"  # also in texts.toml, for its Korean
SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WIDTH, N_HEADS, N_LAYERS, N_PLACES = 64, 4, 2, 64
STEPS, BATCH, RATE = 800, 64, 6e-3  # chosen on `thread.dev`
DRAWS = 5  # of masks for each new sentence
BARS = {"below": 1.0, "more": 15}  # nats below the frequencies; points more than the most frequent piece gets
OWN_BARS = {"below": 0.5, "more": 5}  # on a text of one's own, which holds far more words; chosen on two texts
GAPS = {
    "en": ["Yuna did [MASK] call her brother .", "Hugo cleaned the classroom patiently [MASK] he was happy ."],
    "ko": ["지훈 은 일요일 에 할머니 [MASK] 엽서 를 보냈다 .", "준호 는 민호 를 만난 [MASK] 에 울었다 ."],
}
MATRICES = dict.fromkeys(("query", "key", "value", "output"), (WIDTH, WIDTH))
MATRICES |= {"inner": (WIDTH, 4 * WIDTH), "outer": (4 * WIDTH, WIDTH)}


class OwnBert(nn.Module):
    """What the parts compute with: three tables, six matrices a block, and the bias of the output."""

    def __init__(self, n_pieces: int, encoder_block: Callable) -> None:
        super().__init__()
        self.pieces, self.places, self.kinds = (_numbers(n, WIDTH, WIDTH) for n in (n_pieces, N_PLACES, 2))
        blocks = ({name: _numbers(*shape, shape[0]) for name, shape in MATRICES.items()} for _ in range(N_LAYERS))
        self.blocks = nn.ModuleList(map(nn.ParameterDict, blocks))
        self.bias, self.block = nn.Parameter(torch.zeros(n_pieces)), encoder_block
        self.n_heads = N_HEADS  # kept beside the weights: the page cannot see it in them

    def forward(self, read: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
        added = self.pieces[read] + self.places[: read.shape[1]] + self.kinds[0]
        x = nn.functional.layer_norm(added, (WIDTH,), eps=1e-12)
        for matrices in self.blocks:
            x = self.block(x, real, self.n_heads, *(matrices[name] for name in MATRICES))
        return x


def _numbers(rows: int, columns: int, fan_in: int) -> nn.Parameter:
    return nn.Parameter(torch.randn(rows, columns) * fan_in**-0.5)


class _Text:
    """The text of the course, as BERT reads it: rows of ids, those of `new` from sentences that are not in it.

    gaps: sentences with a [MASK] to show; of the reader's own text new ones without unknown words, in which the word
    in the middle is hidden. In a text of one's own rare words are [UNK], which is never asked.
    """

    def __init__(self, thread: Thread):
        self.pieces = [*SPECIALS, *thread.words[2:]]
        self.index = {piece: i for i, piece in enumerate(self.pieces)}
        self.rows = sorted((self.ids(words) for words in thread.text), key=len)
        new = [self.ids(words) for words in thread.new if thread.own or all(word in self.index for word in words)]
        self.new = [ids for ids in new if len(ids) <= N_PLACES - 2]
        self.gaps, self.own = GAPS[thread.language], bool(thread.own)
        if self.own:
            short = [words for words in thread.new if 6 <= len(words) <= 14 and UNKNOWN not in words][:2]
            hidden = ([*words[: len(words) // 2], "[MASK]", *words[len(words) // 2 + 1 :]] for words in short)
            self.gaps = list(map(" ".join, hidden)) or self.gaps

    def ids(self, words: Sequence[str]) -> list[int]:
        return [self.index.get(word, 1) for word in words]


def run(train: bool, mask_tokens, masked_loss, encoder_block, step_loss, depends_on) -> Ran:
    text = _Text(thread())
    n = len(text.pieces)
    network = OwnBert(n, encoder_block)

    def mask(seed: int) -> Callable:
        """The same dice each time that it is asked in a step."""
        return lambda ids: mask_tokens(ids, *torch.rand(3, *ids.shape, generator=_generator(seed)), n)

    def made(n_draws: int) -> Ran:
        ran = Ran({"own-bert": network}, play=lambda *sentences: _play(network, text, sentences), words=text.pieces)
        if n_draws:
            _prove(ran, network, text, n_draws, mask(0), masked_loss, depends_on)
            ran.shows = _filled(network, text)
        return ran

    if train:
        made(1)  # a part that fails there should do so before the training
        _pretrain(network, text, mask, step_loss)
    return made(DRAWS if train else 0)


def _generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def _pretrain(network: OwnBert, text: _Text, mask: Callable, step_loss: Callable) -> None:
    optimizer, losses = torch.optim.Adam(network.parameters(), lr=RATE), []
    with Progress(NAME, total=STEPS) as bar:
        for step in range(1, STEPS + 1):
            start = int(torch.randint(len(text.rows) - BATCH, ()))
            batch = [list(row) for row in text.rows[start : start + BATCH]]  # of one length, nearly
            loss = step_loss(batch, mask(step), network, network.pieces, network.bias)
            optimizer.param_groups[0]["lr"] = RATE * min(1, step / 50) * (1 - (step - 1) / STEPS)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses = [*losses[-49:], loss.item()]
            bar.update(step, loss=sum(losses) / len(losses))  # one batch's jumps


@torch.no_grad()
def _prove(ran: Ran, network: OwnBert, text: _Text, n_draws: int, mask, masked_loss, depends_on) -> None:
    longest = max(map(len, text.new))
    ids = torch.tensor([[2, *row, 3] + [0] * (longest - len(row)) for row in text.new * n_draws])
    read, labels = mask(ids)
    states = network(read, ids != 0)
    loss = float(masked_loss(states, labels, network.pieces, network.bias))
    counts = torch.bincount(torch.tensor([i for row in text.rows for i in row]), minlength=len(text.pieces))
    counts[: len(SPECIALS)] = 0  # no answers
    bars = OWN_BARS if text.own else BARS
    asked = labels[labels != -100]
    frequencies = -(counts[asked] / counts.sum()).log().mean().item()
    gap = read == 4
    right = 100 * (_scores(network, states[gap]).argmax(-1) == ids[gap]).float().mean().item()
    most = 100 * (ids[gap] == counts.argmax()).float().mean().item()
    said = {"loss": f"{loss:.2f}", "frequencies": f"{frequencies:.2f}", "n": f"{len(asked):,}", "of": len(text.new)}
    ran.prove("loss", loss <= frequencies - bars["below"], **said, bar=f"{frequencies - bars['below']:.2f}")
    said = {"right": f"{right:.0f}", "most": f"{most:.0f}", "bar": f"{most + bars['more']:.0f}"}
    ran.prove("words", right >= most + bars["more"], **said)

    row = ids[0][ids[0] != 0]
    moved = depends_on(lambda ids: network(ids[None], torch.ones(1, len(ids)).bool())[0], row, len(text.pieces))
    ran.prove("both sides", bool(moved.all()), moved=int(moved.sum()), all=moved.numel())


def _scores(network: OwnBert, states: torch.Tensor) -> torch.Tensor:
    return states @ network.pieces.T + network.bias


@torch.no_grad()
def _guesses(network: OwnBert, ids: Sequence[int], places: Sequence[int], k: int) -> list[list[tuple[int, float]]]:
    """For each hidden place of a sentence the k most probable ids, and their probabilities."""
    row = torch.tensor([[2, *ids, 3]])
    row[0, [place + 1 for place in places]] = 4
    scores = _scores(network, network(row, row != 0)[0, [place + 1 for place in places]])
    best = scores.softmax(-1).topk(k)
    return [list(zip(*pair, strict=True)) for pair in zip(best.indices.tolist(), best.values.tolist(), strict=True)]


def _filled(network: OwnBert, text: _Text) -> str:
    """A line for each sentence with one [MASK]: the sentence, and the three best pieces."""
    lines = []
    for sentence in text.gaps:
        words = sentence.split()
        (best,) = _guesses(network, text.ids(words), [words.index("[MASK]")], 3)
        lines += [sentence, "    " + ", ".join(f"{text.pieces[i]} {share:.0%}" for i, share in best)]
    return "\n".join(lines)


def _play(network: OwnBert, text: _Text, sentences: Sequence[str]):
    from course.widgets import fill_mask
    from course.widgets.gap_model import FillModel

    def fill(tokens: list[str], places: list[int], k: int) -> list[list[tuple[str, float]]]:
        found = _guesses(network, text.ids(tokens), places, k)
        return [[(text.pieces[i], share) for i, share in gap] for gap in found]

    def tokenize(typed: str) -> list[str]:
        return [word if word in text.index else "[UNK]" for word in typed_words(typed, text.index)]

    return fill_mask(FillModel(t_label(NAME), tokenize, fill), sentences or text.gaps)


BUILD = Build("7.B", ("7.1", "7.5", "7.8", "7.9", "7.6"), run, importance=5, minutes=45, any_text=True)
