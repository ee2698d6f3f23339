// RUN: sinter-opt --split-input-file --verify-diagnostics %s

// The rules of loops in a sinter.sequence (Q8 to Q10), and those of what stands beside them, one case or more a rule.

func.func @q8_bounds(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = sinter.sequence -> tensor<4x8xf32> {
    // expected-error @+1 {{its bounds are not constants with a turn between them}}
    %r = scf.for %t = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<4x8xf32>) {
      %y = sinter.rowwise (i = 4) by (j = 8) ins(%v[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        sinter.yield %a : tensor<8xf32>
      }
      scf.yield %y : tensor<4x8xf32>
    }
    sinter.yield %r : tensor<4x8xf32>
  }
  return
}

// -----

func.func @q8_no_turn(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = sinter.sequence -> tensor<4x8xf32> {
    // expected-error @+1 {{its bounds are not constants with a turn between them}}
    %r = scf.for %t = %c0 to %c0 step %c1 iter_args(%v = %x) -> (tensor<4x8xf32>) {
      %y = sinter.rowwise (i = 4) by (j = 8) ins(%v[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        sinter.yield %a : tensor<8xf32>
      }
      scf.yield %y : tensor<4x8xf32>
    }
    sinter.yield %r : tensor<4x8xf32>
  }
  return
}

// -----

func.func @q8_other(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = sinter.sequence -> tensor<4x8xf32> {
    %r = scf.for %t = %c0 to %c4 step %c1 iter_args(%v = %x) -> (tensor<4x8xf32>) {
      // expected-error @+1 {{stands in a loop of a sequence, which holds forms, reshapes, and slices of a turn}}
      %n = arith.constant 1.0 : f32
      %y = sinter.rowwise (i = 4) by (j = 8) ins(%v[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        sinter.yield %a : tensor<8xf32>
      }
      scf.yield %y : tensor<4x8xf32>
    }
    sinter.yield %r : tensor<4x8xf32>
  }
  return
}

// -----

func.func @q8_no_form(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = sinter.sequence -> tensor<4x8xf32> {
    // expected-error @+1 {{stands in a sequence, and holds no form}}
    scf.for %t = %c0 to %c4 step %c1 {
    }
    %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        sinter.yield %a : tensor<8xf32>
      }
    sinter.yield %y : tensor<4x8xf32>
  }
  return
}

// -----

func.func @q8_loop_in_loop(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = sinter.sequence -> tensor<4x8xf32> {
    %r = scf.for %t = %c0 to %c4 step %c1 iter_args(%v = %x) -> (tensor<4x8xf32>) {
      // expected-error @+1 {{stands in a loop of a sequence, which holds forms}}
      scf.for %s = %c0 to %c4 step %c1 {
      }
      %y = sinter.rowwise (i = 4) by (j = 8) ins(%v[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        sinter.yield %a : tensor<8xf32>
      }
      scf.yield %y : tensor<4x8xf32>
    }
    sinter.yield %r : tensor<4x8xf32>
  }
  return
}

// -----

func.func @q8_in_place(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = sinter.sequence -> tensor<4x8xf32> {
    %r = scf.for %t = %c0 to %c4 step %c1 iter_args(%v = %x) -> (tensor<4x8xf32>) {
      // expected-error @+1 {{stores in place, in a loop of a sequence}}
      %y = sinter.steps rows(0) in_place ins(%e : tensor<4x8xf32>) outs(%v : tensor<4x8xf32>) -> tensor<4x8xf32> {
      ^row(%i: index, %a: memref<4x8xf32>, %b: memref<4x8xf32>):
        %k = arith.constant 0 : index
        %n = memref.load %a[%i, %k] : memref<4x8xf32>
        memref.store %n, %b[%i, %k] : memref<4x8xf32>
        sinter.yield
      }
      scf.yield %y : tensor<4x8xf32>
    }
    sinter.yield %r : tensor<4x8xf32>
  }
  return
}

// -----

func.func @q8_slice_place(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>, %w: tensor<4x8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = sinter.sequence -> tensor<4x8xf32> {
    %r = scf.for %t = %c0 to %c4 step %c1 iter_args(%v = %x) -> (tensor<4x8xf32>) {
      // expected-error @+1 {{is a slice in a loop of a sequence, and not one turn's part of dimension 0}}
      %s = tensor.extract_slice %w[0, %t, 0] [1, 4, 8] [1, 1, 1] : tensor<4x8x8xf32> to tensor<4x8xf32>
      %y = sinter.rowwise (i = 4) by (j = 8) ins(%s[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        sinter.yield %a : tensor<8xf32>
      }
      scf.yield %y : tensor<4x8xf32>
    }
    sinter.yield %r : tensor<4x8xf32>
  }
  return
}

// -----

func.func @q8_slice_part(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>, %w: tensor<4x4x9xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = sinter.sequence -> tensor<4x8xf32> {
    %r = scf.for %t = %c0 to %c4 step %c1 iter_args(%v = %x) -> (tensor<4x8xf32>) {
      // expected-error @+1 {{is a slice in a loop of a sequence, and not one turn's part of dimension 0}}
      %s = tensor.extract_slice %w[%t, 0, 0] [1, 4, 8] [1, 1, 1] : tensor<4x4x9xf32> to tensor<4x8xf32>
      %y = sinter.rowwise (i = 4) by (j = 8) ins(%s[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        sinter.yield %a : tensor<8xf32>
      }
      scf.yield %y : tensor<4x8xf32>
    }
    sinter.yield %r : tensor<4x8xf32>
  }
  return
}

// -----

func.func @q8_slice_end(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>, %w: tensor<3x4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = sinter.sequence -> tensor<4x8xf32> {
    %r = scf.for %t = %c0 to %c4 step %c1 iter_args(%v = %x) -> (tensor<4x8xf32>) {
      // expected-error @+1 {{is a slice in a loop of a sequence, and not one turn's part of dimension 0}}
      %s = tensor.extract_slice %w[%t, 0, 0] [1, 4, 8] [1, 1, 1] : tensor<3x4x8xf32> to tensor<4x8xf32>
      %y = sinter.rowwise (i = 4) by (j = 8) ins(%s[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        sinter.yield %a : tensor<8xf32>
      }
      scf.yield %y : tensor<4x8xf32>
    }
    sinter.yield %r : tensor<4x8xf32>
  }
  return
}

// -----

func.func @q8_slice_number(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>, %w: tensor<4x4x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = sinter.sequence -> tensor<4x8xf32> {
    %r = scf.for %t = %c0 to %c4 step %c1 iter_args(%v = %x) -> (tensor<4x8xf32>) {
      // expected-error @+1 {{is a slice in a loop of a sequence, and not one turn's part of dimension 0}}
      %s = tensor.extract_slice %w[%n, 0, 0] [1, 4, 8] [1, 1, 1] : tensor<4x4x8xf32> to tensor<4x8xf32>
      %y = sinter.rowwise (i = 4) by (j = 8) ins(%s[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        sinter.yield %a : tensor<8xf32>
      }
      scf.yield %y : tensor<4x8xf32>
    }
    sinter.yield %r : tensor<4x8xf32>
  }
  return
}

// -----

func.func @q8_carries(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = sinter.sequence -> tensor<4x8xf32> {
    // expected-error @+1 {{carries a 'index'}}
    %r:2 = scf.for %t = %c0 to %c4 step %c1 iter_args(%v = %x, %k = %n) -> (tensor<4x8xf32>, index) {
      %y = sinter.rowwise (i = 4) by (j = 8) ins(%v[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        sinter.yield %a : tensor<8xf32>
      }
      scf.yield %y, %k : tensor<4x8xf32>, index
    }
    sinter.yield %r#0 : tensor<4x8xf32>
  }
  return
}

// -----

func.func @q9_no_form(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = sinter.sequence -> tensor<4x8xf32> {
    // expected-error @+1 {{yields a value in place 1 that is no result of a form in it}}
    %r:2 = scf.for %t = %c0 to %c4 step %c1 iter_args(%v = %x, %u = %x) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
      %y = sinter.rowwise (i = 4) by (j = 8) ins(%v[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        sinter.yield %a : tensor<8xf32>
      }
      scf.yield %y, %x : tensor<4x8xf32>, tensor<4x8xf32>
    }
    sinter.yield %r#0 : tensor<4x8xf32>
  }
  return
}

// -----

func.func @q9_twice(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = sinter.sequence -> tensor<4x8xf32> {
    // expected-error @+1 {{yields one value in places 0 and 1}}
    %r:2 = scf.for %t = %c0 to %c4 step %c1 iter_args(%v = %x, %u = %x) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
      %y = sinter.rowwise (i = 4) by (j = 8) ins(%v[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        sinter.yield %a : tensor<8xf32>
      }
      scf.yield %y, %y : tensor<4x8xf32>, tensor<4x8xf32>
    }
    sinter.yield %r#0 : tensor<4x8xf32>
  }
  return
}

// -----

func.func @q9_stored_elsewhere(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>, %w: tensor<4x4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = sinter.sequence -> tensor<4x8xf32> {
    %r:2 = scf.for %t = %c0 to %c4 step %c1 iter_args(%v = %x, %all = %w) -> (tensor<4x8xf32>, tensor<4x4x8xf32>) {
      %y = sinter.rowwise (i = 4) by (j = 8) ins(%v[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        sinter.yield %a : tensor<8xf32>
      }
      %g = sinter.rowwise (i = 4) by (j = 8) ins(%v[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        sinter.yield %a : tensor<8xf32>
      }
      // expected-error @+1 {{puts in what no form of its loop stores there}}
      %q = tensor.insert_slice %g into %all[%t, 0, 0] [1, 4, 8] [1, 1, 1] : tensor<4x8xf32> into tensor<4x4x8xf32>
      scf.yield %y, %q : tensor<4x8xf32>, tensor<4x4x8xf32>
    }
    sinter.yield %r#0 : tensor<4x8xf32>
  }
  return
}

// -----

func.func @q9_slice_read(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>, %w: tensor<4x4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = sinter.sequence -> tensor<4x8xf32> {
    %r:2 = scf.for %t = %c0 to %c4 step %c1 iter_args(%v = %x, %all = %w) -> (tensor<4x8xf32>, tensor<4x4x8xf32>) {
      %d = tensor.extract_slice %all[%t, 0, 0] [1, 4, 8] [1, 1, 1] : tensor<4x4x8xf32> to tensor<4x8xf32>
      %y = sinter.rowwise (i = 4) by (j = 8) ins(%v[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        sinter.yield %a : tensor<8xf32>
      }
      %g = sinter.rowwise (i = 4) by (j = 8) ins(%v[i, j] : tensor<4x8xf32>) outs(%d[i, j] : tensor<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        sinter.yield %a : tensor<8xf32>
      }
      // expected-error @+1 {{uses a tensor whose slices the loop stores}}
      %o = tensor.extract_slice %all[%t, 0, 0] [1, 4, 8] [1, 1, 1] : tensor<4x4x8xf32> to tensor<4x8xf32>
      %q = tensor.insert_slice %g into %all[%t, 0, 0] [1, 4, 8] [1, 1, 1] : tensor<4x8xf32> into tensor<4x4x8xf32>
      scf.yield %y, %q : tensor<4x8xf32>, tensor<4x4x8xf32>
    }
    sinter.yield %r#0 : tensor<4x8xf32>
  }
  return
}

// -----

func.func @q9_not_carried(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>, %w: tensor<4x4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = sinter.sequence -> tensor<4x8xf32> {
    %r:2 = scf.for %t = %c0 to %c4 step %c1 iter_args(%v = %x, %all = %w) -> (tensor<4x8xf32>, tensor<4x4x8xf32>) {
      %d = tensor.extract_slice %w[%t, 0, 0] [1, 4, 8] [1, 1, 1] : tensor<4x4x8xf32> to tensor<4x8xf32>
      %y = sinter.rowwise (i = 4) by (j = 8) ins(%v[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        sinter.yield %a : tensor<8xf32>
      }
      %g = sinter.rowwise (i = 4) by (j = 8) ins(%v[i, j] : tensor<4x8xf32>) outs(%d[i, j] : tensor<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        sinter.yield %a : tensor<8xf32>
      }
      // expected-error @+1 {{stores a slice of a tensor that the loop does not carry}}
      %q = tensor.insert_slice %g into %w[%t, 0, 0] [1, 4, 8] [1, 1, 1] : tensor<4x8xf32> into tensor<4x4x8xf32>
      scf.yield %y, %q : tensor<4x8xf32>, tensor<4x4x8xf32>
    }
    sinter.yield %r#0 : tensor<4x8xf32>
  }
  return
}

// -----

func.func @q9_other_memory(%a: memref<4x8xf32>, %b: memref<4x8xf32>, %c: memref<4x8xf32>, %d: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  sinter.sequence {
    // expected-error @+1 {{yields memory that it does not carry}}
    %r:2 = scf.for %t = %c0 to %c4 step %c1 iter_args(%v = %a, %w = %b) -> (memref<4x8xf32>, memref<4x8xf32>) {
      sinter.rowwise (i = 4) by (j = 8) ins(%v[i, j] : memref<4x8xf32>) outs(%w[i, j] : memref<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        sinter.yield %a : tensor<8xf32>
      }
      scf.yield %w, %c : memref<4x8xf32>, memref<4x8xf32>
    }
    sinter.yield
  }
  return
}

// -----

func.func @q9_result_used(%a: memref<4x8xf32>, %b: memref<4x8xf32>, %c: memref<4x8xf32>, %d: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  sinter.sequence {
    // expected-error @+1 {{gives memory to what is behind it, which has it by its own name}}
    %r:2 = scf.for %t = %c0 to %c4 step %c1 iter_args(%v = %a, %w = %b) -> (memref<4x8xf32>, memref<4x8xf32>) {
      sinter.rowwise (i = 4) by (j = 8) ins(%v[i, j] : memref<4x8xf32>) outs(%w[i, j] : memref<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        sinter.yield %a : tensor<8xf32>
      }
      scf.yield %w, %v : memref<4x8xf32>, memref<4x8xf32>
    }
    sinter.rowwise (i = 4) by (j = 8) ins(%r#0[i, j] : memref<4x8xf32>) outs(%c[i, j] : memref<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield
  }
  return
}

// -----

func.func @q10_first(%a: memref<4x8xf32>, %b: memref<4x8xf32>, %c: memref<4x8xf32>, %d: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error @+1 {{has forms 0 and 1 in phase 0, and a loop between them: it begins a phase, and so does what is behind it}}
  sinter.sequence phases [0, 0] {
    sinter.rowwise (i = 4) by (j = 8) ins(%a[i, j] : memref<4x8xf32>) outs(%b[i, j] : memref<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        sinter.yield %a : tensor<8xf32>
      }
    scf.for %t = %c0 to %c4 step %c1 {
      sinter.rowwise (i = 4) by (j = 8) ins(%c[i, j] : memref<4x8xf32>) outs(%d[i, j] : memref<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        sinter.yield %a : tensor<8xf32>
      }
    }
    sinter.yield
  }
  return
}

// -----

func.func @q10_behind(%a: memref<4x8xf32>, %b: memref<4x8xf32>, %c: memref<4x8xf32>, %d: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error @+1 {{has forms 0 and 1 in phase 0, and a loop between them}}
  sinter.sequence phases [0, 0] {
    scf.for %t = %c0 to %c4 step %c1 {
      sinter.rowwise (i = 4) by (j = 8) ins(%c[i, j] : memref<4x8xf32>) outs(%d[i, j] : memref<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        sinter.yield %a : tensor<8xf32>
      }
    }
    sinter.rowwise (i = 4) by (j = 8) ins(%a[i, j] : memref<4x8xf32>) outs(%b[i, j] : memref<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        sinter.yield %a : tensor<8xf32>
      }
    sinter.yield
  }
  return
}

// -----

func.func @q10_in_turn(%a: memref<4x8xf32>, %b: memref<4x8xf32>, %c: memref<4x8xf32>, %d: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error @+1 {{has forms 0 and 1 in phase 0, and the second has to wait for the first}}
  sinter.sequence phases [0, 0] {
    scf.for %t = %c0 to %c4 step %c1 {
      sinter.rowwise (i = 4) by (j = 8) ins(%a[i, j] : memref<4x8xf32>) outs(%b[i, j] : memref<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        sinter.yield %a : tensor<8xf32>
      }
      sinter.rowwise (i = 4) by (j = 8) ins(%b[i, j] : memref<4x8xf32>) outs(%c[i, j] : memref<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        sinter.yield %a : tensor<8xf32>
      }
    }
    sinter.yield
  }
  return
}

// -----

func.func @q10_in_a_later_turn(%a: memref<4x8xf32>, %b: memref<4x8xf32>, %c: memref<4x8xf32>, %d: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error @+1 {{has forms 0 and 1 in phase 0, and the second has to wait for the first}}
  sinter.sequence phases [0, 0] {
    %r:2 = scf.for %t = %c0 to %c4 step %c1 iter_args(%v = %b, %w = %c) -> (memref<4x8xf32>, memref<4x8xf32>) {
      sinter.rowwise (i = 4) by (j = 8) ins(%a[i, j] : memref<4x8xf32>) outs(%v[i, j] : memref<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        sinter.yield %a : tensor<8xf32>
      }
      sinter.rowwise (i = 4) by (j = 8) ins(%c[i, j] : memref<4x8xf32>) outs(%d[i, j] : memref<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        sinter.yield %a : tensor<8xf32>
      }
      scf.yield %w, %v : memref<4x8xf32>, memref<4x8xf32>
    }
    sinter.yield
  }
  return
}

// -----

func.func @q10_itself(%a: memref<4x8xf32>, %b: memref<4x8xf32>, %c: memref<4x8xf32>, %d: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error @+1 {{has form 1 of a loop wait for 0 forms, and not for itself of the turn before}}
  sinter.sequence waits [0, 0] {
    sinter.rowwise (i = 4) by (j = 8) ins(%a[i, j] : memref<4x8xf32>) outs(%b[i, j] : memref<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        sinter.yield %a : tensor<8xf32>
      }
    scf.for %t = %c0 to %c4 step %c1 {
      sinter.rowwise (i = 4) by (j = 8) ins(%c[i, j] : memref<4x8xf32>) outs(%d[i, j] : memref<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        sinter.yield %a : tensor<8xf32>
      }
    }
    sinter.yield
  }
  return
}

// -----

func.func @q10_turn_before(%a: memref<4x8xf32>, %b: memref<4x8xf32>, %c: memref<4x8xf32>, %d: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error @+1 {{has form 2 wait for 1 forms, and it has to wait for form 3 of the turn before}}
  sinter.sequence waits [0, 1, 1, 3] {
    sinter.rowwise (i = 4) by (j = 8) ins(%c[i, j] : memref<4x8xf32>) outs(%d[i, j] : memref<4x8xf32>) {
    ^row(%a0: tensor<8xf32>):
      sinter.yield %a0 : tensor<8xf32>
    }
    sinter.rowwise (i = 4) by (j = 8) ins(%c[i, j] : memref<4x8xf32>) outs(%d[i, j] : memref<4x8xf32>) {
    ^row(%a0: tensor<8xf32>):
      sinter.yield %a0 : tensor<8xf32>
    }
    scf.for %t = %c0 to %c4 step %c1 {
      sinter.rowwise (i = 4) by (j = 8) ins(%a[i, j] : memref<4x8xf32>) outs(%b[i, j] : memref<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        sinter.yield %a : tensor<8xf32>
      }
      sinter.rowwise (i = 4) by (j = 8) ins(%c[i, j] : memref<4x8xf32>) outs(%a[i, j] : memref<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        sinter.yield %a : tensor<8xf32>
      }
    }
    sinter.yield
  }
  return
}

// -----

func.func @q7_behind_loop(%a: memref<4x8xf32>, %b: memref<4x8xf32>, %c: memref<4x8xf32>, %d: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error @+1 {{has form 1 wait for 0 forms, and it has to wait for form 0}}
  sinter.sequence waits [0, 0] {
    %r:2 = scf.for %t = %c0 to %c4 step %c1 iter_args(%v = %a, %w = %b) -> (memref<4x8xf32>, memref<4x8xf32>) {
      sinter.rowwise (i = 4) by (j = 8) ins(%v[i, j] : memref<4x8xf32>) outs(%w[i, j] : memref<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        sinter.yield %a : tensor<8xf32>
      }
      scf.yield %w, %v : memref<4x8xf32>, memref<4x8xf32>
    }
    sinter.rowwise (i = 4) by (j = 8) ins(%a[i, j] : memref<4x8xf32>) outs(%c[i, j] : memref<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        sinter.yield %a : tensor<8xf32>
      }
    sinter.yield
  }
  return
}

// -----

func.func @q11_loop(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  sinter.sequence phases [0, 1] {
    scf.for %t = %c0 to %c4 step %c1 {
      // expected-error @below {{is computed by each block, in a loop}}
      sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>) schedule(#sinter.gpu_rows<repeated = 1>) {
      ^row(%a: tensor<8xf32>):
        sinter.yield %a : tensor<8xf32>
      }
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

func.func @q11_before_loop(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %z: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  sinter.sequence phases [0, 1] {
    // expected-error @below {{is computed by each block, and form 1, of the next phase, is in a loop}}
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>) schedule(#sinter.gpu_rows<repeated = 1>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    scf.for %t = %c0 to %c4 step %c1 {
      sinter.rowwise (i = 4) by (j = 8) ins(%y[i, j] : memref<4x8xf32>) outs(%z[i, j] : memref<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        sinter.yield %a : tensor<8xf32>
      }
    }
    sinter.yield
  }
  return
}
