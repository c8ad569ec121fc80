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
from encoder import DEVICE, Tokens, encode, encode_tokens, load_encoder, load_tokenizer, pool, save_int8
from evaluate import Scores

DIMS = (384, 256, 128)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--base", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--epochs", type=float, default=5)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--rate", type=float, default=8e-5)
    parser.add_argument("--context", type=float, default=0.6)
    parser.add_argument("--general", type=float, default=0.3, help="weight of general question-passage pairs")
    parser.add_argument("--hold", type=float, default=60.0, help="weight of the stock model's similarities")
    parser.add_argument("--scale", type=float, default=20.0, help="inverse temperature")
    parser.add_argument("--same", type=float, default=0.8, help="meanings closer than this are no negatives of each other")
    parser.add_argument("--seconds", type=float, default=1e9, help="start no further seed that would end after this")
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


def contrastive(queries, documents, mask, scale):
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
    pairs, texts, triplets = data.general_pairs(args.data, rng), data.general_texts(args.data, rng), data.snli_triplets(args.data)
    queries = Tokens(tokenizer, [example.query for example in examples])
    documents = Tokens(tokenizer, [example.document for example in examples])
    general_queries = Tokens(tokenizer, [pair[0] for pair in pairs])
    general_passages = Tokens(tokenizer, [pair[1] for pair in pairs])
    triple = [Tokens(tokenizer, [row[part] for row in triplets]) for part in range(3)]
    held_tokens = Tokens(tokenizer, texts)
    meanings = encode(stock, tokenizer, [example.meaning for example in examples]).half()
    held = encode_tokens(stock, held_tokens)
    model = load_encoder(args.base)
    model.train()
    plan = [batch for _ in range(int(args.epochs + 0.999)) for batch in batches(examples, rng, args.batch)]
    plan = plan[:max(1, int(len(plan) * args.epochs / int(args.epochs + 0.999)))]
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.rate, weight_decay=0.01, fused=True)
    warm = max(1, len(plan) // 10)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, (step + 1) / warm) * max(0.02, 1 - step / len(plan)))
    start, running = time.time(), None
    for step, batch in enumerate(plan):
        close = meanings[batch] @ meanings[batch].T > args.same
        close.fill_diagonal_(False)
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = contrastive(pool(model, *queries.batch(batch)), pool(model, *documents.batch(batch)), close, args.scale)
            if args.general and step % 2 == 0:
                part = rng.sample(range(len(pairs)), 192)
                asked, told = pool(model, *general_queries.batch(part)), pool(model, *general_passages.batch(part))
                loss = loss + args.general * contrastive(asked, told, None, args.scale)
                part = rng.sample(range(len(triplets)), 128)
                one, two, three = (pool(model, *tokens.batch(part)) for tokens in triple)
                loss = loss + args.general * contrastive(one, torch.cat([two, three]), None, args.scale)
            if args.hold:
                part = rng.sample(range(len(texts)), 256)
                seen = normalize(pool(model, *held_tokens.batch(part)), dim=1)
                loss = loss + args.hold * (seen @ seen.T - held[part] @ held[part].T).square().mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 50 == 0 or step == len(plan) - 1:
            running = loss.item() if running is None else 0.7 * running + 0.3 * loss.item()
            if step % 200 == 0 or step == len(plan) - 1:
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
    states, began = [], time.time()
    for seed in args.seeds:
        spent = time.time() - began
        if states and spent + spent / len(states) > args.seconds:
            log(f"no time for seed {seed}")
            break
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
