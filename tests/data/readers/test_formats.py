"""Each format by hand, with its faults: tags, tables, translations, SQuAD, senses, articles. Packing: test_lines.py."""

import gzip
import json
import lzma

import pytest

from course_lib.data.readers.lines import OPENERS
from course_lib.data.readers.senses import read_coarse_senses, read_senses, read_senseval
from course_lib.data.readers.squad import read_squad
from course_lib.data.readers.tagged import align, read_characters, read_columns, read_conllu
from course_lib.data.readers.texts import (
    read_aligned,
    read_labelled,
    read_pairs,
    read_questions_by_class,
    read_translations,
)
from course_lib.data.readers.word_tests import Question, load_rated_pairs, read_analogies
from course_lib.data.records import LabelledText, ParallelPair, Sentence, SentencePair
from course_lib.data.running_text import clean, read_articles, read_raw_articles
from course_lib.errors import CourseError
from tests.data.readers.test_lines import folder, tar


@pytest.fixture
def write(tmp_path):
    def write(text):
        (tmp_path / "tags.conll").write_text(text, encoding="utf-8")
        return tmp_path / "tags.conll"

    return write


def test_columns_layers_and_sentence_ends(write):
    one, two = read_columns(
        write("0 Corp. NNP I-NP\n1 's POS B-NP\n\n \n\n0 a DT O"), ("pos", "chunk"), skip=1, separator=" "
    )
    assert one.sentence.words == ("Corp.", "'s")
    assert one.tags == {"pos": ("NNP", "POS"), "chunk": ("I-NP", "B-NP")}
    assert two.sentence.text == "a"


def test_splits_are_marked_in_the_file_and_a_hash_is_a_word(write):
    path = write("# split = train\na\tO\n\n#\tO\n\n# split = test\n#tag\tB-X\n")
    assert [s.sentence.text for s in read_columns(path, ("ner",))] == ["a", "#", "#tag"]
    assert [s.sentence.text for s in read_columns(path, ("ner",), "train")] == ["a", "#"]
    assert [s.tags["ner"] for s in read_columns(path, ("ner",), "test")] == [("B-X",)]


@pytest.mark.parametrize(
    ("rows", "layers", "options"),
    [
        ("-DOCSTART- -X- -X- O\n\na DT I-NP O\n\n-DOCSTART- -X- O O\n\nb NN B-NP B-PER\n", ("pos", "chunk", "ner"), {}),
        ("-DOCSTART-\n\na O\n\n-DOCSTART- (7)\n\n-DOCSTART- -X- O\n\nb B-PER\n\n-DOCSTART-", ("ner",), {}),
        ("-DOCSTART- O\na O\n-DOCSTART- O\nb B-PER\n", ("ner",), {}),  # no empty lines
        ("-DOCSTART-,O\n\na,O\n\n-DOCSTART-,O\n\nb,B-PER\n", ("ner",), {"separator": ","}),
        ("-DOCSTART- -X- O\n\na\tO\n\n-DOCSTART-\tO\n\nb\tB-PER\n", ("ner",), {"separator": "\t"}),
        ("0 -DOCSTART- O\n\n0 a O\n\n0 -DOCSTART- O\n\n0 b B-PER\n", ("ner",), {"skip": 1}),
    ],
)
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_documents_borders_are_no_sentences(write, rows, layers, options, mark):
    found = read_columns(write(mark + rows), layers, **{"separator": " "} | options)
    assert [(s.sentence.words, s.tags["ner"]) for s in found] == [(("a",), ("O",)), (("b",), ("B-PER",))]


def test_a_word_that_only_looks_like_a_border_is_a_word(write):
    (found,) = read_columns(write("-DOC-\tO\nx-DOCSTART-\tO\n"), ("ner",))
    assert found.sentence.words == ("-DOC-", "x-DOCSTART-")


def test_characters_keep_the_text_and_their_places(write):
    path = write("## 주석\n## id\t<김 솔:PS>은 #\n김\tB-PS\n \tI-PS\n솔\tI-PS\n은\tO\n \tO\n#\tO\n\n## end\n")
    (found,) = read_characters(path)
    assert found.sentence.text == "김 솔은 #"
    assert found.sentence.words == ("김", "솔", "은", "#")
    assert found.tags["ner"] == ("B-PS", "I-PS", "O", "O")
    assert [found.sentence.text[a:b] for a, b in found.sentence.spans] == list(found.sentence.words)


