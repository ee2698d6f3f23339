// column_parts.c: rows of a softmax that are multiplied again, their columns in parts: each is a tile of its own.
//
//   contract (i) by (k = 1024) by (e)  product (l) (%q[i, l], %k[k, l])  matrix (k) to (e) (%v[k, e])
//     { %e = exp (%x - max %x);  %u = (%e / sum %e) . %v;  f(%u) }
// ->
//   %m, %s, %u = contract (i, p = 32) by (k = 32) by (e)
//     product (l) (%q[i, l], %k[p * 32 + k, l])  matrix (k) to (e) (%v[p * 32 + k, e])
//     { max %x;  sum %e;  %e . %v }
//   rowwise (i, e) by (p = 32) (%m[i, p], %s[i, p], %u[i, p, e])
//     { %w = exp (%m - max %m);  f(sum (%w * %u) / sum (%w * %s)) }
//
// So few queries of a cache keep all multiprocessors of a launch at work, in two phases and not in the three of scores,
// softmax and values. A part of nothing but -inf counts for nothing, whatever its sums are.
//
// A cache with a new position behind it is a side that chooses between two tensors. Each of them is a side of a product
// of its own, with zeros beside its end, and nothing is copied:
//
//   side(%a[k, l] else 0, %b[k - 1023, l] else 0) { select (k < 1023), %a, %b }
// ->
//   product (l) (%q[i, l], %a[k, l] else 0)  product (l') (%q[i, l'], %b[k - 1023, l'] else 0)
//     { %x = select (k < 1023), %acc, %acc' }
//
// Of a matrix it is two, whose products are added up: elsewhere they are zeros.
//
// runs in: split    test: test/passes/split/column_parts.mlir, test/gpu/column_parts.test

#include "dialect/under_maximum.h"
#include "lowering/facts/cpu_forms.h"
#include "lowering/facts/gpu_chains.h"
#include "lowering/rows/rowmemory.h"
#include "passes/merge/merge.h"
#include "passes/split/pieces.h"

enum {
  TILE_ROWS = 16, // of the smallest tile
  TILES = 512,    // four for each multiprocessor: while one waits for memory others multiply
  ULT = 6,        // of arith.cmpi
  SLT = 2,
  OEQ = 1, // of arith.cmpf
};

typedef struct {
  SnCut s;
  MlirOperation again;        // the row product
  MlirOperation maximum, sum; // of the scores, and of their exponentials
  MlirOperation round;        // of the exponentials, in front of it; null: none
  MlirValue scores;
  int64_t until[3];    // of the product's sides, and of the matrix: where it goes over to its second access; 0: it has
                       // one
  int64_t length;      // columns that are in parts
  bool alone;          // the last one is not: where both the product and the matrix go over to it
  MlirOperation maker; // of that one; null: it is an argument
  int64_t part, parts; // columns of a part, and how many there are
} Parts;

static int64_t columns_of(const SnForm *f) { return sn_group(f, 0).first; }

// ---- what it is ---------------------------------------------------------------------------------

static bool is_known(const SnForm *f) {
  bool known = true;
  for (size_t d = 0; d < f->dims.size; ++d)
    known &= f->dims.data[d].size != SN_DYNAMIC && f->dims.data[d].size > 0;
  return known;
}

// One product, by columns of one dimension; one matrix, to those of another; one result.
static bool has_shape(const SnForm *f, int64_t parts_from) {
  return f->contract && sn_num_results(f->op) == 1 && f->outputs.size == 1 && !f->accumulators.size &&
         !f->indices.size && f->products.size == 1 && f->matrices.size == 1 && sn_num_groups(f) == 2 &&
         sn_group(f, 0).num_dims == 1 && sn_group(f, 1).num_dims == 1 && is_known(f) && !sn_form_asserts(f) &&
         !sn_is_reduced(f, 0) && !sn_gpu_not_chain_of_stored(f, parts_from);
}

