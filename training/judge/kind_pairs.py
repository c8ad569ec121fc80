"""Pairs from kinds of facts (`../kinds.py`): the same fact changed, of somebody else, and another fact of the same domain.

Two notes about one project or one household share words and still concern each other little; that a change of one fact changes the
others is what a judge believes too easily.
"""

import kinds
from dataset import ADDS, REFINES, REPLACES, SAME, UNRELATED, Pair, Turn, is_one_statement

APART = (ADDS, UNRELATED)
AGAIN = (SAME, REFINES, ADDS)


class KindPairs:
    def __init__(self, rng, folder=kinds.FOLDER):
        self.rng = rng
        self.people, by_language = kinds.read_kinds(folder)
        self.kinds = {lang: used for lang, (used, _) in by_language.items()}
        self.held = {lang: held for lang, (_, held) in by_language.items()}

    def pairs(self, count, of=None):
        chosen = of or self.kinds
        languages = sorted(chosen)
        weights = [len(chosen[lang]) for lang in languages]
        drawn = (self.pair(lang, chosen[lang]) for lang in self.rng.choices(languages, weights, k=count))
        return [pair for pair in drawn if pair.old != pair.new]

    def turns(self, count):
        """Statements alone: those of a change, and others."""
        rng, found = self.rng, []
        languages = sorted(self.kinds)
        for lang in rng.choices(languages, [len(self.kinds[lang]) for lang in languages], k=count):
            kind, changes = rng.choice(self.kinds[lang]), rng.random() < 0.5
            text = self.said(kind, "now" if changes else "mine", rng.choice(kind["values"]))
            found.append(Turn("", text, "user", True, 0.5, language=lang, changes=changes))
        return found

    def pair(self, lang, lines):
        rng = self.rng
        kind = rng.choice(lines)
        one, two = rng.sample(kind["values"], 2)
        mine = self.said(kind, "mine", one)
        chance = rng.random()
        if chance < 0.36:
            old = mine if chance < 0.3 else self.said(kind, "now", one)
            return Pair(old, self.said(kind, "now", two), (REPLACES,), [(0, len(old))] if is_one_statement(old) else (), rng.random() < 0.15, 0.7)
        if chance < 0.44:
            return Pair(mine, self.said(kind, "mine", one), AGAIN, weight=0.5)
        if chance < 0.62:
            return Pair(*self.of_others(kind, lang, mine, two), APART, weight=0.5)
        if chance < 0.72:
            near = rng.choice(kind["near"])
            return Pair(*((mine, near) if rng.random() < 0.6 else (near, self.said(kind, "now", two))), APART, chat=rng.random() < 0.15, weight=0.5)
        other = self.other(kind, lines)
        return Pair(mine, self.said(other, "now" if rng.random() < 0.6 else "mine", rng.choice(other["values"])), APART, chat=rng.random() < 0.15, weight=0.5)

    def said(self, kind, field, value, who=None):
        return kinds.filled(self.rng, self.rng.choice(kind[field]), value, who)

    def of_others(self, kind, lang, mine, value):
        """(old, new): of the user and of somebody else, or of two others."""
        first, second = self.rng.sample(self.people[lang], 2)
        theirs = self.said(kind, "theirs", value, first)
        chance = self.rng.random()
        if chance < 0.5:
            return mine, theirs
        if chance < 0.8:
            return theirs, self.said(kind, "now", self.rng.choice(kind["values"]))
        return theirs, self.said(kind, "theirs", self.rng.choice(kind["values"]), second)

    def other(self, kind, lines):
        like = [line for line in lines if line["domain"] == kind["domain"] and line is not kind]
        rest = [line for line in lines if line is not kind]
        return self.rng.choice(like if like and self.rng.random() < 0.7 else rest)
