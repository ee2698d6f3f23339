//===- Sinter.td: the words of the dialect --------------------------------===//
//
// Every op forwards its verifier (and, where it has one, its type inference)
// to a C function named after it: sinter_<op>_verify, sinter_<op>_infer. A new
// op needs a record here and a C function in dialect/verify_row_ops.c, no new C++.

#ifndef SINTER_TD
#define SINTER_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Sinter_Dialect : Dialect {
  let name = "sinter";
  let cppNamespace = "::sinter";
  let summary = "row programs over memory and over products";
  let description = [{
    Two kernel forms, `sinter.rowwise` and `sinter.contract`, each holding a
    *row program*: a straight-line region over one row, written in `arith` and
    `math` on one-dimensional tensors and scalars, and in the row operations
    `sinter.row_reduce`, `sinter.broadcast`, `sinter.index`, `sinter.pick` and `sinter.gather`.
    A second small region, `finish`, runs once on what was reduced over all
    rows. One kernel form becomes one kernel.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
  let useDefaultAttributePrinterParser = 1;
}

//===----------------------------------------------------------------------===//
// Base classes
//===----------------------------------------------------------------------===//

class Sinter_Op<string mnemonic, list<Trait> traits = []>
    : Op<Sinter_Dialect, mnemonic, traits> {
  string symbol = "sinter_" # mnemonic;
  let hasVerifier = 1;
  code verifier = [{
    extern "C" MlirLogicalResult }] # symbol # [{_verify(MlirOperation);
    ::llvm::LogicalResult $cppClass::verify() {
      return unwrap(}] # symbol # [{_verify(wrap(getOperation())));
    }
  }];
  let extraClassDefinition = verifier;
}

class Sinter_InferOp<string mnemonic, list<Trait> traits = []>
    : Sinter_Op<mnemonic, traits # [DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let extraClassDefinition = verifier # [{
    extern "C" MlirType }] # symbol # [{_infer(intptr_t, const MlirValue *);
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *,
        ::std::optional<::mlir::Location>, ::mlir::ValueRange operands, ::mlir::DictionaryAttr,
        ::mlir::OpaqueProperties, ::mlir::RegionRange, ::llvm::SmallVectorImpl<::mlir::Type> &results) {
      return sn::inferViaC(}] # symbol # [{_infer, operands, results);
    }
  }];
}

//===----------------------------------------------------------------------===//
// The two forms
//===----------------------------------------------------------------------===//

// Operands, in order: inputs (of a contract: both sides of each product first),
// index tensors of indirect accesses, destinations. `maps` has one map for each
// of them over all dimensions: rows, columns, then each product's own. The
// assembly prints all of these attributes as subscripts with named dimensions.
class Sinter_Form<string mnemonic, list<Trait> traits = []>
    : Sinter_Op<mnemonic, traits # [AttrSizedOperandSegments, IsolatedFromAbove,
        RecursiveMemoryEffects, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockNames"]>]> {
  dag form_arguments = (ins
      Variadic<AnyType>:$inputs, Variadic<AnyType>:$indices, Variadic<AnyType>:$outputs,
      StrArrayAttr:$dims, DenseI64ArrayAttr:$sizes, I64Attr:$num_rows, I64Attr:$num_cols,
      ArrayAttr:$maps, OptionalAttr<ArrayAttr>:$fills, OptionalAttr<ArrayAttr>:$indirect,
      ArrayAttr:$accumulators, ArrayAttr:$accumulator_maps, ArrayAttr:$accumulator_types,
      OptionalAttr<AnyAttr>:$schedule);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region AnyRegion:$body, AnyRegion:$finish);
  let hasCustomAssemblyFormat = 1;
  code form = verifier # [{
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &p, ::mlir::OperationState &s) {
      return sn::parseForm(p, s);
    }
    void $cppClass::print(::mlir::OpAsmPrinter &p) { sn::printForm(p, getOperation()); }
    void $cppClass::getAsmBlockNames(::mlir::OpAsmSetBlockNameFn set) {
      sn::nameFormBlocks(getOperation(), set);
    }
    void $cppClass::getEffects(::llvm::SmallVectorImpl<
        ::mlir::SideEffects::EffectInstance<::mlir::MemoryEffects::Effect>> &effects) {
      sn::formEffects(getOperation(), effects);
    }
  }];
  let extraClassDefinition = form;
}

