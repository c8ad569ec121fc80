"""Tunes all-MiniLM-L6-v2 for "a question about somebody's life → the turn that answers it".

    python3 training/embedder.py --data DATA --base BASE --out OUT

Contrastive loss: each question against all turns of a few groups of chats whose speakers have the same two names (so that
the name alone does not identify the answer), and against the same turns said by the other speaker. The stock model masks
likely false negatives. Matryoshka dimensions. Two terms preserve what the stock model knew: general question-passage pairs,
and its own similarities between general texts. Every epoch redraws names, questions and contexts. The weights of several
runs with different seeds are averaged, which costs nothing at run time.
"""

import argparse
import json
import random
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import cross_entropy, normalize

import data
from encoder import DEVICE, Tokens, encode, encode_tokens, join, load_encoder, load_tokenizer, pooled, save_int8, tokenize
from evaluate import Scores

DIMS = {384: 0.5, 256: 0.3, 128: 0.2}
MAX_TOKENS = 160
GENERAL_TOKENS = 96


def arguments(given=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--base", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--rate", type=float, default=1.2e-4)
    parser.add_argument("--context", type=float, default=0.6)
    parser.add_argument("--merged", type=int, default=8, help="chats that share their speakers' names")
    parser.add_argument("--visit", type=int, default=320, help="maximum number of questions about one group of chats per batch")
    parser.add_argument("--swapped", type=int, default=192, help="turns said by the wrong speaker per batch")
    parser.add_argument("--sentences", type=float, default=0.3, help="share of sentences that become questions")
    parser.add_argument("--general", type=float, default=0.15, help="weight of general question-passage pairs")
    parser.add_argument("--hold", type=float, default=20.0, help="weight of the stock model's similarities")
    parser.add_argument("--scale", type=float, default=20.0, help="inverse temperature")
    parser.add_argument("--same", type=float, default=0.75, help="texts closer in meaning than this are not negatives of each other")
    parser.add_argument("--seconds", type=float, default=1e9, help="do not start a seed that would end after this time")
    parser.add_argument("--without-msc", action="store_true")
    parser.add_argument("--keep", type=float, default=1.0, help="share of the tuned weights in the blend with the stock ones")
    return parser.parse_args(given)


def draw_groups(args, seed):
    rng = random.Random(seed)
    names = data.training_names(args.data)
    train = Path(args.data) / "train"
    groups = [] if args.without_msc else data.msc_groups(
        args.data, names, rng, args.context, merged=args.merged, sentences=args.sentences)
    count = 40000 if args.without_msc else 8000
    for name in ("topicalchat", "sgd"):
        groups += data.dialogue_groups(train / f"dialogues_{name}.jsonl.gz", names, rng, count, args.context)
    return groups, rng


def draw(args, seed):
    """One epoch's examples as arrays; runs in a separate process."""
    groups, rng = draw_groups(args, seed)
    tokenizer = load_tokenizer(args.base, MAX_TOKENS)
    turns = [turn for group in groups for turn in group.turns]
    starts = np.cumsum([0] + [len(group.turns) for group in groups])
    asked = [question for group in groups for question in group.questions]
    firsts = np.cumsum([0] + [len(group.questions) for group in groups])
    numbers = {"": -1}
    return {
        "documents": tokenize(tokenizer, [turn.document for turn in turns]),
        "swapped": tokenize(tokenizer, [turn.swapped or "" for turn in turns]),
        "has_swapped": np.array([turn.swapped is not None for turn in turns]),
        "speakers": np.array([numbers.setdefault(turn.speaker, len(numbers) - 1) for turn in turns]),
        "says": [turn.facts for turn in turns],
        "queries": tokenize(tokenizer, [question for question, _, _ in asked]),
        "means": [meaning for _, meaning, _ in asked],
        "answers": np.array([place for _, _, place in asked]) + np.repeat(starts[:-1], np.diff(firsts)),
        "plan": batches(starts, firsts, rng, args),
        "starts": starts,
        "firsts": firsts,
    }


def batches(starts, firsts, rng, args):
    """(questions, documents) of each batch: all turns of some groups, and as many questions about them as fit."""
    visits = []
    for group in range(len(starts) - 1):
        asked = list(range(firsts[group], firsts[group + 1]))
        rng.shuffle(asked)
        visits += [(group, asked[at:at + args.visit]) for at in range(0, len(asked), args.visit)]
    rng.shuffle(visits)
    plan, groups, asked = [], set(), []
    for group, questions in visits:
        groups.add(group)
        asked += questions
        if len(asked) >= args.batch:
            told = np.concatenate([np.arange(starts[g], starts[g + 1]) for g in sorted(groups)])
            plan.append((np.array(asked), told))
            groups, asked = set(), []
    return plan


