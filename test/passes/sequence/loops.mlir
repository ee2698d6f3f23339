// RUN: sinter-opt --sinter-sequence="target=cpu launches=one" --split-input-file %s | FileCheck %s
// RUN: sinter-opt "--pass-pipeline=builtin.module(sinter-sequence{target=cpu launches=one},sinter-sequence{launches=separate})" --split-input-file %s | FileCheck %s --check-prefix=APART
// RUN: sinter-opt --sinter-sequence="target=cpu launches=one remarks=true" --split-input-file %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY

// A loop is one of a launch with what stands in front of it and behind it; its constants are made in front. Taken apart
// it is a loop of the host again.

// CHECK-LABEL: func.func @layers
// CHECK-NOT: scf.for
// CHECK: %[[R:.*]] = sinter.sequence phases [0, 1, 2, 3] -> tensor<4x8xf32> {
// CHECK: sinter.rowwise
// CHECK: scf.for %[[I:.*]] = %c0 to %c6 step %c1 iter_args
// CHECK-NEXT: tensor.extract_slice %{{.*}}[%[[I]], 0, 0] [1, 4, 8] [1, 1, 1] : tensor<9x4x8xf32> to tensor<4x8xf32>
// CHECK-NEXT: sinter.rowwise
// CHECK: sinter.rowwise
// CHECK: scf.yield
// CHECK: sinter.rowwise
// CHECK: sinter.yield
// APART-LABEL: func.func @layers
// APART-NOT: sinter.sequence
// APART: scf.for
func.func @layers(%x: tensor<4x8xf32>, %w: tensor<9x4x8xf32>) -> (tensor<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %e = tensor.empty() : tensor<4x8xf32>
  %f = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      %n = arith.addf %a, %a : tensor<8xf32>
      sinter.yield %n : tensor<8xf32>
    }
  %r = scf.for %t = %c0 to %c6 step %c1 iter_args(%v = %f) -> (tensor<4x8xf32>) {
    %p = tensor.extract_slice %w[%t, 0, 0] [1, 4, 8] [1, 1, 1] : tensor<9x4x8xf32> to tensor<4x8xf32>
    %e1 = tensor.empty() : tensor<4x8xf32>
    %y = sinter.rowwise (i = 4) by (j = 8) ins(%v[i, j] : tensor<4x8xf32>, %p[i, j] : tensor<4x8xf32>) outs(%e1[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>, %b: tensor<8xf32>):
      %n = arith.addf %a, %b : tensor<8xf32>
      sinter.yield %n : tensor<8xf32>
    }
    %z = sinter.rowwise (i = 4) by (j = 8) ins(%y[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      %n = arith.addf %a, %a : tensor<8xf32>
      sinter.yield %n : tensor<8xf32>
    }
    scf.yield %z : tensor<4x8xf32>
  }
  %g = sinter.rowwise (i = 4) by (j = 8) ins(%r[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      %n = arith.addf %a, %a : tensor<8xf32>
      sinter.yield %n : tensor<8xf32>
    }
  return %g : tensor<4x8xf32>
}

// -----

// What is put into a slice is stored there by the form that makes it; where it is carried, too, the form has two
// destinations. Reshapes of what it carries are around the loop.

// CHECK-LABEL: func.func @stored
// CHECK: tensor.collapse_shape %{{.*}} {{.}}{{.}}0, 1]] : tensor<1x8xf32> into tensor<8xf32>
// CHECK: sinter.sequence phases [0] -> tensor<8xf32>, tensor<6x8xf32> {
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[ALL:.*]] = %{{.*}}) -> (tensor<8xf32>, tensor<6x8xf32>)
// CHECK: %[[D:.*]] = tensor.extract_slice %[[ALL]]
// CHECK: %[[Y:.*]]:2 = sinter.rowwise
// CHECK: outs(%{{.*}}[i] : tensor<8xf32>, %[[D]][i] : tensor<8xf32>)
// CHECK: sinter.yield %[[N:.*]], %[[N]] : tensor<8xf32>, tensor<8xf32>
// CHECK: %[[Q:.*]] = tensor.insert_slice %[[Y]]#1 into %[[ALL]]
// CHECK: scf.yield %[[Y]]#0, %[[Q]]
// CHECK: tensor.expand_shape
func.func @stored(%x: tensor<1x8xf32>, %all: tensor<6x8xf32>) -> (tensor<1x8xf32>, tensor<6x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %r:2 = scf.for %t = %c0 to %c6 step %c1 iter_args(%v = %x, %s = %all) -> (tensor<1x8xf32>, tensor<6x8xf32>) {
    %e = tensor.empty() : tensor<8xf32>
    %y = sinter.rowwise () by (i = 8) ins(%v[0, i] : tensor<1x8xf32>) outs(%e[i] : tensor<8xf32>) {
    ^row(%a: tensor<8xf32>):
      %n = arith.addf %a, %a : tensor<8xf32>
      sinter.yield %n : tensor<8xf32>
    }
    %u = tensor.expand_shape %y [[0, 1]] output_shape [1, 8] : tensor<8xf32> into tensor<1x8xf32>
    %q = tensor.insert_slice %y into %s[%t, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<6x8xf32>
    scf.yield %u, %q : tensor<1x8xf32>, tensor<6x8xf32>
  }
  return %r#0, %r#1 : tensor<1x8xf32>, tensor<6x8xf32>
}

// -----

// WHY: is no loop of a launch: its bounds are not constants
// CHECK-LABEL: func.func @unknown_bounds
// CHECK: scf.for
func.func @unknown_bounds(%x: tensor<4x8xf32>, %n: index) -> (tensor<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %e = tensor.empty() : tensor<4x8xf32>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<4x8xf32>) {
    %y = sinter.rowwise (i = 4) by (j = 8) ins(%v[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      %n = arith.addf %a, %a : tensor<8xf32>
      sinter.yield %n : tensor<8xf32>
    }
    scf.yield %y : tensor<4x8xf32>
  }
  return %r : tensor<4x8xf32>
}

// -----

// WHY: is no loop of a launch: what it carries in place 1 is no tensor of known sizes that a kernel in it makes
// CHECK-LABEL: func.func @not_made
// CHECK: scf.for
func.func @not_made(%x: tensor<4x8xf32>, %z: tensor<4x8xf32>) -> (tensor<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %e = tensor.empty() : tensor<4x8xf32>
  %r:2 = scf.for %t = %c0 to %c6 step %c1 iter_args(%v = %x, %u = %x) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
    %y = sinter.rowwise (i = 4) by (j = 8) ins(%v[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      %n = arith.addf %a, %a : tensor<8xf32>
      sinter.yield %n : tensor<8xf32>
    }
    scf.yield %y, %z : tensor<4x8xf32>, tensor<4x8xf32>
  }
  return %r#0 : tensor<4x8xf32>
}

// -----

// WHY: keeps its loop from being one of a launch: it is not a turn's part of dimension 0, of whole vectors of 16 bytes
// CHECK-LABEL: func.func @odd_slice
// CHECK: scf.for
func.func @odd_slice(%x: tensor<4x8xf32>, %w: tensor<6x9xf32>) -> (tensor<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %e = tensor.empty() : tensor<4x8xf32>
  %r = scf.for %t = %c0 to %c6 step %c1 iter_args(%v = %x) -> (tensor<4x8xf32>) {
    %p = tensor.extract_slice %w[%t, 0] [1, 9] [1, 1] : tensor<6x9xf32> to tensor<9xf32>
    %y = sinter.rowwise (i = 4) by (j = 8) ins(%v[i, j] : tensor<4x8xf32>, %p[j] : tensor<9xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>, %b: tensor<8xf32>):
      %n = arith.addf %a, %b : tensor<8xf32>
      sinter.yield %n : tensor<8xf32>
    }
    scf.yield %y : tensor<4x8xf32>
  }
  return %r : tensor<4x8xf32>
}

