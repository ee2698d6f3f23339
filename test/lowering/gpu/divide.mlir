// RUN: sinter-opt --sinter-lower-gpu %s | FileCheck %s

// f32 by what is no constant: div.full, for each lane. f64, and a division by a constant, stay.

// CHECK-LABEL: gpu.func @divide
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.nvvm.div.full"(%{{.+}}, %{{.+}}) : (f32, f32) -> f32
//       CHECK:   vector.from_elements
//   CHECK-NOT:   div.full
//       CHECK:   arith.divf %{{.+}} : vector<4xf32>
//       CHECK:   arith.divf %{{.+}} : vector<4xf64>
func.func private @divide(%x: memref<4x8xf32>, %z: memref<4x8xf64>, %y: memref<4x8xf32>, %w: memref<4x8xf64>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>, %z[i, j] : memref<4x8xf64>) outs(%y[i, j] : memref<4x8xf32>, %w[i, j] : memref<4x8xf64>)
      schedule(#sinter.gpu_rows<threads = 32, vector = 4>) {
  ^row(%a: tensor<8xf32>, %b: tensor<8xf64>):
    %c = arith.constant dense<4.0> : tensor<8xf32>
    %n = arith.negf %a : tensor<8xf32>
    %q = arith.divf %n, %a : tensor<8xf32>
    %r = arith.divf %q, %c : tensor<8xf32>
    %s = arith.divf %b, %b : tensor<8xf64>
    sinter.yield %r, %s : tensor<8xf32>, tensor<8xf64>
  }
  return
}
