// product_fetch.c: a side of a product on its way from memory to a block's shared memory.
//
//   w[k, j], lines along k in shared memory    ->   thread t: vector.load of 4 columns, vector.store to line k
//   the same, lines along j                    ->   thread t: vector.load of 4 columns, each to its own line
//
// A side is read element by element, or by vectors of 16 bytes where all of them are aligned and in the side or out of
// it: neighbouring threads read along the dimension in which the side's neighbours lie together. So any access can be
// one. Beside its ends there are zeros. Elements are loaded without a branch, the first one of the side in place of
// what is beside its ends, and nobody looks at them before they are put: all of a thread's are under way at once. What
// is beside is one bit of a word for each.
//
// test: test/lowering/gpu/products.mlir, test/gpu/emulate_products.test

#include "lowering/gpu/products/product_fetch.h"
#include "dialect/row_ops.h"
#include "lowering/rows/rowmemory.h"

enum { VECTOR_BYTES = 16, MASK_BITS = 32 };

// ---- which way -----------------------------------------------------------------------------

static int64_t lanes_of(const SnForm *f, const SnGpuSide *s) {
  int64_t lanes = VECTOR_BYTES * 8 / (int64_t)sn_bits(sn_element(sn_type_of(s->access->value))),
          inner = s->along_sum ? s->k : s->extent, all = s->extent * s->k / s->g->k->threads;
  while (lanes > 1 && (inner % lanes || all % lanes ||
                       !sn_gpu_are_vectors(f, s->access, s->along_sum ? &s->summed : s->outer, lanes)))
    lanes /= 2;
  return lanes < 1 ? 1 : lanes;
}

static bool is_zero(MlirAttribute fill) {
  return mlirAttributeIsAFloat(fill) ? mlirFloatAttrGetValueDouble(fill) == 0
                                     : mlirAttributeIsAInteger(fill) && mlirIntegerAttrGetValueSInt(fill) == 0;
}

// Its first element is there, and may be loaded in place of any other.
static bool has_first(const SnAccess *a) {
  MlirType t = sn_type_of(a->value);
  bool has = mlirShapedTypeHasStaticShape(t) && !mlirMemRefTypeGetMemorySpace(t).ptr && !a->through.ptr &&
             (!a->fill.ptr || is_zero(a->fill));
  for (intptr_t i = 0; i < sn_rank(t) && has; ++i)
    has = sn_dim(t, i) > 0;
  return has;
}

SnGpuSide sn_gpu_side(SnBuilder *b, SnGpuProducts *g, const SnGpuProduct *p, bool is_a, MlirType type) {
  const SnForm *f = g->form;
  SnSide side = sn_side(f, is_a ? p->a : p->b);
  SnGpuSide s = {.g = g,
                 .access = &f->inputs.data[side.first],
                 .type = type,
                 .outer = is_a ? &g->plan->points.rows : &g->plan->points.columns,
                 .first = is_a ? g->first_row : g->first_column,
                 .size = is_a ? g->num_rows : g->num_columns,
                 .sum = sn_form_sizes(b, f, p->summed.first, p->summed.num_dims),
                 .extent = is_a ? g->plan->m : g->plan->n,
                 .k = g->plan->k};
  for (int64_t d = p->summed.first; d < p->summed.first + p->summed.num_dims; ++d)
    s.summed.dims[s.summed.n++] = d;
  s.along_sum = sn_gpu_is_along(f, s.access, &s.summed);
  s.lanes = lanes_of(f, &s);
  s.count = s.extent * s.k / g->k->threads / s.lanes;
  s.masks = s.lanes == 1 && has_first(s.access) ? sn_pieces(s.count, MASK_BITS) : 0;
  return s;
}

// ---- elements --------------------------------------------------------------------------------

// Where the thread's vector i begins: which of the k, and which of the tile's rows or columns.
static void place_of(SnBuilder *b, const SnGpuSide *s, int64_t i, MlirValue *summed, MlirValue *outer) {
  const SnGpuKernel *k = s->g->k;
  MlirValue number = i ? sn(b, "arith.addi", k->thread, sn_index(b, i * k->threads)) : k->thread,
            inner = sn_index(b, (s->along_sum ? s->k : s->extent) / s->lanes),
            low = sn(b, "arith.remui", number, inner), high = sn(b, "arith.divui", number, inner);
  if (s->lanes > 1)
    low = sn(b, "arith.muli", low, sn_index(b, s->lanes));
  *summed = s->along_sum ? low : high;
  *outer = s->along_sum ? high : low;
}

