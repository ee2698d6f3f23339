// RUN: sinter-opt --sinter-lower-cpu --canonicalize --cse --split-input-file %s | FileCheck %s --implicit-check-not=sinter.rowwise
// RUN: sinter-opt --sinter-lower-cpu --convert-scf-to-cf --convert-vector-to-llvm --finalize-memref-to-llvm \
// RUN:   --convert-func-to-llvm --convert-to-llvm --reconcile-unrealized-casts --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=LLVM --implicit-check-not=unrealized

// A sum over the middle dimension: 4 neighbours in memory are 4 rows. No lane meets another, and the last vector of
// the 7 rows sees row 3 again.

// CHECK-LABEL: func.func private @middle_task(
//       CHECK:   scf.for %[[I:.+]] =
//       CHECK:     scf.for %[[J:.+]] = %c0 to %c7 step %c4 {
//       CHECK:       %[[AT:.+]] = arith.minsi %[[J]], %c3
//       CHECK:       %[[S:.+]] = scf.for %[[K:.+]] = %c0 to %c37 step %c1 iter_args(%[[A:.+]] = %{{.+}}) -> (vector<4xf32>)
//       CHECK:         %[[X:.+]] = vector.load %{{.+}}[%[[I]], %[[K]], %[[AT]]] : memref<3x37x7xf32>, vector<4xf32>
//       CHECK:         arith.addf %[[A]], %[[X]]
//       CHECK:       vector.store %[[S]], %{{.+}}[%[[I]], %[[AT]]] : memref<3x7xf32>
//   CHECK-NOT:   vector.shuffle

