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

// A part of memory as memory by itself begins where the part does.

// CHECK-LABEL: func @part
//  CHECK-SAME:   (%[[X:.+]]: memref<8x4xbf16>, %[[I:.+]]: index)
//       CHECK:   %[[V:.+]] = memref.subview %[[X]][%[[I]], 0]
//       CHECK:   %{{.+}}, %[[OFFSET:.+]], %{{.+}}:2, %{{.+}}:2 = memref.extract_strided_metadata %[[V]]
//       CHECK:   %[[A:.+]] = memref.extract_aligned_pointer_as_index %[[V]]
//       CHECK:   %[[BYTES:.+]] = arith.muli %[[OFFSET]], %c2
//       CHECK:   %[[FIRST:.+]] = arith.addi %[[A]], %[[BYTES]]
//       CHECK:   arith.index_cast %[[FIRST]] : index to i64
//       CHECK:   %[[M:.+]] = builtin.unrealized_conversion_cast %{{.+}} : !llvm.struct<{{.+}}> to memref<2x4xbf16>
//       CHECK:   call @takes(%[[M]])
func.func private @takes(%x: memref<2x4xbf16>)
func.func @part(%x: memref<8x4xbf16>, %i: index) {
  %v = memref.subview %x[%i, 0] [2, 4] [1, 1] : memref<8x4xbf16> to memref<2x4xbf16, strided<[4, 1], offset: ?>>
  %m = builtin.unrealized_conversion_cast %v : memref<2x4xbf16, strided<[4, 1], offset: ?>> to memref<2x4xbf16>
  call @takes(%m) : (memref<2x4xbf16>) -> ()
  return
}

// -----

// A slice at a place that a loop counts is one copy: a layer's weights in a tensor of all layers'. Where the lines of
// each slice lie together, and the slices do not, it is one for each slice.

// CHECK-LABEL: func @slice
//   CHECK-NOT:   scf.for
//       CHECK:   %[[B:.+]] = arith.index_cast %c32{{.*}} : index to i64
//       CHECK:   call @sinter_rt_copy(%{{.+}}, %{{.+}}, %[[B]])
func.func @slice(%x: memref<1x4x2xf32, strided<[8, 2, 1], offset: ?>>, %y: memref<1x4x2xf32>) {
  memref.copy %x, %y : memref<1x4x2xf32, strided<[8, 2, 1], offset: ?>> to memref<1x4x2xf32>
  return
}

// CHECK-LABEL: func @slices
//       CHECK:   scf.for %[[I:.+]] = %{{.+}} to
//       CHECK:     arith.muli %[[I]]
//   CHECK-NOT:     scf.for
//       CHECK:     %[[B:.+]] = arith.index_cast %c32{{.*}} : index to i64
//       CHECK:     call @sinter_rt_copy(%{{.+}}, %{{.+}}, %[[B]])
func.func @slices(%x: memref<3x4x2xf32, strided<[16, 2, 1], offset: ?>>, %y: memref<3x4x2xf32>) {
  memref.copy %x, %y : memref<3x4x2xf32, strided<[16, 2, 1], offset: ?>> to memref<3x4x2xf32>
  return
}

// -----

// One that is not contiguous is as many as it has lines; where these are apart too, as many as it has elements.

// CHECK-LABEL: func @strided
//  CHECK-SAME:   (%[[X:.+]]: memref<4x8xf32, strided<[16, 1], offset: ?>>, %[[Y:.+]]: memref<4x8xf32>)
//       CHECK:   scf.for %[[I:.+]] = %{{.+}} to %{{.+}} step
//       CHECK:     %{{.+}}, %[[OFFSET:.+]], %{{.+}}:2, %[[STRIDES:.+]]:2 = memref.extract_strided_metadata %[[X]]
//       CHECK:     %[[LINE:.+]] = arith.muli %[[I]], %[[STRIDES]]#0 : index
//       CHECK:     arith.addi %[[OFFSET]], %[[LINE]] : index
//   CHECK-NOT:     scf.for
//       CHECK:     call @sinter_rt_copy
//       CHECK:   return
func.func @strided(%x: memref<4x8xf32, strided<[16, 1], offset: ?>>, %y: memref<4x8xf32>) {
  memref.copy %x, %y : memref<4x8xf32, strided<[16, 1], offset: ?>> to memref<4x8xf32>
  return
}

// CHECK-LABEL: func @apart
// CHECK-COUNT-2: scf.for
//       CHECK:     call @sinter_rt_copy
func.func @apart(%x: memref<4x8xf32, strided<[16, 2]>>, %y: memref<4x8xf32>) {
  memref.copy %x, %y : memref<4x8xf32, strided<[16, 2]>> to memref<4x8xf32>
  return
}

// -----

// Memory that is used in loops, or of a size that is computed, is the driver's; its address has a word in front of all
// loops.

