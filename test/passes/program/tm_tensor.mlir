// RUN: sinter-opt %s --pass-pipeline='builtin.module(sinter-tm-tensor)' --split-input-file --verify-diagnostics | FileCheck %s

// Pieces of the last dimension are rows; all indices are inside before anything is stored, and updates go in one by
// one.

// CHECK-LABEL: func @scatter_pieces
//       CHECK:   %[[U:.+]] = tensor.expand_shape %{{.+}} {{\[\[}}0], [1, 2]] output_shape [7, 3, 32]
//       CHECK:   sinter.steps rows(1) ins(%[[U]], %{{.+}}, %{{.+}} : tensor<7x3x32xf32>, tensor<7x1xi64>, tensor<9x96xf32>)
//       CHECK:   ^{{.+}}(%[[R:.+]]: index, %[[UM:.+]]: memref<7x3x32xf32>, %[[T:.+]]: memref<7x1xi64>, %[[X:.+]]: memref<9x96xf32>, %[[Y:.+]]: memref<9x96xf32>):
//       CHECK:     %[[OK:.+]] = scf.parallel
//       CHECK:       arith.andi
//       CHECK:     cf.assert %[[OK]], "an index of a scatter is out of range"
//       CHECK:     memref.load %[[X]]
//       CHECK:     memref.store %{{.+}}, %[[Y]]
//       CHECK:     scf.for %[[N:.+]] =
//       CHECK:       memref.load %[[T]][%[[N]], %{{.+}}]
//       CHECK:       scf.parallel
//       CHECK:         %[[A:.+]] = memref.load %[[UM]][%[[N]], %[[R]], %{{.+}}]
//       CHECK:         %[[B:.+]] = memref.load %[[Y]]
//       CHECK:         %[[S:.+]] = arith.addf %[[B]], %[[A]]
//       CHECK:         memref.store %[[S]], %[[Y]]
func.func @scatter_pieces(%u: tensor<7x96xf32>, %t: tensor<7x1xi64>, %x: tensor<9x96xf32>) -> tensor<9x96xf32> {
  %y = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%u, %t : tensor<7x96xf32>, tensor<7x1xi64>) outs(%x : tensor<9x96xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %q, %p : f32
    tm_tensor.yield %s : f32
  } -> tensor<9x96xf32>
  return %y : tensor<9x96xf32>
}

// -----

// With two dimensions that no index chooses, the first is the rows.

// CHECK-LABEL: func @scatter_dimension
//   CHECK-NOT:   tensor.expand_shape
//       CHECK:   sinter.steps rows(1) ins(%{{.+}}, %{{.+}}, %{{.+}} : tensor<?x4x5xf32>
func.func @scatter_dimension(%u: tensor<?x4x5xf32>, %t: tensor<?x1xi32>, %x: tensor<9x4x5xf32>) -> tensor<9x4x5xf32> {
  %y = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true) ins(%u, %t : tensor<?x4x5xf32>, tensor<?x1xi32>) outs(%x : tensor<9x4x5xf32>) {
  ^bb0(%p: f32, %q: f32):
    tm_tensor.yield %p : f32
  } -> tensor<9x4x5xf32>
  return %y : tensor<9x4x5xf32>
}

// -----

// Points are one row.

// CHECK-LABEL: func @scatter_points
//       CHECK:   sinter.steps rows(0) ins(%{{.+}}, %{{.+}}, %{{.+}} : tensor<1x6xf32>
//       CHECK:     cf.assert
//       CHECK:     scf.for
//       CHECK:       scf.parallel
//       CHECK:     scf.for
//   CHECK-NOT:       scf.parallel
//       CHECK:     sinter.yield
func.func @scatter_points(%u: tensor<6xf32>, %t: tensor<6x2xi32>, %x: tensor<9x64xf32>) -> tensor<9x64xf32> {
  %y = tm_tensor.scatter {dimension_map = array<i64: 0, 1>} unique_indices(false) ins(%u, %t : tensor<6xf32>, tensor<6x2xi32>) outs(%x : tensor<9x64xf32>) {
  ^bb0(%p: f32, %q: f32):
    tm_tensor.yield %p : f32
  } -> tensor<9x64xf32>
  return %y : tensor<9x64xf32>
}

