// long_columns.c: what is reduced along a length `?`, of few neighbours, is cut in pieces where that is seen at launch.
//
//   %y[j] = rowwise (j = ?) by (i = ?) row_reduce add %x[i, j]
// ->
//   scf.if (columns j <= 4096 and rows i >= 4096) {
//     %p[piece, j] = rowwise (piece = ?, j = ?) by (i = 128) row_reduce add %x[128 piece + i, j]
//     %y[j]        = rowwise (j = ?) by (piece = ?) row_reduce add %p[piece, j]
//   } else {
//     %y[j] = rowwise (j = ?) by (i = ?) row_reduce add %x[i, j]
//   }
//
// Threads that are neighbours read neighbours j, so few of them are few threads, each of which reads all of its column.
// sinter-turned-sums cuts columns of a known number before it turns them; it has turned those of a number `?` as well,
// and does not know whether they are few. The last piece is read with zeros behind the end, which the combiner's
// identity replaces. What combines the pieces may be long again, and is cut the same way.
//
// decides: which reductions of unknown length have a second kernel that cuts them.
//
// runs in: sinter-gpu    test: test/passes/arrange/long_columns.mlir, test/gpu/emulate_rows.test

#include "dialect/row_ops.h"
#include "dialect/sequence.h"
#include "lowering/rows/rowmemory.h"
#include "passes/edit/edit.h"
#include "passes/merge/merge.h"
#include <stdio.h>

enum {
  PIECE = 128,           // rows: what pieces leave is so much less than what they read
  MOST_COLUMNS = 4096,   // of more, blocks of 32 columns are as many as multiprocessors
  LEAST_ROWS = 4096,     // one launch more takes longer than fewer
  LEAST_NEIGHBOURS = 16, // columns that are neighbours in memory
  MOST_CUTS = 2,         // of one reduction: 128^2 times LEAST_ROWS are enough for all memory
  UNSIGNED_AT_MOST = 7,  // predicates of arith.cmpi
  UNSIGNED_AT_LEAST = 9,
  SIGNED_BELOW = 2,
};

typedef struct {
  SnForm f;
  SnOpVec reduces; // of its body
} Long;

static intptr_t column(const SnForm *f) { return (intptr_t)f->num_rows; } // the one dimension that is reduced

// The column's subscript is its own, or it has none.
static bool reads_plainly(const SnForm *f, const SnAccess *a) {
  if (sn_is_table(a) || a->through.ptr)
    return false;
  for (intptr_t p = 0; p < mlirAffineMapGetNumResults(a->map) && sn_map_uses(a->map, column(f)); ++p) {
    MlirAffineExpr e = mlirAffineMapGetResult(a->map, p);
    if (a->fill.ptr || (mlirAffineExprIsFunctionOfDim(e, column(f)) && sn_map_dim(a->map, p) != column(f)))
      return false;
  }
  return true;
}

// Elements of what is reduced lie apart, and neighbours of another row beside each.
static bool lies_by_columns(const SnForm *f) {
  intptr_t last = (intptr_t)f->num_rows - 1;
  bool any = false;
  if (f->dims.data[last].size != SN_DYNAMIC && f->dims.data[last].size < LEAST_NEIGHBOURS)
    return false;
  for (size_t k = 0; k < f->inputs.size; ++k) {
    MlirAffineMap map = f->inputs.data[k].map;
    if (!sn_map_uses(map, column(f)) || !sn_map_uses(map, last))
      continue;
    if (sn_unit_stride(map, column(f)) || !sn_unit_stride(map, last))
      return false;
    any = true;
  }
  return any;
}

static const SnCombiner *combiner_of(MlirOperation reduce) {
  for (const SnCombiner *c = sn_combiners; c->kind; ++c)
    if (sn_is_reduce(reduce, c->kind))
      return c;
  return NULL;
}

