"""Tasks, their scores and baselines, against counting by hand."""

import math
from collections import Counter

import numpy as np
import pytest

from course.lab import tasks as tasks_file
from course.lab.baselines import dictionary, overlap_counts, overlap_window, word_overlap
from course.lab.passages import following_pairs, question_pairs, sentence_places, single_questions, split_by_article
from course.lab.tasks import Task, answers, fits, n_units, names, pairs, reviews
from course.sources.handmade import handmade_questions
from course_lib.data.records import LabelledText, Passage, Question, Sentence, SentencePair, TaggedSentence
from course_lib.models.encoder import RandomEncoder
from course_lib.text.words import split_words
from tests.lab import four_samples
from tests.mistakes import mistakes

TEXT = "Mina lives in Oslo. Her sister Ada sails to Bonn in May. Otto stays at home."


def asked(question, *found, text=TEXT, title="t"):
    return Passage(text, (Question(question, question, tuple((a, text.index(a)) for a in found)),), title)


def worth(kind, guesses, records, **settings):
    return Task("t", kind, [], [], records, **settings).worth(guesses)


@pytest.mark.parametrize("language", ["en", "ko"])
def test_answers_stand_where_they_should_and_their_sentences_are_whole(language):
    task = answers(language=language)
    texts = [passage.text for passage in handmade_questions(language)]
    for passage in (*task.train, *task.dev, *task.test):
        [question] = passage.questions
        assert question.answers
        assert all(passage.text[start : start + len(text)] == text for text, start in question.answers)
        assert len(split_words(passage.text)) <= tasks_file.N_WORDS
        [whole] = [text for text in texts if passage.text in text]
        start = whole.index(passage.text)
        places = sentence_places(whole)
        assert start in {a for a, _ in places}
        assert start + len(passage.text) in {b for _, b in places}


def test_the_part_of_a_passage_grows_to_both_sides():
    question = asked("Where does Ada sail?", "Bonn")
    [tight], [whole] = (single_questions([question], n) for n in (9, 30))
    assert tight.text == "Her sister Ada sails to Bonn in May."
    assert whole.text == TEXT
    many = {part.text for part in single_questions([question] * 20, 14)}
    assert many == {TEXT[: TEXT.index(" Otto")], TEXT[TEXT.index("Her") :]}
    assert single_questions([question], 8) == []  # the sentence has 9 words
    question = asked("Who?", "Ada", "Otto")  # a reference outside is left out, and what has no answer
    [part] = single_questions([question], 9)
    assert part.questions[0].answers == (("Ada", 11),)
    assert single_questions([Passage(TEXT, (Question("q", "Who?", ()),))], 30) == []


def test_pairs_are_half_and_half_and_a_wrong_sentence_holds_no_answer():
    questions = [asked("Who sails?", "Ada"), asked("Who lives in Oslo?", "Mina"), asked("Who stays?", "Otto")]
    found = question_pairs(questions * 4, 30)
    assert [pair.label for pair in found] == ["answers", "other"] * 6
    right = {"Who sails?": "Ada", "Who lives in Oslo?": "Mina", "Who stays?": "Otto"}
    assert all((right[pair.first] in pair.second) == (pair.label == "answers") for pair in found)
    assert question_pairs([asked("Who?", "May. Otto")], 30) == []  # an answer over two sentences
    assert question_pairs([asked("Who?", "Ada", text="Ada sails. Ada stays.")], 30) == []  # no wrong sentence
    assert {len(split_words(pair.second)) for pair in question_pairs(questions * 4, 5)} == {5}


def test_no_article_is_in_two_parts():
    passages = [asked("Who?", "Ada", title=f"article {i % 13}") for i in range(41)]
    parts = split_by_article(passages)
    titles = [{passage.title for passage in part} for part in parts]
    assert [len(part) for part in titles] == [8, 3, 2]
    assert set.union(*titles) == {passage.title for passage in passages}
    assert sum(map(len, parts)) == 41
    handmade = [{passage.title for passage in part} for part in (answers().train, answers().dev, answers().test)]
    assert sum(map(len, handmade)) == len(set.union(*handmade))


