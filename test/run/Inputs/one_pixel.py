"""Convolutions to one pixel as torch-mlir writes them, between what goes element by element, against numpy's float64.

  python one_pixel.py FOLDER [SINTER-RUN OPTIONS]
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
!sums = tensor<{n}x{g}x{fg}x1x1xf32>
!y = tensor<{n}x{f}x1x1xf32>
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
  %y = linalg.conv_2d_ngchw_gfchw {{dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}}
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


def wanted(x, w, b, g, pad):
    x = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    k, cg, fg = w.shape[2], w.shape[1], w.shape[0] // g
    y = np.stack([np.einsum("ncyx,cyx->n", x[:, f // fg * cg:(f // fg + 1) * cg, :k, :k], w[f].astype(np.float64))
                  for f in range(w.shape[0])], axis=1)
    return np.maximum(y + b, 0)[:, :, None, None]


draw, done, wrong, kernels = np.random.default_rng(5), 0, 0, 0
for batch in (1, 5):
    for g, cg, fg in ((1, 7, 19), (3, 8, 8)):
        for s, k, pad in ((1, 3, 1), (2, 3, 1)):
            for known in (True, False):
                text = PROGRAM.format(n=batch if known else "?", size=batch if known else "%n",
                                      dynamic="" if known else "%n", c=g * cg, cg=cg, f=g * fg, fg=fg, g=g, s=s, k=k,
                                      pad=pad, wide=s + 2 * pad)
                open(f"{folder}/program.mlir", "w").write(text)
                args = [draw.standard_normal(shape).astype(np.float32)
                        for shape in ((batch, g * cg, s, s), (g * fg, cg, k, k), (g * fg,))]
                command = ["sinter-run", f"{folder}/program.mlir", f"--output={folder}/got.npy", "--stats", *options]
                for i, x in enumerate(args):
                    np.save(f"{folder}/in{i}.npy", x)
                    command.append(f"--input={folder}/in{i}.npy")
                out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
                want = wanted(*args, g, pad)
                far = np.linalg.norm(np.load(f"{folder}/got.npy") - want)
                done += 1
                if not far <= 1e-5 * np.linalg.norm(want):
                    wrong += 1
                    print(f"batch {batch} of {'known' if known else 'any'} size, {g} groups, {s}x{s}: off by {far}")
                if batch > 1 or not known:
                    kernels = max(kernels, json.loads(re.findall(r"^\{.*\}$", out, re.M)[-1])["kernels"])
print(f"{done} convolutions, {wrong} wrong, kernels {kernels}")
