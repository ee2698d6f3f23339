// RUN: sinter-opt --sinter-schedule=target=gpu --split-input-file %s | FileCheck %s

// Short rows of which a block has several, and that are added up, go on in blocks that stay: as many threads as there
// are registers for.

// CHECK-LABEL: func @added_up
//       CHECK:   schedule(#sinter.gpu_rows<blocks = 1584, maximum = "before", occupancy = 12, residency = "registers", team = 16, threads = 128, vector = 4>)
func.func @added_up(%x: tensor<140911x128xf32>, %e: tensor<f32>) -> tensor<f32> {
  %y = sinter.rowwise (i = 140911) by (j = 128) ins(%x[i, j] : tensor<140911x128xf32>) reduce(add [] : f32)
      outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<128xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<128xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<128xf32>
    %d = arith.subf %a, %b : tensor<128xf32>
    %p = math.exp %d : tensor<128xf32>
    %s = sinter.row_reduce add %p : tensor<128xf32> -> f32
    %l = math.log %s : f32
    sinter.yield %l : f32
  }
  return %y : tensor<f32>
}

// -----

// Those that are stored, too, have no more threads than others.

// CHECK-LABEL: func @stored
//       CHECK:   schedule(#sinter.gpu_rows<blocks = 1056, maximum = "before", occupancy = 8, residency = "registers", team = 32, threads = 128, vector = 4>)
func.func @stored(%x: tensor<140911x128xf32>, %e: tensor<f32>, %o: tensor<140911x128xf32>) -> (tensor<f32>, tensor<140911x128xf32>) {
  %y:2 = sinter.rowwise (i = 140911) by (j = 128) ins(%x[i, j] : tensor<140911x128xf32>) reduce(add [] : f32)
      outs(%e[] : tensor<f32>, %o[i, j] : tensor<140911x128xf32>) {
  ^row(%a: tensor<128xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<128xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<128xf32>
    %d = arith.subf %a, %b : tensor<128xf32>
    %p = math.exp %d : tensor<128xf32>
    %s = sinter.row_reduce add %p : tensor<128xf32> -> f32
    %c = sinter.broadcast %s : f32 -> tensor<128xf32>
    %q = arith.divf %p, %c : tensor<128xf32>
    sinter.yield %s, %q : f32, tensor<128xf32>
  }
  return %y#0, %y#1 : tensor<f32>, tensor<140911x128xf32>
}

// -----

// Rows that are a block's each, and meet nothing else, have blocks of their own.

// CHECK-LABEL: func @of_a_block
//       CHECK:   schedule(#sinter.gpu_rows<blocks = 20000,
func.func @of_a_block(%x: tensor<20000x4000xf32>, %e: tensor<f32>, %o: tensor<20000x4000xf32>) -> (tensor<f32>, tensor<20000x4000xf32>) {
  %y:2 = sinter.rowwise (i = 20000) by (j = 4000) ins(%x[i, j] : tensor<20000x4000xf32>) reduce(add [] : f32)
      outs(%e[] : tensor<f32>, %o[i, j] : tensor<20000x4000xf32>) {
  ^row(%a: tensor<4000xf32>):
    %s = sinter.row_reduce add %a : tensor<4000xf32> -> f32
    %c = sinter.broadcast %s : f32 -> tensor<4000xf32>
    %q = arith.divf %a, %c : tensor<4000xf32>
    sinter.yield %s, %q : f32, tensor<4000xf32>
  }
  return %y#0, %y#1 : tensor<f32>, tensor<20000x4000xf32>
}

// -----

// Sums of few columns over rows: blocks so large that no more than multiprocessors meet in memory.

// CHECK-LABEL: func @few_columns
//       CHECK:   schedule(#sinter.gpu_rows<blocks = 132, occupancy = 1, residency = "registers", team = 1, threads = 1024, vector = 1>)
func.func @few_columns(%x: tensor<299498x3xf32>, %e: tensor<3xf32>) -> tensor<3xf32> {
  %y = sinter.rowwise (i = 299498) by (j = 3) ins(%x[i, j] : tensor<299498x3xf32>) reduce(add [j] : f32) outs(%e[j] : tensor<3xf32>) {
  ^row(%a: tensor<3xf32>):
    sinter.yield %a : tensor<3xf32>
  }
  return %y : tensor<3xf32>
}

// -----

// CHECK-LABEL: func @fewer_rows
//       CHECK:   schedule(#sinter.gpu_rows<blocks = 118, {{.*}}team = 1, threads = 256, vector = 1>)
func.func @fewer_rows(%x: tensor<30000x3xf32>, %e: tensor<3xf32>) -> tensor<3xf32> {
  %y = sinter.rowwise (i = 30000) by (j = 3) ins(%x[i, j] : tensor<30000x3xf32>) reduce(add [j] : f32) outs(%e[j] : tensor<3xf32>) {
  ^row(%a: tensor<3xf32>):
    sinter.yield %a : tensor<3xf32>
  }
  return %y : tensor<3xf32>
}

// -----

// A row that is no more than a sector, and is only read, is a thread's.

// CHECK-LABEL: func @sector
//       CHECK:   schedule(#sinter.gpu_rows<blocks = 3767, occupancy = 8, residency = "registers", team = 1, threads = 128, vector = 2>)
func.func @sector(%x: tensor<482112x14xbf16>, %e: tensor<482112xbf16>) -> tensor<482112xbf16> {
  %y = sinter.rowwise (i = 482112) by (j = 14) ins(%x[i, j] : tensor<482112x14xbf16>) outs(%e[i] : tensor<482112xbf16>) {
  ^row(%a: tensor<14xbf16>):
    %s = sinter.row_reduce maximumf %a : tensor<14xbf16> -> bf16
    sinter.yield %s : bf16
  }
  return %y : tensor<482112xbf16>
}

// -----

// One of more has several threads.

// CHECK-LABEL: func @more_than_a_sector
//       CHECK:   team = 4, threads = 128, vector = 2>)
func.func @more_than_a_sector(%x: tensor<482112x18xbf16>, %e: tensor<482112xbf16>) -> tensor<482112xbf16> {
  %y = sinter.rowwise (i = 482112) by (j = 18) ins(%x[i, j] : tensor<482112x18xbf16>) outs(%e[i] : tensor<482112xbf16>) {
  ^row(%a: tensor<18xbf16>):
    %s = sinter.row_reduce maximumf %a : tensor<18xbf16> -> bf16
    sinter.yield %s : bf16
  }
  return %y : tensor<482112xbf16>
}

// -----

// Elements that are added up, and few: a block on each multiprocessor, four vectors of a thread at once.

// CHECK-LABEL: func @few_elements
//       CHECK:   schedule(#sinter.gpu_rows<blocks = 132, occupancy = 2, shape = "flat", threads = 512, unroll = 4, vector = 8>)
func.func @few_elements(%x: tensor<1x1246016xbf16>, %e: tensor<f32>) -> tensor<f32> {
  %y = sinter.rowwise (i = 1) by (j = 1246016) ins(%x[i, j] : tensor<1x1246016xbf16>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<1246016xbf16>):
    %w = arith.extf %a : tensor<1246016xbf16> to tensor<1246016xf32>
    %s = sinter.row_reduce add %w : tensor<1246016xf32> -> f32
    sinter.yield %s : f32
  }
  return %y : tensor<f32>
}