// -----

// What holds one number everywhere is not read: the number is written.

// CHECK-LABEL: func @scatter_into_number
//       CHECK:   sinter.steps rows(0) ins(%{{.+}}, %{{.+}} : tensor<1x6xf32>, tensor<6x2xi32>) outs(
//       CHECK:     %[[Z:.+]] = arith.constant 2.000000e+00 : f32
//       CHECK:     memref.store %[[Z]]
func.func @scatter_into_number(%u: tensor<6xf32>, %t: tensor<6x2xi32>, %n: index) -> tensor<?x64xf32> {
  %e = tensor.empty(%n) : tensor<?x64xf32>
  %x = sinter.rowwise (i = ?) by (j = 64) outs(%e[i, j] : tensor<?x64xf32>) {
  ^row:
    %two = arith.constant 2.0 : f32
    %r = sinter.broadcast %two : f32 -> tensor<64xf32>
    sinter.yield %r : tensor<64xf32>
  }
  %y = tm_tensor.scatter {dimension_map = array<i64: 0, 1>} unique_indices(false) ins(%u, %t : tensor<6xf32>, tensor<6x2xi32>) outs(%x : tensor<?x64xf32>) {
  ^bb0(%p: f32, %q: f32):
    tm_tensor.yield %p : f32
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// Nor is it where a reshape stands in between.

// CHECK-LABEL: func @scatter_into_reshaped
//       CHECK:   sinter.steps rows(0) ins(%{{.+}}, %{{.+}} : tensor<1x6xf32>, tensor<6x2xi32>) outs(
//       CHECK:     %[[Z:.+]] = arith.constant 2.000000e+00 : f32
//       CHECK:     memref.store %[[Z]]
func.func @scatter_into_reshaped(%u: tensor<6xf32>, %t: tensor<6x2xi32>, %n: index) -> tensor<?x1xf32> {
  %two = arith.constant 2.0 : f32
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%two : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %x = tensor.expand_shape %f [[0, 1]] output_shape [%n, 1] : tensor<?xf32> into tensor<?x1xf32>
  %y = tm_tensor.scatter {dimension_map = array<i64: 0, 1>} unique_indices(false) ins(%u, %t : tensor<6xf32>, tensor<6x2xi32>) outs(%x : tensor<?x1xf32>) {
  ^bb0(%p: f32, %q: f32):
    tm_tensor.yield %p : f32
  } -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}

// -----

// Nor are updates that are one number: what counts the edges of each node of a graph.

// CHECK-LABEL: func @scatter_ones
//       CHECK:   %[[ROWS:.+]] = tensor.empty() : tensor<1xi8>
//       CHECK:   sinter.steps rows(0) ins(%[[ROWS]], %{{.+}} : tensor<1xi8>, tensor<40x1xi64>) outs(
//       CHECK:     %[[ONE:.+]] = arith.constant 1.000000e+00 : f32
//       CHECK:     arith.addf %{{.+}}, %[[ONE]]
func.func @scatter_ones(%t: tensor<40x1xi64>) -> tensor<9xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<40xf32>
  %u = linalg.fill ins(%one : f32) outs(%e : tensor<40xf32>) -> tensor<40xf32>
  %f = tensor.empty() : tensor<9xf32>
  %x = linalg.fill ins(%zero : f32) outs(%f : tensor<9xf32>) -> tensor<9xf32>
  %y = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%u, %t : tensor<40xf32>, tensor<40x1xi64>) outs(%x : tensor<9xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %q, %p : f32
    tm_tensor.yield %s : f32
  } -> tensor<9xf32>
  return %y : tensor<9xf32>
}

// -----

// Points that the program says to be different are lanes of one step.

