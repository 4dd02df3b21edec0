"""CoarseWSD-20 and Senseval-2 (the course's own table: tests/data/test_handmade.py)."""

import pytest

from course_lib.data.readers.senses import read_coarse_senses, read_senseval
from course_lib.errors import CourseError
from tests.data.readers.test_lines import folder, tar

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
    train = read_coarse_senses(path, "train")
    assert [(e.word, e.sense, e.sentence.words[e.position]) for e in train] == [
        ("seal", "seal_animal", "seal"),
        ("seal", "seal_stamp", "seal"),
    ]
    assert len(read_coarse_senses(path)) == 3
    with pytest.raises(CourseError, match="no occurrence of split 'dev'"):
        read_coarse_senses(path, "dev")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("C/seal/train.gold.txt", "0\n", "train.data.txt: 2 sentences and 1 senses"),
        ("C/seal/train.gold.txt", "0\n7\n", "train.data.txt, line 2: sense '7'"),
        ("C/seal/train.data.txt", "1\ta seal swims\n3\tseal the letter\n", "line 2: index '3'"),
        ("C/seal/train.data.txt", "1\ta seal swims\nseal the letter\n", "line 2: index 'seal the letter'"),
        ("C/seal/classes_map.txt", "{", "missing or damaged"),
    ],
)
def test_faults_in_coarse_senses(tmp_path, name, text, message):
    with pytest.raises(CourseError, match=message):
        read_coarse_senses(folder(tmp_path, COARSE | {name: text}), "train")


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


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('senseid="HARD2"', "", "line 14: this instance has no answer"),
        ("<head> ", "", "line 9: this instance .* no <head> word"),
        (SENSEVAL[SENSEVAL.rindex("</instance>") :], "", "last one is not closed"),
        (SENSEVAL, "text\n", "no <instance>"),
    ],
)
def test_faults_in_senseval(tmp_path, old, new, message):
    (tmp_path / "hard.pos").write_text(SENSEVAL.replace(old, new))
    with pytest.raises(CourseError, match=message):
        read_senseval(tmp_path / "hard.pos")
