"""Teaches the reranker more books, and leaves its opinion of chats where it was.

    python3 training/reranker_books.py --data DATA --base OUT/base --start WEIGHTS --words EMBEDDER --out OUT

Every question of a book is read with each of its notes. Questions about chats must keep the log odds that they have.
"""

import argparse
import json
import random
from pathlib import Path

import numpy as np
import torch

import data
from books import read_all
from embedder import MAX_TOKENS, logger
from encoder import DEVICE, Tokens, load_encoder, load_state, load_tokenizer, save_int8, tokenize
from reranker import CrossEncoder, Pairs, cross_logits, learn_books, logits_of, scores_of_books
from schedule import timed_steps


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--base", required=True)
    parser.add_argument("--start", required=True)
    parser.add_argument("--words", required=True, help="the embedder whose word table is shared")
    parser.add_argument("--out", required=True)
    parser.add_argument("--name", default="reranker-books")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--rate", type=float, default=3e-5)
    parser.add_argument("--keep", type=float, default=0.3, help="how much it costs to judge chats otherwise")
    parser.add_argument("--chat-batch", type=int, default=512)
    parser.add_argument("--book-batch", type=int, default=8)
    parser.add_argument("--book-weight", type=float, default=1.0)
    parser.add_argument("--drawn", type=int, default=9000)
    parser.add_argument("--drawn-share", type=float, default=0.5)
    return parser.parse_args()


def opened(args):
    model = CrossEncoder(load_encoder(args.base, load_state(args.words)))
    model.load_state_dict(load_state(args.start, args.words))
    return model


def chat_pairs(args, tokenizer):
    """Questions about chats with the turn that answers, the same turn by the other speaker, and two turns of the same people."""
    rng, asked, told = random.Random(args.seed), [], []
    for group in data.msc_groups(args.data, data.training_names(args.data), rng, 0.0):
        for question, _, answer in rng.sample(group.questions, min(60, len(group.questions))):
            right = group.turns[answer]
            texts = [right.plain, right.swapped or right.plain, *(rng.choice(group.turns).plain for _ in range(2))]
            asked, told = asked + [question] * len(texts), told + texts
    return Pairs(Tokens(tokenize(tokenizer, asked)), Tokens(tokenize(tokenizer, told)))


def train(args, model, pairs, view, books, log):
    model.encoder.embeddings["word_embeddings"].requires_grad_(False)
    model.train()
    optimizer = torch.optim.AdamW([value for value in model.parameters() if value.requires_grad], lr=args.rate, weight_decay=0.0, fused=DEVICE == "cuda")
    rng, step = np.random.default_rng(args.seed), 0
    for step, passed in timed_steps(optimizer, args.rate, args.seconds, warm=50, least=0.02):
        picked = rng.integers(0, len(view), args.chat_batch)
        with torch.autocast(DEVICE, dtype=torch.bfloat16):
            logits = logits_of(model, pairs, picked, picked)
        moved = (logits - view[torch.from_numpy(picked).to(DEVICE)]).square().mean()
        learned = learn_books(args, model, books, books.draw(rng, args.book_batch))
        loss = args.keep * moved + learned
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if (step + 1) % 100 == 0:
            log(f"step {step + 1} moved {moved.item():.3f} books {learned.item():.3f} {passed:.0f} s")
    log(f"{step + 1} steps")


def main():
    args = arguments()
    log = logger(Path(args.out))
    log(json.dumps(vars(args)))
    torch.manual_seed(args.seed)
    tokenizer = load_tokenizer(args.base, MAX_TOKENS)
    model = opened(args)
    books = read_all(tokenizer, args.seed, args.drawn, args.drawn_share)
    pairs = chat_pairs(args, tokenizer)
    places = np.arange(len(pairs.turns.lengths))
    view = cross_logits(model, pairs, places, places)
    log(f"{len(places)} pairs of chats; before {scores_of_books(model, books)}")
    train(args, model, pairs, view, books, log)
    model.load_state_dict(save_int8({name: tensor.detach().float().cpu() for name, tensor in model.state_dict().items()},
                                    Path(args.out) / f"{args.name}.int8.safetensors", True))
    log(f"int8 {scores_of_books(model, books)}")


if __name__ == "__main__":
    main()
