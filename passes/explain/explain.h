// explain.h: private to passes/explain. The kernels of a program before and after fusion, and why they are so many.
//
// decides: what is said of kernels, and of those that stayed two.

#ifndef SINTER_PASSES_EXPLAIN_H
#define SINTER_PASSES_EXPLAIN_H

#include "passes/fuse/fuse.h"
#include "passes/schedule/schedule.h"
#include <stdio.h>

typedef SN_VEC(MlirLocation) SnLocations;
typedef SN_VEC(size_t) SnIndices;

// A kernel, or an operation that stays outside.
typedef struct {
  MlirOperation op;      // null if only recorded
  char *what;            // "sinter.rowwise (i = 37) by (j = 131)"
  char *why;             // an operation outside: why it stays there, or NULL
  char *computes;        // "sum(exp(a - b))"; NULL: not known
  char *reads_what;      // "60 B + 4 B": each operand; NULL if there is one
  char *families;        // lines of how it runs, and why no earlier family; NULL: a form that has no table
  bool outside;
  double in, out;        // bytes that it reads and writes
  SnLocations lines;     // of the program, that it stands for
  SnIndices made_of;     // numbers of recorded nodes, by its location
  SnIndices reads;       // nodes whose results it reads
  SnIndices parts;       // of a node after fusion: what it was made of; before: what it became part of
} SnNode;
typedef SN_VEC(SnNode) SnNodes;

// Two kernels that could have been one.
typedef struct {
  size_t a, b; // a before b
  double flows; // bytes from a to b; 0: they read the same
  char *why;
  MlirLocation line; // where b reads it
} SnBoundary;

typedef struct {
  SnNodes before, after; // before is empty if nothing was recorded
  SN_VEC(SnBoundary) boundaries;
  const char *name, *policy; // of the function; that fusion ran with
} SnExplanation;

double sn_total_bytes(const SnNodes *nodes);
// "37 B", "1.5 KiB"
typedef struct {
  char text[24];
} SnAmount;
SnAmount sn_amount(double bytes);
// "model.mlir:12:8", or "unknown"; the text of that line if the file can be read, else NULL. Owned by explain/source.c
// until sn_source_free.
const char *sn_line_name(MlirLocation line);
const char *sn_line_text(MlirLocation line);
void sn_source_free(void);
// The lines that a location stands for.
void sn_lines(MlirLocation location, SnLocations *to);

// explain/tags.c: an operation's number in its location, all numbers that a location has, and locations without them
// again.
void sn_tag(MlirOperation op, size_t number);
void sn_tags(MlirLocation location, SnIndices *to);
void sn_untag(MlirOperation func);
// explain/families.c: how a form that multiplies its rows again runs, by the table of schedules, and why not otherwise,
// as lines of text; NULL for other forms. Free it.
char *sn_explain_families(MlirOperation form, const SnScheduleOptions *target);

// explain/formula.c: what a form computes. Free it.
char *sn_formula(MlirOperation form);

void sn_explain_text(const SnExplanation *e, FILE *to);
// One section of a page for each function.
void sn_explain_html_begin(FILE *to);
void sn_explain_html(const SnExplanation *e, FILE *to);
void sn_explain_html_end(FILE *to);

#endif
