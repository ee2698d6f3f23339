// names.h: what the names of a program become: symbols inside of it, names in C outside.
//
// A function of a program may have any name that is text. Inside, every symbol has a name of ours, made of
// the program's: nothing that a lowering declares later (exp, memset, sinter_rt_call) can mean it. Outside, it
// has one name in C:
//
//   PROGRAM_FUNCTION             the call                    model_main
//   PROGRAM_FUNCTION_workspace   bytes of workspace          model_main_workspace
//   PROGRAM_FUNCTION_shapes      sizes of results            model_main_shapes
//   PROGRAM_library              the table of functions      model_library
//
// PROGRAM is what --name says, or the file's name. Bytes that C has not in names become `_`. There is
// no escape: two functions that would have one name, and a name that C, its library or the runtime has, are
// refused.
//
// docs/host-abi.md says the same to users.

#ifndef SINTER_LOWERING_NAMES_H
#define SINTER_LOWERING_NAMES_H

#include "capi/sn.h"

#ifdef __cplusplus
extern "C" {
#endif

// A host reads the library's table from the symbol of this name.
#define SN_LIBRARY "sinter_library"

// Whether a name can be printed on one line, by anybody: UTF-8 without control characters.
bool sn_is_text(MlirStringRef name);

// ---- inside: for LLVM, ptxas and linkers. Free with free.

// What is made for a function is named after this: letters, digits and `_`, 100 bytes at most.
char *sn_symbol_base(MlirOperation func);
// BASE and suffix, with a number behind it if there is such a symbol. Who makes the operation inserts it.
char *sn_new_symbol(MlirSymbolTable symbols, const char *base, const char *suffix);

// ---- outside

// PROGRAM, from the path of its file. Free with free.
char *sn_program_name(const char *path);
// What is wrong with a PROGRAM that somebody chose; NULL if nothing is.
const char *sn_wrong_program_name(const char *name);

// The name in C of a function, with _ and `suffix` behind it if that is not NULL. Free with free.
char *sn_c_name(const char *program, MlirStringRef function, const char *suffix);

// Whether every function of a lowered module has a name in C of its own. Errors are at the functions.
MlirLogicalResult sn_check_c_names(MlirOperation module, const char *program);

#ifdef __cplusplus
}
#endif

#endif
