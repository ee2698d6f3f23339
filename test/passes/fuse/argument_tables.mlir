// RUN: sinter-opt --sinter-fuse --split-input-file %s | FileCheck %s

// Small kernels of arguments alone, of the same sizes, are one, where the first stood, though they share nothing. In
// rows of an unknown number they stay outside of what reads them.

// CHECK-LABEL: func @tables
//       CHECK:   %[[T:.+]]:2 = sinter.rowwise (i = 16) by ()
//  CHECK-NEXT:     ins(%arg1[i] : tensor<16xf32>, %arg2[i] : tensor<16xf32>)
//       CHECK:     math.rsqrt
//       CHECK:     math.exp
//       CHECK:   sinter.rowwise (i = ?) by (j = 16)
//   CHECK-NOT:   (i = 16)
//       CHECK:   return
func.func @tables(%x: tensor<?x16xf32>, %v: tensor<16xf32>, %w: tensor<16xf32>, %n: index)
    -> (tensor<?x16xf32>, tensor<?x16xf32>) {
  %e = tensor.empty() : tensor<16xf32>
  %f = tensor.empty(%n) : tensor<?x16xf32>
  %r = sinter.rowwise (i = 16) by () ins(%v[i] : tensor<16xf32>) outs(%e[i] : tensor<16xf32>) {
  ^row(%a: f32):
    %p = math.rsqrt %a : f32
    sinter.yield %p : f32
  }
  %y = sinter.rowwise (i = ?) by (j = 16)
      ins(%x[i, j] : tensor<?x16xf32>, %r[j] : tensor<16xf32>)
      outs(%f[i, j] : tensor<?x16xf32>) {
  ^row(%a: tensor<16xf32>, %b: tensor<16xf32>):
    %p = arith.mulf %a, %b : tensor<16xf32>
    %m = sinter.row_reduce maximumf %p : tensor<16xf32> -> f32
    %q = sinter.broadcast %m : f32 -> tensor<16xf32>
    %d = arith.subf %p, %q : tensor<16xf32>
    sinter.yield %d : tensor<16xf32>
  }
  %g = tensor.empty() : tensor<16xf32>
  %s = sinter.rowwise (i = 16) by () ins(%w[i] : tensor<16xf32>) outs(%g[i] : tensor<16xf32>) {
  ^row(%a: f32):
    %p = math.exp %a : f32
    sinter.yield %p : f32
  }
  %z = sinter.rowwise (i = ?) by (j = 16)
      ins(%y[i, 15 - j] : tensor<?x16xf32>, %s[j] : tensor<16xf32>)
      outs(%f[i, j] : tensor<?x16xf32>) {
  ^row(%a: tensor<16xf32>, %b: tensor<16xf32>):
    %p = arith.mulf %a, %b : tensor<16xf32>
    %m = sinter.row_reduce maximumf %p : tensor<16xf32> -> f32
    %q = sinter.broadcast %m : f32 -> tensor<16xf32>
    %d = arith.subf %p, %q : tensor<16xf32>
    sinter.yield %d : tensor<16xf32>
  }
  return %y, %z : tensor<?x16xf32>, tensor<?x16xf32>
}

// -----

// Of other sizes, and of what another kernel makes: apart.

