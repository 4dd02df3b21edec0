"""The chapters' builds: with parts in other styles every machine runs, with the course's parts every proof holds."""

import re
from copy import copy
from fnmatch import fnmatch
from functools import cache
from types import SimpleNamespace

import pytest
import torch

from course import kept
from course.chapters.ch01 import build as skip_gram
from course.chapters.ch02 import build as classifier
from course.chapters.ch04 import build as own_elmo
from course.chapters.ch08 import build as spans
from course.chapters.ch09 import build as judged
from course.check import build as builds
from course.check import check, play, registry, solution
from course.lab.roles import Thread, one_clause
from course.ledger import read_record
from course_lib.errors import CourseError
from course_lib.language import language, speaking
from course_lib.models.shipped import load
from tests.check.test_build import keep, solved

thread = cache(Thread)

# Parts as other readers write them: loops, NumPy, lists.
OTHERS = {
    "1.9": """
def pair_gradients(v, u):
    v, u = v.numpy(), u.numpy()
    to_v, to_u = np.zeros_like(v), np.zeros_like(u)
    for p in range(len(v)):
        for k in range(u.shape[1]):
            error = 1 / (1 + np.exp(np.clip(-(v[p] * u[p, k]).sum(), -80, 80))) - (k == 0)
            to_v[p] += error * u[p, k]
            to_u[p, k] = error * v[p]
    return [to_v.tolist(), to_u.tolist()]
""",
    "2.7": """
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
""",
    "3.4": """
def viterbi(emissions, transitions, start, end):
    e, t = emissions.numpy(), transitions.numpy()
    best, paths = start.numpy() + e[0], [[tag] for tag in range(len(start))]
    for row in e[1:]:
        before = (best[:, None] + t).argmax(0)
        best, paths = (best[:, None] + t).max(0) + row, [paths[b] + [tag] for tag, b in enumerate(before)]
    return np.array(paths[(best + end.numpy()).argmax()])
""",
    "4.9": """
def mix_gradient(layers, raw, gamma, grad):
    s = np.exp(raw.numpy()) / np.exp(raw.numpy()).sum()
    a = np.array([(layers[:, j] * grad).sum().item() for j in range(len(s))])
    return gamma.item() * (np.diag(s) - np.outer(s, s)) @ a, s @ a
""",
    "8.9": """
def span_step(states, logits, spans, weight, bias, rate):
    rows, new = np.arange(len(states)), weight.numpy().copy()
    for k in (0, 1):
        error = logits[k].softmax(-1).numpy()
        error[rows, spans[:, k].numpy()] -= 1
        new[k] -= rate * np.einsum("rp,rpd->d", error, states.numpy()) / (2 * len(rows))
    return new, bias.tolist()
""",
    "9.1": """
def paired_interval(system, baseline, quantile):
    seeds = sorted(set(system) & set(baseline))
    d = np.array([system[s] - baseline[s] for s in seeds])
    return d.mean() + quantile * d.std(ddof=1) / np.sqrt(len(d)) * np.array([-1, 1])
""",
}


def shows_2(result):
    right, *found = result.code.splitlines()
    assert right.startswith(("right: ", "맞음: "))
    assert "[" in right
    assert len(found) == 3
    play("2.B", "Yuna sold the bicycle.").finding()
    words = [tuple(own for _, _, own in frame[0]) for frame in play("2.B").frames[::3]]
    two = [s for s in thread(language()).test[:3] if not one_clause(s)]
    assert two
    assert not {tuple(thread(language()).labels(s)) for s in two} & set(words)


def shows_3(result):
    says, *lines = result.code.splitlines()
    n, *counts = map(int, re.findall(r"\d+", says))
    assert sum(counts) == n
    assert len(lines) == 3 * sum(count > 0 for count in counts[1:])
    two = {" ".join(sentence.words) for sentence in thread(language()).test if not one_clause(sentence)}
    assert not two & {re.sub("/[A-Z]+", "", line.partition(": ")[2]) for line in lines}
    assert result.paragraphs[1].splitlines()[1].startswith(("✓ The last word", "✓ 문장마다 마지막 단어"))
    assert len(play("3.B").frames) == 2
    frame = play("3.B", "The xylograph rested." if language() == "en" else "크실로폰은 강둑에서 쉬었다.").frames[0]
    words = [text.split("/")[0] for text, _, _ in frame[0]]
    told = ["The", "xylograph", "rested", "."], ["크실로폰", "은", "강둑", "에서", "쉬었다", "."]
    assert words == told[language() == "ko"]
    assert frame[1].endswith(("not known to it: xylograph", "모르는 단어: 크실로폰"))


