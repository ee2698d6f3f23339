// columns_apart.c: what is added up over rows for each column is a form of its own, where one kernel does both badly.
//
//   (i) by (j) ins(%x[i, j], %g[i, j]) reduce(add [j]) { %m = f(row_reduce add %x) ; yield %g * %m, %x * %m }
// ->
//   %y, %m = (i) by (j) ins(%x[i, j], ...) { ... ; yield %x * %m, %m }            outs([i, j], [i])
//   %w     = (i) by (j) ins(%x[i, j], %g[i, j], %m[i]) reduce(add [j]) { yield %g * %m }
//
// A gradient of a norm is its rows, which wait for sums of their own, and for each column a sum over all rows. One
// kernel reads all once and keeps the columns' sums in registers from row to row. It is slow where these leave too few
// registers for a row, so that it is read again or has multiprocessors to itself, where rows are so few that what
// blocks leave is more than what they read, and where long rows are no multiple of a vector, which no sums of columns
// allow. What is one number of each row is stored, and read by the sums, which are turned then (turned_sums.c).
//
// Measured on an H200, gradients of norms, ms of one kernel and of two: bf16 1624x43648 of a sum 0.667 and 0.498, f16
// 640x167,286 2.03 and 0.64, bf16 128x16384 0.0553 and 0.0124, f32 512x8192 0.0623 and 0.0350, f32 17,922x4239 0.749
// and 0.659, f16 4787x5247 0.238 and 0.212; one is faster of f32 8192x4096 (0.220 and 0.268), 3792x3008 (0.139 and
// 0.156), bf16 2048x32768 (0.413 and 0.504), 16384x4096 (0.272 and 0.311).
//
// decides: which sums of columns a GPU has in a kernel of their own.
//
// runs in: sinter-gpu    test: test/passes/schedule/columns_apart.mlir, test/gpu/emulate_rows.test

#include "dialect/row_ops.h"
#include "dialect/schedules.h"
#include "dialect/sequence.h"
#include "lowering/facts/gpu_forms.h"
#include "passes/edit/edit.h"
#include "passes/schedule/schedule.h"
#include "target/chips.h"

enum {
  LEAST_BYTES = 4 << 20,  // of what the sums read: two launches take longer than less,
  LEAST_COLUMNS = 4096,   // or they are turned all the same, of so many columns
  MOST_ROWS = 256,        // and rows,
  MOST_BLOCKS = 264,      // or where so many would leave
  LEAST_COMBINED = 200000, // so many parts of them
  LONG_ODD = 4096,        // columns, no multiple of 16 bytes, which rows by themselves have vectors of
  COMBINED = 50,          // parts of columns' sums that blocks combine in a ns
  READ = 3500,            // bytes that are read in a ns
  LAUNCH = 3000,          // ns
};

// A number of each row, of something that all or one of its elements say.
static bool crosses(MlirOperation op, const SnTable *waiting) {
  bool is = sn_row_op_has(op, SN_READS_ALL) || sn_row_op_has(op, SN_READS_ONE);
  for (intptr_t k = 0; k < sn_num_operands(op) && !is; ++k) {
    MlirOperation from = sn_definer(sn_operand(op, k));
    is = !sn_null(from) && sn_table_has(waiting, from.ptr);
  }
  return is && sn_num_results(op) == 1 && !sn_is_row(sn_result(op, 0));
}

// Numbers of each row that the columns' sums need, as they were computed from the row.
static void needed(MlirValue v, const SnTable *waiting, SnTable *seen, SnValueVec *numbers) {
  MlirOperation op = sn_definer(v);
  if (sn_null(op) || sn_table_has(seen, op.ptr))
    return;
  sn_table_put(seen, op.ptr, 1);
  if (sn_table_has(waiting, op.ptr)) {
    sn_push(numbers, v);
    return;
  }
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    needed(sn_operand(op, k), waiting, seen, numbers);
}

static SnValueVec numbers_of(const SnForm *f, SnTable *waiting) {
  SnTable seen = {0};
  SnValueVec numbers = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (crosses(op, waiting))
      sn_table_put(waiting, op.ptr, 1);
  for (size_t k = 0; k < f->accumulators.size; ++k)
    needed(sn_operand(mlirBlockGetTerminator(f->body), (intptr_t)k), waiting, &seen, &numbers);
  sn_table_free(&seen);
  return numbers;
}