// CHECK-LABEL: func @scatter_unique
//       CHECK:   sinter.steps rows(0)
//       CHECK:     scf.parallel (%[[N:.+]]) =
//       CHECK:       memref.load %{{.+}}[%{{.+}}, %[[N]]] : memref<1x6xf32>
//       CHECK:       memref.store
//       CHECK:       scf.reduce
//  CHECK-NEXT:     }
//  CHECK-NEXT:     sinter.yield
func.func @scatter_unique(%u: tensor<6xf32>, %t: tensor<6x2xi32>, %x: tensor<9x64xf32>) -> tensor<9x64xf32> {
  %y = tm_tensor.scatter {dimension_map = array<i64: 0, 1>} unique_indices(true) ins(%u, %t : tensor<6xf32>, tensor<6x2xi32>) outs(%x : tensor<9x64xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tm_tensor.yield %s : f32
  } -> tensor<9x64xf32>
  return %y : tensor<9x64xf32>
}

// -----

// Many numbers that are added to few places: each of eight chunks of updates has a part of its own that begins with -0;
// then ranges of places take the tensor and each part that there is, in order.

// CHECK-LABEL: func @scatter_chunks
//       CHECK:   %[[PARTS:.+]] = tensor.empty() : tensor<8x70xf32>
//       CHECK:   %[[P:.+]] = sinter.steps rows(0) ins({{.+}} : tensor<8xi8>, {{.+}}) outs(%[[PARTS]]
//       CHECK:   ^{{.+}}(%[[R:.+]]: index,
//       CHECK:     arith.maxui %{{.+}}, %c4096
//       CHECK:     cf.assert %{{.+}}, "an index of a scatter is out of range"
//       CHECK:     %[[NOTHING:.+]] = arith.constant -0.000000e+00 : f32
//       CHECK:     memref.store %[[NOTHING]], %[[Y:.+]][%[[R]], %{{.+}}] : memref<8x70xf32>
//       CHECK:     scf.for
//       CHECK:       memref.load %[[Y]][%[[R]], %{{.+}}]
//       CHECK:       arith.addf
//       CHECK:       memref.store %{{.+}}, %[[Y]][%[[R]],
//       CHECK:   sinter.steps rows(0) ins({{.+}}%[[P]], {{.+}}) outs({{.+}} : tensor<70xf32>)
//       CHECK:     scf.for %[[K:.+]] = %{{.+}} to
//       CHECK:       scf.parallel (%[[J:.+]]) =
//       CHECK:         memref.load %{{.+}}[%[[K]], %{{.+}}] : memref<8x70xf32>
//       CHECK:         arith.addf
//       CHECK:         memref.store %{{.+}} : memref<70xf32>
func.func @scatter_chunks(%u: tensor<?xf32>, %t: tensor<?x1xi64>, %x: tensor<70xf32>) -> tensor<70xf32> {
  %y = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%u, %t : tensor<?xf32>, tensor<?x1xi64>) outs(%x : tensor<70xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %q, %p : f32
    tm_tensor.yield %s : f32
  } -> tensor<70xf32>
  return %y : tensor<70xf32>
}

// -----

// Fewer than two chunks, a number that is no sum, and more places than a cache holds: no parts.

// CHECK-LABEL: func @scatter_few
//   CHECK-NOT:   tensor.empty() : tensor<8x70xi32>
//       CHECK:   return
func.func @scatter_few(%u: tensor<8191xi32>, %t: tensor<8191x1xi64>, %x: tensor<70xi32>) -> tensor<70xi32> {
  %y = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%u, %t : tensor<8191xi32>, tensor<8191x1xi64>) outs(%x : tensor<70xi32>) {
  ^bb0(%p: i32, %q: i32):
    %s = arith.addi %q, %p : i32
    tm_tensor.yield %s : i32
  } -> tensor<70xi32>
  return %y : tensor<70xi32>
}

// CHECK-LABEL: func @scatter_counts
//       CHECK:   tensor.empty() : tensor<8x70xi32>
func.func @scatter_counts(%u: tensor<8192xi32>, %t: tensor<8192x1xi64>, %x: tensor<70xi32>) -> tensor<70xi32> {
  %y = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%u, %t : tensor<8192xi32>, tensor<8192x1xi64>) outs(%x : tensor<70xi32>) {
  ^bb0(%p: i32, %q: i32):
    %s = arith.addi %q, %p : i32
    tm_tensor.yield %s : i32
  } -> tensor<70xi32>
  return %y : tensor<70xi32>
}

