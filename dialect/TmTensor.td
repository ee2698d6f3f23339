//===- TmTensor.td: what torch-mlir writes where linalg has no op -----------===//
//
// The text of torch-mlir's `tm_tensor` dialect, as far as sinter-scan takes it, so that an
// exported program is read as it is. A context that knows the dialect already keeps its own.

#ifndef SINTER_TM_TENSOR_TD
#define SINTER_TM_TENSOR_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TmTensor_Dialect : Dialect {
  let name = "tm_tensor";
  let cppNamespace = "::sinter::tm_tensor";
  let summary = "torch-mlir's operations on tensors that linalg lacks";
}

class TmTensor_Op<string mnemonic, list<Trait> traits = []>
    : Op<TmTensor_Dialect, mnemonic, !listconcat(traits, [Pure])>;

def TmTensor_ScanOp : TmTensor_Op<"scan", [AttrSizedOperandSegments, SingleBlock]> {
  let summary = "combines along a dimension, and keeps what it has so far";
  let arguments = (ins I64Attr:$dimension, BoolAttr:$inclusive, Variadic<AnyRankedTensor>:$inputs,
                       Variadic<AnyRankedTensor>:$outputs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$region);
  let assemblyFormat = [{
    `dimension` `(` $dimension `)` `inclusive` `(` $inclusive `)` attr-dict
    `ins` `(` $inputs `:` type($inputs) `)` `outs` `(` $outputs `:` type($outputs) `)` $region (`->` type($results)^)?
  }];
}

def TmTensor_YieldOp : TmTensor_Op<"yield", [Terminator]> {
  let summary = "ends a region";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

#endif
