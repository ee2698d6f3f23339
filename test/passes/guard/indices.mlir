// RUN: sinter-opt --sinter-guard %s | FileCheck %s

// An index that comes from data is asserted in front of the read.

// CHECK-LABEL: func @extract
//  CHECK-SAME:   (%[[X:.+]]: tensor<5x?xf32>, %[[I:.+]]: index)
//       CHECK:   %[[IN0:.+]] = arith.cmpi ult, %[[I]], %{{.+}} : index
//       CHECK:   %[[N:.+]] = tensor.dim %[[X]]
//       CHECK:   %[[IN1:.+]] = arith.cmpi ult, %[[I]], %[[N]] : index
//       CHECK:   %[[IN:.+]] = arith.andi %[[IN0]], %[[IN1]]
//       CHECK:   cf.assert %[[IN]], "indices.mlir:[[# @LINE + 3]]:8: an index is outside of the tensor"
//       CHECK:   tensor.extract
func.func @extract(%x: tensor<5x?xf32>, %i: index) -> f32 {
  %v = tensor.extract %x[%i, %i] : tensor<5x?xf32>
  return %v : f32
}

// Numbers inside of sizes that are numbers are the verifier's.

// CHECK-LABEL: func @known
//   CHECK-NOT:   cf.assert
//       CHECK:   return
func.func @known(%x: tensor<5xf32>) -> (f32, tensor<2xf32>) {
  %c4 = arith.constant 4 : index
  %v = tensor.extract %x[%c4] : tensor<5xf32>
  %s = tensor.extract_slice %x[3] [2] [1] : tensor<5xf32> to tensor<2xf32>
  return %v, %s : f32, tensor<2xf32>
}

// CHECK-LABEL: func @insert
//       CHECK:   %[[IN:.+]] = arith.cmpi ult, %{{.+}}, %{{.+}} : index
//       CHECK:   cf.assert %[[IN]]
//       CHECK:   tensor.insert
func.func @insert(%x: tensor<5xf32>, %v: f32, %i: index) -> tensor<5xf32> {
  %y = tensor.insert %v into %x[%i] : tensor<5xf32>
  return %y : tensor<5xf32>
}

// A slice with elements has its first inside, and its last: size - 1 is at most (n - 1 - offset) / stride. Without any,
// its offset may be the end.

// CHECK-LABEL: func @slice
//  CHECK-SAME:   (%[[X:.+]]: tensor<9xf32>, %[[O:.+]]: index, %[[N:.+]]: index)
//       CHECK:   %[[FAR:.+]] = arith.subi %{{.+}}, %[[O]]
//       CHECK:   %[[ROOM:.+]] = arith.divui %[[FAR]], %{{.+}}
//       CHECK:   %[[FIRST:.+]] = arith.cmpi ult, %[[O]], %{{.+}}
//       CHECK:   %[[MORE:.+]] = arith.subi %[[N]], %{{.+}}
//       CHECK:   %[[LAST:.+]] = arith.cmpi ule, %[[MORE]], %[[ROOM]]
//       CHECK:   arith.andi %[[FIRST]], %[[LAST]]
//       CHECK:   %[[NONE:.+]] = arith.cmpi eq, %[[N]], %{{.+}}
//       CHECK:   %[[END:.+]] = arith.cmpi ule, %[[O]], %{{.+}}
//       CHECK:   arith.andi %[[NONE]], %[[END]]
//       CHECK:   cf.assert %{{.+}}, "indices.mlir:[[# @LINE + 3]]:8: a slice is outside of the tensor"
//       CHECK:   tensor.extract_slice
func.func @slice(%x: tensor<9xf32>, %o: index, %n: index) -> tensor<?xf32> {
  %s = tensor.extract_slice %x[%o] [%n] [2] : tensor<9xf32> to tensor<?xf32>
  return %s : tensor<?xf32>
}

// What is put into a slice has its size.

// CHECK-LABEL: func @put
//  CHECK-SAME:   (%[[X:.+]]: tensor<9xf32>, %[[Y:.+]]: tensor<?xf32>, %[[N:.+]]: index)
//       CHECK:   %[[SIZE:.+]] = tensor.dim %[[Y]]
//       CHECK:   arith.cmpi eq, %[[SIZE]], %[[N]]
//       CHECK:   cf.assert
//       CHECK:   tensor.insert_slice
func.func @put(%x: tensor<9xf32>, %y: tensor<?xf32>, %n: index) -> tensor<9xf32> {
  %z = tensor.insert_slice %y into %x[1] [%n] [1] : tensor<?xf32> into tensor<9xf32>
  return %z : tensor<9xf32>
}

// A loop's turn whose ends are known is inside of what has as many, and not of what has one less.

// CHECK-LABEL: func.func @turns
// CHECK-NOT: cf.assert
// CHECK: return
func.func @turns(%x: tensor<7x4xf32>, %y: tensor<7xf32>, %z: tensor<4xf32>) -> (tensor<4xf32>, f32) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  %f = arith.constant 0.0 : f32
  %r:2 = scf.for %t = %c1 to %c7 step %c2 iter_args(%v = %z, %w = %f) -> (tensor<4xf32>, f32) {
    %s = tensor.extract_slice %x[%t, 0] [2, 4] [1, 1] : tensor<7x4xf32> to tensor<2x4xf32>
    %a = tensor.collapse_shape %s [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %b = tensor.extract_slice %a[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %e = tensor.extract %y[%t] : tensor<7xf32>
    scf.yield %b, %e : tensor<4xf32>, f32
  }
  return %r#0, %r#1 : tensor<4xf32>, f32
}

// CHECK-LABEL: func.func @turns_outside
// CHECK: cf.assert %{{.*}}, "{{.*}}an index is outside of the tensor"
// CHECK: cf.assert %{{.*}}, "{{.*}}a slice is outside of the tensor"
func.func @turns_outside(%x: tensor<6x4xf32>, %y: tensor<5xf32>, %z: tensor<2x4xf32>) -> (tensor<2x4xf32>, f32) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  %f = arith.constant 0.0 : f32
  %r:2 = scf.for %t = %c1 to %c7 step %c2 iter_args(%v = %z, %w = %f) -> (tensor<2x4xf32>, f32) {
    %e = tensor.extract %y[%t] : tensor<5xf32>
    %s = tensor.extract_slice %x[%t, 0] [2, 4] [1, 1] : tensor<6x4xf32> to tensor<2x4xf32>
    scf.yield %s, %e : tensor<2x4xf32>, f32
  }
  return %r#0, %r#1 : tensor<2x4xf32>, f32
}
