// RUN: sinter-opt %s --sinter-split=target=cpu --split-input-file | FileCheck %s

// A CPU's products with constant weights take them packed, which is done before the program runs; a block of rows that
// goes through both packs them again. 4 rows of 6 are stored sooner than 48 weights are packed.

// CHECK-LABEL: func @cut
//       CHECK:   %[[H:.+]] = sinter.contract (i = 4) by (j = 6)
//       CHECK:   sinter.contract (i = 4) by (o = 3)
//  CHECK-NEXT:     product (j = 6) (%[[H]][i, j] : tensor<4x6xf32>,
func.func @cut(%x: tensor<4x5xf32>) -> tensor<4x3xf32> {
  %w = arith.constant dense_resource<w> : tensor<5x6xf32>
  %v = arith.constant dense_resource<v> : tensor<6x3xf32>
  %e = tensor.empty() : tensor<4x3xf32>
  %0 = sinter.contract (i = 4) by (j = 6) by (o = 3)
      product (k = 5) (%x[i, k] : tensor<4x5xf32>, %w[k, j] : tensor<5x6xf32>) : f32
      matrix (j) to (o) (%v[j, o] : tensor<6x3xf32>)
      outs(%e[i, o] : tensor<4x3xf32>) {
  ^row(%a: tensor<6xf32>, %m: tensor<6x3xf32>):
    %h = math.tanh %a : tensor<6xf32>
    %o = sinter.row_product %h, %m : tensor<6xf32>, tensor<6x3xf32> -> tensor<3xf32>
    sinter.yield %o : tensor<3xf32>
  }
  return %0 : tensor<4x3xf32>
}
{-# dialect_resources: { builtin: {
  w: "0x040000000000803F0000004000004040000080400000A0400000C0400000E0400000004100001041000020410000304100004041000050410000604100007041000080410000884100009041000098410000A0410000A8410000B0410000B8410000C0410000C8410000D0410000D8410000E0410000E8410000F041",
  v: "0x040000000000803F0000004000004040000080400000A0400000C0400000E0400000004100001041000020410000304100004041000050410000604100007041000080410000884100009041"
} } #-}

// -----

// 64 rows of 6 are not.

// CHECK-LABEL: func @kept
//       CHECK:   sinter.contract (i = 64) by (j = 6) by (o = 3)
func.func @kept(%x: tensor<64x5xf32>) -> tensor<64x3xf32> {
  %w = arith.constant dense_resource<w> : tensor<5x6xf32>
  %v = arith.constant dense_resource<v> : tensor<6x3xf32>
  %e = tensor.empty() : tensor<64x3xf32>
  %0 = sinter.contract (i = 64) by (j = 6) by (o = 3)
      product (k = 5) (%x[i, k] : tensor<64x5xf32>, %w[k, j] : tensor<5x6xf32>) : f32
      matrix (j) to (o) (%v[j, o] : tensor<6x3xf32>)
      outs(%e[i, o] : tensor<64x3xf32>) {
  ^row(%a: tensor<6xf32>, %m: tensor<6x3xf32>):
    %h = math.tanh %a : tensor<6xf32>
    %o = sinter.row_product %h, %m : tensor<6xf32>, tensor<6x3xf32> -> tensor<3xf32>
    sinter.yield %o : tensor<3xf32>
  }
  return %0 : tensor<64x3xf32>
}
{-# dialect_resources: { builtin: {
  w: "0x040000000000803F0000004000004040000080400000A0400000C0400000E0400000004100001041000020410000304100004041000050410000604100007041000080410000884100009041000098410000A0410000A8410000B0410000B8410000C0410000C8410000D0410000D8410000E0410000E8410000F041",
  v: "0x040000000000803F0000004000004040000080400000A0400000C0400000E0400000004100001041000020410000304100004041000050410000604100007041000080410000884100009041"
} } #-}

// -----

// Arguments that ask to be packed are, however many rows there are; where one of the two is as it was given, there is
// nothing to be gained.

// CHECK-LABEL: func @asked
//       CHECK:   sinter.contract (i = ?) by (j = 6)
//       CHECK:   sinter.contract (i = ?) by (o = 3)
func.func @asked(%x: tensor<?x5xf32>, %w: tensor<5x6xf32> {sinter.pack}, %v: tensor<6x3xf32> {sinter.pack}, %e: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = sinter.contract (i = ?) by (j = 6) by (o = 3)
      product (k = 5) (%x[i, k] : tensor<?x5xf32>, %w[k, j] : tensor<5x6xf32>) : f32
      matrix (j) to (o) (%v[j, o] : tensor<6x3xf32>)
      outs(%e[i, o] : tensor<?x3xf32>) {
  ^row(%a: tensor<6xf32>, %m: tensor<6x3xf32>):
    %h = math.tanh %a : tensor<6xf32>
    %o = sinter.row_product %h, %m : tensor<6xf32>, tensor<6x3xf32> -> tensor<3xf32>
    sinter.yield %o : tensor<3xf32>
  }
  return %0 : tensor<?x3xf32>
}

