// RUN: sinter-opt --sinter-split="target=gpu launches=one" --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-split="target=gpu" --split-input-file %s | FileCheck %s --check-prefix=ALONE

// In a launch that kernels share, few rows that are multiplied again have their columns in parts. A cache and what is
// new behind it are two products, and two matrices. Columns beside the last part's end are -inf.

//  ALONE-NOT:   part

// CHECK-LABEL: func.func @cache
//  CHECK-SAME:   (%[[Q:.+]]: tensor<2x3x16xbf16>, %[[K:.+]]: tensor<2x40x16xbf16>, %[[K1:.+]]: tensor<2x2x16xbf16>, %[[V:.+]]: tensor<2x40x16xbf16>, %[[V1:.+]]: tensor<2x2x16xbf16>,
//       CHECK:   %[[P:.+]]:3 = sinter.contract (i = 2, j = 3, part = 3) by (k = 16) by (e = 16)
//  CHECK-NEXT:     product (l = 16) (%[[Q]][i, j, l] : {{.*}}, %[[K]][i, part * 16 + k, l] : tensor<2x40x16xbf16> else 0.000000e+00) : f32
//  CHECK-NEXT:     product (sum = 16) (%[[Q]][i, j, sum] : {{.*}}, %[[K1]][i, part * 16 + k - 40, sum] : tensor<2x2x16xbf16> else 0.000000e+00) : f32
//  CHECK-NEXT:     matrix (k) to (e) (%[[V]][i, part * 16 + k, e] : tensor<2x40x16xbf16> else 0.000000e+00)
//  CHECK-NEXT:     matrix (k) to (e) (%[[V1]][i, part * 16 + k - 40, e] : tensor<2x2x16xbf16> else 0.000000e+00)
//  CHECK-NEXT:     outs({{.*}}[i, j, part] : tensor<2x3x3xf32>, {{.*}}[i, j, part] : tensor<2x3x3xf32>, {{.*}}[i, j, part, e] : tensor<2x3x3x16xf32>) {
//  CHECK-NEXT:   ^row(%[[A:.+]]: tensor<16xf32>, %[[A1:.+]]: tensor<16xf32>, %[[M:.+]]: tensor<16x16xbf16>, %[[M1:.+]]: tensor<16x16xbf16>):
//       CHECK:     %[[OLD:.+]] = arith.constant 40 : index
//  CHECK-NEXT:     %[[OLDS:.+]] = sinter.broadcast %[[OLD]]
//  CHECK-NEXT:     %[[FROM:.+]] = arith.cmpi ult, %{{.*}}, %[[OLDS]] : tensor<16xindex>
//  CHECK-NEXT:     %[[S:.+]] = arith.select %[[FROM]], %[[A]], %[[A1]]
//       CHECK:     %[[INF:.+]] = arith.constant 0xFF800000 : f32
//       CHECK:     arith.constant 42 : index
//       CHECK:     %[[INFS:.+]] = sinter.broadcast %[[INF]]
//       CHECK:     %[[X:.+]] = arith.select %{{.*}}, %[[S]], %[[INFS]]
//  CHECK-NEXT:     %[[MAX:.+]] = sinter.row_reduce maximumf %[[X]]
//       CHECK:     %[[E:.+]] = math.exp
//  CHECK-NEXT:     %[[SUM:.+]] = sinter.row_reduce add %[[E]]
//  CHECK-NEXT:     %[[W:.+]] = arith.truncf %[[E]] : tensor<16xf32> to tensor<16xbf16>
//  CHECK-NEXT:     %[[U0:.+]] = sinter.row_product %[[W]], %[[M]]
//  CHECK-NEXT:     %[[U1:.+]] = sinter.row_product %[[W]], %[[M1]]
//  CHECK-NEXT:     %[[U:.+]] = arith.addf %[[U0]], %[[U1]]
//  CHECK-NEXT:     sinter.yield %[[MAX]], %[[SUM]], %[[U]] : f32, f32, tensor<16xf32>
//       CHECK:   sinter.rowwise (i = 2, j = 3, e = 16) by (part = 3)
//  CHECK-NEXT:     ins(%[[P]]#0[i, j, part] : {{.*}}, %[[P]]#1[i, j, part] : {{.*}}, %[[P]]#2[i, j, part, e] : tensor<2x3x3x16xf32>)
//       CHECK:   ^row(%[[PM:.+]]: tensor<3xf32>, %[[PS:.+]]: tensor<3xf32>, %[[PU:.+]]: tensor<3xf32>):
//       CHECK:     %[[PMAX:.+]] = sinter.row_reduce maximumf %[[PM]]
//       CHECK:     %[[PW:.+]] = math.exp
//       CHECK:     %[[DEAD:.+]] = arith.cmpf oeq, %[[PM]],
//       CHECK:     arith.mulf %[[PW]], %[[PS]]
//       CHECK:     arith.select %[[DEAD]],
//       CHECK:     arith.mulf %[[PW]], %[[PU]]
//       CHECK:     arith.select %[[DEAD]],
//       CHECK:     arith.divf
//  CHECK-NEXT:     arith.truncf %{{.*}} : f32 to bf16
func.func @cache(%q: tensor<2x3x16xbf16>, %k: tensor<2x40x16xbf16>, %k1: tensor<2x2x16xbf16>, %v: tensor<2x40x16xbf16>, %v1: tensor<2x2x16xbf16>, %y: tensor<2x3x16xbf16>) -> tensor<2x3x16xbf16> {
  %0 = sinter.contract (i = 2, j = 3) by (k = 42) by (e = 16)
      product (l = 16) (%q[i, j, l] : tensor<2x3x16xbf16>, side(%k[i, k, l] : tensor<2x40x16xbf16> else 0.000000e+00, %k1[i, k - 40, l] : tensor<2x2x16xbf16> else 0.000000e+00) {
  ^side(%a: tensor<16xbf16>, %b: tensor<16xbf16>):
    %c40 = arith.constant 40 : index
    %at = sinter.index k : index
    %is = arith.cmpi ult, %at, %c40 : index
    %s = arith.select %is, %a, %b : tensor<16xbf16>
    sinter.yield %s : tensor<16xbf16>
  }) : f32
      matrix (k) to (e) (side(%v[i, k, e] : tensor<2x40x16xbf16> else 0.000000e+00, %v1[i, k - 40, e] : tensor<2x2x16xbf16> else 0.000000e+00) {
  ^side(%a: tensor<42xbf16>, %b: tensor<42xbf16>):
    %c40 = arith.constant 40 : index
    %at = sinter.index k : tensor<42xindex>
    %c40s = sinter.broadcast %c40 : index -> tensor<42xindex>
    %is = arith.cmpi ult, %at, %c40s : tensor<42xindex>
    %s = arith.select %is, %a, %b : tensor<42xi1>, tensor<42xbf16>
    sinter.yield %s : tensor<42xbf16>
  })
      outs(%y[i, j, e] : tensor<2x3x16xbf16>) {
  ^row(%x: tensor<42xf32>, %m: tensor<42x16xbf16>):
    %max = sinter.row_reduce maximumf %x : tensor<42xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<42xf32>
    %less = arith.subf %x, %maxs : tensor<42xf32>
    %ex = math.exp %less : tensor<42xf32>
    %sum = sinter.row_reduce add %ex : tensor<42xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<42xf32>
    %w = arith.mulf %ex, %bys : tensor<42xf32>
    %r = arith.truncf %w : tensor<42xf32> to tensor<42xbf16>
    %u = sinter.row_product %r, %m : tensor<42xbf16>, tensor<42x16xbf16> -> tensor<16xf32>
    %z = arith.truncf %u : tensor<16xf32> to tensor<16xbf16>
    sinter.yield %z : tensor<16xbf16>
  }
  return %0 : tensor<2x3x16xbf16>
}

