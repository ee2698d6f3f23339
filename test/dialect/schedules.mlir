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
