// RUN: sinter-opt --sinter-expand --split-input-file %s | FileCheck %s

// A definition in steps on memory of the operands' types: what is loaded of a half type is widened, labels too. The
// mean divides the sum of what rows give; nothing of a gradient is there.

// CHECK-LABEL: func @mean
//       CHECK:   %[[E:.+]] = tensor.empty() : tensor<f32>
//       CHECK:   sinter.steps rows(0) ins(%{{.+}}, %{{.+}} : tensor<4x8xbf16>, tensor<4xi32>) values(%[[E]] : tensor<f32>)
//  CHECK-SAME:       attributes {definition = "worst", use = {reduction = "mean", scale = 2.000000e+00 : f32}} -> tensor<f32> {
//       CHECK:   ^{{.+}}(%[[I:.+]]: index, %[[X:.+]]: memref<4x8xbf16>, %[[T:.+]]: memref<4xi32>):
//   CHECK-DAG:     %[[K:.+]] = arith.constant 2.000000e+00 : f32
//       CHECK:     %[[L:.+]] = memref.load %[[T]][%[[I]]] : memref<4xi32>
//       CHECK:     arith.extsi %[[L]] : i32 to i64
//       CHECK:     scf.parallel
//       CHECK:       %[[V:.+]] = memref.load %[[X]]
//       CHECK:       arith.extf %[[V]] : bf16 to f32
//   CHECK-NOT:     scf.if
//       CHECK:     %[[R:.+]] = arith.mulf %{{.+}}, %[[K]]
//       CHECK:     sinter.yield %[[R]] : f32
//       CHECK:   } finish {
//       CHECK:   ^{{.+}}(%[[N:.+]]: index, %[[S:.+]]: f32):
//       CHECK:     arith.divf %[[S]]
func.func @mean(%x: tensor<4x8xbf16>, %t: tensor<4xi32>) -> tensor<f32> {
  %l = sinter.apply @worst(%x, %t) {scale = 2.0 : f32} : (tensor<4x8xbf16>, tensor<4xi32>) -> tensor<f32>
  return %l : tensor<f32>
}

// f64 anywhere makes floats f64; one element for each row.

// CHECK-LABEL: func @wide
//       CHECK:   sinter.steps rows(0) {{.*}} values(%{{.+}} : tensor<?xf64>)
//       CHECK:     scf.parallel {{.*}} -> f64
//   CHECK-NOT:     f32 to f64
//       CHECK:     sinter.yield %{{.+}} : f64
func.func @wide(%x: tensor<?x8xf64>, %t: tensor<?xi64>) -> tensor<?xf64> {
  %l = sinter.apply @worst(%x, %t) {reduction = "none"} : (tensor<?x8xf64>, tensor<?xi64>) -> tensor<?xf64>
  return %l : tensor<?xf64>
}

// Operands without the dimension of rows: there is one, and its loss is no row of losses.

// CHECK-LABEL: func @alone
//       CHECK:   %[[X:.+]] = tensor.expand_shape %{{.+}} {{\[}}[0, 1]] output_shape [1, 8] : tensor<8xf32> into tensor<1x8xf32>
//       CHECK:   %[[T:.+]] = tensor.expand_shape %{{.+}} [] output_shape [1] : tensor<i64> into tensor<1xi64>
//       CHECK:   sinter.steps rows(0) ins(%[[X]], %[[T]] : {{.*}}) values(%{{.+}} : tensor<f32>)
func.func @alone(%x: tensor<8xf32>, %t: tensor<i64>) -> tensor<f32> {
  %l = sinter.apply @worst(%x, %t) {reduction = "none"} : (tensor<8xf32>, tensor<i64>) -> tensor<f32>
  return %l : tensor<f32>
}

sinter.define_steps @worst(%n: index {row}, %x: memref<?x?xf32>, %t: memref<?xi64>, %scale: f32 {default = 1.0 : f32},
    %g: f32 {upstream}, %wanted: i1 {gradient = "x"}, %d: memref<?x?xf32> {gradient = "x"}) attributes {reductions = ["mean", "none"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %size = memref.dim %x, %c1 : memref<?x?xf32>
  %l = memref.load %t[%n] : memref<?xi64>
  %end = arith.index_cast %l : i64 to index
  %m = scf.parallel (%j) = (%c0) to (%end) step (%c1) init (%z) -> f32 {
    %v = memref.load %x[%n, %j] : memref<?x?xf32>
    scf.reduce(%v : f32) {
    ^bb0(%p: f32, %q: f32):
      %r = arith.maximumf %p, %q : f32
      scf.reduce.return %r : f32
    }
  }
  scf.if %wanted {
    scf.parallel (%j) = (%c0) to (%size) step (%c1) {
      %v = memref.load %x[%n, %j] : memref<?x?xf32>
      %is = arith.cmpf oeq, %v, %m : f32
      %k = arith.mulf %g, %scale : f32
      %w = arith.select %is, %k, %z : f32
      memref.store %w, %d[%n, %j] : memref<?x?xf32>
    }
  }
  %r = arith.mulf %m, %scale : f32
  sinter.yield %r : f32
}
