// one_place.c: what is put into one place of a tensor is chosen at each element.
//
//   %y = tm_tensor.scatter {dimension_map = [0, 1, 2]}           %y = linalg.generic (h, p, d)
//   ins(%u : tensor<32x1x1x1xf32>, %t : tensor<32x3xi64>)   ->     ins(%c[h, p, d], %k[h, 0, d], %at[0]) {
//   outs(%c : tensor<2x9x16xf32>)                                    cf.assert %at < 9
//   of %u[n] = %k[n / 16, 0, n mod 16]                               yield p == %at ? %k : %c
//   and %t[n] = (n / 16, %at[0], n mod 16)                         }
//
//   %y = tensor.insert_slice %k into %c[0, %i, 0] [2, 1, 16] [1, 1, 1]   ->   the same, with all that computes %i of
//   of a number %i that is computed from tensor.extract %at[0]                elements, and what is asserted of them
//
// PyTorch's cache[:, at] = k and index_copy are such scatters: torch-mlir writes down the place of each number. As a
// scatter it is steps that nothing is fused with, behind kernels that write indices down; as a slice, a number that the
// host reads. A choice is a form, and where the result lies in place of %c one position is stored
// (sequence/in_place.c).
//
// A slice is put into an argument of the function: of that a copy is made anyway, and in place of other tensors a slice
// is stored where they are.
//
// runs in: sinter-cpu, sinter-gpu    test: test/passes/program/one_place.mlir, test/run/in_place.test

#include "passes/program/tensor_steps.h"

enum { EQUAL = 0, BELOW = 6, MOST_INPUTS = 16 };
enum { UPDATE = -1 }; // what a digit is of: the number of an update

// (number / stride) mod size, the number being that of an update, or the position in dimension `of` of what is written.
// A size of 1 is 0.
typedef struct {
  intptr_t of;
  int64_t stride, size;
} Digit;

static const Digit none = {0, 1, 1};

static bool is_same(Digit x, Digit y) {
  return x.size == y.size && (x.size == 1 || (x.of == y.of && x.stride == y.stride));
}

static int64_t elements(MlirType t) {
  int64_t n = 1;
  for (intptr_t d = 0; d < sn_rank(t); ++d)
    n = sn_times(n, sn_dim(t, d));
  return n;
}

static bool is_known(MlirType t) {
  return mlirTypeIsARankedTensor(t) && mlirShapedTypeHasStaticShape(t) && sn_rank(t) <= SN_MAX_DIMS;
}

// ---- which element of what a view shows ------------------------------------------------------------

static MlirAttribute group_of(MlirOperation op, intptr_t g) {
  return mlirArrayAttrGetElement(sn_get_attr(op, "reassociation"), g);
}

static intptr_t member(MlirAttribute group, intptr_t k) {
  return (intptr_t)mlirIntegerAttrGetValueInt(mlirArrayAttrGetElement(group, k));
}

// x * size of y + y
static bool join(Digit *x, Digit y) {
  if (x->size == 1 || y.size == 1) {
    *x = x->size == 1 ? y : *x;
    return true;
  }
  if (x->of != y.of || x->stride != y.stride * y.size)
    return false;
  *x = (Digit){x->of, y.stride, sn_times(x->size, y.size)};
  return true;
}

static bool through_expand(MlirOperation op, Digit *at) {
  Digit from[SN_MAX_DIMS];
  intptr_t rank = sn_rank(sn_type_of(sn_operand(op, 0)));
  for (intptr_t g = 0; g < rank; ++g) {
    MlirAttribute group = group_of(op, g);
    from[g] = none;
    for (intptr_t k = 0; k < mlirArrayAttrGetNumElements(group); ++k)
      if (!join(&from[g], at[member(group, k)]))
        return false;
  }
  memcpy(at, from, (size_t)rank * sizeof *at);
  return true;
}

static bool through_collapse(MlirOperation op, Digit *at) {
  Digit from[SN_MAX_DIMS];
  MlirType t = sn_type_of(sn_operand(op, 0));
  for (intptr_t d = 0; d < sn_rank(t); ++d)
    from[d] = none;
  for (intptr_t g = 0; g < sn_rank(sn_type_of(sn_result(op, 0))); ++g) {
    MlirAttribute group = group_of(op, g);
    int64_t stride = at[g].stride;
    for (intptr_t k = mlirArrayAttrGetNumElements(group); at[g].size > 1 && k-- > 0;) {
      intptr_t d = member(group, k);
      from[d] = (Digit){at[g].of, stride, sn_dim(t, d)};
      stride = sn_times(stride, sn_dim(t, d));
    }
  }
  memcpy(at, from, (size_t)sn_rank(t) * sizeof *at);
  return true;
}

