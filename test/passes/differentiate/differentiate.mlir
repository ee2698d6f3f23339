// RUN: sinter-opt --sinter-differentiate --split-input-file %s | FileCheck %s

// The gradient reads what the value reads, and says it in the same words.

// CHECK-LABEL: func @mean_squares
//       CHECK:   %[[L:.+]] = sinter.rowwise
//       CHECK:   %[[D:.+]]:2 = sinter.rowwise (i = 4) by (j = 8)
//  CHECK-NEXT:       ins(%arg0[i, j] : tensor<4x8xf32>, %arg1[i, j] : tensor<4x8xf32>, %arg2[] : tensor<f32>)
//  CHECK-NEXT:       outs(%{{.+}}[i, j] : tensor<4x8xf32>, %{{.+}}[i, j] : tensor<4x8xf32>) {
//  CHECK-NEXT:   ^row(%[[A:.+]]: tensor<8xf32>, %[[B:.+]]: tensor<8xf32>, %[[G:.+]]: f32):
//       CHECK:     %[[S:.+]] = arith.subf %[[A]], %[[B]]
//       CHECK:     %[[GN:.+]] = arith.divf %[[G]], %{{.+}} : f32
//       CHECK:     %[[P:.+]] = arith.mulf %{{.+}}, %[[S]]
//       CHECK:     %[[X:.+]] = arith.addf %[[P]], %[[P]]
//       CHECK:     %[[Y:.+]] = arith.negf %[[X]]
//       CHECK:     sinter.yield %[[X]], %[[Y]]
//       CHECK:   return %[[L]], %[[D]]#0, %[[D]]#1
func.func @mean_squares(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %g: tensor<f32>) -> (tensor<f32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<f32>
  %l = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>, %y[i, j] : tensor<4x8xf32>)
      reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<8xf32>, %b: tensor<8xf32>):
    %d = arith.subf %a, %b : tensor<8xf32>
    %q = arith.mulf %d, %d : tensor<8xf32>
    %s = sinter.row_reduce add %q : tensor<8xf32> -> f32
    sinter.yield %s : f32
  } finish {
  ^done(%s: f32):
    %n = arith.constant 32.0 : f32
    %m = arith.divf %s, %n : f32
    sinter.yield %m : f32
  }
  %dx, %dy = sinter.differentiate %l upstream(%g) wrt(%x, %y)
      : (tensor<f32>, tensor<f32>, tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  return %l, %dx, %dy : tensor<f32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// A divisor that is counted comes first, from labels alone; the assert stays with the value.

// CHECK-LABEL: func @counted
//       CHECK:   cf.assert
//       CHECK:   %[[N:.+]] = sinter.rowwise (i = 4) by ()
//  CHECK-NEXT:       ins(%arg1[i] : tensor<4xi64>)
//  CHECK-NEXT:       reduce(add [] : f32)
//       CHECK:   sinter.rowwise (i = 4) by (j = 8)
//  CHECK-NEXT:       ins(%arg1[i] : tensor<4xi64>, %[[N]][] : tensor<f32>)
//   CHECK-NOT:   cf.assert
//       CHECK:     sinter.index j
//       CHECK:   return
func.func @counted(%x: tensor<4x8xf32>, %t: tensor<4xi64>) -> (tensor<f32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<f32>
  %l = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>, %t[i] : tensor<4xi64>)
      reduce(add [] : f32, add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<8xf32>, %y: i64):
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %none = arith.constant -100 : i64
    %valid = arith.cmpi ne, %y, %none : i64
    cf.assert %valid, "a label is missing"
    %p = sinter.pick %a[%y] else %zero : tensor<8xf32>, i64
    %c = arith.select %valid, %one, %zero : f32
    sinter.yield %p, %c : f32, f32
  } finish {
  ^done(%s: f32, %n: f32):
    %m = arith.divf %s, %n : f32
    sinter.yield %m : f32
  }
  %dx = sinter.differentiate %l wrt(%x) : (tensor<f32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %l, %dx : tensor<f32>, tensor<4x8xf32>
}

// -----

// Half types are computed with in f32 and rounded once; what all rows share is summed over them.

