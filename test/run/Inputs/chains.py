"""Programs of test/passes/fuse/chains.mlir with numbers of NumPy's: as they are, fused, fused and cut again, fused and
decomposed.

  chains.py FILE FOLDER        one line a program and way that is wrong, and how many there were
"""
import pathlib
import subprocess
import sys

import numpy as np

rng = np.random.default_rng(5)


def numbers(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def wide(*arrays):
    return [a.astype(np.float64) for a in arrays]


def mlp():
    x, u, b, v, w = inputs = numbers(7, 6), numbers(5, 6), numbers(5), numbers(4, 5), numbers(3, 4)
    x, u, b, v, w = wide(*inputs)
    return inputs, [np.exp(np.tanh(x @ u.T + b) @ v.T) @ w.T]


def attention():
    inputs = numbers(4, 6, 8), numbers(2, 9, 8), numbers(2, 9, 5), numbers(6, 9)
    q, k, v, mask = wide(*inputs)
    s = q @ np.repeat(k, 2, 0).transpose(0, 2, 1) + mask
    e = np.exp(s - s.max(-1, keepdims=True))
    z = e.sum(-1)
    return inputs, [(e @ np.repeat(v, 2, 0)) / z[..., None], z]


def lora():
    inputs = numbers(7, 6), numbers(5, 6), numbers(2, 6), numbers(5, 2)
    x, w, a, b = wide(*inputs)
    return inputs, [x @ w.T + x @ a.T @ b.T]


def norm_swiglu():
    inputs = numbers(7, 6), numbers(5, 6), numbers(5, 6), numbers(6, 5)
    x, g, u, d = wide(*inputs)
    n = x / np.sqrt((x * x).sum(-1, keepdims=True))
    return inputs, [(np.tanh(n @ g.T) * (n @ u.T)) @ d.T + x]


def backward():
    inputs = numbers(7, 6), numbers(5, 6), numbers(5, 5)
    x, u, w = wide(*inputs)
    s = x @ u.T
    h = np.maximum(s, 0)
    l = np.maximum(h @ w.T, 0)
    return inputs, [l.sum(), (l @ w) * (s > 0), l.T @ h]


def attention_gradients():
    inputs = numbers(2, 6, 4), numbers(2, 9, 4), numbers(2, 9, 4), numbers(2, 6), numbers(2, 6, 4)
    q, k, v, lse, g = wide(*inputs)
    p = np.exp(q @ k.transpose(0, 2, 1) - lse[..., None])
    dp = g @ v.transpose(0, 2, 1)
    ds = p * (dp - (p * dp).sum(-1, keepdims=True))
    turned = p.transpose(0, 2, 1)
    return inputs, [ds @ k, turned @ g, (p * dp).transpose(0, 2, 1) @ q]


def programs():
    inputs = numbers(7, 6), numbers(5, 6), numbers(5), numbers(3, 5)
    x, u, g, w = wide(*inputs)
    return inputs, [(x @ u.T * g) @ (w + w).T]


def sizes():
    inputs = numbers(7, 6), numbers(5, 6), numbers(3, 5)
    x, u, w = wide(*inputs)
    return inputs, [np.tanh(x @ u.T) @ w.T]


def part():
    inputs = numbers(2, 5), numbers(2, 5, 8), numbers(5, 8, 3)
    x, t, w = wide(*inputs)
    return inputs, [np.exp(x), np.einsum("ikl,klj->ij", np.tanh(t), w)]


APART = ["part"]  # no product of theirs goes on
WAYS = {
    "as it is": [],
    "fused": ["--sinter-fuse"],
    "cut again": ["--sinter-fuse", "--sinter-split"],
    "fused and decomposed": ["--sinter-fuse", "--sinter-decompose"],
}


def main():
    source, folder = pathlib.Path(sys.argv[1]).read_text(), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    runs = wrong = 0
    for text in source.split("// -----"):
        name = text.split("func.func @")[1].split("(")[0]
        inputs, wanted = globals()[name]()
        program = folder / f"{name}.mlir"
        program.write_text(text.replace(f"func.func @{name}(", "func.func @main("))
        arguments = ["--tolerance=1e-5"]
        for kind, arrays in ("input", inputs), ("expect", wanted):
            for i, array in enumerate(arrays):
                file = folder / f"{name}_{kind}{i}.npy"
                np.save(file, np.asarray(array, dtype=np.float32))
                arguments.append(f"--{kind}={file}")
        for way, passes in WAYS.items():
            runs += 1
            rewritten = folder / f"{name}_{way.replace(' ', '_')}.mlir"
            subprocess.run(["sinter-opt", program, *passes, "-o", rewritten], check=True)
            goes_on = "row_product" in rewritten.read_text()
            if way == "fused" and goes_on == (name in APART):
                print(f"{name} {way}: {'a' if goes_on else 'no'} product goes on")
                wrong += 1
            done = subprocess.run(["sinter-run", rewritten, *arguments], capture_output=True, text=True)
            if done.returncode or done.stdout.count("agrees") != len(wanted):
                wrong += 1
                print(f"{name} {way}: {done.stdout}{done.stderr}")
    print(f"{runs} runs, {wrong} wrong")


main()
