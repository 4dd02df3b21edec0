"""Models of the invented world that learn while the reader waits: language models of two directions and of one, a
translator, and CoVe.

model = world_bilm(seed=0)      # a BiLM, in eval mode, about 3 s: model.encode([["The", "bank", ...]])
model = translator(0)           # English -> Korean, about 40 s on one core
model.translate(["Ida played golf because she was bored ."])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import islice

from course.lab.company import text as running_text
from course.sources.public import load_public
from course.world import World, WorldPair
from course_lib.data.records import ParallelPair
from course_lib.data.streams import TextStreams, TwoWayStreams
from course_lib.device import seed_everything
from course_lib.evaluation.bleu import bleu
from course_lib.models.cove import CoVe, CoVeConfig, Seq2Seq, Seq2SeqConfig, target_vocabulary
from course_lib.models.decoding import beam_search, greedy
from course_lib.models.encoder import StaticVectors
from course_lib.models.lstm_lm import DIRECTIONS, SPECIALS, UNKNOWN, BiLM, BiLMConfig
from course_lib.models.shipped import load
from course_lib.models.skip_gram import SkipGramConfig
from course_lib.models.skip_gram_trainer import train_skip_gram
from course_lib.models.transformer import LeftToRightLM, TransformerConfig
from course_lib.models.translator import Translator
from course_lib.text.characters import Characters
from course_lib.text.pieces import Pieces
from course_lib.text.vocabulary import Vocabulary
from course_lib.training import adamw, fit
from course_lib.training.schedules import cosine, warmup_linear

TEXT_SEED = 23  # of the text without labels; the labelled sentences of the experiments have other seeds
SENTENCES_PER_CUE = 2  # plain sentences for each one with a word whose sense a cue on one side tells
N_PAIRS = 12_000  # that translators learn from
# no sentence is read often enough to be learned by heart
TRANSLATOR = replace(TransformerConfig.small(), d_ff=256, dropout=0.0)
LANGUAGES = ("en", "ko")
_DOCUMENT = 16  # sentences that stay together when the text is shuffled
ADAM = partial(adamw, betas=(0.9, 0.98))  # Vaswani et al. 2017, section 5.3
Text = Sequence[Sequence[str]]
Watchers = Sequence[Callable[[int], object]]


@lru_cache(maxsize=4)
def world_text(n_words: int, language: str = "en") -> tuple[tuple[str, ...], ...]:
    """Sentences without labels. Half are of the test split: text from the wild has words that the labelled ones lack.

    One in three has an ambiguous word with a cue on its left or on its right.
    """
    worlds = [World(TEXT_SEED, split=split) for split in ("train", "test")]
    plain = [world.sentences(language) for world in worlds]
    cued = [world.senses(language, side=side) for world in worlds for side in ("left", "right")]
    text: list[tuple[str, ...]] = []
    total = 0
    while total < n_words:
        new = [sentence.words for stream in plain for sentence in islice(stream, 2 * SENTENCES_PER_CUE)]
        new += [next(stream).sentence.words for stream in cued]
        text += new
        total += sum(map(len, new))
    return tuple(text)


# Language models of two directions


def world_bilm(
    seed: int = 0, *, n_words: int = 60_000, steps: int = 150, directions: str = "both", language: str = "en"
) -> BiLM:
    """A BiLM trained on `n_words` words of the world, always the same, about 3 s on one core; as `train_bilm`."""
    text = [list(words) for words in world_text(n_words, language)]
    return train_bilm(text, seed, steps=steps, directions=directions)


def train_bilm(
    text: Text,
    seed: int = 0,
    *,
    steps: int,
    directions: str = "both",
    characters: bool = False,
    width: int = 64,
    min_count: int = 1,
    batch_size: int = 16,
    length: int = 24,
    watchers: Watchers = (),
    model: BiLM | None = None,
) -> BiLM:
    """A BiLM trained for `steps` steps of batch_size x length words in each direction; steps=0: the same untrained.

    directions  "both", "forward", "backward"
    width       of a layer's state, all directions together: one direction alone is as wide as two side by side
    characters  words are read by a character CNN, not looked up in a table
    min_count   rarer words are read and predicted as unknown (with characters: only predicted so)
    watchers    as for `fit`; they may save the model given in `model` on the way
    """
    seed_everything(seed)
    if model is None:
        model = new_bilm(text, directions=directions, characters=characters, width=width, min_count=min_count)
    if steps:
        documents = [model.document(text[at : at + _DOCUMENT]) for at in range(0, len(text), _DOCUMENT)]
        streams = TwoWayStreams(documents, batch_size, length, seed=seed)
        settings = {"learning_rate": 8e-3, "schedule": cosine, "optimizer": ADAM, "watchers": watchers}
        fit(model, streams, steps=steps, show=False, **settings)
    return model.eval()


def new_bilm(
    text: Text, *, directions: str = "both", characters: bool = False, width: int = 64, min_count: int = 1
) -> BiLM:
    """An untrained BiLM for the words of a text; arguments as for `train_bilm`."""
    vocabulary = Vocabulary.from_sentences(text, min_count=min_count, specials=SPECIALS, unknown=UNKNOWN)
    spelled = Characters.from_words(vocabulary.words, min_count=1) if characters else None
    config = BiLMConfig.small(len(vocabulary), None if spelled is None else len(spelled))
    projection = width // len(DIRECTIONS[directions])
    cnn = config.characters if spelled is None else replace(config.characters, out_dim=projection)
    config = replace(config, directions=directions, projection=projection, hidden=2 * projection, characters=cnn)
    return BiLM(config, vocabulary, spelled)


# A left-to-right Transformer


@lru_cache(maxsize=8)
def lm_text(n_sentences: int, part: int = 0) -> tuple[tuple[str, ...], ...]:
    """Sentences to read; parts 1, 2 ... are other ones, for dev and test."""
    return tuple(sentence.words for sentence in islice(World(TEXT_SEED + part).sentences(), n_sentences))


def new_lm(config: TransformerConfig, text: Text, seed: int) -> LeftToRightLM:
    """Untrained, for the words of `text`."""
    seed_everything(seed)
    return LeftToRightLM(config, Pieces.words(text))


def streams(model: LeftToRightLM, text: Text, seed: int) -> TextStreams:
    """Running text of whole sentences, each between [BOS] and [EOS]."""
    pieces = model.pieces
    rows = [[pieces.begin, *pieces.ids(words), pieces.end] for words in text]
    return TextStreams(rows, batch_size=16, length=24, seed=seed)


def train_lm(
    model: LeftToRightLM, text: Text, seed: int, *, steps: int, rate: float, schedule: Callable[[int, int], float]
) -> LeftToRightLM:
    """In eval mode. Raises CourseError if the loss stops being a number."""
    batches = streams(model, text, seed)
    fit(model, batches, steps=steps, learning_rate=rate, schedule=schedule, optimizer=ADAM, show=False)
    return model.eval()


# A translator


@lru_cache(maxsize=2)
def world_pairs(n_pairs: int = N_PAIRS) -> tuple[WorldPair, ...]:
    """The text that translators learn from: always the same sentences."""
    return tuple(islice(World(TEXT_SEED).pairs(), n_pairs))


def unseen_pairs(n: int, seed: int, *, n_pairs: int = N_PAIRS) -> list[WorldPair]:
    """`n` different sentences of known words that are not among world_pairs(n_pairs), in either language.

    A seed gives one list; those of two seeds may share a sentence. The world's test split is another question: it has
    nouns and names that no training text shows, and no translator of whole words can translate those.
    """
    assert seed != TEXT_SEED
    known = [{pair[language].words for pair in world_pairs(n_pairs)} for language in LANGUAGES]
    words = [{word for sentence in sentences for word in sentence} for sentences in known]
    unseen: dict[tuple[str, ...], WorldPair] = {}
    stream = World(seed).pairs()
    while len(unseen) < n:
        pair = next(stream)
        sides = [pair[language].words for language in LANGUAGES]
        if all(side not in old and ws.issuperset(side) for side, old, ws in zip(sides, known, words, strict=True)):
            unseen.setdefault(sides[0], pair)
    return list(unseen.values())


def translator(
    seed: int = 0,
    *,
    steps: int = 500,
    source: str = "en",
    n_pairs: int = N_PAIRS,
    config: TransformerConfig = TRANSLATOR,
    tokens: int = 512,
    show: bool | str = False,
    watchers: Watchers = (),
    model: Translator | None = None,
) -> Translator:
    """A Translator of whole words, trained for `steps` steps of at most `tokens` words each; steps=0: untrained.

    seed    of the weights and of the order of the text. source: "en" or "ko". show: as for `fit`. In eval mode.
    watchers, model   as for `fit`; they may keep the weights of the model given in `model` on the way
    """
    pairs = [pair.parallel(source) for pair in world_pairs(n_pairs)]
    seed_everything(seed)
    if model is None:
        words = Pieces.words(side.words for pair in pairs for side in (pair.source, pair.target))
        model = Translator(config, words)
    if steps:
        batches = model.batches(pairs, tokens=tokens, seed=seed)
        settings = {"learning_rate": 3e-3, "optimizer": ADAM, "watchers": watchers, "show": bool(show)}
        settings["schedule"] = lambda step, total: warmup_linear(step, total, warmup=total // 10)
        fit(model, batches, steps=steps, **settings)
    return model.eval()


def world_bleu(model: Translator, pairs: Sequence[ParallelPair], *, beam: int = 1) -> float:
    """Corpus BLEU of the translations of these pairs; beam=1 is greedy."""
    sources = [pair.source for pair in pairs]
    hypotheses = greedy(model, sources) if beam == 1 else beam_search(model, sources, beam=beam)
    return bleu([one.text for one in hypotheses], [" ".join(pair.target.words) for pair in pairs])


@lru_cache(maxsize=2)
def trained_translator(seed: int = 0, *, steps: int = 500) -> Translator:
    """translator(seed, steps=steps), trained once per session."""
    return translator(seed, steps=steps)


# CoVe, and static vectors of one width, learned from the same English text


def world_cove() -> tuple[CoVe, StaticVectors]:
    """CoVe of English-to-Korean sentences of the world, and the static vectors that it reads, both 64 wide.

    Both know the same English sentences and nothing else. Half are of the test split: see `world_text`.
    """
    worlds = [World(TEXT_SEED, split=split) for split in ("train", "test")]
    pairs = [pair.parallel() for world in worlds for pair in islice(world.pairs(), 2_500)]
    static = static_vectors([list(pair.source.words) for pair in pairs], 64, epochs=20)
    return train_cove(static, pairs, 0, steps=500), static


def static_vectors(sentences: list[list[str]], width: int, seed: int = 0, epochs: int = 5) -> StaticVectors:
    """Skip-gram vectors of these sentences. Those of a short text are small: all are brought to one spread."""
    config = SkipGramConfig(dim=width, min_count=2, epochs=epochs)
    table = train_skip_gram(sentences, config, seed=seed, progress=False).word_vectors()
    rows = table.vectors - table.vectors.mean(0)
    return StaticVectors(table.words, 0.3 * rows / rows.std())


def train_cove(static: StaticVectors, pairs: list[ParallelPair], seed: int, *, steps: int) -> CoVe:
    """The encoder of an attentional translation model, as wide as the static vectors, which stay as they are."""
    seed_everything(seed)
    table = static.word_vectors()
    encoder = CoVe.from_word_vectors(table, CoVeConfig(dim=static.dim, hidden=static.dim // 2))
    encoder.freeze(["word"])
    model = Seq2Seq(encoder, target_vocabulary(pairs, min_count=2), Seq2SeqConfig(dim=static.dim))
    fit(model, model.batches(pairs, 64, seed), steps=steps, learning_rate=5e-3, schedule=cosine, show=False)
    return encoder.eval()


def shipped_cove(name: str, source: str, n_words: int) -> tuple[CoVe, StaticVectors]:
    """A shipped CoVe, and static vectors of its width from as many words: of `source`, and its captions (Multi30k).

    The static vectors that the shipped CoVe reads were learned from `n_words` words of `source`.
    """
    cove = load(name)
    captions = [[word.lower() for word in pair.source.words] for pair in load_public("multi30k", "train")]
    return cove, static_vectors(running_text(source, n_words) + captions, cove.dims[-1])
