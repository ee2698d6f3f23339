// product_slots.c: a side of a product on its way from memory to a slot of wgmma, by threads.
//
//   by pieces     thread t: cp.async of 16, 8 or 4 bytes, zeros where they are beside the side
//   by vectors    thread t: one vector.load of up to 16 bytes, converted, vector.stores of 16 bytes
//   by elements   thread t: 8 loads of a line's neighbours' elements, one vector.store of 16 bytes
//
// Byte x of line l of a slot is at 128 l + (x xor 16 (l mod 8)), as wgmma reads it and the copy engine writes it. By
// elements neighbouring threads read neighbours in memory and write different lines, so that no two of them meet in a
// bank. Nothing branches on what is inside: loads of what is not are of the first element, and all of a thread's are
// under way at once.
//
// test: test/lowering/gpu/product_slots.mlir, test/gpu/emulate_warpgroups.test

#include "lowering/gpu/products/product_slots.h"
#include "lowering/rows/index.h"
#include "lowering/rows/rowmemory.h"

enum {
  UNIT = 16,           // bytes that are exchanged by a line's number
  PIECE_LINES = 64,    // of a slot whose lines are along rows or columns: so many rows or columns, and as many lines
  MOST_UNITS = 32,     // of a thread, without a loop
  VECTORS_AT_ONCE = 4, // of a thread, in registers
  LOADS_AT_ONCE = 128, // of as many threads as there are warps
};

typedef struct {
  const SnGpuSide *side;
  const SnGpuSlot *slot;
  const SnGpuFetchers *who;
  MlirValue slots, begin, first;
  int64_t bytes;         // of an element in the slot
  int64_t across, units; // neighbours that threads share; all that they share
} Filled;

static SnAttr one_number(SnBuilder *b, const char *name, int64_t v) {
  MlirAttribute number = sn_i64(b->ctx, v);
  return sn_attr(name, mlirArrayAttrGet(b->ctx, 1, &number));
}

// How much further in the other direction each turn of the thread is, where its neighbours are the same in all of them;
// 0: they are not.
static int64_t step_of(const Filled *f) {
  int64_t threads = 32 * f->who->warps;
  return threads % f->across == 0 && (f->across % 32 == 0 || 32 % f->across == 0) ? threads / f->across : 0;
}

// Unit `turn` of the thread: which of the neighbours, and which of the other direction. Where a warp's are neighbours,
// the other direction is the same for all of it.
static void unit_of(SnBuilder *b, const Filled *f, MlirValue turn, MlirValue *low, MlirValue *high) {
  int64_t threads = 32 * f->who->warps, step = step_of(f);
  MlirValue lane = f->who->lane, of_warp = times(b, f->who->warp, 32);
  if (step && f->across % 32 == 0) {
    *low = plus(b, modulo(b, of_warp, f->across), lane);
    *high = plus(b, times(b, turn, step), over(b, of_warp, f->across));
  } else if (step) {
    *low = modulo(b, lane, f->across);
    *high = plus(b, times(b, turn, step), plus(b, times(b, f->who->warp, 32 / f->across), over(b, lane, f->across)));
  } else if (f->across % threads == 0) {
    *low = plus(b, times(b, modulo(b, turn, f->across / threads), threads), plus(b, of_warp, lane));
    *high = over(b, turn, f->across / threads);
  } else {
    MlirValue number = plus(b, times(b, turn, threads), plus(b, of_warp, lane));
    *low = modulo(b, number, f->across);
    *high = over(b, number, f->across);
  }
}

