// channel_order.c: images between kernels have their channels last where the images around them have.
//
//   %h = rowwise (n, c, y, x) by (r, s) ins(%x[n, y + r, x + s, c], ..) outs(%e[n, c, y, x])
//   contract (n, o) by (y, x) product (c) (%w[o, c], %h[n, c, y, x]) outs(%y[n, y, x, o])
// ->
//   %h = rowwise (n, c, y, x) by (r, s) ins(%x[n, y + r, x + s, c], ..) outs(%e[n, y, x, c])
//   contract (n, y, x) by (o) product (c) (%w[o, c], %h[n, y, x, c]) outs(%y[n, y, x, o])
//
// So come models whose images have channels last from exporters that compute with channels in front: what they permute
// at both ends is read and written in place, and what lies between would be turned by every kernel, element by element.
//
// Of a tensor that forms alone make and read, each access beside it in its forms says which dimension should be last:
// the one that its own last subscript is of, or, of a product, the one that the other side alone has. Arguments,
// results of the function and tensors that are decided are asked, if they are as large; where they disagree, or nobody
// says anything, it stays. A norm of channels that exporters have last is turned back to lines where its maker and all
// its readers say lines: in ConvNeXt, 40x56x56, it takes 85 us in place of 222, with several vectors of rows at once.
// Images under windows of products of several taps stay, too: these find their own order (channels_last.c). Then
// products have for columns what lies last in their results (stored_columns.c).
//
// runs in: sinter-cpu    test: test/passes/arrange/channel_order.mlir, test/run/channel_order.test

#include "dialect/sequence.h"
#include "lowering/rows/rowmemory.h"
#include "passes/arrange/arrange.h"
#include "passes/edit/edit.h"

enum {
  LEAST_RANK = 3, // an image has channels, places, and a batch or more places
  AS_LARGE = 4,   // an access says something if it is of a tensor of so large a part of the image
};

typedef struct {
  SnForm f;
  bool window;  // a row program on windows of some input
  bool several; // a product of windows of several taps
} Entry;

typedef struct {
  MlirValue v;
  size_t maker, output;
  int64_t elements;
  intptr_t rank, last; // last: what is decided, the dimension that is last
  bool decided;
} Image;

typedef struct {
  SN_VEC(Entry) entries;
  SN_VEC(Image) images;
  SnTable of;       // the place of an image by its value
  SnTable entry_of; // 1 + the place of an entry by its operation
} Plan;

// ---- forms -------------------------------------------------------------------------------------------------------

static const SnAccess *access_of(const SnForm *f, size_t k) {
  return k < f->inputs.size ? &f->inputs.data[k] : &f->outputs.data[k - f->inputs.size];
}

static bool uses_any(const SnForm *f, MlirAffineExpr e, intptr_t first, intptr_t end) {
  bool uses = false;
  for (intptr_t d = first; d < end; ++d)
    uses |= f->dims.data[d].size != 1 && mlirAffineExprIsFunctionOfDim(e, d);
  return uses;
}

// Some subscript of an input has a place, of dimensions up to `places`, and a tap, of those behind.
static bool has_window(const SnForm *f, intptr_t places) {
  bool window = false;
  for (size_t k = 0; k < f->inputs.size; ++k)
    for (intptr_t i = 0; i < mlirAffineMapGetNumResults(f->inputs.data[k].map); ++i) {
      MlirAffineExpr e = mlirAffineMapGetResult(f->inputs.data[k].map, i);
      window |= uses_any(f, e, 0, places) && uses_any(f, e, places, (intptr_t)f->dims.size);
    }
  return window;
}

static void read_entries(Plan *p, MlirOperation func) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  for (MlirOperation op = mlirBlockIsNull(block) ? (MlirOperation){0} : mlirBlockGetFirstOperation(block); !sn_null(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (!sn_is_form(op) || !sn_num_results(op))
      continue;
    op = sn_store_without_units(op);
    Entry e = {.f = sn_form_read(op)};
    e.window = !e.f.contract && has_window(&e.f, (intptr_t)e.f.num_rows);
    e.several = e.f.contract && has_window(&e.f, (intptr_t)(e.f.num_rows + e.f.num_cols));
    sn_push(&p->entries, e);
    sn_table_put(&p->entry_of, op.ptr, p->entries.size);
  }
}

