// RUN: sinter-run %s --emit=fused | FileCheck %s
// RUN: sinter-run %s --verify --shape=37x16 --shape=37x16 --shape=37x32 | FileCheck %s --check-prefix=SAME
// RUN: sinter-run %s --verify --shape=5000x16 --shape=5000x16 --shape=5000x32 | FileCheck %s --check-prefix=SAME
// RUN: sinter-run %s --stats --quiet --shape=37x16 --shape=37x16 --shape=37x32 | FileCheck %s --check-prefix=FEW
// RUN: sinter-run %s --stats --quiet --shape=5000x16 --shape=5000x16 --shape=5000x32 | FileCheck %s --check-prefix=KERNELS
// RUN: sinter-opt --sinter-prepare --sinter-raise --sinter-fuse --sinter-split=target=cpu %s | FileCheck %s --check-prefix=CUT

// Two products share a side. The one that goes on from rows is chained to what makes those, which a CPU does not run
// for rows of any length: sinter-split cuts them again, for long ones. What is left of a cut is fused once more.

//  CUT-LABEL: func @weights
//        CUT:   } else {
//        CUT:   sinter.rowwise
//        CUT:   = sinter.contract
//        CUT:   = sinter.contract

// CHECK-LABEL: func @weights
//       CHECK:   } else {
//       CHECK:   %[[T:.+]] = sinter.rowwise (j = 16) by (i = ?)
//       CHECK:   %{{.+}}:2 = sinter.contract (j = 16) by (j1 = 32)
//  CHECK-NEXT:     product (k = ?) (%{{.+}}[k, j] : tensor<?x16xf32>, %[[B:[^ ]+]][k, j1] : tensor<?x32xf32>) : f32
//  CHECK-NEXT:     product (i = ?) (%[[T]][i, j] : tensor<?x16xf32>, %[[B]][i, j1] : tensor<?x32xf32>) : f32
//   CHECK-NOT:   sinter.contract
//        SAME: agrees
//         FEW: "kernels": 1,
//     KERNELS: "kernels": 2,
func.func @weights(%a: tensor<?x16xf32>, %c: tensor<?x16xf32>, %b: tensor<?x32xf32>)
    -> (tensor<16x32xf32>, tensor<16x32xf32>, tensor<?x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %c, %c0 : tensor<?x16xf32>
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %t = linalg.tanh ins(%c : tensor<?x16xf32>) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  %w = tensor.empty() : tensor<16x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%w : tensor<16x32xf32>) -> tensor<16x32xf32>
  %x = linalg.matmul indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>]
    ins(%a, %b : tensor<?x16xf32>, tensor<?x32xf32>) outs(%z : tensor<16x32xf32>) -> tensor<16x32xf32>
  %y = linalg.matmul indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>]
    ins(%t, %b : tensor<?x16xf32>, tensor<?x32xf32>) outs(%z : tensor<16x32xf32>) -> tensor<16x32xf32>
  return %x, %y, %t : tensor<16x32xf32>, tensor<16x32xf32>, tensor<?x16xf32>
}
