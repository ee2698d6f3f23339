// RUN: sinter-opt --sinter-corners=wrt=0 %s | FileCheck %s
// Running it again changes nothing.
// RUN: sinter-opt --sinter-corners=wrt=0 --sinter-corners=wrt=0 %s | FileCheck %s

#all = affine_map<(i) -> (i)>
#number = affine_map<(i) -> ()>
#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// hardsigmoid at -3 and 3 is flat.

// CHECK-LABEL: func @hardsigmoid
//       CHECK:   arith.cmpf ule
//       CHECK:   arith.cmpf uge
func.func @hardsigmoid(%x: tensor<5xf32>) -> tensor<5xf32> {
  %c0 = arith.constant dense<0.0> : tensor<f32>
  %c3 = arith.constant dense<3.0> : tensor<f32>
  %c6 = arith.constant dense<6.0> : tensor<f32>
  %e = tensor.empty() : tensor<5xf32>
  %1 = linalg.generic {indexing_maps = [#all, #number, #all], iterator_types = ["parallel"]}
      ins(%x, %c3 : tensor<5xf32>, tensor<f32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %2 = linalg.generic {indexing_maps = [#all, #number, #all], iterator_types = ["parallel"]}
      ins(%1, %c0 : tensor<5xf32>, tensor<f32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.cmpf ult, %a, %b : f32
    %r = arith.select %p, %b, %a : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %3 = linalg.generic {indexing_maps = [#all, #number, #all], iterator_types = ["parallel"]}
      ins(%2, %c6 : tensor<5xf32>, tensor<f32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.cmpf ugt, %a, %b : f32
    %r = arith.select %p, %b, %a : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %4 = linalg.generic {indexing_maps = [#all, #number, #all], iterator_types = ["parallel"]}
      ins(%3, %c6 : tensor<5xf32>, tensor<f32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  return %4 : tensor<5xf32>
}

// hardswish multiplies by what it clamps.

// CHECK-LABEL: func @hardswish
//       CHECK:   arith.cmpf ule
//       CHECK:   arith.cmpf uge
func.func @hardswish(%x: tensor<5xf32>) -> tensor<5xf32> {
  %c0 = arith.constant dense<0.0> : tensor<f32>
  %c3 = arith.constant dense<3.0> : tensor<f32>
  %c6 = arith.constant dense<6.0> : tensor<f32>
  %e = tensor.empty() : tensor<5xf32>
  %1 = linalg.generic {indexing_maps = [#all, #number, #all], iterator_types = ["parallel"]}
      ins(%x, %c3 : tensor<5xf32>, tensor<f32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %2 = linalg.generic {indexing_maps = [#all, #number, #all], iterator_types = ["parallel"]}
      ins(%1, %c0 : tensor<5xf32>, tensor<f32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.cmpf ult, %a, %b : f32
    %r = arith.select %p, %b, %a : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %3 = linalg.generic {indexing_maps = [#all, #number, #all], iterator_types = ["parallel"]}
      ins(%2, %c6 : tensor<5xf32>, tensor<f32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.cmpf ugt, %a, %b : f32
    %r = arith.select %p, %b, %a : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %4 = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel"]}
      ins(%x, %3 : tensor<5xf32>, tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.mulf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %5 = linalg.generic {indexing_maps = [#all, #number, #all], iterator_types = ["parallel"]}
      ins(%4, %c6 : tensor<5xf32>, tensor<f32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  return %5 : tensor<5xf32>
}

// Not hardswish: another factor.

// CHECK-LABEL: func @not_of_itself
//       CHECK:   arith.cmpf ult
//       CHECK:   arith.cmpf ugt
func.func @not_of_itself(%x: tensor<5xf32>, %y: tensor<5xf32>) -> tensor<5xf32> {
  %c0 = arith.constant dense<0.0> : tensor<f32>
  %c3 = arith.constant dense<3.0> : tensor<f32>
  %c6 = arith.constant dense<6.0> : tensor<f32>
  %e = tensor.empty() : tensor<5xf32>
  %1 = linalg.generic {indexing_maps = [#all, #number, #all], iterator_types = ["parallel"]}
      ins(%x, %c3 : tensor<5xf32>, tensor<f32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %2 = linalg.generic {indexing_maps = [#all, #number, #all], iterator_types = ["parallel"]}
      ins(%1, %c0 : tensor<5xf32>, tensor<f32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.cmpf ult, %a, %b : f32
    %r = arith.select %p, %b, %a : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %3 = linalg.generic {indexing_maps = [#all, #number, #all], iterator_types = ["parallel"]}
      ins(%2, %c6 : tensor<5xf32>, tensor<f32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.cmpf ugt, %a, %b : f32
    %r = arith.select %p, %b, %a : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %4 = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel"]}
      ins(%y, %3 : tensor<5xf32>, tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.mulf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %5 = linalg.generic {indexing_maps = [#all, #number, #all], iterator_types = ["parallel"]}
      ins(%4, %c6 : tensor<5xf32>, tensor<f32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  return %5 : tensor<5xf32>
}

// Not hardsigmoid: another slope.

// CHECK-LABEL: func @not_of_three
//       CHECK:   arith.cmpf ult
//       CHECK:   arith.cmpf ugt
func.func @not_of_three(%x: tensor<5xf32>) -> tensor<5xf32> {
  %c0 = arith.constant dense<0.0> : tensor<f32>
  %c2 = arith.constant dense<2.0> : tensor<f32>
  %c6 = arith.constant dense<6.0> : tensor<f32>
  %e = tensor.empty() : tensor<5xf32>
  %1 = linalg.generic {indexing_maps = [#all, #number, #all], iterator_types = ["parallel"]}
      ins(%x, %c2 : tensor<5xf32>, tensor<f32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %2 = linalg.generic {indexing_maps = [#all, #number, #all], iterator_types = ["parallel"]}
      ins(%1, %c0 : tensor<5xf32>, tensor<f32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.cmpf ult, %a, %b : f32
    %r = arith.select %p, %b, %a : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %3 = linalg.generic {indexing_maps = [#all, #number, #all], iterator_types = ["parallel"]}
      ins(%2, %c6 : tensor<5xf32>, tensor<f32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.cmpf ugt, %a, %b : f32
    %r = arith.select %p, %b, %a : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %4 = linalg.generic {indexing_maps = [#all, #number, #all], iterator_types = ["parallel"]}
      ins(%3, %c6 : tensor<5xf32>, tensor<f32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  return %4 : tensor<5xf32>
}

// torch.clamp is one op for both bounds, and gives x all at them.

// CHECK-LABEL: func @clamp_by_hand
//       CHECK:   arith.cmpf ult
//       CHECK:   arith.cmpf ugt
func.func @clamp_by_hand(%x: tensor<5xf32>) -> tensor<5xf32> {
  %c0 = arith.constant dense<0.0> : tensor<f32>
  %c3 = arith.constant dense<3.0> : tensor<f32>
  %c6 = arith.constant dense<6.0> : tensor<f32>
  %e = tensor.empty() : tensor<5xf32>
  %1 = linalg.generic {indexing_maps = [#all, #number, #all], iterator_types = ["parallel"]}
      ins(%x, %c3 : tensor<5xf32>, tensor<f32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %2 = linalg.generic {indexing_maps = [#all, #number, #number, #all], iterator_types = ["parallel"]}
      ins(%1, %c0, %c6 : tensor<5xf32>, tensor<f32>, tensor<f32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
    %p = arith.cmpf ult, %a, %b : f32
    %l = arith.select %p, %b, %a : f32
    %q = arith.cmpf ugt, %l, %c : f32
    %r = arith.select %q, %c, %l : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %3 = linalg.generic {indexing_maps = [#all, #number, #all], iterator_types = ["parallel"]}
      ins(%2, %c6 : tensor<5xf32>, tensor<f32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  return %3 : tensor<5xf32>
}

// torch.fmax: a NaN loses, and of equal ones the first gets all.

// CHECK-LABEL: func @fmax
//       CHECK:   arith.maxnumf
//       CHECK:   return
func.func @fmax(%x: tensor<5xf32>, %y: tensor<5xf32>) -> tensor<5xf32> {
  %e = tensor.empty() : tensor<5xf32>
  %m = tensor.empty() : tensor<5xi1>
  %1 = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<5xf32>, tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.cmpf ogt, %a, %b : f32
    %r = arith.select %p, %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %2 = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel"]}
      ins(%x, %x : tensor<5xf32>, tensor<5xf32>) outs(%m : tensor<5xi1>) {
  ^bb0(%a: f32, %b: f32, %out: i1):
    %p = arith.cmpf une, %a, %b : f32
    linalg.yield %p : i1
  } -> tensor<5xi1>
  %3 = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel"]}
      ins(%y, %y : tensor<5xf32>, tensor<5xf32>) outs(%m : tensor<5xi1>) {
  ^bb0(%a: f32, %b: f32, %out: i1):
    %p = arith.cmpf une, %a, %b : f32
    linalg.yield %p : i1
  } -> tensor<5xi1>
  %4 = linalg.generic {indexing_maps = [#all, #all, #all, #all], iterator_types = ["parallel"]}
      ins(%3, %x, %1 : tensor<5xi1>, tensor<5xf32>, tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: i1, %b: f32, %c: f32, %out: f32):
    %r = arith.select %a, %b, %c : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %5 = linalg.generic {indexing_maps = [#all, #all, #all, #all], iterator_types = ["parallel"]}
      ins(%2, %y, %4 : tensor<5xi1>, tensor<5xf32>, tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: i1, %b: f32, %c: f32, %out: f32):
    %r = arith.select %a, %b, %c : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  return %5 : tensor<5xf32>
}

// Not fmax: only one of them is looked at.

// CHECK-LABEL: func @one_nan_only
//   CHECK-NOT:   arith.maxnumf
//       CHECK:   return
func.func @one_nan_only(%x: tensor<5xf32>, %y: tensor<5xf32>) -> tensor<5xf32> {
  %e = tensor.empty() : tensor<5xf32>
  %m = tensor.empty() : tensor<5xi1>
  %1 = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<5xf32>, tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.cmpf ogt, %a, %b : f32
    %r = arith.select %p, %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %2 = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel"]}
      ins(%x, %x : tensor<5xf32>, tensor<5xf32>) outs(%m : tensor<5xi1>) {
  ^bb0(%a: f32, %b: f32, %out: i1):
    %p = arith.cmpf une, %a, %b : f32
    linalg.yield %p : i1
  } -> tensor<5xi1>
  %3 = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel"]}
      ins(%x, %x : tensor<5xf32>, tensor<5xf32>) outs(%m : tensor<5xi1>) {
  ^bb0(%a: f32, %b: f32, %out: i1):
    %p = arith.cmpf une, %a, %b : f32
    linalg.yield %p : i1
  } -> tensor<5xi1>
  %4 = linalg.generic {indexing_maps = [#all, #all, #all, #all], iterator_types = ["parallel"]}
      ins(%3, %x, %1 : tensor<5xi1>, tensor<5xf32>, tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: i1, %b: f32, %c: f32, %out: f32):
    %r = arith.select %a, %b, %c : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %5 = linalg.generic {indexing_maps = [#all, #all, #all, #all], iterator_types = ["parallel"]}
      ins(%2, %y, %4 : tensor<5xi1>, tensor<5xf32>, tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: i1, %b: f32, %c: f32, %out: f32):
    %r = arith.select %a, %b, %c : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  return %5 : tensor<5xf32>
}

// A norm of zeros has the gradient 0.

// CHECK-LABEL: func @norm
//       CHECK:   %[[NONE:.+]] = arith.cmpf oeq, %[[S:.+]], %[[ZERO:.+]] : f32
//  CHECK-NEXT:   %[[SAFE:.+]] = arith.select %[[NONE]], %{{.+}}, %[[S]] : f32
//  CHECK-NEXT:   %[[N:.+]] = math.powf %[[SAFE]]
//  CHECK-NEXT:   %[[R:.+]] = arith.select %[[NONE]], %[[ZERO]], %[[N]] : f32
//  CHECK-NEXT:   linalg.yield %[[R]]
func.func @norm(%x: tensor<5x7xf32>) -> tensor<5xf32> {
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %q = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %s = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<5x7xf32>) outs(%z : tensor<5xf32>) {
  ^bb0(%a: f32, %out: f32):
    %m = math.absf %a : f32
    %p = math.powf %m, %two : f32
    %r = arith.addf %p, %out : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %n = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel"]}
      ins(%s : tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = math.powf %a, %q : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  return %n : tensor<5xf32>
}

// Not a norm: another root than of the power.

// CHECK-LABEL: func @not_its_root
//   CHECK-NOT:   arith.select
//       CHECK:   return
func.func @not_its_root(%x: tensor<5x7xf32>) -> tensor<5xf32> {
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %q = arith.constant 0.25 : f32
  %e = tensor.empty() : tensor<5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %s = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<5x7xf32>) outs(%z : tensor<5xf32>) {
  ^bb0(%a: f32, %out: f32):
    %m = math.absf %a : f32
    %p = math.powf %m, %two : f32
    %r = arith.addf %p, %out : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %n = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel"]}
      ins(%s : tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = math.powf %a, %q : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  return %n : tensor<5xf32>
}

// celu: above 0 the exponential is not taken, and must not overflow.

// CHECK-LABEL: func @celu
//       CHECK:   %[[ABOVE:.+]] = arith.cmpf ogt, %[[T:.+]], %[[ZERO:.+]] : f32
//  CHECK-NEXT:   %[[LOW:.+]] = arith.select %[[ABOVE]], %[[ZERO]], %[[T]]
//  CHECK-NEXT:   math.expm1 %[[LOW]]
func.func @celu(%x: tensor<5xf32>) -> tensor<5xf32> {
  %c0 = arith.constant dense<0.0> : tensor<f32>
  %c2 = arith.constant dense<2.0> : tensor<f32>
  %e = tensor.empty() : tensor<5xf32>
  %m = tensor.empty() : tensor<5xi1>
  %1 = linalg.generic {indexing_maps = [#all, #number, #all], iterator_types = ["parallel"]}
      ins(%x, %c2 : tensor<5xf32>, tensor<f32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %2 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel"]}
      ins(%1 : tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = math.expm1 %a : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %3 = linalg.generic {indexing_maps = [#all, #number, #all], iterator_types = ["parallel"]}
      ins(%2, %c2 : tensor<5xf32>, tensor<f32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.mulf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %4 = linalg.generic {indexing_maps = [#all, #number, #all], iterator_types = ["parallel"]}
      ins(%x, %c0 : tensor<5xf32>, tensor<f32>) outs(%m : tensor<5xi1>) {
  ^bb0(%a: f32, %b: f32, %out: i1):
    %p = arith.cmpf ogt, %a, %b : f32
    linalg.yield %p : i1
  } -> tensor<5xi1>
  %5 = linalg.generic {indexing_maps = [#all, #all, #all, #all], iterator_types = ["parallel"]}
      ins(%4, %x, %3 : tensor<5xi1>, tensor<5xf32>, tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: i1, %b: f32, %c: f32, %out: f32):
    %r = arith.select %a, %b, %c : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  return %5 : tensor<5xf32>
}

// Not celu: what is compared is not what is bent.

// CHECK-LABEL: func @exponential_of_another
//   CHECK-NOT:   arith.cmpf
//       CHECK:   math.expm1
func.func @exponential_of_another(%x: tensor<5xf32>, %y: tensor<5xf32>) -> tensor<5xf32> {
  %c0 = arith.constant dense<0.0> : tensor<f32>
  %c2 = arith.constant dense<2.0> : tensor<f32>
  %e = tensor.empty() : tensor<5xf32>
  %m = tensor.empty() : tensor<5xi1>
  %1 = linalg.generic {indexing_maps = [#all, #number, #all], iterator_types = ["parallel"]}
      ins(%y, %c2 : tensor<5xf32>, tensor<f32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %2 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel"]}
      ins(%1 : tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = math.expm1 %a : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %3 = linalg.generic {indexing_maps = [#all, #number, #all], iterator_types = ["parallel"]}
      ins(%2, %c2 : tensor<5xf32>, tensor<f32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.mulf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %4 = linalg.generic {indexing_maps = [#all, #number, #all], iterator_types = ["parallel"]}
      ins(%x, %c0 : tensor<5xf32>, tensor<f32>) outs(%m : tensor<5xi1>) {
  ^bb0(%a: f32, %b: f32, %out: i1):
    %p = arith.cmpf ogt, %a, %b : f32
    linalg.yield %p : i1
  } -> tensor<5xi1>
  %5 = linalg.generic {indexing_maps = [#all, #all, #all, #all], iterator_types = ["parallel"]}
      ins(%4, %x, %3 : tensor<5xi1>, tensor<5xf32>, tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: i1, %b: f32, %c: f32, %out: f32):
    %r = arith.select %a, %b, %c : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  return %5 : tensor<5xf32>
}

// log1p(exp(x)) has a gradient that does not overflow, in one body; the exponential alone is still there for others.

// CHECK-LABEL: func @softplus
//       CHECK:   ^bb0(%[[T:.+]]: f32, %{{.+}}: f32):
//  CHECK-NEXT:   math.exp %[[T]]
//       CHECK:   ^bb0(%[[T:.+]]: f32, %{{.+}}: f32):
//  CHECK-NEXT:   %[[E:.+]] = math.exp %[[T]]
//  CHECK-NEXT:   %[[R:.+]] = math.log1p %[[E]]
//  CHECK-NEXT:   linalg.yield %[[R]]
func.func @softplus(%x: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %e = tensor.empty() : tensor<5xf32>
  %1 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel"]}
      ins(%x : tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %2 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel"]}
      ins(%1 : tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = math.log1p %a : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  return %2, %1 : tensor<5xf32>, tensor<5xf32>
}

// Binary cross entropy bounds its logarithms: what is below the bound gives back 0, not 0 / 0.

// CHECK-LABEL: func @bounded_logarithm
//       CHECK:   ^bb0(%[[P:.+]]: f32, %[[LOW:.+]]: f32, %{{.+}}: f32):
//  CHECK-NEXT:   %[[L:.+]] = math.log %[[P]]
//  CHECK-NEXT:   %[[R:.+]] = arith.maxnumf %[[L]], %[[LOW]]
//  CHECK-NEXT:   linalg.yield %[[R]]
func.func @bounded_logarithm(%x: tensor<5xf32>) -> tensor<5xf32> {
  %c100 = arith.constant dense<-100.0> : tensor<f32>
  %e = tensor.empty() : tensor<5xf32>
  %1 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel"]}
      ins(%x : tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = math.log %a : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %2 = linalg.generic {indexing_maps = [#all, #number, #all], iterator_types = ["parallel"]}
      ins(%1, %c100 : tensor<5xf32>, tensor<f32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.cmpf ogt, %a, %b : f32
    %r = arith.select %p, %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  return %2 : tensor<5xf32>
}
