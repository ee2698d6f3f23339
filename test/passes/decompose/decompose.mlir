// RUN: sinter-opt --sinter-decompose --split-input-file %s | FileCheck %s

// Each row operation is one linalg op, also what follows the reduction over rows.

// CHECK-LABEL: func @mse_grad
//  CHECK-SAME:   %[[X:.+]]: tensor<4x8xf32>, %[[Y:.+]]: tensor<4x8xf32>
//       CHECK:   %[[D:.+]] = linalg.generic {{.*}} ins(%[[X]], %[[Y]]
//       CHECK:     arith.subf
//       CHECK:   %[[Q:.+]] = linalg.generic {{.*}} ins(%[[D]], %[[D]]
//       CHECK:     arith.mulf
//       CHECK:   linalg.generic {{.*}}"parallel", "reduction"]} ins(%[[Q]] : tensor<4x8xf32>) outs(%{{.+}} : tensor<4xf32>)
//       CHECK:     arith.addf
//       CHECK:   %[[S:.+]] = linalg.generic {{.*}}"reduction"]} ins(%{{.+}} : tensor<4xf32>) outs(%{{.+}} : tensor<f32>)
//       CHECK:     arith.addf
//       CHECK:   %[[L:.+]] = linalg.generic {{.*}} ins(%[[S]] : tensor<f32>)
//       CHECK:     arith.divf
//       CHECK:   return %[[L]], %[[D]]
func.func @mse_grad(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<f32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<f32>
  %d = tensor.empty() : tensor<4x8xf32>
  %loss, %dx = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>, %y[i, j] : tensor<4x8xf32>)
      reduce(add [] : f32)
      outs(%e[] : tensor<f32>, %d[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>, %b: tensor<8xf32>):
    %g = arith.subf %a, %b : tensor<8xf32>
    %q = arith.mulf %g, %g : tensor<8xf32>
    %s = sinter.row_reduce add %q : tensor<8xf32> -> f32
    sinter.yield %s, %g : f32, tensor<8xf32>
  } finish {
  ^done(%s: f32):
    %n = arith.constant 32.0 : f32
    %m = arith.divf %s, %n : f32
    sinter.yield %m : f32
  }
  return %loss, %dx : tensor<f32>, tensor<4x8xf32>
}

// -----

// A product over its own dimension, then the epilogue.

// CHECK-LABEL: func @linear
//       CHECK:   linalg.generic {{.*}}"parallel", "parallel", "reduction"]} ins(%{{.+}} : tensor<4x16xf32>, tensor<8x16xf32>)
//       CHECK:     %[[M:.+]] = arith.mulf
//       CHECK:     arith.addf %{{.+}}, %[[M]]
//       CHECK:   linalg.generic {{.*}} ins(%{{.+}} : tensor<4x8xf32>, tensor<8xf32>)
//       CHECK:     arith.addf
func.func @linear(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = sinter.contract (i = 4) by (j = 8)
      product (k = 16) (%x[i, k] : tensor<4x16xf32>, %w[j, k] : tensor<8x16xf32>) : f32
      ins(%b[j] : tensor<8xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%acc: tensor<8xf32>, %bias: tensor<8xf32>):
    %s = arith.addf %acc, %bias : tensor<8xf32>
    sinter.yield %s : tensor<8xf32>
  }
  return %y : tensor<4x8xf32>
}

// -----

// A subscript that may be outside is guarded; unsigned comparison sees a negative one too.

// CHECK-LABEL: func @padded
//       CHECK:   %[[J:.+]] = linalg.index 1
//       CHECK:   %[[U:.+]] = arith.cmpi ult
//       CHECK:   arith.andi
//       CHECK:   scf.if
//       CHECK:     tensor.extract
//       CHECK:   } else {
//       CHECK:     scf.yield %{{.+}} : f32
func.func @padded(%x: tensor<4x8xf32>) -> tensor<4x9xf32> {
  %e = tensor.empty() : tensor<4x9xf32>
  %y = sinter.rowwise (i = 4) by (j = 9) ins(%x[i, j * 2 - 1] : tensor<4x8xf32> else 0.0) outs(%e[i, j] : tensor<4x9xf32>) {
  ^row(%a: tensor<9xf32>):
    sinter.yield %a : tensor<9xf32>
  }
  return %y : tensor<4x9xf32>
}

