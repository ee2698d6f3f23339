// RUN: sinter-opt --sinter-lower-cpu --canonicalize --cse --split-input-file --verify-diagnostics %s | FileCheck %s

// One loop over the columns of two rows, each with accumulators of its own; of the fifth row one by itself.

// CHECK-LABEL: func.func private @sums_task(
//       CHECK:   scf.for %[[I:.+]] = %{{.+}} to %{{.+}} step %c2
//       CHECK:     %[[I1:.+]] = arith.addi %[[I]], %c1
//       CHECK:     %[[S:.+]]:2 = scf.for %[[J:.+]] = %c0 to %c32 step %c8 iter_args(%[[A:.+]] = %{{.+}}, %[[B:.+]] = %{{.+}}) ->
//       CHECK:       %[[X:.+]] = vector.load %{{.+}}[%[[I]], %[[J]]]
//       CHECK:       %[[P:.+]] = arith.addf %[[A]], %[[X]]
//       CHECK:       %[[Y:.+]] = vector.load %{{.+}}[%[[I1]], %[[J]]]
//       CHECK:       %[[Q:.+]] = arith.addf %[[B]], %[[Y]]
//       CHECK:       scf.yield %[[P]], %[[Q]]
//       CHECK:     memref.store %{{.+}}, %{{.+}}[%[[I]]]
//       CHECK:     memref.store %{{.+}}, %{{.+}}[%[[I1]]]
//       CHECK:   scf.for
//       CHECK:     scf.for
//       CHECK:       vector.load
//   CHECK-NOT:       vector.load
//       CHECK:     memref.store
func.func private @sums(%x: memref<5x32xf32>, %y: memref<5xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 32) ins(%x[i, j] : memref<5x32xf32>) outs(%y[i] : memref<5xf32>)
      schedule(#sinter.rows<abreast = 2, chunk = 5, lanes = 8>) {
  ^row(%a: tensor<32xf32>):
    %s = sinter.row_reduce add %a : tensor<32xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

func.func private @stores(%x: memref<5x32xf32>, %y: memref<5x32xf32>, %z: memref<5xf32>) attributes {sinter.kernel} {
  // expected-error @below {{abreast = 2, but the first loop over a row does not only reduce it: leave abreast out}}
  sinter.rowwise (i = 5) by (j = 32) ins(%x[i, j] : memref<5x32xf32>) outs(%y[i, j] : memref<5x32xf32>, %z[i] : memref<5xf32>)
      schedule(#sinter.rows<abreast = 2, chunk = 5, lanes = 8>) {
  ^row(%a: tensor<32xf32>):
    %n = arith.negf %a : tensor<32xf32>
    %s = sinter.row_reduce add %a : tensor<32xf32> -> f32
    sinter.yield %n, %s : tensor<32xf32>, f32
  }
  return
}

// -----

func.func private @odd(%x: memref<5x33xf32>, %y: memref<5xf32>) attributes {sinter.kernel} {
  // expected-error @below {{abreast = 4, but a row is not known to be whole steps of unroll times lanes columns: leave abreast out}}
  sinter.rowwise (i = 5) by (j = 33) ins(%x[i, j] : memref<5x33xf32>) outs(%y[i] : memref<5xf32>)
      schedule(#sinter.rows<abreast = 4, chunk = 5, lanes = 8>) {
  ^row(%a: tensor<33xf32>):
    %s = sinter.row_reduce add %a : tensor<33xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

func.func private @one(%x: memref<32xf32>, %y: memref<f32>) attributes {sinter.kernel} {
  // expected-error @below {{abreast = 2, but vectors are not along the columns of several rows: leave abreast out}}
  sinter.rowwise () by (j = 32) ins(%x[j] : memref<32xf32>) outs(%y[] : memref<f32>)
      schedule(#sinter.rows<abreast = 2, lanes = 8>) {
  ^row(%a: tensor<32xf32>):
    %s = sinter.row_reduce add %a : tensor<32xf32> -> f32
    sinter.yield %s : f32
  }
  return
}