static MlirAffineMap map_of(MlirOperation generic, intptr_t k) {
  return mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(sn_get_attr(generic, "indexing_maps"), k));
}

static MlirBlock body_of(MlirOperation generic) { return mlirRegionGetFirstBlock(mlirOperationGetRegion(generic, 0)); }

// One that gives elements of an input as they are, and more than once. The input; -1: it is none.
static intptr_t repeated(MlirOperation op) {
  if (!sn_is(op, "linalg.generic") || sn_num_results(op) != 1 ||
      !sn_is(mlirBlockGetFirstOperation(body_of(op)), "linalg.yield") ||
      !mlirAffineMapIsIdentity(map_of(op, sn_num_operands(op) - 1)))
    return -1;
  MlirValue v = sn_operand(mlirBlockGetTerminator(body_of(op)), 0);
  intptr_t k = mlirValueIsABlockArgument(v) ? mlirBlockArgumentGetArgNumber(v) : sn_num_operands(op);
  return k < sn_num_operands(op) - 1 ? k : -1;
}

static bool through_generic(MlirOperation op, intptr_t k, Digit *at) {
  MlirAffineMap map = map_of(op, k);
  Digit from[SN_MAX_DIMS];
  intptr_t rank = mlirAffineMapGetNumResults(map);
  for (intptr_t i = 0; i < rank; ++i) {
    MlirAffineExpr e = mlirAffineMapGetResult(map, i);
    bool zero = mlirAffineExprIsAConstant(e) && !mlirAffineConstantExprGetValue(e);
    if (!zero && !mlirAffineExprIsADim(e))
      return false;
    from[i] = zero ? none : at[mlirAffineDimExprGetPosition(e)];
  }
  memcpy(at, from, (size_t)rank * sizeof *at);
  return true;
}

// What shows the same element, and where.
static bool look_through(MlirValue *v, Digit *at) {
  MlirOperation op = sn_definer(*v);
  intptr_t k = sn_null(op) ? -1 : repeated(op);
  bool seen = k >= 0                               ? through_generic(op, k, at)
              : sn_is(op, "tensor.expand_shape")   ? through_expand(op, at)
              : sn_is(op, "tensor.collapse_shape") ? through_collapse(op, at)
                                                   : false;
  if (seen)
    *v = sn_operand(op, k >= 0 ? k : 0);
  return seen && is_known(sn_type_of(*v));
}

// The dimension whose position each element of a linalg.generic is; -1: it is another one.
static intptr_t counted(MlirValue v) {
  MlirOperation op = sn_def(v, "linalg.generic");
  if (sn_null(op) || sn_num_operands(op) != 1 || !mlirAffineMapIsIdentity(map_of(op, 0)))
    return -1;
  MlirOperation is = sn_definer(sn_operand(mlirBlockGetTerminator(body_of(op)), 0));
  if (sn_is(is, "arith.index_cast"))
    is = sn_definer(sn_operand(is, 0));
  return sn_is(is, "linalg.index") ? (intptr_t)sn_int_attr(is, "dim", -1) : -1;
}

// ---- one place ------------------------------------------------------------------------------------

typedef struct {
  MlirOperation op;
  MlirValue x, u;              // what is written to, and what is put there
  intptr_t dim;                // of x, that has the place
  Digit position[SN_MAX_DIMS]; // in each dimension of x, of an update; none in `dim`
  Digit from[SN_MAX_DIMS];     // the element of u
  MlirValue at;                // the place: a tensor of one element, or a number
  const char *message;
} Place;

// Column k of the indices says a place of x's dimension d, or which update this is.
static bool read_column(Place *p, MlirValue t, intptr_t k, intptr_t d, int64_t updates) {
  MlirOperation concat = sn_def(t, "tensor.concat");
  Digit at[SN_MAX_DIMS] = {{UPDATE, 1, updates}, none};
  if (!sn_null(concat)) {
    if (sn_int_attr(concat, "dim", 0) != 1 || sn_num_operands(concat) != sn_dim(sn_type_of(t), 1))
      return false;
    t = sn_operand(concat, k);
  } else if (sn_dim(sn_type_of(t), 1) != 1) {
    return false;
  }
  for (;;) {
    intptr_t c = counted(t);
    if (c >= 0) {
      p->position[d] = at[c];
      return at[c].size == sn_dim(sn_type_of(p->x), d);
    }
    if (elements(sn_type_of(t)) == 1) {
      bool first = p->dim < 0;
      p->dim = d;
      p->at = t;
      p->position[d] = none;
      return first;
    }
    if (!look_through(&t, at))
      return false;
  }
}

