"""States that `fit` does not go on from, and folders that it leaves alone."""

import pytest
import torch

from course_lib.checkpoints import save_checkpoint
from course_lib.errors import CourseError
from course_lib.training import fit, schedules
from tests.training.nets import Classifier, LanguageModel, rows, texts

QUIET = {"show": False, "device": "cpu"}


class Stop(Exception):
    """Ends a training from outside, as a crash would."""


def crash(at):
    def watch(step, numbers):
        if step == at:
            raise Stop

    return watch


def build(make):
    torch.manual_seed(7)
    return make()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"steps": 200}, "steps: 9 there, 200 here"),
        ({"learning_rate": 0.5}, r"learning rates all: 0.001 there, 0.5 here"),
        ({"clip": None}, "clip: 1.0 there, nothing here"),
        ({"weight_decay": 0.5}, "optimizer settings"),
        ({"optimizer": torch.optim.SGD}, "optimizer: AdamW there, SGD here"),
        ({"schedule": schedules.cosine}, "schedule"),
        ({"frozen": True}, "groups all"),
        ({"model": LanguageModel}, r"model lower.weight: float32 \[7, 5\] there, nothing here"),
    ],
)
def test_another_training_is_refused_with_what_differs(tmp_path, changed, message):
    options = {"steps": 9, "folder": tmp_path / "state", **QUIET}
    with pytest.raises(Stop):
        fit(build(Classifier), rows(), watchers=[crash(5)], **options)
    changed = dict(changed)
    model = build(changed.pop("model", Classifier))
    if changed.pop("frozen", False):
        model.lower.requires_grad_(False)
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    with pytest.raises(CourseError, match=message) as caught:
        fit(model, rows(), **{**options, **changed})
    assert "delete the folder to start anew" in str(caught.value)
    assert all(tensor.equal(before[name]) for name, tensor in model.state_dict().items())


def test_groups_in_another_order_are_another_training(tmp_path):
    def run(turn):
        model = build(Classifier)
        groups = [("lower", model.lower.parameters()), ("upper", model.upper.parameters())][::turn]
        fit(model, rows(), steps=2, groups=groups, folder=tmp_path / "state", **QUIET)

    run(1)
    with pytest.raises(CourseError, match=r"order of groups: \['lower', 'upper'\] there"):
        run(-1)


def test_fewer_batches_than_then_are_noticed(tmp_path):
    options = {"steps": 9, "folder": tmp_path / "state", "save_steps": 1, **QUIET}
    with pytest.raises(Stop):
        fit(build(Classifier), rows(), watchers=[crash(3)], **options)
    with pytest.raises(CourseError, match=r"epoch 1 had at least 2 steps .* now it has 1"):
        fit(build(Classifier), rows()[:1], **options)


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "history.json"])
@pytest.mark.parametrize("damage", ["cut", "changed", "missing"])
def test_a_damaged_state_is_named_with_the_remedy(tmp_path, name, damage):
    options = {"steps": 2, "folder": tmp_path / "state", **QUIET}
    fit(build(Classifier), rows(), **options)
    path = tmp_path / "state" / name
    content = path.read_bytes()
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(content[:-20] if damage == "cut" else content[:-9] + b"#" + content[-8:])
    with pytest.raises(CourseError, match=name) as caught:
        fit(build(Classifier), rows(), **options)
    assert "delete the folder to start anew" in str(caught.value)


def test_folders_of_others_are_left_alone(tmp_path):
    options = {"steps": 2, "resume": False, **QUIET}
    model = build(Classifier)
    save_checkpoint(tmp_path / "net", kind="net", config={}, tensors=model.state_dict())
    with pytest.raises(CourseError, match=r"kind 'net'.*folder of its own"):
        fit(model, rows(), folder=tmp_path / "net", **options)
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.txt").write_text("dear")
    with pytest.raises(CourseError, match=r"chapter.txt"):
        fit(model, rows(), folder=tmp_path / "thesis", **options)
    assert (tmp_path / "thesis" / "chapter.txt").read_text() == "dear"


def test_what_cannot_be_saved_is_said_at_once(tmp_path):
    class Odd(Classifier):
        def loss(self, batch):
            return {**super().loss(batch), "carry": object()}

    batches = [{"rows": 1, "carry": None}] * 2
    model = build(Odd)
    model.loss = lambda batch: Odd.loss(model, rows()[0])
    with pytest.raises(CourseError, match="carry with a object"):
        fit(model, batches, steps=3, folder=tmp_path / "state", save_steps=1, **QUIET)


def test_nothing_on_disk_is_a_pickle(tmp_path):
    fit(build(LanguageModel), texts(), steps=3, folder=tmp_path / "state", **QUIET)
    assert sorted(path.name for path in (tmp_path / "state").iterdir()) == [
        "config.json",
        "history.json",
        "model.safetensors",
    ]
