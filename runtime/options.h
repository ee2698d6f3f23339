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
  bool repeats; // may be given more than once
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

// What is said of two options. The last row of a table has an option of NULL.
typedef struct SinterOptionRule {
  const char *option;
  enum { SINTER_OPTION_NEEDS, SINTER_OPTION_EXCLUDES } what;
  const char *others; // "verify expect": has no effect without one of them; or they have none with it
  const char *why;    // "nothing is compared": follows a colon
} SinterOptionRule;

// Who reads a command line says which options it had; names are not copied.
void sinter_option_note(const char *name);
bool sinter_option_given(const char *name);

// Calls set, and notes that the option was given. What is wrong with the value, or with giving the option again.
const char *sinter_option_take(const SinterOption *option, void *to, const char *value);

// Whether the options that were given go together; if not, the error has been printed.
bool sinter_options_check(const SinterOptionRule *rules, const char *program);

#ifdef __cplusplus
}
#endif

#endif