// Where an element of the side is in the slots; a unit of 16 bytes begins with it, or it is in one.
static MlirValue place(SnBuilder *b, const Filled *f, MlirValue summed, MlirValue outer) {
  MlirValue line = f->slot->along_sum ? outer : summed, at = f->begin,
            byte = f->slot->along_sum ? times(b, summed, f->bytes) : times(b, modulo(b, outer, PIECE_LINES), f->bytes);
  byte = sn(b, "arith.xori", byte, times(b, modulo(b, line, 8), UNIT));
  if (!f->slot->along_sum && f->side->extent > PIECE_LINES)
    at = plus(b, at, times(b, over(b, outer, PIECE_LINES), PIECE_LINES * SN_GPU_SWIZZLED_BYTES));
  return plus(b, at, plus(b, times(b, line, SN_GPU_SWIZZLED_BYTES), byte));
}

static MlirValue sum_inside(SnBuilder *b, const Filled *f, MlirValue summed) {
  const SnGpuSide *s = f->side; // pieces end with the sum; parts of a sum may have more than there are
  return sn_gpu_inside(b, summed, s->sum, s->k * s->g->plan->split);
}

static MlirValue outer_inside(SnBuilder *b, const Filled *f, MlirValue outer) {
  return sn_gpu_inside(b, outer, f->side->size, f->side->extent);
}

// No byte is read of what is beside the ends, so that its address may be any.
static bool goes_anywhere(const Filled *f) {
  return f->slot->fetch == SN_GPU_BY_PIECES && !f->side->access->through.ptr;
}

// All dimensions at a summed element and a row or column of the tile, and whether these are inside; else the first of
// each, unless that is the same.
static MlirValue point(SnBuilder *b, const Filled *f, MlirValue summed, MlirValue outer, MlirValue *dims) {
  const SnGpuSide *s = f->side;
  summed = plus(b, f->first, summed);
  outer = plus(b, s->first, outer);
  MlirValue in = sn(b, "arith.andi", sum_inside(b, f, summed), outer_inside(b, f, outer)), zero = sn_index(b, 0);
  int64_t known;
  if (!sn_known(in, &known) && !goes_anywhere(f)) {
    summed = sn(b, "arith.select", in, summed, zero);
    outer = sn(b, "arith.select", in, outer, zero);
  }
  memcpy(dims, s->g->dims, SN_MAX_DIMS * sizeof *dims);
  sn_gpu_point(b, s->g->form, s->outer, outer, dims);
  sn_gpu_point(b, s->g->form, &s->summed, summed, dims);
  return in;
}

// Of unit u: its neighbours' first one, and the other direction.
static void unit_sides(SnBuilder *b, const Filled *f, MlirValue low, MlirValue high, MlirValue *summed,
                       MlirValue *outer) {
  low = times(b, low, f->slot->lanes);
  *summed = f->slot->from_sum ? low : high;
  *outer = f->slot->from_sum ? high : low;
}

// ---- by pieces, and by vectors -------------------------------------------------------------------

// Null: always.
static MlirValue both(SnBuilder *b, MlirValue x, MlirValue y) {
  return sn_none(x) ? y : sn_none(y) ? x : sn(b, "arith.andi", x, y);
}

// Where in its memory the side's elements at this point begin: what the memory is, and how far into it. `inside`: null,
// or whether the tensor has them there. Whether the tile has the point, or null: else the place is that of the first
// element, or any that nobody reads.
static MlirValue find(SnBuilder *b, const Filled *f, MlirValue summed, MlirValue outer, MlirValue *whole,
                      MlirValue *offset, MlirValue *inside) {
  const SnAccess *a = f->side->access;
  MlirValue dims[SN_MAX_DIMS], at[SN_MAX_DIMS + 1], in = point(b, f, summed, outer, dims);
  int64_t known;
  sn_row_subscripts(b, f->side->g->form, a, dims, at, inside);
  *whole = sn_row_flat(b, a->value, at, offset);
  in = sn_known(in, &known) ? (MlirValue){0} : in;
  MlirValue there = both(b, in, *inside);
  if (!sn_none(there) && !goes_anywhere(f))
    *offset = sn(b, "arith.select", there, *offset, sn_index(b, 0));
  return in;
}

