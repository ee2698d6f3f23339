// RUN: sinter-opt --split-input-file --verify-diagnostics %s

// Groups of columns, matrices, sides with programs, row products: one function for each way to break a rule.

func.func @f22_input(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %v: tensor<8x3xf32>, %s: tensor<4xf32>, %b: tensor<8xf32>, %e: tensor<4x3xf32>) {
  // expected-error @+1 {{input 0 uses columns of more than 1 group; what does is a matrix}}
  %y = sinter.contract (i = 4) by (j = 8) by (e = 3)
      product (k = 16) (%x[i, k] : tensor<4x16xf32>, %w[j, k] : tensor<8x16xf32>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<8x3xf32>)
      ins(%v[j, e] : tensor<8x3xf32>)
      outs(%e[i, e] : tensor<4x3xf32>) {
  ^row(%p: tensor<8xf32>, %m: tensor<8x3xf32>, %q: tensor<8xf32>):
    %u = sinter.row_product %p, %m : tensor<8xf32>, tensor<8x3xf32> -> tensor<3xf32>
    sinter.yield %u : tensor<3xf32>
  }
  return
}

// -----

func.func @f22_product(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %v: tensor<8x3xf32>, %s: tensor<4xf32>, %b: tensor<8xf32>, %e: tensor<4x3xf32>) {
  // expected-error @+1 {{the sides of product 0 use columns of more than 1 group; its row is of one}}
  %y = sinter.contract (i = 4) by (j = 8) by (e = 3)
      product (k = 16) (%x[e, k] : tensor<4x16xf32>, %w[j, k] : tensor<8x16xf32>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<8x3xf32>)
      outs(%e[i, e] : tensor<4x3xf32>) {
  ^row(%p: tensor<8xf32>, %m: tensor<8x3xf32>):
    %u = sinter.row_product %p, %m : tensor<8xf32>, tensor<8x3xf32> -> tensor<3xf32>
    sinter.yield %u : tensor<3xf32>
  }
  return
}

// -----

func.func @f22_matrix(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %v: tensor<8x3xf32>, %s: tensor<4xf32>, %b: tensor<8xf32>, %e: tensor<4x3xf32>) {
  // expected-error @+1 {{matrix 0 uses columns of group 2, and goes from group 0 to 1}}
  %y = sinter.contract (i = 4) by (j = 8) by (e = 3) by (g = 3)
      product (k = 16) (%x[i, k] : tensor<4x16xf32>, %w[j, k] : tensor<8x16xf32>) : f32
      matrix (j) to (e) (%v[j, g] : tensor<8x3xf32>)
      outs(%e[i, e] : tensor<4x3xf32>) {
  ^row(%p: tensor<8xf32>, %m: tensor<8x3xf32>):
    %u = sinter.row_product %p, %m : tensor<8xf32>, tensor<8x3xf32> -> tensor<3xf32>
    sinter.yield %u : tensor<3xf32>
  }
  return
}

// -----

func.func @f22_operation(%x: tensor<4x16xf32>, %w3: tensor<3x16xf32>, %v3: tensor<3x3xf32>, %e: tensor<4x3xf32>) {
  %y = sinter.contract (i = 4) by (j = 3) by (e = 3)
      product (k = 16) (%x[i, k] : tensor<4x16xf32>, %w3[j, k] : tensor<3x16xf32>) : f32
      matrix (j) to (e) (%v3[j, e] : tensor<3x3xf32>)
      outs(%e[i, e] : tensor<4x3xf32>) {
  ^row(%p: tensor<3xf32>, %m: tensor<3x3xf32>):
    %u = sinter.row_product %p, %m : tensor<3xf32>, tensor<3x3xf32> -> tensor<3xf32>
    // expected-error @+1 {{takes a row of group 0 of columns for one of group 1}}
    %z = arith.addf %p, %u : tensor<3xf32>
    sinter.yield %z : tensor<3xf32>
  }
  return
}

// -----