// CHECK-LABEL: func @scatter_doubled
//   CHECK-NOT:   tensor<8x70xf32>
//       CHECK:   return
func.func @scatter_doubled(%u: tensor<?xf32>, %t: tensor<?x1xi64>, %x: tensor<70xf32>) -> tensor<70xf32> {
  %y = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%u, %t : tensor<?xf32>, tensor<?x1xi64>) outs(%x : tensor<70xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %q, %q : f32
    tm_tensor.yield %s : f32
  } -> tensor<70xf32>
  return %y : tensor<70xf32>
}

// CHECK-LABEL: func @scatter_many_places
//   CHECK-NOT:   tensor<8x131073xf32>
//       CHECK:   return
func.func @scatter_many_places(%u: tensor<?xf32>, %t: tensor<?x1xi64>, %x: tensor<131073xf32>) -> tensor<131073xf32> {
  %y = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%u, %t : tensor<?xf32>, tensor<?x1xi64>) outs(%x : tensor<131073xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %q, %p : f32
    tm_tensor.yield %s : f32
  } -> tensor<131073xf32>
  return %y : tensor<131073xf32>
}

// -----

// A tensor that no cache holds is cut into ranges of the dimension that the index says: a range takes the numbers of
// its own updates, of a block at a time, and then those updates.

// CHECK-LABEL: func @scatter_ranges
//       CHECK:   %[[ROWS:.+]] = tensor.empty() : tensor<4xi8>
//       CHECK:   sinter.steps rows(0) ins(%[[ROWS]], %{{.+}}, %{{.+}}, %{{.+}} : tensor<4xi8>, tensor<7x50xf32>
//       CHECK:   ^{{.+}}(%[[R:.+]]: index, %{{.+}}: memref<4xi8>, %[[U:.+]]: memref<7x50xf32>, %[[T:.+]]: memref<7x1xi64>
//       CHECK:     %[[OWN:.+]] = memref.alloca() : memref<256xindex>
//       CHECK:     cf.assert %{{.+}}, "an index of a scatter is out of range"
//       CHECK:     %[[BEGIN:.+]] = arith.minui
//       CHECK:     %[[END:.+]] = arith.minui
//       CHECK:     scf.for %[[B:.+]] = %{{.+}} to %{{.+}} step %c256
//       CHECK:       %[[COUNT:.+]] = scf.for %[[N:.+]] = %[[B]] to %{{.+}} step %{{.+}} iter_args(%[[C:.+]] = %{{.+}})
//       CHECK:         memref.store %[[N]], %[[OWN]][%[[C]]]
//       CHECK:         %[[I:.+]] = memref.load %[[T]][%[[N]], %{{.+}}]
//       CHECK:         arith.cmpi ult
//       CHECK:       scf.for %[[K:.+]] = %{{.+}} to %[[COUNT]]
//       CHECK:         memref.load %[[OWN]][%[[K]]]
//       CHECK:         scf.parallel
//       CHECK:           memref.load %[[U]]
//       CHECK:           arith.addf
func.func @scatter_ranges(%u: tensor<7x50xf32>, %t: tensor<7x1xi64>, %x: tensor<20000x50xf32>) -> tensor<20000x50xf32> {
  %y = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%u, %t : tensor<7x50xf32>, tensor<7x1xi64>) outs(%x : tensor<20000x50xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %q, %p : f32
    tm_tensor.yield %s : f32
  } -> tensor<20000x50xf32>
  return %y : tensor<20000x50xf32>
}

// -----

// Runs of 1, 2, 4, ... are merged; the left one goes first unless only the right one is before the other.

