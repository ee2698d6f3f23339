// RUN: sinter-opt --split-input-file --verify-diagnostics %s

// One function for each way to break a rule, named after the rule's label in the op's description. What
// only the generic form can break is in generic-broken.mlir, what does not parse in syntax.mlir.

// Operands.

func.func @f2_kinds(%x: tensor<4x8xf32>, %m: memref<4xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{input 1 has type 'memref<4xf32>', and input 0 has 'tensor<4x8xf32>'; take tensors only, or memrefs only}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>, %m[i] : memref<4xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @f2_scalar(%x: f32, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{input 0 has type 'f32'; operands are ranked tensors or memrefs}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[] : f32)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @f2_unranked(%x: tensor<*xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{input 0 has type 'tensor<*xf32>'; operands are ranked tensors or memrefs}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i] : tensor<*xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @f19_elements(%x: tensor<4x8xcomplex<f32>>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{input 0 has elements of type 'complex<f32>'; elements are floats, signless integers or index}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xcomplex<f32>>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @f19_signed(%x: tensor<4x8xsi32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{input 0 has elements of type 'si32'}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xsi32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

// Subscripts.

func.func @f3_rank(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{input 0 has 1 subscripts and rank 2; give one for each dimension of 'tensor<4x8xf32>'}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i] : tensor<4x8xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @f3_divisor(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{subscript 1 of input 0 is not affine; multiply by constants, and divide by positive ones, only}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j floordiv -2] : tensor<4x8xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @f4_above(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{input 0 ranges over 1..8 in dimension 1 of size 8; give the access a fill value (`else 0.0`) or change the subscript}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j + 1] : tensor<4x8xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @f4_below(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{input 0 ranges over -1..6 in dimension 1 of size 8}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j - 1] : tensor<4x8xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @f4_flipped(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{input 0 ranges over 1..8 in dimension 1 of size 8}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, 8 - j] : tensor<4x8xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @f4_strided(%x: tensor<4x14xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{input 0 ranges over 0..14 in dimension 1 of size 14}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j * 2] : tensor<4x14xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @f4_window(%x: tensor<10xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{input 0 ranges over 0..10 in dimension 0 of size 10}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i + j] : tensor<10xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @f4_twice(%x: tensor<7xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{input 0 ranges over 0..7 in dimension 0 of size 7}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[(i floordiv 4) * 4 + j] : tensor<7xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @f4_divided(%x: tensor<4x3xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{input 0 ranges over 0..3 in dimension 1 of size 3}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j floordiv 2] : tensor<4x3xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @f4_modulo(%x: tensor<4x4xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{input 0 ranges over 0..4 in dimension 1 of size 4}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, (j + 3) mod 5] : tensor<4x4xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @f4_constant(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{input 0 ranges over 4..4 in dimension 0 of size 4}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[4, j] : tensor<4x8xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @f4_index(%x: tensor<9x8xf32>, %t: tensor<3xi32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{index tensor 0 ranges over 0..3 in dimension 0 of size 3; change the subscript}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[%t[i] : tensor<3xi32>, j] : tensor<9x8xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @f6_float_index(%x: tensor<9x8xf32>, %t: tensor<4xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{index tensor 0 has elements of type 'f32'; an index is an integer}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[%t[i] : tensor<4xf32>, j] : tensor<9x8xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @f6_table_fill(%x: tensor<9x8xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{input 0 is a table and has a fill value; give it to each sinter.gather}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[?, ?] : tensor<9x8xf32> else 0.0)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: memref<9x8xf32>):
    %z = arith.constant dense<0.0> : tensor<8xf32>
    sinter.yield %z : tensor<8xf32>
  }
  return
}

// -----

func.func @f6_table_side(%x: tensor<4x9xf32>, %w: tensor<8x9xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{side 1 of product 0 is a table, of which the body gives the subscripts; write what it reads}}
  %y = sinter.contract (i = 4) by (j = 8)
      product (k = 9) (%x[i, k] : tensor<4x9xf32>, %w[?, ?] : tensor<8x9xf32>) : f32
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @f11_table(%x: tensor<9xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{argument 0 of the body has type 'tensor<9xf32>', and 'memref<9xf32>' is given to it}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[?] : tensor<9xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<9xf32>):
    %z = arith.constant dense<0.0> : tensor<8xf32>
    sinter.yield %z : tensor<8xf32>
  }
  return
}

// -----

func.func @f7_no_size(%x: tensor<4x?xf32>, %e: tensor<4xf32>) {
  // expected-error @+1 {{the size of dimension 'j' is `?`, and no operand without a fill value has it as a plain subscript}}
  %y = sinter.rowwise (i = 4) by (j = ?)
      ins(%x[i, j] : tensor<4x?xf32> else 0.0, %x[i, j + 1] : tensor<4x?xf32>)
      outs(%e[i] : tensor<4xf32>) {
  ^row(%a: tensor<?xf32>):
    %s = sinter.row_reduce add %a : tensor<?xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

// Destinations and accumulators.

func.func @f8_expression(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{subscript 1 of destination 0 is an expression; write a dimension, or 0}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>)
      outs(%e[i, 7 - j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @f8_constant(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{subscript 0 of destination 0 is an expression; write a dimension, or 0}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>)
      outs(%e[1, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @f8_twice(%x: tensor<4x8xf32>, %e: tensor<4x4xf32>) {
  // expected-error @+1 {{subscripts 0 and 1 of destination 0 are both 'i'; a destination is written once at each place}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>)
      outs(%e[i, i] : tensor<4x4xf32>) {
  ^row(%a: tensor<8xf32>):
    %s = sinter.row_reduce add %a : tensor<8xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

func.func @f8_size(%x: tensor<4x8xf32>, %e: tensor<4x9xf32>) {
  // expected-error @+1 {{destination 0 has size 9 in dimension 1, and 8 is written there}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>)
      outs(%e[i, j] : tensor<4x9xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @f8_some_columns(%x: tensor<4x2x4xf32>, %e: tensor<4x2xf32>) {
  // expected-error @+1 {{destination 0 uses 1 of 2 columns; use all, or none for a result per row}}
  %y = sinter.rowwise (i = 4) by (j = 2, k = 4)
      ins(%x[i, j, k] : tensor<4x2x4xf32>)
      outs(%e[i, j] : tensor<4x2xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @f10_some_rows(%x: tensor<4x2x8xf32>, %e: tensor<4xf32>) {
  // expected-error @+1 {{destination 0 uses 1 of 2 row dimensions; use all, or none for a result reduced over rows}}
  %y = sinter.rowwise (i = 4, k = 2) by (j = 8)
      ins(%x[i, k, j] : tensor<4x2x8xf32>)
      reduce(add [] : f32)
      outs(%e[i] : tensor<4xf32>) {
  ^row(%a: tensor<8xf32>):
    %s = sinter.row_reduce add %a : tensor<8xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

func.func @f9_unknown(%x: tensor<4x8xf32>, %e: tensor<f32>) {
  // expected-error @+1 {{accumulator 0 combines by 'plus', which is no combiner}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>)
      reduce(plus [] : f32)
      outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<8xf32>):
    %s = sinter.row_reduce add %a : tensor<8xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

func.func @f9_unfit(%x: tensor<4x8xf32>, %e: tensor<f32>) {
  // expected-error @+1 {{accumulator 0 combines by 'and', which does not fit type 'f32'}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>)
      reduce(and [] : f32)
      outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<8xf32>):
    %s = sinter.row_reduce add %a : tensor<8xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

func.func @f9_type(%x: tensor<4x8xf32>, %e: tensor<f32>) {
  // expected-error @+1 {{accumulator 0 combines by 'add', which does not fit type 'tensor<8xf32>'}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>)
      reduce(add [] : tensor<8xf32>)
      outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<8xf32>):
    %s = sinter.row_reduce add %a : tensor<8xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

func.func @f9_keeps_rows(%x: tensor<4x8xf32>, %e: tensor<f32>) {
  // expected-error @+1 {{accumulator 0 keeps something other than the 1 columns in order; keep all of them, or nothing}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>)
      reduce(add [i] : f32)
      outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<8xf32>):
    %s = sinter.row_reduce add %a : tensor<8xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

func.func @f9_order(%x: tensor<4x2x4xf32>, %e: tensor<4x2xf32>) {
  // expected-error @+1 {{accumulator 0 keeps something other than the 2 columns in order}}
  %y = sinter.rowwise (i = 4) by (j = 2, k = 4)
      ins(%x[i, j, k] : tensor<4x2x4xf32>)
      reduce(add [k, j] : f32)
      outs(%e[k, j] : tensor<4x2xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @f14_count(%x: tensor<4x8xf32>, %e: tensor<f32>) {
  // expected-error @+1 {{has 0 accumulators and 1 reduced destinations; give one for each, or a finish}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>)
      outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<8xf32>):
    %s = sinter.row_reduce add %a : tensor<8xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

func.func @f14_type(%x: tensor<4x8xf32>, %e: tensor<f32>) {
  // expected-error @+1 {{destination 0 has elements of type 'f32', and its accumulator has 'f64'; convert in a finish}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>)
      reduce(add [] : f64)
      outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<8xf32>):
    %s = sinter.row_reduce add %a : tensor<8xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

func.func @f14_columns(%x: tensor<4x8xf32>, %e: tensor<f32>) {
  // expected-error @+1 {{destination 0 keeps no columns, and its accumulator does}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>)
      reduce(add [j] : f32)
      outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

// The regions.

func.func @f11_count(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{the body has 1 arguments, and 2 are given to it}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>, %x[i, j] : tensor<4x8xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @f11_row(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{argument 0 of the body has type 'f32', and 'tensor<8xf32>' is given to it}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: f32):
    %b = sinter.broadcast %a : f32 -> tensor<8xf32>
    sinter.yield %b : tensor<8xf32>
  }
  return
}

// -----

func.func @f11_scalar(%x: tensor<4xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{argument 0 of the body has type 'tensor<8xf32>', and 'f32' is given to it}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i] : tensor<4xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @f11_through_an_index(%x: tensor<9xf32>, %t: tensor<8xi32>, %e: tensor<4xf32>) {
  // expected-error @+1 {{argument 0 of the body has type 'f32', and 'tensor<8xf32>' is given to it}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[%t[j] : tensor<8xi32>] : tensor<9xf32>)
      outs(%e[i] : tensor<4xf32>) {
  ^row(%a: f32):
    sinter.yield %a : f32
  }
  return
}

// -----

func.func @f12_count(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{the body yields 2 values, and 1 are needed}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a, %a : tensor<8xf32>, tensor<8xf32>
  }
  return
}

// -----

func.func @f12_type(%x: tensor<4x8xf32>, %e: tensor<4x8xf16>) {
  // expected-error @+1 {{value 0 that the body yields has type 'tensor<8xf32>', and 'tensor<8xf16>' is needed}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>)
      outs(%e[i, j] : tensor<4x8xf16>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @f12_accumulator(%x: tensor<4x8xf32>, %e: tensor<f32>) {
  // expected-error @+1 {{value 0 that the body yields has type 'tensor<8xf32>', and 'f32' is needed}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>)
      reduce(add [] : f32)
      outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @f13_count(%x: tensor<4x8xf32>, %n: tensor<f32>, %e: tensor<f32>) {
  // expected-error @+1 {{the finish has 1 arguments, and 2 are given to it}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>, %n[] : tensor<f32>)
      reduce(add [] : f32)
      outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<8xf32>, %n: f32):
    %s = sinter.row_reduce add %a : tensor<8xf32> -> f32
    sinter.yield %s : f32
  } finish {
  ^done(%s: f32):
    sinter.yield %s : f32
  }
  return
}

// -----

func.func @f13_uniform(%x: tensor<4x8xf32>, %n: tensor<f32>, %e: tensor<f32>) {
  // expected-error @+1 {{argument 1 of the finish has type 'f64', and 'f32' is given to it}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>, %n[] : tensor<f32>)
      reduce(add [] : f32)
      outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<8xf32>, %n: f32):
    %s = sinter.row_reduce add %a : tensor<8xf32> -> f32
    sinter.yield %s : f32
  } finish {
  ^done(%s: f32, %n: f64):
    sinter.yield %s : f32
  }
  return
}

// -----

func.func @f13_type(%x: tensor<4x8xf32>, %e: tensor<f64>) {
  // expected-error @+1 {{argument 0 of the finish has type 'f64', and 'f32' is given to it}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>)
      reduce(add [] : f32)
      outs(%e[] : tensor<f64>) {
  ^row(%a: tensor<8xf32>):
    %s = sinter.row_reduce add %a : tensor<8xf32> -> f32
    sinter.yield %s : f32
  } finish {
  ^done(%s: f64):
    sinter.yield %s : f64
  }
  return
}

// -----

func.func @f13_yield(%x: tensor<4x8xf32>, %e: tensor<f64>) {
  // expected-error @+1 {{value 0 that the finish yields has type 'f32', and 'f64' is needed}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>)
      reduce(add [] : f32)
      outs(%e[] : tensor<f64>) {
  ^row(%a: tensor<8xf32>):
    %s = sinter.row_reduce add %a : tensor<8xf32> -> f32
    sinter.yield %s : f32
  } finish {
  ^done(%s: f32):
    sinter.yield %s : f32
  }
  return
}

// -----

func.func @f13_yield_count(%x: tensor<4x8xf32>, %e: tensor<f32>) {
  // expected-error @+1 {{the finish yields 2 values, and 1 are needed}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>)
      reduce(add [] : f32)
      outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<8xf32>):
    %s = sinter.row_reduce add %a : tensor<8xf32> -> f32
    sinter.yield %s : f32
  } finish {
  ^done(%s: f32):
    sinter.yield %s, %s : f32, f32
  }
  return
}

// -----

func.func @f15_other_dialect(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    // expected-error @+1 {{'tensor.empty' op is no operation of a row program; the body of sinter.rowwise holds arith, math, sinter's row operations and cf.assert}}
    %b = tensor.empty() : tensor<8xf32>
    sinter.yield %b : tensor<8xf32>
  }
  return
}

// -----

func.func @f15_form_inside(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    // expected-error @+1 {{'sinter.rowwise' op is no operation of a row program}}
    %b = sinter.rowwise () by (j = 8) outs(%a[j] : tensor<8xf32>) {
      %c = arith.constant dense<1.0> : tensor<8xf32>
      sinter.yield %c : tensor<8xf32>
    }
    sinter.yield %b : tensor<8xf32>
  }
  return
}

// -----

func.func @f18_length(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    // expected-error @+1 {{'arith.constant' op gives 'tensor<5xf32>'; values of this row program are scalars, or rows as long as 'tensor<8xindex>'}}
    %b = arith.constant dense<1.0> : tensor<5xf32>
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @f18_vector(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    // expected-error @+1 {{'arith.constant' op gives 'vector<8xf32>'}}
    %b = arith.constant dense<1.0> : vector<8xf32>
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

// Schedules.

func.func @f16_other_form(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{has schedule #sinter.brgemm, which is for sinter.contract}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) schedule(#sinter.brgemm<m = 8>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @f16_no_schedule(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{has a schedule that is none of Sinter's; write #sinter.rows<...> or leave it out}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) schedule(42) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

// Memrefs.

func.func @f20_destination_is_input(%x: memref<4x8xf32>) {
  // expected-error @+1 {{destination 0 is input 0 too; a destination overlaps no other operand}}
  sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : memref<4x8xf32>)
      outs(%x[i, j] : memref<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @f20_two_destinations(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  // expected-error @+1 {{destination 0 is destination 1 too}}
  sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : memref<4x8xf32>)
      outs(%y[i, j] : memref<4x8xf32>, %y[i, j] : memref<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a, %a : tensor<8xf32>, tensor<8xf32>
  }
  return
}

// -----

// Limits, by one more than there may be. test/limits makes the others.

func.func @f21_dims(%x: tensor<f32>, %e: tensor<f32>) {
  // expected-error @+1 {{has 65 dimensions, and a form has at most 64: write two forms}}
  %y = sinter.rowwise
      (d0 = 1, d1 = 1, d2 = 1, d3 = 1, d4 = 1, d5 = 1, d6 = 1, d7 = 1, d8 = 1, d9 = 1, d10 = 1, d11 = 1,
       d12 = 1, d13 = 1, d14 = 1, d15 = 1, d16 = 1, d17 = 1, d18 = 1, d19 = 1, d20 = 1, d21 = 1, d22 = 1,
       d23 = 1, d24 = 1, d25 = 1, d26 = 1, d27 = 1, d28 = 1, d29 = 1, d30 = 1, d31 = 1, d32 = 1, d33 = 1,
       d34 = 1, d35 = 1, d36 = 1, d37 = 1, d38 = 1, d39 = 1, d40 = 1, d41 = 1, d42 = 1, d43 = 1, d44 = 1,
       d45 = 1, d46 = 1, d47 = 1, d48 = 1, d49 = 1, d50 = 1, d51 = 1, d52 = 1, d53 = 1, d54 = 1, d55 = 1,
       d56 = 1, d57 = 1, d58 = 1, d59 = 1, d60 = 1, d61 = 1, d62 = 1, d63 = 1, d64 = 1) by ()
      ins(%x[] : tensor<f32>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: f32):
    sinter.yield %a : f32
  }
  return
}

// -----

!wide = tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>
func.func @f21_rank(%x: !wide, %e: tensor<4xf32>) {
  // expected-error @+1 {{input 0 has rank 65, and an operand has at most 64: merge dimensions}}
  %y = sinter.rowwise (i = 4) by ()
      ins(%x[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
       0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] : !wide)
      outs(%e[i] : tensor<4xf32>) {
  ^row(%a: f32):
    sinter.yield %a : f32
  }
  return
}

// -----

// Products.

func.func @p1_no_product(%b: tensor<8xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{has 0 products; give at least 1, or write sinter.rowwise}}
  %y = sinter.contract (i = 4) by (j = 8)
      ins(%b[j] : tensor<8xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%p: tensor<8xf32>):
    sinter.yield %p : tensor<8xf32>
  }
  return
}

// -----

func.func @p1_no_dimension(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{product 0 sums over 0 dimensions of its own; give at least 1}}
  %y = sinter.contract (i = 4) by (j = 8)
      product () (%x[i, 0] : tensor<4x16xf32>, %w[j, 0] : tensor<8x16xf32>) : f32
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%p: tensor<8xf32>):
    sinter.yield %p : tensor<8xf32>
  }
  return
}

// -----

func.func @p2_side(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{side 1 of product 0 does not use 'k', which the product sums over}}
  %y = sinter.contract (i = 4) by (j = 8)
      product (k = 16) (%x[i, k] : tensor<4x16xf32>, %w[j, 0] : tensor<8x16xf32>) : f32
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%p: tensor<8xf32>):
    sinter.yield %p : tensor<8xf32>
  }
  return
}

// -----

func.func @p3_kind(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{product 0 has type 'i32', and its side 0 has elements of 'f32'; give a type of that kind, and no narrower}}
  %y = sinter.contract (i = 4) by (j = 8)
      product (k = 16) (%x[i, k] : tensor<4x16xf32>, %w[j, k] : tensor<8x16xf32>) : i32
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%p: tensor<8xf32>):
    sinter.yield %p : tensor<8xf32>
  }
  return
}

// -----

func.func @p3_narrower(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{product 0 has type 'f16', and its side 0 has elements of 'f32'}}
  %y = sinter.contract (i = 4) by (j = 8)
      product (k = 16) (%x[i, k] : tensor<4x16xf32>, %w[j, k] : tensor<8x16xf32>) : f16
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%p: tensor<8xf32>):
    sinter.yield %p : tensor<8xf32>
  }
  return
}

// -----

func.func @p3_type(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{product 0 has type 'tensor<8xf32>'; give a float, signless integer or index type}}
  %y = sinter.contract (i = 4) by (j = 8)
      product (k = 16) (%x[i, k] : tensor<4x16xf32>, %w[j, k] : tensor<8x16xf32>) : tensor<8xf32>
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%p: tensor<8xf32>):
    sinter.yield %p : tensor<8xf32>
  }
  return
}

