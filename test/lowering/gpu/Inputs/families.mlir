// A kernel of each family of #sinter.gpu_rows, large enough for the schedule to choose it.

// One for all elements, and a mean.
func.func @flat(%x: tensor<4096x8192xf32>, %y: tensor<4096x8192xf32>) -> (tensor<f32>, tensor<4096x8192xf32>) {
  %l = sinter.mse(%x, %y) {} : (tensor<4096x8192xf32>, tensor<4096x8192xf32>) -> tensor<f32>
  %d = sinter.differentiate %l wrt(%x) : (tensor<f32>, tensor<4096x8192xf32>) -> tensor<4096x8192xf32>
  return %l, %d : tensor<f32>, tensor<4096x8192xf32>
}
// Exponentials, a logarithm and a division of each.
func.func @costly(%x: tensor<4096x8192xf32>, %y: tensor<4096x8192xf32>) -> (tensor<f32>, tensor<4096x8192xf32>) {
  %l = sinter.bce_with_logits(%x, %y) {} : (tensor<4096x8192xf32>, tensor<4096x8192xf32>) -> tensor<f32>
  %d = sinter.differentiate %l wrt(%x) : (tensor<f32>, tensor<4096x8192xf32>) -> tensor<4096x8192xf32>
  return %l, %d : tensor<f32>, tensor<4096x8192xf32>
}
// Logarithms of anything.
func.func @logs(%x: tensor<4096x8192xf32>, %y: tensor<4096x8192xf32>) -> tensor<f32> {
  %l = sinter.bce(%x, %y) {} : (tensor<4096x8192xf32>, tensor<4096x8192xf32>) -> tensor<f32>
  return %l : tensor<f32>
}
// Classes in front of the last dimension.
func.func @tile(%x: tensor<16x20x65536xf32>, %t: tensor<16x65536xi64>) -> (tensor<f32>, tensor<16x20x65536xf32>) {
  %l = sinter.cross_entropy(%x, %t) {} : (tensor<16x20x65536xf32>, tensor<16x65536xi64>) -> tensor<f32>
  %d = sinter.differentiate %l wrt(%x) : (tensor<f32>, tensor<16x20x65536xf32>) -> tensor<16x20x65536xf32>
  return %l, %d : tensor<f32>, tensor<16x20x65536xf32>
}
func.func @thread(%x: tensor<16x20x65536xf32>, %t: tensor<16x65536xi64>) -> tensor<f32> {
  %l = sinter.cross_entropy(%x, %t) {} : (tensor<16x20x65536xf32>, tensor<16x65536xi64>) -> tensor<f32>
  return %l : tensor<f32>
}
func.func @warp(%x: tensor<65536x128xf32>) -> tensor<65536x128xf32> {
  %y = sinter.softmax(%x) {} : (tensor<65536x128xf32>) -> tensor<65536x128xf32>
  return %y : tensor<65536x128xf32>
}
func.func @block(%x: tensor<8192x4096xf32>) -> tensor<8192x4096xf32> {
  %y = sinter.softmax(%x) {} : (tensor<8192x4096xf32>) -> tensor<8192x4096xf32>
  return %y : tensor<8192x4096xf32>
}
func.func @cluster(%x: tensor<4096x32000xf32>, %t: tensor<4096xi64>) -> (tensor<f32>, tensor<4096x32000xf32>) {
  %l = sinter.cross_entropy(%x, %t) {} : (tensor<4096x32000xf32>, tensor<4096xi64>) -> tensor<f32>
  %d = sinter.differentiate %l wrt(%x) : (tensor<f32>, tensor<4096x32000xf32>) -> tensor<4096x32000xf32>
  return %l, %d : tensor<f32>, tensor<4096x32000xf32>
}
// Rows whose begin is no multiple of 16 bytes.
func.func @unaligned(%x: tensor<4096x32003xf32>) -> tensor<4096x32003xf32> {
  %y = sinter.softmax(%x) {} : (tensor<4096x32003xf32>) -> tensor<4096x32003xf32>
  return %y : tensor<4096x32003xf32>
}
// Rows of bf16 that stay as they are in memory.
func.func @packed(%x: tensor<8192x32000xbf16>, %t: tensor<8192xi64>) -> (tensor<f32>, tensor<8192x32000xbf16>) {
  %l = sinter.cross_entropy(%x, %t) {} : (tensor<8192x32000xbf16>, tensor<8192xi64>) -> tensor<f32>
  %d = sinter.differentiate %l wrt(%x) : (tensor<f32>, tensor<8192x32000xbf16>) -> tensor<8192x32000xbf16>
  return %l, %d : tensor<f32>, tensor<8192x32000xbf16>
}
// Sums of columns over all rows.
func.func @columns(%x: tensor<16384x4096xf32>, %w: tensor<4096xf32>, %b: tensor<4096xf32>, %g: tensor<16384x4096xf32>) -> (tensor<16384x4096xf32>, tensor<4096xf32>, tensor<4096xf32>) {
  %y = sinter.layer_norm(%x, weight = %w, bias = %b) {} : (tensor<16384x4096xf32>, tensor<4096xf32>, tensor<4096xf32>) -> tensor<16384x4096xf32>
  %dx, %dw, %db = sinter.differentiate %y upstream(%g) wrt(%x, %w, %b)
      : (tensor<16384x4096xf32>, tensor<16384x4096xf32>, tensor<16384x4096xf32>, tensor<4096xf32>, tensor<4096xf32>) -> (tensor<16384x4096xf32>, tensor<4096xf32>, tensor<4096xf32>)
  return %dx, %dw, %db : tensor<16384x4096xf32>, tensor<4096xf32>, tensor<4096xf32>
}
func.func @stream(%x: tensor<4096x32000xbf16>, %t: tensor<4096xi64>) -> tensor<f32> {
  %l = sinter.cross_entropy(%x, %t) {} : (tensor<4096x32000xbf16>, tensor<4096xi64>) -> tensor<f32>
  return %l : tensor<f32>
}
func.func @shared(%x: tensor<4096x400000xf16>) -> tensor<4096x400000xf16> {
  %y = sinter.softmax(%x) {} : (tensor<4096x400000xf16>) -> tensor<4096x400000xf16>
  return %y : tensor<4096x400000xf16>
}
func.func @grid(%x: tensor<16x4194304xf32>) -> tensor<16x4194304xf32> {
  %y = sinter.layer_norm(%x) {} : (tensor<16x4194304xf32>) -> tensor<16x4194304xf32>
  return %y : tensor<16x4194304xf32>
}
// Rows of a length that nobody knows.
func.func @reread(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = sinter.softmax(%x) {} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
