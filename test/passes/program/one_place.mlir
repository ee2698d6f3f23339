// RUN: sinter-opt --sinter-one-place --canonicalize --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-one-place=wrt=0 --canonicalize --split-input-file %s | FileCheck %s --check-prefix=WRT

// What PyTorch's cache[:, at] = k becomes: the place of each number is written down, 8 times (n / 4, at, n mod 4). It
// is a choice at each element, of what is put there before it was laid out in a row. Where gradients are asked for it
// stays.

// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[U:.*]] = affine_map<(d0, d1, d2) -> (d0, 0, d2)>
// CHECK-DAG: #[[T:.*]] = affine_map<(d0, d1, d2) -> (0)>
// CHECK-LABEL: func.func @append
// CHECK: %[[N:.*]] = arith.constant 9 : index
// CHECK-NOT: tm_tensor.scatter
// CHECK: linalg.generic {indexing_maps = [#[[X]], #[[U]], #[[T]], #[[X]]]
// CHECK-SAME: ins(%arg0, %arg1, %arg2 : tensor<2x9x4xf32>, tensor<2x1x4xf32>, tensor<1xi64>)
// CHECK-NEXT: ^bb0(%[[OLD:.*]]: f32, %[[NEW:.*]]: f32, %[[AT:.*]]: i64, %{{.*}}: f32):
// CHECK-NEXT: %[[I:.*]] = arith.index_cast %[[AT]]
// CHECK-NEXT: %[[IN:.*]] = arith.cmpi ult, %[[I]], %[[N]]
// CHECK-NEXT: cf.assert %[[IN]], "an index of a scatter is out of range"
// CHECK-NEXT: %[[P:.*]] = linalg.index 1
// CHECK-NEXT: %[[IS:.*]] = arith.cmpi eq, %[[P]], %[[I]]
// CHECK-NEXT: %[[Y:.*]] = arith.select %[[IS]], %[[NEW]], %[[OLD]]
// CHECK-NEXT: linalg.yield %[[Y]]
// WRT-LABEL: func.func @append
// WRT: tm_tensor.scatter
func.func @append(%x: tensor<2x9x4xf32>, %k: tensor<2x1x4xf32>, %at: tensor<1xi64>) -> tensor<2x9x4xf32> {
  %e4 = tensor.empty() : tensor<4xi64>
  %columns = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e4 : tensor<4xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    linalg.yield %n : i64
  } -> tensor<4xi64>
  %e2 = tensor.empty() : tensor<2xi64>
  %heads = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e2 : tensor<2xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    linalg.yield %n : i64
  } -> tensor<2xi64>
  %e = tensor.empty() : tensor<2x1x4xi64>
  %h0 = tensor.expand_shape %heads [[0, 1]] output_shape [2, 1] : tensor<2xi64> into tensor<2x1xi64>
  %h1 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%h0 : tensor<2x1xi64>) outs(%e : tensor<2x1x4xi64>) {
  ^bb0(%v: i64, %o: i64):
    linalg.yield %v : i64
  } -> tensor<2x1x4xi64>
  %h2 = tensor.collapse_shape %h1 [[0, 1, 2]] : tensor<2x1x4xi64> into tensor<8xi64>
  %a1 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (j)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%at : tensor<1xi64>) outs(%e : tensor<2x1x4xi64>) {
  ^bb0(%v: i64, %o: i64):
    linalg.yield %v : i64
  } -> tensor<2x1x4xi64>
  %a2 = tensor.collapse_shape %a1 [[0, 1, 2]] : tensor<2x1x4xi64> into tensor<8xi64>
  %c1 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%columns : tensor<4xi64>) outs(%e : tensor<2x1x4xi64>) {
  ^bb0(%v: i64, %o: i64):
    linalg.yield %v : i64
  } -> tensor<2x1x4xi64>
  %c2 = tensor.collapse_shape %c1 [[0, 1, 2]] : tensor<2x1x4xi64> into tensor<8xi64>
  %h = tensor.expand_shape %h2 [[0, 1]] output_shape [8, 1] : tensor<8xi64> into tensor<8x1xi64>
  %a = tensor.expand_shape %a2 [[0, 1]] output_shape [8, 1] : tensor<8xi64> into tensor<8x1xi64>
  %c = tensor.expand_shape %c2 [[0, 1]] output_shape [8, 1] : tensor<8xi64> into tensor<8x1xi64>
  %t = tensor.concat dim(1) %h, %a, %c : (tensor<8x1xi64>, tensor<8x1xi64>, tensor<8x1xi64>) -> tensor<8x3xi64>
  %u0 = tensor.collapse_shape %k [[0, 1, 2]] : tensor<2x1x4xf32> into tensor<8xf32>
  %u = tensor.expand_shape %u0 [[0, 1, 2, 3]] output_shape [8, 1, 1, 1] : tensor<8xf32> into tensor<8x1x1x1xf32>
  %y = tm_tensor.scatter {dimension_map = array<i64: 0, 1, 2>} unique_indices(true) ins(%u, %t : tensor<8x1x1x1xf32>, tensor<8x3xi64>) outs(%x : tensor<2x9x4xf32>) {
  ^bb0(%p: f32, %q: f32):
    tm_tensor.yield %p : f32
  } -> tensor<2x9x4xf32>
  return %y : tensor<2x9x4xf32>
}