// v is made of what was seen and of inputs, element by element, and of nothing that uses dimension `but`.
static bool by_elements(const SnForm *f, MlirValue v, int64_t but, SnTable *seen) {
  MlirOperation op = sn_definer(v);
  if (sn_table_has(seen, v.ptr))
    return true;
  sn_table_put(seen, v.ptr, 1);
  for (size_t k = sn_first_input(f); sn_null(op) && k < f->inputs.size; ++k)
    if (sn_same(v, sn_input_argument(f, k)))
      return !sn_access_uses(f, &f->inputs.data[k], but) && !sn_is_table(&f->inputs.data[k]);
  const SnRowOp *line = sn_null(op) ? NULL : sn_row_op_of(op);
  bool is = line && sn_num_results(op) == 1 && !mlirOperationGetNumRegions(op) &&
            !(line->position && !line->names_dim) && !(line->names_dim && sn_row_named_dim(f, op) == but) &&
            (line->first == SN_READS_COLUMN || line->first == SN_READS_NOTHING);
  for (intptr_t k = 0; is && k < sn_num_operands(op); ++k)
    is = by_elements(f, sn_operand(op, k), but, seen);
  return is;
}

static bool goes_by_elements(const SnForm *f, MlirValue v, size_t n, const MlirValue *from, int64_t but) {
  SnTable seen = {0};
  for (size_t i = 0; i < n; ++i)
    sn_table_put(&seen, from[i].ptr, 1);
  bool is = by_elements(f, v, but, &seen);
  sn_table_free(&seen);
  return is;
}

// The body is a softmax in f32 of what goes by elements, multiplied again once, and a program of each result.
static bool find_softmax(Parts *p) {
  const SnForm *f = &p->s.f;
  size_t others = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    bool multiplies = sn_row_op_has(op, SN_READS_MATRIX);
    others += multiplies && !sn_null(p->again);
    p->again = multiplies ? op : p->again;
  }
  MlirValue factor, row = sn_operand(p->again, 0), e = sn_cpu_without_factor(row, &factor);
  p->maximum = sn_none(e) ? (MlirOperation){0} : sn_exp_under_maximum(e);
  if (others || sn_null(p->maximum) || !sn_is_reduce(p->maximum, "maximumf") ||
      !mlirTypeIsAF32(sn_type_of(sn_result(p->maximum, 0))) ||
      !mlirTypeIsAF32(sn_element(sn_type_of(sn_result(p->again, 0)))))
    return false;
  p->sum = sn_definer(sn_operand(sn_definer(factor), 1));
  p->round = sn_def(row, "arith.truncf");
  p->scores = sn_operand(p->maximum, 0);
  MlirValue product = sn_product_argument(f, 0), result = sn_operand(mlirBlockGetTerminator(f->body), 0),
            known[] = {sn_result(p->again, 0), sn_result(p->maximum, 0), sn_result(p->sum, 0)};
  return sn_same(sn_operand(p->sum, 0), e) && sn_is_row(p->scores) &&
         goes_by_elements(f, p->scores, 1, &product, sn_group(f, 1).first) &&
         goes_by_elements(f, result, 3, known, columns_of(f));
}

static bool is_zero(MlirAttribute fill) {
  double number;
  return fill.ptr && sn_attr_number(fill, &number) && number == 0;
}

// The access has zeros from column `until` on (`below`), or in front of it.
static bool has_zeros(const SnForm *f, const SnAccess *a, int64_t until, bool below) {
  MlirContext ctx = mlirOperationGetContext(f->op);
  MlirAffineExpr k = mlirAffineDimExprGet(ctx, (intptr_t)columns_of(f)),
                 at = below ? k : mlirAffineAddExprGet(k, mlirAffineConstantExprGet(ctx, -until));
  bool zeros = false;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(a->map) && is_zero(a->fill); ++i)
    zeros |= mlirAffineExprEqual(mlirAffineMapGetResult(a->map, i), at) &&
             (!below || sn_dim(sn_type_of(a->value), i) == until);
  return zeros;
}