// CHECK-LABEL: func @sort
//       CHECK:   sinter.steps rows(0) ins(%{{.+}}, %{{.+}} : tensor<4x9xf32>, tensor<4x9xi64>) outs
//       CHECK:     memref.alloca() : memref<9xf32>
//       CHECK:     memref.alloca() : memref<9xi64>
//       CHECK:     scf.parallel
//       CHECK:       scf.while
//       CHECK:         scf.for
//       CHECK:           %[[A:.+]] = arith.cmpf oge, %[[L:.+]], %[[R:.+]] :
//       CHECK:           %[[B:.+]] = arith.cmpf oge, %[[R]], %[[L]] :
//       CHECK:           %[[N:.+]] = arith.xori %[[B]]
//       CHECK:           arith.ori %[[A]], %[[N]]
func.func @sort(%x: tensor<4x9xf32>, %i: tensor<4x9xi64>) -> (tensor<4x9xf32>, tensor<4x9xi64>) {
  %v:2 = tm_tensor.sort dimension(1) outs(%x, %i : tensor<4x9xf32>, tensor<4x9xi64>) {
  ^bb0(%p: f32, %q: f32, %s: i64, %t: i64):
    %l = arith.cmpf oge, %p, %q : f32
    tm_tensor.yield %l : i1
  } -> tensor<4x9xf32>, tensor<4x9xi64>
  return %v#0, %v#1 : tensor<4x9xf32>, tensor<4x9xi64>
}

// -----

func.func @no_way(%u: tensor<7x5xf32>, %t: tensor<7x1xi64>, %x: tensor<3x9x5xf32>) -> tensor<3x9x5xf32> {
  // expected-error @+1 {{says nowhere where updates go in dimension 0}}
  %y = tm_tensor.scatter {dimension_map = array<i64: 1>} unique_indices(false) ins(%u, %t : tensor<7x5xf32>, tensor<7x1xi64>) outs(%x : tensor<3x9x5xf32>) {
  ^bb0(%p: f32, %q: f32):
    tm_tensor.yield %p : f32
  } -> tensor<3x9x5xf32>
  return %y : tensor<3x9x5xf32>
}

// -----

func.func @no_columns(%u: tensor<7x5xf32>, %t: tensor<7x2xi64>, %x: tensor<9x5xf32>) -> tensor<9x5xf32> {
  // expected-error @+1 {{has indices that are no matrix of integers with a column for each of 1 mapped dimensions}}
  %y = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%u, %t : tensor<7x5xf32>, tensor<7x2xi64>) outs(%x : tensor<9x5xf32>) {
  ^bb0(%p: f32, %q: f32):
    tm_tensor.yield %p : f32
  } -> tensor<9x5xf32>
  return %y : tensor<9x5xf32>
}

// -----

func.func @shapes(%x: tensor<4x9xf32>, %i: tensor<4x8xi64>) -> (tensor<4x9xf32>, tensor<4x8xi64>) {
  // expected-error @+1 {{sorts tensors of different shapes}}
  %v:2 = tm_tensor.sort dimension(1) outs(%x, %i : tensor<4x9xf32>, tensor<4x8xi64>) {
  ^bb0(%p: f32, %q: f32, %s: i64, %t: i64):
    %l = arith.cmpf oge, %p, %q : f32
    tm_tensor.yield %l : i1
  } -> tensor<4x9xf32>, tensor<4x8xi64>
  return %v#0, %v#1 : tensor<4x9xf32>, tensor<4x8xi64>
}

// -----

func.func @dimension(%x: tensor<4x9xf32>) -> tensor<4x9xf32> {
  // expected-error @+1 {{works along dimension 2 of 2}}
  %v = tm_tensor.sort dimension(2) outs(%x : tensor<4x9xf32>) {
  ^bb0(%p: f32, %q: f32):
    %l = arith.cmpf oge, %p, %q : f32
    tm_tensor.yield %l : i1
  } -> tensor<4x9xf32>
  return %v : tensor<4x9xf32>
}

// -----

func.func @kept(%x: tensor<4x9xf32>, %v: tensor<5x3xf32>, %n: tensor<5x3xi32>) -> tensor<5x3xf32> {
  // expected-error @+1 {{has inputs and destinations that differ in more than the size of dimension 1}}
  %r:2 = tm_tensor.topk dimension(1) ins(%x : tensor<4x9xf32>) outs(%v, %n : tensor<5x3xf32>, tensor<5x3xi32>) {
  ^bb0(%p: f32, %q: f32):
    %l = arith.cmpf ogt, %p, %q : f32
    tm_tensor.yield %l : i1
  } -> tensor<5x3xf32>, tensor<5x3xi32>
  return %r#0 : tensor<5x3xf32>
}

