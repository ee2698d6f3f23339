// RUN: sinter-opt --sinter-branches --split-input-file %s | FileCheck %s

// What both branches allocate of one size is allocated in front of them, through branches inside of them too.

// CHECK-LABEL: func @alike
//  CHECK-SAME:   (%[[C:.+]]: i1, %[[X:.+]]: memref<?x4xf32>)
//       CHECK:   %[[Y:.+]] = memref.alloc(%{{.+}}) {alignment = 64 : i64} : memref<?xf32>
//   CHECK-NOT:   memref.alloc
//       CHECK:     call @one(%[[X]], %[[Y]])
//       CHECK:     call @other(%[[X]], %[[Y]])
//       CHECK:     call @other(%[[X]], %[[Y]])
//       CHECK:   return %[[Y]]
func.func private @one(memref<?x4xf32>, memref<?xf32>)
func.func private @other(memref<?x4xf32>, memref<?xf32>)
func.func @alike(%c: i1, %x: memref<?x4xf32>) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x4xf32>
  %y = scf.if %c -> (memref<?xf32>) {
    %zero = arith.constant 0 : index
    %m = memref.dim %x, %zero : memref<?x4xf32>
    %a = memref.alloc(%m) {alignment = 64 : i64} : memref<?xf32>
    func.call @one(%x, %a) : (memref<?x4xf32>, memref<?xf32>) -> ()
    scf.yield %a : memref<?xf32>
  } else {
    %z = scf.if %c -> (memref<?xf32>) {
      %k = memref.dim %x, %c0 : memref<?x4xf32>
      %b = memref.alloc(%k) {alignment = 64 : i64} : memref<?xf32>
      func.call @other(%x, %b) : (memref<?x4xf32>, memref<?xf32>) -> ()
      scf.yield %b : memref<?xf32>
    } else {
      %k = memref.dim %x, %c0 : memref<?x4xf32>
      %b = memref.alloc(%k) {alignment = 64 : i64} : memref<?xf32>
      func.call @other(%x, %b) : (memref<?x4xf32>, memref<?xf32>) -> ()
      scf.yield %b : memref<?xf32>
    }
    scf.yield %z : memref<?xf32>
  }
  return %y : memref<?xf32>
}

// -----

// Sizes that may differ, or that a branch computes, stay, and so does what one branch has from elsewhere.

// CHECK-LABEL: func @apart
//       CHECK:   scf.if
//       CHECK:     memref.alloc
//       CHECK:   else
//       CHECK:     memref.alloc
//       CHECK:   scf.if
//       CHECK:     memref.alloc
//       CHECK:   scf.if
//       CHECK:     memref.alloc
//       CHECK:   else
//       CHECK:     memref.alloc
func.func @apart(%c: i1, %x: memref<?x?xf32>, %e: memref<?xf32>)
    -> (memref<?xf32>, memref<?xf32>, memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = scf.if %c -> (memref<?xf32>) {
    %m = memref.dim %x, %c0 : memref<?x?xf32>
    %a = memref.alloc(%m) : memref<?xf32>
    scf.yield %a : memref<?xf32>
  } else {
    %m = memref.dim %x, %c1 : memref<?x?xf32>
    %a = memref.alloc(%m) : memref<?xf32>
    scf.yield %a : memref<?xf32>
  }
  %z = scf.if %c -> (memref<?xf32>) {
    %m = memref.dim %x, %c0 : memref<?x?xf32>
    %a = memref.alloc(%m) : memref<?xf32>
    scf.yield %a : memref<?xf32>
  } else {
    scf.yield %e : memref<?xf32>
  }
  %w = scf.if %c -> (memref<?xf32>) {
    %s = memref.load %e[%c0] : memref<?xf32>
    %i = arith.fptosi %s : f32 to i64
    %m = arith.index_cast %i : i64 to index
    %a = memref.alloc(%m) : memref<?xf32>
    scf.yield %a : memref<?xf32>
  } else {
    %m = memref.dim %x, %c0 : memref<?x?xf32>
    %a = memref.alloc(%m) : memref<?xf32>
    scf.yield %a : memref<?xf32>
  }
  return %y, %z, %w : memref<?xf32>, memref<?xf32>, memref<?xf32>
}
