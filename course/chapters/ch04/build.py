"""Build 4.B: ELMo of the reader's parts, with the weights of the course's biLM, and a mix that learns from a task.

On a text of the reader's own there are the states alone, and occurrences that they call alike: it has no roles.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from types import SimpleNamespace

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from course.by_hand.elmo import Highway
from course.check.build import Build, Ran
from course.lab.probes import sense_split
from course.lab.roles import BOUNDARY, NO_LABEL, Thread, padded, thread
from course.lab.widget_inputs import sentence_reader
from course.world.sentence import WorldSentence
from course_lib.language import language, t_label
from course_lib.models.shipped import load
from course_lib.progress import Progress

TASK, MIX = "roles, on your mix", "learned from the roles"  # these and the next are also in texts.toml
OWN_NOTE = (
    "Roles are known for sentences of the course's world alone: senses and the mix are left out here. For some words "
    "of your text, the two places whose top states are most alike:"
)
STEPS, BATCH, RATES, LABELLED = (
    200,
    16,
    (0.3, 3e-3),
    20,
)  # rates: the board's; the bar of roles: from Korean `thread.dev`
BARS = {"off": 1e-5, "senses": 15, "more": 10}  # points above the token layer, of accuracy and of F1
WORDS, OCCURRENCES = 4, 24  # of a text of one's own: how many are looked at
COMPARED = 40  # sentences whose states must be those of the course's network
SHOWN = {"en": ("work", "show", "help", "change", "rest"), "ko": ("이", "은", "만", "도")}


class OwnElmo:
    """The reader's parts with shipped weights. do: the parts, by their names"""

    def __init__(self, shipped: nn.Module, do: SimpleNamespace):
        self.do, self.spell, self.weights = do, shipped.characters.ids, dict(shipped.state_dict())
        self.word, self.states = cache(self.word), cache(self.states)
        carry = self.of("token.cnn.highways.0")
        self.highway = Highway(len(carry[0])).requires_grad_(False)
        for mine, theirs in zip(self.highway.parameters(), carry, strict=True):
            mine.copy_(theirs)

    def of(self, name: str) -> list[Tensor]:
        """The weights under a name, in the order of the file."""
        return [weight for key, weight in self.weights.items() if key.startswith(f"{name}.")]

    def word(self, word: str) -> Tensor:
        """Its vector from its characters [dim]"""
        x = self.of("token.cnn.char_embedding")[0][self.spell(word)][None]
        parts = self.of("token.cnn.convolutions")
        found = [
            self.do.char_convolution(x, torch.tensor([x.shape[1]]), *parts[n : n + 2])[0]
            for n in range(0, len(parts), 2)
        ]
        return F.linear(self.highway(torch.cat(found).relu()), *self.of("token.cnn.projection"))

    def states(self, words: tuple[str, ...]) -> Tensor:
        """All layers of a sentence [layer, word, 2 dim]"""
        start, x = self.word("</s>")[None], torch.stack([self.word(word) for word in words])
        ways = []
        for name, read in (("forward", x), ("backward", x.flip(0))):
            parts = self.of(f"lstms.{name}_lstm.layers")
            layers = [
                (w_in, w_state, b + c, down) for w_in, w_state, b, c, down in zip(*[iter(parts)] * 5, strict=True)
            ]
            new = self.do.direction(torch.cat([start, read]), layers)[:, 1:]
            ways.append(torch.cat([x[None], new if name == "forward" else new.flip(1)]))
        return torch.cat(ways, dim=-1)


class _Roles(nn.Module):
    """A mix of the first layers, and a linear layer on it."""

    def __init__(self, n_layers: int, dim: int, n_roles: int):
        super().__init__()
        self.raw, self.gamma = nn.Parameter(torch.zeros(n_layers)), nn.Parameter(torch.ones(()))
        self.output = nn.Linear(dim, n_roles)

    def mixed(self, layers: Tensor) -> Tensor:
        """[..., layer, dim] -> [..., dim]"""
        return self.gamma * torch.einsum("j,...jd->...d", self.raw.softmax(0), layers)


def run(train: bool, char_convolution, direction, sense_accuracy, mix_gradient) -> Ran:
    shipped, text = load(f"bilm-{language()}"), thread()
    do = SimpleNamespace(char_convolution=char_convolution, direction=direction)
    elmo = OwnElmo(shipped, do)
    heads = nn.ModuleList(_Roles(n, 2 * shipped.config.projection, len(text.roles)) for n in (3, 1))
    ran = Ran({"own-elmo-mix": heads}, play=lambda: _play(elmo, heads[0], shipped.layer_names, learned=not text.own))
    if train:
        _prove_states(ran, elmo, shipped, text)
        if text.own:
            ran.shows = f"{t_label(OWN_NOTE)}\n{_alike(elmo, text)}"
        else:
            _prove_senses(ran, elmo, sense_accuracy)
            _learn(elmo, heads, text, mix_gradient)
            _prove_roles(ran, elmo, heads, text)
    return ran


def _prove_states(ran: Ran, elmo: OwnElmo, shipped: nn.Module, thread: Thread) -> None:
    sentences = thread.text[:COMPARED]
    pairs = ((elmo.states(tuple(words)), torch.tensor(shipped.encode([words])[0])) for words in sentences)
    off = max((own - theirs).abs().max().item() for own, theirs in pairs)
    ran.prove("states", off <= BARS["off"], off=f"{off:.0e}", bar=f"{BARS['off']:.0e}", n=COMPARED)


