"""What stands on the label curves: the public tasks, how long each is learned, and the systems that learn it.

All systems of a task take the same labels, batches and steps. Nothing is chosen on a development part: each kind of
start has one fixed way to train, written here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial

from course.lab.controls import untrained
from course.lab.learning import Recipe, fine_tune
from course.lab.tasks import N_DEV, TITLES, Task, answers, names, pairs, reviews, target_texts
from course.lab.ulmfit_stages import FROM_SCRATCH, Tricks, classifier, for_target, tuned
from course.sources.public import load_public
from course_lib.language import key
from course_lib.models.awd_lstm import AWDLSTM
from course_lib.models.bert import Bert
from course_lib.models.shipped import load

BASELINE = "baseline"
AWD_SCRATCH, AWD_GENERAL, AWD_TARGET = "awd-scratch", "awd-general", "awd-target"
BERT_SCRATCH, BERT, MINILM = "bert-scratch", "bert", "minilm"
AWD_SYSTEMS = (AWD_SCRATCH, AWD_GENERAL, AWD_TARGET)
BERT_SYSTEMS = (BERT_SCRATCH, BERT)
MINILM_RATE = 1e-4  # published weights, wider and deeper
BERT_RATE = 5e-4  # between the two rates of C8.4, which takes fewer steps
AWD_TRICKS = {AWD_SCRATCH: FROM_SCRATCH, AWD_GENERAL: Tricks(), AWD_TARGET: Tricks()}
AWD = "awd-lstm-en"
ALL = "all"
Labels = int | str  # a number, or ALL
MOST_LABELS, MOST_TESTS = 20_000, 1_000  # what ALL stands for at most, and the test items
MOST_WORDS = 8_000  # of the target's vocabulary


@dataclass(frozen=True)
class Effort:
    """epochs over the labels, but at least `min_steps` and at most `max_steps`; lm_steps: of the target LM."""

    epochs: int
    min_steps: int
    max_steps: int
    batch_size: int = 32
    lm_steps: int = 0

    @property
    def recipe(self) -> Recipe:
        return Recipe(BERT_RATE, self.epochs, self.min_steps, self.max_steps, self.batch_size)


class Bench:
    """One task with its systems, opened: records in memory, networks loaded when they are first needed.

    lm, bert, minilm  give the pre-trained network of the AWD-LSTM and of the BERT systems, and the published one
    """

    def __init__(
        self,
        task: Task,
        effort: Effort,
        *,
        lm: Callable[[], AWDLSTM] | None = None,
        bert: Callable[[], Bert] | None = None,
        minilm: Callable[[], Bert] = partial(load, "minilm-en"),  # noqa: B008
    ):
        self.effort, self._lm, self._bert, self._minilm = effort, lm, bert, minilm
        self.task = task if bert is None else task.fitting(self.bert, windows=True)

    @cached_property
    def bert(self) -> Bert:
        return self._bert()

    @cached_property
    def minilm(self) -> Bert:
        return self._minilm()

    @cached_property
    def documents(self) -> list[list[str]]:
        """All training texts without their labels."""
        return [record.text.split() for record in self.task.train]

    @cached_property
    def general(self) -> AWDLSTM:
        return for_target(self._lm(), self.documents, max_size=MOST_WORDS)

    @cached_property
    def target(self) -> AWDLSTM:
        """Tuned once, for all label counts and seeds: it sees no label."""
        return tuned(self.general, self.documents, steps=self.effort.lm_steps)

    def description(self) -> dict:
        """What must be equal for two cells to be comparable, and what a reader must know: plain JSON."""
        return {
            "data": self.task.name,
            "metric": self.task.unit,
            "baseline": self.task.baseline_name,
            "n_test": len(self.task.test),
            "n_all": len(self.task.train),
            "effort": asdict(self.effort),
            "rates": ({} if self._lm is None else {name: tricks.rate for name, tricks in AWD_TRICKS.items()})
            | ({} if self._bert is None else dict.fromkeys(BERT_SYSTEMS, BERT_RATE)),
        }

    def n_labels(self, labels: Labels) -> int:
        return len(self.task.train) if labels == ALL else labels

    def steps(self, system: str, n_labels: int) -> int:
        """Of training; 0 for the baseline."""
        return 0 if system == BASELINE else self.effort.recipe.steps(n_labels)

    def scores(self, system: str, n_labels: int, seed: int) -> dict[str, float]:
        """{"score": in %} of the system learned from `n_labels` records, and for answers "exact" (exact match in %)."""
        task, recipe = self.task, self.effort.recipe
        if system == BASELINE:
            return task.baseline_scores(task.draw(n_labels, seed))
        if system == MINILM:
            return task.scores(fine_tune(task, self.minilm, n_labels, seed, recipe.at(MINILM_RATE)))
        if system in BERT_SYSTEMS:
            start = self.bert if system == BERT else untrained(self.bert, seed)
            return task.scores(fine_tune(task, start, n_labels, seed, recipe))
        start = self.target if system == AWD_TARGET else self.general
        learned = classifier(
            untrained(start, seed) if system == AWD_SCRATCH else start,
            task.draw(n_labels, seed),
            task.labels,
            steps=self.steps(system, n_labels),
            tricks=AWD_TRICKS[system],
            seed=seed,
            batch_size=self.effort.batch_size,
        )
        return task.scores(learned)


@dataclass(frozen=True)
class CurveTask:
    """A task before it is opened: `open` reads the data."""

    title: str
    chapters: tuple[int, ...]  # that show it
    systems: tuple[str, ...]
    checkpoints: tuple[str, ...]
    open: Callable[[], Bench]
    on_request: tuple[str, ...] = ()  # systems that are measured where they are asked for by name


def texts_task(source: str, n_words: int) -> Task:
    """Target texts without a development part: nothing is chosen on it."""
    sizes = {"n_train": MOST_LABELS, "n_dev": 0, "n_test": MOST_TESTS, "n_unlabelled": MOST_LABELS}
    texts = target_texts(source, n_words=n_words, **sizes)
    return replace(texts, name=f"{texts.name}, last {n_words} words", dev=[])


def korean_names() -> Task:
    """KLUE-NER with 1,000 test sentences: its 400 here, and 600 that are not learned from."""
    task = names("klue_ner", "ko")
    more = MOST_TESTS - len(task.test)
    return replace(task, train=task.train[more:], test=[*task.test, *task.train[:more]])


def entailment() -> Task:
    """RTE: does the first text say what the second says? Its test labels are not public; dev is the test here."""
    return Task("rte", "pair", load_public("rte", "train"), [], load_public("rte", "dev"))


def tagged(name: str, kind: str, tags: str) -> Task:
    """One layer of a tagged set, from its own train to its own test part; kind "tokens" for BIO, else "words"."""
    return Task(f"{name}, {tags}", kind, load_public(name, "train"), [], load_public(name, "test"), tags=tags)


def _task(
    title: str, make: Callable[[], Task], effort: Effort, *, chapters: tuple[int, ...] = (8,), bert: str = ""
) -> CurveTask:
    """A task with AWD-LSTM systems if chapter 5 shows it, and BERT systems if `bert` names a checkpoint."""
    awd = AWD if 5 in chapters else ""
    systems = (BASELINE, *(AWD_SYSTEMS if awd else ()), *(BERT_SYSTEMS if bert else ()))
    networks = {kind: partial(load, name) for kind, name in (("lm", awd), ("bert", bert)) if name}

    def open_bench() -> Bench:
        return Bench(make().limited(n_train=MOST_LABELS, n_test=MOST_TESTS), effort, **networks)

    on_request = (MINILM,) if bert == "bert-en" else ()  # MiniLM reads English
    return CurveTask(title, chapters, systems, tuple(filter(None, (awd, bert))), open_bench, on_request)


_english, _korean = partial(_task, bert="bert-en"), partial(_task, bert="bert-ko")
# So long that on one core 100 labels take up to a minute, and the most labels up to six.
TASKS: dict[str, CurveTask] = {
    "imdb": _task(TITLES["imdb"], partial(texts_task, "imdb", 150), Effort(4, 90, 600, lm_steps=2_000), chapters=(5,)),
    "sst2": _english(
        TITLES["sst2"], partial(texts_task, "sst2", 60), Effort(8, 200, 1_200, lm_steps=600), chapters=(5, 8)
    ),
    "trec6": _task(
        TITLES["trec6"], partial(texts_task, "trec6", 60), Effort(8, 200, 1_200, lm_steps=300), chapters=(5,)
    ),
    # the record calls it by the name of its file
    "wnut17": _english(
        key("WNUT-17, names"), lambda: replace(names("wnut17"), name="wnut17"), Effort(8, 300, 1_500, 16)
    ),
    "squad-pairs": _english(
        key("SQuAD, question and sentence"), partial(pairs, "squad1_dev"), Effort(6, 200, 1_500, 16)
    ),
    "squad-spans": _english(key("SQuAD, answers"), partial(answers, "squad1_dev"), Effort(6, 200, 1_300, 16)),
    "rte": _english(key("RTE, entailment"), entailment, Effort(6, 200, 1_200, 16)),
    "conll2000": _english(
        key("CoNLL-2000, chunks"), partial(tagged, "conll2000", "tokens", "chunk"), Effort(8, 300, 2_500, 16)
    ),
    "ud-en": _english(
        key("UD English, parts of speech"),
        partial(tagged, "ud_english_ewt", "words", "upos"),
        Effort(8, 300, 3_000, 16),
    ),
    "nsmc": _korean(key("NSMC, Korean"), partial(reviews, "nsmc", "ko", n_dev=N_DEV), Effort(6, 200, 1_000)),
    "klue-ner": _korean(key("KLUE-NER, Korean names"), korean_names, Effort(8, 300, 1_200, 16)),
    "korquad-spans": _korean(
        key("KorQuAD, Korean answers"), partial(answers, "korquad1_dev", "ko"), Effort(6, 200, 800, 16)
    ),
}
