"""Teaches the embedder more books, and leaves everything else where it was.

    python3 training/embedder_books.py --data DATA --base OUT/base --start WEIGHTS --out OUT

A question or a remark must lie nearer to the notes that answer or explain it than to the other notes of its book, to notes of other
books and to turns of chats. Chats, general texts and sentences in 29 languages must keep the vectors that they have. The word table
does not learn, because other models share it: its rows are copied unchanged into the new file. `--mean` averages several results.
"""

import argparse
import json
import random
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch.nn.functional import normalize

import data
from books import book_scores, list_loss, read_all
from embedder import arguments as embedder_arguments
from embedder import logger
from encoder import DEVICE, WORDS, Tokens, encode_tokens, join, load_encoder, load_state, load_tokenizer, pooled, save_int8, tokenize
from evaluate import Scores, dialogue_task, hits
from multilingual import languages
from schedule import timed_steps

MAX_TOKENS = 192


def arguments(more=None):
    """`more(parser)` adds options."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--base", required=True)
    parser.add_argument("--start", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--name", default="embedder-books")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=200)
    parser.add_argument("--rate", type=float, default=6e-5)
    parser.add_argument("--keep", type=float, default=16, help="how much it costs to move other texts")
    parser.add_argument("--books", type=int, default=24, help="per step")
    parser.add_argument("--named", type=float, default=0.35, help="share of the books whose notes begin with a name")
    parser.add_argument("--drawn", type=int, default=6000, help="books drawn from kinds of facts")
    parser.add_argument("--drawn-share", type=float, default=0.0, help="of the books of a step")
    parser.add_argument("--size", type=int, default=6, help="kinds per drawn book")
    parser.add_argument("--join", type=float, default=0.0, help="share of the drawn notes that go to the end of another one")
    parser.add_argument("--shares", type=float, nargs="+", default=[1.0], help="of the way from the old weights to the new ones; each is saved")
    parser.add_argument("--before", action="store_true", help="score the old weights too")
    parser.add_argument("--bare", action="store_true", help="leave the word table out of the files")
    parser.add_argument("--foreign", type=int, default=1, help="how many times as often books in other languages than English are learned")
    parser.add_argument("--kept-foreign", type=int, default=2500, help="sentences of each other language that keep their vectors")
    parser.add_argument("--twice", nargs="*", default=[], help="parts of the names of files whose books are learned twice as often")
    parser.add_argument("--mean", nargs="*", default=[], help="learn nothing; average these files")
    parser.add_argument("--also", nargs="*", default=[], help="folders of more conversations to score")
    if more:
        more(parser)
    return parser.parse_args()


def texts_to_keep(args, rng):
    """(chats, other texts)"""
    drawn = embedder_arguments(["--data", args.data, "--base", args.base, "--out", args.out])
    chats = []
    for group in data.msc_groups(args.data, data.training_names(args.data), rng, drawn.context, merged=8, sentences=0.3):
        chats += [turn.document for turn in group.turns] + [question for question, _, _ in group.questions]
    foreign = [text for language in languages.LANGUAGES for _, text in languages.sentences(args.data, language)[:args.kept_foreign]]
    general = sorted({text for pair in data.general_pairs(args.data, rng, 2500) for text in pair})
    return rng.sample(chats, min(len(chats), 90000)), data.general_texts(args.data, rng) + general + foreign


class Learner:
    def __init__(self, args, teacher, books, log):
        rng = random.Random(args.seed)
        tokenizer = load_tokenizer(args.base, MAX_TOKENS)
        names = sorted(data.training_names(args.data))
        chats, others = texts_to_keep(args, rng)
        self.args, self.books, self.chats = args, books, len(chats)
        kept = Tokens(tokenize(tokenizer, chats + others))
        self.view = encode_tokens(teacher, kept, 2048).half()
        called = [rng.choice(names) for _ in books.rows]
        named = [f"{name}: {note}" for name, row in zip(called, books.rows) for note in row["notes"]]
        self.tokens, self.starts = join(kept, *books.tokens, Tokens(tokenize(tokenizer, named)))
        log(f"{len(chats)} chats and {len(others)} other texts to keep; {len(books.used)} books to learn")

    def loss(self, model, rng):
        args, books = self.args, self.books
        chats, others = rng.integers(0, self.chats, 384), rng.integers(self.chats, len(self.view), 384)
        picked = books.draw(rng, args.books)
        asks = np.concatenate([books.parts([book])[0] for book in picked])
        notes = np.concatenate([books.parts([book])[1] + self.starts[3 if rng.random() < args.named else 2] for book in picked])
        kept = np.concatenate([chats, others])
        with torch.autocast(DEVICE, dtype=torch.bfloat16):
            vectors = pooled(model, self.tokens, np.concatenate([kept, self.starts[1] + asks, notes]))
        seen, asked, told = torch.split(normalize(vectors.float(), dim=1), [len(kept), len(asks), len(notes)])
        moved = (1 - (seen * self.view[torch.from_numpy(kept).to(DEVICE)].float()).sum(1)).mean()
        truth = torch.block_diag(*[books.truth(book) for book in picked])
        logits = 20 * asked @ torch.cat([told, seen[:len(chats)].detach()]).T
        learned = list_loss(logits, torch.cat([truth, truth.new_zeros(len(truth), len(chats))], dim=1))
        return args.keep * moved + learned, moved, learned


def train(args, model, learner, log):
    """Until the time is up; the rate falls with the time."""
    model.embeddings["word_embeddings"].requires_grad_(False)
    model.eval()
    optimizer = torch.optim.AdamW([value for value in model.parameters() if value.requires_grad], lr=args.rate, weight_decay=0.0, fused=DEVICE == "cuda")
    rng, step = np.random.default_rng(args.seed), 0
    for step, passed in timed_steps(optimizer, args.rate, args.seconds, warm=100, least=0.01):
        loss, moved, learned = learner.loss(model, rng)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if (step + 1) % 250 == 0:
            log(f"step {step + 1} moved {moved.item():.4f} books {learned.item():.3f} {passed:.0f} s")
    log(f"{step + 1} steps")


def scores_of_books(model, books):
    asked, told = (encode_tokens(model, tokens) for tokens in books.tokens)

    def scored(book):
        asks, notes = (torch.from_numpy(part).to(DEVICE) for part in books.parts([book]))
        return asked[asks] @ told[notes].T

    kinds = sorted({books.rows[book].get("lang", "en") for book in books.held})
    return {kind: book_scores(books, [book for book in books.held if books.rows[book].get("lang", "en") == kind], scored) for kind in kinds}


def scores_of_folders(args, model):
    """any@1/5/10 by cosine, every turn with the one before it."""
    tokenizer, result = load_tokenizer(args.base, 256), {}
    for folder in args.also:
        sums, total = np.zeros(3), 0
        for task in dialogue_task(args.data, folder):
            told, asked = (encode_tokens(model, Tokens(tokenize(tokenizer, task[part]))) for part in ("documents", "queries"))
            for ranking, gold in zip((asked @ told.T).topk(min(10, len(told)), dim=1).indices.tolist(), task["gold"]):
                sums += [hits(ranking, gold, depth) for depth in (1, 5, 10)]
            total += len(task["queries"])
        result[folder] = [round(100 * float(value) / max(1, total), 1) for value in sums]
    return result


def save(args, state, share):
    """As int8, with the old file's word table. Returns the weights as a reader sees them."""
    path = Path(args.out) / f"{args.name}-{share}.int8.safetensors"
    seen = save_int8(state, path, shared=True)
    if not args.bare:
        stored, old = load_file(str(path)), load_file(args.start)
        stored |= {name: old[name] for name in (WORDS, f"{WORDS}.scale")}
        save_file({name: tensor.contiguous() for name, tensor in stored.items()}, str(path))
    return seen


