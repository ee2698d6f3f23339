// RUN: sinter-opt --sinter-inline --symbol-dce --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-inline --split-input-file --mlir-print-debuginfo %s | FileCheck %s --check-prefix=LOC

// Calls in calls, in regions, and twice, are what is called; where it stands is told with where it was called from.

// CHECK-LABEL: func @chain
//  CHECK-SAME:   %[[X:.+]]: f32, %[[C:.+]]: i1
//  CHECK-NEXT:   %[[A:.+]] = math.exp %[[X]]
//  CHECK-NEXT:   %[[B:.+]] = arith.negf %[[A]]
//  CHECK-NEXT:   %[[R:.+]] = scf.if %[[C]]
//  CHECK-NEXT:     %[[D:.+]] = math.exp %[[B]]
//  CHECK-NEXT:     %[[E:.+]] = arith.negf %[[D]]
//  CHECK-NEXT:     scf.yield %[[E]]
//  CHECK-NEXT:   } else {
//  CHECK-NEXT:     scf.yield %[[X]]
//       CHECK:   return %[[R]]
// LOC: #[[EXP:.+]] = loc("exp")
// LOC: #[[INNER:.+]] = loc("inner")
// LOC: #[[FIRST:.+]] = loc("first")
// LOC: #[[CALL:.+]] = loc(callsite(#[[INNER]] at #[[FIRST]]))
// LOC: loc(callsite(#[[EXP]] at #[[CALL]]))
func.func @chain(%x: f32, %c: i1) -> f32 {
  %y = func.call @outer(%x) : (f32) -> f32 loc("first")
  %r = scf.if %c -> f32 {
    %z = func.call @outer(%y) : (f32) -> f32
    scf.yield %z : f32
  } else {
    %same = func.call @same(%x) : (f32) -> f32
    scf.yield %same : f32
  }
  return %r : f32
}
func.func private @outer(%x: f32) -> f32 {
  %y = func.call @inner(%x) : (f32) -> f32 loc("inner")
  %z = arith.negf %y : f32
  return %z : f32
}
func.func private @inner(%x: f32) -> f32 {
  %y = math.exp %x : f32 loc("exp")
  return %y : f32
}
func.func private @same(%x: f32) -> f32 {
  return %x : f32
}

// -----

// What may come to call itself stays, and so does what says no_inline, or is declared alone; what these call does not.

// CHECK-LABEL: func @stay
//       CHECK:   call @even
//       CHECK:   call @apart
//       CHECK:   call @elsewhere
//       CHECK:   call @plain
//   CHECK-NOT:   call
//       CHECK: func.func private @even
//       CHECK:   math.exp
//       CHECK:   call @odd
//       CHECK: func.func private @odd
//       CHECK:   call @even
//       CHECK: func.func private @apart
//  CHECK-NEXT:   math.exp
func.func @stay(%x: f32) -> f32 {
  %a = func.call @to_even(%x) : (f32) -> f32
  %b = func.call @apart(%a) : (f32) -> f32
  %c = func.call @elsewhere(%b) : (f32) -> f32
  %d = func.call @plain(%c) {no_inline} : (f32) -> f32
  return %d : f32
}
func.func private @to_even(%x: f32) -> f32 {
  %y = func.call @even(%x) : (f32) -> f32
  return %y : f32
}
func.func private @even(%x: f32) -> f32 {
  %y = func.call @plain(%x) : (f32) -> f32
  %z = func.call @odd(%y) : (f32) -> f32
  return %z : f32
}
func.func private @odd(%x: f32) -> f32 {
  %y = func.call @even(%x) : (f32) -> f32
  return %y : f32
}
func.func private @apart(%x: f32) -> f32 attributes {no_inline} {
  %y = func.call @plain(%x) : (f32) -> f32
  return %y : f32
}
func.func private @elsewhere(f32) -> f32
func.func private @plain(%x: f32) -> f32 {
  %y = math.exp %x : f32
  return %y : f32
}