// Where a side's program goes over from its first access to its second, which have zeros where it takes the other; 0:
// it does something else.
static int64_t find_choice(const SnForm *f, size_t number) {
  SnSide side = sn_side(f, number);
  double until = 0;
  if (!side.program.ptr || side.count != 2)
    return 0;
  MlirOperation select = sn_def(sn_operand(mlirBlockGetTerminator(side.program), 0), "arith.select");
  MlirValue condition = sn_null(select) ? (MlirValue){0} : sn_operand(select, 0);
  if (!sn_none(condition) && !sn_none(sn_broadcast_of(condition)))
    condition = sn_broadcast_of(condition);
  MlirOperation compare = sn_none(condition) ? (MlirOperation){0} : sn_def(condition, "arith.cmpi");
  if (sn_null(compare) || !sn_same(sn_operand(select, 1), mlirBlockGetArgument(side.program, 0)) ||
      !sn_same(sn_operand(select, 2), mlirBlockGetArgument(side.program, 1)))
    return 0;
  int64_t predicate = sn_int_attr(compare, "predicate", -1);
  MlirValue at = sn_operand(compare, 0), limit = sn_operand(compare, 1);
  at = sn_none(sn_broadcast_of(at)) ? at : sn_broadcast_of(at);
  limit = sn_none(sn_broadcast_of(limit)) ? limit : sn_broadcast_of(limit);
  MlirOperation index = sn_def(at, "sinter.index");
  if ((predicate != ULT && predicate != SLT) || sn_null(index) || sn_row_named_dim(f, index) != columns_of(f) ||
      !sn_attr_number(sn_constant_of(limit), &until) || until < 1 || until >= (double)sn_group_length(f, 0))
    return 0;
  const SnAccess *a = &f->inputs.data[side.first];
  return has_zeros(f, &a[0], (int64_t)until, true) && has_zeros(f, &a[1], (int64_t)until, false) ? (int64_t)until : 0;
}

// ---- the parts ----------------------------------------------------------------------------------

typedef struct {
  SnPartCopy in;
  SnForm to;
  int64_t part; // columns
} Copy;

static MlirValue added(SnBuilder *b, const char *op, MlirValue x, MlirValue y) {
  MlirValue both[] = {x, y};
  return sn_row_op(b, op, (MlirType){0}, 2, both);
}

// p * part + k
static MlirValue position_in_part(SnBuilder *b, const SnPartCopy *in) {
  const Copy *c = (const Copy *)in;
  intptr_t part = c->to.num_rows - 1;
  return added(b, "arith.addi", sn_position(b, &c->to, part + 1),
               sn(b, "arith.muli", sn_position(b, &c->to, part), sn_index(b, c->part)));
}

// x where the column is before `end`, else y.
static MlirValue chosen(SnBuilder *b, Copy *c, int64_t end, MlirValue x, MlirValue y) {
  MlirValue at = position_in_part(b, &c->in), limit = sn_as_row(b, sn_index(b, end), sn_type_of(at)),
            is = sn(b, "arith.cmpi", at, limit, sn_attr("predicate", sn_i64(b->ctx, ULT)));
  return sn(b, "arith.select", is, x, sn_as_row(b, y, sn_type_of(x)));
}

