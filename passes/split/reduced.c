// reduced.c: rows of a product that are nothing but reduced, a piece of their columns at a time.
//
//   %z = contract (i) by (j = 1000) product (k) (x[i, k], w[j, k])
//     { %m = row_reduce maximumf %acc; %s = row_reduce add (exp (%acc - %m)); log %s }
// ->
//   %m_, %s_ = contract (i, p = 6) by (j = 192) product (k) (x[i, k], w[p * 192 + j, k] else 0.0)
//     { the same of the piece, under its own maximum }                                            -> [p, i]
//   %z = rowwise (i) by (p = 6) (%m_[p, i], %s_[p, i])
//     { %m = row_reduce maximumf %m_; %s = row_reduce add (%s_ * exp (%m_ - %m)); log %s }
//
// A tile of a GPU's products has a piece whole, so nothing as large as the row is in memory: of a language model's head
// no logits. What the row's end makes of its reductions is made behind the pieces; they are joined in order.
//
// A reduction is of pieces where its row waits for no other, or is a sum of exponentials under, or of differences from,
// what the row's maximum gives. Sums of what is added to or multiplied by a number of the row are taken apart. A pick
// takes its element from the piece that has it, and what waits is computed of that element.
//
// runs in: split    test: test/passes/split/reduced.mlir

#include "passes/split/reduced.h"
#include "lowering/facts/gpu_products.h"
#include "lowering/rows/rowmemory.h"
#include <math.h>

enum { OEQ = 1, EQ = 0 }; // of arith.cmpf; of arith.cmpi
enum { FEWEST_PIECES = 2, FEW_ROWS = 64, MOST_COLUMNS = 1 << 30 };

static MlirValue refuse(SnReducedJoin *s, const char *why) {
  s->why = s->why ? s->why : why;
  return (MlirValue){0};
}
static bool waits(const SnReducedJoin *s, MlirValue v) { return !sn_none(sn_mapped(&s->waits, v)); }

// Another row by the same combiner.
MlirValue sn_reduce_row_as(SnBuilder *b, MlirOperation reduce, MlirValue row) {
  const SnCombiner *c = sn_combiner(mlirStringAttrGetValue(sn_get_attr(reduce, "kind")));
  return sn_row_reduce(b, c->kind, row, sn_type_of(sn_result(reduce, 0)));
}

// ---- what a piece can compute --------------------------------------------------------------------

static bool goes_by_elements(MlirOperation op) {
  const SnRowOp *line = sn_row_op_of(op);
  return line && sn_num_results(op) == 1 && !mlirOperationGetNumRegions(op) &&
         (line->first == SN_READS_COLUMN || line->first == SN_READS_NOTHING);
}

// A row, or a number that it takes, which waits for nothing: everything in a piece.
static bool is_of_piece(const SnReducedJoin *s, MlirValue v) {
  MlirOperation op = sn_definer(v);
  if (sn_null(op))
    return !mlirTypeIsAMemRef(sn_type_of(v));
  bool all = goes_by_elements(op) && !waits(s, v);
  for (intptr_t k = 0; k < sn_num_operands(op) && all; ++k)
    all = is_of_piece(s, sn_operand(op, k));
  return all;
}

// ---- parts -----------------------------------------------------------------------------------------

static SnReducedPart *part_of(SnReducedJoin *s, const SnReducedPart *like) {
  for (size_t i = 0; i < s->parts.size; ++i) {
    SnReducedPart *p = &s->parts.data[i];
    bool same = p->kind == like->kind && sn_same(p->row, like->row) && mlirTypeEqual(p->type, like->type);
    if (p->kind == SN_PART_REDUCED)
      same = same && mlirAttributeEqual(sn_get_attr(p->op, "kind"), sn_get_attr(like->op, "kind"));
    else if (p->kind == SN_PART_PICKED)
      same = same && sn_same(sn_operand(p->op, 1), sn_operand(like->op, 1));
    else
      same = same && sn_same(p->reference, like->reference) && mlirValueEqual(p->factor, like->factor);
    if (same)
      return p;
  }
  SnReducedPart p = *like;
  p.parts = mlirBlockAddArgument(s->joined, sn_reduced_row(p.type, s->pieces), s->b.loc);
  sn_push(&s->parts, p);
  return &s->parts.data[s->parts.size - 1];
}

