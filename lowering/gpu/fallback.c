// fallback.c: a form that no kernel of a GPU can be becomes plain loops, it alone; a schedule of another target goes.
//
//   sinter.rowwise (i = ?) by (j = ?) reduce(add [j] : f32) ...     ->  linalg.generic, for sinter-loops
//   sinter.rowwise ... schedule(#sinter.rows<...>)                  ->  sinter.rowwise ..., scheduled anew
//
// What the lowerings would say of a form as an error is the remark that says why. `of=given` looks at schedules that a
// program came with, before its forms are split, fused and scheduled; `of=all` at what is left behind that.
//
// runs in: sinter-gpu    test: test/lowering/gpu/fallback.mlir

#include "dialect/dialect.h"
#include "lowering/facts/gpu_chains.h"
#include "lowering/facts/gpu_forms.h"
#include "lowering/facts/gpu_layers.h"
#include "lowering/facts/gpu_products.h"
#include "lowering/gpu/lower_gpu.h"
#include "lowering/gpu/rows/row_checks.h"
#include "lowering/rows/rowprogram.h"
#include "passes/decompose/decompose.h"
#include <stdio.h>

// ---- why not ---------------------------------------------------------------------------------------

typedef struct {
  char text[400]; // of the first error
} Why;

static MlirLogicalResult keep_first(MlirDiagnostic diagnostic, void *user) {
  Why *why = user;
  if (!*why->text) {
    SnText text = sn_text_in(why->text, sizeof why->text);
    mlirDiagnosticPrint(diagnostic, sn_text_add, &text);
  }
  return SN_OK;
}

static MlirLogicalResult check_products(const SnForm *f) {
  if (f->matrices.size && sn_gpu_not_chain(f) && !sn_gpu_not_layers(f))
    return sn_gpu_plan_layers(f, &(SnGpuLayerPlan){0});
  if (f->matrices.size)
    return sn_gpu_plan_chain(f, &(SnGpuChainPlan){0});
  return sn_gpu_plan_products(f, &(SnGpuProductPlan){0});
}

static MlirLogicalResult check_rows(const SnForm *f) {
  SnGpuRows s = {0};
  if (!sn_is_plain(f))
    return sn_error(f->op, "has several groups of columns, or a side that is computed");
  return sn_failed(sn_gpu_read_rows(f, &s)) ? SN_FAIL : sn_gpu_check_rows(f, &s);
}

static bool is_kernel(MlirOperation form, Why *why) {
  const char *mnemonic = sn_schedule_mnemonic(sn_get_attr(form, "schedule"));
  if (mnemonic && strcmp(mnemonic, "gpu_rows") && strcmp(mnemonic, "mma")) {
    snprintf(why->text, sizeof why->text, "#sinter.%s is another target's", mnemonic);
    return false;
  }
  SnForm f = sn_form_read(form);
  MlirContext ctx = mlirOperationGetContext(form);
  MlirDiagnosticHandlerID id = mlirContextAttachDiagnosticHandler(ctx, keep_first, why, NULL);
  MlirLogicalResult result = f.contract ? check_products(&f) : check_rows(&f);
  if (!sn_failed(result))
    result = sn_row_program_check(&f);
  if (!sn_failed(result))
    result = sn_gpu_check_tables(&f);
  mlirContextDetachDiagnosticHandler(ctx, id);
  sn_form_free(&f);
  return !sn_failed(result);
}

// The error is about the form, which the remark stands at.
static const char *reason(const Why *why) {
  const char *said = strstr(why->text, "' op ");
  return said ? said + strlen("' op ") : why->text;
}

// ---- the pass ----------------------------------------------------------------------------------------

typedef struct {
  const char *of;
} Options;
static const char *const which[] = {"given", "all", NULL};
static const SnOption options[] = {
    {SN_OPTION_STRING, "of", "given: schedules that are there already; all: forms, which have theirs", "all", which,
     offsetof(Options, of)},
    {0},
};

static void drop_schedule(MlirOperation form) {
  Why why = {0};
  if (!sn_get_attr(form, "schedule").ptr || is_kernel(form, &why))
    return;
  sn_remark(form, "is scheduled anew, as no kernel of a GPU has its schedule: %s", reason(&why));
  mlirOperationRemoveAttributeByName(form, SN_STR("schedule"));
}

static bool take_apart(MlirOperation form) {
  Why why = {0};
  if (is_kernel(form, &why))
    return true;
  sn_remark(form, "becomes plain loops, as no kernel of a GPU can be the form: %s", reason(&why));
  return sn_decompose_form(form);
}

static MlirLogicalResult run_function(MlirOperation func, void *user) {
  static const char *const names[] = {"sinter.rowwise", "sinter.contract"};
  bool given = !strcmp(((const Options *)user)->of, "given"), fine = true;
  for (int k = 0; k < 2; ++k) {
    SnOpVec all = sn_collect(func, names[k]);
    for (size_t i = 0; i < all.size && fine; ++i) {
      if (!sn_num_results(all.data[i])) // on memrefs: a kernel already
        continue;
      if (given)
        drop_schedule(all.data[i]);
      else
        fine = take_apart(all.data[i]);
    }
    sn_vec_free(&all);
  }
  if (!given && sn_function_body(func).ptr)
    sn_erase_dead(sn_function_body(func));
  return fine ? SN_OK : SN_FAIL;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) {
  return sn_each_function(module, run_function, (void *)run->options);
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__linalg__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__, mlirGetDialectHandle__linalg__,
                                                      mlirGetDialectHandle__tensor__, NULL};

const SnPass sn_pass_gpu_fallback = {
    .argument = "sinter-gpu-fallback",
    .summary = "a form that no kernel of a GPU can be becomes linalg; a schedule that it cannot have is dropped",
    .anchor = "builtin.module",
    .options = options,
    .options_size = sizeof(Options),
    .dialects = dialects,
    .run = run,
};
