// layers_gpu.c: a form whose rows go through several products whole becomes a kernel.
//
//   for each m rows of a block, or of a cluster of blocks                    shell/tiles.c
//     for each piece of the form:
//       for each n columns of its rows, of a cluster's block every so-manieth:
//         sums[m][n] = a . b, the piece's program                            products/products_gpu.c
//       what the next pieces read of it is in shared memory; of a cluster each block takes the others' columns
//
// The form is cut into its pieces inside of the kernel (passes/split): plain forms on the kernel's memory, but that
// what crosses from one to another has memory for the block's rows alone:
//
//   %p[i, j] of memref<65536x512xf32>     ->     %p[i mod m, j] of memref<m x 512xf32>
//
// decides: how rows that go through several products stay in a block's shared memory.
//
// test: test/lowering/gpu/layers.mlir, test/gpu/layers.test

#include "lowering/facts/gpu_forms.h"
#include "lowering/facts/gpu_layers.h"
#include "lowering/gpu/chains/chains_gpu.h"
#include "lowering/gpu/meet/meet.h"
#include "lowering/rows/rowmemory.h"
#include "passes/edit/edit.h"
#include "passes/split/split.h"

// A value that crosses from a piece to others.
typedef struct {
  MlirValue named;  // the memref that pieces were cut with, and nobody has
  MlirValue rows;   // of the block's: in shared memory
  MlirValue bytes;  // these
  intptr_t rank;    // of the first
  int64_t num_rows; // dimensions of it that are rows
} Crossing;

typedef struct {
  SnForm form; // over the kernel's operands and the crossings
  SnGpuProductPlan tile;
  SnGpuProducts g;
  MlirValue *addresses;
} Piece;

typedef struct {
  SnGpuKernel *k;
  const SnGpuLayerPlan *plan;
  SN_VEC(Crossing) crossings;
  SN_VEC(Piece) pieces;
  MlirValue num_rows; // index
} Layers;

typedef struct {
  MlirOperation op; // of the host
  const SnGpuLayerPlan *plan;
  MlirLogicalResult result;
} Contract;

// ---- what crosses --------------------------------------------------------------------------------

static MlirValue crossing_place(SnBuilder *b, const SnForm *f, MlirType element, const int64_t *dims, intptr_t n,
                                bool total, void *user) {
  Layers *l = user;
  Crossing to = {.rank = n};
  int64_t shape[SN_MAX_DIMS], line[SN_MAX_DIMS] = {l->plan->m};
  MlirValue sizes[SN_MAX_DIMS];
  intptr_t dynamic = 0;
  for (intptr_t i = 0; i < n; ++i) {
    shape[i] = f->dims.data[dims[i]].size;
    if (shape[i] == SN_DYNAMIC)
      sizes[dynamic++] = sn_form_size(b, f, dims[i]);
    to.num_rows += dims[i] < f->num_rows;
  }
  for (intptr_t i = to.num_rows; i < n; ++i)
    line[1 + i - to.num_rows] = shape[i];
  int32_t segments[] = {(int32_t)dynamic, 0};
  to.named = sn(b, "memref.alloca", sn_values(dynamic, sizes), sn_memref(element, n, shape),
                sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 2, segments)));
  int64_t bytes = sn_scratch_bytes(element);
  for (intptr_t i = 0; i < 1 + n - to.num_rows; ++i)
    bytes *= line[i];
  to.bytes = sn_gpu_launched_shared(b, l->k, "rows between products", 1, &bytes, mlirIntegerTypeGet(b->ctx, 8),
                                    SN_GPU_FOR_VECTORS);
  MlirType rows = mlirMemRefTypeContiguousGet(element, 1 + n - to.num_rows, line,
                                              mlirMemRefTypeGetMemorySpace(sn_type_of(to.bytes)));
  to.rows = sn(b, "memref.view", to.bytes, sn_index(b, 0), rows);
  sn_push(&l->crossings, to);
  return to.named;
}

