from itertools import accumulate

import torch

from course_lib.models.bert import MaskedPairs
from course_lib.training import fit
from tests.training.test_processes import launch
from tests.training.two_berts import OPTIONS, adamw, masked_batches, net


def union(*batches: MaskedPairs) -> MaskedPairs:
    """One batch with the rows of all."""
    before = accumulate([0, *map(len, batches)])
    rows = torch.cat([batch.rows + n for n, batch in zip(before, batches, strict=False)])
    names = ("input_ids", "columns", "answers", "next")
    return MaskedPairs(rows=rows, **{name: torch.cat([getattr(batch, name) for batch in batches]) for name in names})


def test_two_processes_train_bert_as_one_does_with_batches_of_twice_the_size(tmp_path):
    first, second = launch(tmp_path, module="tests.training.two_berts")
    batches = masked_batches()
    bert = net()
    joined = [union(*batches[0:2]), union(*batches[2:4]), batches[4]]
    history = fit(bert, joined, optimizer=adamw, **OPTIONS)
    for name, tensor in bert.state_dict().items():
        torch.testing.assert_close(first["weights"][name], tensor, rtol=0, atol=1e-5)
        assert second["weights"][name].equal(first["weights"][name])
    torch.testing.assert_close(first["losses"], history.losses, rtol=0, atol=1e-5)
    assert history.parts.keys() == {"mlm", "mlm_accuracy", "nsp", "nsp_accuracy"}
    torch.testing.assert_close(first["parts"], history.parts, rtol=0, atol=1e-5)
    start = net().state_dict()
    assert not start["embedding.tokens.weight"].allclose(first["weights"]["embedding.tokens.weight"], atol=1e-3)
