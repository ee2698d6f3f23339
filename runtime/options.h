// options.h: a tool's command line from one table.

#ifndef SINTER_RUNTIME_OPTIONS_H
#define SINTER_RUNTIME_OPTIONS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// A row: --name, --name=ARGUMENT or --name[=ARGUMENT]. The last row of a table
// has a name of NULL.
typedef struct SinterOption {
  const char *name;
  const char *argument; // "FILE"; "[SECONDS]": may be left out; NULL: none
  const char *help;
  // Takes the value (NULL if it was left out) into to; answers what is wrong
  // with it ("is not a number"), or NULL.
  const char *(*set)(void *to, const char *value);
} SinterOption;

typedef enum SinterParsed {
  SINTER_PARSED,      // *rest is the index of the first argument that is no option
  SINTER_PARSED_HELP, // --help or --version was asked for, and printed
  SINTER_PARSED_BAD,  // the reason has been printed
} SinterParsed;

// Options may follow other arguments, which argv then holds last. usage is the
// line after "usage: ".
SinterParsed sinter_options_parse(const SinterOption *table, void *to, const char *usage, int argc,
                                  char **argv, int *rest);

#ifdef __cplusplus
}
#endif

#endif
