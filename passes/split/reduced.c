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

#include "lowering/facts/gpu_products.h"
#include "lowering/rows/rowmemory.h"
#include "passes/split/pieces.h"
#include <math.h>

enum { OEQ = 1, EQ = 0, ULT = 6 }; // of arith.cmpf; of arith.cmpi
enum { FEWEST_PIECES = 2, FEW_ROWS = 64, MOST_COLUMNS = 1 << 30 };

typedef enum { PART_REDUCED, PART_PICKED, PART_EXPONENTIALS, PART_DIFFERENCES } PartKind;

// What is kept of each piece: a number.
typedef struct {
  PartKind kind;
  MlirOperation op;    // the row_reduce or the pick
  MlirValue row;       // that is reduced or picked from; of the last two kinds, what the maximum is of
  MlirValue factor;    // a row that exponentials are multiplied by; or null
  MlirValue reference; // a number that the maximum gives, which is subtracted
  MlirOperation exp;   // of exponentials
  size_t maximum;      // which of the parts that is
  MlirType type;
  MlirValue parts; // a row of pieces, an argument of `joined`
} Part;

typedef struct {
  const SnForm *f;
  int64_t columns, piece, pieces;
  SnMap waits; // values of the body that depend on a reduction or a pick: themselves
  SN_VEC(Part) parts;
  MlirBlock joined; // what becomes the body behind the pieces: arguments of the form's that are numbers, then parts
  SnBuilder b;      // in it
  SnMap made;       // of the body, in it
  const char *why;  // not
} Join;

static MlirValue refuse(Join *s, const char *why) {
  s->why = s->why ? s->why : why;
  return (MlirValue){0};
}
static MlirType row_of(MlirType element, int64_t length) { return sn_tensor(element, 1, &length); }
static bool waits(const Join *s, MlirValue v) { return !sn_none(sn_mapped(&s->waits, v)); }
static MlirType element_of(MlirValue v) { return sn_element(sn_type_of(v)); }

