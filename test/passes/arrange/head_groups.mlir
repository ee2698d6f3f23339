// RUN: sinter-opt --sinter-head-groups --split-input-file %s | FileCheck %s

// One query: eight heads that share keys are rows of a tile.

// CHECK-LABEL: func @one_query
//   CHECK-DAG:   %[[Q:.+]] = tensor.expand_shape %arg0 {{\[}}[0], [1, 2], [3]] output_shape [2, 3, 8, 16]
//   CHECK-DAG:   %[[E:.+]] = tensor.expand_shape %arg3 {{\[}}[0], [1, 2], [3]] output_shape [2, 3, 8, 32]
//       CHECK:   %[[Y:.+]] = sinter.contract (b = 2, h = 3, g = 8) by (j = 70) by (e = 32)
//  CHECK-NEXT:     product (k = 16) (%[[Q]][b, h, g, k] : tensor<2x3x8x16xbf16>, %arg1[b, h, j, k] :
//       CHECK:     matrix (j) to (e) (%arg2[b, h, j, e] :
//       CHECK:     outs(%[[E]][b, h, g, e] : tensor<2x3x8x32xf32>)
//       CHECK:   tensor.collapse_shape %[[Y]] {{\[}}[0], [1, 2], [3]] : tensor<2x3x8x32xf32> into tensor<2x24x32xf32>
func.func @one_query(%q: tensor<2x24x16xbf16>, %k: tensor<2x3x70x16xbf16>, %v: tensor<2x3x70x32xbf16>,
                     %e: tensor<2x24x32xf32>) -> tensor<2x24x32xf32> {
  %y = sinter.contract (b = 2, h = 24) by (j = 70) by (e = 32)
      product (k = 16) (%q[b, h, k] : tensor<2x24x16xbf16>, %k[b, h floordiv 8, j, k] : tensor<2x3x70x16xbf16>) : f32
      matrix (j) to (e) (%v[b, h floordiv 8, j, e] : tensor<2x3x70x32xbf16>)
      outs(%e[b, h, e] : tensor<2x24x32xf32>) {
  ^row(%p: tensor<70xf32>, %v_: tensor<70x32xbf16>):
    %w = arith.truncf %p : tensor<70xf32> to tensor<70xbf16>
    %u = sinter.row_product %w, %v_ : tensor<70xbf16>, tensor<70x32xbf16> -> tensor<32xf32>
    sinter.yield %u : tensor<32xf32>
  }
  return %y : tensor<2x24x32xf32>
}

// -----

// Many queries fill a tile; what asks which head it is stays as it is; one subscript of two dimensions is two.

// CHECK-LABEL: func @many_queries
//   CHECK-NOT:   expand_shape
//       CHECK:   %{{.+}}[b, h floordiv 8, j, k]
func.func @many_queries(%q: tensor<2x24x64x16xbf16>, %k: tensor<2x3x70x16xbf16>, %v: tensor<2x3x70x32xbf16>,
                        %e: tensor<2x24x64x32xf32>) -> tensor<2x24x64x32xf32> {
  %y = sinter.contract (b = 2, h = 24, i = 64) by (j = 70) by (e = 32)
      product (k = 16) (%q[b, h, i, k] : tensor<2x24x64x16xbf16>, %k[b, h floordiv 8, j, k] : tensor<2x3x70x16xbf16>) : f32
      matrix (j) to (e) (%v[b, h floordiv 8, j, e] : tensor<2x3x70x32xbf16>)
      outs(%e[b, h, i, e] : tensor<2x24x64x32xf32>) {
  ^row(%p: tensor<70xf32>, %v_: tensor<70x32xbf16>):
    %w = arith.truncf %p : tensor<70xf32> to tensor<70xbf16>
    %u = sinter.row_product %w, %v_ : tensor<70xbf16>, tensor<70x32xbf16> -> tensor<32xf32>
    sinter.yield %u : tensor<32xf32>
  }
  return %y : tensor<2x24x64x32xf32>
}

// -----

// CHECK-LABEL: func @named
//   CHECK-NOT:   expand_shape
//       CHECK:   sinter.index h
func.func @named(%q: tensor<24x16xbf16>, %k: tensor<3x70x16xbf16>, %v: tensor<3x70x32xbf16>,
                 %e: tensor<24x32xf32>) -> tensor<24x32xf32> {
  %y = sinter.contract (h = 24) by (j = 70) by (e = 32)
      product (k = 16) (%q[h, k] : tensor<24x16xbf16>, %k[h floordiv 8, j, k] : tensor<3x70x16xbf16>) : f32
      matrix (j) to (e) (%v[h floordiv 8, j, e] : tensor<3x70x32xbf16>)
      outs(%e[h, e] : tensor<24x32xf32>) {
  ^row(%p: tensor<70xf32>, %v_: tensor<70x32xbf16>):
    %h = sinter.index h : index
    %i = arith.index_cast %h : index to i32
    %f = arith.sitofp %i : i32 to f32
    %fs = sinter.broadcast %f : f32 -> tensor<70xf32>
    %x = arith.addf %p, %fs : tensor<70xf32>
    %w = arith.truncf %x : tensor<70xf32> to tensor<70xbf16>
    %u = sinter.row_product %w, %v_ : tensor<70xbf16>, tensor<70x32xbf16> -> tensor<32xf32>
    sinter.yield %u : tensor<32xf32>
  }
  return %y : tensor<24x32xf32>
}

