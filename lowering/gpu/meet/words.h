// words.h: turns of a loop hand each other words that say of which turn they are.

#ifndef SINTER_LOWERING_GPU_MEET_WORDS_H
#define SINTER_LOWERING_GPU_MEET_WORDS_H

#include "lowering/facts/gpu_sequence.h"
#include "lowering/gpu/shell/shell.h"
#include "lowering/rows/sequence_turns.h"

// Bytes of the workspace.
int64_t sn_gpu_words_bytes(const SnGpuWord *w);
// By all threads of the launch, before a phase ends.
void sn_gpu_clear_words(SnBuilder *b, const SnGpuKernel *k, const SnGpuWord *w);
// Shared memory for what comes, of the shape of the form's operand: w->memory.
void sn_gpu_make_word_memory(SnBuilder *b, SnGpuKernel *k, MlirType like, SnGpuWord *w);
// By all threads of a block, between barriers of it: w->memory is what `carried`, an operand of the form, is in this
// turn.
void sn_gpu_take_words(SnBuilder *b, const SnGpuKernel *k, const SnGpuWord *w, const SnTurns *t, MlirValue carried);
// Where the form's output goes in this turn.
SnGpuSent sn_gpu_words_to_send(SnBuilder *b, const SnGpuKernel *k, const SnGpuWord *w, const SnTurns *t);
// Element number `index` is there.
void sn_gpu_send_word(SnBuilder *b, const SnGpuSent *s, MlirValue index, MlirValue element);

#endif
