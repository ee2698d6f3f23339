// RUN: sinter-opt --sinter-schedule=target=gpu --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-schedule="target=gpu chip=sm_80" --split-input-file %s | FileCheck %s --check-prefix=OLDER

// On Hopper warpgroups, where copies can fetch all sides: as many columns at a time as two slots leave room for. Three
// of them where there are registers, and tiles that go to who is done first. Else
// as many rows as leave every multiprocessor a tile, and not many more than there are.

// CHECK-LABEL: func.func @many
//       CHECK:   schedule(#sinter.mma<blocks = 132, deal = "ticket", k = 64, kernel = "wgmma", m = 192, n = 128, stages = 8, threads = 384, tiles = 2>)
// OLDER-LABEL: func.func @many
//       OLDER:   schedule(#sinter.mma<k = 16, kernel = "mma.sync", m = 128, n = 64, occupancy = 1, threads = 256>)
func.func @many(%q: tensor<64x1024x32xbf16>, %k: tensor<64x960x32xbf16>, %v: tensor<64x960x32xbf16>, %y: tensor<64x1024x32xbf16>) -> tensor<64x1024x32xbf16> {
  %0 = sinter.contract (h = 64, i = 1024) by (j = 960) by (e = 32)
      product (k = 32) (%q[h, i, k] : tensor<64x1024x32xbf16>, %k[h, j, k] : tensor<64x960x32xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<64x960x32xbf16>)
      outs(%y[h, i, e] : tensor<64x1024x32xbf16>) {
  ^row(%x: tensor<960xf32>, %m: tensor<960x32xbf16>):
    %max = sinter.row_reduce maximumf %x : tensor<960xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<960xf32>
    %less = arith.subf %x, %maxs : tensor<960xf32>
    %ex = math.exp %less : tensor<960xf32>
    %sum = sinter.row_reduce add %ex : tensor<960xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<960xf32>
    %w = arith.mulf %ex, %bys : tensor<960xf32>
    %r = arith.truncf %w : tensor<960xf32> to tensor<960xbf16>
    %u = sinter.row_product %r, %m : tensor<960xbf16>, tensor<960x32xbf16> -> tensor<32xf32>
    %z = arith.truncf %u : tensor<32xf32> to tensor<32xbf16>
    sinter.yield %z : tensor<32xbf16>
  }
  return %0 : tensor<64x1024x32xbf16>
}

// -----

