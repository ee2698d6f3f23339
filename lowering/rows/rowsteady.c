// rowsteady.c: numbers that grow by one from column to column, as floats.
//
//   %j = sinter.index j;  %d = arith.subi %j, %i;  %x = arith.sitofp %d     at columns near, near + 1, near + 8, ...
//     ->   x = sitofp(near - i), once;   x, x + 1.0, x + 8.0, ...
//
// A conversion takes as long as an exponential does on a GPU, one of 64 bits longer. Whole numbers that a float of the
// type tells apart are added without rounding, so the elements are the same ones.
//
// test: test/lowering/gpu/steady.mlir

#include "lowering/rows/rowmemory.h"
#include <math.h>

// From `least` to `most` in all rows and columns; a column further it is `factor` more.
typedef struct {
  int64_t least, most, factor;
} Steady;

enum { BEHIND = 1 << 16 }; // so far behind a row's end a thread's columns may be

static int64_t magnitude(const Steady *s) {
  int64_t below = llabs(s->least), above = llabs(s->most);
  return below > above ? below : above;
}

static bool is_position(const SnForm *f, MlirOperation index, Steady *s) {
  intptr_t d = sn_row_named_dim(f, index);
  int64_t size = f->dims.data[d].size;
  bool column = d >= f->num_rows;
  *s = (Steady){0, size, column};
  return size != SN_DYNAMIC && (!column || f->num_cols == 1);
}

// What is in every element between bounds that are known, none of which `most` is not greater than.
static bool is_steady(const SnForm *f, MlirValue v, int64_t most, Steady *s) {
  MlirOperation op = sn_definer(v);
  MlirType t = sn_element(sn_type_of(v));
  Steady x, y;
  double number;
  if (sn_null(op) || !(mlirTypeIsAIndex(t) || (sn_is_int(t) && sn_bits(t) >= 32)))
    return false;
  if (sn_attr_number(sn_constant_of(v), &number)) {
    *s = (Steady){(int64_t)number, (int64_t)number, 0};
    return fabs(number) < (double)most;
  }
  if (sn_row_op_of(op) && sn_row_op_of(op)->names_dim)
    return is_position(f, op, s) && magnitude(s) < most;
  if (!sn_none(sn_broadcast_of(v)))
    return is_steady(f, sn_broadcast_of(v), most, s);
  if (sn_is(op, "arith.index_cast") || sn_is(op, "arith.extsi"))
    return is_steady(f, sn_operand(op, 0), most, s);
  bool add = sn_is(op, "arith.addi");
  if ((!add && !sn_is(op, "arith.subi")) || !is_steady(f, sn_operand(op, 0), most, &x) ||
      !is_steady(f, sn_operand(op, 1), most, &y))
    return false;
  *s = add ? (Steady){x.least + y.least, x.most + y.most, x.factor + y.factor}
           : (Steady){x.least - y.most, x.most - y.least, x.factor - y.factor};
  return magnitude(s) < most;
}

// Whole numbers up to here are told apart.
static int64_t exact_most(MlirType t) {
  return mlirTypeIsAF32(t) ? (int64_t)1 << 24 : mlirTypeIsAF64(t) ? (int64_t)1 << 53 : 0;
}

MlirValue sn_row_steady(SnBuilder *b, SnRowProgram *p, const SnFragment *c, MlirOperation op) {
  MlirValue none = {0}, v = sn_operand(op, 0);
  Steady s;
  if (sn_none(c->near) || !sn_is(op, "arith.sitofp") || !sn_is_row(v))
    return none;
  MlirType t = sn_element(sn_type_of(sn_result(op, 0)));
  if (!exact_most(t) || !is_steady(p->form, v, exact_most(t) - BEHIND, &s) || !s.factor)
    return none;
  SnFragment one = sn_fragment(c->near, 1);
  MlirValue whole = sn(b, "arith.sitofp", sn_row_element(b, p, &one, v), t), lanes[SN_MOST_NEAR];
  sn_fragment_free(&one);
  for (int64_t l = 0; l < c->columns; ++l)
    lanes[l] = c->past + l ? sn(b, "arith.addf", whole, sn_float(b, t, (double)(s.factor * (c->past + l)))) : whole;
  return c->columns > 1 ? sn(b, "vector.from_elements", sn_values(c->columns, lanes), sn_vector(t, c->columns))
                        : lanes[0];
}
