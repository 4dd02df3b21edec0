"""The lighter commands, one after the other in one process: `python commands.py TEXTS`, on a machine with bad luck.

TEXTS is a file of reviews; what is written goes beside it.

What stands above the line END must be the same everywhere; below it is what may speak of the machine.
"""

import sys
from pathlib import Path

END = "-- the same everywhere until here --"


def course(*arguments: str) -> None:
    from course.cli import main

    print("$ course", arguments[0], flush=True)
    sys.argv = ["course", *arguments]
    try:
        main()
    except SystemExit as error:
        print("exit", error.code or 0, flush=True)


def everything(texts: Path) -> None:
    folder, labels = texts.parent, texts.with_name("labels.txt")
    course("claims", "C1.1")
    course("claims", "C9.9")
    course("predict", "imdb", str(texts))
    course("predict", "imdb", str(texts), "--out", str(labels))
    print(labels.read_text(encoding="utf-8").split())
    course("lecture", "1", "--out", str(folder / "lecture"))
    print(sorted(path.name for path in (folder / "lecture").iterdir()))

    import course_lib
    from course.figures import use_course_style
    from course.sources.handmade import handmade_names

    vectors = course_lib.load("skipgram-ko").encode([["배", "가"]])[0]
    print(vectors.shape, f"{float(abs(vectors).sum()):.3f}", len(handmade_names("ko")))
    use_course_style()
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots()
    axes.set_title("배가 떠 있다: ε")
    figure.savefig(folder / "figure.png")
    print((folder / "figure.png").stat().st_size > 3_000)
    print(END, flush=True)
    course("claims")
    course("models")
    course("data", "list")
    course("data", "verify", "sst2")
    course("doctor")
    print("done", flush=True)


if __name__ == "__main__":
    everything(Path(sys.argv[1]))
