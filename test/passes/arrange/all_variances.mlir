// RUN: sinter-opt --sinter-variances --split-input-file %s | FileCheck %s

// The variance of all elements in f64 of f32: one form, about element 0, which reads the tensor once.

// CHECK-LABEL: func @all
//  CHECK-SAME:   %[[X:.+]]: tensor<9x5xf32>
//       CHECK:   %[[P:.+]] = tensor.extract_slice %[[X]][0, 0] [1, 1] [1, 1] : tensor<9x5xf32> to tensor<f32>
//       CHECK:   sinter.rowwise (i = 9) by (j = 5)
//  CHECK-NEXT:     ins(%[[X]][i, j] : tensor<9x5xf32>, %[[P]][] : tensor<f32>)
//  CHECK-NEXT:     reduce(add [] : f64, add [] : f64)
//       CHECK:   ^row(%[[A:.+]]: tensor<5xf32>, %[[F:.+]]: f32):
//       CHECK:     %[[NEAR:.+]] = sinter.broadcast
//       CHECK:     %[[D:.+]] = arith.subf %{{.+}}, %[[NEAR]]
//       CHECK:     %[[D2:.+]] = arith.mulf %[[D]], %[[D]]
//       CHECK:     %[[T:.+]] = sinter.row_reduce add %[[D]]
//       CHECK:     %[[U:.+]] = sinter.row_reduce add %[[D2]]
//       CHECK:     sinter.yield %[[T]], %[[U]]
//       CHECK:   ^done(%[[T:.+]]: f64, %[[U:.+]]: f64, %{{.+}}: f32):
//       CHECK:     %[[FIRST:.+]] = arith.select
//       CHECK:     %[[N:.+]] = arith.mulf %[[FIRST]], %{{.+}} : f64
//       CHECK:     %[[S:.+]] = arith.addf %[[T]], %[[N]]
//       CHECK:     %[[M:.+]] = arith.mulf %[[S]]
//       CHECK:     %[[FAR:.+]] = arith.subf %[[M]], %[[FIRST]]
//       CHECK:     arith.subf %[[U]]
//       CHECK:     arith.maximumf
//   CHECK-NOT:   sinter.rowwise
func.func @all(%x: tensor<9x5xf32>, %m: tensor<f64>, %e: tensor<f32>) -> tensor<f32> {
  %0 = sinter.rowwise (i = 9) by (j = 5) ins(%x[i, j] : tensor<9x5xf32>) reduce(add [] : f64) outs(%m[] : tensor<f64>) {
  ^row(%a: tensor<5xf32>):
    %w = arith.extf %a : tensor<5xf32> to tensor<5xf64>
    %s = sinter.row_reduce add %w : tensor<5xf64> -> f64
    sinter.yield %s : f64
  } finish {
  ^done(%s: f64):
    %over = arith.constant 0.0625 : f64
    %q = arith.mulf %s, %over : f64
    sinter.yield %q : f64
  }
  %1 = sinter.rowwise (i = 9) by (j = 5) ins(%x[i, j] : tensor<9x5xf32>, %0[] : tensor<f64>) reduce(add [] : f64)
      outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<5xf32>, %c: f64):
    %w = arith.extf %a : tensor<5xf32> to tensor<5xf64>
    %b = sinter.broadcast %c : f64 -> tensor<5xf64>
    %d = arith.subf %w, %b : tensor<5xf64>
    %d2 = arith.mulf %d, %d : tensor<5xf64>
    %s = sinter.row_reduce add %d2 : tensor<5xf64> -> f64
    sinter.yield %s : f64
  } finish {
  ^done(%s: f64, %c: f64):
    %r = arith.truncf %s : f64 to f32
    sinter.yield %r : f32
  }
  return %1 : tensor<f32>
}

// -----

// A mean that somebody else reads, or of another tensor, has a form of its own.

