"""Every model, head, training, search and recipe on a device of its own, without one: see device_mode.py."""

import copy
from concurrent.futures import Executor, Future
from functools import partial

import numpy as np
import pytest
import torch
from torch import nn

from course.recipes import job
from course.recipes.__main__ import RECIPES
from course_lib.data.streams import TextStreams, TwoWayStreams
from course_lib.models import skip_gram_trainer
from course_lib.models.decoding import beam_search, greedy
from course_lib.training import fit, processes
from tests.device_mode import FAR, is_far, other_device
from tests.lab import four_samples
from tests.models.awd_lstms import small_awd_lstm
from tests.models.battery import BANK, RIVER, SENTENCES
from tests.models.bilms import small_bilm
from tests.models.small_berts import small_bert
from tests.models.small_transformers import small_lm
from tests.models.test_bert import masked_pairs
from tests.models.test_cove import make_pairs, make_seq2seq
from tests.models.test_encoders import ENCODERS
from tests.models.test_heads import HEADS
from tests.models.test_translator import SOURCES, loud_translator
from tests.recipes.conftest import out  # noqa: F401  (a fixture)
from tests.recipes.small import KINDS, make_starts, small
from tests.training import nets
from tests.training.nets import Stop, crash


class Generator(torch.Generator):
    """One for FAR is one for the CPU."""

    def __new__(cls, device=None):
        return super().__new__(cls)


class Inline(Executor):
    """Work is done by who hands it in."""

    def submit(self, call, *args):
        done = Future()
        done.set_result(call(*args))
        return done


@pytest.fixture
def mode(monkeypatch):
    """The mode is on, and every training that is not told "cpu" chooses FAR."""
    for module in (processes, skip_gram_trainer):
        monkeypatch.setattr(module, "choose_device", lambda name=None: torch.device(name or FAR))
    monkeypatch.setattr(skip_gram_trainer, "ThreadPoolExecutor", lambda *_, **__: Inline())  # its own thread only
    monkeypatch.setattr(torch, "Generator", Generator)
    with other_device() as running:
        yield running
    assert running.n_calls > 3


# -- what the mode sees
class Careless(nn.Module):
    def __init__(self, made):
        super().__init__()
        self.table, self.made = nn.Embedding(7, 3), made

    def forward(self, ids):
        return self.table(ids) + self.made(ids)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda ids: torch.zeros(3), "zeros without a device"),
        (lambda ids: torch.ones(3, device="cpu"), "add mixes"),
        (lambda ids: torch.from_numpy(np.ones(3, np.float32)), "add mixes"),
        (lambda ids: ids.cpu().float()[:, None], "add mixes"),
        (lambda ids: torch.tensor(ids.numpy()), "numpy of a tensor"),
    ],
)
def test_a_careless_module_is_caught(made, words, mode):
    model = Careless(made).to(FAR)
    with pytest.raises(AssertionError, match=words):
        model(torch.tensor([1, 2, 5]).to(FAR))


@pytest.mark.parametrize(
    "made",
    [
        lambda ids: torch.zeros(3, device=ids.device),
        lambda ids: torch.zeros_like(ids)[:, None],
        lambda ids: ids.new_ones(3).float(),
        lambda ids: ids.cpu().to(ids.device)[:, None],
        lambda ids: torch.tensor(ids.tolist(), device=ids.device)[:, None],
        lambda ids: copy.deepcopy(nn.Linear(1, 3, device=ids.device)).bias,
    ],
)
def test_a_careful_module_computes_the_same_numbers_as_without_the_mode(made):
    model, ids = Careless(made), torch.tensor([1, 2, 5])
    torch.manual_seed(1)
    expected = model(ids)
    with other_device():
        moved = copy.deepcopy(model).to(FAR)
        torch.manual_seed(1)
        found = moved(ids.to(FAR))
        assert found.device == FAR
        assert is_far(found)
        assert not is_far(found.cpu())
        assert ids.device == torch.device("cpu")
        found.sum().backward()
        assert is_far(moved.table.weight.grad)
        with pytest.raises(AssertionError, match="add mixes"):
            found.detach() + ids[:, None]
    assert not any(map(is_far, model.parameters()))
    torch.testing.assert_close(found.cpu(), expected)


# -- the course's
@pytest.mark.parametrize("kind", ENCODERS)
def test_encoders(kind, mode):
    encoder = ENCODERS[kind]().to(FAR)
    encoding = encoder.states(encoder.batch(SENTENCES).to(FAR))
    assert all(map(is_far, (encoding.layers, encoding.mask, encoding.segment, encoding.sentence)))
    assert all(isinstance(vectors, np.ndarray) for vectors in encoder.encode([BANK, RIVER]))
    pairs = encoder.states(encoder.batch([BANK], [RIVER]).to(FAR))
    assert is_far(pairs.layers)
    if encoder.reads_pairs or kind.startswith("left"):
        weights, _ = encoder.attentions(encoder.batch([BANK]).to(FAR))
        assert all(map(is_far, weights))


@pytest.mark.parametrize("name", HEADS)
def test_heads(name, mode):
    """Two steps of `fit` on FAR, then answers."""
    make, records, asked = HEADS[name]
    head = make()
    history = fit(head, head.batches(records, 5), steps=2, show=False, evaluate=lambda net: {"n": 1}, evaluate_every=1)
    assert np.isfinite(history.losses).all()
    assert all(map(is_far, head.parameters()))
    assert len(head.predict(asked)) == len(asked)


