// RUN: sinter-opt --sinter-lower-gpu --canonicalize --cse --split-input-file %s | FileCheck %s

// Under a mask of -1e9 warpgroups go over their tiles twice: the second time over those of which some row has a
// reference that is not above it by far, and all blocks are made. Who fetches waits for what warps say once, behind the
// last tile of the first time.

// CHECK-LABEL: gpu.func @warpgroups
//       CHECK:   nvvm.setmaxregister increase
//       CHECK:   scf.for %[[ROUND:.+]] = %c0 to %c2 step %c1 iter_args({{.*}}%[[ASKED:.+]] = %c-1_i32)
//       CHECK:     arith.cmpi ne, %[[ASKED]], %c0_i32
//       CHECK:     %[[WHOLE:.+]] = arith.cmpi eq, %[[ROUND]], %c1
//       CHECK:     arith.select %[[WHOLE]], %c300
//       CHECK:     %[[LOW:.+]] = arith.cmpf ule, %{{.+}}, %cst
//       CHECK:     nvvm.vote.sync any
//       CHECK:   nvvm.elect.sync
//       CHECK:   scf.for %{{.+}} = %c0 to %c2 step %c1
//       CHECK:     cp.async.bulk.tensor
func.func private @warpgroups(%q: memref<300x64xbf16>, %k: memref<300x64xbf16>, %v: memref<300x64xbf16>, %y: memref<300x64xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 300) by (j = 300) by (e = 64)
      product (k = 64) (%q[i, k] : memref<300x64xbf16>, %k[j, k] : memref<300x64xbf16>) : f32
      matrix (j) to (e) (%v[j, e] : memref<300x64xbf16>)
      outs(%y[i, e] : memref<300x64xf32>) schedule(#sinter.mma<kernel = "wgmma", m = 128, n = 64, threads = 256, stages = 4, blocks = 2>) {
  ^row(%x: tensor<300xf32>, %m: tensor<300x64xbf16>):
    %i = sinter.index i : index
    %j = sinter.index j : tensor<300xindex>
    %is = sinter.broadcast %i : index -> tensor<300xindex>
    %seen = arith.cmpi sle, %j, %is : tensor<300xindex>
    %least = arith.constant dense<-1.0e9> : tensor<300xf32>
    %s = arith.select %seen, %x, %least : tensor<300xi1>, tensor<300xf32>
    %mx = sinter.row_reduce maximumf %s : tensor<300xf32> -> f32
    %ms = sinter.broadcast %mx : f32 -> tensor<300xf32>
    %d = arith.subf %s, %ms : tensor<300xf32>
    %e = math.exp %d : tensor<300xf32>
    %z = sinter.row_reduce add %e : tensor<300xf32> -> f32
    %one = arith.constant 1.0 : f32
    %r = arith.divf %one, %z : f32
    %rs = sinter.broadcast %r : f32 -> tensor<300xf32>
    %w = arith.mulf %e, %rs : tensor<300xf32>
    %h = arith.truncf %w : tensor<300xf32> to tensor<300xbf16>
    %u = sinter.row_product %h, %m : tensor<300xbf16>, tensor<300x64xbf16> -> tensor<64xf32>
    sinter.yield %u : tensor<64xf32>
  }
  return
}

// -----

// Threads that fetch for themselves make the tile again at once.

