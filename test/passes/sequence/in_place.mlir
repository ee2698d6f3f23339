// RUN: sinter-opt --sinter-in-place --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: sinter-opt --sinter-in-place --sinter-sequence --split-input-file --verify-diagnostics %s | FileCheck %s --check-prefix=ONE
// RUN: sinter-opt --sinter-in-place --sinter-decompose --split-input-file --verify-diagnostics %s | FileCheck %s --check-prefix=PLAIN

// A cache that is given back with a position of it new: that position is stored. A reader of the old cache comes
// before, and the other result of the form stays where it is; who reads what is new comes behind, and in a sequence in
// later phases.

// CHECK-LABEL: func.func @append
// CHECK-SAME: -> (tensor<2x32x16xf32> {sinter.shares = 0 : i64}, tensor<2x16xf32>, tensor<2x16xf32>)
// CHECK: %[[S:.*]] = sinter.rowwise (h = 2, d = 16) by (p = 32)
// CHECK-NEXT: ins(%arg0[h, p, d]
// CHECK: %[[N:.*]] = sinter.steps rows(0) in_place ins(%arg1, %arg2 : tensor<2x16xf32>, tensor<1xi64>) outs(%arg0 : tensor<2x32x16xf32>)
// CHECK: ^bb0(%[[H:.*]]: index, %[[K:.*]]: memref<2x16xf32>, %[[AT:.*]]: memref<1xi64>, %[[C:.*]]: memref<2x32x16xf32>):
// CHECK: scf.parallel (%[[L:.*]]) =
// CHECK: %[[D:.*]] = arith.remui %[[L]]
// CHECK: %[[V:.*]] = memref.load %[[AT]]
// CHECK: %[[P:.*]] = arith.index_cast %[[V]]
// CHECK: %[[IN:.*]] = arith.cmpi ult, %[[P]],
// CHECK: scf.if %[[IN]]
// CHECK: %[[X:.*]] = memref.load %[[K]][%[[H]], %[[D]]]
// CHECK: %[[Y:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK: memref.store %[[Y]], %[[C]][%[[H]], %[[P]], %[[D]]]
// CHECK: %[[Z:.*]] = sinter.rowwise (h = 2, d = 16) by (p = 32)
// CHECK-NEXT: ins(%[[N]][h, p, d]
// CHECK: return %[[N]], %[[S]], %[[Z]]
// ONE-LABEL: func.func @append
// ONE: sinter.sequence phases [0, 1, 2]
// PLAIN-LABEL: func.func @append
// PLAIN: bufferization.alloc_tensor() copy(%arg0)
func.func @append(%c: tensor<2x32x16xf32>, %k: tensor<2x16xf32>, %at: tensor<1xi64>)
    -> (tensor<2x32x16xf32> {sinter.in_place_of = 0 : i64}, tensor<2x16xf32>, tensor<2x16xf32>) {
  %e = tensor.empty() : tensor<2x32x16xf32>
  %y = sinter.rowwise (h = 2, p = 32) by (d = 16)
      ins(%c[h, p, d] : tensor<2x32x16xf32>, %k[h, d] : tensor<2x16xf32>, %at[0] : tensor<1xi64>)
      outs(%e[h, p, d] : tensor<2x32x16xf32>) {
  ^row(%o: tensor<16xf32>, %n: tensor<16xf32>, %a: i64):
    %p = sinter.index p : index
    %i = arith.index_cast %p : index to i64
    %is = arith.cmpi eq, %i, %a : i64
    %m = arith.mulf %n, %n : tensor<16xf32>
    %r = arith.select %is, %m, %o : tensor<16xf32>
    sinter.yield %r : tensor<16xf32>
  }
  %f = tensor.empty() : tensor<2x16xf32>
  %s = sinter.rowwise (h = 2, d = 16) by (p = 32) ins(%c[h, p, d] : tensor<2x32x16xf32>)
      outs(%f[h, d] : tensor<2x16xf32>) {
  ^row(%o: tensor<32xf32>):
    %r = sinter.row_reduce add %o : tensor<32xf32> -> f32
    sinter.yield %r : f32
  }
  %z = sinter.rowwise (h = 2, d = 16) by (p = 32) ins(%y[h, p, d] : tensor<2x32x16xf32>)
      outs(%f[h, d] : tensor<2x16xf32>) {
  ^row(%o: tensor<32xf32>):
    %r = sinter.row_reduce maximumf %o : tensor<32xf32> -> f32
    sinter.yield %r : f32
  }
  return %y, %s, %z : tensor<2x32x16xf32>, tensor<2x16xf32>, tensor<2x16xf32>
}

