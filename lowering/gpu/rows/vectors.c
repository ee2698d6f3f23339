// vectors.c: one phase on a few vectors of a row.
//
//   x = element(j), ...; where the row has none: identity      all are read before the first is used
//   partial = partial . x                                      a maximum, and exponentials under it: online.c
//   output[row, j] = element(j)                                an if, where the row may have ended
//   output[row, label] = element(label)                        again, by the thread that has it
//
// Vectors that wait in registers are the same in all phases; what was made of an element is known there.
//
// test: test/lowering/gpu/registers.mlir, label.mlir, tile.mlir

#include "dialect/attributes.h"
#include "lowering/gpu/rows/gpu_rows.h"
#include "lowering/rows/rowmemory.h"
#include <math.h>

// Vectors, of at most 8 elements, that are added before their sum is widened; whose last inputs are read before the
// first is stored.
#define TOGETHER 4

MlirValue sn_gpu_select(SnBuilder *b, MlirValue condition, MlirValue x, MlirValue otherwise) {
  return sn_none(condition) ? x : sn(b, "arith.select", condition, x, otherwise);
}

// As many as 32 bits hold: places of a row that registers keep, of which each takes one register from phase to phase,
// where an index has two.
static MlirValue narrow(SnBuilder *b, MlirValue x) {
  return sn(b, "arith.index_cast", x, mlirIntegerTypeGet(b->ctx, 32));
}
static MlirValue place_within(SnBuilder *b, MlirValue j, MlirValue last) {
  return sn(b, "arith.index_castui", sn(b, "arith.minui", j, last), sn_index_type(b->ctx));
}

// The vectors of a row that a thread keeps. One behind the end of the row is read from the row's last
// place instead, so that no branch stands between the loads.
void sn_gpu_begin_resident(SnBuilder *b, SnGpuRowKernel *g, MlirValue row, SnFragment *at, MlirValue *inside) {
  SnGpuKernel *k = g->k;
  if (k->teams == SN_GPU_GROUP) {
    sn_gpu_begin_slice(b, g, row, at, inside);
    return;
  }
  if (g->mine.peeled) {
    sn_gpu_begin_peeled(b, g, row, at, inside);
    return;
  }
  const SnLayout *l = &g->mine.layout;
  int64_t length = sn_row_length(g->form), lanes = g->mine.width, last = sn_layout_threads(l) - 1;
  bool known = length != SN_DYNAMIC;
  MlirValue last_place = known ? g->length : sn(b, "arith.subi", g->length, sn_index(b, lanes));
  MlirValue first = sn(b, "arith.muli", k->member, sn_index(b, l->threads[0].column));
  for (size_t u = 0; u < g->mine.resident; ++u) {
    int64_t value = (int64_t)u * lanes, column = sn_layout_place(l, 0, value).column;
    MlirValue j = u ? sn(b, "arith.addi", first, sn_index(b, column)) : first;
    inside[u] = (MlirValue){0};
    if (!known || sn_layout_place(l, last, value).column + lanes > length) {
      inside[u] = known ? sn_row_below(b, j, sn_index(b, length)) : sn_row_below(b, narrow(b, j), narrow(b, g->length));
      j = known ? sn(b, "arith.minui", j, sn_index(b, length - lanes))
                : place_within(b, narrow(b, j), narrow(b, last_place));
    }
    at[u] = sn_fragment(j, g->mine.width);
  }
}

SnAccess sn_gpu_output(const SnGpuRowKernel *g, size_t o) {
  SnAccess access = g->form->outputs.data[o];
  access.value = g->k->operands[g->form->inputs.size + g->form->indices.size + o];
  return access;
}

static void store_row(SnBuilder *b, SnGpuRowKernel *g, SnFragment *at, intptr_t yield, MlirValue element) {
  size_t seen[2] = {0};
  for (size_t o = 0; o < g->form->outputs.size; ++o) {
    size_t position = sn_next_position(g->form, o, seen);
    if (position != (size_t)yield || sn_is_reduced(g->form, o) != g->finishing)
      continue;
    SnAccess access = sn_gpu_output(g, o);
    sn_row_store(b, &g->program, at, element, &access);
  }
}

// The row that an online maximum is of, less a factor 2^n: exponents and the maximum are multiplied by it instead of
// each element.
static MlirValue unscaled(const SnGpuPart *part, double *scale) {
  MlirValue of = sn_operand(part->reduce, 0);
  MlirOperation mul = sn_null(part->sum) || part->squares || !mlirTypeIsAF32(sn_element(sn_type_of(of)))
                          ? (MlirOperation){0}
                          : sn_def(of, "arith.mulf");
  *scale = 1;
  for (int k = 0; k < 2 && !sn_null(mul); ++k) {
    MlirValue scalar = sn_broadcast_of(sn_operand(mul, k));
    MlirAttribute a = sn_none(scalar) ? (MlirAttribute){0} : sn_constant_of(scalar);
    int exponent;
    if (!a.ptr || !mlirAttributeIsAFloat(a) || frexp(mlirFloatAttrGetValueDouble(a), &exponent) != 0.5 ||
        abs(exponent) > 20)
      continue;
    *scale = mlirFloatAttrGetValueDouble(a);
    return sn_operand(mul, 1 - k);
  }
  return of;
}

