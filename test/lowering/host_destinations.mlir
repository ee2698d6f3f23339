// RUN: sinter-opt --sinter-destinations --split-input-file %s | FileCheck %s

// Each operation writes a place of its own, filled again where what was there counts.

// CHECK-LABEL: func @shared
//       CHECK:   %[[Z:.+]] = arith.constant 0.0
//  CHECK-NEXT:   %[[E0:.+]] = tensor.empty() : tensor<4x4xf32>
//  CHECK-NEXT:   %[[E1:.+]] = tensor.empty() : tensor<4x4xf32>
//  CHECK-NEXT:   %[[F1:.+]] = linalg.fill ins(%[[Z]] : f32) outs(%[[E1]] : tensor<4x4xf32>)
//  CHECK-NEXT:   %[[E2:.+]] = tensor.empty() : tensor<4x4xf32>
//  CHECK-NEXT:   %[[F2:.+]] = linalg.fill ins(%[[Z]] : f32) outs(%[[E2]] : tensor<4x4xf32>)
//  CHECK-NEXT:   %[[A:.+]] = linalg.matmul {{.+}} outs(%[[F2]] : tensor<4x4xf32>)
//  CHECK-NEXT:   linalg.transpose ins(%[[A]] : tensor<4x4xf32>) outs(%[[E0]] : tensor<4x4xf32>)
//  CHECK-NEXT:   linalg.matmul {{.+}} outs(%[[F1]] : tensor<4x4xf32>)
//  CHECK-NEXT:   return
func.func @shared(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %f0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %z = linalg.fill ins(%f0 : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  %t = linalg.transpose ins(%a : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  %b = linalg.matmul ins(%t, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %a, %b : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// What is computed is not computed again, and what only one writes stays where it is.

// CHECK-LABEL: func @once
//       CHECK:   tensor.empty
//   CHECK-NOT:   tensor.empty
//       CHECK:   %[[C:.+]] = linalg.matmul {{.+}} outs(%[[X:.+]] : tensor<4x4xf32>)
//  CHECK-NEXT:   %[[D:.+]] = linalg.matmul {{.+}} outs(%[[C]] : tensor<4x4xf32>)
//  CHECK-NEXT:   linalg.matmul {{.+}} outs(%[[C]] : tensor<4x4xf32>)
func.func @once(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %e = tensor.empty() : tensor<4x4xf32>
  %t = linalg.transpose ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  %c = linalg.matmul ins(%x, %t : tensor<4x4xf32>, tensor<4x4xf32>) outs(%x : tensor<4x4xf32>) -> tensor<4x4xf32>
  %d = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  %f = linalg.matmul ins(%t, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %d, %f : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// What is filled and not read is not filled again.

// CHECK-LABEL: func @not_read
//       CHECK:   linalg.fill
//   CHECK-NOT:   linalg.fill
//       CHECK:   %[[E:.+]] = tensor.empty()
//  CHECK-NEXT:   linalg.transpose {{.+}} outs(%[[E]] : tensor<4x4xf32>)
//   CHECK-NOT:   linalg.fill
//       CHECK:   return
func.func @not_read(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %f0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %z = linalg.fill ins(%f0 : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %t = linalg.transpose ins(%x : tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) permutation = [1, 0]
  %a = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %t, %a : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// What many read, each reads alone.

// CHECK-LABEL: func @many_readers
//  CHECK-SAME:   %[[X:.+]]: tensor<4x4xf32>
//       CHECK:   %[[M:.+]] = bufferization.to_buffer %[[X]] read_only
//       CHECK:   %[[X1:.+]] = bufferization.to_tensor %[[M]] restrict : memref<4x4xf32> to tensor<4x4xf32>
//  CHECK-NEXT:   %[[X0:.+]] = bufferization.to_tensor %[[M]] restrict : memref<4x4xf32> to tensor<4x4xf32>
//  CHECK-NEXT:   linalg.add ins(%[[X0]], %[[X1]] : tensor<4x4xf32>, tensor<4x4xf32>)
//       CHECK:   return
func.func @many_readers(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e0 = tensor.empty() : tensor<4x4xf32>
  %e1 = tensor.empty() : tensor<4x4xf32>
  %e2 = tensor.empty() : tensor<4x4xf32>
  %e3 = tensor.empty() : tensor<4x4xf32>
  %e4 = tensor.empty() : tensor<4x4xf32>
  %e5 = tensor.empty() : tensor<4x4xf32>
  %e6 = tensor.empty() : tensor<4x4xf32>
  %e7 = tensor.empty() : tensor<4x4xf32>
  %e8 = tensor.empty() : tensor<4x4xf32>
  %a0 = linalg.add ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e0 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a1 = linalg.add ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e1 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a2 = linalg.add ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e2 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a3 = linalg.add ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e3 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a4 = linalg.add ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e4 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a5 = linalg.add ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e5 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a6 = linalg.add ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e6 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a7 = linalg.add ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e7 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a8 = linalg.add ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e8 : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %a8 : tensor<4x4xf32>
}

// -----

// What is returned, too, or written, is known to all.

// CHECK-LABEL: func @returned
//   CHECK-NOT:   bufferization
//       CHECK:   return
func.func @returned(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e0 = tensor.empty() : tensor<4x4xf32>
  %e1 = tensor.empty() : tensor<4x4xf32>
  %e2 = tensor.empty() : tensor<4x4xf32>
  %e3 = tensor.empty() : tensor<4x4xf32>
  %e4 = tensor.empty() : tensor<4x4xf32>
  %e5 = tensor.empty() : tensor<4x4xf32>
  %e6 = tensor.empty() : tensor<4x4xf32>
  %e7 = tensor.empty() : tensor<4x4xf32>
  %e8 = tensor.empty() : tensor<4x4xf32>
  %a0 = linalg.add ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e0 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a1 = linalg.add ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e1 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a2 = linalg.add ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e2 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a3 = linalg.add ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e3 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a4 = linalg.add ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e4 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a5 = linalg.add ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e5 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a6 = linalg.add ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e6 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a7 = linalg.add ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e7 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a8 = linalg.add ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e8 : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %x : tensor<4x4xf32>
}

// -----

// CHECK-LABEL: func @written
//   CHECK-NOT:   bufferization
//       CHECK:   return
func.func @written(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %e0 = tensor.empty() : tensor<4x4xf32>
  %e1 = tensor.empty() : tensor<4x4xf32>
  %e2 = tensor.empty() : tensor<4x4xf32>
  %e3 = tensor.empty() : tensor<4x4xf32>
  %e4 = tensor.empty() : tensor<4x4xf32>
  %e5 = tensor.empty() : tensor<4x4xf32>
  %e6 = tensor.empty() : tensor<4x4xf32>
  %e7 = tensor.empty() : tensor<4x4xf32>
  %e8 = tensor.empty() : tensor<4x4xf32>
  %a0 = linalg.add ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e0 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a1 = linalg.add ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e1 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a2 = linalg.add ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e2 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a3 = linalg.add ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e3 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a4 = linalg.add ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e4 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a5 = linalg.add ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e5 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a6 = linalg.add ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e6 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a7 = linalg.add ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e7 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a8 = linalg.add ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e8 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = linalg.matmul ins(%e0, %e1 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%x : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y, %a8 : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// linalg.index gives a number of its own.

// CHECK-LABEL: func @index
//       CHECK:   linalg.index 0
func.func @index() -> tensor<4xindex> {
  %e = tensor.empty() : tensor<4xindex>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%e : tensor<4xindex>) {
  ^bb0(%o: index):
    %i = linalg.index 0 : index
    linalg.yield %i : index
  } -> tensor<4xindex>
  return %y : tensor<4xindex>
}

// -----

// What is handed on beside what is written where it lies is copied first: scf.condition may hand on more than the loop
// began with, and a branch gives one of two places.

// CHECK-LABEL: func @before
//       CHECK:   scf.while (%[[P:.+]] = %{{.+}}, %{{.+}} = %{{.+}})
//       CHECK:     %[[R:.+]] = arith.muli
//       CHECK:     %[[C:.+]] = bufferization.alloc_tensor() copy(%[[P]])
//       CHECK:     %[[M:.+]] = bufferization.materialize_in_destination %[[R]] in %[[P]]
//       CHECK:     scf.condition(%{{.+}}) %[[M]], %[[C]]
//   CHECK-NOT:     alloc_tensor
func.func @before(%x: tensor<4xi32>, %n: index) -> (tensor<4xi32>, tensor<4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a, %b, %k = scf.while (%p = %x, %i = %c0) : (tensor<4xi32>, index) -> (tensor<4xi32>, tensor<4xi32>, index) {
    %more = arith.cmpi slt, %i, %n : index
    %r = arith.muli %p, %p : tensor<4xi32>
    scf.condition(%more) %r, %p, %i : tensor<4xi32>, tensor<4xi32>, index
  } do {
  ^bb0(%p: tensor<4xi32>, %q: tensor<4xi32>, %i: index):
    %j = arith.addi %i, %c1 : index
    %s = arith.addi %p, %q : tensor<4xi32>
    scf.yield %s, %j : tensor<4xi32>, index
  }
  return %a, %b : tensor<4xi32>, tensor<4xi32>
}

// -----

// CHECK-LABEL: func @either
//       CHECK:   scf.for {{.*}} iter_args(%[[P:.+]] = %{{.+}}, %[[Q:.+]] = %{{.+}})
//       CHECK:     %[[S:.+]] = arith.addi
//       CHECK:     %[[R:.+]] = scf.if
//       CHECK:     %[[C:.+]] = bufferization.alloc_tensor() copy(%[[R]])
//       CHECK:     materialize_in_destination %[[S]] in %[[P]]
//       CHECK:     materialize_in_destination %[[C]] in %[[Q]]
func.func @either(%x: tensor<4xi32>, %y: tensor<4xi32>, %n: index, %c: i1) -> (tensor<4xi32>, tensor<4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a, %b = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x, %q = %y) -> (tensor<4xi32>, tensor<4xi32>) {
    %s = arith.addi %p, %q : tensor<4xi32>
    %r = scf.if %c -> tensor<4xi32> {
      scf.yield %p : tensor<4xi32>
    } else {
      scf.yield %q : tensor<4xi32>
    }
    scf.yield %s, %r : tensor<4xi32>, tensor<4xi32>
  }
  return %a, %b : tensor<4xi32>, tensor<4xi32>
}
