"""German sentences in which most capitals are known to belong to no name.

From our articles and from parallel news. Every German noun has a capital. The dictionary tells which words are nouns: their English is in small letters. So are
compounds that end in such a noun and begin with a word of the dictionary. Capitals that it does not know, and their
neighbours, are left out of training: they may be names. Other sentences have made-up names amid nouns.
"""

import gzip
import json
import re
from pathlib import Path

import coined

WORD = re.compile(r"(?<![^\W_])[^\W\d_]+(?![^\W_])")
ENDINGS = ("s", "es", "n", "en", "e", "er", "ern", "se", "nen", "innen")
LINKS = ("", "s", "n", "en", "es", "er")
SHORTEST_NOUN, SHORTEST_START = 4, 3
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-ZÄÖÜ„»])")
LEAST_NOUNS = 2


def lines(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file]


class Nouns:
    def __init__(self, folder):
        rows = [line.split("\t")[:2] for line in lines(Path(folder) / "dict/de.tsv.gz") if "\t" in line]
        self.nouns = {word.lower() for word, english in rows if word[:1].isupper() and not english[:1].isupper() and WORD.fullmatch(word)}
        self.small = {word for word, _ in rows if word.islower()}

    def is_noun(self, word):
        word = word.lower()
        return word in self.nouns or any(word.endswith(end) and len(word) - len(end) >= SHORTEST_NOUN and word[:-len(end)] in self.nouns for end in ENDINGS)

    def begins_word(self, part):
        return any(part.endswith(link) and part[:len(part) - len(link)] in self.nouns for link in LINKS) or any(part + end in self.small or part + end in self.nouns for end in ("", "e", "en"))

    def is_known(self, word):
        small = word.lower()
        return self.is_noun(word) or small in self.small or any(
            self.is_noun(small[at:]) and self.begins_word(small[:at]) for at in range(SHORTEST_START, len(small) - SHORTEST_NOUN + 1))

    def unsure(self, text, small):
        """Ranges that may belong to a name, or None for a sentence with hardly any nouns. `small`: words that the corpus writes small."""
        words = [match.span() for match in WORD.finditer(text)]
        capitals = [text[start].isupper() for start, _ in words]
        doubtful = [capital and not (self.is_known(text[start:end]) or text[start:end].lower() in small) for capital, (start, end) in zip(capitals, words)]
        near = [one or capitals[at] and any(0 <= by < len(words) and doubtful[by] and not re.search(r"[.,;:!?()]", text[min(words[at][1], words[by][1]):max(words[at][0], words[by][0])])
                                            for by in (at - 1, at + 1)) for at, one in enumerate(doubtful)]
        sure = sum(capital and not one for capital, one in zip(capitals, near))
        return [span for span, one in zip(words, near) if one] if sure >= LEAST_NOUNS else None


