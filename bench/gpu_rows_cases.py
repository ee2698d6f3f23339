"""What bench/gpu_rows measures: one row a case, the most important first.

A case has a program in MLIR (`text`), what its arguments are (`inputs`: name, shape, type, kind), the same thing in
PyTorch (`torch`, a function of torch, F and the tensors; with `wrt`, its gradients by these inputs are results too,
with `upstream` the last input is what they are multiplied with), and a goal: `percent` of the copy bandwidth at least,
or `ms` at most.

`small` sizes are for trying all of it in a moment: 32768 becomes 16, the same everywhere.
"""

import pathlib
import re

CASES = []
BYTES = {"f32": 4, "bf16": 2, "i64": 8}


class Case:
    def __init__(self, name, inputs, outputs, text, torch, percent=None, ms=None, wrt=(), upstream=False, define=None,
                 graph=False):
        self.name, self.inputs, self.outputs, self.text, self.torch = name, inputs, outputs, text, torch
        self.percent, self.ms, self.wrt, self.upstream, self.define, self.graph = (
            percent,
            ms,
            wrt,
            upstream,
            define,
            graph,
        )

    def goal(self):
        return f">= {self.percent} %" if self.percent else f"<= {self.ms} ms" if self.ms else ""

    def arguments(self, size):
        return [(name, resize(shape, size), element, kind) for name, shape, element, kind in self.inputs]

    def bytes(self, size):
        """Every input read once, every result written once."""
        total = 0
        for shape, element in [(i[1], i[2]) for i in self.inputs] + self.outputs:
            n = BYTES[element]
            for d in resize(shape, size):
                n *= d
            total += n
        return total

    def program(self, size, definitions):
        """The program's text; `definitions` is the folder of losses that are not in the library."""
        spell = lambda shape, element: "tensor<" + "".join(f"{n}x" for n in resize(shape, size)) + element + ">"
        types = {name: spell(shape, element) for name, shape, element, _ in self.inputs}
        results = [spell(*o) for o in self.outputs]
        text = self.text(types, results)
        if self.define:
            source = (pathlib.Path(definitions) / f"{self.define}.mlir").read_text()
            text = re.search(r"^sinter\.define @.*?^}\n", source, re.M | re.S)[0] + text
        return text


def resize(shape, size):
    return tuple(shape) if size == "full" else tuple(n if n <= 40 else 7 + n % 41 for n in shape)


def function(types, results, lines, returned):
    arguments = ", ".join(f"%{name}: {t}" for name, t in types.items())
    return "\n".join([f"func.func @main({arguments}) -> ({', '.join(results)}) {{"] + [f"  {line}" for line in lines]
                     + [f"  return {', '.join(returned)} : {', '.join(results)}", "}", ""])


def by_name(op, operands, wrt, attributes="", optional=(), apply=False):
    """%loss = sinter.OP(...), and its gradients."""

    def text(types, results):
        spelled = ", ".join(f"{o} = %{o}" if o in optional else f"%{o}" for o in operands)
        head = f"sinter.apply @{op}" if apply else f"sinter.{op}"
        lines = [
            f"%value = {head}({spelled}) {{{attributes}}} : ({', '.join(types[o] for o in operands)}) -> {results[0]}"
        ]
        gradients = [f"%grad_{w}" for w in wrt]
        if wrt:
            lines.append(
                f"{', '.join(gradients)} = sinter.differentiate %value wrt({', '.join('%' + w for w in wrt)}) : "
                f"({', '.join([results[0]] + [types[w] for w in wrt])}) -> ({', '.join(types[w] for w in wrt)})"
            )
        return function(types, results, lines, ["%value"] + gradients)

    return text


def loss(name, op, inputs, torch, wrt=(), attributes="", optional=(), apply=False, percent=None, graph=False):
    """A loss with a number as its mean, and gradients by the named inputs."""
    shapes = {i[0]: (i[1], i[2]) for i in inputs}
    CASES.append(Case(name, inputs, [((), "f32")] + [shapes[w] for w in wrt],
                      by_name(op, [i[0] for i in inputs], wrt, attributes, optional, apply), torch, percent,
                      wrt=tuple([i[0] for i in inputs].index(w) for w in wrt), define=op if apply else None,
                      graph=graph))


# ---- losses of elements -----------------------------------------------------------------------

BIG = (32768, 8192)


def elements(*kinds):
    return [(name, BIG, "f32", kind) for name, kind in zip(("input", "target", "third"), kinds)]


