// Of each column of few: the sum of exponentials and the maximum. Both differ where something is read behind the end.
func.func @main(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = tensor.empty(%n) : tensor<?xf32>
  %y:2 = sinter.rowwise (j = ?) by (i = ?) ins(%x[i, j] : tensor<?x?xf32>)
      outs(%e[j] : tensor<?xf32>, %f[j] : tensor<?xf32>) {
  ^row(%a: tensor<?xf32>):
    %p = math.exp %a : tensor<?xf32>
    %s = sinter.row_reduce add %p : tensor<?xf32> -> f32
    %t = sinter.row_reduce maximumf %a : tensor<?xf32> -> f32
    sinter.yield %s, %t : f32, f32
  }
  return %y#0, %y#1 : tensor<?xf32>, tensor<?xf32>
}
