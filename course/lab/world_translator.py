"""A Transformer that learns to translate the invented world while the reader waits, and where it looks meanwhile.

model = translator(0)                                     # English -> Korean, about 40 s on one core
model.translate(["Ida played golf because she was bored ."])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice

from course.lab.world_bilm import TEXT_SEED
from course_lib.data.records import ParallelPair
from course_lib.data.world import World, WorldPair
from course_lib.device import seed_everything
from course_lib.errors import CourseError
from course_lib.evaluation.bleu import bleu
from course_lib.models.decoding import beam_search, greedy
from course_lib.models.transformer import TransformerConfig
from course_lib.models.translator import Translator
from course_lib.text.pieces import Pieces
from course_lib.training import fit
from course_lib.training.schedules import warmup_linear

N_PAIRS = 12_000
CONFIG = replace(
    TransformerConfig.small(), d_ff=256, dropout=0.0
)  # no sentence is read often enough to be learned by heart
LANGUAGES = ("en", "ko")


@lru_cache(maxsize=2)
def world_pairs(n_pairs: int = N_PAIRS) -> tuple[WorldPair, ...]:
    """The text that translators learn from: always the same sentences."""
    return tuple(islice(World(TEXT_SEED).pairs(), n_pairs))


def unseen_pairs(n: int, seed: int, *, n_pairs: int = N_PAIRS) -> list[WorldPair]:
    """`n` different sentences of known words that are not among world_pairs(n_pairs), in either language.

    A seed gives one list; those of two seeds may share a sentence. The world's test split is another question: it has
    nouns and names that no training text shows, and no translator of whole words can translate those.
    """
    if seed == TEXT_SEED:
        raise CourseError(f"unseen_pairs: seed {TEXT_SEED} is that of the training text. Use another one.")
    known = [{pair[language].words for pair in world_pairs(n_pairs)} for language in LANGUAGES]
    words = [{word for sentence in sentences for word in sentence} for sentences in known]
    found: dict[tuple[str, ...], WorldPair] = {}
    stream = World(seed).pairs()
    while len(found) < n:
        pair = next(stream)
        sides = [pair[language].words for language in LANGUAGES]
        if all(
            side not in old and all(w in ws for w in side) for side, old, ws in zip(sides, known, words, strict=True)
        ):
            found.setdefault(sides[0], pair)
    return list(found.values())


def translator(
    seed: int = 0,
    *,
    steps: int = 500,
    source: str = "en",
    target: str = "ko",
    n_pairs: int = N_PAIRS,
    config: TransformerConfig = CONFIG,
    tokens: int = 512,
    show: bool | str = False,
    watchers: Sequence[Callable[[int, dict], object]] = (),
    model: Translator | None = None,
) -> Translator:
    """A Translator of whole words, trained for `steps` steps of at most `tokens` words each; steps=0: untrained.

    seed    of the weights and of the order of the text. show: as for `fit`. In eval mode.
    watchers, model   as for `fit`; they may keep the weights of the model given in `model` on the way
    Raises CourseError for languages that are not one each of "en" and "ko".
    """
    if sorted((source, target)) != sorted(LANGUAGES):
        raise CourseError(f"translator: source={source!r}, target={target!r}. Use 'en' and 'ko', one each.")
    pairs = [pair.parallel(source) for pair in world_pairs(n_pairs)]
    seed_everything(seed)
    if model is None:
        words = Pieces.words(side.words for pair in pairs for side in (pair.source, pair.target))
        model = Translator(config, words)
    if steps:
        fit(
            model,
            model.batches(pairs, tokens=tokens, seed=seed),
            steps=steps,
            learning_rate=3e-3,
            schedule=lambda step, total: warmup_linear(step, total, warmup=total // 10),
            betas=(0.9, 0.98),
            watchers=watchers,
            show=show,
        )
    return model.eval()


def world_bleu(model: Translator, pairs: Sequence[ParallelPair], *, beam: int = 1) -> float:
    """Corpus BLEU of the translations of these pairs; beam=1 is greedy."""
    sources = [pair.source for pair in pairs]
    found = greedy(model, sources) if beam == 1 else beam_search(model, sources, beam=beam)
    return bleu([one.text for one in found], [" ".join(pair.target.words) for pair in pairs])


@lru_cache(maxsize=2)
def trained_translator(seed: int = 0, *, steps: int = 500) -> Translator:
    """translator(seed, steps=steps), trained once per session."""
    return translator(seed, steps=steps)
