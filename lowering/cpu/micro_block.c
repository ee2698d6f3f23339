// micro_block.c: a block of a product goes to the emitter that its line of the table names.
//
//   {"libxsmm", ..., SN_WRITTEN_AS_CALL, "sinter_rt_brgemm_f32"}
// ->
//   call @sinter_rt_brgemm_f32(a, b, c, m, n, k, lda, ldb, ldc, again)
//
// Blocks whose sizes are not known share a function of the module, one for each line and type:
//
//   func.func private @sinter_fma512_f64(a, its offset and distance, b, .., c, .., m, n, k, again)
//
// new instruction that multiplies: an emitter, if none of those that are there writes it.

#include "lowering/cpu/micro_block.h"
#include "mlir-c/Dialect/LLVM.h"
#include <assert.h>
#include <stdio.h>

// Vectors along n, or along k.
static SnMicroEmit emitter(const SnMicroKernel *line) {
  static const SnMicroEmit emitters[SN_WRITTEN_COUNT] = {
      [SN_WRITTEN_AS_CALL] = sn_cpu_micro_call,
      [SN_WRITTEN_AS_FMA] = sn_cpu_micro_vectors,
      [SN_WRITTEN_AS_MULTIPLY_ADD] = sn_cpu_micro_vectors,
      [SN_WRITTEN_AS_DOT] = sn_cpu_micro_vectors,
      [SN_WRITTEN_AS_DOT_ADD] = sn_cpu_micro_vectors,
      [SN_WRITTEN_AS_DOT_UNSIGNED] = sn_cpu_micro_vectors,
      [SN_WRITTEN_AS_TILES] = sn_cpu_micro_tiles,
  };
  return line->sums == SN_SUMS_ALONG_K ? sn_cpu_micro_inner : emitters[line->written];
}

void sn_cpu_micro_kernel(SnKernel *k, SnBuilder *b, const SnMicroBlock *block) {
  SnMicroEmit emit = emitter(block->line);
  assert(emit && "sn_micro_kernel gives lines that can be written");
  emit(k, b, block);
}

// ---- panels ------------------------------------------------------------------------------

SnPanel sn_cpu_panel_at(SnBuilder *b, MlirValue memref, const MlirValue *at, MlirValue distance) {
  SnPanel p = {.distance = distance};
  p.memory = sn_row_flat(b, memref, at, &p.offset);
  return p;
}

SnPanel sn_cpu_panel(SnBuilder *b, MlirValue memref, MlirValue row, MlirValue column) {
  MlirValue at[] = {row, column};
  return sn_cpu_panel_at(b, memref, at, sn_dim_of(b, memref, 1));
}

static MlirValue number_at(SnBuilder *b, MlirValue table, MlirValue first, MlirValue i) {
  MlirValue x = sn(b, "memref.load", table, sn(b, "arith.addi", first, i), mlirIntegerTypeGet(b->ctx, 64));
  return sn(b, "arith.index_cast", x, sn_index_type(b->ctx));
}

MlirValue sn_cpu_micro_row(SnBuilder *b, const SnMicroBlock *block, MlirValue row) {
  const SnPanel *a = &block->a;
  return sn(b, "arith.addi", a->offset,
            block->run ? number_at(b, a->rows, a->first_row, row) : sn(b, "arith.muli", row, a->distance));
}

MlirValue sn_cpu_micro_run(SnBuilder *b, const SnMicroBlock *block, MlirValue run) {
  return number_at(b, block->a.runs, block->a.first_run, run);
}

// ---- a library's function ------------------------------------------------------------------

static MlirValue as_i64(SnBuilder *b, MlirValue v) {
  int64_t known;
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64);
  return sn_known(v, &known) ? sn_int(b, i64, known) : sn(b, "arith.index_cast", v, i64);
}

MlirValue sn_cpu_address(SnBuilder *b, MlirValue memory, MlirValue offset) {
  int64_t bytes = sn_bits(sn_element(sn_type_of(memory))) / 8;
  MlirValue base = sn(b, "memref.extract_aligned_pointer_as_index", memory, sn_index_type(b->ctx));
  MlirValue at = sn(b, "arith.addi", base, sn(b, "arith.muli", offset, sn_index(b, bytes)));
  return sn(b, "llvm.inttoptr", as_i64(b, at), mlirLLVMPointerTypeGet(b->ctx, 0));
}

