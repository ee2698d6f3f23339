// channel_lanes.c: windows of each channel alone, whose lines are no good vectors, have channels side by side.
//
//   rowwise (n, c = 384, y = 9, x = 9) by (r = 7, s = 7)
//       ins(%x[n, c, y * 2 + r - 3, x * 2 + s - 3] else 0.0, %w[c, r, s]) outs(%y[n, c, y, x])
// ->
//   %t = rowwise of %x[n, 16 k + l, y, x], written as [n, k, y, x, l]; the same of %w; %p is %t with its edges
//   %z = rowwise (n, k = 24, y, x, l = 16) by (r, s) ins(%p[n, k, y * 2 + r, x * 2 + s, l], %v[k, r, s, l])
//   rowwise of %z[n, k, y, x, l], written as %y[n, 16 k + l, y, x]
//
// Lines of fewer elements than a vector has lanes are loaded in pieces and by masks, once for each tap. Channels of one
// place are a whole vector for every tap. All is turned once, which each element of the image has to pay for. (Lines
// that are whole vectors stay: 32 results of 5 x 5 windows took twice as long with channels side by side.) Channels
// that are no multiple of 16 have some of 0 behind them, %x[n, 16 k + l, y, x] else 0.0, and what these give is not
// read; a body that divides integers, or asserts, would stop at them.
//
// runs in: sinter-cpu    test: test/passes/arrange/channel_lanes.mlir, test/run/channel_lanes.mlir

#include "dialect/sequence.h"
#include "lowering/rows/rowmemory.h"
#include "passes/arrange/padding.h"
#include "passes/edit/edit.h"
#include "passes/merge/merge.h"
#include <stddef.h>

enum {
  LANES = 16,
  SHORT_LINE = 15,  // of results
  HALF_LINE = 8,
  // Multiplications for each element of the image, where lines are less than a half, or less than a vector: to turn an
  // element costs as much as some of them. (3 x 3 windows of 14 x 14 lost by it, and of 7 x 7 won.)
  LEAST_OF_HALF = 6,
  LEAST_OF_SHORT = 12,
  MOST_EMPTY = 4, // one of so many channels is 0
  MOST_WINDOW = 49, // columns that are written out
};

typedef struct {
  SnForm f;
  int64_t channel, lanes; // a dimension of rows, and how many of its elements are side by side
  size_t image;           // the input that is a window
  int64_t least_work;     // of multiplications
} Plan;

// The subscript that is the channel and nothing else; -1: there is none, and -2: the channel is somewhere else.
static intptr_t channel_of(const SnAccess *a, int64_t channel) {
  intptr_t found = -1;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(a->map); ++i)
    if (mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(a->map, i), channel)) {
      if (found >= 0 || sn_map_dim(a->map, i) != channel)
        return -2;
      found = i;
    }
  return found;
}

// A column and the last row are in one subscript.
static bool is_window(const SnForm *f, const SnAccess *a) {
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(a->map); ++i) {
    MlirAffineExpr e = mlirAffineMapGetResult(a->map, i);
    int64_t factors[SN_MAX_DIMS] = {0};
    bool columns = false;
    for (int64_t d = f->num_rows; d < f->num_rows + f->num_cols; ++d)
      columns |= mlirAffineExprIsFunctionOfDim(e, d);
    if (columns && sn_affine_factors(e, factors) && factors[f->num_rows - 1] > 0)
      return true;
  }
  return false;
}

static bool is_static(const SnForm *f) {
  bool is = true;
  for (size_t d = 0; d < f->dims.size; ++d)
    is &= f->dims.data[d].size != SN_DYNAMIC && f->dims.data[d].size > 0;
  for (size_t k = 0; k < f->inputs.size; ++k)
    is &= mlirShapedTypeHasStaticShape(sn_type_of(f->inputs.data[k].value)) && !f->inputs.data[k].through.ptr &&
          !sn_is_table(&f->inputs.data[k]);
  return is;
}

static bool pays(const Plan *p) {
  const SnForm *f = &p->f;
  const SnAccess *a = &f->inputs.data[p->image];
  int64_t line = f->dims.data[f->num_rows - 1].size, taps = sn_row_length(f);
  int64_t least = line > HALF_LINE ? LEAST_OF_SHORT : LEAST_OF_HALF;
  int64_t work = sn_times(taps, sn_num_rows(f));
  return line <= SHORT_LINE && taps > 1 && taps <= MOST_WINDOW && work >= p->least_work &&
         work >= sn_times(least, sn_num_elements(sn_type_of(a->value)));
}