// The form's dimensions, a part's number behind its rows, and once more what the product sums (`twice`).
static void make_dims(Parts *p, SnForm *to, bool twice, MlirAffineExpr *first, MlirAffineExpr *second) {
  const SnForm *f = &p->s.f;
  MlirContext ctx = p->s.b.ctx;
  int64_t rows = f->num_rows, sums = sn_first_own(f, 0), own = f->products.data[0].num_dims;
  to->contract = true;
  to->num_rows = rows + 1;
  to->num_cols = f->num_cols;
  for (size_t d = 0; d < f->dims.size; ++d) {
    if ((int64_t)d == rows)
      sn_push(&to->dims, ((SnDim){sn_fresh_name(ctx, f, "part"), p->parts}));
    sn_push(&to->dims, f->dims.data[d]);
    first[d] = second[d] = mlirAffineDimExprGet(ctx, (intptr_t)d + ((int64_t)d >= rows));
  }
  to->dims.data[rows + 1].size = p->part;
  first[rows] = second[rows] = mlirAffineAddExprGet(
      mlirAffineMulExprGet(mlirAffineDimExprGet(ctx, (intptr_t)rows), mlirAffineConstantExprGet(ctx, p->part)),
      mlirAffineDimExprGet(ctx, (intptr_t)rows + 1));
  for (int64_t i = 0; i < own && twice; ++i) {
    second[sums + i] = mlirAffineDimExprGet(ctx, (intptr_t)to->dims.size);
    sn_push(&to->dims, ((SnDim){sn_fresh_name(ctx, to, "sum"), f->dims.data[sums + i].size}));
  }
  for (int i = 0; i < 1 + twice; ++i)
    sn_push(&to->products, f->products.data[0]);
  for (size_t g = 0; g < 2; ++g)
    sn_push(&to->groups, ((SnGroup){sn_group(f, g).first + 1, 1}));
}

// What is beside the last column is zeros that nobody counts.
static void add_input(const Parts *p, SnForm *to, size_t k, const MlirAffineExpr *dims) {
  const SnForm *f = &p->s.f;
  SnAccess a = f->inputs.data[k];
  if (!a.fill.ptr && sn_access_uses(f, &a, columns_of(f)) && p->part * p->parts > p->length) {
    MlirType t = sn_element(sn_type_of(a.value));
    a.fill = sn_is_float(t) ? mlirFloatAttrDoubleGet(p->s.b.ctx, t, 0) : mlirIntegerAttrGet(t, 0);
  }
  a.map = sn_map_replace(a.map, (intptr_t)to->dims.size, dims);
  sn_push(&to->inputs, a);
}

// Access `which` of the side; of one that does not choose all, and its program.
static void add_side(const Parts *p, SnForm *to, size_t number, size_t which, const MlirAffineExpr *dims) {
  SnSide side = sn_side(&p->s.f, number);
  if (p->until[number])
    side = (SnSide){.first = side.first + which, .count = 1};
  sn_push(&to->sides, ((SnSide){.first = to->inputs.size, .count = side.count, .program = side.program}));
  for (size_t k = 0; k < side.count; ++k)
    add_input(p, to, side.first + k, dims);
}

static bool has_beside(const SnForm *f, size_t k, int64_t dim) {
  return k >= sn_first_input(f) && sn_access_uses(f, &f->inputs.data[k], dim);
}

// A new tensor of the rows, the parts, and perhaps the columns that they are multiplied to.
static void add_output(const Parts *p, SnForm *to, bool row) {
  MlirContext ctx = p->s.b.ctx;
  MlirAffineExpr at[SN_MAX_DIMS];
  int64_t shape[SN_MAX_DIMS];
  intptr_t n = 0;
  for (; n < (intptr_t)to->num_rows + row; ++n) {
    intptr_t d = n < (intptr_t)to->num_rows ? n : n + 1; // not the part's columns
    at[n] = mlirAffineDimExprGet(ctx, d);
    shape[n] = to->dims.data[d].size;
  }
  SnBuilder b = p->s.b;
  sn_push(&to->outputs, ((SnAccess){.value = sn(&b, "tensor.empty", sn_tensor(mlirF32TypeGet(ctx), n, shape)),
                                    .map = mlirAffineMapGet(ctx, (intptr_t)to->dims.size, 0, n, at)}));
}

