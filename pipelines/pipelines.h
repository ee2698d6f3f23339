// pipelines.h: every pass and every road of Sinter, by name.
//
// decides: which passes run, in which order, on which road.

#ifndef SINTER_PIPELINES_H
#define SINTER_PIPELINES_H

#include "capi/pass.h"

extern const SnPass *const sn_passes[];        // all, ends with NULL
extern const SnPipeline *const sn_pipelines[]; // all, ends with NULL

// Registers them with MLIR; call once.
void sn_register_all(void);

// The pipeline so named, or NULL.
const SnPipeline *sn_pipeline(const char *argument);

#endif
