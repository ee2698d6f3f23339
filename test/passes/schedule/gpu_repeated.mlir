// RUN: sinter-opt --sinter-schedule=target=gpu %s | FileCheck %s

// A norm of one row, which all blocks wait for in front of a product, is computed by each of them.

// CHECK-LABEL: func.func @norm
// CHECK: sinter.rowwise () by (i = 2048)
// CHECK: schedule(#sinter.gpu_rows<blocks = 1, {{.*}}repeated = 1
// CHECK: sinter.rowwise (j = 64) by (i = 2048)
// CHECK-NOT: repeated
// CHECK: sinter.yield
func.func @norm(%x: tensor<2048xbf16>, %w: tensor<64x2048xbf16>, %e: tensor<2048xbf16>, %f: tensor<64xf32>) -> tensor<64xf32> {
  %z = sinter.sequence phases [0, 1] -> tensor<64xf32> {
    %n = sinter.rowwise () by (i = 2048) ins(%x[i] : tensor<2048xbf16>) outs(%e[i] : tensor<2048xbf16>) {
    ^row(%a: tensor<2048xbf16>):
      %b = arith.extf %a : tensor<2048xbf16> to tensor<2048xf32>
      %s = sinter.row_reduce add %b : tensor<2048xf32> -> f32
      %c = sinter.broadcast %s : f32 -> tensor<2048xf32>
      %d = arith.divf %b, %c : tensor<2048xf32>
      %r = arith.truncf %d : tensor<2048xf32> to tensor<2048xbf16>
      sinter.yield %r : tensor<2048xbf16>
    }
    %y = sinter.rowwise (j = 64) by (i = 2048) ins(%n[i] : tensor<2048xbf16>, %w[j, i] : tensor<64x2048xbf16>) outs(%f[j] : tensor<64xf32>) {
    ^row(%a: tensor<2048xbf16>, %b: tensor<2048xbf16>):
      %c = arith.extf %a : tensor<2048xbf16> to tensor<2048xf32>
      %d = arith.extf %b : tensor<2048xbf16> to tensor<2048xf32>
      %p = arith.mulf %c, %d : tensor<2048xf32>
      %s = sinter.row_reduce add %p : tensor<2048xf32> -> f32
      sinter.yield %s : f32
    }
    sinter.yield %y : tensor<64xf32>
  }
  return %z : tensor<64xf32>
}

// Nobody comes behind the last phase.

// CHECK-LABEL: func.func @last
// CHECK-NOT: repeated
func.func @last(%x: tensor<2048xbf16>, %e: tensor<2048xbf16>) -> tensor<2048xbf16> {
  %z = sinter.sequence phases [0] -> tensor<2048xbf16> {
    %n = sinter.rowwise () by (i = 2048) ins(%x[i] : tensor<2048xbf16>) outs(%e[i] : tensor<2048xbf16>) {
    ^row(%a: tensor<2048xbf16>):
      %b = arith.extf %a : tensor<2048xbf16> to tensor<2048xf32>
      %s = sinter.row_reduce add %b : tensor<2048xf32> -> f32
      %c = sinter.broadcast %s : f32 -> tensor<2048xf32>
      %d = arith.divf %b, %c : tensor<2048xf32>
      %r = arith.truncf %d : tensor<2048xf32> to tensor<2048xbf16>
      sinter.yield %r : tensor<2048xbf16>
    }
    sinter.yield %n : tensor<2048xbf16>
  }
  return %z : tensor<2048xbf16>
}

// The other form of the phase is many blocks' work.

