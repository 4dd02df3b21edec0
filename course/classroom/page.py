"""The page of a class and its tables: what was tried and solved, which mistakes are common, what recall questions show.

A mistake counts once for each learner who made it, and only under a name that the exercise knows: what else a file says
is not shown. An answer that says it is solved counts as solved unless `rerun` found otherwise.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from unicodedata import normalize

from jinja2 import Environment, FileSystemLoader

import course.site
from course.check import registry
from course.check.build import Build, of_chapter
from course.check.exercise import Exercise
from course.check.front import SOLUTION
from course.check.judge import known_mistakes
from course.check.messages import as_html
from course.check.recall_questions import Question, questions
from course.check.registry import chapters_with
from course.classroom.collect import Learner
from course.classroom.rerun import NOT_ALONE, RIGHT
from course_lib.files import atomic_file
from course_lib.language import language, t, t_label

Verdicts = Mapping[tuple[str, str], str]  # (learner, exercise) -> what `rerun` found
N_NEXT = 3  # mistakes for the next lecture


def tries_needed(learner: Learner, exercise: str, verdicts: Verdicts) -> int:
    """The number of the first version that was right; 0: not solved."""
    states = [version["state"] for version in learner.tries.get(exercise, ())]
    believed = verdicts.get((learner.name, exercise), RIGHT) in (RIGHT, NOT_ALONE)
    return states.index("right") + 1 if believed and "right" in states else 0


def exercise_row(exercise: Exercise, learners: Sequence[Learner], verdicts: Verdicts) -> dict:
    """Counts of learners, and "tries": the median of those who solved it. The commonest mistake stands first."""
    tried = [learner for learner in learners if exercise.id in learner.tries]
    needed = [n for learner in tried if (n := tries_needed(learner, exercise.id, verdicts))]
    said = [{version["mistake"] for version in learner.tries[exercise.id]} for learner in tried]
    looks = [learner.looks.get(exercise.id, set()) for learner in learners]
    known, made = known_mistakes(exercise), Counter(name for names in said for name in names)
    row = {"exercise": exercise.id, "title": exercise.texts.title, "tried": len(tried), "solved": len(needed)}
    row |= {"tries": median(needed) if needed else "", "hints": sum(bool(seen - {SOLUTION}) for seen in looks)}
    row["solution"] = sum(SOLUTION in seen for seen in looks)
    counts = sorted(((-made[name], name) for name in made.keys() & known), key=lambda pair: pair)
    return row | {"mistakes": [{"name": name, "n": -n, "says": known[name]} for n, name in counts]}


def parts_built(learner: Learner, build: Build) -> int:
    """How many parts were the learner's own when the build last proved all; 0: it never did. No run is without one."""
    right = [run["yours"] for run in learner.builds.get(build.id, ()) if run["state"] == "right"]
    return len({*right[-1].split()} & {*build.parts}) if right else 0


def build_row(build: Build, learners: Sequence[Learner]) -> dict:
    """Counts of learners, and "parts": the median of those who built it."""
    own = [n for learner in learners if (n := parts_built(learner, build))]
    row = {"build": build.id, "title": build.texts["title"], "ran": sum(build.id in one.builds for one in learners)}
    whole = sum(n == len(build.parts) for n in own)
    return row | {"built": len(own), "parts": median(own) if own else "", "of": len(build.parts), "whole": whole}


def recall_row(chapter: int, question: Question, learners: Sequence[Learner]) -> dict:
    """Who answered, who was right, and the wrong option that most chose."""
    right = {option.text: option.right for option in question.options}
    chosen = (learner.choices.get(chapter, {}).get(question.key) for learner in learners)
    counts = Counter(text for text in chosen if text in right)
    wrong = min((text for text in counts if not right[text]), key=lambda text: (-counts[text], text), default="")
    row = {"chapter": chapter, "question": question.text, "answered": counts.total()}
    return row | {"right": sum(counts[t] for t in counts if right[t]), "wrong": wrong, "chose": counts[wrong]}