// -----

// An embedding: the subscript comes from a tensor.

// CHECK-LABEL: func @embedding
//  CHECK-SAME:   %[[T:.+]]: tensor<100x8xf32>, %[[I:.+]]: tensor<4xi64>
//       CHECK:   linalg.generic {{.*}} ins(%[[I]] : tensor<4xi64>)
//       CHECK:     %[[J:.+]] = linalg.index 1
//       CHECK:     %[[K:.+]] = arith.index_cast %{{.+}} : i64 to index
//       CHECK:     tensor.extract %[[T]][%[[K]], %[[J]]]
func.func @embedding(%t: tensor<100x8xf32>, %i: tensor<4xi64>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = sinter.rowwise (i = 4) by (j = 8) ins(%t[%i[i] : tensor<4xi64>, j] : tensor<100x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return %y : tensor<4x8xf32>
}

// -----

// The index of a pick is split over two columns.

// CHECK-LABEL: func @picked
//  CHECK-SAME:   %[[X:.+]]: tensor<4x2x3xf32>, %[[T:.+]]: tensor<4xi64>
//       CHECK:   linalg.generic {{.*}} ins(%[[T]] : tensor<4xi64>)
//       CHECK:     %[[P:.+]] = arith.index_cast
//       CHECK:     %[[I:.+]] = linalg.index 0
//       CHECK:     scf.if
//       CHECK:       %[[K:.+]] = arith.remui %[[P]]
//       CHECK:       %[[J:.+]] = arith.divui %[[P]]
//       CHECK:       tensor.extract %[[X]][%[[I]], %[[J]], %[[K]]]
func.func @picked(%x: tensor<4x2x3xf32>, %t: tensor<4xi64>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = sinter.rowwise (i = 4) by (j = 2, k = 3) ins(%x[i, j, k] : tensor<4x2x3xf32>, %t[i] : tensor<4xi64>) outs(%e[i] : tensor<4xf32>) {
  ^row(%a: tensor<6xf32>, %l: i64):
    %z = arith.constant 0.0 : f32
    %p = sinter.pick %a[%l] else %z : tensor<6xf32>, i64
    sinter.yield %p : f32
  }
  return %y : tensor<4xf32>
}

// -----

// A combiner of one's own, and positions.

// CHECK-LABEL: func @custom
//       CHECK:   linalg.fill ins(%{{.+}} : f32) outs(%{{.+}} : tensor<4xf32>)
//       CHECK:   linalg.generic {{.*}}"parallel", "reduction"]}
//       CHECK:   ^bb0(%[[IN:.+]]: f32, %[[OUT:.+]]: f32):
//  CHECK-NEXT:     %[[M:.+]] = arith.mulf %[[OUT]], %[[IN]]
//  CHECK-NEXT:     linalg.yield %[[M]]
//       CHECK:   linalg.index 0
//       CHECK:   arith.index_cast
func.func @custom(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xi64>) {
  %e = tensor.empty() : tensor<4xf32>
  %f = tensor.empty() : tensor<4xi64>
  %y:2 = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i] : tensor<4xf32>, %f[i] : tensor<4xi64>) {
  ^row(%a: tensor<8xf32>):
    %one = arith.constant 1.0 : f32
    %p = sinter.row_reduce %a init(%one : f32) : tensor<8xf32> -> f32 {
    ^bb0(%l: f32, %r: f32):
      %c = arith.mulf %l, %r : f32
      sinter.yield %c : f32
    }
    %i = sinter.index i : index
    %k = arith.index_cast %i : index to i64
    sinter.yield %p, %k : f32, i64
  }
  return %y#0, %y#1 : tensor<4xf32>, tensor<4xi64>
}

// -----

// Dynamic sizes are those of an operand; bf16 is widened before it is summed; a constant
// that is summed over rows is a tensor first.

