"""Published BERTs: the Hugging Face layout (config.json, the vocabulary, model.safetensors), read and written.

Their names are translated here and nowhere else. Old files call a layer norm's numbers gamma and beta, leave out the
prefix "bert.", or hold no heads; all of that is read.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import safetensors.torch
from torch import Tensor, nn

from course_lib.checkpoints import CONFIG, TENSORS, load_weights, read_tensors, rebuilding
from course_lib.errors import CourseError
from course_lib.files import atomic_file, read_json, small_text
from course_lib.text.word_pieces import SETTINGS_FILE, TOKENIZER_FILE, VOCABULARY_FILE, WordPieces

Model = TypeVar("Model", bound=nn.Module)

# setting of BertConfig -> its name in config.json
SETTINGS = {
    "vocab_size": "vocab_size",
    "d_model": "hidden_size",
    "n_heads": "num_attention_heads",
    "n_layers": "num_hidden_layers",
    "d_ff": "intermediate_size",
    "max_units": "max_position_embeddings",
    "n_segments": "type_vocab_size",
    "dropout": "hidden_dropout_prob",
    "attention_dropout": "attention_probs_dropout_prob",
    "layer_norm_eps": "layer_norm_eps",
}
# settings that change the network, with the only value that this one computes
FIXED = {
    "model_type": "bert",
    "hidden_act": "gelu",
    "position_embedding_type": "absolute",
    "is_decoder": False,
    "add_cross_attention": False,
    "tie_word_embeddings": True,
}
EMBEDDING = {
    "embedding.tokens": "bert.embeddings.word_embeddings",
    "embedding.positions": "bert.embeddings.position_embeddings",
    "embedding.segments": "bert.embeddings.token_type_embeddings",
    "embedding.norm": "bert.embeddings.LayerNorm",
}
LAYER = {
    "attention.query": "attention.self.query",
    "attention.key": "attention.self.key",
    "attention.value": "attention.self.value",
    "attention.output": "attention.output.dense",
    "attention_residual.norm": "attention.output.LayerNorm",
    "feed_forward.inner": "intermediate.dense",
    "feed_forward.outer": "output.dense",
    "feed_forward_residual.norm": "output.LayerNorm",
}
HEADS = {  # each may be missing from a file, as a whole
    "pooler": {"pooler.dense": "bert.pooler.dense"},
    "mlm": {
        "mlm": "cls.predictions",  # its bias
        "mlm.dense": "cls.predictions.transform.dense",
        "mlm.norm": "cls.predictions.transform.LayerNorm",
    },
    "nsp": {"nsp": "cls.seq_relationship"},
}
OURS = ("bert.", "cls.")
REMEDY = "Fetch it again from where it was published."


def read_folder(kind: type[Model], folder: Path) -> Model:
    """A `kind` (Bert) with the weights of `folder`."""
    config = read_config(folder / CONFIG, kind.Config)
    pieces = read_pieces(folder)
    if misfit := pieces.misfit():
        print(f"{folder}: {misfit}")
    tensors, _ = read_tensors(folder / TENSORS, REMEDY)
    with rebuilding(folder, kind.__name__, tensors):
        model = kind(config, pieces)
    model.fresh_heads = _load(model, tensors, folder / TENSORS)
    return model.eval()


def is_published(folder: Path) -> bool:
    """Does `folder` hold a model in the Hugging Face layout, of whatever kind?"""
    try:
        settings = read_json(folder / CONFIG, REMEDY)
    except CourseError:
        return False
    return not {"model_type", "architectures"}.isdisjoint(settings)


def read_pieces(folder: Path) -> WordPieces:
    """The vocabulary that lies in `folder`."""
    names = [name for name in (TOKENIZER_FILE, SETTINGS_FILE) if (folder / name).is_file()]
    names = names if TOKENIZER_FILE in names else [VOCABULARY_FILE, *names]
    files = {name: small_text(folder / name, REMEDY) for name in names}
    try:
        return WordPieces.from_files(files)
    except (CourseError, ValueError) as error:
        raise CourseError(
            f"{folder}: {error} Choose a model whose pieces are BERT's, such as bert-base-uncased or klue/bert-base."
        ) from error


def write_folder(model: nn.Module, folder: Path) -> None:
    """All files at once, or none; those of an earlier model in the folder are replaced."""
    if model.config.norm != "post":
        raise CourseError(
            f"Bert.save_pretrained: norm={model.config.norm!r}, and the Hugging Face layout knows post-norm only: "
            "other programs would compute something else. Use save(folder), which course_lib.load reads."
        )
    settings = {theirs: getattr(model.config, ours) for ours, theirs in SETTINGS.items()}
    settings |= {"architectures": ["BertForPreTraining"], **FIXED, "pad_token_id": model.pieces.padding}
    names = _names(model)
    tensors = {names[name]: tensor.detach().cpu().contiguous() for name, tensor in model.state_dict().items()}
    tokenizer = model.pieces.files()
    tokenizer[SETTINGS_FILE] = json.dumps(
        {**json.loads(tokenizer[SETTINGS_FILE]), "model_max_length": model.config.max_units}, indent=1
    )
    contents = {name: text.encode() for name, text in tokenizer.items()}
    contents[CONFIG] = (json.dumps(settings, indent=1) + "\n").encode()
    contents[TENSORS] = safetensors.torch.save(tensors, {"format": "pt"})
    with contextlib.ExitStack() as all_or_none:
        for name, content in contents.items():
            all_or_none.enter_context(atomic_file(folder / name)).write(content)


def _names(model: nn.Module) -> dict[str, str]:
    """Our name of every parameter -> theirs."""
    modules = dict(EMBEDDING)
    for number in range(model.config.n_layers):
        modules |= {f"stack.layers.{number}.{a}": f"bert.encoder.layer.{number}.{b}" for a, b in LAYER.items()}
    for head in HEADS.values():
        modules |= head
    parts = (name.rpartition(".") for name in model.state_dict())
    return {f"{module}.{last}": f"{modules[module]}.{last}" for module, _, last in parts}


def _load(model: nn.Module, found: Mapping[str, Tensor], path: Path) -> tuple[str, ...]:
    """Put their tensors into `model`; the heads that they lack keep their numbers and are named in the result."""
    found = _translated(found)
    names, own = _names(model), model.state_dict()
    fresh = [head for head in HEADS if not any(names[n] in found for n in own if n.startswith(f"{head}."))]
    kept = {name: own[name] for name in own if name.startswith(tuple(f"{head}." for head in fresh))}
    wanted = {names[name]: name for name in own if name not in kept}
    load_weights(model, kept | {wanted.get(name, name): tensor for name, tensor in found.items()}, source=path)
    return tuple(fresh)


def _translated(found: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Today's names for all; without buffers, tied tensors and the heads of other tasks."""
    result = {}
    for name, tensor in found.items():
        name = name.removeprefix("_orig_mod.").removeprefix("module.")  # torch.compile's, DataParallel's
        if name.startswith(("embeddings.", "encoder.", "pooler.")):
            name = f"bert.{name}"
        name = name.replace("LayerNorm.gamma", "LayerNorm.weight").replace("LayerNorm.beta", "LayerNorm.bias")
        if name == "cls.predictions.decoder.bias":  # the same numbers as cls.predictions.bias, which it may replace
            if "cls.predictions.bias" in found:
                continue
            name = "cls.predictions.bias"
        buffer = name.endswith((".position_ids", ".token_type_ids"))
        if name.startswith(OURS) and not buffer and name != "cls.predictions.decoder.weight":
            result[name] = tensor
    return result


def read_config(path: Path, sizes: type) -> Any:
    """`sizes` (BertConfig) with what the file says. Raises CourseError for what is no plain BERT."""
    settings = read_json(path, REMEDY)
    for name, value in FIXED.items():
        if settings.get(name, value) not in (value, None):
            raise CourseError(
                f"{path}: {name} is {settings[name]!r:.60}; Bert computes {value!r} only. "
                "Choose a plain BERT encoder, such as bert-base-uncased or klue/bert-base."
            )
    needed = ("vocab_size", "d_model", "n_heads", "n_layers", "d_ff")
    with rebuilding(path, "BERT", {}):
        said = {ours: theirs for ours, theirs in SETTINGS.items() if ours in needed or theirs in settings}
        return sizes(**{ours: settings[theirs] for ours, theirs in said.items()})
