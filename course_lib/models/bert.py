"""BERT: every layer reads the words on both sides, learned by hiding words and asking for them.

Source: Devlin et al. 2018, arXiv:1810.04805. The layers are Vaswani et al. 2017's, the same as the Translator's.
Around this file: bert_config.py (sizes), bert_embedding.py (what goes in), bert_heads.py (what is asked in
pre-training), bert_fill.py (gaps), bert_files.py (published files).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from course_lib.data.batch import Batch, length_mask, pad
from course_lib.data.records import Sentence
from course_lib.errors import CourseError
from course_lib.models.attention import padding_mask
from course_lib.models.bert_config import BertConfig
from course_lib.models.bert_embedding import BertEmbedding, draw
from course_lib.models.bert_files import read_folder, write_folder
from course_lib.models.bert_fill import fill_masks
from course_lib.models.bert_heads import MaskedLMHead, MaskedPairs, NextSentenceHead, Pooler, pretraining_loss
from course_lib.models.encoder import ContextEncoder, Encoding
from course_lib.models.transformer import TransformerEncoder
from course_lib.text.word_pieces import WordPieces

__all__ = ["Bert", "BertConfig", "BertEmbedding", "BertOutput", "MaskedPairs"]

ONE_SEGMENT = (
    "Bert: this one knows one segment (n_segments=1), so it reads single sentences and no pairs. "
    "Use another BERT for pairs."
)


@dataclass
class BertOutput:
    """hidden_states: the embedding's, then each layer's; pooled: of [CLS]; attentions: one per layer, if asked for."""

    hidden_states: tuple[Float[Tensor, "batch seq d_model"], ...]
    pooled: Float[Tensor, "batch d_model"]
    attentions: tuple[Float[Tensor, "batch head query key"], ...] | None = None


class Bert(ContextEncoder):
    """Layer 0 is piece + position + segment after its layer norm; in layer n every piece has seen every other.

    A sentence is read as [CLS] a [SEP], a pair as [CLS] a [SEP] b [SEP] in one pass. The sentence vector is [CLS]'s
    last state, a word's vector is that of its first piece. [CLS] and [SEP] are not units; [MASK] is never in a text.

    fresh_heads  after `from_pretrained`: the parts that the file did not hold and that hold random numbers now, kept
                 by `save`. Who trains such a part takes its name out
    """

    kind = "bert"
    reads_pairs = True

    def __init__(self, config: BertConfig, pieces: WordPieces):
        """Raises CourseError if there are more pieces than rows in the token table."""
        super().__init__()
        if len(pieces) > config.vocab_size:
            raise CourseError(
                f"Bert: there are {len(pieces)} pieces, but vocab_size={config.vocab_size}. "
                f"Use BertConfig(vocab_size={len(pieces)}, ...)."
            )
        self.config, self.pieces = config, pieces
        self.embedding = BertEmbedding(config)
        self.stack = TransformerEncoder(config.layers())
        self.pooler, self.mlm, self.nsp = Pooler(config), MaskedLMHead(config), NextSentenceHead(config)
        self.apply(draw)
        self.layer_names = ("embedding", *(f"layer {number}" for number in range(1, config.n_layers + 1)))
        self.dims = (config.d_model,) * (config.n_layers + 1)
        self.sentence_dim = config.d_model
        self.max_units = config.max_units - 2  # [CLS] and [SEP] take a place each
        self.fresh_heads: tuple[str, ...] = ()

    def forward(
        self,
        input_ids: Int[Tensor, "batch seq"],
        token_type_ids: Int[Tensor, "batch seq"] | None = None,
        attention_mask: Bool[Tensor, "batch seq"] | Int[Tensor, "batch seq"] | None = None,
        *,
        need_weights: bool = False,
    ) -> BertOutput:
        """All layers' states. Segments default to 0; the mask is True (or 1) at real pieces, None: all are real.

        Raises CourseError if a row is longer than the table of positions, or of more segments than the model knows.
        """
        if input_ids.shape[1] > self.config.max_units:
            raise CourseError(
                f"Bert: rows of {input_ids.shape[1]} pieces, [CLS] and [SEP] included; at most "
                f"{self.config.max_units} fit. Cut the text with course_lib.data.windows."
            )
        if self.config.n_segments < 2 and token_type_ids is not None and token_type_ids.any():
            raise CourseError(ONE_SEGMENT)
        mask = None
        if attention_mask is not None and not attention_mask.all():  # attention without a mask is faster
            mask = padding_mask(attention_mask.bool())
        bottom = self.embedding(input_ids, token_type_ids)
        states, weights = self.stack.trace(bottom, mask, need_weights=need_weights)
        return BertOutput((bottom, *states), self.pooler(states[-1]), tuple(weights) if need_weights else None)

    # -- pre-training -------------------------------------------------------------------------------------------------
    def loss(self, batch: MaskedPairs) -> dict[str, Any]:
        """Mean negative log-likelihood (nats) of the hidden pieces, plus that of the next-sentence answer if asked.

        Also "mlm", "mlm_accuracy" and, with `batch.next`, "nsp", "nsp_accuracy"; "count" is the pieces asked for,
        "counts" what is a mean over pairs.
        """
        output = self(batch.input_ids, batch.token_type_ids, batch.attention_mask)
        logits = self.logits(output.hidden_states[-1], batch.rows, batch.columns)
        follows = None if batch.next is None else self.nsp(output.pooled)
        return pretraining_loss(logits, batch.answers, follows, batch.next)

    def logits(
        self, hidden: Float[Tensor, "batch seq d_model"], rows: Int[Tensor, " chosen"], columns: Int[Tensor, " chosen"]
    ) -> Float[Tensor, "chosen vocab"]:
        """Logits over the pieces at the chosen places only: at 15 % of them this saves a third of the step."""
        return self.mlm(hidden[rows, columns], self.embedding.tokens.weight)

    def fill(self, sentence: Sentence | str | Sequence[str], k: int = 5) -> list[list[tuple[str, float]]]:
        """For each [MASK] of a text, or of a list of words, the k most probable pieces with their probability.

        Raises CourseError if there is no [MASK], if the row is too long, and for a masked-LM head that is fresh.
        """
        return fill_masks(self, sentence, k)

    # -- the contract of encoders -------------------------------------------------------------------------------------
    def attentions(self, batch: Batch) -> tuple[list[Float[Tensor, "batch head query key"]], list[list[str]]]:
        """Weights per layer, and each row's pieces with [CLS] and [SEP]; columns and rows past its end are padding."""
        ids, real = batch.ids["pieces"], batch.ids["real"]
        weights = self(ids, batch.ids["segments"], real, need_weights=True).attentions
        lengths = real.sum(1).tolist()
        return list(weights), [self.pieces.tokens(row[:n]) for row, n in zip(ids.tolist(), lengths, strict=True)]

    def _batch(self, first: list[Sentence], second: list[Sentence] | None, unit: str) -> Batch:
        if second is not None and self.config.n_segments < 2:
            raise CourseError(ONE_SEGMENT)
        rows = []
        for number, sentence in enumerate(first):
            sides = (sentence,) if second is None else (sentence, second[number])
            row, n_specials = self._row(sides, unit), 1 + len(sides)
            if len(row[0]) > self.config.max_units:
                raise CourseError(
                    f"Bert: {'sentence' if second is None else 'pair'} {number} has {len(row[0]) - n_specials} pieces; "
                    f"at most {self.config.max_units - n_specials} fit. Cut it with course_lib.data.windows."
                )
            rows.append(row)
        ids, segments, places, segment, spans = map(list, zip(*rows, strict=True))
        tensors = {
            "pieces": pad(ids, self.pieces.padding),
            "segments": pad(segments),
            "real": length_mask([len(row) for row in ids]),
            "places": pad(places),
        }
        return Batch(tensors, length_mask([len(row) for row in places]), pad(segment), spans)

    def _row(
        self, sides: Sequence[Sentence], unit: str
    ) -> tuple[list[int], list[int], list[int], list[int], list[tuple[int, int]]]:
        """Of each piece, specials included: id and segment. Of each unit: its place among them, segment and span."""
        ids, segments, places, segment, spans = [self.pieces.cls], [0], [], [], []
        for side, sentence in enumerate(sides):
            for (start, end), word in zip(sentence.spans, self.pieces.split(sentence.words), strict=True):
                heads = word if unit == "piece" else word[:1]  # a word's vector is that of its first piece
                places += range(len(ids), len(ids) + len(heads))
                spans += [(start + a, start + b) for _, a, b in word] if unit == "piece" else [(start, end)]
                ids += [i for i, _, _ in word]
            ids.append(self.pieces.sep)
            segments += [side] * (len(ids) - len(segments))
            segment += [side] * (len(places) - len(segment))
        return ids, segments, places, segment, spans

    def _states(self, batch: Batch) -> Encoding:
        output = self(batch.ids["pieces"], batch.ids["segments"], batch.ids["real"])
        layers = torch.stack(output.hidden_states)
        rows = torch.arange(len(batch), device=layers.device)
        return Encoding(layers[:, rows[:, None], batch.ids["places"]], batch.mask, batch.segment, layers[-1, :, 0])

    def _groups(self) -> list[tuple[str, list[nn.Module]]]:
        upper = [[layer] for layer in self.stack.layers]
        upper[-1].append(self.stack.norm)
        groups = list(zip(self.layer_names, [[self.embedding], *upper], strict=True))
        return [*groups, ("masked-LM head", [self.mlm]), ("next-sentence head", [self.pooler, self.nsp])]

    # -- files --------------------------------------------------------------------------------------------------------
    @classmethod
    def from_pretrained(cls, folder: str | Path) -> Bert:
        """A published BERT, in eval mode: config.json, vocab.txt and model.safetensors in the Hugging Face layout.

        What the file does not hold is fresh and named in `fresh_heads`. Raises CourseError that names the file, its
        fault and what to do.
        """
        return read_folder(cls, Path(folder))

    def save_pretrained(self, folder: str | Path) -> None:
        """Write the Hugging Face layout, which `transformers` reads too. Raises CourseError for pre-norm."""
        write_folder(self, Path(folder))

    def _config(self) -> dict[str, Any]:
        return asdict(self.config) | ({"fresh_heads": self.fresh_heads} if self.fresh_heads else {})

    def _files(self) -> dict[str, str]:
        return self.pieces.files()

    @classmethod
    def _build(cls, config: dict[str, Any], files: dict[str, Path]) -> Bert:
        sizes = {name: value for name, value in config.items() if name != "fresh_heads"}
        model = cls(BertConfig(**sizes), WordPieces.from_files(files))
        model.fresh_heads = tuple(config.get("fresh_heads", ()))
        return model
