// assembly.cpp: the text of the two forms.
//
//   sinter.rowwise (i = 4) by (j = 8)
//       ins(%x[i, j] : T, %e[%t[i] : T, j] : T, %g[?, ?] : T, %p[i, j - 1] : T else 0.0)
//       reduce(add [] : f32) outs(%o[i, j] : T) schedule(#sinter.rows<...>) {
//   ^row(...):
//   } finish {
//   ^done(...):
//   }
//
//   sinter.contract (i = 4) by (j = 8) by (e = 2)
//       product (k = 16) (side(%x[i, k] : T, %s[i] : T) {
//       ^side(...):
//       }, %w[j, k] : T) : f32
//       matrix (j) to (e) (%v[j, e] : T)
//
// Names of dimensions are bare words, so that parseAffineExpr reads the
// subscripts. In the maps, dimension k is the k-th name and symbol k the k-th
// indirect subscript of that operand, or the k-th `?`.

#include "dialect/assembly.h"
#include "dialect/dialect.h"
#include "mlir/CAPI/IR.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include <numeric>

using namespace mlir;

sn::Segments::Segments(Operation *op) {
  std::optional<Attribute> sizes = op->getInherentAttr("operandSegmentSizes");
  auto array = dyn_cast_or_null<DenseI32ArrayAttr>(sizes.value_or(Attribute()));
  if (array && array.size() == 3) {
    inputs = array[0];
    indices = array[1];
    outputs = array[2];
  }
}

namespace {

//===-- parsing -----------------------------------------------------------===//

struct Operand {
  OpAsmParser::UnresolvedOperand name;
  Type type;
  AffineMap map;
};

struct FormParser {
  OpAsmParser &p;
  OperationState &s;
  Builder &b = p.getBuilder();
  SmallVector<StringRef> names;
  SmallVector<int64_t> sizes, productDims;
  SmallVector<Operand> inputs, indices, outputs;
  SmallVector<Attribute> fills, indirect, kinds, accMaps, accTypes, productTypes;
  SmallVector<int64_t> groups, matrices, sideSizes;
  SmallVector<std::unique_ptr<Region>> sides;
  bool programs = false;

  FormParser(OpAsmParser &parser, OperationState &state) : p(parser), s(state) {}

