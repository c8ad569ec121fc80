"""MiniLM as a sentence encoder: the network, token batches on the GPU, encoding, and saving with int8 weights."""

import json
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import nn
from torch.nn.functional import gelu, normalize, scaled_dot_product_attention

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Layer(nn.Module):
    """Parameter names match the published weights, so that those load directly."""

    def __init__(self, width, wide, heads, dropout):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.attention = nn.ModuleDict({
            "self": nn.ModuleDict({name: nn.Linear(width, width) for name in ("query", "key", "value")}),
            "output": nn.ModuleDict({"dense": nn.Linear(width, width), "LayerNorm": nn.LayerNorm(width, eps=1e-12)}),
        })
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(width, wide)})
        self.output = nn.ModuleDict({"dense": nn.Linear(wide, width), "LayerNorm": nn.LayerNorm(width, eps=1e-12)})
        self.drop = nn.Dropout(dropout)

    def forward(self, hidden, mask):
        count, length, width = hidden.shape
        own = self.attention["self"]
        query, key, value = (own[name](hidden).view(count, length, self.heads, -1).transpose(1, 2) for name in ("query", "key", "value"))
        seen = scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=self.dropout if self.training else 0.0)
        seen = self.attention["output"]["dense"](seen.transpose(1, 2).reshape(count, length, width))
        # In the precision of the matrix products: half the memory traffic with bfloat16.
        hidden = self.attention["output"]["LayerNorm"](hidden + self.drop(seen)).to(seen.dtype)
        wide = self.output["dense"](gelu(self.intermediate["dense"](hidden)))
        return self.output["LayerNorm"](hidden + self.drop(wide)).to(seen.dtype)


class Bert(nn.Module):
    def __init__(self, config, layers=None, dropout=0.1):
        super().__init__()
        self.width = config["hidden_size"]
        self.embeddings = nn.ModuleDict({
            "word_embeddings": nn.Embedding(config["vocab_size"], self.width),
            "position_embeddings": nn.Embedding(config["max_position_embeddings"], self.width),
            "token_type_embeddings": nn.Embedding(config["type_vocab_size"], self.width),
            "LayerNorm": nn.LayerNorm(self.width, eps=1e-12),
        })
        self.drop = nn.Dropout(dropout)
        count = layers or config["num_hidden_layers"]
        self.encoder = nn.ModuleDict({"layer": nn.ModuleList(
            Layer(self.width, config["intermediate_size"], config["num_attention_heads"], dropout) for _ in range(count))})

    def forward(self, ids, mask, types=None):
        places = torch.arange(ids.shape[1], device=ids.device)
        types = torch.zeros_like(ids) if types is None else types
        table = self.embeddings
        hidden = table["word_embeddings"](ids) + table["position_embeddings"](places)[None] + table["token_type_embeddings"](types)
        hidden = self.drop(table["LayerNorm"](hidden))
        for layer in self.encoder["layer"]:
            hidden = layer(hidden, mask[:, None, None, :])
        return hidden


def load_tokenizer(base, max_length):
    tokenizer = Tokenizer.from_file(str(Path(base) / "tokenizer.json"))
    tokenizer.enable_truncation(max_length)
    tokenizer.no_padding()
    return tokenizer


WORDS = "embeddings.word_embeddings.weight"


def load_state(path, words=None):
    """Loads weights from a .pt or safetensors file; int8 rows are multiplied by their scales. `words`: the embedder's file, for a
    model that shares its word table."""
    if str(path).endswith(".pt"):
        return torch.load(path, map_location="cpu")
    stored = load_file(str(path))
    state = {name: tensor.float() * stored[f"{name}.scale"].float()[:, None] if f"{name}.scale" in stored else tensor.float()
             for name, tensor in stored.items() if not name.endswith(".scale")}
    if words and not any(name.endswith(WORDS) for name in state):
        state[f"encoder.{WORDS}"] = load_state(words)[WORDS]
    return state


def load_encoder(base, state=None):
    model = Bert(json.loads((Path(base) / "config.json").read_text()))
    missing, _ = model.load_state_dict(state or load_state(next(Path(base).glob("*.safetensors"))), strict=False)
    assert not missing, missing
    return model.to(DEVICE)


def some_layers(base, state, layers):
    """An encoder with fewer layers, taken at even intervals from a larger one."""
    config = json.loads((Path(base) / "config.json").read_text())
    count = config["num_hidden_layers"]
    model = Bert(config, layers)
    taken = [round(place * (count - 1) / (layers - 1)) for place in range(layers)]
    kept = {name: tensor for name, tensor in state.items() if not name.startswith("encoder.layer.")}
    for place, source in enumerate(taken):
        old, new = f"encoder.layer.{source}.", f"encoder.layer.{place}."
        kept |= {name.replace(old, new): tensor for name, tensor in state.items() if name.startswith(old)}
    model.load_state_dict(kept)
    return model.to(DEVICE)