// Elements of the crossing that the access names, in the block's rows.
static void set_access(const Layers *l, const SnForm *f, SnAccess *a) {
  for (size_t i = 0; i < l->crossings.size; ++i) {
    const Crossing *c = &l->crossings.data[i];
    if (!sn_same(a->value, c->named))
      continue;
    MlirContext ctx = mlirOperationGetContext(f->op);
    MlirAffineExpr row = mlirAffineConstantExprGet(ctx, 0), to[SN_MAX_DIMS];
    for (int64_t d = 0; d < c->num_rows; ++d) {
      int64_t size = sn_dim(sn_type_of(c->named), d);
      row = d ? mlirAffineMulExprGet(row, mlirAffineConstantExprGet(ctx, size)) : row;
      row = mlirAffineAddExprGet(row, mlirAffineMapGetResult(a->map, d));
    }
    to[0] = mlirAffineModExprGet(row, mlirAffineConstantExprGet(ctx, l->plan->m));
    for (intptr_t d = c->num_rows; d < c->rank; ++d)
      to[1 + d - c->num_rows] = mlirAffineMapGetResult(a->map, d);
    a->map = mlirAffineMapGet(ctx, mlirAffineMapGetNumDims(a->map), mlirAffineMapGetNumSymbols(a->map),
                              1 + c->rank - c->num_rows, to);
    a->value = c->rows;
    return;
  }
}

static const Crossing *crossing_of(const Layers *l, MlirValue rows) {
  for (size_t i = 0; i < l->crossings.size; ++i)
    if (sn_same(l->crossings.data[i].rows, rows))
      return &l->crossings.data[i];
  return NULL;
}

// Columns of the crossing that others of the cluster made: their words into the own rows.
static void take_from_others(SnBuilder *b, const Layers *l, const Crossing *c) {
  const SnGpuLayerPlan *plan = l->plan;
  MlirType element = sn_element(sn_type_of(c->rows)), i32 = mlirIntegerTypeGet(b->ctx, 32),
           i64 = mlirIntegerTypeGet(b->ctx, 64);
  int64_t words = sn_dim(sn_type_of(c->bytes), 0) / 8 / plan->m, of_tile = plan->n * sn_scratch_bytes(element) / 8;
  MlirValue own = sn_gpu_side_view(b, c->bytes, plan->m, words, i64), address = sn_gpu_shared_address(b, c->bytes);
  SnLoop w = sn_for(b, l->k->thread, sn_index(b, plan->m * words), sn_index(b, plan->launch.threads));
  MlirValue at[] = {sn(b, "arith.divui", w.index, sn_index(b, words)),
                    sn(b, "arith.remui", w.index, sn_index(b, words))},
            owner = sn(b, "arith.remui", sn(b, "arith.divui", at[1], sn_index(b, of_tile)),
                       sn_index(b, plan->launch.cluster));
  SnIf other = sn_if(b, sn(b, "arith.cmpi", owner, l->k->rank, sn_attr("predicate", sn_i64(b->ctx, 1))));
  MlirValue offset = sn(b, "arith.muli", sn(b, "arith.index_cast", w.index, i32), sn_int(b, i32, 8)),
            word = sn_gpu_load_of_block(b, sn(b, "arith.addi", address, offset), sn(b, "arith.index_cast", owner, i32));
  sn_op(b, "memref.store", word, own, at[0], at[1]);
  sn_end_if(b, &other);
  sn_next(b, &w);
}

static void exchange(SnBuilder *b, const Layers *l, const Piece *p) {
  bool some = false;
  for (size_t o = 0; o < p->form.outputs.size; ++o)
    some |= crossing_of(l, p->form.outputs.data[o].value) != NULL;
  if (l->plan->launch.cluster == 1 || !some)
    return;
  sn_gpu_sync_cluster(b);
  for (size_t o = 0; o < p->form.outputs.size; ++o) {
    const Crossing *c = crossing_of(l, p->form.outputs.data[o].value);
    if (c)
      take_from_others(b, l, c);
  }
}

// ---- pieces -------------------------------------------------------------------------------------

