//===- TmTensor.td: what torch-mlir writes where linalg has no op -----------===//
//
// The text of torch-mlir's `tm_tensor` dialect, as far as sinter-tm-tensor and sinter-ordinary take it, so that an
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

def TmTensor_ScatterOp : TmTensor_Op<"scatter", [AttrSizedOperandSegments, SingleBlock]> {
  let summary = "combines updates into a tensor, where an index says";
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, Variadic<AnyRankedTensor>:$outputs,
                       DenseI64ArrayAttr:$dimension_map, DefaultValuedAttr<BoolAttr, "true">:$unique_indices);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$region);
  let assemblyFormat = [{
    attr-dict `unique_indices` `(` $unique_indices `)` (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    `outs` `(` $outputs `:` type($outputs) `)` $region (`->` type($results)^)?
  }];
}

def TmTensor_SortOp : TmTensor_Op<"sort", [AttrSizedOperandSegments, SingleBlock]> {
  let summary = "sorts along a dimension, several tensors by one comparison";
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, Variadic<AnyRankedTensor>:$outputs, I64Attr:$dimension);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$region);
  let assemblyFormat = [{
    attr-dict `dimension` `(` $dimension `)` (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    `outs` `(` $outputs `:` type($outputs) `)` $region (`->` type($results)^)?
  }];
}

def TmTensor_TopkOp : TmTensor_Op<"topk", [AttrSizedOperandSegments, SingleBlock]> {
  let summary = "the first of a dimension by a comparison, in order, with where they stood";
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, Variadic<AnyRankedTensor>:$outputs, I64Attr:$dimension);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$region);
  let assemblyFormat = [{
    attr-dict `dimension` `(` $dimension `)` `ins` `(` $inputs `:` type($inputs) `)`
    `outs` `(` $outputs `:` type($outputs) `)` $region (`->` type($results)^)?
  }];
}

def TmTensor_AttentionOp : TmTensor_Op<"attention", [AttrSizedOperandSegments]> {
  let summary = "softmax(q k^T / sqrt(d) + mask) v";
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, Variadic<AnyRankedTensor>:$outputs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    attr-dict `ins` `(` $inputs `:` type($inputs) `)` `outs` `(` $outputs `:` type($outputs) `)`
    (`->` type($results)^)?
  }];
}

def TmTensor_YieldOp : TmTensor_Op<"yield", [Terminator]> {
  let summary = "ends a region";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

#endif
