"""The rows of the one table: which checkpoint stands for which system, how it is read, and what it has seen."""

from __future__ import annotations

import re
from dataclasses import dataclass

from course_lib.checkpoints import CARD
from course_lib.config import data_dir
from course_lib.models.baselines import RandomEncoder
from course_lib.models.encoder import ContextEncoder
from course_lib.models.shipped import load, shipped_names

RANDOM_WIDTH = 256  # as wide as the language models


@dataclass(frozen=True)
class System:
    """checkpoint: its name among the shipped, or None: untrained. mixed: a learned mix of all layers is read."""

    checkpoint: str | None
    read: str = "top layer"
    mixed: bool = False

    @property
    def ships(self) -> bool:
        return self.checkpoint is None or self.checkpoint in shipped_names()

    def encoder(self) -> ContextEncoder:
        return RandomEncoder(RANDOM_WIDTH) if self.checkpoint is None else load(self.checkpoint)

    def tokens_seen(self) -> int | None:
        """Tokens of pre-training, repeats counted: the first number on the checkpoint's card, times its epochs.

        None if the card does not say.
        """
        if self.checkpoint is None:
            return 0
        path = data_dir("checkpoints", self.checkpoint, CARD)
        card = path.read_text(encoding="utf-8") if path.exists() else ""
        row = re.search(r"^\| tokens \| ([\d,]+)(.*)\|$", card, re.M)
        if row is None:
            return None
        epochs = re.search(r"([\d.]+) (?:of \d+ )?epochs", row[2])
        return round(int(row[1].replace(",", "")) * (float(epochs[1]) if epochs else 1))


SYSTEMS = {  # named as in the figures of all chapters
    "random": System(None, "top layer, untrained"),
    "skip-gram": System("skipgram-en", "the word itself"),
    "TagLM": System("bilm-en"),
    "CoVe": System("cove-en"),
    "ELMo": System("bilm-en", "learned mix of all layers", mixed=True),
    "ULMFiT": System("awd-lstm-en"),
    "left-to-right Transformer": System("gpt-en"),
    "BERT": System("bert-en"),
}
