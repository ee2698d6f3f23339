// RUN: sinter-opt --sinter-lower-gpu --canonicalize --cse --split-input-file %s | FileCheck %s

// 16 bytes are copied along k of the one side, along columns of the other, and lie as they did: ldmatrix turns the
// columns. Each warp has 32 by 16 of the tile, of whose sums a thread has 16. A slot is written while the other one may
// still be read: there is one barrier.

// CHECK-LABEL: gpu.func @product
// CHECK-COUNT-3: llvm.inline_asm has_side_effects "cp.async.cg.shared.global [$0], [$1], 16, $2;"
//       CHECK:   scf.for %[[K:.+]] = %c0 to %c96 step %c32
//       CHECK:     llvm.inline_asm has_side_effects "cp.async.wait_all;"
//  CHECK-NEXT:     gpu.barrier
// CHECK-COUNT-3:   llvm.inline_asm has_side_effects "cp.async.cg.shared.global [$0], [$1], 16, $2;"
// CHECK-COUNT-2:   llvm.inline_asm has_side_effects "ldmatrix.sync.aligned.m8n8.x4.shared.b16
//       CHECK:     llvm.inline_asm has_side_effects "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK-COUNT-4:   llvm.inline_asm "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK-COUNT-2:   llvm.inline_asm has_side_effects "ldmatrix.sync.aligned.m8n8.x4.shared.b16
//       CHECK:     llvm.inline_asm has_side_effects "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK-COUNT-4:   llvm.inline_asm "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
//   CHECK-NOT:     gpu.barrier
//       CHECK:     scf.yield
//       CHECK:   llvm.inline_asm has_side_effects "cp.async.wait_all;"
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

// -----

// A side that is widened goes through registers; the other one is copied, 8 bytes of lines of odd length at a time. A
// lane has pairs of the sum of one side, and elements of it of the other, whose lines are along columns.

// CHECK-LABEL: gpu.func @doubles
//       CHECK:   vector.load %arg0[%{{.+}}, %{{.+}}] {alignment = 16 : i64} : memref<64x96xf32>, vector<4xf32>
//       CHECK:   cp.async.ca.shared.global [$0], [$1], 8, $2;
//       CHECK:   scf.for
//       CHECK:     vector.store %{{.+}} {alignment = 16 : i64} : memref<64x24xf64, #gpu.address_space<workgroup>>, vector<4xf64>
//       CHECK:     gpu.barrier
//       CHECK:     vector.load %{{.+}} {alignment = 16 : i64} : memref<64x24xf64, #gpu.address_space<workgroup>>, vector<2xf64>
//       CHECK:     memref.load %{{.+}} {alignment = 8 : i64} : memref<32x34xf64, #gpu.address_space<workgroup>>
//       CHECK:     llvm.inline_asm "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {$0, $1, $2, $3}, {$4, $5, $6, $7, $8, $9, $10, $11}, {$12, $13, $14, $15}, {$16, $17, $18, $19};", "=d,=d,=d,=d,d,d,d,d,d,d,d,d,d,d,d,d,d,d,d,d"
func.func private @doubles(%x: memref<64x96xf32>, %w: memref<96x61xf64>, %y: memref<64x61xf64>) attributes {sinter.kernel} {
  sinter.contract (i = 64) by (j = 61) product (k = 96) (%x[i, k] : memref<64x96xf32>, %w[k, j] : memref<96x61xf64>) : f64
      outs(%y[i, j] : memref<64x61xf64>)
      schedule(#sinter.mma<kernel = "mma.f64", m = 32, n = 32, k = 16, threads = 64>) {
  ^row(%acc: tensor<61xf64>):
    sinter.yield %acc : tensor<61xf64>
  }
  return
}

// -----

// The instruction that chips before Hopper have: 8 rows, and 4 of the sum.

// CHECK-LABEL: gpu.func @small
// CHECK-COUNT-4: llvm.inline_asm "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {$0, $1}, {$2}, {$3}, {$4, $5};", "=d,=d,d,d,d,d"
func.func private @small(%x: memref<64x96xf64>, %w: memref<64x96xf64>, %y: memref<64x64xf64>) attributes {sinter.kernel} {
  sinter.contract (i = 64) by (j = 64) product (k = 96) (%x[i, k] : memref<64x96xf64>, %w[j, k] : memref<64x96xf64>) : f64
      outs(%y[i, j] : memref<64x64xf64>)
      schedule(#sinter.mma<kernel = "mma.f64.small", m = 32, n = 32, k = 16, threads = 64>) {
  ^row(%acc: tensor<64xf64>):
    sinter.yield %acc : tensor<64xf64>
  }
  return
}

// -----

// tf32: what lies along the sum comes by ldmatrix, what lies along columns lane by lane, and all is rounded.

// CHECK-LABEL: gpu.func @tf32
//       CHECK:   scf.for
//       CHECK:     ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-COUNT-4:   llvm.inline_asm "cvt.rna.tf32.f32 $0, $1;", "=r,r"
//       CHECK:     memref.load %{{.+}} : memref<32x40xi32, #gpu.address_space<workgroup>>
//       CHECK:     llvm.inline_asm "cvt.rna.tf32.f32
//       CHECK:     llvm.inline_asm "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
func.func private @tf32(%x: memref<64x96xf32>, %w: memref<96x64xf32>, %y: memref<64x64xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 64) by (j = 64) product (k = 96) (%x[i, k] : memref<64x96xf32>, %w[k, j] : memref<96x64xf32>) : f32
      outs(%y[i, j] : memref<64x64xf32>)
      schedule(#sinter.mma<kernel = "mma.tf32", m = 32, n = 32, k = 16, threads = 64>) {
  ^row(%acc: tensor<64xf32>):
    sinter.yield %acc : tensor<64xf32>
  }
  return
}

// -----

// f32 as three bf16: pairs of neighbours of the sum are split in registers, and six products are summed, the smallest
// first.

// CHECK-LABEL: gpu.func @parts
//       CHECK:   scf.for
//       CHECK:     vector.load %{{.+}} {alignment = 8 : i64} : memref<64x24xf32, #gpu.address_space<workgroup>>, vector<2xf32>
//       CHECK:     %[[HIGH:.+]] = llvm.call_intrinsic "llvm.nvvm.prmt"
//       CHECK:     arith.andi %{{.+}}, %c-65536_i32
//       CHECK:     arith.subf
//       CHECK:     llvm.call_intrinsic "llvm.nvvm.prmt"
//       CHECK:     arith.subf
//       CHECK:     %[[LOW:.+]] = llvm.call_intrinsic "llvm.nvvm.prmt"
//       CHECK:     memref.load %{{.+}} {alignment = 4 : i64} : memref<32x36xf32, #gpu.address_space<workgroup>>
//       CHECK:     "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32{{.*}} %[[LOW]],
// CHECK-COUNT-4:   "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
//       CHECK:     "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32{{.*}} %[[HIGH]],
func.func private @parts(%x: memref<64x96xf32>, %w: memref<96x64xf32>, %y: memref<64x64xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 64) by (j = 64) product (k = 96) (%x[i, k] : memref<64x96xf32>, %w[k, j] : memref<96x64xf32>) : f32
      outs(%y[i, j] : memref<64x64xf32>)
      schedule(#sinter.mma<kernel = "mma.parts", m = 32, n = 32, k = 16, threads = 64>) {
  ^row(%acc: tensor<64xf32>):
    sinter.yield %acc : tensor<64xf32>
  }
  return
}
