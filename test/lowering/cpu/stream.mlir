// RUN: sinter-opt --sinter-lower-cpu --canonicalize --cse --split-input-file --verify-diagnostics %s | FileCheck %s --implicit-check-not=sinter.contract --implicit-check-not=sinter.rowwise

// Attention by blocks of 8 keys. Of each row there is a maximum so far and a sum so far, which come under the block's
// maxima, several rows at once; where one grew, so does what was multiplied. Exponentials, none of them subnormal, go
// where the second product takes them, which adds to c from the second block on. Where a row is nothing but -inf it
// becomes NaN at its end. The factor 1 / sum, which the program has in front of the second product, is behind it.

// CHECK-LABEL: func.func private @attention(
//   CHECK-DAG:   memref.alloca() {{.*}} : memref<12x8xf32>
//   CHECK-DAG:   memref.alloca() {{.*}} : memref<12xf32>
// CHECK-LABEL: func.func private @attention_task(
//   CHECK-DAG:   %[[LEAST:.+]] = arith.constant dense<-3.40282347E+38> : vector<4xf32>
//   CHECK-DAG:   %[[NONE:.+]] = arith.constant 0xFF800000 : f32
//   CHECK-DAG:   %[[NAN:.+]] = arith.constant 0x7FC00000 : f32
//   CHECK-DAG:   %[[LESS:.+]] = arith.constant dense<3.125000e-02> : vector<4xf32>
//   CHECK-DAG:   %[[MORE:.+]] = arith.constant 3.200000e+01 : f32
//       CHECK:   memref.store %[[NONE]], %[[MAX:.+]][
//       CHECK:   memref.store %{{.+}}, %[[SUM:.+]][
//       CHECK:   scf.for %[[N0:.+]] = %c0 to %c20 step %c8
//       CHECK:     scf.for %{{.+}} = %[[N0]] to %[[END:.+]] step %c4
//       CHECK:       call @sinter_rt_brgemm_f32(
//       CHECK:     scf.for
//       CHECK:       arith.maximumf
//       CHECK:       memref.store %{{.+}}, %[[BLOCK:.+]][
//       CHECK:     %[[ANY:.+]] = scf.for %{{.+}} step %c4 iter_args
//       CHECK:       %[[OLD:.+]] = vector.load %[[MAX]][
//       CHECK:       %[[NEW:.+]] = vector.load %[[BLOCK]][
//       CHECK:       %[[MOST:.+]] = arith.maximumf %[[OLD]], %[[NEW]]
//       CHECK:       %[[UNDER:.+]] = arith.maximumf %[[MOST]], %[[LEAST]]
//       CHECK:       vector.store %[[MOST]], %[[MAX]][
//       CHECK:       vector.store %[[UNDER]], %[[BLOCK]][
//       CHECK:       %[[BEFORE:.+]] = arith.maximumf %[[OLD]], %[[LEAST]]
//       CHECK:       %[[BY:.+]] = arith.subf %[[BEFORE]], %[[UNDER]]
//       CHECK:       %[[SCALE:.+]] = math.exp %[[BY]]
//       CHECK:       vector.store %[[SCALE]], %[[FACTOR:.+]][
//       CHECK:       %[[S:.+]] = vector.load %[[SUM]][
//       CHECK:       %[[SCALED:.+]] = arith.mulf %[[S]], %[[SCALE]]
//       CHECK:       vector.store %[[SCALED]], %[[SUM]][
//       CHECK:       arith.cmpf une, %[[MOST]], %[[OLD]]
//       CHECK:     %[[LATER:.+]] = arith.cmpi ne, %[[N0]], %c0
//       CHECK:     %[[BOTH:.+]] = arith.andi %[[LATER]], %[[ANY]]
//       CHECK:     scf.if %[[BOTH]]
//       CHECK:       memref.load %[[FACTOR]][
//       CHECK:       vector.load %[[U:.+]][
//       CHECK:       arith.mulf
//       CHECK:       vector.store %{{.+}}, %[[U]][
//       CHECK:     memref.load %[[BLOCK]][
//       CHECK:       %[[E:.+]] = math.exp %{{.+}} {sinter.not_positive} : vector<4xf32>
//       CHECK:       %[[W:.+]] = arith.mulf %[[E]], %[[LESS]] : vector<4xf32>
//       CHECK:       %[[BITS:.+]] = arith.bitcast %[[W]] : vector<4xf32> to vector<4xi32>
//       CHECK:       %[[EXPONENT:.+]] = arith.andi %[[BITS]],
//       CHECK:       %[[SMALL:.+]] = arith.cmpi eq, %[[EXPONENT]],
//       CHECK:       %[[P0:.+]] = arith.select %[[SMALL]], %{{.+}}, %[[W]]
//       CHECK:       vector.store %[[P0]], %[[P:.+]][%{{.+}}, %{{.+}}] : memref<12x8xf32>
//       CHECK:     scf.for %[[K0:.+]] = %[[N0]] to %[[END]] step %c6
//       CHECK:       %[[AGAIN:.+]] = arith.cmpi ne, %[[K0]], %c0
//       CHECK:       memref.reinterpret_cast %[[P]]
//       CHECK:       call @sinter_rt_brgemm_f32(
//       CHECK:   scf.for
//       CHECK:     %[[M:.+]] = memref.load %[[MAX]][
//       CHECK:     %[[ODD:.+]] = arith.cmpf oeq, %[[M]], %[[NONE]]
//       CHECK:     %[[Z:.+]] = memref.load %[[SUM]][
//       CHECK:     arith.select %[[ODD]], %[[NAN]], %[[Z]]
//       CHECK:     %[[R:.+]] = arith.divf
//       CHECK:     arith.mulf %[[R]], %[[MORE]]
//       CHECK:     scf.if %[[ODD]]
//       CHECK:       vector.store %{{.+}}, %[[U]][
//       CHECK:   scf.for
//       CHECK:     vector.load %[[U]][
//       CHECK:     arith.mulf
func.func private @attention(%q: memref<11x10xf32>, %k: memref<10x20xf32>, %v: memref<20x8xf32>, %y: memref<11x8xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 11) by (j = 20) by (e = 8)
      product (d = 10) (%q[i, d] : memref<11x10xf32>, %k[d, j] : memref<10x20xf32>) : f32
      matrix (j) to (e) (%v[j, e] : memref<20x8xf32>)
      outs(%y[i, e] : memref<11x8xf32>) schedule(#sinter.brgemm<kernel = "libxsmm", m = 4, n = 4, k = 6, lanes = 4, stream = 8>) {
  ^row(%x: tensor<20xf32>, %m: tensor<20x8xf32>):
    %mx = sinter.row_reduce maximumf %x : tensor<20xf32> -> f32
    %mb = sinter.broadcast %mx : f32 -> tensor<20xf32>
    %d = arith.subf %x, %mb : tensor<20xf32>
    %p = math.exp %d : tensor<20xf32>
    %z = sinter.row_reduce add %p : tensor<20xf32> -> f32
    %one = arith.constant 1.0 : f32
    %r = arith.divf %one, %z : f32
    %rb = sinter.broadcast %r : f32 -> tensor<20xf32>
    %n = arith.mulf %p, %rb : tensor<20xf32>
    %o = sinter.row_product %n, %m : tensor<20xf32>, tensor<20x8xf32> -> tensor<8xf32>
    sinter.yield %o : tensor<8xf32>
  }
  return
}

