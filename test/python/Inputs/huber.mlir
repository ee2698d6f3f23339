func.func @main(%x: tensor<?x?xf64> {sinter.name = "input"}, %t: tensor<?x?xf64> {sinter.name = "target"}) -> tensor<f64> {
  %l = sinter.huber(%x, %t) {delta = 0.5} : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<f64>
  return %l : tensor<f64>
}
