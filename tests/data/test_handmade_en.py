"""The English handmade sets: formats, balance, fixed splits, no duplicates, no giveaway words, and simple baselines.

`pytest -s tests/data/test_handmade_en.py` prints the baselines that data/handmade/README.md states.
"""

import csv
import itertools
import json
import re
from collections import Counter, defaultdict

import numpy as np
import pytest

from course_lib.config import data_dir
from course_lib.text.words import split_words

FOLDER = data_dir("handmade", "en")
SPLITS = ("train", "dev", "test")
UPOS = re.compile("ADJ|ADP|ADV|AUX|CCONJ|DET|INTJ|NOUN|NUM|PART|PRON|PROPN|PUNCT|SCONJ|SYM|VERB")


def read_table(name):
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def read_conll(name):
    """[(split, [(token, upos, bio), ...])]"""
    sentences = []
    for block in (FOLDER / name).read_text(encoding="utf-8").strip().split("\n\n"):
        comment, *lines = block.split("\n")
        sentences.append((comment.removeprefix("# split = "), [tuple(line.split("\t")) for line in lines]))
    return sentences


SENSES = read_table("senses.tsv")
REVIEWS = read_table("reviews.tsv")
NAMES = read_conll("names.conll")
ARTICLES = json.loads((FOLDER / "questions.json").read_text(encoding="utf-8"))["data"]
PARAGRAPHS = [(article["split"], p) for article in ARTICLES for p in article["paragraphs"]]
QUESTIONS = [(split, p["context"], qa) for split, p in PARAGRAPHS for qa in p["qas"]]


def sense_words(row):
    """The lower-cased words round the target."""
    words = row["sentence"].lower().split(" ")
    return words[: int(row["index"])] + words[int(row["index"]) + 1 :]


def spans(tags):
    """{(start, end, type)} of a valid BIO sequence."""
    found, start = set(), None
    for i, tag in enumerate([*tags, "O"]):
        if start is not None and not tag.startswith("I-"):
            found.add((start, i, tags[start][2:]))
            start = None
        if tag.startswith("B-"):
            start = i
    return found


# ---- senses


def test_every_sense_has_the_same_fixed_split_and_the_same_cue_sides():
    plan = {"train": (4, 4, 2), "dev": (1, 1, 2), "test": (2, 2, 2)}
    counts = Counter((row["word"], row["sense"], row["split"], row["cue"]) for row in SENSES)
    senses = {(row["word"], row["sense"]) for row in SENSES}
    assert len({word for word, _ in senses}) == 14
    assert len(senses) == 31
    assert counts == {
        (*sense, split, cue): plan[split][i]
        for sense in senses
        for split in SPLITS
        for i, cue in enumerate(("left", "right", "both"))
    }


def test_target_stands_at_its_index_once_and_in_one_form():
    for row in SENSES:
        words = row["sentence"].split(" ")
        assert words[int(row["index"])] == row["word"], row
        assert row["sentence"].lower().split(" ").count(row["word"]) == 1, row
        assert split_words(row["sentence"]) == words, row
        assert 5 <= len(words) <= 25, row


def test_target_position_and_length_do_not_tell_the_sense():
    by_sense = defaultdict(list)
    for row in SENSES:
        words = row["sentence"].split(" ")
        by_sense[row["word"], row["sense"]].append((int(row["index"]) / len(words), len(words)))
    means = {key: [sum(column) / len(column) for column in zip(*rows, strict=True)] for key, rows in by_sense.items()}
    for (word, _), (other, _) in itertools.combinations(means.items(), 2):
        if word[0] == other[0]:
            assert abs(means[word][0] - means[other][0]) < 0.2, (word, other)
            assert abs(means[word][1] - means[other][1]) < 3.5, (word, other)


def test_no_content_word_gives_a_sense_away():
    spread, by_sense = defaultdict(set), defaultdict(list)
    for row in SENSES:
        words = set(re.findall(r"\w{3,}", " ".join(sense_words(row))))
        by_sense[row["word"], row["sense"]].append({word.removesuffix("s") for word in words})
        for word in words:
            spread[word.removesuffix("s")].add(row["word"])
    for sense, sentences in by_sense.items():
        # A word that stands beside more than half of the 14 ambiguous words is a function word.
        counts = Counter(word for words in sentences for word in words if len(spread[word]) <= 7)
        word, most = counts.most_common(1)[0]
        assert most <= 3, (sense, word, most)  # of 20 sentences


