// RUN: sinter-opt "--sinter-sequence=target=cpu launches=given" --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: sinter-opt "--sinter-sequence=target=gpu launches=given" --split-input-file %s | FileCheck %s --check-prefix=GPU

// On a CPU a loop of short kernels is one region with all its turns where nothing is said, and no remark says so.

// GPU-NOT: sinter.sequence

// CHECK-LABEL: func.func @steps
// CHECK:         sinter.sequence
// CHECK:           scf.for
func.func @steps(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %e = tensor.empty() : tensor<4x8xf32>
  %y = scf.for %t = %c0 to %c16 step %c1 iter_args(%v = %x) -> (tensor<4x8xf32>) {
    %u = sinter.rowwise (i = 4) by (j = 8) ins(%v[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      %b = math.exp %a : tensor<8xf32>
      sinter.yield %b : tensor<8xf32>
    }
    scf.yield %u : tensor<4x8xf32>
  }
  return %y : tensor<4x8xf32>
}

// -----

// Not where kernels take long: 0.1 us of 41.

// CHECK-LABEL: func.func @long_steps
// CHECK-NOT:     sinter.sequence
func.func @long_steps(%x: tensor<1024x512xf32>) -> tensor<1024x512xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %e = tensor.empty() : tensor<1024x512xf32>
  %y = scf.for %t = %c0 to %c16 step %c1 iter_args(%v = %x) -> (tensor<1024x512xf32>) {
    %u = sinter.rowwise (i = 1024) by (j = 512) ins(%v[i, j] : tensor<1024x512xf32>) outs(%e[i, j] : tensor<1024x512xf32>) {
    ^row(%a: tensor<512xf32>):
      %b = math.exp %a : tensor<512xf32>
      sinter.yield %b : tensor<512xf32>
    }
    scf.yield %u : tensor<1024x512xf32>
  }
  return %y : tensor<1024x512xf32>
}

// -----

// Kernels by themselves would be given copies of their weights.

// CHECK-LABEL: func.func @slices
// CHECK:         sinter.sequence
// CHECK:           scf.for
// CHECK:             tensor.extract_slice
func.func @slices(%x: tensor<1x512xf32>, %w: tensor<16x512x512xf32>) -> tensor<1x512xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %e = tensor.empty() : tensor<1x512xf32>
  %y = scf.for %t = %c0 to %c16 step %c1 iter_args(%v = %x) -> (tensor<1x512xf32>) {
    %wt = tensor.extract_slice %w[%t, 0, 0] [1, 512, 512] [1, 1, 1] : tensor<16x512x512xf32> to tensor<512x512xf32>
    %u = sinter.contract (i = 1) by (j = 512) product (k = 512) (%v[i, k] : tensor<1x512xf32>, %wt[k, j] : tensor<512x512xf32>) : f32
        outs(%e[i, j] : tensor<1x512xf32>) {
    ^row(%a: tensor<512xf32>):
      %b = math.tanh %a : tensor<512xf32>
      sinter.yield %b : tensor<512xf32>
    }
    scf.yield %u : tensor<1x512xf32>
  }
  return %y : tensor<1x512xf32>
}

// -----

// What is in no loop stays apart.

// CHECK-LABEL: func.func @chain
// CHECK-NOT:     sinter.sequence
func.func @chain(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    %b = math.exp %a : tensor<8xf32>
    sinter.yield %b : tensor<8xf32>
  }
  %z = sinter.rowwise (i = 4) by (j = 8) ins(%y[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    %b = math.exp %a : tensor<8xf32>
    sinter.yield %b : tensor<8xf32>
  }
  return %z : tensor<4x8xf32>
}
