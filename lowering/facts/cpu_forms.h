// cpu_forms.h: what a CPU's schedule makes of a form, and which schedules it may have.
//
// The scheduler asks before it chooses, the lowering when it writes the kernel. No IR is made here.

#ifndef SINTER_LOWERING_FACTS_CPU_FORMS_H
#define SINTER_LOWERING_FACTS_CPU_FORMS_H

#include "lowering/rows/rowprogram.h"

// The first phase of many neighbouring rows may be reduced in memory, column by column: it is nothing but reductions,
// by combiners that have names, and takes nothing that is computed before it.
bool sn_cpu_has_strips(const SnRowProgram *p);

#endif
