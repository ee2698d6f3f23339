// RUN: sinter-opt --sinter-lower-cpu --canonicalize --cse --split-input-file --verify-diagnostics %s | FileCheck %s --implicit-check-not=sinter.contract

// Causal attention by strips of 4 of a block's 8 rows. Keys and values of a block of 64 are copied once, then each
// strip makes scores of 4 rows in memory of its own, of the keys that its own rows ask for, and adds to its rows of u.
// Positions are compared where the mask cuts these keys.

// CHECK-LABEL: func.func private @causal(
// CHECK-LABEL: func.func private @causal_task(
//       CHECK:   scf.for %[[N0:.+]] = %c0 to %{{.+}} step %c64
//   CHECK-NOT:     call @sinter_rt_brgemm_f32(
//       CHECK:     scf.for %[[R0:.+]] = %c0 to %c8 step %c4
//       CHECK:       %[[BLOCK:.+]] = arith.subi %{{.+}}, %[[N0]]
//       CHECK:       %[[END:.+]] = arith.subi %{{.+}}, %[[N0]]
//       CHECK:       %[[SOME:.+]] = arith.maxsi %[[END]], %c1
//       CHECK:       %[[UNITS:.+]] = arith.ceildivui %[[SOME]], %c64
//       CHECK:       %[[WHOLE:.+]] = arith.muli %[[UNITS]], %c64
//       CHECK:       %[[LEFT:.+]] = arith.minsi %[[WHOLE]], %[[BLOCK]]
//       CHECK:       %[[TO:.+]] = arith.addi %[[N0]], %[[LEFT]]
//       CHECK:       scf.for %{{.+}} = %[[N0]] to %[[TO]] step %c64
//       CHECK:         call @sinter_rt_brgemm_f32(
//       CHECK:       %[[LEAVES:.+]] = arith.cmpi sge, %{{.+}}, %[[TO]]
//       CHECK:       scf.if %[[LEAVES]]
//   CHECK-NOT:         arith.cmpi sgt
//       CHECK:       } else {
//       CHECK:         arith.cmpi sgt, {{.*}} : vector<4xindex>
//       CHECK:         arith.select
//       CHECK:       scf.for %{{.+}} = %[[N0]] to %[[TO]] step %c64
//       CHECK:         call @sinter_rt_brgemm_f32(
func.func private @causal(%q: memref<192x10xf32>, %k: memref<192x10xf32>, %v: memref<192x8xf32>, %y: memref<192x8xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 192) by (j = 192) by (e = 8)
      product (d = 10) (%q[i, d] : memref<192x10xf32>, %k[j, d] : memref<192x10xf32>) : f32
      matrix (j) to (e) (%v[j, e] : memref<192x8xf32>)
      outs(%y[i, e] : memref<192x8xf32>) schedule(#sinter.brgemm<kernel = "libxsmm", m = 8, n = 64, k = 64, lanes = 4, stream = 64, strip = 4>) {
  ^row(%x: tensor<192xf32>, %m: tensor<192x8xf32>):
    %i = sinter.index i : index
    %is = sinter.broadcast %i : index -> tensor<192xindex>
    %j = sinter.index j : tensor<192xindex>
    %no = arith.constant dense<0xFF800000> : tensor<192xf32>
    %later = arith.cmpi sgt, %j, %is : tensor<192xindex>
    %s = arith.select %later, %no, %x : tensor<192xi1>, tensor<192xf32>
    %mx = sinter.row_reduce maximumf %s : tensor<192xf32> -> f32
    %mb = sinter.broadcast %mx : f32 -> tensor<192xf32>
    %d = arith.subf %s, %mb : tensor<192xf32>
    %p = math.exp %d : tensor<192xf32>
    %z = sinter.row_reduce add %p : tensor<192xf32> -> f32
    %one = arith.constant 1.0 : f32
    %r = arith.divf %one, %z : f32
    %rb = sinter.broadcast %r : f32 -> tensor<192xf32>
    %n = arith.mulf %p, %rb : tensor<192xf32>
    %o = sinter.row_product %n, %m : tensor<192xf32>, tensor<192x8xf32> -> tensor<8xf32>
    sinter.yield %o : tensor<8xf32>
  }
  return
}

// -----

func.func private @unknown(%x: memref<11x?xf32>, %w: memref<20x?xf32>, %v: memref<20x3xf32>, %y: memref<11x3xf32>) attributes {sinter.kernel} {
  // expected-error @below {{strip = 2, but a size that rows are multiplied by is not known: leave strip out}}
  sinter.contract (i = 11) by (j = 20) by (e = 3)
      product (d = ?) (%x[i, d] : memref<11x?xf32>, %w[j, d] : memref<20x?xf32>) : f32
      matrix (j) to (e) (%v[j, e] : memref<20x3xf32>)
      outs(%y[i, e] : memref<11x3xf32>) schedule(#sinter.brgemm<kernel = "libxsmm", m = 4, n = 4, k = 6, lanes = 4, stream = 8, strip = 2>) {
  ^row(%s: tensor<20xf32>, %m: tensor<20x3xf32>):
    %t = math.tanh %s : tensor<20xf32>
    %o = sinter.row_product %t, %m : tensor<20xf32>, tensor<20x3xf32> -> tensor<3xf32>
    sinter.yield %o : tensor<3xf32>
  }
  return
}
