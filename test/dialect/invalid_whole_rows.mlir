// RUN: sinter-opt --split-input-file --verify-diagnostics %s

// The rules of row_sort, row_scan and row_fold (W), one case or more a rule.

func.func @w1_function(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{stands in 'func.func'; it is about the rows of a definition or of a sinter.rowwise}}
  %y = sinter.row_scan add %x : tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

sinter.define @w1_name(%x: tensor<?xf32>) {
  // expected-error @+1 {{goes along 'j'; in a definition there is `column`, or of several `column0` and so on}}
  %y = sinter.row_scan add %x along j : tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}

// -----

func.func @w1_several(%x: tensor<3x4xf32>, %e: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %y = sinter.rowwise () by (n = 3, m = 4) ins(%x[n, m] : tensor<3x4xf32>) outs(%e[n, m] : tensor<3x4xf32>) {
  ^row(%a: tensor<12xf32>):
    // expected-error @+1 {{goes along a column of a form that has 2; say which: `along NAME`}}
    %s = sinter.row_sort %a : tensor<12xf32>
    sinter.yield %s : tensor<12xf32>
  }
  return %y : tensor<3x4xf32>
}

// -----

func.func @w1_row(%x: tensor<3x4xf32>, %e: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %y = sinter.rowwise (n = 3) by (m = 4) ins(%x[n, m] : tensor<3x4xf32>) outs(%e[n, m] : tensor<3x4xf32>) {
  ^row(%a: tensor<4xf32>):
    // expected-error @+1 {{goes along 'n', which is no column dimension of the form around it}}
    %s = sinter.row_fold add %a along n : tensor<4xf32>
    sinter.yield %s : tensor<4xf32>
  }
  return %y : tensor<3x4xf32>
}

// -----

func.func @w1_memrefs(%x: memref<3x4xf32>, %e: memref<3x4xf32>) {
  sinter.rowwise (n = 3) by (m = 4) ins(%x[n, m] : memref<3x4xf32>) outs(%e[n, m] : memref<3x4xf32>) {
  ^row(%a: tensor<4xf32>):
    // expected-error @+1 {{stands in a form on memrefs; rows are sorted and scanned in the body of a sinter.rowwise on tensors}}
    %s = sinter.row_scan add %a : tensor<4xf32>
    sinter.yield %s : tensor<4xf32>
  }
  return
}

// -----

func.func @w1_products(%x: tensor<3x5xf32>, %w: tensor<4x5xf32>, %e: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %y = sinter.contract (i = 3) by (j = 4)
      product (k = 5) (%x[i, k] : tensor<3x5xf32>, %w[j, k] : tensor<4x5xf32>) : f32 outs(%e[i, j] : tensor<3x4xf32>) {
  ^row(%a: tensor<4xf32>):
    // expected-error @+1 {{stands in a form with products or several groups of columns; rows are sorted and scanned in}}
    %s = sinter.row_sort %a : tensor<4xf32>
    sinter.yield %s : tensor<4xf32>
  }
  return %y : tensor<3x4xf32>
}

// -----

func.func @w1_finish(%x: tensor<3x4xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
  %y = sinter.rowwise (i = 3) by (j = 4) ins(%x[i, j] : tensor<3x4xf32>)
      reduce(add [j] : f32) outs(%e[j] : tensor<4xf32>) {
  ^row(%a: tensor<4xf32>):
    sinter.yield %a : tensor<4xf32>
  } finish {
  ^done(%s: tensor<4xf32>):
    // expected-error @+1 {{stands in a finish; rows are sorted and scanned in the body of a sinter.rowwise on tensors}}
    %t = sinter.row_sort %s : tensor<4xf32>
    sinter.yield %t : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

sinter.define @w2_scalar(%x: tensor<?xf32>, %s: f32) {
  // expected-error @+1 {{has operand 1 of type 'f32'; give rows, one-dimensional tensors}}
  %y, %t = sinter.row_sort %x, %s : tensor<?xf32>, f32
  sinter.yield %y : tensor<?xf32>
}

// -----

sinter.define @w2_nothing(%x: tensor<?xf32>) {
  // expected-error @+1 {{has 0 operands and 0 results; give as many, and at least 1}}
  "sinter.row_sort"() : () -> ()
  sinter.yield %x : tensor<?xf32>
}

// -----

sinter.define @w2_result(%x: tensor<?xf32>) {
  // expected-error @+1 {{has operand 0 of type 'tensor<?xf32>', and another result}}
  %y = "sinter.row_scan"(%x) {kind = "add"} : (tensor<?xf32>) -> tensor<?xf64>
  sinter.yield %x : tensor<?xf32>
}

// -----

sinter.define @w3_index(%x: tensor<?xf32>) {
  %j = sinter.index column : tensor<?xindex>
  // expected-error @+1 {{sorts elements of type 'index'; give floats or integers}}
  %y, %t = sinter.row_sort %x, %j : tensor<?xf32>, tensor<?xindex>
  sinter.yield %y : tensor<?xf32>
}

// -----

sinter.define @w4_unknown(%x: tensor<?xf32>) {
  // expected-error @+1 {{combines 'f32' by 'plus', which is no combiner; sinter.row_reduce lists them}}
  %y = sinter.row_scan plus %x : tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}

// -----

sinter.define @w4_fit(%x: tensor<?xf32>) {
  // expected-error @+1 {{combines 'f32' by 'maxsi', which does not fit them}}
  %y = sinter.row_fold maxsi %x : tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}
