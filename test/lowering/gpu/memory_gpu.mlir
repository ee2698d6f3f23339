// RUN: sinter-opt --sinter-gpu-memory --split-input-file --verify-diagnostics %s | FileCheck %s

// A copy in host code is the driver's, of all bytes; sizes that come with the call are asked for.

// CHECK-LABEL: func @copied
//  CHECK-SAME:   (%[[X:.+]]: memref<4x?xbf16>, %[[Y:.+]]: memref<4x?xbf16>)
//   CHECK-DAG:   %[[YI:.+]] = memref.extract_aligned_pointer_as_index %[[Y]]
//   CHECK-DAG:   %[[TO:.+]] = llvm.inttoptr
//   CHECK-DAG:   %[[N:.+]] = memref.dim %[[X]], %{{.+}} : memref<4x?xbf16>
//   CHECK-DAG:   %[[M:.+]] = arith.muli %{{.+}}, %[[N]] : index
//   CHECK-DAG:   %[[B:.+]] = arith.index_cast %[[M]] : index to i64
//       CHECK:   call @sinter_rt_copy(%{{.+}}, %{{.+}}, %[[B]]) : (!llvm.ptr, !llvm.ptr, i64) -> ()
//   CHECK-NOT:   memref.copy
func.func @copied(%x: memref<4x?xbf16>, %y: memref<4x?xbf16>) {
  memref.copy %x, %y : memref<4x?xbf16> to memref<4x?xbf16>
  return
}

// -----

func.func @strided(%x: memref<4x8xf32, strided<[16, 1]>>, %y: memref<4x8xf32>) {
  // expected-error @+1 {{copies memory of the GPU that is not contiguous: make it a kernel}}
  memref.copy %x, %y : memref<4x8xf32, strided<[16, 1]>> to memref<4x8xf32>
  return
}

// -----

func.func @unknown_size(%n: index) {
  // expected-error @+1 {{memory between kernels has a size that is known only when it runs, and the caller's workspace has none: make the sizes static}}
  %m = memref.alloc(%n) : memref<?xf32>
  return
}