// To this place of the slot, from this address; `in`: null, or whether there is anything.
static void copy_bytes(SnBuilder *b, const Filled *f, MlirValue to, MlirValue from, MlirValue in) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32);
  int64_t bytes = f->slot->lanes * f->bytes;
  MlirValue there = {0};
  if (!sn_none(in))
    there = sn(b, "arith.select", in, sn_int(b, i32, bytes), sn_int(b, i32, 0));
  sn_gpu_copy_async(b, plus(b, sn_gpu_shared_address(b, f->slots), sn(b, "arith.index_cast", to, i32)), from, bytes,
                    there);
}

static MlirValue address_at(SnBuilder *b, const Filled *f, MlirValue offset) {
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64);
  MlirValue address = f->side->g->addresses[f->side->access - f->side->g->form->inputs.data];
  return plus(b, address, sn(b, "arith.muli", sn(b, "arith.index_castui", offset, i64), sn_int(b, i64, f->bytes)));
}

static void copy_piece(SnBuilder *b, const Filled *f, MlirValue summed, MlirValue outer) {
  MlirValue whole, offset, inside, in = find(b, f, summed, outer, &whole, &offset, &inside);
  copy_bytes(b, f, place(b, f, summed, outer), address_at(b, f, offset), both(b, in, inside));
}

// Elements of memory from one of the direction that threads do not share to its next; 0: not the same for all.
static int64_t stride_of(const Filled *f) {
  const SnGpuSide *s = f->side;
  const SnForm *form = s->g->form;
  const SnGpuDims *dims = f->slot->from_sum ? s->outer : &s->summed;
  int64_t factors[SN_MAX_DIMS], stride = 0, all = 1;
  if (s->access->fill.ptr || s->access->through.ptr ||
      !sn_linear_factors(s->access->map, sn_type_of(s->access->value), factors))
    return 0;
  for (size_t i = dims->n; i-- > 0;) {
    int64_t d = dims->dims[i], size = form->dims.data[d].size;
    if (size == 1)
      continue;
    if (stride && (all == SN_DYNAMIC || factors[d] != sn_times(stride, all)))
      return 0;
    stride = stride ? stride : factors[d];
    all = size == SN_DYNAMIC ? SN_DYNAMIC : sn_times(all, size);
  }
  return stride;
}

// So many pieces of the thread, each `step` lines behind the one before: whether a piece is there is how many lines are
// left at the first one, and where it is evenly far from that its address is a number more.
static void copy_in_steps(SnBuilder *b, const Filled *f, MlirValue turn, int64_t n, int64_t step) {
  const SnGpuSide *s = f->side;
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64);
  bool from_sum = f->slot->from_sum;
  MlirValue low, high, summed, outer, whole, offset, inside;
  int64_t known, stride = stride_of(f);
  unit_of(b, f, turn, &low, &high);
  unit_sides(b, f, low, high, &summed, &outer);
  MlirValue sum_at = plus(b, f->first, summed), outer_at = plus(b, s->first, outer),
            shared = from_sum ? sum_inside(b, f, sum_at) : outer_inside(b, f, outer_at),
            other = from_sum ? outer_inside(b, f, outer_at) : sum_inside(b, f, sum_at),
            left = sn(b, "arith.subi", from_sum ? s->size : s->sum, from_sum ? outer_at : sum_at), address = {0};
  bool all_there = sn_known(other, &known), shared_there = sn_known(shared, &known);
  if (!shared_there)
    left = sn(b, "arith.select", shared, left, sn_index(b, 0));
  for (int64_t u = 0; u < n; ++u) {
    MlirValue far = sn_index(b, u * step), line = u ? plus(b, high, far) : high,
              in = shared_there ? (MlirValue){0} : shared;
    unit_sides(b, f, low, line, &summed, &outer);
    if (!all_there)
      in = sn(b, "arith.cmpi", left, far, sn_attr("predicate", sn_i64(b->ctx, 4))); // sgt
    MlirValue from = u && stride ? plus(b, address, sn_int(b, i64, u * step * stride * f->bytes)) : (MlirValue){0};
    if (sn_none(from)) {
      find(b, f, summed, outer, &whole, &offset, &inside);
      from = address_at(b, f, offset);
      address = u ? address : from;
      in = both(b, in, inside);
    }
    copy_bytes(b, f, place(b, f, summed, outer), from, in);
  }
}

