// outline.h: what outline.c has for sequences.

#ifndef SINTER_LOWERING_OUTLINE_H
#define SINTER_LOWERING_OUTLINE_H

#include "capi/form.h"
#include "lowering/host/made_functions.h"

// The operands of a call, each value once.
typedef struct {
  SnValueVec values, buffers;
  SnTable place; // of a value, the first time that it was given
} SnArguments;

// Results of an op as the host sees them, and the buffers that are made for them.
typedef struct {
  SnValueVec seen, made;
  SnTable shared; // those of `made` that are stored to in place
} SnResults;

typedef struct {
  MlirOperation func, last; // whose forms are outlined; what its next kernel stands behind
  int n;                    // of its names: counted up for each form, so that reports tell two calls of one apart
  SnMadeFunctions made;
} SnOutline;

// The memref of a tensor's shape.
MlirType sn_outline_type(MlirType tensor);
// Memory of a tensor that is read; a new buffer of a destination's sizes.
MlirValue sn_outline_buffer(SnBuilder *b, MlirValue v);
MlirValue sn_outline_allocate(SnBuilder *b, MlirValue destination);
// One argument more: the value, in this buffer. Which one it is.
size_t sn_outline_add(SnArguments *a, MlirValue v, MlirValue buffer);
// Which argument the value is, one more where it is none yet.
size_t sn_outline_argument(SnBuilder *b, SnArguments *a, MlirValue v);
// Where a sinter.steps in place stores what it gives as `result`: to memory that an argument and a result of the
// program share, or to a copy.
MlirValue sn_outline_place(SnBuilder *host, SnResults *r, MlirValue result, MlirValue out);
// The buffer of a result whose destination is `out`, in the result's shape.
MlirValue sn_outline_result(SnBuilder *host, SnResults *r, MlirValue result, MlirValue out);
// The kernel's function, with an empty body.
MlirOperation sn_outline_function(SnBuilder *b, const SnArguments *a, MlirBlock *body);
// A form, or a sinter.steps, again, over memory: what each of its operands is.
void sn_outline_form(SnBuilder *kernel, SnForm *form, const MlirValue *memory);
void sn_outline_steps(SnBuilder *kernel, MlirOperation op, const MlirValue *memory);
// The end of the kernel's function; the host calls it, or one that does the same, in place of the op. Frees arguments
// and results.
void sn_outline_call(SnOutline *o, SnBuilder *host, SnBuilder *kernel, MlirOperation op, MlirOperation func,
                     SnArguments *a, SnResults *r);

// outline_sequence.c
void sn_outline_sequence(SnOutline *o, MlirOperation sequence);

#endif