void sn_cpu_micro_call(SnKernel *k, SnBuilder *b, const SnMicroBlock *block) {
  MlirValue operands[] = {sn_cpu_address(b, block->a.memory, block->a.offset),
                          sn_cpu_address(b, block->b.memory, block->b.offset),
                          sn_cpu_address(b, block->c.memory, block->c.offset),
                          as_i64(b, block->m),
                          as_i64(b, block->n),
                          as_i64(b, block->k),
                          as_i64(b, block->a.distance),
                          as_i64(b, block->b.distance),
                          as_i64(b, block->c.distance),
                          sn(b, "arith.extui", block->again, mlirIntegerTypeGet(b->ctx, 64))};
  sn_cpu_call(k, b, block->line->instruction, sn_values(10, operands), sn_types(0, NULL));
}

void sn_cpu_micro_prefetch(SnBuilder *b, MlirValue memory, MlirValue offset, int locality) {
  sn_op(b, "memref.prefetch", memory, offset, sn_attr("isWrite", mlirBoolAttrGet(b->ctx, false)),
        sn_attr("localityHint", mlirIntegerAttrGet(mlirIntegerTypeGet(b->ctx, 32), locality)),
        sn_attr("isDataCache", mlirBoolAttrGet(b->ctx, true)));
}

// ---- a function for blocks of any sizes ------------------------------------------------------------------

enum { MOST_ARGUMENTS = 24 };

// What a panel is passed as.
static int values_of(const SnMicroKernel *line, const SnPanel *p, bool is_sum, MlirValue *v) {
  bool tiles = line->sums == SN_SUMS_IN_TILES && !is_sum;
  memcpy(v, (MlirValue[]){p->memory, p->offset, p->distance, p->across, p->along}, (tiles ? 5 : 3) * sizeof *v);
  return tiles ? 5 : 3;
}

static int tables_of(const SnMicroBlock *block, MlirValue *v) {
  const SnPanel *a = &block->a;
  memcpy(v, (MlirValue[]){a->rows, a->runs, a->first_row, a->first_run}, 4 * sizeof *v);
  return block->run ? 4 : 0;
}

static MlirType any_memref(MlirValue memory) {
  int64_t size = SN_DYNAMIC;
  return sn_memref(sn_element(sn_type_of(memory)), 1, &size);
}

static void append(MlirStringRef text, void *name) {
  size_t used = strlen(name);
  snprintf((char *)name + used, 80 - used, "%.*s", (int)text.length, text.data);
}

// All that a block is: panels, sizes, and whether it is added.
static intptr_t operands_of(SnMicroBlock *block, MlirValue *v) {
  intptr_t n = values_of(block->line, &block->a, false, v);
  n += tables_of(block, v + n);
  n += values_of(block->line, &block->b, false, v + n);
  n += values_of(block->line, &block->c, true, v + n);
  if (block->asked)
    n += values_of(block->line, &block->next, true, v + n);
  memcpy(v + n, (MlirValue[]){block->m, block->n, block->k, block->again}, 4 * sizeof *v);
  return n + 4;
}

static SnPanel panel_of(const SnMicroKernel *line, bool is_sum, const MlirValue **v) {
  const MlirValue *at = *v;
  bool tiles = line->sums == SN_SUMS_IN_TILES && !is_sum;
  *v += tiles ? 5 : 3;
  SnPanel p = {.memory = at[0], .offset = at[1], .distance = at[2]};
  if (tiles)
    p.across = at[3], p.along = at[4];
  return p;
}

static void read_tables(SnMicroBlock *block, const MlirValue **v) {
  SnPanel *a = &block->a;
  const MlirValue *at = *v;
  if (!block->run)
    return;
  a->rows = at[0], a->runs = at[1], a->first_row = at[2], a->first_run = at[3];
  *v += 4;
}

