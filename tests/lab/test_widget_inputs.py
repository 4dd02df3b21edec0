"""What widgets are given: a beam's tree against beam search, guesses against `Bert.fill`, frames by hand."""

import math

import pytest
import torch

from course.lab import widget_inputs
from course.lab.byte_pairs import learn
from course.widgets import fill_mask
from course_lib.data.masking import Masking
from course_lib.errors import CourseError
from course_lib.models.decoding import greedy, length_penalty
from course_lib.models.transformer import TransformerConfig
from course_lib.models.translator import Translator
from course_lib.text.pieces import Pieces
from tests.models.small_berts import small_bert

NAMES = ["[PAD]", "[CLS]", "[SEP]", "[MASK]", "the", "bank", "was", "slippery"]


def test_each_merge_is_one_frame_and_marks_its_piece():
    merges = learn({"low": 5, "lower": 2, "newest": 6, "widest": 3}, 2)
    start, first, second = widget_inputs.merge_frames(["newest"], merges)
    assert [token.text for token in start.tokens] == ["n", "e", "w", "e", "s", "t</w>"]
    assert [token.text for token in first.tokens if token.state == "new"] == ["es"]
    assert "Merge 1: e + s were neighbours 9 times" in first.says
    assert [token.text for token in second.tokens] == ["n", "e", "w", "est</w>"]


def test_the_longest_piece_is_taken_from_the_left_and_a_word_that_does_not_fit_is_unknown():
    frames = widget_inputs.longest_match_frames("unhappily", ["un", "##happ", "##ily", "##i", "u"])
    assert [token.text for token in frames[-1].tokens] == ["un", "##happ", "##ily"]
    assert [frame.tokens[-1].state for frame in frames] == ["new"] * 3
    assert "'happily' is left" in frames[0].says
    frames = widget_inputs.longest_match_frames("배가", ["배"])
    assert [token.text for token in frames[-1].tokens] == ["[UNK]"]


def test_draws_show_what_is_read_and_counts_are_near_the_expected():
    masking = Masking(len(NAMES), 3, [0, 1, 2, 3], corrupt=0.3)
    ids = [1, 4, 5, 6, 7, 2]
    frames = widget_inputs.mask_frames([NAMES[i] for i in ids], ids, NAMES, masking, draws=7, counted=2_000, seed=1)
    assert len(frames) == 7
    states = {token.state for frame in frames for token in frame.tokens}
    assert {"special", "hidden"} <= states
    for frame in frames:
        assert [frame.tokens[0].state, frame.tokens[-1].state] == ["special", "special"]
        for token in frame.tokens:
            assert (token.state == "hidden") == (token.text == "[MASK]")
    for _, seen, expected in frames[0].counts:
        assert seen == pytest.approx(expected, abs=1.5)


@pytest.fixture
def model():
    torch.manual_seed(3)
    pieces = Pieces.words([["a", "b", "c", "d"]])
    config = TransformerConfig(d_model=8, n_heads=2, n_layers=1, d_ff=11, max_units=32, dropout=0.0, norm="pre")
    return Translator(config, pieces).eval()


def test_a_beam_of_one_is_greedy(model):
    [found] = greedy(model, [["a", "b"]], max_steps=6)
    levels = widget_inputs.beam_tree(model, ["a", "b"], beam=1, steps=6)
    words = [level[0].piece for level in levels if not level[0].ended]
    assert words == model.pieces.tokens(list(found.ids))
    assert levels[-1][0].log_p == pytest.approx(found.score, abs=1e-5)
    with pytest.raises(CourseError, match="beam=0"):
        widget_inputs.beam_tree(model, ["a"], beam=0)


