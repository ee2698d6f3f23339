// RUN: sinter-opt --sinter-ranges --split-input-file %s | FileCheck %s

// A label that picks one of 7 columns, through a conversion and a kernel that hands it on.

// CHECK: func.func @pick(%{{.+}}: tensor<3x7xf32>, %{{.+}}: tensor<3xi32> {sinter.range = array<f64: 0.000000e+00, 7.000000e+00, -1.000000e+00, 0.000000e+00>})
func.func @pick(%x: tensor<3x7xf32>, %t: tensor<3xi32>) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<3xf32>
  %f = tensor.empty() : tensor<3xi64>
  %u = sinter.rowwise () by (i = 3) ins(%t[i] : tensor<3xi32>) outs(%f[i] : tensor<3xi64>) {
  ^row(%a: tensor<3xi32>):
    %0 = arith.extsi %a : tensor<3xi32> to tensor<3xi64>
    sinter.yield %0 : tensor<3xi64>
  }
  %y = sinter.rowwise (i = 3) by (j = 7) ins(%x[i, j] : tensor<3x7xf32>, %u[i] : tensor<3xi64>) outs(%e[i] : tensor<3xf32>) {
  ^row(%a: tensor<7xf32>, %l: i64):
    %zero = arith.constant 0.0 : f32
    %0 = sinter.pick %a[%l] else %zero : tensor<7xf32>, i64
    sinter.yield %0 : f32
  }
  return %y : tensor<3xf32>
}

// -----

// A comparison with a column's index, as exporters spell one-hot rows; the size is that of argument 0 in dimension 1.

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
// CHECK: func.func @one_hot(%{{.+}}: tensor<3x?xf32>, %{{.+}}: tensor<3xi64> {sinter.range = array<f64: 0.000000e+00, 0.000000e+00, 0.000000e+00, 1.000000e+00>})
func.func @one_hot(%x: tensor<3x?xf32>, %t: tensor<3xi64>) -> tensor<3x?xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c1 : tensor<3x?xf32>
  %e = tensor.empty(%n) : tensor<3x?xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %t : tensor<3x?xf32>, tensor<3xi64>) outs(%e : tensor<3x?xf32>) {
  ^bb0(%a: f32, %l: i64, %o: f32):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %same = arith.cmpi eq, %k, %l : i64
    %s = arith.select %same, %a, %zero : f32
    linalg.yield %s : f32
  } -> tensor<3x?xf32>
  return %y : tensor<3x?xf32>
}

// -----

// A subscript as torch spells it: t < 0 ? t + 5 : t, asserted to be in range.

#v = affine_map<(i) -> (i)>
// CHECK: func.func @wrapped(%{{.+}}: tensor<5xf32>, %{{.+}}: tensor<4xi64> {sinter.range = array<f64: 0.000000e+00, 5.000000e+00, -1.000000e+00, 0.000000e+00>})
func.func @wrapped(%x: tensor<5xf32>, %t: tensor<4xi64>) -> tensor<4xf32> {
  %c5 = arith.constant 5 : i64
  %c0 = arith.constant 0 : i64
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%t : tensor<4xi64>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: i64, %o: f32):
    %less = arith.cmpi slt, %a, %c0 : i64
    %more = arith.addi %a, %c5 : i64
    %b = arith.select %less, %more, %a : i64
    %ok = arith.cmpi slt, %b, %c5 : i64
    cf.assert %ok, "index must be smaller than dim size"
    %i = arith.index_cast %b : i64 to index
    %s = tensor.extract %x[%i] : tensor<5xf32>
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// A variance is positive (its root is asserted not to be 0), a probability of which both logarithms are taken between 0
// and 1, a divisor not 0; what is only added says nothing.

