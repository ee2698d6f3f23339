// RUN: sinter-opt --split-input-file --verify-diagnostics %s

// The rules of definitions (D), of their uses (U) and of losses in place (L), one case or more a rule.

// expected-error @+1 {{argument 'x' stands behind optional ones or attributes; operands come first, attributes last}}
sinter.define @d1_order(%w: tensor<?xf32> {optional = 1.0}, %x: tensor<?xf32>) {
  sinter.yield %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{has 2 names of arguments, and another number of arguments}}
"sinter.define"() <{names = ["x", "y"], parameters = [{}], sym_name = "d1_names"}> ({
^bb0(%x: tensor<?xf32>):
  sinter.yield %x : tensor<?xf32>
}) : () -> ()

// -----

// expected-error @+1 {{has two arguments 'x'}}
"sinter.define"() <{names = ["x", "x"], parameters = [{}, {}], sym_name = "d1_twice"}> ({
^bb0(%x: tensor<?xf32>, %y: tensor<?xf32>):
  sinter.yield %x : tensor<?xf32>
}) : () -> ()

// -----

// expected-error @+1 {{argument 'x' has type 'tensor<8xf32>'; give a scalar or a row of any length, tensor<?x...>}}
sinter.define @d2_row(%x: tensor<8xf32>) {
  sinter.yield %x : tensor<8xf32>
}

// -----

// expected-error @+1 {{argument 'y' is `column` or `leading`, which is of rows}}
sinter.define @d2_column(%x: tensor<?xf32>, %y: f32 {column}) {
  sinter.yield %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{argument 'y' is an attribute, and a row; give a scalar}}
sinter.define @d2_attribute(%x: tensor<?xf32>, %y: tensor<?xf32> {default = 1.0}) {
  sinter.yield %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{argument 'y' is `like` another, which is of rows and gives its name}}
sinter.define @d2_like(%x: tensor<?xf32>, %y: f32 {like = "x"}) {
  sinter.yield %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{argument 'y' is like 'z', which is no row operand before it}}
sinter.define @d2_like_none(%x: tensor<?xf32>, %y: tensor<?xf32> {like = "z"}) {
  sinter.yield %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{has `columns`, and no operand that is a row: it works number by number}}
sinter.define @d4_numbers(%x: f32, %w: f32) attributes {columns = 1} {
  sinter.yield %x : f32
}

// -----

// expected-error @+1 {{has no operand that is a row, which its shape comes from}}
sinter.define @d2_none(%x: f32, %w: tensor<?xf32> {optional = 1.0}) {
  sinter.yield %x : f32
}

// -----

// expected-error @+1 {{argument 'a' has an `optional`, a `default` or a limit that is no number}}
sinter.define @d3_number(%x: tensor<?xf32>, %a: f32 {default = "one"}) {
  sinter.yield %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{argument 'a' has `values`; give a list of words, of which `default` is one, to an integer}}
sinter.define @d3_words(%x: tensor<?xf32>, %a: i64 {default = "c", values = ["a", "b"]}) {
  sinter.yield %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{argument 'a' has the word 'defualt'; there are optional, default, column, leading, like, values, above, at_least and at_most}}
sinter.define @d3_word(%x: tensor<?xf32>, %a: f32 {defualt = 1.0}) {
  sinter.yield %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{argument 'a' is 0 by default, and its limit is 0}}
sinter.define @d3_default(%x: tensor<?xf32>, %a: f32 {above = 0.0, default = 0.0}) {
  sinter.yield %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{has an attribute 'broadcasts'; a definition has reductions, columns, broadcast, same_rank, functions, summary and formula}}
sinter.define @d4_attribute(%x: tensor<?xf32>) attributes {broadcasts} {
  sinter.yield %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{has a reduction that is none of "mean", "sum", "none" and "batchmean"}}
sinter.define @d4_word(%x: tensor<?xf32>) attributes {reductions = ["mean", "median"]} {
  sinter.yield %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{has no reduction in `reductions`; leave it out where the definition is no loss}}
sinter.define @d4_empty(%x: tensor<?xf32>) attributes {reductions = []} {
  sinter.yield %x : tensor<?xf32>
}

// -----

