// transposed_convolutions.c: a convolution over an image with zeros between its elements multiplies no zeros.
//
//   %s[i, m, k] = k is even ? %x[i, m, k floordiv 2] : 0                                      (sinter.rowwise)
//   %y = contract (i, j) by (k = 16) product (m, n = 4) (%w[m, j, n], %s[i, m, k + n - 2] else 0)
// ->
//   %p = contract (i, p = 2, j) by (k = 8) product (m, n = 2) (%w[m, j, n * 2 + p], %x[i, m, k + n + p - 1] else 0)
//       outs(%t[i, j, k, p])
//   %y = collapse_shape %p [[0], [1], [2, 3]]
//
// So exporters write a transposed convolution with a stride, and so is the gradient of a convolution with one. Of a
// place k * 2 + p every second tap meets an element, which ones p says: they are the same for all places of one phase
// p, so a phase is a convolution by a part of the weights. All are one product: where phases read the image alike, they
// are rows or columns of the weights' side, else rows of both. A number of taps that the stride does not divide leaves
// some phases a tap of zeros; a number of places that it does not divide one more place, which is cut off behind.
//
// runs in: sinter-cpu    test: test/passes/arrange/transposed_convolutions.mlir, test/run/transposed_convolutions.test

#include "passes/arrange/transposed.h"
#include "passes/merge/merge.h"
#include <stddef.h>

typedef struct {
  SnTransposed *c;
  SnForm to, names;                  // names: has all dimensions of both
  MlirAffineExpr dims[SN_MAX_DIMS];  // of c->f, over those of `to`
  intptr_t own[SN_MAX_DIMS];         // of `to`: the dimension without its phase; -1 if it is 0 and gone
  intptr_t phase[SN_MAX_DIMS];       // of `to`: the phase of such a place
} Made;

static MlirAffineExpr number(const Made *m, int64_t n) {
  return mlirAffineConstantExprGet(mlirOperationGetContext(m->c->f.op), n);
}
static MlirAffineExpr dim(const Made *m, intptr_t d) {
  return mlirAffineDimExprGet(mlirOperationGetContext(m->c->f.op), d);
}
static MlirAffineExpr sum(const Made *m, MlirAffineExpr e, intptr_t d, int64_t factor) {
  return d < 0 ? e : mlirAffineAddExprGet(e, mlirAffineMulExprGet(dim(m, d), number(m, factor)));
}

static void push_own(Made *m, intptr_t d, bool alone) {
  const SnTransposed *c = m->c;
  SnDim own = c->f.dims.data[d];
  if (c->step[d])
    own.size = sn_pieces(own.size, c->step[d]);
  if (c->tap[d])
    own.size = c->tap[d]->taps;
  m->own[d] = -1;
  if (c->tap[d] && own.size == 1 && !alone)
    return;
  m->own[d] = (intptr_t)m->to.dims.size;
  sn_push(&m->to.dims, own);
}

// The phases by which images are read alike, or all others.
static int64_t push_phases(Made *m, bool alike) {
  const SnTransposed *c = m->c;
  int64_t n = 0;
  for (intptr_t d = 0; d < c->f.num_rows + c->f.num_cols; ++d) {
    if (!c->step[d] || alike == c->apart[d])
      continue;
    m->phase[d] = (intptr_t)m->to.dims.size;
    SnDim phase = {sn_fresh_name(mlirOperationGetContext(c->f.op), &m->names, "p"), c->step[d]};
    sn_push(&m->names.dims, phase);
    sn_push(&m->to.dims, phase);
    ++n;
  }
  return n;
}

// A tap for each phase is no dimension, as long as something else is summed.
static void push_product(Made *m, size_t k) {
  const SnForm *f = &m->c->f;
  SnProduct product = f->products.data[k];
  int64_t first = sn_first_own(f, k), size = (int64_t)m->to.dims.size;
  bool alone = true;
  for (int64_t d = first; d < first + product.num_dims; ++d)
    alone &= m->c->tap[d] != NULL;
  for (int64_t d = first; d < first + product.num_dims; ++d)
    push_own(m, d, alone);
  product.num_dims = (int64_t)m->to.dims.size - size;
  sn_push(&m->to.products, product);
}

