"""Kinds of text: cut into documents, counted and mixed by weights, without those that are tested on; pieces; rows."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest
import torch

from course.lab import tasks as targets
from course.recipes import texts
from course.recipes.texts import mix
from course_lib.data.masking import Masking
from course_lib.data.records import LabelledText
from course_lib.data.running_text import Article
from course_lib.text.word_pieces import SPECIALS, WordPieces

WEIGHTS = (("enwiki2015", 0.5, 1), ("novels_en", 0.25, 1), ("imdb", 0.25, 0))
TEXTS = tuple(texts.Text(name, weight, held_out=n) for name, weight, n in WEIGHTS)
CUT = {"vocab_size": 71, "lowercase": True, "max_characters": 31, "held_out": 3}


def write(folder, name, documents):
    text = "\n\n".join("\n".join(document) for document in documents)
    (folder / f"{name}.words.txt").write_text(text + "\n", encoding="utf-8")


def test_each_text_has_its_share_of_the_words():
    """The one that is largest for its weight is read once, the others more often, whole and in part."""
    documents = [[[name] * 7] * n for name, n in zip("abc", (100, 13, 31), strict=True)]
    times = texts.repeats(TEXTS, [7 * len(own) for own in documents])
    assert times == pytest.approx([1, 50 / 13, 50 / 31])
    mixed = mix(documents, times, seed=0)
    assert Counter(document[0] for document in mixed) == {"a": 100, "b": 50, "c": 50}
    numbered = [list(range(n)) for n in (100, 13, 31)]
    whole, part = Counter(mix(numbered[1:2], times[1:2], seed=0)), Counter(mix(numbered[2:], times[2:], seed=0))
    assert set(whole.values()) == {3, 4}  # documents are drawn for the rest, none twice
    assert set(part.values()) == {1, 2}
    assert mix(numbered, times, seed=0) == mix(numbered, times, seed=0) != mix(numbered, times, seed=1)


def test_words_are_counted_as_often_as_they_are_read(tmp_path):
    write(tmp_path, "enwiki2015", [["held out"], ["One two two .", "One ."]])
    write(tmp_path, "novels_en", [["held out"], ["two"]])
    write(tmp_path, "imdb", [["three"]])
    words = texts.WordTexts.of(TEXTS, tmp_path, lower=True)
    assert words.times == [1, 3, 3]
    assert words.counts == {"one": 2, "two": 2 + 3, ".": 2, "three": 3}
    train, held_out = words.encoded(lambda document: [word for sentence in document for word in sentence], seed=0)
    assert Counter(map(tuple, train)) == {("one", "two", "two", ".", "one", "."): 1, ("two",): 3, ("three",): 3}
    assert held_out == {"enwiki2015": [["held", "out"]], "novels_en": [["held", "out"]], "imdb": []}


def test_reviews_that_are_tested_on_are_not_read(monkeypatch, tmp_path):
    reviews = [LabelledText(f"Review number{n} .\nSeen twice .", "pos") for n in range(2_503)]
    for module in (texts, targets):
        monkeypatch.setattr(module, "load_public", lambda name, split: reviews)
    path = texts.split_corpus("imdb", tmp_path)
    read = {sentence[1] for document in texts.read_documents(path) for sentence in document if sentence[0] == "Review"}
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

    monkeypatch.setattr(texts, "locate", lambda name: [])
    monkeypatch.setattr(texts, "read_articles", articles)
    [document] = texts.read_documents(texts.split_corpus("novels_en", tmp_path))
    assert [" ".join(sentence) for sentence in document] == ["Yes , he said .", "He left .", "She stayed ."]
    assert seen["least"] == 2


def test_the_row_holds_what_each_sentence_gives_by_itself(out):
    path = out / "enwiki2015.words.txt"
    # few letters and few pieces: words have several, or are unknown
    pieces = WordPieces.train([["the", "queen", "tiger", "sees", "car"]], 31)
    text = texts.encode_documents(path, pieces)
    documents = list(texts.read_documents(path))
    sentences = [sentence for document in documents for sentence in document]
    bounds = text.sentences.tolist()
    assert [text.ids[a:b].tolist() for a, b in pairwise(bounds)] == [pieces.ids(sentence) for sentence in sentences]
    assert text.documents.diff().tolist() == [len(document) for document in documents]
    assert pieces.unknown in text.ids
    assert len(text.ids) > sum(map(len, sentences))


def test_a_text_splits_between_articles(out):
    _, text = texts.cut_corpus("enwiki2015", out, **CUT)
    first, rest = text.split(5)
    assert torch.equal(torch.cat([first.ids, rest.ids]), text.ids)
    assert len(first.documents) == 6
    assert rest.documents[0] == rest.sentences[0] == 0
    assert torch.equal(rest.sentences.diff(), text.sentences.diff()[first.documents[-1] :])
    assert rest.documents[-1] == len(rest.sentences) - 1


def test_held_out_articles_do_not_count_for_the_vocabulary(out):
    path = out / "enwiki2015.words.txt"
    path.write_text("zzz zzz .\n\n" * 3 + path.read_text(encoding="utf-8"), encoding="utf-8")
    pieces, text = texts.cut_corpus("enwiki2015", out, **CUT)
    assert "z" not in pieces.vocabulary
    assert text.ids[:3].tolist() == [pieces.unknown, pieces.unknown, *pieces.ids(["."])]


LENGTH, N_DOCUMENTS, N_SENTENCES = 23, 5, 61  # sentences of 1, 2, ... 13, 1, 2 ... pieces, 61 in an article


def piece_text() -> texts.PieceText:
    lengths = torch.arange(N_DOCUMENTS * N_SENTENCES) % 13 + 1
    sentences = torch.cat([torch.zeros(1, dtype=torch.long), lengths.cumsum(0)])
    ids = torch.arange(int(sentences[-1]), dtype=torch.int16) + len(SPECIALS)
    return texts.PieceText(ids, sentences, torch.arange(N_DOCUMENTS + 1) * N_SENTENCES)


@pytest.fixture(scope="module")
def pieces() -> WordPieces:
    return WordPieces([*SPECIALS, *(f"p{place}" for place in range(len(piece_text().ids)))])


def masked_rows(pieces: WordPieces, **shares: float) -> texts.MaskedPairRows:
    return texts.MaskedPairRows(pieces, Masking(len(pieces), pieces.mask, pieces.special_ids, **shares))


def test_pairs_fill_their_rows_and_follow_as_the_label_says(pieces):
    whole = piece_text()
    make = masked_rows(pieces, corrupt=0.15, to_mask=0, to_random=0)  # asked for, but nothing changed
    places = texts.Places(whole, LENGTH)
    document = torch.repeat_interleave(torch.arange(N_DOCUMENTS), whole.sentences[whole.documents].diff())
    begins = set(whole.sentences.tolist())
    follows = []
    for batch in texts.Rows(places, places, make, 7 * LENGTH)(0):
        assert batch.attention_mask is None
        for ids, segments, is_next in zip(batch.input_ids, batch.token_type_ids, batch.is_next, strict=True):
            first, second = ids[1 : (ids == pieces.sep).nonzero()[0]], ids[segments == 1][:-1]
            assert (ids[0], ids[-1], (ids == pieces.sep).sum()) == (pieces.cls, pieces.sep, 2)
            assert len(first) + len(second) + 3 == LENGTH
            assert pieces.unknown not in ids
            first, second = first - len(SPECIALS), second - len(SPECIALS)  # places in the text
            for span in (first, second):
                assert (span.diff() == 1).all()
                assert span[0].item() in begins
                assert document[span].unique().numel() == 1
            assert (document[first[0]] == document[second[0]]) == is_next
            if is_next:  # whole sentences come between: only the end of a first sentence that is too long
                between = set(range(int(first[-1]) + 1, int(second[0])))
                assert not between & begins
                assert second[0] > first[-1]
            follows.append(bool(is_next))
    assert len(follows) > 97
    assert 0.35 < sum(follows) / len(follows) < 0.65


def test_an_epoch_takes_each_allowed_sentence_once_and_repeats(pieces):
    places, long, taken = texts.Places(piece_text(), LENGTH), texts.Places(piece_text(), 2 * LENGTH), []
    list(texts.Rows(places, long, lambda p, first, g: taken.append((p.length, first)), 7 * LENGTH)(0))
    usual = torch.cat([first for length, first in taken if length == LENGTH])
    assert torch.equal(usual.sort().values, places.allowed)
    assert [length for length, _ in taken[: texts.LONG_EVERY]] == [LENGTH] * (texts.LONG_EVERY - 1) + [2 * LENGTH]
    assert len(taken[0][1]) == 7
    assert len(taken[texts.LONG_EVERY - 1][1]) == 3
    rows = texts.Rows(places, places, masked_rows(pieces), 7 * LENGTH, seed=2)
    one, again, other = (next(rows(epoch)) for epoch in (0, 0, 1))
    assert torch.equal(one.input_ids, again.input_ids)
    assert not torch.equal(one.input_ids, other.input_ids)
    assert one.is_next is not None
    silent = replace(rows, make=replace(rows.make, asks_next=False))  # where sentences do not run on
    assert next(silent(0)).is_next is None


def test_an_epoch_goes_on_where_the_longer_rows_run_out():
    places, long, taken = texts.Places(piece_text(), LENGTH), texts.Places(piece_text(), 2 * LENGTH), []
    object.__setattr__(long, "allowed", long.allowed[:2])  # as in a text of short documents
    list(texts.Rows(places, long, lambda p, first, g: taken.append((p, first)), 2 * LENGTH)(0))
    assert torch.equal(torch.cat([first for p, first in taken if p is places]).sort().values, places.allowed)
    assert sum(len(first) for p, first in taken if p is long) > 2


def test_no_pass_over_a_text_of_a_mix_repeats_another_in_later_epochs_either():
    places = texts.Places(piece_text(), LENGTH)
    rows = texts.Rows(places, places, lambda p, first, g: first.tolist(), 7 * LENGTH)
    a_pass = len(list(rows(0)))
    mix = texts.MixedRows((rows,), (1.0,), batches=3 * a_pass)
    batches = [batch for epoch in range(3) for batch in mix(epoch)]
    orders = {str(batches[at : at + a_pass]) for at in range(0, len(batches), a_pass)}
    assert len(orders) == 9


def test_one_way_rows_read_on_and_are_asked_for_the_next_piece(pieces):
    places = texts.Places(piece_text(), LENGTH)
    batch = next(texts.Rows(places, places, texts.OneWayRows(pieces), 7 * LENGTH)(0))
    assert batch.ids.shape == (7, LENGTH)
    assert (batch.ids[:, 0] == pieces.cls).all()
    assert torch.equal(batch.ids[:, 1:], batch.targets[:, :-1])
    assert (batch.targets.diff(dim=1) == 1).all()
    assert set((batch.targets[:, 0] - len(SPECIALS)).tolist()) <= set(piece_text().sentences.tolist())


def test_mixed_rows_are_drawn_by_weight_and_a_short_text_begins_anew():
    class Counted:
        def __init__(self, name, n):
            self.name, self.n = name, n

        def __call__(self, epoch):
            return iter([(self.name, epoch, place) for place in range(self.n)])

    mixed = texts.MixedRows((Counted("long", 5_000), Counted("short", 70)), (0.75, 0.25), batches=1_000, seed=3)
    batches = list(mixed(0))
    assert len(batches) == 1_000
    assert batches == list(mixed(0)) != list(mixed(1))
    short = [batch for batch in batches if batch[0] == "short"]
    assert 200 < len(short) < 300
    assert short[:141] == [("short", epoch, place) for epoch in (0, 1) for place in range(70)] + [("short", 2, 0)]
    assert {batch[1] for batch in mixed(1) if batch[0] == "long"} == {1_000}  # no pass of epoch 0 has it
