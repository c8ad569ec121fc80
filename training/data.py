"""Training examples for memory recall, made from dialogues by rule.

A query is a question about a named person's life. Its document is the turn that answers it, in the form that the
service embeds: `Name: text`, some with the previous turn as context. All random choices use one seeded generator, so
that a run can be repeated.
"""

import gzip
import json
import random
import re
from dataclasses import dataclass
from pathlib import Path

from names import FIRST_NAMES


def read_jsonl(path):
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


# ---------------------------------------------------------------- names


def evaluation_names(root):
    """Every word of every speaker's name in the evaluation sets, in lower case."""
    words = set()
    for folder in ("locomo", "realtalk", "beam/100K", "beam/500K"):
        path = Path(root) / folder / "memories.jsonl.gz"
        if path.exists():
            for row in read_jsonl(path):
                words.update((row.get("speaker") or "").lower().split())
    return words


def training_names(root):
    forbidden = evaluation_names(root)
    names = [name for name in FIRST_NAMES if name.lower() not in forbidden]
    assert len(names) > 250, "too few names are left"
    return names


# ---------------------------------------------------------------- the third person

IRREGULAR = {"am": "is", "was": "was", "have": "has", "do": "does", "'m": "is", "can": "can", "will": "will", "would": "would",
             "could": "could", "should": "should", "might": "might", "must": "must", "may": "may", "had": "had", "did": "did"}
PAST = {"went": "go", "got": "get", "had": "have", "made": "make", "took": "take", "bought": "buy", "saw": "see", "grew": "grow",
        "met": "meet", "won": "win", "lost": "lose", "found": "find", "left": "leave", "began": "begin", "started": "start",
        "became": "become", "came": "come", "ate": "eat", "drove": "drive", "wrote": "write", "read": "read", "taught": "teach",
        "thought": "think", "felt": "feel", "kept": "keep", "told": "tell", "gave": "give", "knew": "know", "ran": "run",
        "sold": "sell", "spent": "spend", "broke": "break", "built": "build", "caught": "catch", "chose": "choose", "did": "do",
        "fell": "fall", "flew": "fly", "heard": "hear", "held": "hold", "paid": "pay", "said": "say", "sang": "sing",
        "slept": "sleep", "spoke": "speak", "stood": "stand", "swam": "swim", "wore": "wear", "hurt": "hurt", "quit": "quit"}
CONTRACTIONS = [(r"\bI'm\b", "I am"), (r"\bI've\b", "I have"), (r"\bI'd\b", "I would"), (r"\bI'll\b", "I will"), (r"\bim\b", "I am"),
                (r"\bdon't\b", "do not"), (r"\bdoesn't\b", "does not"), (r"\bdidn't\b", "did not"), (r"\bcan't\b", "can not"),
                (r"\bcannot\b", "can not"), (r"\bwon't\b", "will not"), (r"\bhaven't\b", "have not"), (r"\bwasn't\b", "was not"),
                (r"\bisn't\b", "is not"), (r"\baren't\b", "are not")]


def expand(text):
    for pattern, full in CONTRACTIONS:
        text = re.sub(pattern, full, text, flags=re.I)
    return text


def third(verb):
    lower = verb.lower()
    if lower in IRREGULAR:
        return IRREGULAR[lower]
    if lower in PAST or lower.endswith("ed"):
        return lower
    if re.search(r"(s|x|z|ch|sh|o)$", lower):
        return lower + "es"
    if re.search(r"[^aeiou]y$", lower):
        return lower[:-1] + "ies"
    return lower + "s"


def base_form(verb):
    lower = verb.lower()
    if lower in PAST:
        return PAST[lower]
    if lower.endswith("ied"):
        return lower[:-3] + "y"
    if re.search(r"([bdgmnprt])\1ed$", lower):
        return lower[:-3]
    if lower.endswith("ed"):
        return lower[:-1] if re.search(r"[vszcgu]ed$|[^aeiou][lr]ed$|[aeiou][tk]ed$", lower) else lower[:-2]
    return lower


