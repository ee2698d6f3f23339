// sequence_turns.h: a loop of a sequence, written out: which memory its values are in each turn.
//
// What a loop carries is carried as addresses. Who writes it says what the address of memory from outside is.

#ifndef SINTER_LOWERING_SEQUENCE_TURNS_H
#define SINTER_LOWERING_SEQUENCE_TURNS_H

#include "dialect/sequence.h"

typedef struct {
  const SnSequenceLoop *loop;
  SnLoop at;       // its index is the turn's number: 0, 1, ...
  MlirValue index; // its induction variable in the turn
  MlirValue (*base)(SnBuilder *b, MlirValue memory, void *user); // i64: where memory from outside begins
  void *user;
  int space; // of pointers: 0 any memory, 1 a GPU's
} SnTurns;

// A loop is begun; the builder stands in it. `base` is asked in front of it, and in turns.
void sn_turns_begin(SnBuilder *b, SnTurns *t);
void sn_turns_end(SnBuilder *b, SnTurns *t);
// The value is made in the loop: carried, a slice, or a reshape of these.
bool sn_turns_make(const SnTurns *t, MlirValue v);
// i64: where it is in this turn.
MlirValue sn_turns_address(SnBuilder *b, const SnTurns *t, MlirValue v);
// The memref itself: the value, where the loop does not make it.
MlirValue sn_turns_memref(SnBuilder *b, const SnTurns *t, MlirValue v);

#endif
