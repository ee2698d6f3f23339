// lower_cpu.h: what the CPU lowerings of the two forms share.
//
// Every kernel function becomes: scratch memory, one parallel call over tasks
// whose count comes from the schedule and the shapes alone, then the finish:
//
//   func.func private @k(%x: memref<37x1003xf32>, %y: memref<f32>) attributes {sinter.kernel} {
//     %p = memref.alloca() : memref<3xf32>                    one partial sum for each task
//     call @sinter_rt_parallel(@k_task, {x, y, p}, 3)
//     ... partial sums combined in order, finish, store to %y
//   }
//   func.func private @k_task(%context: !llvm.ptr, %index: i64) {
//     for each row of the task: the row program
//     store to p[index]
//   }
//
// decides: how a scheduled form is written for a CPU: tasks, loops of vectors, blocks of products.

#ifndef SINTER_LOWERING_CPU_CPU_H
#define SINTER_LOWERING_CPU_CPU_H

#include "lowering/facts/cpu_forms.h"
#include "lowering/host/host.h"
#include "lowering/rows/rowjoint.h"

// ---- a kernel: lower_cpu.c ---------------------------------------------------

typedef struct {
  MlirOperation module, func;
  const SnCalls *calls; // of the module's functions, as they were before any kernel was lowered
  SnForm form;
  SnBuilder b;          // in the function, in front of its return
  SnValueVec scratch;   // what sn_cpu_scratch made
  MlirValue workspace;  // the extra argument memref<BYTESxi8>; null as long as there is none
  int64_t workspace_bytes;
  MlirOperation op; // the form, the sinter.steps or the sequence that becomes it; the builder is in front of it
  // Of a form in a sequence: regions are stages, for later (sequence_cpu.c).
  bool stages;
  MlirValue sequence, shared; // where they are noted, and memory that earlier forms had: arguments of the function
  int64_t shared_bytes;
  int64_t num_stages;
  MlirOperation last_stage; // the call that notes it; null: none yet
} SnKernel;

// Memory that lives as long as the call of the kernel, in its workspace.
MlirValue sn_cpu_workspace(SnKernel *k, MlirType memref);

// Memory for the kernel's own use, of rank n: on the stack if small, else a view of the workspace; an allocation of its
// own where a size is known at run time only.
MlirValue sn_cpu_scratch(SnKernel *k, MlirType element, intptr_t n, const MlirValue *sizes);
// The end of a share: min(from + share, all), without the min where shares fit.
MlirValue sn_cpu_end(SnBuilder *b, MlirValue from, MlirValue share, MlirValue all);
// The private declaration `name(arguments)` of a runtime function.
void sn_cpu_declare(SnKernel *k, const char *name, intptr_t n, const MlirType *arguments);
// A call of a runtime function, which is declared.
MlirOperation sn_cpu_call(SnKernel *k, SnBuilder *b, const char *name, SnValues operands, SnTypes results);
// One of LLVM's intrinsics, as a call of a function of its name: an llvm.call_intrinsic would say nothing about memory,
// and upstream's deallocation pass takes no operation that does not.
MlirOperation sn_cpu_intrinsic(SnKernel *k, SnBuilder *b, const char *name, SnValues operands, SnTypes results);

// Writes k->op, a form or a sinter.steps, which is gone then, and gives the function its workspace.
MlirLogicalResult sn_cpu_lower_form(SnKernel *k);
MlirLogicalResult sn_cpu_lower_sequence(SnKernel *k);
MlirLogicalResult sn_cpu_lower_rowwise(SnKernel *k);
MlirLogicalResult sn_cpu_lower_rowlanes(SnKernel *k); // lanes along rows
MlirLogicalResult sn_cpu_lower_pieces(SnKernel *k);   // few long rows in pieces
MlirLogicalResult sn_cpu_lower_contract(SnKernel *k); // products, and what goes through several: chain.c
MlirLogicalResult sn_cpu_lower_steps(SnKernel *k, MlirOperation steps);

// ---- tasks: task.c -------------------------------------------------------------

typedef struct {
  MlirOperation func;
  SnBuilder b;        // inside of the task
  MlirValue index;    // of the task, as an index
  SnValueVec captured; // memrefs of the kernel: its arguments and scratch
  SnMap map;          // the same inside of the task
} SnTask;

SnTask sn_cpu_task_begin(SnKernel *k);
// The same of what follows; what the kernel did since its last task, in a sequence, is no task of its own.
SnTask sn_cpu_task_here(SnKernel *k);
// In a sequence what the kernel did since its last task is a stage of its own; else nothing happens.
void sn_cpu_stage_ends(SnKernel *k);
// Ends the task and calls it `count` times.
void sn_cpu_task_end(SnKernel *k, SnTask *t, MlirValue count);
// What a memref is in LLVM's dialect.
MlirType sn_cpu_descriptor(MlirContext ctx, MlirType memref);
// The contiguous memref of these sizes, indices, whose first element is at `pointer`.
MlirValue sn_cpu_memref_at(SnBuilder *b, MlirType memref, const MlirValue *sizes, MlirValue pointer);
// The form's operands inside of the task.
SnForm sn_cpu_form_in_task(const SnForm *form, const SnTask *t);

