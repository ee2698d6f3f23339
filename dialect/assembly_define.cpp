// assembly_define.cpp: the text of sinter.define and of uses of definitions.
//
//   sinter.define @huber(%x: tensor<?xf32>, %delta: f32 {default = 1.0}) attributes {...} { ... }
//   sinter.huber(%x, %t, weight = %w) {delta = 0.5} : (T, T, T) -> tensor<f32>
//   sinter.apply @mine(%x) : (T) -> T

#include "dialect/assembly.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

ParseResult sn::parseDefine(OpAsmParser &p, OperationState &s) {
  Builder &b = p.getBuilder();
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  if (p.parseSymbolName(name, SymbolTable::getSymbolAttrName(), s.attributes) ||
      p.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren, /*allowType=*/true, /*allowAttrs=*/true) ||
      p.parseOptionalAttrDictWithKeyword(s.attributes))
    return failure();
  SmallVector<Attribute> names, parameters;
  for (OpAsmParser::Argument &argument : arguments) {
    names.push_back(b.getStringAttr(argument.ssaName.name.drop_front()));
    parameters.push_back(argument.attrs ? argument.attrs : b.getDictionaryAttr({}));
  }
  s.addAttribute("names", b.getArrayAttr(names));
  s.addAttribute("parameters", b.getArrayAttr(parameters));
  return p.parseRegion(*s.addRegion(), arguments);
}

void sn::printDefine(OpAsmPrinter &p, Operation *op) {
  auto parameters = op->getAttrOfType<ArrayAttr>("parameters");
  auto name = op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
  Region &body = op->getRegion(0);
  if (!name || !parameters || body.empty() || body.getNumArguments() != parameters.size())
    return p.printGenericOp(op, /*printOpName=*/false);
  p << " ";
  p.printSymbolName(name.getValue());
  p << "(";
  llvm::interleaveComma(llvm::zip(body.getArguments(), parameters), p, [&](auto it) {
    auto words = dyn_cast<DictionaryAttr>(std::get<1>(it));
    p.printRegionArgument(std::get<0>(it), words ? words.getValue() : ArrayRef<NamedAttribute>());
  });
  p << ")";
  p.printOptionalAttrDictWithKeyword(op->getAttrs(), {"names", "parameters", SymbolTable::getSymbolAttrName()});
  p << " ";
  p.printRegion(body, /*printEntryBlockArgs=*/false);
}

void sn::nameDefineArguments(Operation *op, Region &region, OpAsmSetValueNameFn set) {
  auto names = op->getAttrOfType<ArrayAttr>("names");
  if (names && !region.empty())
    for (auto [argument, name] : llvm::zip(region.getArguments(), names))
      if (auto word = dyn_cast<StringAttr>(name))
        set(argument, word.getValue());
}

ParseResult sn::parseUse(OpAsmParser &p, OperationState &s) {
  Builder &b = p.getBuilder();
  StringAttr callee;
  if (s.name.getStringRef() == "sinter.apply") {
    if (p.parseSymbolName(callee))
      return failure();
    s.addAttribute("callee", FlatSymbolRefAttr::get(callee));
  }
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Attribute> optionals;
  FunctionType type;
  SMLoc at = p.getCurrentLocation();
  auto operand = [&]() -> ParseResult {
    StringRef word;
    if (succeeded(p.parseOptionalKeyword(&word))) {
      optionals.push_back(b.getStringAttr(word));
      if (p.parseEqual())
        return failure();
    } else if (!optionals.empty()) {
      return p.emitError(p.getCurrentLocation(), "operands without a name come before those with one");
    }
    return p.parseOperand(operands.emplace_back());
  };
  if (p.parseCommaSeparatedList(AsmParser::Delimiter::Paren, operand) || p.parseOptionalAttrDict(s.attributes) ||
      p.parseColonType(type) || p.resolveOperands(operands, type.getInputs(), at, s.operands))
    return failure();
  if (!optionals.empty())
    s.addAttribute("optionals", b.getArrayAttr(optionals));
  s.addTypes(type.getResults());
  return success();
}

void sn::printUse(OpAsmPrinter &p, Operation *op) {
  if (auto callee = op->getAttrOfType<FlatSymbolRefAttr>("callee"))
    p << " " << callee;
  auto optionals = op->getAttrOfType<ArrayAttr>("optionals");
  size_t named = optionals ? optionals.size() : 0,
         plain = op->getNumOperands() - std::min<size_t>(named, op->getNumOperands());
  p << "(";
  llvm::interleaveComma(llvm::enumerate(op->getOperands()), p, [&](auto it) {
    if (it.index() >= plain)
      if (auto word = dyn_cast<StringAttr>(optionals[it.index() - plain]))
        p << word.getValue() << " = ";
    p << it.value();
  });
  p << ")";
  p.printOptionalAttrDict(op->getAttrs(), {"callee", "optionals"});
  p << " : ";
  p.printFunctionalType(op);
}
