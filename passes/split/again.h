// again.h: products whose rows are too large to be stored: what again.c plans, and again_parts.c makes.

#ifndef SINTER_PASSES_SPLIT_AGAIN_H
#define SINTER_PASSES_SPLIT_AGAIN_H

#include "passes/split/pieces.h"

// A contract that multiplies what the form gives.
typedef struct {
  MlirOperation op;
  int64_t dims[2]; // of it, that the form's rows and columns are
  bool sums;       // over what is cut
} SnAgainReader;

typedef struct {
  SnForm f;
  size_t output; // what is stored: the only one with rows
  int64_t dim;   // that is cut: 0 or 1
  int64_t size, part, parts;
  SnTable waits;      // values of the body that depend on more than one element of a row
  SnTable seen;       // and those that find_numbers has been at
  SnValueVec numbers; // of rows, that what is stored takes
  SN_VEC(SnAgainReader) readers;
  MlirOperation values; // numbers of rows, and all that is not stored
  MlirValue starts;     // memory: where each part begins
  // again_kept.c: products of the first `kept` parts stay in memory until their parts are made.
  int64_t kept, kept_lines; // each has so many lines of the memory that it is in
  bool kept_in_part;        // the first of them is where a part of what is stored will be
  MlirType kept_type;       // of their elements
  size_t keeper;            // the reader in whose result they are: it is written behind them
  MlirValue keeping, stored; // memory: of that result, of a part of what is stored; or null
} SnAgain;

// Where a part is: its number, the first of what is cut, how many.
typedef struct {
  MlirValue number, first;
  int64_t count;
} SnAgainPart;

// ---- again_parts.c

// So many of the first dimension's from `first` on, as memory by itself, which `as` is the type of.
MlirValue sn_part_of_memory(SnBuilder *b, MlirValue memory, MlirValue first, int64_t count, MlirType as);
MlirValue sn_seen_as(SnBuilder *b, MlirValue memory, MlirType memref); // from its begin on
MlirValue sn_memory_of(SnBuilder *b, MlirValue tensor);
MlirValue sn_tensor_of(SnBuilder *b, MlirValue memory);
MlirValue sn_allocated(SnBuilder *b, MlirType memref);
// An access of the form, to the part if it uses dimension `dim`. `memory`: of each tensor.
SnAccess sn_part_of_access(SnBuilder *b, const SnForm *f, const SnAccess *a, int64_t dim, const SnAgainPart *part,
                           const SnMap *memory);
// All that the form reads but `but`, as memory.
void sn_take_inputs(SnBuilder *b, const SnForm *f, MlirValue but, SnMap *memory);
// The type of a part of what is stored, of so many.
MlirType sn_part_type(const SnAgain *s, int64_t count);
// Where each part begins: on the device, as kernels read it. That of one part, as memory by itself.
MlirValue sn_make_starts(SnBuilder *b, const SnAgain *s);
MlirValue sn_start_of(SnBuilder *b, const SnAgain *s, const SnAgainPart *part);
SnAgainPart sn_again_part(SnBuilder *b, const SnAgain *s, MlirValue number);
// The form's dimensions and products, with a part of the one that is cut.
SnForm sn_cut_dims(const SnForm *f, int64_t dim, int64_t count);
// `to`, which is made of the form and has accesses of its dimensions, becomes one without products.
void sn_rows_alone(const SnForm *f, SnForm *to);
void sn_yield_row(SnBuilder *b, const SnForm *to, MlirValue v, MlirType element);
bool sn_names_position(const SnForm *f, int64_t dim); // an operation of its body does

// What is stored, a part at a time, and its readers, in a loop of the host; the readers are gone then. s->values gives
// the numbers of rows, behind all others. `cut`: why, for --explain; or null.
void sn_make_again_parts(SnAgain *s, MlirAttribute cut);

// ---- again_kept.c

// How many products may be kept, and where: s->kept. s->values is there, and readers stand in their order.
void sn_plan_kept(SnAgain *s);
// Those products, and s->values, which reads them: it is a form of the same results then.
void sn_make_kept(SnAgain *s, MlirAttribute cut);
// The product of a kept part, [i, j] in memory. `first`: it is the first of all.
MlirValue sn_kept_product(SnBuilder *b, const SnAgain *s, MlirValue number, bool first);

#endif
