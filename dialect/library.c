// library.c: the definitions that every program can use, as text.
//
// Each file of dialect/library is embedded as it is; cmake/SinterLibrary.cmake lists them.
//
// new loss: a file of dialect/library.

#include "dialect/definition.h"

const SnLibraryFile sn_library[] = {
#include "dialect/library.inc"
    {0}};
