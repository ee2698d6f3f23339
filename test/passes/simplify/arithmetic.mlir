// RUN: sinter-opt --sinter-simplify --split-input-file %s | FileCheck %s

// Identities on rows, as upstream has them on scalars.

// CHECK-LABEL: func @identities
//       CHECK:   ^row(%[[X:.+]]: tensor<5xf32>):
//  CHECK-NEXT:     sinter.yield %[[X]] : tensor<5xf32>
func.func @identities(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %y = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>) outs(%e[i, j] : tensor<3x5xf32>) {
  ^row(%r: tensor<5xf32>):
    %one = arith.constant dense<1.0> : tensor<5xf32>
    %zero = arith.constant dense<0.0> : tensor<5xf32>
    %minus = arith.constant dense<-0.0> : tensor<5xf32>
    %true = arith.constant dense<true> : tensor<5xi1>
    %a = arith.mulf %one, %r : tensor<5xf32>
    %b = arith.divf %a, %one : tensor<5xf32>
    %c = arith.subf %b, %zero : tensor<5xf32>
    %d = arith.addf %c, %minus : tensor<5xf32>
    %f = arith.negf %d : tensor<5xf32>
    %g = arith.negf %f : tensor<5xf32>
    %h = arith.select %true, %g, %zero : tensor<5xi1>, tensor<5xf32>
    sinter.yield %h : tensor<5xf32>
  }
  return %y : tensor<3x5xf32>
}

// -----

// x + 0 turns -0 into 0; numbers that are the neutral ones of other operations, or those with a sign: all stay (and x /
// -1 is x * -1).

// CHECK-LABEL: func @not_identities
//       CHECK:   arith.addf
//  CHECK-NEXT:   arith.mulf
//  CHECK-NEXT:   arith.addf
//  CHECK-NEXT:   arith.addf
//  CHECK-NEXT:   arith.subf
//  CHECK-NEXT:   arith.subf
//  CHECK-NEXT:   arith.mulf
//  CHECK-NEXT:   arith.mulf
//  CHECK-NEXT:   sinter.yield
func.func @not_identities(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %y = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>) outs(%e[i, j] : tensor<3x5xf32>) {
  ^row(%r: tensor<5xf32>):
    %zero = arith.constant dense<0.0> : tensor<5xf32>
    %minus = arith.constant dense<-1.0> : tensor<5xf32>
    %a = arith.addf %r, %zero : tensor<5xf32>
    %b = arith.mulf %a, %minus : tensor<5xf32>
    %one = arith.constant dense<1.0> : tensor<5xf32>
    %nought = arith.constant dense<-0.0> : tensor<5xf32>
    %c = arith.addf %b, %minus : tensor<5xf32>
    %d = arith.addf %c, %one : tensor<5xf32>
    %f = arith.subf %d, %one : tensor<5xf32>
    %g = arith.subf %f, %nought : tensor<5xf32>
    %h = arith.divf %g, %minus : tensor<5xf32>
    %k = arith.mulf %h, %zero : tensor<5xf32>
    sinter.yield %k : tensor<5xf32>
  }
  return %y : tensor<3x5xf32>
}

// -----

// Small powers are products; a cube of powf, which rounds once, stays.

// CHECK-LABEL: func @powers
//       CHECK:   ^row(%[[X:.+]]: tensor<5xf32>):
//       CHECK:     %[[S:.+]] = arith.mulf %[[X]], %[[X]]
//  CHECK-NEXT:     arith.mulf %[[S]], %[[X]]
//   CHECK-NOT:   math.fpowi
//       CHECK:   math.powf
func.func @powers(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %y = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>) outs(%e[i, j] : tensor<3x5xf32>) {
  ^row(%r: tensor<5xf32>):
    %three = arith.constant dense<3> : tensor<5xi64>
    %threef = arith.constant dense<3.0> : tensor<5xf32>
    %a = math.fpowi %r, %three : tensor<5xf32>, tensor<5xi64>
    %b = math.powf %r, %threef : tensor<5xf32>
    %c = arith.addf %a, %b : tensor<5xf32>
    sinter.yield %c : tensor<5xf32>
  }
  return %y : tensor<3x5xf32>
}