def shows_5(result):
    rows = play("5.B", "The boat left.").code.split("\n")
    assert play("5.B", "Das Boot left.").title.endswith(("not known to it: das", "모르는 단어: das"))
    orders = ["the boat left .", "boat the left .", "the left boat .", "the boat . left"]
    assert [row.split("%  ")[1] for row in rows if row] == orders
    with pytest.raises(CourseError, match=r"three words|단어가 세 개 이상"):
        play("5.B", "two words")


def shows_6(result):
    assert play("6.B").tokens[-1] == "</s>"
    says, *lines = result.code.splitlines()
    assert says.endswith(":")
    assert [line.strip().startswith(("right: ", "정답: ")) for line in lines] == 2 * [False, False, True]
    with pytest.raises(CourseError, match=r"qqq[.] It knows|모르는 단어: qqq"):
        play("6.B", "qqq.")  # the mark stands alone, and is known


def shows_7(result):
    assert result.code.count("[MASK]") == 2
    assert play("7.B").answer["error"] == ""
    tokens = play("7.B", "선생님은 강둑에서 [MASK].").answer["sides"][0]["tokens"]
    assert language() == "en" or tokens == ["선생님", "은", "강둑", "에서", "[MASK]", "."]


def shows_8(result):
    assert result.code.startswith(("3 of the new questions, the first and then every 1th", "새 질문 3개"))
    assert play("8.B", "Who built it?", "The bridge was built by Ada Lovelace in 1833.").tokens[:2] == ["the", "bridge"]


def shows_9(result):
    card = play("9.B", "c8.3")
    assert repr(card).split("\n")[1].startswith(("your judge: ", "여러분의 판정: "))
    assert card.live.word == read_record("C8.3").verdict.word
    assert "data:image/svg+xml" in card._repr_mimebundle_()["text/html"]
    with speaking("en"), pytest.raises(CourseError, match="choose one of"):
        play("9.B", "C8.1")  # exact: it has no interval


def few_pairs(*given, pairs=skip_gram._pairs):
    return pairs(*given)[:500]


def few_answers(answers=spans.answers, **_):
    return answers(n_words=1_000).limited(n_train=4, n_dev=2, n_test=3)


def few_new():
    text = copy(thread(language()))
    text.test = text.test[:20]
    return text


# chapter: (the reader's parts, more of them as the solution; what makes it quick; its proofs, ? where few steps may
# or may not do; what else is seen)
RUNS = {
    1: ("1.9 1.10", {"_pairs": few_pairs, "BARS": {"below": -9, "more": -99}}, "✓✓", lambda _: play("1.B").finding()),
    2: ("2.2 2.7", {"STEPS": 2, "BARS": {"counting": -99, "random": -99}}, "✓✓✓✓✓", shows_2),
    3: ("3.2 3.4 3.7 3.8", {"LM_STEPS": 1, "STEPS": 2}, "?✓*", shows_3),
    4: ("4.6 4.7 4.9", {"COMPARED": 3, "STEPS": 2, "thread": few_new}, "✓✓?", lambda _: play("4.B").presets),
    5: ("5.7", {"STEPS": 10, "LABELLED": 20}, "✗✓", shows_5),
    6: ("6.8", {"STEPS": 2, "N_NEW": 4}, "✗✗✓", shows_6),
    7: ("7.8", {"STEPS": 2, "DRAWS": 1}, "✗✗✓", shows_7),
    8: ("8.3 8.4 8.6 8.7 8.8 8.9", {"STEPS": 2, "answers": few_answers}, "✓?✓", shows_8),
    9: ("9.1 9.2", {}, "✓✓✓✓", shows_9),
}


