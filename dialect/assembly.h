// assembly.h: private to the shim. The text of the two forms, and the segments
// of their operands.

#ifndef SINTER_DIALECT_ASSEMBLY_H
#define SINTER_DIALECT_ASSEMBLY_H

#include "mlir/IR/OpImplementation.h"

namespace sn {

// How many operands of a form are inputs, index tensors and destinations.
struct Segments {
  unsigned inputs = 0, indices = 0, outputs = 0;
  explicit Segments(mlir::Operation *op);
};

mlir::ParseResult parseForm(mlir::OpAsmParser &parser, mlir::OperationState &state);
void printForm(mlir::OpAsmPrinter &printer, mlir::Operation *op);

// custom<Keyword>: a bare word in place of a string attribute, absent if null.
mlir::ParseResult parseKeyword(mlir::OpAsmParser &parser, mlir::StringAttr &word);
void printKeyword(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::StringAttr word);
// custom<Name>: the same, not optional.
mlir::ParseResult parseName(mlir::OpAsmParser &parser, mlir::StringAttr &word);
void printName(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::StringAttr word);
// custom<Combiner>: a region that may be absent.
mlir::ParseResult parseCombiner(mlir::OpAsmParser &parser, mlir::Region &region);
void printCombiner(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::Region &region);
// custom<Params>: `key = value, ...` in place of a dictionary; integers are i64.
mlir::ParseResult parseParams(mlir::AsmParser &parser, mlir::DictionaryAttr &params);
void printParams(mlir::AsmPrinter &printer, mlir::DictionaryAttr params);

} // namespace sn

// Generated code looks custom directives up unqualified.
using sn::parseCombiner;
using sn::parseKeyword;
using sn::parseName;
using sn::parseParams;
using sn::printCombiner;
using sn::printKeyword;
using sn::printName;
using sn::printParams;

#endif
