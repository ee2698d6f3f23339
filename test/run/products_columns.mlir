// RUN: sinter-run %s --verify --threads=1 | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --verify --policy=aggressive | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --verify --cpu=haswell | FileCheck %s --implicit-check-not=differs

// Products of which both sides use columns, or none does: alone, beside others, and multiplied again.

// CHECK-COUNT-6: agrees

func.func private @a(%x: tensor<4x6x5xf32>, %w: tensor<6x5xf32>) -> tensor<4x6xf32> {
  %f = tensor.empty() : tensor<4x6xf32>
  %y = sinter.contract (i = 4) by (j = 6)
      product (k = 5) (%x[i, j, k] : tensor<4x6x5xf32>, %w[j, k] : tensor<6x5xf32>) : f32
      outs(%f[i, j] : tensor<4x6xf32>) {
  ^row(%a: tensor<6xf32>):
    %b = math.tanh %a : tensor<6xf32>
    sinter.yield %b : tensor<6xf32>
  }
  return %y : tensor<4x6xf32>
}

func.func private @b(%x: tensor<4x5xf32>, %w: tensor<4x5xf32>, %u: tensor<5xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %f = tensor.empty() : tensor<4x6xf32>
  %y = sinter.contract (i = 4) by (j = 6)
      product (k = 5) (%x[i, k] : tensor<4x5xf32>, %w[i, k] : tensor<4x5xf32>) : f32
      outs(%f[i, j] : tensor<4x6xf32>) {
  ^row(%a: tensor<6xf32>):
    %b = math.tanh %a : tensor<6xf32>
    sinter.yield %b : tensor<6xf32>
  }
  %z = sinter.contract (i = 4) by (j = 6)
      product (k = 5) (%x[i, k] : tensor<4x5xf32>, %u[k] : tensor<5xf32>) : f32
      outs(%f[i, j] : tensor<4x6xf32>) {
  ^row(%a: tensor<6xf32>):
    %b = math.tanh %a : tensor<6xf32>
    sinter.yield %b : tensor<6xf32>
  }
  return %y, %z : tensor<4x6xf32>, tensor<4x6xf32>
}

func.func private @c(%x: tensor<4x3x5xf32>, %w: tensor<3x2x5xf32>, %p: tensor<4x7xf32>, %q: tensor<3x2x7xf32>) -> tensor<4x3x2xf32> {
  %f = tensor.empty() : tensor<4x3x2xf32>
  %y = sinter.contract (i = 4) by (j = 3, e = 2)
      product (k = 5) (%x[i, j, k] : tensor<4x3x5xf32>, %w[j, e, k] : tensor<3x2x5xf32>) : f32
      product (l = 7) (%p[i, l] : tensor<4x7xf32>, %q[j, e, l] : tensor<3x2x7xf32>) : f32
      outs(%f[i, j, e] : tensor<4x3x2xf32>) {
  ^row(%a: tensor<6xf32>, %b: tensor<6xf32>):
    %c = math.tanh %a : tensor<6xf32>
    %d = arith.addf %c, %b : tensor<6xf32>
    sinter.yield %d : tensor<6xf32>
  }
  return %y : tensor<4x3x2xf32>
}

func.func private @d(%x: tensor<4x5xf32>, %w: tensor<4x5xf32>, %v: tensor<6x3xf32>, %u: tensor<4x6x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %f = tensor.empty() : tensor<4x3xf32>
  %y = sinter.contract (i = 4) by (j = 6) by (e = 3)
      product (k = 5) (%x[i, k] : tensor<4x5xf32>, %w[i, k] : tensor<4x5xf32>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<6x3xf32>)
      outs(%f[i, e] : tensor<4x3xf32>) {
  ^row(%a: tensor<6xf32>, %m: tensor<6x3xf32>):
    %b = math.tanh %a : tensor<6xf32>
    %o = sinter.row_product %b, %m : tensor<6xf32>, tensor<6x3xf32> -> tensor<3xf32>
    sinter.yield %o : tensor<3xf32>
  }
  %z = sinter.contract (i = 4) by (j = 6) by (e = 3)
      product (k = 3) (%u[i, j, k] : tensor<4x6x3xf32>, %v[j, k] : tensor<6x3xf32>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<6x3xf32>)
      outs(%f[i, e] : tensor<4x3xf32>) {
  ^row(%a: tensor<6xf32>, %m: tensor<6x3xf32>):
    %b = math.tanh %a : tensor<6xf32>
    %o = sinter.row_product %b, %m : tensor<6xf32>, tensor<6x3xf32> -> tensor<3xf32>
    sinter.yield %o : tensor<3xf32>
  }
  return %y, %z : tensor<4x3xf32>, tensor<4x3xf32>
}
func.func @main(%a0: tensor<4x6x5xf32>, %a1: tensor<6x5xf32>, %b0: tensor<4x5xf32>, %b1: tensor<4x5xf32>, %b2: tensor<5xf32>, %c0: tensor<4x3x5xf32>, %c1: tensor<3x2x5xf32>, %c2: tensor<4x7xf32>, %c3: tensor<3x2x7xf32>, %d0: tensor<4x5xf32>, %d1: tensor<4x5xf32>, %d2: tensor<6x3xf32>, %d3: tensor<4x6x3xf32>)
    -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x3x2xf32>, tensor<4x3xf32>, tensor<4x3xf32>) {
  %ra = call @a(%a0, %a1) : (tensor<4x6x5xf32>, tensor<6x5xf32>) -> (tensor<4x6xf32>)
  %rb:2 = call @b(%b0, %b1, %b2) : (tensor<4x5xf32>, tensor<4x5xf32>, tensor<5xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>)
  %rc = call @c(%c0, %c1, %c2, %c3) : (tensor<4x3x5xf32>, tensor<3x2x5xf32>, tensor<4x7xf32>, tensor<3x2x7xf32>) -> (tensor<4x3x2xf32>)
  %rd:2 = call @d(%d0, %d1, %d2, %d3) : (tensor<4x5xf32>, tensor<4x5xf32>, tensor<6x3xf32>, tensor<4x6x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>)
  return %ra, %rb#0, %rb#1, %rc, %rd#0, %rd#1 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x3x2xf32>, tensor<4x3xf32>, tensor<4x3xf32>
}
