// RUN: sinter-opt --split-input-file --verify-diagnostics %s

// The rules of sinter.steps (S), of definitions in steps (E) and of their uses (U), one case or more a rule.

func.func @s1_kinds(%x: tensor<4x8xf32>, %0: memref<f32>) {
  // expected-error @+1 {{operand 1 has type 'memref<f32>', and operand 0 is a tensor}}
  sinter.steps rows(0) ins(%x : tensor<4x8xf32>) values(%0 : memref<f32>) {
  ^row(%i: index, %a: memref<4x8xf32>):
    %z = arith.constant 0.0 : f32
    sinter.yield %z : f32
  }
  return
}

// -----

func.func @s1_results(%x: tensor<4x8xf32>, %0: tensor<f32>) {
  // expected-error @+1 {{has 0 results, and 1 are needed}}
  sinter.steps rows(0) ins(%x : tensor<4x8xf32>) values(%0 : tensor<f32>) {
  ^row(%i: index, %a: memref<4x8xf32>):
    %z = arith.constant 0.0 : f32
    sinter.yield %z : f32
  }
  return
}

// -----

func.func @s1_type(%x: tensor<4x8xf32>, %0: tensor<f32>) {
  // expected-error @+1 {{result 0 has type 'tensor<1xf32>', and its destination 'tensor<f32>'}}
  %r = sinter.steps rows(0) ins(%x : tensor<4x8xf32>) values(%0 : tensor<f32>) -> tensor<1xf32> {
  ^row(%i: index, %a: memref<4x8xf32>):
    %z = arith.constant 0.0 : f32
    sinter.yield %z : f32
  }
  return
}

// -----

func.func @s2_rows(%x: tensor<4x8xf32>, %0: tensor<f32>) {
  // expected-error @+1 {{has rows in dimension 2 of 'tensor<4x8xf32>'}}
  %r = sinter.steps rows(2) ins(%x : tensor<4x8xf32>) values(%0 : tensor<f32>) -> tensor<f32> {
  ^row(%i: index, %a: memref<4x8xf32>):
    %z = arith.constant 0.0 : f32
    sinter.yield %z : f32
  }
  return
}

// -----

func.func @s3_count(%x: tensor<4x8xf32>, %0: tensor<f32>) {
  // expected-error @+1 {{the body has 1 arguments, and 2 are given to it}}
  %r = sinter.steps rows(0) ins(%x : tensor<4x8xf32>) values(%0 : tensor<f32>) -> tensor<f32> {
  ^row(%i: index):
    %z = arith.constant 0.0 : f32
    sinter.yield %z : f32
  }
  return
}

// -----

func.func @s3_type(%x: tensor<4x8xf32>, %0: tensor<f32>) {
  // expected-error @+1 {{argument 1 of the body has type 'memref<8xf32>', and 'memref<4x8xf32>' is given to it}}
  %r = sinter.steps rows(0) ins(%x : tensor<4x8xf32>) values(%0 : tensor<f32>) -> tensor<f32> {
  ^row(%i: index, %a: memref<8xf32>):
    %z = arith.constant 0.0 : f32
    sinter.yield %z : f32
  }
  return
}

// -----

func.func @s4_count(%x: tensor<4x8xf32>, %0: tensor<f32>) {
  // expected-error @+1 {{the body yields 0 values, and 1 are needed}}
  %r = sinter.steps rows(0) ins(%x : tensor<4x8xf32>) values(%0 : tensor<f32>) -> tensor<f32> {
  ^row(%i: index, %a: memref<4x8xf32>):
    %z = arith.constant 0.0 : f32
    sinter.yield 
  }
  return
}

// -----

func.func @s4_type(%x: tensor<4x8xf32>, %0: tensor<f32>) {
  // expected-error @+1 {{value 0 that the body yields has type 'index', and goes to 'tensor<f32>'}}
  %r = sinter.steps rows(0) ins(%x : tensor<4x8xf32>) values(%0 : tensor<f32>) -> tensor<f32> {
  ^row(%i: index, %a: memref<4x8xf32>):
    %z = arith.constant 0.0 : f32
    sinter.yield %i : index
  }
  return
}

