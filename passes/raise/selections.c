// selections.c: maxima spelled as comparisons, and the index beside a maximum.
//
//   %1 = arith.cmpf ogt, %in, %max               %m = sinter.row_reduce maxnumf %x
//   %2 = arith.select %1, %in, %max       ->     %e = arith.cmpf oeq, %x, %m
//   %3 = arith.select %1, %index, %at            %w = sinter.row_reduce minsi (select %e, position, none)
//   linalg.yield %2, %3                          %t = sinter.pick %index[%w] else %start
//
// The first of equal values wins where the comparison is strict, else the last. What a
// NaN does is read from the body: a comparison that is false passes over it;
// beside a maximumf, which becomes NaN, nothing after it wins any more. An order that a
// NaN starts anew cannot be split among lanes, and is refused.
//
// Elements of 32 bits and their positions are compared as one number of 64, in one pass; what a NaN changes of
// that is searched where the maximum is one.
//
//   %1 = arith.select %c, %v, %at                %w = sinter.row_reduce minsi (select %c and %v != none, position,
//   most) %2 = arith.cmpi eq, %at, %none        ->     %t = sinter.pick %v[%w] else %none linalg.yield (select %2, %1,
//   %at)
//
// So exporters spell the place of a window's maximum: the first that is equal to it.
//
// runs in: raise    test: test/passes/raise/selections.mlir

#include "passes/raise/raise.h"

// ---- reading comparisons ------------------------------------------------------------------

// `taken` takes the place of `kept` where it is greater (or less), or also where it is equal.
typedef struct {
  MlirValue taken;
  bool greater, equal, unordered, is_float, is_unsigned;
} Order;

static bool read_order(MlirValue condition, MlirValue kept, bool negated, Order *o) {
  MlirOperation op = sn_definer(condition);
  *o = (Order){.is_float = sn_is(op, "arith.cmpf")};
  if (!o->is_float && !sn_is(op, "arith.cmpi"))
    return false;
  int64_t p = sn_int_attr(op, "predicate", 0);
  if (o->is_float) { // ogt oge olt ole: 2..5, ugt uge ult ule: 9..12
    o->unordered = p >= 9;
    p -= o->unordered ? 9 : 2;
    o->greater = p < 2;
  } else { // slt sle sgt sge: 2..5, ult ule ugt uge: 6..9
    o->is_unsigned = p >= 6;
    p -= o->is_unsigned ? 6 : 2;
    o->greater = p >= 2;
  }
  if (p < 0 || p > 3)
    return false;
  o->equal = p & 1;
  bool left = sn_same(sn_operand(op, 0), kept);
  if (left == sn_same(sn_operand(op, 1), kept))
    return false;
  o->taken = sn_operand(op, left ? 1 : 0);
  o->greater ^= left;
  if (negated) {
    o->greater = !o->greater;
    o->equal = !o->equal;
    o->unordered = o->is_float && !o->unordered;
  }
  return true;
}

// yield = select(compare(x, out), x or out): which one it is.
static const SnCombiner *named(const Order *o) {
  const char *kind = o->is_float      ? (o->greater ? "maxnumf" : "minnumf")
                     : o->is_unsigned ? (o->greater ? "maxui" : "minui")
                                      : (o->greater ? "maxsi" : "minsi");
  return sn_combiner(SN_STR(kind));
}

const SnCombiner *sn_raise_selected(SnRaise *r, intptr_t output, MlirValue *taken) {
  MlirOperation select = sn_definer(sn_operand(r->yield, output));
  MlirValue out = sn_raise_out_argument(r, output);
  if (!sn_is(select, "arith.select"))
    return NULL;
  bool keeps = sn_same(sn_operand(select, 1), out); // where the condition holds
  Order o;
  if (keeps == sn_same(sn_operand(select, 2), out) || !read_order(sn_operand(select, 0), out, keeps, &o) ||
      !sn_same(sn_operand(select, keeps ? 2 : 1), o.taken) || o.unordered)
    return NULL;
  // Compared with NaN, everything is passed over for good.
  double number;
  SnView init = sn_raise_view(sn_raise_init(r, output), sn_raise_map(r, r->num_inputs + output));
  if (o.is_float && (!sn_attr_number(init.constant, &number) || number != number))
    return NULL;
  *taken = o.taken;
  return named(&o);
}

// ---- the index beside a maximum ----------------------------------------------------------------

