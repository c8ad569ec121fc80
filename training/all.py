"""Trains both models that ship, one after the other.

    python3 training/all.py --data DATA --base BASE --out OUT

1. `first`: the embedder, tuned on chats.
2. `teacher`: a cross-encoder over what it ranks highest.
3. `embedder`: tuned on, learning the teacher's view beside the right answers.
4. `reranker`: a smaller cross-encoder that learns the teacher's scores, negatives mined by the final embedder.
"""

import argparse
import json
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import torch

import embedder
import reranker
from encoder import Tokens, load_encoder, load_state
from evaluate import Scores


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--base", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--start", help="weights of the first step, which is left out then")
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--without-msc", action="store_true")
    args = parser.parse_args()
    log = embedder.logger(Path(args.out))
    log(json.dumps(vars(args)))
    began = time.time()
    torch.backends.cuda.matmul.allow_tf32 = True
    common = ["--data", args.data, "--base", args.base, "--out", args.out] + (["--without-msc"] if args.without_msc else [])
    first = embedder.arguments(common + ["--seeds", "1", "--epochs", "5", "--rate", "1.2e-4"])
    second = embedder.arguments(common + ["--seeds", "21", "22", "--epochs", "1", "--rate", "6e-5", "--distil", "1.0"])
    big = reranker.arguments(common + ["--embedder", "", "--name", "teacher", "--seed", "11", "--epochs", "1"])
    small = reranker.arguments(common + ["--embedder", "", "--name", "reranker", "--seed", "12", "--epochs", "1", "--layers", str(args.layers)])
    with ProcessPoolExecutor(8) as workers:
        def draws(settings, seeds, epochs):
            return {(seed, epoch): workers.submit(embedder.draw, settings, seed * 1000 + epoch) for seed in seeds for epoch in range(epochs)}

        drawn = {} if args.start else draws(first, first.seeds, first.epochs)
        drawn |= draws(first, [11], 1) | draws(second, second.seeds, second.epochs) | draws(first, [12], 1)
        stock = load_encoder(args.base)
        scores = Scores(args.data, args.base)
        general = embedder.General(first, stock)
        log(f"ready after {time.time() - began:.0f} s")
        state = load_state(args.start) if args.start else embedder.tune(first, "first", general, scores, drawn, log)
        encoder = load_encoder(args.base, state)
        teacher = reranker.fit(big, encoder, general, scores, lambda epoch: drawn[11, epoch].result(), log)
        log(f"teacher ready after {time.time() - began:.0f} s")

        def look(part, asked, told):
            return reranker.cross_logits(teacher, reranker.Pairs(Tokens(part["queries"]), Tokens(part["documents"])), asked, told)

        state = embedder.tune(second, "embedder", general, scores, drawn, log, state, embedder.Teacher(general, encoder, look))
        log(f"embedder ready after {time.time() - began:.0f} s")
        reranker.fit(small, load_encoder(args.base, state), general, scores, lambda epoch: drawn[12, epoch].result(), log, teacher)
        log(f"all done after {time.time() - began:.0f} s")


if __name__ == "__main__":
    main()
