// chain_rows.h: a thread's rows and columns of a chain; for the files beside this.

#ifndef SINTER_LOWERING_GPU_CHAIN_ROWS_H
#define SINTER_LOWERING_GPU_CHAIN_ROWS_H

#include "lowering/gpu/chains/chains_gpu.h"

enum { SN_CHAIN_QUAD = 4 }; // threads that share rows
#define SN_CHAIN_LOG2E 1.4426950408889634

typedef struct {
  SnGpuOwnColumns own;
  SnFragment *at; // of each pair, or of each of its columns
  MlirValue *is;  // i1: it is one of the row's; null: all are
  size_t n;
} SnChainColumns;

// One of a thread's rows, and what it has so far.
typedef struct {
  SnGpuChain *c;
  SnRowProgram *program;
  int h;
  SnChainColumns columns;
  MlirValue *states;
  size_t num_grown;
  MlirValue *grown;        // of both rows
  bool unmasked;           // the mask leaves none of these columns out
  bool guesses;            // its reference may be too low
  MlirValue odd;           // i1, at its end: all are -inf, and not for want of columns
  MlirValue none;          // i1, where nobody else asks for the maximum: no exponential is greater than 0
  MlirValue by, by_scaled; // then: what takes sums from the reference to the maximum; times 1 / power
} SnChainRow;

// Reductions of a phase; reduction i of the first two phases.
size_t sn_chain_num_reduces(const SnRowProgram *p, size_t phase);
MlirOperation sn_chain_state_of(const SnRowProgram *p, size_t i);
// Columns of a fragment: pairs end with the last dimension of columns, where their elements are neighbours.
int64_t sn_chain_lanes_of(const SnForm *f);
SnChainColumns sn_chain_columns_of(SnBuilder *b, const SnGpuChain *c, const SnGpuOwnColumns *own);
void sn_chain_free_columns(SnChainColumns *c);
// Four sums of a pair of columns for two rows -> those of row h, as the fragment has them.
void sn_chain_give_sums(SnBuilder *b, SnChainColumns *c, MlirValue argument, const MlirValue *sums, int h);
// The thread's part of a reduction; of four threads' parts one.
MlirValue sn_chain_reduce_columns(SnBuilder *b, SnRowProgram *p, SnChainColumns *c, MlirOperation reduce);
MlirValue sn_chain_over_quad(SnBuilder *b, SnRowProgram *p, MlirOperation reduce, MlirValue x);
// In f32: a number; e to the power of x, by one instruction and a multiplication; no less than the least finite number.
MlirValue sn_chain_number(SnBuilder *b, double x);
MlirValue sn_chain_exponential(SnBuilder *b, MlirValue x);
MlirValue sn_chain_under(SnBuilder *b, MlirValue maximum);
// What exponentials are under; which state is the maximum.
MlirValue *sn_chain_reference_of(SnChainRow *r);
size_t sn_chain_place_of_maximum(const SnGpuChain *c);
// How far the reference is above the maximum: sums of exponentials under it are the power's part, also where the
// maximum has become greater since.
double sn_gpu_chain_above_maximum(const SnGpuChain *c);

// chain_powers.c: what the program's exponentials are, in the fragments of r: those that are under no maximum of this
// row; those under the maximum, which are under the reference.
void sn_chain_give_powers(SnBuilder *b, SnChainRow *r);
void sn_chain_give_exponentials(SnBuilder *b, SnChainRow *r);

#endif