static MlirValue load(SnBuilder *b, const SnGpuSide *s, const MlirValue *dims) {
  const SnAccess *a = s->access;
  MlirValue at[SN_MAX_DIMS];
  if (s->lanes == 1)
    return sn_row_load(b, s->g->form, a, dims);
  MlirType vector = sn_vector(sn_element(sn_type_of(a->value)), s->lanes);
  MlirValue inside = {0};
  intptr_t n = sn_row_subscripts(b, s->g->form, a, dims, at, &inside);
  SnIf in;
  if (!sn_none(inside))
    in = sn_if(b, inside, vector);
  MlirValue x = sn(b, "vector.load", a->value, sn_values(n, at), vector,
                   sn_attr("alignment", sn_i64(b->ctx, s->lanes * sn_bits(sn_element(vector)) / 8)));
  if (sn_none(inside))
    return x;
  sn_else(b, &in, x);
  sn_end_if(b, &in, sn_splat(b, vector, a->fill));
  return sn_result(in.op, 0);
}

static MlirValue fetch(SnBuilder *b, const SnGpuSide *s, MlirValue first, int64_t i) {
  const SnForm *f = s->g->form;
  MlirValue dims[SN_MAX_DIMS], summed, outer;
  MlirType t = sn_lanes_of(s->type, s->lanes);
  place_of(b, s, i, &summed, &outer);
  summed = sn(b, "arith.addi", first, summed);
  outer = sn(b, "arith.addi", s->first, outer);
  SnIf inside = sn_if(b, sn(b, "arith.andi", sn_row_below(b, summed, s->sum), sn_row_below(b, outer, s->size)), t);
  memcpy(dims, s->g->dims, sizeof dims);
  sn_gpu_point(b, f, s->outer, outer, dims);
  sn_gpu_point(b, f, &s->summed, summed, dims);
  sn_else(b, &inside, sn_row_convert(b, load(b, s, dims), s->type));
  sn_end_if(b, &inside, sn_lanes_broadcast(b, sn_gpu_zero(b, s->type), s->lanes));
  return sn_result(inside.op, 0);
}

// Summed dimensions lie behind one another in memory: as far as the last one says by itself.
static bool sum_lies_flat(const SnGpuSide *s) {
  const SnForm *f = s->g->form;
  int64_t factors[SN_MAX_DIMS];
  bool flat = !s->access->fill.ptr && s->summed.n > 1 &&
              sn_linear_factors(s->access->map, sn_type_of(s->access->value), factors);
  for (size_t i = 0; flat && i + 1 < s->summed.n; ++i) {
    int64_t d = s->summed.dims[i], next = s->summed.dims[i + 1], size = f->dims.data[next].size;
    flat = size != SN_DYNAMIC && factors[d] == sn_times(factors[next], size);
  }
  return flat;
}

static void sum_point(SnBuilder *b, const SnGpuSide *s, MlirValue summed, MlirValue *dims) {
  if (!sum_lies_flat(s)) {
    sn_gpu_point(b, s->g->form, &s->summed, summed, dims);
    return;
  }
  for (size_t i = 0; i < s->summed.n; ++i)
    dims[s->summed.dims[i]] = i + 1 < s->summed.n ? sn_index(b, 0) : summed;
}

// Of a point of the tile; null: all subscripts are inside. A dimension as long as the tensor's is.
static MlirValue inside_of(SnBuilder *b, const SnForm *f, const SnAccess *a, const MlirValue *at) {
  MlirType t = sn_type_of(a->value);
  MlirValue inside = {0};
  for (intptr_t i = 0; i < sn_rank(t) && a->fill.ptr; ++i) {
    MlirAffineExpr e = mlirAffineMapGetResult(a->map, i);
    if (mlirAffineExprIsADim(e) && f->dims.data[mlirAffineDimExprGetPosition(e)].size == sn_dim(t, i))
      continue;
    MlirValue in = sn_row_below(b, at[i], sn_index(b, sn_dim(t, i)));
    inside = sn_none(inside) ? in : sn(b, "arith.andi", inside, in);
  }
  return inside;
}