def row(number, form, head, upos="X"):
    return f"{number}\t{form}\t{form.lower()}\t{upos}\tY\t_\t{head}\tdep\t_\t_\n"


PLACES = [("1-2", "Don't", "_"), (1, "Do", 3), (2, "n't", 3), (3, "go", 0, "VERB"), ("3.1", "ghost", "_"), (4, ".", 3)]
SENTENCE = "# sent_id = 1\n# text = Don't go.\n" + "".join(row(*place) for place in PLACES)


@pytest.mark.parametrize("end", ["\n", ""])
def test_a_sentence_with_its_heads_and_places(write, end):
    path = write(SENTENCE + "\n\n# a note\n\n" + row(1, "Yes", 0) + end)
    first, second = read_conllu(path)
    assert first.sentence.words == ("Do", "n't", "go", ".")
    assert first.sentence.spans == ((0, 2), (2, 5), (6, 8), (8, 9))
    assert first.heads == (3, 3, 0, 3)
    assert first.tags["upos"] == ("X", "X", "VERB", "X")
    assert first.tags["lemma"][0] == "do"
    assert (second.sentence.text, second.heads) == ("Yes", (0,))
    for text, words in (("del mar", "de el mar"), ("a b c", "a c"), ("a b c", "a b"), (None, "a b")):
        assert align(text, tuple(words.split())).text == words  # words that are not all of the text are joined
    assert align("a  a", ("a", "a")).spans == ((0, 1), (3, 4))


# -- Tables: columns by name, quotes are characters. Parallel text in two files or one. Wrong rows are named
def test_labelled_texts_by_column_name_and_split(write):
    path = write('id\tlabel\tsplit\tdocument\n3\t1\ttrain\t"굳 ㅋ\n5\t0\ttest\t\n\n7\t0\ttrain\tsay "no"\n')
    names = {"0": "neg", "1": "pos"}
    all_rows = [LabelledText('"굳 ㅋ', "pos"), LabelledText("", "neg"), LabelledText('say "no"', "neg")]
    assert read_labelled(path, text="document", names=names) == all_rows
    assert read_labelled(path, text="document", names=names, split="train") == [all_rows[0], all_rows[2]]
    assert read_labelled(path, text="document")[0].label == "1"


@pytest.mark.parametrize(
    ("read", "text", "last"),
    [
        (
            lambda path: read_pairs(path, label="score"),
            "index\tsentence1\tsentence2\tscore\n0\tA man sings.\tHe sings.\t4.500\n",
            SentencePair("A man sings.", "He sings.", "4.500"),
        ),
        (
            read_questions_by_class,
            "DESC:def What is it ?\nNUM:date When : now ?\n",
            LabelledText("When : now ?", "NUM"),
        ),
        (read_analogies, ": 수도\n서울 한국 파리 프랑스\n", Question("수도", "서울", "한국", "파리", "프랑스")),
        (read_translations, "Go.\t가.\tCC-BY\nHi.\t 안녕.\tCC-BY\n", ParallelPair(*map(Sentence.of, ("Hi.", "안녕.")))),
    ],
)
def test_a_record_a_line(write, read, text, last):
    assert read(write(text))[-1] == last


def test_two_files_line_by_line(tmp_path):
    one, two = tmp_path / "a.en", tmp_path / "a.de"
    one.write_text("A man sleeps.\nTwo dogs.\n", encoding="utf-8")
    two.write_text("Ein Mann schläft.\n Zwei Hunde.", encoding="utf-8")
    pairs = read_aligned(one, two)
    assert [p.source.words for p in pairs] == [("A", "man", "sleeps", "."), ("Two", "dogs", ".")]
    assert pairs[1].target.text == "Zwei Hunde."
    for longer in (one, two):
        longer.write_text("a\n" * len(longer.read_text(encoding="utf-8")))
        with pytest.raises(CourseError, match=rf"{longer.name}, line \d+: no such line in"):
            read_aligned(one, two)


