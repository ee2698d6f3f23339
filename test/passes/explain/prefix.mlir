// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-explain{target=gpu output=-})' %s -o /dev/null | FileCheck %s

// Comparisons of columns with rows, and of either with numbers, that a mask joins.

// A prefix that all rows see, as exporters write it: the later of both ends.

// CHECK-LABEL: prefix:
// CHECK:         not made: none from i + 1, 100 at least, on
func.func @prefix(%q: tensor<512x64xf16>, %k: tensor<512x64xf16>, %v: tensor<512x64xf16>, %y: tensor<512x64xf32>) -> tensor<512x64xf32> {
  %0 = sinter.contract (i = 512) by (j = 512) by (e = 64)
      product (k = 64) (%q[i, k] : tensor<512x64xf16>, %k[j, k] : tensor<512x64xf16>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<512x64xf16>)
      outs(%y[i, e] : tensor<512x64xf32>) {
  ^row(%x: tensor<512xf32>, %m: tensor<512x64xf16>):
    %i = sinter.index i : index
    %j = sinter.index j : tensor<512xindex>
    %is = sinter.broadcast %i : index -> tensor<512xindex>
    %p = arith.constant 100 : index
    %ps = sinter.broadcast %p : index -> tensor<512xindex>
    %before = arith.cmpi sle, %j, %is : tensor<512xindex>
    %in = arith.cmpi slt, %j, %ps : tensor<512xindex>
    %seen = arith.ori %before, %in : tensor<512xi1>
    %least = arith.constant 0xFF800000 : f32
    %leasts = sinter.broadcast %least : f32 -> tensor<512xf32>
    %s = arith.select %seen, %x, %leasts : tensor<512xi1>, tensor<512xf32>
    %e = math.exp %s : tensor<512xf32>
    %w = arith.truncf %e : tensor<512xf32> to tensor<512xf16>
    %u = sinter.row_product %w, %m : tensor<512xf16>, tensor<512x64xf16> -> tensor<64xf32>
    sinter.yield %u : tensor<64xf32>
  }
  return %0 : tensor<512x64xf32>
}

// Its gradient by keys: rows are keys, and of those in the prefix all queries are asked.

// CHECK-LABEL: by_keys:
// CHECK:         not made: none below j of j from 100 on
func.func @by_keys(%q: tensor<512x64xf16>, %k: tensor<512x64xf16>, %v: tensor<512x64xf16>, %y: tensor<512x64xf32>) -> tensor<512x64xf32> {
  %0 = sinter.contract (j = 512) by (i = 512) by (e = 64)
      product (k = 64) (%k[j, k] : tensor<512x64xf16>, %q[i, k] : tensor<512x64xf16>) : f32
      matrix (i) to (e) (%v[i, e] : tensor<512x64xf16>)
      outs(%y[j, e] : tensor<512x64xf32>) {
  ^row(%x: tensor<512xf32>, %m: tensor<512x64xf16>):
    %j = sinter.index j : index
    %i = sinter.index i : tensor<512xindex>
    %js = sinter.broadcast %j : index -> tensor<512xindex>
    %p = arith.constant 100 : index
    %before = arith.cmpi sle, %js, %i : tensor<512xindex>
    %in = arith.cmpi slt, %j, %p : index
    %ins = sinter.broadcast %in : i1 -> tensor<512xi1>
    %seen = arith.ori %before, %ins : tensor<512xi1>
    %least = arith.constant 0xFF800000 : f32
    %leasts = sinter.broadcast %least : f32 -> tensor<512xf32>
    %s = arith.select %seen, %x, %leasts : tensor<512xi1>, tensor<512xf32>
    %e = math.exp %s : tensor<512xf32>
    %w = arith.truncf %e : tensor<512xf32> to tensor<512xf16>
    %u = sinter.row_product %w, %m : tensor<512xf16>, tensor<512x64xf16> -> tensor<64xf32>
    sinter.yield %u : tensor<64xf32>
  }
  return %0 : tensor<512x64xf32>
}

// Rows from 32 on and below 400 have an end, and these columns from 64 on alone: global rows and columns of a window.

// CHECK-LABEL: rows:
// CHECK:         not made: none from i + 9, 64 at least, on of i from 32 on below 400
func.func @rows(%q: tensor<512x64xf16>, %k: tensor<512x64xf16>, %v: tensor<512x64xf16>, %y: tensor<512x64xf32>) -> tensor<512x64xf32> {
  %0 = sinter.contract (i = 512) by (j = 512) by (e = 64)
      product (k = 64) (%q[i, k] : tensor<512x64xf16>, %k[j, k] : tensor<512x64xf16>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<512x64xf16>)
      outs(%y[i, e] : tensor<512x64xf32>) {
  ^row(%x: tensor<512xf32>, %m: tensor<512x64xf16>):
    %i = sinter.index i : index
    %j = sinter.index j : tensor<512xindex>
    %is = sinter.broadcast %i : index -> tensor<512xindex>
    %window = arith.constant 8 : index
    %windows = sinter.broadcast %window : index -> tensor<512xindex>
    %last = arith.addi %is, %windows : tensor<512xindex>
    %first = arith.constant 32 : index
    %firsts = sinter.broadcast %first : index -> tensor<512xindex>
    %end = arith.constant 400 : index
    %columns = arith.constant 64 : index
    %columnss = sinter.broadcast %columns : index -> tensor<512xindex>
    %far = arith.cmpi sgt, %j, %last : tensor<512xindex>
    %behind = arith.cmpi sge, %j, %columnss : tensor<512xindex>
    %since = arith.cmpi sge, %is, %firsts : tensor<512xindex>
    %until = arith.cmpi slt, %i, %end : index
    %untils = sinter.broadcast %until : i1 -> tensor<512xi1>
    %both = arith.andi %far, %behind : tensor<512xi1>
    %rows = arith.andi %both, %since : tensor<512xi1>
    %hidden = arith.andi %untils, %rows : tensor<512xi1>
    %least = arith.constant 0xFF800000 : f32
    %leasts = sinter.broadcast %least : f32 -> tensor<512xf32>
    %s = arith.select %hidden, %leasts, %x : tensor<512xi1>, tensor<512xf32>
    %e = math.exp %s : tensor<512xf32>
    %w = arith.truncf %e : tensor<512xf32> to tensor<512xf16>
    %u = sinter.row_product %w, %m : tensor<512xf16>, tensor<512x64xf16> -> tensor<64xf32>
    sinter.yield %u : tensor<64xf32>
  }
  return %0 : tensor<512x64xf32>
}
