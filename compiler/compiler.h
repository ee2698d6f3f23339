// compiler.h: the compiler for programs that embed it. Installed as <sinter/compiler.h>.
//
// For whoever links with libSinterCompiler.so, from C or C++; needs the headers of mlir-c (LLVM 22) and DLPack. A
// program in text, compiled and called:
//
//   SinterCompiler *compiler = sinter_compiler_create();
//   SinterProgram *program;
//   const SinterLibrary *library;
//   sinter_compiler_set_handler(compiler, print, NULL);
//   if (sinter_compiler_compile_text(compiler, text, strlen(text), "model.mlir", &program) == SINTER_COMPILER_OK &&
//       sinter_program_load(compiler, program, &library) == SINTER_COMPILER_OK)
//     library->functions[0].call(inputs, outputs, NULL, NULL);
//   sinter_program_destroy(program);
//   sinter_compiler_destroy(compiler);
//
// * Nothing is printed, and no signal is touched. What is wrong goes to the handler: a function that answers something
//   other than SINTER_COMPILER_OK has told at least one error, one that answers SINTER_COMPILER_OK none.
// * Compilers may be used from several threads at once while nobody changes their options, contexts of MLIR as MLIR
//   allows: a module is compiled by one thread at a time. A handler is called on the thread that asked, or, where its
//   context has threads, on one of these, one call after another.
// * What ends the process is what ends every program with LLVM in it: its own fatal errors, and no memory while it
//   compiles.
// * Structs grow at their end and objects are opaque, so that a program runs with later libraries of one
//   SINTER_COMPILER_API.
//
// docs/c-api.md is the page on this header.

#ifndef SINTER_COMPILER_H
#define SINTER_COMPILER_H

#include "mlir-c/AffineMap.h"
#include "mlir-c/IR.h"
#include <sinter/abi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SINTER_EXPORTED __attribute__((visibility("default")))

// Changes whenever a program that was built before the change would break.
#define SINTER_COMPILER_API 1

// Of the library that is loaded: its SINTER_COMPILER_API, and its version in words, "0.1.0".
SINTER_EXPORTED int32_t sinter_compiler_api(void);
SINTER_EXPORTED const char *sinter_compiler_version(void);

enum SinterCompilerStatus {
  SINTER_COMPILER_OK = 0,
  SINTER_COMPILER_BAD_INPUT = 1,    // an option, an argument, a file
  SINTER_COMPILER_NOT_COMPILED = 2, // the program is wrong, or something that compiling it needs is missing
};

// ---- who is told (compiler/report.c) ---------------------------------------------------

enum SinterSeverity {
  SINTER_SEVERITY_ERROR = 0,
  SINTER_SEVERITY_WARNING = 1,
  SINTER_SEVERITY_REMARK = 2,
  SINTER_SEVERITY_NOTE = 3, // on the one before
};

// Lives as long as the handler's call.
typedef struct SinterDiagnostic {
  size_t size;          // of this struct, in the library
  int32_t severity;     // SinterSeverity
  int32_t line, column; // in the file, from 1; 0: none
  const char *file;     // "": it is about no place in a file
  const char *message;  // in words, without a newline at its end
} SinterDiagnostic;

typedef void (*SinterDiagnosticHandler)(void *user, const SinterDiagnostic *diagnostic);

// ---- a compiler: options, and who is told (compiler/compiler_options.c) -----------------

typedef struct SinterCompiler SinterCompiler;

// NULL: no memory.
SINTER_EXPORTED SinterCompiler *sinter_compiler_create(void);
// What it compiled lives on. NULL is nothing.
SINTER_EXPORTED void sinter_compiler_destroy(SinterCompiler *compiler);

// NULL, the default: nobody is told.
SINTER_EXPORTED void sinter_compiler_set_handler(SinterCompiler *compiler, SinterDiagnosticHandler handler, void *user);

// Sets an option; `value` is copied, NULL for those that take none. The options are those of sinter-cc: "target"
// ("cpu", "gpu"), "policy" ("disabled", "medium", "aggressive"), "wrt" ("0,w"), "result", "upstream", "entry", "cpu",
// "chip", "ptx", "allow-tf32", "f32-parts", "half-weights", "launches", "clocks", "again", "tuning", "constants",
// "name", "input-dialect", "after", "without", "verify-each"; and "cache", a folder, with "cache-size", in bytes.
SINTER_EXPORTED int32_t sinter_compiler_set(SinterCompiler *compiler, const char *option, const char *value);
// Option number i with its argument ("FILE"; NULL: none) and what it is for, in one line. False behind the last.
SINTER_EXPORTED bool sinter_compiler_option(size_t i, const char **name, const char **argument, const char **help);