// -----

func.func @none(%c: tensor<4x8xf32>) -> (tensor<4x8xf32> {sinter.in_place_of = 0 : i64}) {
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-error @+1 {{result 0 is in place of an argument, and cannot be: it is no choice by where an element stands: position == number ? new : old}}
  %y = sinter.rowwise (i = 4) by (j = 8) ins(%c[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%o: tensor<8xf32>):
    %r = arith.addf %o, %o : tensor<8xf32>
    sinter.yield %r : tensor<8xf32>
  }
  return %y : tensor<4x8xf32>
}

// -----

// What is new is made of the old: of an element that may be another lane's.

func.func @old(%c: tensor<4x8xf32>, %at: tensor<1xindex>) -> (tensor<4x8xf32> {sinter.in_place_of = 0 : i64}) {
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-error @+1 {{what is new needs more than elements of other tensors and arithmetic on them}}
  %y = sinter.rowwise (i = 4) by (j = 8) ins(%c[i, j] : tensor<4x8xf32>, %at[0] : tensor<1xindex>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%o: tensor<8xf32>, %a: index):
    %i = sinter.index i : index
    %is = arith.cmpi eq, %i, %a : index
    %n = arith.addf %o, %o : tensor<8xf32>
    %r = arith.select %is, %n, %o : tensor<8xf32>
    sinter.yield %r : tensor<8xf32>
  }
  return %y : tensor<4x8xf32>
}

// -----

// What is kept stands elsewhere.

func.func @moved(%c: tensor<8x8xf32>, %k: tensor<8xf32>, %at: tensor<1xindex>) -> (tensor<8x8xf32> {sinter.in_place_of = 0 : i64}) {
  %e = tensor.empty() : tensor<8x8xf32>
  // expected-error @+1 {{what it keeps is not the argument, each element where it was}}
  %y = sinter.rowwise (i = 8) by (j = 8) ins(%c[j, i] : tensor<8x8xf32>, %k[j] : tensor<8xf32>, %at[0] : tensor<1xindex>)
      outs(%e[i, j] : tensor<8x8xf32>) {
  ^row(%o: tensor<8xf32>, %n: tensor<8xf32>, %a: index):
    %i = sinter.index i : index
    %is = arith.cmpi eq, %i, %a : index
    %r = arith.select %is, %n, %o : tensor<8xf32>
    sinter.yield %r : tensor<8xf32>
  }
  return %y : tensor<8x8xf32>
}

// -----

// Positions are cut to numbers of 2 bits: the first, the fifth, .. are alike.

func.func @narrow(%c: tensor<8x8xf32>, %k: tensor<8xf32>, %at: tensor<1xi2>) -> (tensor<8x8xf32> {sinter.in_place_of = 0 : i64}) {
  %e = tensor.empty() : tensor<8x8xf32>
  // expected-error @+1 {{it is no choice by where an element stands: position == number ? new : old}}
  %y = sinter.rowwise (i = 8) by (j = 8) ins(%c[i, j] : tensor<8x8xf32>, %k[j] : tensor<8xf32>, %at[0] : tensor<1xi2>)
      outs(%e[i, j] : tensor<8x8xf32>) {
  ^row(%o: tensor<8xf32>, %n: tensor<8xf32>, %a: i2):
    %i = sinter.index i : index
    %p = arith.index_cast %i : index to i2
    %is = arith.cmpi eq, %p, %a : i2
    %r = arith.select %is, %n, %o : tensor<8xf32>
    sinter.yield %r : tensor<8xf32>
  }
  return %y : tensor<8x8xf32>
}

// -----

// Somebody needs what is new and what was there.

