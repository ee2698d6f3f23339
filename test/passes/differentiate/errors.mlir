// RUN: sinter-opt --sinter-differentiate --split-input-file --verify-diagnostics %s

// What has no gradient says so, and what to do.

func.func @no_rule(%x: tensor<4xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
  %y = sinter.rowwise () by (j = 4) ins(%x[j] : tensor<4xf32>) outs(%e[j] : tensor<4xf32>) {
  ^row(%a: tensor<4xf32>):
    // expected-error @+1 {{has no gradient here: no rule is known for this operation; write it with others, or detach it by sinter.detach}}
    %s, %c = math.sincos %a : tensor<4xf32>
    sinter.yield %s : tensor<4xf32>
  }
  %d = sinter.differentiate %y wrt(%x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}

// -----

func.func @combiner_region(%x: tensor<4xf32>, %e: tensor<f32>) -> tensor<4xf32> {
  %y = sinter.rowwise () by (j = 4) ins(%x[j] : tensor<4xf32>) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<4xf32>):
    %one = arith.constant 1.0 : f32
    // expected-error @+1 {{has no gradient here: its combiner is a region; take one with a name, or write what it computes with those}}
    %p = sinter.row_reduce %a init(%one : f32) : tensor<4xf32> -> f32 {
    ^bb0(%u: f32, %v: f32):
      %c = arith.mulf %u, %v : f32
      sinter.yield %c : f32
    }
    sinter.yield %p : f32
  }
  %d = sinter.differentiate %y wrt(%x) : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}

// -----

func.func @maximum_beside(%x: tensor<4xf32>, %e: tensor<f32>, %f: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{accumulator 0 is combined by 'maximumf' over rows, and only sums have a gradient there; combine columns by sinter.row_reduce instead}}
  %y:2 = sinter.rowwise (i = 4) by () ins(%x[i] : tensor<4xf32>) reduce(maximumf [] : f32) outs(%e[] : tensor<f32>, %f[i] : tensor<4xf32>) {
  ^row(%a: f32):
    sinter.yield %a, %a : f32, f32
  }
  %d = sinter.differentiate %y#0 wrt(%x) : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}

// -----

func.func @scattered(%x: tensor<9x5xf32>, %u: tensor<7x5xf32>, %n: tensor<7x1xi64>) -> tensor<7x5xf32> {
  // expected-error @+1 {{has no gradient here: it combines by something other than a sum, product, maximum, minimum, or the update alone}}
  %y = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%u, %n : tensor<7x5xf32>, tensor<7x1xi64>) outs(%x : tensor<9x5xf32>) {
  ^bb0(%p: f32, %q: f32):
    %m = arith.subf %q, %p : f32
    tm_tensor.yield %m : f32
  } -> tensor<9x5xf32>
  %d = sinter.differentiate %y wrt(%u) : (tensor<9x5xf32>, tensor<7x5xf32>) -> tensor<7x5xf32>
  return %d : tensor<7x5xf32>
}

// -----

// A loop has a gradient, what stands in it has none.

func.func private @other(tensor<4xf32>) -> tensor<4xf32>
func.func @loop(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    // expected-error @+1 {{stands between the loss and what the loss is differentiated by, and gradients go through kernel forms, reshapes, slices, arith and math on numbers, and scf's loops and branches alone; write it as a row program, or differentiate by its result}}
    %b = func.call @other(%a) : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  %d = sinter.differentiate %y wrt(%x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}

// -----

// What goes through memory is no zero.

func.func @memory(%x: tensor<4xf32>, %i: index) -> tensor<4xf32> {
  %m = memref.alloc() : memref<f32>
  %a = tensor.extract %x[%i] : tensor<4xf32>
  memref.store %a, %m[] : memref<f32>
  // expected-error @+1 {{reads memory, and what the loss is differentiated by is written to some, through which no gradient goes; keep it in tensors, or write a sinter.detach of it}}
  %b = memref.load %m[] : memref<f32>
  %l = tensor.from_elements %b : tensor<f32>
  %d = sinter.differentiate %l wrt(%x) : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}
