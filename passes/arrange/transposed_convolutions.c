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
// some phases a tap of zeros.
//
// runs in: sinter-cpu    test: test/passes/arrange/transposed_convolutions.mlir, test/run/transposed_convolutions.test

#include "dialect/sequence.h"
#include "passes/arrange/arrange.h"
#include "passes/merge/merge.h"
#include <stddef.h>

// One dimension of the image, of which elements are `step` apart. Place `step * q + p` of the result and tap
// `step * t + turn * p + first` meet element `q + factor * t + shift * p + offset`.
typedef struct {
  intptr_t place, tap; // dimensions of the form
  int64_t step, factor, turn, first, taps, shift, offset;
} Phases;

typedef struct {
  SnForm f;
  size_t image; // the side that has zeros
  SnSpaced spaced;
  Phases phases[SN_MAX_DIMS]; // of dimensions of the image
  Phases *of[SN_MAX_DIMS];    // of the form's dimension, as a place or a tap; null: of none
} Convolution;

static SnAccess *image_of(Convolution *c) { return &c->f.inputs.data[c->image]; }
static SnAccess *weights_of(Convolution *c) { return &c->f.inputs.data[1 - c->image]; }

static bool divides(int64_t by, int64_t n) { return n % by == 0; }

// How many taps each phase has, where tap step * t + turn * p + first is one of `taps`; *first so that t begins with 0.
static int64_t count_taps(int64_t step, int64_t turn, int64_t taps, int64_t *first) {
  int64_t least = INT64_MAX, most = INT64_MIN;
  for (int64_t p = 0; p < step; ++p)
    for (int64_t n = 0; n < taps; ++n) {
      int64_t t = n - turn * p - *first;
      if (!divides(step, t))
        continue;
      least = t / step < least ? t / step : least;
      most = t / step > most ? t / step : most;
    }
  *first += least * step;
  return most - least + 1;
}

// offset is where place 0 and tap 0 are, in front of the first element. Fewer taps are better, then phases that read
// the image alike.
static bool find_phases(Phases *p, int64_t taps, int64_t offset) {
  int64_t start = 0;
  while (start < p->step && !divides(p->step, p->factor * start + offset))
    ++start;
  p->taps = taps;
  for (int64_t turn = 1 - p->step; turn < p->step && start < p->step; ++turn) {
    int64_t first = start;
    if (!divides(p->step, 1 + p->factor * turn))
      continue;
    int64_t n = count_taps(p->step, turn, taps, &first), shift = (1 + p->factor * turn) / p->step;
    if (n > p->taps || n == taps || (n == p->taps && shift))
      continue;
    p->taps = n;
    p->turn = turn;
    p->first = first;
    p->shift = shift;
    p->offset = (p->factor * first + offset) / p->step;
  }
  return p->taps < taps;
}

// The weights have dimension d, once and all of it, forwards or backwards.
static bool takes_all_taps(const SnForm *f, const SnAccess *w, intptr_t d) {
  int64_t size = f->dims.data[d].size;
  int n = 0;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(w->map); ++i) {
    int64_t offset = 0, factors[SN_MAX_DIMS] = {0};
    MlirAffineExpr e = mlirAffineMapGetResult(w->map, i);
    if (!mlirAffineExprIsFunctionOfDim(e, d))
      continue;
    if (!sn_read_linear(e, 1, &offset, factors))
      return false;
    for (intptr_t o = 0; o < (intptr_t)f->dims.size; ++o)
      if (o != d && factors[o])
        return false;
    bool all = (factors[d] == 1 && !offset) || (factors[d] == -1 && offset == size - 1);
    if (!all || sn_dim(sn_type_of(w->value), i) != size)
      return false;
    ++n;
  }
  return n == 1;
}

static bool read_dimension(Convolution *c, intptr_t at) {
  const SnForm *f = &c->f;
  Phases *p = &c->phases[at];
  int64_t offset = 0, factors[SN_MAX_DIMS] = {0};
  *p = (Phases){.place = -1, .tap = -1, .step = c->spaced.step[at]};
  if (!sn_read_linear(mlirAffineMapGetResult(image_of(c)->map, at), 1, &offset, factors))
    return sn_no(f->op, "dimension %ld of an image with zeros is read by quotients", (long)at);
  for (intptr_t d = 0; d < (intptr_t)f->dims.size; ++d) {
    intptr_t *is = d < f->num_rows + f->num_cols ? &p->place : &p->tap;
    if (!factors[d])
      continue;
    if (*is >= 0 || c->of[d])
      return sn_no(f->op, "dimension %ld of an image with zeros is read by a place and a tap of their own", (long)at);
    *is = d;
    c->of[d] = p;
  }
  if (p->place < 0 || p->tap < 0 || factors[p->place] != 1)
    return sn_no(f->op, "dimension %ld of an image with zeros is read by no place and tap", (long)at);
  p->factor = factors[p->tap];
  int64_t places = f->dims.data[p->place].size, taps = f->dims.data[p->tap].size;
  if (places == SN_DYNAMIC || taps == SN_DYNAMIC || !divides(p->step, places))
    return sn_no(f->op, "%ld places are no whole number of phases, of which there are %ld", (long)places,
                 (long)p->step);
  if (!takes_all_taps(f, weights_of(c), p->tap))
    return sn_no(f->op, "weights do not have a dimension of %ld taps", (long)taps);
  for (intptr_t o = 0; o < mlirAffineMapGetNumResults(image_of(c)->map); ++o)
    if (o != at && (mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(image_of(c)->map, o), p->tap) ||
                    mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(image_of(c)->map, o), p->place)))
      return sn_no(f->op, "a place or a tap reads two dimensions of an image");
  return find_phases(p, taps, offset - c->spaced.first[at]) ||
         sn_no(f->op, "each phase of %ld has as many taps as all of them", (long)p->step);
}

