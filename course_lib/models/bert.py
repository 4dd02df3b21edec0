"""BERT: every layer reads the words on both sides, learned by hiding words and predicting them.

Source: Devlin et al. 2018, arXiv:1810.04805: section 3 and figure 2 (sizes, what goes in), section 3.1 (the two
tasks of pre-training), appendix A.2 (dropout, gelu). The layers are Vaswani et al. 2017's, the same as the
Translator's. From top to bottom: sizes, embedding, pre-training, the network, [MASK]. Published files: bert_files.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib.data.batch import Batch, piece_batch
from course_lib.data.records import Sentence
from course_lib.device import Movable
from course_lib.errors import CourseError
from course_lib.files import given_path
from course_lib.language import key, t
from course_lib.models.attention import padding_mask
from course_lib.models.bert_files import read_folder, write_folder
from course_lib.models.encoder import ContextEncoder, Encoding, evaluating
from course_lib.models.fast import Dropout
from course_lib.models.transformer import TransformerConfig, TransformerEncoder
from course_lib.text.word_pieces import MASK, WordPieces

Ids, Mask = Int[Tensor, "batch seq"], Bool[Tensor, "batch seq"]
States, Chosen = Float[Tensor, "batch seq d_model"], Int[Tensor, " chosen"]

INITIAL_STD = 0.02  # of every matrix, as in the authors' code (modeling.py, initializer_range)


@dataclass(frozen=True)
class BertConfig:
    """Sizes and choices.

    max_units   positions: pieces of a row, [CLS] and [SEP] counted too
    n_segments  kinds of segment: 0 is the first sentence, 1 the second; with 1 only single sentences can be read
    norm        "post", the paper's, or "pre" (Xiong et al. 2020, arXiv:2002.04745), with a last layer norm on top
    """

    vocab_size: int = 30_522
    d_model: int = 768
    n_heads: int = 12
    n_layers: int = 12
    d_ff: int = 3_072
    max_units: int = 512
    n_segments: int = 2
    dropout: float = 0.1
    attention_dropout: float = 0.1
    norm: str = "post"
    layer_norm_eps: float = 1e-12

    @classmethod
    def paper(cls) -> BertConfig:
        """BERT base, section 3, with the vocabulary of the published uncased English model."""
        return cls()

    @classmethod
    def small(cls) -> BertConfig:
        """Breaks the plateau of masked language modelling in minutes on two cores."""
        return cls(vocab_size=8_192, d_model=256, n_heads=4, n_layers=4, d_ff=1_024, max_units=128)

    def stack(self) -> TransformerConfig:
        """Settings of the layers over the embedding, which has added the positions. gelu is the exact one, with erf."""
        same = {field.name for field in fields(TransformerConfig)} & {field.name for field in fields(self)}
        settings = {name: getattr(self, name) for name in same}
        return TransformerConfig(**settings, positions="none", activation="gelu")


class BertEmbedding(nn.Module):
    """Piece plus position plus segment, then layer norm and dropout. The piece is not scaled, unlike in 2017."""

    def __init__(self, config: BertConfig):
        super().__init__()
        self.tokens = nn.Embedding(config.vocab_size, config.d_model)
        self.positions = nn.Embedding(config.max_units, config.d_model)
        self.segments = nn.Embedding(config.n_segments, config.d_model)
        self.norm, self.dropout = nn.LayerNorm(config.d_model, config.layer_norm_eps), Dropout(config.dropout)

    def forward(self, input_ids: Ids, token_type_ids: Ids | None = None) -> States:
        segments = self.segments.weight[0] if token_type_ids is None else self.segments(token_type_ids)
        positions = self.positions.weight[: input_ids.shape[1]]
        return self.dropout(self.norm(self.tokens(input_ids) + positions + segments))


def init_weights(module: nn.Module) -> None:
    """N(0, 0.02) for matrices and tables, 0 for biases: the authors' start, which they cut off at two deviations."""
    if isinstance(module, (nn.Linear, nn.Embedding)):
        nn.init.normal_(module.weight, std=INITIAL_STD)
    if isinstance(module, nn.Linear):
        nn.init.zeros_(module.bias)