  ParseResult dims() {
    return p.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&]() -> ParseResult {
      StringRef name;
      int64_t size = ShapedType::kDynamic;
      SMLoc at = p.getCurrentLocation();
      if (p.parseKeyword(&name) || p.parseEqual())
        return failure();
      if (llvm::is_contained(names, name))
        return p.emitError(at, "dimension '") << name << "' is named twice";
      at = p.getCurrentLocation();
      if (failed(p.parseOptionalQuestion()) && p.parseInteger(size))
        return failure();
      if (size < 0 && !ShapedType::isDynamic(size))
        return p.emitError(at, "dimension '") << name << "' has size " << size << "; a size is 0 or more, or `?`";
      names.push_back(name);
      sizes.push_back(size);
      return success();
    });
  }

  // `[expr, ...]`; with `indirectOperands`, a subscript may be `%t[...] : type`, or all are `?`.
  ParseResult subscripts(AffineMap &map, SmallVectorImpl<int64_t> *indirectOperands) {
    SmallVector<std::pair<StringRef, AffineExpr>> symbols;
    for (auto [k, name] : llvm::enumerate(names))
      symbols.push_back({name, b.getAffineDimExpr(k)});
    SmallVector<AffineExpr> exprs;
    unsigned given = 0;
    SMLoc start = p.getCurrentLocation();
    auto one = [&]() -> ParseResult {
      Operand index;
      SMLoc at = p.getCurrentLocation();
      if (indirectOperands && succeeded(p.parseOptionalQuestion())) {
        exprs.push_back(b.getAffineSymbolExpr(given++));
        return success();
      }
      OptionalParseResult present = p.parseOptionalOperand(index.name);
      if (present.has_value()) {
        if (!indirectOperands)
          return p.emitError(at, "an indirect subscript belongs to an input, and is not indirect itself");
        if (failed(*present) || subscripts(index.map, nullptr) || p.parseColonType(index.type))
          return failure();
        exprs.push_back(b.getAffineSymbolExpr(indirectOperands->size()));
        indirectOperands->push_back(indices.size());
        indices.push_back(index);
        return success();
      }
      return p.parseAffineExpr(symbols, exprs.emplace_back());
    };
    if (p.parseCommaSeparatedList(AsmParser::Delimiter::Square, one))
      return failure();
    if (given && given != exprs.size())
      return p.emitError(start, "some subscripts are `?`; a table has them all from the body");
    unsigned numSymbols = given ? given : indirectOperands ? indirectOperands->size() : 0;
    map = AffineMap::get(names.size(), numSymbols, exprs, b.getContext());
    return success();
  }

  ParseResult input() {
    Operand &in = inputs.emplace_back();
    SmallVector<int64_t> through;
    if (p.parseOperand(in.name) || subscripts(in.map, &through) || p.parseColonType(in.type))
      return failure();
    indirect.push_back(b.getDenseI64ArrayAttr(through));
    Attribute fill = b.getUnitAttr();
    if (succeeded(p.parseOptionalKeyword("else"))) {
      auto shaped = dyn_cast<ShapedType>(in.type);
      if (p.parseAttribute(fill, shaped ? shaped.getElementType() : in.type))
        return failure();
    }
    fills.push_back(fill);
    return success();
  }

  // An input, or `side(inputs) {program}`.
  ParseResult side() {
    size_t before = inputs.size();
    std::unique_ptr<Region> &program = sides.emplace_back(std::make_unique<Region>());
    if (succeeded(p.parseOptionalKeyword("side"))) {
      programs = true;
      if (p.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] { return input(); }) ||
          p.parseRegion(*program, {}, /*enableNameShadowing=*/true))
        return failure();
    } else if (input()) {
      return failure();
    }
    sideSizes.push_back(inputs.size() - before);
    return success();
  }

  // `(j, k)`: all dimensions of one group of columns, in order.
  ParseResult group(size_t rows) {
    SmallVector<StringRef> words;
    SMLoc at = p.getCurrentLocation();
    if (p.parseCommaSeparatedList(AsmParser::Delimiter::Paren,
                                  [&] { return p.parseKeyword(&words.emplace_back()); }))
      return failure();
    size_t first = rows;
    for (auto [k, size] : llvm::enumerate(groups)) {
      if (ArrayRef<StringRef>(names).slice(first, size) == ArrayRef<StringRef>(words)) {
        matrices.push_back(k);
        return success();
      }
      first += size;
    }
    return p.emitError(at, "(") << llvm::join(words, ", ")
                                << ") is no group of columns; write one as it stands behind `by`";
  }

  ParseResult matrix(size_t rows) {
    return failure(group(rows) || p.parseKeyword("to") || group(rows) || p.parseLParen() || side() ||
                   p.parseRParen());
  }

  ParseResult product() {
    size_t before = names.size();
    Type type;
    if (dims())
      return failure();
    productDims.push_back(names.size() - before);
    if (p.parseLParen() || side() || p.parseComma() || side() || p.parseRParen() || p.parseColonType(type))
      return failure();
    productTypes.push_back(TypeAttr::get(type));
    return success();
  }

  ParseResult accumulator() {
    StringRef kind;
    AffineMap map;
    Type type;
    if (p.parseKeyword(&kind) || subscripts(map, nullptr) || p.parseColonType(type))
      return failure();
    kinds.push_back(b.getStringAttr(kind));
    accMaps.push_back(AffineMapAttr::get(map));
    accTypes.push_back(TypeAttr::get(type));
    return success();
  }

  ParseResult output() {
    Operand &out = outputs.emplace_back();
    return failure(p.parseOperand(out.name) || subscripts(out.map, nullptr) || p.parseColonType(out.type));
  }

  // Maps are written before the last names are known (a product's own), so they are
  // given all dimensions at the end.
  AffineMapAttr whole(AffineMap map) {
    return AffineMapAttr::get(
        AffineMap::get(names.size(), map.getNumSymbols(), map.getResults(), b.getContext()));
  }

  ParseResult parse(bool contract) {
    auto paren = AsmParser::Delimiter::Paren;
    if (dims())
      return failure();
    size_t rows = names.size();
    if (p.parseKeyword("by"))
      return failure();
    do {
      size_t before = names.size();
      if (dims())
        return failure();
      groups.push_back(names.size() - before);
    } while (succeeded(p.parseOptionalKeyword("by")));
    size_t cols = names.size() - rows;
    while (contract && succeeded(p.parseOptionalKeyword("product")))
      if (product())
        return failure();
    while (succeeded(p.parseOptionalKeyword("matrix")))
      if (matrix(rows))
        return failure();
    if (succeeded(p.parseOptionalKeyword("ins")) &&
        p.parseCommaSeparatedList(paren, [&] { return input(); }))
      return failure();
    if (succeeded(p.parseOptionalKeyword("reduce")) &&
        p.parseCommaSeparatedList(paren, [&] { return accumulator(); }))
      return failure();
    bool asserts = !p.getNumResults() && failed(p.parseOptionalKeyword("outs")); // it has no destinations
    if (!asserts && ((p.getNumResults() && p.parseKeyword("outs")) ||
                     p.parseCommaSeparatedList(paren, [&] { return output(); })))
      return failure();
    Attribute schedule;
    if (succeeded(p.parseOptionalKeyword("schedule")) &&
        (p.parseLParen() || p.parseAttribute(schedule) || p.parseRParen()))
      return failure();
    SMLoc at = p.getCurrentLocation();
    if (p.parseOptionalAttrDictWithKeyword(s.attributes))
      return failure();
    for (StringAttr own : s.name.getAttributeNames())
      if (s.attributes.get(own))
        return p.emitError(at, "'") << own.getValue() << "' is written in the form's own syntax, not as an attribute";
    Region *body = s.addRegion(), *finish = s.addRegion();
    if (p.parseRegion(*body, {}, /*enableNameShadowing=*/true)) // isolated: names begin anew
      return failure();
    if (succeeded(p.parseOptionalKeyword("finish")) && p.parseRegion(*finish, {}, true))
      return failure();

    SmallVector<Attribute> maps, dimNames;
    for (StringRef name : names)
      dimNames.push_back(b.getStringAttr(name));
    for (auto *list : {&inputs, &indices, &outputs})
      for (Operand &operand : *list) {
        if (p.resolveOperand(operand.name, operand.type, s.operands))
          return failure();
        maps.push_back(whole(operand.map));
      }
    for (Operand &out : outputs)
      if (!isa<MemRefType>(out.type))
        s.addTypes(out.type);
    for (Attribute &map : accMaps)
      map = whole(cast<AffineMapAttr>(map).getValue());
    auto add = [&](StringRef name, Attribute value) { s.addAttribute(name, value); };
    add("dims", b.getArrayAttr(dimNames));
    add("sizes", b.getDenseI64ArrayAttr(sizes));
    add("num_rows", b.getI64IntegerAttr(rows));
    add("num_cols", b.getI64IntegerAttr(cols));
    add("maps", b.getArrayAttr(maps));
    if (llvm::any_of(fills, [](Attribute fill) { return !isa<UnitAttr>(fill); }))
      add("fills", b.getArrayAttr(fills));
    if (!indices.empty())
      add("indirect", b.getArrayAttr(indirect));
    add("accumulators", b.getArrayAttr(kinds));
    add("accumulator_maps", b.getArrayAttr(accMaps));
    add("accumulator_types", b.getArrayAttr(accTypes));
    if (schedule)
      add("schedule", schedule);
    if (groups.size() > 1)
      add("groups", b.getDenseI64ArrayAttr(groups));
    if (!matrices.empty())
      add("matrices", b.getDenseI64ArrayAttr(matrices));
    if (programs) {
      add("side_sizes", b.getDenseI64ArrayAttr(sideSizes));
      for (std::unique_ptr<Region> &program : sides)
        s.addRegion(std::move(program));
    }
    if (contract) {
      add("product_dims", b.getDenseI64ArrayAttr(productDims));
      add("product_types", b.getArrayAttr(productTypes));
    }
    add("operandSegmentSizes",
        b.getDenseI32ArrayAttr({(int32_t)inputs.size(), (int32_t)indices.size(), (int32_t)outputs.size()}));
    return success();
  }
};

