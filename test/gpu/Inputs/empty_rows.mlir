// sum(exp(x - max)) of each row, and of each column; 0 of no elements.
func.func @main(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %f = tensor.empty(%n) : tensor<?xf32>
  %y = sinter.rowwise (i = ?) by (j = ?) ins(%x[i, j] : tensor<?x?xf32>) outs(%e[i] : tensor<?xf32>) {
  ^row(%a: tensor<?xf32>):
    %t = sinter.row_reduce maximumf %a : tensor<?xf32> -> f32
    %b = sinter.broadcast %t : f32 -> tensor<?xf32>
    %d = arith.subf %a, %b : tensor<?xf32>
    %p = math.exp %d : tensor<?xf32>
    %s = sinter.row_reduce add %p : tensor<?xf32> -> f32
    sinter.yield %s : f32
  }
  %z = sinter.rowwise (j = ?) by (i = ?) ins(%x[i, j] : tensor<?x?xf32>) outs(%f[j] : tensor<?xf32>) {
  ^row(%a: tensor<?xf32>):
    %t = sinter.row_reduce maximumf %a : tensor<?xf32> -> f32
    %b = sinter.broadcast %t : f32 -> tensor<?xf32>
    %d = arith.subf %a, %b : tensor<?xf32>
    %p = math.exp %d : tensor<?xf32>
    %s = sinter.row_reduce add %p : tensor<?xf32> -> f32
    sinter.yield %s : f32
  }
  return %y, %z : tensor<?xf32>, tensor<?xf32>
}
