// RUN: sinter-opt --sinter-lower-gpu --split-input-file --verify-diagnostics %s

func.func private @contract(%x: memref<4x16xf32>, %w: memref<8x16xf32>, %y: memref<4x8xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{cannot become a GPU kernel yet: only sinter.rowwise can; compile it with --target=cpu}}
  sinter.contract (i = 4) by (j = 8) product (k = 16) (%x[i, k] : memref<4x16xf32>, %w[j, k] : memref<8x16xf32>) : f32
      outs(%y[i, j] : memref<4x8xf32>) {
  ^row(%acc: tensor<8xf32>):
    sinter.yield %acc : tensor<8xf32>
  }
  return
}

// -----

func.func private @no_schedule(%x: memref<4x8xf32>, %y: memref<4x8xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{has no #sinter.gpu_rows schedule: run sinter-schedule{target=gpu} before sinter-lower-gpu}}
  sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func private @cpu_schedule(%x: memref<4x8xf32>, %y: memref<4x8xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{has no #sinter.gpu_rows schedule}}
  sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>) schedule(#sinter.rows<chunk = 1>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func private @not_whole_vectors(%x: memref<4x9xf32>, %y: memref<4x9xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{rows of 9 columns are no multiple of the schedule's vector = 4}}
  sinter.rowwise (i = 4) by (j = 9) ins(%x[i, j] : memref<4x9xf32>) outs(%y[i, j] : memref<4x9xf32>) schedule(#sinter.gpu_rows<vector = 4>) {
  ^row(%a: tensor<9xf32>):
    sinter.yield %a : tensor<9xf32>
  }
  return
}

// -----

func.func private @too_many_threads(%x: memref<4x8xf32>, %y: memref<4x8xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{occupancy = 3 with threads = 1024: a multiprocessor holds 2048 threads}}
  sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>)
      schedule(#sinter.gpu_rows<threads = 1024, occupancy = 3>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func private @keeps_columns(%x: memref<4x8xf32>, %y: memref<8xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{accumulator 0 keeps columns: a GPU kernel cannot reduce over rows only yet}}
  sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) reduce(add [j] : f32) outs(%y[j] : memref<8xf32>)
      schedule(#sinter.gpu_rows<threads = 32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func private @assert(%t: memref<4xi64>, %y: memref<4xi64>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by () ins(%t[i] : memref<4xi64>) outs(%y[i] : memref<4xi64>) schedule(#sinter.gpu_rows<threads = 32>) {
  ^row(%l: i64):
    %n = arith.constant 9 : i64
    %in = arith.cmpi ult, %l, %n : i64
    // expected-error @+1 {{cannot be checked on a GPU yet; compile it with --target=cpu}}
    cf.assert %in, "a label is out of range"
    sinter.yield %l : i64
  }
  return
}

// -----

func.func private @beside(%x: memref<4x8xf32>, %y: memref<4x8xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{stands beside the form in a kernel function: run sinter-outline before sinter-lower-gpu}}
  memref.copy %x, %y : memref<4x8xf32> to memref<4x8xf32>
  return
}

// -----

// What nobody raised would run on the CPU, on addresses of the GPU.

func.func @stays_outside(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-error @+1 {{stays outside of every kernel, and a program for a GPU runs nothing else}}
  %y = linalg.exp ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @host_constant() -> tensor<2xf32> {
  // expected-error @+1 {{a constant tensor lies in memory of the host, where no GPU kernel reads it: pass it as an argument}}
  %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %c : tensor<2xf32>
}

// -----

func.func private @dynamic_size(%x: memref<?x8xf32>, %y: memref<?x8xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{dimension 'i' of size `?` is not lowered yet: make it static}}
  sinter.rowwise (i = ?) by (j = 8) ins(%x[i, j] : memref<?x8xf32>) outs(%y[i, j] : memref<?x8xf32>)
      schedule(#sinter.gpu_rows<threads = 256>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}
