// RUN: sinter-opt --sinter-outline %s | FileCheck %s

// A sequence is one function. What a form makes for another is a buffer of the caller's, as is a result.

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>)
// CHECK: %[[R:.*]] = memref.alloc() : memref<32xf32>
// CHECK: %[[M:.*]] = bufferization.to_buffer %[[X]] read_only
// CHECK: %[[B:.*]] = memref.alloc() : memref<4x8xf32>
// CHECK: call @main_kernel0(%[[R]], %[[M]], %[[B]])
// CHECK: bufferization.to_tensor %[[R]]
func.func @main(%x: tensor<4x8xf32>) -> tensor<32xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %f = tensor.empty() : tensor<32xf32>
  %z = sinter.sequence phases [0, 1] schedule(#sinter.gpu_sequence<threads = 64, blocks = 2>) -> tensor<32xf32> {
    %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    %v = tensor.collapse_shape %y [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
    %w = sinter.rowwise (i = 32) by () ins(%v[i] : tensor<32xf32>) outs(%f[i] : tensor<32xf32>) {
    ^row(%a: f32):
      sinter.yield %a : f32
    }
    sinter.yield %w : tensor<32xf32>
  }
  return %z : tensor<32xf32>
}
// CHECK: func.func private @main_kernel0(%[[R:.*]]: memref<32xf32>, %[[X:.*]]: memref<4x8xf32>, %[[B:.*]]: memref<4x8xf32>)
// CHECK: sinter.sequence phases [0, 1] schedule(#sinter.gpu_sequence<blocks = 2, threads = 64>) {
// CHECK:   sinter.rowwise (i = 4) by (j = 8)
// CHECK-NEXT: ins(%[[X]][i, j]
// CHECK-NEXT: outs(%[[B]][i, j]
// CHECK:   %[[V:.*]] = memref.collapse_shape %[[B]]
// CHECK:   sinter.rowwise (i = 32) by ()
// CHECK-NEXT: ins(%[[V]][i]
// CHECK-NEXT: outs(%[[R]][i]
// CHECK:   sinter.yield

// A reshape in front of the sequence is the host's, and what it gives is an operand as any other.

// CHECK-LABEL: func.func @in_front
// CHECK: %[[V:.*]] = tensor.collapse_shape
// CHECK: %[[M:.*]] = bufferization.to_buffer %[[V]] read_only
// CHECK: call @in_front_kernel0(%{{.*}}, %[[M]])
func.func @in_front(%x: tensor<2x2x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %v = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x2x8xf32> into tensor<4x8xf32>
  %z = sinter.sequence schedule(#sinter.gpu_sequence<threads = 64, blocks = 2>) -> tensor<4x8xf32> {
    %y = sinter.rowwise (i = 4) by (j = 8) ins(%v[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield %y : tensor<4x8xf32>
  }
  return %z : tensor<4x8xf32>
}