static void write_part(const Parts *p, SnBuilder *b, Copy *c, const size_t *input) {
  const SnForm *f = &p->s.f;
  SnForm *to = &c->to;
  MlirType f32 = mlirF32TypeGet(b->ctx);
  int64_t chooses = p->alone ? 0 : p->until[0] + p->until[1];
  MlirValue sums = sn_product_argument(to, 0);
  if (chooses)
    sums = chosen(b, c, chooses, sums, sn_product_argument(to, 1));
  sn_map(&c->in.made, sn_product_argument(f, 0), sums);
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    if (input[k] != SIZE_MAX)
      sn_map(&c->in.made, sn_input_argument(f, k), sn_input_argument(to, input[k]));
  MlirValue x = sn_copy_in_part(b, &c->in, p->scores);
  if (p->part * p->parts > p->length)
    x = chosen(b, c, p->length, x, sn_float(b, f32, -__builtin_inf()));
  MlirValue m = sn_row_reduce(b, "maximumf", x, f32), d = added(b, "arith.subf", x, m),
            e = sn_row_op(b, "math.exp", (MlirType){0}, 1, &d), s = sn_row_reduce(b, "add", e, f32), w = e;
  if (!sn_null(p->round))
    w = sn_row_op(b, "arith.truncf", sn_element(sn_type_of(sn_result(p->round, 0))), 1, &e);
  MlirType row = sn_type_of(sn_result(p->again, 0));
  MlirValue u = sn_row_product(b, w, sn_matrix_argument(to, 0), row);
  if (p->until[2] && !p->alone)
    u = sn(b, "arith.addf", u, sn_row_product(b, w, sn_matrix_argument(to, 1), row));
  MlirValue gives[] = {m, s, u};
  sn_op(b, "sinter.yield", sn_values(3, gives), sn_types(0, NULL));
}

static MlirOperation make_parts(Parts *p) {
  const SnForm *f = &p->s.f;
  bool twice = !p->alone && (p->until[0] || p->until[1]), matrices = !p->alone && p->until[2];
  MlirAffineExpr first[SN_MAX_DIMS], second[SN_MAX_DIMS];
  Copy c = {.in = {.f = f, .dim = columns_of(f), .position = position_in_part}, .part = p->part};
  SnForm *to = &c.to;
  size_t *input = sn_alloc((f->inputs.size + 1) * sizeof *input);
  make_dims(p, to, twice, first, second);
  for (size_t i = 0; i < 1 + (size_t)twice; ++i)
    for (size_t side = 0; side < 2; ++side)
      add_side(p, to, side, i, i ? second : first);
  for (size_t i = 0; i < 1 + (size_t)matrices; ++i) {
    add_side(p, to, 2, i, first);
    sn_push(&to->matrices, ((SnMatrix){.from = 0, .to = 1}));
  }
  if (!sn_any_program(to))
    to->sides.size = 0;
  for (size_t k = 0; k < f->inputs.size; ++k) {
    bool has = k >= sn_first_input(f) && !has_beside(f, k, sn_group(f, 1).first);
    input[k] = has ? to->inputs.size : SIZE_MAX;
    if (has)
      add_input(p, to, k, first);
  }
  for (int i = 0; i < 3; ++i)
    add_output(p, to, i == 2);
  c.in.to = to;
  MlirOperation made = sn_form_create(&p->s.b, to, false);
  SnBuilder in = sn_at_end(to->body, p->s.b.loc);
  write_part(p, &in, &c, input);
  sn_map_free(&c.in.made);
  sn_form_free(to);
  free(input);
  return made;
}

// ---- the last column ------------------------------------------------------------------------------

// Where it is.
static MlirValue position_of_last(SnBuilder *b, const SnPartCopy *in) {
  const Copy *c = (const Copy *)in;
  return added(b, "arith.addi", sn_position(b, &c->to, (intptr_t)c->to.num_rows), sn_index(b, c->part));
}

