// RUN: sinter-opt --sinter-gpu=format=isa --split-input-file --verify-diagnostics %s -o /dev/null

// LLVM's code generator for GPUs ends the process at conversions of 128 bits.

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xi128>
  %n = linalg.map ins(%x : tensor<4xf32>) outs(%e : tensor<4xi128>) (%a: f32, %o: i128) {
    // expected-error @+1 {{makes numbers of i128, and a GPU has none of more than 64 bits: compile with --target=cpu}}
    %r = arith.fptosi %a : f32 to i128
    linalg.yield %r : i128
  }
  %f = tensor.empty() : tensor<4xf32>
  %y = linalg.map ins(%n : tensor<4xi128>) outs(%f : tensor<4xf32>) (%a: i128, %o: f32) {
    %r = arith.sitofp %a : i128 to f32
    linalg.yield %r : f32
  }
  return %y : tensor<4xf32>
}