def possess(text, name, pronouns):
    """Rewrites the rest of a first-person sentence in the third person."""
    they, them, their = pronouns
    text = re.sub(r"\bmy\b", their, text, flags=re.I)
    text = re.sub(r"\b(me|myself)\b", them, text, flags=re.I)
    text = re.sub(r"\bmine\b", their, text, flags=re.I)
    text = re.sub(r"\bI am\b", they + (" are" if they == "they" else " is"), text)
    text = re.sub(r"\bI\b", they, text)
    return text


PRONOUNS = [("he", "him", "his"), ("she", "her", "her"), ("they", "them", "their")]
ADVERBS = {"also", "really", "just", "only", "always", "never", "usually", "often", "sometimes", "still", "recently", "currently",
           "actually", "already", "once", "used"}
MODALS = {"can", "will", "would", "could", "should", "might", "must", "may"}
STOP = set("a an the and or but of to in on at for with is are was were be been being have has had do does did i my me you your it its "
           "that this these those there not no so very really just also am as from by about".split())


def statement(fact, name, pronouns):
    """Turns "I have two dogs." said by Iris into "Iris has two dogs"; None if the rules do not apply."""
    text = expand(fact.strip()).rstrip(".!? ")
    match = re.match(r"^My (.+)$", text, re.I)
    if match:
        return f"{name}'s {possess(match.group(1), name, pronouns)}"
    match = re.match(r"^I (\w+)(.*)$", text)
    if not match:
        return None
    first, rest = match.groups()
    words = rest.split()
    if first.lower() in ADVERBS and words:
        return f"{name} {first.lower()} {third(words[0])}{possess(' ' + ' '.join(words[1:]), name, pronouns).rstrip()}"
    if first.lower() == "do" and words[:1] == ["not"]:
        return f"{name} does not {possess(' '.join(words[1:]), name, pronouns)}"
    return f"{name} {third(first)}{possess(rest, name, pronouns)}"


def topic_of(fact, rng):
    """A few words of the fact that a question may mention."""
    words = [w for w in re.findall(r"[A-Za-z][\w'-]+", fact) if w.lower() not in STOP]
    if not words:
        return None
    size = rng.choice([1, 1, 2, 2, 3])
    start = rng.randrange(max(1, len(words) - size + 1))
    return " ".join(words[start:start + size]).lower()


