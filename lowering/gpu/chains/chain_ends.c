// chain_ends.c: the ends of rows that were multiplied again.
//
//   s of four threads is one, it and u are under the maximum; what of the first program waits for them; the second
//   program on u, results to memory
//
// A row of nothing but -inf is NaN, as its program says. Where nobody asks for the maximum, quotients are the same
// under any reference, and a sum of 0 says that there was nothing else.
//
// test: test/lowering/gpu/chains.mlir, test/gpu/chains.test

#include "lowering/gpu/chains/chain_rows.h"
#include "lowering/rows/rowmemory.h"

enum { OEQ = 1 }; // of arith.cmpf

static void end_phase(SnBuilder *b, size_t phase, void *user) {
  SnChainRow *r = user;
  SnRowProgram *p = r->program;
  size_t first = phase ? sn_chain_num_reduces(p, 0) : 0;
  for (size_t i = first; phase < 2 && i < first + sn_chain_num_reduces(p, phase); ++i) {
    MlirOperation reduce = sn_chain_state_of(p, i);
    MlirValue x = r->states[i];
    bool scaled = sn_get_attr(reduce, SN_GPU_SCALED).ptr, maximum = mlirOperationEqual(reduce, r->c->maximum);
    if (maximum && r->c->sum < 0) {
      MlirValue some = sn(b, "arith.cmpi", r->c->num_columns, sn_index(b, 0), sn_attr("predicate", sn_i64(b->ctx, 1))),
                least =
                    sn(b, "arith.cmpf", x, sn_row_identity(b, p, reduce, 1), sn_attr("predicate", sn_i64(b->ctx, OEQ)));
      r->odd = sn(b, "arith.andi", some, least);
    } else if (maximum) { // asked for whether it is -inf, or for what sums are under
      x = sn(b, "arith.select", r->none, sn_chain_number(b, -__builtin_inf()), *sn_chain_reference_of(r));
    } else {
      x = sn_chain_over_quad(b, p, reduce, x);
      if (phase == 1 && !sn_none(r->by))
        x = sn(b, "arith.mulf", x, sn_row_convert(b, scaled ? r->by_scaled : r->by, sn_type_of(x)));
      if (phase == 1 && !sn_none(r->odd))
        x = sn(b, "arith.select", r->odd, sn_float(b, sn_type_of(x), __builtin_nan("")), x);
    }
    sn_row_know(p, sn_result(reduce, 0), x);
  }
}

// Numbers of the row, by the first of the threads that share it.
static void store_numbers(SnBuilder *b, SnGpuChain *c, int h, SnRowProgram *p, const SnForm *f) {
  MlirValue who = sn(b, "arith.cmpi", sn(b, "arith.remui", c->k->lane, sn_index(b, SN_CHAIN_QUAD)), sn_index(b, 0),
                     sn_attr("predicate", sn_i64(b->ctx, 0)));
  for (size_t o = 0; o < f->outputs.size; ++o) {
    bool crosses = false;
    for (size_t i = 0; i < c->crossings.size; ++i)
      crosses |= sn_same(c->crossings.data[i].memory, f->outputs.data[o].value);
    if (crosses || sn_uses_cols(f, f->outputs.data[o].map))
      continue;
    MlirValue v = sn_row_scalar(p, sn_row_yield(p, (intptr_t)sn_output_position(f, o)));
    SnIf first = sn_if(b, sn(b, "arith.andi", who, c->row_is[h]));
    SnFragment at = sn_fragment(sn_index(b, 0), 1);
    sn_row_store(b, p, &at, v, &f->outputs.data[o]);
    sn_fragment_free(&at);
    sn_end_if(b, &first);
  }
}

// What the second program takes of the first one's row.
static void hand_over(SnBuilder *b, SnGpuChain *c, int h) {
  const SnForm *to = &c->second, *from = &c->first;
  for (size_t k = sn_first_input(to); k < to->inputs.size; ++k)
    for (size_t o = 0; o < from->outputs.size; ++o)
      if (sn_same(to->inputs.data[k].value, from->outputs.data[o].value)) {
        MlirValue v = sn_row_yield(&c->rows[h], (intptr_t)sn_output_position(from, o));
        sn_row_know(&c->results[h], sn_input_argument(to, k), sn_row_scalar(&c->rows[h], v));
      }
}

static void store_columns(SnBuilder *b, SnChainRow *r, size_t output, MlirValue row) {
  const SnForm *f = &r->c->second;
  for (size_t i = 0; i < r->columns.n; ++i) {
    MlirValue x = sn_row_element(b, r->program, &r->columns.at[i], row), is = r->c->row_is[r->h];
    if (!sn_none(r->columns.is[i]))
      is = sn(b, "arith.andi", is, r->columns.is[i]);
    SnIf in = sn_if(b, is);
    sn_row_store(b, r->program, &r->columns.at[i], x, &f->outputs.data[output]);
    sn_end_if(b, &in);
  }
}

