// RUN: sinter-run %s --shape=9x8 --shape=5x4 --verify
// RUN: sinter-run %s --shape=9x8 --shape=9x4 --verify
// RUN: sinter-run %s --shape=9x8 --shape=0x4 --verify
// RUN: not sinter-run %s --shape=5x8 --shape=9x4 2>&1 | FileCheck %s
// RUN: not sinter-run %s --shape=0x8 --shape=1x4 2>&1 | FileCheck %s
// RUN: not sinter-run %s --shape=5x8 --shape=9x4 --policy=disabled 2>&1 | FileCheck %s

// The beginning of a tensor, as long as somebody else says: where that is longer the call fails, whatever reads the
// slice, and nothing is read as 0.

// CHECK: slice_ends.mlir:[[@LINE+4]]:8: a slice is outside of the tensor
func.func @main(%x: tensor<?x8xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %y, %c0 : tensor<?x4xf32>
  %a = tensor.extract_slice %x[0, 2] [%n, 4] [1, 1] : tensor<?x8xf32> to tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %d = linalg.exp ins(%a : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %d : tensor<?x4xf32>
}
