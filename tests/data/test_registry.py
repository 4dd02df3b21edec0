"""What `data/public.toml` must hold, and what is said when it is damaged."""

import re

import pytest

from course_lib.data import registry
from course_lib.data.readers.of_set import _BY_FILE
from course_lib.data.registry import KINDS
from course_lib.data.running_text import CORPORA
from course_lib.errors import CourseError

SETS = registry.registry()
FILES = [file for public in SETS.values() for file in public.files]


def test_every_file_is_pinned():
    assert len(SETS) == 22
    for public in SETS.values():
        assert public.kind in KINDS
        for file in public.files:
            if public.kind == "mirror only":
                assert (file.url, file.member, file.replace) == (None, None, None)
            else:
                assert re.fullmatch(r"https://\S+/[0-9a-f]{40}/\S+", file.url), "an address pinned to a commit"
            if public.kind == "direct":
                assert (file.member, file.replace) == (None, None)
        assert public.kind != "built" or any(file.member or file.replace for file in public.files)


def test_every_file_has_its_size_and_hash_in_each_form():
    paths = [path for file in FILES for path, *_ in file.forms]
    assert len(set(paths)) == len(paths)
    for file in FILES:
        assert not re.search(r"\.\.|^/|\\", file.path)
        assert (len(file.forms) == 2) == file.path.endswith(".xz")
        for _, n_bytes, digest in file.forms:
            assert n_bytes > 0
            assert re.fullmatch(r"[0-9a-f]{64}", digest)


def test_every_set_says_what_it_is_and_has_a_reader():
    for name, public in SETS.items():
        about = (public.title, public.licence, public.licence_known_by, public.citation, public.original, public.subset)
        assert all(about)
        assert set(public.languages) <= {"en", "ko", "de"}
        assert name in _BY_FILE or name in CORPORA or name == "multi30k"
        assert name in CORPORA or set(public.splits) <= set(public.counts)
    assert "unmodified" in SETS["korquad1_dev"].conditions
    assert {name for name, public in SETS.items() if "non-commercial use" in public.conditions} == {
        "coarsewsd20",
        "wikineural_en",
    }


@pytest.mark.parametrize("text", ["[a", "[a]\ntitle = 'x'\n", "[a]\nfiles = [{ path = 'x' }]\nlanguages = []\n"])
def test_a_damaged_registry_is_named(tmp_path, monkeypatch, text):
    (tmp_path / "public.toml").write_text(text)
    monkeypatch.setattr(registry, "data_dir", lambda name: tmp_path / name)
    registry.registry.cache_clear()
    with pytest.raises(CourseError, match=r"public\.toml cannot be read: .*Restore"):
        registry.registry()
    registry.registry.cache_clear()
