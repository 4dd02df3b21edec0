"""What the scripts of a checkpoint say is the checkpoint, byte for byte."""

import base64
import gzip
import json
import re

import pytest

from course.live.checkpoint_scripts import PART, numbers_of, write_model
from course.live.page import HERE, MODELS, script
from course_lib.checkpoints import load_checkpoint
from course_lib.config import data_dir


def test_the_parts_together_are_the_file(tmp_path):
    name = "minilm-en"
    checkpoint = data_dir("checkpoints") / name
    written = write_model(tmp_path / name, checkpoint)
    assert written == sum(path.stat().st_size for path in (tmp_path / name).iterdir())
    said = (tmp_path / name / "about.js").read_text("utf-8")
    about = json.loads(said.removeprefix(f'course.live.about("{name}", ').removesuffix(");\n"))
    packed = b""
    for number in range(about["parts"]):
        call = re.fullmatch(
            rf'course\.live\.part\("{name}", {number}, "{about["stamp"]}", "([\w+/=]+)"\);\n',
            (tmp_path / name / f"{number}.js").read_text("utf-8"),
        )
        packed += base64.b64decode(call[1])
    assert gzip.decompress(packed) == (checkpoint / "model.safetensors").read_bytes()
    assert len(list((tmp_path / name).iterdir())) == about["parts"] + 1
    assert PART % 3 == 0


@pytest.mark.parametrize("name", ["bert-en", "minilm-en", "skipgram-en", "bilm-en"])
def test_the_memory_asked_for_is_that_of_the_decoded_tensors(name):
    tensors = load_checkpoint(data_dir("checkpoints") / name).tensors
    stored = numbers_of((data_dir("checkpoints") / name / "model.safetensors").read_bytes())
    assert stored == sum(-(-tensor.numel() // 4) * 4 for tensor in tensors.values())


def test_the_modules_are_one_classic_script():
    joined = script()
    assert not re.search(r"^\s*(import|export)\b", joined, re.M)
    assert base64.b64encode((HERE / "linear.wasm").read_bytes()).decode() in joined
    assert "@@" not in joined
    sources = {path.stem for path in HERE.glob("*.js")}
    assert set(MODELS) <= sources
