// use_steps.h: a sinter.define_steps as data, and a use of it bound to operands.
//
// The verifier and sinter-expand bind a use in the same way, so what verifies expands.

#ifndef SINTER_DIALECT_USE_STEPS_H
#define SINTER_DIALECT_USE_STEPS_H

#include "dialect/definition.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  SN_STEPS_ROW,       // index: which row
  SN_STEPS_OPERAND,   // memref
  SN_STEPS_NUMBER,    // an attribute of the use
  SN_STEPS_MEAN,      // i1: the mean over rows is asked for
  SN_STEPS_UPSTREAM,  // f32: the gradient of the result with respect to what the body yields
  SN_STEPS_WANTED,    // i1: the gradient with respect to an operand is asked for
  SN_STEPS_GRADIENT   // memref: where it goes
} SnStepsKind;

typedef struct {
  SnStepsKind kind;
  MlirStringRef name;
  MlirType type;           // of the body's argument
  intptr_t rows;           // of an operand: which dimension rows are
  bool packed;             // and it may lack that dimension where others have it
  MlirAttribute like;      // the operand whose shape it has; null if none
  MlirAttribute otherwise; // of a number: its default
  intptr_t of;             // of what is about a gradient: which parameter; -1 if there is none of that name
} SnStepsParameter;

typedef struct {
  MlirOperation op; // sinter.define_steps
  MlirBlock body;
  SN_VEC(SnStepsParameter) parameters;
  MlirAttribute reductions;
} SnStepsDefinition;

// The definition that a use means, null if it means none in steps. Keep `found` until it is not read any more.
MlirOperation sn_steps_definition(MlirOperation use, SnFound *found);
SnStepsDefinition sn_steps_definition_read(MlirOperation op);
void sn_steps_definition_free(SnStepsDefinition *d);
// The first parameter of a kind, -1 if there is none.
intptr_t sn_steps_parameter(const SnStepsDefinition *d, SnStepsKind kind);

// What is written for an attribute of a use, or its default.
MlirAttribute sn_steps_number(const SnStepsDefinition *d, MlirOperation use, size_t parameter);
SnReduction sn_steps_reduction(const SnStepsDefinition *d, MlirAttribute written);
// f64 if an operand has such elements, else f32.
MlirType sn_steps_real(MlirOperation use);
// Operands lack the dimension of rows: there is one row.
bool sn_steps_alone(const SnStepsDefinition *d, MlirOperation use);
// Rules U2 to U5 of a use; reports the first that is broken.
MlirLogicalResult sn_steps_check_use(MlirOperation use, MlirOperation definition);
// Whether an operation may stand in the body of a sinter.steps or sinter.define_steps: rules S6 to S8, reported at it.
MlirLogicalResult sn_steps_check_body(MlirOperation owner, MlirBlock body);

#ifdef __cplusplus
}
#endif
#endif
