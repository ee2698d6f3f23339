// RUN: sinter-opt --sinter-schedule='target=cpu features=avx2,fma,avx512f,avx512bw' --sinter-pack-weights --split-input-file --verify-diagnostics %s

// Where both sides are widened to f32 first, a packed copy would be of another type.

// expected-error@below {{argument 1 is to be packed, but cannot be: a kernel widens its numbers before it multiplies; leave sinter.pack out}}
func.func @main(%x: tensor<700x300xbf16>, %w: tensor<300x70xbf16> {sinter.pack, sinter.name = "w"}) -> tensor<700x70xf32> {
  %e = tensor.empty() : tensor<700x70xf32>
  %y = sinter.contract (i = 700) by (j = 70) product (k = 300) (%x[i, k] : tensor<700x300xbf16>, %w[k, j] : tensor<300x70xbf16>) : f32
      outs(%e[i, j] : tensor<700x70xf32>) {
  ^row(%a: tensor<70xf32>):
    sinter.yield %a : tensor<70xf32>
  }
  return %y : tensor<700x70xf32>
}

// -----

// A part of an argument.

func.func @part(%x: tensor<70x5xf32>, %w: tensor<6x3xf32> {sinter.pack}) -> tensor<70x3xf32> {
  %e = tensor.empty() : tensor<70x3xf32>
  // expected-error@below {{takes a part of argument 1, which is to be packed whole}}
  %y = sinter.contract (i = 70) by (j = 3) product (k = 5) (%x[i, k] : tensor<70x5xf32>, %w[k, j] : tensor<6x3xf32>) : f32
      outs(%e[i, j] : tensor<70x3xf32>) {
  ^row(%a: tensor<3xf32>):
    sinter.yield %a : tensor<3xf32>
  }
  return %y : tensor<70x3xf32>
}

// -----

// Something else that reads it.

// expected-error@below {{argument 1 is to be packed, but cannot be: something else than a product reads it; leave sinter.pack out}}
func.func @returned(%x: tensor<70x5xf32>, %w: tensor<5x3xf32> {sinter.pack}) -> (tensor<70x3xf32>, tensor<5x3xf32>) {
  %e = tensor.empty() : tensor<70x3xf32>
  %y = sinter.contract (i = 70) by (j = 3) product (k = 5) (%x[i, k] : tensor<70x5xf32>, %w[k, j] : tensor<5x3xf32>) : f32
      outs(%e[i, j] : tensor<70x3xf32>) {
  ^row(%a: tensor<3xf32>):
    sinter.yield %a : tensor<3xf32>
  }
  return %y, %w : tensor<70x3xf32>, tensor<5x3xf32>
}

// -----

// A size that is not known, however it is asked for.

// expected-error@below {{argument 1 is to be packed, but cannot be: a size of it is not known, or 0; leave sinter.pack out}}
func.func @dynamic(%x: tensor<70x5xf32>, %w: tensor<5x?xf32> {sinter.pack}) -> tensor<70x?xf32> {
  %c1 = arith.constant 1 : index
  %d = tensor.dim %w, %c1 : tensor<5x?xf32>
  %e = tensor.empty(%d) : tensor<70x?xf32>
  %y = sinter.contract (i = 70) by (j = ?) product (k = 5) (%x[i, k] : tensor<70x5xf32>, %w[k, j] : tensor<5x?xf32>) : f32
      outs(%e[i, j] : tensor<70x?xf32>) {
  ^row(%a: tensor<?xf32>):
    sinter.yield %a : tensor<?xf32>
  }
  return %y : tensor<70x?xf32>
}

// -----

// The function's name is taken.

func.func private @main_pack_1()
// expected-error@below {{argument 1 is packed by a function main_pack_1, and there is one of this name}}
func.func @main(%x: tensor<70x5xf32>, %w: tensor<5x3xf32> {sinter.pack}) -> tensor<70x3xf32> {
  %e = tensor.empty() : tensor<70x3xf32>
  %y = sinter.contract (i = 70) by (j = 3) product (k = 5) (%x[i, k] : tensor<70x5xf32>, %w[k, j] : tensor<5x3xf32>) : f32
      outs(%e[i, j] : tensor<70x3xf32>) {
  ^row(%a: tensor<3xf32>):
    sinter.yield %a : tensor<3xf32>
  }
  return %y : tensor<70x3xf32>
}

// -----

// A schedule by hand that asks for packed weights, which others read, too.

func.func @by_hand(%x: tensor<70x5xf32>, %w: tensor<5x3xf32> {sinter.pack}) -> (tensor<70x3xf32>, tensor<3xf32>) {
  %e = tensor.empty() : tensor<70x3xf32>
  %y = sinter.contract (i = 70) by (j = 3) product (k = 5) (%x[i, k] : tensor<70x5xf32>, %w[k, j] : tensor<5x3xf32>) : f32
      outs(%e[i, j] : tensor<70x3xf32>) schedule(#sinter.brgemm<kernel = "fma512", weights = "packed">) {
  ^row(%a: tensor<3xf32>):
    sinter.yield %a : tensor<3xf32>
  }
  %f = tensor.empty() : tensor<3xf32>
  // expected-error@below {{reads weights that are to be packed for another reader}}
  %s = sinter.rowwise (j = 3) by (k = 5) ins(%w[k, j] : tensor<5x3xf32>) outs(%f[j] : tensor<3xf32>) {
  ^row(%a: tensor<5xf32>):
    %t = sinter.row_reduce add %a : tensor<5xf32> -> f32
    sinter.yield %t : f32
  }
  return %y, %s : tensor<70x3xf32>, tensor<3xf32>
}

