"""Teaches the embedder to find the passage that answers, in 29 languages.

    python3 training/multilingual/passages.py --data DATA --base OUT/base --start WEIGHTS --out OUT

Continues `embedder_books.py` with the same word table. Besides the books there are parallel texts, whose foreign side must lie where
the teacher puts the English side; the words of a sentence, which must find the passage around it; English questions and passages
in words of another language; and invented articles with questions (`training/articles`). English must stay where it was.
"""

import hashlib
import json
import random
import sys
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import cross_entropy, normalize

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import data
import embedder_books
import languages
from books import list_loss, read_all
from embedder import logger
from encoder import DEVICE, Tokens, encode_tokens, join, load_encoder, load_state, load_tokenizer, pooled, tokenize
from evaluate import Scores
from train import language_scores, shared_out

FOLDER = Path(__file__).resolve().parent
ARTICLES = FOLDER.parent / "articles"
MAX_TOKENS = 224
# Every tenth article is held out.
HELD = 10
SHARES = {"sentences": 0.5, "words": 0.08, "passages": 0.2, "news": 0.08, "dialogue": 0.06, "questions": 0.08}
# English texts nearer than this mean the same: neither may push the other away.
SAME = 0.93


def options(parser):
    # Sentences in other languages are to move.
    parser.set_defaults(kept_foreign=0)
    parser.add_argument("--teacher", help="weights of the same word table whose English vectors are kept; without it those of the start")
    parser.add_argument("--parallel", type=float, default=2.0, help="weight of parallel texts")
    parser.add_argument("--pairs", type=int, default=640, help="parallel texts per step")
    parser.add_argument("--hard", type=float, default=0.4, help="share of the parallel texts that are drawn together with the most similar ones")
    parser.add_argument("--contrast", type=float, default=1.0, help="weight of the most likely confusions among parallel texts")
    parser.add_argument("--power", type=float, default=0.5, help="small languages count for more than their size")
    parser.add_argument("--cloze", type=float, default=0.4, help="weight of passages found by some of their words")
    parser.add_argument("--switched", type=float, default=0.4, help="weight of questions and passages in words of another language")
    parser.add_argument("--articles", type=float, default=0.7, help="weight of the articles")
    parser.add_argument("--few", type=int, default=0, help="a trial with this many texts of each kind and language")


# ---------------------------------------------------------------- texts


def question_key(text):
    return hashlib.sha256(text.strip().encode()).hexdigest()[:12]


def english_questions(root):
    """By key: the questions that `questions/` has translations of."""
    asked = [row["q"].strip() for name in ("qa_boolq", "qa_iirc") for row in data.read_jsonl(Path(root) / "train" / f"{name}.jsonl.gz")]
    return {question_key(text): text for text in asked}


def questions(english, language):
    """(English, foreign)."""
    return [(english[key], foreign) for key, foreign in languages.columns(FOLDER / "questions" / f"{language}.tsv") if key in english]


def read_articles():
    """(to learn, held out)."""
    rows = [json.loads(row) for path in sorted(ARTICLES.glob("*.jsonl")) for row in path.read_text(encoding="utf-8").splitlines() if row.strip()]
    return [row for index, row in enumerate(rows) if index % HELD], rows[::HELD]


