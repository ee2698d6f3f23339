// RUN: sinter-opt --sinter-lower-gpu --canonicalize --cse %s | FileCheck %s

// Tiles of 4 by 8 are dealt to two blocks. What the next turn multiplies is read while this one's is in a slot of
// shared memory; there are two of them, and one barrier. Elements are loaded without a branch, and looked at when they
// are put there: one bit of a word says of each whether it is one. Lines of a and b lie along k there. The row program
// sees four neighbours of the sums at a time, and asks for no ends where tiles have none.

// CHECK-LABEL: gpu.func @product
//       CHECK:   %[[SUMS:.+]] = memref.view {{.+}} to memref<4x8xf32, #gpu.address_space<workgroup>>
//       CHECK:   scf.for %{{.+}} = %{{.+}} to %c5 step %c2 {
//       CHECK:     %[[A:.+]] = memref.view {{.+}} to memref<16x8xf32, #gpu.address_space<workgroup>>
//       CHECK:     %[[B:.+]] = memref.view {{.+}} to memref<16x12xf32, #gpu.address_space<workgroup>>
//       CHECK:     %[[ROW:.+]] = arith.cmpi ult, %[[I:.+]], %c20
//       CHECK:     %[[IN:.+]] = arith.andi %{{.+}}, %[[ROW]]
//       CHECK:     %[[LINE:.+]] = arith.muli %[[I]], %c13
//       CHECK:     %[[PLACE:.+]] = arith.addi %[[LINE]], %{{.+}}
//       CHECK:     %[[FLAT:.+]] = memref.reinterpret_cast %arg0 {{.+}} to memref<260xf32>
//       CHECK:     %[[AT:.+]] = arith.select %[[IN]], %[[PLACE]], %c0
//       CHECK:     %[[X:.+]] = memref.load %[[FLAT]][%[[AT]]]
//       CHECK:     %[[IS:.+]] = arith.extui %[[IN]] : i1 to i32
//       CHECK:     %[[W:.+]] = memref.load
//       CHECK:     scf.for %{{.+}} = %c0 to %c13 step %c8 iter_args(%{{.+}} = %cst, %[[X0:.+]] = %[[X]], %[[IS0:.+]] = %[[IS]], %[[W0:.+]] = %[[W]],
//       CHECK:       %[[BIT:.+]] = arith.andi %[[IS0]], %c1_i32
//       CHECK:       %[[THERE:.+]] = arith.cmpi ne, %[[BIT]], %c0_i32
//       CHECK:       %[[V:.+]] = arith.select %[[THERE]], %[[X0]], %cst
//       CHECK:       memref.store %[[V]], %[[A]]
//       CHECK:       arith.select %{{.+}}, %[[W0]], %cst
//       CHECK:       memref.store %{{.+}}, %[[B]]
//       CHECK:       gpu.barrier
//   CHECK-NOT:       scf.if
//       CHECK:       memref.load %[[FLAT]]
//       CHECK:       memref.load %[[A]][%{{.+}},
//       CHECK:       memref.load %[[B]][%{{.+}},
// CHECK-COUNT-8:     math.fma
//   CHECK-NOT:       gpu.barrier
//       CHECK:     memref.store %{{.+}}, %[[SUMS]]
//       CHECK:     gpu.barrier
//       CHECK:     scf.for
//   CHECK-NOT:       scf.if
//       CHECK:       %[[P:.+]] = vector.load %[[SUMS]][{{.+}}] {alignment = 16 : i64}
//       CHECK:       %[[C:.+]] = vector.load %arg2[{{.+}}] {alignment = 16 : i64}
//       CHECK:       %[[S:.+]] = arith.addf %[[P]], %[[C]] : vector<4xf32>
//       CHECK:       vector.store %[[S]], %arg3[{{.+}}] {alignment = 16 : i64}
//       CHECK:     gpu.barrier
func.func private @product(%x: memref<20x13xf32>, %w: memref<8x13xf32>, %c: memref<8xf32>, %y: memref<20x8xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 20) by (j = 8) product (k = 13) (%x[i, k] : memref<20x13xf32>, %w[j, k] : memref<8x13xf32>) : f32
      ins(%c[j] : memref<8xf32>) outs(%y[i, j] : memref<20x8xf32>)
      schedule(#sinter.mma<m = 4, n = 8, k = 8, threads = 32, blocks = 2>) {
  ^row(%acc: tensor<8xf32>, %b: tensor<8xf32>):
    %s = arith.addf %acc, %b : tensor<8xf32>
    sinter.yield %s : tensor<8xf32>
  }
  return
}

// What both sides use is one for a tile, whether it is of the rows or of the columns; here each tile has one column.

// CHECK-LABEL: gpu.func @both
//       CHECK:   scf.for %[[T:.+]] = %block_id_x to %c40 step
//       CHECK:     %[[COLUMN:.+]] = arith.divui %[[T]], %c5 : index
//       CHECK:     arith.muli %{{.+}}, %c8 : index
//  CHECK-NEXT:     arith.addi %{{.+}}, %[[COLUMN]] : index
//       CHECK:     arith.muli %[[COLUMN]], %c5 : index
func.func private @both(%x: memref<20x8x5xf32>, %w: memref<8x5xf32>, %y: memref<20x8xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 20) by (j = 8) product (k = 5) (%x[i, j, k] : memref<20x8x5xf32>, %w[j, k] : memref<8x5xf32>) : f32
      outs(%y[i, j] : memref<20x8xf32>) schedule(#sinter.mma<m = 4, n = 8, k = 8, threads = 32, blocks = 2>) {
  ^row(%acc: tensor<8xf32>):
    sinter.yield %acc : tensor<8xf32>
  }
  return
}

