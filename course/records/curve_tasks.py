"""The public tasks of the label curves: their data, how long each is learned, and which systems stand in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from course.lab.four_tasks import FourTask, answers, names, pairs, sentences
from course.lab.target_texts import SOURCES, target_texts
from course.records.curve_bench import AWD_SYSTEMS, BASELINE, BERT_SYSTEMS, MINILM, Bench, Effort
from course_lib.data.public import load_public
from course_lib.models.shipped import load, shipped_names

MOST_LABELS, MOST_TESTS = 20_000, 1_000  # what "all" stands for at most, and the test items
AWD = "awd-lstm-en"


@dataclass(frozen=True)
class CurveTask:
    """A task before it is opened. `open` reads the data; chapters: the ones that show it.

    systems, on_request  the systems of the task, and those that are measured where they are asked for by name
    """

    title: str
    chapters: tuple[int, ...]
    systems: tuple[str, ...]
    checkpoints: tuple[str, ...]
    open: Callable[[], Bench]
    on_request: tuple[str, ...] = ()

    @property
    def missing_checkpoints(self) -> list[str]:
        return [name for name in self.checkpoints if name not in shipped_names()]


def texts_task(source: str, n_words: int) -> FourTask:
    """A set of target_texts.py, without a development part: nothing is chosen on it."""
    texts = target_texts(
        source, n_words=n_words, n_train=MOST_LABELS, n_dev=0, n_test=MOST_TESTS, n_unlabelled=MOST_LABELS
    )
    return FourTask(f"{texts.name}, last {n_words} words", "sentence", texts.train, [], texts.test)


def korean_names() -> FourTask:
    """KLUE-NER with 1,000 test sentences: its 400 here, and 600 that are not learned from."""
    task = names("klue_ner", "ko")
    more = MOST_TESTS - len(task.test)
    return replace(task, train=task.train[more:], test=[*task.test, *task.train[:more]])


def entailment() -> FourTask:
    """RTE: does the first text say what the second says? Its test labels are not public; dev is the test here."""
    return FourTask("rte", "pair", load_public("rte", "train"), [], load_public("rte", "dev"))


def tagged(name: str, kind: str, tags: str) -> FourTask:
    """One layer of a tagged set, from its own train to its own test part; kind "tokens" for BIO, else "words"."""
    return FourTask(f"{name}, {tags}", kind, load_public(name, "train"), [], load_public(name, "test"), tags=tags)


def _limited(make: Callable[[], FourTask]) -> FourTask:
    return make().limited(n_train=MOST_LABELS, n_test=MOST_TESTS)


def _task(
    title: str, chapters: tuple[int, ...], make: Callable[[], FourTask], effort: Effort, *, bert: str = ""
) -> CurveTask:
    """A task with AWD-LSTM systems if chapter 5 shows it, and BERT systems if `bert` names a checkpoint."""
    awd = 5 in chapters
    systems = (BASELINE, *(AWD_SYSTEMS if awd else ()), *(BERT_SYSTEMS if bert else ()))
    networks = ({"lm": partial(load, AWD)} if awd else {}) | ({"bert": partial(load, bert)} if bert else {})
    checkpoints = (*((AWD,) if awd else ()), *((bert,) if bert else ()))
    on_request = (MINILM,) if bert == "bert-en" else ()  # MiniLM reads English
    return CurveTask(
        title, chapters, systems, checkpoints, lambda: Bench(_limited(make), effort, **networks), on_request
    )


# So long that on one core 100 labels take up to a minute, and the most labels up to six.
TASKS: dict[str, CurveTask] = {
    "imdb": _task(SOURCES["imdb"], (5,), partial(texts_task, "imdb", 150), Effort(4, 90, 600, lm_steps=2_000)),
    "sst2": _task(
        SOURCES["sst2"], (5, 8), partial(texts_task, "sst2", 60), Effort(8, 200, 1_200, lm_steps=600), bert="bert-en"
    ),
    "trec6": _task(SOURCES["trec6"], (5,), partial(texts_task, "trec6", 60), Effort(8, 200, 1_200, lm_steps=300)),
    "wnut17": _task("WNUT-17, names", (8,), partial(names, "wnut17"), Effort(8, 300, 1_500, 16), bert="bert-en"),
    "squad-pairs": _task(
        "SQuAD, question and sentence", (8,), partial(pairs, "squad1_dev"), Effort(6, 200, 1_500, 16), bert="bert-en"
    ),
    "squad-spans": _task(
        "SQuAD, answers", (8,), partial(answers, "squad1_dev"), Effort(6, 200, 1_300, 16), bert="bert-en"
    ),
    "rte": _task("RTE, entailment", (8,), entailment, Effort(6, 200, 1_200, 16), bert="bert-en"),
    "conll2000": _task(
        "CoNLL-2000, chunks",
        (8,),
        partial(tagged, "conll2000", "tokens", "chunk"),
        Effort(8, 300, 2_500, 16),
        bert="bert-en",
    ),
    "ud-en": _task(
        "UD English, parts of speech",
        (8,),
        partial(tagged, "ud_english_ewt", "words", "upos"),
        Effort(8, 300, 3_000, 16),
        bert="bert-en",
    ),
    "nsmc": _task("NSMC, Korean", (8,), partial(sentences, "nsmc", "ko"), Effort(6, 200, 1_000), bert="bert-ko"),
    "klue-ner": _task("KLUE-NER, Korean names", (8,), korean_names, Effort(8, 300, 1_200, 16), bert="bert-ko"),
    "korquad-spans": _task(
        "KorQuAD, Korean answers", (8,), partial(answers, "korquad1_dev", "ko"), Effort(6, 200, 800, 16), bert="bert-ko"
    ),
}
