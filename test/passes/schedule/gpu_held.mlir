// RUN: sinter-opt --sinter-schedule=target=gpu --split-input-file %s | FileCheck %s

// In a loop of a launch each row has threads of its own, which hold what no turn makes: 1024 rows of 1024 f32 are held
// by 64 threads each, 8 rows side by side in a block of each multiprocessor.

// CHECK-LABEL: func @held
//       CHECK:   sinter.sequence {{.*}}threads = 512
//       CHECK:   schedule(#sinter.gpu_rows<blocks = 1024, held = 1, occupancy = 16, residency = "registers", threads = 64, vector = 4>)
func.func @held(%w: tensor<1024x1024xf32>, %h: tensor<1024xf32>) -> tensor<1024xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %e = tensor.empty() : tensor<1024xf32>
  %y = sinter.sequence phases [0] -> tensor<1024xf32> {
    %r = scf.for %t = %c0 to %c9 step %c1 iter_args(%v = %h) -> (tensor<1024xf32>) {
      %q = sinter.rowwise (j = 1024) by (k = 1024)
          ins(%v[k] : tensor<1024xf32>, %w[k, j] : tensor<1024x1024xf32>) outs(%e[j] : tensor<1024xf32>) {
      ^row(%a: tensor<1024xf32>, %c: tensor<1024xf32>):
        %1 = arith.mulf %a, %c : tensor<1024xf32>
        %2 = sinter.row_reduce add %1 : tensor<1024xf32> -> f32
        sinter.yield %2 : f32
      }
      scf.yield %q : tensor<1024xf32>
    }
    sinter.yield %r : tensor<1024xf32>
  }
  return %y : tensor<1024xf32>
}

// -----

// 2048 rows are more than are at work at once; a turn's own weights are not held; nor are a few KB outside of a loop.

// CHECK-LABEL: func @not_held
//   CHECK-NOT:   held
func.func @not_held(%w: tensor<2048x2048xf32>, %ws: tensor<9x64x64xf32>, %h: tensor<2048xf32>, %g: tensor<64xf32>, %x: tensor<64x64xf32>) -> (tensor<2048xf32>, tensor<64xf32>, tensor<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %e = tensor.empty() : tensor<2048xf32>
  %f = tensor.empty() : tensor<64xf32>
  %f2 = tensor.empty() : tensor<64xf32>
  %y:3 = sinter.sequence phases [0, 1, 2] -> tensor<2048xf32>, tensor<64xf32>, tensor<64xf32> {
    %r:2 = scf.for %t = %c0 to %c9 step %c1 iter_args(%v = %h, %u = %g) -> (tensor<2048xf32>, tensor<64xf32>) {
      %q = sinter.rowwise (j = 2048) by (k = 2048)
          ins(%v[k] : tensor<2048xf32>, %w[k, j] : tensor<2048x2048xf32>) outs(%e[j] : tensor<2048xf32>) {
      ^row(%a: tensor<2048xf32>, %c: tensor<2048xf32>):
        %1 = arith.mulf %a, %c : tensor<2048xf32>
        %2 = sinter.row_reduce add %1 : tensor<2048xf32> -> f32
        sinter.yield %2 : f32
      }
      %wt = tensor.extract_slice %ws[%t, 0, 0] [1, 64, 64] [1, 1, 1] : tensor<9x64x64xf32> to tensor<64x64xf32>
      %p = sinter.rowwise (j = 64) by (k = 64)
          ins(%u[k] : tensor<64xf32>, %wt[k, j] : tensor<64x64xf32>) outs(%f[j] : tensor<64xf32>) {
      ^row(%a: tensor<64xf32>, %c: tensor<64xf32>):
        %1 = arith.mulf %a, %c : tensor<64xf32>
        %2 = sinter.row_reduce add %1 : tensor<64xf32> -> f32
        sinter.yield %2 : f32
      }
      scf.yield %q, %p : tensor<2048xf32>, tensor<64xf32>
    }
    %s = sinter.rowwise (j = 64) by (k = 64) ins(%x[j, k] : tensor<64x64xf32>) outs(%f2[j] : tensor<64xf32>) {
    ^row(%a: tensor<64xf32>):
      %2 = sinter.row_reduce add %a : tensor<64xf32> -> f32
      sinter.yield %2 : f32
    }
    sinter.yield %r#0, %r#1, %s : tensor<2048xf32>, tensor<64xf32>, tensor<64xf32>
  }
  return %y#0, %y#1, %y#2 : tensor<2048xf32>, tensor<64xf32>, tensor<64xf32>
}

