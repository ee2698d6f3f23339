// RUN: sinter-opt --split-input-file --verify-diagnostics %s

// What does not parse is reported where it stands.

func.func @unknown_dimension(%x: tensor<4xf32>) {
  // expected-error @+2 {{use of undeclared identifier}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[k] : tensor<4xf32>)
  return
}

// -----

func.func @product_dimension_before_its_product(%x: tensor<4xf32>) {
  // expected-error @+2 {{use of undeclared identifier}}
  %y = sinter.contract (i = 4) by (j = 8)
      product (k = 2) (%x[l] : tensor<4xf32>, %x[l] : tensor<4xf32>) : f32
  return
}

// -----

func.func @dimension_twice(%x: tensor<4xf32>) {
  // expected-error @+1 {{dimension 'i' is named twice}}
  %y = sinter.rowwise (i = 4) by (i = 8)
  return
}

// -----

func.func @negative_size(%x: tensor<4xf32>) {
  // expected-error @+1 {{dimension 'i' has size -4; a size is 0 or more, or `?`}}
  %y = sinter.rowwise (i = -4) by (j = 8)
  return
}

// -----

func.func @missing_size(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected '='}}
  %y = sinter.rowwise (i) by (j = 8)
  return
}

// -----

func.func @missing_columns(%x: tensor<4xf32>) {
  // expected-error @+2 {{expected 'by'}}
  %y = sinter.rowwise (i = 4)
      ins(%x[i] : tensor<4xf32>)
  return
}

// -----

func.func @missing_type(%x: tensor<4xf32>) {
  // expected-error @+2 {{expected ':'}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i])
  return
}

// -----

func.func @missing_destinations(%x: tensor<4xf32>) {
  // expected-error @+2 {{expected 'outs'}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i] : tensor<4xf32>) {
  return
}

// -----

func.func @product_of_a_rowwise(%x: tensor<4xf32>) {
  // expected-error @+2 {{expected 'outs'}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      product (k = 16) (%x[k] : tensor<4xf32>, %x[k] : tensor<4xf32>) : f32
  return
}

// -----

func.func @one_side(%x: tensor<4xf32>) {
  // expected-error @+2 {{expected ','}}
  %y = sinter.contract (i = 4) by (j = 8)
      product (k = 16) (%x[k] : tensor<4xf32>) : f32
  return
}

// -----

func.func @fill_of_another_kind(%x: tensor<4xi32>) {
  // expected-error @+2 {{floating point value not valid for specified type}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i] : tensor<4xi32> else 0.5) outs() {}
  return
}

// -----

func.func @some_given(%x: tensor<4x8xf32>) {
  // expected-error @+2 {{some subscripts are `?`; a table has them all from the body}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[?, j] : tensor<4x8xf32>) outs() {}
  return
}

// -----

func.func @indirect_destination(%x: tensor<4xf32>, %t: tensor<4xi32>) {
  // expected-error @+2 {{an indirect subscript belongs to an input, and is not indirect itself}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      outs(%x[%t[i] : tensor<4xi32>] : tensor<4xf32>) {}
  return
}

// -----

func.func @unknown_value(%e: tensor<4xf32>) {
  // expected-error @+2 {{use of undeclared SSA value name}}
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%q[i] : tensor<4xf32>) outs(%e[i] : tensor<4xf32>) {}
  return
}

// -----

func.func @value_from_outside(%x: tensor<4xf32>) {
  %y = sinter.rowwise (i = 4) by ()
      outs(%x[i] : tensor<4xf32>) {
    // expected-error @+1 {{use of undeclared SSA value name}}
    sinter.yield %x : f32
  }
  return
}

// -----

func.func @own_attribute(%x: tensor<4xf32>) {
  // expected-error @+2 {{'sizes' is written in the form's own syntax, not as an attribute}}
  %y = sinter.rowwise (i = 4) by ()
      outs(%x[i] : tensor<4xf32>) attributes {sizes = array<i64: 5>} {}
  return
}

// -----

func.func @schedule_key() {
  // expected-error @+1 {{#sinter.rows: 'chunks' is no key of #sinter.rows}}
  %y = arith.constant {s = #sinter.rows<chunks = 3>} 1 : i32
  return
}

// -----

func.func @schedule_key_twice() {
  // expected-error @+1 {{'chunk' is given twice}}
  %y = arith.constant {s = #sinter.rows<chunk = 3, chunk = 4>} 1 : i32
  return
}

// -----

func.func @schedule_value() {
  // expected-error @+1 {{#sinter.rows: 'lanes' is 3, but a power of two}}
  %y = arith.constant {s = #sinter.rows<lanes = 3>} 1 : i32
  return
}

// -----

func.func @schedule_comma() {
  // expected-error @+1 {{expected valid keyword}}
  %y = arith.constant {s = #sinter.rows<chunk = 3,>} 1 : i32
  return
}

// -----

func.func @combiner_result(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected '->'}}
  %y = sinter.row_reduce add %x : tensor<4xf32>
  return
}
