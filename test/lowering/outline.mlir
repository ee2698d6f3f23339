// RUN: sinter-opt --sinter-outline --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-schedule --sinter-outline --sinter-lower-cpu \
// RUN:   --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --buffer-results-to-out-params="hoist-static-allocs modify-public-functions" --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=BUFFERS

// Three results of one kernel become the caller's buffers: nothing is allocated or copied. The tensor that two
// operands read is one argument.

// CHECK-LABEL: func @mse_grad
//  CHECK-SAME:   (%[[X:.+]]: tensor<4x9xf32>, %[[Y:.+]]: tensor<4x9xf32>)
//   CHECK-DAG:   %[[BX:.+]] = bufferization.to_buffer %[[X]] read_only
//   CHECK-DAG:   %[[BY:.+]] = bufferization.to_buffer %[[Y]] read_only
//   CHECK-DAG:   %[[L:.+]] = memref.alloc() : memref<f32>
//   CHECK-DAG:   %[[D:.+]] = memref.alloc() : memref<4x9xf32>
//   CHECK-DAG:   %[[E:.+]] = memref.alloc() : memref<4x9xf32>
//       CHECK:   call @mse_grad_kernel0(%[[BX]], %[[BY]], %[[L]], %[[D]], %[[E]])
//       CHECK:   bufferization.to_tensor %[[L]] restrict writable
//       CHECK:   bufferization.to_tensor %[[D]] restrict writable
//       CHECK:   bufferization.to_tensor %[[E]] restrict writable
//       CHECK: func.func private @mse_grad_kernel0(%[[A:.+]]: memref<4x9xf32>, %[[B:.+]]: memref<4x9xf32>, %[[O:.+]]: memref<f32>, %[[P:.+]]: memref<4x9xf32>, %[[Q:.+]]: memref<4x9xf32>) attributes {sinter.kernel}
//       CHECK:   sinter.rowwise (i = 4) by (j = 9)
//  CHECK-NEXT:     ins(%[[A]][i, j] : memref<4x9xf32>, %[[B]][i, j] : memref<4x9xf32>, %[[A]][i, j] : memref<4x9xf32>)
//       CHECK:     outs(%[[O]][] : memref<f32>, %[[P]][i, j] : memref<4x9xf32>, %[[Q]][i, j] : memref<4x9xf32>)
//       CHECK:   } finish {
//       CHECK:   return

//   BUFFERS-LABEL: func.func @mse_grad
//    BUFFERS-SAME:   %[[L:[a-z0-9]+]]: memref<f32>, %[[D:[a-z0-9]+]]: memref<4x9xf32>, %[[E:[a-z0-9]+]]: memref<4x9xf32>)
//     BUFFERS-NOT:   alloc
//     BUFFERS-NOT:   memref.copy
//         BUFFERS:   call @mse_grad_kernel0({{.*}}, %[[L]], %[[D]], %[[E]])
//     BUFFERS-NOT:   memref.copy
//         BUFFERS: @mse_grad_kernel0
func.func @mse_grad(%x: tensor<4x9xf32>, %y: tensor<4x9xf32>) -> (tensor<f32>, tensor<4x9xf32>, tensor<4x9xf32>) {
  %e = tensor.empty() : tensor<f32>
  %d = tensor.empty() : tensor<4x9xf32>
  %r:3 = sinter.rowwise (i = 4) by (j = 9)
      ins(%x[i, j] : tensor<4x9xf32>, %y[i, j] : tensor<4x9xf32>, %x[i, j] : tensor<4x9xf32>)
      reduce(add [] : f32)
      outs(%e[] : tensor<f32>, %d[i, j] : tensor<4x9xf32>, %d[i, j] : tensor<4x9xf32>) {
  ^row(%a: tensor<9xf32>, %b: tensor<9xf32>, %c: tensor<9xf32>):
    %g = arith.subf %a, %b : tensor<9xf32>
    %q = arith.mulf %g, %c : tensor<9xf32>
    %s = sinter.row_reduce add %q : tensor<9xf32> -> f32
    %n = arith.negf %g : tensor<9xf32>
    sinter.yield %s, %g, %n : f32, tensor<9xf32>, tensor<9xf32>
  } finish {
  ^done(%s: f32):
    %n = arith.constant 36.0 : f32
    %m = arith.divf %s, %n : f32
    sinter.yield %m : f32
  }
  return %r#0, %r#1, %r#2 : tensor<f32>, tensor<4x9xf32>, tensor<4x9xf32>
}

// -----

// A result that a second kernel reads is a temporary; names count up and avoid those that are taken.

