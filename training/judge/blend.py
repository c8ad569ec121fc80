"""Averages judges that were trained from the same start with different seeds.

    python3 training/judge/blend.py --sharpen 2 --sharpen-worth 1.5 --out OUT/judge.int8.safetensors OUT/judge-?.int8.safetensors

The mean is less sure of itself than each of the models, so its outputs are multiplied: the worth of a
message by `--sharpen-worth`, the others by `--sharpen`. Needs only NumPy.
"""

import argparse
import json
import struct
from pathlib import Path

import numpy as np

TYPES = {"I8": np.int8, "F16": np.float16, "F32": np.float32}
# The last outputs: whether a message is worth keeping, and whether it changes anything.
WORTH = 6


def read(path):
    """The header of a safetensors file, and its tensors."""
    data = Path(path).read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__":
            start, end = (8 + size + offset for offset in entry["data_offsets"])
            tensors[name] = np.frombuffer(data[start:end], TYPES[entry["dtype"]]).reshape(entry["shape"])
    return header, tensors


def write(path, header, tensors):
    parts, entries, at = [], {}, 0
    for name, entry in header.items():
        if name == "__metadata__":
            entries[name] = entry
            continue
        part = tensors[name].tobytes()
        entries[name] = {**entry, "data_offsets": [at, at + len(part)]}
        parts.append(part)
        at += len(part)
    text = json.dumps(entries, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    Path(path).write_bytes(struct.pack("<Q", len(text)) + text + b"".join(parts))


def plain(tensors):
    """Without the scales of int8 rows."""
    return {name: tensor.astype(np.float32) * (tensors[f"{name}.scale"].astype(np.float32)[:, None] if tensor.dtype == np.int8 else 1)
            for name, tensor in tensors.items() if not name.endswith(".scale")}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("models", nargs="+")
    parser.add_argument("--out", required=True)
    parser.add_argument("--sharpen", type=float, default=1.0)
    parser.add_argument("--sharpen-worth", type=float, default=1.0)
    args = parser.parse_args()
    read_models = [read(path) for path in args.models]
    header, first = read_models[0]
    models = [plain(tensors) for _, tensors in read_models]
    stored = {}
    for name in models[0]:
        mean = sum(model[name] for model in models) / len(models)
        if name in ("head.weight", "head.bias"):
            worth = mean[WORTH].copy()
            mean *= args.sharpen
            mean[WORTH] = worth * args.sharpen_worth
        if first[name].dtype == np.int8:
            scale = np.maximum(np.abs(mean).max(1) / 127, 1e-8).astype(np.float16)
            stored[f"{name}.scale"] = scale
            stored[name] = np.clip(np.round(mean / scale.astype(np.float32)[:, None]), -127, 127).astype(np.int8)
        else:
            stored[name] = mean.astype(first[name].dtype)
    write(args.out, header, stored)


if __name__ == "__main__":
    main()
