"""Tunes MiniLM to find people, organisations, places, products, events and concepts, and the relations between them.

    python3 training/tagger/train.py --data DATA --out OUT --frozen-words        # README.md has all the steps

One encoder and two heads: a label for each word (BIOES, decoded with the best allowed path), and a relation for each pair
of spans. The tokenizer drops case, so an embedding of each word's shape is added to its word embedding. Every set has its
conventions (are account names people? is "The" part of a name?). An embedding of the kind of text separates them, and the
service requests one of them. Sets label different types: where a set leaves a label open, the loss allows every label that
it may have meant.

Each epoch redraws names, case, synthetic newswire and sentences in other languages. `--frozen-words` keeps the embedder's
table of word pieces, so that the service holds one table for both. `--frozen N` freezes the first N layers, so that they can be shared
with the embedder; the shapes of words are then added after them.
"""

import argparse
import json
import os
import pickle
import random
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits, gelu

# One folder up, because the embedder and the reranker share this module.
sys.path.append(str(Path(__file__).resolve().parents[1]))
from encoder import DEVICE, Bert, load_state, save_int8

from dataset import JOINT, LABELS, MAIN, MAIN_MASK, RELATION, RELATIONS, SHAPES, STYLES, TYPES, Pieces, Sentence, draw_epoch, draw_foreign, encode, held_out_notes, plain_texts, read_measured, recased, silver_sentences
from foreign import LANGUAGES, projected

RELATION_WIDTH = 256
DISTANCES = [0, 1, 2, 3, 4, 6, 8, 11, 15, 22]
MEANT_OTHER = len(LABELS)
MASK_TOKEN = 103
WORDS = "encoder.embeddings.word_embeddings.weight"
HEADS = 12
KIND = {kind: place for place, kind in enumerate(TYPES + ["?"])}
# The types of the two ends of each CoNLL04 relation.
BETWEEN = {"Work_For": ("PERSON", "ORG"), "Live_In": ("PERSON", "LOCATION"), "OrgBased_In": ("ORG", "LOCATION"), "Located_In": ("LOCATION", "LOCATION"), "Kill": ("PERSON", "PERSON")}