class Parallel:
    """Pairs with the start model's vectors of their English."""

    def __init__(self, args, tokenizer, teacher, log):
        rng, self.asked = random.Random(args.seed), english_questions(args.data)
        drawn_from = {kind: [self.part(args, kind, language, rng) for language in languages.LANGUAGES] for kind in SHARES}
        self.english, texts, foreign, self.limits = shared_out(SHARES, drawn_from, args.power, log)
        self.order = np.argsort(self.english, kind="stable")
        self.begins = np.searchsorted(self.english[self.order], np.arange(len(texts) + 1))
        self.tokens = Tokens(tokenize(tokenizer, foreign))
        self.view = encode_tokens(teacher, Tokens(tokenize(tokenizer, texts)), 2048).half()

    def part(self, args, kind, language, rng):
        read = {"sentences": languages.sentences, "words": languages.words, "news": languages.news, "dialogue": languages.dialogue,
                "passages": lambda root, code: languages.passages(root, code, rng), "questions": lambda _, code: questions(self.asked, code)}[kind]
        return read(args.data, language)[:args.few or None]

    def draw(self, rng, count, hard):
        """`hard` of them are texts whose English is most similar to that of some others."""
        near = int(count * hard) // 24
        drawn = np.searchsorted(self.limits, rng.random(count - 23 * near)).clip(max=len(self.limits) - 1)
        if not near:
            return drawn
        anchors = self.view[torch.from_numpy(self.english[drawn[:near]]).to(DEVICE)]
        similar = (anchors @ self.view.T).topk(min(24, len(self.view)), dim=1).indices[:, 1:].flatten().cpu().numpy()
        similar = np.unique(similar)
        places = self.begins[similar] + (rng.random(len(similar)) * (self.begins[similar + 1] - self.begins[similar])).astype(int)
        return np.concatenate([drawn, self.order[places]])

    def loss(self, vectors, chosen, contrast):
        english = torch.from_numpy(self.english[chosen]).to(DEVICE)
        view = self.view[english].float()
        alike = (view @ view.T > SAME) & ~torch.eye(len(english), dtype=torch.bool, device=DEVICE)
        logits = (25 * vectors @ view.T).masked_fill(alike, -1e4)
        return 4 * (1 - (vectors * view).sum(1)).mean() + contrast * cross_entropy(logits, torch.arange(len(english), device=DEVICE))


def some_words(text, language, rng):
    """A few words of a text, in their order."""
    space = "" if language in languages.WITHOUT_SPACES else " "
    units = text.split() if space else [text[start:start + 3] for start in range(0, len(text), 3)]
    count = min(len(units), rng.randint(3, 9))
    if rng.random() < 0.5:
        start = rng.randrange(len(units) - count + 1)
        return space.join(units[start:start + count])
    return space.join(units[place] for place in sorted(rng.sample(range(len(units)), count)))


def clozes(args, rng, among=languages.LANGUAGES, cuts=3):
    """For each language some ways to cut the news into passages; for each passage two searches: [[(search, search, passage)]]."""
    found = []
    for language in among:
        ordered = languages.news(args.data, language)[:args.few or None]
        for _ in range(cuts if ordered else 0):
            cut, start = [], 0
            while start < len(ordered):
                part, start = ordered[start:start + (size := rng.randint(2, 5))], start + size
                asked = [some_words(*(pair[0], "en") if rng.random() < 0.25 else (pair[1], language), rng) for pair in rng.choices(part, k=2)]
                cut.append((*asked, languages.joined(part, language)[1]))
            found.append(cut)
    return found


def switched_pairs(args, rng, among=languages.LANGUAGES):
    """English questions and passages, most of whose words are in another language, the same one in both."""
    tables, pairs = languages.tables(args.data, among), []
    for asked, told in data.general_pairs(args.data, rng, args.few or 2500):
        table, part = tables[rng.choice(sorted(tables))], rng.uniform(0.6, 1)
        one, two = (languages.in_words_of(text, table, part, rng) for text in (asked, told[:900]))
        if one[1] >= 2 and two[1] >= 4:
            pairs.append((one[0], two[0]))
    return pairs


# ---------------------------------------------------------------- learning


