"""Texts of several kinds: cut into documents, counted and mixed by weights, without those that are tested on."""

from collections import Counter

import pytest

from course.lab import tasks as targets
from course.recipes import corpora
from course.recipes.corpora import ENGLISH, KOREAN, Text, count_words, mix, read_documents, repeats, split_corpus
from course_lib.data.records import LabelledText
from course_lib.data.running_text import Article

TEXTS = (Text("enwiki2015", 0.5, held_out=1), Text("novels_en", 0.25, held_out=1), Text("imdb", 0.25, held_out=0))


def write(folder, name, documents):
    text = "\n\n".join("\n".join(document) for document in documents)
    (folder / f"{name}.words.txt").write_text(text + "\n", encoding="utf-8")
    return folder / f"{name}.words.txt"


def test_weights_of_a_mix_are_shares():
    for texts in (ENGLISH, KOREAN):
        assert sum(text.weight for text in texts) == pytest.approx(1)


def test_each_text_has_its_share_of_the_words():
    """The one that is largest for its weight is read once, the others more often, whole and in part."""
    documents = [[[name] * 7] * n for name, n in zip("abc", (100, 13, 31), strict=True)]
    times = repeats(TEXTS, [7 * len(own) for own in documents])
    assert times == pytest.approx([1, 50 / 13, 50 / 31])
    mixed = mix(documents, times, seed=0)
    assert Counter(document[0] for document in mixed) == {"a": 100, "b": 50, "c": 50}
    numbered = [list(range(n)) for n in (100, 13, 31)]
    whole, part = Counter(mix(numbered[1:2], times[1:2], seed=0)), Counter(mix(numbered[2:], times[2:], seed=0))
    assert set(whole.values()) == {3, 4}  # documents are drawn for the rest, none twice
    assert set(part.values()) == {1, 2}
    assert mix(numbered, times, seed=0) == mix(numbered, times, seed=0) != mix(numbered, times, seed=1)


def test_words_are_counted_as_often_as_they_are_read(tmp_path):
    paths = [
        write(tmp_path, "enwiki2015", [["held out"], ["One two two .", "One ."]]),
        write(tmp_path, "novels_en", [["held out"], ["two"]]),
        write(tmp_path, "imdb", [["three"]]),
    ]
    counts, times = count_words(TEXTS, paths, lower=True)
    assert times == [1, 3, 3]
    assert counts == {"one": 2, "two": 2 + 3, ".": 2, "three": 3}


def test_reviews_that_are_tested_on_are_not_read(monkeypatch, tmp_path):
    reviews = [
        LabelledText(f"Review number{n} .<br />Seen twice .".replace("<br />", "\n"), "pos") for n in range(2_503)
    ]
    for module in (corpora, targets):
        monkeypatch.setattr(module, "load_public", lambda name, split: reviews)
    path = split_corpus("imdb", tmp_path)
    read = {sentence[1] for document in read_documents(path) for sentence in document if sentence[0] == "Review"}
    task = targets.target_texts("imdb", n_train=9_999, n_unlabelled=0)
    tested = {record.text.split()[1] for record in (*task.test, *task.dev)}
    assert len(tested) == 1_500
    assert len(read) == 1_003
    assert not read & tested


def test_a_novels_part_is_read_without_its_title(monkeypatch, tmp_path):
    seen = {}

    def articles(paths, *, min_words):
        seen["least"] = min_words
        return [Article("A Title (1909), part 3", ("A Title (1909), part 3", "Yes, he said.", "He left. She stayed."))]

    monkeypatch.setattr(corpora, "corpus_files", lambda name: [])
    monkeypatch.setattr(corpora, "read_articles", articles)
    [document] = read_documents(split_corpus("novels_en", tmp_path))
    assert [" ".join(sentence) for sentence in document] == ["Yes , he said .", "He left .", "She stayed ."]
    assert seen["least"] == 2


def test_short_reviews_stand_together(monkeypatch, tmp_path):
    monkeypatch.setattr(corpora, "load_public", lambda name, split: [LabelledText("재미있다", "pos")] * 103)
    documents = list(read_documents(split_corpus("nsmc", tmp_path)))
    assert [len(document) for document in documents] == [50, 50, 3]