def report(args, model, scores, books, log, name):
    log(f"{args.name} {name} books {json.dumps(scores_of_books(model, books))}")
    log(f"{args.name} {name} {json.dumps(scores.of(model))} {json.dumps(scores_of_folders(args, model))}")


def main():
    args = arguments()
    log = logger(Path(args.out))
    log(json.dumps(vars(args)))
    torch.manual_seed(args.seed)
    state = load_state(args.start)
    teacher, model = load_encoder(args.base, state), load_encoder(args.base, state)
    books, scores = read_all(load_tokenizer(args.base, MAX_TOKENS), args.seed, args.drawn, args.drawn_share, args.size, args.join, args.foreign, args.twice), Scores(args.data, args.base)
    if args.before:
        report(args, teacher, scores, books, log, "before")
    if args.mean:
        several = [state | load_state(path) for path in args.mean]
        final = {name: torch.stack([each[name] for each in several]).mean(0) for name in state}
    else:
        train(args, model, Learner(args, teacher, books, log), log)
        final = {name: tensor.detach().float().cpu() for name, tensor in model.state_dict().items()}
    for share in args.shares:
        mixed = {name: torch.lerp(state[name], tensor, share) for name, tensor in final.items()}
        report(args, load_encoder(args.base, save(args, mixed, share)), scores, books, log, f"int8 {share}")


if __name__ == "__main__":
    main()
