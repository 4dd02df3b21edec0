"""`course class`: what is read, what is counted, and that the page is safe to open."""

import csv
import json
import os
import re
import statistics
import zipfile
from collections import Counter
from unicodedata import normalize

import pytest

from course.check import registry, store
from course.check.judge import known_mistakes
from course.check.recall_questions import questions
from course.classroom import collect
from course.classroom.collect import read_class
from course.classroom.page import write_class
from course_lib.errors import CourseError
from course_lib.language import speaking, t
from tests.classroom.simulated import CHAPTERS, NAMES, keep, simulate, version


@pytest.fixture(scope="module")
def thirty(tmp_path_factory):
    folder = tmp_path_factory.mktemp("homes")
    simulate(folder)
    return folder


def table(out, name):
    with open(out / name, encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def stored(place, name):
    """The items of a file, or None: read without the code that is tested."""
    path = place / "course-answers" / f"{name}.json"
    return json.loads(path.read_text())["items"] if path.exists() else None


def test_the_tables_are_what_counting_file_by_file_gives(thirty, tmp_path):
    learners, skipped = read_class([thirty])
    assert (len(learners), skipped) == (len(NAMES.split()), [])
    write_class(tmp_path, learners, skipped, None)
    homes = [thirty / name for name in NAMES.split()]
    rows = {row["exercise"]: row for row in table(tmp_path, "exercises.csv")}
    for exercise in (exercise for chapter in CHAPTERS for exercise in registry.of_chapter(chapter)):
        tried, needed, hints, solutions, mistakes = 0, [], 0, 0, Counter()
        for home in homes:
            versions = stored(home, exercise.id)
            late = "11:00" if any(version["state"] == "right" for version in versions or ()) else "never"
            looks = [look for look in stored(home, "hints") if late not in look.get("time", "")]
            levels = {look["level"] for look in looks if look["exercise"] == exercise.id}
            hints, solutions = hints + bool(levels & {1, 2, 3}), solutions + (4 in levels)
            if versions is not None:
                tried += 1
                mistakes.update({v["mistake"] for v in versions if v["mistake"]})
                needed += [n for n, v in enumerate(versions, 1) if v["state"] == "right"][:1]
        row = rows[exercise.id]
        assert (row["tried"], row["solved"]) == (str(tried), str(len(needed)))
        assert (row["hints"], row["solution"]) == (str(hints), str(solutions))
        assert float(row["tries"]) == statistics.median(needed)
        named = dict(part.rsplit(" (", 1) for part in row["mistakes"].split("; "))
        assert {name: int(n[:-1]) for name, n in named.items()} == mistakes
    recall = {(int(row["chapter"]), row["question"]): row for row in table(tmp_path, "recall.csv")}
    for chapter in CHAPTERS:
        for question in questions(chapter):
            right = {option.text for option in question.options if option.right}
            all_choices = (c for home in homes for c in stored(home, f"recall-{chapter}"))
            chosen = [c["option"] for c in all_choices if c["question"] == question.key]
            row = recall[chapter, question.text]
            assert (int(row["answered"]), int(row["right"])) == (len(chosen), sum(c in right for c in chosen))
    people = {row["name"].lstrip("'"): row for row in table(tmp_path, "learners.csv")}
    for home in homes:
        own = {path.stem: json.loads(path.read_text())["items"] for path in home.glob("*/[0-9]*.json")}
        solved = {name for name, versions in own.items() if versions[-1]["state"] == "right"}
        row = people[home.name]
        assert (int(row["tried"]), int(row["solved"])) == (len(own), len(solved))
        assert {name for name in own if row[name] == f"solved {len(own[name])}"} == solved


def test_zipped_folders_are_read_like_folders(thirty, tmp_path):
    for name in ("anna", "이서준"):
        with zipfile.ZipFile(tmp_path / normalize("NFD", f"{name}.zip"), "w", zipfile.ZIP_DEFLATED) as archive:
            for path in (thirty / name).rglob("*.json"):
                archive.write(path, f"{name}/answers/{path.name}")
                archive.writestr(f"__MACOSX/{name}/._{path.name}", "x")
                archive.writestr(f"__MACOSX/{name}/{path.name}", "x")
    zipped, skipped = read_class([tmp_path])
    assert skipped == []
    assert zipped == [learner for learner in read_class([thirty])[0] if learner.name in ("anna", "이서준")]


def test_one_folder_may_be_named_alone_and_lends_its_home_s_name(thirty):
    [learner], _ = read_class([thirty / "ben" / "course-answers"])
    assert learner.name == "ben"
    both, _ = read_class([thirty / "ben", thirty / "ben" / ".." / "ben" / "course-answers" / ".." / "course-answers"])
    assert [learner.name for learner in both] == ["ben", "ben (2)"]


def test_what_cannot_be_read_is_named_and_the_rest_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "MOST_BYTES", 3_000)
    monkeypatch.setattr(collect, "_MOST_ENTRIES", 20)
    monkeypatch.setattr(collect, "_MOST_BYTES", 50_000)
    good = version("def f(): ...")
    own = tmp_path / "mixed" / "answers"
    keep(own, "1.1", [good])
    keep(own, "9.99", [good])
    keep(own, "1.2", [{**good, "source": "x" * 4_000}])
    keep(own.parent / "older", "1.1", [good])
    (own / "1.3.json").write_text('{"format": 1, "items": [')
    (own / "1.4.json").write_text('{"format": "%s", "items": []}' % ("2" * 2_000))
    (own / "1.5.json").write_text('{"format": 1, "items": [{"state": "right"}]}')
    (own / "1.6.json").write_text("[" * 100_000)
    os.mkfifo(own / "1.7.json")
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "thesis.txt").write_text("x")
    (tmp_path / "list.xlsx").write_text("x")
    (tmp_path / "broken.zip").write_text("PK\3\4 no more")
    (tmp_path / "huge").mkdir()
    for n in range(21):
        (tmp_path / "huge" / f"{n}.txt").touch()
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("1.1.json", b" " * 1_000_000)
    with zipfile.ZipFile(tmp_path / "many.zip", "w", zipfile.ZIP_LZMA) as archive:
        for n in range(20):
            archive.writestr(f"{n}/9.99.json", b" " * 3_000)
    whole = (tmp_path / "many.zip").read_bytes()
    (tmp_path / "spoilt.zip").write_bytes(whole[:50] + b"\xff" * 20 + whole[70:])
    (tmp_path / "linked").symlink_to(own)
    [learner], skipped = read_class([tmp_path])
    assert (learner.name, learner.tries) == ("mixed", {"1.1": [good]})
    told = "\n".join(skipped)
    for says in (
        "answers/9.99.json: this course has no such exercise",
        "answers/1.2.json: too large",
        "answers/1.3.json: not the JSON",
        f"answers/1.4.json: format '{'2' * 59}, and",
        "answers/1.5.json: an item is incomplete",
        "answers/1.6.json: ",
        "older/1.1.json: a second one",
        "foreign: holds no answers",
        "list.xlsx: is neither",
        "broken: File is not a zip file",
        "huge: has over 20 files",
        "bomb, 1.1.json: too large",
        "bomb: holds no answers",
        "many: holds over 0.05 MB",
        "spoilt: Corrupt input data",
        "linked: is neither",
    ):
        assert says in told
    assert len(skipped) == 16 + 16  # of "many" each file was named


