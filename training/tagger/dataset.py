"""Sentences for the tagger: words and word pieces, word shapes, labels (including those that a set leaves open), relations.

Words and pieces are made here, not by the tokenizers library, because the service does the same in TypeScript
(`tag-words.ts`) and needs the position of each word in the text.
"""

import gzip
import json
import pickle
import random
import re
import unicodedata
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

import word_lists
from foreign import LANGUAGES, book_notes, foreign_lines, marked_notes, projected
from made_text import Names, made_lines

TYPES = ["PERSON", "ORG", "LOCATION", "PRODUCT", "EVENT", "CONCEPT"]
MAIN = TYPES[:3]
LABELS = ["O"] + [f"{part}-{kind}" for kind in TYPES for part in "BIES"]
LABEL = {name: place for place, name in enumerate(LABELS)}
MAIN_MASK = np.array([label == "O" or label[2:] not in MAIN for label in LABELS])
# Shapes of a word. The last two: a word in capitals among other such words, and a capitalised word in a headline.
SHAPES = ["none", "lower", "capital", "capitals", "letter", "mixed", "number", "with number", "sign", "other", "shout", "headline"]
SHAPE = {name: place for place, name in enumerate(SHAPES)}
# Kinds of text: made-up newswire, CoNLL04, BTC, WNUT and made-up chat, CrossNER, Re-DocRED and KnowledgeNet, re3d, text in
# other languages.
STYLES = ["news", "wire", "post", "web", "wiki", "facts", "report", "notes"]
JOINT = [0, 0, 1, 1, 2, 2, 3, 1]
RELATIONS = ["Work_For", "Live_In", "OrgBased_In", "Located_In", "Kill",
             "WORKS_AT", "STUDIES_AT", "LIVES_IN", "LOCATED_IN", "BORN_IN", "FOUNDED", "OWNS", "CREATED", "MEMBER_OF", "SPOUSE_OF", "PARENT_OF", "SIBLING_OF", "MANAGES"]
RELATION = {name: place for place, name in enumerate(RELATIONS)}
FIRST_OWN = 5
MAX_PIECES = 160

OTHER_TYPES = {
    "PRODUCT": "product creative-work programlang book poem magazine academicjournal album song weapon militaryplatform".split(),
    "EVENT": "event conference election".split(),
    "CONCEPT": "award algorithm field task metrics discipline theory literarygenre musicgenre chemicalcompound chemicalelement protein enzyme astronomicalobject musicalinstrument".split(),
}
TYPE_OF = {raw: kind for kind, raws in OTHER_TYPES.items() for raw in raws}


@dataclass
class Sentence:
    text: str
    # (start, end, type); the type "?" is an entity of none of the three main types.
    spans: list
    style: str
    # Whether words outside the spans may still be products, events or concepts.
    open: bool = True
    # (head, tail, relation) by index in spans, the relations that were annotated, and their weight.
    relations: list = field(default_factory=list)
    asked: tuple = ()
    weight: float = 0.0
    tagged: bool = True
    # Ranges that are excluded from training.
    unsure: list = field(default_factory=list)


