"""Layers with narrow weights that share a launch, on the emulator, beside NumPy in float64.

  sequence_weights.py [--target=gpu] [--rows=1,8] [--types=f32,bf16]

Four layers, each behind the other: weights of int4 in pairs with a scale for each group of them, of two floats of 8
bits with a scale for each column, and of int8 with one. Each activation is a sigmoid.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
K, GROUP = 32, 8


def decode_float8(bits, kind):
    """Of each byte the number, by the definitions of OCP's 8-bit formats; no NaN is drawn."""
    exponent_bits, bias = (4, 7) if kind == "f8E4M3FN" else (5, 15)
    mantissa_bits = 7 - exponent_bits
    sign = np.where(bits & 128, -1.0, 1.0)
    exponent = (bits.astype(int) & 127) >> mantissa_bits
    mantissa = (bits & ((1 << mantissa_bits) - 1)) / (1 << mantissa_bits)
    return sign * np.where(exponent == 0, mantissa * 2.0 ** (1 - bias), (1 + mantissa) * 2.0 ** (exponent - bias))


def program(rows, t):
    x, scale = f"tensor<{rows}x{K}x{t}>", f"tensor<{K}x{t}>"
    wide = lambda v, kind: f"arith.{'sitofp' if kind == 'i8' else 'extf'} {v} : {kind} to f32"
    ij, j = "affine_map<(i, j) -> (i, j)>", "affine_map<(i, j) -> (j)>"
    text = f"""func.func @main(%x0: {x}, %w0: tensor<{K}x{K // 2}xi8>, %s0: tensor<{K}x{K // GROUP}x{t}>"""
    kinds = ["f8E4M3FN", "f8E5M2", "i8"]
    for n, kind in enumerate(kinds, 1):
        text += f", %w{n}: tensor<{K}x{K}x{kind}>, %s{n}: {scale}"
    text += f""") -> {x} {{
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : {x}
  %ef = tensor.empty() : tensor<{rows}x{K}xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ef : tensor<{rows}x{K}xf32>) -> tensor<{rows}x{K}xf32>
  %u = tensor.empty() : tensor<{K}x{K // 2}x2x{t}>
  %q = linalg.generic {{indexing_maps = [affine_map<(i, j, k) -> (i, j)>,
      affine_map<(i, j, k) -> (i, j floordiv {GROUP // 2})>, affine_map<(i, j, k) -> (i, j, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]}}
      ins(%w0, %s0 : tensor<{K}x{K // 2}xi8>, tensor<{K}x{K // GROUP}x{t}>) outs(%u : tensor<{K}x{K // 2}x2x{t}>) {{
  ^bb0(%b: i8, %s: {t}, %o: {t}):
    %p = linalg.index 2 : index
    %p8 = arith.index_cast %p : index to i8
    %c4 = arith.constant 4 : i8
    %c15 = arith.constant 15 : i8
    %c8 = arith.constant 8 : i8
    %by = arith.muli %p8, %c4 : i8
    %h = arith.shrui %b, %by : i8
    %l = arith.andi %h, %c15 : i8
    %n = arith.subi %l, %c8 : i8
    %v = arith.sitofp %n : i8 to {t}
    %m = arith.mulf %v, %s : {t}
    linalg.yield %m : {t}
  }} -> tensor<{K}x{K // 2}x2x{t}>
  %q0 = tensor.collapse_shape %q [[0], [1, 2]] : tensor<{K}x{K // 2}x2x{t}> into tensor<{K}x{K}x{t}>
"""
    for n, kind in enumerate([t, *kinds]):
        weights, of = ("%q0", t) if not n else (f"%w{n}", kind)
        widen = f"%b1 = {wide('%b', of)}" if of != "f32" else "%b1 = arith.addf %b, %zero : f32"
        first = f"%a1 = arith.extf %a : {t} to f32" if t != "f32" else "%a1 = arith.addf %a, %zero : f32"
        text += f"""  %p{n} = linalg.generic {{indexing_maps = [affine_map<(i, j, k) -> (i, k)>,
      affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%x{n}, {weights} : {x}, tensor<{K}x{K}x{of}>) outs(%f : tensor<{rows}x{K}xf32>) {{
  ^bb0(%a: {t}, %b: {of}, %o: f32):
    {first}
    {widen}
    %m = arith.mulf %a1, %b1 : f32
    %s = arith.addf %m, %o : f32
    linalg.yield %s : f32
  }} -> tensor<{rows}x{K}xf32>
  %x{n + 1} = linalg.generic {{indexing_maps = [{ij}, {j}, {ij}], iterator_types = ["parallel", "parallel"]}}
      ins(%p{n}, {f'%s{n}' if n else '%s3'} : tensor<{rows}x{K}xf32>, {scale}) outs(%e : {x}) {{
  ^bb0(%a: f32, %c: {t}, %o: {t}):
    {f'%c1 = arith.extf %c : {t} to f32' if t != 'f32' else '%c1 = arith.addf %c, %zero : f32'}
    %m = arith.mulf %a, %c1 : f32
    %g = arith.negf %m : f32
    %h = math.exp %g : f32
    %k = arith.addf %h, %one : f32
    %y = arith.divf %one, %k : f32
    {f'%r = arith.truncf %y : f32 to {t}' if t != 'f32' else '%r = arith.addf %y, %zero : f32'}
    linalg.yield %r : {t}
  }} -> {x}
"""
    return text + f"  return %x4 : {x}\n}}\n"


