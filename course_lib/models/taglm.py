"""TagLM: a tagger that reads, beside each word, what a language model says of the words around it.

Source: Peters et al. 2017, arXiv:1705.00108, section 2 and 3. Three steps: train word vectors and a language model on
text without labels; read the model's top layer for each word; use it, frozen, as one more input of a tagger.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.data.batch import Batch, length_mask
from course_lib.errors import CourseError
from course_lib.models.crf import LinearChainCRF
from course_lib.models.elmo import ELMo
from course_lib.models.encoder import ContextEncoder
from course_lib.models.head_base import seeded
from course_lib.models.heads import TokenTagger
from course_lib.models.label_head import Texts
from course_lib.models.tagger_network import TaggerNetwork
from course_lib.text.characters import Characters


class TagLM(TokenTagger):
    """Word vector and characters -> biLSTM 1 -> [ . ; language model] -> biLSTM 2 -> linear -> CRF.

    labels      names of the tags; `forbidden_bio(labels)` lists what `tagger.crf.forbid` may rule out in prediction
    words       StaticVectors, the initial word vectors; the tagger learns a copy (freeze(["words"]) stops that)
    characters  None: no character representation
    lm          its top layer is read, without gradient, and it is frozen itself, not a copy; an ELMo brings its own
                mix and places; None: the baseline without a language model
    lm_at       where its vectors stand: "input" of biLSTM 1, "between" the two (the paper's best), "output" of biLSTM 2
    hidden      units per direction of each biLSTM
    char_dim    width of a character's vector and number of filters (3 characters wide)
    crf         False: a softmax for each word instead
    tags        which tag layer of a TaggedSentence is learned; None: the only one it has

    Batches, groups and freezing are those of TokenTagger. The language model is in no group: it never learns.
    """

    kind = "taglm"

    def __init__(
        self,
        labels: Sequence[str],
        words: ContextEncoder,
        characters: Characters | None = None,
        lm: ContextEncoder | ELMo | None = None,
        *,
        lm_at: str = "between",
        hidden: int = 64,
        char_dim: int = 30,
        dropout: float | int = 0.25,
        crf: bool = True,
        tags: str | None = None,
        seed: int | None = None,
    ):
        """Raises CourseError for settings that cannot work."""
        if not 0 <= dropout < 1:
            raise CourseError(f"TagLM: dropout={dropout}. Use 0 <= dropout < 1.")
        with seeded(seed):
            network = TaggerNetwork(
                words, characters, lm, lm_at=lm_at, hidden=hidden, char_dim=char_dim, dropout=dropout
            )
            super().__init__(network, labels, dropout=dropout, tags=tags)
        self.crf = LinearChainCRF(len(self.labels)).to(network.device) if crf else None

    def keep_states(self, records: Texts) -> None:
        """Compute the language model's vectors of these sentences once, for training over several epochs.

        Raises CourseError if they take more than 512 MB of memory.
        """
        if self.encoder.lm is None:
            return
        states = self.encoder.lm.states if isinstance(self.encoder.lm, ELMo) else self.encoder.lm
        states.keep(self._sentences(self._listed(records)))

    def loss(self, batch: Batch) -> dict[str, Any]:
        """{"loss": mean in nats per sentence (CRF) or word (softmax), "count": of these}.

        With an ELMo that has l2, "loss" is the sum of two further parts, "tags" and "penalty".
        """
        if self.crf is None or "labels" not in batch.labels:
            losses = super().loss(batch)
        else:
            likelihood = self.crf.log_likelihood(self(batch).float(), batch.labels["labels"], batch.mask)
            losses = {"loss": -likelihood.mean(), "count": len(batch)}
        if isinstance(self.encoder.lm, ELMo) and self.encoder.lm.l2:
            penalty = self.encoder.lm.penalty()
            losses |= {"loss": losses["loss"] + penalty, "tags": losses["loss"], "penalty": penalty}
        return losses

    def predict(self, sentences: Texts, batch_size: int = 32) -> list[list[str]]:
        """The most probable tag sequence of each sentence (CRF), or tag of each word, in input order."""
        if self.crf is None:
            return super().predict(sentences, batch_size)
        logits = self._logits(sentences, batch_size)
        found = []
        for start in range(0, len(logits), batch_size):
            found += self.crf.decode(*self._padded(logits[start : start + batch_size]))
        return [[self.labels[tag] for tag in path] for path in found]

    def probabilities(self, sentences: Texts, batch_size: int = 32) -> list[Float[np.ndarray, "word label"]]:
        """Per sentence; rows sum to 1. With a CRF: the marginals, all other words' tags summed over."""
        if self.crf is None:
            return super().probabilities(sentences, batch_size)
        found = []
        for logits in self._logits(sentences, batch_size):
            found.append(self.crf.marginals(*self._padded([logits]))[0].cpu().numpy())
        return found

    def _padded(self, logits: list[Tensor]) -> tuple[Tensor, Tensor]:
        emissions = nn.utils.rnn.pad_sequence(logits, batch_first=True)
        return emissions.to(self.crf.start.device), length_mask([len(row) for row in logits]).to(self.crf.start.device)
