// Dropout and its gradient: of three dimensions, of none but columns, in f64; with p = 0 and 1; and
// in the row program of a form, in front of a product.
func.func @main(%x: tensor<3x5x203xf32>, %g: tensor<3x5x203xf32>, %seed: tensor<i64>, %v: tensor<203xf32>,
                %d: tensor<6x70xf64>, %w: tensor<203x4xf32>)
    -> (tensor<3x5x203xf32>, tensor<3x5x203xf32>, tensor<203xf32>, tensor<6x70xf64>, tensor<3x5x203xf32>,
        tensor<3x5x203xf32>, tensor<3x5x203xf32>, tensor<5x4xf32>) {
  %y = sinter.dropout(%x, %seed) {p = 0.1} : (tensor<3x5x203xf32>, tensor<i64>) -> tensor<3x5x203xf32>
  %dx = sinter.differentiate %y upstream(%g) wrt(%x) : (tensor<3x5x203xf32>, tensor<3x5x203xf32>, tensor<3x5x203xf32>) -> tensor<3x5x203xf32>
  %of_columns = sinter.dropout(%v, %seed) : (tensor<203xf32>, tensor<i64>) -> tensor<203xf32>
  %wide = sinter.dropout(%d, %seed) {p = 0.75} : (tensor<6x70xf64>, tensor<i64>) -> tensor<6x70xf64>
  %all = sinter.dropout(%x, %seed) {p = 0.0} : (tensor<3x5x203xf32>, tensor<i64>) -> tensor<3x5x203xf32>
  %none = sinter.dropout(%x, %seed) {p = 1.0} : (tensor<3x5x203xf32>, tensor<i64>) -> tensor<3x5x203xf32>
  %dnone = sinter.differentiate %none upstream(%g) wrt(%x) : (tensor<3x5x203xf32>, tensor<3x5x203xf32>, tensor<3x5x203xf32>) -> tensor<3x5x203xf32>
  %some = tensor.extract_slice %x[1, 0, 0] [1, 5, 203] [1, 1, 1] : tensor<3x5x203xf32> to tensor<5x203xf32>
  %dropped = sinter.dropout(%some, %seed) {p = 0.3} : (tensor<5x203xf32>, tensor<i64>) -> tensor<5x203xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<5x4xf32>) -> tensor<5x4xf32>
  %product = linalg.matmul ins(%dropped, %w : tensor<5x203xf32>, tensor<203x4xf32>) outs(%z : tensor<5x4xf32>) -> tensor<5x4xf32>
  return %y, %dx, %of_columns, %wide, %all, %none, %dnone, %product
      : tensor<3x5x203xf32>, tensor<3x5x203xf32>, tensor<203xf32>, tensor<6x70xf64>, tensor<3x5x203xf32>,
        tensor<3x5x203xf32>, tensor<3x5x203xf32>, tensor<5x4xf32>
}
