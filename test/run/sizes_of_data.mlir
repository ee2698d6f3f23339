// RUN: sinter-run %s --shape=3 --output-shape=12
// RUN: sinter-run %s --shape=3 --output-shape=12 --policy=disabled
// RUN: not sinter-run %s --shape=3 2>&1 | FileCheck %s --check-prefix=ASK
// RUN: not sinter-run %s --shape=3 --output-shape=9 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not sinter-run %s --shape=3 --output-shape=9x1 2>&1 | FileCheck %s --check-prefix=RANK

// A result whose size depends on data, or on how often a loop runs, has the size that its caller says, and no other.

// ASK: error: output 0 of grown has sizes that depend on data: give them with --output-shape
// OTHER: error: {{.*}}output 0 has another size in dimension 0, by its inputs' elements, than its caller gave
// RANK: error: --output-shape=9x1 is no shape of output 0 of grown

func.func @grown(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %x) -> (tensor<?xf32>) {
    %n = tensor.concat dim(0) %t, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    scf.yield %n : tensor<?xf32>
  }
  return %y : tensor<?xf32>
}
