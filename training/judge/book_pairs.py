"""Pairs from the notes of one person each (`../books/*.jsonl`): a note that changes an earlier one, and notes that only stand near it.

The service asks about the earlier memories that are nearest in meaning, and most of them do not change. A judge that never saw such
neighbours believes that "we moved" changes almost everything.
"""

import torch

from books import HELD, read_books
from dataset import ADDS, ENDS, REFINES, REPLACES, SAME, UNRELATED, Pair, Turn, is_one_statement
from encoder import encode

APART = (ADDS, UNRELATED)
AGAIN = (SAME, REFINES)
NEAREST = 4


class BookPairs:
    """(changes, repetitions, neighbours, notes alone) of the books to learn from (`used`), and of every tenth book (`held`)."""

    def __init__(self, encoder, tokenizer):
        self.used = ([], [], [], [])
        self.held = {title: ([], [], [], []) for title in ("English", "other languages")}
        for index, row in enumerate(read_books()):
            half = self.used if index % HELD else self.held["English" if row.get("lang", "en") == "en" else "other languages"]
            for kind, pairs in zip(half, pairs_of(row, encode(encoder, tokenizer, row["notes"]))):
                kind.extend(pairs)

    def pairs(self, rng, share):
        """Every change twice, every repetition, `share` of the neighbours, and half of the notes alone."""
        changes, again, near, alone = self.used
        drawn = [varied(rng, pair) for pair in (*changes, *changes, *again, *rng.sample(near, round(share * len(near))))]
        return drawn + rng.sample(alone, len(alone) // 2)


def pairs_of(row, vectors):
    notes = row["notes"]
    close = (vectors @ vectors.T).cpu()
    changed = linked(row.get("changes", []), row.get("same", []))
    same = {tuple(sorted(pair)) for pair in row.get("same", [])}
    changes = [change(notes[old], notes[new]) for old, new in row.get("changes", []) if old < new]
    again = [Pair(notes[one], notes[two], AGAIN, weight=0.5) for one, two in same]
    near = []
    for new in range(1, len(notes)):
        order = torch.argsort(close[new, :new], descending=True).tolist()
        near += [Pair(notes[old], notes[new], APART, weight=0.7) for old in order[:NEAREST]
                 if (old, new) not in changed and (old, new) not in same and notes[old] != notes[new]]
    news, told = {new for _, new in row.get("changes", [])}, {place for ask in row["asks"] for place in ask["a"]}
    maybe = {new for _, new in changed} - news
    alone = [Turn("", note, "user", True if place in news or place in told else None, 0.5, language=row.get("lang", "en"),
                  changes=None if place in maybe else place in news) for place, note in enumerate(notes)]
    return changes, again, near, alone


def linked(changes, same):
    """Pairs that may be a change without being listed: through a later change, as two changes of one note, or by a note that says
    the same."""
    found = {tuple(pair) for pair in changes}
    for _ in range(2):
        found |= {(old, newest) for old, new in found for other, newest in found if new == other}
        found |= {(one, two) for old, one in found for other, two in found if old == other and one < two}
        for one, two in [*same, *(pair[::-1] for pair in same)]:
            found |= {(two, new) for old, new in found if old == one} | {(old, two) for old, new in found if new == one}
    return found


def change(old, new):
    return Pair(old, new, (REPLACES, ENDS), [(0, len(old))] if is_one_statement(old) else ())


def varied(rng, pair):
    """Capitals and the last stop are a matter of taste."""
    new = pair.new
    if rng.random() < 0.15:
        new = new.lower()
    elif rng.random() < 0.15:
        new = new[:1].upper() + new[1:]
    if rng.random() < 0.15:
        new = new.rstrip(".!")
    return Pair(pair.old, new or pair.new, pair.labels, pair.parts, rng.random() < 0.1, pair.weight)
