// RUN: sinter-opt --sinter-simplify --split-input-file %s | FileCheck %s

// A division by the sum of exponentials under their maximum: one division for each row.

// CHECK-LABEL: func @softmax
//       CHECK:     %[[S:.+]] = sinter.row_reduce add %[[E:.+]] :
//       CHECK:     %[[R:.+]] = arith.divf %{{.+}}, %[[S]] : f32
//       CHECK:     %[[B:.+]] = sinter.broadcast %[[R]]
//       CHECK:     arith.mulf %[[E]], %[[B]] : tensor<5xf32>
func.func @softmax(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %y = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>) outs(%e[i, j] : tensor<3x5xf32>) {
  ^row(%r: tensor<5xf32>):
    %m = sinter.row_reduce maximumf %r : tensor<5xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<5xf32>
    %d = arith.subf %r, %mb : tensor<5xf32>
    %u = math.exp %d : tensor<5xf32>
    %s = sinter.row_reduce add %u : tensor<5xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<5xf32>
    %p = arith.divf %u, %sb : tensor<5xf32>
    sinter.yield %p : tensor<5xf32>
  }
  return %y : tensor<3x5xf32>
}

// -----

// Weights times a row: the number of the row comes last, where products alone read them.

// CHECK-LABEL: func @weights_times_row
//       CHECK:   ^row(%{{.+}}: tensor<5xf32>, %{{.+}}: tensor<5x2xf32>, %[[K:.+]]: tensor<5xf32>):
//       CHECK:     %[[E:.+]] = math.exp
//       CHECK:     %[[B:.+]] = sinter.broadcast
//       CHECK:     %[[D:.+]] = arith.mulf %[[E]], %[[K]]
//  CHECK-NEXT:     %[[W:.+]] = arith.mulf %[[D]], %[[B]]
//  CHECK-NEXT:     sinter.row_product %[[W]],
// CHECK-LABEL: func @weights_times_row_stored
//       CHECK:   ^row(%{{.+}}: tensor<5xf32>, %[[K:.+]]: tensor<5xf32>):
//       CHECK:     %[[P:.+]] = arith.mulf
//  CHECK-NEXT:     %[[W:.+]] = arith.mulf %[[P]], %[[K]]
//  CHECK-NEXT:     sinter.yield %[[W]]
func.func @weights_times_row(%x: tensor<3x7xf32>, %w: tensor<5x7xf32>, %v: tensor<5x2xf32>, %k: tensor<3x5xf32>) -> tensor<3x2xf32> {
  %e = tensor.empty() : tensor<3x2xf32>
  %y = sinter.contract (i = 3) by (j = 5) by (c = 2)
      product (d = 7) (%x[i, d] : tensor<3x7xf32>, %w[j, d] : tensor<5x7xf32>) : f32
      matrix (j) to (c) (%v[j, c] : tensor<5x2xf32>)
      ins(%k[i, j] : tensor<3x5xf32>) outs(%e[i, c] : tensor<3x2xf32>) {
  ^row(%r: tensor<5xf32>, %q: tensor<5x2xf32>, %kept: tensor<5xf32>):
    %m = sinter.row_reduce maximumf %r : tensor<5xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<5xf32>
    %d = arith.subf %r, %mb : tensor<5xf32>
    %u = math.exp %d : tensor<5xf32>
    %s = sinter.row_reduce add %u : tensor<5xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<5xf32>
    %p = arith.divf %u, %sb : tensor<5xf32>
    %t = arith.mulf %p, %kept : tensor<5xf32>
    %o = sinter.row_product %t, %q : tensor<5xf32>, tensor<5x2xf32> -> tensor<2xf32>
    sinter.yield %o : tensor<2xf32>
  }
  return %y : tensor<3x2xf32>
}
func.func @weights_times_row_stored(%x: tensor<3x5xf32>, %k: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %y = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>, %k[i, j] : tensor<3x5xf32>) outs(%e[i, j] : tensor<3x5xf32>) {
  ^row(%r: tensor<5xf32>, %kept: tensor<5xf32>):
    %m = sinter.row_reduce maximumf %r : tensor<5xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<5xf32>
    %d = arith.subf %r, %mb : tensor<5xf32>
    %u = math.exp %d : tensor<5xf32>
    %s = sinter.row_reduce add %u : tensor<5xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<5xf32>
    %p = arith.divf %u, %sb : tensor<5xf32>
    %t = arith.mulf %p, %kept : tensor<5xf32>
    sinter.yield %t : tensor<5xf32>
  }
  return %y : tensor<3x5xf32>
}

// -----

// Exponentials under something else may all be tiny: the reciprocal of their sum may be infinite.

