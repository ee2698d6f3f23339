"""Streamed rows of odd numbers, against NumPy in a wider type, by the program's own rule.

    streams.py SINTER_RUN FOLDER [--cpu=NAME]

Each row of x is a case: masked, rising, equal, infinite, NaN. Each column of v is one: near the largest number of its
type, tiny, infinite, NaN. What is finite by the rule has to be finite.
"""

import os
import subprocess
import sys

import numpy as np

# exponentials, what is multiplied, the matrix, the largest u
KINDS = [("f32", "f32", "f32"), ("f64", "f64", "f64"), ("f32", "bf16", "bf16"), ("f32", "f16", "f16"),
    ("f32", "f32", "f16")]
DTYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16}
MOST = {"f64": 1.6e308, "f32": 3.2e38, "bf16": 3.2e38, "f16": 65504.0}
LEAST_INFINITY = {"f64": "0xFFF0000000000000", "f32": "0xFF800000"}
HALVES = {"bf16": 2.0**-7, "f16": 2.0**-9}


def to_bf16(a):
    """The bits, rounded to nearest even."""
    bits = a.astype(np.float32).view(np.uint32).astype(np.uint64)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(a), np.uint16(0x7FC0), rounded)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def cases(n, t, rng):
    """Rows of n numbers."""
    most = np.finfo(DTYPES[t]).max
    j, rows = np.arange(n), rng.standard_normal((14, n))
    rows[1] = 3
    rows[2] = -np.inf
    rows[3, j < 20] = -np.inf
    rows[4, j >= n - 20] = -np.inf
    rows[5] = np.linspace(-40, 20, n)
    rows[6] = np.linspace(20, -40, n)
    rows[7] = np.where(j < n - 1, -50, 10)
    rows[8, 17 % max(n, 1):18] = np.inf
    rows[9, 30 % max(n, 1):31] = np.nan
    rows[10] = -most
    rows[11, j % 2 == 0] = -most
    rows[12] = np.where(j < n - 1, -np.inf, 0)
    rows[13, j == 3], rows[13, j == 7] = most, -most
    return rows.astype(DTYPES[t])


