// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-behind-products,sinter-explain{target=gpu output=-})' --split-input-file %s -o /dev/null | FileCheck %s

// What a mask of a finite number leaves out is 0 under a reference that is far above it: such blocks are not made, but
// where a row has none.

// CHECK-LABEL: softmax:
// CHECK:         not made: none from i + 1 on, but for rows with nothing above -9.99999e+08{{$}}
func.func @softmax(%q: tensor<512x64xbf16>, %k: tensor<512x64xbf16>, %v: tensor<512x64xbf16>, %y: tensor<512x64xf32>) -> tensor<512x64xf32> {
  %0 = sinter.contract (i = 512) by (j = 512) by (e = 64)
      product (k = 64) (%q[i, k] : tensor<512x64xbf16>, %k[j, k] : tensor<512x64xbf16>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<512x64xbf16>)
      outs(%y[i, e] : tensor<512x64xf32>) {
  ^row(%x: tensor<512xf32>, %m: tensor<512x64xbf16>):
    %i = sinter.index i : index
    %j = sinter.index j : tensor<512xindex>
    %is = sinter.broadcast %i : index -> tensor<512xindex>
    %seen = arith.cmpi sle, %j, %is : tensor<512xindex>
    %least = arith.constant dense<-1.0e9> : tensor<512xf32>
    %s = arith.select %seen, %x, %least : tensor<512xi1>, tensor<512xf32>
    %mx = sinter.row_reduce maximumf %s : tensor<512xf32> -> f32
    %ms = sinter.broadcast %mx : f32 -> tensor<512xf32>
    %d = arith.subf %s, %ms : tensor<512xf32>
    %e = math.exp %d : tensor<512xf32>
    %z = sinter.row_reduce add %e : tensor<512xf32> -> f32
    %one = arith.constant 1.0 : f32
    %r = arith.divf %one, %z : f32
    %rs = sinter.broadcast %r : f32 -> tensor<512xf32>
    %w = arith.mulf %e, %rs : tensor<512xf32>
    %h = arith.truncf %w : tensor<512xf32> to tensor<512xbf16>
    %u = sinter.row_product %h, %m : tensor<512xbf16>, tensor<512x64xbf16> -> tensor<64xf32>
    sinter.yield %u : tensor<64xf32>
  }
  return %0 : tensor<512x64xf32>
}

// -----

// Two numbers, one in the other: the greater may be there. A type of 8 bits rounds it.

// CHECK-LABEL: rounded:
// CHECK:         not made: none below i - 63, none from i + 1 on, but for rows with nothing above -9.92186e+08{{$}}
func.func @rounded(%q: tensor<512x64xbf16>, %k: tensor<512x64xbf16>, %v: tensor<512x64xbf16>, %y: tensor<512x64xf32>) -> tensor<512x64xf32> {
  %0 = sinter.contract (i = 512) by (j = 512) by (e = 64)
      product (k = 64) (%q[i, k] : tensor<512x64xbf16>, %k[j, k] : tensor<512x64xbf16>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<512x64xbf16>)
      outs(%y[i, e] : tensor<512x64xf32>) {
  ^row(%x: tensor<512xf32>, %m: tensor<512x64xbf16>):
    %i = sinter.index i : index
    %j = sinter.index j : tensor<512xindex>
    %is = sinter.broadcast %i : index -> tensor<512xindex>
    %seen = arith.cmpi sle, %j, %is : tensor<512xindex>
    %least = arith.constant dense<-1.0e9> : tensor<512xf32>
    %first = arith.constant 63 : index
    %lower = arith.constant dense<-2.0e9> : tensor<512xf32>
    %i64 = arith.subi %i, %first : index
    %firsts = sinter.broadcast %i64 : index -> tensor<512xindex>
    %early = arith.cmpi slt, %j, %firsts : tensor<512xindex>
    %s0 = arith.select %seen, %x, %lower : tensor<512xi1>, tensor<512xf32>
    %s1 = arith.select %early, %least, %s0 : tensor<512xi1>, tensor<512xf32>
    %sh = arith.truncf %s1 : tensor<512xf32> to tensor<512xbf16>
    %s = arith.extf %sh : tensor<512xbf16> to tensor<512xf32>
    %mx = sinter.row_reduce maximumf %s : tensor<512xf32> -> f32
    %ms = sinter.broadcast %mx : f32 -> tensor<512xf32>
    %d = arith.subf %s, %ms : tensor<512xf32>
    %e = math.exp %d : tensor<512xf32>
    %z = sinter.row_reduce add %e : tensor<512xf32> -> f32
    %one = arith.constant 1.0 : f32
    %r = arith.divf %one, %z : f32
    %rs = sinter.broadcast %r : f32 -> tensor<512xf32>
    %w = arith.mulf %e, %rs : tensor<512xf32>
    %h = arith.truncf %w : tensor<512xf32> to tensor<512xbf16>
    %u = sinter.row_product %h, %m : tensor<512xbf16>, tensor<512x64xbf16> -> tensor<64xf32>
    sinter.yield %u : tensor<64xf32>
  }
  return %0 : tensor<512x64xf32>
}

