// RUN: sinter-opt --sinter-lower-gpu --canonicalize --cse --split-input-file --verify-diagnostics %s | FileCheck %s

// Three slots of lines of 128 bytes: two are asked for first, one more in each turn, behind the barrier that says that
// nobody reads the one before any more. A scale for each 64 is loaded a turn ahead. Of a slot a lane has 16 bytes of a
// line, which become rows of mma.sync in registers; no matrix is loaded, and none is turned.

// CHECK-LABEL: gpu.func @bytes
//  CHECK-SAME:   nvvm.reqntid = array<i32: 128>
//       CHECK:   cp.async.cg.shared.global [$0], [$1], 16;
//       CHECK:   cp.async.commit_group;
//       CHECK:   cp.async.commit_group;
//       CHECK:   memref.load %{{.+}} : memref<512x32xf32>
//       CHECK:   scf.for
//       CHECK:     cp.async.wait_group 1;
//       CHECK:     gpu.barrier
//       CHECK:     cp.async.commit_group;
//       CHECK:     memref.load %{{.+}} : memref<512x32xf32>
//   CHECK-NOT:     ldmatrix
//       CHECK:     vector.load %{{.+}} : memref<{{.+}}xi8, #gpu.address_space<workgroup>>, vector<16xi8>
//       CHECK:     arith.sitofp %{{.+}} : vector<4xi8> to vector<4xf32>
//       CHECK:     arith.truncf %{{.+}} : vector<4xf32> to vector<4xbf16>
//       CHECK:     mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
//       CHECK:     scf.yield
//       CHECK:   cp.async.wait_all;
func.func private @bytes(%x: memref<8x2048xbf16>, %w: memref<512x2048xi8>, %s: memref<512x32xf32>, %y: memref<8x512xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 8) by (j = 512) product (k = 32, l = 64) (%x[i, k * 64 + l] : memref<8x2048xbf16>,
      side(%w[j, k * 64 + l] : memref<512x2048xi8>, %s[j, k] : memref<512x32xf32>) {
  ^side(%q: tensor<2048xi8>, %g: tensor<2048xf32>):
    %f = arith.sitofp %q : tensor<2048xi8> to tensor<2048xf32>
    %d = arith.mulf %f, %g : tensor<2048xf32>
    %t = arith.truncf %d : tensor<2048xf32> to tensor<2048xbf16>
    sinter.yield %t : tensor<2048xbf16>
  }) : f32
      outs(%y[i, j] : memref<8x512xf32>)
      schedule(#sinter.mma<kernel = "mma.stream", m = 8, n = 64, k = 128, threads = 128, stages = 3>) {
  ^row(%acc: tensor<512xf32>):
    sinter.yield %acc : tensor<512xf32>
  }
  return
}

// -----

// Of two numbers in a byte a lane has 32, and which of them is known in each vector.

// CHECK-LABEL: gpu.func @halves_of_bytes
//       CHECK:     scf.for
//       CHECK:     %[[Q:.+]] = vector.from_elements %[[A:.+]], %[[A]], %[[B:.+]], %[[B]] : vector<4xi8>
//       CHECK:     arith.select %cst{{.*}}, %{{.+}}, %{{.+}} : vector<4xi1>, vector<4xi8>
//   CHECK-NOT:     vector<4xindex>
//       CHECK:     mma.sync
func.func private @halves_of_bytes(%x: memref<8x2048xbf16>, %w: memref<512x1024xi8>, %y: memref<8x512xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 8) by (j = 512) product (k = 1024, m = 2) (%x[i, k * 2 + m] : memref<8x2048xbf16>,
      side(%w[j, k] : memref<512x1024xi8>) {
  ^side(%q: tensor<2048xi8>):
    %c15 = arith.constant dense<15> : tensor<2048xi8>
    %c4 = arith.constant dense<4> : tensor<2048xi8>
    %c0 = arith.constant dense<0> : tensor<2048xindex>
    %m = sinter.index m : tensor<2048xindex>
    %is = arith.cmpi eq, %m, %c0 : tensor<2048xindex>
    %low = arith.andi %q, %c15 : tensor<2048xi8>
    %high = arith.shrui %q, %c4 : tensor<2048xi8>
    %u = arith.select %is, %low, %high : tensor<2048xi1>, tensor<2048xi8>
    %f = arith.uitofp %u : tensor<2048xi8> to tensor<2048xbf16>
    sinter.yield %f : tensor<2048xbf16>
  }) : f32
      outs(%y[i, j] : memref<8x512xf32>)
      schedule(#sinter.mma<kernel = "mma.stream", m = 8, n = 64, k = 256, threads = 128, stages = 2>) {
  ^row(%acc: tensor<512xf32>):
    sinter.yield %acc : tensor<512xf32>
  }
  return
}

