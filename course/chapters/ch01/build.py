"""Build 1.B: skip-gram of the reader's parts, trained on the text of the course without backward() and without Adam."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import torch

from course.by_hand.skip_gram import SkipGram, pairs
from course.check.build import Build, Ran
from course.lab.roles import NONE, Thread
from course_lib.language import language, t_label
from course_lib.models.word_vectors import WordVectors
from course_lib.progress import Progress

NAME = "your skip-gram"  # also in texts.toml, for its Korean
DIM, REACH, N_NEGATIVES, POWER, THRESHOLD = 64, 4, 5, 0.75, 1e-2
EPOCHS, BATCH, RATE = 4, 128, 0.1  # chosen on `thread.dev`
FREQUENT = 20  # times in the text; about rarer words little was learned
BARS = {"below": 0.3, "more": 15}  # nats below the frequencies; points more than a random word gets
ASK = {
    "en": (["Monday", "garden", "Sunpo", "drove"], ("doctor", "hospital", "school")),
    "ko": (["월요일", "정원", "순포", "운전했다"], ("의사", "병원", "학교")),
}


def run(
    train: bool, drop_probability, thinned_pairs, negative_distribution, pair_gradients, sgd_step, neighbours, analogy
) -> Ran:
    thread = Thread(language())
    network = SkipGram(len(thread.words), DIM)
    counts = {word: n for word, n in zip(thread.words, thread.counts.tolist(), strict=True) if n}
    frequent = [word for word, n in counts.items() if n >= FREQUENT]
    rows = [thread.index[word] for word in frequent]

    def near(word: str, k: int) -> list[str]:
        return [frequent[int(i)] for i in neighbours(network.v.weight.data[rows], frequent.index(word), k)]

    def total(*asked: str) -> str:
        return frequent[int(analogy(network.v.weight.data[rows], *map(frequent.index, asked)))]

    ran = Ran({"own-vectors": network}, play=lambda *asked: _play(WordVectors(frequent, network.v.weight[rows]), asked))
    if train:
        noise = _in_order(negative_distribution(counts, POWER), thread)
        dropped = _in_order(drop_probability(counts, THRESHOLD), thread)
        _answers(near, total)  # a part that fails there should do so before the training
        start = _loss(network, thread, noise)[0]
        _train(network, thread, noise, dropped, thinned_pairs, pair_gradients, sgd_step)
        _prove(ran, network, thread, noise, start, near, frequent)
        ran.shows = _answers(near, total)
    return ran


def _in_order(of_words: dict, thread: Thread) -> torch.Tensor:
    """A number for each word [word], 0 for those that are not in the text."""
    return torch.tensor([float(of_words.get(word, 0)) for word in thread.words])


def _train(network: SkipGram, thread: Thread, noise, dropped, thinned_pairs, pair_gradients, sgd_step) -> None:
    inputs, outputs = network.v.weight.data.clone(), network.u.weight.data.clone()
    with Progress(t_label(NAME), total=EPOCHS) as bar:
        for epoch in range(EPOCHS):
            batches = _pairs(thread, dropped, thinned_pairs).split(BATCH)
            for i, batch in enumerate(batches):
                centre, context = batch.T
                negatives = torch.multinomial(noise, N_NEGATIVES * len(batch), replacement=True)
                done = epoch + i / len(batches)
                rate = RATE * (1 - done / EPOCHS)
                ids = centre, context, negatives.view(len(batch), -1)
                inputs, outputs = sgd_step(inputs, outputs, pair_gradients, *ids, rate)
                bar.update(done)
    network.v.weight.data.copy_(inputs)
    network.u.weight.data.copy_(outputs)


def _pairs(thread: Thread, dropped: torch.Tensor, thinned_pairs: Callable) -> torch.Tensor:
    """Word ids [pair, 2] in random order: words are dropped and windows drawn anew in each epoch."""
    found = []
    for words in thread.text:
        row = [thread.index[word] for word in words]
        kept = (torch.rand(len(row)) >= dropped[row]).tolist()
        pairs_ = thinned_pairs(list(words), kept, torch.randint(1, REACH + 1, (len(row),)).tolist())
        found += [(thread.index[centre], thread.index[context]) for centre, context in pairs_]
    return torch.tensor(found)[torch.randperm(len(found))]


@torch.no_grad()
def _loss(network: SkipGram, thread: Thread, noise: torch.Tensor) -> tuple[float, float, int]:
    """In nats on all pairs of new sentences, window 2: the network's, and that of whoever knows how often each word is
    a context and how often a negative; the number of pairs."""
    known = ([thread.index[word] for word in s.words if word in thread.index] for s in thread.test)
    centre, context = torch.tensor([pair for row in known for pair in pairs(row, 2)]).T
    drawn = torch.multinomial(noise, N_NEGATIVES * len(centre), True, generator=torch.Generator().manual_seed(0))
    negatives = drawn.view(len(centre), -1)
    odds = (thread.counts / thread.counts.sum() / (N_NEGATIVES * noise).clamp(min=1e-9)).log()
    true, false = (torch.nn.functional.logsigmoid(x) for x in (odds[context], -odds[negatives]))
    return network(centre, context, negatives).item(), -(true + false.sum(-1)).mean().item(), len(centre)


def _prove(ran: Ran, network: SkipGram, thread: Thread, noise, start: float, near: Callable, frequent) -> None:
    loss, frequencies, n = _loss(network, thread, noise)
    bar = frequencies - BARS["below"]
    said = {"loss": f"{loss:.2f}", "start": f"{start:.2f}", "frequencies": f"{frequencies:.2f}", "bar": f"{bar:.2f}"}
    ran.prove("loss", loss <= bar, **said, n=f"{n:,}", of=len(thread.test))

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


def _answers(near: Callable, total: Callable) -> str:
    """A line for each word: its nearest by the reader's `neighbours`; and one sum by the reader's `analogy`."""
    words, asked = ASK[language()]
    a, b, c = asked
    return "\n".join([*(f"{word}: {', '.join(near(word, 5))}" for word in words), f"{a} - {b} + {c} = {total(*asked)}"])


def _play(vectors: WordVectors, asked):
    from course_lib.widgets import ask_words

    words, (a, b, c) = ASK[language()]
    return ask_words(vectors, asked or [*words, f"{a} - {b} + {c}"])


BUILD = Build("1.B", ("1.3", "1.8", "1.2", "1.9", "1.10", "1.5", "1.6"), run, importance=5, minutes=40)