// CHECK-LABEL: func @half
//       CHECK:   sinter.rowwise (i = 4) by (j = 8)
//       CHECK:       reduce(add [j] : f32)
//  CHECK-NEXT:       outs(%{{.+}}[i, j] : tensor<4x8xbf16>, %{{.+}}[j] : tensor<8xbf16>) {
//       CHECK:     arith.extf
//       CHECK:   } finish {
//  CHECK-NEXT:   ^done(%[[S:.+]]: tensor<8xf32>):
//  CHECK-NEXT:     %[[T:.+]] = arith.truncf %[[S]] : tensor<8xf32> to tensor<8xbf16>
//  CHECK-NEXT:     sinter.yield %[[T]]
func.func @half(%x: tensor<4x8xbf16>, %w: tensor<8xbf16>, %g: tensor<4x8xbf16>) -> (tensor<4x8xbf16>, tensor<8xbf16>) {
  %e = tensor.empty() : tensor<4x8xbf16>
  %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xbf16>, %w[j] : tensor<8xbf16>) outs(%e[i, j] : tensor<4x8xbf16>) {
  ^row(%a: tensor<8xbf16>, %b: tensor<8xbf16>):
    %p = arith.mulf %a, %b : tensor<8xbf16>
    sinter.yield %p : tensor<8xbf16>
  }
  %dx, %dw = sinter.differentiate %y upstream(%g) wrt(%x, %w)
      : (tensor<4x8xbf16>, tensor<4x8xbf16>, tensor<4x8xbf16>, tensor<8xbf16>) -> (tensor<4x8xbf16>, tensor<8xbf16>)
  return %dx, %dw : tensor<4x8xbf16>, tensor<8xbf16>
}

// -----

// A value with two readers gets the sum of both; what does not lie between gets nothing; a detached value neither.

// CHECK-LABEL: func @readers
//       CHECK:   %[[A:.+]] = sinter.rowwise
//       CHECK:   %[[B:.+]] = sinter.rowwise
//       CHECK:     math.cos
//       CHECK:   %[[Z:.+]] = sinter.rowwise () by (d = 3)
//  CHECK-NEXT:       outs(%{{.+}}[d] : tensor<3xf32>) {
//  CHECK-NEXT:     arith.constant 0.000000e+00 : f32
//   CHECK-NOT:   sinter.detach
//       CHECK:   return %{{.+}}, %[[Z]]
func.func @readers(%x: tensor<8xf32>, %z: tensor<3xf32>) -> (tensor<8xf32>, tensor<3xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %s = sinter.rowwise () by (j = 8) ins(%x[j] : tensor<8xf32>) outs(%e[j] : tensor<8xf32>) {
  ^row(%a: tensor<8xf32>):
    %p = math.sin %a : tensor<8xf32>
    sinter.yield %p : tensor<8xf32>
  }
  %y = sinter.rowwise () by (j = 8) ins(%x[j] : tensor<8xf32>, %s[j] : tensor<8xf32>) outs(%e[j] : tensor<8xf32>) {
  ^row(%a: tensor<8xf32>, %b: tensor<8xf32>):
    %d = sinter.detach %a : tensor<8xf32>
    %p = arith.mulf %d, %b : tensor<8xf32>
    %q = arith.addf %p, %a : tensor<8xf32>
    sinter.yield %q : tensor<8xf32>
  }
  %dx, %dz = sinter.differentiate %y wrt(%x, %z) : (tensor<8xf32>, tensor<8xf32>, tensor<3xf32>) -> (tensor<8xf32>, tensor<3xf32>)
  return %dx, %dz : tensor<8xf32>, tensor<3xf32>
}

// -----

// linalg that was not raised is, first; gradients take the shape back that a reshape took.

// CHECK-LABEL: func @reshaped
//   CHECK-NOT:   linalg
//       CHECK:   sinter.rowwise
//   CHECK-NOT:   linalg
//       CHECK:   return %{{.+}} : tensor<2x4xf32>
#map = affine_map<(d0) -> (d0)>
func.func @reshaped(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %c = tensor.collapse_shape %x [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%c : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = math.exp %a : f32
    linalg.yield %p : f32
  } -> tensor<8xf32>
  %dx = sinter.differentiate %y wrt(%x) : (tensor<8xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %dx : tensor<2x4xf32>
}
