"""The tests that every ContextEncoder runs. A new encoder joins by one line in ENCODERS of test_encoders.py."""

import json

import numpy as np
import pytest
import torch
from safetensors import safe_open

from course_lib.checkpoints import META, TENSORS
from course_lib.data.records import Sentence
from course_lib.errors import CourseError
from course_lib.models.shipped import load

BANK = ["She", "paid", "her", "wages", "in", "at", "the", "bank"]
RIVER = ["The", "bank", "was", "slippery", "with", "mud", "."]
KOREAN = ["바다", "멀리", "배", "가", "떠", "있다"]
ODD = ["<b>", "🙂", "x" * 300]
SENTENCES = [BANK, ["bank"], RIVER, KOREAN, ODD]
TOLERANCE = {"rtol": 1e-5, "atol": 1e-5}  # float32; other lengths may take other kernels


class EncoderBattery:
    """Subclass it as TestX with a fixture `encoder` that gives a small, seeded encoder in eval mode."""

    def test_attributes_agree(self, encoder):
        assert len(encoder.layer_names) == len(encoder.dims) == len(set(encoder.layer_names))
        assert encoder.dim == max(encoder.dims)
        encoding = encoder.states(encoder.batch(SENTENCES))
        assert encoding.layers.shape == (len(encoder.dims), len(SENTENCES), len(BANK), encoder.dim)
        assert encoding.sentence.shape == (len(SENTENCES), encoder.sentence_dim)
        assert encoding.mask.dtype == torch.bool
        assert encoding.mask.sum(1).tolist() == [len(s) for s in SENTENCES]
        assert not encoding.segment.any()
        for layer, width in zip(encoding.layers, encoder.dims, strict=True):
            assert not layer[..., width:].any()
            assert layer[..., :width].abs().sum() > 0

    def test_a_batch_is_made_on_the_cpu_and_knows_its_spans(self, encoder):
        text = "She paid at the bank."
        batch = encoder.batch([text, BANK])
        assert all(tensor.device.type == "cpu" for tensor in batch.ids.values())
        assert [text[a:b] for a, b in batch.spans[0]] == ["She", "paid", "at", "the", "bank", "."]
        assert batch.to("cpu").mask.equal(batch.mask)

    def test_alone_equals_in_a_padded_batch(self, encoder):
        together = encoder.states(encoder.batch(SENTENCES))
        for row, sentence in enumerate(SENTENCES):
            alone = encoder.states(encoder.batch([sentence]))
            torch.testing.assert_close(together.layers[:, row, : len(sentence)], alone.layers[:, 0], **TOLERANCE)
            torch.testing.assert_close(together.sentence[row], alone.sentence[0], **TOLERANCE)

    def test_encode_gives_the_same_for_one_and_many_in_input_order(self, encoder):
        many = encoder.encode(SENTENCES, batch_size=2)
        for sentence, vectors in zip(SENTENCES, many, strict=True):
            assert vectors.dtype == np.float32
            assert vectors.shape == (len(encoder.dims), len(sentence), encoder.dim)
            np.testing.assert_allclose(vectors, encoder.encode([sentence])[0], **TOLERANCE)
        top = encoder.encode(SENTENCES, layer=-1)
        np.testing.assert_allclose(top[3], many[3][-1], **TOLERANCE)

    def test_encode_is_without_dropout_and_accepts_text_words_and_sentences(self, encoder):
        encoder.train()
        first, *others = encoder.encode([" ".join(BANK), BANK, Sentence.of(BANK)])
        assert encoder.training
        for other in (*others, encoder.encode([BANK])[0]):
            np.testing.assert_allclose(first, other, **TOLERANCE)

    def test_layer_0_depends_on_its_own_word_only(self, encoder):
        changed = [*BANK]
        changed[2] = "mud"
        before, after = encoder.encode([BANK, changed], layer=0)
        moved = np.abs(before - after).max(1) > 1e-6
        assert moved.tolist() == [position == 2 for position in range(len(BANK))]

    def test_what_is_not_seen_changes_no_vector(self, encoder):
        for words in (BANK, RIVER, KOREAN):
            hidden = " \u2060 ".join("\u200b".join(word) for word in words)
            (plain,), (found,) = encoder.encode([" ".join(words)]), encoder.encode([f"\ufeff{hidden}\u200f"])
            np.testing.assert_allclose(found, plain, **TOLERANCE)
        with pytest.raises(CourseError, match="sentence 1 of 2 is empty"):
            encoder.batch(["a", "\u200b \x00"])

    def test_bad_sentences_units_layers_and_pairs_are_named(self, encoder):
        empty = "sentence 1 of 2 is empty"
        for sentences, words in [([], "no sentence"), ([BANK, []], empty), ("The bank", "list of sentences")]:
            with pytest.raises(CourseError, match=words):
                encoder.batch(sentences)
        with pytest.raises(CourseError, match="word, piece"):
            encoder.batch([BANK], unit="syllable")
        with pytest.raises(CourseError, match="no layer 99"):
            encoder.encode([BANK], layer=99)
        with pytest.raises(CourseError, match="2 first sentences but 1 second"):
            encoder.batch([BANK, RIVER], [KOREAN])

    def test_too_long_is_an_error_and_never_cut(self, encoder):
        if encoder.max_units is None:
            assert encoder.encode([["bank"] * 2_000])[0].shape[1] == 2_000
        else:
            with pytest.raises(CourseError, match=rf"sentence 0 has .* at most {encoder.max_units} fit.*windows"):
                encoder.batch([["bank"] * (encoder.max_units + 1)])

    def test_what_is_too_long_fits_in_windows_whatever_its_words_are_cut_into(self, encoder):
        text = ["mud", "".join(KOREAN), *KOREAN, *RIVER] * 29
        parts = encoder.windows(text)
        assert [word for part in parts for word in part.words] == text
        assert len(encoder.encode(parts)) == len(parts) == len(encoder.encode(parts, unit="piece"))
        assert (len(parts) == 1) == (encoder.max_units is None)

    def test_pairs(self, encoder):
        batch = encoder.batch([BANK, ["bank"]], [RIVER, KOREAN])
        encoding = encoder.states(batch)
        assert encoding.mask.sum(1).tolist() == [len(BANK) + len(RIVER), 1 + len(KOREAN)]
        assert encoding.segment[0].tolist() == [0] * len(BANK) + [1] * len(RIVER)
        assert encoding.sentence.shape == (2, encoder.sentence_dim)
        assert len(batch.spans[0]) == len(BANK) + len(RIVER)
        if not encoder.reads_pairs:
            first, second = encoder.states(encoder.batch([["bank"]])), encoder.states(encoder.batch([KOREAN]))
            joined = torch.cat([first.layers[:, 0], second.layers[:, 0]], dim=1)
            torch.testing.assert_close(encoding.layers[:, 1, : 1 + len(KOREAN)], joined, **TOLERANCE)
            mean = (first.sentence[0] + second.sentence[0]) / 2
            torch.testing.assert_close(encoding.sentence[1], mean, **TOLERANCE)

    def test_gradients_flow_and_are_finite(self, encoder):
        encoder.unfreeze()
        encoding = encoder.states(encoder.batch([BANK, ["bank"]]))
        (encoding.layers * encoding.mask[None, ..., None]).square().sum().backward()
        gradients = [p.grad for p in encoder.parameters() if p.grad is not None]
        assert gradients
        assert all(torch.isfinite(gradient).all() for gradient in gradients)
        encoder.zero_grad()

    def test_groups_cover_every_parameter_once_and_freeze(self, encoder):
        grouped = [id(p) for _, parameters in encoder.layer_groups() for p in parameters]
        assert sorted(grouped) == sorted({id(p) for p in encoder.parameters()})
        names = [name for name, _ in encoder.layer_groups()]
        encoder.freeze([names[0]])
        encoder.train()
        assert encoder.frozen == (names[0],)
        for name, parameters in encoder.layer_groups():
            assert all(p.requires_grad == (name != names[0]) for p in parameters)
        frozen_modules = dict(encoder._groups())[names[0]]
        assert not any(module.training for module in frozen_modules)
        encoder.freeze()
        assert not any(p.requires_grad for p in encoder.parameters())
        first, second = (encoder.states(encoder.batch([BANK, ["bank"]])).layers for _ in range(2))
        assert first.equal(second)
        encoder.unfreeze()
        assert all(p.requires_grad for p in encoder.parameters())
        assert all(module.training for module in frozen_modules)
        with pytest.raises(CourseError, match=names[0]):
            encoder.freeze(["no such group"])

    def test_save_and_load(self, encoder, tmp_path):
        encoder.save(tmp_path / "saved")
        again = load(tmp_path / "saved")
        assert type(again) is type(encoder)
        for mine, other in zip(encoder.encode(SENTENCES), again.encode(SENTENCES), strict=True):
            np.testing.assert_array_equal(mine, other)

    @pytest.mark.parametrize(("encoding", "steps"), [("int8", 253), ("int6", 61)])
    def test_matrices_in_few_bits_are_close(self, encoding, steps, encoder, tmp_path):
        encoder.save(tmp_path / "saved", **{encoding: True})
        with safe_open(tmp_path / "saved" / TENSORS, "pt") as file:
            encodings = json.loads(file.metadata()[META])["encodings"]
        assert encodings
        assert set(encodings.values()) <= {"int8 rows", encoding}
        again = load(tmp_path / "saved").state_dict()
        for name, tensor in encoder.state_dict().items():
            step = tensor.abs().amax(-1, keepdim=True) / steps if name in encodings else 0
            assert ((again[name] - tensor).abs() <= step).all(), name
