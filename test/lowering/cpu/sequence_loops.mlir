// RUN: sinter-opt --sinter-lower-cpu %s | FileCheck %s

// A loop of a sequence is a loop that notes each turn's stages: memory is carried as addresses, a slice is one by the
// turn's number. A form waits for one more in each turn, as there is one in the loop; the form behind it waits for six,
// one in front and five turns. Memory that stages work with is of each turn by itself.

// CHECK-LABEL: func.func private @k(
// CHECK-SAME: %[[X:.*]]: memref<4x8xf32>, %[[A:.*]]: memref<4x8xf32>, %[[B:.*]]: memref<4x8xf32>, %[[W:.*]]: memref<9x4x8xf32>, %[[Y:.*]]: memref<4x8xf32>, %[[BYTES:.*]]: memref
// CHECK: call @sinter_rt_sequence_begin(%[[AT:[0-9]+]])
// CHECK: call @k_form0(%[[X]], %[[Y]], %[[AT]],
// CHECK: %[[OWN:.*]] = memref.view %[[BYTES]]{{.*}} to memref<[[OF_ALL:.*]]xi8>
// CHECK: scf.for %[[N:.*]] = %{{.*}} to %c5{{.*}} step %{{.*}} iter_args(%[[FROM:.*]] = %{{.*}}, %[[TO:.*]] = %{{.*}}, %[[NEXT:.*]] = %{{.*}}) -> (i64, i64, i64)
// CHECK: %[[T:.*]] = arith.muli %[[N]], %c2
// CHECK: %[[TURN:.*]] = arith.index_cast %[[N]] : index to i64
// CHECK: %[[MORE:.*]] = arith.muli %[[TURN]], %c1_i64
// CHECK: %[[WAITS:.*]] = arith.addi %c1_i64{{.*}}, %[[MORE]] : i64
// CHECK: memref.view %[[OWN]][%{{.*}}][]
// CHECK: call @sinter_rt_sequence_form(%[[AT]], %[[WAITS]])
// CHECK: llvm.inttoptr %[[FROM]]
// CHECK: %[[PLACE:.*]] = arith.index_cast %[[T]] : index to i64
// CHECK: arith.muli %[[PLACE]], %c128_i64
// CHECK: llvm.inttoptr %[[TO]]
// CHECK: call @k_form1(
// CHECK: scf.yield %[[TO]], %[[NEXT]], %[[TO]] : i64, i64, i64
// CHECK: call @sinter_rt_sequence_form(%[[AT]], %c6_i64{{.*}})
// CHECK: call @k_form0(%[[A]], %[[X]], %[[AT]],
// CHECK: call @sinter_rt_sequence_run(%[[AT]])
func.func private @k(%x: memref<4x8xf32>, %a: memref<4x8xf32>, %b: memref<4x8xf32>, %w: memref<9x4x8xf32>, %y: memref<4x8xf32>) attributes {sinter.kernel} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  sinter.sequence phases [0, 1, 2] waits [0, 1, 2] {
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>) schedule(#sinter.rows<chunk = 2, lanes = 4>) {
    ^row(%u: tensor<8xf32>):
      sinter.yield %u : tensor<8xf32>
    }
    %r:3 = scf.for %t = %c0 to %c9 step %c2 iter_args(%from = %y, %to = %a, %next = %b) -> (memref<4x8xf32>, memref<4x8xf32>, memref<4x8xf32>) {
      %s = memref.subview %w[%t, 0, 0] [1, 4, 8] [1, 1, 1] : memref<9x4x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
      %p = builtin.unrealized_conversion_cast %s : memref<4x8xf32, strided<[8, 1], offset: ?>> to memref<4x8xf32>
      sinter.rowwise (i = 4) by (j = 8) ins(%from[i, j] : memref<4x8xf32>, %p[i, j] : memref<4x8xf32>) outs(%to[i, j] : memref<4x8xf32>) schedule(#sinter.rows<chunk = 2, lanes = 4>) {
      ^row(%u: tensor<8xf32>, %v: tensor<8xf32>):
        %n = arith.addf %u, %v : tensor<8xf32>
        sinter.yield %n : tensor<8xf32>
      }
      scf.yield %to, %next, %to : memref<4x8xf32>, memref<4x8xf32>, memref<4x8xf32>
    }
    sinter.rowwise (i = 4) by (j = 8) ins(%a[i, j] : memref<4x8xf32>) outs(%x[i, j] : memref<4x8xf32>) schedule(#sinter.rows<chunk = 2, lanes = 4>) {
    ^row(%u: tensor<8xf32>):
      sinter.yield %u : tensor<8xf32>
    }
    sinter.yield
  }
  return
}
