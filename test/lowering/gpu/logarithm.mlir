// RUN: sinter-opt --sinter-lower-gpu %s | FileCheck %s

// Near 1 a polynomial, elsewhere lg2; no branch. 1 + x has no place below 2^-126, x has.

// CHECK-LABEL: gpu.func @log
//       CHECK:   %[[F:.+]] = arith.subf %[[X:.+]], %cst
//       CHECK:   %[[X0:.+]] = vector.extract %[[X]][0]
//       CHECK:   llvm.call_intrinsic "llvm.nvvm.lg2.approx.f"(%[[X0]])
//       CHECK:   %[[L:.+]] = vector.from_elements
//       CHECK:   %[[A:.+]] = arith.cmpf oge, %[[F]]
//       CHECK:   %[[B:.+]] = arith.cmpf olt, %[[F]]
//       CHECK:   %[[IN:.+]] = arith.andi %[[A]], %[[B]]
//       CHECK:   %[[S:.+]] = arith.mulf %[[F]], %[[F]]
//       CHECK-COUNT-8: math.fma
//       CHECK:   %[[FAR:.+]] = arith.mulf %[[L]]
//       CHECK:   arith.select %[[IN]], %{{.+}}, %[[FAR]]
//       CHECK:   %[[U:.+]] = arith.addf %[[X]], %cst
//       CHECK:   %[[U0:.+]] = vector.extract %[[U]][0]
//       CHECK:   llvm.call_intrinsic "llvm.nvvm.lg2.approx.ftz.f"(%[[U0]])
//       CHECK:   arith.select
//   CHECK-NOT:   math.log
//   CHECK-NOT:   scf.if
func.func private @log(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %z: memref<4x8xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>, %z[i, j] : memref<4x8xf32>)
      schedule(#sinter.gpu_rows<threads = 32, vector = 2>) {
  ^row(%a: tensor<8xf32>):
    %l = math.log %a : tensor<8xf32>
    %k = math.log1p %a : tensor<8xf32>
    sinter.yield %l, %k : tensor<8xf32>, tensor<8xf32>
  }
  return
}

// One number for the row, libdevice's.

// CHECK-LABEL: gpu.func @number
//       CHECK:   math.log %{{.+}} : f32
func.func private @number(%x: memref<4xf32>, %y: memref<4xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by () ins(%x[i] : memref<4xf32>) outs(%y[i] : memref<4xf32>) schedule(#sinter.gpu_rows<threads = 32>) {
  ^row(%a: f32):
    %l = math.log %a : f32
    sinter.yield %l : f32
  }
  return
}

// Of an exponential that is no more than 1: a polynomial alone. What it is the exponential of is -|x|, however that is
// written. In f64: libdevice.

// CHECK-LABEL: gpu.func @unit
//       CHECK:   %[[M:.+]] = math.absf
//       CHECK:   arith.negf %[[M]]
//       CHECK:   llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
//       CHECK:   %[[P:[^ ]+]] = vector.from_elements
//       CHECK:   %[[E:[^ ]+]] = math.fma %[[P]], %{{.+}}, %[[P]]
//       CHECK-COUNT-9: math.fma
//       CHECK:   arith.mulf %[[E]]
//   CHECK-NOT:   lg2
//       CHECK:   math.log1p %{{.+}} : vector<2xf64>
func.func private @unit(%x: memref<4x8xf32>, %v: memref<4x8xf64>, %y: memref<4x8xf32>, %w: memref<4x8xf64>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>, %v[i, j] : memref<4x8xf64>) outs(%y[i, j] : memref<4x8xf32>, %w[i, j] : memref<4x8xf64>)
      schedule(#sinter.gpu_rows<threads = 32, vector = 2>) {
  ^row(%a: tensor<8xf32>, %b: tensor<8xf64>):
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %c = arith.cmpf olt, %a, %zero : tensor<8xf32>
    %m = arith.negf %a : tensor<8xf32>
    %n = arith.select %c, %a, %m : tensor<8xi1>, tensor<8xf32>
    %e = math.exp %n : tensor<8xf32>
    %l = math.log1p %e : tensor<8xf32>
    %k = math.log1p %b : tensor<8xf64>
    sinter.yield %l, %k : tensor<8xf32>, tensor<8xf64>
  }
  return
}
