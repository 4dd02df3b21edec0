"""Every ContextEncoder of the course runs the same battery."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from course_lib.data.records import LabelledText
from course_lib.errors import CourseError
from course_lib.models.cove import CoVe, CoVeConfig
from course_lib.models.encoder import RandomEncoder, StaticVectors
from course_lib.models.heads import SequenceClassifier, TokenTagger
from course_lib.models.shipped import load
from course_lib.models.word_vectors import WordVectors
from tests.mistakes import mistakes
from tests.models.awd_lstms import small_awd_lstm
from tests.models.battery import BANK, KOREAN, RIVER, EncoderBattery
from tests.models.bilms import small_bilm
from tests.models.small_berts import small_bert
from tests.models.small_transformers import small_lm

WORDS = ["the", "bank", "paid", "mud", "배", "<b>", "."]

ENCODERS = {
    "static": lambda: StaticVectors(WORDS, torch.randn(len(WORDS), 5)),
    "random": lambda: RandomEncoder(6, n_layers=2, buckets=997),
    "bilm": lambda: small_bilm(WORDS),
    "bilm, characters": lambda: small_bilm(WORDS, characters=True),
    "bilm, backward": lambda: small_bilm(WORDS, directions="backward", softmax="adaptive", cutoffs=(3,)),
    "awd-lstm": lambda: small_awd_lstm(["<unk>", *WORDS]),
    "awd-lstm, backward": lambda: small_awd_lstm(["<unk>", *WORDS], direction="backward"),
    "left-to-right-lm": lambda: small_lm(WORDS),
    "left-to-right-lm, sub-words": lambda: small_lm(BANK + RIVER + KOREAN, bpe=True, positions="learned", norm="pre"),
    "cove": lambda: CoVe(WORDS, torch.randn(len(WORDS), 5), CoVeConfig(dim=5, hidden=3)),
    "cove, words wider": lambda: CoVe(WORDS, torch.randn(len(WORDS), 11), CoVeConfig(dim=11, hidden=3)),
    "bert": lambda: small_bert(BANK + RIVER + KOREAN),
    "bert, pre-norm, letters": lambda: small_bert(lowercase=True, norm="pre"),
}


class TestEncoders(EncoderBattery):
    @pytest.fixture(params=ENCODERS, ids=list(ENCODERS))
    def encoder(self, request):
        return ENCODERS[request.param]().eval()


def test_static_vectors_fall_back_to_lower_case_then_to_one_unknown():
    encoder = ENCODERS["static"]()
    the, mud, unseen, other = encoder.encode([["The", "mud", "unseen", "other"]], layer=0)[0]
    assert the.tolist() == encoder.embedding.weight[2].tolist()
    assert mud.tolist() != unseen.tolist()
    assert unseen.tolist() == other.tolist()
    encoding = encoder.states(encoder.batch([["mud", "."], ["bank"] * 5]))
    torch.testing.assert_close(encoding.sentence[0], encoding.layers[0, 0, :2].mean(0))  # of the real words
    torch.testing.assert_close(torch.tensor(unseen), encoder.embedding.weight[2:].mean(0))


def test_word_vectors_load_as_an_encoder_and_come_back(tmp_path):
    vectors = WordVectors(WORDS, torch.randn(len(WORDS), 5))
    vectors.save(tmp_path / "vectors")
    encoder = load(tmp_path / "vectors")
    assert isinstance(encoder, StaticVectors)
    assert encoder.encode([["mud"]], layer=0)[0][0].tolist() == vectors["mud"].tolist()
    assert encoder.word_vectors().vectors.equal(vectors.vectors)


def test_random_encoder_is_fixed_by_its_seed_and_leaves_the_generator_alone():
    before = torch.get_rng_state()
    same = [RandomEncoder(6, buckets=97, seed=3).encode([KOREAN])[0] for _ in range(2)]
    assert torch.get_rng_state().equal(before)
    assert same[0].tolist() == same[1].tolist()
    assert same[0].tolist() != RandomEncoder(6, buckets=97, seed=4).encode([KOREAN])[0].tolist()


def no_attentions():
    encoder = ENCODERS["static"]()
    encoder.attentions(encoder.batch([BANK]))


NAN = float("nan")
NO_TEXTS = {
    "None": (["a", "b", None], "sentence 2 of 3 is None .*Drop empty rows first, .*dropna"),
    "NaN": ([NAN, "b"], "sentence 0 of 2 is nan .float.*dropna"),
    "numpy's NaN": (np.array(["a", np.nan], dtype=object), "sentence 1 of 2 .*nan.*dropna"),
    "number": (["a", 3], "sentence 1 of 2 is 3 .int"),
    "bytes": ([b"a"], "sentence 0 of 1 is b'a' .bytes"),
    "row": ([{"text": "a"}], "sentence 0 of 1 .*of a record or row give the text alone"),
    "record": (["a", Path("a")], "sentence 1 of 2 .*Path"),
    "word": (["a", ["b", NAN]], "sentence 1 of 2 .* item 1 is nan.*drop what is empty"),
    "no list": (7, "reads a list of sentences, not int"),
    "table": ({"text": ["a"]}, "not a dict. Take the texts out of it, such as one column"),
    "frame": (SimpleNamespace(columns=["text"]), "Take the texts out of it"),
    "text": ("a", "not one str. Put it in"),
    "of a labelled text": (LabelledText("a", "x"), "not one LabelledText. Put it in"),
}
DOORS = {
    "encode": lambda encoder: encoder.encode,
    "batch": lambda encoder: encoder.batch,
    "second": lambda encoder: lambda texts: encoder.batch(["a"], texts),
    "predict": lambda encoder: SequenceClassifier(encoder, ["x", "y"]).predict,
    "tag": lambda encoder: TokenTagger(encoder, ["x", "y"]).probabilities,
}


@pytest.mark.parametrize(("texts", "message"), NO_TEXTS.values(), ids=NO_TEXTS)
@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_what_is_no_text_is_named_at_every_door(door, texts, message):
    with pytest.raises(CourseError, match=message):
        door(ENCODERS["static"]())(texts)


@pytest.mark.parametrize("kind", ["static", "bert"])
def test_texts_and_words_of_numpy_are_texts(kind):
    encoder, plain = ENCODERS[kind](), [" ".join(BANK), " ".join(RIVER)]
    expected = [found.tolist() for found in encoder.encode(plain)]
    words = [np.array(BANK), np.array(RIVER)]
    for texts in (
        np.array(plain),
        map(np.str_, plain),
        np.array(plain, dtype=object),
        dict.fromkeys(plain).keys(),
        words,
    ):
        assert [found.tolist() for found in encoder.encode(texts)] == expected


test_mistakes_are_named = mistakes(
    (no_attentions, "no attention weights"),
    (lambda: load("klue/bert-base"), r"no checkpoint 'klue/bert-base'.*skipgram-ko\..* load\(\"hub:OWNER/NAME\"\)"),
    (lambda: load("~nobody-of-that-name/bert"), "no such home folder"),
)
