// RUN: sinter-opt --sinter-lower-cpu --canonicalize --cse --split-input-file %s | FileCheck %s

// Two pieces and what is behind them: a loop for each, which reads that one, without a mask.

// CHECK-LABEL: func.func private @pieces_task
//   CHECK-NOT:   vector.maskedload
//   CHECK-NOT:   arith.select
//       CHECK:   scf.for %[[J:.+]] = %c0 to %c16 step %c8
//       CHECK:     %[[A:.+]] = vector.load %{{.+}}[%{{.+}}, %[[J]]] : memref<5x16xf32>, vector<8xf32>
//       CHECK:     vector.store %[[A]]
//       CHECK:   scf.for %[[K:.+]] = %c16 to %c40 step %c8
//       CHECK:     %[[AT:.+]] = arith.addi %[[K]], %c-16
//       CHECK:     %[[B:.+]] = vector.load %{{.+}}[%{{.+}}, %[[AT]]] : memref<5x24xf32>, vector<8xf32>
//       CHECK:     vector.store %[[B]]
//       CHECK:   vector.store %cst, %{{.+}}[%{{.+}}, %c40] : memref<5x48xf32>, vector<8xf32>
func.func private @pieces(%x: memref<5x16xf32>, %y: memref<5x24xf32>, %z: memref<5x48xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 48)
      ins(%x[i, j] : memref<5x16xf32> else 0.0, %y[i, j - 16] : memref<5x24xf32> else 1.0)
      outs(%z[i, j] : memref<5x48xf32>)
      schedule(#sinter.rows<lanes = 8>) {
  ^row(%a: tensor<48xf32>, %b: tensor<48xf32>):
    %sixteen = arith.constant 16 : index
    %j = sinter.index j : tensor<48xindex>
    %end = sinter.broadcast %sixteen : index -> tensor<48xindex>
    %first = arith.cmpi ult, %j, %end : tensor<48xindex>
    %v = arith.select %first, %a, %b : tensor<48xi1>, tensor<48xf32>
    sinter.yield %v : tensor<48xf32>
  }
  return
}

// -----

// A piece that ends within a vector: that one is read by a mask. All parts add to the same sums.

// CHECK-LABEL: func.func private @within_task
//       CHECK:   %[[S:.+]] = scf.for %{{.+}} = %c0 to %c32 step %c8 iter_args
//       CHECK:     vector.load %{{.+}} : memref<5x37xf32>, vector<8xf32>
//       CHECK:   vector.maskedload %{{.+}} : memref<5x37xf32>
//       CHECK:   %[[T:.+]] = arith.addf
//       CHECK:   scf.for %{{.+}} = %c40 to %c64 step %c8 iter_args
//   CHECK-NOT:     load
//       CHECK:     scf.yield
func.func private @within(%x: memref<5x37xf32>, %z: memref<5xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 64) ins(%x[i, j] : memref<5x37xf32> else 2.0) outs(%z[i] : memref<5xf32>)
      schedule(#sinter.rows<lanes = 8>) {
  ^row(%a: tensor<64xf32>):
    %s = sinter.row_reduce add %a : tensor<64xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

// A row that lies between two of an image, of which some are not there: where it is not, no lane is. The condition is
// not spread over lanes.

// CHECK-LABEL: func.func private @above_task
//       CHECK:   %[[THERE:.+]] = arith.cmpi ult, %{{.+}}, %c5
//       CHECK:   %[[FIRST:.+]] = arith.select %[[THERE]], %{{.+}}, %c-1073741824
//       CHECK:   vector.maskedload
//   CHECK-NOT:   vector.broadcast %[[THERE]]
func.func private @above(%x: memref<5x12xf32>, %z: memref<5x16xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 16) ins(%x[i - 1, j] : memref<5x12xf32> else 0.0) outs(%z[i, j] : memref<5x16xf32>)
      schedule(#sinter.rows<lanes = 8>) {
  ^row(%a: tensor<16xf32>):
    sinter.yield %a : tensor<16xf32>
  }
  return
}

// -----

// Sums of bytes wrap around: 100 + 100 is less than 0, so that %x is chosen.

// CHECK-LABEL: func.func private @wraps_task
//   CHECK-NOT:   vector.load %{{.+}} : memref<5x32xf32>
//       CHECK:   vector.load %{{.+}} : memref<5x16xf32>, vector<8xf32>
//   CHECK-NOT:   vector.load %{{.+}} : memref<5x32xf32>
//       CHECK:   return
func.func private @wraps(%x: memref<5x16xf32>, %y: memref<5x32xf32>, %z: memref<5x32xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 32) ins(%x[i, j] : memref<5x16xf32> else 0.0, %y[i, j] : memref<5x32xf32>) outs(%z[i, j] : memref<5x32xf32>)
      schedule(#sinter.rows<lanes = 8>) {
  ^row(%a: tensor<32xf32>, %b: tensor<32xf32>):
    %c = arith.constant dense<100> : tensor<32xi8>
    %zero = arith.constant dense<0> : tensor<32xi8>
    %s = arith.addi %c, %c : tensor<32xi8>
    %t = arith.cmpi slt, %s, %zero : tensor<32xi8>
    %v = arith.select %t, %a, %b : tensor<32xi1>, tensor<32xf32>
    sinter.yield %v : tensor<32xf32>
  }
  return
}
