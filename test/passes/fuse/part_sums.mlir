// RUN: sinter-opt --sinter-fuse --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-fuse=without=turns --split-input-file %s | FileCheck %s --check-prefix=OFF

// Heads that share a matrix: its gradient is a sum over them and over rows. Rows are made again as columns for a head
// at a time, the heads' sums are added up behind it, and rounded there.

// CHECK-LABEL: func @heads
// CHECK:      %[[P:.*]] = sinter.contract (h = 3, j = 300) by (i = 200) by (e = 5)
// CHECK-NEXT:   product (d = 8) (%arg0[h, i, d] : tensor<3x200x8xf32>, %arg1[j, d] : tensor<300x8xf32>) : f32
// CHECK-NEXT:   matrix (i) to (e) (%arg2[h, i, e] : tensor<3x200x5xf32>)
// CHECK-NEXT:   outs(%{{.*}}[h, e, j] : tensor<3x5x300xf32>)
// CHECK:      sinter.rowwise (j = 300, e = 5) by (h = 3)
// CHECK-NEXT:   ins(%[[P]][h, e, j] : tensor<3x5x300xf32>, %arg3[e] : tensor<5xf32>)
// CHECK-NEXT:   outs(%{{.*}}[e, j] : tensor<5x300xbf16>)
// CHECK-NEXT: ^row(%[[X:.*]]: tensor<3xf32>, %[[B:.*]]: f32):
// CHECK-NEXT:   %[[S:.*]] = sinter.row_reduce add %[[X]] : tensor<3xf32> -> f32
// CHECK-NEXT:   %[[Y:.*]] = arith.mulf %[[S]], %[[B]] : f32
// CHECK-NEXT:   %[[R:.*]] = arith.truncf %[[Y]] : f32 to bf16
// CHECK-NEXT:   sinter.yield %[[R]] : bf16
// CHECK-NOT:  sinter.contract

// OFF-LABEL:  func @heads
// OFF:        product (h = 3, i = 200)
func.func @heads(%q: tensor<3x200x8xf32>, %k: tensor<300x8xf32>, %g: tensor<3x200x5xf32>, %b: tensor<5xf32>) -> tensor<5x300xbf16> {
  %e0 = tensor.empty() : tensor<3x200x300xf32>
  %e2 = tensor.empty() : tensor<5x300xbf16>
  %p = sinter.contract (h = 3, i = 200) by (j = 300)
      product (d = 8) (%q[h, i, d] : tensor<3x200x8xf32>, %k[j, d] : tensor<300x8xf32>) : f32
      outs(%e0[h, i, j] : tensor<3x200x300xf32>) {
  ^row(%s: tensor<300xf32>):
    %x = math.exp %s : tensor<300xf32>
    sinter.yield %x : tensor<300xf32>
  }
  %dv = sinter.contract (j = 300) by (e = 5)
      product (h = 3, i = 200) (%p[h, i, j] : tensor<3x200x300xf32>, %g[h, i, e] : tensor<3x200x5xf32>) : f32
      ins(%b[e] : tensor<5xf32>)
      outs(%e2[e, j] : tensor<5x300xbf16>) {
  ^row(%a: tensor<5xf32>, %c: tensor<5xf32>):
    %m = arith.mulf %a, %c : tensor<5xf32>
    %r = arith.truncf %m : tensor<5xf32> to tensor<5xbf16>
    sinter.yield %r : tensor<5xbf16>
  }
  return %dv : tensor<5x300xbf16>
}

// -----

// The heads' sums would be as large as what is summed over.

// CHECK-LABEL: func @large_parts
// CHECK:      product (h = 3, i = 20)
func.func @large_parts(%q: tensor<3x20x8xf32>, %k: tensor<30000x8xf32>, %g: tensor<3x20x20xf32>) -> tensor<30000x20xf32> {
  %e0 = tensor.empty() : tensor<3x20x30000xf32>
  %e2 = tensor.empty() : tensor<30000x20xf32>
  %p = sinter.contract (h = 3, i = 20) by (j = 30000)
      product (d = 8) (%q[h, i, d] : tensor<3x20x8xf32>, %k[j, d] : tensor<30000x8xf32>) : f32
      outs(%e0[h, i, j] : tensor<3x20x30000xf32>) {
  ^row(%s: tensor<30000xf32>):
    %x = math.exp %s : tensor<30000xf32>
    sinter.yield %x : tensor<30000xf32>
  }
  %dv = sinter.contract (j = 30000) by (e = 20)
      product (h = 3, i = 20) (%p[h, i, j] : tensor<3x20x30000xf32>, %g[h, i, e] : tensor<3x20x20xf32>) : f32
      outs(%e2[j, e] : tensor<30000x20xf32>) {
  ^row(%a: tensor<20xf32>):
    sinter.yield %a : tensor<20xf32>
  }
  return %dv : tensor<30000x20xf32>
}

// -----

// What is made of the sum needs all columns: it could not be made where heads are added up.

// CHECK-LABEL: func @whole_row
// CHECK:      product (h = 3, i = 200)
func.func @whole_row(%q: tensor<3x200x8xf32>, %k: tensor<300x8xf32>, %g: tensor<3x200x5xf32>) -> tensor<300x5xf32> {
  %e0 = tensor.empty() : tensor<3x200x300xf32>
  %e2 = tensor.empty() : tensor<300x5xf32>
  %p = sinter.contract (h = 3, i = 200) by (j = 300)
      product (d = 8) (%q[h, i, d] : tensor<3x200x8xf32>, %k[j, d] : tensor<300x8xf32>) : f32
      outs(%e0[h, i, j] : tensor<3x200x300xf32>) {
  ^row(%s: tensor<300xf32>):
    %x = math.exp %s : tensor<300xf32>
    sinter.yield %x : tensor<300xf32>
  }
  %dv = sinter.contract (j = 300) by (e = 5)
      product (h = 3, i = 200) (%p[h, i, j] : tensor<3x200x300xf32>, %g[h, i, e] : tensor<3x200x5xf32>) : f32
      outs(%e2[j, e] : tensor<300x5xf32>) {
  ^row(%a: tensor<5xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<5xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<5xf32>
    %r = arith.subf %a, %b : tensor<5xf32>
    sinter.yield %r : tensor<5xf32>
  }
  return %dv : tensor<300x5xf32>
}