sinter.define @d5_operation(%x: tensor<?xf32>) {
  // expected-error @+1 {{is no operation of a definition, which holds arith, math, cf.assert, sinter's row operations, scf.for and uses of definitions}}
  %y = tensor.cast %x : tensor<?xf32> to tensor<8xf32>
  sinter.yield %x : tensor<?xf32>
}

// -----

// A form holds sinter.gather, a definition has nothing that it could read.
sinter.define @d5_table(%x: tensor<?xf32>, %t: tensor<?xi64>) {
  %z = arith.constant 0.0 : f32
  // expected-error @+1 {{reads a table, which is an operand of a form; a definition has rows and scalars: write it in a sinter.rowwise}}
  %y = "sinter.gather"(%x, %t, %z) : (tensor<?xf32>, tensor<?xi64>, f32) -> tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}

// -----

sinter.define @d5_length(%x: tensor<?xf32>) {
  // expected-error @+1 {{gives 'tensor<8xf32>'; values of a definition are scalars, or rows of any length, tensor<?x...>}}
  %y = arith.constant dense<1.0> : tensor<8xf32>
  sinter.yield %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{has a body that is not one block ending in sinter.yield}}
"sinter.define"() <{names = [], parameters = [], sym_name = "d5_empty"}> ({
}) : () -> ()

// -----

// expected-error @+1 {{has a body that is not one block ending in sinter.yield}}
sinter.define @d5_yield(%x: tensor<?xf32>) {
  %y = arith.addf %x, %x : tensor<?xf32>
}
func.func @d5_use(%x: tensor<4x8xf32>) {
  %y = sinter.apply @d5_yield(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> // no error of its own
  return
}

// -----

// expected-error @+1 {{has a body that is not one block ending in sinter.yield}}
"sinter.define"() <{names = ["x"], parameters = [{}], sym_name = "d5_nothing"}> ({
^bb0(%x: tensor<?xf32>):
}) : () -> ()

// -----

sinter.define @d6_loss(%x: tensor<?xf32>) attributes {reductions = ["sum"]} {
  // expected-error @+1 {{gives a loss 3 values, the first of type 'tensor<?xf32>'; give its value, or its value and weight, of a float type}}
  sinter.yield %x, %x, %x : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

// expected-error @+1 {{yields nothing}}
sinter.define @d6_nothing(%x: tensor<?xf32>) {
  sinter.yield
}

// -----

func.func @u1_unknown(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{uses @nowhere, and neither this module nor the library defines it}}
  %y = sinter.apply @nowhere(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

sinter.define @f(%x: tensor<?xf32>, %y: tensor<?xf32>, %w: tensor<?xf32> {column, optional = 1.0}, %n: i64 {default = 2},
                 %a: f32 {above = 0.0, at_least = 0.5, default = 1.0}, %b: i1 {default = true}, %k: i64 {default = "a", values = ["a", "b"]})
    attributes {functions = {inner = @g}, reductions = ["mean", "sum"]} {
  sinter.yield %x : tensor<?xf32>
}

func.func @u2_few(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{has 1 operands without a name, and 2 are needed}}
  %l = sinter.apply @f(%x) : (tensor<4x8xf32>) -> tensor<f32>
  return
}

func.func @u2_name(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{has an operand 'v', and no optional operand has this name}}
  %l = sinter.apply @f(%x, %x, v = %x) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32>
  return
}

func.func @u2_twice(%x: tensor<4x8xf32>, %w: tensor<8xf32>) {
  // expected-error @+1 {{has operand 'w' twice}}
  %l = sinter.apply @f(%x, %x, %w, w = %w) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
  return
}

func.func @u3_type(%x: tensor<4x8xf32>, %y: memref<4x8xf32>) {
  // expected-error @+1 {{operand 'y' has type 'memref<4x8xf32>'; give a ranked tensor of numbers}}
  %l = sinter.apply @f(%x, %y) : (tensor<4x8xf32>, memref<4x8xf32>) -> tensor<f32>
  return
}

func.func @u3_shape(%x: tensor<4x8xf32>, %y: tensor<4x9xf32>) {
  // expected-error @+1 {{operand 'y' has type 'tensor<4x9xf32>'; give the shape 4x8}}
  %l = sinter.apply @f(%x, %y) : (tensor<4x8xf32>, tensor<4x9xf32>) -> tensor<f32>
  return
}

func.func @u3_column(%x: tensor<4x8xf32>, %w: tensor<4xf32>) {
  // expected-error @+1 {{operand 'w' has type 'tensor<4xf32>'; give one element for each of the 8 columns}}
  %l = sinter.apply @f(%x, %x, w = %w) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<f32>
  return
}

func.func @u3_columns(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{has rows along dimension 2, and operands of rank 2}}
  %l = sinter.loss(%x) {columns = 2} : (tensor<4x8xf32>) -> tensor<f32> {
  ^row(%a: tensor<?xf32>):
    sinter.yield %a : tensor<?xf32>
  }
  return
}

