// chains_gpu.c: a form that multiplies its rows again becomes a kernel.
//
//   for each tile of m rows of a block, 16 of each warp                      shell/tiles.c
//     a[m][k] of the products -> shared memory
//     for n0 by n, the next b[n][k] and matrix[n][e] being on their way:
//       sums[16][n] = a . b                                                  in registers
//       the first program: words[16][n]; what grew before is scaled          chain_rows.c
//       grown[16][e] += words . matrix                                       in registers, both
//     the second program on grown
//
// The form is cut into its pieces inside of the kernel (passes/split): forms on the kernel's memory, but that what
// crosses from the first to the second is in registers. Blocks of columns that a causal mask leaves nothing of are not
// made.
//
// decides: how rows that are multiplied again stay in a warp's registers.
//
// test: test/lowering/gpu/chains.mlir, test/gpu/chains.test

#include "lowering/gpu/chains/chains_gpu.h"
#include "dialect/row_groups.h"
#include "lowering/facts/gpu_forms.h"
#include "lowering/rows/index.h"
#include "lowering/rows/rowmemory.h"
#include "passes/edit/edit.h"
#include "passes/split/split.h"

enum { ROWS_OF_A_STEP = 16, MOST_COLUMNS = 31 }; // of mma.sync's sum; two to this, where columns are `?`
enum { EQ = 0, NE = 1 };                         // of arith.cmpi

// ---- pieces -----------------------------------------------------------------------------------

// Memory that nobody has: reads and writes of it are registers'.
static MlirValue crossing_place(SnBuilder *b, const SnForm *f, MlirType element, const int64_t *dims, intptr_t n,
                                bool total, void *user) {
  SnGpuChain *c = user;
  SnGroup streamed = sn_group(f, 0);
  SnGpuCrossing to = {0};
  int64_t shape[SN_MAX_DIMS];
  MlirValue sizes[SN_MAX_DIMS];
  intptr_t dynamic = 0;
  for (intptr_t i = 0; i < n; ++i) {
    shape[i] = f->dims.data[dims[i]].size;
    if (shape[i] == SN_DYNAMIC)
      sizes[dynamic++] = sn_form_size(b, f, dims[i]);
    to.streamed |= dims[i] >= streamed.first && dims[i] < streamed.first + streamed.num_dims;
  }
  int32_t segments[] = {(int32_t)dynamic, 0};
  to.memory = sn(b, "memref.alloca", sn_values(dynamic, sizes), sn_memref(element, n, shape),
                 sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 2, segments)));
  sn_push(&c->crossings, to);
  return to.memory;
}

// Which row of the first piece side a of a product of the second is: an operand of its terminator.
static intptr_t yield_of(const SnGpuChain *c, const SnGpuProduct *p) {
  MlirValue side = c->second.inputs.data[sn_side(&c->second, p->a).first].value;
  for (size_t o = 0; o < c->first.outputs.size; ++o)
    if (sn_same(c->first.outputs.data[o].value, side))
      return (intptr_t)sn_output_position(&c->first, o);
  return -1;
}

// What sums or multiplies the row, or the row rounded.
static void mark_scaled(MlirValue row, int depth) {
  for (MlirOpOperand use = mlirValueGetFirstUse(row); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (sn_row_op_has(user, SN_READS_ALL) || sn_row_op_has(user, SN_READS_MATRIX))
      sn_set_attr(user, SN_GPU_SCALED, mlirUnitAttrGet(mlirOperationGetContext(user)));
    else if (sn_is(user, "arith.truncf") && depth)
      mark_scaled(sn_result(user, 0), depth - 1);
  }
}

