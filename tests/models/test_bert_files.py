"""Published BERTs: the numbers of transformers in both directions, old and new names, every fault of a folder."""

import json

import pytest
import safetensors.torch
import torch

from course.session import Session
from course_lib.errors import CourseError
from course_lib.models.attention import padding_mask
from course_lib.models.bert import Bert, MaskedPairs
from course_lib.models.shipped import load
from tests.models.battery import BANK, RIVER
from tests.models.small_berts import small_bert, small_pieces

SIZES = [(12, 3, 2, 17), (10, 5, 1, 23), (21, 7, 3, 11)]  # hidden, heads, layers, intermediate
CLOSE = {"rtol": 1e-5, "atol": 1e-5}


def peer(folder, sizes=SIZES[0], kind="BertForPreTraining", **settings):
    """A model of transformers with random numbers everywhere, saved with a vocabulary; large enough to tell layers."""
    import transformers

    hidden, heads, layers, intermediate = sizes
    widths = {"hidden_size": hidden, "num_attention_heads": heads, "intermediate_size": intermediate}
    settings |= {"vocab_size": 131, "max_position_embeddings": 29, "attn_implementation": "eager"}
    config = transformers.BertConfig(**widths, num_hidden_layers=layers, **settings)
    model = getattr(transformers, kind)(config).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    model.save_pretrained(folder)
    for name, content in small_pieces(BANK).files().items():
        (folder / name).write_text(content, encoding="utf-8")
    return model


def inputs():
    ids = torch.randint(5, 131, (3, 13))
    real = torch.arange(13) < torch.tensor([[13], [7], [11]])
    types = (torch.arange(13) > 5).long().expand(3, 13)
    return ids, types, real


def assert_equal_networks(ours, theirs):
    """Hidden states, attentions, logits, pooled answers and the loss, at all real places."""
    ids, types, real = inputs()
    rows, columns = torch.tensor([0, 0, 1, 2, 2]), torch.tensor([1, 12, 6, 0, 9])
    answers, next = torch.tensor([5, 77, 130, 9, 5]), torch.tensor([True, False, False])
    labels = torch.full_like(ids, -100)
    labels[rows, columns] = answers
    with torch.no_grad():
        mine = ours(ids, types, real)
        weights = ours.stack.attentions(mine.hidden_states, padding_mask(real))
        asked = {"labels": labels, "next_sentence_label": (~next).long(), "output_hidden_states": True}
        asked |= {"token_type_ids": types, "attention_mask": real.long(), "output_attentions": True}
        expected = theirs(ids, **asked)
        logits = ours.logits(mine.hidden_states[-1], rows, columns)
        found = ours.loss(MaskedPairs(ids, rows, columns, answers, types, real, next))
    assert len(mine.hidden_states) == len(expected.hidden_states)
    for state, other in zip(mine.hidden_states, expected.hidden_states, strict=True):
        torch.testing.assert_close(state[real], other[real], **CLOSE)
    for weight, other in zip(weights, expected.attentions, strict=True):
        torch.testing.assert_close(weight.transpose(1, 2)[real], other.transpose(1, 2)[real], **CLOSE)
    torch.testing.assert_close(logits, expected.prediction_logits[rows, columns], **CLOSE)
    torch.testing.assert_close(ours.nsp(mine.pooled), expected.seq_relationship_logits, **CLOSE)
    torch.testing.assert_close(found["loss"], expected.loss, **CLOSE)


@pytest.mark.parametrize("sizes", SIZES)
def test_equal_to_transformers_when_read(sizes, tmp_path):
    theirs = peer(tmp_path, sizes)
    ours = Bert.from_pretrained(tmp_path)
    assert not ours.training
    assert ours.fresh_heads == ()
    assert_equal_networks(ours, theirs)


@pytest.mark.parametrize("settings", [{}, {"d_model": 21, "n_heads": 7, "n_layers": 3, "layer_norm_eps": 1e-3}])
def test_transformers_reads_what_is_written(settings, tmp_path):
    from transformers import BertForPreTraining, BertTokenizer

    ours = small_bert(BANK, **settings).eval()
    for parameter in ours.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    ours.save_pretrained(tmp_path / "folder")
    theirs, report = BertForPreTraining.from_pretrained(
        tmp_path / "folder", attn_implementation="eager", output_loading_info=True
    )
    assert not any(report.values()), report
    assert_equal_networks(ours, theirs.eval())
    tokenizer = BertTokenizer.from_pretrained(tmp_path / "folder")
    row = tokenizer(" ".join(BANK), " ".join(RIVER))
    batch = ours.batch([BANK], [RIVER])
    assert row["input_ids"] == batch.ids["pieces"][0].tolist()
    assert row["token_type_ids"] == batch.ids["segments"][0].tolist()
    assert tokenizer.model_max_length == 317
    again = Bert.from_pretrained(tmp_path / "folder")
    assert again.config == ours.config
    again.save_pretrained(tmp_path / "folder")  # replaces it