static SnReducedPart *reduced_part(SnReducedJoin *s, MlirOperation reduce, MlirValue row) {
  if (!sn_get_attr(reduce, "kind").ptr || !is_of_piece(s, row)) {
    refuse(s, "a reduction is by a region, or of a row that is no function of its column");
    return NULL;
  }
  return part_of(
      s, &(SnReducedPart){.kind = SN_PART_REDUCED, .op = reduce, .row = row, .type = sn_type_of(sn_result(reduce, 0))});
}

// ---- references ------------------------------------------------------------------------------------

// The one reduction that a number waits for, by elementwise operations alone; null: there are others.
static bool find_reduction(const SnReducedJoin *s, MlirValue v, MlirOperation *found) {
  MlirOperation op = sn_definer(v);
  if (!waits(s, v))
    return true;
  if (sn_is(op, "sinter.row_reduce")) {
    bool one = sn_null(*found) || mlirOperationEqual(*found, op);
    *found = op;
    return one;
  }
  bool all = goes_by_elements(op) && !sn_is_row(v);
  for (intptr_t k = 0; k < sn_num_operands(op) && all; ++k)
    all = find_reduction(s, sn_operand(op, k), found);
  return all;
}

// %x - broadcast %r, where the maximum of %x gives %r: `part` gets both.
static bool is_difference(SnReducedJoin *s, MlirValue v, SnReducedPart *part) {
  MlirOperation sub = sn_def(v, "arith.subf"), maximum = {0};
  MlirValue r = sn_null(sub) ? (MlirValue){0} : sn_broadcast_of(sn_operand(sub, 1));
  if (sn_none(r) || !waits(s, r) || waits(s, sn_operand(sub, 0)) || !find_reduction(s, r, &maximum))
    return false;
  MlirValue x = sn_operand(sub, 0);
  if (!(sn_is_reduce(maximum, "maximumf") || sn_is_reduce(maximum, "maxnumf")) || !sn_same(sn_operand(maximum, 0), x) ||
      !mlirTypeEqual(sn_type_of(r), sn_reduced_element(x)) ||
      !mlirTypeEqual(sn_type_of(sn_result(maximum, 0)), sn_reduced_element(x)) || !is_of_piece(s, x))
    return false;
  *part = (SnReducedPart){.kind = SN_PART_DIFFERENCES, .row = x, .reference = r, .type = sn_type_of(r)};
  part->op = maximum;
  return true;
}

// The same of exp(%x - broadcast %r), or its product with a row that does not wait.
static bool is_exponential(SnReducedJoin *s, MlirValue v, SnReducedPart *part) {
  MlirOperation exp = sn_def(v, "math.exp"), mul = sn_def(v, "arith.mulf");
  for (int k = 0; k < 2 && !sn_null(mul); ++k) {
    MlirValue factor = sn_operand(mul, 1 - k);
    if (is_of_piece(s, factor) && is_exponential(s, sn_operand(mul, k), part) && sn_none(part->factor)) {
      part->factor = factor;
      return true;
    }
  }
  if (sn_null(exp) || !is_difference(s, sn_operand(exp, 0), part))
    return false;
  part->kind = SN_PART_EXPONENTIALS;
  part->exp = exp;
  return true;
}

// The reference of a piece, or of a row of pieces, whose maximum is `own`.
MlirValue sn_reduced_own_reference(SnBuilder *b, const SnReducedJoin *s, MlirValue r, MlirOperation maximum,
                                   MlirValue own, MlirValue (*other)(SnBuilder *b, void *user, MlirValue v),
                                   void *user) {
  if (sn_same(r, sn_result(maximum, 0)))
    return own;
  if (!waits(s, r))
    return other(b, user, r);
  MlirOperation op = sn_definer(r);
  MlirValue operands[SN_MAX_ELEMENTWISE];
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    operands[k] = sn_reduced_own_reference(b, s, sn_operand(op, k), maximum, own, other, user);
  return sn_elementwise(b, op, sn_num_operands(op), operands);
}

