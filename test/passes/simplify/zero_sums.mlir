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

// -----

// What a mean gets of the gradient of a sum of squares about it cancels: deviations from a mean add up to nothing.

// CHECK-LABEL: func @deviations
// CHECK:         sinter.row_reduce add
// CHECK-NOT:     sinter.row_reduce
// CHECK:         sinter.yield
func.func @deviations(%x: tensor<3x5xf32>, %s: tensor<3xf64>) -> tensor<3x5xf64> {
  %e = tensor.empty() : tensor<3x5xf64>
  %y = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>, %s[i] : tensor<3xf64>) outs(%e[i, j] : tensor<3x5xf64>) {
  ^row(%r: tensor<5xf32>, %f: f64):
    %part = arith.constant 0.2 : f64
    %w = arith.extf %r : tensor<5xf32> to tensor<5xf64>
    %sum = sinter.row_reduce add %w : tensor<5xf64> -> f64
    %m = arith.mulf %sum, %part : f64
    %mb = sinter.broadcast %m : f64 -> tensor<5xf64>
    %d = arith.subf %w, %mb : tensor<5xf64>
    %fb = sinter.broadcast %f : f64 -> tensor<5xf64>
    %g = arith.mulf %fb, %d : tensor<5xf64>
    %minus = arith.negf %g : tensor<5xf64>
    %t = sinter.row_reduce add %minus : tensor<5xf64> -> f64
    %u = arith.mulf %t, %part : f64
    %ub = sinter.broadcast %u : f64 -> tensor<5xf64>
    %dx = arith.addf %g, %ub : tensor<5xf64>
    sinter.yield %dx : tensor<5xf64>
  }
  return %y : tensor<3x5xf64>
}

// -----

// A count that is not the mean's leaves something.

// CHECK-LABEL: func @another_count
// CHECK:         sinter.row_reduce add
// CHECK:         sinter.row_reduce add
// CHECK:         sinter.yield
func.func @another_count(%x: tensor<3x5xf32>) -> tensor<3x5xf64> {
  %e = tensor.empty() : tensor<3x5xf64>
  %y = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>) outs(%e[i, j] : tensor<3x5xf64>) {
  ^row(%r: tensor<5xf32>):
    %part = arith.constant 0.25 : f64
    %w = arith.extf %r : tensor<5xf32> to tensor<5xf64>
    %sum = sinter.row_reduce add %w : tensor<5xf64> -> f64
    %m = arith.mulf %sum, %part : f64
    %mb = sinter.broadcast %m : f64 -> tensor<5xf64>
    %d = arith.subf %w, %mb : tensor<5xf64>
    %t = sinter.row_reduce add %d : tensor<5xf64> -> f64
    %ub = sinter.broadcast %t : f64 -> tensor<5xf64>
    %dx = arith.addf %d, %ub : tensor<5xf64>
    sinter.yield %dx : tensor<5xf64>
  }
  return %y : tensor<3x5xf64>
}

// -----

// Of a length that is not known, nobody says that it is the mean's count.

// CHECK-LABEL: func @any_length
// CHECK:         sinter.row_reduce add
// CHECK:         sinter.row_reduce add
// CHECK:         sinter.yield
func.func @any_length(%x: tensor<3x?xf32>, %e: tensor<3x?xf64>) -> tensor<3x?xf64> {
  %y = sinter.rowwise (i = 3) by (j = ?) ins(%x[i, j] : tensor<3x?xf32>) outs(%e[i, j] : tensor<3x?xf64>) {
  ^row(%r: tensor<?xf32>):
    %part = arith.constant 0.2 : f64
    %w = arith.extf %r : tensor<?xf32> to tensor<?xf64>
    %sum = sinter.row_reduce add %w : tensor<?xf64> -> f64
    %m = arith.mulf %sum, %part : f64
    %mb = sinter.broadcast %m : f64 -> tensor<?xf64>
    %d = arith.subf %w, %mb : tensor<?xf64>
    %t = sinter.row_reduce add %d : tensor<?xf64> -> f64
    %ub = sinter.broadcast %t : f64 -> tensor<?xf64>
    %dx = arith.addf %d, %ub : tensor<?xf64>
    sinter.yield %dx : tensor<?xf64>
  }
  return %y : tensor<3x?xf64>
}

// -----

// The mean is another form's.

