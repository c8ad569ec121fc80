"""Books: the notes of one person each, with questions that some of the notes answer (`books/*.jsonl`, written for this).

    {"notes": [text], "asks": [{"q": question, "a": [notes that answer], "near": [notes that only look so]}],
     "changes": [[old, new]], "same": [[one, two]]}
"""

import json
import random
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from encoder import DEVICE, Tokens, tokenize
from kinds import KINDS_OF_A_BOOK, draw_books

FOLDER = Path(__file__).resolve().parent / "books"
# Every tenth book is held out.
HELD = 10


def read_books(folder=FOLDER):
    rows = [{**json.loads(row), "file": path.stem} for path in sorted(Path(folder).glob("*.jsonl"))
            for row in path.read_text(encoding="utf-8").splitlines() if row.strip()]
    return [row for row in rows if row["notes"] and any(ask["a"] for ask in row["asks"])]


class Books:
    """`drawn` are books drawn from kinds of facts (`kinds.py`): (to learn, held out). `share` of the books to learn are of these.
    Written books in other languages than English are learned `foreign` times as often, those whose file names have a
    part of `twice` twice as often."""

    def __init__(self, rows, tokenizer, drawn=((), ()), share=0.0, foreign=1, twice=()):
        def times(row):
            return (1 if row.get("lang", "en") == "en" else foreign) * (2 if any(part in row.get("file", "") for part in twice) else 1)

        self.used = [index for index in range(len(rows)) if index % HELD for _ in range(times(rows[index]))]
        self.held = [index for index in range(len(rows)) if index % HELD == 0]
        self.drawn = list(range(len(rows), len(rows) + len(drawn[0])))
        self.share = share if self.drawn else 0.0
        rows = [*rows, *drawn[0], *({**row, "lang": f"{row['lang']}, kinds"} for row in drawn[1])]
        self.held += range(len(rows) - len(drawn[1]), len(rows))
        self.rows = rows
        self.asks = [ask["q"] for row in rows for ask in row["asks"]]
        self.notes = [note for row in rows for note in row["notes"]]
        self.ask_starts = np.cumsum([0] + [len(row["asks"]) for row in rows])
        self.note_starts = np.cumsum([0] + [len(row["notes"]) for row in rows])
        self.tokens = [Tokens(tokenize(tokenizer, texts)) for texts in (self.asks, self.notes)]

    def draw(self, rng, count):
        new = rng.binomial(count, self.share)
        parts = [rng.choice(of, min(many, len(of)), replace=False) for of, many in ((self.used, count - new), (self.drawn, new)) if many]
        return np.unique(np.concatenate(parts))

    def parts(self, books):
        """The questions of these books, and their notes."""
        return [np.concatenate([np.arange(starts[book], starts[book + 1]) for book in books]) for starts in (self.ask_starts, self.note_starts)]

    def pairs(self, book):
        """Every question of a book with each of its notes."""
        asks, notes = self.parts([book])
        return np.repeat(asks, len(notes)), np.tile(notes, len(asks))

    def truth(self, book):
        row = self.rows[book]
        truth = torch.zeros(len(row["asks"]), len(row["notes"]))
        for index, ask in enumerate(row["asks"]):
            truth[index, ask["a"]] = 1
        return truth.to(DEVICE)


def read_all(tokenizer, seed, count, share, size=KINDS_OF_A_BOOK, join=0.0, foreign=1, twice=()):
    """The written books, and `count` drawn ones of `size` kinds each; `join` of their notes say two things."""
    rng = random.Random(seed)
    drawn = (draw_books(rng, count, size=size, join=join), draw_books(random.Random(0), 400, held=True)) if share else ((), ())
    return Books(read_books(), tokenizer, drawn, share, foreign, twice)


def list_loss(logits, truth):
    """The right notes together against all notes; questions without an answer do not count."""
    has = truth.sum(1) > 0
    right = torch.logsumexp(logits[has].masked_fill(truth[has] == 0, -1e4), dim=1)
    return (torch.logsumexp(logits[has], dim=1) - right).mean()


def chance_loss(logits, truth):
    return binary_cross_entropy_with_logits(logits, truth)


def book_scores(books, which, scored):
    """`scored(book)` gives a matrix of questions × notes. How often the first note, or one of the first three, is right, and
    how well the best score separates questions with an answer from those without."""
    first = three = count = 0
    good, bad = [], []
    for book in which:
        scores = scored(book)
        for ask, row in zip(books.rows[book]["asks"], scores):
            (good if ask["a"] else bad).append(row.max().item())
            if ask["a"]:
                places = row.argsort(descending=True).tolist()
                count, first, three = count + 1, first + (places[0] in ask["a"]), three + any(place in ask["a"] for place in places[:3])
    if not good or not bad:
        return {"of": count}
    better = np.array(good)[:, None], np.array(bad)[None]
    area = float((better[0] > better[1]).mean() + 0.5 * (better[0] == better[1]).mean())
    return {"first": round(100 * first / max(1, count), 1), "three": round(100 * three / max(1, count), 1), "auc": round(100 * area, 1), "of": count}