// -----

// A single new position is a row of its own, with all that it is made of: its score is one more maximum, and its value
// one more part. Few rows of a product may be computed by each tile.

// CHECK-LABEL: func.func @alone
//  CHECK-SAME:   (%[[Q:.+]]: tensor<2x3x16xbf16>, %[[K:.+]]: tensor<2x40x16xbf16>, %[[K1:.+]]: tensor<2x1x16xbf16>, %[[V:.+]]: tensor<2x40x16xbf16>, %[[V1:.+]]: tensor<2x1x16xbf16>,
//   CHECK-NOT:   sinter.rowwise (i = 2) by
//       CHECK:   %[[S:.+]] = sinter.rowwise (i = 2, j = 3, k = 1) by (l = 16)
//  CHECK-NEXT:     ins(%[[Q]][i, j, l] : {{.*}}, %[[K1]][i, 0, l] : tensor<2x1x16xbf16>)
//       CHECK:     arith.negf
//       CHECK:     math.absf
//       CHECK:     sinter.row_reduce add
//       CHECK:   %[[P:.+]]:3 = sinter.contract (i = 2, j = 3, part = 3) by (k = 16) by (e = 16)
//  CHECK-NEXT:     product (l = 16) (side(%[[Q]][i, j, l] : tensor<2x3x16xbf16>) {
//       CHECK:     }, %[[K]][i, part * 16 + k, l] : tensor<2x40x16xbf16> else 0.000000e+00) : f32
//  CHECK-NEXT:     matrix (k) to (e) (%[[V]][i, part * 16 + k, e] : tensor<2x40x16xbf16> else 0.000000e+00)
//  CHECK-NEXT:     outs
//       CHECK:   sinter.rowwise (i = 2, j = 3, e = 16) by (part = 3)
//  CHECK-NEXT:     ins(%[[P]]#0[i, j, part] : {{.*}}, %[[P]]#1[i, j, part] : {{.*}}, %[[P]]#2[i, j, part, e] : {{.*}}, %[[S]][i, j, 0] : tensor<2x3x1xf32>, %[[V1]][i, 0, e] : tensor<2x1x16xbf16>
//       CHECK:   ^row(%{{.*}}: tensor<3xf32>, %{{.*}}: tensor<3xf32>, %{{.*}}: tensor<3xf32>, %[[X:.+]]: f32, %[[W:.+]]: bf16):
//       CHECK:     %[[PMAX:.+]] = sinter.row_reduce maximumf
//  CHECK-NEXT:     arith.maximumf %[[PMAX]], %[[X]]
//       CHECK:     arith.cmpf oeq, %[[X]],
//       CHECK:     arith.extf %[[W]] : bf16 to f32
func.func @alone(%q: tensor<2x3x16xbf16>, %k: tensor<2x40x16xbf16>, %k1: tensor<2x1x16xbf16>, %v: tensor<2x40x16xbf16>, %v1: tensor<2x1x16xbf16>, %y: tensor<2x3x16xbf16>) -> tensor<2x3x16xbf16> {
  %d = tensor.empty() : tensor<2x1x16xbf16>
  %n1 = sinter.rowwise (i = 2) by (l = 16) ins(%k1[i, 0, l] : tensor<2x1x16xbf16>) outs(%d[i, 0, l] : tensor<2x1x16xbf16>) {
  ^row(%a: tensor<16xbf16>):
    %b = math.absf %a : tensor<16xbf16>
    sinter.yield %b : tensor<16xbf16>
  }
  %0 = sinter.contract (i = 2, j = 3) by (k = 41) by (e = 16)
      product (l = 16) (side(%q[i, j, l] : tensor<2x3x16xbf16>) {
  ^side(%a: tensor<16xbf16>):
    %b = arith.negf %a : tensor<16xbf16>
    sinter.yield %b : tensor<16xbf16>
  }, side(%k[i, k, l] : tensor<2x40x16xbf16> else 0.000000e+00, %n1[i, k - 40, l] : tensor<2x1x16xbf16> else 0.000000e+00) {
  ^side(%a: tensor<16xbf16>, %b: tensor<16xbf16>):
    %c40 = arith.constant 40 : index
    %at = sinter.index k : index
    %is = arith.cmpi ult, %at, %c40 : index
    %s = arith.select %is, %a, %b : tensor<16xbf16>
    sinter.yield %s : tensor<16xbf16>
  }) : f32
      matrix (k) to (e) (side(%v[i, k, e] : tensor<2x40x16xbf16> else 0.000000e+00, %v1[i, k - 40, e] : tensor<2x1x16xbf16> else 0.000000e+00) {
  ^side(%a: tensor<41xbf16>, %b: tensor<41xbf16>):
    %c40 = arith.constant 40 : index
    %at = sinter.index k : tensor<41xindex>
    %c40s = sinter.broadcast %c40 : index -> tensor<41xindex>
    %is = arith.cmpi ult, %at, %c40s : tensor<41xindex>
    %s = arith.select %is, %a, %b : tensor<41xi1>, tensor<41xbf16>
    sinter.yield %s : tensor<41xbf16>
  })
      outs(%y[i, j, e] : tensor<2x3x16xbf16>) {
  ^row(%x: tensor<41xf32>, %m: tensor<41x16xbf16>):
    %max = sinter.row_reduce maximumf %x : tensor<41xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<41xf32>
    %less = arith.subf %x, %maxs : tensor<41xf32>
    %ex = math.exp %less : tensor<41xf32>
    %sum = sinter.row_reduce add %ex : tensor<41xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<41xf32>
    %w = arith.mulf %ex, %bys : tensor<41xf32>
    %r = arith.truncf %w : tensor<41xf32> to tensor<41xbf16>
    %u = sinter.row_product %r, %m : tensor<41xbf16>, tensor<41x16xbf16> -> tensor<16xf32>
    %z = arith.truncf %u : tensor<16xf32> to tensor<16xbf16>
    sinter.yield %z : tensor<16xbf16>
  }
  return %0 : tensor<2x3x16xbf16>
}

