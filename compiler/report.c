// report.c: what is told to whom.

#include "compiler/job.h"
#include "mlir-c/Diagnostics.h"
#include <stdarg.h>

static void tell(const SnJob *job, const SinterDiagnostic *diagnostic) {
  if (job->compiler->handler)
    job->compiler->handler(job->compiler->user, diagnostic);
}

static void tell_text(const SnJob *job, int32_t severity, const char *format, va_list arguments) {
  char *text = NULL;
  if (vasprintf(&text, format, arguments) < 0)
    text = NULL;
  tell(job, &(SinterDiagnostic){.size = sizeof(SinterDiagnostic),
                                .severity = severity,
                                .file = "",
                                .message = text ? text : "not enough memory for a message"});
  free(text);
}

int32_t sn_job_error(SnJob *job, int32_t status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  ++job->errors;
  tell_text(job, SINTER_SEVERITY_ERROR, format, arguments);
  va_end(arguments);
  return status;
}

void sn_job_warning(SnJob *job, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  tell_text(job, SINTER_SEVERITY_WARNING, format, arguments);
  va_end(arguments);
}

// ---- diagnostics of MLIR -------------------------------------------------------------------

static void put(MlirStringRef text, void *user) { fwrite(text.data, 1, text.length, user); }

// The place in a file that a location has first: of a name, of what was called, of the first that is fused.
static bool place_in_file(MlirLocation loc, SinterDiagnostic *d, char **file) {
  if (mlirLocationIsAFileLineColRange(loc)) {
    MlirStringRef name = mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(loc));
    *file = strndup(name.data, name.length);
    d->line = mlirLocationFileLineColRangeGetStartLine(loc);
    d->column = mlirLocationFileLineColRangeGetStartColumn(loc);
    return true;
  }
  if (mlirLocationIsAName(loc))
    return place_in_file(mlirLocationNameGetChildLoc(loc), d, file);
  if (mlirLocationIsACallSite(loc))
    return place_in_file(mlirLocationCallSiteGetCallee(loc), d, file);
  if (!mlirLocationIsAFused(loc))
    return false;
  unsigned n = mlirLocationFusedGetNumLocations(loc);
  MlirLocation *all = sn_alloc(n * sizeof *all);
  mlirLocationFusedGetLocations(loc, all);
  bool found = false;
  for (unsigned i = 0; i < n && !found; ++i)
    found = place_in_file(all[i], d, file);
  free(all);
  return found;
}

static void tell_diagnostic(SnJob *job, MlirDiagnostic diagnostic, int32_t severity) {
  char *text = NULL, *file = NULL;
  size_t size = 0;
  FILE *to = open_memstream(&text, &size);
  if (to) {
    mlirDiagnosticPrint(diagnostic, put, to);
    fclose(to);
  }
  while (text && size && text[size - 1] == '\n')
    text[--size] = 0;
  SinterDiagnostic d = {.size = sizeof d, .severity = severity};
  place_in_file(mlirDiagnosticGetLocation(diagnostic), &d, &file);
  d.file = file ? file : "";
  d.message = text ? text : "not enough memory for a message";
  tell(job, &d);
  free(file);
  free(text);
}

static MlirLogicalResult handle(MlirDiagnostic diagnostic, void *user) {
  static const int32_t severities[] = {[MlirDiagnosticError] = SINTER_SEVERITY_ERROR,
                                       [MlirDiagnosticWarning] = SINTER_SEVERITY_WARNING,
                                       [MlirDiagnosticNote] = SINTER_SEVERITY_NOTE,
                                       [MlirDiagnosticRemark] = SINTER_SEVERITY_REMARK};
  SnJob *job = user;
  MlirDiagnosticSeverity severity = mlirDiagnosticGetSeverity(diagnostic);
  job->errors += severity == MlirDiagnosticError;
  tell_diagnostic(job, diagnostic, severities[severity]);
  for (intptr_t i = 0; i < mlirDiagnosticGetNumNotes(diagnostic); ++i)
    tell_diagnostic(job, mlirDiagnosticGetNote(diagnostic, i), SINTER_SEVERITY_NOTE);
  return SN_OK; // handled: nobody else is told
}

MlirDiagnosticHandlerID sn_job_begin(SnJob *job, MlirContext ctx) {
  return mlirContextAttachDiagnosticHandler(ctx, handle, job, NULL);
}

void sn_job_end(MlirContext ctx, MlirDiagnosticHandlerID id) { mlirContextDetachDiagnosticHandler(ctx, id); }
