"""bench.json, and the table."""

from __future__ import annotations

import json
import os
import platform
from pathlib import Path

import torch

from course_lib.files import atomic_file


def machine() -> dict[str, object]:
    """What the numbers were measured on."""
    found = {"cpu": _cpu_name(), "cores": os.cpu_count()}
    found |= {"python": platform.python_version(), "torch": torch.__version__}
    if torch.cuda.is_available():
        found["gpu"] = torch.cuda.get_device_name()
    return found


def merge(path: Path, rows: list[dict]) -> None:
    """Put the rows into the file: those measured anew replace those with the same id, the others stay."""
    old = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"rows": []}
    by_id = {row["id"]: row for row in [*old["rows"], *rows]}
    _write(path, {**old, "machine": machine(), "rows": list(by_id.values())})


def keep_latency(path: Path, latency: dict) -> None:
    """Put the widgets' latency beside the rows, in place of an older one: it compares with a bar, not with a peer."""
    old = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"machine": machine(), "rows": []}
    _write(path, {**old, "latency": {"cpu": _cpu_name(), **latency}})


def _write(path: Path, report: dict) -> None:
    with atomic_file(path) as file:
        file.write((json.dumps(report, indent=1, ensure_ascii=False) + "\n").encode())


def table(rows: list[dict]) -> str:
    """One line per row: ours, theirs, ratio with its range, quality, peak memory."""
    lines = [("row", "ours", "theirs", "unit", "ratio (range, pairs)", "quality ours / theirs", "peak MB")]
    for row in rows:
        quality = row.get("quality") or {}
        scores = [f"{key} {quality['ours'][key]:.3f} / {quality['theirs'][key]:.3f}" for key in quality.get("ours", {})]
        spread = f"{row['ratio']:.2f} ({row['ratio_min']:.2f}-{row['ratio_max']:.2f}, {row['pairs']})"
        peak = " / ".join(f"{value:,.0f}" for value in row.get("peak_mb") or [])
        speeds = _short(row["ours"]), _short(row["theirs"])
        lines.append((row["id"], *speeds, row["unit"], spread, ", ".join(scores), peak))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    padded = ([cell.ljust(width) for cell, width in zip(line, widths, strict=True)] for line in lines)
    return "\n".join("  ".join(line).rstrip() for line in padded)


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _cpu_name() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