static MlirValue float_like(SnBuilder *b, MlirValue v, double x) {
  MlirType t = sn_type_of(v);
  return sn_splat(b, t, mlirFloatAttrDoubleGet(b->ctx, sn_element(t), x));
}

static MlirValue is_least(SnBuilder *b, MlirValue x) {
  MlirValue operands[] = {x, float_like(b, x, -INFINITY)};
  return sn(b, "arith.cmpf", sn_values(2, operands), sn_attr("predicate", sn_i64(b->ctx, OEQ)));
}

// No exponential is taken under -inf: pieces may be nothing but that.
MlirValue sn_reduced_above_least(SnBuilder *b, MlirValue r) {
  return sn(b, "arith.select", is_least(b, r), float_like(b, r, 0), r);
}

// ---- behind the pieces -----------------------------------------------------------------------------

static MlirValue join_number(SnReducedJoin *s, MlirValue v);
static MlirValue join_any(SnBuilder *b, void *user, MlirValue v) { return join_number(user, v); }
static MlirValue spread(SnReducedJoin *s, MlirValue x) {
  return sn(&s->b, "sinter.broadcast", x, sn_reduced_row(sn_type_of(x), s->pieces));
}

// How many columns each piece has.
static MlirValue columns_of_pieces(SnReducedJoin *s, MlirType t) {
  SnBuilder *b = &s->b;
  int64_t last = s->columns - (s->pieces - 1) * s->piece;
  MlirValue all = spread(s, sn_float(b, t, (double)s->piece));
  if (last == s->piece)
    return all;
  MlirValue p = sn(b, "sinter.index", sn_reduced_row(sn_index_type(b->ctx), s->pieces),
                   sn_attr("dim", mlirStringAttrGet(b->ctx, sn_fresh_name(b->ctx, s->f, "p")))),
            is_last =
                sn(b, "arith.cmpi", p, spread(s, sn_index(b, s->pieces - 1)), sn_attr("predicate", sn_i64(b->ctx, EQ)));
  return sn(b, "arith.select", is_last, spread(s, sn_float(b, t, (double)last)), all);
}

static MlirValue join_under(SnReducedJoin *s, const SnReducedPart *like) {
  SnBuilder *b = &s->b;
  MlirOperation maximum = like->op;
  SnReducedPart *of_maximum = reduced_part(s, maximum, like->row);
  if (!of_maximum)
    return (MlirValue){0};
  size_t at = (size_t)(of_maximum - s->parts.data);
  SnReducedPart with = *like;
  with.maximum = at;
  MlirValue x = part_of(s, &with)->parts, own = s->parts.data[at].parts, r = join_number(s, like->reference);
  if (sn_none(r))
    return r;
  r = spread(s, r);
  MlirValue mine = sn_reduced_own_reference(b, s, like->reference, maximum, own, join_any, s);
  if (!sn_is_row(mine))
    mine = spread(s, mine);
  if (like->kind == SN_PART_DIFFERENCES) {
    MlirValue far = sn(b, "arith.subf", sn_reduced_above_least(b, mine), r);
    x = sn(b, "arith.addf", x, sn(b, "arith.mulf", columns_of_pieces(s, like->type), far));
  } else { // of a piece that is nothing but -inf nothing, and NaN where the row is nothing else
    MlirValue nothing = sn(b, "math.exp", sn(b, "arith.subf", own, r)),
              some = sn(b, "arith.mulf", x, sn(b, "math.exp", sn(b, "arith.subf", mine, r)));
    x = sn(b, "arith.select", is_least(b, own), nothing, some);
  }
  return sn_row_reduce(b, "add", x, like->type);
}

