"""Language models of LSTMs: one direction (LSTMLM), and the two of ELMo and TagLM (BiLM), which never see each other.

Source: Peters et al. 2018, arXiv:1802.05365, section 3.1 (objective: the two log-likelihoods are added; token layer and
softmax are shared, the LSTMs are not) and 3.4 (sizes); Jozefowicz et al. 2016, arXiv:1602.02410 (the network).
From top to bottom: sizes; the first layer, a word's vector from the word alone; the models.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from course_lib.data.batch import Batch, pad, word_batch
from course_lib.data.records import Sentence
from course_lib.data.streams import StreamBatch, TextStreams, TwoWayBatch, TwoWayStreams
from course_lib.errors import CourseError
from course_lib.language import key
from course_lib.models.char_cnn import CharCNN, CharCNNConfig
from course_lib.models.encoder import ContextEncoder, Encoding, Sentences, evaluating
from course_lib.models.projected_lstm import Carry, ProjectedLSTM, turned
from course_lib.models.word_softmax import AdaptiveSoftmax, FullSoftmax, SampledSoftmax
from course_lib.text.characters import PADDING, Characters
from course_lib.text.elmo_bytes import ElmoBytes
from course_lib.text.vocabulary import Vocabulary

UNKNOWN, BOUNDARY = "<unk>", "</s>"
SPECIALS = (UNKNOWN, BOUNDARY)  # Vocabulary.from_sentences(..., specials=SPECIALS, unknown=UNKNOWN)
DIRECTIONS = {"both": ("forward", "backward"), "forward": ("forward",), "backward": ("backward",)}


@dataclass(frozen=True)
class LSTMLMConfig:
    vocab_size: int  # words the softmax knows: the first ids of the vocabulary
    projection: int = 128  # numbers per word and direction, in every layer
    hidden: int = 512  # LSTM cells
    n_layers: int = 2
    dropout: float = 0.1  # before each LSTM layer and before the softmax
    softmax: str | None = "full"  # "full", "adaptive", "sampled"; None: a BiLM that only encodes
    cutoffs: tuple[int, ...] = ()  # of the adaptive softmax
    n_samples: int = 8192  # of the sampled softmax

    @classmethod
    def paper(cls, vocab_size: int) -> LSTMLMConfig:
        """ELMo's sizes; `characters=CharCNNConfig.paper()` gives a BiLM its 2048 filters, too."""
        return cls(vocab_size, projection=512, hidden=4096, softmax="sampled")

    @classmethod
    def small(cls, vocab_size: int) -> LSTMLMConfig:
        """Learns the invented world in seconds."""
        return cls(vocab_size, projection=32, hidden=64)


@dataclass(frozen=True)
class BiLMConfig(LSTMLMConfig):
    directions: str = "both"  # or "forward", "backward": half as wide; double `projection` for an equal width
    characters: CharCNNConfig | None = None  # None: a table of words
    clip: float | None = None  # bound of cells and states; 3.0 for ELMo's published weights, see ProjectedLSTM

    @classmethod
    def small(cls, vocab_size: int, n_characters: int | None = None) -> BiLMConfig:
        """With `n_characters` = len(Characters) words are read by their letters."""
        config = super().small(vocab_size)
        if n_characters is None:
            return config
        cnn = CharCNNConfig(n_characters, filters=((1, 16), (2, 32), (3, 64)), out_dim=config.projection)
        return replace(config, characters=cnn)


Rows = Sequence[Sequence[str]]
Ids, Mask = Int[Tensor, "batch step"], Bool[Tensor, "batch unit"]
Vectors, States = Float[Tensor, "batch unit dim"], Float[Tensor, "batch step dim"]


