// RUN: sinter-opt --sinter-lower-gpu --canonicalize --cse --split-input-file %s | FileCheck %s

// What a warp's lanes take of both sides for one mma.sync, by types and by which way lines of shared memory lie.

// Lines of a along its rows, of 16 bits: ldmatrix turns a, not b.

// CHECK-LABEL: gpu.func @turned_a
//       CHECK:   scf.for
// CHECK-COUNT-2:   ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
//       CHECK:     ldmatrix.sync.aligned.m8n8.x4.shared.b16
//       CHECK:     mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
func.func private @turned_a(%x: memref<96x64xf16>, %w: memref<64x96xf16>, %y: memref<64x64xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 64) by (j = 64) product (k = 96) (%x[k, i] : memref<96x64xf16>, %w[j, k] : memref<64x96xf16>) : f32
      outs(%y[i, j] : memref<64x64xf32>)
      schedule(#sinter.mma<kernel = "mma.sync", m = 32, n = 64, k = 32, threads = 128>) {
  ^row(%acc: tensor<64xf32>):
    sinter.yield %acc : tensor<64xf32>
  }
  return
}

// -----

// Bytes are not turned by ldmatrix: lines are along the sum, written so. 32 of them are the eight words of k.

// CHECK-LABEL: gpu.func @bytes
//   CHECK-NOT:   .trans
//       CHECK:   ldmatrix.sync.aligned.m8n8.x4.shared.b16
//       CHECK:   mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
//   CHECK-NOT:   .trans
func.func private @bytes(%x: memref<64x96xi8>, %w: memref<96x64xi8>, %y: memref<64x64xi32>) attributes {sinter.kernel} {
  sinter.contract (i = 64) by (j = 64) product (k = 96) (%x[i, k] : memref<64x96xi8>, %w[k, j] : memref<96x64xi8>) : i32
      outs(%y[i, j] : memref<64x64xi32>)
      schedule(#sinter.mma<kernel = "mma.sync", m = 32, n = 64, k = 32, threads = 128>) {
  ^row(%acc: tensor<64xi32>):
    sinter.yield %acc : tensor<64xi32>
  }
  return
}

// -----

// Floats of 8 bits are widened on their way to shared memory; fragments are those of bf16.

// CHECK-LABEL: gpu.func @float8
//       CHECK:   vector.load %{{.+}} {alignment = {{.+}}} : memref<64x96xf8E4M3FN>, vector<[[N:.+]]xf8E4M3FN>
//       CHECK:   arith.extf %{{.+}} : vector<[[N]]xf8E4M3FN> to vector<[[N]]xbf16>
//       CHECK:   ldmatrix.sync.aligned.m8n8.x4.shared.b16
//       CHECK:   mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
func.func private @float8(%x: memref<64x96xf8E4M3FN>, %w: memref<64x96xf8E5M2>, %y: memref<64x64xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 64) by (j = 64) product (k = 96) (%x[i, k] : memref<64x96xf8E4M3FN>, %w[j, k] : memref<64x96xf8E5M2>) : f32
      outs(%y[i, j] : memref<64x64xf32>)
      schedule(#sinter.mma<kernel = "mma.sync", m = 32, n = 64, k = 32, threads = 128>) {
  ^row(%acc: tensor<64xf32>):
    sinter.yield %acc : tensor<64xf32>
  }
  return
}

// -----

// A lane takes pairs of f64 where lines are along the sum, and single elements where they are not, of either side.

// CHECK-LABEL: gpu.func @doubles_turned
//       CHECK:   scf.for
//       CHECK:     memref.load %{{.+}} {alignment = 8 : i64} : memref<{{.+}}xf64, #gpu.address_space<workgroup>>
//       CHECK:     vector.load %{{.+}} {alignment = 16 : i64} : memref<{{.+}}xf64, #gpu.address_space<workgroup>>, vector<2xf64>
//   CHECK-NOT:     ldmatrix
//       CHECK:     mma.sync.aligned.m16n8k16.row.col.f64
func.func private @doubles_turned(%x: memref<96x64xf64>, %w: memref<64x96xf64>, %y: memref<64x64xf64>) attributes {sinter.kernel} {
  sinter.contract (i = 64) by (j = 64) product (k = 96) (%x[k, i] : memref<96x64xf64>, %w[j, k] : memref<64x96xf64>) : f64
      outs(%y[i, j] : memref<64x64xf64>)
      schedule(#sinter.mma<kernel = "mma.f64", m = 32, n = 32, k = 16, threads = 64>) {
  ^row(%acc: tensor<64xf64>):
    sinter.yield %acc : tensor<64xf64>
  }
  return
}
