"""What `paper()` builds has the parameters that the papers' sizes make. (ELMo's: test_elmo_files.py.)"""

import pytest
import torch

from course_lib.models.awd_lstm import AWDLSTM, AWDLSTMConfig
from course_lib.models.bert import Bert, BertConfig
from course_lib.models.cove import CoVe, CoVeConfig, Seq2Seq, Seq2SeqConfig, target_vocabulary
from course_lib.models.transformer import TransformerConfig
from course_lib.models.translator import Translator
from course_lib.text.pieces import Pieces
from course_lib.text.vocabulary import Vocabulary
from tests.models.small_berts import small_pieces


def lstm(narrow, wide):
    return 4 * wide * (narrow + wide + 2)


def translation():
    with torch.device("cpu"):  # word vectors are numbers
        encoder = CoVe(["a"], torch.zeros(1, 300), CoVeConfig.paper())
    model = Seq2Seq(encoder, target_vocabulary([]), Seq2SeqConfig.paper())
    return torch.nn.ModuleList([encoder.layers, model.cells])


WORDS = [f"w{i}" for i in range(36_996)]
PAPERS = {  # the tied table comes first
    "AWD-LSTM": (
        lambda: AWDLSTM(AWDLSTMConfig.paper(30_000), Vocabulary(WORDS[:30_000], unknown="w0")),
        30_001 * 401 + lstm(400, 1150) + lstm(1150, 1150) + lstm(1150, 400),
    ),
    # two ways of reading; input feeding: the decoder's first layer reads a word and the state before (eq. 2)
    "CoVe": (translation, 2 * lstm(300, 300) + 2 * lstm(600, 300) + lstm(300 + 600, 600) + lstm(600, 600)),
    # table 3 says 65 M with about 37,000 pieces in one table with three uses; ours adds biases to the projections
    "Transformer": (lambda: Translator(TransformerConfig.paper(), Pieces.words([WORDS])), 63_082_496),
    "BERT": (lambda: Bert(BertConfig.paper(), small_pieces()), 109_482_240 + 624_188),  # "110M", and the two heads
}


@pytest.mark.parametrize("name", PAPERS)
def test_parameters(name):
    build, expected = PAPERS[name]
    with torch.device("meta"):
        model = build()
    assert sum(p.numel() for p in model.parameters()) == expected
