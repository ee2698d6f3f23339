#!/usr/bin/env python3
"""Makes reference cases at random: all losses, their options, ranks 1 to 5, broadcasting, types, corners.

    test/golden/draw.py DIR --seed=1 --count=660 [--only OP]... [--elements=20000] [--sizes=1,2,7,31,33,257]      with a
        Python that has torch 2.13 and numpy

    scripts/reference-cases DIR

Values and gradients are PyTorch's in float64, of inputs as they are stored. A case's tolerance is that of its types,
times how far PyTorch's own f32 is off where that is more. Where this library differs from PyTorch on purpose
(docs/losses.md), the case is left out. What PyTorch refuses is drawn again. losses/drawn is `--seed=20 --count=66
--elements=120`.
"""
import argparse
import json
import math
import pathlib
import random
import warnings

import numpy as np
import torch
import torch.nn.functional as F

TYPES = {"f32": torch.float32, "f64": torch.float64, "f16": torch.float16, "bf16": torch.bfloat16}
NAMES = {v: k for k, v in TYPES.items()}
TOLERANCE = {"f32": (1e-5, 1e-6), "f64": (1e-9, 1e-11), "f16": (6e-4, 2e-6), "bf16": (5e-3, 2e-6)}


class Draw:
    """Shapes, types and tensors; `mark` says what a case has: b broadcast, x corners."""

    def __init__(self, seed, sizes, elements):
        self.r, self.g = random.Random(seed), torch.Generator().manual_seed(seed)
        self.sizes, self.elements, self.mark = sizes, elements, ""

    def chance(self, p):
        return self.r.random() < p

    def shape(self, low=1, high=5):
        rank = self.r.randint(low, high)
        while True:
            s = [self.r.choice(self.sizes) for _ in range(rank)]
            if math.prod(s) <= self.elements:
                break
        if self.chance(0.03):
            s[self.r.randrange(rank)] = 0
        return s

    def type(self):
        return self.r.choices(["f32", "f64", "f16", "bf16"], [55, 12, 16, 17])[0]

    def beside(self, d):
        """Another operand's type: mostly the same."""
        return d if self.chance(0.85) else self.r.choice([t for t in TYPES if (t == "f64") == (d == "f64")])

    def normal(self, s, d, scale=None):
        scale = self.r.choice([0.05, 1, 1, 1, 3, 10]) if scale is None else scale
        return (torch.randn(tuple(s), generator=self.g) * scale).to(TYPES[d])

    def uniform(self, s, d, low=0.0, high=1.0):
        return (torch.rand(tuple(s), generator=self.g) * (high - low) + low).to(TYPES[d])

    def below(self, s, high):
        return torch.randint(max(high, 1), tuple(s), generator=self.g).to(self.r.choice([torch.int64, torch.int32]))

    def signs(self, s, d):
        return (torch.randint(2, tuple(s), generator=self.g).float() * 2 - 1).to(TYPES[d])

    def corners(self, t, values, p=0.25):
        if not self.chance(p) or not t.numel():
            return t
        self.mark += "x"
        flat = t.reshape(-1).clone()
        for _ in range(self.r.randint(1, 1 + t.numel() // 4)):
            flat[self.r.randrange(t.numel())] = self.r.choice(values)
        return flat.reshape(t.shape)

    def smaller(self, s, p=0.35):
        """A shape that is broadcast to s."""
        if not self.chance(p) or 0 in s:
            return list(s)
        self.mark += "b"
        ones = [n if self.chance(0.6) else 1 for n in s]
        return ones[self.r.randint(0, len(s) - 1):] if self.chance(0.5) else ones

    def ones(self, s):
        return [n if self.chance(0.8) else 1 for n in s]

    def some(self, **options):
        return {name: self.r.choice(values) for name, values in options.items() if self.chance(0.6)}

    def of(self, names):
        return [n for n in names if self.chance(0.7)] or names[:1]

    def reduction(self, also=()):
        return self.r.choice(["mean", "sum", "none", *also])


# Each draws inputs, the function of them, what it is differentiated by, the reduction, attributes.

def pair(f, options, weight=False):
    def draw(d):
        t, s, r, a = d.type(), d.shape(), d.reduction(), options(d)
        i = {"input": d.normal(s, t), "target": d.normal(d.smaller(s), d.beside(t))}
        if d.chance(0.2):
            i["input"], i["target"] = i["target"], i["input"]
        if d.chance(0.2) and i["input"].shape == i["target"].shape:
            i["target"] = torch.where(torch.rand(i["input"].shape, generator=d.g) < 0.3,
                                      i["input"].to(i["target"].dtype), i["target"])
        i["input"] = d.corners(i["input"], [0.0, 1.0, -1.0, 1000.0, 1e-20])
        g = d.of(["input", "target"])
        if weight and d.chance(0.3) and 0 not in s:
            i["input"] = i["input"].expand(torch.broadcast_shapes(i["input"].shape, i["target"].shape)).contiguous()
            i["weight"] = d.uniform(i["input"].shape, d.beside(t), 0.1)
            return i, lambda input, target, weight: f(input, target, weight=weight, reduction=r, **a), g, r, a
        return i, lambda input, target: f(input, target, reduction=r, **a), g, r, a

    return draw


def bce(d):
    t, s, r = d.type(), d.shape(), d.reduction()
    i = {"input": d.corners(d.uniform(s, t, 0.001, 0.999), [0.0, 1.0, 1e-7], 0.3),
         "target": d.corners(d.uniform(s, d.beside(t)), [0.0, 1.0], 0.6)}
    if d.chance(0.4):
        i["weight"] = d.uniform(d.smaller(s), d.beside(t), 0, 3)
    return i, lambda input, target, weight=None: F.binary_cross_entropy(input, target, weight,
        reduction=r), ["input"], r, {}


def bce_with_logits(d):
    t, s, r = d.type(), d.shape(), d.reduction()
    i = {"input": d.corners(d.normal(s, t), [0.0, 1000.0, -1000.0, 88.0, -104.0], 0.3),
         "target": d.corners(d.uniform(s, d.beside(t)), [0.0, 1.0], 0.6)}
    g = d.of(["input", "target"])
    if d.chance(0.15):
        i["target"], g = d.below(s, 2), ["input"]
    for name in ("weight", "pos_weight"):
        if d.chance(0.4):
            i[name] = d.uniform(d.smaller(s), d.beside(t), 0, 3)
    f = lambda input, target, weight=None, pos_weight=None: F.binary_cross_entropy_with_logits(input,
        target.to(input.dtype), weight, pos_weight=pos_weight, reduction=r)
    return i, f, g, r, {}


def kl_div(d):
    t, s, r, a = d.type(), d.shape(), d.reduction(["batchmean"]), d.some(log_target=[True, False])
    x, p = d.normal(s, t), d.normal(d.smaller(s), d.beside(t))
    logarithm = a.get("log_target", False)
    p = torch.log_softmax(p.double(), -1).to(p.dtype) if logarithm else d.corners(torch.softmax(p.double(),
        -1).to(p.dtype), [0.0, 1.0], 0.4)
    g = d.of(["input", "target"]) if logarithm or p.all() else ["input"]
    return {"input": torch.log_softmax(x.double(), -1).to(x.dtype), "target": p}, lambda input, target: F.kl_div(input,
        target, reduction=r, **a), g, r, a


def classes(d):
    s = d.shape()
    return s, s[min(1, len(s) - 1)], s[:1] + s[2:] if len(s) > 1 else []


def labels(f, logits):
    def draw(d):
        t, (s, c, rows), r = d.type(), classes(d), d.reduction()
        a = d.some(ignore_index=[-100, -1, 0, 2, 255, c - 1, -7],
                   **({"label_smoothing": [0.0, 0.1, 0.5, 1.0]} if logits else {}))
        x = d.normal(s, t)
        x = d.corners(x, [1000.0, -1000.0, 0.0, 88.0]) if logits else torch.log_softmax(x.double(),
            min(1, len(s) - 1)).to(x.dtype)
        y, ignored = d.below(rows, c), a.get("ignore_index", -100)
        if d.chance(0.5) and y.numel():
            y = torch.where(torch.rand(y.shape, generator=d.g) < d.r.choice([0.1, 0.5, 0.9, 1.0]),
                            torch.tensor(ignored, dtype=y.dtype), y)
        i = {"input": x, "target": y}
        if d.chance(0.4):
            i["weight"] = d.corners(d.uniform([c], t, 0.1, 3), [0.0], 0.2)
        return i, lambda input, target, weight=None: f(input, target, weight, reduction=r, **a), ["input"], r, a

    return draw


def probabilities(d):
    t, (s, c, _), r, a = d.type(), classes(d), d.reduction(), d.some(label_smoothing=[0.0, 0.1, 0.5, 1.0])
    p = torch.softmax(d.normal(s, t).double(), min(1, len(s) - 1)).to(TYPES[d.beside(t)])
    i = {"input": d.corners(d.normal(s, t), [1000.0, -1000.0, 0.0]), "target": p}
    if d.chance(0.4):
        i["weight"] = d.uniform([c], t, 0.1, 3)
    f = lambda input, target, weight=None: F.cross_entropy(input, target, weight, reduction=r, **a)
    return i, f, d.of(["input", "target"]), r, {**a, "target_kind": "probabilities"}


def poisson_nll(d):
    t, s, r, a = d.type(), d.shape(), d.reduction(), d.some(log_input=[True, False], full=[True, False],
                                                            eps=[1e-8, 1e-3, 1e-6])
    x = d.normal(s, t, d.r.choice([0.1, 1, 2])) if a.get("log_input", True) else d.corners(d.uniform(s, t, 0.01, 9),
        [0.0], 0.3)
    y = d.corners(d.uniform(d.smaller(s), d.beside(t), 0, 9).round(), [0.0, 1.0, 2.0, 1.5, 100.0], 0.4)
    g = d.of(["input", "target"]) if not a.get("full") or y.all() else ["input"]
    return {"input": x, "target": y}, lambda input, target: F.poisson_nll_loss(input, target, reduction=r, **a), g, r, a


def gaussian_nll(d):
    t, s, r, a = d.type(), d.shape(), d.reduction(), d.some(full=[True, False], eps=[1e-6, 1e-2, 0.5])
    v = d.corners(d.uniform(d.r.choice([s, s, s[:-1] + [1], s[:-1]]), d.beside(t), 0.05, 2), [0.0, 1e-9, 0.3], 0.2)
    i = {"input": d.normal(s, t, 1), "target": d.normal(d.smaller(s, 0.2), d.beside(t), 1), "var": v}
    return i, lambda input, target, var: F.gaussian_nll_loss(input, target, var, reduction=r, **a), d.of(list(i)), r, a


def cosine_embedding(d):
    t, s, r, a = d.type(), d.shape(1, 2), d.reduction(), d.some(margin=[0.0, 0.3, -0.5, 1.0])
    y = d.signs(s[:-1], t)
    i = {"input1": d.normal(s, t), "input2": d.normal(s, t), "target": y.to(torch.int64) if d.chance(0.5) else y}
    if d.chance(0.2):
        i["input2"] = i["input1"].clone()
    return i, lambda input1, input2, target: F.cosine_embedding_loss(input1, input2, target, reduction=r,
        **a), d.of(["input1", "input2"]), r, a


def hinge_embedding(d):
    t, s, r, a = d.type(), d.shape(), d.reduction(), d.some(margin=[0.0, 0.3, 2.5, -1.0])
    y = d.signs(d.smaller(s, 0.2), d.beside(t))
    return {"input": d.normal(s, t),
            "target": y.int() if d.chance(0.2) else y}, lambda input, target: F.hinge_embedding_loss(input, target,
                reduction=r, **a), ["input"], r, a


def margin_ranking(d):
    t, s, r, a, same = d.type(), d.shape(), d.reduction(), d.some(margin=[0.0, 0.3, 2.5, -1.0]), d.chance(0.8)
    other = lambda: s if same else d.ones(s)
    i = {"input1": d.normal(s, t), "input2": d.normal(other(), d.beside(t)), "target": d.signs(other(), d.beside(t))}
    return i, lambda input1, input2, target: F.margin_ranking_loss(input1, input2, target, reduction=r,
        **a), d.of(["input1", "input2"]), r, a


def triplet(with_distance):
    def draw(d):
        t, s, r, same, scale = d.type(), d.shape(1, 4), d.reduction(), d.chance(0.8), d.r.choice([0.3, 1, 3])
        other = lambda: s if same else d.ones(s[:-1]) + s[-1:]
        i = {"anchor": d.normal(s, t, scale), "positive": d.normal(other(), d.beside(t), scale),
             "negative": d.normal(other(), d.beside(t), scale)}
        if d.chance(0.15):
            i["positive"] = i["anchor"].clone()
        a = d.some(margin=[0.5, 1.0, 3.0], swap=[True, False])
        if with_distance:
            word = d.r.choice(["1 - cosine_similarity", "pairwise_distance", None])
            distance = (lambda x, y: 1 - F.cosine_similarity(x, y,
                                                             dim=-1)) if word and word[
                                                                 0] == "1" else F.pairwise_distance
            f = lambda anchor, positive, negative: F.triplet_margin_with_distance_loss(anchor, positive, negative,
                distance_function=distance, reduction=r, **a)
            return i, f, d.of(list(i)), r, {**a, "distance": word} if word else a
        b = {**a, **d.some(p=[1.0, 2.0, 3.0, 0.5, 1.5, 7.0], eps=[1e-6, 0.0, 1e-3])}
        return i, lambda anchor, positive, negative: F.triplet_margin_loss(anchor, positive, negative, reduction=r,
            **b), d.of(list(i)), r, b

    return draw


def some_classes(d):
    s = d.shape(1, 2)
    return s[:-1] + [s[-1] or 5]


def multi_margin(d):
    t, s, r, a = d.type(), some_classes(d), d.reduction(), d.some(p=[1, 2], margin=[0.5, 1.0, 0.0, -1.0])
    i = {"input": d.normal(s, t), "target": d.below(s[:-1], s[-1])}
    if d.chance(0.4):
        i["weight"] = d.uniform(s[-1:], t, 0, 2)
    return i, lambda input, target, weight=None: F.multi_margin_loss(input, target, weight=weight, reduction=r,
        **a), ["input"], r, a


def multilabel_margin(d):
    t, s, r = d.type(), some_classes(d), d.reduction()
    y = d.below(s, s[-1] + 1) - 1
    if d.chance(0.5):
        y = torch.where(torch.rand(y.shape, generator=d.g) < 0.5, y, torch.tensor(-1, dtype=y.dtype))
    return {"input": d.normal(s, t), "target": y}, lambda input, target: F.multilabel_margin_loss(input, target,
        reduction=r), ["input"], r, {}


def multilabel_soft_margin(d):
    t, s, r = d.type(), d.shape(1, 4), d.reduction()
    i = {"input": d.normal(s, t), "target": d.corners(d.uniform(s, d.beside(t)), [0.0, 1.0], 0.8)}
    if d.chance(0.4):
        i["weight"] = d.uniform(d.r.choice([s, s[-1:]]), t, 0, 2)
    return i, lambda input, target, weight=None: F.multilabel_soft_margin_loss(input, target, weight,
        reduction=r), ["input"], r, {}


def soft_margin(d):
    t, s, r = d.type(), d.shape(), d.reduction()
    return {"input": d.normal(s, t), "target": d.signs(s,
                                                       d.beside(t))}, lambda input, target: F.soft_margin_loss(input,
                                                           target, reduction=r), ["input"], r, {}


def ctc(d):
    t, times, n, c, width = d.type(), d.r.choice([1, 2, 7, 31]), d.r.choice([1, 2, 5]), d.r.choice([2, 3, 7,
        33]), d.r.choice([0, 1, 3, 8])
    alone, r, a = d.chance(0.2), d.reduction(), d.some(blank=[0, 0, c - 1, c // 2], zero_infinity=[True, False])
    n = 1 if alone else n
    lengths, counts = [d.r.randint(max(0, times - 5), times) for _ in range(n)], [d.r.randint(0,
        width) for _ in range(n)]
    packed, integer = d.chance(0.3) and not alone, d.r.choice([torch.int64, torch.int32])
    y = torch.randint(0, c - 1, (sum(counts),) if packed else (n, width), generator=d.g)
    y = (y + (y >= a.get("blank", 0))).to(integer)
    x = torch.log_softmax(d.normal((times, n, c), "f64", d.r.choice([1, 1, 5])), -1).to(TYPES[t])
    lengths, counts = torch.tensor(lengths, dtype=integer), torch.tensor(counts, dtype=integer)
    i = {"log_probs": x, "targets": y, "input_lengths": lengths, "target_lengths": counts}
    if alone:
        i = {"log_probs": x[:, 0], "targets": y[0], "input_lengths": lengths[0], "target_lengths": counts[0]}
    f = lambda log_probs, targets, input_lengths, target_lengths: F.ctc_loss(log_probs, targets, input_lengths,
        target_lengths, reduction=r, **a)
    return i, f, ["log_probs"], r, a


LOSSES = {
    "mse": pair(F.mse_loss, lambda d: {}, True), "l1": pair(F.l1_loss, lambda d: {}, True),
    "smooth_l1": pair(F.smooth_l1_loss, lambda d: d.some(beta=[0.0, 1e-3, 0.5, 2.0])),
    "huber": pair(F.huber_loss, lambda d: d.some(delta=[0.1, 0.5, 2.0]), True), "bce": bce,
    "bce_with_logits": bce_with_logits, "kl_div": kl_div, "nll": labels(F.nll_loss, False),
    "cross_entropy": labels(F.cross_entropy, True), "cross_entropy.probabilities": probabilities,
    "poisson_nll": poisson_nll, "gaussian_nll": gaussian_nll,
    "cosine_embedding": cosine_embedding, "hinge_embedding": hinge_embedding, "margin_ranking": margin_ranking,
    "triplet_margin": triplet(False),
    "triplet_margin_with_distance": triplet(True), "multi_margin": multi_margin,
    "multilabel_margin": multilabel_margin, "multilabel_soft_margin": multilabel_soft_margin,
    "soft_margin": soft_margin, "ctc": ctc,
}


def compute(f, inputs, wrt, upstream, real, draw):
    """The value, gradients, and what these were pulled back from."""
    wide = {k: v.to(real).requires_grad_(k in wrt) if v.is_floating_point() else v.long() for k, v in inputs.items()}
    value = f(**wide)
    if upstream is None and value.ndim:
        upstream = torch.randn(value.shape, generator=draw.g)
    found = torch.autograd.grad(value, [wide[k] for k in wrt], upstream.to(real) if upstream is not None else None)
    return value.detach(), list(found), upstream


def worst(got, want, relative, absolute):
    got, want = got.double(), want.double()
    same = (got == want) | (got.isnan() & want.isnan())
    error = (got - want).abs() / (relative * want.abs() + absolute)
    return torch.where(same, 0, error.nan_to_num(math.inf, math.inf)).max().item() if got.numel() else 0


def store(folder, name, label, t):
    t = t.detach().contiguous()
    array = t.view(torch.uint16).numpy() if t.dtype == torch.bfloat16 else t.numpy()
    np.save(folder / f"{name}.{label}.npy", np.ascontiguousarray(array) if array.ndim else np.asarray(array))
    return f"{name}.{label}.npy"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=660)
    parser.add_argument("--only", action="append", choices=LOSSES)
    parser.add_argument("--elements", type=int, default=20000, help="of a tensor, at most")
    parser.add_argument("--sizes", default="1,2,3,5,7,8,16,31,33,64,130,257,1000", help="of a dimension")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    options.folder.mkdir(parents=True, exist_ok=True)
    for old in options.folder.glob("*.npy"):
        old.unlink()
    d = Draw(options.seed, [int(n) for n in options.sizes.split(",")], options.elements)
    cases, drawn, names = [], 0, options.only or list(LOSSES)
    while len(cases) < options.count:
        op, d.mark = names[drawn % len(names)], ""
        drawn += 1
        inputs, f, wrt, reduction, attributes = LOSSES[op](d)
        try:
            value, found, upstream = compute(f, inputs, wrt, None, torch.float64, d)
        except (RuntimeError, ValueError):
            continue  # PyTorch refuses it
        types = {NAMES[v.dtype] for v in inputs.values() if v.is_floating_point()}
        if upstream is not None:  # of the loss's type, as it is stored
            upstream = upstream.to(torch.float64 if "f64" in types else torch.float32)
            value, found, _ = compute(f, inputs, wrt, upstream, torch.float64, d)
        written = {NAMES[inputs[k].dtype] for k in wrt}
        kind = "bf16" if "bf16" in written else "f16" if "f16" in written else "f64" if types == {"f64"} else "f32"
        relative, absolute = TOLERANCE[kind]
        if "f64" not in types:
            value32, found32, _ = compute(f, inputs, wrt, upstream, torch.float32, d)
            hard = max([worst(value32, value, relative, absolute)] + [worst(x.to(inputs[k].dtype),
                y.to(inputs[k].dtype), relative, absolute) for k, x, y in zip(wrt, found32, found)])
            if hard > 1e4:
                continue  # f32 does not hold it
            if hard > 0.5:
                relative, absolute = 2 * hard * relative, 2 * hard * absolute
        first = next(v for v in inputs.values() if v.is_floating_point())
        name = (f"{op.partition('.')[0]}-{len(cases):04d}-{reduction}-{'x'.join(map(str, first.shape))}-"
                f"{'+'.join(sorted(types))}{'-' + d.mark if d.mark else ''}")
        files = {k: store(options.folder, name, k, v) for k, v in inputs.items()}
        files["loss"] = store(options.folder, name, "loss", value)
        if upstream is not None:
            files["upstream"] = store(options.folder, name, "upstream", upstream)
        for k, x in zip(wrt, found):
            narrow = x.to(inputs[k].dtype).double()  # what is too large for the type is infinite
            files[f"grad_{k}"] = store(options.folder, name, f"grad_{k}",
                                       torch.where(x.isfinite() & ~narrow.isfinite(), narrow, x))
        cases.append({"name": name, "op": op.partition(".")[0], "reduction": reduction, "attributes": attributes,
                      "inputs": list(inputs), "gradients": wrt, "files": files,
                      "tolerance": f"{relative:.3g},{absolute:.3g}"})
    head = {"source": f"PyTorch {torch.__version__}, float64", "flavour": options.folder.name}
    lines = ",\n".join("    " + json.dumps(case) for case in cases)
    (options.folder / "manifest.json").write_text(json.dumps(head)[:-1] + ', "cases": [\n' + lines + "\n]}\n")
    print(f"{options.folder}: {len(cases)} cases")


if __name__ == "__main__":
    main()