@pytest.mark.parametrize("cache", [True, False])
@pytest.mark.parametrize("search", [greedy, partial(beam_search, beam=3)], ids=["greedy", "beam"])
def test_searches(search, cache, mode):
    model = loud_translator()
    expected = [found.ids for found in search(model, SOURCES, max_steps=7, cache=cache)]
    assert [found.ids for found in search(model.to(FAR), SOURCES, max_steps=7, cache=cache)] == expected


def test_bert_fills_and_a_seq2seq_translates(mode):
    bert = four_samples.bert().to(FAR)
    assert len(bert.fill("the [MASK] was [MASK] .", k=3)) == 2
    pairs = make_pairs(7)
    model = make_seq2seq(pairs)
    fit(model, model.batches(pairs, 3), steps=2, show=False)
    assert len(model.translate([pair.source for pair in pairs], max_words=5)) == 7


LANGUAGE_MODELS = {
    "two directions": (lambda: small_bilm([f"w{number}" for number in range(9)]), TwoWayStreams),  # its carry is a dict
    "awd-lstm": (small_awd_lstm, TextStreams),
}
TEXT = [[1, 3, 2, 4, 5, 2, 3], [2, 2, 3, 1, 4]] * 7


@pytest.mark.parametrize("kind", LANGUAGE_MODELS)
def test_a_training_that_goes_on_brings_its_carry_along(kind, tmp_path, mode):
    make, text = LANGUAGE_MODELS[kind]
    model = make()
    training = partial(fit, model, text(TEXT, 3, 4), steps=5, folder=tmp_path, save_every=1e-9, show=False, seed=1)
    with pytest.raises(Stop):
        training(watchers=[crash(4)])
    training()
    assert all(map(is_far, model.parameters()))


def on_text(make, text=TextStreams):
    return make(), next(iter(text(TEXT, 3, 4)()))


def on_head(name):
    make, records, _ = HEADS[name]
    head = make()
    return head, next(iter(head.batches(records, 5)(0)))


def on_pairs(make):
    pairs = make_pairs(7)
    model = make(pairs)
    return model, model.batch(pairs)


def bert_and_pairs():
    bert = small_bert(BANK + RIVER)
    return bert, masked_pairs(bert, [BANK], [RIVER], torch.tensor([True]))


STEPS = {
    "bert": bert_and_pairs,
    "left-to-right": partial(on_text, partial(small_lm, BANK)),
    "seq2seq": partial(on_pairs, make_seq2seq),
    "translator": partial(on_pairs, lambda pairs: loud_translator()),
    **{name: partial(on_text, *given) for name, given in LANGUAGE_MODELS.items()},
    **{name: partial(on_head, name) for name in HEADS},
}


@pytest.mark.parametrize("name", STEPS)
def test_no_step_waits_for_the_device(name, mode):
    model, batch = STEPS[name]()
    model, batch = model.to(FAR).train(), batch.to(FAR)
    for _ in range(11 if "ulmfit" in name else 1):  # its running averages are plain means of the first ten batches
        mode.waits.clear()
        model.loss(batch)["loss"].backward()
    assert mode.waits == []


@pytest.mark.gpu
@pytest.mark.filterwarnings("ignore:Synchronization debug mode")  # it sees most waits, not all
@pytest.mark.parametrize("name", STEPS)
def test_a_gpu_gives_the_same_loss_and_gradient_and_is_not_waited_for(name):
    model, batch = STEPS[name]()
    losses, gradients = [], []
    for device in ("cpu", "cuda"):
        model.to(device).eval().zero_grad()
        with torch.backends.cudnn.flags(enabled=device == "cpu"):  # its LSTMs have no gradient outside training
            loss = model.loss(batch.to(device))["loss"]
            loss.backward()
        losses.append(loss.cpu())
        gradients.append(torch.cat([p.grad.cpu().flatten() for p in model.parameters() if p.grad is not None]))
    torch.testing.assert_close(*losses, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(*gradients, rtol=1e-3, atol=1e-3)
    model, batch = model.train(), batch.to("cuda")
    for step in range(12):
        torch.cuda.set_sync_debug_mode("error" if step == 11 else "default")  # after ulmfit's first ten and a warm-up
        try:
            model.loss(batch)["loss"].backward()
        finally:
            torch.cuda.set_sync_debug_mode("default")


def test_a_training_waits_for_the_device_once_in_twenty_steps(mode):
    history = fit(nets.Classifier(), nets.rows(), steps=45, show=False)
    assert len(mode.waits) == 4, mode.waits  # after the first step, when the folder is tried; then after 20 more each
    assert history.steps == list(range(1, 46))
    assert mode.waits.clear() is None
    assert bool(torch.ones(2).to(FAR).sum() > 0)
    assert len(mode.waits) == 1


STARTS = {getattr(RECIPES[name].settings(), "start", None) for name in RECIPES}


@pytest.mark.parametrize("name", sorted({*KINDS} - STARTS))  # which `make_starts` runs before those that go on
def test_recipes(name, out, mode):  # noqa: F811
    recipe = small(RECIPES[name], steps=2)
    make_starts(recipe, out, steps=2)
    assert (job.run(recipe, out) / "model.safetensors").exists()
