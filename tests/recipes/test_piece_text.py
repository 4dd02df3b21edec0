from itertools import pairwise

import torch

from course.recipes.corpora import read_documents
from course.recipes.piece_text import Cut, cut_corpus, encode_documents
from course_lib.text.word_pieces import WordPieces

CUT = Cut(vocab_size=71, lowercase=True, max_characters=31, held_out=3)


def test_the_row_holds_what_each_sentence_gives_by_itself(out):
    path = out / "enwiki2015.words.txt"
    # few letters and few pieces: words have several, or are unknown
    pieces = WordPieces.train([["the", "queen", "tiger", "sees", "car"]], 31)
    text = encode_documents(path, pieces)
    documents = list(read_documents(path))
    sentences = [sentence for document in documents for sentence in document]
    bounds = text.sentences.tolist()
    assert [text.ids[a:b].tolist() for a, b in pairwise(bounds)] == [pieces.ids(sentence) for sentence in sentences]
    assert text.documents.diff().tolist() == [len(document) for document in documents]
    assert pieces.unknown in text.ids
    assert len(text.ids) > sum(map(len, sentences))


def test_a_text_splits_between_articles(out):
    _, text = cut_corpus("enwiki2015", out, CUT)
    first, rest = text.split(5)
    assert torch.equal(torch.cat([first.ids, rest.ids]), text.ids)
    assert len(first.documents) == 6
    assert rest.documents[0] == rest.sentences[0] == 0
    assert torch.equal(rest.sentences.diff(), text.sentences.diff()[first.documents[-1] :])
    assert rest.documents[-1] == len(rest.sentences) - 1


def test_the_second_call_reads_the_file(out):
    pieces, text = cut_corpus("enwiki2015", out, CUT)
    (out / "enwiki2015.words.txt").write_text("other words .\n", encoding="utf-8")
    again, same = cut_corpus("enwiki2015", out, CUT)
    assert again.vocabulary == pieces.vocabulary
    assert torch.equal(same.ids, text.ids)


def test_held_out_articles_do_not_count_for_the_vocabulary(out):
    path = out / "enwiki2015.words.txt"
    path.write_text("zzz zzz .\n\n" * 3 + path.read_text(encoding="utf-8"), encoding="utf-8")
    pieces, text = cut_corpus("enwiki2015", out, CUT)
    assert "z" not in pieces.vocabulary
    assert text.ids[:3].tolist() == [pieces.unknown, pieces.unknown, *pieces.ids(["."])]