ELEMENTWISE = [  # op, kinds, attributes, PyTorch
    ("mse", ("normal", "normal"), "", lambda t, F, a, b: F.mse_loss(a, b)),
    ("bce_with_logits", ("normal", "uniform"), "", lambda t, F, a, b: F.binary_cross_entropy_with_logits(a, b)),
    ("hinge_embedding", ("normal", "sign"), "", lambda t, F, a, b: F.hinge_embedding_loss(a, b)),
    ("l1", ("normal", "normal"), "", lambda t, F, a, b: F.l1_loss(a, b)),
    ("smooth_l1", ("normal", "normal"), "", lambda t, F, a, b: F.smooth_l1_loss(a, b)),
    ("huber", ("normal", "normal"), "delta = 0.5 : f32", lambda t, F, a, b: F.huber_loss(a, b, delta=0.5)),
    ("bce", ("probability", "uniform"), "", lambda t, F, a, b: F.binary_cross_entropy(a, b)),
    ("kl_div", ("log", "probability"), "", lambda t, F, a, b: F.kl_div(a, b)),
    ("poisson_nll", ("normal", "positive"), "", lambda t, F, a, b: F.poisson_nll_loss(a, b)),
    ("gaussian_nll", ("normal", "normal", "positive"), "", lambda t, F, a, b, c: F.gaussian_nll_loss(a, b, c)),
    ("soft_margin", ("normal", "sign"), "", lambda t, F, a, b: F.soft_margin_loss(a, b)),
    ("margin_ranking", ("normal", "normal", "sign"), "margin = 0.1 : f32",
     lambda t, F, a, b, c: F.margin_ranking_loss(a, b, c, margin=0.1)),
]


def elementwise():
    for op, kinds, attributes, torch in ELEMENTWISE[:3]:
        loss(f"{op} value+grad f32", op, elements(*kinds), torch, ("input",), attributes, percent=95)
    for op, kinds, attributes, torch in ELEMENTWISE[:3]:
        loss(f"{op} value+both grads f32", op, elements(*kinds), torch, ("input", "target"), attributes, percent=92)


def elementwise_forward():
    for op, kinds, attributes, torch in ELEMENTWISE:
        loss(f"{op} f32", op, elements(*kinds), torch, (), attributes, percent=97)


# ---- losses of rows ----------------------------------------------------------------------------


def logits(rows, classes, element="f32"):
    return [("input", (rows, classes), element, "logits"), ("target", (rows,), "i64", f"label {classes}")]


def ce(t, F, x, y):
    return F.cross_entropy(x, y)


def cross_entropies():
    both = ("input",)
    loss("cross_entropy bf16 8192x128256", "cross_entropy", logits(8192, 128256, "bf16"), ce, percent=103)
    loss("cross_entropy value+grad bf16 8192x128256", "cross_entropy", logits(8192, 128256, "bf16"), ce, both,
         percent=97)
    loss("cross_entropy value+grad f32 4096x32000", "cross_entropy", logits(4096, 32000), ce, both, percent=95)
    loss("cross_entropy value+grad f32 4096x32003", "cross_entropy", logits(4096, 32003), ce, both, percent=94)
    loss("cross_entropy value+grad bf16 4096x32003", "cross_entropy", logits(4096, 32003, "bf16"), ce, both, percent=92)


def small():
    loss("cross_entropy value+grad f32 128x1000", "cross_entropy", logits(128, 1000), ce, ("input",), graph=True)


V = (8192, 32000)


def more_cross_entropies():
    x, label = logits(*V)
    weight = ("weight", V[1:], "f32", "positive")
    loss("cross_entropy label-smoothed value+grad f32", "cross_entropy", [x, label],
         lambda t, F, x, y: F.cross_entropy(x, y, label_smoothing=0.1), ("input",), "label_smoothing = 0.1 : f32",
         percent=94)
    loss("cross_entropy weighted value+grad f32", "cross_entropy", [x, label, weight],
         lambda t, F, x, y, w: F.cross_entropy(x, y, weight=w), ("input",), optional=("weight",), percent=94)
    loss("cross_entropy probabilities value+grad f32", "cross_entropy", [x, ("target", V, "f32", "softmax")],
         ce, ("input",), percent=94)
    loss("kl_div value+grad f32", "kl_div", elements("log", "probability"), lambda t, F, a, b: F.kl_div(a, b),
         ("input",), percent=94)
    loss("cross_entropy rank 4 value+grad f32 16x150x512x512", "cross_entropy",
         [("input", (16, 150, 512, 512), "f32", "logits"), ("target", (16, 512, 512), "i64", "label 150")], ce,
         ("input",), percent=90)


def vectors():
    loss("triplet_margin value+3 grads f32", "triplet_margin",
         [(n, BIG, "f32", "normal") for n in ("anchor", "positive", "negative")],
         lambda t, F, a, p, n: F.triplet_margin_loss(a, p, n), ("anchor", "positive", "negative"), percent=92)
    loss("cosine_embedding value+2 grads f32", "cosine_embedding",
         [("input1", BIG, "f32", "normal"), ("input2", BIG, "f32", "normal"), ("target", BIG[:1], "f32", "sign")],
         lambda t, F, a, b, y: F.cosine_embedding_loss(a, b, y), ("input1", "input2"), percent=92)


def focal(t, F, x, y):
    p = t.sigmoid(x)
    pt = p * y + (1 - p) * (1 - y)
    return (F.binary_cross_entropy_with_logits(x, y,
                                               reduction="none") * (1 - pt) ** 2.0 * (0.25 * y + 0.75 * (1 - y))).mean()


