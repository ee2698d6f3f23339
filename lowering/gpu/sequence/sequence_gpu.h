// sequence_gpu.h: a sinter.sequence while it becomes one kernel; what the files here have of each other.
//
// decides: how forms share a launch of a GPU: which of its blocks and threads are whose, and where they wait.

#ifndef SINTER_LOWERING_GPU_SEQUENCE_H
#define SINTER_LOWERING_GPU_SEQUENCE_H

#include "lowering/facts/gpu_sequence.h"
#include "lowering/gpu/shell/shell.h"
#include "lowering/rows/sequence_turns.h"

// A form of the sequence.
typedef struct {
  MlirOperation op;
  SnGpuLaunch launch;
  int64_t beside;          // of its blocks, in one of the launch
  int64_t scratch;         // where its piece of the workspace begins
  bool repeated;           // each block of the launch computes all of its blocks
  bool stays;              // of a repeated form: the next phase reads its output in the block's shared memory,
  MlirValue own;           // which this is; the first block stores it for who comes later
  bool holds;              // what it reads, over turns or over the wait for its phase
  SN_VEC(size_t) operands; // which of the kernel's; of what a loop makes, of which it is a part
  SN_VEC(bool) may_hold;   // of each operand: no turn makes it
  SnValueVec held;         // what threads read of these in front of the loop
  SN_VEC(bool) may_early;  // of each operand: it is there before the words of a turn are
  SnValueVec early;        // what threads read of these then
} SnGpuMember;

enum { SN_GPU_BY_TURNS = -1 }; // what a loop carries: different ones by turns

// What the blocks ask the second cache for in front of a phase.
typedef struct {
  int64_t phase;
  size_t operand;
  int64_t from, bytes;
} SnGpuAsked;

typedef struct {
  SnSequence s;
  SnGpuSequencePlan plan;
  SN_VEC(SnGpuMember) members;
  SN_VEC(SnGpuWords) words; // of each loop; none: its turns meet at barriers
  SnValueVec operands;      // of the kernel, as the host has them
  SN_VEC(bool) written;     // of these
  SN_VEC(SnGpuAsked) ahead;
  int64_t scratch;
  int64_t least; // blocks without which it cannot run
  bool asserts;
  MlirValue clocks; // i64: the address of those of all blocks; null: nobody asks
} SnGpuSequence;

// ---- sequence_gpu.c: what forms need

// Its number among the kernel's operands; it becomes one if it is none.
size_t sn_gpu_sequence_operand(SnGpuSequence *q, MlirValue v);
// It is another one in each turn of a loop.
bool sn_gpu_made_by_turns(const SnGpuSequence *q, MlirValue v);
const SnGpuWords *sn_gpu_words_of_loop(const SnGpuSequence *q, const SnSequenceLoop *loop);

// ---- asked.c: what the second cache is asked for ahead of its phase

void sn_gpu_plan_asked(SnGpuSequence *q);
// By one thread of each block: its share.
void sn_gpu_ask(SnBuilder *b, const SnGpuKernel *k, const SnGpuAsked *a);

// ---- read_once.c: what leaves the second cache first

// Where all forms are written: their loads of what is read once. `b` is in front of them.
void sn_gpu_read_once(SnBuilder *b, const SnGpuKernel *k, const SnGpuSequence *q);

// ---- repeated.c: what each block computes, for itself

// Which outputs stay in shared memory.
void sn_gpu_plan_repeated(SnGpuSequence *q);
void sn_gpu_make_repeated(SnBuilder *b, SnGpuKernel *k, SnGpuSequence *q);
// What form m has in place of its operand in memory; null: nothing.
MlirValue sn_gpu_repeated_operand(const SnGpuSequence *q, const SnGpuMember *m, size_t operand);
// Behind the forms of the phase, when the block's threads have met.
void sn_gpu_store_repeated(SnBuilder *b, const SnGpuKernel *k, const SnGpuSequence *q, int64_t phase);

// ---- sequence_clocks.c: when blocks began and ended each phase

void sn_gpu_make_clocks(SnBuilder *b, const SnGpuKernel *k, SnGpuSequence *q);
// The phase begins, or the one before it has ended; so many there were (i64). Nothing where nobody asks for clocks.
void sn_gpu_keep_time(SnBuilder *b, SnGpuKernel *k, const SnGpuSequence *q, MlirValue phase, bool ended);
void sn_gpu_note_clocks(MlirOperation op, const SnGpuSequence *q);

// ---- sequence_forms.c: a form's code, for a block of the launch

typedef struct {
  const SnGpuSequence *q;
  const SnGpuMember *member;
  SnBuilder *b;
  SnGpuKernel *k;
  MlirValue zero;       // memref<1xi32> of shared memory, which holds it
  const SnTurns *turns; // null: it is in no loop
  MlirOperation begin;  // the first that was written
  bool meets;           // its threads meet, or have shared memory
} SnGpuWriting;

// With sn_gpu_lower_form: one block of the form's, or those that come in turns.
MlirLogicalResult sn_gpu_write_member(MlirOperation op, const SnGpuBody *body, void *writing);
// What the form's threads keep over the turns of its loop, in front of it, or over the wait for its phase.
// Nothing where they have it already.
MlirLogicalResult sn_gpu_hold_operands(MlirOperation op, const SnGpuBody *body, void *writing);
// Numbers of its rows that are no words, in a turn whose words have not come yet.
MlirLogicalResult sn_gpu_read_before_words(MlirOperation op, const SnGpuBody *body, void *writing);

// ---- sequence_kernel.c: phases and loops; at the head of the gpu.func

void sn_gpu_emit_sequence(SnBuilder *b, SnGpuKernel *k, const void *sequence);

#endif
