// RUN: sinter-opt --sinter-lower-gpu %s | FileCheck %s

// Lanes of a table at places of their own are loaded one by one from a place inside, then selected: a GPU has no masked
// loads, and branches would stand between them.

// CHECK-LABEL: gpu.func @lanes
//   CHECK-NOT:   vector.gather
//       CHECK:   memref.load %{{.+}} : memref<9x40xf32>
//       CHECK:   arith.select
//       CHECK:   memref.load %{{.+}} : memref<9x40xf32>
//       CHECK:   arith.select
//   CHECK-NOT:   vector.gather
//       CHECK:   gpu.return
func.func private @lanes(%x: memref<9x40xf32>, %y: memref<9x80xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 9) by (j = 80) ins(%x[?, ?] : memref<9x40xf32>) outs(%y[i, j] : memref<9x80xf32>)
      schedule(#sinter.gpu_rows<threads = 32, blocks = 6, vector = 2>) {
  ^row(%t: memref<9x40xf32>):
    %zero = arith.constant 0.0 : f32
    %i = sinter.index i : index
    %j = sinter.index j : tensor<80xindex>
    %half = arith.constant 2 : index
    %halves = sinter.broadcast %half : index -> tensor<80xindex>
    %k = arith.divui %j, %halves : tensor<80xindex>
    %g = sinter.gather %t[%i, %k] else %zero : memref<9x40xf32>, index, tensor<80xindex> -> tensor<80xf32>
    sinter.yield %g : tensor<80xf32>
  }
  return
}