def texts(folder, articles):
    found = []
    for path in sorted(Path(articles).glob("de-*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            found += [paragraph for paragraph in json.loads(line)["paragraphs"]]
    found += [line.split("\t")[1] for line in lines(Path(folder) / "other/ntrex/de.tsv.gz") if "\t" in line]
    return [sentence for text in found if text for sentence in SENTENCE.split(text)]


def noun_sentences(data, articles):
    """((text, unsure ranges) of each sentence, nouns for headings)."""
    folder = Path(data) / "multilingual/train"
    nouns, every = Nouns(folder), texts(folder, articles)
    small = {word for text in every for word in WORD.findall(text) if word.islower()}
    marked = [(text, nouns.unsure(text, small)) for text in every]
    return [(text, ranges) for text, ranges in marked if ranges is not None], sorted(word.capitalize() for word in nouns.nouns if len(word) >= SHORTEST_NOUN)


def heading(rng, sentences, nouns):
    """A sentence under a title or a label made of nouns."""
    text, ranges = rng.choice(sentences)
    lead = rng.choice(("{a} {n}: ", "{a} {n} – ", "{a}: ", "{a} und {b}: ", "{a}-{b}: ", "{a} {n}, {b}: ", "{a} ({b}): ", "# {a} {n}\n\n"))
    lead = lead.format(a=rng.choice(nouns), b=rng.choice(nouns), n=rng.randint(1, 40))
    return lead + text, [(start + len(lead), end + len(lead)) for start, end in ranges]


ROLES = """Leiter Leiterin Kollege Kollegin Chefin Trainer Trainerin Nachbar Nachbarin Ärztin Lehrerin Autor Autorin Wirtin Gärtner Buchhalterin Direktorin Vorsitzende Mieterin
Tischler Hebamme Pförtner Redakteurin Kundin Vertreterin Hausmeister Schülerin Entwickler Beraterin Zeuge Käuferin Sprecherin""".split()
PLACES = "Ortsteil Bezirk Landkreis Dorf Weiler Stadtteil Viertel Distrikt Provinz Gemeinde Insel Hafen Tal Kreisstadt Burg".split()
# p: person, g: genitive of a person, l: place, o: organisation, a: any noun, r: role, k: kind of place, n: number, s: a sentence.
MADE = """{g} {a}: {s}|{g} {a} für {o}. {s}|{g} {a} vom {n}. Mai: {s}|Heute {g} {a} und {g} {a} gelesen.|{a}, {a} und {a}: {p} übernimmt das.
{p} leitet die {a}, {p} schreibt das {a}.|Im {k} {l} gibt es keine {a} mehr.|Der {k} {l} grenzt an {l}. {s}|{a} im {k} {l}, danach {a} mit {p}.
Die {r} der {a} {p} will das {a} sehen.|{p}, die {r}, bringt {a} mit.|{a} mit der {r}, {p}, die in {l} wohnt.|Das {a} von {o} liegt in {l}.
Die {a} bei {o} verschieben wir auf {a}.|Der {r} {p} von {o} fragt nach dem {a}.|{o} bezahlt die {a} für {a} und {a}.|Laut {o} war der {a} schuld.
Die {a} des {o} ist im {a}.|{o} und {o} teilen sich eine {a}.|{p} hat {g} {a} in {l} vergessen.|Wir fahren mit {p} nach {l}, {a} inklusive.
{a} {n}, {a} {n}: {p} gegen {p}.|Notiz an {p}: {a} für {o} nicht vergessen.|Der {r} und die {r} kennen {g} {a}.|Die {r}, {p}, wollte ein {a}.
Kapitel {n}: {g} {a} und die {a}.|{p} hat am {a} von {o} eine {a} gebaut, der {r} half.|{s} {p} sieht das anders.|{s} Das sagt die {r} {p}.
{s} {o} bestreitet es.|{s} In {l} ist das üblich.|{r} gesucht: {a} bei {o}, {k} {l}.""".replace("\n", "|").split("|")


def made_line(rng, sentences, nouns):
    """(text, spans, unsure ranges) with names that nobody has heard of amid nouns."""
    text, spans, unsure = "", [], []
    for part in re.split(r"(\{[pgloarkns]\})", rng.choice(MADE)):
        slot, start = part[1:2] if part.startswith("{") else "", len(text)
        if slot == "s":
            drawn, ranges = rng.choice(sentences)
            unsure += [(start + one, start + two) for one, two in ranges]
        elif slot:
            drawn = {
                "p": lambda: coined.person(rng), "g": lambda: genitive(rng), "l": lambda: coined.place(rng), "o": lambda: coined.body(rng, "de"),
                "a": lambda: rng.choice(nouns), "r": lambda: rng.choice(ROLES), "k": lambda: rng.choice(PLACES), "n": lambda: str(rng.randint(1, 40)),
            }[slot]()
            if slot in SPAN_OF:
                spans.append((start, start + len(drawn), SPAN_OF[slot]))
        else:
            drawn = part
        text += drawn
    return text, spans, unsure


SPAN_OF = {"p": "PERSON", "g": "PERSON", "l": "LOCATION", "o": "ORG"}


def genitive(rng):
    name = coined.person(rng)
    return name + ("’" if name[-1] in "sxzß" else "s")


if __name__ == "__main__":
    import random
    import sys

    drawn, known = noun_sentences(sys.argv[1], sys.argv[2])
    rng = random.Random(1)
    print(len(drawn), len(known))
    for text, ranges in rng.sample(drawn, 20) + [heading(rng, drawn, known) for _ in range(5)]:
        print(text, [text[start:end] for start, end in ranges])
    for _ in range(15):
        text, spans, _ = made_line(rng, drawn, known)
        print(text, [(text[start:end], kind) for start, end, kind in spans])
