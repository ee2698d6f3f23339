// sequence.h: a sinter.sequence read into plain C.

#ifndef SINTER_DIALECT_SEQUENCE_H
#define SINTER_DIALECT_SEQUENCE_H

#include "capi/sn.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  MlirOperation op;
  MlirBlock body;
  SnOpVec forms;          // in order: forms and sinter.steps
  SN_VEC(int64_t) phase;  // of each form
  SN_VEC(int64_t) waits;  // of each form on a CPU: so many first ones have ended; none before sinter-schedule
  MlirAttribute schedule; // null before sinter-schedule
} SnSequence;

bool sn_is_sequence(MlirOperation op);
// The operation stands in the body of one.
bool sn_in_sequence(MlirOperation op);
// Reads one whose body is a block. Free with sn_sequence_free.
SnSequence sn_sequence_read(MlirOperation op);
void sn_sequence_free(SnSequence *s);
static inline int64_t sn_sequence_phases(const SnSequence *s) {
  return s->forms.size ? s->phase.data[s->forms.size - 1] + 1 : 0;
}
// An operation that gives another shape to what it is given, without moving an element.
bool sn_is_view(MlirOperation op);
// Those in the body go in front of the sequence: they are the host's.
void sn_sequence_move_views(const SnSequence *s);
// What the value is a view of, or is itself.
MlirValue sn_viewed(MlirValue v);

// A sinter.steps whose results lie where its destinations do.
bool sn_is_in_place(MlirOperation op);
// What first lay in the memory of a tensor: under reshapes, and before all that was stored in place.
MlirValue sn_shared(MlirValue v);
// Of a result of a form or a sinter.steps: its destination, the operand.
MlirValue sn_destination(MlirValue result);
// A form or a sinter.steps writes its operand k.
bool sn_form_writes(MlirOperation form, intptr_t k);
// Why form `b` has to begin behind the end of form `a`, which stands in front of it: the value that both touch and one
// of them writes, as `a` has it; null: it does not.
MlirValue sn_sequence_conflict(MlirOperation a, MlirOperation b);
// The least phase that each form may have. One number for each form.
void sn_sequence_least_phases(const SnOpVec *forms, int64_t *phases);

// How many first forms have to have ended when each may begin, at least: those up to the last that it waits for.
void sn_sequence_least_waits(const SnOpVec *forms, int64_t *waits);

#ifdef __cplusplus
}
#endif
#endif