// CHECK-LABEL: func @mean_too
// CHECK-COUNT-2: sinter.rowwise
func.func @mean_too(%x: tensor<9xf32>, %m: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %0 = sinter.rowwise (i = 9) by () ins(%x[i] : tensor<9xf32>) reduce(add [] : f64) outs(%m[] : tensor<f64>) {
  ^row(%a: f32):
    %w = arith.extf %a : f32 to f64
    sinter.yield %w : f64
  } finish {
  ^done(%s: f64):
    sinter.yield %s : f64
  }
  %1 = sinter.rowwise (i = 9) by () ins(%x[i] : tensor<9xf32>, %0[] : tensor<f64>) reduce(add [] : f64) outs(%m[] : tensor<f64>) {
  ^row(%a: f32, %c: f64):
    %w = arith.extf %a : f32 to f64
    %d = arith.subf %w, %c : f64
    %d2 = arith.mulf %d, %d : f64
    sinter.yield %d2 : f64
  } finish {
  ^done(%s: f64, %c: f64):
    sinter.yield %s : f64
  }
  return %0, %1 : tensor<f64>, tensor<f64>
}

// -----

// CHECK-LABEL: func @of_another
// CHECK-COUNT-2: sinter.rowwise
func.func @of_another(%x: tensor<9xf32>, %y: tensor<9xf32>, %m: tensor<f64>) -> tensor<f64> {
  %0 = sinter.rowwise (i = 9) by () ins(%y[i] : tensor<9xf32>) reduce(add [] : f64) outs(%m[] : tensor<f64>) {
  ^row(%a: f32):
    %w = arith.extf %a : f32 to f64
    sinter.yield %w : f64
  } finish {
  ^done(%s: f64):
    sinter.yield %s : f64
  }
  %1 = sinter.rowwise (i = 9) by () ins(%x[i] : tensor<9xf32>, %0[] : tensor<f64>) reduce(add [] : f64) outs(%m[] : tensor<f64>) {
  ^row(%a: f32, %c: f64):
    %w = arith.extf %a : f32 to f64
    %d = arith.subf %w, %c : f64
    %d2 = arith.mulf %d, %d : f64
    sinter.yield %d2 : f64
  } finish {
  ^done(%s: f64, %c: f64):
    sinter.yield %s : f64
  }
  return %1 : tensor<f64>
}

// -----

// Of elements that are read again in each column there is none: fewer subscripts than dimensions.

// CHECK-LABEL: func @again
//       CHECK:   ins(%{{.+}}[i] : tensor<9xf32>)
//   CHECK-NOT:   tensor.extract_slice
//       CHECK:   return
func.func @again(%x: tensor<9xf32>) -> tensor<f64> {
  %e = tensor.empty() : tensor<f64>
  %m = sinter.rowwise (i = 9) by (j = 5) ins(%x[i] : tensor<9xf32>) reduce(add [] : f64) outs(%e[] : tensor<f64>) {
  ^row(%a: f32):
    %w = arith.extf %a : f32 to f64
    sinter.yield %w : f64
  } finish {
  ^done(%s: f64):
    %n = arith.constant 9.0 : f64
    %q = arith.divf %s, %n : f64
    sinter.yield %q : f64
  }
  %v = sinter.rowwise (i = 9) by (j = 5) ins(%x[i] : tensor<9xf32>, %m[] : tensor<f64>) reduce(add [] : f64)
      outs(%e[] : tensor<f64>) {
  ^row(%a: f32, %c: f64):
    %w = arith.extf %a : f32 to f64
    %d = arith.subf %w, %c : f64
    %d2 = arith.mulf %d, %d : f64
    sinter.yield %d2 : f64
  } finish {
  ^done(%s: f64, %c: f64):
    %n = arith.constant 9.0 : f64
    %q = arith.divf %s, %n : f64
    sinter.yield %q : f64
  }
  return %v : tensor<f64>
}
