//===- Sinter.td: the words of the dialect --------------------------------===//
//
// Every op forwards its verifier (and, where it has one, its type inference)
// to a C function named after it: sinter_<op>_verify, sinter_<op>_infer. A new
// op needs a record here and a C function in dialect/verify_row_ops.c, no new C++; a
// row operation a line in dialect/row_ops.h besides, which says where its functions are.
//
// new row operation: its declaration, with its rules and an example.

#ifndef SINTER_TD
#define SINTER_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
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
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
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

// Operands, in order: inputs (first those of each product's two sides and of each matrix),
// index tensors of indirect accesses, destinations. `maps` has one map for each
// of them over all dimensions: rows, columns, then each product's own. The
// assembly prints all of these attributes as subscripts with named dimensions.
//
// `groups` (how many dimensions each group of columns has), `matrices` (pairs: from which group to which) and
// `side_sizes` (how many inputs each side has, with a region each) are there only where they say more than one group,
// no matrix, one input a side.
class Sinter_Form<string mnemonic, list<Trait> traits = []>
    : Sinter_Op<mnemonic, traits # [AttrSizedOperandSegments, IsolatedFromAbove,
        RecursiveMemoryEffects, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockNames"]>]> {
  dag form_arguments = (ins
      Variadic<AnyType>:$inputs, Variadic<AnyType>:$indices, Variadic<AnyType>:$outputs,
      StrArrayAttr:$dims, DenseI64ArrayAttr:$sizes, I64Attr:$num_rows, I64Attr:$num_cols,
      ArrayAttr:$maps, OptionalAttr<ArrayAttr>:$fills, OptionalAttr<ArrayAttr>:$indirect,
      ArrayAttr:$accumulators, ArrayAttr:$accumulator_maps, ArrayAttr:$accumulator_types,
      OptionalAttr<DenseI64ArrayAttr>:$groups, OptionalAttr<DenseI64ArrayAttr>:$matrices,
      OptionalAttr<DenseI64ArrayAttr>:$side_sizes, OptionalAttr<AnyAttr>:$schedule);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region AnyRegion:$body, AnyRegion:$finish, VariadicRegion<AnyRegion>:$sides);
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
      columns of one group or none; its sizes are those of the dimensions.
    * (F9) an accumulator has a known combiner that fits its type and keeps all columns of one group, in order, or
      nothing.
    * (F10) a destination that misses a row dimension is *reduced*: it keeps no row dimension at all.
    * (F11) the body has one argument for each product, for each matrix (`tensor<NxMxT>`) and for each input that is no
      side's: the row (`tensor<NxT>`, the columns of its group flattened row-major) if its access uses a column, a
      `memref` if it is a table, else a scalar.
    * (F12) the body yields one value for each accumulator, then one for each destination that is
      not reduced: a row where the map uses columns, else a scalar, of the accumulator's or destination's element type.
    * (F13) `finish` has one argument for each accumulator, then one for each input that is not indirect, no table, and
      whose subscripts use no dimension; it yields one value for each reduced destination.
    * (F14) without `finish` there is one accumulator for each reduced destination, of its type, and
      keeping columns where it does.
    * (F15) regions hold only `arith`, `math` and `sinter` row operations and `cf.assert`, in one block that
      ends in `sinter.yield`.
    * (F16) a schedule is one that is made for this form.
    * (F17) lists that describe the same things are as long as each other, and their elements of the right kind
      (the assembly cannot break this; the generic form can).
    * (F18) values in the regions are scalars, or rows as long as a group of columns.
    * (F19) elements of operands are floats, signless integers or `index`.
    * (F20) a destination of a memref form is no other operand of it.
    * (F21) a form has at most 64 dimensions, 1,024 operands, 256 accumulators and 256 `row_reduce`s in its body; an
      operand has at most 64 dimensions, and a subscript at most 1,024 dimensions, numbers and operations. At most 64
      are those of one group's rows and those that each `row_product` to it sums over. Fusion makes smaller ones.
    * (F22) each of several groups has columns. An access uses those of one group only, but for a matrix, which uses
      those of its two. What is computed element by element stays in one group; a row of constants and broadcasts alone
      is of each group that it is read in, so none is reduced or picked from where several groups are `?` long.
    * (M1) a matrix goes from one group of columns to another, `matrix (j) to (e) (%v[j, e] : T)`; `sinter.row_product`
      alone uses it.
    * (S1) the program of a side, `side(%x[i, k] : T, %s[i] : U) {...}`, has one argument for each of its accesses: a
      row over what is summed if the access uses that, else a scalar; none is a table.
    * (S2) it yields one row, and holds only operations that take an element from their own column.
}];