def questions(fact, name, pronouns, rng):
    """Questions that the fact's turn answers, from similar to very different wording."""
    text = expand(fact.strip()).rstrip(".!? ")
    made = []
    topic = topic_of(text, rng)
    match = re.match(r"^I (?:(also|really|just|always|usually|often|still|recently|currently) )?(\w+)\s*(.*)$", text)
    if match:
        _, verb, rest = match.groups()
        verb, rest = verb.lower(), possess(rest, name, pronouns)
        past = verb in PAST or (verb.endswith("ed") and verb not in {"need", "feed", "speed"})
        if verb in ("am", "was"):
            be = "is" if verb == "am" else "was"
            made += [f"{be.capitalize()} {name} {rest}?", f"Why {be} {name} {rest}?", f"Who is {name}?"]
            if re.match(r"(an?|the) ", rest):
                made += [f"What does {name} do for a living?", f"What is {name}'s job?", f"What is {name}'s occupation?"]
            if re.match(r"(from|in) ", rest):
                made += [f"Where {be} {name} from?", f"Where {be} {name}?"]
            if re.search(r"\d+", rest):
                made += [f"How old is {name}?"]
            if re.match(r"(married|single|divorced|engaged|dating)", rest):
                made += [f"What is {name}'s relationship status?", f"Is {name} in a relationship?"]
            if re.match(r"\w+ing\b", rest):
                made += [f"What {be} {name} doing?", f"When {be} {name} {rest}?"]
        elif verb in MODALS:
            made += [f"{verb.capitalize()} {name} {rest}?", f"What {verb} {name} do?"]
        else:
            plain = base_form(verb) if past else verb
            do = "did" if past else "does"
            subject_do = f"{do} {name} {plain}"
            made += [f"{do.capitalize()} {name} {plain} {rest}?", f"When {subject_do} {rest}?", f"Why {subject_do} {rest}?",
                     f"How {subject_do} {rest}?", f"How often {subject_do} {rest}?" if not past else f"How long ago {subject_do} {rest}?",
                     f"What {subject_do}?", f"What kind of things {subject_do}?"]
            if plain in {"live", "work", "go", "move", "grow", "travel", "visit", "study", "stay", "come", "teach"}:
                made += [f"Where {subject_do}?", f"What place {subject_do} {rest.split()[0] if rest else ''}?".replace("  ", " ")]
            if plain in {"like", "love", "enjoy", "prefer", "hate", "dislike"}:
                made += [f"What are {name}'s hobbies and interests?", f"What does {name} {plain} to do?", f"What kind of {topic} does {name} {plain}?"]
            if plain == "have":
                made += [f"What does {name} own?", f"Does {name} have any {topic}?"]
                if re.match(r"(\d+|one|two|three|four|five|six|seven|several|many|a few) ", rest):
                    thing = " ".join(rest.split()[1:3])
                    made += [f"How many {thing} does {name} have?"]
            if plain == "want":
                made += [f"What are {name}'s plans?", f"What does {name} hope to do in the future?"]
            if plain in {"work", "teach", "drive"}:
                made += [f"What does {name} do for work?"]
            if past:
                made += [f"What did {name} do recently?", f"What happened to {name}?"]
    match = re.match(r"^My (.+?) (is|are|was|were|has|have|had|works?|loves?|likes?|died|lives?) (.+)$", text, re.I)
    if match:
        thing, verb, rest = match.groups()
        rest = possess(rest, name, pronouns)
        if verb in ("is", "are", "was", "were"):
            made += [f"What {verb} {name}'s {thing}?", f"Who {verb} {name}'s {thing}?", f"{verb.capitalize()} {name}'s {thing} {rest}?"]
        made += [f"What about {name}'s {thing}?", f"What do we know about {name}'s {thing}?", f"Tell me about {name}'s {thing}"]
    if topic:
        made += [f"What did {name} say about {topic}?", f"When did {name} talk about {topic}?", f"What does {name} think about {topic}?",
                 f"Which {topic} did {name} mention?", f"{name} {topic}", f"What is {name}'s experience with {topic}?"]
    return [re.sub(r"\s+", " ", question).replace(" ?", "?") for question in made]


def to_first_person(text, name):
    """The same question asked by the person themselves: "Where do I live?"."""
    for pattern, mine in [(rf"\b(does|do) {name}\b", "do I"), (rf"\bdid {name}\b", "did I"), (rf"\bis {name}\b", "am I"),
                          (rf"\bwas {name}\b", "was I"), (rf"\b{name}'s\b", "my"), (rf"\b{name}\b", "I")]:
        text = re.sub(pattern, mine, text, flags=re.I)
    text = re.sub(r"\b(his|her|their)\b", "my", text)
    return text[:1].upper() + text[1:]


def ask_about(question, name):
    """Turns a question to "you" into a question about a named person."""
    text = question.strip()
    for pattern, said in [(r"\bdo you\b", f"does {name}"), (r"\bare you\b", f"is {name}"), (r"\bwere you\b", f"was {name}"),
                          (r"\bhave you\b", f"has {name}"), (r"\b(did|can|will|would|could|should) you\b", rf"\1 {name}"),
                          (r"\byou're\b", f"{name} is"), (r"\byou've\b", f"{name} has"), (r"\byou are\b", f"{name} is"),
                          (r"\byour(s)?\b", f"{name}'s"), (r"\byourself\b", name), (r"\byou\b", name)]:
        text = re.sub(pattern, said, text, flags=re.I)
    return text[:1].upper() + text[1:]


# ---------------------------------------------------------------- documents


def document(speaker, text, before, rng, context_share):
    """A turn as the service embeds it. `before` is (speaker, text) of the previous turn, or None."""
    turn = f"{speaker}: {text}" if speaker else text
    if before and rng.random() < context_share:
        turn = with_context(turn, before)
    if rng.random() < 0.15:
        turn = f"[20{rng.randrange(18, 27)}-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}] {turn}"
    return turn