static void make_function(SnKernel *k, const SnMicroBlock *like, const char *name, int64_t columns,
                          SnMicroEmit emit) {
  MlirContext ctx = k->b.ctx;
  MlirType types[MOST_ARGUMENTS];
  MlirLocation locs[MOST_ARGUMENTS];
  MlirValue v[MOST_ARGUMENTS];
  SnMicroBlock block = *like;
  intptr_t n = operands_of(&block, v);
  for (intptr_t i = 0; i < n; ++i) {
    types[i] = sn_type_of(v[i]);
    types[i] = mlirTypeIsAMemRef(types[i]) ? any_memref(v[i]) : types[i];
    locs[i] = k->b.loc;
  }
  MlirBlock body = mlirBlockCreate(n, types, locs);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, body);
  SnBuilder b = sn_at_end(mlirRegionGetFirstBlock(mlirOperationGetRegion(k->module, 0)), k->b.loc);
  sn_op(&b, "func.func", sn_attr("sym_name", sn_string(ctx, name)),
        sn_attr("function_type", mlirTypeAttrGet(mlirFunctionTypeGet(ctx, n, types, 0, NULL))),
        sn_attr("sym_visibility", sn_string(ctx, "private")), sn_attr("sinter.micro_kernel", sn_unit(ctx)),
        like->line->sums == SN_SUMS_IN_TILES ? sn_attr("passthrough", sn_parse_attr(ctx, "[\"noinline\"]"))
                                             : sn_no_attr(),
        region);
  for (intptr_t i = 0; i < n; ++i)
    v[i] = mlirBlockGetArgument(body, i);
  const MlirValue *at = v;
  block.a = panel_of(block.line, false, &at);
  read_tables(&block, &at);
  block.b = panel_of(block.line, false, &at);
  block.c = panel_of(block.line, true, &at);
  if (block.asked)
    block.next = panel_of(block.line, true, &at);
  block.m = at[0];
  block.n = at[1];
  block.k = at[2];
  block.again = at[3];
  b = sn_at_end(body, k->b.loc);
  if (columns)
    block.n = sn_index(&b, columns);
  emit(k, &b, &block);
  sn_op(&b, "func.return", sn_values(0, NULL));
}

static void name_widened(const SnPanel *p, MlirType packed, char *name) {
  MlirType element = sn_element(sn_type_of(p->memory));
  if (mlirTypeEqual(element, packed))
    return;
  append(SN_STR("_of_"), name);
  mlirTypePrint(element, append, name);
}

void sn_cpu_micro_shared(SnKernel *k, SnBuilder *b, const SnMicroBlock *block, const char *kind, int64_t columns,
                         SnMicroEmit emit) {
  char name[80] = "";
  snprintf(name, sizeof name, "sinter_%s%s_", block->line->name, kind);
  if (block->run)
    snprintf(name + strlen(name), sizeof name - strlen(name), "runs%lld_", (long long)block->run);
  if (columns)
    snprintf(name + strlen(name), sizeof name - strlen(name), "n%lld_", (long long)columns);
  mlirTypePrint(block->sum, append, name);
  name_widened(&block->a, sn_micro_memory(block->line, block->line->a, block->sum), name);
  name_widened(&block->b, sn_micro_memory(block->line, block->line->b, block->sum), name);
  size_t length = strlen(name);
  MlirOperation there = sn_symbol(k->module, name);
  for (int i = 1; !sn_null(there) && !sn_get_attr(there, "sinter.micro_kernel").ptr; ++i) { // the program's own
    snprintf(name + length, sizeof name - length, "_%d", i);
    there = sn_symbol(k->module, name);
  }
  if (sn_null(there))
    make_function(k, block, name, columns, emit);
  SnMicroBlock any = *block;
  MlirValue operands[MOST_ARGUMENTS];
  any.a.memory = sn(b, "memref.cast", block->a.memory, any_memref(block->a.memory));
  any.b.memory = sn(b, "memref.cast", block->b.memory, any_memref(block->b.memory));
  any.c.memory = sn(b, "memref.cast", block->c.memory, any_memref(block->c.memory));
  if (block->asked)
    any.next.memory = sn(b, "memref.cast", block->next.memory, any_memref(block->next.memory));
  if (block->run) {
    any.a.rows = sn(b, "memref.cast", block->a.rows, any_memref(block->a.rows));
    any.a.runs = sn(b, "memref.cast", block->a.runs, any_memref(block->a.runs));
  }
  intptr_t n = operands_of(&any, operands);
  sn_op(b, "func.call", sn_values(n, operands), sn_types(0, NULL),
        sn_attr("callee", mlirFlatSymbolRefAttrGet(b->ctx, SN_STR(name))));
}
