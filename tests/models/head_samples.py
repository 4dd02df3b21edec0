"""Encoders, texts and every path through a head, for the tests of heads."""

import torch

from course_lib.data.records import LabelledText, Sentence, TaggedSentence
from course_lib.models.encoder import RandomEncoder, StaticVectors
from course_lib.models.heads import SequenceClassifier, TokenTagger

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
UPOS = sorted(set(TAGS.values()))
LABELS = ["yes", "no", "maybe"]
TOLERANCE = {"rtol": 1e-5, "atol": 1e-5}

ENCODERS = {
    "static": lambda: StaticVectors(WORDS, torch.randn(len(WORDS), 11)),
    "random": lambda: RandomEncoder(14, n_layers=2, buckets=997),
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
}


def build(kind, name, **more):
    head, settings = SETTINGS[name]
    labels = LABELS if head is SequenceClassifier else UPOS
    return head(ENCODERS[kind](), labels, seed=1, **settings, **more)


def records_of(head):
    return TEXTS if isinstance(head, SequenceClassifier) else TAGGED