// CHECK-LABEL: func @other_shift
//   CHECK-NOT:   arith.mulf
//       CHECK:   arith.divf %{{.+}} : tensor<5xf32>
func.func @other_shift(%x: tensor<3x5xf32>, %c: tensor<3xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %y = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>, %c[i] : tensor<3xf32>) outs(%e[i, j] : tensor<3x5xf32>) {
  ^row(%r: tensor<5xf32>, %m: f32):
    %mb = sinter.broadcast %m : f32 -> tensor<5xf32>
    %d = arith.subf %r, %mb : tensor<5xf32>
    %u = math.exp %d : tensor<5xf32>
    %s = sinter.row_reduce add %u : tensor<5xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<5xf32>
    %p = arith.divf %u, %sb : tensor<5xf32>
    sinter.yield %p : tensor<5xf32>
  }
  return %y : tensor<3x5xf32>
}

// -----

// A half type would be rounded twice, each time to 8 bits.

// CHECK-LABEL: func @half
//   CHECK-NOT:   arith.mulf
//       CHECK:   arith.divf %{{.+}} : tensor<5xbf16>
func.func @half(%x: tensor<3x5xbf16>) -> tensor<3x5xbf16> {
  %e = tensor.empty() : tensor<3x5xbf16>
  %y = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xbf16>) outs(%e[i, j] : tensor<3x5xbf16>) {
  ^row(%r: tensor<5xbf16>):
    %m = sinter.row_reduce maximumf %r : tensor<5xbf16> -> bf16
    %mb = sinter.broadcast %m : bf16 -> tensor<5xbf16>
    %d = arith.subf %r, %mb : tensor<5xbf16>
    %u = math.exp %d : tensor<5xbf16>
    %s = sinter.row_reduce add %u : tensor<5xbf16> -> bf16
    %sb = sinter.broadcast %s : bf16 -> tensor<5xbf16>
    %p = arith.divf %u, %sb : tensor<5xbf16>
    sinter.yield %p : tensor<5xbf16>
  }
  return %y : tensor<3x5xbf16>
}

// -----

// A constant of 1 or more, and any power of two, whose reciprocal is exact; 0.3 and 0 stay.

// CHECK-LABEL: func @constants
//       CHECK:   ^row(%[[X:.+]]: tensor<5xf32>, %[[H:.+]]: tensor<5xbf16>):
//   CHECK-DAG:     arith.constant 0.111111112 : f32
//   CHECK-DAG:     arith.constant 8.000000e+00 : bf16
//       CHECK:     arith.mulf %[[X]],
//       CHECK:     arith.divf %[[X]],
//       CHECK:     arith.divf %[[X]],
//       CHECK:     arith.mulf %[[H]],
//       CHECK:     arith.divf %[[H]],
func.func @constants(%x: tensor<3x5xf32>, %h: tensor<3x5xbf16>) -> (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xbf16>, tensor<3x5xbf16>) {
  %e = tensor.empty() : tensor<3x5xf32>
  %g = tensor.empty() : tensor<3x5xbf16>
  %y:5 = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>, %h[i, j] : tensor<3x5xbf16>)
      outs(%e[i, j] : tensor<3x5xf32>, %e[i, j] : tensor<3x5xf32>, %e[i, j] : tensor<3x5xf32>, %g[i, j] : tensor<3x5xbf16>, %g[i, j] : tensor<3x5xbf16>) {
  ^row(%r: tensor<5xf32>, %s: tensor<5xbf16>):
    %nine = arith.constant dense<9.0> : tensor<5xf32>
    %third = arith.constant dense<0.3> : tensor<5xf32>
    %zero = arith.constant dense<0.0> : tensor<5xf32>
    %eighth = arith.constant dense<0.125> : tensor<5xbf16>
    %three = arith.constant dense<3.0> : tensor<5xbf16>
    %a = arith.divf %r, %nine : tensor<5xf32>
    %b = arith.divf %r, %third : tensor<5xf32>
    %c = arith.divf %r, %zero : tensor<5xf32>
    %d = arith.divf %s, %eighth : tensor<5xbf16>
    %f = arith.divf %s, %three : tensor<5xbf16>
    sinter.yield %a, %b, %c, %d, %f : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xbf16>, tensor<5xbf16>
  }
  return %y#0, %y#1, %y#2, %y#3, %y#4 : tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xbf16>, tensor<3x5xbf16>
}

// -----

// In f16 the reciprocal of 2^-15 is 2^15, that of 2^-16 would be infinite, and 0 times it NaN.