def with_context(turn, before):
    """Puts the turn first, so that truncation removes the context."""
    name, text = before
    said = f"{name}: {text}" if name else text
    return f"{turn} (after {said[:240]})"


# ---------------------------------------------------------------- sources


def msc_chats(root):
    chats = {}
    for row in read_jsonl(Path(root) / "msc" / "extraction.jsonl.gz"):
        chats.setdefault(row["conv"], []).append(row)
    return chats


@dataclass
class Turn:
    document: str
    # Without context and date, as the reranker sees it.
    plain: str
    # The same turn said by the other speaker: right words, wrong person. None if speakers have no names.
    swapped: str | None
    speaker: str
    # The content without names.
    facts: str
    text: str


def told_by(chat, cast, rng, context_share):
    """The turns of a chat as documents, with speakers named by `cast` ({"Speaker 1": name or None, …})."""
    turns = []
    other = {one: two for one, two in zip(cast, reversed(cast))}
    for index, row in enumerate(chat):
        previous = chat[index - 1] if index else None
        if previous and previous["id"].split(":")[0] != row["id"].split(":")[0]:
            previous = None
        state = rng.getstate()
        document_text = document(cast[row["speaker"]], row["text"], previous and (cast[previous["speaker"]], previous["text"]), rng, context_share)
        swapped = None
        if cast[row["speaker"]]:
            rng.setstate(state)
            swapped = document(cast[other[row["speaker"]]], row["text"],
                               previous and (cast[other[previous["speaker"]]], previous["text"]), rng, context_share)
        name = cast[row["speaker"]]
        turns.append(Turn(document_text, f"{name}: {row['text']}" if name else row["text"], swapped, name or "",
                          " ".join(row["facts"]) or row["text"], row["text"]))
    return turns


def own_sentences(text):
    """Sentences of a turn in which speakers talk about themselves: facts that nobody has summarised."""
    found = []
    for sentence in re.split(r"(?<=[.!?])\s+", text):
        sentence = re.sub(r"^(?:(?:well|oh|yes|yeah|no|so|and|but|actually|haha|wow|ok|okay|hi|hey|also)[,!.]?\s+)+", "", sentence.strip(), flags=re.I)
        sentence = re.sub(r"^we\b", "I", sentence, flags=re.I)
        if sentence.endswith("?") or not 5 <= len(sentence.split()) <= 24:
            continue
        if re.match(r"(I|I'm|I've|My)\b", sentence):
            found.append(re.sub(r"^my\b", "My", sentence))
    return found


@dataclass
class Group:
    """Turns by the same people, and questions about some of them."""
    turns: list
    # (question, the same question without names, index of the turn that answers it)
    questions: list


def msc_groups(root, names, rng, context_share, per_fact=2, merged=8, sentences=0.3):
    """Questions and statements about the facts of the chats.

    `merged` chats share their two speakers' names: a person has many memories about many things, so the name alone must
    not identify the answer.
    """
    chats = list(msc_chats(root).values())
    rng.shuffle(chats)
    groups, start = [], 0
    while start < len(chats):
        size = 1 if rng.random() < 0.25 else merged
        members, start = chats[start:start + size], start + size
        groups.append(Group([], []))
        people = rng.sample(names, 2)
        pronouns = {name: rng.choice(PRONOUNS) for name in people}
        nameless = rng.random() < 0.15  # A user's own memories: said and asked in the first person.
        for rows in members:
            rng.shuffle(people)
            cast = {"Speaker 1": people[0], "Speaker 2": people[1]}
            add_chat(groups[-1], rows, cast, pronouns, nameless, rng, context_share, per_fact, sentences)
    return groups