// -----

func.func @s4_size(%x: tensor<4x8xf32>, %0: tensor<5xf32>) {
  // expected-error @+1 {{value 0 that the body yields has type 'f32', and goes to 'tensor<5xf32>'}}
  %r = sinter.steps rows(0) ins(%x : tensor<4x8xf32>) values(%0 : tensor<5xf32>) -> tensor<5xf32> {
  ^row(%i: index, %a: memref<4x8xf32>):
    %z = arith.constant 0.0 : f32
    sinter.yield %z : f32
  }
  return
}

// -----

func.func @s5_count(%x: tensor<4x8xf32>, %0: tensor<f32>) {
  // expected-error @+1 {{has a finish that is not one block of an index and 1 sums which yields as many}}
  %r = sinter.steps rows(0) ins(%x : tensor<4x8xf32>) values(%0 : tensor<f32>) -> tensor<f32> {
  ^row(%i: index, %a: memref<4x8xf32>):
    %z = arith.constant 0.0 : f32
    sinter.yield %z : f32
  } finish {
  ^done(%n: index):
    %s = arith.constant 0.0 : f32
    sinter.yield %s : f32
  }
  return
}

// -----

func.func @s5_type(%x: tensor<4x8xf32>, %0: tensor<f32>) {
  // expected-error @+1 {{sum 0 of the finish has type 'f64', and its destination has elements of type 'f32'}}
  %r = sinter.steps rows(0) ins(%x : tensor<4x8xf32>) values(%0 : tensor<f32>) -> tensor<f32> {
  ^row(%i: index, %a: memref<4x8xf32>):
    %z = arith.constant 0.0 : f32
    sinter.yield %z : f32
  } finish {
  ^done(%n: index, %s: f64):
    sinter.yield %s : f64
  }
  return
}

// -----

func.func @s6_op(%x: tensor<4x8xf32>, %0: tensor<f32>) {
  %r = sinter.steps rows(0) ins(%x : tensor<4x8xf32>) values(%0 : tensor<f32>) -> tensor<f32> {
  ^row(%i: index, %a: memref<4x8xf32>):
    %z = arith.constant 0.0 : f32
    // expected-error @+1 {{is no operation of sinter.steps}}
    %e = tensor.empty() : tensor<4xf32>
    sinter.yield %z : f32
  }
  return
}

// -----

func.func @s6_dimensions(%x: tensor<4x8xf32>, %0: tensor<f32>) {
  %r = sinter.steps rows(0) ins(%x : tensor<4x8xf32>) values(%0 : tensor<f32>) -> tensor<f32> {
  ^row(%i: index, %a: memref<4x8xf32>):
    %z = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @+1 {{has 2 dimensions; a step has one}}
    scf.parallel (%j, %k) = (%c0, %c0) to (%c1, %c1) step (%c1, %c1) {
    }
    sinter.yield %z : f32
  }
  return
}

// -----

func.func @s6_finish(%x: tensor<4x8xf32>, %0: tensor<f32>) {
  %r = sinter.steps rows(0) ins(%x : tensor<4x8xf32>) values(%0 : tensor<f32>) -> tensor<f32> {
  ^row(%i: index, %a: memref<4x8xf32>):
    %z = arith.constant 0.0 : f32
    sinter.yield %z : f32
  } finish {
  ^done(%n: index, %s: f32):
    // expected-error @+1 {{stands in a finish, which holds arith and math only}}
    %m = memref.alloca() : memref<4xf32>
    sinter.yield %s : f32
  }
  return
}

// -----

func.func @s7_assert(%x: tensor<4x8xf32>, %0: tensor<f32>) {
  %r = sinter.steps rows(0) ins(%x : tensor<4x8xf32>) values(%0 : tensor<f32>) -> tensor<f32> {
  ^row(%i: index, %a: memref<4x8xf32>):
    %z = arith.constant 0.0 : f32
    %t = arith.constant true
    scf.if %t {
    // expected-error @+1 {{stands inside of something; asserts stand in the body itself}}
    cf.assert %t, "no"
    }
    sinter.yield %z : f32
  }
  return
}

