// RUN: sinter-opt --split-input-file --verify-diagnostics %s

// Each way in which a schedule can be wrong; the keys are dialect/schedules.c.

// expected-error@below {{#sinter.rows: 'chunks' is no key of #sinter.rows}}
func.func private @unknown_key() attributes {s = #sinter.rows<chunks = 8>}

// -----

// expected-error@below {{#sinter.rows: 'lanes' is 128, but from 1 to 64}}
func.func private @out_of_range() attributes {s = #sinter.rows<lanes = 128>}

// -----

// expected-error@below {{#sinter.rows: 'lanes' is 12, but a power of two}}
func.func private @not_a_power_of_two() attributes {s = #sinter.rows<lanes = 12>}

// -----

// expected-error@below {{#sinter.brgemm: 'm' is a number}}
func.func private @not_a_number() attributes {s = #sinter.brgemm<m = "many">}

// -----

// expected-error@below {{#sinter.rows: 'residency' is one of "reread"}}
func.func private @unknown_word() attributes {s = #sinter.rows<residency = "nowhere">}

// -----

// expected-error@below {{#sinter.brgemm: 'kernel' is one of "inner.dot512", "inner512", "inner256", "inner.amx", "amx", "amx.f16", "amx.f32", "dot512", "vnni512", "vnni256", "dot256", "libxsmm", "fma512", "fma256", "any512", "any256", "any128"}}
func.func private @unknown_kernel() attributes {s = #sinter.brgemm<kernel = "wgmma">}

// -----

func.func @no_line_for_these_types(%x: tensor<4x3xi8>, %w: tensor<3x5xi8>, %e: tensor<4x5xi32>) -> tensor<4x5xi32> {
  // expected-error@below {{has a schedule with kernel = "fma512", which cannot multiply 'i8' by 'i8' in 'i32' (product 0)}}
  %y = sinter.contract (i = 4) by (j = 5) product (k = 3) (%x[i, k] : tensor<4x3xi8>, %w[k, j] : tensor<3x5xi8>) : i32
      outs(%e[i, j] : tensor<4x5xi32>) schedule(#sinter.brgemm<kernel = "fma512">) {
  ^row(%a: tensor<5xi32>):
    sinter.yield %a : tensor<5xi32>
  }
  return %y : tensor<4x5xi32>
}
