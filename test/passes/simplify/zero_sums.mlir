// RUN: sinter-opt --sinter-simplify --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-differentiate --sinter-simplify %S/Inputs/softmax_gradient.mlir | FileCheck %s --check-prefix=WHOLE

// What the maximum of a softmax gets of the gradient cancels: neither its sum nor its places are computed.

// WHOLE-LABEL: func @softmax
// WHOLE:         sinter.rowwise
// WHOLE:           sinter.row_reduce maximumf
// WHOLE-NOT:       arith.cmpf
// WHOLE-NOT:       arith.select
// WHOLE:           sinter.yield

// CHECK-LABEL: func @cancels
// CHECK-NOT:     arith.cmpf
// CHECK-NOT:     arith.select
// CHECK:         sinter.yield
func.func @cancels(%x: tensor<3x5xf32>, %d: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %y = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>, %d[i, j] : tensor<3x5xf32>) outs(%e[i, j] : tensor<3x5xf32>) {
  ^row(%r: tensor<5xf32>, %g: tensor<5xf32>):
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %m = sinter.row_reduce maximumf %r : tensor<5xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<5xf32>
    %u0 = arith.subf %r, %mb : tensor<5xf32>
    %u = math.exp %u0 : tensor<5xf32>
    %s = sinter.row_reduce add %u : tensor<5xf32> -> f32
    %inv = arith.divf %one, %s : f32
    %invb = sinter.broadcast %inv : f32 -> tensor<5xf32>
    %gu = arith.mulf %g, %u : tensor<5xf32>
    %t = sinter.row_reduce add %gu : tensor<5xf32> -> f32
    %c0 = arith.divf %inv, %s : f32
    %c1 = arith.mulf %t, %c0 : f32
    %c = arith.negf %c1 : f32
    %cb = sinter.broadcast %c : f32 -> tensor<5xf32>
    %gi = arith.mulf %g, %invb : tensor<5xf32>
    %sum = arith.addf %gi, %cb : tensor<5xf32>
    %du = arith.mulf %sum, %u : tensor<5xf32>
    %minus = arith.negf %du : tensor<5xf32>
    %dm = sinter.row_reduce add %minus : tensor<5xf32> -> f32
    %at = arith.cmpf oeq, %r, %mb : tensor<5xf32>
    %oneb = sinter.broadcast %one : f32 -> tensor<5xf32>
    %zerob = sinter.broadcast %zero : f32 -> tensor<5xf32>
    %places = arith.select %at, %oneb, %zerob : tensor<5xi1>, tensor<5xf32>
    %count = sinter.row_reduce add %places : tensor<5xf32> -> f32
    %each = arith.divf %dm, %count : f32
    %none0 = arith.mulf %dm, %zero : f32
    %none = arith.divf %none0, %count : f32
    %eachb = sinter.broadcast %each : f32 -> tensor<5xf32>
    %noneb = sinter.broadcast %none : f32 -> tensor<5xf32>
    %of_max = arith.select %at, %eachb, %noneb : tensor<5xi1>, tensor<5xf32>
    %dx = arith.addf %du, %of_max : tensor<5xf32>
    sinter.yield %dx : tensor<5xf32>
  }
  return %y : tensor<3x5xf32>
}

// -----

// Twice the sum does not cancel.

// CHECK-LABEL: func @does_not_cancel
// CHECK:         arith.select
// CHECK:         sinter.yield
func.func @does_not_cancel(%x: tensor<3x5xf32>, %d: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %y = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>, %d[i, j] : tensor<3x5xf32>) outs(%e[i, j] : tensor<3x5xf32>) {
  ^row(%r: tensor<5xf32>, %g: tensor<5xf32>):
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %m = sinter.row_reduce maximumf %r : tensor<5xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<5xf32>
    %u0 = arith.subf %r, %mb : tensor<5xf32>
    %u = math.exp %u0 : tensor<5xf32>
    %du = arith.mulf %g, %u : tensor<5xf32>
    %minus = arith.negf %du : tensor<5xf32>
    %dm = sinter.row_reduce add %minus : tensor<5xf32> -> f32
    %at = arith.cmpf oeq, %r, %mb : tensor<5xf32>
    %oneb = sinter.broadcast %one : f32 -> tensor<5xf32>
    %zerob = sinter.broadcast %zero : f32 -> tensor<5xf32>
    %places = arith.select %at, %oneb, %zerob : tensor<5xi1>, tensor<5xf32>
    %count = sinter.row_reduce add %places : tensor<5xf32> -> f32
    %each = arith.divf %dm, %count : f32
    %none0 = arith.mulf %dm, %zero : f32
    %none = arith.divf %none0, %count : f32
    %eachb = sinter.broadcast %each : f32 -> tensor<5xf32>
    %noneb = sinter.broadcast %none : f32 -> tensor<5xf32>
    %of_max = arith.select %at, %eachb, %noneb : tensor<5xi1>, tensor<5xf32>
    %dx = arith.addf %du, %of_max : tensor<5xf32>
    sinter.yield %dx : tensor<5xf32>
  }
  return %y : tensor<3x5xf32>
}