// CHECK-LABEL: gpu.func @warps
//       CHECK:   scf.for %[[TURN:.+]] = %c0 to %c2 step %c1 iter_args(%[[ASKED:.+]] = %c1_i32)
//       CHECK:     scf.if
//       CHECK:     arith.cmpf ule
//       CHECK:     nvvm.vote.sync any
//       CHECK:     gpu.barrier
//       CHECK:     memref.store
//       CHECK:     gpu.barrier
func.func private @warps(%q: memref<300x64xbf16>, %k: memref<300x64xbf16>, %v: memref<300x64xbf16>, %y: memref<300x64xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 300) by (j = 300) by (e = 64)
      product (k = 64) (%q[i, k] : memref<300x64xbf16>, %k[j, k] : memref<300x64xbf16>) : f32
      matrix (j) to (e) (%v[j, e] : memref<300x64xbf16>)
      outs(%y[i, e] : memref<300x64xf32>) schedule(#sinter.mma<kernel = "mma.sync", m = 32, n = 32, k = 16, threads = 64>) {
  ^row(%x: tensor<300xf32>, %m: tensor<300x64xbf16>):
    %i = sinter.index i : index
    %j = sinter.index j : tensor<300xindex>
    %is = sinter.broadcast %i : index -> tensor<300xindex>
    %seen = arith.cmpi sle, %j, %is : tensor<300xindex>
    %least = arith.constant dense<-1.0e9> : tensor<300xf32>
    %s = arith.select %seen, %x, %least : tensor<300xi1>, tensor<300xf32>
    %mx = sinter.row_reduce maximumf %s : tensor<300xf32> -> f32
    %ms = sinter.broadcast %mx : f32 -> tensor<300xf32>
    %d = arith.subf %s, %ms : tensor<300xf32>
    %e = math.exp %d : tensor<300xf32>
    %z = sinter.row_reduce add %e : tensor<300xf32> -> f32
    %one = arith.constant 1.0 : f32
    %r = arith.divf %one, %z : f32
    %rs = sinter.broadcast %r : f32 -> tensor<300xf32>
    %w = arith.mulf %e, %rs : tensor<300xf32>
    %h = arith.truncf %w : tensor<300xf32> to tensor<300xbf16>
    %u = sinter.row_product %h, %m : tensor<300xbf16>, tensor<300x64xbf16> -> tensor<64xf32>
    sinter.yield %u : tensor<64xf32>
  }
  return
}

// -----

// Blocks that share a tile's columns leave nothing out, as none of them knows all maxima.

// CHECK-LABEL: gpu.func @parts
//   CHECK-NOT:   arith.cmpf ule
//       CHECK:   gpu.return
func.func private @parts(%q: memref<300x64xbf16>, %k: memref<300x64xbf16>, %v: memref<300x64xbf16>, %y: memref<300x64xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 300) by (j = 300) by (e = 64)
      product (k = 64) (%q[i, k] : memref<300x64xbf16>, %k[j, k] : memref<300x64xbf16>) : f32
      matrix (j) to (e) (%v[j, e] : memref<300x64xbf16>)
      outs(%y[i, e] : memref<300x64xf32>) schedule(#sinter.mma<kernel = "wgmma", m = 128, n = 64, threads = 256, stages = 4, split = 2>) {
  ^row(%x: tensor<300xf32>, %m: tensor<300x64xbf16>):
    %i = sinter.index i : index
    %j = sinter.index j : tensor<300xindex>
    %is = sinter.broadcast %i : index -> tensor<300xindex>
    %seen = arith.cmpi sle, %j, %is : tensor<300xindex>
    %least = arith.constant dense<-1.0e9> : tensor<300xf32>
    %s = arith.select %seen, %x, %least : tensor<300xi1>, tensor<300xf32>
    %mx = sinter.row_reduce maximumf %s : tensor<300xf32> -> f32
    %ms = sinter.broadcast %mx : f32 -> tensor<300xf32>
    %d = arith.subf %s, %ms : tensor<300xf32>
    %e = math.exp %d : tensor<300xf32>
    %z = sinter.row_reduce add %e : tensor<300xf32> -> f32
    %one = arith.constant 1.0 : f32
    %r = arith.divf %one, %z : f32
    %rs = sinter.broadcast %r : f32 -> tensor<300xf32>
    %w = arith.mulf %e, %rs : tensor<300xf32>
    %h = arith.truncf %w : tensor<300xf32> to tensor<300xbf16>
    %u = sinter.row_product %h, %m : tensor<300xbf16>, tensor<300x64xbf16> -> tensor<64xf32>
    sinter.yield %u : tensor<64xf32>
  }
  return
}
