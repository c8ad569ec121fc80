"""Teaches the reranker more books, and leaves its opinion of chats where it was.

    python3 training/reranker_books.py --data DATA --base OUT/base --start WEIGHTS --words EMBEDDER --out OUT

Every question is read with the notes of its book that answer it and with those that the embedder takes for answers, because these
are what the service gives it to read. With `--changed`, newer notes are also read with the older ones that they change. Questions about chats must keep the log odds that they have. `--mean` averages several results.
"""

import argparse
import json
import random
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

import data
from books import list_loss, read_all
from changed import Changed
from embedder import MAX_TOKENS, average, logger
from encoder import DEVICE, Tokens, encode_tokens, load_encoder, load_state, load_tokenizer, save_int8, tokenize
from reranker import LIST, CrossEncoder, Pairs, cross_logits, logits_of, scores_of_books
from schedule import timed_steps

# Books whose notes have so many characters on average are read twice as often.
LONG_NOTES = 85


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--base", required=True)
    parser.add_argument("--start", required=True)
    parser.add_argument("--teacher", help="weights whose opinion of chats is kept; without it those of the start")
    parser.add_argument("--words", required=True, help="the embedder whose word table is shared")
    parser.add_argument("--out", required=True)
    parser.add_argument("--name", default="reranker-books")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--rate", type=float, default=3e-5)
    parser.add_argument("--keep", type=float, default=0.3, help="how much it costs to judge chats otherwise")
    parser.add_argument("--chat-batch", type=int, default=256)
    parser.add_argument("--ask-batch", type=int, default=96)
    parser.add_argument("--chance", type=float, default=1.0, help="weight of the chance beside the order")
    parser.add_argument("--drawn", type=int, default=7000)
    parser.add_argument("--drawn-share", type=float, default=0.5)
    parser.add_argument("--size", type=int, default=14, help="kinds per drawn book")
    parser.add_argument("--join", type=float, default=0.3, help="share of the drawn notes that go to the end of another one")
    parser.add_argument("--foreign", type=int, default=1, help="how many times as often books in other languages than English are learned")
    parser.add_argument("--twice", nargs="*", default=[], help="parts of the names of files whose books are learned twice as often")
    parser.add_argument("--changed", type=int, default=0, help="newer notes read with the older ones that they change, per step")
    parser.add_argument("--mean", nargs="*", default=[], help="learn nothing; average these files")
    return parser.parse_args()


def opened(args, path):
    model = CrossEncoder(load_encoder(args.base, load_state(args.words)))
    model.load_state_dict(load_state(path, args.words))
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


