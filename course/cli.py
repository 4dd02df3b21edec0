"""The command `course`. Each command imports what it needs when it runs, so that `course --help` is there at once."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from course import data_commands
from course_lib.errors import CourseError
from course_lib.language import LANGUAGES, columns, key, language, t, use

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)

app.add_typer(data_commands.app, name="data")


def main() -> None:
    """Entry point. A CourseError is shown as a sentence, without a traceback; exit code 1."""
    for stream in (sys.stdout, sys.stderr):  # a letter that a terminal cannot show is a question mark, not a fault
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        command = typer.main.get_command(app)
        if language() == "ko":
            _translate(command)
        command()
    except CourseError as error:
        from rich.console import Console

        # what a file says may move a terminal's cursor, or write its title
        said = "".join(sign if sign.isprintable() or sign == "\n" else "?" for sign in str(error))
        Console(stderr=True).print(said, style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(1)


def _speak(context: typer.Context, named: str | None) -> None:
    """--language: for what this command says, and for the kernels that it starts."""
    if named is not None:
        use(named)
        os.environ["COURSE_LANGUAGE"] = named
        _translate(context.command)


def _translate(command: Any) -> None:
    """The help texts of a click command, and of those below it, in the reader's language."""
    command.help = t(command.help or "")
    for parameter in command.params:
        if getattr(parameter, "help", None):
            parameter.help = t(parameter.help)
    for inner in getattr(command, "commands", {}).values():
        _translate(inner)


@app.callback()
def course(
    named: Annotated[
        str | None,
        typer.Option(
            "--language",
            metavar="|".join(LANGUAGES),
            callback=_speak,
            is_eager=True,
            help="the language of the course's own words; default: COURSE_LANGUAGE, else en",
        ),
    ] = None,
) -> None:
    """Interactive notebooks on how machines came to read words in context."""


