"""TagLM: a tagger that reads, beside each word, what a language model says of the words around it.

Source: Peters et al. 2017, arXiv:1705.00108, section 2 and 3, figure 2. Unlike in the paper any ContextEncoder can be
the language model; with ELMo in its place it is Peters et al. 2018, arXiv:1802.05365, section 3.3.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.data.batch import Batch, length_mask, pad
from course_lib.data.records import Sentence
from course_lib.errors import CourseError
from course_lib.models.char_cnn import CharCNN, CharCNNConfig
from course_lib.models.crf import LinearChainCRF
from course_lib.models.elmo import ELMo, FrozenStates
from course_lib.models.encoder import ContextEncoder, Encoding, StaticVectors, masked_mean, stacked
from course_lib.models.fast import run_lstm
from course_lib.models.head_base import seeded
from course_lib.models.heads import Texts, TokenTagger
from course_lib.text.characters import Characters

PLACES = ("input", "between", "output")  # below the first biLSTM, between the two, above the second


class TaggerNetwork(ContextEncoder):
    """Layers: the word (vector and character representation side by side), biLSTM 1, biLSTM 2 (with what stands there).

    The language model's vectors are inputs, made with the batch and without gradient: batch.ids["lm"] is
    [batch, unit, layer, dim]. Its parameters are in no layer group, so nothing unfreezes them.
    """

    kind = "tagger-network"

    def __init__(
        self,
        words: ContextEncoder,
        characters: Characters | None,
        lm: ContextEncoder | ELMo | None,
        *,
        hidden: int,
        char_dim: int,
        dropout: float | int,
    ):
        super().__init__()
        assert type(words) is StaticVectors, "other encoders go in as lm=..."
        self.lm = lm if lm is None or isinstance(lm, ELMo) else FrozenStates(lm, layer=-1)
        self.places = lm.places if isinstance(lm, ELMo) else ("between",) if lm is not None else ()
        assert {*self.places} <= {*PLACES}, f"ELMo's places are among {PLACES}, not {self.places}"
        self.words = copy.deepcopy(words)  # the copy learns, the table given stays
        self.characters, self.char_cnn = characters, None
        if characters is not None:
            config = CharCNNConfig(len(characters), char_dim, filters=((3, char_dim),), n_highway=0, out_dim=char_dim)
            self.char_cnn = CharCNN(config)
        width, word_dim = 2 * hidden, words.dim + (char_dim if characters is not None else 0)
        beside = {place: self.lm.dim if place in self.places else 0 for place in PLACES}
        self.lstm1 = nn.LSTM(word_dim + beside["input"], hidden, batch_first=True, bidirectional=True)
        self.lstm2 = nn.LSTM(width + beside["between"], hidden, batch_first=True, bidirectional=True)
        self.dropout = nn.Dropout(dropout)
        self.layer_names = ("word", "biLSTM 1", "biLSTM 2")
        self.dims = (word_dim, width, width + beside["output"])
        self.sentence_dim = self.dims[-1]

    def _batch(self, first: list[Sentence], second: list[Sentence] | None, unit: str) -> Batch:
        batch = self.words._batch(first, None, unit)
        if self.characters is not None:
            number = {word: i for i, word in enumerate(sorted({word for row in first for word in row.words}))}
            index = pad([[number[word] for word in sentence.words] for sentence in first])
            batch.ids |= {"characters": torch.tensor(self.characters.table(list(number))), "character_row": index}
        if self.lm is not None:
            batch.ids["lm"] = self.lm.read(first)
        return batch

    def _states(self, batch: Batch) -> Encoding:
        word = self.words.embedding(batch.ids["words"])
        if self.char_cnn is not None:
            spelled = self.char_cnn.forward_unique(batch.ids["characters"], batch.ids["character_row"])
            word = torch.cat([word, spelled], dim=-1)
        beside = self._beside(batch)
        first, _ = run_lstm(self.lstm1, torch.cat([self.dropout(word), *beside["input"]], -1), batch.lengths)
        second, _ = run_lstm(self.lstm2, torch.cat([self.dropout(first), *beside["between"]], -1), batch.lengths)
        top = torch.cat([second, *beside["output"]], -1)
        return Encoding(stacked([word, first, top]), batch.mask, batch.segment, masked_mean(top, batch.mask))

    def _beside(self, batch: Batch) -> dict[str, list[Float[Tensor, "batch unit lm_dim"]]]:
        """For each place the language model's vectors, or none. ELMo has dropout of its own."""
        vectors = {}
        if isinstance(self.lm, ELMo):
            vectors = self.lm(batch.ids["lm"], batch.mask)
        elif self.lm is not None:
            vectors = {"between": self.dropout(batch.ids["lm"][:, :, 0])}
        return {place: [vectors[place]] if place in vectors else [] for place in PLACES}

    def _groups(self) -> list[tuple[str, list[nn.Module]]]:
        """What can learn: all but the language model."""
        groups: list[tuple[str, list[nn.Module]]] = [("words", [self.words])]
        if self.char_cnn is not None:
            groups.append(("characters", [self.char_cnn]))
        if isinstance(self.lm, ELMo):
            groups.append(("mix", [self.lm.mixes]))
        return [*groups, ("biLSTM 1", [self.lstm1]), ("biLSTM 2", [self.lstm2])]

    def _config(self) -> dict[str, Any]:
        raise CourseError(
            "TagLM has no checkpoint folder of its own: its language model has one, and the tagger trains in minutes. "
            "Keep its weights with state_dict(), or let fit(folder=...) keep the training."
        )


