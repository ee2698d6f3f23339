// RUN: sinter-opt --sinter-count %s | FileCheck %s

// Kernel 0, library call 1, temporary bytes 2 (runtime/runtime.h).

// CHECK: func private @sinter_rt_count(i32, i64)

func.func private @one_region(%x: memref<5x7xf32>) attributes {sinter.kernel} {
  return
}
func.func private @sinter_rt_parallel(!llvm.ptr, !llvm.ptr, i64)
func.func private @two_regions(%x: memref<5x7xf32>) attributes {sinter.kernel} {
  %p = llvm.mlir.zero : !llvm.ptr
  %n = arith.constant 3 : i64
  func.call @sinter_rt_parallel(%p, %p, %n) : (!llvm.ptr, !llvm.ptr, i64) -> ()
  func.call @sinter_rt_parallel(%p, %p, %n) : (!llvm.ptr, !llvm.ptr, i64) -> ()
  return
}
func.func private @library(memref<5x7xf32>)

// A kernel function is one kernel, or as many as it starts regions. What a block does is counted as one sum of each.

// CHECK-LABEL: func @calls
//  CHECK-SAME:   sinter.kernels = [{kind = "", name = "one_region"}, {kind = "", name = "two_regions"}]
//   CHECK-DAG:   %[[C0:.+]] = arith.constant 0 : i32
//   CHECK-DAG:   %[[C1:.+]] = arith.constant 1 : i32
//   CHECK-DAG:   %[[KERNELS:.+]] = arith.constant 3 : i64
//   CHECK-DAG:   %[[CALLS:.+]] = arith.constant 1 : i64
//       CHECK:   call @sinter_rt_count(%[[C0]], %[[KERNELS]])
//  CHECK-NEXT:   call @sinter_rt_begin(%[[C0]])
//  CHECK-NEXT:   call @one_region
//  CHECK-NEXT:   call @sinter_rt_end(%[[C0]])
//  CHECK-NEXT:   call @sinter_rt_begin(%[[C1]])
//  CHECK-NEXT:   call @two_regions
//  CHECK-NEXT:   call @sinter_rt_end(%[[C1]])
//  CHECK-NEXT:   call @sinter_rt_count(%[[C1]], %[[CALLS]])
//  CHECK-NEXT:   call @library
//  CHECK-NEXT:   return
func.func @calls(%x: memref<5x7xf32>) {
  func.call @one_region(%x) : (memref<5x7xf32>) -> ()
  func.call @two_regions(%x) : (memref<5x7xf32>) -> ()
  func.call @library(%x) : (memref<5x7xf32>) -> ()
  return
}

// What is left on the host counts each time that it runs, once and whole: the loop's in the loop.

// CHECK-LABEL: func @left
//   CHECK-DAG:   %[[KERNEL:.+]] = arith.constant 0 : i32
//   CHECK-DAG:   %[[TWO:.+]] = arith.constant 2 : i64
//   CHECK-DAG:   %[[ONE:.+]] = arith.constant 1 : i64
//       CHECK:   call @sinter_rt_count(%[[KERNEL]], %[[TWO]])
//  CHECK-NEXT:   call @sinter_rt_begin
//  CHECK-NEXT:   memref.copy
//       CHECK:   scf.for
//       CHECK:     call @sinter_rt_count(%[[KERNEL]], %[[ONE]])
//  CHECK-NEXT:     call @sinter_rt_begin
//  CHECK-NEXT:     linalg.fill
//       CHECK:   call @sinter_rt_begin
//  CHECK-NEXT:   linalg.generic
//       CHECK:   call @sinter_rt_end
//   CHECK-NOT:   call
//       CHECK:   return
func.func @left(%x: memref<5x7xf32>, %y: memref<5x7xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %z = arith.constant 0.0 : f32
  memref.copy %x, %y : memref<5x7xf32> to memref<5x7xf32>
  scf.for %i = %c0 to %c5 step %c1 {
    linalg.fill ins(%z : f32) outs(%y : memref<5x7xf32>)
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%y : memref<5x7xf32>) {
  ^bb0(%e: f32):
    %i = linalg.index 0 : index
    linalg.yield %z : f32
  }
  return
}

// Buffers between kernels are temporary, also of a size that is computed; scratch
// memory inside of a kernel is not.

// CHECK-LABEL: func @temporaries
//  CHECK-SAME:   %[[N:.+]]: index
//   CHECK-DAG:   %[[WHAT:.+]] = arith.constant 2 : i32
//   CHECK-DAG:   %[[BYTES:.+]] = arith.constant 164 : i64
//   CHECK-DAG:   %[[ROW:.+]] = arith.constant 14 : i64
//       CHECK:   call @sinter_rt_count(%[[WHAT]], %[[BYTES]])
//  CHECK-NEXT:   memref.alloc() : memref<5x7xf32>
//       CHECK:   %[[M:.+]] = arith.index_cast %[[N]] : index to i64
//       CHECK:   %[[ALL:.+]] = arith.muli %[[ROW]], %[[M]] : i64
//       CHECK:   call @sinter_rt_count(%[[WHAT]], %[[ALL]])
//  CHECK-NEXT:   memref.alloc(%[[N]]) : memref<?x7xbf16>
//   CHECK-NOT:   call
//       CHECK:   memref.alloc() : memref<3xf64>
//       CHECK:   memref.alloc() {sinter.workspace} : memref<9xi8>
func.func @temporaries(%n: index) {
  %a = memref.alloc() : memref<5x7xf32>
  %b = memref.alloc(%n) : memref<?x7xbf16>
  %d = memref.alloc() : memref<3xf64>
  %c = memref.alloc() {sinter.workspace} : memref<9xi8>
  return
}

// A function that stands for two forms is called by two names in reports: sinter-outline leaves them in locations.

// CHECK-LABEL: func @twice
//  CHECK-SAME:   sinter.kernels = [{kind = "", name = "one_region"}, {kind = "", name = "twice_kernel1"}]
func.func @twice(%x: memref<5x7xf32>) {
  func.call @one_region(%x) : (memref<5x7xf32>) -> ()
  func.call @one_region(%x) : (memref<5x7xf32>) -> () loc(fused<"twice_kernel1">["here"])
  return
}
