// RUN: sinter-opt --sinter-variances --split-input-file %s | FileCheck %s

// A variance in f64 of f32: differences from element 0 instead of from the mean, so no sum waits for another.

// CHECK-LABEL: func @variance
//       CHECK:   ^row(%[[X:.+]]: tensor<9xf32>):
//   CHECK-DAG:     %[[W:.+]] = arith.extf %[[X]] : tensor<9xf32> to tensor<9xf64>
//       CHECK:     %[[P:.+]] = sinter.pick %[[X]][%c0] else %{{.+}} : tensor<9xf32>, index
//       CHECK:     %[[P64:.+]] = arith.extf %[[P]]
//       CHECK:     %[[SELF:.+]] = arith.subf %[[P64]], %[[P64]]
//       CHECK:     %[[FINITE:.+]] = arith.cmpf oeq, %[[SELF]]
//       CHECK:     %[[FIRST:.+]] = arith.select %[[FINITE]], %[[P64]]
//       CHECK:     %[[B:.+]] = sinter.broadcast %[[FIRST]]
//       CHECK:     %[[D:.+]] = arith.subf %[[W]], %[[B]]
//       CHECK:     %[[T:.+]] = sinter.row_reduce add %[[D]]
//       CHECK:     %[[D2:.+]] = arith.mulf %[[D]], %[[D]]
//       CHECK:     %[[U:.+]] = sinter.row_reduce add %[[D2]]
//       CHECK:     %[[N:.+]] = arith.mulf %[[FIRST]], %{{.+}} : f64
//       CHECK:     %[[S:.+]] = arith.addf %[[T]], %[[N]]
//       CHECK:     %[[M:.+]] = arith.mulf %[[S]], %{{.+}} : f64
//       CHECK:     %[[FAR:.+]] = arith.subf %[[M]], %[[FIRST]]
//       CHECK:     arith.subf %[[U]], %{{.+}} : f64
//       CHECK:     arith.maximumf
//   CHECK-NOT:     row_reduce
//       CHECK:     sinter.yield
func.func @variance(%x: tensor<4x9xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
  %0 = sinter.rowwise (i = 4) by (j = 9) ins(%x[i, j] : tensor<4x9xf32>) outs(%e[i] : tensor<4xf32>) {
  ^row(%a: tensor<9xf32>):
    %over = arith.constant 0.125 : f64
    %w = arith.extf %a : tensor<9xf32> to tensor<9xf64>
    %s = sinter.row_reduce add %w : tensor<9xf64> -> f64
    %m = arith.mulf %s, %over : f64
    %b = sinter.broadcast %m : f64 -> tensor<9xf64>
    %d = arith.subf %w, %b : tensor<9xf64>
    %d2 = arith.mulf %d, %d : tensor<9xf64>
    %q = sinter.row_reduce add %d2 : tensor<9xf64> -> f64
    %v = arith.mulf %q, %over : f64
    %r = arith.truncf %v : f64 to f32
    sinter.yield %r : f32
  }
  return %0 : tensor<4xf32>
}

// -----

// Elements of 64 bits keep their two phases: nothing is as exact as their own mean.

// CHECK-LABEL: func @wide
//   CHECK-NOT:   sinter.pick
func.func @wide(%x: tensor<4x9xf64>, %e: tensor<4xf64>) -> tensor<4xf64> {
  %0 = sinter.rowwise (i = 4) by (j = 9) ins(%x[i, j] : tensor<4x9xf64>) outs(%e[i] : tensor<4xf64>) {
  ^row(%w: tensor<9xf64>):
    %s = sinter.row_reduce add %w : tensor<9xf64> -> f64
    %b = sinter.broadcast %s : f64 -> tensor<9xf64>
    %d = arith.subf %w, %b : tensor<9xf64>
    %d2 = arith.mulf %d, %d : tensor<9xf64>
    %q = sinter.row_reduce add %d2 : tensor<9xf64> -> f64
    sinter.yield %q : f64
  }
  return %0 : tensor<4xf64>
}

// -----

// So do squares about a number that is there already. Rows of a length `?` count their columns.

// CHECK-LABEL: func @known_mean
//   CHECK-NOT:   sinter.pick
func.func @known_mean(%x: tensor<4x9xf32>, %m: tensor<4xf64>, %e: tensor<4xf64>) -> tensor<4xf64> {
  %0 = sinter.rowwise (i = 4) by (j = 9) ins(%x[i, j] : tensor<4x9xf32>, %m[i] : tensor<4xf64>) outs(%e[i] : tensor<4xf64>) {
  ^row(%a: tensor<9xf32>, %c: f64):
    %w = arith.extf %a : tensor<9xf32> to tensor<9xf64>
    %b = sinter.broadcast %c : f64 -> tensor<9xf64>
    %d = arith.subf %w, %b : tensor<9xf64>
    %d2 = arith.mulf %d, %d : tensor<9xf64>
    %q = sinter.row_reduce add %d2 : tensor<9xf64> -> f64
    sinter.yield %q : f64
  }
  return %0 : tensor<4xf64>
}

