"""The builds of chapters 1 and 2: with the course's parts every proof holds, and parts of another style run."""

from functools import cache

import pytest

from course import kept
from course.chapters.ch01 import build as skip_gram
from course.chapters.ch02 import build as classifier
from course.check import build as builds
from course.check import check, play, solution
from course.lab.roles import Thread
from course_lib.language import language, speaking
from tests.check.test_build import keep, solved

thread = cache(Thread)


@pytest.fixture(autouse=True)
def one_thread(monkeypatch):
    monkeypatch.setattr(builds, "_LAST", {})
    monkeypatch.setattr(skip_gram, "thread", lambda: thread(language()))
    monkeypatch.setattr(classifier, "Thread", thread)


@pytest.mark.parametrize("reader", ["en", pytest.param("ko", marks=pytest.mark.slow)])
def test_every_proof_holds_with_the_course_s_parts(reader):
    with speaking(reader):
        for build_id, n_proofs in (("1.B", 2), ("2.B", 5)):
            result = solution(build_id)
            proofs = result.paragraphs[0].splitlines()
            assert [line[0] for line in proofs] == ["✓"] * n_proofs, proofs
            assert play(build_id).finding()


GRADIENTS = """
def pair_gradients(v, u):
    v, u = v.numpy(), u.numpy()
    to_v, to_u = np.zeros_like(v), np.zeros_like(u)
    for p in range(len(v)):
        for k in range(u.shape[1]):
            error = 1 / (1 + np.exp(np.clip(-(v[p] * u[p, k]).sum(), -80, 80))) - (k == 0)
            to_v[p] += error * u[p, k]
            to_u[p, k] = error * v[p]
    return [to_v.tolist(), to_u.tolist()]
"""
STATES = """
def read_states(x, real, W, U, b, backward):
    rows = []
    for sentence, is_real in zip(x, real):
        state, states = torch.zeros(len(b)), []
        places = list(range(len(sentence)))
        for k in places[::-1] if backward else places:
            if is_real[k]:
                state = torch.tanh(sentence[k] @ W + state @ U + b)
            states.append(state)
        rows.append(states[::-1] if backward else states)
    return rows
"""


def test_loops_numpy_and_lists_run_and_what_is_made_is_kept(monkeypatch):
    """After few steps they prove little, but no part stops."""
    pairs = skip_gram._pairs
    monkeypatch.setattr(skip_gram, "_pairs", lambda *given: pairs(*given)[:500])
    monkeypatch.setattr(skip_gram, "BARS", {"below": -9, "more": -99})
    monkeypatch.setattr(classifier, "BARS", {"counting": -99, "random": -99})
    monkeypatch.setattr(classifier, "STEPS", 2)
    keep("1.9", GRADIENTS)
    keep("2.7", STATES)
    for part in ("1.10", "2.2"):
        solved(part)
    first, second = check("1.B"), check("2.B")
    assert "Yours: 2 of its 7 parts." in first.title
    assert "Yours: 2 of its 5 parts." in second.title
    assert first.right
    assert second.right
    known = classifier._vectors(thread("en"))  # build 2.B begins with what 1.B has kept
    network = skip_gram.SkipGram(len(thread("en").words), skip_gram.DIM)
    assert kept.restore("own-vectors", network)
    assert known["bank"].equal(network.v.weight.data[thread("en").index["bank"]])
    monkeypatch.setattr(builds, "_LAST", {})
    assert play("2.B", "Yuna sold the bicycle .").finding()
