// RUN: sinter-opt --sinter-simplify --split-input-file %s | FileCheck %s

// A result that nobody reads goes, with its accumulator, the inputs that only it needed, and a
// finish that has nothing left to do. Equal operands are one operand, equal operations one operation.

// CHECK-LABEL: func @unread
//       CHECK:   %[[Y:.+]] = sinter.rowwise (i = 3) by (j = 5)
//  CHECK-NEXT:     ins(%{{.+}}[i, j] : tensor<3x5xf32>)
//  CHECK-NEXT:     reduce(add [] : f32)
//  CHECK-NEXT:     outs(%{{.+}}[] : tensor<f32>)
//       CHECK:   ^row(%[[X:.+]]: tensor<5xf32>):
//  CHECK-NEXT:     %[[Q:.+]] = arith.mulf %[[X]], %[[X]]
//  CHECK-NEXT:     %[[S:.+]] = sinter.row_reduce add %[[Q]]
//  CHECK-NEXT:     sinter.yield %[[S]] : f32
//   CHECK-NOT:   finish
func.func @unread(%x: tensor<3x5xf32>, %w: tensor<5xf32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %d = tensor.empty() : tensor<3x5xf32>
  %y:3 = sinter.rowwise (i = 3) by (j = 5)
      ins(%x[i, j] : tensor<3x5xf32>, %x[i, j] : tensor<3x5xf32>, %w[j] : tensor<5xf32>)
      reduce(add [] : f32, maximumf [] : f32)
      outs(%e[] : tensor<f32>, %d[i, j] : tensor<3x5xf32>, %e[] : tensor<f32>) {
  ^row(%a: tensor<5xf32>, %b: tensor<5xf32>, %c: tensor<5xf32>):
    %q = arith.mulf %a, %b : tensor<5xf32>
    %r = arith.mulf %a, %a : tensor<5xf32>
    %u = arith.mulf %r, %c : tensor<5xf32>
    %s = sinter.row_reduce add %q : tensor<5xf32> -> f32
    %m = sinter.row_reduce maximumf %u : tensor<5xf32> -> f32
    sinter.yield %s, %m, %u : f32, f32, tensor<5xf32>
  } finish {
  ^done(%s: f32, %m: f32):
    sinter.yield %s, %m : f32, f32
  }
  return %y#0 : tensor<f32>
}

// -----

// A kernel of which nothing is read is gone, and what only it read after it.

// CHECK-LABEL: func @nothing_left
//   CHECK-NOT:   sinter.rowwise
//       CHECK:   return
func.func @nothing_left(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %d = tensor.empty() : tensor<3x5xf32>
  %y = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>) outs(%d[i, j] : tensor<3x5xf32>) {
  ^row(%a: tensor<5xf32>):
    %q = math.exp %a : tensor<5xf32>
    sinter.yield %q : tensor<5xf32>
  }
  %z = sinter.rowwise (i = 3) by (j = 5) ins(%y[i, j] : tensor<3x5xf32>) outs(%d[i, j] : tensor<3x5xf32>) {
  ^row(%a: tensor<5xf32>):
    %q = math.log %a : tensor<5xf32>
    sinter.yield %q : tensor<5xf32>
  }
  return %x : tensor<3x5xf32>
}

// -----

// An access that nobody reads stays where it alone says of which group of columns a product's row is.

// CHECK-LABEL: func.func @group_of_product
//       CHECK:   product (k = 3) (side(%{{.+}}[k, e] : tensor<3x4xf32>, %{{.+}}[k] : tensor<3xf32>) {
//       CHECK:   }, %{{.+}}[i, k] : tensor<2x3xf32>) : f32
func.func @group_of_product(%x: tensor<3x4xf32>, %y: tensor<3xf32>, %z: tensor<3x4xf32>, %w: tensor<2x3xf32>, %v: tensor<4x5xf32>, %d: tensor<2x5xf32>) -> tensor<2x5xf32> {
  %r = sinter.contract (i = 2) by (j = 5) by (e = 4)
      product (k = 3) (side(%x[k, e] : tensor<3x4xf32>, %y[k] : tensor<3xf32>, %z[k, e] : tensor<3x4xf32>) {
      ^side(%a: tensor<3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>):
        %n = math.absf %b : tensor<3xf32>
        sinter.yield %n : tensor<3xf32>
      }, %w[i, k] : tensor<2x3xf32>) : f32
      matrix (e) to (j) (%v[e, j] : tensor<4x5xf32>)
      outs(%d[i, j] : tensor<2x5xf32>) {
  ^row(%p: tensor<4xf32>, %m: tensor<4x5xf32>):
    %o = sinter.row_product %p, %m : tensor<4xf32>, tensor<4x5xf32> -> tensor<5xf32>
    sinter.yield %o : tensor<5xf32>
  }
  return %r : tensor<2x5xf32>
}

// -----

// A result that nobody reads stays where it alone says how many rows there are.

// CHECK-LABEL: func.func @rows_of_result
//       CHECK:   sinter.rowwise (i = ?) by (j = 4)
//       CHECK:     outs(%{{.+}}[] : tensor<f32>, %{{.+}}[i, j] : tensor<?x4xf32>)
func.func @rows_of_result(%n: index, %x: tensor<4xf32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %d = tensor.empty(%n) : tensor<?x4xf32>
  %c = tensor.empty(%n) : tensor<?xf32>
  %r:3 = sinter.rowwise (i = ?) by (j = 4) ins(%x[j] : tensor<4xf32>) reduce(add [] : f32)
      outs(%e[] : tensor<f32>, %d[i, j] : tensor<?x4xf32>, %c[i] : tensor<?xf32>) {
  ^row(%a: tensor<4xf32>):
    %s = sinter.row_reduce add %a : tensor<4xf32> -> f32
    sinter.yield %s, %a, %s : f32, tensor<4xf32>, f32
  }
  return %r#0 : tensor<f32>
}
