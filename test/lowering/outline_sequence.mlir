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

// Where forms say for how many they wait, the third has the memory of the first, which the second has read; not that of
// the second, which it reads.

// CHECK-LABEL: func.func @reused
// CHECK: %[[R:.*]] = memref.alloc() : memref<8xf32>
// CHECK: %[[X:.*]] = bufferization.to_buffer
// CHECK: %[[A:.*]] = memref.alloc() : memref<8xf32>
// CHECK: %[[B:.*]] = memref.alloc() : memref<8xf32>
// CHECK-NOT: memref.alloc
// CHECK: call @reused_kernel0(%[[R]], %[[X]], %[[A]], %[[B]])
// CHECK: func.func private @reused_kernel0(%[[R:.*]]: memref<8xf32>, %[[X:.*]]: memref<8xf32>, %[[A:.*]]: memref<8xf32>, %[[B:.*]]: memref<8xf32>)
// CHECK: sinter.sequence phases [0, 1, 2, 3] waits [0, 1, 2, 3] {
// CHECK: ins(%[[X]][i]
// CHECK: outs(%[[A]][i]
// CHECK: ins(%[[A]][i]
// CHECK: outs(%[[B]][i]
// CHECK: ins(%[[B]][i]
// CHECK: outs(%[[A]][i]
// CHECK: ins(%[[A]][i]
// CHECK: outs(%[[R]][i]
func.func @reused(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %z = sinter.sequence phases [0, 1, 2, 3] waits [0, 1, 2, 3] -> tensor<8xf32> {
    %a = sinter.rowwise (i = 8) by () ins(%x[i] : tensor<8xf32>) outs(%e[i] : tensor<8xf32>) {
    ^row(%r: f32):
      %s = math.exp %r : f32
      sinter.yield %s : f32
    }
    %b = sinter.rowwise (i = 8) by () ins(%a[i] : tensor<8xf32>) outs(%e[i] : tensor<8xf32>) {
    ^row(%r: f32):
      %s = math.tanh %r : f32
      sinter.yield %s : f32
    }
    %c = sinter.rowwise (i = 8) by () ins(%b[i] : tensor<8xf32>) outs(%e[i] : tensor<8xf32>) {
    ^row(%r: f32):
      %s = math.sin %r : f32
      sinter.yield %s : f32
    }
    %d = sinter.rowwise (i = 8) by () ins(%c[i] : tensor<8xf32>) outs(%e[i] : tensor<8xf32>) {
    ^row(%r: f32):
      %s = math.cos %r : f32
      sinter.yield %s : f32
    }
    sinter.yield %d : tensor<8xf32>
  }
  return %z : tensor<8xf32>
}

// What a loop carries goes round between two buffers of the caller's, from what it begins with; after six turns the
// last one has stored to that of the result. A slice is a part of the whole; what is stored to in slices begins as a
// copy.

// CHECK-LABEL: func.func @loop
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[ALL:.*]]: tensor<6x4x8xf32>)
// CHECK: %[[R:.*]] = memref.alloc() : memref<4x8xf32>
// CHECK: %[[C:.*]] = bufferization.alloc_tensor() copy(%[[ALL]])
// CHECK: %[[Q:.*]] = bufferization.to_buffer %[[C]]
// CHECK: %[[M:.*]] = bufferization.to_buffer %[[X]] read_only
// CHECK: %[[B:.*]] = memref.alloc() : memref<4x8xf32>
// CHECK: call @loop_kernel0(%[[R]], %[[Q]], %[[M]], %[[B]])
func.func @loop(%x: tensor<4x8xf32>, %all: tensor<6x4x8xf32>) -> (tensor<4x8xf32>, tensor<6x4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %e = tensor.empty() : tensor<4x8xf32>
  %z:2 = sinter.sequence phases [0] waits [0] -> tensor<4x8xf32>, tensor<6x4x8xf32> {
    %r:2 = scf.for %t = %c0 to %c6 step %c1 iter_args(%v = %x, %s = %all) -> (tensor<4x8xf32>, tensor<6x4x8xf32>) {
      %d = tensor.extract_slice %s[%t, 0, 0] [1, 4, 8] [1, 1, 1] : tensor<6x4x8xf32> to tensor<4x8xf32>
      %u:2 = sinter.rowwise (i = 4) by (j = 8) ins(%v[i, j] : tensor<4x8xf32>)
          outs(%e[i, j] : tensor<4x8xf32>, %d[i, j] : tensor<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        %n = arith.addf %a, %a : tensor<8xf32>
        sinter.yield %n, %n : tensor<8xf32>, tensor<8xf32>
      }
      %q = tensor.insert_slice %u#1 into %s[%t, 0, 0] [1, 4, 8] [1, 1, 1] : tensor<4x8xf32> into tensor<6x4x8xf32>
      scf.yield %u#0, %q : tensor<4x8xf32>, tensor<6x4x8xf32>
    }
    sinter.yield %r#0, %r#1 : tensor<4x8xf32>, tensor<6x4x8xf32>
  }
  return %z#0, %z#1 : tensor<4x8xf32>, tensor<6x4x8xf32>
}
// CHECK: func.func private @loop_kernel0(%[[R:.*]]: memref<4x8xf32>, %[[Q:.*]]: memref<6x4x8xf32>, %[[M:.*]]: memref<4x8xf32>, %[[B:.*]]: memref<4x8xf32>)
// CHECK: sinter.sequence phases [0] waits [0] {
// CHECK: scf.for %[[T:.*]] = {{.*}} iter_args(%[[FROM:.*]] = %[[M]], %[[TO:.*]] = %[[B]], %[[NEXT:.*]] = %[[R]])
// CHECK: %[[V:.*]] = memref.subview %[[Q]][%[[T]], 0, 0] [1, 4, 8] [1, 1, 1]
// CHECK: %[[P:.*]] = builtin.unrealized_conversion_cast %[[V]]
// CHECK: ins(%[[FROM]][i, j] : memref<4x8xf32>)
// CHECK: outs(%[[TO]][i, j] : memref<4x8xf32>, %[[P]][i, j] : memref<4x8xf32>)
// CHECK: scf.yield %[[TO]], %[[NEXT]], %[[TO]]