// ---- one row: rows.c --------------------------------------------------------------

// What becomes of a value that the block yields.
typedef struct {
  SnAccess access;            // stored by this access if its value is not null
  const SnCombiner *combiner; // else combined with buffer[first, j] or, without a buffer, with a scalar
  MlirValue buffer, first;    // without a combiner: stored to buffer[first, j - offset]
  MlirValue offset;
  bool flushes;               // of what is stored to buffer, f32: 0 in place of numbers below the least normal one
} SnTarget;

typedef struct {
  SnRowProgram *program;
  // The schedule's keys of these names.
  int64_t lanes, unroll, carried, carried_online, online_from, plain, written_out, near, line;
  bool halves_together, runs_guarded;
  int64_t prefetch;         // bytes ahead of the first loads of a row; 0: none
  const MlirValue *next;    // index of each row dimension in the row that the last loop asks for early; null: none
  bool online;              // maxima and sums of exponentials under them in one loop
  SnRowJoints joints;       // which, set by sn_cpu_row
  MlirValue from, count;    // the columns of a piece; null: all
  int64_t known_from, known_to; // the loop's columns, as far as is known when it is compiled (SnFragment.from, to)
  const MlirValue *reduced; // what the reductions of the first phase gave; null: they are emitted
  MlirValue mask;           // of a program whose lanes are rows: those that accumulators count; null: all
  SN_VEC(SnTarget) targets; // one for each yielded value
} SnCpuRow;

// What a loop of vectors does in one turn, from column j on: `count` vectors of `width` columns. Accumulator i of
// vector v is acc[v * reduces + i].
void sn_cpu_vectors(SnBuilder *b, SnCpuRow *r, const SnPhase *phase, MlirValue j, int64_t width, int64_t count,
                  MlirValue *acc);
// How many of a row of so many columns.
int64_t sn_cpu_vectors_at_once(const SnCpuRow *r, const SnPhase *phase, int64_t known);
// Of the accumulators of so many vectors one of each reduction, a scalar: the first ones of acc.
void sn_cpu_across(SnBuilder *b, SnRowProgram *p, const SnPhase *phase, int64_t unroll, MlirValue *acc);
// rowsabreast.c: rows from `from` to `to`, `abreast` of them at once. Where the last ones begin, which are fewer.
MlirValue sn_cpu_rows_abreast(SnBuilder *b, SnCpuRow *r, MlirValue from, MlirValue to, intptr_t n, MlirValue *scalars);
// Whether the schedule's key fits, said where it does not.
bool sn_cpu_abreast_fits(const SnForm *f);

// As the form's schedule says, without targets: of a rowwise form; and what #sinter.rows and #sinter.brgemm both say.
SnCpuRow sn_cpu_scheduled(const SnForm *f, SnRowProgram *p);
SnCpuRow sn_cpu_scheduled_loops(const SnForm *f, SnRowProgram *p);
// Emits loops twice, with stores past the caches for results that are aligned, if the schedule says so. `scalars` are
// what `emit` begins with and what it ends with.
typedef void (*SnCpuEmit)(SnBuilder *b, SnCpuRow *r, const void *user, intptr_t n, MlirValue *scalars);
void sn_cpu_streaming(SnBuilder *b, SnCpuRow *r, SnCpuEmit emit, const void *user, intptr_t n, MlirValue *scalars);
// Emits one row, or as many as program->row.rows. `scalars` has one accumulator for each scalar target without access,
// in order; combined in place.
void sn_cpu_row(SnBuilder *b, SnCpuRow *r, MlirValue *scalars);
// Its parts. The loops of a phase over the row's columns, or the piece's: results of reductions are set in
// program->scalars.
void sn_cpu_row_phase(SnBuilder *b, SnCpuRow *r, size_t phase);
// What is one for each row: stored, or combined with its accumulator.
void sn_cpu_row_ends(SnBuilder *b, SnCpuRow *r, MlirValue *scalars);

// ---- what a loop over columns needs from rows.c: rowonline.c ----------------------------

// The lanes of a vector from `seen` on, a mask; null if that is known to be all of them.
MlirValue sn_cpu_lanes_from(SnBuilder *b, MlirValue seen, int64_t width);
// The vector that ends where a row of a length `?` does, if any columns are left behind `vectors`, and the row has as
// many as the vector has lanes: what is emitted between begin and end is for that case. A loop of one turn or of none
// took 12 cycles more.
typedef struct {
  SnIf some;
  MlirValue column, mask; // where it begins; the lanes that are new
  MlirValue seen_to;      // behind it
} SnCpuLast;
SnCpuLast sn_cpu_last_vector(SnBuilder *b, MlirValue length, MlirValue vectors, MlirValue end, int64_t lanes,
                             SnValues carried);
