"""Teaches the English embedder 29 more languages.

    python3 training/multilingual/train.py --data DATA --base BASE --teacher WEIGHTS --out OUT

The English model is the teacher. The student keeps its pieces and gets new ones for the other languages; their rows begin at
the mean of their dictionary translations. First only those rows learn, then everything. A foreign text must land where the
teacher puts its English, and nearer to it than to the other texts of the batch. English texts must stay where they were.
Questions and notes of ours (`training/books`) teach needs and other words for the same thing.
"""

import argparse
import json
import random
import shutil
import sys
import time
from pathlib import Path

import numpy as np
import torch
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers
from torch.nn.functional import cross_entropy, normalize

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import data
import languages
from books import Books, book_scores, list_loss, read_books
from embedder import arguments as embedder_arguments
from embedder import logger
from encoder import DEVICE, Tokens, encode_tokens, join, load_encoder, load_state, load_tokenizer, pooled, save_int8, tokenize
from evaluate import Scores

WORDS = "embeddings.word_embeddings.weight"
# Thai has no spaces: a vowel that is written before its consonant begins a syllable.
THAI = "[\u0e40-\u0e44]?[\u0e00-\u0e3f\u0e45-\u0e7f]{1,16}"
SHARES = {"sentences": 0.50, "words": 0.08, "passages": 0.20, "news": 0.08, "dialogue": 0.06, "switched": 0.08}
MAX_TOKENS = 192


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--base", required=True)
    parser.add_argument("--teacher", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pieces", type=int, default=36000)
    parser.add_argument("--rows-seconds", type=float, default=80)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--power", type=float, default=0.5, help="small languages count for more than their size")
    parser.add_argument("--start", help="weights of an earlier run, whose tokenizer.json lies beside them")
    parser.add_argument("--few", type=int, default=0, help="a trial with this many pairs per language")
    return parser.parse_args()


# ---------------------------------------------------------------- vocabulary


def new_pieces(args, known):
    rng = random.Random(args.seed)
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.BertNormalizer(
        clean_text=True, handle_chinese_chars=True, strip_accents=False, lowercase=True)])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.BertPreTokenizer(), pre_tokenizers.Split(Regex(THAI), "isolated")])
    trainer = trainers.WordPieceTrainer(vocab_size=args.pieces + 16000, min_frequency=3, limit_alphabet=9000,
                                        continuing_subword_prefix="##", special_tokens=["[UNK]"], show_progress=False)
    tokenizer.train_from_iterator(languages.balanced(args.data, rng, 2000 if args.few else 26000), trainer)
    found = sorted(tokenizer.get_vocab().items(), key=lambda entry: entry[1])
    return [piece for piece, _ in found if piece not in known and piece != "[UNK]"]


def not_english(spec, known, pieces, english, foreign, count, rounds=3, most=0.2):
    """Without pieces that English would use too often: English keeps its tokens. Without those, English may use others, so
    it takes a few rounds."""
    for _ in range(rounds):
        tokenizer = Tokenizer.from_str(json.dumps(spec | {"model": spec["model"] | {"vocab": known | numbered(known, pieces)}}))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        used = [np.bincount(flat(tokenizer, texts)[0], minlength=len(known) + len(pieces)) for texts in (english, foreign)]
        rates = [counts[len(known):] / counts.sum() for counts in used]
        pieces = [piece for piece, one, two in zip(pieces, *rates) if one <= most * two]
    return pieces[:count]


def numbered(known, pieces):
    return {piece: len(known) + index for index, piece in enumerate(pieces)}


