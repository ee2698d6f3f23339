// RUN: sinter-run %s --verify | FileCheck %s
// RUN: sinter-run %s --input=%S/Inputs/bf16_x.npy --expect=%S/Inputs/bf16_want.npy --tolerance=1e-9
// RUN: sinter-run --policy=disabled %s --input=%S/Inputs/bf16_x.npy --expect=%S/Inputs/bf16_want.npy --tolerance=1e-9

// Sums, products and functions of bf16, and a conversion from f64 at run time, with and without
// instructions for them (test/run/avx2.test runs this file for a CPU without).

// CHECK: agrees
func.func @main(%x: tensor<5x19xbf16>) -> tensor<5x19xbf16> {
  %e = tensor.empty() : tensor<5x19xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5x19xbf16>) outs(%e : tensor<5x19xbf16>) {
  ^bb0(%a: bf16, %out: bf16):
    %s = arith.addf %a, %a : bf16
    %q = arith.mulf %s, %a : bf16
    %w = arith.extf %q : bf16 to f64
    %r = arith.addf %w, %w : f64
    %t = arith.truncf %r : f64 to bf16
    linalg.yield %t : bf16
  } -> tensor<5x19xbf16>
  return %y : tensor<5x19xbf16>
}