// An element as memory has it, and whether it is one of the side's.
static MlirValue load_element(SnBuilder *b, const SnGpuSide *s, MlirValue first, int64_t i, MlirValue *in) {
  const SnForm *f = s->g->form;
  MlirValue dims[SN_MAX_DIMS], at[SN_MAX_DIMS + 1], summed, outer, unused, offset;
  place_of(b, s, i, &summed, &outer);
  summed = sn(b, "arith.addi", first, summed);
  outer = sn(b, "arith.addi", s->first, outer);
  *in = sn(b, "arith.andi", sn_row_below(b, summed, s->sum), sn_row_below(b, outer, s->size));
  memcpy(dims, s->g->dims, sizeof dims);
  sn_gpu_point(b, f, s->outer, outer, dims);
  sum_point(b, s, summed, dims);
  sn_row_subscripts(b, f, s->access, dims, at, &unused);
  MlirValue inside = inside_of(b, f, s->access, at);
  if (!sn_none(inside))
    *in = sn(b, "arith.andi", *in, inside);
  MlirValue whole = sn_row_flat(b, s->access->value, at, &offset);
  offset = sn(b, "arith.select", *in, offset, sn_index(b, 0));
  return sn(b, "memref.load", whole, offset, sn_element(sn_type_of(s->access->value)));
}

void sn_gpu_fetch_side(SnBuilder *b, const SnGpuSide *s, MlirValue first, MlirValue *to) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32);
  for (int64_t i = 0; i < s->masks; ++i)
    to[s->count + i] = sn_int(b, i32, 0);
  for (int64_t i = 0; i < s->count; ++i) {
    if (!s->masks) {
      to[i] = fetch(b, s, first, i);
      continue;
    }
    MlirValue in, *mask = &to[s->count + i / MASK_BITS], bit = sn_int(b, i32, (int32_t)(1u << i % MASK_BITS));
    to[i] = load_element(b, s, first, i, &in);
    *mask = sn(b, "arith.ori", *mask, sn(b, "arith.select", in, bit, sn_int(b, i32, 0)));
  }
}

// Element i as the tile has it.
static MlirValue element_of(SnBuilder *b, const SnGpuSide *s, const MlirValue *from, int64_t i) {
  if (!s->masks)
    return from[i];
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32);
  MlirValue bit = sn_int(b, i32, (int32_t)(1u << i % MASK_BITS)),
            in = sn(b, "arith.cmpi", sn(b, "arith.andi", from[s->count + i / MASK_BITS], bit), sn_int(b, i32, 0),
                    sn_attr("predicate", sn_i64(b->ctx, 1))); // ne
  return sn(b, "arith.select", in, sn_row_convert(b, from[i], s->type), sn_gpu_zero(b, s->type));
}

void sn_gpu_put_side(SnBuilder *b, const SnGpuSide *s, MlirValue memory, bool lines_of_sum, MlirValue line,
                     const MlirValue *from) {
  int64_t bytes = s->lanes * sn_scratch_bytes(s->type);
  for (int64_t i = 0; i < s->count; ++i) {
    MlirValue summed, outer;
    place_of(b, s, i, &summed, &outer);
    bool together = s->along_sum != lines_of_sum; // neighbours are of one line
    for (int64_t l = 0; l < (together ? 1 : s->lanes); ++l) {
      MlirValue *moved = s->along_sum ? &summed : &outer, was = *moved;
      *moved = l ? sn(b, "arith.addi", was, sn_index(b, l)) : was;
      MlirValue at[] = {sn(b, "arith.addi", line, lines_of_sum ? summed : outer), lines_of_sum ? outer : summed};
      bool vector = together && s->lanes > 1;
      sn_scratch_store(
          b, vector || s->lanes == 1 ? element_of(b, s, from, i) : sn_lane(b, from[i], l), memory, sn_values(2, at),
          vector ? sn_attr("alignment", sn_i64(b->ctx, bytes < VECTOR_BYTES ? bytes : VECTOR_BYTES)) : sn_no_attr());
      *moved = was;
    }
  }
}

// ---- sides that are computed ---------------------------------------------------------------------------

// The program at one element, where its accesses give x.
static MlirValue computed(SnBuilder *b, const SnForm *f, MlirBlock program, const MlirValue *x, const MlirValue *dims) {
  SnMap map = {0};
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(program); ++k)
    sn_map(&map, mlirBlockGetArgument(program, k), x[k]);
  MlirOperation end = mlirBlockGetTerminator(program);
  for (MlirOperation op = mlirBlockGetFirstOperation(program); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op)) {
    const SnRowOp *line = sn_row_op_of(op);
    MlirValue was = sn_result(op, 0), operands[SN_MAX_ELEMENTWISE], is;
    intptr_t n = sn_num_operands(op);
    MlirType element = sn_element(sn_type_of(was));
    for (intptr_t i = 0; i < n; ++i)
      operands[i] = sn_lookup(&map, sn_operand(op, i));
    if (line->id == SN_OP_constant)
      is = sn_constant(b, sn_constant_of(was));
    else if (line->names_dim)
      is = dims[sn_row_named_dim(f, op)];
    else if (line->cost == SN_COST_NONE && line->first == SN_READS_COLUMN) // a broadcast, or a detach
      is = operands[0];
    else
      is = sn_result(sn_clone_as(b, op, sn_values(n, operands), sn_types(1, &element)), 0);
    sn_map(&map, was, is);
  }
  MlirValue y = sn_lookup(&map, sn_operand(end, 0));
  sn_map_free(&map);
  return y;
}

