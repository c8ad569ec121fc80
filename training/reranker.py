"""Trains a cross-encoder that reads a question and a turn together.

    python3 training/reranker.py --data DATA --base BASE --embedder OUT/embedder.pt --out OUT

It starts from the tuned embedder's weights. Negatives are the turns of the same chat that the embedder ranks highest, less
those that say nearly the same; general question-passage pairs with mined negatives keep it from forgetting other texts. A
softmax over each list teaches the order, a logistic term teaches how sure a score is.
"""

import argparse
import json
import random
import time
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

import data
from encoder import DEVICE, Tokens, encode, load_encoder, load_tokenizer, pool, save_int8
from evaluate import Scores, bm25, hits

LIST = 8


class CrossEncoder(torch.nn.Module):
    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder
        self.head = torch.nn.Linear(encoder.config.hidden_size, 1).to(DEVICE)

    def forward(self, ids, mask, types):
        return self.head(pool(self.encoder, ids, mask, types)).squeeze(-1)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--base", required=True)
    parser.add_argument("--embedder", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--lists", type=int, default=70000)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=96)
    parser.add_argument("--rate", type=float, default=7e-5)
    return parser.parse_args()


def mine_chats(args, embedder, stock, tokenizer, rng):
    """Lists (question, [right turn, wrong turns]) from the chats."""
    names, corpora = data.training_names(args.data), {}
    examples = data.msc_examples(args.data, names, rng, 0.6, corpora=corpora)
    rng.shuffle(examples)
    examples = examples[:args.lists]
    by_chat = {}
    for example in examples:
        by_chat.setdefault(example.chat, []).append(example)
    lists = []
    for chat, members in by_chat.items():
        turns = corpora[chat]
        documents = encode(embedder, tokenizer, [document for document, _ in turns])
        asked = encode(embedder, tokenizer, [example.query for example in members])
        order = (asked @ documents.T).argsort(dim=1, descending=True)[:, :30].cpu().tolist()
        said = encode(stock, tokenizer, [" ".join(facts) if facts else document for document, facts in turns])
        meant = encode(stock, tokenizer, [example.meaning for example in members])
        same = (meant @ said.T > 0.7).cpu().numpy()
        for row, example in enumerate(members):
            wrong = [index for index in order[row] if index != example.turn and not same[row, index]]
            if len(wrong) < LIST - 1:
                continue
            # Half from the very top, half from further down.
            chosen = rng.sample(wrong[:8], min(4, len(wrong[:8])))
            rest = [index for index in wrong if index not in chosen]
            chosen += rng.sample(rest, LIST - 1 - len(chosen))
            lists.append((example.query, [example.document] + [turns[index][0] for index in chosen]))
    return lists


def mine_general(args, embedder, tokenizer, rng, count=16000):
    pairs = data.general_pairs(args.data, rng, 3000)
    rng.shuffle(pairs)
    pairs = pairs[:count]
    passages = sorted({passage for _, passage in pairs})
    place = {passage: index for index, passage in enumerate(passages)}
    vectors = encode(embedder, tokenizer, passages)
    asked = encode(embedder, tokenizer, [question for question, _ in pairs])
    lists = []
    for start in range(0, len(pairs), 1000):
        order = (asked[start:start + 1000] @ vectors.T).topk(40, dim=1).indices.cpu().tolist()
        for row, (question, passage) in enumerate(pairs[start:start + 1000]):
            # The very nearest are too often right as well.
            wrong = [index for index in order[row] if index != place[passage]][3:]
            lists.append((question, [passage] + [passages[index] for index in rng.sample(wrong, LIST - 1)]))
    return lists


@torch.no_grad()
def cross_scores(model, tokenizer, queries, documents):
    model.eval()
    tokens = Tokens(tokenizer, queries, documents)
    order = sorted(range(len(tokens)), key=lambda index: len(tokens.rows[index]))
    scores = torch.empty(len(tokens), device=DEVICE)
    for start in range(0, len(order), 2048):
        part = order[start:start + 2048]
        with torch.autocast("cuda", dtype=torch.bfloat16):
            scores[part] = model(*tokens.batch(part)).float()
    model.train()
    return torch.sigmoid(scores).cpu().numpy()


def report(model, embedder, tokenizer, pair_tokenizer, scores, weight=0.75, depth=30):
    """any@1/5/10 for each share of the cross-encoder in the blend, and the area under the curve of abstention."""
    result = {}
    for name, tasks in scores.tasks.items():
        shares = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
        sums, total = {share: np.zeros(3) for share in shares}, 0
        answerable, unanswerable = [], []
        for task in tasks:
            vectors = encode(embedder, tokenizer, task["documents"])
            asked_all = task["queries"] + task["adversarial"]
            words = bm25(task["plain"], asked_all)
            dense = (encode(embedder, tokenizer, asked_all) @ vectors.T).clamp(min=0).cpu().numpy()
            fused = weight * dense + (1 - weight) * words
            top = np.argsort(-fused, axis=1)[:, :depth]
            flat_q = [asked_all[row] for row in range(len(asked_all)) for _ in top[row]]
            flat_d = [task["documents"][index] for row in range(len(asked_all)) for index in top[row]]
            second = cross_scores(model, pair_tokenizer, flat_q, flat_d).reshape(len(asked_all), -1)
            for row in range(len(asked_all)):
                first = fused[row][top[row]]
                adversarial = row >= len(task["queries"])
                (unanswerable if adversarial else answerable).append((first[0], (0.5 * first + 0.5 * second[row]).max()))
                if adversarial:
                    continue
                for share in shares:
                    ranking = top[row][np.argsort(-((1 - share) * first + share * second[row]), kind="stable")].tolist()
                    sums[share] += [hits(ranking, task["gold"][row], k) for k in (1, 5, 10)]
            total += len(task["queries"])
        result[name] = {share: [round(100 * float(value) / total, 1) for value in sums[share]] for share in shares}
        if unanswerable:
            for column, kind in enumerate(("first stage", "with reranker")):
                good, bad = np.array([a[column] for a in answerable]), np.array([b[column] for b in unanswerable])
                result[f"{name} abstention AUC, {kind}"] = round(float((good[:, None] > bad[None, :]).mean()), 3)
    return result


def main():
    args = arguments()
    out = Path(args.out)
    lines = (out / "log.txt").open("a")

    def log(text):
        print(text, flush=True)
        lines.write(text + "\n")
        lines.flush()

    log(json.dumps(vars(args)))
    torch.manual_seed(args.seed)
    rng = random.Random(args.seed)
    tokenizer, pair_tokenizer = load_tokenizer(args.base, 192), load_tokenizer(args.base, 224)
    stock, embedder = load_encoder(args.base), load_encoder(args.base)
    embedder.load_state_dict(torch.load(args.embedder))
    start = time.time()
    lists = mine_chats(args, embedder, stock, tokenizer, rng) + mine_general(args, embedder, tokenizer, rng, max(200, args.lists // 5))
    tokens = Tokens(pair_tokenizer, [question for question, documents in lists for _ in documents],
                    [document for _, documents in lists for document in documents])
    log(f"{len(lists)} lists mined in {time.time() - start:.0f} s")
    base = load_encoder(args.base)
    base.load_state_dict(embedder.state_dict())
    model = CrossEncoder(base)
    model.train()
    plan = []
    for _ in range(args.epochs):
        order = list(range(len(lists)))
        rng.shuffle(order)
        plan += [order[at:at + args.batch] for at in range(0, len(order) - args.batch + 1, args.batch)]
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.rate, weight_decay=0.01, fused=True)
    warm = max(1, len(plan) // 10)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1, (step + 1) / warm) * max(0.02, 1 - step / len(plan)))
    truth = torch.zeros(args.batch, LIST, device=DEVICE)
    truth[:, 0] = 1
    target = torch.zeros(args.batch, dtype=torch.long, device=DEVICE)
    start = time.time()
    for step, batch in enumerate(plan):
        flat = [number * LIST + place for number in batch for place in range(LIST)]
        with torch.autocast("cuda", dtype=torch.bfloat16):
            logits = model(*tokens.batch(flat)).float().view(-1, LIST)
        loss = cross_entropy(logits, target) + 0.5 * binary_cross_entropy_with_logits(logits, truth)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 200 == 0 or step == len(plan) - 1:
            log(f"reranker step {step}/{len(plan)} loss {loss.item():.3f} {time.time() - start:.0f} s")
    seen = save_int8(model.state_dict(), out / "reranker.int8.safetensors")
    model.load_state_dict(seen, strict=False)
    scores = Scores(args.data)
    for name, value in report(model, embedder, tokenizer, pair_tokenizer, scores).items():
        log(f"reranker, int8 weights: {name} {json.dumps(value)}")


if __name__ == "__main__":
    main()
