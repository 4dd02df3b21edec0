"""The registered sets on the real files: counts, first records, what each record promises; skipped without a mirror.

`pytest -s tests/data/readers/test_of_set.py` prints the first record of every set.
"""

import hashlib
import json
import lzma
import subprocess
import sys

import pytest

from course_lib.config import project_dir, settings
from course_lib.data.public import load_public
from course_lib.data.records import Passage, SenseExample, Sentence, TaggedSentence
from course_lib.data.registry import registry
from course_lib.data.running_text import CORPORA

SETS = registry()
MIRROR = settings().data_mirror
WIKIPEDIA = ("enwiki2015", "kowiki2022")
pytestmark = pytest.mark.skipif(MIRROR is None, reason="COURSE_DATA_DIR names no mirror of the public sets")


def test_the_registry_is_the_manifest():
    manifest = {table["name"]: table for table in json.loads((MIRROR / "manifest.json").read_text("utf-8"))["datasets"]}
    assert manifest.keys() == SETS.keys()
    for name, table in manifest.items():
        keys = ("path", "bytes", "sha256")
        registered = {tuple(getattr(file, key) for key in keys) for file in SETS[name].files}
        assert {tuple(file[key] for key in keys) for file in table["files"]} - registered <= {
            ("tatoeba_kor_eng/_about.txt", 1441, "14edaa774978b74d57a316ed402880c69af8de5c0087e6705b9eb5557621c65e")
        }
        assert len(registered) == len(SETS[name].files)
        assert sorted(SETS[name].counts.values()) == sorted(v for v in table["size"].values() if isinstance(v, int)), (
            name
        )
        assert SETS[name].licence == table["licence"]["id"]
        assert SETS[name].conditions == table.get("conditions", "")


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_the_unpacked_files_are_as_registered(name):
    for file in SETS[name].files:
        digest, size = hashlib.sha256(), 0
        with (lzma.open if file.path.endswith(".xz") else open)(MIRROR / file.path, "rb") as content:
            while piece := content.read(1 << 20):
                digest.update(piece)
                size += len(piece)
        assert (size, digest.hexdigest()) == (file.content_bytes, file.content_sha256)


@pytest.mark.parametrize("name", [name for name in SETS if name not in CORPORA])
def test_counts_and_records(name):
    public, found = SETS[name], {}
    for split in public.splits:
        records = load_public(name, split)
        found[split] = len(records)
        if isinstance(records[0], Passage):
            found[split] = sum(len(passage.questions) for passage in records)
            found |= {"paragraphs": len(records), "articles": len({passage.title for passage in records})}
        for record in records:
            check(record)
    if name == "coarsewsd20":
        found["words"] = len({record.word for record in records})
    assert found == public.counts
    print(f"\n{name}: {records[0]!r:.300}")


def check(record) -> None:
    if isinstance(record, SenseExample):
        assert record.sentence.words[record.position][0].lower() == record.word[0]
    for part in vars(record).values() if hasattr(record, "__dict__") else ():
        if isinstance(part, Sentence):
            assert [part.text[a:b] for a, b in part.spans] == list(part.words)
    if isinstance(record, TaggedSentence) and "ner" in record.tags:
        assert {tag[0] for tag in record.tags["ner"]} <= {"B", "I", "O"}


def test_labels_are_those_of_the_field():
    assert {r.label for r in load_public("sst2", "dev")} == {"neg", "pos"}
    assert {r.label for r in load_public("trec6", "test")} == {"ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM"}
    assert {r.label for r in load_public("rte", "dev")} == {"entailment", "not_entailment"}
    assert {r.label for r in load_public("kornlu", "nli_dev")} == {"entailment", "neutral", "contradiction"}
    assert all(0 <= float(r.label) <= 5 for r in load_public("kornlu", "sts_dev"))
    assert sum(not r.text for r in load_public("nsmc")) == 8  # the set's own; an encoder refuses them


def test_universal_dependencies_keep_the_printed_text():
    for name, split in (("ud_english_ewt", "dev"), ("ud_korean_gsd", "dev")):
        sentences = load_public(name, split)
        joined = [s for s in sentences if s.sentence.text == " ".join(s.sentence.words)]
        assert 0.05 < len(joined) / len(sentences) < 0.35  # those without a comma, a stop, ...
        assert all(s.heads.count(0) == 1 for s in sentences)


COUNT = """
import sys
from course_lib.data.public import locate
from course_lib.data.running_text import read_raw_articles
articles = words = 0
for article in read_raw_articles(locate(sys.argv[1])):
    articles += 1
    words += sum(len(line.split()) for line in article.paragraphs)
try:
    with open("/proc/self/status") as status:  # resource's peak would hold the parent's, too
        peak = next(int(line.split()[1]) / 1e3 for line in status if line.startswith("VmHWM"))
except OSError:
    peak = 0  # not on Linux
print(articles, words, peak)
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", WIKIPEDIA)
def test_wikipedia_is_counted_whole_and_streamed(name):
    command = [sys.executable, "-c", COUNT, name]
    said = subprocess.run(command, capture_output=True, text=True, check=True, cwd=project_dir()).stdout.split()
    assert {"articles": int(said[0]), "words": int(said[1])} == SETS[name].counts
    assert float(said[2]) < 500, "MB at the peak"
    print(f"\n{name}: {float(said[2]):.0f} MB at the peak")


@pytest.mark.parametrize("name", WIKIPEDIA)
def test_wikipedia_begins_at_once(name):
    article = next(iter(load_public(name)))
    assert article.title
    assert len(article.paragraphs) >= 1
    print(f"\n{name}: {article!r:.300}")
