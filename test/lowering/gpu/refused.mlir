// RUN: sinter-opt --sinter-lower-gpu --split-input-file --verify-diagnostics %s

func.func private @contract(%x: memref<4x16xf32>, %w: memref<8x16xf32>, %y: memref<4x8xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{has no #sinter.mma schedule: run sinter-schedule{target=gpu} before sinter-lower-gpu}}
  sinter.contract (i = 4) by (j = 8) product (k = 16) (%x[i, k] : memref<4x16xf32>, %w[j, k] : memref<8x16xf32>) : f32
      outs(%y[i, j] : memref<4x8xf32>) {
  ^row(%acc: tensor<8xf32>):
    sinter.yield %acc : tensor<8xf32>
  }
  return
}

// -----

func.func private @tile(%x: memref<4x16xf32>, %w: memref<8x16xf32>, %y: memref<4x8xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{has a schedule with m = 4, n = 32, which threads = 256 cannot share}}
  sinter.contract (i = 4) by (j = 8) product (k = 16) (%x[i, k] : memref<4x16xf32>, %w[j, k] : memref<8x16xf32>) : f32
      outs(%y[i, j] : memref<4x8xf32>) schedule(#sinter.mma<m = 4, n = 32, k = 16, threads = 256>) {
  ^row(%acc: tensor<8xf32>):
    sinter.yield %acc : tensor<8xf32>
  }
  return
}

// -----

func.func private @high(%x: memref<4x16xf32>, %w: memref<8x16xf32>, %y: memref<4x8xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{has a schedule with m = 192, but a power of two}}
  sinter.contract (i = 4) by (j = 8) product (k = 16) (%x[i, k] : memref<4x16xf32>, %w[j, k] : memref<8x16xf32>) : f32
      outs(%y[i, j] : memref<4x8xf32>) schedule(#sinter.mma<m = 192, n = 64, k = 16, threads = 256>) {
  ^row(%acc: tensor<8xf32>):
    sinter.yield %acc : tensor<8xf32>
  }
  return
}

// -----

func.func private @parts(%x: memref<4x16xf32>, %w: memref<8x16xf32>, %y: memref<4x8xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{has a schedule with k = 1, of which threads = 256 cannot fetch equal parts}}
  sinter.contract (i = 4) by (j = 8) product (k = 16) (%x[i, k] : memref<4x16xf32>, %w[j, k] : memref<8x16xf32>) : f32
      outs(%y[i, j] : memref<4x8xf32>) schedule(#sinter.mma<m = 16, n = 64, k = 1, threads = 256>) {
  ^row(%acc: tensor<8xf32>):
    sinter.yield %acc : tensor<8xf32>
  }
  return
}

// -----

func.func private @memory(%x: memref<4x16xf64>, %w: memref<8x16xf64>, %y: memref<4x8xf64>) attributes {sinter.kernel} {
  // expected-error @+1 {{needs 557568 bytes of shared memory, of 232448 that a block has: sums of a tile 524288, sides of a product 33280}}
  sinter.contract (i = 4) by (j = 8) product (k = 16) (%x[i, k] : memref<4x16xf64>, %w[j, k] : memref<8x16xf64>) : f64
      outs(%y[i, j] : memref<4x8xf64>) schedule(#sinter.mma<m = 256, n = 256, k = 4, threads = 1024>) {
  ^row(%acc: tensor<8xf64>):
    sinter.yield %acc : tensor<8xf64>
  }
  return
}

// -----

