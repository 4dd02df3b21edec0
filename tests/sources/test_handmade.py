"""The handmade sets of both languages: formats, balance, fixed splits, no duplicates, no giveaway words, baselines.

`pytest -s tests/sources/test_handmade.py` prints the baselines that data/handmade/README.md states.
"""

import csv
import functools
import itertools
import json
import re
import unicodedata
from collections import Counter, defaultdict
from typing import NamedTuple

import numpy as np
import pytest

from course.lab.baselines import dictionary
from course.lab.particles import _analyser, split_particles
from course.sources.handmade import (
    LANGUAGES,
    SPLITS,
    handmade_clue_sides,
    handmade_gaps,
    handmade_names,
    handmade_questions,
    handmade_reviews,
    handmade_second_senses,
    handmade_senses,
)
from course_lib.config import data_dir
from course_lib.data.records import Sentence, TaggedSentence
from course_lib.errors import CourseError
from course_lib.evaluation import accuracy, span_f1
from course_lib.evaluation.metrics import bio_spans
from course_lib.models.shipped import load
from course_lib.text.words import split_words

CUES = ("left", "right", "both")
UPOS = re.compile("ADJ|ADP|ADV|AUX|CCONJ|DET|INTJ|NOUN|NUM|PART|PRON|PROPN|PUNCT|SCONJ|SYM|VERB")
PARTICLE = re.compile(
    "이|가|을|를|은|는|의|에|에서|에게|로|으로|와|과|도|만|까지|부터|마다|보다|밖에|이나|나|나마|야|아"
)
AFTER_AN_ANSWER = re.compile(f"({PARTICLE.pattern}|이다|이던|이라|라는|라고|인데|뿐)")  # a particle or a form of 이다
LIGHT = re.compile("하다|있다|없다|되다|보다|주다|않다|나다|오다|가다|못하다|두다|그|저|나|우리|수|것|때|뒤|날|한")


class Sets(NamedTuple):
    """The files of a language, read by the standard library and not by the course."""

    language: str
    senses: list  # rows as dicts
    reviews: list
    names: list  # (split, [(word, upos, bio), ...])
    articles: list

    @property
    def paragraphs(self):
        return [paragraph for article in self.articles for paragraph in article["paragraphs"]]

    @property
    def questions(self):
        """(split, context, question record)"""
        return [(a["split"], p["context"], qa) for a in self.articles for p in a["paragraphs"] for qa in p["qas"]]


@functools.cache
def read(language):
    def table(name):
        with (folder / name).open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))

    folder, names = data_dir("handmade", language), []
    for block in (folder / "names.conll").read_text(encoding="utf-8").strip().split("\n\n"):
        comment, *lines = block.split("\n")
        names.append((comment.removeprefix("# split = "), [tuple(line.split("\t")) for line in lines]))
    articles = json.loads((folder / "questions.json").read_text(encoding="utf-8"))["data"]
    return Sets(language, table("senses.tsv"), table("reviews.tsv"), names, articles)


@pytest.fixture(params=LANGUAGES)
def sets(request):
    return read(request.param)


# ---- readers


@pytest.mark.parametrize(
    ("load_set", "sizes"),
    [
        (handmade_senses, {"en": 620, "ko": 340}),
        (handmade_names, {"en": 389, "ko": 183}),
        (handmade_reviews, {"en": 400, "ko": 400}),
        (handmade_questions, {"en": 60, "ko": 32}),
    ],
)
def test_the_splits_are_the_whole_set(load_set, sizes):
    for language, size in sizes.items():
        everything, parts = load_set(language), [load_set(language, split) for split in SPLITS]
        assert len(everything) == size
        assert all(parts)
        assert sorted(repr(record) for part in parts for record in part) == sorted(map(repr, everything))
    with pytest.raises(CourseError, match=r"no handmade set in 'de'. Choose one of: en, ko"):
        load_set("de")
    with pytest.raises(CourseError, match=r"no split 'dv'. Choose one of: train, dev, test"):
        load_set("en", "dv")


def test_the_records_are_what_the_files_say(sets):
    examples = handmade_senses(sets.language)
    said = [(e.sentence.words[e.position], e.sense, e.cue) for e in examples]
    assert said == [(row["word"], row["sense"], row["cue"]) for row in sets.senses]
    assert [e.tags["ner"] for e in handmade_names(sets.language)] == [tuple(t for *_, t in r) for _, r in sets.names]
    labels = [review.label for review in handmade_reviews(sets.language, "test")]
    assert labels.count("pos") == labels.count("neg") == 50
    assert sum(len(p.questions) for p in handmade_questions(sets.language)) == len(sets.questions)


