// RUN: sinter-opt --sinter-lower-gpu --split-input-file %s | FileCheck %s

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

// -----

// By one number for the row: its reciprocal, once. One over what is 1 or more: rcp.approx.

// CHECK-LABEL: gpu.func @by_row
//       CHECK:   scf.for
//       CHECK:     %[[SCALE:.+]] = arith.select %{{.+}}, %{{.+}}, %{{.+}} : f32
//       CHECK:     %[[R:.+]] = llvm.call_intrinsic "llvm.nvvm.rcp.rn.f"
//       CHECK:     arith.mulf
//       CHECK:     arith.mulf
// CHECK-COUNT-4:   llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"
//   CHECK-NOT:   divf
func.func private @by_row(%x: memref<4x128xf32>, %z: memref<4xf32>, %y: memref<4x128xf32>, %w: memref<4x128xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by (j = 128) ins(%x[i, j] : memref<4x128xf32>, %z[i] : memref<4xf32>) outs(%y[i, j] : memref<4x128xf32>, %w[i, j] : memref<4x128xf32>)
      schedule(#sinter.gpu_rows<threads = 32, vector = 4>) {
  ^row(%a: tensor<128xf32>, %b: f32):
    %one = arith.constant dense<1.0> : tensor<128xf32>
    %c = sinter.broadcast %b : f32 -> tensor<128xf32>
    %q = arith.divf %a, %c : tensor<128xf32>
    %m = math.absf %a : tensor<128xf32>
    %n = arith.addf %m, %one : tensor<128xf32>
    %r = arith.divf %one, %n : tensor<128xf32>
    sinter.yield %q, %r : tensor<128xf32>, tensor<128xf32>
  }
  return
}

// -----

// By 1 and an exponential that is no more than 1: a product with rcp.approx, once for all divisions. By 1 and a square,
// which may be large, div.full.

// CHECK-LABEL: gpu.func @moderate
//       CHECK:   %[[D:.+]] = arith.addf
//       CHECK:   %[[R:.+]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%[[D]])
//       CHECK:   arith.mulf %{{.+}}, %[[R]]
//       CHECK:   llvm.nvvm.div.full
//   CHECK-NOT:   divf
func.func private @moderate(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %z: memref<4x8xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>, %z[i, j] : memref<4x8xf32>)
      schedule(#sinter.gpu_rows<threads = 32>) {
  ^row(%a: tensor<8xf32>):
    %one = arith.constant dense<1.0> : tensor<8xf32>
    %m = math.absf %a : tensor<8xf32>
    %n = arith.negf %m : tensor<8xf32>
    %e = math.exp %n : tensor<8xf32>
    %d = arith.addf %e, %one : tensor<8xf32>
    %q = arith.divf %a, %d : tensor<8xf32>
    %s = arith.mulf %a, %a : tensor<8xf32>
    %f = arith.addf %s, %one : tensor<8xf32>
    %r = arith.divf %a, %f : tensor<8xf32>
    sinter.yield %q, %r : tensor<8xf32>, tensor<8xf32>
  }
  return
}

// -----

// Halves by a constant: a product of f32, rounded. By each other div.full of f32. tanh of bf16 is one instruction.

// CHECK-LABEL: gpu.func @halves
//       CHECK:   %[[X:.+]] = arith.extf %[[A:.+]] : vector<4xbf16> to vector<4xf32>
//       CHECK:   %[[P:.+]] = arith.mulf %[[X]], %{{.+}} : vector<4xf32>
//       CHECK:   arith.truncf %[[P]] : vector<4xf32> to vector<4xbf16>
// CHECK-COUNT-4:   llvm.inline_asm "tanh.approx.f32 $0, $1;"
// CHECK-COUNT-4:   llvm.call_intrinsic "llvm.nvvm.div.full"
//   CHECK-NOT:   {{divf|math.tanh}}
func.func private @halves(%x: memref<4x8xbf16>, %y: memref<4x8xbf16>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xbf16>) outs(%y[i, j] : memref<4x8xbf16>)
      schedule(#sinter.gpu_rows<threads = 32, vector = 4>) {
  ^row(%a: tensor<8xbf16>):
    %c = arith.constant dense<7.0> : tensor<8xbf16>
    %q = arith.divf %a, %c : tensor<8xbf16>
    %h = math.tanh %q : tensor<8xbf16>
    %r = arith.divf %h, %a : tensor<8xbf16>
    sinter.yield %r : tensor<8xbf16>
  }
  return
}

// -----

// Of f16: tanh by its two parts, exp by one instruction, quotients by a reciprocal, once for a number of the row. A
// power of 1/2 is a root.

// CHECK-LABEL: gpu.func @functions_of_f16
//       CHECK:   %[[R:.+]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"
//       CHECK:   vector.broadcast %[[R]]
// CHECK-COUNT-2:   llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
// CHECK-COUNT-2:   llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"
//       CHECK:   math.copysign
//       CHECK:   arith.select
//       CHECK:   math.sqrt
//       CHECK:   llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
//   CHECK-NOT:   {{divf|math.tanh|math.exp|math.powf}}
func.func private @functions_of_f16(%x: memref<4x8xf16>, %s: memref<4xf16>, %y: memref<4x8xf16>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf16>, %s[i] : memref<4xf16>) outs(%y[i, j] : memref<4x8xf16>)
      schedule(#sinter.gpu_rows<threads = 32, vector = 2>) {
  ^row(%a: tensor<8xf16>, %n: f16):
    %half = arith.constant dense<0.5> : tensor<8xf16>
    %b = sinter.broadcast %n : f16 -> tensor<8xf16>
    %q = arith.divf %a, %b : tensor<8xf16>
    %h = math.tanh %q : tensor<8xf16>
    %p = math.powf %h, %half : tensor<8xf16>
    %e = math.exp %p : tensor<8xf16>
    sinter.yield %e : tensor<8xf16>
  }
  return
}

// -----

// erf of half types is a polynomial of the clamped magnitude, shorter for bf16; expm1 has two parts.

// CHECK-LABEL: gpu.func @erf_of_halves
//       CHECK:   arith.minimumf
//       CHECK:   llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
//       CHECK:   arith.select
//       CHECK:   arith.minimumf
//   CHECK-NOT:   {{math.erf|math.expm1}}
//       CHECK:   gpu.return
func.func private @erf_of_halves(%x: memref<4x8xf16>, %z: memref<4x8xbf16>, %y: memref<4x8xf16>, %w: memref<4x8xbf16>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf16>, %z[i, j] : memref<4x8xbf16>) outs(%y[i, j] : memref<4x8xf16>, %w[i, j] : memref<4x8xbf16>)
      schedule(#sinter.gpu_rows<threads = 32, vector = 2>) {
  ^row(%a: tensor<8xf16>, %b: tensor<8xbf16>):
    %e = math.erf %a : tensor<8xf16>
    %f = math.erf %b : tensor<8xbf16>
    %g = math.expm1 %e : tensor<8xf16>
    sinter.yield %g, %f : tensor<8xf16>, tensor<8xbf16>
  }
  return
}
