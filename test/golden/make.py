#!/usr/bin/env python3
"""Makes the reference cases of this folder that PyTorch's own set does not have.

    test/golden/make.py [--only SET]          with a Python that has torch 2.13 and numpy

losses/options: options, ranks and types; losses/extremes: infinities, zeros, empty batches; losses/steps: ctc and
multilabel_margin; losses/sorted: losses that sort, scan or iterate; functions: activations and row functions, whose
`reduction` is null; user: what test/losses/user compares with. Values and gradients are PyTorch's in float64, of inputs
as they are stored. Where this library differs from PyTorch on purpose, `better` gives the function that is expected
instead; docs/losses.md lists them.
"""
import argparse
import json
import math
import pathlib

import numpy as np
import torch
import torch.nn.functional as F

ROOT = pathlib.Path(__file__).resolve().parent
INF, NAN = math.inf, math.nan
TOLERANCE = {torch.float64: "1e-9,1e-11", torch.float16: "2e-3,1e-4", torch.bfloat16: "2e-2,1e-3"}


class Set:
    def __init__(self, folder, seed):
        self.folder, self.cases = ROOT / folder, []
        self.g = torch.Generator().manual_seed(seed)
        self.folder.mkdir(parents=True, exist_ok=True)
        for old in self.folder.glob("*.npy"):
            old.unlink()

    def normal(self, *shape, scale=1.0, dtype=torch.float32):
        return (torch.randn(shape, generator=self.g) * scale).to(dtype)

    def uniform(self, *shape, low=0.0, high=1.0):
        return torch.rand(shape, generator=self.g) * (high - low) + low

    def labels(self, *shape, high, dtype=torch.int64):
        return torch.randint(high, shape, generator=self.g).to(dtype)

    def sign(self, *shape):
        return torch.randint(2, shape, generator=self.g).float() * 2 - 1

    def store(self, name, label, array):
        file = f"{name}.{label}.npy"
        if isinstance(array, torch.Tensor):
            bits = array.detach().contiguous()
            array = bits.view(torch.uint16).numpy() if bits.dtype == torch.bfloat16 else bits.numpy()
        np.save(self.folder / file, np.ascontiguousarray(array) if array.ndim else np.asarray(array))
        return file

    def add(self, name, op, f, inputs, gradients=(), reduction="mean", better=None, **attributes):
        """f(**inputs in float64) is the value; `better` too, where PyTorch's own is not to be had."""
        files = {k: self.store(name, k, v) for k, v in inputs.items()}
        wide = {k: (v.double().requires_grad_(k in gradients) if v.is_floating_point() else v.long())
                for k, v in inputs.items()}
        loss = (better or f)(**wide)
        files["loss"] = self.store(name, "loss", loss.double())
        types = {inputs[k].dtype for k in gradients} | {v.dtype for v in inputs.values() if v.is_floating_point()}
        upstream = None
        if loss.ndim or reduction in (None, "none"):
            upstream = self.normal(*loss.shape)
            if reduction is None or torch.float64 in types:  # of the result's type
                upstream = upstream.to(next(iter(inputs.values())).dtype)
            files["upstream"] = self.store(name, "upstream", upstream)
        found = torch.autograd.grad(loss, [wide[k] for k in gradients],
                                    upstream.double() if upstream is not None else None) if gradients else []
        for k, grad in zip(gradients, found):
            files[f"grad_{k}"] = self.store(name, f"grad_{k}", grad.double())
        case = {"name": name, "op": op, "reduction": reduction, "attributes": attributes, "inputs": list(inputs),
                "gradients": list(gradients), "files": files}
        tolerances = [TOLERANCE[t] for t in (torch.bfloat16, torch.float16, torch.float64) if t in types]
        if tolerances:
            case["tolerance"] = tolerances[0]
        self.cases.append(case)

    def done(self):
        head = {"source": f"PyTorch {torch.__version__}, float64", "flavour": self.folder.name}
        lines = ",\n".join("    " + json.dumps(case) for case in self.cases)
        (self.folder / "manifest.json").write_text(json.dumps(head)[:-1] + ', "cases": [\n' + lines + "\n]}\n")
        print(f"{self.folder}: {len(self.cases)} cases")


# ---- options, ranks, types -----------------------------------------------------------------