// -----

// A layer's rows are multiplied 8 columns at a time: there is nothing to keep of them, and no memory for whole ones.

// CHECK-LABEL: func.func private @layers(
//   CHECK-NOT:   memref<12x20xf32>
// CHECK-LABEL: func.func private @layers_task(
//       CHECK:   scf.for %[[N0:.+]] = %c0 to %c20 step %c8
//       CHECK:     call @sinter_rt_brgemm_f32(
//       CHECK:     math.tanh
//       CHECK:     call @sinter_rt_brgemm_f32(
func.func private @layers(%x: memref<11x10xf32>, %w: memref<10x20xf32>, %v: memref<20x3xf32>, %y: memref<11x3xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 11) by (j = 20) by (e = 3)
      product (d = 10) (%x[i, d] : memref<11x10xf32>, %w[d, j] : memref<10x20xf32>) : f32
      matrix (j) to (e) (%v[j, e] : memref<20x3xf32>)
      outs(%y[i, e] : memref<11x3xf32>) schedule(#sinter.brgemm<kernel = "libxsmm", m = 4, n = 4, k = 6, lanes = 4, stream = 8>) {
  ^row(%s: tensor<20xf32>, %m: tensor<20x3xf32>):
    %t = math.tanh %s : tensor<20xf32>
    %o = sinter.row_product %t, %m : tensor<20xf32>, tensor<20x3xf32> -> tensor<3xf32>
    sinter.yield %o : tensor<3xf32>
  }
  return
}

