// shim.cpp: one wrapper for each thing that mlir-c 22 has no entry for.

#include "capi/shim.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Rewrite.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;

void sn_shim_error(MlirOperation op, const char *text) { unwrap(op)->emitOpError() << text; }
// Without the op's text, for which the whole function is numbered: a program with a remark an op would be quadratic.
void sn_shim_remark(MlirOperation op, const char *text) { emitRemark(unwrap(op)->getLoc()) << text; }

static void name_arguments(Region &region, const AsmParserState &said) {
  for (BlockArgument argument : region.getArguments()) {
    const AsmParserState::BlockDefinition *block = said.getBlockDef(argument.getOwner());
    if (!block || argument.getArgNumber() >= block->arguments.size() || isa<NameLoc>(argument.getLoc()))
      continue;
    llvm::SMRange at = block->arguments[argument.getArgNumber()].loc; // of `%x`
    StringRef name(at.Start.getPointer() + 1, at.End.getPointer() - at.Start.getPointer() - 1);
    argument.setLoc(NameLoc::get(StringAttr::get(argument.getContext(), name), argument.getLoc()));
  }
}

MlirModule sn_shim_parse_names(MlirContext ctx, const void *files) {
  Block block;
  AsmParserState said;
  if (failed(parseAsmSourceFile(*static_cast<const llvm::SourceMgr *>(files), &block, unwrap(ctx), &said)))
    return {nullptr};
  block.walk([&](FunctionOpInterface function) { name_arguments(function.getFunctionBody(), said); });
  return wrap(
      detail::constructContainerOpForParserIfNecessary<ModuleOp>(&block, unwrap(ctx), UnknownLoc::get(unwrap(ctx)))
          .release());
}

MlirModule sn_shim_parse(MlirContext ctx, const char *text, size_t size, const char *name, bool names) {
  std::string ended(text, size); // the lexer reads a 0 behind it
  if (names && !isBytecode(llvm::MemoryBufferRef(ended, name))) {
    llvm::SourceMgr files;
    files.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(ended, name), llvm::SMLoc());
    return sn_shim_parse_names(ctx, &files);
  }
  return wrap(parseSourceString<ModuleOp>(ended, ParserConfig(unwrap(ctx)), name).release());
}

bool sn_shim_is_dead(MlirOperation op) { return isOpTriviallyDead(unwrap(op)); }
MlirOperation sn_shim_previous(MlirOperation op) { return wrap(unwrap(op)->getPrevNode()); }
bool sn_shim_is_pure(MlirOperation op) { return isMemoryEffectFree(unwrap(op)); }
bool sn_shim_is_elementwise(MlirOperation op) {
  StringRef dialect = unwrap(op)->getName().getDialectNamespace();
  return (dialect == "arith" || dialect == "math") && OpTrait::hasElementwiseMappableTraits(unwrap(op));
}

size_t sn_shim_regions_hash(MlirOperation op) {
  DenseMap<Value, unsigned> numbers;
  auto number = [&](Value v) { return numbers.try_emplace(v, numbers.size()).first->second; };
  // By its number if it is of a region, else itself.
  auto operand = [&](Value v) {
    bool inside = numbers.contains(v) || unwrap(op)->isAncestor(v.getParentBlock()->getParentOp());
    return inside ? llvm::hash_code(number(v)) : hash_value(v);
  };
  llvm::hash_code hash(0);
  unwrap(op)->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    for (Region &region : inner->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          hash = llvm::hash_combine(hash, argument.getType(), number(argument));
    if (inner == unwrap(op))
      return;
    hash = llvm::hash_combine(
        hash, OperationEquivalence::computeHash(
                  inner, operand, OperationEquivalence::ignoreHashValue, OperationEquivalence::IgnoreLocations));
    for (Value result : inner->getResults())
      number(result);
  });
  return hash;
}
bool sn_shim_same_regions(MlirOperation a, MlirOperation b) {
  for (auto [x, y] : llvm::zip_equal(unwrap(a)->getRegions(), unwrap(b)->getRegions()))
    if (!OperationEquivalence::isRegionEquivalentTo(&x, &y, OperationEquivalence::IgnoreLocations))
      return false;
  return true;
}

size_t sn_shim_hash(MlirOperation op) {
  llvm::hash_code hash = OperationEquivalence::computeHash(
      unwrap(op), [](Value v) { return hash_value(v); }, OperationEquivalence::ignoreHashValue,
      OperationEquivalence::IgnoreLocations);
  return unwrap(op)->getNumRegions() ? size_t(llvm::hash_combine(hash, sn_shim_regions_hash(op))) : size_t(hash);
}
bool sn_shim_same(MlirOperation a, MlirOperation b) {
  return OperationEquivalence::isEquivalentTo(unwrap(a), unwrap(b), OperationEquivalence::IgnoreLocations);
}
bool sn_shim_is_isolated(MlirOperation op) { return unwrap(op)->hasTrait<OpTrait::IsIsolatedFromAbove>(); }

MlirOperation sn_shim_symbol(MlirOperation module, MlirStringRef name) {
  Operation *op = unwrap(module);
  return wrap(SymbolTable::lookupSymbolIn(op, StringAttr::get(op->getContext(), unwrap(name))));
}
void sn_shim_refer(MlirOperation root, MlirAttribute (*to)(void *user, MlirAttribute name), void *user) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](SymbolRefAttr ref) -> std::optional<Attribute> {
    MlirAttribute name = to(user, wrap(Attribute(ref.getRootReference())));
    if (!name.ptr)
      return std::nullopt;
    return SymbolRefAttr::get(cast<StringAttr>(unwrap(name)), ref.getNestedReferences());
  });
  replacer.recursivelyReplaceElementsIn(unwrap(root));
}

