"""What the handmade sets of every language promise: readers of their files and checks that their tests share."""

import csv
import itertools
import json
import re
import unicodedata
from collections import Counter, defaultdict

from course_lib.text.words import split_words

SPLITS = ("train", "dev", "test")
CUES = ("left", "right", "both")
UPOS = re.compile("ADJ|ADP|ADV|AUX|CCONJ|DET|INTJ|NOUN|NUM|PART|PRON|PROPN|PUNCT|SCONJ|SYM|VERB")


# ---- readers


def read_table(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def read_conll(path):
    """[(split, [(token, upos, bio), ...])]"""
    sentences = []
    for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
        comment, *lines = block.split("\n")
        sentences.append((comment.removeprefix("# split = "), [tuple(line.split("\t")) for line in lines]))
    return sentences


def read_articles(path):
    return json.loads(path.read_text(encoding="utf-8"))["data"]


def questions_of(articles):
    """[(split, context, question record)]"""
    return [(a["split"], p["context"], qa) for a in articles for p in a["paragraphs"] for qa in p["qas"]]


def words_round(row):
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


# ---- checks


def check_files(folder):
    """UTF-8, composed, Unix line ends, one line end at the end."""
    for name in ("senses.tsv", "reviews.tsv", "names.conll", "questions.json"):
        text = (folder / name).read_bytes().decode("utf-8")
        assert unicodedata.is_normalized("NFC", text), name
        assert "\r" not in text, name
        assert text.endswith("\n"), name
        assert not text.endswith("\n\n"), name


def check_sense_plan(rows, n_words, n_senses):
    """Each sense: 20 sentences, 10 / 4 / 6; cues 7 left, 7 right, 6 both."""
    plan = {"train": (4, 4, 2), "dev": (1, 1, 2), "test": (2, 2, 2)}
    counts = Counter((row["word"], row["sense"], row["split"], row["cue"]) for row in rows)
    senses = {(row["word"], row["sense"]) for row in rows}
    assert len({word for word, _ in senses}) == n_words
    assert len(senses) == n_senses
    expected = {
        (*sense, split, cue): n
        for sense in senses
        for split in SPLITS
        for cue, n in zip(CUES, plan[split], strict=True)
    }
    assert counts == expected


def check_targets(rows):
    for row in rows:
        words = row["sentence"].split(" ")
        assert words[int(row["index"])] == row["word"], row
        assert row["sentence"].lower().split(" ").count(row["word"]) == 1, row
        assert split_words(row["sentence"]) == words, row
        assert 5 <= len(words) <= 25, row


def check_place_and_length_tell_nothing(rows):
    by_sense = defaultdict(list)
    for row in rows:
        words = row["sentence"].split(" ")
        by_sense[row["word"], row["sense"]].append((int(row["index"]) / len(words), len(words)))
    means = {key: [sum(column) / len(column) for column in zip(*found, strict=True)] for key, found in by_sense.items()}
    for (word, _), (other, _) in itertools.combinations(means.items(), 2):
        if word[0] == other[0]:
            assert abs(means[word][0] - means[other][0]) < 0.2, (word, other)
            assert abs(means[word][1] - means[other][1]) < 3.5, (word, other)


def check_no_giveaway(rows, content):
    """`content`: the set of content words per row. None stands in more than 3 of a sense's 20 sentences."""
    by_sense = defaultdict(Counter)
    for row, words in zip(rows, content, strict=True):
        by_sense[row["word"], row["sense"]].update(words)
    for sense, counts in by_sense.items():
        word, most = counts.most_common(1)[0]
        assert most <= 3, (sense, word, most)


def check_reviews(rows):
    """10 domains, per domain and label 12 / 3 / 5, of which 3 / 1 / 1 are hard."""
    easy, hard = {"train": 9, "dev": 2, "test": 4}, {"train": 3, "dev": 1, "test": 1}
    counts = Counter((row["domain"], row["label"], row["split"], row["hard"] != "") for row in rows)
    domains = {row["domain"] for row in rows}
    assert len(domains) == 10
    for domain, label, split in itertools.product(domains, ("pos", "neg"), SPLITS):
        assert counts[domain, label, split, False] == easy[split], (domain, label, split)
        assert counts[domain, label, split, True] == hard[split], (domain, label, split)
    kinds = Counter(row["hard"] for row in rows)
    assert kinds.keys() == {"", "negation", "irony", "mixed"}
    assert min(kinds.values()) >= 30
    assert len({row["id"] for row in rows}) == len(rows) == 400


def check_names(sentences, sizes):
    assert Counter(split for split, _ in sentences) == sizes
    for _, rows in sentences:
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


def check_a_fifth_is_empty_and_test_names_are_new(sentences):
    empty = [split for split, rows in sentences if not spans([tag for _, _, tag in rows])]
    assert 0.17 <= len(empty) / len(sentences) <= 0.23
    names = defaultdict(set)
    for split, rows in sentences:
        for start, end, _ in spans([tag for _, _, tag in rows]):
            names[split].add(" ".join(word for word, _, _ in rows[start:end]))
    assert 0.5 <= len(names["test"] - names["train"]) / len(names["test"]) <= 0.8


def words_with_more_than_one_kind(sentences):
    kinds = defaultdict(set)
    for _, rows in sentences:
        for word, _, tag in rows:
            kinds[word.lower()].add(tag[2:] or "O")
    return {word for word, found in kinds.items() if len(found) > 1}


def check_nothing_is_said_twice(texts):
    sets = [_shingles(text) for text in texts]
    for (i, one), (j, other) in itertools.combinations(enumerate(sets), 2):
        shared = len(one & other)
        assert shared <= 0.5 * (len(one) + len(other) - shared), (texts[i], texts[j])


def _shingles(text):
    text = re.sub(r"\s+", " ", text.lower())
    return {text[i : i + 5] for i in range(len(text) - 4)}
