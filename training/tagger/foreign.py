"""Sentences with names in other languages: texts with marked names, books of notes, parallel sentences, templates.

Names of the parallel sentences stand on the English side: words from lists. A name's forms in another language are the
words (in Chinese and Japanese: the runs of characters) that occur almost only where the English side has that name. A
sentence is used if each of its English names has a form in it. A sentence without a capital on the English side is one
without names, which shows that German nouns are none.
"""

import gzip
import json
import re
from collections import Counter, defaultdict
from pathlib import Path

import foreign_lists as lists
import coined
import word_lists

KINDS = {"person": "PERSON", "org": "ORG", "place": "LOCATION"}
MAIN_LANGUAGES = "de es fr pt it nl ru zh ja ko hi".split()
LANGUAGES = MAIN_LANGUAGES + "pl uk sv da nb fi cs hu ro el tr id vi bg ar he fa".split()
WITHOUT_SPACES = {"zh", "ja"}
INFLECTED = {"ru", "uk", "pl", "cs", "bg", "fi", "hu", "tr", "el", "ro"}
CAPITAL_NOUNS = {"de"}
WITHOUT_CAPITALS = {"zh", "ja", "ko", "hi"}
DECLINED = "gdail"


# Books ----------------------------------------------------------------------------------------------------------------

# A letter or a mark that belongs to one: Python's \w leaves out the vowel signs of Hindi.
LETTER = r"(?:[^\W\d_]|[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0903\u093a-\u094f])"


def occurrences(text, surface):
    """Where a name stands as a word of its own; scripts without spaces have no such borders."""
    letter = LETTER
    spaced = not re.search("[぀-ヿ㐀-鿿가-힣]", surface)
    found = rf"(?<!{letter}){re.escape(surface)}(?!{letter})" if spaced else re.escape(surface)
    places = [match.span() for match in re.finditer(found, text)]
    return places or [match.span() for match in re.finditer(re.escape(surface), text)][:1]


# Books differ in whether "Dr." is part of a name; the service leaves it out.
TITLE = re.compile(r"(?:(?:Dr|Dra|Prof|Sr|Sra|Srta|Mme|Mlle|Mr|M|Sig|Dott|Ing|Hr|Fr|Me)\.?|Herr|Herrn|Frau|Don|Doña|Dona|Señora?|Madame|Monsieur|Maître|Signora?|Dottor|Dottoressa|Doktor|Doctora?|Docteur|Professora?|"
                   r"Professoressa|Professeur|Meneer|Mevrouw|Seu|Pater|Padre|Pan|Pani|доктор|врач|господин|госпожа)\s+(?=\S)", re.I)


def book_notes(folder):
    """(language, text, spans, held out) of each note. Every tenth book is held out."""
    found, number = [], 0
    for path in sorted(Path(folder).glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line) if line.strip() else {}
            if not row.get("names"):
                continue
            held = number % 10 == 0
            number += 1
            for text, names in zip(row["notes"], row["names"]):
                spans = []
                for surface, kind in sorted(names, key=lambda name: -len(name[0])):
                    title = TITLE.match(surface) if kind == "person" else None
                    surface = surface[title.end():] if title else surface
                    for start, end in occurrences(text, surface) if kind in KINDS and surface else []:
                        if all(end <= one or start >= two for one, two, _ in spans):
                            spans.append((start, end, KINDS[kind]))
                found.append((row.get("lang", "en"), text, sorted(spans), held))
    return found


# Marked texts ---------------------------------------------------------------------------------------------------------

MARKED = Path(__file__).resolve().parent / "marked"
MARK_KINDS = {"P": "PERSON", "O": "ORG", "L": "LOCATION", "X": "?"}
MARK = re.compile(r"\[([POLX]):([^\[\]]+)\]")
# How often a marked text is drawn per epoch, as it is and with other names in it.
MARKED_AS_IS, MARKED_SWAPPED, MARKED_COINED = 4, 2, 3
# Share of the names in notes that nobody has heard of.
COINED = 0.2


def unmarked(text):
    """The text without marks, and its names."""
    plain, spans, at = "", [], 0
    for match in MARK.finditer(text):
        plain += text[at:match.start()]
        spans.append((len(plain), len(plain) + len(match[2]), MARK_KINDS[match[1]]))
        plain += match[2]
        at = match.end()
    return plain + text[at:], spans


