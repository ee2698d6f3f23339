// RUN: sinter-opt --sinter-lower-gpu --canonicalize --cse --split-input-file --verify-diagnostics %s | FileCheck %s

// Two warps with 16 rows each. Rows of q come once, k and v block by block: the next ones are on their way while these
// are multiplied. What is multiplied again never leaves registers: pairs of exponentials are packed into the words that
// the second product takes, v's fragments are turned by ldmatrix. A thread has 16 sums of two rows, 4 others share
// them; reductions go over these. Only results are stored.

// CHECK-LABEL: gpu.func @stays
//       CHECK:   cp.async.cg.shared.global
//       CHECK:   scf.for %{{.+}} = %c0 to %c96 step %c32 iter_args(
//       CHECK:     llvm.inline_asm has_side_effects "cp.async.wait_all;"
//  CHECK-NEXT:     gpu.barrier
//       CHECK:     scf.if
//       CHECK:       cp.async.cg.shared.global
//       CHECK:     ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-COUNT-8:   llvm.inline_asm "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
//       CHECK:     gpu.shuffle xor
//       CHECK:     arith.maximumf
//       CHECK:     nvvm.vote.sync any
//       CHECK:     llvm.nvvm.ex2.approx.ftz
//       CHECK:     arith.truncf %{{.+}} : vector<2xf32> to vector<2xbf16>
//       CHECK:     vector.bitcast %{{.+}} : vector<2xbf16> to vector<1xi32>
//       CHECK:     ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK-COUNT-8:   llvm.inline_asm "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
//   CHECK-NOT:     memref.store
//       CHECK:     scf.yield
//       CHECK:   gpu.shuffle xor
//       CHECK:   llvm.nvvm.div.full
//       CHECK:   vector.store %{{.+}} : memref<4x64x32xbf16>, vector<2xbf16>
//   CHECK-NOT:   memref.alloca
func.func private @stays(%q: memref<4x64x32xbf16>, %k: memref<4x96x32xbf16>, %v: memref<4x96x32xbf16>, %y: memref<4x64x32xbf16>) attributes {sinter.kernel} {
  sinter.contract (h = 4, i = 64) by (j = 96) by (e = 32)
      product (k = 32) (%q[h, i, k] : memref<4x64x32xbf16>, %k[h, j, k] : memref<4x96x32xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : memref<4x96x32xbf16>)
      outs(%y[h, i, e] : memref<4x64x32xbf16>) schedule(#sinter.mma<kernel = "mma.sync", m = 32, n = 32, threads = 64>) {
  ^row(%x: tensor<96xf32>, %m: tensor<96x32xbf16>):
    %max = sinter.row_reduce maximumf %x : tensor<96xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<96xf32>
    %less = arith.subf %x, %maxs : tensor<96xf32>
    %ex = math.exp %less : tensor<96xf32>
    %sum = sinter.row_reduce add %ex : tensor<96xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<96xf32>
    %w = arith.mulf %ex, %bys : tensor<96xf32>
    %r = arith.truncf %w : tensor<96xf32> to tensor<96xbf16>
    %u = sinter.row_product %r, %m : tensor<96xbf16>, tensor<96x32xbf16> -> tensor<32xf32>
    %z = arith.truncf %u : tensor<32xf32> to tensor<32xbf16>
    sinter.yield %z : tensor<32xbf16>
  }
  return
}

// -----

// Blocks of columns that the mask leaves nothing of are not made: up to the last row of the tile.

// CHECK-LABEL: gpu.func @causal
//       CHECK:   %[[END:.+]] = arith.minsi %{{.+}}, %c96
//       CHECK:   scf.for %{{.+}} = %c0 to %[[END]] step %c32
func.func private @causal(%q: memref<4x64x32xbf16>, %k: memref<4x96x32xbf16>, %v: memref<4x96x32xbf16>, %y: memref<4x64x32xbf16>) attributes {sinter.kernel} {
  sinter.contract (h = 4, i = 64) by (j = 96) by (e = 32)
      product (k = 32) (%q[h, i, k] : memref<4x64x32xbf16>, %k[h, j, k] : memref<4x96x32xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : memref<4x96x32xbf16>)
      outs(%y[h, i, e] : memref<4x64x32xbf16>) schedule(#sinter.mma<kernel = "mma.sync", m = 32, n = 32, threads = 64>) {
  ^row(%s: tensor<96xf32>, %m: tensor<96x32xbf16>):
    %none = arith.constant 0xFF800000 : f32
    %nones = sinter.broadcast %none : f32 -> tensor<96xf32>
    %i = sinter.index i : index
    %is = sinter.broadcast %i : index -> tensor<96xindex>
    %j = sinter.index j : tensor<96xindex>
    %later = arith.cmpi sgt, %j, %is : tensor<96xindex>
    %x = arith.select %later, %nones, %s : tensor<96xi1>, tensor<96xf32>
    %max = sinter.row_reduce maximumf %x : tensor<96xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<96xf32>
    %less = arith.subf %x, %maxs : tensor<96xf32>
    %ex = math.exp %less : tensor<96xf32>
    %sum = sinter.row_reduce add %ex : tensor<96xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<96xf32>
    %w = arith.mulf %ex, %bys : tensor<96xf32>
    %r = arith.truncf %w : tensor<96xf32> to tensor<96xbf16>
    %u = sinter.row_product %r, %m : tensor<96xbf16>, tensor<96x32xbf16> -> tensor<32xf32>
    %z = arith.truncf %u : tensor<32xf32> to tensor<32xbf16>
    sinter.yield %z : tensor<32xbf16>
  }
  return
}

