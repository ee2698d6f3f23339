#!/usr/bin/env python3
"""Makes programs.npz: layers.py as torch-mlir exports it, with arguments, results and gradients by PyTorch in float64.

    test/golden/layers/make.py [--numbers] [NAME ...]        with a Python that has torch, torch-mlir and numpy

Arguments are numbers that bf16 has, so the same results are right for each type. With names, those alone are made
again; with --numbers, the programs stay as they are, and torch-mlir is not needed.
"""
import json
import pathlib
import sys
import warnings
import zlib

import numpy as np
import torch

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = str(FOLDER), str(FOLDER.parents[2] / "python")
from layers import LAYERS, TWICE  # noqa: E402

TYPES = {"f64": torch.float64, "f32": torch.float32, "bf16": torch.bfloat16}


class Module(torch.nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f = f

    def forward(self, *arguments):
        return self.f(*arguments)


def exported(layer, arguments, dynamic):
    from sinter_torch._linalg import linalg_of, text_of
    sizes = None
    if dynamic:
        sizes = (tuple({d: torch.export.Dim.AUTO for d in layer.dynamic.get(k, ())} for k in range(len(arguments))),)
    program = torch.export.export(Module(layer.f), tuple(arguments), dynamic_shapes=sizes, strict=False)
    text = text_of(linalg_of(program, "main"))
    return text if not dynamic or "?" in text else None


def numbers(name, layer):
    g = torch.Generator().manual_seed(zlib.crc32(name.encode()))

    def normal(shape):  # no two are equal: of equal ones a maximum's gradient goes to one or to all
        n = max(1, torch.Size(shape).numel())
        drawn = torch.randn(16 * n + 64, generator=g).div(2).bfloat16().double().unique()
        return drawn[torch.randperm(len(drawn), generator=g)[:n]].reshape(shape)

    given = [torch.randint(a[1], a[2], generator=g) if a and a[0] == "i" else normal(a) for a in layer.arguments]
    wrt = [k for k, v in enumerate(given) if v.is_floating_point()]
    for k in wrt:
        given[k].requires_grad_()
    y = layer.f(*given)
    upstream = normal(y.shape)
    gradients = torch.autograd.grad(y, [given[k] for k in wrt], upstream, allow_unused=True)
    zeros = [torch.zeros_like(given[k]) for k in wrt]
    results = [y, *(z if g is None else g for z, g in zip(zeros, gradients))]
    return [v.detach() for v in [*given, upstream]], [v.detach() for v in results]


def second(layer, given):
    """Numbers that the first gradient is multiplied by, and the gradients of that by all floats and the upstream."""
    given = [v.clone().requires_grad_() if v.is_floating_point() else v for v in given]
    wrt = [v for v in given if v.requires_grad]
    y = layer.f(*given[:-1])
    first = torch.autograd.grad(y, wrt[0], given[-1], create_graph=True)[0]
    v = torch.randn(first.shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    gradients = torch.autograd.grad(first, wrt, v, allow_unused=True)
    return v, [torch.zeros_like(x) if g is None else g for x, g in zip(wrt, gradients)]


def main():
    warnings.filterwarnings("ignore")
    path, names = FOLDER / "programs.npz", [a for a in sys.argv[1:] if a != "--numbers"]
    keep = "--numbers" in sys.argv
    made = dict(np.load(path)) if names or keep else {}
    texts = {w: json.loads(made[w].tobytes()) if w in made else {} for w in ("f64", "bf16", "f32?")}
    for name in names or LAYERS:
        layer = LAYERS[name]
        given, results = numbers(name, layer)
        for writing in () if keep else texts:
            kind, dynamic = writing.rstrip("?"), "?" in writing
            if dynamic and not layer.dynamic:
                continue
            arguments = [v.to(TYPES[kind]) if v.is_floating_point() else v for v in given[:-1]]
            try:
                text = exported(layer, arguments, dynamic)
            except Exception as e:  # what torch-mlir does not export
                print(f"{name} {writing}: {str(e).strip().splitlines()[:1]}")
                continue
            if text:
                texts[writing][name] = text
        for k, v in enumerate(given):
            made[f"{name}.in{k}"] = v.float().numpy() if v.is_floating_point() else v.numpy()
        for k, v in enumerate(results):
            made[f"{name}.out{k}"] = v.numpy()
        if name in TWICE:
            v, results = second(layer, given)
            made[f"{name}.v"] = v.numpy()
            for k, v in enumerate(results):
                made[f"{name}.second{k}"] = v.numpy()
    for writing, programs in texts.items():
        made[writing] = np.frombuffer(json.dumps(programs).encode(), np.uint8)
    np.savez_compressed(path, **made)
    print(f"{len(LAYERS)} layers")


if __name__ == "__main__":
    main()
