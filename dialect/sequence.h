// sequence.h: a sinter.sequence read into plain C.

#ifndef SINTER_DIALECT_SEQUENCE_H
#define SINTER_DIALECT_SEQUENCE_H

#include "capi/sn.h"

#ifdef __cplusplus
extern "C" {
#endif

// Forms that come again and again: an scf.for in the body, with constant bounds.
typedef struct {
  MlirOperation op;
  size_t first, forms;       // which of the sequence's
  int64_t from, step, turns; // its induction variable begins with `from`
} SnSequenceLoop;

typedef struct {
  MlirOperation op; // null: a list of operations that may become one
  MlirBlock body;
  SnOpVec forms;                // in order: forms and sinter.steps
  SN_VEC(SnSequenceLoop) loops; // in order
  SN_VEC(intptr_t) loop;        // of each form: which of them; -1: none
  SN_VEC(int64_t) phase;        // of each form
  SN_VEC(int64_t) waits;        // of each form on a CPU: so many first ones have ended; none before sinter-schedule
  MlirAttribute schedule;       // null before sinter-schedule
} SnSequence;

bool sn_is_sequence(MlirOperation op);
// The operation stands in the body of one, or in a loop there.
bool sn_in_sequence(MlirOperation op);
// Reads one whose body is a block. Free with sn_sequence_free.
SnSequence sn_sequence_read(MlirOperation op);
// The same of operations that may become one.
SnSequence sn_sequence_of(const SnOpVec *ops);
void sn_sequence_free(SnSequence *s);
static inline int64_t sn_sequence_phases(const SnSequence *s) {
  return s->forms.size ? s->phase.data[s->forms.size - 1] + 1 : 0;
}
// On a CPU: forms run one behind the other, each as a kernel of its own would, and none waits.
bool sn_sequence_by_turns(const SnSequence *s);
// The loop of form k; null: it is in none.
static inline const SnSequenceLoop *sn_sequence_loop(const SnSequence *s, size_t k) {
  return s->loop.data[k] < 0 ? NULL : &s->loops.data[s->loop.data[k]];
}
// Phases of one turn of the loop, and which is the first.
int64_t sn_loop_phases(const SnSequence *s, const SnSequenceLoop *loop);
int64_t sn_loop_first_phase(const SnSequence *s, const SnSequenceLoop *loop);
// Phases that there have been when one begins, each turn of a loop counted: in a loop, in its first turn.
int64_t sn_sequence_phases_before(const SnSequence *s, int64_t phase);
// All of them, each turn counted.
static inline int64_t sn_sequence_all_phases(const SnSequence *s) {
  return sn_sequence_phases_before(s, sn_sequence_phases(s));
}

// An operation that gives another shape to what it is given, without moving an element.
bool sn_is_view(MlirOperation op);
// A turn's part of a tensor, or where it goes (tensor.extract_slice and insert_slice, memref.subview), or that part as
// memory by itself (a cast).
bool sn_is_slice(MlirOperation op);
// Of a slice: where in dimension 0 it begins and ends, of a loop's first and last turn, and how many elements lie
// behind each other there. False where that is no whole part of the tensor, at the induction variable.
typedef struct {
  MlirValue whole;     // what it is a part of
  int64_t size, inner; // in dimension 0; elements for each there
} SnSlice;
bool sn_slice_read(MlirOperation slice, const SnSequenceLoop *loop, SnSlice *of);
// Reshapes in the body go in front of the sequence: they are the host's. Those in loops stay.
void sn_sequence_move_views(const SnSequence *s);
// What the value is a view or a slice of, or is itself.
MlirValue sn_viewed(MlirValue v);
// An scf.for whose bounds are constants, with a turn or more. Sets all but the forms.
bool sn_loop_read(MlirOperation op, SnSequenceLoop *loop);

// A sinter.steps whose results lie where its destinations do.
bool sn_is_in_place(MlirOperation op);
// What first lay in the memory of a tensor: under reshapes, and before all that was stored in place.
MlirValue sn_shared(MlirValue v);
// Of a result of a form or a sinter.steps: its destination, the operand.
MlirValue sn_destination(MlirValue result);
// A form or a sinter.steps writes its operand k.
bool sn_form_writes(MlirOperation form, intptr_t k);
// A form in a turn of its loop; of one that is in none, turn 0.
typedef struct {
  size_t form;
  int64_t turn;
} SnFormTurn;

// Why `b` has to begin behind the end of `a`, which comes before it: the value that both touch and one of them writes;
// null: it does not. In a loop what a form makes for others of the turn has one memory, and what is carried has two by
// sequence_turns.
MlirValue sn_sequence_conflict(const SnSequence *s, SnFormTurn a, SnFormTurn b);
// So many first turns of form k's loop are all that there is to know of it: what is carried comes from the same places
// in later ones. 1 where it is in none; 0: there is no such number below SN_MOST_TURNS_APART.
enum { SN_MOST_TURNS_APART = 64 };
int64_t sn_sequence_turns_apart(const SnSequence *s, size_t k);
// The same of any two turns that form i, in front of form k, and form k have at once: of one turn of their loop, or of
// all of theirs.
MlirValue sn_sequence_conflict_in_order(const SnSequence *s, size_t i, size_t k);
// Of each form, 1 + the last in front of it that it has to wait for, of any such turns; 0: there is none.
void sn_sequence_last_before(const SnSequence *s, size_t *last);
// Of any turn of a loop, and the next one: form i of the first and form k of the second.
MlirValue sn_sequence_conflict_behind_turn(const SnSequence *s, size_t i, size_t k);

// Form k is computed by each block of a GPU's launch, which all store the same (rule Q11).
bool sn_sequence_is_repeated(const SnSequence *s, size_t k);
// On a GPU the phase, but the first, begins when all blocks are done with the one before; else, behind repeated forms,
// when the threads of a block are.
bool sn_sequence_meets(const SnSequence *s, int64_t phase);
// So many phases in front of this one are of repeated forms.
int64_t sn_sequence_repeated_before(const SnSequence *s, int64_t phase);
// What form k reads or writes and form `by` writes, both in no loop; null: nothing. Of one and the same form: what it
// reads and writes.
MlirValue sn_sequence_overwritten(const SnSequence *s, size_t k, size_t by);

// On memrefs: form k writes this one, from around the sequence, in some turn.
bool sn_sequence_writes(const SnSequence *s, size_t k, MlirValue memory);

// The least phase that each form may have. One number for each form. A loop begins a phase, and so does what is behind
// it.
void sn_sequence_least_phases(const SnSequence *s, int64_t *phases);

// What `waits` of form k means: so many forms have ended, each turn of a loop in front of it counted; in its own loop,
// when its first turn begins. Each later turn waits for as many more as the loop has forms.
int64_t sn_sequence_ended(const SnSequence *s, size_t k, int64_t waits);
// How many first forms have to have ended when each may begin, at least: those up to the last that it waits for.
void sn_sequence_least_waits(const SnSequence *s, int64_t *waits);

#ifdef __cplusplus
}
#endif
#endif
