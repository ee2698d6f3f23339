// RUN: sinter-opt --sinter-entry --split-input-file --verify-diagnostics %s | FileCheck %s

// The entry reads a descriptor for each argument; what it calls is nobody else's.

// CHECK-LABEL: func private @loss_host
//  CHECK-SAME:   (%{{.+}}: memref<5x7xf32>, %{{.+}}: memref<f32>, %{{.+}}: memref<?xi8>)
//   CHECK-NOT:   sinter.inputs
// CHECK-LABEL: llvm.func internal @loss_packed
//  CHECK-SAME:   (%[[D:.+]]: !llvm.ptr) attributes {sinter.function = "loss", sinter.inputs = [tensor<5x7xf32>], sinter.outputs = [tensor<f32>], sinter.workspace_bytes = 64 : i64}
//       CHECK:   %[[S0:.+]] = llvm.getelementptr %[[D]][0]
//       CHECK:   %[[P0:.+]] = llvm.load %[[S0]] : !llvm.ptr -> !llvm.ptr
//       CHECK:   llvm.load %[[P0]] : !llvm.ptr -> !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
//       CHECK:   %[[X:.+]] = builtin.unrealized_conversion_cast {{.+}} to memref<5x7xf32>
//       CHECK:   llvm.getelementptr %[[D]][1]
//       CHECK:   llvm.load %{{.+}} : !llvm.ptr -> !llvm.struct<(ptr, ptr, i64)>
//       CHECK:   %[[Y:.+]] = builtin.unrealized_conversion_cast {{.+}} to memref<f32>
//       CHECK:   llvm.getelementptr %[[D]][2]
//       CHECK:   %[[W:.+]] = builtin.unrealized_conversion_cast {{.+}} to memref<?xi8>
//       CHECK:   call @loss_host(%[[X]], %[[Y]], %[[W]])
//       CHECK:   llvm.return
func.func @loss_host(%x: memref<5x7xf32>, %y: memref<f32>, %w: memref<?xi8>)
    attributes {sinter.function = "loss", sinter.inputs = [tensor<5x7xf32>], sinter.outputs = [tensor<f32>], sinter.workspace_bytes = 64 : i64} {
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