@dataclass(frozen=True)
class MaskedPairs(Movable):
    """A batch for `Bert.loss`: rows [CLS] a [SEP], or [CLS] a [SEP] b [SEP], with some pieces hidden.

    rows, columns   the places whose piece is predicted, as data.masking draws them
    labels          the pieces that stood there
    token_type_ids  segments; None: all 0
    attention_mask  True at real pieces; None: no padding
    is_next         whether b follows a in the text; None: no next-sentence prediction
    """

    input_ids: Ids
    rows: Chosen
    columns: Chosen
    labels: Chosen
    token_type_ids: Ids | None = None
    attention_mask: Mask | None = None
    is_next: Bool[Tensor, " batch"] | None = None

    def __len__(self) -> int:
        return self.input_ids.shape[0]


class Pooler(nn.Module):
    """tanh(W h + b) of [CLS]'s last state: what the next-sentence head reads."""

    def __init__(self, config: BertConfig):
        super().__init__()
        self.dense = nn.Linear(config.d_model, config.d_model)

    def forward(self, first: Float[Tensor, "batch d_model"]) -> Float[Tensor, "batch d_model"]:
        return self.dense(first).tanh()


class MaskedLMHead(nn.Module):
    """Logits over the pieces: dense, gelu, layer norm, then the token table itself as output layer, plus a bias."""

    def __init__(self, config: BertConfig):
        super().__init__()
        self.dense = nn.Linear(config.d_model, config.d_model)
        self.norm = nn.LayerNorm(config.d_model, config.layer_norm_eps)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))

    def forward(
        self, states: Float[Tensor, "chosen d_model"], table: Float[Tensor, "vocab d_model"]
    ) -> Float[Tensor, "chosen vocab"]:
        return F.linear(self.norm(F.gelu(self.dense(states))), table, self.bias)


def pretraining_loss(
    mlm_logits: Float[Tensor, "chosen vocab"],
    mlm_labels: Chosen,
    nsp_logits: Float[Tensor, "batch 2"] | None = None,
    is_next: Bool[Tensor, " batch"] | None = None,
) -> dict[str, Any]:
    """Means in nats: "mlm" per chosen piece, "nsp" per pair, "loss" their sum; "count": chosen pieces; accuracies.

    "counts": of how many items each part is the mean that is none over chosen pieces.
    """
    mlm = F.cross_entropy(mlm_logits, mlm_labels)
    accuracy = _accuracy(mlm_logits, mlm_labels)
    parts = {"loss": mlm, "count": len(mlm_labels), "mlm": mlm.detach(), "mlm_accuracy": accuracy}
    if is_next is None:
        return parts
    nsp_labels = (~is_next).long()
    nsp = F.cross_entropy(nsp_logits, nsp_labels)
    parts |= {"loss": mlm + nsp, "nsp": nsp, "nsp_accuracy": _accuracy(nsp_logits, nsp_labels)}
    return parts | {"counts": {"nsp": len(nsp_labels), "nsp_accuracy": len(nsp_labels)}}


def _accuracy(logits: Float[Tensor, "row choice"], labels: Int[Tensor, " row"]) -> Float[Tensor, ""]:
    return (logits.detach().argmax(-1) == labels).float().mean()


@dataclass
class BertOutput:
    """hidden_states: the embedding's, then each layer's; pooled: of [CLS], for the next-sentence head."""

    hidden_states: tuple[States, ...]
    pooled: Float[Tensor, "batch d_model"]


