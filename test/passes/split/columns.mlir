// RUN: sinter-opt %s --sinter-split=target=cpu | FileCheck %s
// RUN: sinter-opt %s --sinter-split=target=gpu | FileCheck %s --check-prefix=GPU
// RUN: sinter-run %s --entry=shared --verify --shape=3x4x6 --shape=3x5x6 --shape=3x4x5 | FileCheck %s --check-prefix=SAME
// RUN: sinter-run %s --entry=all --verify --wrt=0,1 | FileCheck %s --check-prefix=SAME
// RUN: sinter-run %s --entry=chain --verify | FileCheck %s --check-prefix=SAME
// RUN: sinter-run %s --entry=all --explain | FileCheck %s --check-prefix=WHY

// A CPU's kernel has rows that come from one side of a product, and columns from the other. Where both sides use
// columns, those of one are rows of a form that makes the product alone.

// CHECK-LABEL: func @shared
//       CHECK:   %[[P:.+]] = sinter.contract (i = ?, h = ?) by (j = ?)
//  CHECK-NEXT:     product (k = ?) (%{{.+}}[i, h, k] : tensor<?x?x?xf32>, %{{.+}}[i, j, k] : tensor<?x?x?xf32>) : f32
//  CHECK-NEXT:     outs(%{{.+}}[i, h, j] : tensor<?x?x?xf32>)
//       CHECK:   sinter.rowwise (i = ?) by (h = ?, j = ?)
//  CHECK-NEXT:     ins(%[[P]][i, h, j] : tensor<?x?x?xf32>)
//       CHECK:     math.tanh
//        SAME: agrees
//   GPU-LABEL: func @shared
//         GPU:   sinter.contract (i = ?) by (h = ?, j = ?)
//     GPU-NOT:   sinter.rowwise
func.func @shared(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>, %e: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %o = sinter.contract (i = ?) by (h = ?, j = ?)
      product (k = ?) (%a[i, h, k] : tensor<?x?x?xf32>, %b[i, j, k] : tensor<?x?x?xf32>) : f32
      outs(%e[i, h, j] : tensor<?x?x?xf32>) {
  ^row(%acc: tensor<?xf32>):
    %y = math.tanh %acc : tensor<?xf32>
    sinter.yield %y : tensor<?xf32>
  }
  return %o : tensor<?x?x?xf32>
}

// Both sides use all columns: none is left, and a row is one element. Another product has columns of one side, and is
// made apart too.

// CHECK-LABEL: func @all
//       CHECK:   %[[P:.+]] = sinter.contract (i = 3, j = 5) by ()
//  CHECK-NEXT:     product (k = 6) (%arg0[i, j, k] : tensor<3x5x6xf32>, side(%arg1[j, k] : tensor<5x6xf32>) {
//       CHECK:       sinter.index j : index
//       CHECK:   ^row(%[[ACC:.+]]: tensor<1xf32>):
//  CHECK-NEXT:     %[[S:.+]] = sinter.row_reduce add %[[ACC]] : tensor<1xf32> -> f32
//  CHECK-NEXT:     sinter.yield %[[S]] : f32
//       CHECK:   %[[Q:.+]] = sinter.contract (i = 3) by (j = 5)
//       CHECK:   sinter.rowwise (i = 3) by (j = 5)
//  CHECK-NEXT:     ins(%[[P]][i, j] : tensor<3x5xf32>, %[[Q]][i, j] : tensor<3x5xf32>, %arg3[j] : tensor<5xf32>)
//       CHECK:   finish
//   GPU-LABEL: func @all
//         WHY: could be one: a CPU's kernel multiplies rows by columns, and both sides use columns
func.func @all(%a: tensor<3x5x6xf32>, %b: tensor<5x6xf32>, %c: tensor<3x4xf32>, %d: tensor<5xf32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %o = sinter.contract (i = 3) by (j = 5)
      product (k = 6) (%a[i, j, k] : tensor<3x5x6xf32>, side(%b[j, k] : tensor<5x6xf32>) {
      ^side(%v: tensor<6xf32>):
        %j = sinter.index j : index
        %n = arith.index_cast %j : index to i64
        %f = arith.sitofp %n : i64 to f32
        %r = sinter.broadcast %f : f32 -> tensor<6xf32>
        %w = arith.mulf %v, %r : tensor<6xf32>
        sinter.yield %w : tensor<6xf32>
      }) : f32
      product (l = 4) (%c[i, l] : tensor<3x4xf32>, %c[i, l] : tensor<3x4xf32>) : f32
      ins(%d[j] : tensor<5xf32>)
      reduce(add [] : f32)
      outs(%e[] : tensor<f32>) {
  ^row(%p: tensor<5xf32>, %q: tensor<5xf32>, %x: tensor<5xf32>):
    %y = arith.mulf %p, %q : tensor<5xf32>
    %z = arith.mulf %y, %x : tensor<5xf32>
    %s = sinter.row_reduce add %z : tensor<5xf32> -> f32
    sinter.yield %s : f32
  } finish {
  ^done(%s: f32):
    %n = arith.constant 3.0 : f32
    %m = arith.divf %s, %n : f32
    sinter.yield %m : f32
  }
  return %o : tensor<f32>
}

