// RUN: %python %source/test/fuzz/run --bin=%build/bin --every-road --file=%s | FileCheck %s
// REQUIRES: numpy

// Windows that step along a row by 2 to 5, against NumPy: elements of a packed row that lie up to 4 apart are loaded
// with those between them, the last vector ends where the row does, and fewer than a vector go one by one.

// CHECK: {{^right}}

// inputs: normal 1
func.func @main(%x0: tensor<2x5x35xf32>, %w0: tensor<6x5x3xf32>, %x1: tensor<2x5x48xf32>, %w1: tensor<6x5x3xf32>, %x2: tensor<2x5x130xf16>, %w2: tensor<6x5x2xf16>, %x3: tensor<2x5x35xf16>, %w3: tensor<6x5x3xf16>, %x4: tensor<2x5x93xf32>, %w4: tensor<6x5x3xf32>, %x5: tensor<2x5x69xbf16>, %w5: tensor<6x5x3xbf16>, %x6: tensor<2x5x265xf32>, %w6: tensor<6x5x5xf32>, %x7: tensor<2x5x25xf64>, %w7: tensor<6x5x3xf64>, %x8: tensor<2x5x29xf32>, %w8: tensor<6x5x3xf32>)
    -> (tensor<2x6x17xf32>, tensor<2x6x16xf32>, tensor<2x6x33xf32>, tensor<2x6x18xf32>, tensor<2x6x19xf32>, tensor<2x6x35xf32>, tensor<2x6x67xf32>, tensor<2x6x9xf64>, tensor<2x6x15xf32>) {
  %zero = arith.constant 0.0 : f32
  %zero_bf16 = arith.constant 0.0 : bf16
  %zero_f16 = arith.constant 0.0 : f16
  %zero_f64 = arith.constant 0.0 : f64
  // f32, stride 2, 17 results.
  %e0 = tensor.empty() : tensor<2x6x17xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x6x17xf32>) -> tensor<2x6x17xf32>
  %y0 = linalg.conv_1d_ncw_fcw {strides = dense<2> : tensor<1xi64>} ins(%x0, %w0 : tensor<2x5x35xf32>, tensor<6x5x3xf32>) outs(%i0 : tensor<2x6x17xf32>) -> tensor<2x6x17xf32>
  // f32, stride 3, 16 results.
  %e1 = tensor.empty() : tensor<2x6x16xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x6x16xf32>) -> tensor<2x6x16xf32>
  %y1 = linalg.conv_1d_ncw_fcw {strides = dense<3> : tensor<1xi64>} ins(%x1, %w1 : tensor<2x5x48xf32>, tensor<6x5x3xf32>) outs(%i1 : tensor<2x6x16xf32>) -> tensor<2x6x16xf32>
  // f16, stride 4, 33 results.
  %e2 = tensor.empty() : tensor<2x6x33xf32>
  %i2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x6x33xf32>) -> tensor<2x6x33xf32>
  %y2 = linalg.conv_1d_ncw_fcw {strides = dense<4> : tensor<1xi64>} ins(%x2, %w2 : tensor<2x5x130xf16>, tensor<6x5x2xf16>) outs(%i2 : tensor<2x6x33xf32>) -> tensor<2x6x33xf32>
  // f16, stride 2, 18 results, 1 in front of and behind each row.
  %p3 = tensor.pad %x3 low[0, 0, 1] high[0, 0, 1] {
  ^bb0(%a3: index, %b3: index, %c3: index):
    tensor.yield %zero_f16 : f16
  } : tensor<2x5x35xf16> to tensor<2x5x37xf16>
  %e3 = tensor.empty() : tensor<2x6x18xf32>
  %i3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<2x6x18xf32>) -> tensor<2x6x18xf32>
  %y3 = linalg.conv_1d_ncw_fcw {strides = dense<2> : tensor<1xi64>} ins(%p3, %w3 : tensor<2x5x37xf16>, tensor<6x5x3xf16>) outs(%i3 : tensor<2x6x18xf32>) -> tensor<2x6x18xf32>
  // f32, stride 5, 19 results.
  %e4 = tensor.empty() : tensor<2x6x19xf32>
  %i4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<2x6x19xf32>) -> tensor<2x6x19xf32>
  %y4 = linalg.conv_1d_ncw_fcw {strides = dense<5> : tensor<1xi64>} ins(%x4, %w4 : tensor<2x5x93xf32>, tensor<6x5x3xf32>) outs(%i4 : tensor<2x6x19xf32>) -> tensor<2x6x19xf32>
  // bf16, stride 2, 35 results, 1 in front of and behind each row.
  %p5 = tensor.pad %x5 low[0, 0, 1] high[0, 0, 1] {
  ^bb0(%a5: index, %b5: index, %c5: index):
    tensor.yield %zero_bf16 : bf16
  } : tensor<2x5x69xbf16> to tensor<2x5x71xbf16>
  %e5 = tensor.empty() : tensor<2x6x35xf32>
  %i5 = linalg.fill ins(%zero : f32) outs(%e5 : tensor<2x6x35xf32>) -> tensor<2x6x35xf32>
  %y5 = linalg.conv_1d_ncw_fcw {strides = dense<2> : tensor<1xi64>} ins(%p5, %w5 : tensor<2x5x71xbf16>, tensor<6x5x3xbf16>) outs(%i5 : tensor<2x6x35xf32>) -> tensor<2x6x35xf32>
  // f32, stride 4, 67 results, 2 in front of and behind each row.
  %p6 = tensor.pad %x6 low[0, 0, 2] high[0, 0, 2] {
  ^bb0(%a6: index, %b6: index, %c6: index):
    tensor.yield %zero : f32
  } : tensor<2x5x265xf32> to tensor<2x5x269xf32>
  %e6 = tensor.empty() : tensor<2x6x67xf32>
  %i6 = linalg.fill ins(%zero : f32) outs(%e6 : tensor<2x6x67xf32>) -> tensor<2x6x67xf32>
  %y6 = linalg.conv_1d_ncw_fcw {strides = dense<4> : tensor<1xi64>} ins(%p6, %w6 : tensor<2x5x269xf32>, tensor<6x5x5xf32>) outs(%i6 : tensor<2x6x67xf32>) -> tensor<2x6x67xf32>
  // f64, stride 3, 9 results, 1 in front of and behind each row.
  %p7 = tensor.pad %x7 low[0, 0, 1] high[0, 0, 1] {
  ^bb0(%a7: index, %b7: index, %c7: index):
    tensor.yield %zero_f64 : f64
  } : tensor<2x5x25xf64> to tensor<2x5x27xf64>
  %e7 = tensor.empty() : tensor<2x6x9xf64>
  %i7 = linalg.fill ins(%zero_f64 : f64) outs(%e7 : tensor<2x6x9xf64>) -> tensor<2x6x9xf64>
  %y7 = linalg.conv_1d_ncw_fcw {strides = dense<3> : tensor<1xi64>} ins(%p7, %w7 : tensor<2x5x27xf64>, tensor<6x5x3xf64>) outs(%i7 : tensor<2x6x9xf64>) -> tensor<2x6x9xf64>
  // f32, stride 2, 15 results, 1 in front of and behind each row.
  %p8 = tensor.pad %x8 low[0, 0, 1] high[0, 0, 1] {
  ^bb0(%a8: index, %b8: index, %c8: index):
    tensor.yield %zero : f32
  } : tensor<2x5x29xf32> to tensor<2x5x31xf32>
  %e8 = tensor.empty() : tensor<2x6x15xf32>
  %i8 = linalg.fill ins(%zero : f32) outs(%e8 : tensor<2x6x15xf32>) -> tensor<2x6x15xf32>
  %y8 = linalg.conv_1d_ncw_fcw {strides = dense<2> : tensor<1xi64>} ins(%p8, %w8 : tensor<2x5x31xf32>, tensor<6x5x3xf32>) outs(%i8 : tensor<2x6x15xf32>) -> tensor<2x6x15xf32>
  return %y0, %y1, %y2, %y3, %y4, %y5, %y6, %y7, %y8 : tensor<2x6x17xf32>, tensor<2x6x16xf32>, tensor<2x6x33xf32>, tensor<2x6x18xf32>, tensor<2x6x19xf32>, tensor<2x6x35xf32>, tensor<2x6x67xf32>, tensor<2x6x9xf64>, tensor<2x6x15xf32>
}
