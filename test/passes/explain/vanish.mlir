// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-explain{target=gpu output=-})' %s -o /dev/null | FileCheck %s

// Rows that are multiplied again without a softmax are 0 where the mask is -inf, too, if what is computed of it is.

// Sigmoid attention in a window, divided as it is written.

// CHECK-LABEL: sigmoid:
// CHECK:         blocks without columns that the mask leaves are not made: none below i - 63, none from i + 1 on
func.func @sigmoid(%q: tensor<512x64xf16>, %k: tensor<512x64xf16>, %v: tensor<512x64xf16>, %y: tensor<512x64xf32>) -> tensor<512x64xf32> {
  %0 = sinter.contract (i = 512) by (j = 512) by (e = 64)
      product (k = 64) (%q[i, k] : tensor<512x64xf16>, %k[j, k] : tensor<512x64xf16>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<512x64xf16>)
      outs(%y[i, e] : tensor<512x64xf32>) {
  ^row(%x: tensor<512xf32>, %m: tensor<512x64xf16>):
    %i = sinter.index i : index
    %j = sinter.index j : tensor<512xindex>
    %is = sinter.broadcast %i : index -> tensor<512xindex>
    %window = arith.constant 64 : index
    %first = arith.subi %i, %window : index
    %firsts = sinter.broadcast %first : index -> tensor<512xindex>
    %before = arith.cmpi sle, %j, %is : tensor<512xindex>
    %near = arith.cmpi sgt, %j, %firsts : tensor<512xindex>
    %seen = arith.andi %before, %near : tensor<512xi1>
    %least = arith.constant 0xFC00 : f16
    %leasts = sinter.broadcast %least : f16 -> tensor<512xf16>
    %one = arith.constant 1.0 : f16
    %ones = sinter.broadcast %one : f16 -> tensor<512xf16>
    %r = arith.truncf %x : tensor<512xf32> to tensor<512xf16>
    %s = arith.select %seen, %r, %leasts : tensor<512xi1>, tensor<512xf16>
    %minus = arith.negf %s : tensor<512xf16>
    %e = math.exp %minus : tensor<512xf16>
    %more = arith.addf %e, %ones : tensor<512xf16>
    %w = arith.divf %ones, %more : tensor<512xf16>
    %u = sinter.row_product %w, %m : tensor<512xf16>, tensor<512x64xf16> -> tensor<64xf32>
    sinter.yield %u : tensor<64xf32>
  }
  return %0 : tensor<512x64xf32>
}

// ReLU attention: what is not greater than 0 is 0, times a number.

// CHECK-LABEL: relu:
// CHECK:         blocks without columns that the mask leaves are not made: none from i + 1 on
func.func @relu(%q: tensor<512x64xf16>, %k: tensor<512x64xf16>, %v: tensor<512x64xf16>, %y: tensor<512x64xf32>) -> tensor<512x64xf32> {
  %0 = sinter.contract (i = 512) by (j = 512) by (e = 64)
      product (k = 64) (%q[i, k] : tensor<512x64xf16>, %k[j, k] : tensor<512x64xf16>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<512x64xf16>)
      outs(%y[i, e] : tensor<512x64xf32>) {
  ^row(%x: tensor<512xf32>, %m: tensor<512x64xf16>):
    %i = sinter.index i : index
    %j = sinter.index j : tensor<512xindex>
    %is = sinter.broadcast %i : index -> tensor<512xindex>
    %later = arith.cmpi sgt, %j, %is : tensor<512xindex>
    %least = arith.constant 0xFF800000 : f32
    %leasts = sinter.broadcast %least : f32 -> tensor<512xf32>
    %zero = arith.constant 0.0 : f32
    %zeros = sinter.broadcast %zero : f32 -> tensor<512xf32>
    %by = arith.constant 0.001953125 : f32
    %bys = sinter.broadcast %by : f32 -> tensor<512xf32>
    %s = arith.select %later, %leasts, %x : tensor<512xi1>, tensor<512xf32>
    %positive = arith.cmpf ugt, %s, %zeros : tensor<512xf32>
    %p = arith.select %positive, %s, %zeros : tensor<512xi1>, tensor<512xf32>
    %n = arith.mulf %p, %bys : tensor<512xf32>
    %w = arith.truncf %n : tensor<512xf32> to tensor<512xf16>
    %u = sinter.row_product %w, %m : tensor<512xf16>, tensor<512x64xf16> -> tensor<64xf32>
    sinter.yield %u : tensor<64xf32>
  }
  return %0 : tensor<512x64xf32>
}

// Where 1 is added, no column is 0.