// -----

func.func @p4_other_product(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %e: tensor<4x8xf32>, %v: tensor<8x16x16xf32>) {
  // expected-error @+1 {{side 1 of product 1 uses 'k', which is product 0's own}}
  %y = sinter.contract (i = 4) by (j = 8)
      product (k = 16) (%x[i, k] : tensor<4x16xf32>, %w[j, k] : tensor<8x16xf32>) : f32
      product (l = 16) (%x[i, l] : tensor<4x16xf32>, %v[j, l, k] : tensor<8x16x16xf32>) : f32
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%p: tensor<8xf32>, %q: tensor<8xf32>):
    sinter.yield %p : tensor<8xf32>
  }
  return
}

// -----

func.func @p4_input(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{input 0 uses 'k', which is product 0's own}}
  %y = sinter.contract (i = 4) by (j = 8)
      product (k = 16) (%x[i, k] : tensor<4x16xf32>, %w[j, k] : tensor<8x16xf32>) : f32
      ins(%b[k] : tensor<16xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%p: tensor<8xf32>, %b: tensor<8xf32>):
    sinter.yield %p : tensor<8xf32>
  }
  return
}

// -----

func.func @f8_product_dimension(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{subscript 1 of destination 0 is 'k', a dimension of a product; write a row or a column}}
  %y = sinter.contract (i = 4) by (j = 8)
      product (k = 16) (%x[i, k] : tensor<4x16xf32>, %w[j, k] : tensor<8x16xf32>) : f32
      outs(%x[i, k] : tensor<4x16xf32>) {
  ^row(%p: tensor<8xf32>):
    sinter.yield %p : tensor<8xf32>
  }
  return
}