// Its scores, a number for each row: a contract of one column, whose sides may have programs.
static MlirOperation make_last(Parts *p) {
  const SnForm *f = &p->s.f;
  MlirContext ctx = p->s.b.ctx;
  int64_t rows = f->num_rows, at = p->length, side_of = p->until[0] ? 0 : 1;
  MlirAffineExpr dims[SN_MAX_DIMS], all[SN_MAX_DIMS];
  int64_t shape[SN_MAX_DIMS];
  Copy c = {.in = {.f = f, .dim = columns_of(f), .position = position_of_last}, .part = at};
  SnForm *to = &c.to;
  to->contract = true;
  to->num_rows = rows;
  to->num_cols = 1;
  sn_push(&to->products, f->products.data[0]);
  for (int64_t d = 0; d < (int64_t)f->dims.size; ++d) {
    bool other = d == sn_group(f, 1).first;
    dims[d] = other ? mlirAffineConstantExprGet(ctx, 0) : mlirAffineDimExprGet(ctx, (intptr_t)to->dims.size);
    if (!other)
      sn_push(&to->dims, f->dims.data[d]);
  }
  to->dims.data[rows].size = 1;
  for (intptr_t d = 0; d <= (intptr_t)rows; ++d)
    all[d] = dims[d], shape[d] = to->dims.data[d].size;
  dims[rows] = mlirAffineAddExprGet(dims[rows], mlirAffineConstantExprGet(ctx, at));
  size_t *input = sn_alloc((f->inputs.size + 1) * sizeof *input), moves = 0;
  for (size_t k = 0; k < f->inputs.size; ++k) {
    bool of_old = k == sn_side(f, side_of).first, of_matrix = k >= sn_side(f, 2).first && k < sn_first_input(f);
    input[k] = SIZE_MAX;
    if (of_old || of_matrix || has_beside(f, k, sn_group(f, 1).first))
      continue;
    input[k] = to->inputs.size;
    moves = k == sn_side(f, side_of).first + 1 ? to->inputs.size : moves;
    SnAccess a = f->inputs.data[k];
    a.map = sn_map_replace(a.map, (intptr_t)to->dims.size, dims);
    sn_push(&to->inputs, a);
  }
  for (size_t i = 0, first = 0; i < 2; ++i) {
    SnSide side = sn_side(f, i);
    if ((int64_t)i == side_of)
      side = (SnSide){.count = 1};
    side.first = first;
    first += side.count;
    sn_push(&to->sides, side);
  }
  SnBuilder b = p->s.b;
  MlirType f32 = mlirF32TypeGet(ctx);
  sn_push(&to->outputs,
          ((SnAccess){.value = sn(&b, "tensor.empty", sn_tensor(f32, (intptr_t)rows + 1, shape)),
                      .map = mlirAffineMapGet(ctx, (intptr_t)to->dims.size, 0, (intptr_t)rows + 1, all)}));
  c.in.to = to;
  MlirOperation made = sn_form_create(&p->s.b, to, false);
  SnBuilder in = sn_at_end(to->body, p->s.b.loc);
  sn_map(&c.in.made, sn_product_argument(f, 0), sn_product_argument(to, 0));
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    if (input[k] != SIZE_MAX)
      sn_map(&c.in.made, sn_input_argument(f, k), sn_input_argument(to, input[k]));
  MlirValue x = sn_copy_in_part(&in, &c.in, p->scores);
  sn_op(&in, "sinter.yield", sn_as_row(&in, x, sn_row_type(to, f32)), sn_types(0, NULL));
  sn_map_free(&c.in.made);
  sn_form_free(to);
  free(input);
  SnForm last = sn_form_read(made);
  p->maker = sn_definer(last.inputs.data[moves].value);
  sn_form_free(&last);
  SnIntoSide m;
  if (sn_can_move_into_side(made, moves, &m))
    made = sn_move_into_side(&m);
  sn_into_side_free(&m);
  return made;
}

// ---- and what they are together -------------------------------------------------------------------

static MlirValue position_of_row(SnBuilder *b, const SnPartCopy *in) {
  return sn_position(b, in->to, (intptr_t)in->to->num_rows - 1);
}

// Where a part's maximum is -inf it adds nothing.
static MlirValue sum_of_parts(SnBuilder *b, MlirValue dead, MlirValue weights, MlirValue of_parts) {
  MlirType f32 = mlirF32TypeGet(b->ctx);
  MlirValue x = sn(b, "arith.mulf", weights, of_parts), zeros = sn_as_row(b, sn_float(b, f32, 0), sn_type_of(x));
  return sn_row_reduce(b, "add", sn(b, "arith.select", dead, zeros, x), f32);
}

