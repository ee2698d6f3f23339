// cut.c: a form that sorts or scans its rows becomes forms around tensors that are sorted or scanned.
//
//   %l = sinter.rowwise (i) by (j) ... {          %v = sinter.rowwise (i) by (j) ... { ...what is before the sort... }
//     %v = ...                                ->  %s, %p = tm_tensor.sort dimension(1) outs(%v, %w)
//     %s, %p = sinter.row_sort %v, %w             %l = sinter.rowwise (i) by (j) ins(%s[i, j], %p[i, j]) ... {
//     ...                                           ...what is behind it...
//   }                                             }
//
// A piece computes what it needs again from the form's inputs, element by element; what a row is reduced to, or sorted
// or scanned, is stored once. sinter.row_fold is a row_reduce of a form whose other columns are rows. Gradients are
// those of the pieces and of tm_tensor's operations, and what can be one kernel again sinter-fuse makes one.
//
// runs in: sinter-expand    test: test/passes/expand/cut.mlir

#include "dialect/attributes.h"
#include "dialect/row_ops.h"
#include "passes/edit/edit.h"
#include "passes/expand/expand.h"
#include <assert.h>

// A value of the body that lies in memory, by an access over the form's dimensions.
typedef struct {
  MlirValue value;
  SnAccess at;
} Stored;

typedef struct {
  SnForm f;    // the form that is cut
  SnBuilder b; // in front of it
  SN_VEC(Stored) stored;
  SnTable number; // of a value: its place among `stored`
} Cut;

static const Stored *stored(const Cut *c, MlirValue v) {
  uintptr_t k;
  return sn_table_get(&c->number, v.ptr, &k) ? &c->stored.data[k] : NULL;
}

static void lies_at(Cut *c, MlirValue v, SnAccess at) {
  sn_table_put(&c->number, v.ptr, c->stored.size);
  sn_push(&c->stored, ((Stored){v, at}));
}

// ---- a piece: some values of the body, computed by a form of their own --------------------------------

typedef struct {
  SnForm to;
  int64_t along;                    // the form's dimension that is the only column here; -1: the form's columns
  MlirAffineExpr dims[SN_MAX_DIMS]; // where each dimension of the form is
  SnValueVec leaves;                // what is read from memory
  SnOpVec ops;                      // what is computed, in an order that can be
  SnTable seen;                     // values, and operations of `ops`
  SnMap map;
} Piece;

static void push_dim(const Cut *c, Piece *p, int64_t d) {
  p->dims[d] = mlirAffineDimExprGet(c->b.ctx, (intptr_t)p->to.dims.size);
  sn_push(&p->to.dims, c->f.dims.data[d]);
}

static Piece begin(const Cut *c, int64_t along) {
  Piece p = {.along = along};
  int64_t all = (int64_t)c->f.dims.size;
  p.to.num_cols = along < 0 ? c->f.num_cols : 1;
  p.to.num_rows = all - p.to.num_cols;
  for (int64_t d = 0; d < all; ++d)
    if (d != along)
      push_dim(c, &p, d);
  if (along >= 0)
    push_dim(c, &p, along);
  return p;
}

static void end(Piece *p) {
  sn_form_free(&p->to);
  sn_vec_free(&p->leaves);
  sn_vec_free(&p->ops);
  sn_table_free(&p->seen);
  sn_map_free(&p->map);
}

static void need(const Cut *c, Piece *p, MlirValue v);

static void need_op(const Cut *c, Piece *p, MlirOperation op) {
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    need(c, p, sn_operand(op, k));
  sn_table_put(&p->seen, op.ptr, 1);
  sn_push(&p->ops, op);
}

static void need(const Cut *c, Piece *p, MlirValue v) {
  if (sn_table_has(&p->seen, v.ptr))
    return;
  sn_table_put(&p->seen, v.ptr, 1);
  if (mlirValueIsABlockArgument(v) || stored(c, v))
    sn_push(&p->leaves, v);
  else
    need_op(c, p, sn_definer(v));
}

