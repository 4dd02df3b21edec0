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


def launch(folder, *arguments):
    """What each of two processes found. As `accelerate launch` and torchrun do it, on this machine's loopback."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    shared = {"WORLD_SIZE": 2, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "OMP_NUM_THREADS": 1}
    shared |= {"ACCELERATE_USE_CPU": "true", "GLOO_SOCKET_IFNAME": "lo"} if sys.platform == "linux" else {}
    started = []
    for number in range(2):
        own = {**shared, "RANK": number, "LOCAL_RANK": number}
        environment = {**os.environ, **{key: str(value) for key, value in own.items()}}
        command = [sys.executable, "-m", "tests.training.two_processes", str(folder), *arguments]
        started.append(subprocess.Popen(command, cwd=project_dir(), env=environment, stderr=subprocess.PIPE, text=True))
    for process in started:
        _, said = process.communicate(timeout=120)
        assert process.returncode == 0, said
    return [torch.load(folder / f"{number}.pt", weights_only=True) for number in range(2)]


def joined(batches: list[MaskedPairs]) -> MaskedPairs:
    before = accumulate([0, *map(len, batches)])
    rows = torch.cat([batch.rows + n for n, batch in zip(before, batches, strict=False)])
    names = ("input_ids", "columns", "labels", "is_next")
    return MaskedPairs(rows=rows, **{name: torch.cat([getattr(batch, name) for batch in batches]) for name in names})


def check_equals_one_process(first, second):
    """Means over pieces and over pairs, of which each process has another number; of the fifth batch one has none."""
    model, history = train(lambda batches: [joined(batches[0:2]), joined(batches[2:4]), batches[4]])
    for name, tensor in model.state_dict().items():
        torch.testing.assert_close(first["weights"][name], tensor, rtol=0, atol=1e-6)
        assert second["weights"][name].equal(first["weights"][name])
    torch.testing.assert_close(first["losses"], history.losses, rtol=0, atol=1e-5)
    assert second["losses"] == first["losses"]
    assert history.parts.keys() == {"mlm", "mlm_accuracy", "nsp", "nsp_accuracy"}
    torch.testing.assert_close(first["parts"], history.parts, rtol=0, atol=1e-5)


def test_two_processes_equal_one_with_the_union_of_their_batches(tmp_path):
    check_equals_one_process(*launch(tmp_path))
    place = read_state(tmp_path / "state")["place"]
    assert place.step == place.total == 6


@pytest.mark.slow
def test_ctrl_c_in_one_stops_both_and_both_go_on(tmp_path):
    assert launch(tmp_path, "4") == [{}, {}]
    assert read_state(tmp_path / "state")["place"].step == 4
    check_equals_one_process(*launch(tmp_path))