def matrix(n, t, rng):
    """Columns of n numbers."""
    j, m = np.arange(n), rng.standard_normal((n, 9))
    most = MOST[t]
    m[:, 1], m[:, 2], m[:, 3] = most, -most, np.where(j % 2, most, -most)
    m[:, 4] = np.where(j < n // 3, most, 1)
    m[j == 5, 5] = np.inf
    m[j == n - 1, 6] = np.nan
    m[:, 7] = 1e-3 if t == "f16" else 1e-30
    m[:, 8] = np.where(j % 2, np.inf, -np.inf)
    return to_bf16(m) if t == "bf16" else m.astype(DTYPES[t])


def program(n):
    """Of `?` columns where n is None."""
    size = "?" if n is None else n
    arguments = [f"%x{t}: tensor<14x{size}x{t}>, %u{t}: tensor<{size}x{t}>" for t in ("f32", "f64")]
    arguments += [f"%h{t}: tensor<{size}x{t}>" for t in ("f32", "f64")]
    arguments += [f"%m{t}: tensor<{size}x9x{t}>" for t in ("f32", "f64", "bf16", "f16")]
    text, results = [], []
    for k, (t, w, v) in enumerate(KINDS):
        wide, row, out = "f64" if t == "f64" else "f32", f"tensor<{size}x{t}>", f"tensor<9x{t}>"
        common = f"""  ^row(%m: tensor<{size}x9x{v}>, %x: {row}, %u: {row}):
    %one = arith.constant 1.0 : {t}
    %mx = sinter.row_reduce maximumf %x : {row} -> {t}
    %mb = sinter.broadcast %mx : {t} -> {row}
    %d = arith.subf %x, %mb : {row}
    %e = math.exp %d : {row}
    %z = sinter.row_reduce add %e : {row} -> {t}
    %r = arith.divf %one, %z : {t}
    %rb = sinter.broadcast %r : {t} -> {row}
    %ro = sinter.broadcast %r : {t} -> {out}
    %eu = arith.mulf %e, %u : {row}
"""
        def form(name, before, value, after, more="", more_outs="", more_types="", more_yields=""):
            cast = "" if w == t else f"    %h = arith.truncf {value} : {row} to tensor<{size}x{w}>\n"
            value = value if w == t else "%h"
            text.append(f"""  %e{name} = tensor.empty() : tensor<14x9x{t}>
  %z{name} = tensor.empty() : tensor<14x{t}>
  %{name}{":2" if more else ""} = sinter.rowwise (i = 14) by (j = {size}) by (e = 9)
      matrix (j) to (e) (%m{v}[j, e] : tensor<{size}x9x{v}>)
      ins(%x{t}[i, j] : tensor<14x{size}x{t}>, %u{t}[j] : tensor<{size}x{t}>)
      outs(%e{name}[i, e] : tensor<14x9x{t}>{more_outs})
      schedule(#sinter.brgemm<m = 4, n = 8, k = 16, lanes = 8, stream = 16, tasks = 3>) {{
{common}{before}{cast}    %o = sinter.row_product {value}, %m : tensor<{size}x{w}>, tensor<{size}x9x{v}> -> {out}
{more}{after}    sinter.yield %y{more_yields} : {out}{more_types}
  }}
""")
            results.append((f"%{name}{'#0' if more else ''}", f"tensor<14x9x{t}>"))
            if more:
                results.append((f"%{name}#1", f"tensor<14x{t}>"))
        # the quotient in front of the product; behind it, beside a sum of weights that are no exponentials alone
        as_is = f"    %c9 = arith.constant dense<1.0> : {out}\n    %y = arith.mulf %o, %c9 : {out}\n"
        form(f"a{k}", f"    %p = arith.mulf %e, %rb : {row}\n", "%p", as_is)
        form(f"b{k}", "", "%e", f"    %y = arith.mulf %o, %ro : {out}\n",
            f"    %s = sinter.row_reduce add %eu : {row} -> {t}\n    %sz = arith.mulf %s, %r : {t}\n",
            f", %zb{k}[i] : tensor<14x{t}>", f", {t}", ", %sz")
        if w != "f16":
            form(f"c{k}", f"    %p = arith.mulf %eu, %rb : {row}\n", "%p", as_is)
        if t != v:
            continue
        # no product: the same sum in one loop with the maximum
        without = "\n".join(line for line in common.split("\n") if "%ro" not in line).replace(
            f"%m: tensor<{size}x9x{v}>, ", "")
        text.append(f"""  %ed{k} = tensor.empty() : tensor<14x{t}>
  %d{k} = sinter.rowwise (i = 14) by (j = {size})
      ins(%x{t}[i, j] : tensor<14x{size}x{t}>, %h{t}[j] : tensor<{size}x{t}>) outs(%ed{k}[i] : tensor<14x{t}>)
      schedule(#sinter.rows<chunk = 3, lanes = 4, unroll = 2, maximum = "online">) {{
{without}    %s = sinter.row_reduce add %eu : {row} -> {t}
    %y = arith.mulf %s, %r : {t}
    sinter.yield %y : {t}
  }}
""")
        results.append((f"%d{k}", f"tensor<14x{t}>"))
    types = ", ".join(t for _, t in results)
    return (f"func.func @main({', '.join(arguments)}) -> ({types}) {{\n" + "".join(text) +
        f"  return {', '.join(r for r, _ in results)} : {types}\n}}\n")


def expected(inputs):
    """(result, its size in numbers that are added up, its rounding) of each."""
    for t, w, v in KINDS:
        x, u = inputs["x" + t].astype(np.longdouble), inputs["u" + t].astype(np.longdouble)
        m = inputs["m" + v]
        m = (from_bf16(m) if v == "bf16" else m).astype(np.longdouble)
        n = x.shape[1]
        e = np.exp(x - x.max(1, initial=-np.inf, keepdims=True))
        z = e.sum(1, keepdims=True)
        p, least = e / z, np.finfo(DTYPES[t]).tiny
        rounding = HALVES.get(w, 1e-13 if t == "f64" else 2e-6)
        size = np.where(np.isfinite(m), abs(m), 0)

        def product(p):
            return np.stack([(p * m[:, k]).sum(1) for k in range(9)], 1), abs(np.nan_to_num(p)) @ size + least * n
        yield product(p) + (rounding, w)
        sums, scale = product(e) # divided by their sum behind the product: 0 / 0 where there is none
        yield (sums / z, np.where(scale > np.finfo(DTYPES[t]).max, np.inf, scale / np.maximum(z, 1)), rounding, w)
        q = p * u
        yield (q.sum(1) if n else np.full(14, np.nan), abs(np.nan_to_num(q)).sum(1) + least * n, rounding, t)
        if w != "f16":
            yield product(q) + (rounding, w)
        if t == v:
            q = e * inputs["h" + t]
            scale = abs(np.nan_to_num(q)).sum(1) + least * n
            yield (q.sum(1) / z[:, 0], np.where(scale > np.finfo(DTYPES[t]).max, np.inf, scale), rounding, t)


def wrong(got, want, size, rounding, weights):
    got = got.astype(np.longdouble)
    own = size > np.finfo(DTYPES["f64" if weights == "f64" else "f32"]).max # the rule's own sums leave the range
    want = np.where(own, got, want)
    if weights in HALVES: # what a weight is rounded to may be 0 or not: 0 times an infinity
        odd = ~np.isfinite(want)
        same = np.where(odd, ~np.isfinite(got), abs(got - want) <= rounding * size)
    else:
        same = np.where(np.isnan(want), np.isnan(got),
            np.where(np.isinf(want), got == want, abs(got - want) <= rounding * size))
    return np.argwhere(~same)


def main():
    sinter_run, folder, *options = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    np.seterr(all="ignore")
    runs = bad = 0
    for dynamic, n in [(False, 50), (True, 50), (True, 16), (True, 1), (True, 0)]:
        rng = np.random.default_rng(n)
        inputs = {}
        for t in ("f32", "f64"):
            inputs["x" + t] = cases(n, t, rng)
            inputs["u" + t] = np.where(np.arange(n) % 3, 2.0, 0.5).astype(DTYPES[t])
        for t in ("f32", "f64"):
            inputs["h" + t] = np.where(np.arange(n) < n // 3, MOST[t], 1).astype(DTYPES[t])
        for t in ("f32", "f64", "bf16", "f16"):
            inputs["m" + t] = matrix(n, t, rng)
        path = os.path.join(folder, f"{n}{dynamic}.mlir")
        with open(path, "w") as file:
            file.write(program(None if dynamic else n))
        command = [sinter_run, path, "--threads=1", *options]
        for name, array in inputs.items():
            np.save(os.path.join(folder, name + ".npy"), array)
            command.append(f"--input={os.path.join(folder, name + '.npy')}")
        wants = list(expected(inputs))
        command += [f"--output={os.path.join(folder, f'{k}.npy')}" for k in range(len(wants))]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            print(f"{path}: {done.stderr}")
            bad += 1
            continue
        for k, want in enumerate(wants):
            runs += 1
            got = np.load(os.path.join(folder, f"{k}.npy"))
            places = wrong(got, *want)
            if len(places):
                bad += 1
                at = tuple(places[0])
                print(f"{path}: result {k}{list(map(int, at))}: {got[at]}, not {want[0][at]}; {len(places)} more")
    print(f"{runs} results, {bad} wrong")


main()
