// RUN: sinter-opt %s --sinter-elements --split-input-file --verify-diagnostics | FileCheck %s
// RUN: sinter-opt %s --sinter-prepare --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=PREPARED

// On elements x ^ x is 0, and its tensor has a size. Upstream's fold of the whole gives a constant without one.

// CHECK-LABEL: func @folds
//       CHECK:   %[[N:.+]] = tensor.dim %[[X:.+]], %{{.+}} : tensor<?x3xi32>
//       CHECK:   %[[E:.+]] = tensor.empty(%[[N]]) : tensor<?x3xi32>
//       CHECK:   linalg.generic {{.*}} ins(%[[X]], %[[X]] : tensor<?x3xi32>, tensor<?x3xi32>) outs(%[[E]] : tensor<?x3xi32>)
//       CHECK:     arith.xori %{{.+}}, %{{.+}} : i32
// PREPARED-LABEL: func @folds
//   PREPARED-NOT:   dense<
//       PREPARED:   tensor.dim
func.func @folds(%x: tensor<?x3xi32>) -> tensor<?x3xi32> {
  %y = arith.xori %x, %x : tensor<?x3xi32>
  return %y : tensor<?x3xi32>
}

// -----

// Two results of one operation are two of one generic.

// CHECK-LABEL: func @two
//       CHECK:   %[[V:.+]]:2 = linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<5xi32>, tensor<5xi32>) outs(%{{.+}}, %{{.+}} : tensor<5xi32>, tensor<5xi32>)
//       CHECK:     %[[L:.+]], %[[H:.+]] = arith.mulsi_extended
//       CHECK:     linalg.yield %[[L]], %[[H]] : i32, i32
//       CHECK:   return %[[V]]#0, %[[V]]#1
func.func @two(%x: tensor<5xi32>, %y: tensor<5xi32>) -> (tensor<5xi32>, tensor<5xi32>) {
  %l, %h = arith.mulsi_extended %x, %y : tensor<5xi32>
  return %l, %h : tensor<5xi32>, tensor<5xi32>
}

// -----

// A condition that is one for all stays outside; the type of a comparison is its own.

// CHECK-LABEL: func @condition
//       CHECK:   linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<?xf32>, tensor<?xf32>) outs(%{{.+}} : tensor<?xi1>)
//       CHECK:     arith.cmpf olt, {{.+}} : f32
//       CHECK:   linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<?xi1>, tensor<?xi1>)
//       CHECK:     arith.select %{{.+}}, %{{.+}}, %{{.+}} : i1
func.func @condition(%c: i1, %x: tensor<?xf32>, %y: tensor<?xf32>, %m: tensor<?xi1>) -> tensor<?xi1> {
  %l = arith.cmpf olt, %x, %y : tensor<?xf32>
  %s = arith.select %c, %l, %m : tensor<?xi1>
  return %s : tensor<?xi1>
}

// -----

// A number in all places is one in the body, and rows of a form are no tensors of the function's.

// CHECK-LABEL: func @known
//       CHECK:   linalg.generic {{.*}} ins(%{{.+}} : tensor<4xi32>) outs(%{{.+}} : tensor<4xi32>)
//       CHECK:     %[[C:.+]] = arith.constant 3 : i32
//       CHECK:     arith.xori %{{.+}}, %[[C]] : i32
//       CHECK:   sinter.rowwise
//       CHECK:     arith.addf %{{.+}}, %{{.+}} : tensor<?xf32>
//   CHECK-NOT:   linalg
//       CHECK:   return
func.func @known(%x: tensor<4xi32>, %v: tensor<3x?xf32>, %e: tensor<3x?xf32>) -> (tensor<4xi32>, tensor<3x?xf32>) {
  %c = arith.constant dense<3> : tensor<4xi32>
  %y = arith.xori %x, %c : tensor<4xi32>
  %r = sinter.rowwise (i = 3) by (j = ?) ins(%v[i, j] : tensor<3x?xf32>) outs(%e[i, j] : tensor<3x?xf32>) {
  ^row(%a: tensor<?xf32>):
    %b = arith.addf %a, %a : tensor<?xf32>
    sinter.yield %b : tensor<?xf32>
  }
  return %y, %r : tensor<4xi32>, tensor<3x?xf32>
}

// -----

func.func @dimension_7(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c = arith.constant 7 : index
  // expected-error @+1 {{asks for the size of dimension 7, and its operand has 1 dimension, from 0 on}}
  %n = tensor.dim %x, %c : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

func.func @dimension_below_0(%x: tensor<?xf32>) -> index {
  %c = arith.constant -1 : index
  // expected-error @+1 {{asks for the size of dimension -1}}
  %n = tensor.dim %x, %c : tensor<?xf32>
  return %n : index
}

// -----

func.func @short_floats(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{has elements of f8E8M0FNU, which this compiler does not lower to machine code}}
  %s = arith.truncf %x : tensor<4xf32> to tensor<4xf8E8M0FNU>
  %y = arith.extf %s : tensor<4xf8E8M0FNU> to tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// A tensor of one number that is computed is filled with it.

// CHECK-LABEL: func @splat
//       CHECK:   %[[E:.+]] = tensor.empty(%[[N:.+]]) : tensor<4x?xf32>
//       CHECK:   linalg.fill ins(%[[V:.+]] : f32) outs(%[[E]] : tensor<4x?xf32>)
// PREPARED-LABEL: func @splat
func.func @splat(%v: f32, %n: index) -> tensor<4x?xf32> {
  %y = tensor.splat %v[%n] : tensor<4x?xf32>
  return %y : tensor<4x?xf32>
}

// -----

// A choice of complex numbers is one of their parts.

// CHECK-LABEL: func @complexes
//   CHECK-NOT:   arith.select {{.*}} : complex
//       CHECK:   %[[RE:.+]] = arith.select %[[P:.+]], %{{.+}}, %{{.+}} : f32
//       CHECK:   %[[IM:.+]] = arith.select %[[P]], %{{.+}}, %{{.+}} : f32
//       CHECK:   complex.create %[[RE]], %[[IM]] : complex<f32>
// PREPARED-LABEL: func @complexes
//   PREPARED-NOT:   complex
func.func @complexes(%p: i1, %x: f32, %y: f32) -> (f32, f32) {
  %a = complex.create %x, %y : complex<f32>
  %b = complex.create %y, %x : complex<f32>
  %c = arith.select %p, %a, %b : complex<f32>
  %re = complex.re %c : complex<f32>
  %im = complex.im %c : complex<f32>
  return %re, %im : f32, f32
}

// -----

func.func @tf32(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{has elements of tf32, which this compiler does not lower to machine code}}
  %s = arith.truncf %x : tensor<4xf32> to tensor<4xtf32>
  %y = arith.extf %s : tensor<4xtf32> to tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// What may be anything is 0: upstream's folder of tensor.from_elements ends the process at it.

// CHECK-LABEL: func @poison
//       CHECK:   %[[Z:.+]] = arith.constant 0.000000e+00 : f32
//       CHECK:   linalg.fill ins(%[[Z]] : f32)
// PREPARED-LABEL: func @poison
func.func @poison(%x: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  %p = ub.poison : f32
  %r = tensor.splat %p : tensor<4xf32>
  %y = arith.select %c, %x, %r : tensor<4xf32>
  return %y : tensor<4xf32>
}