// An element of the access, its fill value where that is beside its tensor, and element 0 where nobody asks (`in`).
static MlirValue load_filled(SnBuilder *b, const SnForm *f, const SnAccess *a, const MlirValue *dims, MlirValue in) {
  MlirValue at[SN_MAX_DIMS + 1], unused, offset;
  sn_row_subscripts(b, f, a, dims, at, &unused);
  MlirValue inside = inside_of(b, f, a, at), whole = sn_row_flat(b, a->value, at, &offset),
            there = sn_none(inside) ? in : sn(b, "arith.andi", in, inside);
  offset = sn(b, "arith.select", there, offset, sn_index(b, 0));
  MlirValue x = sn(b, "memref.load", whole, offset, sn_element(sn_type_of(a->value)));
  return sn_none(inside) ? x : sn(b, "arith.select", inside, x, sn_constant(b, a->fill));
}

void sn_gpu_compute_side(SnBuilder *b, const SnGpuSide *s, SnSide side, int64_t size, MlirValue memory,
                         bool lines_of_sum, MlirValue line) {
  const SnForm *f = s->g->form;
  const SnGpuKernel *k = s->g->k;
  int64_t threads = k->threads, n = sn_pieces(s->extent * s->k, threads), loaded = 0;
  MlirValue *x = sn_alloc((size_t)(n * (int64_t)side.count + 1) * sizeof *x), *in = sn_alloc((size_t)n * sizeof *in),
            *place = sn_alloc((size_t)n * sizeof *place), (*dims)[SN_MAX_DIMS] = sn_alloc((size_t)n * sizeof *dims);
  for (int64_t i = 0; i < n; ++i) {
    place[i] = i ? sn(b, "arith.addi", k->thread, sn_index(b, i * threads)) : k->thread;
    if (i * threads / s->k >= size) // no thread has a line there
      continue;
    MlirValue own = sn(b, "arith.divui", place[i], sn_index(b, s->k)),
              at = sn(b, "arith.remui", place[i], sn_index(b, s->k)), outer = sn(b, "arith.addi", s->first, own);
    in[i] = sn(b, "arith.andi", sn_row_below(b, at, s->sum), sn_row_below(b, outer, s->size));
    outer = sn(b, "arith.select", in[i], outer, sn_index(b, 0));
    memcpy(dims[i], s->g->dims, sizeof dims[i]);
    sn_gpu_point(b, f, s->outer, outer, dims[i]);
    sn_gpu_point(b, f, &s->summed, at, dims[i]);
    for (size_t a = 0; a < side.count; ++a)
      x[loaded++] = load_filled(b, f, &f->inputs.data[side.first + a], dims[i], in[i]);
  }
  loaded = 0;
  for (int64_t i = 0; i < n; ++i) {
    MlirValue own = sn(b, "arith.divui", place[i], sn_index(b, s->k)),
              at = sn(b, "arith.remui", place[i], sn_index(b, s->k)), y = sn_gpu_zero(b, s->type);
    if (!sn_none(in[i])) {
      MlirValue made = sn_row_convert(b, computed(b, f, side.program, &x[loaded], dims[i]), s->type);
      y = sn(b, "arith.select", in[i], made, y);
      loaded += (int64_t)side.count;
    }
    MlirValue to[] = {sn(b, "arith.addi", line, lines_of_sum ? at : own), lines_of_sum ? own : at};
    bool all = s->extent * s->k % threads == 0 || i + 1 < n;
    SnIf there = {0};
    if (!all)
      there = sn_if(b, sn_row_below(b, place[i], sn_index(b, s->extent * s->k)));
    sn_scratch_store(b, y, memory, sn_values(2, to), sn_no_attr());
    if (!all)
      sn_end_if(b, &there);
  }
  free(x);
  free(in);
  free(place);
  free(dims);
}