// CHECK-LABEL: func @two
//       CHECK:   call @two_kernel0(
//       CHECK:   %[[T:.+]] = bufferization.to_tensor
//       CHECK:   %[[B:.+]] = bufferization.to_buffer %[[T]] read_only
//       CHECK:   call @two_kernel2(%[[B]],
//       CHECK: func.func private @two_kernel0
//       CHECK: func.func private @two_kernel2

//   BUFFERS-LABEL: func.func @two
//         BUFFERS:   memref.alloc()
//     BUFFERS-NOT:   memref.copy
//     BUFFERS-NOT:   memref.alloc
//         BUFFERS: @two_kernel0
func.func private @two_kernel1()
func.func @two(%x: tensor<4x9xf32>) -> tensor<4x9xf32> {
  %e = tensor.empty() : tensor<4x9xf32>
  %y = sinter.rowwise (i = 4) by (j = 9) ins(%x[i, j] : tensor<4x9xf32>) outs(%e[i, j] : tensor<4x9xf32>) {
  ^row(%a: tensor<9xf32>):
    %n = arith.negf %a : tensor<9xf32>
    sinter.yield %n : tensor<9xf32>
  }
  %z = sinter.rowwise (i = 4) by (j = 9) ins(%y[i, j] : tensor<4x9xf32>) outs(%e[i, j] : tensor<4x9xf32>) {
  ^row(%a: tensor<9xf32>):
    %n = arith.mulf %a, %a : tensor<9xf32>
    sinter.yield %n : tensor<9xf32>
  }
  return %z : tensor<4x9xf32>
}

// -----

// A form on memrefs keeps its buffers.

// CHECK-LABEL: func @memrefs
//  CHECK-SAME:   (%[[X:.+]]: memref<4x9xf32>, %[[Y:.+]]: memref<4x9xf32>)
//   CHECK-NOT:   memref.alloc
//       CHECK:   call @memrefs_kernel0(%[[X]], %[[Y]])
func.func @memrefs(%x: memref<4x9xf32>, %y: memref<4x9xf32>) {
  sinter.rowwise (i = 4) by (j = 9) ins(%x[i, j] : memref<4x9xf32>) outs(%y[i, j] : memref<4x9xf32>) {
  ^row(%a: tensor<9xf32>):
    %n = arith.negf %a : tensor<9xf32>
    sinter.yield %n : tensor<9xf32>
  }
  return
}

// -----

// A result that is only reshaped and returned is written to the caller's buffer in the shape of the kernel.

// CHECK-LABEL: func @reshaped
//       CHECK:   %[[R:.+]] = memref.alloc() : memref<36xf32>
//       CHECK:   %[[D:.+]] = memref.expand_shape %[[R]] {{\[\[}}0, 1]] output_shape [4, 9]
//       CHECK:   call @reshaped_kernel0(%{{.+}}, %[[D]])
//       CHECK:   %[[T:.+]] = bufferization.to_tensor %[[R]] restrict writable
//   CHECK-NOT:   tensor.collapse_shape
//       CHECK:   return %[[T]]

//   BUFFERS-LABEL: func.func @reshaped
//     BUFFERS-NOT:   alloc
//     BUFFERS-NOT:   memref.copy
//         BUFFERS:   func.func private @reshaped_kernel0
func.func @reshaped(%x: tensor<4x9xf32>) -> tensor<36xf32> {
  %e = tensor.empty() : tensor<4x9xf32>
  %y = sinter.rowwise (i = 4) by (j = 9) ins(%x[i, j] : tensor<4x9xf32>) outs(%e[i, j] : tensor<4x9xf32>) {
  ^row(%a: tensor<9xf32>):
    %b = math.exp %a : tensor<9xf32>
    sinter.yield %b : tensor<9xf32>
  }
  %c = tensor.collapse_shape %y [[0, 1]] : tensor<4x9xf32> into tensor<36xf32>
  return %c : tensor<36xf32>
}

// -----

// With another reader it is a tensor as it stands.

// CHECK-LABEL: func @reshaped_and_read
//       CHECK:   memref.alloc() : memref<4x9xf32>
//       CHECK:   tensor.collapse_shape

//   BUFFERS-LABEL: func.func @reshaped_and_read
//         BUFFERS:   memref.copy
func.func @reshaped_and_read(%x: tensor<4x9xf32>) -> (tensor<36xf32>, tensor<4x9xf32>) {
  %e = tensor.empty() : tensor<4x9xf32>
  %y = sinter.rowwise (i = 4) by (j = 9) ins(%x[i, j] : tensor<4x9xf32>) outs(%e[i, j] : tensor<4x9xf32>) {
  ^row(%a: tensor<9xf32>):
    %b = math.exp %a : tensor<9xf32>
    sinter.yield %b : tensor<9xf32>
  }
  %c = tensor.collapse_shape %y [[0, 1]] : tensor<4x9xf32> into tensor<36xf32>
  return %c, %y : tensor<36xf32>, tensor<4x9xf32>
}