class WordTable(nn.Module):
    """One row per word of the vocabulary; all other words share the row of `vocabulary.unknown`."""

    def __init__(self, vocabulary: Vocabulary, dim: int):
        super().__init__()
        self.vocabulary = vocabulary
        self.embedding = nn.Embedding(len(vocabulary), dim)
        nn.init.normal_(self.embedding.weight, std=0.1)

    def inputs(self, rows: Rows) -> dict[str, Tensor]:
        return {"words": pad([self.vocabulary.encode(row) for row in rows])}

    def read(self, inputs: dict[str, Tensor]) -> Vectors:
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

    def read(self, inputs: dict[str, Tensor]) -> Vectors:
        return self.cnn.forward_unique(inputs["characters"], inputs["words"])

    def forward(self, ids: Int[Tensor, "*batch"]) -> Float[Tensor, "*batch dim"]:
        different, index = ids.unique(return_inverse=True)
        rows = self.table[different]
        return self.cnn.forward_unique(rows[:, : int((rows != PADDING).sum(1).max())], index)


_STEP = 64  # words per step when a text is scored


class LSTMLM(nn.Module):
    """One direction: reads ids, scores the next one. It reads backwards if its text is reversed."""

    def __init__(self, config: LSTMLMConfig):
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocab_size, config.projection)
        nn.init.normal_(self.embedding.weight, std=0.1)
        self.lstm = ProjectedLSTM(config.projection, config.hidden, config.n_layers, config.dropout)
        self.softmax = _softmax_of(config)

    def states(self, ids: Ids, carry: Carry = None) -> tuple[Float[Tensor, "layer batch step projection"], Carry]:
        """Each layer's state after each word, lowest first, and the carry for the words that follow."""
        return self.lstm(self.embedding(ids), carry)

    def forward(self, ids: Ids, carry: Carry = None) -> tuple[Float[Tensor, "batch step vocab"], Carry]:
        """log p(next word) after each word, in nats."""
        states, carry = self.states(ids, carry)
        return self.softmax.log_probs(states[-1].flatten(0, 1)).unflatten(0, ids.shape), carry

    def loss(self, batch: StreamBatch) -> dict[str, Any]:
        """Mean -log p(next word) in nats; the state after the step as "carry"."""
        states, carry = self.states(batch.ids, batch.carry)
        loss = _next_word_loss(self.softmax, states[-1], batch.targets, self.config.dropout)
        return {"loss": loss, "count": batch.targets.numel(), "carry": carry}


