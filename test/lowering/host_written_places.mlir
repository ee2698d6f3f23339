// RUN: sinter-opt --sinter-destinations --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-destinations --split-input-file %s \
// RUN:   --one-shot-bufferize="bufferize-function-boundaries allow-return-allocs-from-loops" \
// RUN:   | FileCheck %s --check-prefix=BUFFERS

// What a branch hands to the next turn is not made where something lies that this turn reads again: what is filled gets
// a place of its own, what is written into is copied. Bufferization stopped ("cannot avoid RaW conflict").

// CHECK-LABEL: func @filled
//  CHECK-SAME:   %[[X:.+]]: tensor<?x2xi32>
//       CHECK:   scf.if
//       CHECK:   %[[N:.+]] = tensor.dim %[[X]]
//  CHECK-NEXT:   %[[E:.+]] = tensor.empty(%[[N]]) : tensor<?x2xi32>
//  CHECK-NEXT:   linalg.fill {{.+}} outs(%[[E]] : tensor<?x2xi32>)
// BUFFERS-LABEL: func @filled
func.func @filled(%x: tensor<?x2xi32>) -> tensor<?x2xi32> {
  %f = arith.constant 5 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r, %k = scf.while (%a = %x, %i = %c0) : (tensor<?x2xi32>, index) -> (tensor<?x2xi32>, index) {
    %more = arith.cmpi ult, %i, %c2 : index
    scf.condition(%more) %a, %i : tensor<?x2xi32>, index
  } do {
  ^next(%a: tensor<?x2xi32>, %i: index):
    %l = scf.for %j = %c0 to %c2 step %c1 iter_args(%t = %x) -> (tensor<?x2xi32>) {
      %first = arith.cmpi eq, %j, %c0 : index
      %y = scf.if %first -> (tensor<?x2xi32>) {
        %n = linalg.fill ins(%f : i32) outs(%x : tensor<?x2xi32>) -> tensor<?x2xi32>
        scf.yield %n : tensor<?x2xi32>
      } else {
        scf.yield %a : tensor<?x2xi32>
      }
      scf.yield %y : tensor<?x2xi32>
    }
    %n = arith.addi %i, %c1 : index
    scf.yield %l, %n : tensor<?x2xi32>, index
  }
  return %r : tensor<?x2xi32>
}

// -----

// CHECK-LABEL: func @written
//  CHECK-SAME:   %[[X:.+]]: tensor<3x2xi32>
//       CHECK:   %[[C:.+]] = bufferization.alloc_tensor() copy(%[[X]]) : tensor<3x2xi32>
//  CHECK-NEXT:   tensor.insert %{{.+}} into %[[C]]
// BUFFERS-LABEL: func @written
func.func @written(%x: tensor<3x2xi32>) -> tensor<3x2xi32> {
  %f = arith.constant 5 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r, %k = scf.while (%a = %x, %i = %c0) : (tensor<3x2xi32>, index) -> (tensor<3x2xi32>, index) {
    %more = arith.cmpi ult, %i, %c2 : index
    scf.condition(%more) %a, %i : tensor<3x2xi32>, index
  } do {
  ^next(%a: tensor<3x2xi32>, %i: index):
    %l = scf.for %j = %c0 to %c2 step %c1 iter_args(%t = %x) -> (tensor<3x2xi32>) {
      %first = arith.cmpi eq, %j, %c0 : index
      %y = scf.if %first -> (tensor<3x2xi32>) {
        %n = tensor.insert %f into %x[%j, %c1] : tensor<3x2xi32>
        scf.yield %n : tensor<3x2xi32>
      } else {
        scf.yield %a : tensor<3x2xi32>
      }
      scf.yield %y : tensor<3x2xi32>
    }
    %n = arith.addi %i, %c1 : index
    scf.yield %l, %n : tensor<3x2xi32>, index
  }
  return %r : tensor<3x2xi32>
}

// -----

// What is read before it is written, in each turn anew, stays where it is.

// CHECK-LABEL: func @new_in_each_turn
//   CHECK-NOT:   alloc_tensor
//       CHECK:   return
func.func @new_in_each_turn(%x: tensor<4xf32>, %c: i1, %f: f32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %t = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %y = scf.if %c -> tensor<4xf32> {
      %n = tensor.insert %f into %t[%i] : tensor<4xf32>
      scf.yield %n : tensor<4xf32>
    } else {
      scf.yield %a : tensor<4xf32>
    }
    scf.yield %y : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
