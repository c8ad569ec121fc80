"""Trains the judge: a cross-encoder that reads an old memory and a new text and says how they relate.

    python3 training/judge/train.py --data DATA --base BASE --start WEIGHTS --out OUT

Input: `[CLS] old [SEP] (next|later): new [SEP]`. One head on the mean of all tokens gives six relations; another gives, for each token
of the old text, whether its words become outdated. `[CLS] before [SEP] (turn|reply): text [SEP]` asks whether a message of the user or
the assistant says anything worth keeping, and whether it changes anything said before: the last two outputs of the first head. Each
epoch redraws the variations.
"""

import argparse
import json
import random
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits, log_softmax

sys.path.append(str(Path(__file__).resolve().parents[1]))
from encoder import DEVICE, load_encoder, load_state, load_tokenizer, save_int8, some_layers
from names import FIRST_NAMES

import dataset
import plain
from book_pairs import BookPairs
from kind_pairs import KindPairs
from dataset import ENDS, LABELS, REFINES, REPLACES, SAME

MAX_TOKENS = 160
MASK_TOKEN = 103
FIRST_WORD = 999
WORTH = len(LABELS)
CHANGES = WORTH + 1
OUTPUTS = CHANGES + 1


class Judge(nn.Module):
    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder
        self.drop = nn.Dropout(0.1)
        self.head = nn.Linear(encoder.width, OUTPUTS).to(DEVICE)
        self.parts = nn.Linear(encoder.width, 1).to(DEVICE)

    def forward(self, ids, mask, types):
        hidden = self.encoder(ids, mask, types).float()
        weights = mask.unsqueeze(-1).float()
        mean = (hidden * weights).sum(1) / weights.sum(1)
        return self.head(self.drop(mean)), self.parts(hidden).squeeze(-1)


def encode(tokenizer, pairs):
    """Token ids, segment types, for each token of the old text whether it is outdated (-1: not known), the allowed relations (none: a turn alone),
    the weight, whether a turn is worth keeping, and whether it changes anything (-1: not known)."""
    rows = tokenizer.encode_batch([(pair.old, pair.mark + pair.new) for pair in pairs])
    examples = []
    for pair, row in zip(pairs, rows):
        known = bool(pair.parts)
        outdated = [-1] * len(row.ids)
        for place, (kind, (start, end), special) in enumerate(zip(row.type_ids, row.offsets, row.special_tokens_mask)):
            if known and kind == 0 and not special:
                outdated[place] = int(any(start < stop and end > begin for begin, stop in pair.parts))
        allowed = [number in pair.labels for number in range(len(LABELS))]
        alone = (-1 if value is None else int(value) for value in (pair.keep, pair.changes))
        examples.append((row.ids, row.type_ids, outdated, allowed, pair.weight, *alone))
    return examples