// Another row by the same combiner.
static MlirValue reduce_as(SnBuilder *b, MlirOperation reduce, MlirValue row) {
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
static bool is_of_piece(const Join *s, MlirValue v) {
  MlirOperation op = sn_definer(v);
  if (sn_null(op))
    return !mlirTypeIsAMemRef(sn_type_of(v));
  bool all = goes_by_elements(op) && !waits(s, v);
  for (intptr_t k = 0; k < sn_num_operands(op) && all; ++k)
    all = is_of_piece(s, sn_operand(op, k));
  return all;
}

// ---- parts -----------------------------------------------------------------------------------------

static Part *part_of(Join *s, const Part *like) {
  for (size_t i = 0; i < s->parts.size; ++i) {
    Part *p = &s->parts.data[i];
    bool same = p->kind == like->kind && sn_same(p->row, like->row) && mlirTypeEqual(p->type, like->type);
    if (p->kind == PART_REDUCED)
      same = same && mlirAttributeEqual(sn_get_attr(p->op, "kind"), sn_get_attr(like->op, "kind"));
    else if (p->kind == PART_PICKED)
      same = same && sn_same(sn_operand(p->op, 1), sn_operand(like->op, 1));
    else
      same = same && sn_same(p->reference, like->reference) && mlirValueEqual(p->factor, like->factor);
    if (same)
      return p;
  }
  Part p = *like;
  p.parts = mlirBlockAddArgument(s->joined, row_of(p.type, s->pieces), s->b.loc);
  sn_push(&s->parts, p);
  return &s->parts.data[s->parts.size - 1];
}

static Part *reduced_part(Join *s, MlirOperation reduce, MlirValue row) {
  if (!sn_get_attr(reduce, "kind").ptr || !is_of_piece(s, row)) {
    refuse(s, "a reduction is by a region, or of a row that is no function of its column");
    return NULL;
  }
  return part_of(s, &(Part){.kind = PART_REDUCED, .op = reduce, .row = row, .type = sn_type_of(sn_result(reduce, 0))});
}

// ---- references ------------------------------------------------------------------------------------

// The one reduction that a number waits for, by elementwise operations alone; null: there are others.
static bool find_reduction(const Join *s, MlirValue v, MlirOperation *found) {
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
static bool is_difference(Join *s, MlirValue v, Part *part) {
  MlirOperation sub = sn_def(v, "arith.subf"), maximum = {0};
  MlirValue r = sn_null(sub) ? (MlirValue){0} : sn_broadcast_of(sn_operand(sub, 1));
  if (sn_none(r) || !waits(s, r) || waits(s, sn_operand(sub, 0)) || !find_reduction(s, r, &maximum))
    return false;
  MlirValue x = sn_operand(sub, 0);
  if (!(sn_is_reduce(maximum, "maximumf") || sn_is_reduce(maximum, "maxnumf")) || !sn_same(sn_operand(maximum, 0), x) ||
      !mlirTypeEqual(sn_type_of(r), element_of(x)) ||
      !mlirTypeEqual(sn_type_of(sn_result(maximum, 0)), element_of(x)) || !is_of_piece(s, x))
    return false;
  *part = (Part){.kind = PART_DIFFERENCES, .row = x, .reference = r, .type = sn_type_of(r)};
  part->op = maximum;
  return true;
}

// The same of exp(%x - broadcast %r), or its product with a row that does not wait.
static bool is_exponential(Join *s, MlirValue v, Part *part) {
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
  part->kind = PART_EXPONENTIALS;
  part->exp = exp;
  return true;
}

// The reference of a piece, or of a row of pieces, whose maximum is `own`.
static MlirValue own_reference(SnBuilder *b, const Join *s, MlirValue r, MlirOperation maximum, MlirValue own,
                               MlirValue (*other)(SnBuilder *b, void *user, MlirValue v), void *user) {
  if (sn_same(r, sn_result(maximum, 0)))
    return own;
  if (!waits(s, r))
    return other(b, user, r);
  MlirOperation op = sn_definer(r);
  MlirValue operands[SN_MAX_ELEMENTWISE];
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    operands[k] = own_reference(b, s, sn_operand(op, k), maximum, own, other, user);
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
static MlirValue above_least(SnBuilder *b, MlirValue r) {
  return sn(b, "arith.select", is_least(b, r), float_like(b, r, 0), r);
}

// ---- behind the pieces -----------------------------------------------------------------------------

static MlirValue join_number(Join *s, MlirValue v);
static MlirValue join_any(SnBuilder *b, void *user, MlirValue v) { return join_number(user, v); }
static MlirValue spread(Join *s, MlirValue x) {
  return sn(&s->b, "sinter.broadcast", x, row_of(sn_type_of(x), s->pieces));
}

// How many columns each piece has.
static MlirValue columns_of_pieces(Join *s, MlirType t) {
  SnBuilder *b = &s->b;
  int64_t last = s->columns - (s->pieces - 1) * s->piece;
  MlirValue all = spread(s, sn_float(b, t, (double)s->piece));
  if (last == s->piece)
    return all;
  MlirValue p = sn(b, "sinter.index", row_of(sn_index_type(b->ctx), s->pieces),
                   sn_attr("dim", mlirStringAttrGet(b->ctx, sn_fresh_name(b->ctx, s->f, "p")))),
            is_last =
                sn(b, "arith.cmpi", p, spread(s, sn_index(b, s->pieces - 1)), sn_attr("predicate", sn_i64(b->ctx, EQ)));
  return sn(b, "arith.select", is_last, spread(s, sn_float(b, t, (double)last)), all);
}

static MlirValue join_under(Join *s, const Part *like) {
  SnBuilder *b = &s->b;
  MlirOperation maximum = like->op;
  Part *of_maximum = reduced_part(s, maximum, like->row);
  if (!of_maximum)
    return (MlirValue){0};
  size_t at = (size_t)(of_maximum - s->parts.data);
  Part with = *like;
  with.maximum = at;
  MlirValue x = part_of(s, &with)->parts, own = s->parts.data[at].parts, r = join_number(s, like->reference);
  if (sn_none(r))
    return r;
  r = spread(s, r);
  MlirValue mine = own_reference(b, s, like->reference, maximum, own, join_any, s);
  if (!sn_is_row(mine))
    mine = spread(s, mine);
  if (like->kind == PART_DIFFERENCES) {
    MlirValue far = sn(b, "arith.subf", above_least(b, mine), r);
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
static MlirValue join_sum(Join *s, MlirOperation reduce, MlirValue v) {
  SnBuilder *b = &s->b;
  MlirOperation op = sn_definer(v);
  MlirValue operands[2], scalar = sn_broadcast_of(v), row;
  Part part;
  if (!mlirTypeEqual(element_of(v), sn_type_of(sn_result(reduce, 0))) || !sn_is_float(element_of(v)))
    return refuse(s, "a row that waits for another reduction is no sum of floats in their type");
  if (!sn_none(scalar)) {
    scalar = join_number(s, scalar);
    return sn_none(scalar) ? scalar : sn(b, "arith.mulf", scalar, sn_float(b, sn_type_of(scalar), (double)s->columns));
  }
  if (!waits(s, v)) {
    Part *p = reduced_part(s, reduce, v);
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

static MlirValue join_reduce(Join *s, MlirOperation reduce) {
  if (waits(s, sn_operand(reduce, 0)))
    return sn_is_reduce(reduce, "add") ? join_sum(s, reduce, sn_operand(reduce, 0))
                                       : refuse(s, "a reduction waits for another, and is no sum");
  Part *p = reduced_part(s, reduce, sn_operand(reduce, 0));
  return p ? reduce_as(&s->b, reduce, p->parts) : (MlirValue){0};
}

// ---- a pick ------------------------------------------------------------------------------------------

typedef struct {
  MlirOperation op;
  MlirValue t;    // the column
  MlirValue tile; // of the piece that has it; -1: it is no column
} Pick;

static MlirValue picked_part(Join *s, const Pick *k, MlirValue v) {
  if (waits(s, sn_operand(k->op, 1)) || !is_of_piece(s, v))
    return refuse(s, "an element is picked by what a reduction gives, or of a row that is no function of its column");
  MlirValue row = part_of(s, &(Part){.kind = PART_PICKED, .op = k->op, .row = v, .type = element_of(v)})->parts;
  return sn(&s->b, "sinter.pick", row, k->tile, sn_zero(&s->b, element_of(v)));
}

// The element of a row, by the piece that has it; what does not wait for a reduction is picked there.
static MlirValue join_element(Join *s, const Pick *k, MlirValue v) {
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
  MlirType t = element_of(v);
  return sn_result(sn_clone_as(b, op, sn_values(sn_num_operands(op), operands), sn_types(1, &t)), 0);
}

static MlirValue join_pick(Join *s, MlirOperation op) {
  SnBuilder *b = &s->b;
  MlirValue t = join_number(s, sn_operand(op, 1)), otherwise = join_number(s, sn_operand(op, 2));
  if (sn_none(t) || sn_none(otherwise))
    return (MlirValue){0};
  MlirType type = sn_type_of(t);
  if (sn_bits(type) < 32)
    return refuse(s, "an element is picked by a number of less than 32 bits");
  MlirValue in = sn(b, "arith.cmpi", t, sn_int(b, type, s->columns), sn_attr("predicate", sn_i64(b->ctx, ULT))),
            tile = sn(b, "arith.select", in, sn(b, "arith.divui", t, sn_int(b, type, s->piece)), sn_int(b, type, -1));
  Pick k = {op, t, tile};
  MlirValue x = join_element(s, &k, sn_operand(op, 0));
  return sn_none(x) ? x : sn(b, "arith.select", in, x, otherwise);
}

// ---- numbers of the row ------------------------------------------------------------------------------

static MlirValue join_new(Join *s, MlirValue v) {
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

static MlirValue join_number(Join *s, MlirValue v) {
  MlirValue made = sn_mapped(&s->made, v);
  if (sn_none(made) && !sn_null(sn_definer(v)) && !s->why)
    made = join_new(s, v);
  if (!sn_none(made))
    sn_map(&s->made, v, made);
  return made;
}

// ---- the plan ----------------------------------------------------------------------------------------

static void find_waiting(Join *s) {
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

static void free_join(Join *s) {
  mlirBlockDestroy(s->joined);
  sn_map_free(&s->waits);
  sn_map_free(&s->made);
  sn_vec_free(&s->parts);
}

// The body behind the pieces, by itself, and the parts that it takes; numbers that it yields are in s->made.
static Join plan_join(const SnForm *f) {
  Join s = {.f = f, .why = why_not(f), .joined = mlirBlockCreate(0, NULL, NULL)};
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
  Join s = plan_join(f);
  *of_body = s.why && s.pieces >= FEWEST_PIECES;
  free_join(&s);
  return s.why;
}

// ---- the pieces ----------------------------------------------------------------------------------------

typedef struct {
  const Join *join;
  SnForm to;
  SnMap made; // of the form's body, in that of the pieces
  MlirAffineExpr dims[SN_MAX_DIMS];
} Pieces;

static int64_t number_dim(const Join *s) { return s->f->num_rows; }

// Rows' dimensions, the number of the piece, its columns, what is summed.
static void set_dims(Pieces *p, MlirContext ctx) {
  const SnForm *f = p->join->f;
  int64_t at = number_dim(p->join);
  for (int64_t d = 0; d < (int64_t)f->dims.size; ++d) {
    if (d == at) {
      sn_push(&p->to.dims, ((SnDim){sn_fresh_name(ctx, f, "p"), p->join->pieces}));
      sn_push(&p->to.dims, ((SnDim){f->dims.data[d].name, p->join->piece}));
    } else {
      sn_push(&p->to.dims, f->dims.data[d]);
    }
    p->dims[d] = mlirAffineDimExprGet(ctx, d < at ? d : d + 1);
  }
  p->dims[at] = mlirAffineAddExprGet(
      mlirAffineMulExprGet(mlirAffineDimExprGet(ctx, at), mlirAffineConstantExprGet(ctx, p->join->piece)),
      mlirAffineDimExprGet(ctx, at + 1));
}

// The last piece may go on behind the row's end.
static bool is_uneven(const Join *s) { return s->columns % s->piece != 0; }

static MlirAttribute zero_of(MlirContext ctx, MlirType t) {
  return sn_is_float(t) ? mlirFloatAttrDoubleGet(ctx, t, 0) : mlirIntegerAttrGet(t, 0);
}

static void add_input(Pieces *p, MlirContext ctx, size_t k) {
  const SnForm *f = p->join->f;
  SnAccess a = sn_with_own_indices(f, f->inputs.data[k], &p->to);
  if (is_uneven(p->join) && !a.fill.ptr && sn_map_uses(a.map, number_dim(p->join)))
    a.fill = zero_of(ctx, sn_element(sn_type_of(a.value)));
  sn_push(&p->to.inputs, a);
}

static void add_output(Pieces *p, SnBuilder *b, MlirType element) {
  const SnForm *f = p->join->f;
  int64_t shape[SN_MAX_DIMS] = {p->join->pieces};
  MlirValue sizes[SN_MAX_DIMS];
  MlirAffineExpr exprs[SN_MAX_DIMS] = {mlirAffineDimExprGet(b->ctx, number_dim(p->join))};
  intptr_t n = 0;
  for (int64_t d = 0; d < f->num_rows; ++d) {
    shape[d + 1] = f->dims.data[d].size;
    if (shape[d + 1] == SN_DYNAMIC)
      sizes[n++] = sn_size_value(b, f, d);
    exprs[d + 1] = mlirAffineDimExprGet(b->ctx, d);
  }
  MlirValue v = sn(b, "tensor.empty", sn_values(n, sizes), sn_tensor(element, f->num_rows + 1, shape));
  MlirAffineMap map = mlirAffineMapGet(b->ctx, (intptr_t)p->to.dims.size, 0, f->num_rows + 1, exprs);
  sn_push(&p->to.outputs, ((SnAccess){.value = v, .map = map}));
}

// Where the piece begins: an index.
static MlirValue first_column(SnBuilder *b, const Pieces *p) {
  return sn(b, "arith.muli", sn_position(b, &p->to, number_dim(p->join)), sn_index(b, p->join->piece));
}

static MlirValue columns(SnBuilder *b, const Pieces *p) {
  MlirValue operands[] = {first_column(b, p), sn_position(b, &p->to, number_dim(p->join) + 1)};
  return sn_row_op(b, "arith.addi", (MlirType){0}, 2, operands);
}

static MlirValue in_piece(SnBuilder *b, void *user, MlirValue v) {
  Pieces *p = user;
  MlirValue made = sn_mapped(&p->made, v), operands[SN_MAX_ELEMENTWISE];
  MlirOperation op = sn_definer(v);
  if (!sn_none(made))
    return made;
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    operands[k] = in_piece(b, p, sn_operand(op, k));
  const SnRowOp *line = sn_row_op_of(op);
  intptr_t d = line->id == SN_OP_index ? sn_row_named_dim(p->join->f, op) : 0;
  if (line->id == SN_OP_constant)
    made = sn_constant(b, sn_constant_of(v));
  else if (line->id == SN_OP_index)
    made = d == number_dim(p->join) ? columns(b, p) : sn_position(b, &p->to, d);
  else if (line->cost == SN_COST_NONE && line->first == SN_READS_COLUMN) // a broadcast, or a detach
    made = operands[0];
  else
    made = sn_elementwise(b, op, sn_num_operands(op), operands);
  sn_map(&p->made, v, made);
  return made;
}

static MlirValue as_row(SnBuilder *b, const Pieces *p, MlirValue v) {
  return sn_as_row(b, v, row_of(element_of(v), p->join->piece));
}

// Columns behind the row's end are the combiner's identity.
static MlirValue within(SnBuilder *b, const Pieces *p, MlirValue v, MlirAttribute kind) {
  if (!is_uneven(p->join))
    return v;
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32); // comparisons of 64 bits take twice as long
  MlirValue j = sn_position(b, &p->to, number_dim(p->join) + 1),
            left = sn(b, "arith.subi", sn_index(b, p->join->columns), first_column(b, p)),
            end = as_row(b, p, sn(b, "arith.index_cast", left, i32)),
            in = sn(b, "arith.cmpi", sn(b, "arith.index_cast", j, row_of(i32, p->join->piece)), end,
                    sn_attr("predicate", sn_i64(b->ctx, ULT)));
  MlirAttribute identity = sn_combiner_identity(sn_combiner(mlirStringAttrGetValue(kind)), element_of(v));
  return sn(b, "arith.select", in, v, as_row(b, p, sn_constant(b, identity)));
}

static MlirValue pick_in_piece(SnBuilder *b, Pieces *p, const Part *part) {
  MlirValue t = in_piece(b, p, sn_operand(part->op, 1)), first = first_column(b, p),
            row = as_row(b, p, in_piece(b, p, part->row));
  if (!mlirTypeIsAIndex(sn_type_of(t)))
    first = sn(b, "arith.index_cast", first, sn_type_of(t));
  return sn(b, "sinter.pick", row, sn(b, "arith.subi", t, first), sn_zero(b, part->type));
}

// Under the piece's own maximum, which a GPU's arithmetic is told.
static MlirValue exponential_in_piece(SnBuilder *b, const Part *part, MlirValue x) {
  MlirValue e = sn_elementwise(b, part->exp, 1, &x);
  if (sn_same(part->reference, sn_result(part->op, 0)) && sn_is_reduce(part->op, "maximumf") &&
      mlirTypeIsAF32(part->type)) {
    sn_set_attr(sn_definer(e), "sinter.not_positive", sn_unit(b->ctx));
    sn_set_attr(sn_definer(e), "sinter.under_maximum", sn_unit(b->ctx));
  }
  return e;
}

static MlirValue part_in_piece(SnBuilder *b, Pieces *p, const Part *part, const MlirValue *before) {
  MlirAttribute add = sn_string(b->ctx, "add"), kind = sn_get_attr(part->op, "kind");
  if (part->kind == PART_PICKED)
    return pick_in_piece(b, p, part);
  MlirValue x = as_row(b, p, in_piece(b, p, part->row));
  if (part->kind == PART_REDUCED)
    return reduce_as(b, part->op, within(b, p, x, kind));
  MlirValue r = own_reference(b, p->join, part->reference, part->op, before[part->maximum], in_piece, p);
  x = sn(b, "arith.subf", x, as_row(b, p, above_least(b, r)));
  if (part->kind == PART_EXPONENTIALS)
    x = exponential_in_piece(b, part, x);
  if (!sn_none(part->factor))
    x = sn(b, "arith.mulf", x, as_row(b, p, in_piece(b, p, part->factor)));
  return sn_row_reduce(b, "add", within(b, p, x, add), part->type);
}

static MlirOperation make_pieces(SnBuilder *b, const Join *s) {
  const SnForm *f = s->f;
  Pieces p = {.join = s, .to = {.contract = true, .num_rows = f->num_rows + 1, .num_cols = 1}};
  set_dims(&p, b->ctx);
  for (size_t i = 0; i < f->products.size; ++i)
    sn_push(&p.to.products, f->products.data[i]);
  for (size_t k = 0; k < f->inputs.size; ++k)
    add_input(&p, b->ctx, k);
  for (size_t k = 0; k < p.to.inputs.size + p.to.indices.size; ++k) {
    SnAccess *a = (SnAccess *)sn_form_access(&p.to, k);
    a->map = sn_map_replace(a->map, (intptr_t)p.to.dims.size, p.dims);
  }
  for (size_t i = 0; i < s->parts.size; ++i)
    add_output(&p, b, s->parts.data[i].type);
  MlirOperation made = sn_form_create(b, &p.to, false);
  SnBuilder in = sn_at_end(p.to.body, b->loc);
  for (size_t i = 0; i < f->products.size; ++i)
    sn_map(&p.made, sn_product_argument(f, i), sn_product_argument(&p.to, i));
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    sn_map(&p.made, sn_input_argument(f, k), sn_input_argument(&p.to, k));
  MlirValue *values = sn_alloc((s->parts.size + 1) * sizeof *values);
  for (size_t i = 0; i < s->parts.size; ++i)
    values[i] = part_in_piece(&in, &p, &s->parts.data[i], values);
  sn_op(&in, "sinter.yield", sn_values((intptr_t)s->parts.size, values), sn_types(0, NULL));
  free(values);
  sn_map_free(&p.made);
  sn_form_free(&p.to);
  return made;
}

// ---- behind them -----------------------------------------------------------------------------------------

static void copy_finish(const SnForm *f, const SnForm *to, MlirLocation loc) {
  SnBuilder in = sn_at_end(to->finish, loc);
  SnMap map = {0};
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(f->finish); ++k)
    sn_map(&map, mlirBlockGetArgument(f->finish, k), mlirBlockGetArgument(to->finish, k));
  sn_copy_ops(&in, f->finish, &map);
  sn_clone(&in, mlirBlockGetTerminator(f->finish), &map);
  sn_map_free(&map);
}

// The form behind the pieces, without a body: rows by numbers of pieces.
static SnForm form_of_join(SnBuilder *b, const Join *s, MlirOperation pieces) {
  const SnForm *f = s->f;
  SnForm to = {.num_rows = f->num_rows, .num_cols = 1};
  MlirAffineExpr dims[SN_MAX_DIMS], own[SN_MAX_DIMS];
  intptr_t n = f->num_rows + 1;
  for (int64_t d = 0; d < (int64_t)f->dims.size; ++d)
    dims[d] = d < f->num_rows ? mlirAffineDimExprGet(b->ctx, d) : mlirAffineConstantExprGet(b->ctx, 0);
  for (int64_t d = 0; d < f->num_rows; ++d)
    sn_push(&to.dims, f->dims.data[d]);
  sn_push(&to.dims, ((SnDim){sn_fresh_name(b->ctx, f, "p"), s->pieces}));
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    if (!sn_is_row(sn_input_argument(f, k))) {
      SnAccess a = sn_with_own_indices(f, f->inputs.data[k], &to);
      sn_push(&to.inputs, a);
    }
  for (size_t k = 0; k < f->outputs.size; ++k) {
    SnAccess a = sn_with_own_indices(f, f->outputs.data[k], &to);
    sn_push(&to.outputs, a);
  }
  for (size_t k = 0; k < to.inputs.size + to.indices.size + to.outputs.size; ++k) {
    SnAccess *a = (SnAccess *)sn_form_access(&to, k);
    a->map = sn_map_replace(a->map, n, dims);
  }
  for (size_t k = 0; k < f->accumulators.size; ++k) {
    sn_push(&to.accumulators, f->accumulators.data[k]);
    to.accumulators.data[k].map = sn_map_replace(to.accumulators.data[k].map, n, dims);
  }
  for (intptr_t i = 0; i < n; ++i)
    own[i] = mlirAffineDimExprGet(b->ctx, i ? i - 1 : n - 1);
  for (size_t i = 0; i < s->parts.size; ++i)
    sn_push(&to.inputs,
            ((SnAccess){.value = sn_result(pieces, (intptr_t)i), .map = mlirAffineMapGet(b->ctx, n, 0, n, own)}));
  return to;
}

static MlirOperation make_join(SnBuilder *b, Join *s, MlirOperation pieces) {
  const SnForm *f = s->f;
  SnForm to = form_of_join(b, s, pieces);
  MlirOperation made = sn_form_create(b, &to, f->finish.ptr), end = mlirBlockGetTerminator(f->body);
  SnMap map = {0};
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(s->joined); ++k)
    sn_map(&map, mlirBlockGetArgument(s->joined, k), mlirBlockGetArgument(to.body, k));
  SnValueVec yields = {0};
  for (intptr_t k = 0; k < sn_num_operands(end); ++k)
    sn_push(&yields, sn_lookup(&s->made, sn_operand(end, k)));
  sn_op(&s->b, "sinter.yield", sn_values((intptr_t)yields.size, yields.data), sn_types(0, NULL));
  SnBuilder in = sn_at_end(to.body, b->loc);
  sn_copy_ops(&in, s->joined, &map);
  sn_clone(&in, mlirBlockGetTerminator(s->joined), &map);
  if (f->finish.ptr)
    copy_finish(f, &to, b->loc);
  sn_vec_free(&yields);
  sn_map_free(&map);
  sn_form_free(&to);
  return made;
}

void sn_reduce_in_parts(MlirOperation contract, MlirAttribute cut) {
  SnForm f = sn_form_read(contract);
  Join s = plan_join(&f);
  SnBuilder b = sn_before(contract);
  MlirOperation pieces = make_pieces(&b, &s), join = make_join(&b, &s, pieces);
  if (cut.ptr) {
    sn_set_attr(pieces, "sinter.cut", cut);
    sn_set_attr(join, "sinter.cut", cut);
  }
  for (intptr_t r = 0; r < sn_num_results(contract); ++r)
    mlirValueReplaceAllUsesOfWith(sn_result(contract, r), sn_result(join, r));
  mlirOperationDestroy(contract);
  free_join(&s);
  sn_form_free(&f);
  sn_tidy(pieces);
  sn_tidy(join);
}
