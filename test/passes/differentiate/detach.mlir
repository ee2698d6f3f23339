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