def tokenize(tokenizer, texts, pairs=None):
    """One flat array of token ids, the start of each text, and (for pairs) the number of tokens in the first part."""
    flat, begins, firsts = [], [0], []
    for start in range(0, len(texts), 20000):
        part = texts[start:start + 20000]
        if pairs is not None:
            part = list(zip(part, pairs[start:start + 20000]))
        for row in tokenizer.encode_batch(part):
            flat.append(np.array(row.ids, dtype=np.int32))
            begins.append(begins[-1] + len(row.ids))
            if pairs is not None:
                firsts.append(row.type_ids.index(1) if 1 in row.type_ids else len(row.ids))
    ids = np.concatenate(flat) if flat else np.zeros(0, dtype=np.int32)
    return ids, np.array(begins, dtype=np.int64), np.array(firsts, dtype=np.int64)


class Tokens:
    """Token ids on the GPU: batches are assembled there, so that the training loop never waits."""

    def __init__(self, arrays):
        ids, begins, firsts = arrays
        self.lengths = np.diff(begins)
        self.ids = torch.from_numpy(ids).to(DEVICE)
        self.begins = torch.from_numpy(begins[:-1].copy()).to(DEVICE)
        self.sizes = torch.from_numpy(self.lengths).to(DEVICE)
        self.firsts = torch.from_numpy(firsts).to(DEVICE) if len(firsts) else None

    def __len__(self):
        return len(self.lengths)

    def batch(self, indices):
        """Padded ids, mask and (for pairs) segment types."""
        indices = np.asarray(indices)
        width = int(-(-self.lengths[indices].max() // 8) * 8)
        rows = torch.from_numpy(indices).to(DEVICE, non_blocking=True)
        places = torch.arange(width, device=DEVICE)
        mask = places[None] < self.sizes[rows][:, None]
        at = (self.begins[rows][:, None] + places[None]).clamp(max=len(self.ids) - 1)
        ids = torch.where(mask, self.ids[at], 0).long()
        types = None if self.firsts is None else ((places[None] >= self.firsts[rows][:, None]) & mask).long()
        return ids, mask, types


def pool(model, ids, mask, types=None):
    hidden = model(ids, mask, types).float()
    weights = mask.unsqueeze(-1).float()
    return (hidden * weights).sum(1) / weights.sum(1).clamp(min=1e-9)


def join(*several):
    """Joins several token stores, and returns where each begins."""
    joined = Tokens.__new__(Tokens)
    joined.lengths = np.concatenate([tokens.lengths for tokens in several])
    starts = np.cumsum([0] + [len(tokens.ids) for tokens in several])
    joined.ids = torch.cat([tokens.ids for tokens in several])
    joined.begins = torch.cat([tokens.begins + int(start) for tokens, start in zip(several, starts)])
    joined.sizes = torch.cat([tokens.sizes for tokens in several])
    joined.firsts = None
    return joined, np.cumsum([0] + [len(tokens) for tokens in several])


def pooled(model, tokens, indices, size=None, head=pool):
    """Sorts by length and splits into parts, to keep padding small. Uses few parts, because each costs hundreds of
    kernel launches."""
    indices = np.asarray(indices)
    order = np.argsort(tokens.lengths[indices], kind="stable")
    cuts = range(size, len(order), size) if size else [int(len(order) * share) for share in (0.5, 0.85)]
    parts = [part for part in np.split(indices[order], list(cuts)) if len(part)]
    back = torch.from_numpy(np.argsort(order, kind="stable")).to(DEVICE)
    return torch.cat([head(model, *tokens.batch(part)) for part in parts])[back]


@torch.no_grad()
def encode_tokens(model, tokens, size=1024):
    """Unit vectors on the GPU, in order."""
    was_training = model.training
    model.eval()
    if not len(tokens):
        return torch.zeros(0, model.width, device=DEVICE)
    with torch.autocast(DEVICE, dtype=torch.bfloat16):
        vectors = pooled(model, tokens, np.arange(len(tokens)), size)
    model.train(was_training)
    return normalize(vectors.float(), dim=1)


def encode(model, tokenizer, texts):
    return encode_tokens(model, Tokens(tokenize(tokenizer, texts)))


def quantize_rows(tensor):
    """Symmetric int8 with one scale per row (output channel, or word)."""
    scale = (tensor.abs().amax(dim=1).clamp(min=1e-8) / 127).half()
    values = (tensor / scale.float()[:, None]).round().clamp(-127, 127).to(torch.int8)
    return values, scale


def save_int8(state, path, shared=False):
    """Matrices as int8 with fp16 scales (`<name>.scale`), everything else as fp16. Returns the weights as a reader will
    see them. `shared`: the word table is the embedder's, so the file goes without it."""
    stored, seen = {}, {}
    for name, tensor in state.items():
        if "position_ids" in name:
            continue
        tensor = tensor.detach().float().cpu()
        if shared and name.endswith(WORDS):
            seen[name] = tensor
            continue
        if tensor.ndim == 2 and tensor.shape[0] > 2:
            values, scale = quantize_rows(tensor)
            stored[name], stored[f"{name}.scale"] = values, scale
            seen[name] = values.float() * scale.float()[:, None]
        else:
            stored[name] = tensor.half()
            seen[name] = stored[name].float()
    save_file({name: tensor.contiguous() for name, tensor in stored.items()}, str(path))
    return seen
