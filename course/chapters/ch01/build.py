"""Build 1.B: skip-gram of the reader's parts, trained on the text of the course, or on one of the
reader's own, without backward() and without Adam."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import torch

from course.by_hand.skip_gram import SkipGram, pairs
from course.check.build import Build, Ran
from course.lab.roles import NONE, UNKNOWN, Thread, thread
from course_lib.language import key, t_label
from course_lib.models.word_vectors import WordVectors
from course_lib.progress import Progress

NAME = "your skip-gram"  # also in texts.toml, for its Korean
DIM, REACH, N_NEGATIVES, POWER, THRESHOLD = 64, 4, 5, 0.75, 1e-2
EPOCHS, BATCH, RATE = 4, 128, 0.1  # chosen on `thread.dev`
FREQUENT = 20  # times in the text; about rarer words little was learned
BARS = {"below": 0.3, "more": 15}  # nats below the frequencies; points more than a random word gets
# on a text of one's own: chosen on an English novel and a Korean encyclopedia, then tried on two other texts
OWN_BARS = {"below": 0.1, "contexts": 3}  # nats below the frequencies; points more than a word as frequent gets
ASK = {
    "en": (["Monday", "garden", "Sunpo", "drove"], ("doctor", "hospital", "school")),
    "ko": (["월요일", "정원", "순포", "운전했다"], ("의사", "병원", "학교")),
}
OWN_SUM = {"en": ("his", "he", "she"), "ko": ("은", "이", "가")}  # her; 는: of nearly every text


def run(
    train: bool, drop_probability, thinned_pairs, negative_distribution, pair_gradients, sgd_step, neighbours, analogy
) -> Ran:
    text = thread()
    network = SkipGram(len(text.words), DIM)
    counts = {word: n for word, n in zip(text.words, text.counts.tolist(), strict=True) if n and word != UNKNOWN}
    frequent = [word for word, n in counts.items() if n >= FREQUENT]
    rows = [text.index[word] for word in frequent]
    words, asked = _own(counts, frequent, text.language) if text.own else ASK[text.language]
    given = [*words, "{} - {} + {}".format(*asked)]

    def near(word: str, k: int) -> list[str]:
        return [frequent[int(i)] for i in neighbours(network.v.weight.data[rows], frequent.index(word), k)]

    def total(*asked: str) -> str:
        return frequent[int(analogy(network.v.weight.data[rows], *map(frequent.index, asked)))]

    def answers() -> str:
        """A line for each word: its nearest by the reader's `neighbours`; and one sum by the reader's `analogy`."""
        return "\n".join([*(f"{word}: {', '.join(near(word, 5))}" for word in words), f"{given[-1]} = {total(*asked)}"])

    def play(*words: str):
        from course.widgets import ask_words

        return ask_words(WordVectors(frequent, network.v.weight[rows]), words or given)

    ran = Ran({"own-vectors": network}, play)
    if train:
        noise = _in_order(negative_distribution(counts, POWER), text)
        dropped = _in_order(drop_probability(counts, THRESHOLD), text)
        answers()  # a part that fails there should do so before the training
        start = _loss(network, text, noise)[0]
        _train(network, text, noise, dropped, thinned_pairs, pair_gradients, sgd_step)
        _prove_loss(ran, network, text, noise, start)
        (_prove_contexts if text.own else _prove_roles)(ran, text, near, frequent)
        ran.shows = answers()
    return ran


def _own(counts: dict[str, int], frequent: Sequence[str], language: str) -> tuple[list[str], Sequence[str]]:
    """Of a text of one's own: what to ask in the place of `ASK`, words from rarer to more frequent and a sum."""
    words = sorted(frequent, key=counts.get)
    words = [words[len(words) * i // 5] for i in range(1, 5)]
    return words, OWN_SUM[language] if set(OWN_SUM[language]) <= set(frequent) else words[:3]


def _in_order(of_words: dict, thread: Thread) -> torch.Tensor:
    """A number for each word [word], 0 for those that are not in the text."""
    return torch.tensor([float(of_words.get(word, 0)) for word in thread.words])


def _train(network: SkipGram, thread: Thread, noise, dropped, thinned_pairs, pair_gradients, sgd_step) -> None:
    inputs, outputs = network.v.weight.data.clone(), network.u.weight.data.clone()
    with Progress(t_label(NAME), total=EPOCHS, unit=key("epochs")) as bar:
        for epoch in range(EPOCHS):
            batches = _pairs(thread, dropped, thinned_pairs).split(BATCH)
            for i, batch in enumerate(batches):
                centre, context = batch.T
                negatives = torch.multinomial(noise, N_NEGATIVES * len(batch), replacement=True)
                done = epoch + i / len(batches)
                rate = RATE * (1 - done / EPOCHS)
                ids = centre, context, negatives.view(len(batch), -1)
                inputs, outputs = sgd_step(inputs, outputs, pair_gradients, *ids, rate)
                bar.update(epoch + (i + 1) / len(batches))
    network.v.weight.data.copy_(inputs)
    network.u.weight.data.copy_(outputs)


def _pairs(thread: Thread, dropped: torch.Tensor, thinned_pairs: Callable) -> torch.Tensor:
    """Word ids [pair, 2] in random order: words are dropped and windows drawn anew in each epoch."""
    found = []
    for words in _known(thread.text, thread):
        row = [thread.index[word] for word in words]
        kept = (torch.rand(len(row)) >= dropped[row]).tolist()
        pairs_ = thinned_pairs(words, kept, torch.randint(1, REACH + 1, (len(row),)).tolist())
        found += [(thread.index[centre], thread.index[context]) for centre, context in pairs_]
    return torch.tensor(found)[torch.randperm(len(found))]


def _known(sentences: Sequence[Sequence[str]], thread: Thread) -> list[list[str]]:
    """Without unknown words, as word2vec drops the rare ones before it looks for neighbours."""
    return [[word for word in words if thread.index.get(word, 1) > 1] for words in sentences]


def _beside(sentences: Sequence[Sequence[str]], thread: Thread) -> list[tuple[str, str]]:
    """All pairs of words in windows of two words to each side."""
    return [pair for words in _known(sentences, thread) for pair in pairs(words, 2)]


@torch.no_grad()
def _loss(network: SkipGram, thread: Thread, noise: torch.Tensor) -> tuple[float, float, int]:
    """In nats on all pairs of new sentences, window 2: the network's, and that of whoever knows how often each word is
    a context and how often a negative; the number of pairs."""
    centre, context = torch.tensor([[thread.index[word] for word in pair] for pair in _beside(thread.new, thread)]).T
    drawn = torch.multinomial(noise, N_NEGATIVES * len(centre), True, generator=torch.Generator().manual_seed(0))
    negatives = drawn.view(len(centre), -1)
    counts = thread.counts.index_fill(0, torch.tensor([1]), 0)  # without unknown words
    odds = (counts / counts.sum() / (N_NEGATIVES * noise).clamp(min=1e-9)).log()
    true, false = (torch.nn.functional.logsigmoid(x) for x in (odds[context], -odds[negatives]))
    return network(centre, context, negatives).item(), -(true + false.sum(-1)).mean().item(), len(centre)


def _prove_loss(ran: Ran, network: SkipGram, thread: Thread, noise: torch.Tensor, start: float) -> None:
    loss, frequencies, n = _loss(network, thread, noise)
    bar = frequencies - (OWN_BARS if thread.own else BARS)["below"]
    said = {"loss": f"{loss:.2f}", "start": f"{start:.2f}", "frequencies": f"{frequencies:.2f}", "bar": f"{bar:.2f}"}
    ran.prove("loss", loss <= bar, **said, n=f"{n:,}", of=len(thread.new))


def _prove_contexts(ran: Ran, thread: Thread, near: Callable, frequent: Sequence[str]) -> None:
    """Does what stands beside a word in new sentences stand beside its nearest word in the text? The control is the
    word that follows the nearest one by frequency; for words drawn at random in its place both shares are the same."""
    order = sorted(frequent, key=lambda word: thread.counts[thread.index[word]])
    after = dict(zip(order, [*order[1:], order[-2]], strict=True))
    nearest, read = {word: near(word, 1)[0] for word in frequent}, set(_beside(thread.text, thread))
    hits: dict[str, list] = {word: [] for word in frequent}
    for word, context in _beside(thread.new, thread):
        if word in hits:
            hits[word].append([(other, context) in read for other in (nearest[word], after[nearest[word]])])
    shares = torch.stack([torch.tensor(found).double().mean(0) for found in hits.values() if found])
    right, control = (100 * shares.mean(0)).tolist()
    bar = control + OWN_BARS["contexts"]
    said = {"right": f"{right:.0f}", "control": f"{control:.0f}", "bar": f"{bar:.0f}"}
    ran.prove("contexts", right >= bar, **said, n=len(shares))


def _prove_roles(ran: Ran, thread: Thread, near: Callable, frequent: Sequence[str]) -> None:
    tally: dict[str, Counter] = {}
    for sentence in (*thread.pool, *thread.test):
        for word, role in zip(sentence.words, thread.labels(sentence), strict=True):
            if role != NONE and word in frequent:
                tally.setdefault(word, Counter())[role] += 1
    role = {word: found.most_common(1)[0][0] for word, found in tally.items()}
    right = 100 * sum(role.get(near(word, 1)[0]) == role[word] for word in role) / len(role)
    alike = sum(role.get(other) == role[word] for word in role for other in frequent if other != word)
    chance = 100 * alike / len(role) / (len(frequent) - 1)
    bar = chance + BARS["more"]
    said = {"right": f"{right:.0f}", "chance": f"{chance:.0f}", "bar": f"{bar:.0f}"}
    ran.prove("neighbours", right >= bar, **said, n=len(role))


BUILD = Build("1.B", ("1.3", "1.8", "1.2", "1.9", "1.10", "1.5", "1.6"), run, importance=5, minutes=40, any_text=True)
