// RUN: sinter-opt --sinter-lower-gpu --canonicalize --cse --split-input-file --verify-diagnostics %s | FileCheck %s

// Two warpgroups with 64 rows each, one thread that asks for copies. Rows of q come once for a tile; k and v take turns
// in one ring of slots. What is multiplied again goes from registers to wgmma, together with the next block's product;
// registers that it reads are there in front of its fence. Sums are scaled where some row's maximum has grown by more
// than 2^8: in a branch that a warp takes together.

// CHECK-LABEL: gpu.func @stays
//       CHECK:   nvvm.setmaxregister increase 240
//       CHECK:     nvvm.wgmma.fence.aligned
// CHECK-COUNT-4:   nvvm.wgmma.mma_async {{.*}} <m = 64, n = 64, k = 16>
//       CHECK:     nvvm.wgmma.commit.group.sync.aligned
//       CHECK:     nvvm.wgmma.wait.group.sync.aligned 0
//       CHECK:     nvvm.vote.sync any
//       CHECK:     scf.for %{{.+}} = %c1 to %c3 step %c1 iter_args(
//       CHECK:       llvm.inline_asm has_side_effects "", "=r,=r,
//       CHECK:       llvm.inline_asm has_side_effects "", "=f,=f,
// CHECK-COUNT-4:     nvvm.wgmma.mma_async
//       CHECK:       nvvm.wgmma.commit.group.sync.aligned
//       CHECK:       nvvm.wgmma.fence.aligned
//       CHECK:       llvm.inline_asm has_side_effects "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{.*}}, 1, 1, 1, 1;"
//       CHECK:       nvvm.wgmma.commit.group.sync.aligned
//       CHECK:       nvvm.wgmma.wait.group.sync.aligned 1
//       CHECK:       nvvm.wgmma.wait.group.sync.aligned 0
//       CHECK:       %[[ANY:.+]] = nvvm.vote.sync any
//       CHECK:       scf.if %[[ANY]]
//       CHECK:     llvm.inline_asm has_side_effects "wgmma.mma_async
//       CHECK:     vector.store
//       CHECK:   nvvm.setmaxregister decrease 24
//       CHECK:   nvvm.elect.sync
// CHECK-COUNT-2:   cp.async.bulk.tensor.3d.shared::cluster.global.tile
//       CHECK:     scf.for
// CHECK-COUNT-2:     cp.async.bulk.tensor.3d.shared::cluster.global.tile
//       CHECK:     cp.async.bulk.tensor.3d.shared::cluster.global.tile
func.func private @stays(%q: memref<4x256x64xbf16>, %k: memref<4x192x64xbf16>, %v: memref<4x192x64xbf16>, %y: memref<4x256x64xbf16>) attributes {sinter.kernel} {
  sinter.contract (h = 4, i = 256) by (j = 192) by (e = 64)
      product (k = 64) (%q[h, i, k] : memref<4x256x64xbf16>, %k[h, j, k] : memref<4x192x64xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : memref<4x192x64xbf16>)
      outs(%y[h, i, e] : memref<4x256x64xbf16>) schedule(#sinter.mma<kernel = "wgmma", m = 128, n = 64, threads = 256, stages = 4>) {
  ^row(%x: tensor<192xf32>, %m: tensor<192x64xbf16>):
    %max = sinter.row_reduce maximumf %x : tensor<192xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<192xf32>
    %less = arith.subf %x, %maxs : tensor<192xf32>
    %ex = math.exp %less : tensor<192xf32>
    %sum = sinter.row_reduce add %ex : tensor<192xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<192xf32>
    %w = arith.mulf %ex, %bys : tensor<192xf32>
    %r = arith.truncf %w : tensor<192xf32> to tensor<192xbf16>
    %u = sinter.row_product %r, %m : tensor<192xbf16>, tensor<192x64xbf16> -> tensor<64xf32>
    %z = arith.truncf %u : tensor<64xf32> to tensor<64xbf16>
    sinter.yield %z : tensor<64xbf16>
  }
  return
}

// -----