def rewritten(folder, change):
    """The tensors of a folder under other names, or with others."""
    path = folder / "model.safetensors"
    tensors = change(safetensors.torch.load_file(path))
    safetensors.torch.save_file({name: tensor.clone().contiguous() for name, tensor in tensors.items()}, path)


def old_names(tensors):
    tensors["bert.embeddings.position_ids"] = torch.arange(29)[None]
    tensors["cls.predictions.decoder.weight"] = tensors["bert.embeddings.word_embeddings.weight"]
    tensors["cls.predictions.decoder.bias"] = tensors["cls.predictions.bias"]
    return renamed("LayerNorm.weight", "LayerNorm.gamma")(renamed("LayerNorm.bias", "LayerNorm.beta")(tensors))


def renamed(old, new):
    return lambda tensors: {name.replace(old, new): tensor for name, tensor in tensors.items()}


@pytest.mark.parametrize(
    "change",
    [
        old_names,
        renamed("cls.predictions.bias", "cls.predictions.decoder.bias"),
        renamed("bert.", ""),
        lambda tensors: {f"_orig_mod.module.{name}": tensor for name, tensor in tensors.items()},
    ],
)
def test_other_names_and_copies_give_the_same_network(change, tmp_path):
    theirs = peer(tmp_path)
    rewritten(tmp_path, change)
    assert_equal_networks(Bert.from_pretrained(tmp_path), theirs)


@pytest.mark.parametrize(
    ("kind", "fresh"),
    [
        ("BertModel", ("mlm", "nsp")),  # as all-MiniLM is published
        ("BertForMaskedLM", ("pooler", "nsp")),
        ("BertForSequenceClassification", ("mlm", "nsp")),
        ("BertForNextSentencePrediction", ("mlm",)),
    ],
)
def test_missing_heads_are_fresh_and_named(kind, fresh, tmp_path):
    theirs = peer(tmp_path, kind=kind)
    ours = Bert.from_pretrained(tmp_path)
    assert ours.fresh_heads == fresh
    ids, types, real = inputs()
    with torch.no_grad():
        top = getattr(theirs, "bert", theirs)(ids, attention_mask=real.long(), token_type_ids=types)[0]
        torch.testing.assert_close(ours(ids, types, real).hidden_states[-1][real], top[real], **CLOSE)


def test_one_segment_reads_single_sentences_and_no_pair(tmp_path):
    theirs = peer(tmp_path / "one", type_vocab_size=1)
    ours = Bert.from_pretrained(tmp_path / "one")
    ids, _, real = inputs()
    with torch.no_grad():
        expected = theirs(ids, attention_mask=real.long(), output_hidden_states=True).hidden_states
        for state, other in zip(ours(ids, None, real).hidden_states, expected, strict=True):
            torch.testing.assert_close(state[real], other[real], **CLOSE)
    assert len(ours.encode([BANK, RIVER])) == 2
    with pytest.raises(CourseError, match=r"one segment .* reads no pairs"):
        ours.batch([BANK], [RIVER])


def test_lower_case_is_read_from_the_tokenizers_settings_and_half_precision_becomes_float32(tmp_path):
    peer(tmp_path)
    rewritten(tmp_path, lambda tensors: {name: tensor.half() for name, tensor in tensors.items()})
    assert {parameter.dtype for parameter in Bert.from_pretrained(tmp_path).parameters()} == {torch.float32}
    assert not Bert.from_pretrained(tmp_path).pieces.lowercase
    (tmp_path / "tokenizer_config.json").unlink()
    assert Bert.from_pretrained(tmp_path).pieces.lowercase


def test_what_transformers_saves_today_is_read_by_folder(tmp_path, capsys):
    """config.json, model.safetensors, tokenizer.json, tokenizer_config.json: no vocab.txt."""
    import transformers

    theirs = peer(tmp_path)
    transformers.BertTokenizer.from_pretrained(tmp_path).save_pretrained(tmp_path / "today")
    theirs.save_pretrained(tmp_path / "today")
    names = {path.name for path in (tmp_path / "today").iterdir()}
    assert {"tokenizer.json", "model.safetensors"} <= names
    assert "vocab.txt" not in names
    for name in names - {"model.safetensors"}:  # as some editors save
        path = tmp_path / "today" / name
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    ours = Bert.from_pretrained(tmp_path / "today")
    assert_equal_networks(ours, theirs)
    before = Bert.from_pretrained(tmp_path)
    assert (ours.pieces.vocabulary, ours.pieces.lowercase) == (before.pieces.vocabulary, False)
    assert ours.fill(["She", "[MASK]"], 7) == before.fill(["She", "[MASK]"], 7)
    assert capsys.readouterr().out == ""
    settings = tmp_path / "today" / "tokenizer_config.json"
    settings.write_text(settings.read_text(encoding="utf-8-sig").replace("false", "true"), encoding="utf-8")
    Bert.from_pretrained(tmp_path / "today")
    assert "today: 17 of 91 pieces, such as '바', can never be met" in capsys.readouterr().out


