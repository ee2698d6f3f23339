// RUN: sinter-opt --sinter-lower-cpu --canonicalize --cse --split-input-file --verify-diagnostics %s | FileCheck %s --implicit-check-not=sinter.contract

// Vectors along k of two rows and four columns: weights are loaded as they are, widened, and never stored. What is left
// of k is loaded by a mask. What is 16 lines ahead is asked for: behind the end of a row that of the row four rows on,
// 512 + 4 * 70 - 70 elements on. Lanes of four columns are halved together, to one vector of four sums.

// CHECK-LABEL: func.func private @inner_task(
//   CHECK-NOT:   memref<{{.*}}> to memref<{{.*}}strided
//       CHECK:   scf.for {{.*}} to %c12 step %c4
//       CHECK:     scf.for {{.*}} to %c64 step %c32 iter_args({{.*}}) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
//       CHECK:       %[[THEN:.+]] = arith.addi %{{.+}}, %c512
//       CHECK:       %[[NEXT:.+]] = arith.addi %{{.+}}, %c722
//       CHECK:       %[[ENDS:.+]] = arith.cmpi uge, %[[THEN]], %c70
//       CHECK:       arith.select %[[ENDS]], %[[NEXT]], %[[THEN]]
// CHECK-COUNT-4:     memref.prefetch {{.*}} read, locality<3>
//       CHECK:       vector.load {{.*}} vector<8xbf16>
//       CHECK:       arith.extf {{.*}} vector<8xbf16> to vector<8xf32>
//       CHECK:       math.fma
//       CHECK:       vector.maskedload {{.*}} vector<8xbf16>
//       CHECK:     vector.shuffle {{.*}} [0, 1, 2, 3, 8, 9, 10, 11] : vector<8xf32>, vector<8xf32>
//       CHECK:     vector.shuffle {{.*}} [0, 2, 4, 6] : vector<8xf32>, vector<8xf32>
//       CHECK:     vector.store {{.*}} vector<4xf32>
//       CHECK:   %{{.+}}:8 = scf.for {{.*}} to %c64 step %c32
//       CHECK:     vector.store {{.*}} vector<1xf32>
func.func private @inner(%x: memref<2x70xbf16>, %w: memref<13x70xbf16>, %y: memref<2x13xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 2) by (j = 13) product (k = 70) (%x[i, k] : memref<2x70xbf16>, %w[j, k] : memref<13x70xbf16>) : f32
      outs(%y[i, j] : memref<2x13xf32>) schedule(#sinter.brgemm<kernel = "inner256", m = 2, n = 13, k = 70, lanes = 1>) {
  ^row(%a: tensor<13xf32>):
    sinter.yield %a : tensor<13xf32>
  }
  return
}

// -----

// Pairs of bf16 along k are multiplied as they lie, and nothing is widened. What is left of k is loaded by no more
// lanes than it needs.

// CHECK-LABEL: func.func private @inner_pairs_task(
//   CHECK-NOT:   arith.extf
//       CHECK:   vector.load {{.*}} vector<32xbf16>
//       CHECK:   call @llvm.x86.avx512bf16.dpbf16ps.512({{.*}}) : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
//       CHECK:   vector.maskedload {{.*}} vector<8xbf16>
//       CHECK:   vector.insert_strided_slice {{.*}} vector<8xbf16> into vector<32xbf16>
//   CHECK-NOT:   arith.extf
//       CHECK:   return
func.func private @inner_pairs(%x: memref<2x71xbf16>, %w: memref<13x71xbf16>, %y: memref<2x13xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 2) by (j = 13) product (k = 71) (%x[i, k] : memref<2x71xbf16>, %w[j, k] : memref<13x71xbf16>) : f32
      outs(%y[i, j] : memref<2x13xf32>) schedule(#sinter.brgemm<kernel = "inner.dot512", m = 2, n = 13, k = 71, lanes = 1>) {
  ^row(%a: tensor<13xf32>):
    sinter.yield %a : tensor<13xf32>
  }
  return
}

// -----

// Rows of `?`: what a tile of 4 leaves is one of 3, of 2 or of 1, so each line of weights is read once for it.