// -----

// CHECK-LABEL: func @as_exported
//       CHECK:   tensor.expand_shape %arg0 {{\[}}[0, 1], [2], [3]] output_shape [3, 8, 64, 16]
//       CHECK:   product (k = 16) (%{{.+}}[h, g, i, k] : tensor<3x8x64x16xbf16>
func.func @as_exported(%q: tensor<24x64x16xbf16>, %k: tensor<3x70x16xbf16>, %v: tensor<3x70x32xbf16>,
                       %e: tensor<3x8x64x32xf32>) -> tensor<3x8x64x32xf32> {
  %y = sinter.contract (h = 3, g = 8, i = 64) by (j = 70) by (e = 32)
      product (k = 16) (%q[h * 8 + g, i, k] : tensor<24x64x16xbf16>, %k[h, j, k] : tensor<3x70x16xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<3x70x32xbf16>)
      outs(%e[h, g, i, e] : tensor<3x8x64x32xf32>) {
  ^row(%p: tensor<70xf32>, %v_: tensor<70x32xbf16>):
    %w = arith.truncf %p : tensor<70xf32> to tensor<70xbf16>
    %u = sinter.row_product %w, %v_ : tensor<70xbf16>, tensor<70x32xbf16> -> tensor<32xf32>
    sinter.yield %u : tensor<32xf32>
  }
  return %y : tensor<3x8x64x32xf32>
}

// -----

// Columns that are a group of heads, a head in it, and an element: three dimensions.

// CHECK-LABEL: func @columns_of_heads
//       CHECK:   %[[Q:.+]] = tensor.expand_shape %arg0 {{\[}}[0], [1, 2, 3]] output_shape [64, 3, 8, 16]
//       CHECK:   sinter.contract (h = 3, g = 8, i = 64)
//  CHECK-NEXT:     product (k = 16) (%[[Q]][i, h, g, k] : tensor<64x3x8x16xbf16>
func.func @columns_of_heads(%q: tensor<64x384xbf16>, %k: tensor<3x70x16xbf16>, %v: tensor<3x70x32xbf16>,
                            %e: tensor<64x3x8x32xf32>) -> tensor<64x3x8x32xf32> {
  %y = sinter.contract (h = 3, g = 8, i = 64) by (j = 70) by (e = 32)
      product (k = 16) (%q[i, h * 128 + g * 16 + k] : tensor<64x384xbf16>, %k[h, j, k] : tensor<3x70x16xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<3x70x32xbf16>)
      outs(%e[i, h, g, e] : tensor<64x3x8x32xf32>) {
  ^row(%p: tensor<70xf32>, %v_: tensor<70x32xbf16>):
    %w = arith.truncf %p : tensor<70xf32> to tensor<70xbf16>
    %u = sinter.row_product %w, %v_ : tensor<70xbf16>, tensor<70x32xbf16> -> tensor<32xf32>
    sinter.yield %u : tensor<32xf32>
  }
  return %y : tensor<64x3x8x32xf32>
}

// -----

// Not all of the columns: some lie between heads that are not asked for.

// CHECK-LABEL: func @part_of_columns
//   CHECK-NOT:   expand_shape
//       CHECK:   %arg0[i, h * 32 + k]
func.func @part_of_columns(%q: tensor<64x96xbf16>, %k: tensor<3x70x16xbf16>, %v: tensor<3x70x32xbf16>,
                           %e: tensor<3x64x32xf32>) -> tensor<3x64x32xf32> {
  %y = sinter.contract (h = 3, i = 64) by (j = 70) by (e = 32)
      product (k = 16) (%q[i, h * 32 + k] : tensor<64x96xbf16>, %k[h, j, k] : tensor<3x70x16xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<3x70x32xbf16>)
      outs(%e[h, i, e] : tensor<3x64x32xf32>) {
  ^row(%p: tensor<70xf32>, %v_: tensor<70x32xbf16>):
    %w = arith.truncf %p : tensor<70xf32> to tensor<70xbf16>
    %u = sinter.row_product %w, %v_ : tensor<70xbf16>, tensor<70x32xbf16> -> tensor<32xf32>
    sinter.yield %u : tensor<32xf32>
  }
  return %y : tensor<3x64x32xf32>
}