def test_load_reads_that_layout_and_the_home_folder_s_sign_is_understood(tmp_path, monkeypatch):
    """So a BERT that a learner fine-tuned with transformers comes into the chapters by COURSE_BERT."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))  # Windows
    ours = small_bert(BANK).eval()
    ours.save_pretrained("~/theirs")
    ours.save("~/own")
    assert {path.name for path in tmp_path.iterdir()} >= {"theirs", "own"}
    monkeypatch.setenv("COURSE_BERT", "~/theirs")
    named = Session(torch.device("cpu"), "quick", 0, "7").bert("bert-en")
    for again in (load(named), load(tmp_path / "theirs"), load("~/own"), Bert.from_pretrained("~/theirs")):
        assert again.fill(["She", "[MASK]"], 7) == ours.fill(["She", "[MASK]"], 7)
    settings(model_type="roberta")(tmp_path / "theirs")
    with pytest.raises(CourseError, match="model_type is 'roberta'"):
        load("~/theirs")


def test_pre_norm_is_not_written_in_that_layout_and_other_files_stay(tmp_path):
    with pytest.raises(CourseError, match=r"norm='pre'.*Use save\(folder\)"):
        small_bert(norm="pre").save_pretrained(tmp_path / "folder")
    assert not (tmp_path / "folder").exists()
    with pytest.raises(CourseError, match=r"config\.json cannot be read"):
        Bert.from_pretrained(tmp_path / "folder")
    (tmp_path / "notes.txt").write_text("mine")
    small_bert().save_pretrained(tmp_path)
    assert (tmp_path / "notes.txt").read_text() == "mine"


def settings(**change):
    """config.json with these entries, without those that are None."""
    kept = lambda found: {name: value for name, value in (found | change).items() if value is not None}  # noqa: E731
    return content("config.json", lambda data: json.dumps(kept(json.loads(data))).encode())


def content(name, change):
    return lambda folder: (folder / name).write_bytes(change((folder / name).read_bytes()))


def tensors(change):
    return lambda folder: rewritten(folder, change)


def missing(name):
    return lambda folder: (folder / name).unlink()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (settings(model_type="roberta"), "model_type is 'roberta'"),
        (settings(hidden_act="gelu_new"), "hidden_act is 'gelu_new'"),
        (settings(tie_word_embeddings=False), "tie_word_embeddings is False"),
        (settings(hidden_size=None), r"config\.json does not hold a BERT.*KeyError\('hidden_size'\)"),
        (settings(hidden_size=13), "d_model=13 cannot be cut"),
        (settings(vocab_size=7), "pieces, but vocab_size=7"),
        (settings(vocab_size=137), r"embedding.tokens.weight \[131, 12\] instead of \[137, 12\]"),
        (settings(num_hidden_layers=3), r"missing: stack.layers.2"),
        (missing("config.json"), "config.json cannot be read"),
        (content("config.json", lambda data: data[:-9]), "config.json is not readable JSON"),
        (missing("vocab.txt"), "vocab.txt cannot be read"),
        (content("vocab.txt", lambda data: data.replace(b"[MASK]", b"mask")), r"has no \[MASK\]"),
        (content("vocab.txt", lambda data: b"[PAD]\n\xff\n"), "vocab.txt is not UTF-8 text .byte 6"),
        (missing("model.safetensors"), "model.safetensors is missing"),
        (content("model.safetensors", lambda data: data[:-5]), "model.safetensors is not a readable safetensors file"),
        (content("tokenizer_config.json", lambda data: b"{"), "tokenizer_config.json is not readable JSON"),
        (content("tokenizer_config.json", lambda data: b'{"do_lower_case": "no"}'), "do_lower_case is 'no'"),
        (tensors(lambda t: {"transformer.wte.weight": torch.zeros(2, 3)}), "missing: embedding"),
        (tensors(lambda t: t | {"bert.pooler.dense.bias": torch.full((12,), torch.nan)}), "NaN.*pooler.dense.bias"),
        (tensors(lambda t: {n: t[n] for n in t if "transform.dense" not in n}), "missing: mlm.dense.weight"),
    ],
)
def test_what_is_wrong_in_a_folder_is_named(tmp_path, change, says):
    small_bert(BANK).save_pretrained(tmp_path / "bert")  # transformers reads it, as shown above
    change(tmp_path / "bert")
    with pytest.raises(CourseError, match=says):
        Bert.from_pretrained(tmp_path / "bert")