// Rows times one by the power are as they were: exponentials are under a reference that is so much higher
// (chain_rows.c). What is of them says so.
static void leave_out(SnGpuChain *c, SnForm *f, MlirValue scale, int64_t power) {
  SnOpVec scaled = {0};
  c->power = power;
  for (MlirOpOperand use = mlirValueGetFirstUse(scale); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    sn_push(&scaled, mlirOpOperandGetOwner(use));
  for (size_t i = 0; i < scaled.size; ++i) {
    MlirValue from = sn_result(scaled.data[i], 0),
              to = sn_operand(scaled.data[i], sn_same(sn_operand(scaled.data[i], 0), scale));
    mark_scaled(from, 2);
    mlirValueReplaceAllUsesOfWith(from, to);
  }
  sn_vec_free(&scaled);
  sn_erase_dead(f->body);
}

static MlirLogicalResult cut(SnBuilder *b, SnGpuChain *c, MlirOperation op, SnOpVec *made) {
  SnMap map = {0};
  for (size_t k = 0; k < c->k->num_operands; ++k)
    sn_map(&map, sn_operand(op, (intptr_t)k), c->k->operands[k]);
  MlirOperation copy = sn_clone(b, op, &map);
  sn_map_free(&map);
  sn_push(made, copy);
  SnForm f = sn_form_read(copy);
  int64_t power = sn_stream_power(&f) ? sn_stream_power(&f) : INT64_C(1) << MOST_COLUMNS;
  MlirValue scale = sn_stream_factors(&f, power, (MlirValue){0});
  if (!sn_none(scale))
    leave_out(c, &f, scale, power);
  size_t again = 0;
  for (MlirOperation row = mlirBlockGetFirstOperation(f.body); !sn_null(row); row = mlirOperationGetNextInBlock(row))
    if (sn_row_op_has(row, SN_READS_MATRIX))
      c->scaled[again++] = sn_get_attr(row, SN_GPU_SCALED).ptr;
  sn_form_free(&f);
  SnCrossing crossing = {.place = crossing_place, .user = c};
  bool ok = sn_split_pieces(copy, &crossing);
  for (size_t i = 0; i < crossing.pieces.size; ++i) {
    sn_erase_dead(mlirRegionGetFirstBlock(mlirOperationGetRegion(crossing.pieces.data[i], 0)));
    sn_push(made, crossing.pieces.data[i]);
  }
  ok = ok && crossing.pieces.size == 2 && !crossing.ends.size;
  if (ok) {
    c->first = sn_form_read(crossing.pieces.data[0]);
    c->second = sn_form_read(crossing.pieces.data[1]);
  }
  sn_vec_free(&crossing.pieces);
  sn_vec_free(&crossing.ends);
  return ok ? SN_OK : sn_error(op, "becomes more than two pieces, which a GPU's kernel does not have in registers");
}

// ---- products ----------------------------------------------------------------------------------

// A form's products as those of a tile that the chain is at, for who fetches sides.
static SnGpuProducts fetched(SnGpuChain *c, SnForm *f, SnGpuChained *p, const MlirValue *addresses) {
  SnGpuProducts g = {.k = c->k,
                     .form = f,
                     .plan = &p->tile,
                     .addresses = addresses,
                     .num_batch = c->num_batch,
                     .num_rows = c->num_rows,
                     .num_columns = f == &c->first ? c->num_columns : sn_index(c->maker, sn_row_length(f)),
                     .first_row = c->first_row,
                     .first_column = sn_index(c->maker, 0)};
  memcpy(g.dims, c->dims, sizeof g.dims);
  return g;
}

static void read_product(SnGpuChain *c, SnForm *f, size_t i, SnGpuChained *to) {
  const SnGpuChainPlan *plan = c->plan;
  int64_t sum = sn_gpu_pieces(f, i, 1, 1);
  bool again = f == &c->second;
  size_t first = c->first.products.size;
  SnGpuProduct product = sn_gpu_product(f, i, plan->kernel);
  MlirType of_row = sn_side_element(f, product.a), half = sn_side_element(f, product.b);
  int64_t parts = again ? sn_parts_of(of_row, half) : 1;
  if (parts > 1)
    product.line = sn_micro_kernel(plan->kernel, half, half, product.type);
  if (again && product.line->a == SN_PARTS)
    parts = SN_GPU_CHAIN_PARTS;
  *to = (SnGpuChained){.product = product,
                       .parts = (size_t)parts,
                       .staged_b = plan->b[again ? first + i : i],
                       .map_b = again ? 2 * first + i : 2 * i + 1,
                       .sum = sum};
  if (!again)
    to->staged_a = plan->a[i], to->map_a = 2 * i;
  to->tile = (SnGpuProductPlan){.points = plan->points,
                                .cluster = 1,
                                .m = plan->m,
                                .n = again ? sn_gpu_chain_whole(sn_row_length(f)) : plan->n,
                                .k = again ? plan->n : sn_gpu_chain_whole(sum)};
  to->tile.points.columns.n = 0;
  for (int64_t d = f->num_rows; d < f->num_rows + f->num_cols; ++d)
    to->tile.points.columns.dims[to->tile.points.columns.n++] = d;
  if (again)
    to->yield = yield_of(c, &to->product);
}

// So many slots of a side, and how a warp takes its fragments from them.
static void make_side(SnBuilder *b, SnGpuChain *c, SnForm *f, SnGpuChained *p, bool is_a, int64_t slots) {
  const SnMicroKernel *line = p->product.line;
  SnGpuProducts g = fetched(c, f, p, NULL);
  SnGpuSide s = sn_gpu_side(b, &g, &p->product, is_a, sn_micro_packed(is_a ? line->a : line->b, p->product.type));
  SnGpuWarpSide *to = is_a ? &p->a : &p->b;
  MlirType word = sn_gpu_word_type(b, line);
  to->turned = !s.along_sum && sn_gpu_may_turn(line, s.type);
  int64_t lines = to->turned ? p->tile.k : s.extent,
          words = to->turned ? sn_gpu_turned_words(&p->product, s.extent) : sn_gpu_line_words(&p->product, p->tile.k),
          bytes = slots * lines * words * 4;
  MlirValue memory = sn_gpu_launched_shared(b, c->k, "sides of a product", 1, &bytes, mlirIntegerTypeGet(b->ctx, 8),
                                            SN_GPU_FOR_VECTORS),
            row = is_a ? times(b, c->k->warp, SN_GPU_CHAIN_WARP_ROWS) : sn_index(b, 0);
  *(is_a ? &p->a_bytes : &p->b_bytes) = memory;
  to->memory = sn_gpu_side_view(b, memory, slots * lines, words * 32 / sn_bits(word), word);
  sn_gpu_place_fragments(b, c->k, line, is_a, row, to);
}

// The side's elements of the sum from `sum` on, or columns from `column` on, into a slot. By copies behind the threads'
// backs, or else (`now`) by the threads.
static void fetch_side(SnBuilder *b, SnGpuChain *c, SnForm *f, SnGpuChained *p, bool is_a, MlirValue column,
                       MlirValue sum, MlirValue slot, bool now) {
  const SnMicroKernel *line = p->product.line;
  MlirType type = sn_micro_packed(is_a ? line->a : line->b, p->product.type);
  SnGpuProducts g = fetched(c, f, p, f == &c->first ? c->first_addresses : c->second_addresses);
  g.first_column = column;
  SnGpuSide s = sn_gpu_side(b, &g, &p->product, is_a, type);
  s.may_fill = true;
  SnSide side = sn_side(f, is_a ? p->product.a : p->product.b);
  bool turned = is_a ? p->a.turned : p->b.turned, copies = !side.program.ptr && sn_gpu_side_copies(&s, turned);
  int64_t lines = turned ? p->tile.k : s.extent;
  if (copies == now)
    return;
  MlirValue bytes = is_a ? p->a_bytes : p->b_bytes;
  int64_t all = sn_dim(sn_type_of(bytes), 0),
          words = turned ? sn_gpu_turned_words(&p->product, s.extent) : sn_gpu_line_words(&p->product, p->tile.k);
  MlirValue memory = sn_gpu_side_view(b, bytes, all / (words * 4), words * 32 / sn_bits(type), type),
            first = times(b, slot, lines);
  if (copies) {
    sn_gpu_copy_side(b, &s, sum, memory, turned, first);
    return;
  }
  if (side.program.ptr) { // of rows
    int64_t rows = sn_gpu_dims_size(f, s.outer);
    sn_gpu_compute_side(b, &s, side, rows < s.extent ? rows : s.extent, memory, turned, first);
    return;
  }
  MlirValue *values = sn_alloc((size_t)(s.count + s.masks) * sizeof *values);
  sn_gpu_fetch_side(b, &s, sum, values);
  sn_gpu_put_side(b, &s, memory, turned, first, values);
  free(values);
}

// What comes block by block: columns from n0 on.
static void fetch_block(SnBuilder *b, SnGpuChain *c, MlirValue n0, MlirValue slot, bool now) {
  size_t first = c->first.products.size;
  MlirValue zero = sn_index(b, 0);
  for (size_t p = 0; p < first; ++p)
    fetch_side(b, c, &c->first, &c->products[p], false, n0, zero, slot, now);
  for (size_t p = 0; p < c->second.products.size; ++p)
    fetch_side(b, c, &c->second, &c->products[first + p], false, zero, n0, slot, now);
}

static void fetch_rows(SnBuilder *b, SnGpuChain *c, bool now) {
  MlirValue zero = sn_index(b, 0);
  for (size_t p = 0; p < c->first.products.size; ++p)
    fetch_side(b, c, &c->first, &c->products[p], true, zero, zero, zero, now);
}

static MlirValue first_line(SnBuilder *b, const SnGpuChained *p, MlirValue slot) {
  return times(b, slot, p->b.turned ? p->tile.k : p->tile.n);
}

// sums[pairs][4] += words of a . b, where words are of so many parts, so far apart. Tensor cores cut off bits of what
// they add to a sum, which is far off in the end, so that a block's products are a sum of their own, which is added.
static void multiply_in_parts(SnBuilder *b, const SnGpuChained *p, MlirValue slot, const MlirValue *words, size_t parts,
                              size_t apart, MlirValue *sums) {
  const SnMicroKernel *line = p->product.line;
  MlirValue from = first_line(b, p, slot), a[SN_GPU_MMA_A], y[2][SN_GPU_MMA_B];
  for (int64_t j = 0; j < p->tile.n / SN_GPU_MMA_COLUMNS; j += 2) {
    MlirValue own[2 * SN_GPU_MMA_SUMS];
    for (size_t i = 0; i < 2 * SN_GPU_MMA_SUMS; ++i)
      own[i] = sn_float(b, mlirF32TypeGet(b->ctx), 0);
    for (int64_t s = 0; s < p->tile.k / ROWS_OF_A_STEP; ++s) {
      for (size_t part = 0; part < parts; ++part)
        memcpy(a + 4 * part, words + part * apart + 4 * s, 4 * sizeof *a);
      sn_gpu_load_b(b, line, &p->b, from, s, j * SN_GPU_MMA_COLUMNS, y[0]);
      for (int64_t i = 0; i < 2; ++i)
        sn_gpu_multiply_fragments(b, line, a, y[i], &own[i * SN_GPU_MMA_SUMS]);
    }
    for (int64_t i = 0; i < 2 * SN_GPU_MMA_SUMS; ++i)
      sums[j * SN_GPU_MMA_SUMS + i] = sn(b, "arith.addf", sums[j * SN_GPU_MMA_SUMS + i], own[i]);
  }
}

// sums[pairs][4] += words of a . b, a's fragments of each step being given, in `parts` parts so far apart that the
// instruction takes at once, or in shared memory.
static void multiply(SnBuilder *b, const SnGpuChained *p, MlirValue slot, const MlirValue *words, size_t parts,
                     size_t apart, MlirValue *sums) {
  if (words && p->product.line->a == SN_PARTS) {
    multiply_in_parts(b, p, slot, words, parts, apart, sums);
    return;
  }
  const SnMicroKernel *line = p->product.line;
  MlirValue from = first_line(b, p, slot), zero = sn_index(b, 0), a[SN_GPU_MMA_A], y[2][SN_GPU_MMA_B];
  for (int64_t s = 0; s < p->tile.k / ROWS_OF_A_STEP; ++s) {
    if (words)
      memcpy(a, words + 4 * s, 4 * sizeof *a);
    else
      sn_gpu_load_a(b, line, &p->a, zero, s, 0, a);
    for (int64_t j = 0; j < p->tile.n / SN_GPU_MMA_COLUMNS; j += 2) {
      sn_gpu_load_b(b, line, &p->b, from, s, j * SN_GPU_MMA_COLUMNS, y[0]);
      for (int64_t i = 0; i < 2; ++i)
        sn_gpu_multiply_fragments(b, line, a, y[i], &sums[(j + i) * SN_GPU_MMA_SUMS]);
    }
  }
}

// ---- a tile -------------------------------------------------------------------------------------

// Of a block of columns: what is carried is states, then what grows.
static void emit_block(SnBuilder *b, SnGpuChain *c, MlirValue n0, MlirValue end, MlirValue *carried) {
  size_t num_first = c->first.products.size, num_states = 2 * sn_gpu_chain_states(c), pairs = (size_t)c->plan->n / 8,
         num_sums = pairs * SN_GPU_MMA_SUMS, of_result = (size_t)sn_gpu_chain_pairs(c) * SN_GPU_MMA_SUMS;
  MlirValue *sums = sn_alloc(num_first * num_sums * sizeof *sums),
            *words = sn_alloc(sn_gpu_chain_words_before(c, c->second.products.size) * sizeof *words),
            *grown = carried + num_states, n = sn_index(b, c->plan->n), next = sn(b, "arith.addi", n0, n),
            two = sn_index(b, 2), slot = sn(b, "arith.remui", sn(b, "arith.divui", n0, n), two),
            other = sn(b, "arith.subi", sn_index(b, 1), slot);
  fetch_block(b, c, n0, slot, true);
  sn_gpu_await_copies(b, 0);
  sn_gpu_sync(b, c->k);
  SnIf more = sn_if(b, sn(b, "arith.cmpi", next, end, sn_attr("predicate", sn_i64(b->ctx, 6))));
  fetch_block(b, c, next, other, false);
  sn_end_if(b, &more);
  for (size_t i = 0; i < num_first * num_sums; ++i)
    sums[i] = sn_float(b, mlirF32TypeGet(b->ctx), 0);
  for (size_t p = 0; p < num_first; ++p)
    multiply(b, &c->products[p], slot, NULL, 0, 0, sums + p * num_sums);
  sn_gpu_chain_columns(b, c, n0, true, false, sums, carried, sn_gpu_chain_grown(c), grown, words);
  for (size_t p = 0; p < c->second.products.size; ++p) {
    const SnGpuChained *q = &c->products[num_first + p];
    size_t together = q->product.line->a == SN_PARTS ? q->parts : 1; // that one multiplication takes
    for (size_t part = 0; part < q->parts; part += together)
      multiply(b, q, slot, words + sn_gpu_chain_words_before(c, p) + part * 2 * pairs, together, 2 * pairs,
               grown + p * of_result);
  }
  free(sums);
  free(words);
}

// Its columns, and its end. i1: some that were left out count; null: they cannot.
static MlirValue emit_columns(SnBuilder *b, SnGpuChain *c) {
  size_t num_states = 2 * sn_gpu_chain_states(c), all = num_states + sn_gpu_chain_grown(c);
  MlirValue *carried = sn_alloc(all * sizeof *carried), n = sn_index(b, c->plan->n), counts = {0};
  MlirValue end = sn_gpu_chain_end_of_columns(b, c), first, blocks;
  sn_gpu_chain_blocks(b, c, &first, &blocks);
  MlirValue first_block = first;
  first = sn(b, "arith.muli", first, n);
  fetch_rows(b, c, false);
  fetch_block(b, c, first, sn(b, "arith.remui", sn(b, "arith.divui", first, n), sn_index(b, 2)), false);
  fetch_rows(b, c, true); // while the copies are on their way
  sn_gpu_chain_begin(b, c, carried);
  for (size_t i = num_states; i < all; ++i)
    carried[i] = sn_float(b, mlirF32TypeGet(b->ctx), 0);
  SnLoop l = sn_for_values(b, first, end, n, sn_values((intptr_t)all, carried));
  memcpy(carried, l.carried, all * sizeof *carried);
  emit_block(b, c, l.index, end, carried);
  sn_next_values(b, &l, sn_values((intptr_t)all, carried));
  for (size_t i = 0; i < all; ++i)
    carried[i] = sn_result(l.op, (intptr_t)i);
  if (sn_gpu_chain_may_count(c))
    counts = sn_gpu_chain_counts(b, c, first_block, blocks, carried);
  sn_gpu_chain_end(b, c, carried, all - num_states, carried + num_states);
  sn_gpu_await_copies(b, 0); // where there are no columns
  free(carried);
  return counts;
}

// Once, and where what was left out counts a second time, whole: all of the block's threads agree.
static void emit_turns(SnBuilder *b, SnGpuChain *c) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32);
  MlirValue words = sn_gpu_chain_words_of_warps(b, c->k), zero = sn_int(b, i32, 0), asked = sn_int(b, i32, 1);
  SnLoop turn = sn_for_values(b, sn_index(b, 0), sn_index(b, 2), sn_index(b, 1), sn_values(1, &asked));
  SnIf is = sn_if_types(b, sn(b, "arith.cmpi", turn.carried[0], zero, sn_attr("predicate", sn_i64(b->ctx, NE))),
                        sn_types(1, &i32));
  c->whole = sn(b, "arith.cmpi", turn.index, sn_index(b, 1), sn_attr("predicate", sn_i64(b->ctx, EQ)));
  MlirValue counts = emit_columns(b, c);
  sn_gpu_sync(b, c->k); // all have read the words of the tile before
  sn_gpu_chain_put_word(b, c, words, sn(b, "arith.extui", counts, i32));
  sn_gpu_sync(b, c->k);
  MlirValue all = sn_gpu_chain_all_words(b, c, words);
  sn_else_values(b, &is, sn_values(1, &all));
  sn_end_if_values(b, &is, sn_values(1, &zero));
  MlirValue again = sn_result(is.op, 0);
  sn_next_values(b, &turn, sn_values(1, &again));
  c->whole = (MlirValue){0};
}

