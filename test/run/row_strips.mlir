// RUN: sinter-opt --sinter-schedule %s | FileCheck %s
// RUN: sinter-run %s --verify --entry=sum --threads=1 --output=%t1.npy | FileCheck %s --check-prefix=AGREES
// RUN: sinter-run %s --entry=sum --threads=3 --output=%t3.npy
// RUN: cmp %t1.npy %t3.npy
// RUN: sinter-run %s --verify --entry=spread | FileCheck %s --check-prefix=AGREES
// RUN: sinter-run %s --verify --entry=loss | FileCheck %s --check-prefix=AGREES

// Sums over a long middle dimension: strips of neighbouring rows, the last one and its last vector odd.

// AGREES: agrees
// AGREES-NOT: differs

// CHECK-LABEL: func @sum
//       CHECK: along = "rows", chunk = 256, {{.*}}strip = 256
func.func @sum(%x: tensor<3x301x1203xf32>) -> tensor<3x1203xf32> {
  %e = tensor.empty() : tensor<3x1203xf32>
  %0 = sinter.rowwise (i = 3, j = 1203) by (k = 301) ins(%x[i, k, j] : tensor<3x301x1203xf32>) outs(%e[i, j] : tensor<3x1203xf32>) {
  ^row(%a: tensor<301xf32>):
    %s = sinter.row_reduce add %a : tensor<301xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<3x1203xf32>
}

// What comes after the first reduction goes over the columns again, in registers.

// CHECK-LABEL: func @spread
//       CHECK: strip =
func.func @spread(%x: tensor<3x301x1203xf32>, %w: tensor<301xf32>, %b: tensor<3x1203xf32>) -> (tensor<3x1203xf32>, tensor<3x301x1203xf32>) {
  %e = tensor.empty() : tensor<3x1203xf32>
  %g = tensor.empty() : tensor<3x301x1203xf32>
  %0:2 = sinter.rowwise (i = 3, j = 1203) by (k = 301)
      ins(%x[i, k, j] : tensor<3x301x1203xf32>, %w[k] : tensor<301xf32>, %b[i, j] : tensor<3x1203xf32>)
      outs(%e[i, j] : tensor<3x1203xf32>, %g[i, k, j] : tensor<3x301x1203xf32>) {
  ^row(%a: tensor<301xf32>, %v: tensor<301xf32>, %c: f32):
    %p = arith.mulf %a, %v : tensor<301xf32>
    %cb = sinter.broadcast %c : f32 -> tensor<301xf32>
    %q = arith.addf %p, %cb : tensor<301xf32>
    %m = sinter.row_reduce maximumf %a : tensor<301xf32> -> f32
    %s = sinter.row_reduce add %q : tensor<301xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<301xf32>
    %d = arith.subf %a, %sb : tensor<301xf32>
    %t = sinter.row_reduce add %d : tensor<301xf32> -> f32
    %r = arith.addf %t, %m : f32
    sinter.yield %r, %d : f32, tensor<301xf32>
  }
  return %0#0, %0#1 : tensor<3x1203xf32>, tensor<3x301x1203xf32>
}

// No row is counted twice in what is reduced over rows.

// CHECK-LABEL: func @loss
//       CHECK: strip =
func.func @loss(%x: tensor<3x301x1203xf32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %0 = sinter.rowwise (i = 3, j = 1203) by (k = 301) ins(%x[i, k, j] : tensor<3x301x1203xf32>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<301xf32>):
    %s = sinter.row_reduce maximumf %a : tensor<301xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<f32>
}
