"""The registered sets on the real files (skipped without a mirror), and what `data/public.toml` must hold."""

import re

import pytest

from course.sources import registry
from course.sources.of_set import _BY_FILE, CORPORA
from course.sources.public import load_public
from course.sources.registry import KINDS
from course_lib.config import settings
from course_lib.data.records import Passage, SenseExample, Sentence, TaggedSentence

SETS = registry.registry()
MIRROR = settings().data_mirror
needs_mirror = pytest.mark.skipif(MIRROR is None, reason="COURSE_DATA_DIR names no mirror of the public sets")


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