// -----

// A mask at each row's own place, and a program of the result at each column, of the maximum and of the sum: positions
// are those of the form. What is a program of a side that does not choose is stored once.

// CHECK-LABEL: func.func @masked
//   CHECK-NOT:   sinter.rowwise (i = 2) by (l = 16)
//       CHECK:   sinter.contract (i = 2, part = 4) by (k = 16) by (e = 16)
//  CHECK-NEXT:     product (l = 16) (side(%{{.*}}[i, l] : tensor<2x16xbf16>) {
//       CHECK:     }, %{{.*}}[i, part * 16 + k, l] : tensor<2x64x16xbf16>) : f32
//  CHECK-NEXT:     matrix (k) to (e) (%{{.*}}[i, part * 16 + k, e] : tensor<2x64x16xbf16>)
//  CHECK-NEXT:     ins(%{{.*}}[i] : tensor<2xi64>, %{{.*}}[i, part * 16 + k] : tensor<2x64xf32>)
//       CHECK:     %[[K:.+]] = sinter.index k : tensor<16xindex>
//       CHECK:     %[[PART:.+]] = sinter.index part : index
//       CHECK:     arith.muli %[[PART]],
//       CHECK:     arith.addi %[[K]],
//       CHECK:     arith.cmpi sle
//   CHECK-NOT:     0xFF800000
//       CHECK:   sinter.rowwise (i = 2, e = 16) by (part = 4)
//  CHECK-NEXT:     ins({{.*}} : tensor<2x4x16xf32>, %{{.*}}[i] : tensor<2xi64>, %{{.*}}[e] : tensor<16xf32>)
//       CHECK:     %[[MAX:.+]] = sinter.row_reduce maximumf
//       CHECK:     %[[SUM:.+]] = sinter.row_reduce add
//       CHECK:     arith.divf %{{.*}}, %[[SUM]]
//       CHECK:     sinter.index e : index
//       CHECK:     sinter.index i : index
//       CHECK:     %[[ZM:.+]] = arith.addf %{{.*}}, %[[MAX]]
//  CHECK-NEXT:     arith.divf %[[ZM]], %[[SUM]]
func.func @masked(%q: tensor<2x16xbf16>, %k: tensor<2x64x16xbf16>, %v: tensor<2x64x16xbf16>, %n: tensor<2xi64>, %c: tensor<2x64xf32>, %g: tensor<16xf32>, %y: tensor<2x16xf32>) -> tensor<2x16xf32> {
  %0 = sinter.contract (i = 2) by (k = 64) by (e = 16)
      product (l = 16) (side(%q[i, l] : tensor<2x16xbf16>) {
  ^side(%a: tensor<16xbf16>):
    %b = arith.negf %a : tensor<16xbf16>
    sinter.yield %b : tensor<16xbf16>
  }, %k[i, k, l] : tensor<2x64x16xbf16>) : f32
      matrix (k) to (e) (%v[i, k, e] : tensor<2x64x16xbf16>)
      ins(%n[i] : tensor<2xi64>, %c[i, k] : tensor<2x64xf32>, %g[e] : tensor<16xf32>)
      outs(%y[i, e] : tensor<2x16xf32>) {
  ^row(%s: tensor<64xf32>, %m: tensor<64x16xbf16>, %t: i64, %b: tensor<64xf32>, %h: tensor<16xf32>):
    %inf = arith.constant -1.0e+9 : f32
    %infs = sinter.broadcast %inf : f32 -> tensor<64xf32>
    %at = sinter.index k : tensor<64xindex>
    %i64 = arith.index_cast %at : tensor<64xindex> to tensor<64xi64>
    %ts = sinter.broadcast %t : i64 -> tensor<64xi64>
    %is = arith.cmpi sle, %i64, %ts : tensor<64xi64>
    %sb = arith.addf %s, %b : tensor<64xf32>
    %x = arith.select %is, %sb, %infs : tensor<64xi1>, tensor<64xf32>
    %max = sinter.row_reduce maximumf %x : tensor<64xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<64xf32>
    %less = arith.subf %x, %maxs : tensor<64xf32>
    %ex = math.exp %less : tensor<64xf32>
    %sum = sinter.row_reduce add %ex : tensor<64xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<64xf32>
    %w = arith.mulf %ex, %bys : tensor<64xf32>
    %r = arith.truncf %w : tensor<64xf32> to tensor<64xbf16>
    %u = sinter.row_product %r, %m : tensor<64xbf16>, tensor<64x16xbf16> -> tensor<16xf32>
    %e = sinter.index e : tensor<16xindex>
    %i = sinter.index i : index
    %is2 = sinter.broadcast %i : index -> tensor<16xindex>
    %ei = arith.addi %e, %is2 : tensor<16xindex>
    %ej = arith.index_cast %ei : tensor<16xindex> to tensor<16xi64>
    %tt = sinter.broadcast %t : i64 -> tensor<16xi64>
    %ek = arith.addi %ej, %tt : tensor<16xi64>
    %ef = arith.sitofp %ek : tensor<16xi64> to tensor<16xf32>
    %uh = arith.mulf %u, %h : tensor<16xf32>
    %zs = arith.addf %uh, %ef : tensor<16xf32>
    %ms = sinter.broadcast %max : f32 -> tensor<16xf32>
    %zm = arith.addf %zs, %ms : tensor<16xf32>
    %sums = sinter.broadcast %sum : f32 -> tensor<16xf32>
    %z = arith.divf %zm, %sums : tensor<16xf32>
    sinter.yield %z : tensor<16xf32>
  }
  return %0 : tensor<2x16xf32>
}