static SnAccess moved(const Cut *c, Piece *p, SnAccess a) {
  size_t first = p->to.indices.size;
  intptr_t n = (intptr_t)p->to.dims.size;
  a = sn_with_own_indices(&c->f, a, &p->to);
  for (size_t k = first; k < p->to.indices.size; ++k)
    p->to.indices.data[k].map = sn_map_replace(p->to.indices.data[k].map, n, p->dims);
  a.map = sn_map_replace(a.map, n, p->dims);
  return a;
}

static SnAccess access_of(const Cut *c, MlirValue leaf) {
  const Stored *s = stored(c, leaf);
  return s ? s->at : c->f.inputs.data[mlirBlockArgumentGetArgNumber(leaf)];
}

// A new tensor over these dimensions of the form.
static SnAccess place(Cut *c, MlirType element, const int64_t *dims, intptr_t n) {
  MlirAffineExpr at[SN_MAX_DIMS];
  for (intptr_t k = 0; k < n; ++k)
    at[k] = mlirAffineDimExprGet(c->b.ctx, (intptr_t)dims[k]);
  MlirAffineMap map = mlirAffineMapGet(c->b.ctx, (intptr_t)c->f.dims.size, 0, n, at);
  return (SnAccess){.value = sn_empty_at(&c->b, &c->f, map, element), .map = map};
}

// Over all dimensions, those of rows alone, or all but one.
static SnAccess place_of(Cut *c, MlirType element, bool columns, int64_t but) {
  int64_t dims[SN_MAX_DIMS];
  intptr_t n = 0;
  for (int64_t d = 0; d < c->f.num_rows + (columns ? c->f.num_cols : 0); ++d)
    if (d != but)
      dims[n++] = d;
  return place(c, element, dims, n);
}

static MlirType row_of(const Piece *p, MlirValue like) { return sn_row_type(&p->to, sn_element(sn_type_of(like))); }

// The operation where rows are along one column, and all that used others is one number for each row.
static void copy_along(Piece *p, SnBuilder *in, MlirOperation op) {
  MlirValue was = sn_result(op, 0), is;
  MlirAttribute constant = sn_constant_of(was);
  if (sn_row_op_of(op)->names_dim) {
    int64_t d = 0;
    while (!sn_row_op_names(op, p->to.dims.data[d].name))
      ++d;
    is = sn_position(in, &p->to, d);
    is = sn_is_row(was) ? sn_as_row(in, is, row_of(p, was)) : is;
  } else if (constant.ptr && sn_is_row(was)) {
    is = sn_splat(in, row_of(p, was), constant);
  } else {
    SnValueVec operands = {0};
    for (intptr_t k = 0; k < sn_num_operands(op); ++k)
      sn_push(&operands, sn_mapped(&p->map, sn_operand(op, k)));
    MlirType t = sn_is_row(was) ? row_of(p, was) : sn_type_of(was);
    is = sn_result(sn_clone_as(in, op, sn_values((intptr_t)operands.size, operands.data), sn_types(1, &t)), 0);
    sn_vec_free(&operands);
  }
  sn_map(&p->map, was, is);
}

// An operand says how large each dimension `?` is, where the program itself needs none.
static void keep_sizes(const Cut *c, Piece *p) {
  for (int64_t d = 0; d < (int64_t)c->f.dims.size; ++d) {
    bool known = c->f.dims.data[d].size != SN_DYNAMIC;
    for (size_t k = 0; k < p->leaves.size && !known; ++k) {
      SnAccess a = access_of(c, p->leaves.data[k]);
      known = sn_gives_size(&a, d);
    }
    for (size_t k = 0; k < p->to.outputs.size && !known; ++k) {
      intptr_t at = mlirAffineDimExprGetPosition(p->dims[d]);
      known = sn_gives_size(&p->to.outputs.data[k], at);
    }
    for (size_t k = 0; k < c->f.inputs.size && !known; ++k)
      if ((known = sn_gives_size(&c->f.inputs.data[k], d)))
        need(c, p, sn_input_argument(&c->f, k));
  }
}

