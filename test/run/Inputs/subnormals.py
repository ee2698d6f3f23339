"""Products of bf16 below the least normal number, by kernels that keep it and those that do not.

    subnormals.py SINTER_RUN FOLDER KERNEL...

One line a kernel: what 2^-130 times 1 is in it, in units of 2^-130.
"""

import os
import subprocess
import sys

import numpy as np

N = 64


def bf16(a):
    return (a.view(np.uint32) >> 16).astype(np.uint16)


def main():
    sinter_run, folder, *kernels = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    x, w, y = (os.path.join(folder, name) for name in ("x.npy", "w.npy", "y.npy"))
    np.save(x, bf16(np.full((N, N), 2.0**-130, np.float32)))
    np.save(w, bf16(np.eye(N, dtype=np.float32)))
    for kernel in kernels:
        path = os.path.join(folder, kernel + ".mlir")
        with open(path, "w") as file:
            file.write(f"""func.func @main(%x: tensor<{N}x{N}xbf16>, %w: tensor<{N}x{N}xbf16>) -> tensor<{N}x{N}xf32> {{
  %e = tensor.empty() : tensor<{N}x{N}xf32>
  %y = sinter.contract (i = {N}) by (j = {N})
      product (k = {N}) (%x[i, k] : tensor<{N}x{N}xbf16>, %w[k, j] : tensor<{N}x{N}xbf16>) : f32
      outs(%e[i, j] : tensor<{N}x{N}xf32>) schedule(#sinter.brgemm<kernel = "{kernel}", m = 32, n = 32, k = 64>) {{
  ^row(%p: tensor<{N}xf32>):
    sinter.yield %p : tensor<{N}xf32>
  }}
  return %y : tensor<{N}x{N}xf32>
}}
""")
        subprocess.run([sinter_run, path, f"--input={x}", f"--input={w}", f"--output={y}"], check=True,
            capture_output=True)
        print(kernel, *np.unique(np.load(y) / np.float32(2.0**-130)))


main()
