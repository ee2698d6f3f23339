// tune_candidates.h: the schedules worth trying for the forms of a program.

#ifndef SINTER_TOOLS_TUNE_CANDIDATES_H
#define SINTER_TOOLS_TUNE_CANDIDATES_H

#include "passes/schedule/schedule.h"

typedef SN_VEC(MlirAttribute) TuneSchedules; // free with sn_vec_free

// Of a form that has been scheduled: its own schedule first, then the other families, or kernels, that fit it, then
// neighbours, `most` of them all in all.
TuneSchedules tune_candidates(MlirOperation form, const SnScheduleOptions *options, size_t most);

#endif
