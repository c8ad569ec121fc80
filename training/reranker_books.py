"""Teaches the reranker more books, and leaves its opinion of chats where it was.

    python3 training/reranker_books.py --data DATA --base OUT/base --start WEIGHTS --words EMBEDDER --out OUT

Every question is read with the notes of its book that answer it and with those that the embedder takes for answers, because these
are what the service gives it to read. With `--changed`, newer notes are also read with the older ones that they change. Questions about chats must keep the log odds that they have;
with `--chats`, they are learned too: the right turn, the same turn said by the other speaker, and turns that the embedder takes for answers. `--mean` averages several results.
"""

import argparse
import json
import random
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

import data
from books import list_loss, read_all
from changed import Changed
from embedder import MAX_TOKENS, Meanings, average, draw, logger
from encoder import DEVICE, Tokens, encode_tokens, load_encoder, load_state, load_tokenizer, save_int8, tokenize
from reranker import LIST, CrossEncoder, Pairs, chat_arguments, chat_lists, cross_logits, logits_of, logits_of_lists, loss_of_lists, scores_of_books
from schedule import timed_steps

# Log odds beyond this say nothing more.
MOST_ODDS = 6
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
    parser.add_argument("--chats", type=int, default=0, help="questions about chats that are learned per step")
    parser.add_argument("--chat-lists", type=int, default=60000, help="questions about chats that are drawn")
    parser.add_argument("--chat-teacher", help="weights whose log odds for these are kept")
    parser.add_argument("--chat-keep", type=float, default=0.3, help="how much it costs to move them")
    parser.add_argument("--context", type=float, default=0.35, help="share of these chats' turns that are shown with the previous one")
    parser.add_argument("--mean", nargs="*", default=[], help="learn nothing; average these files")
    parser.set_defaults(without_msc=False)
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


class Chats:
    """Questions about chats, each with the right turn first, the same turn by the other speaker second, and turns that look right behind
    them. The service shows a turn with the question before it, so some are read with the turn before. With a teacher, its log odds are
    kept, except those of the other speaker's turn: it knows which turns help without saying the answer."""

    def __init__(self, args, embedder, teacher=None):
        rng, drawing, meanings = np.random.default_rng(args.seed), chat_arguments(args), Meanings(args, embedder)
        self.pairs, told = chat_lists(drawing, draw(drawing, args.seed * 1000), embedder, meanings, rng)
        self.asked = rng.permutation(len(told))[:args.chat_lists]
        self.told, self.keep, self.view = told, args.chat_keep, None
        if teacher:
            asked = np.repeat(self.asked, LIST)
            self.view = cross_logits(teacher, self.pairs, asked, told[self.asked].flatten()).view(-1, LIST).clamp(-MOST_ODDS, MOST_ODDS)

    def loss(self, model, rng, count):
        picked = rng.integers(0, len(self.asked), count)
        if self.view is None:
            return loss_of_lists(model, self.pairs, self.told, self.asked[picked])
        logits = logits_of_lists(model, self.pairs, self.told, self.asked[picked])
        away = (logits - self.view[torch.from_numpy(picked).to(DEVICE)]).square()
        right, other = torch.zeros(count, dtype=torch.long, device=DEVICE), logits[:, 1]
        kept = torch.cat([away[:, :1], away[:, 2:]], dim=1).mean()
        return self.keep * kept + 0.5 * cross_entropy(logits, right) + 0.25 * binary_cross_entropy_with_logits(other, torch.zeros_like(other))


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


def moved(model, pairs, view, picked):
    """How far the log odds of some pairs are from those that they had."""
    with torch.autocast(DEVICE, dtype=torch.bfloat16):
        logits = logits_of(model, pairs, picked, picked)
    return (logits - view[torch.from_numpy(picked).to(DEVICE)]).square().mean()


def train(args, model, pairs, view, lists, changed, chats, log):
    model.encoder.embeddings["word_embeddings"].requires_grad_(False)
    model.train()
    optimizer = torch.optim.AdamW([value for value in model.parameters() if value.requires_grad], lr=args.rate, weight_decay=0.01, fused=DEVICE == "cuda")
    rng, step, read = np.random.default_rng(args.seed), 0, Pairs(*lists.books.tokens)
    for step, passed in timed_steps(optimizer, args.rate, args.seconds, warm=100, least=0.02):
        loss = args.keep * moved(model, pairs, view, rng.integers(0, len(view), args.chat_batch)) if args.keep else 0.0
        learned = learn(args, model, read, lists, lists.draw(rng, args.ask_batch))
        if changed:
            learned = learned + changed.loss(model, rng, args.changed)
        if chats:
            learned = learned + chats.loss(model, rng, args.chats)
        optimizer.zero_grad(set_to_none=True)
        (loss + learned).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if (step + 1) % 250 == 0:
            log(f"step {step + 1} kept {float(loss):.3f} learned {learned.item():.3f} {passed:.0f} s")
    log(f"{step + 1} steps")


def taught(args, model, books, tokenizer, log):
    """The weights after training."""
    pairs = chat_pairs(args, tokenizer)
    places = np.arange(len(pairs.turns.lengths))
    view = cross_logits(opened(args, args.teacher) if args.teacher else model, pairs, places, places)
    log(f"{len(places)} pairs of chats; before {scores_of_books(model, books)}")
    embedder = load_encoder(args.base, load_state(args.words))
    lists = Lists(books, embedder, args.seed)
    log(f"{len(lists.written)} questions of written books, {len(lists.drawn)} of drawn ones")
    chats = Chats(args, embedder, args.chat_teacher and opened(args, args.chat_teacher)) if args.chats else None
    changed = Changed(books, tokenizer, args.seed) if args.changed else None
    if changed:
        log(f"{[len(part[0]) for part in changed.parts.values()]} changes; before {changed.scores(model)}")
    train(args, model, pairs, view, lists, changed, chats, log)
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
