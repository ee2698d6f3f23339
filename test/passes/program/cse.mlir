// RUN: sinter-opt --sinter-cse --split-input-file %s | FileCheck %s

// One operation for each value: what a region does counts, and what it takes from outside.

// CHECK-LABEL: func @regions
//       CHECK:   %[[E:.+]] = tensor.empty() : tensor<4xf32>
//   CHECK-NOT:   tensor.empty
//       CHECK:   %[[A:.+]] = linalg.generic {{.*}} outs(%[[E]]
//       CHECK:     arith.mulf %{{.+}}, %arg1
//       CHECK:   %[[B:.+]] = linalg.generic {{.*}} outs(%[[E]]
//       CHECK:     arith.mulf %{{.+}}, %arg2
//   CHECK-NOT:   linalg.generic
//       CHECK:   return %[[A]], %[[B]], %[[A]]
#id = affine_map<(i) -> (i)>
func.func @regions(%x: tensor<4xf32>, %c: f32, %d: f32) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %e0 = tensor.empty() : tensor<4xf32>
  %e1 = tensor.empty() : tensor<4xf32>
  %e2 = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e0 : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.mulf %a, %c : f32
    linalg.yield %m : f32
  } -> tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e1 : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.mulf %a, %d : f32
    linalg.yield %m : f32
  } -> tensor<4xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e2 : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.mulf %a, %c : f32
    linalg.yield %m : f32
  } -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// What stands around an operation is known in its regions; what one region makes is not known in another.

// CHECK-LABEL: func @nested
//       CHECK:   %[[S:.+]] = arith.addf %arg0, %arg0
//       CHECK:   scf.if
//  CHECK-NEXT:     %[[M:.+]] = arith.mulf %[[S]], %arg0
//  CHECK-NEXT:     scf.yield %[[M]]
//       CHECK:   else
//  CHECK-NEXT:     %[[N:.+]] = arith.mulf %[[S]], %arg0
//  CHECK-NEXT:     %[[P:.+]] = arith.addf %[[N]], %[[N]]
//  CHECK-NEXT:     scf.yield %[[P]]
//       CHECK:   arith.mulf %[[S]], %arg0
func.func @nested(%x: f32, %c: i1) -> (f32, f32) {
  %s = arith.addf %x, %x : f32
  %unused = arith.subf %x, %x : f32
  %r = scf.if %c -> f32 {
    %t = arith.addf %x, %x : f32
    %m = arith.mulf %t, %x : f32
    scf.yield %m : f32
  } else {
    %t = arith.addf %x, %x : f32
    %m = arith.mulf %t, %x : f32
    %n = arith.mulf %s, %x : f32
    %p = arith.addf %m, %n : f32
    scf.yield %p : f32
  }
  %m = arith.mulf %s, %x : f32
  return %r, %m : f32, f32
}

// -----

// What writes or calls stays, and so does what another block has.

// CHECK-LABEL: func @effects
// CHECK-COUNT-2: call @f
//       CHECK:   cf.cond_br
//       CHECK:   arith.addf
//       CHECK:   arith.addf
func.func private @f(f32) -> f32
func.func @effects(%x: f32, %c: i1) -> f32 {
  %a = call @f(%x) : (f32) -> f32
  %b = call @f(%x) : (f32) -> f32
  cf.cond_br %c, ^one, ^two
^one:
  %s = arith.addf %a, %b : f32
  return %s : f32
^two:
  %t = arith.addf %a, %b : f32
  return %t : f32
}

// -----

// A form's body sees nothing from outside: its constant stays its own.

// CHECK-LABEL: func @isolated
//       CHECK:   arith.constant 2.0
//       CHECK:   sinter.rowwise
//       CHECK:     arith.constant 2.0
func.func @isolated(%x: tensor<4x5xf32>, %e: tensor<4x5xf32>) -> (tensor<4x5xf32>, f32) {
  %two = arith.constant 2.0 : f32
  %y = sinter.rowwise (i = 4) by (j = 5) ins(%x[i, j] : tensor<4x5xf32>) outs(%e[i, j] : tensor<4x5xf32>) {
  ^row(%a: tensor<5xf32>):
    %c = arith.constant 2.0 : f32
    %b = sinter.broadcast %c : f32 -> tensor<5xf32>
    %m = arith.mulf %a, %b : tensor<5xf32>
    sinter.yield %m : tensor<5xf32>
  }
  return %y, %two : tensor<4x5xf32>, f32
}