def options():
    s = Set("losses/options", 1)
    both, x = ["input", "target"], ["input"]
    pair = lambda *shape: {"input": s.normal(*shape), "target": s.normal(*shape)}
    # ranks 0 to 5
    for shape in ((), (5,), (3, 4, 5), (2, 3, 4, 5), (2, 3, 2, 2, 3)):
        for reduction in ("mean", "none"):
            s.add(f"mse-{reduction}-rank{len(shape)}", "mse", lambda input, target: F.mse_loss(input, target,
                reduction=reduction), pair(*shape), both, reduction)
    for shape in ((7,), (4, 7), (4, 7, 3), (2, 7, 3, 2), (2, 7, 2, 3, 2)):
        rows = shape[:1] + shape[2:] if len(shape) > 1 else ()
        i32 = torch.int32 if len(shape) % 2 else torch.int64
        for reduction in ("mean", "sum", "none"):
            inputs = {"input": s.normal(*shape, scale=3), "target": s.labels(*rows, high=7, dtype=i32),
                      "weight": s.uniform(7, low=0.5)}
            s.add(f"cross_entropy-{reduction}-rank{len(shape)}", "cross_entropy",
                  lambda input, target, weight: F.cross_entropy(input, target, weight, reduction=reduction,
                                                                label_smoothing=0.2), inputs, x, reduction,
                                                                label_smoothing=0.2)
            s.add(f"nll-{reduction}-rank{len(shape)}", "nll", lambda input, target, weight: F.nll_loss(input,
                target, weight, reduction=reduction), inputs, x, reduction)
            probabilities = {"input": inputs["input"], "target": torch.softmax(s.normal(*shape),
                1 if len(shape) > 1 else 0), "weight": inputs["weight"]}
            s.add(f"cross_entropy-{reduction}-prob-rank{len(shape)}", "cross_entropy",
                  lambda input, target, weight: F.cross_entropy(input, target, weight, reduction=reduction,
                                                                label_smoothing=0.2), probabilities, both, reduction,
                  label_smoothing=0.2, target_kind="probabilities", ignore_index=-100)
    # types: loss in f32 of half types, in f64 of f64; integers where floats are meant
    for dtype in (torch.float64, torch.float16, torch.bfloat16):
        word = str(dtype).rpartition(".")[2]
        make = lambda *shape, **k: s.normal(*shape, dtype=dtype, **k)
        s.add(f"huber-mean-{word}", "huber", lambda input, target: F.huber_loss(input, target, delta=0.7),
              {"input": make(6, 19), "target": make(6, 19)}, both, delta=0.7)
        s.add(f"cross_entropy-mean-{word}", "cross_entropy", lambda input, target: F.cross_entropy(input, target),
              {"input": make(6, 19, scale=3), "target": s.labels(6, high=19)}, x)
        s.add(f"cross_entropy-none-{word}", "cross_entropy", lambda input, target: F.cross_entropy(input, target,
            reduction="none"), {"input": make(6, 19, scale=3), "target": s.labels(6, high=19)}, x, "none")
        s.add(f"bce_with_logits-mean-{word}", "bce_with_logits",
              lambda input, target: F.binary_cross_entropy_with_logits(input, target),
              {"input": make(6, 19), "target": s.uniform(6, 19).to(dtype)}, x)
        s.add(f"poisson_nll-sum-{word}", "poisson_nll", lambda input, target: F.poisson_nll_loss(input, target,
            full=True, reduction="sum"), {"input": make(3, 5), "target": s.uniform(3, 5, high=6).to(dtype)}, x,
            "sum", full=True)
        s.add(f"gaussian_nll-mean-{word}", "gaussian_nll", lambda input, target, var: F.gaussian_nll_loss(input,
            target, var, full=True), {"input": make(3, 5), "target": make(3, 5),
                                      "var": s.uniform(3, 5, low=0.5).to(dtype)}, both + ["var"], full=True)
        s.add(f"cosine_embedding-mean-{word}", "cosine_embedding",
              lambda input1, input2, target: F.cosine_embedding_loss(input1, input2, target, 0.1),
              {"input1": make(6, 19), "input2": make(6, 19), "target": s.sign(6)}, ["input1", "input2"], margin=0.1)
    s.add("bce_with_logits-mean-integers", "bce_with_logits",
          lambda input, target: F.binary_cross_entropy_with_logits(input, target.double()),
          {"input": s.normal(4, 6), "target": s.labels(4, 6, high=2)}, x)
    s.add("hinge_embedding-mean-integers", "hinge_embedding", lambda input, target: F.hinge_embedding_loss(input,
        target.double()), {"input": s.normal(4, 6), "target": s.sign(4, 6).int()}, x)
    # broadcasting
    for op, f in (("mse", F.mse_loss), ("l1", F.l1_loss), ("huber", F.huber_loss), ("smooth_l1", F.smooth_l1_loss)):
        s.add(f"{op}-none-broadcast", op, lambda input, target: f(input, target, reduction="none"),
              {"input": s.normal(4, 1, 6), "target": s.normal(5, 6)}, both, "none")
        s.add(f"{op}-mean-broadcast", op, lambda input, target: f(input, target),
              {"input": s.normal(4, 5, 6), "target": s.normal(1)}, both)
    s.add("poisson_nll-mean-broadcast", "poisson_nll", lambda input, target: F.poisson_nll_loss(input, target),
          {"input": s.normal(4, 6), "target": s.uniform(6, high=3)}, x)
    s.add("kl_div-mean-broadcast", "kl_div", lambda input, target: F.kl_div(input, target),
          {"input": s.normal(4, 6), "target": s.uniform(6)}, x)
    s.add("gaussian_nll-mean-leading", "gaussian_nll", lambda input, target, var: F.gaussian_nll_loss(input, target,
        var), {"input": s.normal(4, 5, 6), "target": s.normal(4, 5, 6), "var": s.uniform(4, 5, low=0.3)},
        both + ["var"])
    s.add("gaussian_nll-mean-channel", "gaussian_nll", lambda input, target, var: F.gaussian_nll_loss(input, target,
        var), {"input": s.normal(4, 5, 6), "target": s.normal(4, 5, 6), "var": s.uniform(4, 1, 6, low=0.3)},
        both + ["var"])
    s.add("bce-mean-weight-column", "bce", lambda input, target, weight: F.binary_cross_entropy(input, target, weight),
          {"input": s.uniform(4, 6, low=0.1, high=0.9), "target": s.uniform(4, 6), "weight": s.uniform(6)}, x)
    s.add("bce_with_logits-mean-pos_weight", "bce_with_logits",
          lambda input, target, pos_weight: F.binary_cross_entropy_with_logits(input, target, pos_weight=pos_weight),
          {"input": s.normal(4, 6), "target": s.uniform(4, 6), "pos_weight": s.uniform(6, high=3)}, both)
    s.add("bce_with_logits-sum-weight", "bce_with_logits",
          lambda input, target, weight: F.binary_cross_entropy_with_logits(input, target, weight, reduction="sum"),
          {"input": s.normal(2, 3, 4, 6), "target": s.uniform(2, 3, 4, 6), "weight": s.uniform(4, 1)}, x, "sum")
    # options
    for reduction in ("mean", "sum", "none"):
        weighted = {**pair(4, 6), "weight": s.uniform(4, 6)}
        s.add(f"mse-{reduction}-weight", "mse", lambda input, target, weight: F.mse_loss(input, target,
            reduction=reduction, weight=weight), weighted, both, reduction)
        s.add(f"l1-{reduction}-weight", "l1", lambda input, target, weight: F.l1_loss(input, target,
            reduction=reduction, weight=weight), weighted, both, reduction)
        s.add(f"huber-{reduction}-weight", "huber", lambda input, target, weight: F.huber_loss(input, target,
            reduction=reduction, weight=weight, delta=0.5), weighted, both, reduction, delta=0.5)
        for p in (0.5, 1.5, 2.0, INF):
            triplet = {k: s.normal(4, 9) for k in ("anchor", "positive", "negative")}
            s.add(f"triplet_margin-{reduction}-p{p}", "triplet_margin",
                  lambda anchor, positive, negative: F.triplet_margin_loss(anchor, positive, negative, 2.0, p,
                      1e-4, True, reduction=reduction), triplet, list(triplet), reduction, margin=2.0, p=p, eps=1e-4,
                      swap=True)
        triplet = {k: s.normal(4, 3, 9) for k in ("anchor", "positive", "negative")}
        s.add(f"triplet_margin-{reduction}-rank3", "triplet_margin",
              lambda anchor, positive, negative: F.triplet_margin_loss(anchor, positive, negative,
                  reduction=reduction), triplet, list(triplet), reduction)
        triplet = {k: s.normal(4, 9) for k in ("anchor", "positive", "negative")}
        s.add(f"triplet_margin_with_distance-{reduction}-pairwise", "triplet_margin_with_distance",
              lambda anchor, positive, negative: F.triplet_margin_with_distance_loss(anchor, positive, negative,
                  margin=2.0, reduction=reduction), triplet, list(triplet), reduction, margin=2.0)
        s.add(f"multi_margin-{reduction}-p2-weight", "multi_margin",
              lambda input, target, weight: F.multi_margin_loss(input, target, 2, 1.5, weight, reduction=reduction),
              {"input": s.normal(5, 6), "target": s.labels(5, high=6), "weight": s.uniform(6)}, x, reduction,
              p=2, margin=1.5)
        s.add(f"cosine_embedding-{reduction}-one", "cosine_embedding",
              lambda input1, input2, target: F.cosine_embedding_loss(input1, input2, target, reduction=reduction),
              {"input1": s.normal(9), "input2": s.normal(9), "target": s.sign()}, ["input1", "input2"], reduction)
        s.add(f"margin_ranking-{reduction}-default", "margin_ranking",
              lambda input1, input2, target: F.margin_ranking_loss(input1, input2, target, reduction=reduction),
              {"input1": s.normal(4, 5), "input2": s.normal(4, 5), "target": s.sign(4, 5)}, ["input1", "input2"],
              reduction)
        s.add(f"kl_div-{reduction}-zeros", "kl_div", lambda input, target: F.kl_div(input, target,
            reduction=reduction), {"input": s.normal(4, 6), "target": torch.relu(s.uniform(4, 6, low=-0.5))},
            x, reduction)
        s.add(f"cross_entropy-{reduction}-ignored", "cross_entropy", lambda input, target: F.cross_entropy(input,
            target, reduction=reduction, ignore_index=2), {"input": s.normal(8, 4), "target": s.labels(8, high=4)},
            x, reduction, ignore_index=2)
    s.add("multi_margin-mean-rank1", "multi_margin", lambda input, target: F.multi_margin_loss(input, target),
          {"input": s.normal(6), "target": s.labels(high=6)}, x)
    s.add("multilabel_soft_margin-mean-rank3", "multilabel_soft_margin",
          lambda input, target: F.multilabel_soft_margin_loss(input, target),
          {"input": s.normal(3, 4, 5), "target": s.uniform(3, 4, 5)}, x)
    s.done()