# ---- files


def test_files_are_plain_and_say_nothing_twice(sets):
    """UTF-8, composed, Unix line ends, one line end at the end; no two texts that share half of what they hold."""
    second = ("second_gaps.tsv", "second_senses.tsv")
    for name in ("senses.tsv", "reviews.tsv", "names.conll", "questions.json", "gaps.tsv", *second):
        text = (data_dir("handmade", sets.language) / name).read_bytes().decode("utf-8")
        assert unicodedata.is_normalized("NFC", text), name
        assert re.fullmatch(r"[^\r]*[^\r\n]\n", text), name
    for texts in (
        [row["sentence"] for row in sets.senses] + [e.sentence.text for e in handmade_second_senses(sets.language)],
        [gap for second in (False, True) for gap, _ in handmade_gaps(sets.language, second=second)],
        [row["text"] for row in sets.reviews],
        [" ".join(word for word, _, _ in rows) for _, rows in sets.names],
        [paragraph["context"] for paragraph in sets.paragraphs],
        [qa["question"] for _, _, qa in sets.questions],
    ):
        plain = [re.sub(r"\s+", " ", text.lower()) for text in texts]
        shingles = [{text[i : i + 5] for i in range(len(text) - 4)} for text in plain]
        for (i, one), (j, other) in itertools.combinations(enumerate(shingles), 2):
            shared = len(one & other)
            assert shared <= 0.5 * (len(one) + len(other) - shared), (texts[i], texts[j])


@pytest.mark.parametrize("second", [False, True])
@pytest.mark.parametrize("language", LANGUAGES)
def test_gaps_can_be_filled(language, second):
    """Each with one gap, and with at least one answer that our BERT can give: its answers are single pieces."""
    gaps, pieces = handmade_gaps(language, second=second), set(load(f"bert-{language}").pieces.vocabulary)
    assert len(gaps) == 40
    for sentence, answers in gaps:
        assert sentence.split().count("[MASK]") == 1
        assert sentence == sentence.lower().replace("[mask]", "[MASK]")
        assert answers & pieces, sentence


# ---- senses


def test_every_sense_has_the_same_fixed_split_and_the_same_cue_sides(sets):
    """Each sense: 20 sentences, 10 / 4 / 6; cues 7 left, 7 right, 6 both."""
    plan = {"train": (4, 4, 2), "dev": (1, 1, 2), "test": (2, 2, 2)}
    counts = Counter((row["word"], row["sense"], row["split"], row["cue"]) for row in sets.senses)
    senses = {(row["word"], row["sense"]) for row in sets.senses}
    assert (len({word for word, _ in senses}), len(senses)) == {"en": (14, 31), "ko": (8, 17)}[sets.language]
    cells = [(split, cue, n) for split in SPLITS for cue, n in zip(CUES, plan[split], strict=True)]
    assert counts == {(*sense, split, cue): n for sense in senses for split, cue, n in cells}


def test_target_stands_at_its_index_once_and_neither_its_position_nor_length_tells_the_sense(sets):
    by_sense = defaultdict(list)
    for row in sets.senses:
        words = row["sentence"].split(" ")
        assert words[int(row["index"])] == row["word"], row
        assert row["sentence"].lower().split(" ").count(row["word"]) == 1, row
        assert split_words(row["sentence"]) == words, row
        assert 5 <= len(words) <= 25, row
        by_sense[row["word"], row["sense"]].append((int(row["index"]) / len(words), len(words)))
    means = {sense: np.mean(rows, 0) for sense, rows in by_sense.items()}
    for one, other in itertools.combinations(means, 2):
        assert one[0] != other[0] or (abs(means[one] - means[other]) < (0.2, 3.5)).all(), (one, other)


