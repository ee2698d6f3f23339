// A form that upstream's canonicalization would still change: not (x != 0).
func.func @main(%x: tensor<5x7xf32>) -> tensor<5x7xi1> {
  %e = tensor.empty() : tensor<5x7xi1>
  %y = sinter.rowwise (i = 5) by (j = 7) ins(%x[i, j] : tensor<5x7xf32>) outs(%e[i, j] : tensor<5x7xi1>) {
  ^row(%a: tensor<7xf32>):
    %true = arith.constant true
    %t = sinter.broadcast %true : i1 -> tensor<7xi1>
    %zero = arith.constant 0 : i32
    %z = sinter.broadcast %zero : i32 -> tensor<7xi32>
    %i = arith.fptosi %a : tensor<7xf32> to tensor<7xi32>
    %c = arith.cmpi ne, %i, %z : tensor<7xi32>
    %n = arith.xori %c, %t : tensor<7xi1>
    sinter.yield %n : tensor<7xi1>
  }
  return %y : tensor<5x7xi1>
}