# -- SQuAD's JSON: answers stand where they should, splits, questions without an answer, and faults
def article(start=2, split="train", answers=None):
    answers = [{"text": "배", "answer_start": start}] if answers is None else answers
    paragraph = {"context": "큰 배다", "qas": [{"id": 7, "question": "무엇?", "answers": answers}]}
    return {"title": "바다", "split": split, "paragraphs": [paragraph]}


def squad(*articles):
    return json.dumps({"data": articles})


def test_passages(tmp_path):
    path = tmp_path / "a.json.xz"
    path.write_bytes(lzma.compress(squad(article(), article(split="test", answers=[])).encode()))
    first, second = read_squad(path)
    assert (first.title, first.text, first.questions[0].id) == ("바다", "큰 배다", "7")
    assert first.questions[0].answers == (("배", 2),)
    assert second.questions[0].answers == ()
    assert read_squad(path, "test") == [second]


def test_a_question_whose_answer_stands_elsewhere_is_left_out_and_named(tmp_path, capsys):
    content = squad(article(), article(1), article()).replace('"id"', '"guid"')  # as KLUE-MRC calls it
    (tmp_path / "a.json").write_text(content, encoding="utf-8")
    passages = read_squad(tmp_path / "a.json")
    assert [[question.id for question in passage.questions] for passage in passages] == [["7"], [], ["7"]]
    said = capsys.readouterr().out
    assert said.startswith("1 of 3 questions are left out.")
    assert "article 2, paragraph 1: Question '7': the answer '배' does not stand at character 1 of its passage." in said


# -- CoarseWSD-20 and Senseval-2 (the course's own table: tests/sources/test_handmade.py)
COARSE = {
    "C/README.txt": "about",
    "C/seal/classes_map.txt": '{"0": "seal_animal", "1": "seal_stamp"}',
    "C/seal/train.data.txt": "1\ta seal swims\n0\tseal the letter\n",
    "C/seal/train.gold.txt": "0\n1\n",
    "C/seal/test.data.txt": "2\ton the seal\n",
    "C/seal/test.gold.txt": "1\n",
}


@pytest.mark.parametrize("make", [folder, tar])
def test_coarse_senses(tmp_path, make):
    path = make(tmp_path / "C.tar.xz", COARSE)
    found = [(e.word, e.sense, e.sentence.words[e.position]) for e in read_coarse_senses(path, "train")]
    assert found == [("seal", "seal_animal", "seal"), ("seal", "seal_stamp", "seal")]
    assert len(read_coarse_senses(path)) == 3
    with pytest.raises(CourseError, match="no occurrence of split 'dev'"):
        read_coarse_senses(path, "dev")


SENSEVAL = """<corpus lang="en">
<lexelt item="hard-a">
<instance id="hard-a.1:">
<answer instance="hard-a.1:" senseid="HARD1"/>
<context>
 <s snum="7"/> <wf pos="PRP">AT&amp;T</wf> <wf pos='"'>"</wf> FRASL <wf pos=">">is</wf>
 <head> <wf pos="JJ">hard</wf></head>
</context>
</instance>
<instance id="hard-a.2:">
<answer instance="hard-a.2:" senseid="HARD2"/>
<context> <head><wf pos="JJ">harder</wf></head> <wf pos=".">.</wf> <wf pos="x"> </wf>
</context>
</instance>
</lexelt>
</corpus>
"""


def test_senseval(tmp_path):
    (tmp_path / "hard.pos").write_text(SENSEVAL)
    one, two = read_senseval(tmp_path / "hard.pos")
    assert one.sentence.words == ("AT&T", '"', "is", "hard")
    assert (one.position, one.word, one.sense) == (3, "hard", "HARD1")
    assert (two.sentence.words, two.position, two.sense) == (("harder", "."), 0, "HARD2")


# -- Articles as a stream: boundaries kept, extractor's leftovers gone, damaged files named
ARTICLES = """<doc id="1" url="x" title="Seals &amp; ships">
Seals &amp; ships

A seal slept on the ice while ships passed.
History.
The formula_12 of its breath () was cold (, 1924) and grey.
</doc>
<doc id="2" title="Stub">
Stub

Too short.
</doc>
<doc id="3" title="배">
배

바다 멀리 배가 한 척 떠 있다.
</doc>
"""