def marked_notes(folder=MARKED):
    """(language, text, spans, held out) of texts in which every name is marked by hand. Every tenth is held out."""
    found = []
    for path in sorted(Path(folder).glob("*.jsonl")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
            text, spans = unmarked(json.loads(line)["text"])
            found.append((path.stem.split("-")[0], text, spans, number % 10 == 0))
    return found


# Drawing names --------------------------------------------------------------------------------------------------------

def declined(name, case):
    """A Russian name in another case, by its ending."""
    if case not in DECLINED or not name:
        return name
    last, stem, place = name[-1], name[:-1], DECLINED.index(case)
    soft = stem[-1:] in "гкхжчшщ"
    if last == "а":
        return stem + ("и" if soft else "ы", "е", "у", "ой", "е")[place]
    if name.endswith("ия"):
        return stem + ("и", "и", "ю", "ей", "и")[place]
    if last == "я":
        return stem + ("и", "е", "ю", "ей", "е")[place]
    if last == "й":
        return stem + ("я", "ю", "я", "ем", "е")[place]
    if last == "ь":
        return stem + (("и", "и", "ь", "ью", "и") if name in FEMININE else ("я", "ю", "я", "ем", "е"))[place]
    if last in "оеиуыэю":
        return name
    surname = re.search(r"(?:ов|ев|ёв|ин)$", name) and len(name) > 4
    town = name in lists.PLACES["ru"]
    return name + ("а", "у", "" if town else "а", "ым" if surname and not town else "ом", "е")[place]


FEMININE = {"Пермь", "Казань", "Тюмень", "Рязань", "Тверь", "Сибирь", "Любовь"}


class LocalNames:
    """Draws names of one language; `forms` are names seen in the parallel sentences, by type."""

    def __init__(self, language, rng, forms):
        self.language, self.rng, self.forms = language, rng, forms

    def given(self):
        return self.pick(lists.GIVEN, "PERSON")

    def surname(self):
        return self.pick(lists.SURNAMES, "PERSON")

    def place(self):
        return self.pick(lists.PLACES, "LOCATION").removeprefix("die ").removeprefix("la ").removeprefix("de ")

    def pick(self, table, kind):
        own = table.get(self.language)
        seen = self.forms.get(kind) or [None]
        name = self.rng.choice(own) if own and (self.rng.random() < 0.9 or kind == "PERSON") else self.rng.choice(seen)
        if name is None:
            name = self.rng.choice(lists.GIVEN["es"] if kind == "PERSON" else word_lists.CITIES)
        return name

    def person(self):
        rng, language = self.rng, self.language
        if language in ("zh", "ja", "ko"):
            return self.surname() + self.given()
        given, family = self.given(), self.surname() if language in lists.SURNAMES else ""
        if language == "ru" and family and given[-1] in "ая" and given not in ("Петя", "Дима", "Вова", "Коля", "Миша", "Саша"):
            family += "а"
        if language == "nl" and rng.random() < 0.35:
            family = f"{rng.choice(['de', 'van', 'van der', 'van den', 'ter'])} {family}"
        if language in ("de", "fr", "pt") and rng.random() < 0.08:
            family = f"{ {'de': 'von', 'fr': 'de', 'pt': 'da'}[language] } {family}"
        if language in ("es", "pt") and rng.random() < 0.25:
            family = f"{family} {self.surname()}"
        return f"{given} {family}".strip()

    def body(self):
        own = lists.ORGS.get(self.language)
        if not own:
            return self.rng.choice(word_lists.COMPANY_STEMS)
        return self.filled(self.rng.choice(own))

    def street(self):
        return self.filled(self.rng.choice(lists.STREETS.get(self.language) or ["Main Street"]))

    def filled(self, text):
        return text.replace("{c}", self.place()).replace("{f}", self.surname()).replace("{n}", str(self.rng.randint(1, 120)))

    def slot(self, name):
        kind, _, case = name.partition(":")
        drawn, label = {"p": (self.person, "PERSON"), "g": (self.given, "PERSON"), "f": (self.surname, "PERSON"), "c": (self.place, "LOCATION"), "s": (self.street, "LOCATION"), "o": (self.body, "ORG")}[kind]
        text = drawn()
        return " ".join(declined(part, case) for part in text.split(" ")) if case else text, label

    def like(self, name, kind):
        """Another name for the place of this one."""
        if kind == "PERSON":
            if self.language in ("zh", "ja", "ko"):
                return self.person() if len(name) > 2 else self.given() if self.rng.random() < 0.5 or self.language == "ja" else self.person()
            return self.person() if " " in name else self.given() if self.rng.random() < 0.75 else self.surname()
        if kind == "ORG":
            return self.body()
        street = re.search(r"stra(?:ße|sse|at)|str\.|weg$|platz|gasse|allee|gracht|laan$|plein$|路|街|通り|^(?:rue|via|calle|rua|av|piazza|corso|viale|plaza|place|boulevard|praça)\b|улиц|ул\.|просп", name, re.I)
        return self.street() if street else self.place()


def filled_template(names):
    text, spans = "", []
    line = names.rng.choice(lists.TEMPLATES[names.language].split("|"))
    for part in re.split(r"(\{[a-z](?::[a-z])?\})", line):
        if part.startswith("{") and part.endswith("}"):
            name, kind = names.slot(part[1:-1])
            spans.append((len(text), len(text) + len(name), kind))
            text += name
        else:
            text += part
    return text, spans


def swapped_names(text, spans, names, chance, only=None, coin=0.0):
    """The same text about others. `only`: forms that may be replaced. `coin`: the share of made-up names."""
    changed, moved, at = "", [], 0
    for start, end, kind in spans:
        name = text[start:end]
        changed += text[at:start]
        if names.rng.random() < chance and (only is None or name in only):
            name = coined.like(names.rng, names.language, name, kind) if names.rng.random() < coin else names.like(name, kind)
        moved.append((len(changed), len(changed) + len(name), kind))
        changed += name
        at = end
    return changed + text[at:], moved


# Parallel sentences -----------------------------------------------------------------------------------------------------

PEOPLE = set("""Tom Mary John Layla Alice Ken Jane Linda Bill Jack Maria Tony Mike Jim Bob Anna Kate Ann Nancy Taro Sandra Peter Paul George Dan Jessica Thomas
Tanaka Yumi Johnson David Lincoln Biden Lucy Ricardo Joe Picasso Chopin Marie Anne Jones Mozart Robert Trump Amelia James Einstein Suzuki Yamada Juan Hanako Ben Newton Judy Bach
Hashimoto Julia Henry Charles Carlos Teresa Chris Alex Sarah Jill Miller Galileo Darwin Emily Fred William Sam Mark Elizabeth Lisa Beethoven Ito Michael Steve Francis Luis Martin
Napoleon Edison Putin Barbara Obama Smith Brown Shakespeare Fadil Sami Yanni Ziri Rima Skura Marika Susan Dick Meg Columbus Jackson Emmet Amanda Farid Lina Yidir Silya Dima Magdalena
Adam Laurie Marina Jean Ania Sachiko Caesar Murphy Taninna""".split())
PLACE_NAMES = set(word_lists.COUNTRIES + word_lists.CITIES + word_lists.US_CITIES + word_lists.US_STATES + word_lists.REGIONS) | set(
    "America Africa Kyoto Hokkaido Kobe Nagoya Yokohama Hiroshima Okinawa Sendai Kyushu Shinjuku Shibuya Fukuoka Sapporo Nara Narita Sahara Kabylia Seine Thames Everest Greenland Antarctica Kyiv Hamburg Park\u00a0Street".split()) | {
    "Park Street", "South Korea", "United Kingdom", "Soviet Union", "Pacific Ocean", "Atlantic Ocean", "Eiffel Tower", "Tokyo Station", "North Africa", "South America", "European Union"}
BODIES = {"Facebook", "Google", "Harvard", "United Nations", "Microsoft", "Apple", "Toyota", "Twitter", "Red Cross", "World Health Organization", "Democratic Party", "Amazon", "Wikipedia"} - {"Amazon"}
NO_NAMES = set(word_lists.DEMONYMS) | set("""I I'm I'll I've I'd OK TV Monday Tuesday Wednesday Thursday Friday Saturday Sunday Mondays Saturdays Sundays Fridays January February March April June July
August September October November December English French German Japanese Chinese Spanish Russian Italian Portuguese Greek Latin Arabic Hebrew Esperanto Dutch Korean Turkish Hungarian Polish
Finnish Swedish Norwegian Danish Czech Mr Mrs Ms Dr Sir Christmas God Internet Bible Mom Dad Mum Muslim Christian Catholic Jewish Jews European American Americans Canadian Canadians British Irish Swiss
Easter Halloween Olympics Celsius Quran Mother Father Grandma Grandpa Ukrainian Romanian Vietnamese Icelandic Berber Kabyle Sundays DNA PC CD DVD AIDS""".split())
KNOWN = {name: kind for names, kind in ((PLACE_NAMES, "LOCATION"), (BODIES, "ORG"), (PEOPLE, "PERSON")) for name in names}


def english_names(text, plain):
    """Names on the English side, or None if one of its capitals is unclear. `plain`: words that also occur in lower case."""
    found, words = set(), re.findall(r"[A-Za-z][A-Za-z'’.-]*[A-Za-z]|[A-Za-z]", text)
    at = 0
    starts = {match.start() for match in re.finditer(r"(?:^|[.!?:]\s+|[\"“'‘]\s*)[A-Za-z]", text)}
    first = {re.match(r"[^A-Za-z]*([A-Za-z'’.-]+)", text[start:]).group(1).strip("'’.-") for start in starts if re.match(r"[^A-Za-z]*([A-Za-z'’.-]+)", text[start:])}
    while at < len(words):
        word = words[at]
        if not word[0].isupper():
            at += 1
            continue
        for size in (3, 2, 1):
            name = " ".join(words[at:at + size])
            if size > 1:
                name = re.sub(r"['’]s$", "", name)
            if size > 1 and name in KNOWN and name in text:
                found.add(name)
                break
        else:
            size, bare = 1, re.sub(r"['’](?:s|ll|d|ve|re|m)$", "", word)
            if bare in KNOWN:
                found.add(bare)
            elif bare in NO_NAMES or word in NO_NAMES or word in first and bare.lower() in plain:
                pass
            else:
                return None
        at += size
    return found


def pairs_of(data, language):
    path = Path(data) / "multilingual/train/tatoeba" / f"{language}.tsv"
    for one in (path, Path(f"{path}.gz")):
        if one.exists():
            with (gzip.open(one, "rt", encoding="utf-8") if one.suffix == ".gz" else one.open(encoding="utf-8")) as file:
                return [tuple(line.rstrip("\n").split("\t")) for line in file if line.count("\t") == 1]
    return []


def units(text, language):
    """Candidates for a name's form."""
    if language not in WITHOUT_SPACES:
        return set(re.findall(rf"{LETTER}+(?:[-'’]{LETTER}+)*", text))
    found = set()
    for run in re.findall(r"[゠-ヿ]+|[一-鿿々]+", text):
        if "゠" <= run[0] <= "ヿ":
            found.add(run)
        else:
            found |= {run[at:at + size] for size in (2, 3, 4) for at in range(len(run) - size + 1)}
    return found


def forms_of(rows, language):
    """Form → (English name, main form or not)."""
    total, of_name, both = Counter(), Counter(), defaultdict(Counter)
    for names, text in rows:
        seen = units(text, language)
        total.update(seen)
        for name in names:
            of_name[name] += 1
            both[name].update(seen)
    forms = {}
    for name, counts in both.items():
        if of_name[name] < 2:
            continue
        cased = language not in WITHOUT_SPACES and any(form[:1].lower() != form[:1] for form in counts)
        strict = not cased or language in WITHOUT_SPACES
        likely = [(2 * count / (of_name[name] + total[form]), len(form), form) for form, count in counts.items()
                  if count >= (5 if strict else 3) and count / total[form] >= (0.85 if strict else 0.75) and (not cased or form[0].isupper())
                  and not (language in WITHOUT_SPACES and (form[0] in "在去到住从從来來要是用" or form[-1] in "是的不在一了也和说說"))]
        if not likely:
            continue
        share, _, best = max(likely)
        if share < (0.15 if language not in WITHOUT_SPACES else 0.3):
            continue
        forms[best] = (name, True)
        for share, _, form in likely:
            if form == best or form in forms:
                continue
            if language in WITHOUT_SPACES:
                # The other way to write it (simplified, traditional), not a part of it with its neighbour.
                related = share >= 0.1 and len(form) == len(best) and all(best.find(letter) in (-1, at) for at, letter in enumerate(form))
            else:
                related = form[:2] == best[:2] if language in INFLECTED else share >= 0.1
            if related:
                forms[form] = (name, language not in INFLECTED)
    return forms


def projected(data, language):
    """(sentences with names as (text, spans), sentences without, forms by type, main forms)."""
    pairs = pairs_of(data, language)
    plain = Counter(word for english, _ in pairs for word in re.findall(r"(?<![A-Za-z'’])[a-z]+", english))
    rows = [(english_names(english, plain), text) for english, text in pairs]
    rows = [(names, text) for names, text in rows if names is not None]
    forms = forms_of(rows, language)
    of_name = defaultdict(set)
    for form, (name, _) in forms.items():
        of_name[name].add(form)
    named, without = [], []
    for names, text in rows:
        spans = []
        for name in names:
            here = [(start, end, KNOWN[name]) for form in of_name[name] for start, end in occurrences(text, form) if form in text]
            if not here:
                break
            spans += here
        else:
            kept = []
            for span in sorted(set(spans), key=lambda span: (span[0], span[0] - span[1])):
                if not kept or span[0] >= kept[-1][1]:
                    kept.append(span)
            # "Los Angeles" has one English name and two words; a capital nearby that nobody explains may be its other half.
            rest = "".join(" " if any(start <= at < end for start, end, _ in kept) else letter for at, letter in enumerate(text))
            unclear = language not in CAPITAL_NOUNS and language not in WITHOUT_SPACES and re.search(r"(?<=[^\W\d_],|.[^\W\d_]|. )\s[«\"(]?(?!I\b)[A-ZÀ-ÖØ-ÞА-ЯЁІЇЄΑ-Ω]", rest)
            several = any(" " in name for name in names) and language not in WITHOUT_SPACES
            if unclear or several:
                continue
            (named if kept else without).append((text, kept))
    by_kind = defaultdict(list)
    for form, (name, main) in forms.items():
        if main:
            by_kind[KNOWN[name]].append(form)
    return named, without, dict(by_kind), {form for form, (_, main) in forms.items() if main}


def foreign_lines(parallel, books, rng, scale=1.0):
    """One epoch: (language, text, spans). `parallel`: what `projected` found, by language."""
    found = []
    notes = [note for note in book_notes(books) if not note[3]]
    for language in LANGUAGES:
        named, without, by_kind, main = parallel[language]
        names = LocalNames(language, rng, by_kind)
        count = int((1500 if language in MAIN_LANGUAGES else 350) * scale)
        for text, spans in rng.sample(named, min(len(named), count)):
            if rng.random() < 0.85:
                text, spans = swapped_names(text, spans, names, 0.9, main)
            found.append((language, text, spans))
        empty = int(count * (1.5 if language in CAPITAL_NOUNS or language in WITHOUT_CAPITALS else 0.6))
        found += [(language, text, spans) for text, spans in rng.sample(without, min(len(without), empty))]
        if language in lists.TEMPLATES:
            found += [(language, *filled_template(names)) for _ in range(int(700 * scale))]
    for language, text, spans, _ in notes:
        found.append((language, text, spans))
        if language in lists.GIVEN and language not in INFLECTED and spans:
            names = LocalNames(language, rng, {})
            found += [(language, *swapped_names(text, spans, names, 0.7, coin=COINED)) for _ in range(2)]
        else:
            found.append((language, text, spans))
    for language, text, spans, held in marked_notes():
        if held:
            continue
        found += [(language, text, spans)] * MARKED_AS_IS
        # Names of other kinds have no lists.
        if language in lists.GIVEN and language not in INFLECTED and spans and all(kind != "?" for _, _, kind in spans):
            names = LocalNames(language, rng, {})
            found += [(language, *swapped_names(text, spans, names, 0.5)) for _ in range(MARKED_SWAPPED)]
        if language not in INFLECTED and spans:
            found += [(language, *swapped_names(text, spans, LocalNames(language, rng, {}), 0.8, coin=1.0)) for _ in range(MARKED_COINED)]
    return found


if __name__ == "__main__":
    import random
    import sys
    import time

    rng = random.Random(1)
    for code in sys.argv[3:] or LANGUAGES:
        began = time.time()
        named, without, by_kind, main = projected(sys.argv[1], code)
        print(code, len(named), len(without), {kind: names[:12] for kind, names in by_kind.items()}, f"{time.time() - began:.1f} s")
        for text, spans in rng.sample(named, min(3, len(named))):
            print("   ", text, [(text[start:end], kind) for start, end, kind in spans])
    drawn = foreign_lines({code: projected(sys.argv[1], code) for code in LANGUAGES}, sys.argv[2], rng)
    print(len(drawn), Counter(language for language, *_ in drawn))
    for language, text, spans in rng.sample(drawn, 40):
        print(language, text, [(text[start:end], kind) for start, end, kind in spans])
