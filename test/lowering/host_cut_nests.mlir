// RUN: sinter-opt --sinter-cut-nests=most=2 --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-cut-nests --split-input-file %s | FileCheck %s --check-prefix=FEW

// Of three levels the inner two are a function, with what they take as arguments; constants and empty tensors are made
// again. Levels that are few are left as they are.

// FEW-NOT: call

// CHECK-LABEL: func @three
//  CHECK-SAME:   %[[X:.+]]: tensor<4xf32>, %[[C:.+]]: i1, %[[F:.+]]: f32
//       CHECK:   %[[A:.+]] = scf.if %[[C]]
//  CHECK-NEXT:     %[[B:.+]] = func.call @three_nest0(%[[C]], %[[F]], %[[X]]) : (i1, f32, tensor<4xf32>) -> tensor<4xf32>
//  CHECK-NEXT:     scf.yield %[[B]]
//       CHECK:   return %[[A]]
//       CHECK: func.func private @three_nest0(%[[D:.+]]: i1, %[[G:.+]]: f32, %[[Y:.+]]: tensor<4xf32>)
//   CHECK-DAG:   %[[I:.+]] = arith.constant 2 : index
//   CHECK-DAG:   %[[E:.+]] = tensor.empty() : tensor<4xf32>
//       CHECK:   %[[R:.+]] = scf.if %[[D]]
//  CHECK-NEXT:     %[[S:.+]] = scf.if %[[D]]
//  CHECK-NEXT:       tensor.insert %[[G]] into %[[E]][%[[I]]]
//       CHECK:     scf.yield %[[Y]]
//       CHECK:   return %[[R]]
func.func @three(%x: tensor<4xf32>, %c: i1, %f: f32) -> tensor<4xf32> {
  %i = arith.constant 2 : index
  %e = tensor.empty() : tensor<4xf32>
  %a = scf.if %c -> tensor<4xf32> {
    %b = scf.if %c -> tensor<4xf32> {
      %d = scf.if %c -> tensor<4xf32> {
        %n = tensor.insert %f into %e[%i] : tensor<4xf32>
        scf.yield %n : tensor<4xf32>
      } else {
        scf.yield %x : tensor<4xf32>
      }
      scf.yield %d : tensor<4xf32>
    } else {
      scf.yield %x : tensor<4xf32>
    }
    scf.yield %b : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %a : tensor<4xf32>
}

// -----

// Loops are levels, too: each function has two of the five, and the function of the outer ones calls that of the inner.

// CHECK-LABEL: func @loops
//       CHECK:   scf.for %[[I0:[a-z0-9]+]] =
//  CHECK-NEXT:     func.call @loops_nest1(%{{.*}}%[[I0]]
//   CHECK-NOT:   scf.{{for|while}}
//       CHECK: func.func private @loops_nest0
//       CHECK:   scf.for
//       CHECK:     scf.while
//       CHECK: func.func private @loops_nest1
//       CHECK:   scf.for
//       CHECK:     scf.for
//  CHECK-NEXT:       func.call @loops_nest0
func.func @loops(%x: tensor<4xindex>) -> tensor<4xindex> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %x) -> tensor<4xindex> {
    %b = scf.for %j = %c0 to %c4 step %c1 iter_args(%u = %t) -> tensor<4xindex> {
      %c = scf.for %k = %c0 to %c4 step %c1 iter_args(%v = %u) -> tensor<4xindex> {
        %d = scf.for %l = %i to %j step %c1 iter_args(%w = %v) -> tensor<4xindex> {
          %e = scf.while (%z = %w) : (tensor<4xindex>) -> tensor<4xindex> {
            %f = tensor.extract %z[%l] : tensor<4xindex>
            %g = arith.cmpi ult, %f, %k : index
            scf.condition(%g) %z : tensor<4xindex>
          } do {
          ^bb0(%z: tensor<4xindex>):
            %h = tensor.insert %c4 into %z[%l] : tensor<4xindex>
            scf.yield %h : tensor<4xindex>
          }
          scf.yield %e : tensor<4xindex>
        }
        scf.yield %d : tensor<4xindex>
      }
      scf.yield %c : tensor<4xindex>
    }
    scf.yield %b : tensor<4xindex>
  }
  return %a : tensor<4xindex>
}

// -----

// Memory does not cross, and no size `?` comes back.

// CHECK-LABEL: func @memory
//   CHECK-NOT: call
func.func @memory(%x: f32, %c: i1) -> f32 {
  %i = arith.constant 2 : index
  %m = memref.alloc() : memref<4xf32>
  scf.if %c {
    scf.if %c {
      scf.if %c {
        memref.store %x, %m[%i] : memref<4xf32>
      }
    }
  }
  %y = memref.load %m[%i] : memref<4xf32>
  return %y : f32
}

// -----

// CHECK-LABEL: func @open_size
//   CHECK-NOT: call
func.func @open_size(%x: tensor<?xf32>, %y: tensor<?xf32>, %c: i1, %d: i1) -> tensor<?xf32> {
  %a = scf.if %c -> tensor<?xf32> {
    %b = scf.if %d -> tensor<?xf32> {
      %e = scf.if %c -> tensor<?xf32> {
        scf.yield %x : tensor<?xf32>
      } else {
        scf.yield %y : tensor<?xf32>
      }
      scf.yield %e : tensor<?xf32>
    } else {
      scf.yield %x : tensor<?xf32>
    }
    scf.yield %b : tensor<?xf32>
  } else {
    scf.yield %y : tensor<?xf32>
  }
  return %a : tensor<?xf32>
}

// -----

// A function has room for as many levels as it may have.

// CHECK-LABEL: func @room
//   CHECK-NOT: call
func.func @room(%x: f32, %c: i1) -> f32 {
  %a = scf.if %c -> f32 {
    %b = scf.if %c -> f32 {
      %y = math.exp %x : f32
      scf.yield %y : f32
    } else {
      scf.yield %x : f32
    }
    scf.yield %b : f32
  } else {
    scf.yield %x : f32
  }
  return %a : f32
}