// The rules that both forms obey, for their documentation.
defvar form_rules = [{
    Dimensions are named and sized in the op, `?` where the size comes from an
    operand. A subscript is an affine expression of them.

    * (F1) names of dimensions are distinct bare words; sizes are not negative.
    * (F2) operands are all ranked tensors, or all memrefs; a memref form has no results, a tensor
      form has one result for each destination, of its type.
    * (F3) each operand has one map over all dimensions with as many subscripts as its rank, each affine:
      factors are constants, divisors positive ones.
    * (F4) a static subscript range stays inside the operand, unless the access has a fill value.
    * (F5) a fill value is a number of the operand's element type.
    * (F6) an indirect subscript is an integer or index tensor of its own, and is the whole subscript. All subscripts
      of a *table* are `?`: the body gives them; it is no side of a product, and has no fill value.
    * (F7) a dimension of size `?` is a plain subscript of some operand without a fill value.
    * (F8) a destination's subscripts are distinct dimensions, none of a product, or `0`; it uses all
      columns or none; its sizes are those of the dimensions.
    * (F9) an accumulator has a known combiner that fits its type and keeps all columns, in order, or nothing.
    * (F10) a destination that misses a row dimension is *reduced*: it keeps no row dimension at all.
    * (F11) the body has one argument for each product and for each other input: the row
      (`tensor<NxT>`, all columns flattened row-major) if its access uses a column, a `memref` if it is a table, else a scalar.
    * (F12) the body yields one value for each accumulator, then one for each destination that is
      not reduced: a row where the map uses columns, else a scalar, of the accumulator's or destination's element type.
    * (F13) `finish` has one argument for each accumulator, then one for each input that is not indirect, no table, and whose
      subscripts use no dimension; it yields one value for each reduced destination.
    * (F14) without `finish` there is one accumulator for each reduced destination, of its type, and
      keeping columns where it does.
    * (F15) regions hold only `arith`, `math` and `sinter` row operations and `cf.assert`, in one block that
      ends in `sinter.yield`.
    * (F16) a schedule is one that is made for this form.
    * (F17) lists that describe the same things are as long as each other, and their elements of the right kind
      (the assembly cannot break this; the generic form can).
    * (F18) values in the regions are scalars, or rows as long as all columns together.
    * (F19) elements of operands are floats, signless integers or `index`.
    * (F20) a destination of a memref form is no other operand of it.
}];

def Sinter_RowwiseOp : Sinter_Form<"rowwise"> {
  let summary = "a row program over memory";
  let description = [{
    Runs the body once for each row: for each point of the row dimensions, on
    rows that span the column dimensions. Cross entropy, softmax, layer norm and
    elementwise programs are this form.
  }] # form_rules # [{

    ```mlir
    %loss, %dx = sinter.rowwise (i = 4) by (j = 8)
        ins(%x[i, j] : tensor<4x8xf32>, %y[i, j] : tensor<4x8xf32>)
        reduce(add [] : f32)
        outs(%e[] : tensor<f32>, %d[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>, %b: tensor<8xf32>):
      %g = arith.subf %a, %b : tensor<8xf32>
      %q = arith.mulf %g, %g : tensor<8xf32>
      %s = sinter.row_reduce add %q : tensor<8xf32> -> f32
      sinter.yield %s, %g : f32, tensor<8xf32>
    } finish {
    ^done(%s: f32):
      %n = arith.constant 32.0 : f32
      %m = arith.divf %s, %n : f32
      sinter.yield %m : f32
    }
    ```
  }];
  let arguments = form_arguments;
}

