"""Is an answer that says it is solved solved? Each is run in a process of its own and judged here, from its results.

Linux cuts off what that process may do before the answer's first line runs: no network, no other program, nothing
written or removed, seconds and memory counted. What it sends back is read as JSON, never as objects. This is no wall
against a break-in made for it: run strangers' code where a mistake costs nothing.
"""

from __future__ import annotations

import ast
import copy
import ctypes
import inspect
import json
import multiprocessing
import os
import platform
import re
import struct
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import cycle
from typing import Any

import torch

from course.check import registry
from course.check.compare import same
from course.check.exercise import Exercise
from course.check.judge import judge
from course.classroom.collect import Learner
from course_lib.config import project_dir
from course_lib.errors import CourseError
from course_lib.language import key, t
from course_lib.progress import Progress

SECONDS, MEMORY, _MOST_BYTES = 20.0, 1 << 30, 5_000_000  # for one answer; bytes of memory beside what PyTorch takes
RIGHT, NOT_ALONE = "right", "cannot be run without other cells"
_IMPORT = re.compile(r"(import|from [\w.]+ import) [\w., ]+$")
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_REFUSED = ("socket.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.system", "os.remove", "os.rename")
_REFUSED += ("os.rmdir", "os.mkdir", "os.truncate", "os.ch", "os.link", "os.symlink", "os.kill", "shutil.", "ctypes.")
# Linux's names of processors (audit.h) and numbers (unistd.h) of socket, execve, execveat, io_uring_setup, ptrace,
# process_vm_writev, kill, tgkill, unlink(at), rename(at, at2), rmdir, truncate, (f)chmod(at), creat, openat2,
# mkdir(at), mknod(at), (l)setxattr, utimensat, (v)fork; then clone, and open(at) with the place of its flags
_FORBIDDEN = {
    "x86_64": (
        0xC000003E,
        (*(41, 59, 322, 425, 101, 311, 62, 234, 87, 263, 82, 264, 316, 84, 76, 90, 268, 85, 437, 83, 258),
         *(133, 259, 188, 189, 280, 57, 58)),
        56, {2: 1, 257: 2},
    ),
    "aarch64": (
        0xC00000B7,
        (198, 221, 281, 425, 117, 271, 129, 131, 35, 38, 276, 45, 53, 437, 34, 33, 5, 6, 88),
        220, {56: 2},
    ),
}  # fmt: skip


def rerun_class(learners: Sequence[Learner]) -> dict[tuple[str, str], str]:
    """(learner, exercise) -> `rerun` of the last version that says it is right."""
    claims = {
        (learner.name, exercise): version["source"]
        for learner in learners
        for exercise, versions in learner.tries.items()
        for version in versions
        if version["state"] == "right"
    }
    verdicts = {}
    with Progress("answers run again", total=len(claims), unit="answers") as bar:
        for (name, exercise), source in claims.items():
            verdicts[name, exercise] = rerun(exercise, source)
            bar.update(len(verdicts))
    return verdicts


def rerun(exercise_id: str, cell: str) -> str:
    """RIGHT, NOT_ALONE, or in a few words why it is not right. cell: the source that was kept."""
    if sys.platform != "linux" or platform.machine() not in _FORBIDDEN:
        raise CourseError("--rerun needs Linux on x86-64 or arm64: only there are answers shut in before they run.")
    receive, send = multiprocessing.Pipe(duplex=False)
    process = _processes().Process(target=_alone, args=(send, exercise_id, cell), daemon=True)
    process.start()
    send.close()
    end, raw, part = time.monotonic() + SECONDS, b"", b"any"
    while part and len(raw) <= _MOST_BYTES and receive.poll(max(0, end - time.monotonic())):
        raw += (part := os.read(receive.fileno(), 1 << 16))
    process.kill()
    process.join()
    receive.close()
    if part:
        return t("no end after {n} s, or too much", n=f"{SECONDS:g}")
    return _verdict(registry.find(exercise_id), raw)


@cache
def _processes():
    """Start processes that have read PyTorch and the exercises already, and nothing of this one."""
    context = multiprocessing.get_context("forkserver")
    exercises = (exercise for chapter in registry.chapters() for exercise in registry.of_chapter(chapter))
    context.set_forkserver_preload([__name__, *(exercise.solution.__module__ for exercise in exercises)])
    return context


def _verdict(exercise: Exercise, raw: bytes) -> str:
    try:
        pairs = zip(json.loads(raw), exercise.probes, strict=True)
        outcomes = [(kind, _decoded(value) if kind == "value" else str(value)[:200]) for (kind, value), _ in pairs]
    except Exception:  # killed for memory, ended early, or made up
        return t("ended without a result")
    for kind, what in outcomes:
        if kind == "open" and not raw.startswith(b" "):
            raise CourseError(f"--rerun: this machine cannot shut answers in ({what}), so none is run.")
        if kind != "value":  # what an answer wrote itself may be any word
            return t("ended without a result") if what == RIGHT else what
    results = cycle(value for _, value in outcomes)  # `judge` asks the first one once more
    result = judge(exercise, lambda *inputs: next(results))
    return RIGHT if result.right else result.mistake or t("wrong")


# -- in the answer's process ------------------------------------------------------------------------------------------
def _alone(pipe: Any, exercise_id: str, cell: str) -> None:
    exercise, kind = registry.find(exercise_id), "open"
    try:
        torch.set_num_threads(1)  # those of the process that this one was forked from did not come along
        _shut_in()
        os.write(pipe.fileno(), b" ")  # it stands: who says from now on that it does not has made that up
        kind, imports = "error", _imports(exercise, cell)
        answer = _function(cell, imports, exercise.solution.__name__)
        outcomes = [_outcome(answer, probe.inputs) for probe in exercise.probes]
    except (NameError, SyntaxError) as error:
        said = NOT_ALONE if isinstance(error, NameError) else key("is no Python")
        outcomes = [("error", said)] * len(exercise.probes)
    except Exception as error:
        outcomes = [(kind, f"{type(error).__name__}: {error}")] * len(exercise.probes)
    os.write(pipe.fileno(), json.dumps(outcomes).encode())