// A number that a row is multiplied by; null: it is no such product. `row`: the other one.
static MlirValue scale_of(MlirOperation op, MlirValue *row) {
  MlirValue scale = {0};
  for (intptr_t k = 0; k < 2 && sn_none(scale); ++k) {
    if (sn_is(op, "arith.divf") && !k)
      continue;
    scale = sn_broadcast_of(sn_operand(op, k));
    *row = sn_operand(op, 1 - k);
  }
  return scale;
}

// The sum of a row that waits, in its own type.
static MlirValue join_sum(SnReducedJoin *s, MlirOperation reduce, MlirValue v) {
  SnBuilder *b = &s->b;
  MlirOperation op = sn_definer(v);
  MlirValue operands[2], scalar = sn_broadcast_of(v), row;
  SnReducedPart part;
  if (!mlirTypeEqual(sn_reduced_element(v), sn_type_of(sn_result(reduce, 0))) || !sn_is_float(sn_reduced_element(v)))
    return refuse(s, "a row that waits for another reduction is no sum of floats in their type");
  if (!sn_none(scalar)) {
    scalar = join_number(s, scalar);
    return sn_none(scalar) ? scalar : sn(b, "arith.mulf", scalar, sn_float(b, sn_type_of(scalar), (double)s->columns));
  }
  if (!waits(s, v)) {
    SnReducedPart *p = reduced_part(s, reduce, v);
    return p ? sn_row_reduce(b, "add", p->parts, p->type) : (MlirValue){0};
  }
  if (is_exponential(s, v, &part) || is_difference(s, v, &part))
    return join_under(s, &part);
  if (sn_is(op, "arith.addf") || sn_is(op, "arith.subf")) {
    for (int k = 0; k < 2; ++k)
      if (sn_none(operands[k] = join_sum(s, reduce, sn_operand(op, k))))
        return operands[k];
    return sn(b, sn_name(op), sn_values(2, operands));
  }
  if (sn_is(op, "arith.negf")) {
    row = join_sum(s, reduce, sn_operand(op, 0));
    return sn_none(row) ? row : sn(b, "arith.negf", row);
  }
  if ((sn_is(op, "arith.mulf") || sn_is(op, "arith.divf")) && !sn_none(scalar = scale_of(op, &row))) {
    operands[0] = join_sum(s, reduce, row);
    operands[1] = sn_none(operands[0]) ? operands[0] : join_number(s, scalar);
    return sn_none(operands[1]) ? operands[1] : sn(b, sn_name(op), sn_values(2, operands));
  }
  return refuse(s, "a reduction waits for another, and is no sum under its maximum");
}

static MlirValue join_reduce(SnReducedJoin *s, MlirOperation reduce) {
  if (waits(s, sn_operand(reduce, 0)))
    return sn_is_reduce(reduce, "add") ? join_sum(s, reduce, sn_operand(reduce, 0))
                                       : refuse(s, "a reduction waits for another, and is no sum");
  SnReducedPart *p = reduced_part(s, reduce, sn_operand(reduce, 0));
  return p ? sn_reduce_row_as(&s->b, reduce, p->parts) : (MlirValue){0};
}

// ---- a pick ------------------------------------------------------------------------------------------

typedef struct {
  MlirOperation op;
  MlirValue t;    // the column
  MlirValue tile; // of the piece that has it; -1: it is no column
} Pick;

static MlirValue picked_part(SnReducedJoin *s, const Pick *k, MlirValue v) {
  if (waits(s, sn_operand(k->op, 1)) || !is_of_piece(s, v))
    return refuse(s, "an element is picked by what a reduction gives, or of a row that is no function of its column");
  MlirValue row =
      part_of(s, &(SnReducedPart){.kind = SN_PART_PICKED, .op = k->op, .row = v, .type = sn_reduced_element(v)})->parts;
  return sn(&s->b, "sinter.pick", row, k->tile, sn_zero(&s->b, sn_reduced_element(v)));
}