// Not yet converted, so that many of them may be under way. `in`: as `find` says it.
static MlirValue load_vector(SnBuilder *b, const Filled *f, MlirValue summed, MlirValue outer, MlirValue *in) {
  MlirType element = sn_element(sn_type_of(f->side->access->value));
  MlirValue whole, offset, inside, there = find(b, f, summed, outer, &whole, &offset, &inside);
  *in = both(b, there, inside);
  return sn(b, "vector.load", whole, offset, sn_vector(element, f->slot->lanes),
            sn_attr("alignment", sn_i64(b->ctx, f->slot->lanes * (int64_t)sn_bits(element) / 8)));
}

static void store_vector(SnBuilder *b, const Filled *f, MlirValue x, MlirValue in, MlirValue summed, MlirValue outer) {
  int64_t lanes = f->slot->lanes, unit = UNIT / f->bytes;
  MlirType t = sn_vector(f->side->type, lanes), bytes = sn_vector(mlirIntegerTypeGet(b->ctx, 8), UNIT);
  x = sn_row_convert(b, x, f->side->type);
  if (!sn_none(in))
    x = sn(b, "arith.select", in, x, sn_zero(b, t));
  for (int64_t l = 0; l < lanes; l += unit) {
    MlirValue step = sn_index(b, l), part = x,
              to = place(b, f, f->slot->from_sum ? plus(b, summed, step) : summed,
                         f->slot->from_sum ? outer : plus(b, outer, step));
    if (lanes > unit)
      part = sn(b, "vector.extract_strided_slice", x, sn_vector(f->side->type, unit), one_number(b, "offsets", l),
                one_number(b, "sizes", unit), one_number(b, "strides", 1));
    sn_op(b, "vector.store", sn(b, "vector.bitcast", part, bytes), f->slots, to, sn_types(0, NULL),
          sn_attr("alignment", sn_i64(b->ctx, UNIT)));
  }
}

// ---- by elements -----------------------------------------------------------------------------------

// Where nothing is known to be there, sn_row_load branches.
static MlirValue load(SnBuilder *b, const Filled *f, MlirValue summed, MlirValue outer) {
  const SnForm *form = f->side->g->form;
  const SnAccess *a = f->side->access;
  MlirValue dims[SN_MAX_DIMS], at[SN_MAX_DIMS + 1], inside, offset, in = point(b, f, summed, outer, dims), x;
  MlirType t = f->side->type, element = sn_element(sn_type_of(a->value));
  int64_t known;
  if (mlirShapedTypeHasStaticShape(sn_type_of(a->value))) {
    sn_row_subscripts(b, form, a, dims, at, &inside);
    MlirValue whole = sn_row_flat(b, a->value, at, &offset);
    if (!sn_none(inside))
      offset = sn(b, "arith.select", inside, offset, sn_index(b, 0));
    x = sn(b, "memref.load", whole, offset, element);
    if (!sn_none(inside))
      x = sn(b, "arith.select", inside, x, sn_constant(b, a->fill));
  } else {
    x = sn_row_load(b, form, a, dims);
  }
  x = sn_row_convert(b, x, t);
  return sn_known(in, &known) ? x : sn(b, "arith.select", in, x, sn_gpu_zero(b, t));
}