// Elements, what they are reduced to, and what is made of that: no row waits for what is reduced.
static bool find_reduces(Long *l) {
  SnTable behind = {0};
  bool ok = true;
  for (MlirOperation op = mlirBlockGetFirstOperation(l->f.body); ok && !sn_null(op);
       op = mlirOperationGetNextInBlock(op)) {
    bool waits = false, reduces = sn_is_reduce(op, NULL);
    uintptr_t at;
    if (sn_is(op, "sinter.yield"))
      continue;
    for (intptr_t k = 0; k < sn_num_operands(op); ++k) {
      MlirOperation from = sn_definer(sn_operand(op, k));
      waits |= !sn_null(from) && sn_table_get(&behind, from.ptr, &at);
    }
    bool simple = sn_row_op_of(op) && !sn_row_op_has(op, SN_READS_ALL) && !sn_row_op_has(op, SN_READS_ONE) &&
                  !sn_row_op_has(op, SN_READS_TABLE) && !sn_row_op_has(op, SN_READS_MATRIX) && !sn_is(op, "cf.assert");
    ok = reduces ? !waits && combiner_of(op) : simple && !(waits && sn_is_row(sn_result(op, 0)));
    if (reduces)
      sn_push(&l->reduces, op);
    if (reduces || waits)
      sn_table_put(&behind, op.ptr, 1);
  }
  sn_table_free(&behind);
  return ok && l->reduces.size;
}

static bool fits(Long *l) {
  const SnForm *f = &l->f;
  if (!sn_num_results(f->op) || sn_in_sequence(f->op) || !sn_is_plain(f) || f->contract || f->schedule.ptr ||
      f->num_cols != 1 || !f->num_rows || f->accumulators.size || f->indices.size || f->dims.size + 1 > SN_MAX_DIMS)
    return false;
  int64_t rows = sn_num_rows(f), length = f->dims.data[column(f)].size;
  if (rows != SN_DYNAMIC && (length != SN_DYNAMIC || rows > MOST_COLUMNS))
    return false; // the schedule knows
  if ((length != SN_DYNAMIC && length < LEAST_ROWS) || !lies_by_columns(f))
    return false;
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (!reads_plainly(f, &f->inputs.data[k]))
      return false;
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (sn_uses_cols(f, f->outputs.data[k].map))
      return false;
  return find_reduces(l);
}

// ---- what is made ----------------------------------------------------------------------------------------------

static MlirAffineExpr dim(const SnForm *f, intptr_t d) {
  return mlirAffineDimExprGet(mlirOperationGetContext(f->op), d);
}

// [piece, rows]: what piece leaves of a reduction.
static SnAccess part(SnBuilder *b, const Long *l, const SnForm *to, MlirValue pieces, MlirType element) {
  int64_t shape[SN_MAX_DIMS];
  MlirAffineExpr at[SN_MAX_DIMS];
  SnValueVec sizes = {0};
  for (intptr_t d = 0; d < (intptr_t)to->num_rows; ++d) {
    at[d] = dim(&l->f, d);
    shape[d] = to->dims.data[d].size;
    if (shape[d] == SN_DYNAMIC)
      sn_push(&sizes, d ? sn_size_value(b, &l->f, d - 1) : pieces);
  }
  SnAccess a = {.value = sn(b, "tensor.empty", sn_tensor(element, (intptr_t)to->num_rows, shape),
                            sn_values((intptr_t)sizes.size, sizes.data)),
                .map = mlirAffineMapGet(b->ctx, (intptr_t)to->dims.size, 0, (intptr_t)to->num_rows, at)};
  sn_vec_free(&sizes);
  return a;
}

// Row `v` where it is one of the `length` rows, else the identity.
static MlirValue inside(SnBuilder *b, const SnForm *to, MlirAffineExpr at, MlirValue length, MlirValue v,
                        const SnCombiner *combiner) {
  MlirType element = sn_element(sn_type_of(v)), row = sn_row_type(to, element);
  MlirValue place = sn_affine_value(b, to, at), end = sn(b, "arith.index_cast", length, mlirIndexTypeGet(b->ctx)),
            in = sn(b, "arith.cmpi", place, sn_as_row(b, end, sn_type_of(place)),
                    sn_attr("predicate", sn_i64(b->ctx, SIGNED_BELOW))),
            none = sn_constant(b, sn_combiner_identity(combiner, element));
  return sn(b, "arith.select", in, sn_as_row(b, v, row), sn_as_row(b, none, row));
}

static SnAccess moved(const SnForm *to, SnAccess a, const MlirAffineExpr *dims) {
  a.map = sn_map_replace(a.map, (intptr_t)to->dims.size, dims);
  return a;
}