//===-- printing ----------------------------------------------------------===//

struct FormPrinter {
  OpAsmPrinter &p;
  Operation *op;
  sn::Segments parts{op};
  ArrayAttr names = array("dims"), maps = array("maps"), fills = array("fills"), indirect = array("indirect");
  ArrayRef<int64_t> sizes = ints("sizes");

  ArrayAttr array(StringRef name) {
    return dyn_cast_or_null<ArrayAttr>(op->getInherentAttr(name).value_or(Attribute()));
  }
  ArrayRef<int64_t> ints(StringRef name) {
    auto list = dyn_cast_or_null<DenseI64ArrayAttr>(op->getInherentAttr(name).value_or(Attribute()));
    return list ? list.asArrayRef() : ArrayRef<int64_t>();
  }
  size_t count(StringRef name) { return cast<IntegerAttr>(*op->getInherentAttr(name)).getInt(); }

  void dims(size_t first, size_t n) {
    p << "(";
    llvm::interleaveComma(llvm::seq(first, first + n), p, [&](size_t k) {
      p << cast<StringAttr>(names[k]).getValue() << " = ";
      if (ShapedType::isDynamic(sizes[k]))
        p << "?";
      else
        p << sizes[k];
    });
    p << ")";
  }

  // A term of a sum that is written behind a minus: -3, j * -1, j * -2.
  static bool isNegative(AffineExpr e) {
    if (e.getKind() == AffineExprKind::Mul)
      e = cast<AffineBinaryOpExpr>(e).getRHS();
    auto constant = dyn_cast<AffineConstantExpr>(e);
    return constant && constant.getValue() < 0 && constant.getValue() != INT64_MIN;
  }