def test_scores_are_those_of_the_whole_sentence(model):
    levels = widget_inputs.beam_tree(model, ["a", "c"], beam=3, steps=3)
    known = model.pieces.tokens(list(range(len(model.pieces))))
    for place in range(3):
        path, row = [], place
        for level in reversed(levels):
            path.append(level[row])
            row = level[row].parent
        ids = [model.pieces.begin, *(known.index(beginning.piece) for beginning in reversed(path))]
        source, mask = model.source([["a", "c"]])
        logits = model(source, mask, torch.tensor([ids[:-1]]))[0]
        logits[:, [model.pieces.padding, model.pieces.begin]] = -torch.inf  # never next
        log_p = logits.log_softmax(-1)
        total = sum(log_p[t, i].item() for t, i in enumerate(ids[1:]))
        assert path[0].log_p == pytest.approx(total, abs=1e-4)
        assert path[0].score == pytest.approx(total / length_penalty(3, 0.6), abs=1e-4)
    assert [b.log_p for b in levels[-1]] == sorted((b.log_p for b in levels[-1]), reverse=True)
    assert all(math.isfinite(b.log_p) for b in levels[0])


@pytest.fixture
def bert():
    torch.manual_seed(5)
    return small_bert(["the", "dog", "barked", "un", "##happy"])


def test_guesses_are_berts_own_for_whole_words(bert):
    fills = widget_inputs.fill_model(bert, "small").fill(["the", "dog", "barked"], [1], 7)
    expected = bert.fill(["the", "[MASK]", "barked"], 7)
    assert [piece for piece, _ in fills[0]] == [piece for piece, _ in expected[0]]
    assert [p for _, p in fills[0]] == pytest.approx([p for _, p in expected[0]], rel=1e-5)


def test_a_gap_can_be_a_part_of_a_word_and_gaps_keep_their_order(bert):
    pieces = bert.pieces
    model = widget_inputs.fill_model(bert, "small")
    assert model.tokenize("the unhappy dog ☃") == ["the", "un", "##happy", "dog", "[UNK]"]
    bert.eval()
    ids = [pieces.cls, *(pieces.vocabulary.index(p) for p in ("the", "un")), pieces.mask, pieces.mask, pieces.sep]
    with torch.no_grad():
        hidden = bert(torch.tensor([ids])).hidden_states[-1][0, 3:5]
        logits = bert.mlm(hidden, bert.embedding.tokens.weight)[:, : len(pieces)]
    first, second = model.fill(["the", "un", "##happy", "dog"], [2, 3], 3)
    for row, fills in zip(logits, (first, second), strict=True):
        assert [piece for piece, _ in fills] == pieces.tokens(row.topk(3).indices.tolist())


def test_the_hidden_piece_and_a_strange_one_do_not_reach_the_model(bert):
    fill = widget_inputs.fill_model(bert.train(), "small").fill
    assert fill(["the", "dog"], [1], 5) == fill(["the", "barked"], [1], 5)
    assert bert.training
    assert fill(["배추", "dog"], [1], 5) == fill(["[UNK]", "dog"], [1], 5)
    assert fill(["the", "dog"], [1], 5) != fill(["un", "dog"], [1], 5)


def test_korean_is_read_by_its_own_network(bert, monkeypatch):
    korean = small_bert(sorted({word for text in widget_inputs.KOREAN_SENTENCES for word in text.split()}))
    monkeypatch.setattr(widget_inputs, "load", {"bert-ko": korean}.__getitem__)  # bert-en is handed in
    assert widget_inputs.shipped_model(bert, "hub:klue/bert-base").name == "hub:klue/bert-base"
    switch, sentences = widget_inputs.shipped_model(bert), widget_inputs.example_sentences(["the dog barked"])
    assert "bert-ko reads texts with Hangul" in widget_inputs.language_note()
    assert sentences == ["the dog barked", *widget_inputs.KOREAN_SENTENCES]
    assert switch.of("the dog").name == "bert-en"
    assert switch.of("the 배").name == "bert-ko"
    widget = fill_mask(switch, sentences)
    widget.request = {"id": "1", "text": sentences[2]}
    tokens, fill = switch.of(sentences[2]).tokenize(sentences[2]), widget_inputs.fill_model(korean, "bert-ko").fill
    assert widget.answer["sides"][0]["tokens"] == tokens == sentences[2].split()
    assert switch.korean.tokenize("아버지와 어머니는 함께 살았다 .") == tokens  # a particle is cut off, of 바다 nothing
    assert switch.korean.tokenize("바다") == ["바다"]
    assert widget.answer["sides"][0]["guesses"][0][0][0] == fill(tokens, [3], 1)[0][0][0]