def arguments(given=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    models = Path(__file__).resolve().parents[2] / "models"
    parser.add_argument("--tokenizer", default=str(models / "tokenizer.multilingual.json"))
    parser.add_argument("--books", default=str(models.parent / "training/books"), help="folder with notes in other languages")
    parser.add_argument("--start", default=str(models / "keepsake-embed/weights.int8.safetensors"), help="initial weights")
    parser.add_argument("--words", help="file with the table of word pieces, if the initial weights have none")
    parser.add_argument("--go-on", action="store_true", help="the initial weights are a tagger's, and its heads are kept")
    parser.add_argument("--out", required=True)
    parser.add_argument("--drawn", nargs="+", help="folders with epochs that were drawn earlier")
    parser.add_argument("--name", default="tagger")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--made", type=int, default=13000, help="synthetic lines per epoch")
    parser.add_argument("--batch", type=int, default=96)
    parser.add_argument("--rate", type=float, default=1.5e-4)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--frozen", type=int, default=0)
    parser.add_argument("--frozen-words", action="store_true", help="the table of word pieces stays as it is and is not saved")
    parser.add_argument("--english", action="store_true", help="no text in other languages")
    parser.add_argument("--relation", type=float, default=1.0, help="weight of the relation loss")
    parser.add_argument("--hidden-words", type=float, default=0.05, help="share of word pieces that are masked in training")
    parser.add_argument("--style-loss", type=float, default=0.2, help="share of sentences whose kind of text is hidden")
    parser.add_argument("--joint", action="store_true", help="four kinds of text instead of one per source")
    parser.add_argument("--with-dev", action="store_true")
    parser.add_argument("--decay", type=float, default=0.998, help="decay of the moving average of the weights")
    parser.add_argument("--blend", nargs="+", help="average these runs instead of training")
    parser.add_argument("--silver", help="file with sentences labelled by earlier runs")
    parser.add_argument("--label", help="label plain texts with these runs together, and write them to this file")
    parser.add_argument("--unscored", action="store_true", help="skip scoring, for runs that will be averaged")
    parser.add_argument("--quick", action="store_true", help="compute fewer scores")
    return parser.parse_args(given)


class TagModel(nn.Module):
    def __init__(self, config, layers=6, frozen=0, dropout=0.1):
        super().__init__()
        self.encoder = Bert(config, layers, dropout)
        self.frozen = frozen
        width = self.encoder.width
        self.shapes, self.styles = nn.Embedding(len(SHAPES), width), nn.Embedding(len(STYLES) + 1, width)
        self.joined = nn.LayerNorm(width) if frozen else None
        self.drop = nn.Dropout(0.2)
        self.tags = nn.Linear(width, len(LABELS))
        self.relation = nn.ModuleDict({
            "head": nn.Linear(width, RELATION_WIDTH), "tail": nn.Linear(width, RELATION_WIDTH, bias=False), "between": nn.Linear(width, RELATION_WIDTH, bias=False),
            "head_type": nn.Embedding(len(KIND), RELATION_WIDTH), "tail_type": nn.Embedding(len(KIND), RELATION_WIDTH), "distance": nn.Embedding(2 * (len(DISTANCES) + 1), RELATION_WIDTH),
            "out": nn.Linear(RELATION_WIDTH, len(RELATIONS)),
        })
        for table in (self.shapes, self.styles):
            nn.init.normal_(table.weight, std=0.02)
        for name in ("head_type", "tail_type", "distance"):
            nn.init.normal_(self.relation[name].weight, std=0.05)

    def hidden(self, ids, mask, shapes, styles):
        encoder = self.encoder
        features = self.shapes(shapes) + self.styles(styles)[:, None]
        table = encoder.embeddings
        places = torch.arange(ids.shape[1], device=ids.device)
        hidden = table["word_embeddings"](ids) + table["position_embeddings"](places)[None] + table["token_type_embeddings"].weight[0]
        hidden = table["LayerNorm"](hidden if self.frozen else hidden + features)
        hidden = hidden if self.frozen else encoder.drop(hidden)
        for number, layer in enumerate(encoder.encoder["layer"]):
            if number == self.frozen and self.frozen:
                hidden = self.joined(hidden + features)
            hidden = layer(hidden, mask[:, None, None, :])
        if self.frozen == len(encoder.encoder["layer"]):
            hidden = self.joined(hidden + features)
        return hidden

    def related(self, hidden, spans, pairs):
        """Logits of each pair. spans: sentence, first piece, last piece, type. pairs: head, tail, words between (signed
        bucket)."""
        place = torch.arange(hidden.shape[1], device=hidden.device)[None]
        sentence, first, last, kind = spans.unbind(1)
        inside = (place >= first[:, None]) & (place <= last[:, None])
        vectors = hidden.index_select(0, sentence).masked_fill(~inside[..., None], -1e4).amax(1)
        head, tail, bucket = pairs.unbind(1)
        start, end = torch.minimum(last[head], last[tail]), torch.maximum(first[head], first[tail])
        middle = (place > start[:, None]) & (place < end[:, None])
        between = hidden.index_select(0, sentence[head]).masked_fill(~middle[..., None], -1e4).amax(1)
        between = torch.where(middle.any(1, keepdim=True), between, torch.zeros_like(between))
        part = self.relation
        mixed = part["head"](vectors)[head] + part["tail"](vectors)[tail] + part["between"](between)
        mixed = mixed + part["head_type"](kind[head]) + part["tail_type"](kind[tail]) + part["distance"](bucket)
        return part["out"](self.drop(gelu(mixed)))


# Batches --------------------------------------------------------------------------------------------------------------

def bucket_of(first, second):
    """The number of words between two spans, and which span comes first."""
    gap = max(0, max(first[0], second[0]) - min(first[1], second[1]) - 1)
    step = sum(gap >= edge for edge in DISTANCES)
    return step + (0 if first[0] < second[0] else len(DISTANCES) + 1)


def piece_span(one, span):
    last = one["begins"][span[1] + 1] - 1 if span[1] + 1 < len(one["begins"]) else len(one["ids"]) - 2
    return one["begins"][span[0]], last


def collate(examples):
    count, length = len(examples), -(-max(len(one["ids"]) for one in examples) // 8) * 8
    ids, shapes = np.zeros((count, length), np.int32), np.zeros((count, length), np.uint8)
    target, mask = np.full((count, length), -100, np.int16), np.zeros((count, length), bool)
    spans, pairs, wanted, weights, asked = [], [], [], [], []
    for row, one in enumerate(examples):
        size = len(one["ids"])
        ids[row, :size], shapes[row, :size], mask[row, :size] = one["ids"], one["shapes"], True
        if one["tagged"]:
            for begin, allowed, ignored in zip(one["begins"], one["allowed"], one["ignored"]):
                if not ignored:
                    target[row, begin] = MEANT_OTHER if allowed.sum() > 1 else int(allowed.argmax())
        if not one["asked"]:
            continue
        offset = len(spans)
        spans += [(row, *piece_span(one, span), KIND[span[2]]) for span in one["spans"]]
        known = {}
        for head, tail, kind in one["relations"]:
            known.setdefault((head, tail), []).append(kind)
        for head in range(len(one["spans"])):
            for tail in range(len(one["spans"])):
                if head == tail or "?" in (one["spans"][head][2], one["spans"][tail][2]) and (head, tail) not in known:
                    continue
                pairs.append((offset + head, offset + tail, bucket_of(one["spans"][head], one["spans"][tail])))
                labels, looked = np.zeros(len(RELATIONS), np.uint8), np.zeros(len(RELATIONS), np.uint8)
                labels[known.get((head, tail), [])] = 1
                looked[list(one["asked"])] = 1
                wanted.append(labels)
                asked.append(looked)
                weights.append(one["weight"])
    return {
        "ids": ids, "shapes": shapes, "mask": mask, "target": target, "styles": np.array([one["style"] for one in examples], np.int64),
        "spans": np.array(spans, np.int64).reshape(-1, 4), "pairs": np.array(pairs, np.int64).reshape(-1, 3),
        "wanted": np.array(wanted, np.uint8).reshape(-1, len(RELATIONS)), "asked": np.array(asked, np.uint8).reshape(-1, len(RELATIONS)), "weights": np.array(weights, np.float32),
    }


def draw_batches(data, tokenizer, seed, made, with_dev, size):
    """An epoch in batches of sentences of similar length."""
    rng = random.Random(seed)
    return batched(draw_epoch(data, tokenizer, seed, made, with_dev), size, rng)


def draw_foreign_batches(parallel, tokenizer, books, seed, size):
    return batched(draw_foreign(parallel, tokenizer, books, seed), size, random.Random(seed))


def write_parallel(workers, data, path):
    """Names in the parallel sentences, once for all epochs and runs."""
    if not path.exists():
        found = list(workers.map(projected, [data] * len(LANGUAGES), LANGUAGES))
        draw_to(path, lambda: dict(zip(LANGUAGES, found)))
    return str(path)


def draw_silver(path, tokenizer, seed, count, size):
    """Batches of sentences labelled by earlier runs."""
    rng, pieces = random.Random(seed), Pieces(tokenizer)
    several = silver_sentences(path)
    return batched([encode(recased(sentence, rng), pieces) for sentence in rng.sample(several, min(count, len(several)))], size, rng)


def batched(examples, size, rng):
    rng.shuffle(examples)
    pool = 20 * size
    batches = []
    for start in range(0, len(examples), pool):
        part = sorted(examples[start:start + pool], key=lambda one: len(one["ids"]))
        batches += [collate(part[at:at + size]) for at in range(0, len(part), size)]
    rng.shuffle(batches)
    return batches


def draw_to(path, draw, *given):
    with open(f"{path}.part", "wb") as file:
        pickle.dump(draw(*given), file, protocol=5)
    os.replace(f"{path}.part", path)


def on_device(batch):
    return {name: torch.from_numpy(array).to(DEVICE, non_blocking=True) for name, array in batch.items()}


# Learning -------------------------------------------------------------------------------------------------------------

def tag_loss(logits, target):
    """Negative log of the combined probability of all allowed labels."""
    kept = target >= 0
    logits, target = logits[kept].float(), target[kept].long()
    total = logits.logsumexp(1)
    other = logits.masked_fill(~torch.from_numpy(MAIN_MASK).to(DEVICE), -1e4).logsumexp(1)
    one = logits.gather(1, target.clamp(max=len(LABELS) - 1)[:, None])[:, 0]
    return (total - torch.where(target == MEANT_OTHER, other, one)).mean()


def relation_loss(model, hidden, batch):
    logits = model.related(hidden, batch["spans"], batch["pairs"]).float()
    loss = binary_cross_entropy_with_logits(logits, batch["wanted"].float(), reduction="none") * batch["asked"].float()
    return (loss.sum(1) * batch["weights"]).sum() / batch["weights"].sum().clamp(min=1)


def left_out(args):
    """Names of weights that another file holds."""
    return {WORDS} if args.frozen_words else set()


def learn(args, model, epochs, log):
    """`epochs(number)` provides an epoch's batches. Returns the moving average of the weights."""
    torch.manual_seed(args.seed)
    rng = random.Random(args.seed)
    own = [value for name, value in model.named_parameters() if not name.startswith("encoder.")]
    model.encoder.embeddings.requires_grad_(not args.frozen)
    if args.frozen_words:
        model.encoder.embeddings["word_embeddings"].requires_grad_(False)
    for number, layer in enumerate(model.encoder.encoder["layer"]):
        layer.requires_grad_(number >= args.frozen)
        if number < args.frozen:
            layer.dropout = 0.0
            layer.drop.p = 0.0
    tuned = [value for value in model.encoder.parameters() if value.requires_grad]
    groups = [{"params": tuned, "scale": 1.0}, {"params": own, "scale": 6.0}]
    optimizer = torch.optim.AdamW([group for group in groups if group["params"]], lr=args.rate, weight_decay=0.01, fused=DEVICE == "cuda")
    average = {name: value.detach().clone().float() for name, value in model.state_dict().items() if name not in left_out(args)}
    start, step, steps = time.time(), 0, None
    joint = torch.tensor(JOINT, device=DEVICE)
    for epoch in range(args.epochs):
        batches = epochs(epoch)
        rng.shuffle(batches)
        steps = steps or args.epochs * len(batches)
        model.train()
        sums = [0.0, 0.0]
        for raw in batches:
            batch = on_device(raw)
            rate = min(1, (step + 1) / max(1, steps // 15)) * max(0.01, 1 - step / steps)
            for settings in optimizer.param_groups:
                settings["lr"] = args.rate * rate * settings["scale"]
            ids, styles = batch["ids"].long(), batch["styles"]
            if args.joint:
                styles = joint[styles]
            hide = (torch.rand(ids.shape, device=DEVICE) < args.hidden_words) & (ids > 999)
            ids = ids.masked_fill(hide, MASK_TOKEN)
            styles = torch.where(torch.rand(styles.shape, device=DEVICE) < args.style_loss, len(STYLES), styles)
            with torch.autocast(DEVICE, dtype=torch.bfloat16):
                hidden = model.hidden(ids, batch["mask"], batch["shapes"].long(), styles)
                loss = tags = tag_loss(model.tags(model.drop(hidden)), batch["target"])
                if len(batch["pairs"]):
                    loss = loss + args.relation * relation_loss(model, hidden, batch)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            step += 1
            with torch.no_grad():
                decay = min(args.decay, (1 + step) / (10 + step))
                values = [value for name, value in model.state_dict().items() if name in average]
                torch._foreach_lerp_(list(average.values()), values, 1 - decay)
            if step % 50 == 0:
                sums = [sums[0] + loss.item(), sums[1] + tags.item()]
        log(f"{args.name} epoch {epoch + 1}/{args.epochs} step {step} loss {sums[0] / max(1, len(batches) // 50):.3f} tags {sums[1] / max(1, len(batches) // 50):.3f} {time.time() - start:.0f} s")
    return average


# Scores ---------------------------------------------------------------------------------------------------------------

def transitions():
    """0 where one label may follow another, otherwise a large negative number. Also the labels that may begin and end a
    sentence."""
    allowed = np.zeros((len(LABELS), len(LABELS)), bool)
    opens = np.array([label[0] in "OBS" for label in LABELS])
    closes = np.array([label[0] in "OES" for label in LABELS])
    for one, before in enumerate(LABELS):
        for two, after in enumerate(LABELS):
            allowed[one, two] = opens[two] if closes[one] else after[0] in "IE" and after[2:] == before[2:]
    as_score = lambda values: torch.from_numpy(np.where(values, 0.0, -1e4)).float().to(DEVICE)
    return as_score(allowed), as_score(opens), as_score(closes)


def best_path(logits, lengths, rules):
    """[batch, words, labels] → the best allowed labels of each word."""
    allowed, opens, closes = rules
    score, back = logits[:, 0] + opens, []
    for at in range(1, logits.shape[1]):
        best, origin = (score[:, :, None] + allowed[None]).max(1)
        inside = (at < lengths)[:, None]
        stay = torch.arange(score.shape[1], device=DEVICE)[None].expand_as(origin)
        score = torch.where(inside, best + logits[:, at], score)
        back.append(torch.where(inside, origin, stay))
    label = (score + closes).argmax(1)
    path = [label]
    for origin in reversed(back):
        label = origin.gather(1, label[:, None])[:, 0]
        path.append(label)
    return torch.stack(path[::-1], 1)


def spans_of(path):
    found, start = [], None
    for at, label in enumerate(path):
        name = LABELS[label]
        if name[0] in "BS":
            start = at
        if name[0] in "ES" and start is not None:
            found.append((start, at, name[2:]))
            start = None
    return found


class Scores:
    def __init__(self, args):
        data, quick, pieces = args.data, args.quick, Pieces(args.tokenizer)
        self.rules, self.sets = transitions(), {}
        notes = {f"notes.{language}": sentences for language, sentences in held_out_notes(args.books).items()}
        for name, sentences in (read_measured(data) | notes).items():
            if quick and (name == "wikineural.test" or name == "btc.dev"):
                continue
            kept = [sentence for sentence in sentences if sentence.text.strip()]
            if name.startswith("wikineural") and (quick or name.endswith("val")):
                kept = kept[:2500]
            examples = [encode(sentence, pieces, 400) for sentence in kept]
            order = sorted(range(len(examples)), key=lambda place: len(examples[place]["ids"]))
            examples = [examples[place] for place in order if examples[place]["begins"]]
            self.sets[name] = [examples[at:at + 256] for at in range(0, len(examples), 256)]
            self.sets[name] = [(part, on_device(collate(part))) for part in self.sets[name]]

    @torch.no_grad()
    def look(self, model, name, style=None):
        """Hidden states and logits of a set's words, batch by batch."""
        model.eval()
        for examples, batch in self.sets[name]:
            styles = batch["styles"] if style is None else torch.full_like(batch["styles"], style)
            with torch.autocast(DEVICE, dtype=torch.bfloat16):
                hidden = model.hidden(batch["ids"].long(), batch["mask"], batch["shapes"].long(), styles)
                logits = model.tags(hidden).float()
            count = max(len(one["begins"]) for one in examples)
            begins = torch.zeros(len(examples), count, dtype=torch.long)
            for row, one in enumerate(examples):
                begins[row, :len(one["begins"])] = torch.tensor(one["begins"])
            lengths = torch.tensor([len(one["begins"]) for one in examples], device=DEVICE)
            words = logits.gather(1, begins.to(DEVICE)[..., None].expand(-1, -1, len(LABELS)))
            yield examples, hidden, words, lengths

    def found(self, words, lengths, bias):
        shifted = words.clone()
        shifted[..., 0] += bias
        paths = best_path(shifted, lengths, self.rules).cpu().numpy()
        return [spans_of(path[:length]) for path, length in zip(paths, lengths.cpu().numpy())]

    def entities(self, model, name, style=None, biases=(0.0,)):
        counts = {bias: np.zeros((len(MAIN), 3), int) for bias in biases}
        for examples, _, words, lengths in self.look(model, name, style):
            for bias in biases:
                for one, spans in zip(examples, self.found(words, lengths, bias)):
                    for row, kind in enumerate(MAIN):
                        gold, got = ({span[:2] for span in several if span[2] == kind} for several in (one["spans"], spans))
                        counts[bias][row] += len(gold & got), len(got), len(gold)
        return {bias: tuple(round(100 * value, 1) for value in (f1(count.sum(0)), *(f1(row) for row in count))) for bias, count in counts.items()}

    @torch.no_grad()
    def relations(self, model, name, style, bias=0.0, thresholds=(0.3, 0.4, 0.5, 0.6)):
        counts = {threshold: np.zeros(3, int) for threshold in thresholds}
        for examples, hidden, words, lengths in self.look(model, name, style):
            spans, pairs, owner = [], [], []
            several = self.found(words, lengths, bias)
            for row, (one, found) in enumerate(zip(examples, several)):
                found = [span for span in found if span[2] in MAIN]
                offset = len(spans)
                spans += [(row, *piece_span(one, span), KIND[span[2]]) for span in found]
                for head, first in enumerate(found):
                    for tail, second in enumerate(found):
                        if head != tail:
                            pairs.append((offset + head, offset + tail, bucket_of(first, second)))
                            owner.append((row, first, second))
            scores = np.zeros((0, len(RELATIONS)))
            if pairs:
                with torch.autocast(DEVICE, dtype=torch.bfloat16):
                    scores = model.related(hidden, torch.tensor(spans, device=DEVICE), torch.tensor(pairs, device=DEVICE)).float().sigmoid().cpu().numpy()
            gold = {(row, one["spans"][head], one["spans"][tail], kind) for row, one in enumerate(examples) for head, tail, kind in one["relations"]}
            for threshold in thresholds:
                got = {(row, first, second, RELATION[kind]) for (row, first, second), line in zip(owner, scores) for kind, (one, two) in BETWEEN.items()
                       if first[2] == one and second[2] == two and line[RELATION[kind]] > threshold}
                counts[threshold] += len(gold & got), len(got), len(gold)
        return {threshold: round(100 * f1(count), 1) for threshold, count in counts.items()}

    def all(self, model, log, name, full=True):
        """(F1, person, organisation, place) by set and kind of text, with the label "outside" made less or more likely;
        relations by kind."""
        for place in self.sets:
            foreign = place.startswith("notes.")
            kinds = {style: self.entities(model, place, number)[0.0] for number, style in enumerate(STYLES + ["none"])
                     if (style in ("facts", "notes", "none") if foreign else style != "report")}
            log(f"{name} {place} {json.dumps(kinds)}")
            if foreign:
                log(f"{name} {place} notes, by bias {json.dumps(self.entities(model, place, STYLES.index('notes'), (-0.5, 0.5, 1.0)))}")
            elif full:
                log(f"{name} {place} web, by bias {json.dumps(self.entities(model, place, STYLES.index('web'), (-0.5, 0.5, 1.0)))}")
        for part in ("dev", "test"):
            kinds = {style: self.relations(model, f"conll04.{part}", number) for number, style in enumerate(STYLES + ["none"]) if style != "report"}
            log(f"{name} conll04.{part} relations {json.dumps(kinds)}")


def f1(count):
    right, got, gold = count
    return 2 * right / max(1, got + gold)


def logger(out, name):
    out.mkdir(parents=True, exist_ok=True)
    lines = (out / f"log-{name}.txt").open("a")

    def log(text):
        print(text, flush=True)
        lines.write(text + "\n")
        lines.flush()

    return log


def shape_of_network(state):
    words = state["embeddings.word_embeddings.weight"]
    return {
        "vocab_size": words.shape[0], "hidden_size": words.shape[1], "num_attention_heads": HEADS,
        "max_position_embeddings": state["embeddings.position_embeddings.weight"].shape[0],
        "type_vocab_size": state["embeddings.token_type_embeddings.weight"].shape[0],
        "intermediate_size": state["encoder.layer.0.intermediate.dense.weight"].shape[0],
        "num_hidden_layers": 1 + max(int(name.split(".")[2]) for name in state if name.startswith("encoder.layer.")),
    }


def begin(args):
    torch.manual_seed(7)
    state = load_state(args.start, args.words)
    whole = state
    # A tagger's own encoder, to go on from there or to label text with it.
    inner = {name.removeprefix("encoder."): tensor for name, tensor in state.items() if name.startswith(("encoder.embeddings.", "encoder.encoder."))}
    state = inner or state
    config = shape_of_network(state)
    model = TagModel(config, args.layers, args.frozen)
    if args.layers < config["num_hidden_layers"]:
        taken = [round(place * (config["num_hidden_layers"] - 1) / (args.layers - 1)) for place in range(args.layers)]
        kept = {name: tensor for name, tensor in state.items() if not name.startswith("encoder.layer.")}
        for place, source in enumerate(taken):
            old = f"encoder.layer.{source}."
            kept |= {name.replace(old, f"encoder.layer.{place}."): tensor for name, tensor in state.items() if name.startswith(old)}
        state = kept
    missing, _ = model.encoder.load_state_dict(state, strict=False)
    assert not missing, missing
    if args.go_on:
        take(model, whole)
    return model.to(DEVICE)


def take(model, state):
    """Puts a run's weights into the network. The table of words may be missing: then the network has it already. Older
    weights know fewer kinds of text; what they lack stays unused."""
    state = dict(state)
    styles = state.get("styles.weight")
    if styles is not None and len(styles) < len(model.styles.weight):
        more = model.styles.weight.detach().float().clone()
        more[:len(styles) - 1], more[-1] = styles[:-1], styles[-1]
        state["styles.weight"] = more
    missing, unexpected = model.load_state_dict(state, strict=False)
    assert not unexpected and set(missing) <= {WORDS}, (missing, unexpected)


def main():
    args = arguments()
    out = Path(args.out)
    log = logger(out, args.name)
    log(json.dumps(vars(args)))
    model = begin(args)
    if args.drawn:
        def epochs(number):
            found = []
            for folder in args.drawn:
                path = Path(folder) / f"epoch-{number}.pickle"
                while not path.exists():
                    time.sleep(0.2)
                with path.open("rb") as file:
                    found += pickle.load(file)
            return found
        average = learn(args, model, epochs, log)
    else:
        with ProcessPoolExecutor(12) as workers:
            drawn = []
            parallel = None if args.english else write_parallel(workers, args.data, out / "parallel.pickle")
            for number in range(args.epochs):
                drawn.append([workers.submit(draw_batches, args.data, args.tokenizer, 1000 + number, args.made, args.with_dev, args.batch)])
                if not args.english:
                    drawn[-1].append(workers.submit(draw_foreign_batches, parallel, args.tokenizer, args.books, 5000 + number, args.batch))
                if args.silver:
                    drawn[-1].append(workers.submit(draw_silver, args.silver, args.tokenizer, 3000 + number, 12000, args.batch))
            average = learn(args, model, lambda number: [batch for part in drawn[number] for batch in part.result()], log)
    torch.save(average, out / f"{args.name}.pt")
    if not args.unscored:
        finish(args, model, average, log)


def finish(args, model, state, log):
    """Saves int8 weights, then scores the saved weights."""
    take(model, save_int8(state, Path(args.out) / f"{args.name}.int8.safetensors"))
    Scores(args).all(model, log, args.name, full=not args.quick)


def blend():
    """--blend A.pt B.pt …: averages several runs, which costs nothing at run time."""
    args = arguments()
    states = [load_state(path) for path in args.blend]
    state = {name: sum(one[name].float().cpu() for one in states) / len(states) for name in states[0]}
    finish(args, begin(args), state, logger(Path(args.out), args.name))


@torch.no_grad()
def label(sure=0.7):
    """--label FILE --blend A.pt B.pt …: writes silver sentences, labelled by the mean of the runs' scores."""
    args = arguments()
    pieces, rules = Pieces(args.tokenizer), transitions()
    examples = []
    for text, style in plain_texts(args.data):
        example = encode(Sentence(text, [], style), pieces)
        if example["begins"]:
            examples.append((text, style, example))
    examples.sort(key=lambda one: len(one[2]["ids"]))
    parts = [examples[at:at + 256] for at in range(0, len(examples), 256)]
    totals = [0.0] * len(parts)
    model = begin(args)
    for path in args.blend:
        take(model, load_state(path))
        model.eval()
        for place, part in enumerate(parts):
            batch = on_device(collate([one for _, _, one in part]))
            with torch.autocast(DEVICE, dtype=torch.bfloat16):
                logits = model.tags(model.hidden(batch["ids"].long(), batch["mask"], batch["shapes"].long(), batch["styles"]))
            totals[place] = totals[place] + logits.float().softmax(-1) / len(args.blend)
    with open(args.label, "w", encoding="utf-8") as file:
        for part, shares in zip(parts, totals):
            count = max(len(one["begins"]) for _, _, one in part)
            begins = torch.zeros(len(part), count, dtype=torch.long)
            for row, (_, _, one) in enumerate(part):
                begins[row, :len(one["begins"])] = torch.tensor(one["begins"])
            words = shares.gather(1, begins.to(DEVICE)[..., None].expand(-1, -1, len(LABELS)))
            lengths = torch.tensor([len(one["begins"]) for _, _, one in part], device=DEVICE)
            paths = best_path(words.clamp(min=1e-6).log(), lengths, rules)
            chosen = words.gather(2, paths[..., None])[..., 0].cpu().numpy()
            for (text, style, one), path, scores in zip(part, paths.cpu().numpy(), chosen):
                size = len(one["begins"])
                spans = spans_of(path[:size])
                doubted = {at for at in range(size) if scores[at] < sure}
                for first, last, _ in spans:
                    if doubted & set(range(first, last + 1)):
                        doubted |= set(range(first, last + 1))
                places = one["places"]
                row = {"text": text, "style": style, "unsure": [places[at] for at in sorted(doubted)],
                       "spans": [(places[first][0], places[last][1], kind) for first, last, kind in spans if first not in doubted]}
                if len(doubted) < 0.3 * size:
                    file.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    given = arguments()
    label() if given.label else blend() if given.blend else main()