// -----

// Forms that do the same share a function, also those of two functions, whatever their values are called and where
// they stand in the file. Each has a number all the same.

// CHECK-LABEL: func @layers
//       CHECK:   call @layers_kernel0(
//       CHECK:   call @layers_kernel0(
//       CHECK:   call @layers_kernel2(
//       CHECK: func.func private @layers_kernel0
//   CHECK-NOT: func.func private
//       CHECK: func.func private @layers_kernel2
//   CHECK-NOT: func.func private
//       CHECK: func.func @one_more
//       CHECK:   call @layers_kernel0(
//   CHECK-NOT: func.func
func.func @layers(%x: tensor<4x9xf32>, %s: tensor<9xf32>, %t: tensor<9xf32>) -> tensor<4x9xf32> {
  %e = tensor.empty() : tensor<4x9xf32>
  %y = sinter.rowwise (i = 4) by (j = 9) ins(%x[i, j] : tensor<4x9xf32>, %s[j] : tensor<9xf32>)
      outs(%e[i, j] : tensor<4x9xf32>) {
  ^row(%a: tensor<9xf32>, %b: tensor<9xf32>):
    %c = arith.divf %a, %b : tensor<9xf32>
    sinter.yield %c : tensor<9xf32>
  }
  %z = sinter.rowwise (i = 4) by (j = 9) ins(%y[i, j] : tensor<4x9xf32>, %t[j] : tensor<9xf32>)
      outs(%e[i, j] : tensor<4x9xf32>) {
  ^row(%first: tensor<9xf32>, %second: tensor<9xf32>):
    %quotient = arith.divf %first, %second : tensor<9xf32>
    sinter.yield %quotient : tensor<9xf32>
  }
  %w = sinter.rowwise (i = 4) by (j = 9) ins(%z[i, j] : tensor<4x9xf32>, %t[j] : tensor<9xf32>)
      outs(%e[i, j] : tensor<4x9xf32>) {
  ^row(%a: tensor<9xf32>, %b: tensor<9xf32>):
    %c = arith.divf %b, %a : tensor<9xf32>
    sinter.yield %c : tensor<9xf32>
  }
  return %w : tensor<4x9xf32>
}
func.func @one_more(%x: tensor<4x9xf32>, %s: tensor<9xf32>) -> tensor<4x9xf32> {
  %e = tensor.empty() : tensor<4x9xf32>
  %y = sinter.rowwise (i = 4) by (j = 9) ins(%x[i, j] : tensor<4x9xf32>, %s[j] : tensor<9xf32>)
      outs(%e[i, j] : tensor<4x9xf32>) {
  ^row(%a: tensor<9xf32>, %b: tensor<9xf32>):
    %c = arith.divf %a, %b : tensor<9xf32>
    sinter.yield %c : tensor<9xf32>
  }
  return %y : tensor<4x9xf32>
}

// -----

// What differs in anything that code is made from is a function of its own: a constant, a type, how often an operand
// is read, a schedule, the size of a dimension.