func.func @f8_groups(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %v: tensor<8x3xf32>, %s: tensor<4xf32>, %b: tensor<8xf32>, %e: tensor<4x3xf32>, %f: tensor<4x8x3xf32>) {
  // expected-error @+1 {{destination 0 uses columns of more than 1 group; a row is of one}}
  %y = sinter.contract (i = 4) by (j = 8) by (e = 3)
      product (k = 16) (%x[i, k] : tensor<4x16xf32>, %w[j, k] : tensor<8x16xf32>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<8x3xf32>)
      outs(%f[i, j, e] : tensor<4x8x3xf32>) {
  ^row(%p: tensor<8xf32>, %m: tensor<8x3xf32>):
    %u = sinter.row_product %p, %m : tensor<8xf32>, tensor<8x3xf32> -> tensor<3xf32>
    sinter.yield %u : tensor<3xf32>
  }
  return
}

// -----

func.func @m1_same(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %v: tensor<8x3xf32>, %s: tensor<4xf32>, %b: tensor<8xf32>, %e: tensor<4x3xf32>) {
  // expected-error @+1 {{matrix 0 goes from group 0 of columns to the same; give another group}}
  %y = sinter.contract (i = 4) by (j = 8) by (e = 3)
      product (k = 16) (%x[i, k] : tensor<4x16xf32>, %w[j, k] : tensor<8x16xf32>) : f32
      matrix (j) to (j) (%v[j, 0] : tensor<8x3xf32>)
      outs(%e[i, e] : tensor<4x3xf32>) {
  ^row(%p: tensor<8xf32>, %m: tensor<8x8xf32>):
    %u = sinter.row_product %p, %m : tensor<8xf32>, tensor<8x8xf32> -> tensor<8xf32>
    sinter.yield %u : tensor<8xf32>
  }
  return
}

// -----

func.func @m1_no_group(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %v: tensor<8x3xf32>, %s: tensor<4xf32>, %b: tensor<8xf32>, %e: tensor<4x3xf32>) {
  %y = sinter.contract (i = 4) by (j = 8) by (e = 3)
      product (k = 16) (%x[i, k] : tensor<4x16xf32>, %w[j, k] : tensor<8x16xf32>) : f32
      // expected-error @+1 {{(k) is no group of columns; write one as it stands behind `by`}}
      matrix (j) to (k) (%v[j, e] : tensor<8x3xf32>)
      outs(%e[i, e] : tensor<4x3xf32>) {
  ^row(%p: tensor<8xf32>, %m: tensor<8x3xf32>):
    %u = sinter.row_product %p, %m : tensor<8xf32>, tensor<8x3xf32> -> tensor<3xf32>
    sinter.yield %u : tensor<3xf32>
  }
  return
}

// -----

func.func @s1_count(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %v: tensor<8x3xf32>, %s: tensor<4xf32>, %b: tensor<8xf32>, %e: tensor<4x3xf32>) {
  // expected-error @+1 {{the program of side 0 of product 0 has 1 arguments, and 2 are given to it}}
  %y = sinter.contract (i = 4) by (j = 8) by (e = 3)
      product (k = 16) (side(%x[i, k] : tensor<4x16xf32>, %s[i] : tensor<4xf32>) {
      ^side(%a: tensor<16xf32>):
        sinter.yield %a : tensor<16xf32>
      }, %w[j, k] : tensor<8x16xf32>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<8x3xf32>)
      outs(%e[i, e] : tensor<4x3xf32>) {
  ^row(%p: tensor<8xf32>, %m: tensor<8x3xf32>):
    %u = sinter.row_product %p, %m : tensor<8xf32>, tensor<8x3xf32> -> tensor<3xf32>
    sinter.yield %u : tensor<3xf32>
  }
  return
}

// -----

func.func @s1_type(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %v: tensor<8x3xf32>, %s: tensor<4xf32>, %b: tensor<8xf32>, %e: tensor<4x3xf32>) {
  // expected-error @+1 {{argument 1 of the program of side 0 of product 0 has type 'tensor<16xf32>', and 'f32' is given to it}}
  %y = sinter.contract (i = 4) by (j = 8) by (e = 3)
      product (k = 16) (side(%x[i, k] : tensor<4x16xf32>, %s[i] : tensor<4xf32>) {
      ^side(%a: tensor<16xf32>, %r: tensor<16xf32>):
        sinter.yield %a : tensor<16xf32>
      }, %w[j, k] : tensor<8x16xf32>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<8x3xf32>)
      outs(%e[i, e] : tensor<4x3xf32>) {
  ^row(%p: tensor<8xf32>, %m: tensor<8x3xf32>):
    %u = sinter.row_product %p, %m : tensor<8xf32>, tensor<8x3xf32> -> tensor<3xf32>
    sinter.yield %u : tensor<3xf32>
  }
  return
}

