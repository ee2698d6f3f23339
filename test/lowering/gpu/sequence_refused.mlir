// RUN: sinter-opt --sinter-lower-gpu --split-input-file --verify-diagnostics %s

// What no form of a sequence can be.

func.func private @cluster(%x: memref<4x8xf32>, %y: memref<4x8xf32>) attributes {sinter.kernel} {
  sinter.sequence schedule(#sinter.gpu_sequence<threads = 128, blocks = 2>) {
    // expected-error @+1 {{stands in a sequence, and its blocks are clusters}}
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>)
        schedule(#sinter.gpu_rows<threads = 64, blocks = 4, cluster = 2, residency = "registers">) {
    ^row(%a: tensor<8xf32>):
      %m = sinter.row_reduce add %a : tensor<8xf32> -> f32
      %b = sinter.broadcast %m : f32 -> tensor<8xf32>
      sinter.yield %b : tensor<8xf32>
    }
    sinter.yield
  }
  return
}

// -----

func.func private @threads(%x: memref<4x8xf32>, %y: memref<4x8xf32>) attributes {sinter.kernel} {
  sinter.sequence schedule(#sinter.gpu_sequence<threads = 128, blocks = 2>) {
    // expected-error @+1 {{has blocks of 256 threads, in a sequence of blocks of 128}}
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>)
        schedule(#sinter.gpu_rows<threads = 256, blocks = 4>) {
    ^row(%a: tensor<8xf32>):
      %m = sinter.row_reduce add %a : tensor<8xf32> -> f32
      %b = sinter.broadcast %m : f32 -> tensor<8xf32>
      sinter.yield %b : tensor<8xf32>
    }
    sinter.yield
  }
  return
}

// -----

func.func private @group(%x: memref<4x8xf32>, %y: memref<4x8xf32>) attributes {sinter.kernel} {
  sinter.sequence schedule(#sinter.gpu_sequence<threads = 128, blocks = 2>) {
    // expected-error @+1 {{stands in a sequence, and its blocks wait for each other}}
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>)
        schedule(#sinter.gpu_rows<threads = 32, blocks = 4, group = 2, shape = "grid", residency = "registers", vector = 4>) {
    ^row(%a: tensor<8xf32>):
      %m = sinter.row_reduce add %a : tensor<8xf32> -> f32
      %b = sinter.broadcast %m : f32 -> tensor<8xf32>
      sinter.yield %b : tensor<8xf32>
    }
    sinter.yield
  }
  return
}

// -----

func.func private @schedule(%x: memref<4x8xf32>, %y: memref<4x8xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{has no #sinter.gpu_sequence schedule: run sinter-schedule{target=gpu} before sinter-lower-gpu}}
  sinter.sequence {
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>)
        schedule(#sinter.gpu_rows<threads = 64>) {
    ^row(%a: tensor<8xf32>):
      %m = sinter.row_reduce add %a : tensor<8xf32> -> f32
      %b = sinter.broadcast %m : f32 -> tensor<8xf32>
      sinter.yield %b : tensor<8xf32>
    }
    sinter.yield
  }
  return
}
