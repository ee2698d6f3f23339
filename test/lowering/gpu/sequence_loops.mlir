// RUN: sinter-opt --sinter-lower-gpu %s | FileCheck %s

// A loop of a sequence is a loop of the kernel, whose phases come again: a turn but the first begins when all blocks
// are done with the one before. Memory is carried as addresses, a slice is one by the turn's number. Of seven phases,
// one in front of the loop, five turns and one behind it, all are counted.

// CHECK-LABEL: gpu.func @k(
// CHECK: scf.for
// CHECK: llvm.inline_asm {{.*}}red.release.gpu.global.add.u64
// CHECK: %[[ONE:.*]] = arith.muli %c1_i64{{.*}}, %{{.*}} : i64
// CHECK: arith.addi %{{.*}}, %[[ONE]]
// CHECK: scf.for %[[N:.*]] = %c0{{.*}} to %c5{{.*}} step %c1{{.*}} iter_args(%[[FROM:.*]] = %arg{{.*}}, %[[TO:.*]] = %arg{{.*}}, %[[NEXT:.*]] = %arg{{.*}}) -> (i64, i64, i64)
// CHECK: %[[T:.*]] = arith.muli %[[N]], %c2
// CHECK: %[[LATER:.*]] = arith.cmpi ne, %[[N]], %c0
// CHECK-NEXT: scf.if %[[LATER]] {
// CHECK: %[[TURN:.*]] = arith.index_cast %[[N]] : index to i64
// CHECK: %[[TURNS:.*]] = arith.muli %[[TURN]], %c1_i64
// CHECK: %[[BEFORE:.*]] = arith.addi %{{.*}}, %[[TURNS]] : i64
// CHECK: red.release.gpu.global.add.u64
// CHECK: %[[GRID:.*]] = arith.index_cast %grid_dim_x : index to i64
// CHECK: arith.muli %[[BEFORE]], %[[GRID]]
// CHECK: llvm.inttoptr %[[FROM]] : i64 to !llvm.ptr<1>
// CHECK: llvm.addrspacecast
// CHECK: %[[PLACE:.*]] = arith.index_cast %[[T]] : index to i64
// CHECK: arith.muli %[[PLACE]], %c128_i64
// CHECK: llvm.inttoptr %[[TO]] : i64 to !llvm.ptr<1>
// CHECK: scf.yield %[[TO]], %[[NEXT]], %[[TO]] : i64, i64, i64
// CHECK: arith.constant 6 : i64
// CHECK: arith.constant 7 : i64
func.func private @k(%x: memref<4x8xf32>, %a: memref<4x8xf32>, %b: memref<4x8xf32>, %w: memref<9x4x8xf32>, %y: memref<4x8xf32>) attributes {sinter.kernel} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  sinter.sequence phases [0, 1, 2] waits [0, 1, 2] schedule(#sinter.gpu_sequence<blocks = 3, threads = 64>) {
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>) schedule(#sinter.gpu_rows<threads = 32, blocks = 4>) {
    ^row(%u: tensor<8xf32>):
      sinter.yield %u : tensor<8xf32>
    }
    %r:3 = scf.for %t = %c0 to %c9 step %c2 iter_args(%from = %y, %to = %a, %next = %b) -> (memref<4x8xf32>, memref<4x8xf32>, memref<4x8xf32>) {
      %s = memref.subview %w[%t, 0, 0] [1, 4, 8] [1, 1, 1] : memref<9x4x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
      %p = builtin.unrealized_conversion_cast %s : memref<4x8xf32, strided<[8, 1], offset: ?>> to memref<4x8xf32>
      sinter.rowwise (i = 4) by (j = 8) ins(%from[i, j] : memref<4x8xf32>, %p[i, j] : memref<4x8xf32>) outs(%to[i, j] : memref<4x8xf32>) schedule(#sinter.gpu_rows<threads = 32, blocks = 4>) {
      ^row(%u: tensor<8xf32>, %v: tensor<8xf32>):
        %n = arith.addf %u, %v : tensor<8xf32>
        sinter.yield %n : tensor<8xf32>
      }
      scf.yield %to, %next, %to : memref<4x8xf32>, memref<4x8xf32>, memref<4x8xf32>
    }
    sinter.rowwise (i = 4) by (j = 8) ins(%a[i, j] : memref<4x8xf32>) outs(%x[i, j] : memref<4x8xf32>) schedule(#sinter.gpu_rows<threads = 32, blocks = 4>) {
    ^row(%u: tensor<8xf32>):
      sinter.yield %u : tensor<8xf32>
    }
    sinter.yield
  }
  return
}
