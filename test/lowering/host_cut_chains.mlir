// RUN: sinter-opt --sinter-cut-chains=most=4 --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-cut-chains=most=16 --split-input-file %s | FileCheck %s --check-prefix=FEW
// RUN: sinter-opt --sinter-cut-chains=most=1 --split-input-file %s -o /dev/null

// Loops on one tensor are functions with a few of them each; what crosses is a constant's copy, or an argument. Few are
// left as they are.

// FEW-NOT: sinter.cut

// CHECK-LABEL: func @chain
//  CHECK-SAME:   %[[X:.+]]: tensor<4xf32>, %[[F:.+]]: f32
//       CHECK:   %[[A:.+]] = call @chain_cut0(%[[X]], %[[F]]) : (tensor<4xf32>, f32) -> tensor<4xf32>
//  CHECK-NEXT:   %[[B:.+]] = call @chain_cut1(%[[A]], %[[F]])
//  CHECK-NEXT:   return %[[B]]
//       CHECK: func.func private @chain_cut0(%[[Y:.+]]: tensor<4xf32>, %[[G:.+]]: f32) -> tensor<4xf32>
//  CHECK-SAME:   attributes {sinter.cut}
//  CHECK-NEXT:   %[[C:.+]] = arith.constant 0 : index
//       CHECK:   %[[L:.+]] = scf.for %{{.+}} = %[[C]] to {{.+}} iter_args(%{{.+}} = %[[Y]])
//  CHECK-NEXT:     tensor.insert %[[G]]
//       CHECK:   return %[[L]]
//       CHECK: func.func private @chain_cut1
func.func @chain(%x: tensor<4xf32>, %f: f32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %x) -> tensor<4xf32> {
    %n = tensor.insert %f into %t[%i] : tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }
  %b = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %a) -> tensor<4xf32> {
    %n = tensor.insert %f into %t[%i] : tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }
  return %b : tensor<4xf32>
}

// -----

// What is read behind the call is not written by it: a branch that writes copies, as it would without the call.

// CHECK-LABEL: func @read_again
//       CHECK: func.func private @read_again_cut0(%{{.+}}: tensor<4xf32> {bufferization.writable = false}
func.func @read_again(%x: tensor<4xf32>, %f: f32, %c: i1) -> (tensor<4xf32>, f32) {
  %c0 = arith.constant 0 : index
  %a = scf.if %c -> tensor<4xf32> {
    %n = tensor.insert %f into %x[%c0] : tensor<4xf32>
    %m = tensor.insert %f into %n[%c0] : tensor<4xf32>
    scf.yield %m : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  %v = tensor.extract %x[%c0] : tensor<4xf32>
  %b = tensor.insert %v into %a[%c0] : tensor<4xf32>
  %w = tensor.extract %x[%c0] : tensor<4xf32>
  return %b, %w : tensor<4xf32>, f32
}

// -----

// Two tensors that may share memory are not arguments of one function which reads the one and writes the other.

// CHECK-LABEL: func @may_be_one
//   CHECK-NOT:   call {{.+}}tensor<4xf32>, {{.*}}tensor<4xf32>
//       CHECK:   return
func.func @may_be_one(%x: tensor<4xf32>, %y: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %p:2 = scf.if %c -> (tensor<4xf32>, tensor<4xf32>) {
    scf.yield %x, %y : tensor<4xf32>, tensor<4xf32>
  } else {
    scf.yield %y, %x : tensor<4xf32>, tensor<4xf32>
  }
  %v = tensor.extract %p#0[%c0] : tensor<4xf32>
  %a = tensor.insert %v into %p#1[%c0] : tensor<4xf32>
  %b = tensor.insert %v into %a[%c0] : tensor<4xf32>
  %d = tensor.insert %v into %b[%c0] : tensor<4xf32>
  return %d : tensor<4xf32>
}

// -----

// A part of a tensor crosses no call: its strides would have to be known there.

// CHECK-LABEL: func @part
//       CHECK:   tensor.extract_slice
//   CHECK-NOT:   call {{.+}} tensor<4xf32>) ->
//       CHECK:   return
func.func @part(%x: tensor<8xf32>, %f: f32) -> (tensor<8xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %s = tensor.extract_slice %x[0] [4] [2] : tensor<8xf32> to tensor<4xf32>
  %a = tensor.insert %f into %s[%c0] : tensor<4xf32>
  %b = tensor.insert %f into %a[%c0] : tensor<4xf32>
  %d = tensor.insert %f into %b[%c0] : tensor<4xf32>
  %y = tensor.insert_slice %d into %x[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %y, %d : tensor<8xf32>, tensor<4xf32>
}

// -----

// What stands outside of a loop is read by its next turn.

// CHECK-LABEL: func @next_turn
//       CHECK: func.func private @next_turn_cut0({{.*}}%{{.+}}: tensor<4xf32> {bufferization.writable = false}
func.func @next_turn(%x: tensor<4xf32>, %f: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %s = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %f) -> f32 {
    %a = tensor.insert %t into %x[%i] : tensor<4xf32>
    %b = tensor.insert %t into %a[%c0] : tensor<4xf32>
    %d = tensor.insert %t into %b[%c1] : tensor<4xf32>
    %e = tensor.insert %t into %d[%i] : tensor<4xf32>
    %v = tensor.extract %e[%c1] : tensor<4xf32>
    %w = arith.addf %v, %t : f32
    scf.yield %w : f32
  }
  return %s : f32
}