// CHECK-LABEL: func @others
// CHECK-COUNT-4: sinter.rowwise
//       CHECK:   return
func.func @others(%v: tensor<16xf32>, %w: tensor<15xf32>, %x: tensor<8x16xf32>)
    -> (tensor<16xf32>, tensor<15xf32>, tensor<16xf32>) {
  %e = tensor.empty() : tensor<16xf32>
  %g = tensor.empty() : tensor<15xf32>
  %r = sinter.rowwise (i = 16) by () ins(%v[i] : tensor<16xf32>) outs(%e[i] : tensor<16xf32>) {
  ^row(%a: f32):
    %p = math.rsqrt %a : f32
    sinter.yield %p : f32
  }
  %s = sinter.rowwise (i = 15) by () ins(%w[i] : tensor<15xf32>) outs(%g[i] : tensor<15xf32>) {
  ^row(%a: f32):
    %p = math.exp %a : f32
    sinter.yield %p : f32
  }
  %m = sinter.rowwise (i = 8) by (j = 16)
      ins(%x[i, j] : tensor<8x16xf32>)
      reduce(add [j] : f32)
      outs(%e[j] : tensor<16xf32>) {
  ^row(%a: tensor<16xf32>):
    %p = math.exp %a : tensor<16xf32>
    sinter.yield %p : tensor<16xf32>
  }
  %t = sinter.rowwise (i = 16) by () ins(%m[15 - i] : tensor<16xf32>) outs(%e[i] : tensor<16xf32>) {
  ^row(%a: f32):
    %p = math.exp %a : f32
    sinter.yield %p : f32
  }
  return %r, %s, %t : tensor<16xf32>, tensor<15xf32>, tensor<16xf32>
}

// -----

// Large ones take longer than a kernel takes to begin, and stay where they are.

// CHECK-LABEL: func @large
// CHECK-COUNT-2: sinter.rowwise
//       CHECK:   return
func.func @large(%v: tensor<8193xf32>, %w: tensor<8193xf32>) -> (tensor<8193xf32>, tensor<8193xf32>) {
  %e = tensor.empty() : tensor<8193xf32>
  %r = sinter.rowwise (i = 8193) by () ins(%v[i] : tensor<8193xf32>) outs(%e[i] : tensor<8193xf32>) {
  ^row(%a: f32):
    %p = math.rsqrt %a : f32
    sinter.yield %p : f32
  }
  %s = sinter.rowwise (i = 8193) by () ins(%w[i] : tensor<8193xf32>) outs(%e[i] : tensor<8193xf32>) {
  ^row(%a: f32):
    %p = math.exp %a : f32
    sinter.yield %p : f32
  }
  return %r, %s : tensor<8193xf32>, tensor<8193xf32>
}

// -----

// One of another size between two that are alike parts them no more than anything else.

// CHECK-LABEL: func @between
//       CHECK:   sinter.rowwise (i = 16) by ()
//  CHECK-NEXT:     ins(%arg0[i] : tensor<16xf32>, %arg2[i] : tensor<16xf32>)
//       CHECK:   sinter.rowwise (i = 15) by ()
//   CHECK-NOT:   sinter.rowwise
//       CHECK:   return
func.func @between(%v: tensor<16xf32>, %w: tensor<15xf32>, %u: tensor<16xf32>) -> (tensor<16xf32>, tensor<15xf32>, tensor<16xf32>) {
  %e = tensor.empty() : tensor<16xf32>
  %g = tensor.empty() : tensor<15xf32>
  %h = tensor.empty() : tensor<16xf32>
  %r = sinter.rowwise (i = 16) by () ins(%v[i] : tensor<16xf32>) outs(%e[i] : tensor<16xf32>) {
  ^row(%a: f32):
    %p = math.rsqrt %a : f32
    sinter.yield %p : f32
  }
  %s = sinter.rowwise (i = 15) by () ins(%w[i] : tensor<15xf32>) outs(%g[i] : tensor<15xf32>) {
  ^row(%a: f32):
    %p = math.exp %a : f32
    sinter.yield %p : f32
  }
  %t = sinter.rowwise (i = 16) by () ins(%u[i] : tensor<16xf32>) outs(%h[i] : tensor<16xf32>) {
  ^row(%a: f32):
    %p = math.exp %a : f32
    sinter.yield %p : f32
  }
  return %r, %s, %t : tensor<16xf32>, tensor<15xf32>, tensor<16xf32>
}

// -----

// Sizes `?` that are made the same way are the same: few numbers for each. What reads nothing is written beside rows.