def round_to(v, t):
    """f32 as it is, or cut to bf16 by rounding to the nearest: the bits, and what they mean."""
    v = np.asarray(v, np.float32)
    if t == "f32":
        return v, v.astype(np.float64)
    bits = v.view(np.uint32)
    half = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return half, (half.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def case(rows, t, seed):
    g = np.random.default_rng(seed)
    x, x_is = round_to(g.standard_normal((rows, K)), t)
    packed = g.integers(0, 256, (K, K // 2), dtype=np.uint8)
    scales, scales_are = round_to(0.05 * g.random((K, K // GROUP)) + 0.01, t)
    four = np.stack([packed & 15, packed >> 4], axis=2).reshape(K, K).astype(np.float64) - 8
    weights = [round_to(four * np.repeat(scales_are, GROUP, axis=1), t)[1]]
    inputs, column_scales = [x, packed.view(np.int8), scales], []
    for kind in ("f8E4M3FN", "f8E5M2", "i8"):
        if kind == "i8":
            bits = g.integers(-127, 128, (K, K), dtype=np.int8)
            weights.append(bits.astype(np.float64))
        else:
            most = 0x50 if kind == "f8E4M3FN" else 0x44
            bits = (g.integers(0, most, (K, K)) | (g.integers(0, 2, (K, K)) << 7)).astype(np.uint8)
            weights.append(decode_float8(bits, kind))
        s, s_is = round_to((0.2 + g.random(K)) / np.abs(weights[-1]).max(), t)
        inputs += [bits, s]
        column_scales.append(s_is)
    y = x_is
    for w, s in zip(weights, [column_scales[2], *column_scales]):
        y = 1 / (1 + np.exp(-(y @ w.T) * s))
    return inputs, y


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--target", choices=("cpu", "gpu"), default="gpu")
    p.add_argument("--rows", default="1,8")
    p.add_argument("--types", default="f32,bf16")
    a, bad = p.parse_args(), 0
    with tempfile.TemporaryDirectory() as folder:
        for rows in map(int, a.rows.split(",")):
            for t in a.types.split(","):
                inputs, want = case(rows, t, rows)
                source = os.path.join(folder, "p.mlir")
                open(source, "w").write(program(rows, t))
                files = []
                for n, v in enumerate(inputs):
                    np.save(f"{folder}/{n}.npy", v)
                    files.append(f"--input={folder}/{n}.npy")
                np.save(f"{folder}/y.npy", want)
                files += [f"--expect={folder}/y.npy", f"--tolerance={1e-5 if t == 'f32' else 1e-2}"]
                command = [sys.executable, HERE / "emulate", source, "--sequence=3", *files] if a.target == "gpu" else \
                          ["sinter-run", source, "--launches=one", *files]
                said = subprocess.run(command, text=True, capture_output=True)
                print(f"{rows} x {t}: {(said.stdout or said.stderr).strip()[:2000]}", flush=True)
                one = "launches=1" in said.stdout if a.target == "gpu" else True
                bad += said.returncode != 0 or not one
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
