// RUN: sinter-opt --sinter-control %s | FileCheck %s

// Loops and branches of affine become scf's, where tensors become memory.

// CHECK-LABEL: func @loop
//       CHECK:   scf.for {{.*}} iter_args(%[[T:.+]] = %{{.+}}) -> (tensor<4xf32>) {
//       CHECK:     scf.yield
//   CHECK-NOT:   affine.for
func.func @loop(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = affine.for %i = 0 to 3 iter_args(%t = %x) -> (tensor<4xf32>) {
    %n = arith.addf %t, %x : tensor<4xf32>
    affine.yield %n : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func @branch
//       CHECK:   scf.if
//   CHECK-NOT:   affine.if
func.func @branch(%x: tensor<4xf32>, %y: tensor<4xf32>, %i: index) -> tensor<4xf32> {
  %z = affine.if affine_set<(d) : (d - 3 >= 0)>(%i) -> tensor<4xf32> {
    affine.yield %x : tensor<4xf32>
  } else {
    affine.yield %y : tensor<4xf32>
  }
  return %z : tensor<4xf32>
}

// What reads and writes memory at dimensions of such loops does so at positions of scf's.

// CHECK-LABEL: func @memory
//       CHECK:   scf.for %[[I:.+]] = %{{.+}} to
//       CHECK:     tensor.extract %{{.+}}[%[[I]]]
//       CHECK:     %[[N:.+]] = arith.muli %[[I]], %{{.+}}
//       CHECK:     %[[J:.+]] = arith.addi %[[N]], %{{.+}}
//       CHECK:     memref.load %{{.+}}[%[[J]]]
//       CHECK:     memref.store %{{.+}}, %{{.+}}[%[[I]]]
//   CHECK-NOT:   affine
func.func @memory(%x: tensor<5xf32>, %m: memref<5xf32>) {
  affine.for %i = 0 to 5 {
    %e = tensor.extract %x[%i] : tensor<5xf32>
    %g = affine.load %m[4 - %i] : memref<5xf32>
    %f = arith.addf %e, %g : f32
    affine.store %f, %m[%i] : memref<5xf32>
  }
  return
}

// A switch of tensors is a branch for each case, the last one else; one of numbers stays.

// CHECK-LABEL: func @switch
//       CHECK:   %[[A:.+]] = arith.cmpi eq, %[[I:.+]], %{{.+}} : index
//       CHECK:   %[[R:.+]]:2 = scf.if %[[A]] -> (tensor<4xf32>, index) {
//  CHECK-NEXT:     scf.yield %[[X:.+]], %{{.+}}
//  CHECK-NEXT:   } else {
//       CHECK:     %[[B:.+]] = arith.cmpi eq, %[[I]], %{{.+}} : index
//       CHECK:     %[[S:.+]]:2 = scf.if %[[B]]
//  CHECK-NEXT:       scf.yield %[[Y:.+]], %{{.+}}
//  CHECK-NEXT:     } else {
//  CHECK-NEXT:       scf.yield %[[X]], %{{.+}}
//       CHECK:     scf.yield %[[S]]#0, %[[S]]#1
//       CHECK:   scf.index_switch
//       CHECK:   return %[[R]]#0, %[[R]]#1
func.func @switch(%x: tensor<4xf32>, %y: tensor<4xf32>, %i: index) -> (tensor<4xf32>, index, index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r, %s = scf.index_switch %i -> tensor<4xf32>, index
  case 3 {
    scf.yield %x, %c1 : tensor<4xf32>, index
  }
  case -1 {
    scf.yield %y, %c2 : tensor<4xf32>, index
  }
  default {
    scf.yield %x, %i : tensor<4xf32>, index
  }
  %t = scf.index_switch %i -> index
  case 3 {
    scf.yield %c1 : index
  }
  default {
    scf.yield %i : index
  }
  return %r, %s, %t : tensor<4xf32>, index, index
}

// A switch without cases is what it is otherwise.

// CHECK-LABEL: func @no_case
//       CHECK:   scf.execute_region
func.func @no_case(%x: tensor<4xf32>, %i: index) -> tensor<4xf32> {
  %r = scf.index_switch %i -> tensor<4xf32>
  default {
    scf.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// Sizes that one type knows and the other does not.

// CHECK-LABEL: func @bits
//       CHECK:   %[[B:.+]] = arith.bitcast %{{.+}} : tensor<4xf32> to tensor<4xi32>
//       CHECK:   tensor.cast %[[B]] : tensor<4xi32> to tensor<?xi32>
func.func @bits(%x: tensor<4xf32>) -> tensor<?xi32> {
  %y = tensor.bitcast %x : tensor<4xf32> to tensor<?xi32>
  return %y : tensor<?xi32>
}

// arith has no integers with signs.

// CHECK-LABEL: func @signed
//       CHECK:   tensor.bitcast
func.func @signed(%x: tensor<4xi32>) -> tensor<4xui32> {
  %y = tensor.bitcast %x : tensor<4xi32> to tensor<4xui32>
  return %y : tensor<4xui32>
}

// What says positions stays as it is.

// CHECK-LABEL: func @position
//       CHECK:   affine.apply
func.func @position(%i: index) -> index {
  %j = affine.apply affine_map<(d) -> (d * 2)>(%i)
  return %j : index
}