// The form that reads a value there as an input, which is number *input of it; null if something else does.
static const Entry *reader(const Plan *p, MlirOpOperand use, size_t *input) {
  uintptr_t at = 0;
  *input = (size_t)mlirOpOperandGetOperandNumber(use);
  return sn_table_get(&p->entry_of, mlirOpOperandGetOwner(use).ptr, &at) &&
                 *input < p->entries.data[at - 1].f.inputs.size
             ? &p->entries.data[at - 1]
             : NULL;
}

// ---- images ------------------------------------------------------------------------------------------------------

static bool is_plain_access(const SnAccess *a) { return !a->through.ptr && !sn_is_table(a); }

// Each subscript of the result is another dimension by itself, or the one place of one.
static bool is_written_by_dims(const SnForm *f, const SnAccess *a) {
  bool seen[SN_MAX_DIMS] = {false};
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(a->map); ++i) {
    intptr_t d = sn_map_dim(a->map, i);
    if (sn_dim(sn_type_of(a->value), i) == 1 && mlirAffineExprIsAConstant(mlirAffineMapGetResult(a->map, i)))
      continue;
    if (d < 0 || seen[d] || d >= (intptr_t)(f->num_rows + f->num_cols))
      return false;
    seen[d] = true;
  }
  return true;
}

// All that reads the value can have it in another order.
static bool may_be_turned(const Plan *p, MlirValue v) {
  bool may = true;
  for (MlirOpOperand use = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(use) && may;
       use = mlirOpOperandGetNextUse(use)) {
    size_t k;
    const Entry *e = reader(p, use, &k);
    may = e && is_plain_access(&e->f.inputs.data[k]) && !e->several && !e->f.schedule.ptr;
  }
  return may;
}

static void find_images(Plan *p) {
  for (size_t i = 0; i < p->entries.size; ++i) {
    const SnForm *f = &p->entries.data[i].f;
    if (p->entries.data[i].several || f->schedule.ptr || f->accumulators.size)
      continue;
    for (size_t k = 0; k < f->outputs.size; ++k) {
      const SnAccess *a = &f->outputs.data[k];
      MlirValue v = sn_result(f->op, (intptr_t)k);
      if (sn_rank(sn_type_of(v)) < LEAST_RANK || !mlirShapedTypeHasStaticShape(sn_type_of(v)) ||
          sn_null(sn_def(a->value, "tensor.empty")) || !is_written_by_dims(f, a) || !may_be_turned(p, v))
        continue;
      sn_table_put(&p->of, v.ptr, p->images.size);
      intptr_t rank = sn_rank(sn_type_of(v));
      sn_push(&p->images, ((Image){v, i, k, sn_num_elements(sn_type_of(v)), rank, rank - 1, false}));
    }
  }
}

static Image *image_of(const Plan *p, MlirValue v) {
  uintptr_t at;
  return sn_table_get(&p->of, v.ptr, &at) ? &p->images.data[at] : NULL;
}

// ---- what others say ---------------------------------------------------------------------------------------------

typedef struct {
  intptr_t last; // -1: nobody says anything; -2: they disagree
  bool image;    // a window, or an image that is turned, is among them, or maker and readers agree
} Said;

static bool share(const SnForm *f, MlirAffineExpr a, MlirAffineExpr b) {
  bool both = false;
  for (intptr_t d = 0; d < (intptr_t)f->dims.size; ++d)
    both |= f->dims.data[d].size != 1 && mlirAffineExprIsFunctionOfDim(a, d) && mlirAffineExprIsFunctionOfDim(b, d);
  return both;
}