// ---- mlir-c (compiler/registration.c) ----------------------------------------------------

MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Sinter, sinter);

// Sinter's dialect, and all that its roads read and write. Registered twice is registered.
SINTER_EXPORTED void sinter_register_dialects(MlirDialectRegistry registry);
// Sinter's passes and pipelines, and upstream's, for text pipelines ("builtin.module(sinter-prepare,sinter-raise)").
// The functions below do it by themselves. Not while another thread registers or parses pipelines.
SINTER_EXPORTED void sinter_register_passes(void);
// A context of the caller's gets what sinter_register_dialects has, and translations to LLVM IR. The functions below
// do it by themselves.
SINTER_EXPORTED void sinter_prepare_context(MlirContext context);

// ---- programs (compiler/program.c) --------------------------------------------------------

// Parses a program, `size` bytes, into a module of the caller's context. `name` is the file's in messages.
SINTER_EXPORTED int32_t sinter_compiler_parse(const SinterCompiler *compiler, MlirContext context, const char *text,
                                              size_t size, const char *name, MlirModule *module);

// Runs the target's road on the caller's module, in place: behind the rung `after` (NULL: from the beginning), up to
// and with the rung `until` (NULL: to the end). Rungs: expanded, prepared, raised, differentiated, fused, scheduled,
// outlined, lowered; for a GPU kernels and binary, too. After an error the module is anywhere on the road.
SINTER_EXPORTED int32_t sinter_compiler_run(const SinterCompiler *compiler, MlirModule module, const char *after,
                                            const char *until);

// A compiled program: machine code in memory. It needs no context, and no compiler.
typedef struct SinterProgram SinterProgram;

// Compiles the module, which stays as it is, or text. *program is NULL after an error, else the caller's to destroy.
SINTER_EXPORTED int32_t sinter_compiler_compile(const SinterCompiler *compiler, MlirModule module,
                                                SinterProgram **program);
SINTER_EXPORTED int32_t sinter_compiler_compile_text(const SinterCompiler *compiler, const char *text, size_t size,
                                                     const char *name, SinterProgram **program);

// Links the program into this process, with a runtime of its own, and without a file or a process of others. The same
// library each time. It lives as long as the program, and no call runs when that is destroyed.
SINTER_EXPORTED int32_t sinter_program_load(const SinterCompiler *compiler, SinterProgram *program,
                                            const SinterLibrary **library);
// The function of that name, NULL if there is none.
SINTER_EXPORTED const SinterFunction *sinter_library_function(const SinterLibrary *library, const char *name);

// Writes a file by its suffix: .so or .a (linked by the system's cc), .o, or the .h that says how to call it. It
// appears whole, or what was there stays.
SINTER_EXPORTED int32_t sinter_program_write(const SinterCompiler *compiler, const SinterProgram *program,
                                             const char *path);
// Whether it came from the cache.
SINTER_EXPORTED bool sinter_program_was_cached(const SinterProgram *program);
// NULL is nothing.
SINTER_EXPORTED void sinter_program_destroy(SinterProgram *program);

// ---- forms (compiler/form_api.c) ------------------------------------------------------------
//
// A kernel form, sinter.rowwise or sinter.contract (docs/row-programs.md), with what it says as plain data. Values,
// types, maps and names are the context's. What a form reads and writes are accesses: a value and an affine map from
// the form's dimensions, which are numbered rows first, then columns, then those of each product, to subscripts of the
// value.

typedef struct SinterForm SinterForm;

enum SinterFormPart {
  SINTER_FORM_ROWS = 0,     // dimensions
  SINTER_FORM_COLUMNS = 1,  // dimensions
  SINTER_FORM_PRODUCTS = 2, // each with dimensions of its own
  SINTER_FORM_INPUTS = 3,   // accesses: of a contract its products' sides first
  SINTER_FORM_INDICES = 4,  // accesses: index tensors, which symbols of inputs' maps stand for
  SINTER_FORM_OUTPUTS = 5,  // accesses: destinations
  SINTER_FORM_ACCUMULATORS = 6,
  SINTER_FORM_GROUPS = 7,   // of columns
  SINTER_FORM_MATRICES = 8, // that rows are multiplied by
  SINTER_FORM_SIDES = 9,    // of products and matrices, where some are more than one access
};

// NULL: the operation is no form. It stays the module's; the SinterForm is the caller's to destroy, and knows nothing
// of changes to the operation.
SINTER_EXPORTED SinterForm *sinter_form_read(MlirOperation operation);
// An empty one, to be filled and built.
SINTER_EXPORTED SinterForm *sinter_form_create(void);
SINTER_EXPORTED void sinter_form_destroy(SinterForm *form);

