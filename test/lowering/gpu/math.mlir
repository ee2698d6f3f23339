// RUN: sinter-opt --sinter-lower-gpu %s | FileCheck %s

// Of what is not positive (minus a magnitude), in four instructions and ex2; of anything else, libdevice's. A product
// that is added is one instruction with the sum.

// CHECK-LABEL: gpu.func @math
//       CHECK:   %[[N:.+]] = arith.negf
//       CHECK:   %[[D:.+]] = arith.maximumf %[[N]]
//       CHECK:   %[[Y:.+]] = arith.mulf %[[D]]
//       CHECK:   %[[E:.+]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"(%[[Y]])
//       CHECK:   %[[REST:.+]] = math.fma %[[Y]], %{{.+}}, %[[D]]
//       CHECK:   math.fma %[[E]], %[[REST]], %[[E]]
//       CHECK:   math.exp
//       CHECK:   math.fma
func.func private @math(%x: memref<4x8xf32>, %y: memref<4x8xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>)
      schedule(#sinter.gpu_rows<threads = 32>) {
  ^row(%a: tensor<8xf32>):
    %m = math.absf %a : tensor<8xf32>
    %n = arith.negf %m : tensor<8xf32>
    %e = math.exp %n : tensor<8xf32>
    %f = math.exp %a : tensor<8xf32>
    %g = arith.mulf %e, %f : tensor<8xf32>
    %h = arith.addf %g, %a : tensor<8xf32>
    sinter.yield %h : tensor<8xf32>
  }
  return
}