// CHECK-LABEL: func @small_powers
//       CHECK:   ^row(%[[X:.+]]: tensor<5xf16>):
//   CHECK-DAG:     arith.constant 3.276800e+04 : f16
//   CHECK-NOT:     0x7C00
//       CHECK:     arith.mulf %[[X]],
//       CHECK:     arith.divf %[[X]],
func.func @small_powers(%x: tensor<3x5xf16>) -> (tensor<3x5xf16>, tensor<3x5xf16>) {
  %e = tensor.empty() : tensor<3x5xf16>
  %y:2 = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf16>)
      outs(%e[i, j] : tensor<3x5xf16>, %e[i, j] : tensor<3x5xf16>) {
  ^row(%r: tensor<5xf16>):
    %c = arith.constant dense<3.0517578125e-05> : tensor<5xf16>
    %d = arith.constant dense<1.52587890625e-05> : tensor<5xf16>
    %a = arith.divf %r, %c : tensor<5xf16>
    %b = arith.divf %r, %d : tensor<5xf16>
    sinter.yield %a, %b : tensor<5xf16>, tensor<5xf16>
  }
  return %y#0, %y#1 : tensor<3x5xf16>, tensor<3x5xf16>
}

// -----

// log_softmax of a log_softmax: its maximum is known from the first one's.

// CHECK-LABEL: func @twice
//       CHECK:     %[[M:.+]] = sinter.row_reduce maximumf
//       CHECK:     %[[L:.+]] = math.log
//       CHECK:     %[[A:.+]] = arith.subf %[[M]], %[[M]] : f32
//       CHECK:     arith.subf %[[A]], %[[L]] : f32
//   CHECK-NOT:     maximumf
func.func @twice(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %y = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>) outs(%e[i, j] : tensor<3x5xf32>) {
  ^row(%r: tensor<5xf32>):
    %m = sinter.row_reduce maximumf %r : tensor<5xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<5xf32>
    %d = arith.subf %r, %mb : tensor<5xf32>
    %u = math.exp %d : tensor<5xf32>
    %s = sinter.row_reduce add %u : tensor<5xf32> -> f32
    %l = math.log %s : f32
    %lb = sinter.broadcast %l : f32 -> tensor<5xf32>
    %p = arith.subf %d, %lb : tensor<5xf32>
    %m2 = sinter.row_reduce maximumf %p : tensor<5xf32> -> f32
    %m2b = sinter.broadcast %m2 : f32 -> tensor<5xf32>
    %d2 = arith.subf %p, %m2b : tensor<5xf32>
    sinter.yield %d2 : tensor<5xf32>
  }
  return %y : tensor<3x5xf32>
}

// -----

// maxnumf passes over a NaN, which the difference of two infinities is; and a maximum that is not there is not made.

// CHECK-LABEL: func @shifted_maxnum
//       CHECK:     %[[D:.+]] = arith.subf
//       CHECK:     sinter.row_reduce maxnumf %[[D]]
//       CHECK:     sinter.row_reduce maximumf %[[D]]
func.func @shifted_maxnum(%x: tensor<3x5xf32>, %c: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %e = tensor.empty() : tensor<3xf32>
  %y:3 = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>, %c[i] : tensor<3xf32>) outs(%e[i] : tensor<3xf32>, %e[i] : tensor<3xf32>, %e[i] : tensor<3xf32>) {
  ^row(%r: tensor<5xf32>, %s: f32):
    %m = sinter.row_reduce maxnumf %r : tensor<5xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<5xf32>
    %d = arith.subf %r, %sb : tensor<5xf32>
    %n = sinter.row_reduce maxnumf %d : tensor<5xf32> -> f32
    %o = sinter.row_reduce maximumf %d : tensor<5xf32> -> f32
    sinter.yield %m, %n, %o : f32, f32, f32
  }
  return %y#0, %y#1, %y#2 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// -----

// So is one by a size, which is an integer, and by no other number.