def write_base(args, english, log):
    """The folder with the new tokenizer and the network's new shape."""
    folder = Path(args.out) / "base"
    folder.mkdir(parents=True, exist_ok=True)
    spec = json.loads((Path(args.base) / "tokenizer.json").read_text())
    known = spec["model"]["vocab"]
    spec["normalizer"] = {"type": "Sequence", "normalizers": [
        {"type": "NFC"}, {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": False, "lowercase": True}]}
    spec["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [
        {"type": "BertPreTokenizer"}, {"type": "Split", "pattern": {"Regex": THAI}, "behavior": "Isolated", "invert": False}]}
    rng = random.Random(args.seed)
    glosses = sorted({gloss for language in languages.LANGUAGES for gloss, _ in languages.words(args.data, language)})
    foreign = languages.balanced(args.data, rng, 200 if args.few else 7000)
    added = not_english(spec, known, new_pieces(args, known), english + glosses, foreign, args.pieces)
    spec["model"]["vocab"] = known | numbered(known, added)
    (folder / "tokenizer.json").write_text(json.dumps(spec, ensure_ascii=False))
    config = json.loads((Path(args.base) / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"vocab_size": len(spec["model"]["vocab"])}))
    log(f"{len(known)} pieces and {len(added)} new ones")
    return folder, len(known), spec["model"]["vocab"]


def flat(tokenizer, texts):
    """(ids, number of the text of each id), without the special tokens."""
    rows = tokenizer.encode_batch(texts, add_special_tokens=False)
    ids = np.concatenate([np.array(row.ids, dtype=np.int64) for row in rows if row.ids])
    return ids, np.repeat(np.arange(len(rows)), [len(row.ids) for row in rows])


def first_rows(args, base, old, vocab):
    """Rows of the new pieces: the mean of the translations of the words that they are part of."""
    mean, size = old.mean(0), len(vocab)
    rows = mean.repeat(size, 1) + 0.3 * old.std(0) * torch.randn(size, old.shape[1], generator=torch.Generator().manual_seed(args.seed))
    sums, weights = torch.zeros(size, old.shape[1]), torch.zeros(size)
    english_tokenizer, tokenizer = load_tokenizer(args.base, 64), load_tokenizer(base, 64)
    for language in languages.LANGUAGES:
        pairs = languages.words(args.data, language)[:args.few or None]
        if not pairs:
            continue
        english_ids, english_of = flat(english_tokenizer, [english for english, _ in pairs])
        ids, of = flat(tokenizer, [foreign for _, foreign in pairs])
        meaning = torch.zeros(len(pairs), old.shape[1]).index_add_(0, torch.from_numpy(english_of), old[torch.from_numpy(english_ids)])
        meaning /= torch.from_numpy(np.bincount(english_of, minlength=len(pairs))).clamp(min=1)[:, None]
        share = 1 / torch.from_numpy(np.bincount(of, minlength=len(pairs)).astype(np.float32)).clamp(min=1)[torch.from_numpy(of)] ** 2
        sums.index_add_(0, torch.from_numpy(ids), meaning[torch.from_numpy(of)] * share[:, None])
        weights.index_add_(0, torch.from_numpy(ids), share)
    found = weights > 0
    rows[found] = sums[found] / weights[found][:, None]
    rows[:len(old)] = old
    if args.start:
        before = json.loads((Path(args.start).parent / "tokenizer.json").read_text())["model"]["vocab"]
        taught = load_state(args.start)[WORDS]
        for piece, place in vocab.items():
            if piece in before:
                rows[place] = taught[before[piece]]
    return rows, float(found[len(old):].float().mean())


# ---------------------------------------------------------------- texts


def english_texts(args, rng):
    """What English must not lose: chats with their questions, and general texts."""
    drawn = embedder_arguments(["--data", args.data, "--base", args.base, "--out", args.out])
    texts = []
    for group in data.msc_groups(args.data, data.training_names(args.data), rng, drawn.context, merged=8, sentences=0.3):
        texts += [turn.document for turn in group.turns] + [question for question, _, _ in group.questions]
    return texts, data.general_texts(args.data, rng)


def shared_out(shares, drawn_from, power, log):
    """All pairs of these kinds: for each pair the place of its English text, the English texts, the foreign text of each pair, and the
    limits between which a random number draws it. Of a kind, small parts count for more than their size."""
    english, foreign, chances, number = [], [], [], {}
    for kind, share in shares.items():
        parts = [part for part in drawn_from[kind] if part]
        sizes = np.array([len(part) for part in parts], dtype=float) ** power
        for part, size in zip(parts, share * sizes / sizes.sum()):
            for one, two in part:
                english.append(number.setdefault(one, len(number)))
                foreign.append(two)
                chances.append(size / len(part))
        log(f"{kind}: {sum(map(len, parts))} pairs")
    return np.array(english), list(number), foreign, np.cumsum(chances) / np.sum(chances)


class Parallel:
    """All pairs with the teacher's vectors of their English, and how to draw from them."""

    def __init__(self, args, base, teacher, chats, log):
        rng = random.Random(args.seed)
        drawn_from = {kind: self.parts(args, kind, chats, rng) for kind in SHARES}
        english, self.texts, foreign, self.limits = shared_out(SHARES, drawn_from, args.power, log)
        self.english = torch.from_numpy(english).to(DEVICE)
        began = time.time()
        self.tokens = Tokens(tokenize(load_tokenizer(base, MAX_TOKENS), foreign))
        self.view = encode_tokens(teacher, Tokens(tokenize(load_tokenizer(args.base, MAX_TOKENS), self.texts)), 4096).half()
        log(f"{len(foreign)} pairs, {len(self.texts)} English texts, tokenized and encoded in {time.time() - began:.0f} s")

    def parts(self, args, kind, chats, rng):
        if kind == "switched":
            return [languages.switched(rng.sample(chats, min(len(chats), args.few or 90000)), args.data, languages.LANGUAGES, rng)]
        read = {"sentences": languages.sentences, "words": languages.words, "news": languages.news, "dialogue": languages.dialogue,
                "passages": lambda root, language: languages.passages(root, language, rng)}[kind]
        return [read(args.data, language)[:args.few or None] for language in languages.LANGUAGES]

    def draw(self, rng, count):
        return np.searchsorted(self.limits, rng.random(count)).clip(max=len(self.limits) - 1)

    def loss(self, vectors, chosen):
        english = self.english[torch.from_numpy(chosen).to(DEVICE)]
        seen, view = normalize(vectors.float(), dim=1), self.view[english].float()
        logits = 20 * seen @ view.T
        same = (english[:, None] == english[None]) & ~torch.eye(len(english), dtype=torch.bool, device=DEVICE)
        contrast = cross_entropy(logits.masked_fill(same, -1e4), torch.arange(len(english), device=DEVICE))
        return 4 * (1 - (seen * view).sum(1)).mean() + 0.5 * contrast


def books_loss(books, asked, told, picked):
    asked, told = normalize(asked.float(), dim=1), normalize(told.float(), dim=1)
    losses, ask_at, note_at = [], 0, 0
    for book in picked:
        truth = books.truth(book)
        logits = 20 * asked[ask_at:ask_at + truth.shape[0]] @ told[note_at:note_at + truth.shape[1]].T
        losses.append(list_loss(logits, truth))
        ask_at, note_at = ask_at + truth.shape[0], note_at + truth.shape[1]
    return torch.stack(losses).mean()


def scores_of_books(model, books):
    asked, told = (encode_tokens(model, tokens) for tokens in books.tokens)

    def scored(book):
        asks, notes = (torch.from_numpy(part).to(DEVICE) for part in books.parts([book]))
        return asked[asks] @ told[notes].T

    return json.dumps(book_scores(books, books.held, scored))


# ---------------------------------------------------------------- training


def learn_rows(args, model, parallel, size, vocab, log):
    """Only the rows of new pieces, and of old ones in other scripts."""
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    table = model.embeddings["word_embeddings"].weight
    table.requires_grad_(True)
    free = torch.zeros(len(vocab), 1, device=DEVICE)
    for piece, index in vocab.items():
        free[index] = float(index >= size or any(letter > "\u024f" for letter in piece))
    hook = table.register_hook(lambda slope: slope * free)
    optimizer = torch.optim.Adam([table], lr=1e-3, fused=DEVICE == "cuda")
    run(args, model, optimizer, [1e-3], args.rows_seconds, parallel, None, None, 2048, log, "rows")
    hook.remove()
    for parameter in model.parameters():
        parameter.requires_grad_(True)


def run(args, model, optimizer, rates, seconds, parallel, english, books, size, log, name):
    """Until the time is up; the rate falls with the time."""
    rng, began, step = np.random.default_rng(args.seed), time.time(), 0
    parts = [parallel.tokens] + ([english[0]] if english else []) + (books.tokens if books else [])
    tokens, starts = join(*parts)
    model.eval()
    while (done := (time.time() - began) / seconds) < 1:
        for settings, rate in zip(optimizer.param_groups, rates):
            settings["lr"] = rate * min(1, (step + 1) / 200) * max(0.01, 1 - done)
        chosen = parallel.draw(rng, size)
        indices, sizes = [chosen], [len(chosen)]
        if english:
            kept = rng.integers(0, len(english[1]), 448)
            indices.append(starts[1] + kept)
            sizes.append(len(kept))
        if books and step % 4 == 0:
            picked = books.draw(rng, 16)
            asks, notes = books.parts(picked)
            indices += [starts[2] + asks, starts[3] + notes]
            sizes += [len(asks), len(notes)]
        with torch.autocast(DEVICE, dtype=torch.bfloat16):
            vectors = torch.split(pooled(model, tokens, np.concatenate(indices)), sizes)
        loss = first = parallel.loss(vectors[0], chosen)
        second = third = torch.zeros(())
        if english:
            view = english[1][torch.from_numpy(kept).to(DEVICE)].float()
            second = (1 - (normalize(vectors[1].float(), dim=1) * view).sum(1)).mean()
            loss = loss + 16 * second
        if len(vectors) > 2:
            third = books_loss(books, vectors[2], vectors[3], picked)
            loss = loss + 0.3 * third
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        step += 1
        if step % 500 == 0:
            log(f"{name} step {step} loss {first.item():.3f} English {second.item():.4f} books {third.item():.3f} {time.time() - began:.0f} s")
    log(f"{name}: {step} steps")


# ---------------------------------------------------------------- scores


def recall_at(asked, told, gold, depth):
    top = (asked @ told.T).topk(min(depth, len(told)), dim=1).indices.tolist()
    return round(100 * sum(any(place in right for place in row) for row, right in zip(top, gold)) / max(1, len(gold)), 1)


def language_scores(args, model, tokenizer):
    """Tatoeba: nearest English sentence. XQuAD: passage among the first five, in one language and for English questions."""
    result, root = {}, Path(args.data)

    def vectors(texts):
        return encode_tokens(model, Tokens(tokenize(tokenizer, texts)))

    def questions(rows, place):
        rows = [row for row in rows if all(gold in place for gold in row["gold"])]
        return rows, [[place[gold] for gold in row["gold"]] for row in rows]

    english = {row["id"]: row["text"] for row in map(json.loads, languages.lines(root / "xquad/queries.jsonl"))}
    told_english = {row["id"]: row["text"] for row in map(json.loads, languages.lines(root / "xquad/corpus.jsonl"))}
    for language in languages.LANGUAGES:
        pairs = languages.columns(root / "multilingual/dev/tatoeba" / f"{language}.tsv")
        one, two = vectors([pair[0] for pair in pairs]), vectors([pair[1] for pair in pairs])
        result[language] = {"p1": recall_at(two, one, [[index] for index in range(len(pairs))], 1)}
        corpus = [json.loads(row) for row in languages.lines(root / "multilingual/dev/xquad" / f"{language}.corpus.jsonl")]
        if not corpus:
            continue
        place = {row["id"]: index for index, row in enumerate(corpus)}
        rows, gold = questions(map(json.loads, languages.lines(root / "multilingual/dev/xquad" / f"{language}.queries.jsonl")), place)
        told = vectors([row["text"] for row in corpus])
        result[language]["xquad"] = recall_at(vectors([row["text"] for row in rows]), told, gold, 5)
        result[language]["from_english"] = recall_at(vectors([english[row["id"]] for row in rows]), told, gold, 5)
        if "en" not in result:
            result["en"] = {"xquad": recall_at(vectors([english[row["id"]] for row in rows]), vectors([told_english[row["id"]] for row in corpus]), gold, 5)}
    found = [scores["p1"] for scores in result.values() if "p1" in scores]
    return result | {"mean": round(sum(found) / len(found), 1)}


def main():
    args = arguments()
    out, log = Path(args.out), logger(Path(args.out))
    log(json.dumps(vars(args)))
    torch.manual_seed(args.seed)
    began = time.time()
    chats, general = (texts[:args.few * 20 or None] for texts in english_texts(args, random.Random(args.seed)))
    base, size, vocab = write_base(args, random.Random(args.seed).sample(chats, min(len(chats), 30000)) + general, log)
    log(f"vocabulary after {time.time() - began:.0f} s")
    state = load_state(args.teacher)
    teacher = load_encoder(args.base, state)
    teacher.eval()
    rows, share = first_rows(args, base, state[WORDS], vocab)
    log(f"{100 * share:.0f}% of the new rows have a translation; {time.time() - began:.0f} s")
    model = load_encoder(base, (load_state(args.start) if args.start else state) | {WORDS: rows})
    parallel = Parallel(args, base, teacher, chats, log)
    rng = random.Random(args.seed)
    # Chats first: they are counted below.
    kept = rng.sample(chats, min(len(chats), 90000)) + general + rng.sample(parallel.texts, min(len(parallel.texts), 40000))
    english = Tokens(tokenize(load_tokenizer(base, 256), kept)), \
        encode_tokens(teacher, Tokens(tokenize(load_tokenizer(args.base, 256), kept)), 2048).half()
    same = sum(one.ids == two.ids for one, two in zip(*(load_tokenizer(path, 256).encode_batch(kept[:5000]) for path in (args.base, base))))
    books = Books(rows := read_books(), load_tokenizer(base, MAX_TOKENS))
    log(f"{len(kept)} English texts, {same / 50:.1f}% of chats tokenized as before; {len(books.rows)} books; {time.time() - began:.0f} s")
    log(f"books before {scores_of_books(teacher, Books(rows, load_tokenizer(args.base, MAX_TOKENS)))}")
    learn_rows(args, model, parallel, size, vocab, log)
    tokenizer = load_tokenizer(base, 256)
    log(f"rows {json.dumps(language_scores(args, model, tokenizer))} {time.time() - began:.0f} s")
    groups = [{"params": [parameter for name, parameter in model.named_parameters() if ("word_embeddings" in name) == table]} for table in (True, False)]
    optimizer = torch.optim.AdamW(groups, lr=args.rate, weight_decay=0.0, fused=DEVICE == "cuda")
    run(args, model, optimizer, [3 * args.rate, args.rate], args.seconds, parallel, english, books, 1536, log, "all")
    final = {name: tensor.detach().float().cpu() for name, tensor in model.state_dict().items()}
    seen = load_encoder(base, save_int8(final, out / "multilingual.int8.safetensors"))
    shutil.copy(base / "tokenizer.json", out / "tokenizer.json")
    log(f"int8 {json.dumps(language_scores(args, seen, tokenizer))}")
    log(f"books after {scores_of_books(seen, books)}")
    if args.few:
        return
    log(f"before {json.dumps(Scores(args.data, args.base).of(teacher))}")
    log(f"after {json.dumps(Scores(args.data, base).of(seen))} {time.time() - began:.0f} s")


if __name__ == "__main__":
    main()
