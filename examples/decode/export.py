#!/usr/bin/env python3
"""Writes a step of a language model for decode.c: FOLDER/decode.mlir, and its weights as FOLDER/N.npy, N the argument.

  export.py FOLDER [--shape=tiny|gpt2|llama-1b] [--context=N] [--seed=N]

The model is that of Llama: RMS norms, grouped queries, rotary embedding, SwiGLU; its weights are random. PyTorch and
torch-mlir export it; who has a model of his own writes its weights in this order. The step:

  main(token: 1 x i64, position: 1 x i64, cache: context x layers x 2 x groups x size, weights...)
      -> (the next token: 1 x i64, what to put into the cache at the position: layers x 2 x groups x size)
"""
import argparse
import pathlib
import sys

import numpy
import torch
import torch.nn.functional as F

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))

SHAPES = {  # layers, width, groups of heads, heads of a group, size of a head, inner width, words, type
    "tiny": (2, 64, 2, 2, 16, 128, 96, torch.float32),
    "gpt2": (12, 768, 12, 1, 64, 2048, 50257, torch.bfloat16),
    "llama-1b": (16, 2048, 8, 4, 64, 8192, 128256, torch.bfloat16),
}
OF_A_LAYER = 9


def norm(x, g):
    f = x.float() if x.dtype != torch.float64 else x
    return (f * torch.rsqrt(f.pow(2).mean(-1, keepdim=True) + 1e-5)).to(x.dtype) * g


def rotate(x, cos, sin):
    a, b = x.chunk(2, -1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


class Step(torch.nn.Module):
    def __init__(self, shape, scores=False):
        """scores: what all words have, in place of the one that has most."""
        super().__init__()
        self.shape, self.scores = shape, scores

    def forward(self, token, position, cache, table, cosines, sines, *weights):
        layers, width, groups, heads, size, *_ = self.shape
        x, cos, sin = table[token], cosines[position], sines[position]
        context = cache.shape[0]
        at = torch.arange(context + 1, device=token.device)
        visible = (at < position) | (at == context)
        rows = []
        for layer in range(layers):
            g1, wq, wk, wv, wo, g2, gate, up, down = weights[OF_A_LAYER * layer:OF_A_LAYER * (layer + 1)]
            h = norm(x, g1)
            q = rotate(F.linear(h, wq).reshape(groups, heads, size), cos, sin)
            k = rotate(F.linear(h, wk).reshape(groups, size), cos, sin)
            v = F.linear(h, wv).reshape(groups, size)
            rows.append(torch.stack([k, v]))
            keys = torch.cat([cache[:, layer, 0], k[None]]).permute(1, 0, 2)
            values = torch.cat([cache[:, layer, 1], v[None]]).permute(1, 0, 2)
            s = q @ keys.transpose(1, 2) * size ** -0.5
            s = s.float() if s.dtype != torch.float64 else s
            p = torch.softmax(torch.where(visible, s, float("-inf")), -1).to(x.dtype)
            x = x + F.linear((p @ values).reshape(1, -1), wo)
            h = norm(x, g2)
            x = x + F.linear(F.silu(F.linear(h, gate)) * F.linear(h, up), down)
        logits = F.linear(norm(x, weights[-2]), weights[-1])
        return logits if self.scores else logits.argmax(-1), torch.stack(rows)


def weights_of(shape, context, seed):
    layers, width, groups, heads, size, inner, words, dtype = shape
    torch.manual_seed(seed)
    matrix = lambda m, n: (torch.randn(m, n) * n ** -0.5).to(dtype)
    gain = lambda: (1 + torch.randn(width) / 10).to(dtype)
    angles = torch.arange(context)[:, None] * 10000.0 ** (-torch.arange(size // 2) / (size / 2))
    every = [torch.randn(words, width).to(dtype), angles.cos().to(dtype), angles.sin().to(dtype)]
    for _ in range(layers):
        every += [gain(), matrix(groups * heads * size, width), matrix(groups * size, width),
                  matrix(groups * size, width), matrix(width, groups * heads * size), gain(), matrix(inner, width),
                  matrix(inner, width), matrix(width, inner)]
    return every + [gain(), matrix(words, width)]


def save(path, tensor):
    """numpy has no bf16: its bits are saved as uint16."""
    numpy.save(path, (tensor.view(torch.uint16) if tensor.dtype == torch.bfloat16 else tensor).numpy())


def main():
    from sinter_torch._linalg import linalg_of, text_of
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder", type=pathlib.Path)
    p.add_argument("--shape", choices=SHAPES, default="tiny")
    p.add_argument("--context", type=int, default=128)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--no-weights", action="store_true", help="the step alone")
    a = p.parse_args()
    shape = SHAPES[a.shape]
    layers, width, groups, heads, size, inner, words, dtype = shape
    a.folder.mkdir(parents=True, exist_ok=True)
    weights = weights_of(shape, a.context, a.seed)
    one = torch.zeros(1, dtype=torch.int64)
    inputs = (one, one.clone(), torch.zeros(a.context, layers, 2, groups, size, dtype=dtype), *weights)
    exported = torch.export.export(Step(shape), inputs, strict=False)
    (a.folder / "decode.mlir").write_text(text_of(linalg_of(exported, "main")))
    for i, w in enumerate(weights if not a.no_weights else []):
        save(a.folder / f"{i + 3}.npy", w)


if __name__ == "__main__":
    main()
