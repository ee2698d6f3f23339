// RUN: sinter-run %s --shape=2x8 --shape=2 --shape=3 --verify
// RUN: sinter-run %s --shape=9x8 --shape=5 --shape=3 --verify
// RUN: sinter-run %s --shape=0x8 --shape=0 --shape=0 --verify
// RUN: not sinter-run %s --shape=2x8 --shape=1 --shape=3 2>&1 | FileCheck %s
// RUN: not sinter-run %s --shape=9x8 --shape=4 --shape=3 2>&1 | FileCheck %s
// RUN: not sinter-run %s --shape=2x8 --shape=2 --shape=2 2>&1 | FileCheck %s

// A remainder is no more than what is divided: of two rows i mod 5 ends at 1, and a tensor of two elements has it.

// CHECK: a subscript is outside of the tensor that it reads: sizes of arguments do not fit each other
func.func @main(%x: tensor<?x8xf32>, %y: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %r = sinter.rowwise (i = ?) by (j = 8)
      ins(%x[i, j] : tensor<?x8xf32>, %y[i mod 5] : tensor<?xf32>, %z[i * 2 mod 3] : tensor<?xf32>) outs(%e[i, j] : tensor<?x8xf32>) {
  ^row(%a: tensor<8xf32>, %b: f32, %c: f32):
    %s = arith.addf %b, %c : f32
    %t = sinter.broadcast %s : f32 -> tensor<8xf32>
    %u = arith.addf %a, %t : tensor<8xf32>
    sinter.yield %u : tensor<8xf32>
  }
  return %r : tensor<?x8xf32>
}
