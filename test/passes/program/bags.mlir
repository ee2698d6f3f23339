// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-bags,canonicalize,cse)' --split-input-file %s | FileCheck %s

// A bag is the positions from its offset to the next one, or to the end; they are visited one after the other.

// CHECK-LABEL: func @bag
//       CHECK:   sinter.steps rows(0) ins(%{{.+}}, %{{.+}}, %{{.+}} : tensor<4xi64>, tensor<9xi64>, tensor<7x5xf32>)
//  CHECK-NEXT:   (%[[I:.+]]: index, %[[O:.+]]: memref<4xi64>, %[[T:.+]]: memref<9xi64>, %[[W:.+]]: memref<7x5xf32>, %[[Y:.+]]: memref<4x5xf32>)
//       CHECK:     memref.store %cst, %[[Y]][%[[I]], %{{.+}}]
//       CHECK:     %[[FROM:.+]] = memref.load %[[O]][%[[I]]]
//       CHECK:     %[[LOW:.+]] = arith.maxsi %{{.+}}, %c0
//       CHECK:     %[[HIGH:.+]] = arith.minsi %{{.+}}, %c9
//       CHECK:     cf.assert %{{.+}}, "an index of a bag is out of range"
//       CHECK:     scf.for %[[P:.+]] = %[[LOW]] to %[[HIGH]]
//  CHECK-NEXT:       memref.load %[[T]][%[[P]]]
//       CHECK:       scf.parallel
//       CHECK:         memref.load %[[W]]
//   CHECK-NOT:   linalg.generic
#p = affine_map<(d0, d1, d2) -> (d1)>
#b = affine_map<(d0, d1, d2) -> (d0)>
#o = affine_map<(d0, d1, d2) -> (d0, d2)>
func.func @bag(%t: tensor<9xi64>, %offsets: tensor<4xi64>, %w: tensor<7x5xf32>) -> tensor<4x5xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1 : i64
  %bags = arith.constant 4 : i64
  %end = arith.constant 9 : i64
  %e = tensor.empty() : tensor<4x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x5xf32>) -> tensor<4x5xf32>
  %y = linalg.generic {indexing_maps = [#p, #b, #o], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%t, %offsets : tensor<9xi64>, tensor<4xi64>) outs(%f : tensor<4x5xf32>) {
  ^bb0(%at: i64, %from: i64, %acc: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i64
    %k = arith.addi %j, %one : i64
    %l = arith.index_cast %k : i64 to index
    %last = arith.cmpi eq, %k, %bags : i64
    %n = arith.select %last, %c0, %l : index
    %m = tensor.extract %offsets[%n] : tensor<4xi64>
    %to = arith.select %last, %end, %m : i64
    %p = linalg.index 1 : index
    %q = arith.index_cast %p : index to i64
    %less = arith.cmpi slt, %from, %q : i64
    %equal = arith.cmpi eq, %from, %q : i64
    %low = arith.ori %less, %equal : i1
    %high = arith.cmpi slt, %q, %to : i64
    %in = arith.andi %low, %high : i1
    %r = arith.index_cast %at : i64 to index
    %c = linalg.index 2 : index
    %v = tensor.extract %w[%r, %c] : tensor<7x5xf32>
    %s = arith.addf %v, %acc : f32
    %z = arith.select %in, %s, %acc : f32
    linalg.yield %z : f32
  } -> tensor<4x5xf32>
  return %y : tensor<4x5xf32>
}

// -----

// Offsets that are a formula of the row are no operand; the ends may stand on either side of a comparison.

// CHECK-LABEL: func @formula
//       CHECK:   sinter.steps rows(0) ins(%{{.+}}, %{{.+}}, %{{.+}} : tensor<4xi64>, tensor<12xi64>, tensor<7x5xf32>)
//       CHECK:     %[[FROM:.+]] = arith.muli %{{.+}}, %c3
//   CHECK-NOT:   linalg.generic
#p = affine_map<(d0, d1, d2) -> (d1)>
#b = affine_map<(d0, d1, d2) -> (d0)>
#o = affine_map<(d0, d1, d2) -> (d0, d2)>
func.func @formula(%t: tensor<12xi64>, %w: tensor<7x5xf32>) -> tensor<4x5xf32> {
  %zero = arith.constant 0.0 : f32
  %three = arith.constant 3 : i64
  %n = tensor.empty() : tensor<4xi64>
  %offsets = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%n : tensor<4xi64>) {
  ^bb0(%out: i64):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i64
    %k = arith.muli %j, %three : i64
    linalg.yield %k : i64
  } -> tensor<4xi64>
  %e = tensor.empty() : tensor<4x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x5xf32>) -> tensor<4x5xf32>
  %y = linalg.generic {indexing_maps = [#p, #b, #o], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%t, %offsets : tensor<12xi64>, tensor<4xi64>) outs(%f : tensor<4x5xf32>) {
  ^bb0(%at: i64, %from: i64, %acc: f32):
    %p = linalg.index 1 : index
    %q = arith.index_cast %p : index to i64
    %to = arith.addi %from, %three : i64
    %low = arith.cmpi sge, %q, %from : i64
    %high = arith.cmpi sgt, %to, %q : i64
    %in = arith.andi %high, %low : i1
    %r = arith.index_cast %at : i64 to index
    %c = linalg.index 2 : index
    %v = tensor.extract %w[%r, %c] : tensor<7x5xf32>
    %s = arith.addf %v, %acc : f32
    %z = arith.select %in, %s, %acc : f32
    linalg.yield %z : f32
  } -> tensor<4x5xf32>
  return %y : tensor<4x5xf32>
}

