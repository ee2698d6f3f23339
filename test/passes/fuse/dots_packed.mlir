// RUN: sinter-opt --sinter-fuse="policy=aggressive target=gpu" %s | FileCheck %s

// The gradient of attention by queries, keys and values that are one tensor, behind sinter-behind-products: what the
// value's weights and their gradients are multiplied by are parts of one operand, so that pairs make one kernel of both
// products. Where the sum over a row is to be made of the value, they are parted again. Nothing stored is queries times
// keys.

// CHECK-LABEL: func @main
// CHECK:       %[[A:.+]]:3 = sinter.contract (i = 2, j = 40) by (k = 40) by (
// CHECK-NEXT:    product
// CHECK-NEXT:    matrix
// CHECK-NEXT:    outs
// CHECK:       %[[D:.+]]:4 = sinter.rowwise (i = 2, j = 40) by (
// CHECK-COUNT-2: sinter.contract (i = 2, {{.*}}) by ({{.*}}) by (
// CHECK-NOT:   {{sinter.row_reduce|2x40x40}}
// CHECK:       return
func.func @main(%arg0: tensor<2x40x3x1x16xbf16>, %arg1: tensor<2x1x40x16xbf16> {sinter.upstream_of = 0 : i64}) -> (tensor<2x1x40x16xbf16>, tensor<2x40x3x1x16xbf16> {sinter.gradient_of = 0 : i64}) {
  %0 = tensor.empty() : tensor<2x40x16xbf16>
  %collapsed = tensor.collapse_shape %arg1 [[0, 1], [2], [3]] : tensor<2x1x40x16xbf16> into tensor<2x40x16xbf16>
  %1 = tensor.empty() : tensor<2x40x16xf32>
  %2 = tensor.empty() : tensor<2x40x40xbf16>
  %3 = tensor.empty() : tensor<2x40x40xbf16>
  %4:2 = sinter.contract (i = 2, j = 40) by (k = 40)
      product (l = 16) (%arg0[i, j, 0, 0, l] : tensor<2x40x3x1x16xbf16>, %arg0[i, k, 1, 0, l] : tensor<2x40x3x1x16xbf16>) : f32
      product (k1 = 16) (%collapsed[i, j, k1] : tensor<2x40x16xbf16>, %arg0[i, k, 2, 0, k1] : tensor<2x40x3x1x16xbf16>) : f32
      outs(%2[i, j, k] : tensor<2x40x40xbf16>, %3[i, j, k] : tensor<2x40x40xbf16>) {
  ^row(%arg2: tensor<40xf32>, %arg3: tensor<40xf32>):
    %cst = arith.constant 1.000000e+00 : f32
    %cst_0 = arith.constant 2.500000e-01 : f32
    %13 = sinter.broadcast %cst_0 : f32 -> tensor<40xf32>
    %14 = arith.mulf %arg2, %13 : tensor<40xf32>
    %15 = sinter.row_reduce maximumf %14 : tensor<40xf32> -> f32
    %16 = sinter.broadcast %15 : f32 -> tensor<40xf32>
    %17 = arith.subf %14, %16 : tensor<40xf32>
    %18 = math.exp %17 : tensor<40xf32>
    %19 = sinter.row_reduce add %18 : tensor<40xf32> -> f32
    %20 = arith.divf %cst, %19 : f32
    %21 = sinter.broadcast %20 : f32 -> tensor<40xf32>
    %22 = arith.mulf %18, %21 : tensor<40xf32>
    %23 = arith.mulf %arg3, %21 : tensor<40xf32>
    %24 = arith.mulf %22, %21 : tensor<40xf32>
    %25 = arith.mulf %arg3, %24 : tensor<40xf32>
    %26 = arith.negf %25 : tensor<40xf32>
    %27 = sinter.row_reduce add %26 : tensor<40xf32> -> f32
    %28 = sinter.broadcast %27 : f32 -> tensor<40xf32>
    %29 = arith.addf %23, %28 : tensor<40xf32>
    %30 = arith.mulf %29, %18 : tensor<40xf32>
    %31 = arith.truncf %22 : tensor<40xf32> to tensor<40xbf16>
    %32 = arith.truncf %30 : tensor<40xf32> to tensor<40xbf16>
    sinter.yield %31, %32 : tensor<40xbf16>, tensor<40xbf16>
  }
  %5 = tensor.empty() : tensor<2x40x16xf32>
  %6 = sinter.contract (i = 2, l = 16) by (k = 40)
      product (j = 40) (%arg0[i, j, 0, 0, l] : tensor<2x40x3x1x16xbf16>, %4#1[i, j, k] : tensor<2x40x40xbf16>) : f32
      outs(%5[i, k, l] : tensor<2x40x16xf32>) {
  ^row(%arg2: tensor<40xf32>):
    %cst = arith.constant 5.000000e-01 : f32
    %13 = sinter.broadcast %cst : f32 -> tensor<40xf32>
    %14 = arith.mulf %arg2, %13 : tensor<40xf32>
    %15 = sinter.broadcast %cst : f32 -> tensor<40xf32>
    %16 = arith.mulf %14, %15 : tensor<40xf32>
    sinter.yield %16 : tensor<40xf32>
  }
  %7 = tensor.empty() : tensor<2x40x16xf32>
  %8 = sinter.contract (i = 2, j = 40) by (l = 16)
      product (l1 = 40) (%4#0[i, j, l1] : tensor<2x40x40xbf16>, %arg0[i, l1, 2, 0, l] : tensor<2x40x3x1x16xbf16>) : f32
      outs(%0[i, j, l] : tensor<2x40x16xbf16>) {
  ^row(%arg2: tensor<16xf32>):
    %13 = arith.truncf %arg2 : tensor<16xf32> to tensor<16xbf16>
    sinter.yield %13 : tensor<16xbf16>
  }
  %9 = sinter.contract (i = 2, j = 40) by (l = 16)
      product (k = 40) (%4#1[i, j, k] : tensor<2x40x40xbf16>, %arg0[i, k, 1, 0, l] : tensor<2x40x3x1x16xbf16>) : f32
      outs(%7[i, j, l] : tensor<2x40x16xf32>) {
  ^row(%arg2: tensor<16xf32>):
    %cst = arith.constant 5.000000e-01 : f32
    %13 = sinter.broadcast %cst : f32 -> tensor<16xf32>
    %14 = arith.mulf %arg2, %13 : tensor<16xf32>
    %15 = sinter.broadcast %cst : f32 -> tensor<16xf32>
    %16 = arith.mulf %14, %15 : tensor<16xf32>
    sinter.yield %16 : tensor<16xf32>
  }
  %10 = sinter.contract (i = 2, j = 40) by (l = 16)
      product (j1 = 40) (%4#0[i, j1, j] : tensor<2x40x40xbf16>, %collapsed[i, j1, l] : tensor<2x40x16xbf16>) : f32
      outs(%1[i, j, l] : tensor<2x40x16xf32>) {
  ^row(%arg2: tensor<16xf32>):
    sinter.yield %arg2 : tensor<16xf32>
  }
  %expanded = tensor.expand_shape %8 [[0, 1], [2], [3]] output_shape [2, 1, 40, 16] : tensor<2x40x16xbf16> into tensor<2x1x40x16xbf16>
  %11 = tensor.empty() : tensor<2x40x3x1x16xbf16>
  %12 = sinter.rowwise (d = 2, d1 = 40, d2 = 3) by (d4 = 16)
      ins(%9[d, d1, d4] : tensor<2x40x16xf32>, %6[d, d1, d4] : tensor<2x40x16xf32>, %10[d, d1, d4] : tensor<2x40x16xf32>)
      outs(%11[d, d1, d2, 0, d4] : tensor<2x40x3x1x16xbf16>) {
  ^row(%arg2: tensor<16xf32>, %arg3: tensor<16xf32>, %arg4: tensor<16xf32>):
    %c-2 = arith.constant -2 : index
    %c-1 = arith.constant -1 : index
    %cst = arith.constant 0.000000e+00 : f32
    %c0 = arith.constant 0 : index
    %13 = sinter.index d2 : index
    %14 = arith.cmpi eq, %13, %c0 : index
    %15 = sinter.broadcast %cst : f32 -> tensor<16xf32>
    %16 = arith.select %14, %arg2, %15 : tensor<16xf32>
    %17 = arith.addi %13, %c-1 : index
    %18 = arith.cmpi eq, %17, %c0 : index
    %19 = arith.select %18, %arg3, %15 : tensor<16xf32>
    %20 = arith.addi %13, %c-2 : index
    %21 = arith.cmpi eq, %20, %c0 : index
    %22 = arith.select %21, %arg4, %15 : tensor<16xf32>
    %23 = arith.addf %22, %19 : tensor<16xf32>
    %24 = arith.addf %23, %16 : tensor<16xf32>
    %25 = arith.truncf %24 : tensor<16xf32> to tensor<16xbf16>
    sinter.yield %25 : tensor<16xbf16>
  }
  return %expanded, %12 : tensor<2x1x40x16xbf16>, tensor<2x40x3x1x16xbf16>
}
