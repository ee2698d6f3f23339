// common_link.h: what sinter-cc writes besides machine code.

#ifndef SINTER_TOOLS_COMMON_LINK_H
#define SINTER_TOOLS_COMMON_LINK_H

#include "tools/common.h"

#ifdef __cplusplus
extern "C" {
#endif

// Writes bytes to a file, which appears whole or stays as it is.
SinterExit tool_write(const Tool *tool, const char *path, const char *bytes, size_t size, bool executable);

// Links an object in memory with the runtime, by the system's `cc`: into a shared library that shows what the object
// exports and nothing else, or into an archive of one object, if `archive` is the program's name in C.
SinterExit tool_link(const Tool *tool, const char *path, const char *object, size_t size, const char *archive,
                     bool gpu);

// Writes the C header of a lowered module: its functions, and how to call them. `name` is the program's in C.
SinterExit tool_header(const Tool *tool, const char *path, MlirModule module, const char *name, bool gpu);

#ifdef __cplusplus
}
#endif

#endif