// CHECK-LABEL: func @across
// CHECK:         sinter.row_reduce add
// CHECK:         sinter.rowwise
// CHECK-NOT:     sinter.row_reduce
// CHECK:         return
func.func @across(%x: tensor<3x5xf32>, %s: tensor<3xf64>) -> (tensor<3x5xf64>, tensor<3xf64>) {
  %e = tensor.empty() : tensor<3x5xf64>
  %n = tensor.empty() : tensor<3xf64>
  %mean = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>) outs(%n[i] : tensor<3xf64>) {
  ^row(%r: tensor<5xf32>):
    %count = arith.constant 5.0 : f64
    %w = arith.extf %r : tensor<5xf32> to tensor<5xf64>
    %sum = sinter.row_reduce add %w : tensor<5xf64> -> f64
    %m = arith.divf %sum, %count : f64
    sinter.yield %m : f64
  }
  %y = sinter.rowwise (i = 3) by (j = 5) ins(%s[i] : tensor<3xf64>, %x[i, j] : tensor<3x5xf32>, %mean[i] : tensor<3xf64>) outs(%e[i, j] : tensor<3x5xf64>) {
  ^row(%f: f64, %r: tensor<5xf32>, %m: f64):
    %w = arith.extf %r : tensor<5xf32> to tensor<5xf64>
    %mb = sinter.broadcast %m : f64 -> tensor<5xf64>
    %d = arith.subf %w, %mb : tensor<5xf64>
    %fb = sinter.broadcast %f : f64 -> tensor<5xf64>
    %g = arith.mulf %fb, %d : tensor<5xf64>
    %t = sinter.row_reduce add %g : tensor<5xf64> -> f64
    %ub = sinter.broadcast %t : f64 -> tensor<5xf64>
    %dx = arith.addf %g, %ub : tensor<5xf64>
    sinter.yield %dx : tensor<5xf64>
  }
  return %y, %mean : tensor<3x5xf64>, tensor<3xf64>
}

// -----

// It is the mean of another tensor; and of the same one, whose part another form reads, of other rows.

// CHECK-LABEL: func @of_others
// CHECK:         sinter.row_reduce add
// CHECK:         sinter.row_reduce add
// CHECK:         sinter.row_reduce add
// CHECK:         return
func.func @of_others(%x: tensor<3x5xf32>, %z: tensor<3x5xf32>, %s: tensor<4x5xf32>) -> (tensor<3x5xf64>, tensor<3x5xf64>, tensor<3xf64>) {
  %e = tensor.empty() : tensor<3x5xf64>
  %n = tensor.empty() : tensor<3xf64>
  %mean = sinter.rowwise (i = 3) by (j = 5) ins(%s[i, j] : tensor<4x5xf32>) outs(%n[i] : tensor<3xf64>) {
  ^row(%r: tensor<5xf32>):
    %part = arith.constant 0.2 : f64
    %w = arith.extf %r : tensor<5xf32> to tensor<5xf64>
    %sum = sinter.row_reduce add %w : tensor<5xf64> -> f64
    %m = arith.mulf %sum, %part : f64
    sinter.yield %m : f64
  }
  %y = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>, %mean[i] : tensor<3xf64>) outs(%e[i, j] : tensor<3x5xf64>) {
  ^row(%r: tensor<5xf32>, %m: f64):
    %w = arith.extf %r : tensor<5xf32> to tensor<5xf64>
    %mb = sinter.broadcast %m : f64 -> tensor<5xf64>
    %d = arith.subf %w, %mb : tensor<5xf64>
    %t = sinter.row_reduce add %d : tensor<5xf64> -> f64
    %ub = sinter.broadcast %t : f64 -> tensor<5xf64>
    %dx = arith.addf %d, %ub : tensor<5xf64>
    sinter.yield %dx : tensor<5xf64>
  }
  %v = sinter.rowwise (i = 3) by (j = 5) ins(%s[i + 1, j] : tensor<4x5xf32>, %mean[i] : tensor<3xf64>) outs(%e[i, j] : tensor<3x5xf64>) {
  ^row(%r: tensor<5xf32>, %m: f64):
    %w = arith.extf %r : tensor<5xf32> to tensor<5xf64>
    %mb = sinter.broadcast %m : f64 -> tensor<5xf64>
    %d = arith.subf %w, %mb : tensor<5xf64>
    %t = sinter.row_reduce add %d : tensor<5xf64> -> f64
    %ub = sinter.broadcast %t : f64 -> tensor<5xf64>
    %dx = arith.addf %d, %ub : tensor<5xf64>
    sinter.yield %dx : tensor<5xf64>
  }
  return %y, %v, %mean : tensor<3x5xf64>, tensor<3x5xf64>, tensor<3xf64>
}
