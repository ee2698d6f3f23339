// RUN: sinter-opt --sinter-lower-cpu --canonicalize --cse --split-input-file %s | FileCheck %s

// Two vectors of a half type that are stored are one.

// CHECK-LABEL: func.func private @stored_task(
//       CHECK:   scf.for %[[J:.+]] = %c0 to %c48 step %c16
//       CHECK:     %[[X0:.+]] = vector.load %[[X:.+]][%[[I:.+]], %[[J]]] : memref<3x48xf16>, vector<8xf16>
//       CHECK:     %[[Y0:.+]] = arith.negf %[[X0]]
//   CHECK-NOT:     vector.store
//       CHECK:     %[[J1:.+]] = arith.addi %[[J]], %c8
//       CHECK:     %[[X1:.+]] = vector.load %[[X]][%[[I]], %[[J1]]]
//       CHECK:     %[[Y1:.+]] = arith.negf %[[X1]]
//       CHECK:     %[[Y:.+]] = vector.shuffle %[[Y0]], %[[Y1]] [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
//       CHECK:     vector.store %[[Y]], %{{.+}}[%[[I]], %[[J]]] : memref<3x48xf16>, vector<16xf16>
func.func private @stored(%x: memref<3x48xf16>, %y: memref<3x48xf16>) attributes {sinter.kernel} {
  sinter.rowwise (i = 3) by (j = 48) ins(%x[i, j] : memref<3x48xf16>) outs(%y[i, j] : memref<3x48xf16>)
      schedule(#sinter.rows<chunk = 3, lanes = 8>) {
  ^row(%a: tensor<48xf16>):
    %n = arith.negf %a : tensor<48xf16>
    sinter.yield %n : tensor<48xf16>
  }
  return
}

// -----

// Past the caches as one where every row is aligned to both, else as before.

// CHECK-LABEL: func.func private @streamed_task(
//       CHECK:   vector.store %{{.+}} {alignment = 32 : i64, nontemporal = true} : memref<3x64xbf16>, vector<16xbf16>
func.func private @streamed(%x: memref<3x64xbf16>, %y: memref<3x64xbf16>) attributes {sinter.kernel} {
  sinter.rowwise (i = 3) by (j = 64) ins(%x[i, j] : memref<3x64xbf16>) outs(%y[i, j] : memref<3x64xbf16>)
      schedule(#sinter.rows<chunk = 3, lanes = 8, stores = "streaming">) {
  ^row(%a: tensor<64xbf16>):
    %n = arith.negf %a : tensor<64xbf16>
    sinter.yield %n : tensor<64xbf16>
  }
  return
}

// -----

// CHECK-LABEL: func.func private @streamed_alone_task(
//   CHECK-NOT:   vector.shuffle
//       CHECK:   vector.store %{{.+}} {alignment = 16 : i64, nontemporal = true} : memref<3x40xbf16>, vector<8xbf16>
func.func private @streamed_alone(%x: memref<3x40xbf16>, %y: memref<3x40xbf16>) attributes {sinter.kernel} {
  sinter.rowwise (i = 3) by (j = 40) ins(%x[i, j] : memref<3x40xbf16>) outs(%y[i, j] : memref<3x40xbf16>)
      schedule(#sinter.rows<chunk = 3, lanes = 8, stores = "streaming">) {
  ^row(%a: tensor<40xbf16>):
    %n = arith.negf %a : tensor<40xbf16>
    sinter.yield %n : tensor<40xbf16>
  }
  return
}

// -----

// A sum takes its elements in any order: even columns, then odd ones, of one load.