// -----

func.func @types(%x: tensor<4x9xf32>, %v: tensor<4x3xf32>, %n: tensor<4x3xi32>) -> tensor<4x3xf32> {
  // expected-error @+1 {{has a region on other types than its tensors hold}}
  %r:2 = tm_tensor.topk dimension(1) ins(%x : tensor<4x9xf32>) outs(%v, %n : tensor<4x3xf32>, tensor<4x3xi32>) {
  ^bb0(%p: f64, %q: f64):
    %l = arith.cmpf ogt, %p, %q : f64
    tm_tensor.yield %l : i1
  } -> tensor<4x3xf32>, tensor<4x3xi32>
  return %r#0 : tensor<4x3xf32>
}

// -----

// Nor is what a scan runs over, if it is one number; a tensor of so many rows, of which nobody reads an element, says
// how many there are.

// CHECK-LABEL: func @scan_of_number
//       CHECK:   %[[ROWS:.+]] = tensor.empty(%{{.+}}) : tensor<?xi8>
//       CHECK:   sinter.steps rows(0) ins(%[[ROWS]] : tensor<?xi8>) outs(%{{.+}} : tensor<?x12xi64>)
//       CHECK:     %[[V:.+]] = arith.constant 3 : i64
//       CHECK:     memref.store %[[V]]
//   CHECK-NOT:     memref.load
//       CHECK:     sinter.yield
func.func @scan_of_number(%n: index) -> tensor<?x12xi64> {
  %zero = arith.constant 0 : i64
  %e = tensor.empty(%n) : tensor<?x12xi64>
  %x = sinter.rowwise (i = ?) by (j = 12) outs(%e[i, j] : tensor<?x12xi64>) {
  ^row:
    %three = arith.constant dense<3> : tensor<12xi64>
    sinter.yield %three : tensor<12xi64>
  }
  %ie = tensor.empty(%n) : tensor<?xi64>
  %init = linalg.fill ins(%zero : i64) outs(%ie : tensor<?xi64>) -> tensor<?xi64>
  %y:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<?x12xi64>) outs(%e, %init : tensor<?x12xi64>, tensor<?xi64>) {
  ^bb0(%p: i64, %q: i64):
    %s = arith.addi %p, %q : i64
    tm_tensor.yield %s : i64
  } -> tensor<?x12xi64>, tensor<?xi64>
  return %y#0 : tensor<?x12xi64>
}

// -----

// A size that one operand says is known to the others; results keep their types.

// CHECK-LABEL: func @sizes
//  CHECK-SAME:   (%[[X:.+]]: tensor<4x6xf32>,
//       CHECK:   %[[Y:.+]] = sinter.steps {{.*}} ins(%[[X]] : tensor<4x6xf32>) outs(%{{.+}} : tensor<4x6xf32>)
//       CHECK:   %[[L:.+]] = tensor.extract_slice %[[Y]][0, 5] [4, 1] [1, 1] : tensor<4x6xf32> to tensor<4xf32>
//   CHECK-DAG:   %[[R1:.+]] = tensor.cast %[[L]] : tensor<4xf32> to tensor<?xf32>
//   CHECK-DAG:   %[[R0:.+]] = tensor.cast %[[Y]] : tensor<4x6xf32> to tensor<?x6xf32>
//       CHECK:   return %[[R0]], %[[R1]]
func.func @sizes(%x: tensor<4x6xf32>, %e: tensor<?x6xf32>, %f: tensor<?xf32>) -> (tensor<?x6xf32>, tensor<?xf32>) {
  %y, %z = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<4x6xf32>) outs(%e, %f : tensor<?x6xf32>, tensor<?xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tm_tensor.yield %s : f32
  } -> tensor<?x6xf32>, tensor<?xf32>
  return %y, %z : tensor<?x6xf32>, tensor<?xf32>
}
