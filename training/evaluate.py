"""Quick scores on the GPU during training. The real figures come from `bench/quality`, which runs the service's own code."""

import math
import re
from collections import Counter
from pathlib import Path

import numpy as np
import torch

from data import read_jsonl, with_context
from encoder import Tokens, encode_tokens, load_tokenizer, tokenize


def group(rows, key):
    groups = {}
    for row in rows:
        groups.setdefault(row[key], []).append(row)
    return groups


def dialogue_task(root, folder):
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
            documents.append(with_context(text, (before.get("speaker"), before["text"])) if before else text)
        asked, gold, adversarial = [], [], []
        for query in queries.get(conv, []):
            places = sorted({place[e] for e in query["evidence"] if e in place})
            if query.get("adversarial"):
                adversarial.append(query["question"])
            elif places:
                asked.append(query["question"])
                gold.append(places)
        yield {"plain": plain, "documents": documents, "queries": asked, "gold": gold, "adversarial": adversarial}


def longmemeval_task(root):
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
                documents.append(with_context(text, before) if before else text)
                before = (name, turn["t"])
        if gold:
            yield {"plain": plain, "documents": documents, "queries": [question["question"]], "gold": [gold], "adversarial": []}


def words(text):
    return [re.sub(r"(ing|ed|es|s)$", "", word) if len(word) > 4 else word for word in re.findall(r"[a-z0-9']+", text.lower())]


def bm25(documents, queries, k1=1.2, b=0.75):
    """Scores as a share of the maximum that a query can reach, as in the service."""
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


def auc(good, bad):
    """The probability that an answerable question has a higher top score than an unanswerable one."""
    good, bad = np.array(good), np.array(bad)
    return round(100 * float((good[:, None] > bad[None]).mean() + 0.5 * (good[:, None] == bad[None]).mean()), 1)


def ndcg(top, gold):
    gain = sum(1 / math.log2(rank + 2) for rank, index in enumerate(top[:10]) if index in gold)
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(10, len(gold))))
    return gain / ideal if ideal else 0.0


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
    """Loads and tokenizes every task once; `of` scores a model."""

    def __init__(self, root, base, long=False):
        self.tokenizer = load_tokenizer(base, 256)
        self.tasks = {name: list(dialogue_task(root, folder)) for name, folder in
                      (("locomo", "locomo"), ("realtalk", "realtalk"), ("beam", "beam/100K"))}
        if long:
            self.tasks["longmemeval"] = list(longmemeval_task(root))
        corpus = read_jsonl(Path(root) / "scifact" / "corpus.jsonl.gz")
        place = {row["id"]: index for index, row in enumerate(corpus)}
        queries = read_jsonl(Path(root) / "scifact" / "queries.jsonl.gz")
        texts = [row["text"] for row in corpus]
        self.tasks["scifact"] = [{"plain": texts, "documents": texts, "queries": [row["text"] for row in queries], "adversarial": [],
                                  "gold": [[place[g] for g in row["gold"] if g in place] for row in queries]}]
        for tasks in self.tasks.values():
            for task in tasks:
                asked = task["queries"] + task["adversarial"]
                task["bm25"] = bm25(task["plain"], asked)
                for name, texts in (("documents", task["documents"]), ("plain", task["plain"]), ("asked", asked)):
                    task[f"{name}_tokens"] = Tokens(tokenize(self.tokenizer, texts))
        rows = read_jsonl(Path(root) / "stsb" / "test.jsonl.gz")
        self.pairs = [Tokens(tokenize(self.tokenizer, [row[part] for row in rows])) for part in ("a", "b")]
        self.similar = average_ranks(np.array([row["score"] for row in rows]))

    def of(self, model, weights=(1.0, 0.85, 0.7), dims=None, context=True):
        """any@1/5/10 for each weight of the cosine (SciFact: NDCG@10), in percent; AUC at the last weight."""
        result = {}
        for name, tasks in self.tasks.items():
            sums, total, good, bad = {weight: np.zeros(3) for weight in weights}, 0, [], []
            for task in tasks:
                dense = self.cosines(model, task, dims, context)
                for weight in weights:
                    fused = weight * dense + (1 - weight) * task["bm25"]
                    top = np.argsort(-fused, axis=1)[:, :10].tolist()
                    for ranking, gold in zip(top, task["gold"]):
                        sums[weight] += [ndcg(ranking, gold), 0, 0] if name == "scifact" else [hits(ranking, gold, k) for k in (1, 5, 10)]
                best = fused.max(axis=1)
                good += best[:len(task["queries"])].tolist()
                bad += best[len(task["queries"]):].tolist()
                total += len(task["queries"])
            result[name] = {str(weight): [round(100 * float(value) / total, 1) for value in sums[weight][:1 if name == "scifact" else 3]]
                            for weight in weights}
            if bad:
                result[name]["auc"] = auc(good, bad)
        one, two = (self.vectors(model, tokens, dims) for tokens in self.pairs)
        cosine = average_ranks((one * two).sum(1).cpu().numpy())
        result["stsb"] = round(100 * float(np.corrcoef(cosine, self.similar)[0, 1]), 1)
        return result

    def cosines(self, model, task, dims=None, context=True):
        told = self.vectors(model, task["documents_tokens" if context else "plain_tokens"], dims)
        return (self.vectors(model, task["asked_tokens"], dims) @ told.T).clamp(min=0).cpu().numpy()

    def vectors(self, model, tokens, dims):
        vectors = encode_tokens(model, tokens)
        return vectors if dims is None else torch.nn.functional.normalize(vectors[:, :dims], dim=1)