// CHECK-LABEL: func @buffer
//  CHECK-SAME:   (%[[N:.+]]: index)
//       CHECK:   %[[WORD:.+]] = llvm.alloca
//       CHECK:   scf.for
//   CHECK-NOT:     llvm.alloca
//       CHECK:     %[[BYTES:.+]] = arith.muli %c32{{.*}}, %{{.+}} : i64
//       CHECK:     call @sinter_rt_device_allocate(%[[BYTES]], %[[WORD]]) : (i64, !llvm.ptr) -> ()
//       CHECK:     %[[AT:.+]] = llvm.load %[[WORD]]
//       CHECK:     %[[M:.+]] = builtin.unrealized_conversion_cast %{{.+}} to memref<?x8xf32>
//       CHECK:     memref.extract_aligned_pointer_as_index %[[M]]
//       CHECK:     call @sinter_rt_device_release
func.func @buffer(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %m = memref.alloc(%n) : memref<?x8xf32>
    memref.dealloc %m : memref<?x8xf32>
  }
  return
}

// -----

// An element that host code computes with is read from the device, one that it computed is written; one that is stored
// again, with nothing written in between, is copied there.

// CHECK-LABEL: func @elements
//  CHECK-SAME:   (%[[X:.+]]: memref<4xf32>, %[[Y:.+]]: memref<4xf32>, %[[I:.+]]: index)
//       CHECK:   %[[IN:.+]] = memref.alloca() : memref<f32>
//       CHECK:   call @sinter_rt_read(%{{.+}}, %{{.+}}, %{{.+}}) : (!llvm.ptr, !llvm.ptr, i64) -> ()
//       CHECK:   %[[V:.+]] = memref.load %[[IN]][] : memref<f32>
//       CHECK:   %[[S:.+]] = arith.addf %[[V]], %[[V]] : f32
//       CHECK:   %[[B:.+]] = arith.bitcast %[[S]] : f32 to i32
//       CHECK:   %[[W:.+]] = arith.extui %[[B]] : i32 to i64
//       CHECK:   call @sinter_rt_put(%{{.+}}, %[[W]], %{{.+}}) : (!llvm.ptr, i64, i64) -> ()
//   CHECK-NOT:   sinter_rt_read
//       CHECK:   call @sinter_rt_copy
//   CHECK-NOT:   memref.load
func.func @elements(%x: memref<4xf32>, %y: memref<4xf32>, %i: index) {
  %c3 = arith.constant 3 : index
  %v = memref.load %x[%i] : memref<4xf32>
  %s = arith.addf %v, %v : f32
  memref.store %s, %y[%i] : memref<4xf32>
  %w = memref.load %x[%c3] : memref<4xf32>
  memref.store %w, %y[%c3] : memref<4xf32>
  return
}

// What was written in between is not what was read.

// CHECK-LABEL: func @written_between
//       CHECK:   call @sinter_rt_read
//       CHECK:   call @sinter_rt_put
//       CHECK:   call @sinter_rt_put
func.func @written_between(%x: memref<f32>, %y: memref<f32>, %z: f32) {
  %v = memref.load %x[] : memref<f32>
  memref.store %z, %x[] : memref<f32>
  memref.store %v, %y[] : memref<f32>
  return
}

// -----

// Upstream's lists of buffers are the host's, and so is what its function does with them.

// CHECK-LABEL: func @lists
//       CHECK:   memref.alloc() : memref<2xindex>
//       CHECK:   memref.store
//       CHECK:   call @dealloc_helper
//       CHECK:   memref.dealloc
func.func @lists(%a: index) {
  %c0 = arith.constant 0 : index
  %list = memref.alloc() : memref<2xindex>
  memref.store %a, %list[%c0] : memref<2xindex>
  %all = memref.cast %list : memref<2xindex> to memref<?xindex>
  call @dealloc_helper(%all) : (memref<?xindex>) -> ()
  memref.dealloc %list : memref<2xindex>
  return
}
func.func private @dealloc_helper(%list: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %v = memref.load %list[%c0] : memref<?xindex>
  memref.store %v, %list[%c0] : memref<?xindex>
  return
}

// -----

// A number that sizes give is stored by the driver, as its bits.

// CHECK-LABEL: func @number
//  CHECK-SAME:   (%[[N:.+]]: i64, %[[H:.+]]: f16,
//       CHECK:   call @sinter_rt_put(%{{.+}}, %[[N]], %c8{{.*}}) : (!llvm.ptr, i64, i64) -> ()
//       CHECK:   %[[B:.+]] = arith.bitcast %[[H]] : f16 to i16
//       CHECK:   %[[W:.+]] = arith.extui %[[B]] : i16 to i64
//       CHECK:   call @sinter_rt_put(%{{.+}}, %[[W]], %c2{{.*}})
//   CHECK-NOT:   memref.store
func.func @number(%n: i64, %h: f16, %x: memref<i64>, %y: memref<3xf16>, %i: index) {
  memref.store %n, %x[] : memref<i64>
  memref.store %h, %y[%i] : memref<3xf16>
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

// The host reads an element of a constant where it has it.

// CHECK-LABEL: func @element_of_constant
//       CHECK:   %[[HOST:.+]] = memref.get_global @weights
//       CHECK:   memref.load %[[HOST]]
//   CHECK-NOT:   sinter_rt_read
func.func @element_of_constant(%i: index) -> f32 {
  %w = memref.get_global @weights : memref<2x3xf32>
  %v = memref.load %w[%i, %i] : memref<2x3xf32>
  return %v : f32
}