// CHECK-LABEL: func @differ
//       CHECK:   call @differ_kernel0(
//       CHECK:   call @differ_kernel1(
//       CHECK:   call @differ_kernel2(
//       CHECK:   call @differ_kernel3(
//       CHECK:   call @differ_kernel4(
//       CHECK:   call @differ_kernel5(
func.func @differ(%x: tensor<4x9xf32>, %t: tensor<4x9xf32>, %u: tensor<5x9xf32>, %v: tensor<4x9xf64>)
    -> (tensor<4x9xf32>, tensor<4x9xf32>, tensor<4x9xf32>, tensor<4x9xf32>, tensor<5x9xf32>, tensor<4x9xf64>) {
  %e = tensor.empty() : tensor<4x9xf32>
  %f = tensor.empty() : tensor<5x9xf32>
  %g = tensor.empty() : tensor<4x9xf64>
  %0 = sinter.rowwise (i = 4) by (j = 9) ins(%x[i, j] : tensor<4x9xf32>, %t[i, j] : tensor<4x9xf32>)
      outs(%e[i, j] : tensor<4x9xf32>) {
  ^row(%a: tensor<9xf32>, %b: tensor<9xf32>):
    %k = arith.constant dense<2.0> : tensor<9xf32>
    %c = arith.mulf %a, %b : tensor<9xf32>
    %d = arith.mulf %c, %k : tensor<9xf32>
    sinter.yield %d : tensor<9xf32>
  }
  %1 = sinter.rowwise (i = 4) by (j = 9) ins(%x[i, j] : tensor<4x9xf32>, %t[i, j] : tensor<4x9xf32>)
      outs(%e[i, j] : tensor<4x9xf32>) {
  ^row(%a: tensor<9xf32>, %b: tensor<9xf32>):
    %k = arith.constant dense<3.0> : tensor<9xf32>
    %c = arith.mulf %a, %b : tensor<9xf32>
    %d = arith.mulf %c, %k : tensor<9xf32>
    sinter.yield %d : tensor<9xf32>
  }
  %2 = sinter.rowwise (i = 4) by (j = 9) ins(%x[i, j] : tensor<4x9xf32>, %x[i, j] : tensor<4x9xf32>)
      outs(%e[i, j] : tensor<4x9xf32>) {
  ^row(%a: tensor<9xf32>, %b: tensor<9xf32>):
    %k = arith.constant dense<2.0> : tensor<9xf32>
    %c = arith.mulf %a, %b : tensor<9xf32>
    %d = arith.mulf %c, %k : tensor<9xf32>
    sinter.yield %d : tensor<9xf32>
  }
  %3 = sinter.rowwise (i = 4) by (j = 9) ins(%x[i, j] : tensor<4x9xf32>, %t[i, j] : tensor<4x9xf32>)
      outs(%e[i, j] : tensor<4x9xf32>) schedule(#sinter.rows<chunk = 4, lanes = 4>) {
  ^row(%a: tensor<9xf32>, %b: tensor<9xf32>):
    %k = arith.constant dense<2.0> : tensor<9xf32>
    %c = arith.mulf %a, %b : tensor<9xf32>
    %d = arith.mulf %c, %k : tensor<9xf32>
    sinter.yield %d : tensor<9xf32>
  }
  %4 = sinter.rowwise (i = 5) by (j = 9) ins(%u[i, j] : tensor<5x9xf32>, %u[i, j] : tensor<5x9xf32>)
      outs(%f[i, j] : tensor<5x9xf32>) {
  ^row(%a: tensor<9xf32>, %b: tensor<9xf32>):
    %k = arith.constant dense<2.0> : tensor<9xf32>
    %c = arith.mulf %a, %b : tensor<9xf32>
    %d = arith.mulf %c, %k : tensor<9xf32>
    sinter.yield %d : tensor<9xf32>
  }
  %5 = sinter.rowwise (i = 4) by (j = 9) ins(%v[i, j] : tensor<4x9xf64>, %v[i, j] : tensor<4x9xf64>)
      outs(%g[i, j] : tensor<4x9xf64>) {
  ^row(%a: tensor<9xf64>, %b: tensor<9xf64>):
    %k = arith.constant dense<2.0> : tensor<9xf64>
    %c = arith.mulf %a, %b : tensor<9xf64>
    %d = arith.mulf %c, %k : tensor<9xf64>
    sinter.yield %d : tensor<9xf64>
  }
  return %0, %1, %2, %3, %4, %5
      : tensor<4x9xf32>, tensor<4x9xf32>, tensor<4x9xf32>, tensor<4x9xf32>, tensor<5x9xf32>, tensor<4x9xf64>
}

// -----

// The programs of sides go along; a tensor that two of a side's accesses read is one argument.

// CHECK-LABEL: func @side
//       CHECK: func.func private @side_kernel0(%[[X:.+]]: memref<4x16xf32>, %[[W:.+]]: memref<5x16xf32>, %[[Y:.+]]: memref<4x5xf32>)
//       CHECK:   product (k = 16) (side(%[[X]][i, k] : memref<4x16xf32>, %[[X]][i, 15 - k] : memref<4x16xf32>) {
//  CHECK-NEXT:   ^side(%[[A:.+]]: tensor<16xf32>, %[[B:.+]]: tensor<16xf32>):
//  CHECK-NEXT:     %[[C:.+]] = arith.addf %[[A]], %[[B]]
//  CHECK-NEXT:     sinter.yield %[[C]]
//  CHECK-NEXT:   }, %[[W]][j, k] : memref<5x16xf32>) : f32
func.func @side(%x: tensor<4x16xf32>, %w: tensor<5x16xf32>) -> tensor<4x5xf32> {
  %e = tensor.empty() : tensor<4x5xf32>
  %y = sinter.contract (i = 4) by (j = 5)
      product (k = 16) (side(%x[i, k] : tensor<4x16xf32>, %x[i, 15 - k] : tensor<4x16xf32>) {
      ^side(%a: tensor<16xf32>, %b: tensor<16xf32>):
        %c = arith.addf %a, %b : tensor<16xf32>
        sinter.yield %c : tensor<16xf32>
      }, %w[j, k] : tensor<5x16xf32>) : f32
      outs(%e[i, j] : tensor<4x5xf32>) {
  ^row(%p: tensor<5xf32>):
    sinter.yield %p : tensor<5xf32>
  }
  return %y : tensor<4x5xf32>
}
