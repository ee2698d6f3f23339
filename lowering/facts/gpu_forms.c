// gpu_forms.c: what a #sinter.gpu_rows makes of a form. See gpu_forms.h.
//
//   softmax (i = 64) by (j = 131072), vector = 4, threads = 512, cluster = 8   ->   8 vectors of a row for each thread
//
// test: test/passes/schedule/gpu_rows.mlir, test/lowering/gpu/refused.mlir

#include "dialect/row_ops.h"
#include "lowering/facts/gpu_forms.h"

static int64_t bytes_of(const SnAccess *a, int64_t width) {
  return width * sn_bits(sn_element(sn_type_of(a->value))) / 8;
}

bool sn_gpu_sums_columns(const SnForm *f) {
  for (size_t k = 0; k < f->accumulators.size; ++k)
    if (sn_uses_cols(f, f->accumulators.data[k].map))
      return true;
  return false;
}

// ---- who shares a row ---------------------------------------------------------------

bool sn_gpu_lanes_are_rows(const SnForm *f) { return f->num_cols == 0; }

int64_t sn_gpu_rowwise_team(const SnForm *f, const SnGpuRows *s) { return sn_gpu_lanes_are_rows(f) ? 1 : s->team; }

int64_t sn_gpu_rowwise_blocks(const SnForm *f, const SnGpuRows *s) {
  int64_t rows = sn_num_rows(f), most = s->blocks / s->cluster, at_once = s->threads / sn_gpu_rowwise_team(f, s);
  if (s->flat) { // vectors of a block
    int64_t length = sn_row_length(f);
    rows = rows == SN_DYNAMIC || length == SN_DYNAMIC ? SN_DYNAMIC : sn_times(rows, length);
    at_once = s->threads * s->vector;
  }
  int64_t wanted = rows == SN_DYNAMIC ? most : sn_pieces(rows, at_once);
  wanted = wanted < most ? wanted : most;
  return (wanted > 1 ? wanted : 1) * s->cluster;
}

bool sn_gpu_is_only_asserted(MlirOperation reduce) {
  MlirAttribute kind = sn_get_attr(reduce, "kind");
  MlirValue v = sn_result(reduce, 0);
  if (!kind.ptr || !mlirStringRefEqual(mlirStringAttrGetValue(kind), SN_STR("and")) || sn_bits(sn_type_of(v)) != 1)
    return false;
  bool any = false;
  for (MlirOpOperand use = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    if (!sn_is(mlirOpOperandGetOwner(use), "cf.assert"))
      return false;
    any = true;
  }
  return any;
}

// All dimensions in their order, or none.
static bool is_whole(const SnForm *f, const SnAccess *a) {
  int64_t n = f->num_rows + f->num_cols;
  intptr_t rank = mlirAffineMapGetNumResults(a->map);
  if (a->through.ptr || a->fill.ptr || sn_is_table(a))
    return false;
  if (!rank)
    return true;
  for (intptr_t i = 0; rank == n && i < rank; ++i)
    if (sn_map_dim(a->map, i) != i || sn_dim(sn_type_of(a->value), i) != f->dims.data[i].size)
      return false;
  return rank == n;
}

// It feeds an accumulator of its kind, and nothing else: the order of rows in it says nothing.
static bool feeds_accumulator(const SnForm *f, MlirOperation reduce) {
  MlirOperation end = mlirBlockGetTerminator(f->body);
  MlirValue v = sn_result(reduce, 0);
  MlirAttribute kind = sn_get_attr(reduce, "kind");
  if (!kind.ptr || !sn_one_use(v))
    return false;
  for (size_t a = 0; a < f->accumulators.size; ++a)
    if (sn_same(sn_operand(end, (intptr_t)a), v))
      return mlirStringRefEqual(mlirStringAttrGetValue(kind), f->accumulators.data[a].kind) &&
             mlirTypeEqual(sn_type_of(v), f->accumulators.data[a].type);
  return false;
}

const char *sn_gpu_not_flat(const SnForm *f) {
  if (!f->num_cols || f->indices.size)
    return "it has no columns, or index tensors";
  for (size_t k = 0; k < f->inputs.size + f->outputs.size; ++k)
    if (!is_whole(f, k < f->inputs.size ? &f->inputs.data[k] : &f->outputs.data[k - f->inputs.size]))
      return "an operand is not one element for each of all, or one for all, in order";
  for (size_t a = 0; a < f->accumulators.size; ++a)
    if (sn_uses_cols(f, f->accumulators.data[a].map) ||
        sn_null(sn_reduce_of(sn_operand(mlirBlockGetTerminator(f->body), (intptr_t)a), NULL)))
      return "an accumulator is not of all elements alike";
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (!sn_is_reduced(f, k) && !sn_uses_cols(f, f->outputs.data[k].map))
      return "a result is one for each row";
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    if (sn_row_op_has(op, SN_READS_ALL) && !feeds_accumulator(f, op) && !sn_gpu_is_only_asserted(op))
      return "something is reduced over a row";
    const SnRowOp *line = sn_row_op_of(op);
    if (line && line->position)
      return "it knows where in a row it is";
  }
  return NULL;
}

// ---- where it waits between phases ----------------------------------------------------

bool sn_gpu_peels(const SnForm *f, const SnGpuRows *s) {
  int64_t n = sn_row_length(f);
  return (s->registers || s->shared) && !s->flat && !s->tile && s->vector > 1 && n != SN_DYNAMIC && n % s->vector &&
         n >= s->vector && s->team >= s->threads && sn_row_is_placed(f);
}