func.func private @whole_row(%x: memref<4x16xf32>, %w: memref<8x16xf32>, %y: memref<4xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{cannot become a GPU kernel: its rows are needed whole, or it gives a number for a row; run sinter-split{target=gpu} first}}
  sinter.contract (i = 4) by (j = 8) product (k = 16) (%x[i, k] : memref<4x16xf32>, %w[j, k] : memref<8x16xf32>) : f32
      outs(%y[i] : memref<4xf32>) schedule(#sinter.mma<m = 16, n = 16>) {
  ^row(%acc: tensor<8xf32>):
    %s = sinter.row_reduce add %acc : tensor<8xf32> -> f32
    sinter.yield %s : f32
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

func.func private @columns_of_a_team(%x: memref<4x8xf32>, %y: memref<8xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{team = 8 of 32 threads keeps sums of columns in registers only: schedule with residency = "registers", or without team}}
  sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) reduce(add [j] : f32) outs(%y[j] : memref<8xf32>)
      schedule(#sinter.gpu_rows<threads = 32, team = 8>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func private @too_many_sums(%x: memref<4x640xf32>, %y: memref<640xf32>, %z: memref<640xf32>, %w: memref<640xf32>, %v: memref<640xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{carries 80 vectors of sums from row to row; a GPU kernel at most 64}}
  sinter.rowwise (i = 4) by (j = 640) ins(%x[i, j] : memref<4x640xf32>) reduce(add [j] : f32, add [j] : f32, maximumf [j] : f32, minimumf [j] : f32)
      outs(%y[j] : memref<640xf32>, %z[j] : memref<640xf32>, %w[j] : memref<640xf32>, %v[j] : memref<640xf32>)
      schedule(#sinter.gpu_rows<threads = 32, residency = "registers">) {
  ^row(%a: tensor<640xf32>):
    sinter.yield %a, %a, %a, %a : tensor<640xf32>, tensor<640xf32>, tensor<640xf32>, tensor<640xf32>
  }
  return
}

// -----

func.func private @sums_of_unknown_length(%x: memref<4x?xf32>, %y: memref<?xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{keeps columns of rows whose length is `?` over all rows: a GPU kernel needs scratch memory of a known size; make it static}}
  sinter.rowwise (i = 4) by (j = ?) ins(%x[i, j] : memref<4x?xf32>) reduce(add [j] : f32) outs(%y[j] : memref<?xf32>)
      schedule(#sinter.gpu_rows<threads = 32>) {
  ^row(%a: tensor<?xf32>):
    sinter.yield %a : tensor<?xf32>
  }
  return
}

// -----

func.func private @table_of_unknown_size(%t: memref<4xi64>, %e: memref<?x8xf32>, %y: memref<4x8xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{input 0 is read through an index tensor in dimension 0, whose size a GPU kernel has to know: make it static, 1 or more}}
  sinter.rowwise (i = 4) by (j = 8) ins(%e[%t[i] : memref<4xi64>, j] : memref<?x8xf32>) outs(%y[i, j] : memref<4x8xf32>) schedule(#sinter.gpu_rows<threads = 32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func private @not_flat(%x: memref<4x8xf32>, %w: memref<8xf32>, %y: memref<4x8xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{is not flat: an operand is not one element for each of all, or one for all, in order}}
  sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>, %w[j] : memref<8xf32>) outs(%y[i, j] : memref<4x8xf32>)
      schedule(#sinter.gpu_rows<threads = 32, shape = "flat">) {
  ^row(%a: tensor<8xf32>, %b: tensor<8xf32>):
    %q = arith.addf %a, %b : tensor<8xf32>
    sinter.yield %q : tensor<8xf32>
  }
  return
}

// -----

func.func private @half_a_block(%x: memref<4x8xf32>, %y: memref<4x8xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{team = 64 of 128 threads: a row is shared by up to 32 threads, which is a warp, or by all of the block}}
  sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>) schedule(#sinter.gpu_rows<threads = 128, team = 64>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
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

func.func private @unknown_length(%x: memref<4x?xf32>, %y: memref<4x?xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{a row of unknown length has no registers: schedule with residency = "reread"}}
  sinter.rowwise (i = 4) by (j = ?) ins(%x[i, j] : memref<4x?xf32>) outs(%y[i, j] : memref<4x?xf32>)
      schedule(#sinter.gpu_rows<threads = 256, residency = "registers">) {
  ^row(%a: tensor<?xf32>):
    sinter.yield %a : tensor<?xf32>
  }
  return
}

// -----