// -----

// An end that depends on what is added, and a position that is beyond its end rather than before it.

// CHECK-LABEL: func @no_range
//   CHECK-NOT:   sinter.steps
//       CHECK:   return
#p = affine_map<(d0, d1, d2) -> (d1)>
#b = affine_map<(d0, d1, d2) -> (d0)>
#o = affine_map<(d0, d1, d2) -> (d0, d2)>
func.func @no_range(%t: tensor<9xi64>, %offsets: tensor<4xi64>, %w: tensor<7x5xf32>)
    -> (tensor<4x5xf32>, tensor<4x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %end = arith.constant 9 : i64
  %e = tensor.empty() : tensor<4x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x5xf32>) -> tensor<4x5xf32>
  %x = linalg.generic {indexing_maps = [#p, #b, #o], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%t, %offsets : tensor<9xi64>, tensor<4xi64>) outs(%f : tensor<4x5xf32>) {
  ^bb0(%at: i64, %from: i64, %acc: f32):
    %p = linalg.index 1 : index
    %q = arith.index_cast %p : index to i64
    %low = arith.cmpi sle, %from, %q : i64
    %high = arith.cmpi slt, %q, %at : i64
    %in = arith.andi %low, %high : i1
    %r = arith.index_cast %at : i64 to index
    %c = linalg.index 2 : index
    %v = tensor.extract %w[%r, %c] : tensor<7x5xf32>
    %s = arith.addf %v, %acc : f32
    %z = arith.select %in, %s, %acc : f32
    linalg.yield %z : f32
  } -> tensor<4x5xf32>
  %y = linalg.generic {indexing_maps = [#p, #b, #o], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%t, %offsets : tensor<9xi64>, tensor<4xi64>) outs(%f : tensor<4x5xf32>) {
  ^bb0(%at: i64, %from: i64, %acc: f32):
    %p = linalg.index 1 : index
    %q = arith.index_cast %p : index to i64
    %low = arith.cmpi sge, %from, %q : i64
    %high = arith.cmpi slt, %q, %end : i64
    %in = arith.andi %low, %high : i1
    %r = arith.index_cast %at : i64 to index
    %c = linalg.index 2 : index
    %v = tensor.extract %w[%r, %c] : tensor<7x5xf32>
    %s = arith.addf %v, %acc : f32
    %z = arith.select %in, %s, %acc : f32
    linalg.yield %z : f32
  } -> tensor<4x5xf32>
  return %x, %y : tensor<4x5xf32>, tensor<4x5xf32>
}

// -----

// As many bags and positions as there are.

// CHECK-LABEL: func @sizes
//       CHECK:   %[[D:.+]] = tensor.dim
//       CHECK:   tensor.empty(%[[D]]) : tensor<?x5xf32>
//       CHECK:   sinter.steps rows(0) ins(%{{.+}} : tensor<?xi64>, tensor<?xi64>, tensor<i64>, tensor<i64>, tensor<7x5xf32>)
//   CHECK-NOT:   linalg.generic
#p = affine_map<(d0, d1, d2) -> (d1)>
#b = affine_map<(d0, d1, d2) -> (d0)>
#o = affine_map<(d0, d1, d2) -> (d0, d2)>
func.func @sizes(%t: tensor<?xi64>, %offsets: tensor<?xi64>, %w: tensor<7x5xf32>) -> tensor<?x5xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1 : i64
  %rows = tensor.dim %offsets, %c0 : tensor<?xi64>
  %positions = tensor.dim %t, %c0 : tensor<?xi64>
  %bags = arith.index_cast %rows : index to i64
  %end = arith.index_cast %positions : index to i64
  %e = tensor.empty(%rows) : tensor<?x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x5xf32>) -> tensor<?x5xf32>
  %y = linalg.generic {indexing_maps = [#p, #b, #o], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%t, %offsets : tensor<?xi64>, tensor<?xi64>) outs(%f : tensor<?x5xf32>) {
  ^bb0(%at: i64, %from: i64, %acc: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i64
    %k = arith.addi %j, %one : i64
    %l = arith.index_cast %k : i64 to index
    %last = arith.cmpi eq, %k, %bags : i64
    %n = arith.select %last, %c0, %l : index
    %m = tensor.extract %offsets[%n] : tensor<?xi64>
    %to = arith.select %last, %end, %m : i64
    %p = linalg.index 1 : index
    %q = arith.index_cast %p : index to i64
    %low = arith.cmpi sle, %from, %q : i64
    %high = arith.cmpi slt, %q, %to : i64
    %in = arith.andi %low, %high : i1
    %r = arith.index_cast %at : i64 to index
    %c = linalg.index 2 : index
    %v = tensor.extract %w[%r, %c] : tensor<7x5xf32>
    %s = arith.addf %v, %acc : f32
    %z = arith.select %in, %s, %acc : f32
    linalg.yield %z : f32
  } -> tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}
