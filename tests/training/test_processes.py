"""Several processes train as one does with the union of their batches."""

import os
import socket
import subprocess
import sys
from itertools import accumulate

import pytest
import torch

from course_lib.config import project_dir
from course_lib.models.bert import MaskedPairs
from course_lib.training.state import read_state
from tests.training.two_processes import train


def launch(folder, *arguments, count=2):
    """What each process found. As `accelerate launch` and torchrun do it, on this machine's loopback."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    shared = {"WORLD_SIZE": count, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "OMP_NUM_THREADS": 1}
    shared |= {"ACCELERATE_USE_CPU": "true", "GLOO_SOCKET_IFNAME": "lo"} if sys.platform == "linux" else {}
    started = []
    for number in range(count):
        environment = {**os.environ, **{key: str(value) for key, value in shared.items()}}
        environment |= {"RANK": str(number), "LOCAL_RANK": str(number)}
        command = [sys.executable, "-m", "tests.training.two_processes", str(folder), *arguments]
        started.append(subprocess.Popen(command, cwd=project_dir(), env=environment, stderr=subprocess.PIPE, text=True))
    for process in started:
        _, said = process.communicate(timeout=120)
        assert process.returncode == 0, said
    return [torch.load(folder / f"{number}.pt", weights_only=True) for number in range(count)]


def joined_rows(batches):
    return tuple(torch.cat(parts) for parts in zip(*batches, strict=True))


def joined_pairs(batches: list[MaskedPairs]) -> MaskedPairs:
    before = accumulate([0, *map(len, batches)])
    rows = torch.cat([batch.rows + n for n, batch in zip(before, batches, strict=False)])
    names = ("input_ids", "columns", "labels", "is_next")
    return MaskedPairs(rows=rows, **{name: torch.cat([getattr(batch, name) for batch in batches]) for name in names})


def check_equals_one_process(first, second, kind, join, tolerance):
    """One process with the union of their batches; the last step of an epoch has a batch for one process only."""
    model, history = train(kind, lambda batches: [join(batches[0:2]), join(batches[2:4]), batches[4]])
    for name, tensor in model.state_dict().items():
        torch.testing.assert_close(first["weights"][name], tensor, rtol=0, atol=tolerance)
        assert second["weights"][name].equal(first["weights"][name])
    torch.testing.assert_close(first["losses"], history.losses, rtol=0, atol=tolerance)
    return history


def test_two_processes_equal_one_with_the_union_of_their_batches(tmp_path):
    first, second = launch(tmp_path, "classifier")
    check_equals_one_process(first, second, "classifier", joined_rows, 1e-6)
    assert second["losses"] == first["losses"]
    place = read_state(tmp_path / "state")["place"]
    assert place.step == place.total == 6


def test_two_processes_train_bert_as_one_does_with_batches_of_twice_the_size(tmp_path):
    """Means over pieces and over pairs, of which each process has another number."""
    first, second = launch(tmp_path, "bert")
    history = check_equals_one_process(first, second, "bert", joined_pairs, 1e-5)
    assert history.parts.keys() == {"mlm", "mlm_accuracy", "nsp", "nsp_accuracy"}
    torch.testing.assert_close(first["parts"], history.parts, rtol=0, atol=1e-5)


@pytest.mark.slow
def test_ctrl_c_in_one_stops_both_and_both_go_on(tmp_path):
    assert launch(tmp_path, "classifier", "4") == [{}, {}]
    assert read_state(tmp_path / "state")["place"].step == 4
    check_equals_one_process(*launch(tmp_path, "classifier"), "classifier", joined_rows, 1e-6)
