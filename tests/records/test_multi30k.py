"""The Multi30k experiment on 20 sentence pairs: interrupted or not, it records the same, and all of it."""

import shutil
from dataclasses import replace
from itertools import product

import pytest

from course.records import multi30k
from course.records.multi30k import SAMPLES, Corpus, Sizes, joined, record
from course.records.translation import STORES, recorded_translation
from course_lib.data.records import ParallelPair, Sentence
from course_lib.models.transformer import TransformerConfig
from course_lib.text.pieces import TOKENIZER_FILE, Pieces

WHO = {"A man": "Ein Mann", "A girl": "Ein Mädchen", "The dog": "Der Hund", "A boy": "Ein Junge"}
WHAT = {
    "runs, fast.": "rennt, schnell.", "sits on a well-known bench.": "sitzt auf einer weiß-grünen Bank.",
    "is asleep.": "schläft.", "sees a red car.": "sieht ein rotes Auto.", "eats.": "isst.",
}  # fmt: skip
PAIRS = [
    ParallelPair(Sentence.of(f"{who} {what}"), Sentence.of(f"{WHO[who]} {WHAT[what]}"))
    for who, what in product(WHO, WHAT)
]
CORPUS = Corpus([joined(pair) for pair in PAIRS], [joined(pair) for pair in PAIRS[:7]], PAIRS)
SIZES = Sizes(
    TransformerConfig(d_model=16, n_heads=2, n_layers=1, d_ff=23, dropout=0.1, norm="pre"),
    pieces=90, tokens=60, rate=0.4, warmup=10, max_steps=70, every=10, keep=3,
)  # fmt: skip


def test_resumed_it_records_what_an_uninterrupted_training_does(tmp_path, monkeypatch, own_records):
    whole = record(corpus=CORPUS, sizes=SIZES, folder=tmp_path / "whole")
    cut, real = tmp_path / "cut", multi30k.averaged
    cut.mkdir()
    shutil.copy(tmp_path / "whole" / TOKENIZER_FILE, cut)  # learned anew, equal counts may be joined in another order

    def interrupting(*args):
        watcher = real(*args)

        def watch(step):
            watcher(step)
            if step == 45:
                raise KeyboardInterrupt

        return watch

    with monkeypatch.context() as patch:
        patch.setattr(multi30k, "averaged", interrupting)
        STORES["multi30k"].path.unlink()
        with pytest.raises(KeyboardInterrupt):
            record(corpus=CORPUS, sizes=SIZES, folder=cut)
        assert recorded_translation("multi30k") is None
    resumed = record(corpus=CORPUS, sizes=SIZES, folder=cut)
    assert (resumed.scores, resumed.samples) == (whole.scores, whole.samples)
    assert resumed.facts["target pieces"] == whole.facts["target pieces"]


def test_the_record_is_complete(tmp_path, monkeypatch, own_records):
    words = Pieces.words(side.words for pair in CORPUS.train for side in (pair.source, pair.target))
    monkeypatch.setattr(multi30k, "_pieces", lambda *_: words)  # the same each time, and soon learned
    made = record(minutes=30, corpus=CORPUS, sizes=SIZES, folder=tmp_path / "run")
    kept = recorded_translation("multi30k")
    assert replace(kept, scores=made.scores, facts=made.facts, sizes=made.sizes, run=made.run) == made
    assert (kept.facts, kept.sizes, kept.run) == (made.facts, made.sizes, made.run)
    assert kept.scores[-1].bleu > 5  # something was learned
    assert [(s.weights, s.decoding) for s in kept.scores] == [
        *product(("last", "mean of the last 3"), ("greedy", "beam 4"))
    ]
    assert all(s.low <= s.bleu <= s.high for s in kept.scores)
    assert kept.run["command"] == "python -m course.records.multi30k --minutes 30"
    assert [s.source for s in kept.samples] == [pair.source.text for pair in SAMPLES]
    assert not {s.source for s in kept.samples} & {pair.source.text for pair in PAIRS}
    assert kept.facts["steps"] == 70
    model, _ = multi30k.train(CORPUS, SIZES, tmp_path / "run", 40, 0)
    an_epoch = sum(len(model.pieces.ids(pair.target.words)) + 1 for pair in CORPUS.train)  # and [EOS]
    assert made.facts["epochs"] == round(made.facts["target pieces"] / an_epoch, 1)
    steps_in_an_epoch = len(list(model.batches(CORPUS.train, tokens=SIZES.tokens)(0)))
    assert made.facts["epochs"] == pytest.approx(70 / steps_in_an_epoch, abs=0.5)