static void write_whole(const Parts *p, SnBuilder *b, Copy *c, const size_t *input) {
  const SnForm *f = &p->s.f;
  SnForm *to = &c->to;
  MlirType f32 = mlirF32TypeGet(b->ctx);
  MlirValue m = sn_input_argument(to, 0), all = sn_row_reduce(b, "maximumf", m, f32), x = {0};
  if (p->alone) {
    x = sn_input_argument(to, 3);
    all = sn(b, "arith.maximumf", all, x);
  }
  MlirValue d = added(b, "arith.subf", m, all), w = sn_row_op(b, "math.exp", (MlirType){0}, 1, &d),
            least = sn_as_row(b, sn_float(b, f32, -__builtin_inf()), sn_type_of(m)),
            dead = sn(b, "arith.cmpf", m, least, sn_attr("predicate", sn_i64(b->ctx, OEQ))),
            s = sum_of_parts(b, dead, w, sn_input_argument(to, 1)),
            u = sum_of_parts(b, dead, w, sn_input_argument(to, 2));
  if (p->alone) {
    MlirValue v = sn_input_argument(to, 4), e = sn(b, "math.exp", sn(b, "arith.subf", x, all)),
              none =
                  sn(b, "arith.cmpf", x, sn_float(b, f32, -__builtin_inf()), sn_attr("predicate", sn_i64(b->ctx, OEQ)));
    e = sn(b, "arith.select", none, sn_float(b, f32, 0), e);
    v = mlirTypeIsAF32(sn_type_of(v)) ? v : sn(b, "arith.extf", v, f32);
    s = sn(b, "arith.addf", s, e);
    u = sn(b, "arith.addf", u, sn(b, "arith.mulf", e, v));
  }
  sn_map(&c->in.made, sn_result(p->maximum, 0), all);
  sn_map(&c->in.made, sn_result(p->sum, 0), s);
  sn_map(&c->in.made, sn_result(p->again, 0), sn(b, "arith.divf", u, s));
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    if (input[k] != SIZE_MAX)
      sn_map(&c->in.made, sn_input_argument(f, k), sn_input_argument(to, input[k]));
  MlirValue y = sn_copy_in_part(b, &c->in, sn_operand(mlirBlockGetTerminator(f->body), 0));
  sn_op(b, "sinter.yield", y, sn_types(0, NULL));
}

