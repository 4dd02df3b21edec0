"""The words of the exercises: none is missing, doubled or unused. A complaint names the file and the key."""

import re
import tomllib
from dataclasses import fields

import pytest

from course.check import registry
from course.check.exercise import Texts


def complaints(file, exercises):
    text = file.read_text(encoding="utf-8")
    try:
        words = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:  # a key that stands there twice is one, too
        line = int(re.search(r"line (\d+)", str(error))[1])
        return [f"{file}: {error}: {text.splitlines()[line - 1]}"]
    rows = [(exercise.id, *row) for exercise in exercises for row in exercise.mistakes]
    needed = [f"{exercise.id}: {field.name}" for exercise in exercises for field in fields(Texts)]
    needed += [f"{number}: mistake {name!r}" for number, name, *_ in rows]
    given = {f"{number}: {key}": value for number, entry in words.items() for key, value in entry.items()}
    says = {
        f"{number}: mistake {name!r}": sentences
        for number, entry in words.items()
        for name, sentences in entry.get("mistakes", {}).items()
    }
    given |= says
    return [f"{file}: {key} is missing" for key in needed if not given.get(key)] + [
        *(f"{file}: {key} is unused" for key in given if key not in needed),
        *(f"{file}: {key} has several rows" for key in set(needed) if needed.count(key) > 1),
        *(
            f"{file}: {number}: mistake {name!r} needs one sentence, or one for each model"
            for number, name, *models in rows
            if isinstance(sentences := says.get(f"{number}: mistake {name!r}"), list) and len(sentences) != len(models)
        ),
    ]


@pytest.mark.parametrize("chapter", registry.chapters())
def test_every_text_is_there_once_and_used(chapter):
    exercises = registry.of_chapter(chapter)
    assert complaints(exercises[0].texts_file, exercises) == []


WORD = '"no softmax" ='


@pytest.mark.parametrize(
    ("line", "other", "complaint"),
    [
        ('title = "A highway layer"\n', "", "4.3: title is missing"),
        ('title = "A highway layer"\n', 'title = ""\n', "4.3: title is missing"),
        ('title = "A highway layer"\n', 'name = "x"\ntitle = "A"\n', "4.3: name is unused"),
        ('["4.3"]\n', '["4.7"]\nwhy = "x"\n["4.3"]\n', "4.7: why is unused"),
        (WORD, '"no sofmax" =', "4.4: mistake 'no softmax' is missing"),
        (WORD, '"no sofmax" =', "4.4: mistake 'no sofmax' is unused"),
        (WORD, f'{WORD} "x"\n{WORD}', f"): {WORD}"),
        (
            '" = [\n  "The input',
            '" = [\n  "x",\n  "The input',
            "4.3: mistake 'a residual connection' needs one sentence",
        ),
    ],
)
def test_a_complaint_names_the_file_and_the_key(tmp_path, line, other, complaint):
    exercises, file = registry.of_chapter(4), tmp_path / "texts.toml"
    text = exercises[0].texts_file.read_text(encoding="utf-8")
    assert text.count(line) == 1
    file.write_text(text.replace(line, other), encoding="utf-8")
    matching = [c for c in complaints(file, exercises) if complaint in c]
    assert len(matching) == 1
    assert str(file) in matching[0]