@pytest.mark.parametrize(("ending", "opener"), [(".txt", open), (".xz", lzma.open), (".gz", gzip.open)])
def test_articles_with_their_paragraphs(tmp_path, ending, opener):
    path = tmp_path / f"text{ending}"
    with opener(path, "wt", encoding="utf-8") as file:
        file.write(ARTICLES)
    seals, ship = read_articles([path])
    assert seals.title == "Seals & ships"
    assert seals.paragraphs == (
        "A seal slept on the ice while ships passed.",
        "The of its breath was cold (1924) and grey.",
    )
    assert ship.paragraphs == ("바다 멀리 배가 한 척 떠 있다.",)
    seals, stub, _ = read_raw_articles([path])
    assert seals.paragraphs[:2] == ("Seals &amp; ships", "A seal slept on the ice while ships passed.")
    assert (stub.title, stub.paragraphs) == ("Stub", ("Stub", "Too short."))


@pytest.mark.parametrize(
    ("dirty", "cleaned"),
    [
        ("a &lt; b &amp;amp; c", "a < b & c"),
        ("제임스 카터(, 1924년 10월 1일 ~ )는", "제임스 카터(1924년 10월 1일 ~ )는"),
        ("the value formula_3, where formula_4 is", "the value , where is"),
        ("{{cite}} text [[ ]]", "text"),
        ("  spaces \t and\u00a0more ", "spaces and more"),
    ],
)
def test_clean(dirty, cleaned):
    assert clean(dirty) == cleaned


# -- Faults: each is named with its file, its place and, where there is one, its remedy
def columns(path):
    return read_columns(path, ("ner",))


def numbered_columns(path):
    return read_columns(path, ("pos", "ner"), skip=1, separator=" ")


def labelled(path):
    return read_labelled(path, names={"0": "neg", "1": "pos"})


def articles(path):
    return list(read_articles([path]))


COLUMNS = r"line 3: .* has not 2 columns, none empty\. Write the word and its tags \(ner\), with single tabs"
CHARACTER = "line 2: .* is not one character, a tab and its tag"
QUESTION = "line 2: .* is not `CLASS:kind question`"
OWN = "word\tsense\tsplit\tsentence\tindex\n"
FAULTS = [  # reader, the file's content, what is said
    *((columns, f"a\tO\n\n{line}\n", COLUMNS) for line in ("word", "word O", "word\tO\tO", "\tO", "word\t")),
    *(
        (numbered_columns, f"\n1 배{tags}\n", "line 2: .* has not 4 columns.*with single spaces")
        for tags in ("", "  O")
    ),
    *((read_characters, f"솔\tO\n{line}\n", CHARACTER) for line in ("김", "김\t", "\tO", "김\tO\tO")),
    (read_conllu, "1\tword\n\n", "line 1: .* is no line of CoNLL-U. Expected 10 columns"),
    (read_conllu, row(2, "word", 0) + "\n", "line 1: .* number 1"),
    (read_conllu, row(1, "", 0) + "\n", "line 1: .* a word"),
    (read_conllu, row(1, "word", "x") + "\n", "line 1: .* a head"),
    (read_conllu, row(1, "word", 7) + "\n", "line 1: .* a head that is _ or 0 to 1"),
    (labelled, "", "line 1, names no column 'text'"),
    (labelled, "text\n", "no column 'label'"),
    (labelled, "text\tlabel\tlabel\na\t1\t0\n", "two columns 'label'"),
    (labelled, "text\tlabel\na\t1\nb\n", "line 3: 2 columns are named, but this line has 1"),
    (labelled, "text\tlabel\na\t1\tmore\n", "line 2: 2 columns are named, but this line has 3"),
    (labelled, "text\tlabel\na\t2\n", "line 2: label '2'. Use one of: 0, 1"),
    *(
        (read_questions_by_class, f"DESC:def What ?\n{line}\n", QUESTION)
        for line in ("DESC What ?", "DESC:def", ":def What ?", "DESC: What ?", "")
    ),
    (read_translations, "Go.\t가.\nGo.\n", "line 2: one side is empty"),
    (read_translations, "Go.\t가.\nGo.\t \n", "line 2: one side is empty"),
    *(
        (read_squad, squad(article(), article(start)), f"article 2, paragraph 1: Question '7': .* at character {start}")
        for start in (1, -2, 99)
    ),
    (read_squad, "[]", "not in SQuAD's format"),
    (read_squad, '{"data": [{"paragraphs": [{"context": "a"}]}]}', "not in SQuAD's format: KeyError"),
    (read_squad, "[" * 100_000, "not in SQuAD's format: RecursionError"),
    (read_squad, '{\n"data": [', "not in SQuAD's format: JSONDecodeError.*line 2"),
    (read_squad, b'{"data": "\xff"}', "not UTF-8 or .*UnicodeDecodeError"),
    (read_senseval, SENSEVAL.replace('senseid="HARD2"', ""), "line 14: this instance has no answer"),
    (read_senseval, SENSEVAL.replace("<head> ", ""), "line 9: this instance .* no <head> word"),
    (read_senseval, SENSEVAL[: SENSEVAL.rindex("</instance>")], "last one is not closed"),
    (read_senses, f"{OWN}bank\tmoney\ttrain\tthe bank\t2\n", "line 2: index '2'"),
    (read_senses, f"{OWN}bank\tmoney\ttrain\tthe bank\t-1\n", "line 2: index '-1'"),
    (read_senses, f"{OWN}bank\tmoney\n", "line 2: 5 columns"),
    (read_analogies, ": s\na b c d\na b c\n", "line 3: 3 words"),
    (articles, ARTICLES[:120], "not closed"),
    (articles, "no markup at all\n", "no <doc"),
    (articles, "<doc>\ncafé\n</doc>".encode("latin-1"), "not UTF-8"),
]


