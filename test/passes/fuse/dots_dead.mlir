// RUN: sinter-opt --sinter-fuse="policy=aggressive target=gpu" %s | FileCheck %s
// RUN: sed "s/broadcast %%sum/broadcast %%43/" %s | sinter-opt --sinter-fuse="policy=aggressive target=gpu" | FileCheck %s --check-prefix=ASKED

// Gradients of attention whose weights are 0 where a window and a bias leave nothing of a row, behind
// sinter-behind-products: the sum of the weights' products is 0 there, too, and is made of the value and its gradient.
// Nothing stored is queries times keys.

// CHECK-LABEL: func @main
// CHECK:       %[[A:.+]]:3 = sinter.contract (i = 2, j = 40) by (k = 40) by (k1 = 16)
// CHECK:       sinter.rowwise (i = 2, j = 40) by (k1 = 16)
// CHECK:       sinter.contract (i = 2, {{.*}}) by ({{.*}}) by (
// CHECK-NOT:     sinter.row_reduce
// CHECK:       sinter.contract (i = 2, {{.*}}) by ({{.*}}) by (
// CHECK-NOT:     sinter.row_reduce
// CHECK-NOT:   2x40x40
// CHECK:       return

// A sum that is asked for in such rows, too, is made as it is written.

// ASKED-LABEL: func @main
// ASKED-NOT:   sinter.rowwise
// ASKED:       return
func.func @main(%arg0: tensor<1x40x32xbf16>, %arg1: tensor<1x40x32xbf16>, %arg2: tensor<1x40x32xbf16>, %arg3: tensor<40x40xbf16>, %arg4: tensor<1x2x40x16xbf16> {sinter.upstream_of = 0 : i64}) -> (tensor<1x2x40x16xbf16>, tensor<1x40x32xbf16> {sinter.gradient_of = 0 : i64}, tensor<1x40x32xbf16> {sinter.gradient_of = 1 : i64}, tensor<1x40x32xbf16> {sinter.gradient_of = 2 : i64}) {
  %expanded = tensor.expand_shape %arg0 [[0], [1], [2, 3]] output_shape [1, 40, 2, 16] : tensor<1x40x32xbf16> into tensor<1x40x2x16xbf16>
  %expanded_0 = tensor.expand_shape %arg1 [[0], [1], [2, 3]] output_shape [1, 40, 2, 16] : tensor<1x40x32xbf16> into tensor<1x40x2x16xbf16>
  %expanded_1 = tensor.expand_shape %arg2 [[0], [1], [2, 3]] output_shape [1, 40, 2, 16] : tensor<1x40x32xbf16> into tensor<1x40x2x16xbf16>
  %0 = tensor.empty() : tensor<2x40x16xbf16>
  %collapsed = tensor.collapse_shape %arg4 [[0, 1], [2], [3]] : tensor<1x2x40x16xbf16> into tensor<2x40x16xbf16>
  %1 = tensor.empty() : tensor<2x40x40xbf16>
  %2 = tensor.empty() : tensor<2x40x40xbf16>
  %3:2 = sinter.contract (i = 2, j = 40) by (k = 40)
      product (l = 16) (%expanded[0, j, i, l] : tensor<1x40x2x16xbf16>, %expanded_0[0, k, i, l] : tensor<1x40x2x16xbf16>) : f32
      product (k1 = 16) (%collapsed[i, j, k1] : tensor<2x40x16xbf16>, %expanded_1[0, k, i, k1] : tensor<1x40x2x16xbf16>) : f32
      ins(%arg3[j, k] : tensor<40x40xbf16>)
      outs(%1[i, j, k] : tensor<2x40x40xbf16>, %2[i, j, k] : tensor<2x40x40xbf16>) {
  ^row(%arg5: tensor<40xf32>, %arg6: tensor<40xf32>, %arg7: tensor<40xbf16>):
    %cst = arith.constant 0.000000e+00 : bf16
    %cst_6 = arith.constant 0xFF800000 : f32
    %c40_i64 = arith.constant 40 : i64
    %c2_i64 = arith.constant 2 : i64
    %cst_7 = arith.constant 0.000000e+00 : f32
    %cst_8 = arith.constant 1.000000e+00 : f32
    %cst_9 = arith.constant 2.500000e-01 : f32
    %11 = sinter.broadcast %cst_9 : f32 -> tensor<40xf32>
    %12 = arith.mulf %arg5, %11 : tensor<40xf32>
    %13 = sinter.index j : index
    %14 = arith.index_cast %13 : index to i64
    %15 = arith.subi %14, %c40_i64 : i64
    %16 = sinter.index k : tensor<40xindex>
    %17 = arith.index_cast %16 : tensor<40xindex> to tensor<40xi64>
    %18 = sinter.broadcast %15 : i64 -> tensor<40xi64>
    %19 = arith.cmpi sgt, %17, %18 : tensor<40xi64>
    %20 = arith.subi %14, %c2_i64 : i64
    %21 = sinter.broadcast %20 : i64 -> tensor<40xi64>
    %22 = arith.cmpi sle, %17, %21 : tensor<40xi64>
    %23 = arith.andi %22, %19 : tensor<40xi1>
    %24 = sinter.broadcast %cst_6 : f32 -> tensor<40xf32>
    %25 = arith.extf %arg7 : tensor<40xbf16> to tensor<40xf32>
    %26 = arith.addf %12, %25 : tensor<40xf32>
    %27 = arith.select %23, %26, %24 : tensor<40xi1>, tensor<40xf32>
    %28 = sinter.row_reduce maximumf %27 : tensor<40xf32> -> f32
    %29 = arith.cmpf oeq, %28, %cst_6 : f32
    %30 = sinter.broadcast %28 : f32 -> tensor<40xf32>
    %31 = arith.subf %27, %30 : tensor<40xf32>
    %32 = math.exp %31 : tensor<40xf32>
    %33 = sinter.row_reduce add %32 : tensor<40xf32> -> f32
    %34 = arith.divf %cst_8, %33 : f32
    %35 = sinter.broadcast %34 : f32 -> tensor<40xf32>
    %36 = arith.mulf %32, %35 : tensor<40xf32>
    %37 = sinter.broadcast %cst_7 : f32 -> tensor<40xf32>
    %38 = arith.select %29, %37, %arg6 : tensor<40xf32>
    %39 = arith.mulf %38, %35 : tensor<40xf32>
    %40 = arith.mulf %36, %35 : tensor<40xf32>
    %41 = arith.mulf %arg6, %40 : tensor<40xf32>
    %42 = arith.negf %41 : tensor<40xf32>
    %43 = sinter.row_reduce add %42 : tensor<40xf32> -> f32
    %sum = arith.select %29, %cst_7, %43 : f32
    %45 = sinter.broadcast %sum : f32 -> tensor<40xf32>
    %46 = arith.addf %39, %45 : tensor<40xf32>
    %47 = arith.mulf %46, %32 : tensor<40xf32>
    %48 = arith.truncf %36 : tensor<40xf32> to tensor<40xbf16>
    %49 = sinter.broadcast %cst : bf16 -> tensor<40xbf16>
    %50 = arith.select %29, %49, %48 : tensor<40xbf16>
    %51 = arith.truncf %47 : tensor<40xf32> to tensor<40xbf16>
    %52 = sinter.broadcast %cst : bf16 -> tensor<40xbf16>
    %53 = arith.select %29, %52, %51 : tensor<40xbf16>
    sinter.yield %50, %53 : tensor<40xbf16>, tensor<40xbf16>
  }
  %4 = tensor.empty() : tensor<1x40x2x16xbf16>
  %5 = sinter.contract (i = 2, j = 40) by (l = 16)
      product (k = 40) (%3#1[i, j, k] : tensor<2x40x40xbf16>, %expanded_0[0, k, i, l] : tensor<1x40x2x16xbf16>) : f32
      outs(%4[0, j, i, l] : tensor<1x40x2x16xbf16>) {
  ^row(%arg5: tensor<16xf32>):
    %cst = arith.constant 5.000000e-01 : f32
    %11 = sinter.broadcast %cst : f32 -> tensor<16xf32>
    %12 = arith.mulf %arg5, %11 : tensor<16xf32>
    %13 = sinter.broadcast %cst : f32 -> tensor<16xf32>
    %14 = arith.mulf %12, %13 : tensor<16xf32>
    %15 = arith.truncf %14 : tensor<16xf32> to tensor<16xbf16>
    sinter.yield %15 : tensor<16xbf16>
  }
  %collapsed_2 = tensor.collapse_shape %5 [[0], [1], [2, 3]] : tensor<1x40x2x16xbf16> into tensor<1x40x32xbf16>
  %6 = tensor.empty() : tensor<1x40x2x16xbf16>
  %7 = sinter.contract (i = 2, l = 16) by (k = 40)
      product (j = 40) (%expanded[0, j, i, l] : tensor<1x40x2x16xbf16>, %3#1[i, j, k] : tensor<2x40x40xbf16>) : f32
      outs(%6[0, k, i, l] : tensor<1x40x2x16xbf16>) {
  ^row(%arg5: tensor<40xf32>):
    %cst = arith.constant 5.000000e-01 : f32
    %11 = sinter.broadcast %cst : f32 -> tensor<40xf32>
    %12 = arith.mulf %arg5, %11 : tensor<40xf32>
    %13 = sinter.broadcast %cst : f32 -> tensor<40xf32>
    %14 = arith.mulf %12, %13 : tensor<40xf32>
    %15 = arith.truncf %14 : tensor<40xf32> to tensor<40xbf16>
    sinter.yield %15 : tensor<40xbf16>
  }
  %collapsed_3 = tensor.collapse_shape %7 [[0], [1], [2, 3]] : tensor<1x40x2x16xbf16> into tensor<1x40x32xbf16>
  %8 = tensor.empty() : tensor<1x40x2x16xbf16>
  %9 = sinter.contract (i = 2, l = 40) by (k = 16)
      product (j = 40) (%3#0[i, j, l] : tensor<2x40x40xbf16>, %collapsed[i, j, k] : tensor<2x40x16xbf16>) : f32
      outs(%8[0, l, i, k] : tensor<1x40x2x16xbf16>) {
  ^row(%arg5: tensor<16xf32>):
    %11 = arith.truncf %arg5 : tensor<16xf32> to tensor<16xbf16>
    sinter.yield %11 : tensor<16xbf16>
  }
  %10 = sinter.contract (i = 2, l = 40) by (k = 16)
      product (l1 = 40) (%3#0[i, l, l1] : tensor<2x40x40xbf16>, %expanded_1[0, l1, i, k] : tensor<1x40x2x16xbf16>) : f32
      outs(%0[i, l, k] : tensor<2x40x16xbf16>) {
  ^row(%arg5: tensor<16xf32>):
    %11 = arith.truncf %arg5 : tensor<16xf32> to tensor<16xbf16>
    sinter.yield %11 : tensor<16xbf16>
  }
  %expanded_4 = tensor.expand_shape %10 [[0, 1], [2], [3]] output_shape [1, 2, 40, 16] : tensor<2x40x16xbf16> into tensor<1x2x40x16xbf16>
  %collapsed_5 = tensor.collapse_shape %9 [[0], [1], [2, 3]] : tensor<1x40x2x16xbf16> into tensor<1x40x32xbf16>
  return %expanded_4, %collapsed_2, %collapsed_3, %collapsed_5 : tensor<1x2x40x16xbf16>, tensor<1x40x32xbf16>, tensor<1x40x32xbf16>, tensor<1x40x32xbf16>
}