// -----

func.func @f11_product(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{argument 0 of the body has type 'tensor<8xf32>', and 'tensor<8xf64>' is given to it}}
  %y = sinter.contract (i = 4) by (j = 8)
      product (k = 16) (%x[i, k] : tensor<4x16xf32>, %w[j, k] : tensor<8x16xf32>) : f64
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%p: tensor<8xf32>):
    sinter.yield %p : tensor<8xf32>
  }
  return
}

// -----

// Row operations.

func.func @y1_in_a_loop() {
  %c = arith.constant 1 : index
  scf.for %i = %c to %c step %c {
    // expected-error @+1 {{'sinter.yield' op stands in 'scf.for'; it ends a region of a form, of a definition, of a sinter.row_reduce or of a sinter.sequence}}
    sinter.yield
  }
  return
}

// -----

func.func @r1_matrix(%x: tensor<8xf32>, %f: f32, %t: i64, %m: tensor<4x8xf32>) {
  // expected-error @+1 {{'sinter.row_reduce' op reduces 'tensor<4x8xf32>'; give a row, a one-dimensional tensor}}
  %y = sinter.row_reduce add %m : tensor<4x8xf32> -> f32
  return
}

// -----

func.func @r1_scalar(%x: tensor<8xf32>, %f: f32, %t: i64, %m: tensor<4x8xf32>) {
  // expected-error @+1 {{reduces 'f32'; give a row, a one-dimensional tensor}}
  %y = sinter.row_reduce add %f : f32 -> f32
  return
}