// -----

// A softmax under a maximum that leaves out what is no number, and a result that is reduced along its columns: these
// are apart. One of 16 columns is one form.

// CHECK-LABEL: func.func @numbers
//   CHECK-NOT:   {{part|matrix}}
//       CHECK:   return
func.func @numbers(%q: tensor<2x16xbf16>, %k: tensor<2x64x16xbf16>, %v: tensor<2x64x16xbf16>, %y: tensor<2x16xf32>) -> tensor<2x16xf32> {
  %0 = sinter.contract (i = 2) by (k = 64) by (e = 16)
      product (l = 16) (%q[i, l] : tensor<2x16xbf16>, %k[i, k, l] : tensor<2x64x16xbf16>) : f32
      matrix (k) to (e) (%v[i, k, e] : tensor<2x64x16xbf16>)
      outs(%y[i, e] : tensor<2x16xf32>) {
  ^row(%x: tensor<64xf32>, %m: tensor<64x16xbf16>):
    %max = sinter.row_reduce maxnumf %x : tensor<64xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<64xf32>
    %less = arith.subf %x, %maxs : tensor<64xf32>
    %ex = math.exp %less : tensor<64xf32>
    %sum = sinter.row_reduce add %ex : tensor<64xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<64xf32>
    %w = arith.mulf %ex, %bys : tensor<64xf32>
    %r = arith.truncf %w : tensor<64xf32> to tensor<64xbf16>
    %u = sinter.row_product %r, %m : tensor<64xbf16>, tensor<64x16xbf16> -> tensor<16xf32>
    sinter.yield %u : tensor<16xf32>
  }
  return %0 : tensor<2x16xf32>
}

