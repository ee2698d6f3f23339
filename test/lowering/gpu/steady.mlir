// RUN: sinter-opt --sinter-lower-gpu --canonicalize --cse --split-input-file %s | FileCheck %s

// Distances of columns from a row are converted once for a thread's columns, and numbers are added: all of them are
// whole and below 2^24.

// CHECK-LABEL: gpu.func @slopes
//       CHECK:   scf.for
//       CHECK:     %[[FAR:.+]] = arith.sitofp %{{.+}} : i64 to f32
//       CHECK:     %[[NEXT:.+]] = arith.addf %[[FAR]], %{{.+}} : f32
//       CHECK:     vector.from_elements %[[FAR]], %[[NEXT]]
//   CHECK-NOT:     arith.sitofp %{{.+}} : vector
//       CHECK:   gpu.return
func.func private @slopes(%q: memref<64x32xf16>, %k: memref<96x32xf16>, %v: memref<96x32xf16>, %y: memref<64x32xf16>) attributes {sinter.kernel} {
  sinter.contract (i = 64) by (j = 96) by (e = 32)
      product (k = 32) (%q[i, k] : memref<64x32xf16>, %k[j, k] : memref<96x32xf16>) : f32
      matrix (j) to (e) (%v[j, e] : memref<96x32xf16>)
      outs(%y[i, e] : memref<64x32xf16>) schedule(#sinter.mma<kernel = "mma.sync", m = 32, n = 32, threads = 64>) {
  ^row(%x: tensor<96xf32>, %m: tensor<96x32xf16>):
    %i = sinter.index i : index
    %j = sinter.index j : tensor<96xindex>
    %il = arith.index_cast %i : index to i64
    %jl = arith.index_cast %j : tensor<96xindex> to tensor<96xi64>
    %is = sinter.broadcast %il : i64 -> tensor<96xi64>
    %far = arith.subi %jl, %is : tensor<96xi64>
    %f = arith.sitofp %far : tensor<96xi64> to tensor<96xf32>
    %w0 = arith.addf %x, %f : tensor<96xf32>
    %w = arith.truncf %w0 : tensor<96xf32> to tensor<96xf16>
    %u = sinter.row_product %w, %m : tensor<96xf16>, tensor<96x32xf16> -> tensor<32xf32>
    %z = arith.truncf %u : tensor<32xf32> to tensor<32xf16>
    sinter.yield %z : tensor<32xf16>
  }
  return
}

// -----

// A product of positions may be too large for a float to tell apart: each is converted. Scores that are rounded to a
// half are so in pairs.

// CHECK-LABEL: gpu.func @times
//       CHECK:   "llvm.nvvm.ff2f16x2.rn"
//   CHECK-NOT:   arith.truncf %{{.+}} : f32 to f16
//       CHECK:   arith.sitofp %{{.+}} : vector<2xi64> to vector<2xf32>
func.func private @times(%q: memref<64x32xf16>, %k: memref<96x32xf16>, %v: memref<96x32xf16>, %y: memref<64x32xf16>) attributes {sinter.kernel} {
  sinter.contract (i = 64) by (j = 96) by (e = 32)
      product (k = 32) (%q[i, k] : memref<64x32xf16>, %k[j, k] : memref<96x32xf16>) : f32
      matrix (j) to (e) (%v[j, e] : memref<96x32xf16>)
      outs(%y[i, e] : memref<64x32xf16>) schedule(#sinter.mma<kernel = "mma.sync", m = 32, n = 32, threads = 64>) {
  ^row(%x: tensor<96xf32>, %m: tensor<96x32xf16>):
    %j = sinter.index j : tensor<96xindex>
    %jl = arith.index_cast %j : tensor<96xindex> to tensor<96xi64>
    %far = arith.muli %jl, %jl : tensor<96xi64>
    %f = arith.sitofp %far : tensor<96xi64> to tensor<96xf32>
    %r = arith.truncf %x : tensor<96xf32> to tensor<96xf16>
    %b = arith.extf %r : tensor<96xf16> to tensor<96xf32>
    %w0 = arith.addf %b, %f : tensor<96xf32>
    %w = arith.truncf %w0 : tensor<96xf32> to tensor<96xf16>
    %u = sinter.row_product %w, %m : tensor<96xf16>, tensor<96x32xf16> -> tensor<32xf32>
    %z = arith.truncf %u : tensor<32xf32> to tensor<32xf16>
    sinter.yield %z : tensor<32xf16>
  }
  return
}