// ---- copies behind the threads' backs ----------------------------------------------------------------

bool sn_gpu_side_copies(const SnGpuSide *s, bool lines_of_sum) {
  MlirType element = sn_element(sn_type_of(s->access->value));
  int64_t bytes = s->lanes * (int64_t)sn_bits(element) / 8;
  const SnAccess *a = s->access;
  bool in_memory = !mlirMemRefTypeGetMemorySpace(sn_type_of(a->value)).ptr, // not shared memory
      filled = a->fill.ptr != NULL,
       zeros = filled && s->may_fill && bytes == VECTOR_BYTES && is_zero(a->fill) &&
               mlirShapedTypeHasStaticShape(sn_type_of(a->value));
  return in_memory && mlirTypeEqual(element, s->type) && s->along_sum != lines_of_sum && filled == zeros &&
         !a->through.ptr && (bytes == 4 || bytes == 8 || bytes == VECTOR_BYTES);
}

// How far into its memory is what the access reads, in elements; what is beside its tensor, of which `there` is false
// then, is not.
static MlirValue offset_of(SnBuilder *b, const SnForm *f, const SnAccess *a, const MlirValue *dims, MlirValue *there) {
  MlirValue offset = sn_index(b, 0), at[SN_MAX_DIMS];
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(a->map); ++i) {
    at[i] = sn_affine(b, mlirAffineMapGetResult(a->map, i), dims);
    offset = i ? sn(b, "arith.addi", sn(b, "arith.muli", offset, sn_dim_of(b, a->value, i)), at[i]) : at[i];
  }
  MlirValue inside = inside_of(b, f, a, at);
  if (sn_none(inside))
    return offset;
  *there = sn(b, "arith.andi", *there, inside);
  return sn(b, "arith.select", inside, offset, sn_index(b, 0));
}

void sn_gpu_copy_side(SnBuilder *b, const SnGpuSide *s, MlirValue first, MlirValue to, bool lines_of_sum,
                      MlirValue line) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32), i64 = mlirIntegerTypeGet(b->ctx, 64);
  int64_t element = (int64_t)sn_bits(s->type) / 8, bytes = s->lanes * element, length = sn_dim(sn_type_of(to), 1);
  MlirValue memory = sn_gpu_shared_address(b, to), address = s->g->addresses[s->access - s->g->form->inputs.data];
  for (int64_t i = 0; i < s->count; ++i) {
    MlirValue dims[SN_MAX_DIMS], summed, outer;
    place_of(b, s, i, &summed, &outer);
    MlirValue offset = sn(b, "arith.muli", sn(b, "arith.addi", line, lines_of_sum ? summed : outer),
                          sn_index(b, length * element)),
              in_line = sn(b, "arith.muli", lines_of_sum ? outer : summed, sn_index(b, element));
    offset = sn(b, "arith.index_cast", sn(b, "arith.addi", offset, in_line), i32);
    summed = sn(b, "arith.addi", first, summed);
    outer = sn(b, "arith.addi", s->first, outer);
    MlirValue there = sn(b, "arith.andi", sn_row_below(b, summed, s->sum), sn_row_below(b, outer, s->size));
    memcpy(dims, s->g->dims, sizeof dims);
    sn_gpu_point(b, s->g->form, s->outer, outer, dims);
    sn_gpu_point(b, s->g->form, &s->summed, summed, dims);
    MlirValue begin = offset_of(b, s->g->form, s->access, dims, &there),
              from = sn(b, "arith.muli", sn(b, "arith.index_castui", begin, i64), sn_int(b, i64, element)),
              read = sn(b, "arith.select", there, sn_int(b, i32, bytes), sn_int(b, i32, 0));
    sn_gpu_copy_async(b, sn(b, "arith.addi", memory, offset), sn(b, "arith.addi", address, from), bytes, read);
  }
}

MlirValue sn_gpu_side_view(SnBuilder *b, MlirValue bytes, int64_t lines, int64_t elements, MlirType element) {
  int64_t shape[] = {lines, elements};
  MlirType t = mlirMemRefTypeContiguousGet(element, 2, shape, mlirMemRefTypeGetMemorySpace(sn_type_of(bytes)));
  return sn(b, "memref.view", bytes, sn_index(b, 0), t);
}

MlirValue sn_gpu_zero(SnBuilder *b, MlirType t) {
  return sn_constant(b, sn_is_float(t) ? mlirFloatAttrDoubleGet(b->ctx, t, 0) : mlirIntegerAttrGet(t, 0));
}