bool sn_gpu_adds_lanes_first(const SnGpuPart *part) {
  return sn_null(part->sum) && sn_get_attr(part->reduce, SN_LANES_FIRST).ptr != NULL;
}

// What a reduction takes of a vector: its identity where the row has no element.
static MlirValue reduced(SnBuilder *b, SnGpuRowKernel *g, const SnGpuPart *part, SnFragment *at,
                         const MlirValue *inside) {
  SnRowProgram *p = &g->program;
  double scale;
  bool as_it_is = sn_gpu_adds_lanes_first(part);
  MlirValue of = unscaled(part, &scale),
            x = scale != 1 || as_it_is ? sn_row_element(b, p, at, of) : sn_row_reduced(b, p, at, part->reduce);
  if (!inside || sn_none(*inside) || sn_gpu_is_packed_maximum(g, part->reduce)) // the last is masked already
    return x;
  MlirValue none = as_it_is ? sn_float(b, sn_element(sn_type_of(x)), 0)
                            : sn_row_identity(b, p, part->reduce, g->mine.width);
  if (as_it_is)
    none = sn_lanes_broadcast(b, none, g->mine.width);
  if (mlirTypeIsAVector(sn_type_of(*inside)) && !mlirTypeIsAVector(sn_type_of(none)))
    none = sn(b, "vector.broadcast", none, sn_type_of(x));
  MlirValue masked = sn(b, "arith.select", *inside, x, none);
  // One copy; what is outside is nobody's. What is added up in a wider type than it has is its own value elsewhere.
  if (mlirValueIsABlockArgument(of) && mlirTypeEqual(sn_element(sn_type_of(masked)), sn_element(sn_type_of(of))))
    sn_fragment_give(at, of, masked);
  return masked;
}

// A maximum, and the sum of exponentials under it, of `count` vectors, which are null as long as they wait in halves.
static void online(SnBuilder *b, SnGpuRowKernel *g, SnGpuPart *part, size_t count, SnFragment *at,
                   const MlirValue *inside, const MlirValue *x) {
  bool packed = sn_gpu_is_packed_maximum(g, part->reduce);
  MlirValue top = packed ? sn_gpu_packed_maximum(b, g, part->reduce, count, at) : x[0];
  for (size_t u = 1; u < count && !packed; ++u)
    top = sn_row_combine(b, &g->program, part->reduce, top, x[u]);
  if (mlirTypeIsAVector(sn_type_of(top)))
    top = sn_row_horizontal(b, &g->program, part->reduce, top);
  if (sn_null(part->sum)) {
    part->value = top;
    return;
  }
  if (count == g->mine.resident) // there was nothing before
    part->value = part->exponentials = (MlirValue){0};
  double scale;
  unscaled(part, &scale);
  MlirValue times = scale != 1 ? sn_float(b, sn_type_of(top), scale) : top;
  if (scale != 1)
    top = sn(b, "arith.mulf", top, times);
  SnGpuOnlineStep step = sn_gpu_online_begin(b, &g->program, part->reduce, top, &part->value, &part->exponentials);
  if (scale != 1)
    step.power.factor = sn(b, "arith.mulf", step.power.factor, times);
  for (size_t u = 0; u < count; ++u) {
    MlirValue element = packed ? (MlirValue){0} : x[u];
    if (packed && g->mine.resident) {
      sn_gpu_widen(b, g, u);
      element = reduced(b, g, part, &at[u], inside ? &inside[u] : NULL);
    } else if (packed) {
      element = sn_gpu_widened(b, g, part->reduce, &at[u]);
    }
    sn_gpu_online_add(b, &step, element, &part->exponentials);
  }
}

// x, of `count` vectors, is added to the part: a few vectors and their lanes in their own type first.
static void add_lanes_first(SnBuilder *b, SnGpuRowKernel *g, SnGpuPart *part, size_t count, const MlirValue *x) {
  SnReduction own = sn_reduction_of(&g->program, part->reduce);
  own.type = sn_element(sn_type_of(x[0]));
  for (size_t u = 0; u < count; u += TOGETHER) {
    MlirValue some = x[u];
    for (size_t i = u + 1; i < count && i < u + TOGETHER; ++i)
      some = sn_reduction_combine(b, &own, some, x[i]);
    if (g->plan->rows < 2 && mlirTypeIsAVector(sn_type_of(some)))
      some = sn_reduction_lanes(b, &own, some);
    some = sn(b, "arith.extf", some, sn_type_of(part->value));
    part->value = sn_row_combine(b, &g->program, part->reduce, part->value, some);
  }
}

