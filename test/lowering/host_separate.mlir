// RUN: sinter-opt --sinter-separate --split-input-file %s | FileCheck %s

// Each operation of linalg is called; those that do the same are one function, with its constants inside.

// CHECK-LABEL: func @main
//  CHECK-SAME:   %[[X:.+]]: memref<4x8xf32>, %[[Y:.+]]: memref<4x8xf32>, %[[Z:.+]]: memref<4x8xf32>
//       CHECK:   call @main_part0(%[[X]], %[[Y]])
//  CHECK-NEXT:   call @main_part1(%[[X]], %[[Y]])
//  CHECK-NEXT:   call @main_part0(%[[Y]], %[[Z]])
//  CHECK-NEXT:   return
//       CHECK: func.func private @main_part0(%[[A:.+]]: memref<4x8xf32>, %[[B:.+]]: memref<4x8xf32>) attributes
//  CHECK-SAME:   {passthrough = ["noinline"], sinter.part}
//  CHECK-NEXT:   %[[C:.+]] = arith.constant 2.0
//  CHECK-NEXT:   linalg.generic {{.+}} ins(%[[A]] : memref<4x8xf32>) outs(%[[B]] : memref<4x8xf32>)
//       CHECK:     arith.mulf %{{.+}}, %[[C]]
//       CHECK:   return
//       CHECK: func.func private @main_part1
//       CHECK:   linalg.exp
//   CHECK-NOT: @main_part2
func.func @main(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %z: memref<4x8xf32>) {
  %c = arith.constant 2.0 : f32
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]} ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.mulf %a, %c : f32
    linalg.yield %s : f32
  }
  linalg.exp ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]} ins(%y : memref<4x8xf32>) outs(%z : memref<4x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.mulf %a, %c : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// What its body reads from outside is passed, once each, and only in a loop of the host where it stands in one.

// CHECK-LABEL: func @captured
//  CHECK-SAME:   %[[T:.+]]: memref<5xf32>, %[[Y:.+]]: memref<4x8xf32>
//       CHECK:   scf.for %[[I:.+]] =
//  CHECK-NEXT:     call @captured_part0(%[[Y]], %[[T]], %[[I]]) : (memref<4x8xf32>, memref<5xf32>, index) -> ()
//       CHECK: func.func private @captured_part0
//       CHECK:   memref.load
func.func @captured(%t: memref<5xf32>, %y: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  scf.for %i = %c0 to %c5 step %c1 {
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        outs(%y : memref<4x8xf32>) {
    ^bb0(%o: f32):
      %a = memref.load %t[%i] : memref<5xf32>
      %b = memref.load %t[%i] : memref<5xf32>
      %s = arith.addf %a, %b : f32
      %r = arith.addf %s, %o : f32
      linalg.yield %r : f32
    }
  }
  return
}

// -----

// A number needs no loop; an assert ends the host's function.

// CHECK-LABEL: func @stays
//   CHECK-NOT:   call
//       CHECK:   return
//   CHECK-NOT: @stays_part0
func.func @stays(%n: memref<f32>, %k: memref<4xi64>, %y: memref<4xi64>) {
  linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []} outs(%n : memref<f32>) {
  ^bb0(%o: f32):
    %s = arith.addf %o, %o : f32
    linalg.yield %s : f32
  }
  %c0 = arith.constant 0 : i64
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%k : memref<4xi64>) outs(%y : memref<4xi64>) {
  ^bb0(%a: i64, %o: i64):
    %ok = arith.cmpi ne, %a, %c0 : i64
    cf.assert %ok, "divided by zero"
    %q = arith.divsi %o, %a : i64
    linalg.yield %q : i64
  }
  return
}

// -----

// Kernels are functions already.

// CHECK-LABEL: func private @kernel
//       CHECK:   linalg.exp
func.func private @kernel(%x: memref<4x8xf32>, %y: memref<4x8xf32>) attributes {sinter.kernel} {
  linalg.exp ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>)
  return
}
