// product_rows.c: row programs that need their rows whole, where a tile has whole rows.
//
//   sums of wgmma, in registers     four threads share a row: pairs of columns, 8 apart
//   sums in shared memory           a warp has a row at a time: columns 32 apart
//
//   for each row: for each phase of its program: a thread's part of each reduction, then butterflies over those who
//   share the row; numbers of the row by the first of them
//
// A pick's element is somebody's: it is looked for where some lane of the warp has a row with one in it, and no more
// than compared then. Rows beside the form's end are its first row, and nothing of them is stored.
//
// test: test/lowering/gpu/product_rows.mlir, test/gpu/emulate_products.test

#include "lowering/gpu/meet/meet.h"
#include "lowering/gpu/products/products_gpu.h"
#include "lowering/rows/index.h"
#include "lowering/rows/rowmemory.h"

enum { QUAD = 4, WARP = 32, PAIR = 2, PAIRS_APART = 8, EQ = 0 };

typedef struct {
  SnGpuProducts *g;
  const SnGpuSharedRow *row;
  SnFragment *at;
  MlirValue is; // i1: it is one of the form's
} Row;

// ---- a pick ----------------------------------------------------------------------------------------

// Bits of the row's element at the column, of who has it; 0 of all others.
static MlirValue own_bits(SnBuilder *b, const Row *r, const MlirValue *elements, MlirValue column) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32);
  MlirValue far = sn(b, "arith.index_cast", sn(b, "arith.subi", column, r->row->first), i32), x = {0};
  for (size_t i = 0; i < r->row->n; ++i)
    for (int64_t l = 0; l < r->row->lanes; ++l) {
      MlirValue e = r->row->lanes > 1 ? sn_lane(b, elements[i], l) : elements[i],
                is = sn(b, "arith.cmpi", far, sn_int(b, i32, r->row->offsets[i] + l),
                        sn_attr("predicate", sn_i64(b->ctx, EQ)));
      x = sn(b, "arith.select", is, e, sn_none(x) ? sn_zero(b, sn_type_of(e)) : x);
    }
  return sn_gpu_bits(b, x);
}

static MlirValue pick(SnBuilder *b, SnRowProgram *p, MlirOperation op, MlirValue column, void *user) {
  const Row *r = user;
  MlirType type = sn_type_of(sn_result(op, 0));
  MlirValue in = sn_row_below(b, column, sn_form_columns(b, p->form)),
            *elements = sn_alloc((r->row->n + 1) * sizeof *elements);
  for (size_t i = 0; i < r->row->n; ++i) // in front of the branch: others may ask for them behind it
    elements[i] = sn_row_element(b, p, &r->at[i], sn_operand(op, 0));
  SnIf some = sn_if(b, sn_gpu_any_lane(b, in), type);
  MlirValue bits = own_bits(b, r, elements, column);
  SnReduction by_or = {.type = sn_type_of(bits), .combiner = sn_combiner(SN_STR("or"))};
  MlirValue x = sn_gpu_from_bits(b, sn_gpu_butterfly(b, &by_or, bits, r->row->team), type),
            otherwise = sn_row_scalar(p, sn_operand(op, 2));
  sn_else(b, &some, sn(b, "arith.select", in, x, otherwise));
  sn_end_if(b, &some, otherwise);
  free(elements);
  return sn_result(some.op, 0);
}

// ---- phases ----------------------------------------------------------------------------------------

static MlirValue reduce_row(SnBuilder *b, Row *r, MlirOperation reduce) {
  SnRowProgram *p = &r->g->program;
  MlirValue acc = {0};
  for (size_t i = 0; i < r->row->n; ++i) {
    MlirValue x = sn_row_reduced(b, p, &r->at[i], reduce);
    acc = i ? sn_row_combine(b, p, reduce, acc, x) : x;
  }
  if (r->row->lanes > 1)
    acc = sn_row_horizontal(b, p, reduce, acc);
  SnReduction reduction = sn_reduction_of(p, reduce);
  return sn_gpu_butterfly(b, &reduction, acc, r->row->team);
}

static void store_row(SnBuilder *b, Row *r, intptr_t yield) {
  SnRowProgram *p = &r->g->program;
  const SnForm *f = p->form;
  size_t seen[2] = {0};
  for (size_t o = 0; o < f->outputs.size; ++o)
    if ((intptr_t)sn_next_position(f, o, seen) == yield)
      for (size_t i = 0; i < r->row->n; ++i) {
        MlirValue x = sn_row_element(b, p, &r->at[i], sn_row_yield(p, yield));
        SnIf in = sn_if(b, r->is);
        sn_row_store(b, p, &r->at[i], x, &f->outputs.data[o]);
        sn_end_if(b, &in);
      }
}

static void emit_phase(SnBuilder *b, size_t number, void *user) {
  Row *r = user;
  SnRowProgram *p = &r->g->program;
  const SnPhase *phase = &p->phases.data[number];
  for (size_t i = 0; i < phase->reduces.size; ++i)
    sn_row_know(p, sn_result(phase->reduces.data[i], 0), reduce_row(b, r, phase->reduces.data[i]));
  for (size_t i = 0; i < phase->yields.size; ++i)
    store_row(b, r, phase->yields.data[i]);
}

