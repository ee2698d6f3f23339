// RUN: sinter-opt --split-input-file --verify-diagnostics --sinter-expand %s

sinter.define @around(%x: tensor<?xf32>) {
  // expected-error @+1 {{is used by a definition that it uses itself; definitions cannot be recursive}}
  %y = sinter.apply @around(%x) : (tensor<?xf32>) -> tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}
func.func @recursive(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = sinter.apply @around(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

sinter.define @twice(%x: tensor<?xf32>) {
  %y = arith.addf %x, %x : tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}
func.func @no_columns(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = sinter.rowwise (i = 4) by () ins(%x[i] : tensor<4xf32>) outs(%e[i] : tensor<4xf32>) {
  ^row(%r: f32):
    %b = sinter.broadcast %r : f32 -> tensor<1xf32>
    // expected-error @+1 {{is a row function, and the form around it has no columns}}
    %z = sinter.apply @twice(%b) : (tensor<1xf32>) -> tensor<1xf32>
    sinter.yield %r : f32
  }
  return %y : tensor<4xf32>
}

// -----

sinter.define @often(%x: tensor<?xf32>, %n: i64 {default = 2}) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %y = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> tensor<?xf32> : i64 {
    %b = arith.addf %a, %x : tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  sinter.yield %y : tensor<?xf32>
}
func.func @turns(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{has a definition with a loop of 5000 turns in steps of 1; at most 1000 are possible}}
  %y = sinter.apply @often(%x) {n = 5000} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

sinter.define @class(%x: tensor<?xf32>) {
  %r = sinter.index row : index
  %i = arith.index_cast %r : index to i64
  %f = arith.sitofp %i : i64 to f32
  %fs = sinter.broadcast %f : f32 -> tensor<?xf32>
  sinter.yield %fs : tensor<?xf32>
}
func.func @rows(%x: tensor<2x?x4xf32>) -> tensor<2x?x4xf32> {
  // expected-error @+1 {{has a definition that counts rows, here over 2 dimensions; give the sizes of all but the first}}
  %y = sinter.apply @class(%x) : (tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
  return %y : tensor<2x?x4xf32>
}