// -----

// CHECK-LABEL: func.func @short
//   CHECK-NOT:   part
//       CHECK:   matrix (k) to (e)
//       CHECK:   return
func.func @short(%q: tensor<2x16xbf16>, %k: tensor<2x16x16xbf16>, %v: tensor<2x16x16xbf16>, %y: tensor<2x16xf32>) -> tensor<2x16xf32> {
  %0 = sinter.contract (i = 2) by (k = 16) by (e = 16)
      product (l = 16) (%q[i, l] : tensor<2x16xbf16>, %k[i, k, l] : tensor<2x16x16xbf16>) : f32
      matrix (k) to (e) (%v[i, k, e] : tensor<2x16x16xbf16>)
      outs(%y[i, e] : tensor<2x16xf32>) {
  ^row(%x: tensor<16xf32>, %m: tensor<16x16xbf16>):
    %max = sinter.row_reduce maximumf %x : tensor<16xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<16xf32>
    %less = arith.subf %x, %maxs : tensor<16xf32>
    %ex = math.exp %less : tensor<16xf32>
    %sum = sinter.row_reduce add %ex : tensor<16xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<16xf32>
    %w = arith.mulf %ex, %bys : tensor<16xf32>
    %r = arith.truncf %w : tensor<16xf32> to tensor<16xbf16>
    %u = sinter.row_product %r, %m : tensor<16xbf16>, tensor<16x16xbf16> -> tensor<16xf32>
    sinter.yield %u : tensor<16xf32>
  }
  return %0 : tensor<2x16xf32>
}