// The form with what is read and computed; the builder stands behind that.
static SnBuilder make(Cut *c, Piece *p, bool finish) {
  keep_sizes(c, p);
  for (size_t k = 0; k < p->leaves.size; ++k)
    sn_push(&p->to.inputs, moved(c, p, access_of(c, p->leaves.data[k])));
  sn_form_create(&c->b, &p->to, finish);
  SnBuilder in = sn_at_end(p->to.body, c->b.loc);
  for (size_t k = 0; k < p->leaves.size; ++k) {
    MlirValue was = p->leaves.data[k], is = sn_input_argument(&p->to, k);
    sn_map(&p->map, was, sn_is_row(was) ? sn_as_row(&in, is, row_of(p, was)) : is);
  }
  for (size_t k = 0; k < p->ops.size; ++k)
    if (p->along < 0)
      sn_clone(&in, p->ops.data[k], &p->map);
    else
      copy_along(p, &in, p->ops.data[k]);
  return in;
}

// ---- what is stored -------------------------------------------------------------------------------------

static bool reads_whole_row(MlirOperation op) {
  return sn_row_op_has(op, SN_READS_ALL) || sn_row_op_has(op, SN_READS_ONE);
}

// Somebody else than this piece computes with it.
static bool is_used_outside(const Piece *p, MlirValue v) {
  for (MlirOpOperand use = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (!sn_table_has(&p->seen, mlirOpOperandGetOwner(use).ptr))
      return true;
  return false;
}

static MlirValue store(Cut *c, MlirValue v);

// What rows are reduced to in the piece, and is computed with elsewhere too, itself or by what would be computed again;
// with `all`, whoever computes with it. The last of them is first.
static SnValueVec reduced(const Piece *p, MlirValue v, bool all) {
  SnValueVec found = {0};
  SnTable wanted = {0};
  for (size_t k = p->ops.size; k-- > 0;) {
    MlirOperation op = p->ops.data[k];
    MlirValue r = sn_result(op, 0);
    bool reduces = reads_whole_row(op), is = !sn_same(r, v) && (is_used_outside(p, r) || sn_table_has(&wanted, r.ptr));
    if (reduces && !sn_same(r, v) && (is || all))
      sn_push(&found, r);
    for (intptr_t i = 0; i < sn_num_operands(op) && is && !reduces; ++i)
      sn_table_put(&wanted, sn_operand(op, i).ptr, 1);
  }
  sn_table_free(&wanted);
  return found;
}

static MlirValue store(Cut *c, MlirValue v);

// The value, with what of it has to be stored before.
static Piece piece_of(Cut *c, MlirValue v, int64_t along) {
  Piece p = begin(c, along);
  need(c, &p, v);
  SnValueVec first = reduced(&p, v, along >= 0); // a reduction is of whole rows, which are none along one column
  for (size_t k = first.size; k-- > 0;)
    if (!stored(c, first.data[k]))
      store(c, first.data[k]);
  if (first.size) {
    end(&p);
    p = begin(c, along);
    need(c, &p, v);
  }
  sn_vec_free(&first);
  return p;
}

// A form of its own for each value: a gradient goes through a form as a whole, and labels have none.
static MlirValue store(Cut *c, MlirValue v) {
  Piece p = piece_of(c, v, -1);
  SnAccess at = place_of(c, sn_element(sn_type_of(v)), sn_is_row(v), -1);
  sn_push(&p.to.outputs, at);
  SnBuilder in = make(c, &p, false);
  sn_op(&in, "sinter.yield", sn_mapped(&p.map, v), sn_types(0, NULL));
  at.value = sn_result(p.to.op, 0);
  if (!stored(c, v)) // what a fold gives lacks a dimension where it lies, and goes on doing so
    lies_at(c, v, at);
  end(&p);
  return at.value;
}

// The row as a tensor over the form's dimensions in order.
static MlirValue tensor_of(Cut *c, MlirValue row) {
  MlirAffineMap all = mlirAffineMapMultiDimIdentityGet(c->b.ctx, (intptr_t)c->f.dims.size);
  if (mlirValueIsABlockArgument(row) || stored(c, row)) {
    SnAccess a = access_of(c, row);
    if (mlirAffineMapEqual(a.map, all) && !a.fill.ptr && !a.through.ptr)
      return a.value;
  }
  return store(c, row);
}

// ---- along one column ---------------------------------------------------------------------------------

static int64_t dimension(const Cut *c, MlirOperation op) {
  int64_t d = c->f.num_rows;
  if (sn_get_attr(op, "dim").ptr)
    while (!sn_row_op_names(op, c->f.dims.data[d].name))
      ++d;
  return d;
}

static void fold(Cut *c, MlirOperation op) {
  MlirValue x = sn_operand(op, 0);
  MlirType element = sn_element(sn_type_of(x));
  int64_t d = dimension(c, op);
  Piece p = piece_of(c, x, d);
  SnAccess to = place_of(c, element, true, d);
  sn_push(&p.to.outputs, moved(c, &p, to));
  SnBuilder in = make(c, &p, false);
  MlirStringRef kind = mlirStringAttrGetValue(sn_get_attr(op, "kind"));
  MlirValue y = sn_row_reduce(&in, sn_combiner(kind)->kind, sn_mapped(&p.map, x), element);
  sn_op(&in, "sinter.yield", y, sn_types(0, NULL));
  sn_erase_dead(p.to.body); // numbers whose rows are constants of another length here
  to.value = sn_result(p.to.op, 0);
  lies_at(c, sn_result(op, 0), to);
  end(&p);
}

// A block on these, twice each or once, and a builder in it.
static MlirRegion region(SnBuilder *b, const SnValueVec *tensors, intptr_t each, SnBuilder *in) {
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  for (size_t k = 0; k < tensors->size; ++k)
    for (intptr_t i = 0; i < each; ++i)
      mlirBlockAddArgument(block, sn_element(sn_type_of(tensors->data[k])), b->loc);
  MlirRegion made = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(made, block);
  *in = sn_at_end(block, b->loc);
  return made;
}

// Whether p is before q; NaN is behind all numbers, or in front of them.
static MlirValue before(SnBuilder *b, MlirValue p, MlirValue q, bool descending) {
  enum { SLT = 2, SGT = 4, OGT = 2, OLT = 4, ORD = 7, UNO = 14 };
  if (!sn_is_float(sn_type_of(p)))
    return sn(b, "arith.cmpi", p, q, sn_attr("predicate", sn_i64(b->ctx, descending ? SGT : SLT)));
  MlirValue less = sn(b, "arith.cmpf", p, q, sn_attr("predicate", sn_i64(b->ctx, descending ? OGT : OLT)));
  MlirValue large = descending ? p : q, small = descending ? q : p;
  MlirValue nan = sn(b, "arith.cmpf", large, large, sn_attr("predicate", sn_i64(b->ctx, UNO)));
  MlirValue number = sn(b, "arith.cmpf", small, small, sn_attr("predicate", sn_i64(b->ctx, ORD)));
  return sn(b, "arith.ori", less, sn(b, "arith.andi", nan, number));
}

static void sort(Cut *c, MlirOperation op) {
  SnBuilder *b = &c->b, in;
  SnValueVec tensors = {0};
  SN_VEC(MlirType) types = {0};
  for (intptr_t k = 0; k < sn_num_operands(op); ++k) {
    sn_push(&tensors, tensor_of(c, sn_operand(op, k)));
    sn_push(&types, sn_type_of(tensors.data[k]));
  }
  intptr_t n = (intptr_t)tensors.size;
  MlirRegion by = region(b, &tensors, 2, &in);
  MlirValue first = before(&in, mlirBlockGetArgument(in.block, 0), mlirBlockGetArgument(in.block, 1),
                           sn_get_attr(op, "descending").ptr);
  sn_op(&in, "tm_tensor.yield", first, sn_types(0, NULL));
  MlirOperation made =
      sn_op(b, "tm_tensor.sort", sn_values(n, tensors.data), sn_types(n, types.data), by,
            sn_attr("dimension", sn_i64(b->ctx, dimension(c, op))),
            sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 2, (int32_t[]){0, (int32_t)n})));
  for (intptr_t k = 0; k < n; ++k)
    lies_at(c, sn_result(op, k),
            (SnAccess){.value = sn_result(made, k),
                       .map = mlirAffineMapMultiDimIdentityGet(b->ctx, (intptr_t)c->f.dims.size)});
  sn_vec_free(&tensors);
  sn_vec_free(&types);
}