// Bytes of each element of all rows that are read; of the widest of them, 1 where there is none. An i1 takes a byte.
static int64_t bytes_read(const SnForm *f, int64_t *widest) {
  int64_t all = 0, most = 1;
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (sn_uses_rows(f, f->inputs.data[k].map) && sn_uses_cols(f, f->inputs.data[k].map)) {
      int64_t own = sn_pieces((int64_t)sn_bits(sn_element(sn_type_of(f->inputs.data[k].value))), 8);
      all += own;
      most = own > most ? own : most;
    }
  *widest = most;
  return all;
}

// All sums are of columns, of rows that wait for sums of their own, and nothing hinders a second form.
static bool may_part(const SnForm *f) {
  bool may = sn_num_results(f->op) && sn_is_plain(f) && !f->contract && !f->schedule.ptr && f->num_rows &&
             f->num_cols && f->accumulators.size && !f->indices.size && !sn_in_sequence(f->op) && !sn_form_asserts(f) &&
             sn_num_rows(f) != SN_DYNAMIC && sn_row_length(f) != SN_DYNAMIC;
  for (size_t k = 0; k < f->accumulators.size && may; ++k)
    may = sn_uses_cols(f, f->accumulators.data[k].map) && sn_combiner(f->accumulators.data[k].kind);
  for (size_t k = 0; k < f->inputs.size && may; ++k)
    may = !sn_is_table(&f->inputs.data[k]) && !f->inputs.data[k].through.ptr && !f->inputs.data[k].fill.ptr;
  return may && sn_row_op_count(f->body, SN_READS_ALL);
}

// The second form is turned, and the first one's time and its own are less than those of one kernel.
static bool is_faster(const SnForm *f, const SnScheduleOptions *options) {
  int64_t rows = sn_num_rows(f), length = sn_row_length(f), all = sn_times(rows, length), widest,
          bytes = sn_times(all, bytes_read(f, &widest));
  int64_t blocks = rows < MOST_BLOCKS ? rows : MOST_BLOCKS;
  if (sn_times(all, widest) < LEAST_BYTES && (length < LEAST_COLUMNS || rows > MOST_ROWS) &&
      sn_times(blocks * (int64_t)f->accumulators.size, length) < LEAST_COMBINED)
    return false;
  MlirAttribute one = sn_schedule_gpu_rows(f, options);
  if (!one.ptr || strcmp(sn_schedule_mnemonic(one), "gpu_rows"))
    return false;
  int64_t cluster = sn_schedule_number(one, "cluster"), parts = sn_schedule_number(one, "blocks") / cluster;
  parts = parts < rows ? parts : rows;
  // Where a multiprocessor has one row, no other one's work hides what its blocks exchange.
  bool alone = cluster > 1 && sn_schedule_number(one, "occupancy") == 1,
       odd = length >= LONG_ODD && length % (16 / widest);
  if (sn_schedule_word_is(one, "residency", "reread") || alone || odd)
    return true;
  return sn_times(parts * (int64_t)f->accumulators.size, length) / COMBINED > LAUNCH + bytes / READ;
}

// The form once more, with more inputs or outputs than it has; `numbers`: what the new inputs are in its body.
static MlirOperation again(SnBuilder *b, const SnForm *f, SnForm *to, const SnValueVec *numbers, bool stores) {
  MlirOperation made = sn_form_create(b, to, f->finish.ptr != NULL), end = mlirBlockGetTerminator(f->body);
  SnBuilder in = sn_at_end(to->body, b->loc);
  SnMap map = {0};
  for (size_t k = 0; k < f->inputs.size; ++k)
    sn_map(&map, sn_input_argument(f, k), sn_input_argument(to, k));
  for (size_t k = 0; k < numbers->size && !stores; ++k)
    sn_map(&map, numbers->data[k], sn_input_argument(to, f->inputs.size + k));
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op))
    if (sn_num_results(op) != 1 || sn_none(sn_mapped(&map, sn_result(op, 0))))
      sn_clone(&in, op, &map);
  SnValueVec yields = {0};
  for (intptr_t k = 0; k < sn_num_operands(end); ++k)
    sn_push(&yields, sn_lookup(&map, sn_operand(end, k)));
  for (size_t k = 0; k < numbers->size && stores; ++k)
    sn_push(&yields, sn_lookup(&map, numbers->data[k]));
  sn_op(&in, "sinter.yield", sn_values((intptr_t)yields.size, yields.data), sn_types(0, NULL));
  sn_vec_free(&yields);
  sn_map_free(&map);
  if (!f->finish.ptr)
    return made;
  SnMap last = {0};
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(f->finish); ++k)
    sn_map(&last, mlirBlockGetArgument(f->finish, k), mlirBlockGetArgument(to->finish, k));
  in = sn_at_end(to->finish, b->loc);
  sn_copy_block(&in, f->finish, &last);
  sn_map_free(&last);
  return made;
}

