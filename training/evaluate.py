"""Quick scores on the GPU while training: the real figures come from `bench/quality`, which runs the service's own code."""

import math
import re
from collections import Counter
from pathlib import Path

import numpy as np
import torch

from data import read_jsonl, with_context
from encoder import encode


def group(rows, key):
    groups = {}
    for row in rows:
        groups.setdefault(row[key], []).append(row)
    return groups


def dialogue_task(root, folder, context):
    """Conversations of turns with questions: (documents, questions, gold)."""
    memories = group(read_jsonl(Path(root) / folder / "memories.jsonl.gz"), "conv")
    queries = group(read_jsonl(Path(root) / folder / "queries.jsonl.gz"), "conv")
    for conv, turns in memories.items():
        place = {turn["id"]: index for index, turn in enumerate(turns)}
        plain, documents = [], []
        for index, turn in enumerate(turns):
            caption = f" [image: {turn['image_caption']}]" if turn.get("image_caption") else ""
            text = (f"{turn['speaker']}: " if turn.get("speaker") else "") + turn["text"] + caption
            plain.append(text)
            before = turns[index - 1] if index and turns[index - 1].get("session") == turn.get("session") else None
            documents.append(with_context(text, (before.get("speaker"), before["text"])) if context and before else text)
        asked, gold, adversarial = [], [], []
        for query in queries.get(conv, []):
            places = sorted({place[e] for e in query["evidence"] if e in place})
            if query.get("adversarial"):
                adversarial.append(query["question"])
            elif places:
                asked.append(query["question"])
                gold.append(places)
        yield {"plain": plain, "documents": documents, "queries": asked, "gold": gold, "adversarial": adversarial}


def longmemeval_task(root, context):
    sessions = {row["sid"]: row["turns"] for row in read_jsonl(Path(root) / "longmemeval" / "sessions.jsonl.gz")}
    for question in read_jsonl(Path(root) / "longmemeval" / "s.jsonl.gz"):
        if question.get("abstention"):
            continue
        right = {tuple(pair) for pair in question["gold_turns"]}
        plain, documents, gold = [], [], []
        for number, sid in enumerate(question["haystack"]):
            before = None
            for index, turn in enumerate(sessions[sid]):
                if (number, index) in right:
                    gold.append(len(plain))
                name = "Assistant" if turn["r"] != "u" else None
                text = (f"{name}: " if name else "") + turn["t"]
                plain.append(text)
                documents.append(with_context(text, before) if context and before else text)
                before = (name, turn["t"])
        if gold:
            yield {"plain": plain, "documents": documents, "queries": [question["question"]], "gold": [gold], "adversarial": []}


def words(text):
    return [re.sub(r"(ing|ed|es|s)$", "", word) if len(word) > 4 else word for word in re.findall(r"[a-z0-9']+", text.lower())]


def bm25(documents, queries, k1=1.2, b=0.75):
    """Scores as a share of what a query could reach at most, like the service's."""
    counts = [Counter(words(text)) for text in documents]
    lengths = np.array([sum(count.values()) for count in counts], dtype=float)
    norm = k1 * (1 - b + b * lengths / max(1.0, lengths.mean()))
    df = Counter(word for count in counts for word in count)
    postings = {}
    for index, count in enumerate(counts):
        for word, times in count.items():
            postings.setdefault(word, []).append((index, times))
    scores = np.zeros((len(queries), len(documents)), dtype=np.float32)
    for row, query in enumerate(queries):
        best = 0.0
        for word in set(words(query)):
            idf = math.log(1 + (len(documents) - df[word] + 0.5) / (df[word] + 0.5))
            best += idf * (k1 + 1)
            for index, times in postings.get(word, ()):
                scores[row, index] += idf * times * (k1 + 1) / (times + norm[index])
        if best:
            scores[row] /= best
    return scores


def hits(ranking, gold, k):
    return any(index in gold for index in ranking[:k])


def score_task(model, tokenizer, tasks, weights, dims=None):
    """any@1/5/10 for each weight on the dense score, in per cent."""
    sums = {weight: Counter() for weight in weights}
    total = 0
    for task in tasks:
        if "bm25" not in task:
            task["bm25"] = bm25(task["plain"], task["queries"])
        vectors = encode(model, tokenizer, task["documents"])
        asked = encode(model, tokenizer, task["queries"])
        if dims:
            vectors = torch.nn.functional.normalize(vectors[:, :dims], dim=1)
            asked = torch.nn.functional.normalize(asked[:, :dims], dim=1)
        dense = (asked @ vectors.T).clamp(min=0).cpu().numpy()
        for weight in weights:
            fused = weight * dense + (1 - weight) * task["bm25"]
            top = np.argsort(-fused, axis=1)[:, :20]
            for ranking, gold in zip(top, task["gold"]):
                for k in (1, 5, 10):
                    sums[weight][k] += hits(ranking.tolist(), gold, k)
        total += len(task["queries"])
    return {weight: tuple(round(100 * sums[weight][k] / total, 1) for k in (1, 5, 10)) for weight in weights}


def scifact(model, tokenizer, root):
    corpus = read_jsonl(Path(root) / "scifact" / "corpus.jsonl.gz")
    place = {row["id"]: index for index, row in enumerate(corpus)}
    vectors = encode(model, tokenizer, [row["text"] for row in corpus])
    queries = read_jsonl(Path(root) / "scifact" / "queries.jsonl.gz")
    asked = encode(model, tokenizer, [row["text"] for row in queries])
    top = (asked @ vectors.T).topk(10, dim=1).indices.cpu().numpy()
    total = 0.0
    for row, query in zip(top, queries):
        gold = {place[g] for g in query["gold"] if g in place}
        gain = sum(1 / math.log2(rank + 2) for rank, index in enumerate(row) if index in gold)
        ideal = sum(1 / math.log2(rank + 2) for rank in range(min(10, len(gold))))
        total += gain / ideal if ideal else 0
    return round(100 * total / len(queries), 1)


def stsb(model, tokenizer, root):
    rows = read_jsonl(Path(root) / "stsb" / "test.jsonl.gz")
    one = encode(model, tokenizer, [row["a"] for row in rows])
    two = encode(model, tokenizer, [row["b"] for row in rows])
    cosine = (one * two).sum(1).cpu().numpy()
    return round(100 * float(np.corrcoef(average_ranks(cosine), average_ranks(np.array([row["score"] for row in rows])))[0, 1]), 1)


def average_ranks(values):
    order = np.argsort(values, kind="stable")
    ranks = np.empty(len(values))
    start = 0
    ordered = values[order]
    while start < len(values):
        end = start
        while end < len(values) and ordered[end] == ordered[start]:
            end += 1
        ranks[order[start:end]] = (start + end - 1) / 2
        start = end
    return ranks


class Scores:
    """Loads every task once; `of` scores a model."""

    def __init__(self, root, context=True, with_long=False):
        self.root = root
        self.tasks = {
            "locomo": list(dialogue_task(root, "locomo", context)),
            "realtalk": list(dialogue_task(root, "realtalk", context)),
            "beam": list(dialogue_task(root, "beam/100K", context)),
        }
        if with_long and (Path(root) / "longmemeval" / "sessions.jsonl.gz").exists():
            self.tasks["longmemeval"] = list(longmemeval_task(root, context))

    def of(self, model, tokenizer, weights=(1.0, 0.9, 0.8, 0.7), dims=None):
        result = {name: score_task(model, tokenizer, tasks, weights, dims) for name, tasks in self.tasks.items()}
        result["scifact"] = scifact(model, tokenizer, self.root)
        result["stsb"] = stsb(model, tokenizer, self.root)
        return result
