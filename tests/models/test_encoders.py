"""Every ContextEncoder of the course runs the same battery."""

import pytest
import torch

from course_lib.models.cove import CoVe, CoVeConfig
from course_lib.models.encoder import RandomEncoder, StaticVectors
from course_lib.models.shipped import load
from course_lib.models.unknown_vectors import UnknownVectors
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
    "unknown words, classes": lambda: UnknownVectors(WORDS, torch.randn(len(WORDS), 5), unknown="classes"),
    "unknown words, own": lambda: UnknownVectors(WORDS, torch.randn(len(WORDS), 5), unknown="own"),
    "random, words only": lambda: RandomEncoder(6, n_layers=0, buckets=997),
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


def test_a_static_type_has_one_vector_a_random_network_many():
    for kind, same in [("static", True), ("random", False)]:
        first, second = ENCODERS[kind]().encode([BANK, RIVER], layer=-1)
        assert (first[BANK.index("bank")].tolist() == second[RIVER.index("bank")].tolist()) is same


def test_random_encoder_is_fixed_by_its_seed_and_leaves_the_generator_alone():
    before = torch.get_rng_state()
    same = [RandomEncoder(6, buckets=97, seed=3).encode([KOREAN])[0] for _ in range(2)]
    assert torch.get_rng_state().equal(before)
    assert same[0].tolist() == same[1].tolist()
    assert same[0].tolist() != RandomEncoder(6, buckets=97, seed=4).encode([KOREAN])[0].tolist()


def no_attentions():
    encoder = ENCODERS["static"]()
    encoder.attentions(encoder.batch([BANK]))


test_mistakes_are_named = mistakes(
    (no_attentions, "no attention weights"),
    (lambda: load("bret-en"), r"no checkpoint 'bret-en'.*skipgram-ko\.$"),
    *(
        (lambda n=n: load(n), r'load\("hub:klue/bert-base"\)')
        for n in ("klue/bert-base", " klue/bert-base/", "HUB:klue/bert-base")
    ),
    (lambda: load("https://huggingface.co/klue/bert-base"), r'load\("hub:klue/bert-base"\)'),
    (lambda: load("bert-base-uncased"), r'load\("hub:bert-base-uncased"\)'),
    (lambda: load("~nobody-of-that-name/bert"), "no such home folder"),
    (lambda: RandomEncoder(5), "dim=5"),
)