// -----

func.func private @slot_too_short(%x: memref<8x2048xbf16>, %w: memref<512x2048xbf16>, %y: memref<8x512xf32>) attributes {sinter.kernel} {
  // expected-error @below {{has a schedule with k = 128, and four lanes have 32 or 64 summed elements at a time}}
  sinter.contract (i = 8) by (j = 512) product (k = 2048) (%x[i, k] : memref<8x2048xbf16>, %w[j, k] : memref<512x2048xbf16>) : f32
      outs(%y[i, j] : memref<8x512xf32>)
      schedule(#sinter.mma<kernel = "mma.stream", m = 8, n = 64, k = 128, threads = 128, stages = 2>) {
  ^row(%acc: tensor<512xf32>):
    sinter.yield %acc : tensor<512xf32>
  }
  return
}

// -----

func.func private @one_slot(%x: memref<8x2048xbf16>, %w: memref<512x2048xbf16>, %y: memref<8x512xf32>) attributes {sinter.kernel} {
  // expected-error @below {{has a schedule with m = 8, n = 64, stages = 1, which threads = 128 cannot share by mma.stream}}
  sinter.contract (i = 8) by (j = 512) product (k = 2048) (%x[i, k] : memref<8x2048xbf16>, %w[j, k] : memref<512x2048xbf16>) : f32
      outs(%y[i, j] : memref<8x512xf32>)
      schedule(#sinter.mma<kernel = "mma.stream", m = 8, n = 64, k = 64, threads = 128, stages = 1>) {
  ^row(%acc: tensor<512xf32>):
    sinter.yield %acc : tensor<512xf32>
  }
  return
}

// -----

func.func private @weights_by_columns(%x: memref<8x2048xbf16>, %w: memref<2048x512xbf16>, %y: memref<8x512xf32>) attributes {sinter.kernel} {
  // expected-error @below {{has a schedule with kernel = "mma.stream", which cannot have it: its weights do not lie along what is summed, in pieces of 16 bytes}}
  sinter.contract (i = 8) by (j = 512) product (k = 2048) (%x[i, k] : memref<8x2048xbf16>, %w[k, j] : memref<2048x512xbf16>) : f32
      outs(%y[i, j] : memref<8x512xf32>)
      schedule(#sinter.mma<kernel = "mma.stream", m = 8, n = 64, k = 64, threads = 128, stages = 2>) {
  ^row(%acc: tensor<512xf32>):
    sinter.yield %acc : tensor<512xf32>
  }
  return
}

// -----

func.func private @another_kernel(%x: memref<8x2048xbf16>, %w: memref<512x2048xi8>, %y: memref<8x512xf32>) attributes {sinter.kernel} {
  // expected-error @below {{has a schedule with kernel = "mma.sync", and a side that is computed, which "mma.stream" has}}
  sinter.contract (i = 8) by (j = 512) product (k = 2048) (%x[i, k] : memref<8x2048xbf16>, side(%w[j, k] : memref<512x2048xi8>) {
  ^side(%q: tensor<2048xi8>):
    %t = arith.sitofp %q : tensor<2048xi8> to tensor<2048xbf16>
    sinter.yield %t : tensor<2048xbf16>
  }) : f32
      outs(%y[i, j] : memref<8x512xf32>)
      schedule(#sinter.mma<kernel = "mma.sync", m = 16, n = 128, k = 32, threads = 128>) {
  ^row(%acc: tensor<512xf32>):
    sinter.yield %acc : tensor<512xf32>
  }
  return
}

// -----

// Two products of the same rows: a slot has the lines of both, behind each other, and the rows once. Of a slot a lane
// loads its words of the rows once, too, for 8 steps of each product.

// CHECK-LABEL: gpu.func @gate
//       CHECK:     scf.for
//       CHECK:       gpu.barrier
//       CHECK:       cp.async.commit_group
// CHECK-COUNT-2:     vector.load %{{.+}} : memref<{{.+}}xi8, #gpu.address_space<workgroup>>, vector<16xi8>
// CHECK-COUNT-8:     mma.sync.aligned.m16n8k16
//   CHECK-NOT:       mma.sync
//       CHECK:     scf.yield
func.func private @gate(%x: memref<8x2048xbf16>, %u: memref<512x2048xbf16>, %v: memref<512x2048xbf16>, %y: memref<8x512xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 8) by (j = 512) product (k = 2048) (%x[i, k] : memref<8x2048xbf16>, %u[j, k] : memref<512x2048xbf16>) : f32
      product (l = 2048) (%x[i, l] : memref<8x2048xbf16>, %v[j, l] : memref<512x2048xbf16>) : f32
      outs(%y[i, j] : memref<8x512xf32>)
      schedule(#sinter.mma<kernel = "mma.stream", m = 8, n = 64, k = 64, threads = 128, stages = 3>) {
  ^row(%p: tensor<512xf32>, %q: tensor<512xf32>):
    %r = arith.mulf %p, %q : tensor<512xf32>
    sinter.yield %r : tensor<512xf32>
  }
  return
}