// -----

func.func @r2_unknown(%x: tensor<8xf32>, %f: f32, %t: i64, %m: tensor<4x8xf32>) {
  // expected-error @+1 {{combines by 'plus'; take one of add, mul, maximumf}}
  %y = sinter.row_reduce plus %x : tensor<8xf32> -> f32
  return
}

// -----

func.func @r2_unfit(%x: tensor<8xf32>, %f: f32, %t: i64, %m: tensor<4x8xf32>) {
  // expected-error @+1 {{combines by 'maxsi', which does not fit type 'f32'}}
  %y = sinter.row_reduce maxsi %x : tensor<8xf32> -> f32
  return
}

// -----

func.func @r3_narrower(%x: tensor<8xf32>, %f: f32, %t: i64, %m: tensor<4x8xf32>) {
  // expected-error @+1 {{reduces elements of 'f32' to 'f16'; give that type, or of floats a wider one}}
  %y = sinter.row_reduce add %x : tensor<8xf32> -> f16
  return
}

// -----

func.func @r3_kind(%x: tensor<8xf32>, %f: f32, %t: i64, %m: tensor<4x8xf32>) {
  // expected-error @+1 {{reduces elements of 'f32' to 'i64'}}
  %y = sinter.row_reduce add %x : tensor<8xf32> -> i64
  return
}

