// A bag is three rows of the table, of one of four pages. Lines are longer than what is read of them.
func.func @bags(%t: tensor<5x3xi64>, %e: tensor<4x7x23xf32>, %o: tensor<5xi64>) -> tensor<5x19xf32> {
  %0 = tensor.empty() : tensor<5x19xf32>
  %1 = sinter.rowwise (i = 5, j = 19) by (k = 3)
      ins(%t[i, k] : tensor<5x3xi64>, %o[i] : tensor<5xi64>, %e[?, ?, ?] : tensor<4x7x23xf32>)
      outs(%0[i, j] : tensor<5x19xf32>) {
  ^row(%a: tensor<3xi64>, %b: i64, %c: memref<4x7x23xf32>):
    %z = arith.constant 0.5 : f32
    %n = arith.constant 100 : i64
    %m = sinter.broadcast %n : i64 -> tensor<3xi64>
    %less = arith.cmpi slt, %a, %m : tensor<3xi64>
    %ok = sinter.row_reduce and %less : tensor<3xi1> -> i1
    cf.assert %ok, "an index is too large"
    %r = arith.index_cast %a : tensor<3xi64> to tensor<3xindex>
    %j = sinter.index j : index
    %x = sinter.gather %c[%b, %r, %j] else %z : memref<4x7x23xf32>, i64, tensor<3xindex>, index -> tensor<3xf32>
    %s = sinter.row_reduce add %x : tensor<3xf32> -> f32
    sinter.yield %s : f32
  }
  return %1 : tensor<5x19xf32>
}

// Each lane has a line of its own.
func.func @own(%t: tensor<3x19xi64>, %e: tensor<4x7x23xf32>) -> tensor<19xf32> {
  %0 = tensor.empty() : tensor<19xf32>
  %1 = sinter.rowwise (j = 19) by (k = 3)
      ins(%t[k, j] : tensor<3x19xi64>, %e[?, ?, ?] : tensor<4x7x23xf32>) outs(%0[j] : tensor<19xf32>) {
  ^row(%a: tensor<3xi64>, %c: memref<4x7x23xf32>):
    %z = arith.constant 0.5 : f32
    %k = sinter.index k : tensor<3xindex>
    %r = arith.index_cast %a : tensor<3xi64> to tensor<3xindex>
    %j = sinter.index j : index
    %x = sinter.gather %c[%k, %r, %j] else %z : memref<4x7x23xf32>, tensor<3xindex>, tensor<3xindex>, index -> tensor<3xf32>
    %s = sinter.row_reduce add %x : tensor<3xf32> -> f32
    sinter.yield %s : f32
  }
  return %1 : tensor<19xf32>
}