def batches(examples, size, rng):
    order = sorted(range(len(examples)), key=lambda place: len(examples[place][0]) + (rng.random() * 12 if rng else 0))
    parts = [order[start:start + size] for start in range(0, len(order), size)]
    if rng:
        rng.shuffle(parts)
    for part in parts:
        width = -(-max(len(examples[place][0]) for place in part) // 8) * 8
        ids, types = np.zeros((len(part), width), np.int64), np.zeros((len(part), width), np.int64)
        mask, outdated = np.zeros((len(part), width), bool), np.full((len(part), width), -1, np.int64)
        for row, place in enumerate(part):
            length = len(examples[place][0])
            ids[row, :length], types[row, :length], outdated[row, :length] = examples[place][:3]
            mask[row, :length] = True
        allowed = np.array([examples[place][3] for place in part])
        weight = np.array([examples[place][4] for place in part], np.float32)
        keep, changes = (np.array([examples[place][at] for place in part], np.int64) for at in (5, 6))
        yield part, [torch.from_numpy(array).to(DEVICE) for array in (ids, mask, types, outdated, allowed, weight, keep, changes)]


def draw(rows, turns, people, names, rng, args, books):
    """One epoch: every hand-written pair in a few variations, random partners, dialogue, and turns alone. What is put around a text is
    in its language."""
    pairs = []
    for language in sorted({row["language"] for row in rows}):
        pairs += drawn_of([row for row in rows if row["language"] == language], [turn for turn in turns if turn.language == language], names, rng, args)
    pairs += dataset.msc_single_valued(people, rng, args.msc // 4) + dataset.msc_compatible(people, rng, args.msc) + dataset.msc_same(people, rng, args.msc // 4)
    pairs += plain.plain_pairs(rng, args.plain)
    if args.kinds:
        kinds = KindPairs(rng)
        pairs += kinds.pairs(args.kinds) + kinds.turns(args.kinds // 2)
    return pairs + (books.pairs(rng, args.books) if args.books else [])


def drawn_of(rows, turns, names, rng, args):
    hand = [pair for row in rows for pair in dataset.hand_pairs(row)]
    # English has words for this; of other languages, short chatter will do.
    chatter = [turn.new for turn in turns if not turn.keep and not turn.old and len(turn.new) < 40]
    around = () if rows[0]["language"] == "en" or not chatter else (chatter, chatter)
    augmenter = dataset.Augmenter(hand, rng, names, *around)
    pairs = list(hand)
    for _ in range(args.variations):
        pairs += [augmenter.vary(pair) for pair in hand]
    pairs += [augmenter.reversed_same(pair) for pair in hand if pair.labels in ((SAME,), (REFINES,)) and not pair.chat]
    pairs += augmenter.crossed(rows, len(hand) // 3)
    pairs += [augmenter.random_pair() for _ in range(len(hand) // 2)]
    return pairs + turns + [dataset.varied_turn(turn, turns, rng) for turn in turns * 2] + dataset.stated_turns(hand, rng, len(turns))


def encoder_of(args):
    """The starting weights may be those of an encoder, or of a model around one."""
    state = load_state(args.start, args.words)
    inner = {name.removeprefix("encoder."): tensor for name, tensor in state.items() if name.startswith("encoder.embeddings.") or name.startswith("encoder.encoder.")}
    return some_layers(args.base, inner or state, args.layers)


def started(args):
    """A judge at the start: of another judge, its heads too."""
    model = Judge(encoder_of(args))
    if args.go_on:
        state = load_state(args.start, args.words)
        with torch.no_grad():
            for name in ("head", "parts"):
                for part in ("weight", "bias"):
                    known = state[f"{name}.{part}"].to(DEVICE)
                    getattr(getattr(model, name), part)[:len(known)] = known
    return model


def fit(args, seed, rows, turns, people, names, tokenizer, log, books):
    torch.manual_seed(seed)
    rng = random.Random(seed)
    model = started(args)
    model.encoder.embeddings["word_embeddings"].requires_grad_(not args.words)
    model.train()
    # The mean of recent weights does better than the last ones.
    smooth = torch.optim.swa_utils.AveragedModel(model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(args.ema))
    optimizer = torch.optim.AdamW([value for value in model.parameters() if value.requires_grad], lr=args.rate, weight_decay=0.01, fused=DEVICE == "cuda")
    begun, step, steps = time.time(), 0, None
    for epoch in range(args.epochs):
        if time.time() - begun > args.seconds:
            break
        examples = encode(tokenizer, draw(rows, turns, people, names, rng, args, books))
        plan = list(batches(examples, args.batch, rng))
        steps = steps or len(plan) * args.epochs
        losses = []
        for _, (ids, mask, types, outdated, allowed, weight, *alone) in plan:
            done = max(step / steps, (time.time() - begun) / args.seconds)
            if done > 1:
                break
            for settings in optimizer.param_groups:
                settings["lr"] = args.rate * min(1, (step + 1) / max(1, steps // 12)) * max(0.02, 1 - done)
            hidden = (torch.rand(ids.shape, device=DEVICE) < args.hidden_words) & (ids > FIRST_WORD)
            with torch.autocast(DEVICE, dtype=torch.bfloat16):
                logits, parts = model(ids.masked_fill(hidden, MASK_TOKEN), mask, types)
            logits = logits.float()
            chances = log_softmax(logits[:, :WORTH], dim=1)
            pair = allowed.any(1)
            # A few labels are wrong, so a little chance is left to the others.
            likely = (1 - args.smooth) * chances.masked_fill(~allowed & pair.unsqueeze(1), float("-inf")).logsumexp(1) + args.smooth * chances.mean(1)
            known = outdated >= 0
            loss = -(likely * weight * pair).sum() / weight.sum()
            for output, truth in zip((WORTH, CHANGES), alone):
                turn = truth >= 0
                if turn.any():
                    wanted = truth[turn].float() * (1 - 2 * args.smooth) + args.smooth
                    missed = binary_cross_entropy_with_logits(logits[turn, output], wanted, reduction="none")
                    loss = loss + (missed * weight[turn]).sum() / weight.sum()
            if known.any():
                loss = loss + 0.5 * binary_cross_entropy_with_logits(parts.float()[known], outdated[known].float())
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            smooth.update_parameters(model)
            step += 1
            losses.append(loss.item())
        log(f"seed {seed} epoch {epoch + 1}/{args.epochs} pairs {len(examples)} loss {np.mean(losses or [0]):.3f}, {step} steps after {time.time() - begun:.0f} s")
    return {name: tensor.detach().float().cpu() for name, tensor in smooth.module.state_dict().items()}


@torch.no_grad()
def judged(model, tokenizer, pairs):
    model.eval()
    chances, outdated = np.zeros((len(pairs), OUTPUTS), np.float32), [None] * len(pairs)
    for part, (ids, mask, types, *_) in batches(encode(tokenizer, pairs), 256, None):
        logits, parts = model(ids, mask, types)
        logits = logits.float()
        chances[part] = torch.cat([torch.softmax(logits[:, :WORTH], 1), torch.sigmoid(logits[:, WORTH:])], 1).cpu().numpy()
        for row, place in enumerate(part):
            outdated[place] = torch.sigmoid(parts[row].float()).cpu().numpy()
    return chances, outdated


def report(model, tokenizer, pairs, log, name):
    chances, outdated = judged(model, tokenizer, pairs)
    chances = chances[:, :WORTH]
    truth = np.array([pair.labels[0] for pair in pairs])
    over = chances[:, REPLACES] + chances[:, ENDS]
    is_over = np.isin(truth, (REPLACES, ENDS))
    log(f"{name}: {len(pairs)} pairs, right {np.mean(chances.argmax(1) == truth):.3f}, changed or not {np.mean((over > 0.5) == is_over):.3f}")
    again, is_again = chances[:, SAME] + chances[:, REFINES], np.isin(truth, (SAME, REFINES))
    for title, score, wanted in (("changed", over, is_over), ("same", chances[:, SAME], truth == SAME), ("same or refines", again, is_again)):
        rows = []
        for threshold in (0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98):
            said = score >= threshold
            rows.append(f"{threshold}: recall {np.mean(said[wanted]):.3f} precision {np.mean(wanted[said]) if said.any() else 1:.3f} false {np.mean(said[~wanted]):.4f}")
        log(f"  {title}: " + "; ".join(rows))
    for number, label in enumerate(LABELS):
        chosen = truth == number
        log(f"  {label}: " + ", ".join(f"{other} {np.mean(chances[chosen].argmax(1) == place):.2f}" for place, other in enumerate(LABELS)))
    examples, hits, total = encode(tokenizer, pairs), 0, 0
    for place, pair in enumerate(pairs):
        wanted = np.array(examples[place][2])
        known = wanted >= 0
        if is_over[place] and known.any() and (wanted[known] == 0).any():
            total += 1
            said = outdated[place][:len(wanted)][known] > 0.5
            both = (said & (wanted[known] == 1)).sum() / max(1, (said | (wanted[known] == 1)).sum())
            hits += both >= 0.5
    log(f"  parts that overlap by half: {hits} of {total}")
    return chances


def report_kinds(model, tokenizer, pairs, log, name):
    """Pairs of held-out kinds: changes found, and other pairs taken for changes."""
    chances = judged(model, tokenizer, pairs)[0]
    over = chances[:, REPLACES] + chances[:, ENDS]
    is_over = np.array([pair.labels == (REPLACES,) for pair in pairs])
    rows = [f"{threshold}: {np.mean(over[is_over] >= threshold):.3f} of the changes, {np.mean(over[~is_over] >= threshold):.3f} of the others" for threshold in (0.35, 0.5, 0.9)]
    log(f"kinds, {name}: " + "; ".join(rows))


def report_books(model, tokenizer, held, log):
    """Notes of held-out books: changes found, and neighbours taken for changes."""
    for title, (changes, _, near, alone) in held.items():
        over = [judged(model, tokenizer, pairs)[0][:, (REPLACES, ENDS)].sum(1) for pairs in (changes, near)]
        area = (over[0][:, None] > over[1][None]).mean()
        rows = [f"{threshold}: {np.mean(over[0] >= threshold):.3f} of the changes, {np.mean(over[1] >= threshold):.4f} of the others" for threshold in (0.2, 0.35, 0.5, 0.8, 0.9, 0.97)]
        alone = [turn for turn in alone if turn.changes is not None]
        said, wanted = judged(model, tokenizer, alone)[0][:, CHANGES], np.array([turn.changes for turn in alone])
        rows += [f"alone, {threshold}: {np.mean(said[wanted] >= threshold):.3f} of the changes, {np.mean(said[~wanted] >= threshold):.3f} of the others" for threshold in (0.05, 0.1, 0.2, 0.35, 0.5)]
        log(f"books, {title}, {len(changes)} changes and {len(near)} neighbours: area {area:.4f}; " + "; ".join(rows))


def report_turns(model, tokenizer, turns, log):
    if not turns:
        return []
    worth = judged(model, tokenizer, turns)[0][:, WORTH]
    keep = np.array([turn.keep for turn in turns])
    rows = [f"below {threshold}: {np.mean(worth[~keep] < threshold):.3f} of the chatter, {np.mean(worth[keep] < threshold):.3f} of the statements"
            for threshold in (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)]
    log(f"{len(turns)} turns, " + "; ".join(rows))
    return worth


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--base", required=True)
    parser.add_argument("--start", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--words", help="the embedder whose word table is shared: it does not learn, and the file goes without it")
    parser.add_argument("--pairs", default=str(Path(__file__).parent / "pairs"))
    parser.add_argument("--turns", default=str(Path(__file__).parents[1] / "worth"))
    parser.add_argument("--name", default="judge")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3600, help="it ends after the epochs or this time, whichever comes first")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--variations", type=int, default=3)
    parser.add_argument("--msc", type=int, default=8000)
    parser.add_argument("--plain", type=int, default=8000, help="statements from templates per epoch")
    parser.add_argument("--kinds", type=int, default=0, help="pairs from kinds of facts per epoch")
    parser.add_argument("--books", type=float, default=0, help="share of the neighbours in books that are drawn per epoch; 0: no books")
    parser.add_argument("--go-on", action="store_true", help="the start is a judge, and its heads are kept")
    parser.add_argument("--hidden-words", type=float, default=0.06, help="share of word pieces that are masked in training")
    parser.add_argument("--smooth", type=float, default=0.05)
    parser.add_argument("--ema", type=float, default=0.998, help="decay of the mean of weights")
    parser.add_argument("--all", action="store_true", help="train on the held-out lines too")
    return parser.parse_args()


def main():
    args = arguments()
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    started = time.time()

    def log(text):
        line = f"{time.time() - started:6.0f} {text}"
        print(line, flush=True)
        with (out / "judge.log").open("a") as file:
            file.write(line + "\n")

    log(json.dumps(vars(args)))
    lines = dataset.read_lines(args.pairs)
    rows = [row for row in lines if args.all or not dataset.is_held_out(row)]
    turns = dataset.read_turns(args.turns)
    held_turns = [turn for turn in turns if dataset.is_turn_held_out(turn)]
    turns = [turn for turn in turns if args.all or not dataset.is_turn_held_out(turn)]
    held_rows = [row for row in lines if dataset.is_held_out(row)]
    held = [pair for row in held_rows for pair in dataset.hand_pairs(row)]
    spoken = [row["language"] for row in held_rows for _ in dataset.hand_pairs(row)]
    tokenizer = load_tokenizer(args.base, MAX_TOKENS)
    people = dataset.msc_people(args.data)
    books = BookPairs(load_encoder(args.base, load_state(args.words) if args.words else None), tokenizer)
    log(f"books: {', '.join(str(len(kind)) for kind in books.used)} changes, repetitions, neighbours, notes alone")
    state = fit(args, args.seed, rows, turns, people, FIRST_NAMES, tokenizer, log, books)
    model = Judge(encoder_of(args))
    model.load_state_dict(save_int8(state, out / f"{args.name}.int8.safetensors", bool(args.words)))
    english = [language == "en" for language in spoken]
    chances = report(model, tokenizer, held, log, f"{args.name}, int8 weights")
    for title, wanted in (("English", True), ("other languages", False)):
        some = [pair for pair, one in zip(held, english) if one == wanted]
        if some:
            report(model, tokenizer, some, log, title)
        report_turns(model, tokenizer, [turn for turn in held_turns if (turn.language == "en") == wanted], log)
    unseen = KindPairs(random.Random(0))
    for lang, lines in unseen.held.items():
        if len(lines) > 1:
            report_kinds(model, tokenizer, unseen.pairs(400, {lang: lines}), log, lang)
    report_books(model, tokenizer, books.held, log)
    worth = report_turns(model, tokenizer, held_turns, log)
    with (out / f"{args.name}.turns.jsonl").open("w", encoding="utf-8") as file:
        for turn, value in zip(held_turns, worth):
            file.write(json.dumps({"before": turn.old, "text": turn.new, "mark": turn.mark, "keep": turn.keep, "worth": round(float(value), 3)}) + "\n")
    with (out / f"{args.name}.held.jsonl").open("w", encoding="utf-8") as file:
        for pair, row in zip(held, chances):
            file.write(json.dumps({"old": pair.old, "new": pair.new, "chat": pair.chat, "label": LABELS[pair.labels[0]], "chances": [round(float(value), 3) for value in row]}) + "\n")


if __name__ == "__main__":
    main()
