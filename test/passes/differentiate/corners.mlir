// RUN: sinter-opt --sinter-corners=wrt=0 %s | FileCheck %s
// RUN: sinter-opt --sinter-corners %s | FileCheck %s --check-prefix=UNASKED
// Running it again changes nothing.
// RUN: sinter-opt --sinter-corners=wrt=0 --sinter-corners=wrt=0 %s | FileCheck %s

#all = affine_map<(i) -> (i)>
#number = affine_map<(i) -> ()>
#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// torch.maximum: each of equal ones gets half. A NaN on the left is still passed over. Where nothing is
// differentiated nothing changes.

// CHECK-LABEL: func @ties
//       CHECK:   %[[MAX:.+]] = arith.maximumf %[[A:.+]], %[[B:.+]] : f32
//  CHECK-NEXT:   %[[NAN:.+]] = arith.cmpf uno, %[[A]], %[[A]]
//  CHECK-NEXT:   %[[R:.+]] = arith.select %[[NAN]], %[[B]], %[[MAX]]
//  CHECK-NEXT:   linalg.yield %[[R]]
//  UNASKED-LABEL: func @ties
//  UNASKED:   arith.cmpf ogt
//  UNASKED:   arith.select
func.func @ties(%x: tensor<5xf32>, %y: tensor<5xf32>) -> tensor<5xf32> {
  %e = tensor.empty() : tensor<5xf32>
  %1 = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<5xf32>, tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.cmpf ogt, %a, %b : f32
    %r = arith.select %p, %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  return %1 : tensor<5xf32>
}

// A constant on the left is no NaN.

