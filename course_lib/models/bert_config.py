"""BERT's sizes. Our names; models/bert_files.py has those of Hugging Face's config.json.

Source: Devlin et al. 2018, arXiv:1810.04805, section 3 (sizes) and appendix A.2 (dropout, gelu).
"""

from __future__ import annotations

from dataclasses import dataclass

from course_lib.errors import CourseError
from course_lib.models.transformer_layers import CHOICES, TransformerConfig

SIZES = ("vocab_size", "d_model", "n_heads", "n_layers", "d_ff", "max_units", "n_segments")
INITIAL_STD = 0.02  # of every matrix, as in the authors' code (modeling.py, initializer_range)


@dataclass(frozen=True)
class BertConfig:
    """Sizes and choices. Raises CourseError that names the setting which cannot work.

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

    def __post_init__(self) -> None:
        for name in SIZES:
            if type(size := getattr(self, name)) is not int or size < 1:  # True is no size
                raise CourseError(f"BertConfig: {name}={size!r}. Use a whole number, 1 or more.")
        for name in ("dropout", "attention_dropout"):
            if not 0 <= getattr(self, name) < 1:
                raise CourseError(f"BertConfig: {name}={getattr(self, name)}. Use a probability from 0 to below 1.")
        if self.max_units < 3:
            raise CourseError(
                f"BertConfig: max_units={self.max_units} has no room for [CLS] piece [SEP]. Use 3 or more."
            )
        if self.d_model % self.n_heads:
            raise CourseError(
                f"BertConfig: d_model={self.d_model} cannot be cut into n_heads={self.n_heads} equal heads. "
                f"Use a multiple, such as d_model={-(-self.d_model // self.n_heads) * self.n_heads}."
            )
        if self.norm not in CHOICES["norm"]:
            raise CourseError(f"BertConfig: norm={self.norm!r}. Use one of: {', '.join(CHOICES['norm'])}.")
        if not self.layer_norm_eps > 0:
            raise CourseError(f"BertConfig: layer_norm_eps={self.layer_norm_eps}. Use a small number above 0.")

    def layers(self) -> TransformerConfig:
        """The same as the settings of the encoder's stack. gelu is the exact one, with erf."""
        return TransformerConfig(
            d_model=self.d_model,
            n_heads=self.n_heads,
            n_layers=self.n_layers,
            d_ff=self.d_ff,
            dropout=self.dropout,
            attention_dropout=self.attention_dropout,
            positions="none",  # BERT's own embedding adds them
            max_units=self.max_units,
            norm=self.norm,
            activation="gelu",
            layer_norm_eps=self.layer_norm_eps,
        )