@pytest.fixture(autouse=True)
def one_thread(monkeypatch):
    monkeypatch.setattr(builds, "_LAST", {})
    monkeypatch.setattr(classifier, "Thread", thread)
    for n in (1, 3, 4, 6, 7):
        monkeypatch.setattr(f"course.chapters.ch0{n}.build.thread", lambda: thread(language()))


def in_languages(quick):
    """Each chapter's build in both; those that are not named here by `make slow` only."""
    every = [(n, reader) for n in registry.chapters_with("build.py") for reader in ("en", "ko")]
    rows = [pytest.param(*row, marks=[] if row in quick else [pytest.mark.slow]) for row in every]
    return pytest.mark.parametrize(("chapter", "reader"), rows)


@in_languages([(n, "ko" if n % 2 else "en") for n in RUNS])
def test_a_machine_runs_with_parts_in_another_style_and_a_few_steps_prove_little(chapter, reader, monkeypatch):
    parts, quick, proofs, shows = RUNS[chapter]
    for name, value in quick.items():
        monkeypatch.setattr(f"course.chapters.ch0{chapter}.build.{name}", value)
    if chapter == 2:
        kept_vectors()
    for part in parts.split():
        if part in OTHERS:
            keep(part, OTHERS[part])
        else:
            solved(part)
    with speaking(reader):
        result = check(f"{chapter}.B")
        shows(result)
        for given in ("", " "), (3,), ("a", "b", "c"):
            if given[2:] and chapter in (1, 2, 3, 7):  # they take many
                continue
            with pytest.raises(CourseError, match=rf'play\("{chapter}.B"'):
                play(f"{chapter}.B", *given)
    assert result.paragraphs[0].count("✓") == len(parts.split())
    found = "".join(line[0] for line in result.paragraphs[1].splitlines())
    assert fnmatch(found, proofs)
    assert result.state == ("wrong" if "✗" in found else "right")
    assert result.right or not list(kept.folder().glob("own-*"))


def kept_vectors():
    """As build 1.B leaves them, but untrained; returns that of "bank"."""
    text = thread(language())
    network = skip_gram.SkipGram(len(text.words), skip_gram.DIM)
    kept.keep("own-vectors", network)
    return network.v.weight.data[text.index.get("bank", 0)]


def test_build_2_begins_with_the_vectors_of_build_1():
    assert kept_vectors().equal(classifier._vectors(thread("en"))["bank"])


def test_a_judge_with_narrow_intervals_that_knows_no_control_does_not_agree():
    """Wrong by its own probes it would not be taken; here each proof is shown to be able to fail."""
    interval, word = (registry.find(part).solution for part in judged.BUILD.parts)
    blind = lambda rule, effect, excess, positive: word(rule, effect, None, None)  # noqa: E731
    ran = judged.run(True, lambda a, b, q: interval(a, b, 0.7 * q), blind)
    assert [holds for _, holds, _ in ran.proofs] == [False] * 4


def test_no_tie_decides_what_build_4_says_of_senses():
    """What the last bit of a float decides, another machine or another way to add decides otherwise."""
    proofs, solution_of = [], lambda part: registry.find(part).solution
    parts = SimpleNamespace(char_convolution=solution_of("4.7"), direction=solution_of("4.8"))
    elmo = own_elmo.OwnElmo(load("bilm-en"), parts)
    torch.manual_seed(0)
    for off in (0, 1e-6, 1e-6):
        shaken = lambda x, off=off: x * (1 + off * torch.randn_like(x))  # noqa: E731
        ran = builds.Ran({}, play=print)
        own_elmo._prove_senses(ran, elmo, lambda a, of, b, to: solution_of("4.6")(shaken(a), of, shaken(b), to))  # noqa: B023
        proofs.append(ran.proofs)
    assert proofs[0] == proofs[1] == proofs[2]


@cache
def first_build(reader):
    """What build 1.B says, and the network that build 2.B begins with."""
    return solution("1.B"), builds._LAST["1.B", ""].networks["own-vectors"]


@in_languages([(n, "en") for n in (1, 2, 4)])
def test_each_machine_proves_itself_with_the_course_s_parts(chapter, reader):
    with speaking(reader):
        if chapter == 2:
            kept.keep("own-vectors", first_build(reader)[1])
        result = first_build(reader)[0] if chapter == 1 else solution(f"{chapter}.B")
    assert result.right, result.paragraphs
