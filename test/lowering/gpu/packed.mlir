// RUN: sinter-opt --sinter-lower-gpu %s | FileCheck %s

// Between its phases the row is bf16: the second one widens the words anew, by another instruction.

// CHECK-LABEL: gpu.func @packed
//       CHECK:   %[[X:.+]] = vector.load
//       CHECK:   arith.extf %[[X]]
//       CHECK:   gpu.shuffle
//       CHECK:   %[[WORDS:.+]] = vector.bitcast %[[X]] : vector<8xbf16> to vector<4xi32>
// CHECK-COUNT-8: llvm.call_intrinsic "llvm.nvvm.prmt"
//       CHECK:   vector.from_elements
//   CHECK-NOT:   arith.extf
//       CHECK:   vector.store
func.func private @packed(%x: memref<3x256xbf16>, %y: memref<3x256xbf16>) attributes {sinter.kernel} {
  sinter.rowwise (i = 3) by (j = 256) ins(%x[i, j] : memref<3x256xbf16>) outs(%y[i, j] : memref<3x256xbf16>)
      schedule(#sinter.gpu_rows<threads = 32, blocks = 3, vector = 8, residency = "registers">) {
  ^row(%a0: tensor<256xbf16>):
    %a = arith.extf %a0 : tensor<256xbf16> to tensor<256xf32>
    %s = sinter.row_reduce add %a : tensor<256xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<256xf32>
    %q = arith.subf %a, %sb : tensor<256xf32>
    %r = arith.truncf %q : tensor<256xf32> to tensor<256xbf16>
    sinter.yield %r : tensor<256xbf16>
  }
  return
}