static void result_phase(SnBuilder *b, size_t phase, void *user) {
  SnChainRow *r = user;
  SnRowProgram *p = r->program;
  const SnForm *f = &r->c->second;
  for (size_t i = 0; i < sn_chain_num_reduces(p, phase); ++i) {
    MlirOperation reduce = p->phases.data[phase].reduces.data[i];
    sn_row_know(p, sn_result(reduce, 0),
                sn_chain_over_quad(b, p, reduce, sn_chain_reduce_columns(b, p, &r->columns, reduce)));
  }
  for (size_t y = 0; y < p->phases.data[phase].yields.size; ++y)
    for (size_t o = 0; o < f->outputs.size; ++o)
      if ((intptr_t)sn_output_position(f, o) == p->phases.data[phase].yields.data[y])
        store_columns(b, r, o, sn_row_yield(p, p->phases.data[phase].yields.data[y]));
}

static void end_row(SnBuilder *b, SnGpuChain *c, int h, MlirValue *states, size_t num_grown, MlirValue *grown) {
  SnChainRow r = {.c = c,
                  .program = &c->rows[h],
                  .h = h,
                  .states = states + (size_t)h * sn_gpu_chain_states(c),
                  .num_grown = num_grown,
                  .grown = grown};
  if (c->sum >= 0) { // quotients are the same under any reference
    MlirOperation reduce = sn_chain_state_of(r.program, (size_t)c->sum);
    MlirValue sum = sn_chain_over_quad(b, r.program, reduce, r.states[c->sum]),
              some = sn(b, "arith.cmpi", c->num_columns, sn_index(b, 0), sn_attr("predicate", sn_i64(b->ctx, 1))),
              none = sn(b, "arith.cmpf", sum, sn_chain_number(b, 0), sn_attr("predicate", sn_i64(b->ctx, OEQ)));
    r.none = none;
    r.odd = sn(b, "arith.andi", some, none);
    r.by = sn_chain_number(b, 1);
    r.by_scaled = sn_chain_number(b, c->power ? 1.0 / (double)c->power : 1);
  } else if (!sn_null(c->maximum)) {
    MlirValue most = sn_chain_under(b, r.states[sn_chain_place_of_maximum(c)]);
    r.by = sn_chain_exponential(b, sn(b, "arith.subf", *sn_chain_reference_of(&r), most));
    r.by_scaled = c->power ? sn(b, "arith.mulf", r.by, sn_chain_number(b, 1.0 / (double)c->power)) : r.by;
  }
  for (size_t i = 0; i < num_grown && !sn_none(r.by); ++i)
    if (i % SN_GPU_MMA_SUMS / 2 == (size_t)h)
      grown[i] =
          sn(b, "arith.mulf", grown[i], c->scaled[i / (num_grown / c->second.products.size)] ? r.by_scaled : r.by);
  sn_row_begin(r.program);
  SnRowWalk walk = {.columns = end_phase, .user = &r};
  sn_row_walk(b, r.program, r.program->phases.size, &walk);
  store_numbers(b, c, h, r.program, &c->first);
  for (size_t i = 0; i < num_grown && !sn_none(r.odd); ++i)
    if (i % SN_GPU_MMA_SUMS / 2 == (size_t)h)
      grown[i] = sn(b, "arith.select", r.odd, sn_float(b, sn_type_of(grown[i]), __builtin_nan("")), grown[i]);
}

static void emit_results(SnBuilder *b, SnGpuChain *c, int h, const MlirValue *grown) {
  const SnForm *f = &c->second;
  int64_t length = sn_row_length(f), pairs = sn_gpu_chain_pairs(c);
  SnGpuOwnColumns own = {.pairs = pairs,
                         .lanes = sn_chain_lanes_of(f),
                         .first = sn_index(b, 0),
                         .size = sn_index(b, length),
                         .whole = length == pairs * 8};
  SnChainRow r = {.c = c, .program = &c->results[h], .h = h, .columns = sn_chain_columns_of(b, c, &own)};
  for (size_t p = 0; p < f->products.size; ++p)
    sn_chain_give_sums(b, &r.columns, sn_product_argument(f, p), grown + p * (size_t)pairs * SN_GPU_MMA_SUMS, h);
  sn_row_begin(r.program);
  hand_over(b, c, h);
  SnRowWalk walk = {.columns = result_phase, .user = &r};
  sn_row_walk(b, r.program, r.program->phases.size, &walk);
  store_numbers(b, c, h, r.program, f);
  sn_chain_free_columns(&r.columns);
}

void sn_gpu_chain_end(SnBuilder *b, SnGpuChain *c, MlirValue *states, size_t num_grown, MlirValue *grown) {
  for (int h = 0; h < 2; ++h) {
    end_row(b, c, h, states, num_grown, grown);
    emit_results(b, c, h, grown);
  }
}
