// RUN: sinter-opt --sinter-lower-gpu --canonicalize --cse --split-input-file --verify-diagnostics %s | FileCheck %s

// Three warpgroups share a block: each has fewer registers, and says to the next one when it has asked for its
// products, the last one to the first. Its tiles are dealt by ticket: who fetches hands numbers to who multiplies, and
// draws when all of a tile's copies are under way. There are slots for the rows of two tiles.

// CHECK-LABEL: gpu.func @three
//       CHECK:   nvvm.setmaxregister increase 160
//       CHECK:   %[[LAST:.+]] = arith.cmpi eq, %[[GROUP:.+]], %c2_i32
//       CHECK:   scf.if %[[LAST]]
//       CHECK:     nvvm.barrier.arrive id = %{{.+}} number_of_threads = %c256_i32
//       CHECK:   scf.while
//       CHECK:     memref.load %[[NUMBERS:.+]][%{{.+}}] : memref<2xi32, #gpu.address_space<workgroup>>
//       CHECK:     nvvm.shfl.sync idx
//       CHECK:     scf.condition
//       CHECK:     nvvm.barrier id = %{{.+}} number_of_threads = %c256_i32
//       CHECK:     %[[NEXT:.+]] = arith.select %{{.+}}, %c0_i32, %{{.+}} : i32
//       CHECK:     %[[PLACE:.+]] = arith.addi %[[NEXT]], %{{.+}} : i32
//       CHECK:     nvvm.barrier.arrive id = %[[PLACE]] number_of_threads = %c256_i32
//       CHECK:   nvvm.setmaxregister decrease 32
//       CHECK:   scf.while
//       CHECK:     memref.store %{{.+}}, %[[NUMBERS]][%{{.+}}] : memref<2xi32, #gpu.address_space<workgroup>>
//       CHECK:     scf.condition
//       CHECK:     %[[TO:.+]] = arith.muli %{{.+}}, %c24576_i32
//       CHECK:     arith.addi %{{.+}}, %[[TO]]
//       CHECK:     cp.async.bulk.tensor
//       CHECK:     atom.relaxed.gpu.global.add.u64
//       CHECK:     scf.yield
func.func private @three(%q: memref<4x2000x64xbf16>, %k: memref<4x192x64xbf16>, %v: memref<4x192x64xbf16>, %y: memref<4x2000x64xbf16>) attributes {sinter.kernel} {
  sinter.contract (h = 4, i = 2000) by (j = 192) by (e = 64)
      product (k = 64) (%q[h, i, k] : memref<4x2000x64xbf16>, %k[h, j, k] : memref<4x192x64xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : memref<4x192x64xbf16>)
      outs(%y[h, i, e] : memref<4x2000x64xbf16>) schedule(#sinter.mma<kernel = "wgmma", m = 192, n = 64, threads = 384, blocks = 8, deal = "ticket", tiles = 2, stages = 4>) {
  ^row(%x: tensor<192xf32>, %m: tensor<192x64xbf16>):
    %r = arith.truncf %x : tensor<192xf32> to tensor<192xbf16>
    %u = sinter.row_product %r, %m : tensor<192xbf16>, tensor<192x64xbf16> -> tensor<64xf32>
    %z = arith.truncf %u : tensor<64xf32> to tensor<64xbf16>
    sinter.yield %z : tensor<64xbf16>
  }
  return
}

// -----

// Rows of q are in registers while a tile is made: four words of each step, of lines that are swizzled. Their slot is
// given back before anything is multiplied, and the product begins with no sums.

// CHECK-LABEL: gpu.func @held
//       CHECK:   nvvm.setmaxregister increase 240
//       CHECK:   arith.xori
// CHECK-COUNT-4: ldmatrix.sync.aligned.m8n8.x4.shared.b16
//       CHECK:   fence.proxy.async.shared::cta
//       CHECK:   nvvm.bar.warp.sync
//       CHECK:   mbarrier.arrive
//   CHECK-NOT:   nvvm.wgmma.mma_async
//       CHECK:   llvm.inline_asm has_side_effects "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{[^;]*}}, 0, 1, 1, 0; wgmma{{[^;]*}}, 1, 1, 1, 0; {{.*}};", "=f,{{[=f,rl]*}}l" %
//   CHECK-NOT:   nvvm.wgmma.mma_async
//       CHECK:   scf.for
//       CHECK:     llvm.inline_asm has_side_effects "wgmma.mma_async{{[^;]*}}, 0, 1, 1, 0;
//       CHECK:     llvm.inline_asm has_side_effects "wgmma.mma_async{{[^;]*}}, 1, 1, 1, 1;
//   CHECK-NOT:   ldmatrix
//       CHECK:   nvvm.setmaxregister decrease 24
func.func private @held(%q: memref<4x256x64xbf16>, %k: memref<4x192x64xbf16>, %v: memref<4x192x64xbf16>, %y: memref<4x256x64xbf16>) attributes {sinter.kernel} {
  sinter.contract (h = 4, i = 256) by (j = 192) by (e = 64)
      product (k = 64) (%q[h, i, k] : memref<4x256x64xbf16>, %k[h, j, k] : memref<4x192x64xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : memref<4x192x64xbf16>)
      outs(%y[h, i, e] : memref<4x256x64xbf16>) schedule(#sinter.mma<kernel = "wgmma", m = 128, n = 64, threads = 256, held = 1, stages = 4>) {
  ^row(%x: tensor<192xf32>, %m: tensor<192x64xbf16>):
    %r = arith.truncf %x : tensor<192xf32> to tensor<192xbf16>
    %u = sinter.row_product %r, %m : tensor<192xbf16>, tensor<192x64xbf16> -> tensor<64xf32>
    %z = arith.truncf %u : tensor<64xf32> to tensor<64xbf16>
    sinter.yield %z : tensor<64xbf16>
  }
  return
}