def Sinter_RowwiseOp : Sinter_Form<"rowwise"> {
  let summary = "a row program over memory";
  let description = !strconcat([{
    Runs the body once for each row: for each point of the row dimensions, on
    rows that span the column dimensions. Cross entropy, softmax, layer norm and
    elementwise programs are this form.
  }], form_rules, [{

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
  }]);
  let arguments = form_arguments;
}

def Sinter_ContractOp : Sinter_Form<"contract"> {
  let summary = "a row program over a product";
  let description = !strconcat([{
    The first arguments of the body are rows of products: for each `product`,
    `acc[j] = sum over its own dimensions of a * b`, in the product's type. The
    row program runs while that row is in the accumulators: bias, activation,
    residual, softmax and losses are epilogues.
  }], form_rules, [{
    * (P1) a contract has at least one product, and each has its own dimensions, at least one.
    * (P2) the sides of a product use only rows, columns of one group and the product's own dimensions; each own
      dimension is used by both sides, or named by a `sinter.index` of the side's program.
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
  }]);
  let arguments = !con(form_arguments, (ins DenseI64ArrayAttr:$product_dims, ArrayAttr:$product_types));
}

//===----------------------------------------------------------------------===//
// Row operations
//===----------------------------------------------------------------------===//

def Sinter_YieldOp : Sinter_Op<"yield", [Pure, Terminator, ReturnLike]> {
  let summary = "what a row program, its finish or a combiner gives";
  let description = [{
    * (Y1) stands in a form, in a `sinter.row_reduce` or in a `sinter.sequence`.
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

    * (I1) the name is of a row or column dimension of the form whose region it stands in; in `finish`, of a column; in
      the program of a side, also of a dimension that is summed with it; in a definition, `column` (`column0`, `column1`
      of several), or `row` (of several dimensions of rows, the row counted over them, or one of them: `row0`, ..).
    * (I2) the result is `index` for a row dimension, a row of `index` for a column dimension; in the program of a side,
      a row for what is summed and `index` for any other.

    ```mlir
    %j = sinter.index j : tensor<8xindex>
    ```
  }];
  let arguments = (ins StrAttr:$dim);
  let results = (outs AnyType:$position);
  let assemblyFormat = "custom<Name>($dim) attr-dict `:` type($position)";
}