// -----

func.func @r3_integer(%b: tensor<8xi1>) {
  // expected-error @+1 {{reduces elements of 'i1' to 'i64'}}
  %y = sinter.row_reduce add %b : tensor<8xi1> -> i64
  return
}

// -----

func.func @r4_nothing(%x: tensor<8xf32>, %f: f32, %t: i64, %m: tensor<4x8xf32>) {
  // expected-error @+1 {{has neither the name of a combiner nor a region}}
  %y = sinter.row_reduce %x : tensor<8xf32> -> f32
  return
}

// -----

func.func @r4_both(%x: tensor<8xf32>, %f: f32, %t: i64, %m: tensor<4x8xf32>) {
  // expected-error @+1 {{has the name of a combiner and a region; leave one out}}
  %y = sinter.row_reduce add %x : tensor<8xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    sinter.yield %a : f32
  }
  return
}

// -----

func.func @r4_name_and_init(%x: tensor<8xf32>, %f: f32, %t: i64, %m: tensor<4x8xf32>) {
  // expected-error @+1 {{has the name of a combiner and an init; leave one out}}
  %y = sinter.row_reduce add %x init(%f : f32) : tensor<8xf32> -> f32
  return
}

// -----

func.func @r4_no_init(%x: tensor<8xf32>, %f: f32, %t: i64, %m: tensor<4x8xf32>) {
  // expected-error @+1 {{has a combiner region and no init; give `init(%identity : 'f32')`}}
  %y = sinter.row_reduce %x : tensor<8xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    sinter.yield %a : f32
  }
  return
}