// -----

// What is put there lies in a row, and nowhere else.

// CHECK: affine_map<(d0, d1, d2) -> (d0, d2, 0, 0, 0)>
// CHECK-LABEL: func.func @row_of_all
// CHECK: %[[U:.*]] = tensor.expand_shape %arg1 {{\[}}[0, 1, 2, 3, 4]] output_shape [2, 4, 1, 1, 1] : tensor<8xf32>
// CHECK: linalg.generic
// CHECK-SAME: ins(%arg0, %[[U]], %arg2
func.func @row_of_all(%x: tensor<2x9x4xf32>, %u0: tensor<8xf32>, %at: tensor<1xi64>) -> tensor<2x9x4xf32> {
  %e4 = tensor.empty() : tensor<4xi64>
  %columns = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e4 : tensor<4xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    linalg.yield %n : i64
  } -> tensor<4xi64>
  %e2 = tensor.empty() : tensor<2xi64>
  %heads = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e2 : tensor<2xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    linalg.yield %n : i64
  } -> tensor<2xi64>
  %e = tensor.empty() : tensor<2x1x4xi64>
  %h0 = tensor.expand_shape %heads [[0, 1]] output_shape [2, 1] : tensor<2xi64> into tensor<2x1xi64>
  %h1 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%h0 : tensor<2x1xi64>) outs(%e : tensor<2x1x4xi64>) {
  ^bb0(%v: i64, %o: i64):
    linalg.yield %v : i64
  } -> tensor<2x1x4xi64>
  %h2 = tensor.collapse_shape %h1 [[0, 1, 2]] : tensor<2x1x4xi64> into tensor<8xi64>
  %a1 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (j)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%at : tensor<1xi64>) outs(%e : tensor<2x1x4xi64>) {
  ^bb0(%v: i64, %o: i64):
    linalg.yield %v : i64
  } -> tensor<2x1x4xi64>
  %a2 = tensor.collapse_shape %a1 [[0, 1, 2]] : tensor<2x1x4xi64> into tensor<8xi64>
  %c1 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%columns : tensor<4xi64>) outs(%e : tensor<2x1x4xi64>) {
  ^bb0(%v: i64, %o: i64):
    linalg.yield %v : i64
  } -> tensor<2x1x4xi64>
  %c2 = tensor.collapse_shape %c1 [[0, 1, 2]] : tensor<2x1x4xi64> into tensor<8xi64>
  %h = tensor.expand_shape %h2 [[0, 1]] output_shape [8, 1] : tensor<8xi64> into tensor<8x1xi64>
  %a = tensor.expand_shape %a2 [[0, 1]] output_shape [8, 1] : tensor<8xi64> into tensor<8x1xi64>
  %c = tensor.expand_shape %c2 [[0, 1]] output_shape [8, 1] : tensor<8xi64> into tensor<8x1xi64>
  %t = tensor.concat dim(1) %h, %a, %c : (tensor<8x1xi64>, tensor<8x1xi64>, tensor<8x1xi64>) -> tensor<8x3xi64>
  %u = tensor.expand_shape %u0 [[0, 1, 2, 3]] output_shape [8, 1, 1, 1] : tensor<8xf32> into tensor<8x1x1x1xf32>
  %y = tm_tensor.scatter {dimension_map = array<i64: 0, 1, 2>} unique_indices(true) ins(%u, %t : tensor<8x1x1x1xf32>, tensor<8x3xi64>) outs(%x : tensor<2x9x4xf32>) {
  ^bb0(%p: f32, %q: f32):
    tm_tensor.yield %p : f32
  } -> tensor<2x9x4xf32>
  return %y : tensor<2x9x4xf32>
}

