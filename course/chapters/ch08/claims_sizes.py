"""Claim C8.1: how few numbers a head adds to a network of the published size, counted and by formula."""

from __future__ import annotations

import torch
from torch import nn

from course.ledger import Exact, claim
from course_lib.models.bert import Bert, BertConfig
from course_lib.models.heads import PairClassifier, SequenceClassifier, SpanExtractor, TokenTagger
from course_lib.text.word_pieces import SPECIALS, WordPieces

TWO = ("no", "yes")
BIO = ("O", *(f"{place}-{kind}" for kind in ("PER", "LOC", "ORG", "MISC") for place in "BI"))  # CoNLL-2003's labels
HEAD, POOLER = 1_538, 590_592


def head_size(n_labels: int, width: int) -> int:
    """K H + K: a weight per label and number of the vector, a bias per label."""
    return n_labels * width + n_labels


def pooler_size(width: int) -> int:
    """H H + H: a square layer over [CLS]."""
    return width * width + width


@claim("C8.1")
def a_head_is_tiny(*, n_labels: int = 3, width: int = 60) -> Exact:
    """BERT base is built without its numbers (on PyTorch's device "meta") and counted, and with it each head.

    The other side: a network of another `width`, with numbers, and `n_labels` labels has as many as the formula says.
    """
    bert = paper_bert()
    heads = {
        "sentence, 2 labels": SequenceClassifier(bert, TWO),
        "pair, 2 labels": PairClassifier(bert, TWO),
        f"tokens, {len(BIO)} labels": TokenTagger(bert, BIO),
        "span, start and end": SpanExtractor(bert),
    }
    sizes = {name: counted(head) - counted(bert) for name, head in heads.items()}
    head, pooler = sizes["sentence, 2 labels"], counted(bert.pooler)
    error = max(abs(head - HEAD), abs(pooler - POOLER), abs(head_size(2, 768) - HEAD), abs(pooler_size(768) - POOLER))

    small = Bert(
        BertConfig(vocab_size=31, d_model=width, n_heads=3, n_layers=1, d_ff=17, max_units=11), WordPieces(SPECIALS)
    )
    own = counted(SequenceClassifier(small, [str(label) for label in range(n_labels)])) - counted(small)
    follows = own == head_size(n_labels, width) and counted(small.pooler) == pooler_size(width)
    return Exact(
        float(error),
        "difference in parameters",
        holds=follows and own != head,
        detail=f"{head:,} and {pooler:,}; with {n_labels} labels at width {width} {own:,}, as K H + K says",
        parts={
            "share of all parameters, head for two classes, in %": 100 * head / (head + counted(bert)),
            "share of all parameters, pooler, in %": 100 * pooler / counted(bert),
            "all parameters of the network": float(counted(bert)),
        }
        | {f"parameters of each of the four heads, {name}": float(size) for name, size in sizes.items()},
        data="BERT base, uncased",
    )


def counted(module: nn.Module) -> int:
    """Trainable numbers, a shared one once."""
    return sum(parameter.numel() for parameter in module.parameters())


def paper_bert() -> Bert:
    """BERT base with shapes and without numbers: nothing is allocated, nothing can be computed."""
    with torch.device("meta"):
        return Bert(BertConfig.paper(), WordPieces(SPECIALS))