// CHECK-LABEL: func @size
//       CHECK:   ^row(%[[A:.+]]: tensor<3xf32>, %[[N:.+]]: f32):
//       CHECK:     %[[R:.+]] = arith.divf %{{.+}}, %[[N]] : f32
//       CHECK:     %[[B:.+]] = sinter.broadcast %[[R]]
//       CHECK:     arith.mulf %[[A]], %[[B]] : tensor<3xf32>
// CHECK-LABEL: func @number
//       CHECK:     arith.divf %{{.+}}, %{{.+}} : tensor<3xf32>
// CHECK-LABEL: func @half
//       CHECK:     arith.divf %{{.+}}, %{{.+}} : tensor<3xf16>
func.func @size(%x: tensor<3xf32>, %of: tensor<?xf32>) -> tensor<3xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %of, %c0 : tensor<?xf32>
  %i = arith.index_cast %d : index to i64
  %n = arith.sitofp %i : i64 to f32
  %t = tensor.from_elements %n : tensor<f32>
  %e = tensor.empty() : tensor<3xf32>
  %y = sinter.rowwise () by (i = 3) ins(%x[i] : tensor<3xf32>, %t[] : tensor<f32>) outs(%e[i] : tensor<3xf32>) {
  ^row(%a: tensor<3xf32>, %s: f32):
    %b = sinter.broadcast %s : f32 -> tensor<3xf32>
    %q = arith.divf %a, %b : tensor<3xf32>
    sinter.yield %q : tensor<3xf32>
  }
  return %y : tensor<3xf32>
}
func.func @number(%x: tensor<3xf32>, %n: f32) -> tensor<3xf32> {
  %t = tensor.from_elements %n : tensor<f32>
  %e = tensor.empty() : tensor<3xf32>
  %y = sinter.rowwise () by (i = 3) ins(%x[i] : tensor<3xf32>, %t[] : tensor<f32>) outs(%e[i] : tensor<3xf32>) {
  ^row(%a: tensor<3xf32>, %s: f32):
    %b = sinter.broadcast %s : f32 -> tensor<3xf32>
    %q = arith.divf %a, %b : tensor<3xf32>
    sinter.yield %q : tensor<3xf32>
  }
  return %y : tensor<3xf32>
}
func.func @half(%x: tensor<3xf16>, %i: i64) -> tensor<3xf16> {
  %n = arith.sitofp %i : i64 to f16
  %t = tensor.from_elements %n : tensor<f16>
  %e = tensor.empty() : tensor<3xf16>
  %y = sinter.rowwise () by (i = 3) ins(%x[i] : tensor<3xf16>, %t[] : tensor<f16>) outs(%e[i] : tensor<3xf16>) {
  ^row(%a: tensor<3xf16>, %s: f16):
    %b = sinter.broadcast %s : f16 -> tensor<3xf16>
    %q = arith.divf %a, %b : tensor<3xf16>
    sinter.yield %q : tensor<3xf16>
  }
  return %y : tensor<3xf16>
}

// -----

// A log-sum-exp as it is exported, under its maximum where that is finite: one under the maximum, which one loop makes
// beside it, and 0 or infinity where the maximum is infinite. Not under another number, or another row's maximum.

// CHECK-LABEL: func @sum_under_finite
//       CHECK:   ^row(%[[X:.+]]: tensor<5xf32>, %[[Y:.+]]: tensor<5xf32>):
//       CHECK:     %[[M:.+]] = sinter.row_reduce maximumf %[[X]]
//       CHECK:     %[[C:.+]] = arith.cmpf oeq
//       CHECK:     %[[B:.+]] = sinter.broadcast %[[M]]
//       CHECK:     %[[D:.+]] = arith.subf %[[X]], %[[B]]
//       CHECK:     %[[E:.+]] = math.exp %[[D]]
//       CHECK:     %[[S:.+]] = sinter.row_reduce add %[[E]]
//       CHECK:     %[[T:.+]] = arith.maximumf %[[M]], %{{.+}} : f32
//       CHECK:     arith.select %[[C]], %[[T]], %[[S]] : f32
//       CHECK:     arith.subf %[[Y]]
//       CHECK:     %[[U:.+]] = sinter.row_reduce add
//       CHECK:     sinter.yield %{{.+}}, %[[U]]
func.func @sum_under_finite(%x: tensor<3x5xf32>, %y: tensor<3x5xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %o = tensor.empty() : tensor<3xf32>
  %0:2 = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>, %y[i, j] : tensor<3x5xf32>)
      outs(%o[i] : tensor<3xf32>, %o[i] : tensor<3xf32>) {
  ^row(%r: tensor<5xf32>, %q: tensor<5xf32>):
    %zero = arith.constant 0.0 : f32
    %inf = arith.constant 0x7FF0000000000000 : f64
    %m = sinter.row_reduce maximumf %r : tensor<5xf32> -> f32
    %a = math.absf %m : f32
    %w = arith.extf %a : f32 to f64
    %c = arith.cmpf oeq, %w, %inf : f64
    %g = arith.select %c, %zero, %m : f32
    %b = sinter.broadcast %g : f32 -> tensor<5xf32>
    %d = arith.subf %r, %b : tensor<5xf32>
    %e = math.exp %d : tensor<5xf32>
    %s = sinter.row_reduce add %e : tensor<5xf32> -> f32
    %l = math.log %s : f32
    %d2 = arith.subf %q, %b : tensor<5xf32>
    %e2 = math.exp %d2 : tensor<5xf32>
    %s2 = sinter.row_reduce add %e2 : tensor<5xf32> -> f32
    sinter.yield %l, %s2 : f32, f32
  }
  return %0#0, %0#1 : tensor<3xf32>, tensor<3xf32>
}