// Each piece by itself; `length` is a tensor<i64>.
static SnForm pieces(SnBuilder *b, const Long *l, MlirValue count, MlirValue length) {
  const SnForm *f = &l->f;
  SnForm to = {.num_rows = f->num_rows + 1, .num_cols = 1};
  MlirAffineExpr dims[SN_MAX_DIMS];
  sn_push(&to.dims, ((SnDim){.name = sn_fresh_name(b->ctx, f, "piece"), .size = SN_DYNAMIC}));
  for (intptr_t d = 0; d < (intptr_t)f->dims.size; ++d) {
    dims[d] = dim(f, d + 1);
    sn_push(&to.dims, f->dims.data[d]);
  }
  to.dims.data[column(f) + 1].size = PIECE;
  dims[column(f)] =
      mlirAffineAddExprGet(mlirAffineMulExprGet(dim(f, 0), mlirAffineConstantExprGet(b->ctx, PIECE)), dims[column(f)]);
  for (size_t k = 0; k < f->inputs.size; ++k) {
    SnAccess a = moved(&to, f->inputs.data[k], dims);
    MlirType e = sn_element(sn_type_of(a.value));
    if (sn_uses_cols(f, f->inputs.data[k].map))
      a.fill = sn_is_float(e) ? mlirFloatAttrDoubleGet(b->ctx, e, 0) : mlirIntegerAttrGet(e, 0);
    sn_push(&to.inputs, a);
  }
  sn_push(&to.inputs,
          ((SnAccess){.value = length, .map = mlirAffineMapGet(b->ctx, (intptr_t)to.dims.size, 0, 0, NULL)}));
  for (size_t r = 0; r < l->reduces.size; ++r)
    sn_push(&to.outputs, part(b, l, &to, count, sn_type_of(sn_result(l->reduces.data[r], 0))));
  (void)sn_form_create(b, &to, false);
  SnBuilder in = sn_at_end(to.body, b->loc);
  SnMap map = {0};
  SnValueVec results = {0};
  for (size_t k = 0; k < f->inputs.size; ++k)
    sn_map(&map, sn_input_argument(f, k), sn_input_argument(&to, k));
  for (size_t r = 0; r < l->reduces.size; ++r) {
    MlirOperation reduce = l->reduces.data[r];
    const SnCombiner *combiner = combiner_of(reduce);
    MlirValue v = sn_move_value(&in, f, sn_operand(reduce, 0), dims, &to, &map);
    v = inside(&in, &to, dims[column(f)], sn_input_argument(&to, f->inputs.size), v, combiner);
    sn_push(&results, sn_row_reduce(&in, combiner->kind, v, sn_type_of(sn_result(reduce, 0))));
  }
  sn_op(&in, "sinter.yield", sn_values((intptr_t)results.size, results.data), sn_types(0, NULL));
  sn_vec_free(&results);
  sn_map_free(&map);
  return to;
}

// All pieces, and what the form makes of its reductions.
static MlirOperation together(SnBuilder *b, const Long *l, const SnForm *parts) {
  const SnForm *f = &l->f;
  SnForm to = {.num_rows = f->num_rows, .num_cols = 1};
  intptr_t n = (intptr_t)f->dims.size;
  MlirAffineExpr dims[SN_MAX_DIMS], at[SN_MAX_DIMS];
  for (intptr_t d = 0; d < n; ++d) {
    dims[d] = at[(d + 1) % n] = dim(f, d); // rows behind pieces, which are columns
    sn_push(&to.dims, d == column(f) ? parts->dims.data[0] : f->dims.data[d]);
  }
  for (size_t r = 0; r < l->reduces.size; ++r)
    sn_push(&to.inputs,
            ((SnAccess){.value = sn_result(parts->op, (intptr_t)r), .map = mlirAffineMapGet(b->ctx, n, 0, n, at)}));
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (!sn_uses_cols(f, f->inputs.data[k].map))
      sn_push(&to.inputs, f->inputs.data[k]);
  for (size_t k = 0; k < f->outputs.size; ++k)
    sn_push(&to.outputs, f->outputs.data[k]);
  MlirOperation made = sn_form_create(b, &to, false);
  SnBuilder in = sn_at_end(to.body, b->loc);
  SnMap map = {0};
  SnValueVec results = {0};
  for (size_t k = 0, place = l->reduces.size; k < f->inputs.size; ++k)
    if (!sn_uses_cols(f, f->inputs.data[k].map))
      sn_map(&map, sn_input_argument(f, k), sn_input_argument(&to, place++));
  for (size_t r = 0; r < l->reduces.size; ++r) {
    MlirValue was = sn_result(l->reduces.data[r], 0);
    sn_map(&map, was,
           sn_row_reduce(&in, combiner_of(l->reduces.data[r])->kind, sn_input_argument(&to, r), sn_type_of(was)));
  }
  MlirOperation end = mlirBlockGetTerminator(f->body);
  for (intptr_t k = 0; k < sn_num_operands(end); ++k)
    sn_push(&results, sn_move_value(&in, f, sn_operand(end, k), dims, &to, &map));
  sn_op(&in, "sinter.yield", sn_values((intptr_t)results.size, results.data), sn_types(0, NULL));
  sn_vec_free(&results);
  sn_map_free(&map);
  sn_form_free(&to);
  return made;
}

