// lsp_docs.c: sections of the generated reference, which is embedded.
//
//   ### `sinter.pick` (::sinter::PickOp)
//   _One element of a row by its index_           <- from here
//   ...
//   Traits: `AlwaysSpeculatableImplTrait`         <- to here: tables of types say no more than the IR
//
// test: test/tools/sinter-lsp-server.test

#include "tools/lsp_docs.h"
#include <stdio.h>
#include <string.h>

static const unsigned char dialect[] = {
#include "docs/dialect.inc"
    0};
static const unsigned char library[] = {
#include "docs/library.inc"
    0};

static size_t section(const char *all, const char *heading, const char **text) {
  const char *at = strstr(all, heading);
  at = at ? strchr(at + 1, '\n') : NULL;
  if (!at)
    return 0;
  at += strspn(at, "\n");
  static const char *const ends[] = {"\n## ", "\n### ", "\n#### ", "\nTraits: ", "\nInterfaces: ", "\nEffects: "};
  size_t n = strlen(at);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
    const char *end = strstr(at, ends[i]);
    n = end && (size_t)(end - at) < n ? (size_t)(end - at) : n;
  }
  *text = at;
  return n;
}

size_t lsp_docs(const char *op, size_t length, const char **text) {
  char heading[128];
  int n = snprintf(heading, sizeof heading, "\n### `%.*s`", (int)length, op);
  if (n < 0 || (size_t)n >= sizeof heading)
    return 0;
  n = (int)section((const char *)library, heading,
                   text); // what a definition says is closer than what all of them share
  return n ? (size_t)n : section((const char *)dialect, heading, text);
}
