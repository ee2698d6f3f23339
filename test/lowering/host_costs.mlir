// RUN: sinter-opt --sinter-count --canonicalize --split-input-file %s | FileCheck %s

// What a call costs is computed from sizes alone: kernels, loops around them, memory between them and calls of
// libraries are accounts, and nothing is read, written or allocated.

#id = affine_map<(i, j) -> (i, j)>
func.func private @kernel(%x: memref<?x8xf32>, %y: memref<?xf32>) attributes {sinter.kernel,
    sinter.cost = {kind = "rowwise", flops = [array<i64: 8, 0, 0>], reads = [array<i64: 0, 8, 0, 0>], writes = [array<i64: 1, 1, 0, 0>]}} {
  return
}
func.func private @library(memref<?x8xf32>)

// What each call has once, and is known, is a row of a table.

// CHECK-LABEL: func.func @main
//  CHECK-SAME:   sinter.costs = "main_costs", sinter.kernels = [{kind = "rowwise", name = "kernel"}, {kind = "", name = "linalg.generic"}]
// CHECK-LABEL: llvm.mlir.global internal constant @main_costs_table(dense<[-1, 1, 0, 0, 0]> : tensor<5xi64>)
// CHECK-LABEL: func.func private @main_costs(
//  CHECK-SAME:     %[[X:.+]]: memref<?x8xf32>, %[[Y:.+]]: memref<?xf32>, %[[C:.+]]: !llvm.ptr)
//   CHECK-DAG:   %[[C0:.+]] = arith.constant 0 : i64
//   CHECK-DAG:   %[[C1:.+]] = arith.constant 1 : i64
//   CHECK-DAG:   %[[C4:.+]] = arith.constant 4 : i64
//   CHECK-DAG:   %[[C8:.+]] = arith.constant 8 : i64
//   CHECK-DAG:   %[[TEMPORARY:.+]] = arith.constant -2 : i64
//   CHECK-DAG:   %[[TABLE:.+]] = llvm.mlir.addressof @main_costs_table
//       CHECK:   call @sinter_rt_cost_table(%[[C]], %[[TABLE]], %[[C1]])
//       CHECK:   call @sinter_rt_cost(%[[C]], %[[TEMPORARY]], %{{.+}}, %[[C0]], %[[C0]], %[[C0]])
//       CHECK:   scf.for
//       CHECK:     call @sinter_rt_cost(%[[C]], %[[C0]], %[[C1]], %{{.+}}, %{{.+}}, %{{.+}})
//       CHECK:   call @sinter_rt_cost(%[[C]], %[[C1]], %[[C1]],
//   CHECK-NOT:   {{memref.(alloc|load|store|copy)|linalg|cf.assert|@kernel|@library}}
//       CHECK:   return
func.func @main(%x: memref<?x8xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?x8xf32>
  %t = memref.alloc(%n) : memref<?x8xf32>
  %first = memref.load %y[%c0] : memref<?xf32>
  %ok = arith.cmpf ogt, %first, %zero : f32
  cf.assert %ok, "is data"
  scf.for %i = %c0 to %c3 step %c1 {
    func.call @kernel(%t, %y) : (memref<?x8xf32>, memref<?xf32>) -> ()
  }
  func.call @library(%t) : (memref<?x8xf32>) -> ()
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?x8xf32>) outs(%t : memref<?x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %e = math.exp %a : f32
    linalg.yield %e : f32
  }
  memref.dealloc %t : memref<?x8xf32>
  return
}

// -----

// How often a kernel runs is read from memory: only a run can say what it costs.

func.func private @kernel(%x: memref<8xf32>) attributes {sinter.kernel} {
  return
}
// CHECK-LABEL: func.func @on_data
//   CHECK-NOT:   sinter.costs
//       CHECK:   return
//   CHECK-NOT: on_data_costs
func.func @on_data(%x: memref<8xf32>, %n: memref<index>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = memref.load %n[] : memref<index>
  scf.for %i = %c0 to %end step %c1 {
    func.call @kernel(%x) : (memref<8xf32>) -> ()
  }
  return
}

// -----

// That sizes agree is still said: without it, counts would be those of no call.

func.func private @sinter_rt_same_size(i64, i64, i32, i32, i32, i32) -> i64
// CHECK-LABEL: func.func @checked(
// CHECK-LABEL: func.func private @checked_costs
//       CHECK:   %[[SAME:.+]] = call @sinter_rt_same_size
//       CHECK:   %[[OK:.+]] = arith.cmpi ne, %[[SAME]]
//       CHECK:   cf.assert %[[OK]], "sizes of operands differ"
func.func @checked(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %i = arith.constant 0 : i32
  %m = memref.dim %x, %c0 : memref<?xf32>
  %n = memref.dim %y, %c0 : memref<?xf32>
  %a = arith.index_cast %m : index to i64
  %b = arith.index_cast %n : index to i64
  %r = func.call @sinter_rt_same_size(%a, %b, %i, %i, %i, %i) : (i64, i64, i32, i32, i32, i32) -> i64
  %ok = arith.cmpi ne, %r, %zero : i64
  cf.assert %ok, "sizes of operands differ"
  memref.copy %x, %y : memref<?xf32> to memref<?xf32>
  return
}

// -----

// Sizes are known and each kernel runs once: the function is its table alone. Memory of 8x4 f32, a copy of it, a kernel
// function of somebody else's (what it costs is not known), 5 adds for each of 8 rows and 3 for each of 4 columns.

func.func private @other(%x: memref<8x4xf32>) attributes {sinter.kernel} {
  return
}
func.func private @ours(%x: memref<8x4xf32>, %y: memref<8xf32>) attributes {sinter.kernel,
    sinter.cost = {kind = "rowwise", flops = [array<i64: 5, 0, 0>, array<i64: 3, 0, 1>], reads = [array<i64: 0, 4, 0, 0>], writes = [array<i64: 1, 1, 0, 0>]}} {
  return
}
// CHECK-LABEL: func.func @known(
//       CHECK: @known_costs_table(dense<[-2, 128, 0, 0, 0, 0, 1, 128, 128, 0, 1, 1, -1, -1, -1, 2, 1, 128, 32, 52]> : tensor<20xi64>)
// CHECK-LABEL: func.func private @known_costs(
//   CHECK-DAG:   %[[ROWS:.+]] = arith.constant 4 : i64
//   CHECK-DAG:   %[[TABLE:.+]] = llvm.mlir.addressof @known_costs_table
//  CHECK-NEXT:   call @sinter_rt_cost_table(%{{.+}}, %[[TABLE]], %[[ROWS]])
//  CHECK-NEXT:   return
func.func @known(%x: memref<8x4xf32>, %y: memref<8xf32>) {
  %t = memref.alloc() : memref<8x4xf32>
  memref.copy %x, %t : memref<8x4xf32> to memref<8x4xf32>
  func.call @other(%t) : (memref<8x4xf32>) -> ()
  func.call @ours(%t, %y) : (memref<8x4xf32>, memref<8xf32>) -> ()
  memref.dealloc %t : memref<8x4xf32>
  return
}

// -----

// A loop's accounts are as many as it has runs, and no rows of the table.

// CHECK-LABEL: func.func @looped(
//   CHECK-NOT: costs_table
// CHECK-LABEL: func.func private @looped_costs(
//       CHECK:   scf.for
//       CHECK:     call @sinter_rt_cost(
func.func @looped(%x: memref<8x4xf32>, %y: memref<8x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    memref.copy %x, %y : memref<8x4xf32> to memref<8x4xf32>
  }
  return
}