// The result that is the maximum (or minimum) of `o.taken`.
static bool is_best(SnRaise *r, intptr_t output, const Order *o, bool *poisoned) {
  MlirOperation op = sn_definer(sn_operand(r->yield, output));
  const SnCombiner *c = sn_null(op) ? NULL : sn_combiner_of_op(op);
  MlirValue out = sn_raise_out_argument(r, output), taken = {0};
  if (c) {
    bool first = sn_same(sn_operand(op, 0), out);
    if (first == sn_same(sn_operand(op, 1), out))
      return false;
    taken = sn_operand(op, first ? 1 : 0);
  } else if (sn_is(op, "arith.select")) {
    bool keeps = sn_same(sn_operand(op, 1), out);
    Order own;
    if (keeps == sn_same(sn_operand(op, 2), out) || !read_order(sn_operand(op, 0), out, keeps, &own) || own.unordered ||
        !sn_same(sn_operand(op, keeps ? 2 : 1), own.taken))
      return false;
    taken = own.taken;
    c = named(&own);
  }
  if (!c || !sn_same(taken, o->taken))
    return false;
  *poisoned = !strcmp(c->kind, "maximumf") || !strcmp(c->kind, "minimumf");
  return *poisoned ? o->greater == !strcmp(c->kind, "maximumf") : c == named(o);
}

bool sn_raise_match_winner(SnRaise *r, intptr_t output, SnWinner *a) {
  MlirOperation select = sn_definer(sn_operand(r->yield, output));
  MlirValue at = sn_raise_out_argument(r, output);
  *a = (SnWinner){0};
  if (!sn_is(select, "arith.select"))
    return false;
  bool keeps = sn_same(sn_operand(select, 1), at);
  if (keeps == sn_same(sn_operand(select, 2), at))
    return false;
  for (intptr_t k = 0; k < r->num_outputs; ++k) {
    Order o;
    if (k == output || !read_order(sn_operand(select, 0), sn_raise_out_argument(r, k), keeps, &o))
      continue;
    if (o.unordered)
      return sn_no(r->op, "a NaN would win for result %ld, and start its comparisons anew", (long)output);
    if (!is_best(r, k, &o, &a->poisoned))
      return false;
    a->start = sn_raise_view(sn_raise_init(r, k), sn_raise_map(r, r->num_inputs + k));
    if (a->start.unwritten)
      return sn_no(r->op, "compares with a destination that nothing has written");
    a->x = o.taken;
    a->value = sn_operand(select, keeps ? 2 : 1);
    a->combiner = a->poisoned ? sn_combiner(o.greater ? SN_STR("maximumf") : SN_STR("minimumf")) : named(&o);
    a->last = o.equal;
    a->predicate = o.is_float ? (o.greater ? 2 : 4) + o.equal
                              : (o.is_unsigned ? 6 : 2) + (o.greater ? 2 : 0) + o.equal;
    return sn_raise_want(r, a->x) && sn_raise_want(r, a->value);
  }
  return false;
}

// ---- the first where a condition holds ---------------------------------------------------------

// `condition` is `out == none`, where out begins with the constant none.
static bool is_none_yet(const SnRaise *r, intptr_t output, MlirValue condition) {
  enum { EQ = 0 };
  MlirOperation op = sn_def(condition, "arith.cmpi");
  MlirValue out = sn_raise_out_argument(r, output);
  if (sn_null(op) || sn_int_attr(op, "predicate", -1) != EQ)
    return false;
  bool left = sn_same(sn_operand(op, 0), out);
  SnView init = sn_raise_view(sn_raise_init(r, output), sn_raise_map(r, r->num_inputs + output));
  return left != sn_same(sn_operand(op, 1), out) && init.constant.ptr &&
         mlirAttributeEqual(sn_constant_of(sn_operand(op, left ? 1 : 0)), init.constant);
}

// select(out == none, select(c, v, out), out), or with both conditions in one.
bool sn_raise_match_first(SnRaise *r, intptr_t output, SnWinner *a) {
  MlirValue out = sn_raise_out_argument(r, output);
  MlirOperation outer = sn_def(sn_operand(r->yield, output), "arith.select");
  *a = (SnWinner){0};
  if (sn_null(outer) || !sn_same(sn_operand(outer, 2), out) || !sn_is_int(sn_type_of(out)))
    return false;
  MlirOperation inner = sn_def(sn_operand(outer, 1), "arith.select"), both = sn_def(sn_operand(outer, 0), "arith.andi");
  if (!sn_null(inner) && sn_same(sn_operand(inner, 2), out)) {
    bool first = is_none_yet(r, output, sn_operand(outer, 0));
    if (!first && !is_none_yet(r, output, sn_operand(inner, 0)))
      return false;
    a->condition = sn_operand(first ? inner : outer, 0);
    a->value = sn_operand(inner, 1);
  } else if (!sn_null(both)) {
    bool first = is_none_yet(r, output, sn_operand(both, 0));
    if (!first && !is_none_yet(r, output, sn_operand(both, 1)))
      return false;
    a->condition = sn_operand(both, first ? 1 : 0);
    a->value = sn_operand(outer, 1);
  } else {
    return false;
  }
  return sn_raise_want(r, a->condition) && sn_raise_want(r, a->value);
}