static void emit_tile(SnBuilder *b, SnGpuKernel *k, const SnGpuTile *tile, void *user) {
  SnGpuChain *c = user;
  c->maker = b;
  sn_gpu_chain_place_tile(b, c, tile->number);
  sn_gpu_chain_rows(b, c);
  if (sn_gpu_chain_may_count(c)) {
    emit_turns(b, c);
    return;
  }
  (void)emit_columns(b, c);
  if (!k->single_tile)
    sn_gpu_sync(b, k);
}

// ---- the kernel ------------------------------------------------------------------------------------

typedef struct {
  MlirOperation op; // of the host
  const SnGpuChainPlan *plan;
  MlirLogicalResult result;
} Contract;

static MlirValue size_of(SnBuilder *b, const SnForm *f, const SnGpuDims *dims) {
  MlirValue all = sn_index(b, 1);
  for (size_t i = 0; i < dims->n; ++i)
    all = sn_size_mul(b, all, sn_form_size(b, f, dims->dims[i]));
  return all;
}

// Of a piece's inputs, as the kernel has them; null: it is none of its operands.
MlirValue *sn_gpu_piece_addresses(const SnGpuKernel *k, const SnForm *f) {
  MlirValue *to = sn_alloc((f->inputs.size + 1) * sizeof *to);
  for (size_t i = 0; i < f->inputs.size; ++i)
    for (size_t o = 0; o < k->num_operands; ++o)
      if (sn_same(f->inputs.data[i].value, k->operands[o]))
        to[i] = k->addresses[o];
  return to;
}

