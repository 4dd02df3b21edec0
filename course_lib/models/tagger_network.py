"""TagLM's network below its output: words and characters, two bidirectional LSTMs, a language model's vectors beside.

Source: Peters et al. 2017, arXiv:1705.00108, section 3 and figure 2; Peters et al. 2018, arXiv:1802.05365, section 3.3
(ELMo at the same places). Unlike the paper, which trains its own, any ContextEncoder can be the language model.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import pad as pad_right

from course_lib.data.batch import Batch
from course_lib.data.records import Sentence
from course_lib.errors import CourseError
from course_lib.models.baselines import StaticVectors, masked_mean
from course_lib.models.char_cnn import CharCNN, CharCNNConfig
from course_lib.models.elmo import ELMo
from course_lib.models.encoder import ContextEncoder, Encoding
from course_lib.models.fast import run_lstm
from course_lib.models.frozen_states import FrozenStates
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
        lm_at: str,
        hidden: int,
        char_dim: int,
        dropout: float | int,
    ):
        super().__init__()
        if not isinstance(words, StaticVectors):
            raise CourseError(
                f"TagLM: words is a {type(words).__name__}. Give StaticVectors; other encoders go in as lm=..."
            )
        self.lm = lm if lm is None or isinstance(lm, ELMo) else FrozenStates(lm, layer=-1)
        self.places = lm.places if isinstance(lm, ELMo) else (lm_at,) if lm is not None else ()
        if unknown := [place for place in (lm_at, *self.places) if place not in PLACES]:
            raise CourseError(f"TagLM: there is no place {unknown[0]!r}. Use one of: {', '.join(PLACES)}.")
        if min(hidden, char_dim) < 1:
            raise CourseError(f"TagLM: hidden={hidden}, char_dim={char_dim}. Use 1 or more.")
        self.words = copy.deepcopy(words)  # it learns; whoever else uses the table keeps his own
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
            types = sorted({word for sentence in first for word in sentence.words})
            number = {word: i for i, word in enumerate(types)}
            index = torch.zeros_like(batch.ids["words"])
            index[batch.mask] = torch.tensor([number[word] for sentence in first for word in sentence.words])
            batch.ids |= {"characters": torch.tensor(self.characters.table(types)), "character_row": index}
        if self.lm is not None:
            batch.ids["lm"] = self.lm.read(first)
        return batch

    def _states(self, batch: Batch) -> Encoding:
        word = self.words.embedding(batch.ids["words"])
        if self.char_cnn is not None:
            spelled = self.char_cnn.forward_unique(batch.ids["characters"], batch.ids["character_row"])
            word = torch.cat([word, spelled], dim=-1)
        beside = self._beside(batch)
        first, _ = run_lstm(self.lstm1, self._join(self.dropout(word), beside.get("input")), batch.mask)
        second, _ = run_lstm(self.lstm2, self._join(self.dropout(first), beside.get("between")), batch.mask)
        top = self._join(second, beside.get("output"))
        layers = torch.stack([pad_right(layer, (0, self.dim - layer.shape[-1])) for layer in (word, first, top)])
        return Encoding(layers, batch.mask, batch.segment, masked_mean(top, batch.mask))

    def _beside(self, batch: Batch) -> dict[str, Float[Tensor, "batch unit lm_dim"]]:
        """The language model's vectors by place. ELMo has dropout of its own; the head drops what is at the output."""
        if self.lm is None:
            return {}
        if isinstance(self.lm, ELMo):
            return self.lm(batch.ids["lm"], batch.mask)
        top, place = batch.ids["lm"][:, :, 0], self.places[0]
        return {place: top if place == "output" else self.dropout(top)}

    def _join(
        self, hidden: Float[Tensor, "batch unit dim"], vectors: Float[Tensor, "batch unit lm_dim"] | None
    ) -> Float[Tensor, "batch unit joined_dim"]:
        return hidden if vectors is None else torch.cat([hidden, vectors], dim=-1)

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

    @classmethod
    def _build(cls, config: dict[str, Any], files: dict[str, Path]) -> TaggerNetwork:
        raise CourseError("A TagLM is not read from a checkpoint folder. Build it and load its state_dict().")
