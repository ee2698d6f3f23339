// RUN: sinter-opt --sinter-few-rows --split-input-file %s | FileCheck %s

// How many rows there are is known when the program runs: for 16 of f32 or fewer, weights are read where they lie.

// CHECK-LABEL: func @main
//       CHECK:   %[[N:.+]] = memref.dim %arg0, %c0{{.*}} : memref<?x2x512xf32>
//       CHECK:   %[[FEW:.+]] = arith.cmpi ule, %[[N]], %c8
//       CHECK:   scf.if %[[FEW]] {
//  CHECK-NEXT:     call @kernel_few(%arg0, %arg1, %arg2)
//  CHECK-NEXT:   } else {
//  CHECK-NEXT:     call @kernel(%arg0, %arg1, %arg2)
//  CHECK-NEXT:   }
//   CHECK-NOT:   call
// CHECK-LABEL: func private @kernel(
//       CHECK:   schedule(#sinter.brgemm<k = 256, kernel = "libxsmm"
// CHECK-LABEL: func private @kernel_few(
//       CHECK:   schedule(#sinter.brgemm<{{.*}}kernel = "inner512", {{.*}}m = 16
func.func @main(%x: memref<?x2x512xf32>, %w: memref<768x512xf32>, %y: memref<?x2x768xf32>) {
  call @kernel(%x, %w, %y) : (memref<?x2x512xf32>, memref<768x512xf32>, memref<?x2x768xf32>) -> ()
  return
}
func.func private @kernel(%x: memref<?x2x512xf32>, %w: memref<768x512xf32>, %y: memref<?x2x768xf32>) attributes {sinter.kernel} {
  sinter.contract (h = ?, i = 2) by (j = 768)
      product (k = 512) (%x[h, i, k] : memref<?x2x512xf32>, %w[j, k] : memref<768x512xf32>) : f32
      outs(%y[h, i, j] : memref<?x2x768xf32>)
      schedule(#sinter.brgemm<k = 256, kernel = "libxsmm", lanes = 16, m = 128, n = 64, tasks = 64, unroll = 1>) {
  ^row(%a: tensor<768xf32>):
    sinter.yield %a : tensor<768xf32>
  }
  return
}

// -----

// One is left where rows are known, or known to be many; where somebody gave another schedule; where the weights are
// packed before the program runs.

// CHECK-LABEL: func @others
//   CHECK-NOT:   scf.if
//   CHECK-NOT:   _few
func.func @others(%x: memref<?x17x512xf32>, %w: memref<768x512xf32>, %y: memref<?x17x768xf32>, %u: memref<?x512xf32>, %v: memref<?x768xf32>) {
  call @many(%x, %w, %y) : (memref<?x17x512xf32>, memref<768x512xf32>, memref<?x17x768xf32>) -> ()
  call @given(%u, %w, %v) : (memref<?x512xf32>, memref<768x512xf32>, memref<?x768xf32>) -> ()
  return
}
func.func private @many(%x: memref<?x17x512xf32>, %w: memref<768x512xf32>, %y: memref<?x17x768xf32>) attributes {sinter.kernel} {
  sinter.contract (h = ?, i = 17) by (j = 768)
      product (k = 512) (%x[h, i, k] : memref<?x17x512xf32>, %w[j, k] : memref<768x512xf32>) : f32
      outs(%y[h, i, j] : memref<?x17x768xf32>)
      schedule(#sinter.brgemm<k = 256, kernel = "libxsmm", lanes = 16, m = 128, n = 64, tasks = 64, unroll = 1>) {
  ^row(%a: tensor<768xf32>):
    sinter.yield %a : tensor<768xf32>
  }
  return
}
func.func private @given(%x: memref<?x512xf32>, %w: memref<768x512xf32>, %y: memref<?x768xf32>) attributes {sinter.kernel} {
  sinter.contract (i = ?) by (j = 768)
      product (k = 512) (%x[i, k] : memref<?x512xf32>, %w[j, k] : memref<768x512xf32>) : f32
      outs(%y[i, j] : memref<?x768xf32>)
      schedule(#sinter.brgemm<k = 128, kernel = "libxsmm", lanes = 16, m = 64, n = 64, tasks = 64, unroll = 1>) {
  ^row(%a: tensor<768xf32>):
    sinter.yield %a : tensor<768xf32>
  }
  return
}

// -----

// Rows of two sizes are counted by both, a size by an operand that has all of it, and a name that is taken is left.

