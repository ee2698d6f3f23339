// RUN: sinter-run %s --shape=9 --shape=4 --shape=4 --verify
// RUN: sinter-run %s --shape=2 --shape=0 --shape=0 --verify
// RUN: not sinter-run %s --shape=9 --shape=3 --shape=5 2>&1 | FileCheck %s
// RUN: not sinter-run %s --shape=9 --shape=5 --shape=3 2>&1 | FileCheck %s
// RUN: not sinter-run %s --shape=9 --shape=5 --shape=3 --policy=disabled 2>&1 | FileCheck %s

// A slice is as long as %y, and what reads it as %z: where those differ the call fails, though %x has more elements.

// CHECK: the size of input 2 in dimension 0 is {{[35]}}, expected {{[35]}}, that of input 1 in dimension 0
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %s = tensor.dim %y, %c0 : tensor<?xf32>
  %t = tensor.dim %z, %c0 : tensor<?xf32>
  %a = tensor.extract_slice %x[2] [%s] [1] : tensor<?xf32> to tensor<?xf32>
  %e = tensor.empty(%t) : tensor<?xf32>
  %d = linalg.add ins(%a, %z : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %d : tensor<?xf32>
}