def Sinter_RandomOp : Sinter_Op<"random", [Pure]> {
  let summary = "a random number by a seed and a position";
  let description = [{
    Philox 4x32 with 10 rounds (Salmon, Moraes, Dror, Shaw 2011), with `seed` for key and the position `[i, j]` for
    counter. The same seed and position give the same number wherever it is made: in value and gradient, on a CPU and a
    GPU. Nothing is kept between uses.

        key      seed mod 2^32, seed / 2^32
        counter  c mod 2^32, c / 2^32, i mod 2^32, i / 2^32      c = 16 (j / 64) + j mod 16, rounded down
        word     number (j / 16) mod 4 of the four that Philox gives

    so 64 columns share 16 calls of it, each of which gives the same lane of four vectors. An `i32` is the word itself;
    an `f32` is its upper 24 bits times 2^-24: 0 <= u < 1, each of 2^24 numbers as probable; an `f64` is the same
    number. `u >= p` is true with probability 1 - p, always for p = 0 and never for p = 1.

    * (N1) `seed`, `i` and `j` are integers of 32 or 64 bits (signed) or `index`; all are scalars or all are rows of one
      length.
    * (N2) the result is `i32`, `f32` or `f64`, or a row of it where they are rows.

    ```mlir
    %u = sinter.random %seed[%i, %j] : tensor<8xi64>, tensor<8xindex>, tensor<8xindex> -> tensor<8xf32>
    ```
  }];
  let arguments = (ins AnyType:$seed, AnyType:$i, AnyType:$j);
  let results = (outs AnyType:$u);
  let assemblyFormat = [{
    $seed `[` $i `,` $j `]` attr-dict `:` type($seed) `,` type($i) `,` type($j) `->` type($u)
  }];
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

def Sinter_RowProductOp : Sinter_Op<"row_product", [Pure]> {
  let summary = "a row times a matrix: a row of another group of columns";
  let description = [{
    `y[e] = sum over j of x[j] * v[j, e]`, in the type of the result: elements are converted to it before they are
    multiplied. It is a reduction whose value is a row: order and determinism are those of `sinter.row_reduce`, and of
    an empty row it is a row of zeros.

    * (X1) `matrix` is an argument of the body, of a `matrix` of the form.
    * (X2) `x` is a row of the group that the matrix goes from, the result one of the group that it goes to.
    * (X3) the result's elements are of the kind of what is multiplied, and no narrower.

    ```mlir
    %y = sinter.row_product %x, %v : tensor<8xf32>, tensor<8x4xbf16> -> tensor<4xf32>
    ```
  }];
  let arguments = (ins AnyType:$x, AnyType:$matrix);
  let results = (outs AnyType:$y);
  let assemblyFormat = "$x `,` $matrix attr-dict `:` type($x) `,` type($matrix) `->` type($y)";
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
  let assemblyFormat = [{
    $table `[` $subscripts `]` `else` $otherwise attr-dict `:` type($table) `,` type($subscripts) `->` type($y)
  }];
}

//===----------------------------------------------------------------------===//
// Operations on whole rows: sinter-expand makes forms and tensors of them
//===----------------------------------------------------------------------===//

defvar whole_rows = [{
    * (W1) it stands in a definition, in the body of a `sinter.loss`, or in the body of a `sinter.rowwise` on tensors
      with one group of columns. `along` names a column dimension of that (in a definition `column`, or `column0`,
      `column1`), and may be left out where there is one.
    * (W2) it has rows, as long as the form's, and gives rows of the same types.
}];

class Sinter_WholeRowOp<string mnemonic> : Sinter_Op<mnemonic, [Pure]>;

def Sinter_RowSortOp : Sinter_WholeRowOp<"row_sort"> {
  let summary = "rows sorted by the first of them";
  let description = [{
    The first row in order, from its smallest element or, `descending`, from its largest; the others in the order in
    which that leaves them. Equal elements stay in their order, and NaN is larger than any number, as in PyTorch. With
    `sinter.index` among the rows it gives the permutation; with `sinter.index` below k, it is the first k.

    * (W3) elements are floats or integers, which are signed.
}] # whole_rows # [{

    ```mlir
    %v, %l = sinter.row_sort descending %x, %label : tensor<?xf32>, tensor<?xi64>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$rows, UnitAttr:$descending, OptionalAttr<StrAttr>:$dim);
  let results = (outs Variadic<AnyType>:$sorted);
  let assemblyFormat = [{
    (`descending` $descending^)? $rows custom<Along>($dim) attr-dict `:` custom<SameTypes>(type($rows), type($sorted))
  }];
}

def Sinter_RowScanOp : Sinter_WholeRowOp<"row_scan"> {
  let summary = "elements of a row combined up to each";
  let description = [{
    `y[j] = x[0] + ... + x[j]` for the combiner named; `exclusive`, without `x[j]`, and the first is the combiner's
    identity; `reverse`, from the last element to the first. Elements are combined in this order. Beside the combiners
    of `sinter.row_reduce` there is `logsumexp`, `log(exp(x[0]) + ... + exp(x[j]))` of floats, which raises nothing to a
    power: it is finite wherever they are.

    * (W4) the combiner is known and fits the elements.
}] # whole_rows # [{

    ```mlir
    %y = sinter.row_scan add %x {reverse} : tensor<?xf32>
    ```
  }];
  let arguments = (ins StrAttr:$kind, AnyType:$x, UnitAttr:$exclusive, UnitAttr:$reverse, OptionalAttr<StrAttr>:$dim);
  let results = (outs AnyType:$y);
  let assemblyFormat = "custom<Name>($kind) $x custom<Along>($dim) attr-dict `:` custom<SameType>(type($x), type($y))";
}

def Sinter_RowFoldOp : Sinter_WholeRowOp<"row_fold"> {
  let summary = "elements along one of several columns combined, for each";
  let description = [{
    Of a row over columns `n` and `m`, `y[n, m]` is the combination of `x[n, m']` for all `m'`, along `m`: the same for
    all of them. A matrix is normalised so along either of its dimensions.

    * (W4) the combiner is known and fits the elements.
}] # whole_rows # [{

    ```mlir
    %y = sinter.row_fold maximumf %x along column1 : tensor<?xf32>
    ```
  }];
  let arguments = (ins StrAttr:$kind, AnyType:$x, OptionalAttr<StrAttr>:$dim);
  let results = (outs AnyType:$y);
  let assemblyFormat = "custom<Name>($kind) $x custom<Along>($dim) attr-dict `:` custom<SameType>(type($x), type($y))";
}

//===----------------------------------------------------------------------===//
// Losses and row functions: definitions and their uses
//===----------------------------------------------------------------------===//

def Sinter_DefineOp : Sinter_Op<"define", [Symbol, IsolatedFromAbove,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "a loss or a row function, defined by its row program";
  let description = [{
    The body is written once, for every shape and type: a row is `tensor<?xf32>`, however long; a scalar operand
    is one number for each row. Where it is used, `sinter-expand` makes a `sinter.rowwise` of it with the shapes
    and types that are met there: floats of the body become f32, or f64 where an operand is f64.

    An argument is an operand, or with `default` an attribute of the use. Other words on an argument: `optional`, the
    constant that stands for an operand that is not given; `column`, a vector with one element for each column;
    `leading`, which lets a row lack the column dimension; `like`, the operand whose shape it has, where others are
    broadcast; `values`, the words that an attribute may be (the body sees which of them, counted from 0); `above`,
    `at_least` and `at_most`, the limits of a number. An assert of the body that attributes alone decide is checked
    where the definition is used.

    Attributes of a definition: `reductions`, which makes it a loss: what may be done with its values, the first by
    default; `columns`, the dimension that rows run along (-1, the last, by default; 0 of a tensor with one dimension),
    or a list of dimensions that follow each other, over which a row is a matrix, flattened;
    `broadcast`, operands have the shapes that NumPy broadcasts to one, and with `same_rank` as many dimensions;
    `functions`, the names of other definitions that the body applies and a use may replace.

    A loss yields its value, and after it, if the mean is a weighted one, the weight.

    * (D1) arguments are operands first, then optional ones, then attributes, with distinct names.
    * (D2) an argument is a scalar or `tensor<?xT>` of floats or integers; an operand that has to be given is a row, or
      no operand is;
      an attribute is a scalar; `column`, `leading` and `like` are of rows, and one is like a row operand before it.
    * (D3) `optional`, `default` and the limits are numbers, and `default` is inside its limits; `values` are words, and
      `default` is one of them. An argument has no other words.
    * (D4) `reductions` are some of "mean", "sum", "none" and "batchmean", `columns` a dimension or several that follow
      each other; there are no other attributes than those
      above, `summary` and `formula`.
    * (D5) the body is one block of `arith`, `math`, `cf.assert`, the `sinter` row operations that read no table, those
      on whole rows, `scf.for` around these, and uses of definitions, on scalars and `tensor<?xT>`.
    * (D6) a loss yields one or two floats or rows of them; a function at least one value.
    * (D7) a loop's bounds and step are made of constants and attributes: it is written out where it is used, at most
      1000 turns.

    ```mlir
    sinter.define @huber(%x: tensor<?xf32>, %t: tensor<?xf32>, %delta: f32 {above = 0.0, default = 1.0})
        attributes {reductions = ["mean", "sum", "none"]} {
      ...
      sinter.yield %l : tensor<?xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$names, ArrayAttr:$parameters,
                       OptionalAttr<StrArrayAttr>:$reductions, OptionalAttr<AnyAttr>:$columns,
                       OptionalAttr<UnitAttr>:$broadcast, OptionalAttr<UnitAttr>:$same_rank,
                       OptionalAttr<DictionaryAttr>:$functions,
                       OptionalAttr<StrAttr>:$summary, OptionalAttr<StrAttr>:$formula);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  code define = verifier # [{
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &p, ::mlir::OperationState &s) {
      return sn::parseDefine(p, s);
    }
    void $cppClass::print(::mlir::OpAsmPrinter &p) { sn::printDefine(p, getOperation()); }
    void $cppClass::getAsmBlockArgumentNames(::mlir::Region &region, ::mlir::OpAsmSetValueNameFn set) {
      sn::nameDefineArguments(getOperation(), region, set);
    }
  }];
  let extraClassDefinition = define;
}