// -----

// Sizes `?` beside the one that is taken apart stay where they are.

// CHECK-LABEL: func @unknown
//   CHECK-DAG:   %[[B:.+]] = tensor.dim %arg0, %c0{{.*}} : tensor<?x24x?x16xbf16>
//   CHECK-DAG:   %[[I:.+]] = tensor.dim %arg0, %c2{{.*}} : tensor<?x24x?x16xbf16>
//       CHECK:   tensor.expand_shape %arg0 {{\[}}[0], [1, 2], [3], [4]] output_shape [%[[B]], 3, 8, %[[I]], 16]
//       CHECK:   product (k = 16) (%{{.+}}[b, h, g, i, k] : tensor<?x3x8x?x16xbf16>
func.func @unknown(%q: tensor<?x24x?x16xbf16>, %k: tensor<?x3x70x16xbf16>, %v: tensor<?x3x70x32xbf16>,
                   %e: tensor<?x3x8x?x32xf32>) -> tensor<?x3x8x?x32xf32> {
  %y = sinter.contract (b = ?, h = 3, g = 8, i = ?) by (j = 70) by (e = 32)
      product (k = 16) (%q[b, h * 8 + g, i, k] : tensor<?x24x?x16xbf16>, %k[b, h, j, k] : tensor<?x3x70x16xbf16>) : f32
      matrix (j) to (e) (%v[b, h, j, e] : tensor<?x3x70x32xbf16>)
      outs(%e[b, h, g, i, e] : tensor<?x3x8x?x32xf32>) {
  ^row(%p: tensor<70xf32>, %v_: tensor<70x32xbf16>):
    %w = arith.truncf %p : tensor<70xf32> to tensor<70xbf16>
    %u = sinter.row_product %w, %v_ : tensor<70xbf16>, tensor<70x32xbf16> -> tensor<32xf32>
    sinter.yield %u : tensor<32xf32>
  }
  return %y : tensor<?x3x8x?x32xf32>
}

// -----

// Queries, keys and values of two heads each beside each other in one matrix: the three are a dimension. Half of one,
// which is no whole head, stays as it is.

// CHECK-LABEL: func @packed
//       CHECK:   product (k = 16) (%{{.+}}[i, 0, h, k] : tensor<70x3x2x16xbf16>, %{{.+}}[j, 1, h, k] : tensor<70x3x2x16xbf16>)
//       CHECK:   matrix (j) to (e) (%{{.+}}[j, 2, h, e] : tensor<70x3x2x16xbf16>)
func.func @packed(%x: tensor<70x96xbf16>, %e: tensor<2x70x16xf32>) -> tensor<2x70x16xf32> {
  %y = sinter.contract (h = 2, i = 70) by (j = 70) by (e = 16)
      product (k = 16) (%x[i, h * 16 + k] : tensor<70x96xbf16>, %x[j, h * 16 + k + 32] : tensor<70x96xbf16>) : f32
      matrix (j) to (e) (%x[j, h * 16 + e + 64] : tensor<70x96xbf16>)
      outs(%e[h, i, e] : tensor<2x70x16xf32>) {
  ^row(%p: tensor<70xf32>, %v_: tensor<70x16xbf16>):
    %w = arith.truncf %p : tensor<70xf32> to tensor<70xbf16>
    %u = sinter.row_product %w, %v_ : tensor<70xbf16>, tensor<70x16xbf16> -> tensor<16xf32>
    sinter.yield %u : tensor<16xf32>
  }
  return %y : tensor<2x70x16xf32>
}

// -----

// CHECK-LABEL: func @half_a_head
//       CHECK:   product (k = 16) (%{{.+}}[i, 0, h, k] : tensor<70x3x2x16xbf16>, %arg0[j, h * 16 + k + 24] : tensor<70x96xbf16>)
func.func @half_a_head(%x: tensor<70x96xbf16>, %e: tensor<2x70x16xf32>) -> tensor<2x70x16xf32> {
  %y = sinter.contract (h = 2, i = 70) by (j = 70) by (e = 16)
      product (k = 16) (%x[i, h * 16 + k] : tensor<70x96xbf16>, %x[j, h * 16 + k + 24] : tensor<70x96xbf16>) : f32
      matrix (j) to (e) (%x[j, h * 16 + e + 64] : tensor<70x96xbf16>)
      outs(%e[h, i, e] : tensor<2x70x16xf32>) {
  ^row(%p: tensor<70xf32>, %v_: tensor<70x16xbf16>):
    %w = arith.truncf %p : tensor<70xf32> to tensor<70xbf16>
    %u = sinter.row_product %w, %v_ : tensor<70xbf16>, tensor<70x16xbf16> -> tensor<16xf32>
    sinter.yield %u : tensor<16xf32>
  }
  return %y : tensor<2x70x16xf32>
}