// -----

func.func @s1_table(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %v: tensor<8x3xf32>, %s: tensor<4xf32>, %b: tensor<8xf32>, %e: tensor<4x3xf32>) {
  // expected-error @+1 {{side 0 of product 0 is a table, and a side's program reads no tables}}
  %y = sinter.contract (i = 4) by (j = 8) by (e = 3)
      product (k = 16) (side(%x[?, ?] : tensor<4x16xf32>) {
      ^side(%a: memref<4x16xf32>):
        %z = arith.constant dense<0.0> : tensor<16xf32>
        sinter.yield %z : tensor<16xf32>
      }, %w[j, k] : tensor<8x16xf32>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<8x3xf32>)
      outs(%e[i, e] : tensor<4x3xf32>) {
  ^row(%p: tensor<8xf32>, %m: tensor<8x3xf32>):
    %u = sinter.row_product %p, %m : tensor<8xf32>, tensor<8x3xf32> -> tensor<3xf32>
    sinter.yield %u : tensor<3xf32>
  }
  return
}

// -----

func.func @s2_scalar(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %v: tensor<8x3xf32>, %s: tensor<4xf32>, %b: tensor<8xf32>, %e: tensor<4x3xf32>) {
  // expected-error @+1 {{the program of side 0 of product 0 yields 1 values of type 'f32'; one row as long as 'tensor<16xindex>' is needed}}
  %y = sinter.contract (i = 4) by (j = 8) by (e = 3)
      product (k = 16) (side(%x[i, k] : tensor<4x16xf32>, %s[i] : tensor<4xf32>) {
      ^side(%a: tensor<16xf32>, %r: f32):
        sinter.yield %r : f32
      }, %w[j, k] : tensor<8x16xf32>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<8x3xf32>)
      outs(%e[i, e] : tensor<4x3xf32>) {
  ^row(%p: tensor<8xf32>, %m: tensor<8x3xf32>):
    %u = sinter.row_product %p, %m : tensor<8xf32>, tensor<8x3xf32> -> tensor<3xf32>
    sinter.yield %u : tensor<3xf32>
  }
  return
}

// -----

func.func @s2_reduce(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %v: tensor<8x3xf32>, %s: tensor<4xf32>, %b: tensor<8xf32>, %e: tensor<4x3xf32>) {
  %y = sinter.contract (i = 4) by (j = 8) by (e = 3)
      product (k = 16) (side(%x[i, k] : tensor<4x16xf32>, %s[i] : tensor<4xf32>) {
      ^side(%a: tensor<16xf32>, %r: f32):
        // expected-error @+1 {{stands in the program of a side, which takes each element from its own column only}}
        %q = sinter.row_reduce add %a : tensor<16xf32> -> f32
        sinter.yield %a : tensor<16xf32>
      }, %w[j, k] : tensor<8x16xf32>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<8x3xf32>)
      outs(%e[i, e] : tensor<4x3xf32>) {
  ^row(%p: tensor<8xf32>, %m: tensor<8x3xf32>):
    %u = sinter.row_product %p, %m : tensor<8xf32>, tensor<8x3xf32> -> tensor<3xf32>
    sinter.yield %u : tensor<3xf32>
  }
  return
}

// -----

func.func @f18_side(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %v: tensor<8x3xf32>, %s: tensor<4xf32>, %b: tensor<8xf32>, %e: tensor<4x3xf32>) {
  %y = sinter.contract (i = 4) by (j = 8) by (e = 3)
      product (k = 16) (side(%x[i, k] : tensor<4x16xf32>, %s[i] : tensor<4xf32>) {
      ^side(%a: tensor<16xf32>, %r: f32):
        // expected-error @+1 {{gives 'tensor<3xf32>'; values of this program are scalars, or rows as long as 'tensor<16xindex>'}}
        %q = sinter.broadcast %r : f32 -> tensor<3xf32>
        sinter.yield %a : tensor<16xf32>
      }, %w[j, k] : tensor<8x16xf32>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<8x3xf32>)
      outs(%e[i, e] : tensor<4x3xf32>) {
  ^row(%p: tensor<8xf32>, %m: tensor<8x3xf32>):
    %u = sinter.row_product %p, %m : tensor<8xf32>, tensor<8x3xf32> -> tensor<3xf32>
    sinter.yield %u : tensor<3xf32>
  }
  return
}