def Sinter_ContractOp : Sinter_Form<"contract"> {
  let summary = "a row program over a product";
  let description = [{
    The first arguments of the body are rows of products: for each `product`,
    `acc[j] = sum over its own dimensions of a * b`, in the product's type. The
    row program runs while that row is in the accumulators: bias, activation,
    residual, softmax and losses are epilogues.
  }] # form_rules # [{
    * (P1) a contract has at least one product, and each has its own dimensions, at least one.
    * (P2) the sides of a product use only rows, columns and the product's own dimensions; each own dimension
      is used by both sides.
    * (P3) the product's type is what its sides multiply to: float for floats, integer for integers, and no narrower.
    * (P4) no other input uses a product's own dimensions.

    ```mlir
    %y = sinter.contract (i = 4) by (j = 8)
        product (k = 16) (%x[i, k] : tensor<4x16xf32>, %w[j, k] : tensor<8x16xf32>) : f32
        ins(%b[j] : tensor<8xf32>)
        outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%acc: tensor<8xf32>, %bias: tensor<8xf32>):
      %s = arith.addf %acc, %bias : tensor<8xf32>
      sinter.yield %s : tensor<8xf32>
    }
    ```
  }];
  let arguments = !con(form_arguments, (ins DenseI64ArrayAttr:$product_dims, ArrayAttr:$product_types));
}

//===----------------------------------------------------------------------===//
// Row operations
//===----------------------------------------------------------------------===//