// CHECK: func.func @floats(%{{.+}}: tensor<4xf32> {sinter.range = array<f64: 1.000000e-01, 1.100000e+00, -1.000000e+00, 0.000000e+00>},
// CHECK-SAME: %{{.+}}: tensor<4xf32> {sinter.range = array<f64: 5.000000e-02, 0.94999999999999996, -1.000000e+00, 0.000000e+00>},
// CHECK-SAME: %{{.+}}: tensor<4xi32> {sinter.range = array<f64: 1.000000e+00, 9.000000e+00, -1.000000e+00, 0.000000e+00>}, %{{.+}}: tensor<4xf32>)
func.func @floats(%v: tensor<4xf32>, %p: tensor<4xf32>, %d: tensor<4xi32>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %e = tensor.empty() : tensor<4xf32>
  %i = tensor.empty() : tensor<4xi32>
  %y:2 = sinter.rowwise () by (i = 4)
      ins(%v[i] : tensor<4xf32>, %p[i] : tensor<4xf32>, %d[i] : tensor<4xi32>, %x[i] : tensor<4xf32>)
      outs(%e[i] : tensor<4xf32>, %i[i] : tensor<4xi32>) {
  ^row(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xi32>, %z: tensor<4xf32>):
    %eps = arith.constant dense<1.0e-5> : tensor<4xf32>
    %one = arith.constant dense<1.0> : tensor<4xf32>
    %ten = arith.constant dense<10> : tensor<4xi32>
    %zero = arith.constant dense<0.0> : tensor<4xf32>
    %0 = arith.addf %a, %eps : tensor<4xf32>
    %1 = math.sqrt %0 : tensor<4xf32>
    %2 = arith.cmpf one, %1, %zero : tensor<4xf32>
    %3 = arith.subf %one, %b : tensor<4xf32>
    %4 = math.log %3 : tensor<4xf32>
    %5 = math.log %b : tensor<4xf32>
    %6 = arith.addf %4, %5 : tensor<4xf32>
    %7 = arith.addf %6, %1 : tensor<4xf32>
    %8 = arith.addf %7, %z : tensor<4xf32>
    %9 = arith.divsi %ten, %c : tensor<4xi32>
    sinter.yield %8, %9 : tensor<4xf32>, tensor<4xi32>
  }
  return %y#0, %y#1 : tensor<4xf32>, tensor<4xi32>
}

// -----

// A row of columns' indices compared with a label, in a form.

// CHECK: func.func @columns(%{{.+}}: tensor<3xi64> {sinter.range = array<f64: 0.000000e+00, 9.000000e+00, -1.000000e+00, 0.000000e+00>})
func.func @columns(%t: tensor<3xi64>) -> tensor<3x9xi1> {
  %e = tensor.empty() : tensor<3x9xi1>
  %y = sinter.rowwise (i = 3) by (j = 9) ins(%t[i] : tensor<3xi64>) outs(%e[i, j] : tensor<3x9xi1>) {
  ^row(%l: i64):
    %0 = sinter.index j : tensor<9xindex>
    %1 = arith.index_cast %0 : tensor<9xindex> to tensor<9xi64>
    %2 = sinter.broadcast %l : i64 -> tensor<9xi64>
    %3 = arith.cmpi eq, %1, %2 : tensor<9xi64>
    sinter.yield %3 : tensor<9xi1>
  }
  return %y : tensor<3x9xi1>
}

// -----

// In the program of a side: what is compared with the position in what is summed, a root, an index tensor, a divisor.

// CHECK: func.func @side(
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<4x9xf32> {sinter.range = array<f64: 1.000000e-01, 1.100000e+00, -1.000000e+00, 0.000000e+00>},
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<4xi64> {sinter.range = array<f64: 0.000000e+00, 9.000000e+00, -1.000000e+00, 0.000000e+00>},
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<5xi64> {sinter.range = array<f64: 0.000000e+00, 7.000000e+00, -1.000000e+00, 0.000000e+00>},
func.func @side(%x: tensor<4x9xf32>, %t: tensor<4xi64>, %u: tensor<5xi64>, %w: tensor<7x9xf32>) -> tensor<4x5xf32> {
  %e = tensor.empty() : tensor<4x5xf32>
  %y = sinter.contract (i = 4) by (j = 5)
      product (k = 9) (side(%x[i, k] : tensor<4x9xf32>, %t[i] : tensor<4xi64>) {
      ^side(%a: tensor<9xf32>, %l: i64):
        %0 = sinter.index k : tensor<9xindex>
        %1 = arith.index_cast %0 : tensor<9xindex> to tensor<9xi64>
        %2 = sinter.broadcast %l : i64 -> tensor<9xi64>
        %3 = arith.cmpi eq, %1, %2 : tensor<9xi64>
        %4 = math.sqrt %a : tensor<9xf32>
        %5 = arith.constant dense<0.0> : tensor<9xf32>
        %6 = arith.select %3, %4, %5 : tensor<9xi1>, tensor<9xf32>
        sinter.yield %6 : tensor<9xf32>
      }, %w[%u[j] : tensor<5xi64>, k] : tensor<7x9xf32>) : f32
      outs(%e[i, j] : tensor<4x5xf32>) {
  ^row(%p: tensor<5xf32>):
    sinter.yield %p : tensor<5xf32>
  }
  return %y : tensor<4x5xf32>
}