// -----

// Gradients by keys: what is selected as 0 is 0 in any row; the weights' product where all references of the columns
// that are left out are above the number.

// CHECK-LABEL: keys:
// CHECK:         not made: none below j{{$}}
// CHECK-LABEL: values:
// CHECK:         not made: none below j, but for rows with nothing above -9.99999e+08{{$}}
func.func @keys(%q: tensor<512x64xbf16>, %k: tensor<512x64xbf16>, %g: tensor<512x64xbf16>, %r: tensor<512xf32>, %y: tensor<512x64xf32>) -> tensor<512x64xf32> {
  %0 = sinter.contract (j = 512) by (i = 512) by (e = 64)
      product (k = 64) (%q[i, k] : tensor<512x64xbf16>, %k[j, k] : tensor<512x64xbf16>) : f32
      matrix (i) to (e) (%g[i, e] : tensor<512x64xbf16>)
      ins(%r[i] : tensor<512xf32>)
      outs(%y[j, e] : tensor<512x64xf32>) {
  ^row(%x: tensor<512xf32>, %m: tensor<512x64xbf16>, %under: tensor<512xf32>):
    %i = sinter.index i : tensor<512xindex>
    %j = sinter.index j : index
    %js = sinter.broadcast %j : index -> tensor<512xindex>
    %seen = arith.cmpi sle, %js, %i : tensor<512xindex>
    %least = arith.constant dense<-1.0e9> : tensor<512xf32>
    %s = arith.select %seen, %x, %least : tensor<512xi1>, tensor<512xf32>
    %d = arith.subf %s, %under : tensor<512xf32>
    %e = math.exp %d : tensor<512xf32>
    %zero = arith.constant dense<0.0> : tensor<512xf32>
    %w = arith.select %seen, %e, %zero : tensor<512xi1>, tensor<512xf32>
    %h = arith.truncf %w : tensor<512xf32> to tensor<512xbf16>
    %u = sinter.row_product %h, %m : tensor<512xbf16>, tensor<512x64xbf16> -> tensor<64xf32>
    sinter.yield %u : tensor<64xf32>
  }
  return %0 : tensor<512x64xf32>
}
func.func @values(%q: tensor<512x64xbf16>, %k: tensor<512x64xbf16>, %g: tensor<512x64xbf16>, %r: tensor<512xf32>, %y: tensor<512x64xf32>) -> tensor<512x64xf32> {
  %0 = sinter.contract (j = 512) by (i = 512) by (e = 64)
      product (k = 64) (%q[i, k] : tensor<512x64xbf16>, %k[j, k] : tensor<512x64xbf16>) : f32
      matrix (i) to (e) (%g[i, e] : tensor<512x64xbf16>)
      ins(%r[i] : tensor<512xf32>)
      outs(%y[j, e] : tensor<512x64xf32>) {
  ^row(%x: tensor<512xf32>, %m: tensor<512x64xbf16>, %under: tensor<512xf32>):
    %i = sinter.index i : tensor<512xindex>
    %j = sinter.index j : index
    %js = sinter.broadcast %j : index -> tensor<512xindex>
    %seen = arith.cmpi sle, %js, %i : tensor<512xindex>
    %least = arith.constant dense<-1.0e9> : tensor<512xf32>
    %s = arith.select %seen, %x, %least : tensor<512xi1>, tensor<512xf32>
    %d = arith.subf %s, %under : tensor<512xf32>
    %e = math.exp %d : tensor<512xf32>
    %h = arith.truncf %e : tensor<512xf32> to tensor<512xbf16>
    %u = sinter.row_product %h, %m : tensor<512xbf16>, tensor<512x64xbf16> -> tensor<64xf32>
    sinter.yield %u : tensor<64xf32>
  }
  return %0 : tensor<512x64xf32>
}

