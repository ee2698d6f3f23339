// doc.h: the parts of sinter-doc.

#ifndef SINTER_TOOLS_DOC_H
#define SINTER_TOOLS_DOC_H

// The page of the library's definitions, to stdout. Returns 1 if a file does not parse.
int sn_print_library(void);

#endif
