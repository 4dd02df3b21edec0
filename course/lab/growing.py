"""What a BERT costs before it is trained: numbers to learn, operations, memory, hours.

Sources: Kaplan et al. 2020, arXiv:2001.08361, section 2.1 (operations: 6 N per token, and a term for attention);
Korthikanti et al. 2022, arXiv:2205.05198, section 4.1 (memory of activations). A multiplication and an addition are
two operations (FLOP).
"""

from __future__ import annotations

from dataclasses import dataclass

from course_lib.errors import CourseError
from course_lib.models.bert import BertConfig

BYTES = 4  # float32
ASKED = 0.15  # share of the pieces that masked language modelling asks for (Devlin et al. 2018, section 3.1)
_FORWARD_AND_BACKWARD = 3  # the backward pass costs twice the forward pass (Kaplan et al. 2020, section 2.1)


@dataclass(frozen=True)
class Cost:
    """Numbers, operations of forward and backward passes, and bytes at any one time."""

    parameters: int  # all of them, heads too
    flops_per_token: float
    flops: float  # of the whole training
    weights: int  # the parameters and their gradients
    optimizer: int  # AdamW's two running means
    activations: int  # what the forward pass keeps for the backward pass, for one batch

    @property
    def memory(self) -> int:
        """Bytes in all. On n GPUs with one model each (data-parallel) each of them needs it, for its own batch."""
        return self.weights + self.optimizer + self.activations


def cost(config: BertConfig, tokens: float, batch: int, length: int) -> Cost:
    """Masked language modelling on `tokens` pieces, in batches of `batch` rows of `length` pieces, in float32."""
    if min(tokens, batch, length) < 1:
        raise CourseError(f"cost: tokens={tokens}, batch={batch}, length={length}. Use 1 or more.")
    if length > config.max_units:
        raise CourseError(
            f"cost: length={length}, but max_units={config.max_units}. Use a shorter length or a config with more."
        )
    count, per_token = parameters(config), flops_per_token(config, length)
    activations = batch * length * activation_bytes(config, length)
    return Cost(count, per_token, per_token * tokens, 2 * BYTES * count, 2 * BYTES * count, round(activations))


def hours(cost: Cost, peak_flops: float, share: float) -> float:
    """Hours on a device that could do `peak_flops` operations a second and is used to this share (0 to 1) of it."""
    if not (peak_flops > 0 and 0 < share <= 1):
        raise CourseError(f"hours: peak_flops={peak_flops}, share={share}. Use a peak above 0 and 0 < share <= 1.")
    return cost.flops / (peak_flops * share) / 3600


def matrices(config: BertConfig) -> int:
    """N: the numbers in the layers' matrices, without embeddings, biases and layer norms."""
    return config.n_layers * (4 * config.d_model**2 + 2 * config.d_model * config.d_ff)


def parameters(config: BertConfig) -> int:
    """Numbers to learn: embeddings, layers, pooler and both heads of pre-training."""
    d, norm = config.d_model, 2 * config.d_model
    embeddings = (config.vocab_size + config.max_units + config.n_segments) * d + norm
    biases = config.n_layers * (4 * d + config.d_ff + d + 2 * norm)
    last_norm = norm if config.norm == "pre" else 0
    dense = d * d + d  # in the pooler and in the masked-LM head
    heads = 2 * dense + norm + config.vocab_size + 2 * d + 2
    return embeddings + matrices(config) + biases + last_norm + heads


def flops_per_token(config: BertConfig, length: int) -> float:
    """Operations per piece: 6 N, and what grows with the length, and the output layer at the pieces asked for.

    Each piece scores `length` others and mixes them: 2 * 2 * length * d_model a layer. Kaplan et al. have half of it,
    as for a language model that sees only the left side. They leave the output layer out.
    `Bert.loss` takes less: its last layer skips the places that nobody asks.
    """
    attention = 4 * config.n_layers * length * config.d_model
    output = 2 * ASKED * (config.d_model**2 + config.d_model * config.vocab_size)
    return _FORWARD_AND_BACKWARD * (2 * matrices(config) + attention + output)


def activation_bytes(config: BertConfig, length: int) -> float:
    """Per piece of a batch: equation 1 of Korthikanti et al. in numbers of BYTES, dropout masks of one byte each.

    With a fused attention, which does not keep its weights, the part that grows with the length falls away.
    """
    d = config.d_model
    layer = BYTES * (8 * d + 2 * config.d_ff) + 2 * d
    attention = (2 * BYTES + 1) * config.n_heads * length
    logits = 2 * BYTES * ASKED * config.vocab_size  # the logits, and their softmax
    return config.n_layers * (layer + attention) + logits
