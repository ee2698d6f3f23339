// RUN: sinter-opt --sinter-lower-cpu --canonicalize --cse %s | FileCheck %s

// Under a mask of -1e9 a block's rows are made over the columns that the mask leaves, and where a maximum is not above
// it by far, once more over all of them.

// CHECK-LABEL: func.func private @rows_task(
//       CHECK:   scf.for %[[TURN:.+]] = %c0 to %c2 step %c1 iter_args(%[[ASKED:.+]] = %true)
//       CHECK:     scf.if %[[ASKED]]
//       CHECK:       %[[WHOLE:.+]] = arith.cmpi eq, %[[TURN]], %c1
//       CHECK:       arith.select %[[WHOLE]], %c300, %
//       CHECK:       scf.for %{{.+}} = %c0 to %{{.+}} step %c32
//       CHECK:       arith.cmpf ule, %{{.+}}, %cst
//       CHECK:       arith.andi
//       CHECK:       scf.yield
func.func private @rows(%q: memref<300x64xf32>, %k: memref<300x64xf32>, %v: memref<300x64xf32>, %y: memref<300x64xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 300) by (j = 300) by (e = 64)
      product (k = 64) (%q[i, k] : memref<300x64xf32>, %k[j, k] : memref<300x64xf32>) : f32
      matrix (j) to (e) (%v[j, e] : memref<300x64xf32>)
      outs(%y[i, e] : memref<300x64xf32>) schedule(#sinter.brgemm<m = 12, n = 16, k = 64, lanes = 4, stream = 32>) {
  ^row(%x: tensor<300xf32>, %m: tensor<300x64xf32>):
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
    %u = sinter.row_product %w, %m : tensor<300xf32>, tensor<300x64xf32> -> tensor<64xf32>
    sinter.yield %u : tensor<64xf32>
  }
  return
}