// A tensor of one number over all dimensions but one: what an exclusive scan begins with.
static MlirValue filled(Cut *c, MlirType element, MlirAttribute number, int64_t but) {
  SnForm f = {0};
  SnAccess to = place_of(c, element, true, but);
  intptr_t n = (intptr_t)c->f.dims.size - 1;
  for (int64_t d = 0; d <= n; ++d)
    if (d != but)
      sn_push(&f.dims, c->f.dims.data[d]);
  f.num_rows = n;
  to.map = mlirAffineMapMultiDimIdentityGet(c->b.ctx, n);
  sn_push(&f.outputs, to);
  sn_form_create(&c->b, &f, false);
  SnBuilder in = sn_at_end(f.body, c->b.loc);
  sn_op(&in, "sinter.yield", sn_constant(&in, number), sn_types(0, NULL));
  MlirValue made = sn_result(f.op, 0);
  sn_form_free(&f);
  return made;
}

// log(exp(p) + exp(q)), where neither is raised. Equal ones, infinite ones too, have no difference.
static MlirValue log_of_sum(SnBuilder *b, MlirValue p, MlirValue q) {
  MlirValue equal = sn(b, "arith.cmpf", p, q, sn_attr("predicate", sn_i64(b->ctx, 1 /* oeq */)));
  MlirValue apart = sn(b, "arith.select", equal, sn_zero(b, sn_type_of(p)), sn(b, "arith.subf", p, q));
  MlirValue less = sn(b, "math.exp", sn(b, "arith.negf", sn(b, "math.absf", apart)));
  return sn(b, "arith.addf", sn(b, "arith.maximumf", p, q), sn(b, "math.log1p", less));
}