def test_the_sentences_by_clue_side_come_in_pairs_that_share_the_other_side():
    """Per sense 3 left, 3 right, 3 both; none of the pair's words on the clueless side tells the two senses apart."""
    known = {(e.word, e.sense) for e in handmade_senses("en")}
    read = {e.sentence.words for e in handmade_senses("en")}
    groups = defaultdict(list)
    for example in handmade_clue_sides():
        words, place = example.sentence.words, example.position
        assert words[place] == example.word
        assert " ".join(words).lower().split().count(example.word) == 1
        assert tuple(split_words(" ".join(words))) == words
        assert (example.word, example.sense) in known
        assert words not in read
        groups[example.word, example.sense, example.cue].append((words[: place + 1], words[place + 1 :]))
    assert {len(pairs) for pairs in groups.values()} == {3}
    assert len(groups) == 14 * 2 * 3
    for word in {word for word, _, _ in groups}:
        one, other = sorted({sense for w, sense, _ in groups if w == word})
        for cue, shared in (("right", 0), ("left", 1)):
            for a, b in zip(groups[word, one, cue], groups[word, other, cue], strict=True):
                assert a[shared] == b[shared]
                assert a[1 - shared] != b[1 - shared]


@pytest.mark.parametrize(("language", "plan"), [("en", (1, 1, 1)), ("ko", (1, 1, 2))])
def test_the_second_senses_weigh_alike_and_are_senses_of_the_first_set(language, plan):
    """60 sentences: of each sense as many by the clue's side, of each word all its senses, the target in place once."""
    examples = handmade_second_senses(language)
    words = {example.word for example in examples}
    senses = {(e.word, e.sense) for e in handmade_senses(language) if e.word in words}
    counts = Counter((e.word, e.sense, e.cue) for e in examples)
    assert len(examples) == 60
    assert counts == {(*sense, cue): n for sense in senses for cue, n in zip(CUES, plan, strict=True)}
    for example in examples:
        tokens = example.sentence.words
        assert tokens[example.position] == example.word
        assert [token.lower() for token in tokens].count(example.word) == 1
        assert split_words(" ".join(tokens)) == list(tokens)
        assert 5 <= len(tokens) <= 25


def english_content(rows):
    words = [{w.removesuffix("s") for w in re.findall(r"\w{3,}", " ".join(words_round(row)))} for row in rows]
    beside = defaultdict(set)
    for row, content in zip(rows, words, strict=True):
        for word in content:
            beside[word].add(row["word"])
    # a word that stands beside more than half of the 14 ambiguous words is a function word
    return [{word for word in content if len(beside[word]) <= 7} for content in words]


def korean_content(rows):
    """By dictionary form: 마신다 and 마셨다 are one word."""
    parsed = _analyser().tokenize([raw(row["sentence"].split(" ")) for row in rows])
    return [
        {m.lemma for m in parts if re.match("N[NPR]|V[VA]|M[AM]|XR", m.tag) and not LIGHT.fullmatch(m.lemma)}
        - {row["word"]}
        for row, parts in zip(rows, parsed, strict=True)
    ]


def raw(tokens):
    """The sentence as printed: a particle or a mark follows without a space."""
    glued = [PARTICLE.fullmatch(word) or re.fullmatch(r"\W", word) for word in tokens]
    return "".join(word if glue else f" {word}" for word, glue in zip(tokens, glued, strict=True)).strip()


def test_no_content_word_gives_a_sense_away(sets):
    """None stands in more than 3 of a sense's 20 sentences."""
    content = (english_content if sets.language == "en" else korean_content)(sets.senses)
    by_sense = defaultdict(Counter)
    for row, words in zip(sets.senses, content, strict=True):
        by_sense[row["word"], row["sense"]].update(words)
    for sense, counts in by_sense.items():
        word, most = counts.most_common(1)[0]
        assert most <= 3, (sense, word, most)


def test_korean_particles_are_split_off_as_the_course_does_it():
    """By hand and by the analyser. It may disagree on 3 %: half where `raw` glues a word like 만 or 이 (tooth)."""
    sets = read("ko")
    by_hand = [row["sentence"].split(" ") for row in sets.senses]
    by_hand += [list(example.sentence.words) for example in handmade_second_senses("ko")]
    by_hand += [[word for word, _, _ in rows] for _, rows in sets.names]
    split = list(split_particles([raw(tokens) for tokens in by_hand]))
    wrong = [" ".join(tokens) for tokens, words in zip(by_hand, split, strict=True) if tokens != words]
    assert len(wrong) <= 0.03 * len(by_hand), wrong


# ---- reviews


