// graph.h: private to passes/differentiate. Reverse mode over tensors, from values with gradients back to others.

#ifndef SINTER_PASSES_DIFFERENTIATE_GRAPH_H
#define SINTER_PASSES_DIFFERENTIATE_GRAPH_H

#include "passes/differentiate/differentiate.h"

// What one reader gives to the gradient of a value.
typedef struct {
  SnGradient gradient;
  bool placed;      // a slice of it, in zeros
  uintptr_t before; // 1 + the number of the part of the same value in front of it; 0: there is none
} SnGradientPart;

// Values that a loop had, one for each turn, asked for before the loop keeps them (differentiate/tapes.c).
typedef struct {
  MlirOperation loop; // scf.for, or scf.while, of which only the number of turns is asked
  intptr_t carried;   // which of the values that it carries
  MlirValue stands;   // what is read until then; null: only that its size stays is asked
} SnTape;

typedef struct {
  SnBuilder b;     // where gradients are written
  MlirBlock block; // where that stands which lies between; null: anywhere
  SnValueVec of;   // the losses
  SnTable is_wrt;  // by what they are differentiated
  SnTable seen;    // ops that were looked at; 1: it lies between
  SnTable idle;    // results of loops and branches that lie between and depend on nothing
  SnOpVec order;   // those between, each behind what it reads
  SnTable last;    // of a value: 1 + the number of the latest part of its gradient
  SnTable readers; // of a value: how many give it one
  SN_VEC(SnGradientPart) parts;
  SN_VEC(SnTape) tapes;
} SnGraph;

// Looks at an op and at what it depends on; false after an error.
bool sn_graph_visit(SnGraph *g, MlirOperation op);
// Looks at what the values depend on.
bool sn_graph_reach(SnGraph *g, intptr_t n, const MlirValue *values);
// The value depends on what is differentiated by, once its definer was visited.
bool sn_graph_depends(const SnGraph *g, MlirValue v);
// How many operands of an op are read: of a form not its destinations. *closed: its body sees nothing from outside.
intptr_t sn_graph_reads(MlirOperation op, bool *closed);

// The gradient with respect to v is this more.
void sn_graph_add(SnGraph *g, MlirValue v, SnGradient part);
// The sum of all parts so far, which are one from now on.
SnGradient sn_graph_sum(SnGraph *g, MlirValue v);
// The gradient with respect to v is this, whatever it was.
void sn_graph_set(SnGraph *g, MlirValue v, MlirValue gradient);
// A gradient as a tensor of v's sizes, of this element type; where it is not given, zeros.
MlirValue sn_graph_value(SnGraph *g, MlirValue v, MlirType element, SnGradient part);
// From the gradients that the losses were given back to all that they depend on, once they were reached.
bool sn_graph_reverse(SnGraph *g);
// What was emitted between the two (null: from the begin of the block) and nobody needs goes.
void sn_graph_tidy(MlirOperation end, MlirOperation begin);
void sn_graph_free(SnGraph *g);

// ---- differentiate/control_gradients.c -----------------------------------------------------

// A loop or branch that carries tensors.
bool sn_is_control(MlirOperation op);
// Finds which of its results depend, once it is known that some may: all others are idle. False after an error.
bool sn_control_visit(SnGraph *g, MlirOperation op);
// Values from outside that its regions read and that depend, each once. Free with sn_vec_free.
SnValueVec sn_control_captured(const SnGraph *g, MlirOperation op);
// The block of region k, null if there is none.
MlirBlock sn_control_block(MlirOperation op, intptr_t k);
// How the gradients of what a block yields are made, at the end of a copy of it that has no terminator.
typedef struct {
  SnGraph graph; // of the copy
  SnValueVec by; // each once
} SnBlockGradient;
void sn_block_begin(SnBlockGradient *s, MlirBlock copy, MlirLocation loc);
// By this value, too; it has that gradient already.
void sn_block_by(SnBlockGradient *s, MlirValue v, SnGradient has);
// The gradients of `n` values, where there are any, become those of all `by`: the block ends with a scf.yield of them,
// in f32 or f64, then of `keep`. Null after an error.
MlirOperation sn_block_end(SnBlockGradient *s, intptr_t n, const MlirValue *values, const SnGradient *upstream,
                           const SnValueVec *keep);
// Its gradient to what goes into it, from those of its results.
bool sn_control_gradient(SnGraph *g, MlirOperation op);

// ---- differentiate/loop_gradients.c, branch_gradients.c, while_gradients.c --------------------------------------

bool sn_loop_gradient(SnGraph *g, MlirOperation loop);
// A loop that carries any number of values, and one of so many turns; the block has no terminator.
MlirOperation sn_carrying_loop(SnBuilder *b, MlirValue low, MlirValue high, MlirValue step, const SnValueVec *begin);
MlirOperation sn_counted_loop(SnBuilder *b, MlirValue turns, const SnValueVec *begin);
bool sn_branch_gradient(SnGraph *g, MlirOperation branch);
bool sn_while_gradient(SnGraph *g, MlirOperation loop);

// ---- differentiate/tapes.c -----------------------------------------------------------------

// How a scf.for turns, as index values in front of it.
typedef struct {
  MlirValue low, step, turns;
  int64_t known; // turns; SN_DYNAMIC: not known
  MlirType type; // of the loop's own variable
} SnTurns;
SnTurns sn_turns_of(MlirOperation loop);
// The type of all values of this type that such a loop has.
MlirType sn_tape_type(MlirType one, int64_t turns);
// The value of turn k.
MlirValue sn_tape_read(SnBuilder *b, MlirValue tape, MlirValue k, MlirType one, MlirValue like);
// Loops keep what was asked of them.
void sn_tapes_keep(SnGraph *g);

#endif
