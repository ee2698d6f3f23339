// Sums of columns `?` wide of rows that are reduced, and rows of a table `?` long: no kernel of a GPU is such a form.
func.func @main(%x: tensor<?x?xf32>, %e: tensor<?x3xf32>, %t: tensor<4xi64>)
    -> (tensor<?xf32>, tensor<?x?xf32>, tensor<4x3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %c = tensor.empty(%n) : tensor<?xf32>
  %y = tensor.empty(%b, %n) : tensor<?x?xf32>
  %o:2 = sinter.rowwise (i = ?) by (j = ?) ins(%x[i, j] : tensor<?x?xf32>) reduce(add [j] : f32)
      outs(%c[j] : tensor<?xf32>, %y[i, j] : tensor<?x?xf32>) {
  ^row(%a: tensor<?xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<?xf32> -> f32
    %l = sinter.broadcast %m : f32 -> tensor<?xf32>
    %f = arith.subf %a, %l : tensor<?xf32>
    %h = math.tanh %f : tensor<?xf32>
    %z = arith.mulf %h, %h : tensor<?xf32>
    sinter.yield %z, %h : tensor<?xf32>, tensor<?xf32>
  }
  %d = tensor.empty() : tensor<4x3xf32>
  %g = sinter.rowwise (i = 4) by (j = 3) ins(%e[%t[i] : tensor<4xi64>, j] : tensor<?x3xf32>)
      outs(%d[i, j] : tensor<4x3xf32>) {
  ^row(%a: tensor<3xf32>):
    %h = arith.addf %a, %a : tensor<3xf32>
    sinter.yield %h : tensor<3xf32>
  }
  return %o#0, %o#1, %g : tensor<?xf32>, tensor<?x?xf32>, tensor<4x3xf32>
}
