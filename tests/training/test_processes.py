import json
import os
import socket
import subprocess
import sys

import pytest
import torch

from course_lib.config import project_dir
from course_lib.training import fit
from tests.training.nets import rows
from tests.training.two_processes import OPTIONS, SIZES, net


def launch(folder, *stop, count=2, module="tests.training.two_processes"):
    """As `accelerate launch` and torchrun do it, on this machine's loopback."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    shared = {"WORLD_SIZE": count, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "OMP_NUM_THREADS": 1}
    shared |= {"ACCELERATE_USE_CPU": "true", "GLOO_SOCKET_IFNAME": "lo"} if sys.platform == "linux" else {}
    started = []
    for number in range(count):
        environment = {**os.environ, **{key: str(value) for key, value in shared.items()}}
        environment |= {"RANK": str(number), "LOCAL_RANK": str(number)}
        command = [sys.executable, "-m", module, str(folder), *stop]
        started.append(subprocess.Popen(command, cwd=project_dir(), env=environment, stderr=subprocess.PIPE, text=True))
    for process in started:
        _, said = process.communicate(timeout=120)
        assert process.returncode == 0, said
    return [torch.load(folder / f"{number}.pt", weights_only=True) for number in range(count)]


def check_equals_one_process(first, second):
    """One process with the union of their batches; the last step of an epoch has a batch for one process only."""
    batches = rows(SIZES)
    pairs = [batches[0:2], batches[2:4], batches[4:5]]
    union = [(torch.cat([x for x, _ in pair]), torch.cat([y for _, y in pair])) for pair in pairs]
    model = net()
    history = fit(model, union, **OPTIONS)
    for name, tensor in model.state_dict().items():
        torch.testing.assert_close(first["weights"][name], tensor, rtol=0, atol=1e-6)
        assert second["weights"][name].equal(first["weights"][name])
    torch.testing.assert_close(first["losses"], history.losses, rtol=0, atol=1e-6)
    assert second["losses"] == first["losses"]


def test_two_processes_equal_one_with_the_union_of_their_batches(tmp_path):
    check_equals_one_process(*launch(tmp_path))
    state = json.loads((tmp_path / "state" / "config.json").read_text())["config"]
    assert state["step"] == state["total"] == 6


@pytest.mark.slow
def test_ctrl_c_in_one_stops_both_and_both_go_on(tmp_path):
    for found in launch(tmp_path, "4"):
        assert found["interrupted"]
        assert len(found["losses"]) == 4
    check_equals_one_process(*launch(tmp_path))
