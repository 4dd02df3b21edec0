"""A training step of the Transformer against nn.Transformer, and what the decoder's cache saves in beam search."""

from __future__ import annotations

import time

import torch
from torch import Tensor, nn

from course_lib.data.records import ParallelPair, Sentence
from course_lib.models.decoding import beam_search
from course_lib.models.transformer import TransformerConfig, TransformerDecoder, TransformerEncoder
from course_lib.models.translator import Translator
from course_lib.text.pieces import Pieces
from tests.bench import measure
from tests.bench.measure import Options, main
from tests.models.small_transformers import copy_layers

SIZES = {"vocab_size": 4_000, "d_model": 256, "n_heads": 4, "n_layers": 2, "d_ff": 1024, "dropout": 0.1}
TRAINING = {"batch": 64, "length": 16}
SEARCH = {"batch": 16, "length": 64, "beam": 4}
STEPS, WARM_UP = 10, 2
# nn.Transformer as it comes also drops numbers inside the feed-forward layer, which the paper does not
TRAINING_SIDES = ("ours", "torch", "torch, no padding masks", "torch, no dropout inside feed-forward")
SEARCH_SIDES = ("with a cache", "without")


class PeerEncoder(nn.Module):
    """The encoder of an nn.Transformer in the place of ours."""

    def __init__(self, stack: nn.TransformerEncoder, masks: bool):
        super().__init__()
        self.stack, self.masks = stack, masks

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        return self.stack(states, src_key_padding_mask=~mask[:, 0] if self.masks else None)


class PeerDecoder(nn.Module):
    """The decoder of an nn.Transformer in the place of ours."""

    def __init__(self, stack: nn.TransformerDecoder, masks: bool):
        super().__init__()
        self.stack, self.masks = stack, masks

    def forward(self, states: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
        later = nn.Transformer.generate_square_subsequent_mask(states.shape[1], device=states.device)
        if not self.masks:
            return self.stack(states, memory, later, tgt_is_causal=True)
        # PyTorch wants all masks of one attention to be of one kind
        return self.stack(states, memory, later < 0, memory_key_padding_mask=~mask[:, 0])


def peer_of(
    encoder: TransformerEncoder, decoder: TransformerDecoder, masks: bool, inside: bool
) -> tuple[PeerEncoder, PeerDecoder]:
    """nn.Transformer with the same weights and dropout; `inside` the feed-forward layers as well, or not."""
    d_model, n_heads, n_layers, d_ff, dropout = (SIZES[name] for name in list(SIZES)[1:])
    theirs = nn.Transformer(d_model, n_heads, n_layers, n_layers, d_ff, dropout, batch_first=True)
    for stack, own in ((theirs.encoder, encoder), (theirs.decoder, decoder)):
        stack.norm = None  # post-norm layers end in a norm already
        copy_layers(stack, own)
        for layer in stack.layers:
            layer.dropout.p = dropout if inside else 0.0
    return PeerEncoder(theirs.encoder, masks), PeerDecoder(theirs.decoder, masks)


def model_of(side: str) -> Translator:
    """All sides have the same embedding, weights and loss; only the two stacks differ."""
    torch.manual_seed(0)
    pieces = Pieces.words([[f"w{number}" for number in range(SIZES["vocab_size"] - 4)]])
    sizes = {name: size for name, size in SIZES.items() if name != "vocab_size"}
    model = Translator(TransformerConfig(**sizes, attention_dropout=SIZES["dropout"]), pieces)
    if side in TRAINING_SIDES[1:]:
        masks, inside = side != TRAINING_SIDES[2], side != TRAINING_SIDES[3]
        model.encoder, model.decoder = peer_of(model.encoder, model.decoder, masks, inside)
    return model.train()


def sentences(n: int, n_words: int) -> list[Sentence]:
    drawn = torch.randint(SIZES["vocab_size"] - 4, (n, n_words)).tolist()
    return [Sentence.of([f"w{number}" for number in row]) for row in drawn]


def run_training(side: str, threads: int) -> dict[str, float]:
    torch.set_num_threads(threads)
    model = model_of(side)
    torch.manual_seed(1)
    batch, length = TRAINING["batch"], TRAINING["length"] - 1  # with [EOS] as long as stated
    sides = [zip(sentences(batch, length), sentences(batch, length), strict=True) for _ in range(WARM_UP + STEPS)]
    batches = [model.batch([ParallelPair(*pair) for pair in pairs]) for pairs in sides]
    pieces = batch * TRAINING["length"]
    return measure.figures(
        model, model.loss, batches, WARM_UP, lambda one: pieces, learning_rate=1e-4, betas=(0.9, 0.98)
    )


def run_search(side: str, threads: int) -> dict:
    """Pieces of the translations found per second of beam search, and their scores."""
    torch.set_num_threads(threads)
    model, cache = model_of(side), side == SEARCH_SIDES[0]
    with torch.no_grad():
        model.embedding.tokens.weight[model.pieces.end] = 0.0  # never among the best: all run to the full length
    source = sentences(SEARCH["batch"], SEARCH["length"] - 1)
    beam_search(model, source, beam=SEARCH["beam"], max_steps=3, cache=cache)  # warm up
    started = time.perf_counter()
    translations = beam_search(model, source, beam=SEARCH["beam"], max_steps=SEARCH["length"], cache=cache)
    seconds = time.perf_counter() - started
    n_pieces = sum(len(one.ids) for one in translations)
    score = sum(one.score for one in translations) / len(translations)
    return {"speed": n_pieces / seconds, "pieces": n_pieces, "score": score, "peak_mb": measure.peak_megabytes()}


def run(side: str, name: str, threads: int) -> dict:
    return {"transformer-cpu": run_training, "beam-cache-cpu": run_search}[name](side, threads)


def transformer_cpu(options: Options) -> dict:
    results = measure.rounds_of(__name__, TRAINING_SIDES, options, "transformer-cpu")
    speeds = {name: round(measure.middle(results[name])) for name in TRAINING_SIDES}
    best, equal = max(TRAINING_SIDES[1:3], key=speeds.get), TRAINING_SIDES[3]
    ours, theirs = results["ours"], results[best]
    what = (
        "encoder-decoder Transformer, target pieces per second of training steps, against the faster of two "
        f"settings of nn.Transformer ({best}; no sentence is padded), all with dropout {SIZES['dropout']}. "
        "nn.Transformer also drops inside the feed-forward layers; the ratio without that is among the sizes. "
        f"Quality: cross-entropy after {WARM_UP + STEPS} steps on random pieces, from the same weights"
    )
    sizes = {
        **{**SIZES, **TRAINING, "pieces/s": speeds},
        "no dropout inside feed-forward": measure.ratios(ours, results[equal]),
    }
    return measure.row(ours, theirs, options, what=what, unit="pieces/s", sizes=sizes, quality="cross_entropy")


def beam_cache_cpu(options: Options) -> dict:
    ours, theirs = measure.rounds_of(__name__, SEARCH_SIDES, options, "beam-cache-cpu").values()
    what = (
        "beam search with the decoder's cache (ours) against reading the whole prefix anew at every piece, "
        "pieces of the translations per second. Quality: mean score of the translations"
    )
    sizes = {**SIZES, **SEARCH, "pieces": ours[0]["pieces"]}
    return measure.row(ours, theirs, options, what=what, unit="pieces/s", sizes=sizes, quality="score")


ROWS = {"transformer-cpu": transformer_cpu, "beam-cache-cpu": beam_cache_cpu}


if __name__ == "__main__":
    main(run)
