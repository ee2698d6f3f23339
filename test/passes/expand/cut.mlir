// RUN: sinter-opt --split-input-file --sinter-expand %s | FileCheck %s

// A sort by the first row, NaN last. What is sorted is stored, each row by a form of its own; an input that lies as it
// is needed is not stored again. What is behind the sort reads what came of it.

// CHECK-LABEL: func.func @sort
// CHECK:         %[[V:.*]] = sinter.rowwise (i = 4) by (j = 9)
// CHECK-NEXT:      ins(%arg0[i, j] : tensor<4x9xbf16>)
// CHECK:           arith.extf
// CHECK:         %[[S:.*]]:2 = tm_tensor.sort dimension(1) outs(%[[V]], %arg1 : tensor<4x9xf32>, tensor<4x9xi64>) {
// CHECK-NEXT:    ^bb0(%[[P:.*]]: f32, %[[Q:.*]]: f32, %{{.*}}: i64, %{{.*}}: i64):
// CHECK-NEXT:      %[[L:.*]] = arith.cmpf ogt, %[[P]], %[[Q]] : f32
// CHECK-NEXT:      %[[N:.*]] = arith.cmpf uno, %[[P]], %[[P]] : f32
// CHECK-NEXT:      %[[O:.*]] = arith.cmpf ord, %[[Q]], %[[Q]] : f32
// CHECK-NEXT:      %[[A:.*]] = arith.andi %[[N]], %[[O]] : i1
// CHECK-NEXT:      %[[R:.*]] = arith.ori %[[L]], %[[A]] : i1
// CHECK-NEXT:      tm_tensor.yield %[[R]] : i1
// CHECK:         sinter.rowwise (i = 4) by (j = 9)
// CHECK-NEXT:      ins(%[[S]]#0[i, j] : tensor<4x9xf32>, %[[S]]#1[i, j] : tensor<4x9xi64>)
// CHECK-NOT:     sinter.row_sort
sinter.define @sorted(%x: tensor<?xf32>, %t: tensor<?xi64>) {
  %twice = arith.addf %x, %x : tensor<?xf32>
  %v, %l = sinter.row_sort descending %twice, %t : tensor<?xf32>, tensor<?xi64>
  %f = arith.sitofp %l : tensor<?xi64> to tensor<?xf32>
  %y = arith.mulf %v, %f : tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}
func.func @sort(%x: tensor<4x9xbf16>, %t: tensor<4x9xi64>) -> tensor<4x9xbf16> {
  %y = sinter.apply @sorted(%x, %t) : (tensor<4x9xbf16>, tensor<4x9xi64>) -> tensor<4x9xbf16>
  return %y : tensor<4x9xbf16>
}

// -----

// Integers by signs; rows along dimension 1 of 3.

// CHECK-LABEL: func.func @integers
// CHECK:         tm_tensor.sort dimension(2) outs(%{{.*}} : tensor<2x3x5xi64>)
// CHECK:           arith.cmpi slt
// CHECK:         sinter.rowwise
sinter.define @ascending(%t: tensor<?xi64>) attributes {columns = 1} {
  %l = sinter.row_sort %t : tensor<?xi64>
  sinter.yield %l : tensor<?xi64>
}
func.func @integers(%t: tensor<2x5x3xi64>) -> tensor<2x5x3xi64> {
  %y = sinter.apply @ascending(%t) : (tensor<2x5x3xi64>) -> tensor<2x5x3xi64>
  return %y : tensor<2x5x3xi64>
}

// -----

// What a row is reduced to before the scan, and is used behind it, is stored, and not computed again. An exclusive scan
// begins with the combiner's identity, of the size that the program has.