static void store_vector(SnBuilder *b, SnGpuRowKernel *g, const SnPhase *phase, SnFragment *at, MlirValue there,
                         size_t count, const MlirValue *elements) {
  if (!sn_none(g->valid))
    there = sn_none(there) ? g->valid : sn(b, "arith.andi", there, g->valid);
  SnFragment before = *at; // what is made under the branch is not known behind it
  SnIf in_row;
  if (!sn_none(there))
    in_row = sn_if(b, there);
  for (size_t y = 0; y < phase->yields.size; ++y)
    if (sn_gpu_column_accumulator(g, phase->yields.data[y]) < 0)
      store_row(b, g, at, phase->yields.data[y], elements[y * count]);
  if (!sn_none(there)) {
    sn_end_if(b, &in_row);
    memcpy(at->dims, before.dims, sizeof before.dims);
  }
}

// Where columns are compared with a label, only the label's column is equal: vectors are stored without a comparison,
// and that element again, by the same thread.
static void find_labels(const SnGpuRowKernel *g, SnValueVec *labels) {
  int64_t n = sn_row_length(g->form);
  if (g->mine.width == 1 || !sn_layout_period(&g->mine.layout) || n == SN_DYNAMIC || n >= (int64_t)1 << 29)
    return;
  for (MlirOperation op = mlirBlockGetFirstOperation(g->program.block); !sn_null(op);
       op = mlirOperationGetNextInBlock(op)) {
    MlirValue label = sn_row_label(&g->program, op);
    bool known = sn_none(label) || sn_unused(op);
    for (size_t i = 0; i < labels->size && !known; ++i)
      known = sn_same(labels->data[i], label);
    if (!known)
      sn_push(labels, label);
  }
}

static void store_label(SnBuilder *b, SnGpuRowKernel *g, const SnPhase *phase, MlirValue label) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32);
  MlirValue at = sn_row_as_index(b, sn_row_scalar(&g->program, label)), mine = g->resident[0].column;
  if (!g->mine.peeled)
    mine = sn(b, "arith.muli", g->k->member, sn_index(b, g->mine.width));
  MlirValue far = sn(b, "arith.subi", sn(b, "arith.index_cast", at, i32), sn(b, "arith.index_cast", mine, i32));
  MlirValue lane = sn(b, "arith.andi", far, sn_int(b, i32, sn_layout_period(&g->mine.layout) - 1));
  MlirValue own =
      sn(b, "arith.andi", sn_row_below(b, lane, sn_int(b, i32, g->mine.width)), sn_row_below(b, at, g->length));
  SnIf owner = sn_if(b, sn_none(g->valid) ? own : sn(b, "arith.andi", own, g->valid));
  SnFragment c = sn_fragment(at, 1);
  for (size_t y = 0; y < phase->yields.size; ++y)
    store_row(b, g, &c, phase->yields.data[y],
              sn_row_element(b, &g->program, &c, sn_row_yield(&g->program, phase->yields.data[y])));
  sn_fragment_free(&c);
  sn_end_if(b, &owner);
}

// A reduction that takes vectors one by one, or a few, in their order.
static bool is_plain(const SnGpuRowKernel *g, const SnGpuPart *part) {
  return sn_null(part->sum) && !sn_gpu_is_packed_maximum(g, part->reduce);
}

// x, of `count` vectors, is added to a plain part.
static void add_vectors(SnBuilder *b, SnGpuRowKernel *g, SnGpuPart *part, size_t count, const MlirValue *x) {
  if (sn_gpu_adds_lanes_first(part)) {
    add_lanes_first(b, g, part, count, x);
    return;
  }
  for (size_t u = 0; u < count; ++u)
    part->value = sn_row_combine(b, &g->program, part->reduce, part->value, x[u]);
}

// All parts, of vectors that wait in registers narrower than they are added up: a few are widened, and done with,
// before the next.
static void reduce_resident(SnBuilder *b, SnGpuRowKernel *g, SnGpuPart *parts, size_t n, size_t count, SnFragment *at,
                            const MlirValue *inside) {
  MlirValue x[TOGETHER];
  for (size_t first = 0; first < count; first += TOGETHER) {
    size_t some = count - first < TOGETHER ? count - first : TOGETHER;
    for (size_t r = 0; r < n; ++r) {
      for (size_t u = 0; u < some; ++u) {
        if (g->mine.packed)
          sn_gpu_widen(b, g, first + u);
        x[u] = reduced(b, g, &parts[r], &at[first + u], inside ? &inside[first + u] : NULL);
      }
      add_vectors(b, g, &parts[r], some, x);
    }
  }
}

