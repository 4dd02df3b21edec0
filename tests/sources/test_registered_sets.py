"""The registered sets on the real files (skipped without a mirror), and what `data/public.toml` must hold."""

import hashlib
import json
import lzma
import re
import subprocess
import sys

import pytest

from course.sources import registry
from course.sources.of_set import _BY_FILE, CORPORA
from course.sources.public import load_public
from course.sources.registry import KINDS
from course_lib.config import project_dir, settings
from course_lib.data.records import Passage, SenseExample, Sentence, TaggedSentence

SETS = registry.registry()
MIRROR = settings().data_mirror
WIKIPEDIA = ("enwiki2015", "kowiki2022")
needs_mirror = pytest.mark.skipif(MIRROR is None, reason="COURSE_DATA_DIR names no mirror of the public sets")


@needs_mirror
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
        sizes = sorted(value for value in table["size"].values() if isinstance(value, int))
        assert sorted(SETS[name].counts.values()) == sizes, name
        assert SETS[name].licence == table["licence"]["id"]
        assert SETS[name].conditions == table.get("conditions", "")


@needs_mirror
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


@needs_mirror
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
            if isinstance(record, SenseExample):
                assert record.sentence.words[record.position][0].lower() == record.word[0]
            if isinstance(record, TaggedSentence) and "ner" in record.tags:
                assert {tag[0] for tag in record.tags["ner"]} <= {"B", "I", "O"}
            sentences = (part for part in getattr(record, "__dict__", {}).values() if isinstance(part, Sentence))
            assert all(s.text[a:b] == word for s in sentences for word, (a, b) in zip(s.words, s.spans, strict=True))
    if name == "coarsewsd20":
        found["words"] = len({record.word for record in records})
    assert found == public.counts


@needs_mirror
def test_labels_are_those_of_the_field_and_sentences_as_printed():
    assert {r.label for r in load_public("sst2", "dev")} == {"neg", "pos"}
    assert {r.label for r in load_public("trec6", "test")} == {"ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM"}
    assert {r.label for r in load_public("rte", "dev")} == {"entailment", "not_entailment"}
    assert {r.label for r in load_public("kornlu", "nli_dev")} == {"entailment", "neutral", "contradiction"}
    assert all(0 <= float(r.label) <= 5 for r in load_public("kornlu", "sts_dev"))
    assert sum(not r.text for r in load_public("nsmc")) == 8  # the set's own; an encoder refuses them
    for name in ("ud_english_ewt", "ud_korean_gsd"):
        sentences = load_public(name, "dev")
        joined = [s for s in sentences if s.sentence.text == " ".join(s.sentence.words)]
        assert 0.05 < len(joined) / len(sentences) < 0.35  # those without a comma, a stop, ...
        assert all(s.heads.count(0) == 1 for s in sentences)


COUNT = """
import sys
from course.sources.public import locate
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


@needs_mirror
@pytest.mark.slow
@pytest.mark.parametrize("name", WIKIPEDIA)
def test_wikipedia_is_counted_whole_and_streamed(name):
    command = [sys.executable, "-c", COUNT, name]
    said = subprocess.run(command, capture_output=True, text=True, check=True, cwd=project_dir()).stdout.split()
    assert {"articles": int(said[0]), "words": int(said[1])} == SETS[name].counts
    assert float(said[2]) < 500, "MB at the peak"


# -- What `data/public.toml` must hold
def test_every_file_is_pinned_and_has_its_size_and_hash_in_each_form():
    for public in SETS.values():
        assert public.kind in KINDS
        made = [(file.member, file.replace) != (None, None) for file in public.files]
        assert any(made) == (public.kind == "built")
        for file in public.files:
            if public.kind == "mirror only":
                assert file.url is None
            else:
                assert re.fullmatch(r"https://\S+/[0-9a-f]{40}/\S+", file.url), "an address pinned to a commit"
            assert not re.search(r"\.\.|^/|\\", file.path)
            assert (len(file.forms) == 2) == file.path.endswith(".xz")
            for _, n_bytes, digest in file.forms:
                assert n_bytes > 0
                assert re.fullmatch(r"[0-9a-f]{64}", digest)
    paths = [path for public in SETS.values() for file in public.files for path, *_ in file.forms]
    assert len(set(paths)) == len(paths)


def test_every_set_says_what_it_is_and_has_a_reader():
    for name, public in SETS.items():
        about = (public.title, public.licence, public.licence_known_by, public.citation, public.original, public.subset)
        assert all(about)
        assert set(public.languages) <= {"en", "ko", "de"}
        assert name in _BY_FILE or name in CORPORA or name == "multi30k"
        assert name in CORPORA or set(public.splits) <= set(public.counts)
    assert "unmodified" in SETS["korquad1_dev"].conditions
    restricted = {name for name, public in SETS.items() if "non-commercial use" in public.conditions}
    assert restricted == {"coarsewsd20", "wikineural_en"}