def Sinter_YieldOp : Sinter_Op<"yield", [Pure, Terminator, ReturnLike]> {
  let summary = "what a row program, its finish or a combiner gives";
  let description = [{
    * (Y1) stands in a form or in a `sinter.row_reduce`.
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

def Sinter_RowReduceOp : Sinter_Op<"row_reduce", [Pure]> {
  let summary = "all elements of a row combined into one";
  let description = [{
    `y = x[0] + x[1] + ... + x[N-1]` for the combiner named, in the type of the
    result: elements are converted to it first, so `f16` rows accumulate in
    `f32`. The order of combination is not fixed by the op, but is fixed by a
    schedule: equal inputs give equal bits. Of an empty row it is the
    combiner's identity. Instead of a name, a combiner can be a region over two
    accumulators with its identity as `init`.

    * (R1) `x` is a row.
    * (R2) the combiner is known and fits the type of the result.
    * (R3) the result's type is the row's element type or, of floats, a wider one.
    * (R4) a combiner region takes two values of the result's type, yields one, holds only `arith` and
      `math`, and has an `init` of it; a named combiner has neither.

    ```mlir
    %s = sinter.row_reduce add %x : tensor<8xf32> -> f32
    %p = sinter.row_reduce %x init(%one : f32) : tensor<8xf32> -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.mulf %a, %b : f32
      sinter.yield %c : f32
    }
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$kind, AnyType:$x, Optional<AnyType>:$init);
  let results = (outs AnyType:$y);
  let regions = (region AnyRegion:$combiner);
  let assemblyFormat = [{
    custom<Reduced>($kind, $x) (`init` `(` $init^ `:` type($init) `)`)? attr-dict `:` type($x) `->`
    custom<Combiner>(type($y), $combiner)
  }];
}

def Sinter_BroadcastOp : Sinter_Op<"broadcast", [Pure]> {
  let summary = "a row whose elements are all one scalar";
  let description = [{
    * (B1) the result is a row of the scalar's type.

    ```mlir
    %r = sinter.broadcast %s : f32 -> tensor<8xf32>
    ```
  }];
  let arguments = (ins AnyType:$scalar);
  let results = (outs AnyRankedTensor:$row);
  let assemblyFormat = "$scalar attr-dict `:` type($scalar) `->` type($row)";
}

def Sinter_IndexOp : Sinter_Op<"index", [Pure]> {
  let summary = "where in a dimension the row program stands";
  let description = [{
    Of a row dimension it is one `index`; of a column dimension a row of them.

    * (I1) the name is of a row or column dimension of the form whose region it stands in; in `finish`, of a column.
    * (I2) the result is `index` for a row dimension, a row of `index` for a column dimension.

    ```mlir
    %j = sinter.index j : tensor<8xindex>
    ```
  }];
  let arguments = (ins StrAttr:$dim);
  let results = (outs AnyType:$position);
  let assemblyFormat = "custom<Name>($dim) attr-dict `:` type($position)";
}

def Sinter_PickOp : Sinter_InferOp<"pick", [Pure,
    TypesMatchWith<"`otherwise` has the element type of `x`", "x", "otherwise", "sn::elementOf($_self)">]> {
  let summary = "one element of a row by its index";
  let description = [{
    `y = x[t]` where `0 <= t < N`, and `otherwise` elsewhere.

    * (C1) `x` is a row, `t` an integer or index scalar.
    * (C2) `otherwise` and the result have the element type of `x`.

    ```mlir
    %y = sinter.pick %x[%t] else %zero : tensor<128256xf32>, i64
    ```
  }];
  let arguments = (ins AnyType:$x, AnyType:$t, AnyType:$otherwise);
  let results = (outs AnyType:$y);
  let assemblyFormat = "$x `[` $t `]` `else` $otherwise attr-dict `:` type($x) `,` type($t)";
}

def Sinter_GatherOp : Sinter_Op<"gather", [Pure,
    TypesMatchWith<"`otherwise` has the element type of `table`", "table", "otherwise", "sn::elementOf($_self)">]> {
  let summary = "elements of a table by indices that the row program computes";
  let description = [{
    `y = table[s, t, ...]` where each subscript is inside, `0 <= s < size`, and `otherwise` elsewhere: nothing
    outside of the table is read. Where a subscript is a row, there is one element for each column.

    * (G1) `table` is an argument of the body, of a table access; it has one subscript for each dimension.
    * (G2) subscripts are integers or `index`, scalars or rows.
    * (G3) `otherwise` has the element type of `table`; the result is a row of it if a subscript is one, else a scalar.

    ```mlir
    %y = sinter.gather %table[%t, %j] else %zero : memref<50x32xf32>, i64, tensor<32xindex> -> tensor<32xf32>
    ```
  }];
  let arguments = (ins AnyType:$table, Variadic<AnyType>:$subscripts, AnyType:$otherwise);
  let results = (outs AnyType:$y);
  let assemblyFormat = "$table `[` $subscripts `]` `else` $otherwise attr-dict `:` type($table) `,` type($subscripts) `->` type($y)";
}

//===----------------------------------------------------------------------===//
// Schedules: one attribute kind for each form and target
//===----------------------------------------------------------------------===//

// The keys of each kind, their ranges and meaning are one table in
// dialect/schedules.c, which the verifier and the generated page read.
class Sinter_Schedule<string name, string mnemonic_> : AttrDef<Sinter_Dialect, name> {
  let mnemonic = mnemonic_;
  let parameters = (ins "::mlir::DictionaryAttr":$params);
  let assemblyFormat = "`<` custom<Params>($params) `>`";
  let genVerifyDecl = 1;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify(
        ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError, ::mlir::DictionaryAttr params) {
      return sn::verifySchedule(emitError, "}] # mnemonic_ # [{", params);
    }
  }];
}

def Sinter_RowsAttr : Sinter_Schedule<"Rows", "rows"> {
  let summary = "how a rowwise kernel runs on a CPU";
}
def Sinter_GpuRowsAttr : Sinter_Schedule<"GpuRows", "gpu_rows"> {
  let summary = "how a rowwise kernel runs on a GPU";
}
def Sinter_BrgemmAttr : Sinter_Schedule<"Brgemm", "brgemm"> {
  let summary = "how a contract kernel runs on a CPU: blocks of batch-reduce products";
}

#endif
