// RUN: sinter-opt --sinter-differentiate=wrt=0 %s | FileCheck %s

// Two read an argument's columns as heads of other sizes, one of them in part: what is read whole is taken apart, and
// the part stays a subscript.
// CHECK-LABEL: func.func @main(
//       CHECK:   ins(%arg0[i, h * 4 + d] : tensor<5x12xf32>)
//       CHECK:   %[[X:.+]] = tensor.expand_shape %arg0 {{.*}} into tensor<5x4x3xf32>
//       CHECK:   ins(%[[X]][i, h, d] : tensor<5x4x3xf32>
//   CHECK-NOT:   tensor.expand_shape %arg0

func.func @main(%x: tensor<5x12xf32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %y = sinter.rowwise () by (i = 5, h = 2, d = 4) ins(%x[i, h * 4 + d] : tensor<5x12xf32>) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<40xf32>):
    %s = arith.mulf %a, %a : tensor<40xf32>
    %t = sinter.row_reduce add %s : tensor<40xf32> -> f32
    sinter.yield %t : f32
  }
  %z = sinter.rowwise () by (i = 5, h = 4, d = 3) ins(%x[i, h * 3 + d] : tensor<5x12xf32>, %y[] : tensor<f32>)
      outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<60xf32>, %b: f32):
    %s = math.exp %a : tensor<60xf32>
    %t = sinter.row_reduce add %s : tensor<60xf32> -> f32
    %u = arith.mulf %t, %b : f32
    sinter.yield %u : f32
  }
  return %z : tensor<f32>
}
