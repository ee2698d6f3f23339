// cpu_forms.h: what a CPU's schedule makes of a form, and which schedules it may have.
//
// The scheduler asks before it chooses, the lowering when it writes the kernel. No IR is made here.

#ifndef SINTER_LOWERING_FACTS_CPU_FORMS_H
#define SINTER_LOWERING_FACTS_CPU_FORMS_H

#include "lowering/rows/rowprogram.h"

// The first phase of many neighbouring rows may be reduced in memory, column by column: it is nothing but reductions,
// by combiners that have names, and takes nothing that is computed before it.
bool sn_cpu_has_strips(const SnRowProgram *p);

// ---- chains: forms whose rows go through several products (cpu_chains.c) --------------------

// A CPU can run the form as one kernel; it may be plain.
bool sn_cpu_can_run_chain(const SnForm *f);
// And it had better do so than run its pieces: memory for blocks of its rows stays in a core's cache, and there are
// enough of them for threads, or little to do.
bool sn_cpu_runs_chain(const SnForm *f);
// So many multiplications for each number between its products, by matrices that leave a core's cache, that the
// products are faster apart.
bool sn_cpu_multiplies_much(const SnForm *f);
// Its weights would lie packed before the program runs if its products had kernels of their own (packed_weights.h): as
// they ask for it, or as blocks pack them for longer than it takes to store the rows in between.
bool sn_cpu_packs_chain(const SnForm *f);
// Rows of the first group of columns are nothing but reduced and multiplied again, so a kernel may do with a block of
// their columns at a time (cpu_streams.c).
bool sn_cpu_streams(const SnForm *f);
// Why it cannot, NULL if it can.
const char *sn_cpu_not_streamed(const SnForm *f);
// Columns from factor * (position in row dimension `dim`) + more on, and from `least` on if that is more; of dimension
// -1 from `more` on. In that dimension of rows from `since` on alone, and below `until` (0: all): of others nothing is
// said.
typedef struct {
  int64_t dim, factor, more, least, since, until;
  int64_t given; // 1 + the input of which each row's number is added; 0: none
  bool rows;     // then: all columns of rows from there on, in that dimension
  // Exponentials of what is left out are 0 under a reference that is greater than this; 0: under any.
  double above;
  int64_t under; // then: 1 + the input that has references, of each column or row; 0: the row's own maximum is it
} SnCpuEnd;
// Which columns: from one on, or below one; from one on that an input gives, or rows.
typedef enum { SN_CPU_FROM, SN_CPU_BELOW, SN_CPU_FROM_GIVEN } SnCpuWhere;
// The row is -inf there, whatever else its program computes (cpu_ends.c); or, where `number` is not NULL, that number
// at most, which is SN_CPU_LOW or less.
bool sn_cpu_masked(const SnForm *f, MlirValue row, SnCpuWhere where, SnCpuEnd *end, double *number);
// A condition of the body is true there, or (`truth`) is not.
bool sn_cpu_holds(const SnForm *f, MlirValue condition, bool truth, SnCpuWhere where, SnCpuEnd *end);
#define SN_CPU_LOW (-1e4)
// A number in which any score is lost that is added to it: half of its last place is 2^101 or more in f32, in which and
// in bf16 masks are such. It is lower than any number of a type of less range.
bool sn_cpu_swallows(MlirType element, double number);
// References above this make exponentials 0 of numbers that are `low` at most, in f32, or in f64 (`wide`).
double sn_cpu_above(double low, bool wide);
bool sn_cpu_same_end(const SnCpuEnd *a, const SnCpuEnd *b);
// Nothing is asked of the form's rows but to be multiplied again, and those are 0 there, as a mask leaves them out, or
// makes what they are computed of -inf, or low (cpu_vanish.c).
bool sn_cpu_vanish(const SnForm *f, SnCpuWhere where, SnCpuEnd *end);
// A comparison of the body that says so of all columns from there on, or below, and what it says there: in front of
// them, or behind, it is the contrary.
typedef struct {
  MlirOperation op;
  bool truth;
} SnCpuCompare;
bool sn_cpu_compares_from(const SnForm *f, const SnCpuEnd *end, SnCpuCompare *to);
bool sn_cpu_compares_below(const SnForm *f, const SnCpuEnd *begin, SnCpuCompare *to);
// Of rows that are streamed nothing is asked there: all exponentials are 0, or what is multiplied again is. Where
// end->above is not 0, that is so under references alone which are greater.
bool sn_cpu_left_out(const SnForm *f, SnCpuWhere where, SnCpuEnd *end);
// What a row that is multiplied again is without a factor that is known at its end: e of e * broadcast s, s being 1 by
// a sum of exponentials under the row's maximum. The factor in *s; null if there is none.
MlirValue sn_cpu_without_factor(MlirValue row, MlirValue *s);
// The row product or sum is of exponentials, and while the row grows it may be too large for its type: under a lower
// maximum than the row's, and without that factor.
bool sn_cpu_weights_scaled(MlirOperation op);
#define SN_CPU_STREAMED 256 // columns at a time, if there are as many
#define SN_CPU_MASKED 128   // of rows that a mask ends early or begins late: fewer are made for nothing
// Rows of a block: as many as are asked for, or fewer that stay in a core's cache.
int64_t sn_cpu_rows_of_chain(const SnForm *f, int64_t rows);

#endif