// CHECK-LABEL: func.func private @inner_unknown_task(
//       CHECK:   arith.cmpi eq, {{.*}}, %c3
//       CHECK:   iter_args({{.*}}) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
//       CHECK:   arith.cmpi eq, {{.*}}, %c2
//       CHECK:   arith.cmpi eq, {{.*}}, %c1
func.func private @inner_unknown(%x: memref<?x64xf32>, %w: memref<12x64xf32>, %y: memref<?x12xf32>) attributes {sinter.kernel} {
  sinter.contract (i = ?) by (j = 12) product (k = 64) (%x[i, k] : memref<?x64xf32>, %w[j, k] : memref<12x64xf32>) : f32
      outs(%y[i, j] : memref<?x12xf32>) schedule(#sinter.brgemm<kernel = "inner512", m = 4, n = 12, k = 64, lanes = 1>) {
  ^row(%a: tensor<12xf32>):
    sinter.yield %a : tensor<12xf32>
  }
  return
}

// -----

// Weights [k, j] where they lie: widened in registers, three rows further on asked for.

// CHECK-LABEL: func.func private @reading_task(
//   CHECK-NOT:   vector.store {{.*}} vector<16xbf16>
//       CHECK:   scf.for
//       CHECK:     memref.prefetch {{.*}} read, locality<2>
//       CHECK:     vector.load {{.*}} vector<16xbf16>
//       CHECK:     arith.extf {{.*}} vector<16xbf16> to vector<16xf32>
//       CHECK:     math.fma
func.func private @reading(%x: memref<1x6xbf16>, %w: memref<6x32xbf16>, %y: memref<1x32xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 1) by (j = 32) product (k = 6) (%x[i, k] : memref<1x6xbf16>, %w[k, j] : memref<6x32xbf16>) : f32
      outs(%y[i, j] : memref<1x32xf32>) schedule(#sinter.brgemm<kernel = "fma512", m = 1, n = 32, k = 3, lanes = 1, ahead = 3, widen = "reading">) {
  ^row(%a: tensor<32xf32>):
    sinter.yield %a : tensor<32xf32>
  }
  return
}

// -----

func.func private @other_way(%x: memref<1x6xf32>, %w: memref<6x32xf32>, %y: memref<1x32xf32>) attributes {sinter.kernel} {
  // expected-error@below {{kernel = "inner512" reads weights where they lie, but those of product 0 are not neighbours along what is summed}}
  sinter.contract (i = 1) by (j = 32) product (k = 6) (%x[i, k] : memref<1x6xf32>, %w[k, j] : memref<6x32xf32>) : f32
      outs(%y[i, j] : memref<1x32xf32>) schedule(#sinter.brgemm<kernel = "inner512", m = 1, n = 32, k = 3, lanes = 1>) {
  ^row(%a: tensor<32xf32>):
    sinter.yield %a : tensor<32xf32>
  }
  return
}

// -----

func.func private @not_read(%x: memref<1x6xbf16>, %w: memref<32x6xbf16>, %y: memref<1x32xf32>) attributes {sinter.kernel} {
  // expected-error@below {{widen = "reading", but kernel = "fma512" does not read the weights of product 0 where they lie: leave widen out}}
  sinter.contract (i = 1) by (j = 32) product (k = 6) (%x[i, k] : memref<1x6xbf16>, %w[j, k] : memref<32x6xbf16>) : f32
      outs(%y[i, j] : memref<1x32xf32>) schedule(#sinter.brgemm<kernel = "fma512", m = 1, n = 32, k = 3, lanes = 1, widen = "reading">) {
  ^row(%a: tensor<32xf32>):
    sinter.yield %a : tensor<32xf32>
  }
  return
}

// -----

// Weights of whole numbers are converted in registers, to the type in which they are summed: it is what the side's bf16
// is, for -128 is a number of eight digits. Nothing of them is stored.