// A dimension of rows in front of the last one that is a subscript of the image, of all results, and of whatever else
// has it at all.
static bool plan(Plan *p) {
  const SnForm *f = &p->f;
  bool found = false;
  if (f->schedule.ptr || f->contract || !sn_is_plain(f) || f->accumulators.size || f->finish.ptr || f->num_rows < 2 ||
      !f->num_cols || f->indices.size || !sn_num_results(f->op) || sn_in_sequence(f->op) || sn_names_dims(f->body) ||
      !is_static(f) || !sn_row_op_count(f->body, SN_READS_ALL))
    return false;
  for (p->image = 0; p->image < f->inputs.size && !is_window(f, &f->inputs.data[p->image]); ++p->image)
    ;
  if (p->image == f->inputs.size)
    return false;
  for (p->channel = f->num_rows - 1; p->channel-- > 0;) {
    found = channel_of(&f->inputs.data[p->image], p->channel) >= 0;
    for (size_t k = 0; k < f->inputs.size && found; ++k)
      found = channel_of(&f->inputs.data[k], p->channel) > -2;
    for (size_t k = 0; k < f->outputs.size && found; ++k)
      found = channel_of(&f->outputs.data[k], p->channel) >= 0 && !sn_uses_cols(f, f->outputs.data[k].map);
    if (found)
      break;
  }
  if (!found) // (24 channels as three vectors of 8 are no faster than lines)
    return false;
  p->lanes = LANES;
  int64_t channels = f->dims.data[p->channel].size, all = sn_pieces(channels, LANES) * LANES;
  if (all > channels && sn_form_may_fail(f)) // what is 0 would be divided by
    return false;
  return MOST_EMPTY * (all - channels) <= channels && pays(p);
}

// ---- turned ------------------------------------------------------------------------------------------------------

// Shape of a tensor whose dimension `at` is in lanes, as many as hold all: [.., size / lanes, .., lanes].
static intptr_t shape_of_lanes(MlirType t, intptr_t at, int64_t lanes, int64_t *shape) {
  intptr_t rank = sn_rank(t);
  for (intptr_t i = 0; i < rank; ++i)
    shape[i] = sn_dim(t, i);
  shape[at] = sn_pieces(shape[at], lanes);
  shape[rank] = lanes;
  return rank + 1;
}

// How many elements stand behind dimension `at`.
static int64_t inner_of(MlirType t, intptr_t at) {
  int64_t n = 1;
  for (intptr_t i = at + 1; i < sn_rank(t); ++i)
    n = sn_times(n, sn_dim(t, i));
  return n;
}

static MlirAttribute zero(MlirType t) {
  return sn_is_float(t) ? mlirFloatAttrDoubleGet(mlirTypeGetContext(t), t, 0) : mlirIntegerAttrGet(t, 0);
}

// [a, c, p] to [a, k, p, lanes], zeros behind c.
static MlirValue turned_with_zeros(SnBuilder *b, MlirValue v, int64_t lanes, MlirType element) {
  MlirType t = sn_type_of(v);
  int64_t shape[] = {sn_dim(t, 0), sn_pieces(sn_dim(t, 1), lanes), lanes, sn_dim(t, 2)};
  MlirAffineExpr d[4], group;
  for (int i = 0; i < 4; ++i)
    d[i] = mlirAffineDimExprGet(b->ctx, i);
  group = mlirAffineMulExprGet(d[1], mlirAffineConstantExprGet(b->ctx, lanes));
  MlirAffineExpr from[] = {d[0], mlirAffineAddExprGet(group, d[2]), d[3]}, to[] = {d[0], d[1], d[3], d[2]};
  SnAccess in = {.value = v, .map = mlirAffineMapGet(b->ctx, 4, 0, 3, from), .fill = zero(sn_element(t))};
  return sn_copy_form_as(b, in, 4, shape, mlirAffineMapGet(b->ctx, 4, 0, 4, to), element);
}

