"""A folder in parts, and back."""

import json

import pytest

from course.recipes import parts
from course_lib.errors import CourseError


@pytest.fixture
def state(tmp_path):
    folder = tmp_path / "state"
    write(folder, step=5, content=bytes(range(251)) * 3)
    return folder


def write(folder, step, content):
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps({"config": {"step": step}}))
    (folder / "model.safetensors").write_bytes(content)
    (folder / "empty.txt").write_bytes(b"")


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(".")}


def test_no_part_is_too_large_and_all_come_back(state, tmp_path):
    target, back = tmp_path / "parts", tmp_path / "back"
    parts.split(state, target, size=101)
    sizes = [path.stat().st_size for path in target.iterdir() if path.name.startswith("model.safetensors.")]
    assert len(sizes) == 8
    assert max(sizes) == 101
    parts.join(target, back)
    assert files(back) == files(state)


def test_a_second_split_leaves_no_old_part(state, tmp_path):
    target, back = tmp_path / "parts", tmp_path / "back"
    parts.split(state, target, size=101)
    write(state, 7, b"short")
    parts.split(state, target, size=101)
    assert not (target / "model.safetensors.001").exists()
    parts.join(target, back)
    assert files(back) == files(state)


@pytest.mark.parametrize(("step", "replaced"), [(3, True), (5, False), (11, False)])
def test_what_is_further_stays(state, tmp_path, step, replaced):
    parts.split(state, tmp_path / "parts")
    other = tmp_path / "other"
    write(other, step, b"other weights")
    before = files(other)
    parts.join(tmp_path / "parts", other)
    assert files(other) == (files(state) if replaced else before)


def test_nothing_to_join(tmp_path):
    parts.join(tmp_path / "none", tmp_path / "back")
    assert not (tmp_path / "back").exists()


def damage(part):
    part.write_bytes(b"x" + part.read_bytes()[1:])


@pytest.mark.parametrize(("harm", "message"), [(lambda p: p.unlink(), "cannot be read"), (damage, "checksum differs")])
def test_missing_and_damaged_parts(state, tmp_path, harm, message):
    target, back = tmp_path / "parts", tmp_path / "back"
    parts.split(state, target, size=101)
    harm(target / "model.safetensors.002")
    with pytest.raises(CourseError, match=message):
        parts.join(target, back)
    assert not back.exists()


def test_a_manifest_cannot_lead_out_of_the_folder(state, tmp_path):
    target = tmp_path / "parts"
    parts.split(state, target)
    text = (target / "manifest.json").read_text()
    (target / "manifest.json").write_text(text.replace('"empty.txt"', '"../empty.txt"'))
    with pytest.raises(CourseError, match="leads out of the folder"):
        parts.join(target, tmp_path / "back")
