// RUN: sinter-opt --sinter-schedule --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-schedule=vector-bits=256 --split-input-file %s | FileCheck %s --check-prefix=AVX2
// RUN: sinter-opt --sinter-schedule=prefetch=4096 --split-input-file %s | FileCheck %s --check-prefix=AHEAD

// A log-sum-exp reads a long row once. 128 elements are compared with the maximum at a time, where registers hold them.

// CHECK-LABEL: func @log_sum_exp
//       CHECK: schedule(#sinter.rows<chunk = 16, lanes = 16, maximum = "online", residency = "reread", unroll = 8>)
//  AVX2-LABEL: func @log_sum_exp
//        AVX2: schedule(#sinter.rows<chunk = 16, lanes = 8, maximum = "online", residency = "reread", unroll = 4>)
func.func @log_sum_exp(%x: tensor<4096x32000xf32>, %e: tensor<f32>) -> tensor<f32> {
  %0 = sinter.rowwise (i = 4096) by (j = 32000) ins(%x[i, j] : tensor<4096x32000xf32>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<32000xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<32000xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<32000xf32>
    %d = arith.subf %a, %mb : tensor<32000xf32>
    %u = math.exp %d : tensor<32000xf32>
    %s = sinter.row_reduce add %u : tensor<32000xf32> -> f32
    %l = math.log %s : f32
    sinter.yield %l : f32
  }
  return %0 : tensor<f32>
}

// -----

// A long softmax computes its exponentials again, and the next row is on its way while it does.

// CHECK-LABEL: func @softmax
//       CHECK: schedule(#sinter.rows<chunk = 16, lanes = 16, maximum = "online", next = "early", plain = 2, prefetch = 8192, residency = "reread", stores = "streaming", unroll = 8>)
//  AVX2-LABEL: func @softmax
func.func @softmax(%x: tensor<4096x32000xf32>, %e: tensor<4096x32000xf32>) -> tensor<4096x32000xf32> {
  %0 = sinter.rowwise (i = 4096) by (j = 32000) ins(%x[i, j] : tensor<4096x32000xf32>) outs(%e[i, j] : tensor<4096x32000xf32>) {
  ^row(%a: tensor<32000xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<32000xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<32000xf32>
    %d = arith.subf %a, %mb : tensor<32000xf32>
    %u = math.exp %d : tensor<32000xf32>
    %s = sinter.row_reduce add %u : tensor<32000xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<32000xf32>
    %p = arith.divf %u, %sb : tensor<32000xf32>
    sinter.yield %p : tensor<32000xf32>
  }
  return %0 : tensor<4096x32000xf32>
}

// -----

// A loss of one row of 2^25 elements: 256 tasks.

// CHECK-LABEL: func @one_row
//       CHECK: schedule(#sinter.rows<chunk = 1, columns = 131072, lanes = 16, residency = "reread", stores = "streaming", unroll = 4>)
//  AVX2-LABEL: func @one_row
func.func @one_row(%x: tensor<33554432xf32>, %y: tensor<33554432xf32>, %g: tensor<33554432xf32>, %e: tensor<f32>) -> (tensor<33554432xf32>, tensor<f32>) {
  %0:2 = sinter.rowwise () by (j = 33554432) ins(%x[j] : tensor<33554432xf32>, %y[j] : tensor<33554432xf32>)
      outs(%g[j] : tensor<33554432xf32>, %e[] : tensor<f32>) {
  ^row(%a: tensor<33554432xf32>, %b: tensor<33554432xf32>):
    %d = arith.subf %a, %b : tensor<33554432xf32>
    %q = arith.mulf %d, %d : tensor<33554432xf32>
    %s = sinter.row_reduce add %q : tensor<33554432xf32> -> f32
    sinter.yield %d, %s : tensor<33554432xf32>, f32
  }
  return %0#0, %0#1 : tensor<33554432xf32>, tensor<f32>
}

// -----

// Rows that are read once, and short ones, are not asked for.

// CHECK-LABEL: func @small
//   CHECK-NOT: prefetch
//   CHECK-NOT: early
//   CHECK-NOT: online
//  AVX2-LABEL: func @small
func.func @small(%x: tensor<37x1003xf32>, %y: tensor<1000000x3xf32>, %e: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0 = sinter.rowwise (i = 37) by (j = 1003) ins(%x[i, j] : tensor<37x1003xf32>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<1003xf32>):
    %s = sinter.row_reduce add %a : tensor<1003xf32> -> f32
    sinter.yield %s : f32
  }
  %1 = sinter.rowwise (i = 1000000) by (j = 3) ins(%y[i, j] : tensor<1000000x3xf32>) reduce(maximumf [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<3xf32>):
    %s = sinter.row_reduce maximumf %a : tensor<3xf32> -> f32
    sinter.yield %s : f32
  }
  return %0, %1 : tensor<f32>, tensor<f32>
}

