"""Which reader reads which public set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path

from course.sources.registry import PublicSet
from course_lib.data.readers.senses import read_coarse_senses, read_senseval
from course_lib.data.readers.squad import read_squad
from course_lib.data.readers.tagged import read_characters, read_columns, read_conllu
from course_lib.data.readers.texts import (
    read_aligned,
    read_labelled,
    read_pairs,
    read_questions_by_class,
    read_review_folders,
    read_translations,
)
from course_lib.data.readers.word_tests import load_rated_pairs, read_analogies
from course_lib.data.running_text import Article, read_articles

CORPORA = {
    "enwiki2015": "English Wikipedia (dump of 2015, 9,873 whole articles, CC BY-SA 3.0)",
    "kowiki2022": "Korean Wikipedia (dump of 2022, 15,627 whole articles, CC BY-SA 3.0)",
    "novels_en": "70 English novels of 1875 to 1930 (public domain)",
}

NEG_POS = {"0": "neg", "1": "pos"}


# One file a split. Each takes (path, split).
_BY_FILE: dict[str, Callable[[Path, str], list]] = {
    "sst2": lambda path, _: read_labelled(path, text="sentence", names=NEG_POS),
    "nsmc": lambda path, _: read_labelled(path, text="document", names=NEG_POS),
    "trec6": lambda path, _: read_questions_by_class(path),
    "imdb": read_review_folders,
    "rte": lambda path, _: read_pairs(path),
    "kornlu": lambda path, split: read_pairs(path, label="score" if split.startswith("sts") else "gold_label"),
    "ud_english_ewt": lambda path, _: read_conllu(path),
    "ud_korean_gsd": lambda path, _: read_conllu(path),
    "conll2000": lambda path, _: read_columns(path, ("xpos", "chunk"), separator=" "),
    "wnut17": lambda path, _: read_columns(path, ("ner",)),
    "wikineural_en": lambda path, _: read_columns(path, ("ner",), skip=1),
    "klue_ner": lambda path, _: read_characters(path),
    "squad1_dev": lambda path, _: read_squad(path),
    "korquad1_dev": lambda path, _: read_squad(path),
    "tatoeba_kor_eng": lambda path, _: read_translations(path),
    "coarsewsd20": read_coarse_senses,
    "senseval_4words": lambda path, _: read_senseval(path),
    "korean_word_tests": lambda path, split: load_rated_pairs(path) if split == "similarity" else read_analogies(path),
}


def read_set(public: PublicSet, parts: Iterable[tuple[str, list[Path]]]) -> list | Iterator[Article]:
    """The records of (split, its files) in order: a list, or a stream of articles for running text."""
    if public.name in CORPORA:
        return read_articles(chain.from_iterable(paths for _, paths in parts))
    if public.name == "multi30k":
        return [pair for _, (source, target) in parts for pair in read_aligned(source, target)]
    read = _BY_FILE[public.name]
    return [record for split, (path,) in parts for record in read(path, split)]
