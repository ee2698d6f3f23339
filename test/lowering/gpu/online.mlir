// RUN: sinter-opt --sinter-lower-gpu --split-input-file %s | FileCheck %s

// A maximum and the sum of exponentials under it come from one loop; a second one makes the output.

// CHECK-LABEL: gpu.func @softmax
//       CHECK:   scf.for
//       CHECK:     %[[MS:.+]]:2 = scf.for {{.*}} -> (f32, f32)
//       CHECK:       %[[NEXT:.+]] = arith.maximumf
//       CHECK:       %[[NOTHING:.+]] = arith.cmpf oeq, %[[NEXT]]
//       CHECK:       %[[FROM:.+]] = arith.select %[[NOTHING]], %{{.+}}, %[[NEXT]]
//       CHECK:       %[[F:.+]] = arith.select %{{.+}}, %{{.+}}, %{{.+}} : f32
//       CHECK:       %[[R:.+]] = arith.mulf %[[FROM]], %[[F]]
//       CHECK:       %[[MINUS:.+]] = arith.negf %[[R]]
//       CHECK:       %[[OLD:.+]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
//       CHECK:       math.fma %{{.+}}, %[[F]], %[[MINUS]]
//       CHECK:       ex2.approx.ftz
//       CHECK:       math.fma %{{.+}}, %[[OLD]]
//       CHECK:       scf.yield %[[NEXT]]
//       CHECK:     %[[REST:.+]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
//       CHECK:     %[[S:.+]] = arith.mulf %[[MS]]#1, %[[REST]]
//       CHECK:     gpu.shuffle {{.*}}%[[MS]]#0
//       CHECK:     %[[D:.+]] = arith.subf %[[MS]]#0
//       CHECK:     arith.maximumf %[[D]]
//       CHECK:     ex2.approx.ftz
//       CHECK:     math.fma
//       CHECK:     %[[E:.+]] = math.fma
//       CHECK:     arith.mulf %[[S]], %[[E]]
//       CHECK:     scf.for
//       CHECK:       memref.store
//   CHECK-NOT:     scf.for
func.func private @softmax(%x: memref<5x9xf32>, %y: memref<5x9xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 9) ins(%x[i, j] : memref<5x9xf32>) outs(%y[i, j] : memref<5x9xf32>)
      schedule(#sinter.gpu_rows<blocks = 3, threads = 32>) {
  ^row(%a: tensor<9xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<9xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<9xf32>
    %d = arith.subf %a, %mb : tensor<9xf32>
    %e = math.exp %d : tensor<9xf32>
    %s = sinter.row_reduce add %e : tensor<9xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<9xf32>
    %q = arith.divf %e, %sb : tensor<9xf32>
    sinter.yield %q : tensor<9xf32>
  }
  return
}

// -----

// A sum of something else of the maximum waits for it.

// CHECK-LABEL: gpu.func @not_an_exponential
//       CHECK:   scf.for
//       CHECK:     scf.for {{.*}} -> (f32)
//       CHECK:       arith.maximumf
//       CHECK:     scf.for {{.*}} -> (f32)
//       CHECK:       arith.subf
//       CHECK:       arith.addf
func.func private @not_an_exponential(%x: memref<5x9xf32>, %y: memref<5xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 9) ins(%x[i, j] : memref<5x9xf32>) outs(%y[i] : memref<5xf32>)
      schedule(#sinter.gpu_rows<blocks = 3, threads = 32>) {
  ^row(%a: tensor<9xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<9xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<9xf32>
    %d = arith.subf %a, %mb : tensor<9xf32>
    %s = sinter.row_reduce add %d : tensor<9xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

// maximum = "before": the maximum has a phase of its own, and exponentials are taken from it.

// CHECK-LABEL: gpu.func @before
//       CHECK:   scf.for
//       CHECK:     %[[M:.+]] = scf.for {{.*}} -> (f32)
//       CHECK:       arith.maximumf
//       CHECK:     gpu.shuffle {{.*}}%[[M]]
//       CHECK:     scf.for {{.*}} -> (f32)
//       CHECK:       ex2.approx.ftz
//       CHECK:     scf.for
//       CHECK:       memref.store
func.func private @before(%x: memref<5x9xf32>, %y: memref<5x9xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 9) ins(%x[i, j] : memref<5x9xf32>) outs(%y[i, j] : memref<5x9xf32>)
      schedule(#sinter.gpu_rows<blocks = 3, threads = 32, maximum = "before">) {
  ^row(%a: tensor<9xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<9xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<9xf32>
    %d = arith.subf %a, %mb : tensor<9xf32>
    %e = math.exp %d : tensor<9xf32>
    %s = sinter.row_reduce add %e : tensor<9xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<9xf32>
    %q = arith.divf %e, %sb : tensor<9xf32>
    sinter.yield %q : tensor<9xf32>
  }
  return
}
