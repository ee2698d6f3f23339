// turned_taps.c: windows of channels that are side by side have weights in the order of channels, and edges.
//
//   rowwise (n, y = 14, x = 14, c = 96) by (r = 7, s = 7) ins(%x[n, y + r - 3, x + s - 3, c] else 0.0, %w[c, r, s])
// ->
//   %t = rowwise of %w[c, r, s], written as [r, s, c]; %p is %x with its edges
//   rowwise (n, y, x, c) by (r, s) ins(%p[n, y + r, x + s, c], %t[r, s, c])
//
// Lanes are rows there, neighbours along c. Of the image they are one vector, of the weights each lane is loaded and
// put into its place by itself, for every place and tap. To turn an element takes about as long as to load some lanes,
// so each has to be read more often than that; one of a half type is widened once, too, where it is read as f32. Where
// elements of the image are read by many taps, it is written with what is beyond its edges, so that no tap asks whether
// it is inside.
//
// runs in: sinter-cpu    test: test/passes/schedule/turned_taps.mlir, test/run/turned_taps.test

#include "dialect/sequence.h"
#include "lowering/rows/rowmemory.h"
#include "passes/arrange/padding.h"
#include "passes/edit/edit.h"
#include "passes/schedule/cpu_row_lanes.h"

enum {
  LEAST_READ = 8,   // times that each element of the weights is read,
  LEAST_TAPS = 12,  // and of the image with its edges
  TURNED_WORK = 16, // to copy so few weights wakes no thread: it is worth while for a part of the least work
};

// An input, and the form's dimensions that its subscripts are, the last row dimension behind the others.
typedef struct {
  size_t input;
  intptr_t rank, order[SN_MAX_DIMS];
  MlirType element; // as which it is written
} Turn;

typedef SN_VEC(Turn) Turns; // free with sn_vec_free

static bool is_static(const SnForm *f) {
  bool is = true;
  for (size_t d = 0; d < f->dims.size; ++d)
    is &= f->dims.data[d].size != SN_DYNAMIC && f->dims.data[d].size > 0;
  return is;
}

// Each subscript is a number or a dimension by itself, and what follows the last row dimension is more than a number.
static bool find_order(const SnForm *f, size_t k, Turn *t) {
  const SnAccess *a = &f->inputs.data[k];
  intptr_t lanes = (intptr_t)f->num_rows - 1, rank = mlirAffineMapGetNumResults(a->map);
  *t = (Turn){.input = k, .element = sn_widened_input(f, k)};
  for (intptr_t i = 0; i < rank; ++i) {
    intptr_t d = sn_map_dim(a->map, i);
    if (d < 0 && !mlirAffineExprIsAConstant(mlirAffineMapGetResult(a->map, i)))
      return false;
    for (intptr_t j = 0; j < t->rank; ++j)
      if (t->order[j] == d)
        return false;
    if (d >= 0 && d != lanes)
      t->order[t->rank++] = d;
  }
  t->order[t->rank++] = lanes;
  return sn_map_uses(a->map, lanes) && sn_cpu_together(a, lanes) < 0;
}

static int64_t elements(const SnForm *f, const Turn *t) {
  int64_t all = 1;
  for (intptr_t i = 0; i < t->rank; ++i)
    all = sn_times(all, f->dims.data[t->order[i]].size);
  return all;
}

static bool is_turned(const SnForm *f, size_t k, Turn *t) {
  const SnAccess *a = &f->inputs.data[k];
  return !a->fill.ptr && !a->through.ptr && !sn_is_table(a) && sn_uses_cols(f, a->map) &&
         mlirShapedTypeHasStaticShape(sn_type_of(a->value)) && sn_fills_bytes(sn_element(sn_type_of(a->value))) &&
         find_order(f, k, t) && sn_times(sn_num_rows(f), sn_row_length(f)) / LEAST_READ >= elements(f, t);
}

static bool may_turn(const SnForm *f, const SnAhead *options) {
  return !f->contract && !f->schedule.ptr && sn_num_results(f->op) && !sn_in_sequence(f->op) && f->num_rows > 0 &&
         is_static(f) && sn_times(sn_num_rows(f), sn_row_length(f)) >= options->least_work / TURNED_WORK;
}

static Turns find_turns(const SnForm *f) {
  Turns turns = {0};
  Turn t;
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    if (is_turned(f, k, &t))
      sn_push(&turns, t);
  return turns;
}

// Input k is an image whose last subscript is the last row dimension, and many taps read it.
static bool has_edges(const SnForm *f, size_t k, int64_t least_work, SnPadding *padding) {
  const SnAccess *a = &f->inputs.data[k];
  int64_t reads = sn_times(sn_num_rows(f), sn_row_length(f)),
          written = sn_uses_cols(f, a->map) && sn_unit_stride(a->map, (intptr_t)f->num_rows - 1)
                        ? sn_read_padding(f, a, padding)
                        : 0;
  return written && reads >= least_work && reads / LEAST_TAPS >= written;
}