static bool is_zero(MlirAttribute fill) {
  double number;
  return !fill.ptr || (sn_attr_number(fill, &number) && number == 0);
}

static bool fits(const SnForm *f) {
  bool may = 2 * f->dims.size <= SN_MAX_DIMS && f->products.size == 1 && sn_is_plain(f) && !f->schedule.ptr &&
             !f->indices.size && !f->accumulators.size && !f->finish.ptr && sn_num_results(f->op) &&
             !sn_in_sequence(f->op) && sn_is_elementwise_body(f->body);
  for (size_t k = 0; k < f->inputs.size && may; ++k)
    may = !sn_is_table(&f->inputs.data[k]);
  for (size_t k = 0; k < f->outputs.size && may; ++k) {
    MlirAffineMap map = f->outputs.data[k].map;
    may = mlirAffineMapGetNumResults(map) == f->num_rows + f->num_cols;
    for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); ++i)
      may &= sn_map_dim(map, i) >= 0;
  }
  return may && is_zero(f->inputs.data[0].fill) && is_zero(f->inputs.data[1].fill);
}

static bool read_convolution(Convolution *c) {
  const SnForm *f = &c->f;
  if (!fits(f))
    return false;
  for (c->image = 0; c->image < 2; ++c->image) {
    if (!sn_find_spaced(image_of(c)->value, &c->spaced))
      continue;
    bool can = true;
    for (intptr_t at = 0; at < sn_rank(sn_type_of(image_of(c)->value)) && can; ++at)
      if (c->spaced.step[at] > 1)
        can = read_dimension(c, at);
    return can;
  }
  return false;
}

// ---- the form that takes its place -------------------------------------------------------------------------------