// -----

// Lines of q are along its rows, which ldmatrix does not take from there.
func.func private @across(%q: memref<4x64x256xbf16>, %k: memref<4x192x64xbf16>, %v: memref<4x192x64xbf16>, %y: memref<4x256x64xbf16>) attributes {sinter.kernel} {
  // expected-error@+1 {{has a schedule with held = 1, which only sides of kernel = "wgmma" are whose elements of a sum lie one behind the other}}
  sinter.contract (h = 4, i = 256) by (j = 192) by (e = 64)
      product (k = 64) (%q[h, k, i] : memref<4x64x256xbf16>, %k[h, j, k] : memref<4x192x64xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : memref<4x192x64xbf16>)
      outs(%y[h, i, e] : memref<4x256x64xbf16>) schedule(#sinter.mma<kernel = "wgmma", m = 128, n = 64, threads = 256, held = 1, stages = 4>) {
  ^row(%x: tensor<192xf32>, %m: tensor<192x64xbf16>):
    %r = arith.truncf %x : tensor<192xf32> to tensor<192xbf16>
    %u = sinter.row_product %r, %m : tensor<192xbf16>, tensor<192x64xbf16> -> tensor<64xf32>
    %z = arith.truncf %u : tensor<64xf32> to tensor<64xbf16>
    sinter.yield %z : tensor<64xbf16>
  }
  return
}

// -----

func.func private @shared_tiles(%q: memref<4x256x64xbf16>, %k: memref<4x192x64xbf16>, %v: memref<4x192x64xbf16>, %y: memref<4x256x64xbf16>) attributes {sinter.kernel} {
  // expected-error@+1 {{has a schedule with deal = "ticket", but its tiles are shared by blocks}}
  sinter.contract (h = 4, i = 256) by (j = 192) by (e = 64)
      product (k = 64) (%q[h, i, k] : memref<4x256x64xbf16>, %k[h, j, k] : memref<4x192x64xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : memref<4x192x64xbf16>)
      outs(%y[h, i, e] : memref<4x256x64xbf16>) schedule(#sinter.mma<kernel = "wgmma", m = 128, n = 64, threads = 256, deal = "ticket", split = 2, stages = 4>) {
  ^row(%x: tensor<192xf32>, %m: tensor<192x64xbf16>):
    %r = arith.truncf %x : tensor<192xf32> to tensor<192xbf16>
    %u = sinter.row_product %r, %m : tensor<192xbf16>, tensor<192x64xbf16> -> tensor<64xf32>
    %z = arith.truncf %u : tensor<64xf32> to tensor<64xbf16>
    sinter.yield %z : tensor<64xbf16>
  }
  return
}

// -----

func.func private @odd_threads(%q: memref<4x256x64xbf16>, %k: memref<4x192x64xbf16>, %v: memref<4x192x64xbf16>, %y: memref<4x256x64xbf16>) attributes {sinter.kernel} {
  // expected-error@+1 {{has a schedule with threads = 96, but a power of two}}
  sinter.contract (h = 4, i = 256) by (j = 192) by (e = 64)
      product (k = 64) (%q[h, i, k] : memref<4x256x64xbf16>, %k[h, j, k] : memref<4x192x64xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : memref<4x192x64xbf16>)
      outs(%y[h, i, e] : memref<4x256x64xbf16>) schedule(#sinter.mma<kernel = "mma.sync", m = 32, n = 64, threads = 96>) {
  ^row(%x: tensor<192xf32>, %m: tensor<192x64xbf16>):
    %r = arith.truncf %x : tensor<192xf32> to tensor<192xbf16>
    %u = sinter.row_product %r, %m : tensor<192xbf16>, tensor<192x64xbf16> -> tensor<64xf32>
    %z = arith.truncf %u : tensor<64xf32> to tensor<64xbf16>
    sinter.yield %z : tensor<64xbf16>
  }
  return
}