static bool has_any_edges(const SnForm *f, int64_t least_work) {
  SnPadding padding;
  bool any = false;
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    any |= has_edges(f, k, least_work, &padding);
  return any;
}

static void shape_of(const SnForm *f, const Turn *t, int64_t *shape) {
  for (intptr_t i = 0; i < t->rank; ++i)
    shape[i] = f->dims.data[t->order[i]].size;
}

// The access of a turned input.
static SnAccess turned(const SnForm *f, const Turn *t, MlirValue value) {
  SnAccess a = f->inputs.data[t->input];
  MlirContext ctx = mlirAffineMapGetContext(a.map);
  MlirAffineExpr e[SN_MAX_DIMS];
  for (intptr_t i = 0; i < t->rank; ++i)
    e[i] = mlirAffineDimExprGet(ctx, t->order[i]);
  a.value = value;
  a.map = mlirAffineMapGet(ctx, (intptr_t)f->dims.size, 0, t->rank, e);
  return a;
}

// What of the input is read, in its new order.
static MlirValue write(SnBuilder *b, const SnForm *f, const Turn *t) {
  const SnAccess *a = &f->inputs.data[t->input];
  intptr_t n = mlirAffineMapGetNumResults(a->map);
  int64_t shape[SN_MAX_DIMS];
  MlirAffineExpr e[SN_MAX_DIMS];
  shape_of(f, t, shape);
  for (intptr_t i = 0; i < n; ++i) {
    e[i] = mlirAffineMapGetResult(a->map, i); // a number
    for (intptr_t k = 0; k < t->rank; ++k)
      if (t->order[k] == sn_map_dim(a->map, i))
        e[i] = mlirAffineDimExprGet(b->ctx, k);
  }
  SnAccess in = {.value = a->value, .map = mlirAffineMapGet(b->ctx, t->rank, 0, n, e)};
  MlirAffineMap order = mlirAffineMapMultiDimIdentityGet(b->ctx, t->rank);
  return sn_copy_form_as(b, in, t->rank, shape, order, t->element);
}

// Lanes of such a form are rows. It reads tensors that nobody wrote, to ask.
static bool would_lie_along_rows(const SnForm *f, const Turns *turns, const SnScheduleOptions *options) {
  SnBuilder b = sn_before(f->op);
  SnForm to = sn_form_read(f->op);
  for (size_t i = 0; i < turns->size; ++i) {
    const Turn *t = &turns->data[i];
    int64_t shape[SN_MAX_DIMS];
    shape_of(f, t, shape);
    MlirType type = sn_tensor(sn_element(sn_type_of(f->inputs.data[t->input].value)), t->rank, shape);
    to.inputs.data[t->input] = turned(f, t, sn(&b, "tensor.empty", sn_values(0, NULL), type));
  }
  bool along = sn_cpu_row_lanes(&to, options) > 1;
  for (size_t i = 0; i < turns->size; ++i)
    mlirOperationDestroy(sn_definer(to.inputs.data[turns->data[i].input].value));
  sn_form_free(&to);
  return along;
}

static void rewrite(const SnForm *f, const Turns *turns, int64_t least_work) {
  SnBuilder b = sn_before(f->op);
  SnForm to = sn_form_read(f->op);
  for (size_t i = 0; i < turns->size; ++i)
    to.inputs.data[turns->data[i].input] = turned(f, &turns->data[i], write(&b, f, &turns->data[i]));
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k) {
    SnPadding padding;
    SnAccess *a = &to.inputs.data[k];
    if (!has_edges(f, k, least_work, &padding))
      continue;
    a->value = sn_write_padded(&b, a, &padding);
    a->map = sn_behind_padding(a->map, &padding);
    a->fill = mlirAttributeGetNull();
  }
  sn_with_other_sides(&b, f, &to);
  sn_leave_out_extensions(to.body);
  mlirOperationDestroy(f->op);
  sn_form_free(&to);
}

static MlirLogicalResult function(MlirOperation func, void *user) {
  const SnAhead *options = user;
  SnOpVec forms = sn_collect(func, "sinter.rowwise");
  for (size_t k = 0; k < forms.size; ++k) {
    SnForm f = sn_form_read(forms.data[k]);
    Turns turns = {0};
    bool may = may_turn(&f, options);
    if (may)
      turns = find_turns(&f);
    if (may && (turns.size || has_any_edges(&f, options->least_work)) &&
        would_lie_along_rows(&f, &turns, &options->schedule))
      rewrite(&f, &turns, options->least_work);
    sn_vec_free(&turns);
    sn_form_free(&f);
  }
  sn_vec_free(&forms);
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation root) { return sn_run_ahead(run, root, function); }

MlirDialectHandle mlirGetDialectHandle__sinter__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__sinter__, mlirGetDialectHandle__tensor__,
                                                      NULL};

const SnPass sn_pass_turned_taps = {
    .argument = "sinter-turned-taps",
    .summary = "windows of channels that are side by side -> weights in the order of channels, images with edges",
    .options = sn_ahead_options,
    .options_size = sizeof(SnAhead),
    .dialects = dialects,
    .run = run,
};
