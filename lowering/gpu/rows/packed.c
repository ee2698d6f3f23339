// packed.c: rows of bf16 in registers as they are in memory.
//
//   phase 0        %w = shl, and of the four words of %x                        used, and forgotten
//   phase 1, 2     %w = prmt of the four words of %x                            each by another instruction
//   max of %x      max.bf16x2 of words, widened at the end
//
// 8 elements take 4 registers from phase to phase instead of 8, so that twice as much of a row fits; what was made of
// them is made again. Widened by the same instruction twice, LLVM or ptxas would keep the first's results. A bf16 is
// the upper half of an f32: prmt takes two bytes of the word and two of a zero, of which there are four. What is behind
// the end of a row is masked by words, as -inf.
//
// test: test/lowering/gpu/packed.mlir, families.test

#include "lowering/gpu/rows/gpu_rows.h"
#include "lowering/rows/rowmemory.h"

static bool is_bf16(MlirValue v) { return mlirTypeIsABF16(sn_element(sn_type_of(v))); }

// What it is extended by, if nothing else takes it.
static MlirOperation extended(MlirValue v) {
  MlirOperation none = {0}, user = sn_one_use(v) ? mlirOpOperandGetOwner(mlirValueGetFirstUse(v)) : none;
  return !sn_null(user) && sn_is(user, "arith.extf") ? user : none;
}

// An argument that is a row of its own for each row; one for all is loaded where it is used.
static bool waits(const SnForm *f, intptr_t k) {
  return sn_is_row(mlirBlockGetArgument(f->body, k)) && sn_uses_rows(f, f->inputs.data[k].map);
}

static MlirType i32_type(SnBuilder *b) { return mlirIntegerTypeGet(b->ctx, 32); }

static MlirValue word_of(SnBuilder *b, MlirValue words, int64_t i) { return sn_lane(b, words, i); }

static MlirValue as_words(SnBuilder *b, MlirValue x) {
  return sn(b, "vector.bitcast", x, sn_vector(i32_type(b), sn_dim(sn_type_of(x), 0) / 2));
}

static MlirValue widen(SnBuilder *b, MlirValue x, size_t phase) {
  int64_t width = sn_dim(sn_type_of(x), 0);
  MlirType i32 = i32_type(b), f32 = mlirF32TypeGet(b->ctx);
  MlirValue words = as_words(b, x), zero = sn_int(b, i32, 0), lanes[SN_MAX_LANES];
  int64_t zeros = 0x44 + 0x11 * (int64_t)((phase + 3) % 4);
  for (int64_t l = 0; l < width; ++l) {
    MlirValue word = word_of(b, words, l / 2), bits;
    if (!phase)
      bits = l % 2 ? sn(b, "arith.andi", word, sn_int(b, i32, -65536)) : sn(b, "arith.shli", word, sn_int(b, i32, 16));
    else
      bits = sn(b, "llvm.call_intrinsic", word, zero, sn_int(b, i32, (l % 2 ? 0x3200 : 0x1000) + zeros), i32,
                sn_attr("intrin", sn_string(b->ctx, "llvm.nvvm.prmt")),
                sn_attr("op_bundle_sizes", mlirDenseI32ArrayGet(b->ctx, 0, NULL)),
                sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 2, (int32_t[]){3, 0})));
    lanes[l] = sn(b, "arith.bitcast", bits, f32);
  }
  return sn(b, "vector.from_elements", sn_values(width, lanes), sn_vector(f32, width));
}

