"""One word through the generations: what the shipped systems make of the course's own sentences."""

import pytest

from course.lab import generations
from course_lib.errors import CourseError
from course_lib.models.encoder import StaticVectors
from course_lib.models.shipped import load


@pytest.mark.parametrize(
    ("language", "word"), [(lang, word) for lang, words in generations.WORDS.items() for word in words]
)
def test_six_occurrences_of_each_sense(language, word):
    examples = generations.occurrences(word, language)
    counts = {sense: sum(e.sense == sense for e in examples) for sense in {e.sense for e in examples}}
    assert set(counts.values()) == {6}
    assert all(e.sentence.words[e.position].lower().startswith(word) for e in examples)


def test_the_table_has_one_dot_and_the_published_network_sorts_twelve_of_twelve_banks():
    story = generations.story("bank", stops={name: load(name) for name in ("skipgram-en", "minilm-en")})
    table, published = story.stops
    assert isinstance(load("skipgram-en"), StaticVectors)
    assert table.right.sum() == 6 == story.baselines["chance"]
    assert published.right.sum() == 12
    assert set(story.baselines) == {"the mean of ten words around it", "the mean of the sentence", "chance"}


def test_the_reader_of_typed_sentences_finds_the_word_in_both_languages(monkeypatch):
    monkeypatch.setattr(generations, "systems", lambda language: {"a table": load(f"skipgram-{language}")})
    widget = generations.one_word_through_the_generations()
    for text, word in (("The Bank, closed!", "bank"), ("바다에 배가 떠 있다", "배"), ("눈이 온다", "눈")):
        widget.typed = text
        assert widget.stories[widget.word]["word"] == word
        assert widget.own[-1]["text"] == text
    widget.typed = "배추"
    assert "Use one of: work" in widget.trouble
    with pytest.raises(CourseError, match="stop is 1"):
        widget.stop = 1