def test_reviews_are_balanced_and_a_quarter_is_hard(sets):
    """10 domains, per domain and label 12 / 3 / 5, of which 3 / 1 / 1 are hard."""
    easy, hard = {"train": 9, "dev": 2, "test": 4}, {"train": 3, "dev": 1, "test": 1}
    counts = Counter((row["domain"], row["label"], row["split"], row["hard"] != "") for row in sets.reviews)
    domains = {row["domain"] for row in sets.reviews}
    assert len(domains) == 10
    for domain, label, split in itertools.product(domains, ("pos", "neg"), SPLITS):
        assert counts[domain, label, split, False] == easy[split], (domain, label, split)
        assert counts[domain, label, split, True] == hard[split], (domain, label, split)
    kinds = Counter(row["hard"] for row in sets.reviews)
    assert kinds.keys() == {"", "negation", "irony", "mixed"}
    assert min(kinds.values()) >= 30
    assert len({row["id"] for row in sets.reviews}) == len(sets.reviews) == 400


# ---- names


def test_names_parse_and_bio_is_valid(sets):
    sizes = {"en": {"train": 235, "dev": 55, "test": 99}, "ko": {"train": 111, "dev": 26, "test": 46}}
    assert Counter(split for split, _ in sets.names) == sizes[sets.language]
    for _, rows in sets.names:
        words = [word for word, _, _ in rows]
        assert split_words(" ".join(words)) == words
        assert 5 <= len(words) <= 28, words
        previous = "O"
        for word, upos, tag in rows:
            assert UPOS.fullmatch(upos), (word, upos)
            assert re.fullmatch(r"O|[BI]-(PER|LOC|ORG|MISC)", tag), (word, tag)
            assert not tag.startswith("I-") or previous[2:] == tag[2:], words
            assert (upos == "PUNCT") == (re.search(r"\w|&", word) is None), (word, upos)
            previous = tag
        for i, (word, upos, tag) in enumerate(rows if sets.language == "ko" else ()):  # particles outside of names
            following = rows[i + 1][2] if i + 1 < len(rows) else "O"
            assert upos != "ADP" or PARTICLE.fullmatch(word), (word, rows)
            assert upos != "ADP" or tag == "O" or following.startswith("I-"), (word, rows)  # 바람 | 의 | 정원


def test_a_fifth_has_no_name_test_names_are_mostly_new_and_many_words_carry_more_than_one_tag(sets):
    empty, names, kinds = 0, defaultdict(set), defaultdict(set)
    for split, rows in sets.names:
        spans = bio_spans([tag for _, _, tag in rows])
        empty += not spans
        names[split] |= {" ".join(word for word, _, _ in rows[start:end]) for _, start, end in spans}
        for word, _, tag in rows:
            kinds[word.lower()].add(tag[2:] or "O")
    assert 0.17 <= empty / len(sets.names) <= 0.23
    assert 0.5 <= len(names["test"] - names["train"]) / len(names["test"]) <= 0.8
    assert sum(len(tags) > 1 for tags in kinds.values()) >= {"en": 80, "ko": 30}[sets.language]


# ---- questions


def test_answers_stand_at_their_offsets(sets):
    """English: at the bounds of words. Korean: a particle may follow, and often does."""
    english = sets.language == "en"
    plan, length, each = {
        "en": ({"train": 12, "dev": 3, "test": 5}, (60, 120), (4, 6)),
        "ko": ({"train": 9, "dev": 2, "test": 5}, (50, 80), (3, 4)),
    }[sets.language]
    assert Counter(article["split"] for article in sets.articles) == plan
    assert len(sets.questions) == len({qa["id"] for _, _, qa in sets.questions})
    assert len(sets.questions) >= 240 if english else len(sets.questions) == 121
    for paragraph in sets.paragraphs:
        assert length[0] <= len(paragraph["context"].split()) <= length[1]
        assert each[0] <= len(paragraph["qas"]) <= each[1]
    inside = 0
    for _, context, qa in sets.questions:
        for answer in qa["answers"]:
            start, end = answer["answer_start"], answer["answer_start"] + len(answer["text"])
            assert context[start:end] == answer["text"]
            assert answer["text"].lower() not in qa["question"].lower(), qa
            assert not re.match(r"\w\w", context[max(0, start - 1) : start + 1]), qa
            tail = re.match(r"\w*", context[end:])[0]
            assert not re.match(r"\w\w", context[end - 1 : end + 1]) if english else AFTER_AN_ANSWER.match(tail or "이")
            inside += bool(tail)
        words, passage, n = qa["question"].split(), context, 3  # three eojeol say about what six English words say
        if english:
            words, passage, n = split_words(qa["question"].lower()), " ".join(split_words(context.lower())), 6
        assert not [i for i in range(len(words) - n + 1) if " ".join(words[i : i + n]) in passage], qa  # no copy
    assert english or inside >= 40