# ---- reviews


def test_reviews_are_balanced_and_a_quarter_is_hard():
    easy, hard = {"train": 9, "dev": 2, "test": 4}, {"train": 3, "dev": 1, "test": 1}
    counts = Counter((row["domain"], row["label"], row["split"], row["hard"] != "") for row in REVIEWS)
    domains = {row["domain"] for row in REVIEWS}
    assert len(domains) == 10
    for domain, label, split in itertools.product(domains, ("pos", "neg"), SPLITS):
        assert counts[domain, label, split, False] == easy[split], (domain, label, split)
        assert counts[domain, label, split, True] == hard[split], (domain, label, split)
    kinds = Counter(row["hard"] for row in REVIEWS)
    assert kinds.keys() == {"", "negation", "irony", "mixed"}
    assert min(kinds.values()) >= 30
    assert len({row["id"] for row in REVIEWS}) == len(REVIEWS) == 400


# ---- names


def test_names_parse_and_bio_is_valid():
    assert Counter(split for split, _ in NAMES) == {"train": 235, "dev": 55, "test": 99}
    for split, rows in NAMES:
        words = [word for word, _, _ in rows]
        assert split in SPLITS
        assert split_words(" ".join(words)) == words
        assert 5 <= len(words) <= 28
        previous = "O"
        for word, upos, tag in rows:
            assert UPOS.fullmatch(upos), (word, upos)
            assert re.fullmatch(r"O|[BI]-(PER|LOC|ORG|MISC)", tag), (word, tag)
            assert not tag.startswith("I-") or previous[2:] == tag[2:], words
            assert (upos == "PUNCT") == (re.search(r"\w|&", word) is None), (word, upos)
            previous = tag


def test_a_fifth_has_no_name_and_test_names_are_mostly_new():
    empty = [split for split, rows in NAMES if not spans([tag for _, _, tag in rows])]
    assert 0.17 <= len(empty) / len(NAMES) <= 0.23
    names = defaultdict(set)
    for split, rows in NAMES:
        for start, end, _ in spans([tag for _, _, tag in rows]):
            names[split].add(" ".join(word for word, _, _ in rows[start:end]))
    assert 0.5 <= len(names["test"] - names["train"]) / len(names["test"]) <= 0.8


def test_many_words_carry_more_than_one_tag():
    kinds = defaultdict(set)
    for _, rows in NAMES:
        for word, _, tag in rows:
            kinds[word.lower()].add(tag[2:] or "O")
    assert sum(len(found) > 1 for found in kinds.values()) >= 80


# ---- questions


def test_answers_stand_at_their_offsets_on_word_boundaries():
    assert Counter(article["split"] for article in ARTICLES) == {"train": 12, "dev": 3, "test": 5}
    assert len(PARAGRAPHS) == 60
    assert len(QUESTIONS) == len({qa["id"] for _, _, qa in QUESTIONS}) >= 240
    for _, paragraph in PARAGRAPHS:
        assert 60 <= len(paragraph["context"].split()) <= 120
        assert 4 <= len(paragraph["qas"]) <= 6
    for _, context, qa in QUESTIONS:
        for answer in qa["answers"]:
            start, end = answer["answer_start"], answer["answer_start"] + len(answer["text"])
            assert context[start:end] == answer["text"]
            assert not re.match(r"\w\w", context[max(0, start - 1) : start + 1]), qa
            assert not re.match(r"\w\w", context[end - 1 : end + 1]), qa
            assert answer["text"].lower() not in qa["question"].lower(), qa


def test_questions_do_not_copy_the_passage():
    for _, context, qa in QUESTIONS:
        words, passage = split_words(qa["question"].lower()), " ".join(split_words(context.lower()))
        for i in range(len(words) - 5):
            assert " ".join(words[i : i + 6]) not in passage, qa


# ---- all sets


def shingles(text):
    text = re.sub(r"\s+", " ", text.lower())
    return {text[i : i + 5] for i in range(len(text) - 4)}