class BiLM(ContextEncoder):
    """A forward and a backward language model over one token layer and one softmax, as an encoder.

    layers  "token": the word's own vector, once per direction; "layer 1", ...: [forward state; backward state]. The
            forward state at word k has read </s> and words 1..k, the backward state </s> and words n..k.
    Each sentence is read alone from a zero state. (In training the state runs on through the text.)
    ELMo's published weights (models/elmo_files.py) have two boundary words: <S> before the words, </S> after them.
    """

    kind = "bilm"

    def __init__(self, config: BiLMConfig, vocabulary: Vocabulary, characters: Characters | ElmoBytes | None = None):
        """The vocabulary may be larger than config.vocab_size where characters are read: rarer words are then read
        as themselves and predicted as unknown.
        """
        super().__init__()
        assert {vocabulary.unknown, BOUNDARY} <= {*vocabulary.words}, "make the vocabulary with SPECIALS and UNKNOWN"
        assert config.vocab_size <= len(vocabulary), f"{len(vocabulary)} words for vocab_size={config.vocab_size}"
        assert (characters is None) == (config.characters is None), "give both `characters` and its config, or none"
        self.config, self.vocabulary, self.characters = config, vocabulary, characters
        if characters is None:
            self.token = WordTable(vocabulary, config.projection)
        else:
            self.token = CharacterWords(vocabulary, characters, config.characters)
        sizes = (config.projection, config.hidden, config.n_layers, config.dropout, config.clip)
        self.lstms = nn.ModuleDict(
            {f"{direction}_lstm": ProjectedLSTM(*sizes) for direction in DIRECTIONS[config.directions]}
        )
        # what the forward and the backward direction read first
        self._boundaries = characters.boundaries if isinstance(characters, ElmoBytes) else (BOUNDARY, BOUNDARY)
        self.softmax = None if config.softmax is None else _softmax_of(config)
        self.layer_names = (key("token"), *(f"layer {number}" for number in range(1, config.n_layers + 1)))
        self.sentence_dim = config.projection * len(self.lstms)
        self.dims = (self.sentence_dim,) * (config.n_layers + 1)

    # -- language model -----------------------------------------------------------------------------------------------
    def document(self, sentences: Sentences) -> list[int]:
        """Sentences as running text for TwoWayStreams: the ids of their words, </s> after each sentence."""
        boundary = self.vocabulary.index[BOUNDARY]
        rows = (self.vocabulary.encode(sentence.words) for sentence in self._checked(sentences))
        return [id for row in rows for id in (*row, boundary)]

    def loss(self, batch: TwoWayBatch) -> dict[str, Any]:
        """The one objective: mean over words of -log p(word | words before) - log p(word | words after), in nats.

        "forward" and "backward" are the two means; their exp is a perplexity each. Words with an id from vocab_size
        on count as unknown. With a sampled softmax the numbers are estimates in training, exact in eval mode.
        """
        self._need_softmax()
        streams = {direction: getattr(batch, direction) for direction in DIRECTIONS[self.config.directions]}
        vectors = self.token(torch.stack([stream.ids for stream in streams.values()]))  # a shared word: computed once
        unknown = self.vocabulary.index[self.vocabulary.unknown]
        means, carry = {}, {}
        for (direction, stream), inputs, lstm in zip(streams.items(), vectors, self.lstms.values(), strict=True):
            states, carry[direction] = lstm(inputs, None if batch.carry is None else batch.carry[direction])
            targets = stream.targets.masked_fill(stream.targets >= self.config.vocab_size, unknown)
            means[direction] = _next_word_loss(self.softmax, states[-1], targets, self.config.dropout)
        return {"loss": sum(means.values()), "count": targets.numel(), **means, "carry": carry}

    def log_probs(self, batch: Batch) -> dict[str, Float[Tensor, "batch unit vocab"]]:
        """For each direction and place, log p(word) in nats from the words on that side only; padding gives noise."""
        self._need_softmax()
        found = {}
        for direction, layers in self._read(batch)[1].items():
            # the state before a word is read predicts it
            states = _in_text_order(layers[-1, :, :-1], batch.mask, direction)
            found[direction] = self.softmax.log_probs(states.flatten(0, 1)).unflatten(0, batch.mask.shape)
        return found

    def perplexity(self, documents: Sequence[Sequence[int]], *, batch_size: int = 8) -> dict[str, float]:
        """exp(mean -log p) per word and direction, </s> included; documents as `document` gives them.

        The few words that do not fill `batch_size` streams are left out.
        """
        found = perplexities(self, TwoWayStreams(documents, batch_size, _STEP))
        return {direction: found[direction] for direction in DIRECTIONS[self.config.directions]}

    def _need_softmax(self) -> None:
        if self.softmax is None:
            raise CourseError(
                "This BiLM was saved without its softmax, as ELMo's published files were: it encodes, but cannot "
                "predict or train. Use a checkpoint that holds one."
            )

    # -- encoder ------------------------------------------------------------------------------------------------------
    def _batch(self, first: list[Sentence], second: list[Sentence] | None, unit: str) -> Batch:
        return word_batch(self.token.inputs([[*self._boundaries, *sentence.words] for sentence in first]), first)

    def _states(self, batch: Batch) -> Encoding:
        words, read = self._read(batch)
        rows, last = torch.arange(len(words), device=words.device), batch.mask.sum(1)
        by_direction, sentence = [], []
        for direction, layers in read.items():
            sentence.append(layers[-1, rows, last])
            layers = torch.stack([_in_text_order(layer[:, 1:], batch.mask, direction) for layer in layers])
            by_direction.append(torch.cat([words[None], layers]))
        return Encoding(torch.cat(by_direction, dim=-1), batch.mask, batch.segment, torch.cat(sentence, dim=-1))

    def _read(self, batch: Batch) -> tuple[Vectors, dict[str, Tensor]]:
        """The words' own vectors; for each direction all states [layer, batch, 1 + unit, dim], in reading order."""
        vectors = self.token.read(batch.ids)
        words, read = vectors[:, 2:], {}
        boundaries = dict(zip(DIRECTIONS["both"], vectors[:, :2].split(1, dim=1), strict=True))
        for direction, lstm in zip(DIRECTIONS[self.config.directions], self.lstms.values(), strict=True):
            # padding comes after the real words in both orders, so no state of a real word has read it
            ordered = _in_text_order(words, batch.mask, direction)
            read[direction] = lstm(torch.cat([boundaries[direction], ordered], dim=1))[0]
        return words, read

    def _groups(self) -> list[tuple[str, list[nn.Module]]]:
        groups = [("token", [self.token])]
        for number, name in enumerate(self.layer_names[1:]):
            groups.append((name, [lstm.layers[number] for lstm in self.lstms.values()]))
        return groups if self.softmax is None else [*groups, ("softmax", [self.softmax])]

    # -- files --------------------------------------------------------------------------------------------------------
    def _files(self) -> dict[str, str]:
        files = {"vocabulary.json": self.vocabulary.to_json()}
        if isinstance(self.characters, Characters):  # ElmoBytes are the same everywhere
            files["characters.json"] = self.characters.to_json()
        return files

    @classmethod
    def _build(cls, config: dict[str, Any], files: dict[str, str]) -> BiLM:
        vocabulary = Vocabulary.from_json(files["vocabulary.json"])
        cnn, characters = config["characters"], None
        if cnn is not None:
            cnn = CharCNNConfig(**{**cnn, "filters": tuple(map(tuple, cnn["filters"]))})
            listed = files.get("characters.json")
            characters = ElmoBytes() if listed is None else Characters.from_json(listed)
        return cls(
            BiLMConfig(**{**config, "cutoffs": tuple(config["cutoffs"]), "characters": cnn}), vocabulary, characters
        )