// -----

// CHECK-LABEL: func.func @summed
//   CHECK-NOT:   {{part|matrix}}
//       CHECK:   return
func.func @summed(%q: tensor<2x16xbf16>, %k: tensor<2x64x16xbf16>, %v: tensor<2x64x16xbf16>, %y: tensor<2x16xf32>) -> tensor<2x16xf32> {
  %0 = sinter.contract (i = 2) by (k = 64) by (e = 16)
      product (l = 16) (%q[i, l] : tensor<2x16xbf16>, %k[i, k, l] : tensor<2x64x16xbf16>) : f32
      matrix (k) to (e) (%v[i, k, e] : tensor<2x64x16xbf16>)
      outs(%y[i, e] : tensor<2x16xf32>) {
  ^row(%x: tensor<64xf32>, %m: tensor<64x16xbf16>):
    %max = sinter.row_reduce maximumf %x : tensor<64xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<64xf32>
    %less = arith.subf %x, %maxs : tensor<64xf32>
    %ex = math.exp %less : tensor<64xf32>
    %sum = sinter.row_reduce add %ex : tensor<64xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<64xf32>
    %w = arith.mulf %ex, %bys : tensor<64xf32>
    %r = arith.truncf %w : tensor<64xf32> to tensor<64xbf16>
    %u = sinter.row_product %r, %m : tensor<64xbf16>, tensor<64x16xbf16> -> tensor<16xf32>
    %all = sinter.row_reduce add %u : tensor<16xf32> -> f32
    %alls = sinter.broadcast %all : f32 -> tensor<16xf32>
    %z = arith.divf %u, %alls : tensor<16xf32>
    sinter.yield %z : tensor<16xf32>
  }
  return %0 : tensor<2x16xf32>
}