// -----

func.func @s7_step(%x: tensor<4x8xf32>, %0: tensor<f32>) {
  %r = sinter.steps rows(0) ins(%x : tensor<4x8xf32>) values(%0 : tensor<f32>) -> tensor<f32> {
  ^row(%i: index, %a: memref<4x8xf32>):
    %z = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.parallel (%j) = (%c0) to (%c1) step (%c1) {
    // expected-error @+1 {{is a step in a step; write scf.for}}
    scf.parallel (%k) = (%c0) to (%c1) step (%c1) {
    }
    }
    sinter.yield %z : f32
  }
  return
}

// -----

func.func @s7_combiner(%x: tensor<4x8xf32>, %0: tensor<f32>) {
  %r = sinter.steps rows(0) ins(%x : tensor<4x8xf32>) values(%0 : tensor<f32>) -> tensor<f32> {
  ^row(%i: index, %a: memref<4x8xf32>):
    %z = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @+1 {{combines value 0 by no named combiner}}
    %s = scf.parallel (%j) = (%c0) to (%c1) step (%c1) init (%z) -> f32 {
      scf.reduce(%z : f32) {
      ^bb0(%p: f32, %q: f32):
        %m = arith.subf %p, %q : f32
        scf.reduce.return %m : f32
      }
    }
    sinter.yield %z : f32
  }
  return
}

// -----

func.func @s8_inside(%x: tensor<4x8xf32>, %0: tensor<f32>) {
  %r = sinter.steps rows(0) ins(%x : tensor<4x8xf32>) values(%0 : tensor<f32>) -> tensor<f32> {
  ^row(%i: index, %a: memref<4x8xf32>):
    %z = arith.constant 0.0 : f32
    %t = arith.constant true
    scf.if %t {
    // expected-error @+1 {{stands inside of something; scratch memory is declared in the body itself}}
    %m = memref.alloca() : memref<4xf32>
    }
    sinter.yield %z : f32
  }
  return
}

// -----

func.func @s8_size(%x: tensor<4x8xf32>, %0: tensor<f32>) {
  %r = sinter.steps rows(0) ins(%x : tensor<4x8xf32>) values(%0 : tensor<f32>) -> tensor<f32> {
  ^row(%i: index, %a: memref<4x8xf32>):
    %z = arith.constant 0.0 : f32
    // expected-error @+1 {{size 0 is not made of constants and sizes of arguments}}
    %m = memref.alloca(%i) : memref<?xf32>
    sinter.yield %z : f32
  }
  return
}

// -----

func.func @s9_element(%x: tensor<4x8xcomplex<f32>>, %0: tensor<f32>) {
  // expected-error @+1 {{operand 0 has type 'tensor<4x8xcomplex<f32>>'; give floats, signless integers or index}}
  %r = sinter.steps rows(0) ins(%x : tensor<4x8xcomplex<f32>>) values(%0 : tensor<f32>) -> tensor<f32> {
  ^row(%i: index, %a: memref<4x8xcomplex<f32>>):
    %z = arith.constant 0.0 : f32
    sinter.yield %z : f32
  }
  return
}

// -----

func.func @s10_outs(%x: tensor<4x8xf32>, %0: tensor<f32>) {
  // expected-error @+1 {{is in place, and has values}}
  %r = sinter.steps rows(0) in_place ins(%x : tensor<4x8xf32>) values(%0 : tensor<f32>) -> tensor<f32> {
  ^row(%i: index, %a: memref<4x8xf32>):
    %z = arith.constant 0.0 : f32
    sinter.yield %z : f32
  }
  return
}

// -----

func.func @s10_itself(%x: tensor<4xf32>) {
  // expected-error @+1 {{is in place of operand 1, which is operand 0 too}}
  %r = sinter.steps rows(0) in_place ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32> {
  ^row(%i: index, %a: memref<4xf32>, %b: memref<4xf32>):
    %v = memref.load %a[%i] : memref<4xf32>
    memref.store %v, %b[%i] : memref<4xf32>
    sinter.yield
  }
  return
}

