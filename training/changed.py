"""Newer notes read together with the older ones that they change: "Thursdays now (before: the choir meets on Wednesdays)".

The reader learns whether the newer note then answers a question. It does where the question is about what changed. It does not where
the question is about something else in the older note, or where the two notes have nothing to do with each other.
"""

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from encoder import DEVICE, Tokens, tokenize
from reranker import Pairs, cross_logits, logits_of

# In characters. The service cuts them shorter, so that its reader sees both.
MOST_NEW, MOST_OLD = 300, 240


def together(new, old):
    return f"{new[:MOST_NEW]} (before: {old[:MOST_OLD]})"


class Changed:
    """(question, newer note with an older one, whether the newer one answers): real changes, and pairs of any two notes."""

    def __init__(self, books, tokenizer, seed):
        rng = np.random.default_rng(seed)
        used = {name: ([], [], []) for name in ("real", "any", "held", "held any")}
        # Books in other languages are repeated in `used`, so they are learned more often here too.
        for book in books.used:
            add(books, book, rng, used["real"], used["any"])
        for book in books.held:
            add(books, book, rng, used["held"], used["held any"])
        self.questions = books.tokens[0]
        self.parts = {name: (np.array(asks), Tokens(tokenize(tokenizer, texts)), torch.tensor(right, dtype=torch.float, device=DEVICE))
                      for name, (asks, texts, right) in used.items()}

    def loss(self, model, rng, count):
        losses = []
        for name in ("real", "any"):
            asks, told, right = self.parts[name]
            picked = rng.integers(0, len(asks), count)
            with torch.autocast(DEVICE, dtype=torch.bfloat16):
                logits = logits_of(model, Pairs(self.questions, told), asks[picked], picked)
            losses.append(binary_cross_entropy_with_logits(logits, right[torch.from_numpy(picked).to(DEVICE)]))
        return sum(losses)

    def scores(self, model):
        """How well real changes, and pairs of any two notes, are told from those that do not answer, on books that were not learned."""
        result = {}
        for name in ("held", "held any"):
            asks, told, right = self.parts[name]
            logits = cross_logits(model, Pairs(self.questions, told), asks, np.arange(len(asks)))
            good, bad = logits[right == 1], logits[right == 0]
            result[name] = {"auc": round(100 * (good[:, None] > bad[None]).float().mean().item(), 1),
                            "found": round(100 * (good > 0).float().mean().item(), 1), "false": round(100 * (bad > 0).float().mean().item(), 1), "of": len(asks)}
        return result


def add(books, book, rng, real, other):
    row, first = books.rows[book], books.ask_starts[book]
    if "file" not in row:
        return
    notes, changes = row["notes"], [tuple(pair) for pair in row.get("changes", [])]
    for place, ask in enumerate(row["asks"]):
        right, seen = set(ask["a"]), {*ask["a"], *ask.get("near", [])}
        for old, new in changes:
            if old in seen or new in seen:
                keep(real, first + place, together(notes[new], notes[old]), new in right)
        # Of two notes that only stand beside each other, the newer one answers only what it says itself.
        wrong = [note for note in ask.get("near", []) if note not in right] or [int(rng.integers(len(notes)))]
        for one in ask["a"][:1]:
            two = int(rng.choice(wrong))
            if two in right or (one, two) in changes or (two, one) in changes:
                continue
            keep(other, first + place, together(notes[two], notes[one]), False)
            if rng.random() < 0.4:
                keep(other, first + place, together(notes[one], notes[two]), True)


def keep(part, ask, text, right):
    for values, value in zip(part, (ask, text, float(right))):
        values.append(value)
