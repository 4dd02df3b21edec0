"""`course class`: what is read, what is counted, and that the page is safe to open."""

import csv
import io
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
from tests.classroom.simulated import BUILDS, CHAPTERS, NAMES, keep, simulate, version


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
            looks = [look for look in stored(home, "hints") if not look["solved"]]
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
        own = {path.stem: json.loads(path.read_text())["items"] for path in home.glob("*/[0-9]*.[0-9]*.json")}
        solved = {name for name, versions in own.items() if versions[-1]["state"] == "right"}
        row = people[home.name]
        assert (int(row["tried"]), int(row["solved"])) == (len(own), len(solved))
        assert {name for name in own if row[name] == f"solved {len(own[name])}"} == solved


def test_who_has_built_what_is_what_counting_file_by_file_gives(thirty, tmp_path):
    learners, _ = read_class([thirty])
    page = write_class(tmp_path, learners, [], None).read_text(encoding="utf-8")
    rows = {row["build"]: row for row in table(tmp_path, "builds.csv")}
    people = {row["name"].lstrip("'"): row["built"] for row in table(tmp_path, "learners.csv")}
    assert set(rows) == {build.id for build in BUILDS}
    for build in BUILDS:
        runs = {name: stored(thirty / name, build.id) or [] for name in NAMES.split()}
        right = {name: [run["yours"].split() for run in of if run["state"] == "right"] for name, of in runs.items()}
        own = {name: len(parts[-1]) for name, parts in right.items() if parts}
        row = rows[build.id]
        assert (row["ran"], row["built"]) == (str(sum(map(bool, runs.values()))), str(len(own)))
        assert float(row["parts"]) == statistics.median(own.values())
        assert row["whole"] == str(sum(n == len(build.parts) for n in own.values()))
        said = {name: re.findall(rf"{build.id} (\d+)/{len(build.parts)}", built) for name, built in people.items()}
        assert said == {name: [str(own[name])] if name in own else [] for name in people}
    assert f"{BUILDS[0].id} {BUILDS[0].texts['title']}" in page


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


KIM, LEE, PARK = ("1.2", "1.3"), ("1.3",), ("2.3",)


