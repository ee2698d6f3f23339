// RUN: sinter-opt --sinter-lower-gpu --split-input-file %s | FileCheck %s

// The host asks whether sizes are multiples of a vector, and whether there are as many rows as that is for: the row's
// length is asked for, and the last size of each operand that has columns there.

//       CHECK: func.func private @even(%[[X:[^:]+]]: memref<?x?xf32>, %[[W:[^:]+]]: memref<?xf32>
//   CHECK-DAG:   %[[NX:.+]] = memref.dim %[[X]], %c1
//   CHECK-DAG:   %[[NW:.+]] = memref.dim %[[W]], %c0
//       CHECK:   arith.ori
//       CHECK:   %[[LOW:.+]] = arith.andi %{{.+}}, %c3
//       CHECK:   %[[EVEN:.+]] = arith.cmpi eq, %[[LOW]], %c0
//       CHECK:   %[[MANY:.+]] = arith.cmpi ult, %c8{{.*}}, %{{.+}} : index
//       CHECK:   %[[BOTH:.+]] = arith.andi %[[EVEN]], %[[MANY]]
//       CHECK:   scf.if %[[BOTH]] {
//       CHECK:     llvm.mlir.addressof @even_even4_most64_least9_name
//       CHECK:   } else {
//       CHECK:     llvm.mlir.addressof @even_name
//       CHECK: gpu.func @even_even4_most64_least9(
//       CHECK:   vector.load %{{.+}} {alignment = 16 : i64} : memref<?x?xf32>, vector<4xf32>
//       CHECK:   vector.load %{{.+}} {alignment = 16 : i64} : memref<?xf32>, vector<4xf32>
//       CHECK: gpu.func @even(
//   CHECK-NOT:   vector.load
func.func private @even(%x: memref<?x?xf32>, %w: memref<?xf32>, %y: memref<?x?xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = ?) by (j = ?) ins(%x[i, j] : memref<?x?xf32>, %w[j] : memref<?xf32>) outs(%y[i, j] : memref<?x?xf32>)
      schedule(#sinter.gpu_rows<threads = 32, blocks = 6, even = #sinter.gpu_rows<threads = 32, blocks = 6, team = 16,
               vector = 4, residency = "registers", most = 64, multiple = 4, least = 9>>) {
  ^row(%a: tensor<?xf32>, %b: tensor<?xf32>):
    %s = sinter.row_reduce add %a : tensor<?xf32> -> f32
    %c = sinter.broadcast %s : f32 -> tensor<?xf32>
    %d = arith.divf %a, %c : tensor<?xf32>
    %e = arith.mulf %d, %b : tensor<?xf32>
    sinter.yield %e : tensor<?xf32>
  }
  return
}

// -----

// Rows of a thread are neighbours in the last row dimension: its size is asked for.

//       CHECK: func.func private @even_rows(
//       CHECK:   %[[LOW:.+]] = arith.andi %{{.+}}, %c3
//       CHECK:   scf.if
//       CHECK:     llvm.mlir.addressof @even_rows_even4_name
//       CHECK: gpu.func @even_rows_even4(
//       CHECK:   vector.load %{{.+}} {alignment = 8 : i64} : memref<?x?xbf16>, vector<4xbf16>
//       CHECK:   vector.store %{{.+}} {alignment = 16 : i64} : memref<?xf32>, vector<4xf32>
func.func private @even_rows(%x: memref<?x?xbf16>, %y: memref<?xf32>) attributes {sinter.kernel} {
  sinter.rowwise (j = ?) by (i = ?) ins(%x[i, j] : memref<?x?xbf16>) outs(%y[j] : memref<?xf32>)
      schedule(#sinter.gpu_rows<threads = 64, blocks = 6, team = 1, even = #sinter.gpu_rows<threads = 64, blocks = 6, team = 1,
               rows = 4, unroll = 2, multiple = 4>>) {
  ^row(%a: tensor<?xbf16>):
    %b = arith.extf %a : tensor<?xbf16> to tensor<?xf32>
    %s = sinter.row_reduce add %b : tensor<?xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

// What begins at the second element is no vector of 16 bytes wherever sizes are multiples of one.

// CHECK: gpu.func @begin_even4_most64_least9(
// CHECK:   vector.load %{{.+}}] : memref<?x?xf32>, vector<4xf32>
// CHECK:   vector.load %{{.+}} {alignment = 16 : i64} : memref<?xf32>, vector<4xf32>
func.func private @begin(%x: memref<?x?xf32>, %w: memref<?xf32>, %y: memref<?x?xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = ?) by (j = ?) ins(%x[i, j + 1] : memref<?x?xf32>, %w[j] : memref<?xf32>) outs(%y[i, j] : memref<?x?xf32>)
      schedule(#sinter.gpu_rows<threads = 32, blocks = 6, even = #sinter.gpu_rows<threads = 32, blocks = 6, team = 16,
               vector = 4, residency = "registers", most = 64, multiple = 4, least = 9>>) {
  ^row(%a: tensor<?xf32>, %b: tensor<?xf32>):
    %s = sinter.row_reduce add %a : tensor<?xf32> -> f32
    %c = sinter.broadcast %s : f32 -> tensor<?xf32>
    %d = arith.divf %a, %c : tensor<?xf32>
    %e = arith.mulf %d, %b : tensor<?xf32>
    sinter.yield %e : tensor<?xf32>
  }
  return
}
