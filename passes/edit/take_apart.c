// take_apart.c: a subscript that is two dimensions becomes both.
//
//   %x[b, i, h * 64 + k]             ->  %x'[b, i, h, k]        %x' = expand_shape %x, of h by 64
//   %x[b, i, h * 128 + g * 64 + k]   ->  %x'[b, i, h, g, k]     one after the other
//   %x[b, i, h * 64 + k + 512]       ->  %x'[b, i, 1, h, k]     what is packed: queries, keys, values, of 8 heads each
//   %x[b, i, (h floordiv 4) * 64 + k]  ->  %x'[b, i, h floordiv 4, k]     heads that groups of others read
//
// Copies fetch what each subscript is a dimension of. And arguments are taken apart before they are differentiated by,
// so that a gradient by heads that are columns of one matrix is stored as it is made, and not put in other places by a
// kernel of its own; where several are parts of one, that has to be apart alike for all.
//
// test: test/passes/differentiate/arguments_apart.mlir, test/passes/arrange/head_groups.mlir,
// test/gpu/sdpa_masked_bias.test

#include "capi/form.h"
#include "passes/edit/edit.h"

// A subscript as a sum of dimensions, or of quotients of them, times numbers, and of a number.
typedef struct {
  int64_t dims[SN_MAX_DIMS], by[SN_MAX_DIMS], times[SN_MAX_DIMS]; // by: 1 of a dimension itself
  size_t n;
  int64_t more; // a number
} Terms;

static bool read_terms(MlirAffineExpr e, int64_t times, Terms *t) {
  int64_t by = 1;
  if (mlirAffineExprIsAConstant(e)) {
    t->more += sn_times(times, mlirAffineConstantExprGetValue(e));
    return t->more >= 0;
  }
  if (mlirAffineExprIsAAdd(e))
    return read_terms(mlirAffineBinaryOpExprGetLHS(e), times, t) &&
           read_terms(mlirAffineBinaryOpExprGetRHS(e), times, t);
  if (mlirAffineExprIsAMul(e) && mlirAffineExprIsAConstant(mlirAffineBinaryOpExprGetRHS(e)))
    return read_terms(mlirAffineBinaryOpExprGetLHS(e),
                      sn_times(times, mlirAffineConstantExprGetValue(mlirAffineBinaryOpExprGetRHS(e))), t);
  if (mlirAffineExprIsAFloorDiv(e) && mlirAffineExprIsAConstant(mlirAffineBinaryOpExprGetRHS(e))) {
    by = mlirAffineConstantExprGetValue(mlirAffineBinaryOpExprGetRHS(e));
    e = mlirAffineBinaryOpExprGetLHS(e);
  }
  if (!mlirAffineExprIsADim(e) || by < 1 || t->n == SN_MAX_DIMS)
    return false;
  t->dims[t->n] = mlirAffineDimExprGetPosition(e);
  t->by[t->n] = by;
  t->times[t->n++] = times;
  return true;
}

// e is outer * n + d, and n is how many d has; `all` in all. The outer one is a dimension, or more of them, or where
// those that are behind one another begin; that alone of what is `left` of a subscript that was taken apart. `whole`:
// all of it is read.
static bool is_two(const SnForm *f, MlirAffineExpr e, int64_t all, bool left, bool whole, MlirAffineExpr *outer,
                   int64_t *d) {
  Terms t = {.n = 0};
  size_t inner = 0;
  if (!mlirAffineExprIsAAdd(e) || !read_terms(e, 1, &t))
    return false;
  while (inner < t.n && (t.times[inner] != 1 || t.by[inner] != 1))
    ++inner;
  int64_t n = inner < t.n ? f->dims.data[t.dims[inner]].size : SN_DYNAMIC;
  if (n == SN_DYNAMIC || n < 1 || all == SN_DYNAMIC || all % n || t.more % n)
    return false;
  int64_t most = t.more / n, least = 0; // of the outer one; what it goes on by
  *d = t.dims[inner];
  *outer = t.more ? mlirAffineConstantExprGet(mlirAffineExprGetContext(e), most) : (MlirAffineExpr){0};
  for (size_t i = 0; i < t.n; ++i) {
    int64_t size = f->dims.data[t.dims[i]].size;
    if (i == inner)
      continue;
    if (t.times[i] < n || t.times[i] % n || t.dims[i] == *d || size == SN_DYNAMIC || size < 1)
      return false;
    int64_t last = (size - 1) / t.by[i];
    if (sn_times(last, t.times[i] / n) > all - most)
      return false;
    most += last * (t.times[i] / n);
    least = !least || t.times[i] < least ? t.times[i] : least;
    MlirContext ctx = mlirAffineExprGetContext(e);
    MlirAffineExpr quotient = mlirAffineFloorDivExprGet(mlirAffineDimExprGet(ctx, (intptr_t)t.dims[i]),
                                                        mlirAffineConstantExprGet(ctx, t.by[i])),
                   one = mlirAffineMulExprGet(quotient, mlirAffineConstantExprGet(ctx, t.times[i] / n));
    *outer = outer->ptr ? mlirAffineAddExprGet(*outer, one) : one;
  }
  int64_t read = sn_times(most + 1, n);
  bool part = read <= all && (least == n || (left && t.n == 1));
  return outer->ptr && (whole ? !t.more && read == all : part);
}

