// RUN: sinter-opt --sinter-lower-gpu --split-input-file %s | FileCheck %s

// Between its phases the row is bf16: each widens the words anew, by another instruction.

// CHECK-LABEL: gpu.func @packed
//       CHECK:   %[[X:.+]] = vector.load
//   CHECK-NOT:   arith.extf
//       CHECK:   vector.bitcast %[[X]]
// CHECK-COUNT-4: arith.shli
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

// -----

// remake = 1: what the first phase computed of the row is computed again by the second, of bits that are the same, and
// not known to be.

// CHECK-LABEL: gpu.func @remade
//       CHECK:   %[[X:.+]] = vector.load
//       CHECK:   math.absf %[[X]]
//       CHECK:   gpu.shuffle
//       CHECK:   %[[Y:.+]] = gpu.block_id y
//       CHECK:   %[[I:.+]] = arith.index_cast %[[Y]]
//       CHECK:   %[[ZERO:.+]] = arith.muli %[[I]]
//       CHECK:   %[[BITS:.+]] = vector.bitcast %[[X]] : vector<4xf32> to vector<4xi32>
//       CHECK:   %[[ZEROS:.+]] = vector.broadcast %[[ZERO]]
//       CHECK:   %[[SAME:.+]] = arith.xori %[[BITS]], %[[ZEROS]]
//       CHECK:   %[[AGAIN:.+]] = vector.bitcast %[[SAME]]
//       CHECK:   math.absf %[[AGAIN]]
func.func private @remade(%x: memref<3x128xf32>, %y: memref<3x128xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 3) by (j = 128) ins(%x[i, j] : memref<3x128xf32>) outs(%y[i, j] : memref<3x128xf32>)
      schedule(#sinter.gpu_rows<threads = 32, blocks = 3, vector = 4, residency = "registers", remake = 1>) {
  ^row(%a: tensor<128xf32>):
    %m = math.absf %a : tensor<128xf32>
    %s = sinter.row_reduce add %m : tensor<128xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<128xf32>
    %q = arith.subf %m, %sb : tensor<128xf32>
    sinter.yield %q : tensor<128xf32>
  }
  return
}

// -----

// halves = "wide": elements are extended as they are read, and wait so.

// CHECK-LABEL: gpu.func @wide
//       CHECK:   %[[X:.+]] = vector.load
//       CHECK:   %[[W:.+]] = arith.extf %[[X]] : vector<8xbf16> to vector<8xf32>
//       CHECK:   gpu.shuffle
//   CHECK-NOT:   prmt
//       CHECK:   arith.subf %[[W]]
//       CHECK:   vector.store
func.func private @wide(%x: memref<3x256xbf16>, %y: memref<3x256xbf16>) attributes {sinter.kernel} {
  sinter.rowwise (i = 3) by (j = 256) ins(%x[i, j] : memref<3x256xbf16>) outs(%y[i, j] : memref<3x256xbf16>)
      schedule(#sinter.gpu_rows<threads = 32, blocks = 3, vector = 8, residency = "registers", halves = "wide">) {
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