func.func @both(%c: tensor<4x8xf32>, %k: tensor<8xf32>, %at: tensor<1xindex>)
    -> (tensor<4x8xf32> {sinter.in_place_of = 0 : i64}, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-error @+1 {{the argument is read by what needs the result, or behind it}}
  %y = sinter.rowwise (i = 4) by (j = 8) ins(%c[i, j] : tensor<4x8xf32>, %k[j] : tensor<8xf32>, %at[0] : tensor<1xindex>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%o: tensor<8xf32>, %n: tensor<8xf32>, %a: index):
    %i = sinter.index i : index
    %is = arith.cmpi eq, %i, %a : index
    %r = arith.select %is, %n, %o : tensor<8xf32>
    sinter.yield %r : tensor<8xf32>
  }
  %z = sinter.rowwise (i = 4) by (j = 8) ins(%c[i, j] : tensor<4x8xf32>, %y[i, j] : tensor<4x8xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%o: tensor<8xf32>, %n: tensor<8xf32>):
    %r = arith.subf %o, %n : tensor<8xf32>
    sinter.yield %r : tensor<8xf32>
  }
  return %y, %z : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// expected-error @+1 {{result 0 is 'tensor<8xf32>', and argument 0, that it is in place of, is 'tensor<4xf32>'}}
func.func @type(%c: tensor<4xf32>, %d: tensor<8xf32>) -> (tensor<8xf32> {sinter.in_place_of = 0 : i64}) {
  return %d : tensor<8xf32>
}

// -----

// expected-error @+1 {{result 0 has a sinter.in_place_of that is none of 1 arguments}}
func.func @number(%c: tensor<4xf32>) -> (tensor<4xf32> {sinter.in_place_of = 1 : i64}) {
  return %c : tensor<4xf32>
}

// -----

// expected-error @+1 {{result 0 is in place of argument 0, whose sizes are not all known}}
func.func @sizes(%c: tensor<?xf32>) -> (tensor<?xf32> {sinter.in_place_of = 0 : i64}) {
  return %c : tensor<?xf32>
}

// -----

// expected-error @+1 {{no kernel of ours by itself makes it}}
func.func @argument(%c: tensor<4xf32>) -> (tensor<4xf32> {sinter.in_place_of = 0 : i64}) {
  return %c : tensor<4xf32>
}

// -----

// What is asserted of the position is asserted by the steps.

// CHECK-LABEL: func.func @asserted
// CHECK: sinter.steps rows(0) in_place
// CHECK: %[[A:.*]] = memref.load %{{.*}} : memref<1xindex>
// CHECK: %[[IN:.*]] = arith.cmpi ult, %[[A]],
// CHECK-NEXT: cf.assert %[[IN]], "inside"
// CHECK: scf.parallel
func.func @asserted(%c: tensor<8x8xf32>, %k: tensor<8xf32>, %at: tensor<1xindex>) -> (tensor<8x8xf32> {sinter.in_place_of = 0 : i64}) {
  %e = tensor.empty() : tensor<8x8xf32>
  %y = sinter.rowwise (i = 8) by (j = 8) ins(%c[i, j] : tensor<8x8xf32>, %k[j] : tensor<8xf32>, %at[0] : tensor<1xindex>)
      outs(%e[i, j] : tensor<8x8xf32>) {
  ^row(%o: tensor<8xf32>, %n: tensor<8xf32>, %a: index):
    %c8 = arith.constant 8 : index
    %in = arith.cmpi ult, %a, %c8 : index
    cf.assert %in, "inside"
    %i = sinter.index i : index
    %is = arith.cmpi eq, %i, %a : index
    %r = arith.select %is, %n, %o : tensor<8xf32>
    sinter.yield %r : tensor<8xf32>
  }
  return %y : tensor<8x8xf32>
}

// -----

func.func @asserted_of_each(%c: tensor<8x8xf32>, %k: tensor<8xf32>, %at: tensor<1xindex>) -> (tensor<8x8xf32> {sinter.in_place_of = 0 : i64}) {
  %e = tensor.empty() : tensor<8x8xf32>
  // expected-error @+1 {{result 0 is in place of an argument, and cannot be: something is asserted of each element}}
  %y = sinter.rowwise (i = 8) by (j = 8) ins(%c[i, j] : tensor<8x8xf32>, %k[j] : tensor<8xf32>, %at[0] : tensor<1xindex>)
      outs(%e[i, j] : tensor<8x8xf32>) {
  ^row(%o: tensor<8xf32>, %n: tensor<8xf32>, %a: index):
    %i = sinter.index i : index
    %in = arith.cmpi ule, %i, %a : index
    cf.assert %in, "inside"
    %is = arith.cmpi eq, %i, %a : index
    %r = arith.select %is, %n, %o : tensor<8xf32>
    sinter.yield %r : tensor<8xf32>
  }
  return %y : tensor<8x8xf32>
}