def _in_text_order(rows: Vectors, mask: Mask, direction: str) -> Vectors:
    """From reading order to text order, and back: the same for the forward direction, reversed for the other."""
    return rows if direction == "forward" else turned(rows, mask)


def _softmax_of(config: LSTMLMConfig) -> FullSoftmax | AdaptiveSoftmax | SampledSoftmax:
    sizes = config.projection, config.vocab_size
    if config.softmax == "adaptive":
        return AdaptiveSoftmax(*sizes, config.cutoffs)
    if config.softmax == "sampled":
        return SampledSoftmax(*sizes, config.n_samples)
    assert config.softmax == "full", f'softmax={config.softmax!r} is none of "full", "adaptive", "sampled"'
    return FullSoftmax(*sizes)


def _next_word_loss(softmax: nn.Module, states: States, targets: Ids, dropout: float) -> Float[Tensor, ""]:
    states = F.dropout(states, dropout, softmax.training)
    return softmax(states.flatten(0, 1), targets.flatten()).mean()


def perplexities(model: nn.Module, streams: TextStreams | TwoWayStreams) -> dict[str, float]:
    """exp of the mean over the text of the loss and of each of its parts, in eval mode."""
    carry, total, count = None, {}, 0
    device = next(model.parameters()).device
    with evaluating(model):
        for batch in streams():
            losses = model.loss(replace(batch.to(device), carry=carry))
            carry, n = losses.pop("carry"), losses.pop("count")
            count += n
            for name, mean in losses.items():
                total[name] = total.get(name, 0.0) + n * float(mean)
    return {name: math.exp(value / count) for name, value in total.items()}
