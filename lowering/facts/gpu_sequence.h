// gpu_sequence.h: how a sinter.sequence runs on a GPU: its schedule, decoded, and which forms can be in one.
//
// A #sinter.gpu_sequence is read here and nowhere else. No IR is made here.

#ifndef SINTER_LOWERING_FACTS_GPU_SEQUENCE_H
#define SINTER_LOWERING_FACTS_GPU_SEQUENCE_H

#include "dialect/sequence.h"
#include "lowering/facts/gpu_launch.h"

typedef struct {
  int64_t threads, blocks, occupancy; // as launched
  int64_t ahead;                      // bytes that are asked for in front of their phase
  bool once;                          // what is read once leaves the second cache first
  bool words;                         // turns hand each other words, where they can
  bool clocks;                        // blocks keep when they began and ended each phase
} SnGpuSequencePlan;

// An error if there is no #sinter.gpu_sequence.
MlirLogicalResult sn_gpu_plan_sequence(const SnSequence *s, SnGpuSequencePlan *plan);
// Why a form with this launch cannot be one of a sequence; NULL if it can. `maps`: tensor maps that it has;
// `mbarriers`: it makes barriers in shared memory.
const char *sn_gpu_not_in_sequence(const SnGpuLaunch *launch, size_t maps, bool mbarriers);
// How many of the form's blocks run side by side in one of the sequence's.
int64_t sn_gpu_beside(const SnGpuSequencePlan *plan, const SnGpuLaunch *launch);
// What a turn's form reads that its output made in the turn before, element by element (gpu_words.c).
typedef struct {
  size_t input, output; // of the form
  int64_t elements;
  int64_t scratch;  // where the words begin in the workspace: those of two turns
  MlirValue memory; // of a block: the elements of this turn
} SnGpuWord;
typedef SN_VEC(SnGpuWord) SnGpuWords;
// Turns of the loop may hand each other words and wait for nothing else; false: they meet at barriers. Free `words`
// with sn_vec_free.
bool sn_gpu_plan_words(const SnSequence *s, const SnSequenceLoop *loop, SnGpuWords *words);

// One form of the sequence, in no loop, reads each element of v once by rows, and v is made in front of it. The caller
// knows that none writes it.
bool sn_gpu_is_read_once(const SnSequence *s, MlirValue v);
// Bytes of a tensor or memref of known sizes.
int64_t sn_gpu_sequence_bytes(MlirType shaped);

#endif