def test_no_folder_and_no_answers_are_clear_errors(tmp_path):
    with pytest.raises(CourseError, match="No such file"):
        read_class([tmp_path / "nowhere"])
    with pytest.raises(CourseError, match=r"No answers in .*classroom\.md"):
        read_class([tmp_path])


def test_the_page_speaks_korean(thirty, tmp_path):
    with speaking("ko"):
        page = write_class(tmp_path, *read_class([thirty]), None).read_text(encoding="utf-8")
    examples = "<style>.*?</style>|<script>.*?</script>|<tbody>.*?</tbody>"  # an option may be an English sentence
    seen = re.sub(f"{examples}|<[^>]*>", " ", page, flags=re.DOTALL)
    assert '<html lang="ko">' in page
    assert not re.findall(r"[A-Za-z]{2,}(?: [A-Za-z]{2,}){3,}", seen)


def test_the_korean_page_says_in_korean_what_was_found_and_skipped(tmp_path):
    names = {number: next(iter(known_mistakes(registry.find(number)))) for number in ("4.3", "1.1")}
    for number in names:
        keep(tmp_path / "forger", number, [version("x")])
    (tmp_path / "forger" / "1.2.json").write_text("{")
    verdicts = {("forger", number): mistake for number, mistake in names.items()} | {("forger", "1.3"): "is no Python"}
    keep(tmp_path / "forger", "1.3", [version("x")])
    with speaking("ko"):
        page = write_class(tmp_path / "out", *read_class([tmp_path / "forger"]), verdicts).read_text(encoding="utf-8")
        said = [f"{number}: {t(verdicts['forger', number])}" for number in ("1.1", "1.3", "4.3")]
        assert "; ".join(said) in page  # in the exercises' order
        assert t("not the JSON that was written") in page
    assert not any(english in page for english in (*verdicts.values(), "not the JSON"))


def test_names_and_files_of_learners_are_text_and_unknown_mistakes_are_not_shown(tmp_path):
    rude = '<script>alert("x")</script>'
    name, known = "=<img src=x onerror=alert(1)>", next(iter(known_mistakes(registry.find("1.1"))))
    keep(tmp_path / name, "1.1", [version(rude, rude), version(rude, known)])
    keep(tmp_path / name, "recall-1", [{"question": questions(1)[0].key, "option": rude}])
    keep(tmp_path / name, "hints", [{"exercise": rude, "level": 1}])
    keep(tmp_path / "＝1+1", "1.1", [version("x", known) | {"more": [[]] * 7}])  # computed, too, in East Asian settings
    learners, skipped = read_class([tmp_path])
    page = write_class(tmp_path / "out", learners, [*skipped, rude + "\udcff"], None).read_text()
    assert "<img" not in page
    assert page.count("alert(") == 2  # the name, and what was skipped: as text
    assert "&lt;script&gt;" in page
    assert known in page
    assert "http" not in page.replace("http-equiv", "")
    assert [row["name"][:2] for row in table(tmp_path / "out", "learners.csv")] == ["'=", "'＝"]
    assert not any("more" in item for learner in learners for item in learner.tries["1.1"])
    assert rude not in (tmp_path / "out" / "exercises.csv").read_text()