// -----

func.func @p2_side(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %v: tensor<8x3xf32>, %s: tensor<4xf32>, %b: tensor<8xf32>, %e: tensor<4x3xf32>) {
  // expected-error @+1 {{side 0 of product 0 does not use 'k', which the product sums over}}
  %y = sinter.contract (i = 4) by (j = 8) by (e = 3)
      product (k = 16) (side(%s[i] : tensor<4xf32>) {
      ^side(%r: f32):
        %z = sinter.broadcast %r : f32 -> tensor<16xf32>
        sinter.yield %z : tensor<16xf32>
      }, %w[j, k] : tensor<8x16xf32>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<8x3xf32>)
      outs(%e[i, e] : tensor<4x3xf32>) {
  ^row(%p: tensor<8xf32>, %m: tensor<8x3xf32>):
    %u = sinter.row_product %p, %m : tensor<8xf32>, tensor<8x3xf32> -> tensor<3xf32>
    sinter.yield %u : tensor<3xf32>
  }
  return
}

// -----

func.func @p3_side(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %v: tensor<8x3xf32>, %s: tensor<4xf32>, %b: tensor<8xf32>, %e: tensor<4x3xf32>) {
  // expected-error @+1 {{product 0 has type 'f32', and its side 0 has elements of 'f64'; give a type of that kind, and no narrower}}
  %y = sinter.contract (i = 4) by (j = 8) by (e = 3)
      product (k = 16) (side(%x[i, k] : tensor<4x16xf32>, %s[i] : tensor<4xf32>) {
      ^side(%a: tensor<16xf32>, %r: f32):
        %q = arith.extf %a : tensor<16xf32> to tensor<16xf64>
        sinter.yield %q : tensor<16xf64>
      }, %w[j, k] : tensor<8x16xf32>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<8x3xf32>)
      outs(%e[i, e] : tensor<4x3xf32>) {
  ^row(%p: tensor<8xf32>, %m: tensor<8x3xf32>):
    %u = sinter.row_product %p, %m : tensor<8xf32>, tensor<8x3xf32> -> tensor<3xf32>
    sinter.yield %u : tensor<3xf32>
  }
  return
}

// -----

func.func @x1_value(%p: tensor<8xf32>, %v: tensor<8x3xf32>) {
  // expected-error @+1 {{multiplies by a value that is no argument of a form's body; give one of its matrices}}
  %u = sinter.row_product %p, %v : tensor<8xf32>, tensor<8x3xf32> -> tensor<3xf32>
  return
}

// -----

func.func @x1_argument(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %v: tensor<8x3xf32>, %s: tensor<4xf32>, %b: tensor<8xf32>, %e: tensor<4x3xf32>) {
  %y = sinter.contract (i = 4) by (j = 8) by (e = 3)
      product (k = 16) (%x[i, k] : tensor<4x16xf32>, %w[j, k] : tensor<8x16xf32>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<8x3xf32>)
      outs(%e[i, e] : tensor<4x3xf32>) {
  ^row(%p: tensor<8xf32>, %m: tensor<8x3xf32>):
    // expected-error @+1 {{multiplies by 'tensor<8xf32>', which is no matrix of the form}}
    %u = sinter.row_product %p, %p : tensor<8xf32>, tensor<8xf32> -> tensor<3xf32>
    sinter.yield %u : tensor<3xf32>
  }
  return
}

// -----

func.func @x2_row(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %v: tensor<8x3xf32>, %s: tensor<4xf32>, %b: tensor<8xf32>, %e: tensor<4x3xf32>) {
  %y = sinter.contract (i = 4) by (j = 8) by (e = 3)
      product (k = 16) (%x[i, k] : tensor<4x16xf32>, %w[j, k] : tensor<8x16xf32>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<8x3xf32>)
      ins(%s[i] : tensor<4xf32>)
      outs(%e[i, e] : tensor<4x3xf32>) {
  ^row(%p: tensor<8xf32>, %m: tensor<8x3xf32>, %q: f32):
    // expected-error @+1 {{multiplies 'f32' by 'tensor<8x3xf32>'; give a row as long as the matrix has rows}}
    %u = sinter.row_product %q, %m : f32, tensor<8x3xf32> -> tensor<3xf32>
    sinter.yield %u : tensor<3xf32>
  }
  return
}

