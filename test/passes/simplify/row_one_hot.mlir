// RUN: sinter-opt --sinter-simplify --split-input-file %s | FileCheck %s

// Classes in dimension 1: the total walks along them, the one-hot sum is one element, and the count is
// one over labels.

// CHECK-LABEL: func @count
//       CHECK:   sinter.rowwise (i = 3, p = 7) by ()
//  CHECK-NEXT:     ins(%{{.+}}[i, p] : tensor<3x7xi64>)
//  CHECK-NEXT:     reduce(add [] : f32)
//   CHECK-NOT:   row_reduce
func.func @count(%t: tensor<3x7xi64>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %y = sinter.rowwise (i = 3, c = 5) by (p = 7) ins(%t[i, p] : tensor<3x7xi64>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%l: tensor<7xi64>):
    %one = arith.constant dense<1.0> : tensor<7xf32>
    %z = arith.constant dense<0.0> : tensor<7xf32>
    %c = sinter.index c : index
    %ci = arith.index_cast %c : index to i64
    %cr = sinter.broadcast %ci : i64 -> tensor<7xi64>
    %hot = arith.cmpi eq, %cr, %l : tensor<7xi64>
    %s = arith.select %hot, %one, %z : tensor<7xi1>, tensor<7xf32>
    %r = sinter.row_reduce add %s : tensor<7xf32> -> f32
    sinter.yield %r : f32
  }
  return %y : tensor<f32>
}

// -----

// What is compared with the class changes along the classes itself: it is no label of the row.

// CHECK-LABEL: func @not_a_label
//       CHECK:   sinter.rowwise (i = 3, c = 7) by (p = 7)
//       CHECK:   sinter.row_reduce add
func.func @not_a_label(%t: tensor<7x7xi64>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %y = sinter.rowwise (i = 3, c = 7) by (p = 7) ins(%t[c, p] : tensor<7x7xi64>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%l: tensor<7xi64>):
    %one = arith.constant dense<1.0> : tensor<7xf32>
    %z = arith.constant dense<0.0> : tensor<7xf32>
    %c = sinter.index c : index
    %ci = arith.index_cast %c : index to i64
    %cr = sinter.broadcast %ci : i64 -> tensor<7xi64>
    %hot = arith.cmpi eq, %cr, %l : tensor<7xi64>
    %s = arith.select %hot, %one, %z : tensor<7xi1>, tensor<7xf32>
    %r = sinter.row_reduce add %s : tensor<7xf32> -> f32
    sinter.yield %r : f32
  }
  return %y : tensor<f32>
}

// -----

// A sum of maxima is not one maximum: its rows stay rows.

// CHECK-LABEL: func @not_a_total
//       CHECK:   sinter.rowwise (i = 3, c = 5) by (p = 7)
func.func @not_a_total(%t: tensor<3x7xi64>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %y = sinter.rowwise (i = 3, c = 5) by (p = 7) ins(%t[i, p] : tensor<3x7xi64>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%l: tensor<7xi64>):
    %one = arith.constant dense<1.0> : tensor<7xf32>
    %z = arith.constant dense<0.0> : tensor<7xf32>
    %c = sinter.index c : index
    %ci = arith.index_cast %c : index to i64
    %cr = sinter.broadcast %ci : i64 -> tensor<7xi64>
    %hot = arith.cmpi eq, %cr, %l : tensor<7xi64>
    %s = arith.select %hot, %one, %z : tensor<7xi1>, tensor<7xf32>
    %r = sinter.row_reduce maximumf %s : tensor<7xf32> -> f32
    sinter.yield %r : f32
  }
  return %y : tensor<f32>
}

// -----

// Over the classes alone, of one label, no rows would be left to walk.

// CHECK-LABEL: func @only_classes
//       CHECK:   sinter.rowwise (i = 5) by ()
//       CHECK:     reduce(add [] : f32)
func.func @only_classes(%t: tensor<i64>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %s = sinter.rowwise (i = 5) by () ins(%t[] : tensor<i64>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%l: i64):
    %p = sinter.index i : index
    %q = arith.index_cast %p : index to i64
    %c = arith.cmpi eq, %q, %l : i64
    %o = arith.constant 1.0 : f32
    %z = arith.constant 0.0 : f32
    %y = arith.select %c, %o, %z : f32
    sinter.yield %y : f32
  }
  return %s : tensor<f32>
}