class Reader(embedder_books.Learner):
    def __init__(self, args, teacher, books, log):
        super().__init__(args, teacher, books, log)
        rng, tokenizer = random.Random(args.seed), load_tokenizer(args.base, MAX_TOKENS)
        self.pairs = Parallel(args, tokenizer, teacher, log)
        self.clozes, self.switched, self.articles = clozes(args, rng), switched_pairs(args, rng), read_articles()[0]
        flat = [passage for cut in self.clozes for passage in cut]
        texts = [[text for passage in flat for text in passage], [text for pair in self.switched for text in pair],
                 [text for row in self.articles for text in (*row["paragraphs"], *(asked for _, asked in row["asks"]))]]
        self.cloze_starts = np.cumsum([0] + [len(cut) for cut in self.clozes])
        self.article_starts = np.cumsum([0] + [len(row["paragraphs"]) + len(row["asks"]) for row in self.articles])
        self.more, self.more_starts = join(self.pairs.tokens, *(Tokens(tokenize(tokenizer, each)) for each in texts))
        log(f"{len(flat)} passages of news, {len(self.switched)} switched pairs, {len(self.articles)} articles")

    def loss(self, model, rng):
        first, moved, learned = super().loss(model, rng)
        chosen = self.pairs.draw(rng, self.args.pairs, self.args.hard)
        drawn = [(chosen, None), *self.drawn_clozes(rng), self.drawn_switched(rng), self.drawn_articles(rng)]
        with torch.autocast(DEVICE, dtype=torch.bfloat16):
            vectors = normalize(pooled(model, self.more, np.concatenate([places for places, _ in drawn])).float(), dim=1)
        parts = torch.split(vectors, [len(places) for places, _ in drawn])
        parallel = self.pairs.loss(parts[0], chosen, self.args.contrast)
        weights = [self.args.cloze / 4] * 4 + [self.args.switched, self.args.articles]
        found = sum(weight * list_loss(20 * part[:len(truth)] @ part[len(truth):].T, truth)
                    for weight, part, (_, truth) in zip(weights, parts[1:], drawn[1:]))
        return first + self.args.parallel * parallel + found, parallel, learned

    def drawn_clozes(self, rng, count=56):
        for cut in rng.choice(len(self.clozes), 4, replace=False):
            size = self.cloze_starts[cut + 1] - self.cloze_starts[cut]
            passages = self.more_starts[1] + 3 * (self.cloze_starts[cut] + rng.choice(size, min(count, size), replace=False))
            yield np.concatenate([passages + rng.integers(0, 2, len(passages)), passages + 2]), torch.eye(len(passages), device=DEVICE)

    def drawn_switched(self, rng, count=112):
        chosen = self.more_starts[2] + 2 * rng.choice(len(self.switched), min(count, len(self.switched)), replace=False)
        return np.concatenate([chosen, chosen + 1]), torch.eye(len(chosen), device=DEVICE)

    def drawn_articles(self, rng, count=8):
        asked, told, truths = [], [], []
        for number in rng.choice(len(self.articles), min(count, len(self.articles)), replace=False):
            row, start = self.articles[number], self.more_starts[3] + self.article_starts[number]
            size = len(row["paragraphs"])
            told.append(start + np.arange(size))
            asked.append(start + size + np.arange(len(row["asks"])))
            truths.append(torch.eye(size)[[paragraph for paragraph, _ in row["asks"]]])
        return np.concatenate(asked + told), torch.block_diag(*truths).to(DEVICE)


def article_scores(model, tokenizer, rows):
    """How often the right paragraph is first, among all paragraphs of the articles."""
    told = encode_tokens(model, Tokens(tokenize(tokenizer, [text for row in rows for text in row["paragraphs"]])))
    asked = encode_tokens(model, Tokens(tokenize(tokenizer, [text for row in rows for _, text in row["asks"]])))
    starts = np.cumsum([0] + [len(row["paragraphs"]) for row in rows])
    gold = torch.tensor([int(start) + paragraph for start, row in zip(starts, rows) for paragraph, _ in row["asks"]], device=DEVICE)
    return round(100 * float(((asked @ told.T).argmax(1) == gold).float().mean()), 1)


def report(args, model, scores, books, held, log, name):
    tokenizer = load_tokenizer(args.base, 256)
    log(f"{args.name} {name} languages {json.dumps(language_scores(args, model, tokenizer))}")
    log(f"{args.name} {name} articles {article_scores(model, tokenizer, held)}")
    embedder_books.report(args, model, scores, books, log, name)


def main():
    args = embedder_books.arguments(options)
    log = logger(Path(args.out))
    log(json.dumps(vars(args)))
    torch.manual_seed(args.seed)
    state = load_state(args.start)
    taught_by = load_state(args.teacher) if args.teacher else state
    teacher, model = load_encoder(args.base, taught_by), load_encoder(args.base, state)
    books = read_all(load_tokenizer(args.base, embedder_books.MAX_TOKENS), args.seed, args.drawn, args.drawn_share, args.size, args.join, args.foreign, args.twice)
    scores, held = Scores(args.data, args.base), read_articles()[1]
    if args.before:
        report(args, teacher, scores, books, held, log, "before")
    embedder_books.train(args, model, Reader(args, teacher, books, log), log)
    final = {name: tensor.detach().float().cpu() for name, tensor in model.state_dict().items()}
    for share in args.shares:
        mixed = {name: torch.lerp(state[name], tensor, share) for name, tensor in final.items()}
        report(args, load_encoder(args.base, embedder_books.save(args, mixed, share)), scores, books, held, log, f"int8 {share}")


if __name__ == "__main__":
    main()
