"""The commands that record, asked for help or for what is not there; and what they recorded: it is whole."""

from importlib import import_module
from itertools import product
from pathlib import Path

import pytest

from course import records
from course.lab.roles import LABELS
from course.records import board, crossing, particles, swapped
from course_lib.language import LANGUAGES

FOLDER = Path(records.__path__[0])
NAMES = sorted(path.stem for path in FOLDER.glob("*.py") if "__main__" in path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", NAMES)
def test_a_command_gives_its_help(name, monkeypatch, capsys):
    module = import_module(f"course.records.{name}")
    monkeypatch.setattr(module, "record", lambda *_: pytest.fail("it records"), raising=False)
    for asked, code, says in (("--help", 0, module.main.__doc__), ("--nonsense", 2, "unrecognized arguments")):
        monkeypatch.setattr("sys.argv", [name, asked])
        with pytest.raises(SystemExit) as ended:
            module.main()
        said = "".join(capsys.readouterr())
        assert (ended.value.code, f"course.records.{name}" in said) == (code, True)
        assert says in " ".join(said.split())


WHOLE = {  # what tells the rows of a record apart, and all its values
    board: (
        lambda row: (row.language, (row.system, row.chapter), row.labels, row.seed),
        (LANGUAGES, board.CHAPTERS.items(), LABELS, range(board.SEEDS)),
    ),
    crossing: (
        lambda row: (row.kind, row.seed, (row.steps, bool(row.f1))),
        ((crossing.BERT, crossing.TWIN), range(crossing.SEEDS), [(n, n in crossing.JUDGED) for n in crossing.POINTS]),
    ),
    particles: (
        lambda row: (row.text, row.system, row.labels, row.seed),
        ((*particles.DROPPED, particles.SHIFTED), particles.SYSTEMS, LABELS, range(particles.SEEDS)),
    ),
    swapped: (
        lambda row: (row.system, row.labels, row.seed),
        (swapped.SYSTEMS, swapped.SIZES, range(swapped.SEEDS)),
    ),
}


@pytest.mark.parametrize("module", WHOLE, ids=lambda module: module.__name__)
def test_what_is_recorded_is_whole(module):
    of, values = WHOLE[module]
    assert sorted(map(of, module.STORE.read().rows)) == sorted(product(*values))
