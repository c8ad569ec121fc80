"""Tunes all-MiniLM-L6-v2 for "a question about somebody's life → the turn that answers it".

    python3 training/embedder.py --data DATA --base BASE --out OUT

Contrastive loss over large batches whose examples come from few chats (so that other turns of the same chat are hard
negatives), likely false negatives masked by the stock model, Matryoshka dimensions, and two holds on what the stock model
knew: general question-passage pairs, and its own similarities between general texts. Several runs with other seeds are
averaged weight by weight, which costs nothing at run time.
"""

import argparse
import json
import random
import time
from pathlib import Path

import torch
from torch.nn.functional import cross_entropy, normalize

import data
from encoder import DEVICE, batch_of, encode, load_encoder, load_tokenizer, pool, save_int8
from evaluate import Scores

DIMS = (384, 256, 128)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--base", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--epochs", type=float, default=4)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--rate", type=float, default=6e-5)
    parser.add_argument("--context", type=float, default=0.6)
    parser.add_argument("--general", type=float, default=0.3, help="weight of general question-passage pairs")
    parser.add_argument("--hold", type=float, default=30.0, help="weight of the stock model's similarities")
    parser.add_argument("--without-msc", action="store_true")
    parser.add_argument("--keep", type=float, default=1.0, help="share of the tuned weights in the blend with the stock ones")
    return parser.parse_args()


def training_examples(args, seed):
    rng = random.Random(seed)
    names = data.training_names(args.data)
    train = Path(args.data) / "train"
    examples = [] if args.without_msc else data.msc_examples(args.data, names, rng, args.context)
    examples += data.dialogue_examples(train / "dialogues_topicalchat.jsonl.gz", names, rng, 12000, args.context)
    examples += data.dialogue_examples(train / "dialogues_sgd.jsonl.gz", names, rng, 12000, args.context)
    return examples, rng


def batches(examples, rng, size, group=16):
    """Batches of small groups of one chat each."""
    chats = {}
    for index, example in enumerate(examples):
        chats.setdefault(example.chat, []).append(index)
    groups = []
    for members in chats.values():
        rng.shuffle(members)
        groups += [members[start:start + group] for start in range(0, len(members), group)]
    rng.shuffle(groups)
    flat = [index for part in groups for index in part]
    return [flat[start:start + size] for start in range(0, len(flat) - size + 1, size)]


def contrastive(queries, documents, mask, scale=20.0):
    """Mean over the Matryoshka dimensions of InfoNCE in both directions. `mask` marks what is no negative."""
    target = torch.arange(len(queries), device=DEVICE)
    total = 0.0
    for dims in DIMS:
        one, two = normalize(queries[:, :dims], dim=1), normalize(documents[:, :dims], dim=1)
        logits = scale * (one @ two.T)
        if mask is not None:
            logits = logits.masked_fill(mask, -1e4)
        total = total + cross_entropy(logits, target) + 0.3 * cross_entropy(logits[:, :len(queries)].T, target)
    return total / len(DIMS)


def train(args, seed, stock, tokenizer, log):
    torch.manual_seed(seed)
    examples, rng = training_examples(args, seed)
    meanings = encode(stock, tokenizer, [example.meaning for example in examples], 2048).half()
    pairs, texts = data.general_pairs(args.data, rng), data.general_texts(args.data, rng)
    triplets = data.snli_triplets(args.data)
    held = encode(stock, tokenizer, texts, 1024)
    model = load_encoder(args.base)
    model.train()
    plan = [batch for _ in range(int(args.epochs + 0.999)) for batch in batches(examples, rng, args.batch)]
    plan = plan[:int(len(plan) * args.epochs / int(args.epochs + 0.999))]
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.rate, weight_decay=0.01)
    warm = max(1, len(plan) // 10)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, (step + 1) / warm) * max(0.02, 1 - step / len(plan)))
    start, running = time.time(), 0.0
    for step, batch in enumerate(plan):
        chosen = [examples[index] for index in batch]
        close = meanings[batch] @ meanings[batch].T > 0.75
        documents = [example.document for example in chosen]
        close.fill_diagonal_(False)
        general = rng.sample(pairs, 192)
        triple = rng.sample(triplets, 96)
        kept = rng.sample(range(len(texts)), 256)
        with torch.autocast("cuda", dtype=torch.bfloat16):
            asked = pool(model, *batch_of(tokenizer, [example.query for example in chosen]))
            told = pool(model, *batch_of(tokenizer, documents))
            loss = contrastive(asked, told, close)
            if args.general:
                q = pool(model, *batch_of(tokenizer, [pair[0] for pair in general] + [row[0] for row in triple]))
                p = pool(model, *batch_of(tokenizer, [pair[1] for pair in general] + [row[1] for row in triple] + [row[2] for row in triple]))
                loss = loss + args.general * contrastive(q, p, None)
            if args.hold:
                seen = normalize(pool(model, *batch_of(tokenizer, [texts[index] for index in kept])), dim=1)
                wanted = held[kept] @ held[kept].T
                loss = loss + args.hold * (seen @ seen.T - wanted).square().mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        running = loss.item() if step == 0 else 0.98 * running + 0.02 * loss.item()
        if step % 100 == 0 or step == len(plan) - 1:
            log(f"seed {seed} step {step}/{len(plan)} loss {running:.3f} {time.time() - start:.0f} s")
    return {name: tensor.detach().float().cpu() for name, tensor in model.state_dict().items()}


def average(states):
    return {name: sum(state[name] for state in states) / len(states) if states[0][name].is_floating_point() else states[0][name]
            for name in states[0]}


def main():
    args = arguments()
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    lines = (out / "log.txt").open("a")

    def log(text):
        print(text, flush=True)
        lines.write(text + "\n")
        lines.flush()

    torch.backends.cuda.matmul.allow_tf32 = True
    tokenizer = load_tokenizer(args.base, 192)
    stock = load_encoder(args.base)
    scores = Scores(args.data, with_long=False)
    log(json.dumps(vars(args)))
    if not (out / "stock.done").exists():
        log(f"stock {json.dumps(scores.of(stock, tokenizer, (1.0, 0.5)))}")
        (out / "stock.done").touch()
    states = []
    for seed in args.seeds:
        states.append(train(args, seed, stock, tokenizer, log))
        model = load_encoder(args.base)
        model.load_state_dict(states[-1])
        log(f"seed {seed} {json.dumps(scores.of(model, tokenizer))}")
    state = average(states)
    stock_state = {name: tensor.detach().float().cpu() for name, tensor in stock.state_dict().items()}
    for keep in sorted({1.0, 0.85, args.keep}):
        blend = {name: keep * state[name] + (1 - keep) * stock_state[name] if state[name].is_floating_point() else state[name] for name in state}
        model.load_state_dict(blend)
        log(f"average of {len(states)} seeds, keep {keep} {json.dumps(scores.of(model, tokenizer))}")
        if keep == args.keep:
            final = blend
    seen = save_int8(final, out / "embedder.int8.safetensors")
    model.load_state_dict({**final, **seen}, strict=False)
    for dims in DIMS:
        log(f"int8 weights, {dims} dimensions {json.dumps(scores.of(model, tokenizer, (1.0, 0.85), dims))}")
    torch.save(final, out / "embedder.pt")


if __name__ == "__main__":
    main()