// [a, k, p, lanes] to [a, c, p].
static MlirValue turned_without_zeros(SnBuilder *b, MlirValue v, int64_t channels) {
  MlirType t = sn_type_of(v);
  int64_t shape[] = {sn_dim(t, 0), channels, sn_dim(t, 2)};
  MlirAffineExpr lanes = mlirAffineConstantExprGet(b->ctx, sn_dim(t, 3)), c = mlirAffineDimExprGet(b->ctx, 1);
  MlirAffineExpr from[] = {mlirAffineDimExprGet(b->ctx, 0), mlirAffineFloorDivExprGet(c, lanes),
                           mlirAffineDimExprGet(b->ctx, 2), mlirAffineModExprGet(c, lanes)};
  SnAccess in = {.value = v, .map = mlirAffineMapGet(b->ctx, 3, 0, 4, from)};
  return sn_copy_form(b, in, 3, shape, mlirAffineMapMultiDimIdentityGet(b->ctx, 3));
}

static MlirValue to_lanes(SnBuilder *b, MlirValue v, intptr_t at, int64_t lanes, MlirType element) {
  MlirType t = sn_type_of(v);
  int64_t shape[SN_MAX_DIMS + 1], inner = inner_of(t, at), size = sn_dim(t, at);
  int64_t all = sn_num_elements(t) / inner, three[] = {all / lanes, lanes, inner}, uneven[] = {all / size, size, inner};
  intptr_t rank = shape_of_lanes(t, at, lanes, shape);
  if (size % lanes)
    return sn_with_shape(b, turned_with_zeros(b, sn_with_shape(b, v, 3, uneven), lanes, element), rank, shape);
  v = sn_with_shape(b, v, 3, three);
  return sn_with_shape(b, inner == 1 ? v : sn_turned(b, v, element), rank, shape);
}

static MlirValue from_lanes(SnBuilder *b, MlirValue v, MlirType t, intptr_t at, int64_t lanes) {
  int64_t shape[SN_MAX_DIMS], inner = inner_of(t, at), size = sn_dim(t, at), outer = sn_num_elements(t) / inner / size;
  int64_t three[] = {outer * size / lanes, inner, lanes}, four[] = {outer, sn_pieces(size, lanes), inner, lanes};
  for (intptr_t i = 0; i < sn_rank(t); ++i)
    shape[i] = sn_dim(t, i);
  if (size % lanes)
    return sn_with_shape(b, turned_without_zeros(b, sn_with_shape(b, v, 4, four), size), sn_rank(t), shape);
  v = sn_with_shape(b, v, 3, three);
  return sn_with_shape(b, inner == 1 ? v : sn_turned(b, v, sn_element(t)), sn_rank(t), shape);
}

// ---- the form ----------------------------------------------------------------------------------------------------

// Subscripts in the new form's dimensions: lanes are its last rows, and columns come behind them.
static MlirAffineMap with_lanes(const Plan *p, MlirAffineMap map, intptr_t at) {
  MlirContext ctx = mlirAffineMapGetContext(map);
  MlirAffineExpr to[SN_MAX_DIMS], e[SN_MAX_DIMS + 1];
  intptr_t dims = (intptr_t)p->f.dims.size, n = mlirAffineMapGetNumResults(map);
  for (intptr_t d = 0; d < dims; ++d)
    to[d] = mlirAffineDimExprGet(ctx, d < p->f.num_rows ? d : d + 1);
  map = sn_map_replace(map, dims + 1, to);
  for (intptr_t i = 0; i < n; ++i)
    e[i] = mlirAffineMapGetResult(map, i);
  e[n] = mlirAffineDimExprGet(ctx, p->f.num_rows);
  return at < 0 ? map : mlirAffineMapGet(ctx, dims + 1, 0, n + 1, e);
}

static SnDim lane_dim(MlirContext ctx, const SnForm *f, int64_t lanes) {
  char name[16] = "lane";
  for (size_t d = 0; d < f->dims.size; ++d)
    if (mlirStringRefEqual(f->dims.data[d].name, SN_STR(name)))
      name[4] = '_', name[5] = 0, d = 0;
  return (SnDim){.name = mlirStringAttrGetValue(sn_string(ctx, name)), .size = lanes};
}