// -----

// A factor that may be smaller than 1 / columns: with it a sum of large numbers may be finite, and not without it.

func.func private @small_factor(%x: memref<11x20xf32>, %g: memref<11xf32>, %v: memref<20x3xf32>, %y: memref<11x3xf32>) attributes {sinter.kernel} {
  // expected-error @below {{stream = 8, but a row of the first group of columns is needed whole: leave stream out}}
  sinter.rowwise (i = 11) by (j = 20) by (e = 3)
      matrix (j) to (e) (%v[j, e] : memref<20x3xf32>)
      ins(%x[i, j] : memref<11x20xf32>, %g[i] : memref<11xf32>)
      outs(%y[i, e] : memref<11x3xf32>) schedule(#sinter.brgemm<kernel = "libxsmm", m = 4, n = 4, k = 6, lanes = 4, stream = 8>) {
  ^row(%m: tensor<20x3xf32>, %s: tensor<20xf32>, %h: f32):
    %mx = sinter.row_reduce maximumf %s : tensor<20xf32> -> f32
    %mb = sinter.broadcast %mx : f32 -> tensor<20xf32>
    %d = arith.subf %s, %mb : tensor<20xf32>
    %p = math.exp %d : tensor<20xf32>
    %z = sinter.row_reduce add %p : tensor<20xf32> -> f32
    %r = arith.divf %h, %z : f32
    %rb = sinter.broadcast %r : f32 -> tensor<20xf32>
    %n = arith.mulf %p, %rb : tensor<20xf32>
    %o = sinter.row_product %n, %m : tensor<20xf32>, tensor<20x3xf32> -> tensor<3xf32>
    sinter.yield %o : tensor<3xf32>
  }
  return
}

// -----

// Weights of f16 would vanish times 1 / columns, and its largest number times an f32 is too large.

func.func private @small_weights(%x: memref<11x20xf32>, %v: memref<20x3xf32>, %y: memref<11x3xf32>) attributes {sinter.kernel} {
  // expected-error @below {{stream = 8, but a row of the first group of columns is needed whole: leave stream out}}
  sinter.rowwise (i = 11) by (j = 20) by (e = 3)
      matrix (j) to (e) (%v[j, e] : memref<20x3xf32>)
      ins(%x[i, j] : memref<11x20xf32>)
      outs(%y[i, e] : memref<11x3xf32>) schedule(#sinter.brgemm<kernel = "libxsmm", m = 4, n = 4, k = 6, lanes = 4, stream = 8>) {
  ^row(%m: tensor<20x3xf32>, %s: tensor<20xf32>):
    %mx = sinter.row_reduce maximumf %s : tensor<20xf32> -> f32
    %mb = sinter.broadcast %mx : f32 -> tensor<20xf32>
    %d = arith.subf %s, %mb : tensor<20xf32>
    %p = math.exp %d : tensor<20xf32>
    %h = arith.truncf %p : tensor<20xf32> to tensor<20xf16>
    %o = sinter.row_product %h, %m : tensor<20xf16>, tensor<20x3xf32> -> tensor<3xf32>
    sinter.yield %o : tensor<3xf32>
  }
  return
}