// -----

// What is looked up, and computed of a row for that: four vectors of each thread.

// CHECK-LABEL: func @looked_up
//       CHECK:   schedule(#sinter.gpu_rows<{{.*}}team = 8, threads = 128, vector = 4>)
func.func @looked_up(%x: tensor<5440x62x62xf16>, %e: tensor<5440x124x124xf16>) -> tensor<5440x124x124xf16> {
  %y = sinter.rowwise (i = 5440, j = 124) by (k = 124) ins(%x[?, ?, ?] : tensor<5440x62x62xf16>)
      outs(%e[i, j, k] : tensor<5440x124x124xf16>) {
  ^row(%t: memref<5440x62x62xf16>):
    %zero = arith.constant 0.0 : f16
    %two = arith.constant 2 : index
    %twos = sinter.broadcast %two : index -> tensor<124xindex>
    %i = sinter.index i : index
    %j = sinter.index j : index
    %k = sinter.index k : tensor<124xindex>
    %h = arith.divui %j, %two : index
    %w = arith.divui %k, %twos : tensor<124xindex>
    %g = sinter.gather %t[%i, %h, %w] else %zero : memref<5440x62x62xf16>, index, index, tensor<124xindex> -> tensor<124xf16>
    sinter.yield %g : tensor<124xf16>
  }
  return %y : tensor<5440x124x124xf16>
}
