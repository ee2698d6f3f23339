// RUN: sinter-run %s --verify --policy=aggressive --low=1 --high=9 | FileCheck %s

// 60 channels of windows, of which 64 would be four vectors: each result is divided by its channel's number, and no
// channel that is not there stops the call.

// CHECK: agrees

func.func @main(%x: tensor<8x60x9x9xi32>, %w: tensor<60x7x7xi32>, %q: tensor<60xi32>) -> tensor<8x60x9x9xi32> {
  %e = tensor.empty() : tensor<8x60x9x9xi32>
  %y = sinter.rowwise (n = 8, c = 60, y = 9, x = 9) by (r = 7, s = 7)
      ins(%x[n, c, y + r - 3, x + s - 3] : tensor<8x60x9x9xi32> else 0, %w[c, r, s] : tensor<60x7x7xi32>,
          %q[c] : tensor<60xi32>)
      outs(%e[n, c, y, x] : tensor<8x60x9x9xi32>) {
  ^row(%a: tensor<49xi32>, %b: tensor<49xi32>, %d: i32):
    %p = arith.muli %a, %b : tensor<49xi32>
    %t = sinter.row_reduce add %p : tensor<49xi32> -> i32
    %z = arith.divsi %t, %d : i32
    sinter.yield %z : i32
  }
  return %y : tensor<8x60x9x9xi32>
}