// -----

// The least of exponentials is not scaled as their sum is, where the maximum grows.

func.func private @least_weight(%x: memref<11x20xf32>, %v: memref<20x3xf32>, %y: memref<11x3xf32>, %z: memref<11xf32>) attributes {sinter.kernel} {
  // expected-error @below {{stream = 8, but a row of the first group of columns is needed whole: leave stream out}}
  sinter.rowwise (i = 11) by (j = 20) by (e = 3)
      matrix (j) to (e) (%v[j, e] : memref<20x3xf32>)
      ins(%x[i, j] : memref<11x20xf32>)
      outs(%y[i, e] : memref<11x3xf32>, %z[i] : memref<11xf32>)
      schedule(#sinter.brgemm<kernel = "libxsmm", m = 4, n = 4, k = 6, lanes = 4, stream = 8>) {
  ^row(%m: tensor<20x3xf32>, %s: tensor<20xf32>):
    %mx = sinter.row_reduce maximumf %s : tensor<20xf32> -> f32
    %mb = sinter.broadcast %mx : f32 -> tensor<20xf32>
    %d = arith.subf %s, %mb : tensor<20xf32>
    %p = math.exp %d : tensor<20xf32>
    %l = sinter.row_reduce minimumf %p : tensor<20xf32> -> f32
    %o = sinter.row_product %p, %m : tensor<20xf32>, tensor<20x3xf32> -> tensor<3xf32>
    sinter.yield %o, %l : tensor<3xf32>, f32
  }
  return
}

// -----

// A mean is known when a row is whole.

func.func private @whole(%x: memref<11x10xf32>, %w: memref<10x20xf32>, %v: memref<20x3xf32>, %y: memref<11x3xf32>) attributes {sinter.kernel} {
  // expected-error @below {{stream = 8, but a row of the first group of columns is needed whole: leave stream out}}
  sinter.contract (i = 11) by (j = 20) by (e = 3)
      product (d = 10) (%x[i, d] : memref<11x10xf32>, %w[d, j] : memref<10x20xf32>) : f32
      matrix (j) to (e) (%v[j, e] : memref<20x3xf32>)
      outs(%y[i, e] : memref<11x3xf32>) schedule(#sinter.brgemm<kernel = "libxsmm", m = 4, n = 4, k = 6, lanes = 4, stream = 8>) {
  ^row(%s: tensor<20xf32>, %m: tensor<20x3xf32>):
    %a = sinter.row_reduce add %s : tensor<20xf32> -> f32
    %b = sinter.broadcast %a : f32 -> tensor<20xf32>
    %t = arith.subf %s, %b : tensor<20xf32>
    %o = sinter.row_product %t, %m : tensor<20xf32>, tensor<20x3xf32> -> tensor<3xf32>
    sinter.yield %o : tensor<3xf32>
  }
  return
}

// -----

func.func private @unit(%x: memref<11x10xf32>, %w: memref<10x20xf32>, %v: memref<20x3xf32>, %y: memref<11x3xf32>) attributes {sinter.kernel} {
  // expected-error @below {{stream = 6, but a multiple of n = 4 is needed}}
  sinter.contract (i = 11) by (j = 20) by (e = 3)
      product (d = 10) (%x[i, d] : memref<11x10xf32>, %w[d, j] : memref<10x20xf32>) : f32
      matrix (j) to (e) (%v[j, e] : memref<20x3xf32>)
      outs(%y[i, e] : memref<11x3xf32>) schedule(#sinter.brgemm<kernel = "libxsmm", m = 4, n = 4, k = 6, lanes = 4, stream = 6>) {
  ^row(%s: tensor<20xf32>, %m: tensor<20x3xf32>):
    %o = sinter.row_product %s, %m : tensor<20xf32>, tensor<20x3xf32> -> tensor<3xf32>
    sinter.yield %o : tensor<3xf32>
  }
  return
}