def dice(t, F, x, y):
    p = t.sigmoid(x)
    return (1 - (2 * (p * y).sum(-1) + 1) / (p.sum(-1) + y.sum(-1) + 1)).mean()


def distillation(t, F, s, teacher, y):
    soft = F.kl_div(F.log_softmax(s / 2, -1), F.log_softmax(teacher / 2, -1), reduction="batchmean",
                    log_target=True) * 4
    return 0.5 * soft + 0.5 * F.cross_entropy(s, y)


def own():
    two = [("x", BIG, "f32", "normal"), ("y", BIG, "f32", "uniform")]
    loss("focal value+grad f32", "focal", two, focal, ("x",), apply=True, percent=90)
    loss("dice value+grad f32", "dice", two, dice, ("x",), apply=True, percent=90)
    loss("distillation value+grad f32", "distillation",
         [("student", V, "f32", "logits"), ("teacher", V, "f32", "logits"), ("label", V[:1], "i64", f"label {V[1]}")],
         distillation, ("student",), apply=True, percent=90)


# ---- softmax and norms ------------------------------------------------------------------------


def softmaxes():
    for rows, columns, percent in ((4096, 65536, 97), (1 << 20, 32, 95), (1 << 20, 29, 95)):
        CASES.append(Case(f"softmax f32 {rows}x{columns}", [("x", (rows, columns), "f32", "logits")],
                          [((rows, columns), "f32")],
                          by_name("softmax", ["x"], ()), lambda t, F, x: t.softmax(x, -1), percent))


def norm_text(op, affine, residual):
    def text(types, results):
        x, lines = "x", []
        if residual:
            x = "h"
            lines = [
                f"%empty = tensor.empty() : {types['x']}",
                f"%h = linalg.add ins(%x, %residual : {types['x']}, {types['x']}) outs(%empty : {types['x']}) -> "
                f"{types['x']}",
            ]
        spelled = ", ".join([f"%{x}"] + [f"{a} = %{a}" for a in affine])
        lines.append(
            f"%y = sinter.{op}({spelled}) {{}} : ({', '.join(types[a] for a in ['x', *affine])}) -> {types['x']}"
        )
        return function(types, results, lines, ["%y"] + (["%h"] if residual else []))

    return text


def norm_backward_text(op, affine):
    def text(types, results):
        wrt = ["x", *affine]
        spelled = ", ".join(["%x"] + [f"{a} = %{a}" for a in affine])
        types_of = ", ".join(types[w] for w in wrt)
        lines = [
            f"%y = sinter.{op}({spelled}) {{}} : ({types_of}) -> {types['x']}",
            f"{', '.join('%d' + w for w in wrt)} = sinter.differentiate %y upstream(%g) "
            f"wrt({', '.join('%' + w for w in wrt)}) : "
            f"({types['x']}, {types['x']}, {types_of}) -> ({types_of})",
        ]
        return function(types, results, lines, ["%d" + w for w in wrt])

    return text


NORMS = {"layer_norm": (["weight", "bias"], lambda t, F, x, w, b: F.layer_norm(x, w.shape, w, b)),
         "rms_norm": (["weight"], lambda t, F, x, w: F.rms_norm(x, w.shape, w, 1.1920928955078125e-07))}  # fmt: skip


def norms():
    rows, columns = 131072, 4096
    full, column = ((rows, columns), "bf16"), ((columns,), "bf16")
    x, residual, g = [(n, *full, "normal") for n in ("x", "residual", "g")]
    CASES.append(Case("layer_norm f32 16x4194304", [("x", (16, 4194304), "f32", "normal")], [((16, 4194304), "f32")],
                      by_name("layer_norm", ["x"], ()),
                      lambda t, F, x: F.layer_norm(x, x.shape[1:]), ms=0.152))
    for op, (affine, torch) in NORMS.items():
        given = [(a, *column, "normal") for a in affine]
        added = lambda t, F, x, r, *rest, torch=torch: (torch(t, F, x + r, *rest), x + r)
        CASES.append(Case(f"{op} bf16 {rows}x{columns}", [x, *given], [full], norm_text(op, affine, False), torch, 96))
        CASES.append(Case(f"{op} with residual bf16 {rows}x{columns}", [x, residual, *given], [full, full],
                          norm_text(op, affine, True), added, 96))
        CASES.append(Case(f"{op} backward bf16 {rows}x{columns}", [x, *given, g], [full] + [column] * len(affine),
                          norm_backward_text(op, affine), torch, 92,
                          wrt=tuple(range(1 + len(affine))), upstream=True))


for add in (elementwise, cross_entropies, softmaxes, norms, small, vectors, more_cross_entropies, own,
            elementwise_forward):
    add()
assert len({c.name for c in CASES}) == len(CASES)


def file_name(case):
    return re.sub(r"[^a-z0-9_]+", "-", case.name.replace("+", " ")).strip("-")