static MlirOperation make_whole(Parts *p, MlirOperation parts, MlirOperation last) {
  const SnForm *f = &p->s.f;
  MlirContext ctx = p->s.b.ctx;
  int64_t rows = f->num_rows, column = sn_group(f, 1).first;
  MlirAffineExpr dims[SN_MAX_DIMS], all[SN_MAX_DIMS];
  Copy c = {.in = {.f = f, .dim = column, .position = position_of_row}};
  SnForm *to = &c.to;
  size_t *input = sn_alloc((f->inputs.size + 1) * sizeof *input);
  to->num_rows = rows + 1;
  to->num_cols = 1;
  for (size_t d = 0; d < f->dims.size; ++d)
    dims[d] = mlirAffineConstantExprGet(ctx, 0);
  for (int64_t d = 0; d < rows; ++d) {
    sn_push(&to->dims, f->dims.data[d]);
    dims[d] = all[d] = mlirAffineDimExprGet(ctx, (intptr_t)d);
  }
  sn_push(&to->dims, f->dims.data[column]);
  dims[column] = all[rows + 1] = mlirAffineDimExprGet(ctx, (intptr_t)rows);
  sn_push(&to->dims, ((SnDim){sn_fresh_name(ctx, f, "part"), p->parts}));
  all[rows] = mlirAffineDimExprGet(ctx, (intptr_t)rows + 1);
  for (intptr_t i = 0; i < 3; ++i)
    sn_push(&to->inputs,
            ((SnAccess){.value = sn_result(parts, i),
                        .map = mlirAffineMapGet(ctx, (intptr_t)to->dims.size, 0, (intptr_t)rows + 1 + (i == 2), all)}));
  if (p->alone) {
    all[rows] = mlirAffineConstantExprGet(ctx, 0);
    sn_push(&to->inputs,
            ((SnAccess){.value = sn_result(last, 0),
                        .map = mlirAffineMapGet(ctx, (intptr_t)to->dims.size, 0, (intptr_t)rows + 1, all)}));
    SnAccess v = f->inputs.data[sn_side(f, 2).first + 1];
    dims[columns_of(f)] = mlirAffineConstantExprGet(ctx, p->length);
    v.map = sn_map_replace(v.map, (intptr_t)to->dims.size, dims);
    sn_push(&to->inputs, v);
  }
  for (size_t k = 0; k < f->inputs.size; ++k) {
    bool has = k >= sn_first_input(f) && !has_beside(f, k, columns_of(f));
    input[k] = has ? to->inputs.size : SIZE_MAX;
    SnAccess a = f->inputs.data[k];
    a.map = sn_map_replace(a.map, (intptr_t)to->dims.size, dims);
    if (has)
      sn_push(&to->inputs, a);
  }
  SnAccess out = f->outputs.data[0];
  out.map = sn_map_replace(out.map, (intptr_t)to->dims.size, dims);
  sn_push(&to->outputs, out);
  c.in.to = to;
  MlirOperation made = sn_form_create(&p->s.b, to, false);
  SnBuilder in = sn_at_end(to->body, p->s.b.loc);
  write_whole(p, &in, &c, input);
  sn_map_free(&c.in.made);
  sn_form_free(to);
  free(input);
  return made;
}

// ---- the form -------------------------------------------------------------------------------------

bool sn_part_columns(MlirOperation form, SnSplit how, MlirAttribute cut) {
  Parts p = {.s = {.f = sn_form_read(form), .how = how, .b = sn_before(form)}};
  SnForm *f = &p.s.f;
  bool is = has_shape(f, how.parts_from) && find_softmax(&p);
  if (is) {
    SnGpuPoints points = sn_gpu_chain_points(f);
    int64_t tiles =
        sn_times(sn_gpu_dims_size(f, &points.batch), sn_pieces(sn_gpu_dims_size(f, &points.rows), TILE_ROWS));
    for (size_t i = 0; i < sn_num_sides(f); ++i)
      p.until[i] = find_choice(f, i);
    p.length = sn_group_length(f, 0);
    p.alone = p.until[0] + p.until[1] == p.length - 1 && p.until[2] == p.length - 1;
    p.length -= p.alone;
    p.part = sn_pieces(sn_pieces(p.length, sn_pieces(TILES, tiles)), SN_PART_COLUMNS) * SN_PART_COLUMNS;
    p.parts = sn_pieces(p.length, p.part);
  }
  if (!is || p.parts + p.alone < 2) {
    sn_form_free(f);
    return false;
  }
  bool twice = !p.alone && (p.until[0] || p.until[1]);
  MlirOperation last = p.alone ? make_last(&p) : (MlirOperation){0};
  for (size_t i = 0; i < sn_num_sides(f); ++i)
    if (sn_side(f, i).program.ptr && !p.until[i] && (twice || !sn_gpu_computes_side(f, i)))
      sn_store_side(&p.s, i);
  MlirOperation parts = make_parts(&p), whole = make_whole(&p, parts, last);
  mlirValueReplaceAllUsesOfWith(sn_result(form, 0), sn_result(whole, 0));
  sn_form_free(f);
  mlirOperationDestroy(form);
  if (sn_is_form(p.maker) && sn_unused(p.maker))
    mlirOperationDestroy(p.maker);
  parts = sn_tidy(parts);
  whole = sn_tidy(whole);
  if (p.alone)
    sn_sum_by_rows(last, cut);
  for (int i = 0; i < 2 && cut.ptr; ++i)
    sn_set_attr(i ? whole : parts, "sinter.cut", cut);
  return true;
}
