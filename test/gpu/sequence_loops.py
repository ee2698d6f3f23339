"""Drawn loops whose kernels share one launch or one parallel region, beside NumPy in float64.

  sequence_loops.py [--target=gpu] [--seed=S] [--count=N] [--threads=T]

A loop carries a few values of one shape. A turn makes new ones of them by products, norms and sums, reads its parts of
weights and inputs, and may put a value into its part of a tensor. A product stands in front, another behind. On a GPU
the emulator runs it.
"""
import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
MAP, ROW = "affine_map<(i, j) -> (i, j)>", "affine_map<(i, j) -> (i)>"


def tensor(*shape):
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


class Program:
    def __init__(self, r):
        self.r, self.rows, self.columns = r, r.choice((1, 2, 3, 5, 17)), r.choice((4, 8, 12, 36))
        self.turns, self.step, self.first = r.choice((1, 2, 3, 4, 7)), r.choice((1, 1, 2)), r.choice((0, 0, 1))
        self.parts = self.first + self.turns * self.step
        self.of, self.n, self.text = tensor(self.rows, self.columns), 0, ""

    def say(self, line):
        self.text += f"    {line}\n"

    def name(self):
        self.n += 1
        return f"%n{self.n}"

    def generic(self, maps, inputs, body, result, of=None):
        name, of, n = self.name(), of or self.of, len(inputs)
        kinds = '"parallel", "reduction"' if of != self.of else '"parallel", "parallel"'
        ins = f"ins({', '.join(v for v, _ in inputs)} : {', '.join(t for _, t in inputs)})"
        arguments = ", ".join(f"%a{i}: f32" for i in range(n + 1))
        out = self.name()
        self.say(f"{out}e = tensor.empty() : {of}")
        self.say(f"{out} = linalg.fill ins(%zero : f32) outs({out}e : {of}) -> {of}")
        self.say(f"{name} = linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{kinds}]}} {ins}"
                 f" outs({out} : {of}) {{")
        self.say(f"^bb0({arguments}):")
        for line in body:
            self.say("  " + line)
        self.say(f"  linalg.yield {result} : f32\n    }} -> {of}")
        return name

    def product(self, x, w):
        name, out, w_of = self.name(), self.name(), tensor(self.columns, self.columns)
        self.say(f"{out}e = tensor.empty() : {self.of}")
        self.say(f"{out} = linalg.fill ins(%zero : f32) outs({out}e : {self.of}) -> {self.of}")
        self.say(f"{name} = linalg.matmul ins({x[0]}, {w[0]} : {self.of}, {w_of}) outs({out} : {self.of}) -> {self.of}")
        y = self.generic([MAP, MAP], [(name, self.of)], ["%y = math.tanh %a0 : f32"], "%y")
        return y, lambda e: np.tanh(x[1](e) @ w[1](e))

    def sum(self, x, y):
        name = self.generic([MAP] * 3, [(x[0], self.of), (y[0], self.of)],
                            ["%s = arith.addf %a0, %a1 : f32", "%h = arith.mulf %s, %half : f32"], "%h")
        return name, lambda e: (x[1](e) + y[1](e)) / 2

    def norm(self, x):
        row = tensor(self.rows)
        squares = self.generic([MAP, ROW], [(x[0], self.of)],
                               ["%q = arith.mulf %a0, %a0 : f32", "%s = arith.addf %q, %a1 : f32"], "%s", row)
        name = self.generic([MAP, ROW, MAP], [(x[0], self.of), (squares, row)],
                            ["%o = arith.addf %a1, %one : f32", "%i = math.rsqrt %o : f32",
                             "%m = arith.mulf %a0, %i : f32"], "%m")

        def value(e):
            v = x[1](e)
            return v / np.sqrt((v * v).sum(1, keepdims=True) + 1)

        return name, value

    def slice(self, whole, shape, key):
        name, zeros = self.name(), ", 0" * len(shape)
        sizes = ", ".join(map(str, (1, *shape)))
        ones = ", ".join("1" for _ in (1, *shape))
        self.say(f"{name} = tensor.extract_slice {whole}[%t{zeros}] [{sizes}] [{ones}] : "
                 f"{tensor(self.parts, *shape)} to {tensor(*shape)}")
        return name, lambda e: e[key][e["turn"]]

    def draw(self):
        r, c = self.r, self.columns
        carried = r.randint(1, 3)
        keep = lambda key: lambda e: e[key]
        front = self.product(("%x", keep("x")), ("%w0", keep("w0")))
        stored = r.random() < 0.6
        head, self.text = self.text, ""
        values = [(f"%v{i}", keep(f"v{i}")) for i in range(carried)]
        values += [self.slice("%xs", (self.rows, c), "xs"), front]
        weights = [self.slice("%ws", (c, c), "ws"), ("%w0", keep("w0"))]
        made = []
        while len(made) < carried + r.randint(0, 2):
            pick = lambda: r.choice(values + made[-2:])
            how = r.randrange(4)
            made.append(self.product(pick(), r.choice(weights)) if how < 2 else
                        self.sum(pick(), pick()) if how == 2 else self.norm(pick()))
        yields = made[-carried:]
        r.shuffle(yields)
        types, names = [self.of] * carried, [y[0] for y in yields]
        begin = [f"%v{i} = {front[0] if i == 0 else '%x'}" for i in range(carried)]
        put = r.choice(made)
        all_of = tensor(self.parts, self.rows, c)
        if stored:
            self.say(f"%put = tensor.insert_slice {put[0]} into %store[%t, 0, 0] [1, {self.rows}, {c}] [1, 1, 1] : "
                     f"{self.of} into {all_of}")
            types.append(all_of), names.append("%put"), begin.append("%store = %all")
        body, self.text = self.text, ""
        results = [f"%r#{i}" if len(types) > 1 else "%r" for i in range(len(types))]
        last = (results[0], keep("r0"))
        for i in range(1, carried):
            last = self.sum(last, (results[i], keep(f"r{i}")))
        last = self.product(last, ("%w0", keep("w0")))
        of = ", ".join(types)
        given = {"x": self.of, "w0": tensor(c, c), "xs": all_of, "ws": tensor(self.parts, c, c), "all": all_of}
        gives = [last[0]] + results[carried:]
        out = ", ".join([self.of] + types[carried:])
        count = f":{len(types)}" if len(types) > 1 else ""
        text = f"""func.func @main({', '.join(f'%{k}: {t}' for k, t in given.items())}) -> ({out}) {{
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %from = arith.constant {self.first} : index
  %to = arith.constant {self.first + self.turns * self.step - self.r.randrange(self.step)} : index
  %step = arith.constant {self.step} : index
{head}  %r{count} = scf.for %t = %from to %to step %step iter_args({', '.join(begin)}) -> ({of}) {{
{body}    scf.yield {', '.join(names)} : {of}
  }}
{self.text}  return {', '.join(gives)} : {out}
}}
"""

        def run(e):
            e = {**e, "all": e["all"].copy()}
            e.update({f"v{i}": front[1](e) if i == 0 else e["x"] for i in range(carried)})
            for turn in range(self.turns):
                e["turn"] = self.first + turn * self.step
                new = [y[1](e) for y in yields]
                if stored:
                    e["all"][e["turn"]] = put[1](e)
                e.update({f"v{i}": v for i, v in enumerate(new)})
            e.update({f"r{i}": e[f"v{i}"] for i in range(carried)})
            return [last[1](e)] + ([e["all"]] if stored else [])

        shapes = {"x": (self.rows, c), "w0": (c, c), "xs": (self.parts, self.rows, c), "ws": (self.parts, c, c),
                  "all": (self.parts, self.rows, c)}
        return text, shapes, run


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--target", choices=("cpu", "gpu"), default="cpu")
    p.add_argument("--seed", type=int, default=18)
    p.add_argument("--count", type=int, default=8)
    p.add_argument("--threads", type=int, default=3)
    a = p.parse_args()
    r, bad = random.Random(a.seed), 0
    with tempfile.TemporaryDirectory() as folder:
        for i in range(a.count):
            text, shapes, run = Program(r).draw()
            g, files = np.random.default_rng(i), []
            inputs = {k: g.standard_normal(s).astype(np.float32) for k, s in shapes.items()}
            source = os.path.join(folder, "p.mlir")
            open(source, "w").write(text)
            for kind, arrays in (("input", inputs.values()),
                                 ("expect", run({k: v.astype(np.float64) for k, v in inputs.items()}))):
                for n, v in enumerate(arrays):
                    np.save(os.path.join(folder, f"{kind}{n}.npy"), v)
                    files.append(f"--{kind}={folder}/{kind}{n}.npy")
            copies = "%put" in text  # what is stored to in parts is a copy first
            if a.target == "gpu":
                command = [sys.executable, HERE / "emulate", source, *files, "--sequence=3"]
                said = subprocess.run([*command, f"--blocks={i % 3}"], text=True, capture_output=True)
                if "at once, not" in said.stdout:  # what turns hold needs them all
                    said = subprocess.run(command, text=True, capture_output=True)
                ok = re.match(rf"ok .* launches=[1{1 + copies}]$", said.stdout)
            else:
                command = ["sinter-run", source, "--launches=one"]
                kernels = subprocess.run([*command, "--stats"], text=True, capture_output=True)
                said = subprocess.run([*command, f"--threads={a.threads}", *files], text=True, capture_output=True)
                ok = not said.returncode and re.search(rf'"kernels": [1{1 + copies}],', kernels.stdout)
                said.stdout = kernels.stdout[:14] + said.stdout
            print(f"{i}: {'ok' if ok else said.stdout + said.stderr[-3000:] + text}", flush=True)
            bad += not ok
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