// CHECK-LABEL: func @unknown
//  CHECK-SAME:   (%[[X:[^:]+]]: tensor<4x?xf32>
//       CHECK:   %[[D:.+]] = tensor.dim %[[X]], %c1
//       CHECK:   %[[I:.+]] = arith.index_cast %[[D]] : index to i64
//       CHECK:   %[[F:.+]] = arith.sitofp %[[I]] : i64 to f64
//       CHECK:   %[[N:.+]] = tensor.from_elements %[[F]] : tensor<f64>
//       CHECK:   ins(%[[X]][i, j] : tensor<4x?xf32>, %[[N]][] : tensor<f64>)
//       CHECK:   ^row(%[[A:.+]]: tensor<?xf32>, %[[COUNT:.+]]: f64):
//       CHECK:     %[[P:.+]] = sinter.pick %[[A]]
//       CHECK:     arith.mulf %{{.+}}, %[[COUNT]] : f64
//       CHECK:     arith.mulf %{{.+}}, %[[COUNT]] : f64
func.func @unknown(%x: tensor<4x?xf32>, %e: tensor<4xf64>) -> tensor<4xf64> {
  %0 = sinter.rowwise (i = 4) by (j = ?) ins(%x[i, j] : tensor<4x?xf32>) outs(%e[i] : tensor<4xf64>) {
  ^row(%a: tensor<?xf32>):
    %w = arith.extf %a : tensor<?xf32> to tensor<?xf64>
    %s = sinter.row_reduce add %w : tensor<?xf64> -> f64
    %b = sinter.broadcast %s : f64 -> tensor<?xf64>
    %d = arith.subf %w, %b : tensor<?xf64>
    %d2 = arith.mulf %d, %d : tensor<?xf64>
    %q = sinter.row_reduce add %d2 : tensor<?xf64> -> f64
    sinter.yield %q : f64
  }
  return %0 : tensor<4xf64>
}

// -----

// Those that are stored stay, whatever their length turns out to be.

// CHECK-LABEL: func @unknown_stored
//   CHECK-NOT:   sinter.pick
func.func @unknown_stored(%x: tensor<4x?xf32>, %e: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %0 = sinter.rowwise (i = 4) by (j = ?) ins(%x[i, j] : tensor<4x?xf32>) outs(%e[i, j] : tensor<4x?xf32>) {
  ^row(%a: tensor<?xf32>):
    %w = arith.extf %a : tensor<?xf32> to tensor<?xf64>
    %s = sinter.row_reduce add %w : tensor<?xf64> -> f64
    %b = sinter.broadcast %s : f64 -> tensor<?xf64>
    %d = arith.subf %w, %b : tensor<?xf64>
    %d2 = arith.mulf %d, %d : tensor<?xf64>
    %q = sinter.row_reduce add %d2 : tensor<?xf64> -> f64
    %r = arith.truncf %q : f64 to f32
    %c = sinter.broadcast %r : f32 -> tensor<?xf32>
    %y = arith.mulf %a, %c : tensor<?xf32>
    sinter.yield %y : tensor<?xf32>
  }
  return %0 : tensor<4x?xf32>
}

// -----

// A row that is stored keeps its two phases where a block holds it in registers; blocks of a cluster wait once. What is
// added up in f32 beside is that sum, rounded.

// CHECK-LABEL: func @stored
//   CHECK-NOT:   sinter.pick
//       CHECK:   %[[S:.+]] = sinter.row_reduce add %{{.+}} : tensor<8192xf64> -> f64
//       CHECK:   arith.truncf %[[S]] : f64 to f32
//   CHECK-NOT:   -> f32
//       CHECK:   sinter.row_reduce add %{{.+}} : tensor<8192xf64> -> f64
// CHECK-LABEL: func @stored_long
//       CHECK:   sinter.pick
//   CHECK-NOT:   -> f32
//       CHECK:   sinter.yield
func.func @stored(%x: tensor<4x8192xf32>, %e: tensor<4x8192xf32>) -> tensor<4x8192xf32> {
  %0 = sinter.rowwise (i = 4) by (j = 8192) ins(%x[i, j] : tensor<4x8192xf32>) outs(%e[i, j] : tensor<4x8192xf32>) {
  ^row(%a: tensor<8192xf32>):
    %n = sinter.row_reduce add %a : tensor<8192xf32> -> f32
    %w = arith.extf %a : tensor<8192xf32> to tensor<8192xf64>
    %s = sinter.row_reduce add %w : tensor<8192xf64> -> f64
    %b = sinter.broadcast %s : f64 -> tensor<8192xf64>
    %d = arith.subf %w, %b : tensor<8192xf64>
    %d2 = arith.mulf %d, %d : tensor<8192xf64>
    %q = sinter.row_reduce add %d2 : tensor<8192xf64> -> f64
    %r = arith.truncf %q : f64 to f32
    %t = arith.addf %r, %n : f32
    %c = sinter.broadcast %t : f32 -> tensor<8192xf32>
    %y = arith.mulf %a, %c : tensor<8192xf32>
    sinter.yield %y : tensor<8192xf32>
  }
  return %0 : tensor<4x8192xf32>
}
func.func @stored_long(%x: tensor<4x8193xf32>, %e: tensor<4x8193xf32>) -> tensor<4x8193xf32> {
  %0 = sinter.rowwise (i = 4) by (j = 8193) ins(%x[i, j] : tensor<4x8193xf32>) outs(%e[i, j] : tensor<4x8193xf32>) {
  ^row(%a: tensor<8193xf32>):
    %w = arith.extf %a : tensor<8193xf32> to tensor<8193xf64>
    %s = sinter.row_reduce add %w : tensor<8193xf64> -> f64
    %n = sinter.row_reduce add %a : tensor<8193xf32> -> f32
    %b = sinter.broadcast %s : f64 -> tensor<8193xf64>
    %d = arith.subf %w, %b : tensor<8193xf64>
    %d2 = arith.mulf %d, %d : tensor<8193xf64>
    %q = sinter.row_reduce add %d2 : tensor<8193xf64> -> f64
    %r = arith.truncf %q : f64 to f32
    %t = arith.addf %r, %n : f32
    %c = sinter.broadcast %t : f32 -> tensor<8193xf32>
    %y = arith.mulf %a, %c : tensor<8193xf32>
    sinter.yield %y : tensor<8193xf32>
  }
  return %0 : tensor<4x8193xf32>
}