def _alike(elmo: OwnElmo, text: Thread) -> str:
    """For the commonest long words of a text the two occurrences whose top states have the largest cosine."""
    lines, long = [], 4 if language() == "en" else 2  # letters, so that articles and particles are left out
    common = [text.words[i] for i in text.counts.argsort(descending=True).tolist()]
    for word in [word for word in common if len(word) >= long and word.isalpha() and word != BOUNDARY][:WORDS]:
        found = [(words, words.index(word)) for words in text.text if word in words][:OCCURRENCES]
        tops = F.normalize(torch.stack([elmo.states(tuple(words))[-1, place] for words, place in found]), dim=-1)
        alike = tops @ tops.T - 2 * torch.eye(len(tops))
        for words, place in (found[i] for i in divmod(int(alike.argmax()), len(tops))):
            lines.append(f"{word}: {' '.join(words[max(0, place - 5) : place + 6])}")
    return "\n".join(lines)


def _prove_senses(ran: Ran, elmo: OwnElmo, sense_accuracy: Callable) -> None:
    """Every second occurrence of a word is known; what it is in the others? In the token layer all are one vector, of
    which one is given: of equal ones none is nearest."""
    examples, (token, _, top) = _occurrences(elmo)
    found = []
    for word in SHOWN[language()]:
        own = [i for i, example in enumerate(examples) if example.word == word]
        senses = [examples[i].sense for i in own]
        given = [[sorted(set(senses)).index(sense) for sense in part] for part in (senses[::2], senses[1::2])]
        layers = (token[own[:1]], given[0][:1], token), (top[own[::2]], given[0], top)
        found.append([sense_accuracy(known, of, x[own[1::2]], given[1]) for known, of, x in layers])
    token, top = (100 * torch.tensor(found, dtype=torch.float64).mean(0)).tolist()
    bar = token + BARS["senses"]
    ran.prove("senses", top >= bar, token=f"{token:.0f}", top=f"{top:.0f}", bar=f"{bar:.0f}", n=len(found))


def _occurrences(elmo: OwnElmo) -> tuple[list, Tensor]:
    """The chapter's words in their sentences, and their states [layer, occurrence, 2 dim]"""
    examples = [e for e in sense_split("two roles", language()).train if e.word in SHOWN[language()]]
    return examples, torch.stack([elmo.states(tuple(e.sentence.words))[:, e.position] for e in examples], dim=1)


def _layers(elmo: OwnElmo, sentences: Sequence[WorldSentence]) -> Tensor:
    """[sentence, word, layer, 2 dim], each layer of a word brought to mean 0 and variance 1, as in section 4.6"""
    found = padded([elmo.states(sentence.words).movedim(0, 1) for sentence in sentences])
    return F.layer_norm(found, found.shape[-1:])


def _learn(elmo: OwnElmo, heads: nn.ModuleList, thread: Thread, mix_gradient: Callable) -> None:
    """The mix learns by the reader's gradient, all else by PyTorch's."""
    drawn = thread.sample(LABELLED, seed=0)
    given, labels = _layers(elmo, drawn), thread.batch(drawn)[1]
    for head in heads:
        mix, output = [head.raw, head.gamma], head.output.parameters()
        optimizer = torch.optim.Adam([{"params": p, "lr": lr} for p, lr in zip((mix, output), RATES, strict=True)])
        with Progress(TASK, total=STEPS) as bar:
            for step in range(1, STEPS + 1):
                chosen = torch.randperm(LABELLED)[:BATCH]
                real = labels[chosen] != NO_LABEL
                layers = given[chosen][real][:, : len(head.raw)]
                mixed = head.mixed(layers).detach().requires_grad_()
                loss = F.cross_entropy(head.output(mixed), labels[chosen][real])
                optimizer.zero_grad()
                loss.backward()
                found = mix_gradient(layers, *(p.detach() for p in mix), mixed.grad)
                head.raw.grad, head.gamma.grad = (part.reshape(p.shape) for part, p in zip(found, mix, strict=True))
                optimizer.step()
                bar.update(step, loss=loss.item())


@torch.no_grad()
def _prove_roles(ran: Ran, elmo: OwnElmo, heads: nn.ModuleList, thread: Thread) -> None:
    layers = _layers(elmo, thread.test)
    mix, token = (thread.f1(head.output(head.mixed(layers[:, :, : len(head.raw)])).argmax(-1)) for head in heads)
    bar = token + BARS["more"]
    weights = " / ".join(f"{share:.0%}" for share in heads[0].raw.softmax(0).tolist())
    said = {"mix": f"{mix:.0f}", "token": f"{token:.0f}", "bar": f"{bar:.0f}", "weights": weights}
    ran.prove("roles", mix >= bar, labelled=LABELLED, **said)


def _play(elmo: OwnElmo, head: _Roles, names: Sequence[str], learned: bool):
    from course.widgets import scalar_mix

    examples, vectors = _occurrences(elmo)
    given = dict(zip(names, vectors.numpy(), strict=True))
    sentences, places, senses = zip(*[(e.sentence.words, e.position, e.sense) for e in examples], strict=True)
    presets, own = (
        {MIX: head.raw.tolist()} if learned else {},
        lambda found: [elmo.states(tuple(one.words)).numpy() for one in found],
    )
    reader = sentence_reader(SimpleNamespace(encode=own), SHOWN[language()])
    return scalar_mix(given, sentences, places, senses, presets=presets, read=reader)


BUILD = Build("4.B", ("4.7", "4.8", "4.6", "4.9"), run, importance=5, minutes=45, any_text=True)
