// RUN: sinter-opt --split-input-file --verify-diagnostics %s
// RUN: sinter-opt --split-input-file --mlir-very-unsafe-disable-verifier-on-parsing --mlir-print-assume-verified %s | FileCheck %s

// The generic form lets anybody write lists that disagree: an error each, never a crash, also where
// something prints the op before it was verified. Rule F17, and the parts of F3, F6 and F9 that reading relies on.

// CHECK: sinter.rowwise

func.func @f17_sizes(%e: tensor<4xf32>) {
  // expected-error @+1 {{'sinter.rowwise' op has 2 elements in `sizes` and 1 dimensions; give one for each}}
  %y = "sinter.rowwise"(%e) <{dims = ["i"], sizes = array<i64: 4, 8>, num_rows = 1 : i64, num_cols = 0 : i64, maps = [affine_map<(d0) -> (d0)>],
    accumulators = [], accumulator_maps = [], accumulator_types = [], operandSegmentSizes = array<i32: 0, 0, 1>}> ({}, {}) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f17_rows(%e: tensor<4xf32>) {
  // expected-error @+1 {{names 1 dimensions, and its rows, columns and products have 3}}
  %y = "sinter.rowwise"(%e) <{dims = ["i"], sizes = array<i64: 4>, num_rows = 1 : i64, num_cols = 2 : i64, maps = [affine_map<(d0) -> (d0)>],
    accumulators = [], accumulator_maps = [], accumulator_types = [], operandSegmentSizes = array<i32: 0, 0, 1>}> ({}, {}) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f17_negative_rows(%e: tensor<4xf32>) {
  // expected-error @+1 {{`num_rows` is -1, which is negative}}
  %y = "sinter.rowwise"(%e) <{dims = ["i"], sizes = array<i64: 4>, num_rows = -1 : i64, num_cols = 2 : i64, maps = [affine_map<(d0) -> (d0)>],
    accumulators = [], accumulator_maps = [], accumulator_types = [], operandSegmentSizes = array<i32: 0, 0, 1>}> ({}, {}) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f17_huge_rows(%e: tensor<4xf32>) {
  // expected-error @+1 {{names 1 dimensions, and its rows, columns and products have -1}}
  %y = "sinter.rowwise"(%e) <{dims = ["i"], sizes = array<i64: 4>, num_rows = 9223372036854775807 : i64, num_cols = 2 : i64, maps = [affine_map<(d0) -> (d0)>],
    accumulators = [], accumulator_maps = [], accumulator_types = [], operandSegmentSizes = array<i32: 0, 0, 1>}> ({}, {}) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f17_maps(%e: tensor<4xf32>) {
  // expected-error @+1 {{has 0 elements in `maps` and 1 operands; give one for each}}
  %y = "sinter.rowwise"(%e) <{dims = ["i"], sizes = array<i64: 4>, num_rows = 1 : i64, num_cols = 0 : i64, maps = [],
    accumulators = [], accumulator_maps = [], accumulator_types = [], operandSegmentSizes = array<i32: 0, 0, 1>}> ({}, {}) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f17_map_kind(%e: tensor<4xf32>) {
  // expected-error @+1 {{element 0 of `maps` is not an affine map}}
  %y = "sinter.rowwise"(%e) <{dims = ["i"], sizes = array<i64: 4>, num_rows = 1 : i64, num_cols = 0 : i64, maps = [unit],
    accumulators = [], accumulator_maps = [], accumulator_types = [], operandSegmentSizes = array<i32: 0, 0, 1>}> ({}, {}) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f3_map_dims(%e: tensor<4xf32>) {
  // expected-error @+1 {{map 0 is over 3 dimensions, and the form has 1}}
  %y = "sinter.rowwise"(%e) <{dims = ["i"], sizes = array<i64: 4>, num_rows = 1 : i64, num_cols = 0 : i64, maps = [affine_map<(d0, d1, d2) -> (d2)>],
    accumulators = [], accumulator_maps = [], accumulator_types = [], operandSegmentSizes = array<i32: 0, 0, 1>}> ({}, {}) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f6_symbols(%e: tensor<4xf32>) {
  // expected-error @+1 {{map 0 has 1 symbols, and its operand has 0 indirect subscripts}}
  %y = "sinter.rowwise"(%e) <{dims = ["i"], sizes = array<i64: 4>, num_rows = 1 : i64, num_cols = 0 : i64, maps = [affine_map<(d0)[s0] -> (s0)>],
    accumulators = [], accumulator_maps = [], accumulator_types = [], operandSegmentSizes = array<i32: 0, 0, 1>}> ({}, {}) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f6_no_such_index(%x: tensor<9xf32>, %t: tensor<4xi32>, %e: tensor<4xf32>) {
  // expected-error @+1 {{input 0 goes through index tensor 1 of 1}}
  %y = "sinter.rowwise"(%x, %t, %e) <{dims = ["i"], sizes = array<i64: 4>, num_rows = 1 : i64, num_cols = 0 : i64, indirect = [array<i64: 1>],
    maps = [affine_map<(d0)[s0] -> (s0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
    accumulators = [], accumulator_maps = [], accumulator_types = [], operandSegmentSizes = array<i32: 1, 1, 1>}> ({}, {}) : (tensor<9xf32>, tensor<4xi32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f17_indirect_kind(%x: tensor<9xf32>, %t: tensor<4xi32>, %e: tensor<4xf32>) {
  // expected-error @+1 {{element 0 of `indirect` is not an array of i64}}
  %y = "sinter.rowwise"(%x, %t, %e) <{dims = ["i"], sizes = array<i64: 4>, num_rows = 1 : i64, num_cols = 0 : i64, indirect = [0],
    maps = [affine_map<(d0)[s0] -> (s0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
    accumulators = [], accumulator_maps = [], accumulator_types = [], operandSegmentSizes = array<i32: 1, 1, 1>}> ({}, {}) : (tensor<9xf32>, tensor<4xi32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f17_fills(%x: tensor<4xf32>, %e: tensor<4xf32>) {
  // expected-error @+1 {{has 2 elements in `fills` and 1 inputs; give one for each}}
  %y = "sinter.rowwise"(%x, %e) <{dims = ["i"], sizes = array<i64: 4>, num_rows = 1 : i64, num_cols = 0 : i64, fills = [unit, 1.0 : f32],
    maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
    accumulators = [], accumulator_maps = [], accumulator_types = [], operandSegmentSizes = array<i32: 1, 0, 1>}> ({}, {}) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f17_accumulators(%e: tensor<f32>) {
  // expected-error @+1 {{has 0 elements in `accumulator_types` and 1 accumulators; give one for each}}
  %y = "sinter.rowwise"(%e) <{dims = ["i"], sizes = array<i64: 4>, num_rows = 1 : i64, num_cols = 0 : i64, maps = [affine_map<(d0) -> ()>],
    accumulators = ["add"], accumulator_maps = [affine_map<(d0) -> ()>], accumulator_types = [], operandSegmentSizes = array<i32: 0, 0, 1>}> ({}, {}) : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @f17_accumulator_kind(%e: tensor<f32>) {
  // expected-error @+1 {{element 0 of `accumulators` is not a string}}
  %y = "sinter.rowwise"(%e) <{dims = ["i"], sizes = array<i64: 4>, num_rows = 1 : i64, num_cols = 0 : i64, maps = [affine_map<(d0) -> ()>],
    accumulators = [7], accumulator_maps = [affine_map<(d0) -> ()>], accumulator_types = [f32], operandSegmentSizes = array<i32: 0, 0, 1>}> ({}, {}) : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @f9_accumulator_dims(%e: tensor<f32>) {
  // expected-error @+1 {{the map of accumulator 0 is over 0 dimensions and 0 symbols, and the form has 1 dimensions}}
  %y = "sinter.rowwise"(%e) <{dims = ["i"], sizes = array<i64: 4>, num_rows = 1 : i64, num_cols = 0 : i64, maps = [affine_map<(d0) -> ()>],
    accumulators = ["add"], accumulator_maps = [affine_map<() -> ()>], accumulator_types = [f32], operandSegmentSizes = array<i32: 0, 0, 1>}> ({}, {}) : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @f17_product_sides(%e: tensor<f32>) {
  // expected-error @+1 {{has 0 inputs, and its 2 sides need 2}}
  %y = "sinter.contract"(%e) <{dims = ["k"], sizes = array<i64: 4>, num_rows = 0 : i64, num_cols = 0 : i64, maps = [affine_map<(d0) -> ()>],
    product_dims = array<i64: 1>, product_types = [f32],
    accumulators = [], accumulator_maps = [], accumulator_types = [], operandSegmentSizes = array<i32: 0, 0, 1>}> ({}, {}) : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @f17_product_lists(%e: tensor<f32>) {
  // expected-error @+1 {{has 2 elements in `product_dims` and 1 products; give one for each}}
  %y = "sinter.contract"(%e) <{dims = ["k"], sizes = array<i64: 4>, num_rows = 0 : i64, num_cols = 0 : i64, maps = [affine_map<(d0) -> ()>],
    product_dims = array<i64: 1, 1>, product_types = [f32],
    accumulators = [], accumulator_maps = [], accumulator_types = [], operandSegmentSizes = array<i32: 0, 0, 1>}> ({}, {}) : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @f17_negative_product(%e: tensor<f32>) {
  // expected-error @+1 {{product 0 has -1 dimensions of its own}}
  %y = "sinter.contract"(%e, %e, %e) <{dims = [], sizes = array<i64>, num_rows = 1 : i64, num_cols = 0 : i64, maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>],
    product_dims = array<i64: -1>, product_types = [f32],
    accumulators = [], accumulator_maps = [], accumulator_types = [], operandSegmentSizes = array<i32: 2, 0, 1>}> ({}, {}) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

// What ODS checks itself.

func.func @missing_attribute(%e: tensor<4xf32>) {
  // expected-error @+1 {{'sinter.rowwise' op requires attribute 'maps'}}
  %y = "sinter.rowwise"(%e) <{dims = ["i"], sizes = array<i64: 4>, num_rows = 1 : i64, num_cols = 0 : i64,
    accumulators = [], accumulator_maps = [], accumulator_types = [], operandSegmentSizes = array<i32: 0, 0, 1>}> ({}, {}) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @segments(%e: tensor<4xf32>) {
  // expected-error @+1 {{operand count (1) does not match with the total size (3) specified in attribute 'operandSegmentSizes'}}
  %y = "sinter.rowwise"(%e) <{dims = ["i"], sizes = array<i64: 4>, num_rows = 1 : i64, num_cols = 0 : i64, maps = [affine_map<(d0) -> (d0)>],
    accumulators = [], accumulator_maps = [], accumulator_types = [], operandSegmentSizes = array<i32: 1, 1, 1>}> ({}, {}) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @negative_segments(%e: tensor<4xf32>) {
  // expected-error @+1 {{'operandSegmentSizes' attribute cannot have negative elements}}
  %y = "sinter.rowwise"(%e) <{dims = ["i"], sizes = array<i64: 4>, num_rows = 1 : i64, num_cols = 0 : i64, maps = [affine_map<(d0) -> (d0)>],
    accumulators = [], accumulator_maps = [], accumulator_types = [], operandSegmentSizes = array<i32: 2, -2, 1>}> ({}, {}) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// A block without a terminator, a yield of something else, a region of two blocks.

func.func @f15_no_terminator(%e: tensor<4xf32>) {
  // expected-error @+1 {{the body does not end in sinter.yield}}
  %y = "sinter.rowwise"(%e) <{dims = ["i"], sizes = array<i64: 4>, num_rows = 1 : i64, num_cols = 0 : i64, maps = [affine_map<(d0) -> (d0)>],
    accumulators = [], accumulator_maps = [], accumulator_types = [], operandSegmentSizes = array<i32: 0, 0, 1>}> ({
    %c = arith.constant 1.0 : f32
  }, {}) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f15_other_terminator(%e: tensor<4xf32>) {
  // expected-error @+1 {{the body does not end in sinter.yield}}
  %y = "sinter.rowwise"(%e) <{dims = ["i"], sizes = array<i64: 4>, num_rows = 1 : i64, num_cols = 0 : i64, maps = [affine_map<(d0) -> (d0)>],
    accumulators = [], accumulator_maps = [], accumulator_types = [], operandSegmentSizes = array<i32: 0, 0, 1>}> ({
    %c = arith.constant 1.0 : f32
    func.return %c : f32
  }, {}) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f15_two_blocks(%e: tensor<4xf32>) {
  // expected-error @+1 {{the body has more than 1 block; a row program is one block}}
  %y = "sinter.rowwise"(%e) <{dims = ["i"], sizes = array<i64: 4>, num_rows = 1 : i64, num_cols = 0 : i64, maps = [affine_map<(d0) -> (d0)>],
    accumulators = [], accumulator_maps = [], accumulator_types = [], operandSegmentSizes = array<i32: 0, 0, 1>}> ({
    cf.br ^next
  ^next:
    %c = arith.constant 1.0 : f32
    sinter.yield %c : f32
  }, {}) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f15_empty(%e: tensor<4xf32>) {
  // expected-error @+1 {{the body has 0 blocks; a row program is one block}}
  %y = "sinter.rowwise"(%e) <{dims = ["i"], sizes = array<i64: 4>, num_rows = 1 : i64, num_cols = 0 : i64, maps = [affine_map<(d0) -> (d0)>],
    accumulators = [], accumulator_maps = [], accumulator_types = [], operandSegmentSizes = array<i32: 0, 0, 1>}> ({}, {}) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// Rules that the assembly states while it parses.

func.func @f1_twice(%e: tensor<4x4xf32>) {
  // expected-error @+1 {{dimensions 0 and 1 are both named 'i'; rename one}}
  %y = "sinter.rowwise"(%e) <{dims = ["i", "i"], sizes = array<i64: 4, 4>, num_rows = 1 : i64, num_cols = 1 : i64, maps = [affine_map<(d0, d1) -> (d0, d1)>],
    accumulators = [], accumulator_maps = [], accumulator_types = [], operandSegmentSizes = array<i32: 0, 0, 1>}> ({}, {}) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @f1_word(%e: tensor<4x4xf32>) {
  // expected-error @+1 {{dimension 1 is named 'a b'; a name is a bare word}}
  %y = "sinter.rowwise"(%e) <{dims = ["i", "a b"], sizes = array<i64: 4, 4>, num_rows = 1 : i64, num_cols = 1 : i64, maps = [affine_map<(d0, d1) -> (d0, d1)>],
    accumulators = [], accumulator_maps = [], accumulator_types = [], operandSegmentSizes = array<i32: 0, 0, 1>}> ({}, {}) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @f1_negative(%e: tensor<?xf32>) {
  // expected-error @+1 {{dimension 'i' has size -3; a size is 0 or more, or `?`}}
  %y = "sinter.rowwise"(%e) <{dims = ["i"], sizes = array<i64: -3>, num_rows = 1 : i64, num_cols = 0 : i64, maps = [affine_map<(d0) -> (d0)>],
    accumulators = [], accumulator_maps = [], accumulator_types = [], operandSegmentSizes = array<i32: 0, 0, 1>}> ({}, {}) : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @f2_results(%e: tensor<4xf32>) {
  // expected-error @+1 {{has 0 results and 1 destinations; a form on tensors has one for each}}
  "sinter.rowwise"(%e) <{dims = ["i"], sizes = array<i64: 4>, num_rows = 1 : i64, num_cols = 0 : i64, maps = [affine_map<(d0) -> (d0)>],
    accumulators = [], accumulator_maps = [], accumulator_types = [], operandSegmentSizes = array<i32: 0, 0, 1>}> ({}, {}) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @f2_result_type(%e: tensor<4xf32>) {
  // expected-error @+1 {{result 0 has type 'tensor<5xf32>', and its destination 'tensor<4xf32>'}}
  %y = "sinter.rowwise"(%e) <{dims = ["i"], sizes = array<i64: 4>, num_rows = 1 : i64, num_cols = 0 : i64, maps = [affine_map<(d0) -> (d0)>],
    accumulators = [], accumulator_maps = [], accumulator_types = [], operandSegmentSizes = array<i32: 0, 0, 1>}> ({}, {}) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @f5_no_number(%x: tensor<4xf32>, %e: tensor<4xf32>) {
  // expected-error @+1 {{the fill value of input 0 is not a number; write one of type 'f32'}}
  %y = "sinter.rowwise"(%x, %e) <{dims = ["i"], sizes = array<i64: 4>, num_rows = 1 : i64, num_cols = 0 : i64, fills = ["zero"],
    maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
    accumulators = [], accumulator_maps = [], accumulator_types = [], operandSegmentSizes = array<i32: 1, 0, 1>}> ({}, {}) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f5_type(%x: tensor<4xf32>, %e: tensor<4xf32>) {
  // expected-error @+1 {{the fill value of input 0 has type 'f64', and its elements have 'f32'}}
  %y = "sinter.rowwise"(%x, %e) <{dims = ["i"], sizes = array<i64: 4>, num_rows = 1 : i64, num_cols = 0 : i64, fills = [0.0 : f64],
    maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
    accumulators = [], accumulator_maps = [], accumulator_types = [], operandSegmentSizes = array<i32: 1, 0, 1>}> ({}, {}) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f6_expression(%x: tensor<9xf32>, %t: tensor<4xi32>, %e: tensor<4xf32>) {
  // expected-error @+1 {{subscript 0 of input 0 computes with an index tensor; an indirect subscript stands alone}}
  %y = "sinter.rowwise"(%x, %t, %e) <{dims = ["i"], sizes = array<i64: 4>, num_rows = 1 : i64, num_cols = 0 : i64, indirect = [array<i64: 0>],
    maps = [affine_map<(d0)[s0] -> (s0 + d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
    accumulators = [], accumulator_maps = [], accumulator_types = [], operandSegmentSizes = array<i32: 1, 1, 1>}> ({}, {}) : (tensor<9xf32>, tensor<4xi32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f6_symbol_twice(%x: tensor<9x9xf32>, %t: tensor<4xi32>, %e: tensor<4xf32>) {
  // expected-error @+1 {{input 0 has symbol 0 in 2 subscripts; each indirect subscript has its own}}
  %y = "sinter.rowwise"(%x, %t, %e) <{dims = ["i"], sizes = array<i64: 4>, num_rows = 1 : i64, num_cols = 0 : i64, indirect = [array<i64: 0>],
    maps = [affine_map<(d0)[s0] -> (s0, s0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
    accumulators = [], accumulator_maps = [], accumulator_types = [], operandSegmentSizes = array<i32: 1, 1, 1>}> ({}, {}) : (tensor<9x9xf32>, tensor<4xi32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f6_shared(%x: tensor<9x9xf32>, %t: tensor<4xi32>, %e: tensor<4xf32>) {
  // expected-error @+1 {{index tensor 0 is in 2 subscripts; give each indirect subscript one of its own}}
  %y = "sinter.rowwise"(%x, %t, %e) <{dims = ["i"], sizes = array<i64: 4>, num_rows = 1 : i64, num_cols = 0 : i64, indirect = [array<i64: 0, 0>],
    maps = [affine_map<(d0)[s0, s1] -> (s0, s1)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
    accumulators = [], accumulator_maps = [], accumulator_types = [], operandSegmentSizes = array<i32: 1, 1, 1>}> ({}, {}) : (tensor<9x9xf32>, tensor<4xi32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f6_unused(%x: tensor<9xf32>, %t: tensor<4xi32>, %e: tensor<4xf32>) {
  // expected-error @+1 {{index tensor 0 is in 0 subscripts; give each indirect subscript one of its own}}
  %y = "sinter.rowwise"(%x, %t, %e) <{dims = ["i"], sizes = array<i64: 4>, num_rows = 1 : i64, num_cols = 0 : i64,
    maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
    accumulators = [], accumulator_maps = [], accumulator_types = [], operandSegmentSizes = array<i32: 1, 1, 1>}> ({}, {}) : (tensor<9xf32>, tensor<4xi32>, tensor<4xf32>) -> tensor<4xf32>
  return
}