static void set_dims(Made *m) {
  const SnTransposed *c = m->c;
  for (intptr_t d = 0; d < (intptr_t)c->f.dims.size; ++d) {
    const SnPhases *p = c->tap[d];
    if (p) {
      m->dims[d] = sum(m, number(m, p->first), m->own[d], p->step);
      m->dims[d] = sum(m, m->dims[d], m->phase[p->place], p->turn);
    } else if (c->step[d]) {
      m->dims[d] = sum(m, number(m, 0), m->own[d], c->step[d]);
      m->dims[d] = sum(m, m->dims[d], m->phase[d], 1);
    } else {
      m->dims[d] = dim(m, m->own[d]);
    }
  }
}

// Rows that only the side without columns has come last, as they stood: phases of both sides in front of them.
static void lay_out(Made *m) {
  const SnForm *f = &m->c->f;
  const SnZerosProduct *w = m->c->windows;
  bool weights_columns = sn_uses_cols(f, sn_weights_of(m->c, w)->map);
  MlirAffineMap columns = weights_columns ? sn_weights_of(m->c, w)->map : sn_image_of(m->c, w)->map;
  intptr_t first = 0;
  for (size_t d = 0; d < f->dims.size; ++d)
    sn_push(&m->names.dims, f->dims.data[d]);
  while (first < f->num_rows && sn_map_uses(columns, first))
    push_own(m, first++, true);
  m->to.num_rows = f->num_rows + push_phases(m, false);
  for (intptr_t d = first; d < f->num_rows; ++d)
    push_own(m, d, true);
  int64_t alike = push_phases(m, true);
  m->to.num_rows += weights_columns ? 0 : alike;
  m->to.num_cols = f->num_cols + (weights_columns ? alike : 0);
  for (intptr_t d = f->num_rows; d < f->num_rows + f->num_cols; ++d)
    push_own(m, d, true);
  for (size_t k = 0; k < f->products.size; ++k)
    push_product(m, k);
  set_dims(m);
}

// What is never outside is read without bounds.
static SnAccess bounded(const Made *m, SnAccess a) {
  MlirType t = sn_type_of(a.value), e = sn_element(t);
  int64_t sizes[SN_MAX_DIMS], low, high;
  bool inside = true;
  for (size_t d = 0; d < m->to.dims.size; ++d)
    sizes[d] = m->to.dims.data[d].size;
  a.map = sn_map_simplify(a.map, sizes);
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(a.map); ++i) {
    MlirAffineExpr at = mlirAffineMapGetResult(a.map, i);
    bool is_size = !a.fill.ptr && sn_dim(t, i) == SN_DYNAMIC && sn_map_dim(a.map, i) >= 0;
    inside &= is_size || (sn_affine_range(at, sizes, &low, &high) && low >= 0 && high < sn_dim(t, i));
  }
  MlirAttribute zero = sn_is_float(e) ? mlirFloatAttrDoubleGet(mlirTypeGetContext(e), e, 0) : mlirIntegerAttrGet(e, 0);
  a.fill = inside ? mlirAttributeGetNull() : zero;
  return a;
}

// The image's elements in place of the image with zeros.
static SnAccess elements(const Made *m, const SnZerosProduct *w) {
  const SnSpaced *s = &w->spaced;
  SnAccess a = *sn_image_of(m->c, w);
  MlirAffineMap moved = sn_map_replace(a.map, (intptr_t)m->to.dims.size, m->dims);
  intptr_t rank = mlirAffineMapGetNumResults(moved);
  MlirAffineExpr at[SN_MAX_DIMS];
  for (intptr_t i = 0; i < rank; ++i) {
    const SnPhases *p = &w->phases[i];
    MlirAffineExpr e = mlirAffineAddExprGet(mlirAffineMapGetResult(moved, i), number(m, -s->first[i]));
    if (s->step[i] > 1) {
      e = sum(m, dim(m, m->own[p->place]), m->own[p->tap], p->factor);
      e = mlirAffineAddExprGet(sum(m, e, m->phase[p->place], p->shift), number(m, p->offset));
    }
    at[s->from[i]] = e;
  }
  a.value = s->value;
  a.map = mlirAffineMapGet(mlirOperationGetContext(m->c->f.op), (intptr_t)m->to.dims.size, 0, rank, at);
  return bounded(m, a);
}