func.func @u4_name(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{has an attribute 'c', and its definition has none of this name}}
  %l = sinter.apply @f(%x, %x) {c = 1} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32>
  return
}

func.func @u4_kind(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'n' is an integer}}
  %l = sinter.apply @f(%x, %x) {n = 1.0} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32>
  return
}

func.func @u4_kind1(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'a' is a number}}
  %m = sinter.apply @f(%x, %x) {a = "b"} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32>
  return
}

func.func @u4_kind2(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'b' is true or false}}
  %o = sinter.apply @f(%x, %x) {b = 1} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32>
  return
}

func.func @u4_kind3(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'k' is one of "a", "b"}}
  %p = sinter.apply @f(%x, %x) {k = "c"} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32>
  return
}

func.func @u4_kind4(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'inner' is the name of a definition, as @name}}
  %q = sinter.apply @f(%x, %x) {inner = "g"} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32>
  return
}

func.func @u4_limit(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'a' is 0, and has to be above 0}}
  %l = sinter.apply @f(%x, %x) {a = 0.0} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32>
  return
}

func.func @u4_limit1(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'a' is 0.25, and has to be at least 0.5}}
  %m = sinter.apply @f(%x, %x) {a = 0.25} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32>
  return
}

func.func @u4_reduction(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'reduction' is one of "mean", "sum"}}
  %l = sinter.apply @f(%x, %x) {reduction = "none"} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

func.func @u5_result(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{result 0 has type 'tensor<4xf32>', and its definition gives 'tensor<f32>'}}
  %l = sinter.apply @f(%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4xf32>
  return
}

func.func @u5_number(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{has 2 results, and its definition gives 1}}
  %l:2 = sinter.apply @f(%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

sinter.define @row(%x: tensor<?xf32>, %n: i64) {
  sinter.yield %x : tensor<?xf32>
}

func.func @u3_integer(%x: tensor<4x8xf32>, %n: tensor<4xf32>) {
  // expected-error @+1 {{operand 'n' has elements of type 'f32'; give integers}}
  %y = sinter.apply @row(%x, %n) : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return
}

func.func @u4_function(%x: tensor<4x8xf32>, %n: tensor<4xi64>) {
  // expected-error @+1 {{has a reduction, and its definition is no loss: it has no `reductions`}}
  %y = sinter.apply @row(%x, %n) {reduction = "sum"} : (tensor<4x8xf32>, tensor<4xi64>) -> tensor<4x8xf32>
  return
}

// -----

func.func @u2_word(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{attribute 'optionals' failed to satisfy constraint: string array attribute}}
  %l = "sinter.mse"(%x, %x) <{optionals = [1]}> : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32>
  return
}

// -----

func.func @l1_operands(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{has 2 operands, and its body has 1 arguments}}
  %l = sinter.loss(%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32> {
  ^row(%a: tensor<?xf32>):
    sinter.yield %a : tensor<?xf32>
  }
  return
}

// -----

func.func @u3_vector(%x: tensor<4x8xf32>, %w: tensor<4xf32>) {
  // expected-error @+1 {{operand '1' has type 'tensor<4xf32>'; give one element for each of the 8 columns}}
  %l = sinter.loss(%x, %w) : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<f32> {
  ^row(%a: tensor<?xf32>, %b: tensor<?xf32>):
    sinter.yield %a : tensor<?xf32>
  }
  return
}

// -----

func.func @i1_definition(%x: tensor<4x8xf32>) {
  %l = sinter.loss(%x) : (tensor<4x8xf32>) -> tensor<f32> {
  ^row(%a: tensor<?xf32>):
    // expected-error @+1 {{is 'j' of type 'tensor<?xindex>'; in a definition there is the position in the row, `column`, tensor<?xindex> (`column0` and so on of several), and which row it is, `row`, index}}
    %j = sinter.index j : tensor<?xindex>
    sinter.yield %a : tensor<?xf32>
  }
  return
}

