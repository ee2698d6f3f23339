// RUN: sinter-opt %s | sinter-opt | FileCheck %s
// RUN: sinter-opt --mlir-print-op-generic %s | sinter-opt | FileCheck %s

// A sequence is printed as it is read, on tensors and on memory.

// CHECK-LABEL: func.func @tensors
// CHECK: %[[R:.*]]:2 = sinter.sequence phases [0, 0, 1] schedule(#sinter.gpu_sequence<blocks = 3, threads = 64>) -> tensor<4x8xf32>, tensor<4x8xf32> {
// CHECK: tensor.collapse_shape
// CHECK: sinter.yield %{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<4x8xf32>
func.func @tensors(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %z:2 = sinter.sequence phases [0, 0, 1] schedule(#sinter.gpu_sequence<threads = 64, blocks = 3>) -> tensor<4x8xf32>, tensor<4x8xf32> {
    %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    %w = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    %v = tensor.collapse_shape %y [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
    %u = tensor.expand_shape %v [[0, 1]] output_shape [4, 8] : tensor<32xf32> into tensor<4x8xf32>
    %q = sinter.rowwise (i = 4) by (j = 8) ins(%u[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield %q, %w : tensor<4x8xf32>, tensor<4x8xf32>
  }
  return %z#0, %z#1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// CHECK-LABEL: func.func @memory
// CHECK: sinter.sequence {
// CHECK: sinter.yield
func.func @memory(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  sinter.sequence {
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield
  }
  return
}

// CHECK-LABEL: func.func @nothing
// CHECK: sinter.sequence {
func.func @nothing() {
  sinter.sequence {
    sinter.yield
  }
  return
}

// Of a CPU it says for how many forms each one waits.

// CHECK-LABEL: func.func @waits
// CHECK: sinter.sequence phases [0, 0] waits [0, 0] {
func.func @waits(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %z: memref<4x8xf32>) {
  sinter.sequence phases [0, 0] waits [0, 0] {
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%z[i, j] : memref<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield
  }
  return
}
