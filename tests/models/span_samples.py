"""Encoders and questions for the tests of SpanExtractor."""

import torch

from course_lib.data.records import Passage, Question
from course_lib.models.encoder import RandomEncoder, StaticVectors
from course_lib.models.heads import SpanExtractor
from tests.models.small_berts import small_bert

WORDS = ["who", "where", "is", "Mina", "Juno", "in", "Paris", "Rome", "now", ".", "서울", "##에서", "##은"]
ENCODERS = {
    "static": lambda: StaticVectors(WORDS, torch.randn(len(WORDS), 11)),
    "random": lambda: RandomEncoder(14, n_layers=2, buckets=997),
    "bert": lambda: small_bert(WORDS, dropout=0.0, attention_dropout=0.0),
}
SETTINGS = {
    "plain": {},
    "no answer": {"no_answer": True, "unit": "word"},
    "mix": {"layer": "mix"},
    "bilstm": {"body": "bilstm", "hidden": 5, "no_answer": True},
}


def build(kind, name="plain", **more):
    return SpanExtractor(ENCODERS[kind](), seed=1, **SETTINGS[name], **more)


def passage(text, *asked):
    """Each of `asked`: a question, and its answer, which stands in the text, or None."""
    questions = [
        Question(f"{text[:5]}-{number}", question, () if answer is None else ((answer, text.index(answer)),))
        for number, (question, answer) in enumerate(asked)
    ]
    return Passage(text, tuple(questions))


PASSAGES = [
    passage(f"{name} is in {place} {rest}", ("who is in it", name), ("where is it now", place))
    for name in ["Mina", "Juno"]
    for place in ["Paris", "Rome"]
    for rest in [".", "now .", "now . now"]
][:10]  # 20 questions
LONG = passage("now . Mina is in Paris . Juno is in Rome now . " * 2, ("where is Juno", "Rome now"))
HOLDING_NOTHING = passage("now . is in now .", ("who is in it", None), ("where is it now", None))
