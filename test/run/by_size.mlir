// RUN: sinter-run %s --shape=24x3x9 --shape=3x9x5 --verify --quiet | FileCheck %s
// RUN: sinter-run %s --shape=24x2048x9 --shape=2048x9x5 --verify --quiet | FileCheck %s
// RUN: sinter-run %s --shape=24x2049x9 --shape=2049x9x5 --verify --quiet | FileCheck %s
// RUN: sinter-run %s --shape=24x0x9 --shape=0x9x5 --verify --quiet | FileCheck %s
// RUN: sinter-run %s --shape=24x2048x9 --shape=2048x9x5 --stats | FileCheck %s --check-prefix=ONE
// RUN: sinter-run %s --shape=24x2049x9 --shape=2049x9x5 --stats | FileCheck %s --check-prefix=TWO

// Few columns are multiplied in the kernel that makes them, many in one of their own; no result is copied.

// CHECK-COUNT-2: agrees with the decomposed program
//   ONE: "kernels": 1, "library_calls": 0,
//   TWO: "kernels": 2, "library_calls": 0,
func.func @main(%x: tensor<24x?x9xf32>, %w: tensor<?x9x5xf32>) -> (tensor<24x?x9xf32>, tensor<24x5x1xf32>) {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<24x?x9xf32>
  %e = tensor.empty(%n) : tensor<24x?x9xf32>
  %f = tensor.empty() : tensor<24x5xf32>
  %y:2 = sinter.rowwise (c = 24) by (n = ?, p = 9) by (m = 5)
      matrix (n, p) to (m) (%w[n, p, m] : tensor<?x9x5xf32>)
      ins(%x[c, n, p] : tensor<24x?x9xf32>)
      outs(%e[c, n, p] : tensor<24x?x9xf32>, %f[c, m] : tensor<24x5xf32>) {
  ^row(%m: tensor<?x5xf32>, %r: tensor<?xf32>):
    %s = sinter.row_reduce maximumf %r : tensor<?xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<?xf32>
    %d = arith.subf %r, %b : tensor<?xf32>
    %p = sinter.row_product %d, %m : tensor<?xf32>, tensor<?x5xf32> -> tensor<5xf32>
    sinter.yield %d, %p : tensor<?xf32>, tensor<5xf32>
  }
  %o = tensor.expand_shape %y#1 [[0], [1, 2]] output_shape [24, 5, 1] : tensor<24x5xf32> into tensor<24x5x1xf32>
  return %y#0, %o : tensor<24x?x9xf32>, tensor<24x5x1xf32>
}