@app.command()
def lab(chapter: Annotated[str | None, typer.Argument(help="0 to 9, A1 to A3; nothing: all chapters")] = None) -> None:
    """Open JupyterLab, at a chapter if one is named. Ctrl+C ends it."""
    from course_lib.config import project_dir

    root = project_dir()
    folder = root / "notebooks"
    if chapter is None:
        target = folder / "ko" if language() == "ko" and (folder / "ko").is_dir() else folder
    else:
        target = _stored_notebook(chapter)
    # this kernel, not a "python3" of the user's own; and no question about Jupyter news over the first cell
    paths = filter(None, (str(Path(__file__).parent / "jupyter"), os.environ.get("JUPYTER_CONFIG_PATH")))
    own = {"JUPYTER_PREFER_ENV_PATH": "1", "JUPYTER_CONFIG_PATH": os.pathsep.join(paths)}
    if os.path.isdir(named := os.environ.get("COURSE_BERT", "")):
        own["COURSE_BERT"] = os.path.abspath(named)  # notebooks run in another folder
    environment = os.environ | own
    # the whole course is served, since chapters link to their code; the address that is printed leads to the chapter
    command = [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={root}"]
    command.append(f"--LabApp.default_url=/lab/tree/{target.relative_to(root).as_posix()}")
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # Windows has no such function
        typer.echo(t("You are root: notebooks may change every file here. JupyterLab gets --allow-root."), err=True)
        command.append("--allow-root")
    try:
        ended = subprocess.run(command, env=environment)
    except KeyboardInterrupt:
        return
    if ended.returncode:
        raise CourseError(
            t(
                "JupyterLab ended with code {code}. Its last words stand above; `course doctor` looks for what is "
                "missing.",
                code=ended.returncode,
            )
        )


@app.command()
def doctor() -> None:
    """Check that everything the notebooks need is here, and say what to do if not."""
    from rich.console import Console

    from course.doctor import diagnose

    console, findings = Console(highlight=False, soft_wrap=True), diagnose()
    for finding in findings:
        mark, style = ("[ok]", "green") if finding.remedy is None else ("[do]", "red")
        name = finding.name + " " * (16 - columns(finding.name))
        console.print(f"{mark} {name}{finding.found}", style=style, markup=False)
        if finding.remedy is not None:
            console.print(f"     {finding.remedy}", markup=False)
    n_open = sum(finding.remedy is not None for finding in findings)
    if n_open:
        console.print(t("{n} of {all} need something from you.", n=n_open, all=len(findings)))
        raise typer.Exit(1)
    console.print(t("All is well: `course lab` opens the course."), markup=False)


@app.command()
def site(
    out: Annotated[Path | None, typer.Option(help="folder for the pages; default: build/site in the project")] = None,
) -> None:
    """Turn the stored notebooks into a website that needs no server, no kernel and no network; check it."""
    from course.site.build import build_site
    from course_lib.config import project_dir

    typer.echo(build_site(project_dir(), _out_folder(out, "site")))


@app.command()
def models() -> None:
    """List the checkpoints that ship with the course; `course_lib.load(NAME)` opens an encoder."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from course_lib.config import data_dir
    from course_lib.models.shipped import shipped_names

    table = Table(t("name"), t("what it is"), "MB", box=box.SIMPLE)
    table.columns[-1].justify = "right"
    for name in shipped_names():
        folder = data_dir("checkpoints", name)
        megabytes = sum(file.stat().st_size for file in folder.iterdir() if file.is_file()) / 1e6
        title = (folder / "README.md").read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")
        table.add_row(Text(name), Text(title), f"{megabytes:.1f}")
    Console().print(table if table.row_count else t("No checkpoint ships with this version."))


@app.command()
def claims(
    claim_id: Annotated[
        str | None, typer.Argument(help="such as C1.1; nothing: the whole ledger", metavar="[ID]")
    ] = None,
    run: Annotated[bool, typer.Option("--run", help="measure now")] = False,
    profile: Annotated[str | None, typer.Option(help="quick or full; only with --run")] = None,
    record: Annotated[bool, typer.Option("--record", help="keep the values (full profile only)")] = False,
    readme: Annotated[bool, typer.Option("--readme", help="bring both README files up to date, nothing else")] = False,
) -> None:
    """The claims of the field with their verdicts; measure one again."""
    from course.ledger import report

    if not readme:
        report.claims_command(claim_id, measure=run, profile=profile, record=record)
    elif claim_id is not None or run or record or profile is not None:
        raise CourseError("--readme shows the whole ledger and measures nothing. Use it alone.")
    else:
        typer.echo("\n".join(f"Written: {report.write_page(page)}" for page in report.readmes()))


@app.command()
def predict(
    task: Annotated[str, typer.Argument(help="imdb: is an English film review positive (pos) or negative (neg)?")],
    file: Annotated[Path, typer.Argument(help="UTF-8 text, one text a line; - is standard input")],
    out: Annotated[Path | None, typer.Option(help="where to write the labels; default: the screen")] = None,
) -> None:
    """Label a file of texts, one a line, with the best model that ships for the task: one label a line."""
    from course.predict import predict_file
    from course_lib.files import atomic_file

    if out is not None and out.exists() and file.exists() and out.samefile(file):
        raise CourseError(f"--out {out} is the file of texts itself. Give the labels a file of their own.")
    if out is not None and out.exists() and not out.is_file():  # /dev/null would be replaced
        raise CourseError(f"--out {out} is no ordinary file. Give the name of a text file, or leave --out away.")
    if out is not None and not os.path.isdir(out.parent):
        raise CourseError(f"--out {out}: there is no folder {out.parent}. Make it first, or name another one.")
    found = predict_file(task, file)
    labels = "".join(f"{label}\n" for label in found.labels)
    if out is None:
        typer.echo(labels, nl=False)
    else:
        with atomic_file(out, "w") as target:
            target.write(labels)
        n = len(found.labels)
        typer.echo(t("{n} label in {file}" if n == 1 else "{n} labels in {file}", n=n, file=out))
    for says, numbers in found.doubts.items():
        typer.echo(t("Warning: {lines}: {says}", lines=_lines(numbers), says=t(says)), err=True)
    if found.silent:
        says = t(
            "empty, or no word that the model knows. Labelled {label}, by no evidence.",
            label=found.labels[found.silent[0] - 1],
        )
        typer.echo(t("Warning: {lines}: {says}", lines=_lines(found.silent), says=says), err=True)


@app.command()
def ask(
    network: Annotated[str, typer.Argument(help="a BERT that you have kept: its name, such as own-bert, or its file")],
    out: Annotated[Path | None, typer.Option(help="folder for the page; default: build/ask in the project")] = None,
) -> None:
    """Open the page Ask BERT with a network of your own from answers/kept/: what does it expect, where does it look?"""
    import webbrowser

    from course import kept
    from course.site.build import write_ask

    page = write_ask(_out_folder(out, "ask"), Path(network).stem, kept.bytes_of(network)).resolve()
    typer.echo(t("Ask BERT with your network is {page}. If no browser opens, open it in one.", page=page))
    webbrowser.open(page.as_uri())


@app.command()
def text(
    files: Annotated[list[Path], typer.Argument(help="UTF-8 plain text, together 20,000 words or more")],
    name: Annotated[str, typer.Option(help="the text's name in answers/text/")] = "own",
) -> None:
    """Make a text of your own for builds, such as check("7.B", text="own"), and say what is left out of it."""
    from course.lab import own_text

    made = own_text.made_of(files)
    path = own_text.keep(name, made)
    for file, numbers in made.dropped.items():
        values = {"lines": _lines(numbers), "file": file}
        typer.echo(t("{lines} of {file}: left out, because they hold no letter or frame the book.", **values))
    told = {
        key("Sentences of under {n} words, left out: {found}."): (own_text.SHORTEST, made.n_short),
        key("Sentences of over {n} words, cut there: {found}."): (own_text.LONGEST, made.n_cut),
        key("Words behind the first {n}, left out: {found}."): (own_text.MOST, made.n_left),
        key("Words that occur under {n} times, now unknown: {found}."): (own_text.KNOWN_FROM, made.n_unknown),
    }
    for says, (n, found) in told.items():
        if found:
            typer.echo(t(says, n=f"{n:,}", found=f"{found:,}"))
    values = {"file": path, "n": f"{made.n_words:,}", "known": f"{made.n_known:,}", "all": f"{len(made.sentences):,}"}
    typer.echo(t("Kept: {file}, {n} words in {all} sentences, {known} different ones known.", **values))
    typer.echo(t("In a notebook: {call}.", call=f'check("7.B", text="{name}")'))


@app.command()
def slides(
    chapter: Annotated[str, typer.Argument(help="0 to 9; 06 is 6")],
    out: Annotated[Path | None, typer.Option(help="folder for the deck; default: build/slides in the project")] = None,
) -> None:
    """Turn a chapter into a deck of slides: one page that needs no network. S opens the speaker's notes."""
    from course.site.slides import write_slides

    page = write_slides(_stored_notebook(chapter), _out_folder(out, "slides"))
    typer.echo(t("Open {page} in a browser; F fills the screen.", page=page))


@app.command()
def lecture(
    chapter: Annotated[str, typer.Argument(help="a chapter with live cells, such as 4; 06 is 6")],
    out: Annotated[Path | None, typer.Option(help="folder for both; default: build/lecture in the project")] = None,
) -> None:
    """Make a live-coding copy of a chapter: its key cells emptied, the solutions beside it."""
    from course.site.lecture import write_lecture

    copy, solutions = write_lecture(_stored_notebook(chapter), _out_folder(out, "lecture"))
    typer.echo(t("Write in {copy}. The solutions are in {solutions}.", copy=copy, solutions=solutions))


@app.command("class")
def class_page(
    folders: Annotated[list[Path], typer.Argument(help="learners' answer folders or zip files, or folders of these")],
    out: Annotated[Path | None, typer.Option(help="folder for page and tables; default: build/class")] = None,
    rerun: Annotated[bool, typer.Option("--rerun", help="run the answers that say they are solved (Linux)")] = False,
) -> None:
    """What a class got wrong: one page and four CSV tables from the learners' answers. docs/classroom.md says how."""
    from course.classroom.collect import read_class
    from course.classroom.page import write_class
    from course.classroom.rerun import rerun_class

    learners, skipped = read_class(folders)
    verdicts = rerun_class(learners) if rerun else None
    page = write_class(_out_folder(out, "class"), learners, skipped, verdicts)
    values = {"n": len(learners), "skipped": len(skipped), "page": page}
    typer.echo(t("{n} learners, {skipped} things skipped. Open {page}; the tables are beside it.", **values))


def _stored_notebook(chapter: str) -> Path:
    """The chapter's file in notebooks/, in the reader's language if it is there in it, else in English."""
    from course.session import chapter_name
    from course_lib.config import project_dir

    name = chapter_name(chapter.removeprefix("0") or chapter)
    folder, file = project_dir() / "notebooks", f"{name.zfill(2)}_*.ipynb"
    if language() == "ko":
        if korean := sorted((folder / "ko").glob(file)):
            return korean[0]
        typer.echo(t("Chapter {name} is not in Korean yet: the English one is taken.", name=name), err=True)
    found = sorted(folder.glob(file))
    if not found:
        raise CourseError(f"Chapter {name} is not in {folder}. Run `make notebooks` first.")
    return found[0]


def _out_folder(out: Path | None, name: str) -> Path:
    """The folder that --out names; without it build/`name` in the project, of Korean ko/ in it."""
    from course_lib.config import project_dir

    if out is None:
        folder = project_dir() / "build" / name
        return folder if language() == "en" else folder / language()
    for place in (out, *out.parents):
        if os.path.exists(place) and not os.path.isdir(place):
            raise CourseError(f"--out: {place} is a file. Name a folder.")
    return out


def _lines(numbers: list[int], most: int = 20) -> str:
    listed, more = ", ".join(map(str, numbers[:most])), len(numbers) - most
    if more > 0:
        return t("Lines {listed} and {more} more", listed=listed, more=more)
    return t("Line {listed}" if len(numbers) == 1 else "Lines {listed}", listed=listed)


if __name__ == "__main__":
    main()