static void by_warps(SnBuilder *b, SnGpuChain *c, MlirValue tiles) {
  SnGpuKernel *k = c->k;
  SnGpuTiles deal =
      c->plan->tickets ? sn_gpu_tiles_by_ticket(b, tiles) : sn_gpu_tiles_in_steps(k, k->block, tiles, k->blocks);
  sn_gpu_each_tile(b, k, &deal, NULL, 0, emit_tile, c);
}

static void emit_tiles(SnBuilder *b, SnGpuChain *c) {
  size_t first = c->first.products.size, all = first + c->second.products.size;
  bool staged = c->plan->launch.more_threads;
  c->maker = b;
  c->products = sn_alloc((all + 1) * sizeof *c->products);
  c->num_batch = size_of(b, &c->first, &c->plan->points.batch);
  c->num_rows = size_of(b, &c->first, &c->plan->points.rows);
  c->num_columns = sn_form_columns(b, &c->first);
  c->first_row = sn_index(b, 0);
  for (size_t p = 0; p < all; ++p) {
    SnForm *f = p < first ? &c->first : &c->second;
    read_product(c, f, p < first ? p : p - first, &c->products[p]);
    if (p < first && !staged)
      make_side(b, c, f, &c->products[p], true, 1);
    if (!staged)
      make_side(b, c, f, &c->products[p], false, 2);
  }
  c->maximum = sn_stream_maximum(c->first.body);
  if (c->plan->ends_early)
    sn_cpu_compares_from(&c->first, &c->plan->end, &c->end);
  if (c->plan->begins_late)
    sn_cpu_compares_below(&c->first, &c->plan->begin, &c->begin);
  for (int h = 0; h < 2; ++h) {
    c->rows[h] = sn_row_program(&c->first, sn_values(0, NULL));
    c->results[h] = sn_row_program(&c->second, sn_values(0, NULL));
    c->rows[h].aligned = c->results[h].aligned = SN_GPU_OPERANDS_ALIGNED;
  }
  sn_gpu_chain_find_sum(c);
  MlirValue tiles = sn_size_mul(b, c->num_batch, sn_size_ceil(b, c->num_rows, sn_index(b, c->plan->m)));
  tiles = sn_size_mul(b, tiles, sn_index(b, c->plan->split));
  if (staged)
    sn_gpu_chain_by_warpgroups(b, c, tiles);
  else
    by_warps(b, c, tiles);
  for (int h = 0; h < 2; ++h) {
    sn_row_program_free(&c->rows[h]);
    sn_row_program_free(&c->results[h]);
  }
  free(c->products);
}

