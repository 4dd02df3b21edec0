"""Four tasks that a network of a few thousand numbers learns in seconds, in the shape of the handmade ones."""

from random import Random

from course.lab.tasks import Task
from course_lib.data.records import LabelledText, Passage, Question, Sentence, SentencePair, TaggedSentence
from tests.models.small_berts import small_bert

PEOPLE, PLACES = ("Mina", "Juno", "Ada", "Otto"), ("Paris", "Rome", "Oslo", "Bonn")
GOOD, BAD = ("good", "warm", "kind"), ("bad", "cold", "rude")
WORDS = ["the", "film", "was", "is", "in", "who", "where", "now", ".", *PEOPLE, *PLACES, *GOOD, *BAD]


def bert(**settings):
    return small_bert(WORDS, **({"vocab_size": 137, "dropout": 0.0, "attention_dropout": 0.0} | settings))


def _shared(kind, records, name):
    """A third of the records, drawn, for each part: an odd number, so that one label for all is never half right."""
    n = len(records) // 3
    records = Random(7).sample(records, 3 * (n if n % 2 else n - 1))
    return Task(name, kind, *(records[part::3] for part in range(3)))


def sentence_task():
    records = [
        LabelledText(f"{start} {word} {end}", label)
        for start in ("the film was", "now the film was", "film", "was the film")
        for pair in zip(GOOD, BAD, strict=True)
        for end in (".", "now", "now .")
        for word, label in zip(pair, ("pos", "neg"), strict=True)
    ]
    return _shared("sentence", records, "small reviews")


def _asked():
    for person in PEOPLE:
        for place in PLACES:
            for rest in (".", "now ."):
                yield person, place, f"{person} is in {place} {rest}"


def pair_task():
    records = [
        SentencePair(f"who is in {place}", f"{person} {rest}", label)
        for person, place, _ in _asked()
        for rest, label in ((f"is in {place} .", "answers"), ("was cold .", "other"))
    ]
    return _shared("pair", records, "small pairs")


def names_task():
    tag = {**dict.fromkeys(PEOPLE, "B-PER"), **dict.fromkeys(PLACES, "B-LOC")}
    records = []
    for _, _, text in _asked():
        sentence = Sentence.of(text)
        records.append(TaggedSentence(sentence, {"ner": tuple(tag.get(word, "O") for word in sentence.words)}))
    return _shared("tokens", records, "small names")


def span_task():
    records = [
        Passage(text, (Question(f"{text}-{word}", question, ((word, text.index(word)),)),))
        for person, place, text in _asked()
        for question, word in (("who is in it", person), (f"where is {person}", place))
    ]
    return _shared("span", records, "small questions")


def tasks():
    return {task.kind: task for task in (sentence_task(), pair_task(), names_task(), span_task())}