// -----

// Python's floats come as f64 and are rounded in the body: rounded here, to nearest even.

// CHECK-LABEL: func @rounded_constant
//       CHECK:   arith.constant 9.99999974E-6 : f32
//   CHECK-NOT:   arith.truncf
func.func @rounded_constant(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %y = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>) outs(%e[i, j] : tensor<3x5xf32>) {
  ^row(%r: tensor<5xf32>):
    %eps = arith.constant 1.0e-5 : f64
    %a = arith.truncf %eps : f64 to f32
    %b = sinter.broadcast %a : f32 -> tensor<5xf32>
    %c = arith.addf %r, %b : tensor<5xf32>
    sinter.yield %c : tensor<5xf32>
  }
  return %y : tensor<3x5xf32>
}

// -----

// The logarithm of an exponential is what it was made from, also where the exponential overflows. The
// exponential of a logarithm is not: it is NaN below zero.

// CHECK-LABEL: func @logarithm
//       CHECK:   ^row(%[[X:.+]]: tensor<5xf32>):
//  CHECK-NEXT:     %[[L:.+]] = math.log %[[X]]
//  CHECK-NEXT:     %[[E:.+]] = math.exp %[[L]]
//  CHECK-NEXT:     arith.addf %[[X]], %[[E]]
func.func @logarithm(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %y = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>) outs(%e[i, j] : tensor<3x5xf32>) {
  ^row(%r: tensor<5xf32>):
    %a = math.exp %r : tensor<5xf32>
    %b = math.log %a : tensor<5xf32>
    %c = math.log %r : tensor<5xf32>
    %d = math.exp %c : tensor<5xf32>
    %f = arith.addf %b, %d : tensor<5xf32>
    sinter.yield %f : tensor<5xf32>
  }
  return %y : tensor<3x5xf32>
}

// -----

// Target and its rest are one. Not where the difference is from no constant.

// CHECK-LABEL: func @and_the_rest
//       CHECK:   ^row(%[[X:.+]]: tensor<5xf32>, %[[Y:.+]]: tensor<5xf32>):
//       CHECK:     %[[D:.+]] = arith.subf %[[Y]], %[[X]]
//       CHECK:     %[[S:.+]] = arith.addf %[[X]], %[[D]]
//       CHECK:     sinter.yield %{{.+}}, %[[S]]
//   CHECK-NOT:   arith.addf
func.func @and_the_rest(%x: tensor<3x5xf32>, %y: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
  %e = tensor.empty() : tensor<3x5xf32>
  %z:2 = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>, %y[i, j] : tensor<3x5xf32>) outs(%e[i, j] : tensor<3x5xf32>, %e[i, j] : tensor<3x5xf32>) {
  ^row(%a: tensor<5xf32>, %b: tensor<5xf32>):
    %one = arith.constant dense<1.0> : tensor<5xf32>
    %c = arith.subf %one, %a : tensor<5xf32>
    %d = arith.addf %a, %c : tensor<5xf32>
    %p = arith.mulf %d, %b : tensor<5xf32>
    %f = arith.subf %b, %a : tensor<5xf32>
    %g = arith.addf %a, %f : tensor<5xf32>
    sinter.yield %p, %g : tensor<5xf32>, tensor<5xf32>
  }
  return %z#0, %z#1 : tensor<3x5xf32>, tensor<3x5xf32>
}

// -----

// What one branch adds and the other takes away is added with a sign; with and without more beside it. Not if the
// conditions differ.