static void store_elements(SnBuilder *b, const Filled *f, MlirValue low, MlirValue high, const MlirValue *x) {
  int64_t lanes = f->slot->lanes, bytes = lanes * f->bytes;
  bool from_sum = f->slot->from_sum;
  MlirType byte = mlirIntegerTypeGet(b->ctx, 8);
  high = times(b, high, lanes);
  MlirValue packed = sn(b, "vector.from_elements", sn_values(lanes, x), sn_vector(f->side->type, lanes)),
            to = place(b, f, from_sum ? low : high, from_sum ? high : low);
  packed = sn(b, "vector.bitcast", packed, sn_vector(byte, bytes));
  sn_op(b, "vector.store", packed, f->slots, to, sn_types(0, NULL), sn_attr("alignment", sn_i64(b->ctx, bytes)));
}

static void load_elements(SnBuilder *b, const Filled *f, MlirValue low, MlirValue high, MlirValue *to) {
  bool from_sum = f->slot->from_sum;
  for (int64_t l = 0; l < f->slot->lanes; ++l) {
    MlirValue other = plus(b, times(b, high, f->slot->lanes), sn_index(b, l));
    to[l] = load(b, f, from_sum ? low : other, from_sum ? other : low);
  }
}

// ---- all of a slot -----------------------------------------------------------------------------------

// So many units of the thread, from `turn` on.
static void fill_units(SnBuilder *b, const Filled *f, MlirValue turn, int64_t n) {
  MlirValue low[MOST_UNITS], high[MOST_UNITS], loaded[MOST_UNITS], in[MOST_UNITS];
  SnGpuSlotFetch fetch = f->slot->fetch;
  int64_t lanes = f->slot->lanes, step = step_of(f);
  if (step && goes_anywhere(f)) {
    copy_in_steps(b, f, turn, n, step);
    return;
  }
  for (int64_t u = 0; u < n; ++u) {
    unit_of(b, f, u ? plus(b, turn, sn_index(b, u)) : turn, &low[u], &high[u]);
    if (fetch == SN_GPU_BY_ELEMENTS) {
      load_elements(b, f, low[u], high[u], loaded + u * lanes);
      continue;
    }
    MlirValue summed, outer;
    unit_sides(b, f, low[u], high[u], &summed, &outer);
    if (fetch == SN_GPU_BY_PIECES)
      copy_piece(b, f, summed, outer);
    else
      loaded[u] = load_vector(b, f, summed, outer, &in[u]);
  }
  for (int64_t u = 0; u < n && fetch != SN_GPU_BY_PIECES; ++u) {
    MlirValue summed, outer;
    unit_sides(b, f, low[u], high[u], &summed, &outer);
    if (fetch == SN_GPU_BY_VECTORS)
      store_vector(b, f, loaded[u], in[u], summed, outer);
    else
      store_elements(b, f, low[u], high[u], loaded + u * lanes);
  }
}

void sn_gpu_fill_slot(SnBuilder *b, const SnGpuSide *side, const SnGpuSlot *slot, const SnGpuFetchers *who,
                      MlirValue slots, MlirValue begin, MlirValue first) {
  int64_t along = slot->from_sum ? side->k : side->extent;
  Filled f = {.side = side,
              .slot = slot,
              .who = who,
              .slots = slots,
              .begin = begin,
              .first = first,
              .bytes = (int64_t)sn_bits(side->type) / 8,
              .across = slot->fetch == SN_GPU_BY_ELEMENTS ? along : along / slot->lanes,
              .units = side->extent * side->k / slot->lanes};
  int64_t all = f.units / (32 * who->warps), at_once = slot->fetch == SN_GPU_BY_PIECES ? MOST_UNITS
                                                       : slot->fetch == SN_GPU_BY_VECTORS
                                                           ? VECTORS_AT_ONCE
                                                           : LOADS_AT_ONCE / who->warps / slot->lanes;
  while (all % at_once)
    at_once /= 2;
  if (at_once == all) { // what a unit's rows are is known before the loop over the sum
    fill_units(b, &f, sn_index(b, 0), all);
    return;
  }
  SnLoop l = sn_for(b, sn_index(b, 0), sn_index(b, all), sn_index(b, at_once));
  fill_units(b, &f, l.index, at_once);
  sn_next(b, &l);
}