// -----

// One row, whose place the index says as it is; it is added.

// CHECK-LABEL: func.func @row
// CHECK: linalg.generic
// CHECK: %[[S:.*]] = arith.addf
// CHECK: arith.select %{{.*}}, %[[S]],
// WRT-LABEL: func.func @row
func.func @row(%x: tensor<9x4xf32>, %u: tensor<1x4xf32>, %t: tensor<1x1xi32>) -> tensor<9x4xf32> {
  %y = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%u, %t : tensor<1x4xf32>, tensor<1x1xi32>) outs(%x : tensor<9x4xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %q, %p : f32
    tm_tensor.yield %s : f32
  } -> tensor<9x4xf32>
  return %y : tensor<9x4xf32>
}

// -----

// Two rows go to two places, and a part of a row to a part.

// CHECK-LABEL: func.func @two_places
// CHECK: tm_tensor.scatter
func.func @two_places(%x: tensor<9x4xf32>, %u: tensor<2x4xf32>, %t: tensor<2x1xi32>) -> tensor<9x4xf32> {
  %y = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%u, %t : tensor<2x4xf32>, tensor<2x1xi32>) outs(%x : tensor<9x4xf32>) {
  ^bb0(%p: f32, %q: f32):
    tm_tensor.yield %p : f32
  } -> tensor<9x4xf32>
  return %y : tensor<9x4xf32>
}

// -----

// CHECK-LABEL: func.func @part
// CHECK: tm_tensor.scatter
func.func @part(%x: tensor<9x4xf32>, %u: tensor<1x3xf32>, %t: tensor<1x1xi32>) -> tensor<9x4xf32> {
  %y = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%u, %t : tensor<1x3xf32>, tensor<1x1xi32>) outs(%x : tensor<9x4xf32>) {
  ^bb0(%p: f32, %q: f32):
    tm_tensor.yield %p : f32
  } -> tensor<9x4xf32>
  return %y : tensor<9x4xf32>
}

// -----

// Two numbers of each update say where it goes.

// CHECK-LABEL: func.func @two_numbers
// CHECK: tm_tensor.scatter
func.func @two_numbers(%x: tensor<9x4x5xf32>, %u: tensor<1x5xf32>, %i: tensor<1x1xi32>, %j: tensor<1x1xi32>) -> tensor<9x4x5xf32> {
  %t = tensor.concat dim(1) %i, %j : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x2xi32>
  %y = tm_tensor.scatter {dimension_map = array<i64: 0, 1>} unique_indices(false) ins(%u, %t : tensor<1x5xf32>, tensor<1x2xi32>) outs(%x : tensor<9x4x5xf32>) {
  ^bb0(%p: f32, %q: f32):
    tm_tensor.yield %p : f32
  } -> tensor<9x4x5xf32>
  return %y : tensor<9x4x5xf32>
}

// -----

// Of 8 updates two have each place: the last one is what is there.

// CHECK-LABEL: func.func @again
// CHECK: tm_tensor.scatter
func.func @again(%x: tensor<9x4xf32>, %u: tensor<8x1x1xf32>, %at: tensor<1xi64>) -> tensor<9x4xf32> {
  %e4 = tensor.empty() : tensor<4xi64>
  %columns = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e4 : tensor<4xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    linalg.yield %n : i64
  } -> tensor<4xi64>
  %e = tensor.empty() : tensor<2x4xi64>
  %a1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (0)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%at : tensor<1xi64>) outs(%e : tensor<2x4xi64>) {
  ^bb0(%v: i64, %o: i64):
    linalg.yield %v : i64
  } -> tensor<2x4xi64>
  %c1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%columns : tensor<4xi64>) outs(%e : tensor<2x4xi64>) {
  ^bb0(%v: i64, %o: i64):
    linalg.yield %v : i64
  } -> tensor<2x4xi64>
  %a2 = tensor.collapse_shape %a1 [[0, 1]] : tensor<2x4xi64> into tensor<8xi64>
  %a = tensor.expand_shape %a2 [[0, 1]] output_shape [8, 1] : tensor<8xi64> into tensor<8x1xi64>
  %c2 = tensor.collapse_shape %c1 [[0, 1]] : tensor<2x4xi64> into tensor<8xi64>
  %c = tensor.expand_shape %c2 [[0, 1]] output_shape [8, 1] : tensor<8xi64> into tensor<8x1xi64>
  %t = tensor.concat dim(1) %a, %c : (tensor<8x1xi64>, tensor<8x1xi64>) -> tensor<8x2xi64>
  %y = tm_tensor.scatter {dimension_map = array<i64: 0, 1>} unique_indices(false) ins(%u, %t : tensor<8x1x1xf32>, tensor<8x2xi64>) outs(%x : tensor<9x4xf32>) {
  ^bb0(%p: f32, %q: f32):
    tm_tensor.yield %p : f32
  } -> tensor<9x4xf32>
  return %y : tensor<9x4xf32>
}

