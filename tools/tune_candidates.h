// tune_candidates.h: the schedules worth trying for the forms of a program.

#ifndef SINTER_TOOLS_TUNE_CANDIDATES_H
#define SINTER_TOOLS_TUNE_CANDIDATES_H

#include "capi/sn.h"

typedef SN_VEC(MlirAttribute) TuneSchedules; // free with sn_vec_free

// Of a form that has been scheduled: its own schedule first, then the other families that fit it, then
// neighbours, `most` of them all in all.
TuneSchedules tune_candidates(MlirOperation form, const char *target, const char *chip, size_t most);

#endif
