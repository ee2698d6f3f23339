// RUN: sinter-opt --sinter-differentiate --canonicalize --split-input-file %s | FileCheck %s

// What is 0 but for its gradient is not computed.

// CHECK-LABEL: func @slope
//       CHECK:   ^row(%[[X:.+]]: tensor<8xf32>):
//  CHECK-NEXT:     %[[V:.+]] = math.exp %[[X]]
//  CHECK-NEXT:     sinter.yield %[[V]]
func.func @slope(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    %k = sinter.detach %a : tensor<8xf32>
    %v = math.exp %k : tensor<8xf32>
    %slope = math.sqrt %k : tensor<8xf32>
    %zero = arith.subf %a, %k : tensor<8xf32>
    %t = arith.mulf %slope, %zero : tensor<8xf32>
    %l = arith.addf %v, %t : tensor<8xf32>
    sinter.yield %l : tensor<8xf32>
  }
  return %y : tensor<4x8xf32>
}

// -----

// Its gradient is the slope.

// CHECK-LABEL: func @gradient
//   CHECK-NOT:     math.exp
//   CHECK-NOT:     arith.subf
//       CHECK:     %[[S:.+]] = math.sqrt
//       CHECK:     %[[G:.+]] = arith.mulf %{{.+}}, %[[S]]
//  CHECK-NEXT:     sinter.yield %[[G]]
func.func @gradient(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    %k = sinter.detach %a : tensor<8xf32>
    %v = math.exp %k : tensor<8xf32>
    %slope = math.sqrt %k : tensor<8xf32>
    %zero = arith.subf %a, %k : tensor<8xf32>
    %t = arith.mulf %slope, %zero : tensor<8xf32>
    %l = arith.addf %v, %t : tensor<8xf32>
    sinter.yield %l : tensor<8xf32>
  }
  %g = sinter.differentiate %y wrt(%x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %g : tensor<4x8xf32>
}

// -----

// A difference from another detached value is one.

// CHECK-LABEL: func @other
//       CHECK:     arith.subf
func.func @other(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %z = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>, %y[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>, %b: tensor<8xf32>):
    %k = sinter.detach %b : tensor<8xf32>
    %d = arith.subf %a, %k : tensor<8xf32>
    %l = arith.addf %a, %d : tensor<8xf32>
    sinter.yield %l : tensor<8xf32>
  }
  return %z : tensor<4x8xf32>
}

// -----

// Nothing comes back to what is read detached: at 0 a square root has no derivative, and 0 times it would be no number.
// A loop behind it has none to give either.

// CHECK-LABEL: func @apart
//       CHECK:   scf.for
//   CHECK-NOT:   arith.divf
//       CHECK:   return
func.func @apart(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %none = arith.constant 0 : index
  %one = arith.constant 1 : index
  %more = arith.constant 3 : index
  %turned = scf.for %i = %none to %more step %one iter_args(%t = %x) -> tensor<4x8xf32> {
    %next = linalg.map { math.exp } ins(%t : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>)
    scf.yield %next : tensor<4x8xf32>
  }
  %s = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    %root = math.sqrt %a : tensor<8xf32>
    sinter.yield %root : tensor<8xf32>
  }
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>, %s[i, j] : tensor<4x8xf32>, %turned[i, j] : tensor<4x8xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>):
    %kb = sinter.detach %b : tensor<8xf32>
    %kc = sinter.detach %c : tensor<8xf32>
    %k = arith.mulf %kb, %kc : tensor<8xf32>
    %l = arith.mulf %a, %k : tensor<8xf32>
    sinter.yield %l : tensor<8xf32>
  }
  %g = sinter.differentiate %y wrt(%x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %g : tensor<4x8xf32>
}

// -----

// Of sums over rows, too: finish reads one detached.

// CHECK-LABEL: func @finish
//   CHECK-NOT:   sinter.rowwise {{.*}} ins
//       CHECK:   arith.constant 0.0
//       CHECK:   return
func.func @finish(%x: tensor<4x8xf32>, %w: tensor<f32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %root = sinter.rowwise () by () ins(%w[] : tensor<f32>) outs(%e[] : tensor<f32>) {
  ^row(%a: f32):
    %r = math.sqrt %a : f32
    sinter.yield %r : f32
  }
  %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>, %root[] : tensor<f32>)
      reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<8xf32>, %b: f32):
    %s = sinter.row_reduce add %a : tensor<8xf32> -> f32
    sinter.yield %s : f32
  } finish {
  ^end(%sum: f32, %b: f32):
    %k = sinter.detach %b : f32
    %l = arith.mulf %sum, %k : f32
    sinter.yield %l : f32
  }
  %g = sinter.differentiate %y wrt(%w) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}
