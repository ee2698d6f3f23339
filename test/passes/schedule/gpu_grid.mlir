// RUN: sinter-opt --sinter-schedule=target=gpu --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-schedule='target=gpu chip=sm_80' --split-input-file %s | FileCheck %s --check-prefix=SM80

// Rows that all blocks hold together: as many share a row as fit one, and the next is on its way. A row may begin
// anywhere. Without copies in bulk (sm_80) rows are read again.

// CHECK-LABEL: func @huge
//       CHECK: #sinter.gpu_rows<ahead = 1, blocks = 132, group = 132, occupancy = 1, residency = "registers", shape = "grid", slots = 26, threads = 512, vector = 4>
//  SM80-LABEL: func @huge
//        SM80: residency = "reread"
//    SM80-NOT: grid
func.func @huge(%x: tensor<16x4194301xf32>, %e: tensor<16x4194301xf32>) -> tensor<16x4194301xf32> {
  %0 = sinter.rowwise (i = 16) by (j = 4194301) ins(%x[i, j] : tensor<16x4194301xf32>) outs(%e[i, j] : tensor<16x4194301xf32>) {
  ^row(%a: tensor<4194301xf32>):
    %s = sinter.row_reduce add %a : tensor<4194301xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<4194301xf32>
    %q = arith.divf %a, %b : tensor<4194301xf32>
    sinter.yield %q : tensor<4194301xf32>
  }
  return %0 : tensor<16x4194301xf32>
}

// -----

// A smaller row is shared by a part of the blocks, of any number of rows.

// CHECK-LABEL: func @parts
//       CHECK: #sinter.gpu_rows<ahead = 1, blocks = 132, group = 33, occupancy = 1, residency = "registers", shape = "grid", slots = 26, threads = 512, vector = 4>
func.func @parts(%x: tensor<?x1000000xf32>, %e: tensor<?x1000000xf32>) -> tensor<?x1000000xf32> {
  %0 = sinter.rowwise (i = ?) by (j = 1000000) ins(%x[i, j] : tensor<?x1000000xf32>) outs(%e[i, j] : tensor<?x1000000xf32>) {
  ^row(%a: tensor<1000000xf32>):
    %s = sinter.row_reduce add %a : tensor<1000000xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<1000000xf32>
    %q = arith.divf %a, %b : tensor<1000000xf32>
    sinter.yield %q : tensor<1000000xf32>
  }
  return %0 : tensor<?x1000000xf32>
}

// -----

// More than all blocks hold is read again, by all of them.

// CHECK-LABEL: func @too_long
//       CHECK: #sinter.gpu_rows<blocks = 132, group = 132, occupancy = 1, residency = "reread", shape = "grid", threads = 512, unroll = 4, vector = 4>
func.func @too_long(%x: tensor<64x10000000xf32>, %e: tensor<64x10000000xf32>) -> tensor<64x10000000xf32> {
  %0 = sinter.rowwise (i = 64) by (j = 10000000) ins(%x[i, j] : tensor<64x10000000xf32>) outs(%e[i, j] : tensor<64x10000000xf32>) {
  ^row(%a: tensor<10000000xf32>):
    %s = sinter.row_reduce add %a : tensor<10000000xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<10000000xf32>
    %q = arith.divf %a, %b : tensor<10000000xf32>
    sinter.yield %q : tensor<10000000xf32>
  }
  return %0 : tensor<64x10000000xf32>
}

// -----

// A thread has as many bytes of it under way where they lie apart: channels of an odd number of pixels.

// CHECK-LABEL: func @too_long_apart
//       CHECK: residency = "reread", shape = "grid", threads = 512, unroll = 16, vector = 1>
func.func @too_long_apart(%x: tensor<32x3x261121xf32>, %e: tensor<32x3x261121xf32>) -> tensor<32x3x261121xf32> {
  %0 = sinter.rowwise (i = 3) by (j = 32, k = 261121) ins(%x[j, i, k] : tensor<32x3x261121xf32>)
      outs(%e[j, i, k] : tensor<32x3x261121xf32>) {
  ^row(%a: tensor<8355872xf32>):
    %s = sinter.row_reduce add %a : tensor<8355872xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<8355872xf32>
    %q = arith.divf %a, %b : tensor<8355872xf32>
    sinter.yield %q : tensor<8355872xf32>
  }
  return %0 : tensor<32x3x261121xf32>
}

// CHECK-LABEL: func @three_apart
//       CHECK: residency = "reread", shape = "grid", threads = 512, unroll = 8, vector = 1>
func.func @three_apart(%x: tensor<32x3x261121xf32>, %y: tensor<32x3x261121xf32>, %z: tensor<32x3x261121xf32>,
                       %e: tensor<32x3x261121xf32>) -> tensor<32x3x261121xf32> {
  %0 = sinter.rowwise (i = 3) by (j = 32, k = 261121)
      ins(%x[j, i, k] : tensor<32x3x261121xf32>, %y[j, i, k] : tensor<32x3x261121xf32>,
          %z[j, i, k] : tensor<32x3x261121xf32>)
      outs(%e[j, i, k] : tensor<32x3x261121xf32>) {
  ^row(%a: tensor<8355872xf32>, %c: tensor<8355872xf32>, %d: tensor<8355872xf32>):
    %s = sinter.row_reduce add %a : tensor<8355872xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<8355872xf32>
    %p = arith.mulf %c, %d : tensor<8355872xf32>
    %q = arith.divf %p, %b : tensor<8355872xf32>
    sinter.yield %q : tensor<8355872xf32>
  }
  return %0 : tensor<32x3x261121xf32>
}

