// RUN: sinter-opt --sinter-behind-products --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-behind-products=floats=true --split-input-file %s | FileCheck %s --check-prefix=FLOATS
// RUN: sinter-opt --sinter-behind-products=weights=half --split-input-file %s | FileCheck %s --check-prefix=HALF

// Attention as torch-mlir writes it: both sides are widened and scaled, a mask is added, a row of nothing but -inf is
// 0. Halves are multiplied, factors and the row of 0 come behind.

// CHECK-LABEL: func @wide
//       CHECK:   product (k = 4) (%{{.+}}[i, k] : tensor<5x4xbf16>, %{{.+}}[j, k] : tensor<7x4xbf16>) : f32
//       CHECK:   ^row(%[[P:.+]]: tensor<7xf32>, %[[V:.+]]: tensor<7x3xbf16>, %[[M:.+]]: tensor<7xi1>):
//   CHECK-DAG:     %[[C:.+]] = arith.constant 1.250000e-01 : f32
//   CHECK-DAG:     %[[LEAST:.+]] = arith.constant 0xFF800000 : f32
//       CHECK:     %[[S:.+]] = arith.mulf %[[P]], %
//       CHECK:     %[[X:.+]] = arith.select %[[M]], %[[S]], %
//       CHECK:     %[[MAX:.+]] = sinter.row_reduce maximumf %[[X]]
//       CHECK:     %[[DEAD:.+]] = arith.cmpf oeq, %[[MAX]], %[[LEAST]] : f32
//   CHECK-NOT:     sinter.row_reduce and
//       CHECK:     %[[W:.+]] = arith.mulf %{{.+}}, %{{.+}} : tensor<7xf32>
//       CHECK:     %[[U:.+]] = sinter.row_product %[[W]], %[[V]] : tensor<7xf32>
//       CHECK:     arith.select %[[DEAD]], %{{.+}}, %[[U]] : tensor<3xf32>
//  HALF-LABEL: func @wide
//        HALF:     %[[W:.+]] = arith.truncf %{{.+}} : tensor<7xf32> to tensor<7xbf16>
//        HALF:     sinter.row_product %[[W]], %{{.+}} : tensor<7xbf16>, tensor<7x3xbf16> -> tensor<3xf32>
func.func @wide(%q: tensor<5x4xbf16>, %k: tensor<7x4xbf16>, %v: tensor<7x3xbf16>, %m: tensor<5x7xi1>,
                %e: tensor<5x3xf32>) -> tensor<5x3xf32> {
  %y = sinter.contract (i = 5) by (j = 7) by (e = 3)
      product (k = 4) (side(%q[i, k] : tensor<5x4xbf16>) {
  ^side(%a: tensor<4xbf16>):
    %c = arith.constant 0.5 : f32
    %cs = sinter.broadcast %c : f32 -> tensor<4xf32>
    %w = arith.extf %a : tensor<4xbf16> to tensor<4xf32>
    %x = arith.mulf %w, %cs : tensor<4xf32>
    sinter.yield %x : tensor<4xf32>
  }, side(%k[j, k] : tensor<7x4xbf16>) {
  ^side(%a: tensor<4xbf16>):
    %c = arith.constant 0.25 : f32
    %cs = sinter.broadcast %c : f32 -> tensor<4xf32>
    %w = arith.extf %a : tensor<4xbf16> to tensor<4xf32>
    %x = arith.mulf %w, %cs : tensor<4xf32>
    sinter.yield %x : tensor<4xf32>
  }) : f32
      matrix (j) to (e) (%v[j, e] : tensor<7x3xbf16>)
      ins(%m[i, j] : tensor<5x7xi1>)
      outs(%e[i, e] : tensor<5x3xf32>) {
  ^row(%p: tensor<7xf32>, %v_: tensor<7x3xbf16>, %m_: tensor<7xi1>):
    %one = arith.constant 1.0 : f32
    %zero = arith.constant 0.0 : f32
    %least = arith.constant 0xFF800000 : f32
    %least64 = arith.constant 0xFFF0000000000000 : f64
    %zeros = sinter.broadcast %zero : f32 -> tensor<7xf32>
    %leasts = sinter.broadcast %least : f32 -> tensor<7xf32>
    %leasts64 = sinter.broadcast %least64 : f64 -> tensor<7xf64>
    %added = arith.select %m_, %zeros, %leasts : tensor<7xi1>, tensor<7xf32>
    %x = arith.addf %p, %added : tensor<7xf32>
    %x64 = arith.extf %x : tensor<7xf32> to tensor<7xf64>
    %is = arith.cmpf oeq, %x64, %leasts64 : tensor<7xf64>
    %dead = sinter.row_reduce and %is : tensor<7xi1> -> i1
    %max = sinter.row_reduce maximumf %x : tensor<7xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<7xf32>
    %d = arith.subf %x, %maxs : tensor<7xf32>
    %ex = math.exp %d : tensor<7xf32>
    %sum = sinter.row_reduce add %ex : tensor<7xf32> -> f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<7xf32>
    %w = arith.mulf %ex, %bys : tensor<7xf32>
    %z = arith.select %dead, %zeros, %w : tensor<7xf32>
    %u = sinter.row_product %z, %v_ : tensor<7xf32>, tensor<7x3xbf16> -> tensor<3xf32>
    sinter.yield %u : tensor<3xf32>
  }
  return %y : tensor<5x3xf32>
}