// -----

// WHY: keeps its loop from being one of a launch: it is the host's
// CHECK-LABEL: func.func @of_the_host
// CHECK: scf.for
func.func @of_the_host(%x: tensor<4x8xf32>, %w: tensor<6xf32>) -> (tensor<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %e = tensor.empty() : tensor<4x8xf32>
  %r = scf.for %t = %c0 to %c6 step %c1 iter_args(%v = %x) -> (tensor<4x8xf32>) {
    %p = tensor.extract %w[%t] : tensor<6xf32>
    %q = tensor.from_elements %p : tensor<f32>
    %y = sinter.rowwise (i = 4) by (j = 8) ins(%v[i, j] : tensor<4x8xf32>, %q[] : tensor<f32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>, %b: f32):
      %c = sinter.broadcast %b : f32 -> tensor<8xf32>
      %n = arith.addf %a, %c : tensor<8xf32>
      sinter.yield %n : tensor<8xf32>
    }
    scf.yield %y : tensor<4x8xf32>
  }
  return %r : tensor<4x8xf32>
}

// -----

// WHY: is no loop of a launch: it begins 40000 kernels, at most 32768
// CHECK-LABEL: func.func @many
// CHECK: scf.for
func.func @many(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c40000 = arith.constant 40000 : index
  %e = tensor.empty() : tensor<4x8xf32>
  %r = scf.for %t = %c0 to %c40000 step %c1 iter_args(%v = %x) -> (tensor<4x8xf32>) {
    %y = sinter.rowwise (i = 4) by (j = 8) ins(%v[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      %n = arith.addf %a, %a : tensor<8xf32>
      sinter.yield %n : tensor<8xf32>
    }
    scf.yield %y : tensor<4x8xf32>
  }
  return %r : tensor<4x8xf32>
}