// -----

// A matrix that is no zeros beside its end is not two: what its program makes is stored.

// CHECK-LABEL: func.func @filled
//       CHECK:   %[[V:.+]] = sinter.rowwise
//       CHECK:   sinter.contract
//       CHECK:     matrix (k) to (e) (%[[V]][
//   CHECK-NOT:     matrix
//       CHECK:     outs
func.func @filled(%q: tensor<2x3x16xbf16>, %k: tensor<2x40x16xbf16>, %k1: tensor<2x1x16xbf16>, %v: tensor<2x40x16xbf16>, %v1: tensor<2x1x16xbf16>, %y: tensor<2x3x16xbf16>) -> tensor<2x3x16xbf16> {
  %0 = sinter.contract (i = 2, j = 3) by (k = 41) by (e = 16)
      product (l = 16) (%q[i, j, l] : tensor<2x3x16xbf16>, side(%k[i, k, l] : tensor<2x40x16xbf16> else 0.000000e+00, %k1[i, k - 40, l] : tensor<2x1x16xbf16> else 0.000000e+00) {
  ^side(%a: tensor<16xbf16>, %b: tensor<16xbf16>):
    %c40 = arith.constant 40 : index
    %at = sinter.index k : index
    %is = arith.cmpi ult, %at, %c40 : index
    %s = arith.select %is, %a, %b : tensor<16xbf16>
    sinter.yield %s : tensor<16xbf16>
  }) : f32
      matrix (k) to (e) (side(%v[i, k, e] : tensor<2x40x16xbf16> else 1.000000e+00, %v1[i, k - 40, e] : tensor<2x1x16xbf16> else 0.000000e+00) {
  ^side(%a: tensor<41xbf16>, %b: tensor<41xbf16>):
    %c40 = arith.constant 40 : index
    %at = sinter.index k : tensor<41xindex>
    %c40s = sinter.broadcast %c40 : index -> tensor<41xindex>
    %is = arith.cmpi ult, %at, %c40s : tensor<41xindex>
    %s = arith.select %is, %a, %b : tensor<41xi1>, tensor<41xbf16>
    sinter.yield %s : tensor<41xbf16>
  })
      outs(%y[i, j, e] : tensor<2x3x16xbf16>) {
  ^row(%x: tensor<41xf32>, %m: tensor<41x16xbf16>):
    %max = sinter.row_reduce maximumf %x : tensor<41xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<41xf32>
    %less = arith.subf %x, %maxs : tensor<41xf32>
    %ex = math.exp %less : tensor<41xf32>
    %sum = sinter.row_reduce add %ex : tensor<41xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<41xf32>
    %w = arith.mulf %ex, %bys : tensor<41xf32>
    %r = arith.truncf %w : tensor<41xf32> to tensor<41xbf16>
    %u = sinter.row_product %r, %m : tensor<41xbf16>, tensor<41x16xbf16> -> tensor<16xf32>
    %z = arith.truncf %u : tensor<16xf32> to tensor<16xbf16>
    sinter.yield %z : tensor<16xbf16>
  }
  return %0 : tensor<2x3x16xbf16>
}