def rows(data, name):
    with gzip.open(Path(data) / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


# Words ----------------------------------------------------------------------------------------------------------------

def is_sign(letter):
    code = ord(letter)
    if 33 <= code <= 47 or 58 <= code <= 64 or 91 <= code <= 96 or 123 <= code <= 126:
        return True
    return unicodedata.category(letter).startswith("P")


def is_ideograph(letter):
    code = ord(letter)
    return 0x3400 <= code <= 0x4DBF or 0x4E00 <= code <= 0x9FFF or 0xF900 <= code <= 0xFAFF or 0x20000 <= code <= 0x2FA1F


ADDRESS = re.compile(r"(?:https?://|www\.)\S+")
HANDLE = re.compile(r"(?<!\w)@\w+")


# Hiragana: each letter is a word, because a name and its particle stand together. Katakana: a run is a word. Thai: a vowel
# that is written before its consonant begins a word.
VOICED = "\u3099\u309a"
BEFORE_CONSONANT = "\u0e40\u0e41\u0e42\u0e43\u0e44"


def group_of(letter):
    """"" for a space, "1" for a letter or sign that is a word by itself, otherwise the script that a run must have."""
    code = ord(letter)
    if letter.isspace():
        return ""
    if is_sign(letter) or is_ideograph(letter) or 0x3005 <= code <= 0x3007 or 0x3041 <= code <= 0x3096 or 0x309B <= code <= 0x309F:
        return "1"
    if 0x30A1 <= code <= 0x30FA or 0x30FC <= code <= 0x30FF or 0x31F0 <= code <= 0x31FF or 0xFF66 <= code <= 0xFF9F:
        return "katakana"
    if 0x0E00 <= code <= 0x0E7F:
        return "thai"
    # Apart from Latin letters: a Korean particle is written with the name before it.
    if 0x1100 <= code <= 0x11FF or 0x3130 <= code <= 0x318F or 0xAC00 <= code <= 0xD7AF:
        return "hangul"
    return "other"


def words_of(text):
    """(start, end) of each word, punctuation mark or address."""
    found, start, after, group = [], None, 0, ""
    for at, letter in enumerate(text):
        if at < after:
            continue
        if start is None and letter in "hw":
            address = ADDRESS.match(text, at)
            if address:
                after = address.end()
                found.append((at, after))
                continue
        if letter in VOICED and (start is not None or found and found[-1][1] == at):
            if start is None:
                found[-1] = (found[-1][0], at + 1)
            continue
        here = group_of(letter)
        vowel = here == "thai" and letter in BEFORE_CONSONANT and at > 0 and text[at - 1] not in BEFORE_CONSONANT
        if start is not None and (here != group or vowel):
            found.append((start, at))
            start = None
            if letter in "hw":
                address = ADDRESS.match(text, at)
                if address:
                    after = address.end()
                    found.append((at, after))
                    continue
        if here == "1":
            found.append((at, at + 1))
        elif here and start is None:
            start, group = at, here
    if start is not None:
        found.append((start, len(text)))
    return found


class Pieces:
    """Greedy word pieces, as BERT splits them. The English tokenizer drops accents, the one for all languages keeps them."""

    def __init__(self, tokenizer):
        spec = json.loads(Path(tokenizer).read_text(encoding="utf-8"))
        self.vocabulary, self.known = spec["model"]["vocab"], {}
        self.accents = "NFC" in json.dumps(spec["normalizer"])
        self.unknown, self.first, self.last = (self.vocabulary[name] for name in ("[UNK]", "[CLS]", "[SEP]"))

    def of(self, word):
        if word not in self.known:
            self.known[word] = [self.vocabulary["http"]] if ADDRESS.fullmatch(word) else self.cut(word)
        return self.known[word]

    def cut(self, word):
        if self.accents:
            plain = unicodedata.normalize("NFC", word).lower()
        else:
            plain = "".join(letter for letter in unicodedata.normalize("NFD", word.lower()) if unicodedata.category(letter) != "Mn")
        if len(plain) > 100 or not plain:
            return [self.unknown]
        found, start = [], 0
        while start < len(plain):
            for end in range(len(plain), start, -1):
                piece = self.vocabulary.get(("##" if start else "") + plain[start:end])
                if piece is not None:
                    break
            else:
                return [self.unknown]
            found.append(piece)
            start = end
        return found


def shape_of(word):
    if ADDRESS.fullmatch(word):
        return "other"
    if len(word) == 1 and is_sign(word):
        return "sign"
    letters = [letter for letter in word if letter.isalpha()]
    if any(letter.isdigit() for letter in word):
        return "with number" if letters else "number"
    if not letters or all(letter.lower() == letter.upper() for letter in letters):
        return "other"
    if all(letter == letter.lower() for letter in letters):
        return "lower"
    if all(letter == letter.upper() for letter in letters):
        return "letter" if len(letters) == 1 else "capitals"
    return "capital" if letters[0] != letters[0].lower() and all(letter == letter.lower() for letter in letters[1:]) else "mixed"


def shapes_of(words):
    shapes = [shape_of(word) for word in words]
    count = Counter(shapes)
    cased = count["lower"] + count["capital"] + count["capitals"] + count["mixed"]
    if cased >= 3 and count["capitals"] >= 0.7 * cased:
        return ["shout" if shape == "capitals" else shape for shape in shapes]
    long = [shape for word, shape in zip(words, shapes) if len(word) > 3 and shape in ("lower", "capital", "mixed")]
    if len(long) >= 4 and sum(shape == "capital" for shape in long) >= 0.8 * len(long):
        return ["headline" if shape == "capital" else shape for shape in shapes]
    return shapes


# Reading sets ---------------------------------------------------------------------------------------------------------

DEMONYMS = {name.lower() for name in word_lists.DEMONYMS}


def kind_of(entity):
    kind = entity.get("t")
    if kind in MAIN:
        return kind
    raw = (entity.get("raw") or kind or "").lower()
    return TYPE_OF.get(raw, "?")


def plain_spans(text, entities):
    spans = [(entity["s"], entity["e"], kind_of(entity)) for entity in entities if "s" in entity]
    # Sets disagree on whether an account name is a person. A rule of the service decides, so the model does not learn
    # it.
    handles = [match.span() for match in HANDLE.finditer(text)]
    outside = [span for span in spans if not any(span[0] < end and span[1] > start for start, end in handles)]
    return [span for span in without_overlap(outside) if text[span[0]:span[1]].strip()]


def without_overlap(spans):
    kept = []
    for span in sorted(spans, key=lambda span: (span[0], span[0] - span[1])):
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return kept


def btc(data, part):
    return flat(data, f"ner/btc.{part}", "post")


def flat(data, name, style, closed=False):
    return [Sentence(row["text"], plain_spans(row["text"], row["entities"]), style, open=not closed) for row in rows(data, name)]


def re3d(data):
    """Labels such as "the hospital" and "coalition forces" are not names: a name needs a capital."""
    found = []
    for row in rows(data, "ner/re3d.train"):
        text, spans = row["text"], []
        for start, end, kind in plain_spans(text, row["entities"]):
            if kind == "?" and not any(letter.isupper() for letter in text[start:end]):
                continue
            if kind in MAIN and not any(word[:1].isupper() for word in re.sub(r"^(The|A|An|Its|His|Their) ", "", text[start:end]).split()):
                continue
            if text[start:start + 4].lower() == "the ":
                start += 4
            spans.append((start, end, kind))
        found.append(Sentence(text, spans, "report"))
    return found


def conll04(data, part):
    found = []
    for row in rows(data, f"re/conll04.{part}"):
        entities = [(entity["s"], entity["e"], entity["t"] if entity["t"] in MAIN else "?") for entity in row["entities"]]
        order = sorted(range(len(entities)), key=lambda place: entities[place][:2])
        place = {old: new for new, old in enumerate(order)}
        relations = [(place[relation["h"]], place[relation["t"]], RELATION[relation["type"]]) for relation in row["relations"]]
        found.append(Sentence(row["text"], [entities[old] for old in order], "wire", relations=relations, asked=tuple(range(FIRST_OWN)), weight=1.0))
    return found


# name in the set → (our name, whether head and tail are swapped)
FROM_KNOWLEDGENET = {
    "EMPLOYEE_OR_MEMBER_OF": ("WORKS_AT", False), "PLACE_OF_RESIDENCE": ("LIVES_IN", False), "SPOUSE": ("SPOUSE_OF", False), "PLACE_OF_BIRTH": ("BORN_IN", False),
    "EDUCATED_AT": ("STUDIES_AT", False), "CHILD_OF": ("PARENT_OF", True), "HEADQUARTERS": ("LOCATED_IN", False), "FOUNDED_BY": ("FOUNDED", True), "CEO": ("MANAGES", True),
    "SUBSIDIARY_OF": ("OWNS", True), "POLITICAL_AFFILIATION": ("MEMBER_OF", False),
}
KNOWLEDGENET_KINDS = {
    "EMPLOYEE_OR_MEMBER_OF": "PO", "PLACE_OF_RESIDENCE": "PL", "SPOUSE": "PP", "PLACE_OF_BIRTH": "PL", "EDUCATED_AT": "PO", "CHILD_OF": "PP", "HEADQUARTERS": "OL",
    "FOUNDED_BY": "OP", "CEO": "OP", "SUBSIDIARY_OF": "OO", "POLITICAL_AFFILIATION": "PO", "NATIONALITY": "PL", "DATE_OF_BIRTH": "P?", "DATE_OF_DEATH": "P?", "DATE_FOUNDED": "O?",
}
LETTER = {"P": "PERSON", "O": "ORG", "L": "LOCATION", "?": "?"}
FROM_REDOCRED = {
    "employer": ("WORKS_AT", False), "residence": ("LIVES_IN", False), "spouse": ("SPOUSE_OF", False), "place of birth": ("BORN_IN", False), "educated at": ("STUDIES_AT", False),
    "father": ("PARENT_OF", True), "mother": ("PARENT_OF", True), "child": ("PARENT_OF", False), "sibling": ("SIBLING_OF", False), "headquarters location": ("LOCATED_IN", False),
    "located in admin entity": ("LOCATED_IN", False), "country": ("LOCATED_IN", False), "founded by": ("FOUNDED", True), "owned by": ("OWNS", True), "parent organization": ("OWNS", True),
    "subsidiary": ("OWNS", False), "member of": ("MEMBER_OF", False), "member of political party": ("MEMBER_OF", False), "member of sports team": ("MEMBER_OF", False),
    "author": ("CREATED", True), "creator": ("CREATED", True), "performer": ("CREATED", True), "director": ("CREATED", True), "composer": ("CREATED", True), "developer": ("CREATED", True),
    "notable work": ("CREATED", False), "chief executive officer": ("MANAGES", True), "head of government": ("MANAGES", True), "chairperson": ("MANAGES", True),
}
SYMMETRICAL = {RELATION["SPOUSE_OF"], RELATION["SIBLING_OF"]}


def both_ways(relations):
    return sorted(set(relations) | {(tail, head, kind) for head, tail, kind in relations if kind in SYMMETRICAL})


def knowledgenet(data):
    """Facts of a sentence. Its entities have no positions and no types; both are derived from the facts."""
    found = []
    for row in rows(data, "re/knowledgenet.train"):
        kinds, text = {}, row["text"]
        for relation in row["relations"]:
            pair = KNOWLEDGENET_KINDS.get(relation["type"])
            if pair:
                kinds.setdefault(relation["h"], LETTER[pair[0]])
                kinds.setdefault(relation["t"], LETTER[pair[1]])
        spans = {}
        for place, kind in kinds.items():
            match = re.search(rf"(?<!\w){re.escape(row['entities'][place]['x'])}(?!\w)", text)
            if match and kind != "?":
                spans[place] = (match.start(), match.end(), kind)
        relations = []
        for relation in row["relations"]:
            ours = FROM_KNOWLEDGENET.get(relation["type"])
            if ours and relation["h"] in spans and relation["t"] in spans:
                head, tail = (relation["t"], relation["h"]) if ours[1] else (relation["h"], relation["t"])
                relations.append((spans[head], spans[tail], RELATION[ours[0]]))
        order = without_overlap(spans.values())
        place = {span: at for at, span in enumerate(order)}
        relations = [(place[head], place[tail], kind) for head, tail, kind in relations if head in place and tail in place]
        if len(order) > 1:
            found.append(Sentence(text, order, "facts", relations=both_ways(relations), asked=tuple(range(FIRST_OWN, len(RELATIONS))), weight=0.5, tagged=False))
    return found


def redocred(data):
    """Documents split into sentences. A relation counts as stated wherever one sentence has both names."""
    found = []
    for row in rows(data, "re/redocred.dev"):
        text = row["text"]
        ends = [match.end() for match in re.finditer(r"(?<![A-Z])(?<!\b(?:St|Mr|Dr|Jr|vs|Co))[.!?]\s+(?=[A-Z\"'(])", text)] + [len(text)]
        mentions = []
        for place, entity in enumerate(row["entities"]):
            kind = entity["t"] if entity["t"] in MAIN else "?"
            for start, end in entity["mentions"]:
                name = text[start:end]
                if entity["t"] in ("TIME", "NUM") or not any(letter.isupper() for letter in name):
                    continue
                mentions.append((start, end, "?" if name.lower() in DEMONYMS else kind, place))
        start = 0
        for end in ends:
            inside = [mention for mention in mentions if start <= mention[0] and mention[1] <= end]
            kept = []
            for mention in sorted(inside, key=lambda one: (one[0], one[0] - one[1])):
                if not kept or mention[0] >= kept[-1][1]:
                    kept.append(mention)
            relations = []
            for relation in row["relations"]:
                ours = FROM_REDOCRED.get(relation["type"])
                if not ours:
                    continue
                head, tail = (relation["t"], relation["h"]) if ours[1] else (relation["h"], relation["t"])
                relations += [(one, two, RELATION[ours[0]]) for one, first in enumerate(kept) for two, second in enumerate(kept) if first[3] == head and second[3] == tail]
            spans = [(one - start, two - start, kind) for one, two, kind, _ in kept]
            sentence = Sentence(text[start:end].rstrip(), spans, "facts", relations=both_ways(relations))
            if relations:
                sentence.asked, sentence.weight = tuple(range(FIRST_OWN, len(RELATIONS))), 0.15
            found.append(sentence)
            start = end
    return found


def read_training(data, with_dev):
    """All training data. `with_dev` adds the parts held back for choosing hyperparameters."""
    found = btc(data, "train") + flat(data, "ner/wnut17.train", "web", closed=True)
    for name in ("ai", "literature", "science"):
        found += flat(data, f"ner/crossner_{name}.dev", "wiki", closed=True) + flat(data, f"ner/crossner_{name}.test", "wiki", closed=True)
    found += redocred(data) + re3d(data) + conll04(data, "train") + knowledgenet(data)
    if with_dev:
        found += btc(data, "dev") + flat(data, "ner/wnut17.dev", "web", closed=True) + conll04(data, "dev")
    return [sentence for sentence in found if sentence.text.strip()]


def names_in(sentences):
    """Names by type in the labelled sets, for swapping."""
    seen = defaultdict(Counter)
    for sentence in sentences:
        for start, end, kind in sentence.spans:
            name = sentence.text[start:end]
            if kind in MAIN and name[:1].isupper() and len(name) < 40 and sentence.style not in ("web", "post") and name.lower() not in DEMONYMS and sentence.tagged:
                seen[kind][name] += 1
    return {kind: sorted(counted) for kind, counted in seen.items()}


# Redrawing for each epoch ----------------------------------------------------------------------------------------------

def swapped(sentence, names, chance=0.5):
    """The same sentence about others. Relations stay."""
    rng, text, spans, at = names.rng, "", [], 0
    for start, end, kind in sentence.spans:
        text += sentence.text[at:start]
        name = sentence.text[start:end]
        if kind in MAIN and rng.random() < chance and name[:1].isupper():
            plain = name
            if kind == "PERSON":
                name = names.person() if " " in name else names.surname() if rng.random() < 0.6 else rng.choice(names.given)
            elif kind == "LOCATION":
                name = rng.choice(names.places) if rng.random() < 0.5 else names.draw("place")[0]
                name = name.removeprefix("the ")
            else:
                name = rng.choice(names.bodies) if rng.random() < 0.6 else names.draw(rng.choice(["co", "body"]))[0]
            if plain.isupper() and len(plain) > 4:
                name = name.upper()
        spans.append((len(text), len(text) + len(name), kind))
        text += name
        at = end
    return replace(sentence, text=text + sentence.text[at:], spans=spans)


def spaced(sentence, rng):
    """Detached apostrophes, as some tools leave them: "do n ' t"."""
    moved, text = [], ""
    for at, letter in enumerate(sentence.text):
        inside = letter in "'’" and 0 < at < len(sentence.text) - 1 and sentence.text[at - 1].isalpha() and sentence.text[at + 1].isalpha()
        text += " " if inside else ""
        moved.append(len(text))
        text += letter + (" " if inside else "")
    moved.append(len(text))
    spans = [(moved[start], moved[end - 1] + 1, kind) for start, end, kind in sentence.spans]
    return replace(sentence, text=text, spans=spans)


def recased(sentence, rng):
    """Occasionally converts the text to lower case, upper case or a headline."""
    roll, text = rng.random(), sentence.text
    if roll < 0.06:
        changed = text.lower()
    elif roll < 0.10:
        changed = text.upper()
    elif roll < 0.12:
        changed = re.sub(r"[A-Za-z]\S*", lambda word: word.group()[:1].upper() + word.group()[1:], text)
    else:
        return sentence
    if len(changed) != len(text):
        return sentence
    return replace(sentence, text=changed)


def encode(sentence, pieces, limit=MAX_PIECES):
    """Ids, shapes, word starts, allowed labels per word, and spans in words."""
    places = words_of(sentence.text)
    shapes = shapes_of([sentence.text[start:end] for start, end in places])
    ids, looks, begins = [pieces.first], [0], []
    for (start, end), shape in zip(places, shapes):
        cut = pieces.of(sentence.text[start:end])
        if len(ids) + len(cut) >= limit:
            break
        begins.append(len(ids))
        ids += cut
        looks += [SHAPE[shape]] * len(cut)
    ids.append(pieces.last)
    looks.append(0)
    places = places[:len(begins)]
    outside = MAIN_MASK.copy() if sentence.open else np.zeros(len(LABELS), dtype=bool)
    outside[0] = True
    allowed = np.tile(outside, (len(places), 1))
    spans, number = [], {}
    for place, (start, end, kind) in enumerate(sentence.spans):
        inside = [at for at, (one, two) in enumerate(places) if one < end and two > start]
        if not inside:
            continue
        first, last = inside[0], inside[-1]
        number[place] = len(spans)
        spans.append((first, last, kind))
        if kind == "?":
            allowed[first:last + 1] = MAIN_MASK
            continue
        allowed[first:last + 1] = False
        for at in range(first, last + 1):
            part = "S" if first == last else "B" if at == first else "E" if at == last else "I"
            allowed[at, LABEL[f"{part}-{kind}"]] = True
    handles = [match.span() for match in HANDLE.finditer(sentence.text)] + sentence.unsure
    ignored = [any(one < end and two > start for start, end in handles) for one, two in places]
    relations = [(number[head], number[tail], kind) for head, tail, kind in sentence.relations if head in number and tail in number]
    return {"ignored": ignored, "ids": ids, "shapes": looks, "begins": begins, "allowed": allowed, "places": places, "spans": spans, "relations": relations,
            "asked": sentence.asked, "weight": sentence.weight, "style": STYLES.index(sentence.style), "tagged": sentence.tagged}


def foreign_style(rng):
    """Mostly its own kind of text; also the one that the service asks for in English, because texts mix languages."""
    return "notes" if rng.random() < 0.75 else "facts"


def draw_foreign(parallel, tokenizer, books, seed):
    """One epoch's examples in other languages; runs in a separate process. `parallel`: a pickle of what `projected` found, by
    language."""
    rng, pieces = random.Random(seed), Pieces(tokenizer)
    with open(parallel, "rb") as file:
        known = pickle.load(file)
    sentences = [Sentence(text, spans, foreign_style(rng)) for _, text, spans in foreign_lines(known, books, rng)]
    return [encode(recased(sentence, rng), pieces) for sentence in sentences]


def held_out_notes(books):
    """By language: the notes of every tenth book, and every tenth marked text."""
    found = defaultdict(list)
    for language, text, spans, held in book_notes(books):
        if held:
            found[language].append(Sentence(text, spans, "notes"))
    for language, text, spans, held in marked_notes():
        if held:
            found[f"{language}.marked"].append(Sentence(text, spans, "notes"))
    return dict(sorted(found.items()))


def draw_epoch(data, tokenizer, seed, made, with_dev):
    """One epoch's examples; runs in a separate process."""
    rng = random.Random(seed)
    pieces = Pieces(tokenizer)
    real = read_training(data, with_dev)
    names = Names(rng, names_in(real))
    examples = []
    for sentence in real:
        if sentence.style not in ("web", "post") and rng.random() < 0.4 or rng.random() < 0.2:
            sentence = swapped(sentence, names)
        if sentence.style in ("web", "post") and rng.random() < 0.35:
            sentence = spaced(sentence, rng)
        examples.append(recased(sentence, rng))
        # There is only one newswire set. It is small, and has the relations that are measured.
        if sentence.asked and sentence.asked[0] == 0:
            examples.append(recased(swapped(sentence, names, 0.8), rng))
    for text, spans, chat in made_lines(made, names):
        sentence = Sentence(text, spans, "web" if chat else "news", open=False)
        if chat and rng.random() < 0.3:
            sentence = spaced(sentence, rng)
        examples.append(recased(sentence, rng) if rng.random() < 0.4 else sentence)
    return [encode(example, pieces) for example in examples]


def silver_sentences(path):
    """Labels of earlier runs for plain texts, one JSON object per line; words that the runs were unsure of are left
    out."""
    with open(path, encoding="utf-8") as file:
        found = [json.loads(line) for line in file]
    return [Sentence(row["text"], [tuple(span) for span in row["spans"]], row["style"], open=False, unsure=[tuple(span) for span in row["unsure"]]) for row in found]


def plain_texts(data, seed=0, each=5000):
    """(text, style) of sentences without labels: tweets, Wikipedia, chat. Uses only sets that may be used for a shipped
    model."""
    rng, found = random.Random(seed), []

    def sentences(name, fields, style):
        several = []
        for row in rows(data, f"train/{name}"):
            for text in [text for field in fields for text in (row[field] if isinstance(row[field], list) else [row[field]])]:
                several += [part.strip() for part in re.split(r"(?<=[a-z0-9)][.!?])\s+(?=[A-Z\"])|\n+", text)]
        several = sorted({text for text in several if 20 < len(text) < 300})
        found.extend((text, style) for text in rng.sample(several, min(each, len(several))))

    sentences("qa_tweetqa", ["p"], "web")
    sentences("qa_tweetqa", ["q"], "web")
    sentences("qa_boolq", ["p"], "facts")
    sentences("qa_iirc", ["p"], "facts")
    sentences("pairs_paws", ["a"], "facts")
    sentences("dialogues_topicalchat", ["turns"], "web")
    return found


def read_measured(data):
    """Sets used for scoring. CoNLL-2003 and WikiNEuRal are never trained on."""
    sets = {}
    for name, style in (("conll2003.dev", "news"), ("conll2003.test", "news"), ("wnut17.dev", "web"), ("wnut17.test", "web"), ("wikineural_en.val", "wiki"), ("wikineural_en.test", "wiki")):
        sets[name.replace("_en", "")] = flat(data, f"ner/{name}", style)
    sets["btc.dev"] = btc(data, "dev")
    for part in ("dev", "test"):
        sets[f"conll04.{part}"] = conll04(data, part)
    return sets


if __name__ == "__main__":
    import sys
    import time
    start = time.time()
    drawn = draw_epoch(sys.argv[1], sys.argv[2], 1, 2000, False)
    print(len(drawn), "examples", sum(len(one["ids"]) for one in drawn), "pieces", time.time() - start, "s")
    print(Counter(STYLES[one["style"]] for one in drawn), Counter(RELATIONS[kind] for one in drawn for _, _, kind in one["relations"]))
    start = time.time()
    with open("/tmp/parallel.pickle", "wb") as file:
        pickle.dump({language: projected(sys.argv[1], language) for language in LANGUAGES}, file)
    print("parallel sentences", time.time() - start, "s")
    start = time.time()
    drawn = draw_foreign("/tmp/parallel.pickle", sys.argv[2], sys.argv[3], 1)
    print(len(drawn), "examples in other languages", sum(len(one["ids"]) for one in drawn), "pieces", time.time() - start, "s")
    print(f"{100 * sum(one['ids'].count(100) for one in drawn) / sum(len(one['ids']) for one in drawn):.2f}% unknown",
          {language: len(notes) for language, notes in held_out_notes(sys.argv[3]).items()})