// -----

// A factor that would take a sum of ordinary numbers out of range stays in its side; so does one that is no constant,
// and so do sides of two types.

// CHECK-LABEL: func @small_factor
//       CHECK:   side(
//       CHECK:   side(
func.func @small_factor(%q: tensor<5x4xbf16>, %k: tensor<7x4xbf16>, %e: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %y = sinter.contract (i = 5) by (j = 7)
      product (k = 4) (side(%q[i, k] : tensor<5x4xbf16>) {
  ^side(%a: tensor<4xbf16>):
    %c = arith.constant 0x2C800000 : f32
    %cs = sinter.broadcast %c : f32 -> tensor<4xf32>
    %w = arith.extf %a : tensor<4xbf16> to tensor<4xf32>
    %x = arith.mulf %w, %cs : tensor<4xf32>
    sinter.yield %x : tensor<4xf32>
  }, side(%k[j, k] : tensor<7x4xbf16>) {
  ^side(%a: tensor<4xbf16>):
    %w = arith.extf %a : tensor<4xbf16> to tensor<4xf32>
    sinter.yield %w : tensor<4xf32>
  }) : f32
      outs(%e[i, j] : tensor<5x7xf32>) {
  ^row(%p: tensor<7xf32>):
    sinter.yield %p : tensor<7xf32>
  }
  return %y : tensor<5x7xf32>
}

// -----

// CHECK-LABEL: func @two_types
//       CHECK:   side(
//       CHECK:   side(
func.func @two_types(%q: tensor<5x4xbf16>, %k: tensor<7x4xf16>, %e: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %y = sinter.contract (i = 5) by (j = 7)
      product (k = 4) (side(%q[i, k] : tensor<5x4xbf16>) {
  ^side(%a: tensor<4xbf16>):
    %w = arith.extf %a : tensor<4xbf16> to tensor<4xf32>
    sinter.yield %w : tensor<4xf32>
  }, side(%k[j, k] : tensor<7x4xf16>) {
  ^side(%a: tensor<4xf16>):
    %w = arith.extf %a : tensor<4xf16> to tensor<4xf32>
    sinter.yield %w : tensor<4xf32>
  }) : f32
      outs(%e[i, j] : tensor<5x7xf32>) {
  ^row(%p: tensor<7xf32>):
    sinter.yield %p : tensor<7xf32>
  }
  return %y : tensor<5x7xf32>
}

// -----

// Who stores a side widened and scaled, for it alone, stores halves; both sides of one producer. A program of several
// inputs gives halves too.

