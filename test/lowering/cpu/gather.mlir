// RUN: sinter-opt --sinter-lower-cpu --split-input-file %s | FileCheck %s

// A row of a table at a scalar index: vectors, at a place inside. The assert stays.

// CHECK-LABEL: func private @row_task
//       CHECK:   cf.assert %{{.+}}, "outside"
//       CHECK:   %[[IN:.+]] = arith.cmpi ult, %[[I:.+]], %{{.+}} : index
//       CHECK:   arith.select %[[IN]], %[[I]], %{{.+}} : index
//       CHECK:   %[[X:.+]] = vector.load %{{.+}}[%{{.+}}] : memref<800xf32>, vector<4xf32>
//       CHECK:   arith.select %{{.+}}, %[[X]], %{{.+}} : vector<4xf32>
//   CHECK-NOT:   vector.gather
func.func private @row(%e: memref<100x8xf32>, %t: memref<4xi64>, %y: memref<4x8xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by (j = 8) ins(%e[?, ?] : memref<100x8xf32>, %t[i] : memref<4xi64>) outs(%y[i, j] : memref<4x8xf32>)
      schedule(#sinter.rows<chunk = 4, lanes = 4>) {
  ^row(%a: memref<100x8xf32>, %i: i64):
    %z = arith.constant 0.0 : f32
    %n = arith.constant 100 : i64
    %ok = arith.cmpi ult, %i, %n : i64
    cf.assert %ok, "outside"
    %j = sinter.index j : tensor<8xindex>
    %x = sinter.gather %a[%i, %j] else %z : memref<100x8xf32>, i64, tensor<8xindex> -> tensor<8xf32>
    sinter.yield %x : tensor<8xf32>
  }
  return
}

// -----

// An index for each lane: masked.

// CHECK-LABEL: func private @lanes_task
//       CHECK:   %[[IN:.+]] = arith.cmpi ult, %{{.+}}, %{{.+}} : vector<4xindex>
//       CHECK:   vector.gather %{{.+}}[%{{.+}}] [%{{.+}}], %[[IN]], %{{.+}} : memref<100xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
//       CHECK:   %[[ONE:.+]] = arith.cmpi ult, %[[I:.+]], %{{.+}} : index
//       CHECK:   %[[P:.+]] = arith.select %[[ONE]], %[[I]], %{{.+}} : index
//       CHECK:   %[[X:.+]] = memref.load %{{.+}}[%[[P]]] : memref<100xf32>
//       CHECK:   arith.select %{{.+}}, %[[X]], %{{.+}} : f32
func.func private @lanes(%e: memref<100xf32>, %t: memref<3x9xi64>, %y: memref<3x9xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 3) by (j = 9) ins(%e[?] : memref<100xf32>, %t[i, j] : memref<3x9xi64>) outs(%y[i, j] : memref<3x9xf32>)
      schedule(#sinter.rows<chunk = 4, lanes = 4>) {
  ^row(%a: memref<100xf32>, %i: tensor<9xi64>):
    %z = arith.constant 0.0 : f32
    %x = sinter.gather %a[%i] else %z : memref<100xf32>, tensor<9xi64> -> tensor<9xf32>
    sinter.yield %x : tensor<9xf32>
  }
  return
}

// -----

// A table without rows is not read.

// CHECK-LABEL: func private @empty_task
//   CHECK-NOT:   memref<0x8xf32>, vector
func.func private @empty(%e: memref<0x8xf32>, %t: memref<4xi64>, %y: memref<4xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by () ins(%e[?, ?] : memref<0x8xf32>, %t[i] : memref<4xi64>) outs(%y[i] : memref<4xf32>)
      schedule(#sinter.rows<chunk = 4>) {
  ^row(%a: memref<0x8xf32>, %i: i64):
    %z = arith.constant 7.0 : f32
    %x = sinter.gather %a[%i, %i] else %z : memref<0x8xf32>, i64, i64 -> f32
    sinter.yield %x : f32
  }
  return
}

// -----

// A subscript from an index tensor: without a fill value it is asserted, and behind the assert it is inside.

// CHECK-LABEL: func private @indirect_task
//       CHECK:   %[[T:.+]] = memref.load %{{.+}} : memref<4xi64>
//       CHECK:   %[[I:.+]] = arith.index_cast %[[T]]
//       CHECK:   %[[IN:.+]] = arith.cmpi ult, %[[I]]
//       CHECK:   cf.assert %[[IN]], "an index is outside of the table that it reads from"
//       CHECK:   %[[AT:.+]] = arith.select %[[IN]], %[[I]], %{{.+}} : index
//       CHECK:   vector.load %{{.+}}[%[[AT]], %{{.+}}] : memref<100x8xf32>, vector<4xf32>
func.func private @indirect(%e: memref<100x8xf32>, %t: memref<4xi64>, %y: memref<4x8xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by (j = 8) ins(%e[%t[i] : memref<4xi64>, j] : memref<100x8xf32>) outs(%y[i, j] : memref<4x8xf32>)
      schedule(#sinter.rows<chunk = 4, lanes = 4>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

// With one, the fill value is selected.

// CHECK-LABEL: func private @filled_task
//   CHECK-NOT:   cf.assert
//       CHECK:   arith.select %{{.+}}, %{{.+}}, %{{.+}} : f32
func.func private @filled(%e: memref<100xf32>, %t: memref<4xi64>, %y: memref<4xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by () ins(%e[%t[i] : memref<4xi64>] : memref<100xf32> else 1.0) outs(%y[i] : memref<4xf32>)
      schedule(#sinter.rows<chunk = 4>) {
  ^row(%a: f32):
    sinter.yield %a : f32
  }
  return
}

// -----

// A row of a table, the columns shifted, as a piece of a concatenation asks for it: lanes that are inside, one behind
// the other.

// CHECK-LABEL: func private @piece_task
//       CHECK:   %[[AT:.+]] = arith.addi %{{.+}}, %c-8{{.*}} : index
//       CHECK:   %[[NEAR:.+]] = arith.select %{{.+}}, %[[AT]], %c-1073741824
//       CHECK:   arith.index_cast %[[NEAR]] : index to i32
//   CHECK-NOT:   arith.andi {{.*}}vector<4xi1>
//       CHECK:   vector.maskedload %{{.+}}[%{{.+}}], %{{.+}}, %{{.+}} : memref<800xf32>, vector<4xi1>, vector<4xf32>
//   CHECK-NOT:   vector.gather
func.func private @piece(%e: memref<100x8xf32>, %t: memref<4xi64>, %y: memref<4x24xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by (j = 24) ins(%e[?, ?] : memref<100x8xf32>, %t[i] : memref<4xi64>) outs(%y[i, j] : memref<4x24xf32>)
      schedule(#sinter.rows<chunk = 4, lanes = 4>) {
  ^row(%a: memref<100x8xf32>, %i: i64):
    %z = arith.constant 0.0 : f32
    %m8 = arith.constant -8 : index
    %j = sinter.index j : tensor<24xindex>
    %by = sinter.broadcast %m8 : index -> tensor<24xindex>
    %k = arith.addi %j, %by : tensor<24xindex>
    %x = sinter.gather %a[%i, %k] else %z : memref<100x8xf32>, i64, tensor<24xindex> -> tensor<24xf32>
    sinter.yield %x : tensor<24xf32>
  }
  return
}