// Each place has one update: what columns count are the digits of an update's number, each once.
static bool is_each_once(const Place *p, int64_t updates) {
  int64_t stride = 1;
  intptr_t rank = sn_rank(sn_type_of(p->x)), left = 0;
  for (intptr_t d = 0; d < rank; ++d)
    left += p->position[d].of == UPDATE && p->position[d].size > 1;
  for (intptr_t found = 0; found >= 0 && stride < updates;) {
    found = -1;
    for (intptr_t d = 0; d < rank && found < 0; ++d)
      if (p->position[d].of == UPDATE && p->position[d].size > 1 && p->position[d].stride == stride)
        found = d;
    if (found >= 0) {
      stride *= p->position[found].size;
      --left;
    }
  }
  return stride == updates && !left;
}

// The dimension of x that a digit is the position in; -1: of none.
static intptr_t dim_of(const Place *p, Digit digit) {
  for (intptr_t d = 0; d < sn_rank(sn_type_of(p->x)); ++d)
    if (is_same(p->position[d], digit))
      return d;
  return -1;
}

static bool find_updates(Place *p) {
  Digit from[SN_MAX_DIMS];
  memcpy(from, p->from, sizeof from);
  for (MlirValue u = p->u;;) {
    bool all = true;
    for (intptr_t i = 0; i < sn_rank(sn_type_of(u)); ++i)
      all &= from[i].size == 1 || dim_of(p, from[i]) >= 0;
    if (all) {
      p->u = u;
      memcpy(p->from, from, sizeof from);
      return true;
    }
    if (!look_through(&u, from))
      return false;
  }
}

// Updates that lie in a row and nowhere else get a dimension for each digit of their number, the last one first.
static bool split_updates(Place *p) {
  MlirType t = sn_type_of(p->u);
  SnBuilder b = sn_before(p->op);
  intptr_t rank = sn_rank(t), n = 0;
  int64_t shape[SN_MAX_DIMS];
  Digit digits[SN_MAX_DIMS];
  MlirAttribute groups[SN_MAX_DIMS];
  for (int64_t stride = sn_dim(t, 0); stride > 1;) {
    intptr_t d = 0;
    while (p->position[d].of != UPDATE || p->position[d].size == 1 ||
           p->position[d].stride * p->position[d].size != stride)
      ++d;
    digits[n] = p->position[d];
    shape[n++] = p->position[d].size;
    stride = p->position[d].stride;
  }
  if (!n || n + rank - 1 > SN_MAX_DIMS)
    return false;
  groups[0] = sn_members(b.ctx, 0, n);
  for (intptr_t i = 1; i < rank; ++i) {
    groups[i] = sn_members(b.ctx, n, n + 1);
    digits[n] = p->from[i];
    shape[n++] = sn_dim(t, i);
  }
  MlirType to = sn_tensor(sn_element(t), n, shape);
  p->u = sn_unfold(&b, p->u, to, mlirArrayAttrGet(b.ctx, rank, groups), p->u, 0);
  memcpy(p->from, digits, (size_t)n * sizeof *digits);
  return true;
}