// CHECK-LABEL: func @given
//       CHECK:   sinter.contract (i = ?) by (j = 6) by (o = 3)
func.func @given(%x: tensor<?x5xf32>, %w: tensor<5x6xf32> {sinter.pack}, %v: tensor<6x3xf32>, %e: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = sinter.contract (i = ?) by (j = 6) by (o = 3)
      product (k = 5) (%x[i, k] : tensor<?x5xf32>, %w[k, j] : tensor<5x6xf32>) : f32
      matrix (j) to (o) (%v[j, o] : tensor<6x3xf32>)
      outs(%e[i, o] : tensor<?x3xf32>) {
  ^row(%a: tensor<6xf32>, %m: tensor<6x3xf32>):
    %h = math.tanh %a : tensor<6xf32>
    %o = sinter.row_product %h, %m : tensor<6xf32>, tensor<6x3xf32> -> tensor<3xf32>
    sinter.yield %o : tensor<3xf32>
  }
  return %0 : tensor<?x3xf32>
}

// -----

// Matrices of more than a core's cache, which each block of rows would pack, and 1,024 multiplications for each number
// between the products: it is stored. Of 256 it is not, and rows of which a softmax is taken stay where they are.

// CHECK-LABEL: func @much
//       CHECK:   %[[H:.+]] = sinter.contract (i = 4096) by (j = 2048)
//       CHECK:   sinter.contract (i = 4096) by (o = 512)
//  CHECK-NEXT:     product (j = 2048) (%[[H]][i, j] : tensor<4096x2048xf32>,
func.func @much(%x: tensor<4096x512xf32>, %w: tensor<2048x512xf32>, %v: tensor<512x2048xf32>) -> tensor<4096x512xf32> {
  %e = tensor.empty() : tensor<4096x512xf32>
  %0 = sinter.contract (i = 4096) by (j = 2048) by (o = 512)
      product (k = 512) (%x[i, k] : tensor<4096x512xf32>, %w[j, k] : tensor<2048x512xf32>) : f32
      matrix (j) to (o) (%v[o, j] : tensor<512x2048xf32>)
      outs(%e[i, o] : tensor<4096x512xf32>) {
  ^row(%a: tensor<2048xf32>, %m: tensor<2048x512xf32>):
    %h = math.tanh %a : tensor<2048xf32>
    %o = sinter.row_product %h, %m : tensor<2048xf32>, tensor<2048x512xf32> -> tensor<512xf32>
    sinter.yield %o : tensor<512xf32>
  }
  return %0 : tensor<4096x512xf32>
}

// -----

// CHECK-LABEL: func @little
//       CHECK:   sinter.contract (i = 4096) by (j = 2048) by (o = 128)
func.func @little(%x: tensor<4096x128xf32>, %w: tensor<2048x128xf32>, %v: tensor<128x2048xf32>) -> tensor<4096x128xf32> {
  %e = tensor.empty() : tensor<4096x128xf32>
  %0 = sinter.contract (i = 4096) by (j = 2048) by (o = 128)
      product (k = 128) (%x[i, k] : tensor<4096x128xf32>, %w[j, k] : tensor<2048x128xf32>) : f32
      matrix (j) to (o) (%v[o, j] : tensor<128x2048xf32>)
      outs(%e[i, o] : tensor<4096x128xf32>) {
  ^row(%a: tensor<2048xf32>, %m: tensor<2048x128xf32>):
    %h = math.tanh %a : tensor<2048xf32>
    %o = sinter.row_product %h, %m : tensor<2048xf32>, tensor<2048x128xf32> -> tensor<128xf32>
    sinter.yield %o : tensor<128xf32>
  }
  return %0 : tensor<4096x128xf32>
}

// -----

// CHECK-LABEL: func @softmax
//       CHECK:   sinter.contract (i = 4096) by (j = 2048) by (o = 512)
func.func @softmax(%x: tensor<4096x512xf32>, %w: tensor<2048x512xf32>, %v: tensor<512x2048xf32>) -> tensor<4096x512xf32> {
  %e = tensor.empty() : tensor<4096x512xf32>
  %0 = sinter.contract (i = 4096) by (j = 2048) by (o = 512)
      product (k = 512) (%x[i, k] : tensor<4096x512xf32>, %w[j, k] : tensor<2048x512xf32>) : f32
      matrix (j) to (o) (%v[o, j] : tensor<512x2048xf32>)
      outs(%e[i, o] : tensor<4096x512xf32>) {
  ^row(%a: tensor<2048xf32>, %m: tensor<2048x512xf32>):
    %one = arith.constant 1.0 : f32
    %max = sinter.row_reduce maximumf %a : tensor<2048xf32> -> f32
    %all = sinter.broadcast %max : f32 -> tensor<2048xf32>
    %d = arith.subf %a, %all : tensor<2048xf32>
    %h = math.exp %d : tensor<2048xf32>
    %s = sinter.row_reduce add %h : tensor<2048xf32> -> f32
    %q = arith.divf %one, %s : f32
    %f = sinter.broadcast %q : f32 -> tensor<2048xf32>
    %p = arith.mulf %h, %f : tensor<2048xf32>
    %o = sinter.row_product %p, %m : tensor<2048xf32>, tensor<2048x512xf32> -> tensor<512xf32>
    sinter.yield %o : tensor<512xf32>
  }
  return %0 : tensor<4096x512xf32>
}