// The subscript of a that has something of the last one of `beside`; or else the only one of some size that has nothing
// of all that `beside` has; -1: there is none.
static intptr_t last_as(const SnForm *f, const SnAccess *a, const SnAccess *beside, intptr_t at) {
  intptr_t shared = -1, alone = -1, n = mlirAffineMapGetNumResults(a->map);
  MlirAffineExpr last = mlirAffineMapGetResult(beside->map, at);
  for (intptr_t i = 0; i < n; ++i) {
    MlirAffineExpr e = mlirAffineMapGetResult(a->map, i);
    bool any = false;
    for (intptr_t j = 0; j < mlirAffineMapGetNumResults(beside->map); ++j)
      any |= share(f, e, mlirAffineMapGetResult(beside->map, j));
    if (share(f, e, last))
      shared = shared == -1 ? i : -2;
    if (!any && uses_any(f, e, 0, (intptr_t)f->dims.size))
      alone = alone == -1 ? i : -2;
  }
  return shared != -1 ? (shared < 0 ? -1 : shared) : f->contract && alone >= 0 ? alone : -1;
}

static void hear(const Plan *p, const Entry *e, size_t access, const Image *image, Said *said) {
  const SnForm *f = &e->f;
  const SnAccess *a = access_of(f, access);
  said->image |= e->window;
  for (size_t k = 0; k < f->inputs.size + f->outputs.size; ++k) {
    const SnAccess *beside = access_of(f, k);
    MlirValue v = k < f->inputs.size ? beside->value : sn_result(f->op, (intptr_t)(k - f->inputs.size));
    MlirType t = sn_type_of(v);
    intptr_t rank = mlirAffineMapGetNumResults(beside->map);
    const Image *other = image_of(p, v);
    if (other == image || (other && !other->decided) || !rank || !is_plain_access(beside) ||
        !mlirShapedTypeHasStaticShape(t) || sn_times(sn_num_elements(t), AS_LARGE) < image->elements)
      continue;
    intptr_t says = last_as(f, a, beside, other ? other->last : rank - 1);
    if (says < 0)
      continue;
    said->image |= other && other->last != rank - 1;
    said->last = said->last == -1 || said->last == says ? says : -2;
  }
}

static Said ask(const Plan *p, const Image *image) {
  Said said = {.last = -1};
  hear(p, &p->entries.data[image->maker], p->entries.data[image->maker].f.inputs.size + image->output, image, &said);
  bool made = said.last >= 0, read = false;
  for (MlirOpOperand use = mlirValueGetFirstUse(image->v); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    size_t k;
    const Entry *e = reader(p, use, &k);
    hear(p, e, k, image, &said);
    read = true;
  }
  said.image |= made && read && said.last >= 0;
  return said;
}

typedef SN_VEC(size_t) Queue; // of places of images

static void put_beside(const Plan *p, const Entry *e, Queue *queue) {
  for (size_t k = 0; k < e->f.inputs.size + e->f.outputs.size; ++k) {
    const Image *other = image_of(p, k < e->f.inputs.size ? e->f.inputs.data[k].value
                                                          : sn_result(e->f.op, (intptr_t)(k - e->f.inputs.size)));
    if (other && !other->decided)
      sn_push(queue, (size_t)(other - p->images.data));
  }
}

// Images beside one that is decided hear of it.
static void put_all_beside(const Plan *p, const Image *image, Queue *queue) {
  put_beside(p, &p->entries.data[image->maker], queue);
  for (MlirOpOperand use = mlirValueGetFirstUse(image->v); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    size_t k;
    put_beside(p, reader(p, use, &k), queue);
  }
}

static bool decide(Plan *p) {
  Queue queue = {0};
  bool turned = false;
  for (size_t i = 0; i < p->images.size; ++i)
    sn_push(&queue, i);
  for (size_t at = 0; at < queue.size; ++at) {
    Image *image = &p->images.data[queue.data[at]];
    Said said = image->decided ? (Said){.last = -1} : ask(p, image);
    if (said.last == -1)
      continue;
    image->decided = true;
    if (said.last >= 0 && said.image)
      image->last = said.last;
    turned |= image->last != image->rank - 1;
    put_all_beside(p, image, &queue);
  }
  sn_vec_free(&queue);
  return turned;
}