// CHECK-LABEL: func.func @scan
// CHECK:         %[[M:.*]] = sinter.rowwise (i = ?) by (j = ?)
// CHECK-NEXT:      ins(%arg0[i, j] : tensor<?x?xf32>)
// CHECK-NEXT:      outs(%{{.*}}[i] : tensor<?xf32>)
// CHECK:           sinter.row_reduce maximumf
// CHECK:         %[[D:.*]] = sinter.rowwise (i = ?) by (j = ?)
// CHECK-NEXT:      ins(%arg0[i, j] : tensor<?x?xf32>, %[[M]][i] : tensor<?xf32>)
// CHECK:           math.exp
// CHECK:         %[[I:.*]] = sinter.rowwise (i = ?) by ()
// CHECK-NEXT:      outs(%{{.*}}[i] : tensor<?xf32>)
// CHECK:           arith.constant 1.000000e+00
// CHECK:         %[[S:.*]]:2 = tm_tensor.scan dimension(1) inclusive(false) {sinter.reverse} ins(%[[D]] : tensor<?x?xf32>)
// CHECK-SAME:      outs(%{{.*}}, %[[I]] : tensor<?x?xf32>, tensor<?xf32>)
// CHECK:           arith.mulf
// CHECK:         sinter.rowwise (i = ?) by (j = ?)
// CHECK-DAG:       %[[M]][i] : tensor<?xf32>
// CHECK-DAG:       %[[S]]#0[i, j] : tensor<?x?xf32>
// CHECK-NOT:       row_reduce
sinter.define @products(%x: tensor<?xf32>) {
  %m = sinter.row_reduce maximumf %x : tensor<?xf32> -> f32
  %ms = sinter.broadcast %m : f32 -> tensor<?xf32>
  %d = arith.subf %x, %ms : tensor<?xf32>
  %e = math.exp %d : tensor<?xf32>
  %p = sinter.row_scan mul %e {exclusive, reverse} : tensor<?xf32>
  %y = arith.addf %p, %ms : tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}
func.func @scan(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = sinter.apply @products(%x) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// In a form that a person wrote: inputs by their accesses, an assert and a finish stay with the last form. Of several
// columns one is named; a fold along it is a reduction where the other column is a row.

// CHECK-LABEL: func.func @form
// CHECK:         %[[F:.*]] = sinter.rowwise (i = 2, n = 3) by (m = 4)
// CHECK-NEXT:      ins(%arg0[i, n, 3 - m] : tensor<2x3x4xf32> else 0.000000e+00, %arg1[i, n] : tensor<2x3xf32>)
// CHECK-NEXT:      outs(%{{.*}}[i, n] : tensor<2x3xf32>)
// CHECK:         ^row(%{{.*}}: tensor<4xf32>, %{{.*}}: f32):
// CHECK:           %[[N:.*]] = sinter.index n : index
// CHECK:           sinter.broadcast %[[N]] : index -> tensor<4xindex>
// CHECK:           sinter.row_reduce maximumf %{{.*}} : tensor<4xf32> -> f32
// CHECK:         %[[X:.*]] = sinter.rowwise (i = 2) by (n = 3, m = 4)
// CHECK-NEXT:      ins(%arg0[i, n, 3 - m]
// CHECK:         tm_tensor.scan dimension(1) inclusive(true) ins(%[[X]] : tensor<2x3x4xf32>)
// CHECK:         sinter.rowwise (i = 2) by (n = 3, m = 4)
// CHECK-NEXT:      ins(%arg2[] : tensor<f32>,
// CHECK-SAME:      %[[F]][i, n] : tensor<2x3xf32>
// CHECK:           cf.assert
// CHECK:         finish
// CHECK:           arith.divf
func.func @form(%x: tensor<2x3x4xf32>, %y: tensor<2x3xf32>, %n: tensor<f32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %l = sinter.rowwise (i = 2) by (n = 3, m = 4)
      ins(%x[i, n, 3 - m] : tensor<2x3x4xf32> else 0.0, %y[i, n] : tensor<2x3xf32>, %n[] : tensor<f32>)
      reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<12xf32>, %b: tensor<12xf32>, %c: f32):
    %at = sinter.index n : tensor<12xindex>
    %i = arith.index_cast %at : tensor<12xindex> to tensor<12xi64>
    %f = arith.sitofp %i : tensor<12xi64> to tensor<12xf32>
    %ab = arith.addf %a, %b : tensor<12xf32>
    %abf = arith.addf %ab, %f : tensor<12xf32>
    %m = sinter.row_fold maximumf %abf along m : tensor<12xf32>
    %s = sinter.row_scan add %a along n : tensor<12xf32>
    %p = arith.mulf %m, %s : tensor<12xf32>
    %r = sinter.row_reduce add %p : tensor<12xf32> -> f32
    %zero = arith.constant 0.0 : f32
    %fine = arith.cmpf oge, %c, %zero : f32
    cf.assert %fine, "negative"
    sinter.yield %r : f32
  } finish {
  ^done(%s: f32, %c: f32):
    %q = arith.divf %s, %c : f32
    sinter.yield %q : f32
  }
  return %l : tensor<f32>
}

