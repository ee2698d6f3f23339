// RUN: sinter-opt --sinter-split="target=gpu again=240000 stored=0" --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-split="target=gpu again=2400000 stored=0" --split-input-file %s | FileCheck %s --check-prefix=SMALL
// RUN: sinter-opt --sinter-split="target=gpu again=250000 stored=0" --split-input-file %s | FileCheck %s --check-prefix=LIMIT
// RUN: sinter-opt --sinter-split="target=gpu again=1900000 stored=0" --split-input-file %s | FileCheck %s --check-prefix=SUMS
// RUN: not sinter-opt --sinter-split="target=gpu again=many" %s 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: {{.*}}again=many is not a number of bytes

// A loss's gradient, which two products read: 240,000 bytes of it and of the product that it is made of. Neither is in
// memory as a whole: columns are made again, 192 at a time, so that what sums over them is kept in f32, and what they
// are rows of is written part by part. The last part is smaller.

// CHECK-LABEL: func @gradient
//  CHECK-SAME:   (%[[X:.+]]: tensor<20x16xbf16>, %[[W:.+]]: tensor<2000x16xbf16>,
//   CHECK-NOT:   sinter.contract (i = 20) by (j = 2000)
//       CHECK:   sinter.contract (i = 20, p = 16) by (j = 128)
//       CHECK:   %[[N:.+]]:3 = sinter.rowwise (i = 20) by (p = 16)
//       CHECK:     outs(%{{.+}}[] : tensor<f32>, %{{.+}}[i] : tensor<20xf32>, %{{.+}}[i] : tensor<20xf32>)
//   CHECK-DAG:   %[[H:.+]] = bufferization.to_buffer %[[X]] read_only
//   CHECK-DAG:   %[[V:.+]] = bufferization.to_buffer %[[W]] read_only
//       CHECK:   sinter.rowwise (p = 11) by ()
//       CHECK:     arith.muli %{{.+}}, %c192
//       CHECK:   %[[SUM:.+]] = memref.alloc() : memref<20x16xf32>
//       CHECK:   sinter.rowwise (i = 20) by (k = 16)
//  CHECK-NEXT:     outs(%[[SUM]][i, k] : memref<20x16xf32>)
//       CHECK:   %[[DW:.+]] = memref.alloc() : memref<2000x16xbf16>
//       CHECK:   %[[D:.+]] = memref.alloc() : memref<20x192xbf16>
//       CHECK:   scf.for %[[P:.+]] = %c0 to %c10 step
//       CHECK:     %[[AT:.+]] = arith.muli %[[P]], %c192
//       CHECK:     memref.subview %[[V]][%[[AT]], 0] [192, 16] [1, 1]
//       CHECK:     %[[PART:.+]] = builtin.unrealized_conversion_cast %{{.+}} to memref<192x16xbf16>
//       CHECK:     sinter.contract (i = 20) by (j = 192)
//  CHECK-NEXT:       product (k = 16) (%[[H]][i, k] : memref<20x16xbf16>, %[[PART]][j, k] : memref<192x16xbf16>) : f32
//  CHECK-NEXT:       ins(%{{.+}}[i] : memref<20xi64>, %{{.+}}[i] : memref<20xf32>, %{{.+}}[i] : memref<20xf32>, %{{.+}}[] : memref<i64>)
//  CHECK-NEXT:       outs(%[[D]][i, j] : memref<20x192xbf16>)
//       CHECK:       %[[J:.+]] = sinter.index j
//       CHECK:       %[[LABEL:.+]] = arith.subi
//       CHECK:       %[[OF:.+]] = sinter.broadcast %[[LABEL]]
//       CHECK:       arith.cmpi eq, %[[J]], %[[OF]]
//   CHECK-NOT:       row_reduce
//       CHECK:     %[[ALSO:.+]] = builtin.unrealized_conversion_cast %[[SUM]] : memref<20x16xf32> to memref<1x20x16xf32>
//       CHECK:     sinter.contract (i = 20) by (k = 16)
//  CHECK-NEXT:       product (j = 192) (%[[D]][i, j] : memref<20x192xbf16>, %{{.+}}[j, k] : memref<192x16xbf16>) : f32
//  CHECK-NEXT:       ins(%[[ALSO]][0, i, k] : memref<1x20x16xf32>)
//  CHECK-NEXT:       outs(%[[SUM]][i, k] : memref<20x16xf32>)
//  CHECK-NEXT:     ^row(%[[TOLD:.+]]: tensor<16xf32>, %[[MORE:.+]]: tensor<16xf32>):
//  CHECK-NEXT:       arith.addf %[[MORE]], %[[TOLD]]
//       CHECK:     memref.subview %[[DW]][%[[AT]], 0] [192, 16] [1, 1]
//       CHECK:     sinter.contract (j = 192) by (k = 16)
//       CHECK:   }
//       CHECK:   memref.alloc() : memref<20x80xbf16>
//       CHECK:   sinter.contract (i = 20) by (j = 80)
//       CHECK:   bufferization.to_tensor %[[SUM]] restrict writable
//       CHECK:   bufferization.to_tensor %[[DW]] restrict writable
//       CHECK:   sinter.rowwise (i = 20) by (k = 16)
//       CHECK:     arith.truncf

