// job.h: what the files of the compiler share: its options, who is told, and one thing that is being done.
//
// decides: how the compiler is used from outside: options, messages, roads, machine code in memory, in files, in a
// cache.

#ifndef SINTER_COMPILER_JOB_H
#define SINTER_COMPILER_JOB_H

#include "capi/sn.h"
#include "compiler/compiler.h"
#include "lowering/serialise.h"
#include "mlir-c/Pass.h"
#include "runtime/options.h"
#include "runtime/symbols.h"
#include <pthread.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- a compiler (compiler/compiler_options.c) -------------------------------------------

struct SinterCompiler {
  const char *policy, *without, *launches, *sums, *input_dialect, *wrt, *result, *tuning, *constants; // of the roads
  const char *cpu, *chip, *entry, *after, *name, *cache, *again, *parts_from;                         // NULL: not given
  const char *constants_path; // of a file that the library maps for them (SnSerialise.constants); NULL: it holds them
  int64_t cache_bytes;
  bool gpu, ptx, upstream, verify_each, allow_tf32, f32_parts, half_weights, clocks;
  SN_VEC(char *) texts; // copies that it owns
  SinterDiagnosticHandler handler;
  void *user;
  bool (*configure)(MlirPassManager pm); // of a tool: its own options take effect; NULL: nothing. It says why not
};

#define SN_COMPILER_DEFAULTS                                                                                           \
  {.policy = "medium",                                                                                                 \
   .without = "nothing",                                                                                               \
   .launches = "given",                                                                                                \
   .sums = "same",                                                                                                     \
   .input_dialect = "linalg",                                                                                          \
   .wrt = "",                                                                                                          \
   .result = "0",                                                                                                      \
   .tuning = "",                                                                                                       \
   .constants = "",                                                                                                    \
   .cache_bytes = (int64_t)1 << 30}

// Options for a SinterCompiler, of the API and of the tools: what every road takes; of fusion, to compare; of a
// library; where it is kept.
extern const SinterOption sn_road_options[], sn_without_options[], sn_library_options[], sn_cache_options[];

// What is wrong with options that are right alone, as a tool says it, written to `text`; NULL: nothing.
const char *sn_wrong_options(const SinterCompiler *compiler, char *text, size_t size);

// Whether `wrt` has names, which the text of a program has and a module has not (sn_shim_parse).
bool sn_wants_names(const SinterCompiler *compiler);

// What is wrong with the name of a file that goes into a pipeline's text; NULL: nothing.
const char *sn_wrong_file(const char *value);
// The same of a list of arguments, and of a result's number.
const char *sn_wrong_wrt(const char *value);
const char *sn_wrong_result(const char *value);

// ---- something that is done (compiler/report.c) -------------------------------------------

typedef struct SnJob {
  const SinterCompiler *compiler;
  const char *file; // what messages and headers call the program's file
  int errors;       // told so far, of this job
} SnJob;

// Tells an error; answers the status.
int32_t sn_job_error(SnJob *job, int32_t status, const char *format, ...) __attribute__((format(printf, 3, 4)));
void sn_job_warning(SnJob *job, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Between begin and end diagnostics of the context go to the job.
MlirDiagnosticHandlerID sn_job_begin(SnJob *job, MlirContext ctx);
void sn_job_end(MlirContext ctx, MlirDiagnosticHandlerID id);

// ---- roads (compiler/road.c) ---------------------------------------------------------------

// An option of a road; lists end with a name of NULL, and what is not there has its default.
typedef struct SnSetting {
  const char *name, *value;
} SnSetting;

int32_t sn_road_run(SnJob *job, MlirModule module, const char *road, const SnSetting *settings, const char *after,
                    const char *until);
// The road of the compiler's target, for its processor.
int32_t sn_road(SnJob *job, MlirModule module, const char *after, const char *until);

// Makes every function but `entry` private, so that the road drops it. NULL: all stay; there must be one.
int32_t sn_select(SnJob *job, MlirModule module, const char *entry);

// ---- machine code ----------------------------------------------------------------------------

struct SinterProgram {
  char *object, *header; // header: text in C
  size_t object_size, header_size;
  char *constants; // the large ones, behind each other, aligned to SN_CONSTANT_ALIGNMENT; NULL: none
  size_t constants_size;
  bool constants_apart; // a file has them, not the library
  char *name;           // of the program in C; NULL: its functions are not called by name
  bool gpu, cached;
  pthread_mutex_t lock; // of what follows
  void *code;           // LLVMOrcLLJITRef
  void *runtime;        // of dlopen; NULL: another one's
  int runtime_file;     // that it was opened from
  const SinterLibrary *library;
};

// Compiles a module, which is used up, or takes what the cache has (compiler/program.c). `code`: an object too, not
// only the header.
int32_t sn_compile_cached(SnJob *job, MlirModule module, bool code, SinterProgram **program);
// Writes a program by the suffix of the path.
int32_t sn_program_write(SnJob *job, const SinterProgram *program, const char *path);
SinterProgram *sn_program_new(void);
// Machine code of a lowered module, and its constants.
int32_t sn_program_fill(SnJob *job, MlirModule module, SinterProgram *program);
// The same of a module whose object is there, which is copied.
void sn_program_take(SinterProgram *program, MlirModule module, LLVMMemoryBufferRef object);
// Room for so many bytes of constants.
void sn_program_room(SinterProgram *program, size_t constants);

// compiler/memory.c. `symbols` of a runtime that is there; NULL: one of its own.
int32_t sn_program_load(SnJob *job, SinterProgram *program, const SinterRtSymbol *symbols);
void sn_program_unload(SinterProgram *program);

// compiler/link.c
int32_t sn_write(SnJob *job, const char *path, const char *bytes, size_t size, bool executable);
// The program's object, with its constants.
int32_t sn_write_object(SnJob *job, const char *path, const SinterProgram *program);
// Links it with the runtime, by the system's `cc`: into a shared library that shows what the object exports and nothing
// else, or into an archive of one object.
int32_t sn_link(SnJob *job, const char *path, const SinterProgram *program, bool archive);
// All of a file (-: of stdin), with a 0 behind it; NULL with errno. Free with free.
char *sn_read_all(const char *path, size_t *size);

// compiler/header.c: the C header of a lowered module: its functions, and how to call them.
void sn_header(FILE *to, const char *from, MlirModule module, const char *name, bool gpu);

// ---- the cache (compiler/cache.c) -----------------------------------------------------------

// A place for what a module becomes; 64 digits. False where the compiler has no cache.
typedef struct SnCacheKey {
  char text[65];
} SnCacheKey;
bool sn_cache_key(SnJob *job, MlirModule module, SnCacheKey *key);
SinterProgram *sn_cache_find(SnJob *job, const SnCacheKey *key); // NULL: it is not there, or damaged
void sn_cache_keep(SnJob *job, const SnCacheKey *key, const SinterProgram *program);

#ifdef __cplusplus
}
#endif

#endif