// CHECK-LABEL: func.func @beside_much
// CHECK-NOT: repeated
func.func @beside_much(%x: tensor<2048xbf16>, %w: tensor<64x2048xbf16>, %m: tensor<4096x2048xbf16>, %e: tensor<2048xbf16>, %g: tensor<4096x2048xbf16>, %f: tensor<64xf32>) -> (tensor<64xf32>, tensor<4096x2048xbf16>) {
  %z:2 = sinter.sequence phases [0, 0, 1] -> tensor<64xf32>, tensor<4096x2048xbf16> {
    %n = sinter.rowwise () by (i = 2048) ins(%x[i] : tensor<2048xbf16>) outs(%e[i] : tensor<2048xbf16>) {
    ^row(%a: tensor<2048xbf16>):
      %b = arith.extf %a : tensor<2048xbf16> to tensor<2048xf32>
      %s = sinter.row_reduce add %b : tensor<2048xf32> -> f32
      %c = sinter.broadcast %s : f32 -> tensor<2048xf32>
      %d = arith.divf %b, %c : tensor<2048xf32>
      %r = arith.truncf %d : tensor<2048xf32> to tensor<2048xbf16>
      sinter.yield %r : tensor<2048xbf16>
    }
    %t = sinter.rowwise (i = 4096) by (j = 2048) ins(%m[i, j] : tensor<4096x2048xbf16>) outs(%g[i, j] : tensor<4096x2048xbf16>) {
    ^row(%a: tensor<2048xbf16>):
      %b = arith.negf %a : tensor<2048xbf16>
      sinter.yield %b : tensor<2048xbf16>
    }
    %y = sinter.rowwise (j = 64) by (i = 2048) ins(%n[i] : tensor<2048xbf16>, %w[j, i] : tensor<64x2048xbf16>) outs(%f[j] : tensor<64xf32>) {
    ^row(%a: tensor<2048xbf16>, %b: tensor<2048xbf16>):
      %c = arith.extf %a : tensor<2048xbf16> to tensor<2048xf32>
      %d = arith.extf %b : tensor<2048xbf16> to tensor<2048xf32>
      %p = arith.mulf %c, %d : tensor<2048xf32>
      %s = sinter.row_reduce add %p : tensor<2048xf32> -> f32
      sinter.yield %s : f32
    }
    sinter.yield %y, %t : tensor<64xf32>, tensor<4096x2048xbf16>
  }
  return %z#0, %z#1 : tensor<64xf32>, tensor<4096x2048xbf16>
}

// A row that each block would read too much of stays one block's.

// CHECK-LABEL: func.func @long
// CHECK-NOT: repeated
// CHECK: return
func.func @long(%x: tensor<65536xbf16>, %e: tensor<65536xbf16>, %w: tensor<4x65536xbf16>, %f: tensor<4xf32>) -> tensor<4xf32> {
  %z = sinter.sequence phases [0, 1] -> tensor<4xf32> {
    %n = sinter.rowwise () by (i = 65536) ins(%x[i] : tensor<65536xbf16>) outs(%e[i] : tensor<65536xbf16>) {
    ^row(%a: tensor<65536xbf16>):
      %b = arith.extf %a : tensor<65536xbf16> to tensor<65536xf32>
      %s = sinter.row_reduce add %b : tensor<65536xf32> -> f32
      %c = sinter.broadcast %s : f32 -> tensor<65536xf32>
      %d = arith.divf %b, %c : tensor<65536xf32>
      %r = arith.truncf %d : tensor<65536xf32> to tensor<65536xbf16>
      sinter.yield %r : tensor<65536xbf16>
    }
    %y = sinter.rowwise (j = 4) by (i = 65536) ins(%n[i] : tensor<65536xbf16>, %w[j, i] : tensor<4x65536xbf16>) outs(%f[j] : tensor<4xf32>) {
    ^row(%a: tensor<65536xbf16>, %b: tensor<65536xbf16>):
      %c = arith.extf %a : tensor<65536xbf16> to tensor<65536xf32>
      %d = arith.extf %b : tensor<65536xbf16> to tensor<65536xf32>
      %p = arith.mulf %c, %d : tensor<65536xf32>
      %s = sinter.row_reduce add %p : tensor<65536xf32> -> f32
      sinter.yield %s : f32
    }
    sinter.yield %y : tensor<4xf32>
  }
  return %z : tensor<4xf32>
}
