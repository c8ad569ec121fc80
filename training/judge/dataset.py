"""Pairs of an old memory and a new text, with their relation and the words that become outdated.

`pairs/*.jsonl` are written by hand: one old text per line, new texts by relation, `[[…]]` around the outdated words.
Dialogues of MSC add pairs that are compatible, restatements, and plain statements that differ in one value.
"""

import gzip
import json
import re
import zlib
from collections import defaultdict
from pathlib import Path

LABELS = ["same", "refines", "replaces", "ends", "adds", "unrelated"]
SAME, REFINES, REPLACES, ENDS, ADDS, UNRELATED = range(6)
# A pair that only must not count as a change: any of these labels will do.
COMPATIBLE = (SAME, REFINES, ADDS, UNRELATED)
# How the new text follows the old one. A turn alone is read with the turn before it and judged for its worth.
LATER, NEXT, TURN, REPLY = "later: ", "next: ", "turn: ", "reply: "

CHATTER = ["haha", "lol", "Hi!", "hey", "Hope you are well.", "Anyway,", "Thanks for yesterday!", "What a day.", "ok so", "btw", "quick update:", "oh and", "Good morning!", "fun fact:",
           "just so you know,", "note to self:", "well,", "so", "FYI", "Remember this:"]
TAILS = ["lol", "haha", "thanks!", "anyway how are you?", "just fyi", ":)", "what do you think?", "that's all for today", "👍", "please note it down", "can you help me with dinner ideas?"]


MONTHS = "January February March April May June July August September October November December".split()
DAY_WORDS = re.compile(r"\b(?:yesterday|today|tomorrow|last (?:week|month|night|year|friday|monday|sunday)|this (?:week|month|morning)|next (?:week|month|year)|on (?:monday|tuesday|friday|sunday))\b", re.I)


class Pair:
    """`parts`: character ranges of `old` that become outdated; `labels`: one, or several that are all right."""

    __slots__ = ("old", "new", "labels", "parts", "chat", "weight")
    keep, changes = None, None

    def __init__(self, old, new, labels, parts=(), chat=False, weight=1.0):
        self.old, self.new, self.labels, self.parts, self.chat, self.weight = old, new, labels, list(parts), chat, weight

    @property
    def mark(self):
        return NEXT if self.chat else LATER


class Turn:
    """One message after another (`old`, may be empty), whether it says anything worth keeping, and whether it changes anything said
    before (None: not known)."""

    __slots__ = ("old", "new", "mark", "keep", "weight", "answers", "language", "changes")
    labels, parts = (), ()

    def __init__(self, before, text, role, keep, weight=1.0, answers=False, language="en", changes=None):
        self.old, self.new, self.mark, self.keep, self.weight = before or "", text, REPLY if role == "assistant" else TURN, keep, weight
        self.answers, self.language, self.changes = answers, language, changes


def unbracketed(text):
    """The text without brackets, and the ranges that they enclosed."""
    parts, plain, start = [], "", None
    for token in re.split(r"(\[\[|\]\])", text):
        if token == "[[":
            start = len(plain)
        elif token == "]]":
            parts.append((start, len(plain)))
        else:
            plain += token
    return plain, parts


def language_of(path):
    """`de-1.jsonl` and `de.jsonl` are German; names that are longer than a code are English."""
    code = path.stem.split("-")[0]
    return code if len(code) == 2 else "en"


def read_lines(folder):
    lines = []
    for path in sorted(Path(folder).glob("*.jsonl")):
        for text in path.read_text(encoding="utf-8").splitlines():
            if text.strip():
                row = json.loads(text)
                row["source"], row["language"] = path.stem, language_of(path)
                lines.append(row)
    return lines


def is_held_out(row, share=6):
    """Every line of the same old text is on the same side."""
    plain, _ = unbracketed(row["old"])
    return zlib.crc32(plain.encode()) % 100 < share


SEPARATORS = re.compile(r"[.!?…](?=\s|$)|[;\n()。！？；，、]|,(?=\s)|\s[–—-]\s|:(?=\s)|\s(?:and|but|while|because|although|though|plus|so|with"
                        r"|und|aber|weil|mit|y|pero|porque|con|et|mais|avec|e|mas|com|ma|perché|en|maar|want|met|и|а|но|потому|с)(?=\s)", re.I)
# Scripts without spaces: so many letters count as a word.
UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]{3}")