// SMALL-LABEL: func @gradient
//   SMALL-NOT:   scf.for
//       SMALL:   outs(%{{.+}}[i, j] : tensor<20x2000xf32>

// Nor is it worth it where both are less than the limit by a little.

// LIMIT-LABEL: func @gradient
//   LIMIT-NOT:   scf.for
func.func @gradient(%x: tensor<20x16xbf16>, %w: tensor<2000x16xbf16>, %t: tensor<20xi64>, %e: tensor<f32>, %d: tensor<20x2000xbf16>, %a: tensor<20x16xbf16>, %b: tensor<2000x16xbf16>) -> (tensor<f32>, tensor<20x16xbf16>, tensor<2000x16xbf16>) {
  %0:2 = sinter.contract (i = 20) by (j = 2000)
      product (k = 16) (%x[i, k] : tensor<20x16xbf16>, %w[j, k] : tensor<2000x16xbf16>) : f32
      ins(%t[i] : tensor<20xi64>) reduce(add [] : f32) outs(%e[] : tensor<f32>, %d[i, j] : tensor<20x2000xbf16>) {
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
    %jx = sinter.index j : tensor<2000xindex>
    %li = arith.index_cast %l : i64 to index
    %lb = sinter.broadcast %li : index -> tensor<2000xindex>
    %is = arith.cmpi eq, %jx, %lb : tensor<2000xindex>
    %ones = arith.constant dense<1.0> : tensor<2000xf32>
    %zeros = arith.constant dense<0.0> : tensor<2000xf32>
    %hot = arith.select %is, %ones, %zeros : tensor<2000xi1>, tensor<2000xf32>
    %all = arith.subf %soft, %hot : tensor<2000xf32>
    %y = arith.truncf %all : tensor<2000xf32> to tensor<2000xbf16>
    sinter.yield %of, %y : f32, tensor<2000xbf16>
  }
  %1 = sinter.contract (i = 20) by (k = 16)
      product (j = 2000) (%0#1[i, j] : tensor<20x2000xbf16>, %w[j, k] : tensor<2000x16xbf16>) : f32
      outs(%a[i, k] : tensor<20x16xbf16>) {
  ^row(%p: tensor<16xf32>):
    %y = arith.truncf %p : tensor<16xf32> to tensor<16xbf16>
    sinter.yield %y : tensor<16xbf16>
  }
  %2 = sinter.contract (j = 2000) by (k = 16)
      product (i = 20) (%0#1[i, j] : tensor<20x2000xbf16>, %x[i, k] : tensor<20x16xbf16>) : f32
      outs(%b[j, k] : tensor<2000x16xbf16>) {
  ^row(%p: tensor<16xf32>):
    %y = arith.truncf %p : tensor<16xf32> to tensor<16xbf16>
    sinter.yield %y : tensor<16xbf16>
  }
  return %0#0, %1, %2 : tensor<f32>, tensor<20x16xbf16>, tensor<2000x16xbf16>
}
// -----

// Somebody else reads it, or it is returned: it is stored.

// CHECK-LABEL: func @returned
//   CHECK-NOT:   scf.for
func.func @returned(%x: tensor<20x16xf32>, %w: tensor<2000x16xf32>, %d: tensor<20x2000xf32>, %a: tensor<20x16xf32>) -> (tensor<20x2000xf32>, tensor<20x16xf32>) {
  %0 = sinter.contract (i = 20) by (j = 2000)
      product (k = 16) (%x[i, k] : tensor<20x16xf32>, %w[j, k] : tensor<2000x16xf32>) : f32
      outs(%d[i, j] : tensor<20x2000xf32>) {
  ^row(%p: tensor<2000xf32>):
    %m = sinter.row_reduce maximumf %p : tensor<2000xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<2000xf32>
    %s = arith.subf %p, %mb : tensor<2000xf32>
    sinter.yield %s : tensor<2000xf32>
  }
  %1 = sinter.contract (i = 20) by (k = 16)
      product (j = 2000) (%0[i, j] : tensor<20x2000xf32>, %w[j, k] : tensor<2000x16xf32>) : f32
      outs(%a[i, k] : tensor<20x16xf32>) {
  ^row(%p: tensor<16xf32>):
    sinter.yield %p : tensor<16xf32>
  }
  return %0, %1 : tensor<20x2000xf32>, tensor<20x16xf32>
}

// -----

// Weights that lie the other way: columns are not their first dimension, so rows are cut.

// SMALL-LABEL: func @rows
//       SMALL:   scf.for
//       SMALL:     sinter.contract (i = 192) by (j = 150)
//       SMALL:     sinter.contract (i = 192) by (k = 40)
//       SMALL:     sinter.contract (k = 40) by (j = 150)
//  SMALL-NEXT:       product (i = 192)
//  SMALL-NEXT:       ins(%{{.+}}[0, k, j] : memref<1x40x150xf32>)
func.func @rows(%x: tensor<2000x40xf32>, %w: tensor<40x150xf32>, %d: tensor<2000x150xf32>, %a: tensor<2000x40xf32>, %b: tensor<40x150xf32>) -> (tensor<2000x40xf32>, tensor<40x150xf32>) {
  %0 = sinter.contract (i = 2000) by (j = 150)
      product (k = 40) (%x[i, k] : tensor<2000x40xf32>, %w[k, j] : tensor<40x150xf32>) : f32
      outs(%d[i, j] : tensor<2000x150xf32>) {
  ^row(%p: tensor<150xf32>):
    %m = sinter.row_reduce maximumf %p : tensor<150xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<150xf32>
    %s = arith.subf %p, %mb : tensor<150xf32>
    sinter.yield %s : tensor<150xf32>
  }
  %1 = sinter.contract (i = 2000) by (k = 40)
      product (j = 150) (%0[i, j] : tensor<2000x150xf32>, %w[k, j] : tensor<40x150xf32>) : f32
      outs(%a[i, k] : tensor<2000x40xf32>) {
  ^row(%p: tensor<40xf32>):
    sinter.yield %p : tensor<40xf32>
  }
  %2 = sinter.contract (k = 40) by (j = 150)
      product (i = 2000) (%0[i, j] : tensor<2000x150xf32>, %x[i, k] : tensor<2000x40xf32>) : f32
      outs(%b[k, j] : tensor<40x150xf32>) {
  ^row(%p: tensor<150xf32>):
    sinter.yield %p : tensor<150xf32>
  }
  return %1, %2 : tensor<2000x40xf32>, tensor<40x150xf32>
}

// -----

// 2,400,000 bytes, which are more than the limit of 1,900,000. The sums over rows would be 1,920,000, and so are they.

// SUMS-LABEL: func @sums
//   SUMS-NOT:   scf.for
func.func @sums(%x: tensor<2000x3200xf32>, %w: tensor<3200x150xf32>, %d: tensor<2000x150xf32>, %b: tensor<3200x150xf32>) -> tensor<3200x150xf32> {
  %0 = sinter.contract (i = 2000) by (j = 150)
      product (k = 3200) (%x[i, k] : tensor<2000x3200xf32>, %w[k, j] : tensor<3200x150xf32>) : f32
      outs(%d[i, j] : tensor<2000x150xf32>) {
  ^row(%p: tensor<150xf32>):
    %m = sinter.row_reduce maximumf %p : tensor<150xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<150xf32>
    %s = arith.subf %p, %mb : tensor<150xf32>
    sinter.yield %s : tensor<150xf32>
  }
  %1 = sinter.contract (k = 3200) by (j = 150)
      product (i = 2000) (%0[i, j] : tensor<2000x150xf32>, %x[i, k] : tensor<2000x3200xf32>) : f32
      outs(%b[k, j] : tensor<3200x150xf32>) {
  ^row(%p: tensor<150xf32>):
    sinter.yield %p : tensor<150xf32>
  }
  return %1 : tensor<3200x150xf32>
}

// -----

// The same with sums of 1,860,000 bytes: parts of it are made again.

// SUMS-LABEL: func @fewer_sums
//       SUMS:   scf.for
func.func @fewer_sums(%x: tensor<2000x3100xf32>, %w: tensor<3100x150xf32>, %d: tensor<2000x150xf32>, %b: tensor<3100x150xf32>) -> tensor<3100x150xf32> {
  %0 = sinter.contract (i = 2000) by (j = 150)
      product (k = 3100) (%x[i, k] : tensor<2000x3100xf32>, %w[k, j] : tensor<3100x150xf32>) : f32
      outs(%d[i, j] : tensor<2000x150xf32>) {
  ^row(%p: tensor<150xf32>):
    %m = sinter.row_reduce maximumf %p : tensor<150xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<150xf32>
    %s = arith.subf %p, %mb : tensor<150xf32>
    sinter.yield %s : tensor<150xf32>
  }
  %1 = sinter.contract (k = 3100) by (j = 150)
      product (i = 2000) (%0[i, j] : tensor<2000x150xf32>, %x[i, k] : tensor<2000x3100xf32>) : f32
      outs(%b[k, j] : tensor<3100x150xf32>) {
  ^row(%p: tensor<150xf32>):
    sinter.yield %p : tensor<150xf32>
  }
  return %1 : tensor<3100x150xf32>
}