// -----

// One loop over long operands asks ahead where the processor is said to need it; a short one never does.

// CHECK-LABEL: func @long
//   CHECK-NOT: prefetch
// AHEAD-LABEL: func @long
//       AHEAD: prefetch = 4096
func.func @long(%x: tensor<4194304xbf16>, %y: tensor<4194304xbf16>, %e: tensor<f32>) -> tensor<f32> {
  %0 = sinter.rowwise () by (j = 4194304) ins(%x[j] : tensor<4194304xbf16>, %y[j] : tensor<4194304xbf16>) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<4194304xbf16>, %b: tensor<4194304xbf16>):
    %f = arith.extf %a : tensor<4194304xbf16> to tensor<4194304xf32>
    %g = arith.extf %b : tensor<4194304xbf16> to tensor<4194304xf32>
    %p = arith.mulf %f, %g : tensor<4194304xf32>
    %s = sinter.row_reduce add %p : tensor<4194304xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<f32>
}

// -----

// AHEAD-LABEL: func @short
//   AHEAD-NOT: prefetch
func.func @short(%x: tensor<65536xf32>, %e: tensor<f32>) -> tensor<f32> {
  %0 = sinter.rowwise () by (j = 65536) ins(%x[j] : tensor<65536xf32>) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<65536xf32>):
    %s = sinter.row_reduce add %a : tensor<65536xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<f32>
}

// -----

// A few rows of any length are whole, so that the maximum and its sum are one loop; so few that threads would be idle
// are shared.