func.func private @threads(%q: memref<4x256x64xbf16>, %k: memref<4x192x64xbf16>, %v: memref<4x192x64xbf16>, %y: memref<4x256x64xbf16>) attributes {sinter.kernel} {
  // expected-error@+1 {{has a schedule with n = 64, threads = 512, but one to three warpgroups have 64, 128, 192 or 256 columns at a time}}
  sinter.contract (h = 4, i = 256) by (j = 192) by (e = 64)
      product (k = 64) (%q[h, i, k] : memref<4x256x64xbf16>, %k[h, j, k] : memref<4x192x64xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : memref<4x192x64xbf16>)
      outs(%y[h, i, e] : memref<4x256x64xbf16>) schedule(#sinter.mma<kernel = "wgmma", m = 256, n = 64, threads = 512, stages = 4>) {
  ^row(%x: tensor<192xf32>, %m: tensor<192x64xbf16>):
    %max = sinter.row_reduce maximumf %x : tensor<192xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<192xf32>
    %less = arith.subf %x, %maxs : tensor<192xf32>
    %ex = math.exp %less : tensor<192xf32>
    %sum = sinter.row_reduce add %ex : tensor<192xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<192xf32>
    %w = arith.mulf %ex, %bys : tensor<192xf32>
    %r = arith.truncf %w : tensor<192xf32> to tensor<192xbf16>
    %u = sinter.row_product %r, %m : tensor<192xbf16>, tensor<192x64xbf16> -> tensor<64xf32>
    %z = arith.truncf %u : tensor<64xf32> to tensor<64xbf16>
    sinter.yield %z : tensor<64xbf16>
  }
  return
}

// -----

func.func private @stages(%q: memref<4x256x64xbf16>, %k: memref<4x192x64xbf16>, %v: memref<4x192x64xbf16>, %y: memref<4x256x64xbf16>) attributes {sinter.kernel} {
  // expected-error@+1 {{has a schedule with stages = 1, but what is multiplied and what it is multiplied by have a slot each}}
  sinter.contract (h = 4, i = 256) by (j = 192) by (e = 64)
      product (k = 64) (%q[h, i, k] : memref<4x256x64xbf16>, %k[h, j, k] : memref<4x192x64xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : memref<4x192x64xbf16>)
      outs(%y[h, i, e] : memref<4x256x64xbf16>) schedule(#sinter.mma<kernel = "wgmma", m = 128, n = 64, threads = 256, stages = 1>) {
  ^row(%x: tensor<192xf32>, %m: tensor<192x64xbf16>):
    %max = sinter.row_reduce maximumf %x : tensor<192xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<192xf32>
    %less = arith.subf %x, %maxs : tensor<192xf32>
    %ex = math.exp %less : tensor<192xf32>
    %sum = sinter.row_reduce add %ex : tensor<192xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<192xf32>
    %w = arith.mulf %ex, %bys : tensor<192xf32>
    %r = arith.truncf %w : tensor<192xf32> to tensor<192xbf16>
    %u = sinter.row_product %r, %m : tensor<192xbf16>, tensor<192x64xbf16> -> tensor<64xf32>
    %z = arith.truncf %u : tensor<64xf32> to tensor<64xbf16>
    sinter.yield %z : tensor<64xbf16>
  }
  return
}

// -----

func.func private @lines(%q: memref<4x256x60xbf16>, %k: memref<4x192x60xbf16>, %v: memref<4x192x64xbf16>, %y: memref<4x256x64xbf16>) attributes {sinter.kernel} {
  // expected-error@+1 {{has a schedule with kernel = "wgmma", and copies cannot fetch a side: lines of a side are no multiples of 16 bytes, or of unknown length}}
  sinter.contract (h = 4, i = 256) by (j = 192) by (e = 64)
      product (k = 60) (%q[h, i, k] : memref<4x256x60xbf16>, %k[h, j, k] : memref<4x192x60xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : memref<4x192x64xbf16>)
      outs(%y[h, i, e] : memref<4x256x64xbf16>) schedule(#sinter.mma<kernel = "wgmma", m = 128, n = 64, threads = 256, stages = 4>) {
  ^row(%x: tensor<192xf32>, %m: tensor<192x64xbf16>):
    %max = sinter.row_reduce maximumf %x : tensor<192xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<192xf32>
    %less = arith.subf %x, %maxs : tensor<192xf32>
    %ex = math.exp %less : tensor<192xf32>
    %sum = sinter.row_reduce add %ex : tensor<192xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<192xf32>
    %w = arith.mulf %ex, %bys : tensor<192xf32>
    %r = arith.truncf %w : tensor<192xf32> to tensor<192xbf16>
    %u = sinter.row_product %r, %m : tensor<192xbf16>, tensor<192x64xbf16> -> tensor<64xf32>
    %z = arith.truncf %u : tensor<64xf32> to tensor<64xbf16>
    sinter.yield %z : tensor<64xbf16>
  }
  return
}