class TagLM(TokenTagger):
    """Word vector and characters -> biLSTM 1 -> [ . ; language model] -> biLSTM 2 -> linear -> CRF.

    labels      names of the tags; `forbidden_bio(labels)` lists what `tagger.crf.forbid` may rule out in prediction
    words       StaticVectors, the initial word vectors; the tagger learns a copy (freeze(["words"]) stops that)
    characters  None: no character representation
    lm          its top layer, read without gradient, stands between the two biLSTMs (the paper's best place); it is no
                part of the tagger, neither of its parameters nor of its `state_dict()`; an ELMo brings its own mix and
                places; None: the baseline without a language model
    hidden      units per direction of each biLSTM
    char_dim    width of a character's vector and number of filters (3 characters wide)
    tags        which tag layer of a TaggedSentence is learned; None: the only one it has
    """

    kind = "taglm"

    def __init__(
        self,
        labels: Sequence[str],
        words: ContextEncoder,
        characters: Characters | None = None,
        lm: ContextEncoder | ELMo | None = None,
        *,
        hidden: int = 64,
        char_dim: int = 30,
        dropout: float | int = 0.25,
        tags: str | None = None,
        seed: int | None = None,
    ):
        with seeded(seed):
            sizes = {"hidden": hidden, "char_dim": char_dim, "dropout": dropout}
            network = TaggerNetwork(words, characters, lm, **sizes)
            super().__init__(network, labels, dropout=dropout, tags=tags)
        self.crf = LinearChainCRF(len(self.labels)).to(network.device)

    def loss(self, batch: Batch) -> dict[str, Any]:
        """{"loss": mean in nats per sentence, "count": of these}."""
        likelihood = self.crf.log_likelihood(self(batch).float(), batch.labels["labels"], batch.mask)
        return {"loss": -likelihood.mean(), "count": len(batch)}

    def predict(self, sentences: Texts, batch_size: int = 32) -> list[list[str]]:
        """The most probable tag sequence of each sentence, in input order."""
        logits = self._logits(sentences, batch_size)
        starts = range(0, len(logits), batch_size)
        paths = [path for i in starts for path in self.crf.decode(*self._padded(logits[i : i + batch_size]))]
        return [[self.labels[tag] for tag in path] for path in paths]

    def probabilities(self, sentences: Texts, batch_size: int = 32) -> list[Float[np.ndarray, "word label"]]:
        """Per sentence the marginals, all other words' tags summed over; rows sum to 1."""
        logits = self._logits(sentences, batch_size)
        return [self.crf.marginals(*self._padded([row]))[0].cpu().numpy() for row in logits]

    def _padded(self, logits: list[Tensor]) -> tuple[Tensor, Tensor]:
        emissions = nn.utils.rnn.pad_sequence(logits, batch_first=True)
        return emissions.to(self.crf.start.device), length_mask([len(row) for row in logits]).to(self.crf.start.device)
