"""Makes fastai_awd_lstm.json: outputs of fastai's AWD_LSTM and of its concat pooling, which the tests compare with.

fastai is no dependency of the course. Run once, in an environment of its own with fastai 2.8.12 and torch 2.13:
`python tests/models/fastai_awd_lstm.py`. Weights are drawn by `weights`, which the tests call too: the same numbers on
every machine. Dropout is off.
"""

import json
from itertools import pairwise
from pathlib import Path

import torch

VOCAB, EMB, HIDDEN, LAYERS, BATCH, STEP = 11, 5, 7, 3, 2, 13
BPTT, LENGTHS = 4, (13, 9)  # the second text ends in padding: its ids, PAD, go first (fastai pads in front)
PAD = 1
STORED = Path(__file__).with_suffix(".json")


def weights(shapes: dict[str, tuple[int, ...]]) -> dict[str, torch.Tensor]:
    """Numbers in -0.5 ... 0.5 without a random generator: sines of growing angles."""
    found, start = {}, 0
    for name, shape in sorted(shapes.items()):
        size = torch.Size(shape).numel()
        found[name] = 0.5 * torch.sin(torch.arange(start, start + size, dtype=torch.float64) ** 1.5).float().view(shape)
        start += size
    return found


def shapes() -> dict[str, tuple[int, ...]]:
    """Named as torch names them, layer by layer."""
    found = {"table": (VOCAB, EMB), "bias": (VOCAB,)}
    widths = [EMB, *[HIDDEN] * (LAYERS - 1), EMB]
    for layer, (narrow, wide) in enumerate(pairwise(widths)):
        found[f"{layer}.weight_ih_l0"] = (4 * wide, narrow)
        found[f"{layer}.weight_hh_l0"] = (4 * wide, wide)
        found[f"{layer}.bias_ih_l0"] = found[f"{layer}.bias_hh_l0"] = (4 * wide,)
    return found


def ids() -> torch.Tensor:
    """[BATCH, STEP], without the padding id."""
    return 2 + (torch.arange(BATCH * STEP) * 7 % (VOCAB - 2)).view(BATCH, STEP)


def main() -> None:
    from fastai.text.models.awdlstm import AWD_LSTM, awd_lstm_lm_config
    from fastai.text.models.core import SentenceEncoder, get_language_model, masked_concat_pool

    sizes = {"emb_sz": EMB, "n_hid": HIDDEN, "n_layers": LAYERS}
    model = get_language_model(AWD_LSTM, VOCAB, awd_lstm_lm_config | sizes).eval()
    encoder, decoder = model[0], model[1]
    with torch.no_grad():
        for name, value in weights(shapes()).items():
            layer, _, part = name.partition(".")
            if name == "table":
                encoder.encoder.weight.copy_(value)
            elif name == "bias":
                decoder.decoder.bias.copy_(value)
            elif part == "weight_hh_l0":
                encoder.rnns[int(layer)].weight_hh_l0_raw.copy_(value)
            else:
                getattr(encoder.rnns[int(layer)].module, part).copy_(value)
        encoder.reset()
        text = ids()
        first, states, _ = model(text[:, :5])
        second, _, _ = model(text[:, 5:])  # the states are kept from the call before
        padded = text.clone()
        padded[1, : STEP - LENGTHS[1]] = PAD
        # fastai lets a text begin only where a chunk begins: 13 - 9 = 4 = BPTT.
        pooled = masked_concat_pool(*SentenceEncoder(BPTT, encoder, PAD)(padded), BPTT)
    stored = {"logits": torch.cat([first, second], 1), "states": states, "pooled": pooled}
    rounded = {name: [round(x, 7) for x in value.flatten().tolist()] for name, value in stored.items()}
    STORED.write_text(json.dumps(rounded) + "\n")


if __name__ == "__main__":
    main()