// LLVM-LABEL: llvm.func @middle_task
func.func private @middle(%x: memref<3x37x7xf32>, %y: memref<3x7xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 3, j = 7) by (k = 37) ins(%x[i, k, j] : memref<3x37x7xf32>) outs(%y[i, j] : memref<3x7xf32>)
      schedule(#sinter.rows<along = "rows", chunk = 21, lanes = 4>) {
  ^row(%a: tensor<37xf32>):
    %s = sinter.row_reduce add %a : tensor<37xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

// A window over padding: columns are written out, and so are the vectors of a row, of which the second one begins at 1
// and overlaps the first. Where they are is known, so LLVM makes numbers of masks. Lanes outside are not read.

// CHECK-LABEL: func.func private @window_task(
//   CHECK-NOT:   memref.load %{{.+}} : memref<9xf32>
//       CHECK:   vector.maskedload %{{.+}}[%c-1], %{{.+}}, %{{.+}} : memref<9xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
//       CHECK:   vector.maskedload %{{.+}}[%c0]
//       CHECK:   vector.maskedload %{{.+}}[%c1]
//       CHECK:   vector.store %{{.+}}[%c0] : memref<9xf32>, vector<8xf32>
//       CHECK:   vector.maskedload %{{.+}}[%c0]
//       CHECK:   vector.maskedload %{{.+}}[%c1]
//       CHECK:   vector.maskedload %{{.+}}[%c2]
//       CHECK:   vector.store %{{.+}}[%c1] : memref<9xf32>, vector<8xf32>
//   CHECK-NOT:   vector.{{maskedload|store}}
func.func private @window(%x: memref<9xf32>, %y: memref<9xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 9) by (j = 3) ins(%x[i + j - 1] : memref<9xf32> else 0.0) outs(%y[i] : memref<9xf32>)
      schedule(#sinter.rows<along = "rows", chunk = 9, lanes = 8>) {
  ^row(%a: tensor<3xf32>):
    %s = sinter.row_reduce add %a : tensor<3xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

// 20 vectors of 9 columns would be too much code: there is a loop over them.

// CHECK-LABEL: func.func private @long_window_task(
//       CHECK:   scf.for %{{.+}} = %c0 to %c160 step %c8
//       CHECK:     vector.maskedload
//       CHECK:     vector.store
//   CHECK-NOT:   vector.store
func.func private @long_window(%x: memref<160xf32>, %y: memref<160xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 160) by (j = 9) ins(%x[i + j - 4] : memref<160xf32> else 0.0) outs(%y[i] : memref<160xf32>)
      schedule(#sinter.rows<along = "rows", chunk = 160, lanes = 8>) {
  ^row(%a: tensor<9xf32>):
    %s = sinter.row_reduce add %a : tensor<9xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

// Labels: each lane's own element, of column 0 where the label is outside. The loss is a vector until the task ends;
// rows that were seen before count as 0.

// CHECK-LABEL: func.func private @labels_task(
//       CHECK:   %[[L:.+]] = scf.for {{.*}} -> (vector<4xf64>)
//       CHECK:     %[[SEEN:.+]] = vector.broadcast %{{.+}} : index to vector<4xindex>
//       CHECK:     %[[NEW:.+]] = arith.cmpi uge, %{{.+}}, %[[SEEN]]
//       CHECK:     vector.load %{{.+}} : memref<3x7xi64>, vector<4xi64>
//       CHECK:     %[[IN:.+]] = arith.cmpi ult
//       CHECK:     arith.select %[[IN]]
//       CHECK:     %[[P:.+]] = arith.select %[[IN]]
//       CHECK:     arith.select %[[NEW]], %[[P]]
//       CHECK:   vector.shuffle %[[L]]
func.func private @labels(%x: memref<3x5x7xf32>, %t: memref<3x7xi64>, %y: memref<f32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 3, j = 7) by (k = 5) ins(%x[i, k, j] : memref<3x5x7xf32>, %t[i, j] : memref<3x7xi64>)
      reduce(add [] : f32) outs(%y[] : memref<f32>) schedule(#sinter.rows<along = "rows", chunk = 21, lanes = 4>) {
  ^row(%a: tensor<5xf32>, %l: i64):
    %z = arith.constant 0.0 : f32
    %p = sinter.pick %a[%l] else %z : tensor<5xf32>, i64
    sinter.yield %p : f32
  }
  return
}

// -----

// Long rows of rows are cut: 40 rows are two pieces of 16 and 24.

// CHECK-LABEL: func.func private @pieces(
//       CHECK:   call @sinter_rt_parallel(%{{.+}}, %{{.+}}, %c6_i64)
// CHECK-LABEL: func.func private @pieces_task(
//       CHECK:   arith.remui %{{.+}}, %c2
//       CHECK:   arith.divui %{{.+}}, %c2
func.func private @pieces(%x: memref<3x37x40xf32>, %y: memref<3x40xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 3, j = 40) by (k = 37) ins(%x[i, k, j] : memref<3x37x40xf32>) outs(%y[i, j] : memref<3x40xf32>)
      schedule(#sinter.rows<along = "rows", chunk = 16, lanes = 8>) {
  ^row(%a: tensor<37xf32>):
    %s = sinter.row_reduce maximumf %a : tensor<37xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

// A strip of 16 rows: accumulators in memory of the task, columns outside, vectors of rows inside.

// CHECK-LABEL: func.func private @strips_task(
//       CHECK:   %[[A:.+]] = memref.alloca() {{.*}} : memref<16xf32>
//       CHECK:   scf.for %[[J:.+]] = %{{.+}} to %{{.+}} step %c16
//       CHECK:     scf.for {{.*}} step %c8
//  CHECK-NEXT:       vector.store %{{.+}}, %[[A]]
//       CHECK:     scf.for %[[K:.+]] = %c0 to %c70 step %c1
//       CHECK:       scf.for {{.*}} step %c8
//       CHECK:         vector.load %[[A]]
//       CHECK:         vector.load %{{.+}} : memref<70x40xf32>, vector<8xf32>
//       CHECK:         arith.addf
//       CHECK:         vector.store %{{.+}}, %[[A]]
//       CHECK:     scf.for {{.*}} step %c8
//       CHECK:       %[[S:.+]] = vector.load %[[A]]
//       CHECK:       vector.store %[[S]], %{{.+}} : memref<40xf32>, vector<8xf32>
func.func private @strips(%x: memref<70x40xf32>, %y: memref<40xf32>) attributes {sinter.kernel} {
  sinter.rowwise (j = 40) by (k = 70) ins(%x[k, j] : memref<70x40xf32>) outs(%y[j] : memref<40xf32>)
      schedule(#sinter.rows<along = "rows", chunk = 40, lanes = 8, strip = 16>) {
  ^row(%a: tensor<70xf32>):
    %s = sinter.row_reduce add %a : tensor<70xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

// Weights of a window are one number for all rows of a vector: they are widened before they are on each lane.

// CHECK-LABEL: func.func private @weights_task(
//       CHECK:   %[[W:.+]] = memref.load %{{.+}} : memref<3xbf16>
//       CHECK:   %[[F:.+]] = arith.extf %[[W]] : bf16 to f32
//       CHECK:   vector.broadcast %[[F]] : f32 to vector<8xf32>
//   CHECK-NOT:   vector.broadcast %{{.+}} : bf16
func.func private @weights(%x: memref<18xbf16>, %w: memref<3xbf16>, %y: memref<16xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 16) by (k = 3) ins(%x[i + k] : memref<18xbf16>, %w[k] : memref<3xbf16>)
      outs(%y[i] : memref<16xf32>) schedule(#sinter.rows<along = "rows", chunk = 16, lanes = 8>) {
  ^row(%a: tensor<3xbf16>, %b: tensor<3xbf16>):
    %u = arith.extf %a : tensor<3xbf16> to tensor<3xf32>
    %v = arith.extf %b : tensor<3xbf16> to tensor<3xf32>
    %p = arith.mulf %u, %v : tensor<3xf32>
    %s = sinter.row_reduce add %p : tensor<3xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

// A line of a window is written out, with two sums in turn: only the other column dimension has a loop.

// CHECK-LABEL: func.func private @window_line_task(
//       CHECK:   scf.for %[[U:.+]] = %c0 to %c6 step %c1 iter_args(%[[A:.+]] = %{{.+}}, %[[B:.+]] = %{{.+}}) -> (vector<4xf32>, vector<4xf32>)
//   CHECK-NOT:     arith.divui
//       CHECK:     vector.load
//       CHECK:     arith.addf %[[A]]
//       CHECK:     vector.load
//       CHECK:     arith.addf %[[B]]
//       CHECK:     vector.load
//       CHECK:     scf.yield
func.func private @window_line(%x: memref<9x7xf32>, %y: memref<4x5xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4, j = 5) by (u = 6, v = 3) ins(%x[i + u, j + v] : memref<9x7xf32>) outs(%y[i, j] : memref<4x5xf32>)
      schedule(#sinter.rows<along = "rows", chunk = 20, lanes = 4, line = 1, unroll = 2>) {
  ^row(%a: tensor<18xf32>):
    %s = sinter.row_reduce add %a : tensor<18xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

// Two places of five, one behind the other: the last two begin at 3. What both read is loaded once, as both read before
// either writes.

// CHECK-LABEL: func.func private @places_task(
//       CHECK:   %[[GROUP:.+]] = arith.remui %{{.+}}, %c3
//       CHECK:   %[[TWICE:.+]] = arith.muli %[[GROUP]], %c2
//       CHECK:   %[[AT:.+]] = arith.minsi %[[TWICE]], %c3
//       CHECK:   %[[I:.+]] = arith.divui %{{.+}}, %c3
//       CHECK:   vector.load %[[X:.+]][%[[I]], %[[AT]], %[[L:.+]]] : memref<7x6x8xf32>, vector<4xf32>
//       CHECK:   %[[W0:.+]] = vector.load %[[W:.+]][%c0, %[[L]]] : memref<2x8xf32>, vector<4xf32>
//       CHECK:   %[[NEXT:.+]] = arith.addi %[[AT]], %c1
//       CHECK:   %[[X1:.+]] = vector.load %[[X]][%[[I]], %[[NEXT]], %[[L]]] : memref<7x6x8xf32>, vector<4xf32>
//       CHECK:   %[[W1:.+]] = vector.load %[[W]][%c1, %[[L]]] : memref<2x8xf32>, vector<4xf32>
//       CHECK:   arith.mulf %[[X1]], %[[W1]]
//       CHECK:   arith.mulf %[[X1]], %[[W0]]
//       CHECK:   %[[X2:.+]] = vector.load %[[X]]
//   CHECK-NOT:   vector.load
//       CHECK:   arith.mulf %[[X2]], %[[W1]]
//       CHECK:   vector.store %{{.+}}, %[[Y:.+]][%[[I]], %[[AT]], %[[L]]] : memref<7x5x8xf32>, vector<4xf32>
//       CHECK:   vector.store %{{.+}}, %[[Y]][%[[I]], %[[NEXT]], %[[L]]] : memref<7x5x8xf32>, vector<4xf32>
func.func private @places(%x: memref<7x6x8xf32>, %w: memref<2x8xf32>, %y: memref<7x5x8xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 7, j = 5, k = 8) by (u = 2) ins(%x[i, j + u, k] : memref<7x6x8xf32>, %w[u, k] : memref<2x8xf32>)
      outs(%y[i, j, k] : memref<7x5x8xf32>) schedule(#sinter.rows<along = "rows", chunk = 8, lanes = 4, places = 2>) {
  ^row(%a: tensor<2xf32>, %b: tensor<2xf32>):
    %m = arith.mulf %a, %b : tensor<2xf32>
    %s = sinter.row_reduce add %m : tensor<2xf32> -> f32
    sinter.yield %s : f32
  }
  return
}