// CHECK-LABEL: shifted:
// CHECK-NOT:     blocks without columns
func.func @shifted(%q: tensor<512x64xf16>, %k: tensor<512x64xf16>, %v: tensor<512x64xf16>, %y: tensor<512x64xf32>) -> tensor<512x64xf32> {
  %0 = sinter.contract (i = 512) by (j = 512) by (e = 64)
      product (k = 64) (%q[i, k] : tensor<512x64xf16>, %k[j, k] : tensor<512x64xf16>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<512x64xf16>)
      outs(%y[i, e] : tensor<512x64xf32>) {
  ^row(%x: tensor<512xf32>, %m: tensor<512x64xf16>):
    %i = sinter.index i : index
    %j = sinter.index j : tensor<512xindex>
    %is = sinter.broadcast %i : index -> tensor<512xindex>
    %later = arith.cmpi sgt, %j, %is : tensor<512xindex>
    %least = arith.constant 0xFF800000 : f32
    %leasts = sinter.broadcast %least : f32 -> tensor<512xf32>
    %one = arith.constant 1.0 : f32
    %ones = sinter.broadcast %one : f32 -> tensor<512xf32>
    %s = arith.select %later, %leasts, %x : tensor<512xi1>, tensor<512xf32>
    %p = math.exp %s : tensor<512xf32>
    %n = arith.addf %p, %ones : tensor<512xf32>
    %w = arith.truncf %n : tensor<512xf32> to tensor<512xf16>
    %u = sinter.row_product %w, %m : tensor<512xf16>, tensor<512x64xf16> -> tensor<64xf32>
    sinter.yield %u : tensor<64xf32>
  }
  return %0 : tensor<512x64xf32>
}

// A mask of a finite number is as good there.

// CHECK-LABEL: low:
// CHECK:         blocks without columns that the mask leaves are not made: none from i + 1 on
func.func @low(%q: tensor<512x64xf16>, %k: tensor<512x64xf16>, %v: tensor<512x64xf16>, %y: tensor<512x64xf32>) -> tensor<512x64xf32> {
  %0 = sinter.contract (i = 512) by (j = 512) by (e = 64)
      product (k = 64) (%q[i, k] : tensor<512x64xf16>, %k[j, k] : tensor<512x64xf16>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<512x64xf16>)
      outs(%y[i, e] : tensor<512x64xf32>) {
  ^row(%x: tensor<512xf32>, %m: tensor<512x64xf16>):
    %i = sinter.index i : index
    %j = sinter.index j : tensor<512xindex>
    %is = sinter.broadcast %i : index -> tensor<512xindex>
    %later = arith.cmpi sgt, %j, %is : tensor<512xindex>
    %least = arith.constant -1.0e+09 : f32
    %leasts = sinter.broadcast %least : f32 -> tensor<512xf32>
    %zero = arith.constant 0.0 : f32
    %zeros = sinter.broadcast %zero : f32 -> tensor<512xf32>
    %by = arith.constant 0.001953125 : f32
    %bys = sinter.broadcast %by : f32 -> tensor<512xf32>
    %s = arith.select %later, %leasts, %x : tensor<512xi1>, tensor<512xf32>
    %positive = arith.cmpf ugt, %s, %zeros : tensor<512xf32>
    %p = arith.select %positive, %s, %zeros : tensor<512xi1>, tensor<512xf32>
    %n = arith.mulf %p, %bys : tensor<512xf32>
    %w = arith.truncf %n : tensor<512xf32> to tensor<512xf16>
    %u = sinter.row_product %w, %m : tensor<512xf16>, tensor<512x64xf16> -> tensor<64xf32>
    sinter.yield %u : tensor<64xf32>
  }
  return %0 : tensor<512x64xf32>
}

// An exponential under another number is not 0 of a finite one, which may be all that a row has.

// CHECK-LABEL: under:
// CHECK-NOT:     blocks without columns
func.func @under(%q: tensor<512x64xf16>, %k: tensor<512x64xf16>, %v: tensor<512x64xf16>, %y: tensor<512x64xf32>) -> tensor<512x64xf32> {
  %0 = sinter.contract (i = 512) by (j = 512) by (e = 64)
      product (k = 64) (%q[i, k] : tensor<512x64xf16>, %k[j, k] : tensor<512x64xf16>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<512x64xf16>)
      outs(%y[i, e] : tensor<512x64xf32>) {
  ^row(%x: tensor<512xf32>, %m: tensor<512x64xf16>):
    %i = sinter.index i : index
    %j = sinter.index j : tensor<512xindex>
    %is = sinter.broadcast %i : index -> tensor<512xindex>
    %later = arith.cmpi sgt, %j, %is : tensor<512xindex>
    %least = arith.constant -1.0e+09 : f32
    %leasts = sinter.broadcast %least : f32 -> tensor<512xf32>
    %one = arith.constant 1.0 : f32
    %ones = sinter.broadcast %one : f32 -> tensor<512xf32>
    %s = arith.select %later, %leasts, %x : tensor<512xi1>, tensor<512xf32>
    %m0 = arith.subf %s, %x : tensor<512xf32>
    %n = math.exp %m0 : tensor<512xf32>
    %w = arith.truncf %n : tensor<512xf32> to tensor<512xf16>
    %u = sinter.row_product %w, %m : tensor<512xf16>, tensor<512x64xf16> -> tensor<64xf32>
    sinter.yield %u : tensor<64xf32>
  }
  return %0 : tensor<512x64xf32>
}
