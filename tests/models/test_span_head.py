"""SpanExtractor: what it computes, by hand and without windows; borders of pieces and windows; files; learning."""

import itertools

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.data.records import Passage, Question
from course_lib.evaluation import squad_scores
from course_lib.models.encoder import StaticVectors
from course_lib.models.heads import SpanExtractor
from course_lib.models.spans import Answer
from course_lib.training import fit
from tests.mistakes import mistakes
from tests.models.head_samples import TOLERANCE
from tests.models.small_berts import small_bert
from tests.models.span_samples import ENCODERS, HOLDING_NOTHING, PASSAGES, SETTINGS, WORDS, build

ASKED = [
    ("who is in it", "Mina is in Paris ."),
    ("where", "now"),
    ("is Juno now in Rome", "Juno . . is in 서울에서 now ."),
]


@pytest.fixture(params=[(kind, name) for kind in ENCODERS for name in SETTINGS], ids=" ".join)
def head(request):
    return build(*request.param)


def letters(table, **settings):
    """A head on one-word-one-letter vectors: the table gives each letter its start and its end logit."""
    encoder = StaticVectors(list(table), torch.tensor(list(table.values())))
    head = SpanExtractor(encoder, dropout=0, **settings)
    with torch.no_grad():
        head.output.weight.copy_(torch.eye(2, 6))  # of [p; q; p * q] it reads p
        head.output.bias.zero_()
    return head


def test_bert_by_hand():
    head = build("bert", no_answer=True).eval()
    bert, pieces = head.encoder, head.encoder.pieces
    a, b = pieces.ids(["where"]), pieces.ids(["Mina", "서울에서"])
    ids = torch.tensor([[pieces.cls, *a, pieces.sep, *b, pieces.sep]])
    states = bert(ids, torch.tensor([[0] * 3 + [1] * 4])).hidden_states[-1][0]
    expected = torch.cat([head.null(states[:1]), torch.full((1, 2), -torch.inf), head.output(states[3:6])])
    found = head(head.batch([("where", "Mina 서울에서")]))[0]
    torch.testing.assert_close(found, expected.T, **TOLERANCE)


def test_sides_read_apart_by_hand():
    head = build("static", no_answer=True).eval()
    where, is_, mina = (torch.as_tensor(v) for v in head.encoder.encode([["where", "is", "Mina"]])[0][0])
    q = (where + is_) / 2
    u, v = q, mina
    units = head.output(torch.cat([mina, q, mina * q]))
    null = head.null(torch.cat([u, v, (u - v).abs(), u * v]))
    expected = torch.stack([null, *torch.full((2, 2), -torch.inf), units], 1)
    torch.testing.assert_close(head(head.batch([("where is", "Mina")]))[0], expected, **TOLERANCE)


def test_loss_is_the_mean_of_start_and_end_over_the_passage():
    head = build("bert").eval()
    asked = [Passage("Mina is in Paris .", (Question("q", "where", (("in Paris", 8),)),))]
    batch = head.batch(asked)
    logits = head(batch)[0, :, 2:]  # without the null place and the question
    expected = -(logits.log_softmax(-1)[0, 2] + logits.log_softmax(-1)[1, 3]) / 2
    found = head.loss(batch)
    torch.testing.assert_close(found["loss"], expected)
    assert found["count"] == 1
    together = head.loss(head.batch([*asked, *PASSAGES[:1]]))
    apart = head.loss(head.batch(PASSAGES[:1]))
    torch.testing.assert_close(together["loss"], (found["loss"] + 2 * apart["loss"]) / 3, **TOLERANCE)


def test_the_answer_is_the_best_of_all_pairs(head):
    head.eval()
    for asked, answer in zip(ASKED, head.predict(ASKED, max_answer=3), strict=True):
        batch = head.batch([asked])
        n_question = int((batch.segment == 0).sum())
        places = head(batch)[0].detach()
        logits = places[:, n_question + 1 :]
        spans = batch.spans[0][n_question:]
        all_of_them = [
            (float(logits[0, i] + logits[1, j]), spans[i][0], spans[j][1])
            for i, j in itertools.product(range(len(spans)), repeat=2)
            if i <= j < i + 3
        ]
        if head.no_answer:
            all_of_them.append((float(places[:, 0].sum()), 0, 0))
        score, start, end = min(all_of_them, key=lambda span: (-span[0], *span[1:]))
        assert answer == Answer(asked[1][start:end], start, end, answer.score)
        assert answer.score == pytest.approx(score, abs=1e-5)