static MlirLogicalResult cut(SnBuilder *b, Layers *l, MlirOperation op, SnOpVec *made) {
  SnMap map = {0};
  for (size_t k = 0; k < l->k->num_operands; ++k)
    sn_map(&map, sn_operand(op, (intptr_t)k), l->k->operands[k]);
  MlirOperation copy = sn_clone(b, op, &map);
  sn_map_free(&map);
  sn_push(made, copy);
  SnForm f = sn_form_read(copy);
  l->num_rows = sn_form_sizes(b, &f, 0, f.num_rows);
  sn_form_free(&f);
  SnCrossing crossing = {.place = crossing_place, .user = l};
  bool ok = sn_split_pieces(copy, &crossing);
  for (size_t i = 0; i < crossing.pieces.size; ++i) {
    sn_erase_dead(mlirRegionGetFirstBlock(mlirOperationGetRegion(crossing.pieces.data[i], 0)));
    sn_push(made, crossing.pieces.data[i]);
    SnForm piece = sn_form_read(crossing.pieces.data[i]);
    for (size_t k = 0; k < piece.inputs.size; ++k)
      set_access(l, &piece, &piece.inputs.data[k]);
    for (size_t k = 0; k < piece.outputs.size; ++k)
      set_access(l, &piece, &piece.outputs.data[k]);
    ok &= !sn_gpu_not_products(&piece);
    sn_push(&l->pieces, ((Piece){.form = piece}));
  }
  ok &= !crossing.ends.size;
  sn_vec_free(&crossing.pieces);
  sn_vec_free(&crossing.ends);
  return ok ? SN_OK : sn_error(op, "becomes pieces that are no products, which a GPU's kernel does not have in a line");
}

static int64_t larger(int64_t x, int64_t y) { return x > y ? x : y; }

// Of all pieces: sums of a tile, and slots of both sides.
static void make_memory(SnBuilder *b, Layers *l) {
  const SnGpuLayerPlan *plan = l->plan;
  size_t most = 0;
  int64_t bytes[2] = {0}, shape[] = {plan->m, plan->n};
  for (size_t i = 0; i < l->pieces.size; ++i) {
    const SnForm *f = &l->pieces.data[i].form;
    most = f->products.size > most ? f->products.size : most;
    for (size_t p = 0; p < f->products.size; ++p) {
      SnGpuProduct product = sn_gpu_product(f, p, plan->kernel);
      bytes[0] = larger(bytes[0], sn_gpu_side_bytes(&product, plan->m, plan->k));
      bytes[1] = larger(bytes[1], sn_gpu_side_bytes(&product, plan->n, plan->k));
    }
  }
  MlirValue *sums = sn_alloc((most + 1) * sizeof *sums), sides[2];
  for (size_t p = 0; p < most; ++p)
    sums[p] = sn_gpu_launched_shared(b, l->k, "sums of a tile", 2, shape, mlirF32TypeGet(b->ctx), SN_GPU_FOR_VECTORS);
  for (int s = 0; s < 2; ++s)
    sides[s] = sn_gpu_launched_shared(b, l->k, "sides of a product", 1, &bytes[s], mlirIntegerTypeGet(b->ctx, 8),
                                      SN_GPU_FOR_VECTORS);
  for (size_t i = 0; i < l->pieces.size; ++i) {
    SnGpuProducts *g = &l->pieces.data[i].g;
    g->sums = sn_alloc((most + 1) * sizeof *sums);
    memcpy(g->sums, sums, most * sizeof *sums);
    g->a = sides[0];
    g->b = sides[1];
  }
  free(sums);
}

static void prepare_piece(SnBuilder *b, Layers *l, Piece *p) {
  const SnGpuLayerPlan *plan = l->plan;
  p->tile = (SnGpuProductPlan){.launch = plan->launch,
                               .points = sn_gpu_points(&p->form),
                               .m = plan->m,
                               .n = plan->n,
                               .k = plan->k,
                               .split = 1,
                               .cluster = 1,
                               .group = 1,
                               .kernel = plan->kernel,
                               .warps_down = plan->warps_down,
                               .sums = plan->sums};
  p->addresses = sn_gpu_piece_addresses(l->k, &p->form);
  p->g = (SnGpuProducts){.k = l->k,
                         .form = &p->form,
                         .plan = &p->tile,
                         .addresses = p->addresses,
                         .program = sn_row_program(&p->form, sn_values(0, NULL)),
                         .num_batch = sn_index(b, 1),
                         .num_rows = l->num_rows,
                         .num_columns = sn_index(b, sn_row_length(&p->form))};
  p->g.program.aligned = SN_GPU_OPERANDS_ALIGNED;
}

