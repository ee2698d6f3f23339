// few_rows.c: products of `?` rows have a kernel of their own for few of them.
//
//   call @main_kernel0(%x, %w, %y)
//   ->
//   %n = memref.dim %x, %c0
//   %few = arith.cmpi ule, %n, %c16
//   scf.if %few {
//     call @main_kernel0_few(%x, %w, %y)      #sinter.brgemm<kernel = "inner512", m = 16, ...>
//   } else {
//     call @main_kernel0(%x, %w, %y)          #sinter.brgemm<kernel = "libxsmm", m = 128, ...>
//   }
//
// Few rows do not pay for packing weights, as cpu_products.c says; how many there are is known when the program runs.
// What goes through several products packs them for few rows, too, but in blocks that stay in the first cache: 7 rows
// through 188 x 416 and back take 17.1 us, in the blocks of many 19.0 (one thread of an EPYC). A kernel whose schedule
// somebody gave or measured stays one.
//
// runs in: sinter-cpu    test: test/passes/schedule/few_rows.mlir, test/run/few_rows.mlir

#include "dialect/row_groups.h"
#include "dialect/schedules.h"
#include "lowering/facts/product_sides.h"
#include "passes/schedule/schedule.h"
#include <stdio.h>

enum { MOST = 16, LEAST = 4 }; // rows that are tried, by halves

// The rows that a block of this kernel has together.
typedef struct {
  int64_t first, end; // dimensions
  int64_t known;      // the product of those whose sizes are known
  bool open;          // others are `?`
} Rows;

static Rows rows_of(const SnForm *f, const char *kernel) {
  int64_t n = (int64_t)f->num_rows;
  Rows r = {.first = n - sn_cpu_rows_together(f, kernel), .end = n, .known = 1};
  for (int64_t d = r.first; d < r.end; ++d)
    if (f->dims.data[d].size == SN_DYNAMIC)
      r.open = true;
    else
      r.known = sn_times(r.known, f->dims.data[d].size);
  return r;
}

// All rows go through the same weights, as in layers that follow each other, and not in attention.
static bool shares_weights(const SnForm *f) {
  bool shares = true;
  for (int64_t d = 0; d < f->num_rows; ++d) {
    for (size_t p = 0; p < f->products.size; ++p)
      shares &= !sn_side_uses(f, 2 * p + 1, d);
    for (size_t m = 0; m < f->matrices.size; ++m)
      shares &= !sn_side_uses(f, 2 * f->products.size + m, d);
  }
  return shares;
}

// The schedule that the form would have with so many rows; null if it is none that reads weights where they lie, or
// takes less of them at once.
static MlirAttribute schedule_of(MlirOperation op, const Rows *r, int64_t open, const SnScheduleOptions *options) {
  SnForm f = sn_form_read(op);
  for (int64_t d = r->first, left = open; d < r->end; ++d)
    if (f.dims.data[d].size == SN_DYNAMIC) {
      f.dims.data[d].size = left;
      left = 1;
    }
  MlirAttribute schedule = sn_schedule_brgemm(&f, options);
  const char *kernel = schedule.ptr ? sn_schedule_word(schedule, "kernel") : NULL;
  bool other = kernel && !sn_schedule_word_is(f.schedule, "kernel", kernel), fits;
  if (sn_has_one_group(&f))
    fits = other && sn_cpu_reads_weights(&f, kernel);
  else
    fits = kernel && !other && sn_schedule_number(schedule, "k") < sn_schedule_number(f.schedule, "k");
  sn_form_free(&f);
  return fits ? schedule : mlirAttributeGetNull();
}

// The only form of a kernel's function, if it is a contract that was scheduled without knowing its rows.
static MlirOperation find_form(MlirOperation func, const SnScheduleOptions *options, Rows *rows) {
  SnOpVec forms = sn_collect(func, "sinter.contract");
  MlirOperation op = forms.size == 1 ? forms.data[0] : (MlirOperation){0};
  sn_vec_free(&forms);
  if (sn_null(op) || !mlirBlockEqual(mlirOperationGetBlock(op), sn_function_body(func)))
    return (MlirOperation){0};
  SnForm f = sn_form_read(op);
  const char *mnemonic = f.schedule.ptr ? sn_schedule_mnemonic(f.schedule) : NULL; // perhaps a GPU's
  const char *kernel = mnemonic && !strcmp(mnemonic, "brgemm") ? sn_schedule_word(f.schedule, "kernel") : NULL;
  bool fits = kernel && !sn_schedule_word_is(f.schedule, "weights", "packed");
  if (fits) {
    *rows = rows_of(&f, kernel);
    fits = rows->open && (sn_has_one_group(&f) || shares_weights(&f)) &&
           mlirAttributeEqual(sn_schedule_brgemm(&f, options), f.schedule);
  }
  sn_form_free(&f);
  return fits ? op : (MlirOperation){0};
}

