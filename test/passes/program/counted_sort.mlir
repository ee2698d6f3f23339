// RUN: sinter-opt --sinter-tm-tensor=counted=6 --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-tm-tensor --split-input-file %s | FileCheck %s --check-prefix=MERGED

// Eleven elements are two runs of six at most, as each round of merging halves how many there are. Of a run each
// element adds one to the places of those that it goes before, of 16 at once; where the squares of the places are as
// many as of 0 to 5 they all differ, and elements go there, else they stay. Merging goes on from 6, or from 1.

//  CHECK-LABEL: func @counted
//    CHECK-DAG:   %[[X:.+]] = memref.alloca() : memref<16xf32>
//    CHECK-DAG:   %[[P:.+]] = memref.alloca() : memref<16xi32>
//        CHECK:   %[[DONE:.+]] = scf.for %[[AT:.+]] = %{{.+}} iter_args(%[[SO_FAR:.+]] = %{{.+}}) -> (i1)
//        CHECK:     scf.for %[[J:.+]] =
//        CHECK:       %[[V:.+]] = memref.load %[[X]][%[[J]]]
//        CHECK:       scf.for %[[I:.+]] =
//        CHECK:         %[[W:.+]] = memref.load %[[X]][%[[I]]]
//        CHECK:         %[[FRONT:.+]] = arith.cmpi slt
//        CHECK:         %[[B:.+]] = arith.cmpf ole, %[[V]], %[[W]]
//        CHECK:         arith.cmpf ole, %[[W]], %[[V]]
//        CHECK:         %[[GOES:.+]] = arith.select %[[FRONT]]
//        CHECK:         %[[ONE:.+]] = arith.extui %[[GOES]] : i1 to i32
//        CHECK:         arith.addi %{{.+}}, %[[ONE]] : i32
//        CHECK:         memref.store %{{.+}}, %[[P]][%[[I]]]
//        CHECK:     %[[DIFFER:.+]] = arith.cmpi eq
//        CHECK:     scf.if %[[DIFFER]]
//        CHECK:       memref.load %[[P]]
//        CHECK:     else
//    CHECK-NOT:       memref.load %[[P]]
//        CHECK:     %[[STILL:.+]] = arith.andi %[[SO_FAR]], %[[DIFFER]]
//        CHECK:     scf.yield %[[STILL]]
//        CHECK:   %[[FROM:.+]] = arith.select %[[DONE]], %c6{{.*}}, %c1
//        CHECK:   scf.while (%{{.+}} = %[[FROM]])
// MERGED-LABEL: func @counted
//   MERGED-NOT:   memref<16xi32>
//       MERGED:   scf.while (%{{.+}} = %c1{{(_[0-9]+)?}})
func.func @counted(%x: tensor<5x11xf32>) -> tensor<5x11xf32> {
  %v = tm_tensor.sort dimension(1) outs(%x : tensor<5x11xf32>) {
  ^bb0(%p: f32, %q: f32):
    %l = arith.cmpf ole, %p, %q : f32
    tm_tensor.yield %l : i1
  } -> tensor<5x11xf32>
  return %v : tensor<5x11xf32>
}

// -----

// Rows beside each other, each a lane of a step, would all write to one run's memory.

// CHECK-LABEL: func @lanes
//   CHECK-NOT:   memref<16xi32>
//       CHECK:   scf.while (%{{.+}} = %c1{{(_[0-9]+)?}})
func.func @lanes(%x: tensor<11x5xf32>) -> tensor<11x5xf32> {
  %v = tm_tensor.sort dimension(0) outs(%x : tensor<11x5xf32>) {
  ^bb0(%p: f32, %q: f32):
    %l = arith.cmpf ole, %p, %q : f32
    tm_tensor.yield %l : i1
  } -> tensor<11x5xf32>
  return %v : tensor<11x5xf32>
}

// -----

// Of a number that is not known a run has as many as it may.

// CHECK-LABEL: func @any
//       CHECK:   arith.select %{{.+}}, %c6{{.*}}, %c1
func.func @any(%x: tensor<5x?xf32>) -> tensor<5x?xf32> {
  %v = tm_tensor.sort dimension(1) outs(%x : tensor<5x?xf32>) {
  ^bb0(%p: f32, %q: f32):
    %l = arith.cmpf ole, %p, %q : f32
    tm_tensor.yield %l : i1
  } -> tensor<5x?xf32>
  return %v : tensor<5x?xf32>
}
