// formula.c: what a kernel form computes, as a person writes it.
//
//   ^row(%x: tensor<5xf32>, %m: f32): %b = broadcast %m; %d = arith.subf %x, %b; %e = math.exp %d; row_reduce add %e
// ->
//   sum(exp(a - b))
//
// Arguments are letters in their order; of a product, the accumulator is `A.B`; of finish, `x0` is the first. A side
// that has a program is that, on `A` or, of several accesses, on `Aa`, `Ab`: max(A, 0).B. A formula that gets too long
// ends in dots.
//
// runs in: explain    test: test/passes/explain/operations.mlir

#include "passes/explain/explain.h"
#include "mlir-c/BuiltinAttributes.h"
#include <stdarg.h>

enum { LONGEST = 96 };

typedef struct {
  char text[LONGEST + 8];
  size_t size;
  const SnForm *form;
  MlirBlock side;   // the program that is being written; null: none
  char letter[8];   // and what its side is called
  bool several;     // it has several accesses
} Formula;

static bool full(const Formula *f) { return f->size >= LONGEST; }

static void put(Formula *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(Formula *f, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  size_t room = sizeof f->text - f->size;
  int n = full(f) ? 0 : vsnprintf(f->text + f->size, room, format, arguments);
  f->size += (size_t)n < room ? (size_t)n : room - 1;
  va_end(arguments);
}

// How an operation is written: between its operands, by a letter of precedence, or as a function.
static const struct {
  const char *name, *sign;
  int binds; // a higher number binds tighter; 0: the operand itself
} signs[] = {
    {"arith.addf", " + ", 4},    {"arith.addi", " + ", 4},    {"arith.subf", " - ", 4},   {"arith.subi", " - ", 4},
    {"arith.mulf", " * ", 5},    {"arith.muli", " * ", 5},    {"arith.divf", " / ", 5},   {"arith.divsi", " / ", 5},
    {"arith.divui", " / ", 5},   {"arith.remf", " % ", 5},    {"arith.remsi", " % ", 5},  {"arith.andi", " & ", 2},
    {"arith.ori", " | ", 2},     {"arith.xori", " ^ ", 2},    {"arith.extf", "", 0},      {"arith.truncf", "", 0},
    {"arith.extsi", "", 0},      {"arith.extui", "", 0},      {"arith.trunci", "", 0},    {"arith.sitofp", "", 0},
    {"arith.uitofp", "", 0},     {"arith.index_cast", "", 0}, {"arith.index_castui", "", 0},
};

// By the number of a predicate in arith.
static const char *compared(MlirOperation op) {
  static const char *const of_floats[] = {"false", "==", ">",  ">=", "<",  "<=", "!=",  "ord",
                                          "==",    ">",  ">=", "<",  "<=", "!=", "uno", "true"};
  static const char *const of_integers[] = {"==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">="};
  int64_t p = mlirIntegerAttrGetValueInt(sn_get_attr(op, "predicate"));
  return sn_is(op, "arith.cmpf") ? of_floats[p & 15] : of_integers[p >= 0 && p < 10 ? p : 0];
}

// maximumf, maxnumf, maxsi and maxui are a maximum; whether of two values or of a row says what stands in it.
static const char *short_name(const char *name) {
  return !strncmp(name, "max", 3) ? "max" : !strncmp(name, "min", 3) ? "min" : name;
}

static const char *reduction(MlirStringRef kind) {
  static _Thread_local char text[32];
  snprintf(text, sizeof text, "%.*s", (int)kind.length, kind.data);
  return !strcmp(text, "add") ? "sum" : short_name(text);
}

static void put_value(Formula *f, MlirValue v, int around);

static void put_function(Formula *f, const char *name, MlirOperation op, intptr_t n) {
  put(f, "%s(", name);
  for (intptr_t i = 0; i < n && !full(f); ++i) {
    put(f, "%s", i ? ", " : "");
    put_value(f, sn_operand(op, i), 0);
  }
  put(f, ")");
}

static void put_constant(Formula *f, MlirOperation op) {
  double number;
  MlirAttribute value = sn_constant_of(sn_result(op, 0));
  if (value.ptr && sn_attr_number(value, &number))
    put(f, "%g", number);
  else
    put(f, "constant");
}

static void put_infix(Formula *f, MlirOperation op, const char *sign, int binds, int around) {
  put(f, "%s", binds < around ? "(" : "");
  put_value(f, sn_operand(op, 0), binds);
  put(f, "%s", sign);
  put_value(f, sn_operand(op, 1), binds + 1); // a - (b - c)
  put(f, "%s", binds < around ? ")" : "");
}

static void put_operation(Formula *f, MlirOperation op, int around) {
  const char *name = sn_name(op), *dot = strchr(name, '.');
  for (size_t i = 0; i < sizeof signs / sizeof *signs; ++i)
    if (!strcmp(signs[i].name, name) && sn_num_operands(op) == 2) {
      put_infix(f, op, signs[i].sign, signs[i].binds, around);
      return;
    } else if (!strcmp(signs[i].name, name) && !signs[i].binds) {
      put_value(f, sn_operand(op, 0), around);
      return;
    }
  if (sn_is(op, "arith.constant")) {
    put_constant(f, op);
  } else if (sn_is(op, "arith.cmpf") || sn_is(op, "arith.cmpi")) {
    char sign[16];
    snprintf(sign, sizeof sign, " %s ", compared(op));
    put_infix(f, op, sign, 3, around);
  } else if (sn_is(op, "arith.negf")) {
    put(f, "-");
    put_value(f, sn_operand(op, 0), 6);
  } else if (sn_is(op, "arith.select")) {
    put(f, "%s", around ? "(" : "");
    put_value(f, sn_operand(op, 0), 1);
    put(f, " ? ");
    put_value(f, sn_operand(op, 1), 1);
    put(f, " : ");
    put_value(f, sn_operand(op, 2), 1);
    put(f, "%s", around ? ")" : "");
  } else if (sn_get_attr(op, "kind").ptr && mlirAttributeIsAString(sn_get_attr(op, "kind"))) { // a reduction of the row
    put_function(f, reduction(mlirStringAttrGetValue(sn_get_attr(op, "kind"))), op, 1);
  } else if (sn_get_attr(op, "dim").ptr && !sn_num_operands(op)) { // a position
    MlirStringRef dim = mlirStringAttrGetValue(sn_get_attr(op, "dim"));
    put(f, "%.*s", (int)dim.length, dim.data);
  } else if (sn_in_dialect(op, "sinter") && sn_num_operands(op) == 1) { // a scalar for each column
    put_value(f, sn_operand(op, 0), around);
  } else {
    put_function(f, short_name(dot ? dot + 1 : name), op, sn_num_operands(op));
  }
}

static void put_side(Formula *f, size_t side) {
  SnSide s = sn_side(f->form, side);
  snprintf(f->letter, sizeof f->letter, f->form->products.size > 1 ? "%c%zu" : "%c", side % 2 ? 'B' : 'A', side / 2);
  if (!s.program.ptr) {
    put(f, "%s", f->letter);
    return;
  }
  f->side = s.program;
  f->several = s.count > 1;
  put_value(f, sn_operand(mlirBlockGetTerminator(s.program), 0), 6);
  f->side = (MlirBlock){0};
}

static void put_value(Formula *f, MlirValue v, int around) {
  if (full(f))
    return;
  if (!mlirValueIsABlockArgument(v)) {
    put_operation(f, mlirOpResultGetOwner(v), around);
    return;
  }
  intptr_t at = mlirBlockArgumentGetArgNumber(v), products = (intptr_t)f->form->products.size, i = at - products;
  if (f->side.ptr && mlirBlockEqual(mlirBlockArgumentGetOwner(v), f->side)) {
    put(f, "%s", f->letter);
    if (f->several)
      put(f, "%c", (char)('a' + at % 26));
  } else if (!mlirBlockEqual(mlirBlockArgumentGetOwner(v), f->form->body)) {
    put(f, "x%td", at);
  } else if (i < 0) {
    put_side(f, 2 * (size_t)at);
    put(f, ".");
    put_side(f, 2 * (size_t)at + 1);
  } else if (i < 26) {
    put(f, "%c", (char)('a' + i));
  } else {
    put(f, "a%td", i);
  }
}

static void put_yields(Formula *f, MlirBlock block, const SnForm *s, bool rows) {
  MlirOperation yield = mlirBlockGetTerminator(block);
  intptr_t n = sn_num_operands(yield), accumulated = (intptr_t)s->accumulators.size; // these come first
  for (intptr_t i = 0; i < n; ++i) {
    put(f, "%s", i ? "; " : "");
    if (rows && i < accumulated)
      put(f, "%s over rows of ", reduction(s->accumulators.data[i].kind));
    put_value(f, sn_operand(yield, i), 0);
  }
}

char *sn_formula(MlirOperation form) {
  SnForm s = sn_form_read(form);
  Formula f = {.form = &s};
  put_yields(&f, s.body, &s, true);
  if (s.finish.ptr) {
    put(&f, "; then ");
    put_yields(&f, s.finish, &s, false);
  }
  sn_form_free(&s);
  if (full(&f))
    memcpy(f.text + LONGEST, "...", 4);
  return strdup(f.text);
}
