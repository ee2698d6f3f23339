"""Integers divided by zero, and subscripts of a function that are outside: an error with its place, and right numbers
otherwise.

    guards.py SINTER-CC FOLDER [--policy=disabled]
"""

import os
import subprocess
import sys

import numpy as np

import library

OPS = ["divsi", "remsi", "floordivsi", "ceildivsi", "divui", "remui", "ceildivui"]
SLICES = """
func.func @extract(%x: tensor<5xf32>, %t: tensor<i64>) -> tensor<f32> {
  %j = tensor.extract %t[] : tensor<i64>
  %i = arith.index_cast %j : i64 to index
  %v = tensor.extract %x[%i] : tensor<5xf32>
  %e = tensor.empty() : tensor<f32>
  %r = tensor.insert %v into %e[] : tensor<f32>
  return %r : tensor<f32>
}
func.func @insert(%x: tensor<5xf32>, %t: tensor<i64>) -> tensor<5xf32> {
  %j = tensor.extract %t[] : tensor<i64>
  %i = arith.index_cast %j : i64 to index
  %c = arith.constant 7.0 : f32
  %r = tensor.insert %c into %x[%i] : tensor<5xf32>
  return %r : tensor<5xf32>
}
func.func @slice(%x: tensor<5xf32>, %t: tensor<i64>) -> tensor<2xf32> {
  %j = tensor.extract %t[] : tensor<i64>
  %i = arith.index_cast %j : i64 to index
  %r = tensor.extract_slice %x[%i] [2] [3] : tensor<5xf32> to tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func @put(%x: tensor<5xf32>, %t: tensor<i64>) -> tensor<5xf32> {
  %j = tensor.extract %t[] : tensor<i64>
  %i = arith.index_cast %j : i64 to index
  %y = tensor.extract_slice %x[3] [2] [1] : tensor<5xf32> to tensor<2xf32>
  %r = tensor.insert_slice %y into %x[%i] [2] [1] : tensor<2xf32> into tensor<5xf32>
  return %r : tensor<5xf32>
}
func.func @sizes(%x: tensor<?xf32>, %t: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %s = tensor.extract_slice %x[1] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.exp ins(%s : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @join(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = tensor.concat dim(1) %x, %y : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
func.func @join_read(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = tensor.concat dim(1) %x, %y : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %m = tensor.dim %z, %c0 : tensor<?x?xf32>
  %n = tensor.dim %z, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.exp ins(%z : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
func.func @join_all(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<8xf32> {
  %r = tensor.concat dim(0) %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
func.func @put_at_one(%x: tensor<4xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = tensor.insert_slice %x into %y[1] [4] [1] : tensor<4xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @surround(%x: tensor<?xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.fill ins(%z : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %r = tensor.insert_slice %x into %y[1] [%n] [1] : tensor<?xf32> into tensor<8xf32>
  return %r : tensor<8xf32>
}
func.func @padded(%x: tensor<?xf32>) -> tensor<8xf32> {
  %z = arith.constant 0.0 : f32
  %r = tensor.pad %x low[1] high[2] { ^at(%i: index): tensor.yield %z : f32 } : tensor<?xf32> to tensor<8xf32>
  return %r : tensor<8xf32>
}
func.func @packed(%x: tensor<?xf32>) -> tensor<2x4xf32> {
  %e = tensor.empty() : tensor<2x4xf32>
  %r = linalg.pack %x inner_dims_pos = [0] inner_tiles = [4] into %e : tensor<?xf32> -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}
func.func @packed_and_padded(%x: tensor<?xf32>) -> tensor<2x4xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4xf32>
  %r = linalg.pack %x padding_value(%z : f32) inner_dims_pos = [0] inner_tiles = [4] into %e
      : tensor<?xf32> -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}
func.func @unfold(%x: tensor<?xf32>) -> tensor<3x?xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.divsi %n, %c3 : index
  %y = tensor.expand_shape %x [[0, 1]] output_shape [3, %m] : tensor<?xf32> into tensor<3x?xf32>
  %e = tensor.empty(%m) : tensor<3x?xf32>
  %r = linalg.exp ins(%y : tensor<3x?xf32>) outs(%e : tensor<3x?xf32>) -> tensor<3x?xf32>
  return %r : tensor<3x?xf32>
}
func.func @unfold_by_data(%x: tensor<?xf32>, %t: tensor<2xi64>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tensor.extract %t[%c0] : tensor<2xi64>
  %b = tensor.extract %t[%c1] : tensor<2xi64>
  %m = arith.index_cast %a : i64 to index
  %n = arith.index_cast %b : i64 to index
  %y = tensor.expand_shape %x [[0, 1]] output_shape [%m, %n] : tensor<?xf32> into tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.exp ins(%y : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
"""


