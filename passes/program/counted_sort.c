// counted_sort.c: a short run of a sort is counted: an element's place is how many go before it.
//
//   for each run of 96 elements, or fewer:
//     for j, for i:  place[i] += element j goes before element i          16 of i at once
//     all places differ:  element i of the run goes to place[i]
//   where that was so of all runs they are merged from their length on, else from 1 on (sort.c)
//
// A round of merging takes the elements one by one, each waiting for the one before: 77 take seven rounds. Of two
// elements exactly one goes before the other, whatever the comparison says: the left one, unless only the right one is
// before the other. So the places add up to n (n - 1) / 2, and all differ exactly if their squares add up to
// n (n - 1) (2 n - 1) / 6, which is the most. Where elements go round in a circle, as a NaN makes them, they do not:
// such a run stays as it is.
//
// runs in: sinter-tm-tensor{counted=96}    test: test/passes/program/counted_sort.mlir, test/run/tm_tensor.test

#include "passes/program/sorted.h"

#define VECTOR 16 // elements whose places are counted at once

static MlirValue goes_before(SnBuilder *b, const SnSort *s, MlirValue *j, MlirValue *i, MlirValue in_front) {
  MlirType i1 = mlirIntegerTypeGet(b->ctx, 1);
  MlirValue *forth = sn_alloc((size_t)(2 * s->n) * sizeof *forth), *back = sn_alloc((size_t)(2 * s->n) * sizeof *back);
  for (intptr_t k = 0; k < s->n; ++k) {
    back[2 * k + 1] = forth[2 * k] = j[k];
    back[2 * k] = forth[2 * k + 1] = i[k];
  }
  MlirValue before = sn_inline_combiner(b, s->at.op, forth), behind = sn_inline_combiner(b, s->at.op, back);
  MlirValue not_behind = sn(b, "arith.xori", behind, sn_int(b, i1, 1));
  free(forth);
  free(back);
  return sn(b, "arith.select", in_front, sn(b, "arith.ori", before, not_behind),
            sn(b, "arith.andi", before, not_behind));
}

static void load_all(SnBuilder *b, const SnSort *s, const MlirValue *copy, MlirValue at, MlirValue *to) {
  for (intptr_t k = 0; k < s->n; ++k)
    to[k] = sn(b, "memref.load", copy[k], at, sn_element(sn_type_of(copy[k])));
}

// Elements of the run, then the first one again up to a whole vector: what is counted of those is not read.
static void copy_run(SnBuilder *b, const SnSort *s, const SnCounted *c, const MlirValue *from, MlirValue run,
                     MlirValue n, MlirValue whole) {
  MlirValue zero = sn_index(b, 0), one = sn_index(b, 1);
  SnLoop i = sn_for(b, zero, n, one);
  for (intptr_t k = 0; k < s->n; ++k)
    sn_op(b, "memref.store", sn_place_load(b, &s->at, from[k], sn(b, "arith.addi", run, i.index)), c->copy[k], i.index);
  sn_next(b, &i);
  SnLoop more = sn_for(b, n, whole, one);
  for (intptr_t k = 0; k < s->n; ++k)
    sn_op(b, "memref.store", sn_place_load(b, &s->at, from[k], run), c->copy[k], more.index);
  sn_next(b, &more);
  SnLoop z = sn_for(b, zero, whole, one);
  sn_op(b, "memref.store", sn_zero(b, sn_element(sn_type_of(c->place))), c->place, z.index);
  sn_next(b, &z);
}

static void count(SnBuilder *b, const SnSort *s, const SnCounted *c, MlirValue n, MlirValue whole) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32);
  MlirValue zero = sn_index(b, 0), one = sn_index(b, 1);
  MlirValue *x = sn_alloc((size_t)s->n * sizeof *x), *y = sn_alloc((size_t)s->n * sizeof *y);
  SnLoop j = sn_for(b, zero, n, one);
  load_all(b, s, c->copy, j.index, x);
  MlirValue number = sn(b, "arith.index_cast", j.index, i32);
  SnLoop i = sn_for(b, zero, whole, one);
  load_all(b, s, c->copy, i.index, y);
  MlirValue in_front = sn(b, "arith.cmpi", number, sn(b, "arith.index_cast", i.index, i32),
                          sn_attr("predicate", sn_i64(b->ctx, 2 /* slt */)));
  MlirValue more = sn(b, "arith.extui", goes_before(b, s, x, y, in_front), i32);
  sn_op(b, "memref.store", sn(b, "arith.addi", sn(b, "memref.load", c->place, i.index, i32), more), c->place, i.index);
  sn_next(b, &i);
  sn_next(b, &j);
  free(x);
  free(y);
}