# ---- extremes -----------------------------------------------------------------------------------

def extremes():
    s = Set("losses/extremes", 2)
    t, x = torch.tensor, ["input"]
    logits = t([[1000.0, -1000.0, 0.0], [-1000.0, -1000.0, -1000.0], [1000.0, 1000.0, 999.0], [88.0, -104.0, 3e38]])
    labels = t([1, 0, 2, 0])
    ce = lambda **k: lambda input, target: F.cross_entropy(input, target, **k)
    for reduction in ("mean", "none"):
        s.add(f"cross_entropy-{reduction}-1000", "cross_entropy", ce(reduction=reduction),
              {"input": logits, "target": labels}, x, reduction)
        s.add(f"cross_entropy-{reduction}-1000-smooth", "cross_entropy", ce(reduction=reduction, label_smoothing=0.1),
              {"input": logits[:3], "target": labels[:3]}, x, reduction, label_smoothing=0.1)
        s.add(f"cross_entropy-{reduction}-minus-infinity", "cross_entropy", ce(reduction=reduction),
              {"input": t([[-INF, 1.0, 2.0], [3.0, -INF, -INF]]), "target": t([1, 0])}, x, reduction)
        s.add(f"cross_entropy-{reduction}-one-class", "cross_entropy", ce(reduction=reduction),
              {"input": t([[3.0], [-7.0]]), "target": t([0, 0])}, x, reduction)
        s.add(f"nll-{reduction}-one-class", "nll", lambda input, target: F.nll_loss(input, target,
            reduction=reduction), {"input": t([[-3.0], [-7.0]]), "target": t([0, 0])}, x, reduction)
        s.add(f"cross_entropy-{reduction}-all-ignored", "cross_entropy", ce(reduction=reduction),
              {"input": logits, "target": t([-100] * 4)}, x, reduction)
        s.add(f"nll-{reduction}-all-ignored", "nll", lambda input, target: F.nll_loss(input, target,
            reduction=reduction), {"input": -logits.abs(), "target": t([-100] * 4)}, x, reduction)
    s.add("cross_entropy-none-impossible-label", "cross_entropy", ce(reduction="none"),
          {"input": t([[-INF, 1.0, 2.0]]), "target": t([0])}, [], "none")
    s.add("cross_entropy-none-prob-1000", "cross_entropy", ce(reduction="none"),
          {"input": logits[:3], "target": t([[1.0, 0, 0], [0.2, 0.3, 0.5], [0, 0, 1.0]])}, x, "none")
    # Where a class is impossible and unasked, PyTorch has 0 * inf.
    safe = lambda input, target: -(target * torch.where((target == 0) & (input == -INF), torch.zeros_like(input),
                                                        torch.log_softmax(input, 1))).sum(1)
    s.add("cross_entropy-none-prob-minus-infinity", "cross_entropy", ce(reduction="none"),
          {"input": t([[-INF, 1.0, 2.0]]), "target": t([[0, 0.5, 0.5]])}, [], "none", better=safe)

    corners = t([1000.0, -1000.0, 0.0, -0.0, 104.0, -104.0, 17.0, -17.0, 1e-30, -3e38])
    for target in (0.0, 1.0, 0.25):
        s.add(f"bce_with_logits-none-target{target}", "bce_with_logits",
              lambda input, target: F.binary_cross_entropy_with_logits(input, target, reduction="none"),
              {"input": corners, "target": torch.full((10,), target)}, x, "none")
    s.add("bce_with_logits-none-infinite", "bce_with_logits", None,
          {"input": t([INF, -INF, INF, -INF]), "target": t([1.0, 0.0, 0.0, 1.0])}, [], "none",
          better=lambda input, target: t([0.0, 0.0, INF, INF]))
    s.add("multilabel_soft_margin-none-1000", "multilabel_soft_margin",
          lambda input, target: F.multilabel_soft_margin_loss(input, target, reduction="none"),
          {"input": corners.reshape(2, 5), "target": t([[0.0, 1, 0, 1, 0.5]] * 2)}, x, "none")
    s.add("bce-none-zero-one", "bce", lambda input, target: F.binary_cross_entropy(input, target, reduction="none"),
          {"input": t([0.0, 0.0, 1.0, 1.0, 1e-30, 0.5]), "target": t([0.0, 1.0, 0.0, 1.0, 0.3, 0.5])}, x, "none")
    s.add("bce-mean-zero-one", "bce", lambda input, target: F.binary_cross_entropy(input, target),
          {"input": t([0.0, 0.0, 1.0, 1.0]), "target": t([0.0, 1.0, 0.0, 1.0])}, x)
    # PyTorch's exp overflows.
    s.add("soft_margin-none-1000", "soft_margin", lambda input, target: F.soft_margin_loss(input, target,
        reduction="none"), {"input": corners[:9], "target": t([1.0, 1, 1, -1, -1, -1, 1, 1, 1])}, x, "none",
        better=lambda input, target: torch.logaddexp(torch.zeros_like(input), -target * input))
    s.add("kl_div-none-zeros", "kl_div", lambda input, target: F.kl_div(input, target, reduction="none"),
          {"input": t([0.0, -1000.0, -INF, -3.0]), "target": t([0.0, 0.0, 0.5, 1e-30])}, x, "none")
    s.add("kl_div-none-zero-infinite", "kl_div", None, {"input": t([-INF, -INF]), "target": t([0.0, 0.0])}, [],
          "none", better=lambda input, target: t([0.0, 0.0]))
    s.add("kl_div-none-log-target", "kl_div", lambda input, target: F.kl_div(input, target, reduction="none",
        log_target=True), {"input": t([0.0, -1000.0, -3.0]), "target": t([-1000.0, -1000.0, -1000.0])},
        ["input", "target"], "none", log_target=True)
    s.add("kl_div-none-log-target-infinite", "kl_div", None, {"input": t([-INF, -2.0]), "target": t([-INF, -INF])},
          [], "none", better=lambda input, target: t([0.0, 0.0]), log_target=True)
    s.add("poisson_nll-none-zeros", "poisson_nll", lambda input, target: F.poisson_nll_loss(input, target,
        reduction="none", log_input=False, full=True),
        {"input": t([0.0, 0.0, 1.0, 1e-30]), "target": t([0.0, 2.0, 1.0, 0.5])}, x, "none", log_input=False, full=True)
    s.add("poisson_nll-none-log-1000", "poisson_nll", lambda input, target: F.poisson_nll_loss(input, target,
        reduction="none"), {"input": t([-1000.0, -INF, 80.0]), "target": t([3.0, 1.0, 0.0])}, x, "none")
    gauss = {"input": t([1.0, 2.0, 3.0, 1000.0]), "target": t([1.0, 1.0, -3.0, -1000.0])}
    s.add("gaussian_nll-none-no-variance", "gaussian_nll", lambda input, target, var: F.gaussian_nll_loss(input,
        target, var, reduction="none"), {**gauss, "var": t([0.0, 1e-7, 1e-6, 0.0])}, ["input", "target", "var"], "none")
    s.add("gaussian_nll-mean-large-eps", "gaussian_nll", lambda input, target, var: F.gaussian_nll_loss(input,
        target, var, eps=0.5), {**gauss, "var": t([0.0, 0.4, 0.5, 0.6])}, ["input", "target", "var"], eps=0.5)
    same = s.normal(3, 8)
    for margin in (0.0, 0.3):
        s.add(f"cosine_embedding-none-same-{margin}", "cosine_embedding",
              lambda input1, input2, target: F.cosine_embedding_loss(input1, input2, target, margin, reduction="none"),
              {"input1": same, "input2": same.clone(), "target": t([1.0, -1.0, 1.0])}, ["input1", "input2"], "none",
              margin=margin)
    s.add("cosine_embedding-none-zero", "cosine_embedding",
          lambda input1, input2, target: F.cosine_embedding_loss(input1, input2, target, reduction="none"),
          {"input1": torch.zeros(2, 8), "input2": s.normal(2, 8), "target": t([1.0, -1.0])}, ["input1", "input2"],
          "none")
    s.add("cosine_embedding-none-large", "cosine_embedding",
          lambda input1, input2, target: F.cosine_embedding_loss(input1, input2, target, reduction="none"),
          {"input1": s.normal(2, 8) * 1e12, "input2": s.normal(2, 8) * 1e12, "target": t([1.0, 1.0])},
          ["input1", "input2"], "none")
    names = ["anchor", "positive", "negative"]
    for eps in (1e-6, 0.0):
        for p in (1.0, 2.0, 3.0, 0.5):
            triple = {"anchor": same, "positive": same.clone(), "negative": same.clone()}
            s.add(f"triplet_margin-none-same-p{p}-eps{eps}", "triplet_margin",
                  lambda anchor, positive, negative: F.triplet_margin_loss(anchor, positive, negative, 1.0, p,
                      eps, True, reduction="none"), triple, names, "none", p=p, eps=eps, swap=True)
    cosine = lambda a, b: 1 - F.cosine_similarity(a, b)
    triple = {"anchor": torch.zeros(2, 8), "positive": s.normal(2, 8), "negative": torch.zeros(2, 8)}
    s.add("triplet_margin_with_distance-none-zero", "triplet_margin_with_distance",
          lambda anchor, positive, negative: F.triplet_margin_with_distance_loss(anchor, positive, negative,
              distance_function=cosine, reduction="none"), triple, names, "none", distance="1 - cosine_similarity")
    corner = t([1.0, -1.0, 0.0, INF, -INF, 1e-30, 0.5])
    zero = torch.zeros(7)
    for op, f in (("l1", F.l1_loss), ("smooth_l1", F.smooth_l1_loss), ("huber", F.huber_loss)):
        s.add(f"{op}-none-corners", op, lambda input, target: f(input, target, reduction="none"),
              {"input": corner, "target": zero}, x, "none")
    s.add("smooth_l1-none-corners-beta0", "smooth_l1", lambda input, target: F.smooth_l1_loss(input, target,
        reduction="none", beta=0.0), {"input": corner, "target": zero}, x, "none", beta=0.0)
    s.add("hinge_embedding-none-corners", "hinge_embedding", lambda input, target: F.hinge_embedding_loss(input,
        target, reduction="none"), {"input": t([1.0, 1.0, 2.0, 0.5, 0.5, INF, -INF]),
                                    "target": t([-1.0, 1.0, -1.0, 0.0, 3.0, -1.0, -1.0])}, x, "none")
    s.add("margin_ranking-none-corners", "margin_ranking", lambda input1, input2, target: F.margin_ranking_loss(input1,
        input2, target, 0.5, reduction="none"), {"input1": t([0.5, 0.0, 1000.0]), "input2": t([0.0, 0.5, -1000.0]),
                                                 "target": t([1.0, -1.0, -1.0])}, ["input1", "input2"], "none",
                                                 margin=0.5)
    s.add("multi_margin-none-corners", "multi_margin", lambda input, target: F.multi_margin_loss(input, target,
        reduction="none"), {"input": t([[1.0, 0.0, 2.0], [1e6, 0.0, -1e6], [0.0, 1000.0, INF]]),
                            "target": t([0, 0, 1])}, x, "none")
    # A batch of no rows: the mean is NaN, the sum 0.
    for op, f, target in (("mse", F.mse_loss, torch.zeros(0, 3)),
                          ("cross_entropy", F.cross_entropy, torch.zeros(0, dtype=torch.int64)),
                          ("bce_with_logits", F.binary_cross_entropy_with_logits, torch.zeros(0, 3))):
        for reduction in ("mean", "sum", "none"):
            s.add(f"{op}-{reduction}-empty", op, lambda input, target: f(input, target, reduction=reduction),
                  {"input": torch.zeros(0, 3), "target": target}, x, reduction)
    for name, op, f, attributes in (("l1", "l1", F.l1_loss, {}), ("smooth_l1", "smooth_l1", F.smooth_l1_loss, {}),
                                    ("smooth_l1-beta0", "smooth_l1", F.smooth_l1_loss, {"beta": 0.0}),
                                    ("huber", "huber", F.huber_loss, {})):
        s.add(f"{name}-none-nan", op, lambda input, target: f(input, target, reduction="none", **attributes),
              {"input": t([NAN, 1.0, INF]), "target": t([0.0, NAN, NAN])}, x, "none", **attributes)
    s.done()