def division(op, t):
    x = f"tensor<7x37x{t}>"
    maps = ", ".join(["affine_map<(i, j) -> (i, j)>"] * 3)
    return f"""func.func @{op}_{t}(%x: {x}, %y: {x}) -> {x} {{
  %e = tensor.empty() : {x}
  %r = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel"]}} ins(%x, %y : {x}, {x})
      outs(%e : {x}) {{
  ^one(%a: {t}, %b: {t}, %c: {t}):
    %q = arith.{op} %a, %b : {t}
    linalg.yield %q : {t}
  }} -> {x}
  return %r : {x}
}}
"""


def divided(op, x, y):
    bits, results = x.dtype.itemsize * 8, []
    for a, b in zip(x.ravel().tolist(), y.ravel().tolist()):
        if op.endswith("ui"):
            a, b = a % 2**bits, b % 2**bits
        q = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        v = {"div": q, "rem": a - q * b, "floordiv": a // b, "ceildiv": -(-a // b)}[op[:-2]] % 2**bits
        results.append(v - 2**bits if v >> (bits - 1) else v)
    return np.array(results, x.dtype).reshape(x.shape)


class Count:
    done = bad = 0

    def right(self, what, holds):
        self.done += 1
        if not holds:
            self.bad += 1
            print(f"FAIL {what}")

    def fails(self, what, message, call, *x, **more):
        try:
            call(*x, **more)
            self.right(f"{what}: no error", False)
        except library.Failed as e:
            self.right(f"{what}: {e}", message in str(e) and ".mlir:" in str(e))


def main():
    compiler, folder, *options = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    source, target = f"{folder}/guards.mlir", os.path.abspath(f"{folder}/guards.so")
    with open(source, "w") as f:
        f.write("\n".join(division(o, t) for o in OPS for t in ("i8", "i16", "i32", "i64")) + SLICES)
    subprocess.run([compiler, source, "-o", target, *options], check=True)
    f, count, rng = library.load(target), Count(), np.random.default_rng(0)
    for bits in (8, 16, 32, 64):
        for op in OPS:
            least = -(2 ** (bits - 1))
            x = rng.integers(least, -least, (7, 37)).astype(f"i{bits // 8}")
            y = rng.integers(-4, 4, (7, 37)).astype(x.dtype)
            x[0, :5], y[0, :5], x[3, 0] = least, -1, -least - 1
            y[y == 0] = 3
            call = f[f"{op}_i{bits}"]
            count.right(f"{op} i{bits}", np.array_equal(call(x, y)[0], divided(op, x, y)))
            y[6, 36] = 0
            count.fails(f"{op} i{bits}", "integer division by zero", call, x, y)
    x, x8 = np.arange(5, dtype=np.float32), np.arange(8, dtype=np.float32)
    for name, inside, want in (("extract", (0, 4), lambda i: x[i]),
                               ("insert", (0, 4), lambda i: np.where(np.arange(5) == i, 7, x)),
                               # fmt: skip
                               ("slice", (0, 1), lambda i: x[i : i + 4 : 3]),
                               ("put", (0, 3), lambda i: np.r_[x[:i], x[3:5], x[i + 2 :]])):
        for i in inside:
            count.right(f"{name} at {i}", np.array_equal(f[name](x, np.array(i))[0], want(i)))
        for i in (inside[1] + 1, 5, -1, 2**31, 2**62, -(2**63)):
            count.fails(f"{name} at {i}", "outside of the tensor", f[name], x, np.array(i))
    y = f["sizes"](x, x[:4], shapes=[(4,)])[0]
    count.right("sizes", np.allclose(y, np.exp(x[1:])))
    count.fails("sizes", "outside of the tensor", f["sizes"], x, x, shapes=[(5,)])
    for n in (0, 3, 12):
        z = np.arange(n, dtype=np.float32)
        count.right(f"unfold {n}", np.allclose(f["unfold"](z, shapes=[(3, n // 3)])[0], np.exp(z.reshape(3, -1))))
    for n in (1, 5, 7):
        count.fails(f"unfold {n}", "another number of elements", f["unfold"], np.ones(n, "f4"), shapes=[(3, n // 3)])
    z = np.arange(12, dtype=np.float32)
    y = f["unfold_by_data"](z, np.array([4, 3]), shapes=[(4, 3)])[0]
    count.right("unfold_by_data", np.allclose(y, np.exp(z.reshape(4, 3))))
    for t in ((4, 2), (5, 3), (-4, -3), (0, 12), (2**62, 4)):
        shape = tuple(min(abs(s), 9) for s in t)
        count.fails(f"unfold_by_data {t}", "another number of elements", f["unfold_by_data"], z, np.array(t),
                    shapes=[shape])  # fmt: skip
    for name, change in (("join", lambda z: z), ("join_read", np.exp)):
        for m, other, fits in ((3, 3, True), (0, 0, True), (3, 2, False), (2, 3, False), (3, 0, False)):
            z, y = rng.standard_normal((m, 4), "f4"), rng.standard_normal((other, 5), "f4")
            if fits:
                right = np.allclose(f[name](z, y, shapes=[(m, 9)])[0], change(np.hstack([z, y])))
                count.right(f"{name} {m}", right)
            else:
                rows = m if name == "join" else other
                count.fails(f"{name} {m}, {other}", "", f[name], z, y, shapes=[(rows, 9)])
    for n in (0, 3, 7):
        count.right(f"join_all {n}", np.array_equal(f["join_all"](x8[:n], x8[n:])[0], x8))
        count.fails(f"join_all {n}", "parts of a concatenation", f["join_all"], x8[: n + 1], x8[n:])
    for n in (5, 9):
        y, want = np.arange(n, dtype=np.float32), np.arange(n, dtype=np.float32)
        want[1:5] = x[:4] - 9
        count.right(f"put_at_one {n}", np.array_equal(f["put_at_one"](x[:4] - 9, y, shapes=[(n,)])[0], want))
    for n in (0, 2, 4):
        count.fails(f"put_at_one {n}", "put into", f["put_at_one"], x[:4], x[:n], shapes=[(n,)])
    for n in (0, 1, 7):
        y = np.arange(n, dtype=np.float32) + 1
        count.right(f"surround {n}", np.array_equal(f["surround"](y)[0], np.r_[0, y, [0] * (7 - n)]))
    for n in (8, 9):
        count.fails(f"surround {n}", "put into", f["surround"], np.ones(n, "f4"))
    count.right("padded", np.array_equal(f["padded"](x)[0], np.r_[0, x, 0, 0]))
    count.right("packed", np.array_equal(f["packed"](x8)[0], x8.reshape(2, 4)))
    count.right("packed_and_padded", np.array_equal(f["packed_and_padded"](x)[0].ravel(), np.r_[x, 0, 0, 0]))
    for n in (0, 3, 4, 9):
        count.fails(f"padded {n}", "a padding gives other sizes", f["padded"], np.ones(n, "f4"))
        count.fails(f"packed_and_padded {n}", "tiles are no whole ones", f["packed_and_padded"], np.ones(n, "f4"))
    for n in (0, 5, 7, 9):
        count.fails(f"packed {n}", "", f["packed"], np.ones(n, "f4"))
    print(f"{count.done} calls, {count.bad} wrong")
    return int(count.bad > 0)


if __name__ == "__main__":
    sys.exit(main())