typedef struct {
  Convolution *c;
  SnForm to, names;                  // names: has all dimensions of both
  MlirAffineExpr dims[SN_MAX_DIMS];  // of c->f, over those of `to`
  intptr_t own[SN_MAX_DIMS];         // of `to`: the dimension without its phase; -1 if it is 0 and gone
  intptr_t phase[SN_MAX_DIMS];       // of `to`: the phase of such a place
  bool channels;                     // something else than taps is summed
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

static void push_own(Made *m, intptr_t d) {
  SnDim own = m->c->f.dims.data[d];
  const Phases *p = m->c->of[d];
  if (p)
    own.size = p->place == d ? own.size / p->step : p->taps;
  m->own[d] = -1;
  if (p && p->tap == d && p->taps == 1 && m->channels)
    return;
  m->own[d] = (intptr_t)m->to.dims.size;
  sn_push(&m->to.dims, own);
}

// The phases by which the image is read alike, or all others.
static int64_t push_phases(Made *m, bool alike) {
  int64_t n = 0;
  for (intptr_t d = 0; d < m->c->f.num_rows + m->c->f.num_cols; ++d) {
    const Phases *p = m->c->of[d];
    if (!p || alike == (p->shift != 0))
      continue;
    m->phase[d] = (intptr_t)m->to.dims.size;
    SnDim phase = {sn_fresh_name(mlirOperationGetContext(m->c->f.op), &m->names, "p"), p->step};
    sn_push(&m->names.dims, phase);
    sn_push(&m->to.dims, phase);
    ++n;
  }
  return n;
}

// Rows that only the side without columns has come last, as they stood: phases of both sides in front of them.
static void lay_out(Made *m) {
  const SnForm *f = &m->c->f;
  bool weights_columns = sn_uses_cols(f, weights_of(m->c)->map);
  MlirAffineMap columns = weights_columns ? weights_of(m->c)->map : image_of(m->c)->map;
  intptr_t first = 0;
  while (first < f->num_rows && sn_map_uses(columns, first))
    push_own(m, first++);
  m->to.num_rows = f->num_rows + push_phases(m, false);
  for (intptr_t d = first; d < f->num_rows; ++d)
    push_own(m, d);
  int64_t alike = push_phases(m, true);
  m->to.num_rows += weights_columns ? 0 : alike;
  m->to.num_cols = f->num_cols + (weights_columns ? alike : 0);
  for (intptr_t d = f->num_rows; d < (intptr_t)f->dims.size; ++d)
    m->channels |= d >= f->num_rows + f->num_cols && !m->c->of[d];
  for (intptr_t d = f->num_rows; d < (intptr_t)f->dims.size; ++d)
    push_own(m, d);
  SnProduct product = f->products.data[0];
  product.num_dims = (int64_t)m->to.dims.size - m->to.num_rows - m->to.num_cols;
  sn_push(&m->to.products, product);
  for (intptr_t d = 0; d < (intptr_t)f->dims.size; ++d) {
    const Phases *p = m->c->of[d];
    if (!p) {
      m->dims[d] = dim(m, m->own[d]);
      continue;
    }
    m->dims[d] = sum(m, number(m, p->tap == d ? p->first : 0), m->own[d], p->step);
    m->dims[d] = sum(m, m->dims[d], m->phase[p->place], p->place == d ? 1 : p->turn);
  }
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
static SnAccess elements(const Made *m) {
  const SnSpaced *s = &m->c->spaced;
  SnAccess a = *image_of(m->c);
  MlirAffineMap moved = sn_map_replace(a.map, (intptr_t)m->to.dims.size, m->dims);
  intptr_t rank = mlirAffineMapGetNumResults(moved);
  MlirAffineExpr at[SN_MAX_DIMS];
  for (intptr_t i = 0; i < rank; ++i) {
    const Phases *p = &m->c->phases[i];
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

// The destination with a place and its phase for a place; `groups` says which of its dimensions are which.
static SnAccess destination(SnBuilder *b, const Made *m, SnAccess a, MlirAttribute *groups) {
  MlirAffineExpr at[SN_MAX_DIMS];
  MlirAttribute lists[SN_MAX_DIMS];
  int64_t shape[SN_MAX_DIMS];
  MlirValue sizes[SN_MAX_DIMS];
  intptr_t n = 0, open = 0, rank = mlirAffineMapGetNumResults(a.map);
  for (intptr_t i = 0; i < rank; ++i) {
    intptr_t d = sn_map_dim(a.map, i);
    const Phases *p = m->c->of[d];
    MlirAttribute places[] = {sn_i64(b->ctx, n), sn_i64(b->ctx, n + 1)};
    lists[i] = mlirArrayAttrGet(b->ctx, p ? 2 : 1, places);
    shape[n] = m->to.dims.data[m->own[d]].size;
    if (shape[n] == SN_DYNAMIC)
      sizes[open++] = sn(b, "tensor.dim", a.value, sn_index(b, i));
    at[n++] = dim(m, m->own[d]);
    if (p) {
      shape[n] = p->step;
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
  sn_map(&map, sn_product_argument(f, 0), sn_product_argument(&m->to, 0));
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

static void rewrite(Convolution *c) {
  const SnForm *f = &c->f;
  SnBuilder b = sn_before(f->op);
  Made m = {.c = c, .to = {.contract = true}};
  for (size_t d = 0; d < f->dims.size; ++d)
    sn_push(&m.names.dims, f->dims.data[d]);
  lay_out(&m);
  for (size_t k = 0; k < f->inputs.size; ++k) {
    SnAccess a = f->inputs.data[k];
    a.map = sn_map_replace(a.map, (intptr_t)m.to.dims.size, m.dims);
    sn_push(&m.to.inputs, k == c->image ? elements(&m) : k == 1 - c->image ? bounded(&m, a) : a);
  }
  MlirAttribute *groups = sn_alloc(f->outputs.size * sizeof *groups);
  for (size_t k = 0; k < f->outputs.size; ++k)
    sn_push(&m.to.outputs, destination(&b, &m, f->outputs.data[k], &groups[k]));
  MlirOperation made = sn_form_create(&b, &m.to, false), zeros = sn_definer(image_of(c)->value);
  SnBuilder in = sn_at_end(m.to.body, b.loc);
  make_body(&in, &m);
  for (intptr_t k = 0; k < sn_num_results(f->op); ++k) {
    MlirValue whole = sn(&b, "tensor.collapse_shape", sn_result(made, k), sn_type_of(sn_result(f->op, k)),
                         sn_attr("reassociation", groups[k]));
    mlirValueReplaceAllUsesOfWith(sn_result(f->op, k), whole);
  }
  mlirOperationDestroy(f->op);
  if (sn_unused(zeros))
    mlirOperationDestroy(zeros);
  free(groups);
  sn_form_free(&m.names);
  sn_form_free(&m.to);
}

static MlirLogicalResult function(MlirOperation func, void *user) {
  (void)user;
  SnOpVec forms = sn_collect(func, "sinter.contract");
  for (size_t k = 0; k < forms.size; ++k) {
    Convolution c = {.f = sn_form_read(forms.data[k])};
    if (read_convolution(&c))
      rewrite(&c);
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
