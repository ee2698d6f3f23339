// schedule.h: one function for each form and target that says how a kernel runs.
//
// decides: how each kernel runs: tasks, lanes, tiles, residency, families.

#ifndef SINTER_PASSES_SCHEDULE_H
#define SINTER_PASSES_SCHEDULE_H

#include "capi/pass.h"
#include "dialect/dialect.h"

typedef struct {
  const char *target;   // "cpu" or "gpu"
  const char *chip;     // of the GPU, as ptxas names it
  int64_t vector_bits;  // of the CPU's registers
  int64_t registers;    // of so many bits, that it has
  int64_t prefetch; // bytes ahead that a CPU's loops over long operands ask for; 0: the processor looks ahead far
                    // enough by itself
  const char *features; // instructions that the CPU has beyond its architecture's, by LLVM's names, commas between
  bool clocks;          // of a GPU: kernels that have phases keep when blocks began and ended them
  bool allow_tf32;      // a GPU may round the sides of products in f32 to tf32
  bool f32_parts;       // f32 may be taken as sums of three bf16
  int64_t parts_from;   // bytes of products in f32 from which on a GPU takes rows that are multiplied again so, unasked
  const char *tuning;   // a file of measured schedules; "": none
  const SnTable *given; // of weights: those that are not packed before the program runs; NULL: none
} SnScheduleOptions;

// What a pass is told of the CPU that it asks schedules of: `member` of its options, a SnScheduleOptions.
#define SN_CPU_OPTIONS(options, member)                                                                                \
  {SN_OPTION_INT, "vector-bits", "bits of a CPU's vector register: 512, 256 or 128", "512", NULL,                      \
   offsetof(options, member.vector_bits)},                                                                             \
      {SN_OPTION_INT, "registers", "how many of these a CPU has", "32", NULL, offsetof(options, member.registers)},    \
      {SN_OPTION_STRING, "features",                                                                                   \
       "instructions that a CPU has beyond its architecture's, by LLVM's names, with commas: 'avx2,fma'",              \
       "avx2,fma,avx512f", NULL, offsetof(options, member.features)},                                                  \
      {SN_OPTION_BOOL, "f32-parts", "f32 may be multiplied as sums of three bf16", "false", NULL,                      \
       offsetof(options, member.f32_parts)}

// ---- padded_windows.c: passes in front of scheduling that ask what a CPU's kernels would be ----

typedef struct {
  SnScheduleOptions schedule;
  int64_t least_work; // of multiplications, from which on more kernels are worth what they save
} SnAhead;
extern const SnOption sn_ahead_options[]; // of a SnAhead
// `each` of every function, with a SnAhead as its user.
MlirLogicalResult sn_run_ahead(const SnRun *run, MlirOperation root,
                               MlirLogicalResult (*each)(MlirOperation func, void *user));

// ---- schedules -------------------------------------------------------------------------

// Bytes of products in f32 from which on a GPU multiplies rows that are multiplied again in parts.
static inline int64_t sn_parts_from(const SnScheduleOptions *o) { return o->f32_parts ? 0 : o->parts_from; }

// The schedule of a form, or null after a remark if the target has none for it.
MlirAttribute sn_schedule_cpu_rows(const SnForm *form, const SnScheduleOptions *options);
MlirAttribute sn_schedule_gpu_rows(const SnForm *form, const SnScheduleOptions *options);
MlirAttribute sn_schedule_gpu_products(const SnForm *form, const SnScheduleOptions *options);
// Null without a remark where the form is no product of few rows, or other kernels are faster.
MlirAttribute sn_schedule_gpu_streams(const SnForm *form, const SnScheduleOptions *options);
// The same where it is no convolution of f32.
MlirAttribute sn_schedule_gpu_windows(const SnForm *form, const SnScheduleOptions *options);
MlirAttribute sn_schedule_gpu_layers(const SnForm *form, const SnScheduleOptions *options);
// What family i of the GPU's table makes of a form on a chip that sn_gpu_chip knows, null where it does not fit; false
// behind the last.
bool sn_schedule_gpu_family(const SnForm *form, const char *chip, size_t i, MlirAttribute *schedule);
// The same of tile i of products; of rows that go through several products whole.
bool sn_schedule_gpu_tile(const SnForm *form, const SnScheduleOptions *options, size_t i, MlirAttribute *schedule);
bool sn_schedule_gpu_layer_tile(const SnForm *form, const SnScheduleOptions *options, size_t i,
                                MlirAttribute *schedule);
MlirAttribute sn_schedule_brgemm(const SnForm *form, const SnScheduleOptions *options);
// Which reads windows of an image where they lie.
bool sn_schedule_reads_windows(const SnForm *form, const SnScheduleOptions *options);
// The weights of all products are constants, or arguments that a host packs, and this kernel would take them packed
// (passes/schedule/pack_weights.c).
bool sn_schedule_packs(const SnForm *form, const char *kernel, const SnScheduleOptions *options);
// The schedule is of a contract that takes its weights packed.
bool sn_schedule_is_packed(MlirAttribute schedule);
// A host packs one of them (sinter.pack): there is no choice.
bool sn_schedule_must_pack(const SnForm *form);
// Weights that not all their readers take packed alike go to `given`, and those of them whose schedules were `chosen`
// lose them. Whether there were any.
bool sn_schedule_give_up_packing(MlirOperation root, const SnTable *chosen, SnTable *given);
// What kernel i of the table of micro-kernels makes of a contract, null where a product or the CPU cannot have it;
// false behind the last.
bool sn_schedule_cpu_kernel(const SnForm *form, const SnScheduleOptions *options, size_t i, MlirAttribute *schedule);
// All products of a contract have a line of the table of micro-kernels by this name, and the CPU what it needs.
bool sn_schedule_kernel_runs(const SnForm *form, const char *kernel, const char *features);
MlirAttribute sn_schedule_steps(MlirOperation steps, const SnScheduleOptions *options);
// Of a sequence whose forms have theirs, for a GPU.
MlirAttribute sn_schedule_gpu_sequence(MlirOperation sequence, const SnScheduleOptions *options);
// Forms of a sequence for a GPU that each block computes get it said.
void sn_schedule_gpu_repeated(MlirOperation sequence);
// For a CPU: what it waits for, and how its forms run, where it does not say so yet.
void sn_schedule_cpu_sequence(MlirOperation sequence);

// ---- measured schedules (passes/schedule/tuning.c) -------------------------------------

// What a form, or a sinter.steps, is known by in any program; its schedule has no part in it.
typedef struct {
  char text[400];
} SnFingerprint;
SnFingerprint sn_fingerprint(MlirOperation op);

typedef struct {
  char target[8], form[400]; // form: a fingerprint
  MlirAttribute schedule;
  unsigned line;
} SnTuned;
typedef SN_VEC(SnTuned) SnTuning; // free with sn_vec_free

// Reads a tuning file; what is wrong is reported at its line.
MlirLogicalResult sn_tuning_read(MlirContext ctx, const char *path, SnTuning *tuning);
// The schedule that is there for a form; null if none is.
MlirAttribute sn_tuned(const SnTuning *tuning, const char *target, MlirOperation op);

// ---- what schedulers share ---------------------------------------------------------------

// Columns of one vector: as many of the widest elements that the body computes as fill a register, no
// more than `length`, a power of two.
int64_t sn_schedule_lanes(const SnForm *form, int64_t vector_bits, int64_t length);
// Vectors of one step of a column loop that reduces.
int64_t sn_schedule_unroll(const SnForm *form, int64_t lanes);

#endif
