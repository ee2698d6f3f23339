"""Programs that are long rather than large, with what NumPy makes of them in float64.

Usage: programs.py BIN FOLDER NAME,COUNT ...

Of each program NAME with COUNT steps: writes FOLDER/NAMECOUNT/program.mlir, its inputs in0.npy... and what it gives,
out0.npy..., with the gradients by those inputs that `--wrt` names; and runs BIN/sinter-run on them.
"""

import pathlib
import subprocess
import sys
import time

import numpy as np

RANDOM = np.random.default_rng(0)


class Program:
    """The text of a function, an operation a line, and its arguments."""

    def __init__(self):
        self.lines, self.arguments, self.count = [], [], 0

    def argument(self, *shape, scale=1.0):
        self.arguments.append((RANDOM.standard_normal(shape) * scale).astype(np.float32))
        return f"%a{len(self.arguments) - 1}", self.arguments[-1].astype(np.float64)

    def op(self, text):
        self.count += 1
        self.lines.append(f"%v{self.count} = {text}")
        return f"%v{self.count}"

    def constant(self, number):
        return self.op(f"arith.constant {float(number):.9e} : f32")

    def filled(self, shape, number=0.0):
        empty = self.op(f"tensor.empty() : {tensor(shape)}")
        return self.op(
            f"linalg.fill ins({self.constant(number)} : f32) outs({empty} : {tensor(shape)}) -> {tensor(shape)}"
        )

    def matmul(self, a, b, m, k, n):
        into = self.filled((m, n))
        return self.op(
            f"linalg.matmul ins({a}, {b} : {tensor((m, k))}, {tensor((k, n))}) outs({into} : {tensor((m, n))}) -> "
            f"{tensor((m, n))}"
        )

    def generic(self, inputs, shape, body, over=None):
        """`inputs`: (value, shape, map). `body` is lines that yield %y from %x0...; `over`: the loops of a sum of
        all."""
        loops = len(over or shape)
        maps = [f"affine_map<({dims(loops)}) -> ({m})>"
                for _, _, m in inputs] + [f"affine_map<({dims(loops)}) -> ({'' if over else dims(loops)})>"]
        kinds = ", ".join([f'"{"reduction" if over else "parallel"}"'] * loops)
        into = self.filled(()) if over else self.op(f"tensor.empty() : {tensor(shape)}")
        names = ", ".join(f"%x{i}: f32" for i in range(len(inputs)))
        total = ["%s = arith.addf %o, %y : f32"] if over else []
        inside = "\n      ".join([*body, *total, f"linalg.yield {'%s' if over else '%y'} : f32"])
        result = tensor(() if over else shape)
        return self.op(
            f"linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{kinds}]}} "
            f"ins({', '.join(v for v, _, _ in inputs)} : {', '.join(tensor(s) for _, s, _ in inputs)}) outs({into} : "
            f"{result}) {{\n"
            f"    ^bb0({names}, %o: f32):\n      {inside}\n    }} -> {result}"
        )

    def add(self, x, y, shape):
        d = dims(len(shape))
        return self.generic([(x, shape, d), (y, shape, d)], shape, ["%y = arith.addf %x0, %x1 : f32"])

    def text(self, results):
        head = ", ".join(f"%a{k}: {tensor(a.shape)}" for k, a in enumerate(self.arguments))
        types = ", ".join(tensor(s) for _, s in results)
        body = "\n  ".join(self.lines)
        return (
            f"func.func @main({head}) -> ({types}) {{\n  {body}\n  return {', '.join(v for v, _ in results)} : "
            f"{types}\n}}\n"
        )


def tensor(shape):
    return f"tensor<{''.join(f'{n}x' for n in shape)}f32>"


def dims(n):
    return ", ".join(f"d{k}" for k in range(n))


def squares(p, x, shape, y=None):
    """The sum of the squares of x, or of x - y."""
    d = dims(len(shape))
    minus = ["%d = arith.subf %x0, %x1 : f32"] if y else []
    of = "%d" if y else "%x0"
    inputs = [(v, shape, d) for v in (x, y) if v]
    return p.generic(inputs, (), [*minus, f"%y = arith.mulf {of}, {of} : f32"], over=shape)


# Each returns its results as (value, shape, number), and for some arguments the gradient of the first one.


def rnn(p, n):
    """h = tanh(x[t] w + h u + b), n times, and the squared distance of the last one."""
    x, xs = p.argument(n, 2, 3)
    w, ws = p.argument(3, 4, scale=0.5)
    u, us = p.argument(4, 4, scale=0.5)
    b, bs = p.argument(4)
    y, ys = p.argument(2, 4)
    h, hs = p.filled((2, 4)), [np.zeros((2, 4))]
    for t in range(n):
        now = p.op(f"tensor.extract_slice {x}[{t}, 0, 0] [1, 2, 3] [1, 1, 1] : {tensor((n, 2, 3))} to {tensor((2, 3))}")
        inputs = [(p.matmul(now, w, 2, 3, 4), (2, 4), "d0, d1"), (p.matmul(h, u, 2, 4, 4), (2, 4), "d0, d1"),
                  (b, (4,), "d1")]
        body = ["%p = arith.addf %x0, %x1 : f32", "%q = arith.addf %p, %x2 : f32", "%y = math.tanh %q : f32"]
        h = p.generic(inputs, (2, 4), body)
        hs.append(np.tanh(xs[t] @ ws + hs[-1] @ us + bs))
    loss = squares(p, h, (2, 4), y)
    dw, du, db, dh = 0, 0, 0, 2 * (hs[-1] - ys)
    for t in reversed(range(n)):
        da = dh * (1 - hs[t + 1] ** 2)
        dw, du, db, dh = dw + xs[t].T @ da, du + hs[t].T @ da, db + da.sum(0), da @ us.T
    return [(loss, (), ((hs[-1] - ys) ** 2).sum())], {1: dw, 2: du, 3: db}


