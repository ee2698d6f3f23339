// RUN: sinter-opt --sinter-lower-gpu %s | FileCheck %s

// A kernel for rows of no more columns than a schedule says, whose vectors stay in registers; the host asks how long
// rows are. Places of a row have 32 bits. What is behind a row's end is read from its last place, and dropped.

//       CHECK: func.func private @any_length(%[[X:[^:]+]]: memref<?x?xf32>
//       CHECK:   %[[N:.+]] = memref.dim %[[X]], %c1
//       CHECK:   %[[BEFORE:.+]] = arith.subi %[[N]], %c1
//       CHECK:   %[[SHORT:.+]] = arith.cmpi ult, %[[BEFORE]], %c64
//       CHECK:   scf.if %[[SHORT]] {
//       CHECK:     llvm.mlir.addressof @any_length_most64_name
//       CHECK:     call @sinter_rt_launch(
//       CHECK:   } else {
//       CHECK:     llvm.mlir.addressof @any_length_name
//       CHECK:     call @sinter_rt_launch(
//       CHECK: gpu.func @any_length_most64(
//       CHECK:   %[[LAST:.+]] = arith.subi %{{.+}}, %c1
//       CHECK:   %[[IN:.+]] = arith.cmpi ult, %{{.+}}, %{{.+}} : i32
//       CHECK:   %[[LAST32:.+]] = arith.index_cast %[[LAST]] : index to i32
//       CHECK:   %[[PLACE:.+]] = arith.minui %{{.+}}, %[[LAST32]] : i32
//       CHECK:   %[[AT:.+]] = arith.index_castui %[[PLACE]] : i32 to index
//       CHECK:   memref.load %{{.+}}[%{{.+}}, %[[AT]]]
//       CHECK:   arith.select %[[IN]]
//       CHECK: gpu.func @any_length(
//       CHECK:   scf.for
func.func private @any_length(%x: memref<?x?xf32>, %y: memref<?x?xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = ?) by (j = ?) ins(%x[i, j] : memref<?x?xf32>) outs(%y[i, j] : memref<?x?xf32>)
      schedule(#sinter.gpu_rows<threads = 32, blocks = 6, shorter = #sinter.gpu_rows<threads = 32, blocks = 6, team = 32,
               residency = "registers", most = 64>>) {
  ^row(%a: tensor<?xf32>):
    %s = sinter.row_reduce add %a : tensor<?xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<?xf32>
    %d = arith.divf %a, %b : tensor<?xf32>
    sinter.yield %d : tensor<?xf32>
  }
  return
}
