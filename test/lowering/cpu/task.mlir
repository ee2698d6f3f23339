// RUN: sinter-opt --sinter-lower-cpu --canonicalize --cse %s | FileCheck %s

// A task is given a pointer of a memref whose type says the rest, and the descriptor where a size is `?`.

// CHECK-LABEL: func.func private @scaled(
//       CHECK:   %[[AT:.+]] = llvm.getelementptr %{{.+}}[0, 0] : {{.*}} !llvm.struct<(ptr, struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>, ptr)>
//       CHECK:   llvm.store %{{.+}}, %[[AT]] : !llvm.ptr, !llvm.ptr
//       CHECK:   llvm.store %{{.+}} : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>, !llvm.ptr
//       CHECK:   llvm.store %{{.+}} : !llvm.ptr, !llvm.ptr
//       CHECK:   call @sinter_rt_parallel
func.func private @scaled(%x: memref<16xf32>, %y: memref<?x16xf32>, %z: memref<8x16xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 8) by (j = 16) ins(%x[j] : memref<16xf32>, %y[i, j] : memref<?x16xf32>)
      outs(%z[i, j] : memref<8x16xf32>) schedule(#sinter.rows<chunk = 2, lanes = 16>) {
  ^row(%a: tensor<16xf32>, %b: tensor<16xf32>):
    %s = arith.mulf %a, %b : tensor<16xf32>
    sinter.yield %s : tensor<16xf32>
  }
  return
}

// CHECK-LABEL: func.func private @scaled_task(%arg0: !llvm.ptr, %arg1: i64)
//   CHECK-DAG:   %[[SIZE:.+]] = arith.constant 16 : i64
//   CHECK-DAG:   %[[ONE:.+]] = arith.constant 1 : i64
//       CHECK:   %[[P:.+]] = llvm.load %{{.+}} : !llvm.ptr -> !llvm.ptr
//       CHECK:   %[[A:.+]] = llvm.insertvalue %[[P]], %{{.+}}[0]
//       CHECK:   %[[B:.+]] = llvm.insertvalue %[[P]], %[[A]][1]
//       CHECK:   %[[C:.+]] = llvm.insertvalue %{{.+}}, %[[B]][2]
//       CHECK:   %[[D:.+]] = llvm.insertvalue %[[SIZE]], %[[C]][3, 0]
//       CHECK:   %[[E:.+]] = llvm.insertvalue %[[ONE]], %[[D]][4, 0]
//       CHECK:   builtin.unrealized_conversion_cast %[[E]] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> to memref<16xf32>
//       CHECK:   llvm.load %{{.+}} : !llvm.ptr -> !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