class Meanings:
    """A model's vectors of texts, each computed once: they tell which turns say nearly the same."""

    def __init__(self, args, model):
        self.stock, self.tokenizer = model, load_tokenizer(args.base, GENERAL_TOKENS)
        self.known, self.vectors = {}, None

    def meanings(self, texts):
        new = sorted({text for text in texts if text not in self.known})
        if new:
            for text in new:
                self.known[text] = len(self.known)
            vectors = encode(self.stock, self.tokenizer, new)
            self.vectors = vectors if self.vectors is None else torch.cat([self.vectors, vectors])
        return torch.tensor([self.known[text] for text in texts], device=DEVICE)


class General(Meanings):
    """General texts that the model must not forget, with the stock model's similarities."""

    def __init__(self, args, stock):
        super().__init__(args, stock)
        rng = random.Random(0)
        pairs, triplets, texts = data.general_pairs(args.data, rng), data.snli_triplets(args.data), data.general_texts(args.data, rng)
        columns = [[pair[part] for pair in pairs] for part in range(2)] + [[row[part] for row in triplets] for part in range(3)] + [texts]
        stores = [Tokens(tokenize(self.tokenizer, column)) for column in columns]
        self.tokens, self.starts = join(*stores)
        self.view = encode_tokens(stock, stores[-1])

    def chosen(self, rng, args, step, pairs=160, triplets=128, held=192):
        """Indexes of this step's texts: pairs and triplets every second step, retained texts always."""
        chosen = []
        if args.general and step % 2 == 0:
            for first, last, count in ((0, 2, pairs), (2, 5, triplets)):
                picked = np.array(rng.sample(range(self.starts[first + 1] - self.starts[first]), count))
                chosen += [self.starts[column] + picked for column in range(first, last)]
        if args.hold:
            chosen.append(self.starts[5] + np.array(rng.sample(range(len(self.view)), held)))
        return np.concatenate(chosen) if chosen else np.zeros(0, dtype=np.int64)

    def loss(self, args, vectors, chosen):
        """`vectors` are those of the texts in `chosen`."""
        column = np.searchsorted(self.starts, chosen, side="right") - 1
        told = [vectors[torch.from_numpy(np.flatnonzero(column == number)).to(DEVICE)] for number in range(6)]
        total = 0.0
        if len(told[0]):
            both = torch.arange(len(told[0]), device=DEVICE), torch.arange(len(told[2]), device=DEVICE)
            total = total + args.general * contrastive(told[0], told[1], both[0], None, args.scale)
            total = total + args.general * contrastive(told[2], torch.cat([told[3], told[4]]), both[1], None, args.scale)
        if len(told[5]):
            seen = normalize(told[5], dim=1)
            view = self.view[torch.from_numpy(chosen[column == 5] - self.starts[5]).to(DEVICE)]
            total = total + args.hold * (seen @ seen.T - view @ view.T).square().mean()
        return total


def contrastive(queries, documents, target, mask, scale):
    """InfoNCE at each of the Matryoshka dimensions. `mask` marks documents that are not negatives."""
    total = 0.0
    for dims, weight in DIMS.items():
        logits = scale * (normalize(queries[:, :dims], dim=1) @ normalize(documents[:, :dims], dim=1).T)
        if mask is not None:
            logits = logits.masked_fill(mask, -1e4)
        total = total + weight * cross_entropy(logits, target)
    return total


def no_negatives(args, means, says, asked_of, said_by, target, swapped):
    """Turns that may be right as well: nearly the same meaning, and not said by another speaker. Columns: documents,
    then swapped ones."""
    close = means @ says.T > args.same
    named = (asked_of[:, None] >= 0) & (said_by[None] >= 0)
    same = close & ~(named & (asked_of[:, None] != said_by[None]))
    rows = torch.arange(len(target), device=DEVICE)
    same[rows, target] = False
    # A turn said by the wrong speaker is wrong for its own question, and ambiguous for others of nearly the same
    # meaning.
    unclear = close[:, swapped] & (target[:, None] != swapped[None])
    return torch.cat([same, unclear], dim=1)