// Where a tensor has these sizes, and what of it is read.
typedef struct {
  int64_t sizes[SN_MAX_DIMS];
  MlirAffineExpr e[SN_MAX_DIMS];
  intptr_t of[SN_MAX_DIMS]; // which dimension of the tensor each is, or is a part of
  intptr_t n;
  intptr_t last; // what was taken apart last, -1: nothing
  bool whole;    // only what is read whole is taken apart
} Place;

static Place place_of(const SnAccess *a) {
  Place p = {.n = sn_rank(sn_type_of(a->value)), .last = -1};
  for (intptr_t i = 0; i < p.n; ++i) {
    p.sizes[i] = sn_dim(sn_type_of(a->value), i);
    p.e[i] = mlirAffineMapGetResult(a->map, i);
    p.of[i] = i;
  }
  return p;
}

// [[0], [1, 2], [3]]
static MlirAttribute groups_of(MlirContext ctx, const intptr_t *of, intptr_t n) {
  MlirAttribute groups[SN_MAX_DIMS], members[SN_MAX_DIMS];
  intptr_t rank = 0, count = 0;
  for (intptr_t i = 0; i < n; ++i) {
    members[count++] = sn_i64(ctx, i);
    if (i + 1 < n && of[i + 1] == of[i])
      continue;
    groups[rank++] = mlirArrayAttrGet(ctx, count, members);
    count = 0;
  }
  return mlirArrayAttrGet(ctx, rank, groups);
}

static MlirValue expanded(SnBuilder *b, MlirValue v, const Place *p) {
  MlirType t = sn_type_of(v);
  intptr_t dynamic = 0;
  MlirValue sizes[SN_MAX_DIMS];
  for (intptr_t i = 0; i < sn_rank(t); ++i)
    if (sn_dim(t, i) == SN_DYNAMIC)
      sizes[dynamic++] = sn(b, "tensor.dim", v, sn_index(b, i), sn_index_type(b->ctx));
  return sn(b, "tensor.expand_shape", v, sn_values(dynamic, sizes), sn_tensor(sn_element(t), p->n, p->sizes),
            sn_attr("reassociation", groups_of(b->ctx, p->of, p->n)),
            sn_attr("static_output_shape", mlirDenseI64ArrayGet(b->ctx, p->n, p->sizes)));
}

// All of d, which is the first of several such parts: what is left of a subscript that was taken apart.
static bool is_first_part(const SnForm *f, MlirAffineExpr e, int64_t all, MlirAffineExpr *outer, int64_t *d) {
  if (!mlirAffineExprIsADim(e))
    return false;
  *d = mlirAffineDimExprGetPosition(e);
  *outer = mlirAffineConstantExprGet(mlirAffineExprGetContext(e), 0);
  int64_t n = f->dims.data[*d].size;
  return n != SN_DYNAMIC && n > 1 && n < all && all % n == 0;
}

// One subscript becomes two: which, -1 where none is.
static intptr_t take_one(const SnForm *f, Place *p, MlirContext ctx) {
  MlirAffineExpr outer;
  int64_t d = 0;
  intptr_t at = 0;
  while (at < p->n && !is_two(f, p->e[at], p->sizes[at], at == p->last, p->whole, &outer, &d) &&
         !(at == p->last && !p->whole && is_first_part(f, p->e[at], p->sizes[at], &outer, &d)))
    ++at;
  if (at == p->n || p->n + 1 > SN_MAX_DIMS)
    return -1;
  for (intptr_t i = p->n++; i > at + 1; --i) {
    p->sizes[i] = p->sizes[i - 1];
    p->e[i] = p->e[i - 1];
    p->of[i] = p->of[i - 1];
  }
  p->of[at + 1] = p->of[at];
  p->sizes[at + 1] = f->dims.data[d].size;
  p->sizes[at] /= p->sizes[at + 1];
  p->e[at] = outer;
  p->e[at + 1] = mlirAffineDimExprGet(ctx, (intptr_t)d);
  return p->last = at;
}

static bool can_be_apart(const SnAccess *a) { return !a->fill.ptr && !a->through.ptr && !sn_is_table(a); }

static void read_place(SnBuilder *b, SnAccess *a, const Place *p, MlirValue is) {
  a->value = is;
  a->map = mlirAffineMapGet(b->ctx, mlirAffineMapGetNumDims(a->map), 0, p->n, (MlirAffineExpr *)p->e);
}

