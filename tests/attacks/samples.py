"""A small sound file for every reader of the public sets, and what each record that is read from it must be."""

import json
import math
import tempfile
from functools import partial
from pathlib import Path

from course_lib.data.readers.senses import read_coarse_senses, read_senses, read_senseval
from course_lib.data.readers.squad import read_squad
from course_lib.data.readers.tagged import read_characters, read_columns, read_conllu
from course_lib.data.readers.texts import (
    read_labelled,
    read_pairs,
    read_questions_by_class,
    read_review_folders,
    read_translations,
)
from course_lib.data.readers.word_tests import load_rated_pairs, read_analogies
from course_lib.data.running_text import read_articles
from course_lib.models.word_vectors import WordVectors
from tests.data.readers.test_lines import tar, zipped

CONLLU = "".join(
    f"# text = {text}\n"
    + "".join(f"{i}\t{word}\t{word}\tX\tY\t_\t{i - 1}\tdep\t_\t_\n" for i, word in enumerate(text.split(), 1))
    + "\n"
    for text in ("배가 떠 있다", "I do n't know", "a b c d e")
)
INSTANCE = (
    '<instance id="1">\n<answer instance="1" senseid="HARD1"/>\n<context>\n<s> <wf pos="X">a</wf> <head> '
    '<wf pos="Y">hard</wf> </head> </s>\n</context>\n</instance>\n'
)
ASKED = [
    {"id": "7", "question": "Who?", "answers": [{"text": "queen", "answer_start": 4}]},
    {"id": 8, "question": "What?", "answers": [], "is_impossible": True},
]
SQUAD = {"data": [{"title": "T", "paragraphs": [{"context": "The queen sees 배 a river.", "qas": ASKED}]}]}
SENSES = "word\tsense\tsplit\tsentence\tindex\tcue\n"
SENSES += "bank\tmoney\ttrain\ta bank paid\t1\tright\nbank\tmud\ttest\tbank mud\t0\t\n"


def packed(texts: dict[str, str], as_zip: bool = False) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a"
        return (zipped(path, texts) if as_zip else tar(path, texts, "w")).read_bytes()


TWO = {"a/train/pos/1.txt": "good<br />film", "a/train/neg/2.txt": "bad"}
REVIEWS, ZIPPED = packed(TWO | {"a/test/pos/배.txt": "좋다"}), packed(TWO | {"a/._2.txt": "x"}, as_zip=True)
MAP = '{"0": "bank_mud", "1": "bank_money"}'
WORD = {"train.data.txt": "0\tbank mud\n1\ta bank\n", "train.gold.txt": "0\n1\n", "classes_map.txt": MAP}
COARSE = packed({f"w/배/{name}": text for name, text in WORD.items()})


def texts(value) -> bool:
    return isinstance(value, str)


def tagged(record) -> bool:
    n, sentence = len(record.sentence.words), record.sentence
    spanned = all(sentence.text[a:b] == word for (a, b), word in zip(sentence.spans, sentence.words, strict=True))
    return n > 0 and spanned and all(len(tags) == n for tags in record.tags.values())


def answered(passage) -> bool:
    inside = all(
        passage.text[start : start + len(text)] == text and texts(text) and type(start) is int
        for question in passage.questions
        for text, start in question.answers
    )
    return inside and all(map(texts, [passage.text, passage.title, *(q.question for q in passage.questions)]))


def sensed(record) -> bool:
    return 0 <= record.position < len(record.sentence.words) and texts(record.sense) and texts(record.word)


def labelled(record) -> bool:
    return texts(record.label) and record.label != ""


def rated(pair) -> bool:
    return texts(pair.first) and math.isfinite(pair.rating)


def vectors_of(path) -> list[str]:
    """The words, of which each has its finite vector."""
    vectors = WordVectors.load_word2vec(path)
    assert vectors.vectors.isfinite().all()
    return vectors.words


SPACED = partial(read_columns, layers=("xpos", "chunk"), separator=" ")
NAMED = partial(read_labelled, names={"0": "neg", "1": "pos"})
# name -> reader, file name, content, what each record must be
READERS = {
    "columns": (partial(read_columns, layers=("upos", "ner")), "a.conll", "배가\tN\tO\n떠\tV\tO\n\na\tX\tB\n", tagged),
    "spaces": (SPACED, "a.txt.xz", "a DT B-NP\nking NN I-NP\n\nsees V O\n" * 5, tagged),
    "characters": (read_characters, "a.tsv", "## 1\t배 가\n배\tB-LC\n \tO\n가\tO\n\n나\tO\n", tagged),
    "conllu": (read_conllu, "a.conllu.gz", CONLLU, tagged),
    "labelled": (NAMED, "a.tsv", "text\tlabel\ngood\t1\nbad\t0\n", labelled),
    "pairs": (read_pairs, "a.tsv.bz2", "sentence1\tsentence2\tlabel\na b\tc\t4.5\nd\t배\t0\n", labelled),
    "classes": (read_questions_by_class, "a.label", "HUM:ind Who ?\nNUM:count How many ?\n", labelled),
    "translations": (read_translations, "a.tsv", "A king.\t왕.\tx\nA car.\t차.\ty\n", lambda p: p.source.words),
    "senses": (read_senses, "a.tsv", SENSES, sensed),
    "senseval": (read_senseval, "hard.pos", '<lexelt item="hard-a">\n' + INSTANCE * 3 + "</lexelt>\n", sensed),
    "squad": (read_squad, "a.json", json.dumps(SQUAD, ensure_ascii=False, indent=1), answered),
    "squad packed": (read_squad, "a.json.xz", json.dumps(SQUAD), answered),
    "rated": (load_rated_pairs, "a.csv", "a,b,human\n왕,여왕,8.5\nriver,bank,6\n", rated),
    "rated by tabs": (load_rated_pairs, "a.tsv", "king\tqueen\t8.5\nriver\tbank\t6\n", rated),
    "analogies": (read_analogies, "a.txt", ": family\nking queen man woman\n: x\na b c d\n", lambda q: len(q) == 5),
    "articles": (
        lambda path: list(read_articles([path], min_words=1)),
        "a.txt.xz",
        '<doc id="1" title="A &amp; B">\nA & B\n\na b c ( ) d &lt;e\n</doc>\n<doc id="2">\nx y z\n</doc>\n',
        lambda article: all(article.paragraphs),
    ),
    "word2vec": (vectors_of, "a.vec.gz", "3 2\n배 0.5 1\nb 2 -3e-5\nc d 4 5\n", bool),
    "word2vec without header": (vectors_of, "a.txt", "배 0.5 1\nb 2 -3e-5\nc d 4 5\n", bool),
    "word2vec binary": (vectors_of, "a.bin", b"2 2\n" + "배 12345678\nb 87654321\n".encode(), bool),
    "reviews": (read_review_folders, "a.tar", REVIEWS, labelled),
    "reviews packed": (read_review_folders, "a.tar.gz", REVIEWS, labelled),
    "reviews zipped": (read_review_folders, "a.zip", ZIPPED, labelled),
    "coarse senses": (read_coarse_senses, "a.tar.xz", COARSE, sensed),
    "coarse senses plain": (read_coarse_senses, "a.tar", COARSE, sensed),
}
