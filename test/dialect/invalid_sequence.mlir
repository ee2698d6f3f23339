// RUN: sinter-opt --split-input-file --verify-diagnostics %s

// The rules of sinter.sequence (Q), one case or more a rule.

func.func @q1_arguments(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{has a body that is not one block without arguments which ends in sinter.yield}}
  %z = sinter.sequence -> tensor<4x8xf32> {
    ^body(%n: index):
    %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield %y : tensor<4x8xf32>
  }
  return
}

// -----

func.func @q1_other(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  %z = sinter.sequence -> tensor<4x8xf32> {
    // expected-error @+1 {{stands in a sequence, which holds sinter.rowwise, contract and steps, reshapes, and loops}}
    %n = arith.constant 1.0 : f32
    %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield %y : tensor<4x8xf32>
  }
  return
}

// -----

func.func @q2_number(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{yields 2 values, and has 1 results}}
  %z = sinter.sequence -> tensor<4x8xf32> {
    %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield %y, %y : tensor<4x8xf32>, tensor<4x8xf32>
  }
  return
}

// -----

func.func @q2_type(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{yields a 'tensor<4x8xf32>' for result 0, which is a 'tensor<4x9xf32>'}}
  %z = sinter.sequence -> tensor<4x9xf32> {
    %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield %y : tensor<4x8xf32>
  }
  return
}

// -----

func.func @q2_outside(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{yields a value for result 0 that is no result of a form or a loop in its body}}
  %z = sinter.sequence -> tensor<4x8xf32> {
    %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield %x : tensor<4x8xf32>
  }
  return
}

// -----

func.func @q2_view(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{yields a value for result 0 that is no result of a form or a loop in its body}}
  %z = sinter.sequence -> tensor<32xf32> {
    %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    %v = tensor.collapse_shape %y [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
    sinter.yield %v : tensor<32xf32>
  }
  return
}

// -----

func.func @q2_twice(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{yields one value for results 0 and 1}}
  %z:2 = sinter.sequence -> tensor<4x8xf32>, tensor<4x8xf32> {
    %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield %y, %y : tensor<4x8xf32>, tensor<4x8xf32>
  }
  return
}

// -----

func.func @q3_number(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{has 2 phases for 1 forms}}
  %z = sinter.sequence phases [0, 1] -> tensor<4x8xf32> {
    %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield %y : tensor<4x8xf32>
  }
  return
}

// -----

func.func @q3_first(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{has phase 1 for form 0; it is 0}}
  %z = sinter.sequence phases [1] -> tensor<4x8xf32> {
    %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield %y : tensor<4x8xf32>
  }
  return
}

// -----