// What the program reads of a vector is known from here on.
static void read_inputs(SnBuilder *b, SnGpuRowKernel *g, SnFragment *at) {
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(g->program.block); ++k) {
    MlirValue v = mlirBlockGetArgument(g->program.block, k);
    if (sn_is_row(v) && !mlirOpOperandIsNull(mlirValueGetFirstUse(v)))
      sn_row_element(b, &g->program, at, v);
  }
}

// One phase on `count` vectors. All are read before the first is used or stored, but those that wait in registers: each
// is done with before the next begins.
void sn_gpu_run_vectors(SnBuilder *b, SnGpuRowKernel *g, const SnPhase *phase, SnGpuPart *parts, size_t n, size_t count,
                        SnFragment *at, const MlirValue *inside) {
  SnRowProgram *p = &g->program;
  size_t yields = phase->yields.size, stored = 0;
  bool resident = at == g->resident && count == g->mine.resident;
  MlirValue *elements = sn_alloc(((n + yields) * count + 1) * sizeof *elements);
#define ELEMENTS(i) (elements + (i) * count)
  for (size_t y = 0; y < yields; ++y)
    stored += sn_gpu_column_accumulator(g, phase->yields.data[y]) < 0;
  bool in_turn = resident, widened = false;
  for (size_t r = 0; r < n; ++r) {
    in_turn &= is_plain(g, &parts[r]);
    widened |= sn_bits(sn_type_of(sn_result(parts[r].reduce, 0))) > 32;
  }
  in_turn &= widened;
  if (in_turn)
    reduce_resident(b, g, parts, n, count, at, inside);
  for (size_t u = 0; u < count && !in_turn; ++u)
    for (size_t r = 0; r < n; ++r)
      if (!resident && sn_gpu_is_packed_maximum(g, parts[r].reduce)) {
        sn_gpu_read_packed(b, g, parts[r].reduce, &at[u]);
      } else if (!sn_gpu_is_packed_maximum(g, parts[r].reduce)) {
        if (resident && g->mine.packed)
          sn_gpu_widen(b, g, u);
        ELEMENTS(r)[u] = reduced(b, g, &parts[r], &at[u], inside ? &inside[u] : NULL);
      }
  for (size_t u = 0; u < count && !resident; ++u)
    for (size_t y = 0; y < yields; ++y)
      ELEMENTS(n + y)[u] = sn_row_element(b, p, &at[u], sn_row_yield(p, phase->yields.data[y]));
  for (size_t r = 0; r < n && !in_turn; ++r)
    if (parts[r].squares)
      sn_gpu_squares_step(b, count, ELEMENTS(r), inside, &parts[r].value, &parts[r].exponentials, &parts[r].count);
    else if (is_plain(g, &parts[r]))
      add_vectors(b, g, &parts[r], count, ELEMENTS(r));
    else
      online(b, g, &parts[r], count, at, inside, ELEMENTS(r));
  SnValueVec labels = {0};
  if (resident && !n && yields == stored && p->phases.size == (size_t)p->phase + 1)
    find_labels(g, &labels);
  bool branches = !sn_none(g->valid);
  size_t ahead = p->phase ? TOGETHER / 2 : TOGETHER; // others are there already
  for (size_t u = 0; u < count && inside; ++u)
    branches |= !sn_none(inside[u]);
  bool ends = branches && resident && !n && !g->mine.packed && p->phases.size == (size_t)p->phase + 1;
  for (size_t u = 0; u < count && yields; ++u) {
    for (size_t v = u; ends && u % ahead == 0 && v < count && v < u + ahead; ++v)
      read_inputs(b, g, &at[v]); // no branch of a store stands between these loads
    at[u].no_label = labels.size > 0;
    if (resident && g->mine.packed)
      sn_gpu_widen(b, g, u);
    for (size_t y = 0; y < yields && resident; ++y)
      ELEMENTS(n + y)[u] = sn_row_element(b, p, &at[u], sn_row_yield(p, phase->yields.data[y]));
    for (size_t y = 0; y < yields; ++y) {
      intptr_t c = sn_gpu_column_accumulator(g, phase->yields.data[y]);
      if (c >= 0)
        sn_gpu_accumulate_columns(b, g, (size_t)c, u, &at[u], ELEMENTS(n + y)[u]);
    }
    if (stored)
      store_vector(b, g, phase, &at[u], inside && !g->mine.peeled ? inside[u] : (MlirValue){0}, count, ELEMENTS(n) + u);
  }
  for (size_t l = 0; l < labels.size; ++l)
    store_label(b, g, phase, labels.data[l]);
  sn_vec_free(&labels);
#undef ELEMENTS
  free(elements);
}