// -----

func.func private @gate_of_other_rows(%x: memref<8x2048xbf16>, %z: memref<8x2048xbf16>, %u: memref<512x2048xbf16>, %v: memref<512x2048xbf16>, %y: memref<8x512xf32>) attributes {sinter.kernel} {
  // expected-error @below {{which cannot have it: its products have other rows, or weights of other lines}}
  sinter.contract (i = 8) by (j = 512) product (k = 2048) (%x[i, k] : memref<8x2048xbf16>, %u[j, k] : memref<512x2048xbf16>) : f32
      product (l = 2048) (%z[i, l] : memref<8x2048xbf16>, %v[j, l] : memref<512x2048xbf16>) : f32
      outs(%y[i, j] : memref<8x512xf32>)
      schedule(#sinter.mma<kernel = "mma.stream", m = 8, n = 64, k = 64, threads = 128, stages = 3>) {
  ^row(%p: tensor<512xf32>, %q: tensor<512xf32>):
    %r = arith.mulf %p, %q : tensor<512xf32>
    sinter.yield %r : tensor<512xf32>
  }
  return
}

// -----

// More warps than columns need: two groups of two warps each have half of each line's pieces, and the second one adds
// its sums to the first one's behind a barrier.

// CHECK-LABEL: gpu.func @groups
//       CHECK:     scf.for
// CHECK-COUNT-4:     mma.sync.aligned.m16n8k16
//   CHECK-NOT:       mma.sync
//       CHECK:     scf.yield
//       CHECK:   memref.store
//       CHECK:   gpu.barrier
//       CHECK:   arith.addf
func.func private @groups(%x: memref<8x2048xbf16>, %u: memref<512x2048xbf16>, %y: memref<8x512xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 8) by (j = 512) product (k = 2048) (%x[i, k] : memref<8x2048xbf16>, %u[j, k] : memref<512x2048xbf16>) : f32
      outs(%y[i, j] : memref<8x512xf32>)
      schedule(#sinter.mma<kernel = "mma.stream", m = 8, n = 32, k = 128, threads = 128, stages = 3>) {
  ^row(%p: tensor<512xf32>):
    sinter.yield %p : tensor<512xf32>
  }
  return
}

// -----

func.func private @groups_without_pieces(%x: memref<8x2048xbf16>, %u: memref<512x2048xbf16>, %y: memref<8x512xf32>) attributes {sinter.kernel} {
  // expected-error @below {{has a schedule with k = 32, and four lanes have 64 or 128 summed elements at a time}}
  sinter.contract (i = 8) by (j = 512) product (k = 2048) (%x[i, k] : memref<8x2048xbf16>, %u[j, k] : memref<512x2048xbf16>) : f32
      outs(%y[i, j] : memref<8x512xf32>)
      schedule(#sinter.mma<kernel = "mma.stream", m = 8, n = 32, k = 32, threads = 128, stages = 3>) {
  ^row(%p: tensor<512xf32>):
    sinter.yield %p : tensor<512xf32>
  }
  return
}

// -----

// Lines that begin anywhere: a unit in front of each line's place, of which so many bytes are copied as are of the sum;
// the last unit of each line is a thread's. A lane takes five words, and shifts two at a time.

// CHECK-LABEL: gpu.func @odd_lines
//       CHECK:   scf.for
//       CHECK:     %[[N:.+]] = arith.minsi %{{.+}}, %c8
//       CHECK:     %[[AT_LEAST:.+]] = arith.maxsi %[[N]], %c0
//       CHECK:     cp.async.cg.shared.global [$0], [$1], 16, $2;
// CHECK-COUNT-5:   vector.load %{{.+}} : memref<{{.+}}xi8, #gpu.address_space<workgroup>>, vector<4xi8>
//       CHECK:     arith.shrui %{{.+}} : i64
//       CHECK:     mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
func.func private @odd_lines(%x: memref<5x203xf16>, %w: memref<70x203xf16>, %y: memref<5x70xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 5) by (j = 70) product (k = 203) (%x[i, k] : memref<5x203xf16>, %w[j, k] : memref<70x203xf16>) : f32
      outs(%y[i, j] : memref<5x70xf32>)
      schedule(#sinter.mma<kernel = "mma.stream", m = 8, n = 64, k = 64, threads = 128, stages = 3>) {
  ^row(%acc: tensor<70xf32>):
    sinter.yield %acc : tensor<70xf32>
  }
  return
}