// -----

func.func @x2_result(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %v: tensor<8x3xf32>, %s: tensor<4xf32>, %b: tensor<8xf32>, %e: tensor<4x3xf32>) {
  %y = sinter.contract (i = 4) by (j = 8) by (e = 3)
      product (k = 16) (%x[i, k] : tensor<4x16xf32>, %w[j, k] : tensor<8x16xf32>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<8x3xf32>)
      outs(%e[i, e] : tensor<4x3xf32>) {
  ^row(%p: tensor<8xf32>, %m: tensor<8x3xf32>):
    // expected-error @+1 {{gives 'tensor<8xf32>' of 'tensor<8x3xf32>'; the result is a row as long as the matrix has columns}}
    %t = sinter.row_product %p, %m : tensor<8xf32>, tensor<8x3xf32> -> tensor<8xf32>
    %u = sinter.row_product %p, %m : tensor<8xf32>, tensor<8x3xf32> -> tensor<3xf32>
    sinter.yield %u : tensor<3xf32>
  }
  return
}

// -----

func.func @x3_narrow(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %v: tensor<8x3xf32>, %s: tensor<4xf32>, %b: tensor<8xf32>, %e: tensor<4x3xf32>) {
  %y = sinter.contract (i = 4) by (j = 8) by (e = 3)
      product (k = 16) (%x[i, k] : tensor<4x16xf32>, %w[j, k] : tensor<8x16xf32>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<8x3xf32>)
      outs(%e[i, e] : tensor<4x3xf32>) {
  ^row(%p: tensor<8xf32>, %m: tensor<8x3xf32>):
    // expected-error @+1 {{multiplies 'tensor<8xf32>' by 'tensor<8x3xf32>' in 'f16'; give a type of their kind, and no narrower}}
    %t = sinter.row_product %p, %m : tensor<8xf32>, tensor<8x3xf32> -> tensor<3xf16>
    %u = sinter.row_product %p, %m : tensor<8xf32>, tensor<8x3xf32> -> tensor<3xf32>
    sinter.yield %u : tensor<3xf32>
  }
  return
}

// -----

func.func @i1_side(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %e: tensor<4x8xf32>) {
  %y = sinter.contract (i = 4) by (j = 8)
      product (k = 16) (side(%x[i, k] : tensor<4x16xf32>) {
      ^side(%a: tensor<16xf32>):
        // expected-error @+1 {{'m' is no row or column dimension of the form around it, nor summed with this side}}
        %k = sinter.index m : index
        sinter.yield %a : tensor<16xf32>
      }, %w[j, k] : tensor<8x16xf32>) : f32
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%p: tensor<8xf32>):
    sinter.yield %p : tensor<8xf32>
  }
  return
}

// -----

func.func @i2_side_summed(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %e: tensor<4x8xf32>) {
  %y = sinter.contract (i = 4) by (j = 8)
      product (k = 16) (side(%x[i, k] : tensor<4x16xf32>) {
      ^side(%a: tensor<16xf32>):
        // expected-error @+1 {{gives 'index', and the position in 'k' is 'tensor<16xindex>'}}
        %k = sinter.index k : index
        sinter.yield %a : tensor<16xf32>
      }, %w[j, k] : tensor<8x16xf32>) : f32
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%p: tensor<8xf32>):
    sinter.yield %p : tensor<8xf32>
  }
  return
}

// -----

func.func @i2_side_column(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %e: tensor<4x8xf32>) {
  %y = sinter.contract (i = 4) by (j = 8)
      product (k = 16) (side(%x[i, k] : tensor<4x16xf32>) {
      ^side(%a: tensor<16xf32>):
        // expected-error @+1 {{gives 'tensor<16xindex>', and the position in 'j' is 'index'}}
        %k = sinter.index j : tensor<16xindex>
        sinter.yield %a : tensor<16xf32>
      }, %w[j, k] : tensor<8x16xf32>) : f32
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%p: tensor<8xf32>):
    sinter.yield %p : tensor<8xf32>
  }
  return
}

// -----