# ---- activations and row functions --------------------------------------------------------------------

def functions():
    s = Set("functions", 3)
    corners = torch.tensor([-3.0, 3.0, 0.0, 0.5, -0.5, 1.0, -1.0, 6.0, 100.0, -100.0, 1e-20, 25.0])
    more = [("relu", F.relu, {}), ("leaky_relu", F.leaky_relu, {}),
            ("leaky_relu", F.leaky_relu, {"negative_slope": 0.2}), ("elu", F.elu, {}), ("elu", F.elu, {"alpha": 2.0}),
            ("selu", F.selu, {}), ("celu", F.celu, {}), ("celu", F.celu, {"alpha": 2.0}), ("gelu", F.gelu, {}),
            ("gelu", F.gelu, {"approximate": "tanh"}), ("silu", F.silu, {}),
            ("mish", F.mish, {}), ("softplus", F.softplus, {}),
            ("softplus", F.softplus, {"beta": 2.0, "threshold": 4.0}), ("softsign", F.softsign, {}),
            ("hardswish", F.hardswish, {}),
            ("hardsigmoid", F.hardsigmoid, {}), ("hardtanh", F.hardtanh, {}),
            ("hardtanh", F.hardtanh, {"min_val": -3.0, "max_val": 0.5}), ("tanh", torch.tanh, {}),
            ("sigmoid", torch.sigmoid, {}),
            ("logsigmoid", F.logsigmoid, {}), ("relu6", F.relu6, {}),
            ("threshold", F.threshold, {"threshold": 0.5, "value": -7.0}), ("tanhshrink", F.tanhshrink, {}),
            ("softshrink", F.softshrink, {}),
            ("softshrink", F.softshrink, {"lambd": 1.0}), ("hardshrink", F.hardshrink, {}),
            ("hardshrink", F.hardshrink, {"lambd": 1.0})]
    for op, f, attributes in more:
        name = op + "".join(f"-{v}" for v in attributes.values())
        g = lambda x: f(x, **attributes)
        s.add(f"{name}-rank3", op, g, {"x": s.normal(2, 5, 7, scale=2)}, ["x"], None, **attributes)
        s.add(f"{name}-corners", op, g, {"x": corners}, ["x"], None, **attributes)
    for dtype in (torch.float64, torch.float16, torch.bfloat16):
        for op, f in (("gelu", F.gelu), ("silu", F.silu), ("softmax", lambda x: torch.softmax(x, -1))):
            s.add(f"{op}-{str(dtype).rpartition('.')[2]}", op, lambda x: f(x), {"x": s.normal(3, 9, dtype=dtype)},
                  ["x"], None)
    s.add("softmax-rank3", "softmax", lambda x: torch.softmax(x, -1), {"x": s.normal(2, 5, 7, scale=3)}, ["x"], None)
    s.add("log_softmax-rank3", "log_softmax", lambda x: torch.log_softmax(x, -1), {"x": s.normal(2, 5, 7, scale=3)},
          ["x"], None)
    s.add("softmax-1000", "softmax", lambda x: torch.softmax(x, -1),
          {"x": torch.tensor([[1000.0, -1000.0, 999.0], [-INF, 1.0, 2.0]])}, ["x"], None)
    s.add("log_softmax-1000", "log_softmax", lambda x: torch.log_softmax(x, -1),
          {"x": torch.tensor([[1000.0, -1000.0, 999.0], [-1000.0, 1.0, 2.0]])}, ["x"], None)
    s.add("layer_norm-plain", "layer_norm", lambda x: F.layer_norm(x, (7,)), {"x": s.normal(5, 7)}, ["x"], None)
    s.add("layer_norm-affine", "layer_norm", lambda x, weight, bias: F.layer_norm(x, (7,), weight, bias, 1e-3),
          {"x": s.normal(2, 5, 7), "weight": s.normal(7), "bias": s.normal(7)}, ["x", "weight", "bias"], None, eps=1e-3)
    s.add("rms_norm-plain", "rms_norm", lambda x: F.rms_norm(x, (7,), eps=1.1920928955078125e-07),
          {"x": s.normal(5, 7)}, ["x"], None)
    s.add("rms_norm-weight", "rms_norm", lambda x, weight: F.rms_norm(x, (7,), weight, 1e-3),
          {"x": s.normal(5, 7), "weight": s.normal(7)}, ["x", "weight"], None, eps=1e-3)
    for p in (0.0, 0.5, 1.0, 2.0, 3.0, INF):
        # Nothing can be differentiated by p = 0 in PyTorch.
        s.add(f"pairwise_distance-p{p}", "pairwise_distance", lambda x1, x2: F.pairwise_distance(x1, x2, p, 0.0),
              {"x1": torch.tensor([[1.0, 0, 2, 3], [0, 0, 0, 0]]), "x2": torch.zeros(2, 4)}, ["x1", "x2"] if p else [],
              None, p=p, eps=0.0)
    s.add("cosine_similarity", "cosine_similarity", lambda x1, x2: F.cosine_similarity(x1, x2),
          {"x1": s.normal(3, 8), "x2": s.normal(3, 8)}, ["x1", "x2"], None)
    s.add("cosine_similarity-zero", "cosine_similarity", lambda x1, x2: F.cosine_similarity(x1, x2),
          {"x1": torch.tensor([[1.0, 0, 2], [0, 0, 0], [1e-9, 0, 0]]),
           "x2": torch.tensor([[0.0, 1, 1], [1, 1, 0], [1, 2, 0]])}, ["x1", "x2"], None)
    s.add("cosine_distance", "cosine_distance", lambda x1, x2: 1 - F.cosine_similarity(x1, x2),
          {"x1": s.normal(3, 8), "x2": s.normal(3, 8)}, ["x1", "x2"], None)
    s.done()


