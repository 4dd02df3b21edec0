"""Questions about passages as records of two tasks: the answer in a short passage, and "does this sentence answer?"

Articles stay whole: no article has passages in two of train, dev and test.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

from course_lib.data.records import Passage, Question, SentencePair
from course_lib.models.spans import Place, units_of
from course_lib.text.words import split_sentences, split_words

ANSWERS, OTHER = "answers", "other"
Parts = tuple[list[Passage], list[Passage], list[Passage]]


def split_by_article(passages: Sequence[Passage], shares: tuple[float, float] = (0.6, 0.2)) -> Parts:
    """Train, dev, test: `shares` of the articles (by title) go to train and dev, the rest to test; always the same."""
    titles = list(dict.fromkeys(passage.title for passage in passages))
    Random(0).shuffle(titles)
    first = round(shares[0] * len(titles))
    second = first + round(shares[1] * len(titles))
    cuts = (set(titles[:first]), set(titles[first:second]), set(titles[second:]))
    train, dev, test = ([passage for passage in passages if passage.title in part] for part in cuts)
    return train, dev, test


def sentence_places(text: str) -> list[Place]:
    """Characters (start, end) of each sentence."""
    places, at = [], 0
    for sentence in split_sentences(text):
        start = text.index(sentence, at)
        at = start + len(sentence)
        places.append((start, at))
    return places


def single_questions(passages: Iterable[Passage], n_words: int) -> list[Passage]:
    """Each question with an answer alone, beside at most `n_words` words of its passage: whole sentences in a row.

    The sentence of the first answer may stand anywhere among them. A question whose sentence is longer is left out,
    and so are references (other answers) that stand outside.
    """
    random, found = Random(0), []
    for passage in passages:
        places = sentence_places(passage.text)
        sizes = [len(split_words(passage.text[start:end])) for start, end in places]
        for question in passage.questions:
            part = _around(question, places, sizes, n_words, random)
            if part is not None:
                found.append(_cut(passage, question, *part))
    return found


def question_pairs(passages: Iterable[Passage], n_words: int) -> list[SentencePair]:
    """(question, sentence of the passage, "answers" or "other"), in turn, one pair per question.

    As QNLI, made from SQuAD by Wang et al. 2018, arXiv:1804.07461, section 3.2: the sentence that holds the first
    answer, or another one of the same passage. They drop pairs of few common words; here a wrong sentence is one
    without the text of any answer. Left out: answers over two sentences, sentences of more than `n_words` words.
    """
    random, found = Random(0), []
    for passage in passages:
        places = sentence_places(passage.text)
        sentences = [passage.text[start:end] for start, end in places]
        for question in passage.questions:
            where = _touched(question, places)
            if where is None or where[0] != where[1]:
                continue
            others = [s for s in sentences if not any(answer in s for answer, _ in question.answers)]
            if not others:
                continue
            label = OTHER if len(found) % 2 else ANSWERS
            second = random.choice(others) if label == OTHER else sentences[where[0]]
            if len(split_words(second)) <= n_words:
                found.append(SentencePair(question.question, second, label))
    return found


def following_pairs(passages: Iterable[Passage]) -> dict[str, list[SentencePair]]:
    """Each sentence with the next one ("next"), with another of its passage, and with one of another article ("other").

    The second is BERT's question (Devlin and others 2018, section 3.1), the first one nearer to ALBERT's (Lan and
    others 2019, section 3.1): there the topic does not tell.
    """
    random, found = Random(0), {"next": [], "the same passage": [], "another article": []}
    texts = [(passage.title, split_sentences(passage.text)) for passage in passages]
    for title, sentences in texts:
        far = [sentence for other, text in texts if other != title for sentence in text]
        for at, first in enumerate(sentences[:-1]):
            near = [sentence for i, sentence in enumerate(sentences) if i not in (at, at + 1)]
            if near:
                found["next"].append(SentencePair(first, sentences[at + 1], "next"))
                found["the same passage"].append(SentencePair(first, random.choice(near), OTHER))
                found["another article"].append(SentencePair(first, random.choice(far), OTHER))
    return found


def _touched(question: Question, places: list[Place]) -> Place | None:
    """The first and the last sentence that the first answer stands in; None without an answer."""
    if not question.answers:
        return None
    text, start = question.answers[0]
    return units_of(places, start, start + len(text))


def _around(question: Question, places: list[Place], sizes: list[int], n_words: int, random: Random) -> Place | None:
    """Characters (start, end) of the sentences that are kept; None if there is no answer or too long a sentence."""
    where = _touched(question, places)
    if where is None:
        return None
    first, last = where
    while (size := sum(sizes[first : last + 1])) <= n_words:
        sides = [i for i in (first - 1, last + 1) if 0 <= i < len(sizes) and size + sizes[i] <= n_words]
        if not sides:
            return places[first][0], places[last][1]
        new = random.choice(sides)
        first, last = min(first, new), max(last, new)
    return None


def _cut(passage: Passage, question: Question, start: int, end: int) -> Passage:
    inside = [(text, at - start) for text, at in question.answers if start <= at and at + len(text) <= end]
    return Passage(passage.text[start:end], (Question(question.id, question.question, tuple(inside)),), passage.title)