// -----

// A slice of one place that the host reads: what it computes and asserts of the number is in the body. What is
// asserted of another number stays.

// CHECK-LABEL: func.func @slice
// CHECK-NOT: cf.assert
// CHECK: %[[OTHER:.*]] = tensor.extract %arg2[%{{.*}}]
// CHECK: cf.assert %{{.*}}, "another"
// CHECK: linalg.generic
// CHECK-SAME: ins(%arg0, %arg1, %arg2 : tensor<2x9x4xf32>, tensor<2x4xf32>, tensor<3xi64>)
// CHECK-NEXT: ^bb0(%[[OLD:.*]]: f32, %[[NEW:.*]]: f32, %[[AT:.*]]: i64,
// CHECK-NEXT: arith.cmpi sge, %[[AT]]
// CHECK-NEXT: cf.assert %{{.*}}, "not below 0"
// CHECK-NEXT: %[[J:.*]] = arith.minsi %[[AT]]
// CHECK-NEXT: %[[I:.*]] = arith.index_cast %[[J]]
// CHECK-NEXT: %[[IN:.*]] = arith.cmpi ult, %[[I]]
// CHECK-NEXT: cf.assert %[[IN]], "a slice is outside of the tensor that it is put into"
// CHECK-NEXT: %[[P:.*]] = linalg.index 1
// CHECK-NEXT: %[[IS:.*]] = arith.cmpi eq, %[[P]], %[[I]]
// CHECK-NEXT: arith.select %[[IS]], %[[NEW]], %[[OLD]]
// WRT-LABEL: func.func @slice
// WRT: tensor.insert_slice
func.func @slice(%x: tensor<2x9x4xf32>, %k: tensor<2x4xf32>, %at: tensor<3xi64>) -> tensor<2x9x4xf32> {
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %c0 = arith.constant 0 : i64
  %c9 = arith.constant 9 : i64
  %n = tensor.extract %at[%one] : tensor<3xi64>
  %m = tensor.extract %at[%two] : tensor<3xi64>
  %is = arith.cmpi sge, %n, %c0 : i64
  cf.assert %is, "not below 0"
  %other = arith.cmpi sge, %m, %n : i64
  cf.assert %other, "another"
  %j = arith.minsi %n, %c9 : i64
  %i = arith.index_cast %j : i64 to index
  %y = tensor.insert_slice %k into %x[0, %i, 0] [2, 1, 4] [1, 1, 1] : tensor<2x4xf32> into tensor<2x9x4xf32>
  return %y : tensor<2x9x4xf32>
}

// -----

// What is put into a tensor of the program's own is stored there, and two places are no choice of one.

// CHECK-LABEL: func.func @own
// CHECK-COUNT-2: tensor.insert_slice
func.func @own(%x: tensor<9x4xf32>, %k: tensor<1x4xf32>, %l: tensor<2x4xf32>, %at: tensor<1xindex>) -> (tensor<9x4xf32>, tensor<9x4xf32>) {
  %zero = arith.constant 0 : index
  %i = tensor.extract %at[%zero] : tensor<1xindex>
  %e = tensor.empty() : tensor<9x4xf32>
  %m = linalg.exp ins(%x : tensor<9x4xf32>) outs(%e : tensor<9x4xf32>) -> tensor<9x4xf32>
  %y = tensor.insert_slice %k into %m[%i, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<9x4xf32>
  %z = tensor.insert_slice %l into %x[%i, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<9x4xf32>
  return %y, %z : tensor<9x4xf32>, tensor<9x4xf32>
}
