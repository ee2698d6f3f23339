// The gradient of an average of 3 x 3 in steps of 2, on lines of an odd size: of a thread's two places the second is
// even in the last thread alone.
func.func @main(%u: tensor<2x2x257xf32>) -> tensor<1x2x6x515xf32> {
  %2 = tensor.empty() : tensor<1x2x6x515xf32>
  %3 = sinter.rowwise (d1 = 2, d2 = 6, d3 = 515) by (d4 = 2, d5 = 2)
      ins(%u[d1, d4 * -1 + d2 floordiv 2, d5 * -1 + d3 floordiv 2] : tensor<2x2x257xf32> else 0.000000e+00)
      outs(%2[0, d1, d2, d3] : tensor<1x2x6x515xf32>)
      schedule(#sinter.gpu_rows<threads = 64, blocks = 30, vector = 1, team = 1, rows = 2, unroll = 4,
                                residency = "reread">) {
  ^row(%arg2: tensor<4xf32>):
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0.111111112 : f32
    %c3 = arith.constant 3 : index
    %c-2 = arith.constant -2 : index
    %c257 = arith.constant 257 : index
    %c255 = arith.constant 2 : index
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c-1 = arith.constant -1 : index
    %4 = sinter.index d4 : tensor<4xindex>
    %5 = sinter.broadcast %c-1 : index -> tensor<4xindex>
    %6 = arith.muli %4, %5 : tensor<4xindex>
    %7 = sinter.index d2 : index
    %8 = arith.divui %7, %c2 : index
    %9 = sinter.broadcast %8 : index -> tensor<4xindex>
    %10 = arith.addi %6, %9 : tensor<4xindex>
    %11 = sinter.broadcast %c0 : index -> tensor<4xindex>
    %12 = arith.cmpi sge, %10, %11 : tensor<4xindex>
    %13 = sinter.broadcast %c255 : index -> tensor<4xindex>
    %14 = arith.cmpi slt, %10, %13 : tensor<4xindex>
    %15 = arith.andi %12, %14 : tensor<4xi1>
    %16 = sinter.index d5 : tensor<4xindex>
    %17 = arith.muli %16, %5 : tensor<4xindex>
    %18 = sinter.index d3 : index
    %19 = arith.divui %18, %c2 : index
    %20 = sinter.broadcast %19 : index -> tensor<4xindex>
    %21 = arith.addi %17, %20 : tensor<4xindex>
    %22 = arith.cmpi sge, %21, %11 : tensor<4xindex>
    %23 = arith.andi %15, %22 : tensor<4xi1>
    %24 = sinter.broadcast %c257 : index -> tensor<4xindex>
    %25 = arith.cmpi slt, %21, %24 : tensor<4xindex>
    %26 = arith.andi %23, %25 : tensor<4xi1>
    %27 = sinter.broadcast %c2 : index -> tensor<4xindex>
    %28 = arith.muli %4, %27 : tensor<4xindex>
    %29 = sinter.broadcast %7 : index -> tensor<4xindex>
    %30 = arith.addi %29, %28 : tensor<4xindex>
    %31 = arith.muli %8, %c-2 : index
    %32 = sinter.broadcast %31 : index -> tensor<4xindex>
    %33 = arith.addi %30, %32 : tensor<4xindex>
    %34 = arith.cmpi sge, %33, %11 : tensor<4xindex>
    %35 = arith.andi %26, %34 : tensor<4xi1>
    %36 = sinter.broadcast %c3 : index -> tensor<4xindex>
    %37 = arith.cmpi slt, %33, %36 : tensor<4xindex>
    %38 = arith.andi %35, %37 : tensor<4xi1>
    %39 = arith.muli %16, %27 : tensor<4xindex>
    %40 = sinter.broadcast %18 : index -> tensor<4xindex>
    %41 = arith.addi %40, %39 : tensor<4xindex>
    %42 = arith.muli %19, %c-2 : index
    %43 = sinter.broadcast %42 : index -> tensor<4xindex>
    %44 = arith.addi %41, %43 : tensor<4xindex>
    %45 = arith.cmpi sge, %44, %11 : tensor<4xindex>
    %46 = arith.andi %38, %45 : tensor<4xi1>
    %47 = arith.cmpi slt, %44, %36 : tensor<4xindex>
    %48 = arith.andi %46, %47 : tensor<4xi1>
    %49 = sinter.broadcast %cst_0 : f32 -> tensor<4xf32>
    %50 = arith.mulf %arg2, %49 : tensor<4xf32>
    %51 = sinter.broadcast %cst : f32 -> tensor<4xf32>
    %52 = arith.select %48, %50, %51 : tensor<4xi1>, tensor<4xf32>
    %53 = sinter.row_reduce add %52 : tensor<4xf32> -> f32
    sinter.yield %53 : f32
  }
    return %3 : tensor<1x2x6x515xf32>
}