// -----

// The gradient by keys: rows are keys, columns queries. Those in front of the tile's first key are 0, as exponentials
// are: they are not made.

// CHECK-LABEL: gpu.func @by_keys
//       CHECK:   %[[BLOCK:.+]] = arith.minui %{{.+}}, %c2
//       CHECK:   %[[FIRST:.+]] = arith.muli %[[BLOCK]], %c32
//       CHECK:   scf.for %{{.+}} = %[[FIRST]] to %c96 step %c32
func.func private @by_keys(%k: memref<4x64x32xbf16>, %q: memref<4x96x32xbf16>, %g: memref<4x96x32xbf16>, %l: memref<4x96xf32>, %y: memref<4x64x32xbf16>) attributes {sinter.kernel} {
  sinter.contract (h = 4, j = 64) by (i = 96) by (e = 32)
      product (k = 32) (%k[h, j, k] : memref<4x64x32xbf16>, %q[h, i, k] : memref<4x96x32xbf16>) : f32
      matrix (i) to (e) (%g[h, i, e] : memref<4x96x32xbf16>)
      ins(%l[h, i] : memref<4x96xf32>)
      outs(%y[h, j, e] : memref<4x64x32xbf16>) schedule(#sinter.mma<kernel = "mma.sync", m = 32, n = 32, threads = 64>) {
  ^row(%s: tensor<96xf32>, %m: tensor<96x32xbf16>, %lse: tensor<96xf32>):
    %none = arith.constant 0xFF800000 : f32
    %nones = sinter.broadcast %none : f32 -> tensor<96xf32>
    %j = sinter.index j : index
    %js = sinter.broadcast %j : index -> tensor<96xindex>
    %i = sinter.index i : tensor<96xindex>
    %later = arith.cmpi sgt, %js, %i : tensor<96xindex>
    %x = arith.select %later, %nones, %s : tensor<96xi1>, tensor<96xf32>
    %less = arith.subf %x, %lse : tensor<96xf32>
    %ex = math.exp %less : tensor<96xf32>
    %two = arith.mulf %ex, %lse : tensor<96xf32>
    %r = arith.truncf %two : tensor<96xf32> to tensor<96xbf16>
    %u = sinter.row_product %r, %m : tensor<96xbf16>, tensor<96x32xbf16> -> tensor<32xf32>
    %z = arith.truncf %u : tensor<32xf32> to tensor<32xbf16>
    sinter.yield %z : tensor<32xbf16>
  }
  return
}

// -----

// What is added to exponentials is not 0 where they are.

// CHECK-LABEL: gpu.func @not_zero
//       CHECK:   scf.for %{{.+}} = %c0 to %c96 step %c32
func.func private @not_zero(%k: memref<4x64x32xbf16>, %q: memref<4x96x32xbf16>, %g: memref<4x96x32xbf16>, %l: memref<4x96xf32>, %y: memref<4x64x32xbf16>) attributes {sinter.kernel} {
  sinter.contract (h = 4, j = 64) by (i = 96) by (e = 32)
      product (k = 32) (%k[h, j, k] : memref<4x64x32xbf16>, %q[h, i, k] : memref<4x96x32xbf16>) : f32
      matrix (i) to (e) (%g[h, i, e] : memref<4x96x32xbf16>)
      ins(%l[h, i] : memref<4x96xf32>)
      outs(%y[h, j, e] : memref<4x64x32xbf16>) schedule(#sinter.mma<kernel = "mma.sync", m = 32, n = 32, threads = 64>) {
  ^row(%s: tensor<96xf32>, %m: tensor<96x32xbf16>, %lse: tensor<96xf32>):
    %none = arith.constant 0xFF800000 : f32
    %nones = sinter.broadcast %none : f32 -> tensor<96xf32>
    %j = sinter.index j : index
    %js = sinter.broadcast %j : index -> tensor<96xindex>
    %i = sinter.index i : tensor<96xindex>
    %later = arith.cmpi sgt, %js, %i : tensor<96xindex>
    %x = arith.select %later, %nones, %s : tensor<96xi1>, tensor<96xf32>
    %less = arith.subf %x, %lse : tensor<96xf32>
    %ex = math.exp %less : tensor<96xf32>
    %two = arith.addf %ex, %lse : tensor<96xf32>
    %r = arith.truncf %two : tensor<96xf32> to tensor<96xbf16>
    %u = sinter.row_product %r, %m : tensor<96xbf16>, tensor<96x32xbf16> -> tensor<32xf32>
    %z = arith.truncf %u : tensor<32xf32> to tensor<32xbf16>
    sinter.yield %z : tensor<32xbf16>
  }
  return
}