def train(args, seed, general, drawn, log):
    """`drawn` provides each epoch's examples."""
    torch.manual_seed(seed)
    rng = random.Random(seed)
    model = load_encoder(args.base)
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.rate, weight_decay=0.01, fused=DEVICE == "cuda")
    start, step, steps = time.time(), 0, None
    for epoch in range(args.epochs):
        part = drawn(epoch)
        tokens, starts = join(Tokens(part["queries"]), Tokens(part["documents"]), Tokens(part["swapped"]), general.tokens)
        speakers = torch.from_numpy(part["speakers"]).to(DEVICE)
        answers = torch.from_numpy(part["answers"]).to(DEVICE)
        means, says = general.meanings(part["means"]), general.meanings(part["says"])
        steps = steps or args.epochs * len(part["plan"])
        for asked, told in part["plan"]:
            rate = min(1, (step + 1) / max(1, steps // 10)) * max(0.02, 1 - step / steps)
            for settings in optimizer.param_groups:
                settings["lr"] = args.rate * rate
            place = np.full(len(part["speakers"]), -1)
            place[told] = np.arange(len(told))
            wrong = np.unique(part["answers"][asked])
            wrong = rng.sample(wrong[part["has_swapped"][wrong]].tolist(), min(args.swapped, int(part["has_swapped"][wrong].sum())))
            wrong = np.array(wrong, dtype=np.int64)
            target = torch.from_numpy(place[part["answers"][asked]]).to(DEVICE)
            gold = answers[torch.from_numpy(asked).to(DEVICE)]
            mask = no_negatives(args, general.vectors[means[asked]], general.vectors[says[told]], speakers[gold],
                                speakers[told], target, torch.from_numpy(place[wrong]).to(DEVICE))
            extra = general.chosen(rng, args, step)
            indices = np.concatenate([starts[0] + asked, starts[1] + told, starts[2] + wrong, starts[3] + extra])
            with torch.autocast(DEVICE, dtype=torch.bfloat16):
                vectors = pooled(model, tokens, indices)
                sizes = [len(asked), len(told) + len(wrong), len(extra)]
                queries, documents, others = torch.split(vectors, sizes)
                loss = contrastive(queries, documents, target, mask, args.scale) + general.loss(args, others, extra)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            step += 1
        log(f"seed {seed} epoch {epoch + 1}/{args.epochs} step {step} loss {loss.item():.3f} {time.time() - start:.0f} s")
    return {name: tensor.detach().float().cpu() for name, tensor in model.state_dict().items()}


@torch.no_grad()
def mine(args, part, model, general, depth):
    """For each question, the turns of its group that the model ranks highest, without the right one and those that may
    be right."""
    told, asked = encode_tokens(model, Tokens(part["documents"])), encode_tokens(model, Tokens(part["queries"]))
    says, means = general.meanings(part["says"]), general.meanings(part["means"])
    speakers = torch.from_numpy(part["speakers"]).to(DEVICE)
    answers = torch.from_numpy(part["answers"]).to(DEVICE)
    found = torch.randint(len(told), (len(asked), depth), device=DEVICE)
    for first, last, start, end in zip(part["firsts"][:-1], part["firsts"][1:], part["starts"][:-1], part["starts"][1:]):
        gold = answers[first:last]
        mask = no_negatives(args, general.vectors[means[first:last]], general.vectors[says[start:end]], speakers[gold],
                            speakers[start:end], gold - int(start), torch.zeros(0, dtype=torch.long, device=DEVICE))
        scores = (asked[first:last] @ told[start:end].T).masked_fill(mask, -1)
        scores[torch.arange(len(gold), device=DEVICE), gold - int(start)] = -1
        count = min(depth, scores.shape[1] - 1)
        if count > 0:
            best = scores.topk(count, dim=1)
            # A masked entry remains a random turn of another group.
            found[first:last, :count] = torch.where(best.values > -1, best.indices + int(start), found[first:last, :count])
    return found


def average(states):
    return {name: sum(state[name] for state in states) / len(states) for name in states[0]}


def blend(state, stock, keep):
    return {name: keep * state[name] + (1 - keep) * stock[name].float().cpu() for name in state}


def logger(out):
    out.mkdir(parents=True, exist_ok=True)
    lines = (out / "log.txt").open("a")

    def log(text):
        print(text, flush=True)
        lines.write(text + "\n")
        lines.flush()

    return log


def tune(args, name, general, scores, drawn, log):
    """Averages, saves and scores the seeds' weights. `drawn` is keyed by (seed, epoch)."""
    states, began, out = [], time.time(), Path(args.out)
    for seed in args.seeds:
        spent = time.time() - began
        if states and spent + spent / len(states) > args.seconds:
            log(f"no time for seed {seed}")
            break
        states.append(train(args, seed, general, lambda epoch: drawn.pop((seed, epoch)).result(), log))
        log(f"{name} seed {seed} {json.dumps(scores.of(load_encoder(args.base, states[-1])))}")
    final = blend(average(states), general.stock.state_dict(), args.keep)
    if len(states) > 1 or args.keep < 1:
        log(f"{name} average of {len(states)} seeds, keep {args.keep} {json.dumps(scores.of(load_encoder(args.base, final)))}")
    torch.save(final, out / f"{name}.pt")
    seen = load_encoder(args.base, save_int8(final, out / f"{name}.int8.safetensors"))
    log(f"{name} int8 weights {json.dumps(scores.of(seen))}")
    log(f"{name} int8 weights, no context {json.dumps(scores.of(seen, context=False))}")
    for dims in list(DIMS)[1:]:
        log(f"{name} int8 weights, {dims} dimensions {json.dumps(scores.of(seen, dims=dims))}")
    return final


def main():
    args = arguments()
    log = logger(Path(args.out))
    log(json.dumps(vars(args)))
    with ProcessPoolExecutor(12) as workers:
        drawn = {(seed, epoch): workers.submit(draw, args, seed * 1000 + epoch) for seed in args.seeds for epoch in range(args.epochs)}
        stock = load_encoder(args.base)
        scores = Scores(args.data, args.base)
        log(f"stock {json.dumps(scores.of(stock))}")
        tune(args, "embedder", General(args, stock), scores, drawn, log)
        workers.shutdown(cancel_futures=True)


if __name__ == "__main__":
    main()