def add_chat(group, rows, cast, pronouns, nameless, rng, context_share, per_fact, sentences):
    shown = {role: None for role in cast} if nameless else cast
    offset = len(group.turns)
    group.turns += told_by(rows, shown, rng, context_share)
    for index, row in enumerate(rows):
        speaker = cast[row["speaker"]]

        def add(query, meaning, place):
            if nameless or rng.random() < 0.05:
                query = to_first_person(query, speaker)
            group.questions.append((query, meaning, place))

        for fact in row["facts"]:
            asked = questions(fact, speaker, pronouns[speaker], rng)
            said = statement(fact, speaker, pronouns[speaker])
            queries = rng.sample(asked, min(per_fact, len(asked)))
            if said and rng.random() < 0.4:
                queries.append(said)
            if not queries and said is None:
                queries.append(f"{speaker}: {fact}")
            for query in queries:
                add(query, fact, offset + index)
        for sentence in own_sentences(row["text"]):
            if rng.random() < sentences:
                asked = questions(sentence, speaker, pronouns[speaker], rng)
                if asked:
                    add(rng.choice(asked), sentence, offset + index)
        before = rows[index - 1] if index and rows[index - 1]["id"].split(":")[0] == row["id"].split(":")[0] else None
        if before and "?" in before["text"] and before["speaker"] != row["speaker"] and len(row["text"]) > 20:
            asked = [s for s in re.split(r"(?<=[.!?])\s+", before["text"]) if s.endswith("?") and len(s) > 12]
            if asked and re.search(r"\byou", asked[-1], re.I):
                # The question itself must not be the context here, because it would give the answer away.
                group.turns += told_by([row], shown, rng, 0)
                add(ask_about(asked[-1], speaker), row["text"], len(group.turns) - 1)


def dialogue_groups(path, names, rng, limit, context_share, merged=6):
    """Question and answer turns of other dialogues, with named speakers."""
    rows = read_jsonl(path)
    rng.shuffle(rows)
    groups, count = [], 0
    for number, row in enumerate(rows):
        if number % merged == 0:
            one, two = rng.sample(names, 2)
            groups.append(Group([], []))
        group = groups[-1]
        for index, text in enumerate(row["turns"]):
            speaker, other = ((one, two), (two, one))[index % 2]
            before = row["turns"][index - 1] if index else None
            asked = [s for s in re.split(r"(?<=[.!?])\s+", before or "") if s.endswith("?") and re.search(r"\byou", s, re.I)]
            if not asked or len(text) < 25:
                continue
            # Here the previous turn is the question itself.
            context = (speaker, row["turns"][index - 2]) if index > 1 else None
            state = rng.getstate()
            told = document(speaker, text, context, rng, context_share / 2)
            rng.setstate(state)
            swapped = document(other, text, context, rng, context_share / 2)
            group.turns.append(Turn(told, f"{speaker}: {text}", swapped, speaker, text, text))
            group.questions.append((ask_about(asked[-1], speaker), text, len(group.turns) - 1))
            count += 1
        if count >= limit:
            break
    return [group for group in groups if group.questions]


# Sets whose licences allow us to ship models trained on them (the README of the data lists them).
QA_SETS = ["qa_boolq", "qa_cosmosqa", "qa_iirc", "qa_qasper", "qa_qmsum", "qa_ropes", "qa_tweetqa", "qa_gooaq", "dialog_circa"]


def general_pairs(root, rng, per_set=6500):
    pairs = []
    for name in QA_SETS:
        rows = read_jsonl(Path(root) / "train" / f"{name}.jsonl.gz")
        rng.shuffle(rows)
        pairs += [(row["q"], row["p"][:1200]) for row in rows[:per_set]]
    return pairs


def snli_triplets(root):
    return [(row["a"], row["pos"], row["neg"]) for row in read_jsonl(Path(root) / "train" / "snli_triplets.jsonl.gz")]


def general_texts(root, rng, count=60000):
    """Texts of every kind on which the tuned model must keep the stock model's similarities."""
    texts = []
    for name in QA_SETS:
        for row in read_jsonl(Path(root) / "train" / f"{name}.jsonl.gz"):
            texts.append(row["q"])
            texts.append(row["p"][:1000])
    for row in read_jsonl(Path(root) / "train" / "snli_triplets.jsonl.gz"):
        texts += [row["a"], row["pos"]]
    for row in read_jsonl(Path(root) / "train" / "pairs_paws.jsonl.gz"):
        texts += [row["a"], row["b"]]
    for name in ("intent_banking77", "intent_clinc150"):
        texts += [row["a"] for row in read_jsonl(Path(root) / "train" / f"{name}.jsonl.gz")]
    rng.shuffle(texts)
    return texts[:count]