func.func private @grid_alone(%x: memref<4x64xf32>, %y: memref<4x64xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{shape = "grid" with group = 1 of blocks = 4: two blocks or more share a row, and no more than there are}}
  sinter.rowwise (i = 4) by (j = 64) ins(%x[i, j] : memref<4x64xf32>) outs(%y[i, j] : memref<4x64xf32>) schedule(#sinter.gpu_rows<shape = "grid", threads = 32, blocks = 4>) {
  ^row(%a: tensor<64xf32>):
    sinter.yield %a : tensor<64xf32>
  }
  return
}

// -----

func.func private @grid_of_nothing(%x: memref<4x64xf32>, %y: memref<4x64xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{shape = "grid" is for rows whose reductions blocks have to share: nothing is reduced here}}
  sinter.rowwise (i = 4) by (j = 64) ins(%x[i, j] : memref<4x64xf32>) outs(%y[i, j] : memref<4x64xf32>)
      schedule(#sinter.gpu_rows<shape = "grid", threads = 32, blocks = 4, group = 2>) {
  ^row(%a: tensor<64xf32>):
    sinter.yield %a : tensor<64xf32>
  }
  return
}

// -----

func.func private @grid_of_columns(%x: memref<4x64xf32>, %y: memref<64xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{shape = "grid" keeps no sums of columns over all rows: schedule with shape = "rows"}}
  sinter.rowwise (i = 4) by (j = 64) ins(%x[i, j] : memref<4x64xf32>) reduce(add [j] : f32) outs(%y[j] : memref<64xf32>)
      schedule(#sinter.gpu_rows<shape = "grid", threads = 32, blocks = 4, group = 2>) {
  ^row(%a: tensor<64xf32>):
    %s = sinter.row_reduce add %a : tensor<64xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<64xf32>
    sinter.yield %b : tensor<64xf32>
  }
  return
}

// -----

