// ctc: connectionist temporal classification, torch.nn.functional.ctc_loss.
//
//   l = -log(sum over the paths that spell the target of the product over t of p[t, path(t)])
//
// A path spells a target if it becomes the target when repeats are merged and blanks removed, so it walks through the
// states  blank, label 0, blank, label 1, ..., blank  of which each step stays, goes to the next one, or skips a blank
// between different labels. `alpha[t, s]` is the logarithm of what all ways to state s at time t have together, `beta`
// of what all ways from there to the end have (with p[t] itself in both). They are kept in f64, and only what is
// between 0 and log(3) in each of their steps is computed in f32: so long and improbable sequences lose no digits.
//
// log_probs is [T, N, C] or [T, C]; targets [N, S], or all of them one after the other; lengths one for each of N.
// The gradient is PyTorch's: with respect to what log_softmax made log_probs of, as if by it,
//   (p[t, c] - sum over states s of label c of exp(alpha[t, s] + beta[t, s] + l - log_probs[t, c])) * upstream.
// The mean divides each loss by its target's length (1 if that is 0), then by N.
sinter.define_steps @ctc(%n: index {row}, %log_probs: memref<?x?x?xf32> {rows = 1}, %targets: memref<?x?xi64> {packed},
    %input_lengths: memref<?xi64>, %target_lengths: memref<?xi64>, %blank: i64 {default = 0}, %zero_infinity: i1 {default = false},
    %mean: i1 {mean}, %upstream: f32 {upstream}, %wanted: i1 {gradient = "log_probs"}, %d: memref<?x?x?xf32> {gradient = "log_probs"})
    attributes {reductions = ["mean", "sum", "none"], summary = "connectionist temporal classification",
                formula = "l = -log(sum over paths that spell the target of exp(sum over t of log_probs[t, path(t)]))"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i0 = arith.constant 0 : i64
  %i1 = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %impossible = arith.constant 0xFFF0000000000000 : f64
  %infinity = arith.constant 0x7F800000 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %wide_zero = arith.constant 0.0 : f64
  %times = memref.dim %log_probs, %c0 : memref<?x?x?xf32>
  %rows = memref.dim %log_probs, %c1 : memref<?x?x?xf32>
  %classes = memref.dim %log_probs, %c2 : memref<?x?x?xf32>
  %target_rows = memref.dim %targets, %c0 : memref<?x?xi64>
  %width = memref.dim %targets, %c1 : memref<?x?xi64>

  %given_0 = memref.dim %input_lengths, %c0 : memref<?xi64>
  %given_1 = memref.dim %target_lengths, %c0 : memref<?xi64>
  %each_0 = arith.cmpi eq, %given_0, %rows : index
  %each_1 = arith.cmpi eq, %given_1, %rows : index
  %each = arith.andi %each_0, %each_1 : i1
  cf.assert %each, "ctc: there are not as many lengths as sequences"
  %own_row = arith.cmpi eq, %target_rows, %rows : index
  %one_row = arith.cmpi eq, %target_rows, %c1 : index
  %row_fits = arith.ori %own_row, %one_row : i1
  cf.assert %row_fits, "ctc: there are not as many targets as sequences"

  // Scratch memory. A path has no more labels than times. Without a gradient two rows of alpha are enough.
  %most = arith.minsi %width, %times : index
  %double = arith.muli %most, %c2 : index
  %most_states = arith.addi %double, %c1 : index
  %all_times = arith.maxsi %times, %c1 : index
  %kept = arith.select %wanted, %all_times, %c2 : index
  %back = arith.select %wanted, %most_states, %c0 : index
  %heads = arith.select %wanted, %most, %c0 : index
  %alpha = memref.alloca(%kept, %most_states) : memref<?x?xf64>
  %label = memref.alloca(%most_states) : memref<?xi64>
  %beta = memref.alloca(%c2, %back) : memref<?x?xf64>
  %share = memref.alloca(%back) : memref<?xf32>
  %again = memref.alloca(%heads) : memref<?xindex>
  %head = memref.alloca(%heads) : memref<?xi1>

  // What the row is, and whether it can be.
  %length = memref.load %input_lengths[%n] : memref<?xi64>
  %count = memref.load %target_lengths[%n] : memref<?xi64>
  %beside = arith.cmpi ne, %target_rows, %rows : index // targets one after the other
  %target_row = arith.select %beside, %c0, %n : index
  %before = arith.select %beside, %n, %c0 : index
  %first = scf.parallel (%m) = (%c0) to (%before) step (%c1) init (%i0) -> i64 {
    %v = memref.load %target_lengths[%m] : memref<?xi64>
    scf.reduce(%v : i64) {
    ^bb0(%p: i64, %q: i64):
      %r = arith.addi %p, %q : i64
      scf.reduce.return %r : i64
    }
  }
  %times64 = arith.index_cast %times : index to i64
  %width64 = arith.index_cast %width : index to i64
  %classes64 = arith.index_cast %classes : index to i64
  %length_low = arith.cmpi sge, %length, %i0 : i64
  %length_high = arith.cmpi sle, %length, %times64 : i64
  %length_fits = arith.andi %length_low, %length_high : i1
  cf.assert %length_fits, "ctc: an input length is negative or greater than the number of times"
  %count_low = arith.cmpi sge, %count, %i0 : i64
  %first_low = arith.cmpi sge, %first, %i0 : i64
  %first_high = arith.cmpi sle, %first, %width64 : i64
  %room = arith.subi %width64, %first : i64
  %count_high = arith.cmpi sle, %count, %room : i64
  %count_0 = arith.andi %count_low, %first_low : i1
  %count_1 = arith.andi %first_high, %count_high : i1
  %count_fits = arith.andi %count_0, %count_1 : i1
  cf.assert %count_fits, "ctc: a target length is negative or greater than the number of labels"
  %blank_fits = arith.cmpi ult, %blank, %classes64 : i64
  cf.assert %blank_fits, "ctc: blank is negative or not less than the number of classes"
  %first_place = arith.index_cast %first : i64 to index
  %safe_count = arith.select %count_fits, %count, %i0 : i64
  %labels = arith.index_cast %safe_count : i64 to index
  %within = scf.parallel (%k) = (%c0) to (%labels) step (%c1) init (%i1) -> i64 {
    %at = arith.addi %first_place, %k : index
    %v = memref.load %targets[%target_row, %at] : memref<?x?xi64>
    %in = arith.cmpi ult, %v, %classes64 : i64
    %yes = arith.extui %in : i1 to i64
    scf.reduce(%yes : i64) {
    ^bb0(%p: i64, %q: i64):
      %r = arith.andi %p, %q : i64
      scf.reduce.return %r : i64
    }
  }
  %labels_fit = arith.cmpi ne, %within, %i0 : i64
  cf.assert %labels_fit, "ctc: a label is negative or not less than the number of classes"
  %fit_0 = arith.andi %length_fits, %count_fits : i1
  %fit_1 = arith.andi %blank_fits, %labels_fit : i1
  %fits = arith.andi %fit_0, %fit_1 : i1
  %enough = arith.cmpi sle, %count, %length : i64
  %some = arith.cmpi sgt, %length, %i0 : i64
  %walk_0 = arith.andi %fits, %enough : i1
  %walks = arith.andi %walk_0, %some : i1
  %safe_length = arith.select %length_fits, %length, %i0 : i64
  %end = arith.index_cast %safe_length : i64 to index

  // States, and alpha from the first time to the last.
  %walked = arith.select %walks, %end, %c0 : index
  %doubled = arith.muli %labels, %c2 : index
  %all_states = arith.addi %doubled, %c1 : index
  %states = arith.select %walks, %all_states, %c0 : index
  %last_state = arith.subi %all_states, %c1 : index
  %last_label = arith.subi %all_states, %c2 : index
  scf.parallel (%s) = (%c0) to (%states) step (%c1) {
    %odd = arith.remui %s, %c2 : index
    %is_label = arith.cmpi ne, %odd, %c0 : index
    %half = arith.divui %s, %c2 : index
    %at = arith.addi %first_place, %half : index
    %v = scf.if %is_label -> i64 {
      %u = memref.load %targets[%target_row, %at] : memref<?x?xi64>
      scf.yield %u : i64
    } else {
      scf.yield %blank : i64
    }
    memref.store %v, %label[%s] : memref<?xi64>
  }
  scf.parallel (%s) = (%c0) to (%states) step (%c1) {
    %l = memref.load %label[%s] : memref<?xi64>
    %c = arith.index_cast %l : i64 to index
    %x = memref.load %log_probs[%c0, %n, %c] : memref<?x?x?xf32>
    %wide_x = arith.extf %x : f32 to f64
    %begins = arith.cmpi ult, %s, %c2 : index
    %v = arith.select %begins, %wide_x, %impossible : f64
    memref.store %v, %alpha[%c0, %s] : memref<?x?xf64>
  }
  scf.for %t = %c1 to %walked step %c1 {
    %before_t = arith.subi %t, %c1 : index
    %from = arith.remui %before_t, %kept : index
    %to = arith.remui %t, %kept : index
    scf.parallel (%s) = (%c0) to (%states) step (%c1) {
      %l = memref.load %label[%s] : memref<?xi64>
      %s1 = arith.subi %s, %c1 : index
      %s2 = arith.subi %s, %c2 : index
      %p1 = arith.maxsi %s1, %c0 : index
      %p2 = arith.maxsi %s2, %c0 : index
      %has1 = arith.cmpi sge, %s1, %c0 : index
      %has2 = arith.cmpi sge, %s2, %c0 : index
      %l2 = memref.load %label[%p2] : memref<?xi64>
      %differs = arith.cmpi ne, %l, %l2 : i64
      %skips = arith.andi %has2, %differs : i1
      %a0 = memref.load %alpha[%from, %s] : memref<?x?xf64>
      %b1 = memref.load %alpha[%from, %p1] : memref<?x?xf64>
      %b2 = memref.load %alpha[%from, %p2] : memref<?x?xf64>
      %a1 = arith.select %has1, %b1, %impossible : f64
      %a2 = arith.select %skips, %b2, %impossible : f64
      %m0 = arith.maximumf %a0, %a1 : f64
      %m1 = arith.maximumf %m0, %a2 : f64
      %no = arith.cmpf oeq, %m1, %impossible : f64
      %m2 = arith.select %no, %wide_zero, %m1 : f64
      %d0 = arith.subf %a0, %m2 : f64
      %d1 = arith.subf %a1, %m2 : f64
      %d2 = arith.subf %a2, %m2 : f64
      %r0 = arith.truncf %d0 : f64 to f32
      %r1 = arith.truncf %d1 : f64 to f32
      %r2 = arith.truncf %d2 : f64 to f32
      %e0 = math.exp %r0 : f32
      %e1 = math.exp %r1 : f32
      %e2 = math.exp %r2 : f32
      %e3 = arith.addf %e0, %e1 : f32
      %e4 = arith.addf %e3, %e2 : f32
      %log = math.log %e4 : f32
      %wide_log = arith.extf %log : f32 to f64
      %ways = arith.addf %m2, %wide_log : f64
      %c = arith.index_cast %l : i64 to index
      %x = memref.load %log_probs[%t, %n, %c] : memref<?x?x?xf32>
      %wide_x = arith.extf %x : f32 to f64
      %v = arith.addf %ways, %wide_x : f64
      memref.store %v, %alpha[%to, %s] : memref<?x?xf64>
    }
  }

  // The loss: all ways that end in the last label or the blank behind it.
  %last_time = arith.subi %end, %c1 : index
  %wide_loss = scf.if %walks -> f64 {
    %row = arith.remui %last_time, %kept : index
    %a0 = memref.load %alpha[%row, %last_state] : memref<?x?xf64>
    %place = arith.maxsi %last_label, %c0 : index
    %b1 = memref.load %alpha[%row, %place] : memref<?x?xf64>
    %has = arith.cmpi sge, %last_label, %c0 : index
    %a1 = arith.select %has, %b1, %impossible : f64
    %m1 = arith.maximumf %a0, %a1 : f64
    %no = arith.cmpf oeq, %m1, %impossible : f64
    %m2 = arith.select %no, %wide_zero, %m1 : f64
    %d0 = arith.subf %a0, %m2 : f64
    %d1 = arith.subf %a1, %m2 : f64
    %r0 = arith.truncf %d0 : f64 to f32
    %r1 = arith.truncf %d1 : f64 to f32
    %e0 = math.exp %r0 : f32
    %e1 = math.exp %r1 : f32
    %e2 = arith.addf %e0, %e1 : f32
    %log = math.log %e2 : f32
    %wide_log = arith.extf %log : f32 to f64
    %all = arith.addf %m2, %wide_log : f64
    %v = arith.subf %wide_zero, %all : f64
    scf.yield %v : f64
  } else {
    %labelled = arith.cmpi ne, %count, %i0 : i64
    %u = arith.select %labelled, %infinity, %zero : f32
    %v = arith.select %fits, %u, %nan : f32
    %wide = arith.extf %v : f32 to f64
    scf.yield %wide : f64
  }
  %loss = arith.truncf %wide_loss : f64 to f32
  %infinite = arith.cmpf oeq, %loss, %infinity : f32
  %hidden = arith.andi %infinite, %zero_infinity : i1
  %shown = arith.select %hidden, %zero, %loss : f32
  %least = arith.maxsi %count, %i1 : i64
  %divisor64 = arith.select %mean, %least, %i1 : i64
  %divisor = arith.sitofp %divisor64 : i64 to f32
  %result = arith.divf %shown, %divisor : f32

  // The gradient: beta from the last time to the first.
  scf.if %wanted {
    %g = arith.divf %upstream, %divisor : f32
    %finite = arith.cmpi eq, %infinite, %hidden : i1
    %ends = arith.cmpf une, %loss, %infinity : f32
    %live = arith.andi %walks, %ends : i1
    %done = arith.select %live, %end, %c0 : index
    %live_states = arith.select %live, %states, %c0 : index
    %live_labels = arith.select %live, %labels, %c0 : index
    // Labels that stand several times are added by their first place.
    scf.parallel (%k) = (%c0) to (%live_labels) step (%c1) {
      %j = arith.muli %k, %c2 : index
      %j1 = arith.addi %j, %c1 : index
      %l = memref.load %label[%j1] : memref<?xi64>
      %true = arith.constant true
      %is_first = scf.for %i = %c0 to %k step %c1 iter_args(%f = %true) -> (i1) {
        %u = arith.muli %i, %c2 : index
        %u1 = arith.addi %u, %c1 : index
        %o = memref.load %label[%u1] : memref<?xi64>
        %unlike = arith.cmpi ne, %o, %l : i64
        %r = arith.andi %f, %unlike : i1
        scf.yield %r : i1
      }
      memref.store %is_first, %head[%k] : memref<?xi1>
      %next = arith.addi %k, %c1 : index
      %following = scf.for %i = %next to %live_labels step %c1 iter_args(%f = %live_labels) -> (index) {
        %u = arith.muli %i, %c2 : index
        %u1 = arith.addi %u, %c1 : index
        %o = memref.load %label[%u1] : memref<?xi64>
        %like = arith.cmpi eq, %o, %l : i64
        %nearer = arith.minsi %f, %i : index
        %r = arith.select %like, %nearer, %f : index
        scf.yield %r : index
      }
      memref.store %following, %again[%k] : memref<?xindex>
    }
    %start_row = arith.remui %last_time, %c2 : index
    scf.parallel (%s) = (%c0) to (%live_states) step (%c1) {
      %l = memref.load %label[%s] : memref<?xi64>
      %c = arith.index_cast %l : i64 to index
      %x = memref.load %log_probs[%last_time, %n, %c] : memref<?x?x?xf32>
      %wide_x = arith.extf %x : f32 to f64
      %at_end = arith.cmpi sge, %s, %last_label : index
      %v = arith.select %at_end, %wide_x, %impossible : f64
      memref.store %v, %beta[%start_row, %s] : memref<?x?xf64>
    }
    scf.for %i = %c0 to %done step %c1 {
      %t = arith.subi %last_time, %i : index
      %row = arith.remui %t, %kept : index
      %from = arith.remui %t, %c2 : index
      %to = arith.subi %c1, %from : index
      %t1 = arith.subi %t, %c1 : index
      %earlier = arith.maxsi %t1, %c0 : index
      // Each state's share of all paths at time t, and beta of the time before.
      %of_blank = scf.parallel (%s) = (%c0) to (%states) step (%c1) init (%zero) -> f32 {
        %l = memref.load %label[%s] : memref<?xi64>
        %c = arith.index_cast %l : i64 to index
        %x = memref.load %log_probs[%t, %n, %c] : memref<?x?x?xf32>
        %wide_x = arith.extf %x : f32 to f64
        %a = memref.load %alpha[%row, %s] : memref<?x?xf64>
        %b0 = memref.load %beta[%from, %s] : memref<?x?xf64>
        %ab = arith.addf %a, %b0 : f64
        %nothing = arith.cmpf oeq, %ab, %impossible : f64
        %rest = arith.subf %wide_loss, %wide_x : f64
        %exponent = arith.addf %ab, %rest : f64
        %narrow = arith.truncf %exponent : f64 to f32
        %e = math.exp %narrow : f32
        %w = arith.select %nothing, %zero, %e : f32
        memref.store %w, %share[%s] : memref<?xf32>
        %odd = arith.remui %s, %c2 : index
        %is_blank = arith.cmpi eq, %odd, %c0 : index
        %w_blank = arith.select %is_blank, %w, %zero : f32
        %s1 = arith.addi %s, %c1 : index
        %s2 = arith.addi %s, %c2 : index
        %p1 = arith.minsi %s1, %last_state : index
        %p2 = arith.minsi %s2, %last_state : index
        %has1 = arith.cmpi sle, %s1, %last_state : index
        %has2 = arith.cmpi sle, %s2, %last_state : index
        %l2 = memref.load %label[%p2] : memref<?xi64>
        %differs = arith.cmpi ne, %l, %l2 : i64
        %skips = arith.andi %has2, %differs : i1
        %q1 = memref.load %beta[%from, %p1] : memref<?x?xf64>
        %q2 = memref.load %beta[%from, %p2] : memref<?x?xf64>
        %b1 = arith.select %has1, %q1, %impossible : f64
        %b2 = arith.select %skips, %q2, %impossible : f64
        %m0 = arith.maximumf %b0, %b1 : f64
        %m1 = arith.maximumf %m0, %b2 : f64
        %no = arith.cmpf oeq, %m1, %impossible : f64
        %m2 = arith.select %no, %wide_zero, %m1 : f64
        %d0 = arith.subf %b0, %m2 : f64
        %d1 = arith.subf %b1, %m2 : f64
        %d2 = arith.subf %b2, %m2 : f64
        %r0 = arith.truncf %d0 : f64 to f32
        %r1 = arith.truncf %d1 : f64 to f32
        %r2 = arith.truncf %d2 : f64 to f32
        %e0 = math.exp %r0 : f32
        %e1 = math.exp %r1 : f32
        %e2 = math.exp %r2 : f32
        %e3 = arith.addf %e0, %e1 : f32
        %e4 = arith.addf %e3, %e2 : f32
        %log = math.log %e4 : f32
        %wide_log = arith.extf %log : f32 to f64
        %ways = arith.addf %m2, %wide_log : f64
        %y = memref.load %log_probs[%earlier, %n, %c] : memref<?x?x?xf32>
        %wide_y = arith.extf %y : f32 to f64
        %v = arith.addf %ways, %wide_y : f64
        memref.store %v, %beta[%to, %s] : memref<?x?xf64>
        scf.reduce(%w_blank : f32) {
        ^bb0(%p: f32, %q: f32):
          %r = arith.addf %p, %q : f32
          scf.reduce.return %r : f32
        }
      }
      scf.parallel (%c) = (%c0) to (%classes) step (%c1) {
        %x = memref.load %log_probs[%t, %n, %c] : memref<?x?x?xf32>
        %e = math.exp %x : f32
        %c64 = arith.index_cast %c : index to i64
        %is_blank = arith.cmpi eq, %c64, %blank : i64
        %w = arith.select %is_blank, %of_blank, %zero : f32
        %u = arith.subf %e, %w : f32
        %v = arith.mulf %u, %g : f32
        memref.store %v, %d[%t, %n, %c] : memref<?x?x?xf32>
      }
      scf.parallel (%k) = (%c0) to (%live_labels) step (%c1) {
        %is_head = memref.load %head[%k] : memref<?xi1>
        scf.if %is_head {
          %j = arith.muli %k, %c2 : index
          %j1 = arith.addi %j, %c1 : index
          %l = memref.load %label[%j1] : memref<?xi64>
          %c = arith.index_cast %l : i64 to index
          %also_blank = arith.cmpi eq, %l, %blank : i64
          %w0 = arith.select %also_blank, %of_blank, %zero : f32
          %w:2 = scf.while (%at = %k, %u = %w0) : (index, f32) -> (index, f32) {
            %more = arith.cmpi slt, %at, %live_labels : index
            scf.condition(%more) %at, %u : index, f32
          } do {
          ^bb0(%at: index, %u: f32):
            %a = arith.muli %at, %c2 : index
            %a1 = arith.addi %a, %c1 : index
            %o = memref.load %share[%a1] : memref<?xf32>
            %r = arith.addf %u, %o : f32
            %then = memref.load %again[%at] : memref<?xindex>
            scf.yield %then, %r : index, f32
          }
          %x = memref.load %log_probs[%t, %n, %c] : memref<?x?x?xf32>
          %e = math.exp %x : f32
          %u = arith.subf %e, %w#1 : f32
          %v = arith.mulf %u, %g : f32
          memref.store %v, %d[%t, %n, %c] : memref<?x?x?xf32>
        }
      }
    }
    // Where the loss is infinite no gradient is, and behind the end of the input it is 0.
    %undefined = arith.select %finite, %zero, %nan : f32
    scf.for %t = %done to %times step %c1 {
      %inside = arith.cmpi ult, %t, %end : index
      %v = arith.select %inside, %undefined, %zero : f32
      scf.parallel (%c) = (%c0) to (%classes) step (%c1) {
        memref.store %v, %d[%t, %n, %c] : memref<?x?x?xf32>
      }
    }
  }
  sinter.yield %result : f32
}
