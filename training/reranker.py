"""Trains a cross-encoder that reads a question and a turn together.

    python3 training/reranker.py --data DATA --base BASE --embedder OUT/embedder.pt --out OUT [--layers 4]

It starts from the tuned embedder's weights. Negatives are the turns by the same people that the embedder ranks highest,
except those that say nearly the same, and the right turn said by the other speaker. General question-passage pairs with
mined negatives keep it from forgetting other texts. A softmax over each list teaches the order; a logistic term calibrates
the scores. Notes and questions of ours (`books/`) teach what answers a person's question about themselves, and what only
looks so.
"""

import argparse
import json
import random
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

import data
from books import book_scores, chance_loss, list_loss, read_all
from embedder import MAX_TOKENS, General, average, draw, logger, mine
from embedder import arguments as embedder_arguments
from encoder import (DEVICE, Tokens, encode_tokens, join, load_encoder, load_state, load_tokenizer, pool, save_int8, some_layers,
                     tokenize)
from evaluate import Scores, auc, hits, ndcg

LIST = 8
MAX_PAIR = 192


class CrossEncoder(torch.nn.Module):
    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder
        self.head = torch.nn.Linear(encoder.width, 1).to(DEVICE)

    def forward(self, ids, mask, types):
        return self.head(pool(self.encoder, ids, mask, types)).squeeze(-1)