// -----

func.func @r4_init_type(%x: tensor<8xf32>, %f: f32, %t: i64, %m: tensor<4x8xf32>) {
  // expected-error @+1 {{has a combiner region and an init of another type}}
  %y = sinter.row_reduce %x init(%t : i64) : tensor<8xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    sinter.yield %a : f32
  }
  return
}

// -----

func.func @r4_arguments(%x: tensor<8xf32>, %f: f32, %t: i64, %m: tensor<4x8xf32>) {
  // expected-error @+1 {{has a combiner region that is not one block with two arguments of type 'f32'}}
  %y = sinter.row_reduce %x init(%f : f32) : tensor<8xf32> -> f32 {
  ^bb0(%a: f32):
    sinter.yield %a : f32
  }
  return
}

// -----

func.func @r4_yield(%x: tensor<8xf32>, %f: f32, %t: i64, %m: tensor<4x8xf32>) {
  // expected-error @+1 {{has a combiner region that does not yield one 'f32'}}
  %y = sinter.row_reduce %x init(%f : f32) : tensor<8xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf olt, %a, %b : f32
    sinter.yield %c : i1
  }
  return
}

// -----

func.func @r4_other_dialect(%x: tensor<8xf32>, %f: f32) {
  %y = sinter.row_reduce %x init(%f : f32) : tensor<8xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    // expected-error @+1 {{'sinter.index' op stands in a combiner, which holds arith and math only}}
    %c = sinter.index i : index
    sinter.yield %a : f32
  }
  return
}

// -----

func.func @r4_no_terminator(%x: tensor<8xf32>, %f: f32, %t: i64, %m: tensor<4x8xf32>) {
  // expected-error @+1 {{has a combiner region that does not yield one 'f32'}}
  %y = "sinter.row_reduce"(%x, %f) ({
  ^bb0(%a: f32, %b: f32):
  }) : (tensor<8xf32>, f32) -> f32
  return
}

// -----

func.func @b1_type(%x: tensor<8xf32>, %f: f32, %t: i64, %m: tensor<4x8xf32>) {
  // expected-error @+1 {{'sinter.broadcast' op gives 'tensor<8xf64>' of 'f32'; a scalar becomes a row of its own type}}
  %y = sinter.broadcast %f : f32 -> tensor<8xf64>
  return
}

// -----

func.func @b1_rank(%x: tensor<8xf32>, %f: f32, %t: i64, %m: tensor<4x8xf32>) {
  // expected-error @+1 {{gives 'tensor<4x8xf32>' of 'f32'}}
  %y = sinter.broadcast %f : f32 -> tensor<4x8xf32>
  return
}

// -----

func.func @i1_outside(%x: tensor<8xf32>, %f: f32, %t: i64, %m: tensor<4x8xf32>) {
  // expected-error @+1 {{'sinter.index' op stands in 'func.func'; it is the position in a form's own region}}
  %y = sinter.index i : index
  return
}

