// RUN: sinter-opt --sinter-fuse="policy=aggressive target=gpu" --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-fuse="policy=aggressive" --split-input-file %s | FileCheck %s --check-prefix=CPU

// Weights that are made again as columns are exponentials under the logarithm of their sum, too: a number less of each
// column, and a product less for each element. What makes 1 / z reads the maxima as well.

// CHECK-LABEL: func @columns
//       CHECK:   %[[V:.+]]:3 = sinter.contract
//       CHECK:   %[[D:.+]]:2 = sinter.rowwise
//       CHECK:     %[[V]]#1[h, i]{{.*}} %[[V]]#0[h, i]
//       CHECK:   ^row(%{{.+}}, %{{.+}}, %[[Z:.+]]: f32, %[[M:.+]]: f32):
//       CHECK:     %[[LOG:.+]] = math.log %[[Z]] : f32
//       CHECK:     %[[L:.+]] = arith.addf %[[M]], %[[LOG]] : f32
//       CHECK:     %[[K:.+]] = arith.mulf %{{.+}}, %[[Z]] : f32
//       CHECK:     sinter.yield %[[L]], %[[K]] : f32, f32
//       CHECK:   sinter.contract
//       CHECK:     ins(%[[D]]#0[h, i] : tensor<4x256xf32>, %[[D]]#1[h, i] : tensor<4x256xf32>)
//       CHECK:   ^row(%{{.+}}, %[[DP:.+]]: tensor<256xf32>, %{{.+}}, %{{.+}}, %[[LS:.+]]: tensor<256xf32>, %[[KS:.+]]: tensor<256xf32>):
//       CHECK:     %[[LESS:.+]] = arith.subf %{{.+}}, %[[LS]]
//       CHECK:     %[[P:.+]] = math.exp %[[LESS]]
//   CHECK-DAG:     arith.truncf %[[P]]
//   CHECK-DAG:     %[[SUM:.+]] = arith.addf %[[DP]], %[[KS]]
//   CHECK-DAG:     arith.mulf %[[SUM]], %[[P]]
// CPU-LABEL: func @columns
//   CPU-NOT:   math.log
func.func @columns(%q: tensor<4x256x64xbf16>, %k: tensor<4x256x64xbf16>, %v: tensor<4x256x64xbf16>, %g: tensor<4x256x64xbf16>) -> (tensor<4x256x64xbf16>, tensor<4x256x64xbf16>, tensor<4x256x64xbf16>) {
  %m = tensor.empty() : tensor<4x256xf32>
  %s = tensor.empty() : tensor<4x256xf32>
  %o = tensor.empty() : tensor<4x256x64xbf16>
  %0:3 = sinter.contract (h = 4, i = 256) by (j = 256) by (e = 64)
      product (k = 64) (%q[h, i, k] : tensor<4x256x64xbf16>, %k[h, j, k] : tensor<4x256x64xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<4x256x64xbf16>)
      outs(%m[h, i] : tensor<4x256xf32>, %s[h, i] : tensor<4x256xf32>, %o[h, i, e] : tensor<4x256x64xbf16>) {
  ^row(%x: tensor<256xf32>, %m_: tensor<256x64xbf16>):
    %max = sinter.row_reduce maximumf %x : tensor<256xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<256xf32>
    %less = arith.subf %x, %maxs : tensor<256xf32>
    %ex = math.exp %less : tensor<256xf32>
    %sum = sinter.row_reduce add %ex : tensor<256xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<256xf32>
    %w = arith.mulf %ex, %bys : tensor<256xf32>
    %r = arith.truncf %w : tensor<256xf32> to tensor<256xbf16>
    %u = sinter.row_product %r, %m_ : tensor<256xbf16>, tensor<256x64xbf16> -> tensor<64xf32>
    %y = arith.truncf %u : tensor<64xf32> to tensor<64xbf16>
    sinter.yield %max, %sum, %y : f32, f32, tensor<64xbf16>
  }
  %1:2 = sinter.rowwise (h = 4, i = 256) by (e = 64)
      ins(%g[h, i, e] : tensor<4x256x64xbf16>, %0#2[h, i, e] : tensor<4x256x64xbf16>, %0#1[h, i] : tensor<4x256xf32>)
      outs(%m[h, i] : tensor<4x256xf32>, %s[h, i] : tensor<4x256xf32>) {
  ^row(%a: tensor<64xbf16>, %b: tensor<64xbf16>, %z: f32):
    %one = arith.constant 1.0 : f32
    %a_ = arith.extf %a : tensor<64xbf16> to tensor<64xf32>
    %b_ = arith.extf %b : tensor<64xbf16> to tensor<64xf32>
    %ab = arith.mulf %a_, %b_ : tensor<64xf32>
    %dot = sinter.row_reduce add %ab : tensor<64xf32> -> f32
    %r = arith.divf %one, %z : f32
    %t = arith.mulf %dot, %r : f32
    %n = arith.negf %t : f32
    sinter.yield %r, %n : f32, f32
  }
  %2:2 = sinter.contract (h = 4, j = 256) by (i = 256) by (e = 64)
      product (k = 64) (%q[h, i, k] : tensor<4x256x64xbf16>, %k[h, j, k] : tensor<4x256x64xbf16>) : f32
      product (f = 64) (%g[h, i, f] : tensor<4x256x64xbf16>, %v[h, j, f] : tensor<4x256x64xbf16>) : f32
      matrix (i) to (e) (%g[h, i, e] : tensor<4x256x64xbf16>)
      matrix (i) to (e) (%q[h, i, e] : tensor<4x256x64xbf16>)
      ins(%0#0[h, i] : tensor<4x256xf32>, %1#0[h, i] : tensor<4x256xf32>, %1#1[h, i] : tensor<4x256xf32>)
      outs(%o[h, j, e] : tensor<4x256x64xbf16>, %o[h, j, e] : tensor<4x256x64xbf16>) {
  ^row(%x: tensor<256xf32>, %dp: tensor<256xf32>, %g_: tensor<256x64xbf16>, %q_: tensor<256x64xbf16>, %m_: tensor<256xf32>, %r: tensor<256xf32>, %n: tensor<256xf32>):
    %half = arith.constant 0.3 : f32
    %halves = sinter.broadcast %half : f32 -> tensor<256xf32>
    %scaled = arith.mulf %x, %halves : tensor<256xf32>
    %less = arith.subf %scaled, %m_ : tensor<256xf32>
    %ex = math.exp %less : tensor<256xf32>
    %p = arith.mulf %ex, %r : tensor<256xf32>
    %dr = arith.mulf %dp, %r : tensor<256xf32>
    %drn = arith.addf %dr, %n : tensor<256xf32>
    %ds = arith.mulf %drn, %ex : tensor<256xf32>
    %ph = arith.truncf %p : tensor<256xf32> to tensor<256xbf16>
    %dh = arith.truncf %ds : tensor<256xf32> to tensor<256xbf16>
    %u = sinter.row_product %ph, %g_ : tensor<256xbf16>, tensor<256x64xbf16> -> tensor<64xf32>
    %w = sinter.row_product %dh, %q_ : tensor<256xbf16>, tensor<256x64xbf16> -> tensor<64xf32>
    %uh = arith.truncf %u : tensor<64xf32> to tensor<64xbf16>
    %wh = arith.truncf %w : tensor<64xf32> to tensor<64xbf16>
    sinter.yield %uh, %wh : tensor<64xbf16>, tensor<64xbf16>
  }
  return %0#2, %2#0, %2#1 : tensor<4x256x64xbf16>, tensor<4x256x64xbf16>, tensor<4x256x64xbf16>
}

// -----

// -inf of a mask has no logarithm to lose.

// CHECK-LABEL: func @masked
//       CHECK:   math.log
// CPU-LABEL: func @masked
func.func @masked(%q: tensor<4x256x64xbf16>, %k: tensor<4x256x64xbf16>, %v: tensor<4x256x64xbf16>, %g: tensor<4x256x64xbf16>) -> (tensor<4x256x64xbf16>, tensor<4x256x64xbf16>, tensor<4x256x64xbf16>) {
  %m = tensor.empty() : tensor<4x256xf32>
  %s = tensor.empty() : tensor<4x256xf32>
  %o = tensor.empty() : tensor<4x256x64xbf16>
  %0:3 = sinter.contract (h = 4, i = 256) by (j = 256) by (e = 64)
      product (k = 64) (%q[h, i, k] : tensor<4x256x64xbf16>, %k[h, j, k] : tensor<4x256x64xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<4x256x64xbf16>)
      outs(%m[h, i] : tensor<4x256xf32>, %s[h, i] : tensor<4x256xf32>, %o[h, i, e] : tensor<4x256x64xbf16>) {
  ^row(%x: tensor<256xf32>, %m_: tensor<256x64xbf16>):
    %max = sinter.row_reduce maximumf %x : tensor<256xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<256xf32>
    %less = arith.subf %x, %maxs : tensor<256xf32>
    %ex = math.exp %less : tensor<256xf32>
    %sum = sinter.row_reduce add %ex : tensor<256xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<256xf32>
    %w = arith.mulf %ex, %bys : tensor<256xf32>
    %r = arith.truncf %w : tensor<256xf32> to tensor<256xbf16>
    %u = sinter.row_product %r, %m_ : tensor<256xbf16>, tensor<256x64xbf16> -> tensor<64xf32>
    %y = arith.truncf %u : tensor<64xf32> to tensor<64xbf16>
    sinter.yield %max, %sum, %y : f32, f32, tensor<64xbf16>
  }
  %1:2 = sinter.rowwise (h = 4, i = 256) by (e = 64)
      ins(%g[h, i, e] : tensor<4x256x64xbf16>, %0#2[h, i, e] : tensor<4x256x64xbf16>, %0#1[h, i] : tensor<4x256xf32>)
      outs(%m[h, i] : tensor<4x256xf32>, %s[h, i] : tensor<4x256xf32>) {
  ^row(%a: tensor<64xbf16>, %b: tensor<64xbf16>, %z: f32):
    %one = arith.constant 1.0 : f32
    %a_ = arith.extf %a : tensor<64xbf16> to tensor<64xf32>
    %b_ = arith.extf %b : tensor<64xbf16> to tensor<64xf32>
    %ab = arith.mulf %a_, %b_ : tensor<64xf32>
    %dot = sinter.row_reduce add %ab : tensor<64xf32> -> f32
    %r = arith.divf %one, %z : f32
    %t = arith.mulf %dot, %r : f32
    %n = arith.negf %t : f32
    sinter.yield %r, %n : f32, f32
  }
  %2:2 = sinter.contract (h = 4, j = 256) by (i = 256) by (e = 64)
      product (k = 64) (%q[h, i, k] : tensor<4x256x64xbf16>, %k[h, j, k] : tensor<4x256x64xbf16>) : f32
      product (f = 64) (%g[h, i, f] : tensor<4x256x64xbf16>, %v[h, j, f] : tensor<4x256x64xbf16>) : f32
      matrix (i) to (e) (%g[h, i, e] : tensor<4x256x64xbf16>)
      matrix (i) to (e) (%q[h, i, e] : tensor<4x256x64xbf16>)
      ins(%0#0[h, i] : tensor<4x256xf32>, %1#0[h, i] : tensor<4x256xf32>, %1#1[h, i] : tensor<4x256xf32>)
      outs(%o[h, j, e] : tensor<4x256x64xbf16>, %o[h, j, e] : tensor<4x256x64xbf16>) {
  ^row(%x: tensor<256xf32>, %dp: tensor<256xf32>, %g_: tensor<256x64xbf16>, %q_: tensor<256x64xbf16>, %m_: tensor<256xf32>, %r: tensor<256xf32>, %n: tensor<256xf32>):
    %half = arith.constant 0.3 : f32
    %halves = sinter.broadcast %half : f32 -> tensor<256xf32>
    %scaled = arith.mulf %x, %halves : tensor<256xf32>
    %none = arith.constant 0xFF800000 : f32
    %nones = sinter.broadcast %none : f32 -> tensor<256xf32>
    %j = sinter.index j : index
    %js = sinter.broadcast %j : index -> tensor<256xindex>
    %i = sinter.index i : tensor<256xindex>
    %later = arith.cmpi sgt, %js, %i : tensor<256xindex>
    %masked = arith.select %later, %nones, %scaled : tensor<256xi1>, tensor<256xf32>
    %less = arith.subf %masked, %m_ : tensor<256xf32>
    %ex = math.exp %less : tensor<256xf32>
    %p = arith.mulf %ex, %r : tensor<256xf32>
    %dr = arith.mulf %dp, %r : tensor<256xf32>
    %drn = arith.addf %dr, %n : tensor<256xf32>
    %ds = arith.mulf %drn, %ex : tensor<256xf32>
    %ph = arith.truncf %p : tensor<256xf32> to tensor<256xbf16>
    %dh = arith.truncf %ds : tensor<256xf32> to tensor<256xbf16>
    %u = sinter.row_product %ph, %g_ : tensor<256xbf16>, tensor<256x64xbf16> -> tensor<64xf32>
    %w = sinter.row_product %dh, %q_ : tensor<256xbf16>, tensor<256x64xbf16> -> tensor<64xf32>
    %uh = arith.truncf %u : tensor<64xf32> to tensor<64xbf16>
    %wh = arith.truncf %w : tensor<64xf32> to tensor<64xbf16>
    sinter.yield %uh, %wh : tensor<64xbf16>, tensor<64xbf16>
  }
  return %0#2, %2#0, %2#1 : tensor<4x256x64xbf16>, tensor<4x256x64xbf16>, tensor<4x256x64xbf16>
}

// -----

// Beside -1e9, which a row's maximum may be, the logarithm would be lost.

// CHECK-LABEL: func @finite_mask
//   CHECK-NOT:   math.log
// CPU-LABEL: func @finite_mask
func.func @finite_mask(%q: tensor<4x256x64xbf16>, %k: tensor<4x256x64xbf16>, %v: tensor<4x256x64xbf16>, %g: tensor<4x256x64xbf16>) -> (tensor<4x256x64xbf16>, tensor<4x256x64xbf16>, tensor<4x256x64xbf16>) {
  %m = tensor.empty() : tensor<4x256xf32>
  %s = tensor.empty() : tensor<4x256xf32>
  %o = tensor.empty() : tensor<4x256x64xbf16>
  %0:3 = sinter.contract (h = 4, i = 256) by (j = 256) by (e = 64)
      product (k = 64) (%q[h, i, k] : tensor<4x256x64xbf16>, %k[h, j, k] : tensor<4x256x64xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<4x256x64xbf16>)
      outs(%m[h, i] : tensor<4x256xf32>, %s[h, i] : tensor<4x256xf32>, %o[h, i, e] : tensor<4x256x64xbf16>) {
  ^row(%x: tensor<256xf32>, %m_: tensor<256x64xbf16>):
    %max = sinter.row_reduce maximumf %x : tensor<256xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<256xf32>
    %less = arith.subf %x, %maxs : tensor<256xf32>
    %ex = math.exp %less : tensor<256xf32>
    %sum = sinter.row_reduce add %ex : tensor<256xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<256xf32>
    %w = arith.mulf %ex, %bys : tensor<256xf32>
    %r = arith.truncf %w : tensor<256xf32> to tensor<256xbf16>
    %u = sinter.row_product %r, %m_ : tensor<256xbf16>, tensor<256x64xbf16> -> tensor<64xf32>
    %y = arith.truncf %u : tensor<64xf32> to tensor<64xbf16>
    sinter.yield %max, %sum, %y : f32, f32, tensor<64xbf16>
  }
  %1:2 = sinter.rowwise (h = 4, i = 256) by (e = 64)
      ins(%g[h, i, e] : tensor<4x256x64xbf16>, %0#2[h, i, e] : tensor<4x256x64xbf16>, %0#1[h, i] : tensor<4x256xf32>)
      outs(%m[h, i] : tensor<4x256xf32>, %s[h, i] : tensor<4x256xf32>) {
  ^row(%a: tensor<64xbf16>, %b: tensor<64xbf16>, %z: f32):
    %one = arith.constant 1.0 : f32
    %a_ = arith.extf %a : tensor<64xbf16> to tensor<64xf32>
    %b_ = arith.extf %b : tensor<64xbf16> to tensor<64xf32>
    %ab = arith.mulf %a_, %b_ : tensor<64xf32>
    %dot = sinter.row_reduce add %ab : tensor<64xf32> -> f32
    %r = arith.divf %one, %z : f32
    %t = arith.mulf %dot, %r : f32
    %n = arith.negf %t : f32
    sinter.yield %r, %n : f32, f32
  }
  %2:2 = sinter.contract (h = 4, j = 256) by (i = 256) by (e = 64)
      product (k = 64) (%q[h, i, k] : tensor<4x256x64xbf16>, %k[h, j, k] : tensor<4x256x64xbf16>) : f32
      product (f = 64) (%g[h, i, f] : tensor<4x256x64xbf16>, %v[h, j, f] : tensor<4x256x64xbf16>) : f32
      matrix (i) to (e) (%g[h, i, e] : tensor<4x256x64xbf16>)
      matrix (i) to (e) (%q[h, i, e] : tensor<4x256x64xbf16>)
      ins(%0#0[h, i] : tensor<4x256xf32>, %1#0[h, i] : tensor<4x256xf32>, %1#1[h, i] : tensor<4x256xf32>)
      outs(%o[h, j, e] : tensor<4x256x64xbf16>, %o[h, j, e] : tensor<4x256x64xbf16>) {
  ^row(%x: tensor<256xf32>, %dp: tensor<256xf32>, %g_: tensor<256x64xbf16>, %q_: tensor<256x64xbf16>, %m_: tensor<256xf32>, %r: tensor<256xf32>, %n: tensor<256xf32>):
    %half = arith.constant 0.3 : f32
    %halves = sinter.broadcast %half : f32 -> tensor<256xf32>
    %scaled = arith.mulf %x, %halves : tensor<256xf32>
    %none = arith.constant -1.0e9 : f32
    %nones = sinter.broadcast %none : f32 -> tensor<256xf32>
    %j = sinter.index j : index
    %js = sinter.broadcast %j : index -> tensor<256xindex>
    %i = sinter.index i : tensor<256xindex>
    %later = arith.cmpi sgt, %js, %i : tensor<256xindex>
    %masked = arith.select %later, %nones, %scaled : tensor<256xi1>, tensor<256xf32>
    %less = arith.subf %masked, %m_ : tensor<256xf32>
    %ex = math.exp %less : tensor<256xf32>
    %p = arith.mulf %ex, %r : tensor<256xf32>
    %dr = arith.mulf %dp, %r : tensor<256xf32>
    %drn = arith.addf %dr, %n : tensor<256xf32>
    %ds = arith.mulf %drn, %ex : tensor<256xf32>
    %ph = arith.truncf %p : tensor<256xf32> to tensor<256xbf16>
    %dh = arith.truncf %ds : tensor<256xf32> to tensor<256xbf16>
    %u = sinter.row_product %ph, %g_ : tensor<256xbf16>, tensor<256x64xbf16> -> tensor<64xf32>
    %w = sinter.row_product %dh, %q_ : tensor<256xbf16>, tensor<256x64xbf16> -> tensor<64xf32>
    %uh = arith.truncf %u : tensor<64xf32> to tensor<64xbf16>
    %wh = arith.truncf %w : tensor<64xf32> to tensor<64xbf16>
    sinter.yield %uh, %wh : tensor<64xbf16>, tensor<64xbf16>
  }
  return %0#2, %2#0, %2#1 : tensor<4x256x64xbf16>, tensor<4x256x64xbf16>, tensor<4x256x64xbf16>
}

// -----

// What is no sum of exponentials may be no positive number.

// CHECK-LABEL: func @no_sum
//   CHECK-NOT:   math.log
// CPU-LABEL: func @no_sum
func.func @no_sum(%q: tensor<4x256x64xbf16>, %k: tensor<4x256x64xbf16>, %v: tensor<4x256x64xbf16>, %g: tensor<4x256x64xbf16>, %z: tensor<4x256xf32>) -> (tensor<4x256x64xbf16>, tensor<4x256x64xbf16>, tensor<4x256x64xbf16>) {
  %m = tensor.empty() : tensor<4x256xf32>
  %s = tensor.empty() : tensor<4x256xf32>
  %o = tensor.empty() : tensor<4x256x64xbf16>
  %0:3 = sinter.contract (h = 4, i = 256) by (j = 256) by (e = 64)
      product (k = 64) (%q[h, i, k] : tensor<4x256x64xbf16>, %k[h, j, k] : tensor<4x256x64xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<4x256x64xbf16>)
      outs(%m[h, i] : tensor<4x256xf32>, %s[h, i] : tensor<4x256xf32>, %o[h, i, e] : tensor<4x256x64xbf16>) {
  ^row(%x: tensor<256xf32>, %m_: tensor<256x64xbf16>):
    %max = sinter.row_reduce maximumf %x : tensor<256xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<256xf32>
    %less = arith.subf %x, %maxs : tensor<256xf32>
    %ex = math.exp %less : tensor<256xf32>
    %sum = sinter.row_reduce add %ex : tensor<256xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<256xf32>
    %w = arith.mulf %ex, %bys : tensor<256xf32>
    %r = arith.truncf %w : tensor<256xf32> to tensor<256xbf16>
    %u = sinter.row_product %r, %m_ : tensor<256xbf16>, tensor<256x64xbf16> -> tensor<64xf32>
    %y = arith.truncf %u : tensor<64xf32> to tensor<64xbf16>
    sinter.yield %max, %sum, %y : f32, f32, tensor<64xbf16>
  }
  %1:2 = sinter.rowwise (h = 4, i = 256) by (e = 64)
      ins(%g[h, i, e] : tensor<4x256x64xbf16>, %0#2[h, i, e] : tensor<4x256x64xbf16>, %z[h, i] : tensor<4x256xf32>)
      outs(%m[h, i] : tensor<4x256xf32>, %s[h, i] : tensor<4x256xf32>) {
  ^row(%a: tensor<64xbf16>, %b: tensor<64xbf16>, %z: f32):
    %one = arith.constant 1.0 : f32
    %a_ = arith.extf %a : tensor<64xbf16> to tensor<64xf32>
    %b_ = arith.extf %b : tensor<64xbf16> to tensor<64xf32>
    %ab = arith.mulf %a_, %b_ : tensor<64xf32>
    %dot = sinter.row_reduce add %ab : tensor<64xf32> -> f32
    %r = arith.divf %one, %z : f32
    %t = arith.mulf %dot, %r : f32
    %n = arith.negf %t : f32
    sinter.yield %r, %n : f32, f32
  }
  %2:2 = sinter.contract (h = 4, j = 256) by (i = 256) by (e = 64)
      product (k = 64) (%q[h, i, k] : tensor<4x256x64xbf16>, %k[h, j, k] : tensor<4x256x64xbf16>) : f32
      product (f = 64) (%g[h, i, f] : tensor<4x256x64xbf16>, %v[h, j, f] : tensor<4x256x64xbf16>) : f32
      matrix (i) to (e) (%g[h, i, e] : tensor<4x256x64xbf16>)
      matrix (i) to (e) (%q[h, i, e] : tensor<4x256x64xbf16>)
      ins(%0#0[h, i] : tensor<4x256xf32>, %1#0[h, i] : tensor<4x256xf32>, %1#1[h, i] : tensor<4x256xf32>)
      outs(%o[h, j, e] : tensor<4x256x64xbf16>, %o[h, j, e] : tensor<4x256x64xbf16>) {
  ^row(%x: tensor<256xf32>, %dp: tensor<256xf32>, %g_: tensor<256x64xbf16>, %q_: tensor<256x64xbf16>, %m_: tensor<256xf32>, %r: tensor<256xf32>, %n: tensor<256xf32>):
    %half = arith.constant 0.3 : f32
    %halves = sinter.broadcast %half : f32 -> tensor<256xf32>
    %scaled = arith.mulf %x, %halves : tensor<256xf32>
    %less = arith.subf %scaled, %m_ : tensor<256xf32>
    %ex = math.exp %less : tensor<256xf32>
    %p = arith.mulf %ex, %r : tensor<256xf32>
    %dr = arith.mulf %dp, %r : tensor<256xf32>
    %drn = arith.addf %dr, %n : tensor<256xf32>
    %ds = arith.mulf %drn, %ex : tensor<256xf32>
    %ph = arith.truncf %p : tensor<256xf32> to tensor<256xbf16>
    %dh = arith.truncf %ds : tensor<256xf32> to tensor<256xbf16>
    %u = sinter.row_product %ph, %g_ : tensor<256xbf16>, tensor<256x64xbf16> -> tensor<64xf32>
    %w = sinter.row_product %dh, %q_ : tensor<256xbf16>, tensor<256x64xbf16> -> tensor<64xf32>
    %uh = arith.truncf %u : tensor<64xf32> to tensor<64xbf16>
    %wh = arith.truncf %w : tensor<64xf32> to tensor<64xbf16>
    sinter.yield %uh, %wh : tensor<64xbf16>, tensor<64xbf16>
  }
  return %0#2, %2#0, %2#1 : tensor<4x256x64xbf16>, tensor<4x256x64xbf16>, tensor<4x256x64xbf16>
}

// -----

// The exponential itself is multiplied, too.

// CHECK-LABEL: func @asked
//   CHECK-NOT:   math.log
// CPU-LABEL: func @asked
func.func @asked(%q: tensor<4x256x64xbf16>, %k: tensor<4x256x64xbf16>, %v: tensor<4x256x64xbf16>, %g: tensor<4x256x64xbf16>) -> (tensor<4x256x64xbf16>, tensor<4x256x64xbf16>, tensor<4x256x64xbf16>) {
  %m = tensor.empty() : tensor<4x256xf32>
  %s = tensor.empty() : tensor<4x256xf32>
  %o = tensor.empty() : tensor<4x256x64xbf16>
  %0:3 = sinter.contract (h = 4, i = 256) by (j = 256) by (e = 64)
      product (k = 64) (%q[h, i, k] : tensor<4x256x64xbf16>, %k[h, j, k] : tensor<4x256x64xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<4x256x64xbf16>)
      outs(%m[h, i] : tensor<4x256xf32>, %s[h, i] : tensor<4x256xf32>, %o[h, i, e] : tensor<4x256x64xbf16>) {
  ^row(%x: tensor<256xf32>, %m_: tensor<256x64xbf16>):
    %max = sinter.row_reduce maximumf %x : tensor<256xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<256xf32>
    %less = arith.subf %x, %maxs : tensor<256xf32>
    %ex = math.exp %less : tensor<256xf32>
    %sum = sinter.row_reduce add %ex : tensor<256xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<256xf32>
    %w = arith.mulf %ex, %bys : tensor<256xf32>
    %r = arith.truncf %w : tensor<256xf32> to tensor<256xbf16>
    %u = sinter.row_product %r, %m_ : tensor<256xbf16>, tensor<256x64xbf16> -> tensor<64xf32>
    %y = arith.truncf %u : tensor<64xf32> to tensor<64xbf16>
    sinter.yield %max, %sum, %y : f32, f32, tensor<64xbf16>
  }
  %1:2 = sinter.rowwise (h = 4, i = 256) by (e = 64)
      ins(%g[h, i, e] : tensor<4x256x64xbf16>, %0#2[h, i, e] : tensor<4x256x64xbf16>, %0#1[h, i] : tensor<4x256xf32>)
      outs(%m[h, i] : tensor<4x256xf32>, %s[h, i] : tensor<4x256xf32>) {
  ^row(%a: tensor<64xbf16>, %b: tensor<64xbf16>, %z: f32):
    %one = arith.constant 1.0 : f32
    %a_ = arith.extf %a : tensor<64xbf16> to tensor<64xf32>
    %b_ = arith.extf %b : tensor<64xbf16> to tensor<64xf32>
    %ab = arith.mulf %a_, %b_ : tensor<64xf32>
    %dot = sinter.row_reduce add %ab : tensor<64xf32> -> f32
    %r = arith.divf %one, %z : f32
    %t = arith.mulf %dot, %r : f32
    %n = arith.negf %t : f32
    sinter.yield %r, %n : f32, f32
  }
  %2:2 = sinter.contract (h = 4, j = 256) by (i = 256) by (e = 64)
      product (k = 64) (%q[h, i, k] : tensor<4x256x64xbf16>, %k[h, j, k] : tensor<4x256x64xbf16>) : f32
      product (f = 64) (%g[h, i, f] : tensor<4x256x64xbf16>, %v[h, j, f] : tensor<4x256x64xbf16>) : f32
      matrix (i) to (e) (%g[h, i, e] : tensor<4x256x64xbf16>)
      matrix (i) to (e) (%q[h, i, e] : tensor<4x256x64xbf16>)
      ins(%0#0[h, i] : tensor<4x256xf32>, %1#0[h, i] : tensor<4x256xf32>, %1#1[h, i] : tensor<4x256xf32>)
      outs(%o[h, j, e] : tensor<4x256x64xbf16>, %o[h, j, e] : tensor<4x256x64xbf16>) {
  ^row(%x: tensor<256xf32>, %dp: tensor<256xf32>, %g_: tensor<256x64xbf16>, %q_: tensor<256x64xbf16>, %m_: tensor<256xf32>, %r: tensor<256xf32>, %n: tensor<256xf32>):
    %half = arith.constant 0.3 : f32
    %halves = sinter.broadcast %half : f32 -> tensor<256xf32>
    %scaled = arith.mulf %x, %halves : tensor<256xf32>
    %less = arith.subf %scaled, %m_ : tensor<256xf32>
    %ex = math.exp %less : tensor<256xf32>
    %p = arith.mulf %ex, %r : tensor<256xf32>
    %dr = arith.mulf %dp, %r : tensor<256xf32>
    %drn = arith.addf %dr, %n : tensor<256xf32>
    %ds = arith.mulf %drn, %ex : tensor<256xf32>
    %ph = arith.truncf %ex : tensor<256xf32> to tensor<256xbf16>
    %dh = arith.truncf %ds : tensor<256xf32> to tensor<256xbf16>
    %u = sinter.row_product %ph, %g_ : tensor<256xbf16>, tensor<256x64xbf16> -> tensor<64xf32>
    %w = sinter.row_product %dh, %q_ : tensor<256xbf16>, tensor<256x64xbf16> -> tensor<64xf32>
    %uh = arith.truncf %u : tensor<64xf32> to tensor<64xbf16>
    %wh = arith.truncf %w : tensor<64xf32> to tensor<64xbf16>
    sinter.yield %uh, %wh : tensor<64xbf16>, tensor<64xbf16>
  }
  return %0#2, %2#0, %2#1 : tensor<4x256x64xbf16>, tensor<4x256x64xbf16>, tensor<4x256x64xbf16>
}