class Pairs:
    """`[CLS] question [SEP] turn [SEP]`, assembled on the GPU from separately tokenized texts."""

    def __init__(self, questions, turns):
        self.questions, self.turns = questions, turns

    def lengths(self, asked, told):
        return np.minimum(self.questions.lengths[asked] + self.turns.lengths[told] - 1, MAX_PAIR)

    def batch(self, asked, told):
        width = int(-(-self.lengths(asked, told).max() // 8) * 8)
        asked, told = (torch.from_numpy(np.asarray(part)).to(DEVICE) for part in (asked, told))
        places = torch.arange(width, device=DEVICE)[None]
        first = self.questions.sizes[asked][:, None]
        total = (first + self.turns.sizes[told][:, None] - 1).clamp(max=MAX_PAIR)
        mask = places < total
        types = (places >= first) & mask
        one = self.questions.ids[(self.questions.begins[asked][:, None] + places).clamp(max=len(self.questions.ids) - 1)]
        # Without the turn's own [CLS].
        two = self.turns.ids[(self.turns.begins[told][:, None] + places - first + 1).clamp(min=0, max=len(self.turns.ids) - 1)]
        ids = torch.where(types, two, one)
        ids = torch.where(mask, ids, 0).long()
        return ids, mask, types.long()


def logits_of(model, pairs, asked, told, cuts=(0.6, 0.9)):
    """Splits into a few parts of nearly equal length."""
    order = np.argsort(pairs.lengths(asked, told), kind="stable")
    back = torch.from_numpy(np.argsort(order, kind="stable")).to(DEVICE)
    parts = [part for part in np.split(order, [int(len(order) * cut) for cut in cuts]) if len(part)]
    return torch.cat([model(*pairs.batch(asked[part], told[part])).float() for part in parts])[back]


@torch.no_grad()
def cross_logits(model, pairs, asked, told, size=8192):
    was_training = model.training
    model.eval()
    order = np.argsort(pairs.lengths(asked, told), kind="stable")
    scores = torch.empty(len(order), device=DEVICE)
    with torch.autocast(DEVICE, dtype=torch.bfloat16):
        for start in range(0, len(order), size):
            part = order[start:start + size]
            scores[torch.from_numpy(part).to(DEVICE)] = model(*pairs.batch(asked[part], told[part])).float()
    model.train(was_training)
    return scores


def arguments(given=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--base", required=True)
    parser.add_argument("--embedder", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--name", default="reranker")
    parser.add_argument("--seeds", type=int, nargs="+", default=[11, 12])
    parser.add_argument("--context", type=float, default=0.0, help="share of turns shown with the previous turn; the service shows none")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--without-msc", action="store_true")
    parser.add_argument("--stock", help="weights that tell likely false negatives; without it those of the base")
    parser.add_argument("--book-epochs", type=float, default=12)
    parser.add_argument("--book-batch", type=int, default=6)
    parser.add_argument("--book-weight", type=float, default=1.0)
    parser.add_argument("--drawn", type=int, default=6000, help="books drawn from kinds of facts")
    parser.add_argument("--drawn-share", type=float, default=0.0, help="of the books of a step")
    parser.add_argument("--shared-words", action="store_true", help="leave the embedder's word table as it is, and out of the file")
    parser.add_argument("--seconds", type=float, default=1e9, help="the rate falls with the time, and training ends with it")
    return parser.parse_args(given)


def chosen_negatives(near, rng):
    """Draws half from the very top, half from further down."""
    top = np.stack([rng.permutation(8)[:3] for _ in range(len(near))])
    rest = np.stack([8 + rng.permutation(near.shape[1] - 8)[:LIST - 4] for _ in range(len(near))])
    return np.take_along_axis(near, np.concatenate([top, rest], axis=1), axis=1)


def chat_lists(args, part, embedder, general, rng):
    """(questions, turns) of lists: the right turn, the same turn said by the other speaker, and turns that look right.
    """
    turns, starts = join(Tokens(part["documents"]), Tokens(part["swapped"]))
    near = mine(args, part, embedder, general, 40).cpu().numpy()
    answers, wrong = part["answers"], chosen_negatives(near, rng)
    swapped = np.where(part["has_swapped"][answers], starts[1] + answers, near[:, 0])
    told = np.concatenate([answers[:, None], swapped[:, None], wrong], axis=1)
    return Pairs(Tokens(part["queries"]), turns), told[:, :LIST]


def general_lists(args, seed, embedder, tokenizer, rng):
    pairs = data.general_pairs(args.data, random.Random(seed), 2500)
    passages = sorted({passage for _, passage in pairs})
    place = {passage: index for index, passage in enumerate(passages)}
    questions, turns = (Tokens(tokenize(tokenizer, texts)) for texts in ([question for question, _ in pairs], passages))
    # The nearest ones are too often right as well.
    near = (encode_tokens(embedder, questions) @ encode_tokens(embedder, turns).T).topk(48, dim=1).indices[:, 4:].cpu().numpy()
    right = np.array([place[passage] for _, passage in pairs])
    near = np.where(near == right[:, None], near[:, -1:], near)
    wrong = np.stack([rng.permutation(near.shape[1] - 1)[:LIST - 1] for _ in right])
    return Pairs(questions, turns), np.concatenate([right[:, None], np.take_along_axis(near, wrong, axis=1)], axis=1)


def logits_of_lists(model, pairs, told, asked):
    with torch.autocast(DEVICE, dtype=torch.bfloat16):
        return logits_of(model, pairs, np.repeat(asked, LIST), told[asked].flatten()).view(-1, LIST)


def loss_of_lists(model, pairs, told, asked):
    """The order of each list, whose first turn is right, and the chance of each turn."""
    logits = logits_of_lists(model, pairs, told, asked)
    truth = torch.zeros_like(logits)
    truth[:, 0] = 1
    return cross_entropy(logits, truth.argmax(dim=1)) + 0.5 * binary_cross_entropy_with_logits(logits, truth)


def learn_books(args, model, books, picked):
    """The loss of some books: every question with each note of its book."""
    both = [books.pairs(book) for book in picked]
    with torch.autocast(DEVICE, dtype=torch.bfloat16):
        logits = logits_of(model, Pairs(*books.tokens), *(np.concatenate(part) for part in zip(*both)))
    losses, start = [], 0
    for book in picked:
        truth = books.truth(book)
        part = logits[start:start + truth.numel()].view(truth.shape)
        losses.append(list_loss(part, truth) + 2 * chance_loss(part, truth))
        start += truth.numel()
    return args.book_weight * torch.stack(losses).mean()


def scores_of_books(model, books):
    def scored(book):
        return cross_logits(model, Pairs(*books.tokens), *books.pairs(book)).view(books.truth(book).shape)

    languages = sorted({book.get("lang", "en") for book in books.rows})
    return json.dumps({language: book_scores(books, [book for book in books.held if books.rows[book].get("lang", "en") == language], scored)
                       for language in languages})


def train(args, model, sources, books, steps, step, optimizer, rng, began):
    """One epoch over the lists of all sources."""
    plan = [(number, part) for number, (_, told) in enumerate(sources)
            for part in np.array_split(rng.permutation(len(told)), max(1, len(told) // args.batch))]
    rng.shuffle(plan)
    often = args.book_epochs * len(books.used) / args.book_batch / max(1, steps)
    for number, asked in plan:
        done = max(step / steps, (time.time() - began) / args.seconds)
        if done >= 1:
            break
        rate = min(1, (step + 1) / max(1, steps // 10)) * max(0.02, 1 - done)
        for settings in optimizer.param_groups:
            settings["lr"] = args.rate * rate
        pairs, told = sources[number]
        loss = loss_of_lists(model, pairs, told, asked)
        if rng.random() < often:
            loss = loss + learn_books(args, model, books, books.draw(rng, args.book_batch))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        step += 1
    return step, loss.item()


def report(model, embedder, scores, log, name, weight=0.7, depth=30):
    """any@1/5/10 for each share of the cross-encoder in the blend (SciFact: NDCG@10), and the abstention AUC."""
    for task_name, tasks in scores.tasks.items():
        for context in (True, False) if task_name == "locomo" else (False,):
            shares = (0.0, 0.2, 0.35, 0.5, 0.7, 1.0)
            sums, total, good, bad = {share: np.zeros(3) for share in shares}, 0, [], []
            for task in tasks:
                fused = weight * scores.cosines(embedder, task) + (1 - weight) * task["bm25"]
                top = np.argsort(-fused, axis=1)[:, :depth]
                pairs = Pairs(task["asked_tokens"], task["documents_tokens" if context else "plain_tokens"])
                second = cross_logits(model, pairs, np.repeat(np.arange(len(top)), top.shape[1]), top.flatten())
                second = torch.sigmoid(second).cpu().numpy().reshape(top.shape)
                first = np.take_along_axis(fused, top, axis=1)
                for row in range(len(top)):
                    if row >= len(task["queries"]):
                        bad.append([(1 - share) * first[row] + share * second[row] for share in shares])
                        continue
                    good.append([(1 - share) * first[row] + share * second[row] for share in shares])
                    for share in shares:
                        ranking = top[row][np.argsort(-((1 - share) * first[row] + share * second[row]), kind="stable")].tolist()
                        sums[share] += [ndcg(ranking, task["gold"][row]), 0, 0] if task_name == "scifact" else \
                            [hits(ranking, task["gold"][row], k) for k in (1, 5, 10)]
                total += len(task["queries"])
            log(f"{name}: {task_name}{', context' if context else ''} " + json.dumps(
                {share: [round(100 * float(value) / total, 1) for value in sums[share][:1 if task_name == "scifact" else 3]] for share in shares}))
            if bad:
                log(f"{name}: {task_name} AUC " + json.dumps({share: auc([g[number].max() for g in good], [b[number].max() for b in bad])
                                                              for number, share in enumerate(shares)}))


def chat_arguments(args):
    """Options for drawing chats."""
    return embedder_arguments(["--data", args.data, "--base", args.base, "--out", args.out, "--context", str(args.context)] +
                              (["--without-msc"] if args.without_msc else []))


def fit(args, seed, embedder, general, books, drawn, log):
    """`drawn` provides each epoch's examples; `embedder` mines the negatives and provides the initial weights."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    others = general_lists(args, seed, embedder, load_tokenizer(args.base, MAX_TOKENS), rng)
    model = CrossEncoder(some_layers(args.base, embedder.state_dict(), args.layers))
    model.encoder.embeddings["word_embeddings"].requires_grad_(not args.shared_words)
    model.train()
    optimizer = torch.optim.AdamW([value for value in model.parameters() if value.requires_grad], lr=args.rate, weight_decay=0.01, fused=DEVICE == "cuda")
    start, step, steps = time.time(), 0, None
    for epoch in range(args.epochs):
        lists = chat_lists(chat_arguments(args), drawn(epoch), embedder, general, rng)
        steps = steps or args.epochs * (len(lists[1]) + len(others[1])) // args.batch
        mined = time.time() - start
        step, loss = train(args, model, [lists, others], books, steps, step, optimizer, rng, start)
        log(f"{args.name} seed {seed} epoch {epoch + 1}/{args.epochs} step {step} loss {loss:.3f}, mined after {mined:.0f} s, "
            f"done after {time.time() - start:.0f} s")
    return model


def save(args, embedder, states, scores, log):
    """Averages the seeds' weights, then saves them as int8 and scores them."""
    model = CrossEncoder(some_layers(args.base, embedder.state_dict(), args.layers))
    model.load_state_dict(save_int8(average(states), Path(args.out) / f"{args.name}.int8.safetensors", args.shared_words))
    report(model, embedder, scores, log, f"{args.name}, int8 weights")
    return model


def main():
    args = arguments()
    log = logger(Path(args.out))
    log(json.dumps(vars(args)))
    with ProcessPoolExecutor(4) as workers:
        drawn = {(seed, epoch): workers.submit(draw, chat_arguments(args), seed * 1000 + epoch) for seed in args.seeds for epoch in range(args.epochs)}
        general = General(chat_arguments(args), load_encoder(args.base, load_state(args.stock) if args.stock else None))
        books = read_all(load_tokenizer(args.base, MAX_TOKENS), args.seeds[0], args.drawn, args.drawn_share)
        embedder = load_encoder(args.base, load_state(args.embedder))
        scores, states = Scores(args.data, args.base), []
        for seed in args.seeds:
            model = fit(args, seed, embedder, general, books, lambda epoch: drawn.pop((seed, epoch)).result(), log)
            states.append({name: tensor.detach().float().cpu() for name, tensor in model.state_dict().items()})
            report(model, embedder, scores, log, f"{args.name} seed {seed}")
            log(f"{args.name} seed {seed} books {scores_of_books(model, books)}")
        final = save(args, embedder, states, scores, log)


if __name__ == "__main__":
    main()
