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
// ("cpu", "gpu"), "policy" ("disabled", "medium", "aggressive"), "wrt" ("0,2"), "upstream", "entry", "cpu", "chip",
// "ptx", "tuning", "name", "input-dialect", "without"; and "cache", a folder, with "cache-size", in bytes.
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

#ifdef __cplusplus
}
#endif

#endif