// The element of a row, by the piece that has it; what does not wait for a reduction is picked there.
static MlirValue join_element(SnReducedJoin *s, const Pick *k, MlirValue v) {
  SnBuilder *b = &s->b;
  MlirOperation op = sn_definer(v);
  MlirValue operands[SN_MAX_ELEMENTWISE], scalar = sn_is_row(v) ? sn_broadcast_of(v) : v;
  if (!sn_none(scalar))
    return join_number(s, scalar);
  if (sn_is(op, "arith.constant"))
    return sn_constant(b, sn_constant_of(v));
  if (sn_is(op, "sinter.index"))
    return mlirTypeIsAIndex(sn_type_of(k->t)) ? k->t : sn(b, "arith.index_cast", k->t, sn_index_type(b->ctx));
  if (!waits(s, v) && !(sn_is(op, "arith.index_cast") && sn_def(sn_operand(op, 0), "sinter.index").ptr))
    return picked_part(s, k, v);
  if (!goes_by_elements(op))
    return refuse(s, "an element of a row is picked that is no function of its column");
  for (intptr_t i = 0; i < sn_num_operands(op); ++i)
    if (sn_none(operands[i] = join_element(s, k, sn_operand(op, i))))
      return operands[i];
  MlirType t = sn_reduced_element(v);
  return sn_result(sn_clone_as(b, op, sn_values(sn_num_operands(op), operands), sn_types(1, &t)), 0);
}

static MlirValue join_pick(SnReducedJoin *s, MlirOperation op) {
  SnBuilder *b = &s->b;
  MlirValue t = join_number(s, sn_operand(op, 1)), otherwise = join_number(s, sn_operand(op, 2));
  if (sn_none(t) || sn_none(otherwise))
    return (MlirValue){0};
  MlirType type = sn_type_of(t);
  if (sn_bits(type) < 32)
    return refuse(s, "an element is picked by a number of less than 32 bits");
  MlirValue in = sn(b, "arith.cmpi", t, sn_int(b, type, s->columns),
                    sn_attr("predicate", sn_i64(b->ctx, SN_REDUCED_BELOW))),
            tile = sn(b, "arith.select", in, sn(b, "arith.divui", t, sn_int(b, type, s->piece)), sn_int(b, type, -1));
  Pick k = {op, t, tile};
  MlirValue x = join_element(s, &k, sn_operand(op, 0));
  return sn_none(x) ? x : sn(b, "arith.select", in, x, otherwise);
}

// ---- numbers of the row ------------------------------------------------------------------------------

static MlirValue join_new(SnReducedJoin *s, MlirValue v) {
  MlirOperation op = sn_definer(v);
  if (sn_is(op, "sinter.row_reduce"))
    return join_reduce(s, op);
  if (sn_is(op, "sinter.pick"))
    return join_pick(s, op);
  if (sn_num_results(op) != 1 || mlirOperationGetNumRegions(op))
    return refuse(s, "its body has an operation of several results");
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    if (sn_is_row(sn_operand(op, k)) || sn_none(join_number(s, sn_operand(op, k))))
      return refuse(s, "a number is made of rows otherwise than by a reduction or a pick");
  return sn_result(sn_clone(&s->b, op, &s->made), 0);
}

static MlirValue join_number(SnReducedJoin *s, MlirValue v) {
  MlirValue made = sn_mapped(&s->made, v);
  if (sn_none(made) && !sn_null(sn_definer(v)) && !s->why)
    made = join_new(s, v);
  if (!sn_none(made))
    sn_map(&s->made, v, made);
  return made;
}

// ---- the plan ----------------------------------------------------------------------------------------

