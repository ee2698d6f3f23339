"""Weights of whole numbers with a scale for each column, by few rows: a program, its inputs and what NumPy computes in
float64.

  whole_weights.py FOLDER ROWS COLUMNS SUM TYPE[ INTEGER]    writes FOLDER/program.mlir and FOLDER/options
"""
import pathlib
import sys

import numpy as np

folder, (m, n, k), t, i = pathlib.Path(sys.argv[1]), map(int, sys.argv[2:5]), sys.argv[5], (sys.argv[6:] or ["i8"])[0]
folder.mkdir(parents=True, exist_ok=True)
(folder / "program.mlir").write_text(f"""
#ij = affine_map<(i, j) -> (i, j)>
#j = affine_map<(i, j) -> (j)>
func.func @main(%x: tensor<{m}x{k}x{t}>, %q: tensor<{n}x{k}x{i}>, %s: tensor<{n}xf32>) -> tensor<{m}x{n}xf32> {{
  %zero = arith.constant 0.0 : f32
  %ew = tensor.empty() : tensor<{n}x{k}x{t}>
  %w = linalg.generic {{indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}}
      ins(%q : tensor<{n}x{k}x{i}>) outs(%ew : tensor<{n}x{k}x{t}>) {{
  ^bb0(%a: {i}, %o: {t}):
    %v = arith.sitofp %a : {i} to {t}
    linalg.yield %v : {t}
  }} -> tensor<{n}x{k}x{t}>
  %ey = tensor.empty() : tensor<{m}x{n}xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ey : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
  %et = tensor.empty() : tensor<{k}x{n}x{t}>
  %wt = linalg.transpose ins(%w : tensor<{n}x{k}x{t}>) outs(%et : tensor<{k}x{n}x{t}>) permutation = [1, 0]
  %p = linalg.matmul ins(%x, %wt : tensor<{m}x{k}x{t}>, tensor<{k}x{n}x{t}>) outs(%f : tensor<{m}x{n}xf32>)
      -> tensor<{m}x{n}xf32>
  %y = linalg.generic {{indexing_maps = [#ij, #j, #ij], iterator_types = ["parallel", "parallel"]}}
      ins(%p, %s : tensor<{m}x{n}xf32>, tensor<{n}xf32>) outs(%ey : tensor<{m}x{n}xf32>) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.mulf %a, %b : f32
    linalg.yield %v : f32
  }} -> tensor<{m}x{n}xf32>
  return %y : tensor<{m}x{n}xf32>
}}
""")
random = np.random.default_rng(m * n + k)
bits = int(i[1:])
# Whole numbers of at most seven digits are the same in every float type, so nothing is rounded in front of the product.
x = random.integers(-60, 61, (m, k)).astype(np.float32)
q = random.integers(-(2 ** (bits - 1)), 2 ** (bits - 1), (n, k)).astype(f"int{bits}")
q.flat[:2] = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
s = random.uniform(0.01, 0.02, n).astype(np.float32)
of_x, w = x.astype(np.float16 if t == "f16" else np.float32), q.astype(np.float64)
if t == "bf16":  # to nearest even, eight digits; in a file it is its bits
    of_x = (x.view(np.uint32) >> 16).astype(np.uint16)
    u = q.astype(np.float32).view(np.uint32)
    w = ((u + 0x7FFF + ((u >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32).astype(np.float64)
elif t == "f16":
    w = q.astype(np.float16).astype(np.float64)
y = (x.astype(np.float64) @ w.T * s).astype(np.float32)
for name, a in {"x": of_x, "q": q, "s": s, "y": y}.items():
    np.save(folder / f"{name}.npy", a)
(folder / "options").write_text(" ".join([f"{folder}/program.mlir", *(f"--input={folder}/{a}.npy" for a in "xqs"),
                                          f"--expect={folder}/y.npy", "--tolerance=1e-5"]))