def _outcome(answer: Any, inputs: tuple) -> tuple[str, Any]:
    given = copy.deepcopy(inputs)
    result = answer(*given)
    return ("value", _encoded(result)) if same(given, inputs) else ("error", "changes its input")


def _imports(exercise: Exercise, cell: str) -> list[ast.stmt]:
    """Of the imports of the chapter, and of the exercise's file, those that bind a name which the cell uses."""
    used = {node.id for node in ast.walk(ast.parse(cell)) if isinstance(node, ast.Name)} - {"check"}
    sources = [inspect.getsource(sys.modules[exercise.solution.__module__])]
    for path in (project_dir() / "notebooks" / "text").glob(f"{int(exercise.id.split('.')[0]):02}_*.md"):
        sources += [line for line in path.read_text(encoding="utf-8").splitlines() if _IMPORT.match(line)]
    found = (
        node for source in sources for node in ast.parse(source).body if isinstance(node, ast.Import | ast.ImportFrom)
    )
    return [node for node in found if used & {alias.asname or alias.name.split(".")[0] for alias in node.names}]


def _function(cell: str, imports: list[ast.stmt], name: str) -> Any:
    names, handed = {"__name__": "__main__"}, []
    exec(compile(ast.Module(imports, []), "imports", "exec"), names)
    names["check"] = lambda exercise, answer, **_: handed.append(answer)
    exec(compile(cell, "answer", "exec"), names)
    return handed[-1] if handed else names[name]


def _shut_in() -> None:
    import resource  # Windows has none, and does not come here

    sys.dont_write_bytecode = True
    tempfile.gettempdir()  # it tries by writing; PyTorch asks for it on the device "meta"
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)
    with open("/proc/self/statm") as file:
        memory = int(file.read().split()[0]) * resource.getpagesize() + MEMORY
    for limit, value in {"AS": memory, "CPU": int(SECONDS) + 1, "FSIZE": 0, "CORE": 0}.items():
        resource.setrlimit(getattr(resource, f"RLIMIT_{limit}"), (value, value))
    _forbid_calls(*_FORBIDDEN[platform.machine()])
    sys.addaudithook(_refuse)


def _forbid_calls(architecture: int, calls: Sequence[int], clone: int, opens: Mapping[int, int]) -> None:
    """For this process, for good, by a seccomp filter (Linux, userspace-api/seccomp_filter)."""
    step = lambda code, value, yes=0, no=0: struct.pack("HBBI", code, yes, no, value)  # noqa: E731
    load, equal, at_least, has, answer = 0x20, 0x15, 0x35, 0x45, 0x06
    refuse = step(answer, 0x00050000 | 13)  # errno 13: permission denied
    program = step(load, 4) + step(equal, architecture, 1) + refuse + step(load, 0)
    program += step(at_least, 0x40000000, 0, 1) + refuse  # the same calls by other numbers
    # clone without CLONE_THREAD; open for writing: the hook below does not see what PyTorch or SQLite opens
    program += step(equal, clone, 0, 4) + step(load, 16) + step(has, 0x10000, 1) + refuse + step(load, 0)
    for number, place in opens.items():
        flags = step(load, 16 + 8 * place) + step(has, _WRITING, 0, 1)
        program += step(equal, number, 0, 4) + flags + refuse + step(load, 0)
    program += b"".join(step(equal, number, 0, 1) + refuse for number in calls) + step(answer, 0x7FFF0000)
    held = ctypes.create_string_buffer(program)
    given = ctypes.create_string_buffer(struct.pack("@HP", len(program) // 8, ctypes.addressof(held)))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    no_new_privileges, set_filter = (38, 1, 0, 0, 0), (22, 2, ctypes.addressof(given), 0, 0)
    for call in (no_new_privileges, set_filter):
        if prctl(*map(ctypes.c_ulong, call)):
            raise OSError(os.strerror(ctypes.get_errno()))


def _refuse(event: str, args: tuple) -> None:
    if event.startswith(_REFUSED) or (event == "open" and isinstance(args[2], int) and args[2] & _WRITING):
        raise PermissionError(f"an answer may not: {event}")


# -- results as JSON --------------------------------------------------------------------------------------------------
def _encoded(value: Any) -> Any:
    if hasattr(value, "tolist"):
        numbers = value.tolist()
        named = isinstance(numbers, list) and numbers and isinstance(numbers[0], str)  # a probe's own parameter
        return numbers if named else {"tensor": [list(value.shape), numbers]}
    if isinstance(value, dict):
        return {"dict": [[_encoded(key), _encoded(item)] for key, item in value.items()]}
    if isinstance(value, set | frozenset):
        return {"set": [_encoded(item) for item in value]}
    if isinstance(value, list | tuple):
        return [_encoded(item) for item in value]
    return value if isinstance(value, str | int | float | None) else {"other": []}


def _decoded(code: Any) -> Any:
    if isinstance(code, list):
        return tuple(map(_decoded, code))  # for `same` a list and a tuple are one
    if not isinstance(code, dict):
        return code
    [(kind, parts)] = code.items()
    if kind == "tensor":
        return torch.tensor(parts[1]).reshape(parts[0])
    if kind == "dict":
        return {_decoded(key): _decoded(item) for key, item in parts}
    return set(map(_decoded, parts)) if kind == "set" else object()
