"""Encoders, texts and every path through a head, for the tests of heads."""

import torch

from course_lib.data.records import LabelledText, Sentence, SentencePair, TaggedSentence
from course_lib.models.encoder import RandomEncoder, StaticVectors
from course_lib.models.heads import PairClassifier, SequenceClassifier, TokenTagger
from tests.models.small_berts import small_bert

WORDS = ["good", "bad", "film", "the", "was", "not", "."]
SENTENCES = [["the", "film", "was", "good", "."], ["bad"], ["not", "bad"]]
TEXTS = [
    LabelledText(" ".join([*filler, word, *tail]), label)
    for word, label in [("good", "yes"), ("bad", "no"), ("not", "maybe")]
    for filler in ([], ["the"], ["the", "film", "was"])
    for tail in ([], ["."], ["film", "."])
]
TAGS = {"good": "ADJ", "bad": "ADJ", "film": "NOUN", "the": "DET", "was": "VERB", "not": "ADV", ".": "PUNCT"}
TAGGED = [
    TaggedSentence(sentence, {"upos": tuple(TAGS[word] for word in sentence.words)})
    for sentence in (Sentence.of(text.text) for text in TEXTS)
]
PAIRS = [
    SentencePair(f"the {a} was {b}", f"{c} .", "same" if b == c else "other")
    for a in ["film", "bad film", "film film"]
    for b in ["good", "bad", "not"]
    for c in ["good", "bad", "not"]
][:20]
UPOS = sorted(set(TAGS.values()))
LABELS = {SequenceClassifier: ["yes", "no", "maybe"], TokenTagger: UPOS, PairClassifier: ["same", "other"]}
RECORDS = {SequenceClassifier: TEXTS, TokenTagger: TAGGED, PairClassifier: PAIRS}
BARE = {
    SequenceClassifier: SENTENCES,
    TokenTagger: SENTENCES,
    PairClassifier: [("the film was good .", "bad"), ("bad", "the film was not bad ."), ("not", "bad")],
}
TOLERANCE = {"rtol": 1e-5, "atol": 1e-5}

ENCODERS = {
    "static": lambda: StaticVectors(WORDS, torch.randn(len(WORDS), 11)),
    "random": lambda: RandomEncoder(14, n_layers=2, buckets=997),
    "bert": lambda: small_bert(WORDS, dropout=0.0),
}
SETTINGS = {
    "sentence": (SequenceClassifier, {}),
    "mean": (SequenceClassifier, {"pooling": "mean"}),
    "max": (SequenceClassifier, {"pooling": "max", "layer": 0}),
    "mix": (SequenceClassifier, {"pooling": "mean", "layer": "mix"}),
    "bilstm": (SequenceClassifier, {"body": "bilstm", "hidden": 5}),
    "bilstm max": (SequenceClassifier, {"body": "bilstm", "hidden": 5, "pooling": "max"}),
    "tagger": (TokenTagger, {}),
    "tagger mix bilstm": (TokenTagger, {"body": "bilstm", "hidden": 5, "layer": "mix"}),
    "pair": (PairClassifier, {}),
    "pair mean": (PairClassifier, {"pooling": "mean", "layer": 0}),
    "pair max": (PairClassifier, {"pooling": "max", "layer": "mix"}),
    "pair bilstm": (PairClassifier, {"body": "bilstm", "hidden": 5}),
}
# BERT reads pairs in one pass; of texts it is an encoder like the others
CASES = [(kind, name) for kind in ENCODERS for name in SETTINGS if kind != "bert" or name.startswith("pair")]


def build(kind, name, **more):
    head, settings = SETTINGS[name]
    return head(ENCODERS[kind](), LABELS[head], seed=1, **settings, **more)