// -----

func.func @i1_unknown(%x: tensor<4x8xf32>, %e: tensor<f32>) {
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>)
      reduce(add [] : f32)
      outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<8xf32>):
    // expected-error @+1 {{'k' is no row or column dimension of the form around it}}
    %k = sinter.index k : index
    %s = sinter.row_reduce add %a : tensor<8xf32> -> f32
    sinter.yield %s : f32
  } finish {
  ^done(%s: f32):
    sinter.yield %s : f32
  }
  return
}

// -----

func.func @i1_row_in_finish(%x: tensor<4x8xf32>, %e: tensor<f32>) {
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>)
      reduce(add [] : f32)
      outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<8xf32>):
    %s = sinter.row_reduce add %a : tensor<8xf32> -> f32
    sinter.yield %s : f32
  } finish {
  ^done(%s: f32):
    // expected-error @+1 {{'i' is a row dimension, and finish runs behind all rows}}
    %k = sinter.index i : index
    sinter.yield %s : f32
  }
  return
}

// -----

func.func @i2_row(%x: tensor<4x8xf32>, %e: tensor<f32>) {
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>)
      reduce(add [] : f32)
      outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<8xf32>):
    // expected-error @+1 {{gives 'tensor<8xindex>', and the position in 'i' is 'index'}}
    %k = sinter.index i : tensor<8xindex>
    %s = sinter.row_reduce add %a : tensor<8xf32> -> f32
    sinter.yield %s : f32
  } finish {
  ^done(%s: f32):
    sinter.yield %s : f32
  }
  return
}

// -----

func.func @i2_column(%x: tensor<4x8xf32>, %e: tensor<f32>) {
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>)
      reduce(add [] : f32)
      outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<8xf32>):
    // expected-error @+1 {{gives 'index', and the position in 'j' is 'tensor<8xindex>'}}
    %k = sinter.index j : index
    %s = sinter.row_reduce add %a : tensor<8xf32> -> f32
    sinter.yield %s : f32
  } finish {
  ^done(%s: f32):
    sinter.yield %s : f32
  }
  return
}

// -----

func.func @c1_scalar(%x: tensor<8xf32>, %f: f32, %t: i64, %m: tensor<4x8xf32>) {
  // expected-error @+1 {{'sinter.pick' op picks from 'f32'; give a row, a one-dimensional tensor}}
  %y = sinter.pick %f[%t] else %f : f32, i64
  return
}

// -----

func.func @c1_index(%x: tensor<8xf32>, %f: f32, %t: i64, %m: tensor<4x8xf32>) {
  // expected-error @+1 {{picks by an index of type 'f32'; give an integer or index scalar}}
  %y = sinter.pick %x[%f] else %f : tensor<8xf32>, f32
  return
}

// -----

func.func @c2_otherwise(%x: tensor<8xf32>, %f: f32, %t: i64, %m: tensor<4x8xf32>) {
  // expected-error @+1 {{failed to verify that `otherwise` has the element type of `x`}}
  %y = "sinter.pick"(%x, %t, %t) : (tensor<8xf32>, i64, i64) -> f32
  return
}

// -----

func.func @c2_result(%x: tensor<8xf32>, %f: f32, %t: i64, %m: tensor<4x8xf32>) {
  // expected-error @+1 {{picks 'f64', or else 'f32', from 'tensor<8xf32>'; both have the type of the elements}}
  %y = "sinter.pick"(%x, %t, %f) : (tensor<8xf32>, i64, f32) -> f64
  return
}

// -----

func.func @n1_mixed(%s: i64, %j: tensor<8xindex>) {
  // expected-error @+1 {{has operand 1 of type 'tensor<8xindex>' beside 'i64'; give integers of 32 or 64 bits or index, all of them scalars or all of them rows of one length}}
  %y = sinter.random %s[%j, %j] : i64, tensor<8xindex>, tensor<8xindex> -> tensor<8xf32>
  return
}

// -----

func.func @n1_float(%s: i64, %f: f32) {
  // expected-error @+1 {{has operand 2 of type 'f32' beside 'i64'}}
  %y = sinter.random %s[%s, %f] : i64, i64, f32 -> f32
  return
}

// -----

func.func @n1_narrow(%s: i16) {
  // expected-error @+1 {{has operand 0 of type 'i16' beside 'i16'}}
  %y = sinter.random %s[%s, %s] : i16, i16, i16 -> f32
  return
}

// -----

func.func @n2_half(%s: i64) {
  // expected-error @+1 {{gives 'bf16' of 'i64'; it gives f32, f64 or i32, a row of it where it is given rows}}
  %y = sinter.random %s[%s, %s] : i64, i64, i64 -> bf16
  return
}

// -----

func.func @n2_row(%s: i64) {
  // expected-error @+1 {{gives 'tensor<8xf32>' of 'i64'}}
  %y = sinter.random %s[%s, %s] : i64, i64, i64 -> tensor<8xf32>
  return
}

