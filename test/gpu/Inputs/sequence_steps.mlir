// Rows, what follows them one by one, rows again: z = sum + 2 * cumsum(exp(x)).
func.func @main(%x: tensor<3x300xf32>) -> tensor<3x300xf32> {
  %o = tensor.empty() : tensor<3x300xf32>
  %e = sinter.rowwise (i = 3) by (j = 300) ins(%x[i, j] : tensor<3x300xf32>) outs(%o[i, j] : tensor<3x300xf32>) {
  ^row(%a: tensor<300xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<300xf32> -> f32
    %ms = sinter.broadcast %m : f32 -> tensor<300xf32>
    %d = arith.subf %a, %ms : tensor<300xf32>
    %p = math.exp %d : tensor<300xf32>
    sinter.yield %p : tensor<300xf32>
  }
  %s = sinter.steps rows(0) ins(%e : tensor<3x300xf32>) outs(%o : tensor<3x300xf32>) -> tensor<3x300xf32> {
  ^row(%i: index, %a: memref<3x300xf32>, %d: memref<3x300xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c300 = arith.constant 300 : index
    %v = memref.load %a[%i, %c0] : memref<3x300xf32>
    memref.store %v, %d[%i, %c0] : memref<3x300xf32>
    scf.for %j = %c1 to %c300 step %c1 {
      %k = arith.subi %j, %c1 : index
      %p = memref.load %d[%i, %k] : memref<3x300xf32>
      %q = memref.load %a[%i, %j] : memref<3x300xf32>
      %t = arith.addf %p, %q : f32
      memref.store %t, %d[%i, %j] : memref<3x300xf32>
    }
    sinter.yield
  }
  %y = sinter.rowwise (i = 3) by (j = 300) ins(%s[i, j] : tensor<3x300xf32>, %e[i, j] : tensor<3x300xf32>)
      outs(%o[i, j] : tensor<3x300xf32>) {
  ^row(%a: tensor<300xf32>, %b: tensor<300xf32>):
    %m = sinter.row_reduce add %b : tensor<300xf32> -> f32
    %ms = sinter.broadcast %m : f32 -> tensor<300xf32>
    %d = arith.addf %a, %a : tensor<300xf32>
    %p = arith.addf %d, %ms : tensor<300xf32>
    sinter.yield %p : tensor<300xf32>
  }
  return %y : tensor<3x300xf32>
}