// ---- writing it ------------------------------------------------------------------------------------

enum { CMPF_OEQ = 1, CMPF_UNO = 14, CMPI_EQ = 0, CMPI_NE = 1, CMPI_SLT = 2 };

static MlirValue compare(SnBuilder *b, bool is_float, int64_t predicate, MlirValue x, MlirValue y) {
  if (sn_is_row(x))
    y = sn_as_row(b, y, sn_type_of(x));
  return sn(b, is_float ? "arith.cmpf" : "arith.cmpi", x, y, sn_attr("predicate", sn_i64(b->ctx, predicate)));
}

static MlirValue choose(SnBuilder *b, MlirValue condition, MlirValue x, MlirValue y) {
  if (sn_is_row(x))
    y = sn_as_row(b, y, sn_type_of(x));
  return sn(b, "arith.select", condition, x, y);
}

static MlirValue reduced(SnBuilder *b, const char *kind, MlirValue row) {
  return sn_row_reduce(b, kind, row, sn_element(sn_type_of(row)));
}

// The flattened position in the row.
static MlirValue position(SnBuilder *b, const SnForm *f, MlirType as) {
  MlirType row = sn_row_type(f, sn_index_type(b->ctx));
  MlirValue at = {0};
  for (int64_t c = f->num_rows; c < f->num_rows + f->num_cols; ++c) {
    MlirValue i = sn_position(b, f, c);
    if (!sn_none(at))
      i = sn(b, "arith.addi", sn(b, "arith.muli", at, sn_as_row(b, sn_index(b, f->dims.data[c].size), row)), i);
    at = i;
  }
  return sn(b, "arith.index_cast", at, sn_row_type(f, as));
}

// ---- one pass: value and position in one number ------------------------------------------------

//   key[j] = order(x[j]) * 2^32 + (2^32 - 1 - j)        the greatest key is of the first of the greatest elements
//
// order: an integer of 32 bits that is greater where x is: floats by their bits, those of negative ones turned around.

// Elements of 32 bits or less in a row shorter than 2^31; f16 and bf16 are exact in f32.
static bool has_keys(const SnForm *f, MlirType element) {
  int64_t n = sn_row_length(f);
  return sn_bits(element) <= 32 && !mlirTypeIsAIndex(element) && n != SN_DYNAMIC && n < INT32_MAX;
}

static MlirValue row_op(SnBuilder *b, const char *name, MlirValue x, MlirValue y) {
  return sn(b, name, x, sn_as_row(b, y, sn_type_of(x)));
}

// The position of the winner among elements that are not NaN, `none` if there are none; of a maximum that a NaN
// poisons, as if there were no NaN.
static MlirValue position_by_keys(SnBuilder *b, const SnForm *f, const SnWinner *a, MlirValue x, MlirValue at,
                                  MlirValue none) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32), i64 = mlirIntegerTypeGet(b->ctx, 64), f32 = mlirF32TypeGet(b->ctx),
           wide = sn_row_type(f, i64);
  MlirType element = sn_element(sn_type_of(x));
  bool is_float = sn_is_float(element), is_unsigned = !is_float && !strcmp(a->combiner->kind + 3, "ui"),
       least = !strncmp(a->combiner->kind, "min", 3);
  MlirValue order = x, nan = {0};
  if (is_float) {
    if (sn_bits(element) < 32)
      order = sn(b, "arith.extf", order, sn_row_type(f, f32));
    if (!a->poisoned) // else what is found beside a NaN is not used
      nan = compare(b, true, CMPF_UNO, order, order);
    order = row_op(b, "arith.addf", order, sn_zero(b, f32)); // -0.0 and 0.0 are equal
    order = sn(b, "arith.bitcast", order, sn_row_type(f, i32));
    MlirValue negative = row_op(b, "arith.shrsi", order, sn_int(b, i32, 31));
    order = sn(b, "arith.xori", order, row_op(b, "arith.andi", negative, sn_int(b, i32, INT32_MAX)));
  }
  order = sn(b, is_unsigned ? "arith.extui" : "arith.extsi", order, wide);
  if (is_unsigned)
    order = row_op(b, "arith.subi", order, sn_int(b, i64, (int64_t)1 << 31));
  if (least)
    order = row_op(b, "arith.xori", order, sn_int(b, i64, -1));
  MlirValue low = a->last ? row_op(b, "arith.addi", at, sn_int(b, i64, 1))
                          : sn(b, "arith.subi", sn_as_row(b, sn_int(b, i64, UINT32_MAX), wide), at);
  MlirValue key = sn(b, "arith.ori", row_op(b, "arith.shli", order, sn_int(b, i64, 32)), low);
  if (!sn_none(nan))
    key = choose(b, nan, sn_as_row(b, sn_int(b, i64, INT64_MIN), wide), key);
  MlirValue best = reduced(b, "maxsi", key), of = sn(b, "arith.andi", best, sn_int(b, i64, UINT32_MAX));
  of = a->last ? sn(b, "arith.subi", of, sn_int(b, i64, 1)) : sn(b, "arith.subi", sn_int(b, i64, UINT32_MAX), of);
  return choose(b, compare(b, false, CMPI_EQ, best, sn_int(b, i64, INT64_MIN)), none, of);
}

