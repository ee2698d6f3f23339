// RUN: sinter-opt --sinter-schedule=target=gpu --split-input-file %s | FileCheck %s

// What a turn reads of the turn before are words, or its own row's: no barrier of all blocks.

// CHECK-LABEL: func @words
//       CHECK:   schedule(#sinter.gpu_sequence<{{.*}}words = 1>)
func.func @words(%w: tensor<64x64xf32>, %h: tensor<64xf32>, %c: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %e = tensor.empty() : tensor<64xf32>
  %y:2 = sinter.sequence phases [0, 1] -> tensor<64xf32>, tensor<64xf32> {
    %x = sinter.rowwise (i = 64) by () ins(%h[i] : tensor<64xf32>) outs(%e[i] : tensor<64xf32>) {
    ^row(%a: f32):
      %2 = arith.addf %a, %a : f32
      sinter.yield %2 : f32
    }
    %r:2 = scf.for %t = %c0 to %c9 step %c1 iter_args(%v = %x, %u = %c) -> (tensor<64xf32>, tensor<64xf32>) {
      %q:2 = sinter.rowwise (j = 64) by (k = 64)
          ins(%v[k] : tensor<64xf32>, %w[k, j] : tensor<64x64xf32>, %u[j] : tensor<64xf32>) outs(%e[j] : tensor<64xf32>, %e[j] : tensor<64xf32>) {
      ^row(%a: tensor<64xf32>, %d: tensor<64xf32>, %o: f32):
        %1 = arith.mulf %a, %d : tensor<64xf32>
        %2 = sinter.row_reduce add %1 : tensor<64xf32> -> f32
        %3 = arith.addf %2, %o : f32
        sinter.yield %2, %3 : f32, f32
      }
      scf.yield %q#0, %q#1 : tensor<64xf32>, tensor<64xf32>
    }
    sinter.yield %r#0, %r#1 : tensor<64xf32>, tensor<64xf32>
  }
  return %y#0, %y#1 : tensor<64xf32>, tensor<64xf32>
}

// -----

// Numbers of f64 are no words.

// CHECK-LABEL: func @wide
//   CHECK-NOT:   words
func.func @wide(%w: tensor<64x64xf64>, %h: tensor<64xf64>) -> tensor<64xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %e = tensor.empty() : tensor<64xf64>
  %y = sinter.sequence phases [0, 1] -> tensor<64xf64> {
    %x = sinter.rowwise (i = 64) by () ins(%h[i] : tensor<64xf64>) outs(%e[i] : tensor<64xf64>) {
    ^row(%a: f64):
      %2 = arith.addf %a, %a : f64
      sinter.yield %2 : f64
    }
    %r = scf.for %t = %c0 to %c9 step %c1 iter_args(%v = %x) -> (tensor<64xf64>) {
      %q = sinter.rowwise (j = 64) by (k = 64)
          ins(%v[k] : tensor<64xf64>, %w[k, j] : tensor<64x64xf64>) outs(%e[j] : tensor<64xf64>) {
      ^row(%a: tensor<64xf64>, %d: tensor<64xf64>):
        %1 = arith.mulf %a, %d : tensor<64xf64>
        %2 = sinter.row_reduce add %1 : tensor<64xf64> -> f64
        sinter.yield %2 : f64
      }
      scf.yield %q : tensor<64xf64>
    }
    sinter.yield %r : tensor<64xf64>
  }
  return %y : tensor<64xf64>
}

// -----

// Nothing is cleared in front of a loop that the launch begins with; and a turn of two forms has a barrier between
// them anyway.

// CHECK-LABEL: func @first
//   CHECK-NOT:   words
// CHECK-LABEL: func @two_forms
//   CHECK-NOT:   words
func.func @first(%w: tensor<64x64xf32>, %h: tensor<64xf32>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %e = tensor.empty() : tensor<64xf32>
  %y = sinter.sequence phases [0] -> tensor<64xf32> {
    %r = scf.for %t = %c0 to %c9 step %c1 iter_args(%v = %h) -> (tensor<64xf32>) {
      %q = sinter.rowwise (j = 64) by (k = 64)
          ins(%v[k] : tensor<64xf32>, %w[k, j] : tensor<64x64xf32>) outs(%e[j] : tensor<64xf32>) {
      ^row(%a: tensor<64xf32>, %d: tensor<64xf32>):
        %1 = arith.mulf %a, %d : tensor<64xf32>
        %2 = sinter.row_reduce add %1 : tensor<64xf32> -> f32
        sinter.yield %2 : f32
      }
      scf.yield %q : tensor<64xf32>
    }
    sinter.yield %r : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}

func.func @two_forms(%w: tensor<64x64xf32>, %h: tensor<64xf32>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %e = tensor.empty() : tensor<64xf32>
  %y = sinter.sequence phases [0, 1, 2] -> tensor<64xf32> {
    %x = sinter.rowwise (i = 64) by () ins(%h[i] : tensor<64xf32>) outs(%e[i] : tensor<64xf32>) {
    ^row(%a: f32):
      %2 = arith.addf %a, %a : f32
      sinter.yield %2 : f32
    }
    %r = scf.for %t = %c0 to %c9 step %c1 iter_args(%v = %x) -> (tensor<64xf32>) {
      %q = sinter.rowwise (j = 64) by (k = 64)
          ins(%v[k] : tensor<64xf32>, %w[k, j] : tensor<64x64xf32>) outs(%e[j] : tensor<64xf32>) {
      ^row(%a: tensor<64xf32>, %d: tensor<64xf32>):
        %1 = arith.mulf %a, %d : tensor<64xf32>
        %2 = sinter.row_reduce add %1 : tensor<64xf32> -> f32
        sinter.yield %2 : f32
      }
      %p = sinter.rowwise (j = 64) by (k = 64)
          ins(%q[k] : tensor<64xf32>, %w[k, j] : tensor<64x64xf32>) outs(%e[j] : tensor<64xf32>) {
      ^row(%a: tensor<64xf32>, %d: tensor<64xf32>):
        %1 = arith.mulf %a, %d : tensor<64xf32>
        %2 = sinter.row_reduce add %1 : tensor<64xf32> -> f32
        sinter.yield %2 : f32
      }
      scf.yield %p : tensor<64xf32>
    }
    sinter.yield %r : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}