// CHECK-LABEL: func @few
//       CHECK: schedule(#sinter.rows<chunk = 1, elements = 16384, lanes = {{[0-9]+}}, maximum = "online", online_from = {{[0-9]+}}, plain = 4, residency = "reread"
// CHECK-LABEL: func @very_few
//       CHECK: schedule(#sinter.rows<chunk = 1, columns = 65536, lanes
func.func @few(%x: tensor<12x?xf32>, %e: tensor<12xf32>) -> tensor<12xf32> {
  %0 = sinter.rowwise (i = 12) by (j = ?) ins(%x[i, j] : tensor<12x?xf32>) outs(%e[i] : tensor<12xf32>) {
  ^row(%a: tensor<?xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<?xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<?xf32>
    %d = arith.subf %a, %b : tensor<?xf32>
    %p = math.exp %d : tensor<?xf32>
    %s = sinter.row_reduce add %p : tensor<?xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<12xf32>
}
func.func @very_few(%x: tensor<3x?xf32>, %e: tensor<3xf32>) -> tensor<3xf32> {
  %0 = sinter.rowwise (i = 3) by (j = ?) ins(%x[i, j] : tensor<3x?xf32>) outs(%e[i] : tensor<3xf32>) {
  ^row(%a: tensor<?xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<?xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<?xf32>
    %d = arith.subf %a, %b : tensor<?xf32>
    %p = math.exp %d : tensor<?xf32>
    %s = sinter.row_reduce add %p : tensor<?xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<3xf32>
}

// -----

// Exponentials of a row are kept while they are 10 KB or less, of any length, in f32 for halves too. So are those of an
// odd length, with the maximum in the same loop.

// CHECK-LABEL: func @kept_of_any_length
//       CHECK: schedule(#sinter.rows<buffer_to = 2560, chunk = 1, elements = 16384, lanes = 16, maximum = "online", online_from = 1024, plain = 4, residency = "buffer"
func.func @kept_of_any_length(%x: tensor<40x?xf32>, %e: tensor<40x?xf32>) -> tensor<40x?xf32> {
  %0 = sinter.rowwise (i = 40) by (j = ?) ins(%x[i, j] : tensor<40x?xf32>) outs(%e[i, j] : tensor<40x?xf32>) {
  ^row(%a: tensor<?xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<?xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<?xf32>
    %d = arith.subf %a, %b : tensor<?xf32>
    %p = math.exp %d : tensor<?xf32>
    %s = sinter.row_reduce add %p : tensor<?xf32> -> f32
    %t = sinter.broadcast %s : f32 -> tensor<?xf32>
    %y = arith.divf %p, %t : tensor<?xf32>
    sinter.yield %y : tensor<?xf32>
  }
  return %0 : tensor<40x?xf32>
}

// CHECK-LABEL: func @kept_of_halves
//       CHECK: schedule(#sinter.rows<buffer_to = 2560,
func.func @kept_of_halves(%x: tensor<40x?xbf16>, %e: tensor<40x?xbf16>) -> tensor<40x?xbf16> {
  %0 = sinter.rowwise (i = 40) by (j = ?) ins(%x[i, j] : tensor<40x?xbf16>) outs(%e[i, j] : tensor<40x?xbf16>) {
  ^row(%h: tensor<?xbf16>):
    %a = arith.extf %h : tensor<?xbf16> to tensor<?xf32>
    %m = sinter.row_reduce maximumf %a : tensor<?xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<?xf32>
    %d = arith.subf %a, %b : tensor<?xf32>
    %p = math.exp %d : tensor<?xf32>
    %s = sinter.row_reduce add %p : tensor<?xf32> -> f32
    %t = sinter.broadcast %s : f32 -> tensor<?xf32>
    %y = arith.divf %p, %t : tensor<?xf32>
    %z = arith.truncf %y : tensor<?xf32> to tensor<?xbf16>
    sinter.yield %z : tensor<?xbf16>
  }
  return %0 : tensor<40x?xbf16>
}

// CHECK-LABEL: func @kept_of_2560
//       CHECK: schedule(#sinter.rows<chunk = 7, lanes = 16, maximum = "online", residency = "buffer"
func.func @kept_of_2560(%x: tensor<40x2560xf32>, %e: tensor<40x2560xf32>) -> tensor<40x2560xf32> {
  %0 = sinter.rowwise (i = 40) by (j = 2560) ins(%x[i, j] : tensor<40x2560xf32>) outs(%e[i, j] : tensor<40x2560xf32>) {
  ^row(%h: tensor<2560xf32>):
    %a = arith.negf %h : tensor<2560xf32>
    %m = sinter.row_reduce maximumf %a : tensor<2560xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<2560xf32>
    %d = arith.subf %a, %b : tensor<2560xf32>
    %p = math.exp %d : tensor<2560xf32>
    %s = sinter.row_reduce add %p : tensor<2560xf32> -> f32
    %t = sinter.broadcast %s : f32 -> tensor<2560xf32>
    %y = arith.divf %p, %t : tensor<2560xf32>
    sinter.yield %y : tensor<2560xf32>
  }
  return %0 : tensor<40x2560xf32>
}

// CHECK-LABEL: func @again_of_2561
//       CHECK: schedule(#sinter.rows<chunk = 7, lanes = 16, maximum = "online", residency = "reread"
func.func @again_of_2561(%x: tensor<40x2561xf32>, %e: tensor<40x2561xf32>) -> tensor<40x2561xf32> {
  %0 = sinter.rowwise (i = 40) by (j = 2561) ins(%x[i, j] : tensor<40x2561xf32>) outs(%e[i, j] : tensor<40x2561xf32>) {
  ^row(%h: tensor<2561xf32>):
    %a = arith.negf %h : tensor<2561xf32>
    %m = sinter.row_reduce maximumf %a : tensor<2561xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<2561xf32>
    %d = arith.subf %a, %b : tensor<2561xf32>
    %p = math.exp %d : tensor<2561xf32>
    %s = sinter.row_reduce add %p : tensor<2561xf32> -> f32
    %t = sinter.broadcast %s : f32 -> tensor<2561xf32>
    %y = arith.divf %p, %t : tensor<2561xf32>
    sinter.yield %y : tensor<2561xf32>
  }
  return %0 : tensor<40x2561xf32>
}

// What takes several functions is kept of long rows, too, as far as a second cache goes.

// CHECK-LABEL: func @heavy_of_8192
//       CHECK: schedule(#sinter.rows<{{.*}}residency = "buffer"
func.func @heavy_of_8192(%x: tensor<40x8192xf32>, %e: tensor<40x8192xf32>) -> tensor<40x8192xf32> {
  %0 = sinter.rowwise (i = 40) by (j = 8192) ins(%x[i, j] : tensor<40x8192xf32>) outs(%e[i, j] : tensor<40x8192xf32>) {
  ^row(%h: tensor<8192xf32>):
    %a = math.erf %h : tensor<8192xf32>
    %m = sinter.row_reduce maximumf %a : tensor<8192xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<8192xf32>
    %d = arith.subf %a, %b : tensor<8192xf32>
    %p = math.exp %d : tensor<8192xf32>
    %s = sinter.row_reduce add %p : tensor<8192xf32> -> f32
    %t = sinter.broadcast %s : f32 -> tensor<8192xf32>
    %y = arith.divf %p, %t : tensor<8192xf32>
    sinter.yield %y : tensor<8192xf32>
  }
  return %0 : tensor<40x8192xf32>
}

// CHECK-LABEL: func @heavy_of_any_length
//       CHECK: schedule(#sinter.rows<buffer_to = 131072{{.*}}residency = "buffer"
func.func @heavy_of_any_length(%x: tensor<40x?xf32>, %e: tensor<40x?xf32>) -> tensor<40x?xf32> {
  %0 = sinter.rowwise (i = 40) by (j = ?) ins(%x[i, j] : tensor<40x?xf32>) outs(%e[i, j] : tensor<40x?xf32>) {
  ^row(%h: tensor<?xf32>):
    %a = math.erf %h : tensor<?xf32>
    %m = sinter.row_reduce maximumf %a : tensor<?xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<?xf32>
    %d = arith.subf %a, %b : tensor<?xf32>
    %p = math.exp %d : tensor<?xf32>
    %s = sinter.row_reduce add %p : tensor<?xf32> -> f32
    %t = sinter.broadcast %s : f32 -> tensor<?xf32>
    %y = arith.divf %p, %t : tensor<?xf32>
    sinter.yield %y : tensor<?xf32>
  }
  return %0 : tensor<40x?xf32>
}

// CHECK-LABEL: func @kept_of_odd_length
//       CHECK: schedule(#sinter.rows<chunk = 16, lanes = 16, maximum = "online", residency = "buffer"
func.func @kept_of_odd_length(%x: tensor<40x1037xf32>, %e: tensor<40x1037xf32>) -> tensor<40x1037xf32> {
  %0 = sinter.rowwise (i = 40) by (j = 1037) ins(%x[i, j] : tensor<40x1037xf32>) outs(%e[i, j] : tensor<40x1037xf32>) {
  ^row(%a: tensor<1037xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<1037xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<1037xf32>
    %d = arith.subf %a, %b : tensor<1037xf32>
    %p = math.exp %d : tensor<1037xf32>
    %s = sinter.row_reduce add %p : tensor<1037xf32> -> f32
    %t = sinter.broadcast %s : f32 -> tensor<1037xf32>
    %y = arith.divf %p, %t : tensor<1037xf32>
    sinter.yield %y : tensor<1037xf32>
  }
  return %0 : tensor<40x1037xf32>
}

// -----

// One loop for the maximum and the sum under it is worth it from 36 vectors on, and from 64 where it keeps
// exponentials.

// CHECK-LABEL: func @sum_of_35_vectors
//   CHECK-NOT: "online"
// CHECK-LABEL: func @sum_of_36_vectors
//       CHECK: maximum = "online"
// CHECK-LABEL: func @kept_of_63_vectors
//   CHECK-NOT: "online"
// CHECK-LABEL: func @kept_of_64_vectors
//       CHECK: maximum = "online", residency = "buffer"
func.func @sum_of_35_vectors(%x: tensor<40x575xf32>, %e: tensor<40xf32>) -> tensor<40xf32> {
  %0 = sinter.rowwise (i = 40) by (j = 575) ins(%x[i, j] : tensor<40x575xf32>) outs(%e[i] : tensor<40xf32>) {
  ^row(%a: tensor<575xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<575xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<575xf32>
    %d = arith.subf %a, %b : tensor<575xf32>
    %p = math.exp %d : tensor<575xf32>
    %s = sinter.row_reduce add %p : tensor<575xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<40xf32>
}

func.func @sum_of_36_vectors(%x: tensor<40x576xf32>, %e: tensor<40xf32>) -> tensor<40xf32> {
  %0 = sinter.rowwise (i = 40) by (j = 576) ins(%x[i, j] : tensor<40x576xf32>) outs(%e[i] : tensor<40xf32>) {
  ^row(%a: tensor<576xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<576xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<576xf32>
    %d = arith.subf %a, %b : tensor<576xf32>
    %p = math.exp %d : tensor<576xf32>
    %s = sinter.row_reduce add %p : tensor<576xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<40xf32>
}

func.func @kept_of_63_vectors(%x: tensor<40x1023xf32>, %e: tensor<40x1023xf32>) -> tensor<40x1023xf32> {
  %0 = sinter.rowwise (i = 40) by (j = 1023) ins(%x[i, j] : tensor<40x1023xf32>) outs(%e[i, j] : tensor<40x1023xf32>) {
  ^row(%a: tensor<1023xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<1023xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<1023xf32>
    %d = arith.subf %a, %b : tensor<1023xf32>
    %p = math.exp %d : tensor<1023xf32>
    %s = sinter.row_reduce add %p : tensor<1023xf32> -> f32
    %t = sinter.broadcast %s : f32 -> tensor<1023xf32>
    %y = arith.divf %p, %t : tensor<1023xf32>
    sinter.yield %y : tensor<1023xf32>
  }
  return %0 : tensor<40x1023xf32>
}

func.func @kept_of_64_vectors(%x: tensor<40x1024xf32>, %e: tensor<40x1024xf32>) -> tensor<40x1024xf32> {
  %0 = sinter.rowwise (i = 40) by (j = 1024) ins(%x[i, j] : tensor<40x1024xf32>) outs(%e[i, j] : tensor<40x1024xf32>) {
  ^row(%a: tensor<1024xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<1024xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<1024xf32>
    %d = arith.subf %a, %b : tensor<1024xf32>
    %p = math.exp %d : tensor<1024xf32>
    %s = sinter.row_reduce add %p : tensor<1024xf32> -> f32
    %t = sinter.broadcast %s : f32 -> tensor<1024xf32>
    %y = arith.divf %p, %t : tensor<1024xf32>
    sinter.yield %y : tensor<1024xf32>
  }
  return %0 : tensor<40x1024xf32>
}