  // The term without its minus.
  void negated(AffineExpr e, std::optional<unsigned> input) {
    if (e.getKind() != AffineExprKind::Mul) {
      p << -cast<AffineConstantExpr>(e).getValue();
      return;
    }
    auto product = cast<AffineBinaryOpExpr>(e);
    int64_t factor = -cast<AffineConstantExpr>(product.getRHS()).getValue();
    expr(product.getLHS(), input, true);
    if (factor != 1)
      p << " * " << factor;
  }

  // a + b - c, associating to the left as it is parsed. A constant, which MLIR keeps
  // last, goes first where the sum would begin with a minus: `7 - j`.
  void sum(AffineExpr e, std::optional<unsigned> input) {
    SmallVector<AffineExpr> terms;
    for (; e.getKind() == AffineExprKind::Add; e = cast<AffineBinaryOpExpr>(e).getLHS())
      terms.push_back(cast<AffineBinaryOpExpr>(e).getRHS());
    terms.push_back(e);
    if (isNegative(terms.back()) && isa<AffineConstantExpr>(terms.front()) && !isNegative(terms.front()))
      std::rotate(terms.begin(), terms.begin() + 1, terms.end());
    expr(terms.pop_back_val(), input, false);
    while (!terms.empty()) {
      AffineExpr term = terms.pop_back_val();
      p << (isNegative(term) ? " - " : " + ");
      isNegative(term) ? negated(term, input) : expr(term, input, term.getKind() == AffineExprKind::Add);
    }
  }

  // `input` is set where symbols stand for that input's indirect subscripts.
  void expr(AffineExpr e, std::optional<unsigned> input, bool nested) {
    if (auto dim = dyn_cast<AffineDimExpr>(e)) {
      p << cast<StringAttr>(names[dim.getPosition()]).getValue();
    } else if (auto constant = dyn_cast<AffineConstantExpr>(e)) {
      p << constant.getValue();
    } else if (auto symbol = dyn_cast<AffineSymbolExpr>(e)) {
      auto through = indirect ? cast<DenseI64ArrayAttr>(indirect[*input]).asArrayRef() : ArrayRef<int64_t>();
      if (through.empty()) {
        p << "?";
        return;
      }
      unsigned k = through[symbol.getPosition()] + parts.inputs;
      p << op->getOperand(k);
      subscripts(k, std::nullopt);
      p << " : " << op->getOperand(k).getType();
    } else {
      auto binary = cast<AffineBinaryOpExpr>(e);
      p << (nested ? "(" : "");
      if (e.getKind() == AffineExprKind::Add) {
        sum(e, input);
      } else {
        const char *sign = e.getKind() == AffineExprKind::Mul        ? " * "
                           : e.getKind() == AffineExprKind::Mod      ? " mod "
                           : e.getKind() == AffineExprKind::FloorDiv ? " floordiv "
                                                                     : " ceildiv ";
        expr(binary.getLHS(), input, true);
        p << sign;
        expr(binary.getRHS(), input, true);
      }
      p << (nested ? ")" : "");
    }
  }

