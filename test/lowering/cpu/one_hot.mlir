// RUN: sinter-opt --sinter-lower-cpu --canonicalize --cse %s | FileCheck %s

// A column that is compared with a label: lanes with their distance from it, in 32 bits. A label that is far away, or
// negative, is no lane.

// CHECK-LABEL: func.func private @one_hot_task(
//       CHECK: scf.for
//       CHECK:   %[[IN:.+]] = arith.cmpi ult, %[[T:.+]], %c40
//       CHECK:   %[[AT:.+]] = arith.index_cast %[[T]] : index to i32
//       CHECK:   %[[NEAR:.+]] = arith.select %[[IN]], %[[AT]], %c-1073741824_i32
//       CHECK:   %[[J:.+]] = arith.index_cast %{{.+}} : index to i32
//       CHECK:   %[[L:.+]] = arith.subi %[[NEAR]], %[[J]] : i32
//       CHECK:   %[[LB:.+]] = vector.broadcast %[[L]] : i32 to vector<8xi32>
//       CHECK:   arith.cmpi eq, %{{.+}}, %[[LB]] : vector<8xi32>
//   CHECK-NOT:   arith.cmpi eq, {{.*}}vector<8xi64>
func.func private @one_hot(%t: memref<5xi64>, %y: memref<5x40xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 40) ins(%t[i] : memref<5xi64>) outs(%y[i, j] : memref<5x40xf32>)
      schedule(#sinter.rows<chunk = 2, lanes = 8>) {
  ^row(%l: i64):
    %j = sinter.index j : tensor<40xindex>
    %c = arith.index_cast %j : tensor<40xindex> to tensor<40xi64>
    %b = sinter.broadcast %l : i64 -> tensor<40xi64>
    %q = arith.cmpi eq, %c, %b : tensor<40xi64>
    %one = arith.constant dense<1.0> : tensor<40xf32>
    %zero = arith.constant dense<0.0> : tensor<40xf32>
    %h = arith.select %q, %one, %zero : tensor<40xi1>, tensor<40xf32>
    sinter.yield %h : tensor<40xf32>
  }
  return
}