static bool read_scatter(Place *p, MlirOperation op) {
  if (sn_num_operands(op) != 3 || sn_num_results(op) != 1)
    return false;
  MlirValue t = sn_operand(op, 1);
  *p = (Place){.op = op, .x = sn_operand(op, 2), .u = sn_operand(op, 0), .dim = -1};
  p->message = "an index of a scatter is out of range";
  MlirType to = sn_type_of(p->x), of = sn_type_of(p->u), index = sn_type_of(t);
  MlirAttribute map = sn_get_attr(op, "dimension_map");
  intptr_t rank = sn_rank(to), depth = map.ptr ? mlirDenseArrayGetNumElements(map) : 0,
           offset = rank - (sn_rank(of) - 1);
  if (!is_known(to) || !is_known(of) || !is_known(index) || sn_rank(index) != 2 || sn_dim(index, 1) != depth ||
      offset < 0 || sn_rank(of) < 1 || sn_dim(of, 0) != sn_dim(index, 0))
    return false;
  int64_t updates = sn_dim(of, 0);
  bool said[SN_MAX_DIMS] = {false};
  p->from[0] = updates == 1 ? none : (Digit){UPDATE, 1, updates};
  for (intptr_t k = 0; k < depth; ++k) {
    int64_t d = mlirDenseI64ArrayGetElement(map, k);
    if (d < 0 || d >= rank || said[d])
      return false;
    said[d] = true;
  }
  for (intptr_t d = 0; d < rank; ++d) {
    int64_t extent = d < offset ? 1 : sn_dim(of, d - offset + 1);
    if (said[d] ? extent != 1 : d < offset || extent != sn_dim(to, d))
      return false;
    p->position[d] = extent == 1 ? none : (Digit){d, 1, extent};
    if (d >= offset)
      p->from[d - offset + 1] = p->position[d];
  }
  for (intptr_t k = 0; k < depth; ++k)
    if (!read_column(p, t, k, mlirDenseI64ArrayGetElement(map, k), updates))
      return false;
  return p->dim >= 0 && is_each_once(p, updates) && (find_updates(p) || split_updates(p));
}

// ---- numbers that are computed from elements ----------------------------------------------------------

typedef struct {
  MlirOperation of[MOST_INPUTS]; // each a tensor.extract by subscripts that are constants
  intptr_t n;
} Extracts;

static bool is_constant(MlirValue v, int64_t *n) {
  MlirAttribute a = sn_constant_of(v);
  if (!a.ptr || !mlirAttributeIsAInteger(a))
    return false;
  *n = mlirIntegerAttrGetValueInt(a);
  return true;
}

static bool is_fixed(MlirOperation extract) {
  MlirType t = sn_type_of(sn_operand(extract, 0));
  bool all = is_known(t);
  for (intptr_t i = 0; all && i < sn_rank(t); ++i) {
    int64_t n = -1;
    all = is_constant(sn_operand(extract, 1 + i), &n) && n >= 0 && n < sn_dim(t, i);
  }
  return all;
}

// Whether it is computed by arith of elements; `grow`: more of them than there are in e may be.
static bool is_computed(Extracts *e, MlirValue v, bool grow) {
  if (sn_constant_of(v).ptr)
    return true;
  MlirOperation op = sn_definer(v);
  if (sn_null(op))
    return false;
  if (sn_is(op, "tensor.extract") && is_fixed(op)) {
    for (intptr_t k = 0; k < e->n; ++k)
      if (mlirOperationEqual(e->of[k], op))
        return true;
    if (!grow || e->n == MOST_INPUTS)
      return false;
    e->of[e->n++] = op;
    return true;
  }
  bool all = sn_in_dialect(op, "arith") && sn_num_results(op) == 1 && sn_num_operands(op) > 0 &&
             !mlirTypeIsARankedTensor(sn_type_of(v));
  for (intptr_t k = 0; all && k < sn_num_operands(op); ++k)
    all = is_computed(e, sn_operand(op, k), grow);
  return all;
}

static MlirValue computed(SnBuilder *in, SnMap *map, MlirValue v) {
  MlirValue had = sn_mapped(map, v);
  if (!sn_none(had))
    return had;
  MlirOperation op = sn_definer(v);
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    computed(in, map, sn_operand(op, k));
  MlirValue made = sn_result(sn_clone(in, op, map), 0);
  sn_map(map, v, made);
  return made;
}