# ---- losses in steps -------------------------------------------------------------------------

def steps():
    s = Set("losses/steps", 7)

    def ctc(name, times, classes, width, lengths, counts, reduction="mean", labels=torch.int64, dtype=torch.float32,
            packed=False, log_probs=None, targets=None, **attributes):
        alone = not isinstance(lengths, list)
        rows = 1 if alone else len(lengths)
        if log_probs is None:
            log_probs = torch.log_softmax(s.normal(*((times, classes) if alone else (times, rows, classes))), -1)
        if targets is None:
            shape = (counts,) if alone else (sum(counts),) if packed else (rows, width)
            targets = s.labels(*shape, high=classes - 1) + (attributes.get("blank", 0) == 0)
        inputs = {"log_probs": log_probs.to(dtype), "targets": targets.to(labels),
                  "input_lengths": torch.tensor(lengths), "target_lengths": torch.tensor(counts)}
        s.add(f"ctc-{reduction}-{name}", "ctc",
              lambda log_probs, targets, input_lengths, target_lengths: F.ctc_loss(log_probs, targets, input_lengths,
                  target_lengths, reduction=reduction, **attributes), inputs, ["log_probs"], reduction, **attributes)

    lengths, counts = [20, 18, 15, 20], [6, 4, 5, 1]
    for reduction in ("mean", "sum", "none"):
        ctc("packed", 20, 9, 6, lengths, counts, reduction, packed=True)
        ctc("infinite", 10, 5, 6, [3, 10, 2], [6, 4, 5], reduction, zero_infinity=True)
        ctc("empty-targets", 10, 5, 4, [10, 8, 9], [0, 2, 0], reduction)
    ctc("i32", 20, 9, 6, lengths, counts, labels=torch.int32)
    ctc("blank", 20, 9, 6, lengths, counts, "none", blank=8)
    ctc("infinite-loss", 10, 5, 6, [3, 10, 2], [6, 4, 5], "none")
    ctc("no-time", 6, 5, 2, [0, 0, 6], [0, 1, 2], "none")
    ctc("repeats", 7, 5, 4, [7, 6], [4, 4], "none", targets=torch.full((2, 4), 2), zero_infinity=True)
    ctc("no-labels", 5, 1, 0, [5, 4], [0, 0], "none", targets=torch.zeros(2, 0, dtype=torch.int64))
    ctc("alone", 20, 9, 6, 20, 6, "none")
    ctc("alone", 20, 9, 6, 17, 6)
    ctc("long", 300, 40, 60, [300, 250, 200], [60, 50, 40], "none")
    ctc("sharp", 100, 30, 30, [100, 90], [30, 20], "none", log_probs=torch.log_softmax(s.normal(100, 2, 30, scale=20),
        -1))
    ctc("extreme", 12, 6, 4, [12, 11], [4, 3], "none",
        log_probs=torch.log_softmax((s.labels(12, 2, 6, high=3) - 1) * 1000.0, -1))
    for dtype in (torch.float64, torch.float16, torch.bfloat16):
        ctc(str(dtype).rpartition(".")[2], 20, 9, 6, lengths, counts, dtype=dtype)

    def multilabel(name, input, target, reduction="mean"):
        s.add(f"multilabel_margin-{reduction}-{name}", "multilabel_margin",
              lambda input, target: F.multilabel_margin_loss(input, target, reduction=reduction),
              {"input": input, "target": target}, ["input"], reduction)

    target = s.labels(12, 10, high=10)
    for row in range(12):
        target[row, row % 11:] = torch.where(torch.arange(10 - row % 11) % 3 == 0, -1, target[row, row % 11:])
    for reduction in ("mean", "sum", "none"):
        multilabel("ends", s.normal(12, 10), target, reduction)
        multilabel("repeats", s.normal(12, 10), s.labels(12, 10, high=4), reduction)
        multilabel("alone", s.normal(10), torch.tensor([3, 0, -1, 4, 5, 6, 7, 8, 9, 1]), reduction)
    multilabel("i32", s.normal(12, 10), target.int(), "none")
    multilabel("no-labels", s.normal(4, 10), torch.full((4, 10), -1), "none")
    multilabel("large", s.normal(12, 10, scale=1000), target, "none")
    multilabel("ties", torch.ones(3, 5), torch.tensor([[1, 2, -1, 0, 0]] * 3), "none")
    multilabel("one-class", s.normal(4, 1), torch.zeros(4, 1, dtype=torch.int64), "none")
    for dtype in (torch.float64, torch.float16, torch.bfloat16):
        multilabel(str(dtype).rpartition(".")[2], s.normal(12, 10, dtype=dtype), target)
    s.done()