// -inf where a lane is outside: `inside` is an i1, or one for each lane.
static MlirValue masked(SnBuilder *b, MlirValue x, MlirValue inside) {
  MlirType i32 = i32_type(b);
  MlirValue words = x, low = sn_int(b, i32, (int32_t)0xff80ff80), none = sn_int(b, i32, 0), list[SN_MAX_LANES];
  int64_t n = sn_dim(sn_type_of(words), 0);
  for (int64_t w = 0; w < n; ++w) {
    MlirValue word = word_of(b, words, w);
    if (!mlirTypeIsAVector(sn_type_of(inside))) {
      list[w] = sn(b, "arith.select", inside, word, low);
      continue;
    }
    MlirValue first = sn(b, "arith.select", sn_lane(b, inside, 2 * w), sn_int(b, i32, 0xffff), none);
    MlirValue mask =
        sn(b, "arith.ori", first, sn(b, "arith.select", sn_lane(b, inside, 2 * w + 1), sn_int(b, i32, -65536), none));
    list[w] = sn(b, "arith.ori", sn(b, "arith.andi", word, mask),
                 sn(b, "arith.andi", low, sn(b, "arith.xori", mask, sn_int(b, i32, -1))));
  }
  return sn(b, "vector.from_elements", sn_values(n, list), sn_type_of(words));
}

// Most vectors of an unaligned row are whole: the others take a branch.
static MlirValue masked_vector(SnBuilder *b, MlirValue x, const SnFragment *at, MlirValue inside) {
  MlirValue words = as_words(b, x);
  if (sn_none(at->whole))
    return sn(b, "vector.bitcast", masked(b, words, inside), sn_type_of(x));
  SnIf whole = sn_if(b, at->whole, sn_type_of(words));
  sn_else(b, &whole, words);
  sn_end_if(b, &whole, masked(b, words, inside));
  return sn(b, "vector.bitcast", sn_result(whole.op, 0), sn_type_of(x));
}

static void read_rows(SnBuilder *b, SnGpuRowKernel *g) {
  for (size_t u = 0; u < g->mine.resident; ++u) // all of them first
    for (intptr_t k = 0; k < mlirBlockGetNumArguments(g->form->body); ++k)
      if (waits(g->form, k))
        sn_row_element(b, &g->program, &g->resident[u], mlirBlockGetArgument(g->form->body, k));
}

void sn_gpu_widen(SnBuilder *b, SnGpuRowKernel *g, size_t u) {
  SnMap *made = &g->resident[u].made;
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(g->form->body); ++k) {
    MlirValue v = mlirBlockGetArgument(g->form->body, k);
    if (waits(g->form, k) && sn_none(sn_mapped(made, sn_result(extended(v), 0))))
      sn_map(made, sn_result(extended(v), 0), widen(b, sn_mapped(made, v), (size_t)g->program.phase));
  }
}

void sn_gpu_unpack(SnBuilder *b, SnGpuRowKernel *g, size_t i) {
  if (!i)
    read_rows(b, g);
  for (size_t u = 0; u < g->mine.resident; ++u) {
    SnMap *made = &g->resident[u].made, kept = {0};
    for (intptr_t k = 0; k < mlirBlockGetNumArguments(g->form->body); ++k) {
      MlirValue v = mlirBlockGetArgument(g->form->body, k), x = sn_mapped(made, v);
      if (!waits(g->form, k) || sn_none(x))
        continue;
      if (!i && !sn_none(g->inside[u]))
        x = masked_vector(b, x, &g->resident[u], g->inside[u]);
      sn_map(&kept, v, x);
    }
    sn_map_free(made);
    *made = kept;
  }
}

static bool is_maximum(MlirOperation reduce) {
  return sn_is_reduce(reduce, "maximumf") || sn_is_reduce(reduce, "maxnumf");
}

bool sn_gpu_is_packed_maximum(const SnGpuRowKernel *g, MlirOperation reduce) {
  bool halves = g->mine.packed || (!g->mine.resident && g->mine.width > 1 && g->mine.width % 2 == 0 &&
                                   sn_row_joint_of_first(&g->joints, reduce));
  MlirOperation extf = halves && is_maximum(reduce) ? sn_def(sn_operand(reduce, 0), "arith.extf") : (MlirOperation){0};
  MlirValue of = sn_null(extf) ? (MlirValue){0} : sn_operand(extf, 0);
  return !sn_none(of) && is_bf16(of) && mlirValueIsABlockArgument(of) &&
         waits(g->form, mlirBlockArgumentGetArgNumber(of));
}

static MlirValue packed_of(MlirOperation reduce) { return sn_operand(sn_def(sn_operand(reduce, 0), "arith.extf"), 0); }

