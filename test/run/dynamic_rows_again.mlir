// RUN: sinter-run %s --verify --shape=37x64 --shape=51x64 --shape=51x32 --threads=1 --output=%t0a.npy --output=%t1a.npy | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --verify --shape=300x64 --shape=1x64 --shape=1x32 | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --verify --shape=3x64 --shape=5003x64 --shape=5003x32 | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --shape=37x64 --shape=51x64 --shape=51x32 --threads=3 --output=%t0b.npy --output=%t1b.npy
// RUN: cmp %t0a.npy %t0b.npy && cmp %t1a.npy %t1b.npy
// RUN: sinter-run %s --stats --shape=37x64 --shape=51x64 --shape=51x32 | FileCheck %s --check-prefix=KERNELS

// Whole rows of `?` columns are multiplied again in one kernel, whatever length they turn out to have.

// CHECK-COUNT-2: agrees
// KERNELS: "kernels": 1,

func.func @main(%x: tensor<?x64xf32>, %w: tensor<?x64xf32>, %u: tensor<?x32xf32>) -> (tensor<?x32xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %o = tensor.empty(%n) : tensor<?x32xf32>
  %p = tensor.empty(%n) : tensor<?xf32>
  %y:2 = sinter.contract (i = ?) by (e = ?) by (f = 32)
      product (k = 64) (%x[i, k] : tensor<?x64xf32>, %w[e, k] : tensor<?x64xf32>) : f32
      matrix (e) to (f) (%u[e, f] : tensor<?x32xf32>)
      outs(%o[i, f] : tensor<?x32xf32>, %p[i] : tensor<?xf32>) {
  ^row(%a: tensor<?xf32>, %n1: tensor<?x32xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<?xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<?xf32>
    %s = arith.subf %a, %mb : tensor<?xf32>
    %t = math.absf %s : tensor<?xf32>
    %z = sinter.row_reduce add %t : tensor<?xf32> -> f32
    %zb = sinter.broadcast %z : f32 -> tensor<?xf32>
    %g = arith.divf %t, %zb : tensor<?xf32>
    %r = sinter.row_product %g, %n1 : tensor<?xf32>, tensor<?x32xf32> -> tensor<32xf32>
    sinter.yield %r, %z : tensor<32xf32>, f32
  }
  return %y#0, %y#1 : tensor<?x32xf32>, tensor<?xf32>
}