// Few rows in all, of a length that is worth cutting.
static MlirValue is_long(SnBuilder *b, const SnForm *f, MlirValue length) {
  MlirValue rows = sn_index(b, 1);
  for (intptr_t d = 0; d < (intptr_t)f->num_rows; ++d)
    rows = sn(b, "arith.muli", rows, sn_size_value(b, f, d));
  MlirValue few = sn(b, "arith.cmpi", rows, sn_index(b, MOST_COLUMNS),
                     sn_attr("predicate", sn_i64(b->ctx, UNSIGNED_AT_MOST))),
            many = sn(b, "arith.cmpi", length, sn_index(b, LEAST_ROWS),
                      sn_attr("predicate", sn_i64(b->ctx, UNSIGNED_AT_LEAST)));
  return sn(b, "arith.andi", few, many);
}

static SnValues results_of(MlirOperation op, MlirValue *to) {
  for (intptr_t k = 0; k < sn_num_results(op); ++k)
    to[k] = sn_result(op, k);
  return sn_values(sn_num_results(op), to);
}

static void cut(MlirOperation op, int depth) {
  Long l = {.f = sn_form_read(op)};
  if (depth && fits(&l)) {
    intptr_t n = sn_num_results(op);
    MlirType *types = sn_alloc((size_t)n * sizeof *types);
    MlirValue *values = sn_alloc((size_t)n * sizeof *values);
    for (intptr_t k = 0; k < n; ++k)
      types[k] = sn_type_of(sn_result(op, k));
    SnBuilder b = sn_before(op);
    MlirValue length = sn_size_value(&b, &l.f, column(&l.f));
    SnIf which = sn_if_types(&b, is_long(&b, &l.f, length), sn_types(n, types));
    MlirValue count = sn(&b, "arith.ceildivui", length, sn_index(&b, PIECE)),
              number = sn(&b, "arith.index_cast", length, mlirIntegerTypeGet(b.ctx, 64)),
              end = sn(&b, "tensor.from_elements", number, sn_tensor(sn_type_of(number), 0, NULL));
    SnForm parts = pieces(&b, &l, count, end);
    MlirOperation all = together(&b, &l, &parts);
    sn_else_values(&b, &which, results_of(all, values));
    SnMap none = {0};
    MlirOperation whole = sn_clone(&b, op, &none);
    sn_end_if_values(&b, &which, results_of(whole, values));
    for (intptr_t k = 0; k < n; ++k)
      mlirValueReplaceAllUsesOfWith(sn_result(op, k), sn_result(which.op, k));
    sn_map_free(&none);
    mlirOperationDestroy(op);
    (void)sn_tidy(parts.op);
    cut(sn_tidy(all), depth - 1);
    sn_form_free(&parts);
    free(types);
    free(values);
  }
  sn_vec_free(&l.reduces);
  sn_form_free(&l.f);
}

static MlirLogicalResult function(MlirOperation func, void *user) {
  (void)user;
  SnOpVec forms = sn_collect(func, "sinter.rowwise");
  for (size_t k = 0; k < forms.size; ++k)
    cut(forms.data[k], MOST_CUTS);
  sn_vec_free(&forms);
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation op) {
  (void)run;
  return sn_each_function(op, function, NULL);
}

MlirDialectHandle mlirGetDialectHandle__tensor__(void);
MlirDialectHandle mlirGetDialectHandle__scf__(void);
MlirDialectHandle mlirGetDialectHandle__arith__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tensor__, mlirGetDialectHandle__scf__,
                                                      mlirGetDialectHandle__arith__, NULL};

const SnPass sn_pass_long_columns = {
    .argument = "sinter-long-columns",
    .summary = "few columns that are reduced along a length `?` are cut in pieces, where there are few at launch",
    .dialects = dialects,
    .run = run,
};
