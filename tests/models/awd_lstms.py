"""A small AWD-LSTM for tests: different primes for different axes."""

from course_lib.models.awd_lstm import AWDLSTM, AWDLSTMConfig
from course_lib.text.vocabulary import Vocabulary

WORDS = ["<unk>", *"abcdefghij"]


def small_awd_lstm(words=WORDS, **changes) -> AWDLSTM:
    sizes = {"emb_dim": 5, "hidden": 7, "n_layers": 3}
    vocabulary = Vocabulary(words, unknown="<unk>")
    return AWDLSTM(AWDLSTMConfig(len(vocabulary), **sizes | changes), vocabulary)
