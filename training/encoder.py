"""MiniLM as a sentence encoder: loading, encoding, and saving with int8 weights."""

import json
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from transformers import BertConfig, BertModel

DEVICE = "cuda"


def load_tokenizer(base, max_length):
    tokenizer = Tokenizer.from_file(str(Path(base) / "tokenizer.json"))
    tokenizer.enable_truncation(max_length)
    tokenizer.no_padding()
    return tokenizer


def load_encoder(base):
    config = BertConfig.from_dict(json.loads((Path(base) / "config.json").read_text()))
    model = BertModel(config, add_pooling_layer=False)
    weights = {name: tensor.float() for name, tensor in load_file(str(next(Path(base).glob("*.safetensors")))).items()}
    missing, _ = model.load_state_dict(weights, strict=False)
    assert not [name for name in missing if "position_ids" not in name], missing
    return model.to(DEVICE)


class Tokens:
    """Texts as token ids, made once: tokenizing inside the training loop takes longer than training."""

    def __init__(self, tokenizer, texts, pairs=None):
        self.rows, self.types = [], []
        for start in range(0, len(texts), 20000):
            part = texts[start:start + 20000]
            if pairs is not None:
                part = list(zip(part, pairs[start:start + 20000]))
            for row in tokenizer.encode_batch(part):
                self.rows.append(np.array(row.ids, dtype=np.int32))
                if pairs is not None:
                    self.types.append(np.array(row.type_ids, dtype=np.int32))

    def __len__(self):
        return len(self.rows)

    def batch(self, indices):
        """Padded ids, mask and (for pairs) segment types, on the GPU."""
        rows = [self.rows[index] for index in indices]
        width = -(-max(len(row) for row in rows) // 8) * 8
        ids = np.zeros((len(rows), width), dtype=np.int64)
        mask = np.zeros((len(rows), width), dtype=np.int64)
        types = np.zeros((len(rows), width), dtype=np.int64) if self.types else None
        for place, (row, index) in enumerate(zip(rows, indices)):
            ids[place, :len(row)] = row
            mask[place, :len(row)] = 1
            if types is not None:
                types[place, :len(row)] = self.types[index]

        def move(array):
            return torch.from_numpy(array).pin_memory().to(DEVICE, non_blocking=True)

        return move(ids), move(mask), None if types is None else move(types)


def pool(model, ids, mask, types=None):
    hidden = model(input_ids=ids, attention_mask=mask, token_type_ids=types).last_hidden_state.float()
    weights = mask.unsqueeze(-1).float()
    return (hidden * weights).sum(1) / weights.sum(1).clamp(min=1e-9)


@torch.no_grad()
def encode_tokens(model, tokens, size=1024):
    """Unit vectors on the GPU, in order; sorted by length inside so that little is padded."""
    was_training = model.training
    model.eval()
    order = sorted(range(len(tokens)), key=lambda index: len(tokens.rows[index]))
    vectors = torch.empty(len(tokens), model.config.hidden_size, device=DEVICE)
    for start in range(0, len(order), size):
        part = order[start:start + size]
        with torch.autocast("cuda", dtype=torch.bfloat16):
            pooled = pool(model, *tokens.batch(part))
        vectors[part] = torch.nn.functional.normalize(pooled.float(), dim=1)
    model.train(was_training)
    return vectors


def encode(model, tokenizer, texts):
    return encode_tokens(model, Tokens(tokenizer, texts))


def quantize_rows(tensor):
    """Symmetric int8 with one scale a row (output channel, or word)."""
    scale = (tensor.abs().amax(dim=1).clamp(min=1e-8) / 127).half()
    values = (tensor / scale.float()[:, None]).round().clamp(-127, 127).to(torch.int8)
    return values, scale


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
