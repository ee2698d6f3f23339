// source.c: locations as lines of the user's file.
//
//   loc(fused["model.mlir":12:8, "model.mlir":14:8])  ->  model.mlir:12:8, model.mlir:14:8, and their texts
//
// runs in: explain    test: test/passes/explain/explain.mlir

#include "passes/explain/explain.h"
#include <sys/stat.h>

void sn_lines(MlirLocation location, SnLocations *to) {
  if (mlirLocationIsAFused(location)) {
    unsigned n = mlirLocationFusedGetNumLocations(location);
    MlirLocation *all = sn_alloc((n + 1) * sizeof *all);
    mlirLocationFusedGetLocations(location, all);
    for (unsigned i = 0; i < n; ++i)
      sn_lines(all[i], to);
    free(all);
  } else if (mlirLocationIsACallSite(location)) {
    sn_lines(mlirLocationCallSiteGetCallee(location), to);
  } else if (mlirLocationIsAName(location)) {
    sn_lines(mlirLocationNameGetChildLoc(location), to);
  } else if (mlirLocationIsAFileLineColRange(location)) {
    for (size_t i = 0; i < to->size; ++i)
      if (mlirLocationEqual(to->data[i], location))
        return;
    sn_push(to, location);
  }
}

// ---- files ------------------------------------------------------------------------

typedef struct {
  char *name, *text;
  SN_VEC(char *) lines;
} File;

static _Thread_local SN_VEC(File) files;
static _Thread_local SN_VEC(char *) names;

// Plain files alone: a location, or an option, may name anything. NULL: there is none.
static char *read_file(const char *path) {
  struct stat about;
  FILE *in = !stat(path, &about) && S_ISREG(about.st_mode) ? fopen(path, "rb") : NULL;
  if (!in)
    return NULL;
  SN_VEC(char) text = {0};
  for (int c; (c = getc(in)) != EOF;)
    sn_push(&text, (char)c);
  fclose(in);
  sn_push(&text, 0);
  return text.data;
}

char *sn_explain_said(const char *path) {
  char *text = read_file(path), *end = text ? strstr(text, SN_EXPLAIN_PAGE_END) : NULL;
  if (end)
    *end = 0;
  return text;
}

static const File *file(MlirStringRef name) {
  for (size_t i = 0; i < files.size; ++i)
    if (strlen(files.data[i].name) == name.length && !memcmp(files.data[i].name, name.data, name.length))
      return &files.data[i];
  File f = {.name = strndup(name.data, name.length)};
  f.text = read_file(f.name);
  for (char *line = f.text; line && *line;) {
    sn_push(&f.lines, line);
    line = strchr(line, '\n');
    if (line)
      *line++ = 0;
  }
  sn_push(&files, f);
  return &files.data[files.size - 1];
}

void sn_source_free(void) {
  for (size_t i = 0; i < files.size; ++i) {
    free(files.data[i].name);
    free(files.data[i].text);
    sn_vec_free(&files.data[i].lines);
  }
  for (size_t i = 0; i < names.size; ++i)
    free(names.data[i]);
  sn_vec_free(&files);
  sn_vec_free(&names);
}

const char *sn_line_name(MlirLocation line) {
  if (!line.ptr || !mlirLocationIsAFileLineColRange(line))
    return "unknown";
  MlirStringRef name = mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(line));
  size_t size = name.length + 32;
  char *text = sn_alloc(size);
  snprintf(text, size, "%.*s:%d:%d", (int)name.length, name.data, mlirLocationFileLineColRangeGetStartLine(line),
           mlirLocationFileLineColRangeGetStartColumn(line));
  sn_push(&names, text);
  return text;
}

const char *sn_line_text(MlirLocation line) {
  if (!line.ptr || !mlirLocationIsAFileLineColRange(line))
    return NULL;
  const File *f = file(mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(line)));
  size_t n = (size_t)mlirLocationFileLineColRangeGetStartLine(line);
  if (!n || n > f->lines.size)
    return NULL;
  const char *text = f->lines.data[n - 1];
  return text + strspn(text, " \t");
}
