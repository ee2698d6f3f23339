// RUN: sinter-opt --sinter-raise --split-input-file %s | FileCheck %s
// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-raise{remarks=true})' --split-input-file --verify-diagnostics %s -o /dev/null

// A bias is a row, a scale for each row a scalar until it meets a row.

// CHECK-LABEL: func @rows_and_scalars
//       CHECK:   sinter.rowwise (i = 8) by (j = 16)
//  CHECK-NEXT:     ins(%{{.+}}[i, j] : tensor<8x16xf32>, %{{.+}}[j] : tensor<16xf32>, %{{.+}}[i] : tensor<8xf32>)
//  CHECK-NEXT:     outs(%{{.+}}[i, j] : tensor<8x16xf32>)
//  CHECK-NEXT:   ^row(%[[X:.+]]: tensor<16xf32>, %[[B:.+]]: tensor<16xf32>, %[[S:.+]]: f32):
//  CHECK-NEXT:     %[[Q:.+]] = arith.mulf %[[S]], %[[S]] : f32
//  CHECK-NEXT:     %[[R:.+]] = sinter.broadcast %[[Q]]
//  CHECK-NEXT:     %[[M:.+]] = arith.mulf %[[X]], %[[R]] : tensor<16xf32>
//  CHECK-NEXT:     %[[Y:.+]] = arith.addf %[[M]], %[[B]] : tensor<16xf32>
//  CHECK-NEXT:     sinter.yield %[[Y]]
func.func @rows_and_scalars(%x: tensor<8x16xf32>, %b: tensor<16xf32>, %s: tensor<8xf32>) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b, %s : tensor<8x16xf32>, tensor<16xf32>, tensor<8xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%in: f32, %bias: f32, %scale: f32, %out: f32):
    %0 = arith.mulf %scale, %scale : f32
    %1 = arith.mulf %in, %0 : f32
    %2 = arith.addf %1, %bias : f32
    linalg.yield %2 : f32
  } -> tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}

// -----

// The position in a row dimension is a scalar, in the column a row.

// CHECK-LABEL: func @positions
//       CHECK:   sinter.index i : index
//       CHECK:   sinter.index j : tensor<16xindex>
//       CHECK:   arith.cmpi ule, %{{.+}}, %{{.+}} : tensor<16xindex>
func.func @positions() -> tensor<8x16xi1> {
  %e = tensor.empty() : tensor<8x16xi1>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<8x16xi1>) {
  ^bb0(%out: i1):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %0 = arith.cmpi ule, %j, %i : index
    linalg.yield %0 : i1
  } -> tensor<8x16xi1>
  return %y : tensor<8x16xi1>
}

// -----

// Rank 0 has neither rows nor columns; rank 1 is one row.

// CHECK-LABEL: func @small_ranks
//       CHECK:   sinter.rowwise () by ()
//       CHECK:   ^row(%{{.+}}: f32):
//       CHECK:   sinter.rowwise () by (i = 8)
//       CHECK:   ^row(%{{.+}}: tensor<8xf32>):
func.func @small_ranks(%s: tensor<f32>, %x: tensor<8xf32>) -> (tensor<f32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<f32>
  %f = tensor.empty() : tensor<8xf32>
  %0 = linalg.exp ins(%s : tensor<f32>) outs(%e : tensor<f32>) -> tensor<f32>
  %1 = linalg.exp ins(%x : tensor<8xf32>) outs(%f : tensor<8xf32>) -> tensor<8xf32>
  return %0, %1 : tensor<f32>, tensor<8xf32>
}

// -----

// A destination that the body reads is an input.

// CHECK-LABEL: func @reads_destination
//  CHECK-SAME:   %[[X:.+]]: tensor<8xf32>, %[[Y:.+]]: tensor<8xf32>
//       CHECK:   %[[E:.+]] = tensor.empty
//       CHECK:   ins(%[[X]][i] : tensor<8xf32>, %[[Y]][i] : tensor<8xf32>)
//  CHECK-NEXT:   outs(%[[E]][i]
func.func @reads_destination(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %z = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  return %z : tensor<8xf32>
}

// -----

// CHECK-LABEL: func @unwritten_destination
//       CHECK:   linalg.generic
func.func @unwritten_destination(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-remark @+1 {{its body reads a destination that nothing has written}}
  %z = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  return %z : tensor<8xf32>
}

// -----

// Reversed and strided subscripts stay what they are.

// CHECK-LABEL: func @strided
//       CHECK:   ins(%{{.+}}[7 - i, j * 2] : tensor<8x16xf32>)
func.func @strided(%x: tensor<8x16xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (7 - d0, d1 * 2)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// -----

// Of buffers nothing is raised.

// CHECK-LABEL: func @buffers
//       CHECK:   linalg.fill
func.func @buffers(%y: memref<3xf32>) {
  %z = arith.constant 0.0 : f32
  // expected-remark @+1 {{not a structured op on tensors}}
  linalg.fill ins(%z : f32) outs(%y : memref<3xf32>)
  return
}

// -----

// A row operation gives one value, so a sine with its cosine is two.

// CHECK-LABEL: func @both
//       CHECK:   ^row(%[[X:.+]]: tensor<5xf32>):
//   CHECK-DAG:     %[[S:.+]] = math.sin %[[X]]
//   CHECK-DAG:     %[[C:.+]] = math.cos %[[X]]
//       CHECK:     arith.mulf %[[S]], %[[C]]
func.func @both(%x: tensor<5xf32>) -> tensor<5xf32> {
  %e = tensor.empty() : tensor<5xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s, %c = math.sincos %in : f32
    %r = arith.mulf %s, %c : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  return %y : tensor<5xf32>
}

// -----

// What no gradient goes through stays so.

// CHECK-LABEL: func @detached
//       CHECK:   ^row(%[[X:.+]]: tensor<16xf32>):
//  CHECK-NEXT:     %[[D:.+]] = sinter.detach %[[X]] : tensor<16xf32>
//  CHECK-NEXT:     sinter.yield %[[D]]
func.func @detached(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %y = linalg.map { sinter.detach } ins(%x : tensor<8x16xf32>) outs(%x : tensor<8x16xf32>)
  return %y : tensor<8x16xf32>
}
