// RUN: sinter-opt --sinter-entry --split-input-file --verify-diagnostics %s | FileCheck %s

// The entry hands the descriptors on; they are read where they are needed, once in each block. What it calls is nobody
// else's.

// CHECK-LABEL: func private @loss_host
//  CHECK-SAME:   (%[[D:.+]]: !llvm.ptr)
//   CHECK-NOT:   sinter.inputs
//   CHECK-NOT:   getelementptr
//       CHECK:   arith.constant 7 : index
//       CHECK:   %[[S0:.+]] = llvm.getelementptr %[[D]][0]
//       CHECK:   %[[P0:.+]] = llvm.load %[[S0]] : !llvm.ptr -> !llvm.ptr
//       CHECK:   llvm.load %[[P0]] : !llvm.ptr -> !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
//       CHECK:   %[[X:.+]] = builtin.unrealized_conversion_cast {{.+}} to memref<5x7xf32>
//       CHECK:   llvm.getelementptr %[[D]][1]
//       CHECK:   llvm.load %{{.+}} : !llvm.ptr -> !llvm.struct<(ptr, ptr, i64)>
//       CHECK:   %[[Y:.+]] = builtin.unrealized_conversion_cast {{.+}} to memref<f32>
//  CHECK-NEXT:   call @kernel(%[[X]], %[[Y]])
//   CHECK-NOT:   getelementptr
//       CHECK:   call @kernel(%[[X]], %[[Y]])
//       CHECK:   cf.br ^bb1
//       CHECK: ^bb1:
//       CHECK:   llvm.getelementptr %[[D]][0]
//       CHECK:   %[[X2:.+]] = builtin.unrealized_conversion_cast {{.+}} to memref<5x7xf32>
//       CHECK:   llvm.getelementptr %[[D]][1]
//       CHECK:   %[[Y2:.+]] = builtin.unrealized_conversion_cast {{.+}} to memref<f32>
//  CHECK-NEXT:   call @kernel(%[[X2]], %[[Y2]])
//   CHECK-NOT:   llvm.getelementptr %[[D]][2]
//       CHECK:   return
// CHECK-LABEL: llvm.func internal @loss_packed
//  CHECK-SAME:   (%[[D:.+]]: !llvm.ptr) attributes {sinter.function = "loss", sinter.inputs = [tensor<5x7xf32>], sinter.outputs = [tensor<f32>], sinter.workspace_bytes = 64 : i64}
//  CHECK-NEXT:   func.call @loss_host(%[[D]])
//  CHECK-NEXT:   llvm.return

// A kernel function takes addresses alone where everything else is known.

//       CHECK: func private @kernel(memref<5x7xf32>, memref<f32>)
//  CHECK-SAME:   attributes {sinter.kernel}
//       CHECK: func.func private @bare
//  CHECK-SAME:   attributes {llvm.bareptr, sinter.kernel}
//       CHECK: func.func private @unknown
//  CHECK-SAME:   attributes {sinter.kernel}
//       CHECK: func.func private @nothing
//  CHECK-SAME:   attributes {sinter.kernel}
func.func @loss_host(%x: memref<5x7xf32>, %y: memref<f32>, %w: memref<?xi8>)
    attributes {sinter.function = "loss", sinter.inputs = [tensor<5x7xf32>], sinter.outputs = [tensor<f32>],
                sinter.workspace_bytes = 64 : i64} {
  %c = arith.constant 7 : index
  func.call @kernel(%x, %y) : (memref<5x7xf32>, memref<f32>) -> ()
  func.call @kernel(%x, %y) : (memref<5x7xf32>, memref<f32>) -> ()
  cf.br ^next
^next:
  func.call @kernel(%x, %y) : (memref<5x7xf32>, memref<f32>) -> ()
  return
}
func.func private @kernel(%x: memref<5x7xf32>, %y: memref<f32>) attributes {sinter.kernel}
func.func private @bare(%x: memref<5x7xf32>, %y: memref<f32>) attributes {sinter.kernel} {
  return
}
func.func private @unknown(%x: memref<?x7xf32>, %y: memref<f32>) attributes {sinter.kernel} {
  return
}
func.func private @nothing(%x: memref<0x7xf32>, %y: memref<f32>) attributes {sinter.kernel} {
  return
}

// -----

// What a loop needs is read in front of it, and what its block alone needs in its block.

// CHECK-LABEL: func private @loop
//  CHECK-SAME:   (%[[D:.+]]: !llvm.ptr)
//       CHECK:   llvm.getelementptr %[[D]][0]
//       CHECK:   %[[X:.+]] = builtin.unrealized_conversion_cast {{.+}} to memref<5x7xf32>
//       CHECK:   cf.br ^bb1
//       CHECK: ^bb1
//       CHECK:   cf.cond_br %{{.+}}, ^bb2, ^bb3
//       CHECK: ^bb2:
//   CHECK-NOT:   getelementptr
//       CHECK:   memref.load %[[X]]
//       CHECK:   cf.br ^bb1
//       CHECK: ^bb3:
//       CHECK:   llvm.getelementptr %[[D]][1]
//       CHECK:   %[[Y:.+]] = builtin.unrealized_conversion_cast {{.+}} to memref<f32>
//       CHECK:   memref.store %{{.+}}, %[[Y]]
func.func @loop(%x: memref<5x7xf32>, %y: memref<f32>, %w: memref<?xi8>)
    attributes {sinter.inputs = [tensor<5x7xf32>], sinter.outputs = [tensor<f32>], sinter.workspace_bytes = 0 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %f0 = arith.constant 0.0 : f32
  cf.br ^head(%c0, %f0 : index, f32)
^head(%i: index, %s: f32):
  %more = arith.cmpi slt, %i, %c5 : index
  cf.cond_br %more, ^body, ^end
^body:
  %v = memref.load %x[%i, %c0] : memref<5x7xf32>
  %t = arith.addf %s, %v : f32
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %t : index, f32)
^end:
  memref.store %s, %y[] : memref<f32>
  return
}

// -----

// What is known only of some functions goes along where it is known.

// CHECK-LABEL: llvm.func internal @named_packed
//  CHECK-SAME:   sinter.input_facts = [{name = "x"}]
func.func @named(%x: memref<f32>, %y: memref<f32>, %w: memref<?xi8>)
    attributes {sinter.inputs = [tensor<f32>], sinter.outputs = [tensor<f32>], sinter.workspace_bytes = 0 : i64, sinter.input_facts = [{name = "x"}]} {
  return
}

// -----

// expected-error @+1 {{has no sinter.inputs: sinter-boundary and sinter-workspace run before}}
func.func @alone(%x: memref<5xf32>) {
  return
}

// -----

// expected-error @+1 {{has 1 arguments: expected 2 inputs, outputs and workspace}}
func.func @lost(%w: memref<?xi8>)
    attributes {sinter.inputs = [tensor<5xf32>], sinter.outputs = [], sinter.workspace_bytes = 0 : i64} {
  return
}
