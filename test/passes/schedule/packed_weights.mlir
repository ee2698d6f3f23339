// RUN: sinter-opt --sinter-schedule='target=cpu features=avx2,fma,avx512f,avx512bw' --sinter-pack-weights --split-input-file %s | FileCheck %s

// A constant is one panel of its 3 columns, with zeros up to whole vectors. The form reads the same numbers there, and
// nothing holds them as they were.

// CHECK-LABEL: func @constant
//   CHECK-NOT:   dense_resource<w>
//       CHECK:   %[[P:.+]] = arith.constant dense_resource<packed> : tensor<1x1x5x16xf32>
//       CHECK:   %[[P]][j floordiv 3, k floordiv 5, k mod 5, j mod 3] : tensor<1x1x5x16xf32>
//       CHECK:   weights = "packed"
//       CHECK: packed: "0x{{........}}0000803F000000400000404000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000080400000A0400000C040000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000E0400000004100001041
func.func @constant(%x: tensor<20x5xf32>) -> tensor<20x3xf32> {
  %w = arith.constant dense_resource<w> : tensor<5x3xf32>
  %e = tensor.empty() : tensor<20x3xf32>
  %y = sinter.contract (i = 20) by (j = 3) product (k = 5) (%x[i, k] : tensor<20x5xf32>, %w[k, j] : tensor<5x3xf32>) : f32
      outs(%e[i, j] : tensor<20x3xf32>) {
  ^row(%a: tensor<3xf32>):
    sinter.yield %a : tensor<3xf32>
  }
  return %y : tensor<20x3xf32>
}
{-# dialect_resources: { builtin: { w: "0x040000000000803F0000004000004040000080400000A0400000C0400000E0400000004100001041000020410000304100004041000050410000604100007041" } } #-}

// -----

// Two readers that take it alike share one copy.

// CHECK-LABEL: func @shared
//       CHECK:   %[[P:.+]] = arith.constant dense_resource<packed
//   CHECK-NOT:   arith.constant
//       CHECK:   %[[P]][j floordiv 3,
//       CHECK:   %[[P]][j floordiv 3,
func.func @shared(%x: tensor<70x5xf32>, %z: tensor<80x5xf32>) -> (tensor<70x3xf32>, tensor<80x3xf32>) {
  %w = arith.constant dense_resource<w> : tensor<5x3xf32>
  %e = tensor.empty() : tensor<70x3xf32>
  %y = sinter.contract (i = 70) by (j = 3) product (k = 5) (%x[i, k] : tensor<70x5xf32>, %w[k, j] : tensor<5x3xf32>) : f32
      outs(%e[i, j] : tensor<70x3xf32>) {
  ^row(%a: tensor<3xf32>):
    sinter.yield %a : tensor<3xf32>
  }
  %f = tensor.empty() : tensor<80x3xf32>
  %v = sinter.contract (i = 80) by (j = 3) product (k = 5) (%z[i, k] : tensor<80x5xf32>, %w[k, j] : tensor<5x3xf32>) : f32
      outs(%f[i, j] : tensor<80x3xf32>) {
  ^row(%a: tensor<3xf32>):
    sinter.yield %a : tensor<3xf32>
  }
  return %y, %v : tensor<70x3xf32>, tensor<80x3xf32>
}
{-# dialect_resources: { builtin: { w: "0x040000000000803F0000004000004040000080400000A0400000C0400000E0400000004100001041000020410000304100004041000050410000604100007041" } } #-}

// -----

// Read the other way round by somebody, it would be two copies: it stays.

// CHECK-LABEL: func @turned
//   CHECK-NOT:   packed
//       CHECK:   return
func.func @turned(%x: tensor<70x5xf32>, %z: tensor<80x3xf32>) -> (tensor<70x3xf32>, tensor<80x5xf32>) {
  %w = arith.constant dense_resource<w> : tensor<5x3xf32>
  %e = tensor.empty() : tensor<70x3xf32>
  %y = sinter.contract (i = 70) by (j = 3) product (k = 5) (%x[i, k] : tensor<70x5xf32>, %w[k, j] : tensor<5x3xf32>) : f32
      outs(%e[i, j] : tensor<70x3xf32>) {
  ^row(%a: tensor<3xf32>):
    sinter.yield %a : tensor<3xf32>
  }
  %f = tensor.empty() : tensor<80x5xf32>
  %v = sinter.contract (i = 80) by (j = 5) product (k = 3) (%z[i, k] : tensor<80x3xf32>, %w[j, k] : tensor<5x3xf32>) : f32
      outs(%f[i, j] : tensor<80x5xf32>) {
  ^row(%a: tensor<5xf32>):
    sinter.yield %a : tensor<5xf32>
  }
  return %y, %v : tensor<70x3xf32>, tensor<80x5xf32>
}
{-# dialect_resources: { builtin: { w: "0x040000000000803F0000004000004040000080400000A0400000C0400000E0400000004100001041000020410000304100004041000050410000604100007041" } } #-}

// -----

// A square one that two read in turns, of the same sizes: the numbers would be at other places.

// CHECK-LABEL: func @square
//   CHECK-NOT:   packed
//       CHECK:   return
func.func @square(%x: tensor<70x9xf32>) -> (tensor<70x9xf32>, tensor<70x9xf32>) {
  %w = arith.constant dense_resource<w> : tensor<9x9xf32>
  %e = tensor.empty() : tensor<70x9xf32>
  %y = sinter.contract (i = 70) by (j = 9) product (k = 9) (%x[i, k] : tensor<70x9xf32>, %w[k, j] : tensor<9x9xf32>) : f32
      outs(%e[i, j] : tensor<70x9xf32>) {
  ^row(%a: tensor<9xf32>):
    sinter.yield %a : tensor<9xf32>
  }
  %v = sinter.contract (i = 70) by (j = 9) product (k = 9) (%x[i, k] : tensor<70x9xf32>, %w[j, k] : tensor<9x9xf32>) : f32
      outs(%e[i, j] : tensor<70x9xf32>) {
  ^row(%a: tensor<9xf32>):
    sinter.yield %a : tensor<9xf32>
  }
  return %y, %v : tensor<70x9xf32>, tensor<70x9xf32>
}
{-# dialect_resources: { builtin: { w: "0x04000000000000000000803F0000004000004040000080400000A0400000C0400000E0400000004100001041000020410000304100004041000050410000604100007041000080410000884100009041000098410000A0410000A8410000B0410000B8410000C0410000C8410000D0410000D8410000E0410000E8410000F0410000F84100000042000004420000084200000C4200001042000014420000184200001C4200002042000024420000284200002C4200003042000034420000384200003C4200004042000044420000484200004C4200005042000054420000584200005C4200006042000064420000684200006C4200007042000074420000784200007C42000080420000824200008442000086420000884200008A4200008C4200008E42000090420000924200009442000096420000984200009A4200009C4200009E420000A042" } } #-}

// -----

// Nor where something else reads it.

// CHECK-LABEL: func @returned
//   CHECK-NOT:   packed
//       CHECK:   return
func.func @returned(%x: tensor<70x5xf32>) -> (tensor<70x3xf32>, tensor<5x3xf32>) {
  %w = arith.constant dense_resource<w> : tensor<5x3xf32>
  %e = tensor.empty() : tensor<70x3xf32>
  %y = sinter.contract (i = 70) by (j = 3) product (k = 5) (%x[i, k] : tensor<70x5xf32>, %w[k, j] : tensor<5x3xf32>) : f32
      outs(%e[i, j] : tensor<70x3xf32>) {
  ^row(%a: tensor<3xf32>):
    sinter.yield %a : tensor<3xf32>
  }
  return %y, %w : tensor<70x3xf32>, tensor<5x3xf32>
}
{-# dialect_resources: { builtin: { w: "0x040000000000803F0000004000004040000080400000A0400000C0400000E0400000004100001041000020410000304100004041000050410000604100007041" } } #-}

// -----

// Few rows read weights where they lie as fast; they need no copy.

// CHECK-LABEL: func @few_rows
//   CHECK-NOT:   packed
//       CHECK:   return
func.func @few_rows(%x: tensor<4x5xf32>) -> tensor<4x3xf32> {
  %w = arith.constant dense_resource<w> : tensor<3x5xf32>
  %e = tensor.empty() : tensor<4x3xf32>
  %y = sinter.contract (i = 4) by (j = 3) product (k = 5) (%x[i, k] : tensor<4x5xf32>, %w[j, k] : tensor<3x5xf32>) : f32
      outs(%e[i, j] : tensor<4x3xf32>) {
  ^row(%a: tensor<3xf32>):
    sinter.yield %a : tensor<3xf32>
  }
  return %y : tensor<4x3xf32>
}
{-# dialect_resources: { builtin: { w: "0x040000000000803F0000004000004040000080400000A0400000C0400000E0400000004100001041000020410000304100004041000050410000604100007041" } } #-}


// -----

// Two functions that have the same bytes and take them otherwise: neither packs them.

// CHECK-LABEL: func @one
//   CHECK-NOT:   packed
// CHECK-LABEL: func @other
//   CHECK-NOT:   packed
//       CHECK:   return
func.func @one(%x: tensor<70x5xf32>) -> tensor<70x3xf32> {
  %w = arith.constant dense_resource<w> : tensor<5x3xf32>
  %e = tensor.empty() : tensor<70x3xf32>
  %y = sinter.contract (i = 70) by (j = 3) product (k = 5) (%x[i, k] : tensor<70x5xf32>, %w[k, j] : tensor<5x3xf32>) : f32
      outs(%e[i, j] : tensor<70x3xf32>) {
  ^row(%a: tensor<3xf32>):
    sinter.yield %a : tensor<3xf32>
  }
  return %y : tensor<70x3xf32>
}
func.func @other(%z: tensor<80x3xf32>) -> tensor<80x5xf32> {
  %w = arith.constant dense_resource<w> : tensor<5x3xf32>
  %f = tensor.empty() : tensor<80x5xf32>
  %v = sinter.contract (i = 80) by (j = 5) product (k = 3) (%z[i, k] : tensor<80x3xf32>, %w[j, k] : tensor<5x3xf32>) : f32
      outs(%f[i, j] : tensor<80x5xf32>) {
  ^row(%a: tensor<5xf32>):
    sinter.yield %a : tensor<5xf32>
  }
  return %v : tensor<80x5xf32>
}
{-# dialect_resources: { builtin: { w: "0x040000000000803F0000004000004040000080400000A0400000C0400000E0400000004100001041000020410000304100004041000050410000604100007041" } } #-}
