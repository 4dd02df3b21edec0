"""An answer whose numbers are right and through which nothing can learn."""

from dataclasses import replace

import pytest
import torch

from course.check import registry
from course.check.gradient import _moves, _watched, fault
from course.check.judge import judge
from tests.chapters.cells import edited

EVERY = [exercise for chapter in registry.chapters() for exercise in registry.of_chapter(chapter)]
# (exercise, what the message names, old text of the solution => new text)
DETACHED = [
    ("2.7", "`W`", "@ W => @ W.detach()"),
    ("3.3", "`transitions`", "transitions[ => transitions.data["),
    ("3.5", "`emissions`", "start + emissions[0] => start + emissions[0].detach()"),
    ("3.7", "`h`", "h @ w_state.T => h.detach() @ w_state.T"),
    ("5.8", "`encoder(...)`", "encoder(ids) => encoder(ids).data"),
    ("5.8", "`encoder(...)`", "head(pool(encoder(ids), real)) => head(pool(encoder(ids), real)).detach()"),
    ("6.4", "`scores`", "hidden.softmax => hidden.detach().softmax"),
    ("6.8", "`key`", "heads(states, key) => heads(states, key).detach()"),
    ("6.8", "`x`", "weights @ => weights.detach() @"),
    ("6.9", "`network(...)`", "network(source, written) => network(source, written).detach()"),
    ("7.5", "`bias`", "+ bias => + torch.tensor(bias.tolist())"),
    ("7.5", "`states`", "states[asked] => torch.tensor(states[asked].tolist())"),
    ("7.8", "`value`", "heads(value) => heads(value).detach()"),
    ("7.8", "`x`", "norm(x + taken) => norm(x.detach() + taken)"),
    ("7.9", "`table`", "@ table.T => @ torch.as_tensor(table.detach().numpy()).T"),
]


def judged(part, *edits):
    exercise = registry.find(part)
    exec(edited(exercise, edits), space := {})
    return judge(exercise, space[exercise.solution.__name__])


@pytest.mark.parametrize(("part", "names", "edit"), DETACHED)
def test_what_is_detached_on_the_way_is_named(part, names, edit):
    result = judged(part, edit)
    assert result.mistake == "the gradient is cut off"
    says = f"gradient reaches {names}", f"the gradient of {names} is not"
    assert any(one in result.paragraphs[0] for one in says)


IN_PLACE = [
    (
        "2.7",
        "state = torch.where(real[:, k, None], new, state) => state[real[:, k]] = new[real[:, k]]",
        "= state\n => = state.clone()\n",
    ),
    ("3.7", "o.sigmoid() * cell.tanh() => cell.tanh()\n    state *= o.sigmoid()"),
    ("6.4", "hidden.softmax(dim=-1).masked_fill( => hidden.softmax(dim=-1).masked_fill_("),
]


@pytest.mark.parametrize(("part", "edits"), [(part, edits) for part, *edits in IN_PLACE])
def test_a_backward_pass_that_stops_at_what_was_changed_in_place_is_named(part, edits):
    assert judged(part, *edits).mistake == "what the gradient needs is changed in place"


RIGHT = {
    "another order of keys": ("2.5", '{"params": others, "lr": rate} => {"lr": rate, "params": others}'),
    "NaN": ("6.4", "torch.finfo(scores.dtype).min => -torch.inf", ".masked_fill(~may, 0.0) => .nan_to_num()"),
    "an update": ("1.10", "to_v, to_u = => inputs, outputs = inputs.detach(), outputs.detach()\n    to_v, to_u ="),
    "the head learns by hand": ("8.8", "states @ weight.T => torch.tensor(states.numpy()) @ weight.T"),
    "frozen language models": ("3.8", "real.flip(1)).flip(1) => real.flip(1)).flip(1).detach()"),
    "shipped filters": ("4.7", "windows, filters => windows, torch.tensor(filters.tolist())"),
    "shipped cells": ("4.8", "for row in x: => for row in x.numpy():\n            row = torch.tensor(row)"),
    "by hand": ("4.9", "s = raw => s = torch.tensor(raw.tolist())\n    s = s"),
    "in place, and it learns": ("7.8", "between = norm(x + taken) => taken += x\n    between = norm(taken)"),
}


@pytest.mark.parametrize("case", RIGHT)
def test_a_right_answer_stays_right(case):
    assert judged(*RIGHT[case]).right


def test_a_gradient_that_is_0_everywhere_is_not_asked_for():
    only = replace(registry.find("6.4"), solution=lambda scores, real: 0 * scores)
    assert fault(only, lambda scores, real: torch.zeros(scores.shape), limit=5) is None


@pytest.mark.parametrize("exercise", EVERY, ids=lambda exercise: exercise.id)
def test_an_exercise_that_asks_for_a_gradient_says_so(exercise):
    asks = False
    if exercise.learns:
        found = (_watched(exercise, exercise.solution, probe.inputs).gradients for probe in exercise.probes)
        asks = any(_moves(gradient) for by_name in found for of_one in by_name.values() for gradient in of_one)
    if exercise.id != "2.5":  # it hands parameters on, and computes nothing
        assert ("gradients flow back" in exercise.markdown) is asks
