func.func @main(%x: tensor<?x?xf64>, %t: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %l = sinter.huber(%x, %t) {delta = 0.5, reduction = "none"} : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  return %l : tensor<?x?xf64>
}