// -----

// The first side.

// expected-error@below {{argument 0 is to be packed, but cannot be: a kernel multiplies its rows by others: it is the first side; leave sinter.pack out}}
func.func @first(%x: tensor<70x5xf32> {sinter.pack}, %w: tensor<5x3xf32>) -> tensor<70x3xf32> {
  %e = tensor.empty() : tensor<70x3xf32>
  %y = sinter.contract (i = 70) by (j = 3) product (k = 5) (%x[i, k] : tensor<70x5xf32>, %w[k, j] : tensor<5x3xf32>) : f32
      outs(%e[i, j] : tensor<70x3xf32>) {
  ^row(%a: tensor<3xf32>):
    sinter.yield %a : tensor<3xf32>
  }
  return %y : tensor<70x3xf32>
}

// -----

// A matrix for each of a batch.

// expected-error@below {{argument 1 is to be packed, but cannot be: it has a matrix for each row or batch; leave sinter.pack out}}
func.func @batch(%x: tensor<2x70x5xf32>, %w: tensor<2x5x3xf32> {sinter.pack}) -> tensor<2x70x3xf32> {
  %e = tensor.empty() : tensor<2x70x3xf32>
  %y = sinter.contract (b = 2, i = 70) by (j = 3)
      product (k = 5) (%x[b, i, k] : tensor<2x70x5xf32>, %w[b, k, j] : tensor<2x5x3xf32>) : f32
      outs(%e[b, i, j] : tensor<2x70x3xf32>) {
  ^row(%a: tensor<3xf32>):
    sinter.yield %a : tensor<3xf32>
  }
  return %y : tensor<2x70x3xf32>
}

// -----

// A size that is known at run time only.

// expected-error@below {{argument 1 is to be packed, but cannot be: a size of it is not known, or 0; leave sinter.pack out}}
func.func @unknown(%x: tensor<70x?xf32>, %w: tensor<?x3xf32> {sinter.pack}) -> tensor<70x3xf32> {
  %e = tensor.empty() : tensor<70x3xf32>
  %y = sinter.contract (i = 70) by (j = 3) product (k = ?) (%x[i, k] : tensor<70x?xf32>, %w[k, j] : tensor<?x3xf32>) : f32
      outs(%e[i, j] : tensor<70x3xf32>) {
  ^row(%a: tensor<3xf32>):
    sinter.yield %a : tensor<3xf32>
  }
  return %y : tensor<70x3xf32>
}

// -----

// Nothing.

// expected-error@below {{argument 0 is to be packed, but cannot be: nothing reads it; leave sinter.pack out}}
func.func @unread(%w: tensor<5x3xf32> {sinter.pack}) {
  return
}

// -----

// A gradient has the type of what it is by, and a host knows weights as they are given.

// expected-error@below {{argument 1 is to be packed, but cannot be: the gradient by it is a result; leave sinter.pack out}}
func.func @gradient(%x: tensor<70x5xf32>, %w: tensor<5x3xf32> {sinter.pack}, %dw: tensor<5x3xf32>)
    -> (tensor<70x3xf32>, tensor<5x3xf32> {sinter.gradient_of = 1 : i64}) {
  %e = tensor.empty() : tensor<70x3xf32>
  %y = sinter.contract (i = 70) by (j = 3) product (k = 5) (%x[i, k] : tensor<70x5xf32>, %w[k, j] : tensor<5x3xf32>) : f32
      outs(%e[i, j] : tensor<70x3xf32>) {
  ^row(%a: tensor<3xf32>):
    sinter.yield %a : tensor<3xf32>
  }
  return %y, %dw : tensor<70x3xf32>, tensor<5x3xf32>
}

// -----

// It is there or not: `false` would be taken for yes.

// expected-error@below {{argument 1 has sinter.pack with a value; write it alone, or leave it out}}
func.func @value(%x: tensor<70x5xf32>, %w: tensor<5x3xf32> {sinter.pack = false}) -> tensor<70x3xf32> {
  %e = tensor.empty() : tensor<70x3xf32>
  %y = sinter.contract (i = 70) by (j = 3) product (k = 5) (%x[i, k] : tensor<70x5xf32>, %w[k, j] : tensor<5x3xf32>) : f32
      outs(%e[i, j] : tensor<70x3xf32>) {
  ^row(%a: tensor<3xf32>):
    sinter.yield %a : tensor<3xf32>
  }
  return %y : tensor<70x3xf32>
}

// -----

// One row alone: no product, but a sum of products for each result.

// expected-error@below {{argument 1 is to be packed, but cannot be: one row alone is multiplied by it, which reads each number once, where it lies; leave sinter.pack out}}
func.func @one_row(%x: tensor<300xf32>, %w: tensor<70x300xf32> {sinter.pack}) -> tensor<70xf32> {
  %e = tensor.empty() : tensor<70xf32>
  %y = sinter.rowwise (i = 70) by (k = 300)
      ins(%w[i, k] : tensor<70x300xf32>, %x[k] : tensor<300xf32>)
      outs(%e[i] : tensor<70xf32>) {
  ^row(%a: tensor<300xf32>, %b: tensor<300xf32>):
    %p = arith.mulf %a, %b : tensor<300xf32>
    %s = sinter.row_reduce add %p : tensor<300xf32> -> f32
    sinter.yield %s : f32
  }
  return %y : tensor<70xf32>
}