// How many there are of a SinterFormPart; -1: there is no such part.
SINTER_EXPORTED intptr_t sinter_form_count(const SinterForm *form, int32_t part);
// Dimension i of all, which product's own are among; size INT64_MIN: not known. False: there is none.
SINTER_EXPORTED bool sinter_form_dimension(const SinterForm *form, intptr_t i, MlirStringRef *name, int64_t *size);
// Access i of inputs, indices or outputs. `fill` is read out of range, null: nothing is; `through` says which of the
// indices each symbol of the map is, null: it has none.
SINTER_EXPORTED bool sinter_form_access(const SinterForm *form, int32_t part, intptr_t i, MlirValue *value,
                                        MlirAffineMap *map, MlirAttribute *fill, MlirAttribute *through);
// Product i: how many dimensions are its own, and the type of its sums.
SINTER_EXPORTED bool sinter_form_product(const SinterForm *form, intptr_t i, intptr_t *dimensions, MlirType *type);
// Accumulator i: how it combines ("add", "maximumf", ...), its subscripts, its type.
SINTER_EXPORTED bool sinter_form_accumulator(const SinterForm *form, intptr_t i, MlirStringRef *kind,
                                             MlirAffineMap *map, MlirType *type);
// Side i: its first input and how many it has; its program over them, a null block where it is its one access.
SINTER_EXPORTED bool sinter_form_side(const SinterForm *form, intptr_t i, intptr_t *first, intptr_t *count,
                                      MlirBlock *program);
// The row program, and the one behind all rows: null where there is none, or the form is not built.
SINTER_EXPORTED MlirBlock sinter_form_body(const SinterForm *form);
SINTER_EXPORTED MlirBlock sinter_form_finish(const SinterForm *form);
SINTER_EXPORTED MlirAttribute sinter_form_schedule(const SinterForm *form); // null: none

// Fills a form: rows, then columns, then each product followed by its dimensions; accesses and accumulators in any
// place. Forms with several groups of columns, matrices or programs of sides are written in text.
SINTER_EXPORTED void sinter_form_add_row(SinterForm *form, MlirStringRef name, int64_t size);
SINTER_EXPORTED void sinter_form_add_column(SinterForm *form, MlirStringRef name, int64_t size);
SINTER_EXPORTED void sinter_form_add_product(SinterForm *form, MlirType type);
SINTER_EXPORTED void sinter_form_add_product_dimension(SinterForm *form, MlirStringRef name, int64_t size);
SINTER_EXPORTED void sinter_form_add_access(SinterForm *form, int32_t part, MlirValue value, MlirAffineMap map,
                                            MlirAttribute fill, MlirAttribute through);
SINTER_EXPORTED void sinter_form_add_accumulator(SinterForm *form, MlirStringRef kind, MlirAffineMap map,
                                                 MlirType type);
SINTER_EXPORTED void sinter_form_set_schedule(SinterForm *form, MlirAttribute schedule);
// Makes the operation, in front of `before`, or at the end of the block where that is null: with a body whose block has
// its arguments and is empty, and with a finish if asked for one. The caller fills both, down to a sinter.yield.
// Destinations that are tensors come back as results. An error where the parts do not fit each other.
SINTER_EXPORTED int32_t sinter_form_build(const SinterCompiler *compiler, SinterForm *form, MlirLocation location,
                                          MlirBlock block, MlirOperation before, bool with_finish,
                                          MlirOperation *operation);

// A schedule, #sinter.KIND<...>, of a dictionary: the keys that it leaves out have their defaults. KINDs and keys are
// in build/docs/dialect.md.
SINTER_EXPORTED int32_t sinter_schedule_create(const SinterCompiler *compiler, MlirLocation location, const char *kind,
                                               MlirAttribute dictionary, MlirAttribute *schedule);
// Its KIND, NULL of what is no schedule, and its dictionary with all keys, null then.
SINTER_EXPORTED const char *sinter_schedule_kind(MlirAttribute schedule);
SINTER_EXPORTED MlirAttribute sinter_schedule_dictionary(MlirAttribute schedule);
// Gives a form's operation a schedule, which the roads then keep; null takes it away. An error where it does not fit,
// and the operation has what it had.
SINTER_EXPORTED int32_t sinter_schedule_set(const SinterCompiler *compiler, MlirOperation form, MlirAttribute schedule);

#ifdef __cplusplus
}
#endif

#endif