// -----

func.func @s10_behind(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{is in place of operand 1, which func.return behind it has, too}}
  %r = sinter.steps rows(0) in_place ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32> {
  ^row(%i: index, %a: memref<4xf32>, %b: memref<4xf32>):
    %v = memref.load %a[%i] : memref<4xf32>
    memref.store %v, %b[%i] : memref<4xf32>
    sinter.yield
  }
  return %y : tensor<4xf32>
}

// -----

func.func @s10_right(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %s = sinter.rowwise () by (i = 4) ins(%y[i] : tensor<4xf32>) outs(%e[i] : tensor<4xf32>) {
  ^row(%a: tensor<4xf32>):
    sinter.yield %a : tensor<4xf32>
  }
  %r = sinter.steps rows(0) in_place ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32> {
  ^row(%i: index, %a: memref<4xf32>, %b: memref<4xf32>):
    %v = memref.load %a[%i] : memref<4xf32>
    memref.store %v, %b[%i] : memref<4xf32>
    sinter.yield
  }
  return %r, %s : tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-error @+1 {{argument 0 is 'x'; the first one is the `row`, an index, and no other is}}
sinter.define_steps @e1_row(%x: memref<?x?xf32>, %n: index {row}) attributes {reductions = ["sum"]} {
  %z = arith.constant 0.0 : f32
  sinter.yield %z : f32
}

// -----

// expected-error @+1 {{has two arguments 'x'}}
"sinter.define_steps"() <{names = ["n", "x", "x"], parameters = [{row}, {}, {}], reductions = ["sum"], sym_name = "e1_again"}> ({
^bb0(%n: index, %x: memref<?xf32>, %y: memref<?xf32>):
  %z = arith.constant 0.0 : f32
  sinter.yield %z : f32
}) : () -> ()

// -----

// expected-error @+1 {{argument 'y' stands behind an attribute; operands come first}}
sinter.define_steps @e1_order(%n: index {row}, %x: memref<?xf32>, %k: i64 {default = 0}, %y: memref<?xf32>) attributes {reductions = ["sum"]} {
  %z = arith.constant 0.0 : f32
  sinter.yield %z : f32
}

// -----

// expected-error @+1 {{has 0 operands and 1 rows; give at least one, and one}}
sinter.define_steps @e1_none(%n: index {row}, %k: i64 {default = 0}) attributes {reductions = ["sum"]} {
  %z = arith.constant 0.0 : f32
  sinter.yield %z : f32
}

// -----

// expected-error @+1 {{argument 'x' has type 'memref<4xf32>'; give floats or integers, sizes `?`, and a dimension of rows}}
sinter.define_steps @e2_size(%n: index {row}, %x: memref<4xf32>) attributes {reductions = ["sum"]} {
  %z = arith.constant 0.0 : f32
  sinter.yield %z : f32
}

// -----

// expected-error @+1 {{argument 'x' has type 'memref<?xf32>'; give floats or integers, sizes `?`, and a dimension of rows}}
sinter.define_steps @e2_rows(%n: index {row}, %x: memref<?xf32> {rows = 1}) attributes {reductions = ["sum"]} {
  %z = arith.constant 0.0 : f32
  sinter.yield %z : f32
}

// -----

// expected-error @+1 {{argument 'x' is like no operand before it}}
sinter.define_steps @e2_like(%n: index {row}, %x: memref<?xf32> {like = "y"}, %y: memref<?xf32>) attributes {reductions = ["sum"]} {
  %z = arith.constant 0.0 : f32
  sinter.yield %z : f32
}

// -----

// expected-error @+1 {{argument 'k' of type 'i32' is an attribute; give an i64, f32 or i1 and a `default` of that kind}}
sinter.define_steps @e2_attribute(%n: index {row}, %x: memref<?xf32>, %k: i32 {default = 0}) attributes {reductions = ["sum"]} {
  %z = arith.constant 0.0 : f32
  sinter.yield %z : f32
}

// -----

// expected-error @+1 {{argument 'w' of type 'i1' is about the gradient of an operand}}
sinter.define_steps @e3_of(%n: index {row}, %x: memref<?xf32>, %w: i1 {gradient = "y"}) attributes {reductions = ["sum"]} {
  %z = arith.constant 0.0 : f32
  sinter.yield %z : f32
}

// -----

// expected-error @+1 {{has 0 places for a gradient, and says 1 times whether one is asked for, and 0 upstream gradients; give one of each, or none}}
sinter.define_steps @e3_one(%n: index {row}, %x: memref<?xf32>, %w: i1 {gradient = "x"}) attributes {reductions = ["sum"]} {
  %z = arith.constant 0.0 : f32
  sinter.yield %z : f32
}

// -----

// expected-error @+1 {{stores to 'd' where no gradient may be asked for; write an scf.if around it}}
sinter.define_steps @e3_stores(%n: index {row}, %x: memref<?xf32>, %g: f32 {upstream}, %w: i1 {gradient = "x"}, %d: memref<?xf32> {gradient = "x"}) attributes {reductions = ["sum"]} {
  memref.store %g, %d[%n] : memref<?xf32>
  sinter.yield %g : f32
}

// -----

// expected-error @+1 {{argument 'm' of type 'f32' says whether the mean is asked for; give an i1}}
sinter.define_steps @e3_mean(%n: index {row}, %x: memref<?xf32>, %m: f32 {mean}) attributes {reductions = ["sum"]} {
  %z = arith.constant 0.0 : f32
  sinter.yield %z : f32
}

// -----

// expected-error @+1 {{argument 'g' of type 'f64' is the upstream gradient; give an f32}}
sinter.define_steps @e3_upstream(%n: index {row}, %x: memref<?xf32>, %g: f64 {upstream}) attributes {reductions = ["sum"]} {
  %z = arith.constant 0.0 : f32
  sinter.yield %z : f32
}

// -----

// expected-error @+1 {{does not yield one f32, the loss of the row}}
sinter.define_steps @e4_yield(%n: index {row}, %x: memref<?xf32>) attributes {reductions = ["sum"]} {
  sinter.yield %n : index
}

// -----

// expected-error @+1 {{'reductions' are some of}}
sinter.define_steps @e5_word(%n: index {row}, %x: memref<?xf32>) attributes {reductions = ["batchmean"]} {
  %z = arith.constant 0.0 : f32
  sinter.yield %z : f32
}

// -----

// expected-error @+1 {{has no 'reductions'}}
sinter.define_steps @e5_none(%n: index {row}, %x: memref<?xf32>) {
  %z = arith.constant 0.0 : f32
  sinter.yield %z : f32
}

// -----

func.func @u2_count(%x: tensor<20x4x9xf32>, %t: tensor<4x6xi64>, %m: tensor<4xi64>, %n: tensor<4xi64>) {
  // expected-error @+1 {{has 3 operands, and 4 are needed}}
  %l = sinter.ctc(%x, %t, %m) : (tensor<20x4x9xf32>, tensor<4x6xi64>, tensor<4xi64>) -> tensor<f32>
  return
}

// -----

func.func @u2_name(%x: tensor<20x4x9xf32>, %t: tensor<4x6xi64>, %m: tensor<4xi64>, %n: tensor<4xi64>) {
  // expected-error @+1 {{has operands by name, and its definition has no optional ones}}
  %l = sinter.ctc(%x, %t, %m, target_lengths = %n) : (tensor<20x4x9xf32>, tensor<4x6xi64>, tensor<4xi64>, tensor<4xi64>) -> tensor<f32>
  return
}

// -----

func.func @u3_rows(%x: tensor<20x4x9xf32>, %t: tensor<5x6xi64>, %m: tensor<4xi64>, %n: tensor<4xi64>) {
  // expected-error @+1 {{operand 'targets' has 5 rows in dimension 0, and there are 4}}
  %l = sinter.ctc(%x, %t, %m, %n) : (tensor<20x4x9xf32>, tensor<5x6xi64>, tensor<4xi64>, tensor<4xi64>) -> tensor<f32>
  return
}

// -----

func.func @u3_rank(%x: tensor<20x4x9xf32>, %t: tensor<4x6xi64>, %m: tensor<i64>, %n: tensor<4xi64>) {
  // expected-error @+1 {{operand 'input_lengths' has rank 0, and 1 is needed}}
  %l = sinter.ctc(%x, %t, %m, %n) : (tensor<20x4x9xf32>, tensor<4x6xi64>, tensor<i64>, tensor<4xi64>) -> tensor<f32>
  return
}

// -----

func.func @u3_element(%x: tensor<20x4x9xf32>, %t: tensor<4x6xf32>, %m: tensor<4xi64>, %n: tensor<4xi64>) {
  // expected-error @+1 {{operand 'targets' has elements of type 'f32'; give integers}}
  %l = sinter.ctc(%x, %t, %m, %n) : (tensor<20x4x9xf32>, tensor<4x6xf32>, tensor<4xi64>, tensor<4xi64>) -> tensor<f32>
  return
}

// -----

func.func @u3_alone(%x: tensor<20x9xf32>, %t: tensor<1x6xi64>, %m: tensor<i64>, %n: tensor<i64>) {
  // expected-error @+1 {{operand 'targets' has rank 2, and 1 is needed, as there is one row}}
  %l = sinter.ctc(%x, %t, %m, %n) : (tensor<20x9xf32>, tensor<1x6xi64>, tensor<i64>, tensor<i64>) -> tensor<f32>
  return
}

// -----

func.func @u3_like(%x: tensor<4x9xf32>, %t: tensor<4x8xi64>) {
  // expected-error @+1 {{operand 'target' has type 'tensor<4x8xi64>', and is as large as 'input' of type 'tensor<4x9xf32>'}}
  %l = sinter.multilabel_margin(%x, %t) : (tensor<4x9xf32>, tensor<4x8xi64>) -> tensor<f32>
  return
}

// -----

func.func @u4_name(%x: tensor<20x4x9xf32>, %t: tensor<4x6xi64>, %m: tensor<4xi64>, %n: tensor<4xi64>) {
  // expected-error @+1 {{has an attribute 'black', and its definition has none of this name}}
  %l = sinter.ctc(%x, %t, %m, %n) {black = 1} : (tensor<20x4x9xf32>, tensor<4x6xi64>, tensor<4xi64>, tensor<4xi64>) -> tensor<f32>
  return
}

// -----

func.func @u4_kind(%x: tensor<20x4x9xf32>, %t: tensor<4x6xi64>, %m: tensor<4xi64>, %n: tensor<4xi64>) {
  // expected-error @+1 {{'blank' is an integer}}
  %l = sinter.ctc(%x, %t, %m, %n) {blank = true} : (tensor<20x4x9xf32>, tensor<4x6xi64>, tensor<4xi64>, tensor<4xi64>) -> tensor<f32>
  return
}

// -----

func.func @u4_reduction(%x: tensor<20x4x9xf32>, %t: tensor<4x6xi64>, %m: tensor<4xi64>, %n: tensor<4xi64>) {
  // expected-error @+1 {{'reduction' is one of "mean", "sum", "none"}}
  %l = sinter.ctc(%x, %t, %m, %n) {reduction = "batchmean"} : (tensor<20x4x9xf32>, tensor<4x6xi64>, tensor<4xi64>, tensor<4xi64>) -> tensor<f32>
  return
}

// -----

func.func @u5_type(%x: tensor<20x4x9xf32>, %t: tensor<4x6xi64>, %m: tensor<4xi64>, %n: tensor<4xi64>) {
  // expected-error @+1 {{gives 1 results, the first of type 'tensor<f32>', and its definition gives one of type 'tensor<4xf32>'}}
  %l = sinter.ctc(%x, %t, %m, %n) {reduction = "none"} : (tensor<20x4x9xf32>, tensor<4x6xi64>, tensor<4xi64>, tensor<4xi64>) -> tensor<f32>
  return
}