// A slice of one place, and of all of the other dimensions.
static bool read_slice(Place *p, MlirOperation op, Extracts *e) {
  *p = (Place){.op = op, .x = sn_operand(op, 1), .u = sn_operand(op, 0), .dim = -1};
  p->message = "a slice is outside of the tensor that it is put into";
  MlirType to = sn_type_of(p->x), of = sn_type_of(p->u);
  MlirOperation owner = mlirValueIsABlockArgument(p->x) ? mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(p->x))
                                                        : (MlirOperation){0};
  if (!is_known(to) || !is_known(of) || sn_null(owner) || !sn_is(owner, "func.func") || sn_num_operands(op) != 3)
    return false;
  for (intptr_t d = 0, i = 0; d < sn_rank(to); ++d) {
    int64_t offset = mlirDenseI64ArrayGetElement(sn_get_attr(op, "static_offsets"), d),
            size = mlirDenseI64ArrayGetElement(sn_get_attr(op, "static_sizes"), d),
            stride = mlirDenseI64ArrayGetElement(sn_get_attr(op, "static_strides"), d);
    bool place = offset == SN_DYNAMIC && size == 1 && p->dim < 0;
    if (stride != 1 || !(place || (!offset && size == sn_dim(to, d))))
      return false;
    p->position[d] = size == 1 ? none : (Digit){d, 1, size};
    if (place)
      p->dim = d;
    for (; size > 1 && i < sn_rank(of) && sn_dim(of, i) == 1; ++i)
      p->from[i] = none;
    if (size > 1 && i < sn_rank(of))
      p->from[i++] = p->position[d];
    for (intptr_t rest = i; d == sn_rank(to) - 1 && rest < sn_rank(of); ++rest)
      p->from[rest] = none;
  }
  p->at = sn_operand(op, 2);
  return p->dim >= 0 && is_computed(e, p->at, true) && e->n;
}

// ---- as a choice ------------------------------------------------------------------------------------

typedef struct {
  MlirValue operand[MOST_INPUTS + 3];
  MlirAttribute map[MOST_INPUTS + 3];
  MlirType type[MOST_INPUTS + 3];
  MlirLocation loc[MOST_INPUTS + 3];
  intptr_t n;
} Inputs;

static void read(SnBuilder *b, Inputs *all, MlirValue v, MlirAffineMap map) {
  all->operand[all->n] = v;
  all->map[all->n] = mlirAffineMapAttrGet(map);
  all->type[all->n] = sn_element(sn_type_of(v));
  all->loc[all->n++] = b->loc;
}

static MlirAffineMap fixed_map(SnBuilder *b, MlirOperation extract, MlirType t, intptr_t dims) {
  MlirAffineExpr e[SN_MAX_DIMS];
  for (intptr_t i = 0; i < sn_rank(t); ++i) {
    int64_t n = 0;
    if (!sn_null(extract))
      is_constant(sn_operand(extract, 1 + i), &n);
    e[i] = mlirAffineConstantExprGet(b->ctx, n);
  }
  return mlirAffineMapGet(b->ctx, dims, 0, sn_rank(t), e);
}

static MlirAffineMap update_map(SnBuilder *b, const Place *p, intptr_t dims) {
  MlirAffineExpr e[SN_MAX_DIMS];
  intptr_t rank = sn_rank(sn_type_of(p->u));
  for (intptr_t i = 0; i < rank; ++i)
    e[i] = p->from[i].size == 1 ? mlirAffineConstantExprGet(b->ctx, 0)
                                : mlirAffineDimExprGet(b->ctx, dim_of(p, p->from[i]));
  return mlirAffineMapGet(b->ctx, dims, 0, rank, e);
}

// What the program asserts of the elements alone stands in the body from here on.
static void take_asserts(SnBuilder *in, SnMap *map, Extracts *e, MlirBlock block) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block), next; !sn_null(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (!sn_is(op, "cf.assert") || sn_constant_of(sn_operand(op, 0)).ptr || !is_computed(e, sn_operand(op, 0), false))
      continue;
    sn_op(in, "cf.assert", computed(in, map, sn_operand(op, 0)), sn_attr("msg", sn_get_attr(op, "msg")),
          sn_types(0, NULL));
    mlirOperationDestroy(op);
  }
}

