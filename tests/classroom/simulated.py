"""Thirty simulated learners with real right and wrong answers. `python -m tests.classroom.simulated FOLDER` writes them
as a hub keeps them (FOLDER/anna/course-answers/1.2.json), to look at the page of a class."""

import inspect
import json
import random
import sys
from pathlib import Path

from course.check import registry
from course.check.build import of_chapter
from course.check.front import SOLUTION
from course.check.recall_questions import questions
from tests.chapters.cells import wrong_cells

NAMES = "anna ben chloe dilan eva fritz gül hana ivo jana kim-minji 이서준 lena mats nora omar petra quentin rosa sven"
NAMES += " tariq ulla viktor wanda xenia yusuf zoe a<b>b =SUM(A1) the-one-with-a-very-long-name-of-a-folder"
CHAPTERS = (1, 2, 3, 4)
BUILDS = [build for chapter in registry.chapters() for build in of_chapter(chapter)]


def keep(folder: Path, name: str, items: list) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps({"format": 1, "items": items}, ensure_ascii=False))


def version(source: str, mistake: str = "", state: str = "right") -> dict:
    if mistake == "wrong":  # without a name
        mistake, state = "", "wrong"
    return {"source": source, "state": "mistake" if mistake else state, "mistake": mistake, "time": "2026-03-02T10:00"}


def simulate(folder: Path, seed: int = 0, names: str = NAMES) -> None:
    draw = random.Random(seed)
    wrong = {exercise.id: wrong_cells(exercise) for chapter in CHAPTERS for exercise in registry.of_chapter(chapter)}
    right = {exercise.id: inspect.getsource(exercise.solution) for n in CHAPTERS for exercise in registry.of_chapter(n)}
    for name in names.split():
        own, skill, looks = folder / name / "course-answers", draw.uniform(0.2, 0.9), []
        for exercise in right:
            if draw.random() < 0.3:
                continue
            rows = wrong[exercise]
            made = [rows[min(int(draw.expovariate(0.7)), len(rows) - 1)] for _ in range(draw.randrange(4))]
            versions = [version(source, mistake) for source, mistake in made]
            if draw.random() < skill or not versions:
                versions.append(version(right[exercise]))
            keep(own, exercise, versions)
            seen = [level for level in (1, 2, 3, SOLUTION) if draw.random() < (1 - skill) / level]
            for level in seen:
                solved = draw.random() < 0.3
                looks.append({"exercise": exercise, "level": level, "solved": solved, "time": "2026-03-02T09:00"})
        keep(own, "hints", looks)
        built = random.Random(name)
        for build in BUILDS if built.random() < 0.7 else ():
            runs = []
            for state in built.choices(("error", "wrong", "right"), weights=(1, 1, 2), k=built.randrange(1, 4)):
                yours = built.sample(build.parts, built.randrange(1, len(build.parts) + 1))
                runs.append(version("", state=state) | {"yours": " ".join(yours)})
            keep(own, build.id, runs)
        for chapter in CHAPTERS:
            chosen = []
            for question in questions(chapter):
                options = sorted(question.options, key=lambda option: not option.right)
                pick = options[0] if draw.random() < skill else draw.choice(options[1:])
                chosen.append({"question": question.key, "option": pick.text})
            keep(own, f"recall-{chapter}", chosen[: draw.randrange(len(chosen) + 1)])


if __name__ == "__main__":
    simulate(Path(sys.argv[1]))
