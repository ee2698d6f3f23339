// RUN: sinter-run %s --verify --threads=3 | FileCheck %s --implicit-check-not=differs
// RUN: sinter-opt --sinter-outline --sinter-lower-cpu --canonicalize --cse %s | FileCheck %s --check-prefix=LOOPS

// Heads that share keys are rows of one block. Where blocks do not cross from a head to the next, one that a mask by
// positions, or by heads, empties for all its rows is not made; where they do, all are.

// CHECK-COUNT-3: agrees
// LOOPS-LABEL: @main_kernel0_task(
// LOOPS-NOT:   to %c24 step %c8
// LOOPS:       @main_kernel1_task(
// LOOPS-NOT:   to %c24 step %c8
// LOOPS:       @main_kernel2_task(
// LOOPS:       to %c24 step %c8

func.func @main(%q8: tensor<2x3x8x8xf32>, %q6: tensor<2x3x6x8xf32>, %k: tensor<2x24x8xf32>, %v: tensor<2x24x5xf32>)
    -> (tensor<2x3x8x5xf32>, tensor<2x3x8x5xf32>, tensor<2x3x6x5xf32>) {
  %e8 = tensor.empty() : tensor<2x3x8x5xf32>
  %e6 = tensor.empty() : tensor<2x3x6x5xf32>
  %later = sinter.contract (h = 2, g = 3, i = 8) by (j = 24) by (e = 5)
      product (d = 8) (%q8[h, g, i, d] : tensor<2x3x8x8xf32>, %k[h, j, d] : tensor<2x24x8xf32>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<2x24x5xf32>)
      outs(%e8[h, g, i, e] : tensor<2x3x8x5xf32>)
      schedule(#sinter.brgemm<m = 4, n = 4, k = 6, lanes = 4, stream = 8, tasks = 3>) {
  ^row(%s: tensor<24xf32>, %m: tensor<24x5xf32>):
    %i = sinter.index i : index
    %ib = sinter.broadcast %i : index -> tensor<24xindex>
    %j = sinter.index j : tensor<24xindex>
    %no = arith.constant dense<0xFF800000> : tensor<24xf32>
    %c = arith.cmpi sgt, %j, %ib : tensor<24xindex>
    %x = arith.select %c, %no, %s : tensor<24xi1>, tensor<24xf32>
    %mx = sinter.row_reduce maximumf %x : tensor<24xf32> -> f32
    %mb = sinter.broadcast %mx : f32 -> tensor<24xf32>
    %d = arith.subf %x, %mb : tensor<24xf32>
    %p = math.exp %d : tensor<24xf32>
    %z = sinter.row_reduce add %p : tensor<24xf32> -> f32
    %one = arith.constant 1.0 : f32
    %r = arith.divf %one, %z : f32
    %rb = sinter.broadcast %r : f32 -> tensor<24xf32>
    %w = arith.mulf %p, %rb : tensor<24xf32>
    %o = sinter.row_product %w, %m : tensor<24xf32>, tensor<24x5xf32> -> tensor<5xf32>
    sinter.yield %o : tensor<5xf32>
  }
  %heads = sinter.contract (h = 2, g = 3, i = 8) by (j = 24) by (e = 5)
      product (d = 8) (%q8[h, g, i, d] : tensor<2x3x8x8xf32>, %k[h, j, d] : tensor<2x24x8xf32>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<2x24x5xf32>)
      outs(%e8[h, g, i, e] : tensor<2x3x8x5xf32>)
      schedule(#sinter.brgemm<m = 4, n = 4, k = 6, lanes = 4, stream = 8, tasks = 3>) {
  ^row(%s: tensor<24xf32>, %m: tensor<24x5xf32>):
    %i = sinter.index g : index
    %ib = sinter.broadcast %i : index -> tensor<24xindex>
    %j = sinter.index j : tensor<24xindex>
    %no = arith.constant dense<0xFF800000> : tensor<24xf32>
    %c = arith.cmpi sgt, %j, %ib : tensor<24xindex>
    %x = arith.select %c, %no, %s : tensor<24xi1>, tensor<24xf32>
    %mx = sinter.row_reduce maximumf %x : tensor<24xf32> -> f32
    %mb = sinter.broadcast %mx : f32 -> tensor<24xf32>
    %d = arith.subf %x, %mb : tensor<24xf32>
    %p = math.exp %d : tensor<24xf32>
    %z = sinter.row_reduce add %p : tensor<24xf32> -> f32
    %one = arith.constant 1.0 : f32
    %r = arith.divf %one, %z : f32
    %rb = sinter.broadcast %r : f32 -> tensor<24xf32>
    %w = arith.mulf %p, %rb : tensor<24xf32>
    %o = sinter.row_product %w, %m : tensor<24xf32>, tensor<24x5xf32> -> tensor<5xf32>
    sinter.yield %o : tensor<5xf32>
  }
  %crossing = sinter.contract (h = 2, g = 3, i = 6) by (j = 24) by (e = 5)
      product (d = 8) (%q6[h, g, i, d] : tensor<2x3x6x8xf32>, %k[h, j, d] : tensor<2x24x8xf32>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<2x24x5xf32>)
      outs(%e6[h, g, i, e] : tensor<2x3x6x5xf32>)
      schedule(#sinter.brgemm<m = 4, n = 4, k = 6, lanes = 4, stream = 8, tasks = 3>) {
  ^row(%s: tensor<24xf32>, %m: tensor<24x5xf32>):
    %i = sinter.index i : index
    %ib = sinter.broadcast %i : index -> tensor<24xindex>
    %j = sinter.index j : tensor<24xindex>
    %no = arith.constant dense<0xFF800000> : tensor<24xf32>
    %c = arith.cmpi sgt, %j, %ib : tensor<24xindex>
    %x = arith.select %c, %no, %s : tensor<24xi1>, tensor<24xf32>
    %mx = sinter.row_reduce maximumf %x : tensor<24xf32> -> f32
    %mb = sinter.broadcast %mx : f32 -> tensor<24xf32>
    %d = arith.subf %x, %mb : tensor<24xf32>
    %p = math.exp %d : tensor<24xf32>
    %z = sinter.row_reduce add %p : tensor<24xf32> -> f32
    %one = arith.constant 1.0 : f32
    %r = arith.divf %one, %z : f32
    %rb = sinter.broadcast %r : f32 -> tensor<24xf32>
    %w = arith.mulf %p, %rb : tensor<24xf32>
    %o = sinter.row_product %w, %m : tensor<24xf32>, tensor<24x5xf32> -> tensor<5xf32>
    sinter.yield %o : tensor<5xf32>
  }
  return %later, %heads, %crossing : tensor<2x3x8x5xf32>, tensor<2x3x8x5xf32>, tensor<2x3x6x5xf32>
}
