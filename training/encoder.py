"""MiniLM as a sentence encoder: loading, encoding, and saving with int8 weights."""

import json
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from transformers import BertConfig, BertModel

DEVICE = "cuda"


def load_tokenizer(base, max_length):
    tokenizer = Tokenizer.from_file(str(Path(base) / "tokenizer.json"))
    tokenizer.enable_truncation(max_length)
    tokenizer.enable_padding()
    return tokenizer


def load_encoder(base):
    config = BertConfig.from_dict(json.loads((Path(base) / "config.json").read_text()))
    model = BertModel(config, add_pooling_layer=False)
    weights = {name: tensor.float() for name, tensor in load_file(str(next(Path(base).glob("*.safetensors")))).items()}
    missing, _ = model.load_state_dict(weights, strict=False)
    assert not [name for name in missing if "position_ids" not in name], missing
    return model.to(DEVICE)


def batch_of(tokenizer, texts):
    encoded = tokenizer.encode_batch(texts)
    ids = torch.tensor([row.ids for row in encoded], device=DEVICE)
    mask = torch.tensor([row.attention_mask for row in encoded], device=DEVICE)
    return ids, mask


def pool(model, ids, mask):
    hidden = model(input_ids=ids, attention_mask=mask).last_hidden_state.float()
    weights = mask.unsqueeze(-1).float()
    return (hidden * weights).sum(1) / weights.sum(1).clamp(min=1e-9)


@torch.no_grad()
def encode(model, tokenizer, texts, size=512):
    """Unit vectors on the GPU, in the order of the texts; sorted by length inside so that little is padded."""
    was_training = model.training
    model.eval()
    order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
    vectors = torch.empty(len(texts), model.config.hidden_size, device=DEVICE)
    for start in range(0, len(order), size):
        part = order[start:start + size]
        ids, mask = batch_of(tokenizer, [texts[index] for index in part])
        with torch.autocast("cuda", dtype=torch.bfloat16):
            pooled = pool(model, ids, mask)
        vectors[part] = torch.nn.functional.normalize(pooled.float(), dim=1)
    model.train(was_training)
    return vectors


def quantize_rows(tensor):
    """Symmetric int8 with one scale a row (output channel, or word)."""
    scale = tensor.abs().amax(dim=1).clamp(min=1e-8) / 127
    return (tensor / scale[:, None]).round().clamp(-127, 127).to(torch.int8), scale.half()


def save_int8(state, path):
    """Matrices as int8 with fp16 scales (`<name>.scale`), the rest as fp16. Returns what a reader will see."""
    stored, seen = {}, {}
    for name, tensor in state.items():
        if "position_ids" in name:
            continue
        tensor = tensor.detach().float().cpu()
        if tensor.ndim == 2 and tensor.shape[0] > 2:
            values, scale = quantize_rows(tensor)
            stored[name], stored[f"{name}.scale"] = values, scale
            seen[name] = values.float() * scale.float()[:, None]
        else:
            stored[name] = tensor.half()
            seen[name] = stored[name].float()
    save_file({name: tensor.contiguous() for name, tensor in stored.items()}, str(path))
    return seen
