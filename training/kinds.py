"""Books drawn at random from kinds of facts (`kinds/*.jsonl`, written for this).

A kind has values, and the sentences that state them and ask for them, mostly in other words: "they've put me on {} after the clot"
and "Which blood thinner am I on?". A drawn book mixes statements of some kinds: of the user, of other people, changed ones, and ones
that only seem to state it. Some notes say two things, as people do. Every tenth kind appears in held-out books only.

    {"lang": language, "domain": word, "kind": word, "values": [word], "mine": [statement with {}], "asks": [question],
     "theirs": [statement with {who} and {}], "asks_theirs": [question with {who}], "now": [statement with {}], "near": [statement]}

The first line of a file names people: {"lang": language, "who": [name]}.
"""

import json
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "kinds"
HELD = 10
KINDS_OF_A_BOOK = 6


def read_kinds(folder=FOLDER):
    """({language: people}, {language: (kinds to learn, held-out kinds)}). Kinds of the same name are in the same half."""
    people, kinds, halves = {}, {}, {}
    for path in sorted(Path(folder).glob("*.jsonl")):
        for row in path.read_text(encoding="utf-8").splitlines():
            line = json.loads(row)
            if "kind" not in line:
                people.setdefault(line["lang"], []).extend(line["who"])
                continue
            used, held = kinds.setdefault(line["lang"], ([], []))
            half = halves.setdefault((line["lang"], line["kind"]), used if (len(used) + len(held)) % HELD else held)
            half.append(line)
    return people, kinds


def drawn_kinds(rng, kinds, count):
    """Half of them from one domain, so that they are hard to tell apart."""
    first = rng.choice(kinds)
    like = [kind for kind in kinds if kind["domain"] == first["domain"] and kind is not first]
    some = [first] + rng.sample(like, min(len(like), count // 2))
    taken = {kind["kind"] for kind in some}
    rest = list({kind["kind"]: kind for kind in kinds if kind["kind"] not in taken}.values())
    return some + rng.sample(rest, min(len(rest), count - len(some)))


def filled(rng, template, value, who=None):
    text = template.replace("{}", value)
    if who is not None:
        text = text.replace("{who}", who)
    return text[:1].upper() + text[1:] if rng.random() < 0.5 else text


def joined(one, two, lang):
    stop, gap = ("。", "") if lang in ("zh", "ja") else (".", " ")
    return f"{one if one[-1] in '.!?…。！？)' else one + stop}{gap}{two[:1].upper()}{two[1:]}"


class Draft:
    def __init__(self, rng, lang, join=0.0):
        """`join`: the share of notes that go to the end of an earlier one."""
        self.rng, self.lang, self.join, self.notes, self.asks = rng, lang, join, [], []
        # Notes of earlier kinds end here; the later ones are of the same kind, and joining them would confuse.
        self.start, self.joined = 0, set()

    def note(self, text):
        """Where it stands: a note of its own, or the end of another one."""
        free = [place for place in range(self.start) if place not in self.joined]
        if free and self.rng.random() < self.join:
            place = self.rng.choice(free)
            self.joined.add(place)
            self.notes[place] = joined(self.notes[place], text, self.lang)
            return place
        self.notes.append(text)
        return len(self.notes) - 1

    def ask(self, question, right):
        self.asks.append({"q": question, "a": right})

    def add(self, kind, people):
        """What a book says of one kind, and the questions about it."""
        rng, self.start = self.rng, len(self.notes)
        values = rng.sample(kind["values"], 3)
        chance, right = rng.random(), []
        if chance < 0.8:
            right.append(self.note(filled(rng, rng.choice(kind["mine"]), values[0])))
        if chance < 0.25:
            right.append(self.note(filled(rng, rng.choice(kind["now"]), values[1])))
        if rng.random() < 0.55:
            self.note(rng.choice(kind["near"]))
        for question in rng.sample(kind["asks"], 2):
            self.ask(question, right)
        if rng.random() < 0.4:
            who, other = rng.sample(people, 2)
            theirs = self.note(filled(rng, rng.choice(kind["theirs"]), values[2], who))
            self.ask(filled(rng, rng.choice(kind["asks_theirs"]), "", who), [theirs])
            if rng.random() < 0.3:
                self.ask(filled(rng, rng.choice(kind["asks_theirs"]), "", other), [])

    def book(self):
        """The notes in random order."""
        order = list(range(len(self.notes)))
        self.rng.shuffle(order)
        place = {old: new for new, old in enumerate(order)}
        asks = [ask | {"a": sorted(place[note] for note in ask["a"])} for ask in self.asks]
        return {"lang": self.lang, "notes": [self.notes[old] for old in order], "asks": asks}


def draw_books(rng, count, held=False, size=KINDS_OF_A_BOOK, join=0.0, folder=FOLDER):
    """In proportion to the kinds of each language; `size` kinds per book."""
    people, kinds = read_kinds(folder)
    part = {lang: lines[held] for lang, lines in kinds.items() if len(lines[held]) >= 2}
    total, books = sum(len(lines) for lines in part.values()), []
    for lang, lines in part.items():
        for _ in range(round(count * len(lines) / total)):
            draft = Draft(rng, lang, join)
            for kind in drawn_kinds(rng, lines, size):
                draft.add(kind, people[lang])
            books.append(draft.book())
    rng.shuffle(books)
    return [book for book in books if any(ask["a"] for ask in book["asks"])]