intptr_t sn_take_apart(SnBuilder *b, const SnForm *f, SnAccess *a) {
  Place p = place_of(a);
  intptr_t at = can_be_apart(a) ? take_one(f, &p, b->ctx) : -1;
  if (at >= 0)
    read_place(b, a, &p, expanded(b, a->value, &p));
  return at;
}

// All of the subscripts; false where there is none to take apart.
static bool take_all(const SnForm *f, const SnAccess *a, bool whole, Place *p) {
  MlirContext ctx = mlirOperationGetContext(f->op);
  bool any = false;
  *p = place_of(a);
  p->whole = whole;
  while (can_be_apart(a) && take_one(f, p, ctx) >= 0)
    any = true;
  return any;
}

bool sn_take_all_apart(SnBuilder *b, const SnForm *f, SnAccess *a) {
  Place p;
  bool any = take_all(f, a, false, &p);
  if (any)
    read_place(b, a, &p, expanded(b, a->value, &p));
  return any;
}

MlirValue sn_put_together(SnBuilder *b, MlirValue v, MlirType to, intptr_t at) {
  intptr_t of[SN_MAX_DIMS], n = sn_rank(sn_type_of(v));
  for (intptr_t i = 0; i < n; ++i)
    of[i] = i - (i > at);
  return sn(b, "tensor.collapse_shape", v, to, sn_attr("reassociation", groups_of(b->ctx, of, n)));
}

// ---- arguments ------------------------------------------------------------------------------------------

// What the argument is taken apart to wherever it is: sizes; n is -1 where they differ, 0 where it stays.
typedef struct {
  MlirValue is; // so taken apart, once for all that read it
  Place to;
  bool parts; // something reads a part of what it is apart
} Argument;
typedef struct {
  SN_VEC(Argument) list;
  SnTable places; // of each argument in the list
} Arguments;

// Until another one is asked for.
static Argument *find_argument(Arguments *all, MlirValue v) {
  uintptr_t at = all->list.size;
  if (!sn_table_get(&all->places, v.ptr, &at)) {
    sn_table_put(&all->places, v.ptr, at);
    sn_push(&all->list, (Argument){0});
  }
  return &all->list.data[at];
}

static void plan_arguments(Arguments *all, MlirOperation op) {
  SnForm f = sn_form_read(op);
  for (size_t k = 0; k < f.inputs.size && !f.schedule.ptr; ++k) {
    const SnAccess *a = &f.inputs.data[k];
    Place p, whole;
    if (!mlirValueIsABlockArgument(a->value) || !take_all(&f, a, false, &p))
      continue;
    Argument *is = find_argument(all, a->value);
    is->parts |= !take_all(&f, a, true, &whole) || whole.n != p.n;
    if (!is->to.n)
      is->to = p;
    else if (is->to.n != p.n || memcmp(is->to.sizes, p.sizes, (size_t)p.n * sizeof *p.sizes))
      is->to.n = -1;
  }
  sn_form_free(&f);
}

static void arguments_of(Arguments *all, MlirOperation op) {
  SnForm f = sn_form_read(op), to = sn_form_read(op);
  SnBuilder b = sn_before(op);
  bool changed = false;
  for (size_t k = 0; k < to.inputs.size && !f.schedule.ptr; ++k) {
    SnAccess *a = &to.inputs.data[k];
    Place p;
    if (!mlirValueIsABlockArgument(a->value))
      continue;
    Argument *from = find_argument(all, a->value);
    bool alike = from->parts && from->to.n > 0;
    if (!take_all(&f, a, !alike, &p))
      continue;
    if (alike && sn_none(from->is)) {
      SnBuilder first = sn_at_start(mlirBlockArgumentGetOwner(a->value), b.loc);
      from->is = expanded(&first, a->value, &p);
    }
    read_place(&b, a, &p, alike ? from->is : expanded(&b, a->value, &p));
    changed = true;
  }
  if (changed) {
    sn_with_other_sides(&b, &f, &to);
    mlirOperationDestroy(op);
  }
  sn_form_free(&f);
  sn_form_free(&to);
}

void sn_take_arguments_apart(MlirOperation func) {
  static const char *const names[] = {"sinter.rowwise", "sinter.contract"};
  Arguments all = {0};
  for (int taken = 0; taken < 2; ++taken)
    for (int i = 0; i < 2; ++i) {
      SnOpVec forms = sn_collect(func, names[i]);
      for (size_t k = 0; k < forms.size; ++k)
        if (taken)
          arguments_of(&all, forms.data[k]);
        else
          plan_arguments(&all, forms.data[k]);
      sn_vec_free(&forms);
    }
  sn_vec_free(&all.list);
  sn_table_free(&all.places);
}
