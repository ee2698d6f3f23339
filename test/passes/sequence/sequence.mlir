// RUN: sinter-opt --sinter-sequence %s | FileCheck %s
// RUN: sinter-opt --sinter-sequence --sinter-sequence=launches=separate %s | FileCheck %s --check-prefix=APART
// RUN: sinter-opt --sinter-sequence "--sinter-sequence=launches=given wrt=0" %s | FileCheck %s --check-prefix=APART
// RUN: sinter-opt --sinter-sequence=launches=given %s | FileCheck %s --check-prefix=APART

// Kernels that follow each other are one sequence, with the reshapes between them. A result that others use is yielded;
// a reshape that others use is made again behind it. Schedules, which were for launches of their own, are gone.

// CHECK-LABEL: func.func @chain
// CHECK: %[[S:.*]]:2 = sinter.sequence phases [0, 1, 1] -> tensor<32xf32>, tensor<4x8xf32> {
// CHECK:   %[[Y:.*]] = sinter.rowwise
// CHECK-NOT: schedule
// CHECK:   %[[V:.*]] = tensor.collapse_shape %[[Y]]
// CHECK:   %[[Z:.*]] = sinter.rowwise (i = 32) by ()
// CHECK-NEXT: ins(%[[V]][i]
// CHECK:   %[[W:.*]] = sinter.rowwise (i = 4) by (j = 8)
// CHECK-NEXT: ins(%[[Y]][i, j]
// CHECK:   sinter.yield %[[Z]], %[[W]]
// CHECK: }
// CHECK: %[[E:.*]] = tensor.expand_shape %[[S]]#0
// CHECK: return %[[E]], %[[S]]#1
// APART-LABEL: func.func @chain
// APART-NOT: sinter.sequence
// APART-COUNT-3: sinter.rowwise
// APART-NOT: sinter.sequence
func.func @chain(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>)
      schedule(#sinter.gpu_rows<threads = 64, cluster = 2, residency = "registers">) {
  ^row(%a: tensor<8xf32>):
    %s = sinter.row_reduce add %a : tensor<8xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<8xf32>
    sinter.yield %b : tensor<8xf32>
  }
  %v = tensor.collapse_shape %y [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  %f = tensor.empty() : tensor<32xf32>
  %z = sinter.rowwise (i = 32) by () ins(%v[i] : tensor<32xf32>) outs(%f[i] : tensor<32xf32>) {
  ^row(%a: f32):
    %b = math.exp %a : f32
    sinter.yield %b : f32
  }
  %w = sinter.rowwise (i = 4) by (j = 8) ins(%y[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<8xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<8xf32>
    sinter.yield %b : tensor<8xf32>
  }
  %u = tensor.expand_shape %z [[0, 1]] output_shape [4, 8] : tensor<32xf32> into tensor<4x8xf32>
  return %u, %w : tensor<4x8xf32>, tensor<4x8xf32>
}

// One kernel is no sequence; nor is one in sizes that are not known, and what the host has to do ends one.

// CHECK-LABEL: func.func @one
// CHECK-NOT: sinter.sequence
func.func @one(%x: tensor<4x8xf32>, %d: tensor<?x8xf32>) -> (tensor<4x8xf32>, tensor<?x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  %z = sinter.rowwise (i = ?) by (j = 8) ins(%d[i, j] : tensor<?x8xf32>) outs(%d[i, j] : tensor<?x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return %y, %z : tensor<4x8xf32>, tensor<?x8xf32>
}

// CHECK-LABEL: func.func @host
// CHECK-NOT: sinter.sequence
func.func @host(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  %h = func.call @other(%y) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %z = sinter.rowwise (i = 4) by (j = 8) ins(%h[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return %z : tensor<4x8xf32>
}
func.func private @other(tensor<4x8xf32>) -> tensor<4x8xf32>

// Reshapes of reshapes that others use stand behind the sequence, each behind what it reshapes.

// CHECK-LABEL: func.func @reshaped_twice
// CHECK: %[[S:.*]]:2 = sinter.sequence phases [0, 1] -> tensor<4x8xf32>, tensor<4x8xf32>
// CHECK: %[[V:.*]] = tensor.collapse_shape %[[S]]#0 {{.*}} : tensor<4x8xf32> into tensor<32xf32>
// CHECK: %[[W:.*]] = tensor.expand_shape %[[V]] {{.*}} : tensor<32xf32> into tensor<1x32xf32>
// CHECK: return %[[W]], %[[V]], %[[S]]#1
func.func @reshaped_twice(%x: tensor<4x8xf32>) -> (tensor<1x32xf32>, tensor<32xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  %v = tensor.collapse_shape %y [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  %w = tensor.expand_shape %v [[0, 1]] output_shape [1, 32] : tensor<32xf32> into tensor<1x32xf32>
  %f = tensor.empty() : tensor<4x8xf32>
  %z = sinter.rowwise (i = 4) by (j = 8) ins(%y[i, j] : tensor<4x8xf32>) outs(%f[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    %b = arith.addf %a, %a : tensor<8xf32>
    sinter.yield %b : tensor<8xf32>
  }
  return %w, %v, %z : tensor<1x32xf32>, tensor<32xf32>, tensor<4x8xf32>
}

// Those of a loop's body are one for each turn, where it is not known how many there are. Others: loops.mlir.

// CHECK-LABEL: func.func @loop
// CHECK: scf.for
// CHECK: sinter.sequence phases [0, 1] -> tensor<4x8xf32>
// APART-LABEL: func.func @loop
// APART-NOT: sinter.sequence
func.func @loop(%x: tensor<4x8xf32>, %c9: index) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%t = %x) -> tensor<4x8xf32> {
    %e = tensor.empty() : tensor<4x8xf32>
    %y = sinter.rowwise (i = 4) by (j = 8) ins(%t[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    %f = tensor.empty() : tensor<4x8xf32>
    %z = sinter.rowwise (i = 4) by (j = 8) ins(%y[i, j] : tensor<4x8xf32>) outs(%f[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      %b = arith.addf %a, %a : tensor<8xf32>
      sinter.yield %b : tensor<8xf32>
    }
    scf.yield %z : tensor<4x8xf32>
  }
  return %r : tensor<4x8xf32>
}