// -----

// A number that scores are lost in may be added to them; of another one the sum is not known.

// CHECK-LABEL: added:
// CHECK:         not made: none from i + 1 on, but for rows with nothing above -3.4028{{.*}}
func.func @added(%q: tensor<512x64xbf16>, %k: tensor<512x64xbf16>, %v: tensor<512x64xbf16>, %y: tensor<512x64xf32>) -> tensor<512x64xf32> {
  %0 = sinter.contract (i = 512) by (j = 512) by (e = 64)
      product (k = 64) (%q[i, k] : tensor<512x64xbf16>, %k[j, k] : tensor<512x64xbf16>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<512x64xbf16>)
      outs(%y[i, e] : tensor<512x64xf32>) {
  ^row(%x: tensor<512xf32>, %m: tensor<512x64xbf16>):
    %i = sinter.index i : index
    %j = sinter.index j : tensor<512xindex>
    %is = sinter.broadcast %i : index -> tensor<512xindex>
    %seen = arith.cmpi sle, %j, %is : tensor<512xindex>
    %least = arith.constant dense<-3.4028235e38> : tensor<512xf32>
    %zero = arith.constant dense<0.0> : tensor<512xf32>
    %added = arith.select %seen, %zero, %least : tensor<512xi1>, tensor<512xf32>
    %s = arith.addf %x, %added : tensor<512xf32>
    %mx = sinter.row_reduce maximumf %s : tensor<512xf32> -> f32
    %ms = sinter.broadcast %mx : f32 -> tensor<512xf32>
    %d = arith.subf %s, %ms : tensor<512xf32>
    %e = math.exp %d : tensor<512xf32>
    %z = sinter.row_reduce add %e : tensor<512xf32> -> f32
    %one = arith.constant 1.0 : f32
    %r = arith.divf %one, %z : f32
    %rs = sinter.broadcast %r : f32 -> tensor<512xf32>
    %w = arith.mulf %e, %rs : tensor<512xf32>
    %h = arith.truncf %w : tensor<512xf32> to tensor<512xbf16>
    %u = sinter.row_product %h, %m : tensor<512xbf16>, tensor<512x64xbf16> -> tensor<64xf32>
    sinter.yield %u : tensor<64xf32>
  }
  return %0 : tensor<512x64xf32>
}

// -----

// CHECK-LABEL: added_less:
// CHECK-NOT:     not made
func.func @added_less(%q: tensor<512x64xbf16>, %k: tensor<512x64xbf16>, %v: tensor<512x64xbf16>, %y: tensor<512x64xf32>) -> tensor<512x64xf32> {
  %0 = sinter.contract (i = 512) by (j = 512) by (e = 64)
      product (k = 64) (%q[i, k] : tensor<512x64xbf16>, %k[j, k] : tensor<512x64xbf16>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<512x64xbf16>)
      outs(%y[i, e] : tensor<512x64xf32>) {
  ^row(%x: tensor<512xf32>, %m: tensor<512x64xbf16>):
    %i = sinter.index i : index
    %j = sinter.index j : tensor<512xindex>
    %is = sinter.broadcast %i : index -> tensor<512xindex>
    %seen = arith.cmpi sle, %j, %is : tensor<512xindex>
    %least = arith.constant dense<-1.0e9> : tensor<512xf32>
    %zero = arith.constant dense<0.0> : tensor<512xf32>
    %added = arith.select %seen, %zero, %least : tensor<512xi1>, tensor<512xf32>
    %s = arith.addf %x, %added : tensor<512xf32>
    %mx = sinter.row_reduce maximumf %s : tensor<512xf32> -> f32
    %ms = sinter.broadcast %mx : f32 -> tensor<512xf32>
    %d = arith.subf %s, %ms : tensor<512xf32>
    %e = math.exp %d : tensor<512xf32>
    %z = sinter.row_reduce add %e : tensor<512xf32> -> f32
    %one = arith.constant 1.0 : f32
    %r = arith.divf %one, %z : f32
    %rs = sinter.broadcast %r : f32 -> tensor<512xf32>
    %w = arith.mulf %e, %rs : tensor<512xf32>
    %h = arith.truncf %w : tensor<512xf32> to tensor<512xbf16>
    %u = sinter.row_product %h, %m : tensor<512xbf16>, tensor<512x64xbf16> -> tensor<64xf32>
    sinter.yield %u : tensor<64xf32>
  }
  return %0 : tensor<512x64xf32>
}