// -----

// Two blocks share a tile's columns. Threads that have a row leave what they have in scratch memory; the last of the
// blocks adds it up in the order of the columns, whoever it is, and ends the rows.

// CHECK-LABEL: gpu.func @parts
//       CHECK:   arith.remui %{{.+}}, %c2
//       CHECK:   scf.if
// CHECK-COUNT-6:   memref.store %{{.+}} : memref<16x{{[0-9]+}}x128xf32
//       CHECK:   nvvm.barrier id
//       CHECK:   atom.acq_rel.gpu.global.add.u64
//       CHECK:   nvvm.barrier id
//       CHECK:   scf.if
// CHECK-COUNT-6:   memref.load %{{.+}} : memref<16x{{[0-9]+}}x128xf32
//       CHECK:     vector.store
func.func private @parts(%q: memref<8x8x64xbf16>, %k: memref<8x900x64xbf16>, %v: memref<8x900x64xbf16>, %y: memref<8x8x64xbf16>) attributes {sinter.kernel} {
  sinter.contract (h = 8, g = 8) by (j = 900) by (e = 64)
      product (k = 64) (%q[h, g, k] : memref<8x8x64xbf16>, %k[h, j, k] : memref<8x900x64xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : memref<8x900x64xbf16>)
      outs(%y[h, g, e] : memref<8x8x64xbf16>) schedule(#sinter.mma<kernel = "wgmma", m = 64, n = 64, threads = 128, stages = 4, split = 2>) {
  ^row(%x: tensor<900xf32>, %m: tensor<900x64xbf16>):
    %max = sinter.row_reduce maximumf %x : tensor<900xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<900xf32>
    %less = arith.subf %x, %maxs : tensor<900xf32>
    %ex = math.exp %less : tensor<900xf32>
    %sum = sinter.row_reduce add %ex : tensor<900xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<900xf32>
    %w = arith.mulf %ex, %bys : tensor<900xf32>
    %r = arith.truncf %w : tensor<900xf32> to tensor<900xbf16>
    %u = sinter.row_product %r, %m : tensor<900xbf16>, tensor<900x64xbf16> -> tensor<64xf32>
    %z = arith.truncf %u : tensor<64xf32> to tensor<64xbf16>
    sinter.yield %z : tensor<64xbf16>
  }
  return
}

// -----

// What the products and the rows are multiplied by are the same tiles: one slot has both, and copies fetch them once,
// with the numbers of their columns behind them.
// Exponentials are one instruction each, and a product for each column. A block is multiplied before the next one
// begins, and a warpgroup keeps its turn from there on.

