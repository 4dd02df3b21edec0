"""Build 6.B: a Transformer of the reader's parts that translates the sentences of the world.

A text of the reader's own has no translation: its pieces are written from the last word to the first, which takes the
order of the words from the source, and the words, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

import torch
from torch import nn
from torch.nn import functional as F

from course.by_hand.transformer import Translator, sinusoids
from course.check.build import Build, Ran
from course.lab.own_text import UNKNOWN
from course.lab.roles import Thread, thread
from course.lab.word_classes import typed_words
from course.lab.world_models import unseen_pairs, world_pairs
from course_lib.errors import CourseError
from course_lib.evaluation.bleu import bleu
from course_lib.language import language, t, t_label
from course_lib.progress import Progress
from course_lib.training.schedules import inverse_sqrt_warmup

NAME = "your Transformer"  # this and the next are also in texts.toml, for their Korean
OWN_NOTE = (
    "A text of your own has no translation: here your Transformer writes a sentence from its last word to its first."
)
PAD, END, SPECIALS = 0, 2, ["<pad>", "<s>", "</s>"]
WIDTH, N_HEADS, N_LAYERS, MOST = 64, 4, 2, 38  # a picture shows 40 words
STEPS, BATCH, WARM_UP = 800, 32, 400  # chosen on unseen_pairs(N_NEW, DEV)
DEV, TEST, N_NEW = 5, 6, 150
OWN_PIECES, OWN_LENGTHS, OWN_STEPS = 12_000, (3, 12), 1_600  # chosen on a novel and a Korean encyclopedia
BAR = 10  # points of BLEU more than the translation memory has
SENTENCES = {"en": "Leo rowed the raft across the lake .", "ko": "레오 는 호수 에서 뗏목 을 저었다 ."}
SELF = ("query", "key", "value", "output")
CROSS = tuple(f"cross_{name}" for name in SELF)


class OwnTranslator(nn.Module):
    """What the parts compute with: one table of words, six matrices a block, in the decoder ten; no biases.
    weights: what the words of the last call took from the source, [batch, layer, head, written, source]."""

    def __init__(self, n_words: int, cross_attention: Callable, masked_weights: Callable):
        super().__init__()
        self.attend, self.mask = cross_attention, masked_weights
        self.table = _numbers(n_words, WIDTH)
        self.encoder, self.decoder = (nn.ModuleList(_block(names) for _ in range(N_LAYERS)) for names in ((), CROSS))

    def embed(self, ids: torch.Tensor) -> torch.Tensor:
        return self.table[ids] * WIDTH**0.5 + sinusoids(ids.shape[1], WIDTH)

    def forward(self, source: torch.Tensor, written: torch.Tensor) -> torch.Tensor:
        """Ids [batch, position] -> logits of the word that follows each written one."""
        x, real, self.weights = self.embed(source), source != PAD, []
        for block in self.encoder:  # its self-attention is cross-attention with the same sentence on both sides
            x = x + self.attend(_norm(x), _norm(x), real, N_HEADS, *(block[name] for name in SELF))[0]
            x = x + _feed(x, block)
        states, y = _norm(x), self.embed(written)
        for block in self.decoder:
            y = y + self.look_back(_norm(y), written != PAD, block)
            taken, weights = self.attend(_norm(y), states, real, N_HEADS, *(block[name] for name in CROSS))
            y = y + taken
            y = y + _feed(y, block)
            self.weights.append(weights)
        return _norm(y) @ self.table.T

    def look_back(self, y: torch.Tensor, real: torch.Tensor, block: nn.ParameterDict) -> torch.Tensor:
        q, k, v = ((y @ block[name]).unflatten(-1, (N_HEADS, -1)).transpose(1, 2).flatten(0, 1) for name in SELF[:3])
        weights = self.mask(q @ k.mT / q.shape[-1] ** 0.5, real.repeat_interleave(N_HEADS, 0))
        return (weights @ v).unflatten(0, (-1, N_HEADS)).transpose(1, 2).flatten(2) @ block["output"]


def _block(more: Sequence[str]) -> nn.ParameterDict:
    matrices = {name: _numbers(WIDTH, WIDTH) for name in (*SELF, *more)}
    return nn.ParameterDict(matrices | {"inner": _numbers(WIDTH, 4 * WIDTH), "outer": _numbers(4 * WIDTH, WIDTH, 4)})


def _numbers(rows: int, columns: int, wider: int = 1) -> nn.Parameter:
    return nn.Parameter(torch.randn(rows, columns) * (wider * WIDTH) ** -0.5)


def _norm(x: torch.Tensor) -> torch.Tensor:
    return F.layer_norm(x, x.shape[-1:])


def _feed(x: torch.Tensor, block: nn.ParameterDict) -> torch.Tensor:
    return (_norm(x) @ block["inner"]).relu() @ block["outer"]


class _Text:
    """The pairs that the chapter's translator learns from, from the reader's language to the other, and new ones."""

    def __init__(self) -> None:
        text = thread()
        if text.own:
            self.steps, (pairs, self.new) = OWN_STEPS, _backwards(text)
            self.example = self.new[0][0]
        else:
            self.steps, pairs = STEPS, [self.sides(pair) for pair in world_pairs()]
            self.new = [self.sides(pair) for pair in unseen_pairs(N_NEW, TEST)]
            self.example = SENTENCES[language()].split()
        self.note = f"{t_label(OWN_NOTE)}\n" if text.own else ""
        pairs = sorted(pairs, key=lambda pair: [len(side) for side in pair])
        self.words = [*SPECIALS, *sorted({word for pair in (*pairs, *self.new) for side in pair for word in side})]
        self.index = {word: i for i, word in enumerate(self.words)}
        self.sources, self.targets = ([self.ids(side) for side in of] for of in zip(*pairs, strict=True))

    @staticmethod
    def sides(pair) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return (pair.en.words, pair.ko.words) if language() == "en" else (pair.ko.words, pair.en.words)

    def ids(self, words: Sequence[str]) -> list[int]:
        return [self.index[word] for word in words]

    def said(self, ids: Sequence[int]) -> str:
        return " ".join(self.words[i] for i in ids)

    def source(self, sentences: Sequence[Sequence[str]]) -> torch.Tensor:
        rows = [torch.tensor([*self.ids(words), END]) for words in sentences]
        return nn.utils.rnn.pad_sequence(rows, batch_first=True)

    def remembered(self, words: Sequence[str]) -> str:
        """A translation memory: what is known of the known sentence that shares most words, of those the shortest."""
        asked = set(self.ids(words))
        best = max(
            range(len(self.sources)), key=lambda i: len(asked & set(self.sources[i])) - len(self.sources[i]) / 99
        )
        return self.said(self.targets[best])


def _backwards(text: Thread) -> tuple[list, list]:
    """Pieces of a text and of its new sentences, each with its words from the last to the first."""
    draw, pieces = Random(0), []
    for _ in range(OWN_PIECES):
        words, n = draw.choice(text.text), draw.randint(*OWN_LENGTHS)
        start = draw.randint(0, max(0, len(words) - n))
        pieces.append(words[start : start + n])
    new = ([word if word in text.index else UNKNOWN for word in words[: OWN_LENGTHS[1]]] for words in text.new[:N_NEW])
    return tuple([(piece, piece[::-1]) for piece in of] for of in (pieces, new))


def run(train: bool, masked_weights, cross_attention, translation_loss, greedy) -> Ran:
    text = _Text()
    network = OwnTranslator(len(text.words), cross_attention, masked_weights)

    def made(n_new: int) -> Ran:
        ran = Ran({"own-transformer": network}, play=lambda sentence="": _play(network, text, greedy, sentence))
        if n_new:
            _prove(ran, network, text, text.new[:n_new], greedy)
        return ran

    if train:
        made(3)  # a part that fails there should do so before the training
        _train(network, text, translation_loss)
    return made(N_NEW if train else 0)


def _train(network: OwnTranslator, text: _Text, translation_loss: Callable) -> None:
    optimizer, shown = torch.optim.Adam(network.parameters(), betas=(0.9, 0.98)), []
    with Progress(NAME, total=text.steps) as bar:
        for step in range(1, text.steps + 1):
            start = int(torch.randint(len(text.sources) - BATCH, ()))
            batch = slice(start, start + BATCH)  # of one length, nearly
            sources, targets = ([list(row) for row in side[batch]] for side in (text.sources, text.targets))
            loss = translation_loss(sources, targets, network)
            optimizer.param_groups[0]["lr"] = inverse_sqrt_warmup(step, WIDTH, WARM_UP)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            shown = [*shown[-49:], loss.item()]
            bar.update(step, loss=sum(shown) / len(shown))  # one batch's jumps


@torch.no_grad()
def _prove(ran: Ran, network: OwnTranslator, text: _Text, new: list, greedy: Callable) -> None:
    sources, right = [source for source, _ in new], [" ".join(target) for _, target in new]
    source, memory = text.source(sources), [text.remembered(words) for words in sources]

    def translated(source: torch.Tensor) -> list[str]:
        return [text.said(row) for row in greedy(source, network, MOST)]

    ours = translated(source)
    score, known, other = (bleu(said, right) for said in (ours, memory, translated(source.roll(1, 0))))
    whole, known_whole = (sum(map(str.__eq__, said, right)) for said in (ours, memory))
    said = {"n": len(new), "score": f"{score:.0f}", "known": f"{known:.0f}", "bar": f"{known + BAR:.0f}"}
    ran.prove("bleu", score >= known + BAR, **said, whole=whole, known_whole=known_whole)
    ran.prove("source", other < score / 2, score=f"{score:.0f}", other=f"{other:.0f}", bar=f"{score / 2:.0f}")

    written = torch.tensor([[1, *row] for row in text.targets[len(text.targets) // 2 :][:1]])
    apart = (network(source[:1], written) - _chapter_s(network)(source[:1], written)).abs().max().item()
    ran.prove("equal", apart < 1e-3, n=f"{len(text.words) * written.shape[1]:,}", apart=f"{apart:.6f}")
    rows = list(zip(map(" ".join, sources), ours, right, strict=True))
    shown = [row for row in rows if row[1] == row[2]][:1] + [row for row in rows if row[1] != row[2]][:2]
    said = BUILD.texts["says"]
    lines = (f"{source}\n    {mine}\n    {t(said['right'], answer=own)}" for source, mine, own in shown)
    ran.shows = text.note + "\n".join([t(said["shown"]), *lines])


def _chapter_s(network: OwnTranslator) -> Translator:
    """The chapter's own class with the same matrices, its biases 0 and its layer norms without scale and shift."""
    other = Translator(len(network.table), WIDTH, N_HEADS, N_LAYERS)
    other.embedding.weight.copy_(network.table)
    for module in other.modules():
        if isinstance(module, nn.Linear):
            module.bias.zero_()
    names = {"inner": "feed_forward.0", "outer": "feed_forward.2"} | {name: f"attention.{name}" for name in SELF}
    names |= {cross: f"cross.{name}" for cross, name in zip(CROSS, SELF, strict=True)}
    for side in ("encoder", "decoder"):
        for theirs, ours in zip(getattr(other, side), getattr(network, side), strict=True):
            for name, matrix in ours.items():
                theirs.get_submodule(names[name]).weight.copy_(matrix.T)
    return other


def _play(network: OwnTranslator, text: _Text, greedy: Callable, sentence: str):
    """The sentence in words of the text -> its translation, and what each of its words has looked at."""
    from course.widgets import attention_heatmap

    words = typed_words(sentence, text.index) or text.example
    if unknown := [word for word in words if word not in text.index]:
        raise CourseError(t(BUILD.texts["says"]["unknown words"], words=", ".join(unknown[:5])))
    source = text.source([words])
    with torch.no_grad():
        (written,) = greedy(source, network, MOST)
        network(source, torch.tensor([[1, *written]]))
    weights = torch.stack([layer[0] for layer in network.weights]).numpy()
    return attention_heatmap(
        weights, [*map(text.words.__getitem__, written), SPECIALS[END]], [*words, SPECIALS[END]], kind="cross"
    )


BUILD = Build("6.B", ("6.4", "6.8", "6.9", "6.11"), run, importance=5, minutes=45, any_text=True)