// CHECK-LABEL: func @two_parts
//       CHECK:   ^row(%[[X:.+]]: tensor<5xf32>, %[[Y:.+]]: tensor<5xf32>):
//       CHECK:     %[[C:.+]] = arith.cmpf olt, %[[X]]
//       CHECK:     %[[N:.+]] = arith.negf %[[Y]]
//       CHECK:     %[[B:.+]] = arith.select %[[C]], %[[Y]], %[[N]]
//       CHECK:     %[[S:.+]] = arith.addf %[[X]], %[[B]]
//       CHECK:     sinter.yield %[[S]], %[[B]], %[[O:.+]] :
func.func @two_parts(%x: tensor<3x5xf32>, %y: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>) {
  %e = tensor.empty() : tensor<3x5xf32>
  %z:3 = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>, %y[i, j] : tensor<3x5xf32>)
      outs(%e[i, j] : tensor<3x5xf32>, %e[i, j] : tensor<3x5xf32>, %e[i, j] : tensor<3x5xf32>) {
  ^row(%a: tensor<5xf32>, %b: tensor<5xf32>):
    %zero = arith.constant dense<0.0> : tensor<5xf32>
    %c = arith.cmpf olt, %a, %zero : tensor<5xf32>
    %d = arith.cmpf olt, %b, %zero : tensor<5xf32>
    %up = arith.select %c, %b, %zero : tensor<5xi1>, tensor<5xf32>
    %down = arith.select %c, %zero, %b : tensor<5xi1>, tensor<5xf32>
    %other = arith.select %d, %zero, %b : tensor<5xi1>, tensor<5xf32>
    %minus = arith.negf %down : tensor<5xf32>
    %minus_other = arith.negf %other : tensor<5xf32>
    %sum = arith.addf %a, %up : tensor<5xf32>
    %f = arith.addf %sum, %minus : tensor<5xf32>
    %g = arith.addf %up, %minus : tensor<5xf32>
    %h = arith.addf %up, %minus_other : tensor<5xf32>
    sinter.yield %f, %g, %h : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
  }
  return %z#0, %z#1, %z#2 : tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>
}

// -----

// What is chosen where a condition is not so is the other: `masked_fill(~c, -inf)`. A comparison of integers that is
// not so is another; one of floats stays, as it may be of NaN.

// CHECK-LABEL: func @negated
//       CHECK:   ^row(%[[X:.+]]: tensor<5xi32>, %[[Y:.+]]: tensor<5xf32>):
//       CHECK:     %[[C:.+]] = arith.cmpi sle, %[[X]]
//       CHECK:     %[[D:.+]] = arith.cmpi sgt, %[[X]]
//       CHECK:     %[[A:.+]] = arith.select %[[C]], %{{.+}}, %[[Y]]
//       CHECK:     %[[F:.+]] = arith.cmpf olt, %[[Y]]
//       CHECK:     %[[N:.+]] = arith.xori %[[F]]
//       CHECK:     sinter.yield %[[A]], %[[D]], %[[N]] :
func.func @negated(%x: tensor<3x5xi32>, %y: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xi1>, tensor<3x5xi1>) {
  %e = tensor.empty() : tensor<3x5xf32>
  %i = tensor.empty() : tensor<3x5xi1>
  %z:3 = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xi32>, %y[i, j] : tensor<3x5xf32>)
      outs(%e[i, j] : tensor<3x5xf32>, %i[i, j] : tensor<3x5xi1>, %i[i, j] : tensor<3x5xi1>) {
  ^row(%a: tensor<5xi32>, %b: tensor<5xf32>):
    %true = arith.constant dense<true> : tensor<5xi1>
    %two = arith.constant dense<2> : tensor<5xi32>
    %zero = arith.constant dense<0.0> : tensor<5xf32>
    %c = arith.cmpi sle, %a, %two : tensor<5xi32>
    %not = arith.xori %c, %true : tensor<5xi1>
    %s = arith.select %not, %b, %zero : tensor<5xi1>, tensor<5xf32>
    %f = arith.cmpf olt, %b, %zero : tensor<5xf32>
    %never = arith.xori %true, %f : tensor<5xi1>
    sinter.yield %s, %not, %never : tensor<5xf32>, tensor<5xi1>, tensor<5xi1>
  }
  return %z#0, %z#1, %z#2 : tensor<3x5xf32>, tensor<3x5xi1>, tensor<3x5xi1>
}

