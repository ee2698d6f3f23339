// chain_families.c: the table of ways to run a form that multiplies its rows again, attention among them.
//
//   ways to run it, the first that applies is taken:
//     not "wgmma, 128 columns ahead" (sm_90a; ...): a thread would have 296 registers of 255
//     as "wgmma, 64 columns ahead" (sm_90a; ...): #sinter.mma<...>
//     or "mma.sync" (...)
//
// The first line that applies is taken. What no line takes has been cut (sinter-split), with a reason of its own.
//
// new family of rows that are multiplied again: its line of `sn_chain_families`, and when it applies.
//
// test: test/passes/explain/families_gpu.mlir, test/passes/explain/families_cpu.mlir

#include "passes/schedule/chain_families.h"
#include "dialect/row_groups.h"
#include "lowering/facts/gpu_chains.h"
#include "lowering/facts/gpu_layers.h"
#include <stdarg.h>
#include <stdio.h>

int64_t sn_why_not(SnWhyNot *why, const char *text, ...) {
  va_list arguments;
  va_start(arguments, text);
  vsnprintf(why->text, sizeof why->text, text, arguments);
  va_end(arguments);
  return 0;
}

// ---- lines of a GPU -------------------------------------------------------------------------------

static bool is_gpu_chain(const SnForm *f, const SnScheduleOptions *options, SnWhyNot *why) {
  const char *unfit = sn_gpu_not_chain_in(f, sn_parts_from(options));
  if (unfit)
    (void)sn_why_not(why, "%s", unfit);
  return !unfit;
}

enum { WIDE = 128, NARROW = 64 };

static MlirAttribute by_warpgroups(const SnForm *f, const SnScheduleOptions *options, int64_t n, bool ahead,
                                   SnWhyNot *why) {
  return is_gpu_chain(f, options, why) ? sn_schedule_gpu_chain_wgmma(f, options, n, ahead, why)
                                       : mlirAttributeGetNull();
}

static MlirAttribute wide_ahead(const SnForm *f, const SnScheduleOptions *options, SnWhyNot *why) {
  return by_warpgroups(f, options, WIDE, true, why);
}

static MlirAttribute wide_in_turn(const SnForm *f, const SnScheduleOptions *options, SnWhyNot *why) {
  return by_warpgroups(f, options, WIDE, false, why);
}

static MlirAttribute narrow_ahead(const SnForm *f, const SnScheduleOptions *options, SnWhyNot *why) {
  return by_warpgroups(f, options, NARROW, true, why);
}

static MlirAttribute narrow_in_turn(const SnForm *f, const SnScheduleOptions *options, SnWhyNot *why) {
  return by_warpgroups(f, options, NARROW, false, why);
}

static MlirAttribute by_warps(const SnForm *f, const SnScheduleOptions *options, SnWhyNot *why) {
  const char *unfit = sn_gpu_not_chain_by_warps(f, sn_parts_from(options));
  if (unfit)
    (void)sn_why_not(why, "%s", unfit);
  return unfit ? mlirAttributeGetNull() : sn_schedule_gpu_chain_mma(f, options);
}

static MlirAttribute whole_on_gpu(const SnForm *f, const SnScheduleOptions *options, SnWhyNot *why) {
  const char *unfit = sn_gpu_not_layers(f);
  if (unfit)
    (void)sn_why_not(why, "%s", unfit);
  return unfit ? mlirAttributeGetNull() : sn_schedule_gpu_layers(f, options);
}

// ---- lines of a CPU -------------------------------------------------------------------------------

static MlirAttribute on_cpu(const SnForm *f, const SnScheduleOptions *options, const char *unfit, SnWhyNot *why) {
  if (!unfit && !sn_cpu_can_run_chain(f))
    unfit = "a product has rows or columns in both of its sides, or a matrix goes from row to row";
  if (unfit)
    (void)sn_why_not(why, "%s", unfit);
  return unfit ? mlirAttributeGetNull() : sn_schedule_brgemm(f, options);
}

static MlirAttribute streamed(const SnForm *f, const SnScheduleOptions *options, SnWhyNot *why) {
  return on_cpu(f, options, sn_cpu_not_streamed(f), why);
}

static MlirAttribute whole(const SnForm *f, const SnScheduleOptions *options, SnWhyNot *why) {
  return on_cpu(f, options, NULL, why);
}

// ---- the table ------------------------------------------------------------------------------------

#define COPIES "sm_90a; a launch of its own; types of 16 bits; sides that copies fetch; "

const SnChainFamily sn_chain_families[] = {
    {"gpu", "wgmma, 128 columns ahead", COPIES "more than 64 columns; registers and two slots of 128", wide_ahead},
    {"gpu", "wgmma, 128 columns in turn", COPIES "two results, and columns that are matrices, too", wide_in_turn},
    {"gpu", "wgmma, 64 columns ahead", COPIES "registers and two slots of 64", narrow_ahead},
    {"gpu", "wgmma, 64 columns in turn", COPIES "registers of one block: results of up to 256 columns", narrow_in_turn},
    {"gpu", "mma.sync", "sm_80; any access; types of 16 bits, or rows in f32 times those; f32 by parts", by_warps},
    {"gpu", "whole rows", "rows that stay in a block's shared memory from product to product", whole_on_gpu},
    {"gpu", "apart", "anything: each product is a kernel", NULL},
    {"cpu", "streamed", "rows that are nothing but reduced and multiplied again: softmax, or element by element",
     streamed},
    {"cpu", "whole rows", "blocks of rows that stay in a core's cache", whole},
    {"cpu", "apart", "anything: each product is a kernel", NULL},
    {NULL, NULL, NULL, NULL},
};

bool sn_is_chain(const SnForm *f) { return f->contract && f->matrices.size > 0; }

MlirAttribute sn_schedule_chain(const SnForm *f, const SnScheduleOptions *options) {
  SnWhyNot why;
  MlirAttribute found = mlirAttributeGetNull();
  for (const SnChainFamily *line = sn_chain_families; line->target && !found.ptr; ++line)
    if (line->schedule && !strcmp(line->target, options->target))
      found = line->schedule(f, options, &why);
  return found;
}