test_wrong_sources_and_sizes_name_the_right_ones = mistakes(
    (lambda: pairs("wnut17"), "Choose handmade, public or squad1_dev"),
    (lambda: names("public", "de"), "no tasks in 'de'"),
    (lambda: four_samples.sentence_task().draw(1, 0), "1 labelled records were asked for"),
)


def test_public_sets_are_cut_without_overlap(monkeypatch):
    texts = {part: [LabelledText(f"{part} {i}", "pos") for i in range(300)] for part in ("train", "dev")}
    monkeypatch.setattr(tasks_file, "load_public", lambda name, split=None: texts[split])
    task = reviews("public", n_dev=200)
    assert (len(task.train), len(task.dev), task.test) == (100, 200, texts["dev"])
    assert not set(task.train) & set(task.dev)


def test_draws_are_nested_and_have_every_label():
    task = four_samples.sentence_task()
    small, large = task.draw(2, 5), task.draw(17, 5)
    assert small == large[:2]
    assert {record.label for record in small} == {"pos", "neg"}
    assert task.draw(17, 6) != large
    assert len({record.text for record in task.draw(len(task.train), 0)}) == len(task.train)


def test_scores_by_hand():
    tagged = [TaggedSentence(Sentence.of("Ada saw New Bonn"), {"ner": ("B-PER", "O", "B-LOC", "I-LOC")})]
    assert worth("tokens", [["B-PER", "O", "B-LOC", "O"]], tagged) == {"score": pytest.approx(50)}
    texts = [LabelledText("a", "x"), LabelledText("b", "x"), LabelledText("c", "y")]
    assert worth("sentence", ["x", "y", "y"], texts) == {"score": pytest.approx(200 / 3)}

    tagged = [TaggedSentence(Sentence.of(text), {"upos": tuple(tags)}) for text, tags in (("a b c", "XVX"), ("d", "A"))]
    guesses = [["X", "X", "X"], ["A"]]
    assert worth("words", guesses, tagged, tags="upos") == {"score": 75.0}
    assert Task("t", "words", tagged, [], tagged, tags="upos").majority() == pytest.approx(50)
    more = [TaggedSentence(Sentence.of("a new"), {"upos": ("V", "X")})]  # a new word has the commonest tag, X
    assert Task("t", "words", tagged, [], more, tags="upos").baseline_scores() == {"score": 50.0}
    answered = [("Oslo",), ("to Bonn", "Bonn"), ("to Bonn",), ("May",)]
    found = worth("span", ["oslo.", "Bonn", "Bonn", "June"], [asked("Where?", *right) for right in answered])
    assert found == {"score": pytest.approx(100 * (1 + 1 + 2 / 3 + 0) / 4), "exact": 50.0}
    record = asked("어디?", "서울", text="어제 서울에서 보았다.")
    f1 = 100 * 2 * 2 / (4 + 2)  # 서울에서 for 서울: two of four characters, and both of two
    assert worth("span", ["서울에서"], [record], language="ko") == {"score": pytest.approx(f1), "exact": 0.0}
    assert worth("span", ["<서울>"], [record], language="ko")["exact"] == 100


def test_one_guess_for_all():
    found = {kind: task.majority() for kind, task in four_samples.tasks().items()}
    task = four_samples.sentence_task()
    common = Counter(record.label for record in task.train).most_common(1)[0][0]
    share = 100 * sum(record.label == common for record in task.test) / len(task.test)
    assert (found["sentence"], found["tokens"]) == (pytest.approx(share), 0.0)
    first = [record.questions[0].answers[0][0] == record.text.split()[0] for record in four_samples.span_task().test]
    assert found["span"] == pytest.approx(100 * sum(first) / len(first))  # answers are single words


