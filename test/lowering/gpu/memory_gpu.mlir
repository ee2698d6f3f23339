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

// A number that sizes give is stored by the driver, as its bits.

// CHECK-LABEL: func @number
//  CHECK-SAME:   (%[[N:.+]]: i64, %[[H:.+]]: f16,
//       CHECK:   %[[EIGHT:.+]] = arith.constant 8 : i64
//       CHECK:   call @sinter_rt_put(%{{.+}}, %[[N]], %[[EIGHT]]) : (!llvm.ptr, i64, i64) -> ()
//       CHECK:   %[[B:.+]] = arith.bitcast %[[H]] : f16 to i16
//       CHECK:   %[[W:.+]] = arith.extui %[[B]] : i16 to i64
//       CHECK:   %[[TWO:.+]] = arith.constant 2 : i64
//       CHECK:   call @sinter_rt_put(%{{.+}}, %[[W]], %[[TWO]])
//   CHECK-NOT:   memref.store
func.func @number(%n: i64, %h: f16, %x: memref<i64>, %y: memref<3xf16>, %i: index) {
  memref.store %n, %x[] : memref<i64>
  memref.store %h, %y[%i] : memref<3xf16>
  return
}

// -----

func.func @unknown_size(%n: index) {
  // expected-error @+1 {{memory between kernels has a size that is known only when it runs, and the caller's workspace has none: make the sizes static}}
  %m = memref.alloc(%n) : memref<?xf32>
  return
}

// -----

// A constant is copied to the device once; what is the host's own stays.

memref.global "private" constant @weights : memref<2x3xf32> = dense<1.5>
memref.global "private" @counter : memref<i64> = dense<0>

// CHECK-LABEL: func @constant
//       CHECK:   %[[WORD:.+]] = llvm.alloca
//       CHECK:   %[[HOST:.+]] = memref.get_global @weights
//       CHECK:   memref.extract_aligned_pointer_as_index %[[HOST]]
//       CHECK:   call @sinter_rt_device_constant(%{{.+}}, %{{.+}}, %[[WORD]]) : (!llvm.ptr, i64, !llvm.ptr) -> ()
//       CHECK:   %[[THERE:.+]] = llvm.load %[[WORD]]
//       CHECK:   llvm.insertvalue %[[THERE]], %{{.+}}[1]
//       CHECK:   %[[MEMREF:.+]] = builtin.unrealized_conversion_cast %{{.+}} to memref<2x3xf32>
//       CHECK:   %[[COUNTER:.+]] = memref.get_global @counter
//       CHECK:   return %[[MEMREF]], %[[COUNTER]]
func.func @constant() -> (memref<2x3xf32>, memref<i64>) {
  %w = memref.get_global @weights : memref<2x3xf32>
  %c = memref.get_global @counter : memref<i64>
  return %w, %c : memref<2x3xf32>, memref<i64>
}
