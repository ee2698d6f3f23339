// RUN: sinter-opt --sinter-lower-gpu --split-input-file %s | FileCheck %s

// The call asks how many rows there are, and counts blocks that have one row for each team: the kernels have no loop.

//       CHECK: func.func private @many(%[[X:[^:]+]]: memref<?x70xf32>
//       CHECK:   %[[ROWS:.+]] = memref.dim %[[X]], %c0
//       CHECK:   %[[MANY:.+]] = arith.cmpi ult, %c8{{.*}}, %[[ROWS]] : index
//       CHECK:   scf.if %[[MANY]] {
//       CHECK:     %[[N:.+]] = memref.dim %[[X]], %c0
//       CHECK:     %[[BLOCKS:.+]] = arith.ceildivui %[[N]], %c4
//       CHECK:     llvm.mlir.addressof @many_least9_name
//       CHECK:     %[[GRID:.+]] = arith.index_cast %[[BLOCKS]] : index to i64
//       CHECK:     call @sinter_rt_launch(%{{.+}}, %{{.+}}, %{{.+}}, %[[GRID]],
//       CHECK:   } else {
//       CHECK:     arith.ceildivui %{{.+}}, %c1
//       CHECK:     arith.muli %{{.+}}, %c2
//       CHECK:     llvm.mlir.addressof @many_name
//       CHECK: gpu.func @many_least9(
//   CHECK-NOT:   scf.for
// A team that has no row has the last one again, and stores nothing.
//       CHECK:   %[[THERE:.+]] = arith.cmpi ult, %{{.+}}, %{{.+}} : index
//       CHECK:   arith.minui
//       CHECK: gpu.func @many(
//   CHECK-NOT:   scf.for
func.func private @many(%x: memref<?x70xf32>, %y: memref<?x70xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = ?) by (j = 70) ins(%x[i, j] : memref<?x70xf32>) outs(%y[i, j] : memref<?x70xf32>)
      schedule(#sinter.gpu_rows<threads = 64, blocks = 6, residency = "registers", cluster = 2, deal = "each",
               many = #sinter.gpu_rows<threads = 64, blocks = 6, team = 16, residency = "registers", deal = "each",
                                       least = 9>>) {
  ^row(%a: tensor<70xf32>):
    %s = sinter.row_reduce add %a : tensor<70xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<70xf32>
    %d = arith.divf %a, %b : tensor<70xf32>
    sinter.yield %d : tensor<70xf32>
  }
  return
}

// -----

// What blocks leave of a sum over all rows is as much as there are blocks, which the kernel is told.

//       CHECK: gpu.func @sum(
//       CHECK:   %[[GRID:.+]] = gpu.grid_dim  x
//       CHECK:   scf.for %{{.+}} = %{{.+}} to %{{.+}} step %c24
//       CHECK:   arith.index_cast %[[GRID]] : index to i64
//       CHECK:   scf.for %{{.+}} = %{{.+}} to %[[GRID]] step
func.func private @sum(%x: memref<?x70xf32>, %y: memref<f32>) attributes {sinter.kernel} {
  sinter.rowwise (i = ?) by (j = 70) ins(%x[i, j] : memref<?x70xf32>) reduce(add [] : f32) outs(%y[] : memref<f32>)
      schedule(#sinter.gpu_rows<threads = 64, blocks = 6, team = 16>) {
  ^row(%a: tensor<70xf32>):
    %s = sinter.row_reduce maximumf %a : tensor<70xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

// Blocks that the host has counted are few where there is little work: a thread has one of what they left then, and
// reads no others. Else it reads several at once.

//       CHECK: gpu.func @few(
//       CHECK:   %[[GRID:.+]] = gpu.grid_dim  x
//       CHECK:   %[[LEFT:.+]] = arith.subi %[[GRID]], %c0
//       CHECK:   %[[FEW:.+]] = arith.cmpi ule, %[[LEFT]], %c32
//       CHECK:   scf.if %[[FEW]] -> (f32) {
//       CHECK:     scf.for %{{.+}} = %{{.+}} to %[[GRID]] step %c32{{[_0-9]*}} iter_args
//       CHECK:   } else {
//       CHECK:     scf.for %{{.+}} = %{{.+}} to %[[GRID]] step %c96{{[_0-9]*}} iter_args
func.func private @few(%x: memref<?x70xf32>, %y: memref<f32>) attributes {sinter.kernel} {
  sinter.rowwise (i = ?) by (j = 70) ins(%x[i, j] : memref<?x70xf32>) reduce(add [] : f32) outs(%y[] : memref<f32>)
      schedule(#sinter.gpu_rows<threads = 64, blocks = 96, team = 16>) {
  ^row(%a: tensor<70xf32>):
    %s = sinter.row_reduce maximumf %a : tensor<70xf32> -> f32
    sinter.yield %s : f32
  }
  return
}
