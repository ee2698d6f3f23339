// RUN: sinter-opt --sinter-lower-cpu --canonicalize --cse --split-input-file --verify-diagnostics %s | FileCheck %s

// A maximum and a sum of exponentials under it in one loop: two vectors are compared with the maximum so far, and the
// sums scaled where one of them exceeds it. What an infinity or a NaN leaves behind is done again by two loops.

// CHECK-LABEL: func.func private @online_task(
//   CHECK-DAG:   %[[LEAST:.+]] = arith.constant dense<-3.40282347E+38> : vector<4xf32>
//       CHECK:     %[[L:.+]]:3 = scf.for %[[J:.+]] = %c0 to %c40 step %c8 iter_args(%[[M:.+]] = %[[LEAST]], %{{.+}}, %{{.+}}) -> (vector<4xf32>, vector<4xf32>, vector<4xf32>)
//       CHECK:       %[[X:.+]] = vector.load %{{.+}}[%{{.+}}, %[[J]]]
//       CHECK:       %[[Y:.+]] = vector.load
//       CHECK:       %[[MORE:.+]] = arith.cmpf ogt, %[[Y]], %[[X]]
//       CHECK:       %[[TOP:.+]] = arith.select %[[MORE]], %[[Y]], %[[X]]
//       CHECK:       %[[OVER:.+]] = arith.cmpf ogt, %[[TOP]], %[[M]]
//       CHECK:       %[[ANY:.+]] = vector.reduction <or>, %[[OVER]]
//       CHECK:       %[[R:.+]]:3 = scf.if %[[ANY]]
//       CHECK:         math.exp
//       CHECK:       else
//       CHECK:       arith.subf %[[X]], %[[R]]#0
//       CHECK:       math.exp
//       CHECK:       arith.addf %[[R]]#1
//       CHECK:       arith.subf %[[Y]], %[[R]]#0
//       CHECK:     %[[NAN:.+]] = arith.cmpf uno
//       CHECK:     %[[NONE:.+]] = arith.cmpf oeq
//       CHECK:     %[[ODD:.+]] = arith.ori %[[NAN]], %[[NONE]]
//       CHECK:     scf.if %[[ODD]] -> (f32)
//       CHECK:       arith.maximumf
//       CHECK:       math.exp
//   CHECK-NOT:     scf.for
func.func private @online(%x: memref<5x40xf32>, %y: memref<5xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 40) ins(%x[i, j] : memref<5x40xf32>) outs(%y[i] : memref<5xf32>)
      schedule(#sinter.rows<chunk = 2, lanes = 4, unroll = 2, maximum = "online">) {
  ^row(%a: tensor<40xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<40xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<40xf32>
    %d = arith.subf %a, %mb : tensor<40xf32>
    %e = math.exp %d : tensor<40xf32>
    %s = sinter.row_reduce add %e : tensor<40xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

// A sum of something else waits for the maximum, whatever the schedule says.

// CHECK-LABEL: func.func private @other_sum_task(
//   CHECK-NOT:   scf.if
//       CHECK:   arith.maximumf
//   CHECK-NOT:   scf.if
func.func private @other_sum(%x: memref<5x40xf32>, %y: memref<5xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 40) ins(%x[i, j] : memref<5x40xf32>) outs(%y[i] : memref<5xf32>)
      schedule(#sinter.rows<chunk = 2, lanes = 4, unroll = 2, maximum = "online">) {
  ^row(%a: tensor<40xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<40xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<40xf32>
    %d = arith.divf %a, %mb : tensor<40xf32>
    %s = sinter.row_reduce add %d : tensor<40xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

// What is kept for the next loop is under the maximum of its time; a factor for each vector makes up for that.

// CHECK-LABEL: func.func private @kept_task(
//   CHECK-DAG:   %[[E:.+]] = memref.alloca() {alignment = 64 : i64} : memref<40xf32>
//   CHECK-DAG:   %[[F:.+]] = memref.alloca() {alignment = 64 : i64} : memref<12xf32>
//       CHECK:     scf.for %[[J:.+]] = %c0 to %c40 step %c8
//       CHECK:       %[[AT:.+]] = arith.ceildivui %[[J]], %c4
//       CHECK:       %[[PLACE:.+]] = arith.muli %[[AT]], %c4
//       CHECK:       vector.store %{{.+}}, %[[E]][%[[PLACE]]]
//       CHECK:       %[[M:.+]] = vector.extract
//       CHECK:       memref.store %[[M]], %[[F]][%[[AT]]]
//       CHECK:     scf.if
//       CHECK:     else
//       CHECK:       scf.for
//       CHECK:         math.exp
//       CHECK:         vector.store %{{.+}}, %[[F]]
//       CHECK:     scf.for %[[J:.+]] = %c0 to %c40
//       CHECK:       %[[AT:.+]] = arith.ceildivui %[[J]], %c4
//       CHECK:       %[[PLACE:.+]] = arith.muli %[[AT]], %c4
//       CHECK:       %[[X:.+]] = vector.load %[[E]][%[[PLACE]]]
//       CHECK:       %[[FACTOR:.+]] = memref.load %[[F]][%[[AT]]]
//       CHECK:       vector.broadcast %[[FACTOR]]
//       CHECK:       arith.mulf %[[X]]
func.func private @kept(%x: memref<5x40xf32>, %y: memref<5x40xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 40) ins(%x[i, j] : memref<5x40xf32>) outs(%y[i, j] : memref<5x40xf32>)
      schedule(#sinter.rows<chunk = 2, lanes = 4, unroll = 2, residency = "buffer", maximum = "online">) {
  ^row(%a: tensor<40xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<40xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<40xf32>
    %d = arith.subf %a, %mb : tensor<40xf32>
    %e = math.exp %d : tensor<40xf32>
    %s = sinter.row_reduce add %e : tensor<40xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<40xf32>
    %p = arith.divf %e, %sb : tensor<40xf32>
    sinter.yield %p : tensor<40xf32>
  }
  return
}

// -----

// Of 42 columns the last vector, from column 38 on, is the eleventh that is kept: two of its lanes are in the tenth,
// too.

// CHECK-LABEL: func.func private @odd_row_task(
//   CHECK-DAG:   %[[E:.+]] = memref.alloca() {alignment = 64 : i64} : memref<44xf32>
//   CHECK-DAG:   %[[F:.+]] = memref.alloca() {alignment = 64 : i64} : memref<12xf32>
//       CHECK:     vector.load %{{.+}}[%{{.+}}, %c38]
//       CHECK:     %[[X:.+]] = math.exp %{{.+}} {sinter.not_positive}
//       CHECK:     vector.store %[[X]], %[[E]][%c40]
//       CHECK:     memref.store %{{.+}}, %[[F]][%c10]
//       CHECK:     vector.load %[[E]][%c40]
//       CHECK:     memref.load %[[F]][%c10]
func.func private @odd_row(%x: memref<5x42xf32>, %y: memref<5x42xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 42) ins(%x[i, j] : memref<5x42xf32>) outs(%y[i, j] : memref<5x42xf32>)
      schedule(#sinter.rows<chunk = 2, lanes = 4, unroll = 2, residency = "buffer", maximum = "online">) {
  ^row(%a: tensor<42xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<42xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<42xf32>
    %d = arith.subf %a, %mb : tensor<42xf32>
    %e = math.exp %d : tensor<42xf32>
    %s = sinter.row_reduce add %e : tensor<42xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<42xf32>
    %p = arith.divf %e, %sb : tensor<42xf32>
    sinter.yield %p : tensor<42xf32>
  }
  return
}

// -----

// A row of any length is kept if it has so many columns or fewer, in memory of that size; another one is computed
// again. Rows of less than a vector have no factors but 1.

// CHECK-LABEL: func.func private @any_row_task(
//   CHECK-DAG:   %[[E:.+]] = memref.alloca() {alignment = 64 : i64} : memref<64xf32>
//   CHECK-DAG:   %[[F:.+]] = memref.alloca() {alignment = 64 : i64} : memref<16xf32>
//       CHECK:   %[[SHORT:.+]] = arith.cmpi ule, %[[N:.+]], %c62
//       CHECK:   scf.if %[[SHORT]] {
//       CHECK:     vector.store %{{.+}}, %[[E]]
//       CHECK:     arith.cmpi ult, %[[N]], %c4
//       CHECK:     %[[X:.+]] = vector.load %[[E]]
//       CHECK:     memref.load %[[F]]
//       CHECK:   {{^    }}} else {
//   CHECK-NOT:     %[[E]]
//   CHECK-NOT:     %[[F]]
//       CHECK:   return
func.func private @any_row(%x: memref<5x?xf32>, %y: memref<5x?xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = ?) ins(%x[i, j] : memref<5x?xf32>) outs(%y[i, j] : memref<5x?xf32>)
      schedule(#sinter.rows<chunk = 2, lanes = 4, residency = "buffer", buffer_to = 62, maximum = "online">) {
  ^row(%a: tensor<?xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<?xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<?xf32>
    %d = arith.subf %a, %mb : tensor<?xf32>
    %e = math.exp %d : tensor<?xf32>
    %s = sinter.row_reduce add %e : tensor<?xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<?xf32>
    %p = arith.divf %e, %sb : tensor<?xf32>
    sinter.yield %p : tensor<?xf32>
  }
  return
}

// -----

func.func private @short_row(%x: memref<5x3xf32>, %y: memref<5xf32>) attributes {sinter.kernel} {
  // expected-error @below {{maximum = "online" keeps whole vectors of exponentials, but a row has 3 columns, fewer than 4 lanes}}
  sinter.rowwise (i = 5) by (j = 3) ins(%x[i, j] : memref<5x3xf32>) outs(%y[i] : memref<5xf32>)
      schedule(#sinter.rows<chunk = 2, lanes = 4, residency = "buffer", maximum = "online">) {
  ^row(%a: tensor<3xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<3xf32> -> f32
    sinter.yield %m : f32
  }
  return
}