// The rules that every use of a definition obeys.
defvar use_rules = [{
    * (U1) the definition is in this module, or in the library.
    * (U2) operands are as many as the definition has, optional ones by name.
    * (U3) operands have the element types and shapes that the definition asks for; sizes agree, and the dimension
      `columns` is there.
    * (U4) attributes are those of the definition, of the right kind and inside its limits, and fail none of its
      asserts; a loss has `reduction` besides.
    * (U5) results are what the definition gives.
}];

// A use: `sinter.NAME(%x, %t, weight = %w) {delta = 0.5} : (types) -> type`.
class Sinter_Use<string mnemonic, list<Trait> traits = []> : Sinter_Op<mnemonic, traits> {
  let results = (outs Variadic<AnyType>:$results);
  let hasCustomAssemblyFormat = 1;
  code use = [{
    extern "C" MlirLogicalResult sinter_use_verify(MlirOperation);
    ::llvm::LogicalResult $cppClass::verify() { return unwrap(sinter_use_verify(wrap(getOperation()))); }
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &p, ::mlir::OperationState &s) {
      return sn::parseUse(p, s);
    }
    void $cppClass::print(::mlir::OpAsmPrinter &p) { sn::printUse(p, getOperation()); }
  }];
  let extraClassDefinition = use;
}