def is_one_statement(text):
    return sum(len(part.split()) + len(UNSPACED.findall(part)) >= 2 for part in SEPARATORS.split(text)) < 2


def hand_pairs(row):
    old, parts = unbracketed(row["old"])
    # Without brackets a single statement is meant as a whole; of several, it is not known which one.
    whole = parts or ([(0, len(old))] if is_one_statement(old) else [])
    chat = row["when"] == "chat"
    for number, label in enumerate(LABELS):
        for new in row.get(label, []):
            yield Pair(old, new, (number,), whole if number in (REPLACES, ENDS) else (), chat)


def is_first_person(text):
    return re.search(r"\b(?:i|i'm|i've|my|me|we|our|us)\b", text.lower()) is not None


def sentence(text):
    return text if re.search(r"[.!?…)]\s*$", text) else text + "."


class Augmenter:
    """Draws variations of the hand-written pairs: other statements around them, speakers, capitals, random partners."""

    def __init__(self, pairs, rng, names, chatter=CHATTER, tails=TAILS):
        self.pairs, self.rng, self.names, self.chatter, self.tails = pairs, rng, names, chatter, tails
        self.olds = sorted({pair.old for pair in pairs})
        self.news = sorted({pair.new for pair in pairs})

    def other(self, texts, short=110):
        for _ in range(8):
            text = self.rng.choice(texts)
            if len(text) <= short:
                return text
        return ""

    def vary(self, pair):
        rng = self.rng
        if rng.random() < 0.3 and len(pair.old) < 160:
            pair = self.wider_old(pair)
        if rng.random() < 0.3 and len(pair.new) < 160:
            pair = self.wider_new(pair)
        if rng.random() < 0.25:
            pair = self.spoken(pair)
        if rng.random() < 0.15:
            pair = self.recased(pair)
        if rng.random() < 0.5:
            pair = Pair(pair.old, self.dated(pair.new), pair.labels, pair.parts, pair.chat, pair.weight)
        return pair

    def dated(self, text):
        """The service writes the date after "yesterday"."""
        day, month, year = self.rng.randint(1, 28), self.rng.choice(MONTHS), self.rng.randint(2023, 2026)
        return DAY_WORDS.sub(lambda match: f"{match.group(0)} ({day} {month} {year})", text, count=1)

    def wider_old(self, pair):
        """Other statements before or after: only the part becomes outdated."""
        before = sentence(self.other(self.olds)) + " " if self.rng.random() < 0.5 else ""
        after = " " + self.other(self.olds) if self.rng.random() < 0.5 else ""
        old = before + (sentence(pair.old) if after.strip() else pair.old) + after
        shift = len(before)
        # What stood around the old statement is not said again.
        labels = (ADDS,) if pair.labels == (REFINES,) and (before or after.strip()) else pair.labels
        return Pair(old, pair.new, labels, [(start + shift, end + shift) for start, end in pair.parts], pair.chat, pair.weight)

    def wider_new(self, pair):
        rng = self.rng
        kind = rng.random()
        if kind < 0.35:
            new = f"{rng.choice(self.chatter)} {pair.new}"
        elif kind < 0.6:
            new = f"{sentence(pair.new)} {rng.choice(self.tails)}"
        elif kind < 0.8:
            new = f"{sentence(self.other(self.olds))} {pair.new}"
        else:
            new = f"{sentence(pair.new)} {self.other(self.olds)}"
        # A new text that says more is no mere repetition.
        labels = pair.labels if kind < 0.6 or pair.labels != (SAME,) else (REFINES,)
        return Pair(pair.old, new, labels, pair.parts, pair.chat, pair.weight)

    def spoken(self, pair):
        """`Ann: …`: by the same person nothing changes, by another person a first-person fact is another fact."""
        if re.match(r"\w+: ", pair.old) or re.match(r"\w+: ", pair.new):
            return pair
        one, two = self.rng.sample(self.names, 2)
        same_person = self.rng.random() < 0.7 or not (is_first_person(pair.old) and is_first_person(pair.new)) or pair.chat
        labels, parts = (pair.labels, pair.parts) if same_person else ((ADDS, UNRELATED), [])
        shift = len(one) + 2
        return Pair(f"{one}: {pair.old}", f"{one if same_person else two}: {pair.new}", labels, [(start + shift, end + shift) for start, end in parts], pair.chat, pair.weight)

    def recased(self, pair):
        strip = self.rng.random() < 0.5
        new = pair.new.lower()
        if strip:
            new = re.sub(r"[.!]$", "", new)
        return Pair(pair.old, new, pair.labels, pair.parts, pair.chat, pair.weight)

    def random_pair(self):
        one, two = self.rng.sample(self.pairs, 2)
        if one.old == two.old:
            return Pair(one.old, two.new, two.labels, two.parts, two.chat)
        new = two.new if self.rng.random() < 0.6 else two.old
        return Pair(one.old, new, (UNRELATED,), chat=self.rng.random() < 0.3)

    def reversed_same(self, pair):
        return Pair(pair.new, pair.old, (SAME, REFINES) if pair.labels == (SAME,) else (SAME,))

    def crossed(self, rows, most):
        """The same relation to another wording of the old text."""
        rows = [row for row in rows if row.get("same") and "[[" not in row["old"] and row["when"] == "later"]
        pairs = []
        if not rows:
            return pairs
        while len(pairs) < most:
            row = self.rng.choice(rows)
            old = self.rng.choice(row["same"])
            label = self.rng.choice([number for number in (SAME, SAME, REFINES, REPLACES, ENDS, ADDS) if row.get(LABELS[number])] or [SAME])
            new = self.rng.choice(row[LABELS[label]])
            if new == old:
                continue
            parts = [(0, len(old))] if label in (REPLACES, ENDS) and is_one_statement(old) else ()
            labels = {SAME: (SAME, REFINES), REFINES: (REFINES, ADDS)}.get(label, (label,))
            pairs.append(Pair(old, new, labels, parts, weight=0.5))
        return pairs


