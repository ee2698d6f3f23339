#!/usr/bin/env python3
"""Generates tokens from PyTorch's tensors, by the step that export.py wrote: decode.c in Python.

  decode.py LIBRARY.so [--shape=tiny|gpt2|llama-1b] [--tokens=N] [--first=N] [--check]

LIBRARY.so is export.py's decode.mlir behind sinter-cc; a GPU's takes CUDA tensors. --check also runs the model in
PyTorch, in float64 and on the same tokens, and says at which step another token would have come next, if one would.
"""
import argparse
import pathlib
import sys
import time

import torch

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "python")]
sys.dont_write_bytecode = True
import export  # noqa: E402
import sinter_torch  # noqa: E402


def generate(step, cache, weights, first, count):
    """`count` tokens behind `first`. Each is read where it was written: a GPU is not waited for."""
    device = cache.device
    tokens, positions = [torch.tensor([first], device=device)], torch.arange(count, device=device)[:, None]
    for i in range(count):
        token, rows = step(tokens[-1], positions[i].clone(), cache, *weights)
        cache[i] = rows
        tokens.append(token)
    return [int(t) for t in tokens[1:]]


def first_difference(shape, context, weights, first, tokens):
    """The first step at which float64 would have gone on with another token, and by how much it would rather."""
    model = export.Step((*shape[:-1], torch.float64), scores=True)
    wide = [w.double() for w in weights]
    cache = torch.zeros(context, shape[0], 2, shape[2], shape[4], dtype=torch.float64, device=wide[0].device)
    for i, (given, token) in enumerate(zip([first, *tokens], tokens)):
        at = lambda n: torch.tensor([n], device=cache.device)
        scores, cache[i] = model(at(given), at(i), cache, *wide)
        if int(scores.argmax()) != token:
            return i, float(scores.max() - scores[0, token])
    return None


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("library", type=pathlib.Path)
    p.add_argument("--shape", choices=export.SHAPES, default="tiny")
    p.add_argument("--tokens", type=int, default=64)
    p.add_argument("--first", type=int, default=3)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--check", action="store_true")
    a = p.parse_args()
    step = sinter_torch.load(a.library)["main"]
    layout = step.inputs[2]
    context, device = layout.shape[0], "cuda" if step.value.cuda else "cpu"
    if not 0 < a.tokens <= context:
        p.error(f"from 1 to {context} tokens fit into the cache")
    shape = export.SHAPES[a.shape]
    words = shape[6]
    if not 0 <= a.first < words:
        p.error(f"tokens are from 0 to {words - 1}")
    weights = [w.to(device) for w in export.weights_of(shape, context, a.seed)]
    cache = torch.zeros(layout.shape, dtype=shape[-1], device=device)
    generate(step, cache.clone(), weights, a.first, 1)  # the first call loads the kernels
    begin = time.perf_counter()
    tokens = generate(step, cache, weights, a.first, a.tokens)
    seconds = time.perf_counter() - begin
    print(*tokens)
    print(f"{a.tokens / seconds:.1f} tokens a second", file=sys.stderr)
    if a.check:
        other = first_difference(shape, context, weights, a.first, tokens)
        print("float64: the same tokens" if other is None else
              f"float64: another token at step {other[0]}, which has {other[1]:.1e} more")


if __name__ == "__main__":
    main()