// CHECK-LABEL: func @dynamic
//       CHECK:   %[[N:.+]] = tensor.dim %{{.+}}, %{{.+}} : tensor<?x?xbf16>
//       CHECK:   linalg.generic
//       CHECK:     arith.extf %{{.+}} : bf16 to f32
//       CHECK:   linalg.fill {{.*}} outs(%{{.+}} : tensor<?xf32>)
//       CHECK:   linalg.generic {{.*}}["reduction"]}
func.func @dynamic(%x: tensor<?x?xbf16>, %n: index) -> (tensor<?xf32>, tensor<f32>) {
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = tensor.empty() : tensor<f32>
  %y:2 = sinter.rowwise (i = ?) by (j = ?) ins(%x[i, j] : tensor<?x?xbf16>) reduce(add [] : f32) outs(%e[i] : tensor<?xf32>, %f[] : tensor<f32>) {
  ^row(%a: tensor<?xbf16>):
    %s = sinter.row_reduce add %a : tensor<?xbf16> -> f32
    %one = arith.constant 1.0 : f32
    sinter.yield %one, %s : f32, f32
  }
  return %y#0, %y#1 : tensor<?xf32>, tensor<f32>
}

// -----

// What is gathered is guarded in each dimension.

// CHECK-LABEL: func @gather
//       CHECK:   linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<4xi64>, tensor<8xindex>)
//       CHECK:     %[[I:.+]] = arith.index_cast %{{.+}} : i64 to index
//       CHECK:     arith.cmpi ult, %[[I]]
//       CHECK:     arith.cmpi ult
//       CHECK:     scf.if
//       CHECK:       tensor.extract %{{.+}}[%[[I]], %{{.+}}] : tensor<100x8xf32>
func.func @gather(%table: tensor<100x8xf32>, %t: tensor<4xi64>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = sinter.rowwise (i = 4) by (j = 8) ins(%table[?, ?] : tensor<100x8xf32>, %t[i] : tensor<4xi64>) outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: memref<100x8xf32>, %i: i64):
    %z = arith.constant 0.0 : f32
    %j = sinter.index j : tensor<8xindex>
    %x = sinter.gather %a[%i, %j] else %z : memref<100x8xf32>, i64, tensor<8xindex> -> tensor<8xf32>
    sinter.yield %x : tensor<8xf32>
  }
  return %y : tensor<4x8xf32>
}

// -----

// How many columns there are is not asked of what has a value for outside: that may have fewer, or more.

// CHECK-LABEL: func @padded_first
//  CHECK-SAME:   (%[[P:.+]]: tensor<4x?xf32>, %[[X:.+]]: tensor<4x?xf32>,
//       CHECK:   %[[N:.+]] = tensor.dim %[[X]], %c1
//       CHECK:   tensor.empty(%[[N]])
func.func @padded_first(%p: tensor<4x?xf32>, %x: tensor<4x?xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
  %y = sinter.rowwise (i = 4) by (j = ?) ins(%p[i, j] : tensor<4x?xf32> else 0.5, %x[i, j] : tensor<4x?xf32>) outs(%e[i] : tensor<4xf32>) {
  ^row(%a: tensor<?xf32>, %b: tensor<?xf32>):
    %s = arith.mulf %a, %b : tensor<?xf32>
    %t = sinter.row_reduce add %s : tensor<?xf32> -> f32
    sinter.yield %t : f32
  }
  return %y : tensor<4xf32>
}

// -----

// An assert survives, at each point that its condition depends on.

// CHECK-LABEL: func @assertion
//       CHECK:   linalg.generic {{.*}} ins(%{{.+}} : tensor<4xi1>)
//       CHECK:     cf.assert %{{.+}}, "not positive"
func.func @assertion(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    %z = arith.constant 0.0 : f32
    %s = sinter.row_reduce maximumf %a : tensor<8xf32> -> f32
    %c = arith.cmpf ogt, %s, %z : f32
    cf.assert %c, "not positive"
    sinter.yield %a : tensor<8xf32>
  }
  return %y : tensor<4x8xf32>
}

// -----

// With linalg alone nothing happens.

// CHECK-LABEL: func @untouched
//       CHECK:   linalg.exp
func.func @untouched(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = linalg.exp ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
