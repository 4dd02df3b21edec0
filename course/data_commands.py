"""`course data list`, `get` and `verify`."""

from __future__ import annotations

from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from course.sources.public import get, load_public, verify, whereabouts
from course.sources.registry import find, registry
from course_lib.errors import CourseError
from course_lib.language import t

TITLED = 120  # columns of a terminal that has room for what each set is
_MARKS = {"good": "green", "missing": "dim", "damaged": "red"}

app = typer.Typer(help="The public data sets: list them, fetch them, check them.", no_args_is_help=True)


@app.command("list")
def show_sets() -> None:
    """The registered sets: languages, size, licence, and where they are on this machine."""
    console = Console()
    titled = console.width >= TITLED
    table = Table("name", *["what it is"] * titled, "languages", "MB", "licence", "kind", "here", box=box.SIMPLE)
    table.columns[0].no_wrap = True
    table.columns[-4].justify = "right"
    for public in registry().values():
        cells = (", ".join(public.languages), f"{public.megabytes:.2f}", public.licence, public.kind)
        row = (public.name, *[t(public.title)] * titled, *cells, whereabouts(public) or "no")
        table.add_row(*map(Text, row))
    console.print(table)
    if not titled:
        console.print(f"A terminal of {TITLED} columns shows what each set is.", style="dim")
    console.print("course data get NAME fetches a set; direct and built ones can be downloaded.", style="dim")


@app.command("get")
def get_sets(names: Annotated[list[str], typer.Argument(help="one or several names, or: all")]) -> None:
    """Find sets in the mirror (COURSE_DATA_DIR) or the cache, download what is missing, show the first record."""
    console, faults = Console(highlight=False, soft_wrap=True), []
    for public in registry().values() if names == ["all"] else map(find, names):
        try:
            paths = get(public.name)
            first = next(iter(load_public(public.name, public.splits[0])))
        except CourseError as error:
            faults.append(str(error))
            continue
        counts = ", ".join(f"{split} {count:,}" for split, count in public.counts.items())
        console.print(Text(f"{public.name}: {counts} ({public.unit})", style="green"))
        console.print(Text(f"  licence  {public.licence}{'; ' if public.conditions else ''}{public.conditions}"))
        console.print(Text(f"  cite     {public.citation}"))
        for path in paths:
            console.print(Text(f"  file     {path}"))
        console.print(Text(f"  first    {_short(first)}"))
    if faults:
        raise CourseError("\n".join(faults))


@app.command("verify")
def verify_sets(names: Annotated[list[str] | None, typer.Argument(help="nothing: all")] = None) -> None:
    """Compare the SHA-256 of every file that is here with the registered one; exit code 1 if one is damaged."""
    console, findings = Console(highlight=False, soft_wrap=True), verify(names or None)
    for finding in findings:
        note = f"  {finding.where}" if finding.state == "damaged" else ""
        console.print(Text(f"{finding.state:<8} {finding.file}{note}", style=_MARKS[finding.state]))
    states = [finding.state for finding in findings]
    console.print(f"{len(states)} files: " + ", ".join(f"{states.count(state)} {state}" for state in _MARKS))
    if "damaged" in states:
        raise typer.Exit(1)


def _short(record: object, width: int = 160) -> str:
    text = " ".join(str(record).split())
    return text if len(text) <= width else text[: width - 3] + "..."