static void scan(Cut *c, MlirOperation op) {
  SnBuilder *b = &c->b, in;
  bool log = mlirStringRefEqual(mlirStringAttrGetValue(sn_get_attr(op, "kind")), SN_STR(SN_LOG_SUM_EXP));
  // Its identity is that of a maximum.
  const SnCombiner *by =
      log ? sn_combiner(SN_STR("maximumf")) : sn_combiner(mlirStringAttrGetValue(sn_get_attr(op, "kind")));
  MlirType element = sn_element(sn_type_of(sn_operand(op, 0)));
  int64_t d = dimension(c, op);
  bool exclusive = sn_get_attr(op, "exclusive").ptr;
  SnValueVec tensors = {0};
  sn_push(&tensors, tensor_of(c, sn_operand(op, 0)));
  MlirValue to = place_of(c, element, true, -1).value;
  MlirValue init =
      exclusive ? filled(c, element, sn_combiner_identity(by, element), d) : place_of(c, element, true, d).value;
  MlirRegion combine = region(b, &tensors, 2, &in);
  MlirValue p = mlirBlockGetArgument(in.block, 0), q = mlirBlockGetArgument(in.block, 1);
  sn_op(&in, "tm_tensor.yield", log ? log_of_sum(&in, p, q) : sn_combine(&in, by, p, q), sn_types(0, NULL));
  MlirType types[] = {sn_type_of(to), sn_type_of(init)};
  bool reverse = sn_get_attr(op, "reverse").ptr;
  MlirOperation made =
      sn_op(b, "tm_tensor.scan", tensors.data[0], to, init, sn_types(2, types), combine,
            sn_attr("dimension", sn_i64(b->ctx, d)), sn_attr("inclusive", mlirBoolAttrGet(b->ctx, !exclusive)),
            sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 2, (int32_t[]){1, 2})));
  if (reverse)
    sn_set_attr(made, SN_REVERSE, sn_unit(b->ctx));
  lies_at(c, sn_result(op, 0),
          (SnAccess){.value = sn_result(made, 0),
                     .map = mlirAffineMapMultiDimIdentityGet(b->ctx, (intptr_t)c->f.dims.size)});
  sn_vec_free(&tensors);
}