@pytest.mark.parametrize(
    "texts",
    [
        [row["sentence"] for row in SENSES],
        [row["text"] for row in REVIEWS],
        [" ".join(word for word, _, _ in rows) for _, rows in NAMES],
        [paragraph["context"] for _, paragraph in PARAGRAPHS],
        [qa["question"] for _, _, qa in QUESTIONS],
    ],
    ids=["senses", "reviews", "names", "paragraphs", "questions"],
)
def test_nothing_is_said_twice(texts):
    sets = [shingles(text) for text in texts]
    for (i, one), (j, other) in itertools.combinations(enumerate(sets), 2):
        shared = len(one & other)
        assert shared <= 0.5 * (len(one) + len(other) - shared), (texts[i], texts[j])


# ---- baselines


def bag_of_words(train, test):
    """Right or wrong per item of `test` [(text, label)]: logistic regression on word counts. Deterministic."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    vectorizer = CountVectorizer(token_pattern=r"\S+")
    model = LogisticRegression(max_iter=1000).fit(
        vectorizer.fit_transform([text for text, _ in train]), [label for _, label in train]
    )
    return model.predict(vectorizer.transform([text for text, _ in test])) == [label for _, label in test]


def test_review_baseline():
    rows = {split: [row for row in REVIEWS if row["split"] == split] for split in SPLITS}
    text = {s: [(" ".join(split_words(r["text"].lower())), r["label"]) for r in rows[s]] for s in SPLITS}
    hits = bag_of_words(text["train"], text["test"])
    hard = [hit for hit, row in zip(hits, rows["test"], strict=True) if row["hard"]]
    print(f"\nreviews: bag of words {hits.mean():.3f} on test, on its {len(hard)} hard ones {np.mean(hard):.2f}")
    assert 0.65 <= hits.mean() <= 0.92


def test_sense_baseline():
    hits, chance = [], []
    for word in sorted({row["word"] for row in SENSES}):
        rows = [row for row in SENSES if row["word"] == word]
        pairs = {s: [(" ".join(sense_words(row)), row["sense"]) for row in rows if row["split"] == s] for s in SPLITS}
        hits += list(bag_of_words(pairs["train"], pairs["test"]))
        chance += [1 / len({row["sense"] for row in rows})] * len(pairs["test"])
    accuracy, by_chance = np.mean(hits), np.mean(chance)
    print(f"\nsenses: bag of words {accuracy:.3f} on test ({len(hits)} sentences), chance {by_chance:.3f}")
    assert by_chance < accuracy < 0.8


def test_tagging_baseline():
    upos, bio = defaultdict(Counter), defaultdict(Counter)
    for split, rows in NAMES:
        if split == "train":
            for word, pos, tag in rows:
                upos[word.lower()][pos] += 1
                bio[word][tag] += 1
    right, total, sizes = 0, 0, Counter()
    for split, rows in NAMES:
        if split == "test":
            right += sum(pos == upos.get(word.lower(), Counter(NOUN=1)).most_common(1)[0][0] for word, pos, _ in rows)
            total += len(rows)
            guess = [bio.get(word, Counter(O=1)).most_common(1)[0][0] for word, _, _ in rows]
            gold, found = spans([tag for _, _, tag in rows]), spans(guess)
            sizes.update(gold=len(gold), found=len(found), both=len(gold & found))
    f1 = 2 * sizes["both"] / (sizes["gold"] + sizes["found"])
    print(f"\nnames: dictionary UPOS accuracy {right / total:.3f}, span F1 {f1:.3f} ({sizes['gold']} names)")
    assert 0.6 < right / total < 0.9
    assert 0.1 < f1 < 0.6


def test_question_baseline():
    hits = []
    for split, context, qa in QUESTIONS:
        if split == "test":
            question = set(split_words(qa["question"].lower()))
            sentences = [(m.start(), m.end()) for m in re.finditer(r"[^.?!]+[.?!]", context)]
            best = max(sentences, key=lambda s: len(question & set(split_words(context[s[0] : s[1]].lower()))))
            hits.append(best[0] <= qa["answers"][0]["answer_start"] < best[1])
    share = np.mean(hits)
    print(f"\nquestions: the sentence sharing most words holds the answer to {share:.3f} of {len(hits)} questions")
    assert 0.3 < share < 0.8
