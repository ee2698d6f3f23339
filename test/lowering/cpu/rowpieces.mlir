// RUN: sinter-opt --sinter-lower-cpu --canonicalize --cse --split-input-file --verify-diagnostics %s | FileCheck %s

// One long row is shared by tasks: 3 of 16 columns each, the last of 8.

// CHECK-LABEL: func.func private @pieces(
//       CHECK:   call @sinter_rt_parallel(%{{.+}}, %{{.+}}, %c3_i64)
// CHECK-LABEL: func.func private @pieces_task(
//       CHECK:   %[[P:.+]] = arith.remui %{{.+}}, %c3
//       CHECK:   %[[FROM:.+]] = arith.muli %[[P]], %c16
//       CHECK:   arith.minsi %{{.+}}, %c40
//       CHECK:   scf.for %{{.+}} = %[[FROM]] to
func.func private @pieces(%x: memref<40xf32>, %y: memref<40xf32>) attributes {sinter.kernel} {
  sinter.rowwise () by (j = 40) ins(%x[j] : memref<40xf32>) outs(%y[j] : memref<40xf32>)
      schedule(#sinter.rows<chunk = 1, columns = 16, lanes = 4>) {
  ^row(%a: tensor<40xf32>):
    %e = arith.negf %a : tensor<40xf32>
    sinter.yield %e : tensor<40xf32>
  }
  return
}

// -----

// A sum and what needs it: a region for each loop. Partial sums are added in their order, on one thread.

// CHECK-LABEL: func.func private @reduced(
//   CHECK-DAG:   %[[PARTS:.+]] = memref.alloca() {alignment = 64 : i64} : memref<6xf32>
//   CHECK-DAG:   %[[WHOLE:.+]] = memref.alloca() {alignment = 64 : i64} : memref<2xf32>
//       CHECK:   call @sinter_rt_parallel(%{{.+}}, %{{.+}}, %c6_i64)
//       CHECK:   scf.for %[[R:.+]] = %c0 to %c2
//       CHECK:     %[[LO:.+]] = arith.muli %[[R]], %c3
//       CHECK:     %[[HI:.+]] = arith.addi %[[LO]], %c3
//       CHECK:     %[[S:.+]] = scf.for %[[T:.+]] = %[[LO]] to %[[HI]]
//       CHECK:       %[[X:.+]] = memref.load %[[PARTS]][%[[T]]]
//       CHECK:       arith.addf %{{.+}}, %[[X]]
//       CHECK:     memref.store %[[S]], %[[WHOLE]][%[[R]]]
//       CHECK:   call @sinter_rt_parallel(%{{.+}}, %{{.+}}, %c6_i64)
//       CHECK:   scf.for
//       CHECK:     memref.store %{{.+}}, %arg2
// CHECK-LABEL: func.func private @reduced_task1(
//       CHECK:   memref.load %{{.+}} : memref<2xf32>
//       CHECK:   arith.divf
//       CHECK:   vector.store
// CHECK-LABEL: func.func private @reduced_task(
//       CHECK:   vector.load
//       CHECK:   arith.addf
//       CHECK:   memref.store %{{.+}}, %{{.+}} : memref<6xf32>
func.func private @reduced(%x: memref<2x40xf32>, %y: memref<2x40xf32>, %z: memref<2xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 2) by (j = 40) ins(%x[i, j] : memref<2x40xf32>) outs(%y[i, j] : memref<2x40xf32>, %z[i] : memref<2xf32>)
      schedule(#sinter.rows<chunk = 1, columns = 16, lanes = 4>) {
  ^row(%a: tensor<40xf32>):
    %s = sinter.row_reduce add %a : tensor<40xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<40xf32>
    %q = arith.divf %a, %b : tensor<40xf32>
    sinter.yield %q, %s : tensor<40xf32>, f32
  }
  return
}

// -----

func.func private @keeps_columns(%x: memref<2x40xf32>, %y: memref<40xf32>) attributes {sinter.kernel} {
  // expected-error @below {{columns = 16, but an accumulator keeps columns: leave columns out}}
  sinter.rowwise (i = 2) by (j = 40) ins(%x[i, j] : memref<2x40xf32>) reduce(add [j] : f32) outs(%y[j] : memref<40xf32>)
      schedule(#sinter.rows<chunk = 1, columns = 16, lanes = 4>) {
  ^row(%a: tensor<40xf32>):
    sinter.yield %a : tensor<40xf32>
  }
  return
}

// -----

func.func private @whole_rows(%x: memref<40xf32>, %y: memref<40xf32>) attributes {sinter.kernel} {
  // expected-error @below {{columns = 16, but residency = "buffer" keeps whole rows: leave columns out}}
  sinter.rowwise () by (j = 40) ins(%x[j] : memref<40xf32>) outs(%y[j] : memref<40xf32>)
      schedule(#sinter.rows<chunk = 1, columns = 16, lanes = 4, residency = "buffer">) {
  ^row(%a: tensor<40xf32>):
    sinter.yield %a : tensor<40xf32>
  }
  return
}

// -----

func.func private @not_whole_vectors(%x: memref<40xf32>, %y: memref<40xf32>) attributes {sinter.kernel} {
  // expected-error @below {{columns = 18, but vectors begin at multiples of their lanes: leave columns out}}
  sinter.rowwise () by (j = 40) ins(%x[j] : memref<40xf32>) outs(%y[j] : memref<40xf32>)
      schedule(#sinter.rows<chunk = 1, columns = 18, lanes = 4>) {
  ^row(%a: tensor<40xf32>):
    sinter.yield %a : tensor<40xf32>
  }
  return
}