def learner_row(
    learner: Learner, asked: Sequence[tuple[int, Question]], builds: Sequence[Build], verdicts: Verdicts
) -> dict:
    recall = [recall_row(chapter, question, [learner]) for chapter, question in asked]
    found = {exercise: verdicts.get((learner.name, exercise), RIGHT) for exercise in sorted(learner.tries)}
    return {
        "name": learner.name,
        "tried": len(learner.tries),
        "solved": sum(tries_needed(learner, exercise, verdicts) > 0 for exercise in learner.tries),
        "versions": sum(map(len, learner.tries.values())),
        "hints": sum(len(levels - {SOLUTION}) for levels in learner.looks.values()),
        "solutions": sum(SOLUTION in levels for levels in learner.looks.values()),
        "answered": sum(row["answered"] for row in recall),
        "right": sum(row["right"] for row in recall),
        "built": ", ".join(
            f"{build.id} {n}/{len(build.parts)}" for build in builds if (n := parts_built(learner, build))
        ),
        "not as said": "; ".join(f"{e}: {t(said)}" for e, said in found.items() if said not in (RIGHT, NOT_ALONE)),
        "not run": " ".join(e for e, said in found.items() if said == NOT_ALONE),
    }


def write_class(out: Path, learners: Sequence[Learner], skipped: Sequence[str], verdicts: Verdicts | None) -> Path:
    """Write class.html and its tables, .csv, into `out`. verdicts: None if nothing was run."""
    found = verdicts or {}
    exercises = [exercise for chapter in registry.chapters() for exercise in registry.of_chapter(chapter)]
    asked = [(chapter, question) for chapter in chapters_with("recall.toml") for question in questions(chapter)]
    rows = [exercise_row(exercise, learners, found) for exercise in exercises]
    recall = [recall_row(chapter, question, learners) for chapter, question in asked]
    builds = [build for chapter in registry.chapters() for build in of_chapter(chapter)]
    machines = [build_row(build, learners) for build in builds]
    people = [learner_row(learner, asked, builds, found) for learner in learners]
    mistakes = sorted(((row, m) for row in rows for m in row["mistakes"]), key=lambda p: (-p[1]["n"], p[0]["tried"]))
    site = Path(course.site.__file__).parent
    templates = Environment(loader=FileSystemLoader(Path(__file__).parent), autoescape=True, trim_blocks=True)
    page = templates.get_template(
        "class.html.j2"
    ).render(
        t=t,
        t_label=t_label,
        as_html=as_html,
        language=language(),
        style=(site / "style.css").read_text(encoding="utf-8").partition("}\n")[2],  # without the formulas' font
        script=(site / "page.js").read_text(encoding="utf-8"),
        rows=[row for row in rows if row["tried"] or row["hints"] or row["solution"]],
        machines=[row for row in machines if row["ran"]],
        recall=[row for row in recall if row["answered"]],
        people=people,
        skipped=skipped,
        next_mistakes=mistakes[:N_NEXT],
        n_run=None if verdicts is None else len(verdicts),
        n_exercises=len(exercises),
    )
    for row in rows:
        row["mistakes"] = "; ".join(f"{m['name']} ({m['n']})" for m in row["mistakes"])
    for person, learner in zip(people, learners, strict=True):  # "solved 3": at the third try
        for exercise in (exercise.id for exercise in exercises):
            n = tries_needed(learner, exercise, found)
            tried = f"tried {len(learner.tries[exercise])}" if exercise in learner.tries else ""
            person[exercise] = f"solved {n}" if n else tried
    tables = {"exercises.csv": _csv(rows), "builds.csv": _csv(machines)}
    tables |= {"recall.csv": _csv(recall), "learners.csv": _csv(people)}
    for name, content in {"class.html": page, **tables}.items():
        with atomic_file(out / name) as file:
            file.write(content.encode(errors="replace"))  # a file's name or an answer can hold half a letter
    return out / "class.html"


def _csv(lines: Sequence[Mapping]) -> str:
    text = io.StringIO("\ufeff")  # so that a spreadsheet reads Hangul
    text.seek(1)
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(lines[0])
    for line in lines:  # nothing that a spreadsheet would compute, also by a full-width sign
        writer.writerow(
            f"'{cell}" if normalize("NFKC", str(cell)).startswith(("=", "+", "-", "@")) else cell
            for cell in line.values()
        )
    return text.getvalue()
