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