// CHECK-LABEL: func.func @few_tiles
// OLDER-LABEL: func.func @few_tiles
//       CHECK:   m = 64, n = 128,
//       OLDER:   m = 16, n = 64,
func.func @few_tiles(%q: tensor<4x64x32xbf16>, %k: tensor<4x96x32xbf16>, %v: tensor<4x96x32xbf16>, %y: tensor<4x64x32xbf16>) -> tensor<4x64x32xbf16> {
  %0 = sinter.contract (h = 4, i = 64) by (j = 96) by (e = 32)
      product (k = 32) (%q[h, i, k] : tensor<4x64x32xbf16>, %k[h, j, k] : tensor<4x96x32xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<4x96x32xbf16>)
      outs(%y[h, i, e] : tensor<4x64x32xbf16>) {
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
  return %0 : tensor<4x64x32xbf16>
}

// -----

// CHECK-LABEL: func.func @one_row
// OLDER-LABEL: func.func @one_row
//       CHECK:   m = 64, n = 128,
//       OLDER:   m = 16, n = 64,
func.func @one_row(%q: tensor<900x1x32xbf16>, %k: tensor<900x96x32xbf16>, %v: tensor<900x96x32xbf16>, %y: tensor<900x1x32xbf16>) -> tensor<900x1x32xbf16> {
  %0 = sinter.contract (h = 900, i = 1) by (j = 96) by (e = 32)
      product (k = 32) (%q[h, i, k] : tensor<900x1x32xbf16>, %k[h, j, k] : tensor<900x96x32xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<900x96x32xbf16>)
      outs(%y[h, i, e] : tensor<900x1x32xbf16>) {
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
  return %0 : tensor<900x1x32xbf16>
}

// -----

// CHECK-LABEL: func.func @wide
// OLDER-LABEL: func.func @wide
//       CHECK:   m = 128, n = 64, stages = 5,
//       OLDER:   m = 16, n = 64,
func.func @wide(%q: tensor<64x1024x256xbf16>, %k: tensor<64x960x256xbf16>, %v: tensor<64x960x256xbf16>, %y: tensor<64x1024x256xbf16>) -> tensor<64x1024x256xbf16> {
  %0 = sinter.contract (h = 64, i = 1024) by (j = 960) by (e = 256)
      product (k = 256) (%q[h, i, k] : tensor<64x1024x256xbf16>, %k[h, j, k] : tensor<64x960x256xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<64x960x256xbf16>)
      outs(%y[h, i, e] : tensor<64x1024x256xbf16>) {
  ^row(%x: tensor<960xf32>, %m: tensor<960x256xbf16>):
    %max = sinter.row_reduce maximumf %x : tensor<960xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<960xf32>
    %less = arith.subf %x, %maxs : tensor<960xf32>
    %ex = math.exp %less : tensor<960xf32>
    %sum = sinter.row_reduce add %ex : tensor<960xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<960xf32>
    %w = arith.mulf %ex, %bys : tensor<960xf32>
    %r = arith.truncf %w : tensor<960xf32> to tensor<960xbf16>
    %u = sinter.row_product %r, %m : tensor<960xbf16>, tensor<960x256xbf16> -> tensor<256xf32>
    %z = arith.truncf %u : tensor<256xf32> to tensor<256xbf16>
    sinter.yield %z : tensor<256xbf16>
  }
  return %0 : tensor<64x1024x256xbf16>
}

// -----

// CHECK-LABEL: func.func @any
// OLDER-LABEL: func.func @any
//       CHECK:   kernel = "wgmma", m = 128, n = 128,
//       OLDER:   blocks = 108, {{.*}} m = 128, n = 64,
func.func @any(%q: tensor<64x?x32xbf16>, %k: tensor<64x?x32xbf16>, %v: tensor<64x?x32xbf16>, %y: tensor<64x?x32xbf16>) -> tensor<64x?x32xbf16> {
  %0 = sinter.contract (h = 64, i = ?) by (j = ?) by (e = 32)
      product (k = 32) (%q[h, i, k] : tensor<64x?x32xbf16>, %k[h, j, k] : tensor<64x?x32xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<64x?x32xbf16>)
      outs(%y[h, i, e] : tensor<64x?x32xbf16>) {
  ^row(%x: tensor<?xf32>, %m: tensor<?x32xbf16>):
    %max = sinter.row_reduce maximumf %x : tensor<?xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<?xf32>
    %less = arith.subf %x, %maxs : tensor<?xf32>
    %ex = math.exp %less : tensor<?xf32>
    %sum = sinter.row_reduce add %ex : tensor<?xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<?xf32>
    %w = arith.mulf %ex, %bys : tensor<?xf32>
    %r = arith.truncf %w : tensor<?xf32> to tensor<?xbf16>
    %u = sinter.row_product %r, %m : tensor<?xbf16>, tensor<?x32xbf16> -> tensor<32xf32>
    %z = arith.truncf %u : tensor<32xf32> to tensor<32xbf16>
    sinter.yield %z : tensor<32xbf16>
  }
  return %0 : tensor<64x?x32xbf16>
}

// -----

// One query of eight heads that share keys: blocks share a tile's keys until every multiprocessor has some; with as few
// keys as two blocks of columns they do not, nor where nobody knows how many tiles there are.

// CHECK-LABEL: func.func @one_query
//       CHECK:   n = 128, split = 16, stages = 8, threads = 128>
// OLDER-LABEL: func.func @one_query
//   OLDER-NOT:   split
//       OLDER:   return
func.func @one_query(%q: tensor<8x8x64xbf16>, %k: tensor<8x9000x64xbf16>, %v: tensor<8x9000x64xbf16>, %y: tensor<8x8x64xbf16>) -> tensor<8x8x64xbf16> {
  %0 = sinter.contract (h = 8, g = 8) by (j = 9000) by (e = 64)
      product (k = 64) (%q[h, g, k] : tensor<8x8x64xbf16>, %k[h, j, k] : tensor<8x9000x64xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<8x9000x64xbf16>)
      outs(%y[h, g, e] : tensor<8x8x64xbf16>) {
  ^row(%x: tensor<9000xf32>, %m: tensor<9000x64xbf16>):
    %max = sinter.row_reduce maximumf %x : tensor<9000xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<9000xf32>
    %less = arith.subf %x, %maxs : tensor<9000xf32>
    %ex = math.exp %less : tensor<9000xf32>
    %sum = sinter.row_reduce add %ex : tensor<9000xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<9000xf32>
    %w = arith.mulf %ex, %bys : tensor<9000xf32>
    %r = arith.truncf %w : tensor<9000xf32> to tensor<9000xbf16>
    %u = sinter.row_product %r, %m : tensor<9000xbf16>, tensor<9000x64xbf16> -> tensor<64xf32>
    %z = arith.truncf %u : tensor<64xf32> to tensor<64xbf16>
    sinter.yield %z : tensor<64xbf16>
  }
  return %0 : tensor<8x8x64xbf16>
}

// -----

// CHECK-LABEL: func.func @few_keys
//   CHECK-NOT:   split
//       CHECK:   return
func.func @few_keys(%q: tensor<8x8x64xbf16>, %k: tensor<8x256x64xbf16>, %v: tensor<8x256x64xbf16>, %y: tensor<8x8x64xbf16>) -> tensor<8x8x64xbf16> {
  %0 = sinter.contract (h = 8, g = 8) by (j = 256) by (e = 64)
      product (k = 64) (%q[h, g, k] : tensor<8x8x64xbf16>, %k[h, j, k] : tensor<8x256x64xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<8x256x64xbf16>)
      outs(%y[h, g, e] : tensor<8x8x64xbf16>) {
  ^row(%x: tensor<256xf32>, %m: tensor<256x64xbf16>):
    %max = sinter.row_reduce maximumf %x : tensor<256xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<256xf32>
    %less = arith.subf %x, %maxs : tensor<256xf32>
    %ex = math.exp %less : tensor<256xf32>
    %sum = sinter.row_reduce add %ex : tensor<256xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<256xf32>
    %w = arith.mulf %ex, %bys : tensor<256xf32>
    %r = arith.truncf %w : tensor<256xf32> to tensor<256xbf16>
    %u = sinter.row_product %r, %m : tensor<256xbf16>, tensor<256x64xbf16> -> tensor<64xf32>
    %z = arith.truncf %u : tensor<64xf32> to tensor<64xbf16>
    sinter.yield %z : tensor<64xbf16>
  }
  return %0 : tensor<8x8x64xbf16>
}

// -----

// CHECK-LABEL: func.func @any_batch
//   CHECK-NOT:   split
//       CHECK:   return
func.func @any_batch(%q: tensor<?x8x64xbf16>, %k: tensor<?x9000x64xbf16>, %v: tensor<?x9000x64xbf16>, %y: tensor<?x8x64xbf16>) -> tensor<?x8x64xbf16> {
  %0 = sinter.contract (h = ?, g = 8) by (j = 9000) by (e = 64)
      product (k = 64) (%q[h, g, k] : tensor<?x8x64xbf16>, %k[h, j, k] : tensor<?x9000x64xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<?x9000x64xbf16>)
      outs(%y[h, g, e] : tensor<?x8x64xbf16>) {
  ^row(%x: tensor<9000xf32>, %m: tensor<9000x64xbf16>):
    %max = sinter.row_reduce maximumf %x : tensor<9000xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<9000xf32>
    %less = arith.subf %x, %maxs : tensor<9000xf32>
    %ex = math.exp %less : tensor<9000xf32>
    %sum = sinter.row_reduce add %ex : tensor<9000xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<9000xf32>
    %w = arith.mulf %ex, %bys : tensor<9000xf32>
    %r = arith.truncf %w : tensor<9000xf32> to tensor<9000xbf16>
    %u = sinter.row_product %r, %m : tensor<9000xbf16>, tensor<9000x64xbf16> -> tensor<64xf32>
    %z = arith.truncf %u : tensor<64xf32> to tensor<64xbf16>
    sinter.yield %z : tensor<64xbf16>
  }
  return %0 : tensor<?x8x64xbf16>
}

// -----

// Sums of two products and two results of 128 columns leave no registers for what is multiplied beside them.

// CHECK-LABEL: func.func @large_gradients
//       CHECK:   #sinter.mma<ahead = 0, blocks = 132, k = 64, {{.*}} m = 128, n = 64,
func.func @large_gradients(%q: tensor<4x4096x128xbf16>, %k: tensor<4x4096x128xbf16>, %v: tensor<4x4096x128xbf16>, %g: tensor<4x4096x128xbf16>, %l: tensor<4x4096xf32>, %dk: tensor<4x4096x128xbf16>, %dv: tensor<4x4096x128xbf16>) -> (tensor<4x4096x128xbf16>, tensor<4x4096x128xbf16>) {
  %0:2 = sinter.contract (h = 4, j = 4096) by (i = 4096) by (e = 128)
      product (k = 128) (%q[h, i, k] : tensor<4x4096x128xbf16>, %k[h, j, k] : tensor<4x4096x128xbf16>) : f32
      product (f = 128) (%g[h, i, f] : tensor<4x4096x128xbf16>, %v[h, j, f] : tensor<4x4096x128xbf16>) : f32
      matrix (i) to (e) (%g[h, i, e] : tensor<4x4096x128xbf16>)
      matrix (i) to (e) (%q[h, i, e] : tensor<4x4096x128xbf16>)
      ins(%l[h, i] : tensor<4x4096xf32>)
      outs(%dv[h, j, e] : tensor<4x4096x128xbf16>, %dk[h, j, e] : tensor<4x4096x128xbf16>) {
  ^row(%s: tensor<4096xf32>, %dp: tensor<4096xf32>, %g_: tensor<4096x128xbf16>, %q_: tensor<4096x128xbf16>, %l_: tensor<4096xf32>):
    %two = arith.constant 2.0 : f32
    %twos = sinter.broadcast %two : f32 -> tensor<4096xf32>
    %x = arith.mulf %s, %twos : tensor<4096xf32>
    %less = arith.subf %x, %l_ : tensor<4096xf32>
    %p = math.exp %less : tensor<4096xf32>
    %ds = arith.mulf %p, %dp : tensor<4096xf32>
    %ph = arith.truncf %p : tensor<4096xf32> to tensor<4096xbf16>
    %dh = arith.truncf %ds : tensor<4096xf32> to tensor<4096xbf16>
    %u = sinter.row_product %ph, %g_ : tensor<4096xbf16>, tensor<4096x128xbf16> -> tensor<128xf32>
    %w = sinter.row_product %dh, %q_ : tensor<4096xbf16>, tensor<4096x128xbf16> -> tensor<128xf32>
    %uh = arith.truncf %u : tensor<128xf32> to tensor<128xbf16>
    %wh = arith.truncf %w : tensor<128xf32> to tensor<128xbf16>
    sinter.yield %uh, %wh : tensor<128xbf16>, tensor<128xbf16>
  }
  return %0#0, %0#1 : tensor<4x4096x128xbf16>, tensor<4x4096x128xbf16>
}

// -----

// Tiles that a mask makes longer and shorter are dealt to who is done first, those of a few heads beside each other.
// Results of two matrices of 64 columns leave registers for 128 columns in turn.

// CHECK-LABEL: func.func @uneven
//       CHECK:   #sinter.mma<ahead = 0, group = 4, k = 64, kernel = "wgmma", m = 128, n = 128, stages = 5, threads = 256>
func.func @uneven(%q: tensor<4x4096x64xbf16>, %k: tensor<4x4096x64xbf16>, %v: tensor<4x4096x64xbf16>, %g: tensor<4x4096x64xbf16>, %l: tensor<4x4096xf32>, %dk: tensor<4x4096x64xbf16>, %dv: tensor<4x4096x64xbf16>) -> (tensor<4x4096x64xbf16>, tensor<4x4096x64xbf16>) {
  %0:2 = sinter.contract (h = 4, j = 4096) by (i = 4096) by (e = 64)
      product (k = 64) (%q[h, i, k] : tensor<4x4096x64xbf16>, %k[h, j, k] : tensor<4x4096x64xbf16>) : f32
      product (f = 64) (%g[h, i, f] : tensor<4x4096x64xbf16>, %v[h, j, f] : tensor<4x4096x64xbf16>) : f32
      matrix (i) to (e) (%g[h, i, e] : tensor<4x4096x64xbf16>)
      matrix (i) to (e) (%q[h, i, e] : tensor<4x4096x64xbf16>)
      ins(%l[h, i] : tensor<4x4096xf32>)
      outs(%dv[h, j, e] : tensor<4x4096x64xbf16>, %dk[h, j, e] : tensor<4x4096x64xbf16>) {
  ^row(%s: tensor<4096xf32>, %dp: tensor<4096xf32>, %g_: tensor<4096x64xbf16>, %q_: tensor<4096x64xbf16>, %l_: tensor<4096xf32>):
    %none = arith.constant 0xFF800000 : f32
    %nones = sinter.broadcast %none : f32 -> tensor<4096xf32>
    %j = sinter.index j : index
    %js = sinter.broadcast %j : index -> tensor<4096xindex>
    %i = sinter.index i : tensor<4096xindex>
    %later = arith.cmpi sgt, %js, %i : tensor<4096xindex>
    %x = arith.select %later, %nones, %s : tensor<4096xi1>, tensor<4096xf32>
    %less = arith.subf %x, %l_ : tensor<4096xf32>
    %p = math.exp %less : tensor<4096xf32>
    %ds = arith.mulf %p, %dp : tensor<4096xf32>
    %ph = arith.truncf %p : tensor<4096xf32> to tensor<4096xbf16>
    %dh = arith.truncf %ds : tensor<4096xf32> to tensor<4096xbf16>
    %u = sinter.row_product %ph, %g_ : tensor<4096xbf16>, tensor<4096x64xbf16> -> tensor<64xf32>
    %w = sinter.row_product %dh, %q_ : tensor<4096xbf16>, tensor<4096x64xbf16> -> tensor<64xf32>
    %uh = arith.truncf %u : tensor<64xf32> to tensor<64xbf16>
    %wh = arith.truncf %w : tensor<64xf32> to tensor<64xbf16>
    sinter.yield %uh, %wh : tensor<64xbf16>, tensor<64xbf16>
  }
  return %0#0, %0#1 : tensor<4x4096x64xbf16>, tensor<4x4096x64xbf16>
}

// -----

// A bias of each element takes registers that three warpgroups do not have. Two of them hold their rows of q.

// CHECK-LABEL: func.func @bias
//       CHECK:   #sinter.mma<blocks = 132, deal = "ticket", held = 1, k = 64, kernel = "wgmma", m = 128, n = 128,
func.func @bias(%q: tensor<64x1024x64xbf16>, %k: tensor<64x960x64xbf16>, %v: tensor<64x960x64xbf16>, %y: tensor<64x1024x64xbf16>, %b: tensor<1024x960xf32>) -> tensor<64x1024x64xbf16> {
  %0 = sinter.contract (h = 64, i = 1024) by (j = 960) by (e = 64)
      product (k = 64) (%q[h, i, k] : tensor<64x1024x64xbf16>, %k[h, j, k] : tensor<64x960x64xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<64x960x64xbf16>)
      ins(%b[i, j] : tensor<1024x960xf32>)
      outs(%y[h, i, e] : tensor<64x1024x64xbf16>) {
  ^row(%s: tensor<960xf32>, %m: tensor<960x64xbf16>, %bs: tensor<960xf32>):
    %x = arith.addf %s, %bs : tensor<960xf32>
    %max = sinter.row_reduce maximumf %x : tensor<960xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<960xf32>
    %less = arith.subf %x, %maxs : tensor<960xf32>
    %ex = math.exp %less : tensor<960xf32>
    %sum = sinter.row_reduce add %ex : tensor<960xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<960xf32>
    %w = arith.mulf %ex, %bys : tensor<960xf32>
    %r = arith.truncf %w : tensor<960xf32> to tensor<960xbf16>
    %u = sinter.row_product %r, %m : tensor<960xbf16>, tensor<960x64xbf16> -> tensor<64xf32>
    %z = arith.truncf %u : tensor<64xf32> to tensor<64xbf16>
    sinter.yield %z : tensor<64xbf16>
  }
  return %0 : tensor<64x1024x64xbf16>
}

// -----

// Tiles of 192 rows would have 187 of 384 beside all rows, those of 128 have 59 of 256. Two blocks of columns are over
// too soon to wait for rows in registers.

// CHECK-LABEL: func.func @few_rows_of_a_head
//       CHECK:   #sinter.mma<blocks = 132, deal = "ticket", k = 64, kernel = "wgmma", m = 128, n = 128,
func.func @few_rows_of_a_head(%q: tensor<768x197x64xbf16>, %k: tensor<768x197x64xbf16>, %v: tensor<768x197x64xbf16>, %y: tensor<768x197x64xbf16>) -> tensor<768x197x64xbf16> {
  %0 = sinter.contract (h = 768, i = 197) by (j = 197) by (e = 64)
      product (k = 64) (%q[h, i, k] : tensor<768x197x64xbf16>, %k[h, j, k] : tensor<768x197x64xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<768x197x64xbf16>)
      outs(%y[h, i, e] : tensor<768x197x64xbf16>) {
  ^row(%x: tensor<197xf32>, %m: tensor<197x64xbf16>):
    %max = sinter.row_reduce maximumf %x : tensor<197xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<197xf32>
    %less = arith.subf %x, %maxs : tensor<197xf32>
    %ex = math.exp %less : tensor<197xf32>
    %sum = sinter.row_reduce add %ex : tensor<197xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<197xf32>
    %w = arith.mulf %ex, %bys : tensor<197xf32>
    %r = arith.truncf %w : tensor<197xf32> to tensor<197xbf16>
    %u = sinter.row_product %r, %m : tensor<197xbf16>, tensor<197x64xbf16> -> tensor<64xf32>
    %z = arith.truncf %u : tensor<64xf32> to tensor<64xbf16>
    sinter.yield %z : tensor<64xbf16>
  }
  return %0 : tensor<768x197x64xbf16>
}

// -----

// Sums of 128 columns and results of 128 leave no registers for rows of q.

// CHECK-LABEL: func.func @no_room_to_hold
//       CHECK:   #sinter.mma<blocks = 132, deal = "ticket", k = 64, kernel = "wgmma", m = 128, n = 128, stages = 5, threads = 256, tiles = 2>
func.func @no_room_to_hold(%q: tensor<64x1024x128xbf16>, %k: tensor<64x960x128xbf16>, %v: tensor<64x960x128xbf16>, %y: tensor<64x1024x128xbf16>) -> tensor<64x1024x128xbf16> {
  %0 = sinter.contract (h = 64, i = 1024) by (j = 960) by (e = 128)
      product (k = 128) (%q[h, i, k] : tensor<64x1024x128xbf16>, %k[h, j, k] : tensor<64x960x128xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<64x960x128xbf16>)
      outs(%y[h, i, e] : tensor<64x1024x128xbf16>) {
  ^row(%x: tensor<960xf32>, %m: tensor<960x128xbf16>):
    %max = sinter.row_reduce maximumf %x : tensor<960xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<960xf32>
    %less = arith.subf %x, %maxs : tensor<960xf32>
    %ex = math.exp %less : tensor<960xf32>
    %sum = sinter.row_reduce add %ex : tensor<960xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<960xf32>
    %w = arith.mulf %ex, %bys : tensor<960xf32>
    %r = arith.truncf %w : tensor<960xf32> to tensor<960xbf16>
    %u = sinter.row_product %r, %m : tensor<960xbf16>, tensor<960x128xbf16> -> tensor<128xf32>
    %z = arith.truncf %u : tensor<128xf32> to tensor<128xbf16>
    sinter.yield %z : tensor<128xbf16>
  }
  return %0 : tensor<64x1024x128xbf16>
}

// -----

// A tile of one block of columns is over before a ticket is there.

// CHECK-LABEL: func.func @one_block
//       CHECK:   #sinter.mma<blocks = 132, k = 64, kernel = "wgmma", m = 128, n = 128,
func.func @one_block(%q: tensor<96x1000x64xbf16>, %k: tensor<96x77x64xbf16>, %v: tensor<96x77x64xbf16>, %y: tensor<96x1000x64xbf16>) -> tensor<96x1000x64xbf16> {
  %0 = sinter.contract (h = 96, i = 1000) by (j = 77) by (e = 64)
      product (k = 64) (%q[h, i, k] : tensor<96x1000x64xbf16>, %k[h, j, k] : tensor<96x77x64xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<96x77x64xbf16>)
      outs(%y[h, i, e] : tensor<96x1000x64xbf16>) {
  ^row(%x: tensor<77xf32>, %m: tensor<77x64xbf16>):
    %max = sinter.row_reduce maximumf %x : tensor<77xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<77xf32>
    %less = arith.subf %x, %maxs : tensor<77xf32>
    %ex = math.exp %less : tensor<77xf32>
    %sum = sinter.row_reduce add %ex : tensor<77xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<77xf32>
    %w = arith.mulf %ex, %bys : tensor<77xf32>
    %r = arith.truncf %w : tensor<77xf32> to tensor<77xbf16>
    %u = sinter.row_product %r, %m : tensor<77xbf16>, tensor<77x64xbf16> -> tensor<64xf32>
    %z = arith.truncf %u : tensor<64xf32> to tensor<64xbf16>
    sinter.yield %z : tensor<64xbf16>
  }
  return %0 : tensor<96x1000x64xbf16>
}

// -----

// Three warpgroups take all registers: none are left for tickets.

// CHECK-LABEL: func.func @heads_of_64
//       CHECK:   #sinter.mma<blocks = 132, k = 64, kernel = "wgmma", m = 192, n = 128, stages = 8, threads = 384, tiles = 2>
func.func @heads_of_64(%q: tensor<64x1024x64xbf16>, %k: tensor<64x960x64xbf16>, %v: tensor<64x960x64xbf16>, %y: tensor<64x1024x64xbf16>) -> tensor<64x1024x64xbf16> {
  %0 = sinter.contract (h = 64, i = 1024) by (j = 960) by (e = 64)
      product (k = 64) (%q[h, i, k] : tensor<64x1024x64xbf16>, %k[h, j, k] : tensor<64x960x64xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<64x960x64xbf16>)
      outs(%y[h, i, e] : tensor<64x1024x64xbf16>) {
  ^row(%x: tensor<960xf32>, %m: tensor<960x64xbf16>):
    %max = sinter.row_reduce maximumf %x : tensor<960xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<960xf32>
    %less = arith.subf %x, %maxs : tensor<960xf32>
    %ex = math.exp %less : tensor<960xf32>
    %sum = sinter.row_reduce add %ex : tensor<960xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<960xf32>
    %w = arith.mulf %ex, %bys : tensor<960xf32>
    %r = arith.truncf %w : tensor<960xf32> to tensor<960xbf16>
    %u = sinter.row_product %r, %m : tensor<960xbf16>, tensor<960x64xbf16> -> tensor<64xf32>
    %z = arith.truncf %u : tensor<64xf32> to tensor<64xbf16>
    sinter.yield %z : tensor<64xbf16>
  }
  return %0 : tensor<64x1024x64xbf16>
}