static void choose(const Place *p, Extracts *e) {
  SnBuilder b = sn_before(p->op);
  MlirType t = sn_type_of(p->x), index = sn_index_type(b.ctx);
  intptr_t dims = sn_rank(t);
  Inputs all = {.n = 0};
  read(&b, &all, p->x, mlirAffineMapMultiDimIdentityGet(b.ctx, dims));
  read(&b, &all, p->u, update_map(&b, p, dims));
  if (!e)
    read(&b, &all, p->at, fixed_map(&b, (MlirOperation){0}, sn_type_of(p->at), dims));
  for (intptr_t k = 0; e && k < e->n; ++k)
    read(&b, &all, sn_operand(e->of[k], 0), fixed_map(&b, e->of[k], sn_type_of(sn_operand(e->of[k], 0)), dims));
  read(&b, &all, sn(&b, "tensor.empty", t), mlirAffineMapMultiDimIdentityGet(b.ctx, dims));
  MlirBlock block = mlirBlockCreate(all.n, all.type, all.loc);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  SnBuilder in = sn_at_end(block, b.loc);
  MlirValue at = mlirBlockGetArgument(block, 2),
            both[] = {mlirBlockGetArgument(block, 1), mlirBlockGetArgument(block, 0)};
  if (e) {
    SnMap map = {0};
    for (intptr_t k = 0; k < e->n; ++k)
      sn_map(&map, sn_result(e->of[k], 0), mlirBlockGetArgument(block, 2 + k));
    take_asserts(&in, &map, e, mlirOperationGetBlock(p->op));
    at = computed(&in, &map, p->at);
    sn_map_free(&map);
  }
  if (!mlirTypeIsAIndex(sn_type_of(at)))
    at = sn(&in, "arith.index_cast", at, index);
  MlirValue size = sn_index(&in, sn_dim(t, p->dim)),
            inside = sn(&in, "arith.cmpi", at, size, sn_attr("predicate", sn_i64(b.ctx, BELOW)));
  sn_op(&in, "cf.assert", inside, sn_attr("msg", sn_string(b.ctx, p->message)), sn_types(0, NULL));
  MlirValue here = sn(&in, "linalg.index", sn_attr("dim", sn_i64(b.ctx, p->dim)), index),
            is = sn(&in, "arith.cmpi", here, at, sn_attr("predicate", sn_i64(b.ctx, EQUAL)));
  MlirValue made = e ? both[0] : sn_inline_combiner(&in, p->op, both);
  sn_op(&in, "linalg.yield", sn(&in, "arith.select", is, made, both[1]), sn_types(0, NULL));
  MlirAttribute kinds[SN_MAX_DIMS];
  for (intptr_t d = 0; d < dims; ++d)
    kinds[d] = sn_parse_attr(b.ctx, "#linalg.iterator_type<parallel>");
  MlirValue y = sn(&b, "linalg.generic", sn_values(all.n, all.operand), t, region,
                   sn_attr("indexing_maps", mlirArrayAttrGet(b.ctx, all.n, all.map)),
                   sn_attr("iterator_types", mlirArrayAttrGet(b.ctx, dims, kinds)),
                   sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b.ctx, 2, (int32_t[]){(int32_t)all.n - 1, 1})));
  mlirValueReplaceAllUsesOfWith(sn_result(p->op, 0), y);
  mlirOperationDestroy(p->op);
}

// ---- the pass ---------------------------------------------------------------------------------------

typedef struct {
  const char *wrt;
} Options;
static const SnOption options[] = {
    {SN_OPTION_STRING, "wrt", "not empty: arguments that the program is differentiated by later, so scatters stay", "",
     NULL, offsetof(Options, wrt)},
    {0},
};

static MlirLogicalResult run(const SnRun *run, MlirOperation root) {
  const Options *o = run->options;
  SnOpVec scatters = sn_collect(root, "tm_tensor.scatter"), slices = sn_collect(root, "tensor.insert_slice"),
          asked = sn_collect(root, "sinter.differentiate");
  bool gradients = *o->wrt || asked.size;
  MlirType two[2];
  for (size_t i = 0; i < scatters.size && !gradients; ++i) {
    Place p;
    MlirOperation op = scatters.data[i];
    if (!read_scatter(&p, op))
      continue;
    two[0] = sn_element(sn_type_of(p.u));
    two[1] = sn_element(sn_type_of(p.x));
    if (sn_failed(sn_check_combiner(op, 2, two, two[1])))
      return SN_FAIL;
    choose(&p, NULL);
  }
  for (size_t i = 0; i < slices.size && !gradients; ++i) {
    Place p;
    Extracts e = {.n = 0};
    if (read_slice(&p, slices.data[i], &e))
      choose(&p, &e);
  }
  sn_vec_free(&scatters);
  sn_vec_free(&slices);
  sn_vec_free(&asked);
  return SN_OK;
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__cf__(void);
MlirDialectHandle mlirGetDialectHandle__linalg__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__, mlirGetDialectHandle__cf__,
                                                      mlirGetDialectHandle__linalg__, mlirGetDialectHandle__tensor__,
                                                      NULL};

const SnPass sn_pass_one_place = {
    .argument = "sinter-one-place",
    .summary = "what is put into one place of a tensor: a choice at each element",
    .options = options,
    .options_size = sizeof(Options),
    .dialects = dialects,
    .run = run,
};