// -----

// Nothing waits for what a row is reduced to: few rows have as many blocks each as there are.

// CHECK-LABEL: func @values
//       CHECK: #sinter.gpu_rows<blocks = 128, group = 16, occupancy = 1, residency = "reread", shape = "grid", threads = 512, unroll = 4, vector = 4>
func.func @values(%x: tensor<8x4000000xf32>, %e: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sinter.rowwise (i = 8) by (j = 4000000) ins(%x[i, j] : tensor<8x4000000xf32>) outs(%e[i] : tensor<8xf32>) {
  ^row(%a: tensor<4000000xf32>):
    %s = sinter.row_reduce add %a : tensor<4000000xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<8xf32>
}

// -----

// Halves take a register each, and in shared memory half of one: there is room for two blocks on a multiprocessor,
// where registers have none.

// CHECK-LABEL: func @shared
//       CHECK: #sinter.gpu_rows<blocks = 32768, cluster = 8, occupancy = 2, residency = "shared", threads = 256, vector = 8>
func.func @shared(%x: tensor<4096x400000xf16>, %e: tensor<4096x400000xf16>) -> tensor<4096x400000xf16> {
  %0 = sinter.rowwise (i = 4096) by (j = 400000) ins(%x[i, j] : tensor<4096x400000xf16>) outs(%e[i, j] : tensor<4096x400000xf16>) {
  ^row(%a: tensor<400000xf16>):
    %w = arith.extf %a : tensor<400000xf16> to tensor<400000xf32>
    %s = sinter.row_reduce add %w : tensor<400000xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<400000xf32>
    %q = arith.divf %w, %b : tensor<400000xf32>
    %y = arith.truncf %q : tensor<400000xf32> to tensor<400000xf16>
    sinter.yield %y : tensor<400000xf16>
  }
  return %0 : tensor<4096x400000xf16>
}

// -----

// Rows in pieces, of which no copies bring the next one meanwhile: where the exchanges of groups are most of the time
// each row is read again by a cluster. Of few rows clusters leave multiprocessors without one.

// CHECK-LABEL: @channels
//       CHECK: #sinter.gpu_rows<blocks = 496, cluster = 8, occupancy = 4, residency = "reread", threads = 256, unroll = 4, vector = 8>
// CHECK-LABEL: @few_channels
//       CHECK: #sinter.gpu_rows<blocks = {{[0-9]+}}, group = {{[0-9]+}}, occupancy = 1, {{.*}}residency = "registers", shape = "grid", threads = 512, vector = 8>
func.func @channels(%x: tensor<9x128x42640xf16>, %e: tensor<9x128x42640xf16>) -> tensor<9x128x42640xf16> {
  %0 = sinter.rowwise (i = 128) by (j = 9, k = 42640) ins(%x[j, i, k] : tensor<9x128x42640xf16>) outs(%e[j, i, k] : tensor<9x128x42640xf16>) {
  ^row(%a: tensor<383760xf16>):
    %w = arith.extf %a : tensor<383760xf16> to tensor<383760xf32>
    %s = sinter.row_reduce add %w : tensor<383760xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<383760xf32>
    %d = arith.subf %w, %b : tensor<383760xf32>
    %y = arith.truncf %d : tensor<383760xf32> to tensor<383760xf16>
    sinter.yield %y : tensor<383760xf16>
  }
  return %0 : tensor<9x128x42640xf16>
}
func.func @few_channels(%x: tensor<9x32x42640xf16>, %e: tensor<9x32x42640xf16>) -> tensor<9x32x42640xf16> {
  %0 = sinter.rowwise (i = 32) by (j = 9, k = 42640) ins(%x[j, i, k] : tensor<9x32x42640xf16>) outs(%e[j, i, k] : tensor<9x32x42640xf16>) {
  ^row(%a: tensor<383760xf16>):
    %w = arith.extf %a : tensor<383760xf16> to tensor<383760xf32>
    %s = sinter.row_reduce add %w : tensor<383760xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<383760xf32>
    %d = arith.subf %w, %b : tensor<383760xf32>
    %y = arith.truncf %d : tensor<383760xf32> to tensor<383760xf16>
    sinter.yield %y : tensor<383760xf16>
  }
  return %0 : tensor<9x32x42640xf16>
}

// -----

// Rows in pieces of an odd size are read by elements, and registers hold 32 of a thread: no group of fewer blocks.

// CHECK-LABEL: @odd_pieces
//       CHECK: #sinter.gpu_rows<{{.*}}group = {{[0-9]+}}{{.*}}residency = "registers", shape = "grid", {{.*}}threads = 512, vector = 1>
func.func @odd_pieces(%x: tensor<9x32x29733xf32>, %e: tensor<9x32x29733xf32>) -> tensor<9x32x29733xf32> {
  %0 = sinter.rowwise (i = 32) by (j = 9, k = 29733) ins(%x[j, i, k] : tensor<9x32x29733xf32>) outs(%e[j, i, k] : tensor<9x32x29733xf32>) {
  ^row(%a: tensor<267597xf32>):
    %s = sinter.row_reduce add %a : tensor<267597xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<267597xf32>
    %d = arith.subf %a, %b : tensor<267597xf32>
    sinter.yield %d : tensor<267597xf32>
  }
  return %0 : tensor<9x32x29733xf32>
}
