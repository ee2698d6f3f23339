// RUN: sinter-opt --sinter-lower-gpu --canonicalize --cse %s | FileCheck %s

// Vectors of 16 bytes are read along k of the one side, along columns of the other, and stored as they are: ldmatrix
// turns the columns. Each warp has 32 by 16 of the tile, of whose sums a thread has 16. A slot is written while the
// other one may still be read: there is one barrier.

// CHECK-LABEL: gpu.func @product
//       CHECK:   vector.load %arg0[%{{.+}}, %{{.+}}] {alignment = 16 : i64} : memref<64x96xbf16>, vector<8xbf16>
//       CHECK:   vector.load %arg1[%{{.+}}, %{{.+}}] {alignment = 16 : i64} : memref<96x64xbf16>, vector<8xbf16>
//       CHECK:   scf.for %[[K:.+]] = %c0 to %c96 step %c32
//       CHECK:     vector.store %{{.+}}, %{{.+}} {alignment = 16 : i64} : memref<64x40xbf16, #gpu.address_space<workgroup>>, vector<8xbf16>
//       CHECK:     vector.store %{{.+}}, %{{.+}} {alignment = 16 : i64} : memref<64x72xbf16, #gpu.address_space<workgroup>>, vector<8xbf16>
//       CHECK:     gpu.barrier
// CHECK-COUNT-2:   llvm.inline_asm has_side_effects "ldmatrix.sync.aligned.m8n8.x4.shared.b16
//       CHECK:     llvm.inline_asm has_side_effects "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK-COUNT-4:   llvm.inline_asm "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK-COUNT-2:   llvm.inline_asm has_side_effects "ldmatrix.sync.aligned.m8n8.x4.shared.b16
//       CHECK:     llvm.inline_asm has_side_effects "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK-COUNT-4:   llvm.inline_asm "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
//   CHECK-NOT:     gpu.barrier
//       CHECK:     scf.yield
//       CHECK:   vector.store %{{.+}} {alignment = 8 : i64} : memref<32x64xf32, #gpu.address_space<workgroup>>, vector<2xf32>
func.func private @product(%x: memref<64x96xbf16>, %w: memref<96x64xbf16>, %y: memref<64x64xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 64) by (j = 64) product (k = 96) (%x[i, k] : memref<64x96xbf16>, %w[k, j] : memref<96x64xbf16>) : f32
      outs(%y[i, j] : memref<64x64xf32>)
      schedule(#sinter.mma<kernel = "mma.sync", m = 32, n = 64, k = 32, threads = 128>) {
  ^row(%acc: tensor<64xf32>):
    sinter.yield %acc : tensor<64xf32>
  }
  return
}
