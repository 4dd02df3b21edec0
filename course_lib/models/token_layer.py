"""The first layer of a biLM, shared by both directions: a word's vector from the word alone.

Two kinds with one face: a table row per word, or a character CNN, which reads words it never met.
    token.inputs(rows of words) -> dict of tensors on the CPU      token.read(inputs) -> vectors       (at use)
    token(ids of the vocabulary) -> vectors                                                            (in training)
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.data.batch import pad
from course_lib.models.char_cnn import CharCNN, CharCNNConfig
from course_lib.text.characters import PADDING, Characters
from course_lib.text.elmo_bytes import ElmoBytes
from course_lib.text.vocabulary import Vocabulary

Rows = Sequence[Sequence[str]]


class WordTable(nn.Module):
    """One row per word of the vocabulary; all other words share the row of `vocabulary.unknown`."""

    def __init__(self, vocabulary: Vocabulary, dim: int):
        super().__init__()
        self.vocabulary = vocabulary
        self.embedding = nn.Embedding(len(vocabulary), dim)
        nn.init.normal_(self.embedding.weight, std=0.1)

    def inputs(self, rows: Rows) -> dict[str, Tensor]:
        return {"words": pad([self.vocabulary.encode(row) for row in rows])}

    def read(self, inputs: dict[str, Tensor]) -> Float[Tensor, "batch unit dim"]:
        return self.embedding(inputs["words"])

    def forward(self, ids: Int[Tensor, "*batch"]) -> Float[Tensor, "*batch dim"]:
        return self.embedding(ids)


class CharacterWords(nn.Module):
    """A character CNN, run once per different word of a batch: text repeats its words."""

    def __init__(self, vocabulary: Vocabulary, characters: Characters | ElmoBytes, config: CharCNNConfig):
        super().__init__()
        self.characters = characters
        self.cnn = CharCNN(config)
        # [word, character]: made from the vocabulary, so it is no weight and not saved
        table = torch.tensor(characters.table(vocabulary.words), dtype=torch.int32)
        self.register_buffer("table", table, persistent=False)

    def inputs(self, rows: Rows) -> dict[str, Tensor]:
        index = {word: i for i, word in enumerate(dict.fromkeys(word for row in rows for word in row))}
        return {
            "words": pad([[index[word] for word in row] for row in rows]),
            "characters": torch.tensor(self.characters.table(list(index))),
        }

    def read(self, inputs: dict[str, Tensor]) -> Float[Tensor, "batch unit dim"]:
        return self.cnn.forward_unique(inputs["characters"], inputs["words"])

    def forward(self, ids: Int[Tensor, "*batch"]) -> Float[Tensor, "*batch dim"]:
        different, index = ids.unique(return_inverse=True)
        rows = self.table[different]
        return self.cnn.forward_unique(rows[:, : int((rows != PADDING).sum(1).max())], index)