# ---- losses that sort, scan or iterate -------------------------------------------------------------------

def lovasz_gradient(target):
    """lovasz_grad of the code of the paper, whatever is in front of the last dimension."""
    sums = target.sum(-1, keepdim=True)
    intersection, union = sums - target.cumsum(-1), sums + (1 - target).cumsum(-1)
    jaccard = 1 - intersection / union
    return torch.diff(jaccard, dim=-1, prepend=torch.zeros_like(sums)).detach()


def reduced(values, weights, reduction):
    if reduction == "none":
        return values
    return values.sum() if reduction == "sum" else values.sum() / weights.sum()


def rows(x):
    return x.reshape(math.prod(x.shape[:-1]), x.shape[-1])


def lovasz_hinge(input, target, reduction="mean", ignore_index=-100):
    losses = []
    for x, t in zip(rows(input), rows(target)):
        keep = t != ignore_index
        x, t = x[keep], t[keep].to(x.dtype)
        errors, order = torch.sort(1 - x * (2 * t - 1), descending=True, stable=True)
        losses.append(F.relu(errors) @ lovasz_gradient(t[order]))
    all = torch.stack(losses).reshape(input.shape[:-1]) if losses else input.sum(-1)
    return reduced(all, torch.ones_like(all), reduction)


def lovasz_softmax(input, target, reduction="mean", classes="present", ignore_index=-100):
    losses, weights = [], []
    for c in range(input.shape[1]):
        keep = target != ignore_index
        y = (target[keep] == c).to(input.dtype)
        errors, order = torch.sort((y - input[keep, c]).abs(), descending=True, stable=True)
        absent = classes == "present" and not y.any()
        losses.append((errors @ lovasz_gradient(y[order])) * (not absent))
        weights.append(torch.tensor(float(not absent), dtype=input.dtype))
    return reduced(torch.stack(losses), torch.stack(weights), reduction)


