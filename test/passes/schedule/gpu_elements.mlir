// RUN: sinter-opt --sinter-schedule='target=gpu' --split-input-file %s | FileCheck %s

// A thread that only reads, and has logarithms or exponentials to wait for: as many threads as a multiprocessor holds,
// one vector each.

// CHECK-LABEL: func @waits
//       CHECK:   schedule(#sinter.gpu_rows<blocks = 264, occupancy = 2, shape = "flat", threads = 1024, vector = 4>)
func.func @waits(%x: tensor<4096x8192xf32>, %y: tensor<4096x8192xf32>, %e: tensor<f32>) -> tensor<f32> {
  %r = sinter.rowwise (i = 4096) by (j = 8192) ins(%x[i, j] : tensor<4096x8192xf32>, %y[i, j] : tensor<4096x8192xf32>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<8192xf32>, %b: tensor<8192xf32>):
    %l = math.log %a : tensor<8192xf32>
    %k = math.log1p %b : tensor<8192xf32>
    %m = arith.mulf %l, %k : tensor<8192xf32>
    %s = sinter.row_reduce add %m : tensor<8192xf32> -> f32
    sinter.yield %s : f32
  }
  return %r : tensor<f32>
}

// -----

// So has every function that costs as much: a root, an error function.

// CHECK-LABEL: func @roots
//       CHECK:   schedule(#sinter.gpu_rows<blocks = 264, occupancy = 2, shape = "flat", threads = 1024, vector = 4>)
func.func @roots(%x: tensor<4096x8192xf32>, %y: tensor<4096x8192xf32>, %e: tensor<f32>) -> tensor<f32> {
  %r = sinter.rowwise (i = 4096) by (j = 8192) ins(%x[i, j] : tensor<4096x8192xf32>, %y[i, j] : tensor<4096x8192xf32>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<8192xf32>, %b: tensor<8192xf32>):
    %l = math.sqrt %a : tensor<8192xf32>
    %k = math.erf %b : tensor<8192xf32>
    %m = arith.mulf %l, %k : tensor<8192xf32>
    %s = sinter.row_reduce add %m : tensor<8192xf32> -> f32
    sinter.yield %s : f32
  }
  return %r : tensor<f32>
}

// -----

// What is cheap has more vectors under way instead.

// CHECK-LABEL: func @cheap
//       CHECK:   schedule(#sinter.gpu_rows<blocks = 264, occupancy = 2, shape = "flat", threads = 512, unroll = 4, vector = 4>)
func.func @cheap(%x: tensor<4096x8192xf32>, %y: tensor<4096x8192xf32>, %e: tensor<f32>) -> tensor<f32> {
  %r = sinter.rowwise (i = 4096) by (j = 8192) ins(%x[i, j] : tensor<4096x8192xf32>, %y[i, j] : tensor<4096x8192xf32>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<8192xf32>, %b: tensor<8192xf32>):
    %m = arith.mulf %a, %b : tensor<8192xf32>
    %s = sinter.row_reduce add %m : tensor<8192xf32> -> f32
    sinter.yield %s : f32
  }
  return %r : tensor<f32>
}

// -----

// What is stored, too, has one.

// CHECK-LABEL: func @stored
//       CHECK:   schedule(#sinter.gpu_rows<blocks = 264, occupancy = 2, shape = "flat", threads = 512, vector = 4>)
func.func @stored(%x: tensor<4096x8192xf32>, %e: tensor<4096x8192xf32>) -> tensor<4096x8192xf32> {
  %r = sinter.rowwise (i = 4096) by (j = 8192) ins(%x[i, j] : tensor<4096x8192xf32>) outs(%e[i, j] : tensor<4096x8192xf32>) {
  ^row(%a: tensor<8192xf32>):
    %l = math.log %a : tensor<8192xf32>
    sinter.yield %l : tensor<8192xf32>
  }
  return %r : tensor<4096x8192xf32>
}

// -----

// Four values are computed of an element and taken by the last phase; two were read of it. It keeps those.

// CHECK-LABEL: func @remake
//       CHECK:   remake = 1, residency = "registers"
func.func @remake(%x: tensor<4096x8192xf32>, %y: tensor<4096x8192xf32>, %e: tensor<4096x8192xf32>) -> tensor<4096x8192xf32> {
  %r = sinter.rowwise (i = 4096) by (j = 8192) ins(%x[i, j] : tensor<4096x8192xf32>, %y[i, j] : tensor<4096x8192xf32>) outs(%e[i, j] : tensor<4096x8192xf32>) {
  ^row(%a: tensor<8192xf32>, %b: tensor<8192xf32>):
    %p = math.exp %a : tensor<8192xf32>
    %q = math.exp %b : tensor<8192xf32>
    %m = arith.mulf %a, %b : tensor<8192xf32>
    %n = arith.addf %p, %q : tensor<8192xf32>
    %t = arith.addf %m, %n : tensor<8192xf32>
    %s = sinter.row_reduce add %t : tensor<8192xf32> -> f32
    %c = sinter.broadcast %s : f32 -> tensor<8192xf32>
    %u = arith.mulf %p, %c : tensor<8192xf32>
    %v = arith.subf %q, %u : tensor<8192xf32>
    %w = arith.mulf %v, %m : tensor<8192xf32>
    sinter.yield %w : tensor<8192xf32>
  }
  return %r : tensor<4096x8192xf32>
}

// -----

// One value of an element is taken, and one was read: it keeps what is computed.

// CHECK-LABEL: func @keep
//   CHECK-NOT:   remake
//       CHECK:   return
func.func @keep(%x: tensor<4096x8192xf32>, %e: tensor<4096x8192xf32>) -> tensor<4096x8192xf32> {
  %r = sinter.rowwise (i = 4096) by (j = 8192) ins(%x[i, j] : tensor<4096x8192xf32>) outs(%e[i, j] : tensor<4096x8192xf32>) {
  ^row(%a: tensor<8192xf32>):
    %p = math.exp %a : tensor<8192xf32>
    %s = sinter.row_reduce add %p : tensor<8192xf32> -> f32
    %c = sinter.broadcast %s : f32 -> tensor<8192xf32>
    %u = arith.mulf %p, %c : tensor<8192xf32>
    sinter.yield %u : tensor<8192xf32>
  }
  return %r : tensor<4096x8192xf32>
}

// -----

// Halves that are added up in f64, by way of f32, leave registers for half as many.

// CHECK-LABEL: func @halves_in_f64
//       CHECK:   residency = "registers", threads = 128, vector = 8>
func.func @halves_in_f64(%x: tensor<16384x4096xbf16>, %e: tensor<16384x4096xbf16>) -> tensor<16384x4096xbf16> {
  %y = sinter.rowwise (i = 16384) by (j = 4096)
      ins(%x[i, j] : tensor<16384x4096xbf16>) outs(%e[i, j] : tensor<16384x4096xbf16>) {
  ^row(%a: tensor<4096xbf16>):
    %w = arith.extf %a : tensor<4096xbf16> to tensor<4096xf32>
    %s = sinter.row_reduce add %w {sinter.lanes_first} : tensor<4096xf32> -> f64
    %t = arith.truncf %s : f64 to f32
    %b = sinter.broadcast %t : f32 -> tensor<4096xf32>
    %d = arith.subf %w, %b : tensor<4096xf32>
    %h = arith.truncf %d : tensor<4096xf32> to tensor<4096xbf16>
    sinter.yield %h : tensor<4096xbf16>
  }
  return %y : tensor<16384x4096xbf16>
}