  void subscripts(AffineMap map, std::optional<unsigned> input) {
    p << "[";
    llvm::interleaveComma(map.getResults(), p, [&](AffineExpr e) { expr(e, input, false); });
    p << "]";
  }
  void subscripts(unsigned operand, std::optional<unsigned> input) {
    subscripts(cast<AffineMapAttr>(maps[operand]).getValue(), input);
  }

  void operand(unsigned k) {
    bool input = k < parts.inputs;
    p << op->getOperand(k);
    subscripts(k, input ? std::optional<unsigned>(k) : std::nullopt);
    p << " : " << op->getOperand(k).getType();
    if (input && fills && !isa<UnitAttr>(fills[k])) {
      p << " else ";
      p.printAttributeWithoutType(fills[k]);
    }
  }

  // Input `first` as a side, or as many as it has with their program. Returns what comes behind.
  unsigned side(unsigned number, unsigned first) {
    ArrayRef<int64_t> counts = ints("side_sizes");
    unsigned end = first + (counts.empty() ? 1 : counts[number]);
    if (counts.empty() || op->getRegion(2 + number).empty()) {
      operand(first);
      return end;
    }
    p << "side(";
    llvm::interleaveComma(llvm::seq(first, end), p, [&](unsigned k) { operand(k); });
    p << ") ";
    p.printRegion(op->getRegion(2 + number));
    return end;
  }

  void groupNames(size_t first, size_t n) {
    p << "(";
    llvm::interleaveComma(llvm::seq(first, first + n), p,
                          [&](size_t k) { p << cast<StringAttr>(names[k]).getValue(); });
    p << ")";
  }

  void group(StringRef word, unsigned first, unsigned n) {
    if (!n)
      return;
    p.printNewline();
    p << "    " << word << "(";
    llvm::interleaveComma(llvm::seq(first, first + n), p, [&](unsigned k) { operand(k); });
    p << ")";
  }

  void print() {
    size_t rows = count("num_rows"), cols = count("num_cols");
    p << " ";
    dims(0, rows);
    SmallVector<int64_t> groups(ints("groups"));
    if (groups.empty())
      groups.push_back(cols);
    size_t at = rows;
    for (int64_t n : groups) {
      p << " by ";
      dims(at, n);
      at += n;
    }
    unsigned first = 0, number = 0;
    if (ArrayAttr types = array("product_types")) {
      size_t dim = rows + cols;
      for (auto [type, n] : llvm::zip(types, ints("product_dims"))) {
        p.printNewline();
        p << "    product ";
        dims(dim, n);
        dim += n;
        p << " (";
        first = side(number++, first);
        p << ", ";
        first = side(number++, first);
        p << ") : " << cast<TypeAttr>(type).getValue();
      }
    }
    ArrayRef<int64_t> matrices = ints("matrices");
    for (size_t m = 0; m + 1 < matrices.size(); m += 2) {
      p.printNewline();
      p << "    matrix ";
      for (int to = 0; to < 2; ++to) {
        int64_t g = matrices[m + to];
        groupNames(rows + std::accumulate(groups.begin(), groups.begin() + g, int64_t(0)), groups[g]);
        p << (to ? " (" : " to ");
      }
      first = side(number++, first);
      p << ")";
    }
    group("ins", first, parts.inputs - first);
    if (ArrayAttr kinds = array("accumulators"); kinds && !kinds.empty()) {
      p.printNewline();
      p << "    reduce(";
      llvm::interleaveComma(llvm::zip(kinds, array("accumulator_maps"), array("accumulator_types")), p,
                            [&](auto it) {
                              p << cast<StringAttr>(std::get<0>(it)).getValue() << " ";
                              subscripts(cast<AffineMapAttr>(std::get<1>(it)).getValue(), std::nullopt);
                              p << " : " << cast<TypeAttr>(std::get<2>(it)).getValue();
                            });
      p << ")";
    }
    group("outs", parts.inputs + parts.indices, parts.outputs);
    if (std::optional<Attribute> schedule = op->getInherentAttr("schedule"); schedule && *schedule) {
      p.printNewline();
      p << "    schedule(" << *schedule << ")";
    }
    p.printOptionalAttrDictWithKeyword(op->getDiscardableAttrDictionary().getValue());
    p << " ";
    p.printRegion(op->getRegion(0));
    if (!op->getRegion(1).empty()) {
      p << " finish ";
      p.printRegion(op->getRegion(1));
    }
  }
};

} // namespace