def list_mle(input, target, reduction="mean", ignore_index=-100):
    losses = []
    for x, t in zip(rows(input), rows(target)):
        keep = t != ignore_index
        s = x[keep][torch.sort(t[keep], descending=True, stable=True)[1]]
        losses.append((s.flip(0).logcumsumexp(0).flip(0) - s).sum())
    all = torch.stack(losses).reshape(input.shape[:-1]) if losses else input.sum(-1)
    return reduced(all, torch.ones_like(all), reduction)


def ohem(input, reduction="mean", k=0, threshold=INF):
    s = torch.sort(input, descending=True, stable=True)[0]
    kept = (torch.arange(input.shape[-1]) < k) | (s > threshold)
    all = (s * kept).sum(-1) / kept.sum(-1)
    return reduced(all, torch.ones_like(all), reduction)


def sinkhorn(cost, reduction="mean", epsilon=0.1, iterations=10):
    c, n, m = cost / epsilon, cost.shape[-2], cost.shape[-1]
    g = torch.zeros_like(cost[..., 0, :])
    for _ in range(iterations):
        f = -math.log(n) - torch.logsumexp(g.unsqueeze(-2) - c, -1)
        g = -math.log(m) - torch.logsumexp(f.unsqueeze(-1) - c, -2)
    all = (torch.exp(f.unsqueeze(-1) + g.unsqueeze(-2) - c) * cost).sum((-2, -1))
    return reduced(all, torch.ones_like(all), reduction)


