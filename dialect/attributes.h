// attributes.h: what passes note on functions, arguments and buffers for those that come behind them.

#ifndef SINTER_DIALECT_ATTRIBUTES_H
#define SINTER_DIALECT_ATTRIBUTES_H

// On a public function, from sinter-boundary on: the tensor types of its
// arguments and of its results, as arrays of types.
#define SN_INPUTS "sinter.inputs"
#define SN_OUTPUTS "sinter.outputs"
// On a public function, from sinter-boundary on: what the table says of each argument and each
// result, as arrays of dictionaries {name = "x", gradient_of = 0, range = array<f64>}.
#define SN_INPUT_FACTS "sinter.input_facts"
#define SN_OUTPUT_FACTS "sinter.output_facts"
// Of an argument or a result: its name in the table.
#define SN_NAME "sinter.name"
// Of an argument: weights that the host packs once, by a function beside (sinter-pack-weights), and keeps.
#define SN_PACK "sinter.pack"
// Of a result: the argument that it is the gradient of. Of an argument: the result whose
// upstream gradient it is.
#define SN_GRADIENT_OF "sinter.gradient_of"
#define SN_UPSTREAM_OF "sinter.upstream_of"
// Of a result: the argument that it lies in the memory of; from sinter-in-place on, which has seen to it, SN_SHARES.
#define SN_IN_PLACE_OF "sinter.in_place_of"
#define SN_SHARES "sinter.shares"
// Of an argument, from sinter-ranges on: {low, high, input, dim} of SinterRange in runtime/abi.h, as array<f64>.
#define SN_RANGE "sinter.range"
// On a public function, from sinter-workspace on: bytes of its last argument.
#define SN_WORKSPACE_BYTES "sinter.workspace_bytes"
// On a `memref.alloc`: memory inside of one kernel, not between kernels.
#define SN_WORKSPACE "sinter.workspace"
// On a slice: an assert in front of it says that it is inside of its tensor.
#define SN_INSIDE "sinter.inside"
// On a function: a kernel.
#define SN_KERNEL "sinter.kernel"
// On a function: made of one operation of host code, by sinter-separate.
#define SN_PART "sinter.part"
// On a function: made of a few operations of host code by sinter-cut-chains, until sinter-splice.
#define SN_CUT "sinter.cut"
// On a public function with results of sizes `?`, from sinter-boundary on: the name of the
// function that computes their sizes.
#define SN_SHAPES "sinter.shapes"
#define SN_SIZES_OF_DATA "sinter.sizes_of_data" // results have sizes that SN_SHAPES cannot say
// On a public function, from sinter-count on: an array of {name = "main_kernel0", kind = "rowwise"} for each place
// that runs kernels, and the name of the function that computes what they cost; no name where that depends on data.
#define SN_KERNELS "sinter.kernels"
#define SN_COSTS "sinter.costs"
// On a public function, from sinter-names on, and on the entry that sinter-entry makes of it: its name in the program.
#define SN_FUNCTION "sinter.function"
// On a kernel function, from sinter-cost on: {kind = "rowwise", flops = [product, ...], reads = [access, ...],
// writes = [access, ...]}. A product is array<i64: factor, argument, dimension, argument, dimension, ...>: a number
// times sizes of the function's arguments. An access is the argument, then a product: so many of its elements. Without
// `flops` they are not known.
#define SN_COST "sinter.cost"
// On a module, from sinter-lower-gpu on: {kernel = "main_kernel0", symbol = "main_kernel0_clocks", blocks = 132,
// phases = ["what the first one does", ...]} for each kernel that keeps when its blocks began and ended its phases, in
// memory of the device by that symbol: SinterKernelClocks of runtime/abi.h.
#define SN_KERNEL_CLOCKS "sinter.kernel_clocks"
// On a `tm_tensor.scan`, as gradients and definitions write it: it goes from the last element to the first.
#define SN_REVERSE "sinter.reverse"
// On a `tm_tensor.sort` by places, as gradients write it: the first operand says where each element of the others came
// from. Those from that number on are 0, wherever they came from; -1: any may be another number.
#define SN_PLACES "sinter.places"

// On a row_reduce maximumf: any number near it will do in its place, under which its row's exponentials are then.
#define SN_ANY_REFERENCE "sinter.any_reference"
// On a row_reduce add whose result is wider than its row, from sinter-half-sums on: a few elements of a thread are
// added in the row's type first.
#define SN_LANES_FIRST "sinter.lanes_first"
// On a module, from sinter-place-constants on: each large constant that differs, as a dense_resource, and how many
// bytes behind the first it begins. What is behind one up to the next is 0.
#define SN_CONSTANTS "sinter.constants"
#define SN_CONSTANT_OFFSETS "sinter.offsets"
#define SN_CONSTANT_ALIGNMENT 64

#endif