// The value of phases, without places that are more than the type has.
static MlirValue without_more(SnBuilder *b, MlirValue phases, MlirType t, MlirAttribute groups) {
  MlirType from = sn_type_of(phases);
  int64_t shape[SN_MAX_DIMS], whole[SN_MAX_DIMS], n = 0, rank = sn_rank(t);
  for (intptr_t i = 0; i < rank; ++i) {
    shape[i] = sn_dim(t, i);
    whole[i] = sn_dim(from, n++);
    if (mlirArrayAttrGetNumElements(mlirArrayAttrGetElement(groups, i)) > 1)
      whole[i] = sn_times(whole[i], sn_dim(from, n++));
  }
  MlirType as = sn_tensor(sn_element(t), rank, whole);
  MlirValue v = sn(b, "tensor.collapse_shape", phases, as, sn_attr("reassociation", groups));
  MlirAffineMap all = mlirAffineMapMultiDimIdentityGet(b->ctx, rank);
  return mlirTypeEqual(as, t) ? v : sn_copy_form(b, (SnAccess){.value = v, .map = all}, rank, shape, all);
}

// The destination with a place and its phase for a place; `groups` says which of its dimensions are which.
static SnAccess destination(SnBuilder *b, const Made *m, SnAccess a, MlirAttribute *groups) {
  MlirAffineExpr at[SN_MAX_DIMS];
  MlirAttribute lists[SN_MAX_DIMS];
  int64_t shape[SN_MAX_DIMS];
  MlirValue sizes[SN_MAX_DIMS];
  intptr_t n = 0, open = 0, rank = mlirAffineMapGetNumResults(a.map);
  for (intptr_t i = 0; i < rank; ++i) {
    intptr_t d = sn_map_dim(a.map, i);
    bool place = m->c->step[d] != 0;
    MlirAttribute places[] = {sn_i64(b->ctx, n), sn_i64(b->ctx, n + 1)};
    lists[i] = mlirArrayAttrGet(b->ctx, place ? 2 : 1, places);
    shape[n] = m->to.dims.data[m->own[d]].size;
    if (shape[n] == SN_DYNAMIC)
      sizes[open++] = sn(b, "tensor.dim", a.value, sn_index(b, i));
    at[n++] = dim(m, m->own[d]);
    if (place) {
      shape[n] = m->c->step[d];
      at[n++] = dim(m, m->phase[d]);
    }
  }
  *groups = mlirArrayAttrGet(b->ctx, rank, lists);
  MlirType t = sn_tensor(sn_element(sn_type_of(a.value)), n, shape);
  return (SnAccess){.value = sn(b, "tensor.empty", t, sn_values(open, sizes)),
                    .map = mlirAffineMapGet(b->ctx, (intptr_t)m->to.dims.size, 0, n, at)};
}

static void make_body(SnBuilder *b, Made *m) {
  const SnForm *f = &m->c->f;
  SnMap map = {0};
  SnValueVec results = {0};
  MlirOperation yield = mlirBlockGetTerminator(f->body);
  for (size_t k = 0; k < f->products.size; ++k)
    sn_map(&map, sn_product_argument(f, k), sn_product_argument(&m->to, k));
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    sn_map(&map, sn_input_argument(f, k), sn_input_argument(&m->to, k));
  for (intptr_t k = 0; k < sn_num_operands(yield); ++k) {
    MlirValue v = sn_move_value(b, f, sn_operand(yield, k), m->dims, &m->to, &map);
    sn_push(&results, sn_as_row(b, v, sn_row_type(&m->to, sn_element(sn_type_of(sn_operand(yield, k))))));
  }
  sn_op(b, "sinter.yield", sn_values((intptr_t)results.size, results.data), sn_types(0, NULL));
  sn_map_free(&map);
  sn_vec_free(&results);
}