ParseResult sn::parseForm(OpAsmParser &parser, OperationState &state) {
  return FormParser(parser, state).parse(state.name.getStringRef() == "sinter.contract");
}
// The printer goes by lists that broken IR may have disagree; what cannot be read is printed generically.
void sn::printForm(OpAsmPrinter &printer, Operation *op) {
  if (sn_form_is_readable(wrap(op), nullptr, 0))
    FormPrinter{printer, op}.print();
  else
    printer.printGenericOp(op, /*printOpName=*/false);
}

//===-- small directives --------------------------------------------------===//

ParseResult sn::parseName(OpAsmParser &parser, StringAttr &word) {
  StringRef text;
  if (parser.parseKeyword(&text))
    return failure();
  word = parser.getBuilder().getStringAttr(text);
  return success();
}
void sn::printName(OpAsmPrinter &printer, Operation *, StringAttr word) {
  if (word)
    printer.printKeywordOrString(word.getValue());
}

ParseResult sn::parseAlong(OpAsmParser &parser, StringAttr &dim) {
  return succeeded(parser.parseOptionalKeyword("along")) ? parseName(parser, dim) : success();
}
void sn::printAlong(OpAsmPrinter &printer, Operation *op, StringAttr dim) {
  if (!dim)
    return;
  printer << " along ";
  printName(printer, op, dim);
}

ParseResult sn::parseSameType(OpAsmParser &parser, Type &operand, Type &result) {
  if (parser.parseType(operand))
    return failure();
  result = operand;
  return success();
}
void sn::printSameType(OpAsmPrinter &printer, Operation *, Type operand, Type) { printer << operand; }
ParseResult sn::parseSameTypes(OpAsmParser &parser, SmallVectorImpl<Type> &operands, SmallVectorImpl<Type> &results) {
  if (parser.parseTypeList(operands))
    return failure();
  results.append(operands.begin(), operands.end());
  return success();
}
void sn::printSameTypes(OpAsmPrinter &printer, Operation *, TypeRange operands, TypeRange) { printer << operands; }

ParseResult sn::parseReduced(OpAsmParser &parser, StringAttr &kind, OpAsmParser::UnresolvedOperand &x) {
  StringRef text;
  if (succeeded(parser.parseOptionalKeyword(&text)))
    kind = parser.getBuilder().getStringAttr(text);
  return parser.parseOperand(x);
}
void sn::printReduced(OpAsmPrinter &printer, Operation *, StringAttr kind, Value x) {
  if (kind)
    printer << kind.getValue() << " ";
  printer << x;
}

ParseResult sn::parseCombiner(OpAsmParser &parser, Type &type, Region &region) {
  if (parser.parseType(type))
    return failure();
  OptionalParseResult present = parser.parseOptionalRegion(region);
  return present.has_value() ? ParseResult(*present) : ParseResult(success());
}
void sn::printCombiner(OpAsmPrinter &printer, Operation *, Type type, Region &region) {
  printer << type;
  if (region.empty())
    return;
  printer << " ";
  printer.printRegion(region);
}

ParseResult sn::parseParams(AsmParser &parser, DictionaryAttr &params) {
  NamedAttrList list;
  StringRef key;
  ParseResult found = parser.parseOptionalKeyword(&key); // `<>` has every default
  while (succeeded(found)) {
    Attribute value;
    if (list.get(key))
      return parser.emitError(parser.getCurrentLocation(), "'") << key << "' is given twice";
    if (parser.parseEqual() || parser.parseAttribute(value))
      return failure();
    list.set(key, value);
    if (failed(parser.parseOptionalComma()))
      break;
    if (parser.parseKeyword(&key))
      return failure();
  }
  params = list.getDictionary(parser.getContext());
  return success();
}
void sn::printParams(AsmPrinter &printer, DictionaryAttr params) {
  llvm::interleaveComma(params, printer.getStream(), [&](NamedAttribute entry) {
    printer << entry.getName().getValue() << " = ";
    printer.printAttributeWithoutType(entry.getValue());
  });
}
