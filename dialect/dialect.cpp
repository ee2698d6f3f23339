// dialect.cpp: the C++ behind the dialect. Generated code, initialize(), the
// bridges from ODS stubs to C, and what interfaces ask. No rule is decided here.

#include "dialect/dialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

#include "dialect/assembly.h"

using namespace mlir;
#include "dialect/Sinter.dialect.decls.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/Sinter.attrdef.decls.inc"
#define GET_OP_CLASSES
#include "dialect/Sinter.op.decls.inc"
#include "dialect/TmTensor.dialect.decls.inc"
#define GET_OP_CLASSES
#include "dialect/TmTensor.op.decls.inc"

namespace sn {

static LogicalResult inferViaC(MlirType (*infer)(intptr_t, const MlirValue *), ValueRange operands,
                               SmallVectorImpl<Type> &results) {
  SmallVector<MlirValue> values = llvm::map_to_vector(operands, [](Value v) { return wrap(v); });
  MlirType type = infer(static_cast<intptr_t>(values.size()), values.data());
  if (!type.ptr)
    return failure();
  results.push_back(unwrap(type));
  return success();
}

static Type elementOf(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? shaped.getElementType() : type;
}

static LogicalResult verifySchedule(function_ref<InFlightDiagnostic()> emitError,
                                    const char *mnemonic, DictionaryAttr params) {
  char why[512];
  if (sn_schedule_check(mnemonic, wrap(Attribute(params)), why, sizeof why))
    return success();
  return emitError() << "#sinter." << mnemonic << ": " << why;
}

// A tensor form has no effect of its own; a memref form reads and writes its
// operands. What the body does (an assert) is added by the recursive trait.
static void formEffects(Operation *op,
                        SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  Segments parts(op);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    if (operand.getOperandNumber() < parts.inputs + parts.indices)
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
    else
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
}

static void nameFormBlocks(Operation *op, OpAsmSetBlockNameFn set) {
  for (Region &region : op->getRegions())
    if (!region.empty())
      set(&region.front(), region.getRegionNumber() == 0 ? "row" : region.getRegionNumber() == 1 ? "done" : "side");
}

} // namespace sn

#include "dialect/Sinter.dialect.defs.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/Sinter.attrdef.defs.inc"
#define GET_OP_CLASSES
#include "dialect/Sinter.op.defs.inc"
#include "dialect/TmTensor.dialect.defs.inc"
#define GET_OP_CLASSES
#include "dialect/TmTensor.op.defs.inc"

namespace {
// A function that has operations of ours may be inlined where it is called.
struct Inliner final : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const override { return true; }
};
} // namespace

void sinter::SinterDialect::initialize() {
  addInterfaces<Inliner>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/Sinter.attrdef.defs.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/Sinter.op.defs.inc"
      >();
  // Definitions that sort become its operations; a context that has a dialect of this name keeps its own.
  if (!getContext()->getOrLoadDialect("tm_tensor"))
    getContext()->loadDialect<sinter::tm_tensor::TmTensorDialect>();
}

void sinter::tm_tensor::TmTensorDialect::initialize() {
  addInterfaces<Inliner>();
  addOperations<
#define GET_OP_LIST
#include "dialect/TmTensor.op.defs.inc"
      >();
}

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Sinter, sinter, sinter::SinterDialect)

void sn_register_dialects(MlirDialectRegistry registry) {
  unwrap(registry)->insert<sinter::SinterDialect>();
  if (!unwrap(registry)->getDialectAllocator("tm_tensor"))
    unwrap(registry)->insert<sinter::tm_tensor::TmTensorDialect>();
}

template <typename... Kinds> struct ScheduleKinds {
  static Attribute get(Location loc, StringRef mnemonic, DictionaryAttr params) {
    Attribute found;
    ((mnemonic == Kinds::getMnemonic()
          ? (found = Kinds::getChecked([&] { return emitError(loc); }, loc.getContext(), params), 0)
          : 0),
     ...);
    return found;
  }
  static DictionaryAttr params(Attribute attr, StringRef *mnemonic) {
    DictionaryAttr found;
    ((isa<Kinds>(attr) ? (found = cast<Kinds>(attr).getParams(), *mnemonic = Kinds::getMnemonic(), 0) : 0),
     ...);
    return found;
  }
};
using Schedules = ScheduleKinds<sinter::RowsAttr, sinter::GpuRowsAttr, sinter::BrgemmAttr, sinter::MmaAttr,
                                sinter::GpuSequenceAttr, sinter::CpuSequenceAttr>;

MlirAttribute sn_schedule_attr(MlirLocation loc, const char *mnemonic, MlirAttribute params) {
  return wrap(Schedules::get(unwrap(loc), mnemonic, cast<DictionaryAttr>(unwrap(params))));
}
MlirAttribute sn_schedule_params(MlirAttribute schedule) {
  StringRef mnemonic;
  return wrap(schedule.ptr ? Attribute(Schedules::params(unwrap(schedule), &mnemonic)) : Attribute());
}
const char *sn_schedule_mnemonic(MlirAttribute schedule) {
  StringRef mnemonic; // a literal of generated code, so it ends in NUL
  if (schedule.ptr)
    Schedules::params(unwrap(schedule), &mnemonic);
  return mnemonic.data();
}
