"""The last line of `make test`: all test runs added up, in pytest's words (`python -m tests.summary FOLDER`)."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ET
from pathlib import Path


def summary(folder: Path) -> str:
    """From the JUnit files in `folder`. Raises SystemExit if there is none: then nothing was tested."""
    suites = [suite for file in sorted(folder.glob("*.xml")) for suite in ET.parse(file).getroot().iter("testsuite")]
    if not suites:
        raise SystemExit(f"No test report in {folder}: nothing was tested.")
    tests, skipped, failures, errors = (
        sum(int(suite.get(kind)) for suite in suites) for kind in ("tests", "skipped", "failures", "errors")
    )
    seconds = sum(float(suite.get("time")) for suite in suites)
    counts = {"passed": tests - skipped - failures - errors, "failed": failures, "errors": errors, "skipped": skipped}
    parts = [f"{count} {what}" for what, count in counts.items() if count or what == "passed"]
    return f"==== {', '.join(parts)} in {seconds:.2f}s ===="


if __name__ == "__main__":
    print(summary(Path(sys.argv[1])))
