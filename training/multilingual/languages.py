"""Parallel text in 29 languages: sentences, words, passages and dialogues, each with its English."""

import gzip
import json
import random
from collections import defaultdict
from pathlib import Path

LANGUAGES = ("de es fr it pt nl pl ru uk zh ja ko ar he hi tr sv da nb fi cs hu ro el id vi th fa bg").split()
WITHOUT_SPACES = {"zh", "ja", "th"}


def lines(path):
    """The lines of a file or of its gzipped twin; none if there is neither."""
    for found in (Path(path), Path(f"{path}.gz")):
        if found.exists():
            with (gzip.open(found, "rt", encoding="utf-8") if found.suffix == ".gz" else found.open(encoding="utf-8")) as rows:
                return [row.rstrip("\n") for row in rows]
    return []


def columns(path):
    return [tuple(row.split("\t")) for row in lines(path) if row.count("\t") == 1]


def sentences(root, language):
    """(English, foreign)."""
    return columns(Path(root) / "multilingual/train/tatoeba" / f"{language}.tsv")


def news(root, language):
    """(English, foreign), in the order of the articles."""
    return columns(Path(root) / "multilingual/train/other/ntrex" / f"{language}.tsv")


def words(root, language):
    """(English, foreign)."""
    return [(english, foreign) for foreign, english in columns(Path(root) / "multilingual/train/dict" / f"{language}.tsv")]


def spaced(text):
    """The English of XPersona is lower case with spaces before stops."""
    for stop in (".", ",", "?", "!"):
        text = text.replace(f" {stop}", stop)
    return text.replace(" ' ", "'").replace(" i ", " I ").strip()


def dialogue(root, language):
    """(English, foreign) turns and persona lines."""
    folder = Path(root) / "multilingual/train/dialogue"
    english = {row["id"]: row for row in map(json.loads, lines(folder / "xpersona.en.jsonl"))}
    pairs = []
    for row in map(json.loads, lines(folder / f"xpersona.{language}.jsonl")):
        other = english.get(row["id"])
        if other is None:
            continue
        for key in ("turns", "persona"):
            pairs += [(spaced(one), two) for one, two in zip(other.get(key) or [], row.get(key) or []) if one and two]
    return pairs


def joined(parts, language):
    space = "" if language in WITHOUT_SPACES else " "
    return " ".join(part[0] for part in parts), space.join(part[1] for part in parts)


def passages(root, language, rng, count=4000):
    """Longer texts: neighbouring sentences of the news, and random sentences put together."""
    found, ordered, single = [], news(root, language), sentences(root, language) + dialogue(root, language)
    for start in range(len(ordered)):
        found.append(joined(ordered[start:start + rng.randint(2, 5)], language))
    for _ in range(count if single else 0):
        found.append(joined([rng.choice(single) for _ in range(rng.randint(2, 8))], language))
    return found


def tables(root, languages):
    """For each language that has a dictionary: the translations of English words."""
    back = {}
    for language in languages:
        table = defaultdict(list)
        for english, foreign in words(root, language):
            table[english.lower()].append(foreign)
        if table:
            back[language] = table
    return back


def in_words_of(text, table, part, rng):
    """(the text with this part of its words translated, how many were)"""
    other, changed = [], 0
    for word in text.split(" "):
        bare = word.strip(".,!?;:'\"()").lower()
        found = table.get(bare) if bare and rng.random() < part else None
        if found:
            changed += 1
            other.append(word.lower().replace(bare, rng.choice(found)))
        else:
            other.append(word)
    return " ".join(other), changed


def switched(texts, root, languages, rng, share=(0.25, 0.7)):
    """(English, the same text with some words in another language)."""
    back = tables(root, languages)
    pairs, known = [], sorted(back)
    for text in texts:
        other, changed = in_words_of(text, back[rng.choice(known)], rng.uniform(*share), rng)
        if changed >= 2:
            pairs.append((text, other))
    return pairs


def balanced(root, rng, size=26000, power=0.35):
    """Foreign text of all languages for the vocabulary; small languages count for more than their size."""
    chosen = []
    for language in LANGUAGES:
        told = [foreign for _, foreign in sentences(root, language) + news(root, language) * 2 + dialogue(root, language)]
        count = int(size * (len(told) / 60000) ** power)
        chosen += rng.choices(told, k=count)
        known = words(root, language)
        chosen += [foreign for _, foreign in rng.sample(known, min(len(known), count // 3))]
    return chosen


if __name__ == "__main__":
    import sys

    for code in LANGUAGES:
        print(code, len(sentences(sys.argv[1], code)), len(news(sys.argv[1], code)), len(words(sys.argv[1], code)),
              len(dialogue(sys.argv[1], code)), len(passages(sys.argv[1], code, random.Random(1), 10)))