// ---- what is made ------------------------------------------------------------------------------------------------

static MlirAffineMap with_last(MlirAffineMap map, intptr_t at) {
  MlirAffineExpr e[SN_MAX_DIMS];
  intptr_t n = mlirAffineMapGetNumResults(map), to = 0;
  for (intptr_t i = 0; i < n; ++i)
    if (i != at)
      e[to++] = mlirAffineMapGetResult(map, i);
  e[to] = mlirAffineMapGetResult(map, at);
  return mlirAffineMapGet(mlirAffineMapGetContext(map), mlirAffineMapGetNumDims(map), 0, n, e);
}

static MlirType type_with_last(MlirType t, intptr_t at) {
  int64_t shape[SN_MAX_DIMS];
  intptr_t n = sn_rank(t), to = 0;
  for (intptr_t i = 0; i < n; ++i)
    if (i != at)
      shape[to++] = sn_dim(t, i);
  shape[to] = sn_dim(t, at);
  return sn_tensor(sn_element(t), n, shape);
}

static bool is_turned(const Image *image) { return image && image->last != image->rank - 1; }

// The form with its images in their new order; forms in front of it have theirs.
static MlirOperation rewrite(const Plan *p, const Entry *e) {
  MlirOperation op = e->f.op;
  SnBuilder b = sn_before(op);
  SnForm from = sn_form_read(op), to = sn_form_read(op);
  bool changed = false;
  for (size_t k = 0; k < to.inputs.size; ++k) {
    const Image *image = image_of(p, e->f.inputs.data[k].value); // by the value that it was
    if (is_turned(image))
      to.inputs.data[k].map = with_last(to.inputs.data[k].map, image->last);
    changed |= is_turned(image);
  }
  for (size_t k = 0; k < to.outputs.size; ++k) {
    SnAccess *a = &to.outputs.data[k];
    const Image *image = image_of(p, sn_result(op, (intptr_t)k));
    if (!is_turned(image))
      continue;
    a->value = sn(&b, "tensor.empty", sn_values(0, NULL), type_with_last(sn_type_of(a->value), image->last));
    a->map = with_last(a->map, image->last);
    changed = true;
  }
  if (changed) {
    op = sn_with_other_sides(&b, &from, &to);
    mlirOperationDestroy(from.op);
  }
  sn_form_free(&from);
  sn_form_free(&to);
  return op;
}

static MlirLogicalResult function(MlirOperation func, void *user) {
  (void)user;
  Plan p = {0};
  bool window = false;
  read_entries(&p, func);
  for (size_t i = 0; i < p.entries.size; ++i)
    window |= p.entries.data[i].window;
  if (window)
    find_images(&p);
  bool turned = p.images.size && decide(&p);
  for (size_t i = 0; i < p.entries.size; ++i) {
    MlirOperation op = turned ? rewrite(&p, &p.entries.data[i]) : p.entries.data[i].f.op;
    sn_columns_as_stored(op);
  }
  for (size_t i = 0; i < p.entries.size; ++i)
    sn_form_free(&p.entries.data[i].f);
  sn_vec_free(&p.entries);
  sn_vec_free(&p.images);
  sn_table_free(&p.of);
  sn_table_free(&p.entry_of);
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation op) {
  (void)run;
  return sn_each_function(op, function, NULL);
}

MlirDialectHandle mlirGetDialectHandle__sinter__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__sinter__, mlirGetDialectHandle__tensor__,
                                                      NULL};

const SnPass sn_pass_channel_order = {
    .argument = "sinter-channel-order",
    .summary = "images between kernels whose neighbours have channels last -> channels last",
    .dialects = dialects,
    .run = run,
};