// A form of two groups is cut for it first.

// CHECK-LABEL: func @chain
//       CHECK:   sinter.contract (i = 3, h = 4) by (j = 5)
//       CHECK:   sinter.rowwise (i = 3) by (h = 4, j = 5)
//       CHECK:   sinter.contract (i = 3) by (e = 2)
//  CHECK-NEXT:     product (h = 4, j = 5)
func.func @chain(%a: tensor<3x4x6xf32>, %b: tensor<5x6xf32>, %v: tensor<4x5x2xf32>) -> tensor<3x2xf32> {
  %e = tensor.empty() : tensor<3x2xf32>
  %o = sinter.contract (i = 3) by (h = 4, j = 5) by (e = 2)
      product (k = 6) (%a[i, h, k] : tensor<3x4x6xf32>, %b[j, k] : tensor<5x6xf32>) : f32
      matrix (h, j) to (e) (%v[h, j, e] : tensor<4x5x2xf32>)
      outs(%e[i, e] : tensor<3x2xf32>) {
  ^row(%acc: tensor<20xf32>, %m: tensor<20x2xf32>):
    %y = math.tanh %acc : tensor<20xf32>
    %u = sinter.row_product %y, %m : tensor<20xf32>, tensor<20x2xf32> -> tensor<2xf32>
    sinter.yield %u : tensor<2xf32>
  }
  return %o : tensor<3x2xf32>
}

// Products without columns are rows of one element, and stored as numbers; what is computed of one is computed of a row
// of it.

//   GPU-LABEL: func @numbers
//         GPU:   %[[P:.+]]:2 = sinter.contract (b = 8) by ()
//         GPU:     outs(%{{.+}}[b] : tensor<8xf32>, %{{.+}}[b] : tensor<8xf32>) {
//         GPU:     sinter.row_reduce add %{{.+}} : tensor<1xf32> -> f32
//         GPU:     sinter.row_reduce add %{{.+}} : tensor<1xf32> -> f32
//    GPU-NEXT:     sinter.yield %{{.+}}, %{{.+}} : f32, f32
//         GPU:   sinter.rowwise (b = 8) by ()
//    GPU-NEXT:     ins(%[[P]]#0[b] : tensor<8xf32>, %[[P]]#1[b] : tensor<8xf32>)
//         GPU:   ^row(%[[X:.+]]: f32, %[[Y:.+]]: f32):
//    GPU-NEXT:     %[[R:.+]] = sinter.broadcast %[[X]] : f32 -> tensor<1xf32>
//         GPU:     arith.mulf %[[R]], %{{.+}} : tensor<1xf32>
//     GPU-NOT:     maximumf
//         GPU:     sinter.yield %[[Y]], %{{.+}} : f32, f32
func.func @numbers(%x: tensor<4xf32>, %v: tensor<8x4xf32>, %w: tensor<40x8xf32>) -> (tensor<8xf32>, tensor<f32>) {
  %ey = tensor.empty() : tensor<8xf32>
  %ez = tensor.empty() : tensor<f32>
  %y:2 = sinter.contract (b = 8) by ()
      product (k = 4) (%x[k] : tensor<4xf32>, %v[b, k] : tensor<8x4xf32>) : f32
      product (m = 40) (%w[m, b] : tensor<40x8xf32>, %w[m, b] : tensor<40x8xf32>) : f32
      reduce(maximumf [] : f32)
      outs(%ey[b] : tensor<8xf32>, %ez[] : tensor<f32>) {
  ^row(%p: tensor<1xf32>, %q: tensor<1xf32>):
    %two = arith.constant dense<2.0> : tensor<1xf32>
    %t = arith.mulf %p, %two : tensor<1xf32>
    %u = arith.addf %t, %q : tensor<1xf32>
    %s = sinter.row_reduce add %u : tensor<1xf32> -> f32
    %m = sinter.row_reduce maximumf %q : tensor<1xf32> -> f32
    sinter.yield %m, %s : f32, f32
  } finish {
  ^done(%f: f32):
    sinter.yield %f : f32
  }
  return %y#0, %y#1 : tensor<8xf32>, tensor<f32>
}

// A result behind all rows that reads nothing of them is not for a kernel of products.

