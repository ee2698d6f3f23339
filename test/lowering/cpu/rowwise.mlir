// RUN: sinter-opt --sinter-lower-cpu --canonicalize --cse --split-input-file %s | FileCheck %s --implicit-check-not=sinter.rowwise
// RUN: sinter-opt --sinter-lower-cpu --convert-scf-to-cf --convert-vector-to-llvm --finalize-memref-to-llvm \
// RUN:   --convert-func-to-llvm --convert-to-llvm --reconcile-unrealized-casts --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=LLVM --implicit-check-not=unrealized

// A softmax: three phases. The row is read again in each; vectors first, then one more that ends with the row: the lane
// that it shares with the one before is -inf to the maximum, and 0 to the sum.

// CHECK-LABEL: func.func private @softmax(
//       CHECK:   call @sinter_rt_parallel(%{{.+}}, %{{.+}}, %c3_i64)
// CHECK-LABEL: func.func private @softmax_task(
//   CHECK-DAG:   %[[NEW:.+]] = arith.constant dense<[false, true, true, true]> : vector<4xi1>
//   CHECK-DAG:   %[[INF:.+]] = arith.constant dense<0xFF800000> : vector<4xf32>
//   CHECK-DAG:   %[[ZERO:.+]] = arith.constant dense<{{-?}}0.000000e+00> : vector<4xf32>
//       CHECK:   %[[HI:.+]] = arith.minsi %{{.+}}, %c5 : index
//       CHECK:   scf.for %[[I:.+]] = %{{.+}} to %[[HI]]
//       CHECK:     scf.for %[[J:.+]] = %c0 to %c8 step %c4 iter_args({{.+}}) -> (vector<4xf32>)
//       CHECK:       vector.load %{{.+}}[%[[I]], %[[J]]] : memref<5x11xf32>, vector<4xf32>
//       CHECK:       arith.maximumf
//       CHECK:     %[[LAST:.+]] = vector.load %{{.+}}[%[[I]], %c7] : memref<5x11xf32>, vector<4xf32>
//       CHECK:     %[[NEWS:.+]] = arith.select %[[NEW]], %[[LAST]], %[[INF]]
//       CHECK:     arith.maximumf %{{.+}}, %[[NEWS]] : vector<4xf32>
//       CHECK:     vector.shuffle
//       CHECK:     scf.for {{.*}} -> (vector<4xf32>)
//       CHECK:       math.exp %{{.+}} : vector<4xf32>
//       CHECK:     %[[LAST_E:.+]] = math.exp %{{.+}} : vector<4xf32>
//       CHECK:     arith.select %[[NEW]], %[[LAST_E]], %[[ZERO]]
//       CHECK:     scf.for
//       CHECK:       arith.divf %{{.+}} : vector<4xf32>
//       CHECK:       vector.store
//       CHECK:     vector.store %{{.+}}, %{{.+}}[%[[I]], %c7]
//   CHECK-NOT:   memref.store

// LLVM-LABEL: llvm.func @softmax_task
//       LLVM: llvm.load %{{.+}} : !llvm.ptr -> vector<4xf32>
func.func private @softmax(%x: memref<5x11xf32>, %y: memref<5x11xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 11) ins(%x[i, j] : memref<5x11xf32>) outs(%y[i, j] : memref<5x11xf32>)
      schedule(#sinter.rows<chunk = 2, lanes = 4>) {
  ^row(%a: tensor<11xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<11xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<11xf32>
    %d = arith.subf %a, %mb : tensor<11xf32>
    %e = math.exp %d : tensor<11xf32>
    %s = sinter.row_reduce add %e : tensor<11xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<11xf32>
    %p = arith.divf %e, %sb : tensor<11xf32>
    sinter.yield %p : tensor<11xf32>
  }
  return
}

// -----

// A loss: one element of the row is loaded at the label, inside of a test of its range. Each task leaves a partial
// sum; they are added in order, in f64, and the finish divides.

// CHECK-LABEL: func.func private @nll(
//       CHECK:   %[[P:.+]] = memref.alloca() {alignment = 64 : i64} : memref<3xf64>
//       CHECK:   call @sinter_rt_parallel
//       CHECK:   %[[S:.+]] = scf.for %[[T:.+]] = %c0 to %c3 step %c1 iter_args(%[[A:.+]] = %{{.+}}) -> (f64)
//       CHECK:     %[[V:.+]] = memref.load %[[P]][%[[T]]]
//       CHECK:     arith.addf %[[A]], %[[V]]
//       CHECK:   %[[F:.+]] = arith.truncf %[[S]] : f64 to f32
//       CHECK:   arith.divf %[[F]]
//       CHECK:   memref.store
// CHECK-LABEL: func.func private @nll_task(
//       CHECK:   %[[IN:.+]] = arith.cmpi ult, %[[L:.+]], %c11 : index
//       CHECK:   scf.if %[[IN]] -> (f32)
//       CHECK:     memref.load %{{.+}}[%{{.+}}, %[[L]]]
//       CHECK:   memref.store %{{.+}}, %{{.+}}[%{{.+}}] : memref<3xf64>
func.func private @nll(%x: memref<5x11xf32>, %t: memref<5xi64>, %y: memref<f32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 11) ins(%x[i, j] : memref<5x11xf32>, %t[i] : memref<5xi64>) reduce(add [] : f32)
      outs(%y[] : memref<f32>) schedule(#sinter.rows<chunk = 2, lanes = 4>) {
  ^row(%a: tensor<11xf32>, %l: i64):
    %z = arith.constant 0.0 : f32
    %p = sinter.pick %a[%l] else %z : tensor<11xf32>, i64
    sinter.yield %p : f32
  } finish {
  ^done(%s: f32):
    %n = arith.constant -5.0 : f32
    %m = arith.divf %s, %n : f32
    sinter.yield %m : f32
  }
  return
}