// The function again, with another name and schedule.
static MlirOperation for_few(MlirOperation func, MlirAttribute schedule) {
  SnBuilder b = sn_after(func);
  SnMap none = {0};
  MlirOperation module = mlirOperationGetParentOperation(func), copy = sn_clone(&b, func, &none);
  MlirStringRef name = mlirStringAttrGetValue(sn_get_attr(func, "sym_name"));
  char text[200];
  int n = snprintf(text, sizeof text, "%.*s_few", (int)(name.length < 160 ? name.length : 160), name.data);
  for (int k = 2; !sn_null(sn_symbol(module, text)); ++k)
    snprintf(text + n, sizeof text - (size_t)n, "%d", k);
  sn_set_attr(copy, "sym_name", sn_string(b.ctx, text));
  SnOpVec forms = sn_collect(copy, "sinter.contract");
  sn_set_attr(forms.data[0], "schedule", schedule);
  sn_vec_free(&forms);
  sn_map_free(&none);
  return copy;
}

// An argument of the kernel that has dimension d of the form as a plain subscript, and where.
static bool find_size(const SnForm *f, int64_t d, MlirValue *argument, intptr_t *place) {
  for (size_t k = 0; k < f->inputs.size + f->indices.size + f->outputs.size; ++k) {
    const SnAccess *a = sn_form_access(f, k);
    for (intptr_t p = 0; p < mlirAffineMapGetNumResults(a->map) && !a->fill.ptr; ++p)
      if (sn_map_dim(a->map, p) == d && sn_dim(sn_type_of(a->value), p) == SN_DYNAMIC &&
          mlirValueIsABlockArgument(a->value)) {
        *argument = a->value;
        *place = p;
        return true;
      }
  }
  return false;
}

static bool says_rows(MlirOperation op, const Rows *rows) {
  SnForm f = sn_form_read(op);
  bool all = true;
  MlirValue argument;
  intptr_t place;
  for (int64_t d = rows->first; d < rows->end; ++d)
    all &= f.dims.data[d].size != SN_DYNAMIC || find_size(&f, d, &argument, &place);
  sn_form_free(&f);
  return all;
}

// Rows `?` of a call: the product of those of its operands.
static MlirValue count_rows(SnBuilder *b, MlirOperation call, MlirOperation op, const Rows *rows) {
  SnForm f = sn_form_read(op);
  MlirValue all = {0}, argument;
  intptr_t place;
  for (int64_t d = rows->first; d < rows->end; ++d)
    if (f.dims.data[d].size == SN_DYNAMIC && find_size(&f, d, &argument, &place)) {
      MlirValue of = sn_operand(call, mlirBlockArgumentGetArgNumber(argument));
      MlirValue n = sn(b, "memref.dim", of, sn_index(b, place), sn_index_type(b->ctx));
      all = sn_none(all) ? n : sn(b, "arith.muli", all, n);
    }
  sn_form_free(&f);
  return all;
}

// The same call, of another function; sinter-count reads its name in the location (sinter-outline).
static void call_few(const SnBuilder *at, MlirOperation call, MlirOperation callee) {
  SnBuilder b = *at;
  MlirStringRef name = mlirStringAttrGetValue(sn_get_attr(callee, "sym_name"));
  MlirLocation loc = mlirOperationGetLocation(call);
  MlirAttribute called = mlirLocationIsAFused(loc) ? mlirLocationFusedGetMetadata(loc) : mlirAttributeGetNull();
  if (called.ptr && mlirAttributeIsAString(called)) {
    char text[200];
    MlirStringRef was = mlirStringAttrGetValue(called);
    snprintf(text, sizeof text, "%.*s_few", (int)(was.length < 160 ? was.length : 160), was.data);
    b.loc = mlirLocationFusedGet(b.ctx, 1, &loc, sn_string(b.ctx, text));
  }
  SnValueVec operands = {0};
  for (intptr_t k = 0; k < sn_num_operands(call); ++k)
    sn_push(&operands, sn_operand(call, k));
  sn_op(&b, "func.call", sn_values((intptr_t)operands.size, operands.data),
        sn_attr("callee", mlirFlatSymbolRefAttrGet(b.ctx, name)), sn_types(0, NULL));
  sn_vec_free(&operands);
}

