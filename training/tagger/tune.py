"""Goes on training the tagger for other languages on texts with marked names; needs no GPU.

    python3 training/tagger/tune.py --data DATA --start TAGGER --minutes 20 --seed 1 --name names-a --out OUT
    python3 training/tagger/tune.py --out OUT --name names --mix OUT/names-a.int8.safetensors 0.7 OUT/names-b.int8.safetensors 0.3

It draws the marked texts as they are and with made-up names, notes of the books, parallel sentences with and without names,
and German sentences full of nouns (`german_nouns.py`).
Relations and the table of word pieces do not learn. `--mix` learns nothing: it averages files by their shares.
"""

import argparse
import random
import sys
import time
from pathlib import Path

import torch

# One folder up, because the embedder and the reranker share this module.
sys.path.append(str(Path(__file__).resolve().parents[1]))
from encoder import load_state, save_int8

from dataset import Pieces, Sentence, encode
from german_nouns import heading, made_line, noun_sentences
from foreign import INFLECTED, MAIN_LANGUAGES, LocalNames, book_notes, lists, marked_notes, projected, swapped_names
from train import MASK_TOKEN, STYLES, WORDS, arguments as tagger_arguments, begin, collate, on_device, tag_loss

# Sentences without names per language, where every noun has a capital or none has, and elsewhere.
WITHOUT_NAMES, WITHOUT_NAMES_ELSEWHERE = {"de": 500, "hi": 200, "ko": 200}, 60
NOTES = 1200
# How often a German text is drawn with other names.
MORE_GERMAN = 2
# German sentences full of nouns, and how many of them stand under a title made of nouns.
NOUNS, TITLED = 1500, 0.3
# German sentences with made-up names amid nouns.
MADE = 1200
MOST_TOKENS = 160
HIDDEN = 0.06
STYLE_HIDDEN = 0.1
DECAY = 0.995


def arguments():
    models = Path(__file__).resolve().parents[2] / "models"
    parser = argparse.ArgumentParser()
    parser.add_argument("--data")
    parser.add_argument("--start", default=str(models / "keepsake-names/weights.int8.safetensors"), help="a tagger")
    parser.add_argument("--words", default=str(models / "keepsake-embed/weights.int8.safetensors"), help="file with the table of word pieces")
    parser.add_argument("--out", required=True)
    parser.add_argument("--name", default="names")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--frozen", type=int, default=3, help="first layers that do not learn")
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--batch", type=int, default=24)
    parser.add_argument("--mix", nargs="*", default=[], help="files, each with its share")
    return parser.parse_args()