static void emit(SnBuilder *b, SnGpuKernel *k, const void *user) {
  Contract *contract = *(Contract *const *)user;
  SnGpuChain c = {.k = k, .plan = contract->plan};
  SnOpVec made = {0};
  contract->result = cut(b, &c, contract->op, &made);
  if (!sn_failed(contract->result)) {
    if (!c.plan->launch.more_threads || c.plan->numbers) { // tensor maps have those of sides
      c.first_addresses = sn_gpu_piece_addresses(k, &c.first);
      c.second_addresses = sn_gpu_piece_addresses(k, &c.second);
    }
    sn_gpu_know_lanes(k);
    emit_tiles(b, &c);
    free(c.first_addresses);
    free(c.second_addresses);
    sn_form_free(&c.first);
    sn_form_free(&c.second);
  }
  for (size_t i = 0; i < made.size; ++i)
    mlirOperationDestroy(made.data[i]);
  sn_vec_free(&made);
  sn_vec_free(&c.crossings);
}

// Of sides a and b of each product, then of matrices.
static size_t find_maps(const SnForm *f, const SnGpuChainPlan *plan, SnGpuTensorMap *maps) {
  size_t n = 0, first = f->products.size;
  if (!plan->launch.more_threads)
    return 0;
  for (size_t i = 0; i < first; ++i) {
    maps[n++] = plan->a[i].map.map;
    maps[n++] = plan->b[i].map.map;
  }
  for (int64_t i = 0; i < sn_gpu_chain_products(f); ++i)
    maps[n++] = plan->b[first + (size_t)i].map.map;
  return n;
}

MlirLogicalResult sn_gpu_lower_chain(MlirOperation op, SnGpuTakeBody take, void *taker) {
  SnForm f = sn_form_read(op);
  SnGpuChainPlan plan;
  Contract contract = {.op = op, .plan = &plan, .result = SN_OK}, *user = &contract;
  MlirLogicalResult result = sn_gpu_plan_chain(&f, &plan);
  if (!sn_failed(result))
    result = sn_row_program_check(&f);
  if (!sn_failed(result))
    result = sn_gpu_check_tables(&f);
  if (!sn_failed(result)) {
    SnGpuTensorMap maps[4 * SN_GPU_CHAIN_PRODUCTS];
    SnGpuBody body = {.launch = &plan.launch,
                      .scratch = plan.tickets ? SN_GPU_TICKETS : sn_gpu_chain_scratch(&f, &plan),
                      .asserts = sn_gpu_asserts(&f),
                      .addresses = !plan.launch.more_threads || plan.numbers,
                      .maps = maps,
                      .num_maps = find_maps(&f, &plan, maps),
                      .emit = emit,
                      .user = &user};
    result = take(op, &body, taker);
  }
  sn_form_free(&f);
  if (!sn_failed(result))
    result = contract.result;
  return result;
}