static AsmResourceBlob blob_of(const void *data, size_t size, SnResourceEnd end, void *user) {
  size_t align = 64;
  while (reinterpret_cast<uintptr_t>(data) % align)
    align /= 2;
  return UnmanagedAsmResourceBlob::allocateWithAlign(
      {static_cast<const char *>(data), size}, align,
      [end, user](void *bytes, size_t count, size_t) { end(user, bytes, count); });
}
SnResource sn_shim_resource(MlirAttribute attr) {
  DenseResourceElementsHandle handle = cast<DenseResourceElementsAttr>(unwrap(attr)).getRawHandle();
  const AsmResourceBlob *blob = handle.getBlob();
  return {wrap(handle.getKey()), blob ? blob->getData().data() : nullptr, blob ? blob->getData().size() : 0,
          blob != nullptr};
}
void sn_shim_set_resource(MlirAttribute attr, const void *data, size_t size, SnResourceEnd end, void *user) {
  cast<DenseResourceElementsAttr>(unwrap(attr)).getRawHandle().getResource()->setBlob(blob_of(data, size, end, user));
}
MlirAttribute sn_shim_new_resource(MlirType type, MlirStringRef name, const void *data, size_t size, SnResourceEnd end,
                                   void *user) {
  return wrap(
      DenseResourceElementsAttr::get(cast<ShapedType>(unwrap(type)), unwrap(name), blob_of(data, size, end, user)));
}
MlirAttribute sn_shim_resource_as(MlirAttribute attr, MlirType type) {
  return wrap(DenseResourceElementsAttr::get(cast<ShapedType>(unwrap(type)),
                                             cast<DenseResourceElementsAttr>(unwrap(attr)).getRawHandle()));
}

void sn_shim_add_erf(MlirRewritePatternSet set) {
  populateMathPolynomialApproximationPatterns(*unwrap(set),
                                              [](StringRef name) { return name == "math.erf" || name == "math.erfc"; });
}

void sn_shim_add_reshapes(MlirRewritePatternSet set, bool (*wanted)(MlirOperation reshape)) {
  linalg::populateFoldReshapeOpsByExpansionPatterns(*unwrap(set), [wanted](OpOperand *x) {
    Operation *producer = x->get().getDefiningOp();
    bool below = isa_and_nonnull<tensor::CollapseShapeOp>(producer);
    return wanted(wrap(below ? producer : x->getOwner()));
  });
  tensor::populateReassociativeReshapeFoldingPatterns(*unwrap(set));
  tensor::populateFoldTensorEmptyPatterns(*unwrap(set));
}

void sn_shim_add_winograd(MlirRewritePatternSet set) { linalg::populateDecomposeWinogradOpsPatterns(*unwrap(set)); }

bool sn_shim_lower_pack(MlirRewriterBase rewriter, MlirOperation op) {
  if (auto pack = dyn_cast<linalg::PackOp>(unwrap(op)))
    return succeeded(linalg::lowerPack(*unwrap(rewriter), pack));
  auto unpack = dyn_cast<linalg::UnPackOp>(unwrap(op));
  return unpack && succeeded(linalg::lowerUnPack(*unwrap(rewriter), unpack));
}

bool sn_shim_decompose_aggregate(MlirRewriterBase rewriter, MlirOperation op) {
  auto whole = dyn_cast<linalg::AggregatedOpInterface>(unwrap(op));
  if (!whole)
    return false;
  FailureOr<SmallVector<Value>> parts = whole.decomposeOperation(*unwrap(rewriter));
  if (succeeded(parts))
    unwrap(rewriter)->replaceOp(whole, *parts);
  return succeeded(parts);
}

bool sn_shim_lower_affine_control(MlirOperation root) {
  MLIRContext *ctx = unwrap(root)->getContext();
  RewritePatternSet patterns(ctx);
  populateAffineToStdConversionPatterns(patterns);
  populateAffineToVectorConversionPatterns(patterns);
  ConversionTarget target(*ctx);
  target.addLegalDialect<affine::AffineDialect, arith::ArithDialect, memref::MemRefDialect, scf::SCFDialect,
                         vector::VectorDialect>();
  target.addIllegalOp<affine::AffineForOp, affine::AffineIfOp, affine::AffineParallelOp, affine::AffineYieldOp>();
  // A subscript of these is a dimension of a loop in affine, which those of scf are not.
  target.addIllegalOp<affine::AffineLoadOp, affine::AffineStoreOp, affine::AffinePrefetchOp, affine::AffineVectorLoadOp,
                      affine::AffineVectorStoreOp>();
  return succeeded(applyPartialConversion(unwrap(root), target, std::move(patterns)));
}

bool sn_shim_machine_has(LLVMTargetMachineRef machine, const char *features) {
  return reinterpret_cast<llvm::TargetMachine *>(machine)->getMCSubtargetInfo()->checkFeatures(features);
}

bool sn_shim_knows_cpu(const char *cpu) {
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  std::string why;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, why);
  std::unique_ptr<llvm::MCSubtargetInfo> known(target ? target->createMCSubtargetInfo(triple, "", "") : nullptr);
  return known && known->isCPUStringValid(cpu);
}

struct SnHash : llvm::SHA256 {};
SnHash *sn_shim_hash_new() { return new SnHash; }
void sn_shim_hash_add(SnHash *hash, const char *bytes, size_t size) { hash->update(StringRef(bytes, size)); }
void sn_shim_hash_end(SnHash *hash, unsigned char digest[32]) {
  llvm::copy(hash->final(), digest);
  delete hash;
}
