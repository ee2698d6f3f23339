// explain.h: private to passes/explain. The kernels of a program before and after fusion, and why they are so many; and
// which wait for which where several share a launch.
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
// What a file says, a page without its end: for more to be said behind it. NULL: nothing. Free it.
char *sn_explain_said(const char *path);
#define SN_EXPLAIN_PAGE_END "</body></html>\n"
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

// The kernels that stand in an operation, in order, and operations that stay outside; and free them.
void sn_explain_nodes(MlirOperation op, SnNodes *to);
void sn_explain_free_nodes(SnNodes *nodes);
// A new string, of 1023 characters at most.
char *sn_explain_format(const char *text, ...) __attribute__((format(printf, 1, 2)));

void sn_explain_text(const SnExplanation *e, FILE *to);
// One section of a page for each function.
void sn_explain_html_begin(FILE *to);
void sn_explain_html(const SnExplanation *e, FILE *to);
void sn_explain_html_end(FILE *to);
// Text that is safe in a page: n characters at most.
void sn_explain_html_put(const char *s, size_t n, FILE *to);

// ---- explain/tasks.c: the forms of a sequence, and what they wait for --------------------------------

// Form `from` makes what form `to` reads; or, with no bytes, `to` waits for it all the same. Where `from` is no earlier
// form, that is of the turn before; where `begins` is set, a loop begins with it, and later turns read another.
typedef struct {
  size_t from, to;
  double bytes;
  bool begins;
} SnTaskFlow;

// Forms first .. first + period - 1, `times` times over: layers, or steps. Those of a loop stand there once.
typedef struct {
  size_t first, period, times;
  bool loop;
} SnTaskRepeat;

typedef struct {
  SnNodes forms;
  char **work;             // of each form: "12 tasks"; NULL: not known
  int64_t *phase, *waits;  // of each form
  bool on_gpu;             // phases wait for each other, and not forms
  bool by_turns;           // on a CPU one task has all of them
  int64_t blocks, threads; // of the launch, on a GPU
  int64_t all_forms, all_phases; // each turn of a loop counted
  SN_VEC(SnTaskFlow) flows;
  SN_VEC(SnTaskRepeat) repeats;
} SnTasks;

SnTasks sn_tasks_read(MlirOperation sequence);
void sn_tasks_free(SnTasks *t);
// The form of the first time that stands for form k; k itself if it is none of a later time.
size_t sn_tasks_shown(const SnTasks *t, size_t k);
// What begins with form k, or NULL.
const SnTaskRepeat *sn_tasks_repeat(const SnTasks *t, size_t k);
double sn_tasks_inner(const SnTasks *t, size_t k); // bytes of other forms that form k reads
void sn_tasks_text(const SnTasks *t, const char *name, size_t number, FILE *to);
void sn_tasks_html(const SnTasks *t, const char *name, size_t number, FILE *to);

#endif