class Lists:
    """For every question of the books to learn: notes to read, which of them answer, and which exist."""

    def __init__(self, books, embedder, seed):
        rng = np.random.default_rng(seed)
        asked, told = (encode_tokens(embedder, tokens).half() for tokens in books.tokens)
        self.books, self.notes = books, np.zeros((len(asked), LIST), dtype=np.int64)
        self.right, self.there = np.zeros_like(self.notes, dtype=bool), np.zeros_like(self.notes, dtype=bool)
        for book in (*books.used, *books.drawn):
            asks, notes = books.parts([book])
            near = (asked[asks[0]:asks[-1] + 1] @ told[notes[0]:notes[-1] + 1].T).argsort(dim=1, descending=True).cpu().numpy()
            for ask, row, order in zip(asks, books.rows[book]["asks"], near):
                answers = list(row["a"])[:LIST // 2]
                others = [place for place in order if place not in set(row["a"])]
                # The nearest, and some from further down.
                most = LIST - len(answers)
                far = others[most - 2:most + 8]
                picked = answers + others[:most - 2] + [far[index] for index in rng.permutation(len(far))[:2]]
                self.notes[ask, :len(picked)] = notes[0] + np.array(picked, dtype=np.int64)
                self.right[ask, :len(answers)] = True
                self.there[ask, :len(picked)] = True
        # Long notes with several facts each are the hardest to read.
        long = [book for book in books.used if np.mean([len(note) for note in books.rows[book]["notes"]]) >= LONG_NOTES]
        self.written, self.drawn = (np.concatenate([books.parts([book])[0] for book in some]) if some else np.zeros(0, dtype=np.int64)
                                    for some in (books.used + long, books.drawn))

    def draw(self, rng, count):
        new = rng.binomial(count, self.books.share)
        return np.concatenate([rng.choice(self.written, count - new), rng.choice(self.drawn, new)]) if new else rng.choice(self.written, count)


def learn(args, model, pairs, lists, picked):
    """The loss of some questions: their order, and the chance that each note answers."""
    there, right = (torch.from_numpy(part[picked]).to(DEVICE) for part in (lists.there, lists.right))
    with torch.autocast(DEVICE, dtype=torch.bfloat16):
        logits = logits_of(model, pairs, np.repeat(picked, LIST), lists.notes[picked].flatten()).view(-1, LIST)
    chance = binary_cross_entropy_with_logits(logits[there], right[there].float())
    return list_loss(logits.masked_fill(~there, -1e4), right.float()) + args.chance * chance


def train(args, model, pairs, view, lists, changed, log):
    model.encoder.embeddings["word_embeddings"].requires_grad_(False)
    model.train()
    optimizer = torch.optim.AdamW([value for value in model.parameters() if value.requires_grad], lr=args.rate, weight_decay=0.01, fused=DEVICE == "cuda")
    rng, step, read = np.random.default_rng(args.seed), 0, Pairs(*lists.books.tokens)
    for step, passed in timed_steps(optimizer, args.rate, args.seconds, warm=100, least=0.02):
        picked = rng.integers(0, len(view), args.chat_batch)
        with torch.autocast(DEVICE, dtype=torch.bfloat16):
            logits = logits_of(model, pairs, picked, picked)
        moved = (logits - view[torch.from_numpy(picked).to(DEVICE)]).square().mean()
        learned = learn(args, model, read, lists, lists.draw(rng, args.ask_batch))
        if changed:
            learned = learned + changed.loss(model, rng, args.changed)
        optimizer.zero_grad(set_to_none=True)
        (args.keep * moved + learned).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if (step + 1) % 250 == 0:
            log(f"step {step + 1} moved {moved.item():.3f} books {learned.item():.3f} {passed:.0f} s")
    log(f"{step + 1} steps")


def taught(args, model, books, tokenizer, log):
    """The weights after training."""
    pairs = chat_pairs(args, tokenizer)
    places = np.arange(len(pairs.turns.lengths))
    view = cross_logits(opened(args, args.teacher) if args.teacher else model, pairs, places, places)
    log(f"{len(places)} pairs of chats; before {scores_of_books(model, books)}")
    lists = Lists(books, load_encoder(args.base, load_state(args.words)), args.seed)
    log(f"{len(lists.written)} questions of written books, {len(lists.drawn)} of drawn ones")
    changed = Changed(books, tokenizer, args.seed) if args.changed else None
    if changed:
        log(f"{[len(part[0]) for part in changed.parts.values()]} changes; before {changed.scores(model)}")
    train(args, model, pairs, view, lists, changed, log)
    if changed:
        log(f"changes after {changed.scores(model)}")
    return model.state_dict()


def main():
    args = arguments()
    log = logger(Path(args.out))
    log(json.dumps(vars(args)))
    torch.manual_seed(args.seed)
    tokenizer = load_tokenizer(args.base, MAX_TOKENS)
    model = opened(args, args.start)
    books = read_all(tokenizer, args.seed, args.drawn, args.drawn_share, args.size, args.join, args.foreign, args.twice)
    state = average([load_state(path, args.words) for path in args.mean]) if args.mean else taught(args, model, books, tokenizer, log)
    model.load_state_dict(save_int8({name: tensor.detach().float().cpu() for name, tensor in state.items()},
                                    Path(args.out) / f"{args.name}.int8.safetensors", True))
    log(f"int8 {scores_of_books(model, books)}")


if __name__ == "__main__":
    main()