class Bert(ContextEncoder):
    """Layer 0 is piece + position + segment after its layer norm; in layer n every piece has seen every other.

    A sentence is read as [CLS] a [SEP], a pair as [CLS] a [SEP] b [SEP] in one pass. The sentence vector is [CLS]'s
    last state, a word's vector is that of its first piece. [CLS] and [SEP] are not units; [MASK] is never in a text.

    fresh_heads  after `from_pretrained`: the parts that the file did not hold and that hold random numbers now, kept
                 by `save`. After training such a part, take its name out of this tuple
    """

    kind = "bert"
    Config = BertConfig
    reads_pairs = True

    def __init__(self, config: BertConfig, pieces: WordPieces):
        super().__init__()
        assert len(pieces) <= config.vocab_size, f"{len(pieces)} pieces, but vocab_size={config.vocab_size}"
        self.config, self.pieces = config, pieces
        self.embedding = BertEmbedding(config)
        self.stack = TransformerEncoder(config.stack())
        self.pooler, self.mlm = Pooler(config), MaskedLMHead(config)
        self.nsp = nn.Linear(config.d_model, 2)  # 0: the second sentence follows; 1: it does not, as in published files
        self.apply(init_weights)
        self.layer_names = ("embedding", *(f"layer {number}" for number in range(1, config.n_layers + 1)))
        self.dims = (config.d_model,) * (config.n_layers + 1)
        self.sentence_dim = config.d_model
        self.max_units = config.max_units - 2  # [CLS] and [SEP] take a place each
        self.fresh_heads: tuple[str, ...] = ()

    def forward(
        self, input_ids: Ids, token_type_ids: Ids | None = None, attention_mask: Mask | Ids | None = None
    ) -> BertOutput:
        """All layers' states. Segments default to 0; the mask is True (or 1) at real pieces, None: all are real."""
        mask = None if attention_mask is None else padding_mask(attention_mask.bool())
        states = self.stack.trace(self.embedding(input_ids, token_type_ids), mask)
        return BertOutput(tuple(states), self.pooler(states[-1][:, 0]))

    # -- pre-training -------------------------------------------------------------------------------------------------
    def loss(self, batch: MaskedPairs) -> dict[str, Any]:
        """`pretraining_loss` of the hidden pieces and, with `batch.is_next`, of the next sentence."""
        n, mask = len(batch), batch.attention_mask
        rows = torch.cat([torch.arange(n, device=self.device), batch.rows])  # each row's [CLS], then what is hidden
        columns = torch.cat([batch.columns.new_zeros(n), batch.columns])
        bottom = self.embedding(batch.input_ids, batch.token_type_ids)
        top = self.stack.at(rows, columns, bottom, None if mask is None else padding_mask(mask))
        logits = self.mlm(top[n:], self.embedding.tokens.weight)
        nsp_logits = None if batch.is_next is None else self.nsp(self.pooler(top[:n]))
        return pretraining_loss(logits, batch.labels, nsp_logits, batch.is_next)

    def logits(self, hidden: States, rows: Chosen, columns: Chosen) -> Float[Tensor, "chosen vocab"]:
        """Logits over the pieces at the chosen places only."""
        return self.mlm(hidden[rows, columns], self.embedding.tokens.weight)

    def fill(self, sentence: Sentence | str | Sequence[str], k: int = 5) -> list[list[tuple[str, float]]]:
        """For each [MASK] of a text, or of a list of words, the k most probable pieces with their probability."""
        if "mlm" in self.fresh_heads:
            raise CourseError(
                "Bert.fill: the file of this published BERT held no masked-LM head, so its guesses would be noise. "
                "Train the head (Bert.loss), or use another BERT."
            )
        words = _words_and_masks(sentence)
        pieces = self.pieces
        ids = [pieces.cls]
        for word in words:
            ids += [pieces.mask] if word == MASK else pieces.ids([word])
        columns = [place for place, i in enumerate(ids) if i == pieces.mask]
        if not columns:
            says = key("Bert.fill: no word of {text} is {mask}. Put it where a word is asked.")
            raise CourseError(t(says, text=repr(" ".join(words)[:80]), mask=MASK))
        return guesses(self, [*ids, pieces.sep], columns, k)

    # -- the contract of encoders -------------------------------------------------------------------------------------
    def attentions(self, batch: Batch) -> tuple[list[Float[Tensor, "batch head query key"]], list[list[str]]]:
        """Weights per layer, and each row's pieces with [CLS] and [SEP]; columns and rows past its end are padding."""
        ids, real = batch.ids["pieces"], batch.ids["real"]
        weights = self.stack.attentions(self(ids, batch.ids["segments"], real).hidden_states, padding_mask(real))
        lengths = real.sum(1).tolist()
        return weights, [self.pieces.tokens(row[:n]) for row, n in zip(ids.tolist(), lengths, strict=True)]

    def _batch(self, first: list[Sentence], second: list[Sentence] | None, unit: str) -> Batch:
        if second is not None and self.config.n_segments < 2:
            raise CourseError("Bert: this one knows one segment (n_segments=1), so it reads no pairs. Use another.")
        rows = [(sentence,) for sentence in first] if second is None else list(zip(first, second, strict=True))
        most, name = self.config.max_units, type(self).__name__
        return piece_batch(rows, self.pieces, unit, end=self.pieces.sep, most=most, name=name)

    def _states(self, batch: Batch) -> Encoding:
        output = self(batch.ids["pieces"], batch.ids["segments"], batch.ids["real"])
        layers = torch.stack(output.hidden_states)
        rows = torch.arange(len(batch), device=layers.device)
        return Encoding(layers[:, rows[:, None], batch.ids["places"]], batch.mask, batch.segment, layers[-1, :, 0])

    def _groups(self) -> list[tuple[str, list[nn.Module]]]:
        groups = list(zip(self.layer_names, [[self.embedding], *self.stack.groups()], strict=True))
        return [*groups, ("masked-LM head", [self.mlm]), ("next-sentence head", [self.pooler, self.nsp])]

    # -- files --------------------------------------------------------------------------------------------------------
    @classmethod
    def from_pretrained(cls, folder: str | Path) -> Bert:
        """A published BERT, in eval mode: config.json, model.safetensors and vocab.txt or tokenizer.json.

        What the file does not hold is fresh and named in `fresh_heads`. Raises CourseError that names the file, its
        fault and what to do.
        """
        return read_folder(cls, given_path(folder))

    def save_pretrained(self, folder: str | Path) -> None:
        """Write the Hugging Face layout, which `transformers` reads too."""
        write_folder(self, given_path(folder))

    def _config(self) -> dict[str, Any]:
        return asdict(self.config) | ({"fresh_heads": self.fresh_heads} if self.fresh_heads else {})

    @classmethod
    def _build(cls, config: dict[str, Any], files: dict[str, str]) -> Bert:
        sizes = {name: value for name, value in config.items() if name != "fresh_heads"}
        model = cls(BertConfig(**sizes), WordPieces.from_files(files))
        model.fresh_heads = tuple(config.get("fresh_heads", ()))
        return model


def guesses(model: Bert, ids: Sequence[int], columns: Sequence[int], k: int) -> list[list[tuple[str, float]]]:
    """The k most probable pieces at `columns` of the row `ids`, best first, with their probability among all pieces."""
    pieces, places = model.pieces, torch.tensor(columns, device=model.device)
    with evaluating(model):
        hidden = model(torch.tensor([list(ids)], device=model.device)).hidden_states[-1]
        probabilities = model.logits(hidden, torch.zeros_like(places), places).softmax(-1)
    best = probabilities[:, : len(pieces)].topk(k)  # a table may have more rows than there are pieces
    return [
        list(zip(pieces.tokens(row), values, strict=True))
        for row, values in zip(best.indices.tolist(), best.values.tolist(), strict=True)
    ]


def _words_and_masks(sentence: Sentence | str | Sequence[str]) -> list[str]:
    """Words, with [MASK] whole: the course's tokeniser would cut it at its brackets."""
    if not isinstance(sentence, str):
        return list(Sentence.of(sentence).words)
    parts = [Sentence.of(part).words for part in sentence.split(MASK)]
    return [word for number, part in enumerate(parts) for word in ((MASK,) if number else ()) + part]
