// RUN: sinter-run %s --verify --entry=online
// RUN: sinter-run %s --verify --entry=online --cpu=haswell
// RUN: sinter-run %s --entry=online --input=%source/test/run/Inputs/row_corners.npy --expect=%source/test/run/Inputs/row_corners_want.npy
// RUN: sinter-run %s --entry=online --input=%source/test/run/Inputs/row_corners.npy --expect=%source/test/run/Inputs/row_corners_want.npy --cpu=haswell
// RUN: sinter-run %s --verify --entry=kept
// RUN: sinter-run %s --entry=kept --input=%source/test/run/Inputs/row_corners_even.npy --expect=%source/test/run/Inputs/row_corners_softmax.npy
// RUN: sinter-run %s --entry=kept --input=%source/test/run/Inputs/row_corners_even.npy --expect=%source/test/run/Inputs/row_corners_softmax.npy --cpu=haswell
// RUN: sinter-run %s --verify --entry=pieces --threads=1 --output=%t1 --output=%t2 --output=%t3
// RUN: sinter-run %s --verify --entry=pieces --threads=3 --output=%t4 --output=%t5 --output=%t6
// RUN: cmp %t1 %t4
// RUN: cmp %t2 %t5
// RUN: cmp %t3 %t6
// RUN: sinter-run %s --verify --entry=early
// RUN: sinter-run %s --verify --entry=early --cpu=haswell
// RUN: sinter-run %s --verify --entry=loss --threads=1 --output=%t1 --output=%t2
// RUN: sinter-run %s --verify --entry=loss --threads=2 --output=%t3 --output=%t4
// RUN: cmp %t1 %t3
// RUN: cmp %t2 %t4

// Maximum and sums in one loop. The rows of the input that is committed begin with -inf, end with inf, hold a NaN,
// nothing but -inf, nothing but the least number, and rise; what they give is NumPy's.