// CHECK-LABEL: func @unknown
//       CHECK:   %[[T:.+]]:3 = sinter.rowwise (i = ?) by (j = 4)
//  CHECK-NEXT:     ins(%arg0[i, j] : tensor<?x4xf32>, %arg1[j] : tensor<4xf32>)
//  CHECK-NEXT:     outs(%{{.+}}[i, j] : tensor<?x4xf32>, %{{.+}}[i, j] : tensor<?x4xf32>, %{{.+}}[i] : tensor<?xf32>)
//   CHECK-NOT:   sinter.rowwise
//       CHECK:   return %[[T]]#0, %[[T]]#1, %[[T]]#2
func.func @unknown(%x: tensor<?x4xf32>, %y: tensor<4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %r = sinter.rowwise (i = ?) by (j = 4) ins(%x[i, j] : tensor<?x4xf32>) outs(%e[i, j] : tensor<?x4xf32>) {
  ^row(%a: tensor<4xf32>):
    %p = math.rsqrt %a : tensor<4xf32>
    sinter.yield %p : tensor<4xf32>
  }
  %m = tensor.dim %x, %c0 : tensor<?x4xf32>
  %f = tensor.empty(%m) : tensor<?x4xf32>
  %s = sinter.rowwise (i = ?) by (j = 4)
      ins(%y[j] : tensor<4xf32>)
      outs(%f[i, j] : tensor<?x4xf32>) {
  ^row(%a: tensor<4xf32>):
    %p = math.exp %a : tensor<4xf32>
    sinter.yield %p : tensor<4xf32>
  }
  %g = tensor.empty(%m) : tensor<?xf32>
  %t = sinter.rowwise () by (i = ?) outs(%g[i] : tensor<?xf32>) {
    %one = arith.constant 1.0 : f32
    %p = sinter.broadcast %one : f32 -> tensor<?xf32>
    sinter.yield %p : tensor<?xf32>
  }
  return %r, %s, %t : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?xf32>
}

// -----

// Sizes that nobody says are one, and that are not few numbers for each: apart.

// CHECK-LABEL: func @two_unknown
// CHECK-COUNT-4: sinter.rowwise
//       CHECK:   return
func.func @two_unknown(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?x65xf32>, %n: index)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?x65xf32>, tensor<?x65xf32>) {
  %c0 = arith.constant 0 : index
  %nx = tensor.dim %x, %c0 : tensor<?xf32>
  %ny = tensor.dim %y, %c0 : tensor<?xf32>
  %nz = tensor.dim %z, %c0 : tensor<?x65xf32>
  %e = tensor.empty(%nx) : tensor<?xf32>
  %f = tensor.empty(%ny) : tensor<?xf32>
  %g = tensor.empty(%nz) : tensor<?x65xf32>
  %r = sinter.rowwise (i = ?) by () ins(%x[i] : tensor<?xf32>) outs(%e[i] : tensor<?xf32>) {
  ^row(%a: f32):
    %p = math.rsqrt %a : f32
    sinter.yield %p : f32
  }
  %s = sinter.rowwise (i = ?) by () ins(%y[i] : tensor<?xf32>) outs(%f[i] : tensor<?xf32>) {
  ^row(%a: f32):
    %p = math.exp %a : f32
    sinter.yield %p : f32
  }
  %t = sinter.rowwise (i = ?) by (j = 65) outs(%g[i, j] : tensor<?x65xf32>) {
    %i = sinter.index i : index
    %k = arith.index_cast %i : index to i32
    %p = arith.sitofp %k : i32 to f32
    %q = sinter.broadcast %p : f32 -> tensor<65xf32>
    sinter.yield %q : tensor<65xf32>
  }
  %u = sinter.rowwise (i = ?) by (j = 65) ins(%z[i, j] : tensor<?x65xf32>) outs(%g[i, j] : tensor<?x65xf32>) {
  ^row(%a: tensor<65xf32>):
    %p = math.exp %a : tensor<65xf32>
    sinter.yield %p : tensor<65xf32>
  }
  return %r, %s, %t, %u : tensor<?xf32>, tensor<?xf32>, tensor<?x65xf32>, tensor<?x65xf32>
}