def losses(p, n):
    """n losses of one pair, each with a number of its own, and their weighted sum."""
    x, xs = p.argument(5, 7)
    y, ys = p.argument(5, 7)
    total, number, gradient = p.filled(()), 0.0, 0.0
    for k in range(n):
        c = np.float64(np.float32(0.25 + k / n))
        body = [
            f"%c = arith.constant {c:.9e} : f32",
            "%d = arith.subf %x0, %x1 : f32",
            "%m = arith.mulf %d, %c : f32",
            "%t = math.tanh %m : f32",
            "%y = arith.mulf %t, %m : f32",
        ]
        each = p.generic([(x, (5, 7), "d0, d1"), (y, (5, 7), "d0, d1")], (), body, over=(5, 7))
        total = p.add(total, each, ())
        m = (xs - ys) * c
        number += (np.tanh(m) * m).sum()
        gradient += c * (np.tanh(m) + m * (1 - np.tanh(m) ** 2))
    return [(total, (), number)], {0: gradient}


def matmuls(p, n):
    """n products with one input, each a result."""
    x, xs = p.argument(5, 6)
    results = []
    for k in range(n):
        w, ws = p.argument(6, 3 + k % 5)
        results.append((p.matmul(x, w, 5, 6, 3 + k % 5), (5, 3 + k % 5), xs @ ws))
    return results, {}


def products(p, n):
    """Squares of n products with one weight: its gradient is a sum of n products."""
    w, ws = p.argument(4, 3)
    total, number, gradient = p.filled(()), 0.0, 0.0
    for _ in range(n):
        x, xs = p.argument(2, 4)
        total = p.add(total, squares(p, p.matmul(x, w, 2, 4, 3), (2, 3)), ())
        number += ((xs @ ws) ** 2).sum()
        gradient += 2 * xs.T @ (xs @ ws)
    return [(total, (), number)], {0: gradient}


def layers(p, n):
    """x = relu(x w + b) + x, n times with the same weight."""
    h, hs = p.argument(3, 4)
    w, ws = p.argument(4, 4, scale=0.3)
    b, bs = p.argument(4)
    steps = [hs]
    for _ in range(n):
        body = [
            "%z = arith.constant 0.0 : f32",
            "%p = arith.addf %x0, %x1 : f32",
            "%q = arith.maximumf %p, %z : f32",
            "%y = arith.addf %q, %x2 : f32",
        ]
        h = p.generic([(p.matmul(h, w, 3, 4, 4), (3, 4), "d0, d1"), (b, (4,), "d1"), (h, (3, 4), "d0, d1")], (3, 4),
                      body)
        steps.append(np.maximum(steps[-1] @ ws + bs, 0) + steps[-1])
    scale = 1.0 / np.abs(steps[-1]).max()
    c = np.float64(np.float32(scale))
    loss = p.generic([(h, (3, 4), "d0, d1")], (),
                     [f"%c = arith.constant {c:.9e} : f32", "%m = arith.mulf %x0, %c : f32",
                      "%y = arith.mulf %m, %m : f32"], over=(3, 4))
    dw, db, dh = 0, 0, 2 * c * c * steps[-1]
    for t in reversed(range(n)):
        da = dh * (steps[t] @ ws + bs > 0)
        dw, db, dh = dw + steps[t].T @ da, db + da.sum(0), dh + da @ ws.T
    return [(loss, (), (c * c * steps[-1] ** 2).sum())], {0: dh, 1: dw, 2: db}


def options(name, count, folder):
    """Writes the program and its numbers; what sinter-run is given, and how many results there are."""
    p = Program()
    results, gradients = globals()[name](p, count)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "program.mlir").write_text(p.text([(v, s) for v, s, _ in results]))
    options = [str(folder / "program.mlir")]
    for k, a in enumerate(p.arguments):
        np.save(folder / f"in{k}.npy", a)
        options.append(f"--input={folder}/in{k}.npy")
    if gradients:
        options.append("--wrt=" + ",".join(map(str, gradients)))
    wanted = [number for _, _, number in results] + list(gradients.values())
    for k, number in enumerate(wanted):
        np.save(folder / f"out{k}.npy", np.asarray(number, np.float32))
        options.append(f"--expect={folder}/out{k}.npy")
    return options, len(wanted)


def main(bin, folder, *programs):
    failed = 0
    for program in programs:
        name, count = program.split(",")
        given, wanted = options(name, int(count), pathlib.Path(folder) / f"{name}{count}")
        start = time.monotonic()
        done = subprocess.run([f"{bin}/sinter-run", *given], capture_output=True, text=True)
        agree = done.stdout.count("agrees with what was expected")
        right = done.returncode == 0 and agree == wanted
        failed += not right
        print(f"{name} {count}: {agree} of {wanted} results agree",
              "" if right else done.stdout[-300:] + done.stderr[-600:])
        print(f"{time.monotonic() - start:.1f} s", file=sys.stderr)
    print(f"{len(programs)} programs, {failed} failed")
    return 1 if failed or not programs else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