// ---- a tile -------------------------------------------------------------------------------------

static void emit_piece(SnBuilder *b, const Layers *l, Piece *p, MlirValue first_row) {
  const SnGpuLayerPlan *plan = l->plan;
  bool shares = plan->launch.cluster > 1;
  MlirValue from = shares ? sn(b, "arith.muli", l->k->rank, sn_index(b, plan->n)) : sn_index(b, 0);
  p->g.first_row = first_row;
  SnLoop n0 = sn_for(b, from, p->g.num_columns, sn_index(b, plan->n * plan->launch.cluster));
  p->g.first_column = n0.index;
  sn_gpu_emit_tile(b, &p->g);
  sn_gpu_sync(b, l->k);
  sn_next(b, &n0);
  exchange(b, l, p);
  if (shares)
    sn_gpu_sync(b, l->k);
}

static void emit_tile(SnBuilder *b, SnGpuKernel *k, const SnGpuTile *tile, void *user) {
  Layers *l = user;
  MlirValue first_row = sn(b, "arith.muli", tile->number, sn_index(b, l->plan->m));
  for (size_t i = 0; i < l->pieces.size; ++i)
    emit_piece(b, l, &l->pieces.data[i], first_row);
  if (k->cluster > 1) // others read the own rows until here
    sn_gpu_sync_cluster(b);
}

static void emit_tiles(SnBuilder *b, Layers *l) {
  SnGpuKernel *k = l->k;
  for (size_t i = 0; i < l->pieces.size; ++i)
    prepare_piece(b, l, &l->pieces.data[i]);
  make_memory(b, l);
  sn_gpu_await_cluster(b, k);
  SnGpuTiles tiles =
      sn_gpu_tiles_in_steps(k, k->group, sn_size_ceil(b, l->num_rows, sn_index(b, l->plan->m)), k->blocks / k->cluster);
  sn_gpu_each_tile(b, k, &tiles, NULL, 0, emit_tile, l);
  for (size_t i = 0; i < l->pieces.size; ++i) {
    sn_row_program_free(&l->pieces.data[i].g.program);
    free(l->pieces.data[i].g.sums);
    free(l->pieces.data[i].addresses);
  }
}

static void emit(SnBuilder *b, SnGpuKernel *k, const void *user) {
  Contract *contract = *(Contract *const *)user;
  Layers l = {.k = k, .plan = contract->plan};
  SnOpVec made = {0};
  contract->result = cut(b, &l, contract->op, &made);
  sn_gpu_know_lanes(k);
  if (!sn_failed(contract->result))
    emit_tiles(b, &l);
  for (size_t i = 0; i < l.pieces.size; ++i)
    sn_form_free(&l.pieces.data[i].form);
  for (size_t i = 0; i < made.size; ++i)
    mlirOperationDestroy(made.data[i]);
  sn_vec_free(&made);
  sn_vec_free(&l.pieces);
  sn_vec_free(&l.crossings);
}

MlirLogicalResult sn_gpu_lower_layers(MlirOperation op, SnGpuTakeBody take, void *taker) {
  SnForm f = sn_form_read(op);
  SnGpuLayerPlan plan;
  Contract contract = {.op = op, .plan = &plan, .result = SN_OK}, *user = &contract;
  MlirLogicalResult result = sn_gpu_plan_layers(&f, &plan);
  if (!sn_failed(result))
    result = sn_row_program_check(&f);
  if (!sn_failed(result))
    result = sn_gpu_check_tables(&f);
  if (!sn_failed(result)) {
    SnGpuBody body = {.launch = &plan.launch,
                      .asserts = sn_gpu_asserts(&f),
                      .addresses = strcmp(plan.kernel, "fma") != 0,
                      .emit = emit,
                      .user = &user};
    result = take(op, &body, taker);
  }
  sn_form_free(&f);
  if (!sn_failed(result))
    result = contract.result;
  return result;
}