// ---- the form behind all that ------------------------------------------------------------------------

// Inputs that finish has as arguments stay.
static void keep_inputs(const Cut *c, Piece *p) {
  for (size_t k = 0; k < c->f.inputs.size && c->f.finish.ptr; ++k)
    if (sn_is_uniform(&c->f, k))
      need(c, p, sn_input_argument(&c->f, k));
}

static void copy_finish(const Cut *c, Piece *p) {
  SnBuilder in = sn_at_end(p->to.finish, c->b.loc);
  SnMap map = {0};
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(c->f.finish); ++k)
    sn_map(&map, mlirBlockGetArgument(c->f.finish, k), mlirBlockGetArgument(p->to.finish, k));
  sn_copy_block(&in, c->f.finish, &map);
  sn_map_free(&map);
}

static void last(Cut *c) {
  Piece p = begin(c, -1);
  keep_inputs(c, &p);
  MlirOperation yield = mlirBlockGetTerminator(c->f.body);
  for (MlirOperation op = mlirBlockGetFirstOperation(c->f.body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (sn_is(op, "cf.assert") || mlirOperationEqual(op, yield))
      need_op(c, &p, op);
  for (size_t k = 0; k < c->f.outputs.size; ++k)
    sn_push(&p.to.outputs, c->f.outputs.data[k]);
  for (size_t k = 0; k < c->f.accumulators.size; ++k)
    sn_push(&p.to.accumulators, c->f.accumulators.data[k]);
  make(c, &p, c->f.finish.ptr);
  if (c->f.finish.ptr)
    copy_finish(c, &p);
  sn_replace_results(c->f.op, p.to.op);
  end(&p);
}

static bool has_whole_rows(MlirBlock block) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (sn_is_whole_rows(op))
      return true;
  return false;
}

void sn_cut_whole_rows(MlirOperation form) {
  Cut c = {.f = sn_form_read(form), .b = sn_before(form)};
  if (!has_whole_rows(c.f.body)) {
    sn_form_free(&c.f);
    return;
  }
  for (MlirOperation op = mlirBlockGetFirstOperation(c.f.body); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    if (!sn_is_whole_rows(op) || sn_unused(op))
      continue;
    c.b.loc = mlirOperationGetLocation(op);
    if (sn_is(op, "sinter.row_sort"))
      sort(&c, op);
    else if (sn_is(op, "sinter.row_scan"))
      scan(&c, op);
    else
      fold(&c, op);
  }
  c.b.loc = mlirOperationGetLocation(form);
  last(&c);
  mlirOperationDestroy(form);
  sn_vec_free(&c.stored);
  sn_table_free(&c.number);
  sn_form_free(&c.f);
}
