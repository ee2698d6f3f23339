// RUN: sinter-opt --sinter-split="target=gpu again=1200000 stored=0" --split-input-file %s | FileCheck %s

// A product that is made again in parts of 192 columns (again.mlir): until its gradient by w is written, the memory of
// that has room for five of them in f32, at twice as many lines each. Their pieces are reduced from there, all others
// of their products; w's part that these are of begins behind the fifth part.

// CHECK-LABEL: func @gradient
//       CHECK:   sinter.rowwise (p = 11) by ()
//       CHECK:   %[[DW:.+]] = memref.alloc() : memref<2000x100xbf16>
//       CHECK:   %[[D:.+]] = memref.alloc() : memref<100x192xbf16>
//       CHECK:   %[[M:.+]] = memref.alloc() : memref<11x100xf32>
//       CHECK:   scf.for %[[P:.+]] = %c0{{.*}} to %c5
//   CHECK-DAG:     %[[AT:.+]] = arith.muli %[[P]], %c192
//   CHECK-DAG:     %[[LINE:.+]] = arith.muli %[[P]], %c384
//       CHECK:     memref.subview %[[DW]][%[[LINE]], 0] [384, 100] [1, 1]
//  CHECK-NEXT:     %[[KEPT:.+]] = builtin.unrealized_conversion_cast %{{.+}} to memref<100x192xf32>
//       CHECK:     memref.subview %{{.+}}[%[[AT]], 0] [192, 100] [1, 1]
//       CHECK:     sinter.contract (i = 100) by (j = 192)
//       CHECK:       outs(%[[KEPT]][i, j] : memref<100x192xf32>)
//       CHECK:     memref.subview %[[M]]
//       CHECK:     builtin.unrealized_conversion_cast %{{.+}} to memref<1x100xf32>
//       CHECK:     %[[READ:.+]] = builtin.unrealized_conversion_cast %[[KEPT]] : memref<100x192xf32> to memref<100x1x192xf32>
//       CHECK:     sinter.rowwise (i = 100, p = 1) by (j = 192)
//  CHECK-NEXT:       ins(%{{.+}}[i] : memref<100xi64>, %{{.+}}[] : memref<i64>, %[[READ]][i, p, j] : memref<100x1x192xf32>)
//       CHECK:       %[[FIRST:.+]] = arith.index_cast %{{.+}} : i64 to index
//       CHECK:       %[[OF:.+]] = arith.addi %{{.+}}, %[[FIRST]] : index
//       CHECK:       arith.index_cast %[[OF]]
//       CHECK:       sinter.pick
//       CHECK:   }
//       CHECK:   memref.subview %{{.+}}[%c960, 0] [1040, 100] [1, 1]
//       CHECK:   sinter.contract (i = 100, p = 6) by (j = 192)
//  CHECK-NEXT:     product (k = 100) (%{{.+}}[i, k] : memref<100x100xbf16>, %{{.+}}[p * 192 + j, k] : memref<1040x100xbf16> else 0.000000e+00) : f32
//       CHECK:     arith.addi %{{.+}}, %c960
//       CHECK:   sinter.rowwise (i = 100) by (p = 11)
//       CHECK:   scf.for %[[Q:.+]] = %c0{{.*}} to %c5
//       CHECK:     memref.subview %[[DW]]
//       CHECK:     %[[THERE:.+]] = builtin.unrealized_conversion_cast %{{.+}} to memref<100x192xf32>
//       CHECK:     %[[ALSO:.+]] = builtin.unrealized_conversion_cast %[[THERE]] : memref<100x192xf32> to memref<1x100x192xf32>
//       CHECK:     sinter.rowwise (i = 100) by (j = 192)
//  CHECK-NEXT:       ins(%[[ALSO]][0, i, j] : memref<1x100x192xf32>, %{{.+}}[i] : memref<100xf32>, %{{.+}}[i] : memref<100xf32>)
//  CHECK-NEXT:       outs(%[[D]][i, j] : memref<100x192xbf16>)
//       CHECK:     sinter.contract (i = 100) by (k = 100)
//       CHECK:     sinter.contract (j = 192) by (k = 100)
//       CHECK:   scf.for %{{.+}} = %c5{{.*}} to %c10
//       CHECK:     sinter.contract (i = 100) by (j = 192)
//       CHECK:       outs(%[[D]][i, j] : memref<100x192xbf16>)
func.func @gradient(%x: tensor<100x100xbf16>, %w: tensor<2000x100xbf16>, %t: tensor<100xi64>, %e: tensor<f32>, %d: tensor<100x2000xbf16>, %a: tensor<100x100xbf16>, %b: tensor<2000x100xbf16>) -> (tensor<f32>, tensor<100x100xbf16>, tensor<2000x100xbf16>) {
  %0:2 = sinter.contract (i = 100) by (j = 2000)
      product (k = 100) (%x[i, k] : tensor<100x100xbf16>, %w[j, k] : tensor<2000x100xbf16>) : f32
      ins(%t[i] : tensor<100xi64>) reduce(add [] : f32) outs(%e[] : tensor<f32>, %d[i, j] : tensor<100x2000xbf16>) {
  ^row(%p: tensor<2000xf32>, %l: i64):
    %zero = arith.constant 0.0 : f32
    %m = sinter.row_reduce maximumf %p : tensor<2000xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<2000xf32>
    %s = arith.subf %p, %mb : tensor<2000xf32>
    %f = math.exp %s : tensor<2000xf32>
    %z = sinter.row_reduce add %f : tensor<2000xf32> -> f32
    %g = math.log %z : f32
    %q = sinter.pick %s[%l] else %zero : tensor<2000xf32>, i64
    %of = arith.subf %g, %q : f32
    %zb = sinter.broadcast %z : f32 -> tensor<2000xf32>
    %soft = arith.divf %f, %zb : tensor<2000xf32>
    %y = arith.truncf %soft : tensor<2000xf32> to tensor<2000xbf16>
    sinter.yield %of, %y : f32, tensor<2000xbf16>
  }
  %1 = sinter.contract (i = 100) by (k = 100)
      product (j = 2000) (%0#1[i, j] : tensor<100x2000xbf16>, %w[j, k] : tensor<2000x100xbf16>) : f32
      outs(%a[i, k] : tensor<100x100xbf16>) {
  ^row(%p: tensor<100xf32>):
    %y = arith.truncf %p : tensor<100xf32> to tensor<100xbf16>
    sinter.yield %y : tensor<100xbf16>
  }
  %2 = sinter.contract (j = 2000) by (k = 100)
      product (i = 100) (%0#1[i, j] : tensor<100x2000xbf16>, %x[i, k] : tensor<100x100xbf16>) : f32
      outs(%b[j, k] : tensor<2000x100xbf16>) {
  ^row(%p: tensor<100xf32>):
    %y = arith.truncf %p : tensor<100xf32> to tensor<100xbf16>
    sinter.yield %y : tensor<100xbf16>
  }
  return %0#0, %1, %2 : tensor<f32>, tensor<100x100xbf16>, tensor<2000x100xbf16>
}

// -----

// A product that is rounded is kept so, and the first part where what is made of it will be. The others are one part
// behind that result's begin: nothing is written over the second one before it is read.

// CHECK-LABEL: func @rounded
//       CHECK:   %[[DW:.+]] = memref.alloc() : memref<3072x50xbf16>
//       CHECK:   %[[D:.+]] = memref.alloc() : memref<100x192xbf16>
//       CHECK:   sinter.contract (i = 100) by (j = 192)
//       CHECK:     outs(%[[D]][i, j] : memref<100x192xbf16>)
//       CHECK:   scf.for %[[P:.+]] = %c1{{.*}} to %c8
//       CHECK:     %[[LINE:.+]] = arith.muli %[[P]], %c384
//       CHECK:     %[[BACK:.+]] = arith.subi %[[LINE]], %c192
//       CHECK:     memref.subview %[[DW]][%[[BACK]], 0] [384, 50] [1, 1]
//  CHECK-NEXT:     %[[KEPT:.+]] = builtin.unrealized_conversion_cast %{{.+}} to memref<100x192xbf16>
//       CHECK:     outs(%[[KEPT]][i, j] : memref<100x192xbf16>)
//       CHECK:   sinter.contract (i = 100, p = 8) by (j = 192)
//       CHECK:   %[[ALSO:.+]] = builtin.unrealized_conversion_cast %[[D]] : memref<100x192xbf16> to memref<1x100x192xbf16>
//       CHECK:   sinter.rowwise (i = 100) by (j = 192)
//  CHECK-NEXT:     ins(%[[ALSO]][0, i, j] :
//  CHECK-NEXT:     outs(%[[D]][i, j] : memref<100x192xbf16>)
//       CHECK:   scf.for %{{.+}} = %c1{{.*}} to %c8
//       CHECK:   scf.for %{{.+}} = %c8{{.*}} to %c16
func.func @rounded(%x: tensor<100x50xbf16>, %w: tensor<3072x50xbf16>, %t: tensor<100xi64>, %e: tensor<f32>, %d: tensor<100x3072xbf16>, %a: tensor<100x50xbf16>, %b: tensor<3072x50xbf16>) -> (tensor<f32>, tensor<100x50xbf16>, tensor<3072x50xbf16>) {
  %0:2 = sinter.contract (i = 100) by (j = 3072)
      product (k = 50) (%x[i, k] : tensor<100x50xbf16>, %w[j, k] : tensor<3072x50xbf16>) : f32
      ins(%t[i] : tensor<100xi64>) reduce(add [] : f32) outs(%e[] : tensor<f32>, %d[i, j] : tensor<100x3072xbf16>) {
  ^row(%sum: tensor<3072xf32>, %l: i64):
    %narrow = arith.truncf %sum : tensor<3072xf32> to tensor<3072xbf16>
    %p = arith.extf %narrow : tensor<3072xbf16> to tensor<3072xf32>
    %zero = arith.constant 0.0 : f32
    %m = sinter.row_reduce maximumf %p : tensor<3072xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<3072xf32>
    %s = arith.subf %p, %mb : tensor<3072xf32>
    %f = math.exp %s : tensor<3072xf32>
    %z = sinter.row_reduce add %f : tensor<3072xf32> -> f32
    %g = math.log %z : f32
    %q = sinter.pick %s[%l] else %zero : tensor<3072xf32>, i64
    %of = arith.subf %g, %q : f32
    %zb = sinter.broadcast %z : f32 -> tensor<3072xf32>
    %soft = arith.divf %f, %zb : tensor<3072xf32>
    %y = arith.truncf %soft : tensor<3072xf32> to tensor<3072xbf16>
    sinter.yield %of, %y : f32, tensor<3072xbf16>
  }
  %1 = sinter.contract (i = 100) by (k = 50)
      product (j = 3072) (%0#1[i, j] : tensor<100x3072xbf16>, %w[j, k] : tensor<3072x50xbf16>) : f32
      outs(%a[i, k] : tensor<100x50xbf16>) {
  ^row(%p: tensor<50xf32>):
    %y = arith.truncf %p : tensor<50xf32> to tensor<50xbf16>
    sinter.yield %y : tensor<50xbf16>
  }
  %2 = sinter.contract (j = 3072) by (k = 50)
      product (i = 100) (%0#1[i, j] : tensor<100x3072xbf16>, %x[i, k] : tensor<100x50xbf16>) : f32
      outs(%b[j, k] : tensor<3072x50xbf16>) {
  ^row(%p: tensor<50xf32>):
    %y = arith.truncf %p : tensor<50xf32> to tensor<50xbf16>
    sinter.yield %y : tensor<50xbf16>
  }
  return %0#0, %1, %2 : tensor<f32>, tensor<100x50xbf16>, tensor<3072x50xbf16>
}
