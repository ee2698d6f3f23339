func.func @main(%x: tensor<3xi4>) -> tensor<3xi4> {
  return %x : tensor<3xi4>
}