// CHECK-LABEL: gpu.func @one_slot
//       CHECK:   nvvm.setmaxregister increase 240
//       CHECK:     scf.for %{{.+}} = %c0
// CHECK-COUNT-8:   nvvm.wgmma.mma_async
//       CHECK:     nvvm.wgmma.commit.group.sync.aligned
//       CHECK:     nvvm.barrier.arrive
//       CHECK:     nvvm.wgmma.wait.group.sync.aligned 0
//       CHECK:     vector.load %{{.+}} : memref<272x64xf32, #gpu.address_space<workgroup>>, vector<2xf32>
//       CHECK:     arith.mulf
//       CHECK:     math.fma
//   CHECK-NOT:     arith.mulf
//       CHECK:     llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
//   CHECK-NOT:     math.exp
//       CHECK:     nvvm.barrier id
//       CHECK:     llvm.inline_asm has_side_effects "wgmma.mma_async
//       CHECK:     llvm.inline_asm has_side_effects "wgmma.mma_async
//       CHECK:     nvvm.wgmma.wait.group.sync.aligned 0
//       CHECK:     scf.yield
//   CHECK-NOT:   wgmma.mma_async
//       CHECK:   nvvm.setmaxregister decrease 24
// CHECK-COUNT-2:   cp.async.bulk.tensor.3d.shared::cluster.global.tile
//       CHECK:     scf.for
// CHECK-COUNT-2:     cp.async.bulk.tensor.3d.shared::cluster.global.tile
//       CHECK:     cp.async.bulk.shared::cluster.global
//   CHECK-NOT:     cp.async.bulk
func.func private @one_slot(%q: memref<4x256x64xbf16>, %k: memref<4x256x64xbf16>, %v: memref<4x256x64xbf16>, %g: memref<4x256x64xbf16>, %l: memref<4x256xf32>, %dk: memref<4x256x64xbf16>, %dv: memref<4x256x64xbf16>) attributes {sinter.kernel} {
  sinter.contract (h = 4, j = 256) by (i = 256) by (e = 64)
      product (k = 64) (%q[h, i, k] : memref<4x256x64xbf16>, %k[h, j, k] : memref<4x256x64xbf16>) : f32
      product (f = 64) (%g[h, i, f] : memref<4x256x64xbf16>, %v[h, j, f] : memref<4x256x64xbf16>) : f32
      matrix (i) to (e) (%g[h, i, e] : memref<4x256x64xbf16>)
      matrix (i) to (e) (%q[h, i, e] : memref<4x256x64xbf16>)
      ins(%l[h, i] : memref<4x256xf32>)
      outs(%dv[h, j, e] : memref<4x256x64xbf16>, %dk[h, j, e] : memref<4x256x64xbf16>) schedule(#sinter.mma<kernel = "wgmma", m = 128, n = 64, threads = 256, stages = 4, ahead = 0>) {
  ^row(%s: tensor<256xf32>, %dp: tensor<256xf32>, %g_: tensor<256x64xbf16>, %q_: tensor<256x64xbf16>, %l_: tensor<256xf32>):
    %two = arith.constant 2.0 : f32
    %twos = sinter.broadcast %two : f32 -> tensor<256xf32>
    %x = arith.mulf %s, %twos : tensor<256xf32>
    %less = arith.subf %x, %l_ : tensor<256xf32>
    %p = math.exp %less : tensor<256xf32>
    %ds = arith.mulf %p, %dp : tensor<256xf32>
    %ph = arith.truncf %p : tensor<256xf32> to tensor<256xbf16>
    %dh = arith.truncf %ds : tensor<256xf32> to tensor<256xbf16>
    %u = sinter.row_product %ph, %g_ : tensor<256xbf16>, tensor<256x64xbf16> -> tensor<64xf32>
    %w = sinter.row_product %dh, %q_ : tensor<256xbf16>, tensor<256x64xbf16> -> tensor<64xf32>
    %uh = arith.truncf %u : tensor<64xf32> to tensor<64xbf16>
    %wh = arith.truncf %w : tensor<64xf32> to tensor<64xbf16>
    sinter.yield %uh, %wh : tensor<64xbf16>, tensor<64xbf16>
  }
  return
}

// -----

// In front of a mask nobody compares; where it begins, and only there, blocks are compared.

// CHECK-LABEL: gpu.func @masked_blocks
//       CHECK:   nvvm.setmaxregister increase 240
//       CHECK:     scf.for
//       CHECK:       arith.cmpi sgt, %{{.+}}, %{{.+}} : vector<2xindex>
//       CHECK:     scf.for
//   CHECK-NOT:       vector<2xindex>
//       CHECK:   nvvm.setmaxregister decrease 24
func.func private @masked_blocks(%q: memref<4x256x64xbf16>, %k: memref<4x256x64xbf16>, %v: memref<4x256x64xbf16>, %g: memref<4x256x64xbf16>, %l: memref<4x256xf32>, %dk: memref<4x256x64xbf16>, %dv: memref<4x256x64xbf16>) attributes {sinter.kernel} {
  sinter.contract (h = 4, j = 256) by (i = 256) by (e = 64)
      product (k = 64) (%q[h, i, k] : memref<4x256x64xbf16>, %k[h, j, k] : memref<4x256x64xbf16>) : f32
      product (f = 64) (%g[h, i, f] : memref<4x256x64xbf16>, %v[h, j, f] : memref<4x256x64xbf16>) : f32
      matrix (i) to (e) (%g[h, i, e] : memref<4x256x64xbf16>)
      matrix (i) to (e) (%q[h, i, e] : memref<4x256x64xbf16>)
      ins(%l[h, i] : memref<4x256xf32>)
      outs(%dv[h, j, e] : memref<4x256x64xbf16>, %dk[h, j, e] : memref<4x256x64xbf16>) schedule(#sinter.mma<kernel = "wgmma", m = 128, n = 64, threads = 256, stages = 4, ahead = 0>) {
  ^row(%s: tensor<256xf32>, %dp: tensor<256xf32>, %g_: tensor<256x64xbf16>, %q_: tensor<256x64xbf16>, %l_: tensor<256xf32>):
    %none = arith.constant 0xFF800000 : f32
    %nones = sinter.broadcast %none : f32 -> tensor<256xf32>
    %j = sinter.index j : index
    %js = sinter.broadcast %j : index -> tensor<256xindex>
    %i = sinter.index i : tensor<256xindex>
    %later = arith.cmpi sgt, %js, %i : tensor<256xindex>
    %x = arith.select %later, %nones, %s : tensor<256xi1>, tensor<256xf32>
    %less = arith.subf %x, %l_ : tensor<256xf32>
    %p = math.exp %less : tensor<256xf32>
    %ds = arith.mulf %p, %dp : tensor<256xf32>
    %ph = arith.truncf %p : tensor<256xf32> to tensor<256xbf16>
    %dh = arith.truncf %ds : tensor<256xf32> to tensor<256xbf16>
    %u = sinter.row_product %ph, %g_ : tensor<256xbf16>, tensor<256x64xbf16> -> tensor<64xf32>
    %w = sinter.row_product %dh, %q_ : tensor<256xbf16>, tensor<256x64xbf16> -> tensor<64xf32>
    %uh = arith.truncf %u : tensor<64xf32> to tensor<64xbf16>
    %wh = arith.truncf %w : tensor<64xf32> to tensor<64xbf16>
    sinter.yield %uh, %wh : tensor<64xbf16>, tensor<64xbf16>
  }
  return
}