// -----

// Sums that keep columns: rows of partial sums, in the workspace where they are large. The caller allocates it.

// CHECK-LABEL: func.func @host
//       CHECK:   %[[W:.+]] = memref.alloc() {alignment = 64 : i64, sinter.workspace} : memref<20096xi8>
//       CHECK:   call @columns(%{{.+}}, %{{.+}}, %[[W]])
// CHECK-LABEL: func.func private @columns(
//  CHECK-SAME:   %[[W:[a-z0-9]+]]: memref<20096xi8>)
//       CHECK:   memref.view %[[W]][%c0][] : memref<20096xi8> to memref<5x1003xf32>
func.func @host(%x: memref<5x1003xf32>, %y: memref<1003xf32>) {
  call @columns(%x, %y) : (memref<5x1003xf32>, memref<1003xf32>) -> ()
  return
}
func.func private @columns(%x: memref<5x1003xf32>, %y: memref<1003xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 1003) ins(%x[i, j] : memref<5x1003xf32>) reduce(add [j] : f32)
      outs(%y[j] : memref<1003xf32>) schedule(#sinter.rows<chunk = 1, lanes = 16>) {
  ^row(%a: tensor<1003xf32>):
    sinter.yield %a : tensor<1003xf32>
  }
  return
}

// -----

// Four accumulators in one step, none of which waits for another.

// CHECK-LABEL: func.func private @unrolled_task(
//       CHECK:   scf.for %{{.+}} = %c0 to %c32 step %c16 iter_args({{.+}}) -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>)
//   CHECK-NOT:   scf.for
//       CHECK:   vector.load %{{.+}}[%{{.+}}, %c32]
//       CHECK:   vector.load %{{.+}}[%{{.+}}, %c35]
func.func private @unrolled(%x: memref<5x39xf32>, %y: memref<5xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 39) ins(%x[i, j] : memref<5x39xf32>) outs(%y[i] : memref<5xf32>)
      schedule(#sinter.rows<chunk = 5, lanes = 4, unroll = 4>) {
  ^row(%a: tensor<39xf32>):
    %s = sinter.row_reduce add %a : tensor<39xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

// A large result goes past the caches if the caller's memory is aligned, else through them.

// CHECK-LABEL: func.func private @streaming_task(
//       CHECK:   %[[A:.+]] = memref.extract_aligned_pointer_as_index
//       CHECK:   %[[LOW:.+]] = arith.andi %[[A]], %c63
//       CHECK:   %[[OK:.+]] = arith.cmpi eq, %[[LOW]], %c0
//       CHECK:   scf.if %[[OK]]
//       CHECK:     vector.store {{.*}}{alignment = 16 : i64, nontemporal = true} : memref<5x12xf32>, vector<4xf32>
//       CHECK:   else
//       CHECK:     vector.store %{{[^ ]+}}, %{{[^ ]+}}[%{{.+}}] : memref<5x12xf32>, vector<4xf32>
func.func private @streaming(%x: memref<5x12xf32>, %y: memref<5x12xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 12) ins(%x[i, j] : memref<5x12xf32>) outs(%y[i, j] : memref<5x12xf32>)
      schedule(#sinter.rows<chunk = 1, lanes = 4, stores = "streaming">) {
  ^row(%a: tensor<12xf32>):
    %n = arith.negf %a : tensor<12xf32>
    sinter.yield %n : tensor<12xf32>
  }
  return
}

// -----

// Rows of 11 are not all aligned.

// CHECK-LABEL: func.func private @streaming_odd_task(
//   CHECK-NOT:   nontemporal
func.func private @streaming_odd(%x: memref<5x11xf32>, %y: memref<5x11xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 11) ins(%x[i, j] : memref<5x11xf32>) outs(%y[i, j] : memref<5x11xf32>)
      schedule(#sinter.rows<chunk = 1, lanes = 4, stores = "streaming">) {
  ^row(%a: tensor<11xf32>):
    %n = arith.negf %a : tensor<11xf32>
    sinter.yield %n : tensor<11xf32>
  }
  return
}