func.func @f22_empty(%x: tensor<4x8xf32>, %e: tensor<4xf32>) {
  // expected-error @+1 {{group 1 of 2 has no columns; give each of several groups one or more}}
  %y = sinter.rowwise (i = 4) by (j = 8) by ()
      ins(%x[i, j] : tensor<4x8xf32>)
      outs(%e[i] : tensor<4xf32>) {
  ^row(%a: tensor<8xf32>):
    %s = sinter.row_reduce add %a : tensor<8xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

// The program of a side names a column, and so its product's row is of that group.

func.func @f22_named(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{the sides of product 0 use columns of more than 1 group; its row is of one}}
  %y = sinter.contract (i = 4) by (j = 8) by (e = 3)
      product (k = 16) (side(%x[i, k] : tensor<4x16xf32>) {
      ^side(%a: tensor<16xf32>):
        %e = sinter.index e : index
        %f = arith.index_cast %e : index to i32
        %g = arith.sitofp %f : i32 to f32
        %h = sinter.broadcast %g : f32 -> tensor<16xf32>
        %s = arith.mulf %a, %h : tensor<16xf32>
        sinter.yield %s : tensor<16xf32>
      }, %w[j, k] : tensor<8x16xf32>) : f32
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%p: tensor<8xf32>):
    sinter.yield %p : tensor<8xf32>
  }
  return
}

// -----

func.func @f22_unknown(%x: tensor<4x?xf32>, %b: tensor<?xf32>, %e: tensor<4xf32>) {
  %y = sinter.rowwise (i = 4) by (j = ?) by (e = ?)
      ins(%x[i, j] : tensor<4x?xf32>, %b[e] : tensor<?xf32>)
      outs(%e[i] : tensor<4xf32>) {
  ^row(%a: tensor<?xf32>, %c: tensor<?xf32>):
    %one = arith.constant 1.0 : f32
    %r = sinter.broadcast %one : f32 -> tensor<?xf32>
    // expected-error @+1 {{takes a row of constants and broadcasts alone, and 2 groups of columns are `?` long; use one that an access or a position has a part in}}
    %s = sinter.row_reduce add %r : tensor<?xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

func.func @p4_named(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %z: tensor<4x5xf32>, %v: tensor<8x5xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{side 0 of product 1 uses 'k', which is product 0's own}}
  %y = sinter.contract (i = 4) by (j = 8)
      product (k = 16) (%x[i, k] : tensor<4x16xf32>, %w[j, k] : tensor<8x16xf32>) : f32
      product (l = 5) (side(%z[i, l] : tensor<4x5xf32>) {
      ^side(%a: tensor<5xf32>):
        %n = sinter.index k : index
        %m = arith.index_cast %n : index to i32
        %f = arith.sitofp %m : i32 to f32
        %g = sinter.broadcast %f : f32 -> tensor<5xf32>
        %h = arith.addf %a, %g : tensor<5xf32>
        sinter.yield %h : tensor<5xf32>
      }, %v[j, l] : tensor<8x5xf32>) : f32
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%p: tensor<8xf32>, %q: tensor<8xf32>):
    sinter.yield %p : tensor<8xf32>
  }
  return
}

// -----

func.func @i2_group(%x: tensor<4x8xf32>, %b: tensor<3xf32>, %e: tensor<4x3xf32>) {
  %y = sinter.rowwise (i = 4) by (j = 8) by (e = 3)
      ins(%x[i, j] : tensor<4x8xf32>, %b[e] : tensor<3xf32>)
      outs(%e[i, e] : tensor<4x3xf32>) {
  ^row(%a: tensor<8xf32>, %c: tensor<3xf32>):
    // expected-error @+1 {{gives 'tensor<8xindex>', and the position in 'e' is 'tensor<3xindex>'}}
    %n = sinter.index e : tensor<8xindex>
    sinter.yield %c : tensor<3xf32>
  }
  return
}

// -----

// A position that nobody reads is no use: it may be gone any time.

func.func @p2_unread(%x: tensor<4x16xf32>, %w: tensor<16xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{side 1 of product 0 does not use 'k', which the product sums over}}
  %y = sinter.contract (i = 4) by (j = 8)
      product (k = 16) (%x[i, k] : tensor<4x16xf32>, side(%w[j] : tensor<16xf32>) {
      ^side(%s: f32):
        %p = sinter.index k : tensor<16xindex>
        %t = sinter.broadcast %s : f32 -> tensor<16xf32>
        sinter.yield %t : tensor<16xf32>
      }) : f32
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}