def sorted_losses():
    s = Set("losses/sorted", 7)
    types = {"f32": torch.float32, "f64": torch.float64, "bf16": torch.bfloat16}

    def every(op, f, inputs, wrt, cases):
        """Each case in f32, some in each type; inputs(shape, dtype) draws them."""
        for name, (shape, options) in cases.items():
            for type in types if name in ("rows", "none", "ties", "places", "both", "plans") else ["f32"]:
                dtype = types[type]
                reduction = options.get("reduction", "mean")
                attributes = {k: v for k, v in options.items() if k != "reduction"}
                given = {k: v for k, v in options.items() if v is not None}
                s.add(f"{op}-{name}-{type}", op, lambda f=f, given=given, **inputs: f(**inputs, **given),
                      inputs(shape, dtype), wrt, reduction, **attributes)

    def pairs(high, ties=False, ignore=False):
        def draw(shape, dtype):
            x = s.normal(*shape)
            x = (x * 2).round() / 2 if ties else x
            t = s.labels(*shape, high=high)
            if ignore:
                t[torch.rand(shape, generator=s.g) < 0.3] = -100
            return {"input": x.to(dtype), "target": t}
        return draw

    shapes = {"rows": ((4, 9), {}), "sum": ((3, 2, 33), {"reduction": "sum"}), "none": ((5, 17), {"reduction": "none"}),
              "one-row": ((1, 130), {}), "vector": ((31,), {}), "one-column": ((6, 1), {}),
              "no-rows": ((0, 5), {"reduction": "sum"}), "no-columns": ((3, 0), {"reduction": "none"})}
    every("lovasz_hinge", lovasz_hinge, pairs(2), ["input"], shapes)
    every("lovasz_hinge", lovasz_hinge, pairs(2, ties=True), ["input"], {"ties": ((4, 21), {})})
    every("lovasz_hinge", lovasz_hinge, pairs(1), ["input"], {"nothing": ((3, 7), {})})
    every("lovasz_hinge", lovasz_hinge, pairs(2, ignore=True), ["input"], {"ignored": ((4, 21), {})})
    every("list_mle", list_mle, pairs(5), ["input"], shapes)
    every("list_mle", list_mle, pairs(2, ties=True), ["input"], {"ties": ((4, 21), {})})
    every("list_mle", list_mle, pairs(5, ignore=True), ["input"], {"ignored": ((4, 21), {})})

    def probabilities(classes, ties=False, ignore=False):
        def draw(shape, dtype):
            x = s.normal(*shape, scale=2)
            x = torch.softmax(x.round() if ties else x, 1)
            t = s.labels(shape[0], high=classes)
            if ignore:
                t[torch.rand(shape[:1], generator=s.g) < 0.3] = 255
            return {"input": x.to(dtype), "target": t}
        return draw

    every("lovasz_softmax", lovasz_softmax, probabilities(4), ["input"],
          {"places": ((37, 4), {}), "sum": ((16, 4), {"reduction": "sum"}), "none": ((9, 4), {"reduction": "none"}),
           "one-place": ((1, 4), {}), "absent": ((12, 6), {}), "all": ((12, 6), {"classes": "all"}),
           "no-places": ((0, 4), {"reduction": "none"})})
    every("lovasz_softmax", lovasz_softmax, probabilities(1), ["input"], {"one-class": ((8, 1), {})})
    every("lovasz_softmax", lovasz_softmax, probabilities(3, ties=True), ["input"], {"ties": ((25, 3), {})})
    every("lovasz_softmax", lovasz_softmax, probabilities(3, ignore=True), ["input"],
          {"ignored": ((25, 3), {"ignore_index": 255})})

    def losses(ties=False):
        def draw(shape, dtype):
            x = s.normal(*shape).abs()
            return {"input": ((x * 2).round() / 2 if ties else x).to(dtype)}
        return draw

    every("ohem", ohem, losses(), ["input"],
          {"first": ((4, 9), {"k": 3}), "sum": ((3, 2, 33), {"k": 8, "reduction": "sum"}),
           "none": ((5, 17), {"k": 5, "reduction": "none"}), "above": ((4, 50), {"threshold": 0.5}),
           "both": ((4, 50), {"k": 10, "threshold": 1.5}), "more": ((4, 6), {"k": 10}),
           "one-row": ((1, 257), {"k": 64}),
           "one-column": ((6, 1), {"k": 1}), "vector": ((31,), {"k": 7}),
           "no-rows": ((0, 5), {"k": 2, "reduction": "sum"})})
    every("ohem", ohem, losses(ties=True), ["input"], {"ties": ((4, 21), {"k": 6})})
    every("lovasz_gradient", lambda target: lovasz_gradient(target),
          lambda shape, dtype: {"target": s.labels(*shape, high=2).to(dtype)}, [],
          {"rows": ((5, 40), {"reduction": None}), "nothing": ((2, 1), {"reduction": None})})
    every("sinkhorn", sinkhorn, lambda shape, dtype: {"cost": s.uniform(*shape).to(dtype)}, ["cost"],
          {"plans": ((3, 5, 7), {"iterations": 4}), "sum": ((2, 2, 4, 9), {"iterations": 2, "reduction": "sum"}),
           "none": ((3, 6, 6), {"epsilon": 0.5, "reduction": "none"}), "one-plan": ((9, 17), {}),
           "one-row": ((3, 1, 6), {"iterations": 3}), "one-column": ((3, 6, 1), {"iterations": 3}),
           "no-rows": ((0, 3, 4), {"iterations": 2, "reduction": "sum"}),
           "sharp": ((2, 8, 8), {"epsilon": 0.01, "iterations": 5})})
    every("sinkhorn", sinkhorn, lambda shape, dtype: {"cost": (s.uniform(*shape) * 4).round().to(dtype)}, ["cost"],
          {"ties": ((2, 5, 4), {"iterations": 3})})
    s.done()


# ---- losses of a user's own, for test/losses/user --------------------------------------------------------

def focal(x, y, alpha=0.25, gamma=2.0):
    p = torch.sigmoid(x)
    ce = F.binary_cross_entropy_with_logits(x, y, reduction="none")
    pt = p * y + (1 - p) * (1 - y)
    return ce * (1 - pt) ** gamma * (alpha * y + (1 - alpha) * (1 - y))


def dice(x, y):
    p = torch.sigmoid(x)
    return (1 - (2 * (p * y).sum(-1) + 1) / (p.sum(-1) + y.sum(-1) + 1)).mean()


def info_nce(a, b):
    a = a / a.norm(dim=-1, keepdim=True)
    b = b / b.norm(dim=-1, keepdim=True)
    return F.cross_entropy(a @ b.t() / 0.07, torch.arange(a.shape[0]))


def distillation(s, t, y):
    soft = F.kl_div(F.log_softmax(s / 2, -1), F.log_softmax(t / 2, -1), reduction="batchmean", log_target=True) * 4
    return 0.5 * soft + 0.5 * F.cross_entropy(s, y)


def user():
    folder = ROOT.parent / "losses" / "user" / "Inputs"
    g = torch.Generator().manual_seed(4)
    normal = lambda *shape: torch.randn(shape, generator=g)
    uniform = lambda *shape: torch.rand(shape, generator=g)
    x, y = normal(7, 13), uniform(7, 13)
    for name, f, inputs, wrt in [("focal", lambda x, y: focal(x, y).mean(), [x, y], 1),
                                 ("focal_sum", lambda x, y: focal(x, y, 0.6, 1.5).sum(), [x, y], 1),
                                 ("dice", dice, [x, y], 1), ("info_nce", info_nce, [normal(5, 8), normal(5, 8)], 2),
                                 ("distillation", distillation,
                                  [normal(7, 13), normal(7, 13), torch.randint(13, (7,), generator=g)], 1)]:
        wide = [v.double().requires_grad_(k < wrt) if v.is_floating_point() else v for k, v in enumerate(inputs)]
        loss = f(*wide)
        results = [loss, *torch.autograd.grad(loss, wide[:wrt])]
        for kind, arrays in (("in", inputs), ("out", results)):
            for k, v in enumerate(arrays):
                np.save(folder / f"{name}.{kind}{k}.npy", v.detach().numpy())
    print(f"{folder}: 5 losses")


SETS = {"options": options, "extremes": extremes, "steps": steps, "sorted": sorted_losses, "functions": functions,
        "user": user}
if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", choices=SETS, action="append")
    for name in parser.parse_args().only or SETS:
        SETS[name]()