def Sinter_ApplyOp : Sinter_Use<"apply"> {
  let summary = "a use of a definition by its symbol";
  let description = !strconcat([{
    On whole tensors it becomes a kernel form; inside a row program, the definition's own row program.
    An operand that is optional is given by name, attributes in the dictionary; inside a row program an attribute
    may also be given by name, as a value.
  }], use_rules, [{

    ```mlir
    %l = sinter.apply @focal(%x, %t, weight = %w) {gamma = 2.0, reduction = "sum"}
        : (tensor<4x8xf32>, tensor<4xi64>, tensor<8xf32>) -> tensor<f32>
    ```
  }]);
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$inputs, OptionalAttr<StrArrayAttr>:$optionals);
}

// One for each file of dialect/library: the op of its name.
class Sinter_Named<string mnemonic> : Sinter_Use<mnemonic> {
  let summary = "a use of the library's definition of this name";
  let description = [{
    What it computes, its operands, attributes and their defaults: `docs/losses.md`, and the file of this name in
    `dialect/library`.
  }];
  let arguments = (ins Variadic<AnyType>:$inputs, OptionalAttr<StrArrayAttr>:$optionals);
}
include "dialect/Library.td"

def Sinter_LossOp : Sinter_Op<"loss", [IsolatedFromAbove]> {
  let summary = "a loss written in place";
  let description = [{
    A definition and its use in one: the body's arguments are the operands, in order, as those of a `sinter.define` (a
    row, or one number for each row); `reduction` is "mean" unless given; `columns` and `broadcast` as there. Without
    `broadcast`, a row of an operand with one dimension, beside a first operand with more, is one element for each
    column (class weights).

    * (L1) the body has one argument for each operand.
    * D2, D5, D6, U3 and U5 hold here as well.

    ```mlir
    %l = sinter.loss(%x, %t) {reduction = "sum"} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32> {
    ^row(%a: tensor<?xf32>, %b: tensor<?xf32>):
      %d = arith.subf %a, %b : tensor<?xf32>
      %l = math.absf %d : tensor<?xf32>
      sinter.yield %l : tensor<?xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$inputs, OptionalAttr<StrAttr>:$reduction, OptionalAttr<I64Attr>:$columns,
                       OptionalAttr<UnitAttr>:$broadcast);
  let results = (outs AnyType:$result);
  let regions = (region AnyRegion:$body);
  let assemblyFormat = "`(` $inputs `)` attr-dict `:` functional-type($inputs, $result) $body";
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

def Sinter_DetachOp : Sinter_Op<"detach", [Pure, SameOperandsAndResultType]> {
  let summary = "a value that no gradient goes through";
  let description = [{
    `y = x`. To `sinter-differentiate` it is a constant: the maximum that a log-sum-exp subtracts, a target that is
    computed from what is trained. The pass leaves none behind.

    So a value `v` can be given a gradient of its own: in `v + slope * (x - sinter.detach x)`, where `v` is computed
    from detached values, `slope` is the gradient with respect to `x`. The difference counts as 0, for x of inf too, and
    is not computed.

    * (T1) `x` is a float or a row of floats.

    ```mlir
    %m = sinter.detach %max : f32
    ```
  }];
  let arguments = (ins AnyType:$x);
  let results = (outs AnyType:$y);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def Sinter_DifferentiateOp : Sinter_Op<"differentiate", [Pure, AttrSizedOperandSegments]> {
  let summary = "the gradients of a value";
  let description = [{
    `d_k = sum over the elements l of loss of upstream[l] * d loss[l] / d wrt_k`, as torch.autograd.grad gives it: the
    gradient of what is done with `loss` later, given the gradient `upstream` with respect to `loss` (ones if absent).
    `sinter-differentiate` replaces it by the kernel forms that compute it; see `docs/differentiation.md`.

    * (A1) `loss` and each `wrt` are ranked tensors of floats.
    * (A2) `upstream` has the type of `loss`.
    * (A3) there is one result for each `wrt`, of its type, and at least one.

    ```mlir
    %dx, %dw = sinter.differentiate %loss upstream(%g) wrt(%x, %w)
        : (tensor<f32>, tensor<f32>, tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
    ```
  }];
  let arguments = (ins AnyType:$loss, Optional<AnyType>:$upstream, Variadic<AnyType>:$wrt);
  let results = (outs Variadic<AnyType>:$gradients);
  let assemblyFormat = [{
    $loss (`upstream` `(` $upstream^ `)`)? `wrt` `(` $wrt `)` attr-dict `:` functional-type(operands, results)
  }];
}

//===----------------------------------------------------------------------===//
// Work in steps
//===----------------------------------------------------------------------===//

def Sinter_StepsOp : Sinter_Op<"steps", [AttrSizedOperandSegments, AutomaticAllocationScope, IsolatedFromAbove,
    RecursiveMemoryEffects]> {
  let summary = "rows whose work is a sequence of steps";
  let description = [{
    The third form, for what is not one pass over a row: a recurrence over time, pairs of elements. The body runs once
    for each point of one dimension of the first input, on memory: its inputs and destinations as `memref`s, and scratch
    of its own. It is ordinary structured code, and each `scf.parallel` in it is a *step*: its lanes run together, in
    any order, and a step sees all that earlier steps of its row stored. On a CPU a task runs a row, step after step; on
    a GPU a block does, its threads share the lanes, and a barrier stands behind each step.

    * (S1) operands are all ranked tensors, or all memrefs, at most 1,024 and of 64 dimensions each; on tensors there is
      one result for each destination, of its type.
    * (S2) `rows` is a dimension of the first input.
    * (S3) the body has an `index`, the row, then a `memref` for each input and each destination of `outs`, of its shape
      and type.
    * (S4) the body yields one number for each destination of `values`, of at most 256: of rank 1, it has an element for
      each row; of rank 0, it is the sum over rows.
    * (S5) `finish`, if any, has the count of rows, then a sum for each destination of rank 0 in `values`, and yields
      what is stored there.
    * (S6) the body holds `arith`, `math`, `scf.for`, `scf.while`, `scf.if`, `scf.parallel` of one dimension,
      `memref.load`, `store`, `dim`, `cast`, `alloca` and `cf.assert`; `finish` holds `arith` and `math`.
    * (S7) asserts stand in the body itself and steps not in steps; what a step combines (`scf.reduce`) is one named
      combiner for each value, of at most 256.
    * (S8) `memref.alloca` stands in the body itself; its sizes are made of constants and sizes of arguments.
    * (S9) elements of operands are floats, signless integers or `index`.
    * (S10) `in_place`: what the body does not store stays as it was, for a result lies where its destination of `outs`
      does. That is no other operand, and nobody reads it behind this.

    A store outside of any step is a step of one lane. Lanes of one step do not read what another one of them stores,
    nor store to one place; nothing is stored to an input. Two rows do not touch the same elements of a destination.

    ```mlir
    %e = sinter.steps rows(0) ins(%x : tensor<4x8xf32>) values(%d : tensor<f32>) -> tensor<f32> {
    ^row(%i: index, %a: memref<4x8xf32>):
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %z = arith.constant 0.0 : f32
      %s = scf.parallel (%j) = (%c0) to (%c8) step (%c1) init (%z) -> f32 {
        %v = memref.load %a[%i, %j] : memref<4x8xf32>
        scf.reduce(%v : f32) {
        ^bb0(%p: f32, %q: f32):
          %r = arith.addf %p, %q : f32
          scf.reduce.return %r : f32
        }
      }
      sinter.yield %s : f32
    }
    ```
  }];
  let arguments = (ins I64Attr:$rows, UnitAttr:$in_place, Variadic<AnyType>:$inputs, Variadic<AnyType>:$outputs,
                       Variadic<AnyType>:$values, OptionalAttr<StrAttr>:$definition, OptionalAttr<DictionaryAttr>:$use,
                       OptionalAttr<AnyAttr>:$schedule);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region AnyRegion:$body, AnyRegion:$finish);
  let assemblyFormat = [{
    `rows` `(` $rows `)` (`in_place` $in_place^)? `ins` `(` $inputs `:` type($inputs) `)`
    (`outs` `(` $outputs^ `:` type($outputs) `)`)?
    (`values` `(` $values^ `:` type($values) `)`)? (`schedule` `(` $schedule^ `)`)? attr-dict-with-keyword
    (`->` type($results)^)? $body (`finish` $finish^)?
  }];
}

def Sinter_DefineStepsOp : Sinter_Op<"define_steps", [Symbol, AutomaticAllocationScope, IsolatedFromAbove,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "a loss, defined by its steps";
  let description = [{
    What `sinter.define` is to `sinter.rowwise`, this is to `sinter.steps`: its body is written once, in f32, i64 and
    sizes `?`, and gives the loss of one row. Where it is used, floats become f64 if an operand is f64; what is loaded
    of narrower types is converted, as is what is stored.

    An argument is an operand (a `memref`), or with `default` an attribute of the use. Other words on an argument:
    `row`, the row; `rows`, which dimension of an operand they are (0 by default; where the first operand lacks it there
    is one row), `packed`, an operand that may lack it all the same; `like`, the operand that has its shape; `mean`,
    whether the mean over rows is asked for; `gradient`, whether the gradient with respect to the operand of that name
    is, and, of a memref, where it goes; `upstream`, the gradient of the result with respect to what the body yields.

    * (E1) arguments are one `index` that is the `row`, then operands, attributes, and the rest, with distinct names.
    * (E2) operands are memrefs of floats or integers with sizes `?`; attributes are i64, f32 or i1 with a `default` of
      that kind.
    * (E3) `gradient` is on an i1 and on a memref like its operand's, which is used under an `scf.if` of that i1 only;
      with it goes one f32 `upstream`. There is at most one i1 `mean`.
    * (E4) the body yields one f32, the row's loss, and holds what the body of `sinter.steps` may.
    * (E5) `reductions` are some of "mean", "sum" and "none".
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$names, ArrayAttr:$parameters,
                       OptionalAttr<StrArrayAttr>:$reductions,
                       OptionalAttr<StrAttr>:$summary, OptionalAttr<StrAttr>:$formula);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  code define = verifier # [{
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &p, ::mlir::OperationState &s) {
      return sn::parseDefine(p, s);
    }
    void $cppClass::print(::mlir::OpAsmPrinter &p) { sn::printDefine(p, getOperation()); }
    void $cppClass::getAsmBlockArgumentNames(::mlir::Region &region, ::mlir::OpAsmSetValueNameFn set) {
      sn::nameDefineArguments(getOperation(), region, set);
    }
  }];
  let extraClassDefinition = define;
}

def Sinter_SequenceOp : Sinter_Op<"sequence", [RecursiveMemoryEffects]> {
  let summary = "forms in order, under one launch";
  let description = [{
    Kernel forms that run one behind the other in one launch of a GPU, instead of a launch each. The body uses values
    from around it. What a form makes goes to later ones through memory, as it would between kernels.

    `phases` says how long forms wait: those of one phase may run at the same time, and a later phase begins when all
    blocks are done with the one before. Without it, each form is a phase of its own. A sequence means what its forms
    mean without it: `sinter-sequence{launches=separate}` takes it apart.

    An `scf.for` in the body is a loop of the launch: layers of a network, steps of a recurrent one. Its phases, and
    its waits, come again in each turn.

    * (Q1) the body is one block without arguments; it holds forms and `sinter.steps`, and `tensor.expand_shape`,
      `collapse_shape` and `cast`, or the same of `memref`, of what they have, and loops (Q8), and ends in
      `sinter.yield`.
    * (Q2) it yields one value for each result, of its type; each is a result of a form or a loop in the body, and none
      is yielded twice. On memrefs there are none.
    * (Q3) `phases` has a number for each form, in order: the first is 0, and each next one the same or one more.
    * (Q4) a form that reads what another one of the body writes is of a later phase than that, and so is one
      that writes what another reads or writes. What a `sinter.steps` stores in place is one memory with what was there
      before. Two values from around the body do not overlap.
    * (Q5) a schedule is a `#sinter.gpu_sequence` or a `#sinter.cpu_sequence`; forms that run by turns are all that
      it holds.
    * (Q6) a sequence stands in no other one.
    * (Q7) `waits`, of a CPU, has a number for each form: so many of the first forms have ended when it begins. It is
      no more than there are in front of it, and all that it waits for by Q4 are among them. So no form waits for
      itself, or for a later one. Of a loop in front of it the last turn counts.
    * (Q8) a loop is an `scf.for` whose bounds are constants, with a turn or more; it carries 768 tensors or memrefs at
      most, and holds a form or more, what the body may hold but for loops and what stores in place, and slices of its
      turn: of sizes that are known, a part of dimension 0 that begins at the induction variable, and all of the others.
    * (Q9) on tensors a loop yields results of its forms, each once, and goes on with them in the next turn. In place of
      one it may yield a `tensor.insert_slice` of one into what it carries there, which is nobody else's but the form's:
      its destination is the same slice. On memrefs it yields what it carries, in another order, by which memory goes in
      a circle of 64 turns at most; nobody uses its results.
    * (Q10) a loop begins a phase, and so does what is behind it: a turn begins when all blocks are done with the one
      before, or, by a schedule with `words`, when all that it reads of that one is there. `waits` of its forms are
      those of its first turn; in each next one they are as many more as the loop has forms. A form waits for itself
      of the turn before, and for what by Q4 it waits for of that turn. On tensors what a form makes is one memory,
      and what a loop carries is two, by turns.
    * (Q11) a form whose schedule has `repeated = 1` is computed by each block of the launch, which all store the same.
      So are all forms of its phase, and the next phase, which there is, begins when the threads of a block are done.
      Of that one, and of those behind it as long as they follow on repeated ones, no form is in a loop, and none
      writes what the form reads or writes. It writes nothing that it reads, is in no loop, and has no sums over rows.

    ```mlir
    %z = sinter.sequence phases [0, 1] -> tensor<4x8xf32> {
      %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        %s = sinter.row_reduce add %a : tensor<8xf32> -> f32
        %b = sinter.broadcast %s : f32 -> tensor<8xf32>
        sinter.yield %b : tensor<8xf32>
      }
      %w = sinter.rowwise (i = 4) by (j = 8) ins(%y[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
      ^row(%a: tensor<8xf32>):
        %b = arith.mulf %a, %a : tensor<8xf32>
        sinter.yield %b : tensor<8xf32>
      }
      sinter.yield %w : tensor<4x8xf32>
    }
    ```

    A loop: `%r` is twice `%x`, four times over.

    ```mlir
    %r = sinter.sequence phases [0] waits [0] -> tensor<4x8xf32> {
      %y = scf.for %t = %c0 to %c4 step %c1 iter_args(%v = %x) -> (tensor<4x8xf32>) {
        %w = sinter.rowwise (i = 4) by (j = 8) ins(%v[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
        ^row(%a: tensor<8xf32>):
          %b = arith.addf %a, %a : tensor<8xf32>
          sinter.yield %b : tensor<8xf32>
        }
        scf.yield %w : tensor<4x8xf32>
      }
      sinter.yield %y : tensor<4x8xf32>
    }
    ```
  }];
  let arguments = (ins OptionalAttr<DenseI64ArrayAttr>:$phases, OptionalAttr<DenseI64ArrayAttr>:$waits,
                       OptionalAttr<AnyAttr>:$schedule);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region AnyRegion:$body);
  let assemblyFormat = [{
    (`phases` $phases^)? (`waits` $waits^)? (`schedule` `(` $schedule^ `)`)? attr-dict-with-keyword
    (`->` type($results)^)? $body
  }];
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
def Sinter_MmaAttr : Sinter_Schedule<"Mma", "mma"> {
  let summary = "how a contract kernel runs on a GPU: tiles of products, multiplied by a block's threads";
}
def Sinter_GpuSequenceAttr : Sinter_Schedule<"GpuSequence", "gpu_sequence"> {
  let summary = "how a sequence runs on a GPU: the blocks that its forms share";
}
def Sinter_CpuSequenceAttr : Sinter_Schedule<"CpuSequence", "cpu_sequence"> {
  let summary = "how a sequence runs on a CPU: its forms as stages of one parallel region, or by turns";
}

#endif
