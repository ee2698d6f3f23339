// RUN: sinter-opt --sinter-guard %s | FileCheck %s

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// A label that is ignored may be outside: it is not read.

// CHECK-LABEL: func @label
//       CHECK:   %[[I:.+]] = linalg.index 0
//       CHECK:   %[[IN0:.+]] = arith.cmpi ult, %[[I]], %{{.+}} : index
//       CHECK:   %[[IN1:.+]] = arith.cmpi ult, %[[T:.+]], %{{.+}} : index
//       CHECK:   %[[IN:.+]] = arith.andi %[[IN0]], %[[IN1]]
//       CHECK:   %[[V:.+]] = scf.if %[[IN]] -> (f32) {
//  CHECK-NEXT:     %[[X:.+]] = tensor.extract %{{.+}}[%[[I]], %[[T]]] : tensor<4x9xf32>
//  CHECK-NEXT:     scf.yield %[[X]]
//  CHECK-NEXT:   } else {
//       CHECK:   linalg.yield %[[V]]
func.func @label(%x: tensor<4x9xf32>, %t: tensor<4xi64>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%t : tensor<4xi64>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: i64, %out: f32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %a : i64 to index
    %v = tensor.extract %x[%i, %k] : tensor<4x9xf32>
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// A size `?` is asked for.

// CHECK-LABEL: func @dynamic
//       CHECK:   %[[N:.+]] = tensor.dim %{{.+}}, %{{.+}} : tensor<?xf32>
//       CHECK:   arith.cmpi ult, %{{.+}}, %[[N]]
//       CHECK:   scf.if
func.func @dynamic(%x: tensor<?xf32>, %t: tensor<4xi64>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%t : tensor<4xi64>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: i64, %out: f32):
    %k = arith.index_cast %a : i64 to index
    %v = tensor.extract %x[%k] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// A flip stays inside, whatever the loops do.

// CHECK-LABEL: func @flip
//   CHECK-NOT:   scf.if
//       CHECK:   tensor.extract
func.func @flip(%x: tensor<4x9xf32>) -> tensor<4x9xf32> {
  %c8 = arith.constant 8 : index
  %e = tensor.empty() : tensor<4x9xf32>
  %y = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x9xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.subi %c8, %j : index
    %v = tensor.extract %x[%i, %k] : tensor<4x9xf32>
    linalg.yield %v : f32
  } -> tensor<4x9xf32>
  return %y : tensor<4x9xf32>
}

// What the program guards itself is left alone.

// CHECK-LABEL: func @guarded
//       CHECK:   scf.if
//   CHECK-NOT:   scf.if
func.func @guarded(%x: tensor<9xf32>, %t: tensor<4xi64>, %m: tensor<4xi1>) -> tensor<4xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%t, %m : tensor<4xi64>, tensor<4xi1>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: i64, %b: i1, %out: f32):
    %k = arith.index_cast %a : i64 to index
    %v = scf.if %b -> f32 {
      %u = tensor.extract %x[%k] : tensor<9xf32>
      scf.yield %u : f32
    } else {
      scf.yield %z : f32
    }
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}