// CHECK-LABEL: func.func private @summed_task(
//       CHECK:   scf.for %[[J:.+]] = %c0 to %c32 step %c16
//       CHECK:     %[[W:.+]] = vector.load %{{.+}}[%{{.+}}, %[[J]]] : memref<3x40xbf16>, vector<16xbf16>
//       CHECK:     %[[B:.+]] = vector.bitcast %[[W]] : vector<16xbf16> to vector<8xi32>
//       CHECK:     %[[E:.+]] = arith.trunci %[[B]] : vector<8xi32> to vector<8xi16>
//       CHECK:     arith.bitcast %[[E]] : vector<8xi16> to vector<8xbf16>
//       CHECK:     %[[H:.+]] = arith.shrui %[[B]], %{{.+}} : vector<8xi32>
//       CHECK:     arith.trunci %[[H]]
//   CHECK-NOT:     vector.load
//       CHECK:     scf.yield
func.func private @summed(%x: memref<3x40xbf16>, %y: memref<3xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 3) by (j = 40) ins(%x[i, j] : memref<3x40xbf16>) outs(%y[i] : memref<3xf32>)
      schedule(#sinter.rows<chunk = 3, lanes = 8, unroll = 2>) {
  ^row(%a: tensor<40xbf16>):
    %w = arith.extf %a : tensor<40xbf16> to tensor<40xf32>
    %s = sinter.row_reduce add %w : tensor<40xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

// So may what is stored, and is put in order there: two loads for one store.

// CHECK-LABEL: func.func private @in_turns_task(
//       CHECK:   scf.for %[[J:.+]] = %c0 to %c48 step %c16
// CHECK-COUNT-2:     vector.load %{{.+}} : memref<3x48xbf16>, vector<16xbf16>
//       CHECK:     %[[Y:.+]] = vector.interleave
//       CHECK:     vector.store %[[Y]], %{{.+}}[%{{.+}}, %[[J]]] : memref<3x48xbf16>, vector<16xbf16>
func.func private @in_turns(%x: memref<3x48xbf16>, %z: memref<3x48xbf16>, %y: memref<3x48xbf16>) attributes {sinter.kernel} {
  sinter.rowwise (i = 3) by (j = 48) ins(%x[i, j] : memref<3x48xbf16>, %z[i, j] : memref<3x48xbf16>) outs(%y[i, j] : memref<3x48xbf16>)
      schedule(#sinter.rows<chunk = 3, lanes = 8>) {
  ^row(%a: tensor<48xbf16>, %b: tensor<48xbf16>):
    %s = arith.addf %a, %b : tensor<48xbf16>
    sinter.yield %s : tensor<48xbf16>
  }
  return
}

// -----

// A column that is known by its index, or memory of another type, keeps the order.

// CHECK-LABEL: func.func private @known_columns_task(
//   CHECK-NOT:   vector.bitcast
//       CHECK:   return
func.func private @known_columns(%x: memref<3x40xbf16>, %y: memref<3xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 3) by (j = 40) ins(%x[i, j] : memref<3x40xbf16>) outs(%y[i] : memref<3xf32>)
      schedule(#sinter.rows<chunk = 3, lanes = 8, unroll = 2>) {
  ^row(%a: tensor<40xbf16>):
    %i = sinter.index j : tensor<40xindex>
    %k = arith.index_cast %i : tensor<40xindex> to tensor<40xi32>
    %f = arith.sitofp %k : tensor<40xi32> to tensor<40xf32>
    %w = arith.extf %a : tensor<40xbf16> to tensor<40xf32>
    %p = arith.mulf %w, %f : tensor<40xf32>
    %s = sinter.row_reduce add %p : tensor<40xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

// CHECK-LABEL: func.func private @wider_task(
//   CHECK-NOT:   vector.bitcast
//       CHECK:   return
func.func private @wider(%x: memref<3x40xbf16>, %z: memref<3x40xf32>, %y: memref<3xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 3) by (j = 40) ins(%x[i, j] : memref<3x40xbf16>, %z[i, j] : memref<3x40xf32>) outs(%y[i] : memref<3xf32>)
      schedule(#sinter.rows<chunk = 3, lanes = 8, unroll = 2>) {
  ^row(%a: tensor<40xbf16>, %b: tensor<40xf32>):
    %w = arith.extf %a : tensor<40xbf16> to tensor<40xf32>
    %p = arith.mulf %w, %b : tensor<40xf32>
    %s = sinter.row_reduce add %p : tensor<40xf32> -> f32
    sinter.yield %s : f32
  }
  return
}