static void part(const SnForm *f, const SnValueVec *numbers) {
  SnBuilder b = sn_before(f->op);
  MlirAffineExpr row[SN_MAX_DIMS];
  for (intptr_t d = 0; d < (intptr_t)f->num_rows; ++d)
    row[d] = mlirAffineDimExprGet(b.ctx, d);
  MlirAffineMap of_rows = mlirAffineMapGet(b.ctx, (intptr_t)f->dims.size, 0, (intptr_t)f->num_rows, row);
  SnForm rows = sn_form_read(f->op), sums = sn_form_read(f->op);
  for (size_t k = 0; k < numbers->size; ++k)
    sn_push(&rows.outputs, ((SnAccess){.value = sn_empty_at(&b, f, of_rows, sn_type_of(numbers->data[k])),
                                       .map = of_rows}));
  MlirOperation first = again(&b, f, &rows, numbers, true);
  for (size_t k = 0; k < numbers->size; ++k)
    sn_push(&sums.inputs,
            ((SnAccess){.value = sn_result(first, (intptr_t)(f->outputs.size + k)), .map = of_rows}));
  MlirOperation second = again(&b, f, &sums, numbers, false);
  for (size_t k = 0; k < f->outputs.size; ++k)
    mlirValueReplaceAllUsesOfWith(sn_result(f->op, (intptr_t)k),
                                  sn_result(sn_is_reduced(f, k) ? second : first, (intptr_t)k));
  mlirOperationDestroy(f->op);
  sn_form_free(&rows);
  sn_form_free(&sums);
  sn_tidy(second);
  sn_tidy(first);
}

static MlirLogicalResult function(MlirOperation func, void *user) {
  SnOpVec forms = sn_collect(func, "sinter.rowwise");
  for (size_t k = 0; k < forms.size; ++k) {
    SnForm f = sn_form_read(forms.data[k]);
    SnTable waiting = {0};
    SnValueVec numbers = {0};
    bool fits = may_part(&f);
    if (fits)
      numbers = numbers_of(&f, &waiting);
    for (size_t i = 0; i < numbers.size; ++i)
      fits &= sn_is_float(sn_type_of(numbers.data[i]));
    if (fits && numbers.size && is_faster(&f, user))
      part(&f, &numbers);
    sn_vec_free(&numbers);
    sn_table_free(&waiting);
    sn_form_free(&f);
  }
  sn_vec_free(&forms);
  return SN_OK;
}

static const SnOption options[] = {
    {SN_OPTION_STRING, "chip", "the GPU's architecture, as ptxas names it", SN_GPU_CHIP_DEFAULT, NULL,
     offsetof(SnScheduleOptions, chip)},
    {0},
};

static MlirLogicalResult run(const SnRun *run, MlirOperation op) {
  const SnScheduleOptions *o = run->options;
  return sn_gpu_chip(o->chip) ? sn_each_function(op, function, (void *)o) : sn_error(op, SN_GPU_CHIP_ERROR, o->chip);
}

MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tensor__, NULL};

const SnPass sn_pass_columns_apart = {
    .argument = "sinter-columns-apart",
    .summary = "sums of columns that one kernel would keep badly beside its rows -> a form of their own",
    .options = options,
    .options_size = sizeof(SnScheduleOptions),
    .dialects = dialects,
    .run = run,
};
