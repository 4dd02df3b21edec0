"""How models that go on from a checkpoint are made: our BERTs on more kinds of text, the published one with a head.

An encyclopaedia alone makes an encyclopaedist: *she was born in her ...*. BERT read novels, too (Devlin et al. 2018,
arXiv:1810.04805, section 3.1: 800 million words of books, 2,500 million of Wikipedia).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from statistics import fmean

import torch

from course.recipes import card, minilm
from course.recipes.bert import SCORED, rows_of, scores, told
from course.recipes.job import Job, Recipe, Training, profiles, six_bits
from course.recipes.starts import log_frequencies
from course.recipes.texts import ENGLISH, EVERYDAY_KOREAN, MixedRows, Text, encode_corpus, weights_licence
from course.sources.handmade import handmade_gaps
from course_lib.checkpoints import CARD
from course_lib.models.bert import Bert
from course_lib.models.shipped import load

# the first wave is an hour of one thread: what the mix changes is measured there
ENGLISH_ON_CPU = Training(4e-4, betas=(0.9, 0.98), steps=23_000, waves=(11_000,), warm_up=200)
KOREAN_ON_CPU = Training(4e-4, betas=(0.9, 0.98), steps=17_000, warm_up=200)
ONCE_MORE_ON_CPU = Training(4e-4, betas=(0.9, 0.98), steps=12_000, warm_up=200)
HEAD_ON_CPU = Training(2e-3, betas=(0.9, 0.98), steps=12_000, waves=(4_000,), warm_up=200)
ON_GPU = Training(1.5e-3, betas=(0.9, 0.98), minutes=15)
MLM_HEAD = "masked-LM head"


@dataclass(frozen=True)
class Settings:
    """As given here, those of bert-en-everyday.

    start: the checkpoint in the working folder that this one goes on from.
    biases_only: below the masked-LM head only biases and the gains of layer norms move, no matrix and no table
    (Ben Zaken et al. 2022, arXiv:2106.10199).
    """

    training: Training = ENGLISH_ON_CPU
    start: str = "bert-en-wiki"
    texts: tuple[Text, ...] = ENGLISH
    biases_only: bool = False
    length: int = 64  # of a row; every eighth batch has rows twice as long
    pieces_per_batch: int = 1_024
    masked: float = 0.3
    scored_batches: int = 128


def train(job: Job) -> None:
    settings, texts = job.settings, job.settings.texts
    start = job.starting_point(settings.start)

    # The texts, in the pieces of the checkpoint that it goes on from
    pieces = load(start).pieces
    parts = {text.name: encode_corpus(text.name, job.out, pieces).split(text.held_out) for text in texts}
    asks_next = {text.name: text.runs_on and not settings.biases_only for text in texts}

    # The model
    torch.manual_seed(job.seed)
    model = load(start)
    if settings.biases_only:
        open_biases(model)
        with torch.no_grad():  # near the identity, and the pieces' frequencies as first answers
            model.mlm.dense.weight += torch.eye(model.config.d_model)
            model.mlm.bias.copy_(log_frequencies(parts[texts[0].name][1], model.config.vocab_size))

    # The training; held-out scores on the way are kept in the history
    rows, unseen = {}, {}
    for name, (held_out, to_read) in parts.items():
        rows[name] = rows_of(settings, to_read, pieces, job.reading_seed, settings.masked, asks_next=asks_next[name])
        unseen[name] = rows_of(settings, held_out, pieces, job.seed, SCORED, asks_next=asks_next[name])
    mixed = MixedRows(tuple(rows.values()), tuple(text.weight for text in texts), seed=job.reading_seed)

    def scored(bert: Bert) -> dict[str, float]:
        by_text = {name: scores(of_text, bert, 32) for name, of_text in unseen.items()}
        return {f"{score}, {name}": value for name, found in by_text.items() for score, value in found.items()}

    save = minilm.save if settings.biases_only else six_bits
    history = job.fit(model, mixed, save, evaluate=scored, evaluate_every=2_000)
    if not job.is_first:
        return

    # The checkpoint and its card: each text by itself, before, where the start can be asked, as trained and as shipped
    save(model, folder := job.new_folder())
    versions = {"as trained": model, "as shipped": load(folder)}
    if not settings.biases_only:
        versions = {f"of {settings.start}": load(start)} | versions
    told_of = {
        f"held out, {name}, {which}": told(scores(of_text, bert, settings.scored_batches))
        for name, of_text in unseen.items()
        for which, bert in versions.items()
    }
    code = texts[0].name[:2]  # en or ko
    for what, second in (("everyday gaps that make sense", False), ("a second forty gaps", True)):
        for which, bert in versions.items():
            told_of[f"{what}, {which}"] = gaps_filled(bert, code, second=second)
    path = start / CARD
    before = card.parse(path.read_text(encoding="utf-8"), path)[1]["tokens"] if path.exists() else "not said"
    here = history.steps[-1] * settings.pieces_per_batch * job.processes
    pieces_before = re.match(r"([\d,]+) pieces", before)
    tokens = here + (int(pieces_before[1].replace(",", "")) if pieces_before else 0)
    head = f"the matrices of {settings.start}; masked-LM head, biases and gains of layer norms learned here"
    what = head if settings.biases_only else "BERT, pre-norm"
    facts = {
        "model": f"{what}; matrices in six bits, the rest float16",
        "start": f"the checkpoint {settings.start} ({before})",
        "corpus": "; ".join(map(str, texts)),
        "tokens": f"{tokens:,} pieces seen, {settings.masked:.0%} of them masked; {here:,} of them here",
        "final loss": f"{fmean(history.parts['mlm'][-100:]):.3f} nats per masked piece",
    }
    job.write_card(facts, told_of, history.seconds)


def open_biases(model: Bert) -> None:
    model.freeze([name for name, _ in model.layer_groups() if name != MLM_HEAD])
    for numbers in model.parameters():
        numbers.requires_grad_(numbers.requires_grad or numbers.dim() == 1)
    model.fresh_heads = tuple(name for name in model.fresh_heads if name != "mlm")


def gaps_filled(bert: Bert, language: str = "en", *, second: bool = False) -> str:
    """Everyday gaps: how often is the first guess a word that makes sense, and how often one of five?"""
    gaps = handmade_gaps(language, second=second)
    guesses = [[piece for piece, _ in bert.fill(sentence)[0]] for sentence, _ in gaps]
    first, five = (
        sum(bool(answers & set(found[:k])) for found, (_, answers) in zip(guesses, gaps, strict=True)) for k in (1, 5)
    )
    return f"first guess {first}, one of five {five}, of {len(gaps)}"


def _recipe(name: str, title: str, settings: Settings, licence: str = "") -> Recipe:
    # 64 times as many pieces in a step: with 16 times as many an H100 waits for the host, and a step is no shorter
    by_profile = profiles(settings, ON_GPU, pieces_per_batch=64 * settings.pieces_per_batch)
    return Recipe(name, title, licence + weights_licence(settings.texts), by_profile, train)


RECIPES = (
    _recipe("bert-en-everyday", "English BERT, after one reading of everyday text", Settings()),
    _recipe(
        "bert-ko-everyday",
        "Korean BERT, after one reading of everyday text",
        Settings(KOREAN_ON_CPU, start="bert-ko-wiki", texts=EVERYDAY_KOREAN),
    ),
    _recipe("bert-en", "English BERT", Settings(ONCE_MORE_ON_CPU, start="bert-en-everyday")),
    _recipe(
        "bert-ko",
        "Korean BERT",
        Settings(ONCE_MORE_ON_CPU, start="bert-ko-everyday", texts=EVERYDAY_KOREAN),
    ),
    _recipe(
        "minilm-mlm-en",
        "A published small BERT (all-MiniLM-L6-v2, English), with a masked-LM head of ours",
        Settings(HEAD_ON_CPU, start="minilm-en", biases_only=True),
        licence="body: Apache 2.0; head: ",
    ),
)