// i1: all places differ.
static MlirValue all_differ(SnBuilder *b, const SnCounted *c, MlirValue n) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32);
  MlirValue none = sn_int(b, i32, 0);
  SnLoop i = sn_for(b, sn_index(b, 0), n, sn_index(b, 1), none);
  MlirValue p = sn(b, "memref.load", c->place, i.index, i32);
  sn_next(b, &i, sn(b, "arith.addi", i.carried[0], sn(b, "arith.muli", p, p)));
  MlirValue size = sn(b, "arith.index_cast", n, i32), one = sn_int(b, i32, 1), two = sn_int(b, i32, 2);
  MlirValue most = sn(b, "arith.muli", size, sn(b, "arith.subi", size, one));
  most = sn(b, "arith.muli", most, sn(b, "arith.subi", sn(b, "arith.muli", size, two), one));
  most = sn(b, "arith.divui", most, sn_int(b, i32, 6));
  return sn(b, "arith.cmpi", sn_result(i.op, 0), most, sn_attr("predicate", sn_i64(b->ctx, 0 /* eq */)));
}

// Each element of the run to its place, or (null) to where it was.
static void put(SnBuilder *b, const SnSort *s, const SnCounted *c, MlirValue run, MlirValue n, MlirValue places) {
  SnLoop i = sn_for(b, sn_index(b, 0), n, sn_index(b, 1));
  MlirValue to = i.index;
  if (!sn_none(places))
    to = sn(b, "arith.index_cast", sn(b, "memref.load", places, i.index, sn_element(sn_type_of(places))),
            sn_index_type(b->ctx));
  for (intptr_t k = 0; k < s->n; ++k)
    sn_place_store(b, &s->at, sn(b, "memref.load", c->copy[k], i.index, sn_element(sn_type_of(c->copy[k]))), s->data[k],
                   sn(b, "arith.addi", run, to));
  sn_next(b, &i);
}

SnCounted sn_counted_begin(SnBuilder *row, const SnSort *s, int64_t most) {
  int64_t size = sn_dim(sn_type_of(s->data[0]), 1), length = most, runs = 1;
  if (size != SN_DYNAMIC && size > 0) {
    while (sn_pieces(size, runs) > most) // each round of merging halves their number
      runs *= 2;
    length = sn_pieces(size, runs);
  }
  int64_t room = sn_pieces(length, VECTOR) * VECTOR;
  SnCounted c = {.length = length, .copy = sn_alloc((size_t)s->n * sizeof *c.copy)};
  for (intptr_t k = 0; k <= s->n; ++k) {
    MlirType t = k < s->n ? sn_element(sn_type_of(s->data[k])) : mlirIntegerTypeGet(row->ctx, 32);
    MlirValue memory = sn(row, "memref.alloca", sn_memref(t, 1, &room),
                          sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(row->ctx, 2, (int32_t[]){0, 0})));
    *(k < s->n ? &c.copy[k] : &c.place) = memory;
  }
  return c;
}

MlirValue sn_sort_counted(SnBuilder *b, const SnSort *s, const SnCounted *c, const MlirValue *from) {
  MlirType i1 = mlirIntegerTypeGet(b->ctx, 1);
  MlirValue length = sn_index(b, c->length), sorted = sn_int(b, i1, 1), none = {0};
  SnLoop run = sn_for(b, sn_index(b, 0), s->size, length, sorted);
  MlirValue n = sn(b, "arith.minsi", sn(b, "arith.subi", s->size, run.index), length);
  int64_t size = sn_dim(sn_type_of(s->data[0]), 1);
  if (size != SN_DYNAMIC && size % c->length == 0)
    n = length;
  MlirValue vector = sn_index(b, VECTOR), whole = sn(b, "arith.muli", sn(b, "arith.ceildivui", n, vector), vector);
  copy_run(b, s, c, from, run.index, n, whole);
  count(b, s, c, n, whole);
  MlirValue differ = all_differ(b, c, n);
  SnIf is = sn_if(b, differ);
  put(b, s, c, run.index, n, c->place);
  sn_else(b, &is);
  put(b, s, c, run.index, n, none);
  sn_end_if(b, &is);
  sn_next(b, &run, sn(b, "arith.andi", run.carried[0], differ));
  return sn(b, "arith.select", sn_result(run.op, 0), length, sn_index(b, 1));
}

void sn_counted_end(SnCounted *c) { free(c->copy); }
