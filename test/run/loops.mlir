// RUN: sinter-run %s --entry=sum --verify && sinter-run %s --entry=sum --policy=aggressive --verify
// RUN: sinter-run %s --entry=swap --input=%reference/mse/seed0/in0.npy --input=%reference/mse/seed0/in1.npy --expect=%reference/mse/seed0/in1.npy --expect=%reference/mse/seed0/in0.npy
// RUN: sinter-run %s --entry=until --verify
// RUN: sinter-run %s --entry=sum --policy=disabled --verify

// What a turn of a loop makes is where the next one looks for it, wherever it was computed.

func.func @sum(%x: tensor<37x131xf32>) -> tensor<37x131xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %t = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> tensor<37x131xf32> {
    %e = tensor.empty() : tensor<37x131xf32>
    %n = linalg.add ins(%a, %x : tensor<37x131xf32>, tensor<37x131xf32>) outs(%e : tensor<37x131xf32>) -> tensor<37x131xf32>
    scf.yield %n : tensor<37x131xf32>
  }
  return %t : tensor<37x131xf32>
}

// Three times.

func.func @swap(%x: tensor<37x131xf32>, %y: tensor<37x131xf32>) -> (tensor<37x131xf32>, tensor<37x131xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %t, %u = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<37x131xf32>, tensor<37x131xf32>) {
    scf.yield %b, %a : tensor<37x131xf32>, tensor<37x131xf32>
  }
  return %t, %u : tensor<37x131xf32>, tensor<37x131xf32>
}

func.func @until(%x: tensor<5x9xf32>) -> tensor<5x9xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r, %n = scf.while (%a = %x, %i = %c0) : (tensor<5x9xf32>, index) -> (tensor<5x9xf32>, index) {
    %more = arith.cmpi ult, %i, %c4 : index
    scf.condition(%more) %a, %i : tensor<5x9xf32>, index
  } do {
  ^next(%a: tensor<5x9xf32>, %i: index):
    %y = arith.addf %a, %x : tensor<5x9xf32>
    %z = math.sin %y : tensor<5x9xf32>
    %j = arith.addi %i, %c1 : index
    scf.yield %z, %j : tensor<5x9xf32>, index
  }
  return %r : tensor<5x9xf32>
}
