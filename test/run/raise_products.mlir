// RUN: sinter-run %s --verify --threads=1 --output=%t1.npy | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --threads=3 --output=%t3.npy
// RUN: cmp %t1.npy %t3.npy

// Products of other types and of other ranks, as reductions where they are none of sinter.contract's.

// CHECK-COUNT-13: of main agrees

module {
func.func @main(%x: tensor<7x9xf32>, %w: tensor<9x5xf32>, %v: tensor<9xf32>, %u: tensor<7xf32>, %bx: tensor<3x7x9xf32>, %bw: tensor<3x9x5xf32>,
     %x8: tensor<7x9xi8>, %w8: tensor<9x5xi8>, %xh: tensor<7x9xf16>, %wh: tensor<9x5xf16>, %z: tensor<5xf32>)
    -> (tensor<5xf32>, tensor<f32>, tensor<3x7xf32>, tensor<3x7x5xf32>, tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xf16>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<3x7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x3x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %zeroh = arith.constant 0.0 : f16
  %z8 = arith.constant 3 : i32
  %z9 = arith.constant -2 : i32
  %i5 = arith.constant dense<0.0> : tensor<5xf32>
  %i0 = arith.constant dense<0.0> : tensor<f32>
  %i37 = arith.constant dense<0.0> : tensor<3x7xf32>
  %i375 = arith.constant dense<0.0> : tensor<3x7x5xf32>
  %i75i = arith.constant dense<0> : tensor<7x5xi32>
  %i75h = arith.constant dense<0.0> : tensor<7x5xf16>
  %i75 = arith.constant dense<0.0> : tensor<7x5xf32>
  %i735 = arith.constant dense<0.0> : tensor<7x3x5xf32>
  %r0 = linalg.vecmat ins(%v, %w : tensor<9xf32>, tensor<9x5xf32>) outs(%i5 : tensor<5xf32>) -> tensor<5xf32>
  %r1 = linalg.dot ins(%v, %v : tensor<9xf32>, tensor<9xf32>) outs(%i0 : tensor<f32>) -> tensor<f32>
  %e = tensor.empty() : tensor<3x9xf32>
  %bv = linalg.broadcast ins(%v : tensor<9xf32>) outs(%e : tensor<3x9xf32>) dimensions = [0]
  %r2 = linalg.batch_matvec ins(%bx, %bv : tensor<3x7x9xf32>, tensor<3x9xf32>) outs(%i37 : tensor<3x7xf32>) -> tensor<3x7xf32>
  %r3 = linalg.batch_matmul indexing_maps = [affine_map<(b, m, n, k) -> (m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>] ins(%x, %bw : tensor<7x9xf32>, tensor<3x9x5xf32>) outs(%i375 : tensor<3x7x5xf32>) -> tensor<3x7x5xf32>
  %r4 = linalg.quantized_matmul ins(%x8, %w8, %z8, %z9 : tensor<7x9xi8>, tensor<9x5xi8>, i32, i32) outs(%i75i : tensor<7x5xi32>) -> tensor<7x5xi32>
  %r5 = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%x8, %w8 : tensor<7x9xi8>, tensor<9x5xi8>) outs(%i75i : tensor<7x5xi32>) -> tensor<7x5xi32>
  %r6 = linalg.matmul ins(%xh, %wh : tensor<7x9xf16>, tensor<9x5xf16>) outs(%i75h : tensor<7x5xf16>) -> tensor<7x5xf16>
  %r7 = linalg.matmul ins(%xh, %w : tensor<7x9xf16>, tensor<9x5xf32>) outs(%i75 : tensor<7x5xf32>) -> tensor<7x5xf32>
  %r8 = linalg.matmul ins(%x8, %w : tensor<7x9xi8>, tensor<9x5xf32>) outs(%i75 : tensor<7x5xf32>) -> tensor<7x5xf32>
  %r9 = linalg.contract indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>] ins(%bx, %w : tensor<3x7x9xf32>, tensor<9x5xf32>) outs(%i375 : tensor<3x7x5xf32>) -> tensor<3x7x5xf32>
  %r10 = linalg.batch_reduce_matmul ins(%bx, %bw : tensor<3x7x9xf32>, tensor<3x9x5xf32>) outs(%i75 : tensor<7x5xf32>) -> tensor<7x5xf32>
  // Three factors.
  %r11 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %v, %w : tensor<7x9xf32>, tensor<9xf32>, tensor<9x5xf32>) outs(%i75 : tensor<7x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.mulf %0, %c : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<7x5xf32>
  // A batch in the middle of the result.
  %r12 = linalg.generic {indexing_maps = [affine_map<(m, b, n, k) -> (b, m, k)>, affine_map<(m, b, n, k) -> (b, k, n)>, affine_map<(m, b, n, k) -> (m, b, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%bx, %bw : tensor<3x7x9xf32>, tensor<3x9x5xf32>) outs(%i735 : tensor<7x3x5xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %2 = arith.addf %o, %0 : f32
    linalg.yield %2 : f32
  } -> tensor<7x3x5xf32>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12 : tensor<5xf32>, tensor<f32>, tensor<3x7xf32>, tensor<3x7x5xf32>, tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xf16>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<3x7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x3x5xf32>
}
}