// A kernel that has another for few rows.
typedef struct {
  MlirOperation func, op, few;
  Rows rows;
  int64_t most; // of those that are `?`
} Split;

static void branch(MlirOperation call, const Split *s) {
  SnBuilder b = sn_before(call);
  MlirValue n = count_rows(&b, call, s->op, &s->rows), most = sn_index(&b, s->most);
  SnIf which = sn_if(&b, sn(&b, "arith.cmpi", n, most, sn_attr("predicate", sn_i64(b.ctx, 7 /* ule */))));
  call_few(&b, call, s->few);
  sn_else(&b, &which);
  SnMap none = {0};
  sn_clone(&b, call, &none);
  sn_map_free(&none);
  sn_end_if(&b, &which);
  mlirOperationDestroy(call);
}

static bool split(MlirOperation func, const SnScheduleOptions *options, Split *s) {
  *s = (Split){.func = func};
  s->op = find_form(func, options, &s->rows);
  if (sn_null(s->op) || !says_rows(s->op, &s->rows))
    return false;
  for (int64_t n = MOST; n >= LEAST && n >= s->rows.known; n /= 2) {
    MlirAttribute schedule = schedule_of(s->op, &s->rows, s->most = n / s->rows.known, options);
    if (!schedule.ptr)
      continue;
    s->few = for_few(func, schedule);
    return true;
  }
  return false;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) {
  SnOpVec functions = sn_collect(module, "func.func"), calls = sn_collect(module, "func.call");
  SN_VEC(Split) splits = {0};
  SnTable of_function = {0}; // 1 + its place among them
  for (size_t i = 0; i < functions.size; ++i) {
    Split s;
    if (!sn_get_attr(functions.data[i], "sinter.kernel").ptr || !split(functions.data[i], run->options, &s))
      continue;
    sn_push(&splits, s);
    sn_table_put(&of_function, functions.data[i].ptr, splits.size);
  }
  MlirSymbolTable symbols = mlirSymbolTableCreate(module);
  for (size_t k = 0; k < calls.size; ++k) {
    MlirStringRef callee = mlirFlatSymbolRefAttrGetValue(sn_get_attr(calls.data[k], "callee"));
    MlirOperation func = mlirSymbolTableLookup(symbols, callee);
    uintptr_t at;
    if (!sn_null(func) && sn_table_get(&of_function, func.ptr, &at))
      branch(calls.data[k], &splits.data[at - 1]);
  }
  mlirSymbolTableDestroy(symbols);
  sn_table_free(&of_function);
  sn_vec_free(&splits);
  sn_vec_free(&functions);
  sn_vec_free(&calls);
  return SN_OK;
}

static const SnOption options[] = {
    {SN_OPTION_STRING, "target", "what the kernels run on", "cpu", NULL, offsetof(SnScheduleOptions, target)},
    {SN_OPTION_INT, "vector-bits", "bits of a CPU's vector register: 512, 256 or 128", "512", NULL,
     offsetof(SnScheduleOptions, vector_bits)},
    {SN_OPTION_INT, "registers", "how many of these a CPU has", "32", NULL, offsetof(SnScheduleOptions, registers)},
    {SN_OPTION_STRING, "features", "as of sinter-schedule", "avx2,fma,avx512f", NULL,
     offsetof(SnScheduleOptions, features)},
    {SN_OPTION_INT, "prefetch", "as of sinter-schedule", "0", NULL, offsetof(SnScheduleOptions, prefetch)},
    {0},
};

MlirDialectHandle mlirGetDialectHandle__scf__(void);
MlirDialectHandle mlirGetDialectHandle__memref__(void);
MlirDialectHandle mlirGetDialectHandle__arith__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__scf__, mlirGetDialectHandle__memref__,
                                                      mlirGetDialectHandle__arith__, mlirGetDialectHandle__sinter__,
                                                      NULL};

const SnPass sn_pass_few_rows = {
    .argument = "sinter-few-rows",
    .summary = "a kernel of its own for few of the `?` rows of a product on a CPU",
    .options = options,
    .options_size = sizeof(SnScheduleOptions),
    .dialects = dialects,
    .run = run,
};