def zipped(files):
    """A zip file's bytes. files: name -> bytes, numbers of exercises in a folder so called, or a zip file's files."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, what in files.items():
            if isinstance(what, tuple):
                for number in what:
                    archive.writestr(f"{name}{number}.json", json.dumps({"format": 1, "items": [version(name)]}))
            else:
                archive.writestr(name, zipped(what) if isinstance(what, dict) else what)
    return made.getvalue()


THREE = {"Kim_1001": set(KIM), "Lee_1002": set(LEE), "Park_1003": set(PARK)}
HANDED_IN = {
    "ILIAS: a folder a person": {"Kim_1001/answers/": KIM, "Lee_1002/answers/": LEE, "Park_1003/answers/": PARK},
    "no folder called answers": {"Kim_1001/": KIM, "Lee_1002/": LEE, "Park_1003/x/": PARK},
    "a wrapper above": {"week 1/all/Kim_1001/": KIM, "week 1/all/Lee_1002/": LEE, "week 1/all/Park_1003/": PARK},
    "a folder called answers above": {f"answers/{name}/": tuple(numbers) for name, numbers in THREE.items()},
    "zip files named twice": {f"{name}/{name}.zip": {"x/answers/": tuple(have)} for name, have in THREE.items()},
    "groups": {"A/Kim_1001/": KIM, "A/Lee_1002/": LEE, "B.zip": {"B/Park_1003/": PARK, "B/readme.txt": b""}},
    "several files of one person": {
        "Kim_1001/week 1/answers.zip": {"answers/": ("1.2",)},
        "Kim_1001/week 2/answers.zip": {"answers/": ("1.3",)},
        "Lee_1002/answers (1).zip": {"answers/": LEE},
        "Park_1003/Version 2/2.3.json": json.dumps({"format": 1, "items": [version("x")]}),
    },
    "what systems leave": {
        **{f"{name}\\": tuple(numbers) for name, numbers in THREE.items()},
        **{f"__MACOSX/{name}/": KIM for name in THREE},
        **{"Ann/._1.2.json": b"x", ".Trash/Ben/": KIM, "Kim_1001/.DS_Store": b"x", "._Eve.zip": b"x"},
    },
    "Canvas: files side by side": {
        "Kim_1001_20017_a.zip": {"answers/": ("1.2",)},
        "Kim_1001_20018_b.zip": {"answers/": ("1.3",)},
        "Lee_1002_20019_1.3.json": json.dumps({"format": 1, "items": [version("x")]}),
        "Park_1003_20020_answers.zip": {"": PARK},
    },
    "downloaded or handed in twice": {
        "Kim_1001/answers/1.2 (1).json": json.dumps({"format": 1, "items": [version("x")]}),
        "Kim_1001/answers/": ("1.3",),
        "Lee_1002_20019_1.3-1.json": json.dumps({"format": 1, "items": [version("x")]}),
        "Park_1003/": PARK,
        "Park_1003/2.3(2).json": b"older",
    },
}


@pytest.mark.parametrize("unpacked", [False, True])
@pytest.mark.parametrize("files", HANDED_IN.values(), ids=HANDED_IN)
def test_what_a_platform_hands_out_is_read_person_by_person(tmp_path, files, unpacked):
    if unpacked:
        files = {name.replace("\\", "/"): what for name, what in files.items()}
        zipfile.ZipFile(io.BytesIO(zipped(files))).extractall(tmp_path / "exercise1")
    else:
        (tmp_path / "exercise1.zip").write_bytes(zipped(files))
    learners, _ = read_class([tmp_path])
    names = {"B": "Park_1003"} if "B.zip" in files else {}
    assert {names.get(learner.name, learner.name): set(learner.tries) for learner in learners} == THREE


def test_moodle_s_folders_and_files_are_people_and_who_handed_in_something_else_is_named(tmp_path):
    files = {
        "김민지_1_assignsubmission_file_/a.zip": {"answers/": ("1.2",)},
        "김민지_1_assignsubmission_file_/b.zip": {"answers/": ("1.3",)},
        "Lee_2_assignsubmission_file_/answers.zip": {"answers/": LEE},
        "Park_3_assignsubmission_file_answers.zip": {"answers/": PARK},
        "Choi_4_assignsubmission_file_/essay.pdf": b"x",
        "Han_5_assignsubmission_file_/answers.zip": b"PK no more",
        "Seo_6/deep.zip": {"b.zip": {"c.zip": {"answers/": KIM}}},
    }
    content = zipped(files)
    (tmp_path / "class.zip").write_bytes(content)
    learners, skipped = read_class([tmp_path / "class.zip"])
    tried = {learner.name: set(learner.tries) for learner in learners}
    moodle = "_assignsubmission_file_"
    assert tried == {f"김민지_1{moodle}": set(KIM), f"Lee_2{moodle}": set(LEE), "Park_3": set(PARK)}
    told = (f"Choi_4{moodle}: holds no", f"Han_5{moodle}/answers.zip: File is not a zip", "b.zip/c.zip: is too deep")
    assert [says for says in told if says not in "\n".join(skipped)] == []
    zipfile.ZipFile(io.BytesIO(content)).extractall(tmp_path / "class")
    learners, skipped = read_class([tmp_path])  # unpacked beside the zip file: not everybody twice
    assert len(learners) == 4  # on the disk what is in Seo's is less deep
    assert "class.zip: is left out, because the folder class is beside it." in skipped


@pytest.mark.parametrize("wrapper", ["", "answers/", "kim/answers/", "my course/answers/"])
def test_one_learner_s_zip_stays_one(thirty, tmp_path, wrapper):
    kept = {f"{wrapper}{path.name}": path.read_bytes() for path in (thirty / "anna" / "course-answers").iterdir()}
    (tmp_path / "anna.zip").write_bytes(zipped(kept | {f"{wrapper}old/": KIM}))
    learners, _ = read_class([tmp_path])
    assert [(learner.name, set(learner.tries) - set(KIM)) for learner in learners] == [
        ("anna", {path.stem for path in (thirty / "anna").glob("*/[0-9]*.[0-9]*.json")} - set(KIM))
    ]


def test_one_person_s_bomb_in_a_class_s_zip_harms_nobody_else(tmp_path, monkeypatch):
    monkeypatch.setattr(collect, "_MOST_BYTES", 50_000)
    monkeypatch.setattr(store, "MOST_BYTES", 40_000)
    monkeypatch.setattr(collect, "_MOST_ENTRIES", 400)
    quine = zipped({"1.2.json": b" " * 40_001})
    for _ in range(5):
        quine = zipped({"again.zip": quine, "more.zip": quine})
    bombs = {  # says -> whose
        "A_1: holds no answers": {"A_1/answers.zip": {"x": b" " * 50_001}},
        "over 0.05 MB: zip": {"B_2/answers.zip": zipped({"x": b" " * 50_001}) + b" " * 50_000},
        "over 400 files: zip": {"C_3/answers.zip": {f"{n}.txt": b"" for n in range(401)}},
        "D_4/answers.zip/again.zip/more.zip: is too deep": {"D_4/answers.zip": quine},
        "E_5: holds over 0.05 MB": {f"E_5/{n}.1.json": b" " * 30_000 for n in range(10)},
        "1.2.json: too large": {f"F_6/{'x/' * 3_000}1.2.json": b" " * 40_001},
    }
    files = {name: what for bomb in bombs.values() for name, what in bomb.items()}
    (tmp_path / "a.zip").write_bytes(zipped({"Kim_1001/": KIM} | files | {"Lee_1002/": LEE}))
    learners, skipped = read_class([tmp_path])
    assert {learner.name: set(learner.tries) for learner in learners} == {"Kim_1001": set(KIM), "Lee_1002": set(LEE)}
    assert [says for says in bombs if says not in "\n".join(skipped)] == []
    monkeypatch.setattr(collect, "_PEOPLE", 2)
    bombs = {f"{c}/answers.zip": {"1.8.json": b" " * 40_000} for c in "abcd"}
    (tmp_path / "a.zip").write_bytes(zipped({"Kim_1001/": KIM} | bombs))
    assert "d: is in a place of over 0.1 MB: unpack it, and name the folder." in read_class([tmp_path])[1]


@pytest.mark.parametrize("encoding", ["utf-8", "euc-kr"])
def test_names_in_zip_files_that_are_not_marked_as_utf_8(tmp_path, encoding):
    plain, name = zipped({"XXXXXXXXX/": KIM, "Lee/": LEE}), "김민지".encode(encoding)
    (tmp_path / "a.zip").write_bytes(plain.replace(b"XXXXXXXXX"[: len(name)], name))
    end = "XXXXXXXXX"[len(name) :]
    assert {learner.name for learner in read_class([tmp_path])[0]} == {f"김민지{end}", "Lee"}


def test_a_name_in_a_zip_file_does_not_steer_a_terminal(tmp_path):
    (tmp_path / "a.zip").write_bytes(zipped({"Kim/": KIM, "\x1b[2J/1.2.json": b"{"}))
    _, skipped = read_class([tmp_path])
    assert "?[2J, ?[2J/1.2.json: not the JSON that was written." in skipped


def test_what_cannot_be_read_is_named_and_the_rest_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "MOST_BYTES", 3_000)
    monkeypatch.setattr(collect, "_MOST_ENTRIES", 20)
    good = version("def f(): ...")
    own = tmp_path / "mixed" / "answers"
    keep(own, "1.8", [good])
    keep(own, "9.99", [good])
    keep(own, "1.2", [{**good, "source": "x" * 4_000}])
    keep(own.parent / "older", "1.8", [good])
    bad = {"1.3": ('{"format": 1, "items": [', "not the JSON"), "1.6": ("[" * 100_000, "")}
    bad |= {"1.9": ('{"format": "%s", "items": []}' % ("2" * 2_000), f"format '{'2' * 59}, and")}
    bad |= {"1.5": ('{"format": 1, "items": [{"state": "right"}]}', "an item is incomplete")}
    for number, (text, _) in bad.items():
        (own / f"{number}.json").write_text(text)
    os.mkfifo(own / "1.7.json")
    for folder, n in (("foreign", 1), ("huge", 21)):
        (tmp_path / folder).mkdir()
        for i in range(n):
            (tmp_path / folder / f"{i}.txt").touch()
    (tmp_path / "list.xlsx").write_text("x")
    (tmp_path / "broken.zip").write_text("PK\3\4 no more")
    with zipfile.ZipFile(tmp_path / "spoilt.zip", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("week 1/9.99.json", b" " * 3_000)
    whole = (tmp_path / "spoilt.zip").read_bytes()
    (tmp_path / "spoilt.zip").write_bytes(whole[:55] + b"\xff" * 20 + whole[75:])
    (tmp_path / "linked").symlink_to(own)
    [learner], skipped = read_class([tmp_path])
    assert (learner.name, learner.tries) == ("mixed", {"1.8": [good]})
    told = {f"answers/{number}.json: {says}" for number, (_, says) in bad.items()} | {"foreign: holds no answers"}
    told |= {"answers/9.99.json: this course has no", "answers/1.2.json: too large", "older/1.8.json: a second one"}
    told |= {"list.xlsx: is neither", "broken: File is not a zip", "huge: has over 20 files", "spoilt: Corrupt input"}
    assert [says for says in (*told, "linked: is neither") if says not in "\n".join(skipped)] == []
    assert len(skipped) == len(told) + 1


@pytest.mark.parametrize(("place", "says"), [("nowhere", "No such file"), (".", r"No answers in .*classroom\.md")])
def test_no_folder_and_no_answers_are_clear_errors(tmp_path, place, says):
    with pytest.raises(CourseError, match=says):
        read_class([tmp_path / place])


def test_the_page_speaks_korean(thirty, tmp_path):
    with speaking("ko"):
        page = write_class(tmp_path, *read_class([thirty]), None).read_text(encoding="utf-8")
    examples = "<style>.*?</style>|<script>.*?</script>|<tbody>.*?</tbody>"  # an option may be an English sentence
    seen = re.sub(f"{examples}|<[^>]*>", " ", page, flags=re.DOTALL)
    assert '<html lang="ko">' in page
    assert not re.findall(r"[A-Za-z]{2,}(?: [A-Za-z]{2,}){3,}", seen)


def test_the_korean_page_says_in_korean_what_was_found_and_skipped(tmp_path):
    names = {number: next(iter(known_mistakes(registry.find(number)))) for number in ("4.8", "1.8")}
    for number in names:
        keep(tmp_path / "forger", number, [version("x")])
    (tmp_path / "forger" / "1.2.json").write_text("{")
    verdicts = {("forger", number): mistake for number, mistake in names.items()} | {("forger", "1.3"): "is no Python"}
    keep(tmp_path / "forger", "1.3", [version("x")])
    with speaking("ko"):
        page = write_class(tmp_path / "out", *read_class([tmp_path / "forger"]), verdicts).read_text(encoding="utf-8")
        said = [f"{number}: {t(verdicts['forger', number])}" for number in ("1.3", "1.8", "4.8")]
        assert "; ".join(said) in page  # in the exercises' order
        assert t("not the JSON that was written") in page
    assert not any(english in page for english in (*verdicts.values(), "not the JSON"))


def test_names_and_files_of_learners_are_text_and_unknown_mistakes_are_not_shown(tmp_path):
    rude = '<script>alert("x")</script>'
    name, known = "=<img src=x onerror=alert(1)>", next(iter(known_mistakes(registry.find("1.8"))))
    keep(tmp_path / name, "1.8", [version(rude, rude), version(rude, known)])
    keep(tmp_path / name, "recall-1", [{"question": questions(1)[0].key, "option": rude}])
    keep(tmp_path / name, "hints", [{"exercise": rude, "level": 1, "solved": False, "time": "x"}])
    keep(tmp_path / "＝1+1", "1.8", [version("x", known) | {"more": [[]] * 7}])  # computed, too, in East Asian settings
    learners, skipped = read_class([tmp_path])
    page = write_class(tmp_path / "out", learners, [*skipped, rude + "\udcff"], None).read_text()
    assert "<img" not in page
    assert page.count("alert(") == 2  # the name, and what was skipped: as text
    assert "&lt;script&gt;" in page
    assert known in page
    assert "http" not in page.replace("http-equiv", "")
    assert [row["name"][:2] for row in table(tmp_path / "out", "learners.csv")] == ["'=", "'＝"]
    assert not any("more" in item for learner in learners for item in learner.tries["1.8"])
    assert rude not in (tmp_path / "out" / "exercises.csv").read_text()