// CHECK-LABEL: func @stored
//       CHECK:   %[[P:.+]]:2 = sinter.rowwise
//       CHECK:     outs(%{{.+}}[i, j] : tensor<5x4xbf16>, %{{.+}}[i, j] : tensor<5x4xbf16>)
//       CHECK:     ^row(%[[A:.+]]: tensor<4xbf16>, %[[B:.+]]: tensor<4xbf16>):
//  CHECK-NEXT:       sinter.yield %[[A]], %[[B]] : tensor<4xbf16>, tensor<4xbf16>
//       CHECK:   product (k = 4) (%[[P]]#0[i, k] : tensor<5x4xbf16>, %[[P]]#1[j, k] : tensor<5x4xbf16>) : f32
//       CHECK:     arith.constant 5.000000e-01 : f32
func.func @stored(%q: tensor<5x4xbf16>, %k: tensor<5x4xbf16>, %d: tensor<5x4xf32>, %e: tensor<5x5xf32>)
    -> tensor<5x5xf32> {
  %w:2 = sinter.rowwise (i = 5) by (j = 4) ins(%q[i, j] : tensor<5x4xbf16>, %k[i, j] : tensor<5x4xbf16>)
      outs(%d[i, j] : tensor<5x4xf32>, %d[i, j] : tensor<5x4xf32>) {
  ^row(%a: tensor<4xbf16>, %b: tensor<4xbf16>):
    %c = arith.constant 0.5 : f32
    %cs = sinter.broadcast %c : f32 -> tensor<4xf32>
    %aw = arith.extf %a : tensor<4xbf16> to tensor<4xf32>
    %bw = arith.extf %b : tensor<4xbf16> to tensor<4xf32>
    %as = arith.mulf %aw, %cs : tensor<4xf32>
    sinter.yield %as, %bw : tensor<4xf32>, tensor<4xf32>
  }
  %y = sinter.contract (i = 5) by (j = 5)
      product (k = 4) (%w#0[i, k] : tensor<5x4xf32>, %w#1[j, k] : tensor<5x4xf32>) : f32
      outs(%e[i, j] : tensor<5x5xf32>) {
  ^row(%p: tensor<5xf32>):
    sinter.yield %p : tensor<5xf32>
  }
  return %y : tensor<5x5xf32>
}

// -----

// CHECK-LABEL: func @rotated
//       CHECK:   product (k = 4) (side(
//       CHECK:     %[[H:.+]] = arith.mulf %{{.+}}, %{{.+}} : tensor<4xbf16>
//  CHECK-NEXT:     sinter.yield %[[H]] : tensor<4xbf16>
//       CHECK:   }, %{{.+}}[j, k] : tensor<7x4xbf16>) : f32
func.func @rotated(%q: tensor<5x4xbf16>, %r: tensor<5x4xbf16>, %k: tensor<7x4xbf16>, %e: tensor<5x7xf32>)
    -> tensor<5x7xf32> {
  %y = sinter.contract (i = 5) by (j = 7)
      product (k = 4) (side(%q[i, k] : tensor<5x4xbf16>, %r[i, k] : tensor<5x4xbf16>) {
  ^side(%a: tensor<4xbf16>, %b: tensor<4xbf16>):
    %c = arith.constant 0.5 : f32
    %cs = sinter.broadcast %c : f32 -> tensor<4xf32>
    %h = arith.mulf %a, %b : tensor<4xbf16>
    %w = arith.extf %h : tensor<4xbf16> to tensor<4xf32>
    %x = arith.mulf %w, %cs : tensor<4xf32>
    sinter.yield %x : tensor<4xf32>
  }, side(%k[j, k] : tensor<7x4xbf16>) {
  ^side(%a: tensor<4xbf16>):
    %w = arith.extf %a : tensor<4xbf16> to tensor<4xf32>
    sinter.yield %w : tensor<4xf32>
  }) : f32
      outs(%e[i, j] : tensor<5x7xf32>) {
  ^row(%p: tensor<7xf32>):
    sinter.yield %p : tensor<7xf32>
  }
  return %y : tensor<5x7xf32>
}

// -----

// A number that rows are multiplied by in front of rounding them to bf16 is one of what they give.

// CHECK-LABEL: func @scaled_rows
//       CHECK:   ^row(%[[P:.+]]: tensor<7xf32>, %[[V:.+]]: tensor<7x4xbf16>):
//       CHECK:     %[[H:.+]] = arith.truncf %[[P]] : tensor<7xf32> to tensor<7xbf16>
//       CHECK:     %[[U:.+]] = sinter.row_product %[[H]], %[[V]]
//       CHECK:     arith.mulf %[[U]], %{{.+}} : tensor<4xf32>
func.func @scaled_rows(%q: tensor<5x4xbf16>, %k: tensor<7x4xbf16>, %v: tensor<7x4xbf16>, %e: tensor<5x4xf32>)
    -> tensor<5x4xf32> {
  %y = sinter.contract (i = 5) by (j = 7) by (e = 4)
      product (k = 4) (%q[i, k] : tensor<5x4xbf16>, %k[j, k] : tensor<7x4xbf16>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<7x4xbf16>)
      outs(%e[i, e] : tensor<5x4xf32>) {
  ^row(%p: tensor<7xf32>, %m: tensor<7x4xbf16>):
    %c = arith.constant 0.125 : f32
    %cs = sinter.broadcast %c : f32 -> tensor<7xf32>
    %x = arith.mulf %p, %cs : tensor<7xf32>
    %h = arith.truncf %x : tensor<7xf32> to tensor<7xbf16>
    %u = sinter.row_product %h, %m : tensor<7xbf16>, tensor<7x4xbf16> -> tensor<4xf32>
    sinter.yield %u : tensor<4xf32>
  }
  return %y : tensor<5x4xf32>
}

// -----

// f16 has not f32's range.

// CHECK-LABEL: func @scaled_rows_of_f16
//       CHECK:     %[[X:.+]] = arith.mulf
//  CHECK-NEXT:     %[[H:.+]] = arith.truncf %[[X]]
//  CHECK-NEXT:     %[[U:.+]] = sinter.row_product %[[H]]
//  CHECK-NEXT:     sinter.yield %[[U]]
func.func @scaled_rows_of_f16(%q: tensor<5x4xf16>, %k: tensor<7x4xf16>, %v: tensor<7x4xf16>, %e: tensor<5x4xf32>)
    -> tensor<5x4xf32> {
  %y = sinter.contract (i = 5) by (j = 7) by (e = 4)
      product (k = 4) (%q[i, k] : tensor<5x4xf16>, %k[j, k] : tensor<7x4xf16>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<7x4xf16>)
      outs(%e[i, e] : tensor<5x4xf32>) {
  ^row(%p: tensor<7xf32>, %m: tensor<7x4xf16>):
    %c = arith.constant 0.125 : f32
    %cs = sinter.broadcast %c : f32 -> tensor<7xf32>
    %x = arith.mulf %p, %cs : tensor<7xf32>
    %h = arith.truncf %x : tensor<7xf32> to tensor<7xf16>
    %u = sinter.row_product %h, %m : tensor<7xf16>, tensor<7x4xf16> -> tensor<4xf32>
    sinter.yield %u : tensor<4xf32>
  }
  return %y : tensor<5x4xf32>
}

// -----

// A causal mask leaves something of each row, so no row is all -inf; a mask that leaves nothing of the first row, or
// one that is read, may.

// CHECK-LABEL: func @live
//   CHECK-NOT:   {{arith.cmpf|row_reduce}}
//       CHECK:   sinter.yield
// CHECK-LABEL: func @first_row
//       CHECK:   arith.cmpf oeq
// CHECK-LABEL: func @read
//       CHECK:   arith.cmpf oeq
func.func @live(%q: tensor<5x4xbf16>, %k: tensor<7x4xbf16>, %e: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %y = sinter.contract (i = 5) by (j = 7) product (k = 4) (%q[i, k] : tensor<5x4xbf16>, %k[j, k] : tensor<7x4xbf16>) : f32
      outs(%e[i, j] : tensor<5x7xf32>) {
  ^row(%p: tensor<7xf32>):
    %zero = arith.constant dense<0.0> : tensor<7xf32>
    %least = arith.constant dense<0xFF800000> : tensor<7xf32>
    %i = sinter.index i : index
    %is = sinter.broadcast %i : index -> tensor<7xindex>
    %j = sinter.index j : tensor<7xindex>
    %c = arith.cmpi sle, %j, %is : tensor<7xindex>
    %m = arith.select %c, %zero, %least : tensor<7xi1>, tensor<7xf32>
    %x = arith.addf %p, %m : tensor<7xf32>
    %l = arith.cmpf oeq, %x, %least : tensor<7xf32>
    %dead = sinter.row_reduce and %l : tensor<7xi1> -> i1
    %w = arith.select %dead, %zero, %x : tensor<7xf32>
    sinter.yield %w : tensor<7xf32>
  }
  return %y : tensor<5x7xf32>
}
func.func @first_row(%q: tensor<5x4xbf16>, %k: tensor<7x4xbf16>, %e: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %y = sinter.contract (i = 5) by (j = 7) product (k = 4) (%q[i, k] : tensor<5x4xbf16>, %k[j, k] : tensor<7x4xbf16>) : f32
      outs(%e[i, j] : tensor<5x7xf32>) {
  ^row(%p: tensor<7xf32>):
    %zero = arith.constant dense<0.0> : tensor<7xf32>
    %least = arith.constant dense<0xFF800000> : tensor<7xf32>
    %i = sinter.index i : index
    %is = sinter.broadcast %i : index -> tensor<7xindex>
    %j = sinter.index j : tensor<7xindex>
    %c = arith.cmpi slt, %j, %is : tensor<7xindex>
    %x = arith.select %c, %p, %least : tensor<7xi1>, tensor<7xf32>
    %l = arith.cmpf oeq, %x, %least : tensor<7xf32>
    %dead = sinter.row_reduce and %l : tensor<7xi1> -> i1
    %w = arith.select %dead, %zero, %x : tensor<7xf32>
    sinter.yield %w : tensor<7xf32>
  }
  return %y : tensor<5x7xf32>
}
func.func @read(%q: tensor<5x4xbf16>, %k: tensor<7x4xbf16>, %m: tensor<5x7xf32>, %e: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %y = sinter.contract (i = 5) by (j = 7) product (k = 4) (%q[i, k] : tensor<5x4xbf16>, %k[j, k] : tensor<7x4xbf16>) : f32
      ins(%m[i, j] : tensor<5x7xf32>) outs(%e[i, j] : tensor<5x7xf32>) {
  ^row(%p: tensor<7xf32>, %b: tensor<7xf32>):
    %zero = arith.constant dense<0.0> : tensor<7xf32>
    %least = arith.constant dense<0xFF800000> : tensor<7xf32>
    %x = arith.addf %p, %b : tensor<7xf32>
    %l = arith.cmpf oeq, %x, %least : tensor<7xf32>
    %dead = sinter.row_reduce and %l : tensor<7xi1> -> i1
    %w = arith.select %dead, %zero, %x : tensor<7xf32>
    sinter.yield %w : tensor<7xf32>
  }
  return %y : tensor<5x7xf32>
}

// -----

// Rows that products with halves alone read are stored as halves, where that is asked for; a scaled side is bare then.
// What goes on from them and what sums over them are two forms. What somebody else reads stays f32.

// CHECK-LABEL: func @rounded
//       CHECK:   outs(%{{.+}}[i, j] : tensor<6x6xf32>, %{{.+}}[i, j] : tensor<6x6xf32>)
//  HALF-LABEL: func @rounded
//        HALF:   %[[P:.+]]:2 = sinter.rowwise
//        HALF:   outs(%{{.+}}[i, j] : tensor<6x6xbf16>, %{{.+}}[i, j] : tensor<6x6xf32>)
//        HALF:   sinter.contract
//   HALF-NEXT:     product (k = 6) (%[[P]]#0[k, i] : tensor<6x6xbf16>, %{{.+}}[k, e] : tensor<6x4xbf16>) : f32
//    HALF-NOT:     product
//        HALF:   sinter.contract
//   HALF-NEXT:     product (j = 6) (%[[P]]#0[i, j] : tensor<6x6xbf16>, %{{.+}}[j, e] : tensor<6x4xbf16>) : f32
//    HALF-NOT:     product
//        HALF:   return
func.func @rounded(%s: tensor<6x6xf32>, %v: tensor<6x4xbf16>, %g: tensor<6x4xbf16>, %e: tensor<6x6xf32>, %o: tensor<6x4xf32>)
    -> (tensor<6x6xf32>, tensor<6x4xf32>, tensor<6x4xf32>) {
  %p:2 = sinter.rowwise (i = 6) by (j = 6) ins(%s[i, j] : tensor<6x6xf32>)
      outs(%e[i, j] : tensor<6x6xf32>, %e[i, j] : tensor<6x6xf32>) {
  ^row(%a: tensor<6xf32>):
    %x = math.exp %a : tensor<6xf32>
    %y = arith.negf %x : tensor<6xf32>
    sinter.yield %x, %y : tensor<6xf32>, tensor<6xf32>
  }
  %y:2 = sinter.contract (i = 6) by (e = 4)
      product (j = 6) (%p#0[i, j] : tensor<6x6xf32>, %v[j, e] : tensor<6x4xbf16>) : f32
      product (k = 6) (%p#0[k, i] : tensor<6x6xf32>, %g[k, e] : tensor<6x4xbf16>) : f32
      outs(%o[i, e] : tensor<6x4xf32>, %o[i, e] : tensor<6x4xf32>) {
  ^row(%a: tensor<4xf32>, %b: tensor<4xf32>):
    sinter.yield %a, %b : tensor<4xf32>, tensor<4xf32>
  }
  return %p#1, %y#0, %y#1 : tensor<6x6xf32>, tensor<6x4xf32>, tensor<6x4xf32>
}

// -----

// Sides in f32: their factors go behind the product where they are asked to, and numbers that may leave f32's range, or
// are no constants, do not.

// FLOATS-LABEL: func @floats
//       FLOATS:   product (k = 4) (%{{.+}}[i, k] : tensor<5x4xf32>, %{{.+}}[j, k] : tensor<7x4xf32>) : f32
//       FLOATS:   product (l = 4) (side(%{{.+}}[i, l] : tensor<5x4xf32>
//       FLOATS:   product (m = 4) (side(%{{.+}}[i, m] : tensor<5x4xf32>
//       FLOATS:   product (n = 4) (side(%{{.+}}[i, n] : tensor<5x4xf32>
//       FLOATS:   ^row(%[[P:.+]]: tensor<7xf32>, %[[FAR:.+]]: tensor<7xf32>, %[[LARGE:.+]]: tensor<7xf32>, %[[ADDED:.+]]: tensor<7xf32>):
//       FLOATS:     %[[C:.+]] = arith.constant 1.250000e-01 : f32
//       FLOATS:     %[[CS:.+]] = sinter.broadcast %[[C]]
//       FLOATS:     %[[S:.+]] = arith.mulf %[[P]], %[[CS]]
//       FLOATS:     arith.addf %[[S]], %[[FAR]]
//  CHECK-LABEL: func @floats
//        CHECK:   product (k = 4) (side(
func.func @floats(%q: tensor<5x4xf32>, %k: tensor<7x4xf32>, %e: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %y = sinter.contract (i = 5) by (j = 7)
      product (k = 4) (side(%q[i, k] : tensor<5x4xf32>) {
  ^side(%a: tensor<4xf32>):
    %c = arith.constant 0.5 : f32
    %cs = sinter.broadcast %c : f32 -> tensor<4xf32>
    %x = arith.mulf %a, %cs : tensor<4xf32>
    sinter.yield %x : tensor<4xf32>
  }, side(%k[j, k] : tensor<7x4xf32>) {
  ^side(%a: tensor<4xf32>):
    %c = arith.constant 0.25 : f32
    %cs = sinter.broadcast %c : f32 -> tensor<4xf32>
    %x = arith.mulf %cs, %a : tensor<4xf32>
    sinter.yield %x : tensor<4xf32>
  }) : f32
      product (l = 4) (side(%q[i, l] : tensor<5x4xf32>) {
  ^side(%a: tensor<4xf32>):
    %c = arith.constant 1.0e-9 : f32
    %cs = sinter.broadcast %c : f32 -> tensor<4xf32>
    %x = arith.mulf %a, %cs : tensor<4xf32>
    sinter.yield %x : tensor<4xf32>
  }, %k[j, l] : tensor<7x4xf32>) : f32
      product (m = 4) (side(%q[i, m] : tensor<5x4xf32>) {
  ^side(%a: tensor<4xf32>):
    %c = arith.constant -1.0e9 : f32
    %cs = sinter.broadcast %c : f32 -> tensor<4xf32>
    %x = arith.mulf %a, %cs : tensor<4xf32>
    sinter.yield %x : tensor<4xf32>
  }, %k[j, m] : tensor<7x4xf32>) : f32
      product (n = 4) (side(%q[i, n] : tensor<5x4xf32>) {
  ^side(%a: tensor<4xf32>):
    %x = arith.mulf %a, %a : tensor<4xf32>
    sinter.yield %x : tensor<4xf32>
  }, %k[j, n] : tensor<7x4xf32>) : f32
      outs(%e[i, j] : tensor<5x7xf32>) {
  ^row(%p: tensor<7xf32>, %far: tensor<7xf32>, %large: tensor<7xf32>, %squares: tensor<7xf32>):
    %f = arith.addf %p, %far : tensor<7xf32>
    %a = arith.addf %f, %large : tensor<7xf32>
    %b = arith.addf %a, %squares : tensor<7xf32>
    sinter.yield %b : tensor<7xf32>
  }
  return %y : tensor<5x7xf32>
}

// -----

// What is rounded to a half type before it is multiplied stays where it is: its factor is no factor of the product.

// FLOATS-LABEL: func @rounded_sides
//       FLOATS:   product (k = 4) (side(%{{.+}}[i, k] : tensor<5x4xbf16>)
//       FLOATS:     arith.mulf %{{.+}} : tensor<4xbf16>
//       FLOATS:   ^row(%[[P:.+]]: tensor<7xf32>):
//  FLOATS-NEXT:     sinter.yield %[[P]]
func.func @rounded_sides(%q: tensor<5x4xbf16>, %k: tensor<7x4xbf16>, %e: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %y = sinter.contract (i = 5) by (j = 7)
      product (k = 4) (side(%q[i, k] : tensor<5x4xbf16>) {
  ^side(%a: tensor<4xbf16>):
    %c = arith.constant 0.3 : bf16
    %cs = sinter.broadcast %c : bf16 -> tensor<4xbf16>
    %x = arith.mulf %a, %cs : tensor<4xbf16>
    sinter.yield %x : tensor<4xbf16>
  }, side(%k[j, k] : tensor<7x4xbf16>) {
  ^side(%a: tensor<4xbf16>):
    %c = arith.constant 0.3 : bf16
    %cs = sinter.broadcast %c : bf16 -> tensor<4xbf16>
    %x = arith.mulf %a, %cs : tensor<4xbf16>
    sinter.yield %x : tensor<4xbf16>
  }) : f32
      outs(%e[i, j] : tensor<5x7xf32>) {
  ^row(%p: tensor<7xf32>):
    sinter.yield %p : tensor<7xf32>
  }
  return %y : tensor<5x7xf32>
}

// -----

// Two products of the same rows in f32 are two forms with those: only one goes on from the rows. With halves they are
// one.

// FLOATS-LABEL: func @sums
//       FLOATS:   sinter.contract
//  FLOATS-NEXT:     product
//   FLOATS-NOT:     product
//       FLOATS:   sinter.contract
//  FLOATS-NEXT:     product
//   FLOATS-NOT:     product
//       FLOATS:   return
//   HALF-LABEL: func @sums
//         HALF:   sinter.contract
//    HALF-NEXT:     product
//    HALF-NEXT:     product
//     HALF-NOT:   sinter.contract
//         HALF:   return
func.func @sums(%s: tensor<6x6xf32>, %v: tensor<6x4xf32>, %g: tensor<6x4xf32>, %e: tensor<6x4xf32>)
    -> (tensor<6x4xf32>, tensor<6x4xf32>) {
  %y:2 = sinter.contract (i = 6) by (e = 4)
      product (j = 6) (%s[i, j] : tensor<6x6xf32>, %v[j, e] : tensor<6x4xf32>) : f32
      product (k = 6) (%s[k, i] : tensor<6x6xf32>, %g[k, e] : tensor<6x4xf32>) : f32
      outs(%e[i, e] : tensor<6x4xf32>, %e[i, e] : tensor<6x4xf32>) {
  ^row(%a: tensor<4xf32>, %b: tensor<4xf32>):
    sinter.yield %a, %b : tensor<4xf32>, tensor<4xf32>
  }
  return %y#0, %y#1 : tensor<6x4xf32>, tensor<6x4xf32>
}

// -----

// A mask that fills a bias comes behind the sum; a factor that one condition makes 0 for all of a row behind a sum of
// products. A factor that some columns are 0 of stays in it.

// CHECK-LABEL: func @masked_bias
//       CHECK:   ^row(%[[P:.+]]: tensor<7xf32>, %[[D:.+]]: tensor<7xf32>, %[[M:.+]]: tensor<7xi1>, %[[B:.+]]: tensor<7xbf16>):
//       CHECK:     %[[LEAST:.+]] = arith.constant 0xFF800000 : f32
//       CHECK:     %[[LEASTS:.+]] = sinter.broadcast %[[LEAST]] : f32
//       CHECK:     %[[W:.+]] = arith.extf %[[B]] : tensor<7xbf16> to tensor<7xf32>
//       CHECK:     %[[S:.+]] = arith.addf %[[P]], %[[W]]
//       CHECK:     %[[X:.+]] = arith.select %[[M]], %[[S]], %[[LEASTS]]
//       CHECK:     %[[MAX:.+]] = sinter.row_reduce maximumf %[[X]]
//       CHECK:     %[[DEAD:.+]] = arith.cmpf oeq, %[[MAX]], %[[LEAST]] : f32
//       CHECK:     %[[XD:.+]] = arith.mulf %[[D]], %[[X]]
//       CHECK:     %[[N:.+]] = arith.negf %[[XD]]
//       CHECK:     %[[SUM:.+]] = sinter.row_reduce add %[[N]]
//       CHECK:     %[[Y:.+]] = arith.select %[[DEAD]], %{{.+}}, %[[SUM]] : f32
//       CHECK:     %[[HERE:.+]] = arith.select %[[M]], %[[D]], %
//       CHECK:     %[[XH:.+]] = arith.mulf %[[HERE]], %[[X]]
//       CHECK:     %[[Z:.+]] = sinter.row_reduce add %[[XH]]
//       CHECK:     sinter.yield %[[Y]], %[[Z]]
func.func @masked_bias(%q: tensor<5x4xbf16>, %k: tensor<7x4xbf16>, %g: tensor<5x4xbf16>, %m: tensor<5x7xi1>,
                       %b: tensor<5x7xbf16>, %e: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %y:2 = sinter.contract (i = 5) by (j = 7)
      product (k = 4) (%q[i, k] : tensor<5x4xbf16>, %k[j, k] : tensor<7x4xbf16>) : f32
      product (l = 4) (%g[i, l] : tensor<5x4xbf16>, %k[j, l] : tensor<7x4xbf16>) : f32
      ins(%m[i, j] : tensor<5x7xi1>, %b[i, j] : tensor<5x7xbf16>)
      outs(%e[i] : tensor<5xf32>, %e[i] : tensor<5xf32>) {
  ^row(%p: tensor<7xf32>, %d: tensor<7xf32>, %m_: tensor<7xi1>, %b_: tensor<7xbf16>):
    %zero = arith.constant 0.0 : f32
    %least = arith.constant 0xFF800000 : f32
    %half = arith.constant 0xFF80 : bf16
    %zeros = sinter.broadcast %zero : f32 -> tensor<7xf32>
    %leasts = sinter.broadcast %least : f32 -> tensor<7xf32>
    %halves = sinter.broadcast %half : bf16 -> tensor<7xbf16>
    %added = arith.select %m_, %b_, %halves : tensor<7xi1>, tensor<7xbf16>
    %wide = arith.extf %added : tensor<7xbf16> to tensor<7xf32>
    %x = arith.addf %p, %wide : tensor<7xf32>
    %is = arith.cmpf oeq, %x, %leasts : tensor<7xf32>
    %dead = sinter.row_reduce and %is : tensor<7xi1> -> i1
    %lives = arith.select %dead, %zeros, %d : tensor<7xf32>
    %xd = arith.mulf %lives, %x : tensor<7xf32>
    %n = arith.negf %xd : tensor<7xf32>
    %sum = sinter.row_reduce add %n : tensor<7xf32> -> f32
    %here = arith.select %m_, %d, %zeros : tensor<7xi1>, tensor<7xf32>
    %xh = arith.mulf %here, %x : tensor<7xf32>
    %sum_here = sinter.row_reduce add %xh : tensor<7xf32> -> f32
    sinter.yield %sum, %sum_here : f32, f32
  }
  return %y#0, %y#1 : tensor<5xf32>, tensor<5xf32>
}

// -----

// A mask of a number in which scores are lost is chosen where it is, with what it is added to: 0 stays beside the sum.
// Of -1e9 nothing is known.

// CHECK-LABEL: func @added
//       CHECK:   ^row(%[[P:.+]]: tensor<7xf32>, %[[M:.+]]: tensor<7xi1>):
//       CHECK:     %[[LOW:.+]] = arith.constant -3.40282347E+38 : f32
//       CHECK:     %[[LOWS:.+]] = sinter.broadcast %[[LOW]]
//       CHECK:     %[[SUM:.+]] = arith.addf %[[P]], %[[LOWS]]
//       CHECK:     arith.select %[[M]], %[[P]], %[[SUM]]
//   CHECK-NOT:     arith.addf
//       CHECK:     sinter.yield
// CHECK-LABEL: func @added_less
//       CHECK:     %[[ADDED:.+]] = arith.select
//       CHECK:     arith.addf %{{.+}}, %[[ADDED]]
func.func @added(%q: tensor<5x4xbf16>, %k: tensor<7x4xbf16>, %m: tensor<5x7xi1>, %e: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %y = sinter.contract (i = 5) by (j = 7) product (k = 4) (%q[i, k] : tensor<5x4xbf16>, %k[j, k] : tensor<7x4xbf16>) : f32
      ins(%m[i, j] : tensor<5x7xi1>)
      outs(%e[i, j] : tensor<5x7xf32>) {
  ^row(%p: tensor<7xf32>, %m_: tensor<7xi1>):
    %zero = arith.constant dense<0.0> : tensor<7xf32>
    %least = arith.constant dense<-3.4028235e38> : tensor<7xf32>
    %b = arith.select %m_, %zero, %least : tensor<7xi1>, tensor<7xf32>
    %x = arith.addf %p, %b : tensor<7xf32>
    sinter.yield %x : tensor<7xf32>
  }
  return %y : tensor<5x7xf32>
}
func.func @added_less(%q: tensor<5x4xbf16>, %k: tensor<7x4xbf16>, %m: tensor<5x7xi1>, %e: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %y = sinter.contract (i = 5) by (j = 7) product (k = 4) (%q[i, k] : tensor<5x4xbf16>, %k[j, k] : tensor<7x4xbf16>) : f32
      ins(%m[i, j] : tensor<5x7xi1>)
      outs(%e[i, j] : tensor<5x7xf32>) {
  ^row(%p: tensor<7xf32>, %m_: tensor<7xi1>):
    %zero = arith.constant dense<0.0> : tensor<7xf32>
    %least = arith.constant dense<-1.0e9> : tensor<7xf32>
    %b = arith.select %m_, %zero, %least : tensor<7xi1>, tensor<7xf32>
    %x = arith.addf %p, %b : tensor<7xf32>
    sinter.yield %x : tensor<7xf32>
  }
  return %y : tensor<5x7xf32>
}

// -----

// Weights that a product multiplies by values in bf16, and another by rows in f32 that a product with those values
// reads, too, as what comes from behind attention: halves both. Where somebody else reads such rows, nothing is rounded
// for them.

//    HALF-LABEL: func @weights_by_rows
//          HALF:   %[[W:.+]] = sinter.rowwise
//    HALF-SAME:     by (j = 6)
//          HALF:   outs(%{{.+}} : tensor<6x6xbf16>)
//          HALF:   %[[G:.+]] = sinter.rowwise
//          HALF:   outs(%{{.+}} : tensor<6x4xbf16>)
//          HALF:   product (j = 6) (%[[W]][i, j] : tensor<6x6xbf16>, %{{.+}}[j, e] : tensor<6x4xbf16>) : f32
//          HALF:   product (i = 6) (%[[W]][i, j] : tensor<6x6xbf16>, %[[G]][i, e] : tensor<6x4xbf16>) : f32
//          HALF:   product (e = 4) (%[[G]][i, e] : tensor<6x4xbf16>, %{{.+}}[j, e] : tensor<6x4xbf16>) : f32
func.func @weights_by_rows(%x: tensor<6x6xf32>, %y: tensor<6x4xf32>, %v: tensor<6x4xbf16>)
    -> (tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x6xf32>) {
  %e = tensor.empty() : tensor<6x6xf32>
  %f = tensor.empty() : tensor<6x4xf32>
  %w = sinter.rowwise (i = 6) by (j = 6) ins(%x[i, j] : tensor<6x6xf32>) outs(%e[i, j] : tensor<6x6xf32>) {
  ^row(%a: tensor<6xf32>):
    %p = math.exp %a : tensor<6xf32>
    sinter.yield %p : tensor<6xf32>
  }
  %g = sinter.rowwise (i = 6) by (e = 4) ins(%y[i, e] : tensor<6x4xf32>) outs(%f[i, e] : tensor<6x4xf32>) {
  ^row(%a: tensor<4xf32>):
    %p = math.exp %a : tensor<4xf32>
    sinter.yield %p : tensor<4xf32>
  }
  %o = sinter.contract (i = 6) by (e = 4)
      product (j = 6) (%w[i, j] : tensor<6x6xf32>, %v[j, e] : tensor<6x4xbf16>) : f32
      outs(%f[i, e] : tensor<6x4xf32>) {
  ^row(%p: tensor<4xf32>):
    sinter.yield %p : tensor<4xf32>
  }
  %dv = sinter.contract (j = 6) by (e = 4)
      product (i = 6) (%w[i, j] : tensor<6x6xf32>, %g[i, e] : tensor<6x4xf32>) : f32
      outs(%f[j, e] : tensor<6x4xf32>) {
  ^row(%p: tensor<4xf32>):
    sinter.yield %p : tensor<4xf32>
  }
  %dw = sinter.contract (i = 6) by (j = 6)
      product (e = 4) (%g[i, e] : tensor<6x4xf32>, %v[j, e] : tensor<6x4xbf16>) : f32
      outs(%e[i, j] : tensor<6x6xf32>) {
  ^row(%p: tensor<6xf32>):
    sinter.yield %p : tensor<6xf32>
  }
  return %o, %dv, %dw : tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x6xf32>
}

// -----

//    HALF-LABEL: func @rows_given_back
//      HALF-NOT:   arith.truncf
//          HALF:   return
func.func @rows_given_back(%x: tensor<6x6xf32>, %y: tensor<6x4xf32>, %v: tensor<6x4xbf16>)
    -> (tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>) {
  %e = tensor.empty() : tensor<6x6xf32>
  %f = tensor.empty() : tensor<6x4xf32>
  %w = sinter.rowwise (i = 6) by (j = 6) ins(%x[i, j] : tensor<6x6xf32>) outs(%e[i, j] : tensor<6x6xf32>) {
  ^row(%a: tensor<6xf32>):
    %p = math.exp %a : tensor<6xf32>
    sinter.yield %p : tensor<6xf32>
  }
  %g = sinter.rowwise (i = 6) by (e = 4) ins(%y[i, e] : tensor<6x4xf32>) outs(%f[i, e] : tensor<6x4xf32>) {
  ^row(%a: tensor<4xf32>):
    %p = math.exp %a : tensor<4xf32>
    sinter.yield %p : tensor<4xf32>
  }
  %o = sinter.contract (i = 6) by (e = 4)
      product (j = 6) (%w[i, j] : tensor<6x6xf32>, %v[j, e] : tensor<6x4xbf16>) : f32
      outs(%f[i, e] : tensor<6x4xf32>) {
  ^row(%p: tensor<4xf32>):
    sinter.yield %p : tensor<4xf32>
  }
  %dv = sinter.contract (j = 6) by (e = 4)
      product (i = 6) (%w[i, j] : tensor<6x6xf32>, %g[i, e] : tensor<6x4xf32>) : f32
      outs(%f[j, e] : tensor<6x4xf32>) {
  ^row(%p: tensor<4xf32>):
    sinter.yield %p : tensor<4xf32>
  }
  return %o, %dv, %g : tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>
}
