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

// sinter.define, and the uses of definitions.
mlir::ParseResult parseDefine(mlir::OpAsmParser &parser, mlir::OperationState &state);
void printDefine(mlir::OpAsmPrinter &printer, mlir::Operation *op);
void nameDefineArguments(mlir::Operation *op, mlir::Region &region, mlir::OpAsmSetValueNameFn set);
mlir::ParseResult parseUse(mlir::OpAsmParser &parser, mlir::OperationState &state);
void printUse(mlir::OpAsmPrinter &printer, mlir::Operation *op);

// custom<Name>: a bare word in place of a string attribute.
mlir::ParseResult parseName(mlir::OpAsmParser &parser, mlir::StringAttr &word);
void printName(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::StringAttr word);
// custom<Along>: `along NAME` in place of a string attribute, or nothing.
mlir::ParseResult parseAlong(mlir::OpAsmParser &parser, mlir::StringAttr &dim);
void printAlong(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::StringAttr dim);
// custom<SameType>, custom<SameTypes>: types of operands, which are those of the results.
mlir::ParseResult parseSameType(mlir::OpAsmParser &parser, mlir::Type &operand, mlir::Type &result);
void printSameType(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::Type operand, mlir::Type result);
mlir::ParseResult parseSameTypes(mlir::OpAsmParser &parser, llvm::SmallVectorImpl<mlir::Type> &operands,
                                 llvm::SmallVectorImpl<mlir::Type> &results);
void printSameTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::TypeRange operands,
                    mlir::TypeRange results);
// custom<Reduced>: `add %x`, or `%x` alone.
mlir::ParseResult parseReduced(mlir::OpAsmParser &parser, mlir::StringAttr &kind,
                               mlir::OpAsmParser::UnresolvedOperand &x);
void printReduced(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::StringAttr kind, mlir::Value x);
// custom<Combiner>: a type, and a region that may be absent.
mlir::ParseResult parseCombiner(mlir::OpAsmParser &parser, mlir::Type &type, mlir::Region &region);
void printCombiner(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::Type type, mlir::Region &region);
// custom<Params>: `key = value, ...` in place of a dictionary; integers are i64.
mlir::ParseResult parseParams(mlir::AsmParser &parser, mlir::DictionaryAttr &params);
void printParams(mlir::AsmPrinter &printer, mlir::DictionaryAttr params);

} // namespace sn

// Generated code looks custom directives up unqualified.
using sn::parseAlong;
using sn::parseCombiner;
using sn::parseName;
using sn::parseParams;
using sn::parseReduced;
using sn::parseSameType;
using sn::parseSameTypes;
using sn::printAlong;
using sn::printCombiner;
using sn::printName;
using sn::printParams;
using sn::printReduced;
using sn::printSameType;
using sn::printSameTypes;

#endif