// -----

// In no loop what no form of the sequence makes is held over the wait for its phase: 2048 rows have a warp each. Not
// what lies a line apart, nor what takes more registers.

// CHECK-LABEL: func @over_wait
//       CHECK:   sinter.sequence {{.*}}once = 1
//   CHECK-NOT:   held
//       CHECK:   sinter.rowwise (i = 2048) by (k = 2048)
//   CHECK-NOT:   held
//       CHECK:   sinter.rowwise (i = 2048) by (k = 2048)
//       CHECK:   schedule(#sinter.gpu_rows<blocks = 2048, held = 1, {{.*}}threads = 32, vector = 8>)
//   CHECK-NOT:   held
//       CHECK:   sinter.rowwise (i = 16384) by (k = 2048)
//   CHECK-NOT:   held
//       CHECK:   return
func.func @over_wait(%x: tensor<2048xbf16>, %v: tensor<2048x2048xbf16>, %u: tensor<2048x2048xbf16>, %w: tensor<16384x2048xbf16>)
    -> tensor<16384xbf16> {
  %e = tensor.empty() : tensor<2048xbf16>
  %f = tensor.empty() : tensor<16384xbf16>
  %z = sinter.sequence phases [0, 1, 2, 3] -> tensor<16384xbf16> {
    %a = sinter.rowwise (i = 2048) by (k = 2048) ins(%x[k] : tensor<2048xbf16>, %u[k, i] : tensor<2048x2048xbf16>)
        outs(%e[i] : tensor<2048xbf16>) {
    ^row(%p: tensor<2048xbf16>, %q: tensor<2048xbf16>):
      %m = arith.mulf %p, %q : tensor<2048xbf16>
      %s = sinter.row_reduce add %m : tensor<2048xbf16> -> bf16
      sinter.yield %s : bf16
    }
    %b = sinter.rowwise (i = 2048) by (k = 2048) ins(%a[k] : tensor<2048xbf16>, %v[i, k] : tensor<2048x2048xbf16>)
        outs(%e[i] : tensor<2048xbf16>) {
    ^row(%p: tensor<2048xbf16>, %q: tensor<2048xbf16>):
      %m = arith.mulf %p, %q : tensor<2048xbf16>
      %s = sinter.row_reduce add %m : tensor<2048xbf16> -> bf16
      sinter.yield %s : bf16
    }
    %d = sinter.rowwise (i = 2048) by (k = 2048) ins(%b[k] : tensor<2048xbf16>, %u[k, i] : tensor<2048x2048xbf16>)
        outs(%e[i] : tensor<2048xbf16>) {
    ^row(%p: tensor<2048xbf16>, %q: tensor<2048xbf16>):
      %m = arith.mulf %p, %q : tensor<2048xbf16>
      %s = sinter.row_reduce add %m : tensor<2048xbf16> -> bf16
      sinter.yield %s : bf16
    }
    %c = sinter.rowwise (i = 16384) by (k = 2048) ins(%d[k] : tensor<2048xbf16>, %w[i, k] : tensor<16384x2048xbf16>)
        outs(%f[i] : tensor<16384xbf16>) {
    ^row(%p: tensor<2048xbf16>, %q: tensor<2048xbf16>):
      %m = arith.mulf %p, %q : tensor<2048xbf16>
      %s = sinter.row_reduce add %m : tensor<2048xbf16> -> bf16
      sinter.yield %s : bf16
    }
    sinter.yield %c : tensor<16384xbf16>
  }
  return %z : tensor<16384xbf16>
}
