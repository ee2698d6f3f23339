// RUN: sinter-opt --sinter-schedule=target=gpu %s | FileCheck %s
// RUN: sinter-opt "--sinter-schedule=target=gpu chip=sm_80" %s | FileCheck %s --check-prefix=SM80
// RUN: sinter-opt "--sinter-schedule=target=gpu clocks" %s | FileCheck %s --check-prefix=CLOCKS
// CLOCKS: #sinter.gpu_sequence<ahead = 4194304, blocks = 132, clocks = 1, occupancy = 1, threads = 512>

// Blocks of a sequence are as large as the largest of a form, and as many as run at once. Its forms get no clusters and
// no roles; what is not written is asked for ahead where the chip can be asked.

// CHECK-LABEL: func.func @rows
// CHECK: sinter.sequence schedule(#sinter.gpu_sequence<ahead = 4194304, blocks = 132, occupancy = 1, threads = 512>)
// CHECK: schedule(#sinter.gpu_rows<
// CHECK-NOT: cluster
// CHECK: sinter.yield
// SM80-LABEL: func.func @rows
// SM80: #sinter.gpu_sequence<ahead = 0, blocks = 108, occupancy = 1, threads = 512>
func.func @rows(%x: tensor<4x65536xf32>, %e: tensor<4x65536xf32>) -> tensor<4x65536xf32> {
  %z = sinter.sequence -> tensor<4x65536xf32> {
    %y = sinter.rowwise (i = 4) by (j = 65536) ins(%x[i, j] : tensor<4x65536xf32>)
        outs(%e[i, j] : tensor<4x65536xf32>) {
    ^row(%a: tensor<65536xf32>):
      %s = sinter.row_reduce add %a : tensor<65536xf32> -> f32
      %b = sinter.broadcast %s : f32 -> tensor<65536xf32>
      %c = arith.divf %a, %b : tensor<65536xf32>
      sinter.yield %c : tensor<65536xf32>
    }
    sinter.yield %y : tensor<4x65536xf32>
  }
  return %z : tensor<4x65536xf32>
}

// A product goes by mma.sync there.

// CHECK-LABEL: func.func @product
// CHECK: #sinter.gpu_sequence<{{.*}}blocks = 132, occupancy = 1, threads = 512>
// CHECK: kernel = "mma.sync"
func.func @product(%x: tensor<4096x512xbf16>, %w: tensor<4096x512xbf16>, %e: tensor<4096x4096xbf16>)
    -> tensor<4096x4096xbf16> {
  %z = sinter.sequence -> tensor<4096x4096xbf16> {
    %y = sinter.contract (i = 4096) by (j = 4096)
        product (k = 512) (%x[i, k] : tensor<4096x512xbf16>, %w[j, k] : tensor<4096x512xbf16>) : f32
        outs(%e[i, j] : tensor<4096x4096xbf16>) {
    ^row(%a: tensor<4096xf32>):
      %b = arith.truncf %a : tensor<4096xf32> to tensor<4096xbf16>
      sinter.yield %b : tensor<4096xbf16>
    }
    sinter.yield %y : tensor<4096x4096xbf16>
  }
  return %z : tensor<4096x4096xbf16>
}



// One row that is read once: a thread of a block has a vector of it, where a form by itself has warps that have four.

// CHECK-LABEL: func.func @norm
//       CHECK: sinter.rowwise () by (i = 2048)
//       CHECK:   schedule(#sinter.gpu_rows<blocks = {{[0-9]+}}, occupancy = {{[0-9]+}}, residency = "reread", threads = 128, vector = 16>)
func.func @norm(%x: tensor<2048xbf16>, %y: tensor<2048xbf16>, %e: tensor<f32>, %f: tensor<2048xf32>)
    -> (tensor<f32>, tensor<2048xf32>) {
  %0:2 = sinter.sequence phases [0, 1] -> tensor<f32>, tensor<2048xf32> {
    %s = sinter.rowwise () by (i = 2048) ins(%x[i] : tensor<2048xbf16>) outs(%e[] : tensor<f32>) {
    ^row(%a: tensor<2048xbf16>):
      %b = arith.extf %a : tensor<2048xbf16> to tensor<2048xf32>
      %q = arith.mulf %b, %b : tensor<2048xf32>
      %r = sinter.row_reduce add %q : tensor<2048xf32> -> f32
      sinter.yield %r : f32
    }
    %z = sinter.rowwise (i = 2048) by () ins(%y[i] : tensor<2048xbf16>, %s[] : tensor<f32>)
        outs(%f[i] : tensor<2048xf32>) {
    ^row(%a: bf16, %b: f32):
      %c = arith.extf %a : bf16 to f32
      %d = arith.divf %c, %b : f32
      sinter.yield %d : f32
    }
    sinter.yield %s, %z : tensor<f32>, tensor<2048xf32>
  }
  return %0#0, %0#1 : tensor<f32>, tensor<2048xf32>
}