void sn_gpu_read_packed(SnBuilder *b, SnGpuRowKernel *g, MlirOperation reduce, SnFragment *at) {
  sn_row_element(b, &g->program, at, packed_of(reduce));
}

MlirValue sn_gpu_widened(SnBuilder *b, SnGpuRowKernel *g, MlirOperation reduce, SnFragment *at) {
  return widen(b, sn_mapped(&at->made, packed_of(reduce)), 0);
}

// The greatest element of all that a thread has.
MlirValue sn_gpu_packed_maximum(SnBuilder *b, SnGpuRowKernel *g, MlirOperation reduce, size_t count, SnFragment *at) {
  MlirType i32 = i32_type(b), f32 = mlirF32TypeGet(b->ctx);
  MlirValue of = packed_of(reduce), top[SN_MAX_LANES];
  bool nan = mlirStringRefEqual(mlirStringAttrGetValue(sn_get_attr(reduce, "kind")), SN_STR("maximumf"));
  const char *text = nan ? "max.NaN.bf16x2 $0, $1, $2;" : "max.bf16x2 $0, $1, $2;";
  int64_t n = g->mine.width / 2;
#define MAX(x, y)                                                                                                      \
  sn(b, "llvm.inline_asm", x, y, i32, sn_attr("asm_string", sn_string(b->ctx, text)),                                  \
     sn_attr("constraints", sn_string(b->ctx, "=r,r,r")))
  for (size_t u = 0; u < count; ++u) {
    MlirValue words = as_words(b, sn_mapped(&at[u].made, of));
    for (int64_t w = 0; w < n; ++w)
      top[w] = u ? MAX(top[w], word_of(b, words, w)) : word_of(b, words, w);
  }
  for (int64_t half = n / 2; half; half /= 2)
    for (int64_t w = 0; w < half; ++w)
      top[w] = MAX(top[w], top[w + half]);
#undef MAX
  MlirValue low = sn(b, "arith.bitcast", sn(b, "arith.shli", top[0], sn_int(b, i32, 16)), f32);
  MlirValue high = sn(b, "arith.bitcast", sn(b, "arith.andi", top[0], sn_int(b, i32, -65536)), f32);
  return sn_row_combine(b, &g->program, reduce, low, high);
}

// x ^ (phase * block_id.y): the grid has one block in y, which nobody but us knows.
static MlirValue unknown(SnBuilder *b, MlirValue x, size_t phase) {
  MlirType t = sn_type_of(x), i = mlirIntegerTypeGet(b->ctx, sn_bits(sn_element(t)));
  bool vector = mlirTypeIsAVector(t), integer = mlirTypeIsAInteger(sn_element(t));
  MlirValue y =
      sn(b, "gpu.block_id", sn_index_type(b->ctx), sn_attr("dimension", sn_parse_attr(b->ctx, "#gpu<dim y>")));
  MlirValue zero = sn(b, "arith.muli", sn(b, "arith.index_cast", y, i), sn_int(b, i, (int64_t)phase));
  MlirType bits = vector ? sn_vector(i, sn_dim(t, 0)) : i;
  const char *cast = vector ? "vector.bitcast" : "arith.bitcast";
  MlirValue same =
      sn(b, "arith.xori", integer ? x : sn(b, cast, x, bits), vector ? sn(b, "vector.broadcast", zero, bits) : zero);
  return integer ? same : sn(b, cast, same, t);
}

void sn_gpu_forget(SnBuilder *b, SnGpuRowKernel *g, size_t i) {
  for (size_t u = 0; u < g->mine.resident; ++u) {
    SnMap *made = &g->resident[u].made, kept = {0};
    for (intptr_t k = 0; k < mlirBlockGetNumArguments(g->form->body); ++k) {
      MlirValue v = mlirBlockGetArgument(g->form->body, k), x = sn_mapped(made, v);
      if (sn_is_row(v) && !sn_none(x))
        sn_map(&kept, v, sn_uses_rows(g->form, g->form->inputs.data[k].map) ? unknown(b, x, i) : x);
    }
    sn_map_free(made);
    *made = kept;
  }
}
