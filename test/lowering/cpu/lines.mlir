// RUN: sinter-opt --sinter-lower-cpu --canonicalize --cse --split-input-file --verify-diagnostics %s | FileCheck %s

// Each of 3 lines of 10 has a vector of 8 and one that ends where the line does, whose first 6 lanes count once; what a
// line leaves goes on into the next one, and lanes are added up behind the last.

// CHECK-LABEL: func.func private @channels_task
//   CHECK-DAG:   %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : vector<8xf32>
//   CHECK-DAG:   %[[NEW:.+]] = arith.constant dense<[false, false, false, false, false, false, true, true]> : vector<8xi1>
//       CHECK:   scf.for %[[LINE:.+]] = %{{.+}} iter_args(%[[A:.+]] = %[[ZERO]]) -> (vector<8xf32>)
//       CHECK:     %[[B:.+]] = arith.muli %[[LINE]], %c10
//       CHECK:     %[[V:.+]] = scf.for %{{.+}} = %[[B]] to %{{.+}} step %c8 iter_args(%{{.+}} = %[[A]])
//       CHECK:       vector.load %{{.+}} : memref<60xf32>, vector<8xf32>
//   CHECK-NOT:     vector.from_elements
//       CHECK:     %[[L:.+]] = arith.select %[[NEW]], %{{.+}}, %[[ZERO]]
//       CHECK:     %[[T:.+]] = arith.addf %[[V]], %[[L]]
//       CHECK:     scf.yield %[[T]] : vector<8xf32>
func.func private @channels(%x: memref<3x2x5x2xf32>, %y: memref<2xf32>) attributes {sinter.kernel} {
  sinter.rowwise (c = 2) by (n = 3, h = 5, w = 2) ins(%x[n, c, h, w] : memref<3x2x5x2xf32>)
      outs(%y[c] : memref<2xf32>) schedule(#sinter.rows<lanes = 8, line = 2>) {
  ^row(%a: tensor<30xf32>):
    %s = sinter.row_reduce add %a : tensor<30xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

// An operand without a place for each line's columns one behind the other has no lines.

func.func private @elsewhere(%x: memref<3x2x5x2xf32>, %g: memref<3x2xf32>, %y: memref<2xf32>) attributes {sinter.kernel} {
  // expected-error @below {{line = 2, but an operand has its columns elsewhere: leave line out}}
  sinter.rowwise (c = 2) by (n = 3, h = 5, w = 2) ins(%x[n, c, h, w] : memref<3x2x5x2xf32>, %g[n, c] : memref<3x2xf32>)
      outs(%y[c] : memref<2xf32>) schedule(#sinter.rows<lanes = 8, line = 2>) {
  ^row(%a: tensor<30xf32>, %b: tensor<30xf32>):
    %m = arith.mulf %a, %b : tensor<30xf32>
    %s = sinter.row_reduce add %m : tensor<30xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

func.func private @all(%x: memref<3x2x5x2xf32>, %y: memref<2xf32>) attributes {sinter.kernel} {
  // expected-error @below {{line = 3, but it is of some of a row's column dimensions, not of all: leave line out}}
  sinter.rowwise (c = 2) by (n = 3, h = 5, w = 2) ins(%x[n, c, h, w] : memref<3x2x5x2xf32>)
      outs(%y[c] : memref<2xf32>) schedule(#sinter.rows<lanes = 8, line = 3>) {
  ^row(%a: tensor<30xf32>):
    %s = sinter.row_reduce add %a : tensor<30xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

func.func private @pieces(%x: memref<3x2x5x2xf32>, %y: memref<2xf32>) attributes {sinter.kernel} {
  // expected-error @below {{columns = 64, but line is for whole rows: leave columns out}}
  sinter.rowwise (c = 2) by (n = 3, h = 5, w = 2) ins(%x[n, c, h, w] : memref<3x2x5x2xf32>)
      outs(%y[c] : memref<2xf32>) schedule(#sinter.rows<columns = 64, lanes = 8, line = 2>) {
  ^row(%a: tensor<30xf32>):
    %s = sinter.row_reduce add %a : tensor<30xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

func.func private @online(%x: memref<3x2x5x2xf32>, %y: memref<2xf32>) attributes {sinter.kernel} {
  // expected-error @below {{line = 2, but maximum = "online" counts columns through: leave line out}}
  sinter.rowwise (c = 2) by (n = 3, h = 5, w = 2) ins(%x[n, c, h, w] : memref<3x2x5x2xf32>)
      outs(%y[c] : memref<2xf32>) schedule(#sinter.rows<lanes = 8, line = 2, maximum = "online">) {
  ^row(%a: tensor<30xf32>):
    %s = sinter.row_reduce maximumf %a : tensor<30xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

// Of lines that bounds cut, a mask says which lanes are inside; the other subscripts are compared once for a line, and
// no column is divided.

// CHECK-LABEL: func.func private @bounded_task
//       CHECK:   scf.for
//   CHECK-NOT:   arith.remui %{{.+}}, %c10
//       CHECK:     %[[X:.+]] = vector.maskedload %{{.+}} : memref<3x2x5x10xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
//       CHECK:     %[[G:.+]] = vector.load %{{.+}} : memref<300xf32>, vector<8xf32>
//       CHECK:     arith.mulf %[[X]], %[[G]] : vector<8xf32>
//   CHECK-NOT:   vector.from_elements
//       CHECK: return
func.func private @bounded(%x: memref<3x2x5x10xf32>, %g: memref<3x2x5x10xf32>, %y: memref<2x3xf32>)
    attributes {sinter.kernel} {
  sinter.rowwise (c = 2, s = 3) by (n = 3, h = 5, w = 10)
      ins(%x[n, c, h - 1, w + s - 1] : memref<3x2x5x10xf32> else 0.0, %g[n, c, h, w] : memref<3x2x5x10xf32>)
      outs(%y[c, s] : memref<2x3xf32>) schedule(#sinter.rows<lanes = 8, line = 1>) {
  ^row(%a: tensor<150xf32>, %b: tensor<150xf32>):
    %m = arith.mulf %a, %b : tensor<150xf32>
    %s = sinter.row_reduce add %m : tensor<150xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

// Elements that are two apart are loaded with those between them, or lane by lane, without a division either.

// CHECK-LABEL: func.func private @stepping_task
//       CHECK:     vector.maskedload %{{.+}} : memref<3x2x5x21xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
//       CHECK:     vector.shuffle %{{.+}} [0, 2, 4, 6, 8, 10, 12, 14]
// CHECK-LABEL: func.func private @apart_task
//   CHECK-NOT:   arith.remui %{{.+}}, %c10
//       CHECK:     vector.from_elements
//   CHECK-NOT:   arith.remui %{{.+}}, %c10
//       CHECK: return
func.func private @stepping(%x: memref<3x2x5x21xf32>, %y: memref<2x3xf32>) attributes {sinter.kernel} {
  sinter.rowwise (c = 2, s = 3) by (n = 3, h = 5, w = 10) ins(%x[n, c, h, w * 2 + s - 1] : memref<3x2x5x21xf32> else 0.0)
      outs(%y[c, s] : memref<2x3xf32>) schedule(#sinter.rows<lanes = 8, line = 1, steps = "together">) {
  ^row(%a: tensor<150xf32>):
    %s = sinter.row_reduce add %a : tensor<150xf32> -> f32
    sinter.yield %s : f32
  }
  return
}
func.func private @apart(%x: memref<3x2x5x21xf32>, %y: memref<2x3xf32>) attributes {sinter.kernel} {
  sinter.rowwise (c = 2, s = 3) by (n = 3, h = 5, w = 10) ins(%x[n, c, h, w * 2 + s - 1] : memref<3x2x5x21xf32> else 0.0)
      outs(%y[c, s] : memref<2x3xf32>) schedule(#sinter.rows<lanes = 8, line = 1>) {
  ^row(%a: tensor<150xf32>):
    %s = sinter.row_reduce add %a : tensor<150xf32> -> f32
    sinter.yield %s : f32
  }
  return
}