static void find_waiting(SnReducedJoin *s) {
  MlirOperation end = mlirBlockGetTerminator(s->f->body);
  for (MlirOperation op = mlirBlockGetFirstOperation(s->f->body); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op)) {
    const SnRowOp *line = sn_row_op_of(op);
    bool late = !line || line->first == SN_READS_ALL || line->first == SN_READS_ONE || line->first == SN_READS_TABLE;
    for (intptr_t k = 0; k < sn_num_operands(op); ++k)
      late |= waits(s, sn_operand(op, k));
    for (intptr_t k = 0; k < sn_num_results(op) && late; ++k)
      sn_map(&s->waits, sn_result(op, k), sn_result(op, k));
  }
}

// Half types and those of 8 bits have tiles of the wider kind, few rows none that are flat.
static int64_t piece_of(const SnForm *f) {
  int64_t rows = sn_num_rows(f);
  bool narrow = true;
  for (size_t i = 0; i < sn_num_sides(f); ++i)
    narrow &= sn_bits(sn_side_element(f, i)) <= 16;
  return narrow && (rows == SN_DYNAMIC || rows > FEW_ROWS) ? SN_GPU_WIDE_PIECE : SN_GPU_PIECE;
}

// Why not a form of this kind; NULL if its body decides.
static const char *why_not(const SnForm *f) {
  if (!f->contract || !sn_is_plain(f) || f->num_cols != 1)
    return "its columns have several dimensions, or groups";
  if (f->dims.data[f->num_rows].size == SN_DYNAMIC || f->dims.data[f->num_rows].size > MOST_COLUMNS)
    return "how many columns it has is not known";
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (sn_uses_cols(f, f->outputs.data[k].map))
      return "rows are results";
  for (size_t k = 0; k < f->accumulators.size; ++k)
    if (sn_uses_cols(f, f->accumulators.data[k].map))
      return "rows are reduced over rows";
  for (size_t p = 0; p < f->products.size; ++p)
    if (sn_side_uses(f, 2 * p, f->num_rows) == sn_side_uses(f, 2 * p + 1, f->num_rows))
      return "both sides of a product use columns";
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (f->inputs.data[k].through.ptr && sn_access_uses(f, &f->inputs.data[k], f->num_rows))
      return "columns are read through an index tensor";
  return NULL;
}

void sn_free_reduced(SnReducedJoin *s) {
  mlirBlockDestroy(s->joined);
  sn_map_free(&s->waits);
  sn_map_free(&s->made);
  sn_vec_free(&s->parts);
}

// The body behind the pieces, by itself, and the parts that it takes; numbers that it yields are in s->made.
SnReducedJoin sn_plan_reduced(const SnForm *f) {
  SnReducedJoin s = {.f = f, .why = why_not(f), .joined = mlirBlockCreate(0, NULL, NULL)};
  s.b = sn_at_end(s.joined, mlirOperationGetLocation(f->op));
  if (s.why)
    return s;
  s.columns = f->dims.data[f->num_rows].size;
  s.piece = piece_of(f);
  s.pieces = sn_pieces(s.columns, s.piece);
  if (s.pieces < FEWEST_PIECES)
    refuse(&s, "its rows are short");
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k) {
    MlirValue v = sn_input_argument(f, k);
    if (!sn_is_row(v))
      sn_map(&s.made, v, mlirBlockAddArgument(s.joined, sn_type_of(v), s.b.loc));
  }
  find_waiting(&s);
  MlirOperation end = mlirBlockGetTerminator(f->body);
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !mlirOperationEqual(op, end) && !s.why;
       op = mlirOperationGetNextInBlock(op))
    if (sn_is(op, "cf.assert")) {
      join_number(&s, sn_operand(op, 0));
      if (!s.why)
        sn_clone(&s.b, op, &s.made);
    }
  for (intptr_t k = 0; k < sn_num_operands(end) && !s.why; ++k)
    join_number(&s, sn_operand(end, k));
  if (!s.why && !s.parts.size)
    refuse(&s, "nothing is reduced");
  return s;
}

const char *sn_not_in_parts(const SnForm *f, bool *of_body) {
  SnReducedJoin s = sn_plan_reduced(f);
  *of_body = s.why && s.pieces >= FEWEST_PIECES;
  sn_free_reduced(&s);
  return s.why;
}