# ---- baselines: what a bag of words, a dictionary or an overlap knows


def words_round(row):
    """The lower-cased words round the target."""
    words = row["sentence"].lower().split(" ")
    return words[: int(row["index"])] + words[int(row["index"]) + 1 :]


def bag(rows, text_of, label, **vectorizer):
    """Right or wrong per test row: logistic regression on counts, of words unless told."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    model = make_pipeline(CountVectorizer(**vectorizer or {"token_pattern": r"\S+"}), LogisticRegression(max_iter=1000))
    train, test = ([row for row in rows if row["split"] == split] for split in ("train", "test"))
    model.fit([text_of(row) for row in train], [row[label] for row in train])
    return model.predict([text_of(row) for row in test]) == [row[label] for row in test]


def test_review_baseline(sets):
    if sets.language == "en":
        kind, hits = "words", bag(sets.reviews, lambda row: " ".join(split_words(row["text"].lower())), "label")
    else:
        pairs = {"analyzer": "char", "ngram_range": (2, 2)}
        kind, hits = "character pairs", bag(sets.reviews, lambda row: row["text"], "label", **pairs)
    hard = hits[[row["hard"] != "" for row in sets.reviews if row["split"] == "test"]]
    print(f"\nreviews: bag of {kind} {hits.mean():.3f} on test, on its {len(hard)} hard ones {hard.mean():.2f}")
    assert {"en": 0.65, "ko": 0.55}[sets.language] <= hits.mean() <= 0.92


def test_sense_baseline(sets):
    """One model per word."""
    words = [[row for row in sets.senses if row["word"] == word] for word in {row["word"] for row in sets.senses}]
    right = [bag(rows, lambda row: " ".join(words_round(row)), "sense") for rows in words]
    hits = np.concatenate(right)
    chance = sum(len(r) / len({row["sense"] for row in rows}) for r, rows in zip(right, words, strict=True)) / len(hits)
    print(f"\nsenses: bag of words {hits.mean():.3f} on test ({len(hits)} sentences), chance {chance:.3f}")
    assert hits.mean() < 0.8
    assert sets.language == "ko" or chance < hits.mean()


def test_tagging_baseline(sets):
    """Each word's most frequent tag in train; unseen: NOUN, O."""
    train, test = (handmade_names(sets.language, split) for split in ("train", "test"))
    guessed = dictionary(lowered(train), lowered(test), "upos", unknown="NOUN")
    gold = [record.tags["upos"] for record in test]
    right = accuracy(itertools.chain(*guessed), itertools.chain(*gold))
    f1 = span_f1(dictionary(train, test, "ner", unknown="O"), [record.tags["ner"] for record in test])
    n_names = sum(len(bio_spans(record.tags["ner"])) for record in test)
    print(f"\nnames: dictionary UPOS accuracy {right:.3f}, span F1 {f1:.3f} ({n_names} names)")
    assert 0.6 < right < 0.9
    assert 0.1 < f1 < 0.6


def lowered(records):
    return [TaggedSentence(Sentence.of([word.lower() for word in r.sentence.words]), r.tags) for r in records]


def test_question_baseline(sets):
    """Does the sentence that shares most with the question hold its answer?"""
    english, hits = sets.language == "en", []
    for split, context, qa in sets.questions:
        if split == "test":
            sentences = [(m.start(), m.end()) for m in re.finditer(r"[^.?!]+[.?!]", context)]
            asked = units(qa["question"], english)
            start, end = max(sentences, key=lambda s: len(asked & units(context[s[0] : s[1]], english)))
            hits.append(start <= qa["answers"][0]["answer_start"] < end)
    kind = "words" if english else "character pairs"
    print(f"\nquestions: the sentence sharing most {kind} holds the answer to {np.mean(hits):.3f} of {len(hits)}")
    assert 0.3 < np.mean(hits) < 0.8


def units(text, english):
    return set(split_words(text.lower())) if english else {text[i : i + 2] for i in range(len(text) - 1)}