static SnAccess input(const Made *m, size_t k) {
  const SnForm *f = &m->c->f;
  const SnZerosProduct *w = &m->c->windows[k / 2];
  SnAccess a = f->inputs.data[k];
  if (k < sn_first_input(f) && k == w->image)
    return elements(m, w);
  a.map = sn_map_replace(a.map, (intptr_t)m->to.dims.size, m->dims);
  return k < sn_first_input(f) || (m->c->more && !a.fill.ptr) ? bounded(m, a) : a;
}

static void rewrite(SnTransposed *c) {
  const SnForm *f = &c->f;
  SnBuilder b = sn_before(f->op);
  Made m = {.c = c, .to = {.contract = true}};
  lay_out(&m);
  for (size_t k = 0; k < f->inputs.size; ++k)
    sn_push(&m.to.inputs, input(&m, k));
  MlirAttribute *groups = sn_alloc(f->outputs.size * sizeof *groups);
  for (size_t k = 0; k < f->outputs.size; ++k)
    sn_push(&m.to.outputs, destination(&b, &m, f->outputs.data[k], &groups[k]));
  MlirOperation made = sn_form_create(&b, &m.to, false);
  SnBuilder in = sn_at_end(m.to.body, b.loc);
  make_body(&in, &m);
  for (intptr_t k = 0; k < sn_num_results(f->op); ++k) {
    MlirValue whole = without_more(&b, sn_result(made, k), sn_type_of(sn_result(f->op, k)), groups[k]);
    mlirValueReplaceAllUsesOfWith(sn_result(f->op, k), whole);
  }
  SnOpVec zeros = {0};
  for (size_t k = 0; k < f->products.size; ++k) {
    MlirOperation op = sn_definer(sn_image_of(c, &c->windows[k])->value);
    bool seen = false;
    for (size_t i = 0; i < zeros.size; ++i)
      seen |= mlirOperationEqual(op, zeros.data[i]);
    if (!seen)
      sn_push(&zeros, op);
  }
  mlirOperationDestroy(f->op);
  for (size_t i = 0; i < zeros.size; ++i)
    if (sn_unused(zeros.data[i]))
      mlirOperationDestroy(zeros.data[i]);
  sn_vec_free(&zeros);
  free(groups);
  sn_form_free(&m.names);
  sn_form_free(&m.to);
}

static MlirLogicalResult function(MlirOperation func, void *user) {
  (void)user;
  SnOpVec forms = sn_collect(func, "sinter.contract");
  for (size_t k = 0; k < forms.size; ++k) {
    SnTransposed c = {.f = sn_form_read(forms.data[k])};
    c.windows = sn_alloc((c.f.products.size + 1) * sizeof *c.windows);
    if (sn_read_transposed(&c))
      rewrite(&c);
    free(c.windows);
    sn_form_free(&c.f);
  }
  sn_vec_free(&forms);
  return SN_OK;
}

typedef struct {
  bool remarks;
} Options;

static MlirLogicalResult run(const SnRun *run, MlirOperation op) {
  const Options *options = run->options;
  sn_show_refusals(options->remarks);
  MlirLogicalResult result = sn_each_function(op, function, NULL);
  sn_show_refusals(false);
  return result;
}

static const SnOption options[] = {
    {SN_OPTION_BOOL, "remarks", "say at each product by zeros why it stays one", "false", NULL,
     offsetof(Options, remarks)},
    {0},
};

MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tensor__, NULL};

const SnPass sn_pass_transposed_convolutions = {
    .argument = "sinter-transposed-convolutions",
    .summary = "products by an image with zeros between its elements -> one product for each phase of the places",
    .options = options,
    .options_size = sizeof(Options),
    .dialects = dialects,
    .run = run,
};