// `next` are what it makes of what was carried; `carried` becomes what is so behind it.
void sn_cpu_last_vector_end(SnBuilder *b, SnCpuLast *last, intptr_t n, const MlirValue *next, MlirValue *carried);
// x in the lanes of the mask, if there is one; the identity in others.
MlirValue sn_cpu_unseen(SnBuilder *b, MlirValue x, MlirValue identity, MlirValue mask);
// Asks for what the `count` vectors from column j on will load, of this row or the next.
void sn_cpu_prefetch(SnBuilder *b, SnCpuRow *r, const SnPhase *phase, MlirValue j, int64_t width, int64_t count);
// The loops of any reductions and stores; columns of a row, or of the piece.
void sn_cpu_columns(SnBuilder *b, SnCpuRow *r, const SnPhase *phase);

// Phase `at` and the one behind it, which r->joints joins, as one loop.
void sn_cpu_online_columns(SnBuilder *b, SnCpuRow *r, size_t at);

// ---- the first phase of many neighbouring rows: rowstrips.c -------------------------------

typedef struct {
  int64_t size;        // rows of a strip; 0: there are none
  MlirValue memory[4]; // accumulators of its rows, one for each reduction of the first phase
} SnStrips;

SnStrips sn_cpu_strips(SnBuilder *b, const SnCpuRow *row);
// The first phase of rows from .. to; a vector begins no later than at `last`. Those from `from` + slot on, then.
void sn_cpu_strip_reduce(SnBuilder *b, const SnCpuRow *row, const SnStrips *s, MlirValue from, MlirValue to,
                         MlirValue last);
void sn_cpu_strip_load(SnBuilder *b, const SnCpuRow *row, const SnStrips *s, MlirValue slot, MlirValue *reduced);

// ---- results reduced over rows: partials.c -----------------------------------------------

typedef struct {
  SnValueVec buffers; // one for each accumulator: memref<tasks x T> or memref<tasks x N x T>
  SnValueVec inside;  // the same in the task
  MlirValue tasks; // their count, outside of them
  int64_t lanes;
} SnPartials;

SnPartials sn_cpu_partials(SnKernel *k, const SnForm *f, MlirValue tasks, int64_t lanes);
// In the task: rows are set to the identity, scalars[...] to identities; returns their count.
intptr_t sn_cpu_partials_begin(const SnForm *f, SnTask *t, SnPartials *p, MlirValue *scalars);
void sn_cpu_partials_end(const SnForm *f, SnTask *t, SnPartials *p, const MlirValue *scalars);
// What the body yields: accumulators into the task's partials, the others to memory.
void sn_cpu_body_targets(const SnForm *f, SnTask *t, const SnPartials *p, SnCpuRow *row);
// After the tasks: partials combined in order, finish, stores.
void sn_cpu_finish(SnKernel *k, SnForm *f, SnPartials *p);
// Of an accumulator: its combiner's, on so many lanes.
MlirValue sn_cpu_identity(SnBuilder *b, const SnForm *f, size_t accumulator, int64_t width);

// ---- what a row reads again and again: rowrepeats.c ----------------------------------------

typedef struct {
  size_t input;
  MlirValue memory; // of the kernel, outside of tasks
} SnCpuRepeat;
typedef SN_VEC(SnCpuRepeat) SnCpuRepeats;

// Stored, in front of the tasks, where the form's schedule says so. Free it.
SnCpuRepeats sn_cpu_repeats(SnKernel *k);
// The program of a task reads these in the inputs' place.
void sn_cpu_repeats_in_task(const SnTask *t, SnRowProgram *p, const SnCpuRepeats *r);

// ---- a task of rows: rowwise.c -------------------------------------------------------------

typedef struct {
  MlirValue tasks; // their count, outside of them
  SnPartials partials;
  SnTask task;
  SnForm form;          // inside of the task
  SnRowProgram program; // of that form
  SnCpuRow row;         // for the lowering to set
  intptr_t n;
  MlirValue
      scalars[SN_MAX_ACCUMULATORS]; // n accumulators: identities, and at the end what the task adds to its partials
} SnRowsTask;

// Tasks of `of_task` units, as scheduled, or of more where the count of units is known at run time and would make too
// many.
MlirValue sn_cpu_share(SnBuilder *b, const SnForm *f, MlirValue units, MlirValue *of_task);
// What a kernel of rows begins and ends with. `t` stays where it is.
void sn_cpu_rows_begin(SnKernel *k, MlirValue tasks, SnRowsTask *t);
void sn_cpu_rows_end(SnKernel *k, SnRowsTask *t);

#endif