LOGIT = st.integers(-8, 8).map(float)


@settings(max_examples=40)
@given(
    st.lists(st.tuples(LOGIT, LOGIT), min_size=4, max_size=4),
    st.text("abcd", min_size=1, max_size=23),
    st.integers(4, 9),
)
def test_windows_that_share_an_answer_s_length_change_nothing(table, passage, limit):
    head = letters(dict(zip("abcd", table, strict=True)), overlap=limit // 2)
    asked, longest = [("a b", " ".join(passage))], limit // 2 + 1
    whole = head.predict(asked, max_answer=longest)
    head.encoder.max_units = limit
    assert head.predict(asked, max_answer=longest, batch_size=2) == whole


@pytest.mark.parametrize(
    ("unit", "answer", "labels", "end"),
    [
        ("piece", ("서울", 5), [3, 3], 7),
        ("word", ("서울", 5), [3, 3], 9),
        ("piece", ("울에", 6), [3, 4], 9),  # widened to the pieces that hold it
    ],
)
def test_an_answer_may_end_inside_a_word_where_the_encoder_has_pieces(unit, answer, labels, end):
    asked = [Passage("Mina 서울에서 now", (Question("q", "where", (answer,)),))]
    batch = build("bert", unit=unit).batch(asked)
    assert [int(batch.labels["start"]), int(batch.labels["end"])] == labels
    assert batch.spans[0][labels[1] - 1][1] == end


def test_no_answer_wins_if_no_span_passes_it_by_the_threshold():
    table = {"a": [0.0, 1.0], "b": [2.0, 0.0]}
    head = letters(table, no_answer=True)  # the best span: "b" to "a", 3
    with torch.no_grad():
        head.null.weight.zero_()
        head.null.bias.copy_(torch.tensor([1.0, 1.5]))
    asked = [("a", "a b a")]
    span = Answer("b a", 2, 5, 3.0)
    assert head.predict(asked) == [span]
    assert head.predict(asked, threshold=0.25) == [span]
    assert head.predict(asked, threshold=0.5) == [Answer("", 0, 0, 3.0)]  # 3 does not pass 2.5 + 0.5
    assert head.predict(asked, threshold=-9) == [span]


def test_of_all_windows_the_lowest_null_score_counts():
    head = letters({"a": [0.0, 0.0], "b": [0.0, 0.0], "c": [1.0, 1.0]}, no_answer=True)
    with torch.no_grad():
        head.null.bias.zero_()
        head.null.weight.zero_()
        head.null.weight[0, 2] = -3.0  # of [u; v; ...] it reads v: mean of the passage
    head.encoder.max_units = 3
    found = head.predict([("a", "a a a c c c")], threshold=9)
    assert found == [Answer("", 0, 0, -3.0 + 9)]  # -3 in the window c c c; of a a a it is 0


def test_learns_twenty_questions_of_which_two_have_no_answer():
    bert = small_bert(WORDS, d_model=48, d_ff=97, dropout=0.0, attention_dropout=0.0)
    head, asked = SpanExtractor(bert, dropout=0, no_answer=True, seed=1), [*PASSAGES[:9], HOLDING_NOTHING]
    fit(head, [head.batch(asked)], steps=60, learning_rate=0.003, groups=head.groups(), show=False)
    assert float(head.loss(head.batch(asked))["loss"].detach()) < 0.2
    gold = [[text for text, _ in question.answers] for passage in asked for question in passage.questions]
    answers = [answer.text for answer in head.predict(asked, batch_size=7)]
    assert answers[-2:] == ["", ""]
    assert squad_scores(answers, gold) == {"exact_match": 100, "f1": 100}


test_mistakes_are_named = mistakes(
    (lambda: build("static").predict("who"), "one str. Put it in"),
    (lambda: build("static").predict([("who", "a b"), ("who", None)]), "after 1 questions comes .*drop empty rows"),
    (lambda: build("static").predict([("who", Passage(float("nan")))]), "passage after 0 questions is nan"),
    (lambda: build("static").predict([(Question("7", None, ()), "a")]), "question '7': it is None"),
)