def test_word_overlap_counts_whatever_the_case_and_learns_a_threshold():
    pair = SentencePair("Who sails to Bonn?", "Ada sails to bonn, to Bonn.", "answers")
    np.testing.assert_array_equal(overlap_counts([pair]), [[3, 5, 6]])  # sails to bonn
    train = [SentencePair("a b c", second, label) for second, label in (("a b c", "answers"), ("d e f", "other"))]
    test = [SentencePair("g h i", second, "") for second in ("g h i", "j k l", "h g i")]
    assert word_overlap(train * 5, test) == ["answers", "other", "answers"]


def test_the_dictionary_by_counting():
    def tagged(text, *tags):
        return TaggedSentence(Sentence.of(text), {"ner": tags})

    train = [tagged("Ada saw May", "B-PER", "O", "B-PER"), tagged("in May", "O", "O"), tagged("by May", "O", "O")]
    assert dictionary(train, [tagged("May saw Ada and Otto", *"OOOOO")], "ner") == [["O", "O", "B-PER", "O", "O"]]


@pytest.mark.parametrize(
    ("question", "n_answer", "expected"),
    [("Sails to where in May?", 1, "Bonn"), ("Who stays at home?", 1, "Otto"), ("Whose sister sails?", 2, "to Bonn")],
)
def test_the_overlap_window_against_all_windows(question, n_answer, expected):
    words, asked_words = split_words(TEXT), split_words(question.lower())
    counts, best = Counter(word.lower() for word in words), (-1.0, "")
    for first in range(len(words) - n_answer + 1):
        score = 0.0
        for place, word in enumerate(map(str.lower, words)):
            distance = max(first - place, place - (first + n_answer - 1))
            if word.isalnum() and word in asked_words and 1 <= distance <= len(asked_words):
                score += math.log(1 + 1 / counts[word]) * (len(asked_words) + 1 - distance)
        span = words[first : first + n_answer]
        if all(map(str.isalnum, span)) and score > best[0] + 1e-9:
            best = (score, " ".join(span))
    train = [asked("Who?", "Ada" if n_answer == 1 else "Ada sails")]
    assert overlap_window(train, [asked(question, "Bonn")]) == [best[1]]
    assert best[1] == expected


def test_records_that_do_not_fit_are_left_out():
    short, long = SentencePair("a b", "c d e", "answers"), SentencePair("a b", "c d e f", "other")
    bert = four_samples.bert(max_units=8)  # [CLS] a b [SEP] c d e [SEP]
    assert [n_units(bert, record) for record in (short, long)] == [5, 6]
    assert [fits(bert, record) for record in (short, long)] == [True, False]
    assert len(bert.batch(["a b"], ["c d e"]).ids["pieces"][0]) == 8
    text = LabelledText("b" * 6, "pos")  # six pieces
    task = Task("t", "sentence", [text, LabelledText("b" * 7, "neg")], [text], [text])
    assert [len(part) for part in (task.fitting(bert).train, task.fitting(RandomEncoder(6)).train)] == [1, 2]
    assert not fits(bert, LabelledText(" ", "pos"))


def test_following_pairs_come_from_where_they_say():
    passages = [Passage(" ".join(f"{t} {i} ." for i in range(n)), (), t) for t, n in (("Ada", 5), ("Bo", 3), ("Cy", 2))]
    found = following_pairs(passages)
    assert {len(pairs) for pairs in found.values()} == {4 + 2}  # of Cy's two sentences no other is left
    for after, near, far in zip(*found.values(), strict=True):
        (title, at, _), (_, then, _) = after.first.split(), after.second.split()
        assert int(then) == int(at) + 1
        assert near.first == far.first == after.first
        assert near.second.split()[0] == title != far.second.split()[0]
        assert near.second not in (after.first, after.second)
        assert (after.label, near.label, far.label) == ("next", "other", "other")