func.func private @grid_of_teams(%x: memref<4x64xf32>, %y: memref<4xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{shape = "grid" needs columns and no team: blocks share a row}}
  sinter.rowwise (i = 4) by (j = 64) ins(%x[i, j] : memref<4x64xf32>) outs(%y[i] : memref<4xf32>)
      schedule(#sinter.gpu_rows<shape = "grid", threads = 32, blocks = 4, group = 2, team = 8>) {
  ^row(%a: tensor<64xf32>):
    %s = sinter.row_reduce add %a : tensor<64xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

func.func private @grid_many_rows(%x: memref<1073741824x4xf32>, %y: memref<1073741824xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{1073741824 rows with 1 exchanges of 8 blocks each are more than 2^32: smaller groups of blocks are needed}}
  sinter.rowwise (i = 1073741824) by (j = 4) ins(%x[i, j] : memref<1073741824x4xf32>) outs(%y[i] : memref<1073741824xf32>)
      schedule(#sinter.gpu_rows<shape = "grid", threads = 32, blocks = 8, group = 8>) {
  ^row(%a: tensor<4xf32>):
    %s = sinter.row_reduce add %a : tensor<4xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

func.func private @grid_not_fetched(%x: memref<4x66xf32>, %y: memref<4xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{ahead = 1 of shape = "grid" needs residency = "registers", and an input with rows of a multiple of 16 bytes or vectors of 16 bytes}}
  sinter.rowwise (i = 4) by (j = 66) ins(%x[i, j] : memref<4x66xf32>) outs(%y[i] : memref<4xf32>)
      schedule(#sinter.gpu_rows<shape = "grid", threads = 32, blocks = 4, group = 2, vector = 2, residency = "registers", ahead = 1, slots = 4>) {
  ^row(%a: tensor<66xf32>):
    %s = sinter.row_reduce add %a : tensor<66xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

func.func private @grid_few_slots(%x: memref<4x640xf32>, %y: memref<4xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{a block's part of a row is 3 pieces, and slots = 2 do not hold them: larger groups of blocks or more slots are needed}}
  sinter.rowwise (i = 4) by (j = 640) ins(%x[i, j] : memref<4x640xf32>) outs(%y[i] : memref<4xf32>)
      schedule(#sinter.gpu_rows<shape = "grid", threads = 32, blocks = 4, group = 2, vector = 4, residency = "registers", ahead = 1, slots = 2, depth = 1>) {
  ^row(%a: tensor<640xf32>):
    %s = sinter.row_reduce add %a : tensor<640xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

func.func private @shared_columns(%x: memref<4x64xf32>, %y: memref<64xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{residency = "shared" keeps no sums of columns over all rows: schedule with residency = "registers"}}
  sinter.rowwise (i = 4) by (j = 64) ins(%x[i, j] : memref<4x64xf32>) reduce(add [j] : f32) outs(%y[j] : memref<64xf32>)
      schedule(#sinter.gpu_rows<threads = 32, blocks = 4, vector = 4, residency = "shared">) {
  ^row(%a: tensor<64xf32>):
    sinter.yield %a : tensor<64xf32>
  }
  return
}

// -----

func.func private @shared_teams(%x: memref<4x64xf32>, %y: memref<4xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{residency = "shared" needs columns and no team: rows of a block or a cluster}}
  sinter.rowwise (i = 4) by (j = 64) ins(%x[i, j] : memref<4x64xf32>) outs(%y[i] : memref<4xf32>)
      schedule(#sinter.gpu_rows<threads = 32, blocks = 4, vector = 4, team = 8, residency = "shared">) {
  ^row(%a: tensor<64xf32>):
    %s = sinter.row_reduce add %a : tensor<64xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

func.func private @shared_ahead(%x: memref<4x64xf32>, %y: memref<4xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{residency = "shared" has one row at a time: schedule without ahead}}
  sinter.rowwise (i = 4) by (j = 64) ins(%x[i, j] : memref<4x64xf32>) outs(%y[i] : memref<4xf32>)
      schedule(#sinter.gpu_rows<threads = 32, blocks = 2, vector = 4, ahead = 1, residency = "shared">) {
  ^row(%a: tensor<64xf32>):
    %s = sinter.row_reduce add %a : tensor<64xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

func.func private @shared_not_copied(%x: memref<4x66xf32>, %y: memref<4xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{residency = "shared" needs an input with rows of a multiple of 16 bytes, or vectors of 16 bytes}}
  sinter.rowwise (i = 4) by (j = 66) ins(%x[i, j] : memref<4x66xf32>) outs(%y[i] : memref<4xf32>)
      schedule(#sinter.gpu_rows<threads = 32, blocks = 4, vector = 2, residency = "shared">) {
  ^row(%a: tensor<66xf32>):
    %s = sinter.row_reduce add %a : tensor<66xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

func.func private @grid_depth(%x: memref<4x640xf32>, %y: memref<4xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{depth = 4 pieces on their way are more than slots = 3: one would wait for another in its place}}
  sinter.rowwise (i = 4) by (j = 640) ins(%x[i, j] : memref<4x640xf32>) outs(%y[i] : memref<4xf32>)
      schedule(#sinter.gpu_rows<shape = "grid", threads = 32, blocks = 4, group = 2, vector = 4, residency = "registers", ahead = 1, slots = 3>) {
  ^row(%a: tensor<640xf32>):
    %s = sinter.row_reduce add %a : tensor<640xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

func.func private @grid_threads(%x: memref<4x640xf32>, %y: memref<4xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{shape = "grid" has 64 threads beside threads = 1024, and a block has 1024 at most}}
  sinter.rowwise (i = 4) by (j = 640) ins(%x[i, j] : memref<4x640xf32>) outs(%y[i] : memref<4xf32>)
      schedule(#sinter.gpu_rows<shape = "grid", threads = 1024, blocks = 4, group = 2, vector = 4>) {
  ^row(%a: tensor<640xf32>):
    %s = sinter.row_reduce add %a : tensor<640xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

func.func private @grid_shared(%x: memref<4x640xf32>, %y: memref<4xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{residency = "shared" needs columns and no team: rows of a block or a cluster}}
  sinter.rowwise (i = 4) by (j = 640) ins(%x[i, j] : memref<4x640xf32>) outs(%y[i] : memref<4xf32>)
      schedule(#sinter.gpu_rows<shape = "grid", threads = 64, blocks = 4, group = 2, vector = 4, residency = "shared">) {
  ^row(%a: tensor<640xf32>):
    %s = sinter.row_reduce add %a : tensor<640xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

func.func private @flat_cluster(%x: memref<4x64xf32>, %y: memref<4x64xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{shape = "flat" with cluster = 2: all threads share what there is, and clusters nothing}}
  sinter.rowwise (i = 4) by (j = 64) ins(%x[i, j] : memref<4x64xf32>) outs(%y[i, j] : memref<4x64xf32>)
      schedule(#sinter.gpu_rows<shape = "flat", threads = 32, blocks = 4, cluster = 2>) {
  ^row(%a: tensor<64xf32>):
    sinter.yield %a : tensor<64xf32>
  }
  return
}

// -----

// 16 vectors of 16 bytes of each of 1024 threads are more than a multiprocessor has.
func.func private @too_far_ahead(%x: memref<999x65536xf32>, %y: memref<65536xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{needs 262272 bytes of shared memory, of 232448 that a block has: slots of rows 262144, which block is the last 8}}
  sinter.rowwise (i = 999) by (j = 65536) ins(%x[i, j] : memref<999x65536xf32>) reduce(add [j] : f32)
      outs(%y[j] : memref<65536xf32>)
      schedule(#sinter.gpu_rows<threads = 1024, blocks = 9, vector = 4, residency = "registers", ahead = 1>) {
  ^row(%a: tensor<65536xf32>):
    sinter.yield %a : tensor<65536xf32>
  }
  return
}

// -----

// What warps of a tile leave for each other, 8 KiB a value.
func.func private @too_many_values(%x: memref<4x64x32xf64>, %y: memref<4x32xf64>) attributes {sinter.kernel} {
  // expected-error @+1 {{needs 59136 bytes of shared memory of its own, of 49152 that a block has: values of warps 59136}}
  sinter.rowwise (i = 4, k = 32) by (j = 64) ins(%x[i, j, k] : memref<4x64x32xf64>) outs(%y[i, k] : memref<4x32xf64>)
      schedule(#sinter.gpu_rows<shape = "tile", threads = 1024, blocks = 4, residency = "registers">) {
  ^row(%a: tensor<64xf64>):
    %s = sinter.row_reduce add %a : tensor<64xf64> -> f64
    %m = sinter.row_reduce maximumf %a : tensor<64xf64> -> f64
    %n = sinter.row_reduce minimumf %a : tensor<64xf64> -> f64
    %p = sinter.row_reduce mul %a : tensor<64xf64> -> f64
    %q = sinter.row_reduce maxnumf %a : tensor<64xf64> -> f64
    %r = sinter.row_reduce minnumf %a : tensor<64xf64> -> f64
    %b = arith.mulf %a, %a : tensor<64xf64>
    %t = sinter.row_reduce add %b : tensor<64xf64> -> f64
    %1 = arith.addf %s, %m : f64
    %2 = arith.addf %1, %n : f64
    %3 = arith.addf %2, %p : f64
    %4 = arith.addf %3, %q : f64
    %5 = arith.addf %4, %r : f64
    %6 = arith.addf %5, %t : f64
    sinter.yield %6 : f64
  }
  return
}

// -----

// The host could not tell which rows are short.
func.func private @how_short(%x: memref<?x?xf32>, %y: memref<?xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{has a schedule for shorter rows that does not say how long they are: it needs most}}
  sinter.rowwise (i = ?) by (j = ?) ins(%x[i, j] : memref<?x?xf32>) outs(%y[i] : memref<?xf32>)
      schedule(#sinter.gpu_rows<shorter = #sinter.gpu_rows<team = 32>>) {
  ^row(%a: tensor<?xf32>):
    %s = sinter.row_reduce add %a : tensor<?xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

// Nor which sizes have vectors.
func.func private @how_even(%x: memref<?x?xf32>, %y: memref<?xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{has a schedule for even sizes that does not say of what they are multiples: it needs multiple}}
  sinter.rowwise (i = ?) by (j = ?) ins(%x[i, j] : memref<?x?xf32>) outs(%y[i] : memref<?xf32>)
      schedule(#sinter.gpu_rows<even = #sinter.gpu_rows<team = 32>>) {
  ^row(%a: tensor<?xf32>):
    %s = sinter.row_reduce add %a : tensor<?xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

// Nor how many rows are many.
func.func private @how_many(%x: memref<?x8xf32>, %y: memref<?xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{has a schedule for many rows that does not say how many they are: it needs least}}
  sinter.rowwise (i = ?) by (j = 8) ins(%x[i, j] : memref<?x8xf32>) outs(%y[i] : memref<?xf32>)
      schedule(#sinter.gpu_rows<many = #sinter.gpu_rows<team = 32>>) {
  ^row(%a: tensor<8xf32>):
    %s = sinter.row_reduce add %a : tensor<8xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

// Blocks leave partial sums in a place for each of them, whose number is known.
func.func private @each_sums(%x: memref<?x8xf32>, %y: memref<f32>) attributes {sinter.kernel} {
  // expected-error @+1 {{deal = "each" is for rows of teams, of which nothing is reduced over all rows}}
  sinter.rowwise (i = ?) by (j = 8) ins(%x[i, j] : memref<?x8xf32>) reduce(add [] : f32) outs(%y[] : memref<f32>)
      schedule(#sinter.gpu_rows<deal = "each">) {
  ^row(%a: tensor<8xf32>):
    %s = sinter.row_reduce add %a : tensor<8xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

func.func private @known(%x: memref<4x8xf32>, %y: memref<4xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{most = 16 is of rows whose length is `?`, and these have 8 columns}}
  sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i] : memref<4xf32>)
      schedule(#sinter.gpu_rows<most = 16>) {
  ^row(%a: tensor<8xf32>):
    %s = sinter.row_reduce add %a : tensor<8xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

func.func private @pieces(%x: memref<4x16xf32>, %w: memref<256x16xf32>, %y: memref<2x4xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{has a schedule with n = 64, and its rows, which a tile has whole, have 128 columns}}
  sinter.contract (i = 4, p = 2) by (c = 128) product (k = 16) (%x[i, k] : memref<4x16xf32>, %w[p * 128 + c, k] : memref<256x16xf32>) : f32
      outs(%y[p, i] : memref<2x4xf32>) schedule(#sinter.mma<m = 64, n = 64>) {
  ^row(%acc: tensor<128xf32>):
    %s = sinter.row_reduce add %acc : tensor<128xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

func.func private @odd_cluster(%x: memref<5x1003xf32>, %y: memref<5xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{cluster = 3, and blocks that share a row meet in it: they are 2, 4 or 8}}
  sinter.rowwise (i = 5) by (j = 1003) ins(%x[i, j] : memref<5x1003xf32>) outs(%y[i] : memref<5xf32>)
      schedule(#sinter.gpu_rows<threads = 64, blocks = 15, cluster = 3>) {
  ^row(%a: tensor<1003xf32>):
    %s = sinter.row_reduce add %a : tensor<1003xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

func.func private @large_cluster(%x: memref<5x1003xf32>, %y: memref<5xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{cluster = 16, and blocks that share a row meet in it: they are 2, 4 or 8}}
  sinter.rowwise (i = 5) by (j = 1003) ins(%x[i, j] : memref<5x1003xf32>) outs(%y[i] : memref<5xf32>)
      schedule(#sinter.gpu_rows<threads = 64, blocks = 80, cluster = 16>) {
  ^row(%a: tensor<1003xf32>):
    %s = sinter.row_reduce add %a : tensor<1003xf32> -> f32
    sinter.yield %s : f32
  }
  return
}