# Turns alone ----------------------------------------------------------------------------------------------------------

def read_turns(folder):
    """Hand-labelled messages of `training/worth`."""
    return [Turn(row["before"], row["text"], row["role"], row["keep"], answers=row["role"] == "user" and row.get("before_role", "assistant") == "assistant", language=language_of(path), changes=None if row["keep"] else False)
            for path in sorted(Path(folder).glob("*.jsonl"))
            for row in map(json.loads, path.read_text(encoding="utf-8").splitlines())]


def is_turn_held_out(turn, share=6):
    return zlib.crc32(turn.new.lower().encode()) % 100 < share


def varied_turn(turn, turns, rng):
    """Other case and punctuation; chatter of another message around a statement."""
    text, before = turn.new, turn.old
    if rng.random() < 0.25:
        text = text.lower()
    if rng.random() < 0.2:
        text = re.sub(r"[.!]+$", "", text)
    if rng.random() < 0.15:
        text = sentence(text[:1].upper() + text[1:])
    if rng.random() < 0.15:
        other = rng.choice(turns)
        # Without its question, chatter stays chatter.
        if not other.keep and not other.old and len(other.new) < 60:
            text = f"{sentence(other.new)} {text}" if rng.random() < 0.5 else f"{sentence(text)} {other.new}"
    if before and turn.keep is False and rng.random() < 0.2 and not before.rstrip().endswith("?"):
        before = ""
    # The service marks the assistant's words, and gives the message before that one too.
    if before and turn.answers and rng.random() < 0.6:
        before = f"Assistant: {before}"
    if before and len(before) < 120 and rng.random() < 0.5:
        before = f"{before} after {rng.choice(turns).new}"
    changed = Turn(before, text, "user", turn.keep, turn.weight, language=turn.language, changes=turn.changes)
    changed.mark = turn.mark
    return changed


def stated_turns(pairs, rng, most):
    """Statements of the pairs are worth keeping, alone and after another message."""
    chosen = rng.sample(pairs, min(most, len(pairs)))
    return [stated_turn(pair, rng.random() < 0.7) for pair in chosen if not pair.new.rstrip().endswith("?")]


def stated_turn(pair, is_new):
    """What "adds" something may change something else."""
    if not is_new or pair.labels[0] in (SAME, REFINES, UNRELATED):
        changes = False
    else:
        changes = None if pair.labels[0] == ADDS else True
    return Turn(pair.old if pair.chat else "", pair.new if is_new else pair.old, "user", True, 0.5, changes=changes)


# MSC ------------------------------------------------------------------------------------------------------------------

def read_gzip(path):
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def msc_people(data):
    """Utterances with facts, per speaker of a conversation, in order."""
    people = defaultdict(list)
    for row in read_gzip(Path(data) / "msc/extraction.jsonl.gz"):
        people[row["conv"], row["speaker"]].append(row)
    return list(people.values())