size_t sn_gpu_resident(const SnForm *f, const SnGpuRows *s) {
  int64_t at_once = s->vector * sn_gpu_rowwise_team(f, s) * s->cluster, n = sn_row_length(f);
  if (sn_gpu_peels(f, s))
    n += s->vector - 1; // what stands in front of a row in its first vector
  return (s->registers || s->shared) && !sn_gpu_lanes_are_rows(f) && n != SN_DYNAMIC ? (size_t)sn_pieces(n, at_once)
                                                                                     : 0;
}

// By one operation that nothing else stands beside.
static bool is_extended(MlirValue v) {
  return sn_one_use(v) && sn_is(mlirOpOperandGetOwner(mlirValueGetFirstUse(v)), "arith.extf");
}

int64_t sn_gpu_packed_rows(const SnForm *f) {
  int64_t count = 0;
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(f->body); ++k) {
    MlirValue v = mlirBlockGetArgument(f->body, k);
    // One that is a row for all rows is loaded where it is used.
    if (!sn_is_row(v) || !sn_uses_rows(f, f->inputs.data[k].map))
      continue;
    if (!mlirTypeIsABF16(sn_element(sn_type_of(v))) || !is_extended(v))
      return 0;
    ++count;
  }
  return sn_gpu_sums_columns(f) ? 0 : count;
}

// ---- what is fetched into shared memory --------------------------------------------------

bool sn_gpu_is_fetched(const SnForm *f, const SnGpuRows *s, size_t k) {
  const SnAccess *a = &f->inputs.data[k];
  if (!sn_row_is_whole(f, a) || !mlirTypeIsARankedTensor(sn_access_type(f, a)))
    return false;
  int64_t bytes = bytes_of(a, s->vector);
  return (bytes == 4 || bytes == 8 || bytes == 16) && (sn_row_length(f) % s->vector == 0 || sn_gpu_peels(f, s));
}

static bool fetches(const SnForm *f, const SnGpuRows *s) {
  return s->ahead && !s->grid && sn_gpu_resident(f, s) && s->team >= s->threads;
}

int64_t sn_gpu_ahead_bytes(const SnForm *f, const SnGpuRows *s) {
  int64_t bytes = 0;
  size_t n = 0;
  for (size_t k = 0; fetches(f, s) && k < f->inputs.size; ++k)
    if (sn_gpu_is_fetched(f, s, k) && n++ < SN_GPU_MAX_FETCHED)
      bytes += (int64_t)sn_gpu_resident(f, s) * s->threads * bytes_of(&f->inputs.data[k], s->vector);
  return bytes;
}

bool sn_gpu_is_copied(const SnForm *f, const SnGpuRows *s, size_t k) {
  const SnAccess *a = &f->inputs.data[k];
  int64_t n = sn_row_length(f);
  if (!sn_row_is_whole(f, a) || !mlirTypeIsARankedTensor(sn_access_type(f, a)) || n == SN_DYNAMIC)
    return false;
  return sn_gpu_peels(f, s) ? bytes_of(a, s->vector) == 16
                            : n % s->vector == 0 && bytes_of(a, n) % 16 == 0 && bytes_of(a, s->vector) * 4 % 16 == 0 &&
                                  bytes_of(a, s->vector) <= 16;
}

int64_t sn_gpu_piece_bytes(const SnForm *f, const SnGpuRows *s) {
  int64_t bytes = 0;
  size_t n = 0;
  for (size_t k = 0; ((s->grid && s->ahead) || s->shared) && k < f->inputs.size; ++k)
    if (sn_gpu_is_copied(f, s, k) && n++ < SN_GPU_MAX_FETCHED)
      bytes += s->threads * bytes_of(&f->inputs.data[k], s->vector);
  return bytes;
}

int64_t sn_gpu_slot_bytes(const SnForm *f, const SnGpuRows *s) {
  return s->grid ? s->slots * sn_gpu_piece_bytes(f, s) : 0;
}

int64_t sn_gpu_shared_row_bytes(const SnForm *f, const SnGpuRows *s) {
  return s->shared ? (int64_t)sn_gpu_resident(f, s) * sn_gpu_piece_bytes(f, s) : 0;
}

// ---- blocks that share rows by way of memory ------------------------------------------------

size_t sn_gpu_exchanges(const SnForm *f, size_t *values) {
  SnRowProgram p = sn_row_program(f, sn_values(0, NULL));
  SnRowJoints joints = {0};
  size_t count = 0;
  sn_row_join_exponentials(&joints, &p);
  sn_row_join_squares(&joints, &p);
  *values = 0;
  for (size_t i = 0; i < p.phases.size; ++i) {
    size_t n = 0;
    for (size_t r = 0; r < p.phases.data[i].reduces.size; ++r)
      n += sn_row_joint_values(&joints, p.phases.data[i].reduces.data[r]);
    count += n > 0;
    *values = n > *values ? n : *values;
  }
  bool few = p.phases.size <= SN_GPU_EXCHANGES;
  sn_row_program_free(&p);
  return few ? count : SN_GPU_EXCHANGES + 1;
}

bool sn_gpu_counts(const SnForm *f, int64_t group, size_t exchanges, int64_t *rows) {
  int64_t n = sn_row_length(f);
  *rows = sn_num_rows(f);
  if (*rows == SN_DYNAMIC)
    *rows = n == SN_DYNAMIC ? 0 : ((int64_t)1 << 38) / (n > 0 ? n : 1);
  return *rows <= ((int64_t)1 << 32) / group / (int64_t)exchanges;
}

bool sn_gpu_may_share_rows(const SnForm *f, int64_t group) {
  size_t values = 0, count = f->num_cols && !sn_gpu_sums_columns(f) ? sn_gpu_exchanges(f, &values) : 0;
  int64_t rows;
  return count && count <= SN_GPU_EXCHANGES && values <= SN_GPU_EXCHANGED && sn_gpu_counts(f, group, count, &rows);
}