// A value that is `none` itself leaves none behind, and the next one may be the first.
static MlirValue first(SnRaise *r, SnBuilder *b, const SnWinner *a, MlirValue none) {
  const SnForm *f = &r->form;
  int64_t n = sn_row_length(f);
  bool small = n != SN_DYNAMIC && n < INT32_MAX;
  MlirType t = mlirIntegerTypeGet(b->ctx, small ? 32 : 64);
  MlirValue row = sn_as_row(b, sn_raise_value(r, a->value), sn_row_type(f, sn_type_of(a->value))),
            holds = sn_as_row(b, sn_raise_value(r, a->condition), sn_row_type(f, sn_type_of(a->condition)));
  holds = sn(b, "arith.andi", holds, compare(b, false, CMPI_NE, row, none));
  MlirValue at = choose(b, holds, position(b, f, t), sn_int(b, t, small ? INT32_MAX : INT64_MAX));
  return sn(b, "sinter.pick", row, reduced(b, "minsi", at), none);
}

MlirValue sn_raise_winner(SnRaise *r, SnBuilder *b, const SnWinner *a, MlirValue start, MlirValue otherwise) {
  if (!sn_none(a->condition))
    return first(r, b, a, otherwise);
  const SnForm *f = &r->form;
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64), element = sn_type_of(a->x);
  bool is_float = sn_is_float(element), keys = has_keys(f, element);
  MlirValue x = sn_as_row(b, sn_raise_value(r, a->x), sn_row_type(f, element)), at = position(b, f, i64),
            none = sn_int(b, i64, a->last ? -1 : INT64_MAX);
  MlirValue best = x, valid = {0}, which = {0}, found = {0}, all = {0}, poisoned = {0};
  if (keys) {
    found = position_by_keys(b, f, a, x, at, none);
    all = reduced(b, a->combiner->kind, x);
  }
  if (keys && !a->poisoned) {
    best = all;
    which = found;
  } else {
    if (a->poisoned) { // only what stands before the first NaN can win
      MlirValue is_nan = compare(b, true, CMPF_UNO, x, x);
      if (keys) { // and where there is none, all of this is for nothing: it waits for the maximum to tell
        poisoned = compare(b, true, CMPF_UNO, all, all);
        is_nan = sn(b, "arith.andi", is_nan, sn_as_row(b, poisoned, sn_type_of(is_nan)));
      }
      MlirValue nan = reduced(b, "minsi", choose(b, is_nan, at, sn_int(b, i64, INT64_MAX)));
      valid = compare(b, false, CMPI_SLT, at, nan);
      best = choose(b, valid, x, sn_constant(b, sn_combiner_identity(a->combiner, element)));
    }
    best = reduced(b, a->combiner->kind, best);
    MlirValue wins = compare(b, is_float, is_float ? CMPF_OEQ : CMPI_EQ, x, best);
    if (a->poisoned)
      wins = sn(b, "arith.andi", wins, valid);
    which = reduced(b, a->last ? "maxsi" : "minsi", choose(b, wins, at, none));
    if (keys) {
      which = choose(b, poisoned, which, found);
      best = choose(b, poisoned, best, all);
    }
  }
  which = choose(b, compare(b, is_float, a->predicate, best, start), which, none);
  MlirValue row = sn_as_row(b, sn_raise_value(r, a->value), sn_row_type(f, sn_type_of(a->value)));
  return sn(b, "sinter.pick", row, which, otherwise);
}
