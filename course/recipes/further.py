"""Recipes that go on from a checkpoint: our BERTs on more kinds of text, and a masked-LM head for the published one.

An encyclopaedia alone makes an encyclopaedist: *she was born in her ...*. BERT read novels, too (Devlin et al. 2018,
arXiv:1810.04805, section 3.1: 800 million words of books, 2,500 million of Wikipedia).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import torch

from course.recipes import card as cards
from course.recipes import minilm
from course.recipes.bert import rows_of, scores, told
from course.recipes.engine import Job, Recipe, Training, profiles, starting_point, steps_done
from course.recipes.starts import log_frequencies
from course.recipes.texts import (
    ENGLISH,
    EVERYDAY_KOREAN,
    MixedRows,
    PieceText,
    Text,
    encode_corpus,
    language,
    weights_licence,
)
from course_lib.checkpoints import CARD
from course_lib.data.handmade import handmade_gaps
from course_lib.models.bert import Bert
from course_lib.models.shipped import load
from course_lib.text.word_pieces import WordPieces
from course_lib.training import History

MLM_HEAD = "masked-LM head"


@dataclass(frozen=True)
class Settings:
    """start: the checkpoint in the working folder that this one goes on from.

    biases_only: below the masked-LM head only biases and the gains of layer norms move, no matrix and no table
    (Ben Zaken et al. 2022, arXiv:2106.10199).
    """

    training: Training
    start: str
    texts: tuple[Text, ...]
    biases_only: bool = False
    length: int = 64  # of a row; every eighth batch has rows twice as long
    pieces_per_batch: int = 1_024
    masked: float = 0.3
    scored_batches: int = 128


@dataclass(frozen=True)
class Material:
    """By name of the text."""

    pieces: WordPieces
    train: dict[str, PieceText]
    held_out: dict[str, PieceText]


def read(job: Job) -> Material:
    pieces = load(starting_point(job, job.settings.start)).pieces
    parts = {text.name: encode_corpus(text.name, job.out, pieces).split(text.held_out) for text in job.settings.texts}
    train, held_out = ({name: part[side] for name, part in parts.items()} for side in (1, 0))
    return Material(pieces, train, held_out)


def build(job: Job, material: Material) -> Bert:
    model = load(starting_point(job, job.settings.start))
    if job.settings.biases_only:
        model.freeze([name for name, _ in model.layer_groups() if name != MLM_HEAD])
        for numbers in model.parameters():
            numbers.requires_grad_(numbers.requires_grad or numbers.dim() == 1)
        model.fresh_heads = tuple(name for name in model.fresh_heads if name != "mlm")
        with torch.no_grad():  # near the identity, and the pieces' frequencies as first answers
            model.mlm.dense.weight += torch.eye(model.config.d_model)
            model.mlm.bias.copy_(log_frequencies(next(iter(material.train.values())), model.config.vocab_size))
    return model


def batches(job: Job, material: Material, model: Bert) -> MixedRows:
    texts = job.settings.texts
    rows = tuple(
        rows_of(job, material.train[text.name], material.pieces, asks_next=_asks_next(job, text)) for text in texts
    )
    return MixedRows(rows, tuple(text.weight for text in texts), seed=job.seed)


def _asks_next(job: Job, text: Text) -> bool:
    return text.runs_on and not job.settings.biases_only


def _scores(job: Job, material: Material, model: Bert, n_batches: int) -> dict[str, dict[str, float]]:
    """By name of the text."""
    return {
        text.name: scores(
            job, material.held_out[text.name], material.pieces, model, n_batches, asks_next=_asks_next(job, text)
        )
        for text in job.settings.texts
    }


def gaps_filled(bert: Bert, language: str = "en", *, second: bool = False) -> str:
    """Everyday gaps: how often is the first guess a word that makes sense, and how often one of five?"""
    gaps = handmade_gaps(language, second=second)
    guesses = [[piece for piece, _ in bert.fill(sentence)[0]] for sentence, _ in gaps]
    first, five = (
        sum(bool(answers & set(found[:k])) for found, (_, answers) in zip(guesses, gaps, strict=True)) for k in (1, 5)
    )
    return f"first guess {first}, one of five {five}, of {len(gaps)}"


def evaluate(job: Job, material: Material, model: Bert, folder: Path) -> dict[str, str]:
    """Each text by itself: before, where the start can be asked, as trained and as shipped."""
    versions = {"as trained": model, "as shipped": load(folder)}
    if not job.settings.biases_only:
        versions = {f"of {job.settings.start}": load(starting_point(job, job.settings.start))} | versions
    found = {which: _scores(job, material, bert, job.settings.scored_batches) for which, bert in versions.items()}
    rows = {
        f"held out, {text.name}, {which}": told(by_text[text.name])
        for text in job.settings.texts
        for which, by_text in found.items()
    }
    code = {"English": "en", "Korean": "ko"}[language(job.recipe.corpus)]
    rows |= {f"everyday gaps that make sense, {which}": gaps_filled(bert, code) for which, bert in versions.items()}
    rows |= {f"a second forty gaps, {which}": gaps_filled(bert, code, second=True) for which, bert in versions.items()}
    return rows


def watch(job: Job, material: Material, model: Bert) -> dict[str, Any]:
    """Held-out scores on the way, kept in the history."""

    def evaluated(bert: Bert) -> dict[str, float]:
        by_text = _scores(job, material, bert, 32).items()
        return {f"{score}, {name}": value for name, scores in by_text for score, value in scores.items()}

    return {"evaluate": evaluated, "evaluate_every": 2_000}


def describe(job: Job, material: Material, history: History) -> dict[str, str]:
    settings, start = job.settings, starting_point(job, job.settings.start)
    path = start / CARD
    before = cards.parse(path.read_text(encoding="utf-8"), path)[1]["tokens"] if path.exists() else "not said"
    here = steps_done(history) * settings.pieces_per_batch * job.processes
    pieces_before = re.match(r"([\d,]+) pieces", before)
    tokens = here + (int(pieces_before[1].replace(",", "")) if pieces_before else 0)
    head = f"the matrices of {settings.start}; masked-LM head, biases and gains of layer norms learned here"
    what = head if settings.biases_only else "BERT, pre-norm"
    return {
        "model": f"{what}; matrices in six bits, the rest float16",
        "start": f"the checkpoint {settings.start} ({before})",
        "corpus": "; ".join(map(str, settings.texts)),
        "tokens": f"{tokens:,} pieces seen, {settings.masked:.0%} of them masked; {here:,} of them here",
        "final loss": f"{fmean(history.parts['mlm'][-100:]):.3f} nats per masked piece",
    }


def _recipe(
    name: str, title: str, start: str, texts: tuple[Text, ...], training: Training, licence: str = "", **settings: Any
) -> Recipe:
    cpu = Settings(training, start, texts, **settings)
    on_gpu = Training(2 * training.learning_rate, training.betas, minutes=25)
    return Recipe(
        name,
        title,
        texts[0].name,
        licence=licence + weights_licence(texts),
        profiles=profiles(cpu, on_gpu, pieces_per_batch=16 * cpu.pieces_per_batch),
        family=__name__,
        save=minilm.save if settings.get("biases_only") else None,
    )


def _more(steps: int, waves: tuple[int, ...] = ()) -> Training:
    return Training(4e-4, betas=(0.9, 0.98), steps=steps, waves=waves, warm_up=200)


RECIPES = (
    # the first wave is an hour of one thread: what the mix changes is measured there
    _recipe(
        "bert-en",
        f"{language('en')} BERT",
        "bert-en-wiki",
        ENGLISH,
        _more(23_000, waves=(11_000,)),
    ),
    _recipe("bert-ko", f"{language('ko')} BERT", "bert-ko-wiki", EVERYDAY_KOREAN, _more(17_000)),
    _recipe(
        "minilm-mlm-en",
        "A published small BERT (all-MiniLM-L6-v2, English), with a masked-LM head of ours",
        "minilm-en",
        ENGLISH,
        Training(2e-3, betas=(0.9, 0.98), steps=12_000, waves=(4_000,), warm_up=200),
        licence="body: Apache 2.0; head: ",
        biases_only=True,
    ),
)
