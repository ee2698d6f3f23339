// multilabel_margin: every label's score above every other class's by 1, torch.nn.functional.multilabel_margin_loss.
//
//   l = sum over labels y and classes j that are no label of max(0, 1 - (x[y] - x[j])) / C
//
// A row of targets lists labels up to the first -1. input and targets are [N, C] or [C].
sinter.define_steps @multilabel_margin(%n: index {row}, %input: memref<?x?xf32>, %target: memref<?x?xi64> {like = "input"},
    %upstream: f32 {upstream}, %wanted: i1 {gradient = "input"}, %d: memref<?x?xf32> {gradient = "input"})
    attributes {reductions = ["mean", "sum", "none"], summary = "margin loss of several labels",
                formula = "l = sum(max(0, 1 - (input[y] - input[j])) for labels y and classes j that are none) / C"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i64
  %none = arith.constant -1 : i64
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %classes = memref.dim %input, %c1 : memref<?x?xf32>
  %places = memref.dim %target, %c1 : memref<?x?xi64>
  %rows = memref.dim %input, %c0 : memref<?x?xf32>
  %target_rows = memref.dim %target, %c0 : memref<?x?xi64>
  %same_rows = arith.cmpi eq, %rows, %target_rows : index
  %same_places = arith.cmpi eq, %classes, %places : index
  %like = arith.andi %same_rows, %same_places : i1
  cf.assert %like, "multilabel_margin: target is not as large as input"
  %classes64 = arith.index_cast %classes : index to i64
  %times = memref.alloca(%classes) : memref<?xf32> // how often a class is a label

  %all = arith.constant 1 : i64
  %labels, %within = scf.parallel (%k) = (%c0) to (%places) step (%c1) init (%places, %all) -> (index, i64) {
    %t = memref.load %target[%n, %k] : memref<?x?xi64>
    %is_end = arith.cmpi eq, %t, %none : i64
    %v = arith.select %is_end, %k, %places : index
    %inside = arith.cmpi ult, %t, %classes64 : i64
    %either = arith.ori %inside, %is_end : i1
    %yes = arith.extui %either : i1 to i64
    scf.reduce(%v, %yes : index, i64) {
    ^bb0(%p: index, %q: index):
      %r = arith.minsi %p, %q : index
      scf.reduce.return %r : index
    }, {
    ^bb0(%p: i64, %q: i64):
      %r = arith.andi %p, %q : i64
      scf.reduce.return %r : i64
    }
  }
  %fits = arith.cmpi ne, %within, %i0 : i64
  cf.assert %fits, "multilabel_margin: a label is less than -1 or not less than the number of classes"
  %count = arith.select %fits, %labels, %c0 : index
  %size = arith.sitofp %classes64 : i64 to f32
  %g = arith.divf %upstream, %size : f32

  // Each class against all labels.
  %sum = scf.parallel (%j) = (%c0) to (%classes) step (%c1) init (%zero) -> f32 {
    %x = memref.load %input[%n, %j] : memref<?x?xf32>
    %j64 = arith.index_cast %j : index to i64
    %l:3 = scf.for %k = %c0 to %count step %c1 iter_args(%all_of = %zero, %above = %zero, %equal = %zero) -> (f32, f32, f32) {
      %t = memref.load %target[%n, %k] : memref<?x?xi64>
      %c = arith.index_cast %t : i64 to index
      %y = memref.load %input[%n, %c] : memref<?x?xf32>
      %u = arith.subf %one, %y : f32
      %z = arith.addf %u, %x : f32
      %under = arith.cmpf ule, %z, %zero : f32
      %part = arith.select %under, %zero, %z : f32
      %hit = arith.select %under, %zero, %one : f32
      %is_j = arith.cmpi eq, %t, %j64 : i64
      %match = arith.select %is_j, %one, %zero : f32
      %r0 = arith.addf %all_of, %part : f32
      %r1 = arith.addf %above, %hit : f32
      %r2 = arith.addf %equal, %match : f32
      scf.yield %r0, %r1, %r2 : f32, f32, f32
    }
    memref.store %l#2, %times[%j] : memref<?xf32>
    %is_label = arith.cmpf one, %l#2, %zero : f32
    scf.if %wanted {
      %v = arith.select %is_label, %zero, %l#1 : f32
      %scaled = arith.mulf %v, %g : f32
      memref.store %scaled, %d[%n, %j] : memref<?x?xf32>
    }
    %v = arith.select %is_label, %zero, %l#0 : f32
    scf.reduce(%v : f32) {
    ^bb0(%p: f32, %q: f32):
      %r = arith.addf %p, %q : f32
      scf.reduce.return %r : f32
    }
  }
  // Each label against all other classes.
  scf.if %wanted {
    scf.parallel (%k) = (%c0) to (%count) step (%c1) {
      %t = memref.load %target[%n, %k] : memref<?x?xi64>
      %true = arith.constant true
      %first = scf.for %i = %c0 to %k step %c1 iter_args(%f = %true) -> (i1) { // a label given twice is stored once
        %o = memref.load %target[%n, %i] : memref<?x?xi64>
        %unlike = arith.cmpi ne, %o, %t : i64
        %r = arith.andi %f, %unlike : i1
        scf.yield %r : i1
      }
      scf.if %first {
        %c = arith.index_cast %t : i64 to index
        %y = memref.load %input[%n, %c] : memref<?x?xf32>
        %u = arith.subf %one, %y : f32
        %hits = scf.for %j = %c0 to %classes step %c1 iter_args(%h = %zero) -> (f32) {
          %x = memref.load %input[%n, %j] : memref<?x?xf32>
          %z = arith.addf %u, %x : f32
          %under = arith.cmpf ule, %z, %zero : f32
          %m = memref.load %times[%j] : memref<?xf32>
          %is_label = arith.cmpf one, %m, %zero : f32
          %no = arith.ori %under, %is_label : i1
          %hit = arith.select %no, %zero, %one : f32
          %r = arith.addf %h, %hit : f32
          scf.yield %r : f32
        }
        %often = memref.load %times[%c] : memref<?xf32>
        %all_hits = arith.mulf %hits, %often : f32
        %scaled = arith.mulf %all_hits, %g : f32
        %v = arith.subf %zero, %scaled : f32
        memref.store %v, %d[%n, %c] : memref<?x?xf32>
      }
    }
  }
  %loss = arith.divf %sum, %size : f32
  sinter.yield %loss : f32
}
