// check.h: what the tests of runtime/ say when something is wrong.

#ifndef SINTER_TEST_RUNTIME_CHECK_H
#define SINTER_TEST_RUNTIME_CHECK_H

#include <stdio.h>
#include <string.h>

static int failures;

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                      \
      failures++;                                                                                  \
    }                                                                                              \
  } while (0)

#define CHECK_TEXT(got, want)                                                                      \
  do {                                                                                             \
    const char *check_got = (got), *check_want = (want);                                           \
    if (strcmp(check_got, check_want) != 0) {                                                      \
      fprintf(stderr, "%s:%d: got  %s\n%s:%d: want %s\n", __FILE__, __LINE__, check_got, __FILE__, \
              __LINE__, check_want);                                                               \
      failures++;                                                                                  \
    }                                                                                              \
  } while (0)

#endif