// -----

func.func @g1_table(%x: tensor<8xf32>, %f: f32, %t: i64) {
  // expected-error @+1 {{gathers from 'tensor<8xf32>'; give an argument of the body whose subscripts are `?`}}
  %y = sinter.gather %x[%t] else %f : tensor<8xf32>, i64 -> f32
  return
}

// -----

func.func @g1_argument(%f: f32, %t: i64) {
  %x = memref.alloc() : memref<8xf32>
  // expected-error @+1 {{gathers from 'memref<8xf32>'; give an argument of the body whose subscripts are `?`}}
  %y = sinter.gather %x[%t] else %f : memref<8xf32>, i64 -> f32
  return
}

// -----

func.func @g1_rank(%x: memref<8x5xf32>, %f: f32, %t: i64) {
  // expected-error @+1 {{gives 1 subscripts to a table of rank 2}}
  %y = sinter.gather %x[%t] else %f : memref<8x5xf32>, i64 -> f32
  return
}

// -----

func.func @g2_subscript(%x: memref<8x5xf32>, %f: f32, %t: i64) {
  // expected-error @+1 {{subscript 1 has type 'f32'; give an integer or index, or a row of them}}
  %y = sinter.gather %x[%t, %f] else %f : memref<8x5xf32>, i64, f32 -> f32
  return
}

// -----

func.func @g3_otherwise(%x: memref<8xf32>, %f: f32, %t: i64) {
  // expected-error @+1 {{failed to verify that `otherwise` has the element type of `table`}}
  %y = "sinter.gather"(%x, %t, %t) : (memref<8xf32>, i64, i64) -> f32
  return
}

// -----

func.func @g3_result(%x: memref<8x5xf32>, %f: f32, %t: i64, %r: tensor<3xindex>) {
  // expected-error @+1 {{gives 'f32', or else 'f32', of 'memref<8x5xf32>' by these subscripts; 'tensor<3xf32>' is what it gives}}
  %y = sinter.gather %x[%t, %r] else %f : memref<8x5xf32>, i64, tensor<3xindex> -> f32
  return
}

// -----

func.func @c_operands(%x: tensor<8xf32>, %f: f32, %t: i64, %m: tensor<4x8xf32>) {
  // expected-error @+1 {{'sinter.pick' op expected 3 operands, but found 1}}
  %y = "sinter.pick"(%x) : (tensor<8xf32>) -> f32
  return
}

// -----

func.func @i_attribute(%x: tensor<8xf32>, %f: f32, %t: i64, %m: tensor<4x8xf32>) {
  // expected-error @+1 {{'sinter.index' op requires attribute 'dim'}}
  %y = "sinter.index"() : () -> index
  return
}

// -----

// Gradients.

func.func @a1_loss(%l: tensor<i64>, %x: tensor<4xf32>) {
  // expected-error @+1 {{the loss has type 'tensor<i64>'; gradients are of ranked tensors of floats}}
  %dx = sinter.differentiate %l wrt(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @a1_wrt(%l: tensor<f32>, %x: f32) {
  // expected-error @+1 {{what is differentiated by has type 'f32'; gradients are of ranked tensors of floats}}
  %dx = sinter.differentiate %l wrt(%x) : (tensor<f32>, f32) -> f32
  return
}

// -----

func.func @a2_upstream(%l: tensor<4xf32>, %g: tensor<f32>, %x: tensor<4xf32>) {
  // expected-error @+1 {{the upstream gradient has type 'tensor<f32>', and the loss 'tensor<4xf32>'; they have one type}}
  %dx = sinter.differentiate %l upstream(%g) wrt(%x) : (tensor<4xf32>, tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @a3_none(%l: tensor<f32>) {
  // expected-error @+1 {{gives 0 gradients with respect to 0 values; give one for each, and at least one}}
  sinter.differentiate %l wrt() : (tensor<f32>) -> ()
  return
}

// -----

func.func @a3_count(%l: tensor<f32>, %x: tensor<4xf32>) {
  // expected-error @+1 {{gives 1 gradients with respect to 2 values; give one for each, and at least one}}
  %dx = sinter.differentiate %l wrt(%x, %x) : (tensor<f32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @a3_type(%l: tensor<f32>, %x: tensor<4xf32>) {
  // expected-error @+1 {{gradient 0 has type 'tensor<5xf32>', and is with respect to 'tensor<4xf32>'; they have one type}}
  %dx = sinter.differentiate %l wrt(%x) : (tensor<f32>, tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @t1_label(%t: tensor<4xi64>, %e: tensor<4xi64>) {
  %y = sinter.rowwise (i = 4) by () ins(%t[i] : tensor<4xi64>) outs(%e[i] : tensor<4xi64>) {
  ^row(%a: i64):
    // expected-error @+1 {{detaches 'i64'; give a float or a row of them}}
    %d = sinter.detach %a : i64
    sinter.yield %d : i64
  }
  return
}