// -----

// What attributes alone decide is decided here; what operands do is not.
sinter.define @ranges(%x: tensor<?xf32>, %t: i64, %p: i64 {default = 1}, %low: f32 {default = 0.0}, %high: f32 {at_most = 1.0, default = 1.0})
    attributes {reductions = ["sum"]} {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %first = arith.cmpi eq, %p, %one : i64
  %second = arith.cmpi eq, %p, %two : i64
  %either = arith.ori %first, %second : i1
  cf.assert %either, "p is neither 1 nor 2"
  %ordered = arith.cmpf olt, %low, %high : f32
  cf.assert %ordered, "low is not below high"
  %unknown = arith.cmpi ult, %t, %two : i64
  %known = arith.andi %unknown, %either : i1
  cf.assert %known, "t is 2 or more"
  sinter.yield %x : tensor<?xf32>
}

func.func @right(%x: tensor<4x8xf32>, %t: tensor<4xi64>) -> tensor<f32> {
  %l = sinter.apply @ranges(%x, %t) {p = 2, low = -1.0} : (tensor<4x8xf32>, tensor<4xi64>) -> tensor<f32>
  return %l : tensor<f32>
}

func.func @u4_assert(%x: tensor<4x8xf32>, %t: tensor<4xi64>) {
  // expected-error @+1 {{fails in every row: p is neither 1 nor 2}}
  %l = sinter.apply @ranges(%x, %t) {p = 3} : (tensor<4x8xf32>, tensor<4xi64>) -> tensor<f32>
  return
}

func.func @u4_assert_of_two(%x: tensor<4x8xf32>, %t: tensor<4xi64>) {
  // expected-error @+1 {{fails in every row: low is not below high}}
  %l = sinter.apply @ranges(%x, %t) {low = 0.5, high = 0.25} : (tensor<4x8xf32>, tensor<4xi64>) -> tensor<f32>
  return
}

func.func @u4_at_most(%x: tensor<4x8xf32>, %t: tensor<4xi64>) {
  // expected-error @+1 {{'high' is 1.5, and has to be at most 1}}
  %l = sinter.apply @ranges(%x, %t) {high = 1.5} : (tensor<4x8xf32>, tensor<4xi64>) -> tensor<f32>
  return
}

// -----

sinter.define @d7_bound(%x: tensor<?xf32>, %t: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  // expected-error @+1 {{runs from, to or by a number that is not made of constants and attributes; a definition's loop is written out where it is used}}
  %y = scf.for %i = %zero to %t step %one iter_args(%a = %x) -> tensor<?xf32> : i64 {
    %b = arith.addf %a, %x : tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  sinter.yield %y : tensor<?xf32>
}

// -----

sinter.define @d5_loop(%x: tensor<?xf32>, %n: i64 {default = 2}) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %y = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> tensor<?xf32> : i64 {
    // expected-error @+1 {{is no operation of a definition}}
    %e = tensor.cast %a : tensor<?xf32> to tensor<4xf32>
    scf.yield %a : tensor<?xf32>
  }
  sinter.yield %y : tensor<?xf32>
}

// -----

// expected-error @+1 {{has `columns` that are neither a dimension nor a list of dimensions that follow each other}}
sinter.define @d4_columns(%x: tensor<?xf32>) attributes {columns = [-3, -1]} {
  sinter.yield %x : tensor<?xf32>
}

// -----

sinter.define @i1_words(%x: tensor<?xf32>) attributes {columns = [-2, -1]} {
  // expected-error @+1 {{is 'column' of type 'tensor<?xindex>'; in a definition there is the position in the row}}
  %j = sinter.index column : tensor<?xindex>
  sinter.yield %x : tensor<?xf32>
}

// -----

sinter.define @w1_columns(%x: tensor<?xf32>) attributes {columns = [-2, -1]} {
  // expected-error @+1 {{goes along a column of a definition that has 2; say which: `along column0`}}
  %y = sinter.row_fold add %x : tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}

// -----

sinter.define @matrix(%x: tensor<?xf32>) attributes {columns = [-2, -1]} {
  sinter.yield %x : tensor<?xf32>
}
func.func @u3_matrix(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{has rows along dimension -2, and operands of rank 1}}
  %y = sinter.apply @matrix(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