# Facts that have one value at a time: a pattern with the value as its last group.
SINGLE = [re.compile(pattern, re.I) for pattern in [
    r"^(I live in) (.+)$", r"^(I work (?:as|at|for|in)) (.+)$", r"^(My favou?rite [\w ]+ (?:is|are)) (.+)$", r"^(My name is) (.+)$",
    r"^(I am) (\d+(?: years old)?)\.?$", r"^(I drive an?) (.+)$", r"^(I have) (one|two|three|four|five|six|no|\d+) (kids|children|brothers|sisters|siblings|sons|daughters|dogs|cats)\.?$",
    r"^(I am) ((?:single|married|divorced|engaged|widowed|retired|unemployed)[\w ]*)\.?$", r"^(I am an?) (vegan|vegetarian|teacher|nurse|student|lawyer|doctor|chef|cook|writer|engineer|carpenter|farmer|artist|musician|accountant|cashier|mechanic|waiter|waitress)\.?$",
    r"^(My (?:wife|husband|son|daughter|dog|cat|boyfriend|girlfriend)'s name is) (.+)$", r"^(I go to the gym) (.+)$", r"^(I am majoring in|I am studying|I study|My major is) (.+)$", r"^(My (?:car|bike|truck) is) (.+)$",
]]
CHANGE = ["", "", "Actually, ", "these days ", "update: ", "Now ", "as of this month "]


def msc_single_valued(people, rng, most):
    """Two values of the same fact, from different people: the utterance that states the second replaces the first."""
    stated = defaultdict(list)
    for rows in people:
        for row in rows:
            for fact in row["facts"]:
                for pattern in SINGLE:
                    match = pattern.match(fact.strip().rstrip("."))
                    if match:
                        # "I have two dogs" is about the number of dogs.
                        key = match.group(1).lower() + "".join(match.groups()[2:]).lower()
                        short = len(row["facts"]) == 1 and len(row["text"].split()) <= 14
                        stated[key].append((fact, match.group(2).lower(), row["text"] if short else fact))
    keys = [key for key, values in stated.items() if len({value for _, value, _ in values}) > 1]
    weights = [len(stated[key]) ** 0.5 for key in keys]
    pairs = []
    while len(pairs) < most:
        key = rng.choices(keys, weights)[0]
        one, two = rng.choice(stated[key]), rng.choice(stated[key])
        if one[1] == two[1]:
            pairs.append(Pair(one[0], rng.choice([two[0], two[2]]), (SAME,) if one[0] != two[0] else (SAME, ADDS), weight=0.5))
            continue
        first, second = set(one[1].split()), set(two[1].split())
        if first <= second or second <= first or (first & second) - {"the", "a", "in", "of", "and"}:
            continue
        new = (rng.choice(CHANGE) + two[0]) if rng.random() < 0.6 else two[2]
        pairs.append(Pair(one[0], new, (REPLACES,), [(0, len(one[0]))], weight=0.5))
    return pairs


def overlap(one, two):
    words = [set(re.findall(r"[a-z]{3,}", text.lower())) for text in (one, two)]
    return len(words[0] & words[1]) / max(1, min(map(len, words)))


def msc_compatible(people, rng, most):
    """Statements of one person that share words. They may repeat each other, but hardly ever change a fact."""
    pairs = []
    while len(pairs) < most:
        rows = rng.choice(people)
        texts = [text for row in rows for text in ([row["text"]] if rng.random() < 0.6 else row["facts"])]
        if len(texts) < 4:
            continue
        old = rng.choice(texts)
        later = sorted((text for text in rng.sample(texts, min(len(texts), 12)) if text != old), key=lambda text: -overlap(old, text))
        if later:
            new = later[0 if rng.random() < 0.7 else -1]
            pairs.append(Pair(old, new, COMPATIBLE if overlap(old, new) > 0.5 else (ADDS, UNRELATED), weight=0.5))
    return pairs


def msc_same(people, rng, most):
    """A short utterance and the only fact in it."""
    found = [(row["facts"][0], row["text"]) for rows in people for row in rows
             if len(row["facts"]) == 1 and len(row["text"].split()) <= 12 and overlap(row["facts"][0], row["text"]) > 0.4]
    rng.shuffle(found)
    return [Pair(*(pair if rng.random() < 0.5 else pair[::-1]), (SAME,), weight=0.3) for pair in found[:most]]