func.func @online(%x: tensor<7x515xf32>) -> (tensor<7x3xf32>) {
  %e = tensor.empty() : tensor<7xf32>
  %r:3 = sinter.rowwise (i = 7) by (j = 515) ins(%x[i, j] : tensor<7x515xf32>) outs(%e[i] : tensor<7xf32>, %e[i] : tensor<7xf32>, %e[i] : tensor<7xf32>)
      schedule(#sinter.rows<chunk = 2, lanes = 8, unroll = 4, maximum = "online", prefetch = 1024>) {
  ^row(%a: tensor<515xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<515xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<515xf32>
    %d = arith.subf %a, %mb : tensor<515xf32>
    %u = math.exp %d : tensor<515xf32>
    %s = sinter.row_reduce add %u : tensor<515xf32> -> f32
    %w = arith.mulf %a, %u : tensor<515xf32>
    %t = sinter.row_reduce add %w : tensor<515xf32> -> f32
    sinter.yield %m, %s, %t : f32, f32, f32
  }
  %a = tensor.expand_shape %r#0 [[0, 1]] output_shape [7, 1] : tensor<7xf32> into tensor<7x1xf32>
  %b = tensor.expand_shape %r#1 [[0, 1]] output_shape [7, 1] : tensor<7xf32> into tensor<7x1xf32>
  %c = tensor.expand_shape %r#2 [[0, 1]] output_shape [7, 1] : tensor<7xf32> into tensor<7x1xf32>
  %y = tensor.concat dim(1) %a, %b, %c : (tensor<7x1xf32>, tensor<7x1xf32>, tensor<7x1xf32>) -> tensor<7x3xf32>
  return %y : tensor<7x3xf32>
}

// The same, and exponentials kept under the maximum of their time.

func.func @kept(%x: tensor<7x512xf32>) -> tensor<7x512xf32> {
  %e = tensor.empty() : tensor<7x512xf32>
  %r = sinter.rowwise (i = 7) by (j = 512) ins(%x[i, j] : tensor<7x512xf32>) outs(%e[i, j] : tensor<7x512xf32>)
      schedule(#sinter.rows<chunk = 2, lanes = 16, unroll = 8, maximum = "online", residency = "buffer", next = "early">) {
  ^row(%a: tensor<512xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<512xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<512xf32>
    %d = arith.subf %a, %mb : tensor<512xf32>
    %u = math.exp %d : tensor<512xf32>
    %s = sinter.row_reduce add %u : tensor<512xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<512xf32>
    %p = arith.divf %u, %sb : tensor<512xf32>
    sinter.yield %p : tensor<512xf32>
  }
  return %r : tensor<7x512xf32>
}

// Three loops over rows in pieces, the last of which is odd: the same bits for any number of threads.

func.func @pieces(%x: tensor<3x1003xf32>) -> (tensor<3x1003xf32>, tensor<3xf32>, tensor<f32>) {
  %e = tensor.empty() : tensor<3x1003xf32>
  %m = tensor.empty() : tensor<3xf32>
  %z = tensor.empty() : tensor<f32>
  %r:3 = sinter.rowwise (i = 3) by (j = 1003) ins(%x[i, j] : tensor<3x1003xf32>) reduce(add [] : f32)
      outs(%e[i, j] : tensor<3x1003xf32>, %m[i] : tensor<3xf32>, %z[] : tensor<f32>)
      schedule(#sinter.rows<chunk = 1, columns = 64, lanes = 16, unroll = 2, prefetch = 1024>) {
  ^row(%a: tensor<1003xf32>):
    %m1 = sinter.row_reduce maximumf %a : tensor<1003xf32> -> f32
    %mb = sinter.broadcast %m1 : f32 -> tensor<1003xf32>
    %d = arith.subf %a, %mb : tensor<1003xf32>
    %u = math.exp %d : tensor<1003xf32>
    %s = sinter.row_reduce add %u : tensor<1003xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<1003xf32>
    %p = arith.divf %u, %sb : tensor<1003xf32>
    %l = math.log %s : f32
    sinter.yield %l, %p, %m1 : f32, tensor<1003xf32>, f32
  } finish {
  ^done(%s: f32):
    %n = arith.constant 3.0 : f32
    %l = arith.divf %s, %n : f32
    sinter.yield %l : f32
  }
  return %r#0, %r#1, %r#2 : tensor<3x1003xf32>, tensor<3xf32>, tensor<f32>
}

// Kept rows, aligned stores past the caches, the next row asked for.

func.func @early(%x: tensor<9x1008xbf16>) -> tensor<9x1008xbf16> {
  %e = tensor.empty() : tensor<9x1008xbf16>
  %r = sinter.rowwise (i = 9) by (j = 1008) ins(%x[i, j] : tensor<9x1008xbf16>) outs(%e[i, j] : tensor<9x1008xbf16>)
      schedule(#sinter.rows<chunk = 2, lanes = 16, unroll = 4, prefetch = 256, next = "early", residency = "buffer", stores = "streaming">) {
  ^row(%a: tensor<1008xbf16>):
    %f = arith.extf %a : tensor<1008xbf16> to tensor<1008xf32>
    %m = sinter.row_reduce maximumf %f : tensor<1008xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<1008xf32>
    %d = arith.subf %f, %mb : tensor<1008xf32>
    %u = math.exp %d : tensor<1008xf32>
    %s = sinter.row_reduce add %u : tensor<1008xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<1008xf32>
    %p = arith.divf %u, %sb : tensor<1008xf32>
    %h = arith.truncf %p : tensor<1008xf32> to tensor<1008xbf16>
    sinter.yield %h : tensor<1008xbf16>
  }
  return %r : tensor<9x1008xbf16>
}

// A loss of one long row and its gradient, as sinter-schedule has it.

func.func @loss(%x: tensor<1200003xf32>, %y: tensor<1200003xf32>) -> (tensor<f32>, tensor<1200003xf32>) {
  %e = tensor.empty() : tensor<1200003xf32>
  %z = tensor.empty() : tensor<f32>
  %r:2 = sinter.rowwise () by (j = 1200003) ins(%x[j] : tensor<1200003xf32>, %y[j] : tensor<1200003xf32>)
      outs(%e[j] : tensor<1200003xf32>, %z[] : tensor<f32>) {
  ^row(%a: tensor<1200003xf32>, %b: tensor<1200003xf32>):
    %d = arith.subf %a, %b : tensor<1200003xf32>
    %q = arith.mulf %d, %d : tensor<1200003xf32>
    %s = sinter.row_reduce add %q : tensor<1200003xf32> -> f32
    sinter.yield %d, %s : tensor<1200003xf32>, f32
  }
  return %r#1, %r#0 : tensor<f32>, tensor<1200003xf32>
}