class Texts:
    def __init__(self, args, pieces):
        self.rng, self.pieces, self.batch = random.Random(args.seed), pieces, args.batch
        self.parallel = {language: projected(args.data, language) for language in MAIN_LANGUAGES if language != "ru"}
        self.marked = [note for note in marked_notes() if not note[3]]
        root = Path(__file__).resolve().parents[1]
        self.notes = [note for note in book_notes(root / "books") if not note[3]]
        self.sentences, self.nouns = noun_sentences(args.data, root / "articles")

    def swapped(self, language, text, spans, chance, coin, forms=None, only=None):
        return swapped_names(text, spans, LocalNames(language, self.rng, forms or {}), chance, only, coin)

    def lines(self):
        rng, found = self.rng, []
        for language, text, spans, _ in self.marked:
            found.append((text, spans))
            if language == "de":
                found += [self.swapped(language, text, spans, 0.8, 0.8) if spans else (text, spans) for _ in range(MORE_GERMAN)]
            if not spans or language in INFLECTED:
                continue
            if rng.random() < 0.7:
                found.append(self.swapped(language, text, spans, 0.8, 1.0))
            if language in lists.GIVEN and rng.random() < 0.3 and all(kind != "?" for *_, kind in spans):
                found.append(self.swapped(language, text, spans, 0.5, 0.0))
        for language, text, spans, _ in rng.sample(self.notes, NOTES):
            has = spans and language in lists.GIVEN and language not in INFLECTED
            found.append(self.swapped(language, text, spans, 0.6, 0.3) if has else (text, spans))
        for language, (named, without, forms, main) in self.parallel.items():
            count = WITHOUT_NAMES.get(language, WITHOUT_NAMES_ELSEWHERE)
            found += rng.sample(without, min(len(without), count))
            for text, spans in rng.sample(named, min(len(named), count // 2)):
                found.append(self.swapped(language, text, spans, 0.9, 0.0, forms, main) if rng.random() < 0.7 else (text, spans))
        return found

    def without_names(self):
        rng = self.rng
        return [heading(rng, self.sentences, self.nouns) if rng.random() < TITLED else one for one in rng.sample(self.sentences, NOUNS)]

    def batches(self):
        """Of texts of about the same length."""
        drawn = [Sentence(text, spans, "notes") for text, spans in self.lines()]
        drawn += [Sentence(text, [], "notes", unsure=ranges) for text, ranges in self.without_names()]
        drawn += [Sentence(text, spans, "notes", unsure=ranges) for text, spans, ranges in (made_line(self.rng, self.sentences, self.nouns) for _ in range(MADE))]
        examples = [encode(one, self.pieces, MOST_TOKENS) for one in drawn]
        examples = sorted((one for one in examples if one["begins"]), key=lambda one: len(one["ids"]) + self.rng.random() * 10)
        parts = [examples[at:at + self.batch] for at in range(0, len(examples), self.batch)]
        self.rng.shuffle(parts)
        return parts


def learners(args, model):
    model.encoder.embeddings.requires_grad_(False)
    model.relation.requires_grad_(False)
    for number, layer in enumerate(model.encoder.encoder["layer"]):
        layer.requires_grad_(number >= args.frozen)
    own = [value for name, value in model.named_parameters() if not name.startswith("encoder.") and value.requires_grad]
    tuned = [value for value in model.encoder.parameters() if value.requires_grad]
    return [{"params": tuned, "scale": 1.0}, {"params": own, "scale": 3.0}]


def tune(args, model, texts):
    """The moving average of the weights."""
    groups = learners(args, model)
    optimizer = torch.optim.AdamW(groups, lr=args.rate, weight_decay=0.01)
    learned = [value for group in groups for value in group["params"]]
    average = {name: value.detach().clone().float() for name, value in model.state_dict().items() if name != WORDS}
    start, step = time.time(), 0
    model.train()
    while True:
        for part in texts.batches():
            passed = (time.time() - start) / 60 / args.minutes
            if passed >= 1:
                return average
            for settings in optimizer.param_groups:
                settings["lr"] = args.rate * settings["scale"] * min(1, (step + 1) / 60) * max(0.02, 1 - passed)
            batch = on_device(collate(part))
            ids, styles = batch["ids"].long(), batch["styles"].long()
            ids = ids.masked_fill((torch.rand(ids.shape, device=ids.device) < HIDDEN) & (ids > 999), MASK_TOKEN)
            styles = torch.where(torch.rand(styles.shape, device=ids.device) < STYLE_HIDDEN, torch.full_like(styles, len(STYLES)), styles)
            hidden = model.hidden(ids, batch["mask"], batch["shapes"].long(), styles)
            loss = tag_loss(model.tags(model.drop(hidden)), batch["target"])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(learned, 1.0)
            optimizer.step()
            step += 1
            with torch.no_grad():
                for name, value in model.state_dict().items():
                    if name in average:
                        average[name].lerp_(value.float(), 1 - min(DECAY, (1 + step) / (10 + step)))
            if step % 50 == 0:
                print(f"{args.name} step {step} loss {loss.item():.3f} {time.time() - start:.0f} s", flush=True)


def mixed(pairs):
    states = [(load_state(path), float(share)) for path, share in zip(pairs[::2], pairs[1::2])]
    return {name: sum(share * state[name] for state, share in states) for name in states[0][0]}


def main():
    args = arguments()
    torch.manual_seed(args.seed)
    Path(args.out).mkdir(parents=True, exist_ok=True)
    state = mixed(args.mix) if args.mix else None
    if state is None:
        given = tagger_arguments(["--data", args.data, "--out", args.out, "--go-on", "--start", args.start, "--words", args.words, "--frozen-words"])
        state = tune(args, begin(given), Texts(args, Pieces(given.tokenizer)))
    save_int8(state, Path(args.out) / f"{args.name}.int8.safetensors")


if __name__ == "__main__":
    main()