// CHECK-LABEL: func.func private @whole_numbers_task(
//   CHECK-NOT:   to bf16
//       CHECK:   scf.for {{.*}} to %c12 step %c4
//       CHECK:     vector.load {{.*}} vector<16xi8>
//       CHECK:     arith.sitofp {{.*}} vector<16xi8> to vector<16xf32>
//       CHECK:     math.fma
//       CHECK:     vector.maskedload {{.*}} vector<8xi8>
//   CHECK-NOT:   to bf16
//       CHECK:   return
func.func private @whole_numbers(%x: memref<1x70xbf16>, %w: memref<13x70xi8>, %s: memref<13xf32>, %y: memref<1x13xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 1) by (j = 13)
      product (k = 70) (%x[i, k] : memref<1x70xbf16>, side(%w[j, k] : memref<13x70xi8>) {
      ^side(%q: tensor<70xi8>):
        %f = arith.sitofp %q : tensor<70xi8> to tensor<70xbf16>
        sinter.yield %f : tensor<70xbf16>
      }) : f32 ins(%s[j] : memref<13xf32>)
      outs(%y[i, j] : memref<1x13xf32>) schedule(#sinter.brgemm<kernel = "inner512", m = 1, n = 13, k = 70, lanes = 1>) {
  ^row(%a: tensor<13xf32>, %t: tensor<13xf32>):
    %b = arith.mulf %a, %t : tensor<13xf32>
    sinter.yield %b : tensor<13xf32>
  }
  return
}

// -----

// Numbers of 16 bits are rounded to bf16, which is something else than their f32: the side has to be computed.

func.func private @rounded_numbers(%x: memref<1x70xbf16>, %w: memref<13x70xi16>, %y: memref<1x13xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{kernel = "inner512" reads weights where they lie}}
  sinter.contract (i = 1) by (j = 13)
      product (k = 70) (%x[i, k] : memref<1x70xbf16>, side(%w[j, k] : memref<13x70xi16>) {
      ^side(%q: tensor<70xi16>):
        %f = arith.sitofp %q : tensor<70xi16> to tensor<70xbf16>
        sinter.yield %f : tensor<70xbf16>
      }) : f32
      outs(%y[i, j] : memref<1x13xf32>) schedule(#sinter.brgemm<kernel = "inner512", m = 1, n = 13, k = 70, lanes = 1>) {
  ^row(%a: tensor<13xf32>):
    sinter.yield %a : tensor<13xf32>
  }
  return
}

// -----

// Tiles of weights where they lie, rows of which are 64 elements apart, by tiles of rows, whose words are turned once.
// The last 4 of 20 columns are the last ones of a tile that begins 12 in front of them. Sums are turned on their way to
// c.

// CHECK-LABEL: func.func private @turned_task(
//       CHECK:   vector.load %{{.+}}[%{{.+}}, %c0] : memref<32x32xbf16>, vector<32xbf16>
//       CHECK:   vector.bitcast %{{.+}} : vector<32xbf16> to vector<16xi32>
//       CHECK:   vector.store %{{.+}}[%{{.+}}, %c0] : memref<32x32xbf16>, vector<32xbf16>
//       CHECK:   func.call @sinter_inner.amx_apart64_f32
// CHECK-LABEL: func.func private @sinter_inner.amx_apart64_f32
//       CHECK:   memref.alloca() {alignment = 64 : i64} : memref<2048xf32>
//       CHECK:   iter_args(%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) -> (!llvm.x86_amx, !llvm.x86_amx, !llvm.x86_amx, !llvm.x86_amx)
// CHECK-COUNT-16:  memref.prefetch {{.*}} read, locality<3>
//       CHECK:     func.call @llvm.x86.tileloadd64.internal
//       CHECK:     func.call @llvm.x86.tdpbf16ps.internal
//       CHECK:   arith.minsi
func.func private @turned(%x: memref<8x64xbf16>, %w: memref<20x64xbf16>, %y: memref<8x20xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 8) by (j = 20) product (k = 64) (%x[i, k] : memref<8x64xbf16>, %w[j, k] : memref<20x64xbf16>) : f32
      outs(%y[i, j] : memref<8x20xf32>) schedule(#sinter.brgemm<kernel = "inner.amx", m = 16, n = 20, k = 64, lanes = 4>) {
  ^row(%a: tensor<20xf32>):
    sinter.yield %a : tensor<20xf32>
  }
  return
}