// -----

// What scores are multiplied by is part of what their exponentials multiply by anyway, where that is a number, and no
// power of two either: an fma and an instruction each.

// CHECK-LABEL: gpu.func @scaled
//       CHECK:   scf.for
//       CHECK:     nvvm.wgmma.wait.group.sync.aligned 0
//       CHECK:     %[[LOG2E:.+]] = arith.select %{{.+}}, %{{.+}}, %{{.+}} : f32
//       CHECK:     %[[FACTOR:.+]] = arith.mulf %[[LOG2E]], %cst{{.*}} : f32
//   CHECK-NOT:     arith.mulf %{{.+}} : vector<2xf32>
//       CHECK:     %[[BY:.+]] = vector.broadcast %[[FACTOR]] : f32 to vector<2xf32>
//   CHECK-NOT:     arith.mulf %{{.+}} : vector<2xf32>
//       CHECK:     math.fma %{{.+}}, %[[BY]], %{{.+}} : vector<2xf32>
//   CHECK-NOT:     arith.mulf %{{.+}} : vector<2xf32>
//       CHECK:     nvvm.vote.sync any
func.func private @scaled(%q: memref<4x256x64xbf16>, %k: memref<4x192x64xbf16>, %v: memref<4x192x64xbf16>, %y: memref<4x256x64xbf16>) attributes {sinter.kernel} {
  sinter.contract (h = 4, i = 256) by (j = 192) by (e = 64)
      product (k = 64) (%q[h, i, k] : memref<4x256x64xbf16>, %k[h, j, k] : memref<4x192x64xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : memref<4x192x64xbf16>)
      outs(%y[h, i, e] : memref<4x256x64xbf16>) schedule(#sinter.mma<kernel = "wgmma", m = 128, n = 64, threads = 256, stages = 4>) {
  ^row(%s: tensor<192xf32>, %m: tensor<192x64xbf16>):
    %scale = arith.constant 0.0883883461 : f32
    %scales = sinter.broadcast %scale : f32 -> tensor<192xf32>
    %x = arith.mulf %s, %scales : tensor<192xf32>
    %max = sinter.row_reduce maximumf %x : tensor<192xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<192xf32>
    %less = arith.subf %x, %maxs : tensor<192xf32>
    %ex = math.exp %less : tensor<192xf32>
    %sum = sinter.row_reduce add %ex : tensor<192xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<192xf32>
    %w = arith.mulf %ex, %bys : tensor<192xf32>
    %r = arith.truncf %w : tensor<192xf32> to tensor<192xbf16>
    %u = sinter.row_product %r, %m : tensor<192xbf16>, tensor<192x64xbf16> -> tensor<64xf32>
    %z = arith.truncf %u : tensor<64xf32> to tensor<64xbf16>
    sinter.yield %z : tensor<64xbf16>
  }
  return
}