static void store_numbers(SnBuilder *b, Row *r) {
  SnRowProgram *p = &r->g->program;
  const SnForm *f = p->form;
  MlirValue first = sn(b, "arith.cmpi", sn(b, "arith.remui", r->g->k->lane, sn_index(b, r->row->team)), sn_index(b, 0),
                       sn_attr("predicate", sn_i64(b->ctx, EQ)));
  SnIf one = sn_if(b, sn(b, "arith.andi", first, r->is));
  for (size_t o = 0; o < f->outputs.size; ++o) {
    MlirValue v = sn_row_yield(p, (intptr_t)sn_output_position(f, o));
    if (sn_is_row(v))
      continue;
    SnFragment at = sn_fragment(sn_index(b, 0), 1);
    sn_row_store(b, p, &at, sn_row_scalar(p, v), &f->outputs.data[o]);
    sn_fragment_free(&at);
  }
  sn_end_if(b, &one);
}

// ---- a row -----------------------------------------------------------------------------------------

// The row's places, those of the form's columns not.
static void place_row(SnBuilder *b, SnGpuProducts *g, MlirValue i) {
  const SnForm *f = g->form;
  SnGpuDims pieces = g->plan->points.columns;
  pieces.n -= (size_t)f->num_cols;
  MlirValue dims[SN_MAX_DIMS];
  memcpy(dims, g->dims, sizeof dims);
  sn_gpu_point(b, f, &g->plan->points.rows, i, dims);
  sn_gpu_point(b, f, &pieces, sn(b, "arith.divui", g->first_column, sn_index(b, g->plan->n)), dims);
  memcpy(g->program.dims, dims, (size_t)f->num_rows * sizeof *dims);
}

void sn_gpu_emit_shared_row(SnBuilder *b, SnGpuProducts *g, const SnGpuSharedRow *row) {
  const SnForm *f = g->form;
  MlirValue i = plus(b, g->first_row, row->row);
  Row r = {.g = g,
           .row = row,
           .at = sn_alloc((row->n + 1) * sizeof *r.at),
           .is = sn_gpu_inside(b, i, g->num_rows, g->plan->m * g->plan->cluster)};
  sn_row_begin(&g->program);
  place_row(b, g, sn(b, "arith.select", r.is, i, sn_index(b, 0)));
  for (size_t k = 0; k < row->n; ++k) {
    r.at[k] = sn_fragment(plus(b, row->first, sn_index(b, row->offsets[k])), row->lanes);
    for (size_t p = 0; p < f->products.size; ++p)
      sn_fragment_give(&r.at[k], sn_product_argument(f, p), row->sums[p * row->n + k]);
  }
  g->program.pick = pick;
  g->program.pick_user = &r;
  SnRowWalk walk = {.columns = emit_phase, .user = &r};
  sn_row_walk(b, &g->program, g->program.phases.size, &walk);
  store_numbers(b, &r);
  for (size_t k = 0; k < row->n; ++k)
    sn_fragment_free(&r.at[k]);
  free(r.at);
}

void sn_gpu_emit_rows_of_pairs(SnBuilder *b, SnGpuProducts *g, MlirValue row, const MlirValue *values, int64_t stride) {
  SnGpuKernel *k = g->k;
  size_t products = g->form->products.size, n = (size_t)(g->plan->n / PAIRS_APART);
  MlirValue *sums = sn_alloc((products * n + 1) * sizeof *sums),
            quad = plus(b, row, sn(b, "arith.divui", k->lane, sn_index(b, QUAD))),
            first = sn(b, "arith.muli", sn(b, "arith.remui", k->lane, sn_index(b, QUAD)), sn_index(b, PAIR));
  int64_t *offsets = sn_alloc((n + 1) * sizeof *offsets);
  for (int64_t h = 0; h < 2; ++h) {
    for (size_t i = 0; i < n; ++i) {
      offsets[i] = (int64_t)i * PAIRS_APART;
      for (size_t p = 0; p < products; ++p) {
        const MlirValue *pair = &values[(int64_t)p * stride + (int64_t)i * 2 * PAIR + h * PAIR];
        sums[p * n + i] = sn(b, "vector.from_elements", sn_values(PAIR, pair), sn_vector(sn_type_of(pair[0]), PAIR));
      }
    }
    SnGpuSharedRow shared = {.row = h ? plus(b, quad, sn_index(b, PAIRS_APART)) : quad,
                             .first = first,
                             .team = QUAD,
                             .lanes = PAIR,
                             .n = n,
                             .offsets = offsets,
                             .sums = sums};
    sn_gpu_emit_shared_row(b, g, &shared);
  }
  free(offsets);
  free(sums);
}

void sn_gpu_emit_rows_of_tile(SnBuilder *b, SnGpuProducts *g) {
  SnGpuKernel *k = g->k;
  const SnForm *f = g->form;
  size_t products = f->products.size, n = (size_t)(g->plan->n / WARP);
  MlirValue *sums = sn_alloc((products * n + 1) * sizeof *sums);
  int64_t *offsets = sn_alloc((n + 1) * sizeof *offsets);
  SnLoop l = sn_for(b, k->warp, sn_index(b, g->plan->m), sn_index(b, k->warps));
  for (size_t i = 0; i < n; ++i) {
    offsets[i] = (int64_t)i * WARP;
    for (size_t p = 0; p < products; ++p) {
      MlirValue at[] = {l.index, plus(b, k->lane, sn_index(b, offsets[i]))};
      sums[p * n + i] = sn_scratch_load(b, g->sums[p], sn_values(2, at), f->products.data[p].type, sn_no_attr());
    }
  }
  SnGpuSharedRow shared = {
      .row = l.index, .first = k->lane, .team = WARP, .lanes = 1, .n = n, .offsets = offsets, .sums = sums};
  sn_gpu_emit_shared_row(b, g, &shared);
  sn_next(b, &l);
  free(offsets);
  free(sums);
}