MARKED = [  # reader, file name, content: the same with a byte order mark
    (columns, "a.conll", "a\tO\n"),
    (read_squad, "a.json.gz", squad(article())),
    (load_rated_pairs, "a.csv.gz", "왕,여왕,8.5\na,b,7\n"),
    (read_senseval, "hard.pos", SENSEVAL),
    (articles, "a.xz", ARTICLES),
]


@pytest.mark.parametrize(("read", "name", "content"), MARKED)
def test_a_byte_order_mark_is_dropped_and_the_home_folder_is_found(tmp_path, monkeypatch, read, name, content):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    found = []
    for mark in ("", "\ufeff"):
        with OPENERS.get((tmp_path / name).suffix, open)(tmp_path / name, "wt", encoding="utf-8") as file:
            file.write(mark + content)
        found.append(read(f"~/{name}"))
    assert found[0]
    assert found[0] == found[1]


@pytest.mark.parametrize("make", [folder, tar])
def test_a_byte_order_mark_is_dropped_within_folders_and_archives(tmp_path, monkeypatch, make):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    make(tmp_path / "C", {name: "\ufeff" + text for name, text in COARSE.items()})
    assert len(read_coarse_senses("~/C")) == 3


@pytest.mark.parametrize(("read", "content", "says"), FAULTS, ids=lambda cell: getattr(cell, "__name__", ""))
def test_faults_are_named(tmp_path, read, content, says):
    (tmp_path / "hard.pos").write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(CourseError, match=rf"hard\.pos.*{says}"):
        read(tmp_path / "hard.pos")


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("train.gold.txt", "0\n", "train.data.txt: .*2 sentences and 1 senses"),
        ("train.gold.txt", "0\n7\n", r"train.data.txt: its .gold.txt .* missing or damaged \('7'\)"),
        ("train.data.txt", "1\ta seal swims\n3\tseal the letter\n", "line 2: index '3'"),
        ("classes_map.txt", "{", "missing or damaged"),
    ],
)
def test_faults_in_coarse_senses(tmp_path, name, text, says):
    with pytest.raises(CourseError, match=says):
        read_coarse_senses(folder(tmp_path, COARSE | {f"C/seal/{name}": text}), "train")