func.func @q3_next(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{has phase 2 for form 1; it is that of the one before, or the next}}
  %z = sinter.sequence phases [0, 2] -> tensor<4x8xf32> {
    %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    %w = sinter.rowwise (i = 4) by (j = 8) ins(%y[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield %w : tensor<4x8xf32>
  }
  return
}

// -----

func.func @q4_result(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{has forms 0 and 1 in phase 0, and the second has to wait for the first: one of them writes what the other touches}}
  %z = sinter.sequence phases [0, 0] -> tensor<4x8xf32> {
    %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    %w = sinter.rowwise (i = 4) by (j = 8) ins(%y[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield %w : tensor<4x8xf32>
  }
  return
}

// -----

func.func @q4_through_a_reshape(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{has forms 0 and 1 in phase 0}}
  %z = sinter.sequence phases [0, 0] -> tensor<4x8xf32> {
    %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    %v = tensor.collapse_shape %y [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
    %u = tensor.expand_shape %v [[0, 1]] output_shape [4, 8] : tensor<32xf32> into tensor<4x8xf32>
    %w = sinter.rowwise (i = 4) by (j = 8) ins(%u[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield %w : tensor<4x8xf32>
  }
  return
}

// -----

func.func @q4_read_behind_write(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %z: memref<4x8xf32>) {
  // expected-error @+1 {{has forms 0 and 1 in phase 0}}
  sinter.sequence phases [0, 0] {
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.rowwise (i = 4) by (j = 8) ins(%y[i, j] : memref<4x8xf32>) outs(%z[i, j] : memref<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield
  }
  return
}

// -----

func.func @q4_write_behind_read(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %z: memref<4x8xf32>) {
  // expected-error @+1 {{has forms 0 and 1 in phase 0}}
  sinter.sequence phases [0, 0] {
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.rowwise (i = 4) by (j = 8) ins(%z[i, j] : memref<4x8xf32>) outs(%x[i, j] : memref<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield
  }
  return
}

// -----

func.func @q4_write_behind_write(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %z: memref<4x8xf32>) {
  // expected-error @+1 {{has forms 0 and 1 in phase 0}}
  sinter.sequence phases [0, 0] {
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.rowwise (i = 4) by (j = 8) ins(%z[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield
  }
  return
}

// -----

func.func @q4_two_readers(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %z: memref<4x8xf32>) {
  sinter.sequence phases [0, 0] {
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%z[i, j] : memref<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield
  }
  return
}

// -----

func.func @q4_later(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %z: memref<4x8xf32>) {
  sinter.sequence phases [0, 1] {
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.rowwise (i = 4) by (j = 8) ins(%y[i, j] : memref<4x8xf32>) outs(%x[i, j] : memref<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield
  }
  return
}

// -----

func.func @q5_schedule(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  // expected-error @+1 {{has a schedule that is no #sinter.gpu_sequence}}
  %z = sinter.sequence schedule(#sinter.gpu_rows<threads = 32>) -> tensor<4x8xf32> {
    %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield %y : tensor<4x8xf32>
  }
  return
}

// -----

func.func @q5_turns(%x: tensor<4x8xf32>, %e: tensor<32xf32>) {
  %z = sinter.sequence schedule(#sinter.cpu_sequence<forms = "turns">) -> tensor<32xf32> {
    // expected-error @+1 {{stands in a sequence whose forms run by turns, which holds nothing else}}
    %v = tensor.collapse_shape %x [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
    %y = sinter.rowwise () by (j = 32) ins(%v[j] : tensor<32xf32>) outs(%e[j] : tensor<32xf32>) {
    ^row(%a: tensor<32xf32>):
      sinter.yield %a : tensor<32xf32>
    }
    sinter.yield %y : tensor<32xf32>
  }
  return
}

// -----

func.func @q6_nested(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  %z = sinter.sequence -> tensor<4x8xf32> {
    // expected-error @+1 {{stands in another sequence}}
    %w = sinter.sequence -> tensor<4x8xf32> {
      %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
      sinter.yield %y : tensor<4x8xf32>
    }
    %v = sinter.rowwise (i = 4) by (j = 8) ins(%w[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield %v : tensor<4x8xf32>
  }
  return
}

// -----

func.func @q7_number(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %z: memref<4x8xf32>) {
  // expected-error @+1 {{has 1 waits for 2 forms}}
  sinter.sequence waits [0] {
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%z[i, j] : memref<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield
  }
  return
}

// -----

func.func @q7_itself(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %z: memref<4x8xf32>) {
  // expected-error @+1 {{has form 1 wait for 2 forms, and there are 1 in front of it}}
  sinter.sequence waits [0, 2] {
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.rowwise (i = 4) by (j = 8) ins(%y[i, j] : memref<4x8xf32>) outs(%z[i, j] : memref<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield
  }
  return
}

// -----

func.func @q7_negative(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %z: memref<4x8xf32>) {
  // expected-error @+1 {{has form 0 wait for -1 forms, and there are 0 in front of it}}
  sinter.sequence waits [-1, 1] {
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.rowwise (i = 4) by (j = 8) ins(%y[i, j] : memref<4x8xf32>) outs(%z[i, j] : memref<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield
  }
  return
}

// -----

func.func @q7_too_few(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %z: memref<4x8xf32>) {
  // expected-error @+1 {{has form 1 wait for 0 forms, and it has to wait for form 0: one of them writes what the other touches}}
  sinter.sequence waits [0, 0] {
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.rowwise (i = 4) by (j = 8) ins(%y[i, j] : memref<4x8xf32>) outs(%z[i, j] : memref<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield
  }
  return
}

// -----

func.func @q7_overwritten(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %z: memref<4x8xf32>) {
  // expected-error @+1 {{has form 2 wait for 1 forms, and it has to wait for form 1: one of them writes what the other touches}}
  sinter.sequence waits [0, 0, 1] {
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%z[i, j] : memref<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.rowwise (i = 4) by (j = 8) ins(%z[i, j] : memref<4x8xf32>) outs(%x[i, j] : memref<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield
  }
  return
}

// -----

func.func @q7_right(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %z: memref<4x8xf32>) {
  sinter.sequence waits [0, 0, 2] {
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%z[i, j] : memref<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.rowwise (i = 4) by (j = 8) ins(%z[i, j] : memref<4x8xf32>) outs(%x[i, j] : memref<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield
  }
  return
}

// -----

func.func @q11(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %z: memref<4x8xf32>) {
  sinter.sequence phases [0, 1] {
    // expected-error @below {{is computed by each block, and form 1 writes what it touches before all blocks have met}}
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>) schedule(#sinter.gpu_rows<repeated = 1>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.rowwise (i = 4) by (j = 8) ins(%z[i, j] : memref<4x8xf32>) outs(%x[i, j] : memref<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield
  }
  return
}

// -----

func.func @q11_behind_two(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %z: memref<4x8xf32>) {
  sinter.sequence phases [0, 1, 2] {
    // expected-error @below {{is computed by each block, and form 2 writes what it touches before all blocks have met}}
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>) schedule(#sinter.gpu_rows<repeated = 1>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.rowwise (i = 4) by (j = 8) ins(%y[i, j] : memref<4x8xf32>) outs(%z[i, j] : memref<4x8xf32>) schedule(#sinter.gpu_rows<repeated = 1>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.rowwise (i = 4) by (j = 8) ins(%z[i, j] : memref<4x8xf32>) outs(%x[i, j] : memref<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield
  }
  return
}

// -----

func.func @q11_phase(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %z: memref<4x8xf32>) {
  sinter.sequence phases [0, 0, 1] {
    // expected-error @below {{is computed by each block, and form 1 of its phase is not}}
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>) schedule(#sinter.gpu_rows<repeated = 1>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%z[i, j] : memref<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.rowwise (i = 4) by (j = 8) ins(%y[i, j] : memref<4x8xf32>) outs(%x[i, j] : memref<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield
  }
  return
}

// -----

func.func @q11_last(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %z: memref<4x8xf32>) {
  sinter.sequence phases [0, 1] {
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    // expected-error @below {{is computed by each block, and no phase comes behind it}}
    sinter.rowwise (i = 4) by (j = 8) ins(%y[i, j] : memref<4x8xf32>) outs(%z[i, j] : memref<4x8xf32>) schedule(#sinter.gpu_rows<repeated = 1>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield
  }
  return
}

// -----

func.func @q11_in_place(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %z: memref<4x8xf32>) {
  sinter.sequence phases [0, 1] {
    // expected-error @below {{is computed by each block, and writes what it reads}}
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%x[i, j] : memref<4x8xf32>) schedule(#sinter.gpu_rows<repeated = 1>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield
  }
  return
}

// -----

func.func @q11_right(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %z: memref<4x8xf32>) {
  sinter.sequence phases [0, 1, 2] {
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>) schedule(#sinter.gpu_rows<repeated = 1>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.rowwise (i = 4) by (j = 8) ins(%y[i, j] : memref<4x8xf32>) outs(%z[i, j] : memref<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.rowwise (i = 4) by (j = 8) ins(%z[i, j] : memref<4x8xf32>) outs(%x[i, j] : memref<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield
  }
  return
}
