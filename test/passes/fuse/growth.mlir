// RUN: sinter-opt %s --sinter-raise --sinter-fuse | FileCheck %s
// RUN: sinter-opt %s --sinter-raise --sinter-fuse=remarks=true 2>&1 | FileCheck %s --check-prefix=WHY

// Seventeen sums of one tensor: one kernel has sixteen of them, and one is a kernel of its own.

// WHY: remark: one kernel would have 17 accumulators, and fusion makes at most 16

#row = affine_map<(d0) -> (d0)>
#one = affine_map<(d0) -> ()>
// CHECK-LABEL: func @sums
//       CHECK:   sinter.rowwise
//       CHECK:   sinter.rowwise
//   CHECK-NOT:   sinter.rowwise
//       CHECK:   return
func.func @sums(%x: tensor<8xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r0 = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"]} ins(%x : tensor<8xf32>) outs(%z : tensor<f32>) {
  ^bb(%a: f32, %o: f32):
    %c = arith.constant 0.5 : f32
    %m = arith.mulf %a, %c : f32
    %s = arith.addf %m, %o : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %r1 = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"]} ins(%x : tensor<8xf32>) outs(%z : tensor<f32>) {
  ^bb(%a: f32, %o: f32):
    %c = arith.constant 1.5 : f32
    %m = arith.mulf %a, %c : f32
    %s = arith.addf %m, %o : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %r2 = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"]} ins(%x : tensor<8xf32>) outs(%z : tensor<f32>) {
  ^bb(%a: f32, %o: f32):
    %c = arith.constant 2.5 : f32
    %m = arith.mulf %a, %c : f32
    %s = arith.addf %m, %o : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %r3 = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"]} ins(%x : tensor<8xf32>) outs(%z : tensor<f32>) {
  ^bb(%a: f32, %o: f32):
    %c = arith.constant 3.5 : f32
    %m = arith.mulf %a, %c : f32
    %s = arith.addf %m, %o : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %r4 = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"]} ins(%x : tensor<8xf32>) outs(%z : tensor<f32>) {
  ^bb(%a: f32, %o: f32):
    %c = arith.constant 4.5 : f32
    %m = arith.mulf %a, %c : f32
    %s = arith.addf %m, %o : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %r5 = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"]} ins(%x : tensor<8xf32>) outs(%z : tensor<f32>) {
  ^bb(%a: f32, %o: f32):
    %c = arith.constant 5.5 : f32
    %m = arith.mulf %a, %c : f32
    %s = arith.addf %m, %o : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %r6 = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"]} ins(%x : tensor<8xf32>) outs(%z : tensor<f32>) {
  ^bb(%a: f32, %o: f32):
    %c = arith.constant 6.5 : f32
    %m = arith.mulf %a, %c : f32
    %s = arith.addf %m, %o : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %r7 = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"]} ins(%x : tensor<8xf32>) outs(%z : tensor<f32>) {
  ^bb(%a: f32, %o: f32):
    %c = arith.constant 7.5 : f32
    %m = arith.mulf %a, %c : f32
    %s = arith.addf %m, %o : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %r8 = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"]} ins(%x : tensor<8xf32>) outs(%z : tensor<f32>) {
  ^bb(%a: f32, %o: f32):
    %c = arith.constant 8.5 : f32
    %m = arith.mulf %a, %c : f32
    %s = arith.addf %m, %o : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %r9 = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"]} ins(%x : tensor<8xf32>) outs(%z : tensor<f32>) {
  ^bb(%a: f32, %o: f32):
    %c = arith.constant 9.5 : f32
    %m = arith.mulf %a, %c : f32
    %s = arith.addf %m, %o : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %r10 = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"]} ins(%x : tensor<8xf32>) outs(%z : tensor<f32>) {
  ^bb(%a: f32, %o: f32):
    %c = arith.constant 10.5 : f32
    %m = arith.mulf %a, %c : f32
    %s = arith.addf %m, %o : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %r11 = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"]} ins(%x : tensor<8xf32>) outs(%z : tensor<f32>) {
  ^bb(%a: f32, %o: f32):
    %c = arith.constant 11.5 : f32
    %m = arith.mulf %a, %c : f32
    %s = arith.addf %m, %o : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %r12 = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"]} ins(%x : tensor<8xf32>) outs(%z : tensor<f32>) {
  ^bb(%a: f32, %o: f32):
    %c = arith.constant 12.5 : f32
    %m = arith.mulf %a, %c : f32
    %s = arith.addf %m, %o : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %r13 = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"]} ins(%x : tensor<8xf32>) outs(%z : tensor<f32>) {
  ^bb(%a: f32, %o: f32):
    %c = arith.constant 13.5 : f32
    %m = arith.mulf %a, %c : f32
    %s = arith.addf %m, %o : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %r14 = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"]} ins(%x : tensor<8xf32>) outs(%z : tensor<f32>) {
  ^bb(%a: f32, %o: f32):
    %c = arith.constant 14.5 : f32
    %m = arith.mulf %a, %c : f32
    %s = arith.addf %m, %o : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %r15 = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"]} ins(%x : tensor<8xf32>) outs(%z : tensor<f32>) {
  ^bb(%a: f32, %o: f32):
    %c = arith.constant 15.5 : f32
    %m = arith.mulf %a, %c : f32
    %s = arith.addf %m, %o : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %r16 = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"]} ins(%x : tensor<8xf32>) outs(%z : tensor<f32>) {
  ^bb(%a: f32, %o: f32):
    %c = arith.constant 16.5 : f32
    %m = arith.mulf %a, %c : f32
    %s = arith.addf %m, %o : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}
