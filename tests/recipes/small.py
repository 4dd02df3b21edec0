"""A corpus of a few hundred made-up sentences, and every recipe in a size that trains in a second."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from safetensors.torch import load_file, save_file

from course.recipes import awd_lstm, bert, bilm, cove, further, gpt, heads, job, minilm, reviews, skip_gram
from course.recipes.__main__ import RECIPES
from course.recipes.job import Recipe
from course.recipes.starts import Imitation, TableConfig
from course.recipes.texts import TEXTS
from course.records.curve_tasks import Bench, CurveTask, Effort
from course_lib.checkpoints import TENSORS
from course_lib.data.records import LabelledText, ParallelPair, Sentence
from course_lib.models.bert import Bert, BertConfig
from course_lib.models.cove import CoVeConfig, Seq2SeqConfig
from course_lib.models.skip_gram import SkipGramConfig
from course_lib.text.word_pieces import WordPieces
from tests.lab import four_samples

STEPS = 13
KINDS = [name for name in RECIPES if "-ko" not in name]  # the others: the same code, other texts
NOUNS, VERBS = ("king", "queen", "river", "bank", "car", "tiger"), ("sees", "likes", "finds")
WORDS = ["König", "Königin", "Fluss", "Ufer", "Auto", "Tiger", "sieht", "mag", "findet"]
GERMAN = dict(zip((*NOUNS, *VERBS), WORDS, strict=True))


def sentences(n: int) -> list[list[str]]:
    choose = random.Random(0).choice
    return [["The", choose(NOUNS), choose(VERBS), "the", choose(NOUNS), "."] for _ in range(n)]


def write_corpora(folder: Path) -> None:
    """Where recipes look for the split corpora: seven sentences an article."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [" ".join(words) + "\n" * (number % 7 == 6) for number, words in enumerate(sentences(331))]
    for name in TEXTS:
        (folder / f"{name}.words.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def pairs(name: str, split: str) -> list[ParallelPair]:
    """In place of the public set: word for word, with an empty alignment."""
    found = sentences(67 if split == "train" else 11)
    return [ParallelPair(Sentence.of(s), Sentence.of([GERMAN.get(word, word) for word in s])) for s in found]


def reviews_of(name: str, split: str) -> list[LabelledText]:
    """In place of the public set: kings and queens are good, the rest is bad."""
    ends = {"pos": (". Not a queen!", "!"), "neg": (". It sees<br />no king?", "?")}
    found = []
    for number, words in enumerate(sentences(89)):
        label = "neg" if number < 47 else "pos"
        found.append(LabelledText(" ".join(words[:-1]) + ends[label][number % 2], label))
    return found


def small(recipe: Recipe, **training: object) -> Recipe:
    """The same recipe in small: other numbers in its settings, nothing else."""
    settings = recipe.profiles["cpu"]
    if hasattr(settings, "training"):
        training = {"steps": STEPS, "warm_up": 0, "epochs": None, "minutes": None, "learning_rate": 2e-2, **training}
        settings = replace(settings, training=replace(settings.training, **training))
    transformer = {
        **{"vocab_size": 97, "max_characters": 31, "n_heads": 2, "n_layers": 1, "length": 11, "pieces_per_batch": 79},
        **{"table": TableConfig(pieces=1_009, dim=16), "held_out": 3, "scored_batches": 5},
    }
    lstm = {"batch_size": 11, "length": 5}
    imitation = Imitation(words=1_009, steps=7, batch_size=13)
    translation = {"encoder": CoVeConfig(dim=100, hidden=7), "decoder": Seq2SeqConfig(dim=11)}
    sizes = {
        bert: transformer,
        gpt: transformer,
        awd_lstm: {"vocab_size": 11, "emb_dim": 13, "hidden": 23, "n_layers": 2, **lstm},
        bilm: {"vocab_size": 12, "projection": 16, "hidden": 17, "min_count": 1, "imitation": imitation, **lstm},
        further: {"length": 11, "pieces_per_batch": 79, "scored_batches": 5},
        cove: {"words": 23, "min_count": 1, "batch_size": 7, **translation},
        heads: {"labels": 5, "steps": 3},
        minilm: {},
        reviews: {"terms": 31, "strengths": (1.0, 3.0), "held_out": 14},
        skip_gram: {"words": 11, "threads": 1, "config": SkipGramConfig(dim=5, min_count=1, epochs=2)},
    }
    if hasattr(settings, "texts"):
        settings = replace(settings, texts=tuple(replace(text, held_out=3) for text in settings.texts))
    family = next(family for family in sizes if recipe in family.RECIPES)
    return replace(recipe, profiles={**recipe.profiles, "cpu": replace(settings, **sizes[family])})


def make_starts(recipe: Recipe, out: Path, **training: object) -> None:
    """What the recipe goes on from, in small; after what that goes on from."""
    if start := getattr(recipe.settings(), "start", None):
        make_starts(RECIPES[start], out, **training)
        job.run(small(RECIPES[start], **training), out)


def published(folder: Path) -> Path:
    """In place of the package: a BERT in its files' layout, as published without heads."""
    pieces = WordPieces.train(sentences(331), 97, lowercase=True)
    config = BertConfig(len(pieces), d_model=16, n_heads=2, n_layers=2, d_ff=31, max_units=64)
    Bert(config, pieces).save_pretrained(folder)
    tensors = load_file(folder / TENSORS)
    save_file({name: t for name, t in tensors.items() if not name.startswith("cls.")}, folder / TENSORS)
    return folder


def benches(names: Sequence[str]) -> dict[str, CurveTask]:
    """In place of the label curves' tasks, in the order of their kinds."""
    tasks = zip(names, four_samples.tasks().values(), strict=True)
    return {
        name: CurveTask(task.name, (8,), (), (), lambda task=task: Bench(task, Effort(1, 3, 5, 8)))
        for name, task in tasks
    }


def rated(corpus: str) -> dict[str, list]:
    """In place of people's ratings."""
    return {"three pairs": [("king", "queen", 8.5), ("river", "bank", 6.0), ("car", "tiger", 0.5)]}