// CHECK-LABEL: func @both
//   CHECK-DAG:   %[[H:.+]] = memref.dim %arg2, %c0{{.*}} : memref<?x?x768xf32>
//   CHECK-DAG:   %[[I:.+]] = memref.dim %arg2, %c1{{.*}} : memref<?x?x768xf32>
//       CHECK:   %[[N:.+]] = arith.muli %[[H]], %[[I]]
//       CHECK:   arith.cmpi ule, %[[N]], %c16
//       CHECK:   call @two_few2(
func.func @both(%x: memref<?x?x512xf32>, %w: memref<768x512xf32>, %y: memref<?x?x768xf32>) {
  call @two(%x, %w, %y) : (memref<?x?x512xf32>, memref<768x512xf32>, memref<?x?x768xf32>) -> ()
  return
}
func.func private @two_few()
func.func private @two(%x: memref<?x?x512xf32>, %w: memref<768x512xf32>, %y: memref<?x?x768xf32>) attributes {sinter.kernel} {
  sinter.contract (h = ?, i = ?) by (j = 768)
      product (k = 512) (%x[h, i, k] : memref<?x?x512xf32> else 0.0, %w[j, k] : memref<768x512xf32>) : f32
      outs(%y[h, i, j] : memref<?x?x768xf32>)
      schedule(#sinter.brgemm<k = 256, kernel = "libxsmm", lanes = 16, m = 128, n = 64, tasks = 64, unroll = 1>) {
  ^row(%a: tensor<768xf32>):
    sinter.yield %a : tensor<768xf32>
  }
  return
}

// -----

// Rows that go through two layers pack the weights of few of them in smaller blocks; where each batch has a matrix of
// its own, as attention has, there is one kernel.

// CHECK-LABEL: func @layers
//       CHECK:   arith.cmpi ule, %{{.+}}, %c16
//       CHECK:   call @chain_few(
//       CHECK:   call @heads(
// CHECK-LABEL: func private @chain_few(
//       CHECK:   schedule(#sinter.brgemm<k = 64, kernel = "libxsmm", {{.*}}m = 16
//   CHECK-NOT:   @heads_few
func.func @layers(%x: memref<?x188xf32>, %w: memref<416x188xf32>, %v: memref<188x416xf32>, %y: memref<?x188xf32>,
                  %p: memref<3x?x188xf32>, %q: memref<3x416x188xf32>, %z: memref<3x?x188xf32>) {
  call @chain(%x, %w, %v, %y) : (memref<?x188xf32>, memref<416x188xf32>, memref<188x416xf32>, memref<?x188xf32>) -> ()
  call @heads(%p, %q, %v, %z) : (memref<3x?x188xf32>, memref<3x416x188xf32>, memref<188x416xf32>, memref<3x?x188xf32>) -> ()
  return
}
func.func private @chain(%x: memref<?x188xf32>, %w: memref<416x188xf32>, %v: memref<188x416xf32>, %y: memref<?x188xf32>) attributes {sinter.kernel} {
  sinter.contract (i = ?) by (j = 416) by (e = 188)
      product (k = 188) (%x[i, k] : memref<?x188xf32>, %w[j, k] : memref<416x188xf32>) : f32
      matrix (j) to (e) (%v[e, j] : memref<188x416xf32>)
      outs(%y[i, e] : memref<?x188xf32>)
      schedule(#sinter.brgemm<k = 256, kernel = "libxsmm", lanes = 16, m = 128, n = 64, stream = 256, tasks = 64, unroll = 1>) {
  ^row(%a: tensor<416xf32>, %m: tensor<416x188xf32>):
    %h = math.absf %a : tensor<416xf32>
    %o = sinter.row_product %h, %m : tensor<416xf32>, tensor<416x188xf32> -> tensor<188xf32>
    sinter.yield %o : tensor<188xf32>
  }
  return
}
func.func private @heads(%x: memref<3x?x188xf32>, %w: memref<3x416x188xf32>, %v: memref<188x416xf32>, %y: memref<3x?x188xf32>) attributes {sinter.kernel} {
  sinter.contract (h = 3, i = ?) by (j = 416) by (e = 188)
      product (k = 188) (%x[h, i, k] : memref<3x?x188xf32>, %w[h, j, k] : memref<3x416x188xf32>) : f32
      matrix (j) to (e) (%v[e, j] : memref<188x416xf32>)
      outs(%y[h, i, e] : memref<3x?x188xf32>)
      schedule(#sinter.brgemm<k = 256, kernel = "libxsmm", lanes = 16, m = 128, n = 64, stream = 256, tasks = 64, unroll = 1>) {
  ^row(%a: tensor<416xf32>, %m: tensor<416x188xf32>):
    %g = math.absf %a : tensor<416xf32>
    %o = sinter.row_product %g, %m : tensor<416xf32>, tensor<416x188xf32> -> tensor<188xf32>
    sinter.yield %o : tensor<188xf32>
  }
  return
}

// -----

// A schedule of a GPU says nothing of kernels of a CPU.

// CHECK-LABEL: func private @tiles
//       CHECK: #sinter.mma
func.func private @tiles(%x: memref<?x16xf32>, %w: memref<16x32xf32>, %y: memref<?x32xf32>) attributes {sinter.kernel} {
  sinter.contract (i = ?) by (j = 32)
      product (k = 16) (%x[i, k] : memref<?x16xf32>, %w[k, j] : memref<16x32xf32>) : f32
      outs(%y[i, j] : memref<?x32xf32>)
      schedule(#sinter.mma<k = 16, kernel = "fma", m = 16, n = 16, occupancy = 8, threads = 64>) {
  ^row(%a: tensor<32xf32>):
    sinter.yield %a : tensor<32xf32>
  }
  return
}
