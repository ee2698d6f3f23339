// rowpairs.c: two vectors of a half type that fill a line of memory together.
//
//   stored, of columns j .. j + 15 and j + 16 .. j + 31:
//     vector.store (vector.shuffle %y0, %y1), %y[j]            one line, not its halves one after the other
//   loaded where no lane says which column it is of: columns j, j + 2, ... and j + 1, j + 3, ...
//     %w = vector.bitcast (vector.load %x[j] : vector<32xbf16>) : vector<16xi32>
//     %x0, %x1 = the low and the high halves of %w             widened by a shift and by a mask: nothing crosses lanes
//     vector.store (vector.interleave %y0, %y1), %y[j]
//
// A store takes back what one load saves, so there are more loads than stores.
//
// test: test/lowering/cpu/rowpairs.mlir

#include "lowering/rows/rowmemory.h"
#include <assert.h>

static bool is_half(MlirType t) { return mlirTypeIsABF16(t) || mlirTypeIsAF16(t); }

bool sn_row_stores_halves(const SnRowProgram *p, const SnPhase *phase) {
  for (size_t i = 0; i < phase->yields.size; ++i)
    if (is_half(sn_element(sn_type_of(sn_row_yield(p, phase->yields.data[i])))))
      return true;
  return false;
}

// ---- loads ----------------------------------------------------------------------------------

// Nothing that v is computed from says which column it is of, and all memory that is read is bf16 in one piece: added
// to `loads`.
static bool in_any_order(const SnRowProgram *p, MlirValue v, SnValueVec *loads) {
  MlirOperation op = sn_definer(v);
  for (size_t i = 0; i < loads->size; ++i)
    if (sn_same(loads->data[i], v))
      return true;
  if (!sn_is_row(v))
    return true;
  for (size_t i = 0; i < p->kept.size; ++i)
    if (sn_same(p->kept.data[i].value, v))
      return false;
  if (sn_null(op)) {
    const SnRowSource *s = &p->sources.data[mlirBlockArgumentGetArgNumber(v)];
    sn_push(loads, v);
    return !s->scratch && mlirTypeIsABF16(sn_element(sn_type_of(v))) && sn_row_in_one_piece(p->form, &s->access);
  }
  if (!sn_row_op_of(op) || sn_row_op_of(op)->position)
    return false;
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    if (!in_any_order(p, sn_operand(op, k), loads))
      return false;
  return true;
}

bool sn_row_in_any_order(const SnRowProgram *p, const SnPhase *phase) {
  SnValueVec loads = {0};
  bool is = p->row.rows == 1;
  for (size_t i = 0; i < phase->reduces.size; ++i)
    is = is && in_any_order(p, sn_operand(phase->reduces.data[i], 0), &loads);
  for (size_t i = 0; i < phase->yields.size; ++i) {
    MlirValue y = sn_row_yield(p, phase->yields.data[i]);
    is = is && mlirTypeIsABF16(sn_element(sn_type_of(y))) && in_any_order(p, y, &loads);
  }
  is = is && loads.size > phase->yields.size;
  sn_vec_free(&loads);
  return is;
}

SnFragment sn_row_half(SnBuilder *b, SnRowPair *pair, int part, int64_t width) {
  MlirValue at = !part || pair->by_parity ? pair->column : sn(b, "arith.addi", pair->column, sn_index(b, width));
  SnFragment c = sn_fragment(at, width);
  c.pair = pair;
  c.part = part;
  return c;
}

MlirValue sn_row_load_half(SnBuilder *b, SnRowProgram *p, SnFragment *c, const SnAccess *a) {
  SnRowPair *pair = c->pair;
  MlirType i16 = mlirIntegerTypeGet(b->ctx, 16), i32 = mlirIntegerTypeGet(b->ctx, 32),
           words = sn_vector(i32, c->columns);
  MlirValue both = {0};
  for (size_t i = 0; i < pair->words.size; ++i)
    if (pair->words.data[i].access == a)
      both = pair->words.data[i].value;
  if (sn_none(both)) {
    SnFragment whole = sn_fragment(pair->column, 2 * c->columns);
    both = sn(b, "vector.bitcast", sn_row_load_lanes(b, p, &whole, a), words);
    sn_push(&pair->words, (SnHalves){a, both});
    sn_fragment_free(&whole);
  }
  MlirValue shift = sn_splat(b, words, mlirIntegerAttrGet(i32, 16)),
            low = c->part ? sn(b, "arith.shrui", both, shift) : both;
  return sn(b, "arith.bitcast", sn(b, "arith.trunci", low, sn_vector(i16, c->columns)),
            sn_vector(mlirBF16TypeGet(b->ctx), c->columns));
}

// ---- stores ---------------------------------------------------------------------------------

MlirValue sn_row_whole_of_halves(SnBuilder *b, SnFragment *c, MlirValue x, const SnAccess *a) {
  SnRowPair *pair = c->pair;
  MlirValue first = {0};
  int64_t lanes[SN_MAX_LANES];
  if (!c->part) {
    sn_push(&pair->stored, (SnHalves){a, x});
    return first;
  }
  for (size_t i = 0; i < pair->stored.size; ++i)
    if (pair->stored.data[i].access == a)
      first = pair->stored.data[i].value;
  assert(!sn_none(first) && c->columns <= 32 && "the first half is stored before");
  for (int64_t l = 0; l < 2 * c->columns; ++l)
    lanes[l] = l;
  if (pair->by_parity)
    return sn(b, "vector.interleave", first, x, sn_vector(sn_element(sn_type_of(x)), 2 * c->columns));
  return sn(b, "vector.shuffle", first, x, sn_attr("mask", mlirDenseI64ArrayGet(b->ctx, 2 * c->columns, lanes)));
}

void sn_row_pair_free(SnRowPair *pair) {
  sn_vec_free(&pair->words);
  sn_vec_free(&pair->stored);
}
