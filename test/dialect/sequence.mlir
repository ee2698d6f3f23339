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

// A loop of a launch: what it carries, slices of its turn, and a slice that a form stores. Each turn waits for the one
// before.

// CHECK-LABEL: func.func @loop
// CHECK: sinter.sequence phases [0, 1, 2] waits [0, 1, 2] -> tensor<4x8xf32>, tensor<6x4x8xf32> {
// CHECK: %[[R:.*]]:2 = scf.for %[[T:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[V:.*]] = %{{.*}}, %[[ALL:.*]] = %{{.*}}) -> (tensor<4x8xf32>, tensor<6x4x8xf32>) {
// CHECK:   tensor.extract_slice %{{.*}}[%[[T]], 0, 0] [1, 4, 8] [1, 1, 1]
// CHECK:   tensor.insert_slice %{{.*}} into %[[ALL]][%[[T]], 0, 0] [1, 4, 8] [1, 1, 1]
// CHECK: sinter.yield %{{.*}}, %[[R]]#1
func.func @loop(%x: tensor<4x8xf32>, %w: tensor<9x4x8xf32>, %e: tensor<4x8xf32>, %all: tensor<6x4x8xf32>) -> (tensor<4x8xf32>, tensor<6x4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %z:2 = sinter.sequence phases [0, 1, 2] waits [0, 1, 2] -> tensor<4x8xf32>, tensor<6x4x8xf32> {
    %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    %r:2 = scf.for %t = %c0 to %c6 step %c1 iter_args(%v = %y, %s = %all) -> (tensor<4x8xf32>, tensor<6x4x8xf32>) {
      %p = tensor.extract_slice %w[%t, 0, 0] [1, 4, 8] [1, 1, 1] : tensor<9x4x8xf32> to tensor<4x8xf32>
      %d = tensor.extract_slice %s[%t, 0, 0] [1, 4, 8] [1, 1, 1] : tensor<6x4x8xf32> to tensor<4x8xf32>
      %u:2 = sinter.rowwise (i = 4) by (j = 8)
          ins(%v[i, j] : tensor<4x8xf32>, %p[i, j] : tensor<4x8xf32>)
          outs(%e[i, j] : tensor<4x8xf32>, %d[i, j] : tensor<4x8xf32>) {
      ^row(%a: tensor<8xf32>, %b: tensor<8xf32>):
        %n = arith.addf %a, %b : tensor<8xf32>
        sinter.yield %n, %n : tensor<8xf32>, tensor<8xf32>
      }
      %q = tensor.insert_slice %u#1 into %s[%t, 0, 0] [1, 4, 8] [1, 1, 1] : tensor<4x8xf32> into tensor<6x4x8xf32>
      scf.yield %u#0, %q : tensor<4x8xf32>, tensor<6x4x8xf32>
    }
    %g = sinter.rowwise (i = 4) by (j = 8) ins(%r#0[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield %g, %r#1 : tensor<4x8xf32>, tensor<6x4x8xf32>
  }
  return %z#0, %z#1 : tensor<4x8xf32>, tensor<6x4x8xf32>
}

// The same on memory, which goes round: what a turn stores the next one reads.

// CHECK-LABEL: func.func @loop_of_memory
// CHECK: scf.yield %[[TO:.*]], %{{.*}}, %[[TO]]
func.func @loop_of_memory(%x: memref<4x8xf32>, %a: memref<4x8xf32>, %b: memref<4x8xf32>, %w: memref<9x4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  sinter.sequence phases [0] waits [0] {
    %r:3 = scf.for %t = %c0 to %c9 step %c1 iter_args(%from = %x, %to = %a, %next = %b) -> (memref<4x8xf32>, memref<4x8xf32>, memref<4x8xf32>) {
      %s = memref.subview %w[%t, 0, 0] [1, 4, 8] [1, 1, 1] : memref<9x4x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
      %p = builtin.unrealized_conversion_cast %s : memref<4x8xf32, strided<[8, 1], offset: ?>> to memref<4x8xf32>
      sinter.rowwise (i = 4) by (j = 8) ins(%from[i, j] : memref<4x8xf32>, %p[i, j] : memref<4x8xf32>) outs(%to[i, j] : memref<4x8xf32>) {
      ^row(%u: tensor<8xf32>, %v: tensor<8xf32>):
        %n = arith.addf %u, %v : tensor<8xf32>
        sinter.yield %n : tensor<8xf32>
      }
      scf.yield %to, %next, %to : memref<4x8xf32>, memref<4x8xf32>, memref<4x8xf32>
    }
    sinter.yield
  }
  return
}