// -----

// A row that is a matrix, in turns that an attribute counts: each fold is a form whose other column is a row, and reads
// what the fold before it gave in its own direction.

// CHECK-LABEL: func.func @turns
// CHECK:         %[[A:.*]] = sinter.rowwise (i = 2, j = 3) by (k = 4)
// CHECK-NEXT:      ins(%arg0[i, j, k] : tensor<2x3x4xf32>)
// CHECK:         %[[B:.*]] = sinter.rowwise (i = 2, k = 4) by (j = 3)
// CHECK-NEXT:      ins(%arg0[i, j, k] : tensor<2x3x4xf32>, %[[A]][i, j] : tensor<2x3xf32>)
// CHECK:         %[[C:.*]] = sinter.rowwise (i = 2, j = 3) by (k = 4)
// CHECK-NEXT:      ins(%arg0[i, j, k] : tensor<2x3x4xf32>, %[[A]][i, j] : tensor<2x3xf32>, %[[B]][i, k] : tensor<2x4xf32>)
// CHECK:         sinter.rowwise (i = 2, k = 4) by (j = 3)
// CHECK:         sinter.rowwise (i = 2) by (j = 3, k = 4)
// CHECK:           sinter.row_reduce add %{{.*}} : tensor<12xf32> -> f32
// CHECK-NOT:     scf.for
sinter.define @balanced(%x: tensor<?xf32>, %turns: i64 {at_least = 0, default = 2})
    attributes {columns = [-2, -1], reductions = ["sum"]} {
  %first = arith.constant 0 : i64
  %by = arith.constant 1 : i64
  %y = scf.for %t = %first to %turns step %by iter_args(%a = %x) -> tensor<?xf32> : i64 {
    %n = sinter.row_fold add %a along column1 : tensor<?xf32>
    %b = arith.divf %a, %n : tensor<?xf32>
    %m = sinter.row_fold add %b along column0 : tensor<?xf32>
    %c = arith.divf %b, %m : tensor<?xf32>
    scf.yield %c : tensor<?xf32>
  }
  %l = sinter.row_reduce add %y : tensor<?xf32> -> f32
  sinter.yield %l : f32
}
func.func @turns(%x: tensor<2x3x4xf32>) -> tensor<f32> {
  %l = sinter.apply @balanced(%x) : (tensor<2x3x4xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// No turns: what goes in comes out. The row's own number, where there is one dimension of rows.

// CHECK-LABEL: func.func @number
// CHECK:         sinter.rowwise (j = 5) by (i = 4)
// CHECK:           %[[R:.*]] = sinter.index j : index
// CHECK:           arith.index_cast %[[R]] : index to i64
sinter.define @numbered(%x: tensor<?xf32>, %turns: i64 {default = 0}) attributes {columns = 0} {
  %one = arith.constant 1 : i64
  %y = scf.for %t = %one to %turns step %one iter_args(%a = %x) -> tensor<?xf32> : i64 {
    scf.yield %x : tensor<?xf32>
  }
  %row = sinter.index row : index
  %i = arith.index_cast %row : index to i64
  %f = arith.sitofp %i : i64 to f32
  %fs = sinter.broadcast %f : f32 -> tensor<?xf32>
  %z = arith.addf %y, %fs : tensor<?xf32>
  sinter.yield %z : tensor<?xf32>
}
func.func @number(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %y = sinter.apply @numbered(%x) : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return %y : tensor<4x5xf32>
}