// By ticket: thread 0 of a block draws the next tile's number, for all of the block; who draws last leaves 0.

// CHECK-LABEL: gpu.func @ticket
//  CHECK-SAME:   %[[TAG:[a-z0-9]+]]: i64) workgroup(
//       CHECK:   scf.while : () -> index {
//       CHECK:     gpu.barrier
//       CHECK:     scf.if
//       CHECK:       %[[OLD:.+]] = llvm.inline_asm has_side_effects "atom.relaxed.gpu.global.add.u64
//       CHECK:       %[[LAST:.+]] = arith.cmpi eq, %[[OLD]],
//       CHECK:       scf.if %[[LAST]]
//       CHECK:         "atom.relaxed.gpu.global.exch.b64
//       CHECK:       %[[NUMBER:.+]] = arith.subi %[[OLD]], %[[TAG]]
//       CHECK:       memref.store
//       CHECK:     gpu.barrier
//       CHECK:     %[[NEXT:.+]] = memref.load
//       CHECK:     %[[MORE:.+]] = arith.cmpi ult, %[[NEXT]], %c5
//       CHECK:     scf.condition(%[[MORE]]) %[[NEXT]] : index
//       CHECK:   } do {
//       CHECK:     math.fma
func.func private @ticket(%x: memref<20x5xf32>, %w: memref<8x5xf32>, %y: memref<20x8xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 20) by (j = 8) product (k = 5) (%x[i, k] : memref<20x5xf32>, %w[j, k] : memref<8x5xf32>) : f32
      outs(%y[i, j] : memref<20x8xf32>)
      schedule(#sinter.mma<m = 4, n = 8, k = 8, threads = 32, blocks = 2, deal = "ticket">) {
  ^row(%acc: tensor<8xf32>):
    sinter.yield %acc : tensor<8xf32>
  }
  return
}

// Weights [o, c, r] lie along all that is summed: its number alone says where. A window's taps are taken apart, and of
// its subscripts those are compared with their sizes that may be beside them.

// CHECK-LABEL: gpu.func @window
//       CHECK:   scf.for
//       CHECK:     %[[W:.+]] = memref.reinterpret_cast %arg1 {{.+}} to memref<165xf32>
//       CHECK:     scf.for %[[K:.+]] = %c0 to %c15 step %c8
//       CHECK:       %[[NEXT:.+]] = arith.addi %[[K]], %c8
//       CHECK:       %[[SUMMED:.+]] = arith.addi %[[NEXT]],
//       CHECK:       %[[TAP:.+]] = arith.remui %[[SUMMED]], %c5
//       CHECK:       arith.addi %{{.+}}, %[[TAP]]
//       CHECK:       %[[INSIDE:.+]] = arith.cmpi ult, %{{.+}}, %c40
//  CHECK-NEXT:       arith.andi %{{.+}}, %[[INSIDE]]
//   CHECK-NOT:       arith.cmpi ult, %{{.+}}, %c3 :
//       CHECK:       %[[AT:.+]] = arith.addi %{{.+}}, %[[SUMMED]]
//       CHECK:       %[[PLACE:.+]] = arith.select %{{.+}}, %[[AT]], %c0
//       CHECK:       memref.load %[[W]][%[[PLACE]]]
func.func private @window(%x: memref<2x3x40xf32>, %w: memref<11x3x5xf32>, %y: memref<2x40x11xf32>) attributes {sinter.kernel} {
  sinter.contract (n = 2, i = 40) by (o = 11) product (c = 3, r = 5) (%x[n, c, i + r - 2] : memref<2x3x40xf32> else 0.0, %w[o, c, r] : memref<11x3x5xf32>) : f32
      outs(%y[n, i, o] : memref<2x40x11xf32>) schedule(#sinter.mma<m = 16, n = 16, k = 8, threads = 128, blocks = 2>) {
  ^row(%acc: tensor<11xf32>):
    sinter.yield %acc : tensor<11xf32>
  }
  return
}

// -----

// Two products of the same rows are one loop where a thread has room for both sums: an element of the rows is loaded
// once, and each product has slots of its own.

// CHECK-LABEL: gpu.func @same_rows
//       CHECK:   memref.view %{{.+}} : memref<{{.+}}xi8, #gpu.address_space<workgroup>> to memref<16x36xf32, #gpu.address_space<workgroup>>
//       CHECK:   memref.view %{{.+}} : memref<{{.+}}xi8, #gpu.address_space<workgroup>> to memref<32x20xf32, #gpu.address_space<workgroup>>
//       CHECK:   scf.for
//       CHECK:     gpu.barrier
// CHECK-COUNT-128: math.fma
//       CHECK:     scf.yield
//   CHECK-NOT:   math.fma
//       CHECK:   gpu.return
func.func private @same_rows(%x: memref<64x64xf32>, %u: memref<64x64xf32>, %v: memref<64x64xf32>, %y: memref<64x64xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 64) by (j = 64) product (k = 64) (%x[i, k] : memref<64x64xf32>, %u[k, j] : memref<64x64xf32>) : f32
      product (l = 64) (%x[i, l] : memref<64x64xf32>, %v[l, j] : memref<64x64xf32>) : f32
      outs(%y[i, j] : memref<64x64xf32>)
      schedule(#sinter.mma<kernel = "fma", m = 32, n = 16, k = 8, threads = 64>) {
  ^row(%p: tensor<64xf32>, %q: tensor<64xf32>):
    %r = arith.mulf %p, %q : tensor<64xf32>
    sinter.yield %r : tensor<64xf32>
  }
  return
}
