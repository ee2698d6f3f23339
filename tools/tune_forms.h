// tune_forms.h: the forms of a program, each cut out of it, so that it is timed by itself.

#ifndef SINTER_TOOLS_TUNE_FORMS_H
#define SINTER_TOOLS_TUNE_FORMS_H

#include "passes/schedule/schedule.h"

// One form of a scheduled program. The modules are the caller's to destroy.
typedef struct {
  SnFingerprint form;
  MlirOperation op;  // in the scheduled program
  MlirModule kernel; // @main: the form alone; the tensors that it reads are arguments
  MlirModule inputs; // @main: the program up to the form, which returns those; null where the form stands in a loop
} TuneForm;
typedef SN_VEC(TuneForm) TuneForms; // free with sn_vec_free

// The forms of a scheduled module that have a schedule, each once, in their order.
TuneForms tune_forms(MlirModule scheduled);
// The form of a kernel module.
MlirOperation tune_form_of(MlirModule kernel);
void tune_forms_free(TuneForms *forms);

#endif
