// chain_families.h: the ways to run a form that multiplies its rows again, in order of preference.
//
// The scheduler takes the first that applies, and sinter-explain says why those in front of it do not.

#ifndef SINTER_PASSES_SCHEDULE_CHAIN_FAMILIES_H
#define SINTER_PASSES_SCHEDULE_CHAIN_FAMILIES_H

#include "lowering/rows/rowprogram.h"
#include "passes/schedule/schedule.h"

typedef struct {
  char text[200];
} SnWhyNot;
// Writes the reason down; 0.
int64_t sn_why_not(SnWhyNot *why, const char *text, ...) __attribute__((format(printf, 2, 3)));

typedef struct {
  const char *target, *name, *applies;
  // Null, and why, where it does not apply. NULL: what sinter-split leaves, pieces of the form.
  MlirAttribute (*schedule)(const SnForm *form, const SnScheduleOptions *options, SnWhyNot *why);
} SnChainFamily;
// Behind the last line is one without a target.
extern const SnChainFamily sn_chain_families[];

// The form is of those that the table is about.
bool sn_is_chain(const SnForm *form);
// What the first line that applies says; null if none does.
MlirAttribute sn_schedule_chain(const SnForm *form, const SnScheduleOptions *options);

// Lines of a GPU (gpu_chain_tiles.c): by warpgroups with so many columns at a time, the sums of the next block made
// ahead or not; by warps, which are always right.
MlirAttribute sn_schedule_gpu_chain_wgmma(const SnForm *form, const SnScheduleOptions *options, int64_t n, bool ahead,
                                          SnWhyNot *why);
MlirAttribute sn_schedule_gpu_chain_mma(const SnForm *form, const SnScheduleOptions *options);

#endif
