// RUN: sinter-opt --sinter-loops --split-input-file --verify-diagnostics %s | FileCheck %s

// Rows are the first loop that every result has as a subscript. What a result begins with is copied, and then each turn
// of the other loop reads and writes it.

// CHECK-LABEL: func @argmax
//       CHECK:   sinter.steps rows(0) ins(%{{.+}}, %{{.+}}, %{{.+}} : tensor<4x9xf32>, tensor<4xf32>, tensor<4xi64>)
//       CHECK:   ^{{.+}}(%[[R:.+]]: index, %[[X:.+]]: memref<4x9xf32>, %[[M:.+]]: memref<4xf32>, %[[N:.+]]: memref<4xi64>, %[[Y:.+]]: memref<4xf32>, %[[J:.+]]: memref<4xi64>):
//       CHECK:     %[[B:.+]] = memref.load %[[M]][%[[R]]]
//       CHECK:     memref.store %[[B]], %[[Y]][%[[R]]]
//       CHECK:     scf.for %[[C:.+]] =
//       CHECK:       memref.load %[[X]][%[[R]], %[[C]]]
//       CHECK:       memref.load %[[Y]][%[[R]]]
//       CHECK:       arith.index_cast %[[C]]
//       CHECK:       arith.cmpf ogt
//       CHECK:       memref.store %{{.+}}, %[[Y]][%[[R]]]
//       CHECK:       memref.store %{{.+}}, %[[J]][%[[R]]]
func.func @argmax(%x: tensor<4x9xf32>, %m: tensor<4xf32>, %n: tensor<4xi64>) -> (tensor<4xf32>, tensor<4xi64>) {
  // expected-remark @+1 {{becomes a kernel of plain loops, as no form holds it}}
  %v:2 = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>, affine_map<(r, c) -> (r)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x9xf32>) outs(%m, %n : tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%a: f32, %p: f32, %q: i64):
    %c = linalg.index 1 : index
    %i = arith.index_cast %c : index to i64
    %g = arith.cmpf ogt, %a, %p : f32
    %s = arith.select %g, %a, %p : f32
    %t = arith.select %g, %i, %q : i64
    linalg.yield %s, %t : f32, i64
  } -> (tensor<4xf32>, tensor<4xi64>)
  return %v#0, %v#1 : tensor<4xf32>, tensor<4xi64>
}

// -----

// A window in sizes `?`: a second loop of the results is the lanes of a step, others are loops in front of it.

// CHECK-LABEL: func @windows
//       CHECK:   sinter.steps rows(0)
//       CHECK:     scf.for %[[H:.+]] =
//       CHECK:       scf.parallel (%[[C:.+]]) =
//       CHECK:         scf.for %[[K:.+]] =
//       CHECK:           %[[D:.+]] = arith.muli %[[H]], %{{.+}}
//       CHECK:           %[[P:.+]] = arith.addi %[[D]], %[[K]]
//       CHECK:           memref.load %{{.+}}[%{{.+}}, %[[P]], %[[C]]]
//       CHECK:           arith.maximumf
func.func @windows(%x: tensor<?x?x?xf32>, %k: tensor<3xf32>, %y: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  // expected-remark @+1 {{becomes a kernel of plain loops}}
  %v = linalg.pooling_nwc_max {strides = dense<2> : tensor<1xi64>} ins(%x, %k : tensor<?x?x?xf32>, tensor<3xf32>) outs(%y : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %v : tensor<?x?x?xf32>
}

// -----

// One number is one row of its own.

// CHECK-LABEL: func @number
//       CHECK:   %[[ONE:.+]] = tensor.empty() : tensor<1xi8>
//       CHECK:   sinter.steps rows(0) ins(%[[ONE]], %{{.+}}, %{{.+}} : tensor<1xi8>, tensor<9xf32>, tensor<f32>)
func.func @number(%x: tensor<9xf32>, %z: tensor<f32>) -> tensor<f32> {
  // expected-remark @+1 {{becomes a kernel of plain loops}}
  %v = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<9xf32>) outs(%z : tensor<f32>) {
  ^bb0(%a: f32, %p: f32):
    %s = arith.subf %a, %p : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %v : tensor<f32>
}

// -----

// A number from outside that is no constant: it stays.

// CHECK-LABEL: func @outside
//       CHECK:   linalg.generic
func.func @outside(%x: tensor<9xf32>, %n: index) -> tensor<9xf32> {
  %i = arith.index_cast %n : index to i32
  %f = arith.sitofp %i : i32 to f32
  %v = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : tensor<9xf32>) {
  ^bb0(%p: f32):
    %s = arith.subf %p, %f : f32
    linalg.yield %s : f32
  } -> tensor<9xf32>
  return %v : tensor<9xf32>
}

// -----

// A fill is what the results begin with, and not memory; an element of a tensor is read where its subscripts are
// inside, and else is 0; what nobody has written is not read.

// CHECK-LABEL: func @tables
//  CHECK-SAME:   (%[[T:.+]]: tensor<4x9xi64>, %[[E:.+]]: tensor<?xf32>
//   CHECK-NOT:   linalg.fill
//       CHECK:   sinter.steps rows(0) ins(%[[T]], %[[E]] : tensor<4x9xi64>, tensor<?xf32>)
//       CHECK:   ^{{.+}}(%[[R:.+]]: index, %[[I:.+]]: memref<4x9xi64>, %[[F:.+]]: memref<?xf32>, %[[Y:.+]]: memref<4xf32>):
//       CHECK:     memref.store %{{.+}}, %[[Y]][%[[R]]]
//       CHECK:       %[[AT:.+]] = arith.index_cast
//       CHECK:       %[[N:.+]] = memref.dim %[[F]]
//       CHECK:       %[[IN:.+]] = arith.cmpi ult, %[[AT]], %[[N]]
//       CHECK:       scf.if %{{.+}} -> (f32)
//       CHECK:         memref.load %[[F]][%[[AT]]]
func.func @tables(%t: tensor<4x9xi64>, %e: tensor<?xf32>) -> tensor<4xf32> {
  %z = arith.constant 1.0 : f32
  %m = tensor.empty() : tensor<4xf32>
  %b = linalg.fill ins(%z : f32) outs(%m : tensor<4xf32>) -> tensor<4xf32>
  // expected-remark @+1 {{becomes a kernel of plain loops}}
  %v = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<4x9xi64>) outs(%b : tensor<4xf32>) {
  ^bb0(%a: i64, %p: f32):
    %i = arith.index_cast %a : i64 to index
    %w = tensor.extract %e[%i] : tensor<?xf32>
    %s = arith.mulf %w, %p : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %v : tensor<4xf32>
}
