"""Recipes of the bidirectional language models that ship with the course: character CNN and LSTMs on Wikipedia."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import fmean

import torch
from torch import Tensor

from course_lib.config import settings
from course_lib.data.running_text import CORPORA
from course_lib.data.streams import TwoWayBatch, TwoWayStreams
from course_lib.experiments.provenance import provenance
from course_lib.models.char_cnn import CharCNNConfig
from course_lib.models.lstm_lm import BiLM
from course_lib.models.lstm_lm_config import BOUNDARY, SPECIALS, UNKNOWN, BiLMConfig
from course_lib.models.shipped import load
from course_lib.recipes.corpora import read_documents, split_corpus
from course_lib.text.characters import Characters
from course_lib.text.vocabulary import Vocabulary
from course_lib.training import fit
from course_lib.training.history import History
from course_lib.training.schedules import cosine

SNAPSHOTS = (0.04, 0.1, 0.25, 0.5)  # of all steps: what claim C3.3 compares with the end


@dataclass(frozen=True)
class BiLMRecipe:
    """steps of batch_size x length words per direction; minutes: the training ends then, if it has not before."""

    name: str
    corpus: str
    jamo: bool = False  # Hangul syllables taken apart, so that inflected forms share their parts
    vocab_size: int = 12_000  # words the softmax predicts
    known_words: int = 150_000  # words read as themselves in training
    projection: int = 128
    hidden: int = 256
    batch_size: int = 128
    length: int = 32
    steps: int = 1_800
    held_out: int = 100  # articles kept for perplexity
    learning_rate: float = 3e-3
    minutes: float | None = None

    def run(self, out: Path) -> Path:
        """From raw text to the checkpoint `out`/NAME, with its card. A stopped training goes on where it was.

        Raises CourseError if the corpus is not there.
        """
        path, seed = split_corpus(self.corpus, out), settings().seed
        torch.manual_seed(seed)
        model = self.build(path)
        documents = self.read(path, model)
        held_out, train = documents[: self.held_out], documents[self.held_out :]
        streams = TwoWayStreams(train, self.batch_size, self.length, seed=seed)
        snapshots = {max(1, round(share * self.steps)) for share in SNAPSHOTS}

        def keep_snapshot(step: int, losses: dict) -> None:
            if step in snapshots:
                model.save(out / f"{self.name}.snapshots" / f"{step:06d}", half=True, int8=True)

        history = fit(
            model,
            partial(_epoch, streams),
            steps=self.steps,
            minutes=self.minutes,
            learning_rate=self.learning_rate,
            schedule=partial(cosine, floor=0.02),
            betas=(0.9, 0.98),
            seed=seed,
            folder=out / f"{self.name}.training",
            watchers=[keep_snapshot],
        )
        folder = out / self.name
        small = _with_small_vocabulary(model.eval())
        small.save(folder, half=True, int8=True)
        perplexities = {
            "as trained": model.perplexity(held_out),
            "as shipped, rare words read as unknown": load(folder).perplexity(
                [d.where(d < self.vocab_size, small.vocabulary.index[UNKNOWN]) for d in held_out]
            ),
        }
        small.save(folder, half=True, int8=True, card=self.card(sum(map(len, train)), history, perplexities))
        return folder

    def build(self, path: Path) -> BiLM:
        """The untrained model, with words and characters counted in the training articles."""
        counts: Counter[str] = Counter()
        for document in islice(read_documents(path), self.held_out, None):
            for sentence in document:
                counts.update(sentence)
        characters = Characters.from_words(counts, mode="jamo" if self.jamo else "character", min_count=50)
        common = counts.most_common(self.known_words)
        vocabulary = Vocabulary(
            [*SPECIALS, *(word for word, _ in common)], counts=[0, 0, *(n for _, n in common)], unknown=UNKNOWN
        )
        cnn = CharCNNConfig(
            len(characters), filters=((1, 32), (2, 64), (3, 96), (4, 128)), n_highway=1, out_dim=self.projection
        )
        config = BiLMConfig(
            vocab_size=self.vocab_size,
            projection=self.projection,
            hidden=self.hidden,
            softmax="adaptive",
            cutoffs=(1_000, 4_000),
            characters=cnn,
        )
        return BiLM(config, vocabulary, characters)

    def read(self, path: Path, model: BiLM) -> list[Tensor]:
        """Each article as ids, </s> after each sentence."""
        index, boundary, unknown = model.vocabulary.index, *(model.vocabulary.index[w] for w in (BOUNDARY, UNKNOWN))
        return [
            torch.tensor([id for s in document for id in (*(index.get(w, unknown) for w in s), boundary)])
            for document in read_documents(path)
        ]

    def card(self, n_words: int, history: History, perplexities: dict[str, dict[str, float]]) -> str:
        tokens = len(history.steps) * self.batch_size * self.length
        rows = {
            "model": "bidirectional language model over a character CNN, as in ELMo; matrices int8, the rest float16",
            "corpus": f"{CORPORA[self.corpus]}, {n_words:,} words to learn from, {self.held_out} articles held out",
            "tokens": f"{tokens:,} seen by each direction",
            "settings": ", ".join(f"{key} {value}" for key, value in asdict(self).items() if value is not None),
            "device": provenance()["device"],
            "minutes": f"{history.seconds / 60:.1f}",
            "final loss": f"{fmean(history.losses[-100:]):.3f} nats, both directions together",
            **{
                f"held-out perplexity, {which}": ", ".join(f"{name} {value:.1f}" for name, value in found.items())
                + f" ({self.vocab_size:,} words and one for all others)"
                for which, found in perplexities.items()
            },
            "licence": "weights: CC BY 4.0; the text they were learned from: CC BY-SA 3.0",
            "command": f"`python -m course_lib.recipes {self.name}`",
        }
        language = "Korean" if self.corpus.startswith("ko") else "English"
        return f"# {language} bidirectional language model\n\n| | |\n| --- | --- |\n" + "".join(
            f"| {key} | {value} |\n" for key, value in rows.items()
        )


def _epoch(streams: TwoWayStreams, epoch: int) -> Iterator[TwoWayBatch]:
    return streams(epoch)


def _with_small_vocabulary(model: BiLM) -> BiLM:
    """The same model without the words that it only read in training: at use it reads any word by its characters."""
    kept = Vocabulary(
        model.vocabulary.words[: model.config.vocab_size],
        counts=model.vocabulary.counts[: model.config.vocab_size],
        unknown=UNKNOWN,
    )
    small = BiLM(model.config, kept, model.characters)
    small.load_state_dict(model.state_dict())
    return small.eval()


RECIPES = (
    BiLMRecipe("bilm-en", "enwiki2015"),
    BiLMRecipe("bilm-ko", "kowiki2022", jamo=True, steps=700),
)
