"""Convolutions of small images as torch-mlir writes them, and what goes element by element behind, against float64.

  python small_images.py FOLDER [SINTER-RUN OPTIONS]
"""
import json
import re
import subprocess
import sys

import numpy as np

folder, options = sys.argv[1], sys.argv[2:]

PROGRAM = """
#id = affine_map<(n, c, y, x) -> (n, c, y, x)>
#channel = affine_map<(n, c, y, x) -> (c)>
!x = tensor<{n}x{c}x{s}x{s}xf32>
!padded = tensor<{n}x{c}x{wide}x{wide}xf32>
!image = tensor<{n}x{g}x{cg}x{wide}x{wide}xf32>
!w = tensor<{f}x{cg}x{k}x{k}xf32>
!filter = tensor<{g}x{fg}x{cg}x{k}x{k}xf32>
!sums = tensor<{n}x{g}x{fg}x{o}x{o}xf32>
!y = tensor<{n}x{f}x{o}x{o}xf32>
func.func @main(%x: !x, %w: !w, %b: tensor<{f}xf32>) -> !y {{
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : !x
  %p = tensor.pad %x low[0, 0, {pad}, {pad}] high[0, 0, {pad}, {pad}] {{
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  }} : !x to !padded
  %xg = tensor.expand_shape %p [[0], [1, 2], [3], [4]] output_shape [{size}, {g}, {cg}, {wide}, {wide}]
      : !padded into !image
  %wg = tensor.expand_shape %w [[0, 1], [2], [3], [4]] output_shape [{g}, {fg}, {cg}, {k}, {k}] : !w into !filter
  %e = tensor.empty({dynamic}) : !sums
  %f = linalg.fill ins(%zero : f32) outs(%e : !sums) -> !sums
  %y = linalg.conv_2d_ngchw_gfchw {{dilations = dense<1> : vector<2xi64>, strides = dense<{step}> : vector<2xi64>}}
      ins(%xg, %wg : !image, !filter) outs(%f : !sums) -> !sums
  %yc = tensor.collapse_shape %y [[0], [1, 2], [3], [4]] : !sums into !y
  %r = tensor.empty({dynamic}) : !y
  %z = linalg.generic {{indexing_maps = [#id, #channel, #id],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}}
      ins(%yc, %b : !y, tensor<{f}xf32>) outs(%r : !y) {{
  ^bb0(%a: f32, %v: f32, %out: f32):
    %0 = arith.addf %a, %v : f32
    %1 = arith.maximumf %0, %zero : f32
    linalg.yield %1 : f32
  }} -> !y
  return %z : !y
}}
"""


def wanted(x, w, b, up, g, pad, step):
    """The result, and by the upstream gradient those of x, w and b."""
    wide, w = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (pad, pad), (pad, pad))), w.astype(np.float64)
    k, cg, fg = w.shape[2], w.shape[1], w.shape[0] // g
    y, dwide, dw = np.zeros(up.shape), np.zeros_like(wide), np.zeros_like(w)
    for f, v, u in np.ndindex(*up.shape[1:]):
        rows, columns = slice(v * step, v * step + k), slice(u * step, u * step + k)
        part = np.s_[:, f // fg * cg:(f // fg + 1) * cg, rows, columns]
        y[:, f, v, u] = np.einsum("ncyx,cyx->n", wide[part], w[f]) + b[f]
        here = np.where(y[:, f, v, u] > 0, up[:, f, v, u], 0)
        dw[f] += np.einsum("n,ncyx->cyx", here, wide[part])
        dwide[part] += here[:, None, None, None] * w[f]
    inner = slice(pad, wide.shape[2] - pad)
    return np.maximum(y, 0), dwide[:, :, inner, inner], dw, np.where(y > 0, up, 0).sum((0, 2, 3))


draw, done, wrong, most, sums = np.random.default_rng(5), 0, 0, 0, 0
for batch in (1, 5):
    for g, cg, fg in ((1, 7, 19), (3, 8, 8)):
        for s, k, pad, step in ((1, 3, 1, 2), (2, 3, 1, 2), (5, 3, 1, 1), (6, 2, 0, 2)):
            o = (s + 2 * pad - k) // step + 1
            for known in (True, False):
                text = PROGRAM.format(n=batch if known else "?", size=batch if known else "%n",
                                      dynamic="" if known else "%n", c=g * cg, cg=cg, f=g * fg, fg=fg, g=g, s=s, k=k,
                                      pad=pad, step=step, o=o, wide=s + 2 * pad)
                open(f"{folder}/program.mlir", "w").write(text)
                args = [draw.standard_normal(shape).astype(np.float32)
                        for shape in ((batch, g * cg, s, s), (g * fg, cg, k, k), (g * fg,), (batch, g * fg, o, o))]
                for i, x in enumerate(args):
                    np.save(f"{folder}/in{i}.npy", x)
                wants, kernels = wanted(*args, g, pad, step), []
                for results, more in ((1, []), (4, ["--wrt=0,1,2", "--upstream"])):
                    command = ["sinter-run", f"{folder}/program.mlir", "--stats", *more, *options]
                    command += [f"--input={folder}/in{i}.npy" for i in range(4 if more else 3)]
                    command += [f"--output={folder}/got{i}.npy" for i in range(results)]
                    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
                    kernels.append(json.loads(re.findall(r"^\{.*\}$", out, re.M)[-1])["kernels"])
                    for i, want in enumerate(wants[:results]):
                        got = np.load(f"{folder}/got{i}.npy")
                        if got.shape != want.shape or not np.linalg.norm(got - want) <= 1e-5 * np.linalg.norm(want):
                            wrong += 1
                            print(f"result {i}, batch {batch}, {'known' if known else '?'}, {g} groups, {s}x{s}: wrong")
                done += 1
                if (batch > 1 or not known) and o == 1:
                    most, sums = max(most, kernels[0]), max(sums, kernels[1])
print(f"{done} convolutions, {wrong} wrong; of those to one pixel kernels {most}, with gradients {sums}")