// CHECK-LABEL: func @ties_of_a_constant
//       CHECK:   %[[R:.+]] = arith.minimumf
//  CHECK-NEXT:   linalg.yield %[[R]]
func.func @ties_of_a_constant(%x: tensor<5xf32>) -> tensor<5xf32> {
  %c0 = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : tensor<5xf32>
  %1 = linalg.generic {indexing_maps = [#number, #all, #all], iterator_types = ["parallel"]}
      ins(%c0, %x : tensor<f32>, tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.cmpf olt, %a, %b : f32
    %r = arith.select %p, %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  return %1 : tensor<5xf32>
}

// relu and clamp are spelled with unordered comparisons, and stay one-sided.

// CHECK-LABEL: func @one_sided
//   CHECK-NOT:   arith.m{{.+}}imumf
//       CHECK:   cmpf ugt
//       CHECK:   cmpf ugt
//   CHECK-NOT:   arith.m{{.+}}imumf
//       CHECK:   return
func.func @one_sided(%x: tensor<5xf32>) -> tensor<5xf32> {
  %c0 = arith.constant dense<0.0> : tensor<f32>
  %c6 = arith.constant dense<6.0> : tensor<f32>
  %e = tensor.empty() : tensor<5xf32>
  %1 = linalg.generic {indexing_maps = [#all, #number, #all], iterator_types = ["parallel"]}
      ins(%x, %c0 : tensor<5xf32>, tensor<f32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.cmpf ugt, %a, %b : f32
    %r = arith.select %p, %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %2 = linalg.generic {indexing_maps = [#all, #number, #all], iterator_types = ["parallel"]}
      ins(%1, %c6 : tensor<5xf32>, tensor<f32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.cmpf ugt, %a, %b : f32
    %r = arith.select %p, %b, %a : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  return %2 : tensor<5xf32>
}

// torch.where compares in an op of its own.

// CHECK-LABEL: func @where
//   CHECK-NOT:   maximumf
//       CHECK:   return
func.func @where(%x: tensor<5xf32>, %y: tensor<5xf32>) -> tensor<5xf32> {
  %e = tensor.empty() : tensor<5xf32>
  %m = tensor.empty() : tensor<5xi1>
  %1 = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<5xf32>, tensor<5xf32>) outs(%m : tensor<5xi1>) {
  ^bb0(%a: f32, %b: f32, %out: i1):
    %p = arith.cmpf ogt, %a, %b : f32
    linalg.yield %p : i1
  } -> tensor<5xi1>
  %2 = linalg.generic {indexing_maps = [#all, #all, #all, #all], iterator_types = ["parallel"]}
      ins(%1, %x, %y : tensor<5xi1>, tensor<5xf32>, tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: i1, %b: f32, %c: f32, %out: f32):
    %r = arith.select %a, %b, %c : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  return %2 : tensor<5xf32>
}

// elu at 0 is the branch of x <= 0: max(0, x) gives x nothing there, min(0, x) all.

// CHECK-LABEL: func @elu
//       CHECK:   arith.cmpf oge, %[[ZERO:.+]], %[[X:.+]] : f32
//  CHECK-NEXT:   arith.select %{{.+}}, %[[ZERO]], %[[X]]
//       CHECK:   arith.cmpf uge, %[[ZERO:.+]], %[[X:.+]] : f32
//  CHECK-NEXT:   arith.select %{{.+}}, %[[X]], %[[ZERO]]
//   CHECK-NOT:   imumf
//       CHECK:   return
func.func @elu(%x: tensor<5xf32>) -> tensor<5xf32> {
  %c0 = arith.constant dense<0.0> : tensor<f32>
  %c1 = arith.constant dense<1.0> : tensor<f32>
  %e = tensor.empty() : tensor<5xf32>
  %1 = linalg.generic {indexing_maps = [#number, #all, #all], iterator_types = ["parallel"]}
      ins(%c0, %x : tensor<f32>, tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.cmpf ogt, %a, %b : f32
    %r = arith.select %p, %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %2 = linalg.generic {indexing_maps = [#number, #all, #all], iterator_types = ["parallel"]}
      ins(%c0, %x : tensor<f32>, tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.cmpf olt, %a, %b : f32
    %r = arith.select %p, %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %3 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel"]}
      ins(%2 : tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %4 = linalg.generic {indexing_maps = [#all, #number, #all], iterator_types = ["parallel"]}
      ins(%3, %c1 : tensor<5xf32>, tensor<f32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.subf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %5 = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel"]}
      ins(%1, %4 : tensor<5xf32>, tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  return %5 : tensor<5xf32>
}

// A maximum that something else reads too is copied.

// CHECK-LABEL: func @elu_and_a_maximum
//       CHECK:   %[[SHARED:.+]] = linalg.generic
//       CHECK:   arith.maximumf
//       CHECK:   %[[OWN:.+]] = linalg.generic
//       CHECK:   arith.cmpf oge
//       CHECK:   linalg.generic
//       CHECK:   arith.cmpf uge
//       CHECK:   arith.mulf
//       CHECK:   %[[SUM:.+]] = linalg.generic
//  CHECK-SAME:     ins(%[[OWN]], %{{.+}} :
//       CHECK:   return %[[SUM]], %[[SHARED]]
func.func @elu_and_a_maximum(%x: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %c0 = arith.constant dense<0.0> : tensor<f32>
  %ch = arith.constant dense<0.5> : tensor<f32>
  %e = tensor.empty() : tensor<5xf32>
  %1 = linalg.generic {indexing_maps = [#number, #all, #all], iterator_types = ["parallel"]}
      ins(%c0, %x : tensor<f32>, tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.cmpf ogt, %a, %b : f32
    %r = arith.select %p, %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %2 = linalg.generic {indexing_maps = [#number, #all, #all], iterator_types = ["parallel"]}
      ins(%c0, %x : tensor<f32>, tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.cmpf olt, %a, %b : f32
    %r = arith.select %p, %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %3 = linalg.generic {indexing_maps = [#all, #number, #all], iterator_types = ["parallel"]}
      ins(%2, %ch : tensor<5xf32>, tensor<f32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.mulf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %4 = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel"]}
      ins(%1, %3 : tensor<5xf32>, tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  return %4, %1 : tensor<5xf32>, tensor<5xf32>
}

// Not elu: the maximum is of one value, the minimum of another.

// CHECK-LABEL: func @of_two_values
//       CHECK:   arith.maximumf
//       CHECK:   arith.minimumf
func.func @of_two_values(%x: tensor<5xf32>, %y: tensor<5xf32>) -> tensor<5xf32> {
  %c0 = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : tensor<5xf32>
  %1 = linalg.generic {indexing_maps = [#number, #all, #all], iterator_types = ["parallel"]}
      ins(%c0, %x : tensor<f32>, tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.cmpf ogt, %a, %b : f32
    %r = arith.select %p, %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %2 = linalg.generic {indexing_maps = [#number, #all, #all], iterator_types = ["parallel"]}
      ins(%c0, %y : tensor<f32>, tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.cmpf olt, %a, %b : f32
    %r = arith.select %p, %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %3 = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel"]}
      ins(%1, %2 : tensor<5xf32>, tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  return %3 : tensor<5xf32>
}

// hardtanh and relu6: at the bounds the constants win.

// CHECK-LABEL: func @hardtanh
//       CHECK:   arith.cmpf ule, %[[X:.+]], %[[LOW:.+]] : f32
//  CHECK-NEXT:   arith.select %{{.+}}, %[[LOW]], %[[X]]
//       CHECK:   arith.cmpf ole, %[[HIGH:.+]], %[[X:.+]] : f32
//  CHECK-NEXT:   arith.select %{{.+}}, %[[HIGH]], %[[X]]
//   CHECK-NOT:   imumf
//       CHECK:   return
func.func @hardtanh(%x: tensor<5xf32>) -> tensor<5xf32> {
  %c1 = arith.constant dense<1.0> : tensor<f32>
  %cm1 = arith.constant dense<-1.0> : tensor<f32>
  %e = tensor.empty() : tensor<5xf32>
  %1 = linalg.generic {indexing_maps = [#all, #number, #all], iterator_types = ["parallel"]}
      ins(%x, %cm1 : tensor<5xf32>, tensor<f32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.cmpf ogt, %a, %b : f32
    %r = arith.select %p, %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %2 = linalg.generic {indexing_maps = [#number, #all, #all], iterator_types = ["parallel"]}
      ins(%c1, %1 : tensor<f32>, tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.cmpf olt, %a, %b : f32
    %r = arith.select %p, %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  return %2 : tensor<5xf32>
}

// A maximum of a minimum is written by hand.

// CHECK-LABEL: func @bounds_other_order
//       CHECK:   arith.minimumf
//       CHECK:   arith.maximumf
func.func @bounds_other_order(%x: tensor<5xf32>) -> tensor<5xf32> {
  %c1 = arith.constant dense<1.0> : tensor<f32>
  %cm1 = arith.constant dense<-1.0> : tensor<f32>
  %e = tensor.empty() : tensor<5xf32>
  %1 = linalg.generic {indexing_maps = [#number, #all, #all], iterator_types = ["parallel"]}
      ins(%c1, %x : tensor<f32>, tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.cmpf olt, %a, %b : f32
    %r = arith.select %p, %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %2 = linalg.generic {indexing_maps = [#number, #all, #all], iterator_types = ["parallel"]}
      ins(%cm1, %1 : tensor<f32>, tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.cmpf ogt, %a, %b : f32
    %r = arith.select %p, %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  return %2 : tensor<5xf32>
}

// Nor is a lower bound above the upper one.

// CHECK-LABEL: func @bounds_crossed
//       CHECK:   arith.maximumf
//       CHECK:   arith.minimumf
func.func @bounds_crossed(%x: tensor<5xf32>) -> tensor<5xf32> {
  %c1 = arith.constant dense<1.0> : tensor<f32>
  %cm1 = arith.constant dense<-1.0> : tensor<f32>
  %e = tensor.empty() : tensor<5xf32>
  %1 = linalg.generic {indexing_maps = [#all, #number, #all], iterator_types = ["parallel"]}
      ins(%x, %c1 : tensor<5xf32>, tensor<f32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.cmpf ogt, %a, %b : f32
    %r = arith.select %p, %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %2 = linalg.generic {indexing_maps = [#number, #all, #all], iterator_types = ["parallel"]}
      ins(%cm1, %1 : tensor<f32>, tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.cmpf olt, %a, %b : f32
    %r = arith.select %p, %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  return %2 : tensor<5xf32>
}

// A reduction that keeps the greater one is no torch.maximum.

// CHECK-LABEL: func @reduction
//       CHECK:   arith.cmpf ogt
//       CHECK:   arith.select
func.func @reduction(%x: tensor<5x7xf32>, %start: tensor<5xf32>) -> tensor<5xf32> {
  %m = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<5x7xf32>) outs(%start : tensor<5xf32>) {
  ^bb0(%a: f32, %out: f32):
    %p = arith.cmpf ogt, %a, %out : f32
    %r = arith.select %p, %a, %out : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  return %m : tensor<5xf32>
}