// Weights of a half type that are widened wherever they are read are stored as f32: each is read for every place.
static MlirType element_of(const Plan *p, size_t k, intptr_t at) {
  MlirType t = sn_type_of(p->f.inputs.data[k].value);
  return k != p->image && inner_of(t, at) > 1 ? sn_widened_input(&p->f, k) : sn_element(t);
}

static void write(const Plan *p) {
  const SnForm *f = &p->f;
  SnBuilder b = sn_before(f->op);
  SnForm to = {.num_rows = f->num_rows + 1, .num_cols = f->num_cols};
  for (int64_t d = 0; d < (int64_t)f->dims.size; ++d) {
    SnDim dim = f->dims.data[d];
    if (d == f->num_rows)
      sn_push(&to.dims, lane_dim(b.ctx, f, p->lanes));
    dim.size = d == p->channel ? sn_pieces(dim.size, p->lanes) : dim.size;
    sn_push(&to.dims, dim);
  }
  for (size_t k = 0; k < f->inputs.size; ++k) {
    SnAccess a = f->inputs.data[k];
    intptr_t at = channel_of(&a, p->channel);
    SnPadding padding;
    a.map = with_lanes(p, a.map, at);
    a.value = at < 0 ? a.value : to_lanes(&b, a.value, at, p->lanes, element_of(p, k, at));
    if (sn_read_padding(&to, &a, &padding)) {
      a.value = sn_write_padded(&b, &a, &padding);
      a.map = sn_behind_padding(a.map, &padding);
      a.fill = mlirAttributeGetNull();
    }
    sn_push(&to.inputs, a);
  }
  for (size_t k = 0; k < f->outputs.size; ++k) {
    SnAccess a = f->outputs.data[k];
    int64_t shape[SN_MAX_DIMS + 1];
    intptr_t at = channel_of(&a, p->channel), rank = shape_of_lanes(sn_type_of(a.value), at, p->lanes, shape);
    a.map = with_lanes(p, a.map, at);
    a.value = sn(&b, "tensor.empty", sn_values(0, NULL), sn_tensor(sn_element(sn_type_of(a.value)), rank, shape));
    sn_push(&to.outputs, a);
  }
  MlirOperation made = sn_form_create(&b, &to, false);
  SnMap map = {0};
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(f->body); ++k)
    sn_map(&map, mlirBlockGetArgument(f->body, k), mlirBlockGetArgument(to.body, k));
  SnBuilder in = sn_at_end(to.body, b.loc);
  sn_copy_block(&in, f->body, &map);
  sn_map_free(&map);
  sn_leave_out_extensions(to.body);
  for (intptr_t k = 0; k < sn_num_results(f->op); ++k) {
    MlirValue was = sn_result(f->op, k);
    intptr_t at = channel_of(&f->outputs.data[k], p->channel);
    mlirValueReplaceAllUsesOfWith(was, from_lanes(&b, sn_result(made, k), sn_type_of(was), at, p->lanes));
  }
  mlirOperationDestroy(f->op);
  sn_form_free(&to);
}

typedef struct {
  int64_t least_work;
} Options;

static MlirLogicalResult function(MlirOperation func, void *user) {
  const Options *options = user;
  SnOpVec forms = sn_collect(func, "sinter.rowwise");
  for (size_t k = 0; k < forms.size; ++k) {
    Plan p = {.f = sn_form_read(forms.data[k]), .least_work = options->least_work};
    if (plan(&p))
      write(&p);
    sn_form_free(&p.f);
  }
  sn_vec_free(&forms);
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation op) {
  Options options = *(const Options *)run->options;
  return sn_each_function(op, function, &options);
}

static const SnOption options[] = {
    {SN_OPTION_INT, "least-work", "multiplications from which on more kernels are worth what they save", SN_LEAST_WORK,
     NULL, offsetof(Options, least_work)},
    {0},
};

MlirDialectHandle mlirGetDialectHandle__sinter__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__sinter__, mlirGetDialectHandle__tensor__,
                                                      NULL};

const SnPass sn_pass_channel_lanes = {
    .argument = "sinter-channel-lanes",
    .summary = "windows of each channel, of short lines -> channels side by side",
    .options = options,
    .options_size = sizeof(Options),
    .dialects = dialects,
    .run = run,
};