// -----

func.func private @threads(%q: memref<4x64x32xbf16>, %k: memref<4x96x32xbf16>, %v: memref<4x96x32xbf16>, %y: memref<4x64x32xbf16>) attributes {sinter.kernel} {
  // expected-error@+1 {{has a schedule with m = 32, n = 32, threads = 128, but each warp has 16 rows that it multiplies again, 16 columns at a time}}
  sinter.contract (h = 4, i = 64) by (j = 96) by (e = 32)
      product (k = 32) (%q[h, i, k] : memref<4x64x32xbf16>, %k[h, j, k] : memref<4x96x32xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : memref<4x96x32xbf16>)
      outs(%y[h, i, e] : memref<4x64x32xbf16>) schedule(#sinter.mma<kernel = "mma.sync", m = 32, n = 32, threads = 128>) {
  ^row(%x: tensor<96xf32>, %m: tensor<96x32xbf16>):
    %max = sinter.row_reduce maximumf %x : tensor<96xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<96xf32>
    %less = arith.subf %x, %maxs : tensor<96xf32>
    %ex = math.exp %less : tensor<96xf32>
    %sum = sinter.row_reduce add %ex : tensor<96xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<96xf32>
    %w = arith.mulf %ex, %bys : tensor<96xf32>
    %r = arith.truncf %w : tensor<96xf32> to tensor<96xbf16>
    %u = sinter.row_product %r, %m : tensor<96xbf16>, tensor<96x32xbf16> -> tensor<32xf32>
    %z = arith.truncf %u : tensor<32xf32> to tensor<32xbf16>
    sinter.yield %z : tensor<32xbf16>
  }
  return
}

// -----

func.func private @kernel(%q: memref<4x64x32xbf16>, %k: memref<4x96x32xbf16>, %v: memref<4x96x32xbf16>, %y: memref<4x64x32xbf16>) attributes {sinter.kernel} {
  // expected-error@+1 {{has a schedule with kernel = "fma", but rows are multiplied again by "mma.sync" or "wgmma"}}
  sinter.contract (h = 4, i = 64) by (j = 96) by (e = 32)
      product (k = 32) (%q[h, i, k] : memref<4x64x32xbf16>, %k[h, j, k] : memref<4x96x32xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : memref<4x96x32xbf16>)
      outs(%y[h, i, e] : memref<4x64x32xbf16>) schedule(#sinter.mma<kernel = "fma", m = 32, n = 32, threads = 64>) {
  ^row(%x: tensor<96xf32>, %m: tensor<96x32xbf16>):
    %max = sinter.row_reduce maximumf %x : tensor<96xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<96xf32>
    %less = arith.subf %x, %maxs : tensor<96xf32>
    %ex = math.exp %less : tensor<96xf32>
    %sum = sinter.row_reduce add %ex : tensor<96xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<96xf32>
    %w = arith.mulf %ex, %bys : tensor<96xf32>
    %r = arith.truncf %w : tensor<96xf32> to tensor<96xbf16>
    %u = sinter.row_product %r, %m : tensor<96xbf16>, tensor<96x32xbf16> -> tensor<32xf32>
    %z = arith.truncf %u : tensor<32xf32> to tensor<32xbf16>
    sinter.yield %z : tensor<32xbf16>
  }
  return
}

// -----

func.func private @split(%q: memref<4x64x32xbf16>, %k: memref<4x96x32xbf16>, %v: memref<4x96x32xbf16>, %y: memref<4x64x32xbf16>) attributes {sinter.kernel} {
  // expected-error@+1 {{has a schedule with split = 2, and blocks cannot share its columns: only those of kernel = "wgmma" do}}
  sinter.contract (h = 4, i = 64) by (j = 96) by (e = 32)
      product (k = 32) (%q[h, i, k] : memref<4x64x32xbf16>, %k[h, j, k] : memref<4x96x32xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : memref<4x96x32xbf16>)
      outs(%y[h, i, e] : memref<4x64x32xbf16>) schedule(#sinter.mma<kernel = "mma.sync", m = 32, n = 32, split = 2, threads = 64>) {
  ^row(%x: tensor<96xf32>, %m: tensor<96x32xbf16>):
    %max = sinter.row_reduce maximumf %x : tensor<96xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<96xf32>
    %less = arith.subf %x, %maxs : tensor<96xf32>
    %ex = math.exp %less : tensor<96xf32>
    %sum = sinter.row_reduce add %ex : tensor<96xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<96xf32>
    %w = arith.mulf %ex, %bys : tensor<96xf32>
    %r = arith.truncf %w : tensor<96xf32> to tensor<96xbf16>
    %u = sinter.row_product %r, %m : tensor<96xbf16>, tensor<96x32xbf16> -> tensor<32xf32>
    %z = arith.truncf %u : tensor<32xf32> to tensor<32xbf16>
    sinter.yield %z : tensor<32xbf16>
  }
  return
}