//   GPU-LABEL: func @behind
//         GPU:   %[[P:.+]] = sinter.contract (i = 16) by (j = 20)
//         GPU:     outs(%{{.+}}[i, j] : tensor<16x20xf32>) {
//         GPU:   sinter.rowwise (i = 16) by (j = 20)
//    GPU-NEXT:     ins(%[[P]][i, j] : tensor<16x20xf32>)
//         GPU:   finish
//    GPU-NEXT:     arith.constant dense<1.500000e+00>
func.func @behind(%x: tensor<16x17xf32>, %w: tensor<20x17xf32>) -> (tensor<16x20xf32>, tensor<20xf32>) {
  %ey = tensor.empty() : tensor<16x20xf32>
  %ez = tensor.empty() : tensor<20xf32>
  %r:2 = sinter.contract (i = 16) by (j = 20)
      product (l = 17) (%x[i, l] : tensor<16x17xf32>, %w[j, l] : tensor<20x17xf32>) : f32
      outs(%ey[i, j] : tensor<16x20xf32>, %ez[j] : tensor<20xf32>) {
  ^row(%p: tensor<20xf32>):
    %t = math.tanh %p : tensor<20xf32>
    sinter.yield %t : tensor<20xf32>
  } finish {
    %c = arith.constant dense<1.5> : tensor<20xf32>
    sinter.yield %c : tensor<20xf32>
  }
  return %r#0, %r#1 : tensor<16x20xf32>, tensor<20xf32>
}

// A side that gathers rows and computes is stored, and its index tensor with it.

//   GPU-LABEL: func @gathered
//         GPU:   %[[S:.+]] = sinter.rowwise (i = 17)
//         GPU:     ins(%arg0[%arg1[i] : tensor<17xi64>, k]
//         GPU:   sinter.contract (i = 17) by (j = 2) by (j1 = 7)
//    GPU-NEXT:     product (k = 17) (%[[S]][i, k] : tensor<17x17xbf16>, %arg2[j, k] : tensor<2x17xbf16>) : f32
func.func @gathered(%a: tensor<10x17xbf16>, %at: tensor<17xi64>, %b: tensor<2x17xbf16>, %v: tensor<2x7xbf16>)
    -> tensor<17x7xf32> {
  %e = tensor.empty() : tensor<17x7xf32>
  %o = sinter.contract (i = 17) by (j = 2) by (j1 = 7)
      product (k = 17) (side(%a[%at[i] : tensor<17xi64>, k] : tensor<10x17xbf16> else 0.0) {
      ^side(%x: tensor<17xbf16>):
        %n = arith.negf %x : tensor<17xbf16>
        sinter.yield %n : tensor<17xbf16>
      }, %b[j, k] : tensor<2x17xbf16>) : f32
      matrix (j) to (j1) (%v[j, j1] : tensor<2x7xbf16>)
      outs(%e[i, j1] : tensor<17x7xf32>) {
  ^row(%p: tensor<2xf32>, %w: tensor<2x7xbf16>):
    %m = sinter.row_reduce maximumf %p : tensor<2xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<2xf32>
    %d = arith.subf %p, %mb : tensor<2xf32>
    %x = math.exp %d : tensor<2xf32>
    %s = sinter.row_reduce add %x : tensor<2xf32> -> f32
    %one = arith.constant 1.0 : f32
    %r = arith.divf %one, %s : f32
    %rb = sinter.broadcast %r : f32 -> tensor<2xf32>
    %q = arith.mulf %x, %rb : tensor<2xf32>
    %h = arith.truncf %q : tensor<2xf32> to tensor<2xbf16>
    %y = sinter.row_product %h, %w : tensor<2xbf16>, tensor<2x7xbf16> -> tensor<7xf32>
    sinter.yield %y : tensor<7xf32>
  }
  return %o : tensor<17x7xf32>
}

// A table stays what it is beside products that are stored.

//   GPU-LABEL: func @table
//         GPU:   %[[P:.+]] = sinter.contract (i = 5) by (j = 4)
//         GPU:   sinter.rowwise (i = 5) by (j = 4)
//         GPU:   ^row(%{{.+}}: tensor<4xf32>, %[[T:.+]]: memref<13xf16>, %{{.+}}: i64):
//         GPU:     sinter.gather %[[T]]
func.func @table(%x: tensor<5x6xf32>, %w: tensor<4x6xf32>, %t: tensor<13xf16>, %at: tensor<5xi64>) -> tensor<5x4xf32> {
  %e = tensor.empty() : tensor<5x4xf32>
  %o = sinter.contract (i = 5) by (j = 4)
      product (k = 6) (%x[i, k] : tensor<5x6xf32>, %w[j, k] : tensor<4x6xf32>) : f32
      ins(%t[?] : tensor<13xf16>, %at[i] : tensor<5xi64>)
      outs(%e[i, j] : tensor<5x4xf32>) {
  ^row(%p: tensor<4xf32>, %table: memref<13xf16>, %n: i64):
    %zero = arith.constant 0.0 : f16
    %k = arith.index_cast %n : i64 to index
    %g = sinter.gather %table[%k] else %zero : memref<13xf16>, index -> f16
    %f = arith.extf %g : f16 to f32
    %b = sinter.broadcast %f : f32 -> tensor<4xf32>
    %y = arith.addf %p, %b : tensor<4xf32>
    %s = sinter.row_reduce add %y : tensor<4xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<4xf32>
    %z = arith.subf %y, %sb : tensor<4xf32>
    sinter.yield %z : tensor<4xf32>
  }
  return %o : tensor<5x4xf32>
}
