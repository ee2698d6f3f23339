// RUN: sinter-opt --sinter-lower-cpu --canonicalize --cse --split-input-file %s | FileCheck %s

// Elements of a period of 3 are stored, and 8 more behind them; a vector is loaded from where it begins in the period.

// CHECK-LABEL: func private @repeats(
//   CHECK-DAG:   %[[C0:.+]] = arith.constant 0 : index
//   CHECK-DAG:   %[[C3:.+]] = arith.constant 3 : index
//   CHECK-DAG:   %[[C11:.+]] = arith.constant 11 : index
//       CHECK:   %[[M:.+]] = memref.alloca() {{.*}}: memref<11xf32>
//       CHECK:   scf.for %[[I:.+]] = %[[C0]] to %[[C3]]
//       CHECK:     %[[W:.+]] = memref.load %{{.+}}[%[[I]]] : memref<3xf32>
//       CHECK:     memref.store %[[W]], %[[M]][%[[I]]]
//       CHECK:   scf.for %[[J:.+]] = %[[C3]] to %[[C11]]
//       CHECK:     %[[K:.+]] = arith.subi %[[J]], %[[C3]]
//       CHECK:     %[[A:.+]] = memref.load %[[M]][%[[K]]]
//       CHECK:     memref.store %[[A]], %[[M]][%[[J]]]
// CHECK-LABEL: func.func private @repeats_task
//       CHECK:   %[[C:.+]] = arith.constant 3 : index
//       CHECK:   %[[P:.+]] = arith.remui %{{.+}}, %[[C]]
//       CHECK:   vector.load %{{.+}}[%[[P]]] : memref<11xf32>, vector<8xf32>
//   CHECK-NOT:   vector.from_elements
func.func private @repeats(%x: memref<40x3xf32>, %w: memref<3xf32>, %y: memref<40x3xf32>) attributes {sinter.kernel} {
  sinter.rowwise () by (i = 40, j = 3) ins(%x[i, j] : memref<40x3xf32>, %w[j] : memref<3xf32>)
      outs(%y[i, j] : memref<40x3xf32>) schedule(#sinter.rows<lanes = 8, repeats = "stored">) {
  ^row(%a: tensor<120xf32>, %b: tensor<120xf32>):
    %s = arith.addf %a, %b : tensor<120xf32>
    sinter.yield %s : tensor<120xf32>
  }
  return
}

// -----

// Vectors of 8 end where a period of 16 does: it is read where it is.

// CHECK-LABEL: func private @whole(
//   CHECK-NOT:   scf.for
// CHECK-LABEL: func.func private @whole_task
//       CHECK:   vector.load %{{.+}} : memref<16xf32>, vector<8xf32>
func.func private @whole(%x: memref<40x16xf32>, %w: memref<16xf32>, %y: memref<40x16xf32>) attributes {sinter.kernel} {
  sinter.rowwise () by (i = 40, j = 16) ins(%x[i, j] : memref<40x16xf32>, %w[j] : memref<16xf32>)
      outs(%y[i, j] : memref<40x16xf32>) schedule(#sinter.rows<lanes = 8, repeats = "stored">) {
  ^row(%a: tensor<640xf32>, %b: tensor<640xf32>):
    %s = arith.addf %a, %b : tensor<640xf32>
    sinter.yield %s : tensor<640xf32>
  }
  return
}

// -----

// In pieces of columns, and of sizes `?`, the same.

// CHECK-LABEL: func private @pieces(
//       CHECK:   %[[D:.+]] = memref.dim
//       CHECK:   memref.alloc(%{{.+}}) {{.*}}: memref<?xf32>
// CHECK-LABEL: func.func private @pieces_task
//       CHECK:   arith.remui
//       CHECK:   vector.load %{{.+}} : memref<?xf32>, vector<8xf32>
//   CHECK-NOT:   vector.from_elements
func.func private @pieces(%x: memref<?x?xf32>, %w: memref<?xf32>, %y: memref<?x?xf32>) attributes {sinter.kernel} {
  sinter.rowwise () by (i = ?, j = ?) ins(%x[i, j] : memref<?x?xf32>, %w[j] : memref<?xf32>)
      outs(%y[i, j] : memref<?x?xf32>) schedule(#sinter.rows<columns = 64, lanes = 8, repeats = "stored">) {
  ^row(%a: tensor<?xf32>, %b: tensor<?xf32>):
    %s = arith.addf %a, %b : tensor<?xf32>
    sinter.yield %s : tensor<?xf32>
  }
  return
}
