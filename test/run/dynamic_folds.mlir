// RUN: sinter-run %s --shape=5 --verify --output=%t.x.npy --output=%t.s.npy --output=%t.c.npy | FileCheck %s
// RUN: %python -c "import sys; d = b''.join(open(p, 'rb').read()[128:] for p in sys.argv[1:]); print(len(d), set(d))" %t.x.npy %t.s.npy %t.c.npy | FileCheck %s --check-prefix=ZEROS

// x ^ x, x - x and x != x are constants, of x's size: 5 numbers of 4 bytes twice, and 5 of one.

// CHECK: agree
// ZEROS: 45 {0}
func.func @main(%x: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>, tensor<?xi1>) {
  %y = arith.xori %x, %x : tensor<?xi32>
  %z = arith.subi %x, %x : tensor<?xi32>
  %c = arith.cmpi ne, %x, %x : tensor<?xi32>
  return %y, %z, %c : tensor<?xi32>, tensor<?xi32>, tensor<?xi1>
}