// -----

// Exporters divide by sqrt(2), which upstream folds of f32 and f64 alone.

// CHECK-LABEL: func @root
//       CHECK:   arith.constant 1.414060e+00 : f16
//   CHECK-NOT:   math.sqrt
//       CHECK:   return
func.func @root(%x: tensor<3x5xf16>) -> tensor<3x5xf16> {
  %e = tensor.empty() : tensor<3x5xf16>
  %y = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf16>) outs(%e[i, j] : tensor<3x5xf16>) {
  ^row(%r: tensor<5xf16>):
    %two = arith.constant 2.0 : f16
    %root = math.sqrt %two : f16
    %c = sinter.broadcast %root : f16 -> tensor<5xf16>
    %a = arith.divf %r, %c : tensor<5xf16>
    sinter.yield %a : tensor<5xf16>
  }
  return %y : tensor<3x5xf16>
}

// -----

// Weights of bytes: bf16 has each, so they become f32 at once. It does not have all numbers of 16 bits; and who reads
// what was rounded goes on from there.

// CHECK-LABEL: func @bytes
//       CHECK:   ^row(%[[X:.+]]: tensor<5xi8>, %[[U:.+]]: tensor<5xi11>, %[[V:.+]]: tensor<5xi16>):
//  CHECK-NEXT:     %[[A:.+]] = arith.sitofp %[[X]] : tensor<5xi8> to tensor<5xf32>
//  CHECK-NEXT:     %[[B:.+]] = arith.uitofp %[[U]] : tensor<5xi11> to tensor<5xf32>
//  CHECK-NEXT:     %[[C:.+]] = arith.sitofp %[[V]] : tensor<5xi16> to tensor<5xbf16>
//  CHECK-NEXT:     %[[D:.+]] = arith.extf %[[C]] : tensor<5xbf16> to tensor<5xf32>
//  CHECK-NEXT:     %[[E:.+]] = arith.uitofp %[[U]] : tensor<5xi11> to tensor<5xbf16>
//  CHECK-NEXT:     %[[F:.+]] = arith.extf %[[E]] : tensor<5xbf16> to tensor<5xf32>
//  CHECK-NEXT:     sinter.yield %[[A]], %[[B]], %[[D]], %[[F]]
func.func @bytes(%x: tensor<3x5xi8>, %u: tensor<3x5xi11>, %v: tensor<3x5xi16>)
    -> (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>) {
  %e = tensor.empty() : tensor<3x5xf32>
  %y:4 = sinter.rowwise (i = 3) by (j = 5)
      ins(%x[i, j] : tensor<3x5xi8>, %u[i, j] : tensor<3x5xi11>, %v[i, j] : tensor<3x5xi16>)
      outs(%e[i, j] : tensor<3x5xf32>, %e[i, j] : tensor<3x5xf32>, %e[i, j] : tensor<3x5xf32>, %e[i, j] : tensor<3x5xf32>) {
  ^row(%r: tensor<5xi8>, %s: tensor<5xi11>, %t: tensor<5xi16>):
    %a = arith.sitofp %r : tensor<5xi8> to tensor<5xbf16>
    %b = arith.extf %a : tensor<5xbf16> to tensor<5xf32>
    %c = arith.uitofp %s : tensor<5xi11> to tensor<5xf16>
    %d = arith.extf %c : tensor<5xf16> to tensor<5xf32>
    %f = arith.sitofp %t : tensor<5xi16> to tensor<5xbf16>
    %g = arith.extf %f : tensor<5xbf16> to tensor<5xf32>
    %h = arith.uitofp %s : tensor<5xi11> to tensor<5xbf16>
    %k = arith.extf %h : tensor<5xbf16> to tensor<5xf32>
    sinter.yield %b, %d, %g, %k : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
  }
  return %y#0, %y#1, %y#2, %y#3 : tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>
}
